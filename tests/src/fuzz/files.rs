//! Files that people bring: each is read or refused, and what was read is the same after it was written and read again.

use std::io::{Cursor, Write};

use minismith_control::recorded_move::RecordedMove;
use minismith_control::trace::RecordedTrace;
use minismith_perception::frame;
use minismith_runtime::config::Config;
use minismith_toolchain::workshop::bundle;
use minismith_voice::audio::Clip;

/// Reads a configuration. A refusal names the file.
///
/// # Panics
/// When a refusal does not say which file it is about.
pub fn configuration(data: &[u8]) {
    let mut file = tempfile::Builder::new().suffix(".yaml").tempfile().unwrap();
    file.write_all(data).unwrap();
    if let Err(error) = Config::load(Some(file.path())) {
        assert!(error.to_string().contains(&file.path().display().to_string()), "{error}");
    }
}

/// Opens a bundle of tools whose signer nobody trusts.
///
/// # Panics
/// When one of its tools does not count as foreign.
pub fn bundle(data: &[u8]) {
    if let Ok(opened) = bundle::open(data, &[]) {
        assert!(opened.tools.iter().all(|tool| tool.origin.is_foreign()));
    }
}

/// Reads a trace.
///
/// # Panics
/// When a trace that was read has a length that is no number.
pub fn trace(data: &[u8]) {
    if let Ok(trace) = RecordedTrace::from_lines(Cursor::new(data)) {
        assert!(trace.seconds().is_finite());
        assert!(trace.messages().count() < data.len());
    }
}

/// Reads a recorded move.
///
/// # Panics
/// When a move that was read is another one after it was written and read again.
pub fn recorded_move(data: &[u8]) {
    if let Ok(read) = RecordedMove::from_json(data) {
        let _motion = read.motion(1.0);
        let written = read.to_json().unwrap();
        let again = RecordedMove::from_json(&written).unwrap();
        assert_eq!(again.frames().count(), read.frames().count());
        assert_eq!(again.duration(), read.duration());
    }
}

/// Decodes an image.
///
/// # Panics
/// When the pixels are not as many as the size says.
pub fn image(data: &[u8]) {
    if let Ok(image) = frame::decode(data) {
        assert_eq!(image.bgr.len(), image.width * image.height * 3);
    }
}

/// Reads a WAV file.
///
/// # Panics
/// When a clip has no samples.
pub fn sound(data: &[u8]) {
    if let Ok(clip) = Clip::from_bytes(data) {
        assert!(!clip.samples.is_empty() && !clip.duration().is_zero());
    }
}
