//! `guest_job` and `jobs_per_second`: the smallest tool in a sandboxed guest of a warm host, from the fork to the
//! guest's end. The baseline is a Python that starts and imports numpy.

use std::fs::File;
use std::path::Path;

use firmware_bridge::clock::{Clock, MonotonicClock};
use minismith_protocol::{GuestMessage, HostReply, Limits};
use serde_json::Map;

use super::baseline::environment;
use super::rounds::take_turns;
use super::row::{Better, Row};
use super::tools::TRIVIAL;
use super::{BenchContext, Failed};
use minismith_analysis::policy::PolicyChecked;
use minismith_runtime::subprocess::{self, Program};
use minismith_toolchain::guest::{Guest, ToolHost};
use minismith_toolchain::workshop::rehearsal::job;

pub(super) const NAMES: [&str; 2] = ["guest_job", "jobs_per_second"];
const PEER: &str = "python -c 'import numpy'";

pub(super) fn measure(context: &BenchContext<'_>) -> Vec<Row> {
    (context.progress)("jobs: one after another, and on all processors");
    let ready = context.host().and_then(|host| Ok((host, TRIVIAL.vet()?, context.python()?)));
    let (host, vetted, python) = match ready {
        Ok(ready) => ready,
        Err(failed) => {
            return NAMES
                .into_iter()
                .zip(["ms", "1/s"])
                .map(|(name, unit)| Row::alone(name, unit, Err(failed.clone())))
                .collect();
        }
    };
    let [one, per_second] = NAMES;
    let rounds = context.pick(3, 11);
    let limits = context.config.workshop.budget.guest;
    let warm = || warm_job(&host, &vetted, limits);
    let cold = || cold_job(&python);

    let jobs = context.pick(10, 50);
    let mut ours = || Ok(seconds(jobs, &warm)? * 1e3);
    let mut theirs = || Ok(seconds(context.pick(1, 3), &cold)? * 1e3);
    let single = take_turns(context, rounds, &mut ours, Some(&mut theirs));

    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let mut ours = || Ok(f64::from(jobs) * processors as f64 / side_by_side(processors, jobs, &warm)?);
    let few = context.pick(1, 3);
    let mut theirs = || Ok(f64::from(few) * processors as f64 / side_by_side(processors, few, &cold)?);
    let many = take_turns(context, rounds, &mut ours, Some(&mut theirs));

    vec![
        Row::alone(one, "ms", single.ours).against(PEER, single.theirs, Better::Lower),
        Row::alone(per_second, "1/s", many.ours)
            .against(PEER, many.theirs, Better::Higher)
            .noting(&format!("on {processors} processors")),
    ]
}

/// Returns the seconds per job, over this many jobs.
fn seconds(jobs: u32, job: &dyn Fn() -> Result<(), Failed>) -> Result<f64, Failed> {
    let clock = MonotonicClock::start();
    for _ in 0..jobs {
        job()?;
    }
    Ok(clock.now().seconds() / f64::from(jobs.max(1)))
}

/// Returns the seconds in which this many threads run this many jobs each.
fn side_by_side(
    threads: usize,
    jobs: u32,
    job: &(dyn Fn() -> Result<(), Failed> + Sync),
) -> Result<f64, Failed> {
    let clock = MonotonicClock::start();
    std::thread::scope(|scope| {
        let working: Vec<_> = (0..threads).map(|_| scope.spawn(|| seconds(jobs, &|| job()))).collect();
        working.into_iter().try_for_each(|one| match one.join() {
            Ok(done) => done.map(drop),
            Err(_) => Err(Failed("a thread of the benchmark broke".into())),
        })
    })?;
    Ok(clock.now().seconds())
}

/// Runs one job: a fork, the tool's value, and the guest's end.
fn warm_job(host: &ToolHost, vetted: &PolicyChecked, limits: Limits) -> Result<(), Failed> {
    let at = Failed::at("a guest");
    let mut guest = host.fork(limits).map_err(|fault| at(&fault))?;
    let job = job(vetted, vetted.entry(), &Map::new(), false, limits);
    guest.turn(&HostReply::Start { job: Box::new(job) }, None).map_err(|fault| at(&fault))?;
    match guest.turn(&HostReply::Proceed, None).map_err(|fault| at(&fault))? {
        GuestMessage::Done { value, .. } if value == 42 => Ok(()),
        other => Err(at(&format!("{other:?}"))),
    }
}

/// Starts a Python that imports numpy and ends.
fn cold_job(python: &Path) -> Result<(), Failed> {
    let run = || {
        let mut child = subprocess::start(Program {
            path: python.to_owned(),
            arguments: ["-c", "import numpy"].map(Into::into).into(),
            environment: environment(),
            input: File::open("/dev/null")?.into(),
        })?;
        child.wait()
    };
    match run() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Failed(format!("{PEER}: {status}"))),
        Err(error) => Err(Failed::at(PEER)(&error)),
    }
}
