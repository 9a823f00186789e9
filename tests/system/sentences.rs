//! What people say, and what the offline brain must make of it: `cases/sentences.yaml`.

use std::collections::BTreeMap;

use minismith::brain::answer::refusal;
use minismith::brain::{Known, KnownTool, Understanding, is_stop, understand};
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

#[test]
fn check() {
    let cases: Cases = serde_yaml::from_str(include_str!("../cases/sentences.yaml")).unwrap();
    let tools: Vec<KnownTool> = cases
        .tools
        .into_iter()
        .map(|(name, properties)| KnownTool {
            name,
            description: String::new(),
            parameters: serde_json::json!({"type": "object", "properties": properties}),
        })
        .collect();
    let known = Known { tools: &tools };
    let mut wrong = Vec::new();
    for sentence in &cases.sentences {
        let understanding = understand(&sentence.say, &known);
        if !sentence.is_met_by(&understanding) || !sentence.is_answered(&understanding) {
            let plan = match &understanding {
                Understanding::Plan(plan) => plan.iter().map(|intent| format!("\n    {intent}")).collect(),
                other => format!(" {other:?}"),
            };
            wrong.push(format!("{:?}:{plan}", sentence.say));
        }
    }
    let all = cases.sentences.len();
    println!("{} of {all} sentences are understood as they should be", all - wrong.len());
    assert!(wrong.is_empty(), "{} of {all} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
