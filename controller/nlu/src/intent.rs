//! The meanings of a text: a plan of things to do, or the reason why nothing is done.

use std::fmt;
use std::time::Duration;

use serde_json::{Map, Value};

use minismith_commands::{Courtesy, Refusal};

use super::decimal::plain;
use super::primitive::{OutOfRange, Primitive};
use super::spoken::Spoken;

/// Maximum length of a text, in characters.
pub const MAX_TEXT_LEN: usize = 2_000;

/// Maximum number of steps in one sentence.
pub const MAX_STEPS: usize = 60;

/// The meaning of a text.
#[derive(Clone, Debug, PartialEq)]
pub enum Understanding {
    /// Stop now; the rest of the text does not matter.
    Stop,
    /// The whole text is understood: do this, in order. Never empty.
    Plan(Vec<Intent>),
    /// A part of the text is not understood, so nothing is done.
    Unclear {
        /// The part, in the user's words.
        text: String,
        /// The reason.
        reason: Reason,
        /// Similar commands that are possible, best first; may be empty.
        nearest: Vec<String>,
    },
    /// The text is understood, but a quantity is out of range, so nothing is done.
    OutOfRange(OutOfRange),
    /// The text is understood, but the robot can't do it, so nothing is done.
    Impossible {
        /// The text, in the user's words.
        text: String,
        /// The reason.
        why: Refusal,
        /// The code of the text's language.
        language: &'static str,
    },
    /// A text in another language that is not understood, so nothing is done.
    Foreign {
        /// The language's code.
        language: &'static str,
        /// The words that are not understood.
        words: String,
    },
    /// The text is empty.
    Empty,
    /// The text is too long to be a command.
    TooLong {
        /// Its length.
        characters: usize,
        /// The maximum length.
        allowed: usize,
    },
}

/// The reason why a part was not understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// No known command.
    Unknown,
    /// It says what not to do.
    Negated,
    /// "again", "further" or "undo that" without an earlier motion.
    NothingToRepeat,
    /// "it" without an earlier tool.
    WhichTool,
    /// It contains characters that nobody types.
    NotText,
    /// The earlier motion has no quantity of that kind to change.
    NoSuchChange,
    /// A motion to a side that names no side.
    WhichWay,
    /// It depends on an event that must happen first.
    Conditional,
    /// A question whether something should be done, or reported speech; not a request.
    Hearsay,
    /// It asks for body parts that this robot does not have.
    Body,
    /// A question about something other than this robot.
    Knowledge,
    /// It asks to exceed the limits.
    Rules,
    /// It asks to control single motors.
    Motors,
    /// An insult.
    Unkind,
}

impl Reason {
    /// Returns the reason as one word, for scripts and tests.
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
            Reason::Body => "body",
            Reason::Knowledge => "knowledge",
            Reason::Rules => "rules",
            Reason::Motors => "motors",
            Reason::Unkind => "unkind",
        }
    }
}

impl Understanding {
    /// Returns the reason why nothing is done, as one word; none if something is done.
    #[must_use]
    pub const fn declined(&self) -> Option<&'static str> {
        match self {
            Understanding::Stop | Understanding::Plan(_) => None,
            Understanding::Unclear { reason, .. } => Some(reason.word()),
            Understanding::OutOfRange(_) => Some("out_of_range"),
            Understanding::Impossible { .. } => Some("impossible"),
            Understanding::Foreign { .. } => Some("unknown"),
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
    /// Move in several parts, or as a text in another language says.
    Spoken(Box<Spoken>),
    /// Say these words of the user aloud.
    Say(String),
    /// Use the camera, and do or report what the user asks.
    See(Sight),
    /// Report the robot's posture and state.
    State,
    /// List the commands that the robot understands.
    Help,
    /// List the tools.
    ListTools,
    /// Run a tool.
    RunTool {
        /// Its name: a known tool, or one that the same plan makes earlier.
        name: String,
        /// Arguments by name; each matches the tool's schema as far as the user gave it.
        arguments: Map<String, Value>,
    },
    /// Write a new tool.
    MakeTool {
        /// Its name, a Python identifier.
        name: String,
        /// Its steps.
        body: Vec<Primitive>,
        /// The user's own words, untrusted.
        request: String,
    },
    /// Answer thanks or a greeting, in the language with this code.
    Courtesy(Courtesy, &'static str),
    /// Answer a question about the robot itself.
    Report(Topic),
}

/// Formats a plan's step: `nod twice`, `run happy_hello {"times":3}`, `make happy_hello: nod 3 times;
/// wiggle the antennas twice`.
impl fmt::Display for Intent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Intent::Motion(primitive) => f.write_str(&primitive.describe()),
            Intent::Spoken(spoken) => write!(f, "{spoken}"),
            Intent::Say(words) => write!(f, "say \"{words}\""),
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
            Intent::Courtesy(Courtesy::Thanks, _) => f.write_str("thanks"),
            Intent::Courtesy(Courtesy::Greeting, _) => f.write_str("greet"),
            Intent::Report(topic) => write!(f, "tell {topic}"),
        }
    }
}

/// The topic of a question about the robot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Topic {
    /// The outcome of the last turn.
    Happened,
    /// Why nothing, or only a part, was done.
    WhyNot,
    /// Whether the last request was done.
    Whether,
    /// The last thing that was done.
    Last,
    /// Whether the motors are on.
    Motors,
    /// The state of the robot: faults, motors, rest.
    Health,
    /// What the robot is.
    Myself,
    /// A farewell.
    Goodbye,
    /// The range of one of its motions.
    Reach(Reach),
    /// The purpose of a tool.
    Tool(String),
    /// Whether the robot can do this, in the user's words; it can.
    Ability(String),
}

/// A motion with a range.
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
    /// A dance; its range is a duration.
    Dance,
}

/// Formats the topic in the words of a plan: `tell what happened`.
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

/// A request that needs the camera.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sight {
    /// Report what is visible.
    Scene,
    /// Count the objects of this class.
    Count(&'static str),
    /// Locate an object of this class, or say whether there is one.
    Where(&'static str),
    /// Report the colours.
    Colours,
    /// Report whether something moves.
    Motion,
    /// Take a photograph and store it.
    Photo,
    /// Turn the head to an object of this class.
    LookAt(&'static str),
    /// Follow a face with the head for this long.
    Follow(Duration),
    /// Watch for new objects for this long.
    Watch(Duration),
}

impl Sight {
    /// Returns whether the robot moves for it.
    #[must_use]
    pub const fn moves(&self) -> bool {
        matches!(self, Sight::LookAt(_) | Sight::Follow(_))
    }
}

/// Formats the request: `see`, `count people`, `look at a person`, `follow a person for 60 s`.
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
