//! Builds the tools of a turn: each is a commission that advances step by step or as a whole.

use std::collections::{BTreeMap, BTreeSet};

use super::thinker::Mind;
use super::tool_reuse::{ReuseDecision, measured};
use super::{Conversation, Reply, ToolReply};
use crate::agents::authoring::{AuthoringResult, Base, Draft, Effect, Event, Page, ToolAuthoring, ToolSpec};
use crate::agents::turn::{Observation, Usage};
use minismith_analysis::manifest::Provenance;
use minismith_analysis::submission::{Declared, Submission};
use minismith_contract::Contract;
use minismith_language_model::{Function, ModelCallError};
use minismith_toolchain::workshop::check::Checked;
use minismith_toolchain::workshop::review::Reviewed;
use minismith_toolchain::workshop::similar_tools::{SimilarTool, arguments_in};

/// The maximum number of tools that one turn may make.
const MAX_TOOLS: usize = 4;

/// The point up to which a commission runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Until {
    /// The code is written.
    Written,
    /// The test cases are written.
    Tested,
    /// It has passed rules and rehearsal.
    Verified,
    /// It is in the registry.
    Stored,
}

/// A tool in progress.
struct Piece {
    authoring: ToolAuthoring,
    pending: Effect,
    reviewed: Option<Reviewed>,
    checked: Option<Checked>,
    /// The sources of outside text that was read before it was begun.
    read: Vec<String>,
    /// What the person's own words say about the motion; empty where the words are a model's.
    contract: Contract,
}

/// The tools in progress.
pub(super) struct ToolBuilder {
    pieces: BTreeMap<String, Piece>,
    /// The names of the tools begun in this turn.
    made: BTreeSet<String>,
    max_iterations: u32,
    answer_tokens: u32,
    usage: Usage,
}

impl ToolBuilder {
    pub(super) const fn new(max_iterations: u32, answer_tokens: u32) -> Self {
        let spent = Usage { steps: 0, prompt_tokens: 0, answer_tokens: 0 };
        ToolBuilder {
            pieces: BTreeMap::new(),
            made: BTreeSet::new(),
            max_iterations,
            answer_tokens,
            usage: spent,
        }
    }

    /// Returns what authors, testers and reviewers have used.
    pub(super) const fn usage(&self) -> Usage {
        self.usage
    }

    /// Begins a tool; `whole` takes it all the way. Its motion must keep the contract.
    #[allow(clippy::too_many_arguments, reason = "each is another part of one commission")]
    pub(super) fn create(
        &mut self,
        conversation: &mut Conversation<'_>,
        mind: &mut Mind,
        name: String,
        request: String,
        pages: Vec<Page>,
        contract: Contract,
        whole: bool,
        read: &[String],
        reply: &mut Reply,
    ) -> Observation {
        if let Some(why) = conversation.no_tools() {
            return refused(format!("nothing was written: {why}"));
        }
        if self.pieces.len() >= MAX_TOOLS {
            return refused(format!("at most {MAX_TOOLS} tools can be made for one request"));
        }
        let mut order = ToolSpec { name: None, request, pages, base: None };
        let (mut assumed, mut read) = (String::new(), read.to_vec());
        // A tool made in this turn may be improved in it.
        let name = if self.made.contains(&name) || self.pieces.contains_key(&name) {
            name
        } else {
            match conversation.choose(&name, &order.request, &mind.models) {
                ReuseDecision::New { name, assumed: why } => {
                    assumed = why;
                    name
                }
                ReuseDecision::Change(alike) => match base(conversation, &alike) {
                    Ok(base) => {
                        order.base = Some(base);
                        if !alike.described {
                            read.push(format!("the code of {}", alike.name));
                        }
                        alike.name
                    }
                    Err(why) => return refused(why),
                },
                ReuseDecision::Use { similar: alike, is_asked: true } => {
                    let arguments = arguments_in(&order.request, &alike);
                    let ran = conversation.observe_run(alike.name.clone(), arguments, reply);
                    let text = format!(
                        "nothing was written: the person wants to use {}, which is there already. {}",
                        alike.name, ran.text
                    );
                    return Observation { text, tool: function(conversation, &alike.name), ..ran };
                }
                // This is an assumption, so whether the tool runs is decided as for any other run.
                ReuseDecision::Use { similar: alike, is_asked: false } => {
                    let text = format!(
                        "nothing was written: {} is there already. It is assumed that it is to be used: run it by its name \
                         if it is to move now, and say that you assumed that.",
                        alike.name
                    );
                    let tool = function(conversation, &alike.name);
                    return Observation { tool, ..Observation::done(text) };
                }
                ReuseDecision::Stopped => return refused("the person said stop".into()),
            }
        };
        if let Err(error) = conversation.workshop.registry().may_be_given(&name) {
            return refused(error.to_string());
        }
        self.made.insert(name.clone());
        order.name = Some(name.clone());
        let (commission, pending) = ToolAuthoring::begin(order, self.max_iterations, self.answer_tokens);
        self.pieces.insert(
            name.clone(),
            Piece { authoring: commission, pending, reviewed: None, checked: None, read, contract },
        );
        let until = if whole { Until::Stored } else { Until::Written };
        let made = self.advance(conversation, mind, &name, until, reply);
        if assumed.is_empty() {
            return made;
        }
        if let Some(tool) = &mut reply.tool {
            tool.assumed.push(assumed.clone());
        }
        Observation { text: format!("{} Assumed, and to be said: {assumed}.", made.text), ..made }
    }

    /// Advances a tool in progress up to this point.
    pub(super) fn advance(
        &mut self,
        conversation: &mut Conversation<'_>,
        mind: &mut Mind,
        name: &str,
        until: Until,
        reply: &mut Reply,
    ) -> Observation {
        let Some(mut piece) = self.pieces.remove(name) else {
            return refused(format!("there is no draft of {name}; begin with create_function"));
        };
        let _authoring = tracing::info_span!("authoring", tool = name).entered();
        loop {
            if stands_at(&piece.pending, until) {
                let text = so_far(name, &piece, until);
                self.pieces.insert(name.to_owned(), piece);
                return Observation::done(text);
            }
            let pending = std::mem::replace(&mut piece.pending, Effect::AskPerson(String::new()));
            let event = match pending {
                Effect::Over(over) => {
                    conversation.workshop.registry().store_lessons(&over.lessons);
                    let made = function(conversation, name);
                    return report(name, over, made, (piece.checked, &piece.contract), reply);
                }
                Effect::Ask(prompt) => match conversation.ask_model(mind, prompt.purpose, &prompt) {
                    Ok(answer) => {
                        self.usage.count(answer.tokens);
                        Event::Answered(answer)
                    }
                    Err(ModelCallError::GivenUp) => Event::Stopped,
                    Err(no) => Event::NoAnswer(no),
                },
                Effect::AskPerson(question) => Event::Replied(conversation.ask(&question)),
                Effect::Check(draft) => match check(conversation, &draft, &piece.read, &piece.contract) {
                    Ok((checked, admissible)) => {
                        piece.reviewed = admissible;
                        piece.checked = Some(checked.clone());
                        Event::Checked(Box::new(checked))
                    }
                    Err(why) => Event::Rejected(why),
                },
                Effect::Accept { reviewer, risks, ask } => match piece.reviewed.take() {
                    Some(admissible) => {
                        let reviewed = admissible.reviewed_by(&reviewer, risks, ask);
                        match conversation.workshop.accept(&reviewed) {
                            Ok(manifest) => Event::Accepted(manifest.version),
                            Err(error) => Event::Rejected(error.to_string()),
                        }
                    }
                    None => Event::Rejected("it was not verified".into()),
                },
            };
            piece.pending = piece.authoring.step(event);
        }
    }
}

/// Returns the code that a changed tool begins with.
fn base(conversation: &Conversation<'_>, alike: &SimilarTool) -> Result<Base, String> {
    let accepted = conversation.workshop.registry().load(&alike.name, Some(alike.version));
    let accepted = accepted.map_err(|error| error.to_string())?;
    Ok(Base { purpose: alike.purpose.clone(), source: accepted.checked().draft().source().into() })
}

/// Returns an existing tool as a function that may be called.
fn function(conversation: &Conversation<'_>, name: &str) -> Option<Function> {
    let tool = conversation.reported_tools().into_iter().find(|tool| tool.name == name)?;
    Some(Function { name: tool.name, description: tool.description, parameters: tool.parameters })
}

/// Returns whether a commission has reached this point: its next effect lies beyond.
fn stands_at(pending: &Effect, until: Until) -> bool {
    match pending {
        Effect::Ask(prompt) => match prompt.purpose {
            "tester" => until <= Until::Written,
            "reviewer" => until <= Until::Verified,
            _ => false,
        },
        Effect::Check(_) => until <= Until::Tested,
        _ => false,
    }
}

fn so_far(name: &str, piece: &Piece, until: Until) -> String {
    let draft = piece.authoring.draft();
    match until {
        Until::Written => format!("{name} is written:\n{}\nNext: create_test_cases.", draft.source),
        Until::Tested => {
            let cases: Vec<&str> = draft.test_cases.iter().map(|case| case.name.as_str()).collect();
            format!("{name} has test cases ({}). Next: test_function.", cases.join(", "))
        }
        Until::Verified | Until::Stored => {
            format!("{name} has passed rules and rehearsal. Next: save_function.")
        }
    }
}

fn check(
    conversation: &mut Conversation<'_>,
    draft: &Draft,
    read: &[String],
    contract: &Contract,
) -> Result<(Checked, Option<Reviewed>), String> {
    let author = match read {
        [] => "code agent".into(),
        read => format!("code agent, after reading {}", read.join(" and ")),
    };
    let origin = Provenance {
        author,
        request: draft.specification.clone(),
        plan: draft.plan.clone(),
        model: Some(draft.model.clone()),
        ..Provenance::default()
    };
    let declared = Declared {
        test_cases: draft.test_cases.clone(),
        expects: contract.expectations(),
        ..Declared::default()
    };
    let submission = Submission::of(&draft.name, draft.source.as_bytes()).declaring(declared).from(origin);
    let (workshop, mut watch) = conversation.watched_workshop();
    let checked = workshop.check_watched(&submission, &mut watch).map_err(|error| error.to_string());
    drop(watch);
    if let Ok((checked, _)) = &checked {
        conversation.emit(checked);
    }
    checked
}

/// Returns the result of a commission, for the agents and in the reply.
fn report(
    name: &str,
    over: AuthoringResult,
    tool: Option<Function>,
    (checked, contract): (Option<Checked>, &Contract),
    reply: &mut Reply,
) -> Observation {
    let version = over.accepted.as_ref().ok().copied();
    let (findings, report, expectations) =
        checked.map(|checked| (checked.findings, checked.report, checked.expectations)).unwrap_or_default();
    let verdict = (!contract.is_empty()).then(|| contract.verdict(&expectations));
    let measured = match &verdict {
        Some(verdict) if version.is_some() => measured(verdict, &contract.account(&expectations)),
        _ => String::new(),
    };
    reply.tool = Some(ToolReply {
        name: over.draft.name.clone(),
        version,
        plan: over.draft.plan,
        code: Some(over.draft.source),
        assumed: Some(over.assumption.clone()).filter(|assumed| !assumed.is_empty()).into_iter().collect(),
        findings,
        report,
        expectations,
        verdict,
        run: None,
    });
    let assumed =
        if over.assumption.is_empty() { String::new() } else { format!(" Assumed: {}.", over.assumption) };
    match over.accepted {
        Ok(version) => Observation {
            tool,
            ..Observation::done(format!(
                "done: {name} is written, verified in {} tries and kept as version {version}; it can be called by its name \
                 now.{measured}{assumed}",
                over.iterations
            ))
        },
        Err(why) => Observation::not_done(format!("not done: {name} was not kept: {why}.{assumed}")),
    }
}

fn refused(why: String) -> Observation {
    Observation::not_done(format!("refused: {why}"))
}
