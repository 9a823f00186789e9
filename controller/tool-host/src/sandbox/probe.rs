//! Runs the self-tests of the sandbox, and derives the sandbox level from them ([`level`]).

use std::path::Path;

use minismith_protocol::zygote::{Level, MECHANISMS, Mechanism, OPTIONAL_MECHANISMS};

use super::self_test::{LATE_TESTS, SandboxTest, TESTS, TestResult, TestSetup};

/// Restriction that every version of Landlock supports. For others, an older kernel is only reported.
const FILES: &str = "opening a file";

/// Limit that the kernel does not apply to root. Where root cannot become another user, only the system call filter enforces
/// it, and its own test shows that.
const PROCESSES: &str = super::self_test::PROCESSES;

/// Variables that the supervisor sets and that numpy's libraries read when they are loaded.
const SET_BY_SUPERVISOR: [&str; 4] =
    ["OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "LD_BIND_NOW"];

/// Runs the tests that need neither namespaces nor Python.
pub fn early(at_most: Level, ground: &TestSetup<'_>) -> Vec<Mechanism> {
    let asked_for = |name: &str| match name {
        "namespaces" => at_most == Level::Namespaces,
        "landlock" => at_most != Level::NoOpen,
        _ => true,
    };
    let names = MECHANISMS.iter().filter(|name| TESTS.iter().any(|trial| trial.mechanism == **name));
    names
        .map(
            |name| {
                if asked_for(name) { test_mechanism(name, TESTS, ground, true) } else { not_requested(name) }
            },
        )
        .collect()
}

/// Adds the tests of mechanisms that the zygote has applied by now, or the reason why one is missing. Returns all mechanisms in
/// their order.
pub fn late(
    early: Vec<Mechanism>,
    environment: Result<(), String>,
    root: Result<(), String>,
    ground: &TestSetup<'_>,
) -> Vec<Mechanism> {
    let mut all = early;
    for (name, closed) in [("environment", environment), ("pivot_root", root)] {
        all.push(match closed {
            Ok(()) => test_mechanism(name, LATE_TESTS, ground, false),
            Err(reason) => missing(name, reason),
        });
    }
    all.sort_by_key(|it| MECHANISMS.iter().position(|name| *name == it.name));
    all
}

/// Runs the tests of one mechanism and describes the results.
fn test_mechanism(name: &str, trials: &[SandboxTest], ground: &TestSetup<'_>, behind: bool) -> Mechanism {
    let mut enforced = true;
    let mut details = Vec::new();
    for trial in trials.iter().filter(|trial| trial.mechanism == name) {
        let result = trial.run(ground, behind);
        let counts = match name {
            "landlock" => trial.what == FILES,
            "rlimits" => trial.what != PROCESSES || can_change_user(),
            _ => true,
        };
        enforced &= !counts || matches!(result, TestResult::Stopped(_));
        match result {
            TestResult::Stopped(detail) => details.push(detail),
            TestResult::Passed => details.push(format!("{} was NOT blocked", trial.what)),
            TestResult::Missing(reason) => return missing(name, reason),
            TestResult::Unclear(reason) => details.push(format!("unclear: {reason}")),
        }
    }
    Mechanism { name: name.to_owned(), enforced, detail: details.join("; ") }
}

fn missing(name: &str, reason: String) -> Mechanism {
    Mechanism { name: name.to_owned(), enforced: false, detail: reason }
}

fn not_requested(name: &str) -> Mechanism {
    missing(name, "not requested".to_owned())
}

/// Returns whether root can become another user, which is impossible in a user namespace of root alone.
fn can_change_user() -> bool {
    let users = std::fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    let mut fields = users.split_whitespace();
    !matches!((fields.next(), fields.next(), fields.next()), (Some("0"), Some(_), Some("1")))
}

/// Returns whether a mechanism is enforced.
pub fn holds(mechanisms: &[Mechanism], name: &str) -> bool {
    mechanisms.iter().any(|it| it.name == name && it.enforced)
}

/// Returns the level that these mechanisms provide, or an error when a required one is missing.
pub fn level(mechanisms: &[Mechanism], at_most: Level) -> Result<Level, String> {
    let needed = |it: &&Mechanism| !OPTIONAL_MECHANISMS.contains(&it.name.as_str());
    if let Some(missing) = mechanisms.iter().filter(needed).find(|it| !it.enforced) {
        return Err(format!(
            "cannot sandbox tools: required mechanism {} is not enforced ({}); run on a \
             Linux kernel with seccomp, outside emulators and containers that forbid it",
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

/// Checks that the environment contains only the supervisor's variables. Others could still be found in memory after clearing
/// it.
pub fn environment_is_known(block: &Path) -> Result<(), String> {
    let bytes = std::fs::read(block).map_err(|error| format!("{}: {error}", block.display()))?;
    let names = bytes.split(|byte| *byte == 0).filter(|line| !line.is_empty());
    let mut names =
        names.map(|line| String::from_utf8_lossy(line.split(|byte| *byte == b'=').next().unwrap_or(line)));
    match names.find(|name| !SET_BY_SUPERVISOR.contains(&name.as_ref())) {
        None => Ok(()),
        Some(name) => Err(format!("the environment contains {name}")),
    }
}
