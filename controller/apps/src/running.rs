//! The app that runs: its state, what it prints, and its end.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use firmware_bridge::clock::{Clock, MonotonicClock};
use rustix::process::{Pid, Signal, kill_process};
use serde::Serialize;

use crate::AppError;
use crate::sandbox::{AppNetwork, Started};
use crate::store::App;

/// Lines that are kept of what an app prints, and the longest one, bytes.
const MAX_LINES: usize = 500;
const MAX_LINE_BYTES: u64 = 4096;

/// The longest log file, bytes; then it begins again.
const MAX_LOG_BYTES: u64 = 4 << 20;

/// How long an app has to end by itself.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);

/// The lines of an error that are shown.
const SHOWN_LINES: usize = 10;

/// The state of an app, by its official name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AppState {
    /// Its process is being made.
    Starting,
    /// It runs.
    Running,
    /// It ended by itself.
    Done,
    /// It was told to end.
    Stopping,
    /// It failed.
    Error,
}

/// The status of the app that runs, or ran last.
#[derive(Clone, Debug)]
pub struct AppStatus {
    /// The app.
    pub app: App,
    /// Its state.
    pub state: AppState,
    /// Why it failed, with the last lines that it printed.
    pub error: Option<String>,
}

#[derive(Debug)]
struct Inner {
    state: AppState,
    error: Option<String>,
    lines: VecDeque<String>,
    /// The process, until it has ended.
    child: Option<Child>,
}

/// A running app. Dropping the last one ends it.
#[derive(Clone, Debug)]
pub struct RunningApp {
    app: App,
    inner: Arc<Mutex<Inner>>,
    /// One request at a time.
    network: Arc<Mutex<AppNetwork>>,
}

impl RunningApp {
    /// Watches what was started. Returns also the socket at which it expects the robot.
    ///
    /// # Errors
    /// When a thread cannot be started.
    pub(crate) fn watch(app: App, started: Started, log: &Path) -> Result<(Self, Option<OwnedFd>), AppError> {
        let Started { child, listener, printed, network } = started;
        let inner =
            Inner { state: AppState::Running, error: None, lines: VecDeque::new(), child: Some(child) };
        let network = Arc::new(Mutex::new(network));
        let running = RunningApp { app, inner: Arc::new(Mutex::new(inner)), network };
        let (heard, log) = (running.clone(), File::create(log).ok());
        std::thread::Builder::new().name("app".into()).spawn(move || {
            heard.listen(printed, log);
            heard.end();
        })?;
        Ok((running, listener))
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns its status.
    #[must_use]
    pub fn status(&self) -> AppStatus {
        let inner = self.lock();
        AppStatus { app: self.app.clone(), state: inner.state, error: inner.error.clone() }
    }

    /// Returns a stream that is connected with what the app serves at this port of its own network.
    ///
    /// # Errors
    /// When nothing listens there, or the app has ended.
    pub fn connect(&self, port: u16) -> std::io::Result<OwnedFd> {
        self.network.lock().unwrap_or_else(PoisonError::into_inner).connect(port)
    }

    /// Returns the last lines that it printed.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        self.lock().lines.iter().cloned().collect()
    }

    /// Returns whether its process still exists.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        self.lock().child.is_some()
    }

    /// Reads what it prints until it has ended.
    fn listen(&self, printed: File, mut log: Option<File>) {
        let mut printed = BufReader::new(printed);
        let mut written = 0;
        loop {
            let mut line = Vec::new();
            match printed.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => return,
                Ok(_) => {}
            }
            let text: String =
                String::from_utf8_lossy(&line).chars().filter(|c| *c == '\t' || !c.is_control()).collect();
            tracing::info!(app = self.app.name, "{text}");
            if let Some(file) = &mut log {
                if written > MAX_LOG_BYTES {
                    // The newest lines are worth more.
                    written = 0;
                    let _emptied = file.set_len(0);
                }
                written += text.len() as u64 + 1;
                let _written = writeln!(file, "{text}");
            }
            let mut inner = self.lock();
            inner.lines.push_back(text);
            if inner.lines.len() > MAX_LINES {
                inner.lines.pop_front();
            }
        }
    }

    /// Waits for the end of its process, and says how it ended.
    fn end(&self) {
        let clock = MonotonicClock::start();
        let ended = loop {
            // The lock is not held while it waits: it may be told to stop.
            match self.lock().child.as_mut().map(Child::try_wait) {
                None => break None,
                Some(Ok(Some(status))) => break Some(status),
                Some(Err(error)) => {
                    tracing::error!("cannot wait for the app {}: {error}", self.app.name);
                    break None;
                }
                Some(Ok(None)) => {}
            }
            clock.wait_until(clock.now() + Duration::from_millis(20));
        };
        let mut inner = self.lock();
        inner.child = None;
        let was_stopped = inner.state == AppState::Stopping;
        if was_stopped || ended.is_some_and(|status| status.success()) {
            inner.state = AppState::Done;
            return;
        }
        inner.state = AppState::Error;
        let from = inner.lines.len().saturating_sub(SHOWN_LINES);
        let last: Vec<&str> = inner.lines.iter().skip(from).map(String::as_str).collect();
        inner.error = Some(format!("{}\n{}", ended.map_or("it ended".into(), described), last.join("\n")));
    }

    /// Tells it to end, and ends it if it does not. Returns whether it ended by itself.
    pub fn stop(&self) -> bool {
        let clock = MonotonicClock::start();
        let until = clock.now() + STOP_TIMEOUT;
        self.signal(Signal::INT);
        while self.is_alive() {
            if clock.now() >= until {
                self.signal(Signal::KILL);
                let mut inner = self.lock();
                if let Some(child) = inner.child.as_mut() {
                    // The process that waits for the app; the app dies with it.
                    let _gone = child.kill();
                }
                drop(inner);
                while self.is_alive() {
                    clock.wait_until(clock.now() + Duration::from_millis(10));
                }
                self.lock().error =
                    Some(format!("it did not end within {} s and was killed", STOP_TIMEOUT.as_secs()));
                return false;
            }
            clock.wait_until(clock.now() + Duration::from_millis(10));
        }
        true
    }

    /// Sends a signal to the app itself, which is the only child of the process that was started.
    fn signal(&self, signal: Signal) {
        let mut inner = self.lock();
        inner.state = if inner.child.is_some() { AppState::Stopping } else { inner.state };
        let Some(child) = &inner.child else { return };
        let id = child.id();
        let children = format!("/proc/{id}/task/{id}/children");
        let own = std::fs::read_to_string(children).unwrap_or_default();
        for process in own.split_whitespace().filter_map(|id| id.parse().ok()).filter_map(Pid::from_raw) {
            // It may have ended already.
            let _sent = kill_process(process, signal);
        }
    }
}

fn described(status: ExitStatus) -> String {
    match status.code() {
        // As a shell says it: the process died of a signal.
        Some(code) if code > 128 => format!("Process was ended by signal {}", code - 128),
        Some(code) => format!("Process exited with code {code}"),
        None => "Process was killed".into(),
    }
}
