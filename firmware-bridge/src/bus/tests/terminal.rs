//! Tests of the bus and the service tools on a pseudo-terminal.

use super::eeprom::{EepromLine, EepromSettings, ServoSnapshot, Setting};
use super::*;

#[test]
fn scan_reports_without_changes() {
    let servos = FakeServos::start();
    servos.set(Joint::Stewart1, HARDWARE_ERROR_STATUS, 0x24);
    servos.set(Joint::Stewart1, PRESENT_POSITION, 1000);
    servos.set_silent(Joint::RightAntenna, true);
    let before = servos.memory();
    let options = BusOptions { reply_timeout: Duration::from_millis(50), ..options() };
    let reports = scan(servos.path(), &options).unwrap();
    assert_eq!(before, servos.memory());
    let joints: Vec<_> = reports.iter().filter_map(|report| report.joint).collect();
    assert_eq!(joints, all_but(Joint::RightAntenna));
    let one = &reports[1];
    assert_eq!((one.id, one.model, one.position_raw, one.volts), (11, 1200, 1000, 5.0));
    assert_eq!(one.hardware_error, ["overheating", "an overload"]);
    assert_eq!((one.baud, one.model_name, one.mode_name), (1_000_000, "XL330-M288", "position"));

    servos.set_baud(57_600);
    assert_eq!(scan(servos.path(), &options), Ok(vec![]));
    let reports = scan_all(servos.path(), &options, &[57_600, 115_200]).unwrap();
    assert_eq!(reports.iter().map(|report| report.baud).collect::<Vec<_>>(), [57_600; 8]);
    // Each servo once, at the first rate at which it answers.
    let reports = scan_all(servos.path(), &options, &[57_600, 57_600]).unwrap();
    assert_eq!(reports.len(), 8);
    assert!(matches!(scan_all(Path::new("/dev/none"), &options, &[57_600]), Err(RobotError::NoPort { .. })));
}

#[test]
fn bus_on_a_terminal_disables_the_watchdogs_when_dropped() {
    let servos = FakeServos::start();
    let patient = Duration::from_millis(200);
    let options = BusOptions { reply_timeout: patient, cycle_timeout: patient, ..options() };
    let mut bus = MotorBus::open(servos.path(), &options).unwrap();
    assert_eq!(fresh(&bus.read_state(Timestamp(1)).unwrap()), Joint::ALL);
    let busy = RawLine::open(servos.path(), 1_000_000).err();
    assert_eq!(busy, Some(RobotError::PortBusy { port: servos.path().display().to_string() }));
    assert!(Joint::ALL.iter().all(|joint| servos.get(*joint, BUS_WATCHDOG) == 10));
    drop(bus);
    assert!(Joint::ALL.iter().all(|joint| servos.get(*joint, BUS_WATCHDOG) == 0));

    let mut raw = RawLine::open(servos.path(), 1_000_000).unwrap();
    let ping = raw::packet(11, 1, &[]);
    let heard = raw.exchange(&ping, Duration::from_millis(200)).unwrap();
    let pong =
        raw::DecodedPacket::Answer { id: 11, error: 0, parameters: vec![0; 3], checksum_is_right: true };
    assert_eq!(raw::describe(&heard), [pong]);
}

#[test]
fn settings_are_written_only_with_torque_off() {
    let servos = FakeServos::start();
    let options = BusOptions { reply_timeout: Duration::from_millis(200), ..options() };
    let joint = Joint::Stewart2;
    servos.set(joint, registers::HOMING_OFFSET, (-1024_i32).cast_unsigned());
    servos.set(joint, registers::SHUTDOWN, 52);
    servos.set(joint, PRESENT_POSITION, (-300_i32).cast_unsigned());
    servos.set(joint, TORQUE_ENABLE, 1);
    let before = servos.memory();
    let mut line = EepromLine::open(servos.path(), &options).unwrap();
    let all = line.read().unwrap();
    let ServoSnapshot { settings: one, position_steps, torque } = all[joint];
    assert_eq!((one.model, one.homing_offset_steps, one.shutdown_mask), (1200, -1024, 52));
    assert_eq!((one.operating_mode, one.max_position_steps, one.current_limit_milliamps), (3, 4095, 1750));
    assert_eq!((one.gains, position_steps, torque), (Gains { p: 400, i: 0, d: 0 }, -300, true));
    assert!(!all[Joint::Stewart3].torque);

    // Settings are locked while torque is on, which stays unchanged.
    for setting in [Setting::HomingOffsetSteps(5), Setting::Gains(Gains { p: 1, i: 0, d: 0 })] {
        let locked = line.write(joint, setting).unwrap_err();
        assert!(matches!(locked, RobotError::Rejected { .. }) && locked.to_string().contains("torque is on"));
    }
    assert_eq!(before, servos.memory());

    servos.set(joint, TORQUE_ENABLE, 0);
    line.write(joint, Setting::HomingOffsetSteps(-1000)).unwrap();
    assert_eq!(servos.get(joint, registers::HOMING_OFFSET).cast_signed(), -1000);
    // An invalid value is not sent, and a value that the servo does not store is reported.
    let before = servos.memory();
    servos.lock(joint, registers::HOMING_OFFSET);
    servos.lock(joint, registers::POSITION_GAINS);
    for setting in [
        Setting::OperatingMode(9),
        Setting::ReturnDelayUs(3),
        Setting::MaxPositionSteps(-1),
        Setting::HomingOffsetSteps(5),
        Setting::Gains(Gains { p: 1, i: 0, d: 0 }),
    ] {
        let fault = line.write(joint, setting);
        assert!(matches!(fault, Err(RobotError::Rejected { .. })), "{setting}: {fault:?}");
    }
    assert_eq!(before, servos.memory());
    servos.set_silent(joint, true);
    assert_eq!(line.read(), Err(RobotError::Missing { joints: vec![joint] }));
    assert_eq!(line.write(joint, Setting::PwmSlope(1)), Err(RobotError::Silent { joint }));
}

#[test]
fn every_setting_is_read_back_as_written() {
    let servos = FakeServos::start();
    let options = BusOptions { reply_timeout: Duration::from_millis(200), ..options() };
    let mut line = EepromLine::open(servos.path(), &options).unwrap();
    let (from, joint) = (Joint::Stewart1, Joint::Stewart2);
    let before = line.read().unwrap();
    let other = EepromSettings {
        return_delay_us: 250,
        drive_mode: 4,
        operating_mode: 5,
        homing_offset_steps: -7,
        min_position_steps: 1001,
        max_position_steps: 3003,
        temperature_limit_celsius: 61,
        min_voltage_decivolts: 41,
        max_voltage_decivolts: 62,
        pwm_limit: 801,
        current_limit_milliamps: 1602,
        velocity_limit: 403,
        moving_threshold: 14,
        startup_configuration: 2,
        pwm_slope: 141,
        shutdown_mask: 53,
        gains: Gains { p: 301, i: 2, d: 3 },
        ..before[joint].settings
    };
    let mut built = before[joint].settings;
    for setting in other.all() {
        assert!(setting.is_possible() && !built.all().contains(&setting), "{setting}");
        line.write(joint, setting).unwrap();
        built = built.with(setting);
    }
    let after = line.read().unwrap();
    assert_eq!((after[joint].settings, built), (other, other));
    assert_eq!(after[from], before[from]);
}
