//! What a page is about, and the Markdown that it is written in.

use std::fmt::{Display, Write};

use serde_json::{Map, Value};

use super::inert::{code, prose};
use crate::performance::Outcome;
use crate::workshop::rehearsal::{CaseResult, Conditions};
use minismith_analysis::manifest::ToolManifest;
use minismith_control::recorder::NoRecording;

/// Characters of a returned value that are shown.
const SHOWN: usize = 160;

/// What a page tells of.
#[derive(Debug)]
pub struct Subject<'a> {
    /// The tool.
    pub manifest: &'a ToolManifest,
    /// How its rehearsed calls went.
    pub cases: &'a [CaseResult],
    /// What it was rehearsed under.
    pub conditions: &'a Conditions,
    /// The files beside the page; none for a page that stands alone.
    pub files: Option<Files<'a>>,
}

/// The files beside a page.
#[derive(Clone, Copy, Debug)]
pub struct Files<'a> {
    /// Their common name, without the suffix.
    pub stem: &'a str,
    /// Why there is no recording, if there is none.
    pub no_recording: Option<&'a NoRecording>,
}

/// A call as it is written.
pub fn called(name: &str, function: Option<&str>, arguments: &Map<String, Value>) -> String {
    let words: Vec<String> = arguments.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let name = function.map_or_else(|| name.to_owned(), |function| format!("{name}.{function}"));
    code(&format!("{name}({})", words.join(", ")))
}

/// How a call ended, in words.
pub fn ended(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Returned { value } => {
            let shown: String = value.to_string().chars().take(SHOWN).collect();
            format!("returned {}", code(&shown))
        }
        Outcome::Raised { kind, message, .. } => prose(&format!("raised {kind}: {message}")),
        Outcome::Stopped { limit, reason } => prose(&format!("was stopped ({limit}): {reason}")),
    }
}

/// Markdown that is being written.
#[derive(Debug, Default)]
pub struct Page(String);

impl Page {
    /// One line.
    pub fn line(&mut self, words: impl Display) {
        // Writing to a text does not fail.
        let _ = writeln!(self.0, "{words}");
    }

    /// An empty line, if there is none yet.
    pub fn blank(&mut self) {
        if !self.0.ends_with("\n\n") {
            self.0.push('\n');
        }
    }

    /// A paragraph.
    pub fn paragraph(&mut self, words: impl Display) {
        self.line(words);
        self.blank();
    }

    /// A heading of the second order.
    pub fn heading(&mut self, words: &str) {
        self.paragraph(format_args!("## {words}"));
    }

    /// The head of a table.
    pub fn table(&mut self, columns: &[&str]) {
        self.line(format_args!("| {} |", columns.join(" | ")));
        self.line(format_args!("|{}", " --- |".repeat(columns.len())));
    }

    /// A row of a table; each cell is inert already.
    pub fn row(&mut self, cells: &[String]) {
        self.line(format_args!("| {} |", cells.join(" | ")));
    }

    /// The page.
    pub fn finish(self) -> String {
        let mut page = self.0;
        while page.ends_with("\n\n") {
            page.pop();
        }
        page
    }
}
