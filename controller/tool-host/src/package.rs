//! What tools import of this program: `reachy_mini`, the official SDK's names, and `minismith`, its own.

use minismith_wire::Cue;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::files::{InputFile, OutputFiles};
use crate::robot::ReachyMini;
use crate::stage::Given;
use crate::{library, pose, stage, value};

/// The version of the official SDK whose names, arguments, units and errors these are.
const SDK_VERSION: &str = "1.13.0";

/// Puts the package and its modules where `import` finds them.
pub fn install(py: Python<'_>) -> PyResult<()> {
    let robot = py.get_type::<ReachyMini>();
    let root = module(py, None, "reachy_mini")?;
    root.setattr("ReachyMini", &robot)?;
    root.setattr("__version__", SDK_VERSION)?;
    module(py, Some(&root), "reachy_mini")?.setattr("ReachyMini", &robot)?;

    let utils = module(py, Some(&root), "utils")?;
    utils.add_function(wrap_pyfunction!(create_head_pose, &utils)?)?;
    let interpolation = module(py, Some(&utils), "interpolation")?;
    written_in_python(&interpolation, include_str!("python/interpolation.py"))?;

    let motion = module(py, Some(&root), "motion")?;
    let moves = module(py, Some(&motion), "move")?;
    written_in_python(&moves, include_str!("python/move.py"))?;

    let own = module(py, None, "minismith")?;
    own.setattr("InputFile", py.get_type::<InputFile>())?;
    own.setattr("OutputFiles", py.get_type::<OutputFiles>())?;
    own.add_function(wrap_pyfunction!(exec_function, &own)?)
}

/// A new module, known to its parent and to `sys.modules`. Every one may have others below it.
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

fn written_in_python(module: &Bound<'_, PyModule>, source: &str) -> PyResult<()> {
    library::run(module.py(), source, &format!("<{}>", module.name()?), &module.dict())
}

/// A head pose from a position (metres, or millimetres) and extrinsic x, y, z angles (degrees, or radians).
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
    let place = [x, y, z].map(metres);
    pose::to_numpy(py, &pose::from_place_and_angles(place, [roll, pitch, yaw].map(radians)))
}

/// Calls another tool of the registry with these named arguments, and gives what it returns.
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
        return Err(PyTypeError::new_err("the arguments are not plain data"));
    };
    match stage::ask(Cue::Exec { name, arguments })? {
        Given::Value(given) => value::to_python(py, &given),
        _ => Ok(py.None().into_bound(py)),
    }
}
