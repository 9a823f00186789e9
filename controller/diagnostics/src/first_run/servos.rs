//! What each servo reports about itself: identity, firmware, supply, temperature, errors, settings and position.

use std::path::Path;

use firmware_bridge::bus::eeprom::{EepromLine, ServoSnapshot, Setting};
use firmware_bridge::bus::{self, MotorReport};
use firmware_bridge::joint::{Joint, Joints};
use minismith_control::calibration::{Difference, MAX_OFFSET_DEVIATION, angle_of, differences, official};
use minismith_control::robot::bus_options;
use minismith_runtime::config::Config;

use super::line::{names, refused};
use super::{Progress, Step, StepState};
use crate::robot::{MAX_VOLTAGE_V, MIN_VOLTAGE_V};

/// A servo that has not worked yet is at room temperature. The servos release at 70 degrees.
const MAX_TEMPERATURE_C: u8 = 55;
/// The oldest firmware with the fast sync read (ROBOTIS e-Manual).
const MIN_FIRMWARE: u8 = 46;
/// A new servo has this id (ROBOTIS e-Manual).
const NEW_ID: u8 = 1;

const MOTORS: &str = "nine servos with the ids 10 to 18, and no other";
const SETTINGS: &str = "position limits, homing offset, direction, shutdown mask and return delay of the official software, and no torque";
const POSITIONS: &str = "every joint is within the position limits of its servo";

/// Adds the steps from `motors` to `range`.
pub(super) fn examine(progress: &mut Progress<'_>, config: &Config, port: &Path) {
    progress.begin("motors");
    let options = bus_options(config);
    let reports = match bus::scan(port, &options) {
        Ok(reports) => reports,
        Err(error) => return progress.add(refused("motors", MOTORS, &error)),
    };
    let motors = motors(&reports);
    let is_complete = motors.state == StepState::Good;
    progress.add(motors);
    let ours: Vec<(Joint, &MotorReport)> =
        reports.iter().filter_map(|report| Some((report.joint?, report))).collect();
    if ours.is_empty() {
        return;
    }
    progress.add(models(&ours));
    progress.add(firmware(&ours));
    progress.add(voltage(&ours));
    progress.add(temperature(&ours));
    progress.add(hardware_errors(&ours));
    if !is_complete {
        let why = "not read, since `motors` has failed";
        progress.add(Step::skipped("settings", SETTINGS, why));
        return progress.add(Step::skipped("range", POSITIONS, why));
    }
    progress.begin("settings");
    match EepromLine::open(port, &options).and_then(|mut line| line.read()) {
        Ok(servos) => {
            progress.add(settings(&servos));
            progress.add(range(&servos));
        }
        Err(error) => progress.add(refused("settings", SETTINGS, &error)),
    }
}

fn motors(reports: &[MotorReport]) -> Step {
    const NAME: &str = "motors";
    let missing: Vec<Joint> = Joint::ALL
        .into_iter()
        .filter(|joint| !reports.iter().any(|report| report.joint == Some(*joint)))
        .collect();
    let foreign: Vec<u8> =
        reports.iter().filter(|report| report.joint.is_none()).map(|report| report.id).collect();
    let ids = foreign.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    match (missing.as_slice(), foreign.as_slice()) {
        ([], []) => Step::good(NAME, MOTORS, "nine servos answer".to_owned()),
        (_, []) => Step::failed(
            NAME,
            MOTORS,
            format!("{} does not answer", names(&missing)),
            "check the plugs of these servos and of the one before them in the chain; two servos with the same id also \
             fall silent, and so does one at another baud rate (`minismith scan PORT --all-baudrates`)",
        ),
        ([], _) => Step::failed(
            NAME,
            MOTORS,
            format!("an unknown servo answers with the id {ids}"),
            "unplug the servo that is not a part of the robot",
        ),
        ([joint], [id]) => {
            let kind = if *id == NEW_ID { "a new servo's id" } else { "no id of this robot" };
            Step::failed(
                NAME,
                MOTORS,
                format!("{joint} does not answer, and a servo answers with the id {id}, {kind}"),
                &format!(
                    "if that servo is {joint}, give it the id {} with `minismith raw PORT --write {id} 7 {:02x}`",
                    joint.motor_id(),
                    joint.motor_id()
                ),
            )
        }
        _ => Step::failed(
            NAME,
            MOTORS,
            format!("{} do not answer, and servos answer with the ids {ids}, which are none of this robot", names(&missing)),
            "connect these servos one at a time, and give each its id with `minismith raw PORT --write ID 7 NEW_ID`",
        ),
    }
    .about(missing)
}

/// Returns the model numbers that a joint's servo may have (reachy-mini 1.13.0, `docs/hardware.md`). The body's servo
/// is a variant of its own, so any model of that size is possible.
const fn models_of(joint: Joint) -> &'static [u16] {
    match joint {
        Joint::BodyYaw => &[1190, 1200, 1220, 1230, 1240, 1250],
        Joint::RightAntenna | Joint::LeftAntenna => &[1190],
        _ => &[1200],
    }
}

/// Returns the step whose fault is described for each joint that has it.
fn each(
    name: &'static str,
    expected: &str,
    good: String,
    faults: impl Iterator<Item = (Joint, String)>,
    advice: &str,
) -> Step {
    let faults: Vec<(Joint, String)> = faults.collect();
    if faults.is_empty() {
        return Step::good(name, expected, good);
    }
    let texts = faults.iter().map(|(joint, text)| format!("{joint}: {text}"));
    Step::failed(name, expected, texts.collect::<Vec<_>>().join("; "), advice)
        .about(faults.iter().map(|(joint, _)| *joint))
}

fn models(ours: &[(Joint, &MotorReport)]) -> Step {
    let wrong = ours.iter().filter(|(joint, report)| !models_of(*joint).contains(&report.model));
    each(
        "models",
        "XL330-M288 in the legs, XL330-M077 in the antennas, and a servo of the same size in the body",
        format!("{} servos are of the expected models", ours.len()),
        wrong.map(|(joint, report)| (*joint, format!("{} ({})", report.model_name, report.model))),
        "either a servo of another kind is built in, or two have each other's ids; compare them with the assembly guide",
    )
}

fn firmware(ours: &[(Joint, &MotorReport)]) -> Step {
    let versions =
        |pick: fn(u8, u8) -> u8| ours.iter().map(|(_, report)| report.firmware).reduce(pick).unwrap_or(0);
    let (oldest, newest) = (versions(u8::min), versions(u8::max));
    let old = ours.iter().filter(|(_, report)| report.firmware < MIN_FIRMWARE);
    each(
        "firmware",
        &format!("version {MIN_FIRMWARE} or later"),
        if oldest == newest { format!("version {oldest}") } else { format!("versions {oldest} to {newest}") },
        old.map(|(joint, report)| (*joint, format!("version {}", report.firmware))),
        "update it with DYNAMIXEL Wizard 2",
    )
}

fn voltage(ours: &[(Joint, &MotorReport)]) -> Step {
    let wrong = ours.iter().filter(|(_, report)| !(MIN_VOLTAGE_V..=MAX_VOLTAGE_V).contains(&report.volts));
    each(
        "voltage",
        &format!("{MIN_VOLTAGE_V:.1} to {MAX_VOLTAGE_V:.1} V at every servo"),
        spread(ours.iter().map(|(_, report)| report.volts), 1, "V"),
        wrong.map(|(joint, report)| (*joint, format!("{:.1} V", report.volts))),
        "if all servos measure it: charge the battery or use the robot's own power supply; if only some do: seat their plugs",
    )
}

fn temperature(ours: &[(Joint, &MotorReport)]) -> Step {
    let hot = ours.iter().filter(|(_, report)| report.temperature > MAX_TEMPERATURE_C);
    each(
        "temperature",
        &format!("at most {MAX_TEMPERATURE_C} C at every servo"),
        spread(ours.iter().map(|(_, report)| report.temperature.into()), 0, "C"),
        hot.map(|(joint, report)| (*joint, format!("{} C", report.temperature))),
        "switch the robot off, let it cool for some minutes, and see whether the joint turns freely by hand",
    )
}

fn hardware_errors(ours: &[(Joint, &MotorReport)]) -> Step {
    let reporting = ours.iter().filter(|(_, report)| !report.hardware_error.is_empty());
    each(
        "hardware errors",
        "no servo reports an error",
        "none".to_owned(),
        reporting.map(|(joint, report)| (*joint, report.hardware_error.join(", "))),
        "switch the robot off, free the joint, let it cool down, and switch it on; a servo that reports the same again is broken",
    )
}

/// Returns `4.9 to 5.0 V`.
fn spread(values: impl Iterator<Item = f64> + Clone, digits: usize, unit: &str) -> String {
    let (low, high) =
        (values.clone().fold(f64::INFINITY, f64::min), values.fold(f64::NEG_INFINITY, f64::max));
    if low == high {
        format!("{low:.digits$} {unit}")
    } else {
        format!("{low:.digits$} to {high:.digits$} {unit}")
    }
}

/// Returns whether a servo with this wrong setting would move otherwise than commanded, or lacks its protection. Another
/// program may leave another operating mode behind, and the gains are written at each start.
fn matters(difference: &Difference) -> bool {
    match (difference.is, difference.should) {
        (Setting::HomingOffsetSteps(is), Setting::HomingOffsetSteps(should)) => {
            (is - should).abs() > MAX_OFFSET_DEVIATION
        }
        (is, _) => !matches!(is, Setting::OperatingMode(_) | Setting::Gains(_)),
    }
}

fn settings(servos: &Joints<ServoSnapshot>) -> Step {
    const NAME: &str = "settings";
    let driven: Vec<Joint> =
        servos.iter().filter(|(_, servo)| servo.torque).map(|(joint, _)| joint).collect();
    if !driven.is_empty() {
        return Step::failed(
            NAME,
            SETTINGS,
            format!("{} has torque", names(&driven)),
            "stop the program that left it on, hold the head, and switch the robot off and on",
        )
        .about(driven);
    }
    let all = differences(servos, official);
    let wrong = all.iter().filter(|difference| matters(difference));
    each(
        NAME,
        SETTINGS,
        "as in the official software".to_owned(),
        wrong.map(|Difference { joint, is, should }| (*joint, format!("{is}, should be {should}"))),
        "a homing offset: `minismith calibrate PORT --apply`; any other: `minismith calibrate PORT --backup before.yaml`, then \
         correct the value in a copy of that file and write it with `--restore`",
    )
}

fn range(servos: &Joints<ServoSnapshot>) -> Step {
    let outside = |(joint, servo): (Joint, &ServoSnapshot)| {
        let (low, high) = (servo.settings.min_position_steps, servo.settings.max_position_steps);
        // Without torque a servo counts whole turns too.
        let position = servo.position_steps.rem_euclid(4096);
        let degrees = |steps: i32| angle_of(steps - 2048);
        (!(low..=high).contains(&position)).then(|| {
            (joint, format!("at {}, its range is {} to {}", degrees(position), degrees(low), degrees(high)))
        })
    };
    each(
        "range",
        POSITIONS,
        "every joint is within its range".to_owned(),
        servos.iter().filter_map(outside),
        "bring the joint into its range by hand; if it looks as if it were, its horn is mounted at another tooth: see \
         `minismith calibrate --help`",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(id: u8) -> MotorReport {
        MotorReport {
            id,
            joint: Joint::from_motor_id(id),
            baud: 1_000_000,
            model: 1200,
            model_name: "XL330-M288",
            firmware: 51,
            volts: 5.0,
            temperature: 31,
            hardware_error: Vec::new(),
            position_raw: 2048,
            torque: false,
            mode: 3,
            mode_name: "position",
        }
    }

    fn all() -> Vec<MotorReport> {
        (10..=18).map(report).collect()
    }

    #[test]
    fn missing_and_foreign_servos_are_told_apart() {
        assert_eq!(motors(&all()).state, StepState::Good);
        let mut missing = all();
        missing.remove(2);
        let step = motors(&missing);
        assert_eq!((step.state, &step.joints), (StepState::Failed, &vec![Joint::Stewart2]));
        missing.push(report(1));
        let step = motors(&missing);
        assert!(step.measured.contains("stewart_2") && step.measured.contains("id 1"), "{step}");
        assert!(step.advice.unwrap().contains("--write 1 7 0c"));
        missing.push(report(2));
        assert_eq!(motors(&missing).state, StepState::Failed);
        let mut foreign = all();
        foreign.push(report(30));
        assert!(motors(&foreign).measured.contains("30"));
        assert_eq!(motors(&[]).joints.len(), 9);
    }

    #[test]
    fn each_measurement_has_its_limits() {
        let judged = |step: fn(&[(Joint, &MotorReport)]) -> Step, change: &dyn Fn(&mut MotorReport)| {
            let mut changed = report(12);
            change(&mut changed);
            let step = step(&[(Joint::Stewart1, &report(11)), (Joint::Stewart2, &changed)]);
            assert!(step.state == StepState::Good || step.joints == [Joint::Stewart2], "{step}");
            step.state
        };
        let (good, failed) = (StepState::Good, StepState::Failed);
        assert_eq!(judged(voltage, &|report| report.volts = 4.7), good);
        assert_eq!(judged(voltage, &|report| report.volts = 4.6), failed);
        assert_eq!(judged(voltage, &|report| report.volts = 6.1), failed);
        assert_eq!(judged(temperature, &|report| report.temperature = 55), good);
        assert_eq!(judged(temperature, &|report| report.temperature = 56), failed);
        assert_eq!(judged(firmware, &|report| report.firmware = 45), failed);
        assert_eq!(judged(models, &|report| report.model = 1190), failed);
        assert_eq!(judged(hardware_errors, &|report| report.hardware_error.push("overload")), failed);
    }
}
