//! The motors as curves: goal, present position and limits of each, clamps, and margins to the limits.
//!
//! ```text
//! /body/NAME  /legs/NAME  /antennas/NAME     goal, present, and the setpoint if recorded      degrees
//! /body/NAME/limits ...                      minimum, maximum
//! /head/roll  /head/pitch  /head/yaw         goal, present; the yaw is relative to the body
//! /trims/NAME                                amount, at clamped cycles
//! /margins/motors  /margins/head             of each motor to its range; of tilt and relative yaw
//! ```
//!
//! Related curves are one entity with several values per cycle, because each entity costs some kilobytes in any recording. All
//! rows of a batch have a setpoint, or none do. Where only some cycles have one, the others contain NaN.

use std::collections::BTreeSet;

use minismith_protocol::trace_format::{Cycle, Head, Motor, Part};
use re_sdk::RecordingStreamResult;
use re_sdk_types::archetypes::{SeriesLines, SeriesPoints};

use crate::stream::RerunStream;

/// Colours of the motors in turn, distinguishable with colour blindness (Okabe and Ito).
pub const COLOURS: [[u8; 3]; 7] = [
    [0, 114, 178],
    [230, 159, 0],
    [0, 158, 115],
    [213, 94, 0],
    [86, 180, 233],
    [204, 121, 167],
    [148, 130, 20],
];

const GREY: [u8; 3] = [136, 136, 136];

const ANGLES: [&str; 3] = ["roll", "pitch", "yaw"];

/// Returns the entity path of a motor's curves.
fn path(motor: &Motor) -> String {
    let group = match motor.part {
        Part::Body => "body",
        Part::Leg => "legs",
        Part::RightAntenna | Part::LeftAntenna => "antennas",
    };
    format!("/{group}/{}", motor.name)
}

/// Returns names and colours for curves with a value per motor.
pub fn of_all(sheet: &RerunStream) -> SeriesLines {
    let motors = &sheet.about.motors;
    SeriesLines::new()
        .with_names(motors.iter().map(|motor| motor.name.as_str()))
        .with_colors(motors.iter().zip(COLOURS.into_iter().cycle()).map(|(_, colour)| colour))
}

/// Sets colours and names of the curves.
pub fn style(sheet: &RerunStream) -> RecordingStreamResult<()> {
    for (motor, colour) in sheet.about.motors.iter().zip(COLOURS.into_iter().cycle()) {
        let (path, name) = (path(motor), &motor.name);
        let angles = SeriesLines::new()
            .with_names(["goal", "present", "setpoint"].map(|what| format!("{name} {what}")))
            .with_colors([colour, colour.map(paler), GREY])
            .with_widths([1.5, 3.0, 1.0]);
        sheet.fix(path.as_str(), &angles)?;
        let limits = SeriesLines::new()
            .with_names([format!("{name} min"), format!("{name} max")])
            .with_colors([GREY, GREY])
            .with_widths([0.7, 0.7]);
        sheet.fix(format!("{path}/limits"), &limits)?;
    }
    for (angle, colour) in ANGLES.into_iter().zip(COLOURS.into_iter().skip(1)) {
        let pair = SeriesLines::new()
            .with_names([format!("head {angle} goal"), format!("head {angle} present")])
            .with_colors([colour, colour.map(paler)])
            .with_widths([1.5, 3.0]);
        sheet.fix(format!("/head/{angle}"), &pair)?;
    }
    sheet.fix("/margins/motors", &of_all(sheet))?;
    sheet.fix("/margins/head", &SeriesLines::new().with_names(["head tilt", "yaw to body"]))
}

const fn paler(part: u8) -> u8 {
    part / 2 + 110
}

/// Draws the limits at these cycles. A viewer connects them with lines.
pub fn limits(sheet: &RerunStream, cycles: &[u64]) -> RecordingStreamResult<()> {
    for motor in &sheet.about.motors {
        let points = cycles.iter().map(|cycle| (*cycle, vec![motor.min_deg, motor.max_deg]));
        sheet.curves(&format!("{}/limits", path(motor)), 2, points)?;
    }
    Ok(())
}

/// Draws the curves for these cycles. `clamped` contains the motors whose clamps already have a name.
pub fn cycles(
    sheet: &RerunStream,
    clamped: &mut BTreeSet<usize>,
    cycles: &[Cycle],
) -> RecordingStreamResult<()> {
    let desired = cycles.iter().any(|cycle| !cycle.setpoint_deg.is_empty());
    for (place, motor) in sheet.about.motors.iter().enumerate() {
        let angles = cycles.iter().map(|cycle| {
            let at = |list: &[f64]| list.get(place).copied().unwrap_or(f64::NAN);
            let mut row = vec![at(&cycle.goal_deg), at(&cycle.present_deg)];
            row.extend(desired.then(|| at(&cycle.setpoint_deg)));
            (cycle.cycle, row)
        });
        sheet.curves(&path(motor), if desired { 3 } else { 2 }, angles)?;
        let clamps = cycles.iter().flat_map(|cycle| {
            let clamps = cycle.clamps.iter().filter(|clamp| clamp.motor == place);
            clamps.map(|clamp| (cycle.cycle, vec![clamp.amount_deg]))
        });
        let clamps: Vec<_> = clamps.collect();
        if !clamps.is_empty() {
            let path = format!("/trims/{}", motor.name);
            if clamped.insert(place) {
                sheet.fix(path.as_str(), &SeriesPoints::new().with_names([motor.name.as_str()]))?;
            }
            sheet.curves(&path, 1, clamps.into_iter())?;
        }
    }
    for (place, angle) in ANGLES.into_iter().enumerate() {
        // An angle that could not be computed leaves a gap.
        let of =
            |head: Option<Head>| head.and_then(|head| head.rpy_deg.get(place).copied()).unwrap_or(f64::NAN);
        let pairs =
            cycles.iter().map(|cycle| (cycle.cycle, vec![of(cycle.goal_head), of(cycle.present_head)]));
        sheet.curves(&format!("/head/{angle}"), 2, pairs)?;
    }
    let ranges = cycles.iter().map(|cycle| {
        let margin = |(goal, motor): (&f64, &Motor)| (goal - motor.min_deg).min(motor.max_deg - goal);
        (cycle.cycle, cycle.goal_deg.iter().zip(&sheet.about.motors).map(margin).collect())
    });
    sheet.curves("/margins/motors", sheet.about.motors.len(), ranges)?;
    let head = cycles.iter().filter_map(|cycle| {
        let margins = cycle.margins?;
        Some((cycle.cycle, vec![margins.tilt_deg, margins.relative_yaw_deg]))
    });
    sheet.curves("/margins/head", 2, head)
}
