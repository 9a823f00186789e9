//! Images, sounds and faces for a tool ([`MediaManager`]).

use minismith_protocol::{Face, HostCall, MAX_PLAYED_SAMPLES};
use numpy::ndarray::{Array2, Array3, ShapeError};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use serde_json::Value;

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

    /// Starts recording by the robot's microphones.
    fn start_recording(&self) -> PyResult<()> {
        host_channel::call(HostCall::Record { on: true }).map(drop)
    }

    /// Ends recording.
    fn stop_recording(&self) -> PyResult<()> {
        host_channel::call(HostCall::Record { on: false }).map(drop)
    }

    /// What was recorded since the last call: float32, (samples, 2), from -1 to 1, at 16 kHz; None if there is nothing new.
    fn get_audio_sample<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let ReplyValue::Heard(samples) = host_channel::call(HostCall::Heard)? else { return Err(mismatch()) };
        if samples.is_empty() {
            return Ok(None);
        }
        let stereo: Vec<f32> = samples.iter().flat_map(|sample| [*sample; CHANNELS]).collect();
        let array = Array2::from_shape_vec((samples.len(), CHANNELS), stereo).map_err(broken)?;
        Ok(Some(array.into_pyarray(py).into_any()))
    }

    /// Where the last voice came from: the angle in radians (0 left, pi/2 ahead, pi right) and whether somebody speaks; None
    /// without an array of microphones.
    #[pyo3(name = "get_DoA")]
    fn voice_direction<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        match host_channel::call(HostCall::VoiceDirection)? {
            ReplyValue::Value(Value::Null) => Ok(None),
            ReplyValue::Value(value) => {
                let (angle, is_speech): (f64, bool) =
                    serde_json::from_value(value).map_err(|_| mismatch())?;
                (angle, is_speech).into_pyobject(py).map(Some)
            }
            _ => Err(mismatch()),
        }
    }

    /// Recorded samples per second.
    fn get_input_audio_samplerate(&self) -> u32 {
        SAMPLE_RATE
    }

    /// Played samples per second.
    fn get_output_audio_samplerate(&self) -> u32 {
        SAMPLE_RATE
    }

    /// Channels of recorded sound.
    fn get_input_channels(&self) -> usize {
        CHANNELS
    }

    /// Channels of played sound.
    fn get_output_channels(&self) -> usize {
        CHANNELS
    }

    /// Does nothing: the speaker opens with the first samples.
    fn start_playing(&self) {}

    /// Does nothing: what was pushed is played to its end.
    fn stop_playing(&self) {}

    /// Plays samples after those that were played before: numbers from -1 to 1 at 16 kHz, mono or (samples, channels).
    fn push_audio_sample(&self, data: &Bound<'_, PyAny>) -> PyResult<()> {
        for samples in mono(data)?.chunks(MAX_PLAYED_SAMPLES) {
            host_channel::call(HostCall::PlaySamples { samples: samples.to_vec() })?;
        }
        Ok(())
    }

    /// Plays one of the robot's sound files.
    pub fn play_sound(&self, sound_file: String) -> PyResult<()> {
        host_channel::call(HostCall::Sound { file: sound_file }).map(drop)
    }
}

/// Samples per second, in both directions.
const SAMPLE_RATE: u32 = 16_000;

/// Channels of recorded sound.
const CHANNELS: usize = 2;

/// The mean of the channels of an array of samples, as 16-bit numbers.
fn mono(data: &Bound<'_, PyAny>) -> PyResult<Vec<i16>> {
    let wrong = || {
        PyValueError::new_err(
            "push_audio_sample() takes an array (samples,) or (samples, channels) of numbers",
        )
    };
    let sixteen_bits = |sample: f32| (sample.clamp(-1.0, 1.0) * f32::from(i16::MAX)) as i16;
    let float = data.call_method1("astype", ("float32",)).map_err(|_| wrong())?;
    if let Ok(array) = float.cast::<PyArray1<f32>>() {
        return Ok(array.readonly().as_array().iter().map(|sample| sixteen_bits(*sample)).collect());
    }
    let array = float.cast::<PyArray2<f32>>().map_err(|_| wrong())?.readonly();
    let array = array.as_array();
    // The official SDK takes channels first, too.
    let array = if array.ncols() > array.nrows() { array.reversed_axes() } else { array };
    Ok(array.rows().into_iter().map(|row| sixteen_bits(row.mean().unwrap_or_default())).collect())
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
