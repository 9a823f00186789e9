//! Tracing and logging: spans at a collector, one tree for each command, and the log file.
//!
//! The test decodes OTLP by hand, by field numbers, so that no library is compared with itself.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use firmware_bridge::clock::{Clock, MonotonicClock};
use minismith_tests::{CommandOutput, TestDir};
use rustix::process::Signal;
use serde_json::{Value, json};

use super::cli::{listening, send};

/// Emulated servos get longer timeouts, since other tests share the processor.
const BUS: &str = "bus: {reply_timeout_ms: 50, watchdog_ms: 2000}\n";

/// One field of a Protocol Buffers message.
enum Field<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

impl<'a> Field<'a> {
    fn bytes(&self) -> &'a [u8] {
        match self {
            Field::Bytes(bytes) => bytes,
            Field::Number(number) => panic!("{number} is no message"),
        }
    }

    fn text(&self) -> String {
        String::from_utf8(self.bytes().to_vec()).unwrap()
    }

    fn hex(&self) -> String {
        self.bytes().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn number(&self) -> u64 {
        match self {
            Field::Number(number) => *number,
            Field::Bytes(_) => panic!("no number"),
        }
    }
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..).step_by(7) {
        let (byte, rest) = bytes.split_first().unwrap();
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if *byte < 0x80 {
            break;
        }
    }
    value
}

/// Returns the fields of a message at this path of field numbers.
fn fields<'a>(mut bytes: &'a [u8], number: u64) -> Vec<Field<'a>> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let tag = varint(&mut bytes);
        let mut take = |length: usize| {
            let (taken, rest) = bytes.split_at(length);
            bytes = rest;
            taken
        };
        let field = match tag & 7 {
            1 => Field::Number(u64::from_le_bytes(take(8).try_into().unwrap())),
            5 => Field::Number(u32::from_le_bytes(take(4).try_into().unwrap()).into()),
            2 => {
                let length = varint(&mut bytes);
                let (taken, rest) = bytes.split_at(usize::try_from(length).unwrap());
                bytes = rest;
                Field::Bytes(taken)
            }
            0 => Field::Number(varint(&mut bytes)),
            other => panic!("wire type {other}"),
        };
        if tag >> 3 == number {
            found.push(field);
        }
    }
    found
}

/// Returns the attributes as keys and values.
fn attributes(message: &[u8], number: u64) -> BTreeMap<String, String> {
    let read = |pair: &Field<'_>| {
        let value = fields(pair.bytes(), 2).remove(0).bytes();
        let text = fields(value, 1).first().map(Field::text);
        let number =
            || fields(value, 3).first().or(fields(value, 2).first()).map(|it| it.number().to_string());
        (fields(pair.bytes(), 1)[0].text(), text.or_else(number).unwrap_or_default())
    };
    fields(message, number).iter().map(read).collect()
}

#[derive(Clone, Debug)]
struct Span {
    trace: String,
    id: String,
    parent: String,
    name: String,
    from: u64,
    to: u64,
    about: BTreeMap<String, String>,
}

impl Span {
    fn is(&self, key: &str, value: &str) -> bool {
        self.about.get(key).is_some_and(|there| there == value)
    }
}

/// Returns the spans of an export request whose resource is this program.
fn spans(body: &[u8]) -> Vec<Span> {
    let mut found = Vec::new();
    for of_resource in fields(body, 1) {
        let resource = attributes(fields(of_resource.bytes(), 1)[0].bytes(), 1);
        assert_eq!(resource["service.name"], "minismith");
        assert_eq!(resource["service.version"], env!("CARGO_PKG_VERSION"));
        for of_scope in fields(of_resource.bytes(), 2) {
            for span in fields(of_scope.bytes(), 2) {
                let span = span.bytes();
                let id = |number| fields(span, number).first().map(Field::hex).unwrap_or_default();
                found.push(Span {
                    trace: id(1),
                    id: id(2),
                    parent: id(4),
                    name: fields(span, 5)[0].text(),
                    from: fields(span, 7)[0].number(),
                    to: fields(span, 8)[0].number(),
                    about: attributes(span, 9),
                });
            }
        }
    }
    found
}

/// A collector that accepts requests after it has rejected this many.
struct Collector {
    port: u16,
    heard: Arc<Mutex<Vec<Span>>>,
}

impl Collector {
    fn start(busy: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let stored = heard.clone();
        std::thread::spawn(move || {
            for (turn, stream) in listener.incoming().enumerate() {
                let mut stream = stream.unwrap();
                let (head, body) = request(&mut stream);
                assert!(head.starts_with("POST /v1/traces HTTP/1.1\r\n"), "{head}");
                assert!(head.contains("content-type: application/x-protobuf\r\n"), "{head}");
                let answer = if turn < busy { "503 Service Unavailable" } else { "200 OK" };
                if turn >= busy {
                    stored.lock().unwrap().extend(spans(&body));
                }
                let answer = format!("HTTP/1.1 {answer}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
                stream.write_all(answer.as_bytes()).unwrap();
            }
        });
        Collector { port, heard }
    }

    fn keys(&self) -> String {
        format!("{BUS}telemetry: {{otlp_endpoint: 'http://127.0.0.1:{}'}}\n", self.port)
    }

    fn heard(&self) -> Vec<Span> {
        self.heard.lock().unwrap().clone()
    }

    /// Returns the spans of the trace whose root has this name, once it has arrived.
    #[track_caller]
    fn tree(&self, is_root: impl Fn(&Span) -> bool) -> Tree {
        for _ in 0..800 {
            let heard = self.heard();
            if let Some(root) = heard.iter().find(|span| is_root(span)) {
                let trace = heard.iter().filter(|span| span.trace == root.trace).cloned().collect();
                return Tree { root: root.clone(), spans: trace };
            }
            std::thread::park_timeout(Duration::from_millis(25));
        }
        panic!("there is no such span among {:?}", self.heard());
    }
}

/// Returns the head and the body of a request.
fn request(stream: &mut TcpStream) -> (String, Vec<u8>) {
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    loop {
        if let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8(bytes[..end + 2].to_vec()).unwrap();
            let length = head.to_lowercase().split_once("content-length: ").unwrap().1.to_owned();
            let length: usize = length.split("\r\n").next().unwrap().parse().unwrap();
            if bytes.len() >= end + 4 + length {
                return (head, bytes[end + 4..].to_vec());
            }
        }
        let read = stream.read(&mut piece).unwrap();
        assert!(read > 0, "it hung up");
        bytes.extend_from_slice(&piece[..read]);
    }
}

/// The spans of one trace.
struct Tree {
    root: Span,
    spans: Vec<Span>,
}

impl Tree {
    /// Asserts that the spans form one tree: one root, and each span within the time of its parent.
    #[track_caller]
    fn is_whole(&self) {
        let by_id: BTreeMap<&str, &Span> = self.spans.iter().map(|span| (span.id.as_str(), span)).collect();
        assert_eq!(by_id.len(), self.spans.len(), "each has its own id");
        assert_eq!((self.root.parent.as_str(), self.root.trace.len(), self.root.id.len()), ("", 32, 16));
        for span in self.spans.iter().filter(|span| span.id != self.root.id) {
            let parent = by_id.get(span.parent.as_str());
            let parent = parent.unwrap_or_else(|| panic!("{} is in nothing: {:?}", span.name, self.spans));
            assert!(span.from >= parent.from && span.to <= parent.to && span.from <= span.to, "{span:?}");
        }
    }

    /// Returns the names from the root to the first span of this name.
    #[track_caller]
    fn way_to(&self, name: &str) -> Vec<&str> {
        let all = &self.spans;
        let mut at =
            all.iter().find(|span| span.name == name).unwrap_or_else(|| panic!("no {name} in {all:?}"));
        let mut way = vec![at.name.as_str()];
        while let Some(parent) = all.iter().find(|span| span.id == at.parent) {
            way.insert(0, &parent.name);
            at = parent;
        }
        way
    }

    fn count(&self, name: &str) -> usize {
        self.spans.iter().filter(|span| span.name == name).count()
    }
}

/// Returns the journal's entries of these kinds, each with its id.
fn noted(bench: &TestDir, kind: &str) -> Vec<(String, String)> {
    let journal = fs::read_to_string(bench.path(".share/minismith/journal.jsonl")).unwrap();
    let entries = journal.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    entries.filter(|it| it["kind"] == kind).map(|it| (text(&it["action"]), text(&it["id"]))).collect()
}

/// Returns the contents of the log file.
fn log(bench: &TestDir) -> Vec<Value> {
    let log = fs::read_to_string(bench.path(".share/minismith/log.jsonl")).unwrap_or_default();
    log.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Starts a server, sends it requests, and shuts it down.
fn serve(bench: &TestDir, ask: impl FnOnce(&str)) -> CommandOutput {
    let mut server = bench.start(&["serve", "--json", "--port", "0"]);
    let address = listening(&server.line().unwrap());
    // The server can shut down cleanly once it has answered.
    assert_eq!(send(&address, "GET /health", &[], "").0, 200);
    ask(&address);
    server.signal(Signal::TERM);
    server.end().exits(0)
}

#[test]
fn sentence_produces_one_span_tree_with_the_journal_id() {
    let collector = Collector::start(0);
    let bench = TestDir::configured(&collector.keys());
    let ran = bench.run(&["say", "nod twice, then look left 20 degrees", "--json"]).exits(0);
    assert_eq!(ran.err, "");
    // All spans have arrived when the program has ended.
    let tree = collector.tree(|span| span.name == "utterance");
    tree.is_whole();
    assert_eq!(tree.spans.len(), collector.heard().len(), "there is no other trace");
    assert_eq!(tree.way_to("motion"), ["utterance", "step", "motion"]);
    assert!(tree.count("motion") >= 2 && tree.count("step") == 2, "{:?}", tree.spans);
    let motion = tree.spans.iter().find(|span| span.name == "motion").unwrap();
    assert!(motion.is("outcome", "arrived"), "{motion:?}");
    // The span ends when the robot has finished the motion, not when the command was sent.
    assert!(motion.to - motion.from > 100_000_000, "{motion:?}");
    let id = &tree.root.about["id"];
    assert!(tree.root.is("outcome", "done"));
    for kind in ["utterance", "step", "answer"] {
        let noted = noted(&bench, kind);
        assert!(!noted.is_empty() && noted.iter().all(|(_, noted)| noted == id), "{kind}: {noted:?}");
    }
    // The text of the utterance is in the journal only.
    assert!(!format!("{:?}", tree.spans).contains("degrees"), "{:?}", tree.spans);
}

#[test]
fn request_produces_one_span_tree_across_threads() {
    let collector = Collector::start(0);
    let bench = TestDir::configured(&collector.keys());
    let text = "make a tool called happy_hello that nods and wiggles the antennas, then run it";
    serve(&bench, |address| {
        let headers = ["Content-Type: application/json", "Authorization: Bearer sk-made-up"];
        let say = json!({ "text": text }).to_string();
        let (status, reply) = send(address, "POST /api/v1/chat", &headers, &say);
        assert_eq!((status, &reply["outcome"]), (200, &json!("done")), "{reply}");
        let run = send(address, "POST /api/v1/tools/happy_hello/run", &headers, r#"{"args": {}}"#);
        assert_eq!(run.0, 200, "{}", run.1);
        let goto = json!({ "head_pose": { "yaw": 0.3 }, "duration": 0.3 }).to_string();
        let (status, begun) = send(address, "POST /api/move/goto", &headers, &goto);
        assert_eq!(status, 200, "{begun}");
        let moved = collector.tree(|span| span.is("route", "/api/move/goto"));
        moved.is_whole_but_for_what_goes_on();
        assert_eq!(moved.way_to("motion"), ["request", "move", "motion"]);
        let page = metrics(address);
        assert_eq!(page["minismith_spans_dropped_total"], "0");
        assert!(page["minismith_spans_sent_total"].parse::<u64>().unwrap() > 10, "{page:?}");
        for name in ["journal", "trace_cycles", "trace_texts", "viewer", "log"] {
            assert_eq!(page[&*format!("minismith_{name}_dropped_total")], "0", "{name}");
        }
    });
    let tree = collector.tree(|span| span.is("route", "/api/v1/chat"));
    tree.is_whole();
    assert!(tree.root.is("method", "POST") && tree.root.is("status", "200"), "{:?}", tree.root);
    assert_eq!(tree.way_to("rehearsal"), ["request", "utterance", "step", "authoring", "check", "rehearsal"]);
    assert_eq!(tree.way_to("register_tool"), ["request", "utterance", "step", "authoring", "register_tool"]);
    let tool = "execute_tool happy_hello";
    assert_eq!(tree.way_to("motion"), ["request", "utterance", "step", tool, "tool_run", "motion"]);
    let id = &tree.root.about["id"];
    for kind in ["utterance", "step", "answer"] {
        let noted = noted(&bench, kind);
        assert!(!noted.is_empty() && noted.iter().all(|(_, noted)| noted == id), "{kind}: {noted:?}");
    }
    let calls = noted(&bench, "http_request");
    assert!(calls.contains(&("POST /api/v1/chat".into(), id.clone())), "{calls:?}");
    // A tool that is called by its name is also in the journal under the request's id.
    let ran = collector.tree(|span| span.is("route", "/api/v1/tools/{name}/run"));
    ran.is_whole();
    assert_eq!(ran.way_to("motion"), ["request", tool, "tool_run", "motion"]);
    let tools: BTreeSet<String> = noted(&bench, "tool").into_iter().map(|(_, id)| id).collect();
    assert_eq!(tools, [id.clone(), ran.root.about["id"].clone()].into());
    let all = format!("{:?} {:?}", collector.heard(), log(&bench));
    assert!(!all.contains("sk-made-up") && !all.contains("wiggles"), "{all}");
}

impl Tree {
    /// The same for a request that is answered before its motion has ended.
    #[track_caller]
    fn is_whole_but_for_what_goes_on(&self) {
        let ids: BTreeSet<&str> = self.spans.iter().map(|span| span.id.as_str()).collect();
        let in_something = |span: &&Span| span.id == self.root.id || ids.contains(span.parent.as_str());
        assert_eq!(self.spans.iter().filter(in_something).count(), self.spans.len());
    }
}

/// Returns the Prometheus metrics without labels.
fn metrics(address: &str) -> BTreeMap<String, String> {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "GET /metrics HTTP/1.0\r\nHost: localhost\r\n\r\n").unwrap();
    let mut page = String::new();
    stream.read_to_string(&mut page).unwrap();
    let values = page.lines().filter_map(|line| line.split_once(' '));
    values.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

#[test]
fn unreachable_collector_is_reported_once_and_changes_nothing() {
    let plain = TestDir::new().run(&["say", "nod twice", "--json"]).exits(0).json();
    // The first address has no listener. The second accepts connections and never answers.
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mute = TcpListener::bind("127.0.0.1:0").unwrap();
    let clock = MonotonicClock::start();
    for address in [gone, mute.local_addr().unwrap()] {
        let bench = TestDir::configured(&format!("{BUS}telemetry: {{otlp_endpoint: 'http://{address}'}}\n"));
        let began = clock.now();
        let ran = bench.run(&["say", "nod twice", "--json"]).exits(0);
        assert!(clock.now().since(began) < Duration::from_secs(20), "it holds nothing up");
        let answer = ran.json();
        assert_eq!((&answer["text"], &answer["outcome"]), (&plain["text"], &plain["outcome"]));
        assert_eq!(ran.err.matches("spans can't be sent to").count(), 1, "{}", ran.err);
        // The log file contains it as well.
        let warned: Vec<Value> = log(&bench).into_iter().filter(|line| line["level"] == "WARN").collect();
        assert_eq!(warned.len(), 1, "{warned:?}");
        // A rejected request is reported too.
        assert_eq!(bench.run(&["say", "look left 170 degrees", "--json"]).code, Some(1));
    }
    let bench = TestDir::configured(&format!("{BUS}telemetry: {{otlp_endpoint: 'http://{gone}'}}\n"));
    let ran = serve(&bench, |address| {
        for _ in 0..4 {
            assert_eq!(send(address, "GET /health", &[], "").0, 200);
            std::thread::park_timeout(Duration::from_millis(700));
        }
    });
    assert_eq!(ran.err.matches("spans can't be sent to").count(), 1, "{}", ran.err);
}

#[test]
fn busy_collector_receives_its_spans_later() {
    let collector = Collector::start(2);
    let bench = TestDir::configured(&collector.keys());
    serve(&bench, |address| {
        assert_eq!(send(address, "GET /health", &[], "").0, 200);
        let tree = collector.tree(|span| span.is("route", "/health"));
        assert_eq!(tree.spans.len(), 1);
    });
}

#[test]
fn log_file_follows_its_own_levels() {
    let bench = TestDir::new();
    serve(&bench, |_| {});
    let lines = log(&bench);
    assert!(lines.iter().any(|line| line["level"] == "INFO"), "{lines:?}");
    for line in &lines {
        assert!(
            line["target"].is_string() && line["message"].is_string() && line["time"].is_string(),
            "{line}"
        );
    }
    let control_loop =
        lines.iter().find(|line| line["message"].as_str().unwrap().starts_with("the control loop runs"));
    assert!(control_loop.unwrap()["target"].as_str().unwrap().starts_with("minismith"));
    // A higher level, then no log at all.
    let bench = TestDir::configured(&format!("{BUS}logs: {{level: error}}\n"));
    serve(&bench, |_| {});
    assert_eq!(log(&bench), Vec::<Value>::new());
    let bench = TestDir::configured(&format!("{BUS}logs: {{file: none}}\n"));
    serve(&bench, |_| {});
    assert!(!bench.path(".share/minismith/log.jsonl").exists());
}

#[test]
fn unwritable_log_is_reported_once_and_changes_nothing() {
    let bench = TestDir::configured(&format!("{BUS}logs: {{file: config.yaml/log.jsonl, level: debug}}\n"));
    let ran = serve(&bench, |address| {
        let say = json!({ "text": "nod" }).to_string();
        let (status, reply) = send(address, "POST /api/v1/chat", &["Content-Type: application/json"], &say);
        assert_eq!((status, &reply["outcome"]), (200, &json!("done")));
        assert!(metrics(address)["minismith_log_dropped_total"].parse::<u64>().unwrap() > 0);
    });
    assert_eq!(
        ran.err.matches("can't be written, and the program goes on without").count(),
        1,
        "{}",
        ran.err
    );
}
