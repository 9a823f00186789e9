//! Stops, threads that end and beats that come late, on a robot that does at once what it is told.

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

/// Nine joints that are where they were told to be, and keep what they were told.
struct Puppet {
    joints: Joints,
    torque: Joints<bool>,
    told: Arc<Mutex<Vec<Action>>>,
    /// How far the joints stay behind their goals.
    lag: Radians,
    gone: bool,
    panics: Arc<AtomicBool>,
}

impl Puppet {
    fn new() -> (Self, Arc<Mutex<Vec<Action>>>) {
        let told = Arc::new(Mutex::new(Vec::new()));
        let joints = joints_from_posture(&Posture::init()).unwrap();
        let panics = Arc::default();
        (
            Puppet {
                joints,
                torque: Joints::all(true),
                told: told.clone(),
                lag: Radians::ZERO,
                gone: false,
                panics,
            },
            told,
        )
    }
}

impl Robot for Puppet {
    fn sense(&mut self, at: Tick) -> Result<JointState, RobotFault> {
        if self.gone {
            return Err(RobotFault::PortGone { reason: "pulled out".into() });
        }
        Ok(JointState::well(at, self.joints, self.torque))
    }

    fn beat(&mut self, at: Tick, command: &SafeCommand) -> Result<JointState, RobotFault> {
        assert!(!self.panics.load(Ordering::Relaxed), "a bug in the robot");
        self.told.lock().unwrap().push(*command.action());
        match command.action() {
            Action::Targets(goals) => self.joints = goals.map(|goal| goal - self.lag),
            Action::Torque(on) => self.torque = *on,
            Action::Reboot(joint) => self.torque[*joint] = false,
            Action::Modes(_) | Action::Currents(_) | Action::Gains(..) => {}
        }
        self.sense(at)
    }
}

fn on_a_thread() -> (PulseThread, Arc<AtomicBool>) {
    let (puppet, _) = Puppet::new();
    let panics = puppet.panics.clone();
    let pulse = Pulse::new(puppet, WallClock::start(), Limits::default(), BEAT).unwrap();
    (PulseThread::start(pulse).unwrap(), panics)
}

/// A turn of the body by 60 degrees over `seconds`.
fn turn(snapshot: &Snapshot, seconds: u64) -> Trajectory {
    let target = Target { body_yaw: Some(Radians::from_degrees(60.0)), ..Target::default() };
    let duration = Duration::from_secs(seconds);
    let rules = PlanRules { limits: &snapshot.limits, period: BEAT, automatic_body_yaw: false };
    Motion::Goto { target, duration, interpolation: Interpolation::Minjerk }
        .plan(&snapshot.commanded, &rules)
        .unwrap()
}

#[test]
fn nobody_waits_for_a_pulse_that_was_dropped() {
    let (thread, _) = on_a_thread();
    let mut handle = thread.handle();
    let waiting = std::thread::spawn({
        let mut handle = handle.clone();
        move || handle.wait(&|_| false)
    });
    drop(thread);
    waiting.join().unwrap();
    // An order that nobody takes is not waited for, and is not told as done.
    let trajectory = turn(&handle.snapshot(), 1);
    let halts = handle.halts();
    assert_eq!(handle.play(trajectory, halts).ended, Some(Ended::Halted));
}

#[test]
fn nobody_waits_for_a_pulse_that_broke_and_the_reason_is_told() {
    let (thread, panics) = on_a_thread();
    let mut handle = thread.handle();
    panics.store(true, Ordering::Relaxed);
    let snapshot = handle.wait(&|_| false);
    assert_eq!(snapshot.fault, Some(RobotFault::Broken { reason: "a bug in the robot".into() }));
    assert!(snapshot.beats < 1_000_000, "time does not jump");
    let trajectory = turn(&snapshot, 1);
    let halts = handle.halts();
    assert_eq!(handle.play(trajectory, halts).ended, Some(Ended::Faulted));
}

/// Planning takes its time; whoever says stop in the meantime must not be overtaken by the plan.
#[test]
fn a_motion_that_was_asked_for_before_a_halt_is_not_begun_after_it() {
    let (puppet, told) = Puppet::new();
    let mut pulse = Pulse::new(puppet, VirtualClock::new(), Limits::default(), BEAT).unwrap();
    let (asked, trajectory) = (pulse.halts(), turn(pulse.snapshot(), 1));
    pulse.order(Order::Halt);
    assert_eq!(pulse.play(trajectory.clone(), asked).ended, Some(Ended::Halted));
    for _ in 0..20 {
        pulse.step();
    }
    let still = Action::Targets(joints_from_posture(&Posture::init()).unwrap());
    assert!(told.lock().unwrap().iter().all(|action| *action == still));
    let halts = pulse.halts();
    assert_eq!(pulse.play(trajectory, halts).ended, Some(Ended::Arrived));
}

#[test]
fn a_halt_counts_at_once_for_every_handle() {
    let (thread, _) = on_a_thread();
    let (mut one, mut other) = (thread.handle(), thread.handle());
    let (asked, trajectory) = (one.halts(), turn(&one.snapshot(), 1));
    other.order(Order::Halt);
    assert_eq!(one.halts(), asked + 1);
    assert_eq!(one.play(trajectory, asked).ended, Some(Ended::Halted));
}

/// A clock on which its first wait takes a second.
struct Hiccup(VirtualClock);

impl Clock for Hiccup {
    fn now(&self) -> Tick {
        self.0.now()
    }

    fn wait_until(&self, until: Tick) {
        let first = self.0.now() == Tick::ZERO;
        self.0.wait_until(if first { until + Duration::from_secs(1) } else { until });
    }
}

#[test]
fn after_a_late_beat_the_next_one_keeps_its_distance() {
    let (puppet, told) = Puppet::new();
    let mut pulse = Pulse::new(puppet, Hiccup(VirtualClock::new()), Limits::default(), BEAT).unwrap();
    pulse.step();
    let late = pulse.clock.now();
    pulse.step();
    assert_eq!(pulse.clock.now(), late + BEAT);
    assert_eq!((pulse.snapshot().late, told.lock().unwrap().len()), (1, 2));
}

#[test]
fn torque_that_is_on_already_moves_no_goal() {
    let (mut puppet, told) = Puppet::new();
    puppet.lag = Radians(0.05);
    let mut pulse = Pulse::new(puppet, VirtualClock::new(), Limits::default(), BEAT).unwrap();
    pulse.step();
    let before = pulse.snapshot().commanded;
    pulse.take(Order::Torque(Joints::all(true)));
    pulse.step();
    assert_eq!(told.lock().unwrap().last(), Some(&Action::Targets(before)));
    // One that was off is held where it is found.
    let mut on = Joints::all(true);
    on[Joint::BodyYaw] = false;
    pulse.take(Order::Torque(on));
    pulse.take(Order::Torque(Joints::all(true)));
    pulse.step();
    let mut after = before;
    after[Joint::BodyYaw] -= Radians(0.05);
    assert_eq!(told.lock().unwrap().last(), Some(&Action::Targets(after)));
}

#[test]
fn what_a_lost_robot_said_last_is_not_fresh() {
    let (puppet, _) = Puppet::new();
    let mut pulse = Pulse::new(puppet, VirtualClock::new(), Limits::default(), BEAT).unwrap();
    pulse.step();
    pulse.robot.gone = true;
    let snapshot = pulse.step();
    assert!(snapshot.fault.is_some());
    assert!(snapshot.state.readings.iter().all(|(_, reading)| matches!(reading, Reading::Stale { .. })));
}
