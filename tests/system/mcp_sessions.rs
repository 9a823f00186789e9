//! Sessions of the Model Context Protocol: they end when they are idle, and their number is bounded.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use minismith_tests::TestDir;
use serde_json::{Value, json};

use super::server_fixture::{Served, served};

/// The response to a request, unparsed.
pub(super) struct Exchanged {
    pub(super) status: u16,
    head: String,
    pub(super) body: String,
}

impl Exchanged {
    /// Returns a header of the response.
    fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// Returns the last message, from a stream of events or from a plain response.
    #[track_caller]
    pub(super) fn message(&self) -> Value {
        let events = self.body.lines().filter_map(|line| line.strip_prefix("data: "));
        let last = events.rev().find(|data| !data.is_empty()).unwrap_or(&self.body);
        serde_json::from_str(last).unwrap_or_else(|error| panic!("{error}: {} {}", self.status, self.body))
    }
}

/// Sends a request as HTTP/1.0, whose responses have no chunks, and reads all of the response.
pub(super) fn exchange(address: &str, what: &str, headers: &[&str], body: &str) -> Exchanged {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
    let own = [format!("Host: {address}"), format!("Content-Length: {}", body.len())];
    let lines: Vec<&str> = own.iter().map(String::as_str).chain(headers.iter().copied()).collect();
    stream.write_all(format!("{what} HTTP/1.0\r\n{}\r\n\r\n{body}", lines.join("\r\n")).as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no head: {answer}"));
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Exchanged { status, head: head.into(), body: body.into() }
}

/// Sends a message, in a session if there is one.
fn send(served: &Served, session: Option<&str>, message: &Value) -> Exchanged {
    let session = session.map(|id| format!("Mcp-Session-Id: {id}"));
    let mut headers = vec![
        "Content-Type: application/json",
        "Accept: application/json, text/event-stream",
        "MCP-Protocol-Version: 2025-06-18",
    ];
    headers.extend(session.as_deref());
    exchange(&served.address, "POST /mcp", &headers, &message.to_string())
}

fn begin(served: &Served) -> String {
    let params = json!({
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
    });
    let begun = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
    let begun = send(served, None, &begun);
    assert_eq!(begun.status, 200, "{}", begun.body);
    begun.header("mcp-session-id").unwrap().to_owned()
}

/// Uses a session, and returns the status.
fn ping(served: &Served, session: &str) -> u16 {
    send(served, Some(session), &json!({"jsonrpc": "2.0", "id": 2, "method": "ping"})).status
}

#[test]
fn idle_session_ends_and_its_client_begins_a_new_one() {
    let served = Served::on(TestDir::configured("server: {mcp_idle_timeout_s: 1}\n"));
    let session = begin(&served);
    // Only waiting can show that it ends. Each wait is longer than the timeout.
    let has_ended = (0..10).any(|_| {
        std::thread::park_timeout(Duration::from_millis(1500));
        ping(&served, &session) == 404
    });
    assert!(has_ended, "the session is still open");
    assert_eq!(ping(&served, &begin(&served)), 200);
}

#[test]
fn sessions_are_bounded_and_the_least_used_one_makes_room() {
    const MAX_SESSIONS: usize = 64;
    let served = served();
    let used = begin(&served);
    let others: Vec<String> = (0..MAX_SESSIONS + 16)
        .map(|_| {
            let other = begin(&served);
            assert_eq!(ping(&served, &used), 200, "the session in use was ended");
            other
        })
        .collect();
    let statuses: Vec<u16> = others.iter().map(|other| ping(&served, other)).collect();
    let (ended, open) = statuses.split_at(others.len() - (MAX_SESSIONS - 1));
    assert!(ended.iter().all(|status| *status == 404), "{statuses:?}");
    assert!(open.iter().all(|status| *status == 200), "{statuses:?}");
    // A client that ends its session frees the place.
    let id = format!("Mcp-Session-Id: {used}");
    let done = exchange(&served.address, "DELETE /mcp", &[&id, "MCP-Protocol-Version: 2025-06-18"], "");
    assert!((200..300).contains(&done.status), "{}", done.status);
    assert_eq!(ping(&served, &used), 404);
    let last = begin(&served);
    assert_eq!(ping(&served, &others[others.len() - (MAX_SESSIONS - 1)]), 200);
    assert_eq!(ping(&served, &last), 200);
}
