//! Old spellings in a user's file: [`modernize`] replaces them by the new ones and reports each with its line.
//!
//! The names come from [`minismith_protocol::old_names::config`]. A walk over the YAML finds old keys and values. Their
//! positions come from the reader's errors, because it reports positions in no other way: to locate one, the walk runs
//! again and fails there on purpose. A file without old spellings is walked once. Only text on the same line changes, so
//! later errors still name the right line.

use std::collections::BTreeMap;
use std::fmt;

use minismith_protocol::old_names::config::{has_renamed, is_section, new_key, new_value};
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::ConfigError;

/// An old spelling of a key or value, which is read as the new one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OldSpelling {
    /// The file, as named.
    pub file: String,
    /// The line of the key or value.
    pub line: usize,
    /// What the file contains.
    pub old: String,
    /// The new spelling.
    pub new: String,
}

impl fmt::Display for OldSpelling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OldSpelling { file, line, old, new } = self;
        write!(f, "{file}:{line}: `{old}` is now `{new}`; rename it")
    }
}

/// The largest number of old spellings in a file. Each one costs a walk; a file with more is not worth the time.
const MAX_OLD: usize = 500;

/// Returns the text with new spellings only, and what was replaced. Text that is not a configuration is returned as far
/// as it could be read; the reader of the configuration reports its error.
///
/// # Errors
/// If a key is given in both spellings.
pub(super) fn modernize(file: &str, text: &str) -> Result<(String, Vec<OldSpelling>), ConfigError> {
    let found = walk(text, None).0;
    if let Some((first, second)) = given_twice(&found) {
        let line = |visit| locate(text, visit).map_or(0, |(line, _)| line);
        let (Some(one), Some(other)) = (found.get(first), found.get(second)) else {
            return Ok((text.into(), Vec::new()));
        };
        return Err(ConfigError::Key {
            file: file.to_owned(),
            line: line(second),
            key: other.written.clone(),
            problem: format!(
                "is the same key as `{}` on line {}; keep `{}`",
                one.written,
                line(first),
                one.path
            ),
        });
    }
    let mut replacements = BTreeMap::new();
    let mut notes: Vec<OldSpelling> = Vec::new();
    for (visit, at) in found.iter().enumerate().filter(|(_, at)| !at.is_current()).take(MAX_OLD) {
        let Some((line, index)) = locate(text, visit) else { continue };
        if let Some(new) = at.new {
            replacements.insert(index, (at.spelled.clone(), new));
        }
        if let Some((old, new)) = at.note(&found, visit) {
            notes.push(OldSpelling { file: file.to_owned(), line, old, new });
        }
    }
    Ok((replace(text, &replacements), notes))
}

/// A key or value, as the walk meets it.
#[derive(Clone, Debug)]
struct Visit {
    /// The path of the key in new spelling; of an entry of a list, with `[]`.
    path: String,
    /// The path of the key as written.
    written: String,
    /// The last part of the path as written, or the value.
    spelled: String,
    /// The new spelling of that part or value.
    new: Option<&'static str>,
    /// What kind of visit this is.
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A key that contains other keys.
    Section,
    /// A key with a value.
    Key,
    /// A value, which follows its key.
    Value,
    /// An entry of a list.
    Entry,
}

impl Visit {
    /// Whether nothing about it is old.
    fn is_current(&self) -> bool {
        self.new.is_none() && (self.kind != Kind::Key || self.written == self.path)
    }

    /// What to report, old and new. A key and its value are one report, and so are a section and its keys.
    fn note(&self, found: &[Visit], visit: usize) -> Option<(String, String)> {
        match (self.kind, self.new) {
            (Kind::Section, _) => None,
            (Kind::Entry, Some(new)) => Some((self.spelled.clone(), new.to_owned())),
            (Kind::Value, Some(new)) => {
                Some((format!("{}: {}", self.written, self.spelled), format!("{}: {new}", self.path)))
            }
            (Kind::Key, _) => {
                let has_old_value =
                    found.get(visit + 1).is_some_and(|next| next.kind == Kind::Value && next.new.is_some());
                (!has_old_value).then(|| (self.written.clone(), self.path.clone()))
            }
            (Kind::Entry | Kind::Value, None) => None,
        }
    }
}

/// The first two visits of one key in different spellings.
fn given_twice(found: &[Visit]) -> Option<(usize, usize)> {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for (visit, at) in found.iter().enumerate() {
        // The entries of `agents.roster` have the same path.
        if !matches!(at.kind, Kind::Section | Kind::Key) || at.path.contains('[') {
            continue;
        }
        match seen.get(at.path.as_str()) {
            Some(first) if found.get(*first).is_some_and(|first| first.written != at.written) => {
                return Some((*first, visit));
            }
            Some(_) => {}
            None => {
                seen.insert(&at.path, visit);
            }
        }
    }
    None
}

/// Returns the line and the byte offset of this visit.
fn locate(text: &str, visit: usize) -> Option<(usize, usize)> {
    let error = walk(text, Some(visit)).1?;
    error.location().map(|location| (location.line(), location.index()))
}

/// Returns the text with these parts replaced. A key with escapes stays as it is, and the reader reports it as unknown.
fn replace(text: &str, replacements: &BTreeMap<usize, (String, &str)>) -> String {
    let mut out = String::new();
    let mut at = 0;
    for (index, (old, new)) in replacements {
        let Some(before) = text.get(at..*index) else { continue };
        out.push_str(before);
        at = *index;
        let after = text.get(at..).unwrap_or_default();
        let quote = after.get(..1).filter(|first| matches!(*first, "\"" | "'")).unwrap_or_default();
        if after.strip_prefix(quote).is_some_and(|after| after.starts_with(old)) {
            out.push_str(quote);
            out.push_str(new);
            at += quote.len() + old.len();
        }
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

/// All visits up to the one where to stop, and the error that ended the walk.
fn walk(text: &str, stop_at: Option<usize>) -> (Vec<Visit>, Option<serde_yaml::Error>) {
    let mut progress = Progress { found: Vec::new(), stop_at };
    let position = Position { path: String::new(), written: String::new(), walk: &mut progress };
    let error = position.deserialize(serde_yaml::Deserializer::from_str(text)).err();
    (progress.found, error)
}

struct Progress {
    found: Vec<Visit>,
    stop_at: Option<usize>,
}

impl Progress {
    fn visit<E: Error>(&mut self, visit: Visit) -> Result<(), E> {
        if self.stop_at == Some(self.found.len()) {
            return Err(E::custom("located"));
        }
        self.found.push(visit);
        Ok(())
    }
}

/// Whatever follows a key or stands in a list.
struct Position<'a> {
    path: String,
    written: String,
    walk: &'a mut Progress,
}

impl<'de> DeserializeSeed<'de> for Position<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Position<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some((path, written)) =
            map.next_key_seed(Key { path: &self.path, written: &self.written, walk: &mut *self.walk })?
        {
            if has_renamed(&path) {
                map.next_value_seed(Position { path, written, walk: &mut *self.walk })?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let entry = |path: &str| format!("{path}[]");
        while list
            .next_element_seed(Position {
                path: entry(&self.path),
                written: entry(&self.written),
                walk: &mut *self.walk,
            })?
            .is_some()
        {}
        Ok(())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<(), E> {
        let new = new_value(&self.path, value);
        let kind = if self.path.ends_with(']') { Kind::Entry } else { Kind::Value };
        let Position { path, written, walk } = self;
        // The written path of a value is that of its key, which is reported there.
        walk.visit(Visit { spelled: value.to_owned(), new, kind, written, path })
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }
}

/// A key; becomes its path in new spelling, and as written.
struct Key<'a> {
    path: &'a str,
    written: &'a str,
    walk: &'a mut Progress,
}

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = (String, String);

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = (String, String);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<Self::Value, E> {
        let join = |section: &str, key: &str| match section {
            "" => key.to_owned(),
            section => format!("{section}.{key}"),
        };
        let new = new_key(self.path, key);
        let path = join(self.path, new.unwrap_or(key));
        let written = join(self.written, key);
        let kind = if is_section(&path) { Kind::Section } else { Kind::Key };
        self.walk.visit(Visit {
            path: path.clone(),
            written: written.clone(),
            spelled: key.to_owned(),
            new,
            kind,
        })?;
        Ok((path, written))
    }
}

#[cfg(test)]
mod tests;
