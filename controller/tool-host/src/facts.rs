//! Parses a tool's source with CPython, for comparison with the policy's parser.

use std::collections::BTreeMap;

use minismith_protocol::{Job, SyntaxFacts};
use pyo3::prelude::*;

use crate::library;

/// Parses a job's modules without running them. The error is CPython's message.
pub fn parse(py: Python<'_>, job: &Job) -> Result<BTreeMap<String, SyntaxFacts>, String> {
    let read = |(module, source): (&String, &String)| -> PyResult<(String, SyntaxFacts)> {
        let (imports, names, attributes, calls, tree) =
            library::helper(py, "facts", "facts")?.call1((source,))?.extract()?;
        Ok((module.clone(), SyntaxFacts { imports, names, attributes, calls, tree }))
    };
    let modules = std::iter::once((&job.module, &job.source)).chain(&job.modules);
    let read: PyResult<_> = modules.map(read).collect();
    read.map_err(|error| error.to_string().chars().take(1000).collect())
}
