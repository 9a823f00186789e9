//! Decides which agent does what: a pure function from what was understood to a list of tasks.

use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::Agent;
use super::self_report;
use minismith_commands::describe::{self, Answer};
use minismith_nlu::{Intent, Primitive, Sight, Spoken, Topic, Understanding, answer};
use minismith_score::capitalized;

/// The task of one agent.
#[derive(Clone, Debug, PartialEq)]
pub enum Task {
    /// Say this text and do nothing else.
    Answer(String),
    /// Answer a question about the robot itself.
    Report(Topic),
    /// Move.
    Move(Primitive),
    /// Move in several parts.
    Perform(Box<Spoken>),
    /// Report where the robot is.
    ReportState,
    /// Look through the camera, then answer or act on the result.
    Look(Sight),
    /// List the tools.
    ListTools,
    /// Run a tool of the registry.
    RunTool {
        /// Its name.
        name: String,
        /// Its arguments.
        arguments: Map<String, Value>,
    },
    /// Write, verify and register a new tool.
    AuthorTool {
        /// Its name.
        name: String,
        /// What it does.
        body: Vec<Primitive>,
        /// The request, in the person's words.
        request: String,
    },
}

impl Task {
    /// Returns the agent that does the task.
    #[must_use]
    pub const fn agent(&self) -> Agent {
        match self {
            Task::Answer(_) | Task::ListTools => Agent::Coordinator,
            Task::Move(_) | Task::Perform(_) | Task::ReportState | Task::RunTool { .. } => {
                Agent::RobotControl
            }
            Task::Report(topic) => self_report::agent(topic),
            Task::Look(_) => Agent::Vision,
            Task::AuthorTool { .. } => Agent::Code,
        }
    }

    /// Returns a description for the plan that the person sees.
    #[must_use]
    pub fn describe(&self) -> String {
        match self {
            Task::Answer(_) => "answer".into(),
            Task::Report(topic) => format!("tell {topic}"),
            Task::Move(primitive) => primitive.describe(),
            Task::Perform(spoken) => spoken.to_string(),
            Task::ReportState => "report where the body is".into(),
            Task::Look(sight) => sight.to_string(),
            Task::ListTools => "list the tools".into(),
            Task::RunTool { name, .. } => format!("run {name}"),
            Task::AuthorTool { name, .. } => format!("make the tool {name}"),
        }
    }
}

/// One line of the plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Assignment {
    /// The agent.
    pub agent: Agent,
    /// Its task.
    pub task: String,
}

/// The coordinator's decision.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// Stop at once.
    Stop,
    /// Do these in order.
    Do(Vec<Task>),
    /// Do nothing, since the text was not understood, and say so.
    Decline(String),
    /// Do nothing, since the request is not possible, and say what is.
    Refuse(String),
}

/// Decides what follows from what was understood.
#[must_use]
pub fn decide(understood: Understanding) -> Decision {
    match understood {
        Understanding::Stop => Decision::Stop,
        Understanding::Plan(intents) => Decision::Do(intents.into_iter().map(task).collect()),
        declined => {
            let text = answer::refusal(&declined).unwrap_or_else(answer::help);
            if let Understanding::OutOfRange(_) = declined {
                Decision::Refuse(text)
            } else {
                Decision::Decline(text)
            }
        }
    }
}

/// Returns words as a sentence of their own, so that they stand apart from the rest of an answer.
fn sentence(words: &str) -> String {
    let end = if words.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{}{end}", capitalized(words))
}

fn task(intent: Intent) -> Task {
    match intent {
        Intent::Motion(primitive) => Task::Move(primitive),
        Intent::Spoken(spoken) => Task::Perform(spoken),
        Intent::Report(topic) => Task::Report(topic),
        Intent::Say(words) => Task::Answer(sentence(&words)),
        Intent::See(sight) => Task::Look(sight),
        Intent::State => Task::ReportState,
        Intent::Help => Task::Answer(answer::help()),
        Intent::ListTools => Task::ListTools,
        Intent::Courtesy(courtesy, language) => {
            Task::Answer(describe::answer(Answer::Polite(courtesy), language))
        }
        Intent::RunTool { name, arguments } => Task::RunTool { name, arguments },
        Intent::MakeTool { name, body, request } => Task::AuthorTool { name, body, request },
    }
}
