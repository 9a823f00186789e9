//! The journal's file on the disk: lines are only added, a long file is put aside, and several programs may write to one.
//!
//! Whoever writes holds the file's lock meanwhile, so a line is whole or, where the disk is full, not there at all. A
//! program that is killed loses what it had not yet written, and no line of others.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};

/// How long files may get, and how many are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub path: PathBuf,
    /// From this length on it is put aside, bytes.
    pub longest: u64,
    /// How many that were put aside are kept, `FILE.1` being the latest.
    pub kept: u32,
}

/// How often a file is opened anew when another program puts it aside meanwhile.
const TRIES: u32 = 5;

/// A file that is being written.
#[derive(Debug)]
pub struct Pen {
    place: Place,
    file: Option<File>,
}

impl Place {
    /// The file that was put aside so many turns ago; 0 is the one that is written.
    #[must_use]
    pub fn aside(&self, turns: u32) -> PathBuf {
        match turns {
            0 => self.path.clone(),
            turns => PathBuf::from(format!("{}.{turns}", self.path.display())),
        }
    }

    /// All files that are there, the oldest first.
    #[must_use]
    pub fn files(&self) -> Vec<PathBuf> {
        (0..=self.kept).rev().map(|turns| self.aside(turns)).filter(|path| path.is_file()).collect()
    }
}

impl Pen {
    /// A pen for this place; nothing is opened before the first line.
    #[must_use]
    pub const fn new(place: Place) -> Self {
        Pen { place, file: None }
    }

    /// Adds lines, each with its end; all of them or none.
    ///
    /// # Errors
    /// What the system says; the file is as it was then.
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

    /// Whether they were added; if not, this is no longer the file of the place.
    fn add_locked(&self, mut file: &File, lines: &[u8]) -> io::Result<bool> {
        let about = file.metadata()?;
        // Another program may have put it aside, and a person may have thrown it away.
        if fs::metadata(&self.place.path).map(|there| there.ino()).ok() != Some(about.ino()) {
            return Ok(false);
        }
        let length = about.len();
        if length >= self.place.longest {
            self.put_aside()?;
            return Ok(false);
        }
        let mut last = [b'\n'];
        if length > 0 {
            file.read_exact_at(&mut last, length - 1)?;
        }
        // A line that the power has cut off costs itself alone.
        let written = if last == [b'\n'] { Ok(()) } else { file.write_all(b"\n") };
        let written = written.and_then(|()| file.write_all(lines));
        if written.is_err() {
            // What is left of a line costs itself alone, as above.
            let _ = file.set_len(length);
        }
        written.map(|()| true)
    }

    /// Has what was added reach the disk.
    ///
    /// # Errors
    /// What the system says.
    pub fn sync(&self) -> io::Result<()> {
        self.file.as_ref().map_or(Ok(()), File::sync_data)
    }

    fn put_aside(&self) -> io::Result<()> {
        for turns in (0..self.place.kept).rev() {
            let from = self.place.aside(turns);
            if from.exists() {
                fs::rename(from, self.place.aside(turns + 1))?;
            }
        }
        Ok(())
    }

    fn open(&self) -> io::Result<File> {
        let path = &self.place.path;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder.unwrap_or(Path::new(".")))?;
        OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(folder: &Path) -> Place {
        Place { path: folder.join("deep/journal.jsonl"), longest: 100, kept: 2 }
    }

    fn texts(place: &Place) -> Vec<String> {
        place.files().iter().map(|path| fs::read_to_string(path).unwrap()).collect()
    }

    #[test]
    fn a_long_file_is_put_aside_and_the_oldest_goes() {
        let folder = tempfile::tempdir().unwrap();
        let place = place(folder.path());
        let mut pens = [Pen::new(place.clone()), Pen::new(place.clone())];
        for turn in 0..8 {
            // Two programs in turn: neither writes into what the other has put aside.
            let line = format!("{turn}{}\n", "x".repeat(60));
            pens[turn % 2].add(line.as_bytes()).unwrap();
        }
        let kept: Vec<String> = texts(&place)
            .iter()
            .map(|text| text.lines().map(|line| &line[..1]).collect::<String>())
            .collect();
        assert_eq!(kept, ["23", "45", "67"]);
    }

    #[test]
    fn what_was_cut_off_or_thrown_away_is_gone_on_after() {
        let folder = tempfile::tempdir().unwrap();
        let place = place(folder.path());
        let mut pen = Pen::new(place.clone());
        pen.add(b"one\n").unwrap();
        fs::OpenOptions::new().append(true).open(&place.path).unwrap().write_all(b"cut o").unwrap();
        pen.add(b"two\n").unwrap();
        assert_eq!(texts(&place), ["one\ncut o\ntwo\n"]);
        fs::remove_file(&place.path).unwrap();
        pen.add(b"three\n").unwrap();
        assert_eq!(texts(&place), ["three\n"]);
    }
}
