//! Records a run: the robot's events go into the journal, each action has a trace, and a viewer can show everything
//! live.
//!
//! Threads: any thread sends events and never waits. One thread writes. It reads cycle records from a ring that the
//! control loop fills without waiting. Neither a full disk nor a slow viewer can therefore delay the motors. What
//! cannot be recorded is counted and reported once.
//!
//! Reading order: this module (the sending side), `thread`, `trace_writer` (the file of a trace), `rerun_pipe` (the viewer), `low_rate`
//! (motors, timing, images), `transitions` (journal entries).

mod low_rate;
mod rerun_pipe;
mod thread;
mod trace_writer;
mod transitions;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError};

use firmware_bridge::clock::system_time;
use firmware_bridge::control_loop::{ControlLoopHandle, LoopClient};
use minismith_protocol::trace_format::TextSource;
use uuid::Uuid;

pub use self::thread::RunRecorderThread;
use crate::arbiter::Arbiter;
use crate::perception::{CameraObserver, Perception};
use minismith_runtime::journal::{Entry, Journal};

/// Capacity of the queue of messages.
const QUEUE_CAPACITY: usize = 1024;

/// A message to the thread.
enum Mail {
    /// An action starts. `file` names its trace, if that is stored.
    Begin { name: String, file: String },
    /// An action ends.
    End { name: String, outcome: String },
    /// A text.
    Text { source: TextSource, text: String },
    /// The recorder ends.
    Close,
}

/// A cloneable handle that sends events. Without a recorder it does nothing.
#[derive(Clone, Default)]
pub struct RunRecorder(Option<RecorderHandle>);

#[derive(Clone)]
struct RecorderHandle {
    journal: Journal,
    /// Each message comes with the number of the next cycle.
    queue: SyncSender<(u64, Mail)>,
    control_loop: ControlLoopHandle,
    losses: Arc<DropCounters>,
}

/// The sources of a recorder.
pub struct Sources {
    /// Control loop.
    pub control_loop: ControlLoopHandle,
    /// Camera for an observer.
    pub observer: CameraObserver,
    /// Perception.
    pub perception: Perception,
    /// Arbiter of control.
    pub arbiter: Arc<Arbiter>,
}

/// Counters of what could not be recorded or shown.
#[derive(Debug, Default)]
pub struct DropCounters {
    /// Cycles that arrived faster than they were read.
    cycles: AtomicU64,
    /// Texts that did not fit into the queue.
    texts: AtomicU64,
    /// Messages that did not fit into the viewer's buffer.
    viewer: AtomicU64,
}

impl DropCounters {
    /// Returns the number of cycles that are in no trace.
    #[must_use]
    pub fn cycles(&self) -> u64 {
        self.cycles.load(Ordering::Relaxed)
    }

    /// Returns the number of texts that are in no trace.
    #[must_use]
    pub fn texts(&self) -> u64 {
        self.texts.load(Ordering::Relaxed)
    }

    /// Returns the number of messages that no viewer received.
    #[must_use]
    pub fn viewer(&self) -> u64 {
        self.viewer.load(Ordering::Relaxed)
    }

    fn all(&self) -> u64 {
        self.cycles() + self.texts() + self.viewer()
    }
}

/// An action that is being recorded. Dropping it without an outcome records that it broke off.
pub struct TraceScope {
    recorder: RunRecorder,
    name: String,
    file: String,
    ended: bool,
}

impl RunRecorder {
    /// Adds an entry to the journal, with the robot time.
    pub fn note(&self, entry: Entry) {
        if let Some(RecorderHandle { journal, control_loop, .. }) = &self.0 {
            let robot_time_s = entry.robot_time_s.or_else(|| Some(control_loop.robot_time().seconds()));
            journal.note(Entry { robot_time_s, ..entry });
        }
    }

    /// Returns the journal, if there is one.
    #[must_use]
    pub fn journal(&self) -> Option<&Journal> {
        self.0.as_ref().map(|telling| &telling.journal)
    }

    /// Returns the counters of lost data, if anything is recorded.
    #[must_use]
    pub fn losses(&self) -> Option<&DropCounters> {
        self.0.as_ref().map(|telling| &*telling.losses)
    }

    /// Records a text in the current trace, and sends it to viewers.
    pub fn say(&self, voice: TextSource, words: &str) {
        self.report(Mail::Text { source: voice, text: words.into() });
    }

    /// Starts an action with this name: a new trace, or a part of the current one.
    #[must_use]
    pub fn begin(&self, name: &str) -> TraceScope {
        let file = RunRecorder::file();
        self.report(Mail::Begin { name: name.into(), file: file.clone() });
        TraceScope { recorder: self.clone(), name: name.into(), file, ended: false }
    }

    /// Returns the file name of a new trace: the time and a unique suffix.
    fn file() -> String {
        let at = humantime::format_rfc3339_millis(system_time()).to_string().replace([':', '-'], "");
        let id = Uuid::new_v4().simple().to_string();
        format!("{}-{}{SUFFIX}", at.trim_end_matches('Z'), id.get(..6).unwrap_or_default())
    }

    fn report(&self, mail: Mail) {
        if let Some(RecorderHandle { queue, control_loop, losses, .. }) = &self.0
            && let Err(TrySendError::Full(_)) = queue.try_send((control_loop.snapshot().cycles, mail))
        {
            losses.texts.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl TraceScope {
    /// Returns the name of the trace's file, if the action started one.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Ends the action with this outcome.
    pub fn end(mut self, outcome: &str) {
        self.report_end(outcome);
    }

    fn report_end(&mut self, outcome: &str) {
        if !std::mem::replace(&mut self.ended, true) {
            self.recorder.report(Mail::End { name: self.name.clone(), outcome: outcome.into() });
        }
    }
}

impl Drop for TraceScope {
    fn drop(&mut self) {
        self.report_end("broken off");
    }
}

/// Suffix of the names of traces.
pub const SUFFIX: &str = ".trace.jsonl";
