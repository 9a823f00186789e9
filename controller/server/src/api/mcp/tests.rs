//! Tests of roles and arguments.

use std::sync::Arc;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::call::ToolCalls;
use super::*;
use minismith_runtime::config::RobotChoice;
use minismith_toolchain::workshop::registry::Registry;

struct Robot {
    _folder: TempDir,
    _worker: WorkerThread,
    office: ToolCalls,
}

fn robot() -> Robot {
    let folder = tempfile::tempdir().unwrap();
    let mut config = Config::built_in().unwrap();
    config.tools = folder.path().join("tools");
    let body = Arc::new(RobotRuntime::open(&RobotChoice::Mock, &config).unwrap());
    let queue = WorkerThread::start(body.clone(), config.clone()).unwrap();
    let office = ToolCalls { queue: queue.queue(), body, config: Arc::new(config) };
    Robot { _folder: folder, _worker: queue, office }
}

impl Robot {
    fn call(&self, role: Role, name: &str, arguments: Value) -> CallToolResult {
        let caller = Caller { name: "anna".into(), role, by_address: false, request: RequestInfo::default() };
        let arguments = arguments.as_object().cloned().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(self.office.call(caller, name, arguments, &|_| {})).unwrap()
    }
}

fn text(result: &CallToolResult) -> &str {
    &result.content.iter().find_map(|part| part.as_text()).unwrap().text
}

#[test]
fn rejects_callers_with_a_lesser_role() {
    let robot = robot();
    let source = json!({"code": "def idle() -> int:\n    return 1\n"});
    for (role, name, arguments, needed) in [
        (Role::Viewer, "look", json!({"direction": "left"}), "operator"),
        (Role::Viewer, "say", json!({"text": "look left 20 degrees"}), "operator"),
        (Role::Viewer, "create_tool", source.clone(), "engineer"),
        (Role::Operator, "create_tool", source, "engineer"),
    ] {
        let result = robot.call(role, name, arguments);
        assert_eq!(result.is_error, Some(true), "{name}");
        assert!(text(&result).contains(needed) && text(&result).contains("anna"), "{}", text(&result));
        assert_eq!(result.structured_content.unwrap()["outcome"], "refused");
    }
    let state = robot.call(Role::Viewer, "report_state", json!({})).structured_content.unwrap();
    assert_eq!((&state["doing"], &state["posture"]["yaw_deg"]), (&json!("holding"), &json!(0.0)));
    let listed = Registry::open(&robot.office.config.tools).unwrap().list().unwrap();
    assert!(listed.is_empty());
}

#[test]
fn permits_what_each_role_may_do() {
    let robot = robot();
    for (role, name, arguments) in [
        (Role::Viewer, "report_state", json!({})),
        (Role::Viewer, "take_picture", json!({})),
        (Role::Viewer, "stop", json!({})),
        (Role::Operator, "look", json!({"direction": "left", "degrees": 5, "seconds": 0.3})),
        (Role::Operator, "say", json!({"text": "hello"})),
    ] {
        let result = robot.call(role, name, arguments);
        assert_eq!(result.is_error, Some(false), "{name}: {}", text(&result));
    }
    // An operator creates no tool by a sentence either.
    let asked = json!({"text": "make a tool called happy_hello that nods and wiggles the antennas"});
    let result = robot.call(Role::Operator, "say", asked);
    assert!(text(&result).contains("engineers"), "{}", text(&result));
}

#[test]
fn rejects_invalid_arguments() {
    let robot = robot();
    for (name, arguments, word) in [
        ("look", json!({}), "direction"),
        ("look", json!({"direction": "left", "speed": 3}), "speed"),
        ("look", json!({"direction": "up", "degrees": 50}), "35"),
        ("say", json!({"text": " "}), "say something"),
        ("stop", json!({"now": true}), "now"),
        ("create_tool", json!({}), "code"),
        ("create_tool", json!({"code": "x", "request": "y"}), "either"),
    ] {
        let result = robot.call(Role::Owner, name, arguments.clone());
        assert_eq!(result.is_error, Some(true), "{name} {arguments}");
        assert!(text(&result).contains(word), "{}", text(&result));
    }
}
