//! The rules that every score keeps: names, ranges, nesting, and one track for each axis.

use std::collections::BTreeSet;

use crate::axis::Axis;
use crate::score::{
    EVENT_SECONDS, Event, Kind, MAX_DEPTH, MAX_TIMES, MAX_WAIT_SECONDS, MAX_WRITTEN_STEPS, MOVE_SECONDS,
    Move, Number, Parameter, Reaction, SPEED, SPEED_PARAMETER, Score, Step, is_motion_function,
};
use crate::text::{format_number, is_plain_number};

/// What is wrong with a score, and how to correct it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}; {hint}")]
pub struct ScoreError {
    /// The step, counted from 0 in the order of the source; none if the error is not about one step.
    pub step: Option<usize>,
    /// What is wrong.
    pub reason: String,
    /// What to write instead.
    pub hint: String,
}

impl ScoreError {
    pub(crate) fn new(reason: impl Into<String>, hint: impl Into<String>) -> Self {
        ScoreError { step: None, reason: reason.into(), hint: hint.into() }
    }

    fn at(mut self, step: usize) -> Self {
        self.step.get_or_insert(step);
        self
    }
}

/// The longest text of a summary or a meaning, in characters.
const MAX_TEXT: usize = 300;
/// The longest name of a tool or parameter, in characters.
const MAX_NAME: usize = 64;
/// The largest number of parameters.
const MAX_PARAMETERS: usize = 8;

impl Score {
    /// Checks everything that does not need a run: names, ranges of all numbers for all values of the parameters,
    /// nesting, and that parallel tracks move different axes.
    ///
    /// # Errors
    /// A [`ScoreError`] describes the first violation.
    pub fn check(&self) -> Result<(), ScoreError> {
        check_name(&self.name, "the tool")?;
        check_text(&self.summary, "the summary")?;
        if ["Args:", "Returns:"].contains(&self.summary.as_str()) {
            let hint = "write one sentence that says what the tool does";
            return Err(ScoreError::new("the documentation has no first sentence", hint));
        }
        if self.parameters.len() > MAX_PARAMETERS {
            let reason = format!("the tool has more than {MAX_PARAMETERS} parameters");
            return Err(ScoreError::new(reason, "keep those that a person would set"));
        }
        for (index, parameter) in self.parameters.iter().enumerate() {
            let others = self.parameters.get(..index).unwrap_or(&[]);
            parameter.check(&self.name, others)?;
        }
        let mut walk = Walk { parameters: &self.parameters, next: 0, used: BTreeSet::new() };
        walk.steps(&self.steps, &Place { depth: 1, in_repeat: false, in_track: false }, "the tool")?;
        let unused = |parameter: &&Parameter| {
            parameter.name != SPEED_PARAMETER && !walk.used.contains(parameter.name.as_str())
        };
        if let Some(parameter) = self.parameters.iter().find(unused) {
            let reason = format!("no step uses the parameter {}", parameter.name);
            return Err(ScoreError::new(reason, "use it in a step, or leave it out"));
        }
        Ok(())
    }
}

impl Parameter {
    fn check(&self, tool: &str, others: &[Parameter]) -> Result<(), ScoreError> {
        let name = &self.name;
        check_name(name, "a parameter")?;
        if name == tool || others.iter().any(|other| &other.name == name) {
            return Err(ScoreError::new(format!("the name {name} is used twice"), "rename the parameter"));
        }
        check_text(&self.meaning, "the meaning of a parameter")?;
        if self.meaning.ends_with(['.', ',']) || self.meaning.contains(", between ") {
            let reason =
                format!("the meaning of {name} ends with a full stop or a comma, or tells the range");
            return Err(ScoreError::new(reason, "write the meaning alone; the range is added to it"));
        }
        let numbers = [self.low, self.default, self.high];
        let is_whole = self.kind == Kind::Float || numbers.iter().all(|number| number.fract() == 0.0);
        let is_ordered = self.low <= self.default && self.default <= self.high;
        if !numbers.into_iter().all(is_plain_number) || !is_whole || !is_ordered {
            let reason = format!("the range or the default of {name} is not valid");
            let hint = "the default lies between the smallest and the largest value, and none is negative";
            return Err(ScoreError::new(reason, hint));
        }
        if name == SPEED_PARAMETER && (self.kind == Kind::Int || self.low < SPEED.0 || self.high > SPEED.1) {
            let (low, high) = (format_number(SPEED.0), format_number(SPEED.1));
            let reason = format!("speed is a float between {low} and {high}");
            return Err(ScoreError::new(reason, "write speed: float = 1.0, between 0.5 and 2"));
        }
        Ok(())
    }
}

/// Python's keywords in lower case, and names that the source needs for itself.
const RESERVED: [&str; 38] = [
    "and", "as", "assert", "async", "await", "break", "case", "class", "continue", "def", "del", "elif",
    "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "match",
    "nonlocal", "not", "or", "pass", "raise", "return", "try", "type", "while", "with", "yield", "robot",
    "str", "int",
];

fn check_name(name: &str, what: &str) -> Result<(), ScoreError> {
    let is_identifier = name.starts_with(|first: char| first.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        && name.len() <= MAX_NAME;
    if !is_identifier {
        let reason = format!("\"{}\" is no name for {what}", shortened(name));
        let hint =
            format!("use at most {MAX_NAME} lower-case letters, digits and _, beginning with a letter");
        return Err(ScoreError::new(reason, hint));
    }
    if is_motion_function(name) || RESERVED.contains(&name) || ["float", "motion"].contains(&name) {
        let reason = format!("the name {name} has a meaning of its own");
        return Err(ScoreError::new(reason, format!("choose another name for {what}")));
    }
    Ok(())
}

fn check_text(text: &str, what: &str) -> Result<(), ScoreError> {
    let is_plain = !text.is_empty()
        && text.trim() == text
        && text.chars().count() <= MAX_TEXT
        && !text.chars().any(|c| c.is_control() || c == '\\')
        && !text.contains("\"\"\"")
        && !text.ends_with('"');
    if is_plain {
        return Ok(());
    }
    let hint = format!("write one line of 1 to {MAX_TEXT} characters, without backslashes");
    Err(ScoreError::new(format!("{what} is no plain line of text"), hint))
}

/// Returns the beginning of a text from outside, for a message.
fn shortened(text: &str) -> String {
    text.chars().take(40).filter(|c| !c.is_control()).collect()
}

/// Where a step stands.
struct Place {
    depth: usize,
    in_repeat: bool,
    in_track: bool,
}

struct Walk<'a> {
    parameters: &'a [Parameter],
    next: usize,
    used: BTreeSet<&'a str>,
}

impl<'a> Walk<'a> {
    /// Checks steps and returns the axes that they move.
    fn steps(&mut self, steps: &'a [Step], place: &Place, of: &str) -> Result<BTreeSet<Axis>, ScoreError> {
        if steps.is_empty() {
            return Err(ScoreError::new(format!("{of} has no steps"), "put at least one step in it"));
        }
        let mut axes = BTreeSet::new();
        for step in steps {
            let index = self.next;
            axes.append(&mut self.step(step, place).map_err(|error| error.at(index))?);
        }
        Ok(axes)
    }

    fn step(&mut self, step: &'a Step, place: &Place) -> Result<BTreeSet<Axis>, ScoreError> {
        self.next += 1;
        if self.next > MAX_WRITTEN_STEPS {
            let reason = format!("the tool has more than {MAX_WRITTEN_STEPS} steps");
            return Err(ScoreError::new(reason, "use repeat"));
        }
        if place.depth > MAX_DEPTH {
            let reason = format!("steps are nested more than {MAX_DEPTH} deep");
            return Err(ScoreError::new(reason, "nest them less"));
        }
        let (name, in_repeat) = (step.name(), place.in_repeat);
        let inside = Place { depth: place.depth + 1, in_repeat, in_track: place.in_track };
        if place.in_track && (step.reaction().is_some() || matches!(step, Step::Play(_))) {
            let reason = format!("{name} stands inside together");
            return Err(ScoreError::new(reason, format!("put {name} before or after together")));
        }
        match step {
            Step::Move(movement) => self.movement(movement, in_repeat),
            Step::Neutral { seconds, .. } => {
                self.seconds(name, seconds.as_ref(), in_repeat)?;
                Ok(BTreeSet::from(Axis::ALL))
            }
            Step::Wait(seconds) => {
                let sentence = format!("a wait takes at most {MAX_WAIT_SECONDS} seconds");
                self.number(
                    &format!("wait({})", seconds.source()),
                    seconds,
                    in_repeat,
                    (0.0, MAX_WAIT_SECONDS),
                    &sentence,
                )?;
                Ok(BTreeSet::new())
            }
            Step::Repeat { times, steps } => {
                self.times(times)?;
                self.steps(steps, &Place { in_repeat: true, ..inside }, name)
            }
            Step::Together(tracks) => {
                let mut axes = BTreeSet::new();
                if tracks.is_empty() {
                    return Err(ScoreError::new("together has no steps", "put at least one step in it"));
                }
                for track in tracks {
                    let index = self.next;
                    let place = Place { in_track: true, ..inside };
                    let moved = self.step(track, &place).map_err(|error| error.at(index))?;
                    if let Some(axis) = axes.intersection(&moved).next() {
                        let reason = format!("two tracks of together move the {}", axis.title());
                        let hint = "put these steps one after another in one sequence";
                        return Err(ScoreError::new(reason, hint).at(index));
                    }
                    axes.extend(moved);
                }
                Ok(axes)
            }
            Step::Sequence(steps) => self.steps(steps, &inside, name),
            Step::Play(file) | Step::Sound(file) => {
                check_file_name(file).map_err(|hint| {
                    ScoreError::new(format!("{name}(\"{}\") names no file", shortened(file)), hint)
                })?;
                Ok(BTreeSet::new())
            }
            Step::Photo {} => Ok(BTreeSet::new()),
            Step::Otherwise(_) => Err(ScoreError::new(
                "otherwise does not stand at the end of a when",
                "write when(face(), head(left=20), otherwise(head(right=20)), within=10)",
            )),
            Step::When(reaction)
            | Step::Whenever(reaction)
            | Step::AsLongAs(reaction)
            | Step::Until(reaction) => self.reaction(step, reaction, &inside),
        }
    }

    fn reaction(
        &mut self,
        step: &Step,
        reaction: &'a Reaction,
        inside: &Place,
    ) -> Result<BTreeSet<Axis>, ScoreError> {
        if let Event::Thing(thing) = &reaction.event {
            check_file_name(thing).map_err(|hint| {
                ScoreError::new(format!("thing(\"{}\") names nothing", shortened(thing)), hint)
            })?;
        }
        if let (Some(seconds), Some((keyword, _))) = (&reaction.seconds, step.reaction()) {
            let call = format!("{}({keyword}={})", step.name(), seconds.source());
            let sentence = format!("it takes {} to {} seconds", EVENT_SECONDS.0, EVENT_SECONDS.1);
            self.number(&call, seconds, inside.in_repeat, EVENT_SECONDS, &sentence)?;
        }
        let (steps, others) = match step {
            Step::When(_) => reaction.branches(),
            _ => (reaction.steps.as_slice(), None),
        };
        let mut axes = self.steps(steps, inside, step.name())?;
        if let Some(others) = others {
            self.next += 1;
            axes.extend(self.steps(others, inside, "otherwise")?);
        }
        Ok(axes)
    }

    fn movement(&mut self, movement: &'a Move, in_repeat: bool) -> Result<BTreeSet<Axis>, ScoreError> {
        let name = movement.part.name();
        let mut axes = BTreeSet::new();
        for (target, number) in &movement.targets {
            let word = target.word();
            if target.part() != movement.part {
                return Err(ScoreError::new(
                    format!("{name} has no argument {word} of this kind"),
                    "use a step for each part",
                ));
            }
            let call = format!("{name}({word}={})", number.source());
            self.number(&call, number, in_repeat, (0.0, target.maximum()), target.range_sentence())?;
            for axis in target.axes() {
                if !axes.insert(*axis) {
                    let [one, other] = axis.directions();
                    let reason = format!("{name} sets the {} twice", axis.title());
                    let hint = format!("name {} or {}, and once", one.word(), other.word());
                    return Err(ScoreError::new(reason, hint));
                }
            }
        }
        self.seconds(name, movement.seconds.as_ref(), in_repeat)?;
        if axes.is_empty() {
            axes.extend(movement.part.axes());
        }
        Ok(axes)
    }

    fn seconds(
        &mut self,
        name: &str,
        seconds: Option<&'a Number>,
        in_repeat: bool,
    ) -> Result<(), ScoreError> {
        let Some(seconds) = seconds else { return Ok(()) };
        let call = format!("{name}(seconds={})", seconds.source());
        let sentence = format!("a movement takes {} to {} seconds", MOVE_SECONDS.0, MOVE_SECONDS.1);
        self.number(&call, seconds, in_repeat, MOVE_SECONDS, &sentence)
    }

    fn times(&mut self, times: &'a Number) -> Result<(), ScoreError> {
        let hint = format!("give a whole number from 1 to {MAX_TIMES}, or a parameter of type int");
        let call = format!("repeat({}, ...)", times.source());
        let is_whole = match times {
            Number::Value(value) => value.fract() == 0.0,
            Number::Parameter(name) => self.kind(name) == Some(Kind::Int),
            Number::Product(factor, name) => factor.fract() == 0.0 && self.kind(name) == Some(Kind::Int),
            Number::Ramp(..) => false,
        };
        if !is_whole {
            return Err(ScoreError::new(format!("{call}: the number of rounds is not whole"), hint));
        }
        self.number(&call, times, false, (1.0, f64::from(MAX_TIMES)), &hint)
    }

    fn kind(&self, name: &str) -> Option<Kind> {
        self.parameters.iter().find(|parameter| parameter.name == name).map(|parameter| parameter.kind)
    }

    /// Checks a number for all values of its parameter.
    fn number(
        &mut self,
        call: &str,
        number: &'a Number,
        may_ramp: bool,
        (low, high): (f64, f64),
        sentence: &str,
    ) -> Result<(), ScoreError> {
        let mut check = |constant: f64, name: Option<&'a str>| {
            if !is_plain_number(constant) {
                let hint = "write a number from 0 to 10000 without a sign; a direction is a word";
                return Err(ScoreError::new(format!("{call}: {constant} is no usable number"), hint));
            }
            let mut extremes = vec![constant];
            let mut with = String::new();
            if let Some(name) = name {
                let found = self.parameters.iter().find(|parameter| parameter.name == name);
                let Some(parameter) = found else {
                    let hint = "add it to the function's parameters, or write a number";
                    return Err(ScoreError::new(
                        format!("{call}: there is no parameter {}", shortened(name)),
                        hint,
                    ));
                };
                self.used.insert(name);
                extremes = vec![constant * parameter.low, constant * parameter.high];
                with = format!(" for {name} from {} to {}", parameter.low, parameter.high);
            }
            // The smallest step of a product's rounding is no reason to reject it.
            if extremes.iter().all(|value| (low - 1e-9..=high + 1e-9).contains(value)) {
                return Ok(());
            }
            let hint = if low > 0.0 {
                format!("stay from {low} to {high}{with}")
            } else {
                format!("stay at or below {high}{with}")
            };
            Err(ScoreError::new(format!("{call}: {sentence}"), hint))
        };
        match number {
            Number::Value(value) => check(*value, None),
            Number::Parameter(name) => check(1.0, Some(name)),
            Number::Product(factor, name) => check(*factor, Some(name)),
            Number::Ramp(..) if !may_ramp => {
                let hint = "put the step inside a repeat, or write one number";
                Err(ScoreError::new(format!("{call}: a ramp stands outside of repeat"), hint))
            }
            Number::Ramp(first, last) => [first, last].into_iter().try_for_each(|end| match &**end {
                Number::Value(value) => check(*value, None),
                Number::Parameter(name) => check(1.0, Some(name)),
                Number::Product(factor, name) => check(*factor, Some(name)),
                Number::Ramp(..) => {
                    let hint = "give a ramp a first and a last number";
                    Err(ScoreError::new(format!("{call}: a ramp stands inside a ramp"), hint))
                }
            }),
        }
    }
}

/// Checks the name of a sound, a move or a thing; an error says what it may be.
fn check_file_name(name: &str) -> Result<(), &'static str> {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ' ');
    if (1..=64).contains(&name.len()) && name.chars().all(is_allowed) && name.trim() == name {
        Ok(())
    } else {
        Err("use 1 to 64 letters, digits, blanks and _ - .")
    }
}
