//! What a stretch of a request can mean.

use minismith_score::Event;

use crate::lexicon::Verb;

/// A part of the robot as a person names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PartName {
    Head,
    /// The chin, which only goes up and down.
    Chin,
    /// One antenna, of which the side may stand beside it.
    Antenna,
    Antennas,
    Body,
    Everything,
    /// "The other one".
    Other,
}

/// A direction in a person's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Left,
    Right,
    Up,
    Down,
    Forward,
    Back,
    Out,
    In,
    Around,
}

/// How a clause is linked to the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Link {
    Start,
    Comma,
    Stop,
    Colon,
    And,
    Then,
    /// While, as.
    While,
    Before,
    After,
    With,
    Without,
    But,
}

/// How an event starts or ends something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trigger {
    When,
    Whenever,
    Until,
}

/// What a parameter changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Times,
    Degrees,
    /// How far: degrees, or millimetres where the head shifts.
    Distance,
    Seconds,
    Speed,
    Size,
}

/// A bound of an amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    About,
    AtLeast,
    AtMost,
}

/// How successive swings change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Grows,
    Shrinks,
    Faster,
    Slower,
}

/// What a stretch of the request means.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Meaning {
    Frame,
    Manner,
    Unknown,
    Link(Link),
    Part(PartName),
    /// "Both", which makes one antenna two.
    Both,
    /// "Each", "every".
    Each,
    Way(Way),
    Verb {
        verb: Verb,
        is_participle: bool,
    },
    /// So many times.
    Count(f64),
    /// More than once, but how often is open.
    Several,
    /// A number without a unit.
    Bare(f64),
    /// An article, which counts in "a nod".
    Article,
    Again,
    Another,
    /// All that was said, so many times: "the same once more".
    Encore(f64),
    Size {
        amount: f64,
        is_shift: bool,
    },
    /// "By the same amount": as far as the motion before.
    SameSize,
    Small,
    Large,
    Bound(Bound),
    More,
    Less,
    Change(Change),
    /// "Faster", which compares with another motion unless it stands with "each time".
    Comparative(Change),
    /// So many times the size before: "twice as high".
    Scale(f64),
    /// "One ear after the other".
    EarsInTurn,
    /// What follows only describes: "as if you agreed".
    AsIf,
    EachTime,
    /// "In that order".
    InOrder,
    /// "From", before a direction: the directions that follow come in their order.
    From,
    /// "The whole time".
    Throughout,
    Seconds(f64),
    Over,
    For,
    Period(f64),
    Slow,
    Fast,
    Only,
    Not,
    Nothing,
    /// Still, motionless.
    Still,
    There,
    BackForth,
    UpDown,
    BackAgain,
    /// "To the middle", "to normal".
    Neutral,
    Upright,
    Together,
    Alternate,
    Apart,
    First,
    Last,
    Between,
    Trigger(Trigger),
    Event(Event),
    /// See, notice, hear: an event may follow.
    Perceive,
    /// "Let me choose", "that I give".
    Choose,
    Role(Role),
    Yes,
    No,
    It,
}
