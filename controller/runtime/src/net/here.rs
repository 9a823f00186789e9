//! Connections to a server on this machine that are kept open, to measure it by.

use std::io::{BufRead, BufReader, Error, ErrorKind, Read, Result, Write};
use std::net::{Ipv4Addr, TcpStream};

use tungstenite::{Message, WebSocket, client};

use super::LONGEST_ANSWER;

/// The longest answer, bytes.
const LONGEST: usize = 1 << 20;

fn connect(port: u16) -> Result<TcpStream> {
    let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    stream.set_read_timeout(Some(LONGEST_ANSWER))?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// One connection over which question follows question.
pub struct Talk {
    stream: BufReader<TcpStream>,
    port: u16,
    body: Vec<u8>,
}

impl Talk {
    /// Connects.
    ///
    /// # Errors
    /// When nobody listens there.
    pub fn begin(port: u16) -> Result<Self> {
        Ok(Talk { stream: BufReader::new(connect(port)?), port, body: Vec::new() })
    }

    /// Asks: a method and a path, and JSON where there is any. Gives the status, and what is answered.
    ///
    /// # Errors
    /// When the answer does not come, or is none that has a length.
    pub fn ask(&mut self, question: &str, json: &str) -> Result<(u16, &[u8])> {
        let Talk { stream, port, body } = self;
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
                    length = value.trim().parse().ok().filter(|length| *length <= LONGEST);
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

/// One WebSocket, listened to.
pub struct Listening(WebSocket<TcpStream>);

impl Listening {
    /// Connects.
    ///
    /// # Errors
    /// When nobody listens there, or it does not become a WebSocket.
    pub fn begin(port: u16, path: &str) -> Result<Self> {
        let (socket, _) =
            client(format!("ws://localhost:{port}{path}"), connect(port)?).map_err(Error::other)?;
        Ok(Listening(socket))
    }

    /// Waits for the next text.
    ///
    /// # Errors
    /// When none comes.
    pub fn hear(&mut self) -> Result<String> {
        loop {
            if let Message::Text(text) = self.0.read().map_err(Error::other)? {
                return Ok(text.as_str().to_owned());
            }
        }
    }
}
