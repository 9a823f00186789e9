//! What was said: the page about the recording, findings, trims, and what the tool printed.

use minismith_wire::recording::{Begin, Text, Voice};
use re_sdk::{RecordingStream, RecordingStreamResult};
use re_sdk_types::archetypes::{TextDocument, TextLog};
use re_sdk_types::components::TextLogLevel;

use crate::film::times;

/// The page about the recording.
pub fn about(stream: &RecordingStream, about: &Begin) -> RecordingStreamResult<()> {
    let page = if about.about.is_empty() { about.name.as_str() } else { about.about.as_str() };
    stream.log_static("/about", &TextDocument::from_markdown(page))
}

/// Something that was said; what belongs to no beat stands at the beginning.
pub fn said(stream: &RecordingStream, about: &Begin, text: &Text) -> RecordingStreamResult<()> {
    let (path, level) = match text.voice {
        Voice::Workshop => ("/said/workshop", TextLogLevel::WARN),
        Voice::Envelope => ("/said/envelope", TextLogLevel::WARN),
        Voice::Tool => ("/said/tool", TextLogLevel::INFO),
    };
    let columns = TextLog::new(text.words.as_str()).with_level(level).columns_of_unit_batches()?;
    stream.send_columns(path, times(about, std::iter::once(text.beat.unwrap_or(0))), columns)
}
