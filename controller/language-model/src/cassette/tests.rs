//! Tests that a cassette replays its recording and reports differences.

use std::fs;

use serde_json::json;

use super::*;
use crate::{Completion, Form, Message, Part};

fn prompt(text: &str) -> Prompt {
    Prompt {
        purpose: "test",
        instructions: "Be brief.".into(),
        messages: vec![Message::person(text)],
        form: Form::Text,
        max_tokens: 50,
    }
}

/// Writes a file with these requests and answers.
fn cassette(pairs: &[(Prompt, &str)]) -> tempfile::NamedTempFile {
    let settings =
        Settings { model: "m".into(), prompt_tokens: 3000, answer_tokens: 100, temperature: 0.0, seed: 7 };
    let manner =
        crate::request::RequestOptions { model: "m".into(), answer_tokens: 100, temperature: 0.0, seed: 7 };
    let pair = |(prompt, text): &(Prompt, &str)| Pair {
        request: stored(&crate::request::request(prompt, crate::strategy::Strategy::Plain, &manner)),
        reply: RecordedReply::Reply(Reply {
            text: (*text).into(),
            finish: Some("stop".into()),
            ..Reply::default()
        }),
    };
    let file = File { settings, pairs: pairs.iter().map(pair).collect() };
    let tape = Tape(Arc::new(Mutex::new(Reel { file, played: 0, mismatch: None })));
    let path = tempfile::NamedTempFile::new().unwrap();
    tape.save(path.path()).unwrap();
    path
}

#[test]
fn a_cassette_replays_its_answers_in_order() {
    let file = cassette(&[(prompt("One"), "1"), (prompt("Two"), "2")]);
    let mut model = Cassette::replay(file.path()).unwrap();
    let tape = model.tape();
    for (question, answer) in [("One", "1"), ("Two", "2")] {
        assert!(tape.finish().unwrap_err().contains("were not made"));
        let said = model.answer(&prompt(question), &mut |_| Watch::On).unwrap().completion;
        assert_eq!(said, Completion::Text(answer.into()));
    }
    assert_eq!(tape.finish(), Ok(()));
    assert!(model.answer(&prompt("Three"), &mut |_| Watch::On).is_err());
    assert!(tape.finish().unwrap_err().contains("request 3 was not recorded"));
}

#[test]
fn a_different_request_is_reported_with_a_diff() {
    let file = cassette(&[(prompt("Look\nleft"), "1"), (prompt("Two"), "2")]);
    let mut model = Cassette::replay(file.path()).unwrap();
    let tape = model.tape();
    assert!(model.answer(&prompt("Look\nright"), &mut |_| Watch::On).is_err());
    let difference = tape.finish().unwrap_err();
    assert!(difference.contains("request 1 is not the one") && difference.contains("\n-"), "{difference}");
    assert!(difference.contains("left\"") && difference.contains("right\""), "{difference}");
    assert!(difference.lines().count() < 14, "{difference}");
    // A later match does not undo the difference.
    assert!(model.answer(&prompt("Look\nleft"), &mut |_| Watch::On).is_err());
    assert_eq!(tape.finish().unwrap_err(), difference);
}

#[test]
fn images_are_stored_as_digests() {
    let with = |byte: u8| {
        let image = Part::Image { jpeg: vec![byte; 3000] };
        Prompt { messages: vec![Message { parts: vec![image], ..Message::person("") }], ..prompt("") }
    };
    let file = cassette(&[(with(1), "1")]);
    assert!(fs::read(file.path()).unwrap().len() < 2000);
    assert!(Cassette::replay(file.path()).unwrap().answer(&with(1), &mut |_| Watch::On).is_ok());
    assert!(Cassette::replay(file.path()).unwrap().answer(&with(2), &mut |_| Watch::On).is_err());
}

#[test]
fn a_file_that_is_not_a_cassette_is_rejected() {
    let file = tempfile::NamedTempFile::new().unwrap();
    for damaged in ["", "{}", &json!({"settings": {}, "pairs": []}).to_string()] {
        fs::write(file.path(), damaged).unwrap();
        assert!(matches!(Cassette::replay(file.path()), Err(CassetteError::Damaged { .. })), "{damaged}");
    }
    let missing = file.path().with_extension("none");
    assert!(matches!(Cassette::replay(&missing), Err(CassetteError::Io { .. })));
}
