//! The official packages, each in a process of its own that answers line by line over a socket.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open};
use serde_json::Value;

use super::{BenchError, Failed};
use minismith_runtime::subprocess::{self, Program};

/// Measures the packages. The script documents its requests and responses.
pub(super) const MEASURE: &str = include_str!("../../../tests/support/official/measure.py");
/// Runs the official daemon.
pub(super) const DAEMON: &str = include_str!("../../../tests/support/official/daemon.py");
/// Keeps the machine busy.
pub(super) const LOAD: &str = include_str!("../../../tests/support/official/load.py");

/// The official daemon has long imports before it answers, and the load slows everything down.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(180);

/// The Pythons with the official packages.
#[derive(Debug)]
pub(super) struct Baselines {
    /// The one with the motor controller and the kinematics.
    pub(super) packages: Option<PathBuf>,
    /// The one with the whole official daemon.
    pub(super) daemon: Option<PathBuf>,
}

impl Baselines {
    /// Finds the named environment, or `.cache/peers` in this folder or one above. The daemon's environment is
    /// `official`, next to it.
    pub(super) fn find(named: Option<&Path>) -> Result<Baselines, BenchError> {
        let python = |environment: &Path| Some(environment.join("bin/python")).filter(|path| path.is_file());
        let here = std::env::current_dir().unwrap_or_default();
        let environment = match named {
            Some(named) if python(named).is_none() => {
                return Err(BenchError::NoBaselines { path: named.to_owned() });
            }
            Some(named) => Some(named.to_owned()),
            None => here.ancestors().map(|folder| folder.join(".cache/peers")).find(|place| place.is_dir()),
        };
        Ok(Baselines {
            packages: environment.as_deref().and_then(python),
            daemon: environment.and_then(|environment| python(&environment.with_file_name("official"))),
        })
    }

    pub(super) fn report_what_is_missing(&self, report: &dyn Fn(&str)) {
        if self.packages.is_none() {
            report(
                "the official packages are not installed, so there is nobody to compare with; `make peers` installs them",
            );
        }
        if self.daemon.is_none() {
            report(
                "the official daemon is not installed, so its loop is not measured; `make official` installs it",
            );
        }
    }
}

/// A running script. Dropping it closes its input, which ends the script and the processes that it started.
#[derive(Debug)]
pub(super) struct Script {
    name: &'static str,
    orders: UnixStream,
    answers: BufReader<UnixStream>,
    child: Child,
}

impl Script {
    /// Starts a script in an interpreter.
    pub(super) fn start(
        python: &Path,
        name: &'static str,
        source: &str,
        arguments: &[OsString],
    ) -> Result<Script, Failed> {
        let start = || {
            let (near, far) = UnixStream::pair()?;
            near.set_read_timeout(Some(ANSWER_TIMEOUT))?;
            let mut words: Vec<OsString> = vec!["-c".into(), source.into()];
            words.extend_from_slice(arguments);
            let child = subprocess::start(Program {
                path: python.to_owned(),
                arguments: words,
                environment: environment(),
                input: far.into(),
            })?;
            let answers = BufReader::new(near.try_clone()?);
            Ok::<_, std::io::Error>(Script { name, orders: near, answers, child })
        };
        start().map_err(|error| Failed::at(name)(&error))
    }

    /// Sends one line and waits for the response.
    pub(super) fn ask(&mut self, line: &str) -> Result<Value, Failed> {
        let at = Failed::at(self.name);
        self.orders.write_all(line.as_bytes()).map_err(|error| at(&error))?;
        self.orders.write_all(b"\n").map_err(|error| at(&error))?;
        self.answer()
    }

    /// Waits for a line.
    pub(super) fn answer(&mut self) -> Result<Value, Failed> {
        let at = Failed::at(self.name);
        let mut line = String::new();
        let length = self.answers.read_line(&mut line).map_err(|error| at(&error))?;
        if length == 0 {
            return Err(at(&"it ended; what it said stands above"));
        }
        let value: Value = serde_json::from_str(&line).map_err(|error| at(&error))?;
        match value.get("error") {
            Some(error) => Err(at(error)),
            None => Ok(value),
        }
    }

    /// Returns the number under a key of the response to a line.
    pub(super) fn number(&mut self, line: &str, key: &str) -> Result<f64, Failed> {
        let answer = self.ask(line)?;
        let number = answer.get(key).and_then(Value::as_f64);
        number.ok_or_else(|| Failed::at(self.name)(&format!("no {key} in {answer}")))
    }
}

impl Drop for Script {
    fn drop(&mut self) {
        // It may have ended already. Its end closes the socket; a script that does not end is killed.
        let _ = self.orders.shutdown(Shutdown::Write);
        let ended = std::io::copy(&mut self.answers, &mut std::io::sink());
        if ended.is_err() {
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }
}

/// The timeout for a server to end.
const SHUTDOWN_TIMEOUT: Timespec = Timespec { tv_sec: 15, tv_nsec: 0 };

/// Asks a server to end, and makes sure that it does.
pub(super) fn end(server: &mut Child) {
    // It may have ended by itself. A server that does not end on request is killed.
    let pid = Pid::from_child(server);
    let _ = kill_process(pid, Signal::TERM);
    let ended = pidfd_open(pid, PidfdFlags::empty()).is_ok_and(|process| {
        let mut watched = [PollFd::new(&process, PollFlags::IN)];
        poll(&mut watched, Some(&SHUTDOWN_TIMEOUT)).is_ok_and(|ready| ready > 0)
    });
    if !ended {
        let _ = server.kill();
    }
    let _ = server.wait();
}

/// Returns the environment that a program needs to find others.
pub(super) fn environment() -> Vec<(&'static str, String)> {
    const NEEDED: [&str; 5] = ["PATH", "HOME", "LANG", "MINISMITH_PYTHON", "MINISMITH_TOOL_HOST"];
    NEEDED.into_iter().filter_map(|name| Some((name, std::env::var(name).ok()?))).collect()
}
