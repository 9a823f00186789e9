//! Requests in ordinary words: how many of them become what was asked for, and whether the program says so, measured on
//! simulated motions.
//!
//! `PRACTICE_BATCH=12` shows what became of the requests of a batch, and `PRACTICE_CLAIMS=1` those whose claim differs
//! from their checks.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod claim;

use std::collections::BTreeMap;
use std::path::Path;

use minismith_composer::{Composed, NoLibrary, Outcome, compose, modify};
use minismith_score::expects::{Expect, Expects};
use minismith_score::{Score, read, write};
use serde::Deserialize;

use claim::{Claim, claim, deviations, measure};

/// The least number of requests that become what was asked for, with nothing left over.
const FLOOR: usize = 451;
/// The largest number of tools that are claimed to be right and do something else.
const MAX_WRONG_AS_RIGHT: usize = 2;
/// The largest number of right tools that are refused.
const MAX_RIGHT_REFUSED: usize = 10;

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

/// Whether a motion passes the checks of its case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Checked {
    Right,
    Wrong,
    /// The composer made nothing.
    Nothing,
}

struct Result {
    grade: Grade,
    checked: Checked,
    claim: Claim,
    /// What is to be said about the case.
    told: String,
}

fn steps(score: &Score) -> String {
    let source = write(score);
    let call = source.split_once("perform(").map_or("", |(_, rest)| rest);
    let call = call.split_once("perform(").map_or(call, |(_, rest)| rest);
    call.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn result(case: &Case) -> Result {
    let nothing = |grade, told: &str| Result {
        grade,
        checked: Checked::Nothing,
        claim: Claim::Declined,
        told: told.to_owned(),
    };
    let composed: Composed = match &case.before {
        None => compose(&case.request, &NoLibrary),
        Some(before) => match compose(before, &NoLibrary).score() {
            Some(score) => modify(score, &case.request),
            None => return nothing(Grade::Declined, "the tool before was declined"),
        },
    };
    let missing: Vec<&str> = composed.not_understood.iter().map(|(text, _)| text.as_str()).collect();
    let is_named = case.names.as_ref().is_some_and(|name| missing.iter().any(|text| text.contains(name)));
    let score = match &composed.outcome {
        Outcome::Declined(declined) => {
            let grade = if case.declined || is_named { Grade::Right } else { Grade::Declined };
            return nothing(grade, &format!("declined: {declined} {missing:?}"));
        }
        Outcome::Score(score) => score,
    };
    assert_eq!(read(&write(score)).as_ref(), Ok(score), "{}", case.request);
    let (claim, why) = claim(&case.request, case.before.is_some(), &composed, score);
    let mut told = format!(
        "{}\n   missing {missing:?} notes {:?}\n   claimed {claim:?} {why}",
        steps(score),
        composed.notes
    );
    if case.declined {
        let grade = if missing.is_empty() { Grade::Wrong } else { Grade::Partly };
        return Result { grade, checked: Checked::Wrong, claim, told };
    }
    let failed = match measure(&Expects(case.expects.clone()), score) {
        Ok(measured) => deviations(&measured),
        Err(error) => vec![error],
    };
    for line in &failed {
        told = format!("{told}\n   {line}");
    }
    // A word that must be named is missing in the tool, so the tool is right only in part.
    let is_right = failed.is_empty() && case.names.is_none();
    let checked = if is_right { Checked::Right } else { Checked::Wrong };
    let grade = match (&case.names, failed.is_empty(), missing.is_empty()) {
        (Some(_), ..) if is_named => Grade::Right,
        (Some(_), ..) => Grade::Wrong,
        (None, true, true) => Grade::Right,
        (None, _, false) => Grade::Partly,
        (None, false, true) => Grade::Wrong,
    };
    Result { grade, checked, claim, told }
}

#[test]
fn requests_in_ordinary_words_become_what_was_asked_for() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/authoring_practice.yaml");
    let cases: Cases = serde_yaml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let shown: Option<usize> = std::env::var("PRACTICE_BATCH").ok().and_then(|batch| batch.parse().ok());
    let shows_claims = std::env::var("PRACTICE_CLAIMS").is_ok();
    let mut by_batch: BTreeMap<usize, BTreeMap<Grade, usize>> = BTreeMap::new();
    let mut table: BTreeMap<(Checked, Claim), usize> = BTreeMap::new();
    let mut by_batch_table: BTreeMap<usize, BTreeMap<(Checked, Claim), usize>> = BTreeMap::new();
    let mut right = 0;
    for case in &cases.cases {
        if let Err(error) = Expects(case.expects.clone()).check() {
            panic!("{}: {error}", case.request);
        }
        let Result { grade, checked, claim, told } = result(case);
        *by_batch.entry(case.batch).or_default().entry(grade).or_default() += 1;
        right += usize::from(grade == Grade::Right);
        // A request that had to be declined was: what the composer made of it does not count.
        if !(case.declined && claim == Claim::Declined) {
            *table.entry((checked, claim)).or_default() += 1;
            *by_batch_table.entry(case.batch).or_default().entry((checked, claim)).or_default() += 1;
        }
        let is_shown = (shown == Some(case.batch) || shown == Some(0)) && grade != Grade::Right;
        let is_false = (checked == Checked::Wrong && claim == Claim::Right)
            || (checked == Checked::Right && claim == Claim::Declined);
        if is_shown || (shows_claims && is_false) {
            println!("-- {grade:?} [{} {}] {} {:?}", case.batch, case.group, case.request, case.before);
            println!("   {told}");
        }
    }
    for (batch, grades) in &by_batch {
        println!("batch {batch}: {grades:?} {:?}", by_batch_table.get(batch));
    }
    let count = |checked, claim| table.get(&(checked, claim)).copied().unwrap_or(0);
    println!("{:>10} {:>8} {:>8} {:>8}", "claimed", "right", "partly", "declined");
    for checked in [Checked::Right, Checked::Wrong, Checked::Nothing] {
        let row = [Claim::Right, Claim::Partly, Claim::Declined].map(|claim| count(checked, claim));
        println!("{:>10} {:>8} {:>8} {:>8}", format!("{checked:?}"), row[0], row[1], row[2]);
    }
    println!("{right} of {} right", cases.cases.len());
    assert!(right >= FLOOR, "{right} of {} are right, at least {FLOOR} were", cases.cases.len());
    let wrong_as_right = count(Checked::Wrong, Claim::Right);
    assert!(wrong_as_right <= MAX_WRONG_AS_RIGHT, "{wrong_as_right} wrong tools are claimed to be right");
    let refused = count(Checked::Right, Claim::Declined);
    assert!(refused <= MAX_RIGHT_REFUSED, "{refused} right tools are refused");
}
