//! `app`: programs in Python that other people made for the official daemon.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::{Subcommand, ValueEnum};
use minismith_apps::AppError;
use minismith_apps::install::Installer;
use minismith_apps::sandbox::Host;
use minismith_apps::store::{App, Grant, Store};
use minismith_runtime::config::Config;
use minismith_runtime::net::http::{Chunk, Http, KeepListening, Timeouts};
use minismith_runtime::net::{self, Address};
use minismith_toolchain::guest::locate;
use serde_json::{Value, json};

use super::{CommandStatus, print};

pub const EXAMPLES: &str = "Apps run in a sandbox: they reach the robot by the official API, and nothing else. A person can \
grant more.\nExamples:\n  minismith app install ./my_app\n  minismith app grant my_app camera\n  minismith app start my_app\n  \
minismith app log my_app";

/// The timeout for the server, which waits until an app has ended.
const TIMEOUTS: Timeouts =
    Timeouts { whole: Duration::from_mins(1), silence: Duration::from_mins(1), bytes: 1 << 20 };

/// Something that only a person can give an app.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum GrantName {
    /// Camera frames.
    Camera,
    /// The microphone and the speaker.
    Sound,
    /// The network of this computer. The app can then reach what this computer can reach, also this controller, as a
    /// program of yours can.
    Network,
}

impl From<GrantName> for Grant {
    fn from(name: GrantName) -> Self {
        match name {
            GrantName::Camera => Grant::Camera,
            GrantName::Sound => Grant::Sound,
            GrantName::Network => Grant::Network,
        }
    }
}

/// The server to ask.
#[derive(Debug, clap::Args)]
pub struct Running {
    /// Running server, with the token in the environment variable MINISMITH_TOKEN. Default: the one on this computer at
    /// `server.port` in config.yaml.
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
}

/// Commands for apps.
#[derive(Debug, Subcommand)]
pub enum AppCommand {
    /// List the installed apps.
    #[command(after_help = "Example:\n  minismith app list --json")]
    List {
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Install an app from a folder, a wheel or a source archive.
    #[command(after_help = "Its package is built in its sandbox; nothing of it runs outside.\nExamples:\n  \
minismith app install ./my_app\n  minismith app install my_app-1.0-py3-none-any.whl --json")]
    Install {
        /// Folder with a pyproject.toml, .whl or .tar.gz file.
        path: PathBuf,
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Remove an app with all its files.
    #[command(after_help = "Example:\n  minismith app remove my_app")]
    Remove {
        /// Name of the app.
        name: String,
    },
    /// Grant an app more than the robot.
    #[command(
        after_help = "It takes effect when the app starts again.\nExample:\n  minismith app grant my_app camera"
    )]
    Grant {
        /// Name of the app.
        name: String,
        /// What it may use.
        what: GrantName,
    },
    /// Take a grant back.
    #[command(after_help = "Example:\n  minismith app revoke my_app network")]
    Revoke {
        /// Name of the app.
        name: String,
        /// What it may no longer use.
        what: GrantName,
    },
    /// Start an app in the running server. One runs at a time; a stop of the robot ends it.
    #[command(after_help = "Examples:\n  minismith serve --robot mock &\n  minismith app start my_app")]
    Start {
        /// Name of the app.
        name: String,
        #[command(flatten)]
        on: Running,
    },
    /// End the app that runs.
    #[command(after_help = "Example:\n  minismith app stop")]
    Stop {
        #[command(flatten)]
        on: Running,
    },
    /// Show the app that runs, or why the last one failed.
    #[command(after_help = "Example:\n  minismith app status --json")]
    Status {
        /// Print one JSON document.
        #[arg(long)]
        json: bool,
    },
    /// Show what an app printed when it ran last.
    #[command(after_help = "Example:\n  minismith app log my_app")]
    Log {
        /// Name of the app.
        name: String,
    },
    /// Choose the app that starts with the server; without a name, none does.
    #[command(after_help = "Examples:\n  minismith app autostart my_app\n  minismith app autostart")]
    Autostart {
        /// Name of the app.
        name: Option<String>,
    },
}

/// Runs the command.
pub fn run(config: &Config, command: AppCommand) -> anyhow::Result<CommandStatus> {
    let store = Store::at(config.apps.directory.clone());
    let done = match command {
        AppCommand::List { json } => list(&store, json),
        AppCommand::Install { path, json } => return install(config, &store, &path, json),
        AppCommand::Remove { name } => {
            store.remove(&name).map(|()| print::line(&format!("The app {name} is removed.")))
        }
        AppCommand::Grant { name, what } => {
            store.grant(&name, what.into(), true).map(|app| print::line(&granted(&app)))
        }
        AppCommand::Revoke { name, what } => {
            store.grant(&name, what.into(), false).map(|app| print::line(&granted(&app)))
        }
        AppCommand::Start { name, on } => {
            return ask(config, &on, &format!("api/apps/start-app/{name}"), &told);
        }
        AppCommand::Stop { on } => {
            return ask(config, &on, "api/apps/stop-current-app", &|_| "The app has ended.".into());
        }
        AppCommand::Status { json } => return status(config, json),
        AppCommand::Log { name } => log(&store, &name),
        AppCommand::Autostart { name } => store.set_startup(name.as_deref()).map(|()| {
            print::line(&name.map_or("No app starts with the server.".into(), |name| {
                format!("The app {name} starts with the server.")
            }));
        }),
    };
    match done {
        Ok(()) => Ok(CommandStatus::Success),
        Err(error) => failed(error, false),
    }
}

/// Reports an error: as data if it is about an app, otherwise as one of the machine.
fn failed(error: AppError, json: bool) -> anyhow::Result<CommandStatus> {
    match &error {
        AppError::File { .. } | AppError::Process(_) => return Err(error.into()),
        _ if json => print::line(&json!({ "app": null, "error": error.to_string() }).to_string()),
        _ => eprintln!("minismith: {error}"),
    }
    Ok(CommandStatus::Failure)
}

fn granted(app: &App) -> String {
    let names: Vec<&str> = app.grants.iter().map(|grant| grant.name()).collect();
    let names =
        if names.is_empty() { "the robot alone".into() } else { format!("the robot, {}", names.join(", ")) };
    format!("The app {} may use {names}.", app.name)
}

fn list(store: &Store, json: bool) -> Result<(), AppError> {
    let apps = store.list()?;
    if json {
        print::line(&json!({ "apps": apps, "startup_app": store.startup()? }).to_string());
        return Ok(());
    }
    if apps.is_empty() {
        print::line("No apps are installed; `minismith app install PATH` installs one.");
    }
    for app in apps {
        print::line(&format!("{}  {}  {}", app.name, app.version, app.description));
    }
    Ok(())
}

fn install(
    config: &Config,
    store: &Store,
    path: &std::path::Path,
    json: bool,
) -> anyhow::Result<CommandStatus> {
    let (tool_host, python) = locate(&config.tool_host.python)?;
    let host = Host::new(tool_host, &python, &config.apps, None);
    let mut progress = |step: &str| eprintln!("{step}");
    let mut installer = Installer { store, host: &host, python: &python, progress: &mut progress };
    match installer.install(path) {
        Ok(app) if json => print::line(&json!({ "app": app, "error": null }).to_string()),
        Ok(app) => print::line(&format!(
            "The app {} {} is installed. It may use the robot alone; `minismith app grant` grants more.",
            app.name, app.version
        )),
        Err(error) => return failed(error, json),
    }
    Ok(CommandStatus::Success)
}

fn log(store: &Store, name: &str) -> Result<(), AppError> {
    store.find(name)?;
    let path = store.folder_of(name)?.join("log");
    match std::fs::read(&path) {
        Ok(text) => print::line(String::from_utf8_lossy(&text).trim_end()),
        Err(_) => print::line(&format!("The app {name} has not run yet.")),
    }
    Ok(())
}

fn text<'a>(reply: &'a Value, pointer: &str) -> &'a str {
    reply.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// Returns an app's status as a sentence, with the address of its page, if it has one.
fn told(status: &Value) -> String {
    let said = format!("The app {} is {}.", text(status, "/info/name"), text(status, "/state"));
    let page = text(status, "/info/extra/custom_app_url").replace("0.0.0.0", "localhost");
    match text(status, "/state") {
        "running" if !page.is_empty() => format!("{said} It serves a page at {page} while it runs."),
        _ => said,
    }
}

/// Sends a request to the running server and reports its reply.
fn ask(
    config: &Config,
    on: &Running,
    path: &str,
    told: &dyn Fn(&Value) -> String,
) -> anyhow::Result<CommandStatus> {
    let url = on.url.clone().unwrap_or_else(|| format!("http://127.0.0.1:{}", config.server.port));
    let Some(address) = Address::parse(&url) else {
        bail!("invalid controller address {url:?}; give {}", Address::ALLOWED);
    };
    let (mut status, mut body) = (0, Vec::new());
    Http::to_our_server(address)?
        .post(path, "{}".into(), TIMEOUTS, &mut |piece| {
            match piece {
                Chunk::Silence => {}
                Chunk::Began(opening) => status = opening.status,
                Chunk::Bytes(bytes) => body.extend_from_slice(bytes),
            }
            KeepListening::On
        })
        .with_context(|| format!("no response from {url}; is `minismith serve` running there?"))?;
    let reply: Value = serde_json::from_slice(&body).unwrap_or_default();
    let well = status == 200;
    if on.json {
        print::line(&json!({ "status": status, "reply": reply }).to_string());
    } else if well {
        print::line(&told(&reply));
    } else {
        eprintln!("minismith: {}", text(&reply, "/detail"));
    }
    Ok(CommandStatus::when(well))
}

fn status(config: &Config, json: bool) -> anyhow::Result<CommandStatus> {
    let port = config.server.port;
    let answer = net::ask_here(port, "GET /api/apps/current-app-status")
        .with_context(|| format!("no response from port {port}; is `minismith serve` running?"))?;
    let status: Value = serde_json::from_str(&answer).unwrap_or_default();
    if json {
        print::line(&json!({ "app": status }).to_string());
    } else if status.is_null() {
        print::line("No app is running.");
    } else {
        print::line(&told(&status));
        if let Some(error) = status.get("error").and_then(Value::as_str) {
            print::line(error);
        }
    }
    Ok(CommandStatus::Success)
}
