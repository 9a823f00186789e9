//! The recording thread: it merges cycles and messages in the order of their cycles.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use firmware_bridge::clock::system_time;
use firmware_bridge::control_loop::{ControlLoopHandle, CycleReceiver, CycleRecord, LoopClient, MotionState};
use firmware_bridge::joint::Joints;
use firmware_bridge::limits::Limits;
use minismith_protocol::trace_format::{Header, Message, Span, Text, TextSource};
use serde_json::json;

use super::low_rate::LowRateSampler;
use super::rerun_pipe::{PipeClosed, RerunPipe};
use super::trace_writer::{TraceWriter, prune};
use super::transitions::TransitionLogger;
use super::{DropCounters, Mail, QUEUE_CAPACITY, RecorderHandle, RunRecorder, Sources};
use crate::arbiter::Arbiter;
use crate::trace::display_units::{self, Heads};
use minismith_runtime::config::RecordingConfig;
use minismith_runtime::journal::{Entry, Journal, JournalThread};

/// Interval at which collected data is written.
const WRITE_INTERVAL: Duration = Duration::from_millis(50);

/// The same while the robot rests and nobody watches; each interval wakes a processor.
const QUIET_INTERVAL: Duration = Duration::from_millis(250);

/// Time at rest after which an unannounced motion counts as ended.
const REST_TIMEOUT: Duration = Duration::from_secs(2);

/// Time until the next attempt after a trace could not be written.
const RETRY_INTERVAL: Duration = Duration::from_secs(10);

/// Maximum length of a trace. A longer run continues in another one.
const MAX_TRACE_TIME: Duration = Duration::from_mins(30);

/// The recording thread. Dropping it writes the remaining data and ends the thread.
pub struct RunRecorderThread {
    recorder: RunRecorder,
    thread: Option<JoinHandle<()>>,
    // This field drops after the thread, which writes to the journal until its end.
    _journal: JournalThread,
}

impl RunRecorderThread {
    /// Records what a robot does, as configured, from these cycle records.
    ///
    /// # Errors
    /// Returns an error if the thread cannot start.
    pub fn start(sources: Sources, tap: CycleReceiver, stored: &RecordingConfig) -> std::io::Result<Self> {
        let writing = JournalThread::start(&stored.journal)?;
        let Sources { control_loop, observer, perception, arbiter } = sources;
        let (queue, mail) = sync_channel(QUEUE_CAPACITY);
        let losses = Arc::<DropCounters>::default();
        let telling = RecorderHandle {
            journal: writing.journal(),
            queue,
            control_loop: control_loop.clone(),
            losses: losses.clone(),
        };
        let period = control_loop.period();
        let mut worker = Worker {
            low_rate: LowRateSampler::new(control_loop.clone(), observer, perception, stored),
            limits: control_loop.snapshot().limits,
            transitions: TransitionLogger::new(period),
            journal: writing.journal(),
            arbiter,
            recorded: stored.clone(),
            is_reported: false,
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
            control_loop,
            cycles: tap,
        };
        let thread =
            std::thread::Builder::new().name("run-recorder".into()).spawn(move || worker.run(&mail))?;
        Ok(RunRecorderThread {
            recorder: RunRecorder(Some(telling)),
            thread: Some(thread),
            _journal: writing,
        })
    }

    /// Returns a handle that sends events.
    #[must_use]
    pub fn recorder(&self) -> RunRecorder {
        self.recorder.clone()
    }
}

impl Drop for RunRecorderThread {
    fn drop(&mut self) {
        if let Some(RecorderHandle { queue, .. }) = &self.recorder.0 {
            // If the thread has ended already, there is no receiver.
            let _heard = queue.send((u64::MAX, Mail::Close));
        }
        if let Some(thread) = self.thread.take() {
            let _panicked = thread.join();
        }
    }
}

/// A trace that is being written.
struct OpenTrace {
    writer: TraceWriter,
    first: u64,
    /// Actions in progress, the outermost first. Empty for an unannounced motion.
    name: Vec<String>,
    /// The last cycle in which the goals changed.
    moved: u64,
}

struct Worker {
    cycles: CycleReceiver,
    control_loop: ControlLoopHandle,
    period: Duration,
    limits: Limits,
    transitions: TransitionLogger,
    low_rate: LowRateSampler,
    journal: Journal,
    arbiter: Arc<Arbiter>,
    recorded: RecordingConfig,
    /// Whether the failure to write traces was reported.
    is_reported: bool,
    /// No trace starts before this cycle, since the last one could not be written.
    not_before: u64,
    open: Option<OpenTrace>,
    live: Option<RerunPipe>,
    heads: Heads,
    goal: Option<Joints>,
    /// The last cycle that was sent to the viewer.
    last_live: Option<u64>,
    waiting: VecDeque<(u64, Mail)>,
    losses: Arc<DropCounters>,
    /// Number of messages that earlier viewers did not receive.
    shown_before: u64,
}

impl Worker {
    fn run(&mut self, mail: &Receiver<(u64, Mail)>) {
        self.note_program("opened");
        self.show();
        loop {
            let is_quiet = self.open.is_none() && self.live.is_none();
            let next = mail.recv_timeout(if is_quiet { QUIET_INTERVAL } else { WRITE_INTERVAL });
            // An action is announced before it moves. So a message that arrives after the following lines belongs to this
            // cycle or a later one, and the cycles before it can be written.
            let announced_until = self.control_loop.snapshot().cycles;
            let is_over = match next {
                Ok((_, Mail::Close)) | Err(RecvTimeoutError::Disconnected) => true,
                Ok(reported) => {
                    self.waiting.push_back(reported);
                    continue_with(mail, &mut self.waiting)
                }
                Err(RecvTimeoutError::Timeout) => continue_with(mail, &mut self.waiting),
            };
            self.store(if is_over { u64::MAX } else { announced_until });
            if is_over {
                break;
            }
            self.flush();
        }
        self.receive_all();
        self.flush();
        self.close();
        if let Some(live) = self.live.take() {
            live.end();
        }
        self.note_program("closed");
    }

    fn note_program(&self, outcome: &str) {
        let detail =
            json!({ "version": env!("CARGO_PKG_VERSION"), "beats": self.control_loop.snapshot().cycles });
        self.journal.note(Entry::now("program", "minismith", "the body", outcome).with(detail));
    }

    /// Starts the live stream, if configured.
    fn show(&mut self) {
        if !self.recorded.rerun.is_wanted() {
            return;
        }
        let begin = self.begin("live".into(), true);
        match RerunPipe::start(&self.recorded.rerun, begin) {
            Ok(live) => self.live = Some(live),
            Err(no) => tracing::warn!("nothing is shown: {no}"),
        }
    }

    fn begin(&self, name: String, live: bool) -> Header {
        let at = Some(humantime::format_rfc3339_millis(system_time()).to_string());
        Header {
            start_time: at,
            is_live: live,
            ..display_units::begin(name, String::new(), self.period, &self.limits)
        }
    }

    /// Writes the pending cycles before this one, and their messages, in order.
    fn store(&mut self, end: u64) {
        while let Some(cycle) = self.cycles.receive_before(end) {
            while let Some((_, mail)) = self.waiting.pop_front_if(|(stamp, _)| *stamp <= cycle.cycle) {
                self.receive(cycle.cycle, mail);
            }
            self.write_cycle(&cycle);
        }
    }

    /// Writes all pending messages.
    fn receive_all(&mut self) {
        let cycle = self.control_loop.snapshot().cycles;
        while let Some((_, mail)) = self.waiting.pop_front() {
            self.receive(cycle, mail);
        }
    }

    fn receive(&mut self, cycle: u64, mail: Mail) {
        match mail {
            Mail::Begin { name, file } => {
                if self.open.as_ref().is_some_and(|open| open.name.is_empty()) {
                    self.close();
                }
                if self.open.is_none() {
                    self.open(&name, &file, cycle);
                }
                self.write_all(cycle, |cycle| {
                    Message::Span(Span { cycle, name: name.clone(), outcome: None })
                });
                if let Some(open) = &mut self.open {
                    open.name.push(name);
                }
            }
            Mail::End { name, outcome } => {
                self.write_all(cycle, |cycle| {
                    Message::Span(Span { cycle, name: name.clone(), outcome: Some(outcome.clone()) })
                });
                if let Some(open) = &mut self.open {
                    open.name.pop();
                    if open.name.is_empty() {
                        self.close();
                    }
                }
            }
            Mail::Text { source: voice, text: words } => self.write_text(cycle, voice, &words),
            Mail::Close => {}
        }
    }

    fn write_text(&mut self, cycle: u64, voice: TextSource, words: &str) {
        self.write_all(cycle, |cycle| {
            Message::Text(Text { cycle: Some(cycle), source: voice, text: words.into() })
        });
    }

    /// Sends a message to the trace and the viewer, each with its own cycle number.
    fn write_all(&mut self, cycle: u64, message: impl Fn(u64) -> Message) {
        if let Some(open) = &mut self.open {
            let reported = open.writer.write(&message(cycle.saturating_sub(open.first)));
            self.reported(reported);
        }
        if let Some(live) = &mut self.live {
            live.write(&message(cycle));
        }
    }

    fn write_cycle(&mut self, cycle: &CycleRecord) {
        let control_loop = &self.control_loop;
        let fault =
            || control_loop.snapshot().fault.map_or_else(|| "unknown".into(), |fault| fault.to_string());
        for entry in self.transitions.observe(cycle, &fault) {
            if matches!(entry.action.as_str(), "halt" | "fault" | "torque") {
                self.write_all(cycle.cycle, |at| {
                    let words = format!("{}: {}", entry.action, entry.outcome);
                    Message::Text(Text { cycle: Some(at), source: TextSource::Body, text: words })
                });
            }
            self.journal.note(entry);
        }
        let moves = self.goal.replace(cycle.goal).is_some_and(|before| before != cycle.goal)
            || matches!(
                cycle.motion_state,
                MotionState::Moving | MotionState::HandGuiding | MotionState::Stowing
            );
        if moves && self.open.is_none() {
            let by = self.arbiter.holder().map_or_else(|| "the body".into(), |(_, name)| name.to_string());
            self.open(&format!("moved by {by}"), &RunRecorder::file(), cycle.cycle);
        }
        if let Some(open) = &mut self.open {
            if moves {
                open.moved = cycle.cycle;
                open.writer.moved();
            }
            let reported = open.writer.write(&Message::Cycle(Box::new(display_units::cycle(
                cycle,
                cycle.cycle - open.first,
                None,
            ))));
            self.reported(reported);
        }
        self.show_cycle(cycle);
        for message in self.low_rate.sample(cycle, self.open.is_some(), self.live.is_some(), self.lost()) {
            if message.to_trace
                && let Some(open) = &mut self.open
            {
                let reported = open.writer.write(&message.at(cycle.cycle - open.first));
                self.reported(reported);
            }
            if message.to_viewer
                && let Some(live) = &mut self.live
            {
                live.write(&message.at(cycle.cycle));
            }
        }
        self.end_unannounced(cycle.cycle);
    }

    fn show_cycle(&mut self, cycle: &CycleRecord) {
        let Some(live) = &mut self.live else { return };
        let every = 1.0 / (f64::from(self.recorded.rerun.sample_rate_hz) * self.period.as_secs_f64());
        if self.last_live.is_some_and(|last| ((cycle.cycle - last) as f64) < every - 0.5) {
            return;
        }
        self.last_live = Some(cycle.cycle);
        let shown = display_units::cycle(cycle, cycle.cycle, Some((&mut self.heads, &self.limits)));
        live.write(&Message::Cycle(Box::new(shown)));
    }

    /// Ends an unannounced motion some time after the robot came to rest, and any trace at its maximum length.
    fn end_unannounced(&mut self, cycle: u64) {
        let Some(open) = &self.open else { return };
        let rested =
            open.name.is_empty() && cycle.saturating_sub(open.moved) >= self.write_cycles(REST_TIMEOUT);
        if rested || cycle - open.first >= self.write_cycles(MAX_TRACE_TIME) {
            self.close();
        }
    }

    fn open(&mut self, name: &str, file: &str, first: u64) {
        self.limits = self.control_loop.snapshot().limits;
        let Some(folder) = self.recorded.traces.clone().filter(|_| first >= self.not_before) else { return };
        match TraceWriter::begin(&folder, file, self.begin(name.into(), false)) {
            Ok(keeper) => {
                self.open = Some(OpenTrace { writer: keeper, first, name: Vec::new(), moved: first })
            }
            Err(error) => self.reported(Err(error)),
        }
    }

    fn close(&mut self) {
        let Some(open) = self.open.take() else { return };
        let ended = open.writer.end(self.lost());
        let is_stored = ended.as_ref().is_ok_and(|stored| *stored);
        self.reported(ended.map(|_| ()));
        if is_stored && let Some(folder) = &self.recorded.traces {
            let pruned = prune(folder, self.recorded.retention_days, self.recorded.max_total_bytes);
            self.reported(pruned);
        }
    }

    fn write_cycles(&self, time: Duration) -> u64 {
        (time.as_secs_f64() / self.period.as_secs_f64()) as u64
    }

    fn lost(&self) -> u64 {
        let live = self.live.as_ref().map_or(0, RerunPipe::dropped);
        self.losses.cycles.store(self.cycles.lost(), Ordering::Relaxed);
        self.losses.viewer.store(self.shown_before + live, Ordering::Relaxed);
        self.losses.all()
    }

    fn flush(&mut self) {
        if let Some(open) = &mut self.open {
            let flushed = open.writer.flush();
            self.reported(flushed);
        }
        if let Some(live) = &mut self.live
            && let Err(PipeClosed(how)) = live.push()
        {
            tracing::warn!(
                "the recorder has ended ({how}), and nothing is shown any more; what it said stands above"
            );
            self.shown_before += self.live.take().map_or(0, |live| live.dropped());
        }
    }

    /// Gives up a trace that cannot be written, and reports that once.
    fn reported(&mut self, done: std::io::Result<()>) {
        let Err(error) = done else { return };
        if let Some(open) = self.open.take() {
            open.writer.give_up();
        }
        self.not_before = self.control_loop.snapshot().cycles + self.write_cycles(RETRY_INTERVAL);
        if !std::mem::replace(&mut self.is_reported, true) {
            let folder = self.recorded.traces.clone().unwrap_or_default();
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
    while let Ok(reported) = mail.try_recv() {
        if matches!(reported.1, Mail::Close) {
            return true;
        }
        waiting.push_back(reported);
    }
    false
}
