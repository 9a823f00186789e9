//! Tests of sessions in a file across several openings.

use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use super::*;
use crate::agents::agent_function::Ability;
use crate::agents::plan::Plan;
use crate::agents::roster::Spec;

fn record(said: &str) -> Record {
    Record {
        at: 1_700_000_000,
        said: said.into(),
        answer: format!("Done: {said}."),
        ending: "done".into(),
        log: json!({"steps": [{"kind": said}]}),
    }
}

#[test]
fn a_session_survives_reopening_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/sessions.sqlite");
    let plan = Plan::new("dance", ["nod".to_owned()]);
    let spec = Spec {
        name: "nodder".into(),
        purpose: "nods".into(),
        instructions: "Nod.".into(),
        functions: [Ability::Nod].into(),
        creator: Some("coordinator".into()),
        read: Vec::new(),
    };
    {
        let memory = Memory::open(&path).unwrap();
        let session = memory.session(Some("mine")).unwrap();
        session.remember(&record("nod")).unwrap();
        session.keep_plan(Some(&plan)).unwrap();
        session.keep_agent(&spec).unwrap();
        let object = Object { kind: Kind::Report, about: "a rehearsal".into(), bytes: b"{}".to_vec() };
        assert_eq!(session.keep(&object).unwrap().as_str(), "report-1");
    }
    let memory = Memory::open(&path).unwrap();
    let session = memory.session(Some("mine")).unwrap();
    assert_eq!(session.turns().unwrap(), [record("nod")]);
    assert_eq!(session.plan().unwrap(), Some(plan));
    assert_eq!(session.agents().unwrap(), [spec]);
    assert_eq!(session.recall("report-1").unwrap().bytes, b"{}");
    assert!(session.recall("report-2").unwrap_err().to_string().contains("report-2"));
    // Another session can't read any of it.
    assert!(memory.session(None).unwrap().recall("report-1").is_err());
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
}

#[test]
fn a_reminder_has_the_last_turns_in_full_and_the_older_ones_in_short() {
    let memory = Memory::passing().unwrap();
    let session = memory.session(None).unwrap();
    for number in 0..30 {
        session.remember(&record(&format!("nod {number} times"))).unwrap();
    }
    session.remember(&record(&"very ".repeat(1_000))).unwrap();
    let reminder = session.reminder(2).unwrap();
    assert_eq!(reminder.last.len(), 2);
    let first =
        Exchange { said: "nod 29 times".into(), answer: "Done: nod 29 times.".into(), read: Vec::new() };
    assert_eq!(reminder.last[0], first);
    assert!(reminder.last[1].said.chars().count() < 1_300 && reminder.last[1].said.ends_with("..."));
    let lines: Vec<&str> = reminder.summary.lines().collect();
    assert_eq!((lines.len(), lines[11]), (12, "- nod 28 times (done)"));
    // The reminder contains no logs; only the record does.
    assert!(!format!("{:?}", reminder.messages()).contains("steps"));
    assert_eq!(reminder.messages().len(), 5);
}

#[test]
fn sessions_are_listed_exported_deleted_and_expired() {
    let memory = Memory::passing().unwrap();
    memory.session(Some("a")).unwrap().remember(&record("nod")).unwrap();
    memory.session(Some("b")).unwrap();
    let listed = memory.list().unwrap();
    assert_eq!(listed.len(), 2);
    let first = listed.iter().find(|entry| entry.id == "a").unwrap();
    assert_eq!((first.turns, first.first.as_str()), (1, "nod"));
    let exported = memory.export("a").unwrap();
    assert_eq!(exported["turns"][0]["said"], "nod");
    assert_eq!(exported["turns"][0]["log"]["steps"][0]["kind"], "nod");
    memory.delete("a").unwrap();
    for gone in [memory.delete("a").unwrap_err(), memory.export("a").unwrap_err()] {
        assert!(gone.to_string().contains("minismith session list"), "{gone}");
    }
    let turns: i64 = memory.database.query_row("SELECT count(*) FROM turns", [], |row| row.get(0)).unwrap();
    assert_eq!(turns, 0);
    memory.database.execute("UPDATE sessions SET used = used - 10 * 86400", []).unwrap();
    assert_eq!(memory.forget_after(0).unwrap(), 0);
    assert_eq!(memory.forget_after(11).unwrap(), 0);
    assert_eq!(memory.forget_after(9).unwrap(), 1);
    assert!(memory.list().unwrap().is_empty());
}

#[test]
fn bad_names_and_foreign_files_are_rejected_and_left_alone() {
    let memory = Memory::passing().unwrap();
    for name in ["", "../x", "a b", "ä", &"x".repeat(41)] {
        assert!(matches!(memory.session(Some(name)), Err(MemoryError::InvalidName { .. })), "{name}");
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.txt");
    fs::write(&path, "these are my notes, and no database at all\n".repeat(40)).unwrap();
    let before = fs::read(&path).unwrap();
    let error = Memory::open(&path).err().unwrap();
    assert!(error.to_string().contains("memory: {file: FILE}"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn a_session_rejects_data_beyond_its_limit() {
    let memory = Memory::passing().unwrap();
    let session = memory.session(None).unwrap();
    let object = |bytes: usize| Object { kind: Kind::File, about: "a plot".into(), bytes: vec![0; bytes] };
    session.keep(&object(session::MAX_BYTES)).unwrap();
    let error = session.keep(&object(1)).unwrap_err();
    assert!(error.to_string().starts_with("a plot has 1 bytes"), "{error}");
}

#[test]
fn the_least_used_session_makes_room_for_a_new_one() {
    let memory = Memory::passing().unwrap();
    memory.database.execute_batch("BEGIN").unwrap();
    for number in 0..MAX_SESSIONS {
        let _new = memory.session(Some(&format!("session-{number}"))).unwrap();
    }
    memory.database.execute("UPDATE sessions SET used = used - 100", []).unwrap();
    let _used = memory.session(Some("session-0")).unwrap();
    let _new = memory.session(Some("one-more")).unwrap();
    let names: Vec<String> = memory.list().unwrap().into_iter().map(|entry| entry.id).collect();
    assert_eq!(names.len(), usize::try_from(MAX_SESSIONS).unwrap());
    assert!(names.iter().any(|name| name == "session-0") && names.iter().any(|name| name == "one-more"));
    assert!(!names.iter().any(|name| name == "session-1"), "the first one that was not used again stays");
}
