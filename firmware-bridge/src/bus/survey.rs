//! Polls the status of each servo in rotation, in addition to the cycle's own request, and immediately in case of
//! doubt.
//!
//! Each motor has two slots: its measurements, and a check of its settings. A restarted servo answers as if nothing had
//! happened, but has lost torque, gains and watchdog; the check detects this.

use std::time::Duration;

use super::convert::watchdog_units;
use super::registers::{
    BUS_WATCHDOG, GAINS, HARDWARE_ERROR, PRESENT_CURRENT, Register, TEMPERATURE, TORQUE, VOLTAGE,
};
use super::ritual::{arm, gain_bytes, pin, set_gains};
use super::servos::Servos;
use super::slow::{low_byte, signed_16, value_in};
use crate::clock::Tick;
use crate::joint::{Joint, Joints};
use crate::robot::RobotFault;
use crate::servo::{HardwareErrors, Health, Milliamps};

/// The time in which each motor has both its slots, at any cycle rate.
const POLL_PERIOD: Duration = Duration::from_millis(500);
/// Two slots for each of nine motors.
const POLL_SLOTS: u32 = 18;
/// The maximum number of slots per cycle, so that slow cycles do not overrun.
const MAX_SLOTS_PER_CYCLE: u32 = 4;
/// The maximum number of suspect motors that one cycle checks; the others follow in the next.
const MAX_CHECKS_PER_CYCLE: usize = 3;

/// From the present current to the temperature.
const MEASURED: Register = Register { address: 126, width: 21, name: "the measurements" };
/// From torque to watchdog, including hardware error and gains.
const CONDITION: Register = Register { address: 64, width: 35, name: "the status" };

/// The order in which the motors are polled.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rota {
    slot: u32,
    due: Tick,
}

impl Rota {
    /// Starts with the first motor.
    pub const fn from(now: Tick) -> Rota {
        Rota { slot: 0, due: now }
    }

    /// Returns the next slot, if it is due.
    fn next(&mut self, now: Tick) -> Option<(Joint, Slot)> {
        if now < self.due {
            return None;
        }
        let between = POLL_PERIOD / POLL_SLOTS;
        // Slots that a slow cycle could not serve are skipped.
        let late = now.since(self.due).min(between * (MAX_SLOTS_PER_CYCLE - 1));
        self.due = Tick(now.0 - u64::try_from(late.as_nanos()).unwrap_or(0)) + between;
        let slot = self.slot;
        self.slot = (slot + 1) % POLL_SLOTS;
        let index = usize::try_from(slot / 2).unwrap_or_default();
        let kind = if slot.is_multiple_of(2) { Slot::Condition } else { Slot::Measurements };
        Joint::ALL.get(index).map(|joint| (*joint, kind))
    }
}

/// The content of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slot {
    Condition,
    Measurements,
}

impl Servos {
    /// Checks the suspect motors and polls those whose slot is due, in each case only if they `answered` in this cycle.
    pub(super) fn survey(&mut self, at: Tick, answered: &Joints<bool>) -> Result<(), RobotFault> {
        let suspects = self.is_suspect;
        let suspects = suspects.iter().filter(|(joint, is_suspect)| **is_suspect && answered[*joint]);
        for (joint, _) in suspects.take(MAX_CHECKS_PER_CYCLE) {
            self.check_servo(joint)?;
        }
        let now = self.port.now();
        for _ in 0..MAX_SLOTS_PER_CYCLE {
            let Some((joint, slot)) = self.rota.next(now) else { break };
            match slot {
                _ if !answered[joint] => {}
                Slot::Condition => self.check_servo(joint)?,
                Slot::Measurements => self.measure(at, joint)?,
            }
        }
        Ok(())
    }

    fn measure(&mut self, at: Tick, joint: Joint) -> Result<(), RobotFault> {
        if let Some(block) = self.port.glance::<21>(joint.motor_id(), MEASURED)? {
            let value = |register| value_in(&block, MEASURED, register);
            self.health[joint] = Some(Health {
                at,
                celsius: f64::from(low_byte(value(TEMPERATURE))),
                volts: f64::from(value(VOLTAGE)) / 10.0,
                current: Milliamps(f64::from(signed_16(value(PRESENT_CURRENT)))),
            });
        }
        Ok(())
    }

    /// Checks a motor's settings, and restores those that it has lost. If it released, its torque stays off, and its
    /// goal becomes its present position.
    fn check_servo(&mut self, joint: Joint) -> Result<(), RobotFault> {
        let Some(block) = self.port.glance::<35>(joint.motor_id(), CONDITION)? else {
            self.is_suspect[joint] = true;
            return Ok(());
        };
        self.is_suspect[joint] = false;
        let value = |register| value_in(&block, CONDITION, register);
        let was_driven = std::mem::replace(&mut self.torque[joint], value(TORQUE) != 0);
        self.errors[joint] = HardwareErrors(low_byte(value(HARDWARE_ERROR)));
        let start = usize::from(GAINS.address - CONDITION.address);
        let gains_differ = block.get(start..start + 6) != Some(&gain_bytes(self.gains[joint])[..]);
        let watchdog_differs = self.watchdog.is_some_and(|time| value(BUS_WATCHDOG) != watchdog_units(time));
        if gains_differ {
            match set_gains(&mut self.port, joint, self.gains[joint]) {
                // A packet was lost; that is no fault, and the write is repeated.
                Err(RobotFault::Silent { .. }) => self.is_suspect[joint] = true,
                // The servo rejects the gains; the write is repeated in its next slot.
                Ok(()) | Err(RobotFault::Rejected { .. }) => {}
                Err(fault) => return Err(fault),
            }
        }
        if watchdog_differs {
            arm(&mut self.port, &[joint], self.watchdog)?;
        }
        let has_released = was_driven && !self.torque[joint];
        if has_released || ((gains_differ || watchdog_differs) && !self.torque[joint]) {
            pin(&mut self.port, &self.spans, &[joint])?;
        }
        Ok(())
    }
}
