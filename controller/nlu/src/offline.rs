//! The offline brain's door: text in, a plan or an honest answer out. Pure, and well under a millisecond.

use std::fmt;

use serde_json::{Map, Value};

use super::before::Before;
use super::grammar;
use super::nearest::nearest;
use super::primitive::{OutOfRange, Primitive};
use super::question::Topic;
use super::sight::Sight;
use super::stop::is_stop;

/// The longest text that is read, in characters.
pub const LONGEST_TEXT: usize = 2_000;

/// The most steps that one sentence may ask for.
pub const MOST_STEPS: usize = 60;

/// A tool that can be run by its name.
#[derive(Clone, Debug, PartialEq)]
pub struct KnownTool {
    /// Its name, a Python identifier.
    pub name: String,
    /// What it does, in one sentence.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub parameters: Value,
}

/// What the brain may refer to beyond its own motions.
#[derive(Clone, Copy, Debug, Default)]
pub struct Known<'a> {
    /// The tools in the registry.
    pub tools: &'a [KnownTool],
    /// What was said and done before, in a conversation.
    pub before: Option<&'a Before>,
}

/// What a text means.
#[derive(Clone, Debug, PartialEq)]
pub enum Understanding {
    /// Stop now; nothing else in the text counts.
    Stop,
    /// All of it was understood: do this, in order. Never empty.
    Plan(Vec<Intent>),
    /// A part was not understood, so nothing is done.
    Unclear {
        /// The part, in the person's words.
        heard: String,
        /// What is wrong with it.
        reason: Reason,
        /// Things that can be done and sound like it, best first; may be empty.
        nearest: Vec<String>,
    },
    /// All of it was understood, and a quantity is not allowed, so nothing is done.
    OutOfRange(OutOfRange),
    /// There was nothing to understand.
    Empty,
    /// The text is too long to be a command.
    TooLong {
        /// Its length.
        characters: usize,
        /// The longest that is read.
        allowed: usize,
    },
}

/// Why a part was not understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// No known command.
    Unknown,
    /// It says what not to do; nothing is done for that.
    Negated,
    /// "again", "further" or "undo that" without anything before it.
    NothingToRepeat,
    /// "it" without a tool before it.
    WhichTool,
    /// It holds characters that no one types.
    NotText,
    /// What was done before has nothing of that kind to change.
    NoSuchChange,
    /// A motion to a side, and no side.
    WhichWay,
    /// It depends on something that would have to happen first.
    Conditional,
    /// A question whether, or what somebody else said: no wish.
    Hearsay,
    /// Two motions at once.
    Together,
    /// It asks for a body that this robot does not have.
    Body,
    /// A question about something else than this robot.
    Knowledge,
    /// It asks to leave the limits.
    Rules,
    /// It asks for single motors.
    Motors,
    /// An insult.
    Unkind,
}

impl Reason {
    /// One word for it, as scripts and tests know it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Reason::Unknown => "unknown",
            Reason::Negated => "negated",
            Reason::NothingToRepeat => "nothing_before",
            Reason::WhichTool => "which_tool",
            Reason::NotText => "not_text",
            Reason::NoSuchChange => "no_such_change",
            Reason::WhichWay => "which_way",
            Reason::Conditional => "conditional",
            Reason::Hearsay => "hearsay",
            Reason::Together => "together",
            Reason::Body => "body",
            Reason::Knowledge => "knowledge",
            Reason::Rules => "rules",
            Reason::Motors => "motors",
            Reason::Unkind => "unkind",
        }
    }
}

impl Understanding {
    /// Why nothing is done, in one word; none if something is.
    #[must_use]
    pub const fn declined(&self) -> Option<&'static str> {
        match self {
            Understanding::Stop | Understanding::Plan(_) => None,
            Understanding::Unclear { reason, .. } => Some(reason.word()),
            Understanding::OutOfRange(_) => Some("out_of_range"),
            Understanding::Empty => Some("empty"),
            Understanding::TooLong { .. } => Some("too_long"),
        }
    }
}

/// One thing to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Intent {
    /// Move.
    Motion(Primitive),
    /// Look through the camera, and do or say what is wanted of what is there.
    See(Sight),
    /// Say where the robot looks and how it is.
    State,
    /// Say what can be said to it.
    Help,
    /// List the tools.
    ListTools,
    /// Run a tool.
    RunTool {
        /// Its name: known, or made earlier in the same plan.
        name: String,
        /// Arguments by name; each matches the tool's schema as far as it was said.
        arguments: Map<String, Value>,
    },
    /// Write a new tool.
    MakeTool {
        /// Its name, a Python identifier.
        name: String,
        /// What it does.
        body: Vec<Primitive>,
        /// The person's own words, untrusted.
        request: String,
    },
    /// Answer a greeting.
    Greet,
    /// Answer thanks.
    Thanks,
    /// Answer a question about the robot itself.
    Tell(Topic),
}

/// `nod twice`, `run happy_hello {"times":3}`, `make happy_hello: nod 3 times; wiggle the antennas twice`.
impl fmt::Display for Intent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Intent::Motion(primitive) => f.write_str(&primitive.describe()),
            Intent::See(sight) => write!(f, "{sight}"),
            Intent::State => f.write_str("state"),
            Intent::Help => f.write_str("help"),
            Intent::ListTools => f.write_str("list tools"),
            Intent::RunTool { name, arguments } if arguments.is_empty() => write!(f, "run {name}"),
            Intent::RunTool { name, arguments } => {
                let arguments: Vec<String> =
                    arguments.iter().map(|(name, value)| format!("{name}={value}")).collect();
                write!(f, "run {name} with {}", arguments.join(", "))
            }
            Intent::MakeTool { name, body, .. } => {
                let steps: Vec<String> = body.iter().map(Primitive::describe).collect();
                write!(f, "make {name}: {}", steps.join("; "))
            }
            Intent::Greet => f.write_str("greet"),
            Intent::Thanks => f.write_str("thanks"),
            Intent::Tell(topic) => write!(f, "tell {topic}"),
        }
    }
}

/// What a text means: all of it, or nothing of it.
#[must_use]
pub fn understand(text: &str, known: &Known<'_>) -> Understanding {
    if is_stop(text) {
        return Understanding::Stop;
    }
    let characters = text.chars().count();
    if characters > LONGEST_TEXT {
        return Understanding::TooLong { characters, allowed: LONGEST_TEXT };
    }
    if text.trim().is_empty() {
        return Understanding::Empty;
    }
    if text.chars().any(|c| (c.is_control() && !c.is_whitespace()) || c == char::REPLACEMENT_CHARACTER) {
        return unclear(text, Reason::NotText, known);
    }
    match grammar::parse(text, known) {
        Ok(plan) if plan.len() > MOST_STEPS => Understanding::OutOfRange(OutOfRange {
            what: format!("a plan of {} steps", plan.len()),
            allowed: format!("up to {MOST_STEPS} steps in one sentence"),
        }),
        Ok(plan) => Understanding::Plan(plan),
        Err(grammar::Refused::Unclear { heard, reason }) => unclear(&heard, reason, known),
        Err(grammar::Refused::Range(range)) => Understanding::OutOfRange(range),
    }
}

fn unclear(heard: &str, reason: Reason, known: &Known<'_>) -> Understanding {
    let nearest = match reason {
        Reason::Unknown | Reason::Body | Reason::Knowledge => nearest(heard, known),
        Reason::WhichTool => known.tools.iter().take(3).map(|tool| tool.name.clone()).collect(),
        _ => Vec::new(),
    };
    Understanding::Unclear { heard: printable(heard), reason, nearest }
}

/// What was heard, safe to print: one short line without control characters.
fn printable(heard: &str) -> String {
    let mut line: String = heard
        .chars()
        .map(|c| if c.is_whitespace() { ' ' } else { c })
        .map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c })
        .take(LONGEST_QUOTE + 1)
        .collect();
    if line.chars().count() > LONGEST_QUOTE {
        line.pop();
        line.push_str("...");
    }
    line.trim().to_owned()
}

/// How many characters of a person's words are quoted back.
const LONGEST_QUOTE: usize = 80;
