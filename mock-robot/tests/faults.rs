//! Injects every fault on the emulated bus while a motion plays. No limit is exceeded, and the status names motor and
//! cause. The motion continues or ends as the fault's policy requires. Afterwards the robot can move, or its torque is
//! off with the head lowered. Each test runs once over a pseudo-terminal in real time, and once over a virtual line in
//! virtual time.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use firmware_bridge::bus::{BusOptions, MotorBus, Transport};
use firmware_bridge::clock::{MonotonicClock, VirtualClock};
use firmware_bridge::control_loop::{
    ControlLoop, ControlLoopThread, LoopClient, LoopCommand, LoopSnapshot, MoveResult,
};
use firmware_bridge::fault::{FaultKind, FaultPolicy, FaultReport, RecoveryState};
use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::kinematics::{joints_from_posture, posture_from_joints};
use firmware_bridge::limits::Limits;
use firmware_bridge::motion::{Keyframe, Motion, PlanRules, Target, Trajectory};
use firmware_bridge::motion_log::{LoggedCycle, LoggingRobot, MotionLog};
use firmware_bridge::posture::{Antennas, HeadPose, Posture, RollPitchYaw};
use firmware_bridge::units::Radians;
use mock_robot::faults::{Fault, Faults};
use mock_robot::firmware::{
    Emulator, EmulatorOptions, LineProbe, ServoView, VirtualLine, VirtualLineOptions,
};

const CYCLE_PERIOD: Duration = Duration::from_millis(10);
/// The rounding of the servos' steps in a position that is read.
const STEP: f64 = 2.0 * std::f64::consts::TAU / 4096.0;

/// One fault with its expectation.
struct FaultCase {
    fault: Fault,
    /// The motor that the status must name.
    named_joint: Option<Joint>,
}

fn fault_case(kind: FaultKind) -> FaultCase {
    let (half, second) = (Duration::from_millis(500), Duration::from_secs(1));
    let on = |joint: Joint| FaultCase { fault: Fault::of(kind).on(joint), named_joint: Some(joint) };
    let all = || FaultCase { fault: Fault::of(kind), named_joint: None };
    let lasting = |fault_case: FaultCase, time: Duration| FaultCase {
        fault: fault_case.fault.with_duration(time),
        ..fault_case
    };
    let sometimes = |fault_case: FaultCase| FaultCase { fault: fault_case.fault.at_rate(0.3), ..fault_case };
    match kind {
        FaultKind::Overload => on(Joint::Stewart3),
        FaultKind::Overheating => on(Joint::Stewart6),
        FaultKind::InputVoltage => lasting(on(Joint::Stewart2), second),
        FaultKind::Encoder => on(Joint::Stewart5),
        FaultKind::ElectricalShock => on(Joint::LeftAntenna),
        FaultKind::Silent => lasting(on(Joint::RightAntenna), half),
        FaultKind::Corrupt => lasting(sometimes(on(Joint::Stewart1)), second),
        FaultKind::Echo => lasting(all(), half),
        FaultKind::Partial => lasting(sometimes(on(Joint::Stewart4)), second),
        FaultKind::PortGone => lasting(all(), second),
        FaultKind::Brownout => all(),
    }
}

/// A robot on an emulated bus, and both ends of its line.
struct FaultRig {
    control: Box<dyn LoopClient>,
    trace: MotionLog,
    strike: Box<dyn Fn(Fault)>,
    probe: Box<dyn Fn() -> Joints<ServoView>>,
}

fn control_loop<C: firmware_bridge::clock::Clock>(
    bus: MotorBus,
    clock: C,
) -> (ControlLoop<LoggingRobot<MotorBus>, C>, MotionLog) {
    let trace = MotionLog::with_room_for(100_000);
    let mut control_loop =
        ControlLoop::new(LoggingRobot::new(bus, trace.clone()), clock, Limits::default(), CYCLE_PERIOD)
            .unwrap();
    control_loop.apply_command(LoopCommand::Torque(Joints::all(true)));
    (control_loop, trace)
}

fn awake() -> Joints {
    joints_from_posture(&Posture::init()).unwrap()
}

fn virtual_rig() -> FaultRig {
    let clock = Arc::new(VirtualClock::new());
    let options = VirtualLineOptions { faults: Faults::default(), start: awake(), paced: true };
    let line = VirtualLine::new(options, clock.clone());
    let far_end: LineProbe = line.probe();
    let bus =
        MotorBus::with_transport(Box::new(line), &BusOptions::default()).unwrap().with_reconnect(Box::new({
            let far_end = far_end.clone();
            move || Ok(Box::new(far_end.line()) as Box<dyn Transport>)
        }));
    let (control, trace) = control_loop(bus, clock);
    FaultRig {
        control: Box::new(control),
        trace,
        strike: Box::new({
            let far_end = far_end.clone();
            move |fault| far_end.inject(fault)
        }),
        probe: Box::new(move || far_end.view()),
    }
}

/// The thread must be dropped before the emulator.
fn real_time_rig(link: PathBuf) -> (FaultRig, ControlLoopThread, Arc<Emulator>) {
    let options =
        EmulatorOptions { link: Some(link.clone()), faults: Faults::default(), start: awake(), paced: true };
    let emulator = Arc::new(Emulator::start(options).unwrap());
    let bus = MotorBus::open(&link, &BusOptions::default()).unwrap();
    let (control, trace) = control_loop(bus, MonotonicClock::start());
    let thread = ControlLoopThread::start(control).unwrap();
    let (struck, probed) = (emulator.clone(), emulator.clone());
    let rig = FaultRig {
        control: Box::new(thread.handle()),
        trace,
        strike: Box::new(move |fault| struck.inject(fault)),
        probe: Box::new(move || probed.probe()),
    };
    (rig, thread, emulator)
}

impl FaultRig {
    fn wait_cycles(&mut self, cycles: u64) -> LoopSnapshot {
        let until = self.control.snapshot().cycles + cycles;
        self.control.watch(&|snapshot| snapshot.cycles >= until)
    }

    /// Waits until `done`, for at most this many cycles.
    fn within(&mut self, cycles: u64, done: impl Fn(&LoopSnapshot) -> bool) -> LoopSnapshot {
        let until = self.control.snapshot().cycles + cycles;
        let snapshot = self.control.watch(&|snapshot| done(snapshot) || snapshot.cycles >= until);
        assert!(
            done(&snapshot),
            "after {cycles} beats: {:?} {:?}",
            snapshot.last_fault,
            snapshot.motion_state
        );
        snapshot
    }

    fn plan(&self, motion: &Motion) -> Trajectory {
        let snapshot = self.control.snapshot();
        let rules = PlanRules { limits: &snapshot.limits, period: CYCLE_PERIOD, automatic_body_yaw: true };
        motion.plan(&snapshot.goal, &rules).unwrap()
    }

    fn start_motion(&mut self, motion: &Motion) {
        let (trajectory, stop_epoch) = (self.plan(motion), self.control.stop_epoch());
        self.control.send_command(LoopCommand::Play { trajectory, reset_clamps: true, stop_epoch });
    }
}

/// A motion in which everything sways for three seconds.
fn sway() -> Motion {
    let to = |side: f64| {
        let degrees = |angle: f64| Radians::from_degrees(angle * side);
        let angles = RollPitchYaw { roll: degrees(8.0), pitch: degrees(12.0), yaw: degrees(30.0) };
        Target {
            head: Some(HeadPose::new(0.0, 0.005 * side, 0.005, angles)),
            body_yaw: Some(degrees(20.0)),
            antennas: Some(Antennas { right: degrees(60.0), left: degrees(-60.0) }),
        }
    };
    let keyframe = |millis, side| Keyframe { time: Duration::from_millis(millis), target: to(side) };
    Motion::Play(vec![keyframe(750, 1.0), keyframe(1500, -1.0), keyframe(2250, 1.0), keyframe(3000, 0.0)])
}

/// Checks that each goal is at most one cycle of permitted motion away from the previous goal or, for a motor that
/// rejoined, from its position. No goal may be outside its range.
fn within_limits(cycles: &[LoggedCycle], kind: FaultKind) {
    let limits = Limits::default();
    for pair in cycles.windows(2) {
        for joint in Joint::ALL {
            let limit = limits.joints[joint];
            let [before, now] = [0, 1].map(|at| pair.get(at).unwrap());
            let reach = limit.max_velocity.value() * CYCLE_PERIOD.as_secs_f64() + 1e-9;
            let from_goal = (now.goal[joint] - before.goal[joint]).abs().value();
            let from_position = (now.goal[joint] - before.present[joint]).abs().value();
            let rejoined =
                from_position <= STEP + reach || (now.goal[joint] - now.present[joint]).abs().value() <= STEP;
            assert!(from_goal <= reach || rejoined, "{kind:?}: {joint} jumps by {from_goal} rad");
            let inside = limit.min_position - Radians(STEP)..=limit.max_position + Radians(STEP);
            assert!(
                inside.contains(&now.goal[joint]),
                "{kind:?}: the goal of {joint} is {}",
                now.goal[joint]
            );
        }
    }
}

fn check(kind: FaultKind, rig: &mut FaultRig) {
    let FaultCase { fault, named_joint } = fault_case(kind);
    rig.wait_cycles(20);
    rig.start_motion(&sway());
    rig.wait_cycles(60);
    (rig.strike)(fault);

    // The status reports the fault, with motor and cause.
    let is_it = move |status: &FaultReport| (status.kind, status.joint) == (kind, named_joint);
    let reported = rig.within(200, move |snapshot| snapshot.last_fault.is_some_and(|status| is_it(&status)));
    assert_eq!(reported.last_fault.unwrap().policy, kind.policy());
    let message = reported.last_fault.unwrap().to_string();
    assert!(
        named_joint.is_none_or(|joint| message.contains(joint.name())) && message.contains(kind.remedy()),
        "{message}"
    );

    // The motion continues or ends.
    let ended = rig.within(500, |snapshot| snapshot.move_result.is_some()).move_result.unwrap();
    let rides_through = kind.policy() == FaultPolicy::RideThrough;
    assert_eq!(ended, if rides_through { MoveResult::Succeeded } else { MoveResult::Aborted }, "{kind:?}");

    // The fault ends.
    let context = if kind.policy() == FaultPolicy::StowAndRelease {
        RecoveryState::Failed
    } else {
        RecoveryState::Recovered
    };
    rig.within(1500, move |snapshot| snapshot.last_fault.is_some_and(|status| status.state == context));
    rig.wait_cycles(10);
    if context == RecoveryState::Recovered {
        let stop_epoch = rig.control.stop_epoch();
        let trajectory = rig.plan(&sway());
        let after = rig.control.play(trajectory, stop_epoch);
        assert_eq!((after.move_result, after.fault), (Some(MoveResult::Succeeded), None), "{kind:?}");
        assert!((rig.probe)().iter().all(|(_, servo)| servo.torque), "{kind:?}: a motor has no torque");
    } else {
        let servos = (rig.probe)();
        assert!(servos.iter().all(|(_, servo)| !servo.torque), "{kind:?}: a motor still has torque");
        let position =
            posture_from_joints(&servos.map(|servo| servo.position), &Posture::sleep().head).unwrap();
        assert!(
            position.head.0.translation.z < -0.035,
            "{kind:?}: the head is at {}",
            position.head.0.translation
        );
        assert!(rig.control.snapshot().fault.is_some());
    }
    within_limits(&rig.trace.take(), kind);
}

#[test]
fn every_fault_is_handled_in_virtual_time() {
    for kind in FaultKind::ALL {
        check(kind, &mut virtual_rig());
    }
}

#[test]
fn every_fault_is_handled_over_a_pseudo_terminal() {
    let folder = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for kind in FaultKind::ALL {
            let link = folder.path().join(kind.name().replace(' ', "-"));
            scope.spawn(move || {
                let (mut rig, thread, emulator) = real_time_rig(link);
                check(kind, &mut rig);
                drop(thread);
                drop(rig);
                drop(emulator);
            });
        }
    });
}
