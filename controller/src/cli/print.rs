//! Writes results to stdout. A reader that has gone away (`| head`) ends the output quietly.

use std::io::Write;

use serde::Serialize;

/// Prints one line.
pub fn line(text: &str) {
    // When nobody reads any more there is nobody to tell.
    let _gone = writeln!(std::io::stdout().lock(), "{}", harmless(text));
}

/// Text from tools is shown here too: it must not steer the terminal. (JSON has escaped what it holds of this already.)
fn harmless(text: &str) -> String {
    let steers = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    text.chars().map(|c| if steers(c) { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// Prints one JSON document.
///
/// # Errors
/// When the value can't be written as JSON.
pub fn json<T: Serialize>(value: &T) -> anyhow::Result<()> {
    line(&serde_json::to_string_pretty(value)?);
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_tool_cannot_steer_the_terminal() {
        let text = "ValueError: \x1b]0;owned\x07\u{9b}2J\r\n\tdone \u{e9}";
        assert_eq!(
            super::harmless(text),
            "ValueError: \u{fffd}]0;owned\u{fffd}\u{fffd}2J\u{fffd}\n\tdone \u{e9}"
        );
    }
}
