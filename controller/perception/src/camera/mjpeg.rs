//! Reads a stream of JPEGs as camera servers send it, `multipart/x-mixed-replace` ([`Stream`], [`Parts`]).
//!
//! The bytes are untrusted. The controller opens the connection, because this crate has no network access.

use std::io::{ErrorKind, Read};
use std::time::Duration;

use firmware_bridge::clock::{Clock, MonotonicClock};

use super::jpeg;
use super::source::{MAX_FRAME_BYTES, Source, SourceError};
use crate::frame::Image;

/// Maximum size of a part's header in bytes, and of the data between two parts.
const MAX_HEAD_BYTES: usize = 8 << 10;

/// Bytes that one read requests.
const READ_CHUNK: usize = 1 << 16;

/// Incremental parser that splits a stream into parts. Its buffer is bounded.
#[derive(Debug)]
pub struct Parts {
    /// Two dashes and the boundary.
    mark: Vec<u8>,
    buffer: Vec<u8>,
    /// Number of buffered bytes already searched for the mark.
    searched: usize,
    at: At,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    Between,
    Head,
    Body { length: Option<usize> },
    End,
}

/// Result of parsing the next part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Body of a part.
    Body(Vec<u8>),
    /// More bytes are needed.
    More,
    /// The stream has ended.
    End,
}

impl Parts {
    /// Creates a parser for a stream with this content type.
    ///
    /// # Errors
    /// Returns an error when the content type is not multipart or has no valid boundary.
    pub fn of(content_type: &str) -> Result<Self, SourceError> {
        let no = || {
            let reported: String =
                content_type.chars().filter(|letter| !letter.is_control()).take(80).collect();
            SourceError::new(
                format!("not a stream of JPEGs: its content type is `{reported}`"),
                "set `camera.source` to the address of an MJPEG stream (`multipart/x-mixed-replace`)",
            )
        };
        let (kind, parameters) = content_type.split_once(';').ok_or_else(no)?;
        if !kind.trim().to_ascii_lowercase().starts_with("multipart/") {
            return Err(no());
        }
        let boundary = parameters
            .split(';')
            .filter_map(|parameter| parameter.split_once('='))
            .find(|(name, _)| name.trim().eq_ignore_ascii_case("boundary"))
            .map(|(_, value)| value.trim().trim_matches('"'))
            .ok_or_else(no)?;
        // Some servers count the two dashes as part of the boundary, and some then send them twice.
        let bare = boundary.trim_start_matches('-');
        if bare.is_empty() || bare.len() > 200 || !bare.is_ascii() {
            return Err(no());
        }
        let mark = format!("--{bare}").into_bytes();
        Ok(Parts { mark, buffer: Vec::new(), searched: 0, at: At::Between })
    }

    /// Appends bytes of the stream.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// Returns the next part of the bytes fed so far.
    ///
    /// # Errors
    /// Returns an error when a part or its header is too large. The stream is then unusable.
    pub fn next_part(&mut self) -> Result<Part, SourceError> {
        loop {
            match self.at {
                At::End => return Ok(Part::End),
                At::Between => {
                    let Some(mark) = self.find_mark() else {
                        // Data between parts is discarded.
                        let excess = self.buffer.len().saturating_sub(self.mark.len() + MAX_HEAD_BYTES);
                        if excess > 0 {
                            self.discard(excess);
                        }
                        return Ok(Part::More);
                    };
                    self.discard(mark.after);
                    self.at = if mark.is_last { At::End } else { At::Head };
                }
                At::Head => {
                    let end = self.buffer.windows(2).position(|two| two == b"\n\n").map(|at| at + 2);
                    let other = self.buffer.windows(4).position(|four| four == b"\r\n\r\n").map(|at| at + 4);
                    let bare = [&b"\r\n"[..], b"\n"]
                        .iter()
                        .find(|line| self.buffer.starts_with(line))
                        .map(|line| line.len());
                    let Some(end) = bare.or([end, other].into_iter().flatten().min()) else {
                        if self.buffer.len() > MAX_HEAD_BYTES {
                            return Err(too_large("the header of an image"));
                        }
                        return Ok(Part::More);
                    };
                    let length = length(self.buffer.get(..end).unwrap_or_default());
                    if length.is_some_and(|length| length > MAX_FRAME_BYTES) || end > MAX_HEAD_BYTES {
                        return Err(too_large("an image"));
                    }
                    self.discard(end);
                    self.at = At::Body { length };
                }
                At::Body { length: Some(length) } => {
                    if self.buffer.len() < length {
                        return Ok(Part::More);
                    }
                    let body = self.take(length);
                    self.at = At::Between;
                    return Ok(Part::Body(body));
                }
                At::Body { length: None } => {
                    let Some(mark) = self.find_mark() else {
                        if self.buffer.len() > MAX_FRAME_BYTES + MAX_HEAD_BYTES {
                            return Err(too_large("an image"));
                        }
                        return Ok(Part::More);
                    };
                    let mut body = self.take(mark.begin);
                    // The line break before the mark belongs to the mark.
                    let line: &[u8] = if body.ends_with(b"\r\n") { b"\r\n" } else { b"\n" };
                    if body.ends_with(line) {
                        body.truncate(body.len() - line.len());
                    }
                    self.at = At::Between;
                    return Ok(Part::Body(body));
                }
            }
        }
    }

    fn discard(&mut self, count: usize) {
        self.buffer.drain(..count.min(self.buffer.len()));
        self.searched = 0;
    }

    fn take(&mut self, count: usize) -> Vec<u8> {
        let rest = self.buffer.split_off(count.min(self.buffer.len()));
        self.searched = 0;
        std::mem::replace(&mut self.buffer, rest)
    }

    /// Finds the first mark at the beginning of a line or right after a JPEG's end, and includes the rest of its line.
    fn find_mark(&mut self) -> Option<Mark> {
        let mut from = self.searched;
        loop {
            let found = self.buffer.get(from..)?.windows(self.mark.len()).position(|some| some == self.mark);
            let Some(found) = found.map(|at| from + at) else {
                // The mark may be incomplete so far.
                self.searched =
                    self.buffer.len().saturating_sub(self.mark.len().saturating_sub(1)).max(self.searched);
                return None;
            };
            let before = self.buffer.get(..found).unwrap_or_default();
            let dashes = before.iter().rev().take_while(|byte| **byte == b'-').take(2).count();
            let begin = found - dashes;
            let before = self.buffer.get(..begin).unwrap_or_default();
            let is_line_start =
                before.is_empty() || before.ends_with(b"\n") || before.ends_with(&[0xff, 0xd9]);
            let after = self.buffer.get(found + self.mark.len()..).unwrap_or_default();
            let line = after.iter().position(|byte| *byte == b'\n');
            // The last mark may lack its line break.
            let is_last = after.starts_with(b"--");
            if is_line_start && (after.len() < 2 || line.is_none() && !is_last && after.len() < 200) {
                self.searched = found;
                return None;
            }
            let rest = after.get(..line.unwrap_or(0)).unwrap_or_default();
            if !is_line_start || !is_last && (line.is_none() || !rest.iter().all(u8::is_ascii_whitespace)) {
                from = found + 1;
                continue;
            }
            let after = found + self.mark.len() + line.map_or(2, |line| line + 1);
            return Some(Mark { begin, after, is_last });
        }
    }
}

struct Mark {
    begin: usize,
    after: usize,
    is_last: bool,
}

fn too_large(what: &str) -> SourceError {
    SourceError::new(
        format!("{what} in the stream is too large"),
        "configure its server to send smaller images, at most 16 MiB each",
    )
}

/// Reads the content length from a part's header.
fn length(head: &[u8]) -> Option<usize> {
    let head = String::from_utf8_lossy(head);
    head.lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| name.trim().eq_ignore_ascii_case("content-length"))
        .and_then(|(_, value)| value.trim().parse().ok())
}

/// Opens a connection and returns its content type and its body.
///
/// A read must return within a second when no bytes arrive. `WouldBlock` and `TimedOut` are not errors here.
pub type Connect = Box<dyn FnMut() -> Result<(String, Box<dyn Read + Send>), SourceError> + Send>;

/// Camera source that reads an MJPEG stream.
pub struct Stream {
    name: String,
    connect: Connect,
    clock: MonotonicClock,
    opened: Option<(Parts, Box<dyn Read + Send>)>,
    skipped: u64,
}

impl Stream {
    /// Creates a source. `name` is the display name, an address without secrets. `connect` opens the stream.
    #[must_use]
    pub fn new(name: String, connect: Connect) -> Self {
        Stream { name, connect, clock: MonotonicClock::start(), opened: None, skipped: 0 }
    }

    fn ended(&self, why: &str) -> SourceError {
        SourceError::new(
            format!("{} ended ({why})", self.name),
            "check that its server runs and is reachable",
        )
    }
}

impl Source for Stream {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn format(&self) -> Option<String> {
        self.opened.as_ref().map(|_| "MJPEG over HTTP".into())
    }

    fn skipped(&self) -> u64 {
        self.skipped
    }

    fn open(&mut self) -> Result<(), SourceError> {
        self.close();
        let (content_type, body) = (self.connect)()?;
        self.opened = Some((Parts::of(&content_type)?, body));
        Ok(())
    }

    fn next(&mut self, wait: Duration) -> Result<Option<Image>, SourceError> {
        let until = self.clock.now() + wait;
        let mut piece = vec![0; READ_CHUNK];
        let (mut at_end, mut has_read) = (None, false);
        loop {
            let Some((parts, body)) = self.opened.as_mut() else {
                return Err(SourceError::new(
                    format!("{} is not open", self.name),
                    "it is reopened automatically",
                ));
            };
            // Of several images that arrived together, only the latest counts.
            let mut newest = None;
            loop {
                match parts.next_part()? {
                    Part::Body(bytes) => match jpeg::whole(bytes) {
                        Some(image) => newest = Some(Image::Jpeg(image)),
                        None => self.skipped = self.skipped.saturating_add(1),
                    },
                    Part::More => break,
                    Part::End => {
                        at_end = at_end.or(Some("the server ended it".to_string()));
                        break;
                    }
                }
            }
            if newest.is_some() {
                return Ok(newest);
            }
            if let Some(why) = at_end {
                return Err(self.ended(&why));
            }
            if has_read && self.clock.now() >= until {
                return Ok(None);
            }
            has_read = true;
            match body.read(&mut piece) {
                Ok(0) => at_end = Some("the connection was closed".into()),
                Ok(count) => parts.feed(piece.get(..count).unwrap_or_default()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    return Ok(None);
                }
                Err(error) => at_end = Some(error.to_string()),
            }
        }
    }

    fn close(&mut self) {
        self.opened = None;
    }
}

#[cfg(test)]
mod tests;
