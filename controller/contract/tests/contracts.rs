//! Requests with right and wrong motions: the contract refuses the wrong ones and no right one.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::path::Path;

use minismith_contract::{Contract, Verdict};
use minismith_score::expects::{Measured, Runs};
use minismith_score::{
    Arguments, Event, EventSpan, MotionTrace, Score, Setting, Stimuli, compile, read, simulate,
};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cases {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    request: String,
    #[serde(default)]
    unseen: bool,
    /// The parameters of both motions, with their defaults.
    #[serde(default)]
    parameters: BTreeMap<String, f64>,
    right: String,
    wrong: String,
    /// What is wrong with the wrong one.
    fault: String,
}

fn source(steps: &str, parameters: &BTreeMap<String, f64>) -> String {
    let names = "antennas, body, clap, face, head, neutral, perform, play, ramp, repeat, sequence, sound, thing, tilted, \
                 together, touch, until, as_long_as, voice, wait, when, whenever";
    let (mut signature, mut arguments, mut checks) = (String::new(), String::new(), String::new());
    for (name, default) in parameters {
        let (kind, low, high) = if name == "times" { ("int", "1", "10") } else { ("float", "0.5", "90.0") };
        let shown = if kind == "int" { format!("{default}") } else { format!("{default:.1}") };
        let range = format!("between {} and {}", low, high.trim_end_matches(".0"));
        signature += &format!(", {name}: {kind} = {shown}");
        arguments += &format!("        {name}: How much, {range}.\n");
        checks += &format!(
            "    if not {low} <= {name} <= {high}:\n        raise ValueError(\"{name} must be {range}\")\n"
        );
    }
    if !arguments.is_empty() {
        arguments = format!("\n    Args:\n{arguments}    ");
        arguments.insert(0, '\n');
    }
    format!(
        "from reachy_mini import ReachyMini\nfrom motion import {names}\n\n\ndef t(robot: ReachyMini{signature}) -> str:\n    \
         \"\"\"Moves.{arguments}\"\"\"\n{checks}    return perform(robot, {steps})\n"
    )
}

fn trace(score: &Score, arguments: &Arguments, events: Vec<EventSpan>) -> MotionTrace {
    let setting = Setting { stimuli: Stimuli::new(events), ..Setting::default() };
    let timeline = compile(score, arguments, &setting).unwrap();
    simulate(&timeline, &setting.stimuli)
}

/// Measures what a contract expects on the calls that it needs.
fn measure(contract: &Contract, score: &Score) -> Vec<Measured> {
    let expects = contract.expectations();
    let default = trace(score, &Arguments::new(), Vec::new());
    let calls: Vec<(String, f64, MotionTrace)> = expects
        .parameter_calls()
        .into_iter()
        .filter(|(name, _)| score.parameters.iter().any(|parameter| parameter.name == *name))
        .map(|(name, value)| {
            let trace = trace(score, &Arguments::from([(name.clone(), value)]), Vec::new());
            (name, value, trace)
        })
        .collect();
    let events: Vec<(Event, MotionTrace)> = expects
        .events()
        .into_iter()
        .map(|event| {
            let length = if event == Event::Clap { 0.3 } else { 4.0 };
            let span = EventSpan { event: event.clone(), from: 3.0, to: 3.0 + length };
            (event, trace(score, &Arguments::new(), vec![span]))
        })
        .collect();
    let runs = Runs {
        default: &default,
        with_parameter: calls.iter().map(|(name, value, trace)| (name.clone(), *value, trace)).collect(),
        with_event: events.iter().map(|(event, trace)| (event.clone(), trace)).collect(),
    };
    expects.measure_runs(&runs)
}

#[test]
fn wrong_motions_are_caught_and_right_ones_pass() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/contracts.yaml");
    let cases: Cases = serde_yaml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!(cases.cases.len(), 60);
    let mut caught = [0, 0];
    let mut refused = [0, 0];
    let mut partly = [0, 0];
    for (index, case) in cases.cases.iter().enumerate() {
        assert_eq!(case.unseen, index % 2 == 1, "every second case is unseen: {}", case.request);
        let half = usize::from(case.unseen);
        let contract = Contract::from_request(&case.request);
        let read = |steps: &str| {
            read(&source(steps, &case.parameters))
                .unwrap_or_else(|error| panic!("{}: {steps}: {error}", case.request))
        };
        let right = measure(&contract, &read(&case.right));
        let wrong = measure(&contract, &read(&case.wrong));
        match contract.verdict(&right) {
            Verdict::Wrong { deviations } => {
                refused[half] += 1;
                if !case.unseen {
                    println!("refused right: {}\n    {deviations:?}", case.request);
                }
            }
            Verdict::Partly { not_shown } => {
                partly[half] += 1;
                if !case.unseen {
                    println!("only partly: {}\n    {not_shown:?}", case.request);
                }
            }
            Verdict::Right => {}
        }
        match contract.verdict(&wrong) {
            Verdict::Wrong { .. } => caught[half] += 1,
            other if !case.unseen => println!(
                "not caught ({}): {} {other:?}\n    {:?}",
                case.fault, case.request, contract.expects
            ),
            _ => {}
        }
    }
    println!(
        "seen: caught wrong {}/30, refused right {}/30, right but only partly {}/30",
        caught[0], refused[0], partly[0]
    );
    println!(
        "unseen: caught wrong {}/30, refused right {}/30, right but only partly {}/30",
        caught[1], refused[1], partly[1]
    );
    println!("caught wrong {}/60, refused right {}/60", caught[0] + caught[1], refused[0] + refused[1]);
    assert!(caught[0] + caught[1] >= 57 && refused[0] + refused[1] <= 3);
}
