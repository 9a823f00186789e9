//! Warm-up run: executes one job in the zygote before the first fork.
//!
//! It performs everything that happens only on first use, so that guests inherit the result. The interpreter's caches are
//! filled, its code is specialised, symbols are bound, and memory that only a first use writes stays shared.

use minismith_wire::{Job, USUAL_SEED};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::window::Held;
use crate::{facts, guest, library};

const NAME: &str = "practice";

/// Runs the job and removes its traces.
pub fn practise(py: Python<'_>) -> PyResult<()> {
    let job = Job {
        source: include_str!("python/practice.py").to_owned(),
        module: NAME.to_owned(),
        entry: NAME.to_owned(),
        takes_robot: true,
        seed: USUAL_SEED,
        coverage: true,
        ..Job::default()
    };
    // The zygote has no shared frames.
    let _ = py.get_type::<Held>();
    // Several times, because CPython specialises code only after a few runs.
    for _ in 0..4 {
        let read = facts::parse(py, &job);
        read.map_err(pyo3::exceptions::PyRuntimeError::new_err)?;
        guest::play(py, &job, Vec::new()).0?;
        py.import("sys")?.getattr("modules")?.cast_into::<PyDict>()?.del_item(NAME)?;
    }
    // Reset the random numbers that the tool used.
    library::seed_anew(py, USUAL_SEED)
}
