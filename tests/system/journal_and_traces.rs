//! Journal and traces through the whole program: after a kill, on a full disk, and in an unwritable folder. The robot
//! moves the same whatever happens to the files.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use minismith_tests::{CommandOutput, TestDir};
use rustix::process::Signal;
use serde_json::{Value, json};

use super::cli::{listening, send};

/// Returns a test folder whose journal and traces are stored in it.
pub(super) fn bench(keys: &str) -> TestDir {
    TestDir::configured(&format!("journal: {{file: journal.jsonl}}\ntraces: {{directory: traces}}\n{keys}"))
}

/// Returns the paths of all stored traces, the oldest first.
pub(super) fn traces(bench: &TestDir) -> Vec<String> {
    let Ok(listed) = std::fs::read_dir(bench.path("traces")) else { return Vec::new() };
    let mut traces: Vec<String> =
        listed.map(|entry| format!("traces/{}", entry.unwrap().file_name().to_str().unwrap())).collect();
    traces.sort();
    traces
}

/// Runs a sentence and asserts that it succeeds.
#[track_caller]
pub(super) fn does(bench: &TestDir, arguments: &[&str]) {
    let _done = bench.run(arguments).exits(0);
}

/// Returns the lines of a trace.
pub(super) fn lines(bench: &TestDir, trace: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(bench.path(trace)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns its cycles. Each follows the previous one, so none is missing.
#[track_caller]
pub(super) fn cycles(lines: &[Value]) -> Vec<&Value> {
    let cycles: Vec<&Value> = lines.iter().filter(|line| line["type"] == "cycle").collect();
    let number = |cycle: &Value| cycle["cycle"].as_u64().unwrap();
    assert!(cycles.windows(2).all(|pair| number(pair[1]) == number(pair[0]) + 1), "a cycle is missing");
    cycles
}

fn pause(time: Duration) {
    std::thread::park_timeout(time);
}

/// Returns the part of an answer that describes the motion.
fn motion(reply: &Value) -> Value {
    let steps = reply["steps"].as_array().unwrap().iter();
    let reported = |step: &Value| json!([step["kind"], step["requested"], step["refusal"], step["trims"]]);
    json!([reply["outcome"], reply["text"], steps.map(reported).collect::<Vec<_>>()])
}

#[test]
fn request_shares_one_id_across_journal_and_trace() {
    let bench = bench("");
    let reply = bench.run(&["say", "nod twice, then look left 20 degrees", "--json"]).exits(0).json();
    let reported = bench.run(&["journal", "export", "--json"]).exits(0).json();
    let entries = reported["entries"].as_array().unwrap();
    let said = entries.iter().find(|entry| entry["kind"] == "said").unwrap();
    assert_eq!(said["what"], "nod twice, then look left 20 degrees");
    let id = said["id"].as_str().unwrap();
    let shown = bench.run(&["journal", "show", &id[..8], "--json"]).exits(0).json();
    let kinds: Vec<&str> =
        shown["entries"].as_array().unwrap().iter().map(|entry| entry["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["said", "step", "step", "answer"], "{shown}");
    let answer = &shown["entries"][3];
    assert_eq!(answer["what"], reply["text"]);
    // The robot's own entry lies between them, with the robot time.
    let halves: Vec<&Value> = entries.iter().filter(|entry| entry["kind"] == "body").collect();
    assert!(halves.iter().any(|entry| entry["outcome"] == "playing"), "{reported}");
    let at = |entry: &Value| entry["stage_s"].as_f64().unwrap();
    assert!(halves.iter().all(|entry| at(entry) >= 0.0) && at(answer) > at(said) + 1.0);

    let [trace] = traces(&bench).try_into().unwrap();
    assert_eq!(trace, format!("traces/{}", said["detail"]["trace"].as_str().unwrap()));
    let lines = lines(&bench, &trace);
    assert_eq!(lines[0]["name"], "nod twice, then look left 20 degrees");
    assert!(lines.iter().any(|line| line["source"] == "person"));
    let cycle_count = cycles(&lines).len() as u64;
    let end = lines.last().unwrap();
    assert_eq!((&end["type"], &end["cycles"]), (&json!("footer"), &json!(cycle_count)));
    assert!(cycle_count > 200, "{cycle_count}");
    assert!(bench.run(&["journal", "check"]).exits(0).out.contains("journal.jsonl"));
}

#[test]
fn kill_during_calls_loses_at_most_the_last_entry() {
    let bench = bench("");
    for round in 1..=4 {
        let mut served = bench.start(&["serve", "--json", "--port", "0"]);
        let address = listening(&served.line().unwrap());
        let (answered, over) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        let caller = std::thread::spawn({
            let (answered, over) = (answered.clone(), over.clone());
            move || {
                while !over.load(Ordering::Relaxed) {
                    let sent = std::panic::catch_unwind(|| {
                        send(&address, "POST /api/v1/stop", &["Content-Type: application/json"], "{}").0
                    });
                    match sent {
                        Ok(200) => answered.fetch_add(1, Ordering::Relaxed),
                        _ => break,
                    };
                }
            }
        });
        while answered.load(Ordering::Relaxed) < 60 {
            pause(Duration::from_millis(2));
        }
        let known = answered.load(Ordering::Relaxed);
        // An entry this old has been written, however busy the machine is.
        pause(Duration::from_millis(300));
        served.signal(Signal::KILL);
        let ended = served.end();
        over.store(true, Ordering::Relaxed);
        caller.join().unwrap();
        assert_eq!(ended.code, None);
        let checked = bench.run(&["journal", "check", "--json"]);
        let health = &checked.json()["health"];
        assert!(health["damaged"].as_u64().unwrap() <= round, "{health}");
        assert_eq!((&health["missing"], &health["lost"]), (&json!(0), &json!(0)), "{health}");
        let reported = bench.run(&["journal", "export", "--kind", "call", "--json"]).exits(0).json();
        let entries = reported["entries"].as_array().unwrap();
        let run = &entries.last().unwrap()["run"];
        let of_run = entries.iter().filter(|entry| &entry["run"] == run).count() as u64;
        assert!(of_run + 1 >= known, "{of_run} of {known} are written");
    }
}

/// Returns the program with a limit on the size of each file, in KiB.
// A shell sets the limit.
#[allow(clippy::disallowed_methods)]
fn limited(bench: &TestDir, kibibytes: u32, arguments: &[&str]) -> CommandOutput {
    let inner = bench.command(arguments);
    let mut command = Command::new("bash");
    command.arg("-c").arg(format!("trap '' XFSZ; ulimit -f {kibibytes}; exec \"$0\" \"$@\""));
    command.arg(inner.get_program()).args(inner.get_args()).current_dir(inner.get_current_dir().unwrap());
    for (name, value) in inner.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    CommandOutput::from(command)
}

#[test]
fn full_disk_is_reported_once_and_changes_no_motion() {
    let sentence = ["say", "nod twice, then look left 20 degrees", "--json"];
    let usual = bench("").run(&sentence).exits(0);
    assert_eq!(usual.err, "");

    let bench = bench("");
    // No room for even one more entry.
    bench.write("journal.jsonl", &"\n".repeat(8 * 1024));
    let full = limited(&bench, 8, &sentence).exits(0);
    assert_eq!(motion(&full.json()), motion(&usual.json()));
    for reported in ["can't be written, and what happens is not kept", "traces can't be kept in"] {
        assert_eq!(full.err.matches(reported).count(), 1, "{}", full.err);
    }
    assert!(full.err.contains("make room"), "{}", full.err);
    // The part that fitted is a readable trace.
    let [trace] = traces(&bench).try_into().unwrap();
    let replayed = bench.run(&["replay", &trace, "--json"]).json();
    assert_eq!(replayed["whole"], false, "{replayed}");
    // With room again, everything works as before.
    does(&bench, &sentence);
    let reported = bench.run(&["journal", "export", "--json"]).exits(0).json();
    assert!(
        reported["entries"].as_array().unwrap().iter().any(|entry| entry["kind"] == "answer"),
        "{reported}"
    );
    assert_eq!(reported["health"]["damaged"], 0, "{reported}");
}

#[test]
fn unwritable_directory_is_reported_once_and_changes_no_motion() {
    let sentence = ["say", "nod twice, then look left 20 degrees", "--json"];
    let usual = bench("").run(&sentence).exits(0);
    let bench = TestDir::configured("journal: {file: way/journal.jsonl}\ntraces: {directory: way/traces}\n");
    bench.write("way", "a file where a folder should be");
    let hindered = bench.run(&sentence).exits(0);
    assert_eq!(motion(&hindered.json()), motion(&usual.json()));
    for reported in
        ["can't be written, and what happens is not kept", "way/traces, and the robot goes on without"]
    {
        assert_eq!(hindered.err.matches(reported).count(), 1, "{}", hindered.err);
    }
    let usual = TestDir::configured("journal: {file: j}\ntraces: {directory: none}\n");
    assert_eq!(usual.run(&sentence).exits(0).err, "");
}

#[test]
fn stored_files_are_readable_by_the_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let bench = bench("");
    does(&bench, &["say", "nod", "--json"]);
    let mode = |name: &str| std::fs::metadata(bench.path(name)).unwrap().permissions().mode() & 0o777;
    let [trace] = traces(&bench).try_into().unwrap();
    assert_eq!((mode("journal.jsonl"), mode("traces"), mode(&trace)), (0o600, 0o700, 0o600));
}

/// A journal that was changed past the program: each place is named, and every other entry is still read.
#[test]
fn changed_journal_is_reported_with_its_places_and_loses_nothing_else() {
    let bench = bench("");
    for sentence in ["look left", "look right", "look ahead"] {
        does(&bench, &["say", sentence, "--json"]);
    }
    let journal = bench.path("journal.jsonl");
    let whole = std::fs::read_to_string(&journal).unwrap();
    let lines: Vec<&str> = whole.lines().collect();
    let check = || bench.run(&["journal", "check", "--json"]);
    let health = check().exits(0).json()["health"].clone();
    assert_eq!((&health["damaged"], &health["missing"]), (&json!(0), &json!(0)), "{health}");
    let entries = health["entries"].as_u64().unwrap();
    // A line inside a run, not at its edge: there an entry is missed.
    let run = |line: &str| serde_json::from_str::<Value>(line).unwrap()["run"].clone();
    let inside = (1..lines.len() - 1).find(|at| run(lines[at - 1]) == run(lines[at + 1])).unwrap();
    let with = |line: Option<&str>| {
        let mut changed: Vec<&str> = lines.clone();
        match line {
            Some(line) => changed[inside] = line,
            None => drop(changed.remove(inside)),
        }
        changed.join("\n") + "\n"
    };
    let half = &lines[inside][..lines[inside].len() / 2];
    let more = lines[inside].replacen('{', "{\"forged\": true, ", 1);
    for (text, damaged, missing) in [
        (with(None), 0, 1),
        (with(Some(half)), 1, 1),
        (with(Some("\u{0}\u{0}\u{0}")), 1, 1),
        (with(Some("[]")), 1, 1),
        (with(Some(&"[".repeat(100_000))), 1, 1),
        (with(Some(&more)), 1, 1),
    ] {
        std::fs::write(&journal, &text).unwrap();
        let ran = check().exits(i32::from(damaged + missing > 0));
        let health = &ran.json()["health"];
        let expected = (json!(damaged), json!(missing), json!(entries - missing));
        let found = (health["damaged"].clone(), health["missing"].clone(), health["entries"].clone());
        assert_eq!(found, expected, "{text:.200}");
        if damaged > 0 {
            let place = format!("journal.jsonl:{}", inside + 1);
            assert!(health["places"].to_string().contains(&place), "{health}");
        }
        // It goes on after that.
        does(&bench, &["say", "look ahead", "--json"]);
        let after = check().json()["health"]["entries"].as_u64().unwrap();
        assert!(after > entries - missing, "{after}");
    }
}
