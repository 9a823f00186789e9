//! A viewer that looks on: behind a bounded queue and on a thread of its own, since it may be slow, gone or never there.
//!
//! Nobody waits for a viewer while something is recorded. What its queue does not hold is dropped and counted.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread;

use re_sdk::SizeBytes as _;
use re_sdk::external::re_uri::ProxyUri;
use re_sdk::grpc_server::GrpcServerSink;
use re_sdk::log::LogMsg;
use re_sdk::sink::{GrpcSink, GrpcSinkConnectionState, LogSink as _};

/// What a queue holds, whichever is reached first.
const MOST_MESSAGES: usize = 4_096;
const MOST_BYTES: u64 = 32 << 20;

/// Where viewers are.
pub enum Link {
    /// They come to us.
    Served(GrpcServerSink),
    /// We go to one.
    Connected(ProxyUri),
}

/// A message and how many bytes it has.
type Weighed = (LogMsg, u64);

/// The recorder's end of the queue to a viewer.
pub struct Viewer {
    queue: SyncSender<Weighed>,
    state: Arc<State>,
}

/// What is known of a viewer, on both sides of its queue.
pub struct State {
    name: String,
    /// Messages that were to go to it.
    offered: AtomicU64,
    /// Messages that were handed to the connection.
    taken: AtomicU64,
    /// Bytes in the queue.
    waiting: AtomicU64,
    /// It was there once.
    reached: AtomicBool,
    /// That something was dropped has been told.
    told: AtomicBool,
}

impl State {
    /// Messages that did not reach it, as far as that is known; told in words, if there are any.
    pub fn missed(&self) -> u64 {
        let count = |number: &AtomicU64| number.load(Ordering::Acquire);
        let taken = if self.reached.load(Ordering::Acquire) { count(&self.taken) } else { 0 };
        let missed = count(&self.offered).saturating_sub(taken);
        if missed > 0 {
            eprintln!("minismith-recorder: {missed} messages did not reach {}", self.name);
        }
        missed
    }

    fn tell_once(&self, what: &str) {
        if !self.told.swap(true, Ordering::AcqRel) {
            eprintln!("minismith-recorder: {} {what}; what it misses is not lost to a file", self.name);
        }
    }
}

impl Viewer {
    /// Starts the thread. `over` is dropped when the viewer has got all that it gets.
    pub fn start(link: Link, over: SyncSender<()>) -> std::io::Result<Self> {
        let name = match &link {
            Link::Served(_) => "the viewers that are served".to_owned(),
            Link::Connected(uri) => format!("the viewer at {uri}"),
        };
        let zero = AtomicU64::default;
        let state = Arc::new(State {
            name,
            offered: zero(),
            taken: zero(),
            waiting: zero(),
            reached: AtomicBool::new(false),
            told: AtomicBool::new(false),
        });
        let (queue, messages) = sync_channel(MOST_MESSAGES);
        let theirs = state.clone();
        thread::Builder::new().name("viewer".into()).spawn(move || {
            serve(link, &messages, &theirs);
            drop(over);
        })?;
        Ok(Viewer { queue, state })
    }

    /// What is known of it.
    pub fn state(&self) -> Arc<State> {
        self.state.clone()
    }

    /// Hands a message over, or drops it when the queue is full.
    pub fn offer(&self, message: LogMsg) {
        let state = &*self.state;
        state.offered.fetch_add(1, Ordering::AcqRel);
        let bytes = message.total_size_bytes();
        let waiting = state.waiting.fetch_add(bytes, Ordering::AcqRel) + bytes;
        let sent = if waiting > MOST_BYTES { None } else { Some(self.queue.try_send((message, bytes))) };
        match sent {
            Some(Ok(())) => return,
            // Its thread has ended and told why.
            Some(Err(TrySendError::Disconnected(_))) => {}
            Some(Err(TrySendError::Full(_))) | None => state.tell_once("is too slow, or not there"),
        }
        state.waiting.fetch_sub(bytes, Ordering::AcqRel);
    }
}

/// Hands messages to the connection until there are no more, or nobody to take them. May wait for ever.
fn serve(link: Link, messages: &Receiver<Weighed>, state: &State) {
    match link {
        Link::Served(server) => {
            state.reached.store(true, Ordering::Release);
            for (message, bytes) in messages {
                count(state, bytes);
                server.send(message);
            }
            // Dropped, it hands on what it holds and stops listening.
            drop(server);
        }
        Link::Connected(uri) => {
            let client = GrpcSink::new(uri);
            for (message, bytes) in messages {
                match client.status() {
                    GrpcSinkConnectionState::Disconnected(_) => {
                        return state.tell_once("has gone");
                    }
                    GrpcSinkConnectionState::Connected => state.reached.store(true, Ordering::Release),
                    GrpcSinkConnectionState::Connecting { .. } => {}
                }
                count(state, bytes);
                client.send(message);
            }
            // It may be there only now.
            if client.flush_blocking(std::time::Duration::MAX).is_ok() {
                state.reached.store(true, Ordering::Release);
            }
            // Dropped, it waits until the viewer has it all.
            drop(client);
        }
    }
}

fn count(state: &State, bytes: u64) {
    state.waiting.fetch_sub(bytes, Ordering::AcqRel);
    state.taken.fetch_add(1, Ordering::AcqRel);
}
