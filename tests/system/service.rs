//! The service: what it reports to a service manager, and that the robot rests however it ends.
//!
//! The tests are the service manager: they listen at `NOTIFY_SOCKET`, and kill a controller whose watchdog falls silent, as
//! systemd does. The emulated servos live in the test, so they outlive the controller and are judged without the line.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixDatagram;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::Duration;

use firmware_bridge::clock::{Clock, MonotonicClock, Timestamp};
use firmware_bridge::fault::FaultKind;
use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::kinematics::joints_from_posture;
use firmware_bridge::posture::Posture;
use minismith_control::robot::initial_joints;
use minismith_tests::{TestDir, program, workspace};
use mock_robot::faults::{Fault, Faults};
use mock_robot::firmware::{Emulator, EmulatorOptions};
use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, Signal, kill_process};
use rustix::termios::ioctl_tiocnxcl;
use serde_json::json;

use super::cli::send;

/// The watchdog timeout that the service gets.
const WATCHDOG: Duration = Duration::from_secs(2);
/// How long a busy machine may take.
const PATIENCE: Duration = Duration::from_secs(40);
/// A joint slower than this rests, rad/s.
const AT_REST: f64 = 0.02;
/// How far a leg may sag from its commanded position.
const CLOSE: f64 = 0.05;

fn unit() -> String {
    fs::read_to_string(workspace().join("packaging/systemd/minismith.service")).unwrap()
}

/// Returns the only value of a key in the unit.
fn value(key: &str) -> String {
    let unit = unit();
    let mut values = unit.lines().filter_map(|line| line.strip_prefix(key)?.strip_prefix('='));
    let found = values.next().unwrap_or_else(|| panic!("the unit has no {key}=")).to_owned();
    assert_eq!(values.next(), None, "{key}");
    found
}

/// The emulated servos, and the socket of a service manager.
struct Manager {
    bench: TestDir,
    servos: Emulator,
    socket: UnixDatagram,
    clock: MonotonicClock,
    /// Keeps the line open. A killed controller leaves its exclusive lock behind, and this releases it.
    line: OwnedFd,
}

impl Manager {
    fn new() -> Manager {
        let bench = TestDir::new();
        let options =
            EmulatorOptions { link: None, faults: Faults::default(), start: initial_joints(), paced: true };
        let servos = Emulator::start(options).unwrap();
        let line = rustix::fs::open(servos.path(), OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
        let socket = UnixDatagram::bind(bench.path("notify")).unwrap();
        let robot = servos.path().to_str().unwrap().to_owned();
        let keys =
            format!("robot: {robot}\nbus: {{reply_timeout_ms: 50}}\ntools: {{predefined: directory}}\n");
        bench.write("config.yaml", &keys);
        Manager { bench, servos, socket, clock: MonotonicClock::start(), line }
    }

    fn start(&self) -> Service {
        // The service manager starts programs.
        #[allow(clippy::disallowed_methods)]
        let mut command = Command::new(workspace().join(".venv/bin/python"));
        command.arg(workspace().join("tests/support/service/hang.py")).arg(program("minismith"));
        command.args(["serve", "--port", "0"]).current_dir(self.bench.path("."));
        command.env("NOTIFY_SOCKET", self.bench.path("notify"));
        command.env("WATCHDOG_USEC", WATCHDOG.as_micros().to_string());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        let mut id = String::new();
        lines.read_line(&mut id).unwrap();
        let id = Pid::from_raw(id.trim().parse().unwrap()).unwrap();
        Service { input: child.stdin.take(), child, lines, id }
    }

    /// Returns the next message, or none if this time passes without one.
    fn heard(&self, within: Duration) -> Option<String> {
        self.socket.set_read_timeout(Some(within)).unwrap();
        let mut buffer = [0; 4096];
        let length = self.socket.recv(&mut buffer).ok()?;
        Some(String::from_utf8(buffer[..length].to_vec()).unwrap())
    }

    /// Waits for a message with this line, and returns all messages up to it.
    fn hears(&self, line: &str) -> Vec<String> {
        let until = self.clock.now() + PATIENCE;
        let mut all = Vec::new();
        while self.clock.now() < until {
            if let Some(message) = self.heard(Duration::from_millis(200)) {
                let found = message.lines().any(|it| it == line);
                all.push(message);
                if found {
                    return all;
                }
            }
        }
        panic!("{line} was not heard: {all:?}");
    }

    /// Waits until the watchdog's timeout has passed without a sign of life. Returns how long that took.
    fn hears_nothing_for_the_timeout(&self) -> Duration {
        let began = self.clock.now();
        let mut last = began;
        while self.clock.now().since(last) < WATCHDOG {
            assert!(self.clock.now().since(began) < PATIENCE, "the watchdog is served on");
            if self.heard(Duration::from_millis(50)).is_some_and(|it| it.lines().any(|it| it == "WATCHDOG=1"))
            {
                last = self.clock.now();
            }
        }
        self.clock.now().since(began)
    }

    fn pass(&self, time: Duration) -> Timestamp {
        self.clock.wait_until(self.clock.now() + time);
        self.clock.now()
    }

    /// Runs what the unit runs after a stop.
    fn stop_post(&self, result: &str) {
        let command = value("ExecStopPost");
        let script = command.strip_prefix("-/bin/sh -c '").unwrap().strip_suffix('\'').unwrap();
        let script =
            script.replace("$$", "$").replace("/usr/bin/minismith", program("minismith").to_str().unwrap());
        let mut shell = self.bench.shell(&script);
        shell.env("SERVICE_RESULT", result);
        let output = shell.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    fn moves(&self) -> bool {
        self.servos.probe().iter().any(|(_, servo)| servo.velocity.value().abs() > 0.1)
    }

    /// Asserts that nothing moves.
    fn rests(&self) {
        for (joint, servo) in self.servos.probe().iter() {
            assert!(servo.velocity.value().abs() < AT_REST, "{joint} turns: {servo:?}");
        }
    }

    fn torque(&self) -> Joints<bool> {
        self.servos.probe().map(|servo| servo.torque)
    }

    /// Asserts that the head lies and no motor has torque.
    fn lies_released(&self) {
        self.pass(Duration::from_millis(300));
        self.rests();
        assert_eq!(self.torque(), Joints::all(false));
        let low = joints_from_posture(&Posture::sleep()).unwrap();
        let probe = self.servos.probe();
        for leg in Joint::STEWART {
            let off = (probe[leg].position - low[leg]).value().abs();
            assert!(off < CLOSE, "{leg} is {off} rad from its rest position");
        }
    }
}

/// A controller as a service.
struct Service {
    child: Child,
    input: Option<ChildStdin>,
    lines: BufReader<std::process::ChildStdout>,
    id: Pid,
}

impl Service {
    /// Hangs one thread.
    fn hangs(&mut self, thread: &str) {
        writeln!(self.input.as_mut().unwrap(), "{thread}").unwrap();
        let mut answer = String::new();
        self.lines.read_line(&mut answer).unwrap();
        assert_eq!(answer.trim(), "hung");
    }

    /// Waits for its end.
    fn ends(&mut self) {
        drop(self.input.take());
        assert!(self.child.wait().unwrap().success());
    }

    /// Kills it as systemd does: `SIGABRT`, then `SIGKILL`.
    fn is_killed(&mut self, manager: &Manager) {
        kill_process(self.id, Signal::ABORT).unwrap();
        manager.pass(Duration::from_millis(500));
        let _ended_already = kill_process(self.id, Signal::KILL);
        self.ends();
        // A serial port is unlocked by its last close. This one is also open here.
        ioctl_tiocnxcl(&manager.line).unwrap();
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ended_already = self.input.is_some().then(|| kill_process(self.id, Signal::KILL));
        let _reaped_already = self.child.kill().and_then(|()| self.child.wait().map(|_| ()));
    }
}

fn address(messages: &[String]) -> String {
    let all = messages.concat();
    let (_, rest) = all.rsplit_once("STATUS=serving http://").unwrap();
    rest.lines().next().unwrap().split(';').next().unwrap().to_owned()
}

#[test]
fn ready_is_reported_only_after_a_silent_motor_answers() {
    let manager = Manager::new();
    let silence = Duration::from_secs(4);
    manager.servos.inject(Fault::of(FaultKind::Silent).on(Joint::Stewart3).with_duration(silence));
    let answers_at = manager.clock.now() + silence;
    // As `Restart=on-failure` does it.
    let mut starts = 0;
    let mut before = Vec::new();
    loop {
        let mut service = manager.start();
        starts += 1;
        let until = manager.clock.now() + PATIENCE;
        let mut ready = false;
        while manager.clock.now() < until && !ready {
            match manager.heard(Duration::from_millis(100)) {
                Some(message) => {
                    ready = message.lines().any(|line| line == "READY=1");
                    before.push(message);
                }
                None if !service_lives(&service) => break,
                None => {}
            }
        }
        if ready {
            assert!(manager.clock.now() >= answers_at, "ready while a motor is silent: {before:?}");
            assert_eq!(send(&address(&before), "GET /health", &[], "").0, 200);
            kill_process(service.id, Signal::TERM).unwrap();
            manager.hears("STOPPING=1");
            service.ends();
            break;
        }
        assert!(manager.clock.now() < answers_at + PATIENCE, "never ready: {before:?}");
        service.ends();
    }
    assert!(starts > 1, "the first start fails");
    assert!(before.iter().any(|it| it.contains("STATUS=") && it.contains("stewart_3")), "{before:?}");
}

fn service_lives(service: &Service) -> bool {
    let stat = fs::read_to_string(PathBuf::from(format!("/proc/{}/stat", service.id.as_raw_pid())));
    stat.is_ok_and(|stat| !stat.contains(") Z"))
}

#[test]
fn terminated_service_lays_the_head_down_and_releases_torque() {
    let manager = Manager::new();
    let mut service = manager.start();
    let address = address(&manager.hears("READY=1"));
    manager.hears("WATCHDOG=1");
    assert_eq!(manager.torque(), Joints::all(true));
    begin_motion(&manager, &address);
    kill_process(service.id, Signal::TERM).unwrap();
    let stop = manager.clock.now();
    manager.hears("STOPPING=1");
    service.ends();
    let took = manager.clock.now().since(stop);
    let granted: u64 = value("TimeoutStopSec").parse().unwrap();
    assert!(took < Duration::from_secs(granted), "{took:?}");
    manager.lies_released();
    // After a clean stop nothing else opens the robot.
    let arrivals = manager.servos.arrivals();
    manager.stop_post("success");
    assert!(arrivals.try_recv().is_err());
}

/// Starts a long motion and returns while it moves.
fn begin_motion(manager: &Manager, address: &str) {
    let (address, body) = (address.to_owned(), json!({ "text": "nod 20 times by 15 degrees" }).to_string());
    std::thread::spawn(move || {
        // The server may end before it answers.
        let _cut = std::panic::catch_unwind(|| {
            send(&address, "POST /api/v1/chat", &["Content-Type: application/json"], &body)
        });
    });
    let until = manager.clock.now() + PATIENCE;
    while !manager.moves() {
        assert!(manager.clock.now() < until, "nothing moves");
        manager.pass(Duration::from_millis(20));
    }
}

/// Hangs a thread during a motion. The watchdog falls silent, the kill leaves the robot at rest, and the unit's own command
/// lays it down. The next start is ready again.
fn hung_service_is_killed(thread: &str) {
    let manager = Manager::new();
    let mut service = manager.start();
    let address = address(&manager.hears("READY=1"));
    manager.hears("WATCHDOG=1");
    begin_motion(&manager, &address);
    service.hangs(thread);
    let silent = manager.hears_nothing_for_the_timeout();
    assert!(silent < WATCHDOG * 2 + Duration::from_secs(2), "{silent:?}");
    service.is_killed(&manager);
    manager.pass(Duration::from_secs(1));
    manager.rests();
    assert_eq!(manager.torque(), Joints::all(true), "the servos hold the head by themselves");
    manager.stop_post("watchdog");
    manager.lies_released();

    let mut again = manager.start();
    manager.hears("READY=1");
    kill_process(again.id, Signal::TERM).unwrap();
    again.ends();
    manager.lies_released();
}

#[test]
fn hung_control_loop_is_killed_and_the_robot_rests() {
    hung_service_is_killed("control-loop");
}

#[test]
fn hung_server_is_killed_and_the_robot_rests() {
    // The main thread accepts the connections.
    hung_service_is_killed("minismith");
}

#[test]
fn systemd_accepts_the_unit_and_its_exposure_is_low() {
    // The test asks systemd about the unit.
    #[allow(clippy::disallowed_methods)]
    let analyze = |arguments: &[&str]| Command::new("systemd-analyze").args(arguments).output();
    let Ok(version) = analyze(&["--version"]) else {
        println!("skipped: systemd-analyze is not installed");
        return;
    };
    let version = String::from_utf8(version.stdout).unwrap();
    let version: u32 = version.split_whitespace().nth(1).unwrap().parse().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("minismith.service");
    // The program is not installed here, and no manual page is.
    let text =
        unit().replace("/usr/bin/minismith", "/bin/true").replace("Documentation=man:minismith(1)\n", "");
    fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap();
    let verified = analyze(&["verify", path]).unwrap();
    let complaints = String::from_utf8(verified.stderr).unwrap();
    let ours: Vec<&str> = complaints
        .lines()
        .filter(|line| line.contains("minismith.service"))
        // Keys that systemd has since version 254.
        .filter(|line| {
            version >= 254 || !(line.contains("RestartSteps") || line.contains("RestartMaxDelaySec"))
        })
        .collect();
    assert!(ours.is_empty(), "{ours:?}");
    let judged = analyze(&["security", "--offline=true", "--threshold=25", "--no-pager", path]).unwrap();
    let table = String::from_utf8(judged.stdout).unwrap();
    let overall = table.lines().rfind(|line| line.contains("exposure level")).unwrap_or_default().to_owned();
    println!("{overall}");
    assert!(judged.status.success() && !overall.is_empty(), "{table}");
}
