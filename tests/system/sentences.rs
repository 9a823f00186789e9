//! Sentences of users and their required meaning for the offline parser: `cases/sentences.yaml`.

use std::collections::BTreeMap;
use std::mem::discriminant;

use minismith_commands::Meaning;
use minismith_nlu::answer::refusal;
use minismith_nlu::primitive::Look;
use minismith_nlu::{
    Aim, DialogContext, Intent, Known, KnownTool, PastTurn, Primitive, Understanding, interpret, is_stop,
    tool_name,
};
use minismith_runtime::report::TurnOutcome;
use minismith_tests::{TestDir, predefined_tools};
use minismith_toolchain::workshop::registry::Entry;
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cases {
    tools: BTreeMap<String, serde_json::Value>,
    sentences: Vec<Sentence>,
}

/// One sentence and its expectations. An absent field expects nothing.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sentence {
    say: String,
    /// The sentences that came before it and were executed.
    #[serde(default)]
    after: Vec<String>,
    plan: Option<String>,
    declines: Option<String>,
    #[serde(default)]
    stop: bool,
    heard: Option<String>,
    nearest: Option<String>,
    allowed: Option<String>,
}

impl Sentence {
    fn is_met_by(&self, understanding: &Understanding) -> bool {
        let holds =
            |part: &Option<String>, whole: &str| part.as_ref().is_none_or(|part| whole.contains(part));
        let named = match understanding {
            Understanding::Unclear { text: heard, nearest, .. } => {
                holds(&self.heard, heard) && self.nearest.as_ref().is_none_or(|one| nearest.contains(one))
            }
            Understanding::OutOfRange(range) => {
                holds(&self.heard, &range.what) && holds(&self.allowed, &range.allowed)
            }
            _ => true,
        };
        match understanding {
            Understanding::Stop => self.stop,
            Understanding::Plan(plan) => self.plan.as_ref() == Some(&said(plan)),
            declined => named && self.declines.as_deref() == declined.declined(),
        }
    }

    /// Whether there is an answer: a declined sentence must have one, an executed one must have none.
    fn is_answered(&self, understanding: &Understanding) -> bool {
        let done = self.stop || self.plan.is_some();
        refusal(understanding).is_none() == done && is_stop(&self.say) == self.stop
    }

    /// Returns whether it is one order, and not several or one with an introduction.
    fn is_one_order(&self) -> bool {
        let joints = [
            ",",
            ".",
            ";",
            ":",
            "!",
            "—",
            "&",
            " and ",
            " then ",
            " before ",
            " after ",
            " while ",
            " when",
            " followed ",
        ];
        let say = self.say.trim().trim_end_matches(['.', '!', '?']);
        let openings = ["ok ", "hey ", "please ", "now ", "could ", "can ", "let"];
        let lower = say.to_lowercase();
        !joints.iter().any(|joint| say.contains(joint))
            && !openings.iter().any(|opening| lower.starts_with(opening))
            && self.plan.as_ref().is_none_or(|plan| !plan.contains(';'))
    }

    /// Returns its meaning after the earlier sentences.
    fn understood(&self, tools: &[KnownTool]) -> Understanding {
        let mut before = DialogContext::default();
        let mut aim = Aim::neutral();
        for earlier in &self.after {
            hear(earlier, tools, &mut before, &mut aim);
        }
        hear(&self.say, tools, &mut before, &mut aim)
    }
}

fn said(plan: &[Intent]) -> String {
    plan.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// Runs a turn of a conversation with a robot that executes every command.
fn hear(text: &str, tools: &[KnownTool], before: &mut DialogContext, aim: &mut Aim) -> Understanding {
    let understanding = interpret(text, &Known { tools, before: Some(before) });
    let (plan, ending) = match &understanding {
        Understanding::Plan(plan) => (plan.clone(), TurnOutcome::Done),
        Understanding::Stop => (Vec::new(), TurnOutcome::Done),
        Understanding::OutOfRange(_) => (Vec::new(), TurnOutcome::Refused),
        _ => (Vec::new(), TurnOutcome::NotUnderstood),
    };
    let from = Some(*aim);
    for intent in &plan {
        if let Intent::Motion(motion) = intent {
            motion.motions_from(aim);
        }
    }
    let (said, answer) = (text.to_owned(), refusal(&understanding).unwrap_or_default());
    before.remember(PastTurn { said, answer, plan, steps: Vec::new(), ending, from });
    understanding
}

impl Cases {
    fn read() -> Result<(Vec<KnownTool>, Vec<Sentence>), serde_yaml::Error> {
        let cases: Cases = serde_yaml::from_str(include_str!("../cases/sentences.yaml"))?;
        let tool = |(name, properties)| KnownTool {
            name,
            description: String::new(),
            parameters: serde_json::json!({"type": "object", "properties": properties}),
        };
        Ok((cases.tools.into_iter().map(tool).collect(), cases.sentences))
    }
}

#[test]
fn check() {
    let (tools, sentences) = Cases::read().unwrap();
    let mut wrong = Vec::new();
    for sentence in &sentences {
        let understanding = sentence.understood(&tools);
        if !sentence.is_met_by(&understanding) || !sentence.is_answered(&understanding) {
            let found = match &understanding {
                Understanding::Plan(plan) => said(plan),
                other => format!("{other:?}"),
            };
            wrong.push(format!("{:?} after {:?}: {found}", sentence.say, sentence.after));
        }
    }
    let all = sentences.len();
    println!("sentences: {} of {all} right", all - wrong.len());
    assert!(wrong.is_empty(), "{} of {all} wrong:\n{}", wrong.len(), wrong.join("\n"));
    let declined = sentences.iter().filter(|sentence| sentence.declines.is_some()).count();
    assert!(all >= 300 && declined * 100 >= all * 15, "{declined} of {all} are written to be refused");
}

/// The tools that come with the program, as a sentence may name them.
fn predefined() -> Vec<KnownTool> {
    let known = |tool: Entry| KnownTool {
        name: tool.name,
        description: tool.description,
        parameters: tool.parameters,
    };
    predefined_tools().into_iter().map(known).collect()
}

#[test]
fn predefined_tools_take_no_command_away() {
    let (mut tools, sentences) = Cases::read().unwrap();
    let mut wrong = Vec::new();
    let predefined = predefined();
    let of_cases = tools.clone();
    tools.extend(predefined.clone());
    for sentence in &sentences {
        let understood = [sentence.understood(&of_cases), sentence.understood(&tools)];
        // What is no command may be a tool, or similar to one.
        let is_same = match &understood {
            [Understanding::Unclear { .. }, Understanding::Unclear { .. }] => true,
            [Understanding::Unclear { .. }, Understanding::Plan(plan)] => {
                plan.iter().any(|intent| matches!(intent, Intent::RunTool { .. }))
            }
            // A tool that is named does it better: "wake up, look around".
            [_, Understanding::Plan(plan)] if plan.iter().any(|intent| is_named(intent, &sentence.say)) => {
                true
            }
            [without, with] => without == with,
        };
        if !is_same {
            wrong.push(format!("{:?}: {understood:?}", sentence.say));
        }
    }
    for KnownTool { name, .. } in &predefined {
        let said = name.replace('_', " ");
        if tool_name(name).is_err() {
            wrong.push(format!("{said:?} is a command"));
        }
        let meaning = interpret(&said, &Known { tools: &predefined, ..Known::default() });
        let runs = |plan: &[Intent]| matches!(plan, [Intent::RunTool { name: run, .. }] if run == name);
        if !matches!(&meaning, Understanding::Plan(plan) if runs(plan)) {
            wrong.push(format!("{said:?} does not run the tool: {meaning:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns whether an intent runs a tool whose name stands in a sentence.
fn is_named(intent: &Intent, say: &str) -> bool {
    matches!(intent, Intent::RunTool { name, .. } if say.to_lowercase().contains(&name.replace('_', " ")))
}

/// A sentence of `cases/paraphrases.yaml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Paraphrase {
    say: String,
    means: Vec<String>,
}

/// Paraphrases by a model: most are understood, and none is taken for another motion.
#[test]
fn paraphrases_by_a_model_are_understood() {
    let (right, wrong) = paraphrased(include_str!("../cases/paraphrases.yaml"), true);
    assert!(right >= RIGHT_PERCENT && wrong == 0, "{right} % right, {wrong} % wrong");
}

/// The same for wordings that did not shape the grammar, of which nothing but the number is shown.
#[test]
fn unseen_paraphrases_are_understood() {
    let (right, wrong) = paraphrased(include_str!("../cases/paraphrases_unseen.yaml"), false);
    println!("unseen paraphrases: {right} % right, {wrong} % wrong");
    assert!(right >= RIGHT_PERCENT && wrong <= WRONG_UNSEEN_PERCENT, "{right} % right, {wrong} % wrong");
}

/// So many paraphrases are right at least, and so many of the unseen ones wrong at most, percent.
const RIGHT_PERCENT: usize = 80;
const WRONG_UNSEEN_PERCENT: usize = 8;

/// Returns how many paraphrases are right and how many wrong, percent. Those that are not right are shown where
/// `is_shown`.
fn paraphrased(cases: &str, is_shown: bool) -> (usize, usize) {
    // The tools that come with the program are known as well: none takes a command away.
    let tools = [Cases::read().unwrap().0, predefined()].concat();
    let known = Known { tools: &tools, ..Known::default() };
    let cases: Vec<Paraphrase> = serde_yaml::from_str(cases).unwrap();
    let (mut right, mut wrong) = (0, 0);
    for Paraphrase { say, means } in &cases {
        let found = match interpret(say, &known) {
            Understanding::Stop => "stop".to_owned(),
            Understanding::Plan(plan) => said(&plan),
            _ => "declines".to_owned(),
        };
        if means.contains(&found) {
            right += 1;
            continue;
        }
        wrong += usize::from(found != "declines");
        if is_shown {
            println!("{say:?} means {means:?}, and not {found:?}");
        }
    }
    (right * 100 / cases.len(), wrong * 100 / cases.len())
}

/// For any plan, a negation, a stop or an unknown word cancels it.
#[test]
fn one_word_of_negation_moves_nothing() {
    let (tools, sentences) = Cases::read().unwrap();
    let known = Known { tools: &tools, ..Known::default() };
    for sentence in sentences.iter().filter(|sentence| sentence.plan.is_some() && sentence.after.is_empty()) {
        let say = sentence.say.trim();
        let bare = say.trim_end_matches(['.', '!', '?']);
        for said in [format!("do not {say}"), format!("{bare} blorp"), format!("{bare}, then blorp")] {
            // "Do not nod, then look left" asks for a look, and who is asked politely may have a name: "please, Blorp".
            let may_be_a_name = ["please", "thanks", "more", "again"].iter().any(|end| bare.ends_with(end));
            if !sentence.is_one_order() || may_be_a_name || say.contains(" like ") {
                continue;
            }
            let understood = interpret(&said, &known);
            let expected = match &understood {
                Understanding::Unclear { .. } | Understanding::Impossible { .. } => true,
                // "do not move your head" stops.
                Understanding::Stop => is_stop(&said),
                // Thanks move nothing.
                Understanding::Plan(plan) if matches!(plan.as_slice(), [Intent::Courtesy(..)]) => true,
                // A name may have several words: "call it yes yes blorp".
                Understanding::Plan(plan) => plan.iter().any(
                    |intent| matches!(intent, Intent::MakeTool { name, .. } if name.ends_with("_blorp")),
                ),
                _ => false,
            };
            assert!(expected, "{said:?}: {understood:?}");
        }
        for said in [format!("{say}, stop"), format!("stop, {say}")] {
            assert_eq!(interpret(&said, &known), Understanding::Stop, "{said:?}");
        }
    }
}

/// Returns the motions of a sentence after the earlier ones. A stop moves nothing.
fn moves(sentence: &Sentence, said: &str, tools: &[KnownTool]) -> Option<Vec<Intent>> {
    let changed = Sentence { say: said.to_owned(), after: sentence.after.clone(), ..Sentence::default() };
    match changed.understood(tools) {
        Understanding::Plan(plan) => {
            let acts = |intent: &Intent| {
                matches!(
                    intent,
                    Intent::Motion(_) | Intent::Spoken(_) | Intent::RunTool { .. } | Intent::MakeTool { .. }
                )
            };
            plan.iter().any(acts).then_some(plan)
        }
        _ => None,
    }
}

/// Words are dropped, doubled and swapped, and clauses appended. There is an answer, and all motions stay in their
/// ranges. A negation before or after a clause always cancels it.
#[test]
fn mutated_sentences_never_execute_a_negated_action() {
    let (tools, sentences) = Cases::read().unwrap();
    for sentence in &sentences {
        let say = sentence.say.trim();
        let bare = say.trim_end_matches(['.', '!', '?']);
        for said in [
            format!("don't {say}"),
            format!("never {say}"),
            format!("Don't, {say}"),
            format!("please never ever {say}"),
            format!("you must not {say}"),
            format!("{bare}, not"),
            format!("{bare}, but don't"),
            format!("{bare}... or rather don't"),
        ] {
            let named = |plan: &[Intent]| {
                // A user may give a new tool any words as its name.
                plan.iter()
                    .any(|intent| matches!(intent, Intent::MakeTool { name, .. } if name.contains("not")))
            };
            let negates_the_first = !said.starts_with(bare);
            let corrects = said.starts_with("Don't, ") && !sentence.after.is_empty();
            if corrects || (negates_the_first && !sentence.is_one_order()) {
                continue;
            }
            let plan = moves(sentence, &said, &tools);
            assert!(plan.as_deref().is_none_or(named), "{said:?}: {plan:?}");
        }
        let words: Vec<&str> = say.split(' ').collect();
        for at in 0..words.len() {
            let (head, tail) = (words[..at].join(" "), words[at + 1..].join(" "));
            let word = words[at];
            let joiner = |other: &str| {
                say.replace(", ", &format!(" {other} ")).replace(" then ", &format!(" {other} "))
            };
            for said in [
                format!("{head} {tail}"),
                format!("{head} {word} {word} {tail}"),
                format!("{tail} {word} {head}"),
                joiner("and"),
                joiner("next"),
                joiner("before"),
            ] {
                for intent in moves(sentence, &said, &tools).into_iter().flatten() {
                    if let Intent::Motion(motion) = intent {
                        assert_eq!(motion.check(), Ok(()), "{said:?}");
                    }
                }
            }
        }
    }
}

/// Two sentences in one are the two plans in sequence, or are declined: never a third plan.
#[test]
fn two_sentences_form_one_plan() {
    let (tools, sentences) = Cases::read().unwrap();
    let known = Known { tools: &tools, ..Known::default() };
    let motions: Vec<(&str, Vec<Intent>)> = sentences
        .iter()
        // "Actually" takes back what was said before it, and "begin by" comes first.
        .filter(|sentence| {
            // "Wait" alone only hesitates.
            sentence.after.is_empty()
                && sentence.say.contains(' ')
                && !["actually", "begin", "start", "first", "after", "hold", "further", "take a rest", ","]
                    .iter()
                    .any(|word| sentence.say.contains(word))
        })
        .filter_map(|sentence| match interpret(&sentence.say, &known) {
            Understanding::Plan(plan) if plan.iter().all(|intent| matches!(intent, Intent::Motion(_))) => {
                Some((sentence.say.trim().trim_end_matches(['.', '!', '?']), plan))
            }
            _ => None,
        })
        .collect();
    assert!(motions.len() > 90, "{}", motions.len());
    let (mut joined, mut declined, mut third) = (0, 0, Vec::new());
    for (one, (first, plan_one)) in motions.iter().enumerate() {
        for (second, plan_two) in motions.iter().skip(one % STRIDE).step_by(STRIDE) {
            // "Shake your head, then shake your head" is one shake after another, and who looks ahead need not return.
            if plan_one.ends_with(plan_two) || is_ahead(plan_one) {
                continue;
            }
            let said = format!("{first}, then {second}");
            match interpret(&said, &known) {
                Understanding::Plan(plan) => {
                    // Where the first leaves the head is kept by the second, which single motions do not say.
                    let is_sequence = matches!(plan.as_slice(), [Intent::Spoken(spoken)]
                        if matches!(spoken.meaning, Some(Meaning::Sequence(_) | Meaning::Repeat(..))));
                    // A gesture that is named twice is done once each time.
                    let is_one_after_the_other = plan.len() > plan_one.len()
                        && plan_one.iter().zip(&plan).all(|(one, found)| is_same_motion(one, found));
                    if !is_sequence && !is_one_after_the_other {
                        third.push(format!("{said:?}: {plan:?}"));
                    }
                    joined += 1;
                }
                _ => declined += 1,
            }
        }
    }
    assert!(third.is_empty(), "{}", third.join("\n"));
    assert!(joined > 20 * declined, "{joined} joined, {declined} declined");
}

fn is_ahead(plan: &[Intent]) -> bool {
    matches!(
        plan.last(),
        Some(Intent::Motion(Primitive::Center | Primitive::Look { direction: Look::Ahead, .. }))
    )
}

fn is_same_motion(one: &Intent, other: &Intent) -> bool {
    match (one, other) {
        (Intent::Motion(one), Intent::Motion(other)) => discriminant(one) == discriminant(other),
        _ => one == other,
    }
}

/// Each sentence is joined to every seventh of all.
const STRIDE: usize = 7;

/// A sentence cut or corrupted anywhere gives an answer, never a panic, and never a motion outside its range.
#[test]
fn corrupted_sentences_get_an_answer() {
    let (tools, sentences) = Cases::read().unwrap();
    let known = Known { tools: &tools, ..Known::default() };
    let spoils =
        ["", "\u{0}", "\u{1f600}", "\"", "'", "-", "1e9", " and ", "\u{b0}", "((", "=", "again", "a hundred"];
    let mut spoils = spoils.into_iter().cycle();
    for sentence in &sentences {
        for (at, _) in sentence.say.char_indices() {
            let (head, tail) = sentence.say.split_at(at);
            for spoil in spoils.by_ref().take(2) {
                for said in [format!("{head}{spoil}{tail}"), format!("{head}{spoil}")] {
                    let understood = interpret(&said, &known);
                    match &understood {
                        Understanding::Plan(plan) => {
                            assert!(!plan.is_empty() && plan.len() <= 60, "{said:?}");
                            for intent in plan {
                                let body: &[Primitive] = match intent {
                                    Intent::Motion(primitive) => std::slice::from_ref(primitive),
                                    Intent::MakeTool { body, .. } => body,
                                    _ => &[],
                                };
                                assert!(
                                    body.iter().all(|primitive| primitive.check().is_ok()),
                                    "{said:?}: {intent}"
                                );
                            }
                        }
                        Understanding::Unclear { text: heard, .. } => {
                            assert!(!heard.contains(char::is_control), "{said:?}: {heard:?}");
                        }
                        _ => {}
                    }
                    assert_eq!(is_stop(&said), understood == Understanding::Stop, "{said:?}");
                }
            }
        }
    }
}

#[test]
fn floods_are_rejected_with_a_short_message() {
    let known = Known::default();
    let long = "nod and ".repeat(1_250);
    assert_eq!(interpret(&long, &known), Understanding::TooLong { characters: 10_000, allowed: 2_000 });
    assert_eq!(interpret(&format!("{long} stop"), &known), Understanding::Stop);
    for flood in ["nod,", "(", "look left and right 20 times and ", "a ", "\"", "-1", "with ", "again "] {
        let said = flood.repeat(1_999 / flood.len());
        let understood = interpret(&said, &known);
        let answer = refusal(&understood).unwrap_or_else(|| panic!("{flood:?} is done: {understood:?}"));
        assert!(answer.len() < 400, "{answer}");
    }
}

/// Corrections, undo and reports in a conversation use the robot's measurements.
#[test]
fn conversation_refers_to_executed_actions() {
    let bench = TestDir::new();
    let mut chat = bench.start(&["chat", "--robot", "mock", "--json"]);
    let mut hear = |said: &str| -> Value {
        chat.write_stdin(&format!("{said}\n"));
        serde_json::from_str(&chat.line().unwrap()).unwrap()
    };
    let yaw = |reply: &Value| reply["steps"][0]["achieved"]["yaw_deg"].as_f64().unwrap().round();
    assert!(hear("again")["text"].as_str().unwrap().contains("nothing before"));
    assert_eq!(yaw(&hear("look left 20 degrees")), 20.0);
    assert_eq!(yaw(&hear("no, further left")), 30.0);
    let happened = hear("what happened?");
    assert!(happened["text"].as_str().unwrap().contains("deg left"), "{happened}");
    assert_eq!(
        (&happened["steps"], &happened["outcome"]),
        (&serde_json::json!([]), &serde_json::json!("done"))
    );
    assert!(hear("did you do it?")["text"].as_str().unwrap().starts_with("Yes. I did \"look left 30 deg\""));
    assert_eq!(yaw(&hear("undo that")), 20.0);
    assert_eq!(hear("look left 200 degrees")["outcome"], "refused");
    let why = hear("why did you not move?");
    assert!(why["text"].as_str().unwrap().contains("200 deg"), "{why}");
    assert!(hear("did you do it?")["text"].as_str().unwrap().starts_with("No."));
    chat.write_stdin("bye\n");
    assert_eq!(chat.end().code, Some(0));
}
