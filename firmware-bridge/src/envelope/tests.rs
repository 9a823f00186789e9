//! Whatever the wish and whatever the start: what comes out never breaks a limit and can always brake to rest.

use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::kinematics::joints_from_posture;
use crate::posture::{Antennas, Posture, RollPitchYaw};

const BEAT: Duration = Duration::from_millis(10);
const DT: f64 = 0.01;

fn posture(yaw: f64, pitch: f64, roll: f64, body: f64) -> Joints {
    let degrees = Radians::from_degrees;
    let angles = RollPitchYaw { roll: degrees(roll), pitch: degrees(pitch), yaw: degrees(yaw) };
    joints_from_posture(&Posture {
        head: HeadPose::new(0.0, 0.0, 0.0, angles),
        body_yaw: degrees(body),
        antennas: Antennas::default(),
    })
    .unwrap()
}

fn targets(command: &SafeCommand) -> Joints {
    match command.action() {
        Action::Targets(goals) => *goals,
        other => panic!("not a goal: {other:?}"),
    }
}

/// Follows commands and fails at the first limit that breaks.
struct Judge {
    limits: Limits,
    position: Joints,
    velocity: Joints,
    seed: HeadPose,
}

impl Judge {
    fn new(position: Joints) -> Self {
        let seed = HeadPose::neutral();
        Judge { limits: Limits::default(), position, velocity: Joints::all(Radians::ZERO), seed }
    }

    fn see(&mut self, command: &SafeCommand) {
        let goals = targets(command);
        for joint in Joint::ALL {
            let limit = self.limits.joints[joint];
            let goal = goals[joint];
            assert!(goal.is_finite(), "{joint}: {goal:?}");
            assert!(goal >= limit.low && goal <= limit.high, "{joint} at {goal}");
            let velocity = (goal - self.position[joint]) / DT;
            assert!(velocity.abs().value() <= limit.speed.value() + 1e-6, "{joint}: {velocity:?} rad/s");
            let change = ((velocity - self.velocity[joint]) / DT).abs().value();
            assert!(change <= limit.acceleration.value() + 1e-3, "{joint}: {change} rad/s2");
            self.velocity[joint] = velocity;
            self.position[joint] = goal;
        }
        self.seed = head_in_body(&goals.stewart(), &self.seed).unwrap();
        let angles = self.seed.angles();
        assert!(
            angles.pitch.abs().value() <= self.limits.head_pitch.value() + 1e-4,
            "pitch {}",
            angles.pitch
        );
        assert!(angles.roll.abs().value() <= self.limits.head_roll.value() + 1e-4, "roll {}", angles.roll);
        assert!(angles.yaw.abs().value() <= self.limits.relative_yaw.value() + 1e-4, "yaw {}", angles.yaw);
    }
}

fn any_wish() -> impl Strategy<Value = Joints> {
    let angle = prop_oneof![
        8 => -2.0..2.0_f64,
        2 => -200.0..200.0_f64,
        1 => Just(f64::NAN),
        1 => Just(f64::INFINITY),
        1 => Just(-1e308),
    ];
    prop::array::uniform9(angle).prop_map(|angles| Joints::new(angles.map(Radians)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_wish_breaks_a_limit_and_rest_is_always_in_reach(
        wishes in prop::collection::vec((any_wish(), 1..12_usize), 1..12),
        yaw in -50.0..50.0_f64, pitch in -30.0..30.0_f64, roll in -20.0..20.0_f64, body in -100.0..100.0_f64,
    ) {
        let start = posture(yaw + body, pitch, roll, body);
        prop_assume!(Joint::STEWART.iter().all(|leg| {
            let limit = Limits::default().joints[*leg];
            start[*leg] > limit.low && start[*leg] < limit.high
        }));
        let mut envelope = Envelope::at_rest(Limits::default(), start);
        let mut judge = Judge::new(start);
        for (wish, beats) in wishes {
            for _ in 0..beats {
                judge.see(&envelope.pass(&wish, BEAT).command);
            }
            // From here, full braking must come to rest inside the limits too.
            let (mut braking, mut watch) =
                (envelope.clone(), Judge { position: judge.position, velocity: judge.velocity, ..Judge::new(start) });
            for _ in 0..40 {
                watch.see(&braking.brake(BEAT));
            }
            prop_assert!(braking.is_at_rest());
        }
    }
}

#[test]
fn a_wish_within_the_limits_is_followed_to_the_bit() {
    let (from, to) = (posture(0.0, 0.0, 0.0, 0.0), posture(20.0, 10.0, 0.0, 10.0));
    let mut envelope = Envelope::at_rest(Limits::default(), from);
    for beat in 1..=100 {
        let t = f64::from(beat) / 100.0;
        let share = t * t * t * (10.0 + t * (6.0 * t - 15.0));
        let wish = from.zip_with(&to, |a, b| a + (b - a) * share);
        let passage = envelope.pass(&wish, BEAT);
        assert!(passage.trims.iter().all(|(_, trim)| trim.is_none()), "beat {beat}: {:?}", passage.trims);
    }
    for (joint, goal) in to.iter() {
        assert!((envelope.position()[joint] - *goal).abs().value() < 1e-12, "{joint}");
    }
    assert!(envelope.pass(&to, BEAT).trims.iter().all(|(_, trim)| trim.is_none()) && envelope.is_at_rest());
}

#[test]
fn a_jump_is_smoothed_told_and_reached_without_overshoot() {
    let from = posture(0.0, 0.0, 0.0, 0.0);
    let mut to = from;
    to[Joint::RightAntenna] = Radians(2.7);
    let mut envelope = Envelope::at_rest(Limits::default(), from);
    let first = envelope.pass(&to, BEAT);
    let trim = first.trims[Joint::RightAntenna].expect("a jump of 2.7 rad is trimmed");
    assert!(trim.cause == TrimCause::Speed || trim.cause == TrimCause::Acceleration);
    for _ in 0..60 {
        envelope.pass(&to, BEAT);
        assert!(envelope.position()[Joint::RightAntenna].value() <= 2.7 + 1e-9);
    }
    assert!((envelope.position()[Joint::RightAntenna].value() - 2.7).abs() < 1e-9 && envelope.is_at_rest());
}

/// The official stack turns a NaN antenna target into -180 degrees.
#[test]
fn a_wish_that_is_no_number_moves_nothing_and_is_told() {
    let from = posture(0.0, 0.0, 0.0, 0.0);
    let mut envelope = Envelope::at_rest(Limits::default(), from);
    let passage = envelope.pass(&Joints::all(Radians(f64::NAN)), BEAT);
    assert_eq!(targets(&passage.command), from);
    assert!(
        passage.trims.iter().all(|(_, trim)| trim.is_some_and(|trim| trim.cause == TrimCause::NotFinite))
    );
}

#[test]
fn a_body_found_outside_may_come_back_but_not_go_on() {
    let mut found = posture(0.0, 0.0, 0.0, 0.0);
    found[Joint::BodyYaw] = Radians::from_degrees(170.0);
    let mut envelope = Envelope::at_rest(Limits::default(), found);
    let mut further = found;
    further[Joint::BodyYaw] = Radians::from_degrees(175.0);
    for _ in 0..50 {
        envelope.pass(&further, BEAT);
    }
    assert_eq!(envelope.position()[Joint::BodyYaw], found[Joint::BodyYaw]);
    let mut back = found;
    back[Joint::BodyYaw] = Radians::from_degrees(0.0);
    for _ in 0..400 {
        envelope.pass(&back, BEAT);
    }
    assert!(envelope.position()[Joint::BodyYaw].abs().value() < 1e-9);
}
