//! The journal's file: lines are only appended, a long file is rotated, and several programs may write to it.
//!
//! Each writer holds the file's lock, so a line is complete or, on a full disk, absent. A program that is killed loses
//! its unwritten lines, and none of others.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};

/// The maximum size of files, and how many are retained.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RotatingFile {
    /// The file.
    pub path: PathBuf,
    /// The size at which it is rotated, bytes.
    pub max_bytes: u64,
    /// The number of retained rotated files, `FILE.1` being the latest.
    pub retained: u32,
}

/// How often a file is opened again when another program rotates it at the same time.
const TRIES: u32 = 5;

/// An open journal file.
#[derive(Debug)]
pub struct Pen {
    position: RotatingFile,
    file: Option<File>,
}

impl RotatingFile {
    /// Returns the file after this many rotations; 0 is the current one.
    #[must_use]
    pub fn aside(&self, turns: u32) -> PathBuf {
        match turns {
            0 => self.path.clone(),
            turns => PathBuf::from(format!("{}.{turns}", self.path.display())),
        }
    }

    /// Returns all existing files, the oldest first.
    #[must_use]
    pub fn files(&self) -> Vec<PathBuf> {
        (0..=self.retained).rev().map(|turns| self.aside(turns)).filter(|path| path.is_file()).collect()
    }
}

impl Pen {
    /// Creates a writer for this path; nothing is opened before the first line.
    #[must_use]
    pub const fn new(path: RotatingFile) -> Self {
        Pen { position: path, file: None }
    }

    /// Appends lines with their ends; all of them or none.
    ///
    /// # Errors
    /// Errors of the system; the file is unchanged then.
    pub fn add(&mut self, lines: &[u8]) -> io::Result<()> {
        for _ in 0..TRIES {
            let file = match self.file.take() {
                Some(file) => file,
                None => self.open()?,
            };
            flock(&file, FlockOperation::LockExclusive)?;
            let added = self.add_locked(&file, lines);
            flock(&file, FlockOperation::Unlock)?;
            if added? {
                self.file = Some(file);
                return Ok(());
            }
        }
        Err(io::Error::other("it is put aside again and again"))
    }

    /// Returns whether the lines were appended; if not, the file at this path has been replaced.
    fn add_locked(&self, mut file: &File, lines: &[u8]) -> io::Result<bool> {
        let about = file.metadata()?;
        // Another program may have rotated it, and a user may have removed it.
        if fs::metadata(&self.position.path).map(|there| there.ino()).ok() != Some(about.ino()) {
            return Ok(false);
        }
        let length = about.len();
        if length >= self.position.max_bytes {
            self.put_aside()?;
            return Ok(false);
        }
        let mut last = [b'\n'];
        if length > 0 {
            file.read_exact_at(&mut last, length - 1)?;
        }
        // A line that a power failure truncated is lost alone.
        let written = if last == [b'\n'] { Ok(()) } else { file.write_all(b"\n") };
        let written = written.and_then(|()| file.write_all(lines));
        if written.is_err() {
            // The rest of a line is lost alone, as above.
            let _ = file.set_len(length);
        }
        written.map(|()| true)
    }

    /// Syncs the appended lines to the disk.
    ///
    /// # Errors
    /// Errors of the system.
    pub fn sync(&self) -> io::Result<()> {
        self.file.as_ref().map_or(Ok(()), File::sync_data)
    }

    fn put_aside(&self) -> io::Result<()> {
        for turns in (0..self.position.retained).rev() {
            let from = self.position.aside(turns);
            if from.exists() {
                fs::rename(from, self.position.aside(turns + 1))?;
            }
        }
        Ok(())
    }

    fn open(&self) -> io::Result<File> {
        let path = &self.position.path;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder.unwrap_or(Path::new(".")))?;
        OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(folder: &Path) -> RotatingFile {
        RotatingFile { path: folder.join("deep/journal.jsonl"), max_bytes: 100, retained: 2 }
    }

    fn texts(place: &RotatingFile) -> Vec<String> {
        place.files().iter().map(|path| fs::read_to_string(path).unwrap()).collect()
    }

    #[test]
    fn a_long_file_is_put_aside_and_the_oldest_goes() {
        let folder = tempfile::tempdir().unwrap();
        let path = position(folder.path());
        let mut pens = [Pen::new(path.clone()), Pen::new(path.clone())];
        for turn in 0..8 {
            // Two programs take turns: neither writes into a file that the other has rotated.
            let line = format!("{turn}{}\n", "x".repeat(60));
            pens[turn % 2].add(line.as_bytes()).unwrap();
        }
        let stored: Vec<String> =
            texts(&path).iter().map(|text| text.lines().map(|line| &line[..1]).collect::<String>()).collect();
        assert_eq!(stored, ["23", "45", "67"]);
    }

    #[test]
    fn what_was_cut_off_or_thrown_away_is_gone_on_after() {
        let folder = tempfile::tempdir().unwrap();
        let path = position(folder.path());
        let mut pen = Pen::new(path.clone());
        pen.add(b"one\n").unwrap();
        fs::OpenOptions::new().append(true).open(&path.path).unwrap().write_all(b"cut o").unwrap();
        pen.add(b"two\n").unwrap();
        assert_eq!(texts(&path), ["one\ncut o\ntwo\n"]);
        fs::remove_file(&path.path).unwrap();
        pen.add(b"three\n").unwrap();
        assert_eq!(texts(&path), ["three\n"]);
    }
}
