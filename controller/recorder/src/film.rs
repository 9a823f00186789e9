//! Converts trace events to a recording ([`Film`]). It batches values per control cycle and sends them as columns, which is
//! fast and compact.

use std::collections::BTreeSet;
use std::time::Duration;

use minismith_wire::recording::{Beat, Begin, Health, Rhythm};
use re_sdk::{RecordingStreamBuilder, RecordingStreamResult};

use crate::outlet::{Outlet, Watch, Written};
use crate::sheet::{Sheet, instant};
use crate::spans::Running;
use crate::told::Happened;
use crate::{NoRecording, camera, health, layout, legs, motors, robot, texts};

/// Number of cycles per batch of a recording that is not live.
const TOGETHER: usize = 1_000;

/// Interval at which the limit lines are extended in a live recording.
const LIMITS: Duration = Duration::from_secs(5);

/// Application name in the viewer.
const APPLICATION: &str = "minismith";

/// A recording in progress.
pub struct Film {
    sheet: Sheet,
    watch: Watch,
    /// Maximum delay of live data.
    pace: Duration,
    beats: Vec<Beat>,
    health: Vec<Health>,
    pulse: Vec<Rhythm>,
    running: Running,
    /// First and latest cycle with data since the last batch.
    waiting: Option<(u64, u64)>,
    /// First and last cycle, if any.
    span: Option<(u64, u64)>,
    /// Last cycle with limits.
    limited: Option<u64>,
    /// Motors whose clamps already have names and colours.
    trimmed: BTreeSet<usize>,
    has_health: bool,
    has_pulse: bool,
}

impl Film {
    /// Starts a recording.
    pub fn new(about: Begin, outlet: Outlet) -> Result<Self, NoRecording> {
        let pace = outlet.pace();
        let (sink, watch) = outlet.open(about.live)?;
        let mut builder = RecordingStreamBuilder::new(APPLICATION)
            .enabled(true)
            .recording_name(about.name.as_str())
            .with_blueprint(layout::blueprint(about.live));
        if let Some(began) = about.at.as_deref().and_then(instant) {
            builder = builder.recording_started(began.nanos_since_epoch());
        }
        let stream = builder.set_sinks(vec![sink]).map_err(refused)?;
        let film = Film {
            sheet: Sheet::new(stream, about),
            watch,
            pace,
            beats: Vec::new(),
            health: Vec::new(),
            pulse: Vec::new(),
            running: Running::default(),
            waiting: None,
            span: None,
            limited: None,
            trimmed: BTreeSet::new(),
            has_health: false,
            has_pulse: false,
        };
        film.describe().map_err(refused)?;
        Ok(film)
    }

    /// Draws the static data.
    fn describe(&self) -> RecordingStreamResult<()> {
        texts::about(&self.sheet)?;
        motors::style(&self.sheet)?;
        robot::shapes(&self.sheet)?;
        legs::shapes(&self.sheet)?;
        self.sheet.hand_on();
        Ok(())
    }

    /// Processes an event.
    pub fn take(&mut self, happened: &Happened) -> Result<(), NoRecording> {
        let beat = match happened {
            Happened::Beat(beat) => {
                self.span = Some((self.span.map_or(beat.beat, |(first, _)| first), beat.beat));
                self.beats.push((**beat).clone());
                Some(beat.beat)
            }
            Happened::Motors(health) => {
                self.health.push((**health).clone());
                Some(health.beat)
            }
            Happened::Pulse(rhythm) => {
                self.pulse.push(*rhythm);
                Some(rhythm.beat)
            }
            Happened::Text(text) => {
                texts::said(&self.sheet, text).map_err(refused)?;
                text.beat
            }
            Happened::Picture(shot) => {
                camera::picture(&self.sheet, shot).map_err(refused)?;
                Some(shot.beat())
            }
            Happened::Span(span) => {
                self.running.take(&self.sheet, span).map_err(refused)?;
                Some(span.beat)
            }
        };
        if let Some(beat) = beat {
            let (first, last) = self.waiting.unwrap_or((beat, beat));
            self.waiting = Some((first.min(beat), last.max(beat)));
        }
        if self.is_time() { self.hand_on() } else { Ok(()) }
    }

    /// Returns whether a batch is due. Robot time serves as the clock, because it never runs faster than real time.
    fn is_time(&self) -> bool {
        if !self.sheet.about.live {
            return self.beats.len() + self.health.len() + self.pulse.len() >= TOGETHER;
        }
        self.waiting.is_some_and(|(first, last)| self.seconds(last - first + 1) >= self.pace.as_secs_f64())
    }

    fn seconds(&self, beats: u64) -> f64 {
        beats as f64 * self.sheet.about.period_s
    }

    /// Sends the batch.
    pub fn hand_on(&mut self) -> Result<(), NoRecording> {
        self.waiting = None;
        self.draw().map_err(refused)
    }

    fn draw(&mut self) -> RecordingStreamResult<()> {
        let sheet = &self.sheet;
        let beats = std::mem::take(&mut self.beats);
        if !beats.is_empty() {
            motors::beats(sheet, &mut self.trimmed, &beats)?;
            robot::beats(sheet, &beats)?;
            legs::beats(sheet, &beats)?;
        }
        let health = std::mem::take(&mut self.health);
        if !health.is_empty() {
            if !std::mem::replace(&mut self.has_health, true) {
                health::style_motors(sheet)?;
            }
            health::motors(sheet, &health)?;
        }
        let pulse = std::mem::take(&mut self.pulse);
        if !pulse.is_empty() {
            if !std::mem::replace(&mut self.has_pulse, true) {
                health::style_pulse(sheet)?;
            }
            health::pulse(sheet, &pulse)?;
        }
        if let Some((first, last)) = self.span.filter(|_| sheet.about.live) {
            let due = |from: u64| self.seconds(last.saturating_sub(from)) >= LIMITS.as_secs_f64();
            if self.limited.is_none_or(due) {
                let ends = if self.limited.is_none() { first } else { last };
                motors::limits(sheet, &[ends])?;
                self.limited = Some(ends);
            }
        }
        Ok(())
    }

    /// Ends the recording, which is then complete in its sink.
    pub fn finish(mut self) -> Result<Written, NoRecording> {
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

fn refused(error: impl std::fmt::Display) -> NoRecording {
    NoRecording::Rerun(error.to_string())
}
