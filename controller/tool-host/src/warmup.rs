//! Warm-up run: executes one job in the zygote before the first fork.
//!
//! It performs everything that happens only on first use, so that guests inherit the result. The interpreter's caches are
//! filled, its code is specialised, symbols are bound, and memory that only a first use writes stays shared.

use std::path::Path;

use minismith_protocol::zygote::Profile;
use minismith_protocol::{DEFAULT_SEED, Job};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::shared_frames::HeldSlot;
use crate::{facts, guest, interpreter, library, package};

const NAME: &str = "practice";

/// Versions of the interpreter and numpy.
pub struct Versions {
    /// `sys.version`.
    pub python: String,
    /// numpy's version.
    pub numpy: String,
}

/// Imports and installs everything and executes the warm-up job. Afterwards the interpreter is ready to be forked.
pub fn warm_up(py: Python<'_>, python: &Path, profile: Profile) -> PyResult<Versions> {
    let gc = py.import("gc")?;
    // Nearly all that is imported stays: to look for garbage meanwhile only takes time.
    gc.call_method0("disable")?;
    library::prepare(py, python, profile)?;
    if profile.has_robot() {
        package::install(py)?;
    }
    library::take_output(py)?;
    if profile.has_robot() {
        run_warmup(py)?;
    }
    // Objects that exist now are exempt from a guest's garbage collection, so their memory stays shared. There is little garbage
    // among them (777 of 29,000 objects), and to find it would take a tenth of the whole start.
    gc.call_method0("freeze")?;
    gc.call_method0("enable")?;
    interpreter::settle();
    Ok(Versions {
        python: py.import("sys")?.getattr("version")?.extract()?,
        numpy: py.import("numpy")?.getattr("__version__")?.extract()?,
    })
}

/// Runs it, and removes what it leaves behind.
fn run_warmup(py: Python<'_>) -> PyResult<()> {
    let job = Job {
        source: include_str!("python/practice.py").to_owned(),
        module: NAME.to_owned(),
        entry: NAME.to_owned(),
        takes_robot: true,
        seed: DEFAULT_SEED,
        coverage: true,
        ..Job::default()
    };
    // The zygote has no shared frames.
    let _ = py.get_type::<HeldSlot>();
    // Several times, because CPython specialises code only after a few runs.
    for _ in 0..4 {
        let read = facts::parse(py, &job);
        read.map_err(pyo3::exceptions::PyRuntimeError::new_err)?;
        guest::play(py, &job, Vec::new()).0?;
        py.import("sys")?.getattr("modules")?.cast_into::<PyDict>()?.del_item(NAME)?;
    }
    // Reset the random numbers that the tool used.
    library::reseed(py, DEFAULT_SEED)
}
