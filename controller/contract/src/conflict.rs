//! Contradictions in a request, and what the robot can't or must not do.

use minismith_score::Axis;

use crate::aims::Aim;
use crate::reading::{Problem, Reading};
use crate::tokens::Token;

/// Words that ask for harm or for other rules than the robot's.
const FORBIDDEN: [(&str, &str); 9] = [
    ("instructions", "it speaks to the machine's rules, not about a motion"),
    ("safety", "it asks to change the safety limits"),
    ("limits", "it asks to change the limits"),
    ("approved", "it asks for an approval"),
    ("breaks", "it asks for damage"),
    ("break", "it asks for damage"),
    ("slam", "it asks for damage"),
    ("slams", "it asks for damage"),
    ("smash", "it asks for damage"),
];

/// The furthest that an axis goes, with some tolerance for what people estimate.
fn reach(axis: Axis) -> f64 {
    match axis {
        Axis::HeadTurn => 65.0,
        Axis::HeadPitch => 40.0,
        Axis::HeadTilt => 35.0,
        Axis::HeadForward | Axis::HeadSide => 25.0,
        Axis::HeadRise => 45.0,
        Axis::BodyTurn => 165.0,
        Axis::AntennaLeft | Axis::AntennaRight => 175.0,
    }
}

fn add(reading: &mut Reading, text: String) {
    if !reading.problems.iter().any(|problem| problem.text == text) && reading.problems.len() < 10 {
        reading.problems.push(Problem { text });
    }
}

/// Removes from ambiguous movements what must be still, and notes what can't be.
pub(crate) fn check(reading: &mut Reading, tokens: &[Token]) {
    for (word, why) in FORBIDDEN {
        // "After a short break" is a pause.
        let is_noun = |at: usize| {
            let near = tokens.get(at.saturating_sub(2)..at).unwrap_or(&[]);
            let is_off = near.last().is_some_and(|token| token.word == "off");
            (word == "limits" && is_off)
                || word == "break"
                    && near.iter().any(|token| matches!(token.word.as_str(), "a" | "the" | "one" | "another"))
        };
        if tokens.iter().enumerate().any(|(at, token)| token.word == word && !is_noun(at)) {
            add(reading, format!("\"{word}\": {why}"));
        }
    }
    let still: Vec<Axis> =
        reading.stillness.iter().filter(|one| !one.is_rest).flat_map(|one| one.axes.clone()).collect();
    let mut found: Vec<String> = Vec::new();
    for action in &mut reading.actions {
        for target in &mut action.targets {
            let (blocked, free): (Vec<Aim>, Vec<Aim>) =
                target.iter().partition(|aim| still.contains(&aim.axis));
            if free.is_empty() {
                if let Some(aim) = blocked.first() {
                    found.push(format!("the {} can't move and stay still", aim.axis.title()));
                }
            } else {
                *target = free;
            }
        }
        if let Some((amount, bound)) = action.amount
            && bound != crate::meaning::Bound::AtMost
        {
            let too_far =
                action.targets.iter().any(|target| target.iter().all(|aim| amount > reach(aim.axis)));
            if too_far && let Some(axis) = action.axes().first() {
                found.push(format!("the {} can't go {amount} {}", axis.title(), axis.unit()));
            }
        }
        if action.count.is_some_and(|count| !(1.0..=50.0).contains(&count)) {
            found.push("it can be done 1 to 50 times".to_owned());
        }
        if action.hold.is_some_and(|seconds| seconds > 115.0) {
            found.push("a motion takes at most 120 seconds".to_owned());
        }
    }
    for (_, at_least, _) in &reading.durations {
        if at_least.is_some_and(|least| least > 120.0) {
            found.push("a motion takes at most 120 seconds".to_owned());
        }
    }
    for (one, other, _) in &reading.together {
        let aims =
            |at: &usize| reading.actions.get(*at).map(|action| action.targets.clone()).unwrap_or_default();
        let (first, second) = (aims(one), aims(other));
        let clash = first.iter().flatten().find(|aim| {
            second.iter().flatten().any(|second| {
                second.axis == aim.axis
                    && second.direction.is_some()
                    && aim.direction.is_some()
                    && second.direction != aim.direction
            })
        });
        if let Some(aim) = clash {
            found.push(format!("the {} can't go two ways at the same time", aim.axis.title()));
        }
    }
    found.into_iter().for_each(|text| add(reading, text));
}
