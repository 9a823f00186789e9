//! A controller that serves the mock robot, and requests to it.

use std::net::TcpStream;
use std::path::PathBuf;
use std::time::Duration;

use minismith_tests::{CommandOutput, RunningCommand, TestDir};
use rustix::process::Signal;
use serde_json::Value;
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{WebSocket, connect};

use super::cli::{listening, send};

pub(super) type Socket = WebSocket<MaybeTlsStream<TcpStream>>;

pub(super) struct Served {
    pub(super) bench: TestDir,
    program: RunningCommand,
    pub(super) address: String,
}

/// Starts a controller with the default configuration.
pub(super) fn served() -> Served {
    Served::on(TestDir::new())
}

impl Served {
    pub(super) fn on(bench: TestDir) -> Self {
        Served::with(bench, &[])
    }

    /// Starts a controller with these environment variables.
    pub(super) fn with(bench: TestDir, variables: &[(&str, &str)]) -> Self {
        let mut command = bench.command(&["serve", "--json", "--port", "0"]);
        command.envs(variables.iter().copied());
        let mut program = RunningCommand::from(command);
        let address = listening(&program.line().unwrap());
        Served { bench, program, address }
    }

    /// Starts a controller whose speaker is a file of raw samples, 16 bit, and returns the file's path.
    pub(super) fn with_speaker(bench: TestDir) -> (Self, PathBuf) {
        let played = bench.path("played.raw");
        let devices = format!(
            "pcm.!default {{ type file; slave.pcm {{ type null }}; file \"{}\"; format \"raw\" }}\n",
            played.display()
        );
        let devices = bench.write("asound.conf", &devices);
        (Served::with(bench, &[("ALSA_CONFIG_PATH", devices.to_str().unwrap())]), played)
    }

    /// Returns the number of the controller's process.
    pub(super) fn id(&self) -> u32 {
        self.program.id()
    }

    /// Ends the controller as Ctrl-C does, and returns what it printed.
    pub(super) fn end(self) -> CommandOutput {
        self.program.signal(Signal::INT);
        self.program.end()
    }

    /// Ends the controller as Ctrl-C does, and returns its folder.
    pub(super) fn stop(self) -> TestDir {
        self.program.signal(Signal::INT);
        assert_eq!(self.program.end().code, Some(0));
        self.bench
    }

    /// Kills the controller, and returns its folder.
    pub(super) fn kill(self) -> TestDir {
        self.program.signal(Signal::KILL);
        self.bench
    }

    /// Returns the controller's memory in bytes.
    pub(super) fn memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.program.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10
    }

    pub(super) fn ask(&self, what: &str, body: &str) -> (u16, Value) {
        send(&self.address, what, &["Content-Type: application/json"], body)
    }

    pub(super) fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        self.ask(&format!("POST {path}"), &body.to_string())
    }

    pub(super) fn get(&self, path: &str) -> (u16, Value) {
        self.ask(&format!("GET {path}"), "")
    }

    /// Unwraps a value that must exist.
    pub(super) fn value(&self, path: &str) -> Value {
        let (status, value) = self.get(path);
        assert_eq!(status, 200, "{path}: {value}");
        value
    }

    pub(super) fn socket(&self, path: &str) -> Socket {
        let (socket, _) = connect(format!("ws://{}{path}", self.address)).unwrap();
        let MaybeTlsStream::Plain(stream) = socket.get_ref() else { panic!("no TLS here") };
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        socket
    }

    /// Waits until a condition holds, ten seconds at most.
    pub(super) fn until(&self, path: &str, holds: impl Fn(&Value) -> bool) -> Value {
        self.until_in(400, path, holds)
    }

    /// Waits until a condition holds; asks `tries` times, with 25 milliseconds in between.
    pub(super) fn until_in(&self, tries: u32, path: &str, holds: impl Fn(&Value) -> bool) -> Value {
        for _ in 0..tries {
            let value = self.value(path);
            if holds(&value) {
                return value;
            }
            std::thread::park_timeout(Duration::from_millis(25));
        }
        panic!("{path} stays {}", self.value(path));
    }
}
