//! A small client of the Language Server Protocol.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use minismith_tests::TestDir;
use serde_json::{Value, json};

/// Other tests share the processor.
const PATIENCE: Duration = Duration::from_secs(120);

pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    /// Notifications and requests of the server that nobody has asked for yet.
    pub received: VecDeque<Value>,
    requests: u64,
}

impl Client {
    /// Starts a server in a folder, which has its temporary files in `temporary` there.
    pub fn start(bench: &TestDir) -> Self {
        let temporary = bench.path("temporary");
        std::fs::create_dir_all(&temporary).unwrap();
        let mut command = bench.command(&["lsp", "--stdio"]);
        command.env("TMPDIR", temporary);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            while let Some(message) = read(&mut output) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let input = child.stdin.take();
        Client { child, input, messages, received: VecDeque::new(), requests: 0 }
    }

    /// Starts a server and initialises it.
    pub fn initialised(bench: &TestDir) -> Self {
        let mut client = Client::start(bench);
        let answer =
            client.request("initialize", json!({ "processId": null, "rootUri": null, "capabilities": {} }));
        assert_eq!(answer["result"]["serverInfo"]["name"], "minismith", "{answer}");
        client.notify("initialized", json!({}));
        client
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn write(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        // A server that has ended reads no more.
        let _ = input.write_all(bytes).and_then(|()| input.flush());
    }

    pub fn send(&mut self, message: &Value) {
        self.write(&framed(message));
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request and returns its id.
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        self.requests += 1;
        let id = json!(self.requests);
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// Sends a request and returns its whole answer.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        self.answer(&id)
    }

    /// Returns the answer to a request. Other messages are kept.
    pub fn answer(&mut self, id: &Value) -> Value {
        self.find(|message| message.get("method").is_none() && message["id"] == *id)
    }

    /// Returns the next message of the server with this method.
    pub fn next(&mut self, method: &str) -> Value {
        self.find(|message| message["method"] == method)
    }

    pub fn find(&mut self, is_meant: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.received.iter().position(&is_meant) {
            return self.received.remove(at).unwrap();
        }
        loop {
            let message = self.messages.recv_timeout(PATIENCE).unwrap();
            if is_meant(&message) {
                return message;
            }
            self.received.push_back(message);
        }
    }

    /// Opens a document and returns its diagnostics.
    pub fn open(&mut self, uri: &str, text: &str) -> Vec<Value> {
        let document = json!({ "uri": uri, "languageId": "python", "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
        self.diagnostics(uri, 1)
    }

    pub fn change(&mut self, uri: &str, version: i32, text: &str) {
        self.send(&change(uri, version, text));
    }

    pub fn close(&mut self, uri: &str) {
        self.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    }

    /// Waits for the diagnostics of a version of a document.
    pub fn diagnostics(&mut self, uri: &str, version: i32) -> Vec<Value> {
        let published = self.find(|message| {
            message["method"] == "textDocument/publishDiagnostics"
                && message["params"]["uri"] == uri
                && message["params"]["version"] == version
        });
        published["params"]["diagnostics"].as_array().unwrap().clone()
    }

    /// Sends a request about a place, `|` in the text of the document.
    pub fn at(&mut self, method: &str, uri: &str, marked: &str) -> Value {
        let at = marked.find('|').unwrap();
        let text = marked.replacen('|', "", 1);
        self.open(uri, &text);
        let before = &marked[..at];
        let line = before.matches('\n').count();
        let character = before.rsplit('\n').next().unwrap().encode_utf16().count();
        let answer = self.request(
            method,
            json!({ "textDocument": { "uri": uri }, "position": { "line": line, "character": character } }),
        );
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].clone()
    }

    /// Returns the actions for the whole document.
    pub fn actions(&mut self, uri: &str) -> Vec<Value> {
        let everywhere =
            json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 1_000_000, "character": 0 } });
        let params =
            json!({ "textDocument": { "uri": uri }, "range": everywhere, "context": { "diagnostics": [] } });
        self.request("textDocument/codeAction", params)["result"].as_array().unwrap().clone()
    }

    /// Says goodbye, and returns the exit code and standard error.
    pub fn end(mut self) -> (Option<i32>, String) {
        let answer = self.request("shutdown", Value::Null);
        assert_eq!(answer["result"], Value::Null);
        self.notify("exit", Value::Null);
        self.wait()
    }

    /// Closes the input, and returns the exit code and standard error.
    pub fn wait(mut self) -> (Option<i32>, String) {
        drop(self.input.take());
        let mut complaints = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut complaints).unwrap();
        let code = self.child.wait().unwrap().code();
        assert!(!complaints.contains("panicked"), "{complaints}");
        (code, complaints)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns a message as it is sent.
pub fn framed(message: &Value) -> Vec<u8> {
    let text = message.to_string();
    format!("Content-Length: {}\r\n\r\n{text}", text.len()).into_bytes()
}

/// Returns the notification that a document has another text.
pub fn change(uri: &str, version: i32, text: &str) -> Value {
    json!({
        "jsonrpc": "2.0", "method": "textDocument/didChange",
        "params": {
            "textDocument": { "uri": uri, "version": version }, "contentChanges": [{ "text": text }],
        },
    })
}

fn read(output: &mut impl BufRead) -> Option<Value> {
    let mut length = None;
    loop {
        let mut line = String::new();
        output.read_line(&mut line).ok().filter(|read| *read > 0)?;
        match line.trim_end() {
            "" => break,
            header => length = header.strip_prefix("Content-Length: ").map(|text| text.parse().unwrap()),
        }
    }
    let mut body = vec![0; length?];
    output.read_exact(&mut body).ok()?;
    Some(serde_json::from_slice(&body).unwrap())
}

/// Returns the offset of a position of the protocol, whose lines end at `\n`, `\r\n` and `\r`.
fn offset(text: &str, position: &Value) -> usize {
    let (line, character) = (position["line"].as_u64().unwrap(), position["character"].as_u64().unwrap());
    let (mut lines, mut units) = (0, 0);
    let mut rest = text.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        if lines == line && (units >= character || c == '\n' || c == '\r') {
            return at;
        }
        units += c.len_utf16() as u64;
        let is_inside = c == '\r' && rest.peek().is_some_and(|(_, next)| *next == '\n');
        if matches!(c, '\n' | '\r') && !is_inside {
            (lines, units) = (lines + 1, 0);
        }
    }
    text.len()
}

/// Returns the text after the edits of an action.
pub fn applied(text: &str, action: &Value) -> String {
    let changes = action["edit"]["changes"].as_object().unwrap();
    let edits = changes.values().next().unwrap().as_array().unwrap();
    let mut edits: Vec<(usize, usize, &str)> = edits
        .iter()
        .map(|edit| {
            let range = &edit["range"];
            let new = edit["newText"].as_str().unwrap();
            (offset(text, &range["start"]), offset(text, &range["end"]), new)
        })
        .collect();
    edits.sort_unstable();
    let mut changed = text.to_owned();
    for (start, end, new) in edits.into_iter().rev() {
        changed.replace_range(start..end, new);
    }
    changed
}

/// Returns the code that a range of the protocol covers.
pub fn covered<'t>(text: &'t str, range: &Value) -> &'t str {
    &text[offset(text, &range["start"])..offset(text, &range["end"])]
}
