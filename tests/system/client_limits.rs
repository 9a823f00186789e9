//! What clients can make is bounded, and past a bound a client is told so. Who moves the robot delays nobody who does not.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use minismith_tests::TestDir;
use serde_json::{Value, json};

use super::mcp_sessions::exchange;
use super::server_fixture::{Served, served};

/// Sends a request and leaves the connection open.
fn begin(served: &Served, path: &str, body: &Value) -> TcpStream {
    let mut stream = TcpStream::connect(&served.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
    let (address, body) = (&served.address, body.to_string());
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nConnection: close\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream
}

/// Returns the status and the whole response of a request.
fn finish(mut stream: TcpStream) -> (u16, String) {
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    (answer.split(' ').nth(1).unwrap().parse().unwrap(), answer)
}

/// Has the robot move for a minute or more.
fn keep_moving(served: &Served) -> TcpStream {
    let moving = begin(
        served,
        "/api/v1/chat",
        &json!({ "text": "nod 20 times, then nod 20 times, then nod 20 times" }),
    );
    served.until("/api/v1/state", |state| state["motion_state"] == "moving");
    moving
}

const COUNT: &str =
    "def count() -> int:\n    \"\"\"Tell a number.\n\n    Returns:\n        It.\n    \"\"\"\n    return 1\n";

#[test]
fn rehearsal_does_not_wait_for_the_one_who_moves_the_robot() {
    let served = served();
    let moving = keep_moving(&served);
    let (status, checked) = served.post("/api/v1/tools/check", &json!({ "code": COUNT }));
    assert_eq!((status, &checked["admitted"]), (200, &json!(true)), "{checked}");
    let (status, added) = served.post("/api/v1/tools", &json!({ "code": COUNT }));
    assert!(status < 300, "{added}");
    let (status, rehearsed) = served.post("/api/v1/tools/count/rehearse", &json!({}));
    assert_eq!((status, &rehearsed["status"]), (200, &json!("returned")), "{rehearsed}");
    assert_eq!(served.post("/api/v1/tools/count/approve", &json!({})).0, 200);
    // All of it was done while the first client still moves the robot.
    assert_eq!(served.value("/api/v1/state")["motion_state"], "moving");
    served.post("/api/v1/stop", &json!({}));
    assert_eq!(finish(moving).0, 200);
}

#[test]
fn full_queue_rejects_requests_and_a_stop_empties_it() {
    let served = served();
    let moving = keep_moving(&served);
    let asked: Vec<TcpStream> =
        (0..40).map(|_| begin(&served, "/api/v1/chat", &json!({ "text": "look left 40 degrees" }))).collect();
    // One runs, 32 wait.
    let queued = || {
        let metrics = exchange(&served.address, "GET /metrics", &[], "").body;
        let found = metrics.lines().find_map(|line| line.strip_prefix("minismith_chat_requests "));
        found.and_then(|value| value.parse::<f64>().ok()).unwrap_or_default()
    };
    assert!(
        (0..400).any(|_| {
            std::thread::park_timeout(Duration::from_millis(25));
            queued() >= 33.0
        }),
        "{} requests wait",
        queued()
    );
    // A stop needs no place in the queue, and ends what waits there.
    let (status, stopped) = served.post("/api/v1/chat", &json!({ "text": "stop" }));
    assert_eq!((status, &stopped["outcome"]), (200, &json!("done")), "{stopped}");
    let answers: Vec<(u16, String)> = asked.into_iter().map(finish).collect();
    let rejected = answers.iter().filter(|(status, _)| *status == 429).count();
    assert!((1..=8).contains(&rejected), "{rejected} were rejected");
    assert!(answers.iter().all(|(status, _)| [200, 429].contains(status)));
    assert!(answers.iter().all(|(_, answer)| !answer.contains("Done: ")), "{answers:?}");
    assert_eq!(finish(moving).0, 200);
    let yaw = served.value("/api/v1/state")["posture"]["yaw_deg"].as_f64().unwrap();
    assert!(yaw.abs() < 1.0, "a request that was queued before the stop turned the head to {yaw}");

    // The same for rehearsals. Those of clients that have left are dropped.
    let mut asked: Vec<TcpStream> = (0..40)
        .map(|number| {
            let code = COUNT.replace("return 1", &format!("return {number}"));
            begin(&served, "/api/v1/tools/check", &json!({ "code": code }))
        })
        .collect();
    // The server reads the connections in any order.
    let rejected = std::iter::from_fn(|| asked.pop()).map(finish).find(|(status, _)| *status == 429);
    let (_, answer) = rejected.unwrap_or_else(|| panic!("40 rehearsals were queued"));
    assert!(answer.to_lowercase().contains("retry-after"), "{answer}");
    drop(asked);
    let (status, checked) = loop {
        let answered = served.post("/api/v1/tools/check", &json!({ "code": COUNT }));
        if answered.0 != 429 {
            break answered;
        }
        std::thread::park_timeout(Duration::from_millis(100));
    };
    assert_eq!((status, &checked["admitted"]), (200, &json!(true)), "{checked}");
}

#[test]
fn one_machine_has_half_of_the_connections_for_its_streams() {
    let served = Served::on(TestDir::configured("server: {max_connections: 16}\n"));
    // A WebSocket has its place until it is closed.
    let mut sockets: Vec<_> = (0..5).map(|_| served.socket("/api/v1/telemetry?rate=1")).collect();
    sockets.extend((0..2).map(|_| served.socket("/api/state/ws/full")));
    let open = |path: &str| {
        let mut stream = TcpStream::connect(&served.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", served.address);
        stream.write_all(request.as_bytes()).unwrap();
        let mut head = [0; 12];
        stream.read_exact(&mut head).unwrap();
        (String::from_utf8_lossy(&head).into_owned(), stream)
    };
    // A stream of images is the eighth connection, and the ninth is rejected.
    let (head, stream) = open("/api/v1/camera/stream");
    assert_eq!(head, "HTTP/1.1 200");
    assert_eq!(open("/health").0, "HTTP/1.1 503");
    drop(stream);
    sockets.clear();
    let is_free = (0..200).any(|_| {
        std::thread::park_timeout(Duration::from_millis(25));
        open("/health").0 == "HTTP/1.1 200"
    });
    assert!(is_free, "the places were not freed");
}

/// The server holds the serial port itself, so nobody else can be blamed for it.
#[test]
fn doctor_of_a_server_measures_the_servos_that_it_drives() {
    let bench = TestDir::new();
    let mut mock = bench.start(&["mock"]);
    let line = mock.line().unwrap();
    let mut server = bench.start(&["serve", "--robot", &line, "--port", "0", "--json"]);
    let address = super::cli::listening(&server.line().unwrap());
    let ask = |path: &str| super::cli::send(&address, &format!("GET {path}"), &[], "").1;
    for _ in 0..400 {
        let state = ask("/api/v1/state");
        if state["joints"].as_array().unwrap().iter().all(|joint| joint["voltage_v"].is_f64()) {
            break;
        }
        std::thread::park_timeout(Duration::from_millis(25));
    }
    let examined = ask("/api/v1/doctor");
    let checks = examined["checks"].as_array().unwrap();
    assert!(!examined.to_string().contains("another program"), "{examined}");
    let power = checks.iter().find(|check| check["name"] == "power").unwrap_or_else(|| panic!("{examined}"));
    assert_eq!(power["state"], "good", "{power}");
    assert!(power["detail"].as_str().unwrap().contains("9 servos"), "{power}");
    // Another program can only say that the port is taken.
    let config = std::fs::read_to_string(bench.path("config.yaml")).unwrap();
    bench.write("config.yaml", &format!("robot: {line}\n{config}"));
    let other = bench.run(&["doctor", "--json"]).json();
    assert!(other.to_string().contains("another program holds the port"), "{other}");
}
