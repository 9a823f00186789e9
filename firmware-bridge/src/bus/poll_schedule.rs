//! The order in which motors are asked for more than their position.

use std::time::Duration;

use crate::clock::Timestamp;
use crate::joint::Joint;

/// The time in which each motor has both its slots, at any cycle rate.
const POLL_PERIOD: Duration = Duration::from_millis(500);
/// Two slots for each of nine motors.
const POLL_SLOTS: u32 = 18;
/// The maximum number of slots per cycle, so that slow cycles do not overrun.
pub(super) const MAX_SLOTS_PER_CYCLE: u32 = 4;

/// The order in which the motors are polled.
#[derive(Clone, Copy, Debug)]
pub(super) struct PollSchedule {
    slot: u32,
    due: Timestamp,
}

impl PollSchedule {
    /// Starts with the first motor.
    pub const fn from(now: Timestamp) -> PollSchedule {
        PollSchedule { slot: 0, due: now }
    }

    /// Returns the next slot, if it is due.
    pub fn next(&mut self, now: Timestamp) -> Option<(Joint, Slot)> {
        if now < self.due {
            return None;
        }
        let between = POLL_PERIOD / POLL_SLOTS;
        // Slots that a slow cycle could not serve are skipped.
        let late = now.since(self.due).min(between * (MAX_SLOTS_PER_CYCLE - 1));
        self.due = Timestamp(now.0 - u64::try_from(late.as_nanos()).unwrap_or(0)) + between;
        let slot = self.slot;
        self.slot = (slot + 1) % POLL_SLOTS;
        let index = usize::try_from(slot / 2).unwrap_or_default();
        let kind = if slot.is_multiple_of(2) { Slot::Condition } else { Slot::Measurements };
        Joint::ALL.get(index).map(|joint| (*joint, kind))
    }
}

/// The content of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    Condition,
    Measurements,
}
