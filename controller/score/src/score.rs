//! A tool in the language of motion, as data.

use std::borrow::Cow;

use firmware_bridge::motion::Interpolation;
use serde::{Deserialize, Serialize};
use utoipa::openapi::schema::{AllOfBuilder, ArrayItems};
use utoipa::openapi::{ArrayBuilder, ObjectBuilder, OneOfBuilder, Ref, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::axis::Axis;
use crate::target::{Part, Target};

/// How deep steps may be nested.
pub const MAX_DEPTH: usize = 12;
/// How many steps a source may contain.
pub const MAX_WRITTEN_STEPS: usize = 1_000;
/// How many steps a call may run, counted after loops are unrolled.
pub const MAX_STEPS: usize = 5_000;
/// How long a call may take, seconds.
pub const MAX_SECONDS: f64 = 120.0;
/// The largest number of rounds of a repeat.
pub const MAX_TIMES: u32 = 50;
/// The shortest and the longest movement, seconds before they are divided by the speed.
pub const MOVE_SECONDS: (f64, f64) = (0.1, 60.0);
/// The shortest and the longest time that a step waits for an event or lets it act, seconds.
pub const EVENT_SECONDS: (f64, f64) = (0.1, 120.0);
/// How long a step waits for an event or lets it act unless the source says so, seconds.
pub const DEFAULT_EVENT_SECONDS: f64 = 20.0;
/// The longest `wait`, seconds.
pub const MAX_WAIT_SECONDS: f64 = 60.0;
/// The slowest and the fastest speed.
pub const SPEED: (f64, f64) = (0.1, 4.0);

/// A tool: a name, a sentence, parameters, and the steps that one call runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Score {
    /// The name of the function.
    pub name: String,
    /// What the tool does: the first sentence of its documentation, on one line.
    pub summary: String,
    /// The parameters, in the order of the signature.
    #[serde(default)]
    pub parameters: Vec<Parameter>,
    /// The steps, one after another.
    pub steps: Vec<Step>,
}

/// A parameter of a tool. One named `speed` divides the duration of every movement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ScoreParameter)]
pub struct Parameter {
    /// The name.
    pub name: String,
    /// Whether it takes only whole numbers.
    pub kind: Kind,
    /// The value if the caller gives none.
    pub default: f64,
    /// The smallest value.
    pub low: f64,
    /// The largest value.
    pub high: f64,
    /// What it does, on one line and without its range: "How often the head nods".
    pub meaning: String,
}

/// The type of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ScoreKind)]
pub enum Kind {
    /// Whole numbers.
    Int,
    /// Any numbers.
    Float,
}

/// The name of the parameter that sets the tempo.
pub const SPEED_PARAMETER: &str = "speed";
/// The name of the parameter that says how often something is done.
pub const TIMES_PARAMETER: &str = "times";

impl Parameter {
    /// Returns the usual parameter `times`, from 1 to 10.
    #[must_use]
    pub fn times(default: u32) -> Self {
        Parameter {
            name: TIMES_PARAMETER.to_owned(),
            kind: Kind::Int,
            default: f64::from(default.clamp(1, 10)),
            low: 1.0,
            high: 10.0,
            meaning: "How often it is done".to_owned(),
        }
    }

    /// Returns the usual parameter `speed`, from half to twice the tempo.
    #[must_use]
    pub fn speed() -> Self {
        Parameter {
            name: SPEED_PARAMETER.to_owned(),
            kind: Kind::Float,
            default: 1.0,
            low: 0.5,
            high: 2.0,
            meaning: "The tempo".to_owned(),
        }
    }
}

/// A number in a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Number {
    /// A constant: `20`.
    Value(f64),
    /// The value of a parameter: `times`.
    Parameter(String),
    /// A constant times a parameter: `20 * size`.
    Product(f64, String),
    /// From the first number to the last one over the rounds of the nearest repeat: `ramp(5, 20)`. The two are not
    /// ramps themselves.
    Ramp(Box<Number>, Box<Number>),
}

impl Number {
    /// Creates `ramp(first, last)` from constants.
    #[must_use]
    pub fn ramp(first: f64, last: f64) -> Self {
        Number::Ramp(Box::new(Number::Value(first)), Box::new(Number::Value(last)))
    }
}

/// The derive macro knows no tuple that contains its own type.
impl PartialSchema for Number {
    fn schema() -> RefOr<Schema> {
        let with = |name: &str, value: RefOr<Schema>| {
            ObjectBuilder::new().property(name, value).required(name).build()
        };
        let pair = |items: [RefOr<Schema>; 2]| {
            let items = items.map(|item| match item {
                RefOr::T(schema) => schema,
                RefOr::Ref(reference) => Schema::AllOf(AllOfBuilder::new().item(reference).build()),
            });
            let array = ArrayBuilder::new().items(ArrayItems::False).prefix_items(items);
            RefOr::T(Schema::Array(array.build()))
        };
        let number = || RefOr::Ref(Ref::from_schema_name(Self::name()));
        let schema = OneOfBuilder::new()
            .item(with("value", f64::schema()))
            .item(with("parameter", String::schema()))
            .item(with("product", pair([f64::schema(), String::schema()])))
            .item(with("ramp", pair([number(), number()])))
            .description(Some(
                "A constant, a parameter, a constant times a parameter, or from one to another.",
            ));
        RefOr::T(schema.build().into())
    }
}

impl ToSchema for Number {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed("ScoreNumber")
    }
}

impl From<f64> for Number {
    fn from(value: f64) -> Self {
        Number::Value(value)
    }
}

/// One step of a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ScoreStep)]
pub enum Step {
    /// `head(...)`, `antennas(...)`, `body(...)`
    Move(Move),
    /// `neutral(...)`: head, body and antennas to neutral.
    Neutral {
        /// The duration in seconds at speed 1; none takes the default.
        seconds: Option<Number>,
        /// The course of the movement; none is minimum jerk.
        #[schema(value_type = Option<String>)]
        easing: Option<Interpolation>,
    },
    /// `wait(seconds)`
    Wait(Number),
    /// `repeat(times, ...)`
    Repeat {
        /// The number of rounds.
        times: Number,
        /// The steps of a round.
        #[schema(no_recursion)]
        steps: Vec<Step>,
    },
    /// `together(...)`: each step is a track, and all begin at once.
    #[schema(no_recursion)]
    Together(Vec<Step>),
    /// `sequence(...)`: one after another, as one track.
    #[schema(no_recursion)]
    Sequence(Vec<Step>),
    /// `play(name)`: a recorded move, `wake_up` or `go_to_sleep`.
    Play(String),
    /// `sound(name)`: begins to play and does not wait.
    Sound(String),
    /// `photo()`: takes a photo.
    Photo {},
    /// `when(event, ..., within=)`: waits for the event, then runs the steps once.
    When(Reaction),
    /// `otherwise(...)`, the last step of `when`: runs if the event does not come.
    #[schema(no_recursion)]
    Otherwise(Vec<Step>),
    /// `whenever(event, ..., seconds=)`: runs the steps each time the event comes.
    Whenever(Reaction),
    /// `as_long_as(event, ..., at_most=)`: repeats the steps while the event holds.
    AsLongAs(Reaction),
    /// `until(event, ..., at_most=)`: repeats the steps until the event comes.
    Until(Reaction),
}

/// A movement of one part to absolute targets. An axis without a target keeps its goal; without any target, all axes of
/// the part go to neutral.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ScoreMove)]
pub struct Move {
    /// The part.
    pub part: Part,
    /// Where to, in degrees or millimetres; at most one target for each axis.
    pub targets: Vec<(Target, Number)>,
    /// The duration in seconds at speed 1; none takes the default.
    #[serde(default)]
    pub seconds: Option<Number>,
    /// The course of the movement; none is minimum jerk.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    pub easing: Option<Interpolation>,
}

impl Move {
    /// Returns the axes that it moves: those of its targets, or all of its part.
    #[must_use]
    pub fn axes(&self) -> Vec<Axis> {
        if self.targets.is_empty() {
            return self.part.axes().to_vec();
        }
        self.targets.iter().flat_map(|(target, _)| target.axes()).copied().collect()
    }
}

/// An event, steps, and a time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ScoreReaction)]
pub struct Reaction {
    /// The event.
    pub event: Event,
    /// The steps.
    #[schema(no_recursion)]
    pub steps: Vec<Step>,
    /// `within`, `seconds` or `at_most`, in seconds; none is [`DEFAULT_EVENT_SECONDS`].
    #[serde(default)]
    pub seconds: Option<Number>,
}

/// What a step can react to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ScoreEvent)]
pub enum Event {
    /// A face is in view.
    Face,
    /// A thing with this name is in view.
    Thing(String),
    /// Somebody speaks.
    Voice,
    /// Somebody claps.
    Clap,
    /// Somebody moves the head by hand.
    Touch,
    /// The robot is tilted.
    Tilted,
}

impl Event {
    /// Returns the name of the event's function.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Event::Face => "face",
            Event::Thing(_) => "thing",
            Event::Voice => "voice",
            Event::Clap => "clap",
            Event::Touch => "touch",
            Event::Tilted => "tilted",
        }
    }

    /// Returns the event whose function takes no argument and has this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Event> {
        [Event::Face, Event::Voice, Event::Clap, Event::Touch, Event::Tilted]
            .into_iter()
            .find(|event| event.name() == name)
    }

    /// Describes the event for people: "a face".
    #[must_use]
    pub fn describe(&self) -> String {
        match self {
            Event::Face => "a face".to_owned(),
            Event::Thing(name) => format!("the thing \"{name}\""),
            Event::Voice => "a voice".to_owned(),
            Event::Clap => "a clap".to_owned(),
            Event::Touch => "a touch".to_owned(),
            Event::Tilted => "a tilt".to_owned(),
        }
    }
}

/// The words of the language that a source imports from `motion`, besides the parts and events.
pub const FUNCTIONS: [&str; 15] = [
    "neutral",
    "wait",
    "repeat",
    "together",
    "sequence",
    "ramp",
    "play",
    "sound",
    "photo",
    "when",
    "otherwise",
    "whenever",
    "as_long_as",
    "until",
    "perform",
];

/// The names of the events' functions.
pub const EVENTS: [&str; 6] = ["face", "thing", "voice", "clap", "touch", "tilted"];

/// Returns whether a name is a function of the module `motion`.
#[must_use]
pub fn is_motion_function(name: &str) -> bool {
    Part::from_name(name).is_some() || FUNCTIONS.contains(&name) || EVENTS.contains(&name)
}

/// The names of the courses of a movement, as in the official SDK.
pub const EASINGS: [(&str, Interpolation); 4] = [
    ("minjerk", Interpolation::Minjerk),
    ("linear", Interpolation::Linear),
    ("ease_in_out", Interpolation::EaseInOut),
    ("cartoon", Interpolation::Cartoon),
];

impl Reaction {
    /// Returns the steps that run when the event comes, and those of `otherwise`.
    #[must_use]
    pub fn branches(&self) -> (&[Step], Option<&[Step]>) {
        match self.steps.split_last() {
            Some((Step::Otherwise(others), steps)) => (steps, Some(others)),
            _ => (&self.steps, None),
        }
    }
}

impl Step {
    /// Returns the name of the step's function.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Step::Move(movement) => movement.part.name(),
            Step::Neutral { .. } => "neutral",
            Step::Wait(_) => "wait",
            Step::Repeat { .. } => "repeat",
            Step::Together(_) => "together",
            Step::Sequence(_) => "sequence",
            Step::Play(_) => "play",
            Step::Sound(_) => "sound",
            Step::Photo {} => "photo",
            Step::When(_) => "when",
            Step::Otherwise(_) => "otherwise",
            Step::Whenever(_) => "whenever",
            Step::AsLongAs(_) => "as_long_as",
            Step::Until(_) => "until",
        }
    }

    /// Returns the keyword of the time, and the reaction, of a step with an event.
    #[must_use]
    pub const fn reaction(&self) -> Option<(&'static str, &Reaction)> {
        match self {
            Step::When(reaction) => Some(("within", reaction)),
            Step::Whenever(reaction) => Some(("seconds", reaction)),
            Step::AsLongAs(reaction) | Step::Until(reaction) => Some(("at_most", reaction)),
            _ => None,
        }
    }

    /// Returns how many steps it is: itself, and those inside.
    #[must_use]
    pub fn count(&self) -> usize {
        1 + self.inner().iter().map(Step::count).sum::<usize>()
    }

    /// Returns the steps inside this one.
    #[must_use]
    pub fn inner(&self) -> &[Step] {
        match self {
            Step::Repeat { steps, .. }
            | Step::Together(steps)
            | Step::Sequence(steps)
            | Step::Otherwise(steps) => steps,
            _ => self.reaction().map_or(&[], |(_, reaction)| &reaction.steps),
        }
    }
}
