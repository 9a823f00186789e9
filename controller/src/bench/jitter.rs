//! `pulse_jitter_*`: the deviation of the time between two cycles from its nominal value.
//!
//! Both sides run as in normal use: a server in a process of its own, on the emulated line, holding a posture, so that
//! each cycle writes goals. The start of each cycle is recorded at that point in its own process. (At the far end of a
//! pseudo-terminal it cannot be measured: the kernel moves the bytes in a worker thread without priority. On a busy
//! machine that thread is later than either side.) Under load, one process per processor computes for ever, and
//! requests flood the side's own server; or two guests spin in their sandboxes; or the language model on this computer
//! writes, which is compared with our own loop when nothing else runs.

use std::fs;
use std::io::Write;
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::process::Child;
use std::time::Duration;

use firmware_bridge::clock::{Clock, MonotonicClock, Timestamp};
use serde_json::Value;

use super::baseline::{DAEMON, LOAD, Script, end, environment};
use super::cpu_load::CpuLoad;
use super::line::Line;
use super::local_model::WritingModel;
use super::rounds::quantile;
use super::row::{Better, Row};
use super::{BenchContext, Failed};
use minismith_local_model::runtime::installed;
use minismith_runtime::net;
use minismith_runtime::net::loopback_client::LocalSession;
use minismith_runtime::subprocess::{self, Program};

pub(super) const PEER: &str = "reachy-mini-daemon 1.13.0";
/// The rate of the official loop, Hz. Ours is measured at this rate to compare, and at its default rate as well.
const OFFICIAL_RATE_HZ: u32 = 50;
pub(super) const DEFAULT_RATE_HZ: u32 = 100;
const QUANTILES: [(&str, f64); 3] = [("p50", 0.5), ("p99", 0.99), ("p999", 0.999)];
/// The timeout for a server to move motors.
const START_TIMEOUT: Duration = Duration::from_secs(60);
/// The settling time of each side before the measurement.
const SETTLING_TIME: Duration = Duration::from_secs(1);
/// The connections that flood a server.
const CONNECTIONS: u32 = 4;

/// The load on the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Load {
    /// No load of ours.
    Idle,
    /// Computing processes, and a flooded server.
    Loaded,
    /// Two sandboxed tools spin.
    Guests,
    /// The language model on this computer writes.
    Model,
}

impl Load {
    const fn name(self) -> &'static str {
        match self {
            Load::Idle => "idle",
            Load::Loaded => "loaded",
            Load::Guests => "guests",
            Load::Model => "authoring",
        }
    }
}

fn name(quantile: &str, load: Load, rate: u32) -> String {
    let at = if rate == OFFICIAL_RATE_HZ { String::new() } else { format!("_{rate}hz") };
    format!("pulse_jitter_{quantile}_{}{at}", load.name())
}

pub(super) fn names(load: Load) -> Vec<String> {
    if load == Load::Model {
        return QUANTILES.map(|(quantile, _)| name(quantile, load, OFFICIAL_RATE_HZ)).into();
    }
    let of = |rate| QUANTILES.map(|(quantile, _)| name(quantile, load, rate));
    [OFFICIAL_RATE_HZ, DEFAULT_RATE_HZ].into_iter().flat_map(of).collect()
}

/// The measurements of one side, over all its rounds.
#[derive(Debug, Default)]
struct Seen {
    /// The quantiles of each round, in the order of [`QUANTILES`]: deviations of an interval in milliseconds.
    off: [Vec<f64>; QUANTILES.len()],
    /// The measured seconds.
    seconds: f64,
    /// The requests answered in this time.
    requests: f64,
    /// How the system schedules the control loop.
    policy: String,
}

impl Seen {
    /// Adds a round with these cycle times.
    fn add(&mut self, rate: u32, moments: &[Timestamp]) {
        let nominal = 1e3 / f64::from(rate);
        let mut off: Vec<f64> = moments
            .iter()
            .zip(moments.iter().skip(1))
            .map(|(earlier, later)| (later.since(*earlier).as_secs_f64() * 1e3 - nominal).abs())
            .collect();
        for (numbers, (_, share)) in self.off.iter_mut().zip(QUANTILES) {
            numbers.extend(quantile(&mut off, share));
        }
    }

    fn per_second(&self) -> f64 {
        self.requests / self.seconds.max(1e-9)
    }
}

pub(super) fn measure(context: &BenchContext<'_>, load: Load) -> Vec<Row> {
    if load == Load::Model {
        return measure_beside_model(context);
    }
    let (rounds, round) = context.pick((1, Duration::from_secs(5)), (3, Duration::from_secs(20)));
    let mut ours: Result<Seen, Failed> = Ok(Seen::default());
    let mut usual: Result<Seen, Failed> = Ok(Seen::default());
    let mut theirs = context.baselines.daemon.as_ref().map(|_| Ok(Seen::default()));
    let awake = awake();
    let take =
        |side: &str, seen: &mut Result<Seen, Failed>, one: &dyn Fn(&mut Seen) -> Result<(), Failed>| {
            let Ok(so_far) = seen else { return };
            (context.progress)(&format!("the rhythm, {}: {side}, {} s", load.name(), round.as_secs()));
            if let Err(failed) = one(so_far) {
                (context.progress)(&format!("{side} failed: {failed}"));
                *seen = Err(failed);
            }
        };
    for _ in 0..rounds {
        take("ours at 50 Hz", &mut ours, &|seen| watch_ours(context, OFFICIAL_RATE_HZ, load, round, seen));
        if let Some(theirs) = &mut theirs {
            take("the official daemon", theirs, &|seen| watch_theirs(context, load, round, seen));
        }
        take("ours at 100 Hz", &mut usual, &|seen| watch_ours(context, DEFAULT_RATE_HZ, load, round, seen));
    }
    let theirs = theirs.and_then(Result::ok);
    let mut rows = rows(load, OFFICIAL_RATE_HZ, ours, Some((PEER, theirs)), awake.is_some());
    rows.extend(self::rows(load, DEFAULT_RATE_HZ, usual, None, awake.is_some()));
    rows
}

/// Measures our loop while the local model writes, in turns with our loop alone.
fn measure_beside_model(context: &BenchContext<'_>) -> Vec<Row> {
    if let Err(no) = installed(&context.config.local_model) {
        (context.progress)(&format!("pulse_jitter_*_authoring are skipped: {no}"));
        return Vec::new();
    }
    let (rounds, round) = context.pick((1, Duration::from_secs(10)), (3, Duration::from_secs(20)));
    let awake = awake();
    let (mut idle, mut writing) = (Ok(Seen::default()), Ok(Seen::default()));
    for _ in 0..rounds {
        for (load, seen) in [(Load::Idle, &mut idle), (Load::Model, &mut writing)] {
            (context.progress)(&format!("the rhythm, {}: {} s", load.name(), round.as_secs()));
            let Ok(so_far) = seen else { continue };
            if let Err(failed) = watch_ours(context, OFFICIAL_RATE_HZ, load, round, so_far) {
                *seen = Err(failed);
            }
        }
    }
    let alone = ("the same loop without the model", idle.ok());
    rows(Load::Model, OFFICIAL_RATE_HZ, writing, Some(alone), awake.is_some())
}

/// Keeps the processors from sleeping while this lives, for both sides alike. A virtual machine's processors take
/// milliseconds to wake up, which would dominate the result. None where that is not permitted.
pub(super) fn awake() -> Option<fs::File> {
    let mut latency = fs::File::options().write(true).open("/dev/cpu_dma_latency").ok()?;
    latency.write_all(&0_i32.to_ne_bytes()).ok()?;
    Some(latency)
}

/// Returns the rows of one load and rate, against a peer that has a name whether it was measured or not.
fn rows(
    load: Load,
    rate: u32,
    ours: Result<Seen, Failed>,
    peer: Option<(&str, Option<Seen>)>,
    awake: bool,
) -> Vec<Row> {
    let (peer_name, theirs) = peer.map_or((None, None), |(name, seen)| (Some(name), seen));
    let mut note = String::new();
    if let Ok(seen) = &ours {
        let sleep = if awake { "kept awake" } else { "free to sleep" };
        note = format!(
            "our control loop runs under {}; both sides move their antennas at {rate} Hz, the processors {sleep}",
            seen.policy
        );
        if load == Load::Guests {
            note += "; two guests spin meanwhile";
        }
        if load == Load::Model {
            note += "; the model writes all the time";
        }
        if load == Load::Loaded {
            let they =
                theirs.as_ref().map(|seen| format!(", theirs {:.0}", seen.per_second())).unwrap_or_default();
            note += &format!("; requests answered per second: ours {:.0}{they}", seen.per_second());
        }
    }
    let (mut ours, mut theirs) = (ours, theirs);
    let row = |(path, (quantile_name, _)): (usize, (&str, f64))| {
        let median = |seen: &mut Seen| seen.off.get_mut(path).and_then(|rounds| quantile(rounds, 0.5));
        let our_number = match &mut ours {
            Ok(seen) => median(seen).ok_or_else(|| Failed("no cycle was seen".into())),
            Err(failed) => Err(failed.clone()),
        };
        let row = Row::alone(&name(quantile_name, load, rate), "ms", our_number).noting(&note);
        match peer_name {
            Some(name) => row.against(name, theirs.as_mut().and_then(median), Better::Lower),
            None => row,
        }
    };
    QUANTILES.into_iter().enumerate().map(row).collect()
}

/// Runs one round of ours: `minismith serve` on a line.
fn watch_ours(
    context: &BenchContext<'_>,
    rate: u32,
    load: Load,
    round: Duration,
    seen: &mut Seen,
) -> Result<(), Failed> {
    let line = Line::start()?;
    let server = Server::start(&line, rate)?;
    start_moving(server.port)?;
    let url = format!("http://127.0.0.1:{}/api/v1/state", server.port);
    let mut busy = load.on(context, &url, SETTLING_TIME + round)?;
    line.watch(SETTLING_TIME)?;
    busy.requests()?;
    server.ask("POST /api/v1/pulse/measure")?;
    line.watch(round)?;
    let health = server.ask("GET /health")?;
    seen.requests += busy.requests()?;
    seen.seconds += round.as_secs_f64();
    for (numbers, (name, _)) in seen.off.iter_mut().zip(QUANTILES) {
        let microseconds = health.pointer(&format!("/pulse/jitter/{name}_us")).and_then(Value::as_f64);
        let microseconds = microseconds.ok_or_else(|| Failed(format!("no {name} in {health}")))?;
        numbers.push(microseconds / 1e3);
    }
    seen.policy = server.policy();
    Ok(())
}

/// Runs one round of the baseline: the official daemon on a line.
fn watch_theirs(
    context: &BenchContext<'_>,
    load: Load,
    round: Duration,
    seen: &mut Seen,
) -> Result<(), Failed> {
    let Some(daemon) = OfficialDaemon::start(context) else {
        return Err(Failed("the official daemon is not installed".into()));
    };
    let mut daemon = daemon?;
    start_moving(daemon.port)?;
    let url = format!("http://127.0.0.1:{}/api/state/full", daemon.port);
    let mut busy = load.on(context, &url, SETTLING_TIME + round)?;
    daemon.line.watch(SETTLING_TIME)?;
    busy.requests()?;
    daemon.cycles()?;
    daemon.line.watch(round)?;
    let moments = daemon.cycles()?;
    seen.requests += busy.requests()?;
    seen.seconds += round.as_secs_f64();
    seen.add(OFFICIAL_RATE_HZ, &moments);
    Ok(())
}

/// Starts a motion of the antennas that takes longer than a round, on either side. A robot at rest may wake up late.
fn start_moving(port: u16) -> Result<(), Failed> {
    let at = Failed::at("starting a motion");
    let mut session = LocalSession::begin(port).map_err(|error| at(&error))?;
    let goal = r#"{"antennas":[1.0,-1.0],"duration":120}"#;
    let (status, _) = session.ask("POST /api/move/goto", goal).map_err(|error| at(&error))?;
    if status == 200 { Ok(()) } else { Err(at(&format!("status {status}"))) }
}

/// A running load.
enum Busy {
    Not,
    Flooded(Script),
    Guests(CpuLoad),
    Model(WritingModel),
}

impl Busy {
    /// Returns the requests answered since the last call. Fails when the load has ended by itself.
    fn requests(&mut self) -> Result<f64, Failed> {
        match self {
            Busy::Not => Ok(0.0),
            Busy::Flooded(flood) => flood.number("", "requests"),
            Busy::Guests(guests) => guests.still_spin().map(|()| 0.0),
            Busy::Model(model) => model.still_writes().map(|()| 0.0),
        }
    }
}

impl Load {
    /// Starts the load on a server for this time.
    fn on(self, context: &BenchContext<'_>, url: &str, at_least: Duration) -> Result<Busy, Failed> {
        match self {
            Load::Idle => return Ok(Busy::Not),
            Load::Guests => return CpuLoad::start(context, at_least).map(Busy::Guests),
            Load::Model => return WritingModel::start(context.config).map(Busy::Model),
            Load::Loaded => {}
        }
        // Any Python will do. The one of the official side exists whenever there is something to compare.
        let system = || PathBuf::from("python3");
        let python = context.baselines.packages.clone().unwrap_or_else(system);
        let arguments = [url.into(), CONNECTIONS.to_string().into()];
        let mut load = Script::start(&python, "the load", LOAD, &arguments)?;
        load.answer()?;
        Ok(Busy::Flooded(load))
    }
}

/// Returns a port that is free now.
pub(super) fn free_port() -> Result<u16, Failed> {
    let at = Failed::at("finding a free port");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let listener = runtime
        .map_err(|error| at(&error))?
        .block_on(net::listen(IpAddr::V4(Ipv4Addr::LOCALHOST), 0, false))
        .map_err(|error| at(&error))?;
    listener.local_addr().map(|address| address.port()).map_err(|error| at(&error))
}

/// `minismith serve` in a process and with a configuration of its own. Ends when dropped.
pub(super) struct Server {
    child: Child,
    pub(super) port: u16,
    config: PathBuf,
}

impl Server {
    /// Starts it on this line, and returns when it moves the motors and answers.
    pub(super) fn start(line: &Line, rate: u32) -> Result<Server, Failed> {
        let port = free_port()?;
        let start = || {
            let config = std::env::temp_dir().join(format!("minismith-bench-{}.yaml", std::process::id()));
            let journal = config.with_extension("jsonl");
            let text = format!(
                "control_loop: {{rate_hz: {rate}}}\njournal: {{file: {}}}\ntraces: {{directory: none}}\n",
                journal.display()
            );
            fs::write(&config, text)?;
            let port_text = port.to_string();
            let mut arguments = vec!["--config".into(), config.clone().into_os_string(), "serve".into()];
            arguments.extend(["--robot".into(), line.path().into()]);
            arguments.extend(["--port".into(), port_text.into()]);
            let child = subprocess::start(Program {
                path: std::env::current_exe()?,
                arguments,
                environment: environment(),
                input: fs::File::open("/dev/null")?.into(),
            })?;
            Ok::<_, std::io::Error>(Server { child, port, config })
        };
        let server = start().map_err(|error| Failed::at("minismith serve")(&error))?;
        // Its control loop sends goals before it answers.
        line.wait_for_goals(START_TIMEOUT)?;
        server.wait_until_ready()?;
        Ok(server)
    }

    fn wait_until_ready(&self) -> Result<(), Failed> {
        let clock = MonotonicClock::start();
        loop {
            match self.ask("GET /health") {
                Err(failed) if clock.now().since(Timestamp::ZERO) > START_TIMEOUT => return Err(failed),
                Err(_) => clock.wait_until(clock.now() + SETTLING_TIME / 10),
                Ok(_) => return Ok(()),
            }
        }
    }

    /// Sends it an HTTP request.
    fn ask(&self, question: &str) -> Result<Value, Failed> {
        let at = Failed::at("minismith serve");
        let answer = net::ask_here(self.port, question).map_err(|error| at(&error))?;
        serde_json::from_str(&answer).map_err(|error| at(&error))
    }

    /// Returns how the system schedules its control loop, from `/proc`: fields 40 and 41 of the thread's `stat`.
    fn policy(&self) -> String {
        let tasks = fs::read_dir(format!("/proc/{}/task", self.child.id()));
        let control_loop = tasks.into_iter().flatten().flatten().find(|task| {
            fs::read_to_string(task.path().join("comm")).is_ok_and(|name| name.trim_end() == "control-loop")
        });
        let stat = control_loop.and_then(|task| fs::read_to_string(task.path().join("stat")).ok());
        stat.as_deref().and_then(policy_in).unwrap_or_else(|| "an unknown policy".to_owned())
    }
}

/// The name in the second field may contain anything, so fields are counted from behind it.
fn policy_in(stat: &str) -> Option<String> {
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(37);
    let (priority, policy) = (fields.next()?, fields.next()?);
    Some(match policy {
        "0" => "SCHED_OTHER".to_owned(),
        "1" => format!("SCHED_FIFO {priority}"),
        "2" => format!("SCHED_RR {priority}"),
        "6" => "SCHED_DEADLINE".to_owned(),
        other => format!("policy {other}"),
    })
}

impl Drop for Server {
    fn drop(&mut self) {
        end(&mut self.child);
        let _ = fs::remove_file(&self.config);
    }
}

/// A file that is removed when this is dropped.
struct Notes(PathBuf);

impl Drop for Notes {
    fn drop(&mut self) {
        // It does not exist when the daemon has recorded nothing.
        let _ = fs::remove_file(&self.0);
    }
}

/// The official daemon on a line of its own, with torque enabled. Ends when dropped.
pub(super) struct OfficialDaemon {
    // The daemon ends before its line closes.
    script: Script,
    pub(super) port: u16,
    pub(super) line: Line,
    /// Where it records its cycles.
    _notes: Notes,
}

impl OfficialDaemon {
    /// Starts it; none where it is not installed.
    pub(super) fn start(context: &BenchContext<'_>) -> Option<Result<OfficialDaemon, Failed>> {
        let python = context.baselines.daemon.as_ref()?;
        Some(OfficialDaemon::start_with(python))
    }

    fn start_with(python: &std::path::Path) -> Result<OfficialDaemon, Failed> {
        let line = Line::start()?;
        let port = free_port()?;
        let notes = Notes(std::env::temp_dir().join(format!("minismith-bench-{}.beats", std::process::id())));
        let arguments = [line.path().into(), port.to_string().into(), notes.0.clone().into()];
        let mut script = Script::start(python, "the official daemon", DAEMON, &arguments)?;
        script.answer()?;
        // From now on its loop writes the motors' positions continuously.
        script.ask("POST /api/motors/set_mode/enabled")?;
        line.wait_for_goals(START_TIMEOUT)?;
        Ok(OfficialDaemon { script, port, line, _notes: notes })
    }

    /// Returns when its control loop started its cycles, since the last call.
    fn cycles(&mut self) -> Result<Vec<Timestamp>, Failed> {
        let answer = self.script.ask("beats")?;
        let cycles = answer.get("beats").and_then(Value::as_array);
        let cycles = cycles.ok_or_else(|| Failed("the official daemon noted no cycles".into()))?;
        Ok(cycles.iter().filter_map(Value::as_u64).map(Timestamp).collect())
    }

    /// Returns the real rate of its loop in cycles per second.
    pub(super) fn rate(&self, over: Duration) -> Result<f64, Failed> {
        self.line.watch(SETTLING_TIME)?;
        let moments = self.line.watch(over)?;
        let (Some(first), Some(last)) = (moments.first(), moments.last()) else {
            return Err(Failed("no cycle was seen".into()));
        };
        Ok((moments.len() - 1) as f64 / last.since(*first).as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_is_read_behind_a_name_that_may_hold_anything() {
        let stat = |priority: u32, policy: u32| {
            let between: Vec<String> = (3..=39).map(|field| field.to_string()).collect();
            format!("17 (a) b) {} {priority} {policy} 0 0", between.join(" "))
        };
        assert_eq!(policy_in(&stat(0, 0)).unwrap(), "SCHED_OTHER");
        assert_eq!(policy_in(&stat(50, 1)).unwrap(), "SCHED_FIFO 50");
        assert_eq!(policy_in("nothing"), None);
    }

    #[test]
    fn jitter_is_the_distance_from_the_nominal_interval_to_either_side() {
        let mut seen = Seen::default();
        seen.add(50, &[0, 20_000_000, 41_000_000, 58_000_000].map(Timestamp));
        let rounded = seen
            .off
            .each_ref()
            .map(|off| off.iter().map(|off| (off * 1e6).round() / 1e6).collect::<Vec<f64>>());
        assert_eq!(rounded, [vec![1.0], vec![3.0], vec![3.0]]);
    }
}
