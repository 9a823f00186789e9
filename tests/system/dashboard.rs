//! The dashboard's requests to the server, sent without a browser. They cover the page itself, role and limits, call
//! previews, a stop over the telemetry, the journal by page, and progress events.

use std::fs;
use std::io::{BufRead, Read, Write};
use std::net::TcpStream;

use minismith_tests::TestDir;
use serde_json::{Value, json};
use tungstenite::Message;

use super::server_fixture::{Served, Socket, served};

/// A tool that is clamped: both legs and antennas are sent further than they can go in that time.
const LEAP: &str = r#"from reachy_mini import ReachyMini


def leap(robot: ReachyMini, far: float = 1.0) -> float:
    """Throw the antennas apart.

    Args:
        robot: The robot.
        far: How far, between 0 and 2.

    Returns:
        How far.
    """
    robot.goto_target(antennas=[far, -far], duration=0.8)
    return far
"#;

/// Returns the body of a response as it arrived.
pub(super) fn text(served: &Served, path: &str) -> String {
    let (head, body) = served.fetch(path);
    assert!(head.starts_with("http/1.1 200"), "{path}: {head}");
    let body = if head.contains("transfer-encoding: chunked") { joined(&body) } else { body };
    String::from_utf8(body).unwrap()
}

/// Returns the data of chunks, each of which follows its length.
fn joined(mut pieces: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    loop {
        let mut length = String::new();
        pieces.read_line(&mut length).unwrap();
        let length = usize::from_str_radix(length.trim(), 16).unwrap();
        if length == 0 {
            return whole;
        }
        whole.extend_from_slice(&pieces[..length]);
        pieces = &pieces[length + 2..];
    }
}

#[test]
fn page_is_embedded_with_all_its_assets() {
    let served = served();
    let (head, body) = served.fetch("/");
    assert!(head.starts_with("http/1.1 200") && head.contains("content-type: text/html"), "{head}");
    for stored in ["default-src 'self'", "frame-ancestors 'none'", "object-src 'none'"] {
        assert!(head.contains(stored), "{head}");
    }
    assert!(head.contains("cache-control: no-cache") && head.contains("nosniff"), "{head}");
    let page = String::from_utf8(body).unwrap();
    let assets: Vec<&str> =
        page.split('"').filter(|word| word.starts_with("/assets/") || *word == "/favicon.svg").collect();
    assert!(assets.len() >= 3, "{page}");
    assert!(!page.contains("http://") && !page.contains("https://"), "it loads from elsewhere: {page}");
    for asset in assets {
        let (head, body) = served.fetch(asset);
        assert!(head.starts_with("http/1.1 200") && !body.is_empty(), "{asset}: {head}");
        let kind = match asset.rsplit('.').next().unwrap() {
            "js" => "text/javascript",
            "css" => "text/css",
            _ => "image/svg+xml",
        };
        assert!(head.contains(kind), "{asset}: {head}");
        assert_eq!(head.contains("immutable"), asset.starts_with("/assets/"), "{asset}: {head}");
    }
    for missing in ["/assets/../index.html", "/assets/none.js", "/index.htm", "/assets/"] {
        assert_eq!(served.get(missing).0, 404, "{missing}");
    }
    assert_eq!(served.post("/", &json!({})).0, 404);
}

/// Maximum size of what a browser loads for the first view, compressed, bytes.
const FIRST_VIEW_BYTES: usize = 80_000;

/// Returns a file as it is sent to a browser.
fn packed(served: &Served, path: &str) -> Vec<u8> {
    let mut stream = TcpStream::connect(&served.address).unwrap();
    let ask = format!(
        "GET {path} HTTP/1.1\r\nHost: {}\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n",
        served.address
    );
    stream.write_all(ask.as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let end = answer.windows(4).position(|window| window == b"\r\n\r\n").unwrap() + 4;
    answer.split_off(end)
}

#[test]
fn first_view_is_small_and_the_rest_is_loaded_when_wanted() {
    let served = served();
    let page = text(&served, "/");
    let assets = page.split('"').filter(|word| word.starts_with("/assets/"));
    let bytes: usize = assets.map(|asset| packed(&served, asset).len()).sum::<usize>() + page.len();
    println!("the first view has {bytes} bytes");
    assert!(bytes <= FIRST_VIEW_BYTES, "the first view has {bytes} bytes, {FIRST_VIEW_BYTES} allowed");
    assert!(!page.contains("uPlot") && !page.contains("scene-"), "{page}");
}

#[test]
fn compressed_assets_equal_the_originals() {
    let served = served();
    let page = text(&served, "/");
    let script = page.split('"').find(|word| word.ends_with(".js")).unwrap();
    let plain = served.fetch(script).1;
    let mut stream = TcpStream::connect(&served.address).unwrap();
    let ask = format!(
        "GET {script} HTTP/1.1\r\nHost: {}\r\nAccept-Encoding: br, gzip\r\nConnection: close\r\n\r\n",
        served.address
    );
    stream.write_all(ask.as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let end = answer.windows(4).position(|window| window == b"\r\n\r\n").unwrap() + 4;
    let head = String::from_utf8_lossy(&answer[..end]).to_lowercase();
    assert!(head.contains("content-encoding: gzip") && head.contains("vary: accept-encoding"), "{head}");
    let mut unpacked = Vec::new();
    flate2::read::GzDecoder::new(&answer[end..]).read_to_end(&mut unpacked).unwrap();
    assert!(unpacked == plain, "{} bytes of {}", unpacked.len(), plain.len());
    let built = concat!(env!("CARGO_MANIFEST_DIR"), "/../controller/dashboard/dist");
    assert!(fs::read(format!("{built}{script}")).unwrap() == plain, "{script} differs from what was built");
}

#[test]
fn page_receives_its_role_and_the_robots_limits() {
    let served = served();
    let me = json!({ "name": "this machine", "role": "owner", "fleet": null, "webrtc_port": null });
    assert_eq!(served.value("/api/v1/me"), me);
    let limits = served.value("/api/v1/limits");
    let joints = limits["joints"].as_array().unwrap();
    assert_eq!(joints.len(), 9);
    assert_eq!((&joints[0]["name"], &joints[0]["high_deg"]), (&json!("body_rotation"), &json!(160.0)));
    assert_eq!((&limits["head_pitch_deg"], &limits["relative_yaw_deg"]), (&json!(40.0), &json!(65.0)));
    let examined = served.value("/api/v1/doctor");
    let checks = examined["checks"].as_array().unwrap();
    assert!(checks.len() > 8, "{examined}");
    for check in checks {
        let state = check["state"].as_str().unwrap();
        assert!(["good", "warn", "bad"].contains(&state), "{check}");
        assert!(state == "good" || check["remedy"].is_string(), "nothing is said to do: {check}");
    }
}

#[test]
fn call_preview_rehearses_and_moves_no_real_motor() {
    let served = served();
    let (status, added) = served.post("/api/v1/tools", &json!({ "code": LEAP }));
    assert_eq!(status, 201, "{added}");
    let before = served.value("/api/v1/state");
    let (status, seen) = served.post("/api/v1/tools/leap/rehearse", &json!({ "args": { "far": 2 } }));
    assert_eq!((status, &seen["ended"], &seen["value"]), (200, &json!("returned"), &json!(2)));
    let cycles = seen["beats"].as_array().unwrap();
    let right = |cycle: &Value| cycle["present_deg"][7].as_f64().unwrap();
    let (first, last) = (right(&cycles[0]), right(cycles.last().unwrap()));
    assert!(
        (first - before["joints"][7]["present_deg"].as_f64().unwrap()).abs() < 1.0,
        "it begins at {first}"
    );
    assert!((last - 2.0_f64.to_degrees()).abs() < 2.0, "it ends at {last}");
    let spanned = seen["period_s"].as_f64().unwrap() * (cycles.len() - 1) as f64;
    let took = seen["took_s"].as_f64().unwrap();
    assert!((spanned - took).abs() < 0.3, "{spanned} of {took} s are shown");
    let after = served.value("/api/v1/state");
    for (one, other) in before["joints"].as_array().unwrap().iter().zip(after["joints"].as_array().unwrap()) {
        assert_eq!((&one["goal_deg"], &one["present_deg"]), (&other["goal_deg"], &other["present_deg"]));
    }

    let (status, seen) = served.post("/api/v1/tools/leap/rehearse", &json!({ "args": { "far": "x" } }));
    assert!(status == 422 && seen["detail"].to_string().contains("far"), "{status} {seen}");
    assert_eq!(served.post("/api/v1/tools/none/rehearse", &json!({})).0, 404);
    assert_eq!(served.post("/api/v1/tools/leap/rehearse", &json!({ "version": 7 })).0, 404);

    let (_, checked) = served.post("/api/v1/tools/check", &json!({ "code": LEAP, "motion": true }));
    assert!(checked["motion"]["beats"].as_array().unwrap().len() > 20, "{checked}");
    let (_, checked) = served.post("/api/v1/tools/check", &json!({ "code": LEAP }));
    assert!(checked["motion"].is_null(), "{checked}");

    let image = text(&served, "/api/v1/tools/leap/files/picture?version=1");
    assert!(image.starts_with("<svg") && image.contains("leap"), "{image}");
    assert!(text(&served, "/api/v1/tools/leap/files/page").contains("leap"));
    let (head, _) = served.fetch("/api/v1/tools/leap/files/picture");
    assert!(head.contains("image/svg+xml") && head.contains("content-security-policy: sandbox"), "{head}");
    for missing in
        ["leap/files/secret", "none/files/page", "leap/files/page?version=9", "leap/files/..%2Fv1.py"]
    {
        assert_eq!(served.get(&format!("/api/v1/tools/{missing}")).0, 404, "{missing}");
    }
}

/// Returns the next text message between frames.
fn reported(socket: &mut Socket) -> Value {
    for _ in 0..2000 {
        if let Message::Text(text) = socket.read().unwrap() {
            return serde_json::from_str(&text).unwrap();
        }
    }
    panic!("nothing is told");
}

#[test]
fn telemetry_stop_is_confirmed_when_the_robot_rests() {
    let served = served();
    let mut socket = served.socket("/api/v1/telemetry?rate=30&format=binary");
    let mut say = |words: Value| {
        socket.send(Message::text(words.to_string())).unwrap();
        reported(&mut socket)
    };
    assert_eq!(say(json!({ "type": "ping", "sent": [1, "x"] })), json!({ "type": "pong", "sent": [1, "x"] }));
    assert_eq!(say(json!({ "type": "dance" }))["type"], "refused");
    let _talking = served.begin("POST /api/v1/chat", &json!({ "text": "dance for 30 seconds" }).to_string());
    served.until("/api/v1/state", |state| state["doing"] == "playing");
    let stopped = say(json!({ "type": "stop" }));
    assert_eq!((&stopped["type"], &stopped["doing"]), (&json!("stopped"), &json!("holding")), "{stopped}");
    assert!(served.value("/api/v1/state")["beats"].as_u64() >= stopped["beats"].as_u64());
    let journal = served.until("/api/v1/journal?kind=message", |told| {
        told["entries"].as_array().unwrap().iter().any(|entry| entry["what"] == "stop over the telemetry")
    });
    assert_eq!(journal["entries"][0]["who"], "this machine", "{journal}");
    // The state shows the clamp: one jump is more than the motors can do.
    let leap = json!({ "target_head_pose": null, "target_antennas": [2.5, -2.5], "target_body_yaw": null });
    assert_eq!(served.post("/api/move/set_target", &leap).0, 200);
    let clamped = |state: &Value| {
        state["trims"].as_array().unwrap().iter().any(|clamp| clamp["what"] == "right_antenna")
    };
    served.until("/api/v1/state", clamped);
}

#[test]
fn journal_is_listed_by_page_by_kind_and_in_full() {
    let served = served();
    for number in 0..7 {
        let (status, _) =
            served.post("/api/v1/chat", &json!({ "text": format!("frobnicate the whatnot {number}") }));
        assert_eq!(status, 200);
    }
    let (mut reported, mut next) = (Vec::new(), String::new());
    loop {
        let page = served.value(&format!("/api/v1/journal?kind=call&limit=3{next}"));
        let entries = page["entries"].as_array().unwrap();
        assert!(entries.len() <= 3);
        reported.extend(entries.iter().map(|entry| entry["seq"].as_u64().unwrap()));
        match page["next"].as_str() {
            Some(cursor) => next = format!("&before={cursor}"),
            None => break,
        }
    }
    assert_eq!(reported.len(), 7, "{reported:?}");
    assert!(reported.is_sorted_by(|one, other| one > other), "{reported:?}");
    let found = served.value("/api/v1/journal?kind=said&text=WHATNOT%205");
    assert_eq!(found["entries"][0]["what"], "frobnicate the whatnot 5", "{found}");
    for bad in ["before=x", "before=", "limit=0", "limit=1001"] {
        assert_eq!(served.get(&format!("/api/v1/journal?{bad}")).0, 422, "{bad}");
    }

    let whole = text(&served, "/api/v1/journal/download");
    let lines: Vec<Value> = whole.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.len() > 14, "{whole}");
    assert!(lines.iter().all(|line| line["crc"].is_string()));
    assert!(lines.is_sorted_by_key(|line| line["seq"].as_u64()));
    let calls = text(&served, "/api/v1/journal/download?kind=call");
    assert_eq!(calls.lines().count(), 7, "{calls}");
    // The exported file is complete: the reader with checksums confirms it.
    let position = served.bench.write("kept/journal.jsonl", &whole);
    let bench = TestDir::configured(&format!("journal: {{file: {}}}\n", position.display()));
    assert_eq!(bench.run(&["journal", "check", "--json"]).exits(0).json()["health"]["damaged"], 0);
}

#[test]
fn sentence_is_reported_from_plan_to_end() {
    let served = served();
    let said =
        json!({ "text": "make a tool called hello_there that nods twice, then run it", "stream": true });
    let mut events = Vec::new();
    for line in served.begin("POST /api/v1/chat", &said.to_string()).lines() {
        if let Some(data) = line.unwrap().strip_prefix("data: ") {
            events.push(serde_json::from_str::<Value>(data).unwrap());
        }
    }
    let mut names: Vec<&str> = events.iter().map(|event| event["event"].as_str().unwrap()).collect();
    names.dedup();
    assert_eq!(
        names,
        ["plan", "begun", "checking", "checked", "step", "begun", "step", "reply"],
        "{events:#?}"
    );
    assert_eq!(events[0]["data"]["steps"].as_array().unwrap().len(), 2);
    assert_eq!(events[0]["data"]["steps"][0], events[1]["data"]);
    let checking: Vec<&Value> =
        events.iter().filter(|event| event["event"] == "checking").map(|event| &event["data"]).collect();
    assert_eq!(checking[0]["stage"], "policy");
    let done: Vec<u64> = checking
        .iter()
        .filter(|reported| reported["stage"] == "rehearsal")
        .map(|reported| reported["done"].as_u64().unwrap())
        .collect();
    let of = checking.last().unwrap()["of"].as_u64().unwrap();
    assert_eq!(done, (0..=of).collect::<Vec<_>>());
    let checked = events.iter().find(|event| event["event"] == "checked").unwrap();
    assert_eq!(
        (&checked["data"]["tool"], &checked["data"]["admitted"]),
        (&json!("hello_there"), &json!(true))
    );
}

#[test]
fn client_without_a_token_gets_only_the_page() {
    let bench = TestDir::configured(
        "server: {anonymous_role: none}\nbus: {reply_timeout_ms: 50, watchdog_ms: 2000}\n",
    );
    let served = Served::on(bench);
    assert!(text(&served, "/").contains("Minismith"));
    for closed in
        ["/api/v1/me", "/api/v1/limits", "/api/v1/journal/download", "/api/v1/doctor", "/docs", "/health"]
    {
        assert_eq!(served.get(closed).0, 401, "{closed}");
    }
    assert_eq!(served.get("/api/v1/telemetry").0, 401);
}
