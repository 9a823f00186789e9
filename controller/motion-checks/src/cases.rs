//! The cases: requests in ordinary words, each with physical checks of its own.

use std::collections::BTreeSet;

use serde::Deserialize;

use super::axis::{Axis, Direction, Part};
use super::trace::StimulusKind;

mod validate;

/// The cases cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum CasesError {
    /// The text is no YAML, or not of the expected form.
    #[error("the cases cannot be read: {0}")]
    Yaml(#[from] serde_yaml::Error),
    /// A case contradicts itself or asks for what the robot cannot do.
    #[error("case {id}: {problem}")]
    Invalid {
        /// The case.
        id: String,
        /// What is wrong with it.
        problem: String,
    },
}

/// All cases.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(with = "serde_yaml::with::singleton_map_recursive")]
    cases: Vec<Case>,
}

/// What has to become of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// A tool is made whose motion passes the checks.
    #[default]
    Made,
    /// The request is declined; nothing is registered and nothing moves.
    Declined,
}

/// What a request is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Group {
    /// A single gesture.
    Gestures,
    /// How often.
    Counts,
    /// Which part moves and which does not.
    Parts,
    /// What happens at the same time.
    Simultaneity,
    /// Tempo, rhythm, pauses.
    Rhythm,
    /// Growing and shrinking motions.
    Growing,
    /// Tools with parameters.
    Parameters,
    /// Emotions, told in steps.
    Emotions,
    /// Reactions, sounds, photos.
    Perception,
    /// Corrections of the tool that was just made.
    Corrections,
    /// What comes first and what last.
    Order,
    /// Requests that have to be declined.
    Refusals,
}

/// One request.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Its name.
    pub id: String,
    /// What it is about.
    pub group: Group,
    /// Whether nobody looks at it while tuning.
    #[serde(default)]
    pub unseen: bool,
    /// The request before this one; the request is a correction of the tool that it made.
    pub before: Option<String>,
    /// What the person says.
    pub request: String,
    /// What has to become of it.
    #[serde(default)]
    pub outcome: Outcome,
    /// What holds in the run with default arguments, and in each of its variants.
    #[serde(default)]
    pub checks: Vec<Check>,
    /// The variants of the run with default arguments: what the rehearsal shows to the robot.
    #[serde(default)]
    pub stimuli: Vec<Variant>,
    /// Runs with arguments.
    #[serde(default)]
    pub calls: Vec<Call>,
    /// How runs differ.
    #[serde(default)]
    pub effects: Vec<Effect>,
}

/// What a rehearsal shows to the robot.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    /// What is shown, in the order of time; empty for nothing.
    pub shown: Vec<Stimulus>,
    /// What holds in this variant.
    #[serde(default)]
    pub checks: Vec<Check>,
}

/// One stimulus.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stimulus {
    /// Which one.
    pub kind: StimulusKind,
    /// When it starts, seconds after the call.
    pub from: f64,
    /// When it ends, seconds after the call.
    pub to: f64,
    /// Where it is, as the robot sees it at the start: `left` or `right`; in front of it if nothing is said.
    pub side: Option<Direction>,
}

/// A run with arguments.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Call {
    /// Its name, for effects.
    pub name: String,
    /// The arguments by role.
    pub arguments: Arguments,
    /// What holds in this run.
    #[serde(default)]
    pub checks: Vec<Check>,
}

/// A low or a high value, near the ends of the range of a parameter whose unit the request leaves open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// In the lowest quarter.
    Low,
    /// In the highest quarter.
    High,
}

/// Arguments by role. The tool's parameter for a role is found by its name.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arguments {
    /// How often.
    pub times: Option<u32>,
    /// An angle, degrees.
    pub degrees: Option<f64>,
    /// A length, millimetres.
    pub millimetres: Option<f64>,
    /// A time, seconds.
    pub seconds: Option<f64>,
    /// How large.
    pub size: Option<Level>,
    /// How fast; `high` is fast, also where the parameter is a duration.
    pub speed: Option<Level>,
    /// `left` or `right`.
    pub side: Option<Direction>,
}

/// A number that is measured in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// The largest deviation of an axis.
    Size,
    /// The number of swings of an axis.
    Swings,
    /// The time from the first motion to the last, seconds.
    Duration,
    /// The highest speed of an axis.
    Speed,
}

/// How the measured number changes from one run to another.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Effect {
    /// What is measured.
    pub measure: Measure,
    /// Of which axis; all measures but the duration need one.
    pub axis: Option<Axis>,
    /// The name of a run: of a call, `default`, or `before` for the tool before its correction.
    pub from: String,
    /// The name of another run.
    pub to: String,
    /// The smallest permitted ratio of the second number to the first.
    pub at_least: Option<f64>,
    /// The largest permitted ratio.
    pub at_most: Option<f64>,
}

macro_rules! data {
    ($($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident : $type:ty),* $(,)? })*) => {
        $($(#[$doc])*
        #[derive(Clone, Debug, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct $name { $($(#[$field_doc])* pub $field: $type),* })*
    };
}

data! {
    /// The largest deviation of an axis in a direction. Without numbers: at least as large as a person sees.
    Moves {
        /// Which axis.
        axis: Axis,
        /// In which direction.
        direction: Direction,
        /// The smallest permitted size, in the axis' unit.
        at_least: Option<f64>,
        /// The largest permitted size.
        at_most: Option<f64>,
    }
    /// Parts that stay where they are during the whole run.
    Still {
        /// Which parts.
        parts: Vec<Part>,
        /// The largest permitted deviation; 3 deg or mm if nothing is said.
        within: Option<f64>,
    }
    /// The number of swings: of excursions in a direction, or for `any` of cycles. Going back to neutral is none.
    Swings {
        /// Which axis.
        axis: Axis,
        /// In which direction.
        direction: Direction,
        /// The number of swings, exactly.
        count: Option<u32>,
        /// The smallest permitted number.
        at_least: Option<u32>,
        /// The largest permitted number.
        at_most: Option<u32>,
        /// What counts as a swing, in the axis' unit; as large as a person sees if nothing is said.
        min_size: Option<f64>,
    }
    /// The sizes of the successive swings of an axis.
    Peaks {
        /// Which axis.
        axis: Axis,
        /// In which direction.
        direction: Direction,
        /// The sizes, in the axis' unit.
        sizes: Vec<f64>,
        /// How far each may be off.
        tolerance: f64,
    }
    /// Something that happens at a moment: exactly one of a swing of an axis, of its return to neutral, and a signal.
    Event {
        /// An axis that swings.
        axis: Option<Axis>,
        /// In which direction; `any` if nothing is said.
        direction: Option<Direction>,
        /// The smallest size of a swing, in the axis' unit.
        min_size: Option<f64>,
        /// An axis that goes back to neutral.
        back: Option<Axis>,
        /// A signal.
        signal: Option<Signal>,
    }
    /// The order of events by their onset. Between the events nothing else of their kinds happens; repetitions of one
    /// event count as one.
    Order {
        /// The events.
        events: Vec<Event>,
    }
    /// Two axes move at the same time.
    Overlap {
        /// The axes.
        axes: [Axis; 2],
        /// The smallest share of the shorter motion; 0.5 if nothing is said.
        at_least: Option<f64>,
    }
    /// Two axes never move at the same time.
    Apart {
        /// The axes.
        axes: [Axis; 2],
    }
    /// Two axes take turns.
    Alternates {
        /// The axes.
        axes: [Axis; 2],
    }
    /// An axis stays near its extreme.
    Holds {
        /// Which axis.
        axis: Axis,
        /// In which direction.
        direction: Direction,
        /// The smallest permitted time, seconds.
        at_least: Option<f64>,
        /// The largest permitted time, seconds.
        at_most: Option<f64>,
    }
    /// An axis stays in a range while another one moves, or while another one stays at its extreme.
    Keeps {
        /// Which axis.
        axis: Axis,
        /// In which direction.
        direction: Direction,
        /// The smallest permitted deviation, in the axis' unit.
        at_least: Option<f64>,
        /// The largest permitted deviation.
        at_most: Option<f64>,
        /// The axis that tells the time: from its first motion to its last.
        during: Axis,
        /// If given, the time is instead the one at which `during` is near its extreme in this direction.
        at_extreme: Option<Direction>,
    }
    /// Where an axis is at the end.
    Ends {
        /// Which axes.
        axes: Vec<Axis>,
        /// At neutral, or away from it.
        at: Place,
        /// On which side, for `away`.
        direction: Option<Direction>,
        /// The smallest permitted deviation for `away`, in the axis' unit.
        at_least: Option<f64>,
        /// The largest permitted deviation for `away`.
        at_most: Option<f64>,
    }
    /// How long one swing takes, seconds.
    Takes {
        /// Which axis.
        axis: Axis,
        /// In which direction.
        direction: Direction,
        /// Which of its swings, from 1; the first if nothing is said.
        nth: Option<u32>,
        /// Which leg of it.
        leg: Leg,
        /// The smallest permitted time, seconds.
        at_least: Option<f64>,
        /// The largest permitted time, seconds.
        at_most: Option<f64>,
    }
    /// How long the motion or the run takes, seconds.
    Duration {
        /// Of which.
        of: Span,
        /// The smallest permitted time.
        at_least: Option<f64>,
        /// The largest permitted time.
        at_most: Option<f64>,
    }
    /// The mean time from one swing to the next, seconds.
    Period {
        /// Which axis.
        axis: Axis,
        /// Swings in which direction; for `any` one for each cycle.
        direction: Direction,
        /// The smallest permitted time.
        at_least: Option<f64>,
        /// The largest permitted time.
        at_most: Option<f64>,
    }
    /// The sizes of successive swings rise or fall: no swing against the trend, and a clear difference in all.
    Trend {
        /// Which axis.
        axis: Axis,
        /// In which direction.
        direction: Direction,
        /// What counts as a swing, in the axis' unit.
        min_size: Option<f64>,
    }
    /// The time from one swing to the next falls or rises.
    Tempo {
        /// Which axis.
        axis: Axis,
        /// In which direction; for `any` one for each cycle.
        direction: Direction,
    }
    /// The rests of an axis between its successive swings, seconds.
    Pauses {
        /// Which axis.
        axis: Axis,
        /// In which direction; for `any` one for each cycle.
        direction: Direction,
        /// The smallest permitted time of each rest.
        at_least: Option<f64>,
        /// The largest permitted time of each rest.
        at_most: Option<f64>,
    }
    /// The longest time without any motion between the onsets of two events, seconds.
    Waits {
        /// The event before.
        after: Event,
        /// The first event of this kind after it.
        before: Event,
        /// The smallest permitted time.
        at_least: Option<f64>,
        /// The largest permitted time.
        at_most: Option<f64>,
    }
    /// After each start or end of a stimulus an event begins, or the axis moves already.
    Reacts {
        /// Which stimulus.
        to: StimulusKind,
        /// Whether to its start or to its end; to its start if nothing is said.
        at: Option<Edge>,
        /// What happens then.
        with: Event,
        /// The longest permitted delay, seconds.
        within: f64,
    }
    /// Nothing moves for a part of the run.
    Quiet {
        /// For which part of it.
        when: When,
        /// Which parts of the robot; everything if nothing is said.
        parts: Option<Vec<Part>>,
        /// How long the robot may go on after the last stimulus, for `after`, seconds.
        grace: Option<f64>,
    }
    /// The number of signals.
    Signals {
        /// The number, exactly.
        count: Option<u32>,
        /// The smallest permitted number.
        at_least: Option<u32>,
        /// The smallest permitted time from the start of one to that of the next, seconds.
        min_interval: Option<f64>,
        /// The largest permitted time from the start of one to that of the next, seconds.
        max_interval: Option<f64>,
    }
    /// What is spoken.
    Says {
        /// Words that occur in what is spoken, whatever their case.
        contains: Vec<String>,
    }
}

/// What is no motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Signal {
    /// A sound.
    Sound,
    /// A photo.
    Photo,
    /// Speech.
    Speech,
}

/// Where a motion ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// At neutral.
    Neutral,
    /// Away from neutral.
    Away,
}

/// A leg of a swing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Leg {
    /// From the onset to the extreme.
    There,
    /// From the extreme back.
    Back,
    /// Both, and what is between.
    Swing,
}

/// A part of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Span {
    /// From the first motion to the last.
    Motion,
    /// From the call to the return.
    Run,
}

/// One end of a stimulus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Edge {
    /// When it begins.
    Start,
    /// When it is over.
    End,
}

/// A part of a run with stimuli.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum When {
    /// All of it.
    Throughout,
    /// Before the first stimulus.
    Before,
    /// After the last stimulus.
    After,
}

/// One check.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Check {
    /// See [`Moves`].
    Moves(Moves),
    /// See [`Still`].
    Still(Still),
    /// See [`Swings`].
    Swings(Swings),
    /// See [`Peaks`].
    Peaks(Peaks),
    /// See [`Order`].
    Order(Order),
    /// See [`Overlap`].
    Overlap(Overlap),
    /// See [`Apart`].
    Apart(Apart),
    /// See [`Alternates`].
    Alternates(Alternates),
    /// See [`Holds`].
    Holds(Holds),
    /// See [`Keeps`].
    Keeps(Keeps),
    /// See [`Ends`].
    Ends(Ends),
    /// See [`Takes`].
    Takes(Takes),
    /// See [`Duration`].
    Duration(Duration),
    /// See [`Period`].
    Period(Period),
    /// Swings that grow; see [`Trend`].
    Growing(Trend),
    /// Swings that shrink; see [`Trend`].
    Shrinking(Trend),
    /// Swings that follow each other faster and faster; see [`Tempo`].
    Faster(Tempo),
    /// Swings that follow each other slower and slower; see [`Tempo`].
    Slower(Tempo),
    /// See [`Pauses`].
    Pauses(Pauses),
    /// See [`Waits`].
    Waits(Waits),
    /// See [`Reacts`].
    Reacts(Reacts),
    /// See [`Quiet`].
    Quiet(Quiet),
    /// Sounds; see [`Signals`].
    Sound(Signals),
    /// Photos; see [`Signals`].
    Photo(Signals),
    /// Utterances; see [`Signals`].
    Speech(Signals),
    /// See [`Says`].
    Says(Says),
    /// At least one of these lists of checks holds, where the request leaves open how.
    Either(Vec<Vec<Check>>),
}

/// Reads the cases and checks that none contradicts itself or exceeds what the robot can do.
///
/// # Errors
///
/// Text that is no YAML, unknown or missing fields, two cases of one id, and a check that no motion of the robot can
/// pass.
pub fn parse(yaml: &str) -> Result<Vec<Case>, CasesError> {
    let file: File = serde_yaml::from_str(yaml)?;
    let mut ids = BTreeSet::new();
    for case in &file.cases {
        let invalid = |problem: String| CasesError::Invalid { id: case.id.clone(), problem };
        if !ids.insert(case.id.as_str()) {
            return Err(invalid("another case has the same id".to_owned()));
        }
        validate::case(case).map_err(invalid)?;
    }
    Ok(file.cases)
}

/// Checks that a motion of the robot can pass a check.
///
/// # Errors
/// What is wrong with it, in words.
pub(crate) fn validate_check(check: &Check) -> Result<(), String> {
    validate::check(check, &[])
}
