//! What the service costs a small computer while nobody asks it for anything: writes to its flash memory, wake-ups of its
//! processors, memory.
//!
//! The controller runs as the service does, with the environment of its unit, on emulated servos behind a serial line.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::time::Duration;

use firmware_bridge::clock::{Clock, MonotonicClock};
use minismith_control::robot::initial_joints;
use minismith_tests::{TestDir, workspace};
use mock_robot::faults::Faults;
use mock_robot::firmware::{Emulator, EmulatorOptions};
use serde_json::json;

use super::cli::{listening, send};

/// The budget of writes of an idle day, bytes.
const WRITTEN_PER_DAY: u64 = 50_000_000;
/// How long the idle controller is watched.
const WATCHED: Duration = Duration::from_secs(10);
/// The budget of memory that is not a page of a file, bytes. The program's own pages depend on how it was built.
const ANONYMOUS: u64 = 40 << 20;

struct Service {
    child: Child,
    address: String,
    bench: TestDir,
    /// Last, so that the line outlives the controller.
    _servos: Emulator,
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Service {
    /// Starts the controller as the unit does, with these keys in its configuration.
    fn start(keys: &str) -> Service {
        let options =
            EmulatorOptions { link: None, faults: Faults::default(), start: initial_joints(), paced: true };
        let servos = Emulator::start(options).unwrap();
        let bench = TestDir::configured(&format!(
            "robot: {}\nbus: {{reply_timeout_ms: 50}}\n{keys}",
            servos.path().display()
        ));
        let unit = fs::read_to_string(workspace().join("packaging/systemd/minismith.service")).unwrap();
        let variables = unit.lines().filter_map(|line| line.strip_prefix("Environment=")?.split_once('='));
        let mut command = bench.command(&["serve", "--json", "--port", "0"]);
        command.envs(variables).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Service { address: listening(&line), child, bench, _servos: servos }
    }

    fn file(&self, name: &str) -> String {
        fs::read_to_string(format!("/proc/{}/{name}", self.child.id())).unwrap()
    }

    /// Returns the bytes that this process has caused to be written to a disk.
    fn written(&self) -> u64 {
        let io = self.file("io");
        io.lines().find_map(|line| line.strip_prefix("write_bytes: ")).unwrap().parse().unwrap()
    }

    /// Returns the bytes of memory that are not pages of a file.
    fn anonymous(&self) -> u64 {
        let status = self.file("status");
        let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10
    }

    /// Returns how often each thread has gone to sleep, by its number and name.
    fn sleeps(&self) -> BTreeMap<String, u64> {
        let tasks = fs::read_dir(format!("/proc/{}/task", self.child.id())).unwrap().flatten();
        let counted = tasks.filter_map(|task| {
            let status = fs::read_to_string(task.path().join("status")).ok()?;
            let field =
                |name: &str| Some(status.lines().find_map(|line| line.strip_prefix(name))?.trim().to_owned());
            let name = format!("{} {}", task.file_name().to_string_lossy(), field("Name:")?);
            Some((name, field("voluntary_ctxt_switches:")?.parse().ok()?))
        });
        counted.collect()
    }

    fn ask(&self, text: &str) -> String {
        let body = json!({ "text": text }).to_string();
        let (status, reply) =
            send(&self.address, "POST /api/v1/chat", &["Content-Type: application/json"], &body);
        assert_eq!(status, 200, "{reply}");
        reply["text"].as_str().unwrap().to_owned()
    }

    /// Waits until the anonymous memory is at most this. Returns the last value.
    fn shrinks_to(&self, bytes: u64) -> u64 {
        for _ in 0..600 {
            if self.anonymous() <= bytes {
                break;
            }
            std::thread::park_timeout(Duration::from_millis(50));
        }
        self.anonymous()
    }
}

#[test]
fn idle_service_writes_nothing_and_wakes_only_for_the_robot() {
    let service = Service::start("");
    let clock = MonotonicClock::start();
    // The journal and the sessions of the start are written first.
    assert_eq!(service.ask("stop"), "Stopped: I am at rest.");
    clock.wait_until(clock.now() + Duration::from_secs(3));
    let watch = || {
        let (written, before) = (service.written(), service.sleeps());
        clock.wait_until(clock.now() + WATCHED);
        (service.written() - written, before, service.sleeps())
    };
    let mut watched = watch();
    // On a busy machine, what belongs to the start is written late, but only once.
    for _ in 0..2 {
        if watched.0 > 0 {
            watched = watch();
        }
    }
    let (written, before, after) = watched;
    let per_day = written * 86_400 / WATCHED.as_secs();
    assert!(per_day <= WRITTEN_PER_DAY, "{written} bytes in {WATCHED:?} are {per_day} a day");
    let mut counts = after.iter().map(|(name, count)| (name, count - before.get(name).unwrap_or(&0)));
    let robot: u64 = counts.clone().filter(|(name, _)| name.ends_with(" control-loop")).map(|(_, n)| n).sum();
    assert!(robot > 0, "the control loop runs: {after:?}");
    let others: Vec<_> =
        counts.by_ref().filter(|(name, n)| !name.ends_with(" control-loop") && *n > 0).collect();
    let sum: u64 = others.iter().map(|(_, count)| count).sum();
    println!("{written} bytes written; {robot} sleeps of the control loop, others {others:?}");
    // Ten a second.
    assert!(sum <= WATCHED.as_secs() * 10, "{others:?}");
    let anonymous = service.anonymous();
    assert!(anonymous <= ANONYMOUS, "{anonymous} bytes");
    assert!(service.bench.path(".share/minismith/journal.jsonl").is_file());
}

#[test]
fn idle_detectors_free_their_memory() {
    let models = workspace().join(".cache/models");
    let keys = format!(
        "models: {{directory: {}}}\ncamera: {{source: scene}}\nvision: {{idle_timeout_s: 3}}\n",
        models.display()
    );
    let service = Service::start(&keys);
    let _warm = service.ask("what time is it");
    let before = service.anonymous();
    let seen = service.ask("what do you see");
    assert!(seen.starts_with("I see "), "{seen}");
    let used = service.anonymous();
    // Two detectors with their buffers take tens of megabytes.
    assert!(
        used > before + (8 << 20),
        "detectors are loaded on demand: {before} bytes before, {used} in use"
    );
    let left = service.shrinks_to(before + (used - before) / 2);
    println!("{before} bytes before, {used} in use, {left} after");
    assert!(left <= before + (used - before) / 2, "{before} bytes before, {used} in use, {left} left");
    // And it works again.
    assert_eq!(service.ask("what do you see"), seen);
}
