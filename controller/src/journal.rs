//! The journal: who had what changed, and what came of it, one JSON document a line.
//!
//! Threads: anybody notes, and never waits; one thread writes. What comes faster than it is written is counted, and the
//! count is written too. A file that can't be written is told once in the log; the robot goes on.

use std::collections::VecDeque;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use firmware_bridge::clock::calendar;
use serde::{Deserialize, Serialize};

/// Entries that may wait to be written.
const WAITING: usize = 1024;

/// The latest entries, which are told without looking into the file.
const LATEST: usize = 1000;

/// The longest file, bytes; then it is put aside, and what was put aside before goes.
const LONGEST: u64 = 16 << 20;

/// One thing that somebody had done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = JournalEntry)]
pub struct Entry {
    /// When, in UTC.
    pub at: String,
    /// What kind of thing: `call` (over HTTP), `message` (over a WebSocket).
    pub kind: String,
    /// Who: the name of a token, or where the request came from.
    pub who: String,
    /// With which role.
    pub role: String,
    /// From which address.
    pub peer: String,
    /// What was asked for.
    pub what: String,
    /// What came of it: an HTTP status, or words.
    pub outcome: String,
    /// How long it took, milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub took_ms: Option<f64>,
    /// Entries before this one that were not written.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lost: u64,
}

// What serde asks for.
#[allow(clippy::trivially_copy_pass_by_ref)]
const fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Entry {
    /// An entry of this moment.
    #[must_use]
    pub fn now(kind: &str, who: &str, role: &str, peer: &str, what: &str, outcome: &str) -> Self {
        Entry {
            at: humantime::format_rfc3339_millis(calendar()).to_string(),
            kind: kind.into(),
            who: who.into(),
            role: role.into(),
            peer: peer.into(),
            what: what.into(),
            outcome: outcome.into(),
            took_ms: None,
            lost: 0,
        }
    }
}

/// Where entries are noted; any number may be cloned.
#[derive(Clone, Debug)]
pub struct Journal {
    desk: SyncSender<Option<Entry>>,
    latest: Arc<Mutex<VecDeque<Entry>>>,
    lost: Arc<AtomicU64>,
}

/// The thread that writes. Dropping it writes what waits.
#[derive(Debug)]
pub struct JournalThread {
    journal: Journal,
    thread: Option<JoinHandle<()>>,
}

impl Journal {
    /// Notes what somebody had done.
    pub fn note(&self, mut entry: Entry) {
        entry.lost = self.lost.swap(0, Ordering::Relaxed);
        let mut latest = self.latest();
        if latest.len() >= LATEST {
            latest.pop_front();
        }
        latest.push_back(entry.clone());
        drop(latest);
        let lost = entry.lost + 1;
        if self.desk.try_send(Some(entry)).is_err() {
            self.lost.fetch_add(lost, Ordering::Relaxed);
        }
    }

    /// The latest entries, the last one first.
    #[must_use]
    pub fn tell(&self, most: usize) -> Vec<Entry> {
        self.latest().iter().rev().take(most).cloned().collect()
    }

    fn latest(&self) -> MutexGuard<'_, VecDeque<Entry>> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl JournalThread {
    /// Goes on with the journal in this file.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(path: &Path) -> io::Result<Self> {
        let (desk, entries) = sync_channel(WAITING);
        let latest = Arc::new(Mutex::new(kept(path)));
        let journal = Journal { desk, latest, lost: Arc::default() };
        let path = path.to_owned();
        let write = move || write_all(&path, &entries);
        let thread = std::thread::Builder::new().name("journal".into()).spawn(write)?;
        Ok(JournalThread { journal, thread: Some(thread) })
    }

    /// A way to note in it.
    #[must_use]
    pub fn journal(&self) -> Journal {
        self.journal.clone()
    }
}

impl Drop for JournalThread {
    fn drop(&mut self) {
        // Where the thread has gone already, there is nobody to tell.
        let _heard = self.journal.desk.send(None);
        if let Some(thread) = self.thread.take() {
            let _panicked = thread.join();
        }
    }
}

/// The latest entries of a file. A line that was cut off, or is none of ours, is left out.
fn kept(path: &Path) -> VecDeque<Entry> {
    let Ok(file) = File::open(path) else { return VecDeque::new() };
    let mut latest = VecDeque::new();
    for line in BufReader::new(file).split(b'\n').map_while(Result::ok) {
        if let Ok(entry) = serde_json::from_slice(&line) {
            if latest.len() >= LATEST {
                latest.pop_front();
            }
            latest.push_back(entry);
        }
    }
    latest
}

fn write_all(path: &Path, entries: &Receiver<Option<Entry>>) {
    let mut file = None;
    let mut is_told = false;
    while let Ok(Some(entry)) = entries.recv() {
        if let Err(error) = write(path, &mut file, &entry) {
            file = None;
            if !is_told {
                let path = path.display();
                tracing::error!("the journal {path} can't be written, and what happens is not kept: {error}");
                is_told = true;
            }
        }
    }
}

fn write(path: &Path, file: &mut Option<File>, entry: &Entry) -> io::Result<()> {
    let mut line = serde_json::to_vec(entry)?;
    line.push(b'\n');
    let open = match file {
        Some(open) if open.metadata()?.len() < LONGEST => open,
        _ => file.insert(open(path)?),
    };
    open.write_all(&line)
}

/// The file, begun anew when it is long; a line that was cut off is ended.
fn open(path: &Path) -> io::Result<File> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    if fs::metadata(path).is_ok_and(|data| data.len() >= LONGEST) {
        fs::rename(path, PathBuf::from(format!("{}.1", path.display())))?;
    }
    let mut file = OpenOptions::new().append(true).create(true).mode(0o600).open(path)?;
    let ends_well = fs::read(path)?.last().is_none_or(|last| *last == b'\n');
    if !ends_well {
        file.write_all(b"\n")?;
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(what: &str) -> Entry {
        Entry::now("call", "desk", "operator", "192.0.2.1", what, "200")
    }

    #[test]
    fn what_is_noted_is_told_kept_and_gone_on_with() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/journal.jsonl");
        let thread = JournalThread::start(&path).unwrap();
        for number in 0..3 {
            thread.journal().note(entry(&format!("POST /{number}")));
        }
        assert_eq!(thread.journal().tell(1).first().unwrap().what, "POST /2");
        drop(thread);
        // A line that the power cut off costs itself alone.
        let mut text = fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), 3);
        text.push_str(r#"{"at": "cut o"#);
        fs::write(&path, text).unwrap();
        let thread = JournalThread::start(&path).unwrap();
        thread.journal().note(entry("POST /3"));
        let told: Vec<String> = thread.journal().tell(10).into_iter().map(|entry| entry.what).collect();
        assert_eq!(told, ["POST /3", "POST /2", "POST /1", "POST /0"]);
        drop(thread);
        assert_eq!(kept(&path).len(), 4);
    }

    #[test]
    fn a_file_that_can_not_be_written_costs_the_file_alone() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("in_the_way"), "").unwrap();
        let thread = JournalThread::start(&folder.path().join("in_the_way/journal.jsonl")).unwrap();
        thread.journal().note(entry("POST /0"));
        assert_eq!(thread.journal().tell(10).len(), 1);
    }
}
