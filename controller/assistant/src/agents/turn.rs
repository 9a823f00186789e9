//! Defines [`Turn`], the state machine from a person's request to the answer. It does no I/O: its driver passes in
//! events and carries out effects.
//!
//! ```text
//!             .--------- Act, observed -----------.
//!             v                                   |
//! begin -> Ask a model -- calls --> one by one ---'--- AskPerson, answered
//!             |  ^                      |
//!             |  '-- hand over, or back '
//!             '-- text, by the coordinator --> End
//! ```
//!
//! Reason, act, observe, repeat, within [`Limits`]. A plan is worked on step by step: each step is such a loop of its
//! own with the plan in its prompt.
//!
//! Safety: an agent is offered its own functions only, and a call of another one is rejected. Outside text (images,
//! files, output of tools) is data. After such text, an action with an effect must be named by the person or confirmed
//! ([`super::consent`]).

mod talk;
mod words;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::action::Action;
use super::agent_function::{Ability, AgentScope, Callable};
use super::consent;
use super::plan::{Plan, StepStatus};
use super::roster::{COORDINATOR, Roster, Spec};
use minismith_language_model::{Call, Completion, Form, Function, Message, ModelAnswer, Part, Prompt, Role};

pub use talk::is_yes;
use talk::{data, task_of, words};
pub use words::{AvailableTools, Effect, End, Event, Handoff, Limits, Observation, StopReason, Usage};

/// An agent at work, with its messages.
#[derive(Clone, Debug)]
struct AgentFrame {
    agent: String,
    messages: Vec<Message>,
    /// The call of the agent below that started this one.
    called_by: Option<Call>,
    /// Calls of its last answer that have not been made yet.
    waiting: VecDeque<Call>,
    /// Results of the calls that have been made.
    results: Vec<Part>,
}

impl AgentFrame {
    const fn of(agent: String, messages: Vec<Message>, called_by: Option<Call>) -> AgentFrame {
        AgentFrame { agent, messages, called_by, waiting: VecDeque::new(), results: Vec::new() }
    }
}

/// What the turn waits for.
#[derive(Clone, Debug)]
enum Awaits {
    Model,
    Action(Call),
    /// The person's consent to an action.
    Consent(Call, Action),
    /// The person's answer to an agent's question.
    Reply(Call),
}

/// One turn.
#[derive(Clone, Debug)]
pub struct Turn {
    roster: Roster,
    limits: Limits,
    offered: Vec<AvailableTools>,
    frames: Vec<AgentFrame>,
    awaits: Awaits,
    usage: Usage,
    /// What the person has said in this turn. Requests of earlier turns give no consent now.
    said: Vec<String>,
    /// The sources of outside text that was read.
    is_foreign: Vec<String>,
    /// Tools that were made after that: their names are not the person's words.
    doubtful: BTreeSet<String>,
    /// How often each call was made.
    made: BTreeMap<String, u32>,
    corrections: Vec<String>,
    plan: Option<Plan>,
    position: usize,
    /// Tasks that went from one agent to another and were not reported yet.
    handed: Vec<Handoff>,
}

impl Turn {
    /// Begins a turn with the earlier messages in `history` and the present `request`. With a plan, its open
    /// steps are worked on.
    #[must_use]
    pub fn begin(
        roster: Roster,
        limits: Limits,
        offered: Vec<AvailableTools>,
        history: Vec<Message>,
        request: &str,
        plan: Option<Plan>,
    ) -> (Turn, Effect) {
        let said = plan.iter().map(|plan| plan.goal.clone()).chain([request.to_owned()]).collect();
        let recalled = history.iter().flat_map(|message| &message.parts);
        let recalled = recalled.filter_map(|part| match part {
            Part::Data { source, .. } => Some(source.clone()),
            _ => None,
        });
        let foreign: BTreeSet<String> =
            recalled.chain(plan.iter().flat_map(|plan| plan.read.clone())).collect();
        let mut messages = history;
        messages.push(Message::person(request));
        let mut turn = Turn {
            roster,
            limits,
            offered: Vec::new(),
            frames: vec![AgentFrame::of(COORDINATOR.into(), messages, None)],
            awaits: Awaits::Model,
            usage: Usage::default(),
            said,
            is_foreign: Vec::new(),
            doubtful: BTreeSet::new(),
            made: BTreeMap::new(),
            corrections: Vec::new(),
            plan,
            position: 0,
            handed: Vec::new(),
        };
        turn.read_from(foreign);
        offered.into_iter().for_each(|tool| turn.offer(tool));
        let effect = if turn.plan.is_some() { turn.next_step(None) } else { turn.ask() };
        (turn, effect)
    }

    /// Returns what the turn has used.
    #[must_use]
    pub const fn usage(&self) -> Usage {
        self.usage
    }

    /// Returns the plan as it is now.
    #[must_use]
    pub const fn plan(&self) -> Option<&Plan> {
        self.plan.as_ref()
    }

    /// Returns the present agents, including those that have joined.
    #[must_use]
    pub const fn roster(&self) -> &Roster {
        &self.roster
    }

    /// Returns the sources of outside text that was read in this turn.
    #[must_use]
    pub fn is_foreign(&self) -> &[String] {
        &self.is_foreign
    }

    /// Records that outside text was read.
    fn read_from(&mut self, sources: impl IntoIterator<Item = String>) {
        for source in sources {
            if !self.is_foreign.contains(&source) {
                self.is_foreign.push(source);
            }
        }
        if let Some(plan) = &mut self.plan {
            plan.read.clone_from(&self.is_foreign);
        }
    }

    /// Offers a tool by its name, unless an ability has that name: a tool can't replace an ability.
    fn offer(&mut self, tool: AvailableTools) {
        if Ability::named(&tool.function.name).is_none() {
            self.offered.push(tool);
        }
    }

    /// Takes one event and returns the next effect.
    pub fn step(&mut self, event: Event) -> Effect {
        match event {
            Event::Stopped => end("I was stopped.", StopReason::Stopped),
            Event::Late => self.over("seconds", "I took too long over this, so I stopped thinking about it."),
            Event::Corrected(text) => {
                self.said.push(text.clone());
                self.corrections.push(text);
                // The correction cancels the pending calls.
                let waiting = self.frames.last_mut().map(|frame| std::mem::take(&mut frame.waiting));
                for call in waiting.into_iter().flatten() {
                    self.returned(&call, "not done: the person said something else meanwhile");
                }
                match std::mem::replace(&mut self.awaits, Awaits::Model) {
                    Awaits::Model => self.ask(),
                    Awaits::Action(call) | Awaits::Consent(call, _) | Awaits::Reply(call) => {
                        self.returned(&call, "interrupted by the person");
                        self.go_on()
                    }
                }
            }
            Event::Answered(answer) => self.answered(answer),
            Event::NoAnswer(no) => end("", StopReason::NoModel(no)),
            Event::Observed(observation) => {
                let Awaits::Action(call) = std::mem::replace(&mut self.awaits, Awaits::Model) else {
                    return self.ask();
                };
                if let Some(function) = observation.tool {
                    if !self.is_foreign.is_empty() {
                        self.doubtful.insert(function.name.clone());
                    }
                    // A new version replaces the one before it.
                    self.offered.retain(|offered| offered.function.name != function.name);
                    self.offer(AvailableTools { function });
                }
                self.read_from(observation.foreign);
                self.returned(&call, &observation.text);
                self.go_on()
            }
            Event::Replied(reply) => self.replied(reply),
        }
    }

    fn answered(&mut self, answer: ModelAnswer) -> Effect {
        self.usage.count(answer.tokens);
        match answer.completion {
            Completion::Calls { text, calls } => {
                let mut parts = Vec::new();
                if !text.is_empty() {
                    parts.push(Part::Text { text });
                }
                parts.extend(calls.iter().map(|call| Part::Called {
                    id: call.id.clone(),
                    name: call.name.clone(),
                    arguments: call.arguments.clone(),
                }));
                self.push_message(Message { role: Role::Model, parts });
                if let Some(frame) = self.frames.last_mut() {
                    frame.waiting = calls.into();
                }
                self.go_on()
            }
            Completion::Text(text) => self.said_text(&text),
            Completion::Json(value) => self.said_text(&value.to_string()),
        }
    }

    /// Ends an agent's work: its text goes to its caller, the coordinator's text to the person.
    fn said_text(&mut self, text: &str) -> Effect {
        self.push_message(Message::model(text));
        if self.frames.len() > 1
            && let Some(AgentFrame { agent, called_by: Some(call), .. }) = self.frames.pop()
        {
            self.returned(&call, &format!("{agent} says: {text}"));
            return self.go_on();
        }
        if self.plan.is_some() {
            return self.next_step(Some(text));
        }
        end(text, StopReason::Answered)
    }

    /// Takes the next pending call, or asks the model again when none is left.
    fn go_on(&mut self) -> Effect {
        while let Some(call) = self.frames.last_mut().and_then(|frame| frame.waiting.pop_front()) {
            if let Some(effect) = self.take(call) {
                return effect;
            }
        }
        let parts =
            self.frames.last_mut().map(|frame| std::mem::take(&mut frame.results)).unwrap_or_default();
        if !parts.is_empty() {
            self.push_message(Message { role: Role::Person, parts });
        }
        for correction in std::mem::take(&mut self.corrections) {
            self.push_message(Message::person(correction));
        }
        self.ask()
    }

    /// Takes one call. Returns `None` when it was answered immediately.
    fn take(&mut self, call: Call) -> Option<Effect> {
        let agent = self.agent();
        let (ability, action) = match self.read(&agent, &call) {
            Ok(read) => read,
            Err(complaint) => {
                self.returned(&call, &format!("refused: {complaint}"));
                return None;
            }
        };
        let key = format!("{agent} {} {}", call.name, serde_json::Value::Object(call.arguments.clone()));
        let made = self.made.entry(key).or_default();
        *made += 1;
        if *made > self.limits.repeats {
            self.returned(
                &call,
                "refused: you did exactly this before; use what came of it, or do something else",
            );
            return None;
        }
        if ability.has_effect() && !self.is_foreign.is_empty() && !self.is_named(&action) {
            let question = consent::question(&agent, &action, &self.is_foreign);
            self.awaits = Awaits::Consent(call, action);
            return Some(Effect::AskPerson(question));
        }
        match action {
            Action::HandOff { agent: to, task } => {
                // The new agent gets the earlier text messages, without calls.
                let mut messages: Vec<Message> =
                    self.frames.first().map(|frame| words(&frame.messages)).unwrap_or_default();
                let reported = self.roster.get(&to).filter(|spec| !spec.read.is_empty()).cloned();
                if let Some(Spec { instructions, read, .. }) = reported {
                    let source = format!("the words by which {to} was created");
                    messages.push(data(
                        "You were created for this, in other words than the person's:",
                        &source,
                        &instructions,
                    ));
                    self.read_from(read);
                }
                messages.push(task_of(&agent, &task, !self.is_foreign.is_empty()));
                self.handed.push(Handoff { from: agent, to: to.clone(), task });
                self.frames.push(AgentFrame::of(to, messages, Some(call)));
                Some(self.ask())
            }
            Action::AskPerson { question } => {
                let question = match self.is_foreign.is_empty() {
                    true => question,
                    false => consent::asked(&agent, &question, &self.is_foreign),
                };
                self.awaits = Awaits::Reply(call);
                Some(Effect::AskPerson(question))
            }
            Action::CreateAssistant(spec) => {
                self.join(&call, spec);
                None
            }
            Action::UpdatePlan { step, status, note } => {
                let text = match &mut self.plan {
                    Some(plan) if step >= 1 && step <= plan.steps.len() => {
                        plan.note(step - 1, status, &note);
                        format!("noted:\n{plan}")
                    }
                    Some(plan) => format!("refused: the plan has {} steps", plan.steps.len()),
                    None => "refused: there is no plan".into(),
                };
                self.returned(&call, &text);
                None
            }
            action => {
                self.awaits = Awaits::Action(call);
                Some(Effect::Act { agent, action })
            }
        }
    }

    fn read(&self, agent: &str, call: &Call) -> Result<(Ability, Action), String> {
        let spec = self.roster.get(agent).ok_or("there is no such agent")?;
        if let Some(tool) = self.tool(&call.name) {
            if !spec.functions.contains(&Ability::ExecFunction) {
                return Err(format!("the {agent} agent may not run tools"));
            }
            minismith_analysis::arguments::accept(&tool.function.parameters, &call.arguments)?;
            let action =
                Action::RunTool { name: tool.function.name.clone(), arguments: call.arguments.clone() };
            return Ok((Ability::ExecFunction, action));
        }
        let ability = Ability::named(&call.name).ok_or(format!("there is no function {}", call.name))?;
        if !spec.functions.contains(&ability) {
            return Err(format!("the {agent} agent may not do {}; hand the task over", call.name));
        }
        let (others, data) = (self.roster.others(agent), consent::named_data(&self.said));
        if ability == Ability::AnswerFromFiles && data.is_empty() {
            return Err("the person has named no file; ask which one is meant".into());
        }
        let action = ability
            .read(&call.arguments, AgentScope { others: &others, data: &data, ..AgentScope::default() })?;
        if let Action::HandOff { agent: to, .. } = &action
            && self.frames.iter().any(|frame| frame.agent == *to)
        {
            return Err(format!("{to} is waiting for you; say what you found, and it goes on"));
        }
        Ok((ability, action))
    }

    fn tool(&self, name: &str) -> Option<&AvailableTools> {
        self.offered.iter().find(|offered| offered.function.name == name)
    }

    fn replied(&mut self, reply: Option<String>) -> Effect {
        match std::mem::replace(&mut self.awaits, Awaits::Model) {
            Awaits::Consent(call, action) => {
                let yes = reply.as_deref().is_some_and(is_yes);
                let agent = self.agent();
                if yes {
                    return match self.consented(&call, action) {
                        Some(action) => {
                            self.awaits = Awaits::Action(call);
                            Effect::Act { agent, action }
                        }
                        None => self.go_on(),
                    };
                }
                let why = match reply {
                    Some(_) => "refused: the person does not want this",
                    None => "refused: the person did not ask for this, and nobody is here to say yes",
                };
                self.returned(&call, why);
                self.go_on()
            }
            Awaits::Reply(call) => {
                let text = match reply {
                    Some(text) => {
                        // A yes to an agent's own question consents to no action.
                        if !is_yes(&text) {
                            self.said.push(text.clone());
                        }
                        format!("the person says: {text}")
                    }
                    None => {
                        "nobody is here to answer; go on with the likeliest reading, and say what you assumed"
                            .into()
                    }
                };
                self.returned(&call, &text);
                self.go_on()
            }
            awaits => {
                self.awaits = awaits;
                self.ask()
            }
        }
    }

    /// Returns the action after the person's consent; a new agent joins here.
    fn consented(&mut self, call: &Call, action: Action) -> Option<Action> {
        match action {
            Action::CreateAssistant(spec) => {
                self.join(call, spec);
                None
            }
            action => Some(action),
        }
    }

    /// Adds a created agent, with no functions that its creator lacks.
    fn join(&mut self, call: &Call, spec: Spec) {
        let creator = self.agent();
        let spec = Spec { read: self.is_foreign.clone(), ..spec };
        let text = match self.roster.create(&creator, spec) {
            Ok(()) => "done: the agent has joined; hand tasks over to it".to_owned(),
            Err(no) => format!("refused: {no}"),
        };
        self.returned(call, &text);
    }

    /// Records the result of the step before, and begins the next one of the plan.
    fn next_step(&mut self, came: Option<&str>) -> Effect {
        let position = self.position;
        let Some(plan) = &mut self.plan else { return self.ask() };
        if let Some(came) = came
            && plan.steps.get(position).is_some_and(|step| step.status == StepStatus::Doing)
        {
            plan.note(position, StepStatus::Done, came);
        }
        match plan.begin_next() {
            Some((position, task)) => {
                let (plan, number) = (plan.to_string(), position + 1);
                let message = match self.is_foreign.is_empty() {
                    true => Message::person(format!(
                        "The plan:\n{plan}\nDo step {number} now, and say what came of it: {task}"
                    )),
                    false => data(
                        &format!("Do step {number} of the plan now, and say what came of it."),
                        "the plan",
                        &plan,
                    ),
                };
                self.position = position;
                self.push_message(message);
                self.ask()
            }
            None => {
                let over = plan.is_over();
                let text = format!(
                    "{}\n{plan}",
                    if over { "I have done all of it." } else { "I could not do all of it." }
                );
                end(text.trim_end(), StopReason::Answered)
            }
        }
    }

    fn ask(&mut self) -> Effect {
        if self.usage.steps >= self.limits.steps {
            return self.over("steps", "I needed more steps for this than I may take, so I stopped.");
        }
        if self.usage.prompt_tokens + self.usage.answer_tokens >= self.limits.tokens {
            return self.over("tokens", "I needed more words for this than I may use, so I stopped.");
        }
        self.awaits = Awaits::Model;
        let agent = self.agent();
        let Some(spec) = self.roster.get(&agent) else {
            return self.over("agents", "The agent who should do this is not there.");
        };
        let (others, data) = (self.roster.others(&agent), consent::named_data(&self.said));
        let within = AgentScope { others: &others, data: &data, ..AgentScope::default() };
        let mut functions: Vec<Function> = spec
            .functions
            .iter()
            // Each tool is a function of its own.
            .filter(|ability| **ability != Ability::ExecFunction)
            .filter(|ability| **ability != Ability::UpdatePlan || self.plan.is_some())
            .filter(|ability| **ability != Ability::AnswerFromFiles || !data.is_empty())
            .map(|ability| ability.function(within))
            .collect();
        if spec.functions.contains(&Ability::ExecFunction) {
            functions.extend(self.offered.iter().map(|offered| offered.function.clone()));
        }
        let mut instructions = match spec.read.is_empty() {
            true => spec.instructions.clone(),
            false => format!("You are {agent}, an agent of a small robot. Do the task with your functions."),
        };
        if spec.functions.contains(&Ability::HandOff) {
            instructions.push_str("\n\nThe other agents:");
            for other in self.roster.iter().filter(|other| others.contains(&other.name)) {
                let purpose = other.purpose.split_whitespace().collect::<Vec<_>>().join(" ");
                let purpose =
                    if other.read.is_empty() { purpose.as_str() } else { "created in conversation" };
                instructions.push_str(&format!("\n- {}: {purpose}", other.name));
            }
        }
        Effect::Ask(Prompt {
            purpose: if agent == COORDINATOR { "coordinator" } else { "agent" },
            instructions,
            messages: self.frames.last().map(|frame| frame.messages.clone()).unwrap_or_default(),
            form: if functions.is_empty() { Form::Text } else { Form::Calls(functions) },
            max_tokens: self.limits.answer_tokens,
        })
    }

    fn over(&self, limit: &'static str, text: &str) -> Effect {
        let done = self.plan.as_ref().map(|plan| format!("\n{plan}")).unwrap_or_default();
        end(format!("{text}{done}").trim_end(), StopReason::Limit(limit))
    }

    /// Returns whether the person's own words ask for this.
    fn is_named(&self, action: &Action) -> bool {
        let is_doubtful = matches!(action, Action::RunTool { name, .. } if self.doubtful.contains(name));
        !is_doubtful && consent::is_named(action, &self.said)
    }

    /// Returns the tasks handed over since the last call of this function.
    pub fn handoffs(&mut self) -> Vec<Handoff> {
        std::mem::take(&mut self.handed)
    }

    /// Returns the agent at work.
    #[must_use]
    pub fn agent(&self) -> String {
        self.frames.last().map(|frame| frame.agent.clone()).unwrap_or_default()
    }

    fn push_message(&mut self, message: Message) {
        if let Some(frame) = self.frames.last_mut() {
            frame.messages.push(message);
        }
    }

    /// Stores the result of a call. The model gets it with the other results of the same answer.
    fn returned(&mut self, call: &Call, text: &str) {
        let Call { id, name, .. } = call;
        if let Some(frame) = self.frames.last_mut() {
            frame.results.push(Part::Returned { id: id.clone(), name: name.clone(), text: text.into() });
        }
    }
}

fn end(text: &str, why: StopReason) -> Effect {
    Effect::End(End { text: text.into(), reason: why })
}

#[cfg(test)]
mod tests;
