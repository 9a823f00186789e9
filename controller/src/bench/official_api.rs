//! The official API: latency, rate and regularity of both sides, and their cost.
//!
//! Both sides run as servers in processes of their own with their own mock robots: `minismith serve --robot mock`, and
//! the official daemon's `--mockup-sim` without media, wake-up and telemetry. They receive the same requests from the
//! same clients, which run next to them on the same processors.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::process::Child;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use firmware_bridge::clock::{Clock, MonotonicClock, Timestamp};
use serde_json::Value;

use super::baseline::{end, environment};
use super::jitter::{awake, free_port};
use super::rounds::{Medians, quantile, take_turns};
use super::row::{Better, Row};
use super::{BenchContext, Failed};
use minismith_runtime::net::loopback_client::{EventStream, LocalSession};
use minismith_runtime::subprocess::{self, Program};

const PEER: &str = "reachy-mini-daemon 1.13.0, mock-up";

pub(super) const NAMES: [&str; 14] = [
    "start",
    "memory",
    "idle_cpu",
    "rest_rps_1",
    "rest_p50_1",
    "rest_p99_1",
    "rest_rps_8",
    "rest_p50_8",
    "rest_p99_8",
    "ws_50hz",
    "ws_200hz",
    "ws_500hz",
    "set_target_latency",
    "goto_jitter_p99_loaded",
];

/// The timeout for a server's first response.
const START_TIMEOUT: Duration = Duration::from_secs(60);
/// The settling time of each side before the measurement.
const SETTLING_TIME: Duration = Duration::from_secs(2);
/// The polling interval for a server that starts, and for one that moves.
const POLL_INTERVAL: Duration = Duration::from_millis(1);
const STATE: &str = "GET /api/state/full";

/// Which side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Contender {
    Ours,
    Theirs,
}

/// A server in a process of its own. It ends when dropped.
pub(super) struct Server {
    side: Contender,
    child: Child,
    port: u16,
    home: PathBuf,
}

impl Server {
    /// Starts one and waits for its first response. Returns how long that took.
    pub(super) fn start(
        context: &BenchContext<'_>,
        side: Contender,
        clock: &MonotonicClock,
    ) -> Result<(Server, f64), Failed> {
        let port = free_port()?;
        let home = std::env::temp_dir().join(format!("minismith-bench-{}-{port}", std::process::id()));
        fs::create_dir_all(&home).map_err(|error| Failed::at("a folder")(&error))?;
        let (path, arguments) = match side {
            Contender::Ours => (std::env::current_exe().ok(), ours(port)),
            Contender::Theirs => (context.baselines.daemon.clone(), theirs(port, &home)),
        };
        let path = path.ok_or_else(|| Failed("there is no such program".into()))?;
        let mut environment = environment();
        environment.retain(|(name, _)| *name != "HOME");
        environment.push(("HOME", home.display().to_string()));
        for quiet in ["DO_NOT_TRACK", "HF_HUB_OFFLINE", "HF_HUB_DISABLE_TELEMETRY"] {
            environment.push((quiet, "1".into()));
        }
        let input = fs::File::open("/dev/null").map_err(|error| Failed::at("a server")(&error))?.into();
        let began = clock.now();
        let child = subprocess::start(Program { path, arguments, environment, input })
            .map_err(|error| Failed::at("a server")(&error))?;
        let server = Server { side, child, port, home };
        let until = began + START_TIMEOUT;
        loop {
            if LocalSession::begin(port)
                .and_then(|mut talk| Ok(talk.ask(STATE, "")?.0))
                .is_ok_and(|status| status == 200)
            {
                return Ok((server, clock.now().since(began).as_secs_f64() * 1e3));
            }
            if clock.now() > until {
                return Err(Failed("it never answered".into()));
            }
            clock.wait_until(clock.now() + POLL_INTERVAL);
        }
    }

    /// Returns its address on this machine.
    pub(super) const fn port(&self) -> u16 {
        self.port
    }

    fn talk(&self) -> Result<LocalSession, Failed> {
        LocalSession::begin(self.port).map_err(|error| Failed::at("connecting")(&error))
    }

    /// Returns its own process and all its descendants.
    fn processes(&self) -> Vec<u32> {
        let mut known = vec![self.child.id()];
        let mut next = 0;
        while let Some(process) = known.get(next) {
            let tasks = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
            let children = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
            let children: Vec<u32> = children
                .flat_map(|line| {
                    line.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>()
                })
                .collect();
            known.extend(children);
            next += 1;
        }
        known
    }

    /// Returns the resident megabytes.
    fn memory(&self) -> f64 {
        let resident = |process: &u32| {
            let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
            let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
            line.split_whitespace().next()?.parse::<f64>().ok()
        };
        self.processes().iter().filter_map(resident).sum::<f64>() / 1024.0
    }

    /// Returns the processor time so far, seconds.
    fn processor(&self) -> f64 {
        let spent = |process: &u32| {
            let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
            // The name in the second field may contain anything; user and system time are the 14th and 15th.
            let fields: Vec<f64> = stat
                .rsplit_once(')')?
                .1
                .split_whitespace()
                .skip(11)
                .take(2)
                .filter_map(|field| field.parse().ok())
                .collect();
            Some(fields.iter().sum::<f64>())
        };
        self.processes().iter().filter_map(spent).sum::<f64>()
            / rustix::param::clock_ticks_per_second() as f64
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        end(&mut self.child);
        let _ = fs::remove_dir_all(&self.home);
    }
}

fn ours(port: u16) -> Vec<OsString> {
    ["serve", "--robot", "mock", "--port", &port.to_string()].map(Into::into).into()
}

/// The official daemon, which records in a file when a move sets its next target: one line before its own function.
fn theirs(port: u16, home: &std::path::Path) -> Vec<OsString> {
    const NOTING: &str = "
import os, sys, time
ticks = os.open(sys.argv.pop(1), os.O_WRONLY | os.O_APPEND | os.O_CREAT)
log = os.open(os.devnull, os.O_WRONLY)
os.dup2(log, 1), os.dup2(log, 2)
from reachy_mini.daemon.app.main import main
from reachy_mini.daemon.backend.abstract import Backend
set_pose = Backend.set_target_head_pose
def noting(self, *arguments, **names):
    os.write(ticks, time.monotonic_ns().to_bytes(8, 'little'))
    return set_pose(self, *arguments, **names)
Backend.set_target_head_pose = noting
main()
";
    let port = port.to_string();
    let words = [
        "--mockup-sim",
        "--no-media",
        "--no-wake-up-on-start",
        "--no-goto-sleep-on-stop",
        "--dataset-update-interval",
        "0",
        "--fastapi-port",
        &port,
    ];
    let mut arguments: Vec<OsString> = vec!["-c".into(), NOTING.into(), home.join("ticks").into()];
    arguments.extend(words.map(Into::into));
    arguments
}

/// One measurement of a server.
type Probe = fn(&BenchContext<'_>, &Server, &MonotonicClock) -> Result<Vec<f64>, Failed>;

/// Several measurements of a server at once.
struct Trial {
    rows: &'static [(&'static str, &'static str, Better)],
    probe: Probe,
    note: &'static str,
}

const TRIALS: [Trial; 6] = [
    Trial {
        rows: &[("memory", "MB", Better::Lower), ("idle_cpu", "%", Better::Lower)],
        probe: idle,
        note: "resident, and of one processor, with all processes below it and nobody asking",
    },
    Trial {
        rows: &[
            ("rest_rps_1", "1/s", Better::Higher),
            ("rest_p50_1", "ms", Better::Lower),
            ("rest_p99_1", "ms", Better::Lower),
        ],
        probe: |context, server, clock| asked(context, server, clock, 1),
        note: "GET /api/state/full, one client; processors kept awake for both, where that is allowed",
    },
    Trial {
        rows: &[
            ("rest_rps_8", "1/s", Better::Higher),
            ("rest_p50_8", "ms", Better::Lower),
            ("rest_p99_8", "ms", Better::Lower),
        ],
        probe: |context, server, clock| asked(context, server, clock, 8),
        note: "GET /api/state/full, eight clients at once; processors kept awake for both, where that is allowed",
    },
    Trial {
        rows: &[
            ("ws_50hz", "Hz", Better::Higher),
            ("ws_200hz", "Hz", Better::Higher),
            ("ws_500hz", "Hz", Better::Higher),
        ],
        probe: streamed,
        note: "messages per second of /api/state/ws/full",
    },
    Trial {
        rows: &[("set_target_latency", "ms", Better::Lower)],
        probe: reflected,
        note: "from a target of the antennas to the first state that shows them moving, both over REST",
    },
    Trial {
        rows: &[("goto_jitter_p99_loaded", "ms", Better::Lower)],
        probe: ticks,
        note: "how far the ticks of a move are off their nominal 10 ms while eight clients ask for the state; noted in each side's own process: ours where the cycle begins, theirs where a target is set",
    },
];

pub(super) fn measure(context: &BenchContext<'_>) -> Vec<Row> {
    let clock = MonotonicClock::start();
    let rounds = context.pick(1, 3);
    let mut rows = vec![start(context, &clock, rounds)];
    for trial in TRIALS {
        (context.progress)(&format!("the wire: {}", trial.note));
        let sides = |side: Contender| {
            let clock = &clock;
            let trial = &trial;
            move || -> Result<Vec<f64>, Failed> {
                let (server, _) = Server::start(context, side, clock)?;
                clock.wait_until(clock.now() + SETTLING_TIME);
                (trial.probe)(context, &server, clock)
            }
        };
        rows.extend(compare(
            context,
            &trial,
            rounds,
            &mut sides(Contender::Ours),
            &mut sides(Contender::Theirs),
        ));
    }
    rows
}

type Round<'a> = dyn FnMut() -> Result<Vec<f64>, Failed> + 'a;

/// Measures both sides in turn, and returns the medians of each of their numbers.
fn compare(
    context: &BenchContext<'_>,
    trial: &Trial,
    rounds: usize,
    ours: &mut Round<'_>,
    theirs: &mut Round<'_>,
) -> Vec<Row> {
    let (mut our_rounds, mut their_rounds) = (Vec::new(), Vec::new());
    let mut broken = None;
    let mut has_peer = context.baselines.daemon.is_some();
    for _ in 0..rounds {
        match ours() {
            Ok(numbers) => our_rounds.push(numbers),
            Err(failed) => {
                broken = Some(failed);
                break;
            }
        }
        if has_peer {
            match theirs() {
                Ok(numbers) => their_rounds.push(numbers),
                Err(failed) => {
                    (context.progress)(&format!("the official side failed: {failed}"));
                    has_peer = false;
                    their_rounds.clear();
                }
            }
        }
    }
    let median = |rounds: &[Vec<f64>], path: usize| {
        let mut numbers: Vec<f64> = rounds.iter().filter_map(|round| round.get(path).copied()).collect();
        quantile(&mut numbers, 0.5)
    };
    let row = |(path, (name, unit, better)): (usize, &(&str, &'static str, Better))| {
        let ours = match &broken {
            Some(failed) => Err(failed.clone()),
            None => median(&our_rounds, path).ok_or_else(|| Failed("nothing was seen".into())),
        };
        Row::alone(name, unit, ours).against(PEER, median(&their_rounds, path), *better).noting(trial.note)
    };
    trial.rows.iter().enumerate().map(row).collect()
}

fn start(context: &BenchContext<'_>, clock: &MonotonicClock, rounds: usize) -> Row {
    (context.progress)("the wire: from start to the first state");
    let mut ours = || Server::start(context, Contender::Ours, clock).map(|(_, took)| took);
    let mut theirs = || Server::start(context, Contender::Theirs, clock).map(|(_, took)| took);
    let peer: Option<&mut super::rounds::Side<'_>> =
        if context.baselines.daemon.is_some() { Some(&mut theirs) } else { None };
    let Medians { ours, theirs } = take_turns(context, rounds, &mut ours, peer);
    Row::alone("start", "ms", ours)
        .against(PEER, theirs, Better::Lower)
        .noting("from the start of the process to the first answer with a state; theirs without its wake-up")
}

fn idle(context: &BenchContext<'_>, server: &Server, clock: &MonotonicClock) -> Result<Vec<f64>, Failed> {
    let watched = context.pick(Duration::from_secs(2), Duration::from_secs(10));
    let before = server.processor();
    clock.wait_until(clock.now() + watched);
    Ok(vec![server.memory(), (server.processor() - before) / watched.as_secs_f64() * 100.0])
}

/// Returns the duration of each request in milliseconds, from this many clients at once for a given time.
fn flood(
    server: &Server,
    clients: usize,
    going: &AtomicBool,
    clock: &MonotonicClock,
) -> Result<Vec<f64>, Failed> {
    std::thread::scope(|scope| {
        let client = || -> Result<Vec<f64>, Failed> {
            let mut talk = server.talk()?;
            let mut took = Vec::new();
            while going.load(Ordering::Relaxed) {
                let asked = clock.now();
                let (status, _) = talk.ask(STATE, "").map_err(|error| Failed::at("asking")(&error))?;
                if status != 200 {
                    return Err(Failed(format!("the state was answered with {status}")));
                }
                took.push(clock.now().since(asked).as_secs_f64() * 1e3);
            }
            Ok(took)
        };
        let asking: Vec<_> = (0..clients).map(|_| scope.spawn(client)).collect();
        let mut all = Vec::new();
        for asking in asking {
            all.extend(asking.join().map_err(|_| Failed("a client panicked".into()))??);
        }
        Ok(all)
    })
}

/// Runs a function while clients flood a server, and also returns their measurements.
fn flooded<T>(
    server: &Server,
    clients: usize,
    clock: &MonotonicClock,
    act: impl FnOnce() -> Result<T, Failed>,
) -> Result<(T, Vec<f64>), Failed> {
    let going = AtomicBool::new(true);
    std::thread::scope(|scope| {
        let flood = scope.spawn(|| flood(server, clients, &going, clock));
        let done = act();
        going.store(false, Ordering::Relaxed);
        let took = flood.join().map_err(|_| Failed("a client panicked".into()))??;
        Ok((done?, took))
    })
}

/// Returns the requests per second, and the time of one: median and 99th percentile.
fn asked(
    context: &BenchContext<'_>,
    server: &Server,
    clock: &MonotonicClock,
    clients: usize,
) -> Result<Vec<f64>, Failed> {
    let round = context.pick(Duration::from_secs(1), Duration::from_secs(5));
    let _awake = awake();
    let ((), mut took) = flooded(server, clients, clock, || {
        clock.wait_until(clock.now() + round);
        Ok(())
    })?;
    let per_second = took.len() as f64 / round.as_secs_f64();
    let of =
        |took: &mut [f64], share| quantile(took, share).ok_or_else(|| Failed("nothing was answered".into()));
    Ok(vec![per_second, of(&mut took, 0.5)?, of(&mut took, 0.99)?])
}

/// Returns the messages per second of a stream, at each of three rates.
fn streamed(context: &BenchContext<'_>, server: &Server, clock: &MonotonicClock) -> Result<Vec<f64>, Failed> {
    let round = context.pick(Duration::from_secs(1), Duration::from_secs(4));
    let at = Failed::at("the stream");
    let rate = |hertz: u32| {
        let path = format!("/api/state/ws/full?frequency={hertz}");
        let mut listening = EventStream::begin(server.port, &path).map_err(|error| at(&error))?;
        listening.next_event().map_err(|error| at(&error))?;
        let began = clock.now();
        let mut count = 0_u32;
        while clock.now().since(began) < round {
            listening.next_event().map_err(|error| at(&error))?;
            count += 1;
        }
        Ok(f64::from(count) / clock.now().since(began).as_secs_f64())
    };
    [50, 200, 500].into_iter().map(rate).collect()
}

/// Returns the time from a target to the first state that shows it.
fn reflected(
    context: &BenchContext<'_>,
    server: &Server,
    clock: &MonotonicClock,
) -> Result<Vec<f64>, Failed> {
    let at = Failed::at("a target");
    let mut talk = server.talk()?;
    let antenna = |talk: &mut LocalSession| -> Result<f64, Failed> {
        let (_, body) = talk.ask(STATE, "").map_err(|error| at(&error))?;
        let state: Value = serde_json::from_slice(body).map_err(|error| at(&error))?;
        state
            .pointer("/antennas_position/0")
            .and_then(Value::as_f64)
            .ok_or_else(|| Failed("no antenna".into()))
    };
    let mut took = Vec::new();
    for path in 0..context.pick(20, 100) {
        let goal = if path % 2 == 0 { 0.3 } else { -0.3 };
        let before = antenna(&mut talk)?;
        let said = clock.now();
        let target = format!(r#"{{"target_antennas":[{goal},{goal}]}}"#);
        talk.ask("POST /api/move/set_target", &target).map_err(|error| at(&error))?;
        // An encoder count is 0.0015.
        while (antenna(&mut talk)? - before).abs() < 0.002 {
            if clock.now().since(said) > Duration::from_secs(5) {
                return Err(Failed("the target was never seen".into()));
            }
        }
        took.push(clock.now().since(said).as_secs_f64() * 1e3);
        // Not in phase with either side's control loop.
        clock.wait_until(clock.now() + Duration::from_millis(400 + path % 7));
    }
    Ok(quantile(&mut took, 0.5).into_iter().collect())
}

/// Returns the deviation of a move's ticks while the server is flooded: the 99th percentile, milliseconds.
fn ticks(context: &BenchContext<'_>, server: &Server, clock: &MonotonicClock) -> Result<Vec<f64>, Failed> {
    let seconds = context.pick(2, 8);
    let at = Failed::at("the move");
    let mut talk = server.talk()?;
    let (off, _) = flooded(server, 8, clock, || {
        let goto =
            format!(r#"{{"head_pose":{{"yaw":0.6}},"antennas":[0.5,-0.5],"duration":{}}}"#, seconds + 2);
        talk.ask("POST /api/move/goto", &goto).map_err(|error| at(&error))?;
        clock.wait_until(clock.now() + Duration::from_secs(1));
        match server.side {
            Contender::Ours => {
                talk.ask("POST /api/v1/pulse/measure", "").map_err(|error| at(&error))?;
                clock.wait_until(clock.now() + Duration::from_secs(seconds));
                let (_, body) = talk.ask("GET /health", "").map_err(|error| at(&error))?;
                let health: Value = serde_json::from_slice(body).map_err(|error| at(&error))?;
                let off = health.pointer("/pulse/jitter/p99_us").and_then(Value::as_f64);
                off.map(|off| off / 1e3).ok_or_else(|| Failed("no jitter".into()))
            }
            Contender::Theirs => {
                clock.wait_until(clock.now() + Duration::from_secs(seconds));
                let noted = fs::read(server.home.join("ticks")).map_err(|error| at(&error))?;
                let moments: Vec<Timestamp> = noted
                    .chunks_exact(8)
                    .filter_map(|bytes| Some(Timestamp(u64::from_le_bytes(bytes.try_into().ok()?))))
                    .collect();
                // The first second is left out, as on the other side.
                let begun = moments.first().map(|first| *first + Duration::from_secs(1));
                let watched: Vec<Timestamp> =
                    moments.into_iter().filter(|moment| begun.is_some_and(|begun| *moment > begun)).collect();
                let mut off: Vec<f64> = watched
                    .iter()
                    .zip(watched.iter().skip(1))
                    .map(|(earlier, later)| (later.since(*earlier).as_secs_f64() * 1e3 - 10.0).abs())
                    .collect();
                quantile(&mut off, 0.99).ok_or_else(|| Failed("no tick was noted".into()))
            }
        }
    })?;
    Ok(vec![off])
}
