//! `token`: API tokens and their roles.

use clap::Subcommand;
use minismith_runtime::config::Config;
use minismith_runtime::role::Role;
use minismith_runtime::tokens::{self, TokensError};
use serde_json::{Value, json};

use super::CommandStatus;

#[derive(Debug, Subcommand)]
pub enum TokenCommand {
    /// Create a token and print it once. Only its hash is stored.
    #[command(
        after_help = "Roles: viewer reads, operator also moves the robot and sends requests, engineer also creates tools and \
disables torque, owner also approves tools.\nExamples:\n  minismith token add dashboard --role operator\n  \
MINISMITH_TOKEN=minismith_... minismith say nod --url https://robot.local:8000"
    )]
    Add {
        /// Name of the token. The journal shows requests under this name.
        name: String,
        /// Role: viewer, operator, engineer or owner.
        #[arg(long)]
        role: Role,
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// List the tokens with their names and roles.
    #[command(after_help = "Example:\n  minismith token list --json")]
    List {
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Revoke a token. A running server rejects it at once.
    #[command(after_help = "Example:\n  minismith token remove dashboard")]
    Remove {
        /// Name of the token.
        name: String,
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
}

/// Runs one of the commands.
pub fn run(config: &Config, command: TokenCommand) -> anyhow::Result<CommandStatus> {
    let path = &config.server.token_file;
    match command {
        TokenCommand::Add { name, role, json } => reported(json, tokens::add(path, &name, role), |token| {
            (json!({ "name": name, "role": role, "token": token }), token.clone())
        }),
        TokenCommand::List { json } => reported(json, tokens::list(path), |tokens| {
            let row = |token: &tokens::Token| json!({ "name": token.name, "role": token.role, "created": token.created });
            let line =
                |token: &tokens::Token| format!("{}: {}, since {}", token.name, token.role, token.created);
            let words = match tokens.as_slice() {
                [] => "no tokens; make one with `minismith token add NAME --role operator`".into(),
                tokens => tokens.iter().map(line).collect::<Vec<_>>().join("\n"),
            };
            (json!({ "tokens": tokens.iter().map(row).collect::<Vec<_>>() }), words)
        }),
        TokenCommand::Remove { name, json } => reported(json, tokens::remove(path, &name), |()| {
            (json!({ "removed": name }), format!("{name} opens nothing any more"))
        }),
    }
}

fn reported<T>(
    json: bool,
    answer: Result<T, TokensError>,
    show: impl FnOnce(&T) -> (Value, String),
) -> anyhow::Result<CommandStatus> {
    match answer {
        Err(error) if !error.is_refusal() => Err(error.into()),
        answer => super::print::report_answer(json, answer.map_err(|refusal| refusal.to_string()), show),
    }
}
