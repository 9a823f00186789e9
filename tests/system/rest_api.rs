//! Our own HTTP API: tools, plans, camera, telemetry, metrics, and the page that documents it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use minismith_tests::TestDir;
use serde_json::{Value, json};
use tungstenite::{Message, connect};

use super::cli::send;
use super::dashboard::text;
use super::server_fixture::{Served, Socket, served};

const GREET: &str = "def greet(times: int = 1) -> str:\n    \"\"\"Greet.\n\n    Args:\n        times: How often, between \
                     1 and 5.\n\n    Returns:\n        The greeting.\n    \"\"\"\n    return \" \".join([\"hi\"] * times)\n";

/// A tool that moves for the given time.
const SWAY: &str = r#"from reachy_mini import ReachyMini


def sway(robot: ReachyMini, times: int = 1) -> int:
    """Sway the antennas.

    Args:
        robot: The robot.
        times: How often, between 1 and 40.

    Returns:
        How often.
    """
    for _ in range(times):
        robot.goto_target(antennas=[0.4, -0.4], duration=0.5)
        robot.goto_target(antennas=[-0.4, 0.4], duration=0.5)
    return times
"#;

/// A tool that writes a file.
const NOTE: &str = r#"from minismith import OutputFiles


def note(out: OutputFiles, text: str = "hello") -> str:
    """Write a note.

    Args:
        out: Writes note.txt.
        text: What it says.

    Returns:
        What it says.
    """
    out.write("note.txt", text)
    return text
"#;

impl Served {
    /// Sends a request and returns the connection, from which the response can be read.
    pub(super) fn begin(&self, what: &str, body: &str) -> BufReader<TcpStream> {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let length = body.len();
        let head = format!(
            "{what} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close",
            self.address
        );
        stream.write_all(format!("{head}\r\n\r\n{body}").as_bytes()).unwrap();
        BufReader::new(stream)
    }

    /// Returns the head of a response and the bytes that follow.
    pub(super) fn fetch(&self, path: &str) -> (String, Vec<u8>) {
        self.response(&format!("GET {path}"), "")
    }

    /// Returns the head of the response to a request and the bytes that follow.
    pub(super) fn response(&self, what: &str, body: &str) -> (String, Vec<u8>) {
        let mut stream = self.begin(what, body);
        let head = head(&mut stream);
        let mut body = Vec::new();
        stream.read_to_end(&mut body).unwrap();
        (head, body)
    }
}

/// Returns the lines up to the first empty one, in lower case.
fn head(stream: &mut impl BufRead) -> String {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert!(stream.read_line(&mut head).unwrap() > 0, "the answer ends in its head: {head}");
    }
    head.to_lowercase()
}

#[test]
fn tool_is_checked_added_shown_run_and_managed_over_http() {
    let served = served();
    let (status, found) = served
        .post("/api/v1/tools/check", &json!({ "code": "import os\n\n\ndef f() -> int:\n    return 1\n" }));
    assert_eq!(
        (status, &found["admitted"], &found["stage"]),
        (200, &json!(false), &json!("policy")),
        "{found}"
    );
    let (status, found) =
        served.post("/api/v1/tools/check", &json!({ "code": GREET, "args": { "times": 3 } }));
    assert_eq!((status, &found["admitted"], &found["name"]), (200, &json!(true), &json!("greet")), "{found}");
    assert!(found["cases"].as_array().unwrap().iter().any(|case| case["arguments"]["times"] == 3), "{found}");

    let (status, refused) = served.post("/api/v1/tools", &json!({ "code": "def f(:\n" }));
    assert!(status == 422 && refused["checked"]["findings"][0]["rule"].is_string(), "{status} {refused}");
    let mut adding = served.begin("POST /api/v1/tools", &json!({ "code": GREET }).to_string());
    let head = head(&mut adding);
    assert!(head.starts_with("http/1.1 201"), "{head}");
    let position = head.lines().find_map(|line| line.strip_prefix("location: ")).unwrap().to_owned();
    let (status, shown) = served.get(&position);
    assert_eq!((status, &shown["code"], &shown["approved"]), (200, &json!(GREET), &json!(false)), "{shown}");
    assert!(shown["manifest"]["provenance"]["author"].as_str().unwrap().contains("this machine"), "{shown}");
    assert!(!shown["files"].to_string().contains('/'), "{shown}");

    let (_, listed) = served.get("/api/v1/tools");
    assert_eq!(listed, served.bench.run(&["tool", "list", "--json"]).exits(0).json());
    let (_, rules) = served.get("/api/v1/rules");
    assert_eq!(rules, served.bench.run(&["rules", "--json"]).exits(0).json());
    let (_, found) = served.get("/api/v1/tools/search?text=greet%20somebody&limit=1");
    assert_eq!(found["results"][0]["name"], "greet", "{found}");

    let (status, ran) = served.post("/api/v1/tools/greet/run", &json!({ "args": { "times": 2 } }));
    assert_eq!((status, &ran["performance"]["value"]), (200, &json!("hi hi")), "{ran}");
    let (status, wrong) = served.post("/api/v1/tools/greet/run", &json!({ "args": { "times": 99 } }));
    assert!(status == 422 && wrong["detail"].as_str().unwrap().contains("times"), "{status} {wrong}");

    let (status, approved) = served.post("/api/v1/tools/greet/approve", &json!({}));
    assert_eq!((status, approved), (200, json!({ "name": "greet", "approved": 1 })));
    assert_eq!(served.get("/api/v1/tools/greet").1["approval"]["by"], "this machine");
    assert_eq!(served.post("/api/v1/tools/greet/rollback", &json!({})).0, 409);
    let twice = GREET.replace("\"hi\"", "\"hello\"");
    assert_eq!(served.post("/api/v1/tools", &json!({ "code": twice })).0, 201);
    let (status, back) = served.post("/api/v1/tools/greet/rollback", &json!({ "to": 1 }));
    assert_eq!((status, back), (200, json!({ "name": "greet", "from": 2, "to": 1 })));
    let (_, out) = served.post("/api/v1/tools/greet/deactivate", &json!({}));
    assert_eq!(out, json!({ "name": "greet", "active": false, "changed": true }));
    let (status, unused) = served.post("/api/v1/tools/greet/run", &json!({}));
    assert!(status == 409 && unused["detail"].as_str().unwrap().contains("deactivated"), "{unused}");
    assert_eq!(served.post("/api/v1/tools/greet/activate", &json!({})).1["changed"], true);

    for (what, body, expected) in [
        ("POST /api/v1/tools/nothing/run", "{}", 404),
        ("POST /api/v1/tools/..%2F..%2Fgreet/run", "{}", 404),
        ("POST /api/v1/tools/greet/run", "[]", 422),
        ("POST /api/v1/tools/greet/approve", r#"{"version": 7}"#, 404),
        ("POST /api/v1/tools/check", "{}", 422),
        ("POST /api/v1/tools/check", r#"{"code": "", "modules": {}}"#, 422),
        ("GET /api/v1/tools/nothing", "", 404),
        ("GET /api/v1/tools/greet?version=9", "", 404),
        ("GET /api/v1/tools/greet?version=first", "", 422),
        ("GET /api/v1/tools/search", "", 422),
        ("GET /api/v1/tools/search?text=a&limit=0", "", 422),
    ] {
        let (status, answer) = send(&served.address, what, &["Content-Type: application/json"], body);
        assert!(status == expected && answer["detail"] != Value::Null, "{what}: {status} {answer}");
    }
}

#[test]
fn toolkit_uploads_several_files_and_returns_written_files() {
    let served = served();
    let kit = json!({
        "name": "kit",
        "code": "from .words import WORD\n\n\ndef kit() -> str:\n    \"\"\"Say the word.\n\n    Returns:\n        The \
                 word.\n    \"\"\"\n    return WORD\n",
        "modules": { "words": "WORD: str = \"hey\"\n" },
    });
    let (status, added) = served.post("/api/v1/tools", &kit);
    assert_eq!(status, 201, "{added}");
    assert_eq!(served.post("/api/v1/tools/kit/run", &json!({})).1["performance"]["value"], "hey");
    assert_eq!(served.get("/api/v1/tools/kit").1["modules"]["words"], kit["modules"]["words"]);

    let (status, added) = served.post("/api/v1/tools", &json!({ "code": NOTE }));
    assert_eq!(status, 201, "{added}");
    let (_, ran) = served.post("/api/v1/tools/note/run", &json!({ "args": { "text": "hey" } }));
    let output = &ran["performance"]["outputs"][0];
    assert_eq!((&output["name"], &output["base64"]), (&json!("note.txt"), &json!("aGV5")), "{ran}");
}

#[test]
fn tool_ends_on_a_stop_and_when_its_client_disconnects() {
    let served = served();
    assert_eq!(served.post("/api/v1/tools", &json!({ "code": SWAY })).0, 201);
    let long = json!({ "args": { "times": 30 } });
    let moves = |state: &Value| state["doing"] == "playing";
    let gone = served.begin("POST /api/v1/tools/sway/run", &long.to_string());
    served.until("/api/v1/state", moves);
    drop(gone);
    served.until("/api/v1/state", |state| state["doing"] == "holding");

    std::thread::scope(|scope| {
        let running = scope.spawn(|| served.post("/api/v1/tools/sway/run", &long));
        served.until("/api/v1/state", moves);
        let waiting = scope.spawn(|| served.post("/api/v1/tools/sway/run", &long));
        // The second request is queued before the stop.
        std::thread::park_timeout(Duration::from_millis(300));
        assert_eq!(served.post("/api/v1/stop", &json!({})).0, 200);
        let (status, ran) = running.join().unwrap();
        assert!(status == 200 && ran["performance"]["ended"] != "returned", "{ran}");
        assert_eq!(waiting.join().unwrap().0, 409);
    });
    let (status, ran) = served.post("/api/v1/tools/sway/run", &json!({}));
    assert_eq!((status, &ran["performance"]["value"]), (200, &json!(1)), "{ran}");
}

#[test]
fn plan_is_returned_and_nothing_moves() {
    let served = served();
    let plan = |text: &str| served.post("/api/v1/plans", &json!({ "text": text })).1;
    let read = plan("nod twice, then look left 20 degrees");
    assert_eq!((&read["follows"], read["plan"].as_array().unwrap().len()), (&json!("do"), 2), "{read}");
    assert_eq!(read["plan"][0]["agent"], "robot_control");
    assert_eq!(plan("stop")["follows"], "stop");
    let far = plan("look left 300 degrees");
    assert!(far["follows"] == "refuse" && far["says"].as_str().unwrap().contains("60 deg"), "{far}");
    assert_eq!(plan("make me a sandwich")["follows"], "decline");
    assert_eq!(served.post("/api/v1/plans", &json!({ "text": " " })).0, 422);
    let (_, state) = served.get("/api/v1/state");
    assert_eq!(
        (&state["doing"], state["posture"]["yaw_deg"].as_f64().unwrap().abs() < 0.2),
        (&json!("holding"), true)
    );
}

/// Returns the horizontal centre of the strongly red pixels of an image, from 0 (left) to 1.
fn red(jpeg: &[u8]) -> f64 {
    let image = image::load_from_memory(jpeg).unwrap().to_rgb8();
    let is_red = |pixel: &image::Rgb<u8>| pixel[0] > 120 && pixel[0] / 2 > pixel[1].max(pixel[2]);
    let columns: Vec<f64> = image
        .enumerate_pixels()
        .filter(|(_, _, pixel)| is_red(pixel))
        .map(|(x, _, _)| f64::from(x))
        .collect();
    assert!(!columns.is_empty(), "the red block is not in the picture");
    columns.iter().sum::<f64>() / columns.len() as f64 / f64::from(image.width())
}

#[test]
fn recordings_are_listed_and_sent_at_a_chosen_rate() {
    let served = Served::on(TestDir::configured(
        "traces: {directory: traces}\nbus: {reply_timeout_ms: 50, watchdog_ms: 2000}\n",
    ));
    assert_eq!(served.value("/api/v1/recordings"), json!({ "enabled": true, "recordings": [] }));
    assert_eq!(served.post("/api/v1/chat", &json!({ "text": "nod" })).0, 200);
    let is_complete = |listed: &Value| listed["recordings"][0]["duration_s"].is_f64();
    let listed = served.until("/api/v1/recordings", is_complete);
    let one = &listed["recordings"][0];
    assert_eq!(one["name"], "nod");
    let file = one["file"].as_str().unwrap();
    let messages = |rate: &str| {
        let text = text(&served, &format!("/api/v1/recordings/{file}{rate}"));
        text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()).collect::<Vec<_>>()
    };
    let cycles = |messages: &[Value]| messages.iter().filter(|one| one["type"] == "cycle").count();
    let (all, some) = (messages(""), messages("?rate=20"));
    assert_eq!((&all[0]["type"], &some[0]["type"]), (&json!("header"), &json!("header")));
    let (every, few) = (cycles(&all), cycles(&some));
    assert!(every > 50 && (every / 6..=every / 4).contains(&few), "{few} of {every} cycles");
    for missing in ["none.trace.jsonl", "..%2Fjournal.jsonl", "..%2F..%2Fetc%2Fpasswd"] {
        assert_eq!(served.get(&format!("/api/v1/recordings/{missing}")).0, 404, "{missing}");
    }
    assert_eq!(served.get(&format!("/api/v1/recordings/{file}?rate=0")).0, 422);
}

/// What a camera in the network sends is what another server sends here.
#[test]
fn camera_of_another_server_is_shown() {
    let far = served();
    let source = format!("http://{}/api/v1/camera/stream?fps=30", far.address);
    let near = Served::on(TestDir::configured(&format!("camera: {{source: \"{source}\"}}\n")));
    let shows = |wanted: &dyn Fn(f64) -> bool| {
        (0..300).any(|_| {
            let (head, jpeg) = near.fetch("/api/v1/camera/snapshot");
            std::thread::park_timeout(Duration::from_millis(100));
            head.starts_with("http/1.1 200") && wanted(red(&jpeg))
        })
    };
    assert!(shows(&|red| (red - 0.5).abs() < 0.02), "no image arrives");
    assert_eq!(far.post("/api/v1/chat", &json!({ "text": "look left 20 degrees" })).1["outcome"], "done");
    assert!(shows(&|red| red > 0.6), "the images do not change as those of the other robot do");
}

#[test]
fn camera_shows_the_view_of_the_head() {
    let served = served();
    let (head_of_it, ahead) = served.fetch("/api/v1/camera/snapshot");
    assert!(
        head_of_it.starts_with("http/1.1 200") && head_of_it.contains("content-type: image/jpeg"),
        "{head_of_it}"
    );
    assert!((red(&ahead) - 0.5).abs() < 0.02, "{}", red(&ahead));

    let mut stream = served.begin("GET /api/v1/camera/stream?fps=30", "");
    let begun = head(&mut stream);
    assert!(begun.contains("multipart/x-mixed-replace; boundary=picture"), "{begun}");
    let mut next = || {
        let mut line = String::new();
        // The parts arrive in chunks with their lengths between them.
        while !line.to_lowercase().starts_with("content-length: ") {
            line.clear();
            assert!(stream.read_line(&mut line).unwrap() > 0, "the stream ends");
        }
        let length = line.trim().rsplit(' ').next().unwrap().parse().unwrap();
        let mut jpeg = vec![0; length];
        stream.read_line(&mut line).unwrap();
        stream.read_exact(&mut jpeg).unwrap();
        jpeg
    };
    assert_eq!(next(), ahead, "the same head sees the same");
    assert_eq!(served.post("/api/v1/chat", &json!({ "text": "look left 20 degrees" })).1["outcome"], "done");
    let turned = (0..200).find(|_| red(&next()) > 0.6);
    assert!(turned.is_some(), "the stream does not show that the head has turned");
    assert!(red(&served.fetch("/api/v1/camera/snapshot").1) > 0.6);
    for fps in ["0", "31", "-1", "fast"] {
        assert_eq!(served.get(&format!("/api/v1/camera/stream?fps={fps}")).0, 422, "{fps}");
    }
}

/// Returns the next frame of a subscriber.
fn frame(socket: &mut Socket) -> Message {
    loop {
        match socket.read().unwrap() {
            Message::Ping(_) => {}
            message => return message,
        }
    }
}

fn bytes<const LENGTH: usize>(frame: &[u8], at: usize) -> [u8; LENGTH] {
    frame[at..at + LENGTH].try_into().unwrap()
}

fn numbers<const COUNT: usize>(frame: &[u8], at: usize) -> [f32; COUNT] {
    std::array::from_fn(|position| f32::from_le_bytes(bytes(frame, at + 4 * position)))
}

#[test]
fn telemetry_sends_the_state_as_text_and_binary() {
    let served = served();
    assert_eq!(served.post("/api/v1/chat", &json!({ "text": "look left 20 degrees" })).1["outcome"], "done");
    let (_, state) = served.get("/api/v1/state");
    let mut listener = served.socket("/api/v1/telemetry?rate=50");
    let frames: Vec<Value> =
        (0..20).map(|_| serde_json::from_str(frame(&mut listener).to_text().unwrap()).unwrap()).collect();
    let cycles: Vec<u64> = frames.iter().map(|frame| frame["beats"].as_u64().unwrap()).collect();
    assert!(cycles.is_sorted() && cycles[0] < cycles[19], "{cycles:?}");
    let last = &frames[19];
    assert_eq!((&last["doing"], &last["fault"]), (&json!("holding"), &Value::Null), "{last}");
    for (position, joint) in state["joints"].as_array().unwrap().iter().enumerate() {
        assert_eq!(last["goal_deg"][position], joint["goal_deg"]);
        assert_eq!(last["torque"][position], joint["torque"]);
    }
    assert!((last["posture"]["yaw_deg"].as_f64().unwrap() - 20.0).abs() < 1.0, "{last}");

    let mut listener = served.socket("/api/v1/telemetry?rate=1000&format=binary");
    let first = frame(&mut listener).into_data();
    let second = frame(&mut listener).into_data();
    assert_eq!((second.len(), second[0], second[1]), (136, 1, 0));
    let number = |frame: &[u8]| u32::from_le_bytes(bytes(frame, 4));
    assert!(number(&first) == 0 && number(&second) >= 1, "{first:?} {second:?}");
    let moment = |frame: &[u8]| (u64::from_le_bytes(bytes(frame, 8)), u64::from_le_bytes(bytes(frame, 16)));
    assert!(moment(&second) >= moment(&first) && moment(&second).0 > cycles[19]);
    let goals: [f32; 9] = numbers(&second, 60);
    let present: [f32; 9] = numbers(&second, 24);
    for position in 0..9 {
        let reported = last["goal_deg"][position].as_f64().unwrap();
        assert!(
            (f64::from(goals[position]).to_degrees() - reported).abs() < 0.01,
            "{position}: {goals:?} {last}"
        );
        assert!((goals[position] - present[position]).abs() < 0.02, "{goals:?} {present:?}");
    }
    let head: [f32; 6] = numbers(&second, 96);
    assert!((head[5].to_degrees() - 20.0).abs() < 1.0, "{head:?}");
    assert!(numbers::<3>(&second, 120).iter().all(|number| number.is_finite()));
    assert_eq!(
        (u16::from_le_bytes(bytes(&second, 132)), u16::from_le_bytes(bytes(&second, 134))),
        (0x1ff, 0)
    );

    for query in ["rate=0.5", "rate=nan", "rate=fast", "format=xml"] {
        let refused = connect(format!("ws://{}/api/v1/telemetry?{query}", served.address)).unwrap_err();
        let tungstenite::Error::Http(answer) = &refused else { panic!("{query}: {refused}") };
        assert_eq!(answer.status(), 422, "{query}");
    }
    assert_eq!(served.get("/api/v1/telemetry").0, 400, "this is no WebSocket");
}

#[test]
fn slow_subscriber_catches_up_with_the_newest_state() {
    let served = served();
    let number = |message: Message| u32::from_le_bytes(bytes(&message.into_data(), 4));
    let mut slow = served.socket("/api/v1/telemetry?rate=100&format=binary");
    assert_eq!(number(frame(&mut slow)), 0);
    // Another client reads three seconds of telemetry at the same time.
    let mut quick = served.socket("/api/v1/telemetry?rate=100&format=binary");
    while number(frame(&mut quick)) < 300 {}
    let heard: Vec<u32> = (0..80).map(|_| number(frame(&mut slow))).collect();
    let jump = heard.windows(2).position(|pair| pair[1] > pair[0] + 100);
    let jump = jump.unwrap_or_else(|| panic!("it hears what is long past: {heard:?}"));
    assert!(jump < 60 && heard[jump + 1] >= 250, "{heard:?}");
    assert!(heard.is_sorted());
}

#[test]
fn metrics_parse_as_prometheus_text() {
    let served = served();
    // The first control cycle may come after the first response.
    let begun = || {
        !String::from_utf8_lossy(&served.fetch("/metrics").1).contains("minismith_control_cycles_total 0\n")
    };
    assert!((0..100).any(|_| begun()), "there is no control cycle");
    let (head, body) = served.fetch("/metrics");
    assert!(head.contains("content-type: text/plain; version=0.0.4"), "{head}");
    let text = String::from_utf8(body).unwrap();
    let mut family = "";
    let mut values = std::collections::BTreeMap::new();
    for line in text.lines() {
        if let Some(help) = line.strip_prefix("# HELP ") {
            let (name, words) = help.split_once(' ').unwrap();
            assert!(words.len() > 5);
            family = name;
        } else if let Some(kind) = line.strip_prefix("# TYPE ") {
            let (name, kind) = kind.split_once(' ').unwrap();
            assert!(name == family && matches!(kind, "counter" | "gauge"), "{line}");
            assert_eq!(kind == "counter", name.ends_with("_total"), "{line}");
        } else {
            let (name, value) = line.rsplit_once(' ').unwrap();
            assert_eq!(name.split('{').next(), Some(family), "{line}");
            assert!(
                values.insert(name.to_owned(), value.parse::<f64>().unwrap()).is_none(),
                "{line} stands twice"
            );
        }
    }
    let of =
        |name: &str| values.iter().filter(|(key, _)| key.split('{').next() == Some(name)).collect::<Vec<_>>();
    assert!(values["minismith_control_cycles_total"] > 0.0 && values["minismith_fault"] == 0.0);
    assert_eq!(values["minismith_motion_state{state=\"holding\"}"], 1.0);
    assert_eq!(of("minismith_motion_state").iter().map(|(_, value)| **value).sum::<f64>(), 1.0);
    assert_eq!(values["minismith_control_period_seconds"], 0.01);
    assert_eq!(of("minismith_motor_torque_enabled").len(), 9);
    assert_eq!(of("minismith_motor_position_radians").len(), 9);
    assert_eq!(of("minismith_control_jitter_seconds").len(), 4);
    assert_eq!(
        (values["minismith_chat_requests"], values["minismith_tools{enabled=\"true\",callable=\"true\"}"]),
        (0.0, 0.0)
    );
    // The old names are exported as well.
    for (old, new) in minismith_protocol::old_names::metrics::FAMILIES {
        assert!(text.contains(&format!("# HELP {old} Deprecated: use {new}.\n")), "{old}");
        assert_eq!(of(old).len(), of(new).len(), "{old}");
    }
    assert_eq!(values["minismith_doing{doing=\"holding\"}"], 1.0);
    assert!(values.contains_key("minismith_doing{doing=\"led\"}"));
    assert!(values[&format!("minismith_build_info{{version=\"{}\"}}", env!("CARGO_PKG_VERSION"))] == 1.0);
}

#[test]
fn page_and_openapi_document_are_embedded() {
    let served = served();
    let (_, document) = served.get("/api/v1/openapi.json");
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1."), "{}", document["openapi"]);
    let paths = document["paths"].as_object().unwrap();
    let mut names = std::collections::BTreeSet::new();
    for (path, operations) in paths {
        for (method, operation) in operations.as_object().unwrap() {
            let position = format!("{method} {path}");
            assert!(operation["summary"].is_string() && operation["tags"][0].is_string(), "{position}");
            assert!(names.insert(operation["operationId"].as_str().unwrap().to_owned()), "{position}");
            for status in ["400", "401", "403", "405", "408", "429"] {
                assert!(!operation["responses"][status].is_null(), "{position} does not say {status}");
            }
            assert_eq!(
                operation["responses"]["413"].is_null(),
                operation["requestBody"].is_null(),
                "{position}"
            );
        }
    }
    assert!(paths.len() >= 20, "{:?}", paths.keys());
    // Every reference resolves.
    let text = document.to_string();
    for reference in text.split("\"$ref\":\"#").skip(1).map(|rest| rest.split('"').next().unwrap()) {
        assert!(document.pointer(reference).is_some(), "{reference} leads nowhere");
    }
    assert!(document["info"]["description"].as_str().unwrap().contains("/api/v1/telemetry"));

    let (head, page) = served.fetch("/docs/");
    let page = String::from_utf8(page).unwrap();
    assert!(head.starts_with("http/1.1 200") && page.contains("swagger-ui-bundle.js"), "{head}");
    assert!(!page.contains("://"), "the page asks another server: {page}");
    for file in ["swagger-ui-bundle.js", "swagger-ui.css", "swagger-initializer.js"] {
        let (head, bytes) = served.fetch(&format!("/docs/{file}"));
        assert!(head.starts_with("http/1.1 200") && !bytes.is_empty(), "{file}: {head}");
    }
    let (_, initializer) = served.fetch("/docs/swagger-initializer.js");
    assert!(String::from_utf8(initializer).unwrap().contains("/api/v1/openapi.json"));
}
