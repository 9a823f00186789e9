//! Imports all modules that a tool may use before the first guest is forked, with replacements for the clock, random numbers
//! and the event loop.
//!
//! A guest opens no file, so a module that is not imported here is not available.

use std::path::Path;

use pyo3::exceptions::{PyOverflowError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;

use crate::host_channel;
use minismith_protocol::Job;
use minismith_protocol::zygote::Profile;

/// Modules that a tool may need, directly or by a lazy import in another module.
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

/// Helper modules written in Python. Each runs with `stage` in its globals.
const HELPERS: &[(&str, &str)] = &[
    ("forks", include_str!("python/forks.py")),
    ("docstrings", include_str!("python/docstrings.py")),
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

/// Helper modules of the code profile. They come last, because their libraries need everything else.
const CODE_HELPERS: &[(&str, &str)] =
    &[("data", include_str!("python/data.py")), ("libraries", include_str!("python/libraries.py"))];

/// Helper modules of the science profile.
const SCIENCE_HELPERS: &[(&str, &str)] = &[("science", include_str!("python/science.py"))];

static HELPER: PyOnceLock<Py<PyDict>> = PyOnceLock::new();

/// Imports and installs everything except the robot package of tools.
pub fn prepare(py: Python<'_>, python: &Path, profile: Profile) -> PyResult<()> {
    check_packages(&py.import("sys")?, python)?;
    let context = time_module(py)?;
    let helpers = PyDict::new(py);
    // The order matters: forks before any module registers fork handlers, docstrings before numpy, clocks before any module
    // copies them, random numbers after numpy.
    // A script does not follow the robot's clock, and pandas needs the original date classes.
    let parts = HELPERS.iter().filter(|(name, _)| profile.has_robot() || *name != "clocks");
    for &(name, source) in parts {
        install(py, (name, source), &context, &helpers)?;
    }
    for module in MODULES {
        py.import(*module)?;
    }
    let own = match profile {
        Profile::Motion => &[][..],
        Profile::Science => SCIENCE_HELPERS,
        Profile::Code => CODE_HELPERS,
    };
    for &(name, source) in own {
        install(py, (name, source), &context, &helpers)?;
    }
    HELPER
        .set(py, helpers.unbind())
        .map_err(|_| PyRuntimeError::new_err("the interpreter was warmed up twice"))?;
    Ok(())
}

/// Sends what Python prints to the controller from here on.
pub fn take_output(py: Python<'_>) -> PyResult<()> {
    let (sys, printer) = (py.import("sys")?, Bound::new(py, Printer)?);
    sys.setattr("stdout", &printer)?;
    sys.setattr("stderr", &printer)
}

/// Runs a helper module and stores its globals.
fn install(
    py: Python<'_>,
    (name, source): (&str, &str),
    context: &Bound<'_, PyModule>,
    helpers: &Bound<'_, PyDict>,
) -> PyResult<()> {
    let names = PyDict::new(py);
    names.set_item("__name__", format!("minismith.{name}"))?;
    names.set_item("stage", context)?;
    run(py, source, &format!("<minismith/{name}>"), &names)?;
    if let Some(install) = names.get_item("install")? {
        install.call0()?;
    }
    helpers.set_item(name, names)
}

/// Checks the interpreter's packages. With a wrong path CPython silently uses those of another interpreter.
fn check_packages(sys: &Bound<'_, PyModule>, python: &Path) -> PyResult<()> {
    let Some(venv) = python.parent().and_then(Path::parent).filter(|venv| venv.join("pyvenv.cfg").is_file())
    else {
        return Ok(());
    };
    let prefix: std::path::PathBuf = sys.getattr("prefix")?.extract()?;
    if prefix.canonicalize().ok() == venv.canonicalize().ok() {
        return Ok(());
    }
    let (prefix, venv) = (prefix.display(), venv.display());
    Err(PyRuntimeError::new_err(format!("wrong packages: the interpreter uses {prefix} instead of {venv}")))
}

/// Runs source code with these globals.
pub fn run(py: Python<'_>, source: &str, file: &str, names: &Bound<'_, PyDict>) -> PyResult<()> {
    // Compile from a string, so that an encoding comment has no effect.
    let builtins = py.import("builtins")?;
    let code = builtins.call_method1("compile", (source, file, "exec"))?;
    builtins.call_method1("exec", (code, names))?;
    Ok(())
}

/// Returns a function or class of a helper module.
pub fn helper<'py>(py: Python<'py>, part: &str, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let helpers =
        HELPER.get(py).ok_or_else(|| PyRuntimeError::new_err("the interpreter is not warmed up"))?;
    helpers.bind(py).as_any().get_item(part)?.get_item(name)
}

/// Returns whether guests have the code profile, with data libraries and without a robot.
pub fn is_for_code(py: Python<'_>) -> bool {
    HELPER.get(py).is_some_and(|helpers| helpers.bind(py).contains("data").unwrap_or_default())
}

/// Seeds all random number generators.
pub fn seed(py: Python<'_>, seed: u64) -> PyResult<()> {
    helper(py, "chance", "begin")?.call1((seed,)).map(drop)
}

/// Seeds all random number generators again.
pub fn reseed(py: Python<'_>, seed: u64) -> PyResult<()> {
    helper(py, "chance", "begin_anew")?.call1((seed,)).map(drop)
}

/// Runs a coroutine to its end on the guest's event loop. Other values are returned unchanged.
pub fn run_if_coroutine<'py>(result: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    helper(result.py(), "loop", "run_if_coroutine")?.call1((result,))
}

/// Starts recording which lines of some files run. The method `stop` of the result returns them by file.
pub fn trace(py: Python<'_>, files: Vec<String>) -> PyResult<Py<PyAny>> {
    Ok(helper(py, "tracing", "Trace")?.call1((files,))?.unbind())
}

/// Loads a tool's source as a module, and makes the other modules of its toolkit importable.
pub fn load<'py>(py: Python<'py>, file: &str, job: &Job) -> PyResult<Bound<'py, PyModule>> {
    let Job { module: name, source, modules: others, .. } = job;
    let module = PyModule::new(py, name)?;
    module.setattr("__file__", file)?;
    if !others.is_empty() {
        module.setattr("__path__", pyo3::types::PyList::empty(py))?;
        module.setattr("__package__", name)?;
        helper(py, "toolkit", "add")?.call1((name, others))?;
    }
    // Data classes look up their module by name. Library modules are not replaced.
    let modules = py.import("sys")?.getattr("modules")?.cast_into::<PyDict>()?;
    if !modules.contains(name)? {
        modules.set_item(name, &module)?;
    }
    run(py, source, file, &module.dict())?;
    Ok(module)
}

/// Replacement for `sys.stdout` and `sys.stderr`.
#[pyclass(frozen)]
struct Printer;

#[pymethods]
impl Printer {
    #[getter]
    fn encoding(&self) -> &'static str {
        "utf-8"
    }

    fn write(&self, text: &Bound<'_, pyo3::types::PyString>) -> PyResult<usize> {
        host_channel::print(&text.to_string_lossy())?;
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

/// Creates the clock module for the helper modules.
fn time_module(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
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
    seconds(host_channel::read_calendar())
}

/// Nanoseconds since 1970.
#[pyfunction]
fn time_ns() -> u64 {
    host_channel::read_calendar()
}

/// Robot time in seconds.
#[pyfunction]
fn monotonic() -> f64 {
    seconds(host_channel::read_clock())
}

/// Robot time in nanoseconds.
#[pyfunction]
fn monotonic_ns() -> u64 {
    host_channel::read_clock()
}

/// Advances robot time.
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
    host_channel::call(minismith_protocol::HostCall::Sleep { seconds }).map(drop)
}
