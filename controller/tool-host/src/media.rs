//! Images, sounds and faces for a tool ([`MediaManager`]).

use minismith_protocol::{Face, HostCall};
use numpy::IntoPyArray;
use numpy::ndarray::{Array3, ShapeError};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::host_channel::{self, RawImage, ReplyValue};
use crate::shared_frames::HeldSlot;
use crate::value;

/// `ReachyMini.media`.
#[pyclass(frozen, module = "reachy_mini.media")]
pub struct MediaManager;

#[pymethods]
impl MediaManager {
    /// The current image: BGR, (height, width, 3), read-only; None without a camera.
    fn get_frame<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        // The slot is reserved until its array is gone. When no slot is free, the tool gets a copy in its own memory.
        let held = HeldSlot::take();
        let slot = held.as_ref().map(HeldSlot::slot);
        let ReplyValue::Image(image) = host_channel::call(HostCall::Frame { slot })? else {
            return Err(mismatch());
        };
        let Some(RawImage { height, width, bytes }) = image else { return Ok(None) };
        let shape = (height as usize, width as usize, 3);
        let array = match (bytes, held) {
            (Some(bytes), _) => Array3::from_shape_vec(shape, bytes).map_err(broken)?.into_pyarray(py),
            (None, Some(held)) => held.show(py, shape)?.ok_or_else(mismatch)?,
            (None, None) => return Err(mismatch()),
        };
        let array = array.into_any();
        array.call_method1("setflags", (false,))?;
        Ok(Some(array))
    }

    /// The detections in the latest image: a list of dicts with `label` (a COCO class), `score` (0 to 1), `bounds` (left, top,
    /// width, height in pixels) and `place` (estimated position, metres in the world frame).
    fn get_detections<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match host_channel::call(HostCall::Detections)? {
            ReplyValue::Value(found) => value::to_python(py, &found),
            _ => Err(mismatch()),
        }
    }

    /// Plays one of the robot's sound files.
    pub fn play_sound(&self, sound_file: String) -> PyResult<()> {
        host_channel::call(HostCall::Sound { file: sound_file }).map(drop)
    }
}

fn broken(error: ShapeError) -> PyErr {
    PyRuntimeError::new_err(format!("the image is damaged: {error}"))
}

/// Reports a reply that does not match its host call.
pub fn mismatch() -> PyErr {
    PyRuntimeError::new_err("the host sent a reply of the wrong type")
}

/// The face that the tracker sees.
#[pyclass(frozen, get_all, module = "reachy_mini.io.protocol")]
pub struct FaceTarget {
    detected: bool,
    x: Option<f64>,
    y: Option<f64>,
    roll: Option<f64>,
}

impl From<Face> for FaceTarget {
    fn from(face: Face) -> Self {
        let Face { detected, x, y, roll } = face;
        FaceTarget { detected, x, y, roll }
    }
}

#[pymethods]
impl FaceTarget {
    fn __repr__(&self) -> String {
        let number =
            |value: Option<f64>| value.map_or_else(|| "None".to_owned(), |value| format!("{value:?}"));
        let detected = if self.detected { "True" } else { "False" };
        let (x, y, roll) = (number(self.x), number(self.y), number(self.roll));
        format!("FaceTarget(detected={detected}, x={x}, y={y}, roll={roll})")
    }
}
