//! What the program says about a tool that was composed: as the assistant does it, on simulated instead of rehearsed
//! motions.

use minismith_composer::{Composed, is_correction};
use minismith_contract::{Contract, Verdict};
use minismith_score::expects::{Expects, Measured, Runs};
use minismith_score::{Arguments, Event, EventSpan, MotionTrace, Score, Setting, Stimuli, compile, simulate};

/// What the program says about a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Claim {
    Right,
    /// Kept, and what is not shown is named.
    Partly,
    /// Not kept.
    Declined,
}

fn trace(
    score: &Score,
    arguments: &Arguments,
    events: Vec<EventSpan>,
) -> std::result::Result<MotionTrace, String> {
    let setting = Setting { stimuli: Stimuli::new(events), ..Setting::default() };
    let timeline = compile(score, arguments, &setting).map_err(|error| error.to_string())?;
    Ok(simulate(&timeline, &setting.stimuli))
}

/// Measures expectations on the calls that they need.
pub fn measure(expects: &Expects, score: &Score) -> std::result::Result<Vec<Measured>, String> {
    let default = trace(score, &Arguments::new(), Vec::new())?;
    let mut calls: Vec<(String, f64, MotionTrace)> = Vec::new();
    for (name, value) in expects.parameter_calls() {
        if score.parameters.iter().any(|parameter| parameter.name == name) {
            let arguments = Arguments::from([(name.clone(), value)]);
            if let Ok(trace) = trace(score, &arguments, Vec::new()) {
                calls.push((name, value, trace));
            }
        }
    }
    let mut events: Vec<(Event, MotionTrace)> = Vec::new();
    for event in expects.events() {
        let length = if event == Event::Clap { 0.3 } else { 4.0 };
        let span = EventSpan { event: event.clone(), from: 3.0, to: 3.0 + length };
        events.push((event, trace(score, &Arguments::new(), vec![span])?));
    }
    let runs = Runs {
        default: &default,
        with_parameter: calls.iter().map(|(name, value, trace)| (name.clone(), *value, trace)).collect(),
        with_event: events.iter().map(|(event, trace)| (event.clone(), trace)).collect(),
    };
    Ok(expects.measure_runs(&runs))
}

/// Returns what does not hold.
pub fn deviations(measured: &[Measured]) -> Vec<String> {
    let failed = measured.iter().filter(|one| !one.held);
    failed.map(|one| format!("expected {}, measured {}", one.expected, one.measured)).collect()
}

/// Returns what the program says about a composed tool, and why.
pub fn claim(request: &str, is_change: bool, composed: &Composed, score: &Score) -> (Claim, String) {
    // A correction says only what is different, so the assistant expects nothing of it; one that is not understood is
    // left to other ways.
    if is_change {
        if !is_correction(request) {
            return (Claim::Declined, "not taken for a correction".to_owned());
        }
        let claim = if composed.not_understood.is_empty() { Claim::Partly } else { Claim::Declined };
        return (claim, String::new());
    }
    let contract = Contract::from_request(request);
    if let [conflict, ..] = contract.conflicts() {
        return (Claim::Declined, conflict.clone());
    }
    let verdict = match measure(&contract.expectations(), score) {
        Ok(measured) => contract.verdict(&measured),
        Err(error) => return (Claim::Declined, error),
    };
    let left_out = composed.not_understood.iter().map(|(text, _)| text.clone()).collect();
    match verdict.without(left_out) {
        Verdict::Right => (Claim::Right, String::new()),
        Verdict::Partly { not_shown } => (Claim::Partly, format!("{not_shown:?}")),
        Verdict::Wrong { deviations } => (Claim::Declined, format!("{deviations:?}")),
    }
}
