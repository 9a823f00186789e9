//! One job in the zygote before it first forks: what a job touches for the first time is touched here, and guests find
//! it done. The interpreter's caches are filled, its code is specialised, symbols are bound, and memory that only a
//! first use writes to stays shared.

use std::path::Path;

use minismith_wire::zygote::Profile;
use minismith_wire::{Job, USUAL_SEED};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::window::Held;
use crate::{facts, guest, interpreter, library, package};

const NAME: &str = "practice";

/// What runs inside.
pub struct Versions {
    /// `sys.version`.
    pub python: String,
    /// numpy's version.
    pub numpy: String,
}

/// Imports and exchanges everything, and has the job done. Afterwards the interpreter is ready to be forked.
pub fn warm_up(py: Python<'_>, python: &Path, profile: Profile) -> PyResult<Versions> {
    library::prepare(py, python, profile)?;
    if profile == Profile::Motion {
        package::install(py)?;
    }
    library::take_output(py)?;
    if profile == Profile::Motion {
        practise(py)?;
    }
    let gc = py.import("gc")?;
    gc.call_method0("collect")?;
    // What is here now is never looked at by a guest's collector, so its memory stays shared.
    gc.call_method0("freeze")?;
    interpreter::settle();
    Ok(Versions {
        python: py.import("sys")?.getattr("version")?.extract()?,
        numpy: py.import("numpy")?.getattr("__version__")?.extract()?,
    })
}

/// Runs it, and removes what it leaves behind.
fn practise(py: Python<'_>) -> PyResult<()> {
    let job = Job {
        source: include_str!("python/practice.py").to_owned(),
        module: NAME.to_owned(),
        entry: NAME.to_owned(),
        takes_robot: true,
        seed: USUAL_SEED,
        coverage: true,
        ..Job::default()
    };
    // There is no window here.
    let _ = py.get_type::<Held>();
    // More than once: code is specialised when it has run some times.
    for _ in 0..4 {
        let read = facts::parse(py, &job);
        read.map_err(pyo3::exceptions::PyRuntimeError::new_err)?;
        guest::play(py, &job, Vec::new()).0?;
        py.import("sys")?.getattr("modules")?.cast_into::<PyDict>()?.del_item(NAME)?;
    }
    // Chance that the tool used up is given back.
    library::seed_anew(py, USUAL_SEED)
}
