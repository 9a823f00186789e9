//! Property tests: for any setpoint and any start, the command respects every limit and can always brake to rest.

use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::kinematics::{head_and_singularity_margin, joints_from_posture};
use crate::limits::JointLimits;
use crate::posture::{Antennas, HeadPose, Posture, RollPitchYaw};

const CYCLE_PERIOD: Duration = Duration::from_millis(10);

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
        other => panic!("no goal positions: {other:?}"),
    }
}

/// Follows commands and fails at the first limit that is exceeded.
#[derive(Clone)]
struct LimitChecker {
    limits: Limits,
    position: Joints,
    velocity: Joints,
    acceleration: Joints,
    seed: HeadPose,
    /// How far a joint may be outside its limits, and the head outside its own; zero if both started inside.
    outside: f64,
}

impl LimitChecker {
    fn new(limits: Limits, position: Joints) -> Self {
        let still = Joints::all(Radians::ZERO);
        let seed = HeadPose::neutral();
        LimitChecker { limits, position, velocity: still, acceleration: still, seed, outside: 0.0 }
    }

    fn check(&mut self, command: &SafeCommand, cycle: Duration) {
        let goals = targets(command);
        self.check_motion(&goals, cycle);
        for joint in Joint::ALL {
            let limit = self.limits.joints[joint];
            let (low, high) =
                (limit.min_position.value() - self.outside, limit.max_position.value() + self.outside);
            assert!(
                goals[joint].value() >= low && goals[joint].value() <= high,
                "{joint} at {}",
                goals[joint]
            );
        }
        let (head, singularity_margin) = head_and_singularity_margin(&goals.stewart(), &self.seed).unwrap();
        self.seed = head;
        let angles = head.angles();
        let slack = self.outside + 1e-5;
        for (name, angle, most) in [
            ("pitch", angles.pitch, self.limits.head_pitch),
            ("roll", angles.roll, self.limits.head_roll),
            ("yaw", angles.yaw, self.limits.relative_yaw),
        ] {
            assert!(angle.abs().value() <= most.value() + slack, "{name} {angle}");
        }
        assert!(
            singularity_margin >= self.limits.min_singularity_margin - slack,
            "steadiness {singularity_margin}"
        );
    }

    /// Checks velocity, acceleration and jerk, by backward differences.
    fn check_motion(&mut self, goals: &Joints, cycle: Duration) {
        let dt = cycle.as_secs_f64();
        for joint in Joint::ALL {
            let limit = self.limits.joints[joint];
            let goal = goals[joint];
            assert!(goal.is_finite(), "{joint}: {goal:?}");
            let velocity = (goal - self.position[joint]) / dt;
            let acceleration = (velocity - self.velocity[joint]) / dt;
            let jerk = (acceleration - self.acceleration[joint]) / dt;
            for (what, value, most, rounding) in [
                ("speed", velocity, limit.max_velocity, 1e-9),
                ("acceleration", acceleration, limit.max_acceleration, 1e-6),
                ("jerk", jerk, limit.max_jerk, 1e-3),
            ] {
                assert!(value.abs().value() <= most.value() + rounding, "{joint}: {what} {}", value.value());
            }
            (self.velocity[joint], self.acceleration[joint]) = (velocity, acceleration);
        }
        self.position = *goals;
    }

    /// Checks that full braking from here comes to rest inside the limits and in time.
    fn check_braking(&self, envelope: &Envelope, cycle: Duration) {
        let (mut envelope, mut checker) = (envelope.clone(), self.clone());
        let dt = cycle.as_secs_f64();
        let times = Joint::ALL.map(|joint| {
            let JointLimits { max_acceleration: acceleration, max_jerk: jerk, .. } =
                self.limits.joints[joint];
            // A present acceleration ramps down first: that takes time, and adds to the velocity.
            let (a, j) = (acceleration.value(), jerk.value());
            let (now, speed) = (self.acceleration[joint].abs().value(), self.velocity[joint].abs().value());
            now / j + (speed + now * now / (2.0 * j)) / a + a / j + now / j
        });
        let longest = times.into_iter().fold(0.0, f64::max);
        let mut cycles = 0;
        while !envelope.is_at_rest() {
            checker.check(&envelope.brake(cycle), cycle);
            cycles += 1;
            assert!(
                f64::from(cycles) * dt <= longest + 3.0 * dt,
                "not at rest after {cycles} beats, {longest} s"
            );
        }
        let rest = *envelope.position();
        checker.check(&envelope.brake(cycle), cycle);
        assert_eq!(*envelope.position(), rest);
    }
}

fn any_setpoint() -> impl Strategy<Value = Joints> {
    let angle = prop_oneof![
        8 => -2.0..2.0_f64,
        2 => -200.0..200.0_f64,
        1 => Just(f64::NAN),
        1 => Just(f64::INFINITY),
        1 => Just(-1e308),
    ];
    prop::array::uniform9(angle).prop_map(|angles| Joints::new(angles.map(Radians)))
}

/// Cycles of the permitted rates, 10 to 400 Hz.
fn any_cycle() -> impl Strategy<Value = Duration> {
    prop_oneof![
        3 => Just(CYCLE_PERIOD),
        1 => Just(Duration::from_micros(2_500)),
        1 => Just(Duration::from_millis(100)),
        2 => (2_500..100_000_u64).prop_map(Duration::from_micros),
    ]
}

fn any_start() -> impl Strategy<Value = Joints> {
    (-50.0..50.0_f64, -30.0..30.0_f64, -20.0..20.0_f64, -100.0..100.0_f64)
        .prop_map(|(yaw, pitch, roll, body)| posture(yaw + body, pitch, roll, body))
        .prop_filter("inside the servos' ranges", |start| {
            Joint::STEWART.iter().all(|leg| {
                let limit = Limits::default().joints[*leg];
                start[*leg] > limit.min_position && start[*leg] < limit.max_position
            })
        })
}

/// Setpoints, each with the number of cycles for which it is constant.
fn any_setpoints() -> impl Strategy<Value = Vec<(Joints, usize)>> {
    prop::collection::vec((any_setpoint(), 1..12_usize), 1..12)
}

/// Setpoints that the head can almost reach, so that the head's limits and the singularity margin act before the legs'
/// limits.
fn any_head_setpoints() -> impl Strategy<Value = Vec<(Joints, usize)>> {
    let leg = prop::array::uniform6(-0.9..0.9_f64);
    let setpoint = (leg, -2.0..2.0_f64).prop_map(|(legs, body)| {
        let mut setpoint = posture(0.0, 0.0, 0.0, 0.0);
        for (joint, offset) in Joint::STEWART.into_iter().zip(legs) {
            setpoint[joint] += Radians(offset);
        }
        setpoint[Joint::BodyYaw] = Radians(body);
        setpoint
    });
    prop::collection::vec((setpoint, 1..25_usize), 1..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_setpoint_respects_the_limits_and_can_brake_to_rest(
        setpoints in prop_oneof![any_setpoints(), any_head_setpoints()], start in any_start(), cycle in any_cycle(),
    ) {
        let mut envelope = Envelope::at_rest(Limits::default(), start);
        let mut checker = LimitChecker::new(Limits::default(), start);
        for (setpoint, cycles) in setpoints {
            for _ in 0..cycles {
                checker.check(&envelope.limit(&setpoint, cycle).command, cycle);
                checker.check_braking(&envelope, cycle);
            }
        }
    }

    /// Stops and new setpoints in any order, from motion to motion.
    #[test]
    fn stops_respect_the_limits(
        setpoints in any_setpoints(), stop_epoch in prop::collection::vec(0..6_usize, 12), start in any_start(), cycle in any_cycle(),
    ) {
        let mut envelope = Envelope::at_rest(Limits::default(), start);
        let mut checker = LimitChecker::new(Limits::default(), start);
        for ((setpoint, cycles), braked) in setpoints.into_iter().zip(stop_epoch) {
            for _ in 0..cycles {
                checker.check(&envelope.limit(&setpoint, cycle).command, cycle);
            }
            for _ in 0..braked {
                checker.check(&envelope.brake(cycle), cycle);
            }
        }
    }

    /// A robot found at any position, even outside its limits, moves back or stays. It never moves further out.
    #[test]
    fn robot_found_outside_never_moves_further_out(
        setpoints in any_setpoints(), start in any_start(), out in 0.0..0.3_f64, cycle in any_cycle(), above in any::<bool>(),
    ) {
        let mut found = start;
        let side = if above { 1.0 } else { -1.0 };
        for joint in [Joint::BodyYaw, Joint::LeftAntenna] {
            let limit = Limits::default().joints[joint];
            found[joint] = (if above { limit.max_position } else { limit.min_position }) + Radians(side * out);
        }
        let mut envelope = Envelope::at_rest(Limits::default(), found);
        let mut checker = LimitChecker { outside: out, ..LimitChecker::new(Limits::default(), found) };
        for (setpoint, cycles) in setpoints {
            for _ in 0..cycles {
                checker.check(&envelope.limit(&setpoint, cycle).command, cycle);
                checker.check_braking(&envelope, cycle);
            }
        }
    }

    /// Cycles of different lengths respect the velocity, acceleration and jerk limits too.
    #[test]
    fn jittered_cycles_respect_motion_limits(
        setpoints in any_setpoints(), start in any_start(),
        cycles in prop::collection::vec(7_000..13_000_u64, 144),
    ) {
        let mut envelope = Envelope::at_rest(Limits::default(), start);
        let mut checker = LimitChecker::new(Limits::default(), start);
        let mut lengths = cycles.into_iter().map(Duration::from_micros);
        for (setpoint, count) in setpoints {
            for cycle in lengths.by_ref().take(count) {
                checker.check_motion(&targets(&envelope.limit(&setpoint, cycle).command), cycle);
            }
        }
    }

    /// Tighter limits during a motion: the old limits are not exceeded, and the new ones apply from some cycle on.
    #[test]
    fn tighter_limits_apply_without_exceeding_the_old(
        setpoints in any_setpoints(), start in any_start(), cycle in any_cycle(), factor in 0.05..1.0_f64,
    ) {
        let mut envelope = Envelope::at_rest(Limits::default(), start);
        let mut checker = LimitChecker::new(Limits::default(), start);
        let last = setpoints.last().unwrap().0;
        for (setpoint, cycles) in &setpoints {
            for _ in 0..*cycles {
                checker.check(&envelope.limit(setpoint, cycle).command, cycle);
            }
        }
        let mut tight = Limits::default().scaled(factor);
        tight.head_pitch = Radians(0.3);
        tight.joints[Joint::BodyYaw].max_position = Radians(0.5);
        envelope.set_limits(tight);
        // The change is as fast as full braking: until then the envelope sends only the braking of the old limits.
        let mut braking = envelope.clone();
        while envelope.coming.is_some() {
            let command = envelope.limit(&last, cycle).command;
            if envelope.coming.is_some() {
                prop_assert_eq!(&command, &braking.brake(cycle));
            }
            checker.check_motion(&targets(&command), cycle);
        }
        checker.limits = tight;
        for _ in 0..50 {
            checker.check_motion(&targets(&envelope.limit(&last, cycle).command), cycle);
        }
        while !envelope.is_at_rest() {
            checker.check_motion(&targets(&envelope.brake(cycle)), cycle);
        }
    }
}

#[test]
fn setpoint_within_the_limits_is_followed_exactly() {
    let (from, to) = (posture(0.0, 0.0, 0.0, 0.0), posture(20.0, 10.0, 0.0, 10.0));
    let mut envelope = Envelope::at_rest(Limits::default(), from);
    for cycle in 1..=100 {
        let t = f64::from(cycle) / 100.0;
        let share = t * t * t * (10.0 + t * (6.0 * t - 15.0));
        let setpoint = from.zip_with(&to, |a, b| a + (b - a) * share);
        let passage = envelope.limit(&setpoint, CYCLE_PERIOD);
        assert!(
            passage.clamps.iter().all(|(_, clamp)| clamp.is_none()),
            "beat {cycle}: {:?}",
            passage.clamps
        );
    }
    for (joint, goal) in to.iter() {
        assert!((envelope.position()[joint] - *goal).abs().value() < 1e-12, "{joint}");
    }
    assert!(
        envelope.limit(&to, CYCLE_PERIOD).clamps.iter().all(|(_, clamp)| clamp.is_none())
            && envelope.is_at_rest()
    );
}

#[test]
fn jump_is_clamped_and_reached_without_overshoot() {
    let from = posture(0.0, 0.0, 0.0, 0.0);
    let mut to = from;
    to[Joint::RightAntenna] = Radians(2.7);
    let mut envelope = Envelope::at_rest(Limits::default(), from);
    let first = envelope.limit(&to, CYCLE_PERIOD);
    let clamp = first.clamps[Joint::RightAntenna].expect("a jump of 2.7 rad is trimmed");
    assert_eq!(clamp.cause, ClampCause::Velocity);
    for _ in 0..60 {
        envelope.limit(&to, CYCLE_PERIOD);
        assert!(envelope.position()[Joint::RightAntenna].value() <= 2.7 + 1e-9);
    }
    assert!((envelope.position()[Joint::RightAntenna].value() - 2.7).abs() < 1e-9 && envelope.is_at_rest());
}

/// Follows setpoints with one joint while the others stay. A setpoint is a function of the end of the cycle, in
/// seconds.
fn follow(joint: Joint, cycles: u32, setpoint: impl Fn(f64) -> f64) -> Vec<(f64, f64, Option<Clamp>)> {
    let from = posture(0.0, 0.0, 0.0, 0.0);
    let mut envelope = Envelope::at_rest(Limits::default(), from);
    let mut checker = LimitChecker::new(Limits::default(), from);
    let dt = CYCLE_PERIOD.as_secs_f64();
    let step = |cycle: u32| {
        let mut desired = from;
        desired[joint] += Radians(setpoint(dt * f64::from(cycle)));
        let passage = envelope.limit(&desired, CYCLE_PERIOD);
        checker.check(&passage.command, CYCLE_PERIOD);
        let at = |joints: &Joints| (joints[joint] - from[joint]).value();
        (at(&desired), at(envelope.position()), passage.clamps[joint])
    };
    (1..=cycles).map(step).collect()
}

#[test]
fn jumps_of_any_size_are_reached_without_oscillation() {
    for joint in [Joint::BodyYaw, Joint::Stewart1, Joint::LeftAntenna] {
        for size in [0.02, 0.05, 0.1, 0.3, -0.02, -0.1, -0.3] {
            let path = follow(joint, 80, |_| size);
            for pair in path.windows(2) {
                let forward = (pair[1].1 - pair[0].1) * size.signum();
                assert!(forward >= -1e-7, "{joint} {size}: the joint turns back");
            }
            let (_, end, clamp) = path[79];
            assert!((end - size).abs() < 1e-12 && clamp.is_none(), "{joint} {size}: {end}");
        }
    }
}

#[test]
fn sudden_constant_velocity_is_caught_up_without_overshoot() {
    for joint in [Joint::BodyYaw, Joint::Stewart1, Joint::LeftAntenna] {
        for speed in [0.2, 0.5, 1.0, 3.0, -3.0] {
            let speed = if joint == Joint::Stewart1 { 0.2 * speed } else { speed };
            let path = follow(joint, 40, |time| time * speed);
            for (setpoint, position, _) in &path {
                assert!(
                    (setpoint - position) * speed >= -1e-6,
                    "{joint} {speed}: {position} is beyond {setpoint}"
                );
            }
            let (setpoint, position, clamp) = path[39];
            assert!(
                setpoint == position && clamp.is_none(),
                "{joint} {speed}: {position} instead of {setpoint}"
            );
        }
    }
}

#[test]
fn sudden_oscillation_is_soon_followed_exactly() {
    for (joint, size, rate) in
        [(Joint::BodyYaw, 0.5, 4.0), (Joint::Stewart1, 0.2, 12.0), (Joint::LeftAntenna, 0.8, 12.0)]
    {
        let path = follow(joint, 300, |time| size * (rate * time).sin());
        let caught = path.iter().position(|(setpoint, position, _)| setpoint == position).unwrap();
        assert!(caught < 25, "{joint}: after {caught} beats");
        assert!(
            path[25..].iter().all(|(setpoint, position, clamp)| setpoint == position && clamp.is_none()),
            "{joint}"
        );
    }
}

/// Targets at 50 Hz on straight lines are smooth at 100 Hz: the rounding is less than the distance of one cycle.
#[test]
fn piecewise_linear_targets_are_followed_closely() {
    for (joint, size, rate) in
        [(Joint::BodyYaw, 0.5, 4.0), (Joint::Stewart1, 0.2, 12.0), (Joint::LeftAntenna, 0.8, 12.0)]
    {
        let target = |position: f64| size * (rate * position * 0.02).sin();
        let line = |time: f64| {
            let (whole, part) = ((time / 0.02).floor(), (time / 0.02).fract());
            target(whole) * (1.0 - part) + target(whole + 1.0) * part
        };
        let path = follow(joint, 300, line);
        let cycle = size * rate * CYCLE_PERIOD.as_secs_f64();
        for (setpoint, position, _) in &path[25..] {
            assert!((setpoint - position).abs() <= cycle, "{joint}: {} behind", setpoint - position);
        }
    }
}

/// No windup while the setpoint is out of reach: the joint moves to the current setpoint.
#[test]
fn unreachable_setpoint_causes_no_windup() {
    let joint = Joint::BodyYaw;
    // Far outside the range for two seconds, then a position just inside its end.
    let back = |time: f64| if time < 2.0 { 50.0 } else { 2.0 };
    let path = follow(joint, 400, back);
    let high = Limits::default().joints[joint].max_position.value();
    assert_eq!(path[198].1, high, "the joint waits at the end of its range");
    assert!(path[200].1 < high, "the joint turns back at once");
    let least = path[200..].iter().map(|(_, position, _)| *position).fold(f64::MAX, f64::min);
    assert!(least == 2.0 && path[399].1 == 2.0, "{least}");
    // Much too fast for a second, then back to the joint's position: the joint stops there, without any overshoot.
    let swept = follow(joint, 100, |time| 100.0 * time);
    let position = swept[60].1;
    let path = follow(joint, 300, |time| if time < 0.61 { 100.0 * time } else { position });
    let speed = (path[60].1 - path[59].1) / CYCLE_PERIOD.as_secs_f64();
    let limit = Limits::default().joints[joint];
    let (a, j) = (limit.max_acceleration.value(), limit.max_jerk.value());
    let braking = speed * speed / (2.0 * a) + speed * a / j;
    let most = path.iter().map(|(_, position, _)| *position).fold(0.0, f64::max);
    assert!(most <= position + braking, "{most} rad, {braking} rad of braking from {position}");
    assert!((path[299].1 - position).abs() < 1e-9);
}

/// The official stack turns a NaN antenna target into -180 degrees.
#[test]
fn non_finite_setpoint_moves_nothing_and_is_reported() {
    let from = posture(0.0, 0.0, 0.0, 0.0);
    let mut envelope = Envelope::at_rest(Limits::default(), from);
    let passage = envelope.limit(&Joints::all(Radians(f64::NAN)), CYCLE_PERIOD);
    assert_eq!(targets(&passage.command), from);
    assert!(
        passage
            .clamps
            .iter()
            .all(|(_, clamp)| clamp.is_some_and(|clamp| clamp.cause == ClampCause::NotFinite))
    );
}

#[test]
fn robot_found_outside_can_move_back_only() {
    let mut found = posture(0.0, 0.0, 0.0, 0.0);
    found[Joint::BodyYaw] = Radians::from_degrees(170.0);
    let mut envelope = Envelope::at_rest(Limits::default(), found);
    let mut further = found;
    further[Joint::BodyYaw] = Radians::from_degrees(175.0);
    for _ in 0..50 {
        envelope.limit(&further, CYCLE_PERIOD);
    }
    assert_eq!(envelope.position()[Joint::BodyYaw], found[Joint::BodyYaw]);
    let mut back = found;
    back[Joint::BodyYaw] = Radians::from_degrees(0.0);
    for _ in 0..400 {
        envelope.limit(&back, CYCLE_PERIOD);
    }
    assert!(envelope.position()[Joint::BodyYaw].abs().value() < 1e-9);
}
