//! Lists the phrases that people are expected to say, so that an ambiguous sound is taken for one the robot
//! can act on.

use minismith_nlu::{Intent, Known, Understanding, interpret};

/// The wake word, in addition to the names of the configuration.
pub const CALL: &str = "hey reachy";

/// Angles that people say.
const DEGREES: [&str; 11] = [
    "five",
    "ten",
    "fifteen",
    "twenty",
    "thirty",
    "forty",
    "forty five",
    "fifty",
    "sixty",
    "eighty",
    "ninety",
];

/// Numbers of repetitions.
const TIMES: [&str; 5] = ["once", "twice", "three times", "four times", "five times"];

/// Long durations, in seconds.
const SECONDS: [&str; 7] = ["two", "three", "five", "ten", "twenty", "thirty", "sixty"];

/// Phrases that an angle may follow.
const TURNS: [&str; 24] = [
    "look left",
    "look right",
    "look up",
    "look down",
    "look to the left",
    "look to the right",
    "turn left",
    "turn right",
    "turn to the left",
    "turn to the right",
    "turn your head left",
    "turn your head right",
    "turn your head to the left",
    "turn your head to the right",
    "turn your body left",
    "turn your body right",
    "turn your body to the left",
    "turn your body to the right",
    "tilt left",
    "tilt right",
    "tilt your head left",
    "tilt your head right",
    "tilt your head to the left",
    "tilt your head to the right",
];

/// Phrases that a number of repetitions may follow.
const REPEATED: [&str; 7] = [
    "nod",
    "nod your head",
    "shake your head",
    "wiggle your antennas",
    "wave your antennas",
    "shake",
    "dance",
];

/// Phrases that stand as they are.
const WHOLE: [&str; 43] = [
    "raise your head",
    "lower your head",
    "raise your antennas",
    "lower your antennas",
    "raise your left antenna",
    "raise your right antenna",
    "lower your left antenna",
    "lower your right antenna",
    "look ahead",
    "look straight ahead",
    "look straight",
    "look at me",
    "look at my face",
    "follow me",
    "follow my face",
    "stop following me",
    "what do you see",
    "what can you see",
    "how many people do you see",
    "describe what you see",
    "find a cup",
    "look at the cup",
    "wake up",
    "go to sleep",
    "dance for me",
    "center",
    "center your head",
    "go back to the center",
    "return to the center",
    "go to the center",
    "look at the center",
    "where are you looking",
    "what can you do",
    "what can i say",
    "which tools do you have",
    "list your tools",
    "wave",
    "wiggle",
    "bow",
    "be happy",
    "be sad",
    "nod slowly",
    "shake your head slowly",
];

/// Phrases that stand alone, including those that only mean something after another request.
pub const ALONE: [&str; 9] = [
    "stop",
    "halt",
    "freeze",
    "do that again",
    "do it again",
    "once more",
    "undo that",
    "a bit more",
    "the other way",
];

/// Returns all phrases that may follow one another, including those for tools of these names. Phrases that
/// the grammar rejects are left out.
#[must_use]
pub fn commands<'a>(tools: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for turn in TURNS {
        all.extend(["", " a bit", " a little", " slowly"].map(|more| format!("{turn}{more}")));
        all.extend(DEGREES.map(|degrees| format!("{turn} {degrees} degrees")));
    }
    for repeated in REPEATED {
        all.push(repeated.to_owned());
        all.extend(TIMES.map(|times| format!("{repeated} {times}")));
    }
    for seconds in SECONDS {
        all.extend(["wait", "dance for"].map(|what| format!("{what} {seconds} seconds")));
    }
    all.extend(WHOLE.map(str::to_owned));
    all.retain(|sentence| is_read(sentence));
    all.extend(tools.into_iter().map(|tool| format!("run {}", tool.replace('_', " "))));
    all
}

/// Returns whether the grammar accepts a text as it stands, with no word taken for another one that sounds alike.
#[must_use]
pub fn is_read(text: &str) -> bool {
    let is_literal = |intent: &Intent| !matches!(intent, Intent::Spoken(spoken) if !spoken.heard.is_empty());
    match interpret(text, &Known::default()) {
        Understanding::Plan(plan) => plan.iter().all(is_literal),
        Understanding::Stop => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn max_expected_phrases_are_accepted() {
        let known = commands(["happy_hello"]);
        let left_out: Vec<&str> =
            WHOLE.into_iter().chain(TURNS).chain(REPEATED).filter(|one| !is_read(one)).collect();
        assert!(left_out.is_empty(), "{left_out:?}");
        assert!(
            known.contains(&"run happy hello".to_owned())
                && known.contains(&"look up ten degrees".to_owned())
        );
    }
}
