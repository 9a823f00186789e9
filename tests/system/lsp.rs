//! The language server, driven over standard input and output as an editor does.

mod client;
mod hostile;
mod rehearsal;

use std::collections::{BTreeMap, BTreeSet};

use client::{Client, applied, change, covered, framed};
use minismith_analysis::draft::Draft;
use minismith_analysis::finding::{Finding, Verdict};
use minismith_analysis::policy::{permitted, rules, vet};
use minismith_tests::cases::cases;
use minismith_tests::{TestDir, workspace};
use serde_json::Value;

/// A tool without findings.
const GOOD: &str = r#"from motion import head, perform
from reachy_mini import ReachyMini


def glance(robot: ReachyMini, degrees: float = 20.0) -> str:
    """Glance to the left.

    Args:
        robot: The robot.
        degrees: How far, between 0 and 60.
    """
    return perform(robot, head(left=degrees), head())
"#;

fn findings(name: &str, text: &str) -> Vec<Finding> {
    match Draft::read(name, text.as_bytes()).map(vet) {
        Err(findings) => findings,
        Ok(Err(refused)) => refused.into_findings(),
        Ok(Ok(checked)) => checked.findings().to_vec(),
    }
}

fn uri(bench: &TestDir, name: &str) -> String {
    format!("file://{}", bench.path(&format!("{name}.py")).display())
}

/// Returns the texts of all cases and of all examples of the rules, by name.
fn texts() -> Vec<(String, String)> {
    let mut texts = Vec::new();
    for folder in ["tests/cases/bad", "tests/cases/good"] {
        for case in cases(&workspace().join(folder)).unwrap() {
            texts.extend(String::from_utf8(case.bytes).ok().map(|text| (case.name, text)));
        }
    }
    for rule in rules() {
        // The marks in angle brackets stand for characters that should not be printed.
        for example in [rule.bad, rule.good].into_iter().filter(|example| !example.contains(" x>")) {
            texts.push(("example".to_owned(), tool_around(example)));
        }
    }
    texts
}

/// Makes a tool of an example, which is a body with its imports or a whole tool.
fn tool_around(example: &str) -> String {
    if example.contains("def example") {
        return example.to_owned();
    }
    let is_import = |line: &&str| line.starts_with("import ") || line.starts_with("from ");
    let imports: Vec<&str> = example.lines().take_while(is_import).collect();
    let body: Vec<String> =
        example.lines().skip_while(is_import).map(|line| format!("    {line}\n")).collect();
    format!(
        "from reachy_mini import ReachyMini\n{}\n\n\ndef example(robot: ReachyMini, n: int = 1) -> int:\n    \
         \"\"\"Show one rule.\n\n    Args:\n        n: A number.\n    \"\"\"\n{}    return n\n",
        imports.join("\n"),
        body.concat()
    )
}

#[test]
fn lsp_diagnostics_are_the_findings_of_the_policy() {
    let bench = TestDir::new();
    let mut client = Client::initialised(&bench);
    let mut count = 0;
    for (name, text) in texts() {
        let uri = uri(&bench, &name);
        let shown = client.open(&uri, &text);
        let expected = findings(&name, &text);
        assert_eq!(shown.len(), expected.len(), "{name}: {shown:#?}\n{expected:#?}");
        for (shown, finding) in shown.iter().zip(&expected) {
            let severity = match finding.verdict {
                Verdict::Reject => 1,
                Verdict::NeedsApproval => 2,
                Verdict::Pass => 3,
            };
            let message = format!("{}\n{}", finding.reason, finding.hint);
            assert_eq!(shown["code"], finding.rule.as_str(), "{name}");
            assert_eq!(
                (&shown["severity"], &shown["message"]),
                (&severity.into(), &message.into()),
                "{name}"
            );
            let code = covered(&text, &shown["range"]);
            let line = text.split('\n').nth(finding.line as usize - 1).unwrap_or_default();
            assert!(line.contains(code), "{name}: {code:?} is not in line {}: {line:?}", finding.line);
            assert!(!code.is_empty() || line.trim().is_empty(), "{name}: nothing is marked of {line:?}");
            count += 1;
        }
        client.close(&uri);
    }
    assert!(count > 300, "{count} findings");
    assert_eq!(client.end().0, Some(0));
}

#[test]
fn lsp_says_what_tool_check_says() {
    let bench = TestDir::new();
    let text = GOOD.replace("left=", "lift=").replace("-> str", "-> str | int");
    let file = bench.write("glance.py", &text);
    let checked = bench.run(&["tool", "check", "--json", file.to_str().unwrap()]).exits(1).json();
    let findings = checked["results"][0]["findings"].as_array().unwrap();
    let mut client = Client::initialised(&bench);
    let shown = client.open(&uri(&bench, "glance"), &text);
    let pairs = |all: &[Value], line: fn(&Value) -> u64, rule: &str| -> Vec<(u64, String)> {
        all.iter().map(|one| (line(one), one[rule].as_str().unwrap().to_owned())).collect()
    };
    assert_eq!(
        pairs(&shown, |one| one["range"]["start"]["line"].as_u64().unwrap() + 1, "code"),
        pairs(findings, |one| one["line"].as_u64().unwrap(), "rule"),
    );
}

#[test]
fn lsp_positions_count_utf16_units() {
    let bench = TestDir::new();
    let mut client = Client::initialised(&bench);
    let text = "from reachy_mini import ReachyMini\r\n\r\n\r\ndef caf(robot: ReachyMini) -> str:\r\n    \"\"\"Serve \u{1f916} \u{e9}.\"\"\"\r\n    s = \"\u{1f916}\u{e9}\"; robot.wake_pu()\r\n    return s\r\n";
    let uri = uri(&bench, "caf");
    let shown = client.open(&uri, text);
    let [shown] = shown.as_slice() else { panic!("{shown:#?}") };
    // Two units for the robot, one for the letter.
    let range = serde_json::json!({
        "start": { "line": 5, "character": 15 }, "end": { "line": 5, "character": 28 }
    });
    assert_eq!((&shown["range"], covered(text, &shown["range"])), (&range, "robot.wake_pu"));
    let actions = client.actions(&uri);
    let fixed = applied(text, &actions[0]);
    assert_eq!(fixed, text.replace("wake_pu", "wake_up"));
}

#[test]
fn lsp_shows_a_syntax_error_at_its_place() {
    let bench = TestDir::new();
    let mut client = Client::initialised(&bench);
    let text = format!("{GOOD}\n\ndef _broken(:\n    pass\n");
    let shown = client.open(&uri(&bench, "glance"), &text);
    assert_eq!(shown.len(), 1, "{shown:#?}");
    assert_eq!(
        (&shown[0]["code"], &shown[0]["range"]["start"]["line"]),
        (&"syntax-error".into(), &14.into())
    );
}

#[test]
fn lsp_checks_when_typing_rests() {
    let bench = TestDir::new();
    let mut client = Client::initialised(&bench);
    let uri = uri(&bench, "glance");
    assert_eq!(client.open(&uri, GOOD), Vec::<Value>::new());
    let mut typed = Vec::new();
    for version in 2..=40 {
        let text = if version < 40 { format!("{GOOD}# {version}\n") } else { GOOD.replace("left", "lift") };
        typed.extend(framed(&change(&uri, version, &text)));
    }
    client.write(&typed);
    assert_eq!(client.diagnostics(&uri, 40).len(), 1);
    let checks =
        client.received.iter().filter(|it| it["method"] == "textDocument/publishDiagnostics").count();
    assert!(checks < 5, "{checks} checks of 39 changes");
    client.close(&uri);
    let published = client.next("textDocument/publishDiagnostics");
    assert_eq!(published["params"]["diagnostics"], serde_json::json!([]), "a closed document shows nothing");
}

#[test]
fn lsp_shows_one_diagnostic_for_a_document_that_is_too_long() {
    let bench = TestDir::new();
    let mut client = Client::initialised(&bench);
    for length in [70_000, 4 << 20] {
        let uri = uri(&bench, &format!("long_{length}"));
        let shown = client.open(&uri, &"x = 1\n".repeat(length / 6));
        assert_eq!(shown.len(), 1);
        assert_eq!(shown[0]["code"], "source-too-long");
        assert!(shown[0]["message"].as_str().unwrap().contains("at most 65536 are read"), "{shown:?}");
        assert!(client.actions(&uri).len() <= 1);
    }
    assert_eq!(client.end().0, Some(0));
}

#[test]
fn lsp_reads_the_modules_of_a_toolkit_together() {
    let bench = TestDir::new();
    let main =
        GOOD.replace("def glance", "def greetings").replace("\n\n\ndef", "\nfrom .poses import BOW\n\n\ndef");
    let main = main.replace("left=degrees", "left=degrees + BOW");
    bench.write("greetings/greetings.py", &main);
    bench.write("greetings/poses.py", "OTHER = 1\n");
    let mut client = Client::initialised(&bench);
    let shown = client.open(&uri(&bench, "greetings/greetings"), &main);
    assert!(shown[0]["message"].as_str().unwrap().starts_with("poses.py defines no `BOW`"), "{shown:?}");
    client.close(&uri(&bench, "greetings/greetings"));
    assert_eq!(client.open(&uri(&bench, "greetings/poses"), "BOW = 1\n"), Vec::<Value>::new());
    // What is open counts, not what is stored.
    let main_uri = uri(&bench, "greetings/greetings");
    assert_eq!(client.open(&main_uri, &main), Vec::<Value>::new());
    client.change(&uri(&bench, "greetings/poses"), 2, "LEAN = 1\n");
    assert_eq!(client.diagnostics(&main_uri, 1).len(), 1, "a change of one module concerns the others");
}

fn labels(result: &Value) -> Vec<&str> {
    result["items"].as_array().unwrap().iter().map(|item| item["label"].as_str().unwrap()).collect()
}

fn labelled<'r>(result: &'r Value, label: &str) -> &'r Value {
    result["items"].as_array().unwrap().iter().find(|item| item["label"] == label).unwrap()
}

#[test]
fn lsp_completes_what_tools_may_use() {
    let bench = TestDir::new();
    let mut client = Client::initialised(&bench);
    let (uri, surface) = (uri(&bench, "glance"), permitted());
    let complete = "textDocument/completion";
    let body = |line: &str| GOOD.replace("    return perform", &format!("    {line}\n    return perform"));

    let attributes = client.at(complete, &uri, &body("robot.|"));
    let expected: Vec<&str> = surface.robot.iter().map(|callable| callable.name).collect();
    assert_eq!(labels(&attributes), expected);
    let goto = labelled(&attributes, "goto_target");
    assert!(goto["detail"].as_str().unwrap().contains("duration: float = 0.5"), "{goto}");
    assert!(
        goto["documentation"]["value"].as_str().unwrap().contains("Moves to a posture and waits"),
        "{goto}"
    );
    let media = client.at(complete, &uri, &body("frame = robot.media.get|"));
    let expected_media: Vec<&str> = surface.media.iter().map(|callable| callable.name).collect();
    assert_eq!(labels(&media), expected_media);
    let edit = &labelled(&media, "get_frame")["textEdit"];
    assert_eq!(edit["range"]["start"]["character"].as_u64().unwrap() + 3, edit["range"]["end"]["character"]);

    let motion = client.at(complete, &uri, &GOOD.replace("import head, perform", "import |"));
    let (_, names) = surface.modules.iter().find(|(path, _)| *path == "motion").unwrap();
    assert_eq!(labels(&motion), *names);
    let whenever = labelled(&motion, "whenever");
    assert!(whenever["detail"].as_str().unwrap().contains("seconds: Amount = 20"), "{whenever}");
    assert!(whenever["documentation"]["value"].as_str().unwrap().contains("0.1 to 120"), "{whenever}");

    let arguments = client.at(complete, &uri, &GOOD.replace("head(left=degrees)", "head(|)"));
    let first: Vec<&str> = labels(&arguments).into_iter().take_while(|label| label.ends_with('=')).collect();
    assert_eq!((first.len(), first[0]), (14, "left="), "{first:?}");
    let wait = labelled(&arguments, "wait");
    assert_eq!(wait["detail"], "from motion import wait");
    let (edits, text) = (&wait["additionalTextEdits"], GOOD.replace("left=degrees", ""));
    let action = serde_json::json!({ "edit": { "changes": { "x": edits } } });
    assert!(applied(&text, &action).contains("import head, perform, wait\n"), "{edits}");

    let easings = client.at(complete, &uri, &GOOD.replace("left=degrees", "easing=\"|\""));
    assert_eq!(labels(&easings), surface.easings);
    let methods = client.at(complete, &uri, &body("robot.goto_target(method='min|')"));
    assert_eq!(labels(&methods), surface.methods);
    let modules = client.at(complete, &uri, &GOOD.replace("from motion import head, perform", "import |"));
    assert!(labels(&modules).contains(&"numpy") && !labels(&modules).contains(&"os"));
    let numbers = client.at(complete, &uri, &body("math.|").replacen("from", "import math\nfrom", 1));
    assert!(labels(&numbers).contains(&"radians"));
    for nothing in ["# robot.|", "x = 'robot.|'", "unknown.|"] {
        assert_eq!(labels(&client.at(complete, &uri, &body(nothing))), Vec::<&str>::new(), "{nothing}");
    }
    // A text that is no tree completes too.
    let half = "from reachy_mini import ReachyMini\n\n\ndef nod(mini: ReachyMini) -> str:\n    if (mini.|";
    assert_eq!(labels(&client.at(complete, &uri, half)), expected);
}

#[test]
fn lsp_hover_shows_units_and_limits_of_the_configuration() {
    let bench = TestDir::configured("limits: {head: {max_pitch_deg: 25}}\n");
    let mut client = Client::initialised(&bench);
    let uri = uri(&bench, "glance");
    let mut hover = |marked: &str| {
        let result = client.at("textDocument/hover", &uri, marked);
        result["contents"]["value"].as_str().map(str::to_owned).unwrap_or_default()
    };
    let pose = GOOD.replace("from reachy", "from reachy_mini.utils import create_head_pose\nfrom reachy");
    let pose = pose.replace(
        "    return",
        "    robot.goto_target(create_head_pose(pi|tch=10), body_yaw=0.5)\n    return",
    );
    let shown = hover(&pose);
    assert!(shown.contains("pitch: float = 0.0") && shown.contains("Range: -25 to 25 degrees"), "{shown}");
    let shown = hover(&pose.replace("pi|tch", "pitch").replace("body_yaw=", "bod|y_yaw="));
    assert!(shown.contains("radians") && shown.contains("-160 to 160 degrees"), "{shown}");
    let shown = hover(&pose.replace("pi|tch", "pitch").replace("create_head_pose(", "create_hea|d_pose("));
    assert!(shown.contains("create_head_pose(") && shown.contains("extrinsic"), "{shown}");
    assert!(shown.contains("`pitch`: Down, in degrees"), "{shown}");
    let shown = hover(&GOOD.replace("head(left", "he|ad(left"));
    assert!(shown.contains("Moves the named axes") && shown.contains("0 to 60 degrees"), "{shown}");
    let shown = hover(&GOOD.replace("import head", "import hea|d"));
    assert!(shown.contains("Moves the named axes"), "{shown}");
    let shown = hover(&GOOD.replace("head(left", "head(up=10, le|ft"));
    assert!(shown.contains("Range: 0 to 60 degrees"), "{shown}");
    let shown = hover(&GOOD.replace("head(left=degrees)", "head(u|p=10)"));
    assert!(shown.contains("Range: 0 to 25 degrees"), "{shown}");
    for nothing in ["\"\"\"Gl|ance", "def gla|nce"] {
        assert_eq!(hover(&GOOD.replace(&nothing.replace('|', ""), nothing)), "", "{nothing}");
    }
    let help = client.at("textDocument/signatureHelp", &uri, &GOOD.replace("left=degrees", "left=1, up=|"));
    let signature = &help["signatures"][0];
    let active = help["activeParameter"].as_u64().unwrap() as usize;
    assert!(signature["label"].as_str().unwrap().starts_with("head("), "{help}");
    assert!(signature["parameters"][active]["label"].as_str().unwrap().starts_with("up:"), "{help}");
}

/// Rules for which at least one of the cases and examples has a fix.
const FIXED: &[&str] = &[
    "bidirectional-control",
    "blocking-call",
    "blocking-sleep",
    "builtin-rebound",
    "busy-loop",
    "byte-order-mark",
    "control-character",
    "doubtful-unit",
    "dunder-attribute",
    "encoding-cookie",
    "endless-loop",
    "exact-comparison",
    "forgotten-await",
    "invalid-step",
    "long-sleep",
    "missing-docstring",
    "missing-type-hint",
    "module-level-code",
    "mutable-default",
    "newer-syntax",
    "out-of-range",
    "star-import",
    "swallowed-exception",
    "undocumented-parameter",
    "unknown-argument",
    "unknown-robot-method",
    "unlisted-attribute",
    "unlisted-import",
    "unreachable-code",
    "unsupported-type",
    "unused-parameter",
    "wrong-unit",
];

#[test]
fn lsp_fixes_remove_their_findings() {
    let bench = TestDir::new();
    let mut client = Client::initialised(&bench);
    let mut fixed: BTreeMap<String, usize> = BTreeMap::new();
    for (name, text) in texts() {
        let text =
            text.replace("<U+FEFF>", "\u{feff}").replace("<U+000C>", "\u{c}").replace("<U+202E>", "\u{202e}");
        let uri = uri(&bench, &name);
        client.open(&uri, &text);
        let before = findings(&name, &text);
        for action in client.actions(&uri).iter().filter(|action| action["kind"] == "quickfix") {
            let diagnostic = &action["diagnostics"][0];
            let rule = diagnostic["code"].as_str().unwrap();
            let reason = diagnostic["message"].as_str().unwrap().split('\n').next().unwrap();
            let changed = applied(&text, action);
            let after = findings(&name, &changed);
            let count =
                |all: &[Finding]| all.iter().filter(|it| it.rule == rule && it.reason == reason).count();
            assert!(count(&after) < count(&before), "{name}: {action:#}\n{changed}\n{after:#?}");
            let is_tree = |all: &[Finding]| !all.iter().any(|it| it.rule == "syntax-error");
            assert!(is_tree(&after) || !is_tree(&before), "{name}: {action:#}\n{changed}");
            *fixed.entry(rule.to_owned()).or_default() += 1;
        }
        client.close(&uri);
    }
    println!("{} fixes: {fixed:?}", fixed.values().sum::<usize>());
    let fixed: BTreeSet<&str> = fixed.keys().map(String::as_str).collect();
    assert_eq!(fixed, FIXED.iter().copied().collect());
}

#[test]
fn lsp_offers_fixes_where_they_are_asked_for() {
    let bench = TestDir::new();
    let mut client = Client::initialised(&bench);
    let uri = uri(&bench, "glance");
    let text = GOOD.replace("left=", "lift=").replace("-> str", "");
    client.open(&uri, &text);
    let mut titles = |line: u32, only: &[&str]| -> Vec<String> {
        let place = serde_json::json!({ "line": line, "character": 4 });
        let mut context = serde_json::json!({ "diagnostics": [] });
        if !only.is_empty() {
            context["only"] = serde_json::json!(only);
        }
        let params = serde_json::json!({
            "textDocument": { "uri": uri }, "range": { "start": place, "end": place }, "context": context,
        });
        let actions = client.request("textDocument/codeAction", params);
        let actions = actions["result"].as_array().unwrap().clone();
        actions.iter().map(|action| action["title"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(titles(11, &["quickfix"]), ["Write `left`"]);
    assert_eq!(titles(0, &["quickfix"]), Vec::<String>::new());
    assert_eq!(titles(0, &["source"]), ["Rehearse this tool"]);
    assert_eq!(titles(11, &["refactor"]), Vec::<String>::new());
    assert_eq!(titles(11, &[]), ["Write `left`", "Rehearse this tool"]);
}
