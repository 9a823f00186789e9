//! Reads the journal: entries in order, and missing or damaged ones.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::str::FromStr;

use minismith_protocol::old_names::files::{JOURNAL_ACTORS, JOURNAL_KINDS, new_word};
use serde::Serialize;

use super::entry::{Entry, MAX_LINE_BYTES};
use super::file::RotatingFile;

/// A filter for entries; an absent field matches all.
#[derive(Clone, Debug, Default)]
pub struct EntryFilter {
    /// The kind, by its new or its old name.
    pub kind: Option<String>,
    /// The id, or its first characters.
    pub id: Option<String>,
    /// The actor.
    pub who: Option<String>,
    /// Text in the request or the result, in any case.
    pub text: Option<String>,
    /// The earliest time, UTC as in entries, or its beginning: `2026-11-23T10`.
    pub since: Option<String>,
    /// The time before which entries match.
    pub until: Option<String>,
}

impl EntryFilter {
    /// Whether an entry matches.
    #[must_use]
    pub fn takes(&self, entry: &Entry) -> bool {
        let is = |wanted: &Option<String>, there: &str, names| {
            wanted.as_ref().is_none_or(|wanted| new_word(names, wanted) == there)
        };
        let says = |text: &String| {
            let text = text.to_lowercase();
            [&entry.action, &entry.outcome].iter().any(|words| words.to_lowercase().contains(&text))
        };
        is(&self.kind, &entry.kind, JOURNAL_KINDS)
            && is(&self.who, &entry.actor, JOURNAL_ACTORS)
            && self.id.as_ref().is_none_or(|id| entry.id.as_ref().is_some_and(|there| there.starts_with(id)))
            && self.text.as_ref().is_none_or(says)
            && self.since.as_ref().is_none_or(|since| entry.at.as_str() >= since.as_str())
            && self.until.as_ref().is_none_or(|until| entry.at.as_str() < until.as_str())
    }
}

/// A position in the journal: just before an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    run: String,
    pub(super) seq: u64,
}

impl Cursor {
    /// Returns the position just before this entry.
    #[must_use]
    pub fn of(entry: &Entry) -> Self {
        Cursor { run: entry.process_id.clone(), seq: entry.seq }
    }

    /// Whether an entry is of the same process.
    pub(super) fn is_of(&self, entry: &Entry) -> bool {
        self.run == entry.process_id
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.run, self.seq)
    }
}

/// A text that is no position in the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a place in the journal is the name of a run, a dot and a number")]
pub struct CursorError;

impl FromStr for Cursor {
    type Err = CursorError;

    fn from_str(text: &str) -> Result<Self, CursorError> {
        // The id of a process may have a dot in a journal of another program.
        let (run, seq) = text.rsplit_once('.').ok_or(CursorError)?;
        let seq = seq.parse().map_err(|_| CursorError)?;
        Ok(Cursor { run: run.to_owned(), seq })
    }
}

/// The integrity of a journal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Health {
    /// The number of entries read.
    pub entries: u64,
    /// The number of damaged lines.
    pub damaged: u64,
    /// The file and the line of the first damaged ones.
    pub places: Vec<String>,
    /// The missing entries between others of the same process.
    pub missing: u64,
    /// The dropped entries that later ones report.
    pub lost: u64,
}

/// The maximum number of damaged lines that are located.
const MAX_REPORTED_DAMAGES: usize = 10;

/// Passes every entry to `each`, the oldest first, and returns the journal's integrity.
///
/// # Errors
/// When a file cannot be read. A missing journal is empty.
pub fn read(place: &RotatingFile, mut each: impl FnMut(Entry)) -> io::Result<Health> {
    let mut health = Health::default();
    let mut seen: BTreeMap<String, u64> = BTreeMap::new();
    for path in place.files() {
        let mut lines = Lines::new(BufReader::new(File::open(&path)?));
        while let Some((number, line)) = lines.line()? {
            let Some(entry) = Entry::of_line(&line) else {
                health.damaged += 1;
                if health.places.len() < MAX_REPORTED_DAMAGES {
                    health.places.push(format!("{}:{number}", path.display()));
                }
                continue;
            };
            health.entries += 1;
            // A file may have been written by anybody.
            health.lost = health.lost.saturating_add(entry.dropped);
            if let Some(before) = seen.insert(entry.process_id.clone(), entry.seq) {
                let missing =
                    entry.seq.saturating_sub(before).saturating_sub(1).saturating_sub(entry.dropped);
                health.missing = health.missing.saturating_add(missing);
            }
            each(entry);
        }
    }
    Ok(health)
}

/// Returns the latest matching entries, the oldest of them first, and the integrity of the whole journal.
///
/// # Errors
/// As [`read`].
pub fn latest(path: &RotatingFile, wanted: &EntryFilter, most: usize) -> io::Result<(Vec<Entry>, Health)> {
    let mut latest = VecDeque::new();
    let health = read(path, |entry| {
        if wanted.takes(&entry) {
            if latest.len() >= most {
                latest.pop_front();
            }
            latest.push_back(entry);
        }
    })?;
    Ok((latest.into(), health))
}

/// Reads lines with their numbers, none longer than the maximum; empty ones are skipped.
pub struct Lines<R> {
    input: R,
    number: u64,
}

impl<R: BufRead> Lines<R> {
    /// The lines of a file.
    pub const fn new(input: R) -> Self {
        Lines { input, number: 0 }
    }

    /// Returns the next one without its end; none at the end of the file or of an incomplete last line.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn line(&mut self) -> io::Result<Option<(u64, Vec<u8>)>> {
        loop {
            let mut line = Vec::new();
            (&mut self.input).take(MAX_LINE_BYTES as u64).read_until(b'\n', &mut line)?;
            if line.is_empty() {
                return Ok(None);
            }
            self.number += 1;
            if line.last() == Some(&b'\n') {
                line.pop();
            } else {
                self.input.skip_until(b'\n')?;
            }
            if !line.is_empty() {
                return Ok(Some((self.number, line)));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_is_damaged_or_missing_is_counted_and_the_rest_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path =
            RotatingFile { path: folder.path().join("journal.jsonl"), max_bytes: 1 << 20, retained: 1 };
        assert_eq!(read(&path, |_| panic!("nobody wrote")).unwrap(), Health::default());
        let entry = |seq, lost, what: &str| {
            let entry = Entry {
                process_id: "r".into(),
                seq,
                dropped: lost,
                ..Entry::now("utterance", "Ada", what, "Done")
            };
            String::from_utf8(entry.line().unwrap()).unwrap()
        };
        let old = entry(0, 0, "nod");
        let changed = entry(1, 0, "look left").replace("left", "right");
        let new = entry(3, 0, "dance") + "\n" + &changed + &entry(9, 5, "halt") + r#"{"at": "cut o"#;
        fs::write(path.aside(1), old).unwrap();
        fs::write(&path.path, new).unwrap();
        let mut heard = Vec::new();
        let health = read(&path, |entry| heard.push(entry.action)).unwrap();
        assert_eq!(heard, ["nod", "dance", "halt"]);
        // Two between 0 and 3; five between 3 and 9, all of which the later entry reports as dropped.
        assert_eq!((health.entries, health.damaged, health.missing, health.lost), (3, 2, 2, 5));
        assert!(health.places[0].ends_with("journal.jsonl:3"), "{health:?}");
        let wanted = EntryFilter { text: Some("DAN".into()), ..EntryFilter::default() };
        assert_eq!(latest(&path, &wanted, 9).unwrap().0.len(), 1);
        assert_eq!(latest(&path, &EntryFilter::default(), 2).unwrap().0[0].action, "dance");
    }

    #[test]
    fn numbers_at_the_end_of_their_range_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        let path =
            RotatingFile { path: folder.path().join("journal.jsonl"), max_bytes: 1 << 20, retained: 1 };
        let entry = |seq, dropped| {
            let entry = Entry::now("utterance", "Ada", "nod", "Done");
            let entry = Entry { process_id: "r".into(), seq, dropped, ..entry };
            String::from_utf8(entry.line().unwrap()).unwrap()
        };
        fs::write(&path.path, entry(u64::MAX, u64::MAX) + &entry(0, u64::MAX)).unwrap();
        let health = read(&path, |_| {}).unwrap();
        assert_eq!((health.entries, health.missing, health.lost), (2, 0, u64::MAX));
    }

    #[test]
    fn a_cursor_is_read_back_whatever_the_id_of_the_process() {
        for process in ["0f3a2b1c4d5e", "a.b", ".", ""] {
            let cursor = Cursor::of(&Entry { process_id: process.into(), seq: u64::MAX, ..Entry::default() });
            assert_eq!(cursor.to_string().parse(), Ok(cursor), "{process:?}");
        }
    }

    #[test]
    fn text_that_is_no_cursor_is_rejected() {
        for bad in ["", "r", "r.", "r.x", ".-1"] {
            assert_eq!(bad.parse::<Cursor>(), Err(CursorError), "{bad}");
        }
    }
}
