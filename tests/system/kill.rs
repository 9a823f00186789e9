//! A controller that is killed during a motion: the servos come to rest near their last goals without it, and the next
//! controller takes over.
//!
//! The emulated servos and the controller are processes of their own. Afterwards rustypot reads the servos through the
//! serial port, as any other program would.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{BufRead, BufReader};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use firmware_bridge::clock::{Clock, MonotonicClock};
use firmware_bridge::joint::{Joint, Joints};
use minismith_control::robot::limits_of;
use minismith_runtime::config::Config;
use rustix::fs::{Mode, OFlags};
use rustix::termios::ioctl_tiocnxcl;
use rustypot::DynamixelProtocolHandler;
use serde_json::Value;
use tempfile::TempDir;

/// How often a kill is tried until it hits the middle of a motion.
const TRIES: usize = 20;
/// How long a motor may move after the last packet: five times the servos' watchdog timeout.
const SETTLE: Duration = Duration::from_secs(1);
/// Encoder counts in one turn.
const COUNTS: f64 = 4096.0;
/// A joint whose goal is this many counts ahead is in motion.
const MOVING: i32 = 4;
/// The value of register 98 when the watchdog has tripped.
const TRIPPED: u8 = 255;

/// A process that ends with its test.
struct Running(Child);

impl Running {
    fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ended_already = self.0.kill();
        let _reaped_already = self.0.wait();
    }
}

// The test kills the controller, which must therefore be a process.
#[allow(clippy::disallowed_methods)]
fn minismith(config: &Path) -> Command {
    let test = std::env::current_exe().unwrap();
    let program = test.ancestors().nth(2).unwrap().join("minismith");
    assert!(program.exists(), "there is no {}: run `make build` first", program.display());
    let mut command = Command::new(program);
    command.arg("--config").arg(config).stdin(Stdio::null());
    command
}

/// Lets real time pass.
fn pass(time: Duration) {
    let clock = MonotonicClock::start();
    clock.wait_until(clock.now() + time);
}

/// What one servo reports.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Servo {
    watchdog: u8,
    goal: i32,
    present: i32,
}

impl Servo {
    fn behind(self) -> i32 {
        self.goal - self.present
    }
}

/// Emulated servos in a process of their own.
struct Servos {
    process: Running,
    port: PathBuf,
    config: PathBuf,
    /// The line, held open without reading from it. A killed process leaves its exclusive lock behind, and this
    /// releases it.
    line: OwnedFd,
    _folder: TempDir,
}

impl Servos {
    fn start(faults: &str) -> Servos {
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("config.yaml");
        // Longer than the servos need, since other tests share the processor.
        std::fs::write(&config, "bus: {reply_timeout_ms: 1000}\ntools: {predefined: directory}\n").unwrap();
        let port = folder.path().join("port");
        let faults = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases/faults").join(faults);
        let mut command = minismith(&config);
        command.arg("mock").arg("--link").arg(&port).arg("--faults").arg(faults);
        let mut process = Running(command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap());
        let mut printed = String::new();
        BufReader::new(process.0.stdout.take().unwrap()).read_line(&mut printed).unwrap();
        assert_eq!(Path::new(printed.trim()), port.canonicalize().unwrap());
        let line = rustix::fs::open(&port, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
        Servos { process, port, config, line, _folder: folder }
    }

    fn say(&self, text: &str) -> Command {
        let mut command = minismith(&self.config);
        command.args(["say", text, "--json", "--robot"]).arg(&self.port);
        command
    }

    /// Runs a sentence and returns its answer.
    fn hears(&self, text: &str) -> Value {
        let Output { status, stdout, stderr } = self.say(text).output().unwrap();
        let (said, complaint) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
        assert!(status.success(), "{text}: {status} {said} {complaint}");
        serde_json::from_str(&said).unwrap()
    }

    /// Starts a sentence and kills the controller after this time.
    fn hears_and_is_abandoned(&self, text: &str, after: Duration) {
        // On a busy machine the servos may answer too late for a controller, which then does not begin.
        for _ in 0..5 {
            let mut controller =
                Running(self.say(text).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
            pass(after);
            let is_over = controller.0.try_wait().unwrap().is_some();
            controller.kill();
            if !is_over {
                ioctl_tiocnxcl(&self.line).unwrap();
                return;
            }
        }
        panic!("`{text}` is over before {after:?}");
    }

    /// Reads the servos' registers. Nothing is written to them.
    fn look(&self) -> Joints<Servo> {
        let port = self.port.to_str().unwrap();
        let mut line = serialport::new(port, 1_000_000).timeout(Duration::from_secs(2)).open().unwrap();
        // Responses that the killed controller never read. The last ones may still be on their way.
        pass(Duration::from_millis(30));
        line.clear(serialport::ClearBuffer::Input).unwrap();
        let ids = Joint::ALL.map(Joint::motor_id);
        let bus = DynamixelProtocolHandler::v2();
        let mut read = |address, width| bus.sync_read(line.as_mut(), &ids, address, width).unwrap();
        let (watchdogs, goals, presents) = (read(98, 1), read(116, 4), read(132, 4));
        let number = |bytes: &[u8]| i32::from_le_bytes(bytes.try_into().unwrap());
        Joints::from_fn(|joint| Servo {
            watchdog: watchdogs[joint.index()][0],
            goal: number(&goals[joint.index()]),
            present: number(&presents[joint.index()]),
        })
    }

    /// Kills a controller in the middle of a sentence. `in_the_middle` classifies each try: too early, right or too
    /// late. Returns the servos' registers just afterwards, before their watchdogs tripped.
    fn killed(
        &self,
        before: &str,
        text: &str,
        in_the_middle: impl Fn(&Joints<Servo>, &Joints<Servo>) -> std::cmp::Ordering,
    ) -> Joints<Servo> {
        let step = Duration::from_millis(100);
        let mut after = Duration::from_millis(700);
        for _ in 0..TRIES {
            self.hears(before);
            let start = self.look();
            self.hears_and_is_abandoned(text, after);
            let left = self.look();
            if left.iter().any(|(_, servo)| servo.watchdog == TRIPPED) {
                continue; // This reading came too late to contain the last goals.
            }
            match in_the_middle(&start, &left) {
                std::cmp::Ordering::Less => after += step,
                std::cmp::Ordering::Equal => return left,
                std::cmp::Ordering::Greater => after -= step,
            }
        }
        panic!("no kill in {TRIES} hit the middle of `{text}`");
    }

    /// Asserts that each joint rests within one cycle's travel of its last goal, and that all watchdogs have tripped.
    fn rests_at(&self, left: &Joints<Servo>) -> Joints<Servo> {
        pass(SETTLE);
        let rest = self.look();
        pass(SETTLE / 4);
        let again = self.look();
        assert_eq!(rest, again, "at rest");
        let config = Config::load(Some(&self.config)).unwrap();
        let limits = limits_of(&config);
        for (joint, servo) in rest.iter() {
            let radians = limits.joints[joint].max_velocity.value() * config.rate.period().as_secs_f64();
            // Goal and position are both rounded to a count.
            let travel = radians / std::f64::consts::TAU * COUNTS + 1.0;
            let off = servo.present - left[joint].goal;
            eprintln!("{joint}: left {:?}, rests {servo:?}, off by {off} of {travel:.1} counts", left[joint]);
            assert!(
                f64::from(off.abs()) <= travel,
                "{joint}: left with {:?}, rests with {servo:?}",
                left[joint]
            );
            assert_eq!(servo.watchdog, TRIPPED, "{joint}");
        }
        rest
    }

    /// Asserts that the next controller finds the servos and moves them.
    fn obeys_again(&mut self) {
        assert_eq!(self.process.0.try_wait().unwrap(), None, "the servos' process lives on");
        let answer = self.hears("turn left 40 degrees");
        let [step] = answer["steps"].as_array().unwrap().as_slice() else { panic!("{answer}") };
        let angle = |what: &str| step[what]["body_yaw_deg"].as_f64().unwrap();
        assert!((angle("requested") - 40.0).abs() < 0.01 && (angle("achieved") - 40.0).abs() < 1.0, "{step}");
        // It cleared the watchdogs and left them off. Otherwise the servos would have rejected these goals.
        assert!(self.look().iter().all(|(_, servo)| servo.watchdog == 0));
    }
}

/// Kills a controller while the base turns from side to side at the highest speed that the limits permit.
fn killed_in_mid_turn(servos: &Servos, from: &str, to: &str) -> Joints<Servo> {
    let target = (150.0_f64 / 360.0 * COUNTS).round() as i32 * if to == "left" { 1 } else { -1 } + 2048;
    let before = format!("turn {from} 150 degrees in 2.5 seconds");
    let left = servos.killed(&before, &format!("turn {to} 150 degrees in 1.5 seconds"), |start, left| {
        let (start, body) = (start[Joint::BodyYaw].goal, left[Joint::BodyYaw]);
        let share = f64::from(body.goal - start) / f64::from(target - start);
        eprintln!("from {start} to {target}: {share:.2} of the way, {} counts behind", body.behind());
        assert!((0.0..=1.001).contains(&share.abs()), "{share}");
        if share < 0.2 {
            std::cmp::Ordering::Less
        } else if share > 0.8 {
            std::cmp::Ordering::Greater
        } else {
            std::cmp::Ordering::Equal
        }
    });
    // The joint was further from its goal than it may rest, so it moved on after the controller's death.
    assert!(left[Joint::BodyYaw].behind().abs() > 100, "{left:?}");
    left
}

#[test]
fn killed_turn_rests_at_its_last_goal_with_working_watchdogs() {
    let mut servos = Servos::start("healthy.yaml");
    for [from, to] in [["right", "left"], ["left", "right"]] {
        let left = killed_in_mid_turn(&servos, from, to);
        let rest = servos.rests_at(&left);
        // A tripped watchdog makes the present position the goal.
        assert!(rest.iter().all(|(_, servo)| servo.behind().abs() <= 1), "{rest:?}");
        servos.obeys_again();
    }
}

#[test]
fn killed_turn_rests_at_its_last_goal_without_working_watchdogs() {
    let mut servos = Servos::start("watchdog_trips_without_stopping.yaml");
    for [from, to] in [["right", "left"], ["left", "right"]] {
        let left = killed_in_mid_turn(&servos, from, to);
        let rest = servos.rests_at(&left);
        for (joint, servo) in rest.iter() {
            assert_eq!((servo.goal, servo.present), (left[joint].goal, left[joint].goal), "{joint}");
        }
        servos.obeys_again();
    }
}

#[test]
fn killed_legs_and_antennas_rest_at_their_last_goals() {
    for faults in ["healthy.yaml", "watchdog_trips_without_stopping.yaml"] {
        let mut servos = Servos::start(faults);
        for (text, part) in [
            ("nod 20 times by 20 degrees", &Joint::STEWART[..]),
            ("wiggle the antennas 20 times", &[Joint::RightAntenna, Joint::LeftAntenna][..]),
        ] {
            let left = servos.killed("center", text, |_, left| {
                if part.iter().any(|joint| left[*joint].behind().abs() >= MOVING) {
                    std::cmp::Ordering::Equal
                } else {
                    std::cmp::Ordering::Less
                }
            });
            servos.rests_at(&left);
            servos.obeys_again();
        }
    }
}
