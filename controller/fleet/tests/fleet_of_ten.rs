//! Ten real controllers, their agents, and Zenoh's own router: watch, command, dance together, stop, tools; one killed, the
//! router away and back.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that fails shows where"
)]
#![allow(clippy::disallowed_methods, reason = "tests measure time")]

mod support;

use std::collections::BTreeMap;
use std::process::Output;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use support::{Fleet, Robot, outcomes, percentile, until};
use uuid::Uuid;
use zenoh::Wait;
use zenoh::handlers::FifoChannel;
use zenoh::query::{ConsolidationMode, QueryTarget};

const SOON: Duration = Duration::from_secs(40);

/// A tool that nobody had before.
const TOOL: &str = r#""""Bow to a guest."""
from reachy_mini import ReachyMini


def bow_to_guest(robot: ReachyMini, times: int = 1) -> str:
    """Bow with both antennas.

    Args:
        times: How often, between 1 and 3.

    Returns:
        What was done.
    """
    for _ in range(times):
        robot.goto_target(antennas=[0.4, -0.4], duration=0.5, body_yaw=None)
        robot.goto_target(antennas=[0.0, 0.0], duration=0.5, body_yaw=None)
    return f"bowed {times} times"
"#;

fn all_done(document: &Value, count: usize) {
    let outcomes = outcomes(document);
    assert_eq!(outcomes.len(), count, "{document}");
    assert!(outcomes.iter().all(|(_, outcome)| outcome == "done"), "{document}");
}

fn lines(output: &Output) -> Vec<Value> {
    String::from_utf8_lossy(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Starts robots, two at a time.
fn started(fleet: &Fleet, count: usize) -> Vec<Robot> {
    let mut robots: Vec<Robot> = (0..count).map(|n| Robot::start(&format!("robot{n}"), "")).collect();
    for (n, robot) in robots.iter_mut().enumerate() {
        let group = if n % 2 == 0 { "even" } else { "odd" };
        robot.join(&fleet.endpoint, &["--state-hz", "50", "--group", group]);
    }
    robots
}

/// Stops all robots while they move, with an open session, and returns how long it takes until each reports that it brakes or
/// rests, milliseconds. The report comes at 50 Hz, which is included.
fn measured_stop(fleet: &Fleet, robots: &[Robot]) -> Vec<f64> {
    let config = json!({
        "mode": "client",
        "connect": { "endpoints": [fleet.endpoint] },
        "scouting": { "multicast": { "enabled": false } },
    });
    let session = zenoh::open(zenoh::Config::from_json5(&config.to_string()).unwrap()).wait().unwrap();
    std::thread::scope(|scope| {
        let moving = scope.spawn(|| fleet.json(&["say", "--to", "all", "nod 30 times"]));
        until("motions", SOON, || moving.is_finished() || robots.iter().all(|robot| !robot.is_at_rest()));
        assert!(!moving.is_finished(), "it ended before the stop: {}", moving.join().unwrap().0);
        let states =
            session.declare_subscriber("minismith/lab/*/state").with(FifoChannel::new(4096)).wait().unwrap();
        std::thread::park_timeout(Duration::from_millis(300));
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs_f64() * 1e3;
        let stop = json!({
            "id": Uuid::new_v4(), "issued_ms": now, "expires_ms": now + 5000.0, "do": { "type": "stop" },
        });
        states.drain().for_each(drop);
        let began = Instant::now();
        let replies = session
            .get("minismith/lab/*/ask/anna")
            .payload(stop.to_string())
            .target(QueryTarget::All)
            .consolidation(ConsolidationMode::None)
            .wait()
            .unwrap();
        let mut rested: BTreeMap<String, f64> = BTreeMap::new();
        while rested.len() < robots.len() && began.elapsed() < SOON {
            let Ok(Some(sample)) = states.recv_timeout(Duration::from_secs(1)) else { continue };
            let state: Value = serde_json::from_slice(&sample.payload().to_bytes()).unwrap();
            if state["motion_state"] != "moving" {
                let after = began.elapsed().as_secs_f64() * 1e3;
                rested.entry(sample.key_expr().as_str().to_owned()).or_insert(after);
            }
        }
        let replies: Vec<Value> = replies
            .iter()
            .map(|reply| serde_json::from_slice(&reply.result().unwrap().payload().to_bytes()).unwrap())
            .collect();
        assert_eq!(replies.len(), robots.len());
        let mut waits: Vec<f64> = replies
            .iter()
            .map(|reply| reply["started_ms"].as_f64().unwrap() - reply["received_ms"].as_f64().unwrap())
            .collect();
        let mut brakes: Vec<f64> = replies
            .iter()
            .map(|reply| reply["time_ms"].as_f64().unwrap() - reply["started_ms"].as_f64().unwrap())
            .collect();
        println!(
            "agent: wait p99 {:.2} ms; controller at rest after p50 {:.1} p99 {:.1} ms",
            percentile(&mut waits, 0.99),
            percentile(&mut brakes, 0.5),
            percentile(&mut brakes, 0.99)
        );
        assert_eq!(rested.len(), robots.len());
        moving.join().unwrap();
        all_done(&fleet.json(&["release"]).0, robots.len());
        rested.into_values().collect()
    })
}

#[test]
fn the_control_loop_keeps_its_timing_beside_an_agent() {
    let Some(fleet) = Fleet::on_zenohd() else { return };
    let mut robot = Robot::start("kitchen", "");
    let timing = |robot: &Robot| {
        robot.request("POST", "/api/v1/control_loop/reset_statistics", "{}");
        std::thread::park_timeout(Duration::from_secs(4));
        let health = robot.get("/health");
        let jitter = &health["control_loop"]["jitter"];
        (["p50_us", "p99_us"].map(|key| jitter[key].as_f64().unwrap()), health["overruns"].clone())
    };
    // Side by side, several times: a busy moment of the computer must not count as the agent's.
    let mut ratios = [Vec::new(), Vec::new()];
    for _ in 0..5 {
        robot.agent = None;
        let alone = timing(&robot);
        robot.join(&fleet.endpoint, &["--state-hz", "50"]);
        let watching = std::thread::spawn({
            let arguments = ["watch", "--state", "--json", "--seconds", "5"].map(str::to_owned);
            let (folder, endpoint) = (fleet.folder.path().to_owned(), fleet.endpoint.clone());
            move || support::operator(&folder, &endpoint, &arguments.each_ref().map(String::as_str))
        });
        let beside = timing(&robot);
        assert!(watching.join().unwrap().status.success());
        println!("jitter p50 and p99 in us, overruns: alone {alone:?}, with state at 50 Hz {beside:?}");
        for (ratios, (beside, alone)) in ratios.iter_mut().zip(beside.0.iter().zip(alone.0)) {
            ratios.push(beside / alone);
        }
    }
    let [p50, p99] = ratios.each_mut().map(|ratios| percentile(ratios, 0.5));
    println!(
        "jitter with an agent to jitter alone, median of {}: p50 {p50:.2}, p99 {p99:.2}",
        ratios[0].len()
    );
    let mut stops = Vec::new();
    for _ in 0..10 {
        stops.extend(measured_stop(&fleet, std::slice::from_ref(&robot)));
    }
    println!(
        "from the stop to the state of one robot, {} samples: p50 {:.1} ms, at most {:.1} ms",
        stops.len(),
        percentile(&mut stops, 0.5),
        percentile(&mut stops, 1.0),
    );
}

#[test]
fn ten_robots_are_seen_commanded_stopped_and_taught() {
    let Some(mut fleet) = Fleet::on_zenohd() else { return };
    let mut robots = started(&fleet, 10);
    until("ten robots", SOON, || {
        fleet.robots().iter().filter(|(_, status)| status["controller"] == true).count() == 10
    });

    // State at 50 Hz from ten robots, and how long it takes by clocks that are measured.
    let usage: Vec<_> = robots.iter().map(|robot| robot.agent.as_ref().unwrap().usage()).collect();
    let router = fleet.router.as_ref().unwrap().usage();
    let began = Instant::now();
    let watched = lines(&fleet.run(&["watch", "--state", "--json", "--seconds", "10"]));
    let seconds = began.elapsed().as_secs_f64();
    let states: Vec<&Value> = watched.iter().filter(|shown| shown["kind"] == "state").collect();
    let bytes =
        states.iter().map(|shown| shown["data"].to_string().len()).sum::<usize>() / states.len().max(1);
    let mut delays: Vec<f64> = states.iter().filter_map(|shown| shown["delay_ms"].as_f64()).collect();
    let used: Vec<_> = robots.iter().map(|robot| robot.agent.as_ref().unwrap().usage()).collect();
    let processor: f64 =
        used.iter().zip(&usage).map(|(after, before)| after.1 - before.1).sum::<f64>() / 10.0 / seconds;
    let memory = used.iter().map(|(memory, _)| *memory).sum::<u64>() / 10 / 1024;
    let routed = fleet.router.as_ref().unwrap().usage();
    println!(
        "state at 50 Hz from 10 robots: {:.0} messages/s of {bytes} bytes, delay p50 {:.2} ms, p99 {:.2} ms; per agent {:.1} % of a processor, {memory} kB; router {:.1} %, {} kB",
        states.len() as f64 / seconds,
        percentile(&mut delays, 0.5),
        percentile(&mut delays, 0.99),
        processor * 100.0,
        (routed.1 - router.1) / seconds * 100.0,
        routed.0 / 1024,
    );
    let mut names: Vec<&str> = states.iter().map(|shown| shown["robot"].as_str().unwrap()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 10, "state came from {names:?}");

    // Some, a group, all.
    let (said, code) = fleet.json(&["say", "--to", "robot1,robot2", "wiggle the antennas"]);
    assert_eq!(code, 0, "{said}");
    all_done(&said, 2);
    all_done(&fleet.json(&["say", "--to", "odd", "look left 10 degrees"]).0, 5);
    assert!(robots[1].yaw_deg() > 5.0 && robots[2].yaw_deg().abs() < 5.0);
    let (danced, _) = fleet.json(&["say", "--to", "all", "--together", "nod twice"]);
    all_done(&danced, 10);
    println!("ten robots began within {} ms", danced["skew_ms"]);
    let text = String::from_utf8(fleet.run(&["list"]).stdout).unwrap();
    assert_eq!(text.lines().filter(|line| line.contains("clock ")).count(), 10, "{text}");

    // A stop in the middle of motions.
    std::thread::scope(|scope| {
        let moving = scope.spawn(|| fleet.json(&["say", "--to", "all", "nod 30 times"]));
        until("motions", SOON, || moving.is_finished() || robots.iter().all(|robot| !robot.is_at_rest()));
        assert!(!moving.is_finished(), "it ended before the stop: {}", moving.join().unwrap().0);
        all_done(&fleet.json(&["stop"]).0, 10);
        assert!(robots.iter().all(Robot::is_at_rest));
        assert_eq!(moving.join().unwrap().1, 1);
    });
    all_done(&fleet.json(&["release"]).0, 10);

    let mut stops = Vec::new();
    for _ in 0..5 {
        stops.extend(measured_stop(&fleet, &robots));
    }
    println!(
        "from the stop to a state in which the robot brakes or rests, {} samples: p50 {:.1} ms, p99 {:.1} ms",
        stops.len(),
        percentile(&mut stops, 0.5),
        percentile(&mut stops, 0.99),
    );

    // A tool travels to all, and is withdrawn; one robot is away meanwhile.
    std::fs::write(robots[0].folder.path().join("bow_to_guest.py"), TOOL).unwrap();
    let added = robots[0].minismith(&["tool", "add", "bow_to_guest.py", "--json"]);
    assert!(added.status.success(), "{}", String::from_utf8_lossy(&added.stdout));
    let (shared, code) = fleet.json(&["share", "bow_to_guest", "--from", "robot0"]);
    assert_eq!(code, 0, "{shared}");
    let (got, code) = fleet.json(&["get", "bow_to_guest", "--to", "robot1,robot2,robot3"]);
    assert_eq!(code, 0, "{got}");
    all_done(&got, 3);
    // Its signer is not trusted there, so a person has to approve it.
    assert_eq!(got["replies"][0]["result"]["trusted"], false, "{got}");
    assert_eq!(got["replies"][0]["result"]["imported"][0]["needs_approval"], true, "{got}");
    let text = got["replies"][0]["result"]["text"].as_str().unwrap();
    assert_eq!(text, "imported bow_to_guest v1 (a person must approve it on this robot)");
    let active = |robot: &Robot| robot.get("/api/v1/tools/bow_to_guest")["active"].clone();
    assert_eq!(active(&robots[1]), true);
    robots[3].agent.take().unwrap().kill();
    let began = Instant::now();
    let (withdrawn, code) = fleet.json(&["withdraw", "bow_to_guest"]);
    println!("withdrawn from nine robots within {:?}", began.elapsed());
    assert_eq!(code, 0, "{withdrawn}");
    all_done(&withdrawn, 9);
    assert_eq!(active(&robots[1]), false);
    assert_eq!(active(&robots[0]), false);
    assert_eq!(active(&robots[3]), true);
    let endpoint = fleet.endpoint.clone();
    robots[3].join(&endpoint, &["--state-hz", "50", "--group", "odd"]);
    until("the withdrawal on return", SOON, || active(&robots[3]) == false);
    let (again, code) = fleet.json(&["get", "bow_to_guest", "--to", "robot4", "--from", "robot0"]);
    assert_eq!(code, 1, "{again}");

    // One is killed: its presence ends.
    robots[9].agent.take().unwrap().kill();
    let gone = until("the end of presence", SOON, || fleet.robots().len() == 9);
    println!("a killed agent was gone after {gone:?}");
    // The router stops and comes back: all are there again, and nothing that was said meanwhile is done.
    let before: Vec<f64> = robots.iter().map(Robot::yaw_deg).collect();
    fleet.router.take().unwrap().kill();
    let unheard = fleet.run(&["say", "--to", "all", "look right 25 degrees"]);
    assert_eq!(unheard.status.code(), Some(2));
    std::thread::park_timeout(Duration::from_secs(2));
    fleet.start_router().unwrap();
    let back = until("all after the router's return", SOON, || fleet.robots().len() == 9);
    println!("all were present {back:?} after the router's return");
    for (robot, before) in robots.iter().zip(before) {
        assert!((robot.yaw_deg() - before).abs() < 1.0, "{} moved", robot.name);
    }
    all_done(&fleet.json(&["say", "--to", "all", "look straight ahead"]).0, 9);
}
