//! Replays: a tool's run from the journal, a trace on the mock and on emulated servos, and a move as a tool.

use minismith_tests::TestDir;
use serde_json::{Value, json};

use super::journal_and_traces::{bench, does, traces};

/// A tool that moves, and raises an error during the motion if `good` is false.
const SWAYS: &str = r#"import random

from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose


def sways(robot: ReachyMini, times: int = 2, good: bool = True) -> float:
    """Sway to sides that are chosen at random.

    Args:
        robot: The robot.
        times: How often, between 1 and 5.
        good: Whether to end well.

    Returns:
        The sum of all angles, degrees.

    Raises:
        ValueError: If times is out of range.
        RuntimeError: If it is not to end well.
    """
    if not 1 <= times <= 5:
        raise ValueError("times must be between 1 and 5")
    total = 0.0
    for _ in range(times):
        yaw = random.uniform(-20.0, 20.0)
        total += yaw
        robot.goto_target(head=create_head_pose(yaw=yaw), duration=0.4, body_yaw=None)
    if not good:
        raise RuntimeError("it was not to end well")
    return total
"#;

fn swaying() -> TestDir {
    let bench = bench("bus: {reply_timeout_ms: 50, watchdog_ms: 2000}\n");
    let file = bench.write("sways.py", SWAYS);
    does(&bench, &["tool", "add", file.to_str().unwrap()]);
    bench
}

/// Returns the ids of all ended tool runs, the oldest first.
fn runs(bench: &TestDir) -> Vec<String> {
    let reported = bench.run(&["journal", "export", "--kind", "tool", "--json"]).exits(0).json();
    let ended =
        reported["entries"].as_array().unwrap().iter().filter(|entry| entry["detail"]["outcome"].is_object());
    ended.map(|entry| entry["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn repeated_runs_are_identical() {
    let bench = swaying();
    let ran = bench.run(&["tool", "run", "sways", "--args", r#"{"times": 3}"#, "--json"]).exits(0).json();
    let [id] = runs(&bench).try_into().unwrap();
    let again = |out: &str| bench.run(&["replay", "--id", &id, "--out", out, "--json"]).exits(0).json();
    let (one, two) = (again("one.trace.jsonl"), again("two.trace.jsonl"));
    assert_eq!(one["outcome"]["value"], ran["performance"]["value"], "{ran}");
    assert_eq!(
        (&one["command_digest"], &one["same_motion"]),
        (&two["command_digest"], &json!(true)),
        "{one}"
    );
    let bytes = |name: &str| std::fs::read(bench.path(name)).unwrap();
    assert!(bytes("one.trace.jsonl") == bytes("two.trace.jsonl"), "the two traces differ");
    let against = ["replay", "one.trace.jsonl", "--compare-with", "two.trace.jsonl", "--json"];
    let compared = bench.run(&against).exits(0).json();
    assert_eq!((&compared["comparison"]["identical"], &compared["within"]), (&json!(true), &json!(true)));
    assert!(compared["comparison"]["beats"].as_u64().unwrap() > 120, "{compared}");
}

#[test]
fn failed_run_is_rehearsed_again_by_one_command() {
    let bench = swaying();
    let nothing = bench.run(&["replay", "--last-failed"]).exits(1);
    assert!(nothing.err.contains("no such run of a tool"), "{}", nothing.err);
    let failed =
        bench.run(&["tool", "run", "sways", "--args", r#"{"good": false}"#, "--json"]).exits(1).json();
    does(&bench, &["tool", "run", "sways", "--json"]);
    let again = bench.run(&["replay", "--last-failed", "--json"]).exits(0).json();
    assert_eq!((&again["same_outcome"], &again["same_motion"]), (&json!(true), &json!(true)), "{again}");
    assert_eq!(again["outcome"]["ended"], "raised", "{again} {failed}");
    assert!(again["outcome"]["message"].as_str().unwrap().contains("not to end well"));
    // The trace of that run is stored, and the rehearsal took the same course.
    let comparison = &again["comparison"];
    assert!(comparison["goal"]["worst_deg"].as_f64().unwrap() < 0.7, "{comparison}");

    // A tool that has changed since then is not the one that ran.
    bench.write("tools/generated/sways/v1.py", &SWAYS.replace("0.4", "0.5"));
    let refused = bench.run(&["replay", "--last-failed"]);
    assert_ne!(refused.code, Some(0));
    assert!(refused.err.contains("sways"), "{}", refused.err);
}

#[test]
fn trace_replays_within_its_bound_on_mock_and_emulated_servos() {
    let bench = bench("bus: {reply_timeout_ms: 50, watchdog_ms: 2000}\n");
    does(&bench, &["say", "nod twice, then look left 20 degrees", "--json"]);
    let [trace] = traces(&bench).try_into().unwrap();
    let name = trace.strip_prefix("traces/").unwrap();
    let mock = ["replay", name, "--json", "--out", "mock.trace.jsonl"];
    let mock = bench.run(&mock).exits(0).json();
    let goal = mock["comparison"]["goal"]["worst_deg"].as_f64().unwrap();
    assert!(goal < 1e-6, "the same wishes give the same goals: {mock}");
    let second = bench.run(&["replay", name, "--out", "second.trace.jsonl", "--json"]).exits(0).json();
    assert_eq!(second["comparison"], mock["comparison"]);
    let against = ["replay", "mock.trace.jsonl", "--compare-with", "second.trace.jsonl", "--json"];
    assert_eq!(bench.run(&against).exits(0).json()["comparison"]["identical"], true);

    let bus = bench.run(&["replay", name, "--robot", "mock-bus", "--json"]);
    let reported = bus.json();
    let comparison = &reported["comparison"];
    let number = |of: &Value| of.as_f64().unwrap();
    let (worst, bound) = (number(&comparison["present"]["worst_deg"]), number(&comparison["bound_deg"]));
    assert!(bound > 0.17 && bound < 3.0, "{comparison}");
    // The report marks runs on a machine that is too busy for the control period.
    assert_eq!(
        reported["within"],
        json!(worst <= bound && number(&comparison["goal"]["worst_deg"]) <= bound)
    );
    assert_eq!(bus.code, Some(i32::from(reported["within"] == false)));
    assert!(worst < 4.0 * bound, "{comparison}");
}

#[test]
fn invalid_trace_is_rejected_with_its_line() {
    let bench = bench("");
    does(&bench, &["say", "nod", "--json"]);
    let [trace] = traces(&bench).try_into().unwrap();
    let text = std::fs::read_to_string(bench.path(&trace)).unwrap();
    for (change, words) in [
        (
            text.replacen("\"type\":\"cycle\",\"cycle\":2,", "\"type\":\"cycle\",\"cycle\":1,", 1),
            "out of order",
        ),
        (text.replacen("\"goal_deg\":[", "\"goal_deg\":[1e9,", 1), "angles"),
        (text.replacen("\"type\":\"header\"", "\"type\":\"start\"", 1), "line 1"),
        ("[]\n".into(), "trace"),
        (String::new(), "trace"),
    ] {
        let file = bench.write("changed.trace.jsonl", &change);
        let ran = bench.run(&["replay", file.to_str().unwrap()]);
        assert!(ran.code != Some(0) && ran.err.contains(words), "{words}: {:?} {}", ran.code, ran.err);
    }
    bench.run(&["replay", "nowhere.trace.jsonl"]).is_error(&["nowhere.trace.jsonl"]);
}
