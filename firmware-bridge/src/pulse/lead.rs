//! Hand guiding: in each cycle, computes the leg currents that compensate the head's weight at its present position.
//!
//! Safety: hand guiding ends if a leg exceeds its velocity limit or its range, if the head pose is unknown, or if the
//! singularity margin is too small. The robot then holds its present position.

use crate::clock::Tick;
use crate::joint::{Joint, Joints};
use crate::kinematics::{HeadMass, current_from_torque, gravity_torques, head_and_steadiness};
use crate::limits::Limits;
use crate::posture::HeadPose;
use crate::robot::{JointState, Reading};
use crate::servo::Milliamps;

/// The minimum interval for measuring velocities, seconds: a servo's position has steps of 1.5 mrad.
const MIN_INTERVAL_S: f64 = 0.02;

/// How the control loop supports the head in this cycle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Carry {
    /// With these currents; body and antennas get none.
    On(Joints<Milliamps>),
    /// By holding its position.
    Catch,
}

/// The state of hand guiding.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lead {
    head: HeadMass,
    seed: HeadPose,
    seen: Option<(Tick, Joints)>,
    currents: Joints<Milliamps>,
}

impl Lead {
    /// Creates the state without any measurement.
    pub fn new() -> Lead {
        Lead {
            head: HeadMass::default(),
            seed: HeadPose::neutral(),
            seen: None,
            currents: Joints::all(Milliamps(0.0)),
        }
    }

    /// Returns how to support the head in this state. If a leg did not answer, the currents stay unchanged.
    pub fn carry(&mut self, state: &JointState, limits: &Limits) -> Carry {
        let fresh = Joint::STEWART.iter().all(|leg| matches!(state.readings[*leg], Reading::Fresh(_)));
        let (true, Ok(present)) = (fresh, state.present()) else { return Carry::On(self.currents) };
        if self.exceeds_limits(state.at, &present, limits) {
            return Carry::Catch;
        }
        let legs = present.stewart();
        let Ok((head, steadiness)) = head_and_steadiness(&legs, &self.seed) else { return Carry::Catch };
        let torques = gravity_torques(&legs, &head, &self.head).filter(|_| steadiness >= limits.steadiness);
        let Some(torques) = torques else { return Carry::Catch };
        self.seed = head;
        for (leg, torque) in Joint::STEWART.into_iter().zip(torques) {
            self.currents[leg] = current_from_torque(torque);
        }
        Carry::On(self.currents)
    }

    fn exceeds_limits(&mut self, at: Tick, present: &Joints, limits: &Limits) -> bool {
        let beyond = |leg: &Joint| {
            let limit = limits.joints[*leg];
            present[*leg] < limit.low || present[*leg] > limit.high
        };
        if Joint::STEWART.iter().any(beyond) {
            return true;
        }
        let Some((since, before)) = self.seen else {
            self.seen = Some((at, *present));
            return false;
        };
        let interval = at.since(since).as_secs_f64();
        if interval < MIN_INTERVAL_S {
            return false;
        }
        self.seen = Some((at, *present));
        Joint::STEWART.iter().any(|leg| {
            (present[*leg] - before[*leg]).abs().value() > limits.joints[*leg].speed.value() * interval
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
        JointState::well(Tick(millis * 1_000_000), joints, Joints::all(true))
    }

    fn raised(millimetres: f64, pitch: f64) -> Joints {
        let angles = RollPitchYaw { pitch: Radians::from_degrees(pitch), ..RollPitchYaw::default() };
        let head = HeadPose::new(0.0, 0.0, millimetres * 1e-3, angles);
        joints_from_posture(&Posture { head, ..Posture::init() }).unwrap()
    }

    #[test]
    fn legs_push_up_and_other_motors_get_no_current() {
        let mut lead = Lead::new();
        let Carry::On(currents) = lead.carry(&state(0, raised(0.0, 0.0)), &Limits::default()) else {
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
        let mut lead = Lead::new();
        assert!(matches!(lead.carry(&state(0, raised(0.0, 0.0)), &limits), Carry::On(_)));
        assert!(matches!(lead.carry(&state(20, raised(2.0, 2.0)), &limits), Carry::On(_)));
        assert_eq!(lead.carry(&state(40, raised(15.0, -20.0)), &limits), Carry::Catch);

        let mut lead = Lead::new();
        let mut joints = raised(0.0, 0.0);
        joints[Joint::Stewart2] = limits.joints[Joint::Stewart2].low - Radians(0.01);
        assert_eq!(lead.carry(&state(0, joints), &limits), Carry::Catch);
    }

    #[test]
    fn missing_reading_keeps_the_currents() {
        let limits = Limits::default();
        let mut lead = Lead::new();
        let first = lead.carry(&state(0, raised(5.0, 10.0)), &limits);
        let mut missing = state(10, raised(5.0, 10.0));
        missing.readings[Joint::Stewart4] = Reading::Never;
        assert_eq!(lead.carry(&missing, &limits), first);
    }
}
