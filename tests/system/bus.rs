//! The motor bus on the emulated servos' serial line.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::num::NonZeroU32;
use std::time::Duration;

use firmware_bridge::bus::{BusOptions, MotorBus, scan};
use firmware_bridge::clock::{Tick, WallClock};
use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::limits::Limits;
use firmware_bridge::motion::{Interpolation, Motion, PlanRules, Target};
use firmware_bridge::posture::{Antennas, HeadPose, Posture, RollPitchYaw};
use firmware_bridge::pulse::{Ended, Order, Pulse};
use firmware_bridge::robot::{Reading, Robot, RobotFault};
use firmware_bridge::trace::{Trace, Traced};
use firmware_bridge::units::Radians;
use minismith::body::initial_joints;
use mock_robot::faults::{Faults, HardwareError, WatchdogFirmware};
use mock_robot::firmware::{Emulator, EmulatorOptions, Watchdog};

/// Half a raw step.
const HALF_STEP: f64 = std::f64::consts::PI / 4096.0;

fn options() -> BusOptions {
    // Longer than the servos need, since other tests share the processor.
    BusOptions { reply_timeout: Duration::from_millis(50), watchdog: None, ..BusOptions::default() }
}

fn emulated(faults: Faults) -> Emulator {
    let start = Joints::from_fn(|joint| Radians(0.1 + 0.02 * joint.index() as f64));
    Emulator::start(EmulatorOptions { link: None, faults, start, paced: true }).unwrap()
}

const BEAT: Duration = Duration::from_millis(10);

/// All nine joints go somewhere and back, at 100 beats a second, on the emulated servos.
fn nine_joints_dance(faults: Faults, options: &BusOptions) {
    let emulator = Emulator::start(EmulatorOptions {
        link: None,
        faults: faults.clone(),
        start: initial_joints(),
        paced: true,
    })
    .unwrap();
    let bus = MotorBus::open(emulator.path(), options).unwrap();
    let trace = Trace::with_room_for(1_000);
    let limits = Limits::default();
    let mut pulse = Pulse::new(Traced::new(bus, trace.clone()), WallClock::start(), limits, BEAT).unwrap();
    pulse.take(Order::Torque(Joints::all(true)));
    assert!(pulse.step().state.torque.iter().all(|(_, on)| *on));
    let start = emulator.probe();
    for side in [1.0, -1.0] {
        let degrees = |angle: f64| Radians::from_degrees(angle * side);
        let angles = RollPitchYaw { roll: degrees(10.0), pitch: degrees(12.0), yaw: degrees(30.0) };
        let target = Target::of(&Posture {
            head: HeadPose::new(0.0, 0.0, 0.005, angles),
            body_yaw: degrees(50.0),
            antennas: Antennas { right: degrees(100.0), left: degrees(-100.0) },
        });
        let duration = Duration::from_millis(700);
        let motion = Motion::Goto { target, duration, interpolation: Interpolation::Minjerk };
        let rules = PlanRules { limits: &limits, period: BEAT, automatic_body_yaw: false };
        let trajectory = motion.plan(&pulse.snapshot().commanded, &rules).unwrap();
        pulse.take(Order::Play { trajectory, fresh: true, halts: 0 });
        while pulse.step().ended.is_none() {}
        assert_eq!(pulse.snapshot().ended, Some(Ended::Arrived), "{faults:?}: {:?}", pulse.snapshot().fault);
        // More than the slowest joint needs to close its lag, and one look in which every motor is asked.
        for _ in 0..60 {
            assert_eq!(pulse.step().fault, None, "{faults:?}");
        }
        let commanded = pulse.snapshot().commanded;
        for (joint, servo) in emulator.probe().iter() {
            let off = (servo.position - commanded[joint]).abs().value();
            assert!(off <= HALF_STEP + 1e-6, "{joint} stands {off} rad from its goal with {faults:?}");
            let moved = (servo.position - start[joint].position).abs().value();
            assert!(moved > 0.01, "{joint} moved by {moved} rad only");
            let read = pulse.snapshot().state.readings[joint].known().unwrap();
            assert!((read - servo.position).abs().value() <= HALF_STEP + 1e-6, "{joint} is read at {read:?}");
        }
    }
    let beats = trace.take();
    let mut last = Joints::all(0.0);
    for pair in beats.windows(2) {
        for joint in Joint::ALL {
            let speed = (pair[1].goal[joint] - pair[0].goal[joint]).value() / BEAT.as_secs_f64();
            let limit = limits.joints[joint];
            let change = (speed - last[joint]).abs() / BEAT.as_secs_f64();
            assert!(speed.abs() <= limit.speed.value() + 1e-9, "{joint} at {speed} rad/s");
            assert!(change <= limit.acceleration.value() + 1e-6, "{joint} changes by {change} rad/s2");
            last[joint] = speed;
        }
    }
}

#[test]
fn all_nine_follow_a_motion() {
    nine_joints_dance(Faults::default(), &options());
}

#[test]
fn all_nine_follow_a_motion_on_a_line_that_loses_one_answer_in_a_hundred() {
    let every = |count| Some(NonZeroU32::new(count).unwrap());
    let bad = Faults { corrupt_every: every(211), drop_every: every(199), ..Faults::default() };
    nine_joints_dance(bad, &options());
}

#[test]
fn all_nine_follow_a_motion_with_older_firmware() {
    let old = Faults { no_fast_sync_read: true, ..Faults::default() };
    nine_joints_dance(old.clone(), &options());
    let no_watchdog = Faults { watchdog: WatchdogFirmware::Absent, ..old };
    nine_joints_dance(no_watchdog, &options());
}

#[test]
fn all_nine_follow_a_motion_under_armed_watchdogs() {
    let watched = BusOptions { watchdog: BusOptions::default().watchdog, ..options() };
    nine_joints_dance(Faults::default(), &watched);
}

fn opened(faults: Faults) -> (Emulator, Result<MotorBus, RobotFault>) {
    let emulator = emulated(faults);
    let bus = MotorBus::open(emulator.path(), &options());
    (emulator, bus)
}

#[test]
fn the_emulated_robot_opens_limp_and_is_read() {
    for no_fast_sync_read in [false, true] {
        let (emulator, bus) = opened(Faults { no_fast_sync_read, ..Faults::default() });
        let state = bus.unwrap().sense(Tick(1)).unwrap();
        assert_eq!(state.torque, Joints::all(false));
        for (joint, servo) in emulator.probe().iter() {
            let Reading::Fresh(position) = state.readings[joint] else { panic!("{joint} did not answer") };
            assert!((position - servo.position).abs().value() <= HALF_STEP + 1e-9, "{joint}");
            assert!((servo.goal - servo.position).abs().value() <= HALF_STEP + 1e-9, "{joint}");
        }
    }
}

#[test]
fn the_watchdogs_are_armed_while_the_bus_is_open() {
    let emulator = emulated(Faults::default());
    let with_watchdog = BusOptions { watchdog: Some(Duration::from_secs(2)), ..options() };
    let bus = MotorBus::open(emulator.path(), &with_watchdog).unwrap();
    assert!(emulator.probe().iter().all(|(_, servo)| servo.watchdog == Watchdog::Armed));
    drop(bus);
    assert!(emulator.probe().iter().all(|(_, servo)| servo.watchdog == Watchdog::Off));
}

#[test]
fn one_program_at_a_time() {
    let (emulator, bus) = opened(Faults::default());
    let bus = bus.unwrap();
    let port = emulator.path().display().to_string();
    let busy = MotorBus::open(emulator.path(), &options()).err();
    assert_eq!(busy, Some(RobotFault::PortBusy { port }));
    drop(bus);
    assert!(MotorBus::open(emulator.path(), &options()).is_ok());
}

#[test]
fn what_ails_the_emulated_servos_is_named() {
    let silent = vec![Joint::Stewart3, Joint::LeftAntenna];
    let (_emulator, bus) = opened(Faults { silent: silent.clone(), ..Faults::default() });
    assert_eq!(bus.err(), Some(RobotFault::Missing { joints: silent }));

    let (_emulator, bus) = opened(Faults { voltage: 4.0, ..Faults::default() });
    assert!(matches!(bus.err(), Some(RobotFault::LowVoltage { volts: 4.0, least: 4.5, .. })));
}

#[test]
fn an_overload_from_before_is_gone_after_the_reboot() {
    let overloaded = [(Joint::Stewart1, HardwareError::Overload)].into();
    let (emulator, bus) = opened(Faults { hardware_error: overloaded, ..Faults::default() });
    bus.unwrap();
    assert_eq!(emulator.probe()[Joint::Stewart1].hardware_error, 0);
}

#[test]
fn a_bad_line_costs_readings_and_not_the_robot() {
    let every = |count| Some(NonZeroU32::new(count).unwrap());
    let bad = Faults { corrupt_every: every(23), drop_every: every(31), ..Faults::default() };
    let (_emulator, bus) = opened(bad);
    let mut bus = bus.unwrap();
    let mut fresh = 0;
    for beat in 0..100 {
        let state = bus.sense(Tick(beat)).unwrap();
        fresh += state.readings.iter().filter(|(_, it)| matches!(it, Reading::Fresh(_))).count();
    }
    assert!(fresh > 700, "{fresh} of 900 readings");
}

#[test]
fn a_scan_lists_the_nine() {
    let emulator = emulated(Faults { silent: vec![Joint::Stewart6], ..Faults::default() });
    let reports = scan(emulator.path(), &options()).unwrap();
    let ids: Vec<u8> = reports.iter().map(|report| report.id).collect();
    assert_eq!(ids, [10, 11, 12, 13, 14, 15, 17, 18]);
    assert!(reports.iter().all(|report| report.mode == 3 && !report.torque && report.volts == 5.0));
}
