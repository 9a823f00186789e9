//! Chooses how to work on a request: step by step as it comes, or with a plan first. Everything here is pure.
//!
//! An explicit request for a tool goes straight to making it, without a model that decides who could do it.
//!
//! An early attempt is preferred, so a request that one look may settle is not split. A plan is made only for
//! a request whose several parts build on each other, or one that asks for a plan.

use serde_json::{Value, json};

use super::plan::{MAX_STEPS, Plan};
use minismith_language_model::{Form, Message, Part, Prompt, Role};
use minismith_nlu::tool_name;

/// A way to work on a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Reason, act, observe, repeat.
    React,
    /// Make a plan first, then work on each of its steps like that.
    Plan,
    /// Resume the interrupted plan.
    Resume,
}

/// From this many parts on a request counts as long.
const MANY_PARTS: usize = 4;
/// Words between the parts of a request.
const JOINERS: [&str; 6] = [" then ", " after that ", " afterwards ", " next ", " finally ", ";"];
const RESUMING: [&str; 6] =
    ["go on", "continue", "resume", "carry on", "go on with the plan", "continue the plan"];

/// Chooses the way for a request.
#[must_use]
pub fn style(text: &str) -> Style {
    let text = format!(" {} ", text.trim().trim_end_matches(['.', '!']).to_lowercase());
    if RESUMING.contains(&text.trim()) {
        return Style::Resume;
    }
    if [" plan ", " step by step "].iter().any(|word| text.contains(word))
        && text.split_whitespace().count() > 4
    {
        return Style::Plan;
    }
    let joins: usize = JOINERS.iter().map(|joiner| text.matches(joiner).count()).sum();
    let sentences = text.split(". ").filter(|sentence| sentence.split_whitespace().count() > 2).count();
    if joins + sentences > MANY_PARTS { Style::Plan } else { Style::React }
}

/// A tool that a person asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolRequest {
    /// Its name.
    pub name: String,
    /// What it should do, in the person's words.
    pub text: String,
    /// Whether to run it once it is there.
    pub run: bool,
}

const FILLERS: [&str; 9] = ["please", "can", "could", "would", "you", "now", "robot", "hey", "reachy"];
const MAKING: [&str; 7] = ["make", "write", "create", "build", "program", "code", "develop"];
const BEFORE_IT: [&str; 10] =
    ["me", "yourself", "us", "a", "an", "another", "new", "small", "python", "little"];
const MADE: [&str; 7] = ["tool", "skill", "function", "trick", "routine", "behaviour", "behavior"];
const NAMING: [&str; 2] = ["called", "named"];
const LINKING: [&str; 7] = ["that", "which", "to", "for", "and", "how", "where"];
/// Endings of requests that ask to run the tool.
const RUNNING: [&str; 10] = [
    "run it",
    "use it",
    "try it",
    "do it",
    "execute it",
    "start it",
    "show it to me",
    "show me",
    "perform it",
    "call it",
];
/// Words that say nothing about what a tool does.
const SAY_NOTHING: [&str; 24] = [
    "a", "an", "the", "your", "its", "it", "you", "my", "me", "i", "to", "of", "and", "then", "with", "by",
    "in", "on", "for", "from", "as", "is", "so", "at",
];

/// Returns the tool of a request that begins by asking for one, such as "make a tool called peek that ...".
#[must_use]
pub fn tool_request(text: &str) -> Option<ToolRequest> {
    let (text, run) = without_running(text.trim());
    let mut words = text.split_whitespace().peekable();
    let is = |word: &str, known: &[&str]| known.contains(&plain(word).as_str());
    while words.next_if(|word| is(word, &FILLERS)).is_some() {}
    words.next_if(|word| is(word, &MAKING))?;
    while words.next_if(|word| is(word, &BEFORE_IT)).is_some() {}
    words.next_if(|word| is(word, &MADE))?;
    let given = match words.next_if(|word| is(word, &NAMING)) {
        Some(_) => words.next().map(plain),
        None => None,
    };
    while words.next_if(|word| is(word, &LINKING)).is_some() {}
    let rest: Vec<&str> = words.collect();
    if rest.len() < 2 {
        return None;
    }
    let telling = rest.iter().map(|word| plain(word)).filter(|word| {
        !SAY_NOTHING.contains(&word.as_str())
            && word.chars().all(|c| c.is_ascii_alphabetic())
            && word.len() < 14
    });
    let made_up = || telling.take(3).collect::<Vec<_>>().join("_");
    let name = tool_name(&given.unwrap_or_else(made_up)).ok()?;
    Some(ToolRequest { name, text: rest.join(" "), run })
}

/// Removes ", then run it" from the end, and returns whether it was there.
fn without_running(text: &str) -> (&str, bool) {
    let text = text.trim_end_matches(['.', '!']);
    let lower = text.to_ascii_lowercase();
    for ending in RUNNING {
        if let Some(before) = lower.strip_suffix(ending)
            && let Some(stored) = text.get(..before.len())
            && before.ends_with(' ')
        {
            let stored = stored.trim_end();
            let stored = stored.strip_suffix("then").unwrap_or(stored).trim_end();
            let stored = stored.strip_suffix("and").unwrap_or(stored);
            return (stored.trim_end().trim_end_matches([',', '.', ';']), true);
        }
    }
    (text, false)
}

fn plain(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_').to_lowercase()
}

const PLAN: &str = "\
You plan a task for a small robot (a head, a body that turns, two antennas, a camera, and tools written in Python). List \
the steps in order, each one thing that can be done and checked by itself. As few as possible.";

/// Builds the prompt that asks for a plan.
#[must_use]
pub fn plan_prompt(text: &str, history: &[Message], max_tokens: u32) -> Prompt {
    let mut messages = history.to_vec();
    messages.push(Message { role: Role::Person, parts: vec![Part::Text { text: text.into() }] });
    let schema = json!({
        "type": "object",
        "properties": {"steps": {"type": "array", "items": {"type": "string"}}},
        "required": ["steps"],
        "additionalProperties": false,
    });
    Prompt { purpose: "planner", instructions: PLAN.into(), messages, form: Form::Json(schema), max_tokens }
}

/// Reads the plan from an answer. Returns `None` for fewer than two steps, which need no plan.
#[must_use]
pub fn read_plan(goal: &str, value: &Value) -> Option<Plan> {
    let steps = value.get("steps").and_then(Value::as_array)?;
    let steps: Vec<String> = steps
        .iter()
        .filter_map(Value::as_str)
        .map(|step| step.trim().chars().take(300).collect::<String>())
        .filter(|step| !step.is_empty())
        .take(MAX_STEPS)
        .collect();
    (steps.len() > 1).then(|| Plan::new(goal, steps))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_requests_are_tried_at_once_and_long_ones_are_planned() {
        for short in [
            "do something nice",
            "look at the window and tell me what you see",
            "find my face, then nod, then wave",
            "what's the plan?",
        ] {
            assert_eq!(style(short), Style::React, "{short}");
        }
        for long in [
            "look for a face, then greet it, then count to five with nods, then look away, finally go to sleep",
            "make a plan for greeting everybody in the room",
            "Look around the room. Tell me what is there. Make a tool that greets. Run it twice. Then rest a while.",
        ] {
            assert_eq!(style(long), Style::Plan, "{long}");
        }
        assert_eq!(style("Go on."), Style::Resume);
    }

    #[test]
    fn an_explicit_request_for_a_tool_is_recognized() {
        let asked = |text: &str| tool_request(text).map(|ToolRequest { name, text, run }| (name, text, run));
        let wanted = |name: &str, text: &str, run| Some((name.to_owned(), text.to_owned(), run));
        assert_eq!(
            asked("Please make a tool called peek_left that peeks to the left and back, then run it."),
            wanted("peek_left", "peeks to the left and back", true),
        );
        assert_eq!(
            asked("Could you write a new Python function that bows as deeply as an actor?"),
            wanted("bows_deeply_actor", "bows as deeply as an actor?", false),
        );
        assert_eq!(asked("make a fuss about the tool"), None);
        assert_eq!(asked("make a tool"), None);
        assert_eq!(asked("do not make a tool that spins around"), None);
        assert_eq!(asked("make a tool called class that bows a lot"), None, "no name for a tool");
        assert_eq!(asked("look left and make a tool that bows a lot"), None);
    }

    #[test]
    fn a_plan_of_one_step_is_discarded() {
        assert_eq!(read_plan("x", &json!({"steps": ["nod"]})), None);
        assert_eq!(read_plan("x", &json!({"steps": "nod"})), None);
        let plan = read_plan("x", &json!({"steps": ["nod", "", 3, "look left"]})).unwrap();
        assert_eq!(plan.steps.len(), 2);
    }
}
