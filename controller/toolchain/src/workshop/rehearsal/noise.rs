//! A simulated robot with noisy position readings.

use firmware_bridge::clock::Timestamp;
use firmware_bridge::envelope::SafeCommand;
use firmware_bridge::robot::{JointState, PositionReading, Robot, RobotError};
use firmware_bridge::units::Radians;

use minismith_runtime::chance::Chance;

/// Amplitude of the noise: two of the encoder's 4096 steps, radians.
const NOISE: f64 = 2.0 * std::f64::consts::TAU / 4096.0;

/// A robot whose readings are noisy if requested.
pub(super) struct Noisy<R> {
    robot: R,
    chance: Option<Chance>,
}

impl<R: Robot> Noisy<R> {
    pub(super) fn new(robot: R, noise: bool) -> Self {
        Noisy { robot, chance: noise.then_some(Chance(7)) }
    }

    fn blur(&mut self, mut state: JointState) -> JointState {
        if let Some(chance) = &mut self.chance {
            state.readings = state.readings.map(|reading| match reading {
                PositionReading::Fresh(angle) => {
                    PositionReading::Fresh(angle + Radians(NOISE * (2.0 * chance.share() - 1.0)))
                }
                stale => stale,
            });
        }
        state
    }
}

impl<R: Robot> Robot for Noisy<R> {
    fn read_state(&mut self, at: Timestamp) -> Result<JointState, RobotError> {
        let state = self.robot.read_state(at)?;
        Ok(self.blur(state))
    }

    fn write_command(&mut self, at: Timestamp, command: &SafeCommand) -> Result<JointState, RobotError> {
        let state = self.robot.write_command(at, command)?;
        Ok(self.blur(state))
    }
}
