//! Known motions in shapes of speech that change their order, their number or whether they happen.

use super::listener::Listener;
use crate::describe::describe;
use crate::everyday::courtesy;
use crate::lexicon::Courtesy;
use crate::meaning::{Amount, Meaning};
use crate::{Reading, read};

/// What is done after these turns, in English, or why nothing is.
fn done(turns: &str) -> String {
    let mut listener = Listener::default();
    let mut last = String::new();
    for turn in turns.split(" / ") {
        let heard = listener.hear(turn);
        last = match (heard.refusal, heard.reading) {
            (Some(refusal), _) => refusal,
            (None, Reading::Motion { meaning, .. }) => describe(&meaning, "en"),
            (None, Reading::Conditional { then, otherwise, .. }) => {
                let told = |one: Option<_>| one.map_or("nothing".into(), |one| describe(&one, "en"));
                format!("face: {}; no face: {}", told(then), told(otherwise))
            }
            (None, other) => format!("{other:?}"),
        };
    }
    last
}

#[track_caller]
fn assert_done(cases: &[(&str, &str)]) {
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|(said, expected)| {
            let done = done(said);
            (done != *expected).then(|| format!("{said}: {done}, and not {expected}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_comes_first_is_done_first() {
    assert_done(&[
        (
            "before nodding, look up and then tilt your head to the right",
            "look up, then tilt right, then nod once",
        ),
        ("before looking right, look left and wait two seconds", "look left, then wait 2 s, then look right"),
        (
            "before you nod, look up. Then shake your head",
            "look up, then nod once, then shake the head 2 times",
        ),
        ("look left and when you're done nod", "look left, then nod once"),
        ("look up three seconds from now", "wait 3 s, then look up"),
        ("look up after three seconds", "wait 3 s, then look up"),
        ("look up, but only after a three-second wait", "wait 3 s, then look up"),
        ("stay as you are for three seconds, then look up", "wait 3 s, then look up"),
        ("give it two seconds and look right", "wait 2 s, then look right"),
        ("look left / take a two-second break", "wait 2 s"),
        (
            "guarda a sinistra, 2 secondi di attesa, guarda a destra",
            "look left, then wait 2 s, then look right",
        ),
        ("看着左边别动两秒，之后看右边", "look left, then wait 2 s, then look right"),
    ]);
}

#[test]
fn what_is_counted_is_done_so_often() {
    assert_done(&[
        ("nod twice and repeat that three times", "nod 2 times 3 times"),
        ("a double nod, then shake your head", "nod 2 times, then shake the head 2 times"),
        ("three times look left and look right", "look left, then look right, all of it 3 times"),
        (
            "look down, then look up, for two seconds each",
            "look down, then wait 2 s, then look up, then wait 2 s",
        ),
        ("nod three times with a pause of one second between the nods", "nod 3 times, 1 s apart"),
        ("nod five times, faster and faster", "nod 5 times, faster each time"),
        ("look left but do it slowly", "look left slowly"),
        ("nod twice / three times instead of two", "nod 3 times"),
        ("asiente dos veces / lo mismo, pero tres veces en vez de dos", "nod 3 times"),
        ("nod twice / do that again, but with three nods", "nod 3 times"),
        ("nod four times and add two", "nod 6 times"),
    ]);
}

#[test]
fn how_far_refers_to_what_was_done() {
    assert_done(&[
        ("look left by 40 degrees / half", "look left 20 degrees"),
        ("look left by 10 degrees / times two", "look left 20 degrees"),
        ("look left / less left", "look left"),
        ("look up / down a bit", "look up"),
        ("look left, then nod / the same in the other order", "nod once, then look left"),
        ("schau nach links und nick dann / in umgekehrter Reihenfolge", "nod once, then look left"),
        ("look left, then nod / again, but only the last bit", "nod once"),
        (
            "raise the left antenna, wait two seconds, put it down",
            "left antenna outward, then wait 2 s, then back to neutral",
        ),
    ]);
    let mut listener = Listener::default();
    for (turn, yaw) in [("look left 20 degrees", 20.0), ("plus ten", 30.0), ("half", 15.0)] {
        assert!(listener.hear(turn).refusal.is_none(), "{turn}");
        let turned = listener.turned();
        assert!((turned - yaw).abs() < 1.0, "{turn}: {turned}");
    }
}

#[test]
fn what_stays_does_not_move() {
    assert_done(&[
        ("look right, but your body stays put", "look right"),
        ("看右边但是身子不许跟着转", "look right"),
        ("Lass den Körper, wo er ist, und schau nach rechts", "look right"),
        ("lift up the ear on your right", "right antenna outward"),
        ("neig den Kopf zehn Grad nach rechts, schief", "tilt right 10 degrees"),
        ("麻烦你把小脑袋歪向右边，歪十度", "tilt right 10 degrees"),
    ]);
}

#[test]
fn only_one_branch_of_a_condition_is_done() {
    let both = "face: nod once; no face: shake the head 2 times";
    assert_done(&[
        ("do you see a face? If so, nod", "face: nod once; no face: nothing"),
        ("check for a face, and if there is one, nod", "face: nod once; no face: nothing"),
        ("shake your head unless you see a face, in which case nod", both),
        ("unless you see a face, shake your head. If you do see one, nod", both),
        ("if you see a face nod, and if you don't, shake your head", both),
        ("看到人脸就点头，否则就摇头", "face: nod once; no face: shake the head 2 times"),
        ("vedi una faccia, annuisci; non ne vedi, scuoti la testa", both),
        ("wenn keiner da ist, schau nach oben", "face: nothing; no face: look up"),
    ]);
    // What is seen is not named: neither branch is done.
    assert!(matches!(read("nod, otherwise shake your head", None, "en").0, Reading::Impossible(_)));
}

#[test]
fn thanks_and_greetings_are_understood_in_every_language() {
    for (text, kind, language) in [
        ("thank you so much, that was lovely", Courtesy::Thanks, "en"),
        ("hello robot", Courtesy::Greeting, "en"),
        ("danke dir", Courtesy::Thanks, "de"),
        ("merci beaucoup", Courtesy::Thanks, "fr"),
        ("hola", Courtesy::Greeting, "es"),
        ("grazie mille", Courtesy::Thanks, "it"),
        ("谢谢你", Courtesy::Thanks, "zh"),
    ] {
        assert_eq!(courtesy(text), Some((kind, language)), "{text}");
    }
    for text in ["thanks, now look left", "hello, can you nod", "danke, schau nach links", "stop, thanks"] {
        assert_eq!(courtesy(text), None, "{text}");
    }
}

#[test]
fn all_of_it_is_repeated_and_each_antenna_takes_its_turn() {
    let twice = "nod once, then wiggle the antennas 2 times, all of it 2 times";
    let left_then_right = "left antenna outward, then right antenna outward";
    assert_done(&[
        ("nod, then wiggle your ears, and then repeat the whole thing once", twice),
        ("nod and then wiggle your ears, and then do that again", twice),
        (
            "nod, then wiggle your ears, then do both again",
            "nod once, then wiggle the antennas 2 times, then nod once, then wiggle the antennas 2 times",
        ),
        ("raise the left antenna, then right", left_then_right),
        ("ears up please, the left one first, then the right one", left_then_right),
        ("raise them one after the other, left antenna first, then right antenna", left_then_right),
        ("the left ear should wiggle twice, only the left", "left antenna outward 2 times"),
        ("three seconds after looking down, look up", "look down, then wait 3 s, then look up"),
        ("if face: nod, else: shake your head", "face: nod once; no face: shake the head 2 times"),
        (
            "check for a face, nod when there is one, shake your head when there isn't",
            "face: nod once; no face: shake the head 2 times",
        ),
        (
            "turn your head slowly from the left to the right within six seconds",
            "look left and look right once in 6 s",
        ),
        ("nod three times slooowly", "nod 3 times slowly"),
        (
            "turn your body left by 40 degrees / too much, I wanted just half of it",
            "turn the body left 20 degrees",
        ),
        ("turn your head left by 20 degrees / +10", "look left"),
        ("nod and then shake your head / again, but skip the nod", "shake the head 2 times"),
    ]);
    for text in ["nod, then say something kind", "nod and then say something"] {
        assert!(matches!(read(text, None, "en").0, Reading::NotUnderstood(_)), "{text}");
    }
}

#[test]
fn what_got_lost_moves_nothing() {
    for (text, code) in [
        ("nod, photo, shake your head", "es"),
        ("Tres cosas seguidas: foto, asentir con la cabeza, foto.", "es"),
        ("Un vistazo a la izquierda, otro a la derecha y vuelves.", "es"),
        ("look right. It must not take less than four seconds", "en"),
    ] {
        let reading = read(text, None, code).0;
        let is_photo = text.starts_with("nod, photo");
        assert_eq!(matches!(reading, Reading::NotUnderstood(_)), !is_photo, "{text}: {reading:?}");
    }
    assert_done(&[
        ("raise your head straight up", "raise the head"),
        ("du sollst doch nicht den Kopf schütteln, nicken sollst du", "nod once"),
        ("头向左转十五度 / 再过去一点点", "look left"),
    ]);
}

#[test]
fn times_belong_to_what_they_are_said_of() {
    assert_done(&[
        (
            "shake your head three times, each shake lasting four seconds",
            "shake the head 3 times, one every 4 s",
        ),
        ("shake your head three times, two seconds each", "shake the head 3 times, one every 2 s"),
        ("nod / spend two seconds on it", "nod once in 2 s"),
        ("nod / do it in two seconds", "wait 2 s, then nod once"),
        (
            "look up, hold five seconds, then level again / two seconds is enough",
            "look up, then wait 2 s, then back to neutral",
        ),
        ("look up, hold it two seconds and then down", "look up, then wait 2 s, then look down"),
        (
            "tilt your head right. After two seconds go back",
            "tilt right, then wait 2 s, then back to neutral",
        ),
        (
            "tilt your head right, and not until two seconds have passed straighten it",
            "tilt right, then wait 2 s, then back to neutral",
        ),
    ]);
}

#[test]
fn amounts_follow_one_another() {
    assert_done(&[
        (
            "look down by ten, then by twenty, then by thirty degrees",
            "look down 10 degrees, then look down 20 degrees, then look down 30 degrees",
        ),
        ("look left 10 degrees / ten instead of four", "look left 10 degrees"),
        ("look left thirty degrees / come halfway back to the middle", "look left 15 degrees"),
        ("yaw the body +15 degrees to the right", "turn the body right 15 degrees"),
        ("nod / shake your head / both of them one after the other", "nod once, then shake the head 2 times"),
    ]);
    let mut listener = Listener::default();
    for turn in ["lower your head", "level it", "turn it left by twenty degrees"] {
        assert!(listener.hear(turn).refusal.is_none(), "{turn}");
    }
    assert!((listener.turned() - 20.0).abs() < 1.0, "{}", listener.turned());
}

#[test]
fn one_time_is_measured_by_another() {
    assert_done(&[
        (
            "look left for one second, then right for three times as long",
            "look left, then wait 1 s, then look right, then wait 3 s",
        ),
        (
            "look left for two seconds, then right just as long",
            "look left, then wait 2 s, then look right, then wait 2 s",
        ),
        ("nod twice, then shake your head just as many times", "nod 2 times, then shake the head 2 times"),
        (
            "take three seconds to turn your head right, and three more to bring it back",
            "look right in 3 s, then back to neutral",
        ),
        (
            "turn right over four seconds, and over those same four seconds tilt left",
            "turn the body right and tilt left in 4 s",
        ),
        (
            "rotate your body left and pitch your head up, both lasting three seconds",
            "turn the body left and look up in 3 s",
        ),
        ("bow for three seconds and then lift it again", "look down, then wait 3 s, then back to neutral"),
    ]);
}

#[test]
fn a_turn_changes_the_one_before() {
    assert_done(&[
        (
            "look left for two seconds, then look ahead again / make it five seconds",
            "look left, then wait 5 s, then back to neutral",
        ),
        (
            "look left for two seconds, then look ahead again / again, for three seconds",
            "look left, then wait 3 s, then back to neutral",
        ),
        (
            "nod, then shake your head / repeat, and leave two seconds in between",
            "nod once, then wait 2 s, then shake the head 2 times",
        ),
        (
            "nod twice and wiggle your antennas at the same time / not at once. First one, then the other",
            "nod 2 times, then wiggle the antennas 2 times",
        ),
        ("nod, then wiggle your antennas / now both at once", "nod once and wiggle the antennas 2 times"),
        (
            "nod, wiggle, shake / everything backwards, last thing first",
            "shake the head 2 times, then wiggle the antennas 2 times, then nod once",
        ),
        (
            "look down 30 degrees and come up again / again, but less deep",
            "look down 18 degrees, then back to neutral",
        ),
        (
            "shake your head four times / start small and get bigger each time",
            "shake the head 4 times, larger each time",
        ),
        ("nod / forget all of it and go back to normal", "back to neutral"),
        ("never mind the antennas, turn your body right", "turn the body right"),
    ]);
    let mut listener = Listener::default();
    listener.hear("shake your head twice by ten degrees");
    let Reading::Motion { meaning, .. } = listener.hear("make it 30").reading else { panic!("it moves") };
    let Meaning::Gesture(gesture) = &meaning else { panic!("it is a gesture: {meaning:?}") };
    let amounts: Vec<Amount> = gesture.strokes.iter().flatten().map(|aim| aim.amount).collect();
    assert!(
        !amounts.is_empty() && amounts.iter().all(|amount| *amount == Amount::Exactly(30.0)),
        "{meaning:?}"
    );
}

#[test]
fn what_is_said_once_holds_for_what_follows() {
    assert_done(&[
        (
            "turn your head left ten degrees, come back, then twenty degrees, come back, and finally thirty and back",
            "look left 10 degrees, then back to neutral, then look left 20 degrees, then back to neutral, then look left 30 \
             degrees, then back to neutral",
        ),
        (
            "nod once with your head turned left and once with it turned right",
            "look left, then nod once, then look right, then nod once",
        ),
        (
            "look right 10, then 20, then 30 degrees, coming back to the centre each time",
            "look right 10 degrees, then back to neutral, then look right 20 degrees, then back to neutral, then look right \
             30 degrees, then back to neutral",
        ),
        (
            "wiggle your antennas in turn, twice each, starting with the right",
            "right antenna outward once, then left antenna outward once, then right antenna outward once, then left antenna \
             outward once",
        ),
        ("nod, and only then wiggle both antennas together", "nod once, then wiggle the antennas 2 times"),
        ("点三下头，每点一下停一秒钟", "nod 3 times, 1 s apart"),
        ("before you nod, look up first and then left", "look up, then look left, then nod once"),
        ("look left and tilt right, then undo both", "look left and tilt right, then back to neutral"),
        // What stands before a colon and is not known is the title of what follows, unless it forbids or reports it.
        ("be a curious puppy: cock your head left, then right", "tilt left, then tilt right"),
        ("play turtle: pull your head back", "lean back"),
    ]);
    for text in ["forbidden: nod twice", "open the door: nod twice"] {
        assert!(!matches!(read(text, None, "en").0, Reading::Motion { .. }), "{text}");
    }
}

#[test]
fn what_stands_beside_an_order_is_left_out() {
    assert_done(&[
        (
            "tilt your head to the right like a confused puppy and then shake it, because honestly I have no idea either",
            "tilt right, then shake the head 2 times",
        ),
        (
            "turn your body to the right, that's where the tourists are sitting, and then give them a nod",
            "turn the body right, then nod once",
        ),
        (
            "look to the right, stay there for two seconds so the nurse can check you, and then come back to the middle",
            "look right, then wait 2 s, then back to neutral",
        ),
        (
            "lean your head twenty degrees to the left like the tower in Pisa, we were just there on holiday",
            "tilt left 20 degrees",
        ),
        // A reason does not hide what takes the order back.
        ("look left because the glorb frobs, sorry, right", "look right"),
    ]);
    // Without its remark it is no order either.
    for text in [
        "nod because the glorb frobs, no, don't",
        "nod twice since my glorb frobs it, actually don't",
        "don't nod because the vet is here",
        "never look left so the glorb can see",
        "why do you nod like a donkey?",
        "did you look left because the glorb frobbed?",
        "my dog nods like a glorbed puppy",
        "I hate it when you nod like a glorb",
        "people who nod like a glorb annoy me",
        "stop nodding like a glorb",
    ] {
        assert!(!matches!(read(text, None, "en").0, Reading::Motion { .. }), "{text}");
    }
}
