//! What people are expected to say to the robot, so that a sound which could be many things is taken for one that it can do.

use minismith_nlu::{Known, Understanding, understand};

/// What it is called by, besides the names of the configuration.
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

/// How often something is done.
const TIMES: [&str; 5] = ["once", "twice", "three times", "four times", "five times"];

/// Long times.
const SECONDS: [&str; 7] = ["two", "three", "five", "ten", "twenty", "thirty", "sixty"];

/// What is said with an angle or a degree behind it.
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

/// What is done a number of times.
const REPEATED: [&str; 7] = [
    "nod",
    "nod your head",
    "shake your head",
    "wiggle your antennas",
    "wave your antennas",
    "shake",
    "dance",
];

/// What is said as it is.
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

/// What is said by itself, also what only means something after something else.
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

/// All that may follow one another, and tools by these names. What the offline brain can't do is left out.
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

/// Whether the offline brain can do what a text says.
#[must_use]
pub fn is_read(text: &str) -> bool {
    matches!(understand(text, &Known::default()), Understanding::Plan(_) | Understanding::Stop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_of_what_is_expected_can_be_done() {
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
