//! Real-time scheduling of a thread, so that its cycles start on time: real-time priority, locked memory and exact
//! sleeps. It reports what the system denies, with the remedy. The control loop and the emulated servos use it.

use std::fmt;
use std::num::NonZeroU64;
use std::sync::OnceLock;

use rustix::mm::{MlockAllFlags, mlockall};
use serde::Serialize;
use thread_priority::{
    RealtimeThreadSchedulePolicy, ThreadPriority, ThreadPriorityValue, ThreadSchedulePolicy,
    set_thread_priority_and_policy, thread_native_id,
};

/// Above normal threads, below the kernel's own (50 for threaded interrupts, 99 for its watchdogs).
const PRIORITY: u8 = 49;

/// The remedy if real-time priority is denied.
pub const PRIORITY_HINT: &str =
    "add `@dialout - rtprio 60` to /etc/security/limits.d/minismith.conf, and log in again";
/// The remedy if locked memory is denied.
pub const MEMORY_LOCK_HINT: &str =
    "add `@dialout - memlock unlimited` to /etc/security/limits.d/minismith.conf, and log in again";

/// The scheduling of a thread as granted by the system.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RealtimeScheduling {
    /// Its real-time priority under first-in-first-out scheduling; `None` under the default policy.
    pub realtime_priority: Option<u8>,
    /// Whether the program's memory is locked.
    pub memory_locked: bool,
    /// What the system denied, each with its remedy.
    pub notes: Vec<String>,
}

impl RealtimeScheduling {
    /// Requests real-time scheduling for the calling thread.
    #[must_use]
    pub fn request() -> RealtimeScheduling {
        // Every priority from 1 to 99 is valid; without one the thread continues unchanged.
        let realtime = ThreadPriorityValue::try_from(PRIORITY).is_ok_and(|priority| {
            set_thread_priority_and_policy(
                thread_native_id(),
                ThreadPriority::Crossplatform(priority),
                ThreadSchedulePolicy::Realtime(RealtimeThreadSchedulePolicy::Fifo),
            )
            .is_ok()
        });
        // The system extends the sleeps of normal threads by 50 us to save wake-ups. A system without the option
        // continues.
        let _unchanged = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
        let mut notes = Vec::new();
        if !realtime {
            notes.push(format!(
                "no real-time priority: cycles may start late when the machine is busy; {PRIORITY_HINT}"
            ));
        }
        let memory_locked = memory_is_locked();
        if !memory_locked {
            notes.push(format!(
                "memory is not locked: a cycle may wait for the disk when memory is short; {MEMORY_LOCK_HINT}"
            ));
        }
        RealtimeScheduling { realtime_priority: realtime.then_some(PRIORITY), memory_locked, notes }
    }
}

impl fmt::Display for RealtimeScheduling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.realtime_priority {
            Some(priority) => write!(f, "SCHED_FIFO priority {priority}")?,
            None => f.write_str("default scheduling policy")?,
        }
        f.write_str(if self.memory_locked { ", memory locked" } else { ", memory not locked" })
    }
}

/// Locks memory once for the whole program: a page stays in memory from its first use. If the limit on locked memory is
/// below the mapped size, this fails immediately, so no later allocation can fail because of it.
fn memory_is_locked() -> bool {
    static MEMORY_LOCKED: OnceLock<bool> = OnceLock::new();
    *MEMORY_LOCKED.get_or_init(|| {
        mlockall(MlockAllFlags::CURRENT | MlockAllFlags::FUTURE | MlockAllFlags::ONFAULT).is_ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_denied_request_has_a_note() {
        let granted = std::thread::spawn(RealtimeScheduling::request).join().unwrap();
        let missing = usize::from(granted.realtime_priority.is_none()) + usize::from(!granted.memory_locked);
        assert_eq!(granted.notes.len(), missing);
        assert_eq!(granted.to_string().contains("SCHED_FIFO"), granted.realtime_priority.is_some());
    }
}
