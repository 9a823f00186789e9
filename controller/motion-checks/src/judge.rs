//! The runs that a case needs, and its verdict from their measured motions.

use std::collections::BTreeMap;
use std::fmt;

use super::cases::{Arguments, Case, Outcome, Stimulus};
use super::checks;
use super::effects;
use super::finding::Finding;
use super::trace::{EventKind, StimulusKind, Trace, TraceEvent};

/// The name of a run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RunKey {
    /// The tool before its correction, with default arguments.
    Before,
    /// The tool with default arguments; the number of the variant of stimuli, 0 for cases without stimuli.
    Default(usize),
    /// The tool with arguments; the name of the call.
    Call(String),
}

impl fmt::Display for RunKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunKey::Before => f.write_str("before"),
            RunKey::Default(0) => f.write_str("default"),
            RunKey::Default(variant) => write!(f, "variant {variant}"),
            RunKey::Call(name) => f.write_str(name),
        }
    }
}

/// A run that has to be measured.
#[derive(Clone, Debug)]
pub struct Run<'a> {
    /// Its name.
    pub key: RunKey,
    /// Its arguments by role; none for default arguments.
    pub arguments: Option<&'a Arguments>,
    /// What is shown to the robot.
    pub shown: &'a [Stimulus],
}

/// The verdict on one case.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// The result of each check with the name of its run.
    pub findings: Vec<(String, Finding)>,
}

impl Verdict {
    /// Returns whether all checks held.
    #[must_use]
    pub fn is_right(&self) -> bool {
        !self.findings.is_empty() && self.findings.iter().all(|(_, finding)| finding.is_held)
    }

    /// Returns the checks that failed, with the names of their runs.
    pub fn failed(&self) -> impl Iterator<Item = &(String, Finding)> {
        self.findings.iter().filter(|(_, finding)| !finding.is_held)
    }
}

/// Returns the runs that have to be measured to judge a case; none if the request has to be declined.
#[must_use]
pub fn runs(case: &Case) -> Vec<Run<'_>> {
    if case.outcome == Outcome::Declined {
        return Vec::new();
    }
    let mut runs = Vec::new();
    if case.effects.iter().any(|effect| effect.from == "before" || effect.to == "before") {
        runs.push(Run { key: RunKey::Before, arguments: None, shown: &[] });
    }
    let uses_default = case.effects.iter().any(|effect| effect.from == "default" || effect.to == "default");
    if case.stimuli.is_empty() && (!case.checks.is_empty() || uses_default) {
        runs.push(Run { key: RunKey::Default(0), arguments: None, shown: &[] });
    }
    for (number, variant) in case.stimuli.iter().enumerate() {
        runs.push(Run { key: RunKey::Default(number), arguments: None, shown: &variant.shown });
    }
    for call in &case.calls {
        let key = RunKey::Call(call.name.clone());
        runs.push(Run { key, arguments: Some(&call.arguments), shown: &[] });
    }
    runs
}

/// Returns the events that tell a trace what was shown during it.
#[must_use]
pub fn stimulus_events(shown: &[Stimulus]) -> Vec<TraceEvent> {
    let event = |at_s, kind| TraceEvent { at_s, kind };
    let start = |stimulus: StimulusKind| EventKind::StimulusStart { stimulus };
    let end = |stimulus: StimulusKind| EventKind::StimulusEnd { stimulus };
    shown.iter().flat_map(|one| [event(one.from, start(one.kind)), event(one.to, end(one.kind))]).collect()
}

/// Judges a tool that was made from the request of a case. A run that is missing or cannot be judged fails its checks.
///
/// A request that has to be declined has no checks; the caller compares the outcome.
#[must_use]
pub fn judge(case: &Case, measured: &BTreeMap<RunKey, Trace>) -> Verdict {
    let mut findings = Vec::new();
    for run in runs(case) {
        let name = run.key.to_string();
        let Some(trace) = usable(&run.key, measured, &mut findings) else { continue };
        let of_run = match &run.key {
            RunKey::Before => [].as_slice(),
            RunKey::Default(_) => case.checks.as_slice(),
            RunKey::Call(name) => {
                case.calls.iter().find(|call| call.name == *name).map_or(&[][..], |call| &call.checks)
            }
        };
        let of_variant = match &run.key {
            RunKey::Default(number) => case.stimuli.get(*number).map_or(&[][..], |variant| &variant.checks),
            _ => &[],
        };
        for check in of_run.iter().chain(of_variant) {
            findings.push((name.clone(), checks::check(check, trace)));
        }
    }
    for effect in &case.effects {
        let traces = [&effect.from, &effect.to].map(|name| match name.as_str() {
            "before" => RunKey::Before,
            "default" => RunKey::Default(0),
            _ => RunKey::Call(name.clone()),
        });
        let [from, to] = traces.map(|key| measured.get(&key).filter(|trace| trace.validate().is_ok()));
        if let (Some(from), Some(to)) = (from, to) {
            findings.push((format!("{} to {}", effect.from, effect.to), effects::effect(effect, from, to)));
        }
    }
    Verdict { findings }
}

/// Returns the trace of a run, or notes why there is none that can be judged.
fn usable<'a>(
    key: &RunKey,
    measured: &'a BTreeMap<RunKey, Trace>,
    findings: &mut Vec<(String, Finding)>,
) -> Option<&'a Trace> {
    let problem = match measured.get(key) {
        None => "nothing".to_owned(),
        Some(trace) => match trace.validate() {
            Ok(()) => return Some(trace),
            Err(error) => error.to_string(),
        },
    };
    findings.push((key.to_string(), Finding::new(false, format!("a run `{key}`"), problem)));
    None
}
