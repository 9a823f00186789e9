//! Life of a guest: apply the sandbox, parse, wait for permission, load, call, report, exit.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{PipeWriter, Write};
use std::os::fd::OwnedFd;
use std::panic::AssertUnwindSafe;

use minismith_protocol::frame::{FrameError, MAX_FRAME_BYTES};
use minismith_protocol::{GuestMessage, HostReply, Job, MAX_FILE_BYTES};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::exception::{self, RaisedException};
use crate::robot::ReachyMini;
use crate::sandbox::Open;
use crate::{budget, facts, files, host_channel, library, process, repl, shared_frames, value};

/// Report of a guest whose sandbox is active.
pub const SANDBOXED: &str = "caged";

/// Runs in a new child: applies the sandbox, runs one job, and exits.
pub fn live(
    py: Python<'_>,
    close_sandbox: impl FnOnce() -> Result<(), Open>,
    (channel, report): (&OwnedFd, &PipeWriter),
    its_window: Option<&OwnedFd>,
) -> ! {
    // The mapping of the shared frames stays when their descriptor is closed with all others.
    let opened = its_window.map_or(Ok(()), shared_frames::open);
    if opened.is_err()
        || process::hush().and_then(|()| process::keep(channel, report)).is_err()
        || process::close_others().is_err()
    {
        process::leave(1);
    }
    let mut report = process::report();
    let closed = close_sandbox();
    let reported = match &closed {
        Ok(()) => report.write_all(SANDBOXED.as_bytes()),
        Err(open) => report.write_all(open.to_string().as_bytes()),
    };
    drop(report);
    if closed.is_err() || reported.is_err() {
        process::leave(1);
    }
    host_channel::enter(process::channel());
    // A panic must not unwind into the zygote's code further up the stack.
    let result = std::panic::catch_unwind(AssertUnwindSafe(|| work(py)));
    process::leave(i32::from(result.is_err()))
}

fn work(py: Python<'_>) {
    let HostReply::Start { job } = host_channel::listen() else { return };
    let contents: Vec<Vec<u8>> = job.files.iter().map(|_| host_channel::listen_raw(MAX_FILE_BYTES)).collect();
    let facts = if job.skip_comparison { Ok(BTreeMap::new()) } else { facts::parse(py, &job) };
    if host_channel::send_raw(&GuestMessage::Parsed { facts }).is_err() {
        return;
    }
    let HostReply::Proceed = host_channel::listen() else { return };
    host_channel::begin(&job);
    budget::begin(job.limits);
    if job.interactive {
        return repl::converse(py, &job);
    }
    let (outcome, lines) = play(py, &job, contents);
    let outcome = outcome.map_err(|error| exception::read(py, error, &file_name(&job)));
    send_result(outcome, lines);
}

/// Runs a job with its files. Returns the executed lines too, if coverage is requested.
pub fn play(
    py: Python<'_>,
    job: &Job,
    contents: Vec<Vec<u8>>,
) -> (PyResult<serde_json::Value>, BTreeMap<String, BTreeSet<u32>>) {
    let traced = if job.coverage { library::trace(py, files(job)).ok() } else { None };
    let outcome = load_and_call(py, job, contents);
    let executed: BTreeMap<String, BTreeSet<u32>> = traced
        .and_then(|executed| executed.call_method0(py, "stop").ok()?.extract(py).ok())
        .unwrap_or_default();
    let lines = executed.into_iter().map(|(file, lines)| (file.trim_end_matches(".py").to_owned(), lines));
    (outcome, lines.collect())
}

/// Returns the file name in the tool's tracebacks and coverage.
fn file_name(job: &Job) -> String {
    format!("{}.py", job.module)
}

/// Returns the file names of all its modules.
fn files(job: &Job) -> Vec<String> {
    let others = job.modules.keys().map(|module| format!("{module}.py"));
    std::iter::once(file_name(job)).chain(others).collect()
}

/// Loads the module and calls its entry. A coroutine runs to its end.
fn load_and_call(py: Python<'_>, job: &Job, contents: Vec<Vec<u8>>) -> PyResult<serde_json::Value> {
    library::seed(py, job.seed)?;
    let entry = library::load(py, &file_name(job), job)?.getattr(job.entry.as_str())?;
    let arguments = PyDict::new(py);
    for (name, argument) in &job.arguments {
        arguments.set_item(name, value::to_python(py, argument)?)?;
    }
    files::give(py, job, contents, &arguments)?;
    let result = if job.takes_robot && !library::is_for_code(py) {
        entry.call((Bound::new(py, ReachyMini::from_channel())?,), Some(&arguments))?
    } else {
        entry.call((), Some(&arguments))?
    };
    let result = library::run_if_coroutine(&result)?;
    if library::is_for_code(py) {
        return value::to_json(&library::helper(py, "data", "plain")?.call1((result,))?);
    }
    value::to_json(&result)
}

fn send_result(outcome: Result<serde_json::Value, RaisedException>, lines: BTreeMap<String, BTreeSet<u32>>) {
    let (printed, spent) = host_channel::rest();
    let raise = |raised: RaisedException, printed: String, lines| {
        let RaisedException { kind, message, line } = raised;
        GuestMessage::Raised { kind, message, line, printed, spent, lines }
    };
    let turn = match outcome {
        Ok(value) => GuestMessage::Done { value, printed: printed.clone(), spent, lines: lines.clone() },
        Err(raised) => raise(raised, printed.clone(), lines.clone()),
    };
    if let Err(FrameError::TooLong { length, .. }) = host_channel::send_raw(&turn) {
        let message = format!(
            "the result is too large: {length} bytes, {MAX_FRAME_BYTES} allowed; return less, or a summary"
        );
        let raised = RaisedException { kind: "ValueError".into(), message, line: None };
        // No further report is possible.
        let _ = host_channel::send_raw(&raise(raised, printed, lines));
    }
}
