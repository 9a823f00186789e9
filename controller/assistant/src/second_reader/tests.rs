use minismith_language_model::Tokens;

use super::*;

fn certain(sentence: &str, commands: &str) -> bool {
    reading(sentence, commands).is_some_and(|reading| reading.is_certain)
}

#[test]
fn what_the_words_bear_out_is_certain() {
    for (sentence, commands) in [
        ("turn yore body left", "turn your body left"),
        ("shake your head like you disagree", "shake your head"),
        ("lean it to the left by twenty degrees plz k thx bye", "tilt your head left 20 degrees"),
        ("schau mal flugs nach links, ne", "look left"),
    ] {
        assert!(certain(sentence, commands), "{sentence} {:?}", Evidence::of_sentence(sentence));
    }
}

#[test]
fn what_differs_from_the_words_is_dropped() {
    for (sentence, commands) in [
        // Another side, count, part, gesture or angle, or less than was said.
        ("my battery is nearly dead so quickly look left", "look right"),
        ("nod thrice, old chap", "nod 2 times"),
        ("turn yore body left", "look left"),
        ("shake your head like you disagree", "nod"),
        ("look left 20 degrees, mate", "look left 25 degrees"),
        ("look left and nod, mate", "look left"),
    ] {
        assert_eq!(reading(sentence, commands), None, "{sentence}");
    }
}

#[test]
fn what_may_mean_something_else_is_asked() {
    for (sentence, commands) in [
        // More than was said, or in another order.
        ("look left, mate", "look left, then nod"),
        ("nod and then look left, mate", "look left, then nod"),
        // Words that change a meaning, tales and other things.
        ("my battery is nearly dead so quickly look left", "look left"),
        ("look right last, nod first", "look right, then nod"),
        ("look left if the kettle boils", "look left"),
        ("my neighbour always looks left before she crosses the road", "look left"),
        ("look up the weather in Paris", "look up"),
        ("tilt the picture a little to the right", "tilt your head right"),
        ("should it get loud, lower your antennas", "lower your antennas"),
        ("make like a curious little bird", "tilt your head left"),
        // What is taken back, or done the other way round.
        ("left, no, sorry mate, right", "look right"),
        ("and now the other way, old chap", "look right"),
    ] {
        let reading = reading(sentence, commands).unwrap_or_else(|| panic!("{sentence}"));
        assert!(!reading.is_certain, "{sentence}: {}", reading.description);
    }
}

#[test]
fn only_commands_are_read() {
    for answer in
        ["none", "", "look", "look left and import os", "say hello", "nod 2 times, then fly", "stop"]
    {
        assert_eq!(reading("do something", answer), None, "{answer}");
    }
}

#[test]
fn what_was_done_last_stands_before_the_sentence() {
    let message = Message::person("Done before: nod 5 times\nPerson: one fewer, old chap\nCommands:");
    let mut asked = Vec::new();
    let read = second_reading("one fewer, old chap", Some("nod 5 times"), &mut |prompt| {
        asked.clone_from(&prompt.messages);
        let completion = Completion::Text("nod 4 times".into());
        Ok(ModelAnswer { completion, tokens: Tokens::default(), from: String::new() })
    });
    let read = read.unwrap().unwrap();
    assert_eq!((asked, read.is_certain), (vec![message], false));
    assert_eq!(read.description, "nod 4 times");
}

#[test]
fn questions_are_in_the_language_of_the_sentence() {
    let reading = reading("Könntest du dein Köpfchen mal flugs nach rechts drehen?", "look right").unwrap();
    assert_eq!((reading.language, reading.description.as_str()), ("de", "nach rechts schauen"));
}

#[test]
fn long_sentences_and_failures_move_nothing() {
    let long = "look left and ".repeat(30);
    let asked = second_reading(&long, None, &mut |_| panic!("a long sentence is told, not ordered"));
    assert_eq!(asked.unwrap(), None);
    let gone = ModelCallError::Local { reason: "its process died".into() };
    assert_eq!(second_reading("look lft", None, &mut |_| Err(gone.clone())).unwrap_err(), gone);
}

/// Expands a rule of the grammar in turn with each of its alternatives, the other parts with their first one.
struct Expansion<'a> {
    rules: Vec<(&'a str, &'a str)>,
}

impl Expansion<'_> {
    /// Returns the sentences of an expression, and what stands behind it.
    fn alternatives<'t>(&self, mut text: &'t str) -> (Vec<String>, &'t str) {
        let mut all = Vec::new();
        loop {
            let (some, rest) = self.sequence(text);
            all.extend(some);
            match rest.strip_prefix('|') {
                Some(more) => text = more,
                None => return (all, rest),
            }
        }
    }

    fn sequence<'t>(&self, mut text: &'t str) -> (Vec<String>, &'t str) {
        let mut found = vec![String::new()];
        loop {
            text = text.trim_start();
            let (mut part, rest) = if let Some(quoted) = text.strip_prefix('"') {
                let (literal, rest) = quoted.split_once('"').unwrap();
                (vec![literal.to_owned()], rest)
            } else if let Some(group) = text.strip_prefix('(') {
                let (part, rest) = self.alternatives(group);
                (part, rest.strip_prefix(')').unwrap())
            } else if let Some(class) = text.strip_prefix('[') {
                let (class, rest) = class.split_once(']').unwrap();
                (vec![class.chars().next().unwrap().to_string()], rest)
            } else if text.starts_with(|c: char| c.is_ascii_lowercase()) {
                let end = text.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(text.len());
                let (name, rest) = text.split_at(end);
                let rule = self.rules.iter().find(|(known, _)| *known == name).unwrap();
                (self.alternatives(rule.1).0, rest)
            } else {
                return (found, text);
            };
            text = rest;
            if let Some(rest) = text.strip_prefix('?').or_else(|| text.strip_prefix("{0,4}")) {
                part.insert(0, String::new());
                text = rest;
            }
            let first = part[0].clone();
            let head = found[0].clone();
            let more = part.iter().skip(1).map(|one| format!("{head}{one}")).collect::<Vec<_>>();
            found = found.iter().map(|one| format!("{one}{first}")).chain(more).collect();
        }
    }
}

#[test]
fn all_that_the_grammar_permits_is_understood() {
    let rules = GRAMMAR.lines().filter_map(|line| line.split_once(" ::= ")).collect();
    let (sentences, rest) = Expansion { rules }.alternatives("root");
    assert!(sentences.len() > 60 && rest.is_empty(), "{} {rest}", sentences.len());
    for sentence in &sentences {
        let sentence = sentence.trim_end_matches(", then ");
        assert!(sentence == NOTHING || commanded(sentence, "en").is_some(), "{sentence}");
    }
}

#[test]
fn examples_of_the_instructions_are_commands() {
    let mut sentence = "";
    let mut examples = 0;
    for line in INSTRUCTIONS.lines() {
        if let Some(said) = line.strip_prefix("Person: ") {
            sentence = said;
        } else if let Some(commands) = line.strip_prefix("Commands: ") {
            examples += 1;
            assert!(commands == NOTHING || commanded(commands, "en").is_some(), "{sentence}: {commands}");
        }
    }
    assert!(examples > 8);
}
