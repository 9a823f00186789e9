//! Tests of the emulated servos through the serial port, with an independent library.

// A helper may fail the test.
#![allow(clippy::expect_used)]

use std::time::Duration;

use firmware_bridge::clock::{Clock, MonotonicClock};
use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::units::Radians;
use mock_robot::faults::{Fault, FaultKind, Faults};
use mock_robot::firmware::{Emulator, EmulatorOptions, Watchdog};
use rustypot::DynamixelProtocolHandler;
use rustypot::servo::dynamixel::xl330;
use serialport::SerialPort;

/// Slightly more than half a count.
const POSITION_TOLERANCE: f64 = 0.0008;

fn emulator(start: f64, faults: Faults) -> Emulator {
    let options = EmulatorOptions { link: None, faults, start: Joints::all(Radians(start)), paced: false };
    Emulator::start(options).expect("an emulator")
}

/// Opens a port with a long timeout: the tests check content, not how fast this machine switches threads.
fn open(emulator: &Emulator) -> Box<dyn SerialPort> {
    let path = emulator.path().to_str().expect("a plain path");
    serialport::new(path, 1_000_000).timeout(Duration::from_secs(5)).open().expect("a serial port")
}

fn ids() -> Vec<u8> {
    Joint::ALL.map(Joint::motor_id).to_vec()
}

/// Reads every 10 ms until all nine motors are at their goals.
fn arrived(handler: &DynamixelProtocolHandler, port: &mut dyn SerialPort, goal: &Joints) -> bool {
    let clock = MonotonicClock::start();
    (0..500).any(|_| {
        clock.wait_until(clock.now() + Duration::from_millis(10));
        let present = xl330::sync_read_present_position(handler, port, &ids()).expect("nine positions");
        goal.iter()
            .zip(&present)
            .all(|((_, goal), present)| (goal.value() - present).abs() < 2.0 * POSITION_TOLERANCE)
    })
}

#[test]
fn servos_answer_pings_reads_and_writes() {
    let emulator = emulator(0.25, Faults::default());
    let mut port = open(&emulator);
    let port = port.as_mut();
    let handler = DynamixelProtocolHandler::v2();

    assert!(ids().into_iter().all(|id| handler.ping(port, id).expect("a ping")));
    assert_eq!(xl330::read_model_number(&handler, port, 10).expect("a model"), 1240);
    assert_eq!(xl330::read_model_number(&handler, port, 11).expect("a model"), 1200);
    assert_eq!(xl330::read_model_number(&handler, port, 18).expect("a model"), 1190);
    let position = xl330::read_present_position(&handler, port, 14).expect("a position");
    assert!((position - 0.25).abs() < POSITION_TOLERANCE);
    assert_eq!(xl330::read_present_input_voltage(&handler, port, 14).expect("a voltage"), 50);

    xl330::write_led(&handler, port, 16, 1).expect("a write");
    assert_eq!(xl330::read_led(&handler, port, 16).expect("a read"), 1);
    xl330::write_torque_enable(&handler, port, 16, true).expect("a write");
    let error = handler.write_with_error(port, 16, 9, &[3]).expect("an answer");
    assert_eq!((error.v2_instruction_error(), error.v2_alert()), (7, false), "the EEPROM is locked");
    assert!(handler.reboot(port, 16).expect("a reboot"));
    assert!(!emulator.probe()[Joint::Stewart6].torque);
}

#[test]
fn sync_write_moves_nine_servos_as_both_sync_reads_report() {
    let emulator = emulator(0.0, Faults::default());
    let mut port = open(&emulator);
    let port = port.as_mut();
    let slow = DynamixelProtocolHandler::v2();
    let fast = DynamixelProtocolHandler::v2().with_fast_sync_read();
    let mut there = Joints::all(Radians(0.4));
    there[Joint::BodyYaw] = Radians(-2.0);
    there[Joint::LeftAntenna] = Radians(3.0);

    xl330::sync_write_torque_enable(&slow, port, &ids(), &[true; 9]).expect("torque");
    for (handler, goal) in [(&slow, there), (&fast, Joints::all(Radians(-0.3)))] {
        let goals = goal.as_array().map(Radians::value);
        xl330::sync_write_goal_position(&slow, port, &ids(), &goals).expect("goals");
        assert!(arrived(handler, port, &goal), "they went to {:?}", emulator.probe());
    }
    let probe = emulator.probe();
    assert!(
        probe
            .iter()
            .all(|(_, view)| view.torque && (view.position.value() + 0.3).abs() < 2.0 * POSITION_TOLERANCE)
    );

    // Both kinds of read return the same data, including a negative number.
    let both = |port: &mut dyn SerialPort| {
        [&slow, &fast].map(|handler| handler.sync_read(port, &ids(), 128, 8).expect("velocities, positions"))
    };
    // A joint that comes to rest may make its last step between the two reads.
    let same = (0..50).any(|_| {
        let [slow, fast] = both(port);
        slow == fast
    });
    assert!(same, "{:?}", both(port));
}

#[test]
fn goal_outside_the_limits_is_rejected() {
    let emulator = emulator(0.0, Faults::default());
    let mut port = open(&emulator);
    let handler = DynamixelProtocolHandler::v2();
    let error = handler.write_with_error(port.as_mut(), 11, 116, &0_i32.to_le_bytes()).expect("an answer");
    assert_eq!(error.v2_instruction_error(), 6);
    assert_eq!(emulator.probe()[Joint::Stewart1].goal, Radians::ZERO);
}

#[test]
fn port_survives_noise_and_misbehaving_clients() {
    let emulator = emulator(0.0, Faults::default());
    let mut flooding_client = open(&emulator);
    let ping_everyone = [0xFF, 0xFF, 0xFD, 0x00, 0xFE, 0x03, 0x00, 0x01, 0x31, 0x42];
    for _ in 0..2_000 {
        flooding_client.write_all(&ping_everyone).expect("bytes go out");
        flooding_client.write_all(&[0xFF, 0xFF, 0xFD, 0x00, 0x0A, 0xE8]).expect("bytes go out");
    }
    drop(flooding_client);
    let mut port = open(&emulator);
    let handler = DynamixelProtocolHandler::v2();
    port.clear(serialport::ClearBuffer::All).expect("a clean start");
    // The end of the noise may still be in transit; the line is clear after a few pings.
    let answered = (0..50).any(|_| {
        let answered = handler.ping(port.as_mut(), 12).unwrap_or(false);
        port.clear(serialport::ClearBuffer::All).expect("a clean start");
        answered
    });
    assert!(answered);
}

#[test]
fn silence_on_the_line_trips_the_watchdog() {
    let emulator = emulator(0.0, Faults::default());
    let mut port = open(&emulator);
    let handler = DynamixelProtocolHandler::v2();
    xl330::write_torque_enable(&handler, port.as_mut(), 17, true).expect("torque");
    xl330::write_bus_watchdog(&handler, port.as_mut(), 17, 1).expect("a watchdog");
    drop(port);
    let clock = MonotonicClock::start();
    let tripped = (0..500).any(|_| {
        clock.wait_until(clock.now() + Duration::from_millis(10));
        emulator.probe()[Joint::RightAntenna].watchdog == Watchdog::Tripped
    });
    assert!(tripped);
}

#[test]
fn link_is_created_and_removed_without_touching_other_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let link = folder.path().join("robot");
    let options = || EmulatorOptions {
        link: Some(link.clone()),
        faults: Faults::default(),
        start: Joints::all(Radians::ZERO),
        paced: false,
    };
    let emulator = Emulator::start(options()).expect("an emulator");
    assert_eq!(std::fs::read_link(&link).expect("a link"), emulator.path());
    let again = Emulator::start(options()).expect("a newer emulator takes the link over");
    drop(emulator);
    assert_eq!(std::fs::read_link(&link).expect("still there"), again.path());
    drop(again);
    assert!(std::fs::symlink_metadata(&link).is_err());

    std::fs::write(&link, "mine").expect("a file");
    let error = Emulator::start(options()).expect_err("the place is taken").to_string();
    assert!(error.contains("robot") && error.contains("choose another path"), "{error}");
    assert_eq!(std::fs::read_to_string(&link).expect("untouched"), "mine");
}

#[test]
fn unplugged_port_hangs_up_and_returns_under_its_link() {
    let folder = tempfile::tempdir().expect("a folder");
    let link = folder.path().join("robot");
    let start = Joints::all(Radians(0.2));
    let faults = Faults::default();
    let options = EmulatorOptions { link: Some(link.clone()), faults, start, paced: true };
    let emulator = Emulator::start(options).expect("an emulator");
    let mut port = open(&emulator);
    let handler = DynamixelProtocolHandler::v2();
    assert!(handler.ping(port.as_mut(), 10).expect("a ping"));
    xl330::write_torque_enable(&handler, port.as_mut(), 10, true).expect("torque");

    emulator.inject(Fault::of(FaultKind::PortGone).with_duration(Duration::from_millis(300)));
    let clock = MonotonicClock::start();
    let eventually = |mut it: Box<dyn FnMut() -> bool + '_>| {
        (0..500).any(|_| {
            clock.wait_until(clock.now() + Duration::from_millis(10));
            it()
        })
    };
    assert!(eventually(Box::new(|| port.write_all(&[0]).and_then(|()| port.flush()).is_err())), "no hang-up");
    drop(port);
    assert!(eventually(Box::new(|| link.exists())), "the link was not created again");
    let again = serialport::new(link.to_str().expect("a plain path"), 1_000_000);
    let mut port = again.timeout(Duration::from_secs(5)).open().expect("the port is back");
    assert!(handler.ping(port.as_mut(), 10).expect("a ping"));
    assert!(
        xl330::read_torque_enable(&handler, port.as_mut(), 10).expect("a read"),
        "the servos lost their power"
    );
}
