//! The file of cases is complete, and a case that contradicts itself is rejected.

use std::collections::BTreeMap;

use crate::cases::{Case, Outcome, parse};
use crate::judge::runs;

/// The cases of the project.
pub const CASES: &str = include_str!("../../../../tests/cases/authoring.yaml");

/// Reads the cases of the project.
pub fn cases() -> Vec<Case> {
    parse(CASES).expect("the cases are valid")
}

#[test]
fn there_are_120_cases_half_of_them_unseen_in_each_group() {
    let cases = cases();
    assert_eq!(cases.len(), 120);
    assert_eq!(cases.iter().filter(|case| case.unseen).count(), 60);
    let mut groups = BTreeMap::new();
    for case in &cases {
        groups.entry(case.group).or_insert_with(Vec::new).push(case);
    }
    assert_eq!(groups.len(), 12);
    for (group, cases) in groups {
        assert_eq!(cases.len(), 10, "{group:?}");
        for (place, case) in cases.iter().enumerate() {
            assert!(case.id.ends_with(&format!("_{:02}", place + 1)), "{}", case.id);
            assert_eq!(case.unseen, place % 2 == 1, "{}", case.id);
        }
    }
}

#[test]
fn each_request_is_different_and_has_an_outcome_that_can_be_judged() {
    let cases = cases();
    let mut requests: Vec<(&str, &str)> = cases
        .iter()
        .map(|case| (case.before.as_deref().unwrap_or_default(), case.request.as_str()))
        .collect();
    requests.sort_unstable();
    requests.dedup();
    assert_eq!(requests.len(), cases.len());
    for case in &cases {
        assert_eq!(runs(case).is_empty(), case.outcome == Outcome::Declined, "{}", case.id);
    }
    for words in [
        "make a tool called left_ear_salute that lifts only the left antenna and puts it back, the head stays where it is",
        "wave with the antennas whenever you see a face, for twenty seconds",
    ] {
        assert!(cases.iter().any(|case| case.request == words), "{words}");
    }
}

/// Returns why a case with these checks is rejected.
fn problem(rest: &str) -> String {
    let yaml = format!("cases:\n  - id: one\n    group: counts\n    request: nod\n    {rest}\n");
    parse(&yaml).expect_err("the case is invalid").to_string()
}

#[test]
fn unknown_fields_and_words_are_rejected() {
    assert!(problem("cheks: []").contains("cheks"));
    assert!(problem("checks: [{moves: {axis: head_turn, direction: left, atleast: 3}}]").contains("atleast"));
    assert!(problem("checks: [{wobbles: {axis: head_turn}}]").contains("wobbles"));
    assert!(problem("checks: [{moves: {axis: head_yaw, direction: left}}]").contains("head_yaw"));
    assert!(problem("checks: [{still: {parts: [neck]}}]").contains("neck"));
}

#[test]
fn checks_that_no_motion_can_pass_are_rejected() {
    let problems = [
        ("checks: []", "nothing to check"),
        ("checks: [{moves: {axis: head_turn, direction: up}}]", "no direction `up`"),
        ("checks: [{moves: {axis: head_turn, direction: left, at_least: 90}}]", "outside of the possible"),
        ("checks: [{moves: {axis: head_rise, direction: up, at_least: 30}}]", "outside of the possible"),
        ("checks: [{moves: {axis: head_turn, direction: left, at_least: 20, at_most: 10}}]", "no range"),
        ("checks: [{moves: {axis: head_turn, direction: left, at_least: .nan}}]", "no range"),
        ("checks: [{swings: {axis: head_turn, direction: left}}]", "neither"),
        (
            "checks: [{swings: {axis: head_turn, direction: left, count: 2, at_most: 3}}]",
            "either count or a range",
        ),
        ("checks: [{swings: {axis: head_turn, direction: left, count: 2, min_size: 0.5}}]", "noise"),
        ("checks: [{overlap: {axes: [head_turn, head_turn]}}]", "with itself"),
        ("checks: [{order: {events: [{axis: head_turn}]}}]", "at least two"),
        (
            "checks: [{order: {events: [{axis: head_turn}, {axis: head_turn, back: head_turn}]}}]",
            "one of axis",
        ),
        ("checks: [{order: {events: [{axis: head_turn}, {axis: head_turn, direction: any}]}}]", "the same"),
        ("checks: [{reacts: {to: face, with: {axis: head_turn}, within: 2}}]", "not shown"),
        ("checks: [{quiet: {when: before}}]", "not shown"),
        ("checks: [{sound: {}}]", "count or at_least"),
        ("checks: [{duration: {of: run, at_least: 90}}]", "outside of the possible"),
        ("outcome: declined\n    checks: [{sound: {count: 1}}]", "declined"),
        ("calls: [{name: a, arguments: {}, checks: [{sound: {count: 1}}]}]", "no arguments"),
        (
            "effects: [{measure: duration, from: before, to: default, at_least: 1.2}]",
            "no run is named `before`",
        ),
    ];
    for (rest, words) in problems {
        let problem = problem(rest);
        assert!(problem.contains(words), "{rest}: {problem}");
    }
    let twice = "cases:\n  - {id: one, group: refusals, request: a, outcome: declined}\n  - {id: one, group: refusals, request: b, outcome: declined}\n";
    assert!(parse(twice).expect_err("two of one id").to_string().contains("same id"));
}
