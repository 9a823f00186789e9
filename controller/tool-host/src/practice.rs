//! One job in the zygote before it first forks: what a job touches for the first time is touched here, and guests find
//! it done. The interpreter's caches are filled, its code is specialised, symbols are bound, and memory that only a
//! first use writes to stays shared.

use minismith_wire::{Job, USUAL_SEED};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::window::Held;
use crate::{facts, guest, library};

const NAME: &str = "practice";

/// Runs it, and removes what it leaves behind.
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
