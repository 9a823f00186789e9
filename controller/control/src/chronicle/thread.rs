//! The recording thread: it merges cycles and messages in the order of their cycles.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use firmware_bridge::clock::calendar;
use firmware_bridge::joint::Joints;
use firmware_bridge::limits::Limits;
use firmware_bridge::pulse::{BeatRecord, Conductor, Doing, PulseHandle, Tap};
use minismith_wire::recording::{Begin, Message, Span, Text, Voice};
use serde_json::json;

use super::body_events::Witness;
use super::keeper::{Keeper, prune};
use super::live::{Gone, Live};
use super::slow::Slow;
use super::{Chronicle, Losses, Mail, Sources, Telling, WAITING};
use crate::arbiter::Arbiter;
use crate::trace::words::{self, Heads};
use minismith_runtime::config::RecordingConfig;
use minismith_runtime::journal::{Entry, Journal, JournalThread};

/// Interval at which collected data is written.
const EVERY: Duration = Duration::from_millis(50);

/// Time at rest after which an unannounced motion counts as ended.
const AT_REST: Duration = Duration::from_secs(2);

/// Time until the next attempt after a trace could not be written.
const TRIED_AGAIN: Duration = Duration::from_secs(10);

/// Maximum length of a trace. A longer run continues in another one.
const LONGEST: Duration = Duration::from_mins(30);

/// The recording thread. Dropping it writes the remaining data and ends the thread.
pub struct ChronicleThread {
    chronicle: Chronicle,
    thread: Option<JoinHandle<()>>,
    // This field drops after the thread, which writes to the journal until its end.
    _journal: JournalThread,
}

impl ChronicleThread {
    /// Records what a robot does, as configured, from these cycle records.
    ///
    /// # Errors
    /// Returns an error if the thread cannot start.
    pub fn start(sources: Sources, tap: Tap, kept: &RecordingConfig) -> std::io::Result<Self> {
        let writing = JournalThread::start(&kept.journal)?;
        let Sources { pulse, lookout, eyes, arbiter } = sources;
        let (desk, mail) = sync_channel(WAITING);
        let losses = Arc::<Losses>::default();
        let telling =
            Telling { journal: writing.journal(), desk, pulse: pulse.clone(), losses: losses.clone() };
        let period = pulse.period();
        let mut scribe = Scribe {
            slow: Slow::new(pulse.clone(), lookout, eyes, kept),
            limits: pulse.snapshot().limits,
            witness: Witness::new(period),
            journal: writing.journal(),
            arbiter,
            kept: kept.clone(),
            is_told: false,
            not_before: 0,
            open: None,
            live: None,
            heads: Heads::default(),
            goal: None,
            last_live: None,
            waiting: VecDeque::new(),
            losses,
            shown_before: 0,
            period,
            pulse,
            tap,
        };
        let thread = std::thread::Builder::new().name("chronicle".into()).spawn(move || scribe.run(&mail))?;
        Ok(ChronicleThread { chronicle: Chronicle(Some(telling)), thread: Some(thread), _journal: writing })
    }

    /// Returns a handle that sends events.
    #[must_use]
    pub fn chronicle(&self) -> Chronicle {
        self.chronicle.clone()
    }
}

impl Drop for ChronicleThread {
    fn drop(&mut self) {
        if let Some(Telling { desk, .. }) = &self.chronicle.0 {
            // If the thread has ended already, there is no receiver.
            let _heard = desk.send((u64::MAX, Mail::Close));
        }
        if let Some(thread) = self.thread.take() {
            let _panicked = thread.join();
        }
    }
}

/// A trace that is being written.
struct Open {
    keeper: Keeper,
    first: u64,
    /// Actions in progress, the outermost first. Empty for an unannounced motion.
    doing: Vec<String>,
    /// The last cycle in which the goals changed.
    moved: u64,
}

struct Scribe {
    tap: Tap,
    pulse: PulseHandle,
    period: Duration,
    limits: Limits,
    witness: Witness,
    slow: Slow,
    journal: Journal,
    arbiter: Arc<Arbiter>,
    kept: RecordingConfig,
    /// Whether the failure to write traces was reported.
    is_told: bool,
    /// No trace starts before this cycle, since the last one could not be written.
    not_before: u64,
    open: Option<Open>,
    live: Option<Live>,
    heads: Heads,
    goal: Option<Joints>,
    /// The last cycle that was sent to the viewer.
    last_live: Option<u64>,
    waiting: VecDeque<(u64, Mail)>,
    losses: Arc<Losses>,
    /// Number of messages that earlier viewers did not receive.
    shown_before: u64,
}

impl Scribe {
    fn run(&mut self, mail: &Receiver<(u64, Mail)>) {
        self.note_program("opened");
        self.show();
        loop {
            let next = mail.recv_timeout(EVERY);
            let is_over = match next {
                Ok((_, Mail::Close)) | Err(RecvTimeoutError::Disconnected) => true,
                Ok(told) => {
                    self.waiting.push_back(told);
                    // Messages of a burst are written together.
                    continue_with(mail, &mut self.waiting)
                }
                Err(RecvTimeoutError::Timeout) => false,
            };
            self.keep(is_over);
            if is_over {
                break;
            }
        }
        self.close();
        if let Some(live) = self.live.take() {
            live.end();
        }
        self.note_program("closed");
    }

    fn note_program(&self, outcome: &str) {
        let detail = json!({ "version": env!("CARGO_PKG_VERSION"), "beats": self.pulse.snapshot().beats });
        self.journal.note(Entry::now("program", "minismith", "the body", outcome).with(detail));
    }

    /// Starts the live stream, if configured.
    fn show(&mut self) {
        if !self.kept.rerun.is_wanted() {
            return;
        }
        let begin = self.begin("live".into(), true);
        match Live::start(&self.kept.rerun, begin) {
            Ok(live) => self.live = Some(live),
            Err(no) => tracing::warn!("nothing is shown: {no}"),
        }
    }

    fn begin(&self, name: String, live: bool) -> Begin {
        let at = Some(humantime::format_rfc3339_millis(calendar()).to_string());
        Begin { at, live, ..words::begin(name, String::new(), self.period, &self.limits) }
    }

    /// Writes all pending cycles and messages in order.
    fn keep(&mut self, all: bool) {
        while let Some(beat) = self.tap.take() {
            while let Some((_, mail)) = self.waiting.pop_front_if(|(stamp, _)| *stamp <= beat.beat) {
                self.hear(beat.beat, mail);
            }
            self.beat(&beat);
        }
        if all {
            let beat = self.pulse.snapshot().beats;
            while let Some((_, mail)) = self.waiting.pop_front() {
                self.hear(beat, mail);
            }
        }
        self.flush();
    }

    fn hear(&mut self, beat: u64, mail: Mail) {
        match mail {
            Mail::Begin { name, file } => {
                if self.open.as_ref().is_some_and(|open| open.doing.is_empty()) {
                    self.close();
                }
                if self.open.is_none() {
                    self.open(&name, &file, beat);
                }
                self.tell_all(beat, |beat| Message::Span(Span { beat, name: name.clone(), ended: None }));
                if let Some(open) = &mut self.open {
                    open.doing.push(name);
                }
            }
            Mail::End { name, outcome } => {
                self.tell_all(beat, |beat| {
                    Message::Span(Span { beat, name: name.clone(), ended: Some(outcome.clone()) })
                });
                if let Some(open) = &mut self.open {
                    open.doing.pop();
                    if open.doing.is_empty() {
                        self.close();
                    }
                }
            }
            Mail::Said { voice, words } => self.said(beat, voice, &words),
            Mail::Close => {}
        }
    }

    fn said(&mut self, beat: u64, voice: Voice, words: &str) {
        self.tell_all(beat, |beat| Message::Text(Text { beat: Some(beat), voice, words: words.into() }));
    }

    /// Sends a message to the trace and the viewer, each with its own cycle number.
    fn tell_all(&mut self, beat: u64, message: impl Fn(u64) -> Message) {
        if let Some(open) = &mut self.open {
            let told = open.keeper.tell(&message(beat.saturating_sub(open.first)));
            self.told(told);
        }
        if let Some(live) = &mut self.live {
            live.tell(&message(beat));
        }
    }

    fn beat(&mut self, beat: &BeatRecord) {
        let pulse = &self.pulse;
        let fault = || pulse.snapshot().fault.map_or_else(|| "unknown".into(), |fault| fault.to_string());
        for entry in self.witness.see(beat, &fault) {
            if matches!(entry.what.as_str(), "halt" | "fault" | "torque") {
                self.tell_all(beat.beat, |at| {
                    let words = format!("{}: {}", entry.what, entry.outcome);
                    Message::Text(Text { beat: Some(at), voice: Voice::Body, words })
                });
            }
            self.journal.note(entry);
        }
        let moves = self.goal.replace(beat.goal).is_some_and(|before| before != beat.goal)
            || matches!(beat.doing, Doing::Playing | Doing::Led | Doing::Stowing);
        if moves && self.open.is_none() {
            let by = self.arbiter.holder().map_or_else(|| "the body".into(), |(_, name)| name.to_string());
            self.open(&format!("moved by {by}"), &Chronicle::file(), beat.beat);
        }
        if let Some(open) = &mut self.open {
            if moves {
                open.moved = beat.beat;
                open.keeper.moved();
            }
            let told =
                open.keeper.tell(&Message::Beat(Box::new(words::beat(beat, beat.beat - open.first, None))));
            self.told(told);
        }
        self.show_beat(beat);
        for message in self.slow.see(beat, self.open.is_some(), self.live.is_some(), self.lost()) {
            if message.to_trace
                && let Some(open) = &mut self.open
            {
                let told = open.keeper.tell(&message.at(beat.beat - open.first));
                self.told(told);
            }
            if message.to_viewer
                && let Some(live) = &mut self.live
            {
                live.tell(&message.at(beat.beat));
            }
        }
        self.end_unannounced(beat.beat);
    }

    fn show_beat(&mut self, beat: &BeatRecord) {
        let Some(live) = &mut self.live else { return };
        let every = 1.0 / (f64::from(self.kept.rerun.sample_rate_hz) * self.period.as_secs_f64());
        if self.last_live.is_some_and(|last| ((beat.beat - last) as f64) < every - 0.5) {
            return;
        }
        self.last_live = Some(beat.beat);
        let shown = words::beat(beat, beat.beat, Some((&mut self.heads, &self.limits)));
        live.tell(&Message::Beat(Box::new(shown)));
    }

    /// Ends an unannounced motion some time after the robot came to rest, and any trace at its maximum length.
    fn end_unannounced(&mut self, beat: u64) {
        let Some(open) = &self.open else { return };
        let rested = open.doing.is_empty() && beat.saturating_sub(open.moved) >= self.beats(AT_REST);
        if rested || beat - open.first >= self.beats(LONGEST) {
            self.close();
        }
    }

    fn open(&mut self, name: &str, file: &str, first: u64) {
        self.limits = self.pulse.snapshot().limits;
        let Some(folder) = self.kept.traces.clone().filter(|_| first >= self.not_before) else { return };
        match Keeper::begin(&folder, file, self.begin(name.into(), false)) {
            Ok(keeper) => self.open = Some(Open { keeper, first, doing: Vec::new(), moved: first }),
            Err(error) => self.told(Err(error)),
        }
    }

    fn close(&mut self) {
        let Some(open) = self.open.take() else { return };
        let ended = open.keeper.end(self.lost());
        let is_kept = ended.as_ref().is_ok_and(|kept| *kept);
        self.told(ended.map(|_| ()));
        if is_kept && let Some(folder) = &self.kept.traces {
            let pruned = prune(folder, self.kept.retention_days, self.kept.max_total_bytes);
            self.told(pruned);
        }
    }

    fn beats(&self, time: Duration) -> u64 {
        (time.as_secs_f64() / self.period.as_secs_f64()) as u64
    }

    fn lost(&self) -> u64 {
        let live = self.live.as_ref().map_or(0, Live::dropped);
        self.losses.beats.store(self.tap.lost(), Ordering::Relaxed);
        self.losses.shown.store(self.shown_before + live, Ordering::Relaxed);
        self.losses.all()
    }

    fn flush(&mut self) {
        if let Some(open) = &mut self.open {
            let flushed = open.keeper.flush();
            self.told(flushed);
        }
        if let Some(live) = &mut self.live
            && let Err(Gone(how)) = live.push()
        {
            tracing::warn!(
                "the recorder has ended ({how}), and nothing is shown any more; what it said stands above"
            );
            self.shown_before += self.live.take().map_or(0, |live| live.dropped());
        }
    }

    /// Gives up a trace that cannot be written, and reports that once.
    fn told(&mut self, done: std::io::Result<()>) {
        let Err(error) = done else { return };
        if let Some(open) = self.open.take() {
            open.keeper.give_up();
        }
        self.not_before = self.pulse.snapshot().beats + self.beats(TRIED_AGAIN);
        if !std::mem::replace(&mut self.is_told, true) {
            let folder = self.kept.traces.clone().unwrap_or_default();
            let folder = folder.display();
            tracing::error!(
                "traces can't be kept in {folder}, and the robot goes on without: {error}; make room, or name another folder in \
                 `traces.directory`"
            );
            self.journal.note(Entry::now(
                "program",
                "the run recorder",
                "keeping traces",
                &error.to_string(),
            ));
        }
    }
}

/// Receives all pending messages. Returns whether the end is among them.
fn continue_with(mail: &Receiver<(u64, Mail)>, waiting: &mut VecDeque<(u64, Mail)>) -> bool {
    while let Ok(told) = mail.try_recv() {
        if matches!(told.1, Mail::Close) {
            return true;
        }
        waiting.push_back(told);
    }
    false
}
