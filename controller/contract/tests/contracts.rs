//! Requests with right and wrong motions: the contract refuses the wrong ones and no right one.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::path::Path;

use minismith_contract::{Contract, Verdict};
use minismith_score::expects::Measured;
use minismith_score::{Kind, Parameter, Score, read_steps, validate};
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

/// Returns the tool with these steps and parameters.
fn tool(steps: &str, parameters: &BTreeMap<String, f64>) -> Result<Score, String> {
    let parameters = parameters.iter().map(|(name, default)| {
        let (kind, low, high) =
            if name == "times" { (Kind::Int, 1.0, 10.0) } else { (Kind::Float, 0.5, 90.0) };
        Parameter { name: name.clone(), kind, default: *default, low, high, meaning: "How much".to_owned() }
    });
    let score = Score {
        name: "t".to_owned(),
        summary: "Moves.".to_owned(),
        parameters: parameters.collect(),
        steps: read_steps(steps).map_err(|error| error.to_string())?,
    };
    validate(&score).map_err(|error| error.to_string())?;
    Ok(score)
}

/// Measures what a contract expects on the calls that it needs.
fn measure(contract: &Contract, score: &Score) -> Vec<Measured> {
    score.measure_simulated(&contract.expectations()).unwrap()
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
            tool(steps, &case.parameters).unwrap_or_else(|error| panic!("{}: {steps}: {error}", case.request))
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
