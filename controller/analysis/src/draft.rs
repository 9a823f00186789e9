//! The exact bytes of one tool. Text that two parsers might read differently does not become a draft.

use std::collections::BTreeMap;

use super::digest::hex_sha256;
use super::finding::Finding;
use super::policy::rules::{Rule, source as rule};
use super::submission::Submission;

/// Maximum length of the source of one module, in bytes.
pub const MAX_BYTES: usize = 64 << 10;

/// Maximum length of the source of a whole toolkit, in bytes.
pub const MAX_BYTES_IN_ALL: usize = 256 << 10;

/// Maximum nesting of brackets.
const MAX_BRACKETS: usize = 64;

/// Maximum number of consecutive unary operators.
const MAX_UNARY: usize = 16;

/// Maximum indentation of a statement, in characters.
const MAX_INDENTATION: usize = 160;

/// A tool's source as its author wrote it. It is plain text; nothing else is known about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Draft {
    name: String,
    source: String,
    others: Option<BTreeMap<String, String>>,
    sha256: String,
}

impl Draft {
    /// Reads a submission: one file, or the modules of a toolkit.
    ///
    /// # Errors
    /// The same as [`Draft::read`], for each module.
    pub fn of(submission: &Submission) -> Result<Draft, Vec<Finding>> {
        let Submission { name, main, others, .. } = submission;
        Draft::read_all(name, main, others.as_ref())
    }

    /// Reads the main module `name.py` and the other modules of a toolkit.
    ///
    /// # Errors
    /// The same as [`Draft::read`], for each module.
    pub fn read_all(
        name: &str,
        main: &[u8],
        others: Option<&BTreeMap<String, Vec<u8>>>,
    ) -> Result<Draft, Vec<Finding>> {
        let draft = Draft::read(name, main);
        let Some(others) = others else { return draft };
        let length = main.len() + others.values().map(Vec::len).sum::<usize>();
        if length > MAX_BYTES_IN_ALL {
            let what = format!("{length} bytes in all, at most {MAX_BYTES_IN_ALL} are read of a toolkit");
            return Err(vec![rule::TOO_LONG.at(1, what)]);
        }
        let (mut read, mut findings) = (BTreeMap::new(), Vec::new());
        for (module, bytes) in others {
            match Draft::read(module, bytes) {
                Ok(other) => drop(read.insert(other.name, other.source)),
                Err(found) => findings.extend(found.into_iter().map(|finding| finding.within(module))),
            }
        }
        match draft {
            Ok(draft) if findings.is_empty() => {
                let sha256 = hash_of_all(&draft.name, &draft.source, &read);
                Ok(Draft { others: Some(read), sha256, ..draft })
            }
            Ok(_) => Err(findings),
            Err(found) => Err(found.into_iter().chain(findings).collect()),
        }
    }

    /// Reads the bytes of the file `name.py`.
    ///
    /// # Errors
    /// One finding for each reason why these bytes are not plain source text, in the order of their lines.
    pub fn read(name: &str, bytes: &[u8]) -> Result<Draft, Vec<Finding>> {
        let mut findings = Vec::new();
        if !is_module_name(name) {
            findings.push(rule::BAD_NAME.at(1, format!("`{}` is not a module name", clip(name))));
        }
        if bytes.len() > MAX_BYTES {
            // No other check runs, so the work stays bounded.
            findings
                .push(rule::TOO_LONG.at(1, format!("{} bytes, at most {MAX_BYTES} are read", bytes.len())));
            return Err(findings);
        }
        let source = match std::str::from_utf8(bytes) {
            Ok(source) => source,
            Err(error) => {
                let line = line_of(bytes, error.valid_up_to());
                findings.push(rule::NOT_UTF8.at(line, format!("byte {} is not UTF-8", error.valid_up_to())));
                return Err(findings);
            }
        };
        findings.extend(forbidden_characters(source));
        findings.extend(encoding_declaration(source));
        findings.extend(nesting(source));
        if findings.is_empty() {
            let (name, source) = (name.to_owned(), source.to_owned());
            Ok(Draft { name, source, others: None, sha256: hex_sha256(bytes) })
        } else {
            findings.sort_by_key(|finding| finding.line);
            Err(findings)
        }
    }

    /// Returns the stem of the file: the tool's name and its `__name__`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the source text, byte for byte; for a toolkit, that of its main module.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Returns the other modules of a toolkit, by name; none for a tool of one file.
    #[must_use]
    pub fn others(&self) -> Option<&BTreeMap<String, String>> {
        self.others.as_ref()
    }

    /// Returns every module: the main one first, then the others by name.
    pub fn modules(&self) -> impl Iterator<Item = (&str, &str)> {
        let others = self.others.iter().flatten().map(|(name, source)| (name.as_str(), source.as_str()));
        std::iter::once((self.name.as_str(), self.source.as_str())).chain(others)
    }

    /// Returns the SHA-256 of the bytes, in lower-case hexadecimal; for a toolkit, of all modules with
    /// their names.
    #[must_use]
    pub fn sha256(&self) -> &str {
        &self.sha256
    }
}

/// Hashes names and lengths too, so that nothing can move from one module to another.
fn hash_of_all(name: &str, source: &str, others: &BTreeMap<String, String>) -> String {
    let mut text = Vec::new();
    let others = others.iter().map(|(name, source)| (name.as_str(), source.as_str()));
    for (name, source) in std::iter::once((name, source)).chain(others) {
        text.extend_from_slice(format!("{name} {}\n", source.len()).as_bytes());
        text.extend_from_slice(source.as_bytes());
    }
    hex_sha256(&text)
}

/// Maximum length of the name of a module, a tool or a parameter.
pub(crate) const MAX_NAME_LENGTH: usize = 64;

/// Returns whether a module or a tool may have this name.
pub(crate) fn is_module_name(name: &str) -> bool {
    name.len() <= MAX_NAME_LENGTH
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

/// Returns at most forty characters of untrusted text, without control characters and invisible ones.
pub(crate) fn clip(text: &str) -> String {
    text.chars().filter(|c| !is_hidden(*c)).take(40).collect()
}

/// Returns whether a character is not seen where it stands: control characters, marks of the direction, joiners, selectors
/// of variants, and the tags that repeat ASCII invisibly.
pub(crate) fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'..='\u{1160}'
                | '\u{17b4}'..='\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                | '\u{fe00}'..='\u{fe0e}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

fn line_of(bytes: &[u8], offset: usize) -> u32 {
    let newlines = bytes.iter().take(offset).filter(|byte| **byte == b'\n').count();
    u32::try_from(newlines + 1).unwrap_or(u32::MAX)
}

/// Reports characters that parsers read differently: each kind once.
fn forbidden_characters(source: &str) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    if source.bytes().all(|byte| matches!(byte, b'\n' | b' '..=b'~')) {
        return findings;
    }
    let mut line = 1;
    let mut rest = source.chars().peekable();
    let mut first = true;
    while let Some(c) = rest.next() {
        let found: Option<(&Rule, String)> = match c {
            '\n' => {
                line += 1;
                None
            }
            '\r' if rest.peek() == Some(&'\n') => None,
            '\r' => Some((&rule::CONTROL_CHARACTER, "a carriage return that ends no line".into())),
            '\u{feff}' if first => Some((&rule::BYTE_ORDER_MARK, "a byte order mark".into())),
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                Some((
                    &rule::BIDIRECTIONAL_CONTROL,
                    format!("U+{:04X} changes the order of what is read", c as u32),
                ))
            }
            '\t' => None,
            '\u{feff}' | '\u{2028}' | '\u{2029}' => {
                Some((&rule::CONTROL_CHARACTER, format!("the invisible character U+{:04X}", c as u32)))
            }
            c if c.is_control() => {
                Some((&rule::CONTROL_CHARACTER, format!("the control character U+{:04X}", c as u32)))
            }
            _ => None,
        };
        first = false;
        if let Some((rule, reason)) = found
            && !findings.iter().any(|known| known.rule == rule.id)
        {
            findings.push(rule.at(line, reason));
        }
    }
    findings
}

/// Reports a declaration of another encoding (PEP 263), which CPython obeys in the first two lines.
fn encoding_declaration(source: &str) -> Option<Finding> {
    (1..).zip(source.lines().take(2)).find_map(|(number, line)| {
        let comment = line.split_once('#')?.1;
        let after = comment.split("coding").skip(1).find(|after| after.starts_with([':', '=']))?;
        Some(
            rule::ENCODING_COOKIE
                .at(number, format!("a declaration of an encoding: `coding{}`", clip(after))),
        )
    })
}

/// The state of the scanner.
enum Reading {
    Code,
    Comment,
    Text { quote: char, triple: bool },
}

/// Returns whether a text starts with two of these quotes.
fn starts_with_two(quote: char, text: &str) -> bool {
    text.strip_prefix(quote).is_some_and(|text| text.starts_with(quote))
}

/// Reports excessive nesting, before a parser runs that the nesting could exhaust.
fn nesting(source: &str) -> Option<Finding> {
    let (mut line, mut brackets, mut unary, mut indentation) = (1, 0_usize, 0, Some(0));
    let mut reading = Reading::Code;
    let mut rest = source.chars();
    while let Some(c) = rest.next() {
        if c == '\n' {
            line += 1;
        }
        match reading {
            Reading::Comment if c == '\n' => reading = Reading::Code,
            Reading::Comment => {}
            Reading::Text { .. } if c == '\\' => {
                if rest.next() == Some('\n') {
                    line += 1;
                }
            }
            Reading::Text { quote, triple } => {
                if !triple && (c == quote || c == '\n') {
                    reading = Reading::Code;
                } else if c == quote && starts_with_two(quote, rest.as_str()) {
                    rest.nth(1);
                    reading = Reading::Code;
                }
            }
            Reading::Code => match c {
                '#' => reading = Reading::Comment,
                '\'' | '"' => {
                    let triple = starts_with_two(c, rest.as_str());
                    if triple {
                        rest.nth(1);
                    }
                    reading = Reading::Text { quote: c, triple };
                }
                '(' | '[' | '{' => brackets += 1,
                ')' | ']' | '}' => brackets = brackets.saturating_sub(1),
                _ => {}
            },
        }
        indentation = match (c, indentation) {
            ('\n', _) => (brackets == 0 && matches!(reading, Reading::Code)).then_some(0),
            (' ' | '\t', Some(deep)) => Some(deep + 1),
            _ => None,
        };
        unary = match c {
            '-' | '+' | '~' if matches!(reading, Reading::Code) => unary + 1,
            ' ' => unary,
            _ => 0,
        };
        let what = if brackets > MAX_BRACKETS {
            "brackets"
        } else if unary > MAX_UNARY {
            "unary operators"
        } else if indentation.is_some_and(|deep| deep > MAX_INDENTATION) {
            "indentation"
        } else {
            continue;
        };
        return Some(rule::TOO_NESTED.at(line, format!("{what} nested too deeply")));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_rejected(bytes: &[u8], rule: &str, line: u32) {
        let findings = Draft::read("tool", bytes).expect_err("read although it is not plain");
        assert_eq!(findings.first().map(|f| (f.rule.as_str(), f.line)), Some((rule, line)), "{findings:?}");
    }

    #[test]
    fn plain_text_is_preserved_byte_for_byte() {
        let source = "x = '\u{e9}'\r\n# decoding: nothing\nz = 1\n".replace("decoding:", "decoding");
        let draft = Draft::read("tool", source.as_bytes()).unwrap();
        assert_eq!((draft.name(), draft.source()), ("tool", source.as_str()));
        // The digest of the three bytes `abc`, from FIPS 180-2.
        assert_eq!(hex_sha256(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    #[test]
    fn ambiguous_bytes_are_rejected() {
        assert_rejected(b"\xef\xbb\xbfx = 1\n", "byte-order-mark", 1);
        assert_rejected(b"x = 1\n\0", "control-character", 2);
        assert_rejected(b"# a\rimport os\n", "control-character", 1);
        assert_rejected(b"x = 1\n# \x0c\n", "control-character", 2);
        assert_rejected("x = 1 # \u{202e}\n".as_bytes(), "bidirectional-control", 1);
        assert_rejected(b"x = '\xff'\n", "not-utf8", 1);
        assert_rejected(b"# -*- coding: utf-7 -*-\n", "encoding-cookie", 1);
        assert_rejected(b"\n# vim: set fileencoding=latin-1 :\n", "encoding-cookie", 2);
        assert_rejected(b"# recoding coding=x\n", "encoding-cookie", 1);
        assert_rejected(&vec![b'#'; MAX_BYTES + 1], "source-too-long", 1);
        assert!(Draft::read("tool", b"\n\n# coding: late\n").is_ok());
        for name in ["", "A", "1a", "a-b", "a.b", "../a", "\u{e9}", &"a".repeat(65)] {
            assert!(Draft::read(name, b"x = 1\n").is_err(), "{name}");
        }
    }

    #[test]
    fn excessive_nesting_is_rejected_before_parsing() {
        assert_rejected(("\n".to_owned() + &"(".repeat(30_000)).as_bytes(), "too-nested", 2);
        assert_rejected(("x = ".to_owned() + &"- ~".repeat(9_000) + "1").as_bytes(), "too-nested", 1);
        assert_rejected((" ".repeat(500) + "x").as_bytes(), "too-nested", 1);
        let harmless =
            format!("x = '{}'\n# {}\ny = '''\n{}'''\n", "(".repeat(99), "-".repeat(99), " ".repeat(300));
        assert!(Draft::read("tool", harmless.as_bytes()).is_ok());
        let continued = format!("x = f(\n{}1)\n", " ".repeat(200));
        assert!(Draft::read("tool", continued.as_bytes()).is_ok());
    }
}
