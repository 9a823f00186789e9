//! Conversations over HTTP: complete and streamed answers, sessions, stops, disconnects, and one robot for all clients.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::Duration;

use minismith_tests::TestDir;
use serde_json::{Value, json};

use super::cli::send;
use super::server_fixture::Served;

fn served() -> Served {
    Served::on(TestDir::configured(
        "memory: {file: sessions.sqlite}\nbus: {reply_timeout_ms: 50, watchdog_ms: 2000}\n",
    ))
}

impl Served {
    fn say(&self, text: &str) -> Value {
        let (status, reply) = self.post("/api/v1/chat", &json!({ "text": text }));
        assert_eq!(status, 200, "{reply}");
        reply
    }

    /// Returns an open stream of events.
    fn stream(&self, body: &Value) -> Stream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let body = body.to_string();
        write!(
            stream,
            "POST /api/v1/chat HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nAccept: text/event-stream\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.address,
            body.len()
        )
        .unwrap();
        Stream(BufReader::new(stream))
    }
}

struct Stream(BufReader<TcpStream>);

impl Stream {
    /// Returns the next event; none at the end.
    fn next(&mut self) -> Option<Value> {
        let mut line = String::new();
        while self.0.read_line(&mut line).unwrap() > 0 {
            if let Some(data) = line.strip_prefix("data: ") {
                return Some(serde_json::from_str(data).unwrap());
            }
            line.clear();
        }
        None
    }
}

#[test]
fn chat_answers_like_the_command_line() {
    let served = served();
    let reply = served.say("nod twice, then look left 20 degrees");
    assert_eq!((&reply["outcome"], reply["steps"].as_array().unwrap().len()), (&json!("done"), 2), "{reply}");
    assert!((reply["steps"][1]["achieved"]["yaw_deg"].as_f64().unwrap() - 20.0).abs() < 1.0, "{reply}");
    let declined = served.say("make me a sandwich");
    assert_eq!(declined["outcome"], "not_understood");

    let mut stream = served.stream(&json!({ "text": "look right 10 degrees, then look ahead" }));
    let events: Vec<Value> = std::iter::from_fn(|| stream.next()).collect();
    let kinds: Vec<&str> = events.iter().map(|event| event["event"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["plan", "begun", "step", "begun", "step", "reply"], "{events:?}");
    let events: Vec<&Value> =
        events.iter().filter(|event| event["event"] == "step" || event["event"] == "reply").collect();
    assert_eq!(events[0]["data"]["agent"], "robot_control");
    assert!((events[0]["data"]["steps"][0]["achieved"]["yaw_deg"].as_f64().unwrap() + 10.0).abs() < 1.0);
    assert_eq!(events[2]["data"]["steps"].as_array().unwrap().len(), 2);

    let url = format!("http://{}", served.address);
    let ran = served.bench.run(&["say", "shake your head", "--url", &url, "--json"]);
    assert_eq!((ran.code, &ran.json()["outcome"]), (Some(0), &json!("done")), "{ran:?}");
    let ran = served.bench.run(&["say", "look left 300 degrees", "--url", &url]);
    assert!(ran.code == Some(1) && ran.out.contains("60 deg"), "{ran:?}");
    served.bench.run(&["say", "nod", "--url", "http://127.0.0.1:9"]).is_error(&["minismith serve"]);
    served.bench.run(&["say", "nod", "--url", "here"]).is_error(&["here", "http://"]);
}

#[test]
fn session_continues_is_listed_exported_and_deleted() {
    let served = served();
    let say = |text: &str| served.post("/api/v1/chat", &json!({ "text": text, "session": "evening" })).1;
    assert_eq!(say("look left 10 degrees")["outcome"], "done");
    let further = say("a bit further");
    assert!(further["steps"][0]["requested"]["yaw_deg"].as_f64().unwrap() > 11.0, "{further}");
    // A client outside the session cannot refer to it with "again".
    assert_eq!(served.say("again")["outcome"], "not_understood");
    let (_, listed) = served.get("/api/v1/sessions");
    assert_eq!(
        (&listed["sessions"][0]["id"], &listed["sessions"][0]["turns"]),
        (&json!("evening"), &json!(2))
    );
    assert!(served.get("/api/v1/sessions/evening").1.to_string().contains("a bit further"));
    let delete = |name: &str| send(&served.address, &format!("DELETE /api/v1/sessions/{name}"), &[], "").0;
    assert_eq!((delete("evening"), delete("evening"), delete("no%20name")), (200, 404, 404));
    let (status, refused) = served.post("/api/v1/chat", &json!({ "text": "nod", "session": "no name" }));
    assert!(status == 409 && refused["detail"].as_str().unwrap().contains("no name"), "{refused}");
}

#[test]
fn stop_takes_effect_immediately_and_cancels_queued_requests() {
    let served = served();
    std::thread::scope(|scope| {
        let dance = scope.spawn(|| served.say("dance for 30 seconds"));
        served.until("/api/v1/state", |state| state["doing"] == "playing");
        let waiting = scope.spawn(|| served.say("look left 20 degrees"));
        // The second sentence is queued before the stop.
        std::thread::park_timeout(Duration::from_millis(300));
        let stopped = served.say("stop");
        assert!(stopped["text"].as_str().unwrap().contains("Stopped"), "{stopped}");
        assert_eq!(dance.join().unwrap()["outcome"], "stopped");
        assert_eq!(waiting.join().unwrap()["outcome"], "stopped");
    });
    assert_eq!(served.say("look left 20 degrees")["outcome"], "done");
}

#[test]
fn client_disconnect_stops_its_motion() {
    let served = served();
    let mut stream = served.stream(&json!({ "text": "nod once, then dance for 30 seconds" }));
    while stream.next().unwrap()["event"] != "step" {}
    served.until("/api/v1/state", |state| state["doing"] == "playing");
    drop(stream);
    served.until("/api/v1/state", |state| state["doing"] == "holding");
    assert_eq!(served.say("nod")["outcome"], "done");
}

#[test]
fn client_preempts_a_conversation_but_not_the_reverse() {
    let served = served();
    std::thread::scope(|scope| {
        let dance = scope.spawn(|| served.say("dance for 30 seconds"));
        served.until("/api/v1/state", |state| state["doing"] == "playing");
        let (status, begun) =
            served.post("/api/move/goto", &json!({ "head_pose": { "yaw": 0.4 }, "duration": 3.0 }));
        assert_eq!(status, 200, "{begun}");
        assert_eq!(dance.join().unwrap()["outcome"], "stopped");
        let refused = served.say("look right");
        assert_eq!(refused["outcome"], "refused", "{refused}");
        assert!(
            refused["text"].as_str().unwrap().contains("a client of the API controls the robot"),
            "{refused}"
        );
    });
    served.until("/api/v1/state", |state| (state["posture"]["yaw_deg"].as_f64().unwrap() - 22.9).abs() < 1.0);
}

#[test]
fn invalid_sentences_are_rejected() {
    let served = served();
    for (body, expected) in [
        (json!({}), 422),
        (json!({ "text": "" }), 422),
        (json!({ "text": 7 }), 422),
        (json!({ "text": "nod", "robot": "mine" }), 422),
        (json!({ "text": "x".repeat(70_000) }), 422),
        (json!([]), 422),
    ] {
        let (status, answer) = served.post("/api/v1/chat", &body);
        assert!(status == expected && answer["detail"] != Value::Null, "{status} {answer}");
    }
    let (status, _) = send(&served.address, "POST /api/v1/chat", &[], r#"{"text":"nod"}"#);
    assert_eq!(status, 422, "a page in a browser could send this without asking");
    let nobody = "/api/v1/chat/b52f76d0-fa08-474a-bfff-056b19e4916e/answer";
    assert_eq!(served.post(nobody, &json!({ "text": "yes" })).0, 404);
}

#[test]
fn session_is_continued_by_another_process() {
    let bench = TestDir::new();
    let yaw = |text: &str| {
        let ran = bench.run(&["say", text, "--session", "evening", "--json"]).exits(0);
        ran.json()["steps"][0]["requested"]["yaw_deg"].as_f64().unwrap()
    };
    assert!((yaw("look left 10 degrees") - 10.0).abs() < 0.5);
    let further = yaw("a bit further");
    assert!(further > 11.0, "{further}");
    assert!((yaw("the other way") + further).abs() < 0.5);
    let told = bench.run(&["say", "what happened?", "--session", "evening"]).exits(0);
    assert!(told.out.contains("look right"), "{}", told.out);
    let ran = bench.run(&["say", "again", "--session", "morning", "--json"]);
    assert_eq!(ran.json()["outcome"], "not_understood");
}
