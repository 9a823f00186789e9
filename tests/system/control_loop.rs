//! The control loop with a robot that obeys, and with robots that fail.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use firmware_bridge::clock::{Clock, MonotonicClock, Timestamp, VirtualClock};
use firmware_bridge::control_loop::{
    ControlLoop, ControlLoopThread, LoopClient, LoopCommand, MotionState, MoveResult,
};
use firmware_bridge::envelope::{Action, SafeCommand};
use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::kinematics::joints_from_posture;
use firmware_bridge::limits::Limits;
use firmware_bridge::motion::{Interpolation, Motion, MotionError, PlanRules, Target, Trajectory};
use firmware_bridge::posture::{Antennas, HeadPose, Posture, RollPitchYaw};
use firmware_bridge::robot::{JointState, PositionReading, Robot, RobotError};
use firmware_bridge::units::Radians;
use minismith_assistant::conversation::Conversation;
use minismith_control::execution::ExecutionContext;
use minismith_control::robot::{RobotRuntime, initial_joints};
use minismith_runtime::config::RobotChoice;
use minismith_toolchain::tool_run::Outcome;
use mock_robot::dynamics::Variation;
use mock_robot::robot::MockRobot;
use mock_robot::scene::Scene;

use super::determinism::{LONG, Shop};

const CYCLE_PERIOD: Duration = Duration::from_millis(10);
const DT: f64 = 0.01;

/// Changes the result of a cycle, given its number and the robot's state.
type Script = Box<dyn FnMut(u64, JointState) -> Result<JointState, RobotError> + Send>;

/// The mock, with its commands recorded and its states changed by the test.
struct Scripted {
    body: MockRobot,
    cycles: u64,
    heard: Arc<Mutex<Vec<Action>>>,
    script: Script,
}

impl Robot for Scripted {
    fn read_state(&mut self, at: Timestamp) -> Result<JointState, RobotError> {
        self.body.read_state(at)
    }

    fn write_command(&mut self, at: Timestamp, command: &SafeCommand) -> Result<JointState, RobotError> {
        self.heard.lock().unwrap().push(*command.action());
        self.cycles += 1;
        let state = self.body.write_command(at, command)?;
        (self.script)(self.cycles, state)
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

fn control_loop_with<C: Clock>(clock: C, script: Script) -> (ControlLoop<Scripted, C>, Heard) {
    let heard = Heard(Arc::default());
    let body = MockRobot::new(initial_joints(), Variation::default());
    let robot = Scripted { body, cycles: 0, heard: heard.0.clone(), script };
    let mut control_loop = ControlLoop::new(robot, clock, Limits::default(), CYCLE_PERIOD).unwrap();
    control_loop.apply_command(LoopCommand::Torque(Joints::all(true)));
    control_loop.step();
    (control_loop, heard)
}

fn healthy() -> (ControlLoop<Scripted, VirtualClock>, Heard) {
    control_loop_with(VirtualClock::new(), Box::new(|_, state| Ok(state)))
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

fn planned<R: Robot, C: Clock>(control_loop: &ControlLoop<R, C>, motion: &Motion) -> Trajectory {
    let limits = control_loop.snapshot().limits;
    let rules = PlanRules { limits: &limits, period: CYCLE_PERIOD, automatic_body_yaw: false };
    motion.plan(&control_loop.snapshot().goal, &rules).unwrap()
}

fn play(trajectory: Trajectory) -> LoopCommand {
    LoopCommand::Play { trajectory, reset_clamps: true, stop_epoch: 0 }
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
            assert!(now[joint].abs() <= limit.max_velocity.value() + 1e-9, "{joint} at {} rad/s", now[joint]);
            let most = limit.max_acceleration.value() + 1e-6;
            assert!(change[joint].abs() <= most, "{joint} changes by {} rad/s2", change[joint]);
            let jerk = (change[joint] - last_change[joint]).abs() / DT;
            assert!(jerk <= limit.max_jerk.value() + 1e-3, "{joint} jerks by {jerk} rad/s3");
        }
        (last, last_change) = (now, change);
    }
}

#[test]
fn stop_brakes_every_joint_fully_from_the_next_cycle() {
    let (mut control_loop, heard) = healthy();
    let trajectory = planned(&control_loop, &goto(far(1.0), 0.5));
    let setpoints = trajectory.setpoints.clone();
    control_loop.apply_command(play(trajectory));
    for _ in 0..25 {
        control_loop.step();
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
        let (most, jerk) =
            (limits.joints[joint].max_acceleration.value(), limits.joints[joint].max_jerk.value());
        let now = (speeds[joint] - earlier[joint]).abs() / DT;
        now / jerk + (speeds[joint].abs() + now * now / (2.0 * jerk)) / most + most / jerk
    });
    let longest = times.into_iter().fold(0.0, f64::max);

    control_loop.apply_command(LoopCommand::Stop);
    let mut cycles = 0;
    while control_loop.step().motion_state == MotionState::Stopping {
        cycles += 1;
    }
    assert!(
        f64::from(cycles + 1) * DT <= longest + 2.0 * DT,
        "{cycles} beats to rest, {longest} s at full braking"
    );
    assert_eq!(control_loop.snapshot().move_result, Some(MoveResult::Canceled));

    for _ in 0..20 {
        control_loop.step();
    }
    let after = heard.goals();
    let braking = velocity([&after[count - 1], &after[count]]);
    let mut full = 0;
    for joint in Joint::ALL {
        // From the next cycle, each fast joint changes its acceleration against its motion. The change is as large as
        // jerk and the greatest deceleration permit.
        let (most, jerk) =
            (limits.joints[joint].max_acceleration.value(), limits.joints[joint].max_jerk.value());
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
    assert!(!setpoints.contains(after.last().unwrap()), "it stops between two wishes");
    within_limits(&after);
}

#[test]
fn new_motion_replaces_the_current_one_without_a_jump() {
    let (mut control_loop, heard) = healthy();
    let there = planned(&control_loop, &goto(far(1.0), 0.5));
    control_loop.apply_command(play(there));
    for _ in 0..25 {
        control_loop.step();
    }
    for (side, cycles) in [(-1.0, 7), (1.0, 12), (-1.0, 400)] {
        let back = planned(&control_loop, &goto(far(side), 0.4));
        control_loop.apply_command(play(back));
        for _ in 0..cycles {
            control_loop.step();
        }
    }
    assert_eq!(control_loop.snapshot().move_result, Some(MoveResult::Succeeded));
    within_limits(&heard.goals());
    let end = planned(&control_loop, &goto(far(-1.0), 0.4)).target;
    let goals = joints_from_posture(&end).unwrap();
    for joint in Joint::ALL {
        let off = (control_loop.snapshot().goal[joint] - goals[joint]).abs().value();
        assert!(off < 1e-6, "{joint} ends {off} rad from its goal");
    }
}

fn context_of<R: Robot + 'static>(control_loop: ControlLoop<R, VirtualClock>) -> ExecutionContext {
    ExecutionContext::new(Box::new(control_loop), Scene::default())
}

#[test]
fn motion_is_rejected_without_torque_and_enabling_torque_moves_nothing() {
    let (mut control_loop, heard) = healthy();
    let trajectory = planned(&control_loop, &goto(far(1.0), 0.5));
    control_loop.apply_command(play(trajectory));
    for _ in 0..25 {
        control_loop.step();
    }
    let mut context = context_of(control_loop);
    let torque_off = context.torque(Joints::all(false)).unwrap();
    // Torque goes off when the motion has ended.
    assert_eq!(
        (torque_off.motion_state, torque_off.move_result),
        (MotionState::TorqueOff, Some(MoveResult::Succeeded))
    );
    assert_eq!(context.plan(&goto(far(-1.0), 1.0)), Err(MotionError::TorqueOff));
    let refused = context.carry_out("goto", &goto(far(-1.0), 1.0)).refusal.unwrap();
    assert!(refused.contains("motors are off"), "{refused}");
    let present = torque_off.state.present().unwrap();

    let count = heard.goals().len();
    let on = context.torque(Joints::all(true)).unwrap();
    assert_eq!((on.motion_state, on.goal), (MotionState::Holding, present));
    let rest = context.advance_to(context.control.robot_time() + CYCLE_PERIOD * 100);
    assert_eq!(rest.state.present().unwrap(), present);
    assert!(heard.goals()[count..].iter().all(|goals| *goals == present));
}

#[test]
fn enabling_torque_again_does_not_disturb_a_motion() {
    let (mut control_loop, heard) = healthy();
    let trajectory = planned(&control_loop, &goto(far(1.0), 0.5));
    control_loop.apply_command(play(trajectory));
    for cycle in 0..200 {
        if cycle % 10 == 5 {
            control_loop.apply_command(LoopCommand::Torque(Joints::all(true)));
        }
        control_loop.step();
    }
    within_limits(&heard.goals());
    assert_eq!(control_loop.snapshot().move_result, Some(MoveResult::Succeeded));
}

#[test]
fn robot_failure_ends_the_motion_with_its_cause() {
    let gone = || RobotError::PortGone { reason: "pulled out".into() };
    let (control_loop, heard) = control_loop_with(
        VirtualClock::new(),
        Box::new(move |cycle, state| if (30..60).contains(&cycle) { Err(gone()) } else { Ok(state) }),
    );
    let mut context = context_of(control_loop);
    let step = context.carry_out("goto", &goto(far(1.0), 0.5));
    assert!(step.refusal.as_ref().unwrap().contains("pulled out"), "{step:?}");
    let snapshot = context.control.snapshot();
    assert_eq!((snapshot.move_result, snapshot.fault), (Some(MoveResult::Aborted), Some(gone())));
    let refused = context.plan(&goto(far(-1.0), 1.0)).unwrap_err();
    assert!(matches!(&refused, MotionError::Fault { reason } if reason.contains("pulled out")), "{refused}");

    // Once the robot responds again it may move, from the last goals that reached it.
    let back = context.advance_to(context.control.robot_time() + CYCLE_PERIOD * 60);
    assert_eq!(back.fault, None);
    let goals = heard.goals();
    let delivered = goals[27]; // The 29th command; the first was for torque.
    let travelled = |joint: Joint| (back.goal[joint] - delivered[joint]).abs().value();
    for joint in Joint::ALL {
        let cycle = Limits::default().joints[joint].max_velocity.value() * DT;
        assert!(travelled(joint) <= cycle, "{joint} came back {} rad away", travelled(joint));
    }
    assert_eq!(context.carry_out("goto", &goto(far(-1.0), 1.0)).refusal, None);
}

/// Returns the antenna does not respond in these cycles, counted from the first of a motion.
fn deaf_for(cycles: u64) -> ExecutionContext {
    let script: Script = Box::new(move |cycle, mut state| {
        if (20..20 + cycles).contains(&cycle) {
            let last = state.readings[Joint::LeftAntenna].known().unwrap();
            state.readings[Joint::LeftAntenna] = PositionReading::Stale { since: state.time, last };
        }
        Ok(state)
    });
    context_of(control_loop_with(VirtualClock::new(), script).0)
}

#[test]
fn ten_consecutive_lost_readings_are_a_fault_and_nine_are_not() {
    for lost in [1, 9] {
        let mut context = deaf_for(lost);
        assert_eq!(context.carry_out("goto", &goto(far(1.0), 0.5)).refusal, None, "{lost} readings lost");
    }
    let mut context = deaf_for(10);
    let step = context.carry_out("goto", &goto(far(1.0), 0.5));
    assert!(step.refusal.as_ref().unwrap().contains("left_antenna does not answer"), "{step:?}");
    assert_eq!(context.control.snapshot().move_result, Some(MoveResult::Aborted));
}

#[test]
fn panic_in_a_cycle_is_a_fault_and_releases_waiting_clients() {
    let script: Script = Box::new(|cycle, state| {
        assert!(cycle < 30, "a bug in a driver");
        Ok(state)
    });
    let (control_loop, _) = control_loop_with(MonotonicClock::start(), script);
    let trajectory = planned(&control_loop, &goto(far(1.0), 0.5));
    let thread = ControlLoopThread::start(control_loop).unwrap();
    let mut handle = thread.handle();
    let snapshot = handle.play(trajectory.clone(), 0);
    assert_eq!(snapshot.move_result, Some(MoveResult::Aborted));
    let broken = |fault: &Option<RobotError>| matches!(fault, Some(RobotError::Broken { reason }) if reason.contains("a bug in a driver"));
    assert!(broken(&snapshot.fault), "{:?}", snapshot.fault);
    // A later request receives the same error immediately.
    let later = thread.handle().play(trajectory, 0);
    assert!(broken(&later.fault) && later.move_result == Some(MoveResult::Aborted));
    let mut context = ExecutionContext::new(Box::new(handle), Scene::default());
    assert!(matches!(context.plan(&goto(far(-1.0), 1.0)), Err(MotionError::Fault { .. })));
    context.advance_to(Timestamp(u64::MAX));
}

#[test]
fn dropped_control_loop_brakes_to_rest_first() {
    let (control_loop, heard) = control_loop_with(MonotonicClock::start(), Box::new(|_, state| Ok(state)));
    // A minute of swinging: the drop comes during the motion, however busy the machine is.
    let mut trajectory = planned(&control_loop, &goto(far(1.0), 0.5));
    let start = control_loop.snapshot().goal;
    trajectory.setpoints = (0..6_000)
        .map(|cycle| {
            let swing = 1.0 - (f64::from(cycle) * 0.05).cos();
            let mut setpoint = start;
            setpoint[Joint::BodyYaw] += Radians(0.5 * swing);
            setpoint[Joint::LeftAntenna] += Radians(swing);
            setpoint
        })
        .collect();
    let thread = ControlLoopThread::start(control_loop).unwrap();
    let mut handle = thread.handle();
    handle.send_command(play(trajectory));
    handle.wait(&|snapshot| snapshot.cycles > 40);
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
    shop.verify("long", LONG);
    let body = RobotRuntime::open(&RobotChoice::Mock, &shop.config).unwrap();
    let mut handle = body.handle();
    let (start, bystander) = (
        body.handle().snapshot().goal,
        std::thread::spawn(move || {
            // A goto of a minute is under way once the base has turned a little.
            handle.wait(&|snapshot| {
                snapshot.motion_state == MotionState::Moving && snapshot.goal[Joint::BodyYaw].value() > 0.001
            });
            handle.send_command(LoopCommand::Stop);
            handle.wait(&|snapshot| snapshot.motion_state == MotionState::Holding).goal
        }),
    );
    let (_, reply) =
        Conversation::new(&body, &shop.workshop).run_tool("long", serde_json::Map::new()).unwrap();
    assert!(matches!(&reply.outcome, Outcome::Stopped { limit, .. } if limit == "stop"), "{reply:?}");
    assert!(reply.steps[0].refusal.as_ref().unwrap().contains("stopped"), "{reply:?}");
    let rest = bystander.join().unwrap();
    let mut handle = body.handle();
    let cycles = handle.snapshot().cycles;
    let later = handle.wait(&|snapshot| snapshot.cycles > cycles + 10);
    assert_eq!((later.motion_state, later.goal), (MotionState::Holding, rest));
    let turned = (rest[Joint::BodyYaw] - start[Joint::BodyYaw]).value();
    assert!((0.001..2.0).contains(&turned), "it turned by {turned} rad of 2.5");
}
