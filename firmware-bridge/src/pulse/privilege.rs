//! What a thread asks of the system so that its beats come on time: real-time priority, memory that stays in place, and
//! sleeps that are not rounded. What it does not get is told, with what to do about it. The pulse asks for it, and so
//! does the thread that emulates servos.

use std::fmt;
use std::num::NonZeroU64;
use std::sync::OnceLock;

use rustix::mm::{MlockAllFlags, mlockall};
use serde::Serialize;
use thread_priority::{
    RealtimeThreadSchedulePolicy, ThreadPriority, ThreadPriorityValue, ThreadSchedulePolicy,
    set_thread_priority_and_policy, thread_native_id,
};

/// Above ordinary work, below the kernel's own threads (50 for threaded interrupts, 99 for its watchdogs).
const PRIORITY: u8 = 49;

/// What to do so that real-time priority is to be had.
pub const ALLOW_PRIORITY: &str =
    "add `@dialout - rtprio 60` to /etc/security/limits.d/minismith.conf, and log in again";
/// What to do so that memory may be locked.
pub const ALLOW_MEMORY: &str =
    "add `@dialout - memlock unlimited` to /etc/security/limits.d/minismith.conf, and log in again";

/// What a pulse's thread has got.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Privilege {
    /// Its real-time priority under first-in-first-out scheduling; none is the plain policy.
    pub realtime_priority: Option<u8>,
    /// Whether the program's memory stays in place.
    pub memory_locked: bool,
    /// What was not to be had, and what to do about it.
    pub notes: Vec<String>,
}

impl Privilege {
    /// Asks for all of it, for the thread that calls this.
    #[must_use]
    pub fn ask() -> Privilege {
        // Every priority from 1 to 99 is a value; without one the thread goes on as it is.
        let realtime = ThreadPriorityValue::try_from(PRIORITY).is_ok_and(|priority| {
            set_thread_priority_and_policy(
                thread_native_id(),
                ThreadPriority::Crossplatform(priority),
                ThreadSchedulePolicy::Realtime(RealtimeThreadSchedulePolicy::Fifo),
            )
            .is_ok()
        });
        // Ordinary threads' sleeps are lengthened by 50 us to save wake-ups; a system without the option goes on.
        let _unchanged = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
        let mut notes = Vec::new();
        if !realtime {
            notes.push(format!(
                "no real-time priority: beats may come late when the machine is busy; {ALLOW_PRIORITY}"
            ));
        }
        let memory_locked = memory_is_locked();
        if !memory_locked {
            notes.push(format!(
                "memory is not locked: a beat may wait for the disk when memory is short; {ALLOW_MEMORY}"
            ));
        }
        Privilege { realtime_priority: realtime.then_some(PRIORITY), memory_locked, notes }
    }
}

impl fmt::Display for Privilege {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.realtime_priority {
            Some(priority) => write!(f, "SCHED_FIFO priority {priority}")?,
            None => f.write_str("the plain scheduling policy")?,
        }
        f.write_str(if self.memory_locked { ", memory locked" } else { ", memory not locked" })
    }
}

/// Once for the whole program: pages stay where they are from when they are first used. A lower limit on locked memory
/// than what the program has mapped makes this fail at once, so it never makes a later allocation fail.
fn memory_is_locked() -> bool {
    static LOCKED: OnceLock<bool> = OnceLock::new();
    *LOCKED.get_or_init(|| {
        mlockall(MlockAllFlags::CURRENT | MlockAllFlags::FUTURE | MlockAllFlags::ONFAULT).is_ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_not_had_has_a_note() {
        let had = std::thread::spawn(Privilege::ask).join().unwrap();
        let missing = usize::from(had.realtime_priority.is_none()) + usize::from(!had.memory_locked);
        assert_eq!(had.notes.len(), missing);
        assert_eq!(had.to_string().contains("SCHED_FIFO"), had.realtime_priority.is_some());
    }
}
