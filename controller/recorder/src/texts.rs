//! Texts: the page about the recording, and a log per source with findings, clamps, requests and answers.

use minismith_wire::recording::{Text, Voice};
use re_sdk::RecordingStreamResult;
use re_sdk_types::archetypes::{TextDocument, TextLog};
use re_sdk_types::components::TextLogLevel;

use crate::sheet::Sheet;

/// Draws the page about the recording.
pub fn about(sheet: &Sheet) -> RecordingStreamResult<()> {
    let about = &sheet.about;
    let page = if about.about.is_empty() { about.name.as_str() } else { about.about.as_str() };
    sheet.fix("/about", &TextDocument::from_markdown(page))
}

/// Draws a text below `/said/`. A text without a cycle is drawn at the beginning.
pub fn said(sheet: &Sheet, text: &Text) -> RecordingStreamResult<()> {
    let (path, level) = match text.voice {
        Voice::Workshop => ("/said/workshop", TextLogLevel::WARN),
        Voice::Envelope => ("/said/envelope", TextLogLevel::WARN),
        Voice::Tool => ("/said/tool", TextLogLevel::INFO),
        Voice::Person => ("/said/person", TextLogLevel::INFO),
        Voice::Agent => ("/said/agent", TextLogLevel::INFO),
        Voice::Body => ("/said/body", TextLogLevel::ERROR),
    };
    line(sheet, path, text.beat.unwrap_or(0), &text.words, level)
}

/// Draws a line of a log.
pub fn line(sheet: &Sheet, path: &str, beat: u64, words: &str, level: &str) -> RecordingStreamResult<()> {
    sheet.draw(path, [beat], TextLog::new(words).with_level(level).columns_of_unit_batches()?)
}
