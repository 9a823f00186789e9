//! Converts trace events to a recording ([`RecordingWriter`]). It batches values per control cycle and sends them as columns, which is
//! fast and compact.

use std::collections::BTreeSet;
use std::time::Duration;

use minismith_protocol::trace_format::{Cycle, Header, Health, LoopTiming};
use re_sdk::{RecordingStreamBuilder, RecordingStreamResult};

use crate::input::TraceEvent;
use crate::sink::{Sink, Watch, Written};
use crate::spans::Running;
use crate::stream::{RerunStream, instant};
use crate::{RerunExportError, blueprint, camera, health, motors, robot, stewart_platform, texts};

/// Number of cycles per batch of a recording that is not live.
const BATCH_CYCLES: usize = 1_000;

/// Interval at which the limit lines are extended in a live recording.
const LIMITS_INTERVAL: Duration = Duration::from_secs(5);

/// Application name in the viewer.
const APPLICATION: &str = "minismith";

/// A recording in progress.
pub struct RecordingWriter {
    sheet: RerunStream,
    watch: Watch,
    /// Maximum delay of live data.
    pace: Duration,
    cycles: Vec<Cycle>,
    health: Vec<Health>,
    control_loop: Vec<LoopTiming>,
    running: Running,
    /// First and latest cycle with data since the last batch.
    waiting: Option<(u64, u64)>,
    /// First and last cycle, if any.
    span: Option<(u64, u64)>,
    /// Last cycle with limits.
    limited: Option<u64>,
    /// Motors whose clamps already have names and colours.
    clamped: BTreeSet<usize>,
    has_health: bool,
    has_control_loop: bool,
}

impl RecordingWriter {
    /// Starts a recording.
    pub fn new(about: Header, outlet: Sink) -> Result<Self, RerunExportError> {
        let pace = outlet.pace();
        let (sink, watch) = outlet.open(about.is_live)?;
        let mut builder = RecordingStreamBuilder::new(APPLICATION)
            .enabled(true)
            .recording_name(about.name.as_str())
            .with_blueprint(blueprint::blueprint(about.is_live));
        if let Some(began) = about.start_time.as_deref().and_then(instant) {
            builder = builder.recording_started(began.nanos_since_epoch());
        }
        let stream = builder.set_sinks(vec![sink]).map_err(refused)?;
        let film = RecordingWriter {
            sheet: RerunStream::new(stream, about),
            watch,
            pace,
            cycles: Vec::new(),
            health: Vec::new(),
            control_loop: Vec::new(),
            running: Running::default(),
            waiting: None,
            span: None,
            limited: None,
            clamped: BTreeSet::new(),
            has_health: false,
            has_control_loop: false,
        };
        film.describe().map_err(refused)?;
        Ok(film)
    }

    /// Draws the static data.
    fn describe(&self) -> RecordingStreamResult<()> {
        texts::about(&self.sheet)?;
        motors::style(&self.sheet)?;
        robot::shapes(&self.sheet)?;
        stewart_platform::shapes(&self.sheet)?;
        self.sheet.hand_on();
        Ok(())
    }

    /// Processes an event.
    pub fn take(&mut self, happened: &TraceEvent) -> Result<(), RerunExportError> {
        let cycle = match happened {
            TraceEvent::Cycle(cycle) => {
                self.span = Some((self.span.map_or(cycle.cycle, |(first, _)| first), cycle.cycle));
                self.cycles.push((**cycle).clone());
                Some(cycle.cycle)
            }
            TraceEvent::Motors(health) => {
                self.health.push((**health).clone());
                Some(health.cycle)
            }
            TraceEvent::LoopTiming(rhythm) => {
                self.control_loop.push(*rhythm);
                Some(rhythm.cycle)
            }
            TraceEvent::Text(text) => {
                texts::said(&self.sheet, text).map_err(refused)?;
                text.cycle
            }
            TraceEvent::Image(shot) => {
                camera::image(&self.sheet, shot).map_err(refused)?;
                Some(shot.cycle())
            }
            TraceEvent::Span(span) => {
                self.running.take(&self.sheet, span).map_err(refused)?;
                Some(span.cycle)
            }
        };
        if let Some(cycle) = cycle {
            let (first, last) = self.waiting.unwrap_or((cycle, cycle));
            self.waiting = Some((first.min(cycle), last.max(cycle)));
        }
        if self.is_time() { self.hand_on() } else { Ok(()) }
    }

    /// Returns whether a batch is due. Robot time serves as the clock, because it never runs faster than real time.
    fn is_time(&self) -> bool {
        if !self.sheet.about.is_live {
            return self.cycles.len() + self.health.len() + self.control_loop.len() >= BATCH_CYCLES;
        }
        self.waiting.is_some_and(|(first, last)| self.seconds(last - first + 1) >= self.pace.as_secs_f64())
    }

    fn seconds(&self, cycles: u64) -> f64 {
        cycles as f64 * self.sheet.about.period_s
    }

    /// Sends the batch.
    pub fn hand_on(&mut self) -> Result<(), RerunExportError> {
        self.waiting = None;
        self.draw().map_err(refused)
    }

    fn draw(&mut self) -> RecordingStreamResult<()> {
        let sheet = &self.sheet;
        let cycles = std::mem::take(&mut self.cycles);
        if !cycles.is_empty() {
            motors::cycles(sheet, &mut self.clamped, &cycles)?;
            robot::cycles(sheet, &cycles)?;
            stewart_platform::cycles(sheet, &cycles)?;
        }
        let health = std::mem::take(&mut self.health);
        if !health.is_empty() {
            if !std::mem::replace(&mut self.has_health, true) {
                health::style_motors(sheet)?;
            }
            health::motors(sheet, &health)?;
        }
        let control_loop = std::mem::take(&mut self.control_loop);
        if !control_loop.is_empty() {
            if !std::mem::replace(&mut self.has_control_loop, true) {
                health::style_control_loop(sheet)?;
            }
            health::control_loop(sheet, &control_loop)?;
        }
        if let Some((first, last)) = self.span.filter(|_| sheet.about.is_live) {
            let due = |from: u64| self.seconds(last.saturating_sub(from)) >= LIMITS_INTERVAL.as_secs_f64();
            if self.limited.is_none_or(due) {
                let ends = if self.limited.is_none() { first } else { last };
                motors::limits(sheet, &[ends])?;
                self.limited = Some(ends);
            }
        }
        Ok(())
    }

    /// Ends the recording, which is then complete in its sink.
    pub fn finish(mut self) -> Result<Written, RerunExportError> {
        self.hand_on()?;
        if let Some((first, last)) = self.span {
            let mut ends = vec![first, last];
            ends.retain(|end| self.limited.is_none_or(|limited| limited < *end));
            ends.dedup();
            motors::limits(&self.sheet, &ends).map_err(refused)?;
        }
        self.sheet.finish();
        self.watch.finish()
    }
}

fn refused(error: impl std::fmt::Display) -> RerunExportError {
    RerunExportError::Rerun(error.to_string())
}
