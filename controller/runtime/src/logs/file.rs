//! The thread that writes the log file. An unwritable file is reported once on standard error.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use firmware_bridge::clock::{Clock, MonotonicClock};

use super::LogCounters;
use super::json_layer::JsonLayer;
use crate::journal::{Pen, RotatingFile};

/// The capacity for unwritten lines.
const QUEUE_CAPACITY: usize = 4096;

/// The size of one batch of lines, bytes.
const WRITE_CHUNK_BYTES: usize = 1 << 16;

/// The timeout to write pending lines when the program ends.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// The polling interval for that.
const POLL_INTERVAL: Duration = Duration::from_millis(1);

/// The thread. Dropping it writes the pending lines.
pub(super) struct FileThread {
    queue: SyncSender<Vec<u8>>,
    closing: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl FileThread {
    /// Opens the log at this path and continues it; nothing is opened before the first line.
    pub(super) fn start(path: &RotatingFile, counts: &'static LogCounters) -> io::Result<(Self, JsonLayer)> {
        let (queue, lines) = sync_channel(QUEUE_CAPACITY);
        let closing = Arc::new(AtomicBool::new(false));
        let mut writer = Writer { pen: Pen::new(path.clone()), position: path.clone(), counts, missing: 0 };
        let over = closing.clone();
        let thread =
            std::thread::Builder::new().name("log".into()).spawn(move || writer.run(&lines, &over))?;
        Ok((FileThread { queue: queue.clone(), closing, thread: Some(thread) }, JsonLayer { queue, counts }))
    }
}

impl Drop for FileThread {
    fn drop(&mut self) {
        self.closing.store(true, Ordering::Release);
        // An empty line wakes it; if the queue is full, it is awake.
        let _heard = self.queue.try_send(Vec::new());
        let Some(thread) = self.thread.take() else { return };
        // A disk that hangs delays nothing.
        let clock = MonotonicClock::start();
        let until = clock.now() + SHUTDOWN_TIMEOUT;
        while !thread.is_finished() && clock.now() < until {
            clock.wait_until(clock.now() + POLL_INTERVAL);
        }
        if thread.is_finished() {
            let _panicked = thread.join();
        }
    }
}

/// The state of the thread.
struct Writer {
    pen: Pen,
    position: RotatingFile,
    counts: &'static LogCounters,
    /// The dropped lines since the last written one.
    missing: u64,
}

impl Writer {
    fn run(&mut self, lines: &Receiver<Vec<u8>>, closing: &AtomicBool) {
        while let Ok(first) = lines.recv() {
            // Read before the queue is emptied: what comes during the last write belongs to the log, too.
            let is_last = closing.load(Ordering::Acquire);
            let mut text = first;
            while let Ok(line) = lines.try_recv() {
                if text.len() >= WRITE_CHUNK_BYTES {
                    self.write(&text);
                    text.clear();
                }
                text.extend(line);
            }
            self.write(&text);
            if is_last {
                break;
            }
        }
    }

    fn write(&mut self, text: &[u8]) {
        if text.is_empty() {
            return;
        }
        let path = self.position.path.display();
        match self.pen.add(text) {
            Ok(()) if self.missing > 0 => {
                tracing::info!("the log {path} can be written again; {} lines are missing", self.missing);
                self.missing = 0;
            }
            Ok(()) => {}
            Err(error) => {
                // This message is for the user; the file cannot be written.
                if self.missing == 0 {
                    tracing::error!(
                        "the log {path} can't be written, and the program goes on without: {error}; make room, or name another \
                         file in `logs.file`"
                    );
                }
                let count = text.iter().filter(|byte| **byte == b'\n').count() as u64;
                self.missing += count;
                self.counts.lines_lost.fetch_add(count, Ordering::Relaxed);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tracing_subscriber::layer::SubscriberExt;

    use super::*;

    #[test]
    fn what_waits_is_written_and_a_long_file_is_put_aside() {
        let folder = tempfile::tempdir().unwrap();
        let path =
            RotatingFile { path: folder.path().join("deep/log.jsonl"), max_bytes: 20_000, retained: 1 };
        let counts: &'static LogCounters = Box::leak(Box::default());
        let (thread, lines) = FileThread::start(&path, counts).unwrap();
        tracing::subscriber::with_default(tracing_subscriber::registry().with(lines), || {
            for number in 0..50 {
                tracing::info!(number, "{}", "x".repeat(1000));
            }
        });
        drop(thread);
        let mut texts = path.files().into_iter().map(|file| fs::read_to_string(file).unwrap());
        assert_eq!(texts.next_back().unwrap().lines().last().unwrap().matches("\"number\":49").count(), 1);
        assert_eq!(counts.lines_lost(), 0);
    }

    #[test]
    fn what_can_t_be_written_is_counted_and_harms_nobody() {
        let folder = tempfile::tempdir().unwrap();
        let way = folder.path().join("in_the_way");
        fs::write(&way, "").unwrap();
        let path = RotatingFile { path: way.join("log.jsonl"), max_bytes: 20_000, retained: 1 };
        let counts: &'static LogCounters = Box::leak(Box::default());
        let (thread, lines) = FileThread::start(&path, counts).unwrap();
        tracing::subscriber::with_default(tracing_subscriber::registry().with(lines), || {
            tracing::info!("one");
            tracing::info!("two");
        });
        drop(thread);
        assert_eq!(counts.lines_lost(), 2);
    }
}
