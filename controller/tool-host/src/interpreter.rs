//! Starts the interpreter: isolated from the environment, with the packages of one given `python`; keeps what it
//! builds close together; and listens to its audit events.
//!
//! The unsafe code here is sound because it follows CPython's documented order (preconfigure, configure, initialise)
//! in the only thread, once, and every pointer handed over points into values that outlive the call. Audit events come
//! with a text that lives as long as the call, in a thread that is attached. Memory is handed to Python from a range
//! that nothing else uses, each part of it once; what is given back to the system was never handed out, or was given
//! back by Python.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use pyo3::prelude::*;
use pyo3::{PyErr, ffi};

type Hook = unsafe extern "C" fn(*const c_char, *mut ffi::PyObject, *mut c_void) -> c_int;

unsafe extern "C" {
    fn PySys_AddAuditHook(hook: Hook, data: *mut c_void) -> c_int;
}

/// A large page of memory.
const LARGE: usize = 2 << 20;

/// More than Python builds while it warms up; what it has not used then is given back.
const ROOM: usize = 64 << 20;

/// Where the next part of the room begins, and where the room ends.
static NEXT: AtomicUsize = AtomicUsize::new(0);
static END: AtomicUsize = AtomicUsize::new(0);

/// Starts CPython as `python` would, and leaves this thread attached to it.
///
/// The hash seed is fixed, so that sets and dictionaries of texts have the same order in every guest. Signals are left
/// alone, and no byte code is written.
pub fn start(python: &Path) -> Result<(), String> {
    let path = CString::new(python.as_os_str().as_bytes()).map_err(|_| "the path holds a NUL".to_owned())?;
    reserve();
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

/// Makes room for what Python builds while it warms up, in one piece; without it Python takes pieces where it finds
/// them.
fn reserve() {
    let room = map(ROOM + LARGE);
    if room.is_null() {
        return;
    }
    let begin = room.addr().next_multiple_of(LARGE);
    give_back(room.addr(), begin);
    NEXT.store(begin, Ordering::Relaxed);
    END.store(room.addr() + ROOM + LARGE, Ordering::Relaxed);
    let mut allocator =
        ffi::PyObjectArenaAllocator { ctx: std::ptr::null_mut(), alloc: Some(take), free: Some(give) };
    // SAFETY: the structure is copied; both functions keep to what CPython expects of them, and nothing is allocated
    // yet.
    unsafe { ffi::PyObject_SetArenaAllocator(&raw mut allocator) };
}

extern "C" fn take(_: *mut c_void, size: usize) -> *mut c_void {
    let begin = NEXT.load(Ordering::Relaxed);
    if END.load(Ordering::Relaxed).saturating_sub(begin) < size {
        return map(size);
    }
    NEXT.store(begin + size, Ordering::Relaxed);
    std::ptr::with_exposed_provenance_mut(begin)
}

extern "C" fn give(_: *mut c_void, part: *mut c_void, size: usize) {
    // SAFETY: Python gives back what it took, and does not use it any more.
    unsafe { libc::munmap(part, size) };
}

/// Gives a part of the room back to the system that was never handed out.
fn give_back(begin: usize, end: usize) {
    if begin < end {
        // SAFETY: nobody has used it, and nobody will.
        unsafe { libc::munmap(std::ptr::with_exposed_provenance_mut(begin), end - begin) };
    }
}

/// Fresh memory; null when there is none.
fn map(size: usize) -> *mut c_void {
    let rights = libc::PROT_READ | libc::PROT_WRITE;
    let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: a fresh range at a place of the kernel's choice.
    let range = unsafe { libc::mmap(std::ptr::null_mut(), size, rights, kind, -1, 0) };
    if range == libc::MAP_FAILED {
        return std::ptr::null_mut();
    }
    let _ = range.expose_provenance();
    range
}

/// Gives back what of the room was not used, and puts what lies close together into large pages: a fork copies one
/// entry for each instead of five hundred, and a guest that writes to one still gets a small page of its own for each
/// place where it does. A kernel that can't do it leaves everything as it is.
pub fn settle() {
    let unused = NEXT.load(Ordering::Relaxed);
    give_back(unused, END.swap(unused, Ordering::Relaxed));
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    for (begin, end) in maps.lines().filter_map(own_memory) {
        // SAFETY: what is in memory stays as it is; only the size of its pages changes.
        unsafe {
            libc::madvise(std::ptr::with_exposed_provenance_mut(begin), end - begin, libc::MADV_COLLAPSE)
        };
    }
}

/// A range that is backed by no file and may be written to.
fn own_memory(line: &str) -> Option<(usize, usize)> {
    let mut fields = line.split_ascii_whitespace();
    let (range, rights) = (fields.next()?, fields.next()?);
    let name = fields.nth(3).unwrap_or("[heap]");
    let (begin, end) = range.split_once('-')?;
    let parse = |text| usize::from_str_radix(text, 16).ok();
    (rights == "rw-p" && name == "[heap]").then_some((parse(begin)?, parse(end)?))
}

/// Why an audit event may not happen; none lets it happen.
pub type Judge = fn(&[u8]) -> Option<PyErr>;

static JUDGE: OnceLock<Judge> = OnceLock::new();

/// From here on every audit event is judged so. A hook of this kind can't be seen from Python, nor removed.
pub fn watch(py: Python<'_>, judge: Judge) -> PyResult<()> {
    // An interpreter is watched once.
    let _ = JUDGE.set(judge);
    // SAFETY: the hook is a function of this program, and uses no data.
    match unsafe { PySys_AddAuditHook(hear, std::ptr::null_mut()) } {
        0 => Ok(()),
        _ => Err(PyErr::fetch(py)),
    }
}

unsafe extern "C" fn hear(event: *const c_char, _: *mut ffi::PyObject, _: *mut c_void) -> c_int {
    // SAFETY: CPython hands over a text with its end.
    let event = unsafe { CStr::from_ptr(event) };
    let Some(refusal) = JUDGE.get().and_then(|judge| judge(event.to_bytes())) else { return 0 };
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
