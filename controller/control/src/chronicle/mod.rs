//! What happens is kept here: what the body does goes into the journal, each thing that is done leaves a trace, and a viewer
//! is shown all of it while it happens.
//!
//! Threads: anybody tells, and never waits; one thread writes. It takes what the beats did out of a ring that the
//! beat fills without waiting, so neither a full disk nor a slow viewer can hold the motors back: what can't be kept is
//! counted and told once.
//!
//! Reading order: here (who tells), `thread`, `keeper` (the file of a trace), `live` (the viewer),
//! `slow` (motors, rhythm, pictures), `body_events` (the journal's).

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

/// Words that may wait to be kept.
const WAITING: usize = 1024;

/// What the thread is told.
enum Mail {
    /// Something is begun; the file of its trace, if that is kept.
    Begin { name: String, file: String },
    /// It has ended.
    End { name: String, outcome: String },
    /// Something was said.
    Said { voice: Voice, words: String },
    /// The chronicle ends.
    Close,
}

/// Who tells what happens; any number may be cloned. One that nobody listens to does nothing.
#[derive(Clone, Default)]
pub struct Chronicle(Option<Telling>);

#[derive(Clone)]
struct Telling {
    journal: Journal,
    /// With the number of the next beat at that moment.
    desk: SyncSender<(u64, Mail)>,
    pulse: PulseHandle,
    losses: Arc<Losses>,
}

/// What the chronicle takes from a body.
pub struct Sources {
    /// Its pulse.
    pub pulse: PulseHandle,
    /// Its camera, for somebody who only watches.
    pub lookout: Lookout,
    /// What finds things in its pictures.
    pub eyes: Eyes,
    /// Who moves it.
    pub arbiter: Arc<Arbiter>,
}

/// What could not be kept or shown, since the chronicle began.
#[derive(Debug, Default)]
pub struct Losses {
    /// Beats that came faster than they were taken.
    beats: AtomicU64,
    /// Words that could not be told because too much waited.
    words: AtomicU64,
    /// Messages for which the viewer had no room.
    shown: AtomicU64,
}

impl Losses {
    /// Beats that are in no trace.
    #[must_use]
    pub fn beats(&self) -> u64 {
        self.beats.load(Ordering::Relaxed)
    }

    /// Words that are in no trace.
    #[must_use]
    pub fn words(&self) -> u64 {
        self.words.load(Ordering::Relaxed)
    }

    /// Messages that no viewer was shown.
    #[must_use]
    pub fn shown(&self) -> u64 {
        self.shown.load(Ordering::Relaxed)
    }

    fn all(&self) -> u64 {
        self.beats() + self.words() + self.shown()
    }
}

/// Something that is being done. Dropping it without a word tells that it broke off.
pub struct Doing {
    chronicle: Chronicle,
    name: String,
    file: String,
    ended: bool,
}

impl Chronicle {
    /// Notes something in the journal; the stage's time is added.
    pub fn note(&self, entry: Entry) {
        if let Some(Telling { journal, pulse, .. }) = &self.0 {
            let stage_s = entry.stage_s.or_else(|| Some(pulse.stage_now().seconds()));
            journal.note(Entry { stage_s, ..entry });
        }
    }

    /// The journal, where there is one.
    #[must_use]
    pub fn journal(&self) -> Option<&Journal> {
        self.0.as_ref().map(|telling| &telling.journal)
    }

    /// What could not be kept or shown, where anything is.
    #[must_use]
    pub fn losses(&self) -> Option<&Losses> {
        self.0.as_ref().map(|telling| &*telling.losses)
    }

    /// Tells what was said into the trace that is being written, and to viewers.
    pub fn say(&self, voice: Voice, words: &str) {
        self.tell(Mail::Said { voice, words: words.into() });
    }

    /// Begins something with this name: a trace of its own, or a part of the one that is being written.
    #[must_use]
    pub fn begin(&self, name: &str) -> Doing {
        let file = Chronicle::file();
        self.tell(Mail::Begin { name: name.into(), file: file.clone() });
        Doing { chronicle: self.clone(), name: name.into(), file, ended: false }
    }

    /// The name of a new trace's file: the moment, and something that no other has.
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
    /// The name of the trace's file, if it is the one that a trace was begun with.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }

    /// It has ended so.
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

/// How the names of traces end.
pub const SUFFIX: &str = ".trace.jsonl";
