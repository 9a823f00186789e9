//! Tests of the supervision, with a small server in Python in the place of the model's.

use std::io::Result;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;

use minismith_runtime::subprocess::{self, Program};

use super::*;
use crate::process::{Settings, private_folder};
use crate::runtime::Runtime;

/// A server that speaks as the model's does and misbehaves as its first message asks. It counts its starts and what it was
/// asked for in a file.
const FAKE: &str = r#"
import json, os, socket, sys, time
text = b""
while not text.endswith(b"\n"):
    text += os.read(0, 65536)
given = json.loads(text)
manner = given["name"]
def note(what):
    with open(given["model"], "a") as file:
        file.write(what + "\n")
note("start")
if manner == "never ready":
    time.sleep(600)
if manner == "dies at start":
    os._exit(7)
if manner == "nonsense at start":
    os.write(0, b"\x00\xff hello\n")
    time.sleep(600)
if manner == "out of memory":
    os.write(0, json.dumps({"failed": "MemoryError: no more"}).encode() + b"\n")
    os._exit(1)
door = socket.socket(socket.AF_UNIX)
door.bind(given["socket"])
door.listen(4)
os.write(0, json.dumps({"ready": "fake"}).encode() + b"\n")
def event(value):
    return b"data: " + json.dumps(value).encode() + b"\n\n"
def word(text):
    return event({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]})
while True:
    line, _ = door.accept()
    head, _, body = b"", b"", b""
    data = b""
    while b"\r\n\r\n" not in data:
        piece = line.recv(65536)
        if not piece:
            break
        data += piece
    if b"\r\n\r\n" not in data:
        continue
    head, _, body = data.partition(b"\r\n\r\n")
    length = 0
    for row in head.split(b"\r\n"):
        name, _, value = row.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    while len(body) < length:
        body += line.recv(65536)
    path = head.split(b" ")[1].decode()
    asked = json.loads(body)
    assert b"authorization: bearer " + given["key"].encode() in head.lower()
    if path.startswith("/slots"):
        note(path.split("=")[1] + " " + asked["filename"])
        if "save" in path:
            open(os.path.join(given["prompts"], asked["filename"]), "w").close()
        line.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}")
        line.close()
        continue
    said = asked["messages"][-1]["content"]
    note("asked " + said)
    line.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
    def send(data):
        line.sendall(b"%x\r\n%s\r\n" % (len(data), data))
    if said == "hang":
        time.sleep(600)
    if said == "crash":
        send(word("half"))
        os.abort()
    if said == "nonsense":
        send(b"data: {]\n\n")
        send(b"")
        line.close()
        continue
    if said == "count":
        try:
            for number in range(10000):
                send(word(str(number) + " "))
                time.sleep(0.01)
            note("counted")
        except OSError:
            note("cancelled")
        continue
    send(word("hello") + event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}) + b"data: [DONE]\n\n")
    send(b"")
    line.close()
"#;

/// Starts the fake server, unconfined.
struct Fake {
    folder: PathBuf,
    manner: &'static str,
}

impl Launch for Fake {
    fn choice(&self) -> std::result::Result<Choice, ServerError> {
        let python = subprocess::find("python3").unwrap();
        let runtime = Runtime { python, folders: vec![], version: "fake".into() };
        let name = self.manner.to_owned();
        Ok(Choice { name, path: self.folder.join("notes"), bytes: 0, sha256: None, runtime })
    }

    fn start(&self, choice: &Choice) -> Result<(ModelProcess, PromptCache)> {
        let folder = private_folder()?;
        let settings = Settings {
            model: choice.path.clone(),
            name: choice.name.clone(),
            context: 4096,
            threads: 1,
            prompts: self.folder.clone(),
            socket: folder.path().join("s.sock"),
            log: folder.path().join("log"),
            key: String::new(),
        };
        let python = choice.runtime.python.clone();
        let program = |far: UnixStream| {
            let arguments = ["-I", "-c", FAKE].map(Into::into).into();
            Ok(Program { path: python, arguments, environment: vec![], input: OwnedFd::from(far) })
        };
        let process = ModelProcess::start(folder, settings, program)?;
        Ok((process, PromptCache::new(self.folder.clone(), String::new())))
    }
}

struct Bench {
    server: Arc<ModelServer>,
    folder: tempfile::TempDir,
}

impl Bench {
    fn new(manner: &'static str) -> Self {
        Bench::idle_after(manner, Duration::from_secs(60))
    }

    fn idle_after(manner: &'static str, idle_timeout: Duration) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let config = LocalModel {
            directory: folder.path().to_owned(),
            threads: 1,
            context_tokens: 4096,
            memory_headroom_bytes: 1 << 30,
            idle_timeout,
        };
        let fake = Fake { folder: folder.path().to_owned(), manner };
        Bench { server: ModelServer::launching(config, Box::new(fake)), folder }
    }

    /// Asks, and returns what came.
    fn ask(&self, question: &str, whole: f64, silence: f64) -> std::result::Result<String, ServerError> {
        self.ask_with("Be brief.", question, whole, silence)
    }

    fn ask_with(
        &self,
        instructions: &str,
        question: &str,
        whole: f64,
        silence: f64,
    ) -> std::result::Result<String, ServerError> {
        let timeouts = Timeouts {
            whole: Duration::from_secs_f64(whole),
            silence: Duration::from_secs_f64(silence),
            bytes: 1 << 20,
        };
        let request = json!({"messages": [
            {"role": "system", "content": instructions}, {"role": "user", "content": question}]});
        let mut text = String::new();
        self.server.complete(&request, timeouts, &mut |chunk| {
            if let Chunk::Bytes(bytes) = chunk {
                text.push_str(&String::from_utf8_lossy(bytes));
            }
            KeepListening::On
        })?;
        Ok(text)
    }

    fn notes(&self) -> Vec<String> {
        let notes = std::fs::read_to_string(self.folder.path().join("notes")).unwrap_or_default();
        notes.lines().map(str::to_owned).collect()
    }

    fn starts(&self) -> usize {
        self.notes().iter().filter(|note| *note == "start").count()
    }

    fn eventually(&self, what: &str, is_so: impl Fn(&Bench) -> bool) {
        let clock = MonotonicClock::start();
        while !is_so(self) {
            assert!(clock.now().seconds() < 20.0, "{what}: {:?}", self.notes());
            clock.wait_until(clock.now() + Duration::from_millis(20));
        }
    }
}

fn is_alive(id: u32) -> bool {
    Path::new("/proc").join(id.to_string()).exists()
}

#[test]
fn one_process_answers_all_and_starts_with_the_first_request() {
    let bench = Bench::new("kind");
    assert_eq!((bench.server.process_id(), bench.starts()), (None, 0));
    for _ in 0..3 {
        assert!(bench.ask("hi", 20.0, 10.0).unwrap().contains("hello"));
    }
    assert_eq!(bench.starts(), 1);
    let id = bench.server.process_id().unwrap();
    bench.server.stop();
    assert!(!is_alive(id));
    assert!(bench.ask("hi", 20.0, 10.0).is_ok());
    assert_eq!(bench.starts(), 2);
    let id = bench.server.process_id().unwrap();
    let Bench { server, folder } = bench;
    drop(server);
    assert!(!is_alive(id));
    drop(folder);
}

#[test]
fn an_idle_process_ends() {
    let bench = Bench::idle_after("kind", Duration::from_millis(400));
    bench.ask("hi", 20.0, 10.0).unwrap();
    let id = bench.server.process_id().unwrap();
    bench.eventually("it ends", |bench| bench.server.process_id().is_none());
    assert!(!is_alive(id));
    assert!(bench.ask("hi", 20.0, 10.0).is_ok());
}

#[test]
fn a_process_that_crashes_is_replaced_three_times_and_then_not_for_a_while() {
    let bench = Bench::new("kind");
    for _ in 0..4 {
        let error = bench.ask("crash", 20.0, 10.0).unwrap_err();
        assert!(error.may_pass() && error.to_string().contains("signal 6"), "{error}");
        assert!(bench.server.process_id().is_none());
    }
    let error = bench.ask("hi", 20.0, 10.0).unwrap_err();
    let said = error.to_string();
    assert!(
        !error.may_pass() && said.contains("ended 4 times") && said.contains("again in 10 min"),
        "{said}"
    );
    assert_eq!(bench.starts(), 4);
}

#[test]
fn a_killed_process_is_replaced_at_the_next_request() {
    let bench = Bench::new("kind");
    bench.ask("hi", 20.0, 10.0).unwrap();
    let id = i32::try_from(bench.server.process_id().unwrap()).unwrap();
    rustix::process::kill_process(rustix::process::Pid::from_raw(id).unwrap(), rustix::process::Signal::KILL)
        .unwrap();
    bench.eventually("it is noticed", |bench| bench.server.process_id().is_none());
    assert!(bench.ask("hi", 20.0, 10.0).unwrap().contains("hello"));
    assert_eq!(bench.starts(), 2);
}

#[test]
fn a_process_that_hangs_is_ended_within_the_timeout() {
    let bench = Bench::new("kind");
    bench.ask("hi", 20.0, 10.0).unwrap();
    let id = bench.server.process_id().unwrap();
    let clock = MonotonicClock::start();
    let error = bench.ask("hang", 20.0, 0.5).unwrap_err();
    assert!(matches!(error, ServerError::Hung(_)) && clock.now().seconds() < 5.0, "{error}");
    assert!(!is_alive(id));
    // A request whose own time is up does not end the process, which may only be slow.
    bench.ask("hi", 20.0, 10.0).unwrap();
    let error = bench.ask("hang", 0.5, 10.0).unwrap_err();
    assert!(matches!(error, ServerError::Transfer(TransferError::Slow(_))), "{error}");
    assert!(bench.server.process_id().is_some());
}

#[test]
fn a_process_that_does_not_start_says_why_in_time() {
    for (manner, part) in [
        ("dies at start", "status 7"),
        ("nonsense at start", "no message"),
        ("out of memory", "MemoryError: no more"),
        ("never ready", "not ready within"),
    ] {
        let bench = Bench::new(manner);
        let clock = MonotonicClock::start();
        let whole = if manner == "never ready" { 1.0 } else { 15.0 };
        let error = bench.ask("hi", whole, 10.0).unwrap_err();
        assert!(error.to_string().contains(part), "{manner}: {error}");
        assert!(clock.now().seconds() < 15.0 && bench.server.process_id().is_none());
    }
}

#[test]
fn nonsense_reaches_the_reader_of_the_reply() {
    let bench = Bench::new("kind");
    assert!(bench.ask("nonsense", 20.0, 10.0).unwrap().contains("{]"));
    assert!(bench.ask("hi", 20.0, 10.0).is_ok());
}

#[test]
fn a_cancelled_request_ends_the_generation() {
    let bench = Bench::new("kind");
    let request = json!({"messages": [{"role": "user", "content": "count"}]});
    let timeouts =
        Timeouts { whole: Duration::from_secs(20), silence: Duration::from_secs(10), bytes: 1 << 20 };
    let mut pieces = 0;
    let answered = bench.server.complete(&request, timeouts, &mut |chunk| {
        pieces += usize::from(matches!(chunk, Chunk::Bytes(_)));
        if pieces >= 3 { KeepListening::Off } else { KeepListening::On }
    });
    assert!(answered.is_ok() && pieces == 3);
    bench.eventually("it stops", |bench| bench.notes().contains(&"cancelled".to_owned()));
    // Also one that is cancelled before the process is ready.
    let slow = Bench::new("never ready");
    assert!(slow.server.complete(&request, timeouts, &mut |_| KeepListening::Off).is_ok());
    assert!(slow.server.process_id().is_none());
}

#[test]
fn the_constant_part_is_evaluated_once_and_restored_later() {
    let bench = Bench::new("kind");
    let (one, two) = ("One. ".repeat(200), "Two. ".repeat(200));
    for instructions in [&one, &one, &two, &one] {
        bench.ask_with(instructions, "hi", 20.0, 10.0).unwrap();
    }
    let kinds = |notes: Vec<String>| -> Vec<String> {
        let first = |note: String| note.split('.').next().unwrap().split(' ').next().unwrap().to_owned();
        notes.into_iter().map(first).collect()
    };
    let (all, once) = ("asked", ["asked", "save", "asked"]);
    let expected: Vec<&str> =
        ["start"].into_iter().chain(once).chain([all]).chain(once).chain(["restore", all]).collect();
    assert_eq!(kinds(bench.notes()), expected);
    // A short one is not worth it, and a new process restores from disk.
    bench.server.stop();
    bench.ask_with(&two, "hi", 20.0, 10.0).unwrap();
    let later: Vec<String> = kinds(bench.notes()).split_off(expected.len());
    assert_eq!(later, ["start", "restore", "asked"]);
}
