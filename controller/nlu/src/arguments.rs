//! Parses the arguments of a tool with its JSON Schema: "with times 3 and speed 1.5", "times=3",
//! "(times=3)", "twice".

use std::sync::LazyLock;

use serde_json::{Map, Number, Value, json};

use super::decimal::plain;
use super::intent::{Intent, Reason};
use super::numbers::{Quantity, count, number, quantity};
use super::parser::{Error, Parser};
use super::tokenize::Kind;
use super::tools::range;

/// The schema of every tool that consists of primitives.
static COMPOSED: LazyLock<Value> = LazyLock::new(
    || json!({"type": "object", "properties": {"times": {"type": "integer"}, "speed": {"type": "number"}}}),
);

impl Parser<'_> {
    /// Parses the arguments after a tool's name. A count repeats the run if the tool has no argument for
    /// it.
    pub fn with_arguments(&mut self, name: String) -> Result<Vec<Intent>, Error> {
        self.with_arguments_over(name, Map::new())
    }

    /// Does the same on top of the arguments of an earlier run: new values replace old ones.
    pub fn with_arguments_over(
        &mut self,
        name: String,
        mut earlier: Map<String, Value>,
    ) -> Result<Vec<Intent>, Error> {
        let known = self.known.tools.iter().find(|tool| tool.name == name && !self.made.contains(&name));
        let schema = known.map_or(&*COMPOSED, |tool| &tool.parameters);
        let none = Map::new();
        let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
        let mut arguments = Map::new();
        let mut runs = 1;
        while self.at < self.tokens.len() {
            let lead = self.at + self.argument_lead();
            if let Some((parameter, value_at)) = self.parameter_at(lead, properties) {
                self.at = value_at;
                let schema = properties.get(&parameter).unwrap_or(&Value::Null);
                let value = self.value(&parameter, schema)?;
                if arguments.insert(parameter, value).is_some() {
                    return Err(Error::unclear(lead..self.at, Reason::Unknown));
                }
            } else if let Some((parameter, value_at, end)) = self.counted_at(lead, properties) {
                // "with 5 waves"
                self.at = value_at;
                let schema = properties.get(&parameter).unwrap_or(&Value::Null);
                let value = self.value(&parameter, schema)?;
                self.at = end;
                if arguments.insert(parameter, value).is_some() {
                    return Err(Error::unclear(lead..self.at, Reason::Unknown));
                }
            } else if let Some((Quantity::Times(said), taken)) = self.tokens.get(self.at..).and_then(quantity)
            {
                let times = count(said, "running a tool")?;
                self.at += taken;
                match properties.get("times") {
                    Some(schema) if !arguments.contains_key("times") => {
                        check_range("times", f64::from(times), schema)?;
                        arguments.insert("times".to_owned(), Value::from(times));
                    }
                    _ => runs = times,
                }
            } else if self.word(self.at) == Some("again") && earlier.is_empty() {
                earlier = self.last_arguments(&name);
                self.at += 1;
            } else if self.tokens.get(self.at).is_some_and(|token| token.is_mark(')')) {
                self.at += 1;
            } else {
                break;
            }
        }
        earlier.extend(arguments);
        let arguments = earlier;
        self.last_tool = Some((name.clone(), arguments.clone()));
        Ok(vec![Intent::RunTool { name, arguments }; runs as usize])
    }

    /// Returns the arguments of this tool's last run, if it was the last tool.
    fn last_arguments(&self, name: &str) -> Map<String, Value> {
        let last = self.last_tool.as_ref().or(self.earlier_tool.as_ref()).filter(|(last, _)| last == name);
        last.map(|(_, arguments)| arguments.clone()).unwrap_or_default()
    }

    /// Returns how many tokens introduce an argument: "with", "and", ",", "at", "(".
    fn argument_lead(&self) -> usize {
        let leads = |at: usize| {
            matches!(self.word(at), Some("with" | "using" | "at" | "and" | "its" | "the" | "a"))
                || self.tokens.get(at).is_some_and(|token| token.is_mark('(') || token.is_mark(','))
        };
        (self.at..self.at + 4).take_while(|&at| leads(at)).count()
    }

    /// Returns the parameter that is named here, and the index of its value.
    fn parameter_at(&self, at: usize, properties: &Map<String, Value>) -> Option<(String, usize)> {
        let found = properties.keys().filter_map(|name| Some((name.clone(), self.spelled(name, at)?)));
        let (name, end) = found.max_by_key(|(_, end)| *end)?;
        let links = |at: usize| {
            matches!(self.word(at), Some("to" | "of" | "is" | "equals"))
                || self.tokens.get(at).is_some_and(|token| token.is_mark('=') || token.is_mark(':'))
        };
        Some((name, end + usize::from(links(end))))
    }

    /// Returns the parameter that is named after its number, the index of the number, and the end of both.
    fn counted_at(&self, at: usize, properties: &Map<String, Value>) -> Option<(String, usize, usize)> {
        let (_, taken) = number(self.tokens.get(at..)?)?;
        let numeric = |name: &&String| {
            matches!(properties.get(*name).map(kind_of), Some("integer" | "number"))
                && name.as_str() != "times"
        };
        let found = properties.keys().filter(numeric);
        let named = found.filter_map(|name| Some((name.clone(), self.spelled(name, at + taken)?)));
        named.max_by_key(|(_, end)| *end).map(|(name, end)| (name, at, end))
    }

    /// Returns this run at another pace, if the tool has a speed parameter.
    pub fn paced_run(
        &self,
        name: &str,
        arguments: &Map<String, Value>,
        slower: f64,
    ) -> Result<Option<Intent>, Error> {
        let known = self.known.tools.iter().find(|tool| tool.name == name);
        let schema = known.map_or(&*COMPOSED, |tool| &tool.parameters);
        let Some(speed) = schema.get("properties").and_then(|all| all.get("speed")) else { return Ok(None) };
        if kind_of(speed) != "number" {
            return Ok(None);
        }
        let usual = speed.get("default").and_then(Value::as_f64).unwrap_or(1.0);
        let before = arguments.get("speed").and_then(Value::as_f64).unwrap_or(usual);
        let after = (before / slower * 100.0).round() / 100.0;
        check_range("speed", after, speed)?;
        let mut arguments = arguments.clone();
        arguments.insert("speed".to_owned(), numeral("speed", after, false)?);
        Ok(Some(Intent::RunTool { name: name.to_owned(), arguments }))
    }

    /// Parses a value of the type in the schema.
    fn value(&mut self, parameter: &str, schema: &Value) -> Result<Value, Error> {
        let rest = self.tokens.get(self.at..).unwrap_or_default();
        let unclear = || self.rest_unclear();
        let (value, taken) = match kind_of(schema) {
            "integer" | "number" => {
                let (said, taken) = number(rest).ok_or_else(unclear)?;
                check_range(parameter, said, schema)?;
                (numeral(parameter, said, kind_of(schema) == "integer")?, taken)
            }
            "boolean" => match rest.first().and_then(|token| token.word()) {
                Some("true" | "yes" | "on") => (Value::Bool(true), 1),
                Some("false" | "no" | "off") => (Value::Bool(false), 1),
                _ => return Err(unclear()),
            },
            "string" => match rest.first().map(|token| (&token.kind, token.span.clone())) {
                Some((Kind::Quoted(text), _)) => (Value::String(text.clone()), 1),
                Some((Kind::Word(_) | Kind::Number(_), span)) => {
                    (Value::String(self.text.get(span).unwrap_or_default().to_owned()), 1)
                }
                _ => return Err(unclear()),
            },
            _ => return Err(unclear()),
        };
        if let Some(choices) = schema.get("enum").and_then(Value::as_array)
            && !choices.contains(&value)
        {
            let choices: Vec<String> = choices.iter().map(Value::to_string).collect();
            return Err(range(format!("{parameter}={value}"), format!("one of {}", choices.join(", "))));
        }
        self.at += taken;
        Ok(value)
    }
}

/// Returns the first type that a text can express; an alternative `null` does not matter.
fn kind_of(schema: &Value) -> &str {
    let kinds = match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.as_slice(),
        Some(kind) => std::slice::from_ref(kind),
        None => &[],
    };
    kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null").unwrap_or_default()
}

fn numeral(parameter: &str, said: f64, whole: bool) -> Result<Value, Error> {
    if whole && (said.fract() != 0.0 || said.abs() > 1e15) {
        return Err(range(format!("{parameter}={said}"), "a whole number".to_owned()));
    }
    let number = if whole { Some(Number::from(said as i64)) } else { Number::from_f64(said) };
    number
        .map(Value::Number)
        .ok_or_else(|| range(format!("{parameter}={said}"), "a finite number".to_owned()))
}

fn check_range(parameter: &str, said: f64, schema: &Value) -> Result<(), Error> {
    let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
    let (low, high) = (bound("minimum"), bound("maximum"));
    if low.is_none_or(|low| said >= low) && high.is_none_or(|high| said <= high) {
        return Ok(());
    }
    let allowed = match (low, high) {
        (Some(low), Some(high)) => format!("{} to {}", plain(low), plain(high)),
        (Some(low), None) => format!("at least {}", plain(low)),
        (None, high) => format!("at most {}", plain(high.unwrap_or_default())),
    };
    Err(range(format!("{parameter}={}", plain(said)), allowed))
}
