//! What is in memory before the first guest is forked: the modules that a tool may import, with the stage's clock,
//! the job's chance and the stage's loop in the places of the machine's.
//!
//! A guest opens no file, so what is not imported here can't be imported at all.

use std::path::Path;

use pyo3::exceptions::{PyOverflowError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;

use crate::stage;
use minismith_wire::Job;
use minismith_wire::zygote::Profile;

/// Everything that a tool may come to need, directly or by a lazy import inside another module.
const MODULES: &[&str] = &[
    "__future__",
    "_strptime",
    "abc",
    "array",
    "ast",
    "asyncio",
    "binascii",
    "bisect",
    "calendar",
    "cmath",
    "codeop",
    "collections",
    "collections.abc",
    "colorsys",
    "concurrent.futures.thread",
    "contextlib",
    "contextvars",
    "copy",
    "csv",
    "dataclasses",
    "datetime",
    "decimal",
    "difflib",
    "encodings.ascii",
    "encodings.cp1252",
    "encodings.idna",
    "encodings.latin_1",
    "encodings.utf_16",
    "encodings.utf_32",
    "encodings.utf_8_sig",
    "enum",
    "fractions",
    "functools",
    "graphlib",
    "heapq",
    "inspect",
    "itertools",
    "json",
    "keyword",
    "linecache",
    "locale",
    "logging",
    "math",
    "numbers",
    "operator",
    "pprint",
    "queue",
    "random",
    "re",
    "reprlib",
    "secrets",
    "statistics",
    "string",
    "struct",
    "textwrap",
    "threading",
    "time",
    "traceback",
    "types",
    "typing",
    "unicodedata",
    "uuid",
    "warnings",
    "weakref",
    "numpy",
    "numpy.char",
    "numpy.exceptions",
    "numpy.fft",
    "numpy.lib.stride_tricks",
    "numpy.linalg",
    "numpy.ma",
    "numpy.polynomial",
    "numpy.random",
    "numpy.rec",
    "numpy.strings",
    "numpy.typing",
];

/// The parts that are written in Python: each is run with `stage` in its names.
const HELPERS: &[(&str, &str)] = &[
    ("forks", include_str!("python/forks.py")),
    ("clocks", include_str!("python/clocks.py")),
    ("chance", include_str!("python/chance.py")),
    ("loop", include_str!("python/loop.py")),
    ("fields", include_str!("python/fields.py")),
    ("facts", include_str!("python/facts.py")),
    ("tracing", include_str!("python/tracing.py")),
    ("toolkit", include_str!("python/toolkit.py")),
    ("files", include_str!("python/files.py")),
    ("console", include_str!("python/console.py")),
];

/// Those of the code profile, after the others: its libraries are loaded when all else is in place.
const CODE_HELPERS: &[(&str, &str)] =
    &[("data", include_str!("python/data.py")), ("libraries", include_str!("python/libraries.py"))];

static HELPER: PyOnceLock<Py<PyDict>> = PyOnceLock::new();

/// Imports and exchanges everything, but for what a tool sees of the robot.
pub fn prepare(py: Python<'_>, python: &Path, profile: Profile) -> PyResult<()> {
    is_the_one(&py.import("sys")?, python)?;
    let stage = stage_module(py)?;
    let helpers = PyDict::new(py);
    // Forks come first, before any module registers for them; then the clocks, before any copies them. Chance imports
    // numpy.
    // A script has no stage whose clock it could follow, and pandas is built on the machine's own classes of dates.
    let parts = HELPERS.iter().filter(|(name, _)| profile == Profile::Motion || *name != "clocks");
    for &(name, source) in parts {
        install(py, (name, source), &stage, &helpers)?;
    }
    for module in MODULES {
        py.import(*module)?;
    }
    if profile == Profile::Code {
        for &(name, source) in CODE_HELPERS {
            install(py, (name, source), &stage, &helpers)?;
        }
    }
    HELPER.set(py, helpers.unbind()).map_err(|_| PyRuntimeError::new_err("warmed up twice"))?;
    Ok(())
}

/// From here on what is printed goes to the controller.
pub fn take_output(py: Python<'_>) -> PyResult<()> {
    let (sys, printer) = (py.import("sys")?, Bound::new(py, Printer)?);
    sys.setattr("stdout", &printer)?;
    sys.setattr("stderr", &printer)
}

/// Runs one part, and keeps its names.
fn install(
    py: Python<'_>,
    (name, source): (&str, &str),
    stage: &Bound<'_, PyModule>,
    helpers: &Bound<'_, PyDict>,
) -> PyResult<()> {
    let names = PyDict::new(py);
    names.set_item("__name__", format!("minismith.{name}"))?;
    names.set_item("stage", stage)?;
    run(py, source, &format!("<minismith/{name}>"), &names)?;
    if let Some(install) = names.get_item("install")? {
        install.call0()?;
    }
    helpers.set_item(name, names)
}

/// A wrong path makes CPython fall back to another interpreter's packages without a word.
fn is_the_one(sys: &Bound<'_, PyModule>, python: &Path) -> PyResult<()> {
    let Some(venv) = python.parent().and_then(Path::parent).filter(|venv| venv.join("pyvenv.cfg").is_file())
    else {
        return Ok(());
    };
    let prefix: std::path::PathBuf = sys.getattr("prefix")?.extract()?;
    if prefix.canonicalize().ok() == venv.canonicalize().ok() {
        return Ok(());
    }
    let (prefix, venv) = (prefix.display(), venv.display());
    Err(PyRuntimeError::new_err(format!("its packages are those of {prefix}, not of {venv}")))
}

/// Runs a source with these global names.
pub fn run(py: Python<'_>, source: &str, file: &str, names: &Bound<'_, PyDict>) -> PyResult<()> {
    // From a text, so that an encoding comment means nothing.
    let builtins = py.import("builtins")?;
    let code = builtins.call_method1("compile", (source, file, "exec"))?;
    builtins.call_method1("exec", (code, names))?;
    Ok(())
}

/// A function or class of the parts that are written in Python.
pub fn helper<'py>(py: Python<'py>, part: &str, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let helpers = HELPER.get(py).ok_or_else(|| PyRuntimeError::new_err("not warmed up"))?;
    helpers.bind(py).as_any().get_item(part)?.get_item(name)
}

/// Whether guests are made for code: then they have libraries for data, and no robot.
pub fn is_for_code(py: Python<'_>) -> bool {
    HELPER.get(py).is_some_and(|helpers| helpers.bind(py).contains("data").unwrap_or_default())
}

/// Makes chance repeat: the same seed, the same numbers.
pub fn seed(py: Python<'_>, seed: u64) -> PyResult<()> {
    helper(py, "chance", "begin")?.call1((seed,)).map(drop)
}

/// The same, whatever was begun with before.
pub fn seed_anew(py: Python<'_>, seed: u64) -> PyResult<()> {
    helper(py, "chance", "begin_anew")?.call1((seed,)).map(drop)
}

/// Runs a coroutine to its end on the stage's loop; anything else is itself.
pub fn run_if_coroutine<'py>(result: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    helper(result.py(), "loop", "run_if_coroutine")?.call1((result,))
}

/// Begins to note which lines of some files run; its method `stop` gives them, file by file.
pub fn trace(py: Python<'_>, files: Vec<String>) -> PyResult<Py<PyAny>> {
    Ok(helper(py, "tracing", "Trace")?.call1((files,))?.unbind())
}

/// Loads a tool's source as a module of its own, and lets it import the others of its toolkit.
pub fn load<'py>(py: Python<'py>, file: &str, job: &Job) -> PyResult<Bound<'py, PyModule>> {
    let Job { module: name, source, modules: others, .. } = job;
    let module = PyModule::new(py, name)?;
    module.setattr("__file__", file)?;
    if !others.is_empty() {
        module.setattr("__path__", pyo3::types::PyList::empty(py))?;
        module.setattr("__package__", name)?;
        helper(py, "toolkit", "add")?.call1((name, others))?;
    }
    // Data classes look their module up by name. A module of the library keeps its place.
    let modules = py.import("sys")?.getattr("modules")?.cast_into::<PyDict>()?;
    if !modules.contains(name)? {
        modules.set_item(name, &module)?;
    }
    run(py, source, file, &module.dict())?;
    Ok(module)
}

/// What stands in the place of `sys.stdout` and `sys.stderr`.
#[pyclass(frozen)]
struct Printer;

#[pymethods]
impl Printer {
    #[getter]
    fn encoding(&self) -> &'static str {
        "utf-8"
    }

    fn write(&self, text: &Bound<'_, pyo3::types::PyString>) -> PyResult<usize> {
        stage::print(&text.to_string_lossy())?;
        text.len()
    }

    fn writelines(&self, lines: &Bound<'_, PyAny>) -> PyResult<()> {
        for line in lines.try_iter()? {
            self.write(line?.cast()?)?;
        }
        Ok(())
    }

    fn flush(&self) {}

    fn isatty(&self) -> bool {
        false
    }
}

/// The clock, for the parts that are written in Python.
fn stage_module(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    let module = PyModule::new(py, "stage")?;
    module.add_function(wrap_pyfunction!(time, &module)?)?;
    module.add_function(wrap_pyfunction!(time_ns, &module)?)?;
    module.add_function(wrap_pyfunction!(monotonic, &module)?)?;
    module.add_function(wrap_pyfunction!(monotonic_ns, &module)?)?;
    module.add_function(wrap_pyfunction!(sleep, &module)?)?;
    Ok(module)
}

#[allow(clippy::cast_precision_loss)]
fn seconds(nanos: u64) -> f64 {
    nanos as f64 / 1e9
}

/// Seconds since 1970.
#[pyfunction]
fn time() -> f64 {
    seconds(stage::read_calendar())
}

/// Nanoseconds since 1970.
#[pyfunction]
fn time_ns() -> u64 {
    stage::read_calendar()
}

/// Stage seconds.
#[pyfunction]
fn monotonic() -> f64 {
    seconds(stage::read_clock())
}

/// Stage nanoseconds.
#[pyfunction]
fn monotonic_ns() -> u64 {
    stage::read_clock()
}

/// Lets stage time pass.
#[pyfunction]
fn sleep(seconds: f64) -> PyResult<()> {
    if seconds.is_nan() {
        return Err(PyValueError::new_err("Invalid value NaN (not a number)"));
    }
    if seconds < 0.0 {
        return Err(PyValueError::new_err("sleep length must be non-negative"));
    }
    if seconds.is_infinite() {
        return Err(PyOverflowError::new_err("timestamp too large to convert to C _PyTime_t"));
    }
    stage::ask(minismith_wire::Cue::Sleep { seconds }).map(drop)
}
