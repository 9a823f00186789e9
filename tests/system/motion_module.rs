//! One tool source in the language of `motion`, run in the sandbox and by the official SDK: both send the same goals.

use std::path::PathBuf;

use minismith_protocol::HostCall;
use minismith_tests::{TestDir, workspace};
use serde_json::{Value, json};

use super::guest::context::{Call, shared_host};
use super::server_fixture::served;

/// Steps one after another.
const BOW: &str = r#"from motion import antennas, body, head, neutral, perform, wait
from reachy_mini import ReachyMini


def bow(robot: ReachyMini, speed: float = 1.0) -> str:
    """Turn to the left, bow and come back.

    Args:
        speed: The tempo, between 0.5 and 2.
    """
    if not 0.5 <= speed <= 2.0:
        raise ValueError("speed must be between 0.5 and 2")
    return perform(
        robot,
        neutral(),
        body(left=40, seconds=0.8),
        head(down=25, left=10, lower_mm=5, easing="ease_in_out"),
        antennas(left=60, right_inward=20),
        wait(0.3),
        head(tilt_right=12, up=0, seconds=0.5),
        neutral(),
        speed=speed,
    )
"#;

/// Parts at a tempo of their own.
const TWO_TEMPI: &str = r#"from motion import antennas, head, neutral, perform, repeat, sequence, together, wait
from reachy_mini import ReachyMini


def two_tempi(robot: ReachyMini) -> str:
    """Nod slowly while the antennas swing quickly."""
    return perform(
        robot,
        neutral(),
        together(
            repeat(2, head(down=15, seconds=0.5), head(down=0, seconds=0.5)),
            sequence(wait(0.2), repeat(3, antennas(both=50, seconds=0.3), antennas(both=10, seconds=0.3, easing="linear"))),
        ),
        neutral(),
    )
"#;

/// Rounds that grow.
const GROWING: &str = r#"from motion import head, neutral, perform, ramp, repeat
from reachy_mini import ReachyMini


def growing(robot: ReachyMini, times: int = 4) -> str:
    """Shake the head, more each time.

    Args:
        times: How often, between 2 and 8.
    """
    if not 2 <= times <= 8:
        raise ValueError("times must be between 2 and 8")
    return perform(
        robot,
        neutral(),
        repeat(times, head(left=ramp(6, 24), seconds=ramp(0.5, 0.3)), head(right=ramp(6, 24), seconds=ramp(0.5, 0.3))),
        neutral(),
    )
"#;

const TOOLS: [(&str, &str); 3] = [("bow", BOW), ("two_tempi", TWO_TEMPI), ("growing", GROWING)];

/// A goal as it was sent: the time in seconds since the tool began, and the parts, in radians and metres.
#[derive(Debug)]
struct Goal {
    at: f64,
    is_goto: bool,
    duration: Option<f64>,
    head: Option<Vec<f64>>,
    antennas: Option<Vec<f64>>,
    body_yaw: Option<f64>,
}

impl Goal {
    /// Returns the largest difference of an angle in degrees, or of a position in millimetres. Goals of different parts
    /// are infinitely far apart.
    fn distance(&self, other: &Goal) -> f64 {
        let pair = |one: &Option<Vec<f64>>, other: &Option<Vec<f64>>| match (one, other) {
            (None, None) => 0.0,
            (Some(one), Some(other)) => one.iter().zip(other).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max),
            _ => f64::INFINITY,
        };
        let body = |goal: &Goal| goal.body_yaw.map(|yaw| vec![yaw]);
        let antennas =
            pair(&self.antennas, &other.antennas).max(pair(&body(self), &body(other))).to_degrees();
        // The entries of a rotation change by at most as many radians as it turns.
        let (head, shift): (Vec<_>, Vec<_>) = match (&self.head, &other.head) {
            (Some(one), Some(other)) => {
                one.iter().zip(other).map(|(a, b)| (a - b).abs()).enumerate().partition(|(at, _)| at % 4 != 3)
            }
            (None, None) => (vec![], vec![]),
            _ => return f64::INFINITY,
        };
        let largest = |all: Vec<(usize, f64)>| all.into_iter().map(|(_, it)| it).fold(0.0, f64::max);
        antennas.max(largest(head).to_degrees()).max(largest(shift) * 1000.0)
    }
}

fn in_sandbox(name: &str, source: &str) -> (Value, Vec<Goal>) {
    let played = Call::new(source, name).run(shared_host());
    let goals = played.cues.iter().zip(&played.times).filter_map(|(cue, at)| {
        let at = *at as f64 / 1e9;
        let (head, antennas, body_yaw, duration) = match cue {
            HostCall::Goto { head, antennas, body_yaw, duration, .. } => {
                (head, antennas, body_yaw, Some(*duration))
            }
            HostCall::SetTarget { head, antennas, body_yaw } => (head, antennas, body_yaw, None),
            _ => return None,
        };
        let (head, antennas) = (head.map(|it| it.to_vec()), antennas.map(|it| it.to_vec()));
        Some(Goal { at, is_goto: duration.is_some(), duration, head, antennas, body_yaw: *body_yaw })
    });
    (played.value().clone(), goals.collect())
}

// The official SDK is Python code and needs a process of its own.
#[allow(clippy::disallowed_methods)]
fn by_official_sdk(python: &PathBuf, port: &str, file: &std::path::Path) -> (Value, Vec<Goal>) {
    let script = workspace().join("tests/support/official/run_motion.py");
    let beside = file.parent().unwrap();
    let output =
        std::process::Command::new(python).arg(script).arg(port).arg(beside).arg(file).output().unwrap();
    let complaints = String::from_utf8_lossy(&output.stderr);
    let ran: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("the script printed no JSON ({error}): {complaints}"));
    let numbers = |value: &Value| {
        value.as_array().map(|all| all.iter().map(|it| it.as_f64().unwrap()).collect::<Vec<f64>>())
    };
    let goals = ran["sent"].as_array().unwrap().iter().map(|goal| Goal {
        at: goal["at"].as_f64().unwrap(),
        is_goto: goal["kind"] == "goto",
        duration: goal["duration"].as_f64(),
        head: numbers(&goal["head"]),
        antennas: numbers(&goal["antennas"]),
        body_yaw: goal["body_yaw"].as_f64(),
    });
    (ran["text"].clone(), goals.collect())
}

/// Adds a tool and exports it for the official package. Returns the exported file, which has the module beside it.
fn export(bench: &TestDir, name: &str, source: &str) -> PathBuf {
    let file = bench.write(&format!("{name}.py"), source);
    assert_eq!(bench.run(&["tool", "add", file.to_str().unwrap()]).code, Some(0));
    let folder = bench.path(&format!("exported_{name}"));
    let exported = bench.run(&["tool", "export-python", name, "--out", folder.to_str().unwrap()]);
    assert_eq!(exported.code, Some(0), "{exported:?}");
    folder.join(format!("{name}.py"))
}

/// Splits goals at the gotos: each run of streamed goals, and each goto, is one part.
fn parts(goals: &[Goal]) -> Vec<&[Goal]> {
    goals.chunk_by(|one, next| !one.is_goto && !next.is_goto).collect()
}

#[test]
fn official_sdk_sends_the_same_goals_as_the_sandbox() {
    let python = workspace().join(".cache/official/bin/python");
    if !python.is_file() {
        println!("skipped: the official package is not installed (make official)");
        return;
    }
    let served = served();
    let port = served.address.rsplit_once(':').unwrap().1.to_owned();
    for (name, source) in TOOLS {
        let file = export(&served.bench, name, source);
        let (text, ours) = in_sandbox(name, source);
        let (official_text, theirs) = by_official_sdk(&python, &port, &file);
        assert_eq!(text, official_text, "{name}");
        let (ours, theirs) = (parts(&ours), parts(&theirs));
        assert_eq!(ours.len(), theirs.len(), "{name}: {ours:?}\n{theirs:?}");
        let mut streamed = 0;
        for (ours, theirs) in ours.iter().zip(&theirs) {
            if let ([our], [their]) = (ours, theirs)
                && our.is_goto
            {
                assert!(our.distance(their) < 1e-9, "{name}: {our:?}\n{their:?}");
                assert_eq!(our.duration, their.duration, "{name}");
                continue;
            }
            streamed += ours.len();
            assert_same_stream(name, ours, theirs);
        }
        assert_eq!(streamed > 0, name == "two_tempi", "{name}: {streamed} streamed goals");
    }
}

/// Asserts that two streams go the same way at the same time. On a busy computer the official one may leave goals out, and
/// single ones are late.
#[track_caller]
fn assert_same_stream(name: &str, ours: &[Goal], theirs: &[Goal]) {
    assert!(
        theirs.len() * 2 > ours.len() && theirs.len() <= ours.len(),
        "{name}: {} of {}",
        theirs.len(),
        ours.len()
    );
    let (our_start, their_start) = (ours[0].at, theirs[0].at);
    let mut next = 0;
    let mut apart = Vec::new();
    for their in theirs {
        // Every goal is one of ours, in the same order.
        let found = ours[next..].iter().position(|our| our.distance(their) < 1e-6);
        next += found.unwrap_or_else(|| panic!("{name}: not in our stream after {next}: {their:?}"));
        let at = their.at - their_start;
        let same_time = ours.iter().min_by(|a, b| {
            let off = |goal: &Goal| (goal.at - our_start - at).abs();
            off(a).total_cmp(&off(b))
        });
        apart.push(same_time.unwrap().distance(their));
    }
    apart.sort_by(f64::total_cmp);
    let median = apart[apart.len() / 2];
    assert!(median < 0.5, "{name}: {median} degrees apart at the same time: {apart:?}");
    assert!(
        ours.last().unwrap().distance(theirs.last().unwrap()) < 1e-9,
        "{name}: both end at the same goal"
    );
}

#[test]
fn export_for_the_official_package_changes_no_file_and_refuses_what_needs_minismith() {
    let bench = TestDir::new();
    let file = export(&bench, "growing", GROWING);
    let folder = file.parent().unwrap().to_str().unwrap();
    let module = workspace().join("controller/tool-host/src/python/motion.py");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), GROWING);
    assert_eq!(std::fs::read(file.with_file_name("motion.py")).unwrap(), std::fs::read(module).unwrap());
    // The same again is no change; another file in its place stays.
    let export_again = |name: &str| bench.run(&["tool", "export-python", name, "--out", folder]);
    assert_eq!(export_again("growing").code, Some(0));
    std::fs::write(&file, "mine").unwrap();
    export_again("growing").is_error(&["growing.py", "exists"]);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");

    let calls = "from minismith import exec_function\nfrom reachy_mini import ReachyMini\n\n\ndef calls(robot: ReachyMini) \
                 -> str:\n    \"\"\"Greet.\"\"\"\n    robot.goto_target(antennas=[0.1, 0.1], duration=0.5, body_yaw=None)\n    \
                 return str(exec_function(\"growing\", times=2))\n";
    let calls = bench.write("calls.py", calls);
    let added = bench.run(&["tool", "add", calls.to_str().unwrap()]);
    assert_eq!(added.code, Some(0), "{added:?}");
    let refused = export_again("calls").exits(1);
    assert!(refused.out.contains("it calls growing"), "{}", refused.out);
    let unknown = export_again("nobody").exits(1);
    assert!(unknown.out.contains("nobody"), "{}", unknown.out);
}

#[test]
fn tools_in_the_language_pass_policy_and_rehearsal() {
    let bench = TestDir::new();
    let mut files: Vec<PathBuf> =
        TOOLS.iter().map(|(name, source)| bench.write(&format!("{name}.py"), source)).collect();
    let cases = ["nod_and_wiggle", "growing_sway", "waves_at_a_face", "shared_steps"];
    files.extend(cases.map(|name| workspace().join(format!("tests/cases/good/{name}.py"))));
    let names: Vec<&str> = files.iter().map(|file| file.to_str().unwrap()).collect();
    let checked = bench.run(&[&["tool", "check", "--json"], &names[..]].concat()).exits(0).json();
    let results = checked["results"].as_array().unwrap();
    assert_eq!(results.len(), files.len());
    for result in results {
        assert_eq!(result["admitted"], json!(true), "{result}");
    }
}

#[test]
fn cases_are_judged_by_the_rule_that_they_name() {
    use minismith_analysis::draft::Draft;
    use minismith_analysis::policy::vet;
    use minismith_tests::cases::{ExpectedOutcome, cases};
    let mut counts = [0, 0];
    for (at, folder) in ["good", "bad"].iter().enumerate() {
        let all = cases(&workspace().join("tests/cases").join(folder)).unwrap();
        for case in all
            .iter()
            .filter(|case| case.source().contains("motion import") || case.source().contains("import motion"))
        {
            let judged = Draft::read(&case.name, &case.bytes).map(vet).unwrap();
            match &case.must {
                ExpectedOutcome::Pass => assert!(judged.is_ok(), "{}: {judged:?}", case.name),
                ExpectedOutcome::Rule(rule) => {
                    let refused = judged.expect_err(&case.name);
                    assert!(
                        refused.findings().iter().any(|it| it.rule == *rule),
                        "{}: {refused:?}",
                        case.name
                    );
                }
                other => panic!("{}: {other:?}", case.name),
            }
            counts[at] += 1;
        }
    }
    assert!(counts[0] >= 3 && counts[1] >= 4, "{counts:?}");
}
