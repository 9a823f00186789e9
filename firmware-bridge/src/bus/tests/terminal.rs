//! The bus, and what people use beside it, on a pseudo-terminal.

use super::*;

#[test]
fn a_scan_reports_and_changes_nothing() {
    let servos = FakeServos::start();
    servos.set(Joint::Stewart1, HARDWARE_ERROR, 0x24);
    servos.set(Joint::Stewart1, PRESENT_POSITION, 1000);
    servos.silence(Joint::RightAntenna, true);
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

    servos.answer_at(57_600);
    assert_eq!(scan(servos.path(), &options), Ok(vec![]));
    let reports = scan_all(servos.path(), &options, &[57_600, 115_200]).unwrap();
    assert_eq!(reports.iter().map(|report| report.baud).collect::<Vec<_>>(), [57_600; 8]);
    assert!(matches!(scan_all(Path::new("/dev/none"), &options, &[57_600]), Err(RobotFault::NoPort { .. })));
}

#[test]
fn a_bus_on_a_real_terminal_beats_and_says_farewell() {
    let servos = FakeServos::start();
    let patient = Duration::from_millis(200);
    let options = BusOptions { reply_timeout: patient, beat_timeout: patient, ..options() };
    let mut bus = MotorBus::open(servos.path(), &options).unwrap();
    assert_eq!(fresh(&bus.sense(Tick(1)).unwrap()), Joint::ALL);
    let busy = RawLine::open(servos.path(), 1_000_000).err();
    assert_eq!(busy, Some(RobotFault::PortBusy { port: servos.path().display().to_string() }));
    assert!(Joint::ALL.iter().all(|joint| servos.get(*joint, BUS_WATCHDOG) == 10));
    drop(bus);
    assert!(Joint::ALL.iter().all(|joint| servos.get(*joint, BUS_WATCHDOG) == 0));

    let mut raw = RawLine::open(servos.path(), 1_000_000).unwrap();
    let ping = raw::packet(11, 1, &[]);
    let heard = raw.exchange(&ping, Duration::from_millis(200)).unwrap();
    let pong = raw::Heard::Answer { id: 11, error: 0, parameters: vec![0; 3], checksum_is_right: true };
    assert_eq!(raw::describe(&heard), [pong]);
}

#[test]
fn settings_are_read_whole_and_a_homing_offset_is_written_limp() {
    let servos = FakeServos::start();
    let options = BusOptions { reply_timeout: Duration::from_millis(200), ..options() };
    let joint = Joint::Stewart2;
    servos.set(joint, registers::HOMING_OFFSET, (-1024_i32).cast_unsigned());
    servos.set(joint, registers::SHUTDOWN, 52);
    servos.set(joint, TORQUE, 1);
    let before = servos.memory();
    let all = settings::read_settings(servos.path(), &options).unwrap();
    assert_eq!(before, servos.memory());
    let one = all[joint];
    assert_eq!((one.model, one.homing_offset_steps, one.shutdown_mask), (1200, -1024, 52));
    assert_eq!((one.operating_mode, one.max_position_steps, one.current_limit_milliamps), (3, 4095, 1750));
    assert_eq!(one.gains, Gains { p: 400, i: 0, d: 0 });

    settings::write_homing_offset(servos.path(), &options, joint, -1000).unwrap();
    assert_eq!(servos.get(joint, registers::HOMING_OFFSET).cast_signed(), -1000);
    assert_eq!(servos.get(joint, TORQUE), 0);
    servos.lock(joint, registers::HOMING_OFFSET);
    for steps in [5, 1025, -1025] {
        let fault = settings::write_homing_offset(servos.path(), &options, joint, steps);
        assert!(matches!(fault, Err(RobotFault::Rejected { .. })), "{steps}");
    }
    servos.silence(joint, true);
    let missing = Err(RobotFault::Missing { joints: vec![joint] });
    assert_eq!(settings::read_settings(servos.path(), &options), missing);
}
