//! Where everything is drawn: the stream of one recording, and when its beats were.

use minismith_wire::recording::Begin;
use re_sdk::log::TimeColumn;
use re_sdk::time::Timestamp;
use re_sdk::{AsComponents, RecordingStream, RecordingStreamResult, SerializedComponentColumn};
use re_sdk_types::archetypes::Scalars;

/// The stream of one recording.
pub struct Sheet {
    stream: RecordingStream,
    /// What is recorded.
    pub about: Begin,
    /// When beat 0 was, nanoseconds since 1970, where there is a calendar.
    began: Option<i64>,
}

/// When something began, as it is told; none if that is no time.
pub fn instant(told: &str) -> Option<Timestamp> {
    told.parse().ok()
}

impl Sheet {
    /// Of this recording.
    pub fn new(stream: RecordingStream, about: Begin) -> Self {
        let began = about.at.as_deref().and_then(instant).map(Timestamp::nanos_since_epoch);
        Sheet { stream, about, began }
    }

    /// What does not change: names, colours, shapes.
    pub fn fix(&self, path: impl Into<String>, what: &impl AsComponents) -> RecordingStreamResult<()> {
        self.stream.log_static(path.into(), what)
    }

    /// What was on these beats, a row for each.
    pub fn draw(
        &self,
        path: &str,
        beats: impl IntoIterator<Item = u64>,
        columns: impl IntoIterator<Item = SerializedComponentColumn>,
    ) -> RecordingStreamResult<()> {
        let beats: Vec<u64> = beats.into_iter().collect();
        if beats.is_empty() {
            return Ok(());
        }
        self.stream.send_columns(path, self.times(&beats), columns)
    }

    /// Several curves of one entity: the values of each beat stand one after the other. A row of another width is left
    /// out.
    pub fn curves(
        &self,
        path: &str,
        width: usize,
        points: impl Iterator<Item = (u64, Vec<f64>)>,
    ) -> RecordingStreamResult<()> {
        let (mut beats, mut values) = (Vec::new(), Vec::new());
        for (beat, row) in points.filter(|(_, row)| row.len() == width) {
            beats.push(beat);
            values.extend(row);
        }
        let columns = Scalars::new(values).columns(std::iter::repeat_n(width, beats.len()))?;
        self.draw(path, beats, columns)
    }

    /// The times of beats: by number, by the stage's clock and, where there is a calendar, in UTC.
    fn times(&self, beats: &[u64]) -> Vec<TimeColumn> {
        // `told` has seen to it that numbers fit.
        let numbers = beats.iter().map(|beat| i64::try_from(*beat).unwrap_or(i64::MAX));
        let seconds = beats.iter().map(|beat| *beat as f64 * self.about.period_s);
        let mut times = vec![
            TimeColumn::new_sequence("beat", numbers),
            TimeColumn::new_duration_secs("stage_time", seconds.clone()),
        ];
        if let Some(began) = self.began {
            let nanos = seconds.map(|seconds| began.saturating_add((seconds * 1e9).round() as i64));
            times.push(TimeColumn::new_timestamp_nanos_since_epoch("utc", nanos));
        }
        times
    }

    /// Hands on what was fixed so far, which otherwise may come after what is drawn next.
    pub fn hand_on(&self) {
        // It can't fail: nothing of ours ever says so to a stream.
        let _ = self.stream.flush_async();
    }

    /// Whatever was drawn has reached where the recording goes.
    pub fn finish(self) {
        // Dropped, it hands on all that it still holds.
        drop(self.stream);
    }
}
