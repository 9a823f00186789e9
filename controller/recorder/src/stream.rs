//! Stream of one recording with its timelines ([`RerunStream`]).

use minismith_protocol::trace_format::Header;
use re_sdk::log::TimeColumn;
use re_sdk::time::Timestamp;
use re_sdk::{AsComponents, RecordingStream, RecordingStreamResult, SerializedComponentColumn};
use re_sdk_types::archetypes::Scalars;

/// The stream of one recording.
pub struct RerunStream {
    stream: RecordingStream,
    /// Header of the trace.
    pub about: Header,
    /// Time of cycle 0 in nanoseconds since 1970, if known.
    began: Option<i64>,
}

/// Parses the start time, or returns `None` if it is invalid.
pub fn instant(reported: &str) -> Option<Timestamp> {
    reported.parse().ok()
}

impl RerunStream {
    /// Creates the stream's wrapper.
    pub fn new(stream: RecordingStream, about: Header) -> Self {
        let began = about.start_time.as_deref().and_then(instant).map(Timestamp::nanos_since_epoch);
        RerunStream { stream, about, began }
    }

    /// Logs static data: names, colours, shapes.
    pub fn fix(&self, path: impl Into<String>, what: &impl AsComponents) -> RecordingStreamResult<()> {
        self.stream.log_static(path.into(), what)
    }

    /// Draws one row per cycle.
    pub fn draw(
        &self,
        path: &str,
        cycles: impl IntoIterator<Item = u64>,
        columns: impl IntoIterator<Item = SerializedComponentColumn>,
    ) -> RecordingStreamResult<()> {
        let cycles: Vec<u64> = cycles.into_iter().collect();
        if cycles.is_empty() {
            return Ok(());
        }
        self.stream.send_columns(path, self.times(&cycles), columns)
    }

    /// Draws several curves of one entity, with the values of each cycle in one row. Rows of another width are skipped.
    pub fn curves(
        &self,
        path: &str,
        width: usize,
        points: impl Iterator<Item = (u64, Vec<f64>)>,
    ) -> RecordingStreamResult<()> {
        let (mut cycles, mut values) = (Vec::new(), Vec::new());
        for (cycle, row) in points.filter(|(_, row)| row.len() == width) {
            cycles.push(cycle);
            values.extend(row);
        }
        let columns = Scalars::new(values).columns(std::iter::repeat_n(width, cycles.len()))?;
        self.draw(path, cycles, columns)
    }

    /// Returns the times of cycles: by number, robot time and, if known, UTC.
    fn times(&self, cycles: &[u64]) -> Vec<TimeColumn> {
        // `reported` has checked that the numbers fit.
        let numbers = cycles.iter().map(|cycle| i64::try_from(*cycle).unwrap_or(i64::MAX));
        let seconds = cycles.iter().map(|cycle| *cycle as f64 * self.about.period_s);
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
