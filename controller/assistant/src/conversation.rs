//! Defines [`Conversation`], which takes a sentence, carries out the agents' decisions and reports what
//! happened.
//!
//! Stop words act first: they stop the robot before anything is parsed. Every answer about motion comes from
//! measurements, not from the setpoints.

mod activity_log;
mod agent_runtime;
mod approval;
mod call;
mod data;
pub mod dry_run;
mod events;
mod recall;
mod reply;
mod requested_tool;
mod run;
mod second_reading;
mod thinker;
mod tool_builder;
mod tool_reuse;
mod understood;
mod untrusted_descriptions;
mod vision_model;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use firmware_bridge::control_loop::{LoopClient, LoopCommand, MotionState};

use crate::agents::coordinator::{Assignment, Decision, Task, decide};
use crate::agents::route::Style;
use crate::agents::vision::LookResult;
use crate::agents::{robot_control, self_report, spoken, vision};
use crate::author;
use crate::code_tasks::CodeTasks;
use crate::memory::Memory;
use minismith_analysis::files::BadFile;
use minismith_analysis::files::input::{Opened, read};
use minismith_analysis::finding::Finding;
use minismith_commands::{asked_sight, language_of};
use minismith_control::execution::ExecutionContext;
use minismith_control::robot::RobotRuntime;
use minismith_control::snapshot::view_of;
use minismith_nlu::{
    Aim, DialogContext, Intent, Known, KnownTool, PastTurn, Sight, Understanding, answer, is_stop,
};
use minismith_runtime::report::Step;
pub use minismith_runtime::report::TurnOutcome;
use minismith_runtime::role::Role;
use minismith_toolchain::guest::GuestError;
use minismith_toolchain::tool_run::Outcome;
use minismith_toolchain::workshop::Workshop;
use minismith_toolchain::workshop::registry::{Entry, RegistryError};
use minismith_toolchain::workshop::rehearsal::RehearsalError;
pub use run::RunResult;

pub use agent_runtime::Asking;
pub use call::reported;
pub use events::{ConversationEvent, Progress, Watching};
pub use reply::{Reply, ToolReply, ToolRunReply};
pub use thinker::Mind;
pub use understood::UnderstoodPart;
pub use vision_model::VisionModel;

/// An error that keeps a tool from running.
#[derive(Debug, thiserror::Error)]
pub enum ToolRunError {
    /// The registry does not contain it, or not unchanged.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// Its arguments do not fit.
    #[error("{0}")]
    Arguments(String),
    /// A file can't be passed to it.
    #[error(transparent)]
    File(#[from] BadFile),
    /// A person must approve it first.
    #[error(
        "{name} asks for a person's approval before it moves real motors; read it with `minismith tool show {name}`, then `minismith tool approve {name}`"
    )]
    Approval {
        /// The tool.
        name: String,
        /// The version that was called.
        version: u32,
        /// The arguments that go beyond what was verified, if that is the reason.
        unproved: Option<String>,
    },
    /// Its verification is out of date and it did not pass again.
    #[error("{name} was verified under other rules or limits and does not pass now: {}", .findings.first().map(ToString::to_string).unwrap_or_default())]
    Stale {
        /// The tool.
        name: String,
        /// The findings.
        findings: Vec<Finding>,
    },
    /// No sandbox is available.
    #[error(transparent)]
    Guest(#[from] GuestError),
    /// No rehearsal is possible.
    #[error(transparent)]
    Rehearsal(#[from] RehearsalError),
}

impl ToolRunError {
    /// Returns whether this computer is the cause, not the tool or the call.
    #[must_use]
    pub const fn is_of_the_environment(&self) -> bool {
        matches!(
            self,
            ToolRunError::Registry(RegistryError::Io { .. })
                | ToolRunError::Guest(_)
                | ToolRunError::Rehearsal(_)
        )
    }
}

/// A conversation with one robot and one toolchain.
pub struct Conversation<'a> {
    body: &'a RobotRuntime,
    context: ExecutionContext,
    workshop: &'a Workshop,
    folder: Option<PathBuf>,
    agents: Option<Mind>,
    tasks: Option<&'a CodeTasks>,
    memory: Option<(&'a Memory, String)>,
    dialog_context: DialogContext,
    ask: Option<Asking>,
    watching: Option<Watching>,
    person: String,
    role: Role,
    style: Option<Style>,
    is_spoken: bool,
    models: PathBuf,
    album: PathBuf,
    vision_model: Option<VisionModel>,
    /// The tool that was made last from a request in words.
    last_made: Option<String>,
    /// The code of the language of the sentence that is answered.
    language: &'static str,
    /// The latest request, while it is carried out.
    heard: Option<activity_log::ActiveRequest>,
    next_id: Option<String>,
}

impl<'a> Conversation<'a> {
    /// Begins a conversation.
    #[must_use]
    pub fn new(body: &'a RobotRuntime, workshop: &'a Workshop) -> Self {
        Conversation {
            body,
            context: body.execution_context(),
            workshop,
            folder: None,
            agents: None,
            tasks: None,
            memory: None,
            dialog_context: DialogContext::default(),
            ask: None,
            watching: None,
            person: "the person in the conversation".into(),
            role: Role::Owner,
            style: None,
            is_spoken: false,
            models: PathBuf::new(),
            album: body.photo_directory().to_owned(),
            vision_model: None,
            last_made: None,
            language: "en",
            heard: None,
            next_id: None,
        }
    }

    /// Sets the stop epoch at which the request was made ([`firmware_bridge::control_loop::LoopClient::stop_epoch`]). A
    /// later stop cancels this request too.
    #[must_use]
    pub fn begun_at(mut self, stop_epoch: u64) -> Self {
        self.context.begin(stop_epoch);
        self
    }

    /// Adds a language model for what the grammar does not understand.
    #[must_use]
    pub fn thinking_with(self, mind: Mind) -> Self {
        let models = mind.models.clone();
        Conversation { agents: Some(mind), models, ..self }
    }

    /// Adds a person of this name who can be asked. Answers of `ask` count as the person's own words.
    #[must_use]
    pub fn asking(self, person: &str, ask: Asking) -> Self {
        Conversation { ask: Some(ask), person: person.into(), ..self }
    }

    /// Sets the name and role of the speaker for all later requests. At first the speaker is an owner, as at
    /// the command line.
    pub fn heard_from(&mut self, person: &str, role: Role) {
        person.clone_into(&mut self.person);
        self.role = role;
    }

    /// Sets whether later requests are spoken. Who speaks waits less long for a language model than who types.
    pub fn spoken(&mut self, is_spoken: bool) {
        self.is_spoken = is_spoken;
    }

    /// Adds a receiver for each step when it is done.
    #[must_use]
    pub fn watched_by(self, watching: Watching) -> Self {
        Conversation { watching: Some(watching), ..self }
    }

    /// Adds the folder of installed models, for the search for tools.
    #[must_use]
    pub fn searching_with(self, models: &Path) -> Self {
        Conversation { models: models.to_owned(), ..self }
    }

    /// Adds code for questions about files.
    #[must_use]
    pub fn answering_with(self, tasks: &'a CodeTasks) -> Self {
        Conversation { tasks: Some(tasks), ..self }
    }

    /// Continues the session of this name, and stores the conversation in it.
    #[must_use]
    pub fn remembering(self, memory: &'a Memory, session: &str) -> Self {
        let mut conversation = Conversation { memory: Some((memory, session.to_owned())), ..self };
        conversation.recall_turns();
        conversation
    }

    /// Lets the person name any file of this computer; relative paths start at this folder. This is for the
    /// command line, where the files are the person's own. Without it no tool gets a file.
    #[must_use]
    pub fn reading_from(self, folder: &Path) -> Self {
        Conversation { folder: Some(folder.to_owned()), ..self }
    }

    fn open(&self, path: &str, most: u64) -> Opened {
        match &self.folder {
            Some(folder) => read(&folder.join(path), most),
            None => Err(BadFile::NoSample("files can be given at the command line only".into())),
        }
    }

    /// Carries out one sentence and returns the answer.
    pub fn hear(&mut self, text: &str) -> Reply {
        self.queue_sentence(text, self.context.control.stop_epoch())
    }

    fn listen(&mut self, text: &str, stop_epoch: u64) -> Reply {
        self.context.begin(stop_epoch);
        let from = self.context.commanded_posture();
        let (plan, reply) = self.answer(text);
        self.context.release_control();
        if !is_stop(text) {
            self.keep_turn(text, from.as_ref(), &reply);
        }
        self.dialog_context.remember(PastTurn {
            said: text.to_owned(),
            answer: reply.text.clone(),
            plan,
            steps: reply.steps.clone(),
            ending: reply.outcome,
            from: from.as_ref().map(Aim::of),
        });
        reply
    }

    /// Interprets a sentence and returns the intents and the answer.
    fn answer(&mut self, text: &str) -> (Vec<Intent>, Reply) {
        if is_stop(text) {
            return (Vec::new(), self.stop());
        }
        self.language = asked_sight(text).map_or_else(|| language_of(text), |(_, language)| language);
        // A large model reads a request as it was said.
        let plain = if self.has_remote_model() { None } else { author::plain_request(text) };
        let text = plain.as_deref().unwrap_or(text);
        let last_made = self.last_made.take();
        if let Some(reply) = last_made.and_then(|name| self.correct_last(&name, text)) {
            return (Vec::new(), reply);
        }
        let known = self.known_tools().unwrap_or_default();
        let context = Known { tools: &known, before: Some(&self.dialog_context) };
        let understood = dry_run::understood(text, &context);
        let mut plan = match &understood {
            Understanding::Plan(plan) => plan.clone(),
            _ => Vec::new(),
        };
        let parts = understood::parts(text, &plan, |part| dry_run::understood(part, &context));
        let is_beyond = dry_run::is_beyond(&understood, text);
        let is_local = self.agents.as_ref().is_some_and(|mind| mind.is_local);
        let may_be_commands = is_local && dry_run::may_be_commands(&understood, text);
        let reply = match decide(understood) {
            Decision::Stop => self.stop(),
            Decision::Decline(_) | Decision::Refuse(_) if let Some(reply) = self.make_from_words(text) => {
                reply
            }
            // The agents may know what the grammar does not.
            Decision::Decline(declined) if is_beyond => {
                let read_again = if may_be_commands { self.read_again(text, &declined) } else { None };
                match read_again {
                    Some((commanded, reply)) => {
                        plan = commanded;
                        reply
                    }
                    None => self.answer_beyond(text, declined),
                }
            }
            Decision::Decline(text) => Reply::nothing(text, TurnOutcome::NotUnderstood),
            Decision::Refuse(text) => Reply::nothing(text, TurnOutcome::Refused),
            Decision::Do(tasks) => self.carry_out(tasks, parts),
        };
        (plan, reply)
    }

    /// Answers what the grammar does not understand: by the files that it names, or by the agents.
    fn answer_beyond(&mut self, text: &str, declined: String) -> Reply {
        let mut notices = Vec::new();
        let reply = self.answer_by_reading(text).or_else(|| self.run_turn(text, &mut notices));
        let mut reply = reply.unwrap_or_else(|| Reply::nothing(declined, TurnOutcome::NotUnderstood));
        if !notices.is_empty() {
            reply.read.push("the language model's server".into());
        }
        notices.push(std::mem::take(&mut reply.text));
        reply.text = notices.join(" ");
        reply
    }

    /// Brakes to rest and reports the position. It covers all stops up to now, so that later requests may
    /// run.
    fn stop(&mut self) -> Reply {
        if !self.context.is_stopped() {
            self.context.control.send_command(LoopCommand::Stop);
        }
        stopped(self.context.control.as_mut())
    }

    /// Returns the tools that a sentence may name, including deactivated ones, so that the answer can say so.
    fn known_tools(&self) -> Result<Vec<KnownTool>, RegistryError> {
        Ok(known(self.workshop.registry().list()?))
    }

    fn carry_out(&mut self, tasks: Vec<Task>, understood: Vec<UnderstoodPart>) -> Reply {
        let plan = tasks
            .iter()
            .map(|task| Assignment { agent: task.agent(), task: task.describe() })
            .collect::<Vec<_>>();
        self.emit(ConversationEvent::Plan { steps: plan.clone(), understood: understood.clone() });
        let mut reply = Reply { plan, understood, ..Reply::nothing(String::new(), TurnOutcome::Done) };
        let mut words: Vec<String> = Vec::new();
        let mut tasks = VecDeque::from(tasks);
        while let Some(task) = tasks.pop_front() {
            if self.context.is_stopped() {
                reply.outcome = TurnOutcome::Stopped;
                words.push("I was stopped.".into());
                break;
            }
            let assignment = Assignment { agent: task.agent(), task: task.describe() };
            let known = reply.steps.len();
            self.emit(ConversationEvent::Begun(assignment.clone()));
            let (said, ending) = activity_log::in_step(&assignment, || match task {
                Task::AuthorTool { name, body, request } => {
                    self.make((name, body, request), &mut tasks, &mut reply)
                }
                task => self.one(task, &mut reply),
            });
            self.report_progress(assignment, &said, ending, reply.steps.get(known..));
            words.push(said);
            reply.outcome = ending;
            if ending != TurnOutcome::Done {
                break;
            }
        }
        reply.text = words.join(" ");
        reply
    }

    fn one(&mut self, task: Task, reply: &mut Reply) -> (String, TurnOutcome) {
        match task {
            Task::Answer(text) => (text, TurnOutcome::Done),
            Task::Report(topic) => {
                let tools = self.known_tools().unwrap_or_default();
                let text =
                    self_report::describe(&topic, &self.dialog_context, &reply.steps, &tools, &self.context);
                reply.read.push("an earlier answer".into());
                (text, TurnOutcome::Done)
            }
            Task::ListTools => {
                if self
                    .workshop
                    .registry()
                    .list()
                    .is_ok_and(|tools| !tools.iter().all(Entry::is_description_shown))
                {
                    reply.read.push("the descriptions of tools".into());
                }
                (self.list_tools(), TurnOutcome::Done)
            }
            Task::ReportState => (robot_control::report_state(&self.context), TurnOutcome::Done),
            Task::Look(sight) => {
                let LookResult { mut text, step, ending } =
                    vision::act(&mut self.context, &sight, &self.album, self.language);
                if sight == Sight::Scene
                    && let Some(described) = self.described()
                {
                    reply.read.push("what a model says of a picture".into());
                    text = format!("{text} {described}");
                }
                reply.steps.push(step);
                (text, ending)
            }
            Task::Move(primitive) => {
                let step = robot_control::act(&mut self.context, &primitive);
                let text = robot_control::describe_step(&step);
                self.moved(step, text, reply)
            }
            Task::Perform(spoken) => {
                let (step, text) = spoken::perform(&mut self.context, &spoken);
                self.moved(step, text, reply)
            }
            Task::RunTool { name, arguments } => self.run(&name, arguments, reply),
            Task::AuthorTool { name, body, request } => {
                self.make((name, body, request), &mut VecDeque::new(), reply)
            }
        }
    }

    /// Adds the step of a motion to a reply, with how it ended.
    fn moved(&self, step: Step, text: String, reply: &mut Reply) -> (String, TurnOutcome) {
        let ending = match &step.refusal {
            None => TurnOutcome::Done,
            Some(_) if self.context.is_stopped() => TurnOutcome::Stopped,
            Some(_) if self.context.control.snapshot().fault.is_some() => TurnOutcome::Failed,
            Some(_) => TurnOutcome::Refused,
        };
        reply.steps.push(step);
        (text, ending)
    }

    fn run(&mut self, name: &str, arguments: Map<String, Value>, reply: &mut Reply) -> (String, TurnOutcome) {
        let mut ran = self.run_tool(name, arguments.clone());
        if let Err(refused @ ToolRunError::Approval { .. }) = &ran {
            if let Err(reported) = self.ask_approval(refused) {
                return reported;
            }
            ran = self.run_tool(name, arguments);
        }
        match ran {
            Ok((version, mut tool_run)) => {
                vision::keep_photos(&self.album, &mut tool_run.outputs, &mut tool_run.notes);
                let (text, ending) = match &tool_run.outcome {
                    Outcome::Returned { value: Value::String(said) } => {
                        let said = self.in_short(name, said);
                        (format!("I ran {name}; it says: {said:?}."), TurnOutcome::Done)
                    }
                    Outcome::Returned { value } => {
                        let value = self.in_short(name, &value.to_string());
                        (format!("I ran {name}; it returned {value}."), TurnOutcome::Done)
                    }
                    Outcome::Raised { kind, message, .. } => {
                        (format!("{name} failed: {kind}: {message}."), TurnOutcome::Failed)
                    }
                    Outcome::Stopped { limit, reason } if limit == "stop" => {
                        (format!("{name} was stopped: {reason}."), TurnOutcome::Stopped)
                    }
                    Outcome::Stopped { reason, .. } => {
                        (format!("I stopped {name}: {reason}."), TurnOutcome::Failed)
                    }
                };
                reply.steps.extend(tool_run.steps.iter().cloned());
                let stored = tool_run.trajectory.clone();
                if tool_run.has_words() {
                    reply.read.push(format!("what {name} said"));
                }
                let tool = reply.tool.get_or_insert_with(ToolReply::default);
                if tool.name != name {
                    *tool = ToolReply { name: name.into(), ..ToolReply::default() };
                }
                tool.version = Some(version);
                tool.run = Some(tool_run);
                // Data is stored only with a session.
                let text = match stored {
                    Some(handle) => format!("{text} What the motors did is kept as {handle}."),
                    None => text,
                };
                (text, ending)
            }
            Err(error @ (ToolRunError::Guest(_) | ToolRunError::Rehearsal(_))) => {
                (format!("I could not run {name}: {error}."), TurnOutcome::Failed)
            }
            Err(error) => {
                reply.read.push(format!("what {name} said"));
                (format!("I did not run {name}: {error}."), TurnOutcome::Refused)
            }
        }
    }

    fn list_tools(&self) -> String {
        match self.workshop.registry().list() {
            Ok(mut tools) => {
                tools.retain(Entry::is_callable);
                answer::tools(&Known { tools: &known(tools), ..Known::default() })
            }
            Err(error) => format!("I can't list my tools: {error}."),
        }
    }
}

/// Waits until a stopped robot is at rest, and reports its position.
pub fn stopped(control: &mut dyn LoopClient) -> Reply {
    let snapshot = control.wait(&|snapshot| snapshot.motion_state != MotionState::Stopping);
    let step = Step { kind: "stop".into(), achieved: view_of(&snapshot), ..Step::default() };
    Reply { steps: vec![step], ..Reply::nothing("Stopped: I am at rest.".into(), TurnOutcome::Done) }
}

fn known(entries: Vec<Entry>) -> Vec<KnownTool> {
    let known = |Entry { name, description, parameters, functions, .. }: Entry| {
        let within: Vec<KnownTool> = functions
            .into_iter()
            // The first one is what the toolkit's own name calls.
            .skip(1)
            .map(|function| KnownTool {
                name: format!("{name}.{}", function.name),
                description: function.description,
                parameters: function.parameters,
            })
            .collect();
        std::iter::once(KnownTool { name, description, parameters }).chain(within)
    };
    entries.into_iter().flat_map(known).collect()
}
