//! Reads a model's answer as a score. Nothing of the answer becomes part of a tool but what the reader of the language
//! understands, and the description of a tool is made from its steps.

use minismith_score::{Kind, Parameter, Score, read, validate};

use super::grammar::Allowed;

/// A model's answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Answer {
    /// The plan in words.
    pub plan: String,
    /// The tool.
    pub score: Score,
}

/// The largest values that the parameter `degrees` may have; the first that all its steps permit is used.
const LARGEST_DEGREES: [f64; 5] = [160.0, 90.0, 60.0, 35.0, 30.0];

/// Everything that a source may import from `motion`.
const IMPORTS: &str = "antennas, as_long_as, body, clap, face, head, neutral, perform, ramp, repeat, sequence, sound, \
                       thing, tilted, together, touch, until, voice, wait, when, whenever";

/// Reads an answer. `given` is the person's name for the tool, if there is one.
///
/// # Errors
/// A sentence for the model says what is wrong.
pub(super) fn read_answer(text: &str, given: Option<&str>, allowed: Allowed) -> Result<Answer, String> {
    let mut lines = text.trim().splitn(3, '\n');
    let mut line = |key: &str| lines.next().and_then(|line| line.strip_prefix(key)).map(str::trim);
    let (plan, name) = (line("plan:"), line("name:"));
    let (Some(plan), Some(name), Some(steps)) = (plan, name, lines.next()) else {
        return Err("the answer is not a plan, a name and steps".to_owned());
    };
    let name = given.unwrap_or(name);
    let largest: &[f64] = if allowed.degrees { &LARGEST_DEGREES } else { &[0.0] };
    let mut reason = String::new();
    for degrees in largest {
        match score(name, steps, allowed, *degrees) {
            Ok(score) => return Ok(Answer { plan: plan.to_owned(), score }),
            Err(why) => reason = why,
        }
    }
    Err(reason)
}

fn score(name: &str, steps: &str, allowed: Allowed, degrees: f64) -> Result<Score, String> {
    let source = source(name, steps, &parameters(steps, allowed, degrees));
    let mut score = read(&source).map_err(|error| format!("{}; {}", error.reason, error.hint))?;
    let mut description = score.describe();
    if description.chars().count() > 200 {
        description = format!("{}...", description.chars().take(197).collect::<String>());
    }
    let mut letters = description.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    score.summary = format!("{first}{}.", letters.as_str().trim_end_matches('.'));
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

fn source(name: &str, steps: &str, parameters: &[Parameter]) -> String {
    let mut signature = String::from("robot: ReachyMini");
    let (mut documentation, mut checks) = (String::new(), String::new());
    for Parameter { name, kind, default, low, high, meaning } in parameters {
        let (kind, default) = match kind {
            Kind::Int => ("int", format!("{default}")),
            Kind::Float => ("float", format!("{default:?}")),
        };
        signature += &format!(", {name}: {kind} = {default}");
        documentation += &format!("        {name}: {meaning}, between {low} and {high}.\n");
        checks += &format!(
            "    if not {low} <= {name} <= {high}:\n        raise ValueError(\"{name} must be between {low} and {high}\")\n"
        );
    }
    let documentation =
        if documentation.is_empty() { String::new() } else { format!("\n\n    Args:\n{documentation}    ") };
    let steps = steps.trim().replace('\n', "\n        ");
    format!(
        "from reachy_mini import ReachyMini\nfrom motion import {IMPORTS}\n\n\ndef {name}({signature}) -> str:\n    \
         \"\"\"Moves.{documentation}\"\"\"\n{checks}    return perform(\n        robot,\n        {steps},\n    )\n"
    )
}
