//! Starts CPython isolated from the environment, with the packages of a given `python`; controls where it allocates memory; and
//! receives its audit events.
//!
//! The unsafe code is sound for these reasons:
//!
//! * It follows CPython's documented order (preconfigure, configure, initialise), once, in the only thread. Every pointer
//!   passed points into values that outlive the call.
//! * Audit events carry a text that lives as long as the call, in an attached thread.
//! * Python gets memory from a range with no other user, each part once. Memory returned to the system was never handed out, or
//!   Python has freed it.

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

/// Size of a huge page in bytes.
const HUGE_PAGE: usize = 2 << 20;

/// Reserved bytes, more than Python allocates during warm-up. The unused rest is returned.
const RESERVED_BYTES: usize = 64 << 20;

/// Address of the next free part of the reserved range, and its end.
static NEXT: AtomicUsize = AtomicUsize::new(0);
static END: AtomicUsize = AtomicUsize::new(0);

/// Starts CPython as `python` would, and leaves this thread attached to it.
///
/// The hash seed is fixed, so that sets and dictionaries of strings have the same order in every guest. No signal handlers are
/// installed and no byte code is written.
pub fn start(python: &Path) -> Result<(), String> {
    let path =
        CString::new(python.as_os_str().as_bytes()).map_err(|_| "the path contains a NUL".to_owned())?;
    reserve();
    // SAFETY: see the module documentation. CPython initialises both configurations before they are read.
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

/// Reserves one range for everything that Python allocates during warm-up. Without it, allocations are scattered.
fn reserve() {
    let room = map(RESERVED_BYTES + HUGE_PAGE);
    if room.is_null() {
        return;
    }
    let begin = room.addr().next_multiple_of(HUGE_PAGE);
    unmap(room.addr(), begin);
    NEXT.store(begin, Ordering::Relaxed);
    END.store(room.addr() + RESERVED_BYTES + HUGE_PAGE, Ordering::Relaxed);
    let mut allocator =
        ffi::PyObjectArenaAllocator { ctx: std::ptr::null_mut(), alloc: Some(allocate), free: Some(free) };
    // SAFETY: the structure is copied, both functions fulfil CPython's contract, and nothing is allocated yet.
    unsafe { ffi::PyObject_SetArenaAllocator(&raw mut allocator) };
}

extern "C" fn allocate(_: *mut c_void, size: usize) -> *mut c_void {
    let begin = NEXT.load(Ordering::Relaxed);
    if END.load(Ordering::Relaxed).saturating_sub(begin) < size {
        return map(size);
    }
    NEXT.store(begin + size, Ordering::Relaxed);
    std::ptr::with_exposed_provenance_mut(begin)
}

extern "C" fn free(_: *mut c_void, part: *mut c_void, size: usize) {
    // SAFETY: Python frees what it allocated and does not use it again.
    unsafe { libc::munmap(part, size) };
}

/// Returns a part of the range that was never handed out to the system.
fn unmap(begin: usize, end: usize) {
    if begin < end {
        // SAFETY: the part has no user, before or after.
        unsafe { libc::munmap(std::ptr::with_exposed_provenance_mut(begin), end - begin) };
    }
}

/// Maps new memory, or returns null on failure.
fn map(size: usize) -> *mut c_void {
    let rights = libc::PROT_READ | libc::PROT_WRITE;
    let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: a new range at an address of the kernel's choice.
    let range = unsafe { libc::mmap(std::ptr::null_mut(), size, rights, kind, -1, 0) };
    if range == libc::MAP_FAILED {
        return std::ptr::null_mut();
    }
    let _ = range.expose_provenance();
    range
}

/// Returns the unused rest of the range, and collapses adjacent memory into huge pages.
///
/// A fork then copies one page table entry instead of 512. A guest that writes still gets a copy of each small page. A kernel
/// without support changes nothing.
pub fn settle() {
    let unused = NEXT.load(Ordering::Relaxed);
    unmap(unused, END.swap(unused, Ordering::Relaxed));
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    for (begin, end) in maps.lines().filter_map(own_memory) {
        // SAFETY: the contents stay unchanged. Only the page size changes.
        unsafe {
            libc::madvise(std::ptr::with_exposed_provenance_mut(begin), end - begin, libc::MADV_COLLAPSE)
        };
    }
}

/// Parses a line of the memory map, if it is a writable range without a file.
fn own_memory(line: &str) -> Option<(usize, usize)> {
    let mut fields = line.split_ascii_whitespace();
    let (range, rights) = (fields.next()?, fields.next()?);
    let name = fields.nth(3).unwrap_or("[heap]");
    let (begin, end) = range.split_once('-')?;
    let parse = |text| usize::from_str_radix(text, 16).ok();
    (rights == "rw-p" && name == "[heap]").then_some((parse(begin)?, parse(end)?))
}

/// Decides on an audit event: returns the error to raise, or `None` to allow it.
pub type Judge = fn(&[u8]) -> Option<PyErr>;

static JUDGE: OnceLock<Judge> = OnceLock::new();

/// Installs an audit hook that passes every event to `judge`. Python code can neither see nor remove it.
pub fn watch(py: Python<'_>, judge: Judge) -> PyResult<()> {
    // The hook is installed once per process.
    let _ = JUDGE.set(judge);
    // SAFETY: the hook is a function of this program and uses no data.
    match unsafe { PySys_AddAuditHook(on_audit_event, std::ptr::null_mut()) } {
        0 => Ok(()),
        _ => Err(PyErr::fetch(py)),
    }
}

unsafe extern "C" fn on_audit_event(event: *const c_char, _: *mut ffi::PyObject, _: *mut c_void) -> c_int {
    // SAFETY: CPython passes a null-terminated string.
    let event = unsafe { CStr::from_ptr(event) };
    let Some(refusal) = JUDGE.get().and_then(|judge| judge(event.to_bytes())) else { return 0 };
    // SAFETY: threads that raise events are attached.
    refusal.restore(unsafe { Python::assume_attached() });
    -1
}

fn check(status: ffi::PyStatus) -> Result<(), String> {
    // SAFETY: `PyStatus_Exception` only reads the status. `err_msg` is null or a static string of CPython.
    unsafe {
        if ffi::PyStatus_Exception(status) == 0 {
            return Ok(());
        }
        if status.err_msg.is_null() {
            return Err("CPython failed to start without a message".to_owned());
        }
        Err(CStr::from_ptr(status.err_msg).to_string_lossy().into_owned())
    }
}
