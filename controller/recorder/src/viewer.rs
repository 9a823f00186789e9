//! Sends a recording to viewers through a bounded queue and a separate thread ([`Viewer`]), because viewers may be slow or
//! absent.
//!
//! Recording never waits for a viewer. Messages that do not fit into the queue are dropped and counted.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread;

use re_sdk::SizeBytes as _;
use re_sdk::external::re_uri::ProxyUri;
use re_sdk::grpc_server::GrpcServerSink;
use re_sdk::log::LogMsg;
use re_sdk::sink::{GrpcSink, GrpcSinkConnectionState, LogSink as _};

/// Capacity of a queue in messages and bytes, whichever is reached first.
const MAX_QUEUED_MESSAGES: usize = 4_096;
const MAX_QUEUED_BYTES: u64 = 32 << 20;

/// Connection to viewers.
pub enum Link {
    /// A server to which viewers connect.
    Served(GrpcServerSink),
    /// A client of a listening viewer.
    Connected(ProxyUri),
}

/// A message and its size in bytes.
type Weighed = (LogMsg, u64);

/// Sending side of the queue to a viewer.
pub struct Viewer {
    queue: SyncSender<Weighed>,
    state: Arc<State>,
}

/// State of a viewer, shared by both sides of its queue.
pub struct State {
    name: String,
    /// Number of messages offered.
    offered: AtomicU64,
    /// Number of messages passed to the connection.
    taken: AtomicU64,
    /// Number of bytes in the queue.
    waiting: AtomicU64,
    /// Whether it was ever connected.
    reached: AtomicBool,
    /// Whether a loss was reported.
    is_reported: AtomicBool,
}

impl State {
    /// Returns the number of messages that are known not to have arrived, and reports them if there are any.
    pub fn missed(&self) -> u64 {
        let count = |number: &AtomicU64| number.load(Ordering::Acquire);
        let taken = if self.reached.load(Ordering::Acquire) { count(&self.taken) } else { 0 };
        let missed = count(&self.offered).saturating_sub(taken);
        if missed > 0 {
            eprintln!("minismith-recorder: {missed} messages did not reach {}", self.name);
        }
        missed
    }

    fn report_once(&self, what: &str) {
        if !self.is_reported.swap(true, Ordering::AcqRel) {
            eprintln!("minismith-recorder: {} {what}; a file still receives all messages", self.name);
        }
    }
}

impl Viewer {
    /// Starts the thread. `over` is dropped when the viewer has received everything.
    pub fn start(link: Link, over: SyncSender<()>) -> std::io::Result<Self> {
        let name = match &link {
            Link::Served(_) => "the connected viewers".to_owned(),
            Link::Connected(uri) => format!("the viewer at {uri}"),
        };
        let zero = AtomicU64::default;
        let state = Arc::new(State {
            name,
            offered: zero(),
            taken: zero(),
            waiting: zero(),
            reached: AtomicBool::new(false),
            is_reported: AtomicBool::new(false),
        });
        let (queue, messages) = sync_channel(MAX_QUEUED_MESSAGES);
        let theirs = state.clone();
        thread::Builder::new().name("viewer".into()).spawn(move || {
            serve(link, &messages, &theirs);
            drop(over);
        })?;
        Ok(Viewer { queue, state })
    }

    /// Returns its state.
    pub fn state(&self) -> Arc<State> {
        self.state.clone()
    }

    /// Queues a message, or drops it when the queue is full.
    pub fn offer(&self, message: LogMsg) {
        let state = &*self.state;
        state.offered.fetch_add(1, Ordering::AcqRel);
        let bytes = message.total_size_bytes();
        let waiting = state.waiting.fetch_add(bytes, Ordering::AcqRel) + bytes;
        let sent =
            if waiting > MAX_QUEUED_BYTES { None } else { Some(self.queue.try_send((message, bytes))) };
        match sent {
            Some(Ok(())) => return,
            // Its thread has ended and reported the reason.
            Some(Err(TrySendError::Disconnected(_))) => {}
            Some(Err(TrySendError::Full(_))) | None => state.report_once("is too slow, or not connected"),
        }
        state.waiting.fetch_sub(bytes, Ordering::AcqRel);
    }
}

/// Passes messages to the connection until there are no more, or the viewer disconnects. It may block forever.
fn serve(link: Link, messages: &Receiver<Weighed>, state: &State) {
    match link {
        Link::Served(server) => {
            state.reached.store(true, Ordering::Release);
            for (message, bytes) in messages {
                count(state, bytes);
                server.send(message);
            }
            // Dropping the server flushes it and stops listening.
            drop(server);
        }
        Link::Connected(uri) => {
            let client = GrpcSink::new(uri);
            for (message, bytes) in messages {
                match client.status() {
                    GrpcSinkConnectionState::Disconnected(_) => {
                        return state.report_once("has disconnected");
                    }
                    GrpcSinkConnectionState::Connected => state.reached.store(true, Ordering::Release),
                    GrpcSinkConnectionState::Connecting { .. } => {}
                }
                count(state, bytes);
                client.send(message);
            }
            // The viewer may have connected just now.
            if client.flush_blocking(std::time::Duration::MAX).is_ok() {
                state.reached.store(true, Ordering::Release);
            }
            // Dropping the client waits until the viewer has received everything.
            drop(client);
        }
    }
}

fn count(state: &State, bytes: u64) {
    state.waiting.fetch_sub(bytes, Ordering::AcqRel);
    state.taken.fetch_add(1, Ordering::AcqRel);
}
