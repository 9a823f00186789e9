//! Sentences that people say to the robot, with what has to come of each.

use std::collections::BTreeSet;

use serde::Deserialize;

use crate::cases::{CasesError, Check, validate_check};
use crate::checks::check;
use crate::trace::Trace;

/// All sentences of a file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(with = "serde_yaml::with::singleton_map_recursive")]
    cases: Vec<Sentence>,
}

/// What has to come of the last turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wanted {
    /// A motion that passes the checks.
    #[default]
    Moves,
    /// Nothing moves, whatever is answered.
    Nothing,
    /// It counts as a stop, and nothing moves.
    Stop,
    /// Nothing moves, and the answer refuses or asks.
    Declined,
    /// An answer, and nothing moves.
    Answer,
}

/// One sentence, or a conversation that ends with it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sentence {
    /// Its name.
    pub id: String,
    /// What it is about.
    pub group: String,
    /// What the person says, one turn after another. The last one is judged.
    pub turns: Vec<String>,
    /// What has to come of the last turn.
    #[serde(default, rename = "outcome")]
    pub wanted: Wanted,
    /// What holds for the motion of the last turn.
    #[serde(default)]
    pub checks: Vec<Check>,
    /// Words of which the answer contains at least one.
    #[serde(default)]
    pub says: Vec<String>,
}

/// What became of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Judgement {
    /// What was meant.
    Right,
    /// Nothing moved although something should have, or a stop was not taken as one.
    Declined,
    /// Something else moved than was meant, or something moved that should not.
    Wrong,
}

/// Something in the robot deviates by more than this from where it was: it moved, degrees or millimetres.
const MOVED: f64 = 2.0;

impl Sentence {
    /// Judges the motion of the last turn. `is_stop` says whether it was taken as a stop.
    #[must_use]
    pub fn judge(&self, trace: &Trace, is_stop: bool) -> Judgement {
        let has_moved = has_moved(trace);
        match self.wanted {
            Wanted::Moves if is_stop => Judgement::Wrong,
            Wanted::Moves if self.failed(trace).is_empty() => Judgement::Right,
            Wanted::Moves if has_moved => Judgement::Wrong,
            Wanted::Moves => Judgement::Declined,
            _ if has_moved => Judgement::Wrong,
            Wanted::Stop if !is_stop => Judgement::Declined,
            Wanted::Stop => Judgement::Right,
            // A stop that nobody said ends what goes on.
            _ if is_stop => Judgement::Wrong,
            _ => Judgement::Right,
        }
    }

    /// Returns what was not as it should be, a sentence each.
    #[must_use]
    pub fn failed(&self, trace: &Trace) -> Vec<String> {
        if let Err(error) = trace.validate() {
            return vec![error.to_string()];
        }
        let findings = self.checks.iter().map(|one| check(one, trace));
        findings.filter(|finding| !finding.is_held).map(|finding| finding.to_string()).collect()
    }
}

/// Returns whether anything moved in the course of a trace.
#[must_use]
pub fn has_moved(trace: &Trace) -> bool {
    let Some(first) = trace.samples.first() else { return false };
    trace.samples.iter().any(|sample| {
        crate::axis::Axis::ALL
            .iter()
            .any(|axis| (sample.deviation(*axis) - first.deviation(*axis)).abs() > MOVED)
    })
}

/// Reads sentences from YAML.
///
/// # Errors
/// Text that is no YAML, unknown fields, two cases of one id, and checks that no motion can pass.
pub fn parse(yaml: &str) -> Result<Vec<Sentence>, CasesError> {
    let file: File = serde_yaml::from_str(yaml)?;
    let mut ids = BTreeSet::new();
    for case in &file.cases {
        let invalid = |problem: String| CasesError::Invalid { id: case.id.clone(), problem };
        if !ids.insert(case.id.as_str()) {
            return Err(invalid("another case has the same id".to_owned()));
        }
        if case.turns.is_empty() || (case.wanted == Wanted::Moves) == case.checks.is_empty() {
            return Err(invalid("a motion has checks and nothing else has".to_owned()));
        }
        case.checks.iter().try_for_each(validate_check).map_err(invalid)?;
    }
    Ok(file.cases)
}
