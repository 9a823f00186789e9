//! Which way a request goes: worked on step by step as it comes, or planned first. Pure.
//!
//! Trying early is preferred: what one look ahead may settle is not split. A plan is made only where a request has
//! several parts that build on each other, or says that it wants one.

use serde_json::{Value, json};

use super::plan::{MOST_STEPS, Plan};
use crate::model::{Form, Message, Part, Prompt, Role};

/// The way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Reason, act, observe, repeat.
    React,
    /// A plan first, then each of its steps like that.
    Plan,
    /// The plan that was interrupted.
    Resume,
}

/// So many parts make a request a long one.
const MANY_PARTS: usize = 4;
/// Words between the parts of a request.
const JOINERS: [&str; 6] = [" then ", " after that ", " afterwards ", " next ", " finally ", ";"];
const RESUMING: [&str; 6] =
    ["go on", "continue", "resume", "carry on", "go on with the plan", "continue the plan"];

/// The way of a request.
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

const PLAN: &str = "\
You plan a task for a small robot (a head, a body that turns, two antennas, a camera, and tools written in Python). List \
the steps in order, each one thing that can be done and checked by itself. As few as possible.";

/// The question for a plan.
#[must_use]
pub fn plan_prompt(text: &str, history: &[Message], most_tokens: u32) -> Prompt {
    let mut messages = history.to_vec();
    messages.push(Message { role: Role::Person, parts: vec![Part::Text { text: text.into() }] });
    let schema = json!({
        "type": "object",
        "properties": {"steps": {"type": "array", "items": {"type": "string"}}},
        "required": ["steps"],
        "additionalProperties": false,
    });
    Prompt { purpose: "planner", instructions: PLAN.into(), messages, form: Form::Json(schema), most_tokens }
}

/// The plan in an answer; none when it has fewer than two steps, which need no plan.
#[must_use]
pub fn read_plan(goal: &str, value: &Value) -> Option<Plan> {
    let steps = value.get("steps").and_then(Value::as_array)?;
    let steps: Vec<String> = steps
        .iter()
        .filter_map(Value::as_str)
        .map(|step| step.trim().chars().take(300).collect::<String>())
        .filter(|step| !step.is_empty())
        .take(MOST_STEPS)
        .collect();
    (steps.len() > 1).then(|| Plan::new(goal, steps))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_short_is_tried_at_once_and_what_is_long_is_planned() {
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
    fn a_plan_of_one_step_is_none() {
        assert_eq!(read_plan("x", &json!({"steps": ["nod"]})), None);
        assert_eq!(read_plan("x", &json!({"steps": "nod"})), None);
        let plan = read_plan("x", &json!({"steps": ["nod", "", 3, "look left"]})).unwrap();
        assert_eq!(plan.steps.len(), 2);
    }
}
