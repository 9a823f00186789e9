//! Writes a score as the source of a tool.

use std::collections::BTreeSet;

use crate::score::{EASINGS, Event, Kind, Move, Number, Parameter, SPEED_PARAMETER, Score, Step};
use crate::text::format_number;

/// The longest line of a source.
const MAX_LINE: usize = 96;

/// Returns the Python source of a score. Only a score that passes [`Score::check`] gives a valid tool.
#[must_use]
pub fn write(score: &Score) -> String {
    let mut names = BTreeSet::from(["perform"]);
    collect_names(&score.steps, &mut names);
    let mut text = String::from("from reachy_mini import ReachyMini\n");
    text += &import_line(&names.into_iter().collect::<Vec<_>>());
    text += "\n\n";
    text += &signature(score);
    text += &documentation(score);
    for parameter in &score.parameters {
        let Parameter { name, low, high, .. } = parameter;
        let (low_source, high_source) = (bound(parameter.kind, *low), bound(parameter.kind, *high));
        text += &format!("    if not {low_source} <= {name} <= {high_source}:\n");
        text += &format!("        raise ValueError(\"{name} must be {}\")\n", range_text(parameter));
    }
    let mut arguments: Vec<Call> = score.steps.iter().map(step_call).collect();
    arguments.insert(0, Call::leaf("robot".to_owned()));
    if score.parameters.iter().any(|parameter| parameter.name == SPEED_PARAMETER) {
        arguments.push(Call::leaf(format!("{SPEED_PARAMETER}={SPEED_PARAMETER}")));
    }
    let body = Call { head: "return perform".to_owned(), arguments: Some(arguments) };
    body.write(1, "", &mut text);
    text
}

/// Returns the range of a parameter for people: "between 1 and 10".
pub(crate) fn range_text(parameter: &Parameter) -> String {
    format!("between {} and {}", format_number(parameter.low), format_number(parameter.high))
}

/// A number of a parameter has a decimal point if the parameter is a float.
fn bound(kind: Kind, value: f64) -> String {
    match kind {
        Kind::Float if value.fract() == 0.0 => format!("{value:.1}"),
        _ => format_number(value),
    }
}

fn import_line(names: &[&str]) -> String {
    let line = format!("from motion import {}\n", names.join(", "));
    if line.len() <= MAX_LINE + 1 {
        return line;
    }
    let mut text = String::from("from motion import (\n");
    for name in names {
        text += &format!("    {name},\n");
    }
    text + ")\n"
}

fn signature(score: &Score) -> String {
    let mut parts = vec!["robot: ReachyMini".to_owned()];
    for parameter in &score.parameters {
        let kind = match parameter.kind {
            Kind::Int => "int",
            Kind::Float => "float",
        };
        parts.push(format!("{}: {kind} = {}", parameter.name, bound(parameter.kind, parameter.default)));
    }
    let line = format!("def {}({}) -> str:\n", score.name, parts.join(", "));
    if line.len() <= MAX_LINE + 1 {
        return line;
    }
    let mut text = format!("def {}(\n", score.name);
    for part in parts {
        text += &format!("    {part},\n");
    }
    text + ") -> str:\n"
}

fn documentation(score: &Score) -> String {
    if score.parameters.is_empty() {
        return format!("    \"\"\"{}\"\"\"\n", score.summary);
    }
    let mut text = format!("    \"\"\"{}\n\n    Args:\n", score.summary);
    for parameter in &score.parameters {
        text += &format!("        {}: {}, {}.\n", parameter.name, parameter.meaning, range_text(parameter));
    }
    text + "    \"\"\"\n"
}

fn collect_names(steps: &[Step], names: &mut BTreeSet<&'static str>) {
    for step in steps {
        names.insert(step.name());
        let numbers: Vec<&Number> = match step {
            Step::Move(movement) => {
                movement.targets.iter().map(|(_, number)| number).chain(&movement.seconds).collect()
            }
            Step::Neutral { seconds, .. } => seconds.iter().collect(),
            Step::Wait(seconds) => vec![seconds],
            _ => step.reaction().and_then(|(_, reaction)| reaction.seconds.as_ref()).into_iter().collect(),
        };
        if numbers.iter().any(|number| matches!(number, Number::Ramp(..))) {
            names.insert("ramp");
        }
        if let Some((_, reaction)) = step.reaction() {
            names.insert(reaction.event.name());
        }
        collect_names(step.inner(), names);
    }
}

/// A call with its arguments, which may be calls of steps.
struct Call {
    /// The name, or a whole argument.
    head: String,
    arguments: Option<Vec<Call>>,
}

impl Call {
    fn leaf(text: String) -> Self {
        Call { head: text, arguments: None }
    }

    /// Returns the call on one line if it is at most `room` characters long.
    fn on_one_line(&self, room: usize) -> Option<String> {
        let mut text = self.head.clone();
        if let Some(arguments) = &self.arguments {
            text.push('(');
            for (index, argument) in arguments.iter().enumerate() {
                if index > 0 {
                    text += ", ";
                }
                text += &argument.on_one_line(room.checked_sub(text.len())?)?;
            }
            text.push(')');
        }
        (text.len() <= room).then_some(text)
    }

    /// Writes the call on lines of its own, `level` steps of indentation deep and followed by `end`.
    fn write(&self, level: usize, end: &str, text: &mut String) {
        let indentation = "    ".repeat(level);
        let room = MAX_LINE.saturating_sub(indentation.len() + end.len());
        match (self.on_one_line(room), &self.arguments) {
            (Some(line), _) => *text += &format!("{indentation}{line}{end}\n"),
            (None, None) => *text += &format!("{indentation}{}{end}\n", self.head),
            (None, Some(arguments)) => {
                *text += &format!("{indentation}{}(\n", self.head);
                for argument in arguments {
                    argument.write(level + 1, ",", text);
                }
                *text += &format!("{indentation}){end}\n");
            }
        }
    }
}

fn step_call(step: &Step) -> Call {
    let mut arguments: Vec<Call> = match step {
        Step::Move(Move { targets, seconds, easing, .. }) => {
            let mut arguments: Vec<Call> =
                targets.iter().map(|(target, number)| keyword(target.word(), number)).collect();
            arguments.extend(seconds.as_ref().map(|seconds| keyword("seconds", seconds)));
            arguments.extend(easing_argument(*easing));
            arguments
        }
        Step::Neutral { seconds, easing } => {
            let mut arguments: Vec<Call> =
                seconds.iter().map(|seconds| keyword("seconds", seconds)).collect();
            arguments.extend(easing_argument(*easing));
            arguments
        }
        Step::Wait(seconds) => vec![Call::leaf(seconds.source())],
        Step::Repeat { times, .. } => vec![Call::leaf(times.source())],
        Step::Together(_) | Step::Sequence(_) | Step::Otherwise(_) | Step::Photo {} => Vec::new(),
        Step::Play(name) | Step::Sound(name) => vec![Call::leaf(format!("\"{name}\""))],
        Step::When(reaction)
        | Step::Whenever(reaction)
        | Step::AsLongAs(reaction)
        | Step::Until(reaction) => {
            let event = match &reaction.event {
                Event::Thing(thing) => format!("thing(\"{thing}\")"),
                event => format!("{}()", event.name()),
            };
            vec![Call::leaf(event)]
        }
    };
    arguments.extend(step.inner().iter().map(step_call));
    if let Some((word, reaction)) = step.reaction() {
        arguments.extend(reaction.seconds.as_ref().map(|seconds| keyword(word, seconds)));
    }
    Call { head: step.name().to_owned(), arguments: Some(arguments) }
}

fn keyword(word: &str, number: &Number) -> Call {
    Call::leaf(format!("{word}={}", number.source()))
}

fn easing_argument(easing: Option<firmware_bridge::motion::Interpolation>) -> Option<Call> {
    let (name, _) = EASINGS.into_iter().find(|(_, easing_named)| Some(*easing_named) == easing)?;
    Some(Call::leaf(format!("easing=\"{name}\"")))
}
