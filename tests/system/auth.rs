//! Access control of the server: tokens and roles, trusted peers, the lease, TLS and the journal. A table of hostile
//! clients runs while the control loop stays on time.

use std::io::{Read, Write};
use std::net::{IpAddr, TcpListener, TcpStream, UdpSocket};
use std::time::Duration;

use minismith_tests::{RunningCommand, TestDir, workspace};
use serde_json::{Value, json};
use tungstenite::client::IntoClientRequest;
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Error, Message, WebSocket, connect};

use super::cli::{listening, send};

mod handover;

const BUS: &str = "bus: {reply_timeout_ms: 50, watchdog_ms: 2000}\n";

struct Served {
    bench: TestDir,
    _program: RunningCommand,
    address: String,
    tokens: [String; 4],
}

const ROLES: [&str; 4] = ["viewer", "operator", "engineer", "owner"];

/// Returns a controller with the mock robot and these keys under `serve`, and a token of each role.
fn served(serve: &str, more: &str, arguments: &[&str]) -> Served {
    let bench = TestDir::configured(&format!("{BUS}server: {{{serve}}}\n{more}"));
    let tokens = ROLES.map(|role| {
        let made = bench.run(&["token", "add", role, "--role", role, "--json"]).exits(0).json();
        made["token"].as_str().unwrap().to_owned()
    });
    let mut program = bench.start(&[&["serve", "--json", "--port", "0"], arguments].concat());
    let address = listening(&program.line().unwrap());
    Served { bench, _program: program, address, tokens }
}

impl Served {
    fn token(&self, role: &str) -> &str {
        &self.tokens[ROLES.iter().position(|name| *name == role).unwrap()]
    }

    fn ask(&self, role: &str, what: &str, body: &Value) -> (u16, Value) {
        let authorization = format!("Authorization: Bearer {}", self.token(role));
        let body = if body.is_null() { String::new() } else { body.to_string() };
        send(&self.address, what, &["Content-Type: application/json", &authorization], &body)
    }

    fn socket(&self, role: &str, path: &str) -> WebSocket<MaybeTlsStream<TcpStream>> {
        let mut request = format!("ws://{}{path}", self.address).into_client_request().unwrap();
        let bearer = format!("Bearer {}", self.token(role));
        request.headers_mut().insert("authorization", bearer.parse().unwrap());
        let (socket, _) = connect(request).unwrap();
        let MaybeTlsStream::Plain(stream) = socket.get_ref() else { panic!("no TLS here") };
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        socket
    }

    fn until(&self, what: &str, path: &str, holds: impl Fn(&Value) -> bool) -> Value {
        let mut last = Value::Null;
        for _ in 0..400 {
            last = self.ask("owner", &format!("GET {path}"), &Value::Null).1;
            if holds(&last) {
                return last;
            }
            std::thread::park_timeout(Duration::from_millis(25));
        }
        panic!("{what}: {path} stays {last}");
    }

    /// Asserts that 99 of 100 cycles were off by less than this many microseconds while `act` ran.
    fn p99_while<T>(&self, act: impl FnOnce() -> T) -> (f64, T) {
        self.ask("owner", "POST /api/v1/pulse/measure", &Value::Null);
        let done = act();
        let health = self.ask("owner", "GET /health", &Value::Null).1;
        (health["pulse"]["jitter"]["p99_us"].as_f64().unwrap_or_else(|| panic!("{health}")), done)
    }
}

/// Sends bytes over a new connection and returns the status of the response; 0 when there is none.
fn raw(address: &str, text: &[u8]) -> u16 {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    // A server may close the connection before everything is sent.
    let _cut = stream.write_all(text);
    status(&mut stream)
}

fn status(stream: &mut TcpStream) -> u16 {
    let mut answer = Vec::new();
    let mut piece = [0; 4096];
    while let Ok(read @ 1..) = stream.read(&mut piece) {
        answer.extend_from_slice(&piece[..read]);
        if answer.windows(2).any(|end| end == b"\r\n") {
            break;
        }
    }
    let text = String::from_utf8_lossy(&answer);
    text.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0)
}

const NOD: &str = "def tiny(robot):\n    \"\"\"Looks up.\"\"\"\n    robot.look_up()\n";

#[test]
fn each_role_may_do_its_own_requests_only() {
    let served = served("anonymous_role: none", "", &[]);
    let none = |what: &str, headers: &[&str]| send(&served.address, what, headers, "").0;
    assert_eq!(none("GET /health", &[]), 401);
    assert_eq!(none("GET /health", &["Authorization: Bearer minismith_x"]), 401);
    assert_eq!(none("GET /health", &["Authorization: Basic bWluaXNtaXRo"]), 401);
    let goto = json!({ "head_pose": { "yaw": 0.1 }, "duration": 0.3 });
    let said = json!({ "text": "nod" });
    // Each request, and its statuses for viewer, operator, engineer and owner.
    let table: [(&str, &Value, [u16; 4]); 10] = [
        ("GET /health", &Value::Null, [200, 200, 200, 200]),
        ("GET /api/state/full", &Value::Null, [200, 200, 200, 200]),
        ("GET /api/v1/sessions", &Value::Null, [403, 200, 200, 200]),
        ("GET /api/v1/journal", &Value::Null, [403, 403, 200, 200]),
        ("POST /api/v1/stop", &Value::Null, [200, 200, 200, 200]),
        ("POST /api/v1/chat", &said, [403, 200, 200, 200]),
        ("POST /api/motors/set_mode/enabled", &Value::Null, [403, 200, 200, 200]),
        ("POST /api/motors/set_mode/disabled", &Value::Null, [403, 403, 200, 200]),
        ("POST /api/v1/pulse/measure", &Value::Null, [403, 403, 200, 200]),
        ("POST /api/move/ws/raw/write", &Value::Null, [403, 403, 403, 403]),
    ];
    for (what, body, statuses) in table {
        let got = ROLES.map(|role| served.ask(role, what, body).0);
        assert_eq!(got, statuses, "{what}");
    }
    assert_eq!(served.ask("viewer", "POST /api/move/goto", &goto).0, 403);
    let made = json!({ "text": "make a tool called happy_hello that nods, then run it" });
    let refused = served.ask("operator", "POST /api/v1/chat", &made).1;
    assert!(refused["text"].as_str().unwrap().contains("role operator"), "{refused}");
    assert_eq!(served.bench.run(&["tool", "show", "happy_hello"]).code, Some(1));

    // A page sends its token among the protocols that it offers.
    let page = |token: &str| {
        let mut request = format!("ws://{}/api/state/ws/full", served.address).into_client_request().unwrap();
        let offered = format!("minismith, minismith.bearer.{token}");
        request.headers_mut().insert("sec-websocket-protocol", offered.parse().unwrap());
        connect(request)
    };
    let (_socket, answer) = page(served.token("viewer")).unwrap();
    assert_eq!(answer.headers()["sec-websocket-protocol"], "minismith");
    let refused = page("minismith_x").unwrap_err().to_string();
    assert!(refused.contains("401"), "{refused}");

    // The same over the SDK's socket: an operator may not switch torque off, and the journal records the attempt.
    served.ask("engineer", "POST /api/motors/set_mode/enabled", &Value::Null);
    let mut socket = served.socket("operator", "/ws/sdk");
    let mut say = |message: &Value| socket.send(Message::text(message.to_string())).unwrap();
    say(&json!({ "type": "set_torque", "on": false, "ids": null }));
    say(&json!({ "type": "set_antennas", "antennas": [0.4, -0.4] }));
    let state = served.until("the antennas", "/api/state/full", |state| {
        (state["antennas_position"][0].as_f64().unwrap() - 0.4).abs() < 0.02
    });
    assert_eq!(state["control_mode"], "enabled");
    drop(socket);
    let noted = served.until("the journal", "/api/v1/journal", |noted| {
        noted["entries"][0]["what"] == "POST /api/motors/set_mode/enabled"
            || noted["entries"].as_array().unwrap().iter().any(|entry| entry["what"] == "/ws/sdk: targets")
    });
    let entries = noted["entries"].as_array().unwrap();
    let torque = entries.iter().find(|entry| entry["what"] == "/ws/sdk: set_torque off").unwrap();
    assert_eq!((&torque["who"], &torque["outcome"]), (&json!("operator"), &json!("refused")), "{torque}");
    let refused = entries.iter().find(|entry| entry["outcome"] == "403" && entry["who"] == "viewer");
    assert!(refused.is_some() && entries.iter().all(|entry| entry["who"] != "nobody"), "{noted}");

    // A revoked token gives no access.
    assert_eq!(served.bench.run(&["token", "remove", "operator"]).code, Some(0));
    assert_eq!(served.ask("operator", "GET /health", &Value::Null).0, 401);
    let listed = served.bench.run(&["token", "list", "--json"]).exits(0);
    assert_eq!(listed.json()["tokens"].as_array().unwrap().len(), 3);
    assert!(!served.tokens.iter().any(|token| listed.out.contains(&**token)), "{}", listed.out);
    assert_eq!(served.bench.run(&["token", "add", "viewer", "--role", "viewer"]).code, Some(1));
    served.bench.run(&["token", "add", "more", "--role", "boss"]).is_error(&["boss", "operator"]);

    // `say --url` sends the token of the environment. The earlier stream of targets ends 0.3 s after its last one.
    std::thread::park_timeout(Duration::from_millis(600));
    let url = format!("http://{}", served.address);
    let say = |role: Option<&str>| {
        let mut command = served.bench.command(&["say", "nod", "--url", &url, "--json"]);
        command.envs(role.map(|role| ("MINISMITH_TOKEN", served.token(role))));
        command.output().unwrap()
    };
    assert_eq!(say(Some("owner")).status.code(), Some(0));
    let refused = say(None);
    assert!(refused.status.code() == Some(2) && String::from_utf8_lossy(&refused.stderr).contains("401"));
}

#[test]
fn trusted_peer_uses_the_official_api_and_approves_nothing() {
    let served = served("anonymous_role: none", "compat: {trusted_peers: [127.0.0.1]}\n", &[]);
    let ask = |what: &str, body: &Value| {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        send(&served.address, what, &["Content-Type: application/json"], &body).0
    };
    assert_eq!(ask("GET /api/state/full", &Value::Null), 200);
    assert_eq!(ask("POST /api/move/set_target", &json!({ "target_body_yaw": 0.1 })), 200);
    assert_eq!(ask("POST /api/motors/set_mode/gravity_compensation", &Value::Null), 200);
    assert_eq!(ask("POST /api/motors/set_mode/enabled", &Value::Null), 200);
    assert_eq!(ask("POST /api/motors/set_mode/disabled", &Value::Null), 403);
    for own in ["GET /api/v1/state", "POST /api/v1/chat", "POST /api/v1/tools", "POST /mcp", "GET /v1/models"]
    {
        assert_eq!(ask(own, &Value::Null), 401, "{own}");
    }
    let forwarded = send(&served.address, "GET /api/state/full", &["X-Forwarded-For: 127.0.0.1"], "").0;
    assert_eq!(forwarded, 401);
    // Going to sleep stows the head. The motors stay on, since only the address authenticated the client.
    let (mut socket, _) = connect(format!("ws://{}/ws/sdk", served.address)).unwrap();
    socket.send(Message::text(json!({ "type": "set_motor_mode", "mode": "disabled" }).to_string())).unwrap();
    assert_eq!(ask("POST /api/move/play/goto_sleep", &Value::Null), 200);
    served.until("the way down", "/api/move/running", |running| *running == json!([]));
    let state = served.ask("viewer", "GET /api/state/full", &Value::Null).1;
    assert_eq!(state["control_mode"], "enabled", "{state}");
    assert!(state["head_pose"]["z"].as_f64().unwrap() < -0.02, "{state}");
    let doctor = served.bench.run(&["doctor", "--json"]).json();
    let checks = doctor["checks"].as_array().unwrap();
    let reported = checks.iter().find(|check| check["name"] == "server").unwrap();
    assert!(
        reported["state"] == "warn" && reported["detail"].as_str().unwrap().contains("127.0.0.1"),
        "{reported}"
    );
}

#[test]
fn lease_has_one_holder_and_ends_without_heartbeats() {
    let served = served("anonymous_role: none", "", &[]);
    let began = |role: &str, body: &Value| served.ask(role, "POST /api/v1/lease", body);
    assert_eq!(began("viewer", &json!({})).0, 403);
    assert_eq!(began("operator", &json!({ "heartbeat_ms": 5 })).0, 422);
    let (status, lease) = began("operator", &json!({ "for": "gamepad", "heartbeat_ms": 2000 }));
    assert_eq!(status, 201, "{lease}");
    let id = lease["lease"].as_str().unwrap();
    let (status, held) = began("engineer", &json!({}));
    assert!(status == 409 && held["detail"].as_str().unwrap().contains("gamepad"), "{held}");
    let seen = served.ask("viewer", "GET /api/v1/lease", &Value::Null).1;
    assert!(seen["lease"]["owner"] == "operator" && !seen.to_string().contains(id), "{seen}");
    let cycle = format!("POST /api/v1/lease/{id}/heartbeat");
    assert_eq!(served.ask("engineer", &cycle, &Value::Null).0, 403);
    // No other client moves the robot now, whatever its role, and every client may stop it.
    let others = served.ask("owner", "POST /api/v1/chat", &json!({ "text": "nod" })).1;
    assert!(others["text"].as_str().unwrap().contains("leased"), "{others}");
    let goto = json!({ "yaw_deg": 40, "duration_s": 4 });
    assert_eq!(served.ask("operator", &format!("POST /api/v1/lease/{id}/goto"), &goto).0, 200);
    let yaw = |state: &Value| state["posture"]["yaw_deg"].as_f64().unwrap();
    served.until("the turn", "/api/v1/state", |state| yaw(state) > 2.0);
    assert_eq!(served.ask("operator", &cycle, &Value::Null).0, 200);
    // The heartbeat is missing: the robot holds its position, and the lease has ended.
    let held = served.until("the hold", "/api/v1/lease", |lease| lease["lease"].is_null());
    assert!(held["lease"].is_null());
    let state = served.until("rest", "/api/v1/state", |state| state["doing"] == "holding");
    assert!(yaw(&state) < 39.0, "{state}");
    for what in [format!("POST /api/v1/lease/{id}/goto"), cycle, format!("DELETE /api/v1/lease/{id}")] {
        assert_eq!(served.ask("operator", &what, &goto).0, 410, "{what}");
    }
    assert_eq!(
        served.ask("owner", "POST /api/v1/chat", &json!({ "text": "look ahead" })).1["outcome"],
        "done"
    );

    // The same over a socket, where a disconnect takes effect immediately and holds the robot.
    let (_, lease) = began("operator", &json!({ "heartbeat_ms": 5000 }));
    let id = lease["lease"].as_str().unwrap();
    let mut socket = served.socket("operator", &format!("/api/v1/lease/{id}/ws"));
    let say =
        |socket: &mut WebSocket<_>, message: Value| socket.send(Message::text(message.to_string())).unwrap();
    let heard = |socket: &mut WebSocket<MaybeTlsStream<TcpStream>>| {
        let Message::Text(text) = socket.read().unwrap() else { panic!("no text") };
        serde_json::from_str::<Value>(&text).unwrap()
    };
    say(&mut socket, json!({ "type": "heartbeat", "sent": 17 }));
    let answer = heard(&mut socket);
    assert_eq!((&answer["type"], &answer["sent"]), (&json!("heartbeat"), &json!(17)));
    for wrong in [json!({ "type": "target", "z_mm": 500 }), json!({ "type": "dance" }), json!([1])] {
        say(&mut socket, wrong.clone());
        assert_eq!(heard(&mut socket)["type"], "refused", "{wrong}");
    }
    for step in 1..=40 {
        say(&mut socket, json!({ "type": "target", "yaw_deg": f64::from(step) / 4.0 }));
        std::thread::park_timeout(Duration::from_millis(10));
    }
    served.until("the stream", "/api/v1/state", |state| (yaw(state) - 10.0).abs() < 0.5);
    say(&mut socket, json!({ "type": "goto", "yaw_deg": -40, "duration_s": 6 }));
    served.until("the way back", "/api/v1/state", |state| yaw(state) < 8.0);
    drop(socket);
    served.until("the end", "/api/v1/lease", |lease| lease["lease"].is_null());
    let state = served.until("rest", "/api/v1/state", |state| state["doing"] == "holding");
    assert!(yaw(&state) > -39.0, "{state}");
    // An owner may take the lease. The previous holder is informed that it has ended.
    let first = began("operator", &json!({})).1["lease"].as_str().unwrap().to_owned();
    assert_eq!(began("engineer", &json!({ "take": true })).0, 409);
    assert_eq!(began("owner", &json!({ "take": true })).0, 201);
    assert_eq!(served.ask("operator", &format!("POST /api/v1/lease/{first}/heartbeat"), &Value::Null).0, 410);
}

/// A stop also ends a continuous stream: targets that follow without a pause belong to what was stopped.
#[test]
fn stop_ends_a_stream_of_targets() {
    let served = served("anonymous_role: none", "", &[]);
    let mut socket = served.socket("operator", "/api/move/ws/set_target");
    let aim = |socket: &mut WebSocket<MaybeTlsStream<TcpStream>>, yaw: f64| {
        socket.send(Message::text(json!({ "target_body_yaw": yaw }).to_string())).unwrap();
        std::thread::park_timeout(Duration::from_millis(20));
    };
    let yaw = || served.ask("viewer", "GET /api/state/full", &Value::Null).1["body_yaw"].as_f64().unwrap();
    for step in 0..20 {
        aim(&mut socket, 0.1 + f64::from(step) * 0.001);
    }
    served.ask("viewer", "POST /api/v1/stop", &Value::Null);
    let stopped = yaw();
    for _ in 0..30 {
        aim(&mut socket, 1.0);
    }
    assert!((yaw() - stopped).abs() < 0.02, "it went on from {stopped} to {}", yaw());
    // After a pause a new stream may begin.
    std::thread::park_timeout(Duration::from_millis(700));
    for _ in 0..5 {
        aim(&mut socket, 0.3);
    }
    served.until("the new stream", "/api/state/full", |state| {
        (state["body_yaw"].as_f64().unwrap() - 0.3).abs() < 0.02
    });
    drop(socket);
    served.until("the note", "/api/v1/journal", |noted| {
        noted["entries"].to_string().contains("/api/move/ws/set_target: targets")
    });
}

/// A table of hostile clients: each gets the right status, and the control loop stays on time.
#[test]
fn hostile_clients_are_rejected_while_the_control_loop_runs() {
    let served = served("anonymous_role: none, max_connections: 256", "", &[]);
    let address = served.address.clone();
    let owner = format!("Authorization: Bearer {}\r\n", served.token("owner"));
    let head = |what: &str, more: &str| format!("{what} HTTP/1.1\r\nHost: {address}\r\n{more}");
    let (quiet, ()) = served.p99_while(|| std::thread::park_timeout(Duration::from_secs(3)));
    let (loaded, rows) = served.p99_while(|| {
        let mut rows: Vec<(&str, u16, u16)> = Vec::new();
        let one = |text: String| raw(&address, text.as_bytes());
        rows.push(("no token", 401, one(head("GET /api/v1/state", "\r\n"))));
        rows.push(("not a word of HTTP", 400, one("\0\x01\x02garbage\r\n\r\n".into())));
        rows.push(("another name", 400, one(format!("GET /health HTTP/1.1\r\nHost: evil.example\r\n{owner}\r\n"))));
        rows.push(("no name", 400, one(format!("GET /health HTTP/1.1\r\n{owner}\r\n"))));
        let origin = format!("{owner}Origin: https://evil.example\r\n");
        rows.push(("another page", 403, one(head("POST /api/v1/stop", &format!("{origin}\r\n")))));
        let upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: \
                       dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
        rows.push(("a socket of another page", 403, one(head("GET /ws/sdk", &format!("{origin}{upgrade}")))));
        rows.push(("a socket without a token", 401, one(head("GET /ws/sdk", upgrade))));
        let long = format!("{owner}Content-Length: 1000000000\r\n\r\n");
        rows.push(("a giant body", 413, one(head("POST /api/v1/chat", &long))));
        let chunks = format!("100000\r\n{}\r\n", "x".repeat(1 << 20)).repeat(4);
        let chunked = format!("{owner}Transfer-Encoding: chunked\r\n\r\n{chunks}0\r\n\r\n");
        rows.push(("a giant body in chunks", 413, one(head("POST /api/v1/chat", &chunked))));
        let both = format!("{owner}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
        let smuggled = one(head("POST /api/v1/stop", &both));
        assert!([200, 400].contains(&smuggled), "two lengths: {smuggled}");
        let headers: String = (0..2000).map(|number| format!("X-{number}: {number}\r\n")).collect();
        rows.push(("many headers", 431, one(head("GET /health", &format!("{owner}{headers}\r\n")))));
        let post = |path: &str, body: &str| {
            let head = head(
                &format!("POST {path}"),
                &format!("{owner}Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}", body.len()),
            );
            one(head)
        };
        let target = "/api/move/set_target";
        rows.push(("a number beyond all", 422, post(target, r#"{"target_body_yaw": 1e999}"#)));
        rows.push(("not a number", 422, post(target, r#"{"target_body_yaw": NaN}"#)));
        rows.push(("nine of sixteen", 422, post(target, r#"{"target_head_pose": {"m": [1,0,0,0,1,0,0,0,1]}}"#)));
        rows.push(("a pose that is none", 422, post(target, &format!(r#"{{"target_head_pose": {{"m": {:?}}}}}"#, [2; 16]))));
        rows.push(("deep nesting", 422, post(target, &"[".repeat(100_000))));
        let ended = "/api/v1/lease/b52f76d0-fa08-474a-bfff-056b19e4916e/heartbeat";
        rows.push(("a lease that has ended", 410, post(ended, "")));
        rows.push(("raw packets", 403, post("/api/move/ws/raw/write", "{}")));

        // Invalid frames, and frames beyond the maximum size.
        let mut socket = served.socket("operator", "/ws/sdk");
        socket.send(Message::binary(vec![0xff; 4096])).unwrap();
        socket.send(Message::text("{\"type\":")).unwrap();
        if let MaybeTlsStream::Plain(stream) = socket.get_mut() {
            stream.write_all(&[0xf3; 64]).unwrap();
        }
        while !matches!(socket.read(), Err(Error::ConnectionClosed | Error::AlreadyClosed | Error::Protocol(_) | Error::Io(_)) | Ok(Message::Close(_))) {}

        // A thousand sockets from one machine: it has half of the places, and the server rejects further connections
        // with a message.
        let sockets: Vec<TcpStream> = (0..1000).map(|_| TcpStream::connect(&address).unwrap()).collect();
        rows.push(("a thousand sockets", 503, one(head("GET /health", &format!("{owner}\r\n")))));
        drop(sockets);
        served.until("places again", "/health", |health| health["status"] == "ok");
        rows
    });
    for (who, expected, got) in &rows {
        assert_eq!(got, expected, "{who}");
    }
    // Ten wrong tokens are tried; then the address has to wait.
    let guess = head("GET /health", "Authorization: Bearer minismith_x\r\n\r\n");
    for _ in 0..10 {
        assert_eq!(raw(&address, guess.as_bytes()), 401);
    }
    assert_eq!(raw(&address, guess.as_bytes()), 429);
    println!(
        "{} kinds of harm; the p99 of the wake-up latency is {quiet} us before and {loaded} us meanwhile",
        rows.len()
    );
    // A tenth of a cycle does no harm.
    assert!(
        loaded < (quiet * 10.0).max(1000.0),
        "the control loop was delayed: {quiet} us before, {loaded} us meanwhile"
    );
}

#[test]
fn requests_that_never_end_are_closed() {
    let served = served("anonymous_role: none", "", &[]);
    let owner = format!("Authorization: Bearer {}\r\n", served.token("owner"));
    let begin = |what: &str, more: &str| {
        let mut stream = TcpStream::connect(&served.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let text = format!("{what} HTTP/1.1\r\nHost: {}\r\n{owner}{more}", served.address);
        stream.write_all(text.as_bytes()).unwrap();
        stream
    };
    let mut head = begin("GET /health", "X-Slow: ");
    let mut body = begin("POST /api/v1/chat", "Content-Length: 100\r\n\r\n{\"te");
    assert_eq!(status(&mut head), 0);
    assert_eq!(status(&mut body), 408);
}

/// Returns this machine's address in its network, if it has one.
pub(super) fn outward() -> Option<IpAddr> {
    let socket = UdpSocket::bind("0.0.0.0:0").ok()?;
    socket.connect("192.0.2.1:9").ok()?;
    let ip = socket.local_addr().ok()?.ip();
    TcpListener::bind((ip, 0)).ok().map(|_| ip)
}

#[test]
fn remote_requests_need_a_token_whatever_the_host_name() {
    let Some(ip) = outward() else {
        println!("skipped: this machine has no network");
        return;
    };
    let served = served("mdns: false", "", &["--host", "0.0.0.0"]);
    let port = served.address.rsplit(':').next().unwrap();
    let far = format!("{ip}:{port}");
    let near = format!("127.0.0.1:{port}");
    let get = |address: &str, headers: &[&str]| send(address, "GET /health", headers, "").0;
    assert_eq!(get(&near, &[]), 200);
    assert_eq!(get(&far, &[]), 401);
    // A remote client does not become local by claiming so.
    assert_eq!(get(&far, &["Host: localhost"]), 401);
    assert_eq!(get(&far, &["Host: 127.0.0.1", "X-Forwarded-For: 127.0.0.1"]), 401);
    let token = format!("Authorization: Bearer {}", served.token("viewer"));
    assert_eq!(get(&far, &[&token]), 200);
    // Only this machine may send requests without a rate limit.
    let statuses: Vec<u16> = (0..600).map(|_| get(&far, &[&token])).collect();
    assert!(statuses.contains(&429), "{statuses:?}");
    assert_eq!(get(&near, &[]), 200);
}

#[test]
fn tool_creation_requires_the_engineer_role() {
    let served = served("anonymous_role: operator", "", &[]);
    let add = |headers: &[&str]| {
        let headers = [&["Content-Type: application/json"], headers].concat();
        send(&served.address, "POST /api/v1/tools", &headers, &json!({ "code": NOD }).to_string()).0
    };
    assert_eq!(add(&[]), 403);
    let made_up = "Authorization: Bearer sk-none";
    assert_eq!(add(&[made_up]), 401);
}

/// Returns a Python that `make test-peers` installs, with third-party packages.
fn python(folder: &str) -> Option<std::path::PathBuf> {
    let python = workspace().join(folder).join("bin/python");
    if python.is_file() {
        return Some(python);
    }
    println!("skipped: there is no {folder} (make test-peers installs it)");
    None
}

// Tests start third-party clients.
#[allow(clippy::disallowed_methods)]
fn run(python: &std::path::Path, script: &str, arguments: &[&str]) -> String {
    let script = workspace().join("tests/support").join(script);
    let mut command = std::process::Command::new(python);
    let ran = command.arg(script).args(arguments).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).unwrap()
}

#[test]
fn tls_works_with_third_party_clients() {
    let Some(python) = python(".cache/clients") else { return };
    let bench = TestDir::new();
    let folder = bench.path("");
    run(&python, "clients/tls.py", &["make", folder.to_str().unwrap()]);
    let keys = "server: {tls_certificate: certificate.pem, tls_key: key.pem}\n";
    bench.write("wrong.yaml", "server: {tls_certificate: key.pem, tls_key: key.pem}\n");
    bench.run(&["serve", "--config", "wrong.yaml", "--port", "0"]).is_error(&["key.pem", "certificate"]);
    bench.write("half.yaml", "server: {tls_certificate: certificate.pem}\n");
    bench.run(&["serve", "--config", "half.yaml"]).is_error(&["server.tls_key"]);
    bench.write("tls.yaml", keys);
    let made = bench.run(&["token", "add", "desk", "--role", "viewer", "--json"]).exits(0).json();
    let token = made["token"].as_str().unwrap();
    let mut program = bench.start(&["serve", "--config", "tls.yaml", "--json", "--port", "0"]);
    let address = listening(&program.line().unwrap());
    let certificate = bench.path("certificate.pem");
    let ask = ["ask", &format!("https://{address}/health"), certificate.to_str().unwrap(), token];
    let reported: Value = serde_json::from_str(&run(&python, "clients/tls.py", &ask)).unwrap();
    assert_eq!((&reported["status"], &reported["version"]), (&json!(200), &json!("TLSv1.3")), "{reported}");
    assert_eq!(reported["body"]["status"], "ok");
    // A client that does not speak TLS gets no response.
    assert_eq!(raw(&address, format!("GET /health HTTP/1.1\r\nHost: {address}\r\n\r\n").as_bytes()), 0);
    let mut say = bench.command(&["say", "nod", "--url", &format!("https://{address}"), "--json"]);
    let said = say.env("SSL_CERT_FILE", &certificate).output().unwrap();
    assert_eq!(said.status.code(), Some(0), "{}", String::from_utf8_lossy(&said.stderr));
}

/// The official SDK finds robots by multicast; where the network filters it, nothing can be found.
#[test]
fn official_sdk_finds_the_robot_by_its_name() {
    let (Some(python), Some(_)) = (python(".cache/official"), outward()) else { return };
    let served = served("", "", &["--host", "0.0.0.0"]);
    let port: u64 = served.address.rsplit(':').next().unwrap().parse().unwrap();
    let name = format!("robot-{port}");
    let renamed = served.ask("operator", "POST /api/daemon/robot-name", &json!({ "name": name }));
    assert_eq!(renamed.0, 200, "{}", renamed.1);
    for _ in 0..4 {
        let found: Value = serde_json::from_str(&run(&python, "official/find_robots.py", &["3"])).unwrap();
        let own = found.as_array().unwrap().iter().find(|robot| robot["port"] == port);
        if let Some(robot) = own.filter(|robot| robot["name"] == *name) {
            assert_eq!(robot["properties"]["ws_path"], "/ws/sdk");
            assert!(!robot["addresses"].as_array().unwrap().is_empty(), "{robot}");
            return;
        }
        println!("found so far: {found}");
    }
    panic!("the robot is not found");
}
