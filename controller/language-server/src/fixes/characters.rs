//! Characters that no tool may contain.

use super::edit::line;
use super::{Broken, Fix};

/// Removes all characters of the kind that was found. A carriage return that ends no line becomes a line break.
pub(super) fn removed(broken: &Broken<'_>) -> Option<Fix> {
    let rule = broken.finding.rule.as_str();
    let mut rest = broken.source.char_indices().peekable();
    let mut edits = Vec::new();
    while let Some((at, character)) = rest.next() {
        let is_meant = match rule {
            "byte-order-mark" => at == 0 && character == '\u{feff}',
            "bidirectional-control" => matches!(
                character,
                '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
            ),
            _ => match character {
                '\n' | '\t' => false,
                '\r' => rest.peek().is_none_or(|(_, next)| *next != '\n'),
                '\u{feff}' | '\u{2028}' | '\u{2029}' => at > 0,
                character => character.is_control(),
            },
        };
        if is_meant {
            let new = if character == '\r' { "\n" } else { "" };
            edits.push((at..at + character.len_utf8(), new.to_owned()));
        }
    }
    (!edits.is_empty()).then(|| Fix { title: "Remove these characters".into(), edits })
}

/// Removes the line.
pub(super) fn line_removed(broken: &Broken<'_>) -> Option<Fix> {
    Some(Fix::new("Remove this line", line(broken.source, broken.at), ""))
}
