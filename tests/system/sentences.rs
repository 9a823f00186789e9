//! What people say, and what the offline brain must make of it: `cases/sentences.yaml`.

use std::collections::BTreeMap;

use minismith::brain::answer::refusal;
use minismith::brain::{Intent, Known, KnownTool, Primitive, Reason, Understanding, is_stop, understand};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cases {
    tools: BTreeMap<String, serde_json::Value>,
    sentences: Vec<Sentence>,
}

/// One sentence and its expectations; what is not given is not expected.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sentence {
    say: String,
    plan: Option<Vec<String>>,
    #[serde(default)]
    stop: bool,
    unclear: Option<String>,
    nearest: Option<String>,
    out_of_range: Option<String>,
    allowed: Option<String>,
    #[serde(default)]
    empty: bool,
}

impl Sentence {
    fn is_met_by(&self, understanding: &Understanding) -> bool {
        let holds =
            |part: &Option<String>, whole: &str| part.as_ref().is_none_or(|part| whole.contains(part));
        match understanding {
            Understanding::Stop => self.stop,
            Understanding::Empty => self.empty,
            Understanding::TooLong { .. } => false,
            Understanding::Plan(plan) => {
                let said: Vec<String> = plan.iter().map(ToString::to_string).collect();
                self.plan.as_ref() == Some(&said)
            }
            Understanding::Unclear { heard, nearest, .. } => {
                self.unclear.is_some()
                    && holds(&self.unclear, heard)
                    && self.nearest.as_ref().is_none_or(|one| nearest.contains(one))
            }
            Understanding::OutOfRange(range) => {
                self.out_of_range.is_some()
                    && holds(&self.out_of_range, &range.what)
                    && holds(&self.allowed, &range.allowed)
            }
        }
    }

    /// A sentence that is refused must have an answer, and one that is done must have none.
    fn is_answered(&self, understanding: &Understanding) -> bool {
        let done = self.stop || self.plan.is_some();
        refusal(understanding).is_none() == done && is_stop(&self.say) == self.stop
    }
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
    let known = Known { tools: &tools };
    let mut wrong = Vec::new();
    for sentence in &sentences {
        let understanding = understand(&sentence.say, &known);
        if !sentence.is_met_by(&understanding) || !sentence.is_answered(&understanding) {
            let plan = match &understanding {
                Understanding::Plan(plan) => plan.iter().map(|intent| format!("\n    {intent}")).collect(),
                other => format!(" {other:?}"),
            };
            wrong.push(format!("{:?}:{plan}", sentence.say));
        }
    }
    let all = sentences.len();
    println!("{} of {all} sentences are understood as they should be", all - wrong.len());
    assert!(wrong.is_empty(), "{} of {all} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Whatever the plan: a negation, a stop or a word that is not known takes it away.
#[test]
fn one_word_is_enough_to_move_nothing() {
    let (tools, sentences) = Cases::read().unwrap();
    let known = Known { tools: &tools };
    for say in sentences.iter().filter(|sentence| sentence.plan.is_some()).map(|sentence| sentence.say.trim())
    {
        let bare = say.trim_end_matches(['.', '!', '?']);
        for (said, reason) in [
            (format!("do not {say}"), Reason::Negated),
            (format!("{say} and don't dance"), Reason::Negated),
            (format!("{bare} blorp"), Reason::Unknown),
            (format!("{bare}, then blorp"), Reason::Unknown),
            (format!("blorp, {say}"), Reason::Unknown),
        ] {
            let understood = understand(&said, &known);
            let expected = match &understood {
                Understanding::Unclear { reason: found, .. } => *found == reason,
                // "do not move your head" stops.
                Understanding::Stop => is_stop(&said),
                // A name may have several words: "call it yes yes blorp".
                Understanding::Plan(plan) => plan.iter().any(
                    |intent| matches!(intent, Intent::MakeTool { name, .. } if name.ends_with("_blorp")),
                ),
                _ => false,
            };
            assert!(expected, "{said:?}: {understood:?}");
        }
        for said in [format!("{say}, stop"), format!("stop, {say}")] {
            assert_eq!(understand(&said, &known), Understanding::Stop, "{said:?}");
        }
    }
}

/// Two sentences said as one are the two plans in a row.
#[test]
fn two_sentences_make_one_plan() {
    let (tools, sentences) = Cases::read().unwrap();
    let known = Known { tools: &tools };
    let motions: Vec<(&str, Vec<Intent>)> = sentences
        .iter()
        .filter_map(|sentence| match understand(&sentence.say, &known) {
            Understanding::Plan(plan) if plan.iter().all(|intent| matches!(intent, Intent::Motion(_))) => {
                Some((sentence.say.trim().trim_end_matches(['.', '!', '?']), plan))
            }
            _ => None,
        })
        .collect();
    assert!(motions.len() > 90, "{}", motions.len());
    for (first, plan_one) in &motions {
        for (second, plan_two) in &motions {
            let said = format!("{first}, then {second}");
            let expected = Understanding::Plan([plan_one.clone(), plan_two.clone()].concat());
            assert_eq!(understand(&said, &known), expected, "{said:?}");
        }
    }
}

/// Cut anywhere, spoiled anywhere: an answer, never a panic, and never a motion outside its range.
#[test]
fn spoiled_sentences_are_answered() {
    let (tools, sentences) = Cases::read().unwrap();
    let known = Known { tools: &tools };
    let spoils =
        ["", "\u{0}", "\u{1f600}", "\"", "'", "-", "1e9", " and ", "\u{b0}", "((", "=", "again", "a hundred"];
    let mut spoils = spoils.into_iter().cycle();
    for sentence in &sentences {
        for (at, _) in sentence.say.char_indices() {
            let (head, tail) = sentence.say.split_at(at);
            for spoil in spoils.by_ref().take(2) {
                for said in [format!("{head}{spoil}{tail}"), format!("{head}{spoil}")] {
                    let understood = understand(&said, &known);
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
                        Understanding::Unclear { heard, .. } => {
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
fn floods_are_refused_in_few_words() {
    let known = Known::default();
    let long = "nod and ".repeat(1_250);
    assert_eq!(understand(&long, &known), Understanding::TooLong { characters: 10_000, allowed: 2_000 });
    assert_eq!(understand(&format!("{long} stop"), &known), Understanding::Stop);
    for flood in ["nod,", "(", "look left and right 20 times and ", "a ", "\"", "-1", "with ", "again "] {
        let said = flood.repeat(1_999 / flood.len());
        let understood = understand(&said, &known);
        let answer = refusal(&understood).unwrap_or_else(|| panic!("{flood:?} is done: {understood:?}"));
        assert!(answer.len() < 400, "{answer}");
    }
}
