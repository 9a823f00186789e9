//! The Model Context Protocol, driven by its official Python client over HTTP and over standard input and output. It
//! covers the protocol versions with and without sessions.

use std::path::PathBuf;
use std::time::Duration;

use minismith_tests::{RunningCommand, TestDir, program, workspace};
use serde_json::{Value, json};

use super::cli::{listening, send};

/// Returns the Python with third-party clients; prints a note and returns none where there is none.
pub(super) fn clients_python() -> Option<PathBuf> {
    let python = workspace().join(".cache/clients/bin/python");
    if python.is_file() {
        return Some(python);
    }
    println!("skipped: the clients of others are not installed (make clients)");
    None
}

/// Runs a script with those clients and returns the JSON that it prints.
// The clients are Python code and need a process of their own.
#[allow(clippy::disallowed_methods)]
pub(super) fn exercised(bench: &TestDir, script: &str, arguments: &[&str]) -> Option<Value> {
    let mut command = std::process::Command::new(clients_python()?);
    command.arg(workspace().join("tests/support/clients").join(script)).args(arguments);
    let output = command.current_dir(bench.path("")).output().unwrap();
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaints}");
    Some(serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
        panic!(
            "the script printed no JSON ({error}): {}{complaints}",
            String::from_utf8_lossy(&output.stdout)
        )
    }))
}

fn served() -> (TestDir, RunningCommand, String) {
    let bench = TestDir::new();
    let mut program = bench.start(&["serve", "--json", "--port", "0"]);
    let address = listening(&program.line().unwrap());
    (bench, program, address)
}

/// Asserts what every client finds, over every transport.
fn is_well_served(seen: &Value, tool: &str, protocol: &str) {
    assert_eq!((&seen["server"], &seen["protocol"]), (&json!("minismith"), &json!(protocol)));
    assert!(seen["instructions"].as_str().unwrap().contains("Reachy"), "{seen}");

    let tools = seen["tools"].as_object().unwrap();
    for name in ["look", "look_at", "nod", "report_state", "take_picture", "stop", "say", "create_tool"] {
        assert!(tools.contains_key(name), "{name} is not among {:?}", tools.keys());
    }
    let look = &tools["look"];
    assert_eq!(look["inputSchema"]["required"], json!(["direction"]));
    assert_eq!(look["inputSchema"]["properties"]["degrees"]["maximum"], 60.0);
    let hints = |name: &str| {
        let hints = &tools[name]["annotations"];
        ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"].map(|hint| hints[hint].clone())
    };
    assert_eq!(hints("look"), [json!(false), json!(false), json!(true), json!(false)]);
    assert_eq!(hints("nod"), [json!(false), json!(false), json!(false), json!(false)]);
    assert_eq!(hints("report_state"), [json!(true), json!(false), json!(true), json!(false)]);

    let yaw = |state: &Value| state["structured"]["posture"]["yaw_deg"].as_f64().unwrap();
    let [before, after] = ["before", "after"].map(|when| yaw(&seen[when]));
    assert!((before - 20.0).abs() > 10.0 && (after - 20.0).abs() < 1.0, "{before} deg, then {after}");
    let looked = &seen["look"];
    assert_eq!((&looked["is_error"], &looked["structured"]["outcome"]), (&json!(false), &json!("done")));
    let step = &looked["structured"]["steps"][0];
    assert!((step["achieved"]["yaw_deg"].as_f64().unwrap() - 20.0).abs() < 1.0, "{step}");
    assert!(looked["text"].as_str().unwrap().contains("Measured"), "{looked}");

    for (refusal, word) in [("too_far", "35"), ("sideways", "left"), ("beyond", "degrees")] {
        let refused = &seen[refusal];
        let reported = (&refused["is_error"], &refused["structured"]["outcome"]);
        assert_eq!(reported, (&json!(true), &json!("refused")), "{refusal}: {refused}");
        assert!(refused["text"].as_str().unwrap().contains(word), "{refused}");
    }
    assert_eq!(seen["unknown"]["code"], -32602);
    assert!(seen["unknown"]["message"].as_str().unwrap().contains("levitate"));

    let image = &seen["picture"];
    assert_eq!((&image["mime"], &image["begins"]), (&json!("image/jpeg"), &json!("ffd8ff")), "{image}");
    assert_eq!(seen["say"]["structured"]["steps"].as_array().unwrap().len(), 2, "{}", seen["say"]);
    assert_eq!(seen["progress"].as_array().unwrap().len(), 2, "{}", seen["progress"]);

    assert!(seen["stop"]["text"].as_str().unwrap().contains("Stopped"), "{}", seen["stop"]);
    assert_eq!((&seen["stop"]["is_error"], &seen["dance"]["is_error"]), (&json!(false), &json!(true)));
    assert_eq!(seen["dance"]["structured"]["outcome"], "stopped", "{}", seen["dance"]);
    assert_eq!(seen["taken_back"], "holding");

    let bad = &seen["bad"];
    assert_eq!((&bad["is_error"], &bad["structured"]["registered"]), (&json!(true), &Value::Null), "{bad}");
    let findings = bad["structured"]["checked"]["findings"].as_array().unwrap();
    assert!(findings.iter().any(|finding| finding["reason"].as_str().unwrap().contains("os")), "{bad}");

    let made = &seen["made"];
    assert_eq!((&made["is_error"], &made["structured"]["registered"]["name"]), (&json!(false), &json!(tool)));
    assert_eq!(made["structured"]["checked"]["report"]["rests_at_end"], true, "{made}");
    let new = &seen["new"];
    assert!(new["inputSchema"]["properties"]["degrees"].is_object(), "{new}");
    // The text of a tool is no instruction to a model until a user has approved it.
    assert!(!new.to_string().contains("to the left and back"), "{new}");
    assert!(seen["ran"]["text"].as_str().unwrap().contains("glanced 15"), "{}", seen["ran"]);
}

#[test]
fn http_clients_see_move_stop_and_extend_the_robot() {
    if clients_python().is_none() {
        return;
    }
    let (bench, _program, address) = served();
    let url = format!("http://{address}/mcp");
    let ours = program("minismith");
    let bridge = [ours.to_str().unwrap(), "mcp", "--url", &format!("http://{address}")];
    for (mode, tool, protocol, way) in [
        ("legacy", "glance_one", "2025-11-25", &[&*url][..]),
        ("auto", "glance_two", "2026-07-28", &[&*url]),
        // The same robot for a client that supports only stdio.
        ("legacy", "glance_three", "2025-11-25", &bridge),
    ] {
        let arguments = [&[mode, tool][..], way].concat();
        is_well_served(&exercised(&bench, "exercise_mcp.py", &arguments).unwrap(), tool, protocol);
    }
    // Clients that disconnect while the robot dances for them.
    for way in [&[&*url][..], &bridge] {
        exercised(&bench, "exercise_mcp.py", &[&["leave", "none"][..], way].concat()).unwrap();
        rests(&address);
    }
}

fn rests(address: &str) {
    for _ in 0..400 {
        let (_, state) = send(address, "GET /api/v1/state", &[], "");
        if state["doing"] == "holding" {
            return;
        }
        std::thread::park_timeout(Duration::from_millis(25));
    }
    panic!("the robot dances on for nobody");
}

#[test]
fn stdio_client_controls_a_robot_of_its_own() {
    if clients_python().is_none() {
        return;
    }
    let ours = program("minismith");
    let ours = ours.to_str().unwrap();
    for (mode, protocol) in [("legacy", "2025-11-25"), ("auto", "2026-07-28")] {
        let bench = TestDir::new();
        let arguments = [mode, "glance", ours, "mcp", "--robot", "mock-bus"];
        let seen = exercised(&bench, "exercise_mcp.py", &arguments).unwrap();
        is_well_served(&seen, "glance", protocol);
    }
}

#[test]
fn stdout_carries_only_messages_and_the_program_ends_with_stdin() {
    let bench = TestDir::new();
    let mut program = bench.start(&["mcp"]);
    let initialize = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a test", "version": "1"}}});
    program.write_stdin(&format!("{initialize}\n"));
    let answer: Value = serde_json::from_str(&program.line().unwrap()).unwrap();
    assert_eq!(answer["result"]["serverInfo"]["name"], "minismith");
    assert_eq!(answer["result"]["protocolVersion"], "2025-06-18");
    assert_eq!(answer["result"]["capabilities"]["tools"]["listChanged"], true);
    program.write_stdin("{\"jsonrpc\": \"2.0\", \"method\": \"notifications/initialized\"}\n");
    let dance = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params":
        {"name": "dance", "arguments": {"seconds": 60}}});
    let state =
        json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "report_state"}});
    program.write_stdin(&format!("{dance}\n"));
    loop {
        program.write_stdin(&format!("{state}\n"));
        let answer: Value = serde_json::from_str(&program.line().unwrap()).unwrap();
        if answer["result"]["structuredContent"]["doing"] == "playing" {
            break;
        }
    }
    // It dances for a minute unless the end of its input ends that.
    let ran = program.end();
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    for line in ran.out.lines() {
        let message: Value = serde_json::from_str(line).unwrap();
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
    }
}
