//! Tests of the emulated bus, without a line.

use std::time::Duration;

use firmware_bridge::envelope::Action;
use firmware_bridge::units::Radians;

use super::super::servo::{ServoView, Watchdog};
use super::*;
use crate::dynamics::Variation;
use crate::faults::{HardwareError, ScheduledFault, WatchdogFirmware};
use crate::motor::{Motor, angle_from_counts, counts_from_angle};
use crate::robot::MockRobot;

const MS: Duration = Duration::from_millis(1);

/// A bus with a controller that sends instructions to it.
struct TestController {
    bus: Bus,
    now: Timestamp,
}

impl TestController {
    fn with(faults: Faults) -> TestController {
        TestController { bus: Bus::new(Joints::all(Radians::ZERO), faults), now: Timestamp::ZERO }
    }

    fn send(&mut self, id: u8, instruction: u8, parameters: &[u8]) -> Vec<u8> {
        self.now = self.now + MS;
        self.receive(&packet::instruction(id, instruction, parameters))
    }

    fn receive(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut answer = StatusPacket::default();
        self.bus.receive(bytes, self.now, &mut answer);
        answer.bytes
    }

    fn write(&mut self, id: u8, address: u16, data: &[u8]) -> u8 {
        let answer = self.send(id, WRITE, &[&address.to_le_bytes(), data].concat());
        assert_eq!(answer.len(), 11, "a write is answered without data");
        answer[8]
    }

    /// Returns error byte and data.
    fn read(&mut self, id: u8, address: u16, length: u16) -> (u8, Vec<u8>) {
        let answer = self.send(id, READ, &[address.to_le_bytes(), length.to_le_bytes()].concat());
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

/// Returns the ids of the status packets in an answer that contains nothing else.
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
fn broadcast_ping_is_answered_by_all_and_foreign_ping_by_none() {
    let mut controller = TestController::with(Faults::default());
    assert_eq!(ids(&controller.send(BROADCAST, PING, &[])), [10, 11, 12, 13, 14, 15, 16, 17, 18]);
    assert_eq!(controller.send(17, PING, &[]), packet::status_packet(17, 0, &[0xA6, 0x04, 51]));
    assert_eq!(controller.send(42, PING, &[]), [0_u8; 0]);
}

#[test]
fn invalid_write_has_its_error_and_changes_nothing() {
    let mut controller = TestController::with(Faults::default());
    for (address, data, error) in [
        (116, vec![0, 8], 5),          // half a goal position
        (132, vec![0, 8, 0, 0], 7),    // present position cannot be written
        (9000, vec![0], 7),            // no such register
        (64, vec![2], 4),              // torque is 0 or 1
        (116, vec![0, 0, 0x20, 0], 4), // beyond any position
        (116, vec![0, 0, 0, 0], 6),    // below stewart_1's limit of 1502
        (11, vec![1], 4),              // velocity mode
    ] {
        assert_eq!(controller.write(11, address, &data), error, "write to {address}");
    }
    assert_eq!(controller.send(11, WRITE, &[116]), packet::status_packet(11, 5, &[]));
    assert_eq!(controller.send(11, 0x77, &[]), packet::status_packet(11, 2, &[]));
    assert_eq!(controller.read(11, 200, 4), (7, vec![]));
    assert_eq!(controller.view(Joint::Stewart1).goal, Radians::ZERO);
}

#[test]
fn eeprom_is_locked_while_torque_is_on() {
    let mut controller = TestController::with(Faults::default());
    assert_eq!(controller.write(10, 9, &[5]), 0);
    assert_eq!(controller.write(10, 64, &[1]), 0);
    assert_eq!(controller.write(10, 9, &[7]), 7);
    assert_eq!(controller.byte(10, 9), 5);
    assert_eq!(controller.write(10, 65, &[1]), 0, "the LED is not in the EEPROM");
    assert_eq!((controller.write(10, 64, &[0]), controller.write(10, 9, &[7])), (0, 0));
}

#[test]
fn goal_is_followed_only_with_torque_and_moving_is_reported() {
    let mut controller = TestController::with(Faults::default());
    controller.goal(12, 2200);
    controller.now = controller.now + MS * 500;
    assert_eq!(controller.view(Joint::Stewart2).position, Radians::ZERO);
    controller.write(12, 64, &[1]);
    controller.now = controller.now + MS * 30;
    assert_eq!(controller.byte(12, 122), 1);
    controller.now = controller.now + MS * 1_000;
    assert_eq!(controller.byte(12, 122), 0);
    assert_eq!(controller.read(12, 132, 4), (0, 2200_i32.to_le_bytes().to_vec()));
}

#[test]
fn sync_write_reaches_each_servo_without_an_answer() {
    let mut controller = TestController::with(Faults::default());
    controller.send(BROADCAST, SYNC_WRITE, &sync(64, 1, &[17, 1, 18, 1]));
    // The left antenna's goal is outside its limits; the right one's is inside.
    let goals = [&[17][..], &2500_i32.to_le_bytes(), &[18], &4096_i32.to_le_bytes()].concat();
    assert_eq!(controller.send(BROADCAST, SYNC_WRITE, &sync(116, 4, &goals)), [0_u8; 0]);
    controller.now = controller.now + MS * 1_000;
    let position = |view: ServoView| counts_from_angle(view.position);
    assert_eq!(position(controller.view(Joint::RightAntenna)), 2500);
    assert_eq!(position(controller.view(Joint::LeftAntenna)), 2048);
    assert_eq!(controller.send(BROADCAST, SYNC_WRITE, &sync(116, u16::MAX, &goals)), [0_u8; 0]);
}

#[test]
fn simulated_robot_and_emulated_servos_move_alike() {
    let mut controller = TestController::with(Faults::default());
    let mut robot = MockRobot::new(Joints::all(Radians::ZERO), Variation::default());
    let everyone = |address, value: &dyn Fn(u8) -> Vec<u8>| {
        let blocks = (10..19).flat_map(|id| [vec![id], value(id)].concat());
        sync(address, u16::try_from(value(10).len()).unwrap(), &blocks.collect::<Vec<_>>())
    };
    // The values that a controller writes at start; the simulation in this process uses them by default.
    for joint in Joint::ALL {
        controller.write(joint.motor_id(), 84, &Motor::of(joint).position_gain.to_le_bytes());
    }
    controller.send(BROADCAST, SYNC_WRITE, &everyone(64, &|_| vec![1]));
    robot.act(controller.now, &Action::Torque(Joints::all(true)));
    for cycle in 0..300 {
        // Up to 92 degrees, which some legs reject.
        let goal = Radians((f64::from(cycle) * 0.05).sin() * 1.6);
        let counts = counts_from_angle(goal).to_le_bytes().to_vec();
        controller.now = controller.now + MS * 9;
        controller.send(BROADCAST, SYNC_WRITE, &everyone(116, &|_| counts.clone()));
        let state = robot.act(controller.now, &Action::Targets(Joints::all(goal)));
        let present = controller.bus.view().map(|view| angle_from_counts(counts_from_angle(view.position)));
        assert_eq!(state.present().unwrap(), present, "beat {cycle}");
    }
}

#[test]
fn missing_servo_leaves_a_gap_in_sync_read_and_ends_a_fast_one() {
    let mut controller = TestController::with(Faults { silent: vec![Joint::Stewart2], ..Faults::default() });
    let ask = sync(132, 4, &[11, 12, 13]);
    assert_eq!(ids(&controller.send(BROADCAST, SYNC_READ, &ask)), [11, 13]);
    let fast = controller.send(BROADCAST, FAST_SYNC_READ, &ask);
    assert_eq!(fast, packet::fast_packet(3, 4, &[(0, 11, 2048_i32.to_le_bytes().to_vec())]));
    assert_eq!(controller.send(BROADCAST, FAST_SYNC_READ, &sync(132, 4, &[12, 11])), [0_u8; 0]);
    assert_eq!(controller.send(BROADCAST, FAST_SYNC_READ, &sync(132, u16::MAX, &[11])), [0_u8; 0]);
}

#[test]
fn old_firmware_ignores_fast_sync_read() {
    let mut controller = TestController::with(Faults { no_fast_sync_read: true, ..Faults::default() });
    assert_eq!(controller.send(BROADCAST, FAST_SYNC_READ, &sync(132, 4, &[11])), [0_u8; 0]);
    assert_eq!(ids(&controller.send(BROADCAST, SYNC_READ, &sync(132, 4, &[11]))), [11]);
}

#[test]
fn registered_write_waits_for_the_action() {
    let mut controller = TestController::with(Faults::default());
    assert_eq!(controller.send(15, REG_WRITE, &[65, 0, 1]), packet::status_packet(15, 0, &[]));
    assert_eq!((controller.byte(15, 65), controller.byte(15, 69)), (0, 1));
    assert_eq!(controller.send(BROADCAST, ACTION, &[]), [0_u8; 0]);
    assert_eq!((controller.byte(15, 65), controller.byte(15, 69)), (1, 0));
    assert_eq!(controller.send(15, ACTION, &[]), packet::status_packet(15, 1, &[]));
}

#[test]
fn hardware_error_alerts_and_disables_torque_until_reboot() {
    let faults =
        Faults { hardware_error: [(Joint::Stewart1, HardwareError::Overload)].into(), ..Faults::default() };
    let mut controller = TestController::with(faults);
    assert_eq!(controller.read(11, 70, 1), (0x80, vec![0x20]));
    assert_eq!(controller.write(11, 64, &[1]), 0x81, "no torque under a hardware error");
    assert_eq!(ids(&controller.send(11, REBOOT, &[])), [11]);
    assert_eq!(controller.send(11, PING, &[]), [0_u8; 0], "the servo is silent while it restarts");
    controller.now = controller.now + MS * 100;
    assert_eq!(controller.read(11, 70, 1), (0, vec![0]));
    assert_eq!(controller.write(11, 64, &[1]), 0);
}

#[test]
fn low_voltage_alerts_without_shutdown() {
    let mut controller = TestController::with(Faults { voltage: 3.0, ..Faults::default() });
    assert_eq!(controller.read(10, 144, 2), (0x80, vec![30, 0]));
    assert_eq!((controller.byte(10, 70), controller.write(10, 64, &[1])), (1, 0x80));
    assert!(controller.view(Joint::BodyYaw).torque);
}

/// A moving antenna, then 200 ms of silence with the watchdog at 40 ms.
fn after_controller_loss(watchdog: WatchdogFirmware) -> (TestController, ServoView) {
    let mut controller = TestController::with(Faults { watchdog, ..Faults::default() });
    controller.write(17, 64, &[1]);
    controller.write(17, 98, &[2]);
    controller.goal(17, 3500);
    controller.now = controller.now + MS * 1_000;
    let view = controller.view(Joint::RightAntenna);
    (controller, view)
}

#[test]
fn watchdog_stops_a_servo_and_rejects_goals_until_cleared() {
    let (mut controller, view) = after_controller_loss(WatchdogFirmware::Works);
    assert_eq!(view.watchdog, Watchdog::Tripped);
    let stopped_at = counts_from_angle(view.position);
    assert!((2100..3400).contains(&stopped_at), "the servo stopped at {stopped_at}");
    assert_eq!(controller.byte(17, 98), 255);
    assert_eq!((controller.goal(17, 3500), controller.write(17, 98, &[5])), (4, 4));
    assert_eq!((controller.write(17, 98, &[0]), controller.goal(17, 3500)), (0, 0));
    controller.now = controller.now + MS * 1_000;
    assert_eq!(counts_from_angle(controller.view(Joint::RightAntenna).position), 3500);
}

#[test]
fn watchdog_can_trip_without_stopping_or_be_absent() {
    let (mut controller, view) = after_controller_loss(WatchdogFirmware::TripsWithoutStopping);
    assert_eq!((view.watchdog, counts_from_angle(view.position)), (Watchdog::Tripped, 3500));
    assert_eq!(controller.goal(17, 2048), 4);

    let (mut controller, view) = after_controller_loss(WatchdogFirmware::Absent);
    assert_eq!((view.watchdog, counts_from_angle(view.position)), (Watchdog::Off, 3500));
    assert_eq!(
        (controller.write(17, 98, &[2]), controller.byte(17, 98), controller.goal(17, 2048)),
        (7, 0, 0)
    );
}

#[test]
fn any_instruction_on_the_line_resets_the_watchdog() {
    let mut controller = TestController::with(Faults::default());
    controller.write(17, 64, &[1]);
    controller.write(17, 98, &[2]);
    for _ in 0..20 {
        controller.now = controller.now + MS * 30;
        controller.send(11, PING, &[]);
    }
    assert_eq!(controller.view(Joint::RightAntenna).watchdog, Watchdog::Armed);
}

#[test]
fn watchdog_trips_on_time_at_any_polling_rate() {
    let at_each_ms = {
        let mut controller = TestController::with(Faults::default());
        for (address, value) in [(64, 1), (98, 3)] {
            controller.write(17, address, &[value]);
        }
        controller.goal(17, 3500);
        (0..300).for_each(|_| {
            controller.now = controller.now + MS;
            controller.view(Joint::RightAntenna);
        });
        controller.view(Joint::RightAntenna)
    };
    let at_the_end = {
        let mut controller = TestController::with(Faults::default());
        for (address, value) in [(64, 1), (98, 3)] {
            controller.write(17, address, &[value]);
        }
        controller.goal(17, 3500);
        controller.now = controller.now + MS * 300;
        controller.view(Joint::RightAntenna)
    };
    assert_eq!(at_each_ms, at_the_end);
}

#[test]
fn nth_answer_is_lost_or_corrupted() {
    let mut controller =
        TestController::with(Faults { drop_every: std::num::NonZeroU32::new(3), ..Faults::default() });
    let results: Vec<bool> = (0..6).map(|_| !controller.send(10, PING, &[]).is_empty()).collect();
    assert_eq!(results, [true, true, false, true, true, false]);

    let mut controller =
        TestController::with(Faults { corrupt_every: std::num::NonZeroU32::new(2), ..Faults::default() });
    let intact = packet::status_packet(10, 0, &[0xD8, 0x04, 51]);
    let results: Vec<bool> = (0..4).map(|_| controller.send(10, PING, &[]) == intact).collect();
    assert_eq!(results, [true, false, true, false]);
}

#[test]
fn status_return_level_suppresses_answers() {
    let mut controller = TestController::with(Faults::default());
    assert_eq!(controller.send(10, WRITE, &[68, 0, 1]), [0_u8; 0]);
    assert_eq!(controller.send(10, WRITE, &[65, 0, 1]), [0_u8; 0]);
    assert_eq!(controller.byte(10, 65), 1);
    controller.send(10, WRITE, &[68, 0, 0]);
    assert_eq!(controller.send(10, READ, &[65, 0, 1, 0]), [0_u8; 0]);
    assert_eq!(controller.send(BROADCAST, FAST_SYNC_READ, &sync(65, 1, &[10])), [0_u8; 0]);
    assert_eq!(ids(&controller.send(10, PING, &[])), [10]);
}

#[test]
fn corrupted_packet_is_answered_by_its_addressee() {
    let mut controller = TestController::with(Faults::default());
    let mut garbled = packet::instruction(10, READ, &[132, 0, 4, 0]);
    garbled[8] ^= 1;
    assert_eq!(controller.receive(&garbled), packet::status_packet(10, 3, &[]));
}

proptest::proptest! {
    #[test]
    fn any_bytes_are_handled_without_panic(
        chunks in proptest::collection::vec(proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200), 1..20),
        instruction in proptest::prelude::any::<u8>(),
        parameters in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..40),
    ) {
        let mut controller = TestController::with(Faults::default());
        for chunk in chunks {
            controller.receive(&chunk);
        }
        for id in [10, 14, BROADCAST] {
            controller.send(id, instruction, &parameters);
        }
        controller.now = controller.now + MS * 200;
        controller.receive(&[0xFF; 1100]);
        proptest::prop_assert!(!controller.send(11, PING, &[]).is_empty() || instruction == REBOOT || instruction == WRITE);
    }
}

/// A controller with one fault, which starts once all motors have torque.
fn with_fault(fault: Fault) -> TestController {
    let mut controller = TestController::with(Faults::default());
    controller.send(BROADCAST, WRITE, &[64, 0, 1]);
    controller.bus.inject(fault, controller.now);
    controller
}

fn millis(count: u64) -> Duration {
    Duration::from_millis(count)
}

#[test]
fn hardware_error_alerts_releases_by_the_mask_and_clears_on_reboot() {
    for (kind, bit, releases) in [
        (FaultKind::Overload, 0x20, true),
        (FaultKind::Overheating, 0x04, true),
        (FaultKind::ElectricalShock, 0x10, true),
        (FaultKind::Encoder, 0x08, false),
        (FaultKind::InputVoltage, 0x01, false),
    ] {
        let mut controller = with_fault(Fault::of(kind).on(Joint::Stewart3));
        assert_eq!(controller.read(13, 70, 1), (0x80, vec![bit]), "{kind:?}");
        assert_eq!(controller.view(Joint::Stewart3).torque, !releases, "{kind:?}");
        assert!(controller.view(Joint::Stewart4).torque && controller.byte(14, 70) == 0);
        let error = if releases { 0x81 } else { 0x80 };
        assert_eq!(controller.write(13, 64, &[1]), error, "{kind:?}");
        controller.send(13, REBOOT, &[]);
        controller.now = controller.now + millis(150);
        let left = if kind == FaultKind::Overheating { bit } else { 0 };
        assert_eq!(controller.byte(13, 70), left, "{kind:?}");
        if kind == FaultKind::Overheating {
            assert!(controller.byte(13, 146) > 70);
            controller.now = controller.now + Duration::from_secs(30);
            controller.send(13, REBOOT, &[]);
            controller.now = controller.now + millis(150);
            assert_eq!(
                (controller.byte(13, 70), controller.write(13, 64, &[1])),
                (0, 0),
                "the servo has cooled down"
            );
        }
    }
}

#[test]
fn timed_fault_persists_over_a_reboot_until_its_end() {
    let mut controller =
        with_fault(Fault::of(FaultKind::Overload).on(Joint::Stewart3).with_duration(millis(500)));
    controller.send(13, REBOOT, &[]);
    controller.now = controller.now + millis(200);
    assert_eq!(controller.byte(13, 70), 0x20);
    controller.now = controller.now + millis(300);
    assert_eq!(controller.byte(13, 70), 0x20, "the error persists");
    controller.send(13, REBOOT, &[]);
    controller.now = controller.now + millis(200);
    assert_eq!(controller.byte(13, 70), 0);
}

#[test]
fn supply_dip_is_measured_by_all_and_stored_in_register_70() {
    let mut controller = with_fault(Fault::of(FaultKind::InputVoltage).with_duration(millis(100)));
    for id in 10..19 {
        assert!((30..=32).contains(&controller.byte(id, 144)), "{}", controller.byte(id, 144));
        assert_eq!((controller.byte(id, 70), controller.byte(id, 64)), (1, 1));
    }
    controller.now = controller.now + millis(100);
    assert_eq!((controller.byte(12, 144), controller.byte(12, 70)), (50, 1));
}

#[test]
fn frozen_encoder_reports_a_constant_position() {
    let mut controller = with_fault(Fault::of(FaultKind::Encoder).on(Joint::LeftAntenna));
    controller.goal(18, 2500);
    controller.now = controller.now + millis(1_000);
    assert_eq!(controller.read(18, 132, 4).1, 2048_i32.to_le_bytes());
    assert_eq!(counts_from_angle(controller.view(Joint::LeftAntenna).position), 2500);
    controller.send(18, REBOOT, &[]);
    controller.now = controller.now + millis(150);
    assert_eq!(controller.read(18, 132, 4), (0, 2500_i32.to_le_bytes().to_vec()));
}

#[test]
fn brownout_disables_torque_and_keeps_only_the_settings() {
    let mut controller = TestController::with(Faults::default());
    controller.write(12, 9, &[3]);
    controller.send(BROADCAST, WRITE, &[64, 0, 1]);
    controller.write(12, 98, &[50]);
    controller.goal(12, 2100);
    controller.now = controller.now + millis(400);
    controller.bus.inject(Fault::of(FaultKind::Brownout), controller.now);
    assert_eq!(controller.send(BROADCAST, PING, &[]), [0_u8; 0]);
    controller.now = controller.now + millis(120);
    for id in 10..19 {
        assert_eq!((controller.byte(id, 64), controller.byte(id, 98), controller.byte(id, 70)), (0, 0, 0));
    }
    assert_eq!(controller.byte(12, 9), 3);
    let view = controller.view(Joint::Stewart2);
    assert_eq!((counts_from_angle(view.goal), view.gains.p), (counts_from_angle(view.position), 400));
}

#[test]
fn random_faults_follow_their_rate_and_seed() {
    let results = |kind: FaultKind, rate: f64, seed: u64| {
        let at = Duration::ZERO;
        let schedule = vec![ScheduledFault { at, fault: Fault::of(kind).on(Joint::BodyYaw).at_rate(rate) }];
        let mut controller = TestController::with(Faults { seed, schedule, ..Faults::default() });
        (0..2_000).map(|_| controller.send(10, READ, &[132, 0, 4, 0])).collect::<Vec<_>>()
    };
    let intact = packet::status_packet(10, 0, &2048_i32.to_le_bytes());
    for kind in [FaultKind::Silent, FaultKind::Corrupt, FaultKind::Partial] {
        let some = results(kind, 0.1, 7);
        let bad = some.iter().filter(|answer| **answer != intact).count();
        // A corrupted instruction is not answered either, so this kind occurs twice as often.
        let most = if kind == FaultKind::Corrupt { 480 } else { 280 };
        assert!((120..most).contains(&bad), "{kind:?}: {bad} of 2000");
        assert_eq!(some, results(kind, 0.1, 7), "{kind:?}");
        assert_ne!(some, results(kind, 0.1, 8), "{kind:?}");
        assert!(results(kind, 1.0, 7).iter().all(|answer| *answer != intact), "{kind:?}");
    }
    assert!(results(FaultKind::Partial, 1.0, 7).iter().all(|answer| intact.starts_with(answer)));
}

#[test]
fn truncated_block_ends_a_fast_answer_and_corrupted_one_does_not() {
    let ask = sync(132, 4, &[11, 12, 13]);
    let intact = TestController::with(Faults::default()).send(BROADCAST, FAST_SYNC_READ, &ask);
    let mut controller = with_fault(Fault::of(FaultKind::Partial).on(Joint::Stewart2));
    let broken = controller.send(BROADCAST, FAST_SYNC_READ, &ask);
    assert!((16..24).contains(&broken.len()) && intact.starts_with(&broken), "{broken:?}");
    // The motor receives only half of the instructions that are corrupted on the way to it.
    let mut controller = with_fault(Fault::of(FaultKind::Corrupt).on(Joint::Stewart2).at_rate(0.5));
    let answers: Vec<_> = (0..50).map(|_| controller.send(BROADCAST, FAST_SYNC_READ, &ask)).collect();
    assert!(answers.iter().any(|answer| answer.len() == intact.len() && *answer != intact));
    assert!(answers.contains(&intact) && answers.iter().any(|answer| answer.len() == 16));
}

#[test]
fn echo_precedes_the_answer_until_the_fault_ends() {
    let mut controller = with_fault(Fault::of(FaultKind::Echo).with_duration(millis(50)));
    let ping = packet::instruction(10, PING, &[]);
    let status = packet::status_packet(10, 0, &[0xD8, 0x04, 51]);
    assert_eq!(controller.receive(&ping), [ping.clone(), status.clone()].concat());
    controller.now = controller.now + millis(50);
    assert_eq!(controller.receive(&ping), status);
}

#[test]
fn schedule_is_on_time_at_any_polling_rate() {
    let silent = Fault::of(FaultKind::Silent).on(Joint::Stewart5).with_duration(millis(200));
    let shock = Fault::of(FaultKind::ElectricalShock).on(Joint::Stewart6);
    let schedule = vec![
        ScheduledFault { at: millis(1_000), fault: silent },
        ScheduledFault { at: millis(500), fault: shock },
    ];
    let observations = |step: u64| {
        let mut controller = TestController::with(Faults { schedule: schedule.clone(), ..Faults::default() });
        controller.send(BROADCAST, WRITE, &[64, 0, 1]);
        controller.now = Timestamp::ZERO;
        let mut observations = Vec::new();
        while controller.now < Timestamp::ZERO + millis(1_500) {
            controller.now = controller.now + millis(step);
            controller.bus.advance(controller.now);
            if controller.now.0.is_multiple_of(300_000_000) {
                let answers = !controller.receive(&packet::instruction(15, PING, &[])).is_empty();
                observations.push((controller.now, answers, controller.view(Joint::Stewart6).torque));
            }
        }
        observations
    };
    assert_eq!(observations(1), observations(300));
    let (answers, driven): (Vec<_>, Vec<_>) =
        observations(100).into_iter().map(|(_, one, other)| (one, other)).unzip();
    assert_eq!((answers, driven), (vec![true; 5], vec![true, false, false, false, false]));
    let at_1_1_seconds = {
        let mut controller = TestController::with(Faults { schedule: schedule.clone(), ..Faults::default() });
        controller.now = Timestamp::ZERO + millis(1_100);
        controller.send(15, PING, &[])
    };
    assert_eq!(at_1_1_seconds, [0_u8; 0]);
}

#[test]
fn operating_mode_determines_the_drive_and_registers_report_it() {
    let mut controller = TestController::with(Faults::default());
    assert_eq!((controller.write(17, 11, &[0]), controller.write(17, 64, &[1])), (0, 0));
    controller.goal(17, 3000);
    controller.now = controller.now + millis(300);
    assert_eq!(counts_from_angle(controller.view(Joint::RightAntenna).position), 2048, "zero current");
    assert_eq!(controller.write(17, 102, &600_i16.to_le_bytes()), 0);
    controller.now = controller.now + millis(60);
    assert_eq!(controller.read(17, 126, 2).1, 600_i16.to_le_bytes());
    let velocity = i32::from_le_bytes(controller.read(17, 128, 4).1.try_into().unwrap());
    assert!(velocity > 100 && controller.view(Joint::RightAntenna).position.value() > 0.05, "{velocity}");
    assert_eq!(controller.write(17, 102, &1751_i16.to_le_bytes()), 6, "above the current limit");
    // Back to the start: impossible with a small current, possible with a larger one.
    assert_eq!((controller.write(17, 64, &[0]), controller.write(17, 11, &[5])), (0, 0));
    assert_eq!(controller.read(17, 102, 2).1, 1750_i16.to_le_bytes());
    controller.write(17, 102, &5_i16.to_le_bytes());
    controller.write(17, 64, &[1]);
    let before = controller.view(Joint::RightAntenna).position;
    controller.goal(17, 2048);
    controller.now = controller.now + millis(100);
    assert!((controller.view(Joint::RightAntenna).position - before).abs().value() < 0.02);
    controller.write(17, 102, &500_i16.to_le_bytes());
    controller.now = controller.now + millis(1_500);
    assert_eq!(counts_from_angle(controller.view(Joint::RightAntenna).position), 2048);
}

#[test]
fn gains_in_the_registers_change_the_stiffness() {
    let after = |gain: u16| {
        let mut controller = TestController::with(Faults::default());
        let gains = [&[0, 0, 0, 0][..], &gain.to_le_bytes()].concat();
        assert_eq!((controller.write(18, 80, &gains), controller.write(18, 64, &[1])), (0, 0));
        controller.goal(18, 2300);
        controller.now = controller.now + millis(50);
        counts_from_angle(controller.view(Joint::LeftAntenna).position)
    };
    assert!(after(50) < after(200) && after(200) < after(800), "{} {} {}", after(50), after(200), after(800));
}
