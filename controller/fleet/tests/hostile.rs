//! Messages that a hostile or faulty peer sends: each is refused, logged with its sender, and moves nothing.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that fails shows where"
)]
#![allow(clippy::disallowed_methods, reason = "tests measure time")]

mod support;

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::{Fleet, Robot, until};
use uuid::Uuid;
use zenoh::{Session, Wait};

const SOON: Duration = Duration::from_secs(15);

/// A peer that sends what it likes.
struct Peer {
    session: Session,
}

impl Peer {
    fn connect(fleet: &Fleet) -> Peer {
        let config = json!({
            "mode": "client",
            "connect": { "endpoints": [fleet.endpoint] },
            "scouting": { "multicast": { "enabled": false } },
        });
        let config = zenoh::Config::from_json5(&config.to_string()).unwrap();
        Peer { session: zenoh::open(config).wait().unwrap() }
    }

    /// Sends bytes as a command; returns the robot's answers.
    fn send(&self, key: &str, payload: impl Into<Vec<u8>>) -> Vec<Value> {
        let timeout = Duration::from_secs(20);
        let replies = self.session.get(key).payload(payload.into()).timeout(timeout).wait().unwrap();
        replies
            .iter()
            .filter_map(|reply| serde_json::from_slice(&reply.result().ok()?.payload().to_bytes()).ok())
            .collect()
    }

    fn ask(&self, command: &Value) -> Value {
        let replies = self.send("minismith/lab/kitchen/ask/mallory", command.to_string());
        assert_eq!(replies.len(), 1, "{command}: {replies:?}");
        replies[0].clone()
    }

    fn status(&self) -> Value {
        self.send("minismith/lab/kitchen/status", Vec::new())[0].clone()
    }

    /// Returns a command that is valid now.
    fn command(&self, operation: &Value) -> Value {
        let status = self.status();
        let now = status["time_ms"].as_f64().unwrap();
        json!({ "id": Uuid::new_v4(), "epoch": status["epoch"], "issued_ms": now, "expires_ms": now + 5000.0, "do": operation })
    }

    fn say(&self, text: &str) -> Value {
        self.command(&json!({ "type": "say", "text": text }))
    }
}

fn one_robot() -> Option<(Fleet, Robot, Peer)> {
    let fleet = Fleet::on_zenohd()?;
    let mut robot = Robot::start("kitchen", "");
    robot.join(&fleet.endpoint, &[]);
    // It is present only when the router knows all that it answers.
    until("its presence", SOON, || fleet.robots().iter().any(|(name, _)| name == "kitchen"));
    let peer = Peer::connect(&fleet);
    Some((fleet, robot, peer))
}

#[test]
fn replayed_old_and_reordered_commands_move_nothing() {
    let Some((fleet, mut robot, peer)) = one_robot() else { return };
    let look = peer.say("look left 20 degrees");
    assert_eq!(peer.ask(&look)["outcome"], "done");
    assert!((robot.yaw_deg() - 20.0).abs() < 2.0);
    let newer = peer.say("look straight ahead");
    assert_eq!(peer.ask(&newer)["outcome"], "done");
    assert!(robot.yaw_deg().abs() < 2.0);

    // Replayed.
    assert_eq!(peer.ask(&look)["refusal"], "replayed");
    // Reordered: it is new, and was issued before one that has arrived.
    let mut late = look.clone();
    late["id"] = json!(Uuid::new_v4());
    assert_eq!(peer.ask(&late)["refusal"], "stale");
    // Expired, from the future, valid for ever, and without a session.
    let with = |key: &str, value: Value| {
        let mut command = peer.say("look left 20 degrees");
        command[key] = value;
        command
    };
    let now = peer.status()["time_ms"].as_f64().unwrap();
    for old in [
        with("expires_ms", json!(now - 1.0)),
        with("issued_ms", json!(now + 60_000.0)),
        with("expires_ms", json!(now + 1e9)),
        with("epoch", json!(Uuid::new_v4())),
        with("epoch", Value::Null),
    ] {
        let reply = peer.ask(&old);
        assert_eq!(reply["refusal"], "stale", "{old}: {reply}");
    }
    // A command of the session before: the agent was started again.
    let waiting = peer.say("look left 20 degrees");
    robot.agent.take().unwrap().kill();
    robot.join(&fleet.endpoint, &[]);
    until("its return", SOON, || {
        let epoch = fleet.status("kitchen")["epoch"].clone();
        epoch.is_string() && epoch != waiting["epoch"]
    });
    let reply = peer.ask(&waiting);
    assert_eq!(reply["refusal"], "stale", "{reply}");
    // One that was issued before a stop.
    let before = peer.say("look left 20 degrees");
    assert!(fleet.run(&["stop"]).status.success() && fleet.run(&["release"]).status.success());
    let reply = peer.ask(&before);
    assert_eq!(reply["refusal"], "stale", "{reply}");
    assert!(robot.yaw_deg().abs() < 2.0, "an old command moved the robot");
    let log = robot.log();
    for words in
        ["caller=\"mallory\"", "was used before", "earlier session", "before the latest stop", "expired"]
    {
        assert!(log.contains(words), "{words} is missing in the log: {log}");
    }
    // The agent still works.
    assert_eq!(peer.ask(&peer.say("look left 20 degrees"))["outcome"], "done");
}

#[test]
fn malformed_messages_are_refused_and_logged() {
    let Some((_fleet, robot, peer)) = one_robot() else { return };
    let key = "minismith/lab/kitchen/ask/mallory";
    for (bad, words) in [
        (Vec::new(), "not a command"),
        (b"\xff\xfe".to_vec(), "not a command"),
        (b"{}".to_vec(), "not a command"),
        ("[".repeat(10_000).into_bytes(), "not a command"),
        (vec![b'x'; 1 << 20], "too long"),
        (peer.command(&json!({ "type": "torque_off" })).to_string().into_bytes(), "not a command"),
        (peer.command(&json!({ "type": "say", "text": "" })).to_string().into_bytes(), "empty"),
        (
            peer.command(&json!({ "type": "get", "tool": "../../etc", "from": "hall" }))
                .to_string()
                .into_bytes(),
            "not the name",
        ),
    ] {
        let replies = peer.send(key, bad);
        assert_eq!(replies[0]["refusal"], "invalid", "{replies:?}");
        assert!(replies[0]["reason"].as_str().unwrap().contains(words), "{replies:?}");
    }
    // Keys that name nobody, or everybody, get no answer.
    for key in
        ["minismith/lab/kitchen/ask/*", "minismith/lab/kitchen/ask/Mallory", "minismith/lab/kitchen/ask/m$*"]
    {
        assert!(peer.send(key, peer.say("look left 20 degrees").to_string()).is_empty(), "{key}");
    }
    // Nobody without an identity revokes anybody.
    let reply = peer.ask(&peer.command(&json!({ "type": "revoke", "member": "anna" })));
    assert_eq!(reply["refusal"], "forbidden", "{reply}");
    assert!(robot.yaw_deg().abs() < 2.0);
    assert!(robot.log().contains("caller=\"mallory\" refusal=Invalid"), "{}", robot.log());
}

#[test]
fn a_flood_leaves_the_control_loop_and_other_callers_alone() {
    let Some((fleet, robot, peer)) = one_robot() else { return };
    let overruns = || robot.get("/health")["overruns"].as_u64().unwrap();
    let timing = || robot.get("/health")["control_loop"]["jitter"].clone();
    let quiet = {
        robot.request("POST", "/api/v1/control_loop/reset_statistics", "{}");
        std::thread::park_timeout(Duration::from_secs(2));
        timing()
    };
    let before = overruns();
    robot.request("POST", "/api/v1/control_loop/reset_statistics", "{}");
    let began = Instant::now();
    let mut sent = 0_u64;
    let garbage = vec![b'{'; 8 << 10];
    let mut answers = Vec::new();
    while began.elapsed() < Duration::from_secs(4) {
        for n in 0..50 {
            let (key, payload) = match n % 3 {
                0 => ("minismith/lab/kitchen/ask/mallory".to_owned(), garbage.clone()),
                1 => (format!("minismith/lab/kitchen/ask/m{sent}"), garbage.clone()),
                _ => ("minismith/lab/kitchen/status".to_owned(), Vec::new()),
            };
            let get = peer.session.get(key).payload(payload).timeout(Duration::from_secs(1));
            answers.push(get.wait().unwrap());
            sent += 1;
        }
        answers.clear();
        std::thread::park_timeout(Duration::from_millis(5));
    }
    let flooded = timing();
    println!(
        "{sent} messages in 4 s; jitter quiet {quiet}, flooded {flooded}; overruns {}",
        overruns() - before
    );
    // An operator is heard during and after the flood, and a stop works.
    until("an operator", SOON, || fleet.json(&["say", "--to", "kitchen", "look left 10 degrees"]).1 == 0);
    let (stopped, code) = fleet.json(&["stop"]);
    assert_eq!(code, 0, "{stopped}");
    assert!(robot.log().contains("too many commands"), "{}", robot.log());
    // A flood fills no log.
    assert!(robot.log().lines().count() < 500, "{} lines", robot.log().lines().count());
}

/// A tool that turns the head, for a bundle.
const TOOL: &str = r#""""Look at the door."""
from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose


def look_at_door(robot: ReachyMini) -> str:
    """Look at the door.

    Returns:
        What was done.
    """
    robot.goto_target(head=create_head_pose(yaw=15, degrees=True), duration=1.0, body_yaw=None)
    robot.goto_target(head=create_head_pose(), duration=1.0, body_yaw=None)
    return "looked"
"#;

#[test]
fn forged_bundles_are_refused() {
    let Some((fleet, robot, peer)) = one_robot() else { return };
    let tool = robot.folder.path().join("look_at_door.py");
    std::fs::write(&tool, TOOL).unwrap();
    let added = robot.minismith(&["tool", "add", tool.to_str().unwrap()]);
    assert!(added.status.success(), "{}", String::from_utf8_lossy(&added.stdout));
    let mut hall = Robot::start("hall", "");
    hall.join(&fleet.endpoint, &[]);
    assert_eq!(fleet.json(&["share", "look_at_door", "--from", "kitchen"]).1, 0);
    let key = "minismith/lab/kitchen/tools/look_at_door";
    let replies = peer.session.get(key).timeout(SOON).wait().unwrap();
    let bundle = replies.recv().unwrap().result().unwrap().payload().to_bytes().into_owned();

    // A robot that offers what it changed, something else, or too much.
    let mut changed = bundle.clone();
    let at = changed.windows(6).position(|six| six == b"looked").map_or(changed.len() / 2, |at| at);
    changed[at] ^= 1;
    for (forged, words) in [
        (changed, ""),
        (b"no bundle".to_vec(), ""),
        (Vec::new(), ""),
        (vec![b'x'; (16 << 20) + 1], "too large"),
    ] {
        let offered = peer
            .session
            .declare_queryable("minismith/lab/mallory/tools/look_at_door")
            .callback(move |query| {
                let _sent = query.reply("minismith/lab/mallory/tools/look_at_door", forged.clone()).wait();
            })
            .wait()
            .unwrap();
        let (got, code) = fleet.json(&["get", "look_at_door", "--to", "hall", "--from", "mallory"]);
        assert_eq!(code, 1, "{got}");
        let reason = got["replies"][0]["reason"].as_str().unwrap().to_owned();
        println!("{reason}");
        assert!(reason.contains(words), "{got}");
        drop(offered);
    }
    assert_eq!(hall.request("GET", "/api/v1/tools/look_at_door", "").0, 404);
    // What was not changed is imported, and waits for a person.
    let (got, code) = fleet.json(&["get", "look_at_door", "--to", "hall", "--from", "kitchen"]);
    assert_eq!(code, 0, "{got}");
    assert_eq!(hall.get("/api/v1/tools/look_at_door")["approved"], false);
    let signer = got["replies"][0]["result"]["signer"].as_str().unwrap();
    assert_eq!(got["replies"][0]["result"]["trusted"], false, "{got}");
    // Where a person has put its signer into the configuration, nobody has to approve it.
    let mut attic = Robot::start("attic", &format!("workshop: {{trusted_signers: [\"{signer}\"]}}\n"));
    attic.join(&fleet.endpoint, &[]);
    let (got, code) = fleet.json(&["get", "look_at_door", "--to", "attic", "--from", "kitchen"]);
    assert_eq!(code, 0, "{got}");
    let result = &got["replies"][0]["result"];
    assert_eq!(
        (&result["trusted"], &result["imported"][0]["needs_approval"]),
        (&json!(true), &json!(false)),
        "{got}"
    );
    // A message does not change whom a robot trusts, and a withdrawal of another version disables nothing.
    let withdraw = json!({ "type": "withdraw", "tool": "look_at_door", "code_sha256": ["0".repeat(64)] });
    assert_eq!(peer.ask(&peer.command(&withdraw))["result"]["disabled"], json!([]));
    assert_eq!(robot.get("/api/v1/tools/look_at_door")["active"], true);
}

#[test]
fn a_robot_that_was_away_performs_no_old_command() {
    let Some((fleet, robot, peer)) = one_robot() else { return };
    let look = peer.say("look left 20 degrees");
    // The agent hangs: its connection stays, and takes the command.
    let agent = robot.agent.as_ref().unwrap();
    agent.signal("STOP");
    let began = Instant::now();
    let get = peer.session.get("minismith/lab/kitchen/ask/mallory").payload(look.to_string());
    let replies = get.timeout(Duration::from_secs(20)).wait().unwrap();
    let gone = until("the end of presence", SOON, || fleet.robots().is_empty());
    println!("an agent that hangs was gone after {gone:?}");
    // Until the command has expired.
    std::thread::park_timeout(Duration::from_secs(7).saturating_sub(began.elapsed()));
    agent.signal("CONT");
    let back = until("its return", SOON, || !fleet.status("kitchen").is_null());
    println!("it was present {back:?} after its return");
    let answers: Vec<Value> = replies
        .drain()
        .filter_map(|reply| serde_json::from_slice(&reply.result().ok()?.payload().to_bytes()).ok())
        .collect();
    assert!(answers.iter().all(|reply| reply["refusal"] == "stale"), "{answers:?}");
    std::thread::park_timeout(Duration::from_secs(2));
    assert!(robot.yaw_deg().abs() < 2.0, "an old command moved the robot");
    assert_eq!(peer.ask(&peer.say("look left 20 degrees"))["outcome"], "done");
}

#[test]
fn no_stop_of_before_a_release_ends_a_motion_of_after_it() {
    let Some((_fleet, robot, peer)) = one_robot() else { return };
    for _ in 0..8 {
        std::thread::scope(|scope| {
            let moving = scope.spawn(|| peer.ask(&peer.say("nod 30 times")));
            until("motion", SOON, || moving.is_finished() || !robot.is_at_rest());
            // A stop while a sentence moves the robot is sent twice, the second time a moment later.
            assert_eq!(peer.ask(&peer.command(&json!({ "type": "stop" })))["outcome"], "done");
            assert_eq!(peer.ask(&peer.command(&json!({ "type": "release" })))["outcome"], "done");
            let said = peer.ask(&peer.say("look left 10 degrees and then look right 10 degrees"));
            assert_eq!(said["outcome"], "done", "{said}");
            assert_eq!(moving.join().unwrap()["outcome"], "failed");
        });
    }
}
