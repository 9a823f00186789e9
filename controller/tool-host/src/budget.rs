//! Files and processes that a tool asks for: the kernel refuses them all, and here Python says which budget that was.
//!
//! CPython tells of what it is about to do by audit events. The hook that hears them protects nothing (a tool that
//! goes around CPython meets the cage); it only turns a bare `EPERM` into an exception that has a name. What it raises
//! is a `PermissionError`, so that a library that tries a file and goes on without it still does.

use std::sync::OnceLock;

use minismith_wire::Limits;
use minismith_wire::exceeded::Exceeded;
use pyo3::exceptions::PyPermissionError;
use pyo3::prelude::*;

use crate::interpreter;

pyo3::create_exception!(minismith, OpenFilesExceeded, PyPermissionError);
pyo3::create_exception!(minismith, ProcessesExceeded, PyPermissionError);

/// What the tool may use, from its job on; the zygote itself may do everything.
static LIMITS: OnceLock<Limits> = OnceLock::new();

/// Listens to the interpreter.
pub fn watch(py: Python<'_>) -> PyResult<()> {
    interpreter::watch(py, refusal)
}

/// From here on this process is a tool.
pub fn begin(limits: Limits) {
    // A guest has one job.
    let _ = LIMITS.set(limits);
}

/// Why the tool may not do what this event tells of.
pub fn refusal(event: &[u8]) -> Option<PyErr> {
    let limits = LIMITS.get()?;
    let exceeded = budget_of(event)?;
    let event = String::from_utf8_lossy(event);
    Some(match exceeded {
        Exceeded::OpenFiles => OpenFilesExceeded::new_err(format!(
            "open_files: a tool holds at most {} files and sockets open, this asks for {} ({event}); take what it \
             needs as an argument, and return what it makes",
            limits.open_files,
            limits.open_files.saturating_add(1),
        )),
        Exceeded::Processes | Exceeded::Memory => ProcessesExceeded::new_err(one_too_many(limits, &event)),
    })
}

fn one_too_many(limits: &Limits, what: &str) -> String {
    format!(
        "processes: a tool has at most {} processes and threads besides its own, this asks for {} ({what}); do it in \
         one, with asyncio where things run side by side",
        limits.processes,
        limits.processes.saturating_add(1),
    )
}

/// CPython tells of threads by no event before its version 3.12. What it says when the kernel refuses one is read here.
pub fn thread_refused(kind: &str, message: &str) -> Option<String> {
    let limits = LIMITS.get()?;
    (kind == "RuntimeError" && message == "can't start new thread").then(|| one_too_many(limits, "a thread"))
}

/// The budget that an event is about. Most events are about none, and tell it by their length.
fn budget_of(event: &[u8]) -> Option<Exceeded> {
    match event {
        b"os.fork"
        | b"os.forkpty"
        | b"os.exec"
        | b"os.spawn"
        | b"os.system"
        | b"subprocess.Popen"
        | b"pty.spawn"
        | b"_thread.start_new_thread" => Some(Exceeded::Processes),
        b"open" | b"os.listdir" | b"os.scandir" | b"os.mkdir" | b"os.rmdir" | b"os.remove" | b"os.rename"
        | b"os.link" | b"os.symlink" | b"os.truncate" | b"os.chdir" | b"os.chmod" | b"os.chown"
        | b"os.utime" | b"os.walk" | b"os.fwalk" | b"os.getxattr" | b"os.setxattr" | b"os.listxattr"
        | b"os.removexattr" | b"glob.glob" | b"sqlite3.connect" => Some(Exceeded::OpenFiles),
        // Its spawning.
        _ if event.starts_with(b"os.posix_") => Some(Exceeded::Processes),
        _ if event.starts_with(b"socket.")
            || event.starts_with(b"shutil.")
            || event.starts_with(b"tempfile.") =>
        {
            Some(Exceeded::OpenFiles)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_belong_to_budgets() {
        assert_eq!(budget_of(b"open"), Some(Exceeded::OpenFiles));
        assert_eq!(budget_of(b"socket.connect"), Some(Exceeded::OpenFiles));
        assert_eq!(budget_of(b"_thread.start_new_thread"), Some(Exceeded::Processes));
        for event in [&b"import"[..], b"compile", b"exec", b"builtins.id", b"object.__getattr__", b"os.kill"]
        {
            assert_eq!(budget_of(event), None);
        }
    }
}
