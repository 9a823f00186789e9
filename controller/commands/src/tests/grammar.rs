//! Short sentences, and what they move.

use super::listener::Listener;
use super::short;
use crate::Reading;

/// Says turns to a fresh listener and returns what the last one means, in few words.
fn said(turns: &[&str]) -> String {
    let mut listener = Listener::default();
    let mut last = String::new();
    for turn in turns {
        let heard = listener.hear(turn);
        last = match heard.reading {
            _ if heard.is_stop => "stop".into(),
            _ if heard.refusal.is_some() => "refused".into(),
            Reading::Motion { meaning, .. } => short(&meaning),
            Reading::Conditional { otherwise, .. } => format!("else {:?}", otherwise.as_ref().map(short)),
            Reading::NotUnderstood(_) => "unclear".into(),
            Reading::Nothing => "nothing".into(),
            Reading::Impossible(_) => "refused".into(),
        };
    }
    last
}

#[track_caller]
fn assert_parts(turns: &[&str], parts: &[&str]) {
    let text = said(turns);
    let mut rest = text.as_str();
    for part in parts {
        let at = rest.find(part).unwrap_or_else(|| panic!("{turns:?}: no \"{part}\" in {text}"));
        rest = &rest[at + part.len()..];
    }
}

#[test]
fn clauses_follow_one_another_in_the_order_that_is_said() {
    assert_parts(
        &["1) tilt your head left 2) nod 3) look up"],
        &["HeadTilt Left", "HeadPitch Down", "HeadPitch Up"],
    );
    assert_parts(&["look up, but nod first"], &["HeadPitch Down", "HeadPitch Up"]);
    assert_parts(&["before you look down, tilt your head left"], &["HeadTilt Left", "HeadPitch Down"]);
    assert_parts(
        &["look down until you've wiggled twice, then look ahead"],
        &["HeadPitch Down", "2x(Antenna", "neutral"],
    );
    assert_parts(
        &["you may look up, but not until you've nodded twice"],
        &["2x(HeadPitch Down", "HeadPitch Up"],
    );
    assert_parts(&["do not look up until you've shaken your head"], &["HeadTurn", "HeadPitch Up"]);
    assert_parts(
        &["nod four times with a break of one second in between"],
        &["4x(HeadPitch Down", "pause=1"],
    );
    assert_parts(
        &["three nods, and with every one of them your antennas go out"],
        &["3x(HeadPitch", "3x(Antenna"],
    );
    assert_parts(&["the left antenna goes out and back seven times"], &["7 times", "AntennaLeft", "neutral"]);
    assert_parts(&["flick your left antenna out and back 7 times"], &["7x(", "AntennaLeft"]);
    assert_parts(
        &["nod, then look left and back three times"],
        &["HeadPitch Down", ";", "3 times", "HeadTurn Left"],
    );
    assert_parts(
        &["look up, left, down and right"],
        &["HeadTurn Left", ";", "HeadPitch Down", ";", "HeadTurn Right"],
    );
}

#[test]
fn what_is_said_in_a_roundabout_way_means_the_same() {
    for (text, parts) in [
        ("right, look up", &["HeadPitch Up"][..]),
        ("right then, could you nod once", &["1x(HeadPitch Down"]),
        ("look up down up", &["HeadPitch Up", "HeadPitch Down", "HeadPitch Up"]),
        ("all at once: look up, ears apart", &["[HeadPitch Up", "& Antenna"]),
        ("I'd be ever so thankful for three nods", &["3x(HeadPitch Down"]),
        ("nod three times, each nod deeper than the one before", &["3x(HeadPitch Down", "trend"]),
        ("face the door, it's on your right", &["HeadTurn Right"]),
        ("act like you are thinking, tilt your head to the left", &["HeadTilt Left"]),
        ("My sister has the day off. She left at nine. Nod once, please.", &["1x(HeadPitch Down"]),
        ("lift your chin", &["HeadPitch Up"]),
        ("pls trun your head left", &["HeadTurn Left"]),
        ("scoot your head back a bit", &["HeadForward Back"]),
        ("give the lady a quick nod", &["HeadPitch Down"]),
        (
            "look left, then right, and put a nod in between",
            &["HeadTurn Left", "1x(HeadPitch", "HeadTurn Right"],
        ),
        ("wave with both ears, hang on, only the right one", &["AntennaRight"]),
        ("move your head to the left without turning it", &["HeadSide Left"]),
        ("do you see anybody? nod for yes, shake your head for no", &["else Some", "HeadTurn"]),
        ("nod, wait a second, nod", &["1x(HeadPitch", "1x(HeadPitch"]),
    ] {
        assert_parts(&[text], parts);
    }
    for chatter in ["My sister has the day off. She left at nine.", "I nod off early"] {
        assert!(["nothing", "unclear"].contains(&said(&[chatter]).as_str()), "{chatter}");
    }
}

#[test]
fn corrections_replace_what_was_said() {
    assert_parts(&["turn left, no, right"], &["[BodyTurn Right"]);
    assert_parts(&["look up. wait, no, down."], &["[HeadPitch Down"]);
    assert_parts(&["raise your right antenna. Oops, I meant left."], &["[AntennaLeft"]);
    assert_parts(&["move your head forward by two centimetres, no, one"], &["=10"]);
    assert_parts(&["look left and nod, actually forget the nodding"], &["[HeadTurn Left"]);
    assert_parts(&["tilt your head 10 degrees to the right", "make it 20"], &["HeadTilt Right=20"]);
    assert_parts(&["turn your body left", "no, I meant your head"], &["HeadTurn Left", "neutral(1)"]);
    assert_eq!(said(&["nod twice. no, don't"]), "nothing");
}

#[test]
fn references_change_the_last_motion() {
    assert_parts(&["nod twice", "again, but slower"], &["2x(HeadPitch", "stroke=1.7"]);
    assert_parts(&["look up 10 degrees", "5 more"], &["HeadPitch Up+5"]);
    assert_parts(&["nod five times", "ten more"], &["10x("]);
    assert_parts(&["nod five times", "two fewer"], &["3x("]);
    assert_parts(&["look left", "nod once", "do both of those again"], &["HeadTurn Left", "HeadPitch Down"]);
    assert_parts(
        &["look left", "nod once", "both of those, but in the opposite order"],
        &["HeadPitch Down", "HeadTurn Left"],
    );
    assert_parts(&["look left", "look up", "and now the first one again"], &["HeadTurn Left"]);
    assert_parts(&["nod once", "do both of those"], &["refused"]);
    assert_parts(
        &["nod once", "shake your head once", "those two at the same time"],
        &["HeadPitch", "HeadTurn"],
    );
    assert_parts(&["look left", "look right", "those two at the same time"], &["refused"]);
    assert_parts(&["nod five times", "too many, two will do"], &["2x("]);
    assert_parts(&["shake your head four times", "one shake less"], &["3x("]);
    assert_parts(&["nod twice", "two less"], &["refused"]);
    assert_parts(&["nicke fünfmal", "eins weniger"], &["4x("]);
    assert_parts(&["asiente cinco veces", "dos menos"], &["3x("]);
    assert_parts(&["hoche la tête cinq fois", "deux de moins"], &["3x("]);
    assert_parts(&["annuisci cinque volte", "due in meno"], &["3x("]);
    assert_parts(&["wiggle your right antenna", "your other right"], &["AntennaLeft"]);
    assert_parts(&["tilt your head right", "now the mirror image"], &["HeadTilt Left"]);
    assert_parts(&["nod six times", "now half as many"], &["3x("]);
    assert_parts(&["look up 15 degrees", "same thing but downwards"], &["HeadPitch Down=15"]);
    assert_parts(&["wiggle the left antenna 3 times", "do that with the other one"], &["3x(AntennaRight"]);
    assert_parts(&["tilt your head 20 degrees left", "now the other way"], &["HeadTilt Right=20"]);
    assert_parts(&["shift your head forward by 1 cm", "double that"], &["=20"]);
}

#[test]
fn what_is_told_asked_or_forbidden_moves_nothing() {
    for text in [
        "my dog tilts his head to the left",
        "my sister said look left, look right",
        "why did you shake your head?",
        "how far can you turn your head?",
        "no nodding please",
        "don't look down",
        "look at the zorbulator",
        "the old wizard nods",
        "nod and then zorp the quix",
        "the light is on",
        "the sun is so nice",
        "the floor is wet",
        "das Licht ist an",
    ] {
        let what = said(&[text]);
        assert!(matches!(what.as_str(), "nothing" | "unclear" | "refused"), "{text}: {what}");
    }
    assert_parts(&["I told my wife about you, so could you nod"], &["HeadPitch Down"]);
    assert_parts(&["look up, but don't let your head sink"], &["[HeadPitch Up"]);
}

#[test]
fn conditions_ask_for_a_face_or_are_declined() {
    assert_parts(&["if you see a face nod, otherwise look up"], &["else", "HeadPitch Up"]);
    assert_parts(&["unless you see somebody, look down"], &["else", "HeadPitch Down"]);
    assert_eq!(said(&["nod if there is anyone in front of you"]), "else None");
    assert_eq!(said(&["if it rains, nod"]), "refused");
}

#[test]
fn a_stop_is_one_only_where_it_is_ordered() {
    for text in ["stop", "ok stop it now", "please stop nodding", "STOP!!!", "whoa, that's enough"] {
        assert_eq!(said(&[text]), "stop", "{text}");
    }
    for text in [
        "nod and then stop",
        "stop looking down and look up",
        "don't stop, look left",
        "look up, stop for two seconds, look down",
    ] {
        assert_ne!(said(&[text]), "stop", "{text}");
    }
}

#[test]
fn misheard_words_are_taken_for_what_sounds_alike() {
    assert_parts(&["tern your body to the left"], &["BodyTurn Left"]);
    assert_parts(&["turn your body 90 decrease to the left"], &["BodyTurn Left=90"]);
    assert_parts(&["both ant tennis out words please"], &["AntennaLeft Outward", "AntennaRight Outward"]);
    assert_parts(&["not twice please"], &["2x(HeadPitch"]);
    assert_parts(&["look left and then not three times"], &["HeadTurn Left", "3x(HeadPitch"]);
    let heard = Listener::default().hear("turrn your body left");
    let Reading::Motion { heard, .. } = heard.reading else { panic!("it moves") };
    assert_eq!(heard, [("turrn".to_owned(), "turn".to_owned())]);
}

#[test]
fn adjectives_names_and_an_audience_change_nothing() {
    assert_parts(&["give us a majestic nod"], &["HeadPitch Down"]);
    assert_parts(&["hey Bartholomew, look left"], &["HeadTurn Left"]);
    assert_parts(&["look right for my grandma"], &["HeadTurn Right"]);
    assert_parts(&["shake your head at the onlookers"], &["HeadTurn"]);
}

/// Whatever is said is answered, and nothing panics.
#[test]
fn what_is_not_known_lets_nothing_else_pass_as_an_order() {
    let unclear = [
        "move the cup to the left",
        "turn the screen to the right",
        "play some music and turn it up",
        "that's very odd",
        "some people grow with responsibility",
        "take your head",
        "right here, said the priest",
        "left 10 20 30",
    ];
    for text in unclear {
        let meaning = said(&[text]);
        assert!(matches!(meaning.as_str(), "unclear" | "refused" | "nothing"), "{text}: {meaning}");
    }
    for text in [
        "things are looking up",
        "your head looks really cute",
        "the bow on that present is lovely",
        "happiness is rare",
        "you can't miss it",
        "tomorrow morning at eight, nod",
        "please don't wave or nod",
        "turn to -30",
        "nod a hundred times",
        "look up 10 degrees per second",
        "look from one ear to the other",
        "out of the pool",
    ] {
        let meaning = said(&[text]);
        assert!(matches!(meaning.as_str(), "unclear" | "refused" | "nothing"), "{text}: {meaning}");
    }
    assert_eq!(said(&["look left", "the other one"]), "refused");
    // Beside an order, what somebody tells is left out.
    assert_parts(&["my gran is here, look left"], &["HeadTurn Left"]);
}

#[test]
fn a_correction_finds_what_it_corrects() {
    assert_eq!(said(&["look left no wait"]), "nothing");
    assert_parts(&["turn your head left and nod twice, sorry, right"], &["HeadTurn Right", "2x(HeadPitch"]);
    assert_parts(&["turn your body left, uh, your head I mean"], &["HeadTurn Left"]);
    assert_parts(&["turn your head, no, your whole body, to the right"], &["BodyTurn Right"]);
    assert!(!said(&["look left then up, skip the up"]).contains("HeadPitch"));
    assert_parts(&["nod. no! shake your head"], &["HeadTurn"]);
    assert_parts(&["look left thirty degrees, wait, that's too much, twenty"], &["=20"]);
}

#[test]
fn what_goes_along_with_the_step_before_moves_with_it() {
    for text in [
        "look right and keep nodding meanwhile",
        "look up and, at the same time, droop your antennas",
        "look to the right, wiggling your ears as you go",
    ] {
        let meaning = said(&[text]);
        assert!(meaning.starts_with('<') || meaning.starts_with('['), "{text}: {meaning}");
    }
    assert_parts(&["bow to the left and to the right"], &["Left", "HeadPitch", "Right", "HeadPitch"]);
    assert_parts(&["two small nods and one big one"], &["2x(HeadPitch", "1x(HeadPitch"]);
    assert_parts(&["look behind you to the right"], &["BodyTurn Right"]);
    assert_parts(&["all the way to the left but only halfway up"], &["HeadTurn Left", "HeadPitch Up"]);
    assert_parts(&["look left 20 degrees", "10 more and then look up"], &["HeadTurn Left", "HeadPitch Up"]);
    assert_parts(
        &["lower the right antenna, then raise it again while the left one drops"],
        &["neutral(1)", "AntennaLeft"],
    );
}

#[test]
fn every_text_is_read() {
    let planes: String = (0..0x11_0000).step_by(97).filter_map(char::from_u32).collect();
    let texts = [
        "a".repeat(10_000),
        "nod ".repeat(2_500),
        "look left and ".repeat(700),
        "no, ".repeat(2_500),
        "if ".repeat(3_000),
        "1) 2) 3) ".repeat(1_000),
        "9".repeat(10_000),
        "1/0 2/0 0.0.0.0 -5 1e999 ".repeat(400),
        "n\u{336}o\u{336}\u{317}d\u{334}".repeat(2_000),
        "\u{202e}dno\u{202c} \u{2066}nod\u{2069} ".repeat(800),
        "🤖👍🏽‍♂️ nod 🙏 ".repeat(800),
        "看右点头，".repeat(2_000),
        "?!…,;:'\"()[]{}".repeat(700),
        "two hundred and twenty thousand point one four ".repeat(200),
        "turn your had to the lift and tern the seal ing".to_owned(),
        planes,
        String::new(),
        "\n\n\t \u{0}".to_owned(),
    ];
    for text in &texts {
        let past = said(&["look left", text.as_str()]);
        assert!(!past.is_empty());
    }
}

#[test]
fn a_motion_has_only_the_sides_and_parts_that_it_moves() {
    for turns in [["nod twice", "the other way"], ["look left", "the same with the other one"]] {
        assert_eq!(said(&turns), "refused", "{turns:?}");
    }
    assert_parts(&["wiggle the left antenna", "mirror that"], &["AntennaRight"]);
    assert_parts(&["look left 20 degrees", "four of those"], &["4"]);
    assert_parts(
        &["nod once, then wiggle your left antenna", "now the same two things in the opposite order"],
        &["AntennaLeft", "HeadPitch"],
    );
}
