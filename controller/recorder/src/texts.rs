//! Texts: the page about the recording, and a log per source with findings, clamps, requests and answers.

use minismith_protocol::trace_format::{Text, TextSource};
use re_sdk::RecordingStreamResult;
use re_sdk_types::archetypes::{TextDocument, TextLog};
use re_sdk_types::components::TextLogLevel;

use crate::stream::RerunStream;

/// Draws the page about the recording.
pub fn about(sheet: &RerunStream) -> RecordingStreamResult<()> {
    let about = &sheet.about;
    let page = if about.description.is_empty() { about.name.as_str() } else { about.description.as_str() };
    sheet.fix("/about", &TextDocument::from_markdown(page))
}

/// Draws a text below `/said/`. A text without a cycle is drawn at the beginning.
pub fn said(sheet: &RerunStream, text: &Text) -> RecordingStreamResult<()> {
    let (path, level) = match text.source {
        TextSource::Workshop => ("/said/workshop", TextLogLevel::WARN),
        TextSource::Envelope => ("/said/envelope", TextLogLevel::WARN),
        TextSource::Tool => ("/said/tool", TextLogLevel::INFO),
        TextSource::Person => ("/said/person", TextLogLevel::INFO),
        TextSource::Agent => ("/said/agent", TextLogLevel::INFO),
        TextSource::Body => ("/said/body", TextLogLevel::ERROR),
    };
    line(sheet, path, text.cycle.unwrap_or(0), &text.text, level)
}

/// Draws a line of a log.
pub fn line(
    sheet: &RerunStream,
    path: &str,
    cycle: u64,
    words: &str,
    level: &str,
) -> RecordingStreamResult<()> {
    sheet.draw(path, [cycle], TextLog::new(words).with_level(level).columns_of_unit_batches()?)
}
