//! One turn of the agents, from what a person said to what is answered: a machine without input or output. Whoever
//! drives it hands in events and carries out effects.
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
//! Reason, act, observe, repeat, within [`Limits`]. A plan, where there is one, is worked off step by step: each step is
//! such a loop of its own with the plan before its eyes.
//!
//! Safety: an agent is offered its own functions only, and a call of another one is refused. What comes from outside
//! (pictures, files, tools' words) is data; after it an action with an effect that the person has not named needs the
//! person's yes ([`super::consent`]).

mod words;

use std::collections::{BTreeMap, VecDeque};

use super::ability::{Ability, Within};
use super::action::Action;
use super::consent;
use super::plan::{Plan, StepStatus};
use super::roster::{COORDINATOR, Roster, Spec};
use crate::model::{Answer, Call, Form, Function, Message, Part, Prompt, Role, Said};

pub use words::{Effect, End, Event, Limits, Observation, Offered, Spent, Why};

/// An agent at work: what it has been told.
#[derive(Clone, Debug)]
struct Desk {
    agent: String,
    messages: Vec<Message>,
    /// The call at the desk below that brought it here.
    called_by: Option<Call>,
    /// Calls of its last answer that have not been made yet.
    waiting: VecDeque<Call>,
    /// What came of those that have.
    results: Vec<Part>,
}

impl Desk {
    const fn of(agent: String, messages: Vec<Message>, called_by: Option<Call>) -> Desk {
        Desk { agent, messages, called_by, waiting: VecDeque::new(), results: Vec::new() }
    }
}

/// What is waited for.
#[derive(Clone, Debug)]
enum Awaits {
    Model,
    Action(Call),
    /// The person's yes to an action.
    Consent(Call, Action),
    /// The person's answer to an agent's question.
    Reply(Call),
}

/// One turn.
#[derive(Clone, Debug)]
pub struct Turn {
    roster: Roster,
    limits: Limits,
    offered: Vec<Offered>,
    desks: Vec<Desk>,
    awaits: Awaits,
    spent: Spent,
    /// What the person has said in this session, lately.
    said: Vec<String>,
    /// Where text from outside came from.
    foreign: Vec<String>,
    /// How often each call was made.
    made: BTreeMap<String, u32>,
    corrections: Vec<String>,
    plan: Option<Plan>,
    place: usize,
}

impl Turn {
    /// Begins a turn: `history` is what was said before, `request` what is said now. With a plan its steps are worked
    /// off; what was done already stays done.
    #[must_use]
    pub fn begin(
        roster: Roster,
        limits: Limits,
        offered: Vec<Offered>,
        history: Vec<Message>,
        request: &str,
        plan: Option<Plan>,
    ) -> (Turn, Effect) {
        let said: Vec<String> = history
            .iter()
            .filter(|message| message.role == Role::Person)
            .flat_map(|message| &message.parts)
            .filter_map(|part| if let Part::Text { text } = part { Some(text.clone()) } else { None })
            .chain([request.to_owned()])
            .collect();
        let mut messages = history;
        messages.push(Message::person(request));
        let mut turn = Turn {
            roster,
            limits,
            offered,
            desks: vec![Desk::of(COORDINATOR.into(), messages, None)],
            awaits: Awaits::Model,
            spent: Spent::default(),
            said,
            foreign: Vec::new(),
            made: BTreeMap::new(),
            corrections: Vec::new(),
            plan,
            place: 0,
        };
        let effect = if turn.plan.is_some() { turn.next_step(None) } else { turn.ask() };
        (turn, effect)
    }

    /// What it has cost.
    #[must_use]
    pub const fn spent(&self) -> Spent {
        self.spent
    }

    /// The plan as it is now.
    #[must_use]
    pub const fn plan(&self) -> Option<&Plan> {
        self.plan.as_ref()
    }

    /// Who there is now; agents may have joined.
    #[must_use]
    pub const fn roster(&self) -> &Roster {
        &self.roster
    }

    /// Takes one event, and says what is wanted next.
    pub fn step(&mut self, event: Event) -> Effect {
        match event {
            Event::Stopped => end("I was stopped.", Why::Stopped),
            Event::Late => self.over("seconds", "I took too long over this, so I stopped thinking about it."),
            Event::Corrected(text) => {
                self.said.push(text.clone());
                self.corrections.push(text);
                // What was wanted before is not wanted any longer.
                let waiting = self.desks.last_mut().map(|desk| std::mem::take(&mut desk.waiting));
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
            Event::NoAnswer(no) => end("", Why::NoModel(no)),
            Event::Observed(observation) => {
                let Awaits::Action(call) = std::mem::replace(&mut self.awaits, Awaits::Model) else {
                    return self.ask();
                };
                self.foreign.extend(observation.foreign);
                if let Some(function) = observation.tool {
                    // A new version replaces the one before it.
                    self.offered.retain(|offered| offered.function.name != function.name);
                    self.offered.push(Offered { function });
                }
                self.returned(&call, &observation.text);
                self.go_on()
            }
            Event::Replied(reply) => self.replied(reply),
        }
    }

    fn answered(&mut self, answer: Answer) -> Effect {
        self.spent.count(answer.tokens);
        match answer.said {
            Said::Calls { text, calls } => {
                let mut parts = Vec::new();
                if !text.is_empty() {
                    parts.push(Part::Text { text });
                }
                parts.extend(calls.iter().map(|call| Part::Called {
                    id: call.id.clone(),
                    name: call.name.clone(),
                    arguments: call.arguments.clone(),
                }));
                self.tell(Message { role: Role::Model, parts });
                if let Some(desk) = self.desks.last_mut() {
                    desk.waiting = calls.into();
                }
                self.go_on()
            }
            Said::Text(text) => self.said_text(&text),
            Said::Json(value) => self.said_text(&value.to_string()),
        }
    }

    /// An agent has nothing more to do: its words go to who called it, the coordinator's to the person.
    fn said_text(&mut self, text: &str) -> Effect {
        self.tell(Message::model(text));
        if self.desks.len() > 1
            && let Some(Desk { agent, called_by: Some(call), .. }) = self.desks.pop()
        {
            self.returned(&call, &format!("{agent} says: {text}"));
            return self.go_on();
        }
        if self.plan.is_some() {
            return self.next_step(Some(text));
        }
        end(text, Why::Answered)
    }

    /// The next of the calls that wait; the model again when there is none left.
    fn go_on(&mut self) -> Effect {
        while let Some(call) = self.desks.last_mut().and_then(|desk| desk.waiting.pop_front()) {
            if let Some(effect) = self.take(call) {
                return effect;
            }
        }
        let parts = self.desks.last_mut().map(|desk| std::mem::take(&mut desk.results)).unwrap_or_default();
        if !parts.is_empty() {
            self.tell(Message { role: Role::Person, parts });
        }
        for correction in std::mem::take(&mut self.corrections) {
            self.tell(Message::person(correction));
        }
        self.ask()
    }

    /// Takes one call; none when it was answered on the spot.
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
        if ability.has_effect() && !self.foreign.is_empty() && !consent::is_named(&action, &self.said) {
            let question = consent::question(&agent, ability, &action, &self.foreign);
            self.awaits = Awaits::Consent(call, action);
            return Some(Effect::AskPerson(question));
        }
        match action {
            Action::HandOver { agent, task } => {
                // What was said before goes along, without the calls.
                let mut messages: Vec<Message> = self.desks.first().map(words).unwrap_or_default();
                messages.push(Message::person(task));
                self.desks.push(Desk::of(agent, messages, Some(call)));
                Some(self.ask())
            }
            Action::AskPerson { question } => {
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
            crate::workshop::arguments::accept(&tool.function.parameters, &call.arguments)?;
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
        let action =
            ability.read(&call.arguments, Within { others: &others, data: &data, ..Within::default() })?;
        if let Action::HandOver { agent: to, .. } = &action
            && self.desks.iter().any(|desk| desk.agent == *to)
        {
            return Err(format!("{to} is waiting for you; say what you found, and it goes on"));
        }
        Ok((ability, action))
    }

    fn tool(&self, name: &str) -> Option<&Offered> {
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
                        self.said.push(text.clone());
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

    /// What the person said yes to; agents that join do so here.
    fn consented(&mut self, call: &Call, action: Action) -> Option<Action> {
        match action {
            Action::CreateAssistant(spec) => {
                self.join(call, spec);
                None
            }
            action => Some(action),
        }
    }

    /// An agent that was created joins, with no more powers than its creator.
    fn join(&mut self, call: &Call, spec: Spec) {
        let creator = self.agent();
        let text = match self.roster.create(&creator, spec) {
            Ok(()) => "done: the agent has joined; hand tasks over to it".to_owned(),
            Err(no) => format!("refused: {no}"),
        };
        self.returned(call, &text);
    }

    /// Notes what became of the step before, and begins the next one of the plan.
    fn next_step(&mut self, came: Option<&str>) -> Effect {
        let place = self.place;
        let Some(plan) = &mut self.plan else { return self.ask() };
        if let Some(came) = came
            && plan.steps.get(place).is_some_and(|step| step.status == StepStatus::Doing)
        {
            plan.note(place, StepStatus::Done, came);
        }
        match plan.begin_next() {
            Some((place, task)) => {
                let text =
                    format!("The plan:\n{plan}\nDo step {} now, and say what came of it: {task}", place + 1);
                self.place = place;
                self.tell(Message::person(text));
                self.ask()
            }
            None => {
                let over = plan.is_over();
                let text = format!(
                    "{}\n{plan}",
                    if over { "I have done all of it." } else { "I could not do all of it." }
                );
                end(text.trim_end(), Why::Answered)
            }
        }
    }

    fn ask(&mut self) -> Effect {
        if self.spent.steps >= self.limits.steps {
            return self.over("steps", "I needed more steps for this than I may take, so I stopped.");
        }
        if self.spent.prompt_tokens + self.spent.answer_tokens >= self.limits.tokens {
            return self.over("tokens", "I needed more words for this than I may use, so I stopped.");
        }
        self.awaits = Awaits::Model;
        let agent = self.agent();
        let Some(spec) = self.roster.get(&agent) else {
            return self.over("agents", "The agent who should do this is not there.");
        };
        let (others, data) = (self.roster.others(&agent), consent::named_data(&self.said));
        let within = Within { others: &others, data: &data, ..Within::default() };
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
        let mut instructions = spec.instructions.clone();
        if spec.functions.contains(&Ability::HandOver) {
            instructions.push_str("\n\nThe other agents:");
            for other in self.roster.iter().filter(|other| others.contains(&other.name)) {
                instructions.push_str(&format!("\n- {}: {}", other.name, other.purpose));
            }
        }
        Effect::Ask(Prompt {
            purpose: if agent == COORDINATOR { "coordinator" } else { "agent" },
            instructions,
            messages: self.desks.last().map(|desk| desk.messages.clone()).unwrap_or_default(),
            form: if functions.is_empty() { Form::Text } else { Form::Calls(functions) },
            most_tokens: self.limits.answer_tokens,
        })
    }

    fn over(&self, limit: &'static str, text: &str) -> Effect {
        let done = self.plan.as_ref().map(|plan| format!("\n{plan}")).unwrap_or_default();
        end(format!("{text}{done}").trim_end(), Why::Limit(limit))
    }

    fn agent(&self) -> String {
        self.desks.last().map(|desk| desk.agent.clone()).unwrap_or_default()
    }

    fn tell(&mut self, message: Message) {
        if let Some(desk) = self.desks.last_mut() {
            desk.messages.push(message);
        }
    }

    /// What came of a call; the model hears it with the others of the same answer.
    fn returned(&mut self, call: &Call, text: &str) {
        let Call { id, name, .. } = call;
        if let Some(desk) = self.desks.last_mut() {
            desk.results.push(Part::Returned { id: id.clone(), name: name.clone(), text: text.into() });
        }
    }
}

/// What was said at a desk, without calls and what came of them.
fn words(desk: &Desk) -> Vec<Message> {
    desk.messages
        .iter()
        .filter_map(|message| {
            let parts: Vec<Part> = message
                .parts
                .iter()
                .filter(|part| matches!(part, Part::Text { .. } | Part::Data { .. } | Part::Image { .. }))
                .cloned()
                .collect();
            (!parts.is_empty()).then_some(Message { role: message.role, parts })
        })
        .collect()
}

fn end(text: &str, why: Why) -> Effect {
    Effect::End(End { text: text.into(), why })
}

/// Whether a person's answer is a yes.
pub(crate) fn is_yes(reply: &str) -> bool {
    let word = reply.trim().trim_end_matches(['.', '!']).to_lowercase();
    ["yes", "y", "yes please", "ok", "okay", "sure", "do it", "go ahead", "please do"]
        .contains(&word.as_str())
}

#[cfg(test)]
mod tests;
