//! Polls the status of each servo in rotation, in addition to the cycle's own request, and immediately in case of
//! doubt.
//!
//! Each motor has two slots: its measurements, and a check of its settings. A restarted servo answers as if nothing had
//! happened, but has lost torque, gains and watchdog; the check detects this.

use super::convert::watchdog_units;
use super::poll_schedule::{MAX_SLOTS_PER_CYCLE, Slot};
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

/// The maximum number of suspect motors that one cycle checks; the others follow in the next.
const MAX_CHECKS_PER_CYCLE: usize = 3;

/// From the present current to the temperature.
const MEASURED: Register = Register { address: 126, width: 21, name: "the measurements" };
/// From torque to watchdog, including hardware error and gains.
const CONDITION: Register = Register { address: 64, width: 35, name: "the status" };

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
