//! What waits for others, idioms, and the order of steps.

use super::short;
use crate::{Meaning, Reading, is_saying, read};

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
    assert!(said("nod and shake your head, then do it all over again").starts_with("2 times {"));
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

#[test]
fn what_follows_a_wait_at_the_start_comes_after_it() {
    for text in ["after waiting for two seconds nod twice", "wait two seconds, then nod twice"] {
        let meaning = said(text);
        assert!(meaning.starts_with("{Wait(2.0)") && meaning.contains("HeadPitch"), "{text}: {meaning}");
    }
}

#[test]
fn finally_at_the_start_leaves_the_order_as_it_is_said() {
    let meaning = said("finally look up and then tilt left");
    assert!(meaning.find("HeadPitch") < meaning.find("HeadTilt"), "{meaning}");
    let meaning = said("look up and then nod and stay there");
    assert!(!meaning.contains("HeadPitch Down 15"), "{meaning}");
}

#[test]
fn antennas_that_are_named_between_gestures_wiggle_and_take_nothing_from_them() {
    let meaning = said("nod, then ears, then nod");
    assert_eq!(meaning.matches("HeadPitch").count(), 2, "{meaning}");
    let meaning = said("mueve las orejas y inclina la cabeza a la derecha");
    assert!(meaning.contains("HeadTilt Right"), "{meaning}");
    let meaning = said("mit den Ohren wackeln und dann zweimal nicken");
    assert!(meaning.find("Antenna") < meaning.find("HeadPitch"), "{meaning}");
}

#[test]
fn a_correction_replaces_what_was_said_last() {
    for (text, expected, replaced) in [
        ("look right, left I mean, and nod", "HeadTurn Left", "HeadTurn Right"),
        ("look left, er, right", "HeadTurn Right", "HeadTurn Left"),
        ("look ri- left", "HeadTurn Left", "HeadTurn Right"),
        ("shake your he- nod", "HeadPitch Down", "HeadTurn"),
        ("look down at my teddy, no he's not there, so look up", "HeadPitch Up", "HeadPitch Down"),
        ("tilt left, right it is", "HeadTilt Right", "HeadTilt Left"),
    ] {
        let meaning = said(text);
        assert!(meaning.contains(expected) && !meaning.contains(replaced), "{text}: {meaning}");
    }
    assert!(said("look left, er, and up").contains("HeadTurn Left"));
    assert!(said("left- look left").contains("HeadTurn Left"));
}

#[test]
fn what_goes_out_comes_back_in_part_or_whole() {
    for (text, parts) in [
        ("look left 40 degrees, come halfway back", ["Left=40.0", "Left=20.0"]),
        ("drop both antennas, then bring them up again", ["AntennaLeft Outward", "neutral(2)"]),
        (
            "put both your ears down, now only lift up the right one again",
            ["AntennaLeft Outward", "neutral(1)"],
        ),
        ("slide your head over to the right, slide it back", ["HeadSide Right", "neutral(1)"]),
        ("turn your head right; when it's back in the middle, tilt right", ["neutral(1)", "HeadTilt Right"]),
    ] {
        let meaning = said(text);
        let [first, then] = parts.map(|part| meaning.find(part));
        assert!(first.is_some() && first < then, "{text}: {meaning}");
    }
}

#[test]
fn what_is_said_to_be_at_the_same_time_is() {
    for text in [
        "nod with your antennas wiggling",
        "nod with the left antenna waving",
        "wiggle your ears, then while they are still wiggling turn left",
        "sway your head, antennas swinging along",
        "while it's nodding turn left",
    ] {
        assert!(said(text).starts_with('<'), "{text}: {}", said(text));
    }
    assert!(said("start by looking up and finish by leaning forward").starts_with('{'));
}

#[test]
fn words_refer_to_what_was_named_before_them() {
    for (text, parts) in [
        (
            "right antenna out, and turn your head to that same side",
            ["AntennaRight Outward", "HeadTurn Right"],
        ),
        ("right antenna out, and turn your head away from it", ["AntennaRight Outward", "HeadTurn Left"]),
        ("look right and wave with that antenna", ["HeadTurn Right", "AntennaRight Outward"]),
        (
            "left antenna 45 degrees, right antenna 90 degrees",
            ["AntennaLeft Outward=45.0", "AntennaRight Outward=90.0"],
        ),
        ("nod nod, shake", ["2x(HeadPitch Down", "HeadTurn"]),
        ("body: right, chin: up", ["BodyTurn Right", "HeadPitch Up"]),
        ("20 degrees up and 15 degrees tilted to the left", ["HeadPitch Up=20.0", "HeadTilt Left=15.0"]),
        ("slowly, over five seconds, look up", ["HeadPitch Up", "Some(5.0)"]),
    ] {
        let meaning = said(text);
        assert!(parts.iter().all(|part| meaning.contains(part)), "{text}: {meaning}");
    }
}

#[test]
fn there_and_back_are_repeated_together() {
    for (text, parts) in [
        ("raise and lower your head twice", "2 times {[HeadRise Up"),
        ("open and close your antennas three times", "3 times {[AntennaLeft Outward"),
    ] {
        assert!(said(text).starts_with(parts), "{text}: {}", said(text));
    }
    let Reading::Motion { meaning, .. } = read("raise and lower your head twice", None, "en").0 else {
        panic!("no motion")
    };
    let told = crate::describe::describe(&meaning, "en");
    assert_eq!(told, "raise the head, then lower the head, all of it 2 times");
}

#[test]
fn an_amount_that_is_enough_is_no_stop() {
    for (text, is_order) in
        [("look left, ten degrees is enough", false), ("nod twice, stop", true), ("that's enough", true)]
    {
        assert_eq!(crate::is_stop(text), is_order, "{text}");
    }
}

#[test]
fn the_head_keeps_its_direction_while_the_body_turns() {
    for text in [
        "turn your body right but keep your face pointing to the front",
        "turn your body right, your eyes stay on me",
    ] {
        let meaning = said(text);
        assert!(meaning.contains("BodyTurn Right") && meaning.contains("HeadTurn Left"), "{text}: {meaning}");
    }
}

#[test]
fn a_side_holds_for_what_was_named_before_it() {
    for text in [
        "turn your head and body to the right",
        "turn your body and head 20 degrees right together",
        "turn your body and tilt your head to the right",
    ] {
        let meaning = said(text);
        assert!(meaning.matches(" Right").count() == 2 && !meaning.contains(" Left"), "{text}: {meaning}");
    }
    let meaning = said("turn your body one way and your head the other");
    assert!(meaning.contains("BodyTurn Left") && meaning.contains("HeadTurn Right"), "{meaning}");
    assert!(said("look gracefully to the left").contains("HeadTurn Left"));
}

#[test]
fn what_is_awaited_is_waited_for() {
    assert!(said("look up and hold it until I say down").contains("HeadPitch Up"));
    assert!(!said("look up and hold it until I say down").contains("Down"));
    assert!(!said("mira arriba hasta que diga abajo").contains("Down"));
    assert_eq!(said("look left until I say right, then look right"), "declined");
    for text in ["wait for a clap, then nod", "nod once I clap", "nod as soon as I clap"] {
        assert!(matches!(read(text, None, "en").0, Reading::Conditional { .. }), "{text}");
    }
    for (text, waits) in [
        ("look left until five seconds have gone by", "Wait(5.0)"),
        ("look left for five seconds, then right for the same time", "Wait(5.0)"),
        ("look up, then hold it there for eight seconds, then come back up", "Wait(8.0)"),
        ("bow, hold for four, then look left", "HeadTurn Left"),
    ] {
        assert!(said(text).contains(waits), "{text}: {}", said(text));
    }
    assert_eq!(
        said("look left for five seconds, then right for the same time").matches("Wait(5.0)").count(),
        2
    );
}

#[test]
fn an_audience_is_no_direction_of_a_gesture() {
    for (text, moved) in [
        ("nod at me three times", "3x(HeadPitch"),
        ("shake your head at the camera", "HeadTurn"),
        ("wiggle your antennas at me", "Antenna"),
    ] {
        assert!(said(text).contains(moved), "{text}: {}", said(text));
    }
    assert_eq!(said("look right and to finish with, nod"), said("look right, then nod"));
    assert_eq!(said("nod, and blorp slowly"), "declined");
    assert!(said("eyes up, head tilted to the right, nod").contains("HeadTilt"));
    assert_eq!(said("the head turned left and right"), "nothing");
}

#[test]
fn a_bow_ends_in_its_own_time() {
    assert!(said("bow, and come up again slowly").ends_with("Wait(0.6) ; neutral(1)}"));
    assert!(!said("bow, then come up").contains("HeadRise"));
    assert!(
        said("look left, bow and come back").contains("neutral(2)"),
        "{}",
        said("look left, bow and come back")
    );
    let Reading::Motion { meaning, .. } = read("bow and stay down for two seconds", None, "en").0 else {
        panic!("no motion")
    };
    assert!(matches!(meaning, Meaning::Gesture(bow) if (bow.hold, bow.count) == (2.0, 1)));
}

#[test]
fn what_is_said_of_all_steps_holds_for_all() {
    let together = "ten degrees left. Ten degrees down. Ten degrees of tilt to the right. All at once";
    assert!(!said(together).contains("then") && said(together).contains("HeadTurn"), "{}", said(together));
    assert!(said("look left. Nod. All at once").contains("HeadTurn"));
}

#[test]
fn what_is_named_and_would_not_move_is_not_left_out() {
    assert_eq!(
        said("make yourself look shy: head down a little, slightly turned away, ears drooping"),
        "declined"
    );
    assert_eq!(said("shake your head after I have sung"), "declined");
    assert!(said("shake your head, but don't move the ears").contains("HeadTurn"));
}

#[test]
fn half_of_the_way_back_is_half_of_what_was_gone() {
    for text in
        ["head forward 10 mm, wait two seconds, then half back", "头往前伸一厘米，等两秒，再缩回去一半"]
    {
        assert!(said(text).ends_with("[HeadForward Forward=5.0 None x1]}"), "{text}: {}", said(text));
    }
    assert!(said("tilt, nod, tilt the other way").contains("HeadTilt Left"));
}

#[test]
fn one_side_or_one_antenna_stays_one_in_every_language() {
    for (text, moved) in [
        ("voltati a sinistra", "[BodyTurn Left*1 None x1]"),
        ("dresse l'oreille droite", "[AntennaRight"),
        ("Piegare la testa a destra tenendo basse le orecchie", "AntennaLeft"),
    ] {
        assert!(said(text).contains(moved), "{text}: {}", said(text));
    }
    assert!(!said("dresse l'oreille droite").contains("AntennaLeft"));
}
