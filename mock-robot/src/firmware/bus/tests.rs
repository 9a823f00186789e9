//! The bus, spoken to without a line.

use std::time::Duration;

use firmware_bridge::envelope::Action;
use firmware_bridge::units::Radians;

use super::super::servo::{ServoView, Watchdog};
use super::*;
use crate::dynamics::Variation;
use crate::faults::{HardwareError, Timed, WatchdogFirmware};
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

/// A desk with one fault, struck once everything is under torque.
fn struck(fault: Fault) -> Desk {
    let mut desk = Desk::with(Faults::default());
    desk.say(BROADCAST, WRITE, &[64, 0, 1]);
    desk.bus.strike(fault, desk.now);
    desk
}

fn millis(count: u64) -> Duration {
    Duration::from_millis(count)
}

#[test]
fn each_hardware_error_alerts_lets_go_by_the_mask_and_is_cleared_by_a_reboot() {
    for (kind, bit, lets_go) in [
        (FaultKind::Overload, 0x20, true),
        (FaultKind::Overheating, 0x04, true),
        (FaultKind::ElectricalShock, 0x10, true),
        (FaultKind::Encoder, 0x08, false),
        (FaultKind::InputVoltage, 0x01, false),
    ] {
        let mut desk = struck(Fault::of(kind).on(Joint::Stewart3));
        assert_eq!(desk.read(13, 70, 1), (0x80, vec![bit]), "{kind:?}");
        assert_eq!(desk.view(Joint::Stewart3).torque, !lets_go, "{kind:?}");
        assert!(desk.view(Joint::Stewart4).torque && desk.byte(14, 70) == 0);
        let error = if lets_go { 0x81 } else { 0x80 };
        assert_eq!(desk.write(13, 64, &[1]), error, "{kind:?}");
        desk.say(13, REBOOT, &[]);
        desk.now = desk.now + millis(150);
        let left = if kind == FaultKind::Overheating { bit } else { 0 };
        assert_eq!(desk.byte(13, 70), left, "{kind:?}");
        if kind == FaultKind::Overheating {
            assert!(desk.byte(13, 146) > 70);
            desk.now = desk.now + Duration::from_secs(30);
            desk.say(13, REBOOT, &[]);
            desk.now = desk.now + millis(150);
            assert_eq!((desk.byte(13, 70), desk.write(13, 64, &[1])), (0, 0), "it has cooled");
        }
    }
}

#[test]
fn a_fault_with_an_end_outlasts_a_reboot_until_then() {
    let mut desk = struck(Fault::of(FaultKind::Overload).on(Joint::Stewart3).lasting(millis(500)));
    desk.say(13, REBOOT, &[]);
    desk.now = desk.now + millis(200);
    assert_eq!(desk.byte(13, 70), 0x20);
    desk.now = desk.now + millis(300);
    assert_eq!(desk.byte(13, 70), 0x20, "it is kept");
    desk.say(13, REBOOT, &[]);
    desk.now = desk.now + millis(200);
    assert_eq!(desk.byte(13, 70), 0);
}

#[test]
fn a_supply_that_dips_is_measured_by_all_and_kept_in_register_70() {
    let mut desk = struck(Fault::of(FaultKind::InputVoltage).lasting(millis(100)));
    for id in 10..19 {
        assert!((30..=32).contains(&desk.byte(id, 144)), "{}", desk.byte(id, 144));
        assert_eq!((desk.byte(id, 70), desk.byte(id, 64)), (1, 1));
    }
    desk.now = desk.now + millis(100);
    assert_eq!((desk.byte(12, 144), desk.byte(12, 70)), (50, 1));
}

#[test]
fn a_frozen_encoder_says_the_same_while_the_joint_moves() {
    let mut desk = struck(Fault::of(FaultKind::Encoder).on(Joint::LeftAntenna));
    desk.goal(18, 2500);
    desk.now = desk.now + millis(1_000);
    assert_eq!(desk.read(18, 132, 4).1, 2048_i32.to_le_bytes());
    assert_eq!(counts_from_angle(desk.view(Joint::LeftAntenna).position), 2500);
    desk.say(18, REBOOT, &[]);
    desk.now = desk.now + millis(150);
    assert_eq!(desk.read(18, 132, 4), (0, 2500_i32.to_le_bytes().to_vec()));
}

#[test]
fn after_a_brownout_all_are_limp_and_forgetful_but_for_their_settings() {
    let mut desk = Desk::with(Faults::default());
    desk.write(12, 9, &[3]);
    desk.say(BROADCAST, WRITE, &[64, 0, 1]);
    desk.write(12, 98, &[50]);
    desk.goal(12, 2100);
    desk.now = desk.now + millis(400);
    desk.bus.strike(Fault::of(FaultKind::Brownout), desk.now);
    assert_eq!(desk.say(BROADCAST, PING, &[]), [0_u8; 0]);
    desk.now = desk.now + millis(120);
    for id in 10..19 {
        assert_eq!((desk.byte(id, 64), desk.byte(id, 98), desk.byte(id, 70)), (0, 0, 0));
    }
    assert_eq!(desk.byte(12, 9), 3);
    let view = desk.view(Joint::Stewart2);
    assert_eq!((counts_from_angle(view.goal), view.gains.p), (counts_from_angle(view.position), 400));
}

#[test]
fn silence_garbling_and_breaking_keep_their_rate_and_their_seed() {
    let heard = |kind: FaultKind, rate: f64, seed: u64| {
        let at = Duration::ZERO;
        let schedule = vec![Timed { at, fault: Fault::of(kind).on(Joint::BodyYaw).at_rate(rate) }];
        let mut desk = Desk::with(Faults { seed, schedule, ..Faults::default() });
        (0..2_000).map(|_| desk.say(10, READ, &[132, 0, 4, 0])).collect::<Vec<_>>()
    };
    let whole = packet::status_packet(10, 0, &2048_i32.to_le_bytes());
    for kind in [FaultKind::Silent, FaultKind::Corrupt, FaultKind::Partial] {
        let some = heard(kind, 0.1, 7);
        let bad = some.iter().filter(|answer| **answer != whole).count();
        // An instruction that comes garbled is not answered either, so of these there are twice as many.
        let most = if kind == FaultKind::Corrupt { 480 } else { 280 };
        assert!((120..most).contains(&bad), "{kind:?}: {bad} of 2000");
        assert_eq!(some, heard(kind, 0.1, 7), "{kind:?}");
        assert_ne!(some, heard(kind, 0.1, 8), "{kind:?}");
        assert!(heard(kind, 1.0, 7).iter().all(|answer| *answer != whole), "{kind:?}");
    }
    assert!(heard(FaultKind::Partial, 1.0, 7).iter().all(|answer| whole.starts_with(answer)));
}

#[test]
fn a_broken_block_ends_a_fast_answer_and_a_garbled_one_does_not() {
    let ask = sync(132, 4, &[11, 12, 13]);
    let whole = Desk::with(Faults::default()).say(BROADCAST, FAST_SYNC_READ, &ask);
    let mut desk = struck(Fault::of(FaultKind::Partial).on(Joint::Stewart2));
    let broken = desk.say(BROADCAST, FAST_SYNC_READ, &ask);
    assert!((16..24).contains(&broken.len()) && whole.starts_with(&broken), "{broken:?}");
    // The motor hears no more than half of what is garbled on the way to it.
    let mut desk = struck(Fault::of(FaultKind::Corrupt).on(Joint::Stewart2).at_rate(0.5));
    let answers: Vec<_> = (0..50).map(|_| desk.say(BROADCAST, FAST_SYNC_READ, &ask)).collect();
    assert!(answers.iter().any(|answer| answer.len() == whole.len() && *answer != whole));
    assert!(answers.contains(&whole) && answers.iter().any(|answer| answer.len() == 16));
}

#[test]
fn an_echo_comes_before_the_answer_until_it_is_over() {
    let mut desk = struck(Fault::of(FaultKind::Echo).lasting(millis(50)));
    let ping = packet::instruction(10, PING, &[]);
    let status = packet::status_packet(10, 0, &[0xD8, 0x04, 51]);
    assert_eq!(desk.hears(&ping), [ping.clone(), status.clone()].concat());
    desk.now = desk.now + millis(50);
    assert_eq!(desk.hears(&ping), status);
}

#[test]
fn a_schedule_keeps_its_moments_however_seldom_anyone_looks() {
    let silent = Fault::of(FaultKind::Silent).on(Joint::Stewart5).lasting(millis(200));
    let shock = Fault::of(FaultKind::ElectricalShock).on(Joint::Stewart6);
    let schedule = vec![Timed { at: millis(1_000), fault: silent }, Timed { at: millis(500), fault: shock }];
    let seen = |step: u64| {
        let mut desk = Desk::with(Faults { schedule: schedule.clone(), ..Faults::default() });
        desk.say(BROADCAST, WRITE, &[64, 0, 1]);
        desk.now = Tick::ZERO;
        let mut seen = Vec::new();
        while desk.now < Tick::ZERO + millis(1_500) {
            desk.now = desk.now + millis(step);
            desk.bus.advance(desk.now);
            if desk.now.0.is_multiple_of(300_000_000) {
                let answers = !desk.hears(&packet::instruction(15, PING, &[])).is_empty();
                seen.push((desk.now, answers, desk.view(Joint::Stewart6).torque));
            }
        }
        seen
    };
    assert_eq!(seen(1), seen(300));
    let (answers, driven): (Vec<_>, Vec<_>) =
        seen(100).into_iter().map(|(_, one, other)| (one, other)).unzip();
    assert_eq!((answers, driven), (vec![true; 5], vec![true, false, false, false, false]));
    let at_1_1_seconds = {
        let mut desk = Desk::with(Faults { schedule: schedule.clone(), ..Faults::default() });
        desk.now = Tick::ZERO + millis(1_100);
        desk.say(15, PING, &[])
    };
    assert_eq!(at_1_1_seconds, [0_u8; 0]);
}

#[test]
fn a_mode_decides_what_moves_a_joint_and_its_registers_tell() {
    let mut desk = Desk::with(Faults::default());
    assert_eq!((desk.write(17, 11, &[0]), desk.write(17, 64, &[1])), (0, 0));
    desk.goal(17, 3000);
    desk.now = desk.now + millis(300);
    assert_eq!(counts_from_angle(desk.view(Joint::RightAntenna).position), 2048, "a current of zero");
    assert_eq!(desk.write(17, 102, &600_i16.to_le_bytes()), 0);
    desk.now = desk.now + millis(60);
    assert_eq!(desk.read(17, 126, 2).1, 600_i16.to_le_bytes());
    let velocity = i32::from_le_bytes(desk.read(17, 128, 4).1.try_into().unwrap());
    assert!(velocity > 100 && desk.view(Joint::RightAntenna).position.value() > 0.05, "{velocity}");
    assert_eq!(desk.write(17, 102, &1751_i16.to_le_bytes()), 6, "more than the current limit");
    // Back to where it was, with no more than a little current: it can't, and then it can.
    assert_eq!((desk.write(17, 64, &[0]), desk.write(17, 11, &[5])), (0, 0));
    assert_eq!(desk.read(17, 102, 2).1, 1750_i16.to_le_bytes());
    desk.write(17, 102, &5_i16.to_le_bytes());
    desk.write(17, 64, &[1]);
    let before = desk.view(Joint::RightAntenna).position;
    desk.goal(17, 2048);
    desk.now = desk.now + millis(100);
    assert!((desk.view(Joint::RightAntenna).position - before).abs().value() < 0.02);
    desk.write(17, 102, &500_i16.to_le_bytes());
    desk.now = desk.now + millis(1_500);
    assert_eq!(counts_from_angle(desk.view(Joint::RightAntenna).position), 2048);
}

#[test]
fn the_gains_in_the_registers_make_a_joint_stiff_or_soft() {
    let after = |gain: u16| {
        let mut desk = Desk::with(Faults::default());
        let gains = [&[0, 0, 0, 0][..], &gain.to_le_bytes()].concat();
        assert_eq!((desk.write(18, 80, &gains), desk.write(18, 64, &[1])), (0, 0));
        desk.goal(18, 2300);
        desk.now = desk.now + millis(50);
        counts_from_angle(desk.view(Joint::LeftAntenna).position)
    };
    assert!(after(50) < after(200) && after(200) < after(800), "{} {} {}", after(50), after(200), after(800));
}
