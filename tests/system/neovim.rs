//! The language server in Neovim, which `make test-peers` installs: a person edits a bad tool until the policy accepts it.

#![allow(clippy::disallowed_methods, reason = "an editor is a program of its own")]

use std::process::{Command, Stdio};

use minismith_analysis::draft::Draft;
use minismith_analysis::policy::{permitted, vet};
use minismith_tests::{TestDir, program, workspace};
use serde_json::Value;

/// Three mistakes, one of them behind letters that have several units in UTF-8 and in UTF-16.
const BAD: &str = r#"from motion import head, perform
from reachy_mini import ReachyMini


def glance(robot: ReachyMini, degrees: float = 20.0):
    """Glance to the left.

    Args:
        robot: The robot.
        degrees: How far, between 0 and 60.
    """
    print("🤖 é"); robot.wake_pu()
    perform(robot, head(left=-20), head(right=degrees))
    return "glanced"
"#;

#[test]
fn neovim_shows_and_fixes_what_the_policy_finds() {
    let found = Command::new(workspace().join("scripts/neovim")).output().unwrap();
    assert!(found.status.success(), "no Neovim: {}", String::from_utf8_lossy(&found.stderr));
    let neovim = String::from_utf8(found.stdout).unwrap();
    let bench = TestDir::new();
    let file = bench.write("glance.py", BAD);
    let script = workspace().join("tests/support/neovim/lsp.lua");
    let mut command = Command::new(neovim.trim());
    command.args(["--headless", "--clean", "-n", "-c", &format!("luafile {}", script.display())]);
    command.env("MINISMITH", program("minismith")).env("TOOL", &file);
    for folder in ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"] {
        command.env(folder, bench.path(&folder.to_lowercase()));
    }
    let output = command.current_dir(bench.path("")).stdin(Stdio::null()).output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    let complaints = String::from_utf8_lossy(&output.stderr);
    let seen: Value = serde_json::from_str(printed.lines().last().unwrap_or_default())
        .unwrap_or_else(|error| panic!("{error}: {printed}\n{complaints}"));
    assert_eq!(seen.get("failed"), None, "{seen:#}\n{complaints}");

    let shown: Vec<(&str, u64, &str)> = seen["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["code"].as_str().unwrap(), it["line"].as_u64().unwrap(), it["text"].as_str().unwrap()))
        .collect();
    let head = "def glance(robot: ReachyMini, degrees: float = 20.0):";
    let expected = [
        ("missing-type-hint", 4, head),
        ("unknown-robot-method", 11, "robot.wake_pu"),
        ("out-of-range", 12, "-20), head(right=degrees))"),
    ];
    assert_eq!(shown, expected);
    let attributes: Vec<&str> = permitted().robot.iter().map(|callable| callable.name).collect();
    assert_eq!(seen["completion"], serde_json::json!(attributes));
    assert!(seen["hover"].as_str().unwrap().contains("0 to 60 degrees"), "{seen:#}");
    assert_eq!(seen["fixed"].as_array().unwrap().len(), 3, "{seen:#}");
    let saved = std::fs::read(&file).unwrap();
    let checked = vet(Draft::read("glance", &saved).unwrap());
    let checked = checked.unwrap_or_else(|refused| panic!("{refused:?}"));
    assert_eq!(checked.findings(), []);
}
