//! Resource limits ([`set`]), which a guest applies to itself before it runs any tool code.

use std::fs::File;
use std::io::{Error, Result};
use std::os::unix::fs::FileExt;

use minismith_protocol::Limits;
use rustix::process::{Resource, Rlimit, setrlimit};

/// Reads the zygote's address space. It remains readable after the root directory is replaced.
pub struct AddressSpace(File);

impl AddressSpace {
    /// Opens the zygote's own statistics.
    pub fn open() -> Result<Self> {
        File::open("/proc/self/statm").map(AddressSpace)
    }

    /// Returns the bytes of address space in use now, which a new guest inherits.
    pub fn now(&self) -> Result<u64> {
        let mut bytes = [0; 64];
        let length = self.0.read_at(&mut bytes, 0)?;
        let text = String::from_utf8_lossy(bytes.get(..length).unwrap_or_default()).into_owned();
        let pages = text.split(' ').next().and_then(|pages| pages.parse::<u64>().ok());
        let pages = pages.ok_or_else(|| Error::other("cannot parse /proc/self/statm"))?;
        Ok(pages.saturating_mul(rustix::param::page_size() as u64))
    }
}

/// A resource with its soft and hard limit.
type Row = (Resource, u64, u64);

/// Limits the calling process, which already uses `base` bytes of address space.
pub fn set(limits: &Limits, base: u64) -> Result<()> {
    table(limits, base).into_iter().try_for_each(apply)
}

/// Limits a single resource.
pub fn set_only(resource: Resource, limits: &Limits, base: u64) -> Result<()> {
    table(limits, base).into_iter().filter(|row| row.0 == resource).try_for_each(apply)
}

fn table(limits: &Limits, base: u64) -> [Row; 6] {
    let memory = base.saturating_add(limits.memory_bytes);
    [
        (Resource::As, memory, memory),
        // The soft limit ends the guest by a signal that identifies the cause. The hard limit is the fallback.
        (Resource::Cpu, limits.cpu_seconds, limits.cpu_seconds.saturating_add(1)),
        (Resource::Fsize, 0, 0),
        (Resource::Core, 0, 0),
        (Resource::Nproc, 0, 0),
        // Descriptors 0 to 4 are open, and Landlock briefly needs one more.
        (Resource::Nofile, 6, 6),
    ]
}

fn apply((resource, current, maximum): Row) -> Result<()> {
    Ok(setrlimit(resource, Rlimit { current: Some(current), maximum: Some(maximum) })?)
}
