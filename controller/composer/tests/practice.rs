//! Requests in ordinary words: how many of them become what was asked for, measured on simulated motions.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::path::Path;

use minismith_composer::{Composed, NoLibrary, Outcome, compose, modify};
use minismith_score::expects::{Expect, Expects, Measured, Runs};
use minismith_score::{
    Arguments, Event, EventSpan, MotionTrace, Score, Setting, Stimuli, compile, read, simulate, write,
};
use serde::Deserialize;

/// The least number of requests that become what was asked for, with nothing left over.
const FLOOR: usize = 235;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cases {
    #[serde(with = "serde_yaml::with::singleton_map_recursive")]
    cases: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    batch: usize,
    group: String,
    /// The request of the tool that is corrected.
    #[serde(default)]
    before: Option<String>,
    request: String,
    #[serde(default)]
    declined: bool,
    /// A word that must be named as not understood.
    #[serde(default)]
    names: Option<String>,
    #[serde(default)]
    expects: Vec<Expect>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Grade {
    Right,
    /// Something of the request is named as not understood.
    Partly,
    /// No tool, though there should be one.
    Declined,
    /// Something else than was asked for, without a note.
    Wrong,
}

fn trace(score: &Score, arguments: &Arguments, events: Vec<EventSpan>) -> Result<MotionTrace, String> {
    let setting = Setting { stimuli: Stimuli::new(events), ..Setting::default() };
    let timeline = compile(score, arguments, &setting).map_err(|error| error.to_string())?;
    Ok(simulate(&timeline, &setting.stimuli))
}

fn measure(expects: &Expects, score: &Score) -> Result<Vec<Measured>, String> {
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

fn deviations(measured: &[Measured]) -> Vec<String> {
    let failed = measured.iter().filter(|one| !one.held);
    failed.map(|one| format!("expected {}, measured {}", one.expected, one.measured)).collect()
}

fn steps(score: &Score) -> String {
    let source = write(score);
    let call = source.split_once("perform(").map_or("", |(_, rest)| rest);
    let call = call.split_once("perform(").map_or(call, |(_, rest)| rest);
    call.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Grades a case, with what is to be said about it.
fn grade(case: &Case) -> (Grade, String) {
    let composed: Composed = match &case.before {
        None => compose(&case.request, &NoLibrary),
        Some(before) => match compose(before, &NoLibrary).score() {
            Some(score) => modify(score, &case.request),
            None => return (Grade::Declined, "the tool before was declined".to_owned()),
        },
    };
    let missing: Vec<&str> = composed.not_understood.iter().map(|(text, _)| text.as_str()).collect();
    let score = match &composed.outcome {
        Outcome::Declined(declined) => {
            let is_named =
                case.names.as_ref().is_some_and(|name| missing.iter().any(|text| text.contains(name)));
            let grade = if case.declined || is_named { Grade::Right } else { Grade::Declined };
            return (grade, format!("declined: {declined} {missing:?}"));
        }
        Outcome::Score(score) => score,
    };
    assert_eq!(read(&write(score)).as_ref(), Ok(score), "{}", case.request);
    let mut told = format!("{}\n   missing {missing:?} notes {:?}", steps(score), composed.notes);
    if case.declined {
        return (if missing.is_empty() { Grade::Wrong } else { Grade::Partly }, told);
    }
    if let Some(name) = &case.names {
        let is_named = missing.iter().any(|text| text.contains(name));
        return (if is_named { Grade::Right } else { Grade::Wrong }, told);
    }
    let failed = match measure(&Expects(case.expects.clone()), score) {
        Ok(measured) => deviations(&measured),
        Err(error) => vec![error],
    };
    for line in &failed {
        told = format!("{told}\n   {line}");
    }
    match (failed.is_empty(), missing.is_empty()) {
        (true, true) => (Grade::Right, told),
        (_, false) => (Grade::Partly, told),
        (false, true) => (Grade::Wrong, told),
    }
}

#[test]
fn requests_in_ordinary_words_become_what_was_asked_for() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/authoring_practice.yaml");
    let cases: Cases = serde_yaml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let shown: Option<usize> = std::env::var("PRACTICE_BATCH").ok().and_then(|batch| batch.parse().ok());
    let mut by_batch: BTreeMap<usize, BTreeMap<Grade, usize>> = BTreeMap::new();
    let mut right = 0;
    for case in &cases.cases {
        if let Err(error) = Expects(case.expects.clone()).check() {
            panic!("{}: {error}", case.request);
        }
        let (grade, told) = grade(case);
        *by_batch.entry(case.batch).or_default().entry(grade).or_default() += 1;
        right += usize::from(grade == Grade::Right);
        let is_shown = shown == Some(case.batch) || shown == Some(0);
        if is_shown && grade != Grade::Right {
            println!("-- {grade:?} [{}] {} {:?}", case.group, case.request, case.before);
            println!("   {told}");
        }
    }
    for (batch, grades) in &by_batch {
        println!("batch {batch}: {grades:?}");
    }
    println!("{right} of {} right", cases.cases.len());
    assert!(right >= FLOOR, "{right} of {} are right, at least {FLOOR} were", cases.cases.len());
}
