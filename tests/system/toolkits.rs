//! Toolkits, tools that call tools, and the declarations that authors store with their code.

use minismith_tests::{CommandOutput, TestDir};
use serde_json::{Value, json};

const POSES: &str = r#"
import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Pose:
    pitch: float
    seconds: float


BOW = Pose(pitch=15.0, seconds=0.5)
REST = Pose(pitch=0.0, seconds=0.5)


def steps(times: int) -> list[Pose]:
    """Down and up, some times."""
    return [pose for _ in range(times) for pose in (BOW, REST)]


def whole(seconds: float) -> int:
    """Seconds, rounded up."""
    return math.ceil(seconds)
"#;

const GREETINGS: &str = r#"
from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose

from .poses import Pose, steps, whole


def _go(robot: ReachyMini, pose: Pose) -> None:
    robot.goto_target(head=create_head_pose(pitch=pose.pitch), duration=pose.seconds)


def greetings(robot: ReachyMini, times: int = 1) -> str:
    """Bow some times.

    Args:
        times: How often, between 1 and 4.

    Returns:
        What was done.
    """
    if not 1 <= times <= 4:
        raise ValueError("times must be between 1 and 4")
    for pose in steps(times):
        _go(robot, pose)
    return f"bowed {times} times in {whole(times * 1.0)} s"


def salute(robot: ReachyMini) -> str:
    """Raise both antennas and lower them again.

    Returns:
        What was done.
    """
    robot.goto_target(antennas=[0.6, -0.6], duration=0.5)
    robot.goto_target(antennas=[0.0, 0.0], duration=0.5)
    return "saluted"
"#;

const DECLARED: &str = r"
examples:
  - arguments: {times: 2}
  - {function: salute}
test_cases:
  - name: two bows
    arguments: {times: 2}
    expect: {returns: {value: bowed 2 times in 2 s}}
    motion: {moving_joints: [stewart_1], still_joints: [body_rotation, right_antenna], final_position_deg: {left_antenna: -10}, duration_s: [1.9, 2.6]}
  - name: none
    arguments: {times: 0}
    expect: {raises: {exception: ValueError}}
  - name: up
    function: salute
    motion: {moving_joints: [right_antenna, left_antenna], still_joints: [body_rotation]}
";

const WELCOME: &str = r#"
from minismith import exec_function
from reachy_mini import ReachyMini


def welcome(robot: ReachyMini, times: int = 2) -> str:
    """Look left, then bow with another tool.

    Args:
        times: How often to bow, between 1 and 3.

    Returns:
        What the other tool says.
    """
    robot.goto_target(body_yaw=0.3, duration=0.5)
    said = exec_function("greetings.greetings", times=times)
    robot.goto_target(body_yaw=0.0, duration=0.5)
    return f"welcome: {said}"
"#;

fn toolkit(bench: &TestDir, declared: &str) -> String {
    bench.write("in/greetings/poses.py", POSES);
    bench.write("in/greetings/greetings.py", GREETINGS);
    bench.write("in/greetings/tool.yaml", declared);
    bench.path("in/greetings").to_str().unwrap().to_owned()
}

#[track_caller]
fn done(ran: &CommandOutput) -> Value {
    assert_eq!(ran.code, Some(0), "{} {}", ran.out, ran.err);
    ran.json()
}

fn rules(result: &Value) -> Vec<&str> {
    result["findings"].as_array().unwrap().iter().map(|finding| finding["rule"].as_str().unwrap()).collect()
}

fn checked(bench: &TestDir, path: &str) -> Value {
    let ran = bench.run(&["tool", "check", path, "--json"]);
    ran.json()["results"][0].clone()
}

#[test]
fn toolkit_is_verified_stored_and_called_as_a_unit() {
    let bench = TestDir::new();
    let path = toolkit(&bench, DECLARED.replace("-10", "10").as_str());
    let added = done(&bench.run(&["tool", "add", &path, "--json"]));
    let manifest = &added["registered"];
    assert_eq!((&manifest["name"], &manifest["version"]), (&json!("greetings"), &json!(1)));
    let functions: Vec<&Value> =
        manifest["functions"].as_array().unwrap().iter().map(|it| &it["name"]).collect();
    assert_eq!(functions, ["greetings", "salute"]);
    assert_eq!(manifest["report"]["line_coverage"], 1.0);
    let cases = added["checked"]["cases"].as_array().unwrap();
    assert!(cases.iter().any(|case| case["name"] == "own: two bows"), "{cases:#?}");

    let ran = done(&bench.run(&["tool", "run", "greetings.salute", "--json"]));
    let tool_run = &ran["performance"];
    assert_eq!((&tool_run["ended"], &tool_run["value"]), (&json!("returned"), &json!("saluted")));
    let ran = bench.run(&["tool", "run", "greetings.wave", "--json"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.json()["refusal"].as_str().unwrap().contains("it has greetings, salute"), "{}", ran.out);
    let shown = done(&bench.run(&["tool", "show", "greetings", "--json"]));
    assert!(shown.to_string().contains("class Pose"), "{shown:#}");

    // One byte of any module changes the version.
    let stored = bench.path("tools/generated/greetings/v1/poses.py");
    let text = std::fs::read_to_string(&stored).unwrap();
    std::fs::write(&stored, text.replace("15.0", "16.0")).unwrap();
    let ran = bench.run(&["tool", "run", "greetings", "--json"]);
    assert!(ran.code == Some(1) && ran.out.contains("has changed"), "{}", ran.out);
}

#[test]
fn declarations_are_checked_against_the_code() {
    let bench = TestDir::new();
    let path = toolkit(&bench, DECLARED);
    let result = checked(&bench, &path);
    assert_eq!((&result["admitted"], &result["stage"]), (&json!(false), &json!("rehearsal")));
    let reason = result["findings"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("left_antenna ends at") && reason.contains("not at -10"), "{reason}");

    let path = toolkit(&bench, "examples: [{function: wave}]");
    assert_eq!(rules(&checked(&bench, &path)), ["unknown-function"]);
    let path = toolkit(&bench, "examples: [{arguments: {times: 9}}]");
    assert_eq!(rules(&checked(&bench, &path))[0], "rehearsal-raises");
    let path = toolkit(&bench, "exmples: []");
    let ran = bench.run(&["tool", "check", &path]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("exmples") && ran.err.contains("tool.yaml"), "{}", ran.err);
}

#[test]
fn modules_import_only_names_that_others_define() {
    let bench = TestDir::new();
    for (import, rule) in [
        ("from .poses import Pose, steps, whole, math", "unlisted-import"),
        ("from .poses import Pose, steps, whole, bow", "unlisted-import"),
        ("from .other import bow\nfrom .poses import Pose, steps, whole", "relative-import"),
        ("from ..poses import Pose, steps, whole", "relative-import"),
        ("from . import poses\nfrom .poses import Pose, steps, whole", "relative-import"),
        ("from .poses import *\nfrom .poses import Pose, steps, whole", "unlisted-import"),
    ] {
        let path = toolkit(&bench, "");
        bench.write(
            "in/greetings/greetings.py",
            &GREETINGS.replace("from .poses import Pose, steps, whole", import),
        );
        let result = checked(&bench, &path);
        assert_eq!(result["stage"], "policy", "{import}");
        assert!(rules(&result).contains(&rule), "{import}: {result:#}");
    }
    let path = toolkit(&bench, "");
    bench.write("in/greetings/poses.py", &POSES.replace("import math", "import math\nimport os"));
    let result = checked(&bench, &path);
    assert_eq!(result["findings"][0]["module"], "poses", "{result:#}");
    std::fs::remove_file(bench.path("in/greetings/greetings.py")).unwrap();
    let ran = bench.run(&["tool", "check", &path]);
    assert!(ran.code == Some(2) && ran.err.contains("no greetings.py"), "{}", ran.err);
}

#[test]
fn tool_calls_another_within_its_own_verification() {
    let bench = TestDir::new();
    let welcome = bench.write("in/welcome.py", WELCOME);
    let welcome = welcome.to_str().unwrap();
    let result = checked(&bench, welcome);
    assert_eq!((rules(&result), &result["stage"]), (vec!["unknown-tool"], &json!("rehearsal")));

    let path = toolkit(&bench, "");
    done(&bench.run(&["tool", "add", &path, "--json"]));
    let added = done(&bench.run(&["tool", "add", welcome, "--json"]));
    let manifest = &added["registered"];
    assert_eq!(manifest["tools"], json!(["greetings.greetings"]));
    assert_eq!(manifest["capabilities"], json!(["motion", "exec"]));
    let ran = done(&bench.run(&["tool", "run", "welcome", "--json"]))["performance"].clone();
    assert_eq!(ran["value"], "welcome: bowed 2 times in 2 s", "{ran:#}");
    assert_eq!(ran["steps"].as_array().unwrap().len(), 6);
    assert!((3.0..3.5).contains(&ran["took_s"].as_f64().unwrap()), "{ran:#}");

    // A rejection by the called tool is an exception in the caller. The caller's own range is checked first.
    let ran = bench.run(&["tool", "run", "welcome", "--args", "{\"times\": 9}", "--json"]);
    assert!(ran.code == Some(1) && ran.out.contains("between 1 and 3"), "{}", ran.out);
}

#[test]
fn tool_is_called_by_its_full_name_and_never_by_itself() {
    let bench = TestDir::new();
    let path = toolkit(&bench, "");
    done(&bench.run(&["tool", "add", &path, "--json"]));
    let computed = WELCOME.replace("\"greetings.greetings\"", "\"greetings.\" + \"greetings\"");
    let file = bench.write("in/welcome.py", &computed);
    assert_eq!(rules(&checked(&bench, file.to_str().unwrap())), ["computed-callee"]);
    let file = bench.write("in/welcome.py", &WELCOME.replace("greetings.greetings", "welcome"));
    let result = checked(&bench, file.to_str().unwrap());
    assert!(result["findings"][0]["reason"].as_str().unwrap().contains("can't call itself"), "{result:#}");
    // Under another name it is still the same function: the protocol knows what was verified.
    let hidden = WELCOME.replace(
        "said = exec_function(\"greetings.greetings\", times=times)",
        "call = exec_function\n    said = call(\"greetings.greetings\", times=times)",
    );
    let file = bench.write("in/welcome.py", &hidden);
    let result = checked(&bench, file.to_str().unwrap());
    assert_eq!(result["admitted"], false, "{result:#}");
    assert!(result["findings"][0]["reason"].as_str().unwrap().contains("no capability `exec`"), "{result:#}");
}
