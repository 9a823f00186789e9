//! What a tool sees and hears through the robot: pictures, sounds, faces.

use minismith_wire::{Cue, Face};
use numpy::IntoPyArray;
use numpy::ndarray::Array3;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::stage::{self, Given};

/// `ReachyMini.media`.
#[pyclass(frozen, module = "reachy_mini.media")]
pub struct MediaManager;

#[pymethods]
impl MediaManager {
    /// The present picture: BGR, (height, width, 3), read-only; None without a camera.
    fn get_frame<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Given::Picture(picture) = stage::ask(Cue::Frame)? else { return Err(mismatch()) };
        let Some((height, width, bytes)) = picture else { return Ok(None) };
        let array = Array3::from_shape_vec((height as usize, width as usize, 3), bytes);
        let array =
            array.map_err(|error| PyRuntimeError::new_err(format!("the picture is broken: {error}")))?;
        let array = array.into_pyarray(py).into_any();
        array.call_method1("setflags", (false,))?;
        Ok(Some(array))
    }

    /// Plays one of the robot's sound files.
    pub fn play_sound(&self, sound_file: String) -> PyResult<()> {
        stage::ask(Cue::Sound { file: sound_file }).map(drop)
    }
}

/// The answer is not one to this cue.
pub fn mismatch() -> PyErr {
    PyRuntimeError::new_err("the stage gave something else than was asked for")
}

/// What the face tracker sees.
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
