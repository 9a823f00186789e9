//! What the process of a local model may do, and a test of it for `minismith doctor`.

use std::io::{BufRead, BufReader, Error, Read, Result};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use minismith_protocol::confinement::{ARGUMENT, Confinement, Report};
use minismith_protocol::zygote::Mechanism;
use minismith_runtime::subprocess::{self, Program};

/// The largest file that the process may write: an evaluated prompt, bytes.
const MAX_FILE_BYTES: u64 = 1 << 30;

/// The longest line of a report, bytes.
const MAX_LINE_BYTES: u64 = 64 << 10;

/// How long the test may take.
const TEST_TIMEOUT: Duration = Duration::from_secs(20);

/// Returns the processors for the model: all that this program may use, without the first one if there are others. With
/// more threads than that, all of them. The control loop is bound to no processor; as it has real-time priority and the
/// model the lowest, it also displaces the model wherever it runs.
#[must_use]
pub fn processors(threads: u32) -> Vec<usize> {
    let Ok(allowed) = rustix::thread::sched_getaffinity(None) else { return Vec::new() };
    let allowed: Vec<usize> = (0..rustix::thread::CpuSet::MAX_CPU).filter(|it| allowed.is_set(*it)).collect();
    match allowed.split_first() {
        Some((_, others)) if !others.is_empty() && threads as usize <= others.len() => others.to_vec(),
        _ => allowed,
    }
}

/// Returns the number of threads for the configured one, of which 0 chooses.
#[must_use]
pub fn threads(configured: u32) -> u32 {
    match configured {
        0 => u32::try_from(processors(1).len()).unwrap_or(1).max(1),
        threads => threads,
    }
}

/// Returns what a process may do that reads these folders and files, and writes in these folders.
#[must_use]
pub fn confinement(
    readable: Vec<PathBuf>,
    writable: Vec<PathBuf>,
    memory_bytes: u64,
    threads: u32,
    program: Vec<String>,
) -> Confinement {
    let parent = rustix::process::getpid().as_raw_nonzero().get();
    let processors = processors(threads);
    Confinement { parent, readable, writable, memory_bytes, file_bytes: MAX_FILE_BYTES, processors, program }
}

/// Returns the tool host as a program that confines itself.
///
/// # Errors
/// When the confinement cannot be written as JSON.
pub(crate) fn program(tool_host: &Path, confinement: &Confinement, input: UnixStream) -> Result<Program> {
    let environment = [
        // Threads that wait for each other sleep, so that others can work.
        ("OMP_WAIT_POLICY", "passive"),
        ("GOMP_SPINCOUNT", "0"),
        // Each further arena takes 64 MB of address space.
        ("MALLOC_ARENA_MAX", "1"),
        ("LC_ALL", "C.UTF-8"),
    ];
    Ok(Program {
        path: tool_host.to_owned(),
        arguments: vec![ARGUMENT.into(), serde_json::to_string(confinement)?.into()],
        environment: environment.into_iter().map(|(name, value)| (name, value.to_owned())).collect(),
        input: input.into(),
    })
}

/// Tests on this computer which mechanisms hold.
///
/// # Errors
/// When the tool host does not start or does not report.
pub fn test(tool_host: &Path, memory_bytes: u64, threads: u32) -> Result<Vec<Mechanism>> {
    let (near, far) = UnixStream::pair()?;
    near.set_read_timeout(Some(TEST_TIMEOUT))?;
    let confinement = confinement(Vec::new(), Vec::new(), memory_bytes, threads, Vec::new());
    let mut child = subprocess::start(program(tool_host, &confinement, far)?)?;
    let mut line = String::new();
    let read = BufReader::new(near.take(MAX_LINE_BYTES)).read_line(&mut line);
    // It ends by itself, or has hung.
    let _ = child.kill();
    let _ = child.wait();
    read?;
    serde_json::from_str::<Report>(&line).map(|report| report.mechanisms).map_err(Error::other)
}
