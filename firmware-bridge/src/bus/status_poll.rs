//! Polls the status of each servo in rotation, in addition to the cycle's own request, and immediately in case of
//! doubt.
//!
//! Each motor has two slots: its measurements, and a check of its settings. A restarted servo answers as if nothing had
//! happened, but has lost torque, gains and watchdog; the check detects this.

use super::bring_up::{enable_watchdog, gain_bytes, hold_present, set_gains};
use super::convert::watchdog_units;
use super::instructions::{low_byte, signed_16, value_in};
use super::poll_schedule::{MAX_SLOTS_PER_CYCLE, Slot};
use super::registers::{
    BUS_WATCHDOG, HARDWARE_ERROR_STATUS, POSITION_GAINS, PRESENT_CURRENT, PRESENT_INPUT_VOLTAGE,
    PRESENT_TEMPERATURE, Register, TORQUE_ENABLE,
};
use super::servos::Servos;
use crate::clock::Timestamp;
use crate::joint::{Joint, Joints};
use crate::robot::RobotError;
use crate::servo::{HardwareErrorStatus, Milliamps, MotorHealth};

/// The maximum number of suspect motors that one cycle checks; the others follow in the next.
const MAX_CHECKS_PER_CYCLE: usize = 3;

/// From the present current to the temperature.
const MEASUREMENT_BLOCK: Register = Register { address: 126, width: 21, name: "the measurements" };
/// From torque to watchdog, including hardware error and gains.
const STATUS_BLOCK: Register = Register { address: 64, width: 35, name: "the status" };

impl Servos {
    /// Checks the suspect motors and polls those whose slot is due, in each case only if they `answered` in this cycle.
    pub(super) fn poll_status(&mut self, at: Timestamp, answered: &Joints<bool>) -> Result<(), RobotError> {
        let suspects = self.is_suspect;
        let suspects = suspects.iter().filter(|(joint, is_suspect)| **is_suspect && answered[*joint]);
        for (joint, _) in suspects.take(MAX_CHECKS_PER_CYCLE) {
            self.check_servo(joint)?;
        }
        let now = self.port.now();
        for _ in 0..MAX_SLOTS_PER_CYCLE {
            let Some((joint, slot)) = self.schedule.next(now) else { break };
            match slot {
                _ if !answered[joint] => {}
                Slot::Condition => self.check_servo(joint)?,
                Slot::Measurements => self.measure(at, joint)?,
            }
        }
        Ok(())
    }

    fn measure(&mut self, at: Timestamp, joint: Joint) -> Result<(), RobotError> {
        if let Some(block) = self.port.read_block_once::<21>(joint.motor_id(), MEASUREMENT_BLOCK)? {
            let value = |register| value_in(&block, MEASUREMENT_BLOCK, register);
            self.health[joint] = Some(MotorHealth {
                time: at,
                temperature_c: f64::from(low_byte(value(PRESENT_TEMPERATURE))),
                voltage_v: f64::from(value(PRESENT_INPUT_VOLTAGE)) / 10.0,
                current: Milliamps(f64::from(signed_16(value(PRESENT_CURRENT)))),
            });
        }
        Ok(())
    }

    /// Checks a motor's settings, and restores those that it has lost. If it released, its torque stays off, and its
    /// goal becomes its present position.
    fn check_servo(&mut self, joint: Joint) -> Result<(), RobotError> {
        let Some(block) = self.port.read_block_once::<35>(joint.motor_id(), STATUS_BLOCK)? else {
            self.is_suspect[joint] = true;
            return Ok(());
        };
        self.is_suspect[joint] = false;
        let value = |register| value_in(&block, STATUS_BLOCK, register);
        let was_driven = std::mem::replace(&mut self.torque[joint], value(TORQUE_ENABLE) != 0);
        self.errors[joint] = HardwareErrorStatus(low_byte(value(HARDWARE_ERROR_STATUS)));
        let start = usize::from(POSITION_GAINS.address - STATUS_BLOCK.address);
        let gains_differ = block.get(start..start + 6) != Some(&gain_bytes(self.gains[joint])[..]);
        let watchdog_differs = self.watchdog.is_some_and(|time| value(BUS_WATCHDOG) != watchdog_units(time));
        if gains_differ {
            match set_gains(&mut self.port, joint, self.gains[joint]) {
                // A packet was lost; that is no fault, and the write is repeated.
                Err(RobotError::Silent { .. }) => self.is_suspect[joint] = true,
                // The servo rejects the gains; the write is repeated in its next slot.
                Ok(()) | Err(RobotError::Rejected { .. }) => {}
                Err(fault) => return Err(fault),
            }
        }
        if watchdog_differs {
            enable_watchdog(&mut self.port, &[joint], self.watchdog)?;
        }
        let has_released = was_driven && !self.torque[joint];
        if has_released || ((gains_differ || watchdog_differs) && !self.torque[joint]) {
            hold_present(&mut self.port, &self.goal_ranges, &[joint])?;
        }
        Ok(())
    }
}
