//! Writes results to stdout. A reader that closes early (`| head`) ends the output quietly.

use minismith_toolchain::workshop::registry::RegistryError;
use serde_json::Value;

use super::CommandStatus;
use std::io::Write;

use std::path::Path;

use anyhow::Context;
use minismith_analysis::files::{Output, output};
use serde::Serialize;

/// Prints one line.
pub fn line(text: &str) {
    // Without a reader there is nothing to report.
    let _gone = writeln!(std::io::stdout().lock(), "{}", harmless(text));
}

/// Prints text as it arrives, without a line end.
pub fn text(text: &str) {
    let mut out = std::io::stdout().lock();
    let _gone = write!(out, "{}", harmless(text)).and_then(|()| out.flush());
}

/// Removes terminal controls and changes of writing direction, since text from tools is shown too. JSON escapes them
/// already.
pub fn harmless(text: &str) -> String {
    let turns = |c: char| matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let steers = |c: char| turns(c) || (c.is_control() && !matches!(c, '\n' | '\t'));
    text.chars().map(|c| if steers(c) { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// Stores the files that a tool wrote in the given folder, or by default in one with the tool's name.
///
/// # Errors
/// When they cannot be stored there.
pub fn keep(folder: Option<&Path>, tool: &str, outputs: &mut [Output]) -> anyhow::Result<()> {
    let folder = folder.map_or_else(|| Path::new("outputs").join(tool), Path::to_owned);
    let doing = || format!("cannot store the files of {tool} in {}; choose another --out", folder.display());
    output::save(&folder, outputs).with_context(doing)
}

/// Prints the stored files.
pub fn outputs(outputs: &[Output]) {
    for Output { name, bytes, path, .. } in outputs {
        let position = path.as_ref().map_or_else(|| name.clone(), |path| path.display().to_string());
        line(&format!("  wrote {position} ({bytes} bytes)"));
    }
}

/// Prints rows under their headings, each column as wide as its widest cell.
pub fn table<const COLUMNS: usize>(heads: &[&str; COLUMNS], rows: &[[String; COLUMNS]]) {
    let mut widths = heads.map(|head| head.chars().count());
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    let print = |cells: &mut dyn Iterator<Item = &str>| {
        let padded: Vec<String> = cells.zip(widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        line(padded.join("  ").trim_end());
    };
    print(&mut heads.iter().copied());
    rows.iter().for_each(|row| print(&mut row.iter().map(String::as_str)));
}

/// Prints one JSON document.
///
/// # Errors
/// When the value cannot be serialized.
pub fn json<T: Serialize>(value: &T) -> anyhow::Result<()> {
    line(&serde_json::to_string_pretty(value)?);
    Ok(())
}

/// Prints a registry's answer or its error in the requested format.
pub fn as_data<T>(
    json: bool,
    answer: Result<T, RegistryError>,
    show: impl FnOnce(&T) -> (Value, String),
) -> anyhow::Result<CommandStatus> {
    match answer {
        Err(error @ RegistryError::Io { .. }) => Err(error.into()),
        answer => report_answer(json, answer.map_err(|refusal| refusal.to_string()), show),
    }
}

/// Prints an answer or an error in the requested format.
pub fn report_answer<T>(
    json: bool,
    answer: Result<T, String>,
    show: impl FnOnce(&T) -> (Value, String),
) -> anyhow::Result<CommandStatus> {
    let (document, text) = match &answer {
        Ok(answer) => show(answer),
        Err(refusal) => (serde_json::json!({ "refusal": refusal }), refusal.clone()),
    };
    if json {
        self::json(&document)?
    } else {
        line(&text)
    }
    Ok(CommandStatus::when(answer.is_ok()))
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
        assert_eq!(super::harmless("shall I \u{202e}on\u{2069}?"), "shall I \u{fffd}on\u{fffd}?");
    }
}
