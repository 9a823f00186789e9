//! Voice conversations over the server's WebSocket. The test is the client: it sends the speech of espeak-ng and reads
//! the messages and the audio that come back. The models are real.

#![allow(clippy::disallowed_methods, reason = "the person who speaks is a program")]

use std::process::Command;
use std::time::Duration;

use firmware_bridge::clock::{Clock, MonotonicClock};
use minismith_tests::{TestDir, workspace};
use serde_json::{Value, json};
use tungstenite::client::IntoClientRequest;
use tungstenite::protocol::frame::coding::CloseCode;
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Error, Message, connect};

use super::server_fixture::{Served, Socket};

/// The sample rate of espeak-ng in Hz.
const RATE: u32 = 22_050;

/// Returns a server with the installed models and more configuration keys.
fn served(keys: &str) -> Served {
    let models = workspace().join(".cache/models");
    assert!(models.join("hibari.onnx").is_file(), "there are no models; run `make models`");
    Served::on(TestDir::configured(&format!(
        "bus: {{reply_timeout_ms: 50, watchdog_ms: 2000}}\nmodels: {{directory: {}}}\n{keys}",
        models.display()
    )))
}

/// Returns a sentence spoken by espeak-ng at its sample rate, after a short silence: 16 bit samples, little-endian.
fn spoken(text: &str) -> Vec<u8> {
    let output = Command::new("espeak-ng").args(["-v", "en-us", "-s", "150", "--stdout", text]).output();
    let output =
        output.unwrap_or_else(|error| panic!("espeak-ng is needed (scripts/sound --speak): {error}"));
    assert!(output.status.success());
    // The header of a stream does not contain its length.
    [vec![0; RATE as usize / 5 * 4], output.stdout[44..].to_vec()].concat()
}

/// The client side of a conversation.
struct Line {
    socket: Socket,
    reported: Vec<Value>,
    /// The audio received since it was last taken.
    sound: Vec<i16>,
}

impl Line {
    fn open(served: &Served, query: &str) -> Line {
        let mut line = Line {
            socket: served.socket(&format!("/api/v1/voice?{query}")),
            reported: Vec::new(),
            sound: Vec::new(),
        };
        line.until(|reported| reported["event"] == "state" && reported["state"] == "listening");
        line
    }

    fn send(&mut self, word: &Value) {
        self.socket.send(Message::text(word.to_string())).unwrap();
    }

    /// Sends speech in chunks of a tenth of a second, without pauses.
    fn say(&mut self, text: &str) {
        for piece in spoken(text).chunks(RATE as usize / 10 * 2) {
            self.socket.send(Message::binary(piece.to_vec())).unwrap();
        }
        self.send(&json!({ "type": "end" }));
    }

    /// Reads messages until one of this type arrives, and returns it.
    fn until(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        let clock = MonotonicClock::start();
        while clock.now().seconds() < 60.0 {
            match self.socket.read() {
                Ok(Message::Text(text)) => {
                    let reported: Value = serde_json::from_str(&text).unwrap();
                    self.reported.push(reported.clone());
                    if is_it(&reported) {
                        return reported;
                    }
                    if reported["event"] == "cut" {
                        self.sound.clear();
                    }
                }
                Ok(Message::Binary(bytes)) => {
                    assert_eq!(bytes.len() % 2, 0);
                    self.sound.extend(bytes.chunks(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]])));
                }
                Ok(_) => {}
                Err(error) => panic!("{error}; told was {:#?}", self.reported),
            }
        }
        panic!("it is not told; told was {:#?}", self.reported)
    }

    fn event(&mut self, name: &str) -> Value {
        self.until(|reported| reported["event"] == name)
    }

    /// Waits until the robot listens.
    fn listens(&mut self) {
        while self.reported.iter().rev().find_map(|reported| reported["state"].as_str()) != Some("listening")
        {
            self.event("state");
        }
    }

    /// Returns the code and the reason with which the server closes the connection.
    fn ended(mut self) -> (CloseCode, String) {
        loop {
            match self.socket.read() {
                Ok(Message::Close(Some(why))) => return (why.code, why.reason.to_string()),
                Ok(Message::Close(None)) => panic!("it says nothing of why"),
                Ok(_) => {}
                Err(error) => panic!("it ends without a word: {error}"),
            }
        }
    }

    /// Disconnects, and waits until the place is free.
    fn leave(mut self) {
        self.socket.close(None).unwrap();
        while self.socket.read().is_ok() {}
    }
}

/// Returns the status and the message with which a URL is rejected.
fn refused(request: impl IntoClientRequest) -> (u16, String) {
    let refused = connect(request).unwrap_err();
    let Error::Http(answer) = refused else { panic!("{refused}") };
    let words = String::from_utf8_lossy(answer.body().as_deref().unwrap_or_default()).into_owned();
    (answer.status().as_u16(), words)
}

/// Returns a text in lower case and without punctuation.
fn plain(text: &Value) -> String {
    text.as_str().unwrap().to_lowercase().replace(['.', ',', '!'], "")
}

fn doing(served: &Served, what: &str) {
    served.until("/api/v1/state", |state| state["doing"] == what);
}

#[test]
fn spoken_command_is_recognised_executed_and_answered_aloud() {
    let served = served("");
    let mut line = Line::open(&served, &format!("rate={RATE}&session=evening"));
    line.say("look left");
    let heard = line.event("heard");
    assert_eq!(plain(&heard["means"]), "look left", "{heard}");
    assert_eq!(heard["interpretation"], heard["means"], "{heard}");
    assert!(heard["ended_s"].as_f64() > heard["began_s"].as_f64(), "{heard}");
    let reply = line.event("reply");
    assert_eq!(reply["data"]["outcome"], "done", "{reply}");
    let yaw = served.value("/api/v1/state")["posture"]["yaw_deg"].as_f64().unwrap();
    assert!(yaw > 10.0, "it looks {yaw} degrees to the left");
    let answer = line.event("answer");
    assert_eq!(answer["text"], reply["data"]["text"]);
    let speaking = line.event("speaking");
    line.until(|reported| reported["event"] == "state" && reported["state"] == "listening");
    let lasts: f64 = line.reported.iter().filter_map(|reported| reported["lasts_s"].as_f64()).sum();
    let came = line.sound.len() as f64 / 24_000.0;
    assert!(lasts > 0.4 && (came - lasts).abs() < 0.1, "{came} of {lasts} s came: {speaking}");
    assert!(line.sound.iter().any(|sample| sample.unsigned_abs() > 2000), "it is silent");
    let names: Vec<&str> = line.reported.iter().map(|reported| reported["event"].as_str().unwrap()).collect();
    let position =
        |name: &str| names.iter().position(|one| *one == name).unwrap_or_else(|| panic!("{names:?}"));
    let order =
        ["partial", "heard", "said", "plan", "begun", "step", "reply", "answer", "speaking"].map(position);
    assert!(order.is_sorted(), "{names:?}");
    let states: Vec<&str> = line.reported.iter().filter_map(|reported| reported["state"].as_str()).collect();
    assert_eq!(states, ["listening", "thinking", "speaking", "listening"]);

    // The session is stored and continued like a chat.
    let session = served.value("/api/v1/sessions/evening");
    assert!(session.to_string().contains("look left"), "{session}");

    // The robot does not speak when the client asks for no audio.
    line.leave();
    let mut line = Line::open(&served, &format!("rate={RATE}&speak=false"));
    line.say("look right");
    let reply = line.event("reply");
    assert_eq!(reply["data"]["outcome"], "done", "{reply}");
    assert_eq!(line.event("answer")["text"], reply["data"]["text"]);
    line.until(|reported| reported["event"] == "state" && reported["state"] == "listening");
    assert!(line.sound.is_empty(), "{} samples came", line.sound.len());
}

#[test]
fn commands_need_the_wake_word_when_configured() {
    let served = served("voice: {wake_word_mode: always}\n");
    let mut line = Line::open(&served, &format!("rate={RATE}&wake=true&speak=false"));
    line.say("look left");
    assert_eq!(line.event("ignored")["why"], "the robot was not called");
    line.say("hey reachy, look left");
    assert_eq!(plain(&line.event("said")["data"]["text"]), "look left");
    assert_eq!(line.event("reply")["data"]["outcome"], "done");
}

#[test]
fn stop_ends_any_motion_whether_spoken_or_sent() {
    let served = served("");
    let mut line = Line::open(&served, &format!("rate={RATE}"));
    let dance = json!({ "text": "dance for 40 seconds" }).to_string();

    let _other = served.begin("POST /api/v1/chat", &dance);
    doing(&served, "playing");
    line.say("stop");
    let stop = line.event("stop");
    assert_eq!(stop["word"], "stop");
    doing(&served, "holding");
    // It is answered like any sentence, after the others.
    let reply = line.event("reply");
    assert!(reply["data"]["text"].as_str().unwrap().starts_with("Stopped"), "{reply}");

    let _other = served.begin("POST /api/v1/chat", &dance);
    doing(&served, "playing");
    line.send(&json!({ "type": "stop" }));
    let stopped = line.until(|reported| reported["type"] == "stopped");
    assert_eq!(stopped["doing"], "holding", "{stopped}");

    // The robot's own answer ends too: motion and speech.
    line.say("wiggle your antennas");
    doing(&served, "playing");
    line.send(&json!({ "type": "stop" }));
    let reply = line.event("reply");
    assert_eq!(reply["data"]["outcome"], "stopped", "{reply}");
    line.listens();
    // The next sentence is executed.
    line.say("look up");
    let reply = line.event("reply");
    assert_eq!(reply["data"]["outcome"], "done", "{reply}");
    line.event("speaking");
    line.send(&json!({ "type": "stop" }));
    line.event("cut");
    line.sound.clear();
    line.until(|reported| reported["type"] == "stopped");
    line.send(&json!({ "type": "ping", "sent": 1 }));
    line.until(|reported| reported["type"] == "pong");
    assert!(line.sound.len() < 4800, "{} samples come after the cut", line.sound.len());

    // A client that disconnects stops the motion that it started.
    line.listens();
    line.say("wiggle your antennas");
    doing(&served, "playing");
    line.leave();
    doing(&served, "holding");
    let journal = served.value("/api/v1/journal?kind=message").to_string();
    assert!(journal.contains("stop by voice") && journal.contains("stop over the voice"), "{journal}");
}

#[test]
fn next_utterance_answers_a_question() {
    let served = served("");
    let made = json!({ "text": "make a tool that wiggles your antennas" });
    let (status, first) = served.post("/api/v1/chat", &made);
    assert_eq!((status, &first["outcome"]), (200, &json!("done")), "{first}");
    let mut line = Line::open(&served, &format!("rate={RATE}"));
    line.say("make a tool that wiggles your antennas");
    let question = line.event("question");
    // The question is recognised to its end.
    line.until(|reported| reported["state"] == "listening");
    assert!(!line.sound.is_empty(), "it is asked without a voice: {question}");
    line.say("use it");
    let reply = line.event("reply");
    assert_eq!(reply["data"]["outcome"], "done", "{reply}");
    assert!(
        !reply["data"]["text"].as_str().unwrap().contains("assumed"),
        "the answer was not heard: {reply}"
    );
    let said = line.reported.iter().filter(|reported| reported["event"] == "said").count();
    assert_eq!(said, 1, "the answer is taken for a sentence of its own: {:#?}", line.reported);
    line.event("speaking");
}

#[test]
fn impossible_voice_requests_are_rejected_with_a_message() {
    let served = served("");
    let address = format!("ws://{}/api/v1/voice", served.address);
    for (query, word) in [
        ("rate=7999", "8000"),
        ("rate=96001", "96000"),
        ("rate=fast", "rate"),
        ("speak=perhaps", "speak"),
        ("session=a/b", "session"),
        ("volume=1", "volume"),
    ] {
        let (status, words) = refused(format!("{address}?{query}"));
        assert!(status == 422 && words.contains(word), "{query}: {status} {words}");
    }
    assert_eq!(served.get("/api/v1/voice").0, 400, "this is no WebSocket");

    let (mut one, mut two) = (Line::open(&served, "speak=false"), Line::open(&served, "speak=false"));
    let (status, words) = refused(address.as_str());
    assert!(status == 409 && words.contains("others talk with the robot"), "{status} {words}");
    // A page cannot read why its WebSocket was rejected. It may send a plain request instead.
    let (status, words) = served.get("/api/v1/voice");
    assert!(status == 409 && words.to_string().contains("others talk with the robot"), "{status} {words}");
    for word in [json!({ "type": "dance" }), json!([1])] {
        one.send(&word);
        let refused = one.until(|reported| reported["type"] == "refused");
        assert!(refused["why"].as_str().unwrap().contains("send samples"), "{refused}");
    }
    one.send(&json!({ "type": "ping", "sent": [1, "x"] }));
    assert_eq!(one.until(|reported| reported["type"] == "pong")["sent"], json!([1, "x"]));

    one.socket.send(Message::binary(vec![0; 4001])).unwrap();
    let (code, why) = one.ended();
    assert!(code == CloseCode::Invalid && why.contains("even number"), "{code} {why}");
    two.socket.send(Message::binary(vec![0; 70_000])).unwrap();
    let (code, why) = two.ended();
    assert!(code == CloseCode::Size && why.contains("64 kB"), "{code} {why}");

    // Their places are free again.
    let seated = || connect(format!("{address}?speak=false")).ok().map(|(socket, _)| socket);
    let found = (0..200).find_map(|_| {
        std::thread::park_timeout(Duration::from_millis(25));
        seated()
    });
    assert!(found.is_some(), "the seats stay taken");
}

#[test]
fn missing_voice_models_are_named() {
    let served = Served::on(TestDir::configured("models: {directory: none}\n"));
    let (status, words) = refused(format!("ws://{}/api/v1/voice", served.address));
    assert!(status == 409 && words.contains("make models"), "{status} {words}");
}

#[test]
fn voice_requires_a_role_and_the_same_origin() {
    let bench = TestDir::configured(
        "server: {anonymous_role: none}\nbus: {reply_timeout_ms: 50, watchdog_ms: 2000}\n",
    );
    let made = bench.run(&["token", "add", "eve", "--role", "viewer", "--json"]).exits(0).json();
    let served = Served::on(bench);
    let address = format!("ws://{}/api/v1/voice", served.address);
    assert_eq!(refused(address.as_str()).0, 401);
    let with = |header: &'static str, value: &str| {
        let mut request = address.as_str().into_client_request().unwrap();
        request.headers_mut().insert(header, value.parse().unwrap());
        refused(request)
    };
    let token = made["token"].as_str().unwrap();
    let (status, words) = with("authorization", &format!("Bearer {token}"));
    assert!(status == 403 && words.contains("operator"), "{status} {words}");
    let (status, words) = with("sec-websocket-protocol", &format!("minismith, minismith.bearer.{token}"));
    assert!(status == 403 && words.contains("operator"), "{status} {words}");
    assert_eq!(with("origin", "http://evil.example").0, 403);
}

#[test]
fn excessive_audio_is_bounded_and_still_recognised() {
    let served = served("");
    let mut line = Line::open(&served, "rate=96000&speak=false");
    let MaybeTlsStream::Plain(stream) = line.socket.get_ref() else { panic!("no TLS here") };
    stream.set_write_timeout(Some(Duration::from_secs(30))).unwrap();
    let before = served.memory();
    // Noise that is the same in every run.
    let mut dice = 1_u32;
    let piece: Vec<u8> = (0..32_000)
        .flat_map(|_| {
            dice ^= dice << 13;
            dice ^= dice >> 17;
            dice ^= dice << 5;
            ((dice >> 16) as i16 / 16).to_le_bytes()
        })
        .collect();
    // Half a gigabyte is three quarters of an hour of audio.
    for _ in 0..8000 {
        line.socket.send(Message::binary(piece.clone())).unwrap();
    }
    line.send(&json!({ "type": "ping", "sent": "still" }));
    assert_eq!(line.until(|reported| reported["type"] == "pong")["sent"], "still");
    let grown = served.memory().saturating_sub(before);
    assert!(grown < 60 << 20, "{} MB more than before", grown >> 20);
    let reported = line.reported.iter().filter(|reported| reported["event"] == "trouble").count();
    assert!((1..60).contains(&reported), "the loss is told {reported} times");
    line.send(&json!({ "type": "stop" }));
    line.until(|reported| reported["type"] == "stopped");
}
