//! Where the axes of a part go for an act and a direction.

use minismith_score::Axis;

use super::axes_of;
use crate::concept::{Act, Part, Way};
use crate::meaning::{Aim, Amount};
use crate::refusal::Refusal;

pub(super) const fn aim(axis: Axis, sign: f64, usual: f64) -> Aim {
    Aim { axis, sign, usual, amount: Amount::Usual(1.0) }
}

pub(super) fn head_aims(act: Act, way: Option<Way>, is_length: bool) -> Result<Vec<Aim>, Refusal> {
    let left_or_right = |way: Way| if way == Way::Right { -1.0 } else { 1.0 };
    let turn = |sign: f64, usual: f64| aim(Axis::HeadTurn, sign, usual);
    let pitch = |sign: f64, usual: f64| aim(Axis::HeadPitch, sign, usual);
    let tilt = |way: Way, usual: f64| aim(Axis::HeadTilt, -left_or_right(way), usual);
    Ok(vec![match (act, way) {
        (Act::Nod, _) => pitch(1.0, 15.0),
        (Act::Bow, _) => pitch(1.0, 25.0),
        (Act::Shake, None | Some(Way::Sides | Way::Left | Way::Right)) => turn(1.0, 15.0),
        (Act::Scan, _) => turn(1.0, 40.0),
        (Act::Wiggle | Act::Sway, Some(Way::Up | Way::Down)) => pitch(1.0, 12.0),
        (Act::Wiggle | Act::Sway, _) => tilt(Way::Left, 15.0),
        (Act::Tilt | Act::Lean, Some(way @ (Way::Left | Way::Right))) => tilt(way, 15.0),
        (Act::Tilt, None | Some(Way::Aside | Way::Sides)) => tilt(Way::Left, 15.0),
        (Act::Lean, Some(Way::Aside)) => tilt(Way::Left, 15.0),
        (Act::Tilt, Some(Way::Forward | Way::Down)) => pitch(1.0, 15.0),
        (Act::Tilt, Some(Way::Back | Way::Up)) => pitch(-1.0, 15.0),
        (Act::Raise, None | Some(Way::Up)) | (Act::Lower, Some(Way::Up)) if !is_length => {
            aim(Axis::HeadRise, 1.0, 10.0)
        }
        (Act::Lower, None | Some(Way::Down)) | (Act::Raise, Some(Way::Down)) if !is_length => {
            aim(Axis::HeadRise, -1.0, 10.0)
        }
        (Act::Lean, Some(Way::Up)) => aim(Axis::HeadRise, 1.0, 10.0),
        (Act::Lean, Some(Way::Down)) => aim(Axis::HeadRise, -1.0, 10.0),
        (_, Some(way @ (Way::Left | Way::Right))) if is_length => {
            aim(Axis::HeadSide, left_or_right(way), 12.0)
        }
        (Act::Raise, None) | (_, Some(Way::Up)) if is_length => aim(Axis::HeadRise, 1.0, 10.0),
        (Act::Lower, None) | (_, Some(Way::Down)) if is_length => aim(Axis::HeadRise, -1.0, 10.0),
        (Act::Move, Some(Way::Up)) => aim(Axis::HeadRise, 1.0, 10.0),
        (Act::Move, Some(Way::Down)) => aim(Axis::HeadRise, -1.0, 10.0),
        (_, Some(Way::Up)) => pitch(-1.0, 20.0),
        (_, Some(Way::Down)) => pitch(1.0, 20.0),
        (Act::Look, Some(Way::Back)) => {
            return Err(Refusal::LookBehind);
        }
        (Act::Look, Some(Way::Forward)) => turn(0.0, 0.0),
        (_, Some(Way::Forward | Way::Out)) => aim(Axis::HeadForward, 1.0, 15.0),
        (_, Some(Way::Back | Way::In)) => aim(Axis::HeadForward, -1.0, 15.0),
        (_, Some(way @ (Way::Left | Way::Right))) => turn(left_or_right(way), 20.0),
        (Act::Lean, None) => aim(Axis::HeadForward, 1.0, 15.0),
        (_, None | Some(Way::Aside | Way::Sides)) => turn(1.0, 20.0),
        (_, Some(Way::Ahead)) => {
            return Ok(vec![turn(0.0, 0.0), pitch(0.0, 0.0), aim(Axis::HeadTilt, 0.0, 0.0)]);
        }
        (_, Some(Way::Opposite)) => return Err(Refusal::NothingBefore),
    }])
}

pub(super) fn body_aims(way: Option<Way>) -> Result<Vec<Aim>, Refusal> {
    match way {
        None | Some(Way::Left | Way::Sides | Way::Aside) => Ok(vec![aim(Axis::BodyTurn, 1.0, 30.0)]),
        Some(Way::Right) => Ok(vec![aim(Axis::BodyTurn, -1.0, 30.0)]),
        Some(Way::Ahead | Way::Forward) => Ok(vec![aim(Axis::BodyTurn, 0.0, 0.0)]),
        Some(_) => Err(Refusal::BodyOnlyTurns),
    }
}

pub(super) fn antenna_aims(act: Act, part: Part, way: Option<Way>) -> Vec<Aim> {
    let outward = |axis: Axis, way: Way| match (axis, way) {
        (Axis::AntennaLeft, Way::Right) | (Axis::AntennaRight, Way::Left) => -1.0,
        _ => 1.0,
    };
    let axes = axes_of(part).into_iter();
    match (act, way) {
        // "Up and down with your antennas".
        (Act::Wiggle | Act::Sway | Act::Wave | Act::Shake, Some(Way::Up | Way::Down)) => {
            axes.map(|axis| aim(axis, 1.0, 40.0)).collect()
        }
        (_, Some(Way::In)) | (Act::Close, None) => axes.map(|axis| aim(axis, -1.0, 35.0)).collect(),
        (_, Some(Way::Up)) | (Act::Raise, None) => axes.map(|axis| aim(axis, 1.0, 0.0)).collect(),
        (_, Some(Way::Down)) | (Act::Lower, None) => axes.map(|axis| aim(axis, 1.0, 150.0)).collect(),
        (_, Some(Way::Ahead)) => axes.map(|axis| aim(axis, 0.0, 0.0)).collect(),
        (_, Some(way @ (Way::Left | Way::Right))) => {
            axes.map(|axis| aim(axis, outward(axis, way), 40.0)).collect()
        }
        (Act::Wiggle | Act::Shake, _) => axes.map(|axis| aim(axis, 1.0, 30.0)).collect(),
        (Act::Wave, _) => axes.map(|axis| aim(axis, 1.0, 45.0)).collect(),
        (Act::Spread, _) => axes.map(|axis| aim(axis, 1.0, 60.0)).collect(),
        _ => axes.map(|axis| aim(axis, 1.0, 45.0)).collect(),
    }
}
