//! A simulated robot whose head a hand displaces.

use firmware_bridge::clock::Timestamp;
use firmware_bridge::envelope::SafeCommand;
use firmware_bridge::joint::Joints;
use firmware_bridge::robot::{JointState, PositionReading, Robot, RobotError};
use firmware_bridge::units::Radians;

use crate::workshop::stimuli::Stimulus;

/// Time in which the hand moves the head, and in which the head comes back, seconds.
const RAMP_S: f64 = 0.1;

/// A robot that reports displaced positions while a hand holds its head.
///
/// Only the readings change, and not the robot below: its log shows what the tool moves, and not what the hand moves.
pub(super) struct Touched<R> {
    robot: R,
    /// Displacement of each motor, from and to, seconds.
    touches: Vec<(Joints, f64, f64)>,
}

impl<R: Robot> Touched<R> {
    /// Creates a robot with the touches of these stimuli.
    pub(super) fn new(robot: R, stimuli: &[Stimulus]) -> Self {
        let touches = stimuli.iter().filter_map(|one| Some((one.displacement()?, one.from_s, one.to_s)));
        Touched { robot, touches: touches.collect() }
    }

    fn displaced(&self, at: Timestamp, mut state: JointState) -> JointState {
        for (offsets, from_s, to_s) in &self.touches {
            let share = share_at(at.seconds(), *from_s, *to_s);
            if share > 0.0 {
                state.readings = Joints::from_fn(|joint| match state.readings[joint] {
                    PositionReading::Fresh(angle) => {
                        PositionReading::Fresh(angle + Radians(share * offsets[joint].value()))
                    }
                    stale => stale,
                });
            }
        }
        state
    }
}

/// Returns the share of the displacement at a time.
fn share_at(at_s: f64, from_s: f64, to_s: f64) -> f64 {
    if at_s < from_s || at_s >= to_s + RAMP_S {
        return 0.0;
    }
    ((at_s - from_s) / RAMP_S).min((to_s + RAMP_S - at_s) / RAMP_S).clamp(0.0, 1.0)
}

impl<R: Robot> Robot for Touched<R> {
    fn read_state(&mut self, at: Timestamp) -> Result<JointState, RobotError> {
        let state = self.robot.read_state(at)?;
        Ok(self.displaced(at, state))
    }

    fn write_command(&mut self, at: Timestamp, command: &SafeCommand) -> Result<JointState, RobotError> {
        let state = self.robot.write_command(at, command)?;
        Ok(self.displaced(at, state))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use firmware_bridge::kinematics::posture_from_joints;
    use firmware_bridge::posture::HeadPose;
    use minismith_score::Event;
    use mock_robot::dynamics::Variation;
    use mock_robot::robot::MockRobot;

    #[test]
    fn head_is_displaced_for_the_time_of_the_touch() {
        let start =
            firmware_bridge::kinematics::joints_from_posture(&firmware_bridge::posture::Posture::init());
        let robot = MockRobot::new(start.unwrap(), Variation::default());
        let mut touched = Touched::new(robot, &[Stimulus::beginning_at(Event::Touch, 2.0)]);
        let mut pitch = |seconds: f64| {
            let state = touched.read_state(Timestamp((seconds * 1e9) as u64)).unwrap();
            let posture = posture_from_joints(&state.present().unwrap(), &HeadPose::neutral()).unwrap();
            posture.head.angles().pitch.degrees()
        };
        assert!(pitch(1.99).abs() < 1.0);
        assert!((3.0..9.0).contains(&pitch(2.05)), "on its way");
        assert!((pitch(2.5) - 11.0).abs() < 1.0 && (pitch(3.4) - 11.0).abs() < 1.0);
        assert!(pitch(3.61).abs() < 1.0, "back");
    }
}
