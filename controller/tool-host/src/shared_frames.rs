//! Shared memory for images ([`SharedFrames`], [`HeldSlot`]): created by the zygote, written only by the controller, and exposed to
//! tools as arrays.
//!
//! A guest maps it from a read-only descriptor and then closes that. The kernel therefore refuses to make the memory writable,
//! and the guest cannot map it again. Its size is sealed, so access inside it never reaches beyond its end. Pages take memory
//! only when they are written or read.
//!
//! The unsafe code is sound because:
//!
//! * the memory is mapped once in a guest's life, at an address of the kernel's choice, and never unmapped
//! * an array lies entirely inside one slot
//! * the controller writes a slot only when this module names it, which happens only while no array uses it

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use minismith_protocol::shared_frames::{self, SLOT_BYTES, SLOTS, WINDOW_BYTES};
use numpy::PyArray3;
use numpy::ndarray::ArrayView3;
use pyo3::prelude::*;
use rustix::fs::{MemfdFlags, Mode, OFlags, SealFlags};
use rustix::mm::{MapFlags, ProtFlags};

/// Creates shared memory, even after the root directory was replaced.
pub struct SharedFrames {
    /// `/proc/self/fd`: the only way to open the same memory again with fewer rights.
    descriptors: File,
}

/// Both descriptors of new shared memory.
pub struct MappedSlot {
    /// For the controller: writable.
    pub outside: OwnedFd,
    /// For the guest: read-only.
    pub inside: OwnedFd,
}

impl SharedFrames {
    /// Opens the directory of descriptors.
    pub fn open() -> io::Result<Self> {
        Ok(SharedFrames { descriptors: File::open("/proc/self/fd")? })
    }

    /// Creates shared memory.
    pub fn cut(&self) -> io::Result<MappedSlot> {
        let outside = rustix::fs::memfd_create(c"window", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
        rustix::fs::ftruncate(&outside, WINDOW_BYTES as u64)?;
        rustix::fs::fcntl_add_seals(&outside, SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL)?;
        let number = outside.as_raw_fd().to_string();
        let only_read = OFlags::RDONLY | OFlags::CLOEXEC;
        let inside = rustix::fs::openat(&self.descriptors, number, only_read, Mode::empty())?;
        Ok(MappedSlot { outside, inside })
    }
}

/// Address of the shared memory in this guest. Not set in the zygote and in guests without shared memory.
static BASE: OnceLock<usize> = OnceLock::new();

/// Slots that are used by an array or reserved for one.
static TAKEN: [AtomicBool; SLOTS as usize] = [const { AtomicBool::new(false) }; SLOTS as usize];

/// Maps the shared memory, once in a new guest. The descriptor is not needed afterwards.
pub fn open(inside: &OwnedFd) -> io::Result<()> {
    // SAFETY: a new range at an address of the kernel's choice.
    let begin = unsafe {
        rustix::mm::mmap(std::ptr::null_mut(), WINDOW_BYTES, ProtFlags::READ, MapFlags::SHARED, inside, 0)
    }?;
    BASE.set(begin.expose_provenance()).map_err(|_| io::Error::other("shared memory is already mapped"))
}

/// A slot that is reserved while this value lives. It is the base object of arrays in shared memory. Python drops it with the
/// last array, view or other user.
///
/// It has no buffer of its own, so numpy refuses to make such an array writable again.
#[pyclass(frozen, name = "Held", module = "reachy_mini.media")]
pub struct HeldSlot {
    slot: u8,
}

impl HeldSlot {
    /// Reserves a free slot, or returns `None` when all are in use or there is no shared memory.
    pub fn take() -> Option<HeldSlot> {
        BASE.get()?;
        let free = |taken: &AtomicBool| !taken.swap(true, Ordering::AcqRel);
        TAKEN.iter().zip(0..SLOTS).find_map(|(taken, slot)| free(taken).then(|| HeldSlot { slot }))
    }

    /// Returns its number.
    pub const fn slot(&self) -> u8 {
        self.slot
    }

    /// Returns the image in the slot as an array, without copying, or `None` if it exceeds the slot.
    ///
    /// numpy marks the array as writable, but a write would kill the guest. The caller must clear that flag before a tool gets
    /// the array.
    pub fn show(
        self,
        py: Python<'_>,
        shape: (usize, usize, usize),
    ) -> PyResult<Option<Bound<'_, PyArray3<u8>>>> {
        let length = shape.0.checked_mul(shape.1).and_then(|pixels| pixels.checked_mul(shape.2));
        let begin = BASE.get().zip(shared_frames::begin(self.slot)).map(|(window, slot)| window + slot);
        let (Some(length), Some(begin)) = (length, begin) else { return Ok(None) };
        if length > SLOT_BYTES {
            return Ok(None);
        }
        let pixels: *const u8 = std::ptr::with_exposed_provenance(begin);
        let held = Bound::new(py, self)?.into_any();
        // SAFETY: see the module documentation. The array keeps `held` alive.
        Ok(Some(unsafe { PyArray3::borrow_from_array(&ArrayView3::from_shape_ptr(shape, pixels), held) }))
    }
}

impl Drop for HeldSlot {
    fn drop(&mut self) {
        if let Some(taken) = TAKEN.get(usize::from(self.slot)) {
            taken.store(false, Ordering::Release);
        }
    }
}
