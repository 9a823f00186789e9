use crate::{Known, Understanding, interpret};

/// Returns the steps of a text, in the words of a plan.
fn plan(text: &str) -> String {
    match interpret(text, &Known::default()) {
        Understanding::Plan(plan) => plan.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "),
        Understanding::Stop => "stop".into(),
        _ => "declined".into(),
    }
}

#[test]
fn words_after_say_are_said_and_the_rest_is_done_in_its_order() {
    for (text, steps) in [
        ("say hello", "say \"hello\""),
        ("please say good night", "say \"good night\""),
        ("Say good morning and nod twice.", "say \"good morning\"; nod twice"),
        ("nod twice and shout 'here I am, and happy'!", "nod twice; say \"here I am, and happy\""),
        (
            "look left 20 degrees, say salt and pepper, then nod once",
            "look left 20 deg; say \"salt and pepper\"; nod once",
        ),
        ("could you say thank you to Ann", "say \"thank you to Ann\""),
        ("tell us \u{201c}dinner is ready\u{201d} and nod once", "say \"dinner is ready\"; nod once"),
    ] {
        assert_eq!(plan(text), steps, "{text}");
    }
}

#[test]
fn what_is_no_order_to_speak_says_nothing() {
    assert_eq!(plan("say stop"), "stop");
    for text in [
        "say that again",
        "what did he say to you",
        "he told me to say hello",
        "tell me a joke",
        "say abracadabra and fly to the moon with your wings",
        "nod until I say so and then sing",
        "say yes with your head",
        "just a little, say four nods",
    ] {
        assert!(!plan(text).contains("say \""), "{text}: {}", plan(text));
    }
    let many = "say hello. ".repeat(100);
    assert_eq!(plan(&many), "declined");
    let long = format!("say {}", "word ".repeat(100));
    assert!(!plan(&long).contains("say \""));
}

#[test]
fn photos_and_speech_are_steps_of_a_sentence() {
    for (text, steps) in [
        ("look up 20 degrees and then take a photo", "look up 20 deg; take a photo"),
        ("take a picture of the whiteboard", "take a photo"),
        ("wait 2 seconds, take the shot, and nod once", "wait 2 s; take a photo; nod once"),
        ("tell the visitors that we close at five, and then nod once", "say \"we close at five\"; nod once"),
        ("ask the children \"are you ready?\", wait 3 seconds", "say \"are you ready?\"; wait 3 s"),
        ("sag guten Morgen und nick zweimal", "say \"guten Morgen\"; nod 2 times"),
        ("schau nach oben und mach dann ein Foto", "look up; take a photo"),
        ("regarde en haut et prends une photo", "look up; take a photo"),
        ("mira arriba y haz una foto", "look up; take a photo"),
        ("guarda in alto e scatta una foto", "look up; take a photo"),
        ("大声说早上好", "say \"早上好\""),
        ("拍张照片", "take a photo"),
    ] {
        assert_eq!(plan(text), steps, "{text}");
    }
}

#[test]
fn no_photo_and_no_speech_is_left_out_without_a_word() {
    for text in [
        "turn to glorb, say \"can I help you?\" and tilt your head",
        "take a photo every five seconds, four in all",
        "take three photos, one looking left, one looking right",
        "glorb the frobnicator and take a photo",
    ] {
        assert_eq!(plan(text), "declined", "{text}");
    }
    for text in [
        "did you take a photo?",
        "do you get the picture",
        "take a look at the pictures on the left",
        "what do you say to a dance?",
        "tell me what on earth that note is about, and early",
        "tell me the content of that note please while greeting everybody",
    ] {
        assert!(!plan(text).contains("photo") && !plan(text).contains("say \""), "{text}: {}", plan(text));
    }
    for text in ["sag ja", "dis non", "说话之前先点一下头", "take it easy and nod", "take one step left"]
    {
        let plan = plan(text);
        assert!(!plan.contains("say \"") && !plan.contains("photo"), "{text}: {plan}");
    }
}

#[test]
fn what_is_to_be_on_a_photo_is_looked_at_where_its_place_is_named() {
    for (text, steps) in [
        ("I'd like a photo of the bookshelf, it's on your left.", "look left 20 deg; take a photo"),
        ("photograph the ceiling", "look up 20 deg; take a photo"),
        ("a photo please, and then look up", "take a photo; look up 20 deg"),
        ("take a photo of me", "take a photo"),
        ("take a photo to the left and nod", "look left 20 deg; take a photo; nod once"),
        ("take a picture in two seconds", "declined"),
        ("look up, take a picture of the shelf", "look up 20 deg; take a photo"),
        ("take a photo of the dog on your blorp right", "declined"),
    ] {
        assert_eq!(plan(text), steps, "{text}");
    }
}

#[test]
fn an_order_that_is_not_understood_is_not_said() {
    for text in [
        "say hello and wiggle your antennas while you speak",
        "dis bonjour et remue les antennes pendant que tu parles",
    ] {
        assert_eq!(plan(text), "declined", "{text}");
    }
}

#[test]
fn cameras_photos_and_quotations_are_known_in_each_language() {
    for (text, step) in [
        ("Was siehst du?", "see"),
        ("tu vois quelqu'un ?", "find: person"),
        ("¿cuántas personas ves?", "count: person"),
        ("cosa vedi", "see"),
        ("你看到什么？", "see"),
        ("拍张照", "take a photo"),
        ("Scatta una foto", "take a photo"),
        ("Dis « à table » en regardant vers le haut", "say \"à table\"; look up"),
        ("Di' «è pronto» mentre annuisci", "say \"è pronto\"; nod once"),
    ] {
        assert_eq!(plan(text), step, "{text}");
    }
}
