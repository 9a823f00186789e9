//! How each servo is doing: asked in turns beside the beat's own question, and at once where there is doubt.
//!
//! Each motor has two turns: what it measures, and whether it still is as it was left. A servo that has started anew
//! answers as if nothing had happened, but it has forgotten torque, gains and watchdog; that is how it is noticed.

use super::convert::watchdog_units;
use super::registers::{
    BUS_WATCHDOG, GAINS, HARDWARE_ERROR, PRESENT_CURRENT, Register, TEMPERATURE, TORQUE, VOLTAGE,
};
use super::ritual::{arm, gain_bytes, pin, set_gains};
use super::rota::{TURNS_ON_A_BEAT, Turn};
use super::servos::Servos;
use super::slow::{low_byte, signed_16, value_in};
use crate::clock::Tick;
use crate::joint::{Joint, Joints};
use crate::robot::RobotFault;
use crate::servo::{HardwareErrors, Health, Milliamps};

/// So many motors in doubt at most are examined on one beat; the others on the next.
const EXAMINED_ON_A_BEAT: usize = 3;

/// From the present current to the temperature.
const MEASURED: Register = Register { address: 126, width: 21, name: "what it measures" };
/// From the torque to the watchdog, with hardware error and gains between.
const CONDITION: Register = Register { address: 64, width: 35, name: "its condition" };

impl Servos {
    /// Examines those in doubt, and asks those whose turn it is; of both only those that have `answered` on this beat.
    pub(super) fn survey(&mut self, at: Tick, answered: &Joints<bool>) -> Result<(), RobotFault> {
        let doubtful = self.doubt;
        let doubtful = doubtful.iter().filter(|(joint, doubt)| **doubt && answered[*joint]);
        for (joint, _) in doubtful.take(EXAMINED_ON_A_BEAT) {
            self.examine(joint)?;
        }
        let now = self.port.now();
        for _ in 0..TURNS_ON_A_BEAT {
            let Some((joint, turn)) = self.rota.next(now) else { break };
            match turn {
                _ if !answered[joint] => {}
                Turn::Condition => self.examine(joint)?,
                Turn::Measurements => self.measure(at, joint)?,
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

    /// Looks whether a motor still is as it was left, and mends what it has forgotten. Its torque stays off if it let
    /// go: then it aims at where it is.
    fn examine(&mut self, joint: Joint) -> Result<(), RobotFault> {
        let Some(block) = self.port.glance::<35>(joint.motor_id(), CONDITION)? else {
            self.doubt[joint] = true;
            return Ok(());
        };
        self.doubt[joint] = false;
        let value = |register| value_in(&block, CONDITION, register);
        let was_driven = std::mem::replace(&mut self.torque[joint], value(TORQUE) != 0);
        self.errors[joint] = HardwareErrors(low_byte(value(HARDWARE_ERROR)));
        let start = usize::from(GAINS.address - CONDITION.address);
        let forgot_gains = block.get(start..start + 6) != Some(&gain_bytes(self.gains[joint])[..]);
        let unwatched = self.watchdog.is_some_and(|time| value(BUS_WATCHDOG) != watchdog_units(time));
        if forgot_gains {
            match set_gains(&mut self.port, joint, self.gains[joint]) {
                // A packet was lost on the way; that is no fault, and it is tried again.
                Err(RobotFault::Silent { .. }) => self.doubt[joint] = true,
                // It will not; it is asked again when its turn comes.
                Ok(()) | Err(RobotFault::Rejected { .. }) => {}
                Err(fault) => return Err(fault),
            }
        }
        if unwatched {
            arm(&mut self.port, &[joint], self.watchdog)?;
        }
        let let_go = was_driven && !self.torque[joint];
        if let_go || ((forgot_gains || unwatched) && !self.torque[joint]) {
            pin(&mut self.port, &self.spans, &[joint])?;
        }
        Ok(())
    }
}
