//! Opens a failed line again: on a separate thread, or immediately where time is virtual.
//!
//! ```text
//! open --the line fails--> lost --a retry (every half second) succeeds--> open
//! ```

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::BusOptions;
use super::port::Port;
use super::serial::SerialTransport;
use super::servos::Servos;
use super::transport::Transport;
use crate::clock::{Clock, MonotonicClock, Timestamp};
use crate::joint::Joints;
use crate::robot::{PositionReading, RobotError};
use crate::servo::Gains;

/// The interval between two attempts.
const RETRY_INTERVAL: Duration = Duration::from_millis(500);
/// The interval at which the thread checks whether to end. Its end takes at most this long, plus one attempt.
const STOP_CHECK_INTERVAL: Duration = Duration::from_millis(20);

/// A function that opens a failed line again.
pub type ReconnectFn = Box<dyn FnMut() -> Result<Box<dyn Transport>, RobotError> + Send>;

/// How to open a line again.
pub(super) enum ReconnectSource {
    /// A serial port, on a separate thread: it may take long to open and to prepare.
    Port(PathBuf),
    /// A line in this process, on the caller's thread and in the cycles' own time.
    Line(ReconnectFn),
    /// Not at all.
    Never,
}

/// A failed line.
pub(super) struct LostConnection {
    /// Why the line, or the last attempt, failed.
    reason: String,
    gains: Joints<Gains>,
    readings: Joints<PositionReading>,
    last_attempt: Timestamp,
    helper: Option<Helper>,
}

impl LostConnection {
    /// Creates the state from the servos whose line fails at this time.
    pub fn from(at: Timestamp, servos: &Servos, reason: String) -> LostConnection {
        let readings = servos.readings.map(|reading| match reading {
            PositionReading::Fresh(last) => PositionReading::Stale { since: at, last },
            old => old,
        });
        LostConnection { reason, gains: servos.gains, readings, last_attempt: at, helper: None }
    }

    /// Returns the servos on their new line as soon as there is one, without waiting for it.
    pub fn poll(
        &mut self,
        at: Timestamp,
        again: &mut ReconnectSource,
        options: &BusOptions,
    ) -> Option<Servos> {
        let servos = match again {
            ReconnectSource::Never => None,
            ReconnectSource::Port(path) => self.poll_helper(path, options),
            ReconnectSource::Line(_) if at.since(self.last_attempt) < RETRY_INTERVAL => None,
            ReconnectSource::Line(reopen) => {
                self.last_attempt = at;
                let servos =
                    reopen().and_then(|wire| Servos::prepare(Port::new(wire, options), options, &self.gains));
                servos.inspect_err(|fault| self.reason = fault.to_string()).ok()
            }
        };
        servos.map(|mut servos| {
            servos.readings = self.readings;
            servos
        })
    }

    fn poll_helper(&mut self, path: &Path, options: &BusOptions) -> Option<Servos> {
        if self.helper.as_ref().is_some_and(Helper::has_finished) {
            return self.helper.take().and_then(Helper::finish);
        }
        match &self.helper {
            Some(helper) => {
                if let Some(reason) = helper.last_error() {
                    self.reason = reason;
                }
            }
            None => match Helper::start(path, *options, self.gains) {
                Ok(helper) => self.helper = Some(helper),
                Err(error) => self.reason = error.to_string(),
            },
        }
        None
    }

    /// Returns the fault until then.
    pub fn fault(&self) -> RobotError {
        RobotError::PortGone { reason: self.reason.clone() }
    }
}

impl Drop for LostConnection {
    fn drop(&mut self) {
        // If the thread has opened a line in the meantime, it is closed again.
        drop(self.helper.take().and_then(Helper::finish));
    }
}

/// The thread that opens the line.
struct Helper {
    stop: Arc<AtomicBool>,
    reason: Arc<Mutex<Option<String>>>,
    thread: JoinHandle<Option<Servos>>,
}

impl Helper {
    fn start(path: &Path, options: BusOptions, gains: Joints<Gains>) -> std::io::Result<Helper> {
        let (stop, reason) = (Arc::new(AtomicBool::new(false)), Arc::new(Mutex::new(None)));
        let thread = thread::Builder::new().name("reopen".to_owned()).spawn({
            let (stop, reason, path) = (Arc::clone(&stop), Arc::clone(&reason), path.to_owned());
            move || open_until_stopped(&stop, &reason, &path, &options, &gains)
        })?;
        Ok(Helper { stop, reason, thread })
    }

    fn has_finished(&self) -> bool {
        self.thread.is_finished()
    }

    /// Returns why the last attempt failed, if that is available without waiting.
    fn last_error(&self) -> Option<String> {
        self.reason.try_lock().ok()?.take()
    }

    fn finish(self) -> Option<Servos> {
        self.stop.store(true, Ordering::Release);
        // If it panicked, the next cycle starts another thread.
        self.thread.join().ok().flatten()
    }
}

fn open_until_stopped(
    stop: &AtomicBool,
    reason: &Mutex<Option<String>>,
    path: &Path,
    options: &BusOptions,
    gains: &Joints<Gains>,
) -> Option<Servos> {
    let clock = MonotonicClock::start();
    while !stop.load(Ordering::Acquire) {
        let next = clock.now() + RETRY_INTERVAL;
        let wire = SerialTransport::open(path, options.baud);
        let servos =
            wire.and_then(|wire| Servos::prepare(Port::new(Box::new(wire), options), options, gains));
        match servos {
            Ok(servos) => return Some(servos),
            Err(fault) => *reason.lock().unwrap_or_else(PoisonError::into_inner) = Some(fault.to_string()),
        }
        while clock.now() < next && !stop.load(Ordering::Acquire) {
            clock.wait_until(clock.now() + STOP_CHECK_INTERVAL);
        }
    }
    None
}
