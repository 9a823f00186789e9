//! Real controllers, agents and routers for the tests.

#![allow(dead_code, reason = "each test file uses a part of it")]
#![allow(clippy::disallowed_methods, reason = "tests start the real programs and measure time")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that fails shows where"
)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// Returns the folder of the workspace.
pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}

/// Returns the path of the program `minismith`, built next to this one.
pub fn minismith() -> PathBuf {
    let path = Path::new(env!("CARGO_BIN_EXE_minismith-fleet")).with_file_name("minismith");
    assert!(path.is_file(), "there is no {}: run `cargo build` first", path.display());
    path
}

/// Returns Zenoh's own router; none where it is not installed.
pub fn zenohd() -> Option<PathBuf> {
    let path = workspace().join(".cache/zenohd/bin/zenohd");
    if !path.is_file() {
        println!("skipped: there is no {}; run `make zenohd` first", path.display());
    }
    path.is_file().then_some(path)
}

/// Returns a free port of this computer.
pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Waits until a condition holds.
pub fn until(what: &str, within: Duration, mut condition: impl FnMut() -> bool) -> Duration {
    let began = Instant::now();
    while !condition() {
        assert!(began.elapsed() < within, "{what} took longer than {within:?}");
        std::thread::park_timeout(Duration::from_millis(20));
    }
    began.elapsed()
}

/// A program that ends with its owner.
pub struct Running(pub Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _killed = self.0.kill();
        let _ended = self.0.wait();
    }
}

impl Running {
    /// Kills it, as a failure of power would.
    pub fn kill(mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }

    /// Sends a signal by the name that `kill` knows.
    pub fn signal(&self, signal: &str) {
        let id = self.0.id().to_string();
        assert!(Command::new("kill").args([&format!("-{signal}"), &id]).status().unwrap().success());
    }

    /// Returns the resident memory, bytes, and the processor time, seconds.
    pub fn usage(&self) -> (u64, f64) {
        let id = self.0.id();
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        let memory = line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10;
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap();
        let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
        let ticks: f64 = fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap();
        (memory, ticks / 100.0)
    }
}

/// A fleet on this computer: a router, and a folder.
pub struct Fleet {
    pub folder: TempDir,
    pub port: u16,
    /// The endpoint that members connect to.
    pub endpoint: String,
    pub router: Option<Running>,
}

impl Fleet {
    /// Starts Zenoh's own router without certificates; none where it is not installed.
    pub fn on_zenohd() -> Option<Fleet> {
        let port = free_port();
        let mut fleet = Fleet {
            folder: tempfile::tempdir().unwrap(),
            port,
            endpoint: format!("tcp/127.0.0.1:{port}"),
            router: None,
        };
        fleet.start_router()?;
        Some(fleet)
    }

    /// Starts the router, also again.
    pub fn start_router(&mut self) -> Option<()> {
        let config = format!(
            r#"{{mode: "router", listen: {{endpoints: ["{}"]}}, scouting: {{multicast: {{enabled: false}}}},
                transport: {{link: {{tx: {{lease: 2000}}}}}}}}"#,
            self.endpoint
        );
        let file = self.folder.path().join("router.json5");
        std::fs::write(&file, config).unwrap();
        self.start_zenohd(&file)
    }

    /// Starts the router with a configuration file.
    pub fn start_zenohd(&mut self, config: &Path) -> Option<()> {
        let mut command = Command::new(zenohd()?);
        command.arg("--config").arg(config).stdin(Stdio::null()).stdout(Stdio::null());
        if std::env::var_os("RUST_LOG").is_none() {
            command.stderr(Stdio::null());
        }
        self.router = Some(Running(command.spawn().unwrap()));
        let port = self.port;
        until("the router", Duration::from_secs(20), || TcpStream::connect(("127.0.0.1", port)).is_ok());
        Some(())
    }

    /// Runs `minismith-fleet` as an operator.
    pub fn run(&self, arguments: &[&str]) -> Output {
        operator(self.folder.path(), &self.endpoint, arguments)
    }

    /// Runs a command with `--json` and returns its document and exit code.
    pub fn json(&self, arguments: &[&str]) -> (Value, i32) {
        json_of(&self.run(&[arguments, &["--json"]].concat()))
    }

    /// Returns the robots that are present, and their statuses.
    pub fn robots(&self) -> Vec<(String, Value)> {
        let (list, _) = self.json(&["list"]);
        let robots = list["robots"].as_array().unwrap().clone();
        robots
            .into_iter()
            .map(|robot| (robot["name"].as_str().unwrap().to_owned(), robot["status"].clone()))
            .collect()
    }

    /// Returns the status of a robot; null if it is not present.
    pub fn status(&self, robot: &str) -> Value {
        self.robots()
            .into_iter()
            .find(|(name, _)| name == robot)
            .map(|(_, status)| status)
            .unwrap_or_default()
    }
}

/// Runs `minismith-fleet` as an operator without an identity.
pub fn operator(folder: &Path, endpoint: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_minismith-fleet"));
    command.args(["--folder", folder.to_str().unwrap(), "--router", endpoint, "--as", "anna"]);
    command.args(arguments).stdin(Stdio::null()).output().unwrap()
}

pub fn json_of(output: &Output) -> (Value, i32) {
    let text = String::from_utf8_lossy(&output.stdout);
    let document = serde_json::from_str(&text).unwrap_or_else(|_| {
        panic!("no document: {text}\nstderr: {}", String::from_utf8_lossy(&output.stderr))
    });
    (document, output.status.code().unwrap())
}

/// Returns how a command ended for each robot.
pub fn outcomes(document: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let replies = document["replies"].as_array().unwrap();
    replies.iter().map(|reply| (text(&reply["robot"]), text(&reply["outcome"]))).collect()
}

/// A controller of a simulated robot, and its agent.
pub struct Robot {
    pub folder: TempDir,
    pub name: String,
    /// Where its controller serves.
    pub address: String,
    pub controller: Option<Running>,
    pub agent: Option<Running>,
}

/// Timeouts are long, since other tests share the processor.
const CONFIG: &str =
    "bus: {reply_timeout_ms: 50, watchdog_ms: 2000}\ncompat: {webrtc: \"off\"}\nserver: {mdns: false}\n";

impl Robot {
    /// Starts a controller.
    pub fn start(name: &str, keys: &str) -> Robot {
        let folder = tempfile::tempdir().unwrap();
        let python = workspace().join(".venv/bin/python");
        let config = format!(
            "tool_host: {{python: {}}}\ntools: {{predefined: directory}}\n{CONFIG}{keys}",
            python.display()
        );
        std::fs::write(folder.path().join("config.yaml"), config).unwrap();
        let mut robot =
            Robot { folder, name: name.to_owned(), address: String::new(), controller: None, agent: None };
        robot.start_controller("0");
        robot
    }

    fn position(&self, command: &mut Command) {
        command.current_dir(self.folder.path()).stdin(Stdio::null());
        command.env("XDG_CONFIG_HOME", self.folder.path().join(".config"));
        command.env("XDG_DATA_HOME", self.folder.path().join(".share"));
        command.env_remove("MINISMITH_TOKEN");
    }

    /// Starts the controller at a port, also again.
    pub fn start_controller(&mut self, port: &str) {
        let mut command = Command::new(minismith());
        command.args(["--config", "config.yaml", "serve", "--robot", "mock", "--json", "--port", port]);
        self.position(&mut command);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let line = first_line(&mut child);
        let served: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line}"));
        self.controller = Some(Running(child));
        self.address = served["listening"].as_str().unwrap_or_else(|| panic!("{line}")).to_owned();
    }

    /// Runs `minismith` with the configuration of this robot.
    pub fn minismith(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(minismith());
        command.args(["--config", "config.yaml"]).args(arguments);
        self.position(&mut command);
        command.output().unwrap()
    }

    /// Adds the tool `peek_left`.
    pub fn add_peek_left(&self) {
        let tool = r#"from motion import head
def peek_left(times: int = 1) -> int:
    """Looks left and back."""
    for _ in range(times):
        head(left=15, seconds=0.6)
        head(seconds=0.6)
    return times
"#;
        std::fs::write(self.folder.path().join("peek_left.py"), tool).unwrap();
        let added = self.minismith(&["tool", "add", "peek_left.py", "--json"]);
        assert!(added.status.success(), "{}", String::from_utf8_lossy(&added.stdout));
    }

    /// Starts the agent.
    pub fn join(&mut self, endpoint: &str, more: &[&str]) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_minismith-fleet"));
        let folder = self.folder.path().join("fleet");
        command.args(["--folder", folder.to_str().unwrap(), "--router", endpoint, "join", &self.name]);
        command
            .args(["--url", &format!("http://{}", self.address), "--config", "config.yaml", "--json"])
            .args(more);
        self.position(&mut command);
        let log = std::fs::File::options().create(true).append(true).open(self.log_file()).unwrap();
        let mut child = command.stdout(Stdio::piped()).stderr(log).spawn().unwrap();
        let line = first_line(&mut child);
        assert!(line.contains("joined"), "{line}{}", self.log());
        self.agent = Some(Running(child));
    }

    pub fn log_file(&self) -> PathBuf {
        self.folder.path().join("agent.log")
    }

    /// Returns what the agent logged.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.log_file()).unwrap_or_default()
    }

    /// Sends a request to the controller and returns the status and the document.
    pub fn request(&self, method: &str, path: &str, body: &str) -> (u16, Value) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let head = format!(
            "{method} {path} HTTP/1.0\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, serde_json::from_str(body).unwrap_or_default())
    }

    pub fn get(&self, path: &str) -> Value {
        self.request("GET", path, "").1
    }

    /// Returns the angle that the head is turned by, degrees.
    pub fn yaw_deg(&self) -> f64 {
        self.get("/api/v1/state").pointer("/posture/yaw_deg").and_then(Value::as_f64).unwrap()
    }

    /// Returns how many motions were commanded: entries of the journal that moved the robot.
    pub fn is_at_rest(&self) -> bool {
        self.get("/api/v1/state")["motion_state"] == "holding"
    }
}

/// Reads the first line of a program's output; the rest is read and forgotten, so that the program never waits.
fn first_line(child: &mut Child) -> String {
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    std::thread::spawn(move || std::io::copy(&mut output, &mut std::io::sink()));
    line
}

/// Returns the value below which this part of the values lies.
pub fn percentile(values: &mut [f64], part: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let index = ((values.len() as f64 - 1.0) * part).round() as usize;
    values.get(index).copied().unwrap_or(f64::NAN)
}
