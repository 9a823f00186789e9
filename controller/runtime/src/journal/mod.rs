//! The journal: requests, actions, decisions and rejections, by whom and when, one JSON document per line.
//!
//! Threads: any thread adds entries and never waits; one thread writes. Entries beyond the queue's capacity or on a
//! full disk are counted, and the count is written later. An unwritable file is logged once, and the robot continues.
//!
//! Reading order: `entry` (an entry and its line), `file` (lines on the disk), here (the thread), `read`, `backwards`.

mod backwards;
mod entry;
mod file;
mod read;

use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

pub use self::backwards::latest_before;
pub use self::entry::Entry;
pub use self::file::Pen;
pub use self::file::RotatingFile;
pub use self::read::{Cursor, EntryFilter, Health, Lines, latest, read};

/// The capacity for unwritten entries.
const QUEUE_CAPACITY: usize = 4096;

/// The number of latest entries that are served from memory.
const LATEST_CAPACITY: usize = 1000;

/// The size of one batch of lines, bytes.
const WRITE_CHUNK_BYTES: usize = 1 << 16;

/// The interval of syncs to the disk.
const SYNC_INTERVAL: Duration = Duration::from_secs(1);

enum Mail {
    Entry(Box<Entry>),
    End,
}

/// A handle to add entries; it can be cloned.
#[derive(Clone, Debug)]
pub struct Journal {
    queue: SyncSender<Mail>,
    latest: Arc<Mutex<VecDeque<Entry>>>,
    lost: Arc<DropCount>,
}

/// The dropped entries.
#[derive(Debug, Default)]
struct DropCount {
    /// Since the last written one, which reports them.
    unreported: AtomicU64,
    /// Since the start.
    ever: AtomicU64,
}

impl DropCount {
    fn count(&self, entries: u64) {
        self.unreported.fetch_add(entries, Ordering::Relaxed);
        self.ever.fetch_add(entries, Ordering::Relaxed);
    }
}

/// The writer thread. Dropping it writes the pending entries.
#[derive(Debug)]
pub struct JournalThread {
    journal: Journal,
    thread: Option<JoinHandle<()>>,
}

impl Journal {
    /// Adds an entry.
    pub fn note(&self, entry: Entry) {
        // Numbered and sent under one lock, so that entries of several threads are written in the order of their numbers.
        let mut latest = self.latest();
        let entry = entry.numbered();
        if latest.len() >= LATEST_CAPACITY {
            latest.pop_front();
        }
        latest.push_back(entry.clone());
        if self.queue.try_send(Mail::Entry(Box::new(entry))).is_err() {
            self.lost.count(1);
        }
    }

    /// Returns the number of dropped entries since the start.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.lost.ever.load(Ordering::Relaxed)
    }

    /// Returns the latest entries, the last one first.
    #[must_use]
    pub fn report(&self, most: usize) -> Vec<Entry> {
        self.latest().iter().rev().take(most).cloned().collect()
    }

    fn latest(&self) -> MutexGuard<'_, VecDeque<Entry>> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl JournalThread {
    /// Opens the journal at this path and continues it.
    ///
    /// # Errors
    /// When the system provides no thread.
    pub fn start(path: &RotatingFile) -> io::Result<Self> {
        let (queue, mail) = sync_channel(QUEUE_CAPACITY);
        let known = latest_before(path, &EntryFilter::default(), LATEST_CAPACITY, None).map(VecDeque::from);
        let lost = Arc::<DropCount>::default();
        let journal =
            Journal { queue, latest: Arc::new(Mutex::new(known.unwrap_or_default())), lost: lost.clone() };
        let mut writer =
            Writer { pen: Pen::new(path.clone()), position: path.clone(), lost, is_reported: false };
        let thread = std::thread::Builder::new().name("journal".into()).spawn(move || writer.run(&mail))?;
        Ok(JournalThread { journal, thread: Some(thread) })
    }

    /// Returns a handle to add entries.
    #[must_use]
    pub fn journal(&self) -> Journal {
        self.journal.clone()
    }
}

impl Drop for JournalThread {
    fn drop(&mut self) {
        // The thread may have ended already.
        let _heard = self.journal.queue.send(Mail::End);
        if let Some(thread) = self.thread.take() {
            let _panicked = thread.join();
        }
    }
}

/// The state of the thread.
struct Writer {
    pen: Pen,
    position: RotatingFile,
    lost: Arc<DropCount>,
    is_reported: bool,
}

impl Writer {
    fn run(&mut self, mail: &Receiver<Mail>) {
        let mut is_synced = true;
        loop {
            let next = if is_synced {
                mail.recv().map_err(|_| RecvTimeoutError::Disconnected)
            } else {
                mail.recv_timeout(SYNC_INTERVAL)
            };
            match next {
                Ok(Mail::Entry(entry)) => {
                    let goes_on = self.write(*entry, mail);
                    is_synced = false;
                    if !goes_on {
                        break;
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    is_synced = true;
                    self.sync();
                }
                Ok(Mail::End) | Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        self.sync();
    }

    /// Syncs the file. That it can be, with nothing to sync, does not mean that it can be written again.
    fn sync(&mut self) {
        if let Err(error) = self.pen.sync() {
            self.reported(Err(error));
        }
    }

    /// Writes an entry and those queued behind it. Returns whether more may come.
    fn write(&mut self, mut first: Entry, mail: &Receiver<Mail>) -> bool {
        let lost = self.lost.unreported.swap(0, Ordering::Relaxed);
        first.dropped = lost;
        let (mut lines, mut entries, mut goes_on) = (Vec::new(), 0, true);
        let mut next = Some(first);
        while let Some(entry) = next.take() {
            entries += 1;
            if let Ok(line) = entry.line() {
                lines.extend(line);
            }
            if lines.len() < WRITE_CHUNK_BYTES {
                match mail.try_recv() {
                    Ok(Mail::Entry(entry)) => next = Some(*entry),
                    Ok(Mail::End) => goes_on = false,
                    Err(_) => {}
                }
            }
        }
        let added = self.pen.add(&lines);
        if added.is_err() {
            self.lost.unreported.fetch_add(lost, Ordering::Relaxed);
            self.lost.count(entries);
        }
        self.reported(added);
        goes_on
    }

    /// Logs once that the file cannot be written, and once that it can again.
    fn reported(&mut self, done: io::Result<()>) {
        let path = self.position.path.display();
        match done {
            Ok(()) if self.is_reported => {
                tracing::info!("the journal {path} can be written again");
                self.is_reported = false;
            }
            Err(error) if !self.is_reported => {
                tracing::error!(
                    "the journal {path} can't be written, and what happens is not kept: {error}; make room, or name another \
                     file in `journal.file`"
                );
                self.is_reported = true;
            }
            Ok(()) | Err(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::*;

    fn position(path: PathBuf) -> RotatingFile {
        RotatingFile { path, max_bytes: 1 << 20, retained: 2 }
    }

    fn entry(what: &str) -> Entry {
        Entry::now("http_request", "desk", what, "200").by("operator", "192.0.2.1")
    }

    #[test]
    fn a_sync_without_a_file_does_not_end_a_failure() {
        let bench = tempfile::tempdir().unwrap();
        fs::write(bench.path().join("way"), "a file where a folder should be").unwrap();
        let place = position(bench.path().join("way/journal.jsonl"));
        let pen = Pen::new(place.clone());
        let mut writer =
            Writer { pen, position: place, lost: Arc::new(DropCount::default()), is_reported: false };
        let (_queue, mail) = sync_channel(1);
        assert!(writer.write(entry("one"), &mail) && writer.is_reported);
        writer.sync();
        assert!(writer.is_reported);
    }

    #[test]
    fn what_is_noted_is_reported_stored_and_gone_on_with() {
        let folder = tempfile::tempdir().unwrap();
        let path = position(folder.path().join("deep/journal.jsonl"));
        let thread = JournalThread::start(&path).unwrap();
        for number in 0..3 {
            thread.journal().note(entry(&format!("POST /{number}")));
        }
        assert_eq!(thread.journal().report(1).first().unwrap().action, "POST /2");
        drop(thread);
        // A line that a power failure truncated is lost alone.
        let mut text = fs::read_to_string(&path.path).unwrap();
        assert_eq!(text.lines().count(), 3);
        text.push_str(r#"{"at": "cut o"#);
        fs::write(&path.path, text).unwrap();
        let thread = JournalThread::start(&path).unwrap();
        thread.journal().note(entry("POST /3"));
        let reported: Vec<String> =
            thread.journal().report(10).into_iter().map(|entry| entry.action).collect();
        assert_eq!(reported, ["POST /3", "POST /2", "POST /1", "POST /0"]);
        drop(thread);
        let health = read(&path, |_| {}).unwrap();
        assert_eq!((health.entries, health.damaged, health.missing), (4, 1, 0));
    }

    #[test]
    fn what_could_not_be_written_is_counted_in_what_is() {
        let folder = tempfile::tempdir().unwrap();
        let way = folder.path().join("in_the_way");
        fs::write(&way, "").unwrap();
        let path = position(way.join("journal.jsonl"));
        let thread = JournalThread::start(&path).unwrap();
        thread.journal().note(entry("POST /0"));
        assert_eq!(thread.journal().report(10).len(), 1);
        // Until a write was tried.
        while thread.journal.lost() == 0 {
            std::thread::yield_now();
        }
        fs::remove_file(&way).unwrap();
        thread.journal().note(entry("POST /1"));
        assert_eq!(thread.journal().lost(), 1);
        drop(thread);
        let (entries, health) = latest(&path, &EntryFilter::default(), 10).unwrap();
        assert_eq!(entries.iter().map(|entry| entry.action.as_str()).collect::<Vec<_>>(), ["POST /1"]);
        assert_eq!(health.lost, 1);
    }
}
