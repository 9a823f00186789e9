//! Tests of commissions with scripted events.

use serde_json::json;

use super::*;
use minismith_analysis::finding::Verdict as Weight;
use minismith_language_model::{Form, Part, Tokens};
use minismith_toolchain::workshop::check::CheckPhase;

const CODE: &str = "```python\nfrom reachy_mini import ReachyMini\n\n\ndef sway(robot: ReachyMini, degrees: float = 10.0) -> str:\n    \"\"\"Sways.\"\"\"\n    return \"swayed\"\n```";

fn order(request: &str) -> ToolSpec {
    ToolSpec { name: Some("sway".into()), request: request.into(), ..ToolSpec::default() }
}

fn answer(said: Completion) -> Event {
    Event::Answered(ModelAnswer { completion: said, tokens: Tokens::default(), from: "little model".into() })
}

fn specified(question: &str) -> Event {
    answer(Completion::Json(json!({
        "name": "ignored", "specification": "sway by 10 degrees", "plan": ["lean left", "lean right"],
        "assumption": "10 degrees", "question": question,
    })))
}

fn cases() -> Event {
    answer(Completion::Json(json!({"cases": [
        {"name": "defaults", "arguments": {}, "moves": ["antennas"]},
        {"name": "wide", "arguments": {"degrees": 20, "robot": "mine", "colour": "red"}, "moves": ["head"]},
    ]})))
}

fn checked(findings: &[(&str, Weight)]) -> Event {
    let findings: Vec<Finding> = findings
        .iter()
        .map(|(rule, verdict)| Finding {
            rule: (*rule).into(),
            module: None,
            line: 3,
            verdict: *verdict,
            reason: format!("{rule} is broken"),
            hint: "repair it".into(),
        })
        .collect();
    let accepted = findings.iter().all(|finding| finding.verdict != Weight::Reject);
    Event::Checked(Box::new(Checked {
        name: "sway".into(),
        accepted,
        needs_approval: false,
        phase: if accepted { CheckPhase::Accepted } else { CheckPhase::Policy },
        findings,
        report: None,
        cases: Vec::new(),
        expectations: Vec::new(),
        rejected_motion: Vec::new(),
    }))
}

fn reviewed(verdict: &str, meets: bool) -> Event {
    answer(Completion::Json(json!({
        "meets_request": meets, "honest": true, "risks": ["it sways"], "verdict": verdict, "reason": "because",
    })))
}

#[track_caller]
fn prompt(effect: Effect) -> Prompt {
    match effect {
        Effect::Ask(prompt) => prompt,
        other => panic!("the model should be asked, and not {other:?}"),
    }
}

#[track_caller]
fn over(effect: Effect) -> AuthoringResult {
    match effect {
        Effect::Over(over) => over,
        other => panic!("it should be over, and not {other:?}"),
    }
}

fn reported(prompt: &Prompt) -> String {
    let parts = prompt.messages.iter().flat_map(|message| &message.parts);
    parts
        .map(|part| match part {
            Part::Text { text } | Part::Data { text, .. } => text.as_str(),
            _ => "",
        })
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn a_rejected_draft_is_fixed_reviewed_and_stored() {
    let (mut commission, first) = ToolAuthoring::begin(order("sway a bit with the antennas"), 3, 900);
    let first = prompt(first);
    assert!(matches!(first.form, Form::Json(_)) && reported(&first).contains("sway a bit"));
    // A person's request is data and is never among the instructions.
    assert!(!first.instructions.contains("sway"));

    let write = prompt(commission.step(specified("")));
    assert!(reported(&write).contains("1. lean left\n2. lean right"), "{}", reported(&write));
    let test = prompt(commission.step(answer(Completion::Text(CODE.into()))));
    // The tester knows the parameters and has not seen the code.
    assert!(
        reported(&test).contains("degrees: float = 10.0") && !reported(&test).contains("swayed"),
        "{}",
        reported(&test)
    );
    let Effect::Check(draft) = commission.step(cases()) else { panic!() };
    assert_eq!(draft.test_cases.len(), 2);
    assert_eq!(draft.test_cases[1].arguments, json!({"degrees": 20}).as_object().cloned().unwrap());
    assert_eq!(draft.test_cases[0].motion.as_ref().unwrap().moves.len(), 2);

    let repair = prompt(commission.step(checked(&[("unit", Weight::Reject), ("long", Weight::Pass)])));
    let text = reported(&repair);
    assert!(
        text.contains("line 3: unit is broken [unit]; repair it") && !text.contains("long is broken"),
        "{text}"
    );
    assert!(text.contains("return \"swayed\""));
    // The test cases stay; they are not written again for the fixed code.
    let Effect::Check(again) = commission.step(answer(Completion::Text(CODE.into()))) else { panic!() };
    assert_eq!(again.test_cases, draft.test_cases);
    let review = prompt(commission.step(checked(&[])));
    assert_eq!(review.purpose, "reviewer");
    assert_eq!(
        commission.step(reviewed("accept", true)),
        Effect::Accept { reviewer: "little model".into(), risks: vec!["it sways".into()], ask: false },
    );
    let over = over(commission.step(Event::Accepted(1)));
    assert_eq!((over.accepted, over.iterations, over.refusals.len()), (Ok(1), 2, 1));
    assert_eq!((over.draft.name.as_str(), over.assumption.as_str()), ("sway", "10 degrees"));
}

#[test]
fn the_model_asks_at_most_one_question_and_then_assumes() {
    let (mut commission, _) = ToolAuthoring::begin(order("do the thing"), 3, 900);
    assert_eq!(commission.step(specified("Which thing?")), Effect::AskPerson("Which thing?".into()));
    let again = prompt(commission.step(Event::Replied(Some("sway".into()))));
    assert!(reported(&again).contains("Do not ask again"));
    // A second question is not asked.
    assert_eq!(prompt(commission.step(specified("Are you sure?"))).purpose, "author");
}

#[test]
fn the_commission_ends_after_the_maximum_number_of_tries() {
    let (mut commission, _) = ToolAuthoring::begin(order("sway"), 2, 900);
    commission.step(specified(""));
    commission.step(answer(Completion::Text(CODE.into())));
    commission.step(cases());
    prompt(commission.step(checked(&[("unit", Weight::Reject)])));
    commission.step(answer(Completion::Text(CODE.into())));
    let over = over(commission.step(checked(&[("range", Weight::Reject)])));
    assert!(
        over.accepted.clone().unwrap_err().contains("refused 2 times, the last time for this: line 3: range"),
        "{over:?}"
    );
    assert_eq!(over.refusals.len(), 2);
}

#[test]
fn a_reviewer_may_reject_and_a_contradictory_one_defers_to_a_person() {
    let reviewing = || {
        let (mut commission, _) = ToolAuthoring::begin(order("sway"), 3, 900);
        commission.step(specified(""));
        commission.step(answer(Completion::Text(CODE.into())));
        commission.step(cases());
        commission.step(checked(&[]));
        commission
    };
    let repair = prompt(reviewing().step(reviewed("refuse", false)));
    assert!(reported(&repair).contains("because [review]"), "{}", reported(&repair));
    for verdict in [reviewed("refuse", true), reviewed("ask", true), reviewed("accept", false)] {
        assert!(matches!(reviewing().step(verdict), Effect::Accept { ask: true, .. }));
    }
}

#[test]
fn code_is_extracted_from_the_text_around_it() {
    let bare = "def other(robot) -> str:\n    return \"x\"";
    for said in [
        bare.to_owned(),
        format!("Here it is:\n```python\n{bare}\n```\nEnjoy!"),
        format!("```\n{bare}"),
        format!("```py\r\n{}\r\n```", bare.replace('\n', "\r\n")),
    ] {
        assert_eq!(read::code(&said, "sway"), "def sway(robot) -> str:\n    return \"x\"\n", "{said}");
    }
    // Of several public functions none is renamed; the policy reports them.
    let two = "def one():\n    pass\n\n\ndef two():\n    pass\n";
    assert_eq!(read::code(two, "sway"), two);
    let long = "def sway(\n    robot: ReachyMini,\n    times: int = 2,\n) -> str:\n    return \"\"\n";
    assert!(read::signature(long, "sway").contains("times: int = 2"));
}

#[test]
fn without_a_model_the_commission_ends_with_a_reason() {
    let (mut commission, _) = ToolAuthoring::begin(order("sway"), 3, 900);
    assert!(
        over(commission.step(Event::NoAnswer(ModelCallError::GivenUp)))
            .accepted
            .unwrap_err()
            .contains("stop")
    );
    let (mut commission, _) = ToolAuthoring::begin(order("sway"), 3, 900);
    assert_eq!(over(commission.step(Event::Stopped)).accepted, Err("I was stopped".into()));
}

#[test]
fn unusable_answers_are_skipped_where_that_weakens_no_verification() {
    let unusable = || {
        Event::NoAnswer(ModelCallError::Unusable {
            endpoint: "here".into(),
            reason: "it holds no whole JSON".into(),
        })
    };
    let (mut commission, _specify) = ToolAuthoring::begin(order("sway with the antennas"), 3, 500);
    let writing = prompt(commission.step(unusable()));
    assert_eq!(writing.purpose, "author");
    assert!(reported(&writing).contains("sway with the antennas"), "the request is the specification");
    assert_eq!(prompt(commission.step(answer(Completion::Text(CODE.into())))).purpose, "tester");
    let Effect::Check(draft) = commission.step(unusable()) else { panic!("the rehearsal goes on") };
    assert!(draft.test_cases.is_empty());
    assert_eq!(prompt(commission.step(checked(&[]))).purpose, "reviewer");
    // The tool has no review, so a person has to look at it.
    assert!(matches!(commission.step(unusable()), Effect::Accept { ask: true, .. }));

    // Without code the commission can't go on.
    let (mut commission, _specify) = ToolAuthoring::begin(order("sway"), 3, 500);
    commission.step(specified(""));
    assert!(over(commission.step(unusable())).accepted.is_err());
}

#[test]
fn the_tester_requires_motion_only_of_parts_that_the_person_named() {
    for (request, count) in [("sway with the antennas", 2), ("sway gently", 0)] {
        let (mut commission, _specify) = ToolAuthoring::begin(order(request), 3, 500);
        commission.step(specified(""));
        commission.step(answer(Completion::Text(CODE.into())));
        let Effect::Check(draft) = commission.step(cases()) else { panic!("it is checked") };
        let asked: usize =
            draft.test_cases.iter().flat_map(|case| &case.motion).map(|motion| motion.moves.len()).sum();
        assert_eq!(asked, count, "{request}");
    }
}
