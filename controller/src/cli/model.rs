//! `model`: the language models on this computer.

use std::path::PathBuf;

use clap::Subcommand;
use minismith_local_model::runtime::{self, REMEDY};
use minismith_local_model::store::Added;
use minismith_local_model::{InstalledModel, ModelStore, StoreError};
use minismith_runtime::config::{Config, Nlu};
use serde_json::{Value, json};

use super::{CommandStatus, print};

#[derive(Debug, Subcommand)]
pub enum ModelCommand {
    /// List the models, which one is used, and the next step if something is missing.
    #[command(after_help = "Examples:\n  minismith model list\n  minismith model list --json")]
    List {
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Add a model file in the GGUF format. It is linked or copied, and the first one is used at once.
    #[command(after_help = "Examples:\n  minismith model add qwen2.5-coder-3b-instruct-q4_k_m.gguf\n  \
minismith model add ~/models/big.gguf --name big --json")]
    Add {
        /// Model file. The original is not changed.
        file: PathBuf,
        /// Name of the model. Default: the name of the file in small letters.
        #[arg(long)]
        name: Option<String>,
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Choose the model that answers.
    #[command(
        name = "use",
        after_help = "A running server changes to it with the next request.\nExample:\n  minismith model use qwen2.5-coder-0.5b-instruct-q4_k_m"
    )]
    Use {
        /// Name of the model.
        name: String,
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Remove a model.
    #[command(after_help = "Example:\n  minismith model remove qwen2.5-coder-0.5b-instruct-q4_k_m")]
    Remove {
        /// Name of the model.
        name: String,
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
}

/// Runs one of the commands.
pub fn run(config: &Config, command: ModelCommand) -> anyhow::Result<CommandStatus> {
    let store = ModelStore::new(&config.local_model.directory);
    match command {
        ModelCommand::List { json } => list(config, &store, json),
        ModelCommand::Add { file, name, json } => {
            reported(json, store.add(&file, name.as_deref()), |Added { model, was_there }| {
                let done = if *was_there { "was there already" } else { "is added" };
                let used = if model.used {
                    "it is the one that is used".to_owned()
                } else {
                    format!("`minismith model use {}` chooses it", model.name)
                };
                (json!({ "model": model, "was_there": was_there }), format!("{} {done}; {used}", line(model)))
            })
        }
        ModelCommand::Use { name, json } => reported(json, store.choose(&name), |model| {
            (json!({ "model": model }), format!("{} is used from now on", model.name))
        }),
        ModelCommand::Remove { name, json } => reported(json, store.remove(&name), |model| {
            let rest = match (model.used, store.used()) {
                (false, _) => String::new(),
                (true, Ok(Some(other))) => format!("; {} is used now", other.name),
                (true, _) => "; no model is used now: choose one with `minismith model use NAME`".to_owned(),
            };
            (json!({ "removed": model.name }), format!("{} is removed{rest}", model.name))
        }),
    }
}

fn list(config: &Config, store: &ModelStore, json: bool) -> anyhow::Result<CommandStatus> {
    let models = store.list()?;
    let used = store.used();
    let used_name = used.as_ref().ok().and_then(|used| used.as_ref()).map(|model| model.name.clone());
    let runtime = runtime::find(&config.local_model.directory);
    let next = next_step(config, runtime.is_some(), &models, &used);
    if json {
        let rows: Vec<InstalledModel> = models
            .into_iter()
            .map(|model| InstalledModel { used: used_name.as_ref() == Some(&model.name), ..model })
            .collect();
        let version = runtime.map(|runtime| runtime.version);
        print::json(&json!({ "models": rows, "runtime": version, "next_step": next }))?;
        return Ok(CommandStatus::Success);
    }
    for model in &models {
        let mark = if used_name.as_ref() == Some(&model.name) { "* " } else { "  " };
        print::line(&format!("{mark}{}", line(model)));
    }
    match runtime {
        Some(runtime) => print::line(&format!("runtime: xllamacpp {}", runtime.version)),
        None => print::line("runtime: not installed"),
    }
    if let Some(next) = next {
        print::line(&format!("next: {next}"));
    }
    Ok(CommandStatus::Success)
}

/// Returns what is to be done before a local model answers; none if nothing is.
fn next_step(
    config: &Config,
    has_runtime: bool,
    models: &[InstalledModel],
    used: &Result<Option<InstalledModel>, StoreError>,
) -> Option<String> {
    match used {
        _ if !has_runtime || models.is_empty() => Some(format!(
            "`{REMEDY}` installs the runtime and a model (1.2 GB; `{REMEDY} MODEL=small`: 0.6 GB)"
        )),
        Err(error) => Some(error.to_string()),
        Ok(None) => Some("choose a model with `minismith model use NAME`".to_owned()),
        Ok(Some(_)) if config.nlu != Nlu::Local => {
            Some("set `nlu: local` in config.yaml, or add `--nlu local` to a command".to_owned())
        }
        Ok(Some(_)) => None,
    }
}

/// Describes a model.
fn line(model: &InstalledModel) -> String {
    let licence = model.licence.as_deref().unwrap_or("licence unknown");
    let megabytes = model.bytes.div_ceil(1 << 20);
    let damage = model.damage.as_ref().map(|damage| format!(", damaged: {damage}")).unwrap_or_default();
    format!("{} ({megabytes} MB, {licence}{damage})", model.name)
}

fn reported<T>(
    json: bool,
    answer: Result<T, StoreError>,
    show: impl FnOnce(&T) -> (Value, String),
) -> anyhow::Result<CommandStatus> {
    match answer {
        Err(error) if !error.is_refusal() => Err(error.into()),
        answer => print::report_answer(json, answer.map_err(|refusal| refusal.to_string()), show),
    }
}
