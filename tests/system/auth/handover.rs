//! Hand-over of the lease between two operators: the holder decides, and no one else gets it in between.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use super::*;

type Socket = WebSocket<MaybeTlsStream<TcpStream>>;

/// Returns the next message of a type.
fn heard(socket: &mut Socket, kind: &str) -> Value {
    loop {
        let message = socket.read().unwrap();
        let Message::Text(text) = message else { panic!("no {kind}: {message:?}") };
        let value: Value = serde_json::from_str(&text).unwrap();
        if value["type"] == kind {
            return value;
        }
    }
}

fn say(socket: &mut Socket, message: &Value) {
    socket.send(Message::text(message.to_string())).unwrap();
}

impl Served {
    fn lease(&self, role: &str) -> String {
        let (status, lease) = self.ask(role, "POST /api/v1/lease", &json!({ "heartbeat_ms": 5000 }));
        assert_eq!(status, 201, "{lease}");
        lease["lease_id"].as_str().unwrap().to_owned()
    }

    fn ask_for_lease(&self, role: &str) -> Value {
        let wanted = json!({ "purpose": "a closer look", "heartbeat_ms": 5000 });
        let (status, end) = self.ask(role, "POST /api/v1/lease/requests", &wanted);
        assert_eq!(status, 200, "{end}");
        end
    }

    /// Waits until this many clients ask for the lease, and returns them.
    fn requests(&self, count: usize) -> Vec<Value> {
        let asked = |lease: &Value| lease["requests"].as_array().is_some_and(|all| all.len() == count);
        self.until("the requests", "/api/v1/lease", asked)["requests"].as_array().unwrap().clone()
    }
}

#[test]
fn holder_hands_the_lease_over_and_no_one_else_gets_it() {
    let served = served("anonymous_role: none", "", &[]);
    let wanted = json!({ "purpose": "" });
    assert_eq!(served.ask("viewer", "POST /api/v1/lease/requests", &wanted).0, 403);
    let invalid = json!({ "heartbeat_ms": 5 });
    assert_eq!(served.ask("engineer", "POST /api/v1/lease/requests", &invalid).0, 422);
    assert_eq!(served.ask_for_lease("engineer"), json!({ "status": "free", "lease": null }));

    let first = served.lease("operator");
    let mut socket = served.socket("operator", &format!("/api/v1/lease/{first}/ws"));
    let moves = json!({ "type": "goto", "yaw_deg": 40, "duration_s": 8 });
    let (has_ended, tries) = (AtomicBool::new(false), AtomicU32::new(0));
    thread::scope(|all| {
        // Declined.
        let asked = all.spawn(|| served.ask_for_lease("engineer"));
        let told = heard(&mut socket, "requests");
        let request = &told["requests"][0];
        assert_eq!(
            (&request["owner"], &request["purpose"], &told["timeout_ms"]),
            (&json!("engineer"), &json!("a closer look"), &json!(20_000))
        );
        say(&mut socket, &json!({ "type": "decline", "request": request["id"] }));
        assert_eq!(asked.join().unwrap()["status"], "declined");
        assert_eq!(heard(&mut socket, "requests")["requests"], json!([]));
        say(&mut socket, &json!({ "type": "hand_over", "request": request["id"] }));
        assert!(heard(&mut socket, "refused")["reason"].as_str().unwrap().contains("unknown request"));

        // Handed over while the robot moves, and while others try to get in between.
        say(&mut socket, &moves);
        let yaw = |state: &Value| state["posture"]["yaw_deg"].as_f64().unwrap();
        served.until("the turn", "/api/v1/state", |state| yaw(state) > 2.0);
        let rival = all.spawn(|| {
            while !has_ended.load(Ordering::Acquire) {
                assert_eq!(served.ask("owner", "POST /api/v1/lease", &wanted).0, 409);
                let nod = served.ask("owner", "POST /api/v1/chat", &json!({ "text": "nod" })).1;
                // What is asked at the moment of the hand-over is stopped with the motion.
                let why = nod["text"].as_str().unwrap();
                let is_refused = why.contains("leased") || why == "I was stopped.";
                let has_moved =
                    nod["steps"].as_array().unwrap().iter().any(|step| !step["achieved"].is_null());
                assert!(is_refused && !has_moved, "{nod}");
                tries.fetch_add(1, Ordering::AcqRel);
            }
        });
        let asked = all.spawn(|| served.ask_for_lease("engineer"));
        let request = heard(&mut socket, "requests")["requests"][0]["id"].clone();
        say(&mut socket, &json!({ "type": "hand_over", "request": request }));
        // Targets that were on their way move nothing any more.
        for _ in 0..20 {
            let _closed = socket.send(Message::text(moves.to_string()));
        }
        assert_eq!(heard(&mut socket, "handed_over")["owner"], "engineer");
        let end = asked.join().unwrap();
        assert_eq!(end["status"], "granted");
        let lease = end["lease"].clone();
        let second = lease["lease_id"].as_str().unwrap();
        assert_ne!(second, first);
        let state = served.until("rest", "/api/v1/state", |state| state["motion_state"] == "holding");
        assert!(yaw(&state) < 39.0, "{state}");
        let seen = served.ask("viewer", "GET /api/v1/lease", &Value::Null).1;
        assert!(seen["holder"]["owner"] == "engineer" && !seen.to_string().contains(second), "{seen}");
        let heartbeat = |role: &str, id: &str| {
            served.ask(role, &format!("POST /api/v1/lease/{id}/heartbeat"), &Value::Null).0
        };
        assert_eq!((heartbeat("operator", &first), heartbeat("engineer", second)), (410, 200));
        // Of two tries more, one has begun after the lease passed. On a busy machine they take a while.
        let before = tries.load(Ordering::Acquire);
        while tries.load(Ordering::Acquire) < before + 2 && !rival.is_finished() {
            assert_eq!(heartbeat("engineer", second), 200);
            thread::park_timeout(Duration::from_millis(10));
        }
        has_ended.store(true, Ordering::Release);
        rival.join().unwrap();
        assert!(tries.load(Ordering::Acquire) > 1);
        let goto = json!({ "yaw_deg": 0, "duration_s": 1 });
        assert_eq!(served.ask("engineer", &format!("POST /api/v1/lease/{second}/goto"), &goto).0, 200);
        served.until("the way back", "/api/v1/state", |state| yaw(state).abs() < 1.0);
    });
}

#[test]
fn requests_for_the_lease_end_in_time_and_are_few() {
    let served = served("anonymous_role: none", "", &[]);
    let id = served.lease("operator");
    let has_ended = AtomicBool::new(false);
    let answer = |role: &str, how: &str, request: &Value| {
        served.ask(role, &format!("POST /api/v1/lease/{id}/{how}"), &json!({ "request": request })).0
    };
    thread::scope(|all| {
        all.spawn(|| {
            while !has_ended.load(Ordering::Acquire) {
                let heartbeat = format!("POST /api/v1/lease/{id}/heartbeat");
                assert_eq!(served.ask("operator", &heartbeat, &Value::Null).0, 200);
                thread::park_timeout(Duration::from_millis(500));
            }
        });
        // A client that disconnects withdraws its request.
        let mut left = TcpStream::connect(&served.address).unwrap();
        let text = format!(
            "POST /api/v1/lease/requests HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n\
             Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{{}}",
            served.address,
            served.token("owner")
        );
        left.write_all(text.as_bytes()).unwrap();
        served.requests(1);
        drop(left);
        served.requests(0);

        // A second request of a client replaces its first one.
        let replaced = all.spawn(|| served.ask_for_lease("engineer"));
        let first = served.requests(1)[0]["id"].clone();
        let expired = all.spawn(|| served.ask_for_lease("engineer"));
        assert_eq!(replaced.join().unwrap()["status"], "replaced");
        assert_eq!(answer("operator", "handover", &first), 404);
        let second = served.requests(1)[0]["id"].clone();
        assert_eq!(answer("engineer", "handover", &second), 403, "only the holder decides");
        // The holder does not answer.
        assert_eq!(expired.join().unwrap()["status"], "expired");
        served.requests(0);

        // Two requests wait; the holder answers over REST, and the other one waits for the new holder.
        let granted = all.spawn(|| served.ask_for_lease("engineer"));
        served.requests(1);
        let other = all.spawn(|| served.ask_for_lease("owner"));
        let asked = served.requests(2);
        has_ended.store(true, Ordering::Release);
        assert_eq!(answer("operator", "handover", &asked[0]["id"]), 200);
        let lease = granted.join().unwrap()["lease"].clone();
        let waiting = served.requests(1);
        assert_eq!(waiting[0]["id"], asked[1]["id"]);
        let path = format!("/api/v1/lease/{}", lease["lease_id"].as_str().unwrap());
        let mut socket = served.socket("engineer", &format!("{path}/ws"));
        assert_eq!(heard(&mut socket, "requests")["requests"], json!(waiting));
        // The end of the lease ends the requests for it.
        assert_eq!(served.ask("engineer", &format!("DELETE {path}"), &Value::Null).0, 200);
        assert_eq!(other.join().unwrap()["status"], "free");
    });
}
