//! Spans: `/spans` lists their beginnings and ends, `/spans/running` shows the running ones in lanes.

use minismith_protocol::trace_format::Span;
use re_sdk::RecordingStreamResult;
use re_sdk_types::archetypes::StateChange;
use re_sdk_types::components::TextLogLevel;

use crate::stream::RerunStream;
use crate::texts::line;

/// Number of lanes. Further concurrent spans appear only in the log.
const LANES: usize = 4;

/// Running spans.
#[derive(Default)]
pub struct Running {
    /// Name of the span in each lane. An empty lane is free.
    lanes: [String; LANES],
}

impl Running {
    /// Draws the beginning or end of a span.
    pub fn take(&mut self, sheet: &RerunStream, span: &Span) -> RecordingStreamResult<()> {
        let Span { cycle, name, outcome: ended } = span;
        let words = match ended {
            Some(how) => format!("{name} ended: {how}"),
            None => format!("{name} began"),
        };
        line(sheet, "/spans", *cycle, &words, TextLogLevel::INFO)?;
        let (from, to) = if ended.is_none() { ("", name.as_str()) } else { (name.as_str(), "") };
        let Some(lane) = self.lanes.iter_mut().find(|lane| *lane == from) else { return Ok(()) };
        to.clone_into(lane);
        let states = StateChange::new().with_state(self.lanes.iter().map(String::as_str));
        sheet.draw("/spans/running", [*cycle], states.columns([LANES])?)
    }
}
