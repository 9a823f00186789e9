//! Findings as diagnostics.

use std::ops::Range;

use lsp_types::{Diagnostic, DiagnosticSeverity, NumberOrString};
use minismith_analysis::finding::{Finding, Located, Verdict};

use crate::context::{is_word, surroundings};
use crate::text::{Text, boundary, code_from};

/// The name by which an editor shows where a diagnostic comes from.
const SOURCE: &str = "minismith";

/// Returns the diagnostic of a finding.
pub(crate) fn diagnostic(text: &Text, located: &Located) -> Diagnostic {
    let Finding { rule, verdict, reason, hint, .. } = &located.finding;
    let severity = match verdict {
        Verdict::Reject => DiagnosticSeverity::ERROR,
        Verdict::NeedsApproval => DiagnosticSeverity::WARNING,
        Verdict::Pass => DiagnosticSeverity::INFORMATION,
    };
    Diagnostic {
        range: text.span(&place(text, located)),
        severity: Some(severity),
        code: Some(NumberOrString::String(rule.clone())),
        source: Some(SOURCE.to_owned()),
        message: if hint.is_empty() { reason.clone() } else { format!("{reason}\n{hint}") },
        ..Diagnostic::default()
    }
}

/// Returns the diagnostic of a tool that cannot be read.
pub(crate) fn unreadable(message: String) -> Diagnostic {
    Diagnostic {
        severity: Some(DiagnosticSeverity::ERROR),
        source: Some(SOURCE.to_owned()),
        message,
        ..Diagnostic::default()
    }
}

/// Returns the code that a finding is about.
pub(crate) fn place(text: &Text, located: &Located) -> Range<usize> {
    let line = text.code_of_line(located.finding.line);
    match located.offset {
        Some(offset) => extent(text.as_str(), offset).unwrap_or(line),
        None => line,
    }
}

/// Returns how far the code reaches that begins at an offset: a dotted name, a literal, or else the rest of the line.
fn extent(source: &str, offset: usize) -> Option<Range<usize>> {
    let start = boundary(source, offset);
    let rest = source.get(start..)?;
    let first = rest.chars().next().filter(|first| !first.is_whitespace())?;
    let line = code_from(source, start);
    let name = rest.find(|c| !is_word(c) && c != '.').unwrap_or(rest.len());
    let word = rest.split(|c| !is_word(c)).next().unwrap_or_default();
    let is_statement = STATEMENTS.contains(&word);
    if is_word(first) && !is_statement {
        return Some(start..start + name);
    }
    if matches!(first, '"' | '\'') {
        let inside = surroundings(source, line.end).text_from.is_some();
        let quoted = rest.get(1..)?.find(first).map(|length| start + length + 2);
        return Some(start..quoted.filter(|end| *end <= line.end && !inside).unwrap_or(line.end));
    }
    Some(start..line.end)
}

const STATEMENTS: &[&str] = &[
    "assert", "async", "await", "class", "def", "del", "except", "for", "from", "global", "if", "import",
    "match", "nonlocal", "raise", "return", "try", "while", "with", "yield",
];
