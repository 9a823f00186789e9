//! Resource limits, set in the guest by the guest, before it can run anything.

use std::fs::File;
use std::io::{Error, Result};
use std::os::unix::fs::FileExt;

use minismith_wire::Limits;
use rustix::process::{Resource, Rlimit, setrlimit};

/// The address space of the zygote, readable after the root has gone.
pub struct AddressSpace(File);

impl AddressSpace {
    /// Opens the zygote's own accounting.
    pub fn open() -> Result<Self> {
        File::open("/proc/self/statm").map(AddressSpace)
    }

    /// Bytes of address space that the zygote holds now, and so a fresh guest too.
    pub fn now(&self) -> Result<u64> {
        let mut bytes = [0; 64];
        let length = self.0.read_at(&mut bytes, 0)?;
        let text = String::from_utf8_lossy(bytes.get(..length).unwrap_or_default()).into_owned();
        let pages = text.split(' ').next().and_then(|pages| pages.parse::<u64>().ok());
        let pages = pages.ok_or_else(|| Error::other("statm is not understood"))?;
        Ok(pages.saturating_mul(rustix::param::page_size() as u64))
    }
}

/// A resource, and how much of it is left to a guest at most: what the kernel tells of, and what nobody passes.
type Row = (Resource, u64, u64);

/// Limits the calling process, which holds `base` bytes of address space already.
pub fn set(limits: &Limits, base: u64) -> Result<()> {
    table(limits, base).into_iter().try_for_each(apply)
}

/// The same, of one resource alone.
pub fn set_only(resource: Resource, limits: &Limits, base: u64) -> Result<()> {
    table(limits, base).into_iter().filter(|row| row.0 == resource).try_for_each(apply)
}

fn table(limits: &Limits, base: u64) -> [Row; 6] {
    let memory = base.saturating_add(limits.memory_bytes);
    [
        (Resource::As, memory, memory),
        // The soft limit ends the guest by a signal that tells why; the hard one is behind it.
        (Resource::Cpu, limits.cpu_seconds, limits.cpu_seconds.saturating_add(1)),
        (Resource::Fsize, 0, 0),
        (Resource::Core, 0, 0),
        (Resource::Nproc, 0, 0),
        // 0 to 4 are open; one more for Landlock's own, for a moment.
        (Resource::Nofile, 6, 6),
    ]
}

fn apply((resource, current, maximum): Row) -> Result<()> {
    Ok(setrlimit(resource, Rlimit { current: Some(current), maximum: Some(maximum) })?)
}
