//! Writes the file of a trace during a run, and removes old traces.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use firmware_bridge::clock::system_time;
use minismith_protocol::trace_format::{Footer, Header, Message};

use super::SUFFIX;

/// A trace that is being written.
pub struct TraceWriter {
    path: PathBuf,
    file: BufWriter<File>,
    cycles: u64,
    /// Whether it contains motion and so is worth storing.
    is_moved: bool,
}

impl TraceWriter {
    /// Starts a trace.
    pub fn begin(folder: &Path, name: &str, begin: Header) -> io::Result<Self> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let path = folder.join(name);
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        let mut keeper = TraceWriter { path, file: BufWriter::new(file), cycles: 0, is_moved: false };
        keeper.write(&Message::Header(begin))?;
        Ok(keeper)
    }

    /// Writes a message.
    pub fn write(&mut self, message: &Message) -> io::Result<()> {
        self.cycles += u64::from(matches!(message, Message::Cycle(_)));
        serde_json::to_writer(&mut self.file, message)?;
        self.file.write_all(b"\n")
    }

    /// Flushes the file, so that the messages survive this program.
    pub fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }

    /// Marks the trace as worth storing, because the robot has moved.
    pub const fn moved(&mut self) {
        self.is_moved = true;
    }

    /// Closes the file after an error. An empty file is removed.
    pub fn give_up(self) {
        let TraceWriter { path, file, .. } = self;
        // The buffered data could not be written before.
        let (file, _lost) = file.into_parts();
        if file.metadata().is_ok_and(|about| about.len() == 0) {
            // If this fails, an empty file remains.
            let _ = fs::remove_file(path);
        }
    }

    /// Finishes the file. Returns whether it was stored.
    pub fn end(mut self, dropped: u64) -> io::Result<bool> {
        if !self.is_moved {
            fs::remove_file(&self.path)?;
            return Ok(false);
        }
        let cycles = self.cycles;
        self.write(&Message::Footer(Footer { cycles, dropped }))?;
        self.file.flush()?;
        Ok(true)
    }
}

/// Removes traces that are too old, then the oldest ones until the total size is within the limit.
pub fn prune(folder: &Path, keep_days: u32, max_bytes: u64) -> io::Result<()> {
    let mut traces = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        // Another program may have removed it.
        let Ok(about) = entry.metadata() else { continue };
        if about.is_file() && entry.file_name().to_string_lossy().ends_with(SUFFIX) {
            traces.push((about.modified()?, about.len(), entry.path()));
        }
    }
    // The latest first.
    traces.sort_by(|one, other| other.cmp(one));
    let old = Duration::from_hours(24) * keep_days;
    let mut bytes = 0;
    for (changed, length, path) in traces {
        bytes += length;
        let age = system_time().duration_since(changed).unwrap_or_default();
        if bytes > max_bytes || (keep_days > 0 && age > old) {
            match fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn prune_removes_only_old_traces() {
        let folder = tempfile::tempdir().unwrap();
        let day = Duration::from_secs(86_400);
        for (name, age, length) in [
            ("a.trace.jsonl", 9, 10),
            ("b.trace.jsonl", 3, 60),
            ("c.trace.jsonl", 2, 60),
            ("d.trace.jsonl", 1, 30),
            ("notes.txt", 99, 999),
        ] {
            let file = File::create(folder.path().join(name)).unwrap();
            file.set_len(length).unwrap();
            file.set_modified(system_time() - day * age).unwrap();
        }
        prune(folder.path(), 5, 1000).unwrap();
        assert_eq!(names(folder.path()), ["b.trace.jsonl", "c.trace.jsonl", "d.trace.jsonl", "notes.txt"]);
        prune(folder.path(), 0, 100).unwrap();
        assert_eq!(names(folder.path()), ["c.trace.jsonl", "d.trace.jsonl", "notes.txt"]);
    }
}
