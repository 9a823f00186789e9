//! What a request asks for, before it becomes expectations.

use minismith_score::{Axis, Direction, Event};

use crate::aims::Target;
use crate::lexicon::Verb;
use crate::meaning::{Bound, Change, Role, Trigger};

/// What about a movement a word says, and what an expectation shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Feature {
    Motion,
    Count,
    Size,
    Hold,
    Return,
    Change,
    Tempo,
    Order,
    Together,
    Still,
    Pause,
    Duration,
    Event,
    Parameter,
    Sound,
    Photo,
}

/// One thing that moves.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Action {
    /// The clause that names it.
    pub(crate) clause: usize,
    /// What other clauses add.
    pub(crate) notes: Vec<(usize, Feature)>,
    pub(crate) verb: Verb,
    /// All of them must be seen.
    pub(crate) targets: Vec<Target>,
    /// Actions that are joined without "then" have the same number.
    pub(crate) group: usize,
    pub(crate) count: Option<f64>,
    pub(crate) several: bool,
    pub(crate) amount: Option<(f64, Bound)>,
    /// How many sizes are named one after another.
    pub(crate) sizes: usize,
    pub(crate) is_small: bool,
    pub(crate) is_large: bool,
    pub(crate) hold: Option<f64>,
    pub(crate) stays: bool,
    pub(crate) returns: bool,
    pub(crate) change: Option<Change>,
    pub(crate) period: Option<f64>,
    pub(crate) is_slow: bool,
    pub(crate) is_fast: bool,
    /// "Once slowly, then quickly": how the tempo of one gesture changes.
    pub(crate) tempo_change: Option<Change>,
    pub(crate) alternates: bool,
    pub(crate) roles: Vec<Role>,
    /// A posture that something else goes along with: "with one antenna up".
    pub(crate) is_state: bool,
    /// What one clause says and another one says differently.
    pub(crate) overridden: Vec<Feature>,
    /// The verb chose its part, the request did not.
    pub(crate) has_default_part: bool,
    /// Whether it answers to an event.
    pub(crate) is_reaction: bool,
}

impl Action {
    pub(crate) fn new(clause: usize, verb: Verb, targets: Vec<Target>, group: usize) -> Self {
        Action {
            clause,
            notes: Vec::new(),
            verb,
            targets,
            group,
            count: None,
            several: false,
            amount: None,
            sizes: 0,
            is_small: false,
            is_large: false,
            hold: None,
            stays: false,
            returns: false,
            change: None,
            period: None,
            is_slow: false,
            is_fast: false,
            tempo_change: None,
            alternates: false,
            roles: Vec::new(),
            is_state: false,
            overridden: Vec::new(),
            has_default_part: false,
            is_reaction: false,
        }
    }

    /// Returns all axes that it may move.
    pub(crate) fn axes(&self) -> Vec<Axis> {
        self.targets.iter().flatten().map(|aim| aim.axis).collect()
    }

    /// Returns whether it goes to both sides.
    pub(crate) fn has_sides(&self) -> bool {
        let aims = || self.targets.iter().flatten();
        aims().any(|one| aims().any(|other| one.axis == other.axis && one.direction != other.direction))
    }

    /// Returns whether it may only go in a direction.
    pub(crate) fn goes(&self, direction: Direction) -> bool {
        self.targets.iter().flatten().all(|aim| aim.direction == Some(direction))
    }

    pub(crate) fn is_oscillation(&self) -> bool {
        self.verb.is_oscillation()
    }
}

/// Axes that must not move.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stillness {
    pub(crate) clause: usize,
    pub(crate) axes: Vec<Axis>,
    /// "Only the left antenna": what other clauses move is not meant.
    pub(crate) is_rest: bool,
}

/// An event with what it does.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Occasion {
    pub(crate) clause: usize,
    pub(crate) trigger: Trigger,
    pub(crate) event: Event,
}

/// A contradiction or something that the robot can't do.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Problem {
    pub(crate) text: String,
}

/// All that was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Reading {
    pub(crate) actions: Vec<Action>,
    /// Pairs of actions that are one after another, with the clause that says so.
    pub(crate) order: Vec<(usize, usize, usize)>,
    /// Clauses that tell an order only by their place in the text.
    pub(crate) loose: Vec<usize>,
    /// The action after which another one goes back, with the clause that says so.
    pub(crate) ways_back: Vec<(usize, usize, usize)>,
    /// Pairs of actions at the same time, with the clause that says so.
    pub(crate) together: Vec<(usize, usize, usize)>,
    /// Actions whose antennas move one after the other.
    pub(crate) apart: Vec<(usize, usize)>,
    /// The antenna that comes first, and the other one.
    pub(crate) leads: Vec<(usize, Axis, Axis)>,
    pub(crate) stillness: Vec<Stillness>,
    /// Seconds of a pause between movements.
    pub(crate) pauses: Vec<(usize, f64)>,
    /// The least and the largest time of all.
    pub(crate) durations: Vec<(usize, Option<f64>, Option<f64>)>,
    /// Clauses that say that the motion ends in neutral.
    pub(crate) ends_neutral: Vec<usize>,
    pub(crate) occasions: Vec<Occasion>,
    pub(crate) quiet: Vec<usize>,
    /// Parameters without an action of their own.
    pub(crate) roles: Vec<(usize, Role)>,
    /// Clauses that say nothing to measure, though they are understood.
    pub(crate) unmeasurable: Vec<usize>,
    /// Clauses that nobody can do.
    pub(crate) lost: Vec<usize>,
    pub(crate) problems: Vec<Problem>,
}
