//! Records a run: the robot's events go into the journal, each action has a trace, and a viewer can show everything
//! live.
//!
//! Threads: any thread sends events and never waits. One thread writes. It reads cycle records from a ring that the
//! control loop fills without waiting. Neither a full disk nor a slow viewer can therefore delay the motors. What
//! cannot be recorded is counted and reported once.
//!
//! Reading order: this module (the sending side), `thread`, `keeper` (the file of a trace), `live` (the viewer), `slow`
//! (motors, timing, images), `body_events` (journal entries).

mod body_events;
mod keeper;
mod live;
mod slow;
mod thread;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError};

use firmware_bridge::clock::calendar;
use firmware_bridge::pulse::{Conductor, PulseHandle};
use minismith_wire::recording::Voice;
use uuid::Uuid;

pub use self::thread::ChronicleThread;
use crate::arbiter::Arbiter;
use crate::eyes::{Eyes, Lookout};
use minismith_runtime::journal::{Entry, Journal};

/// Capacity of the queue of messages.
const WAITING: usize = 1024;

/// A message to the thread.
enum Mail {
    /// An action starts. `file` names its trace, if that is stored.
    Begin { name: String, file: String },
    /// An action ends.
    End { name: String, outcome: String },
    /// A text.
    Said { voice: Voice, words: String },
    /// The recorder ends.
    Close,
}

/// A cloneable handle that sends events. Without a recorder it does nothing.
#[derive(Clone, Default)]
pub struct Chronicle(Option<Telling>);

#[derive(Clone)]
struct Telling {
    journal: Journal,
    /// Each message comes with the number of the next cycle.
    desk: SyncSender<(u64, Mail)>,
    pulse: PulseHandle,
    losses: Arc<Losses>,
}

/// The sources of a recorder.
pub struct Sources {
    /// Control loop.
    pub pulse: PulseHandle,
    /// Camera for an observer.
    pub lookout: Lookout,
    /// Perception.
    pub eyes: Eyes,
    /// Arbiter of control.
    pub arbiter: Arc<Arbiter>,
}

/// Counters of what could not be recorded or shown.
#[derive(Debug, Default)]
pub struct Losses {
    /// Cycles that arrived faster than they were read.
    beats: AtomicU64,
    /// Texts that did not fit into the queue.
    words: AtomicU64,
    /// Messages that did not fit into the viewer's buffer.
    shown: AtomicU64,
}

impl Losses {
    /// Returns the number of cycles that are in no trace.
    #[must_use]
    pub fn beats(&self) -> u64 {
        self.beats.load(Ordering::Relaxed)
    }

    /// Returns the number of texts that are in no trace.
    #[must_use]
    pub fn words(&self) -> u64 {
        self.words.load(Ordering::Relaxed)
    }

    /// Returns the number of messages that no viewer received.
    #[must_use]
    pub fn shown(&self) -> u64 {
        self.shown.load(Ordering::Relaxed)
    }

    fn all(&self) -> u64 {
        self.beats() + self.words() + self.shown()
    }
}

/// An action that is being recorded. Dropping it without an outcome records that it broke off.
pub struct Doing {
    chronicle: Chronicle,
    name: String,
    file: String,
    ended: bool,
}

impl Chronicle {
    /// Adds an entry to the journal, with the robot time.
    pub fn note(&self, entry: Entry) {
        if let Some(Telling { journal, pulse, .. }) = &self.0 {
            let stage_s = entry.stage_s.or_else(|| Some(pulse.stage_now().seconds()));
            journal.note(Entry { stage_s, ..entry });
        }
    }

    /// Returns the journal, if there is one.
    #[must_use]
    pub fn journal(&self) -> Option<&Journal> {
        self.0.as_ref().map(|telling| &telling.journal)
    }

    /// Returns the counters of lost data, if anything is recorded.
    #[must_use]
    pub fn losses(&self) -> Option<&Losses> {
        self.0.as_ref().map(|telling| &*telling.losses)
    }

    /// Records a text in the current trace, and sends it to viewers.
    pub fn say(&self, voice: Voice, words: &str) {
        self.tell(Mail::Said { voice, words: words.into() });
    }

    /// Starts an action with this name: a new trace, or a part of the current one.
    #[must_use]
    pub fn begin(&self, name: &str) -> Doing {
        let file = Chronicle::file();
        self.tell(Mail::Begin { name: name.into(), file: file.clone() });
        Doing { chronicle: self.clone(), name: name.into(), file, ended: false }
    }

    /// Returns the file name of a new trace: the time and a unique suffix.
    fn file() -> String {
        let at = humantime::format_rfc3339_millis(calendar()).to_string().replace([':', '-'], "");
        let id = Uuid::new_v4().simple().to_string();
        format!("{}-{}{SUFFIX}", at.trim_end_matches('Z'), id.get(..6).unwrap_or_default())
    }

    fn tell(&self, mail: Mail) {
        if let Some(Telling { desk, pulse, losses, .. }) = &self.0
            && let Err(TrySendError::Full(_)) = desk.try_send((pulse.snapshot().beats, mail))
        {
            losses.words.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Doing {
    /// Returns the name of the trace's file, if the action started one.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Ends the action with this outcome.
    pub fn end(mut self, outcome: &str) {
        self.tell_end(outcome);
    }

    fn tell_end(&mut self, outcome: &str) {
        if !std::mem::replace(&mut self.ended, true) {
            self.chronicle.tell(Mail::End { name: self.name.clone(), outcome: outcome.into() });
        }
    }
}

impl Drop for Doing {
    fn drop(&mut self) {
        self.tell_end("broken off");
    }
}

/// Suffix of the names of traces.
pub const SUFFIX: &str = ".trace.jsonl";
