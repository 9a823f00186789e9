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
