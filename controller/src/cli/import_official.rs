//! `import-official`: what a user of the official daemon has installed.

use std::path::{Path, PathBuf};

use clap::Args;
use minismith_apps::AppError;
use minismith_apps::install::Installer;
use minismith_apps::official::{self, ENVIRONMENT, OfficialApp};
use minismith_apps::sandbox::Host;
use minismith_apps::store::Store;
use minismith_runtime::config::Config;
use minismith_runtime::paths::Environment;
use minismith_toolchain::guest::locate;
use serde_json::{Value, json};

use super::{CommandStatus, print};

pub const EXAMPLES: &str = "Nothing of the official software is changed. Recorded moves are played from the cache of the official \
library, and the volume is that of the mixer, so neither is copied.\nExamples:\n  minismith import-official\n  minismith \
import-official --environment ~/reachy/apps_venv --json";

/// Where the official daemon keeps its things.
#[derive(Debug, Args)]
pub struct ImportOfficial {
    /// Python environment with the official apps. Default: that of the robot's own computer.
    #[arg(long, value_name = "DIR", default_value = ENVIRONMENT)]
    environment: PathBuf,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(config: &Config, arguments: &ImportOfficial) -> anyhow::Result<CommandStatus> {
    let store = Store::at(config.apps.directory.clone());
    let (tool_host, python) = locate(&config.tool_host.python)?;
    let host = Host::new(tool_host, &python, &config.apps, None);
    let wheels = store.folder().join(format!(".importing-{}", std::process::id()));
    let imported = import(&store, &host, &python, &arguments.environment, &wheels);
    let _removed = std::fs::remove_dir_all(&wheels);
    let (apps, error) = match imported {
        Ok(apps) => (apps, None),
        Err(error @ (AppError::File { .. } | AppError::Process(_))) => return Err(error.into()),
        Err(error) => (Vec::new(), Some(error.to_string())),
    };
    let startup = startup(&store)?;
    let failed = error.is_some() || apps.iter().any(|app| app["outcome"] == "failed");
    if arguments.json {
        print::line(&json!({ "apps": apps, "startup_app": startup, "error": error }).to_string());
    } else {
        told(&apps, startup.as_deref(), error.as_deref());
    }
    Ok(if failed { CommandStatus::Failure } else { CommandStatus::Success })
}

fn told(apps: &[Value], startup: Option<&str>, error: Option<&str>) {
    if let Some(error) = error {
        eprintln!("minismith: {error}");
    } else if apps.is_empty() {
        print::line("There are no official apps.");
    }
    for app in apps {
        let text = |key: &str| app[key].as_str().unwrap_or_default().to_owned();
        let line = format!("{} {}: {}", text("name"), text("version"), text("outcome"));
        match app["reason"].as_str() {
            Some(reason) => print::line(&format!("{line}: {reason}")),
            None => print::line(&line),
        }
    }
    if let Some(name) = startup {
        print::line(&format!("The app {name} starts with the server, as it did with the official daemon."));
    }
}

/// Installs each official app that is not installed yet.
fn import(
    store: &Store,
    host: &Host,
    python: &Path,
    environment: &Path,
    wheels: &Path,
) -> Result<Vec<Value>, AppError> {
    let mut progress = |step: &str| eprintln!("{step}");
    let mut imported = Vec::new();
    for OfficialApp { name, version, source } in official::find(python, environment, wheels)? {
        let outcome = if store.find(&name).is_ok() {
            Ok("installed already")
        } else {
            eprintln!("{name} {version}");
            let mut installer = Installer { store, host, python, progress: &mut progress };
            installer.install(&source).map(|_| "installed")
        };
        imported.push(match outcome {
            Ok(outcome) => json!({ "name": name, "version": version, "outcome": outcome, "reason": null }),
            Err(error) => {
                json!({ "name": name, "version": version, "outcome": "failed", "reason": error.to_string() })
            }
        });
    }
    Ok(imported)
}

/// Lets the app start with the server that starts with the official daemon, unless another one does. Returns it then.
fn startup(store: &Store) -> Result<Option<String>, AppError> {
    let environment = Environment::of_this_process();
    let personal = environment.folder("HOME").map(|home| home.join(".config"));
    let Some(folder) = environment.folder("XDG_CONFIG_HOME").or(personal) else { return Ok(None) };
    let Some(name) = official::startup_app(&folder.join("reachy_mini/daemon_config.json")) else {
        return Ok(None);
    };
    if store.startup()?.is_some() || store.find(&name).is_err() {
        return Ok(None);
    }
    store.set_startup(Some(&name))?;
    Ok(Some(name))
}
