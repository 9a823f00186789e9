//! Tests recordings by reading them back as the viewer does, and that invalid input leaves no file.

#[path = "../../tests/support/mod.rs"]
mod support;

mod refused;
mod shown;

use std::io::Cursor;
use std::path::Path;

use minismith_protocol::trace_format::Message;

use crate::sink::Sink;
use crate::{Ended, RerunExportError};
use support::{Recorded, lines};

/// Records to a file.
fn record(input: &[u8], path: &Path) -> Result<Ended, RerunExportError> {
    crate::record(Cursor::new(input.to_vec()), vec![Sink::File(path.to_owned())])
}

/// Records these messages and reads the result.
#[track_caller]
fn recorded(messages: &[Message]) -> Recorded {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("nod.rrd");
    let ended = record(lines(messages).as_bytes(), &path).unwrap();
    assert!(ended.error.is_none() && !ended.written.is_lost, "{ended:?}");
    assert_eq!(ended.written.bytes, std::fs::metadata(&path).unwrap().len());
    Recorded::read(&path)
}
