//! Builds the prompts for the author, the tester and the reviewer of a tool. A person's request and pages are
//! data.

use serde_json::{Value, json};

use super::{Draft, ToolSpec};
use minismith_analysis::finding::Finding;
use minismith_language_model::{Form, Message, Part, Prompt, Role};
use minismith_toolchain::workshop::check::Checked;

const SPECIFY: &str = "\
You prepare the making of a small Python tool for the robot Reachy Mini: a head that looks, tilts, rises and turns, a \
body that turns, and two antennas. Restate what is wanted as a specification: each step with its angle in degrees, its \
count and its seconds; where the request leaves something open, choose calm usual values and say so in `assumption`. \
Only if the request can't be understood at all, put one short question into `question`; else leave it empty. `plan` \
lists the steps of the tool in order. `name` is a short Python identifier in lower case.";

const WRITE: &str = "\
You write one Python tool for the robot Reachy Mini. Answer with the whole file in one ```python block and nothing else.

The file has exactly this shape (NAME, the parameters and the steps are yours):

```python
import math
import time

from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose


def NAME(robot: ReachyMini, degrees: float = 15.0, times: int = 2) -> str:
    \"\"\"One sentence that says what it does.

    Args:
        degrees: How far, between 0 and 30.
        times: How often, between 1 and 5.

    Returns:
        What was done.
    \"\"\"
    for _ in range(times):
        robot.goto_target(head=create_head_pose(yaw=degrees), duration=0.8)
        robot.goto_target(head=create_head_pose(yaw=-degrees), duration=0.8)
    robot.goto_target(head=create_head_pose(), antennas=[0.0, 0.0], body_yaw=0.0, duration=1.0)
    return f\"turned the head {times} times by {degrees} degrees\"
```

Rules:
- One public function with the name that is asked for; its first parameter is `robot: ReachyMini`; every parameter has a \
type and a default; it returns what its annotation says.
- `create_head_pose(x, y, z, roll, pitch, yaw, degrees=True, mm=False)`: angles in degrees; positive yaw looks left, \
positive pitch looks down, positive roll leans to the right; z up to 0.02 and not below -0.04 metres. Yaw at most 60, \
pitch 35, roll 30 to either side.
- `body_yaw` and `antennas=[right, left]` are in radians: write `math.radians(40)`.
- `robot.goto_target(head=None, antennas=None, duration=0.5, body_yaw=0.0)` moves smoothly and returns when it is \
there; pass `body_yaw=None` to leave the body as it is. Durations of at least 0.3 s for each 20 degrees.
- Wait with `time.sleep(seconds)`. No `print`, no `input`, no `try` around motions, no global state, no other imports \
than math, time, random, numpy and reachy_mini.
- Every loop ends. The whole takes less than 30 seconds with its defaults. End in a neutral pose.";

const TEST: &str = "\
You write test cases for a Python tool that you have not seen, from what it should do. Give two to three cases. \
`arguments` holds only parameters that are named to you, as JSON; leave it empty to use the defaults. `moves` lists which \
parts of the robot must have moved: head, body, antennas; name only parts that the specification says must move.";

const REVIEW: &str = "\
You review a tool for a robot before it is kept. It has passed the safety rules and a rehearsal; you judge the rest: does \
the code do what was asked for (`meets_request`), does its result tell the truth (`honest`), and what could go wrong \
(`risks`, at most three short sentences)? Small differences in speed or angle are fine.";

/// Builds the prompt that asks for a specification.
pub fn specify(order: &ToolSpec, reply: Option<&str>, max_tokens: u32) -> Prompt {
    let mut parts = vec![data("the request", &order.request)];
    if let Some(name) = &order.name {
        parts.push(text(&format!("The tool has to be named {name}.")));
    }
    if let Some(base) = &order.base {
        parts.push(data("what the tool does now", &base.purpose));
        parts.push(data("its present code", &base.source));
        parts.push(text(
            "The request is a change to this tool: specify the whole of what it does afterwards.",
        ));
    }
    if let Some(reply) = reply {
        parts.push(data("the person's answer to your question", reply));
        parts.push(text("Do not ask again: leave `question` empty, and state what you assume."));
    }
    let schema = object(json!({
        "name": {"type": "string"},
        "specification": {"type": "string"},
        "plan": {"type": "array", "items": {"type": "string"}},
        "assumption": {"type": "string"},
        "question": {"type": "string"},
    }));
    prompt("specify", SPECIFY.into(), parts, Form::Json(schema), max_tokens)
}

/// Builds the prompt for the first version of the code.
pub fn write(order: &ToolSpec, draft: &Draft, max_tokens: u32) -> Prompt {
    let mut parts = pages(order);
    parts.push(data("the request", &order.request));
    parts.push(data("the specification", &specification(draft)));
    match &order.base {
        Some(base) => {
            parts.push(data("the present code", &base.source));
            parts.push(text(&format!(
                "Change the tool `{}`: begin with its present code, and keep what need not change.",
                draft.name
            )));
        }
        None => parts.push(text(&format!("Write the tool `{}`.", draft.name))),
    }
    prompt("author", WRITE.into(), parts, Form::Text, max_tokens)
}

/// Builds the prompt for the code again, with what was wrong with it.
pub fn repair(order: &ToolSpec, draft: &Draft, findings: &[Finding], max_tokens: u32) -> Prompt {
    let found: Vec<String> = findings.iter().take(8).map(ToString::to_string).collect();
    let mut parts = pages(order);
    parts.push(data("the specification", &specification(draft)));
    parts.push(data("the code so far", &draft.source));
    parts.push(data("why it was refused", &found.join("\n")));
    parts.push(text(&format!(
        "Mend what was refused and keep the rest. Answer with the whole file of the tool `{}`.",
        draft.name
    )));
    prompt("mender", WRITE.into(), parts, Form::Text, max_tokens)
}

/// Builds the prompt for test cases, for a tester who knows the parameters and not the code.
pub fn test_cases(draft: &Draft, parameters: &str, max_tokens: u32) -> Prompt {
    let parts = vec![
        data("the specification", &specification(draft)),
        data("the parameters", parameters),
        text(&format!("Write test cases for `{}`.", draft.name)),
    ];
    let case = object(json!({
        "name": {"type": "string"},
        "arguments": {"type": "object"},
        "moves": {"type": "array", "items": {"type": "string", "enum": ["head", "body", "antennas"]}},
    }));
    let schema = object(json!({"cases": {"type": "array", "items": case}}));
    prompt("tester", TEST.into(), parts, Form::Json(schema), max_tokens)
}

/// Builds the prompt for the review of code, findings and report.
pub fn review(order: &ToolSpec, draft: &Draft, checked: &Checked, max_tokens: u32) -> Prompt {
    let findings: Vec<String> = checked.findings.iter().take(8).map(ToString::to_string).collect();
    let measured = checked.report.as_ref().map(|report| {
        let report = serde_json::to_string(report).unwrap_or_default();
        report.chars().take(1_500).collect::<String>()
    });
    let parts = vec![
        data("the request", &order.request),
        data("the specification", &specification(draft)),
        data("the code", &draft.source),
        data("what the rules remarked", &findings.join("\n")),
        data("what the rehearsal measured", &measured.unwrap_or_default()),
        text("Judge it."),
    ];
    let schema = object(json!({
        "meets_request": {"type": "boolean"},
        "honest": {"type": "boolean"},
        "risks": {"type": "array", "items": {"type": "string"}},
        "verdict": {"type": "string", "enum": ["accept", "ask", "refuse"]},
        "reason": {"type": "string"},
    }));
    prompt("reviewer", REVIEW.into(), parts, Form::Json(schema), max_tokens)
}

fn pages(order: &ToolSpec) -> Vec<Part> {
    order.pages.iter().map(|page| data(&page.title, &page.text)).collect()
}

fn specification(draft: &Draft) -> String {
    let steps: Vec<String> =
        draft.plan.iter().enumerate().map(|(position, step)| format!("{}. {step}", position + 1)).collect();
    format!("{}\n{}", draft.specification, steps.join("\n")).trim().to_owned()
}

fn prompt(
    purpose: &'static str,
    instructions: String,
    parts: Vec<Part>,
    form: Form,
    max_tokens: u32,
) -> Prompt {
    Prompt { purpose, instructions, messages: vec![Message { role: Role::Person, parts }], form, max_tokens }
}

fn data(source: &str, text: &str) -> Part {
    Part::Data { source: source.into(), text: text.into() }
}

fn text(text: &str) -> Part {
    Part::Text { text: text.into() }
}

/// Returns a strict schema: every property is required, and no others are allowed.
fn object(properties: Value) -> Value {
    let required: Vec<String> =
        properties.as_object().map(|map| map.keys().cloned().collect()).unwrap_or_default();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}
