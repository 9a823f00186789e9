//! What words mean, before it is known what they are said of.

use std::ops::Range;

use minismith_score::Event;

/// The course of a gesture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// To a posture, where it stays.
    Go,
    /// Out and back to where it began.
    Beat,
    /// To one side and to the other, and at the end back to where it began.
    Sway,
}

/// How a verb's direction chooses an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Pitch,
    Turn,
    Tilt,
    Lean,
    Look,
    Rise,
    Shift,
    Wiggle,
    Move,
}

/// A part of the robot as a request names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PartRef {
    Head,
    /// The head, where up and down are a change of its pitch.
    Chin,
    Body,
    LeftAntenna,
    RightAntenna,
    BothAntennas,
    /// The left or right one of what was named before.
    LeftOne,
    RightOne,
    /// Both antennas, after one or both were named.
    BothOnes,
    /// The antenna that was not named before.
    Other,
    /// The side that was not named before.
    OtherSide,
}

/// A direction as a request names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dir {
    Left,
    Right,
    Up,
    Down,
    Forward,
    Back,
    Out,
    In,
    /// Of an antenna: upright.
    Straight,
    /// To both sides.
    Sides,
}

impl Dir {
    pub(crate) const fn opposite(self) -> Dir {
        match self {
            Dir::Left => Dir::Right,
            Dir::Right => Dir::Left,
            Dir::Up => Dir::Down,
            Dir::Down => Dir::Up,
            Dir::Forward => Dir::Back,
            Dir::Back => Dir::Forward,
            Dir::Out => Dir::In,
            Dir::In => Dir::Out,
            Dir::Straight => Dir::Straight,
            Dir::Sides => Dir::Sides,
        }
    }

    pub(crate) const fn word(self) -> &'static str {
        match self {
            Dir::Left => "left",
            Dir::Right => "right",
            Dir::Up => "up",
            Dir::Down => "down",
            Dir::Forward => "forward",
            Dir::Back => "back",
            Dir::Out => "outward",
            Dir::In => "inward",
            Dir::Straight => "upright",
            Dir::Sides => "from side to side",
        }
    }
}

/// The unit of an amount. Lengths are converted to millimetres and times to seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Degrees,
    Millimetres,
    Seconds,
}

/// How something is done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Manner {
    /// A factor of the durations.
    Pace(f64),
    /// A factor of the usual size.
    Size(f64),
    /// A factor of the size before.
    Further(f64),
    /// The largest size.
    Full,
}

/// How the rounds of a repetition differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Growth {
    Bigger,
    Smaller,
    Faster,
    Slower,
}

/// What a parameter sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Times,
    Size,
    Speed,
    Seconds,
    Degrees,
    Millimetres,
    /// How far: degrees, or millimetres where the head shifts.
    Distance,
}

/// A verb with everything that is usual for it.
#[derive(Debug)]
pub(crate) struct Verb {
    /// The words, in their base form.
    pub words: &'static [&'static str],
    pub shape: Shape,
    pub mode: Mode,
    /// The part, if the request names none.
    pub part: Option<PartRef>,
    /// The direction, if the request names none.
    pub dir: Option<Dir>,
    /// The size in degrees or millimetres; none is the axis' usual size.
    pub size: Option<f64>,
    /// How often, if the request does not say.
    pub count: u32,
    /// How long it stays away, seconds.
    pub hold: Option<f64>,
    /// A factor of the durations.
    pub pace: f64,
    /// Whether a direction makes a posture of it.
    pub directed_go: bool,
    /// Whether it is also a noun with a plural: "two nods".
    pub is_gesture_noun: bool,
}

impl Verb {
    pub(crate) fn name(&self) -> &'static str {
        self.words.first().copied().unwrap_or("move")
    }
}

/// An emotion, a greeting or another named gesture, as steps in the language of motion.
#[derive(Debug)]
pub(crate) struct Feeling {
    /// The words that name it.
    pub words: &'static [&'static str],
    /// Completes "looks ...".
    pub name: &'static str,
    /// The arguments of `perform`, after the robot.
    pub steps: &'static str,
}

/// How a condition acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trigger {
    When,
    Whenever,
    AsLongAs,
    Until,
    /// "listens for a clap": the time in which the event may come.
    Listen,
}

/// What a word or phrase means.
#[derive(Clone, Debug)]
pub(crate) enum Tag {
    Verb(&'static Verb),
    Feeling(&'static Feeling),
    /// An entry of the library, by its index.
    Known(usize),
    Part(PartRef),
    Dir(Dir),
    Amount(f64, Unit),
    Number(f64),
    /// "By the same amount": as far as the motion before.
    SameSize,
    Count(u32),
    /// To a posture in so many steps.
    Stages(u32),
    Beats(u32),
    /// Seconds for each repetition.
    Rate(f64),
    /// Seconds for each beat.
    Tempo(f64),
    /// A parameter in the place of a number.
    Param(Role),
    Manner(Manner),
    Grow(Growth),
    Return,
    /// "When it is back up": a return, and then.
    OnceBack,
    Home,
    Hold,
    StayThere,
    Pause,
    Still,
    Without,
    Only,
    NothingElse,
    Pronoun,
    Again,
    /// One repetition more.
    OnceMore,
    RepeatAll,
    /// "Altogether": the count is of all that was told.
    InAll,
    Sound,
    Photo,
    /// An official move of the robot.
    Play(&'static str),
    Circle,
    Dance,
    Condition(Trigger, Event),
    /// If the event of the condition does not come.
    Otherwise,
    /// What no step can do; completes "the language of motion cannot".
    Cannot(&'static str),
    /// What the robot can't do, with the reason.
    Impossible(&'static str),
    And,
    Comma,
    Stop,
    Colon,
    /// "By lowering the head": how what stands before is done.
    Means,
    /// The end of a question that the next sentence tells once more.
    Retold,
    Then,
    First,
    Last,
    /// Before what was said last.
    Prior,
    /// Before all that was said.
    PriorAll,
    Before,
    After,
    While,
    With,
    Same,
    Throughout,
    Alternate,
    Between,
    Each,
    Reach,
    For,
    Over,
    By,
    Per,
    Filler,
    Unknown,
}

/// A tag with its place in the request, bytes.
#[derive(Clone, Debug)]
pub(crate) struct Tagged {
    pub tag: Tag,
    pub span: Range<usize>,
}
