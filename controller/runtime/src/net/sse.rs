//! Parses server-sent events as their bytes arrive. Text and lengths are checked; bytes may be split anywhere.
//!
//! The format is that of the HTML standard, section "Server-sent events"; only `data` is used here.

/// The maximum line length, bytes. A chunk of a reply has a few hundred.
const MAX_LINE_BYTES: usize = 1 << 20;

/// The parser of one event stream.
#[derive(Debug, Default)]
pub struct Events {
    line: Vec<u8>,
    /// The last line ended with a carriage return, so a following line feed belongs to it.
    returned: bool,
    /// The data of the current event; none before its first `data`.
    data: Option<String>,
}

/// Why a stream is no event stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SseError {
    /// A line is too long.
    #[error("a line of the stream is longer than {MAX_LINE_BYTES} bytes")]
    TooLong,
    /// The bytes are no text.
    #[error("the stream is not UTF-8 text")]
    NotText,
    /// The text contains a line that is no event.
    #[error("the stream contains a line that is no event")]
    NoField,
}

impl Events {
    /// Parses the next bytes, and passes on the data of each event that they complete.
    ///
    /// # Errors
    /// [`SseError`] when this is no event stream.
    pub fn take(&mut self, bytes: &[u8], events: &mut Vec<String>) -> Result<(), SseError> {
        for byte in bytes {
            match byte {
                b'\n' if std::mem::take(&mut self.returned) => {}
                b'\n' | b'\r' => {
                    self.returned = *byte == b'\r';
                    self.end_line(events)?;
                }
                _ if self.line.len() >= MAX_LINE_BYTES => return Err(SseError::TooLong),
                _ => {
                    self.returned = false;
                    self.line.push(*byte);
                }
            }
        }
        Ok(())
    }

    fn end_line(&mut self, events: &mut Vec<String>) -> Result<(), SseError> {
        let line = std::mem::take(&mut self.line);
        let line = std::str::from_utf8(&line).map_err(|_| SseError::NotText)?;
        let line = line.strip_prefix('\u{feff}').unwrap_or(line);
        if line.is_empty() {
            events.extend(self.data.take());
            return Ok(());
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        match field {
            "data" => {
                let value = value.strip_prefix(' ').unwrap_or(value);
                let data = self.data.get_or_insert_default();
                if data.len() + value.len() > MAX_LINE_BYTES {
                    return Err(SseError::TooLong);
                }
                if !data.is_empty() {
                    data.push('\n');
                }
                data.push_str(value);
                Ok(())
            }
            // A comment, or a field without data.
            "" | "event" | "id" | "retry" => Ok(()),
            // An error outside of any event, as some servers send it.
            "error" => {
                self.data = Some(format!("{{\"error\":{}}}", value.trim()));
                Ok(())
            }
            _ => Err(SseError::NoField),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(bytes: &[u8]) -> Result<Vec<String>, SseError> {
        let mut events = Vec::new();
        Events::default().take(bytes, &mut events).map(|()| events)
    }

    #[test]
    fn events_are_the_same_wherever_the_bytes_split() {
        let stream = "\u{feff}: hello\r\ndata: {\"a\":\"größer \u{1f916}\"}\r\n\r\nevent: x\nid: 1\ndata: one\ndata:two\n\n\
                      retry: 3\n\ndata: [DONE]\r\rdata: unfinished"
            .as_bytes();
        let expected = vec!["{\"a\":\"größer \u{1f916}\"}".to_owned(), "one\ntwo".into(), "[DONE]".into()];
        assert_eq!(whole(stream).unwrap(), expected);
        for step in 1..stream.len() {
            let (mut events, mut heard) = (Events::default(), Vec::new());
            for piece in stream.chunks(step) {
                events.take(piece, &mut heard).unwrap();
            }
            assert_eq!(heard, expected, "in steps of {step}");
        }
    }

    #[test]
    fn what_is_no_stream_is_refused() {
        assert_eq!(whole(b"data: \xff\n\n"), Err(SseError::NotText));
        assert_eq!(whole(b"<html>\n"), Err(SseError::NoField));
        assert_eq!(whole(&vec![b'x'; MAX_LINE_BYTES + 1]), Err(SseError::TooLong));
        let endless = "data: 0123456789\n".repeat(MAX_LINE_BYTES / 10 + 1);
        assert_eq!(whole(endless.as_bytes()), Err(SseError::TooLong));
        assert_eq!(whole(b"\n\n\n: only comments\n\n"), Ok(vec![]));
        assert_eq!(whole(b"data\n\n"), Ok(vec![String::new()]));
    }
}
