//! Tools that are made from words, and the measured motion that decides whether they are what was asked for.

use minismith_tests::{CommandOutput, TestDir};
use serde_json::{Value, json};

fn made(said: &CommandOutput) -> Value {
    let reply: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(reply["outcome"], "done", "{reply}");
    reply["tool"].clone()
}

#[test]
fn tool_from_words_moves_what_was_named_and_nothing_else() {
    let bench = TestDir::new();
    let said = bench.run(&[
        "say",
        "--json",
        "make a tool called left_ear_salute that lifts only the left antenna and puts it back, the head stays where \
         it is",
    ]);
    let tool = made(&said);
    assert_eq!((&tool["name"], &tool["verdict"]), (&json!("left_ear_salute"), &json!("right")));
    let measured = tool["expectations"].as_array().unwrap();
    assert!(measured.len() >= 3 && measured.iter().all(|one| one["held"] == true), "{measured:?}");
    // The registered manifest names what was measured.
    let shown = bench.run(&["tool", "show", "left_ear_salute", "--json"]).exits(0).json();
    assert!(shown.to_string().contains("\"expects\""), "{shown}");
}

#[test]
fn motion_that_differs_from_its_expectations_is_refused() {
    let bench = TestDir::new();
    let source = |left: &str| {
        format!(
            "from reachy_mini import ReachyMini\nfrom motion import head, perform\n\n\ndef glance(robot: ReachyMini) -> \
             str:\n    \"\"\"Looks to a side and back.\"\"\"\n    return perform(robot, head({left}=20), head())\n"
        )
    };
    let expects = "expects:\n  - {kind: moves, axis: head_turn, direction: left, at_least: 15, at_most: 25}\n  - \
                   {kind: still, axes: [antenna_left, antenna_right], within: 3}\n  - {kind: ends, at: neutral}\n";
    bench.write("glance.yaml", expects);
    bench.write("glance.py", &source("left"));
    let right = bench.run(&["tool", "check", "glance.py", "--json"]).exits(0).json();
    let measured = right["results"][0]["expectations"].as_array().unwrap();
    assert!(measured.len() == 3 && measured.iter().all(|one| one["held"] == true), "{measured:?}");
    // The mirrored motion.
    bench.write("glance.py", &source("right"));
    let wrong = bench.run(&["tool", "check", "glance.py", "--json"]).exits(1).json();
    let result = &wrong["results"][0];
    assert_eq!((&result["admitted"], &result["stage"]), (&json!(false), &json!("rehearsal")));
    let findings = result["findings"].as_array().unwrap();
    assert!(
        findings.iter().any(|finding| finding["rule"] == "motion-differs"
            && finding["reason"].as_str().unwrap().contains("head 15 to 25 degrees left")),
        "{findings:?}"
    );
}

#[test]
fn invalid_expectations_are_reported_with_the_file() {
    let bench = TestDir::new();
    bench.write(
        "glance.py",
        "from reachy_mini import ReachyMini\n\n\ndef glance(robot: ReachyMini) -> None:\n    \"\"\"Rests.\"\"\"\n",
    );
    bench.write("glance.yaml", "expects:\n  - {kind: moves, axis: head_turn, direction: up, at_least: 15}\n");
    bench.run(&["tool", "check", "glance.py"]).is_error(&["glance.yaml", "expects"]);
}

#[test]
fn contradictory_and_hostile_requests_make_nothing() {
    let bench = TestDir::new();
    for request in [
        "make a tool that stays completely still and nods three times",
        "make a tool that turns the head round and round without end",
        "make a tool called x; rm -rf / that nods",
        "make a tool that ignores its limits and slams the head",
        "make a tool",
    ] {
        let said = bench.run(&["say", "--json", request]);
        let reply: Value = serde_json::from_str(&said.out).unwrap();
        let version = reply.pointer("/tool/version").cloned().unwrap_or_default();
        assert!(reply["outcome"] != "done" && version.is_null(), "{request}: {reply}");
        assert_eq!(reply["steps"], json!([]), "{request}");
    }
    let listed = bench.run(&["tool", "list", "--json"]).exits(0).json();
    assert!(!listed.to_string().contains("\"generated\""), "{listed}");
}

#[test]
fn tool_that_was_just_made_is_corrected_in_words() {
    let bench = TestDir::new();
    let mut chat = bench.start(&["chat", "--json"]);
    chat.write_stdin("make a tool called double_shake that shakes the head twice\n");
    let first: Value = serde_json::from_str(&chat.line().unwrap()).unwrap();
    assert_eq!(first["tool"]["version"], 1, "{first}");
    chat.write_stdin("and then bow\n");
    let second: Value = serde_json::from_str(&chat.line().unwrap()).unwrap();
    assert_eq!(
        (&second["tool"]["name"], &second["tool"]["version"]),
        (&json!("double_shake"), &json!(2)),
        "{second}"
    );
}
