//! Sources: round trips, layout, errors with their lines, and texts that are no tools.

use proptest::prelude::*;

use super::*;
use crate::generate::score;
use crate::score::{Event, Move, Number, Reaction, Step};
use crate::target::{Part, Target};
use crate::write::write;

const NOD: &str = r#"from reachy_mini import ReachyMini
from motion import antennas, head, neutral, perform, repeat, together, wait


def nod_and_wiggle(robot: ReachyMini, times: int = 3, speed: float = 1.0) -> str:
    """Nod three times while the antennas wiggle.

    Args:
        times: How often the head nods, between 1 and 10.
        speed: The tempo, between 0.5 and 2.
    """
    if not 1 <= times <= 10:
        raise ValueError("times must be between 1 and 10")
    if not 0.5 <= speed <= 2.0:
        raise ValueError("speed must be between 0.5 and 2")
    return perform(
        robot,
        together(
            repeat(times, head(down=15, seconds=0.4), head(down=0, seconds=0.4)),
            repeat(3, antennas(left=30, right=30), antennas(left=0, right=0)),
        ),
        wait(0.5),
        neutral(),
        speed=speed,
    )
"#;

#[test]
fn example_of_the_language_is_read_and_written_unchanged() {
    let score = read(NOD).unwrap();
    assert_eq!((score.name.as_str(), score.parameters.len(), score.steps.len()), ("nod_and_wiggle", 2, 3));
    assert_eq!(score.parameters[0].meaning, "How often the head nods");
    assert_eq!(write(&score), NOD);
}

fn tool(steps: &str) -> String {
    let names = "antennas, body, clap, face, head, neutral, perform, play, ramp, repeat, sequence, sound, thing, \
                 tilted, together, touch, until, as_long_as, voice, wait, when, whenever";
    format!(
        "from reachy_mini import ReachyMini\nfrom motion import {names}\n\n\ndef t(robot: ReachyMini) -> str:\n    \
         \"\"\"Moves.\"\"\"\n    return perform(robot, {steps})\n"
    )
}

fn steps(text: &str) -> Vec<Step> {
    read(&tool(text)).unwrap_or_else(|error| panic!("{text}: {error}")).steps
}

fn error(text: &str) -> String {
    read(&tool(text)).err().unwrap_or_else(|| panic!("{text} was read")).to_string()
}

#[test]
fn every_form_is_read() {
    let value = Number::Value;
    let left = |amount: f64| {
        let targets = vec![(Target::HeadLeft, value(amount))];
        Step::Move(Move { part: Part::Head, targets, seconds: None, easing: None })
    };
    assert_eq!(steps("head(left=(20.0))"), [left(20.0)]);
    assert_eq!(steps("wait(seconds=.5)"), [Step::Wait(value(0.5))]);
    let reaction = |event, seconds| Reaction { event, steps: vec![left(5.0)], seconds };
    let cup = Event::Thing("red cup".to_owned());
    assert_eq!(steps("when(thing('red cup'), head(left=5))"), [Step::When(reaction(cup, None))]);
    assert_eq!(
        steps("whenever(clap(), head(left=5), seconds=7)"),
        [Step::Whenever(reaction(Event::Clap, Some(value(7.0))))]
    );
    assert_eq!(
        steps("until(tilted(), head(left=5), at_most=7)"),
        [Step::Until(reaction(Event::Tilted, Some(value(7.0))))]
    );
    let [Step::Repeat { steps: inner, .. }] = &steps("repeat(4, antennas(both=ramp(5, 60)))")[..] else {
        panic!("no repeat")
    };
    let Step::Move(movement) = &inner[0] else { panic!("{inner:?}") };
    assert_eq!(movement.targets, [(Target::AntennasBoth, Number::ramp(5.0, 60.0))]);
    assert_eq!(steps("play('wake_up'), sound(\"wake_up.wav\")").len(), 2);
}

#[test]
fn errors_say_what_and_what_instead() {
    for (text, expected) in [
        (
            "head(left=80)",
            "line 7: head(left=80): the head turns at most 60 degrees to a side; stay at or below 60",
        ),
        ("head(left=-20)", "a minus sign stands here; signs are words"),
        ("head(up=5, down=5)", "head sets the head pitch twice; name down or up, and once"),
        ("antennas(both=5, left=5)", "sets the left antenna twice"),
        ("head(roll=5)", "head has no argument roll; it takes left, right, up, down, tilt_left"),
        ("head(20)", "an argument has no name; name each argument: head(left=20)"),
        ("body(left=170)", "the body turns at most 160 degrees to a side"),
        ("head(left=ramp(5, 20))", "a ramp stands outside of repeat"),
        ("repeat(3, head(left=ramp(5, ramp(1, 2))))", "a ramp stands inside a ramp"),
        ("repeat(0.5, head(left=5))", "the number of rounds is not whole"),
        ("repeat(51, head(left=5))", "give a whole number from 1 to 50"),
        ("repeat(3)", "repeat has no steps"),
        ("head(left=size)", "there is no parameter size"),
        ("together(head(left=5), sequence(wait(1), head()))", "two tracks of together move the head turn"),
        ("together(head(left=5), play('wake_up'))", "play stands inside together; put play before or after"),
        ("robot.goto_target()", "a dot stands here"),
        ("nod()", "motion has no function nod; the steps are head, antennas"),
        ("face()", "face is no step"),
        ("when(head(left=5), head(left=5))", "this is not an event; the events are face()"),
        ("when(face(), head(left=5), seconds=3)", "its time is within=20"),
        ("head(left=5, easing='bounce')", "there is no such easing"),
        ("head(left=5)(right=5)", "put a comma between two steps"),
        ("head(left=5, seconds=0)", "a movement takes 0.1 to 60 seconds"),
        ("head(left=1e400)", "no usable number"),
        ("head(left=True)", "does not belong to the language of motion"),
        ("repeat(50, wait(10))", "the call takes more than 120 seconds"),
        ("repeat(50, repeat(50, repeat(50, sound('a.wav'))))", "the call runs more than 5000 steps"),
        ("when(face(), wait(60), within=60), wait(1)", "the call takes more than 120 seconds"),
        ("head(left=5", "check the"),
        ("sound('../a')", "names no file"),
        ("thing('cup')", "thing is no step"),
        ("[head(left=5)]", "does not belong to the language of motion"),
        ("head(left=5) if face() else head()", "does not belong to the language of motion"),
        ("head(left=20 * 2)", "this is not a number"),
        ("speed=2", "perform takes only speed=speed"),
        ("", "perform"),
    ] {
        let found = if text.is_empty() { error("") } else { error(text) };
        assert!(found.contains(expected) || text.is_empty(), "{text}: {found}");
    }
    assert!(error("").contains("the tool has no steps"));
}

#[test]
fn errors_about_the_function_have_their_line() {
    for (from, to, line, expected) in [
        ("import ReachyMini", "import Reachy", 1, "not part of the language"),
        ("antennas, ", "", 20, "antennas is used and not imported"),
        ("from motion", "import os\nfrom motion", 2, "does not belong here"),
        ("times: int = 3", "times: int = 30", 5, "the range or the default of times is not valid"),
        ("times: int = 3", "times: str = 3", 5, "times is neither int nor float"),
        ("-> str", "-> int", 5, "the function does not return str"),
        ("1 <= times", "2 <= times", 5, "does not tell"),
        ("    if not 1 <= times <= 10:", "    if 1 <= times <= 10:", 12, "neither a check of a range"),
        ("times: How", "often: How", 5, "does not tell what times does"),
        ("repeat(times,", "repeat(2,", 5, "no step uses the parameter times"),
        ("        speed=speed,\n", "", 16, "speed is not passed on"),
        ("def nod_and_wiggle", "def head", 5, "has a meaning of its own"),
        ("return perform", "return str", 16, "does not end with perform"),
        ("wait(0.5),", "wait(0.5,", 24, "no valid Python"),
        ("head(down=15,", "head(down=50,", 19, "at most 35 degrees up or down"),
    ] {
        let source = NOD.replacen(from, to, 1);
        assert_ne!(source, NOD);
        let error = read(&source).unwrap_err();
        // A missing bracket is noticed where the next statement ends.
        let is_line = error.line == line || from.starts_with("wait");
        assert!(
            is_line && error.reason.contains(expected) || error.hint.contains(expected),
            "{from}: {error}"
        );
    }
}

#[test]
fn other_layout_reads_the_same() {
    let score = read(NOD).unwrap();
    let other = NOD
        .replace("        robot,\n", "        robot, # the robot\n\n")
        .replace("between 1 and 10.\n", "between 1\n            and 10.\n")
        .replace("\n\n\ndef", "\n\n# A comment.\ndef")
        .replace(
            "from motion import antennas, head,",
            "from motion import head\nfrom motion import antennas, touch,",
        )
        .replace("0.5 and 2.\n", "0.5 and 2.\n\n    Returns:\n        What was done: a sentence.\n")
        .replace('\n', "\r\n");
    assert_eq!(read(&other).unwrap(), score);
}

#[test]
fn hostile_texts_are_rejected_soon() {
    let deep = |open: &str, close: &str, times: usize| {
        tool(&(open.repeat(times) + "wait(1)" + &close.repeat(times)))
    };
    for text in [
        deep("sequence(", ")", 13),
        deep("sequence(", ")", 3_000),
        deep("(", ")", 10_000),
        deep("[", "]", 10_000),
        tool(&format!("wait({})", "9".repeat(30_000))),
        tool(&format!("wait({}1)", "not ".repeat(5_000))),
        tool(&format!("wait(1{})", " * 1".repeat(5_000))),
        tool(&format!("wait(1{})", " <= 1".repeat(5_000))),
        tool(&format!("wait{}", "(1)".repeat(5_000))),
        tool(&format!("wait(f\"{}\")", "{".repeat(5_000))),
        "a".repeat(1_000_000),
        "if a:\n".to_owned() + &(1..2_000).map(|n| " ".repeat(n) + "if a:\n").collect::<String>(),
        "match x\n".repeat(4_000),
        "\"\"\"".to_owned(),
        String::new(),
    ] {
        assert!(read(&text).is_err(), "{}", text.chars().take(200).collect::<String>());
    }
    let wide = tool(&"wait(0.01),".repeat(1_500));
    assert!(read(&wide).unwrap_err().reason.contains("more than 1000 steps"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_unchanged(score in score()) {
        prop_assume!(validate(&score).is_ok());
        let source = write(&score);
        let back = read(&source);
        prop_assert_eq!(back.as_ref(), Ok(&score), "{}", source);
        prop_assert_eq!(write(&score), write(&back.unwrap()));
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in ".{0,300}") {
        let _ = read(&text);
        let _ = read(&tool(&text));
    }

    #[test]
    fn no_change_of_a_source_makes_the_reader_panic(
        score in score(),
        at in any::<prop::sample::Index>(),
        length in 0_usize..12,
        put in prop::sample::select(vec![
            "", "(", ")", ",", "\"", "\"\"\"", "'", "\n", "    ", "head(", "repeat(9, ", "1e999", "ramp(", "=", "*",
            "\\", "\u{0}", "é", "#", "not ", "lambda: ", "speed=", "0x_", "1_0", "None",
        ]),
    ) {
        let source = write(&score);
        let (start, end) = {
            let start = at.index(source.len());
            (start, (start + length).min(source.len()))
        };
        let (Some(head), Some(tail)) = (source.get(..start), source.get(end..)) else { return Ok(()) };
        let changed = format!("{head}{put}{tail}");
        // What is read keeps all rules.
        if let Ok(score) = read(&changed) {
            prop_assert!(validate(&score).is_ok());
            let written = write(&score);
            prop_assert_eq!(read(&written), Ok(score));
        }
    }
}

#[test]
fn steps_alone_are_read_as_in_a_tool() {
    let steps = "repeat(times, head(left=20), head(left=ramp(5, 10))),\nwait(0.5)";
    let text = write(&Score {
        name: "t".to_owned(),
        summary: "Moves.".to_owned(),
        parameters: vec![Parameter::times(2)],
        steps: read_steps(steps).unwrap(),
    });
    assert_eq!(read(&text).unwrap().steps, read_steps(steps).unwrap());
    assert_eq!(read_steps("").unwrap(), Vec::new());
    let found = [
        "head(left=20),\nleap(3)",
        "head(left=20)\n) + (x",
        "head(left=20)), open('x'",
        "speed=speed",
        "head(left=20)\n)\nrobot.goto_sleep(",
    ];
    let lines: Vec<usize> = found.iter().map(|steps| read_steps(steps).unwrap_err().line).collect();
    assert_eq!(lines, [2, 2, 1, 1, 3]);
}
