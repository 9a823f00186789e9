//! Starts the interpreter: isolated from the environment, with the packages of one given `python`; and listens to
//! its audit events.
//!
//! The unsafe code here is sound because it follows CPython's documented order (preconfigure, configure, initialise)
//! in the only thread, once, and every pointer handed over points into values that outlive the call. Audit events come
//! with a text that lives as long as the call, in a thread that is attached.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use pyo3::prelude::*;
use pyo3::{PyErr, ffi};

use crate::budget;

type Hook = unsafe extern "C" fn(*const c_char, *mut ffi::PyObject, *mut c_void) -> c_int;

unsafe extern "C" {
    fn PySys_AddAuditHook(hook: Hook, data: *mut c_void) -> c_int;
}

/// Starts CPython as `python` would, and leaves this thread attached to it.
///
/// The hash seed is fixed, so that sets and dictionaries of texts have the same order in every guest. Signals are left
/// alone, and no byte code is written.
pub fn start(python: &Path) -> Result<(), String> {
    let path = CString::new(python.as_os_str().as_bytes()).map_err(|_| "the path holds a NUL".to_owned())?;
    // SAFETY: see the module's head. Both configurations are filled in by CPython before they are read.
    unsafe {
        let mut before: ffi::PyPreConfig = std::mem::zeroed();
        ffi::PyPreConfig_InitIsolatedConfig(&raw mut before);
        before.utf8_mode = 1;
        check(ffi::Py_PreInitialize(&raw const before))?;

        let mut config: ffi::PyConfig = std::mem::zeroed();
        ffi::PyConfig_InitIsolatedConfig(&raw mut config);
        config.install_signal_handlers = 0;
        config.write_bytecode = 0;
        config.use_hash_seed = 1;
        config.hash_seed = 0;
        let executable =
            ffi::PyConfig_SetBytesString(&raw mut config, &raw mut config.executable, path.as_ptr());
        let name = ffi::PyConfig_SetBytesString(&raw mut config, &raw mut config.program_name, path.as_ptr());
        let started = check(executable)
            .and_then(|()| check(name))
            .and_then(|()| check(ffi::Py_InitializeFromConfig(&raw const config)));
        ffi::PyConfig_Clear(&raw mut config);
        started
    }
}

/// From here on every audit event is judged by [`budget`]. A hook of this kind can't be seen from Python, nor removed.
pub fn watch(py: Python<'_>) -> PyResult<()> {
    // SAFETY: the hook is a function of this program, and uses no data.
    match unsafe { PySys_AddAuditHook(hear, std::ptr::null_mut()) } {
        0 => Ok(()),
        _ => Err(PyErr::fetch(py)),
    }
}

unsafe extern "C" fn hear(event: *const c_char, _: *mut ffi::PyObject, _: *mut c_void) -> c_int {
    // SAFETY: CPython hands over a text with its end.
    let event = unsafe { CStr::from_ptr(event) };
    let Some(refusal) = budget::refusal(event.to_bytes()) else { return 0 };
    // SAFETY: events are raised by threads that are attached.
    refusal.restore(unsafe { Python::assume_attached() });
    -1
}

fn check(status: ffi::PyStatus) -> Result<(), String> {
    // SAFETY: `PyStatus_Exception` only looks at the status; `err_msg` is null or a static text of CPython.
    unsafe {
        if ffi::PyStatus_Exception(status) == 0 {
            return Ok(());
        }
        if status.err_msg.is_null() {
            return Err("CPython did not start, and did not say why".to_owned());
        }
        Err(CStr::from_ptr(status.err_msg).to_string_lossy().into_owned())
    }
}
