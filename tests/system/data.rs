//! Questions about data in a conversation: files that the user names, and data that a session stores under short names.

use minismith_assistant::code_tasks::CodeTasks;
use minismith_assistant::conversation::{Conversation, TurnOutcome};
use minismith_assistant::memory::Memory;
use minismith_control::robot::RobotRuntime;
use minismith_runtime::config::{Config, RobotChoice};
use minismith_tests::{TestDir, workspace};
use minismith_toolchain::workshop::Workshop;
use serde_json::json;

#[test]
fn only_named_files_are_read() {
    let bench = TestDir::new();
    bench.write("logs/data.csv", "a,b\n1,2\n3,4\n");
    let mut config = Config::load(Some(&bench.path("config.yaml"))).unwrap();
    if !workspace().join(".venv-code/bin/python").is_file() {
        println!("skipped: the libraries for code tasks are not installed; run `make code`");
        return;
    }
    config.memory.file = bench.path("sessions.sqlite");
    let (workshop, tasks) = (Workshop::open(&config).unwrap(), CodeTasks::new(&config));
    let memory = Memory::open(&config.memory.file).unwrap();
    let body = RobotRuntime::open(&RobotChoice::Mock, &config).unwrap();
    let conversation =
        || Conversation::new(&body, &workshop).answering_with(&tasks).remembering(&memory, "logs");
    let mut person = conversation().reading_from(&bench.path(""));

    let reply = person.hear("What is the mean of column b in logs/data.csv?");
    let answer = reply.answer.as_ref().unwrap_or_else(|| panic!("{}", reply.text));
    assert_eq!((&answer.answer, reply.outcome), (&json!(3.0), TurnOutcome::Done), "{}", reply.text);
    assert_eq!(reply.read, ["logs/data.csv"], "its words are data");
    assert!(reply.steps.is_empty());

    // The motor data of a tool run can be queried.
    let reply = person.hear("make a tool called deep_nod that nods twice, then run it");
    let ran = reply.tool.as_ref().and_then(|tool| tool.run.as_ref()).unwrap();
    let stored = ran.trajectory.as_ref().unwrap().to_string();
    assert!(reply.text.contains(&stored), "{}", reply.text);
    let reply = person.hear(&format!("what is the maximum of column time_s in {stored}?"));
    let answer = reply.answer.as_ref().unwrap_or_else(|| panic!("{}", reply.text));
    let last = answer.answer.as_f64().unwrap();
    assert!((last - ran.duration_s).abs() < 0.2, "{last} s of {} s", ran.duration_s);
    let reply = person.hear(&format!("plot column stewart_1_present_deg against time_s in {stored}"));
    assert!(reply.text.contains("file-"), "{}", reply.text);
    let session = memory.session(Some("logs")).unwrap();
    assert!(session.objects().unwrap().iter().any(|(_, kind, ..)| kind == "file"));

    // Another session has none of this data. Only the local user may name files.
    let mut other = Conversation::new(&body, &workshop).answering_with(&tasks).remembering(&memory, "other");
    for question in [
        format!("what is the maximum of column time_s in {stored}?"),
        "how many rows in logs/data.csv?".into(),
    ] {
        let reply = other.hear(&question);
        assert!(
            reply.answer.is_none() && reply.outcome == TurnOutcome::NotUnderstood,
            "{question}: {}",
            reply.text
        );
    }
}
