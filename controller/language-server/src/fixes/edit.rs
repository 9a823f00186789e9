//! Helpers of fixes: names, lines and arguments in a source.

use std::ops::Range;

use rustpython_parser::lexer::lex;
use rustpython_parser::{Mode, Tok};

use crate::context::is_word;

/// Returns every name in a source with its place. Texts and comments contain none.
pub(super) fn names(source: &str) -> Vec<(Range<usize>, String)> {
    let tokens = lex(source, Mode::Module).map_while(Result::ok);
    let names = tokens.filter_map(|(token, range)| match token {
        Tok::Name { name } => Some((range.start().to_usize()..range.end().to_usize(), name)),
        _ => None,
    });
    names.collect()
}

/// Returns the places of a name that is no attribute.
pub(super) fn uses(source: &str, name: &str) -> Vec<Range<usize>> {
    let is_attribute = |range: &Range<usize>| {
        source.get(..range.start).is_some_and(|before| before.trim_end().ends_with('.'))
    };
    let uses = names(source).into_iter().filter(|(range, known)| known == name && !is_attribute(range));
    uses.map(|(range, _)| range).collect()
}

/// Returns the first whole word at or behind an offset.
pub(super) fn word_behind(source: &str, at: usize, word: &str) -> Option<Range<usize>> {
    let rest = source.get(at..)?;
    let is_whole = |start: usize| {
        let before = source.get(..start).and_then(|text| text.chars().next_back());
        let behind = source.get(start + word.len()..).and_then(|text| text.chars().next());
        !before.is_some_and(is_word) && !behind.is_some_and(is_word)
    };
    let mut places = rest.match_indices(word).map(|(offset, _)| at + offset);
    places.find(|start| is_whole(*start)).map(|start| start..start + word.len())
}

/// Returns the last text in backticks.
pub(super) fn last_quoted(text: &str) -> Option<&str> {
    text.rsplit('`').nth(1)
}

/// Returns the argument that begins at an offset: up to a comma or a bracket that closes another one.
pub(super) fn argument(source: &str, at: usize) -> Option<Range<usize>> {
    let rest = source.get(at..)?;
    let (mut depth, mut quote) = (0_usize, None);
    for (offset, character) in rest.char_indices() {
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(character),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') if depth > 0 => depth -= 1,
            (None, ',' | ')' | ']' | '}' | '\n' | '#' | ':') if depth == 0 => {
                let length = rest.get(..offset)?.trim_end().len();
                return Some(at..at + length);
            }
            _ => {}
        }
    }
    Some(at..source.len())
}

/// Returns what is between the brackets of a call that begins at an offset with this name, and the whole call.
pub(super) fn call(source: &str, at: usize, names: &[&str]) -> Option<(Range<usize>, Range<usize>)> {
    let rest = source.get(at..)?;
    let name = rest.split('(').next()?;
    if !names.contains(&name) {
        return None;
    }
    let start = at + name.len() + 1;
    let mut end = argument(source, start)?.end;
    while source.get(end..)?.starts_with(',') {
        end = argument(source, end + 1)?.end;
    }
    source.get(end..)?.starts_with(')').then_some((start..end, at..end + 1))
}

/// Returns the line that contains an offset, with its end.
pub(super) fn line(source: &str, at: usize) -> Range<usize> {
    let start = source.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline + 1);
    let end =
        source.get(at..).and_then(|rest| rest.find('\n')).map_or(source.len(), |length| at + length + 1);
    start..end
}

/// Returns the indentation of a line.
pub(super) fn indentation(line: &str) -> &str {
    line.get(..line.len() - line.trim_start().len()).unwrap_or_default()
}

/// Returns the lines behind a line that belong to a block: those that are indented further than `than`, and blank ones between.
pub(super) fn block(source: &str, from: usize, than: usize) -> Range<usize> {
    let (mut at, mut end) = (from, from);
    for line in source.get(from..).unwrap_or_default().split_inclusive('\n') {
        at += line.len();
        if line.trim().is_empty() {
            continue;
        }
        if indentation(line).len() <= than {
            break;
        }
        end = at;
    }
    from..end
}
