//! `prompt_tokens`: the length of the prompt that a tool is written from, with the reference pages that fit the
//! request, and with all pages.

use serde_json::json;

use super::row::{Better, Row};
use super::{BenchContext, Failed};
use minismith_assistant::agents::authoring::{Effect, Event, Page, ToolAuthoring, ToolSpec};
use minismith_assistant::retrieval::{MAX_TOKENS, REFERENCE, pages};
use minismith_language_model::{Completion, ModelAnswer, Tokens};

pub(super) const NAME: &str = "prompt_tokens";
const PEER: &str = "the whole reference in the prompt";

/// Typical requests for new tools.
const REQUESTS: [&str; 10] = [
    "peek over the left shoulder and come back",
    "move the head in a slow circle",
    "bow deeply and stay there for a second",
    "wag the antennas like a dog",
    "look around the room and say how bright it is",
    "turn the body from side to side three times",
    "draw a figure of eight with the head",
    "count to five, one nod for each number",
    "act sleepy: sink slowly, then start up",
    "follow a point that moves from left to right",
];

pub(super) fn measure(context: &BenchContext<'_>) -> Row {
    (context.progress)("prompts: with the pages that fit, and with all of them");
    let mean = |pages: &dyn Fn(&str) -> Vec<Page>| -> Result<f64, Failed> {
        let tokens = REQUESTS.map(|request| tokens(request, pages(request)));
        let sum: u64 = tokens.into_iter().sum::<Option<u64>>().ok_or_else(|| Failed("no prompt".into()))?;
        Ok(sum as f64 / REQUESTS.len() as f64)
    };
    let everything = |_: &str| vec![Page { title: "reference".into(), text: REFERENCE.into() }];
    let peer = mean(&everything).ok();
    Row::alone(NAME, "tokens", mean(&|request| pages(request, &[], MAX_TOKENS)))
        .against(PEER, peer, Better::Lower)
        .noting("by a rule of thumb, a mean over ten requests")
}

/// Returns the tokens of the prompt for the code.
fn tokens(request: &str, pages: Vec<Page>) -> Option<u64> {
    let order = ToolSpec { name: Some("tool".into()), request: request.into(), pages, base: None };
    let (mut commission, _specify) = ToolAuthoring::begin(order, 1, 1_000);
    let specified = json!({
        "name": "tool", "specification": request, "plan": [request], "assumption": "", "question": "",
    });
    let answer = ModelAnswer {
        completion: Completion::Json(specified),
        tokens: Tokens::default(),
        from: String::new(),
    };
    match commission.step(Event::Answered(answer)) {
        Effect::Ask(prompt) => Some(prompt.tokens()),
        _ => None,
    }
}
