//! The bus, spoken to without a line.

use std::time::Duration;

use firmware_bridge::envelope::Action;
use firmware_bridge::units::Radians;

use super::super::servo::{ServoView, Watchdog};
use super::*;
use crate::dynamics::Variation;
use crate::faults::{HardwareError, WatchdogFirmware};
use crate::motor::{Motor, angle_from_counts, counts_from_angle};
use crate::robot::MockRobot;

const MS: Duration = Duration::from_millis(1);

/// A bus with a controller that speaks to it.
struct Desk {
    bus: Bus,
    now: Tick,
}

impl Desk {
    fn with(faults: Faults) -> Desk {
        Desk { bus: Bus::new(Joints::all(Radians::ZERO), faults), now: Tick::ZERO }
    }

    fn say(&mut self, id: u8, instruction: u8, parameters: &[u8]) -> Vec<u8> {
        self.now = self.now + MS;
        self.hears(&packet::instruction(id, instruction, parameters))
    }

    fn hears(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut answer = Answer::default();
        self.bus.receive(bytes, self.now, &mut answer);
        answer.bytes
    }

    fn write(&mut self, id: u8, address: u16, data: &[u8]) -> u8 {
        let answer = self.say(id, WRITE, &[&address.to_le_bytes(), data].concat());
        assert_eq!(answer.len(), 11, "a write is answered without data");
        answer[8]
    }

    /// Error byte and data.
    fn read(&mut self, id: u8, address: u16, length: u16) -> (u8, Vec<u8>) {
        let answer = self.say(id, READ, &[address.to_le_bytes(), length.to_le_bytes()].concat());
        (answer[8], answer[9..answer.len() - 2].to_vec())
    }

    fn byte(&mut self, id: u8, address: u16) -> u8 {
        self.read(id, address, 1).1[0]
    }

    fn goal(&mut self, id: u8, counts: i32) -> u8 {
        self.write(id, 116, &counts.to_le_bytes())
    }

    fn view(&mut self, joint: Joint) -> ServoView {
        self.bus.advance(self.now);
        self.bus.view()[joint]
    }
}

/// Ids of the status packets in an answer that holds nothing else.
fn ids(mut answer: &[u8]) -> Vec<u8> {
    let mut ids = Vec::new();
    while let Some(header) = answer.first_chunk::<7>() {
        ids.push(header[4]);
        answer = &answer[7 + usize::from(header[5])..];
    }
    ids
}

fn sync(address: u16, length: u16, rest: &[u8]) -> Vec<u8> {
    [&address.to_le_bytes()[..], &length.to_le_bytes(), rest].concat()
}

#[test]
fn everyone_answers_a_broadcast_ping_and_nobody_a_strangers() {
    let mut desk = Desk::with(Faults::default());
    assert_eq!(ids(&desk.say(BROADCAST, PING, &[])), [10, 11, 12, 13, 14, 15, 16, 17, 18]);
    assert_eq!(desk.say(17, PING, &[]), packet::status_packet(17, 0, &[0xA6, 0x04, 51]));
    assert_eq!(desk.say(42, PING, &[]), [0_u8; 0]);
}

#[test]
fn each_wrong_write_has_its_own_error_and_changes_nothing() {
    let mut desk = Desk::with(Faults::default());
    for (address, data, error) in [
        (116, vec![0, 8], 5),          // half a goal position
        (132, vec![0, 8, 0, 0], 7),    // present position cannot be written
        (9000, vec![0], 7),            // no such register
        (64, vec![2], 4),              // torque is 0 or 1
        (116, vec![0, 0, 0x20, 0], 4), // beyond any position
        (116, vec![0, 0, 0, 0], 6),    // below stewart_1's limit of 1502
        (11, vec![1], 4),              // velocity mode
    ] {
        assert_eq!(desk.write(11, address, &data), error, "write to {address}");
    }
    assert_eq!(desk.say(11, WRITE, &[116]), packet::status_packet(11, 5, &[]));
    assert_eq!(desk.say(11, 0x77, &[]), packet::status_packet(11, 2, &[]));
    assert_eq!(desk.read(11, 200, 4), (7, vec![]));
    assert_eq!(desk.view(Joint::Stewart1).goal, Radians::ZERO);
}

#[test]
fn the_eeprom_is_locked_while_torque_is_on() {
    let mut desk = Desk::with(Faults::default());
    assert_eq!(desk.write(10, 9, &[5]), 0);
    assert_eq!(desk.write(10, 64, &[1]), 0);
    assert_eq!(desk.write(10, 9, &[7]), 7);
    assert_eq!(desk.byte(10, 9), 5);
    assert_eq!(desk.write(10, 65, &[1]), 0, "the LED is no EEPROM");
    assert_eq!((desk.write(10, 64, &[0]), desk.write(10, 9, &[7])), (0, 0));
}

#[test]
fn a_goal_is_followed_under_torque_only_and_moving_is_told() {
    let mut desk = Desk::with(Faults::default());
    desk.goal(12, 2200);
    desk.now = desk.now + MS * 500;
    assert_eq!(desk.view(Joint::Stewart2).position, Radians::ZERO);
    desk.write(12, 64, &[1]);
    desk.now = desk.now + MS * 30;
    assert_eq!(desk.byte(12, 122), 1);
    desk.now = desk.now + MS * 1_000;
    assert_eq!(desk.byte(12, 122), 0);
    assert_eq!(desk.read(12, 132, 4), (0, 2200_i32.to_le_bytes().to_vec()));
}

#[test]
fn a_sync_write_reaches_each_servo_and_is_not_answered() {
    let mut desk = Desk::with(Faults::default());
    desk.say(BROADCAST, SYNC_WRITE, &sync(64, 1, &[17, 1, 18, 1]));
    // The left antenna's goal is outside its limits; the right one's is not.
    let goals = [&[17][..], &2500_i32.to_le_bytes(), &[18], &4096_i32.to_le_bytes()].concat();
    assert_eq!(desk.say(BROADCAST, SYNC_WRITE, &sync(116, 4, &goals)), [0_u8; 0]);
    desk.now = desk.now + MS * 1_000;
    let position = |view: ServoView| counts_from_angle(view.position);
    assert_eq!(position(desk.view(Joint::RightAntenna)), 2500);
    assert_eq!(position(desk.view(Joint::LeftAntenna)), 2048);
    assert_eq!(desk.say(BROADCAST, SYNC_WRITE, &sync(116, u16::MAX, &goals)), [0_u8; 0]);
}

#[test]
fn the_robot_in_process_and_the_servos_on_the_bus_move_alike() {
    let mut desk = Desk::with(Faults::default());
    let mut robot = MockRobot::new(Joints::all(Radians::ZERO), Variation::default());
    let everyone = |address, value: &dyn Fn(u8) -> Vec<u8>| {
        let blocks = (10..19).flat_map(|id| [vec![id], value(id)].concat());
        sync(address, u16::try_from(value(10).len()).unwrap(), &blocks.collect::<Vec<_>>())
    };
    // What a controller writes at start, and the mock in this process takes for granted.
    for joint in Joint::ALL {
        desk.write(joint.motor_id(), 84, &Motor::of(joint).position_gain.to_le_bytes());
    }
    desk.say(BROADCAST, SYNC_WRITE, &everyone(64, &|_| vec![1]));
    robot.act(desk.now, &Action::Torque(Joints::all(true)));
    for beat in 0..300 {
        // Up to 92 degrees, which some legs refuse.
        let goal = Radians((f64::from(beat) * 0.05).sin() * 1.6);
        let counts = counts_from_angle(goal).to_le_bytes().to_vec();
        desk.now = desk.now + MS * 9;
        desk.say(BROADCAST, SYNC_WRITE, &everyone(116, &|_| counts.clone()));
        let state = robot.act(desk.now, &Action::Targets(Joints::all(goal)));
        let present = desk.bus.view().map(|view| angle_from_counts(counts_from_angle(view.position)));
        assert_eq!(state.present().unwrap(), present, "beat {beat}");
    }
}

#[test]
fn a_missing_servo_leaves_a_gap_in_a_sync_read_and_ends_a_fast_one() {
    let mut desk = Desk::with(Faults { silent: vec![Joint::Stewart2], ..Faults::default() });
    let ask = sync(132, 4, &[11, 12, 13]);
    assert_eq!(ids(&desk.say(BROADCAST, SYNC_READ, &ask)), [11, 13]);
    let fast = desk.say(BROADCAST, FAST_SYNC_READ, &ask);
    assert_eq!(fast, packet::fast_packet(3, 4, &[(0, 11, 2048_i32.to_le_bytes().to_vec())]));
    assert_eq!(desk.say(BROADCAST, FAST_SYNC_READ, &sync(132, 4, &[12, 11])), [0_u8; 0]);
    assert_eq!(desk.say(BROADCAST, FAST_SYNC_READ, &sync(132, u16::MAX, &[11])), [0_u8; 0]);
}

#[test]
fn old_firmware_does_not_know_the_fast_sync_read() {
    let mut desk = Desk::with(Faults { no_fast_sync_read: true, ..Faults::default() });
    assert_eq!(desk.say(BROADCAST, FAST_SYNC_READ, &sync(132, 4, &[11])), [0_u8; 0]);
    assert_eq!(ids(&desk.say(BROADCAST, SYNC_READ, &sync(132, 4, &[11]))), [11]);
}

#[test]
fn a_registered_write_waits_for_the_action() {
    let mut desk = Desk::with(Faults::default());
    assert_eq!(desk.say(15, REG_WRITE, &[65, 0, 1]), packet::status_packet(15, 0, &[]));
    assert_eq!((desk.byte(15, 65), desk.byte(15, 69)), (0, 1));
    assert_eq!(desk.say(BROADCAST, ACTION, &[]), [0_u8; 0]);
    assert_eq!((desk.byte(15, 65), desk.byte(15, 69)), (1, 0));
    assert_eq!(desk.say(15, ACTION, &[]), packet::status_packet(15, 1, &[]));
}

#[test]
fn a_hardware_error_alerts_and_takes_the_torque_until_the_reboot() {
    let faults =
        Faults { hardware_error: [(Joint::Stewart1, HardwareError::Overload)].into(), ..Faults::default() };
    let mut desk = Desk::with(faults);
    assert_eq!(desk.read(11, 70, 1), (0x80, vec![0x20]));
    assert_eq!(desk.write(11, 64, &[1]), 0x81, "no torque under a hardware error");
    assert_eq!(ids(&desk.say(11, REBOOT, &[])), [11]);
    assert_eq!(desk.say(11, PING, &[]), [0_u8; 0], "it is deaf while it starts");
    desk.now = desk.now + MS * 100;
    assert_eq!(desk.read(11, 70, 1), (0, vec![0]));
    assert_eq!(desk.write(11, 64, &[1]), 0);
}

#[test]
fn a_low_voltage_alerts_but_does_not_shut_down() {
    let mut desk = Desk::with(Faults { voltage: 3.0, ..Faults::default() });
    assert_eq!(desk.read(10, 144, 2), (0x80, vec![30, 0]));
    assert_eq!((desk.byte(10, 70), desk.write(10, 64, &[1])), (1, 0x80));
    assert!(desk.view(Joint::BodyYaw).torque);
}

/// An antenna on its way, and then 200 ms of silence with the watchdog at 40 ms.
fn abandoned(watchdog: WatchdogFirmware) -> (Desk, ServoView) {
    let mut desk = Desk::with(Faults { watchdog, ..Faults::default() });
    desk.write(17, 64, &[1]);
    desk.write(17, 98, &[2]);
    desk.goal(17, 3500);
    desk.now = desk.now + MS * 1_000;
    let view = desk.view(Joint::RightAntenna);
    (desk, view)
}

#[test]
fn the_watchdog_stops_a_servo_and_refuses_goals_until_cleared() {
    let (mut desk, view) = abandoned(WatchdogFirmware::Works);
    assert_eq!(view.watchdog, Watchdog::Tripped);
    let stopped_at = counts_from_angle(view.position);
    assert!((2100..3400).contains(&stopped_at), "it stopped at {stopped_at}");
    assert_eq!(desk.byte(17, 98), 255);
    assert_eq!((desk.goal(17, 3500), desk.write(17, 98, &[5])), (4, 4));
    assert_eq!((desk.write(17, 98, &[0]), desk.goal(17, 3500)), (0, 0));
    desk.now = desk.now + MS * 1_000;
    assert_eq!(counts_from_angle(desk.view(Joint::RightAntenna).position), 3500);
}

#[test]
fn a_watchdog_may_trip_without_stopping_or_be_absent() {
    let (mut desk, view) = abandoned(WatchdogFirmware::TripsWithoutStopping);
    assert_eq!((view.watchdog, counts_from_angle(view.position)), (Watchdog::Tripped, 3500));
    assert_eq!(desk.goal(17, 2048), 4);

    let (mut desk, view) = abandoned(WatchdogFirmware::Absent);
    assert_eq!((view.watchdog, counts_from_angle(view.position)), (Watchdog::Off, 3500));
    assert_eq!((desk.write(17, 98, &[2]), desk.byte(17, 98), desk.goal(17, 2048)), (7, 0, 0));
}

#[test]
fn any_instruction_on_the_line_keeps_the_watchdog_quiet() {
    let mut desk = Desk::with(Faults::default());
    desk.write(17, 64, &[1]);
    desk.write(17, 98, &[2]);
    for _ in 0..20 {
        desk.now = desk.now + MS * 30;
        desk.say(11, PING, &[]);
    }
    assert_eq!(desk.view(Joint::RightAntenna).watchdog, Watchdog::Armed);
}

#[test]
fn the_watchdog_trips_at_its_moment_however_seldom_anyone_looks() {
    let at_each_ms = {
        let mut desk = Desk::with(Faults::default());
        for (address, value) in [(64, 1), (98, 3)] {
            desk.write(17, address, &[value]);
        }
        desk.goal(17, 3500);
        (0..300).for_each(|_| {
            desk.now = desk.now + MS;
            desk.view(Joint::RightAntenna);
        });
        desk.view(Joint::RightAntenna)
    };
    let at_the_end = {
        let mut desk = Desk::with(Faults::default());
        for (address, value) in [(64, 1), (98, 3)] {
            desk.write(17, address, &[value]);
        }
        desk.goal(17, 3500);
        desk.now = desk.now + MS * 300;
        desk.view(Joint::RightAntenna)
    };
    assert_eq!(at_each_ms, at_the_end);
}

#[test]
fn every_third_answer_is_lost_and_every_second_is_wrong() {
    let mut desk = Desk::with(Faults { drop_every: std::num::NonZeroU32::new(3), ..Faults::default() });
    let heard: Vec<bool> = (0..6).map(|_| !desk.say(10, PING, &[]).is_empty()).collect();
    assert_eq!(heard, [true, true, false, true, true, false]);

    let mut desk = Desk::with(Faults { corrupt_every: std::num::NonZeroU32::new(2), ..Faults::default() });
    let whole = packet::status_packet(10, 0, &[0xD8, 0x04, 51]);
    let heard: Vec<bool> = (0..4).map(|_| desk.say(10, PING, &[]) == whole).collect();
    assert_eq!(heard, [true, false, true, false]);
}

#[test]
fn the_status_return_level_silences_answers() {
    let mut desk = Desk::with(Faults::default());
    assert_eq!(desk.say(10, WRITE, &[68, 0, 1]), [0_u8; 0]);
    assert_eq!(desk.say(10, WRITE, &[65, 0, 1]), [0_u8; 0]);
    assert_eq!(desk.byte(10, 65), 1);
    desk.say(10, WRITE, &[68, 0, 0]);
    assert_eq!(desk.say(10, READ, &[65, 0, 1, 0]), [0_u8; 0]);
    assert_eq!(desk.say(BROADCAST, FAST_SYNC_READ, &sync(65, 1, &[10])), [0_u8; 0]);
    assert_eq!(ids(&desk.say(10, PING, &[])), [10]);
}

#[test]
fn a_garbled_packet_is_answered_by_whom_it_names() {
    let mut desk = Desk::with(Faults::default());
    let mut garbled = packet::instruction(10, READ, &[132, 0, 4, 0]);
    garbled[8] ^= 1;
    assert_eq!(desk.hears(&garbled), packet::status_packet(10, 3, &[]));
}

proptest::proptest! {
    #[test]
    fn no_bytes_bring_it_down(
        chunks in proptest::collection::vec(proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200), 1..20),
        instruction in proptest::prelude::any::<u8>(),
        parameters in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..40),
    ) {
        let mut desk = Desk::with(Faults::default());
        for chunk in chunks {
            desk.hears(&chunk);
        }
        for id in [10, 14, BROADCAST] {
            desk.say(id, instruction, &parameters);
        }
        desk.now = desk.now + MS * 200;
        desk.hears(&[0xFF; 1100]);
        proptest::prop_assert!(!desk.say(11, PING, &[]).is_empty() || instruction == REBOOT || instruction == WRITE);
    }
}
