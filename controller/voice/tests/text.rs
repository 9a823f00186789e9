//! Tests stop words, the wake phrase and corrected commands on text alone.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use minismith_voice::commands::{Vocabulary, Wake, similarity, stop_word, words};

#[test]
fn stop_word_distinguishes_stops_from_similar_texts() {
    for text in [
        "Stop.",
        "stop stop stop",
        "Reachy, stop!",
        "please stop now",
        "No. Stop!",
        "no, stop",
        "Halt",
        "FREEZE!",
        "okay you can stop",
        "I said stop it",
        "stop the dance",
        "Held,",
    ] {
        assert!(stop_word(text, &[]).is_some(), "{text}");
    }
    for text in [
        "",
        "Don't stop.",
        "don\u{2019}t stop",
        "dont you stop",
        "do not stop",
        "never ever stop",
        "Where is my stopwatch?",
        "a stop watch",
        "non-stop",
        "the bus stop",
        "a stop sign",
        "unstoppable",
        "stopover",
        "it stopped",
        "a freezer, halting",
        "without stopping",
        "hold this cup",
    ] {
        assert_eq!(stop_word(text, &[]), None, "{text}");
    }
    let spotted = stop_word("please stop dancing now", &[]).unwrap();
    assert_eq!((spotted.word.as_str(), spotted.before, spotted.after), ("stop", 1, 2));
}

#[test]
fn wake_phrase_is_split_from_the_text() {
    let wake = Wake::new(&["Ada", "Mister Smith"]);
    for (text, rest) in [
        ("Hey Reachy, look left.", Some("look left.")),
        ("Hey, Reiki! Look up and nod.", Some("Look up and nod.")),
        ("hey ricci", Some("")),
        ("Hey, Ricky, dance.", Some("dance.")),
        ("Um, hey Richie, stop.", Some("stop.")),
        ("Reachy, what do you see?", Some("what do you see?")),
        ("Hey Ada look left", Some("look left")),
        ("okay mister smith dance", Some("dance")),
        ("Hey reach e, nod.", Some("nod.")),
        ("Look left, Reachy.", None),
        ("Reach for the sky.", None),
        ("Peachy!", None),
        ("hey you", None),
        ("", None),
        ("hey", None),
    ] {
        assert_eq!(wake.spot(text).as_deref(), rest, "{text}");
    }
}

#[test]
fn repair_replaces_similar_sounding_words() {
    let vocabulary = Vocabulary::new([
        "look left",
        "nod twice",
        "tilt your head",
        "wiggle your antennas",
        "turn",
        "dance",
    ]);
    for (heard, said) in [
        ("Lock left.", "look left"),
        ("Not twice.", "nod twice"),
        ("Tilled your head", "tilt your head"),
        ("whittle your antennas", "wiggle your antennas"),
        ("wiggle your and tennas", "wiggle your antennas"),
        ("Not now.", "not now"),
        ("don't look left", "don't look left"),
        ("cannot", "cannot"),
        ("the weather is not nice", "the weather is not nice"),
        ("seven of clubs", "seven of clubs"),
    ] {
        assert_eq!(vocabulary.repair(heard).text, said, "{heard}");
    }
    let known = vocabulary.repair("look left");
    assert!(known.taken.is_empty());
    assert_eq!(words("Don\u{2019}t, 'stop' it!"), ["don't", "stop", "it"]);
}

#[test]
fn configured_stop_words_count() {
    let more = ["basta".to_owned()];
    assert_eq!(stop_word("oh, Basta!", &more).unwrap().before, 1);
    assert!(stop_word("basta", &[]).is_none() && stop_word("stop", &more).is_some());
}

#[test]
fn similarity_compares_word_by_word() {
    let alike = |one: &str, other: &str| similarity(&words(one), &words(other));
    assert!((alike("look left", "Look left.") - 1.0).abs() < 1e-9);
    assert!(alike("the lock left", "look left") > alike("the lock left", "look right"));
    assert!(alike("", "").abs() < 1e-9 && alike("dance", "").abs() < 1e-9);
}
