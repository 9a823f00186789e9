//! Tests of the servos' manuals through a serial port, with rustypot.
//!
//! The same tests run on real servos: with `MINISMITH_PORT=/dev/ttyACM0` they use the robot there instead of the
//! emulator (`cargo test -p mock-robot --test conformance -- --test-threads=1`). Only the right antenna moves, by at
//! most 12 degrees. No leg gets torque and the body does not turn. The EEPROM is written once, with its own content.
//!
//! Manuals by ROBOTIS: <https://emanual.robotis.com/docs/en/dxl/protocol2/> and the control table of
//! <https://emanual.robotis.com/docs/en/dxl/x/xl330-m288/>.

// A helper may fail the test.
#![allow(clippy::expect_used, clippy::indexing_slicing)]

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use firmware_bridge::clock::{Clock, MonotonicClock};
use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::units::Radians;
use mock_robot::faults::{Fault, FaultKind, Faults};
use mock_robot::firmware::{Emulator, EmulatorOptions};
use rustypot::DynamixelProtocolHandler;
use serialport::{ClearBuffer, SerialPort};

/// The antenna that may move.
const ANTENNA_ID: u8 = 17;
/// The distance that it moves: 12 degrees.
const TRAVEL: i32 = 137;

const RETURN_DELAY: u8 = 9;
const MODE: u8 = 11;
const HIGHEST: u8 = 48;
const LOWEST: u8 = 52;
const TORQUE: u8 = 64;
const LED: u8 = 65;
const STATUS_RETURN_LEVEL: u8 = 68;
const HARDWARE_ERROR: u8 = 70;
const GAINS: u8 = 80;
const WATCHDOG: u8 = 98;
const GOAL: u8 = 116;
const PRESENT: u8 = 132;

/// A real robot serves one test at a time.
static ROBOT_LOCK: Mutex<()> = Mutex::new(());

/// A port to nine servos.
struct TestBus {
    port: Box<dyn SerialPort>,
    bus: DynamixelProtocolHandler,
    clock: MonotonicClock,
    // The line must close before the emulator is dropped.
    emulator: Option<Emulator>,
    _lock: MutexGuard<'static, ()>,
}

impl TestBus {
    fn open() -> TestBus {
        let lock = ROBOT_LOCK.lock().unwrap_or_else(PoisonError::into_inner);
        let real = std::env::var("MINISMITH_PORT").ok();
        let emulator = real.is_none().then(|| {
            let start = Joints::all(Radians(0.1));
            let faults = Faults::default();
            let options = EmulatorOptions { link: None, faults, start, paced: true };
            Emulator::start(options).expect("an emulator")
        });
        let emulated = || emulator.as_ref().and_then(|it| it.path().to_str().map(str::to_owned));
        let path = real.or_else(emulated).expect("a port");
        // Long timeout: these tests check content, not how fast a busy machine answers.
        let port = serialport::new(path, 1_000_000)
            .timeout(Duration::from_millis(500))
            .open()
            .expect("an open port");
        let bus = DynamixelProtocolHandler::v2();
        let mut servos = TestBus { port, bus, clock: MonotonicClock::start(), emulator, _lock: lock };
        // Clears the state that the previous test left.
        for id in ids() {
            servos.write(id, WATCHDOG, &[0]);
        }
        assert_eq!(servos.write(ANTENNA_ID, TORQUE, &[0]), 0, "the right antenna has an error");
        servos
    }

    /// Writes, and returns the error number of the servo's answer.
    fn write(&mut self, id: u8, register: u8, data: &[u8]) -> u8 {
        let error = self.bus.write_with_error(self.port.as_mut(), id, register, data);
        error.expect("an answer").v2_instruction_error()
    }

    fn read(&mut self, id: u8, register: u8, width: u8) -> Vec<u8> {
        self.bus.read(self.port.as_mut(), id, register, width).expect("an answer")
    }

    fn number(&mut self, id: u8, register: u8, width: u8) -> i32 {
        let bytes = self.read(id, register, width);
        let sign = if bytes.get(3).is_some_and(|top| top & 0x80 != 0) { 0xFF } else { 0 };
        i32::from_le_bytes([0, 1, 2, 3].map(|index| bytes.get(index).copied().unwrap_or(sign)))
    }

    fn wait(&self, millis: u64) {
        self.clock.wait_until(self.clock.now() + Duration::from_millis(millis));
    }

    /// Enables torque at the antenna's present position.
    fn hold(&mut self) -> i32 {
        assert_eq!(self.write(ANTENNA_ID, MODE, &[3]), 0);
        assert_eq!(self.write(ANTENNA_ID, GAINS, &[0, 0, 0, 0, 200, 0]), 0);
        let here = self.number(ANTENNA_ID, PRESENT, 4).clamp(300, 3_800);
        assert_eq!(self.write(ANTENNA_ID, GOAL, &here.to_le_bytes()), 0);
        assert_eq!(self.write(ANTENNA_ID, TORQUE, &[1]), 0);
        self.wait(200);
        here
    }

    /// Waits for a servo that reboots.
    fn wait_for_reboot(&mut self, id: u8) -> bool {
        (0..100).any(|_| {
            self.wait(20);
            self.port.clear(ClearBuffer::All).expect("a clean line");
            self.bus.ping(self.port.as_mut(), id).unwrap_or(false)
        })
    }
}

impl Drop for TestBus {
    fn drop(&mut self) {
        // After a failed test the antenna's torque goes off too; a lost line is ignored.
        let _ = self.bus.write(self.port.as_mut(), ANTENNA_ID, WATCHDOG, &[0]);
        let _ = self.bus.write(self.port.as_mut(), ANTENNA_ID, TORQUE, &[0]);
    }
}

fn ids() -> [u8; 9] {
    Joint::ALL.map(Joint::motor_id)
}

#[test]
fn ping_returns_model_and_firmware() {
    let mut servos = TestBus::open();
    for id in ids() {
        assert!(servos.bus.ping(servos.port.as_mut(), id).expect("an answer"));
        let expected = match id {
            10 => [1240, 1230],
            11..=16 => [1200, 1200],
            _ => [1190, 1190],
        };
        // The body's motor is made for this robot; it may have the number of the related model.
        let model = servos.number(id, 0, 2);
        assert!(expected.contains(&model), "motor {id} is a {model}");
        assert!(servos.number(id, 6, 1) >= 46, "motor {id}: firmware without fast sync read");
        assert_eq!(servos.number(id, 7, 1), i32::from(id));
        servos.port.clear(ClearBuffer::All).expect("a clean line");
        // The raw bytes: FF FF FD 00, id, length 7, a status, no error, model, firmware, checksum.
        let ping = [0xFF, 0xFF, 0xFD, 0x00, id, 3, 0, 1];
        let sum = checksum(&ping);
        servos.port.write_all(&[&ping[..], &sum.to_le_bytes()].concat()).expect("a question");
        let mut answer = [0; 14];
        servos.port.read_exact(&mut answer).expect("an answer of 14 bytes");
        assert_eq!(answer[..8], [0xFF, 0xFF, 0xFD, 0x00, id, 7, 0, 0x55]);
        assert_eq!(i32::from(u16::from_le_bytes([answer[9], answer[10]])), model);
        assert_eq!(checksum(&answer[..12]).to_le_bytes(), answer[12..]);
    }
}

/// Computes the checksum bit by bit, as the manual describes it.
fn checksum(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0, |sum: u16, byte| {
        (0..8).fold(sum ^ (u16::from(*byte) << 8), |sum, _| {
            if sum & 0x8000 == 0 { sum << 1 } else { (sum << 1) ^ 0x8005 }
        })
    })
}

#[test]
fn every_register_has_the_width_in_the_manual() {
    let mut servos = TestBus::open();
    // Address and width; 147 is the last register.
    let table: &[(u8, u8)] = &[
        (0, 2),
        (2, 4),
        (6, 1),
        (7, 1),
        (8, 1),
        (9, 1),
        (10, 1),
        (11, 1),
        (12, 1),
        (13, 1),
        (20, 4),
        (24, 4),
        (31, 1),
        (32, 2),
        (34, 2),
        (36, 2),
        (38, 2),
        (44, 4),
        (48, 4),
        (52, 4),
        (60, 1),
        (62, 1),
        (63, 1),
        (64, 1),
        (65, 1),
        (68, 1),
        (69, 1),
        (70, 1),
        (76, 2),
        (78, 2),
        (80, 2),
        (82, 2),
        (84, 2),
        (88, 2),
        (90, 2),
        (98, 1),
        (100, 2),
        (102, 2),
        (104, 4),
        (108, 4),
        (112, 4),
        (116, 4),
        (120, 2),
        (122, 1),
        (123, 1),
        (124, 2),
        (126, 2),
        (128, 4),
        (132, 4),
        (136, 4),
        (140, 4),
        (144, 2),
        (146, 1),
        (147, 1),
    ];
    for (address, width) in table {
        assert_eq!(
            servos.read(ANTENNA_ID, *address, *width).len(),
            usize::from(*width),
            "register {address}"
        );
    }
    assert_eq!(servos.write(ANTENNA_ID, GOAL, &[0, 8]), 5, "half a goal has the wrong length");
    assert_eq!(servos.write(ANTENNA_ID, PRESENT, &[0, 8, 0, 0]), 7, "a measurement is read-only");
    assert_eq!(servos.write(ANTENNA_ID, TORQUE, &[2]), 4, "torque is 0 or 1");
    assert!((30..=75).contains(&servos.number(ANTENNA_ID, 144, 2)), "tenths of a volt");
    assert!((5..70).contains(&servos.number(ANTENNA_ID, 146, 1)), "degrees Celsius");
}

#[test]
fn eeprom_is_locked_while_torque_is_on() {
    let mut servos = TestBus::open();
    let stored = servos.read(ANTENNA_ID, RETURN_DELAY, 1);
    assert_eq!(servos.write(ANTENNA_ID, RETURN_DELAY, &stored), 0);
    servos.hold();
    assert_eq!(servos.write(ANTENNA_ID, RETURN_DELAY, &stored), 7);
    assert_eq!(servos.write(ANTENNA_ID, MODE, &[3]), 7);
    assert_eq!(
        (servos.write(ANTENNA_ID, LED, &[1]), servos.write(ANTENNA_ID, LED, &[0])),
        (0, 0),
        "a RAM register is not locked"
    );
}

#[test]
fn goal_outside_the_limits_is_rejected_and_the_old_one_stays() {
    let mut servos = TestBus::open();
    for id in ids().into_iter().filter(|id| *id != ANTENNA_ID) {
        let (low, high) = (servos.number(id, LOWEST, 4), servos.number(id, HIGHEST, 4));
        let goal = servos.number(id, GOAL, 4);
        // Rejected or not, nothing moves: these motors have no torque, and a motor with torque is skipped.
        if servos.number(id, TORQUE, 1) == 0 {
            for outside in [low - 1, high + 1] {
                assert_eq!(servos.write(id, GOAL, &outside.to_le_bytes()), 6, "motor {id} accepts {outside}");
            }
            assert_eq!(servos.number(id, GOAL, 4), goal);
        }
    }
}

#[test]
fn sync_read_and_fast_sync_read_return_the_same_in_order() {
    let mut servos = TestBus::open();
    let fast = DynamixelProtocolHandler::v2().with_fast_sync_read();
    let mut order = ids();
    order.reverse();
    for ids in [ids(), order] {
        // Rustypot checks the checksums, and that each servo answers in turn.
        let slow = servos.bus.sync_read(servos.port.as_mut(), &ids, 7, 1).expect("nine answers");
        let fast = fast.sync_read(servos.port.as_mut(), &ids, 7, 1).expect("one answer of nine");
        let expected: Vec<Vec<u8>> = ids.iter().map(|id| vec![*id]).collect();
        assert_eq!((&slow, &fast), (&expected, &expected));
    }
    let ids = ids();
    let slow = servos.bus.sync_read(servos.port.as_mut(), &ids, LOWEST, 4).expect("nine answers");
    assert_eq!(slow, fast.sync_read(servos.port.as_mut(), &ids, LOWEST, 4).expect("one answer of nine"));
}

#[test]
fn watchdog_trips_after_its_timeout_and_is_cleared_by_zero() {
    let mut servos = TestBus::open();
    let here = servos.hold();
    assert_eq!(servos.write(ANTENNA_ID, WATCHDOG, &[100]), 0, "two seconds");
    servos.wait(400);
    assert_eq!(servos.number(ANTENNA_ID, WATCHDOG, 1), 100, "0.4 s are within 100 units");
    assert_eq!(servos.write(ANTENNA_ID, WATCHDOG, &[5]), 0, "0.1 seconds");
    servos.wait(400);
    assert_eq!(servos.number(ANTENNA_ID, WATCHDOG, 1), 255, "the watchdog has tripped");
    assert_ne!(servos.write(ANTENNA_ID, GOAL, &here.to_le_bytes()), 0, "a goal is rejected");
    assert_eq!(servos.write(ANTENNA_ID, WATCHDOG, &[0]), 0);
    assert_eq!(servos.write(ANTENNA_ID, GOAL, &here.to_le_bytes()), 0, "a goal is accepted");
}

#[test]
fn reboot_resets_torque_and_ram_registers() {
    let mut servos = TestBus::open();
    servos.hold();
    assert_eq!(servos.write(ANTENNA_ID, GAINS, &[0, 0, 0, 0, 210, 0]), 0);
    servos.bus.reboot(servos.port.as_mut(), ANTENNA_ID).expect("an answer");
    assert!(servos.wait_for_reboot(ANTENNA_ID));
    assert_eq!((servos.number(ANTENNA_ID, TORQUE, 1), servos.number(ANTENNA_ID, HARDWARE_ERROR, 1)), (0, 0));
    assert_ne!(servos.number(ANTENNA_ID, GAINS + 4, 2), 210);
    assert_eq!(servos.number(ANTENNA_ID, WATCHDOG, 1), 0);
}

#[test]
fn position_mode_reaches_a_near_goal_in_time() {
    let mut servos = TestBus::open();
    let here = servos.hold();
    for goal in [here + TRAVEL, here] {
        assert_eq!(servos.write(ANTENNA_ID, GOAL, &goal.to_le_bytes()), 0);
        // 12 degrees take a tenth of a second; friction may keep the antenna some counts away.
        let arrived = (0..100).any(|_| {
            servos.wait(20);
            (servos.number(ANTENNA_ID, PRESENT, 4) - goal).abs() <= 30
        });
        assert!(arrived, "the antenna is at {} instead of {goal}", servos.number(ANTENNA_ID, PRESENT, 4));
        assert_eq!(servos.number(ANTENNA_ID, GOAL, 4), goal);
    }
}

#[test]
fn status_return_level_suppresses_answers() {
    let mut servos = TestBus::open();
    let level = |servos: &mut TestBus, level: u8| {
        // Whether this write is answered depends on the level; remaining bytes are discarded.
        let _ = servos.bus.write(servos.port.as_mut(), ANTENNA_ID, STATUS_RETURN_LEVEL, &[level]);
        servos.wait(20);
        servos.port.clear(ClearBuffer::All).expect("a clean line");
        servos.port.set_timeout(Duration::from_millis(100)).expect("a timeout");
    };
    level(&mut servos, 1);
    assert!(
        servos.bus.write_with_error(servos.port.as_mut(), ANTENNA_ID, LED, &[0]).is_err(),
        "writes are not answered"
    );
    assert_eq!(servos.number(ANTENNA_ID, STATUS_RETURN_LEVEL, 1), 1);
    level(&mut servos, 0);
    assert!(servos.bus.read(servos.port.as_mut(), ANTENNA_ID, LED, 1).is_err(), "reads are not answered");
    assert!(servos.bus.ping(servos.port.as_mut(), ANTENNA_ID).expect("an answer"), "a ping always is");
    level(&mut servos, 2);
    assert_eq!(servos.write(ANTENNA_ID, LED, &[0]), 0);
}

#[test]
fn hardware_error_is_reported_in_every_answer_until_reboot() {
    let mut servos = TestBus::open();
    // This error is not provoked on a real servo; there, the test only checks that both places agree.
    if let Some(emulator) = &servos.emulator {
        emulator.inject(Fault::of(FaultKind::Overload).on(Joint::RightAntenna));
    }
    for id in ids() {
        let (bits, error) =
            servos.bus.read_with_error(servos.port.as_mut(), id, HARDWARE_ERROR, 1).expect("an answer");
        assert_eq!(error.v2_alert(), bits != [0], "motor {id}: register 70 is {bits:?}");
    }
    if servos.emulator.is_some() {
        assert_eq!(servos.read(ANTENNA_ID, HARDWARE_ERROR, 1), [0x20]);
        assert_ne!(servos.write(ANTENNA_ID, TORQUE, &[1]), 0);
        servos.bus.reboot(servos.port.as_mut(), ANTENNA_ID).expect("an answer");
        assert!(servos.wait_for_reboot(ANTENNA_ID));
        assert_eq!(servos.read(ANTENNA_ID, HARDWARE_ERROR, 1), [0]);
    }
}
