//! [`latest_before`]: reads the journal from its end, only as far as necessary. A page of the latest entries takes the same time
//! however long the journal is.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::Path;

use super::entry::{Entry, MAX_LINE_BYTES};
use super::file::RotatingFile;
use super::read::{Cursor, EntryFilter};

/// Size of the parts that are read at once, bytes.
const PART_BYTES: u64 = 64 << 10;

/// Returns the latest matching entries before a position, if given, the oldest of them first. Damaged lines are skipped.
///
/// The entries of one process are in the order of their numbers, as it writes them.
///
/// # Errors
/// When a file cannot be read. A missing journal is empty.
pub fn latest_before(
    place: &RotatingFile,
    wanted: &EntryFilter,
    most: usize,
    cursor: Option<&Cursor>,
) -> io::Result<Vec<Entry>> {
    let mut latest = Vec::new();
    let mut is_before = cursor.is_none();
    let mut visit = |line: &[u8]| {
        let Some(entry) = Entry::of_line(line) else { return ControlFlow::Continue(()) };
        if let Some(cursor) = cursor.filter(|cursor| cursor.is_of(&entry)) {
            if entry.seq >= cursor.seq {
                // What was found so far lies after the position.
                latest.clear();
            }
            is_before = is_before || entry.seq <= cursor.seq;
            if entry.seq >= cursor.seq {
                return ControlFlow::Continue(());
            }
        }
        // Until the position is found, all may be needed: the cursor may be of a process whose entries are no longer stored.
        if wanted.takes(&entry) && latest.len() < most {
            latest.push(entry);
        }
        if is_before && latest.len() >= most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    for path in place.files().iter().rev() {
        if most == 0 || lines_from_end(path, &mut visit)?.is_break() {
            break;
        }
    }
    latest.reverse();
    Ok(latest)
}

/// Passes the lines of a file to `visit`, the last one first, without their ends. Empty lines and those that are too long for an
/// entry are skipped.
fn lines_from_end(
    path: &Path,
    visit: &mut impl FnMut(&[u8]) -> ControlFlow<()>,
) -> io::Result<ControlFlow<()>> {
    let mut file = File::open(path)?;
    let mut start = file.metadata()?.len();
    // The end of a line that begins in an earlier part; none if it is too long.
    let mut rest = Some(Vec::new());
    while start > 0 {
        let length = start.min(PART_BYTES);
        start -= length;
        file.seek(SeekFrom::Start(start))?;
        let mut part = Vec::new();
        (&mut file).take(length).read_to_end(&mut part)?;
        let mut lines = part.rsplit(|byte| *byte == b'\n');
        // The last line goes on in the part after this one, the first one begins before it.
        let mut line = [lines.next().unwrap_or_default(), rest.as_deref().unwrap_or_default()].concat();
        let mut is_whole = rest.is_some() && line.len() <= MAX_LINE_BYTES;
        for earlier in lines {
            if is_whole && !line.is_empty() && visit(&line).is_break() {
                return Ok(ControlFlow::Break(()));
            }
            (line, is_whole) = (earlier.to_vec(), true);
        }
        rest = is_whole.then_some(line);
    }
    Ok(match rest {
        Some(line) if !line.is_empty() => visit(&line),
        _ => ControlFlow::Continue(()),
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn place(folder: &Path) -> RotatingFile {
        RotatingFile { path: folder.join("journal.jsonl"), max_bytes: 1 << 20, retained: 1 }
    }

    fn entry(process: &str, seq: u64, action: &str) -> String {
        let kind = if seq.is_multiple_of(2) { "utterance" } else { "tool" };
        let entry = Entry { process_id: process.into(), seq, ..Entry::now(kind, "Ada", action, "Done") };
        String::from_utf8(entry.line().unwrap()).unwrap()
    }

    fn found(place: &RotatingFile, most: usize, cursor: Option<&str>) -> Vec<(String, u64)> {
        let cursor = cursor.map(|cursor| cursor.parse().unwrap());
        let entries = latest_before(place, &EntryFilter::default(), most, cursor.as_ref()).unwrap();
        entries.into_iter().map(|entry| (entry.process_id, entry.seq)).collect()
    }

    #[test]
    fn pages_of_a_journal_follow_each_other_without_repetition() {
        let folder = tempfile::tempdir().unwrap();
        let path = place(folder.path());
        fs::write(path.aside(1), (0..7).map(|seq| entry("r", seq, "nod")).collect::<String>()).unwrap();
        fs::write(&path.path, (7..20).map(|seq| entry("r", seq, "nod")).collect::<String>()).unwrap();
        let wanted = EntryFilter { kind: Some("said".into()), ..EntryFilter::default() };
        let (mut reported, mut cursor) = (Vec::new(), None::<Cursor>);
        loop {
            let page = latest_before(&path, &wanted, 3, cursor.as_ref()).unwrap();
            let Some(first) = page.first() else { break };
            cursor = Some(Cursor::of(first).to_string().parse().unwrap());
            reported.extend(page.iter().rev().map(|entry| entry.seq));
        }
        assert_eq!(reported, (0..10).rev().map(|half| 2 * half).collect::<Vec<_>>());
    }

    #[test]
    fn a_cursor_is_a_position_among_the_entries_of_all_processes() {
        let folder = tempfile::tempdir().unwrap();
        let path = place(folder.path());
        let order = [("a", 0), ("b", 0), ("a", 2), ("b", 1), ("a", 3), ("b", 2)];
        fs::write(&path.path, order.map(|(process, seq)| entry(process, seq, "nod")).concat()).unwrap();
        let before = |count: usize| -> Vec<(String, u64)> {
            order[..count].iter().map(|(process, seq)| ((*process).to_owned(), *seq)).collect()
        };
        assert_eq!(found(&path, 9, Some("a.3")), before(4));
        assert_eq!(found(&path, 9, Some("b.1")), before(3));
        // The entry of the cursor is missing: the position is before the next one of its process.
        assert_eq!(found(&path, 9, Some("a.1")), before(2));
        assert_eq!(found(&path, 1, Some("a.1")), [("b".to_owned(), 0)]);
        assert_eq!(found(&path, 9, Some("a.0")), before(0));
        // A process without entries, and no space.
        assert_eq!(found(&path, 9, Some("c.7")), before(6));
        assert_eq!(found(&path, 0, None), before(0));
    }

    #[test]
    fn lines_are_found_wherever_they_lie_in_a_part() {
        let folder = tempfile::tempdir().unwrap();
        let path = place(folder.path());
        assert_eq!(found(&path, 9, None), []);
        // Lines of some kilobytes, one that is longer than a part, one that is too long for an entry, and a damaged one.
        let words = |count| "nod ".repeat(count);
        let mut text = String::new();
        for seq in 0..40 {
            text += &entry("r", seq, &words(500 + 13 * usize::try_from(seq).unwrap()));
        }
        text += &entry("r", 40, &words(40_000));
        text += &format!("\n{}\n\nxx\n", words(500_000));
        text += entry("r", 41, "nod").trim_end();
        fs::write(&path.path, text).unwrap();
        fs::write(path.aside(1), entry("q", 0, "nod")).unwrap();
        let all: Vec<_> =
            [("q".to_owned(), 0)].into_iter().chain((0..42).map(|seq| ("r".to_owned(), seq))).collect();
        for most in [1, 2, 3, 30, 42, 43, 99] {
            assert_eq!(found(&path, most, None), all[all.len().saturating_sub(most)..], "{most}");
        }
        assert_eq!(found(&path, 2, Some("r.1")), all[..2]);
    }
}
