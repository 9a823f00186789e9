//! Converts an exception of a tool to its type name, message and line ([`RaisedException`]).

use minismith_protocol::exceeded::LimitExceeded;
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::PyTraceback;

use crate::budget;

/// Maximum length of a message in bytes. Longer ones are truncated.
const MAX_MESSAGE_CHARS: usize = 4000;

/// A converted exception.
#[derive(Debug, PartialEq)]
pub struct RaisedException {
    /// Name of the exception's type.
    pub kind: String,
    /// Message.
    pub message: String,
    /// Innermost line of the tool's file in the traceback.
    pub line: Option<u32>,
}

/// Converts an exception and drops it, because its traceback may hold much memory.
pub fn read(py: Python<'_>, error: PyErr, file: &str) -> RaisedException {
    let line = error.traceback(py).and_then(|traceback| last_line_in(traceback, file));
    let kind = if error.is_instance_of::<PyMemoryError>(py) {
        // numpy has its own memory error.
        LimitExceeded::Memory.exception().to_owned()
    } else {
        error.get_type(py).name().map_or_else(|_| "Exception".to_owned(), |name| name.to_string())
    };
    let line = line.or_else(|| line_of_syntax_error(py, &error, file));
    let text = error.value(py).str().map(|text| text.to_string_lossy().into_owned());
    drop(error);
    let mut message = text.unwrap_or_default();
    let kind = match budget::thread_refused(&kind, &message) {
        Some(reason) => {
            message = reason;
            LimitExceeded::Processes.exception().to_owned()
        }
        None => kind,
    };
    if message.len() > MAX_MESSAGE_CHARS {
        message.truncate(message.floor_char_boundary(MAX_MESSAGE_CHARS));
        message.push_str(" ...");
    }
    RaisedException { kind, message, line }
}

/// Returns the line of the innermost frame in the file.
fn last_line_in(traceback: Bound<'_, PyTraceback>, file: &str) -> Option<u32> {
    let mut line = None;
    let mut next = Some(traceback.into_any());
    while let Some(entry) = next {
        let code = entry.getattr("tb_frame").ok()?.getattr("f_code").ok()?;
        if code.getattr("co_filename").ok()?.extract::<String>().ok()? == file {
            line = entry.getattr("tb_lineno").ok()?.extract().ok();
        }
        next = entry.getattr("tb_next").ok().filter(|next| !next.is_none());
    }
    line
}

fn line_of_syntax_error(py: Python<'_>, error: &PyErr, file: &str) -> Option<u32> {
    if !error.is_instance_of::<pyo3::exceptions::PySyntaxError>(py) {
        return None;
    }
    let error = error.value(py);
    let names: String = error.getattr("filename").ok()?.extract().ok()?;
    if names == file { error.getattr("lineno").ok()?.extract().ok() } else { None }
}
