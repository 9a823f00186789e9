//! Writes a tool from what a request tells of the robot, by the reader of commands: a second reading beside the composer's.

use minismith_commands::describe::describe;
use minismith_commands::{Meaning, described, steps};
use minismith_composer::{given_name, plain_request};
use minismith_contract::{Contract, Verdict};
use minismith_score::{Axis, AxisValues, Score, capitalized};

use super::by_model::Candidate;
use super::{Written, authored};

/// What stands between the head of a request and what the tool does.
const LINKS: [&str; 20] = [
    " that ",
    " which ",
    ": ",
    " where you ",
    " where ",
    "; it ",
    ", it ",
    " in which you ",
    " in which ",
    " for ",
    ". ",
    " yourself to ",
    " learn to ",
    " how to ",
    " skill to ",
    " tool to ",
    " routine to ",
    " command to ",
    " with ",
    " of ",
];
/// How many of the places where a description may begin are tried.
const MOST_PLACES: usize = 5;
/// With what a sentence at the end begins that says how the tool is kept: "Save it as a tool."
const KEEPING: [&str; 12] = [
    "make it ",
    "make that ",
    "make this ",
    "make a tool of ",
    "save ",
    "store ",
    "register ",
    "write it ",
    "write that ",
    "program it ",
    "call it ",
    "keep it ",
];
/// Verbs of a tool that does not go back to neutral by itself.
const STAYING: [&str; 5] = ["stay", "remain", "keep", "hold", "leave"];
/// The longest name that is made, in words.
const MAX_NAME_WORDS: usize = 4;
/// The time for which the last posture is held before the way back, seconds.
const HELD_SECONDS: f64 = 0.5;

/// Returns the composer's tool, or one from the second reading if that shows more of what was asked for.
pub fn read_again(written: Written, request: &str, contract: &Contract) -> Written {
    let own = written.score.clone().and_then(|score| Candidate::judged(score, contract).ok());
    let own = own.filter(Candidate::is_acceptable);
    let is_served = own.as_ref().is_some_and(Candidate::holds_all) && written.not_understood.is_empty();
    if is_served || contract.is_empty() {
        return written;
    }
    let other = motion_of(request).and_then(|score| Candidate::judged(score, contract).ok());
    // What the composer refuses, or serves in part, it refuses or serves so unless all that is asked for is shown.
    let is_right = |other: &Candidate| other.verdict == Verdict::Right && other.holds_all();
    match other.filter(is_right) {
        Some(other) => Written {
            name: other.score.name.clone(),
            tool: Ok(authored(&other.score)),
            score: Some(other.score),
            not_understood: Vec::new(),
            ..written
        },
        None => written,
    }
}

/// Returns the motion that a request tells; none where a part of it is not understood.
fn motion_of(request: &str) -> Option<Score> {
    let plain = plain_request(request);
    let text = plain.as_deref().unwrap_or(request);
    let text = without_keeping(text);
    let mut places: Vec<usize> =
        LINKS.iter().filter_map(|link| Some(text.find(link)? + link.len())).collect();
    places.sort_unstable();
    places.dedup();
    let mut descriptions = places.into_iter().take(MOST_PLACES).filter_map(|place| text.get(place..));
    let (told, meaning) = descriptions.find_map(|told| Some((told, described(told)?)))?;
    let start = AxisValues::neutral();
    let (own, timeline) = steps(&meaning, &start).ok()?;
    let after = timeline.axes_at(timeline.seconds());
    let is_away = |axis: &Axis| (after[*axis] - start[*axis]).abs() > 1.0;
    let away: Vec<Axis> = meaning.axes().into_iter().filter(is_away).collect();
    let stays = told.split_whitespace().any(|word| STAYING.iter().any(|verb| word.starts_with(verb)));
    let said = describe(&meaning, "en");
    let steps = if away.is_empty() || stays {
        own
    } else {
        let back = Meaning::Neutral { axes: away, seconds: None, pace: 1.0 };
        steps(&Meaning::Sequence(vec![meaning, Meaning::Wait(HELD_SECONDS), back]), &start).ok()?.0
    };
    let name = given_name(request).unwrap_or_else(|| name_of(&said));
    Some(Score { name, summary: format!("{}.", capitalized(&said)), parameters: Vec::new(), steps })
}

/// Returns a request without a sentence at its end that says how the tool is kept.
fn without_keeping(text: &str) -> &str {
    let text = text.trim_end_matches(|c: char| !c.is_alphanumeric());
    let Some(at) = text.rfind(['.', ';', '!']) else { return text };
    let (before, last) = (text.get(..at), text.get(at + 1..));
    let keeps = last.is_some_and(|last| {
        let last = last.trim_start().to_ascii_lowercase();
        KEEPING.iter().any(|opening| last.starts_with(opening))
    });
    before.filter(|_| keeps).unwrap_or(text)
}

/// Returns a name for a motion, from its description: "nod 2 times and tilt right" is `nod_and_tilt_right`.
fn name_of(said: &str) -> String {
    let is_name = |word: &&str| {
        word.chars().all(|c| c.is_ascii_lowercase()) && !["the", "times", "once"].contains(word)
    };
    let words = said.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.filter(is_name).take(MAX_NAME_WORDS).collect::<Vec<_>>().join("_")
}
