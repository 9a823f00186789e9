//! The faults that are active now, and their random effects.

use firmware_bridge::clock::Timestamp;
use firmware_bridge::fault::FaultKind;
use firmware_bridge::joint::Joint;

use super::answer::StatusPacket;
use crate::schedule::{Fault, ScheduledFault, SplitMix64};

/// The faults of a bus over time.
#[derive(Debug)]
pub(super) struct FaultState {
    /// The scheduled faults in reverse order.
    scheduled: Vec<ScheduledFault>,
    active: Vec<ActiveFault>,
    rng: SplitMix64,
}

/// An active fault.
#[derive(Clone, Copy, Debug)]
pub(super) struct ActiveFault {
    /// The fault.
    pub(super) fault: Fault,
    /// The end of the fault; `None` if it is permanent.
    pub(super) until: Option<Timestamp>,
}

impl ActiveFault {
    /// Returns whether a reboot ends it: a hardware error without an end of its own.
    fn ends_with_reboot(&self) -> bool {
        self.until.is_none() && self.fault.hardware_error().is_some()
    }
}

/// An event of the schedule.
#[derive(Clone, Copy, Debug)]
pub(super) enum Event {
    /// A fault begins.
    Begins(Fault),
    /// A fault ends.
    Ends(Fault),
}

/// The outcome of a packet on the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PacketOutcome {
    /// It arrives, intact or with a wrong bit.
    Delivered,
    /// It is truncated or missing.
    Lost,
}

impl FaultState {
    /// Creates the state from a schedule and a random seed.
    pub(super) fn new(schedule: &[ScheduledFault], seed: u64) -> FaultState {
        let mut scheduled = schedule.to_vec();
        // Faults with the same time begin in the order of the schedule.
        scheduled.sort_by_key(|timed| timed.at);
        scheduled.reverse();
        FaultState { scheduled, active: Vec::new(), rng: SplitMix64::new(seed) }
    }

    /// Returns the time of the next event.
    pub(super) fn next(&self) -> Option<Timestamp> {
        let begins = self.scheduled.last().map(|timed| Timestamp::ZERO + timed.at);
        self.active.iter().filter_map(|active| active.until).chain(begins).min()
    }

    /// Returns the next event until `now`; ends come before beginnings.
    pub(super) fn pop_event(&mut self, now: Timestamp) -> Option<Event> {
        let over = |active: &ActiveFault| active.until.is_some_and(|until| until <= now);
        if let Some(position) = self.active.iter().position(over) {
            return Some(Event::Ends(self.active.remove(position).fault));
        }
        let timed = self.scheduled.pop_if(|timed| Timestamp::ZERO + timed.at <= now)?;
        self.inject(timed.fault, now);
        Some(Event::Begins(timed.fault))
    }

    /// Starts a fault now. A brownout is an instant, not a state.
    pub(super) fn inject(&mut self, fault: Fault, now: Timestamp) {
        if fault.kind != FaultKind::Brownout {
            self.active.push(ActiveFault { fault, until: fault.duration.map(|time| now + time) });
        }
    }

    /// Reboots a motor, and returns the faults that this ends and those that persist.
    pub(super) fn reboot(&mut self, joint: Joint) -> (Vec<Fault>, Vec<Fault>) {
        let affects_joint = |active: &ActiveFault| active.fault.concerns(joint);
        let (ended, rest): (Vec<_>, Vec<_>) =
            self.active.iter().partition(|active| affects_joint(active) && active.ends_with_reboot());
        let persistent =
            rest.iter().filter(|active| affects_joint(active)).map(|active| active.fault).collect();
        self.active = rest;
        (ended.into_iter().map(|active| active.fault).collect(), persistent)
    }

    /// Returns whether a fault of this kind is active, for this motor or for any.
    pub(super) fn has(&self, kind: FaultKind, joint: Option<Joint>) -> bool {
        self.active
            .iter()
            .any(|active| active.fault.kind == kind && joint.is_none_or(|joint| active.fault.concerns(joint)))
    }

    /// Returns the loss of the port with the latest end, if the port is lost.
    pub(super) fn port_gone(&self) -> Option<ActiveFault> {
        self.active
            .iter()
            .copied()
            .filter(|active| active.fault.kind == FaultKind::PortGone)
            .max_by_key(|active| active.until)
    }

    /// Returns when the schedule loses the port next.
    pub(super) fn port_goes(&self) -> Option<Timestamp> {
        let loses_port = |timed: &&ScheduledFault| timed.fault.kind == FaultKind::PortGone;
        self.scheduled.iter().rev().find(loses_port).map(|timed| Timestamp::ZERO + timed.at)
    }

    /// Returns whether an instruction is corrupted on the way to this motor, or to all of them if `joint` is `None`.
    pub(super) fn corrupts(&mut self, joint: Option<Joint>) -> bool {
        let FaultState { active, rng, .. } = self;
        let mut corrupting = active
            .iter()
            .filter(|active| active.fault.kind == FaultKind::Corrupt && active.fault.motor == joint);
        corrupting.any(|active| rng.happens(active.fault.rate))
    }

    /// Applies the faults to this motor's answer, which begins at `start`.
    pub(super) fn corrupt(&mut self, joint: Joint, answer: &mut StatusPacket, start: usize) -> PacketOutcome {
        let mut fate = PacketOutcome::Delivered;
        let FaultState { active, rng, .. } = self;
        for ActiveFault { fault, .. } in active.iter().filter(|active| active.fault.concerns(joint)) {
            let length = answer.bytes.len().saturating_sub(start);
            match fault.kind {
                FaultKind::Silent | FaultKind::Partial
                    if fate == PacketOutcome::Delivered && rng.happens(fault.rate) =>
                {
                    let stored_bytes = if fault.kind == FaultKind::Silent { 0 } else { rng.below(length) };
                    answer.bytes.truncate(start + stored_bytes);
                    fate = PacketOutcome::Lost;
                }
                FaultKind::Corrupt if rng.happens(fault.rate) => {
                    let bit = rng.below(length * 8);
                    if let Some(byte) = answer.bytes.get_mut(start + bit / 8) {
                        *byte ^= 1 << (bit % 8);
                    }
                }
                _ => {}
            }
        }
        fate
    }
}
