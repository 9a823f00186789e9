//! What a word or phrase can mean, whatever its language.

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
    /// "without", "but don't".
    Without,
    /// "keep still".
    Still,
    /// "only".
    Only,
    /// "no, I mean".
    Correction,
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
    /// "otherwise".
    Otherwise,
    /// "until".
    Until,
    /// "until I say stop".
    UntilStop,
    /// Somebody else, of whom something is told.
    Somebody,
    /// What the robot cannot do.
    Cannot,
    /// "stop", of all that goes on.
    Halt,
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

/// Returns the concepts that a key of a lexicon names: several where a word means several things, "look up".
#[must_use]
pub fn concepts(key: &str) -> Option<Vec<Concept>> {
    key.split(' ').map(concept).collect()
}

#[expect(clippy::too_many_lines, reason = "a table")]
fn concept(key: &str) -> Option<Concept> {
    use Concept as C;
    if let Some((kind, value)) = key.split_once(':') {
        let number: f64 = value.parse().ok()?;
        return Some(match kind {
            "number" => C::Number(number),
            "count" => C::Count(number as u32),
            "size" => C::Size(number),
            "pace" => C::Pace(number),
            "angle" => C::Unit(Unit::Angle(number)),
            "length" => C::Unit(Unit::Length(number)),
            "time" => C::Unit(Unit::Time(number)),
            _ => return None,
        });
    }
    Some(match key {
        "nod" => C::Act(Act::Nod),
        "shake" => C::Act(Act::Shake),
        "bow" => C::Act(Act::Bow),
        "wiggle" => C::Act(Act::Wiggle),
        "wave" => C::Act(Act::Wave),
        "look" => C::Act(Act::Look),
        "turn" => C::Act(Act::Turn),
        "tilt" => C::Act(Act::Tilt),
        "move" => C::Act(Act::Move),
        "raise" => C::Act(Act::Raise),
        "lower" => C::Act(Act::Lower),
        "lean" => C::Act(Act::Lean),
        "spread" => C::Act(Act::Spread),
        "close" => C::Act(Act::Close),
        "sway" => C::Act(Act::Sway),
        "scan" => C::Act(Act::Scan),
        "circle" => C::Act(Act::Circle),
        "dance" => C::Act(Act::Dance),
        "wait" => C::Act(Act::Wait),
        "hold" => C::Act(Act::Hold),
        "center" => C::Act(Act::Center),
        "return" => C::Act(Act::Return),
        "wake" => C::Act(Act::Wake),
        "sleep" => C::Act(Act::Sleep),
        "happy" => C::Act(Act::Happy),
        "sad" => C::Act(Act::Sad),
        "curious" => C::Act(Act::Curious),
        "surprised" => C::Act(Act::Surprised),
        "tired" => C::Act(Act::Tired),
        "sound" => C::Act(Act::Sound),
        "head" => C::Part(Part::Head),
        "body" => C::Part(Part::Body),
        "antenna" => C::Part(Part::Antenna),
        "antennas" => C::Part(Part::Antennas),
        "left_antenna" => C::Part(Part::LeftAntenna),
        "right_antenna" => C::Part(Part::RightAntenna),
        "other" => C::Part(Part::Other),
        "left" => C::Way(Way::Left),
        "right" => C::Way(Way::Right),
        "up" => C::Way(Way::Up),
        "down" => C::Way(Way::Down),
        "forward" => C::Way(Way::Forward),
        "backward" => C::Way(Way::Back),
        "out" => C::Way(Way::Out),
        "in_way" => C::Way(Way::In),
        "ahead" => C::Way(Way::Ahead),
        "aside" => C::Way(Way::Aside),
        "sides" => C::Way(Way::Sides),
        "opposite" => C::Way(Way::Opposite),
        "times" => C::Times,
        "most" => C::Most,
        "bigger" => C::More(Compared::Bigger),
        "smaller" => C::More(Compared::Smaller),
        "faster" => C::More(Compared::Faster),
        "slower" => C::More(Compared::Slower),
        "longer" => C::More(Compared::Longer),
        "shorter" => C::More(Compared::Shorter),
        "and" => C::And,
        "then" => C::Then,
        "first" => C::First,
        "last" => C::Last,
        "while" => C::While,
        "together" => C::Together,
        "with" => C::With,
        "in_turn" => C::InTurn,
        "before" => C::Before,
        "after" => C::After,
        "not" => C::Not,
        "without" => C::Without,
        "still" => C::Still,
        "only" => C::Only,
        "correction" => C::Correction,
        "instead" => C::Instead,
        "again" => C::Again,
        "as_well" => C::AsWell,
        "same" => C::Same,
        "it" => C::It,
        "undo" => C::Undo,
        "stay" => C::Stay,
        "for" => C::For,
        "in" => C::In,
        "every" => C::Every,
        "if_face" => C::If(Event::Face),
        "if_touch" => C::If(Event::Touch),
        "if_clap" => C::If(Event::Clap),
        "if_voice" => C::If(Event::Voice),
        "otherwise" => C::Otherwise,
        "until" => C::Until,
        "until_stop" => C::UntilStop,
        "somebody" => C::Somebody,
        "cannot" => C::Cannot,
        "halt" => C::Halt,
        "skip" => C::Skip,
        "comma" => C::Comma,
        "stop" => C::Stop,
        _ => return None,
    })
}
