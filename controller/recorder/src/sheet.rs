//! Stream of one recording with its timelines ([`Sheet`]).

use minismith_wire::recording::Begin;
use re_sdk::log::TimeColumn;
use re_sdk::time::Timestamp;
use re_sdk::{AsComponents, RecordingStream, RecordingStreamResult, SerializedComponentColumn};
use re_sdk_types::archetypes::Scalars;

/// The stream of one recording.
pub struct Sheet {
    stream: RecordingStream,
    /// Header of the trace.
    pub about: Begin,
    /// Time of cycle 0 in nanoseconds since 1970, if known.
    began: Option<i64>,
}

/// Parses the start time, or returns `None` if it is invalid.
pub fn instant(told: &str) -> Option<Timestamp> {
    told.parse().ok()
}

impl Sheet {
    /// Creates the stream's wrapper.
    pub fn new(stream: RecordingStream, about: Begin) -> Self {
        let began = about.at.as_deref().and_then(instant).map(Timestamp::nanos_since_epoch);
        Sheet { stream, about, began }
    }

    /// Logs static data: names, colours, shapes.
    pub fn fix(&self, path: impl Into<String>, what: &impl AsComponents) -> RecordingStreamResult<()> {
        self.stream.log_static(path.into(), what)
    }

    /// Draws one row per cycle.
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

    /// Draws several curves of one entity, with the values of each cycle in one row. Rows of another width are skipped.
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

    /// Returns the times of cycles: by number, robot time and, if known, UTC.
    fn times(&self, beats: &[u64]) -> Vec<TimeColumn> {
        // `told` has checked that the numbers fit.
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

    /// Flushes static data, which might otherwise arrive after the next rows.
    pub fn hand_on(&self) {
        // This does not fail, because our sinks never report an error.
        let _ = self.stream.flush_async();
    }

    /// Sends everything to the sink.
    pub fn finish(self) {
        // Dropping the stream flushes it.
        drop(self.stream);
    }
}
