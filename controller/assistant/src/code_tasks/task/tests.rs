use serde_json::json;

use super::super::sandbox::Failure;
use super::*;
use minismith_language_model::Tokens;

const CODE: &str = "def answer(inputs, outputs):\n    return 1\n";

fn says(said: Completion) -> Event {
    Event::Answered(ModelAnswer { completion: said, tokens: Tokens::default(), from: "test model".into() })
}

fn writes(code: &str) -> Event {
    says(Completion::Text(format!("Here it is:\n```python\n{code}```\nDone.")))
}

fn judges(answers: bool, problem: &str) -> Event {
    says(Completion::Json(
        json!({"answers": answers, "problem": problem, "assumptions": ["metres are meant"]}),
    ))
}

fn ran(value: Result<Value, Failure>) -> Event {
    Event::Ran(Box::new(RunResult {
        value,
        printed: "p".into(),
        outputs: vec![],
        notes: vec![],
        seconds: 0.25,
    }))
}

fn begin(written: Option<Written>, thinks: bool) -> (Task, Effect) {
    Task::begin("how long is it?", "no files".into(), written, thinks, 100)
}

fn asked(effect: &Effect) -> &Prompt {
    match effect {
        Effect::Ask(prompt) => prompt,
        other => panic!("{other:?}"),
    }
}

fn over(effect: Effect) -> Report {
    match effect {
        Effect::Over(report) => *report,
        other => panic!("{other:?}"),
    }
}

fn raised() -> Failure {
    Failure::Raised { kind: "KeyError".into(), message: "no column".into(), line: Some(2) }
}

#[test]
fn a_task_writes_runs_and_verifies_code_and_reports_assumptions() {
    let (mut task, first) = begin(None, true);
    assert_eq!(
        (asked(&first).purpose, &asked(&first).form),
        ("code_task", &minismith_language_model::Form::Text)
    );
    assert_eq!(task.step(writes(CODE)), Effect::Run(CODE.into()));
    let verify = task.step(ran(Ok(json!(3))));
    assert_eq!(asked(&verify).purpose, "code_task_verify");
    let report = over(task.step(judges(true, "")));
    assert!(report.success && report.error.is_none());
    assert_eq!((report.answer, report.iterations, report.author.as_str()), (json!(3), 1, "test model"));
    assert_eq!(
        (report.assumptions, report.output, report.execution_time_s),
        (vec!["metres are meant".into()], "p".into(), 0.25)
    );
    let by: Vec<Verifier> = report.verification_history.iter().map(|it| it.by).collect();
    assert_eq!(by, [Verifier::Policy, Verifier::Run, Verifier::Rules, Verifier::Model]);
}

#[test]
fn each_kind_of_failure_is_fixed_at_most_three_times() {
    let finding = minismith_analysis::policy::vet_script("import os\n").unwrap_err();
    let (mut task, _) = begin(None, true);
    let _run = task.step(writes(CODE));
    let repair = task.step(Event::Refused(finding));
    assert_eq!(asked(&repair).purpose, "code_task_mend");
    assert!(format!("{repair:?}").contains("unlisted-import"));
    let _run = task.step(writes(CODE));
    assert!(format!("{:?}", task.step(ran(Err(raised())))).contains("KeyError: no column (line 2)"));
    let _run = task.step(writes(CODE));
    assert!(format!("{:?}", task.step(ran(Ok(Value::Null)))).contains("returned None"));
    let _run = task.step(writes(CODE));
    let _verify = task.step(ran(Ok(json!(1))));
    let report = over(task.step(judges(false, "it must take the other column")));
    assert!(!report.success && report.answer.is_null() && report.outputs.is_empty());
    assert!(report.error.unwrap().contains("4 tries"), "one that was written and three that were fixed");
    assert_eq!((report.iterations, report.modifications.len()), (4, 3));
    let failed = report.verification_history.iter().filter(|it| !it.passed).map(|it| (it.iteration, it.by));
    let expected = [(1, Verifier::Policy), (2, Verifier::Run), (3, Verifier::Rules), (4, Verifier::Model)];
    assert_eq!(failed.collect::<Vec<_>>(), expected);
}

#[test]
fn without_a_model_there_is_one_try() {
    let written = Written { code: CODE.into(), author: "offline".into(), ..Written::default() };
    let (mut task, first) = begin(Some(written.clone()), false);
    assert_eq!(first, Effect::Run(CODE.into()));
    assert!(over(task.step(ran(Ok(json!(1))))).success);
    let (mut task, _) = begin(Some(written), false);
    let report = over(task.step(ran(Err(raised()))));
    assert!(!report.success && report.modifications.is_empty() && report.error.unwrap().contains("KeyError"));
}

#[test]
fn a_failing_model_ends_the_task_with_an_honest_report() {
    let gone = || Event::NoAnswer(ModelCallError::GivenUp);
    let (mut task, _) = begin(None, true);
    assert!(!over(task.step(gone())).success);
    let (mut task, _) = begin(None, true);
    let _run = task.step(writes(CODE));
    let _verify = task.step(ran(Ok(json!(1))));
    let report = over(task.step(gone()));
    assert!(report.success && report.assumptions[0].contains("was not checked"), "{report:?}");
    let (mut task, _) = begin(None, true);
    let _run = task.step(writes(CODE));
    let _verify = task.step(ran(Ok(json!(1))));
    assert!(!over(task.step(says(Completion::Text("yes, sure".into())))).success);
    // A verdict other than exactly yes does not pass.
    let (mut task, _) = begin(None, true);
    let _run = task.step(writes(CODE));
    let _verify = task.step(ran(Ok(json!(1))));
    let repair = task.step(says(Completion::Json(json!({"answers": "true"}))));
    assert_eq!(asked(&repair).purpose, "code_task_mend");
}
