//! Converts a `Move`, a function of time, to keyframes ([`host_calls`]).

use std::path::Path;

use minismith_protocol::{HostCall, Keyframe};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::pose::{antenna_pair, head_pose, yaw};

/// Maximum duration of a move in seconds.
const MAX_DURATION_S: f64 = 300.0;

/// Maximum rate at which a move is evaluated, in Hz.
const MAX_RATE_HZ: f64 = 100.0;

/// Maximum number of keyframes per host call, so that it fits into a channel frame. A longer move is sent in parts.
const MAX_KEYFRAMES: usize = 1500;

/// Time before its end, in seconds, up to which the official SDK evaluates a move.
const END_MARGIN_S: f64 = 0.01;

/// Returns the host calls that play a move, in order.
pub fn host_calls(
    movement: &Bound<'_, PyAny>,
    frequency: f64,
    initial_goto: f64,
    sound: bool,
) -> PyResult<Vec<HostCall>> {
    let duration: f64 = movement.getattr("duration")?.extract()?;
    if !(duration > 0.0 && duration <= MAX_DURATION_S) {
        return Err(PyValueError::new_err(format!(
            "a move must last more than 0 and at most {MAX_DURATION_S} seconds, not {duration}"
        )));
    }
    if !(frequency > 0.0 && frequency.is_finite()) {
        return Err(PyValueError::new_err(format!("play_frequency must be positive, not {frequency}")));
    }
    let period = 1.0 / frequency.min(MAX_RATE_HZ);
    let mut calls = Vec::new();
    if sound
        && let Ok(path) = movement.getattr("sound_path")
        && !path.is_none()
    {
        let path = path.str()?.to_string();
        let name =
            Path::new(&path).file_name().map_or(path.clone(), |name| name.to_string_lossy().into_owned());
        calls.push(HostCall::Sound { file: name });
    }
    let end = (duration - END_MARGIN_S).max(0.0);
    let (mut keyframes, mut part_began, mut initial_goto) = (Vec::new(), 0.0, initial_goto);
    for step in 0_u32.. {
        let time = (f64::from(step) * period).min(end);
        if keyframes.len() == MAX_KEYFRAMES {
            calls.push(HostCall::Play { keyframes: std::mem::take(&mut keyframes), initial_goto });
            (part_began, initial_goto) = (time, 0.0);
        }
        keyframes.push(keyframe(movement, time, time - part_began)?);
        if time >= end {
            break;
        }
    }
    calls.push(HostCall::Play { keyframes, initial_goto });
    Ok(calls)
}

fn keyframe(movement: &Bound<'_, PyAny>, at: f64, time: f64) -> PyResult<Keyframe> {
    let posture = movement.call_method1("evaluate", (at,))?;
    type Chunk<'py> = Option<Bound<'py, PyAny>>;
    let (head, antennas, body_yaw) =
        posture.extract::<(Chunk<'_>, Chunk<'_>, Chunk<'_>)>().map_err(|_| {
            PyTypeError::new_err(
                "a move's evaluate(t) must return (head, antennas, body_yaw); each may be None",
            )
        })?;
    Ok(Keyframe {
        time,
        head: head.as_ref().map(head_pose).transpose()?,
        antennas: antennas.as_ref().map(antenna_pair).transpose()?,
        body_yaw: body_yaw.as_ref().map(yaw).transpose()?,
    })
}
