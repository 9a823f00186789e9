//! Counts the images that have left this machine recently.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use firmware_bridge::clock::{Clock, MonotonicClock, Timestamp};

const HOUR: Duration = Duration::from_secs(3600);

/// The number of images that have recently left this machine: one count for all conversations with a robot.
pub struct Outgoing {
    clock: MonotonicClock,
    sent: Mutex<VecDeque<Timestamp>>,
}

impl Default for Outgoing {
    fn default() -> Self {
        Outgoing { clock: MonotonicClock::start(), sent: Mutex::default() }
    }
}

impl Outgoing {
    /// Counts one more image, unless that exceeds the limit per hour. Returns whether it is allowed.
    #[must_use]
    pub fn count(&self, most: u32) -> bool {
        let now = self.clock.now();
        let mut sent = self.sent.lock().unwrap_or_else(PoisonError::into_inner);
        sent.retain(|at| now.since(*at) < HOUR);
        let may = sent.len() < most as usize;
        if may {
            sent.push_back(now);
        }
        may
    }
}
