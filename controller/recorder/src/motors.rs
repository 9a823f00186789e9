//! The motors as curves: goal, present position and limits of each, what was trimmed, and the margins to the limits.
//!
//! ```text
//! /body/NAME  /legs/NAME  /antennas/NAME     goal, present     degrees
//! /body/NAME/limits ...                      low, high
//! /head/roll  /head/pitch  /head/yaw         goal, present; the yaw is that to the body
//! /trims/NAME                                by how much, on the beats on which it was trimmed
//! /margins/motors  /margins/head             each motor's to its range; tilt, yaw to the body
//! ```
//!
//! What belongs together is one entity with several values on each beat: each entity costs some kilobytes, however
//! short the recording.

use minismith_wire::recording::{Beat, Begin, Head, Motor, Part};
use re_sdk::{RecordingStream, RecordingStreamResult};
use re_sdk_types::archetypes::{Scalars, SeriesLines, SeriesPoints};

use crate::film::times;

/// One colour for each motor in turn, told apart also by those who see few (after Okabe and Ito).
const COLOURS: [[u8; 3]; 7] = [
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

/// Where a motor's curves are.
pub fn path(motor: &Motor) -> String {
    let group = match motor.part {
        Part::Body => "body",
        Part::Leg => "legs",
        Part::RightAntenna | Part::LeftAntenna => "antennas",
    };
    format!("/{group}/{}", motor.name)
}

/// Colours and names of the curves.
pub fn style(stream: &RecordingStream, about: &Begin) -> RecordingStreamResult<()> {
    let coloured = || about.motors.iter().zip(COLOURS.into_iter().cycle());
    for (motor, colour) in coloured() {
        let (path, name) = (path(motor), &motor.name);
        let pair = SeriesLines::new()
            .with_names([format!("{name} goal"), format!("{name} present")])
            .with_colors([colour, colour.map(paler)])
            .with_widths([1.5, 3.0]);
        stream.log_static(path.as_str(), &pair)?;
        let limits = SeriesLines::new()
            .with_names([format!("{name} low"), format!("{name} high")])
            .with_colors([GREY, GREY])
            .with_widths([0.7, 0.7]);
        stream.log_static(format!("{path}/limits"), &limits)?;
    }
    for (angle, colour) in ANGLES.into_iter().zip(COLOURS.into_iter().skip(1)) {
        let pair = SeriesLines::new()
            .with_names([format!("head {angle} goal"), format!("head {angle} present")])
            .with_colors([colour, colour.map(paler)])
            .with_widths([1.5, 3.0]);
        stream.log_static(format!("/head/{angle}"), &pair)?;
    }
    let motors = SeriesLines::new()
        .with_names(about.motors.iter().map(|motor| motor.name.as_str()))
        .with_colors(coloured().map(|(_, colour)| colour));
    stream.log_static("/margins/motors", &motors)?;
    let head = SeriesLines::new().with_names(["head tilt", "yaw to body"]);
    stream.log_static("/margins/head", &head)
}

const fn paler(part: u8) -> u8 {
    part / 2 + 110
}

/// Several curves of one entity: the values of each beat stand one after the other.
fn curves(
    stream: &RecordingStream,
    about: &Begin,
    path: &str,
    width: usize,
    points: impl Iterator<Item = (u64, Vec<f64>)>,
) -> RecordingStreamResult<()> {
    let (mut beats, mut values) = (Vec::new(), Vec::new());
    for (beat, row) in points.filter(|(_, row)| row.len() == width) {
        beats.push(beat);
        values.extend(row);
    }
    if beats.is_empty() {
        return Ok(());
    }
    let columns = Scalars::new(values).columns(std::iter::repeat_n(width, beats.len()))?;
    stream.send_columns(path, times(about, beats.into_iter()), columns)
}

/// The limits, as lines from the first beat to the last.
pub fn limits(
    stream: &RecordingStream,
    about: &Begin,
    (first, last): (u64, u64),
) -> RecordingStreamResult<()> {
    for motor in &about.motors {
        let mut ends = vec![first, last];
        ends.dedup();
        let points = ends.into_iter().map(|beat| (beat, vec![motor.low_deg, motor.high_deg]));
        curves(stream, about, &format!("{}/limits", path(motor)), 2, points)?;
    }
    Ok(())
}

/// What happened on these beats.
pub fn beats(stream: &RecordingStream, about: &Begin, beats: &[Beat]) -> RecordingStreamResult<()> {
    for (place, motor) in about.motors.iter().enumerate() {
        let at = |list: &[f64]| list.get(place).copied();
        let pairs = beats.iter().map(|beat| {
            let pair = [at(&beat.goal_deg), at(&beat.present_deg)];
            (beat.beat, pair.into_iter().flatten().collect())
        });
        curves(stream, about, &path(motor), 2, pairs)?;
        let trims = beats.iter().flat_map(|beat| {
            let trims = beat.trims.iter().filter(|trim| trim.motor == place);
            trims.map(|trim| (beat.beat, vec![trim.by_deg]))
        });
        let trims: Vec<_> = trims.collect();
        if !trims.is_empty() {
            let path = format!("/trims/{}", motor.name);
            stream.log_static(path.as_str(), &SeriesPoints::new().with_names([motor.name.as_str()]))?;
            curves(stream, about, &path, 1, trims.into_iter())?;
        }
    }
    for (place, angle) in ANGLES.into_iter().enumerate() {
        // An angle that could not be computed leaves a gap.
        let of = |head: Option<Head>| {
            head.and_then(|head| head.angles_deg.get(place).copied()).unwrap_or(f64::NAN)
        };
        let pairs = beats.iter().map(|beat| (beat.beat, vec![of(beat.goal_head), of(beat.present_head)]));
        curves(stream, about, &format!("/head/{angle}"), 2, pairs)?;
    }
    let ranges = beats.iter().map(|beat| {
        let margin = |(goal, motor): (&f64, &Motor)| (goal - motor.low_deg).min(motor.high_deg - goal);
        (beat.beat, beat.goal_deg.iter().zip(&about.motors).map(margin).collect())
    });
    curves(stream, about, "/margins/motors", about.motors.len(), ranges)?;
    let head = beats.iter().filter_map(|beat| {
        let margins = beat.margins?;
        Some((beat.beat, vec![margins.tilt_deg, margins.relative_yaw_deg]))
    });
    curves(stream, about, "/margins/head", 2, head)
}
