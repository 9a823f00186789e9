//! Reads the steps of a tool from the expressions of its syntax tree.

use std::collections::BTreeSet;

use firmware_bridge::motion::Interpolation;
use rustpython_parser::ast::{Constant, Expr, ExprCall, Keyword, Operator, Ranged};
use rustpython_parser::text_size::TextSize;

use super::Fault;
use crate::score::{EASINGS, Event, Move, Number, Reaction, Step, is_motion_function};
use crate::target::{Part, Target};

pub(super) const FUNCTIONS_HINT: &str = "the steps are head, antennas, body, neutral, wait, repeat, together, \
                                         sequence, play, sound, when, whenever, as_long_as and until";

/// Returns a constant number, and whether it is whole by its type.
pub(super) fn number_constant(expr: &Expr) -> Option<(f64, bool)> {
    let Expr::Constant(constant) = expr else { return None };
    match &constant.value {
        Constant::Int(value) => value.to_string().parse().ok().map(|value| (value, true)),
        Constant::Float(value) => Some((*value, false)),
        _ => None,
    }
}

pub(super) struct StepReader<'a> {
    imported: &'a BTreeSet<String>,
    /// Where each step begins, in the order of the source.
    positions: Vec<TextSize>,
}

impl<'a> StepReader<'a> {
    pub(super) fn new(imported: &'a BTreeSet<String>) -> Self {
        StepReader { imported, positions: Vec::new() }
    }

    pub(super) fn into_positions(self) -> Vec<TextSize> {
        self.positions
    }

    pub(super) fn require_import(&self, name: &str, at: TextSize) -> Result<(), Fault> {
        if self.imported.contains(name) {
            return Ok(());
        }
        let hint = format!("add {name} to the line from motion import ...");
        Err(Fault::new(at, format!("{name} is used and not imported"), hint))
    }

    pub(super) fn steps(&mut self, expressions: &[Expr]) -> Result<Vec<Step>, Fault> {
        expressions.iter().map(|expression| self.step(expression)).collect()
    }

    /// The recursion is as deep as the brackets, which are screened.
    fn step(&mut self, expr: &Expr) -> Result<Step, Fault> {
        let call = self.call(expr, "a step")?;
        let (name, at) = (function_name(call).unwrap_or_default(), call.start());
        self.positions.push(at);
        if let Some(part) = Part::from_name(name) {
            return self.movement(part, call);
        }
        match name {
            "neutral" => {
                no_positional(call, "neutral(seconds=2)")?;
                let (mut seconds, mut easing) = (None, None);
                for keyword in &call.keywords {
                    self.timing(keyword, &mut seconds, &mut easing)?;
                }
                Ok(Step::Neutral { seconds, easing })
            }
            "wait" => match (call.args.as_slice(), call.keywords.as_slice()) {
                ([seconds], []) => Ok(Step::Wait(self.number(seconds)?)),
                ([], [keyword]) if keyword.arg.as_ref().is_some_and(|name| name.as_str() == "seconds") => {
                    Ok(Step::Wait(self.number(&keyword.value)?))
                }
                _ => Err(Fault::new(at, "wait takes one number", "write wait(0.5)")),
            },
            "repeat" => match call.args.as_slice() {
                [times, steps @ ..] if call.keywords.is_empty() => {
                    Ok(Step::Repeat { times: self.number(times)?, steps: self.steps(steps)? })
                }
                _ => Err(Fault::new(
                    at,
                    "repeat takes a number and steps",
                    "write repeat(3, head(left=20), ...)",
                )),
            },
            "together" | "sequence" | "otherwise" => {
                if let Some(keyword) = call.keywords.first() {
                    let hint = format!("write {name}(head(left=20), ...)");
                    return Err(Fault::new(keyword.start(), format!("{name} takes only steps"), hint));
                }
                let steps = self.steps(&call.args)?;
                Ok(match name {
                    "together" => Step::Together(steps),
                    "otherwise" => Step::Otherwise(steps),
                    _ => Step::Sequence(steps),
                })
            }
            "play" | "sound" => {
                let hint = format!("write {name}(\"wake_up\")");
                let text = single_text(call)
                    .ok_or_else(|| Fault::new(at, format!("{name} takes one name in quotes"), hint))?;
                Ok(if name == "play" { Step::Play(text) } else { Step::Sound(text) })
            }
            "photo" if call.args.is_empty() && call.keywords.is_empty() => Ok(Step::Photo {}),
            "photo" => Err(Fault::new(at, "photo takes nothing", "write photo()")),
            "when" => Ok(Step::When(self.reaction(call, "within")?)),
            "whenever" => Ok(Step::Whenever(self.reaction(call, "seconds")?)),
            "as_long_as" => Ok(Step::AsLongAs(self.reaction(call, "at_most")?)),
            "until" => Ok(Step::Until(self.reaction(call, "at_most")?)),
            _ => Err(Fault::new(at, format!("{name} is no step"), FUNCTIONS_HINT)),
        }
    }

    /// Returns a call of an imported function.
    fn call<'e>(&self, expr: &'e Expr, what: &str) -> Result<&'e ExprCall, Fault> {
        let Expr::Call(call) = expr else {
            return Err(Fault::new(expr.start(), format!("this is not {what}"), FUNCTIONS_HINT));
        };
        match function_name(call) {
            Some(name) if is_motion_function(name) => {
                self.require_import(name, call.start())?;
                Ok(call)
            }
            Some(name) => {
                let shown: String = name.chars().take(40).collect();
                Err(Fault::new(call.start(), format!("motion has no function {shown}"), FUNCTIONS_HINT))
            }
            None => Err(Fault::new(call.start(), format!("this is not {what}"), FUNCTIONS_HINT)),
        }
    }

    fn movement(&self, part: Part, call: &ExprCall) -> Result<Step, Fault> {
        let name = part.name();
        let words = Target::ALL.into_iter().filter(|target| target.part() == part);
        let words: Vec<&str> = words.map(Target::word).collect();
        no_positional(call, &format!("{name}({}=20)", words.first().unwrap_or(&"left")))?;
        let mut movement = Move { part, targets: Vec::new(), seconds: None, easing: None };
        for keyword in &call.keywords {
            let word = keyword.arg.as_ref().map(|word| word.as_str()).unwrap_or_default();
            match Target::from_word(part, word) {
                Some(target) => movement.targets.push((target, self.number(&keyword.value)?)),
                None if word == "seconds" || word == "easing" => {
                    self.timing(keyword, &mut movement.seconds, &mut movement.easing)?;
                }
                None => {
                    let shown: String = word.chars().take(40).collect();
                    let reason = format!("{name} has no argument {shown}");
                    let hint = format!("it takes {}, seconds and easing", words.join(", "));
                    return Err(Fault::new(keyword.start(), reason, hint));
                }
            }
        }
        Ok(Step::Move(movement))
    }

    fn timing(
        &self,
        keyword: &Keyword,
        seconds: &mut Option<Number>,
        easing: &mut Option<Interpolation>,
    ) -> Result<(), Fault> {
        match keyword.arg.as_ref().map(|word| word.as_str()) {
            Some("seconds") => *seconds = Some(self.number(&keyword.value)?),
            Some("easing") => {
                let name = text_constant(&keyword.value).unwrap_or_default();
                let found = EASINGS.into_iter().find(|(easing, _)| *easing == name);
                let (_, found) = found.ok_or_else(|| {
                    let hint = "it is \"minjerk\", \"linear\", \"ease_in_out\" or \"cartoon\"";
                    Fault::new(keyword.start(), "there is no such easing", hint)
                })?;
                *easing = Some(found);
            }
            _ => {
                let hint = "it takes seconds and easing";
                return Err(Fault::new(keyword.start(), "this argument does not belong here", hint));
            }
        }
        Ok(())
    }

    fn reaction(&mut self, call: &ExprCall, time: &str) -> Result<Reaction, Fault> {
        let [event, steps @ ..] = call.args.as_slice() else {
            return Err(Fault::new(
                call.start(),
                "the event is missing",
                "begin with face(), voice() or clap()",
            ));
        };
        let event = self.event(event)?;
        let steps = self.steps(steps)?;
        let mut seconds = None;
        for keyword in &call.keywords {
            if keyword.arg.as_ref().is_none_or(|word| word.as_str() != time) {
                let hint = format!("its time is {time}=20");
                return Err(Fault::new(keyword.start(), "this argument does not belong here", hint));
            }
            seconds = Some(self.number(&keyword.value)?);
        }
        Ok(Reaction { event, steps, seconds })
    }

    fn event(&self, expr: &Expr) -> Result<Event, Fault> {
        let hint = "the events are face(), thing(\"cup\"), voice(), clap(), touch() and tilted()";
        let wrong = || Fault::new(expr.start(), "this is not an event", hint);
        let call = self.call(expr, "an event")?;
        let name = function_name(call).ok_or_else(wrong)?;
        match Event::from_name(name) {
            Some(event) if call.args.is_empty() && call.keywords.is_empty() => Ok(event),
            None if name == "thing" => single_text(call).map(Event::Thing).ok_or_else(wrong),
            _ => Err(wrong()),
        }
    }

    fn number(&self, expr: &Expr) -> Result<Number, Fault> {
        let wrong = |at| {
            let hint = "write a number, a parameter, a product such as 20 * size, or ramp(5, 20)";
            Fault::new(at, "this is not a number", hint)
        };
        match expr {
            Expr::Constant(_) => number_constant(expr)
                .map(|(value, _)| Number::Value(value))
                .ok_or_else(|| wrong(expr.start())),
            Expr::Name(name) => Ok(Number::Parameter(name.id.to_string())),
            Expr::BinOp(product) if product.op == Operator::Mult => {
                let (number, name) = match (&*product.left, &*product.right) {
                    (number, Expr::Name(name)) | (Expr::Name(name), number) => (number, name),
                    _ => return Err(wrong(expr.start())),
                };
                let (factor, _) = number_constant(number).ok_or_else(|| wrong(number.start()))?;
                Ok(Number::Product(factor, name.id.to_string()))
            }
            Expr::Call(call) if function_name(call) == Some("ramp") => {
                self.require_import("ramp", call.start())?;
                let [first, last] = call.args.as_slice() else { return Err(wrong(call.start())) };
                if !call.keywords.is_empty() {
                    return Err(wrong(call.start()));
                }
                Ok(Number::Ramp(Box::new(self.number(first)?), Box::new(self.number(last)?)))
            }
            _ => Err(wrong(expr.start())),
        }
    }
}

fn function_name(call: &ExprCall) -> Option<&str> {
    match &*call.func {
        Expr::Name(name) => Some(name.id.as_str()),
        _ => None,
    }
}

fn text_constant(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Constant(constant) => constant.value.as_str().map(String::as_str),
        _ => None,
    }
}

/// Returns the only argument, a text.
fn single_text(call: &ExprCall) -> Option<String> {
    match (call.args.as_slice(), call.keywords.as_slice()) {
        ([text], []) => text_constant(text).map(str::to_owned),
        _ => None,
    }
}

fn no_positional(call: &ExprCall, example: &str) -> Result<(), Fault> {
    match call.args.first() {
        None => Ok(()),
        Some(argument) => {
            let hint = format!("name each argument: {example}");
            Err(Fault::new(argument.start(), "an argument has no name", hint))
        }
    }
}
