//! Defines [`Conversation`], which takes a sentence, carries out the agents' decisions and reports what
//! happened.
//!
//! Stop words act first: they stop the robot before anything is parsed. Every answer about motion comes from
//! measurements, not from the setpoints.

mod approval;
mod call;
mod data;
mod kept;
mod making;
mod mind;
mod news;
mod onlooker;
pub mod reading;
mod run;
mod thinker;
mod untold;
mod workbench;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use firmware_bridge::pulse::{Conductor, Doing, Order};

use crate::agents::coordinator::{Assignment, Decision, Task, decide};
use crate::agents::route::Style;
use crate::agents::turn::Spent;
use crate::agents::vision::Looked;
use crate::agents::{account, robot_control, vision};
use crate::memory::{Handle, Memory};
use crate::tasks::CodeTasks;
use crate::tasks::report::Report;
use minismith_analysis::files::input::{Opened, read};
use minismith_analysis::files::{BadFile, Output};
use minismith_analysis::finding::Finding;
use minismith_analysis::report::{PhysicalReport, with_old_names};
use minismith_control::body::Body;
use minismith_control::snapshot::view_of;
use minismith_control::stage::Stage;
use minismith_nlu::{
    Aim, Before, Intent, Known, KnownTool, Sight, Turn, Understanding, answer, is_stop, understand,
};
pub use minismith_runtime::outcome::Ending;
use minismith_runtime::outcome::Step;
use minismith_runtime::role::Role;
use minismith_toolchain::guest::GuestFault;
use minismith_toolchain::performance::Outcome;
use minismith_toolchain::workshop::Workshop;
use minismith_toolchain::workshop::registry::{Entry, RegistryError};
use minismith_toolchain::workshop::rehearsal::NoRehearsal;

pub use call::told;
pub use mind::Asking;
pub use news::{News, Progress, Watching};
pub use onlooker::Onlooker;
pub use thinker::Mind;

/// The answer to one sentence.
#[derive(Debug, Serialize, ToSchema)]
pub struct Reply {
    /// The answer as text.
    pub text: String,
    /// The assignments to the agents.
    pub plan: Vec<Assignment>,
    /// The requested and achieved values of each motion.
    pub steps: Vec<Step>,
    /// The tool that was made or run last.
    pub tool: Option<ToolReply>,
    /// How it ended.
    pub outcome: Ending,
    /// The usage of the language model, if one was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub spent: Option<Spent>,
    /// The result of code that answered about files or stored data, if that was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Report>,
    /// The sources of text in the answer that this program did not write: a tool, an image, a server.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<String>,
}

impl Reply {
    /// Returns a reply without any action.
    pub fn nothing(text: String, outcome: Ending) -> Self {
        Reply {
            text,
            plan: Vec::new(),
            steps: Vec::new(),
            tool: None,
            outcome,
            spent: None,
            answer: None,
            read: Vec::new(),
        }
    }
}

/// The result for a tool.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct ToolReply {
    /// Its name.
    pub name: String,
    /// The version that was registered or run.
    pub version: Option<u32>,
    /// Its author's plan, when it was made in this turn.
    pub plan: Vec<String>,
    /// Its code, when it was made in this turn.
    pub code: Option<String>,
    /// The assumption where the request left something open.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub assumed: Vec<String>,
    /// The findings of policy and rehearsal.
    pub findings: Vec<Finding>,
    /// The measurements of the rehearsal.
    #[serde(serialize_with = "with_old_names")]
    #[schema(value_type = Option<Object>)]
    pub report: Option<PhysicalReport>,
    /// The result of its run.
    pub performance: Option<PerformanceReply>,
}

impl PerformanceReply {
    /// Returns whether the tool returned or printed free text, which this program did not write.
    #[must_use]
    pub fn has_words(&self) -> bool {
        fn words(value: &Value) -> bool {
            match value {
                Value::String(text) => !text.is_empty(),
                Value::Array(items) => items.iter().any(words),
                Value::Object(items) => !items.is_empty(),
                Value::Null | Value::Bool(_) | Value::Number(_) => false,
            }
        }
        !self.printed.is_empty()
            || match &self.outcome {
                Outcome::Returned { value } => words(value),
                Outcome::Raised { .. } | Outcome::Stopped { .. } => true,
            }
    }
}

/// The result of a tool's run.
#[derive(Debug, Serialize, ToSchema)]
pub struct PerformanceReply {
    /// The outcome, with the tool's value.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// What it printed.
    pub printed: String,
    /// Its duration in robot time, in seconds.
    pub took_s: f64,
    /// The images that it read.
    pub frames: u64,
    /// How often the tool computed for longer than a cycle.
    pub slips: u64,
    /// SHA-256 of the stream of goal positions.
    pub command_digest: String,
    /// The short name under which the session stores the motion of the motors.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub trajectory: Option<Handle>,
    /// Its motions.
    pub steps: Vec<Step>,
    /// The clamps of the whole run.
    pub trims: Vec<minismith_runtime::outcome::TrimView>,
    /// The requests that this robot can't fulfil.
    pub notes: Vec<String>,
    /// The files that it wrote.
    pub outputs: Vec<Output>,
}

/// The result of a tool that was run by name.
#[derive(Debug, Serialize, ToSchema)]
pub struct Ran {
    /// Its name.
    pub name: String,
    /// The version that ran.
    pub version: u32,
    /// The result. Over the network each of its `outputs` has its content as `base64`.
    pub performance: PerformanceReply,
}

/// An error that keeps a tool from running.
#[derive(Debug, thiserror::Error)]
pub enum NoRun {
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
    Guest(#[from] GuestFault),
    /// No rehearsal is possible.
    #[error(transparent)]
    Rehearsal(#[from] NoRehearsal),
}

impl NoRun {
    /// Returns whether this computer is the cause, not the tool or the call.
    #[must_use]
    pub const fn is_of_the_environment(&self) -> bool {
        matches!(self, NoRun::Registry(RegistryError::Io { .. }) | NoRun::Guest(_) | NoRun::Rehearsal(_))
    }
}

/// A conversation with one robot and one toolchain.
pub struct Conversation<'a> {
    body: &'a Body,
    stage: Stage,
    workshop: &'a Workshop,
    folder: Option<PathBuf>,
    mind: Option<Mind>,
    tasks: Option<&'a CodeTasks>,
    memory: Option<(&'a Memory, String)>,
    before: Before,
    ask: Option<Asking>,
    watching: Option<Watching>,
    person: String,
    role: Role,
    style: Option<Style>,
    models: PathBuf,
    album: PathBuf,
    onlooker: Option<Onlooker>,
    /// The latest request, while it is carried out.
    heard: Option<kept::Heard>,
    next_id: Option<String>,
}

impl<'a> Conversation<'a> {
    /// Begins a conversation.
    #[must_use]
    pub fn new(body: &'a Body, workshop: &'a Workshop) -> Self {
        Conversation {
            body,
            stage: body.stage(),
            workshop,
            folder: None,
            mind: None,
            tasks: None,
            memory: None,
            before: Before::default(),
            ask: None,
            watching: None,
            person: "the person in the conversation".into(),
            role: Role::Owner,
            style: None,
            models: PathBuf::new(),
            album: body.album().to_owned(),
            onlooker: None,
            heard: None,
            next_id: None,
        }
    }

    /// Sets the stop epoch at which the request was made ([`firmware_bridge::pulse::Conductor::halts`]). A
    /// later stop cancels this request too.
    #[must_use]
    pub fn begun_at(mut self, halts: u64) -> Self {
        self.stage.begin(halts);
        self
    }

    /// Adds a language model for what the grammar does not understand.
    #[must_use]
    pub fn thinking_with(self, mind: Mind) -> Self {
        let models = mind.models.clone();
        Conversation { mind: Some(mind), models, ..self }
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

    /// Stores the conversation in a session of this name.
    #[must_use]
    pub fn remembering(self, memory: &'a Memory, session: &str) -> Self {
        Conversation { memory: Some((memory, session.to_owned())), ..self }
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
        self.hear_later(text, self.stage.conductor.halts())
    }

    fn listen(&mut self, text: &str, halts: u64) -> Reply {
        self.stage.begin(halts);
        let from = self.stage.commanded_posture().as_ref().map(Aim::of);
        let (plan, reply) = self.answer(text);
        self.stage.leave_floor();
        self.before.remember(Turn {
            said: text.to_owned(),
            answer: reply.text.clone(),
            plan,
            steps: reply.steps.clone(),
            ending: reply.outcome,
            from,
        });
        reply
    }

    /// Interprets a sentence and returns the intents and the answer.
    fn answer(&mut self, text: &str) -> (Vec<Intent>, Reply) {
        if is_stop(text) {
            return (Vec::new(), self.halt());
        }
        let known = self.known_tools().unwrap_or_default();
        let understood = understand(text, &Known { tools: &known, before: Some(&self.before) });
        let plan = match &understood {
            Understanding::Plan(plan) => plan.clone(),
            _ => Vec::new(),
        };
        let is_beyond = reading::is_beyond(&understood, text);
        let reply = match decide(understood) {
            Decision::Stop => self.halt(),
            // The agents may know what the grammar does not.
            Decision::Decline(declined) if is_beyond => {
                let mut notices = Vec::new();
                let reply = self.answer_by_reading(text).or_else(|| self.think(text, &mut notices));
                let mut reply = reply.unwrap_or_else(|| Reply::nothing(declined, Ending::NotUnderstood));
                if !notices.is_empty() {
                    reply.read.push("the language model's server".into());
                }
                notices.push(std::mem::take(&mut reply.text));
                reply.text = notices.join(" ");
                reply
            }
            Decision::Decline(text) => Reply::nothing(text, Ending::NotUnderstood),
            Decision::Refuse(text) => Reply::nothing(text, Ending::Refused),
            Decision::Do(tasks) => self.carry_out(tasks),
        };
        self.keep_turn(text, &reply);
        (plan, reply)
    }

    /// Brakes to rest and reports the position. It covers all stops up to now, so that later requests may
    /// run.
    fn halt(&mut self) -> Reply {
        if !self.stage.is_stopped() {
            self.stage.conductor.order(Order::Halt);
        }
        halted(self.stage.conductor.as_mut())
    }

    /// Returns the tools that a sentence may name, including deactivated ones, so that the answer can say so.
    fn known_tools(&self) -> Result<Vec<KnownTool>, RegistryError> {
        Ok(known(self.workshop.registry().list()?))
    }

    fn carry_out(&mut self, tasks: Vec<Task>) -> Reply {
        let plan = tasks
            .iter()
            .map(|task| Assignment { agent: task.agent(), task: task.describe() })
            .collect::<Vec<_>>();
        self.announce(News::Plan { steps: plan.clone() });
        let mut reply = Reply { plan, ..Reply::nothing(String::new(), Ending::Done) };
        let mut words: Vec<String> = Vec::new();
        let mut tasks = VecDeque::from(tasks);
        while let Some(task) = tasks.pop_front() {
            if self.stage.is_stopped() {
                reply.outcome = Ending::Stopped;
                words.push("I was stopped.".into());
                break;
            }
            let assignment = Assignment { agent: task.agent(), task: task.describe() };
            let known = reply.steps.len();
            self.announce(News::Begun(assignment.clone()));
            let (said, ending) = kept::in_step(&assignment, || match task {
                Task::Commission { name, body, request } => {
                    self.make((name, body, request), &mut tasks, &mut reply)
                }
                task => self.one(task, &mut reply),
            });
            self.tell_progress(assignment, &said, ending, reply.steps.get(known..));
            words.push(said);
            reply.outcome = ending;
            if ending != Ending::Done {
                break;
            }
        }
        reply.text = words.join(" ");
        reply
    }

    fn one(&mut self, task: Task, reply: &mut Reply) -> (String, Ending) {
        match task {
            Task::Answer(text) => (text, Ending::Done),
            Task::Tell(topic) => {
                let tools = self.known_tools().unwrap_or_default();
                let text = account::tell(&topic, &self.before, &reply.steps, &tools, &self.stage);
                reply.read.push("an earlier answer".into());
                (text, Ending::Done)
            }
            Task::ListTools => {
                if self.workshop.registry().list().is_ok_and(|tools| !tools.iter().all(Entry::is_told)) {
                    reply.read.push("the descriptions of tools".into());
                }
                (self.list_tools(), Ending::Done)
            }
            Task::ReportState => (robot_control::report_state(&self.stage), Ending::Done),
            Task::Look(sight) => {
                let Looked { mut text, step, ending } = vision::act(&mut self.stage, &sight, &self.album);
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
                let step = robot_control::act(&mut self.stage, &primitive);
                let text = robot_control::tell(&step);
                let ending = match &step.refusal {
                    None => Ending::Done,
                    Some(_) if self.stage.is_stopped() => Ending::Stopped,
                    Some(_) if self.stage.conductor.snapshot().fault.is_some() => Ending::Failed,
                    Some(_) => Ending::Refused,
                };
                reply.steps.push(step);
                (text, ending)
            }
            Task::RunTool { name, arguments } => self.run(&name, arguments, reply),
            Task::Commission { name, body, request } => {
                self.make((name, body, request), &mut VecDeque::new(), reply)
            }
        }
    }

    fn run(&mut self, name: &str, arguments: Map<String, Value>, reply: &mut Reply) -> (String, Ending) {
        let mut ran = self.run_tool(name, arguments.clone());
        if let Err(refused @ NoRun::Approval { .. }) = &ran {
            if let Err(told) = self.ask_approval(refused) {
                return told;
            }
            ran = self.run_tool(name, arguments);
        }
        match ran {
            Ok((version, performance)) => {
                let (text, ending) = match &performance.outcome {
                    Outcome::Returned { value: Value::String(said) } => {
                        let said = self.in_short(name, said);
                        (format!("I ran {name}; it says: {said:?}."), Ending::Done)
                    }
                    Outcome::Returned { value } => {
                        let value = self.in_short(name, &value.to_string());
                        (format!("I ran {name}; it returned {value}."), Ending::Done)
                    }
                    Outcome::Raised { kind, message, .. } => {
                        (format!("{name} failed: {kind}: {message}."), Ending::Failed)
                    }
                    Outcome::Stopped { limit, reason } if limit == "stop" => {
                        (format!("{name} was stopped: {reason}."), Ending::Stopped)
                    }
                    Outcome::Stopped { reason, .. } => {
                        (format!("I stopped {name}: {reason}."), Ending::Failed)
                    }
                };
                reply.steps.extend(performance.steps.iter().cloned());
                let kept = performance.trajectory.clone();
                if performance.has_words() {
                    reply.read.push(format!("what {name} said"));
                }
                let tool = reply.tool.get_or_insert_with(ToolReply::default);
                if tool.name != name {
                    *tool = ToolReply { name: name.into(), ..ToolReply::default() };
                }
                tool.version = Some(version);
                tool.performance = Some(performance);
                // Data is stored only with a session.
                let text = match kept {
                    Some(handle) => format!("{text} What the motors did is kept as {handle}."),
                    None => text,
                };
                (text, ending)
            }
            Err(error @ (NoRun::Guest(_) | NoRun::Rehearsal(_))) => {
                (format!("I could not run {name}: {error}."), Ending::Failed)
            }
            Err(error) => {
                reply.read.push(format!("what {name} said"));
                (format!("I did not run {name}: {error}."), Ending::Refused)
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
pub fn halted(conductor: &mut dyn Conductor) -> Reply {
    let snapshot = conductor.wait(&|snapshot| snapshot.doing != Doing::Braking);
    let step = Step { kind: "stop".into(), achieved: view_of(&snapshot), ..Step::default() };
    Reply { steps: vec![step], ..Reply::nothing("Stopped: I am at rest.".into(), Ending::Done) }
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
