//! Examines the computer that Minismith runs on, and says how to fix what is missing.
//!
//! `machine` collects the facts: files, a few harmless system calls, and the measurements of a robot's
//! servos. It changes nothing. The only process that it starts is the tool host, which tests its sandbox.
//!
//! This module, `cage`, `real_time`, `beat`, `robot`, `sight` and `server` judge the facts. The caller prints
//! the result.

mod beat;
mod cage;
mod devices;
mod machine;
mod real_time;
mod robot;
mod server;
mod sight;
mod voice;

use std::fmt;
use std::path::Path;

use serde::Serialize;
use utoipa::ToSchema;

use devices::Port;
use machine::{Machine, Packages};
use minismith_runtime::config::{Config, Endpoint, LanguageModel, Nlu, RobotChoice};

/// The result of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// In order.
    Good,
    /// Works, with something to know or to fix.
    Warn,
    /// The configuration requires something that cannot work.
    Bad,
}

/// One check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Check {
    /// What was examined, in a few words.
    pub name: &'static str,
    /// The result.
    pub state: State,
    /// The facts.
    pub detail: String,
    /// The remedy, if there is one.
    pub remedy: Option<String>,
}

/// Writes `[warn] sandbox: ...`, with the remedy on its own line.
impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = match self.state {
            State::Good => "good",
            State::Warn => "warn",
            State::Bad => "BAD ",
        };
        write!(f, "[{state}] {}: {}", self.name, self.detail)?;
        match &self.remedy {
            Some(remedy) => write!(f, "\n       {remedy}"),
            None => Ok(()),
        }
    }
}

impl Check {
    fn good(name: &'static str, detail: impl Into<String>) -> Self {
        Check { name, state: State::Good, detail: detail.into(), remedy: None }
    }

    fn warn(name: &'static str, detail: impl Into<String>, remedy: impl Into<String>) -> Self {
        Check { name, state: State::Warn, detail: detail.into(), remedy: Some(remedy.into()) }
    }

    fn bad(name: &'static str, detail: impl Into<String>, remedy: impl Into<String>) -> Self {
        Check { state: State::Bad, ..Check::warn(name, detail, remedy) }
    }
}

/// Examines this computer against the requirements of `config`.
#[must_use]
pub fn examine(config: &Config) -> Vec<Check> {
    judge(config, &Machine::look(config))
}

fn judge(config: &Config, machine: &Machine) -> Vec<Check> {
    let source = match &config.source {
        Some(path) => path.display().to_string(),
        None => "built-in values; no config.yaml in this folder".to_owned(),
    };
    let mut checks = vec![Check::good("configuration", source)];
    checks.extend(serial_ports(&config.robot, &machine.ports));
    checks.push(python(&config.tool_host.python, machine.packages));
    checks.push(match &machine.tool_host {
        Ok(path) => Check::good("tool host", path.display().to_string()),
        Err(expected) => Check::bad(
            "tool host",
            format!("there is no program {}", expected.display()),
            "build it with `make build`; it belongs in the folder of `minismith`",
        ),
    });
    checks.push(tools(&config.tools, machine.tools_writable));
    checks.extend(cage::judge(&config.tool_host.sandbox_requirements, &machine.cage));
    checks.push(disk(&config.tools, machine.free));
    let real = matches!(config.robot, RobotChoice::Serial(_));
    checks.extend(machine.periphery.judge(real));
    checks.push(server::judge(&config.server, &machine.tokens));
    checks.push(brain(config));
    checks.extend(machine.sight.judge(config));
    checks.extend(machine.voice.judge(config));
    checks.extend(machine.real_time.judge());
    checks.push(beat::judge(machine.beat.as_ref()));
    checks
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
                return Check::good(NAME, format!("{path} can be opened"));
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
                Check::bad(NAME, detail, remedy)
            } else {
                Check::warn(NAME, detail, remedy)
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
            checks.push(Check::bad(NAME, format!("there is no {}", wanted.display()), remedy));
        }
        None if ports.is_empty() => {
            checks.push(Check::good(NAME, "none, and the simulated robot needs none"))
        }
        _ => {}
    }
    checks
}

fn python(interpreter: &Path, packages: Packages) -> Check {
    const NAME: &str = "Python for tools";
    let path = interpreter.display();
    let remedy = "create it with `make setup`, or set tool_host.python in config.yaml to an interpreter that has numpy";
    match packages {
        Packages::NoInterpreter => Check::bad(NAME, format!("there is no program {path}"), remedy),
        Packages::WithNumpy => Check::good(NAME, format!("{path}, with numpy")),
        Packages::WithoutNumpy => Check::bad(NAME, format!("{path} has no numpy"), remedy),
        Packages::NotAVenv => Check::warn(
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
        Some(true) => Check::good(NAME, path.to_string()),
        Some(false) => Check::bad(
            NAME,
            format!("{path} may not be written by this user, so no new tool can be stored"),
            format!("make it yours with `sudo chown -R $USER {path}`, or set tools.directory in config.yaml"),
        ),
        None => Check::bad(
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
        None => Check::warn(NAME, format!("the free space at {path} is unknown"), remedy),
        Some(free) if free < 50 => Check::bad(NAME, format!("only {free} MB are free at {path}"), remedy),
        Some(free) if free < 500 => Check::warn(NAME, format!("only {free} MB are free at {path}"), remedy),
        Some(free) => Check::good(NAME, format!("{free} MB are free at {path}")),
    }
}

/// Checks whether a language model is configured, and reachable.
fn brain(config: &Config) -> Check {
    match config.nlu {
        Nlu::Grammar => Check::good("language model", "not needed: `nlu` is `grammar`"),
        Nlu::Llm => endpoints(&config.language_model),
    }
}

/// Checks that each endpoint's key exists. Only the first question shows whether the endpoint answers.
fn endpoints(model: &LanguageModel) -> Check {
    const NAME: &str = "language model";
    let named = |endpoint: &Endpoint| format!("{} at {}", endpoint.model, endpoint.url);
    let keys = model.endpoints.iter().filter_map(|endpoint| endpoint.key.as_ref());
    match keys.filter_map(|name| name.read().err()).next() {
        Some(missing) => Check::bad(NAME, missing.to_string(), "set the key, or `nlu: grammar`"),
        None => Check::good(NAME, model.endpoints.iter().map(named).collect::<Vec<_>>().join(", then ")),
    }
}

#[cfg(test)]
mod tests;
