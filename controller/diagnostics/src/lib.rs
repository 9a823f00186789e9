//! Examines the computer that Minismith runs on, and says how to fix what is missing.
//!
//! `machine` collects the facts: files, a few harmless system calls, and the measurements of a robot's
//! servos. It changes nothing. It starts the tool host, which tests its sandbox, and on a computer with the
//! official software `systemctl is-active`.
//!
//! This module, `sandbox`, `local_model`, `real_time`, `control_loop`, `robot`, `sight`, `owner` and `server` judge the facts. The caller prints
//! the result.

mod control_loop;
mod devices;
pub mod first_run;
mod local_model;
mod machine;
mod owner;
mod perception;
mod real_time;
mod robot;
mod sandbox;
mod server;
mod speech;

use std::fmt;
use std::path::Path;

use serde::Serialize;
use utoipa::ToSchema;

use devices::Port;
use machine::{Machine, Packages};
use minismith_runtime::config::{Config, Endpoint, LanguageModel, Nlu, RobotChoice};
use minismith_runtime::paths::Location;
pub use robot::Supply;

/// The result of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckStatus {
    /// In order.
    #[serde(rename = "good")]
    Ok,
    /// Works, with something to know or to fix.
    #[serde(rename = "warn")]
    Warning,
    /// The configuration requires something that cannot work.
    #[serde(rename = "bad")]
    Error,
}

/// One check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Check {
    /// What was examined, in a few words.
    pub name: &'static str,
    /// The result.
    #[serde(rename = "state")]
    pub status: CheckStatus,
    /// The facts.
    pub detail: String,
    /// The remedy, if there is one.
    #[schema(required)]
    pub remedy: Option<String>,
}

/// Writes `[warn] sandbox: ...`, with the remedy on its own line.
impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match self.status {
            CheckStatus::Ok => "good",
            CheckStatus::Warning => "warn",
            CheckStatus::Error => "BAD ",
        };
        write!(f, "[{state}] {}: {}", self.name, self.detail)?;
        match &self.remedy {
            Some(remedy) => write!(f, "\n       {remedy}"),
            None => Ok(()),
        }
    }
}

impl Check {
    fn ok(name: &'static str, detail: impl Into<String>) -> Self {
        Check { name, status: CheckStatus::Ok, detail: detail.into(), remedy: None }
    }

    fn warning(name: &'static str, detail: impl Into<String>, remedy: impl Into<String>) -> Self {
        Check { name, status: CheckStatus::Warning, detail: detail.into(), remedy: Some(remedy.into()) }
    }

    fn error(name: &'static str, detail: impl Into<String>, remedy: impl Into<String>) -> Self {
        Check { status: CheckStatus::Error, ..Check::warning(name, detail, remedy) }
    }
}

/// Examines this computer against the requirements of `config`.
#[must_use]
pub fn examine(config: &Config) -> Vec<Check> {
    judge(config, &Machine::look(config, None))
}

/// Examines this computer from a program that runs the robot itself, and has measured the supply of these servos.
#[must_use]
pub fn examine_while_running(config: &Config, supply: Vec<Supply>) -> Vec<Check> {
    judge(config, &Machine::look(config, Some(supply)))
}

fn judge(config: &Config, machine: &Machine) -> Vec<Check> {
    let source = match &config.source {
        Some(path) => path.display().to_string(),
        None => "built-in values; there is no configuration file".to_owned(),
    };
    let mut checks = vec![Check::ok("configuration", source)];
    checks.extend(config.untrusted.iter().map(|file| {
        let file = file.display();
        Check::warning(
            "configuration",
            format!("{file} is not read: another user owns it, or others may write it or its folder"),
            format!("look at it with `ls -l {file}`; `--config {file}` reads it all the same"),
        )
    }));
    checks.extend(serial_ports(&config.robot, &machine.ports));
    checks.push(python(&config.tool_host.python, machine.packages));
    checks.push(match &machine.tool_host {
        Ok(path) => Check::ok("tool host", path.display().to_string()),
        Err(expected) => Check::error(
            "tool host",
            format!("there is no program {}", expected.display()),
            "copy it beside `minismith`, from where that was built (`make build`)",
        ),
    });
    checks.push(Check::ok("files", files(&config.locations)));
    checks.push(tools(&config.tools, machine.tools_writable));
    checks.extend(sandbox::judge(&config.tool_host.sandbox_requirements, &machine.sandbox));
    checks.push(disk(&config.tools, machine.free));
    let real = matches!(config.robot, RobotChoice::Serial(_));
    checks.extend(machine.periphery.judge(real));
    checks.extend(owner::judge(&machine.ownership));
    checks.push(server::judge(&config.server, &machine.tokens));
    checks.push(brain(config));
    checks.push(local_model::judge(config, &machine.local_model));
    checks.extend(machine.sight.judge(config));
    checks.extend(machine.voice.judge(config));
    checks.extend(machine.real_time.judge());
    checks.push(control_loop::judge(machine.control_loop.as_ref()));
    checks
}

/// Returns what was taken from where.
fn files(locations: &[Location]) -> String {
    let names = ["tools", "predefined tools", "models", "Python for tools", "local model"];
    let shown = locations.iter().filter(|location| names.contains(&location.name)).map(|location| {
        let Location { name, path, reason, .. } = location;
        match path {
            Some(path) => format!("{name}: {} ({reason})", path.display()),
            None => format!("{name}: {reason}"),
        }
    });
    format!("{}; `minismith paths` shows all", shown.collect::<Vec<_>>().join("; "))
}

/// Returns one check for each port. The configured port must exist and be open to this user.
fn serial_ports(robot: &RobotChoice, ports: &[Port]) -> Vec<Check> {
    const NAME: &str = "serial port";
    let wanted = match robot {
        RobotChoice::Serial(path) => Some(path.as_path()),
        RobotChoice::Mock | RobotChoice::MockBus => None,
    };
    let mut checks: Vec<Check> = ports
        .iter()
        .map(|port| {
            let path = port.path.display();
            if port.open_to_me {
                return Check::ok(NAME, format!("{path} can be opened"));
            }
            let detail = format!("{path} may not be opened by this user");
            let remedy = match (&port.group, port.in_group) {
                (Some(group), false) => {
                    format!("join its group with `sudo usermod -aG {group} $USER`, and log in again")
                }
                _ => {
                    format!("look at its permissions with `ls -l {path}`; its group needs to read and write")
                }
            };
            if wanted == Some(port.path.as_path()) {
                Check::error(NAME, detail, remedy)
            } else {
                Check::warning(NAME, detail, remedy)
            }
        })
        .collect();
    match wanted {
        Some(wanted) if !ports.iter().any(|port| port.path == wanted) => {
            let others: Vec<String> = ports.iter().map(|port| port.path.display().to_string()).collect();
            let remedy = if others.is_empty() {
                "plug the robot in and switch it on, or try `--robot mock`".to_owned()
            } else {
                format!("plug the robot in and switch it on, or give another port: {}", others.join(", "))
            };
            checks.push(Check::error(NAME, format!("there is no {}", wanted.display()), remedy));
        }
        None if ports.is_empty() => checks.push(Check::ok(NAME, "none, and the simulated robot needs none")),
        _ => {}
    }
    checks
}

fn python(interpreter: &Path, packages: Packages) -> Check {
    const NAME: &str = "Python for tools";
    let path = interpreter.display();
    let remedy = "install it with `minismith setup` (in the source tree also `make setup`), or set tool_host.python in config.yaml to an interpreter that has numpy";
    match packages {
        Packages::NoInterpreter => Check::error(NAME, format!("there is no program {path}"), remedy),
        Packages::WithNumpy => Check::ok(NAME, format!("{path}, with numpy")),
        Packages::WithoutNumpy => Check::error(NAME, format!("{path} has no numpy"), remedy),
        Packages::NotAVenv => Check::warning(
            NAME,
            format!("{path} is in no virtual environment, so its packages cannot be seen from outside"),
            format!("see whether `{path} -c 'import numpy'` works"),
        ),
    }
}

fn tools(directory: &Path, writable: Option<bool>) -> Check {
    const NAME: &str = "tools folder";
    let path = directory.display();
    match writable {
        Some(true) => Check::ok(NAME, path.to_string()),
        Some(false) => Check::error(
            NAME,
            format!("{path} may not be written by this user, so no new tool can be stored"),
            format!("make it yours with `sudo chown -R $USER {path}`, or set tools.directory in config.yaml"),
        ),
        None => Check::error(
            NAME,
            format!("there is no folder {path}"),
            format!("create it with `mkdir -p {path}/generated`, or set tools.directory in config.yaml"),
        ),
    }
}

/// Checks the free space, of which tools, recordings and backups need a little.
fn disk(directory: &Path, free: Option<u64>) -> Check {
    const NAME: &str = "disk space";
    let path = directory.display();
    let remedy = "free some space; `du -xh --max-depth=2 / | sort -h | tail` shows what takes it";
    match free.map(|bytes| bytes >> 20) {
        None => Check::warning(NAME, format!("the free space at {path} is unknown"), remedy),
        Some(free) if free < 50 => Check::error(NAME, format!("only {free} MB are free at {path}"), remedy),
        Some(free) if free < 500 => {
            Check::warning(NAME, format!("only {free} MB are free at {path}"), remedy)
        }
        Some(free) => Check::ok(NAME, format!("{free} MB are free at {path}")),
    }
}

/// Checks whether a language model is configured, and reachable.
fn brain(config: &Config) -> Check {
    match config.nlu {
        Nlu::Grammar => Check::ok("language model", "not needed: `nlu` is `grammar`"),
        Nlu::Llm => endpoints(&config.language_model),
        Nlu::Local => Check::ok("language model", "on this computer; see `local model`"),
    }
}

/// Checks that each endpoint's key exists. Only the first question shows whether the endpoint answers.
fn endpoints(model: &LanguageModel) -> Check {
    const NAME: &str = "language model";
    let named = |endpoint: &Endpoint| format!("{} at {}", endpoint.model, endpoint.url);
    let keys = model.endpoints.iter().filter_map(|endpoint| endpoint.key.as_ref());
    match keys.filter_map(|name| name.read().err()).next() {
        Some(missing) => Check::error(NAME, missing.to_string(), "set the key, or `nlu: grammar`"),
        None => Check::ok(NAME, model.endpoints.iter().map(named).collect::<Vec<_>>().join(", then ")),
    }
}

#[cfg(test)]
mod tests;
