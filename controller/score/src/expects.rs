//! What a motion must do, as data, and whether it did, measured on a trace.
//!
//! Reading order: [`Expect`] is one expectation, `motion` finds the movements in a noisy trace, `measure` compares, and
//! [`summary`] tells a person.

mod measure;
mod motion;
mod summary;
mod wording;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::axis::{Axis, Direction};
use crate::score::Event;
use crate::trace::MotionTrace;

use self::measure::measure_in;
use self::motion::Motion;
pub use self::summary::summary;
use self::wording::Finding;

/// One expectation about a measured motion. Amounts are degrees, or millimetres for shifts; times are seconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Expect {
    /// An axis moves, and its furthest value in a direction is within the bounds. The value counts from where the axis
    /// was at the start, or else from straight ahead or upright.
    Moves {
        /// The axis.
        axis: Axis,
        /// The direction; none is any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        direction: Option<Direction>,
        /// The least amount; with 0 the axis need not move.
        at_least: f64,
        /// The largest amount.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at_most: Option<f64>,
    },
    /// Axes stay where they were at the start.
    Still {
        /// The axes.
        axes: Vec<Axis>,
        /// The largest deviation.
        within: f64,
    },
    /// An axis swings so many times: out in the direction and at least partly back. Without a direction, a swing to one
    /// side and the other is one.
    Swings {
        /// The axis.
        axis: Axis,
        /// The direction.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        direction: Option<Direction>,
        /// The number of swings.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        count: Option<usize>,
        /// The least number of swings.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at_least: Option<usize>,
        /// The largest number of swings.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at_most: Option<usize>,
    },
    /// Actions begin one after another: each after the one before has moved.
    Order {
        /// The actions in their order.
        actions: Vec<Action>,
    },
    /// Actions happen at the same time.
    Together {
        /// The actions.
        actions: Vec<Action>,
    },
    /// No two of these actions happen at the same time.
    Apart {
        /// The actions.
        actions: Vec<Action>,
    },
    /// Two axes swing in turn.
    Alternates {
        /// The two axes.
        axes: [Axis; 2],
    },
    /// An axis stays at its furthest value in a direction.
    Holds {
        /// The axis.
        axis: Axis,
        /// The direction; none is the one in which it goes furthest.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        direction: Option<Direction>,
        /// The least time.
        seconds: f64,
    },
    /// Where the motion ends.
    Ends {
        /// The place.
        at: End,
    },
    /// How long the motion takes, from the start of the call to the end of the last movement or of the call.
    Duration {
        /// The least time.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at_least: Option<f64>,
        /// The largest time.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at_most: Option<f64>,
    },
    /// The time from one swing of an axis to the next, by the median.
    Period {
        /// The axis.
        axis: Axis,
        /// The time.
        seconds: f64,
        /// The largest deviation from it.
        tolerance: f64,
    },
    /// Between two movements, everything is still for at least this time.
    Pauses {
        /// The time.
        seconds: f64,
    },
    /// The swings of an axis become larger.
    Grows {
        /// The axis.
        axis: Axis,
        /// The direction of the swings; none is the one of the largest.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        direction: Option<Direction>,
    },
    /// The swings of an axis become smaller.
    Shrinks {
        /// The axis.
        axis: Axis,
        /// The direction of the swings; none is the one of the largest.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        direction: Option<Direction>,
    },
    /// The swings of an axis follow each other in ever less time.
    Quicker {
        /// The axis.
        axis: Axis,
    },
    /// The swings of an axis follow each other in ever more time.
    Slower {
        /// The axis.
        axis: Axis,
    },
    /// When an event begins, a movement begins soon after.
    Reacts {
        /// The event.
        event: Event,
        /// The largest time between them.
        within: f64,
        /// The axis that moves; none is any axis or a sound.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        axis: Option<Axis>,
    },
    /// Nothing moves and nothing sounds before an event begins, nor without it.
    QuietWithout {
        /// The event.
        event: Event,
    },
    /// So many sounds are played.
    Sounds {
        /// The number.
        count: usize,
    },
    /// So many photos are taken.
    Photos {
        /// The number.
        count: usize,
    },
    /// In a call with another value of a parameter, something else is expected.
    Parameter {
        /// The name of the parameter.
        name: String,
        /// Its value.
        value: f64,
        /// The expectation for that call; not one about a parameter.
        expect: Box<Expect>,
    },
    /// In a call without the event, something else is expected.
    Without {
        /// The event.
        event: Event,
        /// The expectation for that call; not one about a parameter or another call without an event.
        expect: Box<Expect>,
    },
    /// All expectations of one of these lists.
    Either {
        /// The lists; none of them contains another choice.
        of: Vec<Vec<Expect>>,
    },
    /// What a request most likely means, though it can mean something else. A motion without it is not shown to be right,
    /// and not shown to be wrong either.
    Likely {
        /// The expectation; not a likely one itself.
        expect: Box<Expect>,
    },
}

/// Something that happens in the course of a motion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Action {
    /// One of the axes moves.
    Move {
        /// The axes.
        axes: Vec<Axis>,
        /// The direction; none is any movement.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        direction: Option<Direction>,
        /// Whether it is the way back to where the axis was at the start. Without this, a movement in a direction is not
        /// a way back.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        back: bool,
    },
    /// A sound begins.
    Sound,
    /// A photo is taken.
    Photo,
    /// An event begins.
    Event(Event),
}

impl Action {
    /// A movement of one axis.
    #[must_use]
    pub fn of(axis: Axis, direction: Option<Direction>) -> Self {
        Action::Move { axes: vec![axis], direction, back: false }
    }
}

/// Where a motion ends.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum End {
    /// All axes are neutral.
    Neutral,
    /// One axis has a value.
    Axis {
        /// The axis.
        axis: Axis,
        /// The direction.
        direction: Direction,
        /// The amount.
        amount: f64,
    },
}

/// A list of expectations.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Expects(pub Vec<Expect>);

/// What was measured of one expectation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// Whether the motion does what was expected.
    pub held: bool,
    /// What was expected, for people: "left antenna at least 55 degrees outward".
    pub expected: String,
    /// What was measured, for people: "left antenna 62 degrees outward and back".
    pub measured: String,
    /// Where the motion of the default call shows it, seconds from its start, if it shows at one time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_s: Option<f64>,
    /// The same as data, for the summary.
    #[serde(skip)]
    findings: Vec<Finding>,
}

/// Measures one expectation. One about a parameter is measured on this trace, too, which must then be that of a call
/// with the parameter's value.
#[must_use]
pub fn measure(expect: &Expect, trace: &MotionTrace) -> Measured {
    measure_in(expect, trace, &Motion::of(trace))
}

/// The traces of several calls of one tool.
#[derive(Clone, Debug)]
pub struct Runs<'a> {
    /// The default call, in which no event happens.
    pub default: &'a MotionTrace,
    /// Calls with another value of one parameter.
    pub with_parameter: Vec<(String, f64, &'a MotionTrace)>,
    /// Default calls in which an event happens.
    pub with_event: Vec<(Event, &'a MotionTrace)>,
}

impl<'a> Runs<'a> {
    /// Only the default call.
    #[must_use]
    pub fn only(default: &'a MotionTrace) -> Self {
        Runs { default, with_parameter: Vec::new(), with_event: Vec::new() }
    }

    fn with_event(&self, event: &Event) -> Option<&'a MotionTrace> {
        self.with_event.iter().find(|(happened, _)| happened == event).map(|(_, trace)| *trace)
    }
}

impl Expects {
    /// Measures each expectation on one trace, as [`measure()`] does.
    #[must_use]
    pub fn measure(&self, trace: &MotionTrace) -> Vec<Measured> {
        let motion = Motion::of(trace);
        self.0.iter().map(|expect| measure_in(expect, trace, &motion)).collect()
    }

    /// Measures each expectation on the call that it is about: one about a parameter on the call with its value, and
    /// those of a tool that reacts on the call in which its first event happens. What has no call is neither measured nor
    /// held.
    #[must_use]
    pub fn measure_runs(&self, runs: &Runs<'_>) -> Vec<Measured> {
        let reaction = self.0.iter().find_map(|expect| match expect.plain() {
            Expect::Reacts { event, .. } => Some(event),
            _ => None,
        });
        let reacting = reaction.map(|event| (event, runs.with_event(event)));
        let main = reacting.and_then(|(_, trace)| trace).unwrap_or(runs.default);
        let motion = Motion::of(main);
        let plain = |expect: &Expect| match expect {
            Expect::Reacts { event, .. } => match runs.with_event(event) {
                Some(trace) => measure(expect, trace),
                None => wording::not_measured(expect, &format!("no call with {}", event.describe())),
            },
            Expect::QuietWithout { event } => {
                let without = measure(expect, runs.default);
                match runs.with_event(event) {
                    Some(trace) if without.held => measure(expect, trace),
                    _ => without,
                }
            }
            Expect::Without { .. } => measure(expect, runs.default),
            Expect::Parameter { name, value, .. } => {
                let is_call =
                    |call: &&(String, f64, &MotionTrace)| call.0 == *name && (call.1 - value).abs() < 1e-9;
                match runs.with_parameter.iter().find(is_call) {
                    Some((_, _, trace)) => measure(expect, trace),
                    None => wording::not_measured(expect, &format!("no call with {name} = {value}")),
                }
            }
            other => match reacting {
                // A tool that waits for an event does little without it.
                Some((event, None)) => {
                    wording::not_measured(other, &format!("no call with {}", event.describe()))
                }
                Some(_) => Measured { at_s: None, ..measure_in(other, main, &motion) },
                None => measure_in(other, main, &motion),
            },
        };
        let one = |expect: &Expect| match expect {
            Expect::Likely { expect } => plain(expect.plain()).or_not_shown(),
            other => plain(other),
        };
        self.0.iter().map(one).collect()
    }

    /// Returns the calls with another value of a parameter that the expectations need.
    #[must_use]
    pub fn parameter_calls(&self) -> Vec<(String, f64)> {
        let mut calls: Vec<(String, f64)> = Vec::new();
        for expect in &self.0 {
            if let Expect::Parameter { name, value, .. } = expect.plain()
                && !calls.iter().any(|call| call.0 == *name && call.1.to_bits() == value.to_bits())
            {
                calls.push((name.clone(), *value));
            }
        }
        calls
    }

    /// Returns the events that the expectations are about.
    #[must_use]
    pub fn events(&self) -> BTreeSet<Event> {
        let event = |expect: &Expect| match expect.plain() {
            Expect::Reacts { event, .. } | Expect::QuietWithout { event } => Some(event.clone()),
            _ => None,
        };
        self.0.iter().filter_map(event).collect()
    }

    /// Checks expectations from outside: directions fit their axes, amounts are usable numbers, lists have entries.
    ///
    /// # Errors
    /// A sentence says what is wrong.
    pub fn check(&self) -> Result<(), String> {
        if self.0.len() > MAX_EXPECTS {
            return Err(format!("there are more than {MAX_EXPECTS} expectations"));
        }
        self.0.iter().try_for_each(|expect| expect.check(true))
    }
}

/// The largest number of expectations of a tool, and of entries in a list.
const MAX_EXPECTS: usize = 100;

impl Expect {
    /// Returns the expectation itself, whether it is certain or likely.
    #[must_use]
    pub fn plain(&self) -> &Expect {
        match self {
            Expect::Likely { expect } => expect,
            other => other,
        }
    }

    /// Checks an expectation; a choice, a likely one and one about a parameter stand only at the outside.
    fn check(&self, is_outside: bool) -> Result<(), String> {
        match self {
            Expect::Moves { axis, direction, at_least, at_most } => {
                check_direction(*axis, *direction)?;
                check_numbers(&[*at_least, at_most.unwrap_or(*at_least)])
            }
            Expect::Still { axes, within } => {
                check_length(axes.len(), 1)?;
                check_numbers(&[*within])
            }
            Expect::Swings { axis, direction, count, at_least, at_most } => {
                if count.or(*at_least).or(*at_most).is_none() {
                    return Err("swings have no number".to_owned());
                }
                check_direction(*axis, *direction)
            }
            Expect::Grows { axis, direction } | Expect::Shrinks { axis, direction } => {
                check_direction(*axis, *direction)
            }
            Expect::Order { actions } | Expect::Together { actions } | Expect::Apart { actions } => {
                check_length(actions.len(), 2)?;
                actions.iter().try_for_each(Action::check)
            }
            Expect::Holds { axis, direction, seconds } => {
                check_direction(*axis, *direction)?;
                check_numbers(&[*seconds])
            }
            Expect::Ends { at: End::Axis { axis, direction, amount } } => {
                check_direction(*axis, Some(*direction))?;
                check_numbers(&[*amount])
            }
            Expect::Duration { at_least, at_most } => {
                let bounds: Vec<f64> = at_least.iter().chain(at_most).copied().collect();
                check_length(bounds.len(), 1).map_err(|_| "a duration has no bound".to_owned())?;
                check_numbers(&bounds)
            }
            Expect::Period { seconds, tolerance, .. } => check_numbers(&[*seconds, *tolerance]),
            Expect::Pauses { seconds } => check_numbers(&[*seconds]),
            Expect::Reacts { within, .. } => check_numbers(&[*within]),
            Expect::Parameter { expect, value, .. } if is_outside => {
                check_numbers(&[*value])?;
                expect.check(false)
            }
            Expect::Without { expect, .. }
                if is_outside
                    && !matches!(
                        **expect,
                        Expect::Without { .. } | Expect::Parameter { .. } | Expect::Likely { .. }
                    ) =>
            {
                expect.check(true)
            }
            Expect::Either { of } if is_outside => {
                check_length(of.len(), 1)?;
                of.iter().try_for_each(|list| {
                    check_length(list.len(), 1)?;
                    list.iter().try_for_each(|expect| expect.check(false))
                })
            }
            Expect::Likely { expect } if is_outside && !matches!(**expect, Expect::Likely { .. }) => {
                expect.check(true)
            }
            Expect::Parameter { .. }
            | Expect::Without { .. }
            | Expect::Either { .. }
            | Expect::Likely { .. } => {
                Err("a choice, a likely expectation or one about a parameter stands inside another one"
                    .to_owned())
            }
            Expect::Ends { at: End::Neutral }
            | Expect::Alternates { .. }
            | Expect::Quicker { .. }
            | Expect::Slower { .. }
            | Expect::QuietWithout { .. }
            | Expect::Sounds { .. }
            | Expect::Photos { .. } => Ok(()),
        }
    }
}

impl Action {
    fn check(&self) -> Result<(), String> {
        let Action::Move { axes, direction, .. } = self else { return Ok(()) };
        check_length(axes.len(), 1)?;
        axes.iter().try_for_each(|axis| check_direction(*axis, *direction))
    }
}

fn check_direction(axis: Axis, direction: Option<Direction>) -> Result<(), String> {
    match direction {
        Some(direction) if axis.sign(direction).is_none() => Err(wording::no_direction(axis, direction)),
        _ => Ok(()),
    }
}

fn check_numbers(numbers: &[f64]) -> Result<(), String> {
    match numbers.iter().find(|number| !(0.0..=1e6).contains(*number)) {
        Some(number) => Err(format!("{number} is no usable amount")),
        None => Ok(()),
    }
}

fn check_length(length: usize, least: usize) -> Result<(), String> {
    if (least..=MAX_EXPECTS).contains(&length) {
        Ok(())
    } else {
        Err(format!("a list has {length} entries instead of {least} to {MAX_EXPECTS}"))
    }
}

#[cfg(test)]
mod tests;
