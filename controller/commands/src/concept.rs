//! What a word or phrase can mean, whatever its language.

use std::ops::Range;

use minismith_score::Event;

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Act {
    /// Down and up with the head.
    Nod,
    /// Left and right with the head.
    Shake,
    /// Down, a moment, and up.
    Bow,
    /// The antennas out and back, or the head from side to side.
    Wiggle,
    /// A wave with an antenna.
    Wave,
    /// The head or gaze goes somewhere.
    Look,
    /// Head or body turns.
    Turn,
    /// An ear to a shoulder.
    Tilt,
    /// A part goes somewhere; the direction tells how.
    Move,
    /// The head goes somewhere without turning.
    Shift,
    /// A part goes up.
    Raise,
    /// A part goes down.
    Lower,
    /// The head comes nearer, or goes back.
    Lean,
    /// The antennas go apart.
    Spread,
    /// The antennas cross.
    Close,
    /// From side to side with head or body.
    Sway,
    /// A look around.
    Scan,
    /// The head in a circle.
    Circle,
    /// A dance.
    Dance,
    /// Nothing moves for a time.
    Wait,
    /// A posture is kept for a time.
    Hold,
    /// Everything to neutral.
    Center,
    /// Back to where it was.
    Return,
    /// The robot wakes up.
    Wake,
    /// The robot goes to sleep.
    Sleep,
    /// Shows joy.
    Happy,
    /// Shows sadness.
    Sad,
    /// Shows curiosity.
    Curious,
    /// Shows surprise.
    Surprised,
    /// Shows tiredness.
    Tired,
    /// Makes a sound.
    Sound,
}

/// A part of the robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// The head.
    Head,
    /// The chin or the nose: raised or lowered, it pitches the head.
    Chin,
    /// The body.
    Body,
    /// One antenna of which the side is said beside it, or both if none is said.
    Antenna,
    /// Both antennas.
    Antennas,
    /// The left antenna.
    LeftAntenna,
    /// The right antenna.
    RightAntenna,
    /// The one that was not named before.
    Other,
    /// The left one: an antenna if antennas were named, else the left side.
    LeftOne,
    /// The right one.
    RightOne,
    /// Both of those that were named.
    Both,
}

/// A direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Way {
    /// To the robot's left.
    Left,
    /// To the robot's right.
    Right,
    /// Up.
    Up,
    /// Down.
    Down,
    /// Ahead of the robot.
    Forward,
    /// Behind it.
    Back,
    /// Away from the head.
    Out,
    /// Towards the head.
    In,
    /// Straight ahead and level.
    Ahead,
    /// To a side that is not said.
    Aside,
    /// To one side and the other.
    Sides,
    /// To the side opposite to the last one.
    Opposite,
}

/// The unit of an amount; the factor converts to degrees, millimetres or seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Unit {
    /// An angle, degrees in one of it.
    Angle(f64),
    /// A length, millimetres in one of it.
    Length(f64),
    /// A time, seconds in one of it.
    Time(f64),
}

/// What a word or phrase means.
#[derive(Clone, Debug, PartialEq)]
pub enum Concept {
    /// What is done.
    Act(Act),
    /// With what.
    Part(Part),
    /// Where to.
    Way(Way),
    /// A number.
    Number(f64),
    /// A unit.
    Unit(Unit),
    /// A number of times: "twice".
    Count(u32),
    /// "times", after a number.
    Times,
    /// A factor of the usual size: "a bit", "far".
    Size(f64),
    /// As far as possible.
    Most,
    /// A factor of the duration: "slowly".
    Pace(f64),
    /// A comparison with what was done before: "a bit further", "slower".
    More(Compared),
    /// "and".
    And,
    /// "then".
    Then,
    /// "first".
    First,
    /// "finally".
    Last,
    /// "while", "at the same time".
    While,
    /// "at the same time", after what it joins.
    Together,
    /// "with".
    With,
    /// "one after the other".
    InTurn,
    /// "before".
    Before,
    /// "after".
    After,
    /// "not".
    Not,
    /// "not", after the verb that it negates.
    NotVerb,
    /// "without", "but don't".
    Without,
    /// "keep still".
    Still,
    /// "only".
    Only,
    /// "no, I mean".
    Correction,
    /// A correction that takes back what was said, also if nothing follows: "no, wait".
    TakenBack,
    /// "instead".
    Instead,
    /// "again".
    Again,
    /// "as well", "too".
    AsWell,
    /// "the same".
    Same,
    /// "it", "them".
    It,
    /// "both of those": the last two motions.
    BothTurns,
    /// "in the other order".
    OtherOrder,
    /// "plus".
    Plus,
    /// "if so".
    IfSo,
    /// "from now", after a time.
    FromNow,
    /// "undo".
    Undo,
    /// "stay there".
    Stay,
    /// "for", before a time.
    For,
    /// "in", before a time.
    In,
    /// "every", "per".
    Every,
    /// "if", "when", with an event.
    If(Event),
    /// "if", "when"; what follows up to a comma or a verb is the condition.
    When,
    /// "unless".
    Unless,
    /// What a condition asks for: a face, a clap.
    Signal(Event),
    /// "nobody", in a condition.
    Nobody,
    /// "could you", "I want you to": what follows is asked of the robot, whatever was told before.
    Request,
    /// "how", "what", "are you": a question, which moves nothing.
    Asks,
    /// The following verb is in the past or a participle: "nodded".
    Past,
    /// The following verb is in the third person, or a plural noun: "nods".
    Third,
    /// "a", "your": a noun follows, perhaps after an adjective.
    Article,
    /// "at", "to": somebody or something follows.
    To,
    /// "like a": what follows is only compared.
    Like,
    /// "To that same side": the one that was named last in this text.
    SameSide,
    /// "Away from it": the other one.
    OtherSide,
    /// "taking": the time beside it is how long it takes.
    Taking,
    /// "back a bit": backwards after a verb that shifts the head, otherwise less far.
    BackABit,
    /// "over": before a time, how long it takes.
    Over,
    /// "wonder", "grateful": a word of a request that is put in the speaker's own way.
    Courtesy,
    /// "fewer": after a number, so many less than before.
    Fewer,
    /// "than the last one": what is compared before it changes from one repetition to the next.
    ThanLast,
    /// "more" or "then", by what stands around it.
    MoreOrThen,
    /// The phrase means what follows only where the text says nothing else: "not twice" for "nod twice".
    Alone,
    /// "or": one of two, or both of what is not to be done.
    Or,
    /// "stop", if the text says nothing else.
    StopOrderAlone,
    /// "hey": a name may follow.
    Call,
    /// "okay", "anyway": something new begins.
    Restart,
    /// "because", "so that": a reason follows, which moves nothing.
    Because,
    /// "with each of them": what follows happens at each repetition.
    EachTime,
    /// "in between": a pause between repetitions.
    Between,
    /// "forget the": what follows is taken out again.
    Cancel,
    /// "twice as", "half as": a factor of what a comparison names.
    Factor(f64),
    /// "faster and faster": from one repetition to the next.
    Trend(Compared),
    /// "point", between the digits of a number.
    Decimal,
    /// "otherwise".
    Otherwise,
    /// "until".
    Until,
    /// "until I say stop".
    UntilStop,
    /// "until I say": the following word ends it, whatever it is.
    UntilSaid,
    /// "later": then, or at a time that nobody knows.
    Later,
    /// Somebody else, or "I", of whom something is told.
    Somebody,
    /// What the robot cannot do.
    Cannot,
    /// "stop", of all that goes on.
    StopOrder,
    /// Nothing of importance.
    Skip,
    /// A comma.
    Comma,
    /// The end of a sentence.
    Stop,
    /// A question mark.
    Question,
    /// Not understood.
    Unknown,
}

/// A concept with its place in the text, bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Tag {
    /// What it means.
    pub concept: Concept,
    /// Where it stands.
    pub span: Range<usize>,
}

/// A comparison with what was done before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compared {
    /// Further, bigger.
    Bigger,
    /// Less far, smaller.
    Smaller,
    /// Faster.
    Faster,
    /// Slower.
    Slower,
    /// Longer.
    Longer,
    /// Shorter.
    Shorter,
}

/// Returns whether an act shows a feeling.
pub(crate) const fn is_feeling(act: Act) -> bool {
    matches!(act, Act::Happy | Act::Sad | Act::Curious | Act::Surprised | Act::Tired)
}

/// Returns whether an act leaves the robot in a posture.
pub(crate) const fn is_posture(act: Act) -> bool {
    matches!(
        act,
        Act::Look
            | Act::Turn
            | Act::Tilt
            | Act::Move
            | Act::Shift
            | Act::Raise
            | Act::Lower
            | Act::Lean
            | Act::Spread
            | Act::Close
            | Act::Hold
    )
}
