//! What a sentence would be, read and not done: what the grammar makes of it, as assignments to the agents.

use serde::Serialize;
use utoipa::ToSchema;

use super::known;
use crate::agents::coordinator::{Assignment, Decision, decide};
use crate::agents::route::wish;
use minismith_nlu::{Known, Reason, Understanding, is_stop, understand};
use minismith_toolchain::workshop::registry::Entry;

/// What would follow from a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Follows {
    /// The plan is carried out.
    Do,
    /// The body is halted.
    Stop,
    /// A language model is asked; what it will want can't be told.
    Think,
    /// Nothing, since what was understood is not possible.
    Refuse,
    /// Nothing, since it is not understood.
    Decline,
}

/// A sentence that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Reading {
    /// The sentence.
    pub text: String,
    /// What would follow.
    pub follows: Follows,
    /// Who would do what, in this order.
    pub plan: Vec<Assignment>,
    /// What would be said where nothing is done.
    pub says: Option<String>,
}

/// Reads a sentence that stands alone: it refers back to nothing. `thinks` says whether there is a language model.
#[must_use]
pub fn read(text: &str, tools: Vec<Entry>, thinks: bool) -> Reading {
    let of = |follows, plan, says| Reading { text: text.into(), follows, plan, says };
    if is_stop(text) {
        return of(Follows::Stop, Vec::new(), None);
    }
    let tools = known(tools);
    let understood: Understanding = understand(text, &Known { tools: &tools, before: None });
    let is_beyond = is_beyond(&understood, text);
    match decide(understood) {
        Decision::Stop => of(Follows::Stop, Vec::new(), None),
        Decision::Decline(_) if is_beyond && thinks => of(Follows::Think, Vec::new(), None),
        Decision::Decline(says) => of(Follows::Decline, Vec::new(), Some(says)),
        Decision::Refuse(says) => of(Follows::Refuse, Vec::new(), Some(says)),
        Decision::Do(tasks) => {
            let plan = tasks.iter().map(|task| Assignment { agent: task.agent(), task: task.describe() });
            of(Follows::Do, plan.collect(), None)
        }
    }
}

/// What the agents may make something of. What is forbidden, denied, reported or unclear in itself stays declined.
pub(super) fn is_beyond(understood: &Understanding, text: &str) -> bool {
    matches!(
        understood,
        Understanding::Unclear { reason, .. } if is_beyond_grammar(*reason)
            // What a tool is not to do belongs to its description.
            || (*reason == Reason::Negated && wish(text).is_some())
    )
}

const fn is_beyond_grammar(reason: Reason) -> bool {
    match reason {
        Reason::Unknown | Reason::Knowledge | Reason::Conditional | Reason::Body | Reason::Together => true,
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
    fn a_sentence_is_read_as_it_would_be_done() {
        let read = |text: &str, thinks| read(text, Vec::new(), thinks);
        let both = read("nod twice, then look left 20 degrees", false);
        assert_eq!((both.follows, both.plan.len(), &both.says), (Follows::Do, 2, &None), "{both:?}");
        assert_eq!(read("stop", false).follows, Follows::Stop);
        let far = read("look left 300 degrees", false);
        assert!(far.follows == Follows::Refuse && far.says.unwrap().contains("60 deg"));
        let sandwich = "make me a sandwich";
        assert_eq!(read(sandwich, false).follows, Follows::Decline);
        assert_eq!(read(sandwich, true).follows, Follows::Think);
    }
}
