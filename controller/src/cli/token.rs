//! `token`: who may ask a server, and for what.

use clap::Subcommand;
use minismith_runtime::config::Config;
use minismith_runtime::role::Role;
use minismith_runtime::tokens::{self, NoTokens};
use serde_json::{Value, json};

use super::Done;

#[derive(Debug, Subcommand)]
pub enum TokenCommand {
    /// Make a token and print it; it is told this once, and only its hash is kept.
    #[command(
        after_help = "Roles: viewer sees, operator moves the robot and talks to it, engineer also makes tools and \
releases motors, owner also approves tools.\nExamples:\n  minismith token add dashboard --role operator\n  \
MINISMITH_TOKEN=minismith_... minismith say nod --url https://robot.local:8000"
    )]
    Add {
        /// Whose it is; calls are written down under this name.
        name: String,
        /// viewer, operator, engineer or owner.
        #[arg(long)]
        role: Role,
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// List the tokens by name and role.
    List {
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Take a token back; a server that runs refuses it from then on.
    Remove {
        /// Its name.
        name: String,
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
}

/// Carries out one of the commands.
pub fn run(config: &Config, command: TokenCommand) -> anyhow::Result<Done> {
    let path = &config.serve.tokens;
    match command {
        TokenCommand::Add { name, role, json } => told(json, tokens::add(path, &name, role), |token| {
            (json!({ "name": name, "role": role, "token": token }), token.clone())
        }),
        TokenCommand::List { json } => told(json, tokens::list(path), |tokens| {
            let row = |token: &tokens::Token| json!({ "name": token.name, "role": token.role, "created": token.created });
            let line =
                |token: &tokens::Token| format!("{}: {}, since {}", token.name, token.role, token.created);
            let words = match tokens.as_slice() {
                [] => "no tokens; make one with `minismith token add NAME --role operator`".into(),
                tokens => tokens.iter().map(line).collect::<Vec<_>>().join("\n"),
            };
            (json!({ "tokens": tokens.iter().map(row).collect::<Vec<_>>() }), words)
        }),
        TokenCommand::Remove { name, json } => told(json, tokens::remove(path, &name), |()| {
            (json!({ "removed": name }), format!("{name} opens nothing any more"))
        }),
    }
}

fn told<T>(
    json: bool,
    answer: Result<T, NoTokens>,
    show: impl FnOnce(&T) -> (Value, String),
) -> anyhow::Result<Done> {
    match answer {
        Err(error) if !error.is_refusal() => Err(error.into()),
        answer => super::print::tell_answer(json, answer.map_err(|refusal| refusal.to_string()), show),
    }
}
