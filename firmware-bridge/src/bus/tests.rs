//! Tests of the bus with nine fake servos that remember what is written to them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use proptest::prelude::*;

use super::bring_up::gain_bytes;
use super::convert::radians_from_raw;
use super::fake::FakeServos;
use super::packet::SyncRead;
use super::registers::{
    BUS_WATCHDOG, GOAL_CURRENT, GOAL_POSITION, HARDWARE_ERROR_STATUS, OPERATING_MODE, PRESENT_CURRENT,
    PRESENT_INPUT_VOLTAGE, PRESENT_POSITION, TORQUE_ENABLE,
};
use super::*;
use crate::joint::{Joint, Joints};
use crate::robot::PositionReading;
use crate::servo::{Gains, HardwareErrorStatus, Milliamps, OperatingMode, ReadError};
use crate::units::Radians;

mod jumps;
mod terminal;

const STRAIGHT: u32 = 2048;
const CYCLE_PERIOD: Duration = Duration::from_millis(10);

fn options() -> BusOptions {
    BusOptions::default()
}

fn open(servos: &FakeServos) -> Result<Servos, RobotError> {
    Servos::prepare(Port::new(servos.line(), &options()), &options(), &default_gains())
}

fn fresh(state: &JointState) -> Vec<Joint> {
    state
        .readings
        .iter()
        .filter(|(_, it)| matches!(it, PositionReading::Fresh(_)))
        .map(|(joint, _)| joint)
        .collect()
}

fn all_but(left_out: Joint) -> Vec<Joint> {
    Joint::ALL.into_iter().filter(|joint| *joint != left_out).collect()
}

/// Runs cycles for this long, and returns the state after the last one.
fn cycles(servos: &FakeServos, bus: &mut Servos, time: Duration) -> JointState {
    let end = servos.now() + time;
    loop {
        let next = servos.now() + CYCLE_PERIOD;
        let state = bus.read_state(servos.now()).unwrap();
        servos.advance(next.since(servos.now()));
        if servos.now() >= end {
            return state;
        }
    }
}

#[test]
fn opening_sets_goals_and_watchdogs_without_torque() {
    let servos = FakeServos::in_process();
    servos.set(Joint::Stewart2, PRESENT_POSITION, 2500);
    servos.set(Joint::LeftAntenna, PRESENT_POSITION, (-40_i32).cast_unsigned());
    servos.set(Joint::RightAntenna, BUS_WATCHDOG, 0xff);
    let mut bus = open(&servos).unwrap();
    assert_eq!(servos.get(Joint::Stewart2, GOAL_POSITION), 2500);
    assert_eq!(servos.get(Joint::LeftAntenna, GOAL_POSITION), 0);
    for joint in Joint::ALL {
        assert_eq!((servos.get(joint, BUS_WATCHDOG), servos.get(joint, TORQUE_ENABLE)), (10, 0), "{joint}");
    }
    let state = bus.read_state(Timestamp(5)).unwrap();
    assert_eq!(state.torque, Joints::all(false));
    assert_eq!(state.readings[Joint::Stewart2], PositionReading::Fresh(radians_from_raw(2500)));
    drop(bus);
    assert!(Joint::ALL.iter().all(|joint| servos.get(*joint, BUS_WATCHDOG) == 0));
}

#[test]
fn opening_names_the_faulty_motor() {
    let servos = FakeServos::in_process();
    servos.set_silent(Joint::Stewart3, true);
    servos.set_silent(Joint::LeftAntenna, true);
    let joints = vec![Joint::Stewart3, Joint::LeftAntenna];
    assert_eq!(open(&servos).err(), Some(RobotError::Missing { joints }));

    let servos = FakeServos::in_process();
    servos.set(Joint::Stewart5, PRESENT_INPUT_VOLTAGE, 39);
    let fault = RobotError::LowVoltage { joint: Joint::Stewart5, volts: 3.9, min_volts: 4.5 };
    assert_eq!(open(&servos).err(), Some(fault));

    // A reboot does not clear the errors of the fake servos.
    let servos = FakeServos::in_process();
    servos.set(Joint::BodyYaw, HARDWARE_ERROR_STATUS, 0x20);
    let fault = RobotError::Hardware { joint: Joint::BodyYaw, error: "an overload" };
    assert_eq!(open(&servos).err(), Some(fault));
    assert_eq!(servos.reboots(), [Joint::BodyYaw]);
}

#[test]
fn opening_corrects_a_wrong_mode_without_torque() {
    let servos = FakeServos::in_process();
    servos.set(Joint::Stewart4, OPERATING_MODE, 0);
    servos.set(Joint::Stewart4, TORQUE_ENABLE, 1);
    servos.set(Joint::Stewart5, TORQUE_ENABLE, 1);
    let bus = open(&servos).unwrap();
    assert_eq!(
        (servos.get(Joint::Stewart4, OPERATING_MODE), servos.get(Joint::Stewart4, TORQUE_ENABLE)),
        (3, 0)
    );
    assert!(bus.torque[Joint::Stewart5] && !bus.torque[Joint::Stewart4]);
}

#[test]
fn goals_are_rounded_and_limited_to_the_servos_range() {
    let servos = FakeServos::in_process();
    servos.set(Joint::Stewart1, registers::MIN_POSITION_LIMIT, 1502);
    let mut bus = open(&servos).unwrap();
    let mut targets = Joints::all(radians_from_raw(2100) + Radians(0.0007));
    targets[Joint::Stewart1] = Radians(-2.0);
    bus.carry_out(Timestamp(1), &Action::Targets(targets)).unwrap();
    assert_eq!(servos.get(Joint::Stewart1, GOAL_POSITION), 1502);
    assert_eq!(servos.get(Joint::LeftAntenna, GOAL_POSITION), 2100);

    targets[Joint::LeftAntenna] = Radians(f64::NAN);
    targets[Joint::BodyYaw] = Radians(1.0);
    let fault = bus.carry_out(Timestamp(2), &Action::Targets(targets)).unwrap_err();
    assert!(matches!(fault, RobotError::Broken { .. }) && fault.to_string().contains("left_antenna"));
    assert_eq!(servos.get(Joint::BodyYaw, GOAL_POSITION), 2100);
}

#[test]
fn cycle_sends_one_write_and_one_read_plus_poll_slots() {
    for (fast_sync_read, question) in [(true, 0x8a), (false, 0x82)] {
        for hertz in [25, 50, 100, 200] {
            let servos = FakeServos::in_process();
            servos.support_fast_sync_read(fast_sync_read);
            let mut bus = open(&servos).unwrap();
            servos.take_instructions();
            let began = servos.now();
            for cycle in 0..hertz {
                servos.advance((began + Duration::from_secs(1) * cycle / hertz).since(servos.now()));
                let state = bus.carry_out(servos.now(), &Action::Targets(Joints::all(Radians(0.1)))).unwrap();
                assert_eq!(fresh(&state), Joint::ALL);
            }
            let asked = servos.take_instructions();
            let cycles: Vec<u8> = asked.iter().copied().filter(|instruction| *instruction != 0x02).collect();
            assert_eq!(cycles, [0x83, question].repeat(hertz as usize), "{hertz} Hz");
            // Two slots for each of nine motors, twice per second.
            let turns = asked.len() - cycles.len();
            assert!((34..=37).contains(&turns), "{turns} turns at {hertz} Hz");
        }
    }
}

#[test]
fn cycle_ends_in_time_with_any_silent_motor() {
    for fast_sync_read in [true, false] {
        let servos = FakeServos::in_process();
        servos.support_fast_sync_read(fast_sync_read);
        let mut bus = open(&servos).unwrap();
        for silent in Joint::ALL {
            servos.set_silent(silent, true);
            let began = servos.now();
            bus.carry_out(began, &Action::Targets(Joints::all(Radians(0.1)))).unwrap();
            // One deadline and one slot.
            let took = servos.now().since(began);
            assert!(took <= options().cycle_timeout + Duration::from_millis(2), "{took:?}");
            servos.set_silent(silent, false);
            cycles(&servos, &mut bus, CYCLE_PERIOD * 3);
        }
    }
}

#[test]
fn timeouts_are_extended_on_a_slow_line() {
    let servos = FakeServos::in_process();
    let slow = BusOptions { baud: 57_600, cycle_timeout: Duration::from_millis(1), ..options() };
    let port = Port::new(servos.line(), &slow);
    assert!(port.transfer(144) == Duration::from_millis(25));
    let mut bus = Servos::prepare(port, &slow, &default_gains()).unwrap();
    assert_eq!(fresh(&bus.read_state(Timestamp(1)).unwrap()), Joint::ALL);
}

#[test]
fn cycles_do_not_allocate() {
    let servos = FakeServos::in_process();
    let mut bus = open(&servos).unwrap();
    let reserved = bus.port.reserved();
    servos.echo(true);
    cycles(&servos, &mut bus, Duration::from_secs(1));
    servos.corrupt(Some(Box::new(|answer| answer.extend([0xff; 1500]))));
    cycles(&servos, &mut bus, Duration::from_secs(1));
    assert_eq!(bus.port.reserved(), reserved);
}

#[test]
fn losses_name_motor_and_cause() {
    let servos = FakeServos::in_process();
    let mut bus = open(&servos).unwrap();
    let mut lost = |spoil: fn(&mut Vec<u8>)| {
        servos.corrupt(Some(Box::new(spoil)));
        let state = bus.read_state(Timestamp(2)).unwrap();
        servos.corrupt(None);
        cycles(&servos, &mut bus, CYCLE_PERIOD * 2);
        let losses: Vec<_> =
            state.read_errors.iter().filter_map(|(joint, loss)| Some((joint, (*loss)?))).collect();
        assert_eq!(fresh(&state).len() < 9, !losses.is_empty());
        (losses, fresh(&state).len())
    };
    assert_eq!(lost(|_| ()), (vec![], 9));
    // Blocks of eight bytes after a start of eight.
    assert_eq!(lost(|answer| answer.truncate(8 + 3 * 8)), (vec![(Joint::Stewart3, ReadError::Silent)], 3));
    assert_eq!(
        lost(|answer| answer.truncate(8 + 3 * 8 + 5)),
        (vec![(Joint::Stewart3, ReadError::Partial)], 3)
    );
    assert_eq!(lost(|answer| answer[8 + 4 * 8 + 3] ^= 2), (vec![(Joint::Stewart4, ReadError::Corrupt)], 4));
    let (losses, answered) = lost(Vec::clear);
    assert_eq!((losses, answered), (Joint::ALL.map(|joint| (joint, ReadError::Silent)).to_vec(), 0));
}

#[test]
fn echoing_adapter_works_and_is_reported() {
    for fast_sync_read in [true, false] {
        let servos = FakeServos::in_process();
        servos.support_fast_sync_read(fast_sync_read);
        servos.echo(true);
        let mut bus = open(&servos).unwrap();
        for cycle in 1..50 {
            let state = bus.carry_out(Timestamp(cycle), &Action::Targets(Joints::all(Radians(0.1)))).unwrap();
            assert!(state.echo);
            assert_eq!((fresh(&state), state.read_errors), (Joint::ALL.to_vec(), Joints::all(None)));
        }
        servos.echo(false);
        cycles(&servos, &mut bus, CYCLE_PERIOD);
        assert!(!bus.read_state(Timestamp(99)).unwrap().echo);
    }
}

#[test]
fn each_motor_is_measured_twice_per_second() {
    let servos = FakeServos::in_process();
    servos.set(Joint::Stewart4, PRESENT_CURRENT, (-120_i32).cast_unsigned());
    servos.set(Joint::Stewart4, PRESENT_INPUT_VOLTAGE, 47);
    let mut bus = open(&servos).unwrap();
    assert_eq!(bus.read_state(Timestamp(0)).unwrap().health[Joint::LeftAntenna], None);
    for _ in 0..4 {
        let state = cycles(&servos, &mut bus, Duration::from_millis(550));
        for (joint, health) in state.health.iter() {
            let health = health.unwrap();
            assert!(state.time.since(health.time) <= Duration::from_millis(550), "{joint}");
            assert_eq!(health.temperature_c, 31.0);
        }
        let health = state.health[Joint::Stewart4].unwrap();
        assert_eq!((health.voltage_v, health.current), (4.7, Milliamps(-120.0)));
    }
}

#[test]
fn motor_that_restarted_between_cycles_is_detected_and_restored() {
    for driven in [true, false] {
        let servos = FakeServos::in_process();
        let mut bus = open(&servos).unwrap();
        bus.carry_out(Timestamp(1), &Action::Torque(Joints::all(driven))).unwrap();
        cycles(&servos, &mut bus, Duration::from_millis(200));
        for joint in [Joint::Stewart2, Joint::LeftAntenna] {
            servos.power_cycle(joint);
            servos.set(joint, PRESENT_POSITION, 1900);
        }
        let state = cycles(&servos, &mut bus, Duration::from_millis(550));
        for joint in Joint::ALL {
            let reset = [Joint::Stewart2, Joint::LeftAntenna].contains(&joint);
            assert_eq!(state.torque[joint], driven && !reset, "{joint}");
            assert_eq!(servos.get(joint, BUS_WATCHDOG), 10);
            assert_eq!(servos.gains(joint), gain_bytes(default_gains()[joint]));
            assert_eq!(servos.get(joint, GOAL_POSITION), if reset { 1900 } else { STRAIGHT });
        }
    }
}

#[test]
fn errors_are_read_immediately_until_they_clear() {
    let servos = FakeServos::in_process();
    let mut bus = open(&servos).unwrap();
    cycles(&servos, &mut bus, CYCLE_PERIOD * 5);
    let check = |bus: &mut Servos, bits: &[(Joint, u8)], within: u32| {
        bits.iter().for_each(|(joint, bits)| servos.set(*joint, HARDWARE_ERROR_STATUS, (*bits).into()));
        let state = cycles(&servos, bus, CYCLE_PERIOD * within);
        for (joint, bits) in bits {
            assert_eq!(state.errors[*joint], HardwareErrorStatus(*bits), "{joint}");
        }
    };
    check(&mut bus, &[(Joint::Stewart3, 0x20)], 1);
    check(&mut bus, &[(Joint::Stewart3, 0)], 1);
    // A second error of the same motor raises no new alert; its next slot reports it.
    check(&mut bus, &[(Joint::Stewart3, 0x20)], 1);
    check(&mut bus, &[(Joint::Stewart3, 0x24)], 55);
    check(&mut bus, &[(Joint::Stewart3, 0)], 1);
    check(&mut bus, &Joint::ALL.map(|joint| (joint, 0x01)), 3);
    check(&mut bus, &Joint::ALL.map(|joint| (joint, 0)), 3);
}

#[test]
fn mode_changes_release_and_then_hold_the_position() {
    let servos = FakeServos::in_process();
    let mut bus = open(&servos).unwrap();
    let mut driven = Joints::all(true);
    driven[Joint::Stewart6] = false;
    bus.carry_out(Timestamp(1), &Action::Torque(driven)).unwrap();
    let mut modes = Joints::all(OperatingMode::Position);
    Joint::STEWART.into_iter().for_each(|leg| modes[leg] = OperatingMode::Current);
    modes[Joint::BodyYaw] = OperatingMode::CurrentBasedPosition;
    for joint in Joint::ALL {
        servos.set(joint, PRESENT_POSITION, 2100);
        servos.set(joint, GOAL_CURRENT, 900);
    }
    let state = bus.carry_out(Timestamp(2), &Action::Modes(modes)).unwrap();
    assert_eq!((state.modes, state.torque), (modes, driven));
    for joint in Joint::ALL {
        let changed = modes[joint] != OperatingMode::Position;
        assert_eq!(servos.get(joint, OPERATING_MODE), modes[joint].number().into());
        assert_eq!(servos.get(joint, GOAL_POSITION), if changed { 2100 } else { STRAIGHT });
    }
    // No leg may turn with the current that its register contained.
    assert_eq!(servos.get(Joint::Stewart1, GOAL_CURRENT), 0);
    assert_eq!(servos.get(Joint::BodyYaw, GOAL_CURRENT), 1750);

    let mut currents = Joints::all(Milliamps(-20.4));
    currents[Joint::Stewart2] = Milliamps(1e9);
    bus.carry_out(Timestamp(3), &Action::Currents(currents)).unwrap();
    let current = |joint| i32::from(servos.get(joint, GOAL_CURRENT) as i16);
    assert_eq!((current(Joint::Stewart1), current(Joint::Stewart2)), (-20, 1750));
    assert_eq!((current(Joint::BodyYaw), current(Joint::LeftAntenna)), (20, 900));
    currents[Joint::Stewart3] = Milliamps(f64::NAN);
    assert!(matches!(
        bus.carry_out(Timestamp(4), &Action::Currents(currents)),
        Err(RobotError::Broken { .. })
    ));

    // Only motors in a position mode receive goals.
    bus.carry_out(Timestamp(5), &Action::Targets(Joints::all(radians_from_raw(2200)))).unwrap();
    let goal = |joint| servos.get(joint, GOAL_POSITION);
    assert_eq!((goal(Joint::Stewart1), goal(Joint::BodyYaw), goal(Joint::LeftAntenna)), (2100, 2200, 2200));

    // Torque off and on again: never with an old current, and with the configured limit.
    bus.carry_out(Timestamp(6), &Action::Torque(Joints::all(false))).unwrap();
    Joint::ALL.into_iter().for_each(|joint| servos.set(joint, GOAL_CURRENT, 1500));
    servos.lock(Joint::Stewart4, GOAL_CURRENT);
    let state = bus.carry_out(Timestamp(6), &Action::Torque(driven)).unwrap();
    assert_eq!((current(Joint::Stewart1), current(Joint::BodyYaw)), (0, 20));
    assert!(state.torque[Joint::Stewart1] && !state.torque[Joint::Stewart4]);
    driven[Joint::Stewart4] = false;
    let state = bus.carry_out(Timestamp(6), &Action::Modes(Joints::all(OperatingMode::Position))).unwrap();
    assert_eq!((state.modes, state.torque), (Joints::all(OperatingMode::Position), driven));
    assert_eq!(goal(Joint::Stewart1), 2100);
}

#[test]
fn rejected_mode_or_gains_are_reported_and_the_motor_continues() {
    let servos = FakeServos::in_process();
    let mut bus = open(&servos).unwrap();
    bus.carry_out(Timestamp(1), &Action::Torque(Joints::all(true))).unwrap();
    servos.lock(Joint::Stewart5, OPERATING_MODE);
    let fault = bus.carry_out(Timestamp(2), &Action::Modes(Joints::all(OperatingMode::Current))).unwrap_err();
    assert_eq!(fault, RobotError::Rejected { joint: Joint::Stewart5, what: OPERATING_MODE.name });
    let state = bus.read_state(Timestamp(3)).unwrap();
    assert_eq!(state.torque, Joints::all(true));
    for joint in Joint::ALL {
        let expected =
            if joint == Joint::Stewart5 { OperatingMode::Position } else { OperatingMode::Current };
        assert_eq!(state.modes[joint], expected, "{joint}");
    }

    let soft = Gains { p: 100, i: 2, d: 3 };
    bus.carry_out(Timestamp(4), &Action::Gains(Joint::Stewart1, soft)).unwrap();
    assert_eq!(servos.gains(Joint::Stewart1), [3, 0, 2, 0, 100, 0]);
    // They persist when the servo restarts.
    servos.power_cycle(Joint::Stewart1);
    cycles(&servos, &mut bus, Duration::from_millis(550));
    assert_eq!(servos.gains(Joint::Stewart1), gain_bytes(soft));
    servos.lock(Joint::Stewart1, registers::POSITION_GAINS);
    let fault =
        bus.carry_out(Timestamp(5), &Action::Gains(Joint::Stewart1, default_gains()[Joint::Stewart1]));
    assert_eq!(fault, Err(RobotError::Rejected { joint: Joint::Stewart1, what: "Position Gains" }));
}

#[test]
fn torque_is_enabled_only_with_the_goal_at_the_present_position() {
    let servos = FakeServos::in_process();
    let mut bus = open(&servos).unwrap();
    // The motors were moved by hand, so the goals are outdated.
    for joint in Joint::ALL {
        servos.set(joint, PRESENT_POSITION, 2300);
    }
    servos.set_silent(Joint::Stewart6, true);
    let state = bus.carry_out(Timestamp(1), &Action::Torque(Joints::all(true))).unwrap();
    for joint in all_but(Joint::Stewart6) {
        assert_eq!(
            (servos.get(joint, GOAL_POSITION), servos.get(joint, TORQUE_ENABLE)),
            (2300, 1),
            "{joint}"
        );
        assert!(state.torque[joint]);
    }
    assert_eq!(servos.get(Joint::Stewart6, TORQUE_ENABLE), 0);
    assert!(!state.torque[Joint::Stewart6]);

    // A motor that has torque keeps its goal.
    servos.set(Joint::BodyYaw, PRESENT_POSITION, 2290);
    bus.carry_out(Timestamp(2), &Action::Torque(Joints::all(true))).unwrap();
    assert_eq!(servos.get(Joint::BodyYaw, GOAL_POSITION), 2300);
    let state = bus.carry_out(Timestamp(3), &Action::Torque(Joints::all(false))).unwrap();
    assert_eq!(state.torque, Joints::all(false));
}

#[test]
fn only_the_silent_motor_becomes_stale() {
    for together in [true, false] {
        let servos = FakeServos::in_process();
        servos.support_fast_sync_read(together);
        let mut bus = open(&servos).unwrap();
        assert_eq!(bus.sync_read == SyncRead::Fast, together);
        bus.read_state(Timestamp(1)).unwrap();
        servos.set_silent(Joint::BodyYaw, true);
        bus.read_state(Timestamp(2)).unwrap();
        for cycle in 3..40 {
            let state = bus.read_state(Timestamp(cycle)).unwrap();
            assert_eq!(state.read_errors[Joint::BodyYaw], Some(ReadError::Silent));
            assert_eq!(fresh(&state), all_but(Joint::BodyYaw));
            let last = radians_from_raw(STRAIGHT.cast_signed());
            assert_eq!(state.readings[Joint::BodyYaw], PositionReading::Stale { since: Timestamp(1), last });
        }
    }
}

#[test]
fn returning_motor_gets_its_goal_and_watchdog_again() {
    let servos = FakeServos::in_process();
    let mut bus = open(&servos).unwrap();
    let mut state = bus.carry_out(Timestamp(1), &Action::Torque(Joints::all(true))).unwrap();
    assert!(state.torque[Joint::Stewart2]);
    servos.set_silent(Joint::Stewart2, true);
    for cycle in 2..8 {
        state = bus.read_state(Timestamp(cycle)).unwrap();
    }
    // The motor lost its power: everything but its settings is lost.
    servos.set(Joint::Stewart2, TORQUE_ENABLE, 0);
    servos.set(Joint::Stewart2, BUS_WATCHDOG, 0);
    servos.set(Joint::Stewart2, PRESENT_POSITION, 1900);
    servos.set_silent(Joint::Stewart2, false);
    for cycle in 8..20 {
        state = bus.read_state(Timestamp(cycle)).unwrap();
    }
    assert_eq!(fresh(&state), Joint::ALL);
    assert!(!state.torque[Joint::Stewart2] && state.torque[Joint::Stewart1]);
    assert_eq!(servos.get(Joint::Stewart2, BUS_WATCHDOG), 10);
    assert_eq!(servos.get(Joint::Stewart2, GOAL_POSITION), 1900);
}

#[test]
fn released_motor_with_an_error_is_detected() {
    let servos = FakeServos::in_process();
    let mut bus = open(&servos).unwrap();
    bus.carry_out(Timestamp(1), &Action::Torque(Joints::all(true))).unwrap();
    servos.set(Joint::Stewart3, HARDWARE_ERROR_STATUS, 0x20);
    servos.set(Joint::Stewart3, TORQUE_ENABLE, 0);
    let state = bus.read_state(Timestamp(2)).unwrap();
    assert!(!state.torque[Joint::Stewart3] && state.torque[Joint::Stewart4]);

    servos.set(Joint::Stewart3, HARDWARE_ERROR_STATUS, 0);
    let state = bus.carry_out(Timestamp(3), &Action::Reboot(Joint::Stewart3)).unwrap();
    assert_eq!(servos.reboots(), [Joint::Stewart3]);
    assert!(matches!(state.readings[Joint::Stewart3], PositionReading::Stale { since: Timestamp(2), .. }));
}

#[test]
fn all_motors_silent_is_stale_and_no_fault() {
    let servos = FakeServos::in_process();
    let mut bus = open(&servos).unwrap();
    bus.read_state(Timestamp(1)).unwrap();
    Joint::ALL.iter().for_each(|joint| servos.set_silent(*joint, true));
    let state = bus.read_state(Timestamp(2)).unwrap();
    assert_eq!(fresh(&state), []);
    Joint::ALL.iter().for_each(|joint| servos.set_silent(*joint, false));
    assert_eq!(fresh(&bus.read_state(Timestamp(3)).unwrap()), Joint::ALL);
}

#[test]
fn restored_line_resumes_at_the_present_positions() {
    let servos = Arc::new(FakeServos::in_process());
    let tries = Arc::new(AtomicU32::new(0));
    let reopen: ReconnectFn = Box::new({
        let (servos, tries) = (Arc::clone(&servos), Arc::clone(&tries));
        move || {
            tries.fetch_add(1, Ordering::Relaxed);
            Ok(servos.line())
        }
    });
    let mut bus = MotorBus::with_transport(servos.line(), &options()).unwrap().with_reconnect(reopen);
    let targets = Action::Targets(Joints::all(radians_from_raw(2200)));
    bus.act(servos.now(), Some(&Action::Torque(Joints::all(true)))).unwrap();
    bus.act(servos.now(), Some(&targets)).unwrap();
    let gains = Gains { p: 123, i: 0, d: 0 };
    bus.act(servos.now(), Some(&Action::Gains(Joint::Stewart1, gains))).unwrap();
    servos.set_unplugged(true);
    // The servos keep their power, and one is turned by hand.
    servos.set(Joint::Stewart3, PRESENT_POSITION, 1700);
    servos.set(Joint::LeftAntenna, TORQUE_ENABLE, 0);
    for _ in 0..200 {
        assert!(matches!(bus.act(servos.now(), Some(&targets)), Err(RobotError::PortGone { .. })));
        servos.advance(CYCLE_PERIOD);
    }
    assert_eq!(tries.load(Ordering::Relaxed), 3);
    servos.set_unplugged(false);
    let state = loop {
        match bus.act(servos.now(), Some(&targets)) {
            Ok(state) => break state,
            Err(_) => servos.advance(CYCLE_PERIOD),
        }
    };
    assert_eq!(tries.load(Ordering::Relaxed), 4);
    assert_eq!(fresh(&state), Joint::ALL);
    for joint in Joint::ALL {
        assert_eq!(state.torque[joint], joint != Joint::LeftAntenna, "{joint}");
        // Goals from before the loss are not written.
        let here = if joint == Joint::Stewart3 { 1700 } else { STRAIGHT };
        assert_eq!((servos.get(joint, GOAL_POSITION), servos.get(joint, BUS_WATCHDOG)), (here, 10));
    }
    assert_eq!(servos.gains(Joint::Stewart1), gain_bytes(gains));
    bus.act(servos.now(), Some(&targets)).unwrap();
    assert_eq!(servos.get(Joint::Stewart3, GOAL_POSITION), 2200);
}

#[test]
fn line_without_reopening_stays_lost() {
    let servos = FakeServos::in_process();
    let mut bus = MotorBus::with_transport(servos.line(), &options()).unwrap();
    servos.set_unplugged(true);
    for _ in 0..3 {
        assert!(matches!(bus.read_state(servos.now()), Err(RobotError::PortGone { .. })));
        servos.advance(Duration::from_secs(1));
        servos.set_unplugged(false);
    }
}

proptest! {
    /// For any change to the answers: no panic, no fault, and no goal other than the commanded ones.
    #[test]
    fn corrupted_answers_cause_no_fault_and_no_wrong_goal(noise in proptest::collection::vec((0_usize..120, any::<u8>(), 0_u8..4), 1..60)) {
        let servos = FakeServos::in_process();
        let mut bus = open(&servos).unwrap();
        bus.carry_out(Timestamp(1), &Action::Torque(Joints::all(true))).unwrap();
        let mut next = 0;
        servos.corrupt(Some(Box::new(move |answer| {
            next += 1;
            let Some(&(at, byte, how)) = noise.get(next % noise.len()) else { return };
            let at = at.min(answer.len());
            match how {
                0 => answer.insert(at, byte),
                1 => answer.truncate(at),
                2 => answer.iter_mut().skip(at).take(1).for_each(|it| *it ^= byte),
                _ => answer.extend(vec![byte; 40]),
            }
        })));
        for cycle in 2..60 {
            let targets = Joints::all(Radians(0.1));
            let done = bus.carry_out(Timestamp(cycle), &Action::Targets(targets));
            prop_assert!(done.is_ok(), "{done:?}");
            servos.advance(CYCLE_PERIOD);
        }
        for joint in Joint::ALL {
            let goal = servos.get(joint, GOAL_POSITION);
            prop_assert!(goal == 2113 || goal == STRAIGHT, "{goal}");
        }
    }
}
