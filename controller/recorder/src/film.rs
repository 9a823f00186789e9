//! Takes what happens and gives a recording: beats are gathered and handed on in columns, which is quick and small.

use minismith_wire::recording::{Beat, Begin};
use re_sdk::sink::MemorySinkStorage;
use re_sdk::{RecordingStream, RecordingStreamBuilder};

use crate::told::Happened;
use crate::{NoRecording, layout, motors, robot, texts};

/// Beats that are handed on together.
const TOGETHER: usize = 1_000;

/// The application's name in the viewer.
const APPLICATION: &str = "minismith";

/// A recording that is being made.
pub struct Film {
    stream: RecordingStream,
    storage: MemorySinkStorage,
    about: Begin,
    waiting: Vec<Beat>,
    /// The first beat and the last, once there were any.
    span: Option<(u64, u64)>,
}

impl Film {
    /// Begins a recording.
    pub fn new(about: Begin) -> Result<Self, NoRecording> {
        let (stream, storage) = RecordingStreamBuilder::new(APPLICATION)
            .enabled(true)
            .recording_name(about.name.as_str())
            .with_blueprint(layout::blueprint())
            .memory()
            .map_err(refused)?;
        let mut film = Film { stream, storage, about, waiting: Vec::with_capacity(TOGETHER), span: None };
        film.describe()?;
        Ok(film)
    }

    /// What does not change.
    fn describe(&mut self) -> Result<(), NoRecording> {
        texts::about(&self.stream, &self.about).map_err(refused)?;
        motors::style(&self.stream, &self.about).map_err(refused)?;
        robot::shapes(&self.stream).map_err(refused)
    }

    /// Takes what happened.
    pub fn take(&mut self, happened: Happened) -> Result<(), NoRecording> {
        match happened {
            Happened::Text(text) => texts::said(&self.stream, &self.about, &text).map_err(refused),
            Happened::Beat(beat) => {
                self.span = Some((self.span.map_or(beat.beat, |(first, _)| first), beat.beat));
                self.waiting.push(*beat);
                if self.waiting.len() < TOGETHER { Ok(()) } else { self.hand_on() }
            }
        }
    }

    fn hand_on(&mut self) -> Result<(), NoRecording> {
        let beats = std::mem::take(&mut self.waiting);
        motors::beats(&self.stream, &self.about, &beats).map_err(refused)?;
        robot::beats(&self.stream, &self.about, &beats).map_err(refused)
    }

    /// The bytes of the recording.
    pub fn finish(mut self) -> Result<Vec<u8>, NoRecording> {
        self.hand_on()?;
        if let Some(span) = self.span {
            motors::limits(&self.stream, &self.about, span).map_err(refused)?;
        }
        self.storage.drain_as_bytes().map_err(refused)
    }
}

fn refused(error: impl std::fmt::Display) -> NoRecording {
    NoRecording::Rerun(error.to_string())
}

/// When beats happened: by number, and by the stage's clock.
pub fn times(about: &Begin, beats: impl Iterator<Item = u64> + Clone) -> [re_sdk::log::TimeColumn; 2] {
    // `told` has seen to it that numbers fit.
    let number = |beat: u64| i64::try_from(beat).unwrap_or(i64::MAX);
    let seconds = |beat: u64| beat as f64 * about.period_s;
    [
        re_sdk::log::TimeColumn::new_sequence("beat", beats.clone().map(number)),
        re_sdk::log::TimeColumn::new_duration_secs("stage_time", beats.map(seconds)),
    ]
}
