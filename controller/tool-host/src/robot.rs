//! The robot as tools see it: `ReachyMini`, with the official SDK's names, arguments, defaults, units and errors.
//!
//! Every method checks its arguments as the SDK does, and that numbers are finite, and then makes a host call. Angles are
//! radians, positions metres. There is one robot, so constructing another gives the same one.

use minismith_protocol::{HostCall, Method, State};
use pyo3::exceptions::{PyAssertionError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use crate::host_channel::{self, ReplyValue};
use crate::library;
use crate::media::{FaceTarget, MediaManager, mismatch};
use crate::move_keyframes;
use crate::pose::{self, antenna_pair, finite, head_pose, yaw};
use crate::target_recording::{self, Target};

const NO_TARGET: &str = "At least one of head, antennas or body_yaw must be provided.";

/// The robot.
#[pyclass(frozen, subclass, module = "reachy_mini")]
pub struct ReachyMini;

impl ReachyMini {
    /// Returns the robot for a tool's entry function.
    pub const fn from_channel() -> Self {
        ReachyMini
    }
}

fn call_host(cue: HostCall) -> PyResult<()> {
    host_channel::call(cue).map(drop)
}

fn set_target(target: Target) -> PyResult<()> {
    let Target { head, antennas, body_yaw } = target;
    call_host(HostCall::SetTarget { head, antennas, body_yaw })?;
    target_recording::note(target);
    Ok(())
}

fn state() -> PyResult<Box<State>> {
    match host_channel::call(HostCall::State)? {
        ReplyValue::State(state) => Ok(state),
        _ => Err(mismatch()),
    }
}

/// Converts an interpolation method, given by name or by the SDK's enumeration, whose values are the names.
fn method_of(method: &Bound<'_, PyAny>) -> PyResult<Method> {
    let name: String = method.getattr("value").unwrap_or_else(|_| method.clone()).extract()?;
    match name.as_str() {
        "linear" => Ok(Method::Linear),
        "minjerk" => Ok(Method::Minjerk),
        "ease_in_out" => Ok(Method::EaseInOut),
        "cartoon" => Ok(Method::Cartoon),
        _ => Err(PyValueError::new_err(format!(
            "Unknown interpolation method: {name:?} (possible values: 'linear', 'minjerk', 'ease_in_out', 'cartoon')"
        ))),
    }
}

type Maybe<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

#[pymethods]
impl ReachyMini {
    /// Accepts the arguments of the SDK's constructor. There is nothing to connect to.
    #[new]
    #[pyo3(signature = (*_arguments, automatic_body_yaw=true, **_options))]
    fn new(
        _arguments: &Bound<'_, PyTuple>,
        automatic_body_yaw: bool,
        _options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        if !automatic_body_yaw {
            call_host(HostCall::AutomaticBodyYaw { on: false })?;
        }
        Ok(ReachyMini)
    }

    fn __enter__(this: Py<Self>) -> Py<Self> {
        this
    }

    #[pyo3(signature = (*_exception))]
    fn __exit__(&self, _exception: &Bound<'_, PyTuple>) {}

    /// Moves to a posture and waits. Without `body_yaw` the body turns to 0; with `None` it stays.
    ///
    /// * `head`: Head pose, a 4x4 matrix such as that of `create_head_pose`.
    /// * `antennas`: Right and left antenna, in radians.
    /// * `duration`: Seconds, above 0.
    /// * `method`: Interpolation.
    /// * `body_yaw`: Angle of the body, in radians.
    #[pyo3(signature = (head=None, antennas=None, duration=0.5, method=None, body_yaw=BodyYaw::Home))]
    fn goto_target(
        &self,
        head: Maybe<'_, '_>,
        antennas: Maybe<'_, '_>,
        duration: f64,
        method: Maybe<'_, '_>,
        body_yaw: BodyYaw,
    ) -> PyResult<()> {
        let body_yaw = body_yaw.angle();
        if head.is_none() && antennas.is_none() && body_yaw.is_none() {
            return Err(PyValueError::new_err(NO_TARGET));
        }
        if finite(duration, "Duration")? <= 0.0 {
            return Err(PyValueError::new_err(
                "Duration must be positive and non-zero. Use set_target() for immediate position setting.",
            ));
        }
        call_host(HostCall::Goto {
            head: head.map(head_pose).transpose()?,
            antennas: antennas.map(antenna_pair).transpose()?,
            body_yaw,
            duration,
            method: method.map(method_of).transpose()?.unwrap_or_default(),
        })
    }

    /// Follows this target from now on, without waiting.
    ///
    /// * `head`: Head pose, a 4x4 matrix such as that of `create_head_pose`.
    /// * `antennas`: Right and left antenna, in radians.
    /// * `body_yaw`: Angle of the body, in radians.
    #[pyo3(signature = (head=None, antennas=None, body_yaw=None))]
    fn set_target(
        &self,
        head: Maybe<'_, '_>,
        antennas: Maybe<'_, '_>,
        body_yaw: Maybe<'_, '_>,
    ) -> PyResult<()> {
        if head.is_none() && antennas.is_none() && body_yaw.is_none() {
            return Err(PyValueError::new_err(NO_TARGET));
        }
        set_target(Target {
            head: head.map(head_pose).transpose()?,
            antennas: antennas.map(antenna_pair).transpose()?,
            body_yaw: body_yaw.map(yaw).transpose()?,
        })
    }

    /// Records what `set_target` is given from now on.
    fn start_recording(&self) {
        target_recording::start();
    }

    /// The recorded targets, with `time`, `body_yaw`, and `head` and `antennas` where they were given.
    fn stop_recording<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyList>>> {
        target_recording::stop(py)
    }

    /// Follows this head pose from now on, without waiting.
    ///
    /// * `pose`: Head pose, a 4x4 matrix such as that of `create_head_pose`.
    #[pyo3(signature = (pose))]
    fn set_target_head_pose(&self, pose: Maybe<'_, '_>) -> PyResult<()> {
        let pose = pose.ok_or_else(|| PyValueError::new_err("Pose must be provided as a 4x4 matrix."))?;
        let head = pose::matrix(pose)?.map_err(|shape| {
            PyAssertionError::new_err(format!("Head pose should be a 4x4 matrix, got {shape}."))
        })?;
        set_target(Target { head: Some(head), antennas: None, body_yaw: None })
    }

    /// Follows these antenna angles from now on, without waiting.
    ///
    /// * `antennas`: Right and left antenna, in radians.
    fn set_target_antenna_joint_positions(&self, antennas: &Bound<'_, PyAny>) -> PyResult<()> {
        set_target(Target { head: None, antennas: Some(antenna_pair(antennas)?), body_yaw: None })
    }

    /// Turns the body to this angle from now on, without waiting.
    ///
    /// * `body_yaw`: Angle of the body, in radians.
    fn set_target_body_yaw(&self, body_yaw: &Bound<'_, PyAny>) -> PyResult<()> {
        set_target(Target { head: None, antennas: None, body_yaw: Some(yaw(body_yaw)?) })
    }

    /// Turns the head towards a point, and returns the head pose.
    ///
    /// * `x`: Metres ahead of the robot.
    /// * `y`: Metres to its left.
    /// * `z`: Metres up, from the neutral head.
    /// * `duration`: Seconds; 0 sends the target without waiting.
    /// * `perform_movement`: Whether to move, or only to return the head pose.
    #[pyo3(signature = (x, y, z, duration=1.0, perform_movement=true))]
    fn look_at_world<'py>(
        &self,
        py: Python<'py>,
        x: f64,
        y: f64,
        z: f64,
        duration: f64,
        perform_movement: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let duration = not_negative(duration)?;
        let point = [finite(x, "x")?, finite(y, "y")?, finite(z, "z")?];
        let head = pose::looking_at(point);
        if perform_movement {
            call_host(if duration > 0.0 {
                HostCall::LookAt { point, duration }
            } else {
                HostCall::SetTarget { head: Some(head), antennas: None, body_yaw: None }
            })?;
        }
        pose::to_numpy(py, &head)
    }

    /// Turns the head along the ray of a pixel of the latest image, and returns the head pose. As in the SDK, the offset of the
    /// camera in the head is ignored.
    ///
    /// * `u`: Pixels from the left edge.
    /// * `v`: Pixels from the upper edge.
    /// * `duration`: Seconds; 0 sends the target without waiting.
    /// * `perform_movement`: Whether to move, or only to return the head pose.
    #[pyo3(signature = (u, v, duration=1.0, perform_movement=true))]
    fn look_at_image<'py>(
        &self,
        py: Python<'py>,
        u: f64,
        v: f64,
        duration: f64,
        perform_movement: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let ReplyValue::Value(ray) =
            host_channel::call(HostCall::Ray { u: finite(u, "u")?, v: finite(v, "v")? })?
        else {
            return Err(mismatch());
        };
        let numbers = ray.as_array().into_iter().flatten().filter_map(serde_json::Value::as_f64);
        let Ok([x, y, z]) = <[f64; 3]>::try_from(numbers.collect::<Vec<_>>()) else { return Err(mismatch()) };
        self.look_at_world(py, x, y, z, duration, perform_movement)
    }

    /// Returns the measured head pose, a 4x4 matrix in metres, relative to the neutral head.
    fn get_current_head_pose<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        pose::to_numpy(py, &state()?.head)
    }

    /// Returns the measured angles in radians: body yaw and six legs, then right and left antenna.
    fn get_current_joint_positions(&self) -> PyResult<(Vec<f64>, Vec<f64>)> {
        let state = state()?;
        Ok((state.head_joints.to_vec(), state.antennas.to_vec()))
    }

    /// Returns the measured angles of the right and the left antenna, in radians.
    fn get_present_antenna_joint_positions(&self) -> PyResult<Vec<f64>> {
        Ok(state()?.antennas.to_vec())
    }

    /// Raises the head with a sound and waits.
    fn wake_up(&self) -> PyResult<()> {
        call_host(HostCall::Wake)
    }

    /// Lays the head down and waits.
    fn goto_sleep(&self) -> PyResult<()> {
        call_host(HostCall::Rest)
    }

    /// Switches the torque of motors on.
    ///
    /// * `ids`: Names of motors; all without it.
    #[pyo3(signature = (ids=None))]
    fn enable_motors(&self, ids: Option<Vec<String>>) -> PyResult<()> {
        call_host(HostCall::Motors { on: true, ids })
    }

    /// Switches the torque of motors off.
    ///
    /// * `ids`: Names of motors; all without it.
    #[pyo3(signature = (ids=None))]
    fn disable_motors(&self, ids: Option<Vec<String>>) -> PyResult<()> {
        call_host(HostCall::Motors { on: false, ids })
    }

    /// Lets the head be moved by hand, without its own weight.
    fn enable_gravity_compensation(&self) -> PyResult<()> {
        call_host(HostCall::Gravity { on: true })
    }

    /// Ends the gravity compensation.
    fn disable_gravity_compensation(&self) -> PyResult<()> {
        call_host(HostCall::Gravity { on: false })
    }

    /// Chooses whether the body turns along when the head turns far.
    ///
    /// * `enabled`: Whether it does.
    fn set_automatic_body_yaw(&self, enabled: bool) -> PyResult<()> {
        call_host(HostCall::AutomaticBodyYaw { on: enabled })
    }

    /// Plays a `Move`, which is evaluated beforehand and sent as keyframes.
    ///
    /// * `move`: The motion.
    /// * `play_frequency`: Keyframes per second.
    /// * `initial_goto_duration`: Seconds of the way to its first posture.
    /// * `sound`: Whether its sound is played too.
    #[pyo3(name = "play_move", signature = (r#move, play_frequency=100.0, initial_goto_duration=0.0, sound=true))]
    fn play_move(
        &self,
        r#move: &Bound<'_, PyAny>,
        play_frequency: f64,
        initial_goto_duration: f64,
        sound: bool,
    ) -> PyResult<()> {
        let initial_goto = not_negative(initial_goto_duration)?;
        for cue in move_keyframes::host_calls(r#move, play_frequency, initial_goto, sound)? {
            call_host(cue)?;
        }
        Ok(())
    }

    /// The same as `play_move`, for `await`: it plays when it is awaited.
    #[pyo3(signature = (*arguments, **options))]
    fn async_play_move<'py>(
        this: &Bound<'py, Self>,
        arguments: &Bound<'py, PyTuple>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let later = library::helper(this.py(), "loop", "later")?;
        later.call1((this.getattr("play_move")?, arguments, options))
    }

    /// Plays one of the robot's sound files; in the official SDK this is `media.play_sound`.
    fn play_sound(&self, sound_file: String) -> PyResult<()> {
        MediaManager.play_sound(sound_file)
    }

    /// Lets the head follow the face that the camera sees.
    ///
    /// * `weight`: How far it follows, 0 to 1.
    #[pyo3(signature = (weight=1.0))]
    fn start_head_tracking(&self, weight: f64) -> PyResult<()> {
        if !(0.0..=1.0).contains(&weight) {
            return Err(PyValueError::new_err("weight must be between 0 and 1"));
        }
        call_host(HostCall::Track { on: true, weight })
    }

    /// Ends the tracking of faces.
    fn stop_head_tracking(&self) -> PyResult<()> {
        call_host(HostCall::Track { on: false, weight: 0.0 })
    }

    /// The face that the tracker sees now. It never waits.
    #[pyo3(signature = (wait=true, timeout=5.0))]
    fn get_tracked_face(&self, wait: bool, timeout: f64) -> PyResult<FaceTarget> {
        let _ = (wait, timeout);
        match host_channel::call(HostCall::Face)? {
            ReplyValue::Face(face) => Ok(face.into()),
            _ => Err(mismatch()),
        }
    }

    /// Always None: this robot has no IMU.
    #[getter]
    fn imu(&self) -> Option<()> {
        None
    }

    /// The camera and the sounds.
    #[getter]
    fn media(&self) -> MediaManager {
        MediaManager
    }

    #[getter]
    fn media_manager(&self) -> MediaManager {
        MediaManager
    }
}

fn not_negative(duration: f64) -> PyResult<f64> {
    if finite(duration, "Duration")? < 0.0 {
        return Err(PyValueError::new_err("Duration can't be negative."));
    }
    Ok(duration)
}

/// The last argument of `goto_target`, which distinguishes a missing value from `None`.
#[derive(Clone, Copy)]
enum BodyYaw {
    /// Missing: the body turns to 0.
    Home,
    /// `None`: the body stays.
    Keep,
    /// An angle in radians.
    To(f64),
}

impl BodyYaw {
    const fn angle(self) -> Option<f64> {
        match self {
            BodyYaw::Home => Some(0.0),
            BodyYaw::Keep => None,
            BodyYaw::To(angle) => Some(angle),
        }
    }
}

impl<'py> FromPyObject<'_, 'py> for BodyYaw {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if value.is_none() { Ok(BodyYaw::Keep) } else { yaw(&value).map(BodyYaw::To) }
    }
}
