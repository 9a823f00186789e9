//! What lasts: `/spans` tells when each thing began and how it ended, `/spans/running` shows in lanes what runs.

use minismith_wire::recording::Span;
use re_sdk::RecordingStreamResult;
use re_sdk_types::archetypes::StateChange;
use re_sdk_types::components::TextLogLevel;

use crate::sheet::Sheet;
use crate::texts::line;

/// More things at one time stand in the log alone.
const LANES: usize = 4;

/// What runs.
#[derive(Default)]
pub struct Running {
    /// The name of what runs in each lane; an empty one is free.
    lanes: [String; LANES],
}

impl Running {
    /// Something began or ended.
    pub fn take(&mut self, sheet: &Sheet, span: &Span) -> RecordingStreamResult<()> {
        let Span { beat, name, ended } = span;
        let words = match ended {
            Some(how) => format!("{name} ended: {how}"),
            None => format!("{name} began"),
        };
        line(sheet, "/spans", *beat, &words, TextLogLevel::INFO)?;
        let (from, to) = if ended.is_none() { ("", name.as_str()) } else { (name.as_str(), "") };
        let Some(lane) = self.lanes.iter_mut().find(|lane| *lane == from) else { return Ok(()) };
        to.clone_into(lane);
        let states = StateChange::new().with_state(self.lanes.iter().map(String::as_str));
        sheet.draw("/spans/running", [*beat], states.columns([LANES])?)
    }
}
