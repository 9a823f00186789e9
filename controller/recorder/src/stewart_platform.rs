//! The legs that carry the head: each has a crank that its motor turns, and a rod from the crank's end to the head.

use minismith_protocol::trace_format::{Cycle, Head, Leg};
use re_sdk::RecordingStreamResult;
use re_sdk_types::archetypes::LineStrips3D;

use crate::motors::COLOURS;
use crate::robot::{body, turning};
use crate::stream::RerunStream;

type Point = [f64; 3];

const RODS: &str = "/robot/rods";
const THICKNESS: f32 = 0.002;

/// Draws the static shapes: each crank in its own frame, which its motor rotates.
pub fn shapes(sheet: &RerunStream) -> RecordingStreamResult<()> {
    if sheet.about.legs.is_empty() {
        return Ok(());
    }
    for leg in &sheet.about.legs {
        let Some(path) = path(sheet, leg) else { continue };
        let arm = LineStrips3D::new([[[0.0; 3], narrow(scaled(leg.zero_direction, leg.crank_m))]])
            .with_colors([[90, 90, 95]])
            .with_radii([1.5 * THICKNESS]);
        sheet.fix(format!("{path}/arm"), &arm)?;
    }
    let colours = sheet.about.legs.iter().zip(COLOURS.into_iter().cycle()).map(|(_, colour)| colour);
    let rods = LineStrips3D::update_fields().with_colors(colours).with_radii([THICKNESS]);
    sheet.fix(RODS, &rods)
}

/// Draws the legs at these cycles. The rods need a head pose.
pub fn cycles(sheet: &RerunStream, cycles: &[Cycle]) -> RecordingStreamResult<()> {
    let legs = &sheet.about.legs;
    if legs.is_empty() {
        return Ok(());
    }
    for leg in legs {
        let Some(path) = path(sheet, leg) else { continue };
        let axis = across(leg.zero_direction, leg.quarter_direction);
        turning(sheet, &path, narrow(leg.pivot_m), narrow(axis), leg.motor, cycles)?;
    }
    let yaw = sheet
        .about
        .motors
        .iter()
        .position(|motor| motor.part == minismith_protocol::trace_format::Part::Body);
    let (mut drawn, mut strips) = (Vec::new(), Vec::new());
    for cycle in cycles {
        let Some(head) = &cycle.present_head else { continue };
        let yaw = yaw.and_then(|place| cycle.present_deg.get(place)).copied().unwrap_or(0.0).to_radians();
        let rods = legs.iter().filter_map(|leg| {
            let angle = cycle.present_deg.get(leg.motor)?.to_radians();
            Some([narrow(about_z(end(leg, angle), yaw)), narrow(ball(leg, head))])
        });
        let rods: Vec<_> = rods.collect();
        if rods.len() == legs.len() {
            drawn.push(cycle.cycle);
            strips.extend(rods);
        }
    }
    let columns = LineStrips3D::new(strips).columns(std::iter::repeat_n(legs.len(), drawn.len()))?;
    sheet.draw(RODS, drawn, columns)
}

fn path(sheet: &RerunStream, leg: &Leg) -> Option<String> {
    let motors = &sheet.about.motors;
    Some(format!("{}/{}", body(motors), motors.get(leg.motor)?.name))
}

/// Returns the end of the crank, in the body's frame.
fn end(leg: &Leg, angle: f64) -> Point {
    let (sin, cos) = angle.sin_cos();
    sum(
        leg.pivot_m,
        sum(scaled(leg.zero_direction, leg.crank_m * cos), scaled(leg.quarter_direction, leg.crank_m * sin)),
    )
}

/// Returns the ball joint of the rod at the head, in the world frame.
fn ball(leg: &Leg, head: &Head) -> Point {
    let [x, y, z, w] = head.orientation_xyzw;
    // v + 2 q x (q x v + w v), for a unit quaternion.
    let (axis, ball) = ([x, y, z], leg.ball_joint_m);
    let twice = scaled(across(axis, sum(across(axis, ball), scaled(ball, w))), 2.0);
    sum(head.position_m, sum(ball, twice))
}

fn about_z([x, y, z]: Point, angle: f64) -> Point {
    let (sin, cos) = angle.sin_cos();
    [x * cos - y * sin, x * sin + y * cos, z]
}

fn sum([a, b, c]: Point, [x, y, z]: Point) -> Point {
    [a + x, b + y, c + z]
}

fn scaled(point: Point, by: f64) -> Point {
    point.map(|one| one * by)
}

/// Returns the cross product.
fn across([a, b, c]: Point, [x, y, z]: Point) -> Point {
    [b * z - c * y, c * x - a * z, a * y - b * x]
}

fn narrow(point: Point) -> [f32; 3] {
    point.map(|one| one as f32)
}
