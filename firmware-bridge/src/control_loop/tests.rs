//! Stops, ending threads and late cycles, on a robot that follows commands immediately.

use std::sync::atomic::{AtomicBool, Ordering};

use std::sync::{Arc, Mutex};

use super::*;
use crate::clock::{Clock, MonotonicClock, VirtualClock};
use crate::envelope::{Action, SafeCommand};
use crate::kinematics::joints_from_posture;
use crate::motion::{Interpolation, Motion, PlanRules, Target};
use crate::posture::Posture;
use crate::robot::{PositionReading, Robot};

const CYCLE_PERIOD: Duration = Duration::from_millis(10);

/// Nine joints that reach every goal immediately and record their commands.
struct InstantRobot {
    joints: Joints,
    torque: Joints<bool>,
    commands: Arc<Mutex<Vec<Action>>>,
    /// The distance between the joints and their goals.
    lag: Radians,
    gone: bool,
    panics: Arc<AtomicBool>,
}

impl InstantRobot {
    fn new() -> (Self, Arc<Mutex<Vec<Action>>>) {
        let commands = Arc::new(Mutex::new(Vec::new()));
        let joints = joints_from_posture(&Posture::init()).unwrap();
        let panics = Arc::default();
        (
            InstantRobot {
                joints,
                torque: Joints::all(true),
                commands: commands.clone(),
                lag: Radians::ZERO,
                gone: false,
                panics,
            },
            commands,
        )
    }
}

impl Robot for InstantRobot {
    fn read_state(&mut self, at: Timestamp) -> Result<JointState, RobotError> {
        if self.gone {
            return Err(RobotError::PortGone { reason: "pulled out".into() });
        }
        Ok(JointState::healthy(at, self.joints, self.torque))
    }

    fn write_command(&mut self, at: Timestamp, command: &SafeCommand) -> Result<JointState, RobotError> {
        assert!(!self.panics.load(Ordering::Relaxed), "a bug in the robot");
        self.commands.lock().unwrap().push(*command.action());
        match command.action() {
            Action::Targets(goals) => self.joints = goals.map(|goal| goal - self.lag),
            Action::Torque(on) => self.torque = *on,
            Action::Reboot(joint) => self.torque[*joint] = false,
            Action::Modes(_) | Action::Currents(_) | Action::Gains(..) => {}
        }
        self.read_state(at)
    }
}

fn start_thread() -> (ControlLoopThread, Arc<AtomicBool>) {
    let (robot, _) = InstantRobot::new();
    let panics = robot.panics.clone();
    let control_loop =
        ControlLoop::new(robot, MonotonicClock::start(), Limits::default(), CYCLE_PERIOD).unwrap();
    (ControlLoopThread::start(control_loop).unwrap(), panics)
}

/// Returns a turn of the body by 60 degrees over `seconds`.
fn turn(snapshot: &LoopSnapshot, seconds: u64) -> Trajectory {
    let target = Target { body_yaw: Some(Radians::from_degrees(60.0)), ..Target::default() };
    let duration = Duration::from_secs(seconds);
    let rules = PlanRules { limits: &snapshot.limits, period: CYCLE_PERIOD, automatic_body_yaw: false };
    Motion::Goto { target, duration, interpolation: Interpolation::Minjerk }
        .plan(&snapshot.goal, &rules)
        .unwrap()
}

#[test]
fn wait_returns_after_the_loop_was_dropped() {
    let (thread, _) = start_thread();
    let mut handle = thread.handle();
    let waiting = std::thread::spawn({
        let mut handle = handle.clone();
        move || handle.wait(&|_| false)
    });
    drop(thread);
    waiting.join().unwrap();
    // A command that no cycle applies neither blocks its sender nor counts as done.
    let trajectory = turn(&handle.snapshot(), 1);
    let stop_epoch = handle.stop_epoch();
    assert_eq!(handle.play(trajectory, stop_epoch).move_result, Some(MoveResult::Canceled));
}

#[test]
fn wait_returns_the_panic_message_after_a_bug() {
    let (thread, panics) = start_thread();
    let mut handle = thread.handle();
    panics.store(true, Ordering::Relaxed);
    let snapshot = handle.wait(&|_| false);
    assert_eq!(snapshot.fault, Some(RobotError::Broken { reason: "a bug in the robot".into() }));
    assert!(snapshot.cycles < 1_000_000, "time jumped");
    let trajectory = turn(&snapshot, 1);
    let stop_epoch = handle.stop_epoch();
    assert_eq!(handle.play(trajectory, stop_epoch).move_result, Some(MoveResult::Aborted));
}

/// Planning takes time. A plan must not start after a stop that came during the planning.
#[test]
fn motion_requested_before_a_stop_does_not_start_after_it() {
    let (robot, commands) = InstantRobot::new();
    let mut control_loop =
        ControlLoop::new(robot, VirtualClock::new(), Limits::default(), CYCLE_PERIOD).unwrap();
    let (asked, trajectory) = (control_loop.stop_epoch(), turn(control_loop.snapshot(), 1));
    control_loop.send_command(LoopCommand::Stop);
    assert_eq!(control_loop.play(trajectory.clone(), asked).move_result, Some(MoveResult::Canceled));
    for _ in 0..20 {
        control_loop.step();
    }
    let still = Action::Targets(joints_from_posture(&Posture::init()).unwrap());
    assert!(commands.lock().unwrap().iter().all(|action| *action == still));
    let stop_epoch = control_loop.stop_epoch();
    assert_eq!(control_loop.play(trajectory, stop_epoch).move_result, Some(MoveResult::Succeeded));
}

#[test]
fn stop_counts_immediately_for_every_handle() {
    let (thread, _) = start_thread();
    let (mut one, mut other) = (thread.handle(), thread.handle());
    let (asked, trajectory) = (one.stop_epoch(), turn(&one.snapshot(), 1));
    other.send_command(LoopCommand::Stop);
    assert_eq!(one.stop_epoch(), asked + 1);
    assert_eq!(one.play(trajectory, asked).move_result, Some(MoveResult::Canceled));
}

/// A clock whose first wait is a second too long.
struct LateClock(VirtualClock);

impl Clock for LateClock {
    fn now(&self) -> Timestamp {
        self.0.now()
    }

    fn wait_until(&self, until: Timestamp) {
        let first = self.0.now() == Timestamp::ZERO;
        self.0.wait_until(if first { until + Duration::from_secs(1) } else { until });
    }
}

#[test]
fn cycle_after_a_late_one_keeps_its_interval() {
    let (robot, commands) = InstantRobot::new();
    let mut control_loop =
        ControlLoop::new(robot, LateClock(VirtualClock::new()), Limits::default(), CYCLE_PERIOD).unwrap();
    control_loop.step();
    let late = control_loop.clock.now();
    control_loop.step();
    assert_eq!(control_loop.clock.now(), late + CYCLE_PERIOD);
    assert_eq!((control_loop.snapshot().overruns, commands.lock().unwrap().len()), (1, 2));
}

#[test]
fn enabling_enabled_torque_moves_no_goal() {
    let (mut robot, commands) = InstantRobot::new();
    robot.lag = Radians(0.05);
    let mut control_loop =
        ControlLoop::new(robot, VirtualClock::new(), Limits::default(), CYCLE_PERIOD).unwrap();
    control_loop.step();
    let before = control_loop.snapshot().goal;
    control_loop.apply_command(LoopCommand::Torque(Joints::all(true)));
    control_loop.step();
    assert_eq!(commands.lock().unwrap().last(), Some(&Action::Targets(before)));
    // A motor that was off is held at its present position.
    let mut on = Joints::all(true);
    on[Joint::BodyYaw] = false;
    control_loop.apply_command(LoopCommand::Torque(on));
    control_loop.apply_command(LoopCommand::Torque(Joints::all(true)));
    control_loop.step();
    let mut after = before;
    after[Joint::BodyYaw] -= Radians(0.05);
    assert_eq!(commands.lock().unwrap().last(), Some(&Action::Targets(after)));
}

#[test]
fn positions_of_a_lost_robot_are_stale() {
    let (robot, _) = InstantRobot::new();
    let mut control_loop =
        ControlLoop::new(robot, VirtualClock::new(), Limits::default(), CYCLE_PERIOD).unwrap();
    control_loop.step();
    control_loop.robot.gone = true;
    let snapshot = control_loop.step();
    assert!(snapshot.fault.is_some());
    assert!(
        snapshot.state.readings.iter().all(|(_, reading)| matches!(reading, PositionReading::Stale { .. }))
    );
}
