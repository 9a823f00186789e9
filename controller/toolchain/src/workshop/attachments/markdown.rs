//! The subject of a tool's page, and a writer for its Markdown.

use std::fmt::{Display, Write};

use serde_json::{Map, Value};

use super::markdown_escape::{code, prose};
use crate::tool_run::Outcome;
use crate::workshop::rehearsal::{CaseResult, RehearsalOptions};
use minismith_analysis::manifest::ToolManifest;
use minismith_control::recorder::NoRecording;

/// Maximum length of a displayed value, characters.
const MAX_VALUE_LENGTH: usize = 160;

/// The subject of a page.
#[derive(Debug)]
pub struct Subject<'a> {
    /// Manifest of the tool.
    pub manifest: &'a ToolManifest,
    /// Results of the rehearsed calls.
    pub cases: &'a [CaseResult],
    /// Conditions of the rehearsal.
    pub conditions: &'a RehearsalOptions,
    /// Files next to the page. `None` for a page without files.
    pub files: Option<Files<'a>>,
}

/// The files next to a page.
#[derive(Clone, Copy, Debug)]
pub struct Files<'a> {
    /// Their common name without the suffix.
    pub stem: &'a str,
    /// The reason why there is no recording, if there is none.
    pub no_recording: Option<&'a NoRecording>,
}

/// Formats a call as it is written.
pub fn called(name: &str, function: Option<&str>, arguments: &Map<String, Value>) -> String {
    let words: Vec<String> = arguments.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let name = function.map_or_else(|| name.to_owned(), |function| format!("{name}.{function}"));
    code(&format!("{name}({})", words.join(", ")))
}

/// Describes how a call ended.
pub fn ended(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Returned { value } => {
            let shown: String = value.to_string().chars().take(MAX_VALUE_LENGTH).collect();
            format!("returned {}", code(&shown))
        }
        Outcome::Raised { kind, message, .. } => prose(&format!("raised {kind}: {message}")),
        Outcome::Stopped { limit, reason } => prose(&format!("was stopped ({limit}): {reason}")),
    }
}

/// A Markdown document under construction.
#[derive(Debug, Default)]
pub struct Page(String);

impl Page {
    /// Adds a line.
    pub fn line(&mut self, words: impl Display) {
        // Writing to a string does not fail.
        let _ = writeln!(self.0, "{words}");
    }

    /// Adds an empty line, unless there is one already.
    pub fn blank(&mut self) {
        if !self.0.ends_with("\n\n") {
            self.0.push('\n');
        }
    }

    /// Adds a paragraph.
    pub fn paragraph(&mut self, words: impl Display) {
        self.line(words);
        self.blank();
    }

    /// Adds a second-level heading.
    pub fn heading(&mut self, words: &str) {
        self.paragraph(format_args!("## {words}"));
    }

    /// Adds the header of a table.
    pub fn table(&mut self, columns: &[&str]) {
        self.line(format_args!("| {} |", columns.join(" | ")));
        self.line(format_args!("|{}", " --- |".repeat(columns.len())));
    }

    /// Adds a row to a table. The cells are escaped already.
    pub fn row(&mut self, cells: &[String]) {
        self.line(format_args!("| {} |", cells.join(" | ")));
    }

    /// Returns the document.
    pub fn finish(self) -> String {
        let mut page = self.0;
        while page.ends_with("\n\n") {
            page.pop();
        }
        page
    }
}
