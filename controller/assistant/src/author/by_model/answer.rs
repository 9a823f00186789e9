//! Reads a model's answer as a score. Nothing of the answer becomes part of a tool but what the reader of the language
//! understands, and the description of a tool is made from its steps.

use minismith_score::{Kind, Parameter, Score, capitalized, read_steps, validate};

use super::grammar::Allowed;

/// The largest values that the parameter `degrees` may have; the first that all its steps permit is used.
const LARGEST_DEGREES: [f64; 5] = [160.0, 90.0, 60.0, 35.0, 30.0];

/// Reads an answer: a plan in words, which only helps the model to write, a name, and steps. `given` is the person's name for the tool, if there is one.
///
/// # Errors
/// A sentence for the model says what is wrong.
pub(super) fn read_answer(text: &str, given: Option<&str>, allowed: Allowed) -> Result<Score, String> {
    let mut lines = text.trim().splitn(3, '\n');
    let mut line = |key: &str| lines.next().and_then(|line| line.strip_prefix(key)).map(str::trim);
    let (plan, name) = (line("plan:"), line("name:"));
    let (Some(_), Some(name), Some(steps)) = (plan, name, lines.next()) else {
        return Err("the answer is not a plan, a name and steps".to_owned());
    };
    let name = given.unwrap_or(name);
    let largest: &[f64] = if allowed.degrees { &LARGEST_DEGREES } else { &[0.0] };
    let mut reason = String::new();
    for degrees in largest {
        match score(name, steps, allowed, *degrees) {
            Ok(score) => return Ok(score),
            Err(why) => reason = why,
        }
    }
    Err(reason)
}

fn score(name: &str, steps: &str, allowed: Allowed, degrees: f64) -> Result<Score, String> {
    let mut score = Score {
        name: name.to_owned(),
        summary: "Moves.".to_owned(),
        parameters: parameters(steps, allowed, degrees),
        steps: read_steps(steps).map_err(|error| format!("{}; {}", error.reason, error.hint))?,
    };
    let mut description = score.describe();
    if description.chars().count() > 200 {
        description = format!("{}...", description.chars().take(197).collect::<String>());
    }
    score.summary = format!("{}.", capitalized(&description).trim_end_matches('.'));
    validate(&score).map_err(|error| error.to_string())?;
    Ok(score)
}

/// Returns the parameters whose names the steps use.
fn parameters(steps: &str, allowed: Allowed, degrees: f64) -> Vec<Parameter> {
    let uses = |name: &str| {
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '=';
        steps.match_indices(name).any(|(at, _)| {
            let before = steps.get(..at).and_then(|text| text.chars().next_back());
            let after = steps.get(at + name.len()..).and_then(|text| text.chars().next());
            !before.is_some_and(|c| is_part(c) && c != '=') && !after.is_some_and(is_part)
        })
    };
    let float = |name: &str, default: f64, (low, high): (f64, f64), meaning: &str| Parameter {
        name: name.to_owned(),
        kind: Kind::Float,
        default,
        low,
        high,
        meaning: meaning.to_owned(),
    };
    let mut parameters = Vec::new();
    if allowed.times && uses("times") {
        parameters.push(Parameter::times(3));
    }
    if allowed.degrees && uses("degrees") {
        parameters.push(float("degrees", degrees.min(20.0), (5.0, degrees), "How far it moves, degrees"));
    }
    if allowed.seconds && uses("seconds") {
        parameters.push(float("seconds", 2.0, (0.5, 10.0), "How long it takes, seconds"));
    }
    if allowed.size && uses("size") {
        parameters.push(float("size", 1.0, (0.5, 1.5), "The size of the motion"));
    }
    parameters
}
