//! Messages of the protocol: in frames on standard input and output, or one by one. The client is not trusted: every length is
//! bounded.

use std::io::{self, BufRead, Read, Write};

use lsp_server::{ErrorCode, Message};
use serde_json::{Value, json};

/// Maximum length of one message, in bytes. A longer one is skipped.
const MAX_MESSAGE_BYTES: u64 = 16 << 20;

/// Maximum length of the headers of one message, in bytes.
const MAX_HEADER_BYTES: u64 = 4 << 10;

/// What was read.
#[derive(Debug)]
pub(crate) enum Frame {
    /// A message.
    Message(Message),
    /// A message that is not valid JSON, or not one of the protocol, with the reason.
    Invalid(ErrorCode, String),
    /// A message that is longer than the limit.
    TooLong(u64),
    /// The input has ended, or nothing in it says where the next message begins.
    End,
}

/// Takes messages to the client.
pub(crate) trait Output {
    /// Writes one message.
    ///
    /// # Errors
    /// The client is gone.
    fn write(&mut self, message: &Value) -> io::Result<()>;
}

/// Writes messages in frames.
pub(crate) struct Framed<W>(pub W);

impl<W: Write> Output for Framed<W> {
    fn write(&mut self, message: &Value) -> io::Result<()> {
        let text = message.to_string();
        write!(self.0, "Content-Length: {}\r\n\r\n{text}", text.len())?;
        self.0.flush()
    }
}

/// Passes messages on one by one.
pub(crate) struct Passed<F>(pub F);

impl<F: FnMut(String) -> io::Result<()>> Output for Passed<F> {
    fn write(&mut self, message: &Value) -> io::Result<()> {
        (self.0)(message.to_string())
    }
}

/// Writes a message.
pub(crate) fn write(output: &mut impl Output, message: &Message) -> io::Result<()> {
    let mut message = serde_json::to_value(message)?;
    if let Some(fields) = message.as_object_mut() {
        fields.insert("jsonrpc".to_owned(), "2.0".into());
    }
    output.write(&message)
}

/// Reads a message that came without a frame.
pub(crate) fn unframed(text: &str) -> Frame {
    match text.len() as u64 {
        length if length > MAX_MESSAGE_BYTES => Frame::TooLong(length),
        _ => parse(text.as_bytes()),
    }
}

/// Reads one frame.
pub(crate) fn read(input: &mut impl BufRead) -> Frame {
    let length = match read_headers(input) {
        Ok(Some(length)) => length,
        Ok(None) => return Frame::End,
        Err(error) => {
            tracing::error!("the input cannot be read: {error}");
            return Frame::End;
        }
    };
    if length > MAX_MESSAGE_BYTES {
        return match io::copy(&mut input.take(length), &mut io::sink()) {
            Ok(skipped) if skipped == length => Frame::TooLong(length),
            _ => Frame::End,
        };
    }
    let mut body = Vec::new();
    match input.take(length).read_to_end(&mut body) {
        Ok(read) if read as u64 == length => parse(&body),
        _ => Frame::End,
    }
}

fn parse(body: &[u8]) -> Frame {
    match serde_json::from_slice::<Value>(body) {
        Err(error) => Frame::Invalid(ErrorCode::ParseError, format!("the message is not JSON: {error}")),
        Ok(value) => match serde_json::from_value(value) {
            Ok(message) => Frame::Message(message),
            Err(_) => Frame::Invalid(
                ErrorCode::InvalidRequest,
                "the message is neither a request nor a response nor a notification".into(),
            ),
        },
    }
}

/// Returns the length of the next message; none at the end of the input.
fn read_headers(input: &mut impl BufRead) -> io::Result<Option<u64>> {
    let mut headers = input.take(MAX_HEADER_BYTES);
    let (mut length, mut line) = (None, Vec::new());
    loop {
        line.clear();
        headers.read_until(b'\n', &mut line)?;
        let Ok(header) = std::str::from_utf8(&line) else { return Err(invalid("a header is not text")) };
        match header.strip_suffix('\n').map(str::trim_end) {
            None if line.is_empty() && length.is_none() && headers.limit() > 0 => return Ok(None),
            None => return Err(invalid("a header does not end")),
            Some("") => return length.map(Some).ok_or_else(|| invalid("there is no Content-Length")),
            Some(header) => {
                if let Some((name, value)) = header.split_once(':')
                    && name.eq_ignore_ascii_case("Content-Length")
                {
                    let value = value.trim().parse();
                    length = Some(value.map_err(|_| invalid("the Content-Length is not a number"))?);
                }
            }
        }
    }
}

fn invalid(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// Writes an error that belongs to no request.
pub(crate) fn write_error(output: &mut impl Output, code: ErrorCode, message: &str) -> io::Result<()> {
    output.write(&json!({
        "jsonrpc": "2.0", "id": null, "error": { "code": code as i32, "message": message },
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(text: &str) -> Frame {
        read(&mut text.as_bytes())
    }

    #[test]
    fn reads_messages_and_bounds_everything() {
        let good = r#"{"jsonrpc":"2.0","method":"exit"}"#;
        let framed = format!("Content-Type: x\r\ncontent-length: {}\r\n\r\n{good}", good.len());
        assert!(matches!(frame(&framed), Frame::Message(Message::Notification(_))));
        assert!(matches!(frame(""), Frame::End));
        assert!(matches!(frame("Content-Length: 5\r\n\r\nabc"), Frame::End));
        assert!(matches!(frame("Content-Length: x\r\n\r\nabc"), Frame::End));
        assert!(matches!(frame("\r\n"), Frame::End));
        assert!(matches!(frame(&"x".repeat(9000)), Frame::End));
        assert!(matches!(frame("Content-Length: 99999999999999999\r\n\r\nabc"), Frame::End));
        assert!(matches!(frame("Content-Length: 3\r\n\r\n{{{"), Frame::Invalid(ErrorCode::ParseError, _)));
        assert!(matches!(frame("Content-Length: 2\r\n\r\n[]"), Frame::Invalid(ErrorCode::InvalidRequest, _)));
    }

    #[test]
    fn skips_a_message_beyond_the_limit() {
        let length = MAX_MESSAGE_BYTES as usize + 1;
        let text =
            format!("Content-Length: {length}\r\n\r\n{}Content-Length: 2\r\n\r\n[]", " ".repeat(length));
        let mut input = text.as_bytes();
        assert!(matches!(read(&mut input), Frame::TooLong(_)));
        assert!(matches!(read(&mut input), Frame::Invalid(..)));
    }
}
