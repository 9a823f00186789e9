//! Destinations of a recording ([`Sink`]): a file, or viewers. For both, two recordings are made, so that neither delays the
//! other and each has its own batch size.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use re_sdk::log::LogMsg;
use re_sdk::sink::{LogSink, SinkFlushError};

use crate::RerunExportError;
use crate::file_sink::FileSink;
use crate::viewer::{Link, State, Viewer};

/// Maximum delay of live data in a viewer.
const VIEWER_BATCH_INTERVAL: Duration = Duration::from_millis(200);
/// Maximum delay of live data in a file. Each batch costs more than a kilobyte for each of about thirty entities.
const FILE_BATCH_INTERVAL: Duration = Duration::from_secs(1);

/// Timeout for viewers after the end of the input, because they may lag behind.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(3);

/// Destination of a recording.
pub enum Sink {
    /// A file.
    File(PathBuf),
    /// Viewers.
    Viewers(Vec<Link>),
}

/// Statistics of what was recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Size of the file in bytes.
    pub bytes: u64,
    /// Whether the file is incomplete because of a write error.
    pub is_lost: bool,
    /// Number of messages that viewers did not receive.
    pub dropped: u64,
}

/// State of an open destination, used to finish it.
pub enum Watch {
    /// A file.
    File(Arc<Mutex<FileSink>>),
    /// Viewers, and a channel that closes when all are done.
    Viewers(Vec<Arc<State>>, Receiver<()>),
}

impl Sink {
    /// Returns the maximum delay of live data.
    pub const fn pace(&self) -> Duration {
        match self {
            Sink::File(_) => FILE_BATCH_INTERVAL,
            Sink::Viewers(_) => VIEWER_BATCH_INTERVAL,
        }
    }

    /// Opens it. Without `live` a file is written when it is complete.
    pub fn open(self, live: bool) -> Result<(Box<dyn LogSink>, Watch), RerunExportError> {
        match self {
            Sink::File(path) => {
                let tape = Arc::new(Mutex::new(FileSink::new(&path, live)?));
                Ok((Box::new(FileLogSink(tape.clone())), Watch::File(tape)))
            }
            Sink::Viewers(links) => {
                // No message is ever sent on this channel.
                let (done, over) = sync_channel(0);
                let start = |link| Viewer::start(link, done.clone());
                let viewers: Vec<Viewer> = links
                    .into_iter()
                    .map(start)
                    .collect::<Result<_, _>>()
                    .map_err(RerunExportError::Thread)?;
                let states = viewers.iter().map(Viewer::state).collect();
                Ok((Box::new(ViewerLogSink(viewers)), Watch::Viewers(states, over)))
            }
        }
    }
}

struct FileLogSink(Arc<Mutex<FileSink>>);

impl LogSink for FileLogSink {
    fn send(&self, message: LogMsg) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take(&message);
    }

    fn flush_blocking(&self, _timeout: Duration) -> Result<(), SinkFlushError> {
        Ok(())
    }
}

struct ViewerLogSink(Vec<Viewer>);

impl LogSink for ViewerLogSink {
    fn send(&self, message: LogMsg) {
        for viewer in &self.0 {
            viewer.offer(message.clone());
        }
    }

    fn flush_blocking(&self, _timeout: Duration) -> Result<(), SinkFlushError> {
        Ok(())
    }
}

impl Watch {
    /// Finishes a file, or waits for viewers up to a timeout, after the last message.
    ///
    /// # Errors
    /// Returns an error when there is no file.
    pub fn finish(self) -> Result<Written, RerunExportError> {
        match self {
            Watch::File(tape) => {
                let (bytes, lost) = tape.lock().unwrap_or_else(PoisonError::into_inner).finish()?;
                Ok(Written { bytes, is_lost: lost, dropped: 0 })
            }
            Watch::Viewers(viewers, over) => {
                // Their threads may block forever. They end with this process.
                let _ = over.recv_timeout(FLUSH_TIMEOUT);
                let dropped = viewers.iter().map(|viewer| viewer.missed()).sum();
                Ok(Written { dropped, ..Written::default() })
            }
        }
    }
}

impl std::ops::AddAssign for Written {
    fn add_assign(&mut self, other: Self) {
        self.bytes += other.bytes;
        self.is_lost |= other.is_lost;
        self.dropped += other.dropped;
    }
}
