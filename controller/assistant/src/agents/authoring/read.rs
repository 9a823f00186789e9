//! Reads the answers of a model while it makes a tool.
//!
//! All of them are untrusted. The toolchain judges the code; this module only brings it into shape.

use serde_json::{Map, Value};

use super::{Draft, ToolSpec};
use firmware_bridge::joint::Joint;
use minismith_analysis::manifest::{ExpectedMotion, TestCase};
use minismith_nlu::tool_name;

/// The maximum number of steps of a plan, and of test cases, that are read.
const MAX_STEPS: usize = 20;
const MAX_CASES: usize = 4;
/// The maximum length of each text, in characters.
const MAX_TEXT_CHARS: usize = 2_000;
const MAX_LINE_CHARS: usize = 300;

/// The specification that a model returned.
#[derive(Clone, Debug, PartialEq)]
pub struct Specified {
    pub name: String,
    pub specification: String,
    pub plan: Vec<String>,
    pub assumption: String,
    pub question: String,
}

pub fn specification(value: &Value, order: &ToolSpec) -> Specified {
    let text =
        |key: &str, most: usize| clip(value.get(key).and_then(Value::as_str).unwrap_or_default(), most);
    let plan = value.get("plan").and_then(Value::as_array);
    let plan = plan.into_iter().flatten().filter_map(Value::as_str).take(MAX_STEPS);
    let specification = text("specification", MAX_TEXT_CHARS);
    Specified {
        name: order
            .name
            .clone()
            .or_else(|| tool_name(&text("name", 40)).ok())
            .or_else(|| tool_name(&order.request.chars().take(30).collect::<String>()).ok())
            .unwrap_or_else(|| "new_tool".into()),
        specification: if specification.is_empty() { order.request.clone() } else { specification },
        plan: plan.map(|step| clip(step, MAX_LINE_CHARS)).filter(|step| !step.is_empty()).collect(),
        assumption: text("assumption", MAX_LINE_CHARS),
        question: text("question", MAX_LINE_CHARS),
    }
}

/// Returns the code in a model's answer: its first fenced block, or the whole answer without a fence.
pub fn code(text: &str, name: &str) -> String {
    let fenced = text.split_once("```").map(|(_, rest)| {
        let body = rest.split_once('\n').map_or(rest, |(_, body)| body);
        body.split_once("```").map_or(body, |(code, _)| code)
    });
    let mut code = fenced.unwrap_or(text).trim().replace("\r\n", "\n");
    // A tool's only public function is its entry point, and its name was chosen before.
    if let Some(found) = only_function(&code)
        && found != name
    {
        code = code.replacen(&format!("def {found}("), &format!("def {name}("), 1);
    }
    code.push('\n');
    code
}

/// Returns the name of the only public function at the top level.
fn only_function(code: &str) -> Option<String> {
    let mut names = code.lines().filter_map(|line| {
        let rest = line.strip_prefix("def ").or_else(|| line.strip_prefix("async def "))?;
        let name = rest.split('(').next()?.trim();
        (!name.starts_with('_')).then(|| name.to_owned())
    });
    let first = names.next()?;
    names.next().is_none().then_some(first)
}

/// Returns the function's signature without its body, which is all that a tester may know.
pub fn signature(code: &str, name: &str) -> String {
    let Some(start) = code.find(&format!("def {name}(")) else { return "robot only".into() };
    let head = code.get(start..).unwrap_or_default();
    let end = head.find("\n    ").filter(|_| head.contains(':'));
    let head = end.and_then(|end| head.get(..end)).unwrap_or(head);
    // A signature over several lines ends at its colon.
    let whole = code
        .get(start..)
        .and_then(|rest| rest.find("):").or_else(|| rest.find(":\n")).and_then(|end| rest.get(..end)));
    clip(whole.unwrap_or(head), MAX_TEXT_CHARS)
}

pub fn test_cases(value: &Value, draft: &Draft, request: &str) -> Vec<TestCase> {
    let parameters = signature(&draft.source, &draft.name);
    let cases = value.get("cases").and_then(Value::as_array);
    cases.into_iter().flatten().take(MAX_CASES).map(|case| test_case(case, &parameters, request)).collect()
}

fn test_case(case: &Value, parameters: &str, request: &str) -> TestCase {
    let named = |key: &String| parameters.contains(&format!("{key}:")) && key != "robot";
    let arguments: Map<String, Value> = case
        .get("arguments")
        .and_then(Value::as_object)
        .map(|given| {
            given.iter().filter(|(key, _)| named(key)).map(|(k, v)| (k.clone(), v.clone())).collect()
        })
        .unwrap_or_default();
    let parts = case.get("moves").and_then(Value::as_array);
    let parts = parts.into_iter().flatten().filter_map(Value::as_str);
    let moves: Vec<Joint> = parts.filter(|part| is_named(part, request)).flat_map(motors).collect();
    let name = clip(case.get("name").and_then(Value::as_str).unwrap_or("case"), 80);
    TestCase {
        name: if name.is_empty() { "case".into() } else { name },
        arguments,
        motion: (!moves.is_empty()).then(|| ExpectedMotion {
            moves,
            tolerance_deg: 2.0,
            ..ExpectedMotion::default()
        }),
        ..TestCase::default()
    }
}

/// Returns whether the person's words are about this part. A small tester model lists every part that exists.
fn is_named(part: &str, request: &str) -> bool {
    let request = request.to_lowercase();
    let words: &[&str] = match part {
        "body" => &["body", "turn", "rotat", "spin", "swivel", "base"],
        "antennas" => &["antenna", " ear"],
        _ => return true,
    };
    words.iter().any(|word| request.contains(word))
}

/// Returns the motors of a part that can't stand still when the part moves.
///
/// The head moves by its legs, and no single leg moves in every motion of the head. The head therefore has
/// none.
fn motors(part: &str) -> Vec<Joint> {
    match part {
        "body" => vec![Joint::BodyYaw],
        "antennas" => vec![Joint::RightAntenna, Joint::LeftAntenna],
        _ => Vec::new(),
    }
}

/// The reviewer's answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// Whether the tool should be rejected.
    pub refuses: bool,
    /// Whether a person should look first.
    pub asks: bool,
    /// The reason.
    pub reason: String,
    /// What could go wrong.
    pub risks: Vec<String>,
}

pub fn verdict(value: &Value) -> Verdict {
    let is = |key: &str| value.get(key).and_then(Value::as_bool).unwrap_or(false);
    let word = value.get("verdict").and_then(Value::as_str).unwrap_or("ask");
    let reason = clip(value.get("reason").and_then(Value::as_str).unwrap_or_default(), MAX_LINE_CHARS);
    let risks = value.get("risks").and_then(Value::as_array);
    let risks = risks.into_iter().flatten().filter_map(Value::as_str);
    let (meets, honest) = (is("meets_request"), is("honest"));
    Verdict {
        // A reviewer that contradicts itself does not decide: a person does.
        refuses: word == "refuse" && !(meets && honest),
        asks: word != "accept" || !meets || !honest,
        reason: if reason.is_empty() {
            "the reviewer found that it does not do what was asked".into()
        } else {
            reason
        },
        risks: risks.map(|risk| clip(risk, MAX_LINE_CHARS)).filter(|risk| !risk.is_empty()).take(5).collect(),
    }
}

/// Returns the beginning of a text.
fn clip(text: &str, most: usize) -> String {
    text.trim().chars().filter(|c| !c.is_control() || *c == '\n').take(most).collect()
}
