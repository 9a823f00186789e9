//! A document's text, and the positions that the protocol counts in it: lines from 0, and UTF-16 units from 0.

use std::ops::Range;

use lsp_types::{Position, Range as Span};

/// A text with the offsets of its lines.
#[derive(Debug, Default)]
pub(crate) struct Text {
    text: String,
    /// The protocol ends a line at `\n`, `\r\n` and `\r`.
    starts: Vec<usize>,
}

impl Text {
    pub(crate) fn new(text: String) -> Self {
        let bytes = text.as_bytes();
        let ends = bytes.iter().enumerate().filter(|(at, byte)| match byte {
            b'\n' => true,
            b'\r' => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        });
        let starts = std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect();
        Text { text, starts }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the position of an offset. One inside of a character counts as its beginning.
    pub(crate) fn position(&self, offset: usize) -> Position {
        let offset = boundary(&self.text, offset);
        let line = self.starts.partition_point(|start| *start <= offset).saturating_sub(1);
        let start = self.starts.get(line).copied().unwrap_or_default();
        let before = self.text.get(start..offset).unwrap_or_default();
        Position { line: count(line), character: count(before.encode_utf16().count()) }
    }

    /// Returns the offset of a position. One beyond a line or the text counts as its end.
    pub(crate) fn offset(&self, position: Position) -> usize {
        let line = position.line as usize;
        let Some(start) = self.starts.get(line).copied() else { return self.text.len() };
        let end = self.starts.get(line + 1).copied().unwrap_or(self.text.len());
        let line = self.text.get(start..end).unwrap_or_default().trim_end_matches(['\r', '\n']);
        let mut units = position.character as usize;
        for (at, character) in line.char_indices() {
            if units < character.len_utf16() {
                return start + at;
            }
            units -= character.len_utf16();
        }
        start + line.len()
    }

    pub(crate) fn span(&self, range: &Range<usize>) -> Span {
        Span { start: self.position(range.start), end: self.position(range.end) }
    }

    /// Returns the code of a line that the policy counts: from 1, ended by `\n`, without indentation.
    pub(crate) fn code_of_line(&self, line: u32) -> Range<usize> {
        let before = (line as usize).saturating_sub(1);
        let start = match before {
            0 => 0,
            before => {
                let ended = self.text.match_indices('\n').nth(before - 1);
                ended.map_or(self.text.len(), |(at, _)| at + 1)
            }
        };
        code_from(&self.text, start)
    }
}

/// Returns the rest of a line without surrounding blanks.
pub(crate) fn code_from(text: &str, start: usize) -> Range<usize> {
    let rest = text.get(start..).unwrap_or_default();
    let line = rest.split('\n').next().unwrap_or_default();
    let indentation = line.len() - line.trim_start().len();
    let end = start + line.trim_end().len();
    (start + indentation).min(end)..end
}

/// Returns the nearest boundary of characters that is not after an offset.
pub(crate) fn boundary(text: &str, offset: usize) -> usize {
    (0..=offset.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_utf16_units() {
        let text = Text::new("a = '\u{e9}\u{1f916}'\r\nb\rc\n".to_owned());
        for (offset, line, character) in [(0, 0, 0), (5, 0, 5), (7, 0, 6), (11, 0, 8), (14, 1, 0), (16, 2, 0)]
        {
            let position = Position { line, character };
            assert_eq!(text.position(offset), position, "{offset}");
            assert_eq!(text.offset(position), offset, "{position:?}");
        }
        // Inside of the surrogate pair, behind the line and behind the text.
        assert_eq!(text.offset(Position { line: 0, character: 7 }), 7);
        assert_eq!(text.offset(Position { line: 0, character: 99 }), 12);
        assert_eq!(text.offset(Position { line: 9, character: 0 }), text.as_str().len());
        assert_eq!(text.position(8), Position { line: 0, character: 6 });
    }

    #[test]
    fn lines_of_the_policy_end_at_newlines_only() {
        let text = Text::new("a\rb\n    c = 1  \n".to_owned());
        assert_eq!(text.code_of_line(2), 8..13);
        assert_eq!(text.code_of_line(3), 16..16);
        assert_eq!(text.code_of_line(9), 16..16);
    }
}
