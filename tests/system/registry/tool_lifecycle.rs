//! A tool in use: statistics, quarantine, disabling and enabling, and several versions.

use minismith_tests::TestDir;
use serde_json::{Value, json};

use super::{add, answer, list, source};

/// A tool that prints far too much for one argument that no rehearsal tries.
const CHATTY: &str = r#"def chatty(times: int = 1) -> int:
    """Say something.

    Args:
        times: How often, between 1 and 9999.

    Returns:
        How often.
    """
    if times == 4321:
        for _ in range(100_000):
            print("and another thing")
    return times
"#;

#[track_caller]
fn run(bench: &TestDir, name: &str, args: &str, code: i32) -> Value {
    bench.run(&["tool", "run", name, "--args", args, "--json"]).exits(code).json()
}

#[track_caller]
fn show(bench: &TestDir, name: &str, version: &str) -> Value {
    bench.run(&["tool", "show", name, "--version", version, "--json"]).exits(0).json()
}

#[track_caller]
fn refusal(document: &Value) -> &str {
    document["refusal"].as_str().unwrap_or_else(|| panic!("no refusal: {document}"))
}

#[test]
fn three_consecutive_faults_quarantine_a_tool_until_approval() {
    let bench = TestDir::new();
    let file = bench.write("chatty.py", CHATTY);
    let _added = bench.run(&["tool", "add", file.to_str().unwrap(), "--json"]).exits(0);
    let (fault, fine) = (r#"{"times": 4321}"#, r#"{"times": 2}"#);
    // Two faults are not three, and a success resets the count.
    for args in [fault, fault, fine, fault, fault] {
        let ran = run(&bench, "chatty", args, i32::from(args == fault));
        assert_eq!(ran["performance"]["notes"], json!([]), "{ran}");
    }
    let last = run(&bench, "chatty", fault, 1);
    assert_eq!(last["performance"]["limit"], "output_bytes", "{last}");
    assert!(last["performance"]["notes"][0].as_str().unwrap().contains("in quarantine now"), "{last}");

    let held = run(&bench, "chatty", fine, 1);
    let words =
        ["version 1 is in quarantine", "its budget is 65536", "3 times in a row", "tool approve chatty"];
    assert!(words.iter().all(|word| refusal(&held).contains(word)), "{held}");
    let listed = list(&bench).1[0].clone();
    assert!(listed["quarantine"]["reason"].as_str().unwrap().contains("65536"), "{listed}");
    assert_eq!(listed["active"], true);
    let text = bench.run(&["tool", "list"]).exits(0).out;
    assert!(text.contains("in quarantine"), "{text}");
    let shown = show(&bench, "chatty", "1");
    assert!(shown["quarantine"]["at"].as_u64().unwrap() > 1_700_000_000, "{shown}");
    let usage = &shown["usage"]["version"];
    assert_eq!((&usage["runs"], &usage["failures"]), (&json!(6), &json!(5)), "{usage}");

    // A sentence gets the same answer, and the list of tools in an answer omits it.
    let said = bench.run(&["say", "chatty", "--json"]).json();
    assert!(said["text"].as_str().unwrap().contains("in quarantine"), "{said}");
    let said = bench.run(&["say", "what tools do you have?", "--json"]).exits(0).json();
    assert!(!said["text"].as_str().unwrap().contains("chatty"), "{said}");

    let approve = ["tool", "approve", "chatty", "--approver", "the night watch", "--json"];
    let approved = bench.run(&approve).exits(0).json();
    assert_eq!(approved, json!({"name": "chatty", "approved": 1}));
    assert_eq!(run(&bench, "chatty", fine, 0)["performance"]["value"], 2);
    let shown = show(&bench, "chatty", "1");
    assert_eq!((&shown["quarantine"], &shown["approval"]["by"]), (&Value::Null, &json!("the night watch")));
    // A version without the fault is a different tool without statistics.
    for _ in 0..3 {
        let _faulted = run(&bench, "chatty", fault, 1);
    }
    let better = bench.write("chatty.py", &CHATTY.replace("100_000", "3"));
    let _added = bench.run(&["tool", "add", better.to_str().unwrap(), "--json"]).exits(0);
    assert_eq!(run(&bench, "chatty", fault, 0)["version"], 2);
    let usage = show(&bench, "chatty", "2")["usage"].clone();
    assert_eq!((&usage["version"]["runs"], &usage["tool"]["runs"]), (&json!(1), &json!(11)));
    let _back = bench.run(&["tool", "rollback", "chatty"]).exits(0);
    assert!(refusal(&run(&bench, "chatty", fine, 1)).contains("version 1 is in quarantine"));
}

#[test]
fn disabled_tool_stays_in_the_registry_and_does_not_run() {
    let bench = TestDir::new();
    add(&bench, "counter", 1);
    let deactivate = ["tool", "deactivate", "counter", "--by", "Ada", "--json"];
    let done = bench.run(&deactivate).exits(0).json();
    assert_eq!(done, json!({"name": "counter", "active": false, "changed": true}));
    assert_eq!(bench.run(&deactivate).exits(0).json()["changed"], false);
    let held = run(&bench, "counter", "{}", 1);
    assert!(refusal(&held).contains("counter is deactivated; `minismith tool activate counter`"), "{held}");
    assert_eq!(list(&bench).1[0]["active"], false);
    assert_eq!(show(&bench, "counter", "1")["deactivated"]["by"], "Ada");
    assert!(bench.run(&["tool", "list"]).exits(0).out.contains("counter v1 (deactivated)"));
    // A new version does not enable the tool again: a user disabled it.
    add(&bench, "counter", 2);
    assert!(refusal(&run(&bench, "counter", "{}", 1)).contains("deactivated"));
    let done = bench.run(&["tool", "activate", "counter", "--json"]).exits(0).json();
    assert_eq!(done, json!({"name": "counter", "active": true, "changed": true}));
    assert_eq!(answer(&bench, "counter"), 2);
    let unknown = bench.run(&["tool", "deactivate", "nobody", "--json"]).exits(1).json();
    assert!(refusal(&unknown).contains("no tool \"nobody\""), "{unknown}");
}

#[test]
fn versions_are_approved_and_restored_by_number() {
    let bench = TestDir::new();
    for number in 1..=4 {
        add(&bench, "counter", number);
    }
    let approve = ["tool", "approve", "counter", "--version", "2", "--json"];
    assert_eq!(bench.run(&approve).exits(0).json(), json!({"name": "counter", "approved": 2}));
    assert_eq!(show(&bench, "counter", "4")["approved"], false);
    let approval = show(&bench, "counter", "2")["approval"].clone();
    assert!(approval["at"].as_u64().unwrap() > 1_700_000_000, "{approval}");
    assert!(!approval["by"].as_str().unwrap().is_empty(), "{approval}");
    let back = |to| bench.run(&["tool", "rollback", "counter", "--to", to, "--json"]);
    assert_eq!(back("2").exits(0).json(), json!({"name": "counter", "from": 4, "to": 2}));
    assert_eq!(answer(&bench, "counter"), 2);
    assert!(refusal(&back("3").exits(1).json()).contains("3 is not before it"));
    assert!(refusal(&back("9").exits(1).json()).contains("no version 9"));
    assert_eq!(back("1").exits(0).json()["from"], 2);
    // The files of an approved version are removed. Its number is not reused for other code.
    std::fs::remove_file(bench.path("tools/generated/counter/v4.json")).unwrap();
    let approved = bench.path("tools/generated/counter/state.json");
    let state = std::fs::read_to_string(&approved).unwrap().replace("\"2\": {", "\"4\": {");
    bench.write("tools/generated/counter/state.json", &state);
    add(&bench, "counter", 5);
    let shown = show(&bench, "counter", "5");
    assert_eq!((&shown["approved"], &shown["code"]), (&json!(false), &json!(source("counter", 5))));
}

#[test]
fn difference_shows_code_and_meaning() {
    let bench = TestDir::new();
    let tool = |name: &str, most: u32, word: &str| {
        let text =
            CHATTY.replace("chatty", name).replace("9999.", &format!("{most}.")).replace("100_000", word);
        let file = bench.write(&format!("{name}.py"), &text);
        let _added = bench.run(&["tool", "add", file.to_str().unwrap(), "--json"]).exits(0);
    };
    tool("talker", 9, "2");
    tool("talker", 7, "2");
    tool("talker", 7, "3");
    let diff = |arguments: &[&str]| bench.run(&[&["tool", "diff", "talker"], arguments].concat());
    let whole = diff(&["1", "3", "--json"]).exits(0).json();
    assert_eq!((&whole["from"], &whole["to"]), (&json!(1), &json!(3)));
    assert_eq!(whole["modules"][0]["module"], "talker");
    let code = whole["modules"][0]["diff"].as_str().unwrap();
    let lines = [
        "--- talker.py v1",
        "+++ talker.py v3",
        "-        times: How often, between 1 and 9.",
        "+        for _ in range(3):",
    ];
    assert!(lines.iter().all(|line| code.contains(line)), "{code}");
    let changes = whole["manifest"].as_array().unwrap();
    let maximum = json!({"what": "parameters.times.maximum", "from": 9, "to": 7});
    assert!(changes.contains(&maximum), "{whole:#}");
    // Default: the called version against the previous one. Only code has changed.
    let last = diff(&["--json"]).exits(0).json();
    assert_eq!((&last["from"], &last["to"]), (&json!(2), &json!(3)));
    assert!(!last["manifest"].to_string().contains("parameters"), "{last:#}");
    let text = diff(&["1"]).exits(0).out;
    assert!(text.contains("parameters.times.maximum: 9 -> 7"), "{text}");
    assert!(diff(&["2", "2"]).exits(0).out.contains("say the same"));
    assert!(refusal(&diff(&["1", "8", "--json"]).exits(1).json()).contains("no version 8"));
    add(&bench, "counter", 1);
    let one = bench.run(&["tool", "diff", "counter", "--json"]).exits(1).json();
    assert!(refusal(&one).contains("only version 1"), "{one}");
}

#[test]
fn identical_code_is_rehearsed_once_under_equal_conditions() {
    let bench = TestDir::new();
    let file = bench.write("counter.py", &source("counter", 1));
    let check = |more: &[&str]| {
        let ran = bench.run(&[&["tool", "check", file.to_str().unwrap(), "--json"], more].concat()).exits(0);
        let mut result = ran.json()["results"][0].clone();
        let cached = result["cached"].take();
        let _seconds = result["seconds"].take();
        (result, cached)
    };
    let (first, cached) = check(&[]);
    assert_eq!(cached, false);
    assert_eq!(check(&[]), (first.clone(), json!(true)));
    assert_eq!(check(&["--no-cache"]).1, false);
    // Other declarations, conditions or bytes need their own rehearsal.
    bench.write("counter.yaml", "test_cases: [{name: one}]");
    let (declared, cached) = check(&[]);
    assert_eq!(cached, false);
    assert_ne!(declared["cases"], first["cases"]);
    let config = std::fs::read_to_string(bench.path("config.yaml")).unwrap();
    bench.write("config.yaml", &format!("{config}limits: {{unapproved_tool_scale: 0.4}}\n"));
    assert_eq!(check(&[]).1, false);
    bench.write("counter.py", &format!("{}\n", source("counter", 1)));
    assert_eq!(check(&[]).1, false);
    assert_eq!(check(&[]).1, true);
    // A result that was put in the place of another is not used.
    let bad = bench.write("opener.py", &source("opener", 1).replace("return", "open('x')\n    return"));
    let stored: Vec<_> =
        std::fs::read_dir(bench.path("tools/.checked")).unwrap().map(|entry| entry.unwrap().path()).collect();
    let refused = bench.run(&["tool", "check", bad.to_str().unwrap(), "--json"]).exits(1).json();
    let good = std::fs::read(stored.last().unwrap()).unwrap();
    for entry in std::fs::read_dir(bench.path("tools/.checked")).unwrap() {
        std::fs::write(entry.unwrap().path(), &good).unwrap();
    }
    assert_eq!(refused["results"][0]["stage"], "policy");
    let reported = bench.run(&["tool", "check", bad.to_str().unwrap(), "--json"]).exits(1).json();
    assert_eq!(
        (&reported["results"][0]["cached"], &reported["results"][0]["stage"]),
        (&json!(false), &json!("policy"))
    );
}

#[test]
fn lost_or_damaged_database_stops_nothing() {
    let bench = TestDir::new();
    add(&bench, "counter", 1);
    let runs = || list(&bench).1[0]["usage"]["runs"].clone();
    assert_eq!((runs(), answer(&bench, "counter"), runs()), (json!(0), json!(1), json!(1)));
    for damage in ["no database at all, but some text that is long enough to look at twice", ""] {
        bench.write("tools/.shelf.sqlite", damage);
        let _gone = std::fs::remove_file(bench.path("tools/.shelf.sqlite-wal"));
        let ran = bench.run(&["tool", "run", "counter", "--json"]).exits(0);
        assert_eq!(ran.err.contains("made anew"), !damage.is_empty(), "{}", ran.err);
        assert_eq!(runs(), 1);
        let found = bench.run(&["tool", "search", "number", "--json"]).exits(0).json();
        assert_eq!(found["results"][0]["name"], "counter", "{found}");
    }
    // A folder takes its place: there are no statistics, but the tool runs and the search works.
    std::fs::remove_file(bench.path("tools/.shelf.sqlite")).unwrap();
    bench.write("tools/.shelf.sqlite/in_the_way", "");
    let ran = bench.run(&["tool", "run", "counter", "--json"]).exits(0);
    assert!(ran.err.contains("not in the statistics"), "{}", ran.err);
    let found = bench.run(&["tool", "search", "number", "--json"]).exits(0).json();
    assert_eq!(found["results"][0]["name"], "counter", "{found}");
    assert_eq!(runs(), 0);
}
