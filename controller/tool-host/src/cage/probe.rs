//! Runs the trials, and decides by them how guests are caged.

use std::path::Path;

use minismith_wire::zygote::{LOWERABLE, Level, MECHANISMS, Mechanism};

use super::trial::{Ground, LATE, Shown, TRIALS, Trial};

/// Of Landlock, what every version of it knows; the rest is told where the kernel's is older.
const FILES: &str = "opening a file";

/// The kernel counts no processes of its root: where nobody else can be become, the system call filter alone refuses
/// them, and its trial shows it.
const PROCESSES: &str = super::trial::PROCESSES;

/// The variables that the supervisor sets; numpy's libraries read them when they are loaded.
const SET_BY_SUPERVISOR: [&str; 4] =
    ["OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "LD_BIND_NOW"];

/// Tries everything that can be tried before there are namespaces and Python.
pub fn early(at_most: Level, ground: &Ground<'_>) -> Vec<Mechanism> {
    let asked_for = |name: &str| match name {
        "namespaces" => at_most == Level::Namespaces,
        "landlock" => at_most != Level::NoOpen,
        _ => true,
    };
    let names = MECHANISMS.iter().filter(|name| TRIALS.iter().any(|trial| trial.mechanism == **name));
    names
        .map(|name| if asked_for(name) { told(name, TRIALS, ground, true) } else { not_asked_for(name) })
        .collect()
}

/// Tries what the zygote has closed by then, each for itself or why it has not; all mechanisms, in their order.
pub fn late(
    early: Vec<Mechanism>,
    environment: Result<(), String>,
    root: Result<(), String>,
    ground: &Ground<'_>,
) -> Vec<Mechanism> {
    let mut all = early;
    for (name, closed) in [("environment", environment), ("pivot_root", root)] {
        all.push(match closed {
            Ok(()) => told(name, LATE, ground, false),
            Err(reason) => missing(name, reason),
        });
    }
    all.sort_by_key(|it| MECHANISMS.iter().position(|name| *name == it.name));
    all
}

/// One mechanism's trials, in words.
fn told(name: &str, trials: &[Trial], ground: &Ground<'_>, behind: bool) -> Mechanism {
    let mut enforced = true;
    let mut details = Vec::new();
    for trial in trials.iter().filter(|trial| trial.mechanism == name) {
        let shown = trial.run(ground, behind);
        let counts = match name {
            "landlock" => trial.what == FILES,
            "rlimits" => trial.what != PROCESSES || somebody_else_is_there(),
            _ => true,
        };
        enforced &= !counts || matches!(shown, Shown::Stopped(_));
        match shown {
            Shown::Stopped(detail) => details.push(detail),
            Shown::Passed => details.push(format!("{} was NOT stopped", trial.what)),
            Shown::Missing(reason) => return missing(name, reason),
            Shown::Unclear(reason) => details.push(format!("unclear: {reason}")),
        }
    }
    Mechanism { name: name.to_owned(), enforced, detail: details.join("; ") }
}

fn missing(name: &str, reason: String) -> Mechanism {
    Mechanism { name: name.to_owned(), enforced: false, detail: reason }
}

fn not_asked_for(name: &str) -> Mechanism {
    missing(name, "not asked for".to_owned())
}

/// Whether root can become another user: in a user namespace of root alone it can't.
fn somebody_else_is_there() -> bool {
    let users = std::fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    let mut fields = users.split_whitespace();
    !matches!((fields.next(), fields.next(), fields.next()), (Some("0"), Some(_), Some("1")))
}

/// Whether a mechanism holds.
pub fn holds(mechanisms: &[Mechanism], name: &str) -> bool {
    mechanisms.iter().any(|it| it.name == name && it.enforced)
}

/// The level that these mechanisms are worth; an error when they are worth nothing.
pub fn level(mechanisms: &[Mechanism], at_most: Level) -> Result<Level, String> {
    let needed = |it: &&Mechanism| !LOWERABLE.contains(&it.name.as_str());
    if let Some(missing) = mechanisms.iter().filter(needed).find(|it| !it.enforced) {
        return Err(format!(
            "tools can't be caged here: {} is not enforced ({}), and nothing in config.yaml makes up for it. Run on a \
             Linux kernel with seccomp, outside of emulators and of containers that forbid it",
            missing.name, missing.detail
        ));
    }
    let best = if holds(mechanisms, "namespaces") && holds(mechanisms, "pivot_root") {
        Level::Namespaces
    } else if holds(mechanisms, "landlock") {
        Level::Landlock
    } else {
        Level::NoOpen
    };
    Ok(best.max(at_most))
}

/// Whether only what the supervisor sets came along in the environment: what else did could still be found in memory
/// when it has been cleared.
pub fn environment_is_known(block: &Path) -> Result<(), String> {
    let bytes = std::fs::read(block).map_err(|error| format!("{}: {error}", block.display()))?;
    let names = bytes.split(|byte| *byte == 0).filter(|line| !line.is_empty());
    let mut names =
        names.map(|line| String::from_utf8_lossy(line.split(|byte| *byte == b'=').next().unwrap_or(line)));
    match names.find(|name| !SET_BY_SUPERVISOR.contains(&name.as_ref())) {
        None => Ok(()),
        Some(name) => Err(format!("{name} came along")),
    }
}
