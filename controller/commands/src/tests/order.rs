//! What waits for others, idioms, and the order of steps.

use super::short;
use crate::{Reading, is_saying, read};

/// Returns what a text means, in few words.
fn said(text: &str) -> String {
    match read(text, None, "en").0 {
        Reading::Motion { meaning, .. } => short(&meaning),
        Reading::Nothing => "nothing".into(),
        _ => "declined".into(),
    }
}

#[test]
fn idioms_and_times_that_nobody_knows_move_nothing() {
    for text in [
        "don't look up until I tell you to",
        "please do not nod before I am ready",
        "nod later",
        "look left, but not yet",
        "sleep on it",
        "a turn for the worse",
        "lend me your ears",
        "turn everything except your head to the right",
        "nod before and after looking left",
    ] {
        let meaning = said(text);
        assert!(meaning == "nothing" || meaning == "declined", "{text}: {meaning}");
    }
    assert!(is_saying("ear to the ground") && !is_saying("left ear to the ground"));
}

#[test]
fn what_comes_first_is_done_first() {
    let at = |text: &str, part: &str| said(text).find(part);
    for (text, first, then) in [
        ("do not nod before you have looked left", "HeadTurn Left", "HeadPitch Down"),
        ("end with a nod, start with a shake", "HeadTurn", "HeadPitch"),
        ("two seconds later look left", "Wait(2.0)", "HeadTurn Left"),
        ("look up, then down, no, the other way round", "HeadPitch Down", "HeadPitch Up"),
        ("look left and nod, no wait, look right and nod", "HeadTurn Right", "HeadPitch Down"),
    ] {
        let (first, then) = (at(text, first), at(text, then));
        assert!(first.is_some() && first < then, "{text}: {}", said(text));
    }
    assert!(!said("look left and nod, no wait, look right and nod").contains("HeadTurn Left"));
}

#[test]
fn gestures_take_turns_are_held_and_repeated() {
    for (text, start) in [
        ("nod and shake your head alternately, three times each", "3 times {1x(HeadPitch"),
        ("bow and stay down", "[HeadPitch Down"),
        ("look up until I say stop", "[HeadPitch Up"),
    ] {
        assert!(said(text).starts_with(start), "{text}: {}", said(text));
    }
    assert_eq!(said("nod and shake your head, then do it all over again").matches("HeadPitch").count(), 2);
}

#[test]
fn numbers_without_a_unit_have_that_of_the_one_before() {
    for (text, amounts) in [
        ("look up 10 degrees, then 20, then 30", ["=10", "=20", "=30"].as_slice()),
        ("lower your head by two centimetres, raise it by one", &["=20", "=10"]),
    ] {
        let meaning = said(text);
        assert!(amounts.iter().all(|amount| meaning.contains(amount)), "{text}: {meaning}");
    }
}
