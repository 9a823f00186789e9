//! Turns a `Move`, a function of time, into keyframes.

use std::path::Path;

use minismith_wire::{Cue, Keyframe};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::pose::{antenna_pair, head_pose, yaw};

/// The longest move that is played, seconds.
const LONGEST: f64 = 300.0;

/// The highest rate at which a move is evaluated, hertz.
const FASTEST: f64 = 100.0;

/// Keyframes in one cue; more would not fit into a frame of the channel. A longer move is played in parts.
const PART: usize = 1500;

/// The official SDK never evaluates a move later than this before its end, seconds.
const BEFORE_THE_END: f64 = 0.01;

/// The cues that play a move, in order.
pub fn cues(
    movement: &Bound<'_, PyAny>,
    frequency: f64,
    initial_goto: f64,
    sound: bool,
) -> PyResult<Vec<Cue>> {
    let duration: f64 = movement.getattr("duration")?.extract()?;
    if !(duration > 0.0 && duration <= LONGEST) {
        return Err(PyValueError::new_err(format!(
            "a move must last more than 0 and at most {LONGEST} seconds, not {duration}"
        )));
    }
    if !(frequency > 0.0 && frequency.is_finite()) {
        return Err(PyValueError::new_err(format!("play_frequency must be positive, not {frequency}")));
    }
    let period = 1.0 / frequency.min(FASTEST);
    let mut cues = Vec::new();
    if sound
        && let Ok(path) = movement.getattr("sound_path")
        && !path.is_none()
    {
        let path = path.str()?.to_string();
        let name =
            Path::new(&path).file_name().map_or(path.clone(), |name| name.to_string_lossy().into_owned());
        cues.push(Cue::Sound { file: name });
    }
    let end = (duration - BEFORE_THE_END).max(0.0);
    let (mut keyframes, mut part_began, mut initial_goto) = (Vec::new(), 0.0, initial_goto);
    for step in 0_u32.. {
        let time = (f64::from(step) * period).min(end);
        if keyframes.len() == PART {
            cues.push(Cue::Play { keyframes: std::mem::take(&mut keyframes), initial_goto });
            (part_began, initial_goto) = (time, 0.0);
        }
        keyframes.push(keyframe(movement, time, time - part_began)?);
        if time >= end {
            break;
        }
    }
    cues.push(Cue::Play { keyframes, initial_goto });
    Ok(cues)
}

fn keyframe(movement: &Bound<'_, PyAny>, at: f64, time: f64) -> PyResult<Keyframe> {
    let posture = movement.call_method1("evaluate", (at,))?;
    type Part<'py> = Option<Bound<'py, PyAny>>;
    let (head, antennas, body_yaw) = posture.extract::<(Part<'_>, Part<'_>, Part<'_>)>().map_err(|_| {
        PyTypeError::new_err("a move's evaluate(t) must return (head, antennas, body_yaw); each may be None")
    })?;
    Ok(Keyframe {
        time,
        head: head.as_ref().map(head_pose).transpose()?,
        antennas: antennas.as_ref().map(antenna_pair).transpose()?,
        body_yaw: body_yaw.as_ref().map(yaw).transpose()?,
    })
}
