//! `fleet`: runs the program `minismith-fleet` beside this one, the only one that speaks Zenoh.

use std::ffi::OsString;

use anyhow::Context as _;
use minismith_runtime::subprocess;

const PROGRAM: &str = "minismith-fleet";

/// Runs the program in place of this one. It returns only if that is not possible.
///
/// # Errors
/// If the program is not installed, or does not start.
pub fn run(arguments: &[OsString]) -> anyhow::Result<std::convert::Infallible> {
    let executable = std::env::current_exe()?;
    let path = subprocess::find_beside(PROGRAM)?.with_context(|| {
        format!(
            "no fleet: there is no {PROGRAM} beside {}; build it with `make fleet`, or install it there",
            executable.display()
        )
    })?;
    Err(subprocess::replace_with(&path, arguments)).with_context(|| format!("cannot run {}", path.display()))
}
