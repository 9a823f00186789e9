//! Where a recording goes: to a file, or to viewers. One that goes to both is made twice, so that neither waits for the
//! other and each gets its pieces in its own size.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use re_sdk::log::LogMsg;
use re_sdk::sink::{LogSink, SinkFlushError};

use crate::NoRecording;
use crate::tape::Tape;
use crate::viewer::{Link, State, Viewer};

/// What happens live is shown within this time ...
const SHOWN: Duration = Duration::from_millis(200);
/// ... and is in the file within this: each piece costs more than a kilobyte for each of some thirty entities.
const FILED: Duration = Duration::from_secs(1);

/// How long viewers are waited for when all has been told. They may lag behind; this machine does not wait for ever.
const PATIENCE: Duration = Duration::from_secs(3);

/// Where a recording shall go.
pub enum Outlet {
    /// To a file.
    File(PathBuf),
    /// To viewers.
    Viewers(Vec<Link>),
}

/// What was recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// The size of the file, bytes.
    pub bytes: u64,
    /// Whether something is missing in the file, because it could not be written.
    pub lost: bool,
    /// Messages that viewers did not get.
    pub dropped: u64,
}

/// What is known of an outlet while it is fed, and how it ends.
pub enum Watch {
    /// A file.
    Tape(Arc<Mutex<Tape>>),
    /// Viewers, and what closes when all of them are done.
    Viewers(Vec<Arc<State>>, Receiver<()>),
}

impl Outlet {
    /// Within what time it gets what happens live.
    pub const fn pace(&self) -> Duration {
        match self {
            Outlet::File(_) => FILED,
            Outlet::Viewers(_) => SHOWN,
        }
    }

    /// Opens it; a file of what is not `live` is written when it is whole.
    pub fn open(self, live: bool) -> Result<(Box<dyn LogSink>, Watch), NoRecording> {
        match self {
            Outlet::File(path) => {
                let tape = Arc::new(Mutex::new(Tape::new(&path, live)?));
                Ok((Box::new(ToTape(tape.clone())), Watch::Tape(tape)))
            }
            Outlet::Viewers(links) => {
                // Nothing is ever sent.
                let (done, over) = sync_channel(0);
                let start = |link| Viewer::start(link, done.clone());
                let viewers: Vec<Viewer> =
                    links.into_iter().map(start).collect::<Result<_, _>>().map_err(NoRecording::Thread)?;
                let states = viewers.iter().map(Viewer::state).collect();
                Ok((Box::new(ToViewers(viewers)), Watch::Viewers(states, over)))
            }
        }
    }
}

struct ToTape(Arc<Mutex<Tape>>);

impl LogSink for ToTape {
    fn send(&self, message: LogMsg) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take(&message);
    }

    fn flush_blocking(&self, _timeout: Duration) -> Result<(), SinkFlushError> {
        Ok(())
    }
}

struct ToViewers(Vec<Viewer>);

impl LogSink for ToViewers {
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
    /// Ends a file, or waits a little for viewers, once nothing feeds it any more.
    ///
    /// # Errors
    /// There is no file.
    pub fn finish(self) -> Result<Written, NoRecording> {
        match self {
            Watch::Tape(tape) => {
                let (bytes, lost) = tape.lock().unwrap_or_else(PoisonError::into_inner).finish()?;
                Ok(Written { bytes, lost, dropped: 0 })
            }
            Watch::Viewers(viewers, over) => {
                // Their threads may hang for ever; they end with this process.
                let _ = over.recv_timeout(PATIENCE);
                let dropped = viewers.iter().map(|viewer| viewer.missed()).sum();
                Ok(Written { dropped, ..Written::default() })
            }
        }
    }
}

impl std::ops::AddAssign for Written {
    fn add_assign(&mut self, other: Self) {
        self.bytes += other.bytes;
        self.lost |= other.lost;
        self.dropped += other.dropped;
    }
}
