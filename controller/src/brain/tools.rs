//! The clauses about tools: running one by its name, with arguments, and asking for a new one.

use std::sync::LazyLock;

use serde_json::{Map, Number, Value, json};

use super::frame::count;
use super::grammar::{Flow, Joint, Parser, Trouble};
use super::lexicon;
use super::name::{name_for, tool_name};
use super::numbers::{Quantity, number, quantity};
use super::offline::{Intent, Reason};
use super::primitive::{OutOfRange, Primitive, plain};
use super::stroke::{Aim, Stroke, lower};
use super::tokenize::Kind;

/// The most steps that one made tool may have: what fits into a page of Python.
pub const MOST_TOOL_STEPS: usize = 10;

/// The longest that one round of a made tool may take, in seconds: twice this, at half speed, must fit a rehearsal.
pub const LONGEST_TOOL: f64 = 25.0;

/// The arguments of every tool that is composed of primitives.
static COMPOSED: LazyLock<Value> = LazyLock::new(
    || json!({"type": "object", "properties": {"times": {"type": "integer"}, "speed": {"type": "number"}}}),
);

impl Parser<'_> {
    /// "make a tool called NAME that ..."; none if the clause is about something else.
    pub fn make(&mut self) -> Result<Option<Intent>, Trouble> {
        let Some(noun) = self.tool_noun() else { return Ok(None) };
        self.at = noun + 1;
        let mut name = self.name_clause()?;
        if name.is_none() && !self.at_joint() && !self.connects(self.at) {
            name = Some(self.name()?);
        }
        let body = self.body(&mut name)?;
        let name = name.unwrap_or_else(|| name_for(&body));
        self.made.push(name.clone());
        self.last_run = Some(name.clone());
        Ok(Some(Intent::MakeTool { name, body, request: self.text.to_owned() }))
    }

    /// Where "tool" stands, if the clause begins like "make a new tool".
    fn tool_noun(&self) -> Option<usize> {
        let small =
            ["a", "an", "the", "new", "me", "yourself", "simple", "little", "small", "short", "python"];
        self.word(self.at).filter(|word| lexicon::is_make(word))?;
        let mut at = self.at + 1;
        while self.word(at).is_some_and(|word| small.contains(&word)) {
            at += 1;
        }
        self.word(at).is_some_and(lexicon::is_tool_noun).then_some(at)
    }

    /// The steps of a tool, up to a clause that runs it or makes another, or to a new sentence that is not about it.
    fn body(&mut self, name: &mut Option<String>) -> Result<Vec<Primitive>, Trouble> {
        let start = self.at;
        let mut flow = Flow::default();
        let mut body = Vec::new();
        loop {
            let before = self.at;
            let joint = self.joint();
            let continues = self.connects(self.at);
            if self.at >= self.tokens.len() || (joint == Joint::Sentence && !body.is_empty() && !continues) {
                self.at = before;
                break;
            }
            while self.connects(self.at) {
                self.at += 1;
            }
            if let Some(said) = self.name_clause()? {
                *name = Some(said);
                continue;
            }
            if self.runs_something() || self.tool_noun().is_some() {
                self.at = before;
                break;
            }
            body.extend(self.step(&mut flow)?);
            if body.len() > MOST_TOOL_STEPS {
                let allowed = format!("up to {MOST_TOOL_STEPS} steps; make two tools");
                return Err(range(format!("a tool of more than {MOST_TOOL_STEPS} steps"), allowed));
            }
            let named = matches!(self.word(self.at), Some("called" | "named"));
            if self.at < self.tokens.len() && !self.at_joint() && !named {
                return Err(self.rest_unclear());
            }
        }
        if body.is_empty() {
            return Err(Trouble::unclear(start.saturating_sub(1)..self.clause_end(start), Reason::Unknown));
        }
        let seconds: f64 =
            lower(&body, Aim::neutral()).iter().map(Stroke::duration).map(|d| d.as_secs_f64()).sum();
        if seconds > LONGEST_TOOL {
            let allowed = format!("up to {} s; make two tools", plain(LONGEST_TOOL));
            return Err(range(format!("a tool that takes {} s", plain(seconds)), allowed));
        }
        Ok(body)
    }

    /// Words that lead from the tool to what it does.
    fn connects(&self, at: usize) -> bool {
        let leads =
            ["that", "which", "to", "for", "it", "should", "shall", "will", "also", "finally", "me", "you"];
        self.word(at).is_some_and(|word| leads.contains(&word))
    }

    /// "called NAME", "call it NAME".
    fn name_clause(&mut self) -> Result<Option<String>, Trouble> {
        let taken = match (self.word(self.at), self.word(self.at + 1)) {
            (Some("call" | "name"), Some("it" | "this")) => 2,
            (Some("called" | "named"), _) => 1,
            _ => return Ok(None),
        };
        self.at += taken;
        self.name().map(Some)
    }

    fn name(&mut self) -> Result<String, Trouble> {
        let start = self.at;
        let quoted = match self.tokens.get(start).map(|token| &token.kind) {
            Some(Kind::Quoted(text)) => Some(text.clone()),
            _ => None,
        };
        let raw = if let Some(text) = quoted {
            self.at += 1;
            text
        } else {
            while self.at < self.tokens.len() && !self.at_joint() && !self.connects(self.at) {
                self.at += 1;
            }
            if self.at == start {
                return Err(Trouble::unclear(start.saturating_sub(1)..start, Reason::Unknown));
            }
            self.words_of(start..self.at)
        };
        tool_name(&raw).map_err(Trouble::Range)
    }

    fn runs_something(&self) -> bool {
        if !self.word(self.at).is_some_and(lexicon::is_run) {
            return false;
        }
        let at = self.after_articles(self.at + 1);
        matches!(self.word(at), Some("it" | "that" | "this")) || self.tool_at(at).is_some()
    }

    /// "run NAME ...", "run it ...", or a tool's name alone; none if the clause is about something else.
    pub fn run(&mut self) -> Result<Option<Vec<Intent>>, Trouble> {
        let start = self.at;
        if !self.word(start).is_some_and(lexicon::is_run) {
            let exact = self.tool_at(start).filter(|(_, end)| *end == start + 1);
            let command = self.word(start).is_some_and(lexicon::is_command);
            return if exact.is_some() && !command { self.run_bare() } else { Ok(None) };
        }
        let at = self.after_articles(start + 1);
        if let Some((name, end)) = self.tool_at(at) {
            self.at = end;
            return self.with_arguments(name).map(Some);
        }
        if matches!(self.word(at), Some("it" | "that" | "this")) || (at > start + 1 && self.is_end(at)) {
            let Some(name) = self.last_run.clone().or_else(|| self.made.last().cloned()) else {
                return Err(Trouble::unclear(start..self.clause_end(start), Reason::WhichTool));
            };
            self.at = at + usize::from(!self.is_end(at));
            return self.with_arguments(name).map(Some);
        }
        // "do a little dance": the verb comes later.
        self.at = start + 1;
        Ok(None)
    }

    /// A tool's name, in one word or several, without a verb.
    pub fn run_bare(&mut self) -> Result<Option<Vec<Intent>>, Trouble> {
        let Some((name, end)) = self.tool_at(self.at) else { return Ok(None) };
        self.at = end;
        self.with_arguments(name).map(Some)
    }

    fn is_end(&self, at: usize) -> bool {
        at >= self.tokens.len() || self.is_joint(at)
    }

    fn after_articles(&self, mut at: usize) -> usize {
        while self
            .word(at)
            .is_some_and(|word| matches!(word, "the" | "your" | "my" | "tool" | "skill" | "new"))
        {
            at += 1;
        }
        at
    }

    /// The longest name of a tool that begins here, and where it ends.
    fn tool_at(&self, at: usize) -> Option<(String, usize)> {
        let known = self.known.tools.iter().map(|tool| &tool.name);
        let all = known.chain(&self.made);
        all.filter_map(|name| Some((name.clone(), self.spelled(name, at)?))).max_by_key(|(_, end)| *end)
    }

    /// Where this identifier ends, if it begins here: `happy_hello`, `Happy Hello` or `"happy hello"`.
    fn spelled(&self, identifier: &str, at: usize) -> Option<usize> {
        let identifier = identifier.to_lowercase();
        if let Some(Kind::Quoted(text)) = self.tokens.get(at).map(|token| &token.kind) {
            return (text.to_lowercase().replace([' ', '-'], "_") == identifier).then_some(at + 1);
        }
        let mut spelled = String::new();
        let mut end = at;
        while spelled.len() < identifier.len() {
            let token = self.tokens.get(end)?;
            if !spelled.is_empty() {
                spelled.push('_');
            }
            spelled.push_str(&self.text.get(token.span.clone())?.to_lowercase());
            end += 1;
            if !identifier.starts_with(&spelled) {
                return None;
            }
        }
        (spelled == identifier).then_some(end)
    }

    /// The arguments that follow a tool's name; a count that the tool has no argument for repeats the run.
    fn with_arguments(&mut self, name: String) -> Result<Vec<Intent>, Trouble> {
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
                    return Err(Trouble::unclear(lead..self.at, Reason::Unknown));
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
            } else if matches!(self.word(self.at), Some("again"))
                || self.tokens.get(self.at).is_some_and(|token| token.is_mark(')'))
            {
                self.at += 1;
            } else {
                break;
            }
        }
        self.last_run = Some(name.clone());
        Ok(vec![Intent::RunTool { name, arguments }; runs as usize])
    }

    /// How many tokens lead to an argument: "with", "and", ",", "at", "(".
    fn argument_lead(&self) -> usize {
        let leads = |at: usize| {
            matches!(self.word(at), Some("with" | "using" | "at" | "and" | "its" | "the" | "a"))
                || self.tokens.get(at).is_some_and(|token| token.is_mark('(') || token.is_mark(','))
        };
        (self.at..self.at + 4).take_while(|&at| leads(at)).count()
    }

    /// The parameter that is named here and where its value begins.
    fn parameter_at(&self, at: usize, properties: &Map<String, Value>) -> Option<(String, usize)> {
        let found = properties.keys().filter_map(|name| Some((name.clone(), self.spelled(name, at)?)));
        let (name, end) = found.max_by_key(|(_, end)| *end)?;
        let links = |at: usize| {
            matches!(self.word(at), Some("to" | "of" | "is" | "equals"))
                || self.tokens.get(at).is_some_and(|token| token.is_mark('=') || token.is_mark(':'))
        };
        Some((name, end + usize::from(links(end))))
    }

    /// A value of the type that the schema names.
    fn value(&mut self, parameter: &str, schema: &Value) -> Result<Value, Trouble> {
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

/// The first type that can be said in words; `null` beside it does not matter.
fn kind_of(schema: &Value) -> &str {
    let kinds = match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.as_slice(),
        Some(kind) => std::slice::from_ref(kind),
        None => &[],
    };
    kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null").unwrap_or_default()
}

fn numeral(parameter: &str, said: f64, whole: bool) -> Result<Value, Trouble> {
    if whole && (said.fract() != 0.0 || said.abs() > 1e15) {
        return Err(range(format!("{parameter}={said}"), "a whole number".to_owned()));
    }
    let number = if whole { Some(Number::from(said as i64)) } else { Number::from_f64(said) };
    number
        .map(Value::Number)
        .ok_or_else(|| range(format!("{parameter}={said}"), "a finite number".to_owned()))
}

fn check_range(parameter: &str, said: f64, schema: &Value) -> Result<(), Trouble> {
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

fn range(what: String, allowed: String) -> Trouble {
    Trouble::Range(OutOfRange { what, allowed })
}
