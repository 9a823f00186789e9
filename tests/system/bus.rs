//! The motor bus on the emulated servos' serial line.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::num::NonZeroU32;
use std::time::Duration;

use firmware_bridge::bus::eeprom::{EepromLine, EepromSettings, Setting};
use firmware_bridge::bus::{BusOptions, MotorBus, RawLine, raw, scan};
use firmware_bridge::clock::{Clock, MonotonicClock, Timestamp};
use firmware_bridge::control_loop::{ControlLoop, LoopCommand, MoveResult};
use firmware_bridge::envelope::Envelope;
use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::limits::Limits;
use firmware_bridge::motion::{Interpolation, Motion, PlanRules, Target};
use firmware_bridge::motion_log::{LoggingRobot, MotionLog};
use firmware_bridge::posture::{Antennas, HeadPose, Posture, RollPitchYaw};
use firmware_bridge::robot::{JointState, PositionReading, Robot, RobotError};
use firmware_bridge::servo::Gains;
use firmware_bridge::units::Radians;
use minismith_control::robot::initial_joints;
use mock_robot::faults::{Faults, HardwareError, WatchdogFirmware};
use mock_robot::firmware::{Emulator, EmulatorOptions, Watchdog};

/// Half an encoder count.
const HALF_STEP: f64 = std::f64::consts::PI / 4096.0;

fn options() -> BusOptions {
    // Longer than the servos need, since other tests share the processor.
    let patient = Duration::from_millis(50);
    BusOptions { reply_timeout: patient, cycle_timeout: patient, watchdog: None, ..BusOptions::default() }
}

fn emulated(faults: Faults) -> Emulator {
    let start = Joints::from_fn(|joint| Radians(0.1 + 0.02 * joint.index() as f64));
    Emulator::start(EmulatorOptions { link: None, faults, start, paced: true }).unwrap()
}

const CYCLE_PERIOD: Duration = Duration::from_millis(10);

/// Moves all nine joints of the emulated servos there and back, at 100 cycles per second.
fn nine_joints_dance(faults: Faults, options: &BusOptions) {
    let emulator = Emulator::start(EmulatorOptions {
        link: None,
        faults: faults.clone(),
        start: initial_joints(),
        paced: true,
    })
    .unwrap();
    let bus = MotorBus::open(emulator.path(), options).unwrap();
    let trace = MotionLog::with_room_for(1_000);
    let limits = Limits::default();
    let mut control_loop = ControlLoop::new(
        LoggingRobot::new(bus, trace.clone()),
        MonotonicClock::start(),
        limits,
        CYCLE_PERIOD,
    )
    .unwrap();
    control_loop.apply_command(LoopCommand::Torque(Joints::all(true)));
    assert!(control_loop.step().state.torque.iter().all(|(_, on)| *on));
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
        let rules = PlanRules { limits: &limits, period: CYCLE_PERIOD, automatic_body_yaw: false };
        let trajectory = motion.plan(&control_loop.snapshot().goal, &rules).unwrap();
        control_loop.apply_command(LoopCommand::Play { trajectory, reset_clamps: true, stop_epoch: 0 });
        while control_loop.step().move_result.is_none() {}
        assert_eq!(
            control_loop.snapshot().move_result,
            Some(MoveResult::Succeeded),
            "{faults:?}: {:?}",
            control_loop.snapshot().fault
        );
        // Longer than the slowest joint needs to catch up, plus one poll of every motor.
        for _ in 0..60 {
            assert_eq!(control_loop.step().fault, None, "{faults:?}");
        }
        let commanded = control_loop.snapshot().goal;
        for (joint, servo) in emulator.probe().iter() {
            let off = (servo.position - commanded[joint]).abs().value();
            assert!(off <= HALF_STEP + 1e-6, "{joint} stands {off} rad from its goal with {faults:?}");
            let moved = (servo.position - start[joint].position).abs().value();
            assert!(moved > 0.01, "{joint} moved by {moved} rad only");
            let read = control_loop.snapshot().state.readings[joint].known().unwrap();
            assert!((read - servo.position).abs().value() <= HALF_STEP + 1e-6, "{joint} is read at {read:?}");
        }
    }
    let cycles = trace.take();
    let mut last = Joints::all(0.0);
    for pair in cycles.windows(2) {
        for joint in Joint::ALL {
            let speed = (pair[1].goal[joint] - pair[0].goal[joint]).value() / CYCLE_PERIOD.as_secs_f64();
            let limit = limits.joints[joint];
            let change = (speed - last[joint]).abs() / CYCLE_PERIOD.as_secs_f64();
            assert!(speed.abs() <= limit.max_velocity.value() + 1e-9, "{joint} at {speed} rad/s");
            assert!(change <= limit.max_acceleration.value() + 1e-6, "{joint} changes by {change} rad/s2");
            last[joint] = speed;
        }
    }
}

#[test]
fn all_servos_follow_a_motion() {
    nine_joints_dance(Faults::default(), &options());
}

#[test]
fn all_servos_follow_a_motion_with_one_percent_packet_loss() {
    let every = |count| Some(NonZeroU32::new(count).unwrap());
    let bad = Faults { corrupt_every: every(211), drop_every: every(199), ..Faults::default() };
    nine_joints_dance(bad, &options());
}

#[test]
fn all_servos_follow_a_motion_with_older_firmware() {
    let old = Faults { no_fast_sync_read: true, ..Faults::default() };
    nine_joints_dance(old.clone(), &options());
    let no_watchdog = Faults { watchdog: WatchdogFirmware::Absent, ..old };
    nine_joints_dance(no_watchdog, &options());
}

#[test]
fn all_servos_follow_a_motion_with_watchdogs_enabled() {
    let watched = BusOptions { watchdog: BusOptions::default().watchdog, ..options() };
    nine_joints_dance(Faults::default(), &watched);
}

fn opened(faults: Faults) -> (Emulator, Result<MotorBus, RobotError>) {
    let emulator = emulated(faults);
    let bus = MotorBus::open(emulator.path(), &options());
    (emulator, bus)
}

#[test]
fn emulated_robot_opens_with_torque_off_and_is_read() {
    for no_fast_sync_read in [false, true] {
        let (emulator, bus) = opened(Faults { no_fast_sync_read, ..Faults::default() });
        let state = bus.unwrap().read_state(Timestamp(1)).unwrap();
        assert_eq!(state.torque, Joints::all(false));
        for (joint, servo) in emulator.probe().iter() {
            let PositionReading::Fresh(position) = state.readings[joint] else {
                panic!("{joint} did not answer")
            };
            assert!((position - servo.position).abs().value() <= HALF_STEP + 1e-9, "{joint}");
            assert!((servo.goal - servo.position).abs().value() <= HALF_STEP + 1e-9, "{joint}");
        }
    }
}

#[test]
fn watchdogs_are_enabled_while_the_bus_is_open() {
    let emulator = emulated(Faults::default());
    let with_watchdog = BusOptions { watchdog: Some(Duration::from_secs(2)), ..options() };
    let bus = MotorBus::open(emulator.path(), &with_watchdog).unwrap();
    assert!(emulator.probe().iter().all(|(_, servo)| servo.watchdog == Watchdog::Armed));
    drop(bus);
    assert!(emulator.probe().iter().all(|(_, servo)| servo.watchdog == Watchdog::Off));
}

#[test]
fn only_one_program_opens_the_bus() {
    let (emulator, bus) = opened(Faults::default());
    let bus = bus.unwrap();
    let port = emulator.path().display().to_string();
    let busy = MotorBus::open(emulator.path(), &options()).err();
    assert_eq!(busy, Some(RobotError::PortBusy { port }));
    drop(bus);
    assert!(MotorBus::open(emulator.path(), &options()).is_ok());
}

#[test]
fn servo_faults_are_named() {
    let silent = vec![Joint::Stewart3, Joint::LeftAntenna];
    let (_emulator, bus) = opened(Faults { silent: silent.clone(), ..Faults::default() });
    assert_eq!(bus.err(), Some(RobotError::Missing { joints: silent }));

    let (_emulator, bus) = opened(Faults { voltage: 4.0, ..Faults::default() });
    assert!(matches!(bus.err(), Some(RobotError::LowVoltage { volts: 4.0, min_volts: 4.5, .. })));
}

#[test]
fn reboot_clears_an_earlier_overload() {
    let overloaded = [(Joint::Stewart1, HardwareError::Overload)].into();
    let (emulator, bus) = opened(Faults { hardware_error: overloaded, ..Faults::default() });
    bus.unwrap();
    assert_eq!(emulator.probe()[Joint::Stewart1].hardware_error, 0);
}

#[test]
fn bad_line_loses_readings_and_raises_no_fault() {
    let every = |count| Some(NonZeroU32::new(count).unwrap());
    let bad = Faults { corrupt_every: every(23), drop_every: every(31), ..Faults::default() };
    let (_emulator, bus) = opened(bad);
    let mut bus = bus.unwrap();
    let mut fresh = 0;
    for cycle in 0..100 {
        let state = bus.read_state(Timestamp(cycle)).unwrap();
        fresh += state.readings.iter().filter(|(_, it)| matches!(it, PositionReading::Fresh(_))).count();
    }
    assert!(fresh > 700, "{fresh} of 900 readings");
}

#[test]
fn scan_lists_all_nine_servos() {
    let emulator = emulated(Faults { silent: vec![Joint::Stewart6], ..Faults::default() });
    let reports = scan(emulator.path(), &options()).unwrap();
    let ids: Vec<u8> = reports.iter().map(|report| report.id).collect();
    assert_eq!(ids, [10, 11, 12, 13, 14, 15, 17, 18]);
    assert!(reports.iter().all(|report| report.mode == 3 && !report.torque && report.volts == 5.0));
}

/// Runs cycles at 100 Hz until the condition holds, for at most ten seconds.
fn cycles_until(
    bus: &mut MotorBus,
    command: Option<&firmware_bridge::envelope::SafeCommand>,
    done: impl Fn(&Result<JointState, RobotError>) -> bool,
) -> Result<JointState, RobotError> {
    let clock = MonotonicClock::start();
    for _ in 0..1_000 {
        let at = clock.now();
        let state = match command {
            Some(command) => bus.write_command(at, command),
            None => bus.read_state(at),
        };
        if done(&state) {
            return state;
        }
        clock.wait_until(at + CYCLE_PERIOD);
    }
    panic!("it has not come");
}

#[test]
fn each_servo_reports_its_health() {
    let (_emulator, bus) = opened(Faults::default());
    let reported = |state: &Result<JointState, RobotError>| {
        state.as_ref().is_ok_and(|state| state.health.iter().all(|(_, health)| health.is_some()))
    };
    let state = cycles_until(&mut bus.unwrap(), None, reported).unwrap();
    for (joint, health) in state.health.iter() {
        let health = health.unwrap();
        assert_eq!((health.voltage_v, health.temperature_c), (5.0, 31.0), "{joint}");
    }
    assert_eq!(state.read_errors, Joints::all(None));
    assert!(!state.echo && state.errors.iter().all(|(_, errors)| errors.is_empty()));
}

#[test]
fn rebooted_servo_returns_with_torque_off_gains_and_watchdog() {
    let emulator = emulated(Faults::default());
    let watched = BusOptions { watchdog: Some(Duration::from_secs(2)), ..options() };
    let mut bus = MotorBus::open(emulator.path(), &watched).unwrap();
    let joint = Joint::Stewart3;
    bus.write_command(Timestamp(1), &Envelope::torque(Joints::all(true))).unwrap();
    let state = bus.write_command(Timestamp(2), &Envelope::reboot(joint)).unwrap();
    assert!(!matches!(state.readings[joint], PositionReading::Fresh(_)));
    let armed = || emulator.probe()[joint].watchdog == Watchdog::Armed;
    let state = cycles_until(&mut bus, None, |_| armed()).unwrap();
    assert!(!state.torque[joint] && state.torque[Joint::Stewart4]);
    drop(bus);
    let servos = EepromLine::open(emulator.path(), &options()).unwrap().read().unwrap();
    assert_eq!(servos[joint].settings.gains, Gains { p: 300, i: 0, d: 0 });
    assert_eq!(servos[Joint::LeftAntenna].settings.gains, Gains { p: 200, i: 0, d: 0 });
}

#[test]
fn unplugged_line_reconnects_by_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("reachy");
    let plugged_in = |angle: f64| {
        let start = Joints::all(Radians(angle));
        Emulator::start(EmulatorOptions {
            link: Some(link.clone()),
            faults: Faults::default(),
            start,
            paced: true,
        })
        .unwrap()
    };
    let first = plugged_in(0.1);
    let mut bus = MotorBus::open(&link, &options()).unwrap();
    let drive = Envelope::torque(Joints::all(true));
    assert!(bus.write_command(Timestamp(1), &drive).unwrap().is_driven());
    drop(first);
    let gone = cycles_until(&mut bus, None, Result::is_err).unwrap_err();
    assert!(matches!(gone, RobotError::PortGone { .. }), "{gone}");
    // The helper names the error of the last attempt.
    let absent = |state: &Result<JointState, RobotError>| {
        state.as_ref().is_err_and(|fault| fault.to_string().contains("no such serial port"))
    };
    let _ = cycles_until(&mut bus, None, absent);

    // The line is back under the same name at another path, and the robot has fallen over. The earlier goals would be a
    // jump.
    let second = plugged_in(0.2);
    let mut envelope = Envelope::at_rest(Limits::default(), Joints::all(Radians(0.1)));
    let stay = envelope.limit(&Joints::all(Radians(0.1)), CYCLE_PERIOD).command;
    let state = cycles_until(&mut bus, Some(&stay), Result::is_ok).unwrap();
    assert_eq!(state.torque, Joints::all(false));
    for (joint, servo) in second.probe().iter() {
        assert!((servo.goal.value() - 0.2).abs() <= HALF_STEP + 1e-9, "{joint} aims at {:?}", servo.goal);
        assert!((state.readings[joint].known().unwrap().value() - 0.2).abs() <= HALF_STEP + 1e-9);
    }
    assert!(bus.write_command(Timestamp(9), &drive).unwrap().is_driven());
    // The line goes away again, and the bus is dropped while the thread still retries.
    drop(second);
    let _ = cycles_until(&mut bus, None, Result::is_err);
    let _ = cycles_until(&mut bus, None, Result::is_err);
    drop(bus);
}

#[test]
fn raw_packets_reach_a_free_line() {
    let (emulator, bus) = opened(Faults::default());
    let busy = Some(RobotError::PortBusy { port: emulator.path().display().to_string() });
    let open = || RawLine::open(emulator.path(), 1_000_000);
    assert_eq!(open().err(), busy);
    drop(bus);
    let mut line = open().unwrap();
    assert_eq!(MotorBus::open(emulator.path(), &options()).err(), busy);
    let wait = Duration::from_millis(100);
    let heard = line.exchange(&raw::packet(17, 0x01, &[]), wait).unwrap();
    let words: Vec<String> = raw::describe(&heard).iter().map(ToString::to_string).collect();
    assert_eq!(words, ["answer from 17 (right_antenna): done: a6 04 33"]);
    // The id is locked while torque is on.
    line.exchange(&raw::packet(17, 0x03, &[64, 0, 1]), wait).unwrap();
    let heard = line.exchange(&raw::packet(17, 0x03, &[7, 0, 99]), wait).unwrap();
    assert!(raw::describe(&heard)[0].to_string().contains("locked while torque is on"));
    assert!(line.exchange(&[1, 2, 3], wait).unwrap().is_empty());
}

#[test]
#[allow(clippy::disallowed_methods, reason = "another program is needed")]
fn other_programs_cannot_open_a_held_line_even_as_root() {
    let (emulator, bus) = opened(Faults::default());
    let locked = |inside: &str| {
        let flock = |command: &mut std::process::Command| command.status().unwrap().success();
        flock(std::process::Command::new("flock").arg("-n").arg(emulator.path()).args(["true", inside]))
    };
    assert!(!locked("held by the bus"));
    drop(bus);
    assert!(locked("free"));

    let mut other = std::process::Command::new("flock")
        .arg(emulator.path())
        .args(["sh", "-c", "echo held; read done"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut word = [0; 5];
    std::io::Read::read_exact(other.stdout.as_mut().unwrap(), &mut word).unwrap();
    let busy = Some(RobotError::PortBusy { port: emulator.path().display().to_string() });
    assert_eq!(MotorBus::open(emulator.path(), &options()).err(), busy);
    assert_eq!(RawLine::open(emulator.path(), 1_000_000).err(), busy);
    drop(other.stdin.take());
    other.wait().unwrap();
    assert!(MotorBus::open(emulator.path(), &options()).is_ok());
}

#[test]
fn settings_are_read_and_written_individually() {
    let emulator = emulated(Faults::default());
    let mut line = EepromLine::open(emulator.path(), &options()).unwrap();
    let servos = line.read().unwrap();
    let all = servos.map(|servo| servo.settings);
    let stored = serde_json::to_string(&all).unwrap();
    assert_eq!(serde_json::from_str::<Joints<EepromSettings>>(&stored).unwrap(), all);
    // The built-in values: ROBOTIS e-Manual, and the official configuration.
    let [leg, antenna] = [all[Joint::Stewart2], all[Joint::RightAntenna]];
    assert_eq!((leg.model, leg.homing_offset_steps, leg.shutdown_mask), (1200, -1024, 52));
    assert_eq!((leg.min_position_steps, leg.max_position_steps, leg.operating_mode), (1138, 2844, 3));
    assert_eq!((antenna.model, antenna.temperature_limit_celsius, antenna.pwm_limit), (1190, 70, 885));
    assert_eq!((antenna.min_voltage_decivolts, antenna.max_voltage_decivolts), (35, 70));
    assert_eq!((antenna.velocity_limit, antenna.moving_threshold, antenna.pwm_slope), (1620, 10, 140));
    assert_eq!((leg.return_delay_us, leg.drive_mode, leg.firmware), (0, 0, 51));

    // Each setting goes to a servo with its own ranges, and no other servo changes.
    let changed = EepromSettings { homing_offset_steps: -1000, return_delay_us: 20, pwm_slope: 1, ..leg };
    changed.all().into_iter().for_each(|setting| line.write(Joint::Stewart2, setting).unwrap());
    let again = line.read().unwrap();
    assert_eq!(again[Joint::Stewart2].settings, changed);
    assert_eq!(again[Joint::Stewart3], servos[Joint::Stewart3]);

    drop(line);
    let mut bus = MotorBus::open(emulator.path(), &options()).unwrap();
    bus.write_command(Timestamp(1), &Envelope::torque(Joints::all(true))).unwrap();
    drop(bus);
    let mut line = EepromLine::open(emulator.path(), &options()).unwrap();
    let locked = line.write(Joint::Stewart2, Setting::HomingOffsetSteps(-1024)).unwrap_err();
    assert!(locked.to_string().contains("stewart_2 rejected a setting because its torque is on"));
    assert!(line.read().unwrap().iter().all(|(_, servo)| servo.torque));
}
