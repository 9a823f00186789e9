//! The official SDK's recording of targets: what `set_target` was given between `start_recording` and `stop_recording`.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::host_channel;

/// A target that a tool streamed.
#[derive(Clone, Copy)]
pub struct Target {
    /// `world_from_head`, row-major.
    pub head: Option<[f64; 16]>,
    /// Right and left, radians.
    pub antennas: Option<[f64; 2]>,
    /// Radians.
    pub body_yaw: Option<f64>,
}

/// The targets with their times, seconds since 1970; none if nothing is recorded.
static RECORDED: Mutex<Option<Vec<(f64, Target)>>> = Mutex::new(None);

fn recorded<R>(act: impl FnOnce(&mut Option<Vec<(f64, Target)>>) -> R) -> R {
    act(&mut RECORDED.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Starts a recording, without what was recorded before.
pub fn start() {
    recorded(|targets| *targets = Some(Vec::new()));
}

/// Records a target, if there is a recording.
pub fn note(target: Target) {
    recorded(|targets| {
        if let Some(targets) = targets {
            targets.push((host_channel::read_calendar() as f64 * 1e-9, target));
        }
    });
}

/// Ends the recording and returns its targets in the SDK's format; None if there was none.
pub fn stop(py: Python<'_>) -> PyResult<Option<Bound<'_, PyList>>> {
    let Some(targets) = recorded(Option::take) else { return Ok(None) };
    let records = targets.into_iter().map(|(time, target)| {
        let record = PyDict::new(py);
        record.set_item("time", time)?;
        record.set_item("body_yaw", target.body_yaw.unwrap_or_default())?;
        if let Some(head) = target.head {
            let (rows, _) = head.as_chunks::<4>();
            record.set_item("head", rows.iter().map(|row| row.to_vec()).collect::<Vec<_>>())?;
        }
        if let Some(antennas) = target.antennas {
            record.set_item("antennas", antennas.to_vec())?;
        }
        Ok(record)
    });
    PyList::new(py, records.collect::<PyResult<Vec<_>>>()?).map(Some)
}
