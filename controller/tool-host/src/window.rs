//! The window of a guest: made by the zygote, written to by the controller alone, and shown to a tool as arrays.
//!
//! A guest maps it from a descriptor that can only be read, and closes that: so the kernel refuses to make the memory
//! writable, and there is nothing left to map anew. Its size is sealed, so that whoever reads or writes inside of it
//! never meets its end. Nothing of it takes memory until it is written to or looked at.
//!
//! The unsafe code here is sound because the window is mapped once in a guest's life, at a place of the kernel's
//! choice, and never unmapped; because an array lies wholly inside of one slot; and because the controller writes to a
//! slot only when this module names it, which it does only while no array shows it.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use minismith_wire::window::{self, SLOT_BYTES, SLOTS, WINDOW_BYTES};
use numpy::PyArray3;
use numpy::ndarray::ArrayView3;
use pyo3::prelude::*;
use rustix::fs::{MemfdFlags, Mode, OFlags, SealFlags};
use rustix::mm::{MapFlags, ProtFlags};

/// Makes windows, also when the root has gone.
pub struct Windows {
    /// `/proc/self/fd`: the only way to have the same memory once more with fewer rights.
    descriptors: File,
}

/// A new window.
pub struct Frame {
    /// For the controller: to be written to.
    pub outside: OwnedFd,
    /// For the guest: only to be read.
    pub inside: OwnedFd,
}

impl Windows {
    /// Opens what is needed for making them.
    pub fn open() -> io::Result<Self> {
        Ok(Windows { descriptors: File::open("/proc/self/fd")? })
    }

    /// Makes one.
    pub fn cut(&self) -> io::Result<Frame> {
        let outside = rustix::fs::memfd_create(c"window", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
        rustix::fs::ftruncate(&outside, WINDOW_BYTES as u64)?;
        rustix::fs::fcntl_add_seals(&outside, SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL)?;
        let number = outside.as_raw_fd().to_string();
        let only_read = OFlags::RDONLY | OFlags::CLOEXEC;
        let inside = rustix::fs::openat(&self.descriptors, number, only_read, Mode::empty())?;
        Ok(Frame { outside, inside })
    }
}

/// Where the window begins in this guest; nothing in the zygote and in guests that have none.
static BEGIN: OnceLock<usize> = OnceLock::new();

/// Which slots an array shows, or will.
static TAKEN: [AtomicBool; SLOTS as usize] = [const { AtomicBool::new(false) }; SLOTS as usize];

/// In a fresh guest, once: maps its window. The descriptor is of no use afterwards.
pub fn open(inside: &OwnedFd) -> io::Result<()> {
    // SAFETY: a fresh range at a place of the kernel's choice.
    let begin = unsafe {
        rustix::mm::mmap(std::ptr::null_mut(), WINDOW_BYTES, ProtFlags::READ, MapFlags::SHARED, inside, 0)
    }?;
    BEGIN.set(begin.expose_provenance()).map_err(|_| io::Error::other("there is a window already"))
}

/// A slot that nobody writes to while this lives. It is what arrays in the window stand on: Python drops it with the
/// last of them, their views and whatever else looks into them.
///
/// It has no buffer of its own, so numpy refuses to make an array writable again that stands on it.
#[pyclass(frozen, module = "reachy_mini.media")]
pub struct Held {
    slot: u8,
}

impl Held {
    /// A free slot, until this is dropped; none when all are held, or there is no window.
    pub fn take() -> Option<Held> {
        BEGIN.get()?;
        let free = |taken: &AtomicBool| !taken.swap(true, Ordering::AcqRel);
        TAKEN.iter().zip(0..SLOTS).find_map(|(taken, slot)| free(taken).then(|| Held { slot }))
    }

    /// Its number.
    pub const fn slot(&self) -> u8 {
        self.slot
    }

    /// The picture that the controller has laid there, without copying it; none when it would go beyond the slot. The
    /// flag that numpy gives it says that it may be written to, which the kernel would answer with the guest's end: take
    /// it away before a tool sees the array.
    pub fn show(
        self,
        py: Python<'_>,
        shape: (usize, usize, usize),
    ) -> PyResult<Option<Bound<'_, PyArray3<u8>>>> {
        let length = shape.0.checked_mul(shape.1).and_then(|pixels| pixels.checked_mul(shape.2));
        let begin = BEGIN.get().zip(window::begin(self.slot)).map(|(window, slot)| window + slot);
        let (Some(length), Some(begin)) = (length, begin) else { return Ok(None) };
        if length > SLOT_BYTES {
            return Ok(None);
        }
        let pixels: *const u8 = std::ptr::with_exposed_provenance(begin);
        let held = Bound::new(py, self)?.into_any();
        // SAFETY: see the module's head; the array keeps `held`.
        Ok(Some(unsafe { PyArray3::borrow_from_array(&ArrayView3::from_shape_ptr(shape, pixels), held) }))
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(taken) = TAKEN.get(usize::from(self.slot)) {
            taken.store(false, Ordering::Release);
        }
    }
}
