//! What is wrong at this moment: the faults that have begun and have not ended, and the chance in them.

use firmware_bridge::clock::Tick;
use firmware_bridge::fault::FaultKind;
use firmware_bridge::joint::Joint;

use super::answer::Answer;
use crate::schedule::{Chance, Fault, Timed};

/// The faults of a bus over time.
#[derive(Debug)]
pub(super) struct Trouble {
    /// Those that have not begun, the last one first.
    ahead: Vec<Timed>,
    active: Vec<Active>,
    chance: Chance,
}

/// A fault that has begun.
#[derive(Clone, Copy, Debug)]
pub(super) struct Active {
    /// The fault.
    pub(super) fault: Fault,
    /// When it ends; none for one that stays.
    pub(super) until: Option<Tick>,
}

impl Active {
    /// Whether a reboot ends it: a hardware error that has no end of its own.
    fn ends_with_reboot(&self) -> bool {
        self.until.is_none() && self.fault.hardware_error().is_some()
    }
}

/// What happens at a moment.
#[derive(Clone, Copy, Debug)]
pub(super) enum Event {
    /// A fault begins.
    Begins(Fault),
    /// A fault ends.
    Ends(Fault),
}

/// What became of a packet on the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It arrives, whole or with a wrong bit.
    Arrives,
    /// It breaks off, or never comes.
    Breaks,
}

impl Trouble {
    /// A schedule, with its chance.
    pub(super) fn new(schedule: &[Timed], seed: u64) -> Trouble {
        let mut ahead = schedule.to_vec();
        // What begins at the same moment begins in the order of the schedule.
        ahead.sort_by_key(|timed| timed.at);
        ahead.reverse();
        Trouble { ahead, active: Vec::new(), chance: Chance::new(seed) }
    }

    /// The moment of the next event.
    pub(super) fn next(&self) -> Option<Tick> {
        let begins = self.ahead.last().map(|timed| Tick::ZERO + timed.at);
        self.active.iter().filter_map(|active| active.until).chain(begins).min()
    }

    /// One thing that happens until then; ends come before beginnings.
    pub(super) fn happen(&mut self, now: Tick) -> Option<Event> {
        let over = |active: &Active| active.until.is_some_and(|until| until <= now);
        if let Some(place) = self.active.iter().position(over) {
            return Some(Event::Ends(self.active.remove(place).fault));
        }
        let timed = self.ahead.pop_if(|timed| Tick::ZERO + timed.at <= now)?;
        self.strike(timed.fault, now);
        Some(Event::Begins(timed.fault))
    }

    /// A fault begins now. A brownout is a moment, not a state.
    pub(super) fn strike(&mut self, fault: Fault, now: Tick) {
        if fault.kind != FaultKind::Brownout {
            self.active.push(Active { fault, until: fault.lasts.map(|time| now + time) });
        }
    }

    /// A motor starts anew: the faults that this ends are handed out, and those that stay.
    pub(super) fn reboot(&mut self, joint: Joint) -> (Vec<Fault>, Vec<Fault>) {
        let here = |active: &Active| active.fault.concerns(joint);
        let (ended, rest): (Vec<_>, Vec<_>) =
            self.active.iter().partition(|active| here(active) && active.ends_with_reboot());
        let stay = rest.iter().filter(|active| here(active)).map(|active| active.fault).collect();
        self.active = rest;
        (ended.into_iter().map(|active| active.fault).collect(), stay)
    }

    /// Whether such a fault is there, for this motor or for all.
    pub(super) fn has(&self, kind: FaultKind, joint: Option<Joint>) -> bool {
        self.active
            .iter()
            .any(|active| active.fault.kind == kind && joint.is_none_or(|joint| active.fault.concerns(joint)))
    }

    /// Until when the port is gone, if it is.
    pub(super) fn port_gone(&self) -> Option<Active> {
        self.active
            .iter()
            .copied()
            .filter(|active| active.fault.kind == FaultKind::PortGone)
            .max_by_key(|active| active.until)
    }

    /// When the port goes next, by the schedule.
    pub(super) fn port_goes(&self) -> Option<Tick> {
        let goes = |timed: &&Timed| timed.fault.kind == FaultKind::PortGone;
        self.ahead.iter().rev().find(goes).map(|timed| Tick::ZERO + timed.at)
    }

    /// Whether an instruction is garbled for this motor on its way; for all of them without a motor.
    pub(super) fn garbles(&mut self, joint: Option<Joint>) -> bool {
        let Trouble { active, chance, .. } = self;
        let mut of_kind = active
            .iter()
            .filter(|active| active.fault.kind == FaultKind::Corrupt && active.fault.motor == joint);
        of_kind.any(|active| chance.happens(active.fault.rate))
    }

    /// What this motor's words that begin at `start` suffer on their way back.
    pub(super) fn spoil(&mut self, joint: Joint, answer: &mut Answer, start: usize) -> Fate {
        let mut fate = Fate::Arrives;
        let Trouble { active, chance, .. } = self;
        for Active { fault, .. } in active.iter().filter(|active| active.fault.concerns(joint)) {
            let length = answer.bytes.len().saturating_sub(start);
            match fault.kind {
                FaultKind::Silent | FaultKind::Partial
                    if fate == Fate::Arrives && chance.happens(fault.rate) =>
                {
                    let kept = if fault.kind == FaultKind::Silent { 0 } else { chance.below(length) };
                    answer.bytes.truncate(start + kept);
                    fate = Fate::Breaks;
                }
                FaultKind::Corrupt if chance.happens(fault.rate) => {
                    let bit = chance.below(length * 8);
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
