//! The steps of an installation that other programs do.

use std::ffi::OsString;
use std::path::Path;

use crate::AppError;

/// The last lines of a step that are shown when it fails.
const SHOWN_LINES: usize = 6;

/// Installs packages that are built already; nothing of them runs.
pub(crate) const PIP_INSTALL: [&str; 6] =
    ["install", "--quiet", "--no-input", "--disable-pip-version-check", "--only-binary", ":all:"];

/// Returns the last lines that a step printed.
pub(crate) fn last(lines: &[String]) -> String {
    let from = lines.len().saturating_sub(SHOWN_LINES);
    lines.get(from..).unwrap_or_default().join(" / ")
}

/// Runs a step to its end.
pub(crate) fn run(
    program: &Path,
    arguments: &[OsString],
    step: &'static str,
) -> Result<Vec<String>, AppError> {
    let mut lines = Vec::new();
    let status = minismith_runtime::subprocess::run(program, arguments, false, &mut |line| {
        lines.push(line.to_owned())
    })?;
    if status.success() {
        Ok(lines)
    } else {
        Err(AppError::Step { step, why: format!("{} ({status})", last(&lines)) })
    }
}
