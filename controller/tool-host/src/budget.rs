//! Names the budget when a tool tries to open a file or to start a process.
//!
//! The kernel refuses all such attempts. CPython announces them by audit events, and the hook here turns a bare `EPERM` into a
//! named exception. It protects nothing: a tool that bypasses CPython is stopped by the sandbox. The exception is a
//! `PermissionError`, so that libraries that merely try a file still continue.

use std::sync::OnceLock;

use minismith_protocol::Limits;
use minismith_protocol::exceeded::LimitExceeded;
use pyo3::exceptions::PyPermissionError;
use pyo3::prelude::*;

use crate::interpreter;

pyo3::create_exception!(minismith, OpenFilesExceeded, PyPermissionError);
pyo3::create_exception!(minismith, ProcessesExceeded, PyPermissionError);

/// Limits of the tool, set when its job begins. The zygote itself has none.
static LIMITS: OnceLock<Limits> = OnceLock::new();

/// Installs the audit hook.
pub fn watch(py: Python<'_>) -> PyResult<()> {
    interpreter::watch(py, refusal)
}

/// Applies the limits. From here on this process runs a tool.
pub fn begin(limits: Limits) {
    // A guest has one job.
    let _ = LIMITS.set(limits);
}

/// Returns the exception for an audit event that exceeds a budget.
pub fn refusal(event: &[u8]) -> Option<PyErr> {
    let limits = LIMITS.get()?;
    let exceeded = exceeded_budget(event)?;
    let event = String::from_utf8_lossy(event);
    Some(match exceeded {
        LimitExceeded::OpenFiles => OpenFilesExceeded::new_err(format!(
            "open_files: a tool may have at most {} files and sockets open, this requests {} ({event}); take the \
             input as an argument, and return the output",
            limits.open_files,
            limits.open_files.saturating_add(1),
        )),
        LimitExceeded::Processes | LimitExceeded::Memory => {
            ProcessesExceeded::new_err(process_refusal(limits, &event))
        }
    })
}

fn process_refusal(limits: &Limits, what: &str) -> String {
    format!(
        "processes: a tool may have at most {} processes and threads besides its own, this requests {} ({what}); use \
         one thread, with asyncio for concurrent work",
        limits.processes,
        limits.processes.saturating_add(1),
    )
}

/// Recognises a refused thread by CPython's message. Before version 3.12 CPython raises no event for threads.
pub fn thread_refused(kind: &str, message: &str) -> Option<String> {
    let limits = LIMITS.get()?;
    (kind == "RuntimeError" && message == "can't start new thread")
        .then(|| process_refusal(limits, "a thread"))
}

/// Returns the budget that an event concerns. Most events concern none.
fn exceeded_budget(event: &[u8]) -> Option<LimitExceeded> {
    match event {
        b"os.fork"
        | b"os.forkpty"
        | b"os.exec"
        | b"os.spawn"
        | b"os.system"
        | b"subprocess.Popen"
        | b"pty.spawn"
        | b"_thread.start_new_thread" => Some(LimitExceeded::Processes),
        b"open" | b"os.listdir" | b"os.scandir" | b"os.mkdir" | b"os.rmdir" | b"os.remove" | b"os.rename"
        | b"os.link" | b"os.symlink" | b"os.truncate" | b"os.chdir" | b"os.chmod" | b"os.chown"
        | b"os.utime" | b"os.walk" | b"os.fwalk" | b"os.getxattr" | b"os.setxattr" | b"os.listxattr"
        | b"os.removexattr" | b"glob.glob" | b"sqlite3.connect" => Some(LimitExceeded::OpenFiles),
        // posix_spawn and posix_spawnp.
        _ if event.starts_with(b"os.posix_") => Some(LimitExceeded::Processes),
        _ if event.starts_with(b"socket.")
            || event.starts_with(b"shutil.")
            || event.starts_with(b"tempfile.") =>
        {
            Some(LimitExceeded::OpenFiles)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_map_to_budgets() {
        assert_eq!(exceeded_budget(b"open"), Some(LimitExceeded::OpenFiles));
        assert_eq!(exceeded_budget(b"socket.connect"), Some(LimitExceeded::OpenFiles));
        assert_eq!(exceeded_budget(b"_thread.start_new_thread"), Some(LimitExceeded::Processes));
        for event in [&b"import"[..], b"compile", b"exec", b"builtins.id", b"object.__getattr__", b"os.kill"]
        {
            assert_eq!(exceeded_budget(event), None);
        }
    }
}
