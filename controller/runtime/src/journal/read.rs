//! Reads the journal: entries in order, and missing or damaged ones.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;
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
    seq: u64,
}

impl Cursor {
    /// Returns the position just before this entry.
    #[must_use]
    pub fn of(entry: &Entry) -> Self {
        Cursor { run: entry.process_id.clone(), seq: entry.seq }
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
        let (run, seq) = text.split_once('.').ok_or(CursorError)?;
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
            health.lost += entry.dropped;
            if let Some(before) = seen.insert(entry.process_id.clone(), entry.seq) {
                health.missing += entry.seq.saturating_sub(before + 1).saturating_sub(entry.dropped);
            }
            each(entry);
        }
    }
    Ok(health)
}

/// Returns the latest matching entries, the oldest of them first.
///
/// # Errors
/// As [`read`].
pub fn latest(path: &RotatingFile, wanted: &EntryFilter, most: usize) -> io::Result<(Vec<Entry>, Health)> {
    latest_before(path, wanted, most, None)
}

/// Returns the latest matching entries before a position, if given.
///
/// # Errors
/// As [`read`].
pub fn latest_before(
    path: &RotatingFile,
    wanted: &EntryFilter,
    most: usize,
    cursor: Option<&Cursor>,
) -> io::Result<(Vec<Entry>, Health)> {
    let mut latest = VecDeque::new();
    let mut is_past = false;
    let health = read(path, |entry| {
        is_past |= cursor.is_some_and(|cursor| cursor.run == entry.process_id && entry.seq >= cursor.seq);
        if !is_past && wanted.takes(&entry) {
            if latest.len() >= most {
                latest.pop_front();
            }
            latest.push_back(entry);
        }
    })?;
    Ok((latest.into(), health))
}

/// The size of the part that is read first from a file's end when only the latest entries are needed, bytes.
const TAIL_BYTES: u64 = 1 << 20;

/// Returns the latest entries, the oldest of them first. Only the end of a long journal is read.
///
/// # Errors
/// As [`read`].
pub fn recent(place: &RotatingFile, most: usize) -> io::Result<Vec<Entry>> {
    let mut recent = Vec::new();
    for path in place.files().iter().rev() {
        let missing = most - recent.len();
        if missing == 0 {
            break;
        }
        let mut older = end_of(path, missing)?;
        older.append(&mut recent);
        recent = older;
    }
    Ok(recent)
}

/// Returns the latest entries of one file.
fn end_of(path: &Path, most: usize) -> io::Result<Vec<Entry>> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let mut end = TAIL_BYTES;
    loop {
        let from = length.saturating_sub(end);
        file.seek(SeekFrom::Start(from))?;
        let mut lines = Lines::new(BufReader::new(&file));
        if from > 0 {
            // The part may begin within a line.
            lines.line()?;
        }
        let mut entries = Vec::new();
        while let Some((_, line)) = lines.line()? {
            entries.extend(Entry::of_line(&line));
        }
        if entries.len() >= most || from == 0 {
            let more = entries.len().saturating_sub(most);
            return Ok(entries.split_off(more));
        }
        end *= 2;
    }
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
    fn a_journal_is_read_back_page_by_page_and_nothing_is_reported_twice() {
        let folder = tempfile::tempdir().unwrap();
        let path =
            RotatingFile { path: folder.path().join("journal.jsonl"), max_bytes: 1 << 20, retained: 1 };
        let entry = |seq: u64| {
            let kind = if seq.is_multiple_of(2) { "utterance" } else { "tool" };
            let entry = Entry { process_id: "r".into(), seq, ..Entry::now(kind, "Ada", "nod", "Done") };
            String::from_utf8(entry.line().unwrap()).unwrap()
        };
        fs::write(path.aside(1), (0..7).map(entry).collect::<String>()).unwrap();
        fs::write(&path.path, (7..20).map(entry).collect::<String>()).unwrap();
        let wanted = EntryFilter { kind: Some("said".into()), ..EntryFilter::default() };
        let (mut reported, mut cursor) = (Vec::new(), None::<Cursor>);
        loop {
            let (page, _) = latest_before(&path, &wanted, 3, cursor.as_ref()).unwrap();
            let Some(first) = page.first() else { break };
            cursor = Some(Cursor::of(first).to_string().parse().unwrap());
            reported.extend(page.iter().rev().map(|entry| entry.seq));
        }
        assert_eq!(reported, (0..10).rev().map(|half| 2 * half).collect::<Vec<_>>());
        for bad in ["", "r", "r.", "r.x", ".-1"] {
            assert_eq!(bad.parse::<Cursor>(), Err(CursorError), "{bad}");
        }
    }

    #[test]
    fn the_latest_entries_are_those_at_the_end_however_far_back_they_lie() {
        let folder = tempfile::tempdir().unwrap();
        let path =
            RotatingFile { path: folder.path().join("journal.jsonl"), max_bytes: 1 << 20, retained: 1 };
        assert_eq!(recent(&path, 9).unwrap(), []);
        let entry = |seq: u64| {
            // Together longer than the part that is read first.
            let entry = Entry::now("utterance", "Ada", &"nod ".repeat(1000), "Done");
            String::from_utf8(Entry { process_id: "r".into(), seq, ..entry }.line().unwrap()).unwrap()
        };
        fs::write(path.aside(1), (0..5).map(entry).collect::<String>()).unwrap();
        fs::write(&path.path, (5..700).map(entry).collect::<String>()).unwrap();
        for most in [1, 100, 400, 695, 698, 700, 900] {
            let (whole, _) = latest(&path, &EntryFilter::default(), most).unwrap();
            assert_eq!(recent(&path, most).unwrap(), whole, "{most}");
        }
    }
}
