//! Hand guiding: in each cycle, computes the leg currents that compensate the head's weight at its present position.
//!
//! Safety: hand guiding ends if a leg exceeds its velocity limit or its range, if the head pose is unknown, or if the
//! singularity margin is too small. The robot then holds its present position.

use crate::clock::Timestamp;
use crate::joint::{Joint, Joints};
use crate::kinematics::{HeadMass, current_from_torque, gravity_torques, head_and_singularity_margin};
use crate::limits::Limits;
use crate::posture::HeadPose;
use crate::robot::{JointState, PositionReading};
use crate::servo::Milliamps;

/// The minimum interval for measuring velocities, seconds: a servo's position has steps of 1.5 mrad.
const MIN_INTERVAL_S: f64 = 0.02;

/// How the control loop supports the head in this cycle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Support {
    /// With these currents; body and antennas get none.
    Currents(Joints<Milliamps>),
    /// By holding its position.
    Brake,
}

/// The state of hand guiding.
#[derive(Clone, Copy, Debug)]
pub(super) struct HandGuiding {
    head: HeadMass,
    seed: HeadPose,
    last_pose: Option<(Timestamp, Joints)>,
    currents: Joints<Milliamps>,
}

impl HandGuiding {
    /// Creates the state without any measurement.
    pub fn new() -> HandGuiding {
        HandGuiding {
            head: HeadMass::default(),
            seed: HeadPose::neutral(),
            last_pose: None,
            currents: Joints::all(Milliamps(0.0)),
        }
    }

    /// Returns how to support the head in this state. If a leg did not answer, the currents stay unchanged.
    pub fn support_currents(&mut self, state: &JointState, limits: &Limits) -> Support {
        let fresh =
            Joint::STEWART.iter().all(|leg| matches!(state.readings[*leg], PositionReading::Fresh(_)));
        let (true, Ok(present)) = (fresh, state.present()) else { return Support::Currents(self.currents) };
        if self.exceeds_limits(state.time, &present, limits) {
            return Support::Brake;
        }
        let legs = present.stewart();
        let Ok((head, singularity_margin)) = head_and_singularity_margin(&legs, &self.seed) else {
            return Support::Brake;
        };
        let torques = gravity_torques(&legs, &head, &self.head)
            .filter(|_| singularity_margin >= limits.min_singularity_margin);
        let Some(torques) = torques else { return Support::Brake };
        self.seed = head;
        for (leg, torque) in Joint::STEWART.into_iter().zip(torques) {
            self.currents[leg] = current_from_torque(torque);
        }
        Support::Currents(self.currents)
    }

    fn exceeds_limits(&mut self, at: Timestamp, present: &Joints, limits: &Limits) -> bool {
        let beyond = |leg: &Joint| {
            let limit = limits.joints[*leg];
            present[*leg] < limit.min_position || present[*leg] > limit.max_position
        };
        if Joint::STEWART.iter().any(beyond) {
            return true;
        }
        let Some((since, before)) = self.last_pose else {
            self.last_pose = Some((at, *present));
            return false;
        };
        let interval = at.since(since).as_secs_f64();
        if interval < MIN_INTERVAL_S {
            return false;
        }
        self.last_pose = Some((at, *present));
        Joint::STEWART.iter().any(|leg| {
            (present[*leg] - before[*leg]).abs().value() > limits.joints[*leg].max_velocity.value() * interval
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinematics::joints_from_posture;
    use crate::posture::{Posture, RollPitchYaw};
    use crate::units::Radians;

    fn state(millis: u64, joints: Joints) -> JointState {
        JointState::healthy(Timestamp(millis * 1_000_000), joints, Joints::all(true))
    }

    fn raised(millimetres: f64, pitch: f64) -> Joints {
        let angles = RollPitchYaw { pitch: Radians::from_degrees(pitch), ..RollPitchYaw::default() };
        let head = HeadPose::new(0.0, 0.0, millimetres * 1e-3, angles);
        joints_from_posture(&Posture { head, ..Posture::init() }).unwrap()
    }

    #[test]
    fn legs_push_up_and_other_motors_get_no_current() {
        let mut lead = HandGuiding::new();
        let Support::Currents(currents) =
            lead.support_currents(&state(0, raised(0.0, 0.0)), &Limits::default())
        else {
            panic!("a head at rest is not supported")
        };
        // At rest the odd legs push towards larger angles, and the even ones, which mirror them, towards smaller ones.
        // The official controller commands 13 to 16 mA there.
        for (joint, current) in currents.iter() {
            let expected = match joint {
                Joint::Stewart1 | Joint::Stewart3 | Joint::Stewart5 => 8.0..25.0,
                Joint::Stewart2 | Joint::Stewart4 | Joint::Stewart6 => -25.0..-8.0,
                Joint::BodyYaw | Joint::RightAntenna | Joint::LeftAntenna => -0.1..0.1,
            };
            assert!(expected.contains(&current.0), "{joint}: {current}");
        }
    }

    #[test]
    fn fast_or_out_of_range_legs_are_held_by_position() {
        let limits = Limits::default();
        let mut lead = HandGuiding::new();
        assert!(matches!(lead.support_currents(&state(0, raised(0.0, 0.0)), &limits), Support::Currents(_)));
        assert!(matches!(lead.support_currents(&state(20, raised(2.0, 2.0)), &limits), Support::Currents(_)));
        assert_eq!(lead.support_currents(&state(40, raised(15.0, -20.0)), &limits), Support::Brake);

        let mut lead = HandGuiding::new();
        let mut joints = raised(0.0, 0.0);
        joints[Joint::Stewart2] = limits.joints[Joint::Stewart2].min_position - Radians(0.01);
        assert_eq!(lead.support_currents(&state(0, joints), &limits), Support::Brake);
    }

    #[test]
    fn missing_reading_keeps_the_currents() {
        let limits = Limits::default();
        let mut lead = HandGuiding::new();
        let first = lead.support_currents(&state(0, raised(5.0, 10.0)), &limits);
        let mut missing = state(10, raised(5.0, 10.0));
        missing.readings[Joint::Stewart4] = PositionReading::Never;
        assert_eq!(lead.support_currents(&missing, &limits), first);
    }
}
