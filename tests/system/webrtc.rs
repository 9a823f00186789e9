//! `minismith-webrtc`: a browser watches the camera and moves the robot, with the rights of its token; peers that are
//! hostile, or vanish, leave nothing behind; and the server starts and ends the program.

#![allow(clippy::disallowed_methods, reason = "the program is one of its own")]

use std::f64::consts::TAU;
use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use minismith_tests::{TestDir, program};
use minismith_voice::audio::Clip;
use rustix::fs::{CWD, Mode, OFlags, mkfifoat};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, connect};

use super::auth::outward;
use super::browser::run_e2e;
use super::cli::send;
use super::server_fixture::{Served, Socket};

/// Timeouts are long, since a browser uses up the processors.
const PATIENT: &str = "bus: {reply_timeout_ms: 50, watchdog_ms: 2000}\n";

/// A controller, the program for WebRTC, and tokens.
struct Bridge {
    served: Served,
    child: Child,
    address: String,
    tokens: Value,
}

/// Starts the program for a controller, and returns it and where it listens.
fn started(controller: &str) -> (Child, String) {
    let mut child = Command::new(program("minismith-webrtc"))
        .args(["--controller", &format!("http://{controller}"), "--listen", "127.0.0.1:0", "--json"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let said: Value = serde_json::from_str(&line).unwrap();
    (child, said["listening"].as_str().unwrap().to_owned())
}

fn bridge(keys: &str) -> Bridge {
    bridge_on(TestDir::configured(&format!("{PATIENT}{keys}")), &[])
}

fn bridge_on(bench: TestDir, variables: &[(&str, &str)]) -> Bridge {
    let tokens = ["viewer", "operator"].map(|role| {
        let made = bench.run(&["token", "add", role, "--role", role, "--json"]).exits(0).json();
        (role.to_owned(), made["token"].clone())
    });
    let served = Served::with(bench, variables);
    let (child, address) = started(&served.address);
    Bridge { served, child, address, tokens: tokens.into_iter().collect() }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        let _killed = self.child.kill();
        let _ended = self.child.wait();
    }
}

impl Bridge {
    fn token(&self, role: &str) -> String {
        self.tokens[role].as_str().unwrap().to_owned()
    }

    fn environment(&self) -> Vec<(&'static str, String)> {
        vec![
            ("MINISMITH_URL", format!("http://{}", self.served.address)),
            ("MINISMITH_WEBRTC", format!("http://{}", self.address)),
            ("MINISMITH_TOKENS", self.tokens.to_string()),
        ]
    }

    fn ask(&self, what: &str, headers: &[&str], body: &str) -> (u16, Value) {
        send(&self.address, what, headers, body)
    }

    /// Opens signalling over a WebSocket.
    fn socket(&self, role: &str) -> Socket {
        let mut request = format!("ws://{}/", self.address).into_client_request().unwrap();
        request
            .headers_mut()
            .insert("authorization", format!("Bearer {}", self.token(role)).parse().unwrap());
        connect(request).unwrap().0
    }

    /// Returns the numbers of open files and of threads of the program.
    fn resources(&self) -> (usize, usize) {
        let count = |what| std::fs::read_dir(format!("/proc/{}/{what}", self.child.id())).unwrap().count();
        (count("fd"), count("task"))
    }

    /// Returns the memory of the program, bytes.
    fn memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10
    }

    /// Waits until the program has no more open files than this.
    fn until_files(&self, most: usize, within: Duration) {
        let began = Instant::now();
        while self.resources().0 > most {
            assert!(began.elapsed() < within, "open files: {}, at most {most}", self.resources().0);
            std::thread::park_timeout(Duration::from_millis(50));
        }
    }
}

fn next(socket: &mut Socket, kind: &str) -> Value {
    loop {
        if let Message::Text(text) = socket.read().unwrap() {
            let message: Value = serde_json::from_str(&text).unwrap();
            if message["type"] == kind {
                return message;
            }
        }
    }
}

fn tell(socket: &mut Socket, message: &Value) {
    socket.send(Message::text(message.to_string())).unwrap();
}

/// Begins a session and returns its id, without an answer.
fn begin(socket: &mut Socket) -> String {
    tell(socket, &json!({ "type": "list" }));
    let robot = next(socket, "list")["producers"][0]["id"].clone();
    tell(socket, &json!({ "type": "startSession", "peerId": robot }));
    next(socket, "sessionStarted")["sessionId"].as_str().unwrap().to_owned()
}

#[test]
fn page_watches_the_camera_and_moves_the_robot() {
    // Without a token, not even this computer is anybody.
    let bridge = bridge("server: {anonymous_role: none}\n");
    let environment = bridge.environment();
    run_e2e("webrtc", &environment);
}

/// Sends a tone into a pipe as fast as it sounds, until it is told to end.
fn sing(pipe: &Path, hz: f64, ends: &Arc<AtomicBool>) -> JoinHandle<()> {
    const RATE: f64 = 16_000.0;
    let mut pipe = OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags(OFlags::NONBLOCK.bits().cast_signed())
        .open(pipe)
        .unwrap();
    let ends = ends.clone();
    std::thread::spawn(move || {
        let (began, mut sung) = (Instant::now(), 0_u32);
        while !ends.load(Ordering::Relaxed) {
            let due = (began.elapsed().as_secs_f64() * RATE) as u32;
            let sample = |at: u32| (8000.0 * (f64::from(at) * TAU * hz / RATE).sin()) as i16;
            let block: Vec<u8> = (sung..due).flat_map(|at| sample(at).to_le_bytes()).collect();
            // While nobody listens, the pipe is full. A short part is written as a whole or not at all.
            for part in block.chunks(2048) {
                let _written = pipe.write(part);
            }
            sung = due;
            std::thread::park_timeout(Duration::from_millis(10));
        }
    })
}

#[test]
fn page_hears_the_microphone_and_talks_through_the_speaker() {
    const HEARD_HZ: f64 = 440.0;
    const SAID_HZ: f64 = 700.0;
    let bench = TestDir::configured(&format!("{PATIENT}voice: {{microphone: mic, speaker: horn}}\n"));
    let (heard, played) = (bench.path("heard"), bench.path("played.raw"));
    mkfifoat(CWD, &heard, Mode::RUSR | Mode::WUSR).unwrap();
    let device = |name: &str, files: String| {
        format!(
            "pcm.{name} {{ type file; slave.pcm {{ type null }}; {files}; format \"raw\"; hint {{ show on; description \"{name}\" }} }}\n"
        )
    };
    let devices = [
        device("mic", format!("file \"/dev/null\"; infile \"{}\"", heard.display())),
        device("horn", format!("file \"{}\"", played.display())),
    ];
    let devices = bench.write("asound.conf", &devices.concat());
    let said: Vec<f32> =
        (0..48_000 * 4).map(|at| (0.4 * (f64::from(at) * TAU * SAID_HZ / 48_000.0).sin()) as f32).collect();
    let voice = bench.path("voice.wav");
    std::fs::write(&voice, Clip::new(48_000, said).to_bytes().unwrap()).unwrap();
    let ends = Arc::new(AtomicBool::new(false));
    let singing = sing(&heard, HEARD_HZ, &ends);
    let bridge = bridge_on(bench, &[("ALSA_CONFIG_PATH", devices.to_str().unwrap())]);
    let mut environment = bridge.environment();
    environment.push(("MINISMITH_VOICE", voice.to_str().unwrap().to_owned()));
    environment.push(("MINISMITH_TONE_HZ", HEARD_HZ.to_string()));
    environment.push(("MINISMITH_PLAYED", played.to_str().unwrap().to_owned()));
    environment.push(("MINISMITH_SAID_HZ", SAID_HZ.to_string()));
    run_e2e("webrtc-sound", &environment);
    ends.store(true, Ordering::Relaxed);
    singing.join().unwrap();
}

#[test]
fn nothing_is_left_of_a_peer_that_vanishes() {
    let bridge = bridge("");
    let (files, _) = bridge.resources();
    let mut environment = bridge.environment();
    environment.push(("MINISMITH_VANISH", bridge.address.clone()));
    run_e2e("webrtc-vanish", &environment);
    bridge.until_files(files, Duration::from_secs(90));
    let authorization = format!("Authorization: Bearer {}", bridge.token("operator"));
    let running = send(&bridge.served.address, "GET /api/move/running", &[&authorization], "");
    assert_eq!(running, (200, json!([])), "its move has stopped");
}

#[test]
fn signalling_is_that_of_gstreamer_and_only_for_whom_the_controller_accepts() {
    let bridge = bridge("");
    let operator = format!("Authorization: Bearer {}", bridge.token("operator"));
    for (headers, status) in [
        (vec![&*operator], 200),
        // This computer needs no token, as at the controller.
        (vec![], 200),
        (vec!["Authorization: Bearer wrong"], 401),
        (vec!["Authorization: Bearer "], 401),
        (vec!["Host: evil.example"], 400),
        (vec!["Origin: https://evil.example"], 403),
        (vec!["Origin: null"], 403),
        (vec!["X-Forwarded-For: 127.0.0.1"], 401),
        // Who it is sent for is not the peer's to say.
        (vec!["X-Minismith-Peer: 192.0.2.9", "X-Forwarded-For: 192.0.2.9"], 401),
        (vec!["X-Minismith-Peer: 192.0.2.9"], 200),
        (vec!["Host: 192.0.2.9:8443"], 401),
    ] {
        assert_eq!(bridge.ask("GET /api/robot-status", &headers, "").0, status, "{headers:?}");
    }
    assert_eq!(bridge.ask("OPTIONS /send", &["Origin: https://evil.example"], "").0, 204);
    assert_eq!(bridge.ask("GET /nowhere", &[], "").0, 404);
    // Without a stream of events, there is nobody to offer to.
    let listed = bridge.ask("POST /send", &[&operator], r#"{"type": "list"}"#).1;
    let start = json!({ "type": "startSession", "peerId": listed["producers"][0]["id"] }).to_string();
    assert_eq!(bridge.ask("POST /send", &[&operator], &start).0, 409);

    let mut socket = bridge.socket("operator");
    assert!(next(&mut socket, "welcome")["peerId"].is_string());
    tell(&mut socket, &json!({ "type": "setPeerStatus", "roles": ["listener"], "meta": {} }));
    tell(&mut socket, &json!({ "type": "list" }));
    let robot = next(&mut socket, "list")["producers"][0].clone();
    assert_eq!(robot["meta"]["name"], "reachymini");
    tell(&mut socket, &json!({ "type": "startSession", "peerId": robot["id"], "offer": "v=0" }));
    assert!(next(&mut socket, "error")["details"].as_str().unwrap().contains("makes the offer"));
    let session = begin(&mut socket);
    let offer = next(&mut socket, "peer");
    assert_eq!((&offer["sessionId"], &offer["sdp"]["type"]), (&json!(session), &json!("offer")));
    let sdp = offer["sdp"]["sdp"].as_str().unwrap();
    for line in ["m=video", "H264/90000", "m=application", "a=candidate:"] {
        assert!(sdp.contains(line), "{line}: {sdp}");
    }
    for nonsense in [
        "",
        "{",
        "null",
        r#"{"type": "fly"}"#,
        r#"{"type": "peer", "sessionId": "none", "ice": {"candidate": "x"}}"#,
    ] {
        socket.send(Message::text(nonsense)).unwrap();
        assert!(next(&mut socket, "error")["details"].is_string(), "{nonsense}");
    }
    // A message that is too large ends the connection, and with it its sessions.
    let (files, _) = bridge.resources();
    let _sent = socket.send(Message::text("x".repeat(1 << 20)));
    bridge.until_files(files - 2, Duration::from_secs(20));
}

#[test]
fn crowds_and_silent_clients_are_bounded() {
    let mut bridge = bridge("");
    let (files, threads) = bridge.resources();
    // Listeners, per address.
    let sockets: Vec<Socket> = (0..16).map(|_| bridge.socket("viewer")).collect();
    assert_eq!(bridge.ask("GET /events", &[], "").0, 503);
    drop(sockets);
    bridge.until_files(files, Duration::from_secs(20));
    // Sessions that come and go leave nothing.
    let mut before = 0;
    for round in 0..60 {
        let mut socket = bridge.socket("viewer");
        let session = begin(&mut socket);
        tell(&mut socket, &json!({ "type": "endSession", "sessionId": session }));
        assert_eq!(next(&mut socket, "endSession")["reason"], "ended");
        if round == 20 {
            before = bridge.memory();
        }
    }
    bridge.until_files(files, Duration::from_secs(20));
    let grown = bridge.memory().saturating_sub(before);
    assert!(grown < 8 << 20, "forty sessions took {grown} bytes");
    assert!(bridge.resources().1 <= threads + 4, "{:?}", bridge.resources());
    // Clients that connect and say nothing, or half of a head, or garbage, keep nobody out.
    let silent: Vec<TcpStream> = (0..50)
        .map(|index| {
            let mut stream = TcpStream::connect(&bridge.address).unwrap();
            let said: &[u8] =
                [&b""[..], b"GET / HTTP/1.1\r\nHost:", b"\x16\x03\x01\0\xff", b"\0\0\0\0"][index % 4];
            stream.write_all(said).unwrap();
            stream
        })
        .collect();
    assert_eq!(bridge.ask("GET /health-check", &[], "").0, 404);
    drop(silent);
    let mut huge = TcpStream::connect(&bridge.address).unwrap();
    let head = format!("GET /events HTTP/1.1\r\nHost: localhost\r\nX: {}\r\n\r\n", "x".repeat(1 << 20));
    let _sent = huge.write_all(head.as_bytes());
    let mut answer = Vec::new();
    let _read = huge.read_to_end(&mut answer);
    assert!(!String::from_utf8_lossy(&answer).contains("200 OK"));
    assert!(bridge.child.try_wait().unwrap().is_none(), "it runs on");
    // It ends when it is asked.
    kill_process(Pid::from_child(&bridge.child), Signal::TERM).unwrap();
    assert_eq!(bridge.child.wait().unwrap().code(), Some(0));
}

#[test]
fn wrong_tokens_lock_out_nobody_else() {
    let bridge = bridge("");
    // Those of one peer are counted by the controller; this one is the computer itself.
    let wrong = ["Authorization: Bearer wrong"];
    let answers: Vec<u16> = (0..30).map(|_| bridge.ask("GET /api/robot-status", &wrong, "").0).collect();
    assert!(answers.contains(&401) && answers.contains(&429), "{answers:?}");
    let far = ["Authorization: Bearer wrong", "X-Minismith-Peer: 192.0.2.77"];
    assert_eq!(
        send(&bridge.served.address, "GET /api/v1/me", &far, "").0,
        401,
        "another peer is counted apart"
    );
}

#[test]
fn server_starts_and_ends_the_program() {
    // A port that is free now.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let served = Served::on(TestDir::configured(&format!("{PATIENT}compat: {{webrtc: 127.0.0.1:{port}}}\n")));
    let address = format!("127.0.0.1:{port}");
    let began = Instant::now();
    while TcpStream::connect(&address).is_err() {
        assert!(began.elapsed() < Duration::from_secs(20), "the program does not listen");
        std::thread::park_timeout(Duration::from_millis(50));
    }
    while send(&address, "GET /api/robot-status", &[], "").0 != 200 {
        assert!(began.elapsed() < Duration::from_secs(20), "the program does not reach the controller");
        std::thread::park_timeout(Duration::from_millis(50));
    }
    let _folder = served.stop();
    assert!(TcpStream::connect(&address).is_err(), "the program has ended with the server");
}

#[test]
fn dashboard_shows_the_camera_with_a_low_delay() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let served = Served::on(TestDir::configured(&format!("{PATIENT}compat: {{webrtc: 127.0.0.1:{port}}}\n")));
    run_e2e("drive-video", &[("MINISMITH_URL", format!("http://{}", served.address))]);
}

#[test]
fn program_tells_what_is_wrong() {
    let run = |arguments: &[&str]| {
        let output = Command::new(program("minismith-webrtc")).args(arguments).output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        (output.status.code().unwrap(), String::from_utf8_lossy(&said).into_owned())
    };
    let (code, help) = run(&["--help"]);
    assert!(code == 0 && help.contains("Examples:"), "{help}");
    assert_eq!(run(&["--listen", "here"]).0, 2);
    assert_eq!(run(&["--controller", "https://localhost:8000"]).0, 2);
    let (code, said) = run(&["--token-file", "/nowhere/token"]);
    assert!(code == 2 && said.contains("minismith token add"), "{said}");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let (code, said) = run(&["--listen", &taken.local_addr().unwrap().to_string()]);
    assert!(code == 2 && said.contains("--listen"), "{said}");
}

/// The SDK takes the port 8443 and the address that the status names.
#[test]
fn sdk_on_another_computer_is_told_where_webrtc_is() {
    let free = TcpListener::bind("0.0.0.0:8443").is_ok();
    let Some(ip) = outward().filter(|_| free) else {
        println!("skipped: this machine has no network, or its port 8443 is taken");
        return;
    };
    let open = "server: {host: 0.0.0.0, mdns: false}\ncompat: {webrtc: \"0.0.0.0:8443\"}\n";
    // Returns the server, and what it tells a client at an address.
    let start = |keys: &str| {
        let bench = TestDir::configured(&format!("{PATIENT}{keys}"));
        let made = bench.run(&["token", "add", "sdk", "--role", "operator", "--json"]).exits(0).json();
        let token = format!("Authorization: Bearer {}", made["token"].as_str().unwrap());
        let served = Served::on(bench);
        let port = served.address.rsplit(':').next().unwrap().to_owned();
        let status =
            move |host: &str| send(&format!("{host}:{port}"), "GET /api/daemon/status", &[&token], "").1;
        (served, status)
    };
    let (served, status) = start(open);
    let far = status(&ip.to_string());
    assert_eq!((&far["no_media"], &far["wlan_ip"]), (&json!(false), &json!(ip.to_string())), "{far}");
    assert_eq!(far["camera_specs_name"], "wireless");
    let near = status("127.0.0.1");
    assert_eq!(near["wlan_ip"], json!(null), "{near}");
    let began = Instant::now();
    while TcpStream::connect((ip, 8443)).is_err() {
        assert!(began.elapsed() < Duration::from_secs(20), "signalling does not listen at that address");
        std::thread::park_timeout(Duration::from_millis(50));
    }
    let _folder = served.stop();
    // Without the program for WebRTC there is nothing to see from elsewhere.
    let (_served, status) = start(&open.replace("\"0.0.0.0:8443\"", "off"));
    let far = status(&ip.to_string());
    assert_eq!((&far["no_media"], &far["wlan_ip"]), (&json!(true), &json!(null)), "{far}");
}
