//! Files of an earlier version, with the old names: each still loads and means the same.
//!
//! `tests/fixtures/old` holds them as that version wrote them: two traces (format 2), a journal, a move, two tools, the
//! folder of a toolkit, a signed bundle of both tools, a session database, and the configuration, which other tests read.

use std::fs;
use std::path::Path;

use minismith_tests::{TestDir, workspace};
use serde_json::{Value, json};

/// Returns a folder with all of these files.
fn bench() -> TestDir {
    let bench = TestDir::configured(
        "journal: {file: journal.jsonl}\ntraces: {directory: traces}\nmemory: {file: sessions.sqlite}\n",
    );
    copy(&workspace().join("tests/fixtures/old"), &bench.path(""));
    bench
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    // The configuration is a case of its own: its paths lead elsewhere.
    let entries = fs::read_dir(from).unwrap().map(Result::unwrap);
    for entry in entries.filter(|entry| entry.file_name() != "config.yaml") {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

fn done(bench: &TestDir, arguments: &[&str]) -> Value {
    bench.run(arguments).exits(0).json()
}

/// Returns the journal's entries of this kind or from this actor.
fn entries(bench: &TestDir, flag: &str, word: &str) -> Vec<Value> {
    let reported = done(bench, &["journal", "export", flag, word, "--json"]);
    reported["entries"].as_array().unwrap().clone()
}

#[test]
fn old_traces_replay_unchanged() {
    let bench = bench();
    // The replay report of the version that wrote them: cycles, cycles in one only, shift, and the greatest
    // differences.
    for (file, code, counts, goal_deg, present_deg) in [
        ("motion.trace.jsonl", 0, [96, 0, 0], 0.0, 0.087_890_625),
        ("tool_run.trace.jsonl", 1, [72, 1, -1], 2.433_782_564_911_567, 1.142_578_125),
        ("move.json", 1, [116, 0, 0], 0.0, 2.640_354_339_474_413),
    ] {
        let comparison = bench.run(&["replay", file, "--json"]).exits(code).json()["comparison"].clone();
        let found = ["beats", "only_in_one", "shift"].map(|key| comparison[key].as_i64().unwrap());
        assert_eq!(found, counts, "{file}: {comparison}");
        for (key, expected) in [("goal", goal_deg), ("present", present_deg)] {
            let worst = comparison[key]["worst_deg"].as_f64().unwrap();
            assert!((worst - expected).abs() < 1e-6, "{file}, {key}: {comparison}");
        }
    }
}

#[test]
fn old_trace_becomes_a_tool_a_dataset_and_a_new_trace() {
    let bench = bench();
    done(&bench, &["replay", "motion.trace.jsonl", "--out", "new.trace.jsonl", "--json"]);
    let head = fs::read_to_string(bench.path("new.trace.jsonl")).unwrap();
    let head: Value = serde_json::from_str(head.lines().next().unwrap()).unwrap();
    assert_eq!((&head["type"], &head["format"]), (&json!("header"), &json!(3)));
    // Both formats next to each other.
    let against = ["replay", "motion.trace.jsonl", "--against", "new.trace.jsonl", "--json"];
    assert_eq!(done(&bench, &against)["comparison"]["beats"], 96);
    done(
        &bench,
        &["tool", "from-recording", "motion.trace.jsonl", "--name", "looks", "--out", "looks.py", "--json"],
    );
    assert!(fs::read_to_string(bench.path("looks.py")).unwrap().contains("def looks("));
    let export = ["dataset", "export", "motion.trace.jsonl", "--to", "set", "--no-pictures", "--json"];
    let report = done(&bench, &export)["report"].clone();
    assert_eq!(report["episodes"], 1, "{report}");
}

#[test]
fn old_journal_is_read_filtered_and_continued() {
    let bench = bench();
    let health = done(&bench, &["journal", "check", "--json"])["health"].clone();
    let [entries_there, damaged, missing] =
        ["entries", "damaged", "missing"].map(|key| health[key].as_u64().unwrap());
    assert_eq!((entries_there, damaged, missing), (42, 0, 0), "{health}");
    for (old, new, count) in [("said", "utterance", 4), ("body", "robot", 13), ("tool", "tool", 4)] {
        let found = entries(&bench, "--kind", old);
        assert_eq!(found.len(), count, "{old}");
        assert_eq!(entries(&bench, "--kind", new), found, "{new}");
    }
    assert_eq!(entries(&bench, "--who", "the pulse"), entries(&bench, "--who", "the control loop"));
    let said = entries(&bench, "--kind", "said");
    assert_eq!((&said[0]["kind"], &said[0]["what"]), (&json!("said"), &json!("look left 10 degrees")));

    // New entries are appended to the same file. An export has the new names and its own checksums.
    done(&bench, &["say", "nod once", "--json"]);
    done(&bench, &["journal", "check", "--json"]);
    assert_eq!(entries(&bench, "--kind", "said").len(), 5);
    done(&bench, &["journal", "export", "--to", "all.jsonl", "--json"]);
    let all = fs::read_to_string(bench.path("all.jsonl")).unwrap();
    assert!(all.lines().all(|line| line.contains("\"actor\":") && !line.contains("\"who\":")), "{all}");
    fs::rename(bench.path("all.jsonl"), bench.path("journal.jsonl")).unwrap();
    done(&bench, &["journal", "check", "--json"]);

    // One changed byte of an old line is detected.
    let old = fs::read_to_string(workspace().join("tests/fixtures/old/journal.jsonl")).unwrap();
    bench.write("journal.jsonl", &old.replacen("\"outcome\":\"done\"", "\"outcome\":\"gone\"", 1));
    let health = bench.run(&["journal", "check", "--json"]).exits(1).json()["health"].clone();
    assert_eq!(health["damaged"], 1, "{health}");
}

#[test]
fn old_tools_run_after_a_new_rehearsal() {
    let bench = bench();
    let [jolts] = entries(&bench, "--kind", "tool")
        .into_iter()
        .filter(|entry| entry["detail"]["outcome"]["ended"] == "returned")
        .collect::<Vec<_>>()
        .try_into()
        .unwrap();
    let again = done(&bench, &["replay", "--id", jolts["id"].as_str().unwrap(), "--json"]);
    assert_eq!(again["command_digest"], jolts["detail"]["command_digest"], "{again}");

    let ran = done(&bench, &["tool", "run", "jolts", "--json"]);
    assert_eq!(ran["performance"]["value"], "jolted");
    done(&bench, &["tool", "activate", "bows", "--json"]);
    let ran = done(&bench, &["tool", "run", "bows", "--json"]);
    assert_eq!(ran["performance"]["value"], "bowed 1 times");
    let log = fs::read_to_string(bench.path(".share/minismith/log.jsonl")).unwrap_or_default();
    // Their evidence rests on earlier rules.
    assert_eq!(log.matches("rehearsing again").count(), 2, "{log}");

    // A document has the old and the new names with equal values.
    let manifest = done(&bench, &["tool", "show", "jolts", "--json"])["manifest"].clone();
    let old = fs::read_to_string(bench.path("tools/generated/jolts/v1.json")).unwrap();
    let old: Value = serde_json::from_str(&old).unwrap();
    for (before, now) in [
        ("/proved/yaw/most", "/verified_range/yaw/max"),
        ("/budget/stage_seconds", "/budget/robot_time_s"),
        ("/report/trimmed_beats", "/report/clamped_cycles"),
        ("/report/joints/stewart_1/worst_lag_deg", "/report/joints/stewart_1/max_tracking_error_deg"),
        ("/report/narrowed/0/why", "/report/unverified_ranges/0/reason"),
    ] {
        let expected = old.pointer(before);
        assert!(expected.is_some(), "{before}");
        assert_eq!((manifest.pointer(before), manifest.pointer(now)), (expected, expected), "{before}");
    }
    assert_eq!(manifest["findings"], old["findings"]);
}

#[test]
fn old_toolkit_is_checked_by_its_old_declarations() {
    let bench = bench();
    let checked = done(&bench, &["tool", "check", "bows", "--json"])["results"][0].clone();
    assert_eq!((&checked["admitted"], &checked["stage"]), (&json!(true), &json!("admitted")), "{checked}");
    let report = &checked["report"];
    assert_eq!(report["trimmed_beats"], report["clamped_cycles"]);
    let text = fs::read_to_string(bench.path("bows/tool.yaml")).unwrap();
    bench.write("bows/tool.yaml", &text.replace("seconds: [0.7, 1.2]", "seconds: [7, 8]"));
    let checked = bench.run(&["tool", "check", "bows", "--json"]).exits(1).json()["results"][0].clone();
    let finding = &checked["findings"][0];
    assert_eq!(
        (&finding["rule"], &finding["verdict"]),
        (&json!("test-case-fails"), &json!("refuse")),
        "{checked}"
    );
}

#[test]
fn old_signed_bundle_verifies_and_is_imported() {
    let bench = bench();
    fs::remove_dir_all(bench.path("tools")).unwrap();
    let imported = done(&bench, &["tool", "import", "moves.bundle", "--json"]);
    let names: Vec<&Value> =
        imported["imported"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["jolts", "bows"], "{imported}");
    assert_eq!(imported["signer"], "85a5d73484a25fe6f823850d2792fb4539b569fb2f1bad2da90d2d8a460edd0d");
    let written = fs::read_to_string(bench.path("tools/generated/jolts/v1.json")).unwrap();
    assert!(written.contains("\"robot_time_s\"") && !written.contains("\"stage_seconds\""), "{written}");

    let bundle = fs::read_to_string(bench.path("moves.bundle")).unwrap();
    for (from, to) in [("jolted", "jilted"), ("\"format\": 1", "\"format\": 2")] {
        bench.write("changed.bundle", &bundle.replace(from, to));
        let refused = bench.run(&["tool", "import", "changed.bundle", "--json"]).exits(1);
        assert!(refused.out.contains("changed after it was signed"), "{}", refused.out);
    }
}

#[test]
fn old_session_continues() {
    let bench = bench();
    let turns =
        |bench: &TestDir| done(bench, &["session", "export", "evening"])["turns"].as_array().unwrap().clone();
    let before = turns(&bench);
    let said: Vec<&Value> = before.iter().map(|turn| &turn["said"]).collect();
    assert_eq!(said, ["look right 10 degrees", "nod once"]);
    assert_eq!(before[1]["log"]["steps"][0]["kind"], "nod once");
    done(&bench, &["say", "look left 5 degrees", "--session", "evening", "--json"]);
    let after = turns(&bench);
    assert_eq!((after.len(), &after[..2]), (3, &before[..]));
}
