//! The motor bus on the emulated servos' serial line.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::num::NonZeroU32;
use std::time::Duration;

use firmware_bridge::bus::{BusOptions, MotorBus, scan};
use firmware_bridge::clock::Tick;
use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::robot::{Reading, Robot, RobotFault};
use firmware_bridge::units::Radians;
use mock_robot::faults::{Faults, HardwareError};
use mock_robot::firmware::{Emulator, EmulatorOptions, Watchdog};

/// Half a raw step.
const HALF_STEP: f64 = std::f64::consts::PI / 4096.0;

fn options() -> BusOptions {
    // Longer than the servos need, since other tests share the processor.
    BusOptions { reply_timeout: Duration::from_millis(50), watchdog: None, ..BusOptions::default() }
}

fn emulated(faults: Faults) -> Emulator {
    let start = Joints::from_fn(|joint| Radians(0.1 + 0.02 * joint.index() as f64));
    Emulator::start(EmulatorOptions { link: None, faults, start }).unwrap()
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
