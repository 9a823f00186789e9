//! Decides who does what: pure, from what was understood to a list of assignments.

use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::Agent;
use super::account;
use minismith_nlu::{Intent, Primitive, Sight, Topic, Understanding, answer};

/// What one agent is to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Task {
    /// Say this; nothing else.
    Answer(String),
    /// Answer a question about the robot itself.
    Tell(Topic),
    /// Move.
    Move(Primitive),
    /// Say where the body is.
    ReportState,
    /// Look through the camera, and do or say what is wanted of what is there.
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
    /// Write, prove and register a new tool.
    Commission {
        /// Its name.
        name: String,
        /// What it does.
        body: Vec<Primitive>,
        /// What was asked, in the person's words.
        request: String,
    },
}

impl Task {
    /// Who does it.
    #[must_use]
    pub const fn agent(&self) -> Agent {
        match self {
            Task::Answer(_) | Task::ListTools => Agent::Coordinator,
            Task::Move(_) | Task::ReportState | Task::RunTool { .. } => Agent::RobotControl,
            Task::Tell(topic) => account::agent(topic),
            Task::Look(_) => Agent::Vision,
            Task::Commission { .. } => Agent::Code,
        }
    }

    /// In words, for the plan that the person sees.
    #[must_use]
    pub fn describe(&self) -> String {
        match self {
            Task::Answer(_) => "answer".into(),
            Task::Tell(topic) => format!("tell {topic}"),
            Task::Move(primitive) => primitive.describe(),
            Task::ReportState => "report where the body is".into(),
            Task::Look(sight) => sight.to_string(),
            Task::ListTools => "list the tools".into(),
            Task::RunTool { name, .. } => format!("run {name}"),
            Task::Commission { name, .. } => format!("make the tool {name}"),
        }
    }
}

/// One line of the plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Assignment {
    /// Who.
    pub agent: Agent,
    /// What.
    pub task: String,
}

/// What the coordinator decides.
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// Halt, at once.
    Stop,
    /// Do these in order.
    Do(Vec<Task>),
    /// Do nothing, since it was not understood, and say so.
    Decline(String),
    /// Do nothing, since what was understood is not possible, and say what is.
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

fn task(intent: Intent) -> Task {
    match intent {
        Intent::Motion(primitive) => Task::Move(primitive),
        Intent::Tell(topic) => Task::Tell(topic),
        Intent::See(sight) => Task::Look(sight),
        Intent::State => Task::ReportState,
        Intent::Help => Task::Answer(answer::help()),
        Intent::ListTools => Task::ListTools,
        Intent::Greet => Task::Answer(answer::greeting()),
        Intent::Thanks => Task::Answer(answer::thanks()),
        Intent::RunTool { name, arguments } => Task::RunTool { name, arguments },
        Intent::MakeTool { name, body, request } => Task::Commission { name, body, request },
    }
}
