//! Writes results to stdout. A reader that has gone away (`| head`) ends the output quietly.

use std::io::Write;

use serde::Serialize;

/// Prints one line.
pub fn line(text: &str) {
    // When nobody reads any more there is nobody to tell.
    let _gone = writeln!(std::io::stdout().lock(), "{text}");
}

/// Prints one JSON document.
///
/// # Errors
/// When the value can't be written as JSON.
pub fn json<T: Serialize>(value: &T) -> anyhow::Result<()> {
    line(&serde_json::to_string_pretty(value)?);
    Ok(())
}
