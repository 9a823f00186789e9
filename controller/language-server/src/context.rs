//! What stands at the cursor. It reads the text itself, since code that is being typed is rarely a tree.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::catalog::{Catalog, Target};
use crate::text::boundary;

/// The brackets that are open at a place, and whether it is code.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Surroundings {
    /// Offsets of the open brackets, the innermost last.
    brackets: Vec<usize>,
    /// The offset behind the quote of the text that contains the place.
    pub text_from: Option<usize>,
    pub is_comment: bool,
}

/// Reads a source up to a place.
pub(crate) fn surroundings(source: &str, at: usize) -> Surroundings {
    let before = source.get(..boundary(source, at)).unwrap_or_default();
    let mut found = Surroundings::default();
    let mut rest = before.char_indices();
    while let Some((offset, character)) = rest.next() {
        match character {
            '#' => {
                found.is_comment = true;
                for (_, character) in rest.by_ref() {
                    if character == '\n' {
                        found.is_comment = false;
                        break;
                    }
                }
            }
            '"' | '\'' => {
                let triple = [character; 3].iter().collect::<String>();
                let is_triple = before.get(offset..).is_some_and(|text| text.starts_with(&triple));
                if is_triple {
                    rest.nth(1);
                }
                found.text_from = Some(offset + if is_triple { 3 } else { 1 });
                let mut quotes = 0;
                while let Some((_, inner)) = rest.next() {
                    quotes = if inner == character { quotes + 1 } else { 0 };
                    if inner == '\\' {
                        rest.next();
                    } else if quotes == if is_triple { 3 } else { 1 } || (inner == '\n' && !is_triple) {
                        found.text_from = None;
                        break;
                    }
                }
            }
            '(' | '[' | '{' => found.brackets.push(offset),
            ')' | ']' | '}' => drop(found.brackets.pop()),
            _ => {}
        }
    }
    found
}

impl Surroundings {
    pub(crate) fn is_code(&self) -> bool {
        self.text_from.is_none() && !self.is_comment
    }

    /// Returns the name of the call whose argument stands here, and the offset of its bracket.
    pub(crate) fn call<'s>(&self, source: &'s str) -> Option<(&'s str, usize)> {
        let bracket = *self.brackets.last().filter(|at| source.as_bytes().get(**at) == Some(&b'('))?;
        let name = dotted_before(source, bracket);
        (!name.is_empty()).then_some((name, bracket))
    }
}

pub(crate) fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// Returns the names and dots that end at a place, such as `robot.media.get`.
pub(crate) fn dotted_before(source: &str, at: usize) -> &str {
    let before = source.get(..boundary(source, at)).unwrap_or_default();
    let start = before.trim_end_matches(|c| is_word(c) || c == '.').len();
    before.get(start..).unwrap_or_default()
}

/// Returns the word at a place, also one that ends there.
pub(crate) fn word_at(source: &str, at: usize) -> Range<usize> {
    let at = boundary(source, at);
    let (before, behind) = source.split_at(at);
    let start = before.trim_end_matches(is_word).len();
    let end = behind.find(|c| !is_word(c)).map_or(source.len(), |length| at + length);
    start..end
}

/// Returns the parameter of which an argument begins in this part of a call: its keyword, or its position.
pub(crate) fn argument(source: &str, bracket: usize, at: usize) -> (Option<&str>, usize) {
    let at = boundary(source, at);
    let inside = source.get(bracket + 1..at).unwrap_or_default();
    let (mut depth, mut commas, mut start) = (0_usize, 0, bracket + 1);
    for (offset, character) in inside.char_indices() {
        match character {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                commas += 1;
                start = bracket + 1 + offset + 1;
            }
            _ => {}
        }
    }
    let piece = source.get(start..at).unwrap_or_default().trim_start();
    let keyword = piece.split_once('=').map(|(name, _)| name.trim());
    (keyword.filter(|name| !name.is_empty() && name.chars().all(is_word)), commas)
}

/// What the names of a file refer to, as far as its imports and annotations say.
#[derive(Debug, Default)]
pub(crate) struct Names {
    modules: BTreeMap<String, String>,
    pub values: BTreeMap<String, (String, String)>,
    robots: BTreeSet<String>,
}

impl Names {
    pub(crate) fn of(source: &str) -> Self {
        let mut names = Names::default();
        let mut lines = source.lines();
        while let Some(line) = lines.next() {
            let line = line.trim();
            if let Some(rest) = line.strip_prefix("import ") {
                for item in rest.split(',') {
                    let (path, alias) = renamed(item);
                    match alias {
                        Some(alias) => drop(names.modules.insert(alias.to_owned(), path.to_owned())),
                        None => {
                            let root = path.split('.').next().unwrap_or_default();
                            names.modules.insert(root.to_owned(), root.to_owned());
                        }
                    }
                }
            } else if let Some((path, listed)) =
                line.strip_prefix("from ").and_then(|rest| rest.split_once(" import "))
            {
                let mut listed = listed.to_owned();
                while listed.contains('(') && !listed.contains(')') {
                    let Some(more) = lines.next() else { break };
                    listed.push_str(more.split('#').next().unwrap_or_default());
                }
                for item in listed.split('#').next().unwrap_or_default().split(',') {
                    let (name, alias) =
                        renamed(item.trim_matches(|c: char| c.is_whitespace() || "()".contains(c)));
                    let value = (path.trim().to_owned(), name.to_owned());
                    names.values.insert(alias.unwrap_or(name).to_owned(), value);
                }
            }
        }
        for (at, _) in source.match_indices("ReachyMini") {
            let before = source.get(..at).unwrap_or_default().trim_end_matches(['"', '\'']).trim_end();
            if let Some(before) = before.strip_suffix(':') {
                let name = dotted_before(before, before.len());
                if !name.is_empty() && !name.contains('.') {
                    names.robots.insert(name.to_owned());
                }
            }
        }
        names
    }

    /// Returns the names that imports bind.
    pub(crate) fn bound(&self) -> Vec<&str> {
        self.modules.keys().chain(self.values.keys()).map(String::as_str).collect()
    }

    /// Returns what `a.b.c` refers to.
    pub(crate) fn resolve(&self, catalog: &Catalog, dotted: &str) -> Option<Target> {
        let mut parts = dotted.split('.');
        let first = parts.next()?;
        let mut target = if self.robots.contains(first) {
            Target::Robot
        } else if let Some((path, name)) = self.values.get(first) {
            catalog.below(&Target::Module(path.clone()), name)?
        } else {
            Target::Module(self.modules.get(first)?.clone())
        };
        for part in parts {
            target = catalog.below(&target, part)?;
        }
        Some(target)
    }
}

fn renamed(item: &str) -> (&str, Option<&str>) {
    match item.split_once(" as ") {
        Some((name, alias)) => (name.trim(), Some(alias.trim())),
        None => (item.trim(), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_and_texts_are_found_in_unfinished_code() {
        let source = "perform(robot, head(left=20, 'a)'), wait(";
        let found = surroundings(source, source.len());
        assert_eq!(found.call(source), Some(("wait", source.len() - 1)));
        let at = source.find("20").unwrap();
        let found = surroundings(source, at);
        let (name, bracket) = found.call(source).unwrap();
        assert_eq!((name, argument(source, bracket, at)), ("head", (Some("left"), 0)));
        let at = source.find("a)").unwrap();
        assert_eq!(surroundings(source, at).text_from, Some(at));
        for (source, is_code) in [
            ("# a(", false),
            ("x = 'a\nb", true),
            ("'''a'b", false),
            ("'''a'''", true),
            ("\"\" + ", true),
            ("'\\'a", false),
            ("'\u{e9}", false),
        ] {
            assert_eq!(surroundings(source, source.len()).is_code(), is_code, "{source}");
        }
    }

    #[test]
    fn names_of_imports_and_annotations_are_known() {
        let names = Names::of(
            "import numpy as np, math\nfrom motion import (\n    head,  # turns\n    wait as pause,\n)\n\ndef f(mini: ReachyMini):\n",
        );
        assert_eq!(names.modules["np"], "numpy");
        assert_eq!(names.modules["math"], "math");
        assert_eq!(names.values["head"], ("motion".into(), "head".into()));
        assert_eq!(names.values["pause"], ("motion".into(), "wait".into()));
        assert!(names.robots.contains("mini"));
    }
}
