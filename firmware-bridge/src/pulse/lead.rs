//! A head that a hand leads: on each beat the currents with which the legs carry its weight where it is.
//!
//! Safety: a leg that turns faster than its limit or comes to the end of its range, and a place of the head that cannot
//! be told or where the legs hold it badly, end it: the body is then held by position where it stands.

use crate::clock::Tick;
use crate::joint::{Joint, Joints};
use crate::kinematics::{HeadMass, current_from_torque, gravity_torques, head_and_steadiness};
use crate::limits::Limits;
use crate::posture::HeadPose;
use crate::robot::{JointState, Reading};
use crate::servo::Milliamps;

/// Speeds are taken over at least this long: a servo's position has steps of 1.5 mrad.
const LEAST_INTERVAL: f64 = 0.02;

/// What the beat is to do with the head.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Carry {
    /// Go on with these currents; body and antennas get none.
    On(Joints<Milliamps>),
    /// Hold it by position.
    Catch,
}

/// What is known of the head that is led.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lead {
    head: HeadMass,
    seed: HeadPose,
    seen: Option<(Tick, Joints)>,
    currents: Joints<Milliamps>,
}

impl Lead {
    /// A head of which nothing was seen yet.
    pub fn new() -> Lead {
        Lead {
            head: HeadMass::default(),
            seed: HeadPose::neutral(),
            seen: None,
            currents: Joints::all(Milliamps(0.0)),
        }
    }

    /// What is to be done after the body was sensed. Legs that did not answer keep their currents.
    pub fn carry(&mut self, state: &JointState, limits: &Limits) -> Carry {
        let fresh = Joint::STEWART.iter().all(|leg| matches!(state.readings[*leg], Reading::Fresh(_)));
        let (true, Ok(present)) = (fresh, state.present()) else { return Carry::On(self.currents) };
        if self.runs_away(state.at, &present, limits) {
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

    fn runs_away(&mut self, at: Tick, present: &Joints, limits: &Limits) -> bool {
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
        if interval < LEAST_INTERVAL {
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

    fn lifted(millimetres: f64, pitch: f64) -> Joints {
        let angles = RollPitchYaw { pitch: Radians::from_degrees(pitch), ..RollPitchYaw::default() };
        let head = HeadPose::new(0.0, 0.0, millimetres * 1e-3, angles);
        joints_from_posture(&Posture { head, ..Posture::init() }).unwrap()
    }

    #[test]
    fn the_legs_push_up_and_nothing_else_is_driven() {
        let mut lead = Lead::new();
        let Carry::On(currents) = lead.carry(&state(0, lifted(0.0, 0.0)), &Limits::default()) else {
            panic!("a head at rest is carried")
        };
        // At rest the odd legs push towards greater angles and the even ones, which mirror them, towards lesser; the
        // official controller commands 13 to 16 mA there.
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
    fn what_runs_away_or_leaves_its_range_is_caught() {
        let limits = Limits::default();
        let mut lead = Lead::new();
        assert!(matches!(lead.carry(&state(0, lifted(0.0, 0.0)), &limits), Carry::On(_)));
        assert!(matches!(lead.carry(&state(20, lifted(2.0, 2.0)), &limits), Carry::On(_)));
        assert_eq!(lead.carry(&state(40, lifted(15.0, -20.0)), &limits), Carry::Catch);

        let mut lead = Lead::new();
        let mut joints = lifted(0.0, 0.0);
        joints[Joint::Stewart2] = limits.joints[Joint::Stewart2].low - Radians(0.01);
        assert_eq!(lead.carry(&state(0, joints), &limits), Carry::Catch);
    }

    #[test]
    fn a_lost_reading_changes_nothing() {
        let limits = Limits::default();
        let mut lead = Lead::new();
        let first = lead.carry(&state(0, lifted(5.0, 10.0)), &limits);
        let mut deaf = state(10, lifted(5.0, 10.0));
        deaf.readings[Joint::Stewart4] = Reading::Never;
        assert_eq!(lead.carry(&deaf, &limits), first);
    }
}
