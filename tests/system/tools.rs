//! The life of a tool on the command line: checked, stored, called, replaced, rolled back, approved and rejected.

use minismith_analysis::submission::Submission;
use minismith_runtime::config::Config;
use minismith_tests::{TestDir, predefined_tools, python_files, workspace};
use minismith_toolchain::workshop::Workshop;
use serde_json::{Value, json};

/// Returns a tool `greet` that answers this word.
fn greet(word: &str) -> String {
    format!(
        "def greet(times: int = 1) -> str:\n    \"\"\"Greet.\n\n    Args:\n        times: How often, between 1 and 5.\n\n    \
         Returns:\n        The greeting.\n    \"\"\"\n    return \" \".join([\"{word}\"] * times)\n"
    )
}

/// A tool that moves and needs approval: it hides whether its motion was rejected.
const QUIET: &str = r#"from reachy_mini import ReachyMini


def quiet(robot: ReachyMini, times: int = 1) -> int:
    """Move the antennas, whatever comes of it.

    Args:
        robot: The robot.
        times: How often, between 1 and 5.

    Returns:
        How often.
    """
    for _ in range(times):
        try:
            robot.goto_target(antennas=[0.3, -0.3], duration=0.2)
        except Exception:
            pass
    return times
"#;

#[track_caller]
pub(super) fn add(bench: &TestDir, name: &str, source: &str) -> Value {
    let file = bench.write(&format!("{name}.py"), source);
    bench.run(&["tool", "add", file.to_str().unwrap(), "--json"]).exits(0).json()
}

/// Runs a tool that must return, and returns its version and value.
#[track_caller]
pub(super) fn run(bench: &TestDir, name: &str, args: &str) -> (Value, Value) {
    let ran = bench.run(&["tool", "run", name, "--args", args, "--json"]).exits(0).json();
    assert_eq!(ran["performance"]["ended"], "returned", "{ran}");
    (ran["version"].clone(), ran["performance"]["value"].clone())
}

/// Asserts that a command is rejected with all these words in its JSON output.
#[track_caller]
fn refused(bench: &TestDir, arguments: &[&str], words: &[&str]) {
    let json = bench.run(&[arguments, &["--json"]].concat()).exits(1).json();
    let refusal = json["refusal"].as_str().unwrap();
    assert!(words.iter().all(|word| refusal.contains(word)), "{words:?} are not all in {refusal:?}");
    let text = bench.run(arguments).exits(1).out;
    assert!(text.contains(words[0]), "{text}");
}

#[test]
fn check_reports_the_layer_and_registers_nothing() {
    let bench = TestDir::new();
    let good = bench.write("greet.py", &greet("hello"));
    let bad =
        bench.write("open_it.py", &greet("x").replace("greet", "open_it").replace("\" \".", "open(\"x\")."));
    let loud = bench.write(
        "loud.py",
        &greet("x").replace("greet", "loud").replace("return", "print(\"x\" * 100_000 * times)\n    return"),
    );
    let latin = bench.path("latin.py");
    std::fs::write(&latin, b"x = '\xff'\n").unwrap();
    let files = [&good, &bad, &loud, &latin].map(|file| file.to_str().unwrap());
    let checked = bench.run(&[&["tool", "check", "--json"], &files[..]].concat()).exits(1).json();
    let results = checked["results"].as_array().unwrap();
    let stages: Vec<(&Value, &Value)> =
        results.iter().map(|result| (&result["stage"], &result["admitted"])).collect();
    let expected = [("admitted", true), ("policy", false), ("rehearsal", false), ("policy", false)];
    assert_eq!(json!(stages), json!(expected), "{checked}");
    let names: Vec<&Value> = results.iter().map(|result| &result["name"]).collect();
    assert_eq!(json!(names), json!(["greet", "open_it", "loud", "latin"]));
    for (result, file) in results.iter().zip(files) {
        assert_eq!((&result["file"], &result["needs_approval"]), (&json!(file), &json!(false)));
        assert!(result["seconds"].as_f64().unwrap() >= 0.0);
        for finding in result["findings"].as_array().unwrap() {
            assert!(finding["line"].is_u64() && !finding["hint"].as_str().unwrap().is_empty(), "{finding}");
        }
    }
    assert_eq!(
        (&results[1]["report"], &results[1]["findings"][0]["verdict"]),
        (&Value::Null, &json!("refuse"))
    );
    assert_eq!(results[2]["findings"][0]["rule"], "rehearsal-output-bytes");
    assert_eq!(bench.run(&["tool", "list", "--json"]).exits(0).json(), json!({ "tools": [] }));

    let args = |args: &str| bench.run(&["tool", "check", files[0], "--json", "--args", args]);
    let cases = args(r#"{"times": 4}"#).exits(0).json()["results"][0]["cases"].clone();
    assert!(cases.as_array().unwrap().iter().any(|case| case["arguments"] == json!({"times": 4})), "{cases}");
    bench.run(&["tool", "check", "nowhere.py", "--json"]).is_error(&["nowhere.py"]);
    let long = bench.write("long.py", &"#".repeat(2 << 20));
    bench.run(&["tool", "check", long.to_str().unwrap()]).is_error(&["long.py", "64 KiB"]);
}

#[test]
fn tool_has_versions_and_rolls_back() {
    let bench = TestDir::new();
    assert_eq!(add(&bench, "greet", &greet("one"))["registered"]["version"], 1);
    assert_eq!(add(&bench, "greet", &greet("two"))["registered"]["version"], 2);
    assert_eq!(run(&bench, "greet", r#"{"times": 2}"#), (json!(2), json!("two two")));
    let list = bench.run(&["tool", "list", "--json"]).exits(0).json();
    let entry = &list["tools"][0];
    assert_eq!(
        (&entry["name"], &entry["version"], &entry["versions"]),
        (&json!("greet"), &json!(2), &json!([1, 2]))
    );

    let back = bench.run(&["tool", "rollback", "greet", "--json"]).exits(0).json();
    assert_eq!(back, json!({"name": "greet", "from": 2, "to": 1}));
    assert_eq!(run(&bench, "greet", "{}"), (json!(1), json!("one")));
    refused(&bench, &["tool", "rollback", "greet"], &["first version", "nothing to roll back"]);
    let shown = bench.run(&["tool", "show", "greet", "--version", "2", "--json"]).exits(0).json();
    assert_eq!(shown["code"], greet("two"));
    assert_eq!((&shown["manifest"]["version"], &shown["approved"]), (&json!(2), &json!(false)));
    refused(&bench, &["tool", "show", "greet", "--version", "7"], &["no version 7", "1, 2"]);

    // Identical code is no new version, but it becomes the called one again. Different code is a new version.
    assert_eq!(add(&bench, "greet", &greet("two"))["registered"]["version"], 2);
    assert_eq!(run(&bench, "greet", "{}"), (json!(2), json!("two")));
    assert_eq!(add(&bench, "greet", &greet("three"))["registered"]["version"], 3);
    let bad = bench.write("greet.py", &greet("four").replace("times: int", "times"));
    let refused = bench.run(&["tool", "add", bad.to_str().unwrap(), "--json"]).exits(1).json();
    assert_eq!((&refused["registered"], &refused["checked"]["stage"]), (&Value::Null, &json!("policy")));
    assert_eq!(run(&bench, "greet", "{}"), (json!(3), json!("three")));
}

#[test]
fn invalid_call_is_rejected_before_anything_runs() {
    let bench = TestDir::new();
    add(&bench, "greet", &greet("hello"));
    let run = |name: &'static str, args: &'static str| ["tool", "run", name, "--args", args];
    refused(&bench, &run("gret", "{}"), &["no tool \"gret\"", "did you mean greet?"]);
    refused(&bench, &run("zebra", "{}"), &["no tool \"zebra\"", "tool list"]);
    refused(&bench, &run("../greet", "{}"), &["no tool"]);
    refused(&bench, &run("greet", r#"{"times": 6}"#), &["`times` is 6", "between 1 and 5"]);
    refused(&bench, &run("greet", r#"{"times": "two"}"#), &["`times`", "integer"]);
    refused(&bench, &run("greet", r#"{"tims": 2}"#), &["`tims`", "did you mean `times`"]);
    bench.run(&run("greet", "times=2")).is_error(&["--args is not JSON", "{\"times\": 2}"]);
    bench.run(&run("greet", "[2]")).is_error(&["JSON object"]);
}

#[test]
fn code_changed_outside_the_registry_is_not_run() {
    let bench = TestDir::new();
    add(&bench, "greet", &greet("hello"));
    add(&bench, "greet", &greet("changed"));
    bench.write("tools/generated/greet/v2.py", &greet("changed behind"));
    refused(&bench, &["tool", "run", "greet"], &["v2.py has changed since it was accepted", "tool add"]);
    bench.write("tools/generated/greet/v2.py", "import os\n");
    refused(&bench, &["tool", "run", "greet"], &["greet"]);
    std::fs::remove_file(bench.path("tools/generated/greet/v2.py")).unwrap();
    bench.run(&["tool", "run", "greet", "--json"]).is_error(&["v2.py"]);
    let _one = bench.run(&["tool", "rollback", "greet", "--json"]).exits(0);
    assert_eq!(run(&bench, "greet", "{}"), (json!(1), json!("hello")));
}

#[test]
fn real_motors_move_only_after_approval() {
    let bench = TestDir::new();
    let added = add(&bench, "quiet", QUIET);
    assert_eq!(
        (&added["checked"]["needs_approval"], &added["checked"]["stage"]),
        (&json!(true), &json!("admitted"))
    );
    assert_eq!(added["checked"]["findings"][0]["rule"], "swallowed-exception");
    // It may run on the mock. A serial line counts as real motors.
    assert_eq!(run(&bench, "quiet", "{}").1, json!(1));
    let mut mock = bench.start(&["mock"]);
    let path = mock.line().unwrap();
    let on_the_line = ["tool", "run", "quiet", "--robot", &path];
    refused(&bench, &on_the_line, &["approval", "tool approve quiet"]);
    let approved = bench.run(&["tool", "approve", "quiet", "--json"]).exits(0).json();
    assert_eq!(approved, json!({"name": "quiet", "approved": 1}));
    assert_eq!(bench.run(&["tool", "show", "quiet", "--json"]).exits(0).json()["approved"], true);
    let ran = bench.run(&[&on_the_line[..], &["--json"]].concat()).exits(0).json();
    assert_eq!(ran["performance"]["value"], 1);
    refused(&bench, &["tool", "approve", "quie"], &["no tool \"quie\"", "did you mean quiet?"]);
}

#[test]
fn stale_evidence_triggers_a_new_rehearsal() {
    let bench = TestDir::new();
    add(&bench, "greet", &greet("hello"));
    let manifest = bench.path("tools/generated/greet/v1.json");
    let mut edited: Value = serde_json::from_slice(&std::fs::read(&manifest).unwrap()).unwrap();
    let command = || {
        let mut command = bench.command(&["tool", "run", "greet", "--json"]);
        command.env("MINISMITH_LOG", "info");
        minismith_tests::CommandOutput::from(command)
    };
    let fresh = command().exits(0);
    assert!(!fresh.err.contains("rehearsing again"), "{}", fresh.err);

    edited["evidence"]["mock"] = json!("another mock");
    // An older program has left no hash of the manifest.
    std::fs::remove_file(manifest.with_extension("sha256")).unwrap();
    std::fs::write(&manifest, edited.to_string()).unwrap();
    let stale = command().exits(0);
    assert!(stale.err.contains("rehearsing again"), "{}", stale.err);
    assert_eq!(stale.json()["performance"]["value"], "hello");

    // This shows that the rehearsal really runs again, including the tool's own test cases.
    let never = json!({"returns": {"value": "never"}});
    edited["test_cases"] = json!([{"name": "other", "arguments": {}, "expect": never}]);
    std::fs::write(&manifest, edited.to_string()).unwrap();
    let refusal = command().exits(1).json()["refusal"].as_str().unwrap().to_owned();
    assert!(refusal.contains("does not pass now") && refusal.contains("never"), "{refusal}");
}

#[test]
fn predefined_tools_are_made_only_of_their_sources() {
    let bench = TestDir::new();
    let make = |path: &str| bench.run(&["tool", "add", path, "--predefined"]);
    let elsewhere = bench.write("greet.py", &greet("hello"));
    make(elsewhere.to_str().unwrap()).is_error(&["greet.py", "tools/sources"]);
    let source = bench.write("tools/sources/greet.py", &greet("hello"));
    let source = source.to_str().unwrap();
    assert!(make(source).exits(0).out.contains("greet is version 1 now"));
    let entry = bench.run(&["tool", "list", "--json"]).exits(0).json()["tools"][0].clone();
    assert_eq!((&entry["predefined"], &entry["approved"]), (&json!(true), &json!(true)), "{entry}");
    let files =
        [".py", ".json", ".md", ".svg"].map(|end| bench.path(&format!("tools/predefined/greet/v1{end}")));
    assert!(files.iter().all(|file| file.exists()));
    assert!(make(source).exits(0).out.contains("greet is up to date"));
    // Other declarations renew the version; other code is a new one, and the old one goes.
    bench.write("tools/sources/greet.yaml", "examples: [{arguments: {times: 3}}]\n");
    assert!(make(source).exits(0).out.contains("greet is version 1 now"));
    bench.write("tools/sources/greet.py", &greet("good day"));
    assert!(make(source).exits(0).out.contains("greet is version 2 now"));
    assert!(files.iter().all(|file| !file.exists()));
    assert_eq!(run(&bench, "greet", "{}"), (json!(2), json!("good day")));
    // The rule for everybody else stays.
    refused(&bench, &["tool", "add", elsewhere.to_str().unwrap()], &["greet comes with the program"]);
}

#[test]
fn own_tool_gives_way_to_a_predefined_one_of_its_name() {
    let bench = TestDir::new();
    add(&bench, "greet", &greet("mine"));
    let source = bench.write("tools/sources/greet.py", &greet("hello"));
    let _made = bench.run(&["tool", "add", source.to_str().unwrap(), "--predefined"]).exits(0);
    let tools = bench.run(&["tool", "list", "--json"]).exits(0).json()["tools"].clone();
    assert_eq!((tools.as_array().unwrap().len(), &tools[0]["predefined"]), (1, &json!(true)), "{tools}");
    assert_eq!(run(&bench, "greet", "{}"), (json!(1), json!("hello")));
}

#[test]
fn predefined_tools_are_verified_under_the_default_configuration() {
    let config = Config { tools: workspace().join("tools"), ..Config::built_in().unwrap() };
    let workshop = Workshop::open(&config).unwrap();
    let predefined = predefined_tools();
    let sources = python_files(&workspace().join("tools/sources")).unwrap();
    assert!(predefined.len() >= 72, "{}", predefined.len());
    assert_eq!(predefined.len(), sources.len(), "run `make predefined`");
    for source in sources {
        let submission = Submission::read(&source).unwrap();
        assert!(workshop.is_predefined_current(&submission), "{}: run `make predefined`", submission.name);
    }
    for tool in predefined {
        let accepted = workshop.registry().load(&tool.name, None).unwrap();
        assert!(accepted.is_approved(), "{}", tool.name);
        assert_eq!(
            *accepted.evidence(),
            workshop.conditions(true).evidence(),
            "{}: approve it again",
            tool.name
        );
    }
}
