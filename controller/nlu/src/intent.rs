//! What a text can mean: a plan of things to do, or why nothing is done.

use std::fmt;
use std::time::Duration;

use serde_json::{Map, Value};

use super::decimal::plain;
use super::primitive::{OutOfRange, Primitive};

/// The longest text that is read, in characters.
pub const LONGEST_TEXT: usize = 2_000;

/// The most steps that one sentence may ask for.
pub const MOST_STEPS: usize = 60;

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

/// What a question about the robot asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Topic {
    /// What became of the last turn.
    Happened,
    /// Why nothing, or not all of it, was done.
    WhyNot,
    /// Whether what was asked was done.
    Whether,
    /// What was done last.
    Last,
    /// Whether the motors are on.
    Motors,
    /// How the robot is: faults, motors, rest.
    Health,
    /// Who it is.
    Myself,
    /// A farewell.
    Goodbye,
    /// How far one of its motions goes.
    Reach(Reach),
    /// What a tool does.
    Tool(String),
    /// Whether it can do this, in the person's words; it can.
    Ability(String),
}

/// What has a reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// A look to the side.
    Sideways,
    /// A look up or down.
    UpDown,
    /// A tilt of the head.
    Tilt,
    /// A turn of the body.
    Turn,
    /// The head's height.
    Height,
    /// An antenna.
    Antennas,
    /// A dance, which has a length.
    Dance,
}

/// In the words of a plan: `tell what happened`.
impl fmt::Display for Topic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Topic::Happened => "what happened",
            Topic::WhyNot => "why not",
            Topic::Whether => "whether it was done",
            Topic::Last => "what I did last",
            Topic::Motors => "whether my motors are on",
            Topic::Health => "how I am",
            Topic::Myself => "who I am",
            Topic::Goodbye => "goodbye",
            Topic::Reach(Reach::Sideways) => "how far I can look sideways",
            Topic::Reach(Reach::UpDown) => "how far I can look up and down",
            Topic::Reach(Reach::Tilt) => "how far I can tilt my head",
            Topic::Reach(Reach::Turn) => "how far I can turn my body",
            Topic::Reach(Reach::Height) => "how far I can raise and lower my head",
            Topic::Reach(Reach::Antennas) => "how far I can move my antennas",
            Topic::Reach(Reach::Dance) => "how long I can dance",
            Topic::Tool(name) => return write!(f, "about {name}"),
            Topic::Ability(what) => return write!(f, "whether I can {what}"),
        })
    }
}

/// What is wanted of what is seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sight {
    /// What is there.
    Scene,
    /// How many there are of this class.
    Count(&'static str),
    /// Where one of this class is, or whether there is one.
    Where(&'static str),
    /// Which colours there are.
    Colours,
    /// Whether something moves.
    Motion,
    /// A photograph that is kept.
    Photo,
    /// Turn the head to one of this class.
    LookAt(&'static str),
    /// Follow a face with the head for so long.
    Follow(Duration),
    /// Look out for something new for so long.
    Watch(Duration),
}

impl Sight {
    /// Whether the body moves for it.
    #[must_use]
    pub const fn moves(&self) -> bool {
        matches!(self, Sight::LookAt(_) | Sight::Follow(_))
    }
}

/// `see`, `count people`, `look at a person`, `follow a person for 60 s`.
impl fmt::Display for Sight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sight::Scene => f.write_str("see"),
            Sight::Count(label) => write!(f, "count: {label}"),
            Sight::Where(label) => write!(f, "find: {label}"),
            Sight::Colours => f.write_str("tell the colours"),
            Sight::Motion => f.write_str("tell what moves"),
            Sight::Photo => f.write_str("take a photo"),
            Sight::LookAt(label) => write!(f, "look at the {label}"),
            Sight::Follow(time) => write!(f, "follow the person for {} s", plain(time.as_secs_f64())),
            Sight::Watch(time) => write!(f, "look out for something new for {} s", plain(time.as_secs_f64())),
        }
    }
}
