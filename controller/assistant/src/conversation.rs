//! One conversation: a sentence goes in, the agents' decisions are carried out, and the truth comes back.
//!
//! The reflex comes first: a stop word halts the body before anything is understood. Every answer about motion is
//! made from what was measured, not from what was wished.

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
    /// In words.
    pub text: String,
    /// Who was to do what.
    pub plan: Vec<Assignment>,
    /// What was requested and achieved, motion by motion.
    pub steps: Vec<Step>,
    /// The tool that was made or run last.
    pub tool: Option<ToolReply>,
    /// How it ended.
    pub outcome: Ending,
    /// What a language model cost, if one was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub spent: Option<Spent>,
    /// What code made of files or kept data, if that was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Report>,
    /// Where words of it came from that are not this program's own: a tool, a picture, a server.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<String>,
}

impl Reply {
    /// Nothing was done.
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

/// What happened to a tool.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct ToolReply {
    /// Its name.
    pub name: String,
    /// The version that was registered or run.
    pub version: Option<u32>,
    /// Its author's plan, when it was made now.
    pub plan: Vec<String>,
    /// Its code, when it was made now.
    pub code: Option<String>,
    /// What was assumed where the request left something open.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub assumed: Vec<String>,
    /// What policy and rehearsal found.
    pub findings: Vec<Finding>,
    /// What the rehearsal measured.
    #[serde(serialize_with = "with_old_names")]
    #[schema(value_type = Option<Object>)]
    pub report: Option<PhysicalReport>,
    /// What came of running it.
    pub performance: Option<PerformanceReply>,
}

impl PerformanceReply {
    /// Whether it said anything in words of its own: such words are not ours.
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

/// What came of running a tool.
#[derive(Debug, Serialize, ToSchema)]
pub struct PerformanceReply {
    /// How it ended, with its value.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// What it printed.
    pub printed: String,
    /// Stage seconds.
    pub took_s: f64,
    /// Pictures it read.
    pub frames: u64,
    /// Times it thought for longer than a beat.
    pub slips: u64,
    /// SHA-256 of the stream of goal positions.
    pub command_digest: String,
    /// Under which short name the session keeps what the motors did.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub trajectory: Option<Handle>,
    /// Its motions.
    pub steps: Vec<Step>,
    /// What was trimmed in all.
    pub trims: Vec<minismith_runtime::outcome::TrimView>,
    /// What it asked for that this robot can't do.
    pub notes: Vec<String>,
    /// The files that it wrote.
    pub outputs: Vec<Output>,
}

/// What came of running a tool.
#[derive(Debug, Serialize, ToSchema)]
pub struct Ran {
    /// Its name.
    pub name: String,
    /// Which version ran.
    pub version: u32,
    /// What came of it. Over the network each of its `outputs` has its content as `base64`.
    pub performance: PerformanceReply,
}

/// A tool that could not be run.
#[derive(Debug, thiserror::Error)]
pub enum NoRun {
    /// It is not on the shelf, or not as it was.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// Its arguments do not fit.
    #[error("{0}")]
    Arguments(String),
    /// A file that it can't be given.
    #[error(transparent)]
    File(#[from] BadFile),
    /// A person must approve it first.
    #[error(
        "{name} asks for a person's approval before it moves real motors; read it with `minismith tool show {name}`, then `minismith tool approve {name}`"
    )]
    Approval {
        /// The tool.
        name: String,
        /// The version that is called.
        version: u32,
        /// What it was not proved for, when it is the arguments that ask for it.
        unproved: Option<String>,
    },
    /// Its evidence is stale and it did not pass again.
    #[error("{name} was proved under other rules or limits and does not pass now: {}", .findings.first().map(ToString::to_string).unwrap_or_default())]
    Stale {
        /// The tool.
        name: String,
        /// Why.
        findings: Vec<Finding>,
    },
    /// There is no cage.
    #[error(transparent)]
    Guest(#[from] GuestFault),
    /// There is no rehearsal.
    #[error(transparent)]
    Rehearsal(#[from] NoRehearsal),
}

impl NoRun {
    /// Whether this machine is at fault, not the tool or the call.
    #[must_use]
    pub const fn is_of_the_environment(&self) -> bool {
        matches!(self, NoRun::Registry(RegistryError::Io { .. }) | NoRun::Guest(_) | NoRun::Rehearsal(_))
    }
}

/// A conversation with one body and one workshop.
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
    /// What was heard last, while it is being done.
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

    /// The same for what was asked for when the body had been halted so often
    /// ([`firmware_bridge::pulse::Conductor::halts`]): a stop that was said after it holds for it too.
    #[must_use]
    pub fn begun_at(mut self, halts: u64) -> Self {
        self.stage.begin(halts);
        self
    }

    /// The same with a language model for what the grammar does not know.
    #[must_use]
    pub fn thinking_with(self, mind: Mind) -> Self {
        let models = mind.models.clone();
        Conversation { mind: Some(mind), models, ..self }
    }

    /// The same with a person of this name who can be asked: what `ask` answers is taken for the person's own word.
    #[must_use]
    pub fn asking(self, person: &str, ask: Asking) -> Self {
        Conversation { ask: Some(ask), person: person.into(), ..self }
    }

    /// What is heard from now on is said by somebody of this name and role; at first it is an owner, as at the command
    /// line.
    pub fn heard_from(&mut self, person: &str, role: Role) {
        person.clone_into(&mut self.person);
        self.role = role;
    }

    /// The same with somebody who hears of every step when it is done.
    #[must_use]
    pub fn watched_by(self, watching: Watching) -> Self {
        Conversation { watching: Some(watching), ..self }
    }

    /// The same with the folder of installed models, for the search for tools.
    #[must_use]
    pub fn searching_with(self, models: &Path) -> Self {
        Conversation { models: models.to_owned(), ..self }
    }

    /// The same with code for questions about files.
    #[must_use]
    pub fn answering_with(self, tasks: &'a CodeTasks) -> Self {
        Conversation { tasks: Some(tasks), ..self }
    }

    /// The same, kept in a session of this name.
    #[must_use]
    pub fn remembering(self, memory: &'a Memory, session: &str) -> Self {
        Conversation { memory: Some((memory, session.to_owned())), ..self }
    }

    /// The same with somebody who may name any file of this machine, relative ones from this folder: a person at the
    /// command line, whose files they are. Without this no tool is given any.
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

    /// Hears one sentence and does what it asks.
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

    /// What was understood, and what came of it.
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
            // What the grammar does not know, the agents may.
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

    /// Brakes to rest and says where. What was halted since it was said is not halted again, so that what was said
    /// after that may go on.
    fn halt(&mut self) -> Reply {
        if !self.stage.is_stopped() {
            self.stage.conductor.order(Order::Halt);
        }
        halted(self.stage.conductor.as_mut())
    }

    /// The tools that a sentence may name: also those that are out of use, so that it can be said that they are.
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
                // Only where there is a session is anything kept.
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

/// Waits until a halted body is at rest, and says where.
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
