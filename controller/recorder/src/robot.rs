//! The robot in space: a body that turns, a head, its antennas, and beside the head where it was told to be.
//!
//! The shapes only show where things are and which way they look; they are no model of the shell.

use minismith_wire::recording::{Beat, Begin, Head, Part};
use re_sdk::{RecordingStream, RecordingStreamResult};
use re_sdk_types::archetypes::{Arrows3D, Boxes3D, LineStrips3D, Transform3D, ViewCoordinates};
use re_sdk_types::components::{FillMode, RotationAxisAngle, RotationQuat, Translation3D};
use re_sdk_types::datatypes::{Angle, Quaternion, RotationAxisAngle as AxisAngle};

use crate::film::times;

/// Half the body's sides, and its middle, metres.
const BODY: ([f32; 3], [f32; 3]) = ([0.055, 0.055, 0.045], [0.0, 0.0, 0.06]);
/// Half the head's sides, and its middle in the head frame.
const HEAD: ([f32; 3], [f32; 3]) = ([0.045, 0.065, 0.04], [0.0, 0.0, 0.02]);
/// Where the antennas stand in the head frame; the left one on the other side.
const ANTENNA: [f32; 3] = [-0.01, -0.04, 0.06];
const ANTENNA_LENGTH: f32 = 0.11;
/// Positive angles lean both antennas to the robot's left.
const ANTENNA_AXIS: [f32; 3] = [-1.0, 0.0, 0.0];

const SHELL: [u8; 3] = [200, 200, 205];
const WISH: [u8; 3] = [0, 114, 178];

/// What does not change.
pub fn shapes(stream: &RecordingStream) -> RecordingStreamResult<()> {
    stream.log_static("/robot", &ViewCoordinates::FLU())?;
    let solid = |(half, middle): ([f32; 3], [f32; 3])| {
        Boxes3D::from_centers_and_half_sizes([middle], [half])
            .with_colors([SHELL])
            .with_fill_mode(FillMode::Solid)
    };
    stream.log_static("/robot/body/shell", &solid(BODY))?;
    stream.log_static("/robot/head/shell", &solid(HEAD))?;
    let ahead = Arrows3D::from_vectors([[0.09, 0.0, 0.0]]).with_colors([[230, 159, 0]]);
    stream.log_static("/robot/head/ahead", &ahead)?;
    let wish = Boxes3D::from_centers_and_half_sizes([HEAD.1], [HEAD.0]).with_colors([WISH]);
    stream.log_static("/robot/goal_head/outline", &wish)?;
    for side in [Part::RightAntenna, Part::LeftAntenna] {
        let mast = LineStrips3D::new([[[0.0, 0.0, 0.0], [0.0, 0.0, ANTENNA_LENGTH]]])
            .with_colors([[90, 90, 95]])
            .with_radii([0.003]);
        stream.log_static(format!("{}/mast", antenna(side)), &mast)?;
    }
    Ok(())
}

const fn antenna(side: Part) -> &'static str {
    match side {
        Part::LeftAntenna => "/robot/head/left_antenna",
        _ => "/robot/head/right_antenna",
    }
}

/// Where it was on these beats.
pub fn beats(stream: &RecordingStream, about: &Begin, beats: &[Beat]) -> RecordingStreamResult<()> {
    for (place, motor) in about.motors.iter().enumerate() {
        let (path, at, axis) = match motor.part {
            Part::Body => ("/robot/body", [0.0; 3], [0.0, 0.0, 1.0]),
            side @ (Part::RightAntenna | Part::LeftAntenna) => {
                let [x, y, z] = ANTENNA;
                let at = if side == Part::LeftAntenna { [x, -y, z] } else { [x, y, z] };
                (antenna(side), at, ANTENNA_AXIS)
            }
            Part::Leg => continue,
        };
        let turns: Vec<_> = beats
            .iter()
            .filter_map(|beat| Some((beat.beat, *beat.present_deg.get(place)?)))
            .map(|(beat, degrees)| {
                (beat, RotationAxisAngle(AxisAngle::new(axis, Angle::from_degrees(degrees as f32))))
            })
            .collect();
        if turns.is_empty() {
            continue;
        }
        let columns = Transform3D::new()
            .with_many_translation(std::iter::repeat_n(Translation3D::from(at), turns.len()))
            .with_many_rotation_axis_angle(turns.iter().map(|(_, turn)| *turn))
            .columns_of_unit_batches()?;
        stream.send_columns(path, times(about, turns.iter().map(|(beat, _)| *beat)), columns)?;
    }
    head(stream, about, "/robot/head", beats, |beat| beat.present_head)?;
    head(stream, about, "/robot/goal_head", beats, |beat| beat.goal_head)
}

fn head(
    stream: &RecordingStream,
    about: &Begin,
    path: &str,
    beats: &[Beat],
    of: fn(&Beat) -> Option<Head>,
) -> RecordingStreamResult<()> {
    let heads: Vec<(u64, Head)> = beats.iter().filter_map(|beat| Some((beat.beat, of(beat)?))).collect();
    if heads.is_empty() {
        return Ok(());
    }
    let columns = Transform3D::new()
        .with_many_translation(
            heads.iter().map(|(_, head)| Translation3D::from(head.at_m.map(|metres| metres as f32))),
        )
        .with_many_quaternion(
            heads
                .iter()
                .map(|(_, head)| RotationQuat(Quaternion::from_xyzw(head.turned.map(|part| part as f32)))),
        )
        .columns_of_unit_batches()?;
    stream.send_columns(path, times(about, heads.iter().map(|(beat, _)| *beat)), columns)
}
