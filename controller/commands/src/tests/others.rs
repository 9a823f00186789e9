//! Orders beside a motion that nobody here can do, and words that only look like some.

use super::short;
use crate::{Reading, read};

/// Returns the words that were not understood, or what a text means, in few words.
fn taken(text: &str) -> String {
    match read(text, None, "en").0 {
        Reading::Motion { meaning, .. } => short(&meaning),
        Reading::NotUnderstood(spans) => {
            let words = spans.iter().map(|span| text.get(span.clone()).unwrap_or_default());
            format!("not {}", words.collect::<Vec<_>>().join("|"))
        }
        Reading::Nothing => "nothing".into(),
        Reading::Impossible(why) => why.told("en"),
        Reading::Conditional { .. } => "conditional".into(),
    }
}

#[test]
fn an_order_of_something_else_is_not_left_out() {
    for (text, words) in [
        ("nod, then sing a song", "sing a song"),
        ("nod, open the door", "open the door"),
        ("look left, glorb the frobnicator", "glorb the frobnicator"),
        ("nod, tell me a joke", "tell me a joke"),
        ("look left, then bow, and before that say hello", "say hello"),
        ("look left then right, glorb those two", "glorb"),
        ("schau nach links und sing ein Lied", "Lied"),
        ("regarde à gauche, puis raconte-moi une blague", "raconte-moi une blague"),
        ("mira a la izquierda, luego cuéntame un chiste", "cuéntame un chiste"),
    ] {
        assert!(taken(text).starts_with("not ") && taken(text).contains(words), "{text}: {}", taken(text));
    }
}

#[test]
fn what_only_tells_is_left_out() {
    for text in [
        "nod, it is nice weather today",
        "nod, my grandmother would love that",
        "you are such a star, nod",
        "you remind me of him, nod",
        "nod, thanks buddy old pal",
        "my battery is nearly dead so quickly nod",
        "He turns nine today. Nod for him",
        "I used to have a parrot who bobbed about all day. Nod for me.",
    ] {
        assert!(taken(text).contains("HeadPitch Down"), "{text}: {}", taken(text));
    }
    for text in ["I was about to ask you for a nod", "my cat nods"] {
        assert_eq!(taken(text), "nothing", "{text}");
    }
}

#[test]
fn what_the_body_lacks_is_refused() {
    for text in ["nod with your body", "look left, then shake the other one"] {
        assert!(!taken(text).contains("BodyTurn"), "{text}: {}", taken(text));
    }
    assert!(taken("bow with your whole body").contains("HeadPitch Down"));
}
