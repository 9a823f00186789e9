//! The robot in 3D: a rotating body, a head with antennas, and the goal pose of the head.
//!
//! ```text
//! /robot/BODY            a transform: rotated with its motor (`body_rotation`)
//! /robot/BODY/LEG        a transform: the crank of a leg (`stewart_1`), if the geometry of the legs is recorded
//! /robot/rods            lines: from the end of each crank to the head
//! /robot/head            a transform, with the antennas below it (`right_antenna`)
//! /robot/goal_head       goal pose of the head
//! ```
//!
//! The shapes only indicate positions and directions. They do not model the shell.

use minismith_protocol::trace_format::{Cycle, Head, Motor, Part};
use re_sdk::RecordingStreamResult;
use re_sdk_types::archetypes::{Arrows3D, Boxes3D, LineStrips3D, Transform3D, ViewCoordinates};
use re_sdk_types::components::{FillMode, RotationAxisAngle, RotationQuat, Translation3D};
use re_sdk_types::datatypes::{Angle, Quaternion, RotationAxisAngle as AxisAngle};

use crate::stream::RerunStream;

/// Half-sizes and centre of the body in metres, below the legs.
const BODY: ([f32; 3], [f32; 3]) = ([0.055, 0.055, 0.03], [0.0, 0.0, 0.035]);
/// Half-sizes and centre of the head in the head frame.
const HEAD: ([f32; 3], [f32; 3]) = ([0.045, 0.065, 0.04], [0.0, 0.0, 0.02]);
/// Position of the right antenna in the head frame. The left one is mirrored.
const ANTENNA: [f32; 3] = [-0.01, -0.04, 0.06];
const ANTENNA_LENGTH: f32 = 0.11;
/// Positive angles tilt both antennas to the robot's left.
const ANTENNA_AXIS: [f32; 3] = [-1.0, 0.0, 0.0];

const SHELL: [u8; 3] = [200, 200, 205];
const SETPOINT_COLOUR: [u8; 3] = [0, 114, 178];

/// Draws the static shapes.
pub fn shapes(sheet: &RerunStream) -> RecordingStreamResult<()> {
    sheet.fix("/robot", &ViewCoordinates::FLU())?;
    let solid = |(half, middle): ([f32; 3], [f32; 3])| {
        Boxes3D::from_centers_and_half_sizes([middle], [half])
            .with_colors([SHELL])
            .with_fill_mode(FillMode::Solid)
    };
    sheet.fix(format!("{}/shell", body(&sheet.about.motors)), &solid(BODY))?;
    sheet.fix("/robot/head/shell", &solid(HEAD))?;
    let ahead = Arrows3D::from_vectors([[0.09, 0.0, 0.0]]).with_colors([[230, 159, 0]]);
    sheet.fix("/robot/head/ahead", &ahead)?;
    let setpoint = Boxes3D::from_centers_and_half_sizes([HEAD.1], [HEAD.0]).with_colors([SETPOINT_COLOUR]);
    sheet.fix("/robot/goal_head/outline", &setpoint)?;
    for motor in &sheet.about.motors {
        if let Part::RightAntenna | Part::LeftAntenna = motor.part {
            let mast = LineStrips3D::new([[[0.0, 0.0, 0.0], [0.0, 0.0, ANTENNA_LENGTH]]])
                .with_colors([[90, 90, 95]])
                .with_radii([0.003]);
            sheet.fix(format!("{}/mast", antenna(motor)), &mast)?;
        }
    }
    Ok(())
}

/// Returns the entity path of the rotating body.
pub fn body(motors: &[Motor]) -> String {
    let motor = motors.iter().find(|motor| motor.part == Part::Body);
    format!("/robot/{}", motor.map_or("body", |motor| &motor.name))
}

fn antenna(motor: &Motor) -> String {
    format!("/robot/head/{}", motor.name)
}

/// Draws the robot at these cycles.
pub fn cycles(sheet: &RerunStream, cycles: &[Cycle]) -> RecordingStreamResult<()> {
    for (path, motor) in sheet.about.motors.iter().enumerate() {
        let [x, y, z] = ANTENNA;
        match motor.part {
            Part::Body => {
                turning(sheet, &body(&sheet.about.motors), [0.0; 3], [0.0, 0.0, 1.0], path, cycles)?;
            }
            Part::RightAntenna => {
                turning(sheet, &antenna(motor), [x, y, z], ANTENNA_AXIS, path, cycles)?;
            }
            Part::LeftAntenna => {
                turning(sheet, &antenna(motor), [x, -y, z], ANTENNA_AXIS, path, cycles)?;
            }
            Part::Leg => {}
        }
    }
    head(sheet, "/robot/head", cycles, |cycle| cycle.present_head)?;
    head(sheet, "/robot/goal_head", cycles, |cycle| cycle.goal_head)
}

/// Draws something at a fixed position that rotates about one axis with a motor.
pub fn turning(
    sheet: &RerunStream,
    path: &str,
    at: [f32; 3],
    axis: [f32; 3],
    motor: usize,
    cycles: &[Cycle],
) -> RecordingStreamResult<()> {
    let turns: Vec<(u64, RotationAxisAngle)> = cycles
        .iter()
        .filter_map(|cycle| Some((cycle.cycle, *cycle.present_deg.get(motor)?)))
        .map(|(cycle, degrees)| {
            (cycle, RotationAxisAngle(AxisAngle::new(axis, Angle::from_degrees(degrees as f32))))
        })
        .collect();
    let columns = Transform3D::new()
        .with_many_translation(std::iter::repeat_n(Translation3D::from(at), turns.len()))
        .with_many_rotation_axis_angle(turns.iter().map(|(_, turn)| *turn))
        .columns_of_unit_batches()?;
    sheet.draw(path, turns.iter().map(|(cycle, _)| *cycle), columns)
}

fn head(
    sheet: &RerunStream,
    path: &str,
    cycles: &[Cycle],
    of: fn(&Cycle) -> Option<Head>,
) -> RecordingStreamResult<()> {
    let heads: Vec<(u64, Head)> = cycles.iter().filter_map(|cycle| Some((cycle.cycle, of(cycle)?))).collect();
    let columns = Transform3D::new()
        .with_many_translation(
            heads.iter().map(|(_, head)| Translation3D::from(head.position_m.map(|metres| metres as f32))),
        )
        .with_many_quaternion(heads.iter().map(|(_, head)| {
            RotationQuat(Quaternion::from_xyzw(head.orientation_xyzw.map(|part| part as f32)))
        }))
        .columns_of_unit_batches()?;
    sheet.draw(path, heads.iter().map(|(cycle, _)| *cycle), columns)
}
