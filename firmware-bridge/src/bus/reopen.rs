//! A line that has failed is opened again: by a thread of its own, or at once where time is virtual.
//!
//! ```text
//! open --the line fails--> lost --a try every half second succeeds--> open
//! ```

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::BusOptions;
use super::port::Port;
use super::serial::SerialWire;
use super::servos::Servos;
use super::wire::Wire;
use crate::clock::{Clock, Tick, WallClock};
use crate::joint::Joints;
use crate::robot::{Reading, RobotFault};
use crate::servo::Gains;

/// Between two tries.
const TRIED_EVERY: Duration = Duration::from_millis(500);
/// Whoever waits for the thread's end waits for this at most, and for what a try takes.
const NOTICES_AN_END: Duration = Duration::from_millis(20);

/// Opens a line again that has failed.
pub type Reopen = Box<dyn FnMut() -> Result<Box<dyn Wire>, RobotFault> + Send>;

/// How a line is had again.
pub(super) enum Again {
    /// A serial port, by a thread of its own: it may take long to open and to prepare.
    Port(PathBuf),
    /// A line in this process, on the caller's thread and at the beats' own time.
    Line(Reopen),
    /// Not at all.
    Never,
}

/// A line that has failed.
pub(super) struct Lost {
    /// Why it failed, or why the last try did.
    reason: String,
    gains: Joints<Gains>,
    readings: Joints<Reading>,
    tried: Tick,
    helper: Option<Helper>,
}

impl Lost {
    /// What remains of servos whose line fails at this moment.
    pub fn from(at: Tick, servos: &Servos, reason: String) -> Lost {
        let readings = servos.readings.map(|reading| match reading {
            Reading::Fresh(last) => Reading::Stale { since: at, last },
            old => old,
        });
        Lost { reason, gains: servos.gains, readings, tried: at, helper: None }
    }

    /// The servos on their new line, as soon as there is one. Does not wait for it.
    pub fn found(&mut self, at: Tick, again: &mut Again, options: &BusOptions) -> Option<Servos> {
        let servos = match again {
            Again::Never => None,
            Again::Port(path) => self.found_by_helper(path, options),
            Again::Line(_) if at.since(self.tried) < TRIED_EVERY => None,
            Again::Line(reopen) => {
                self.tried = at;
                let servos = reopen()
                    .and_then(|wire| Servos::prepare(Port::over(wire, options), options, &self.gains));
                servos.inspect_err(|fault| self.reason = fault.to_string()).ok()
            }
        };
        servos.map(|mut servos| {
            servos.readings = self.readings;
            servos
        })
    }

    fn found_by_helper(&mut self, path: &Path, options: &BusOptions) -> Option<Servos> {
        if self.helper.as_ref().is_some_and(Helper::has_finished) {
            return self.helper.take().and_then(Helper::finish);
        }
        match &self.helper {
            Some(helper) => {
                if let Some(reason) = helper.last_words() {
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

    /// The fault, until then.
    pub fn fault(&self) -> RobotFault {
        RobotFault::PortGone { reason: self.reason.clone() }
    }
}

impl Drop for Lost {
    fn drop(&mut self) {
        // A line that it has found after all is closed again.
        drop(self.helper.take().and_then(Helper::finish));
    }
}

/// The thread that tries.
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
            move || try_until(&stop, &reason, &path, &options, &gains)
        })?;
        Ok(Helper { stop, reason, thread })
    }

    fn has_finished(&self) -> bool {
        self.thread.is_finished()
    }

    /// Why the last try failed, if that can be had without waiting.
    fn last_words(&self) -> Option<String> {
        self.reason.try_lock().ok()?.take()
    }

    fn finish(self) -> Option<Servos> {
        self.stop.store(true, Ordering::Release);
        // Had it panicked, another would be started.
        self.thread.join().ok().flatten()
    }
}

fn try_until(
    stop: &AtomicBool,
    reason: &Mutex<Option<String>>,
    path: &Path,
    options: &BusOptions,
    gains: &Joints<Gains>,
) -> Option<Servos> {
    let clock = WallClock::start();
    while !stop.load(Ordering::Acquire) {
        let next = clock.now() + TRIED_EVERY;
        let wire = SerialWire::open(path, options.baud);
        let servos =
            wire.and_then(|wire| Servos::prepare(Port::over(Box::new(wire), options), options, gains));
        match servos {
            Ok(servos) => return Some(servos),
            Err(fault) => *reason.lock().unwrap_or_else(PoisonError::into_inner) = Some(fault.to_string()),
        }
        while clock.now() < next && !stop.load(Ordering::Acquire) {
            clock.wait_until(clock.now() + NOTICES_AN_END);
        }
    }
    None
}
