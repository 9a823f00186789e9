//! CPython's own reading of a source, for comparison with the policy's.

use minismith_wire::Facts;
use pyo3::prelude::*;

use crate::library;

/// Parses without running; the error is CPython's complaint.
pub fn parse(py: Python<'_>, source: &str) -> Result<Facts, String> {
    let read = || -> PyResult<Facts> {
        let (imports, names, attributes, calls) =
            library::helper(py, "facts", "facts")?.call1((source,))?.extract()?;
        Ok(Facts { imports, names, attributes, calls })
    };
    read().map_err(|error| error.to_string().chars().take(1000).collect())
}
