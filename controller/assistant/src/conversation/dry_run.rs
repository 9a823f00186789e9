//! Previews a sentence without running it: the grammar's interpretation, as assignments to the agents.

use serde::Serialize;
use utoipa::ToSchema;

use super::known;
use super::understood::{UnderstoodPart, parts};
use crate::agents::coordinator::{Assignment, Decision, decide};
use crate::agents::route::tool_request;
use crate::author::{is_authoring_request, is_lasting_reaction, is_tool_request, plain_request};
use minismith_commands::{self as commands, Reading, Told, told};
use minismith_nlu::{Intent, Known, Reason, Understanding, interpret, is_stop};
use minismith_toolchain::workshop::registry::Entry;

/// The consequence of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PreviewOutcome {
    /// The plan runs.
    Do,
    /// The robot stops.
    Stop,
    /// A language model is asked; what it will request is unknown.
    Think,
    /// Nothing, since the request is not possible.
    Refuse,
    /// Nothing, since the sentence is not understood.
    Decline,
}

/// The preview of a sentence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PlanPreview {
    /// The sentence.
    pub text: String,
    /// The consequence.
    #[serde(rename = "follows")]
    pub outcome: PreviewOutcome,
    /// The assignments, in order.
    pub plan: Vec<Assignment>,
    /// The parts of the sentence, with the steps that each stands for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub understood: Vec<UnderstoodPart>,
    /// The answer where nothing is done.
    #[serde(rename = "says")]
    #[schema(required)]
    pub message: Option<String>,
}

/// Interprets a sentence that stands alone, so it refers to nothing before it. `thinks` says whether a
/// language model is available.
#[must_use]
pub fn read(text: &str, tools: Vec<Entry>, thinks: bool) -> PlanPreview {
    let of = |outcome, plan, message| PlanPreview {
        text: text.into(),
        outcome,
        plan,
        understood: Vec::new(),
        message,
    };
    if is_stop(text) {
        return of(PreviewOutcome::Stop, Vec::new(), None);
    }
    let plain = plain_request(text);
    let text = plain.as_deref().unwrap_or(text);
    let tools = known(tools);
    let known = Known { tools: &tools, before: None };
    let meaning = understood(text, &known);
    let parts = match &meaning {
        Understanding::Plan(plan) => parts(text, plan, |part| understood(part, &known)),
        _ => Vec::new(),
    };
    let is_beyond = is_beyond(&meaning, text);
    match decide(meaning) {
        Decision::Stop => of(PreviewOutcome::Stop, Vec::new(), None),
        Decision::Decline(_) if is_beyond && thinks => of(PreviewOutcome::Think, Vec::new(), None),
        Decision::Decline(says) => of(PreviewOutcome::Decline, Vec::new(), Some(says)),
        Decision::Refuse(says) => of(PreviewOutcome::Refuse, Vec::new(), Some(says)),
        Decision::Do(tasks) => {
            let plan = tasks.iter().map(|task| Assignment { agent: task.agent(), task: task.describe() });
            PlanPreview { understood: parts, ..of(PreviewOutcome::Do, plan.collect(), None) }
        }
    }
}

/// Interprets a text. A request for a tool is not done at once: what the reader of commands makes of its steps moves
/// nothing.
#[must_use]
pub fn understood(text: &str, known: &Known<'_>) -> Understanding {
    let understood = interpret(text, known);
    let Understanding::Plan(plan) = &understood else { return understood };
    let needs_tool = |intent: &Intent| match intent {
        // A condition is asked about once; a reaction lasts.
        Intent::Spoken(spoken) if spoken.if_event.is_some() => {
            is_lasting_reaction(text) || is_tool_request(text)
        }
        Intent::Motion(_) | Intent::Spoken(_) | Intent::Say(_) => is_authoring_request(text),
        _ => false,
    };
    let makes_one = plan.iter().any(|intent| matches!(intent, Intent::MakeTool { .. }));
    if !makes_one && plan.iter().any(needs_tool) {
        return Understanding::Unclear {
            text: text.to_owned(),
            reason: Reason::Unknown,
            nearest: Vec::new(),
        };
    }
    understood
}

/// Returns whether the agents may know more. What is forbidden, denied, reported or unclear in itself stays
/// declined.
pub(super) fn is_beyond(understood: &Understanding, text: &str) -> bool {
    matches!(understood, Understanding::Foreign { .. } | Understanding::Impossible { .. })
        || matches!(
            understood,
            Understanding::Unclear { reason, .. } if is_beyond_grammar(*reason)
                // What a tool must not do belongs to its description.
                || (*reason == Reason::Negated && tool_request(text).is_some())
        )
}

/// Returns whether a text may be commands that the grammar does not know. A question is none, and neither is what tells of
/// somebody, or asks for no motion.
#[must_use]
pub fn may_be_commands(understood: &Understanding, text: &str) -> bool {
    let is_unknown = match understood {
        Understanding::Foreign { .. } | Understanding::Impossible { .. } => true,
        // What is not to be done may stand beside what is.
        Understanding::Unclear { reason: Reason::Negated, .. } => true,
        Understanding::Unclear { reason, .. } => is_beyond_grammar(*reason) && *reason != Reason::Knowledge,
        _ => false,
    };
    is_unknown && told(text) != Told::Everything && commands::read(text, None, "en").0 != Reading::Nothing
}

const fn is_beyond_grammar(reason: Reason) -> bool {
    match reason {
        Reason::Unknown | Reason::Knowledge | Reason::Conditional | Reason::Body => true,
        Reason::Negated
        | Reason::NothingToRepeat
        | Reason::WhichTool
        | Reason::NotText
        | Reason::NoSuchChange
        | Reason::WhichWay
        | Reason::Hearsay
        | Reason::Rules
        | Reason::Motors
        | Reason::Unkind => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preview_matches_what_the_conversation_would_do() {
        let read = |text: &str, thinks| read(text, Vec::new(), thinks);
        let both = read("nod twice, then look left 20 degrees", false);
        assert_eq!(
            (both.outcome, both.plan.len(), &both.message),
            (PreviewOutcome::Do, 2, &None),
            "{both:?}"
        );
        assert_eq!(read("stop", false).outcome, PreviewOutcome::Stop);
        let far = read("look left 300 degrees", false);
        assert!(far.outcome == PreviewOutcome::Refuse && far.message.unwrap().contains("60 deg"));
        let sandwich = "make me a sandwich";
        assert_eq!(read(sandwich, false).outcome, PreviewOutcome::Decline);
        assert_eq!(read(sandwich, true).outcome, PreviewOutcome::Think);
    }

    #[test]
    fn what_asks_for_a_tool_is_not_done_at_once() {
        let does = |text: &str| {
            matches!(understood(text, &Known { tools: &[], before: None }), Understanding::Plan(plan)
                if plan.iter().any(|intent| matches!(intent, Intent::Spoken(_) | Intent::Motion(_))))
        };
        for text in [
            "write a tool named seven_ticks: the left antenna flicks out and back seven times",
            "I'd like a new trick: look up at the ceiling, then come back to normal",
            "make a tool: first nod, then tilt the head to the left, finally wave the right antenna",
            "wave with the antennas whenever you see a face, for twenty seconds",
        ] {
            assert!(!does(text), "{text}");
        }
        for text in
            ["nod if you see a face", "make a bow, then look left and tilt your head", "make it three nods"]
        {
            assert!(does(text), "{text}");
        }
    }
}
