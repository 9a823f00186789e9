//! What clients send to the server: requests, messages of MCP and of WebSockets, to the routes of a whole server with a
//! simulated robot in this process. No port is opened, and no tool runs: the server has no Python.
//!
//! The server lasts as long as the process, so an input may find what an earlier one left. A client waits a moment and
//! leaves: an answer that lasts as long as a motion is not awaited.

use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use minismith_control::robot::RobotRuntime;
use minismith_runtime::config::{Config, RobotChoice};
use minismith_runtime::net::server::serve_stream;
use minismith_server::api::serve_in_process;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex, split};
use tokio::runtime;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::time::timeout;

/// How long a client waits for an answer, and for what a WebSocket sends after its last message.
const PATIENCE: Duration = Duration::from_millis(60);
const SOCKET_PATIENCE: Duration = Duration::from_millis(15);

/// Maximum number of bytes that a client reads.
const MAX_READ: usize = 1 << 20;

/// Maximum number of requests or messages of one input.
const MAX_MESSAGES: usize = 12;

/// The headers of a request that every client sends.
const HEADERS: &str = "host: localhost\r\nconnection: close\r\n";
const JSON: &str = "content-type: application/json\r\n";

/// Sends requests to any route: a request line, headers, an empty line and the body; `---` is between two requests. `LEASE` is
/// the lease that an earlier one returned.
///
/// # Panics
/// When the server does not answer in HTTP.
pub fn rest(data: &[u8]) {
    let mut lease = None;
    for request in parts(data, b"\n---\n").take(MAX_MESSAGES) {
        let (head, body) = cut(request, b"\n\n").unwrap_or((request, b""));
        let head = leased(&String::from_utf8_lossy(head), lease.as_ref());
        let (line, headers) = head.split_once('\n').unwrap_or((&head, ""));
        let mut headers: String = headers.lines().map(|header| format!("{header}\r\n")).collect();
        if !headers.to_ascii_lowercase().contains("content-type:") {
            headers += JSON;
        }
        let answer = ask(&message(line.trim_end_matches('\r'), &headers, body));
        lease = lease_in(&answer).or(lease);
    }
    release(lease);
}

/// Sends a chat completion request with this body.
///
/// # Panics
/// When the server does not answer in HTTP.
pub fn openai(data: &[u8]) {
    ask(&message("POST /v1/chat/completions", JSON, data));
}

/// Sends messages to the MCP endpoint, one per line. A line that is no JSON value is a header of the messages after it; the
/// session that the server names is used from then on.
///
/// # Panics
/// When the server does not answer in HTTP.
pub fn mcp(data: &[u8]) {
    let mut headers = format!("{JSON}accept: application/json, text/event-stream\r\n");
    for line in parts(data, b"\n").take(MAX_MESSAGES) {
        match str::from_utf8(line) {
            Ok(header) if !header.starts_with(['{', '[', '"']) => {
                headers += header.trim_end_matches('\r');
                headers += "\r\n";
            }
            _ => {
                let answer = ask(&message("POST /mcp", &headers, line));
                let mut named = answer.split("\r\n").filter_map(|line| line.strip_prefix("mcp-session-id: "));
                if let Some(session) = named.next() {
                    headers += &format!("mcp-session-id: {session}\r\n");
                }
            }
        }
    }
}

/// Sends messages to a WebSocket: its path, and one message per line; one that begins with a byte 0 is binary. `LEASE` in the
/// path is a new lease.
///
/// # Panics
/// When the server does not answer in HTTP.
pub fn socket(data: &[u8]) {
    let mut lines = parts(data, b"\n");
    let path = String::from_utf8_lossy(lines.next().unwrap_or_default());
    let lease = path
        .contains(LEASE)
        .then(|| lease_in(&ask(&message("POST /api/v1/lease", JSON, NEW_LEASE))))
        .flatten();
    let path = leased(&path, lease.as_ref());
    let upgrade = "host: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n\
                   sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    let opening = format!("GET {path} HTTP/1.1\r\n{upgrade}").into_bytes();
    let messages = lines.take(MAX_MESSAGES).map(|line| match line.split_first() {
        Some((0, binary)) => frame(2, binary),
        _ => frame(1, line),
    });
    let answer = send(Exchange { opening, frames: messages.collect() });
    assert!(answer.is_empty() || answer.starts_with(b"HTTP/1.1 "), "{}", String::from_utf8_lossy(&answer));
    release(lease);
}

/// The word for a lease, and the request for one.
const LEASE: &str = "LEASE";
const NEW_LEASE: &[u8] = br#"{"purpose": "fuzzing", "heartbeat_ms": 500}"#;

fn leased(text: &str, lease: Option<&String>) -> String {
    text.replace(LEASE, lease.map_or(LEASE, String::as_str))
}

fn lease_in(answer: &str) -> Option<String> {
    let (_, id) = answer.split_once("\"lease_id\":\"")?;
    id.split_once('"').map(|(id, _)| id.to_owned())
}

/// Frees the robot for the next input.
fn release(lease: Option<String>) {
    if let Some(id) = lease {
        ask(&message(&format!("DELETE /api/v1/lease/{id}"), "", b""));
    }
}

fn message(line: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let mut message =
        format!("{line} HTTP/1.1\r\n{HEADERS}{headers}content-length: {}\r\n\r\n", body.len()).into_bytes();
    message.extend_from_slice(body);
    message
}

fn ask(request: &[u8]) -> String {
    let answer = send(Exchange { opening: request.to_vec(), frames: Vec::new() });
    let answer = String::from_utf8_lossy(&answer).into_owned();
    // A client that leaves early has no answer.
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 "), "{answer}");
    answer
}

/// Returns the final frame of a message with the mask 0.
fn frame(opcode: u8, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![0x80 | opcode];
    match u16::try_from(payload.len()) {
        Ok(short @ 0..=125) => frame.extend([0x80 | short.to_be_bytes()[1]]),
        Ok(medium) => {
            frame.push(0x80 | 126);
            frame.extend(medium.to_be_bytes());
        }
        Err(_) => {
            frame.push(0x80 | 127);
            frame.extend((payload.len() as u64).to_be_bytes());
        }
    }
    frame.extend([0; 4]);
    frame.extend_from_slice(payload);
    frame
}

fn cut<'a>(text: &'a [u8], at: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let position = text.windows(at.len()).position(|window| window == at)?;
    let (before, after) = text.split_at(position);
    Some((before, after.get(at.len()..)?))
}

fn parts<'a>(text: &'a [u8], at: &'static [u8]) -> impl Iterator<Item = &'a [u8]> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest.take()?;
        let Some((part, after)) = cut(text, at) else { return Some(text) };
        rest = Some(after);
        Some(part)
    })
}

/// What one client sends over its connection.
struct Exchange {
    /// The first request.
    opening: Vec<u8>,
    /// The messages after the upgrade to a WebSocket.
    frames: Vec<Vec<u8>>,
}

type Job = (Exchange, mpsc::Sender<Vec<u8>>);

/// Returns what the server answered until the client left.
fn send(exchange: Exchange) -> Vec<u8> {
    static SERVER: OnceLock<Mutex<UnboundedSender<Job>>> = OnceLock::new();
    let (reply, answer) = mpsc::channel();
    let server = SERVER.get_or_init(|| Mutex::new(start()));
    server.lock().unwrap_or_else(PoisonError::into_inner).send((exchange, reply)).unwrap();
    answer.recv().expect("the server has panicked")
}

/// Starts the server on a thread of its own.
fn start() -> UnboundedSender<Job> {
    let (jobs, mut waiting) = unbounded_channel::<Job>();
    let folder = folder();
    thread::spawn(move || {
        let config = Config::load(Some(&folder.join("config.yaml"))).unwrap();
        let robot = Arc::new(RobotRuntime::open(&RobotChoice::Mock, &config).unwrap());
        let runtime =
            runtime::Builder::new_current_thread().enable_all().max_blocking_threads(4).build().unwrap();
        let served = serve_in_process(&robot, &config, async |routes| {
            while let Some((exchange, reply)) = waiting.recv().await {
                let (ours, theirs) = duplex(1 << 16);
                let served = tokio::spawn(serve_stream(theirs, ([127, 0, 0, 1], 1).into(), routes.clone()));
                let answer = converse(ours, exchange).await;
                // The client has left, so the server ends the connection.
                if let Ok(Err(died)) = timeout(PATIENCE, served).await {
                    assert!(!died.is_panic(), "{died}");
                }
                let _gone = reply.send(answer);
            }
        });
        runtime.block_on(served).unwrap();
    });
    jobs
}

async fn converse(stream: DuplexStream, exchange: Exchange) -> Vec<u8> {
    let (mut reader, mut writer) = split(stream);
    let mut answer = Vec::new();
    let patience = if exchange.frames.is_empty() { PATIENCE } else { SOCKET_PATIENCE };
    let sent = async {
        writer.write_all(&exchange.opening).await?;
        for frame in &exchange.frames {
            writer.write_all(frame).await?;
        }
        std::io::Result::Ok(())
    };
    let read = async {
        while answer.len() < MAX_READ && reader.read_buf(&mut answer).await.is_ok_and(|read| read > 0) {}
    };
    // A server that closes the connection reads no more.
    let _in_time = timeout(patience, async { tokio::join!(sent, read) }).await;
    answer
}

/// Returns a new folder with a configuration in which everything lies inside it. The folders of processes that have ended are
/// removed, because a server that lasts as long as its process cannot remove its own.
fn folder() -> PathBuf {
    let prefix = "minismith-fuzz-";
    for entry in fs::read_dir(std::env::temp_dir()).unwrap().flatten() {
        let name = entry.file_name();
        let process =
            name.to_str().and_then(|name| name.strip_prefix(prefix)).filter(|id| id.parse::<u32>().is_ok());
        if process.is_some_and(|id| !PathBuf::from(format!("/proc/{id}")).exists()) {
            // Another process may do the same.
            let _removed = fs::remove_dir_all(entry.path());
        }
    }
    let folder = std::env::temp_dir().join(format!("{prefix}{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config.yaml"), CONFIGURATION.replace("HERE", folder.to_str().unwrap())).unwrap();
    folder
}

/// Nothing outside the folder is read, and no device is opened.
const CONFIGURATION: &str = "\
tool_host: {python: HERE/no-python}
server: {token_file: HERE/tokens.json, mdns: false}
compat: {camera_socket: none, webrtc: 'off', app_directory: HERE/apps}
fleet: {directory: HERE/fleet}
tools: {directory: HERE/tools}
models: {directory: HERE/models}
update: {directory: HERE/program}
workshop: {signing_key: HERE/signing.key}
local_model: {directory: HERE/model}
memory: {file: HERE/sessions.sqlite}
camera: {photo_directory: HERE/photos}
voice: {microphone: none, speaker: none}
journal: {file: HERE/journal.jsonl, max_file_mb: 1, max_files: 1}
traces: {directory: none}
logs: {file: none}
";
