//! Injects every fault on the emulated bus while a motion plays. No limit is exceeded, and the status names motor and
//! cause. The motion continues or ends as the fault's policy requires. Afterwards the robot can move, or its torque is
//! off with the head lowered. Each test runs once over a pseudo-terminal in real time, and once over a virtual line in
//! virtual time.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use firmware_bridge::bus::{BusOptions, MotorBus, Wire};
use firmware_bridge::clock::{VirtualClock, WallClock};
use firmware_bridge::fault::{FaultKind, Policy, Stage, Status};
use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::kinematics::{joints_from_posture, posture_from_joints};
use firmware_bridge::limits::Limits;
use firmware_bridge::motion::{Keyframe, Motion, PlanRules, Target, Trajectory};
use firmware_bridge::posture::{Antennas, HeadPose, Posture, RollPitchYaw};
use firmware_bridge::pulse::{Conductor, Ended, Order, Pulse, PulseThread, Snapshot};
use firmware_bridge::trace::{Beat, Trace, Traced};
use firmware_bridge::units::Radians;
use mock_robot::faults::{Fault, Faults};
use mock_robot::firmware::{DirectLine, DirectOptions, DirectProbe, Emulator, EmulatorOptions, ServoView};

const BEAT: Duration = Duration::from_millis(10);
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
        fault: fault_case.fault.lasting(time),
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
    conductor: Box<dyn Conductor>,
    trace: Trace,
    strike: Box<dyn Fn(Fault)>,
    probe: Box<dyn Fn() -> Joints<ServoView>>,
}

fn pulse<C: firmware_bridge::clock::Clock>(bus: MotorBus, clock: C) -> (Pulse<Traced<MotorBus>, C>, Trace) {
    let trace = Trace::with_room_for(100_000);
    let mut pulse = Pulse::new(Traced::new(bus, trace.clone()), clock, Limits::default(), BEAT).unwrap();
    pulse.take(Order::Torque(Joints::all(true)));
    (pulse, trace)
}

fn awake() -> Joints {
    joints_from_posture(&Posture::init()).unwrap()
}

fn virtual_rig() -> FaultRig {
    let clock = Arc::new(VirtualClock::new());
    let options = DirectOptions { faults: Faults::default(), start: awake(), paced: true };
    let line = DirectLine::new(options, clock.clone());
    let far_end: DirectProbe = line.probe();
    let bus = MotorBus::over(Box::new(line), &BusOptions::default()).unwrap().reopening(Box::new({
        let far_end = far_end.clone();
        move || Ok(Box::new(far_end.line()) as Box<dyn Wire>)
    }));
    let (pulse, trace) = pulse(bus, clock);
    FaultRig {
        conductor: Box::new(pulse),
        trace,
        strike: Box::new({
            let far_end = far_end.clone();
            move |fault| far_end.strike(fault)
        }),
        probe: Box::new(move || far_end.view()),
    }
}

/// The thread must be dropped before the emulator.
fn real_time_rig(link: PathBuf) -> (FaultRig, PulseThread, Arc<Emulator>) {
    let options =
        EmulatorOptions { link: Some(link.clone()), faults: Faults::default(), start: awake(), paced: true };
    let emulator = Arc::new(Emulator::start(options).unwrap());
    let bus = MotorBus::open(&link, &BusOptions::default()).unwrap();
    let (pulse, trace) = pulse(bus, WallClock::start());
    let thread = PulseThread::start(pulse).unwrap();
    let (struck, probed) = (emulator.clone(), emulator.clone());
    let rig = FaultRig {
        conductor: Box::new(thread.handle()),
        trace,
        strike: Box::new(move |fault| struck.strike(fault)),
        probe: Box::new(move || probed.probe()),
    };
    (rig, thread, emulator)
}

impl FaultRig {
    fn wait_cycles(&mut self, beats: u64) -> Snapshot {
        let until = self.conductor.snapshot().beats + beats;
        self.conductor.watch(&|snapshot| snapshot.beats >= until)
    }

    /// Waits until `done`, for at most this many cycles.
    fn within(&mut self, beats: u64, done: impl Fn(&Snapshot) -> bool) -> Snapshot {
        let until = self.conductor.snapshot().beats + beats;
        let snapshot = self.conductor.watch(&|snapshot| done(snapshot) || snapshot.beats >= until);
        assert!(done(&snapshot), "after {beats} beats: {:?} {:?}", snapshot.status, snapshot.doing);
        snapshot
    }

    fn plan(&self, motion: &Motion) -> Trajectory {
        let snapshot = self.conductor.snapshot();
        let rules = PlanRules { limits: &snapshot.limits, period: BEAT, automatic_body_yaw: true };
        motion.plan(&snapshot.commanded, &rules).unwrap()
    }

    fn start_motion(&mut self, motion: &Motion) {
        let (trajectory, halts) = (self.plan(motion), self.conductor.halts());
        self.conductor.order(Order::Play { trajectory, fresh: true, halts });
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
    let keyframe = |millis, side| Keyframe { at: Duration::from_millis(millis), target: to(side) };
    Motion::Play(vec![keyframe(750, 1.0), keyframe(1500, -1.0), keyframe(2250, 1.0), keyframe(3000, 0.0)])
}

/// Checks that each goal is at most one cycle of permitted motion away from the previous goal or, for a motor that
/// rejoined, from its position. No goal may be outside its range.
fn within_limits(beats: &[Beat], kind: FaultKind) {
    let limits = Limits::default();
    for pair in beats.windows(2) {
        for joint in Joint::ALL {
            let limit = limits.joints[joint];
            let [before, now] = [0, 1].map(|at| pair.get(at).unwrap());
            let reach = limit.speed.value() * BEAT.as_secs_f64() + 1e-9;
            let from_goal = (now.goal[joint] - before.goal[joint]).abs().value();
            let from_place = (now.goal[joint] - before.present[joint]).abs().value();
            let rejoined =
                from_place <= STEP + reach || (now.goal[joint] - now.present[joint]).abs().value() <= STEP;
            assert!(from_goal <= reach || rejoined, "{kind:?}: {joint} jumps by {from_goal} rad");
            let inside = limit.low - Radians(STEP)..=limit.high + Radians(STEP);
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
    let is_it = move |status: &Status| (status.kind, status.joint) == (kind, named_joint);
    let reported = rig.within(200, move |snapshot| snapshot.status.is_some_and(|status| is_it(&status)));
    assert_eq!(reported.status.unwrap().policy, kind.policy());
    let message = reported.status.unwrap().to_string();
    assert!(
        named_joint.is_none_or(|joint| message.contains(joint.name())) && message.contains(kind.remedy()),
        "{message}"
    );

    // The motion continues or ends.
    let ended = rig.within(500, |snapshot| snapshot.ended.is_some()).ended.unwrap();
    let rides_through = kind.policy() == Policy::RideThrough;
    assert_eq!(ended, if rides_through { Ended::Arrived } else { Ended::Faulted }, "{kind:?}");

    // The fault ends.
    let stage = if kind.policy() == Policy::StowAndRelease { Stage::GivenUp } else { Stage::Over };
    rig.within(1500, move |snapshot| snapshot.status.is_some_and(|status| status.stage == stage));
    rig.wait_cycles(10);
    if stage == Stage::Over {
        let halts = rig.conductor.halts();
        let trajectory = rig.plan(&sway());
        let after = rig.conductor.play(trajectory, halts);
        assert_eq!((after.ended, after.fault), (Some(Ended::Arrived), None), "{kind:?}");
        assert!((rig.probe)().iter().all(|(_, servo)| servo.torque), "{kind:?}: a motor has no torque");
    } else {
        let servos = (rig.probe)();
        assert!(servos.iter().all(|(_, servo)| !servo.torque), "{kind:?}: a motor still has torque");
        let place = posture_from_joints(&servos.map(|servo| servo.position), &Posture::sleep().head).unwrap();
        assert!(place.head.0.translation.z < -0.035, "{kind:?}: the head is at {}", place.head.0.translation);
        assert!(rig.conductor.snapshot().fault.is_some());
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
