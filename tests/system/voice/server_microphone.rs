//! A server that listens with the machine's own microphone, through the function behind `minismith serve --microphone`.
//! The microphone is a file.

use std::sync::Arc;
use std::time::Duration;

use minismith_control::robot::RobotRuntime;
use minismith_dialogue::Parts;
use minismith_dialogue::engine::Engines;
use minismith_dialogue::sink;
use minismith_dialogue::source::File;
use minismith_perception::models::Models;
use minismith_runtime::config::{Config, RobotChoice};
use minismith_tests::{TestDir, workspace};
use minismith_toolchain::workshop::Workshop;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::speech_fixture::{padded, spoken};
use crate::cli::send;

/// A server with a spoken input.
struct Served {
    runtime: Runtime,
    address: String,
    end: oneshot::Sender<()>,
    serving: JoinHandle<std::io::Result<()>>,
    _bench: TestDir,
}

impl Served {
    /// Starts it with these keys of `voice`.
    fn hearing(keys: &str, sentence: &str) -> Served {
        let bench = TestDir::new();
        let stored = |name: &str| bench.path(name).display().to_string();
        let (registry, sessions, journal, traces) =
            (stored("tools"), stored("sessions.sqlite"), stored("journal.jsonl"), stored("traces"));
        let own = format!(
            "voice: {{{keys}}}\ntools: {{predefined: directory, directory: {registry}}}\nmemory: {{file: {sessions}}}\n\
             journal: {{file: {journal}}}\ntraces: {{directory: {traces}}}\n"
        );
        bench.write("config.yaml", &own);
        let config = Config::load(Some(&bench.path("config.yaml"))).unwrap();
        let body = Arc::new(RobotRuntime::open(&RobotChoice::Mock, &config).unwrap());
        let workshop = Workshop::open(&config).unwrap();
        let models = Models::at(workspace().join(".cache/models"));
        let engines = Engines::open(&config.voice, &models, true, workshop.registry()).unwrap();
        let said = padded(&spoken(sentence, "en-us", 160), 0.4, 1.0);
        let source = Box::new(File::of(&said, Duration::from_secs(3600)));
        let parts = Parts { engines, source, sink: Box::new(sink::nowhere()) };
        let runtime = Runtime::new().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (end, ended) = oneshot::channel();
        let until = async { ended.await.unwrap_or_default() };
        let serving = runtime.spawn(async move {
            minismith_server::api::serve(listener, &body, &config, None, Some(parts), until).await
        });
        Served { runtime, address, end, serving, _bench: bench }
    }

    /// Returns the value once the condition holds, or after a minute.
    fn until(&self, path: &str, holds: impl Fn(&Value) -> bool) -> Value {
        let mut value = Value::Null;
        for _ in 0..600 {
            value = send(&self.address, &format!("GET {path}"), &[], "").1;
            if holds(&value) {
                break;
            }
            std::thread::park_timeout(Duration::from_millis(100));
        }
        value
    }

    fn end(self) {
        self.end.send(()).unwrap();
        self.runtime.block_on(self.serving).unwrap().unwrap();
    }
}

fn yaw(state: &Value) -> f64 {
    state["posture"]["yaw_deg"].as_f64().unwrap()
}

#[test]
fn speech_to_a_server_moves_the_robot_and_is_remembered() {
    let served = Served::hearing("wake_word_mode: never", "look left");
    let state = served.until("/api/v1/state", |state| yaw(state) > 15.0);
    assert!(yaw(&state) > 15.0, "{state}");
    let session = served.until("/api/v1/sessions/voice", |session| session.to_string().contains("look"));
    let session = session.to_string().to_lowercase();
    assert!(session.contains("look left"), "{session}");
    served.end();
}

#[test]
fn spoken_stop_on_a_server_is_recorded_for_every_role() {
    let served = Served::hearing("wake_word_mode: never, role: viewer", "please stop");
    let noted = |journal: &Value| {
        let journal = journal.to_string();
        journal.contains("stop by voice") && journal.contains("whoever speaks here")
    };
    let journal = served.until("/api/v1/journal", noted);
    assert!(noted(&journal), "{journal}");
    served.end();
}

#[test]
fn speech_moves_nothing_without_permission_or_wake_word() {
    for keys in ["wake_word_mode: never, role: viewer", "wake_word_mode: once"] {
        let served = Served::hearing(keys, "look left");
        // As long as the sentence takes, and a margin.
        let state = served.until("/api/v1/state", |state| state["beats"].as_u64() > Some(700));
        assert!(yaw(&state).abs() < 1.0, "{keys}: {state}");
        served.end();
    }
}

#[test]
fn server_without_a_microphone_does_not_start() {
    let listen = ["serve", "--robot", "mock", "--port", "0", "--microphone"];
    TestDir::configured("voice: {microphone: none}").run(&listen).is_error(&["there is no microphone"]);
    let bench = TestDir::configured("voice: {microphone: \"plughw:77,0\"}");
    bench.run(&listen).is_error(&["plughw:77,0", "arecord -L"]);
}
