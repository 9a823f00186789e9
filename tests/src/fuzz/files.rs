//! Files that people bring: each is read or refused, and what was read is the same after it was written and read again.

use std::fs;
use std::io::{self, Write};

use minismith_control::recorded_move::RecordedMove;
use minismith_control::trace::RecordedTrace;
use minismith_perception::frame;
use minismith_runtime::config::Config;
use minismith_runtime::journal::{Cursor, Entry, EntryFilter, RotatingFile, latest_before, read};
use minismith_toolchain::workshop::bundle;
use minismith_voice::audio::Clip;

/// Reads a configuration. A refusal names the file.
///
/// # Panics
/// When a refusal does not say which file it is about.
pub fn configuration(data: &[u8]) {
    let mut file = tempfile::Builder::new().suffix(".yaml").tempfile().unwrap();
    file.write_all(data).unwrap();
    if let Err(error) = Config::load(Some(file.path())) {
        assert!(error.to_string().contains(&file.path().display().to_string()), "{error}");
    }
}

/// Opens a bundle of tools whose signer nobody trusts.
///
/// # Panics
/// When one of its tools does not count as foreign.
pub fn bundle(data: &[u8]) {
    if let Ok(opened) = bundle::open(data, &[]) {
        assert!(opened.tools.iter().all(|tool| tool.origin.is_foreign()));
    }
}

/// Reads a trace.
///
/// # Panics
/// When a trace that was read has a length that is no number.
pub fn trace(data: &[u8]) {
    if let Ok(trace) = RecordedTrace::from_lines(io::Cursor::new(data)) {
        assert!(trace.seconds().is_finite());
        assert!(trace.messages().count() < data.len());
    }
}

/// Reads a recorded move.
///
/// # Panics
/// When a move that was read is another one after it was written and read again.
pub fn recorded_move(data: &[u8]) {
    if let Ok(read) = RecordedMove::from_json(data) {
        let _motion = read.motion(1.0);
        let written = read.to_json().unwrap();
        let again = RecordedMove::from_json(&written).unwrap();
        assert_eq!(again.frames().count(), read.frames().count());
        assert_eq!(again.duration(), read.duration());
    }
}

/// Reads a journal of two files, which a byte 0x1e separates. After a byte 1, each line is a document without its checksum,
/// which is added.
///
/// # Panics
/// When the readers disagree, or an entry that was read is another one after it was written and read again.
pub fn journal(data: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    let place = RotatingFile { path: folder.path().join("journal.jsonl"), max_bytes: 1 << 20, retained: 1 };
    let (is_bare, data) = data.strip_prefix(&[1]).map_or((false, data), |rest| (true, rest));
    let mut parts = data.splitn(2, |byte| *byte == 0x1e);
    let newest = parts.next().unwrap_or_default();
    for (path, text) in [(place.aside(0), Some(newest)), (place.aside(1), parts.next())] {
        let Some(text) = text else { continue };
        let checked = |line: &[u8]| {
            let body = line.strip_suffix(b"}").unwrap_or(line);
            let end = format!(",\"crc\":\"{:08x}\"}}\n", crc32fast::hash(body));
            [body, end.as_bytes()].concat()
        };
        let lines = |text: &[u8]| text.split(|byte| *byte == b'\n').flat_map(checked).collect();
        fs::write(path, if is_bare { lines(text) } else { text.to_vec() }).unwrap();
    }
    let mut entries = Vec::new();
    let health = read(&place, |entry| entries.push(entry)).unwrap();
    assert_eq!(health.entries, entries.len() as u64);
    assert!(health.places.len() as u64 <= health.damaged);
    let all = EntryFilter::default();
    for most in 1..=3 {
        let latest = latest_before(&place, &all, most, None).unwrap();
        assert!(latest.iter().eq(entries.iter().skip(entries.len().saturating_sub(most))));
    }
    for entry in &entries {
        let line = entry.line().unwrap();
        assert_eq!(Entry::of_line(line.strip_suffix(b"\n").unwrap()).as_ref(), Some(entry));
        let cursor = Cursor::of(entry);
        assert_eq!(cursor.to_string().parse(), Ok(cursor.clone()));
        let filter = EntryFilter { text: Some(entry.action.clone()), ..EntryFilter::default() };
        assert!(filter.takes(entry));
        latest_before(&place, &filter, 3, Some(&cursor)).unwrap();
    }
}

/// Decodes an image.
///
/// # Panics
/// When the pixels are not as many as the size says.
pub fn image(data: &[u8]) {
    if let Ok(image) = frame::decode(data) {
        assert_eq!(image.bgr.len(), image.width * image.height * 3);
    }
}

/// Reads a WAV file.
///
/// # Panics
/// When a clip has no samples.
pub fn sound(data: &[u8]) {
    if let Ok(clip) = Clip::from_bytes(data) {
        assert!(!clip.samples.is_empty() && !clip.duration().is_zero());
    }
}
