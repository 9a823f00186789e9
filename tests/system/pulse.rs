//! The control loop with a robot that obeys, and with robots that fail.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use firmware_bridge::clock::{Clock, Tick, VirtualClock, WallClock};
use firmware_bridge::envelope::{Action, SafeCommand};
use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::kinematics::joints_from_posture;
use firmware_bridge::limits::Limits;
use firmware_bridge::motion::{Interpolation, Motion, PlanRules, Refusal, Target, Trajectory};
use firmware_bridge::posture::{Antennas, HeadPose, Posture, RollPitchYaw};
use firmware_bridge::pulse::{Conductor, Doing, Ended, Order, Pulse, PulseThread};
use firmware_bridge::robot::{JointState, Reading, Robot, RobotFault};
use firmware_bridge::units::Radians;
use minismith_assistant::conversation::Conversation;
use minismith_control::body::{Body, initial_joints};
use minismith_control::stage::Stage;
use minismith_runtime::config::RobotChoice;
use minismith_toolchain::performance::Outcome;
use mock_robot::dynamics::Variation;
use mock_robot::robot::MockRobot;
use mock_robot::scene::Scene;

use super::streams::{LONG, Shop};

const BEAT: Duration = Duration::from_millis(10);
const DT: f64 = 0.01;

/// Changes the result of a cycle, given its number and the robot's state.
type Script = Box<dyn FnMut(u64, JointState) -> Result<JointState, RobotFault> + Send>;

/// The mock, with its commands recorded and its states changed by the test.
struct Scripted {
    body: MockRobot,
    beats: u64,
    heard: Arc<Mutex<Vec<Action>>>,
    script: Script,
}

impl Robot for Scripted {
    fn sense(&mut self, at: Tick) -> Result<JointState, RobotFault> {
        self.body.sense(at)
    }

    fn beat(&mut self, at: Tick, command: &SafeCommand) -> Result<JointState, RobotFault> {
        self.heard.lock().unwrap().push(*command.action());
        self.beats += 1;
        let state = self.body.beat(at, command)?;
        (self.script)(self.beats, state)
    }
}

/// The commands in order.
#[derive(Clone)]
struct Heard(Arc<Mutex<Vec<Action>>>);

impl Heard {
    fn goals(&self) -> Vec<Joints> {
        let heard = self.0.lock().unwrap();
        heard
            .iter()
            .filter_map(|action| match action {
                Action::Targets(goals) => Some(*goals),
                _ => None,
            })
            .collect()
    }
}

fn pulse_with<C: Clock>(clock: C, script: Script) -> (Pulse<Scripted, C>, Heard) {
    let heard = Heard(Arc::default());
    let body = MockRobot::new(initial_joints(), Variation::default());
    let robot = Scripted { body, beats: 0, heard: heard.0.clone(), script };
    let mut pulse = Pulse::new(robot, clock, Limits::default(), BEAT).unwrap();
    pulse.take(Order::Torque(Joints::all(true)));
    pulse.step();
    (pulse, heard)
}

fn healthy() -> (Pulse<Scripted, VirtualClock>, Heard) {
    pulse_with(VirtualClock::new(), Box::new(|_, state| Ok(state)))
}

/// Returns a motion of every joint far to one side or the other.
fn far(side: f64) -> Target {
    let degrees = |angle: f64| Radians::from_degrees(angle * side);
    let angles = RollPitchYaw { roll: degrees(10.0), pitch: degrees(12.0), yaw: degrees(40.0) };
    Target::of(&Posture {
        head: HeadPose::new(0.0, 0.0, 0.005, angles),
        body_yaw: degrees(60.0),
        antennas: Antennas { right: degrees(120.0), left: degrees(-120.0) },
    })
}

fn goto(target: Target, seconds: f64) -> Motion {
    Motion::Goto { target, duration: Duration::from_secs_f64(seconds), interpolation: Interpolation::Minjerk }
}

fn planned<R: Robot, C: Clock>(pulse: &Pulse<R, C>, motion: &Motion) -> Trajectory {
    let limits = pulse.snapshot().limits;
    let rules = PlanRules { limits: &limits, period: BEAT, automatic_body_yaw: false };
    motion.plan(&pulse.snapshot().commanded, &rules).unwrap()
}

fn play(trajectory: Trajectory) -> Order {
    Order::Play { trajectory, fresh: true, halts: 0 }
}

fn velocity(pair: [&Joints; 2]) -> Joints<f64> {
    Joints::from_fn(|joint| (pair[1][joint] - pair[0][joint]).value() / DT)
}

/// Asserts that no step between goals and no change of velocity or acceleration exceeds the limits.
fn within_limits(goals: &[Joints]) {
    let limits = Limits::default();
    let (mut last, mut last_change) = (Joints::all(0.0), Joints::all(0.0));
    for pair in goals.windows(2) {
        let now = velocity([&pair[0], &pair[1]]);
        let change = Joints::from_fn(|joint| (now[joint] - last[joint]) / DT);
        for joint in Joint::ALL {
            let limit = limits.joints[joint];
            assert!(now[joint].abs() <= limit.speed.value() + 1e-9, "{joint} at {} rad/s", now[joint]);
            let most = limit.acceleration.value() + 1e-6;
            assert!(change[joint].abs() <= most, "{joint} changes by {} rad/s2", change[joint]);
            let jerk = (change[joint] - last_change[joint]).abs() / DT;
            assert!(jerk <= limit.jerk.value() + 1e-3, "{joint} jerks by {jerk} rad/s3");
        }
        (last, last_change) = (now, change);
    }
}

#[test]
fn stop_brakes_every_joint_fully_from_the_next_cycle() {
    let (mut pulse, heard) = healthy();
    let trajectory = planned(&pulse, &goto(far(1.0), 0.5));
    let wishes = trajectory.wishes.clone();
    pulse.take(play(trajectory));
    for _ in 0..25 {
        pulse.step();
    }
    let before = heard.goals();
    let count = before.len();
    let speeds = velocity([&before[count - 2], &before[count - 1]]);
    let earlier = velocity([&before[count - 3], &before[count - 2]]);
    let moving = Joint::ALL.into_iter().filter(|joint| speeds[*joint].abs() > 0.2).count();
    assert!(moving >= 7, "{speeds:?}");
    let limits = Limits::default();
    // The duration of full braking: the present acceleration ramps down, the speed decreases, the deceleration ramps
    // down.
    let times = Joint::ALL.map(|joint| {
        let (most, jerk) = (limits.joints[joint].acceleration.value(), limits.joints[joint].jerk.value());
        let now = (speeds[joint] - earlier[joint]).abs() / DT;
        now / jerk + (speeds[joint].abs() + now * now / (2.0 * jerk)) / most + most / jerk
    });
    let longest = times.into_iter().fold(0.0, f64::max);

    pulse.take(Order::Halt);
    let mut beats = 0;
    while pulse.step().doing == Doing::Braking {
        beats += 1;
    }
    assert!(
        f64::from(beats + 1) * DT <= longest + 2.0 * DT,
        "{beats} beats to rest, {longest} s at full braking"
    );
    assert_eq!(pulse.snapshot().ended, Some(Ended::Halted));

    for _ in 0..20 {
        pulse.step();
    }
    let after = heard.goals();
    let braking = velocity([&after[count - 1], &after[count]]);
    let mut full = 0;
    for joint in Joint::ALL {
        // From the next cycle, each fast joint changes its acceleration against its motion. The change is as large as
        // jerk and the greatest deceleration permit.
        let (most, jerk) = (limits.joints[joint].acceleration.value(), limits.joints[joint].jerk.value());
        if speeds[joint].abs() < most * most / (2.0 * jerk) + most * DT {
            continue;
        }
        let against = -speeds[joint].signum();
        let acceleration = (speeds[joint] - earlier[joint]) / DT * against;
        let next = (braking[joint] - speeds[joint]) / DT * against;
        let expected = (acceleration + jerk * DT).min(most);
        assert!((next - expected).abs() < 1e-6, "{joint}: {next} rad/s2, {expected} would be full braking");
        full += 1;
    }
    assert!(full >= 3, "{speeds:?}");
    // No further setpoint of the trajectory is used: every joint only decelerates, and stays where it came to rest.
    for trio in after[count - 1..].windows(3) {
        let (now, next) = (velocity([&trio[0], &trio[1]]), velocity([&trio[1], &trio[2]]));
        for joint in Joint::ALL {
            assert!(next[joint].abs() <= now[joint].abs() + 1e-9, "{joint} speeds up");
        }
    }
    assert_eq!(after[after.len() - 2], after[after.len() - 1]);
    assert!(!wishes.contains(after.last().unwrap()), "it stops between two wishes");
    within_limits(&after);
}

#[test]
fn new_motion_replaces_the_current_one_without_a_jump() {
    let (mut pulse, heard) = healthy();
    let there = planned(&pulse, &goto(far(1.0), 0.5));
    pulse.take(play(there));
    for _ in 0..25 {
        pulse.step();
    }
    for (side, beats) in [(-1.0, 7), (1.0, 12), (-1.0, 400)] {
        let back = planned(&pulse, &goto(far(side), 0.4));
        pulse.take(play(back));
        for _ in 0..beats {
            pulse.step();
        }
    }
    assert_eq!(pulse.snapshot().ended, Some(Ended::Arrived));
    within_limits(&heard.goals());
    let end = planned(&pulse, &goto(far(-1.0), 0.4)).target;
    let goals = joints_from_posture(&end).unwrap();
    for joint in Joint::ALL {
        let off = (pulse.snapshot().commanded[joint] - goals[joint]).abs().value();
        assert!(off < 1e-6, "{joint} ends {off} rad from its goal");
    }
}

fn stage_of<R: Robot + 'static>(pulse: Pulse<R, VirtualClock>) -> Stage {
    Stage::new(Box::new(pulse), Scene::default())
}

#[test]
fn motion_is_rejected_without_torque_and_enabling_torque_moves_nothing() {
    let (mut pulse, heard) = healthy();
    let trajectory = planned(&pulse, &goto(far(1.0), 0.5));
    pulse.take(play(trajectory));
    for _ in 0..25 {
        pulse.step();
    }
    let mut stage = stage_of(pulse);
    let limp = stage.torque(Joints::all(false)).unwrap();
    // Torque goes off when the motion has ended.
    assert_eq!((limp.doing, limp.ended), (Doing::Limp, Some(Ended::Arrived)));
    assert_eq!(stage.plan(&goto(far(-1.0), 1.0)), Err(Refusal::Limp));
    let refused = stage.carry_out("goto", &goto(far(-1.0), 1.0)).refusal.unwrap();
    assert!(refused.contains("motors are off"), "{refused}");
    let present = limp.state.present().unwrap();

    let count = heard.goals().len();
    let on = stage.torque(Joints::all(true)).unwrap();
    assert_eq!((on.doing, on.commanded), (Doing::Holding, present));
    let rest = stage.pass_until(stage.conductor.stage_now() + BEAT * 100);
    assert_eq!(rest.state.present().unwrap(), present);
    assert!(heard.goals()[count..].iter().all(|goals| *goals == present));
}

#[test]
fn enabling_torque_again_does_not_disturb_a_motion() {
    let (mut pulse, heard) = healthy();
    let trajectory = planned(&pulse, &goto(far(1.0), 0.5));
    pulse.take(play(trajectory));
    for beat in 0..200 {
        if beat % 10 == 5 {
            pulse.take(Order::Torque(Joints::all(true)));
        }
        pulse.step();
    }
    within_limits(&heard.goals());
    assert_eq!(pulse.snapshot().ended, Some(Ended::Arrived));
}

#[test]
fn robot_failure_ends_the_motion_with_its_cause() {
    let gone = || RobotFault::PortGone { reason: "pulled out".into() };
    let (pulse, heard) = pulse_with(
        VirtualClock::new(),
        Box::new(move |beat, state| if (30..60).contains(&beat) { Err(gone()) } else { Ok(state) }),
    );
    let mut stage = stage_of(pulse);
    let step = stage.carry_out("goto", &goto(far(1.0), 0.5));
    assert!(step.refusal.as_ref().unwrap().contains("pulled out"), "{step:?}");
    let snapshot = stage.conductor.snapshot();
    assert_eq!((snapshot.ended, snapshot.fault), (Some(Ended::Faulted), Some(gone())));
    let refused = stage.plan(&goto(far(-1.0), 1.0)).unwrap_err();
    assert!(matches!(&refused, Refusal::Fault { reason } if reason.contains("pulled out")), "{refused}");

    // Once the robot responds again it may move, from the last goals that reached it.
    let back = stage.pass_until(stage.conductor.stage_now() + BEAT * 60);
    assert_eq!(back.fault, None);
    let goals = heard.goals();
    let delivered = goals[27]; // The 29th command; the first was for torque.
    let travelled = |joint: Joint| (back.commanded[joint] - delivered[joint]).abs().value();
    for joint in Joint::ALL {
        let beat = Limits::default().joints[joint].speed.value() * DT;
        assert!(travelled(joint) <= beat, "{joint} came back {} rad away", travelled(joint));
    }
    assert_eq!(stage.carry_out("goto", &goto(far(-1.0), 1.0)).refusal, None);
}

/// Returns the antenna does not respond in these cycles, counted from the first of a motion.
fn deaf_for(beats: u64) -> Stage {
    let script: Script = Box::new(move |beat, mut state| {
        if (20..20 + beats).contains(&beat) {
            let last = state.readings[Joint::LeftAntenna].known().unwrap();
            state.readings[Joint::LeftAntenna] = Reading::Stale { since: state.at, last };
        }
        Ok(state)
    });
    stage_of(pulse_with(VirtualClock::new(), script).0)
}

#[test]
fn ten_consecutive_lost_readings_are_a_fault_and_nine_are_not() {
    for lost in [1, 9] {
        let mut stage = deaf_for(lost);
        assert_eq!(stage.carry_out("goto", &goto(far(1.0), 0.5)).refusal, None, "{lost} readings lost");
    }
    let mut stage = deaf_for(10);
    let step = stage.carry_out("goto", &goto(far(1.0), 0.5));
    assert!(step.refusal.as_ref().unwrap().contains("left_antenna does not answer"), "{step:?}");
    assert_eq!(stage.conductor.snapshot().ended, Some(Ended::Faulted));
}

#[test]
fn panic_in_a_cycle_is_a_fault_and_releases_waiting_clients() {
    let script: Script = Box::new(|beat, state| {
        assert!(beat < 30, "a bug in a driver");
        Ok(state)
    });
    let (pulse, _) = pulse_with(WallClock::start(), script);
    let trajectory = planned(&pulse, &goto(far(1.0), 0.5));
    let thread = PulseThread::start(pulse).unwrap();
    let mut handle = thread.handle();
    let snapshot = handle.play(trajectory.clone(), 0);
    assert_eq!(snapshot.ended, Some(Ended::Faulted));
    let broken = |fault: &Option<RobotFault>| matches!(fault, Some(RobotFault::Broken { reason }) if reason.contains("a bug in a driver"));
    assert!(broken(&snapshot.fault), "{:?}", snapshot.fault);
    // A later request receives the same error immediately.
    let later = thread.handle().play(trajectory, 0);
    assert!(broken(&later.fault) && later.ended == Some(Ended::Faulted));
    let mut stage = Stage::new(Box::new(handle), Scene::default());
    assert!(matches!(stage.plan(&goto(far(-1.0), 1.0)), Err(Refusal::Fault { .. })));
    stage.pass_until(Tick(u64::MAX));
}

#[test]
fn dropped_control_loop_brakes_to_rest_first() {
    let (pulse, heard) = pulse_with(WallClock::start(), Box::new(|_, state| Ok(state)));
    // A minute of swinging: the drop comes during the motion, however busy the machine is.
    let mut trajectory = planned(&pulse, &goto(far(1.0), 0.5));
    let start = pulse.snapshot().commanded;
    trajectory.wishes = (0..6_000)
        .map(|beat| {
            let swing = 1.0 - (f64::from(beat) * 0.05).cos();
            let mut wish = start;
            wish[Joint::BodyYaw] += Radians(0.5 * swing);
            wish[Joint::LeftAntenna] += Radians(swing);
            wish
        })
        .collect();
    let thread = PulseThread::start(pulse).unwrap();
    let mut handle = thread.handle();
    handle.order(play(trajectory));
    handle.wait(&|snapshot| snapshot.beats > 40);
    drop(thread);
    let goals = heard.goals();
    assert!(goals.len() < 6_000);
    within_limits(&goals);
    let [.., before, last] = goals.as_slice() else { panic!("{} beats", goals.len()) };
    assert_eq!(before, last, "the last goal is where it rests");
    let came = goals.iter().map(|goals| (goals[Joint::BodyYaw] - start[Joint::BodyYaw]).value());
    assert!(came.fold(0.0, f64::max) > 0.1);
}

#[test]
fn tool_in_a_long_motion_stops_from_another_thread() {
    let shop = Shop::open();
    shop.prove("long", LONG);
    let body = Body::open(&RobotChoice::Mock, &shop.config).unwrap();
    let mut handle = body.handle();
    let (start, bystander) = (
        body.handle().snapshot().commanded,
        std::thread::spawn(move || {
            // A goto of a minute is under way once the base has turned a little.
            handle.wait(&|snapshot| {
                snapshot.doing == Doing::Playing && snapshot.commanded[Joint::BodyYaw].value() > 0.001
            });
            handle.order(Order::Halt);
            handle.wait(&|snapshot| snapshot.doing == Doing::Holding).commanded
        }),
    );
    let (_, reply) =
        Conversation::new(&body, &shop.workshop).run_tool("long", serde_json::Map::new()).unwrap();
    assert!(matches!(&reply.outcome, Outcome::Stopped { limit, .. } if limit == "stop"), "{reply:?}");
    assert!(reply.steps[0].refusal.as_ref().unwrap().contains("stopped"), "{reply:?}");
    let rest = bystander.join().unwrap();
    let mut handle = body.handle();
    let beats = handle.snapshot().beats;
    let later = handle.wait(&|snapshot| snapshot.beats > beats + 10);
    assert_eq!((later.doing, later.commanded), (Doing::Holding, rest));
    let turned = (rest[Joint::BodyYaw] - start[Joint::BodyYaw]).value();
    assert!((0.001..2.0).contains(&turned), "it turned by {turned} rad of 2.5");
}
