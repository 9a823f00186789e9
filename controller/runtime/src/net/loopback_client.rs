//! Persistent connections to a local server, for measurements.

use std::io::{BufRead, BufReader, Error, ErrorKind, Read, Result, Write};
use std::net::{Ipv4Addr, TcpStream};

use tungstenite::{Message, WebSocket, client};

use super::ANSWER_TIMEOUT;

/// The maximum size of a response, bytes.
const MAX_ANSWER_BYTES: usize = 1 << 20;

fn connect(port: u16) -> Result<TcpStream> {
    let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    stream.set_read_timeout(Some(ANSWER_TIMEOUT))?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// One connection for consecutive requests.
pub struct LocalSession {
    stream: BufReader<TcpStream>,
    port: u16,
    body: Vec<u8>,
}

impl LocalSession {
    /// Connects.
    ///
    /// # Errors
    /// When no server listens there.
    pub fn begin(port: u16) -> Result<Self> {
        Ok(LocalSession { stream: BufReader::new(connect(port)?), port, body: Vec::new() })
    }

    /// Sends a request: a method and a path, and JSON if any. Returns the status and the body.
    ///
    /// # Errors
    /// When no response arrives, or it has no length.
    pub fn ask(&mut self, question: &str, json: &str) -> Result<(u16, &[u8])> {
        let LocalSession { stream, port, body } = self;
        // In one write, as clients do it.
        let asked = format!(
            "{question} HTTP/1.1\r\nHost: localhost:{port}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{json}",
            json.len()
        );
        stream.get_mut().write_all(asked.as_bytes())?;
        let (mut status, mut length, mut line) = (0, None, String::new());
        loop {
            line.clear();
            if stream.read_line(&mut line)? == 0 {
                return Err(ErrorKind::UnexpectedEof.into());
            }
            let text = line.trim_end();
            if text.is_empty() {
                break;
            }
            match text.split_once(':') {
                Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                    length = value.trim().parse().ok().filter(|length| *length <= MAX_ANSWER_BYTES);
                }
                None => status = text.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0),
                Some(_) => {}
            }
        }
        body.resize(length.ok_or_else(|| Error::other("an answer without a length"))?, 0);
        stream.read_exact(body)?;
        Ok((status, body))
    }
}

/// One WebSocket, for reading.
pub struct EventStream(WebSocket<TcpStream>);

impl EventStream {
    /// Connects.
    ///
    /// # Errors
    /// When no server listens there, or the upgrade fails.
    pub fn begin(port: u16, path: &str) -> Result<Self> {
        let (socket, _) =
            client(format!("ws://localhost:{port}{path}"), connect(port)?).map_err(Error::other)?;
        Ok(EventStream(socket))
    }

    /// Waits for the next text message.
    ///
    /// # Errors
    /// When none arrives.
    pub fn next_event(&mut self) -> Result<String> {
        loop {
            if let Message::Text(text) = self.0.read().map_err(Error::other)? {
                return Ok(text.as_str().to_owned());
            }
        }
    }
}
