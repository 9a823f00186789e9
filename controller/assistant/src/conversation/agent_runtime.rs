//! Runs the agents with a language model, where the grammar does not understand a request. Their decisions
//! are carried out like any other request.
//!
//! The machine ([`crate::agents::turn`]) decides. Here its effects become questions to the model, motions,
//! runs of tools and questions to the person. The results become its events.

use serde_json::{Map, Value};

use super::activity_log::step;
use super::thinker::Mind;
use super::tool_builder::{ToolBuilder, Until};
use super::tool_reuse::measured;
use super::{Conversation, ConversationEvent, Reply, ToolReply, TurnOutcome, known};
use crate::agents::action::Action;
use crate::agents::authoring::Page;
use crate::agents::claim_check;
use crate::agents::coordinator::{Assignment, Task};
use crate::agents::roster::{CODE, COORDINATOR, Roster};
use crate::agents::route::{Style, ToolRequest, style, tool_request};
use crate::agents::turn::{AvailableTools, Effect, End, Event, Observation, StopReason, Turn};
use crate::agents::{Agent, plan::Plan};
use firmware_bridge::clock::{Clock, MonotonicClock};
use minismith_contract::Contract;
use minismith_language_model::{Completion, Function, Message, ModelCallError};
use minismith_nlu::{Known, KnownTool, answer};

/// The maximum number of tools that a model is offered for one request.
const MAX_OFFERED_TOOLS: usize = 6;
/// The maximum number of earlier turns that a model gets in full.
pub(super) const REMINDED_TURNS: usize = 6;

/// Asks the person a question. Returns `None` when no person is available.
pub type Asking = Box<dyn FnMut(&str) -> Option<String>>;

impl Conversation<'_> {
    /// Has the agents work on a request. Returns `None` without a language model, or when no model answers;
    /// `notices` then says why.
    pub(super) fn run_turn(&mut self, text: &str, notices: &mut Vec<String>) -> Option<Reply> {
        let mut mind = self.agents.take()?;
        let reply = self.run_turn_with(&mut mind, text, notices);
        self.agents = Some(mind);
        reply
    }

    fn run_turn_with(&mut self, mind: &mut Mind, text: &str, notices: &mut Vec<String>) -> Option<Reply> {
        if let Some(request) = tool_request(text) {
            return Some(self.grant(mind, request, notices));
        }
        let clock = MonotonicClock::start();
        let history = self.reminder();
        let mut reply = Reply::nothing(String::new(), TurnOutcome::Done);
        let plan = match self.plan_for(mind, text, &history) {
            Ok(plan) => plan,
            Err(no) => {
                notices.push(no.to_string());
                return None;
            }
        };
        if let Some(plan) = &plan {
            self.emit(plan);
        }
        let offered = self.offered(text, mind);
        let mut bench = ToolBuilder::new(mind.max_iterations, mind.limits.answer_tokens);
        let (mut turn, mut effect) =
            Turn::begin(self.roster(mind), mind.limits, offered, history, text, plan);
        let mut made = false;
        let end = loop {
            let event = if self.context.is_stopped() {
                Event::Stopped
            } else if clock.now().seconds() > mind.limits.seconds {
                Event::Late
            } else {
                match effect {
                    Effect::End(end) => break end,
                    Effect::Ask(prompt) => match self.ask_model(mind, &turn.agent(), &prompt) {
                        Ok(answer) => {
                            notices.extend(mind.model.notices());
                            Event::Answered(answer)
                        }
                        Err(ModelCallError::GivenUp) => Event::Stopped,
                        Err(no) => Event::NoAnswer(no),
                    },
                    Effect::AskPerson(question) => Event::Replied(self.ask(&question)),
                    Effect::Act { agent, action } => {
                        let assignment = Assignment { agent: doer(&action), task: action.describe() };
                        reply.plan.push(assignment.clone());
                        let read = turn.is_foreign().to_vec();
                        let known = reply.steps.len();
                        self.emit(ConversationEvent::Begun(assignment.clone()));
                        let span = step(&assignment);
                        let act = || self.act(mind, &mut bench, &agent, action, &read, &mut reply);
                        let observed = span.in_scope(act);
                        let ending = if observed.done { TurnOutcome::Done } else { TurnOutcome::Refused };
                        span.record("outcome", minismith_runtime::report::serde_name(&ending));
                        self.report_progress(assignment, &observed.text, ending, reply.steps.get(known..));
                        made |= reply
                            .tool
                            .as_ref()
                            .is_some_and(|tool| tool.code.is_some() && tool.version.is_some());
                        Event::Observed(observed)
                    }
                }
            };
            effect = turn.step(event);
            turn.handoffs().into_iter().for_each(|handoff| self.emit(ConversationEvent::Handoff(handoff)));
            self.keep_plan(turn.plan());
        };
        mind.roster = turn.roster().clone();
        self.keep_agents(&mind.roster);
        reply.spent = Some(turn.usage() + bench.usage());
        reply.read = turn.is_foreign().to_vec();
        let End { text, reason: why } = end;
        match why {
            // Nothing was done yet, so the grammar's own answer is as good.
            StopReason::NoModel(no) if reply.steps.is_empty() && reply.tool.is_none() => {
                notices.push(no.to_string());
                return None;
            }
            StopReason::NoModel(no) => {
                reply.text = format!("I did a part of it, then {no}.");
                reply.outcome = TurnOutcome::Failed;
            }
            StopReason::Stopped => {
                reply.text = text;
                reply.outcome = TurnOutcome::Stopped;
            }
            StopReason::Limit(_) => {
                reply.text = text;
                reply.outcome = TurnOutcome::Failed;
            }
            StopReason::Answered => {
                reply.text = text;
                // The model's account of a motion is an opinion; the measurement stands next to it.
                if let Some(step) = reply.steps.iter().find(|step| step.refusal.is_some()) {
                    reply.text.push_str(&format!(
                        " (Measured: {} was not done: {}.)",
                        step.kind,
                        step.refusal.as_deref().unwrap_or_default()
                    ));
                    reply.outcome = TurnOutcome::Refused;
                } else if let Some(measured) = claim_check::beside(&reply.text, &reply.steps, made) {
                    reply.text.push_str(&format!(" ({measured})"));
                }
            }
        }
        Some(reply)
    }

    /// Has an explicitly requested tool made, and runs it where the request says so.
    fn grant(&mut self, mind: &mut Mind, request: ToolRequest, notices: &mut Vec<String>) -> Reply {
        let ToolRequest { name, text, run } = request;
        let mut reply = Reply::nothing(String::new(), TurnOutcome::Done);
        reply.plan.push(Assignment { agent: Agent::Code, task: format!("write the tool {name}: {text}") });
        let mut bench = ToolBuilder::new(mind.max_iterations, mind.limits.answer_tokens);
        let pages = self.pages(&text);
        let contract = Contract::from_request(&text);
        let made = bench.create(self, mind, name, text, pages, contract.clone(), true, &[], &mut reply);
        notices.extend(mind.model.notices());
        reply.spent = Some(bench.usage());
        let (text, callable, ran) = match &reply.tool {
            Some(ToolReply {
                name,
                version: Some(version),
                code: Some(_),
                assumed,
                verdict,
                expectations,
                ..
            }) => {
                let assumed: String =
                    assumed.iter().map(|what| format!(" Assumed: {}.", what.trim_end_matches('.'))).collect();
                let measured = verdict
                    .as_ref()
                    .map(|verdict| measured(verdict, &contract.account(expectations)))
                    .unwrap_or_default();
                (
                    format!("I wrote and verified {name}, version {version}.{measured}{assumed}"),
                    Some(name.clone()),
                    false,
                )
            }
            Some(ToolReply { name, run: Some(_), .. }) => {
                (format!("I already have {name}, so I wrote nothing and ran it."), Some(name.clone()), true)
            }
            _ => match &made.tool {
                Some(Function { name, .. }) => (
                    format!("I already have {name}, so I wrote nothing; I assumed that you want to use it."),
                    Some(name.clone()),
                    false,
                ),
                None => {
                    let why = made.text.trim_start_matches("not done: ").trim_start_matches("refused: ");
                    (format!("I did not make it: {why}"), None, false)
                }
            },
        };
        reply.text = text;
        reply.outcome = match made.done {
            true => TurnOutcome::Done,
            false if self.context.is_stopped() => TurnOutcome::Stopped,
            false => TurnOutcome::Refused,
        };
        if let Some(name) = callable.filter(|_| run && !ran && made.done) {
            let (said, ending) = self.run(&name, serde_json::Map::new(), &mut reply);
            reply.text = format!("{} {said}", reply.text);
            reply.outcome = ending;
        }
        reply
    }

    /// Returns the agents of the configuration and those that joined in this session. None has a function
    /// that the coordinator lacks today.
    fn roster(&self, mind: &Mind) -> Roster {
        let most = mind.roster.get(COORDINATOR).map(|spec| spec.functions.clone()).unwrap_or_default();
        let joined = self.session(|session| session.agents()).unwrap_or_default().into_iter();
        let joined = joined.filter(|spec| mind.roster.get(&spec.name).is_none()).map(|mut spec| {
            spec.functions.retain(|ability| most.contains(ability));
            spec
        });
        Roster::of(mind.roster.iter().cloned().chain(joined.collect::<Vec<_>>()))
    }

    /// Returns a plan for a long request, or the interrupted plan when the person asks to go on with it.
    fn plan_for(
        &mut self,
        mind: &mut Mind,
        text: &str,
        history: &[Message],
    ) -> Result<Option<Plan>, ModelCallError> {
        match self.style.unwrap_or_else(|| style(text)) {
            Style::Resume => Ok(self.stored_plan().filter(|plan| !plan.is_over())),
            Style::React => Ok(None),
            Style::Plan => {
                let prompt = crate::agents::route::plan_prompt(text, history, mind.limits.answer_tokens);
                match self.ask_model(mind, "planner", &prompt) {
                    Ok(answer) => match answer.completion {
                        Completion::Json(value) => Ok(crate::agents::route::read_plan(text, &value)),
                        _ => Ok(None),
                    },
                    Err(no) => Err(no),
                }
            }
        }
    }

    /// Returns the tools that match the request, by words, and by meaning where its model is installed.
    fn offered(&self, text: &str, mind: &Mind) -> Vec<AvailableTools> {
        let known = self.reported_tools();
        let found = self.workshop.registry().search(text, MAX_OFFERED_TOOLS, &mind.models);
        let fits = |tool: &&KnownTool| match &found {
            Ok(found) => found.results.iter().any(|result| result.name == tool.name),
            Err(_) => true,
        };
        known
            .iter()
            .filter(fits)
            .take(MAX_OFFERED_TOOLS)
            .map(|KnownTool { name, description, parameters }| AvailableTools {
                function: Function {
                    name: name.clone(),
                    description: description.clone(),
                    parameters: parameters.clone(),
                },
            })
            .collect()
    }

    /// Returns the tools that may be run, as a model gets them.
    pub(super) fn reported_tools(&self) -> Vec<KnownTool> {
        known(super::reported(self.workshop.registry()).unwrap_or_default())
    }

    /// Carries out one action and returns the result.
    fn act(
        &mut self,
        mind: &mut Mind,
        bench: &mut ToolBuilder,
        agent: &str,
        action: Action,
        read: &[String],
        reply: &mut Reply,
    ) -> Observation {
        match action {
            Action::Move(primitive) => own(self.one(Task::Move(primitive), reply)),
            Action::ReportState => own(self.one(Task::ReportState, reply)),
            Action::ListTools => {
                Observation::done(answer::tools(&Known { tools: &self.reported_tools(), ..Known::default() }))
            }
            Action::See(sight) => {
                let seen = own(self.one(Task::Look(sight), reply));
                Observation { foreign: seen.done.then(|| "the picture".into()), ..seen }
            }
            Action::AnswerFromFiles { question, files } => {
                match self.answer_about(Some(&mut *mind.model), &question, &files) {
                    Ok(report) => {
                        let observation = Observation {
                            text: self.report_answer(&report),
                            done: report.success,
                            foreign: Some(files.join(" and ")),
                            tool: None,
                        };
                        reply.answer = Some(report);
                        observation
                    }
                    Err(why) => Observation::not_done(format!("refused: {why}")),
                }
            }
            Action::RunTool { name, arguments } => self.observe_run(name, arguments, reply),
            Action::ToolCode { name } => match self.workshop.registry().load(&name, None) {
                Ok(accepted) => Observation {
                    foreign: Some(format!("the code of {name}")),
                    ..Observation::done(accepted.checked().draft().source())
                },
                Err(error) => Observation::not_done(format!("refused: {error}")),
            },
            Action::CreateFunction { name, specification } => {
                let pages = self.pages(&specification);
                let whole = agent != CODE;
                bench.create(self, mind, name, specification, pages, Contract::default(), whole, read, reply)
            }
            Action::CreateTestCases { name } => bench.advance(self, mind, &name, Until::Tested, reply),
            Action::TestFunction { name } => bench.advance(self, mind, &name, Until::Verified, reply),
            Action::SaveFunction { name } => bench.advance(self, mind, &name, Until::Stored, reply),
            // The machine handles these itself.
            Action::CreateAssistant(_)
            | Action::HandOff { .. }
            | Action::AskPerson { .. }
            | Action::UpdatePlan { .. } => Observation::not_done("refused: this can't be done here"),
        }
    }

    /// Runs a tool for the agents. Its output is foreign text.
    pub(super) fn observe_run(
        &mut self,
        name: String,
        arguments: Map<String, Value>,
        reply: &mut Reply,
    ) -> Observation {
        let source = format!("what {name} said");
        let ran = own(self.one(Task::RunTool { name, arguments }, reply));
        let said = reply.tool.as_ref().and_then(|tool| tool.run.as_ref());
        // The reason why it did not run, or not to its end, may contain its text too.
        let free = !ran.done || said.is_none_or(|tool_run| tool_run.has_words());
        Observation { foreign: free.then_some(source), ..ran }
    }

    /// Returns pages that help an author with this request.
    pub(super) fn pages(&self, request: &str) -> Vec<Page> {
        let own = crate::retrieval::tool_pages::pages(self.workshop.registry(), request);
        crate::retrieval::pages(request, &own, crate::retrieval::MAX_TOKENS)
    }

    fn reminder(&self) -> Vec<Message> {
        let reminder = self.session(|session| session.reminder(REMINDED_TURNS));
        reminder.map(|reminder| reminder.messages()).unwrap_or_default()
    }

    fn stored_plan(&self) -> Option<Plan> {
        self.session(|session| session.plan()).flatten()
    }

    fn keep_plan(&self, plan: Option<&Plan>) {
        if plan.is_some() {
            self.session(|session| session.keep_plan(plan));
        }
    }

    fn keep_agents(&self, roster: &Roster) {
        for spec in roster.iter().filter(|spec| spec.creator.is_some()) {
            self.session(|session| session.keep_agent(spec));
        }
    }

    /// Runs `act` on the session. An error goes to the log, and the conversation goes on.
    pub(super) fn session<T>(
        &self,
        act: impl FnOnce(&crate::memory::Session<'_>) -> Result<T, crate::memory::MemoryError>,
    ) -> Option<T> {
        let (memory, id) = self.memory.as_ref()?;
        let done = memory.session(Some(id)).and_then(|session| act(&session));
        done.inspect_err(|error| tracing::warn!(%error, "the session is not kept")).ok()
    }
}

/// Returns the result of an action in this program's own words.
fn own((text, ending): (String, TurnOutcome)) -> Observation {
    Observation { done: ending == TurnOutcome::Done, ..Observation::done(text) }
}

/// Returns the agent that does this kind of action.
const fn doer(action: &Action) -> Agent {
    match action {
        Action::Move(_) | Action::ReportState | Action::RunTool { .. } => Agent::RobotControl,
        Action::See(_) => Agent::Vision,
        Action::ToolCode { .. }
        | Action::AnswerFromFiles { .. }
        | Action::CreateFunction { .. }
        | Action::CreateTestCases { .. }
        | Action::TestFunction { .. }
        | Action::SaveFunction { .. } => Agent::Code,
        Action::ListTools
        | Action::CreateAssistant(_)
        | Action::HandOff { .. }
        | Action::AskPerson { .. }
        | Action::UpdatePlan { .. } => Agent::Coordinator,
    }
}
