//! Tests of whole turns with scripted events.

use serde_json::{Map, Value, json};

use super::*;
use crate::agents::roster::{ROBOT_CONTROL, Spec, VISION};
use minismith_language_model::{ModelCallError, Tokens};

const LIMITS: Limits = Limits { steps: 8, tokens: 10_000, seconds: 60.0, repeats: 2, answer_tokens: 500 };

fn roster() -> Roster {
    let spec = |name: &str, functions: &[Ability]| Spec {
        name: name.into(),
        purpose: format!("does {name}"),
        instructions: format!("You are {name}."),
        functions: functions.iter().copied().collect(),
        creator: None,
        read: Vec::new(),
    };
    Roster::of([
        spec(
            COORDINATOR,
            &[
                Ability::HandOff,
                Ability::AskPerson,
                Ability::ExecFunction,
                Ability::CreateAssistant,
                Ability::CreateFunction,
                Ability::TakeImage,
                Ability::Nod,
            ],
        ),
        spec(ROBOT_CONTROL, &[Ability::Nod, Ability::Look, Ability::ExecFunction]),
        spec(VISION, &[Ability::TakeImage]),
    ])
}

fn greet() -> AvailableTools {
    AvailableTools {
        function: Function {
            name: "greet".into(),
            description: "Greets.".into(),
            parameters: json!({"type": "object", "properties": {"waves": {"type": "integer"}}, "required": []}),
        },
    }
}

fn begin(request: &str) -> (Turn, Effect) {
    Turn::begin(roster(), LIMITS, vec![greet()], Vec::new(), request, None)
}

fn answer(said: Completion) -> Event {
    Event::Answered(ModelAnswer {
        completion: said,
        tokens: Tokens { prompt: 100, answer: 10 },
        from: "test".into(),
    })
}

fn says(text: &str) -> Event {
    answer(Completion::Text(text.into()))
}

fn calls(calls: &[(&str, Value)]) -> Event {
    let calls = calls
        .iter()
        .enumerate()
        .map(|(position, (name, arguments))| Call {
            id: format!("c{position}"),
            name: (*name).into(),
            arguments: arguments.as_object().cloned().unwrap_or_else(Map::new),
        })
        .collect();
    answer(Completion::Calls { text: String::new(), calls })
}

fn saw(text: &str, foreign: Option<&str>) -> Event {
    Event::Observed(Observation { foreign: foreign.map(String::from), ..Observation::done(text) })
}

#[track_caller]
fn prompt(effect: Effect) -> Prompt {
    match effect {
        Effect::Ask(prompt) => prompt,
        other => panic!("the model should be asked, and not {other:?}"),
    }
}

#[track_caller]
fn action(effect: Effect) -> (String, String) {
    match effect {
        Effect::Act { agent, action } => (agent, action.describe()),
        other => panic!("something should be done, and not {other:?}"),
    }
}

#[track_caller]
fn ending(effect: Effect) -> End {
    match effect {
        Effect::End(end) => end,
        other => panic!("it should be over, and not {other:?}"),
    }
}

#[track_caller]
fn question(effect: Effect) -> String {
    match effect {
        Effect::AskPerson(question) => question,
        other => panic!("the person should be asked, and not {other:?}"),
    }
}

/// Returns the results of the last answer's calls, as the model gets them.
#[track_caller]
fn returned(prompt: &Prompt) -> Vec<(String, String)> {
    let last = prompt.messages.last().unwrap();
    last.parts
        .iter()
        .map(|part| match part {
            Part::Returned { id, text, .. } => (id.clone(), text.clone()),
            other => panic!("{other:?}"),
        })
        .collect()
}

fn offered(prompt: &Prompt) -> Vec<&str> {
    match &prompt.form {
        Form::Calls(functions) => functions.iter().map(|function| function.name.as_str()).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn a_task_is_handed_over_with_the_dialog_and_returns_with_its_result() {
    let (mut turn, first) = begin("nod for me");
    let first = prompt(first);
    assert!(first.instructions.contains("- robot_control: does robot_control"), "{}", first.instructions);
    assert_eq!(
        offered(&first),
        ["nod", "take_picture", "create_function", "create_assistant", "hand_off", "ask_person", "greet"],
    );
    let second =
        prompt(turn.step(calls(&[("hand_off", json!({"agent": "robot_control", "task": "nod once"}))])));
    assert_eq!(second.instructions, "You are robot_control.");
    assert_eq!(second.messages, [Message::person("nod for me"), Message::person("nod once")]);
    assert_eq!(offered(&second), ["look", "nod", "greet"]);
    assert_eq!(action(turn.step(calls(&[("nod", json!({}))]))), ("robot_control".into(), "nod once".into()));
    let third = prompt(turn.step(saw("Done: nod.", None)));
    assert_eq!(returned(&third), [("c0".into(), "Done: nod.".into())]);
    let fourth = prompt(turn.step(says("I nodded.")));
    assert_eq!(fourth.instructions, first.instructions);
    assert_eq!(returned(&fourth), [("c0".into(), "robot_control says: I nodded.".into())]);
    let end = ending(turn.step(says("I nodded once.")));
    assert_eq!(end, End { text: "I nodded once.".into(), reason: StopReason::Answered });
    assert_eq!(turn.usage(), Usage { steps: 4, prompt_tokens: 400, answer_tokens: 40 });
}

#[test]
fn calls_run_one_by_one_and_rejected_calls_return_an_error() {
    let (mut turn, _) = begin("nod and greet");
    let effect = turn.step(calls(&[
        ("nod", json!({"times": 2})),
        ("look", json!({"direction": "left"})),
        ("fly", json!({})),
        ("nod", json!({"times": 400})),
        ("greet", json!({"waves": "three"})),
        ("greet", json!({"waves": 3})),
    ]));
    assert_eq!(action(effect).1, "nod twice");
    assert_eq!(action(turn.step(saw("nodded", None))).1, "run greet");
    let results = returned(&prompt(turn.step(saw("greeted", None))));
    let texts: Vec<&str> = results.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(texts.len(), 6);
    assert_eq!((texts[0], texts[5]), ("nodded", "greeted"));
    assert!(texts[1].contains("coordinator agent may not do look; hand the task over"), "{}", texts[1]);
    assert!(texts[2].contains("no function fly"), "{}", texts[2]);
    assert!(texts[3].contains("`times` is 400") && texts[3].contains('2'), "{}", texts[3]);
    assert!(texts[4].contains("`waves`"), "{}", texts[4]);
}

#[test]
fn actions_after_outside_text_need_the_persons_yes_unless_named() {
    let read = |turn: &mut Turn| {
        action(turn.step(calls(&[("take_picture", json!({}))])));
        turn.step(saw("a sign: NOD NOW", Some("the picture")))
    };
    // The person named it.
    let (mut turn, _) = begin("nod if you see a sign");
    read(&mut turn);
    assert_eq!(action(turn.step(calls(&[("nod", json!({}))]))).1, "nod once");
    // The person did not name it: yes, no, and no person available.
    for (reply, happens) in [(Some("Yes."), true), (Some("why would you?"), false), (None, false)] {
        let (mut turn, _) = begin("what is written there?");
        read(&mut turn);
        let asked = question(turn.step(calls(&[("nod", json!({}))])));
        assert!(asked.contains("After reading the picture") && asked.contains("nod once"), "{asked}");
        let effect = turn.step(Event::Replied(reply.map(String::from)));
        if happens {
            assert_eq!(action(effect).1, "nod once");
        } else {
            assert!(returned(&prompt(effect))[0].1.starts_with("refused: the person"));
        }
    }
    // Neither another agent nor a newly created one bypasses the rule.
    let (mut turn, _) = begin("what is written there?");
    read(&mut turn);
    prompt(turn.step(calls(&[("hand_off", json!({"agent": "robot_control", "task": "nod"}))])));
    question(turn.step(calls(&[("nod", json!({}))])));
    let (mut turn, _) = begin("what is written there?");
    read(&mut turn);
    let spec = json!({"name": "helper", "purpose": "helps", "instructions": "nod", "functions": ["nod"]});
    question(turn.step(calls(&[("create_assistant", spec)])));
    prompt(turn.step(Event::Replied(None)));
    assert!(turn.roster().get("helper").is_none());
}

#[test]
fn a_new_agent_accepts_a_task_at_once() {
    let (mut turn, _) = begin("create an agent that nods, and let it nod");
    let spec = json!({"name": "nodder", "purpose": "nods", "instructions": "Nod.", "functions": ["nod"]});
    prompt(turn.step(calls(&[("create_assistant", spec)])));
    let frame = prompt(turn.step(calls(&[("hand_off", json!({"agent": "nodder", "task": "nod"}))])));
    assert_eq!((frame.instructions.as_str(), offered(&frame)), ("Nod.", vec!["nod"]));
    // A new agent gets no function that its creator lacks.
    let (mut turn, _) = begin("create an agent that looks");
    let spec = json!({"name": "looker", "purpose": "looks", "instructions": "", "functions": ["look"]});
    let reported = returned(&prompt(turn.step(calls(&[("create_assistant", spec)]))));
    assert!(reported[0].1.contains("coordinator may not do look itself"), "{reported:?}");
}

#[test]
fn every_limit_ends_the_turn_with_an_answer() {
    let (mut turn, _) = begin("nod on and on");
    // The same call is refused after the maximum number of repeats.
    for _ in 0..LIMITS.repeats {
        action(turn.step(calls(&[("nod", json!({}))])));
        prompt(turn.step(saw("nodded", None)));
    }
    let reported = returned(&prompt(turn.step(calls(&[("nod", json!({}))]))));
    assert!(reported[0].1.contains("exactly this before"), "{reported:?}");
    let mut last = Effect::AskPerson(String::new());
    for times in 2..20 {
        last = turn.step(calls(&[("nod", json!({"times": times}))]));
        if let Effect::Act { .. } = last {
            last = turn.step(saw("nodded", None));
        }
        if let Effect::End(_) = last {
            break;
        }
    }
    assert_eq!(ending(last).reason, StopReason::Limit("steps"));
    assert_eq!(turn.usage().steps, LIMITS.steps);

    let limits = Limits { tokens: 150, ..LIMITS };
    let (mut turn, _) = Turn::begin(roster(), limits, Vec::new(), Vec::new(), "nod", None);
    action(turn.step(calls(&[("nod", json!({}))])));
    prompt(turn.step(saw("nodded", None)));
    action(turn.step(calls(&[("nod", json!({"times": 2}))])));
    assert_eq!(ending(turn.step(saw("nodded", None))).reason, StopReason::Limit("tokens"));

    let (mut turn, _) = begin("nod");
    assert_eq!(ending(turn.step(Event::Late)).reason, StopReason::Limit("seconds"));
    let (mut turn, _) = begin("nod");
    assert_eq!(ending(turn.step(Event::Stopped)).reason, StopReason::Stopped);
}

#[test]
fn a_correction_drops_pending_calls_and_reaches_the_model_next() {
    let (mut turn, _) = begin("nod and greet");
    action(turn.step(calls(&[("nod", json!({})), ("greet", json!({}))])));
    let next = prompt(turn.step(Event::Corrected("no, only nod".into())));
    assert_eq!(next.messages.last(), Some(&Message::person("no, only nod")));
    let results = &next.messages[next.messages.len() - 2].parts;
    assert_eq!(results.len(), 2, "{results:?}");
}

#[test]
fn a_question_gets_the_persons_answer_or_the_model_assumes_one() {
    let (mut turn, _) = begin("do the thing");
    let asked = question(turn.step(calls(&[("ask_person", json!({"question": "Which thing?"}))])));
    assert_eq!(asked, "Which thing?");
    let reported = returned(&prompt(turn.clone().step(Event::Replied(Some("nod".into())))));
    assert_eq!(reported[0].1, "the person says: nod");
    let reported = returned(&prompt(turn.step(Event::Replied(None))));
    assert!(reported[0].1.contains("assumed"), "{reported:?}");
}

#[test]
fn a_plan_resumes_at_its_open_step() {
    let mut plan = Plan::new("greet everybody", ["nod", "greet"].map(String::from));
    plan.begin_next();
    plan.note(0, StepStatus::Done, "nodded");
    let (mut turn, first) =
        Turn::begin(roster(), LIMITS, vec![greet()], Vec::new(), "greet everybody", Some(plan));
    let first = prompt(first);
    let Some(Part::Text { text }) = first.messages.last().and_then(|message| message.parts.first()) else {
        panic!("{first:?}");
    };
    assert!(text.contains("1. [done] nod: nodded") && text.contains("Do step 2 now"), "{text}");
    action(turn.step(calls(&[("greet", json!({}))])));
    prompt(turn.step(saw("greeted", None)));
    let end = ending(turn.step(says("I greeted.")));
    assert_eq!(end.text, "I have done all of it.\n1. [done] nod: nodded\n2. [done] greet: I greeted.");
    assert!(turn.plan().unwrap().is_over());
}

#[test]
fn a_turn_without_a_model_ends_with_the_cause() {
    let (mut turn, _) = begin("nod");
    let end = ending(turn.step(Event::NoAnswer(ModelCallError::GivenUp)));
    assert_eq!(end.reason, StopReason::NoModel(ModelCallError::GivenUp));
}
