//! The bus against nine servos that remember what is written to them.

use super::fake::FakeServos;
use super::registers::{HARDWARE_ERROR, MODE, VOLTAGE};
use super::*;
use crate::units::Radians;

const STRAIGHT: u32 = 2048;

fn options() -> BusOptions {
    BusOptions { reply_timeout: Duration::from_millis(20), ..BusOptions::default() }
}

fn open(servos: &FakeServos) -> Result<MotorBus, RobotFault> {
    MotorBus::open(servos.path(), &options())
}

fn fresh(state: &JointState) -> Vec<Joint> {
    state.readings.iter().filter(|(_, it)| matches!(it, Reading::Fresh(_))).map(|(joint, _)| joint).collect()
}

fn all_but(left_out: Joint) -> Vec<Joint> {
    Joint::ALL.into_iter().filter(|joint| *joint != left_out).collect()
}

#[test]
fn opening_pins_goals_and_arms_watchdogs_without_torque() {
    let servos = FakeServos::start();
    servos.set(Joint::Stewart2, PRESENT_POSITION, 2500);
    servos.set(Joint::LeftAntenna, PRESENT_POSITION, (-40_i32).cast_unsigned());
    servos.set(Joint::RightAntenna, BUS_WATCHDOG, 0xff);
    let mut bus = open(&servos).unwrap();
    assert_eq!(servos.get(Joint::Stewart2, GOAL_POSITION), 2500);
    assert_eq!(servos.get(Joint::LeftAntenna, GOAL_POSITION), 0);
    for joint in Joint::ALL {
        assert_eq!((servos.get(joint, BUS_WATCHDOG), servos.get(joint, TORQUE)), (10, 0), "{joint}");
    }
    let state = bus.sense(Tick(5)).unwrap();
    assert_eq!(state.torque, Joints::all(false));
    assert_eq!(state.readings[Joint::Stewart2], Reading::Fresh(radians_from_raw(2500)));
    drop(bus);
    assert!(Joint::ALL.iter().all(|joint| servos.get(*joint, BUS_WATCHDOG) == 0));
}

#[test]
fn what_is_wrong_at_the_start_is_named() {
    let servos = FakeServos::start();
    servos.silence(Joint::Stewart3, true);
    servos.silence(Joint::LeftAntenna, true);
    let joints = vec![Joint::Stewart3, Joint::LeftAntenna];
    assert_eq!(open(&servos).err(), Some(RobotFault::Missing { joints }));

    let servos = FakeServos::start();
    servos.set(Joint::Stewart5, VOLTAGE, 39);
    let fault = RobotFault::LowVoltage { joint: Joint::Stewart5, volts: 3.9, least: 4.5 };
    assert_eq!(open(&servos).err(), Some(fault));

    // These servos' errors do not go away by a reboot.
    let servos = FakeServos::start();
    servos.set(Joint::BodyYaw, HARDWARE_ERROR, 0x20);
    let fault = RobotFault::Hardware { joint: Joint::BodyYaw, error: "an overload" };
    assert_eq!(open(&servos).err(), Some(fault));
    assert_eq!(servos.reboots(), [Joint::BodyYaw]);
}

#[test]
fn a_wrong_mode_is_mended_without_torque() {
    let servos = FakeServos::start();
    servos.set(Joint::Stewart4, MODE, 0);
    servos.set(Joint::Stewart4, TORQUE, 1);
    servos.set(Joint::Stewart5, TORQUE, 1);
    let bus = open(&servos).unwrap();
    assert_eq!((servos.get(Joint::Stewart4, MODE), servos.get(Joint::Stewart4, TORQUE)), (3, 0));
    assert!(bus.torque[Joint::Stewart5] && !bus.torque[Joint::Stewart4]);
}

#[test]
fn targets_are_written_rounded_and_within_what_the_servo_takes() {
    let servos = FakeServos::start();
    servos.set(Joint::Stewart1, registers::LOWEST_GOAL, 1502);
    let mut bus = open(&servos).unwrap();
    let mut targets = Joints::all(radians_from_raw(2100) + Radians(0.0007));
    targets[Joint::Stewart1] = Radians(-2.0);
    bus.carry_out(Tick(1), &Action::Targets(targets)).unwrap();
    assert_eq!(servos.get(Joint::Stewart1, GOAL_POSITION), 1502);
    assert_eq!(servos.get(Joint::LeftAntenna, GOAL_POSITION), 2100);

    targets[Joint::LeftAntenna] = Radians(f64::NAN);
    targets[Joint::BodyYaw] = Radians(1.0);
    let fault = bus.carry_out(Tick(2), &Action::Targets(targets)).unwrap_err();
    assert!(matches!(fault, RobotFault::Broken { .. }) && fault.to_string().contains("left_antenna"));
    assert_eq!(servos.get(Joint::BodyYaw, GOAL_POSITION), 2100);
}

#[test]
fn a_beat_costs_one_packet_out_and_one_question() {
    for (fast_sync_read, question) in [(true, 0x8a), (false, 0x82)] {
        let servos = FakeServos::start();
        servos.know_fast_sync_read(fast_sync_read);
        let mut bus = open(&servos).unwrap();
        bus.sense(Tick(0)).unwrap();
        servos.take_instructions();
        for beat in 1..20 {
            bus.carry_out(Tick(beat), &Action::Targets(Joints::all(Radians(0.1)))).unwrap();
        }
        assert_eq!(servos.take_instructions(), [0x83, question].repeat(19));
    }
}

#[test]
fn torque_comes_on_only_where_the_goal_is_pinned() {
    let servos = FakeServos::start();
    let mut bus = open(&servos).unwrap();
    // Moved by hand since; the goals are old now.
    for joint in Joint::ALL {
        servos.set(joint, PRESENT_POSITION, 2300);
    }
    servos.silence(Joint::Stewart6, true);
    let state = bus.carry_out(Tick(1), &Action::Torque(Joints::all(true))).unwrap();
    for joint in all_but(Joint::Stewart6) {
        assert_eq!((servos.get(joint, GOAL_POSITION), servos.get(joint, TORQUE)), (2300, 1), "{joint}");
        assert!(state.torque[joint]);
    }
    assert_eq!(servos.get(Joint::Stewart6, TORQUE), 0);
    assert!(!state.torque[Joint::Stewart6]);

    // One that is driven already keeps its goal.
    servos.set(Joint::BodyYaw, PRESENT_POSITION, 2290);
    bus.carry_out(Tick(2), &Action::Torque(Joints::all(true))).unwrap();
    assert_eq!(servos.get(Joint::BodyYaw, GOAL_POSITION), 2300);
    let state = bus.carry_out(Tick(3), &Action::Torque(Joints::all(false))).unwrap();
    assert_eq!(state.torque, Joints::all(false));
}

#[test]
fn a_silent_motor_goes_stale_and_the_others_do_not() {
    for together in [true, false] {
        let servos = FakeServos::start();
        servos.know_fast_sync_read(together);
        let mut bus = open(&servos).unwrap();
        assert_eq!(bus.asking == Asking::Together, together);
        bus.sense(Tick(1)).unwrap();
        servos.silence(Joint::BodyYaw, true);
        bus.sense(Tick(2)).unwrap();
        for beat in 3..40 {
            let state = bus.sense(Tick(beat)).unwrap();
            assert_eq!(fresh(&state), all_but(Joint::BodyYaw));
            let last = radians_from_raw(STRAIGHT.cast_signed());
            assert_eq!(state.readings[Joint::BodyYaw], Reading::Stale { since: Tick(1), last });
        }
    }
}

#[test]
fn a_motor_that_comes_back_is_pinned_and_watched_again() {
    let servos = FakeServos::start();
    let mut bus = open(&servos).unwrap();
    let mut state = bus.carry_out(Tick(1), &Action::Torque(Joints::all(true))).unwrap();
    assert!(state.torque[Joint::Stewart2]);
    servos.silence(Joint::Stewart2, true);
    for beat in 2..8 {
        state = bus.sense(Tick(beat)).unwrap();
    }
    // It lost its power: everything but its settings is forgotten.
    servos.set(Joint::Stewart2, TORQUE, 0);
    servos.set(Joint::Stewart2, BUS_WATCHDOG, 0);
    servos.set(Joint::Stewart2, PRESENT_POSITION, 1900);
    servos.silence(Joint::Stewart2, false);
    for beat in 8..20 {
        state = bus.sense(Tick(beat)).unwrap();
    }
    assert_eq!(fresh(&state), Joint::ALL);
    assert!(!state.torque[Joint::Stewart2] && state.torque[Joint::Stewart1]);
    assert_eq!(servos.get(Joint::Stewart2, BUS_WATCHDOG), 10);
    assert_eq!(servos.get(Joint::Stewart2, GOAL_POSITION), 1900);
}

#[test]
fn a_motor_in_error_that_lets_go_is_noticed() {
    let servos = FakeServos::start();
    let mut bus = open(&servos).unwrap();
    bus.carry_out(Tick(1), &Action::Torque(Joints::all(true))).unwrap();
    servos.set(Joint::Stewart3, HARDWARE_ERROR, 0x20);
    servos.set(Joint::Stewart3, TORQUE, 0);
    let state = bus.sense(Tick(2)).unwrap();
    assert!(!state.torque[Joint::Stewart3] && state.torque[Joint::Stewart4]);

    servos.set(Joint::Stewart3, HARDWARE_ERROR, 0);
    let state = bus.carry_out(Tick(3), &Action::Reboot(Joint::Stewart3)).unwrap();
    assert_eq!(servos.reboots(), [Joint::Stewart3]);
    assert!(matches!(state.readings[Joint::Stewart3], Reading::Stale { since: Tick(2), .. }));
}

#[test]
fn everything_silent_is_stale_and_no_fault() {
    let servos = FakeServos::start();
    let mut bus = open(&servos).unwrap();
    bus.sense(Tick(1)).unwrap();
    Joint::ALL.iter().for_each(|joint| servos.silence(*joint, true));
    let state = bus.sense(Tick(2)).unwrap();
    assert_eq!(fresh(&state), []);
    Joint::ALL.iter().for_each(|joint| servos.silence(*joint, false));
    assert_eq!(fresh(&bus.sense(Tick(3)).unwrap()), Joint::ALL);
}

#[test]
fn a_scan_reports_and_changes_nothing() {
    let servos = FakeServos::start();
    servos.set(Joint::Stewart1, HARDWARE_ERROR, 0x24);
    servos.set(Joint::Stewart1, PRESENT_POSITION, 1000);
    servos.silence(Joint::RightAntenna, true);
    let before = servos.memory();
    let reports = scan(servos.path(), &options()).unwrap();
    assert_eq!(before, servos.memory());
    let joints: Vec<_> = reports.iter().filter_map(|report| report.joint).collect();
    assert_eq!(joints, all_but(Joint::RightAntenna));
    let one = &reports[1];
    assert_eq!((one.id, one.model, one.position_raw, one.volts), (11, 1200, 1000, 5.0));
    assert_eq!(one.hardware_error, ["overheating", "an overload"]);
}
