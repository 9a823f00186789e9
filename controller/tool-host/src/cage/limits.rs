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

/// Limits the calling process, which holds `base` bytes of address space already.
pub fn set(limits: &Limits, base: u64) -> Result<()> {
    let same = |value| (value, value);
    let table = [
        (Resource::As, same(base.saturating_add(limits.memory_bytes))),
        // The soft limit ends the guest by a signal that tells why; the hard one is behind it.
        (Resource::Cpu, (limits.cpu_seconds, limits.cpu_seconds.saturating_add(1))),
        (Resource::Fsize, same(0)),
        (Resource::Core, same(0)),
        (Resource::Nproc, same(0)),
        // 0 to 4 are open; one more for Landlock's own, for a moment.
        (Resource::Nofile, same(6)),
    ];
    for (resource, (current, maximum)) in table {
        setrlimit(resource, Rlimit { current: Some(current), maximum: Some(maximum) })?;
    }
    Ok(())
}
