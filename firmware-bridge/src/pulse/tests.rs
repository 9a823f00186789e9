//! Stops, ending threads and late cycles, on a robot that follows commands immediately.

use std::sync::atomic::{AtomicBool, Ordering};

use std::sync::{Arc, Mutex};

use super::*;
use crate::clock::{Clock, VirtualClock, WallClock};
use crate::envelope::{Action, SafeCommand};
use crate::kinematics::joints_from_posture;
use crate::motion::{Interpolation, Motion, PlanRules, Target};
use crate::posture::Posture;
use crate::robot::{Reading, Robot};

const BEAT: Duration = Duration::from_millis(10);

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
    fn sense(&mut self, at: Tick) -> Result<JointState, RobotFault> {
        if self.gone {
            return Err(RobotFault::PortGone { reason: "pulled out".into() });
        }
        Ok(JointState::well(at, self.joints, self.torque))
    }

    fn beat(&mut self, at: Tick, command: &SafeCommand) -> Result<JointState, RobotFault> {
        assert!(!self.panics.load(Ordering::Relaxed), "a bug in the robot");
        self.commands.lock().unwrap().push(*command.action());
        match command.action() {
            Action::Targets(goals) => self.joints = goals.map(|goal| goal - self.lag),
            Action::Torque(on) => self.torque = *on,
            Action::Reboot(joint) => self.torque[*joint] = false,
            Action::Modes(_) | Action::Currents(_) | Action::Gains(..) => {}
        }
        self.sense(at)
    }
}

fn start_thread() -> (PulseThread, Arc<AtomicBool>) {
    let (robot, _) = InstantRobot::new();
    let panics = robot.panics.clone();
    let pulse = Pulse::new(robot, WallClock::start(), Limits::default(), BEAT).unwrap();
    (PulseThread::start(pulse).unwrap(), panics)
}

/// Returns a turn of the body by 60 degrees over `seconds`.
fn turn(snapshot: &Snapshot, seconds: u64) -> Trajectory {
    let target = Target { body_yaw: Some(Radians::from_degrees(60.0)), ..Target::default() };
    let duration = Duration::from_secs(seconds);
    let rules = PlanRules { limits: &snapshot.limits, period: BEAT, automatic_body_yaw: false };
    Motion::Goto { target, duration, interpolation: Interpolation::Minjerk }
        .plan(&snapshot.commanded, &rules)
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
    let halts = handle.halts();
    assert_eq!(handle.play(trajectory, halts).ended, Some(Ended::Halted));
}

#[test]
fn wait_returns_the_panic_message_after_a_bug() {
    let (thread, panics) = start_thread();
    let mut handle = thread.handle();
    panics.store(true, Ordering::Relaxed);
    let snapshot = handle.wait(&|_| false);
    assert_eq!(snapshot.fault, Some(RobotFault::Broken { reason: "a bug in the robot".into() }));
    assert!(snapshot.beats < 1_000_000, "time jumped");
    let trajectory = turn(&snapshot, 1);
    let halts = handle.halts();
    assert_eq!(handle.play(trajectory, halts).ended, Some(Ended::Faulted));
}

/// Planning takes time. A plan must not start after a stop that came during the planning.
#[test]
fn motion_requested_before_a_stop_does_not_start_after_it() {
    let (robot, commands) = InstantRobot::new();
    let mut pulse = Pulse::new(robot, VirtualClock::new(), Limits::default(), BEAT).unwrap();
    let (asked, trajectory) = (pulse.halts(), turn(pulse.snapshot(), 1));
    pulse.order(Order::Halt);
    assert_eq!(pulse.play(trajectory.clone(), asked).ended, Some(Ended::Halted));
    for _ in 0..20 {
        pulse.step();
    }
    let still = Action::Targets(joints_from_posture(&Posture::init()).unwrap());
    assert!(commands.lock().unwrap().iter().all(|action| *action == still));
    let halts = pulse.halts();
    assert_eq!(pulse.play(trajectory, halts).ended, Some(Ended::Arrived));
}

#[test]
fn stop_counts_immediately_for_every_handle() {
    let (thread, _) = start_thread();
    let (mut one, mut other) = (thread.handle(), thread.handle());
    let (asked, trajectory) = (one.halts(), turn(&one.snapshot(), 1));
    other.order(Order::Halt);
    assert_eq!(one.halts(), asked + 1);
    assert_eq!(one.play(trajectory, asked).ended, Some(Ended::Halted));
}

/// A clock whose first wait is a second too long.
struct LateClock(VirtualClock);

impl Clock for LateClock {
    fn now(&self) -> Tick {
        self.0.now()
    }

    fn wait_until(&self, until: Tick) {
        let first = self.0.now() == Tick::ZERO;
        self.0.wait_until(if first { until + Duration::from_secs(1) } else { until });
    }
}

#[test]
fn cycle_after_a_late_one_keeps_its_interval() {
    let (robot, commands) = InstantRobot::new();
    let mut pulse = Pulse::new(robot, LateClock(VirtualClock::new()), Limits::default(), BEAT).unwrap();
    pulse.step();
    let late = pulse.clock.now();
    pulse.step();
    assert_eq!(pulse.clock.now(), late + BEAT);
    assert_eq!((pulse.snapshot().late, commands.lock().unwrap().len()), (1, 2));
}

#[test]
fn enabling_enabled_torque_moves_no_goal() {
    let (mut robot, commands) = InstantRobot::new();
    robot.lag = Radians(0.05);
    let mut pulse = Pulse::new(robot, VirtualClock::new(), Limits::default(), BEAT).unwrap();
    pulse.step();
    let before = pulse.snapshot().commanded;
    pulse.take(Order::Torque(Joints::all(true)));
    pulse.step();
    assert_eq!(commands.lock().unwrap().last(), Some(&Action::Targets(before)));
    // A motor that was off is held at its present position.
    let mut on = Joints::all(true);
    on[Joint::BodyYaw] = false;
    pulse.take(Order::Torque(on));
    pulse.take(Order::Torque(Joints::all(true)));
    pulse.step();
    let mut after = before;
    after[Joint::BodyYaw] -= Radians(0.05);
    assert_eq!(commands.lock().unwrap().last(), Some(&Action::Targets(after)));
}

#[test]
fn positions_of_a_lost_robot_are_stale() {
    let (robot, _) = InstantRobot::new();
    let mut pulse = Pulse::new(robot, VirtualClock::new(), Limits::default(), BEAT).unwrap();
    pulse.step();
    pulse.robot.gone = true;
    let snapshot = pulse.step();
    assert!(snapshot.fault.is_some());
    assert!(snapshot.state.readings.iter().all(|(_, reading)| matches!(reading, Reading::Stale { .. })));
}
