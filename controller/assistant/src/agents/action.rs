//! What an agent decides to do, once its call has been read: closed, so that whoever carries it out knows them all.

use serde_json::{Map, Value};

use super::plan::StepStatus;
use super::roster::Spec;
use minismith_nlu::{Primitive, Sight};

/// One thing to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Move.
    Move(Primitive),
    /// Tell where the body is.
    ReportState,
    /// Look through the camera, and tell or do something about what is there.
    See(Sight),
    /// Answer a question by code.
    AnswerFromFiles {
        /// The question.
        question: String,
        /// Files, and the short names of kept data.
        files: Vec<String>,
    },
    /// List the tools.
    ListTools,
    /// Show a tool's code.
    ToolCode {
        /// The tool.
        name: String,
    },
    /// Run a tool.
    RunTool {
        /// The tool.
        name: String,
        /// Its arguments.
        arguments: Map<String, Value>,
    },
    /// Have a tool written.
    CreateFunction {
        /// Its name.
        name: String,
        /// What it does.
        specification: String,
    },
    /// Have test cases written for a tool that is being made.
    CreateTestCases {
        /// Its name.
        name: String,
    },
    /// Read and rehearse a tool that is being made.
    TestFunction {
        /// Its name.
        name: String,
    },
    /// Keep a tool that has passed.
    SaveFunction {
        /// Its name.
        name: String,
    },
    /// Another agent joins.
    CreateAssistant(Spec),
    /// Another agent takes over a task.
    HandOver {
        /// Who.
        agent: String,
        /// What.
        task: String,
    },
    /// The person is asked.
    AskPerson {
        /// What.
        question: String,
    },
    /// A step of the plan has ended.
    UpdatePlan {
        /// Which, counted from one.
        step: usize,
        /// How.
        status: StepStatus,
        /// With what.
        note: String,
    },
}

impl Action {
    /// In words, for the person.
    #[must_use]
    pub fn describe(&self) -> String {
        match self {
            Action::Move(primitive) => primitive.describe(),
            Action::ReportState => "report where the body is".into(),
            Action::See(Sight::Scene) => "take a picture".into(),
            Action::See(sight) => sight.to_string(),
            Action::AnswerFromFiles { question, files } => {
                format!("read {} for: {question}", files.join(" and "))
            }
            Action::ListTools => "list the tools".into(),
            Action::ToolCode { name } => format!("read the code of {name}"),
            Action::RunTool { name, .. } => format!("run {name}"),
            Action::CreateFunction { name, .. } => format!("write the tool {name}"),
            Action::CreateTestCases { name } => format!("write test cases for {name}"),
            Action::TestFunction { name } => format!("rehearse {name}"),
            Action::SaveFunction { name } => format!("keep {name}"),
            Action::CreateAssistant(spec) => format!("create the agent {}", spec.name),
            Action::HandOver { agent, task } => format!("hand over to {agent}: {task}"),
            Action::AskPerson { question } => format!("ask: {question}"),
            Action::UpdatePlan { step, .. } => format!("note step {step}"),
        }
    }
}
