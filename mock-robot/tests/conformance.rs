//! What the servos' manuals promise, asked of them through a serial port with rustypot.
//!
//! The same questions hold for real servos: with `MINISMITH_PORT=/dev/ttyACM0` they are put to the robot there instead of
//! the emulator (`cargo test -p mock-robot --test conformance -- --test-threads=1`). All that moves is the right antenna,
//! by 12 degrees at most; no leg is driven and the body is not turned. The EEPROM is written once, with what it held.
//!
//! The manuals are ROBOTIS's: <https://emanual.robotis.com/docs/en/dxl/protocol2/> and the control table of
//! <https://emanual.robotis.com/docs/en/dxl/x/xl330-m288/>.

// A helper of a test may end it.
#![allow(clippy::expect_used, clippy::indexing_slicing)]

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use firmware_bridge::clock::{Clock, WallClock};
use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::units::Radians;
use mock_robot::faults::{Fault, FaultKind, Faults};
use mock_robot::firmware::{Emulator, EmulatorOptions};
use rustypot::DynamixelProtocolHandler;
use serialport::{ClearBuffer, SerialPort};

/// The antenna that may be moved.
const MOVED: u8 = 17;
/// How far it is moved: 12 degrees.
const A_LITTLE: i32 = 137;

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

/// One real robot is there for one test at a time.
static TURN: Mutex<()> = Mutex::new(());

/// A port with nine servos behind it, and how they are spoken to.
struct Desk {
    port: Box<dyn SerialPort>,
    bus: DynamixelProtocolHandler,
    clock: WallClock,
    // The line closes before the servos behind it go.
    emulator: Option<Emulator>,
    _turn: MutexGuard<'static, ()>,
}

impl Desk {
    fn open() -> Desk {
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let real = std::env::var("MINISMITH_PORT").ok();
        let emulator = real.is_none().then(|| {
            let start = Joints::all(Radians(0.1));
            let faults = Faults::default();
            let options = EmulatorOptions { link: None, faults, start, paced: true };
            Emulator::start(options).expect("an emulator")
        });
        let emulated = || emulator.as_ref().and_then(|it| it.path().to_str().map(str::to_owned));
        let path = real.or_else(emulated).expect("a port");
        // Patient: these are questions of words, not of how quickly a busy machine answers.
        let port = serialport::new(path, 1_000_000)
            .timeout(Duration::from_millis(500))
            .open()
            .expect("an open port");
        let bus = DynamixelProtocolHandler::v2();
        let mut desk = Desk { port, bus, clock: WallClock::start(), emulator, _turn: turn };
        // However the last test left it.
        for id in ids() {
            desk.say(id, WATCHDOG, &[0]);
        }
        assert_eq!(desk.say(MOVED, TORQUE, &[0]), 0, "the right antenna is in order");
        desk
    }

    /// Writes; the number of the error that the servo answers.
    fn say(&mut self, id: u8, register: u8, data: &[u8]) -> u8 {
        let error = self.bus.write_with_error(self.port.as_mut(), id, register, data);
        error.expect("an answer").v2_instruction_error()
    }

    fn read(&mut self, id: u8, register: u8, width: u8) -> Vec<u8> {
        self.bus.read(self.port.as_mut(), id, register, width).expect("an answer")
    }

    fn number(&mut self, id: u8, register: u8, width: u8) -> i32 {
        let bytes = self.read(id, register, width);
        let sign = if bytes.get(3).is_some_and(|top| top & 0x80 != 0) { 0xFF } else { 0 };
        i32::from_le_bytes([0, 1, 2, 3].map(|place| bytes.get(place).copied().unwrap_or(sign)))
    }

    fn wait(&self, millis: u64) {
        self.clock.wait_until(self.clock.now() + Duration::from_millis(millis));
    }

    /// Torque on where the antenna stands.
    fn hold(&mut self) -> i32 {
        assert_eq!(self.say(MOVED, MODE, &[3]), 0);
        assert_eq!(self.say(MOVED, GAINS, &[0, 0, 0, 0, 200, 0]), 0);
        let here = self.number(MOVED, PRESENT, 4).clamp(300, 3_800);
        assert_eq!(self.say(MOVED, GOAL, &here.to_le_bytes()), 0);
        assert_eq!(self.say(MOVED, TORQUE, &[1]), 0);
        self.wait(200);
        here
    }

    /// Waits for a servo that has started anew.
    fn back(&mut self, id: u8) -> bool {
        (0..100).any(|_| {
            self.wait(20);
            self.port.clear(ClearBuffer::All).expect("a clean line");
            self.bus.ping(self.port.as_mut(), id).unwrap_or(false)
        })
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        // A test that failed leaves the antenna limp too; there is nothing to do about a line that is gone.
        let _ = self.bus.write(self.port.as_mut(), MOVED, WATCHDOG, &[0]);
        let _ = self.bus.write(self.port.as_mut(), MOVED, TORQUE, &[0]);
    }
}

fn ids() -> [u8; 9] {
    Joint::ALL.map(Joint::motor_id)
}

#[test]
fn a_ping_is_answered_with_model_and_firmware() {
    let mut desk = Desk::open();
    for id in ids() {
        assert!(desk.bus.ping(desk.port.as_mut(), id).expect("an answer"));
        let expected = match id {
            10 => [1240, 1230],
            11..=16 => [1200, 1200],
            _ => [1190, 1190],
        };
        // The body's motor is made for this robot; it may bear its sister's number.
        let model = desk.number(id, 0, 2);
        assert!(expected.contains(&model), "motor {id} is a {model}");
        assert!(desk.number(id, 6, 1) >= 46, "motor {id}: firmware without fast sync read");
        assert_eq!(desk.number(id, 7, 1), i32::from(id));
        desk.port.clear(ClearBuffer::All).expect("a clean line");
        // The bytes themselves: FF FF FD 00, id, length 7, a status, no error, model, firmware, checksum.
        let ping = [0xFF, 0xFF, 0xFD, 0x00, id, 3, 0, 1];
        let sum = checksum(&ping);
        desk.port.write_all(&[&ping[..], &sum.to_le_bytes()].concat()).expect("a question");
        let mut answer = [0; 14];
        desk.port.read_exact(&mut answer).expect("an answer of 14 bytes");
        assert_eq!(answer[..8], [0xFF, 0xFF, 0xFD, 0x00, id, 7, 0, 0x55]);
        assert_eq!(i32::from(u16::from_le_bytes([answer[9], answer[10]])), model);
        assert_eq!(checksum(&answer[..12]).to_le_bytes(), answer[12..]);
    }
}

/// Bit by bit, as the manual describes it.
fn checksum(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0, |sum: u16, byte| {
        (0..8).fold(sum ^ (u16::from(*byte) << 8), |sum, _| {
            if sum & 0x8000 == 0 { sum << 1 } else { (sum << 1) ^ 0x8005 }
        })
    })
}

#[test]
fn every_register_has_the_width_of_the_manuals_table() {
    let mut desk = Desk::open();
    // Address and width; 147 is the last.
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
        assert_eq!(desk.read(MOVED, *address, *width).len(), usize::from(*width), "register {address}");
    }
    assert_eq!(desk.say(MOVED, GOAL, &[0, 8]), 5, "half a goal is a wrong length");
    assert_eq!(desk.say(MOVED, PRESENT, &[0, 8, 0, 0]), 7, "a measurement can't be written");
    assert_eq!(desk.say(MOVED, TORQUE, &[2]), 4, "torque is 0 or 1");
    assert!((30..=75).contains(&desk.number(MOVED, 144, 2)), "tenths of a volt");
    assert!((5..70).contains(&desk.number(MOVED, 146, 1)), "degrees Celsius");
}

#[test]
fn the_eeprom_is_locked_while_torque_is_on() {
    let mut desk = Desk::open();
    let held = desk.read(MOVED, RETURN_DELAY, 1);
    assert_eq!(desk.say(MOVED, RETURN_DELAY, &held), 0);
    desk.hold();
    assert_eq!(desk.say(MOVED, RETURN_DELAY, &held), 7);
    assert_eq!(desk.say(MOVED, MODE, &[3]), 7);
    assert_eq!(
        (desk.say(MOVED, LED, &[1]), desk.say(MOVED, LED, &[0])),
        (0, 0),
        "what is not kept is not locked"
    );
}

#[test]
fn a_goal_outside_the_limits_is_refused_and_the_old_one_stays() {
    let mut desk = Desk::open();
    for id in ids().into_iter().filter(|id| *id != MOVED) {
        let (low, high) = (desk.number(id, LOWEST, 4), desk.number(id, HIGHEST, 4));
        let goal = desk.number(id, GOAL, 4);
        // Refused or not, nothing moves: no such motor is driven here, and a driven one is not asked.
        if desk.number(id, TORQUE, 1) == 0 {
            for outside in [low - 1, high + 1] {
                assert_eq!(desk.say(id, GOAL, &outside.to_le_bytes()), 6, "motor {id} takes {outside}");
            }
            assert_eq!(desk.number(id, GOAL, 4), goal);
        }
    }
}

#[test]
fn both_kinds_of_sync_read_keep_the_order_and_say_the_same() {
    let mut desk = Desk::open();
    let fast = DynamixelProtocolHandler::v2().with_fast_sync_read();
    let mut order = ids();
    order.reverse();
    for ids in [ids(), order] {
        // Rustypot checks the checksums, and that each answers in its turn.
        let slow = desk.bus.sync_read(desk.port.as_mut(), &ids, 7, 1).expect("nine answers");
        let fast = fast.sync_read(desk.port.as_mut(), &ids, 7, 1).expect("one answer of nine");
        let told: Vec<Vec<u8>> = ids.iter().map(|id| vec![*id]).collect();
        assert_eq!((&slow, &fast), (&told, &told));
    }
    let ids = ids();
    let slow = desk.bus.sync_read(desk.port.as_mut(), &ids, LOWEST, 4).expect("nine answers");
    assert_eq!(slow, fast.sync_read(desk.port.as_mut(), &ids, LOWEST, 4).expect("one answer of nine"));
}

#[test]
fn the_watchdog_trips_after_twenty_milliseconds_a_unit_and_is_cleared_by_zero() {
    let mut desk = Desk::open();
    let here = desk.hold();
    assert_eq!(desk.say(MOVED, WATCHDOG, &[100]), 0, "two seconds");
    desk.wait(400);
    assert_eq!(desk.number(MOVED, WATCHDOG, 1), 100, "0.4 s are within 100 units");
    assert_eq!(desk.say(MOVED, WATCHDOG, &[5]), 0, "0.1 seconds");
    desk.wait(400);
    assert_eq!(desk.number(MOVED, WATCHDOG, 1), 255, "it has tripped");
    assert_ne!(desk.say(MOVED, GOAL, &here.to_le_bytes()), 0, "a goal is refused");
    assert_eq!(desk.say(MOVED, WATCHDOG, &[0]), 0);
    assert_eq!(desk.say(MOVED, GOAL, &here.to_le_bytes()), 0, "a goal is taken");
}

#[test]
fn a_reboot_takes_torque_and_what_is_not_kept() {
    let mut desk = Desk::open();
    desk.hold();
    assert_eq!(desk.say(MOVED, GAINS, &[0, 0, 0, 0, 210, 0]), 0);
    desk.bus.reboot(desk.port.as_mut(), MOVED).expect("an answer");
    assert!(desk.back(MOVED));
    assert_eq!((desk.number(MOVED, TORQUE, 1), desk.number(MOVED, HARDWARE_ERROR, 1)), (0, 0));
    assert_ne!(desk.number(MOVED, GAINS + 4, 2), 210);
    assert_eq!(desk.number(MOVED, WATCHDOG, 1), 0);
}

#[test]
fn position_mode_moves_to_a_goal_near_by_in_plausible_time() {
    let mut desk = Desk::open();
    let here = desk.hold();
    for goal in [here + A_LITTLE, here] {
        assert_eq!(desk.say(MOVED, GOAL, &goal.to_le_bytes()), 0);
        // 12 degrees take a tenth of a second; friction may keep it some counts away.
        let arrived = (0..100).any(|_| {
            desk.wait(20);
            (desk.number(MOVED, PRESENT, 4) - goal).abs() <= 30
        });
        assert!(arrived, "it stands at {} and not at {goal}", desk.number(MOVED, PRESENT, 4));
        assert_eq!(desk.number(MOVED, GOAL, 4), goal);
    }
}

#[test]
fn the_status_return_level_decides_who_answers() {
    let mut desk = Desk::open();
    let level = |desk: &mut Desk, level: u8| {
        // Whether this is answered depends on the level; what is left on the line is thrown away.
        let _ = desk.bus.write(desk.port.as_mut(), MOVED, STATUS_RETURN_LEVEL, &[level]);
        desk.wait(20);
        desk.port.clear(ClearBuffer::All).expect("a clean line");
        desk.port.set_timeout(Duration::from_millis(100)).expect("a timeout");
    };
    level(&mut desk, 1);
    assert!(
        desk.bus.write_with_error(desk.port.as_mut(), MOVED, LED, &[0]).is_err(),
        "writes are not answered"
    );
    assert_eq!(desk.number(MOVED, STATUS_RETURN_LEVEL, 1), 1);
    level(&mut desk, 0);
    assert!(desk.bus.read(desk.port.as_mut(), MOVED, LED, 1).is_err(), "reads are not answered");
    assert!(desk.bus.ping(desk.port.as_mut(), MOVED).expect("an answer"), "a ping always is");
    level(&mut desk, 2);
    assert_eq!(desk.say(MOVED, LED, &[0]), 0);
}

#[test]
fn a_hardware_error_is_told_in_every_answer_until_the_reboot() {
    let mut desk = Desk::open();
    // Nobody brings a real servo into this on purpose; there it is only looked whether the two places agree.
    if let Some(emulator) = &desk.emulator {
        emulator.strike(Fault::of(FaultKind::Overload).on(Joint::RightAntenna));
    }
    for id in ids() {
        let (bits, error) =
            desk.bus.read_with_error(desk.port.as_mut(), id, HARDWARE_ERROR, 1).expect("an answer");
        assert_eq!(error.v2_alert(), bits != [0], "motor {id}: register 70 is {bits:?}");
    }
    if desk.emulator.is_some() {
        assert_eq!(desk.read(MOVED, HARDWARE_ERROR, 1), [0x20]);
        assert_ne!(desk.say(MOVED, TORQUE, &[1]), 0);
        desk.bus.reboot(desk.port.as_mut(), MOVED).expect("an answer");
        assert!(desk.back(MOVED));
        assert_eq!(desk.read(MOVED, HARDWARE_ERROR, 1), [0]);
    }
}
