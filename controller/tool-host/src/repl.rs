//! Interactive guest: runs lines from the user one after the other in shared globals, until it is killed.

use minismith_protocol::{GuestMessage, HostReply, Job};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::robot::ReachyMini;
use crate::{host_channel, library};

/// Whether the statement is incomplete, its displayed value, and its error.
type Pushed = (bool, Option<String>, Option<String>);

/// Runs lines until the controller sends no more.
pub fn converse(py: Python<'_>, job: &Job) {
    let Ok(console) = console(py, job) else { return };
    let mut pushed: Pushed = (false, None, None);
    loop {
        let (more, shown, trouble) = pushed;
        let (printed, spent) = host_channel::rest();
        if host_channel::send_raw(&GuestMessage::Result {
            repr: shown,
            error: trouble,
            incomplete: more,
            printed,
            spent,
        })
        .is_err()
        {
            return;
        }
        let HostReply::Line { now, source } = host_channel::listen() else { return };
        host_channel::resume(now);
        let result = console.bind(py).call_method1("push", (source,)).and_then(|pushed| pushed.extract());
        // Errors in the console itself, caused by the user's lines, are reported like others.
        pushed = result.unwrap_or_else(|error: PyErr| (false, None, Some(error.to_string())));
    }
}

fn console(py: Python<'_>, job: &Job) -> PyResult<Py<PyAny>> {
    library::seed(py, job.seed)?;
    let names = PyDict::new(py);
    names.set_item("robot", Bound::new(py, ReachyMini::from_channel())?)?;
    names.set_item("np", py.import("numpy")?)?;
    let run = library::helper(py, "loop", "run_if_coroutine")?;
    Ok(library::helper(py, "console", "Console")?.call1((names, run))?.unbind())
}
