//! Guests in an endless loop: the load of a bad tool, within the limits of its sandbox.

use std::thread::JoinHandle;
use std::time::Duration;

use minismith_protocol::{HostReply, Job, Limits};

use super::{BenchContext, Failed};
use minismith_toolchain::guest::{Guest, SandboxedGuest};

/// The number of guests at a time.
const GUESTS: usize = 2;

/// Time for the requests to the servers and the wait for cycles in between.
const EXTRA_TIME: Duration = Duration::from_secs(5);

const SOURCE: &str = "def spin():\n    while True:\n        pass\n";

/// Guests in an endless loop; each is killed when its time is over.
pub(super) struct CpuLoad(Vec<JoinHandle<()>>);

impl CpuLoad {
    /// Starts the guests. They spin when this returns, for at least the given time.
    pub(super) fn start(context: &BenchContext<'_>, at_least: Duration) -> Result<CpuLoad, Failed> {
        let host = context.host()?;
        let at = Failed::at("a spinning guest");
        let seconds = (at_least + EXTRA_TIME).as_secs_f64();
        let limits = Limits {
            turn_seconds: seconds,
            cpu_seconds: seconds.ceil() as u64 + 1,
            ..context.config.workshop.budget.guest
        };
        let mut spinning = CpuLoad(Vec::new());
        for _ in 0..GUESTS {
            let mut guest = host.fork(limits).map_err(|fault| at(&fault))?;
            let job = Job {
                source: SOURCE.into(),
                module: "spin".into(),
                entry: "spin".into(),
                limits,
                ..Job::default()
            };
            guest.turn(&HostReply::Start { job: Box::new(job) }, None).map_err(|fault| at(&fault))?;
            let spin = std::thread::Builder::new().name("spinning".into()).spawn(move || wait_for(guest));
            spinning.0.push(spin.map_err(|error| at(&error))?);
        }
        Ok(spinning)
    }

    /// # Errors
    /// When one has ended before its time.
    pub(super) fn still_spin(&self) -> Result<(), Failed> {
        if self.0.iter().any(JoinHandle::is_finished) {
            return Err(Failed("a spinning guest has ended too early".into()));
        }
        Ok(())
    }
}

impl Drop for CpuLoad {
    fn drop(&mut self) {
        for spinning in self.0.drain(..) {
            // A guest that fails has ended as well.
            let _ = spinning.join();
        }
    }
}

/// The guest never answers; its deadline ends it.
fn wait_for(mut guest: SandboxedGuest) {
    let _ = guest.turn(&HostReply::Proceed, None);
}
