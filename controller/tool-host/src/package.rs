//! Packages that this program provides to tools: `reachy_mini` with the official SDK's names, `minismith`, and `motion`, which
//! runs on either `reachy_mini`.

use minismith_protocol::HostCall;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::files::{InputFile, OutputFiles};
use crate::host_channel::ReplyValue;
use crate::robot::ReachyMini;
use crate::{host_channel, library, pose, value};

/// Version of the official SDK whose names, arguments, units and errors are implemented.
const SDK_VERSION: &str = "1.13.0";

/// Registers the packages and their modules for `import`.
pub fn install(py: Python<'_>) -> PyResult<()> {
    let robot = py.get_type::<ReachyMini>();
    let root = module(py, None, "reachy_mini")?;
    root.setattr("ReachyMini", &robot)?;
    root.setattr("__version__", SDK_VERSION)?;
    module(py, Some(&root), "reachy_mini")?.setattr("ReachyMini", &robot)?;

    let utils = module(py, Some(&root), "utils")?;
    utils.add_function(wrap_pyfunction!(create_head_pose, &utils)?)?;
    let interpolation = module(py, Some(&utils), "interpolation")?;
    run_python_source(&interpolation, include_str!("python/interpolation.py"))?;

    let motion = module(py, Some(&root), "motion")?;
    let moves = module(py, Some(&motion), "move")?;
    run_python_source(&moves, include_str!("python/move.py"))?;

    let own = module(py, None, "minismith")?;
    own.setattr("InputFile", py.get_type::<InputFile>())?;
    own.setattr("OutputFiles", py.get_type::<OutputFiles>())?;
    own.add_function(wrap_pyfunction!(exec_function, &own)?)?;
    own.add_function(wrap_pyfunction!(keep_photo, &own)?)?;

    // It imports both packages.
    run_python_source(&module(py, None, "motion")?, include_str!("python/motion.py"))
}

/// Creates a module and registers it with its parent and in `sys.modules`. Every module may have submodules.
fn module<'py>(
    py: Python<'py>,
    parent: Option<&Bound<'py, PyModule>>,
    name: &str,
) -> PyResult<Bound<'py, PyModule>> {
    let full_name = match parent {
        Some(parent) => format!("{}.{name}", parent.name()?),
        None => name.to_owned(),
    };
    let module = PyModule::new(py, &full_name)?;
    module.setattr("__path__", pyo3::types::PyList::empty(py))?;
    if let Some(parent) = parent {
        parent.setattr(name, &module)?;
    }
    py.import("sys")?.getattr("modules")?.cast_into::<PyDict>()?.set_item(full_name, &module)?;
    Ok(module)
}

fn run_python_source(module: &Bound<'_, PyModule>, source: &str) -> PyResult<()> {
    library::run(module.py(), source, &format!("<{}>", module.name()?), &module.dict())
}

/// Returns a head pose, a 4x4 matrix, from a position and extrinsic x, y, z angles, relative to the neutral head.
///
/// * `x`: Forward, in metres, or millimetres with `mm=True`.
/// * `y`: To the left, in metres, or millimetres with `mm=True`.
/// * `z`: Up, in metres, or millimetres with `mm=True`.
/// * `roll`: Tilt to the right shoulder, in degrees, or radians with `degrees=False`.
/// * `pitch`: Down, in degrees, or radians with `degrees=False`.
/// * `yaw`: To the left, in degrees, or radians with `degrees=False`.
/// * `mm`: Whether the position is in millimetres.
/// * `degrees`: Whether the angles are in degrees.
#[pyfunction]
#[pyo3(signature = (x=0.0, y=0.0, z=0.0, roll=0.0, pitch=0.0, yaw=0.0, mm=false, degrees=true))]
#[allow(clippy::too_many_arguments)] // The official signature.
fn create_head_pose<'py>(
    py: Python<'py>,
    x: f64,
    y: f64,
    z: f64,
    roll: f64,
    pitch: f64,
    yaw: f64,
    mm: bool,
    degrees: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let metres = |value: f64| if mm { value / 1000.0 } else { value };
    let radians = |value: f64| if degrees { value.to_radians() } else { value };
    let position = [x, y, z].map(metres);
    pose::to_numpy(py, &pose::from_position_and_angles(position, [roll, pitch, yaw].map(radians)))
}

/// Keeps the current camera image as a file of the run.
#[pyfunction]
fn keep_photo() -> PyResult<()> {
    host_channel::call(HostCall::Photo).map(drop)
}

/// Calls another registered tool with these named arguments, and returns its result.
#[pyfunction]
#[pyo3(signature = (name, /, **arguments))]
fn exec_function<'py>(
    py: Python<'py>,
    name: String,
    arguments: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let arguments = match arguments {
        Some(arguments) => value::to_json(arguments.as_any())?,
        None => serde_json::Value::Object(serde_json::Map::new()),
    };
    let serde_json::Value::Object(arguments) = arguments else {
        return Err(PyTypeError::new_err("the arguments must be plain data"));
    };
    match host_channel::call(HostCall::Exec { name, arguments })? {
        ReplyValue::Value(given) => value::to_python(py, &given),
        _ => Ok(py.None().into_bound(py)),
    }
}
