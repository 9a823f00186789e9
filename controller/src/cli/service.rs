//! Reports to the service manager (systemd) by the protocol of `sd_notify(3)`, where it listens.
//!
//! `READY=1` is sent once every motor answers, the control loop runs and the HTTP server answers. From then on
//! `WATCHDOG=1` is sent only while the control loop completes cycles and the HTTP server answers: a controller that
//! hangs is killed and started again. A fault of the robot stops neither, since a new process would not repair it.
//!
//! Threads: `watchdog` asks both, on its own. Time is monotonic, so a jump of the system's clock changes nothing.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use firmware_bridge::control_loop::{ControlLoopHandle, LoopClient, LoopSnapshot};
use firmware_bridge::robot::PositionReading;
use minismith_runtime::net::self_check::{NoAnswer, SelfCheck};
use sd_notify::NotifyState;

/// The interval of the checks without a watchdog, and the longest one with it.
const MAX_INTERVAL: Duration = Duration::from_secs(2);
/// The shortest interval: each check needs a finished cycle since the last one, also at the lowest rate.
const MIN_INTERVAL: Duration = Duration::from_millis(250);

/// Sends a state to the service manager. Without one, nothing happens.
fn send(state: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(state) {
        tracing::warn!("the service manager cannot be told: {error}");
    }
}

/// Reports a line for `systemctl status`.
pub fn status(text: &str) {
    // A line break would end the value.
    send(&[NotifyState::Status(&text.replace('\n', "; "))]);
}

/// The thread that reports whether the controller runs. Dropping it ends the reports.
pub struct Watchdog {
    is_stopping: Arc<AtomicBool>,
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Watchdog {
    /// Starts the reports, if a service manager listens.
    ///
    /// # Errors
    /// When the system provides no thread, or no client for the own server.
    pub fn start(
        control_loop: ControlLoopHandle,
        address: SocketAddr,
        has_tls: bool,
    ) -> anyhow::Result<Option<Watchdog>> {
        if std::env::var_os("NOTIFY_SOCKET").is_none() {
            return Ok(None);
        }
        let timeout = sd_notify::watchdog_enabled();
        // Two checks, each as late as it may be, still fit.
        let interval = timeout.map_or(MAX_INTERVAL, |timeout| timeout / 4).clamp(MIN_INTERVAL, MAX_INTERVAL);
        let server = SelfCheck::new(address, has_tls)?;
        let scheme = if has_tls { "https" } else { "http" };
        let mut reports = Reports::new(format!("{scheme}://{address}"), timeout.is_some());
        let is_stopping = Arc::new(AtomicBool::new(false));
        let (end, ended) = channel();
        let stopping = is_stopping.clone();
        let thread = std::thread::Builder::new().name("watchdog".into()).spawn(move || {
            loop {
                let stopping = stopping.load(Ordering::Acquire);
                // The server ends before the robot rests.
                let answer = if stopping { Ok(()) } else { server.ask(interval) };
                reports.check(&control_loop.snapshot(), answer, stopping).send();
                if ended.recv_timeout(interval) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
            }
        })?;
        Ok(Some(Watchdog { is_stopping, end: Some(end), thread: Some(thread) }))
    }

    /// Returns a function that reports the end of the service. Later checks leave out the server.
    pub fn stopping(watchdog: Option<&Watchdog>) -> impl FnOnce() + use<> {
        let flag = watchdog.map(|watchdog| watchdog.is_stopping.clone());
        move || {
            if let Some(flag) = flag {
                flag.store(true, Ordering::Release);
            }
            send(&[NotifyState::Stopping, NotifyState::Status("stopping: the robot comes to rest")]);
        }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            let _panicked = thread.join();
        }
    }
}

/// What one check has to report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Report {
    ready: bool,
    alive: bool,
    status: Option<String>,
}

impl Report {
    fn send(&self) {
        let mut states = Vec::new();
        if self.ready {
            states.push(NotifyState::Ready);
        }
        if self.alive {
            states.push(NotifyState::Watchdog);
        }
        if let Some(status) = &self.status {
            states.push(NotifyState::Status(status));
        }
        if !states.is_empty() {
            send(&states);
        }
    }
}

/// Decides what each check reports.
#[derive(Debug)]
struct Reports {
    address: String,
    has_watchdog: bool,
    is_ready: bool,
    cycles: Option<u64>,
    status: String,
}

impl Reports {
    const fn new(address: String, has_watchdog: bool) -> Self {
        Reports { address, has_watchdog, is_ready: false, cycles: None, status: String::new() }
    }

    fn check(&mut self, snapshot: &LoopSnapshot, server: Result<(), NoAnswer>, is_stopping: bool) -> Report {
        let advanced = self.cycles.replace(snapshot.cycles).is_some_and(|before| snapshot.cycles > before);
        let fault = snapshot.fault.as_ref().map(ToString::to_string);
        let silent = snapshot
            .state
            .readings
            .iter()
            .find(|(_, reading)| !matches!(reading, PositionReading::Fresh(_)))
            .map(|(joint, _)| format!("{joint} does not answer"));
        let hung = match (advanced, server) {
            (false, _) => Some("the control loop has not completed a cycle since the last check".to_owned()),
            (true, Err(no)) => Some(no.to_string()),
            (true, Ok(())) => None,
        };
        let alive = hung.is_none();
        let ready = alive && !self.is_ready && !is_stopping && fault.is_none() && silent.is_none();
        self.is_ready |= ready;
        let trouble = hung.clone().or(fault).or(silent);
        let status = match (&trouble, self.is_ready) {
            _ if is_stopping => return Report { alive: alive && self.has_watchdog, ..Report::default() },
            (None, _) => format!("serving {}", self.address),
            (Some(why), true) => format!("serving {}; {why}", self.address),
            (Some(why), false) => format!("starting: {why}"),
        };
        let status = status.replace('\n', "; ");
        let is_new = status != self.status;
        // The first check has nothing to compare with.
        if is_new
            && self.is_ready
            && let Some(why) = &hung
        {
            tracing::error!("the watchdog is not served: {why}");
        }
        self.status.clone_from(&status);
        Report { ready, alive: alive && self.is_ready && self.has_watchdog, status: is_new.then_some(status) }
    }
}

#[cfg(test)]
mod tests {
    use firmware_bridge::clock::VirtualClock;
    use firmware_bridge::control_loop::ControlLoop;
    use firmware_bridge::joint::Joint;
    use firmware_bridge::limits::Limits;
    use firmware_bridge::robot::RobotError;
    use mock_robot::dynamics::Variation;
    use mock_robot::robot::MockRobot;

    use super::*;

    fn snapshot(cycles: u64) -> LoopSnapshot {
        let robot = MockRobot::new(minismith_control::robot::initial_joints(), Variation::default());
        let period = Duration::from_millis(10);
        let mut control_loop =
            ControlLoop::new(robot, VirtualClock::new(), Limits::default(), period).unwrap();
        LoopSnapshot { cycles, ..control_loop.step().clone() }
    }

    fn no_answer() -> Result<(), NoAnswer> {
        SelfCheck::new("127.0.0.1:1".parse().unwrap(), false).unwrap().ask(Duration::from_secs(5))
    }

    fn reports() -> Reports {
        Reports::new("http://127.0.0.1:8000".into(), true)
    }

    /// Reports that are ready after 20 cycles.
    fn ready() -> Reports {
        let mut reports = reports();
        assert!(!reports.check(&snapshot(10), Ok(()), false).ready, "nothing has advanced yet");
        let report = reports.check(&snapshot(20), Ok(()), false);
        assert_eq!((report.ready, report.alive), (true, true));
        assert_eq!(report.status.unwrap(), "serving http://127.0.0.1:8000");
        reports
    }

    #[test]
    fn readiness_is_reported_once_and_life_while_both_advance() {
        let mut reports = ready();
        let alive = Report { alive: true, ..Report::default() };
        assert_eq!(reports.check(&snapshot(30), Ok(()), false), alive);
        let hung = reports.check(&snapshot(30), Ok(()), false);
        assert!(!hung.alive && hung.status.unwrap().contains("has not completed a cycle"));
        let deaf = reports.check(&snapshot(40), no_answer(), false);
        assert!(!deaf.alive && deaf.status.unwrap().contains("does not answer"));
        let again = reports.check(&snapshot(50), Ok(()), false);
        assert!(again.alive && !again.ready, "{again:?}");
    }

    #[test]
    fn a_robot_that_does_not_answer_delays_readiness_and_a_later_fault_does_not_end_life() {
        let faulty = |cycles| LoopSnapshot {
            fault: Some(RobotError::Silent { joint: Joint::Stewart3 }),
            ..snapshot(cycles)
        };
        let mut silent = snapshot(30);
        silent.state.readings[Joint::LeftAntenna] = PositionReading::Never;
        let mut reports = reports();
        for waiting in [faulty(10), faulty(20), silent] {
            let report = reports.check(&waiting, Ok(()), false);
            assert!(!report.ready && !report.alive && report.status.unwrap().starts_with("starting: "));
        }
        assert!(!reports.check(&snapshot(40), no_answer(), false).ready);
        assert!(reports.check(&snapshot(50), Ok(()), false).ready);
        let report = reports.check(&faulty(60), Ok(()), false);
        assert!(report.alive && report.status.unwrap().contains("stewart_3"));
    }

    #[test]
    fn a_stopping_service_is_alive_while_the_control_loop_runs() {
        let mut reports = ready();
        assert_eq!(reports.check(&snapshot(30), Ok(()), true), Report { alive: true, ..Report::default() });
        assert_eq!(reports.check(&snapshot(30), Ok(()), true), Report::default());
    }

    #[test]
    fn without_a_watchdog_only_readiness_and_status_are_reported() {
        let mut reports = Reports::new("http://127.0.0.1:8000".into(), false);
        reports.check(&snapshot(10), Ok(()), false);
        let report = reports.check(&snapshot(20), Ok(()), false);
        assert_eq!((report.ready, report.alive), (true, false));
    }
}
