//! Writes tools in Python without a model: from a sequence of primitives, against the official SDK, or from a request
//! in ordinary words, in the language of motion.
//!
//! Reading order: [`compose`] (the whole file and its test cases), `phrase` (loops for repetitions), `python`
//! (one stroke as one line, and escaped text of a person), `from_request` (a request in words), [`by_model`] (a request
//! that a model on this computer serves). The tool is written from the same strokes that a direct command runs, so both
//! move alike. Everything here is pure.

pub mod by_model;
mod from_request;
mod phrase;
mod python;

pub use minismith_composer::{given_name, is_correction, is_lasting_reaction, is_tool_request};

pub use from_request::{Written, authored, changed, composed, is_authoring_request, without_run};

use std::fmt::Write as _;

use serde_json::{Value, json};

use minismith_analysis::manifest::{Expectation, TestCase};
use minismith_nlu::primitive::Primitive;
use minismith_nlu::{Aim, MotionSegment, lower};

/// A tool as it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Authored {
    /// The Python source: ASCII, below 8 KB.
    pub source: String,
    /// The behaviour that the author promises.
    pub test_cases: Vec<TestCase>,
    /// Its steps, for people.
    pub plan: Vec<String>,
    /// The first line of its docstring.
    pub purpose: String,
    /// The language model that wrote it; none if no model did.
    pub model: Option<String>,
    /// The words of the request that it does not serve; with any, it is right at most in part.
    pub left_out: Vec<String>,
}

impl Authored {
    /// Gives the tool's function another name.
    pub fn rename(&mut self, from: &str, to: &str) {
        self.source = self.source.replacen(&format!("def {from}("), &format!("def {to}("), 1);
    }
}

/// The slowest and the fastest tempo.
const SPEED: (f64, f64) = (0.5, 2.0);

/// The maximum duration of the slowest call, in seconds: below the 120 s that a rehearsal gives one case.
const MAX_CALL_S: f64 = 100.0;

/// The maximum number of rounds, where they are short enough.
const MAX_ROUNDS: u32 = 10;

/// Sentences longer than this many characters become a list.
const MAX_SENTENCE_BYTES: usize = 90;

/// Writes a tool that does `body`, from the neutral posture.
///
/// `name` is a Python identifier ([`minismith_nlu::tool_name`] makes one). `request` is the person's own
/// text. The docstring quotes it without any character that could end the docstring.
#[must_use]
pub fn compose(name: &str, body: &[Primitive], request: &str) -> Authored {
    let strokes = lower(body, Aim::neutral());
    let plan: Vec<String> = body.iter().map(Primitive::describe).collect();
    let summary = summary(&plan);
    let rounds = max_rounds(&strokes);
    let motions: Vec<String> =
        phrase::phrases(&strokes).iter().map(|phrase| python::lines(phrase, "        ")).collect();
    let motions = motions.concat();
    let mut source = String::new();
    if motions.contains("time.sleep(") {
        source.push_str("import time\n\n");
    }
    source.push_str("from reachy_mini import ReachyMini\n");
    if motions.contains("create_head_pose(") {
        source.push_str("from reachy_mini.utils import create_head_pose\n");
    }
    let (slowest, fastest) = SPEED;
    // Writing into a string can't fail.
    let _ = write!(
        source,
        r#"

def {name}(robot: ReachyMini, times: int = 1, speed: float = 1.0) -> str:
    """{summary}

{request}

    Args:
        robot: The robot that moves.
        times: How often to do all of it, between 1 and {rounds}.
        speed: The tempo, between {slowest:?} and {fastest:?}; 2.0 halves the duration of every move. Pauses,
            waking up and going to sleep keep theirs.

    Returns:
        A sentence that says what was sent to the robot.

    Raises:
        ValueError: If times or speed is out of range.
    """
    if not 1 <= times <= {rounds}:
        raise ValueError("times must be between 1 and {rounds}")
    if not {slowest:?} <= speed <= {fastest:?}:
        raise ValueError("speed must be between {slowest:?} and {fastest:?}")
    for _ in range(times):
{motions}    return f"Sent {{times}} x ({sent}) at speed {{speed:g}}."
"#,
        request =
            python::paragraph(&format!("Written for the request '{}'.", python::harmless(request)), "    "),
        sent = sent(&plan),
    );
    let purpose =
        if plan.join(", then ").len() > MAX_SENTENCE_BYTES { plan.join(", then ") } else { summary };
    Authored { source, test_cases: test_cases(rounds), plan, purpose, model: None, left_out: Vec::new() }
}

/// Returns the docstring's first line, with the steps below it where they do not fit into one sentence.
fn summary(plan: &[String]) -> String {
    let sentence = plan.join(", then ");
    if sentence.len() > MAX_SENTENCE_BYTES {
        let steps: Vec<String> =
            plan.iter().enumerate().map(|(at, step)| format!("        {}. {step}", at + 1)).collect();
        return format!("Do {} moves in a row.\n\n    Moves:\n{}", plan.len(), steps.join("\n"));
    }
    let mut letters = sentence.chars();
    letters
        .next()
        .map_or_else(String::new, |first| format!("{}{}.", first.to_ascii_uppercase(), letters.as_str()))
}

/// Returns what the tool's result says was sent.
fn sent(plan: &[String]) -> String {
    let sentence = plan.join(", then ");
    if sentence.len() > MAX_SENTENCE_BYTES { format!("{} moves", plan.len()) } else { sentence }
}

/// Returns how many rounds fit into one call at the slowest tempo.
fn max_rounds(strokes: &[MotionSegment]) -> u32 {
    let slow = |stroke: &MotionSegment| {
        let seconds = stroke.duration().as_secs_f64();
        if python::is_paced(stroke) { seconds / SPEED.0 } else { seconds }
    };
    let round: f64 = strokes.iter().map(slow).sum();
    (MAX_CALL_S / round.max(0.1)).clamp(1.0, f64::from(MAX_ROUNDS)) as u32
}

fn test_cases(rounds: u32) -> Vec<TestCase> {
    let raises = || Expectation::Raises { exception: "ValueError".into() };
    let case = |name: &str, arguments: Value, expect| TestCase {
        name: name.to_owned(),
        arguments: arguments.as_object().cloned().unwrap_or_default(),
        expect,
        ..TestCase::default()
    };
    let (slowest, fastest) = SPEED;
    let too_fast = fastest * 2.0;
    vec![
        case("once, as it is", json!({}), Expectation::ReturnsText),
        case("as slow as it goes", json!({"speed": slowest}), Expectation::ReturnsText),
        case("two rounds", json!({"times": 2.min(rounds)}), Expectation::ReturnsText),
        case("no round at all is refused", json!({"times": 0}), raises()),
        case(&format!("speed {too_fast:?} is refused"), json!({"speed": too_fast}), raises()),
    ]
}

#[cfg(test)]
mod tests;
