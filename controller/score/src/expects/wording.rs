//! What was expected and measured, in words.

use std::fmt::{self, Display, Formatter};

use super::{Action, End, Expect, Measured};
use crate::axis::{Axis, Direction};
use crate::text::{join_and, rounded, times};

/// A measurement that the summary combines with others.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Finding {
    /// How far an axis went.
    Reach { axis: Axis, direction: Direction, amount: f64, comes_back: bool },
    /// How often an axis swung.
    Swings { axis: Axis, direction: Option<Direction>, count: usize },
    /// How much axes moved that should be still, and which of them most.
    Still { axes: Vec<Axis>, most: Axis, amount: f64 },
}

impl Finding {
    /// Returns the sentence for people.
    pub(super) fn describe(&self) -> String {
        match self {
            Finding::Reach { axis, direction, amount, comes_back } => {
                let back = if *comes_back { " and back" } else { "" };
                format!("{}{back}", reach(*axis, *direction, &amount_text(*amount)))
            }
            Finding::Swings { axis, direction, count } => swings(*axis, *direction, *count),
            Finding::Still { axes, most, amount } => {
                format!("{} moved by at most {}", name_axes(axes), with_unit(&[*most], *amount))
            }
        }
    }
}

/// Returns a measured amount: without a fraction from 10 on, where it says nothing.
pub(super) fn amount_text(amount: f64) -> String {
    rounded(if amount.abs() >= 10.0 { amount.round() } else { amount })
}

/// Returns an amount with the unit of the axes: "0.3 degrees".
pub(super) fn with_unit(axes: &[Axis], amount: f64) -> String {
    let unit = match (axes.iter().all(|axis| axis.is_shift()), axes.iter().any(|axis| axis.is_shift())) {
        (true, _) => "mm",
        (false, true) => "degrees or mm",
        (false, false) => "degrees",
    };
    format!("{} {unit}", rounded(amount))
}

/// Returns what an axis does: "left antenna 62 degrees outward".
pub(super) fn reach(axis: Axis, direction: Direction, amount: &str) -> String {
    let (name, verb) = match axis {
        Axis::HeadTilt => ("head", "tilted "),
        Axis::AntennaLeft | Axis::AntennaRight | Axis::BodyTurn => (axis.title(), ""),
        _ => ("head", ""),
    };
    format!("{name} {verb}{amount} {} {}", axis.unit(), direction.word())
}

/// Returns how often an axis swings: "2 swings of the left antenna outward".
pub(super) fn swings(axis: Axis, direction: Option<Direction>, count: usize) -> String {
    let text = swings_of(axis, direction);
    if count == 1 { format!("1 {}", text.replacen("swings", "swing", 1)) } else { format!("{count} {text}") }
}

/// Returns "swings of the left antenna outward".
pub(super) fn swings_of(axis: Axis, direction: Option<Direction>) -> String {
    let to = direction.map(|direction| format!(" {}", direction.word())).unwrap_or_default();
    format!("swings of the {}{to}", axis.title())
}

/// Returns the names of axes, with "head" for all axes of the head and "antennas" for both.
pub(super) fn name_axes(axes: &[Axis]) -> String {
    let has_all = |group: &[Axis]| group.iter().all(|axis| axes.contains(axis));
    if has_all(&Axis::ALL) {
        return "everything".to_owned();
    }
    let (head, antennas) = (has_all(&Axis::HEAD), has_all(&Axis::ANTENNAS));
    let mut names = Vec::new();
    if head {
        names.push("head".to_owned());
    }
    let is_left =
        |axis: &&Axis| !(head && Axis::HEAD.contains(axis) || antennas && Axis::ANTENNAS.contains(axis));
    names.extend(axes.iter().filter(is_left).map(|axis| axis.title().to_owned()));
    if antennas {
        names.push("antennas".to_owned());
    }
    join_and(&names)
}

/// Returns an action: "left antenna outward", "sound".
pub(super) fn action(action: &Action) -> String {
    match action {
        Action::Move { axes, direction, back } => {
            let to = direction.map(|direction| format!(" {}", direction.word())).unwrap_or_default();
            let back = if *back { " back" } else { "" };
            format!("{}{to}{back}", name_axes(axes))
        }
        Action::Sound => "sound".to_owned(),
        Action::Photo => "photo".to_owned(),
        Action::Event(event) => event.describe(),
    }
}

pub(super) fn actions(actions: &[Action]) -> Vec<String> {
    actions.iter().map(action).collect()
}

pub(super) fn seconds(seconds: f64) -> String {
    let number = rounded(seconds);
    if number == "1" { "1 second".to_owned() } else { format!("{number} seconds") }
}

pub(super) fn no_direction(axis: Axis, direction: Direction) -> String {
    let [one, other] = axis.directions();
    format!("the {} moves {} or {}, not {}", axis.title(), one.word(), other.word(), direction.word())
}

/// How the measurement of an expectation without a call begins.
const NOT_MEASURED: &str = "not measured: ";
/// How the measurement begins if a likely expectation does not hold.
const NOT_SHOWN: &str = "not shown: ";

impl Display for Measured {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "expected {}, measured {}", self.expected, self.measured)
    }
}

impl Measured {
    /// Returns whether the measurement decides: there was a call on which the expectation could be measured, and if it
    /// does not hold, the motion differs from what was certainly asked for.
    #[must_use]
    pub fn is_measured(&self) -> bool {
        !self.measured.starts_with(NOT_MEASURED) && !self.measured.starts_with(NOT_SHOWN)
    }

    /// Returns the measurement of a likely expectation: if it does not hold, it is only not shown.
    pub(super) fn or_not_shown(self) -> Self {
        if self.held || !self.is_measured() {
            return self;
        }
        Measured { measured: format!("{NOT_SHOWN}{}", self.measured), ..self }
    }
}

/// Returns the measurement of an expectation that has no trace.
pub(super) fn not_measured(expect: &Expect, why: &str) -> Measured {
    Measured {
        held: false,
        expected: expected(expect),
        measured: format!("{NOT_MEASURED}{why}"),
        at_s: None,
        findings: Vec::new(),
    }
}

/// Returns an expectation in words.
pub(super) fn expected(expect: &Expect) -> String {
    match expect {
        Expect::Moves { axis, direction, at_least, at_most } => {
            let amount = match at_most {
                Some(at_most) => format!("{} to {}", rounded(*at_least), rounded(*at_most)),
                None => format!("at least {}", rounded(*at_least)),
            };
            match direction {
                Some(direction) => reach(*axis, *direction, &amount),
                None => format!("{} {amount} {} to any side", axis.title(), axis.unit()),
            }
        }
        Expect::Still { axes, within } => {
            format!("{} still (within {})", name_axes(axes), with_unit(axes, *within))
        }
        Expect::Swings { axis, direction, count, at_least, at_most } => {
            let number = match (count, at_least, at_most) {
                (Some(count), ..) => return swings(*axis, *direction, *count),
                (None, Some(low), Some(high)) => format!("{low} to {high}"),
                (None, Some(low), None) => format!("at least {low}"),
                (None, None, Some(high)) => format!("at most {high}"),
                (None, None, None) => "any number of".to_owned(),
            };
            format!("{number} {}", swings_of(*axis, *direction))
        }
        Expect::Alternates { axes } => {
            format!("{} in turn", join_and(&axes.map(|axis| axis.title().to_owned())))
        }
        Expect::Order { actions: list } => format!("in this order: {}", actions(list).join(", ")),
        Expect::Together { actions: list } => format!("{} at the same time", join_and(&actions(list))),
        Expect::Apart { actions: list } => format!("{} never at the same time", join_and(&actions(list))),
        Expect::Holds { axis, direction, seconds: time } => {
            format!("{} held for at least {}", action(&Action::of(*axis, *direction)), seconds(*time))
        }
        Expect::Ends { at: End::Neutral } => "ends in neutral".to_owned(),
        Expect::Ends { at: End::Axis { axis, direction, amount } } => {
            format!("ends with {}", reach(*axis, *direction, &rounded(*amount)))
        }
        Expect::Duration { at_least, at_most } => match (at_least, at_most) {
            (Some(low), Some(high)) => format!("takes {} to {}", rounded(*low), seconds(*high)),
            (Some(low), None) => format!("takes at least {}", seconds(*low)),
            (None, Some(high)) => format!("takes at most {}", seconds(*high)),
            (None, None) => "takes any time".to_owned(),
        },
        Expect::Period { axis, seconds: time, tolerance } => {
            format!(
                "a swing of the {} every {} (within {})",
                axis.title(),
                seconds(*time),
                seconds(*tolerance)
            )
        }
        Expect::Pauses { seconds: time } => format!("a pause of at least {}", seconds(*time)),
        Expect::Grows { axis, direction } => format!("{} grow", swings_of(*axis, *direction)),
        Expect::Shrinks { axis, direction } => format!("{} shrink", swings_of(*axis, *direction)),
        Expect::Quicker { axis } => format!("{} become quicker", swings_of(*axis, None)),
        Expect::Slower { axis } => format!("{} become slower", swings_of(*axis, None)),
        Expect::Reacts { event, within, axis } => {
            let what = axis.map_or("something moves", Axis::title);
            let verb = if axis.is_some() { " moves" } else { "" };
            format!("{what}{verb} within {} of {}", seconds(*within), event.describe())
        }
        Expect::QuietWithout { event } => format!("nothing moves without {}", event.describe()),
        Expect::Sounds { count } => format!("sounds: {}", times(*count)),
        Expect::Photos { count } => format!("photos: {}", times(*count)),
        Expect::Without { event, expect } => format!("without {}: {}", event.describe(), expected(expect)),
        Expect::Parameter { name, value, expect } => format!("with {name} = {value}: {}", expected(expect)),
        Expect::Either { of } => {
            let lists = of.iter().map(|list| join_and(&list.iter().map(expected).collect::<Vec<_>>()));
            lists.collect::<Vec<_>>().join(", or ")
        }
        Expect::Likely { expect } => expected(expect),
    }
}
