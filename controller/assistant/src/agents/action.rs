//! Defines [`Action`], what an agent decides to do once its call has been read.
//!
//! The set is closed, so the code that carries actions out handles all of them.

use serde_json::{Map, Value};

use super::plan::StepStatus;
use super::roster::Spec;
use minismith_nlu::{Primitive, Sight};

/// One action of an agent.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Move.
    Move(Primitive),
    /// Report where the robot is.
    ReportState,
    /// Look through the camera, then answer or act on the result.
    See(Sight),
    /// Answer a question by code.
    AnswerFromFiles {
        /// The question.
        question: String,
        /// Files, and the short names of stored data.
        files: Vec<String>,
    },
    /// List the tools.
    ListTools,
    /// Show a tool's code.
    ToolCode {
        /// The tool's name.
        name: String,
    },
    /// Run a tool.
    RunTool {
        /// The tool's name.
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
    /// Have test cases written for a tool in progress.
    CreateTestCases {
        /// Its name.
        name: String,
    },
    /// Check and rehearse a tool in progress.
    TestFunction {
        /// Its name.
        name: String,
    },
    /// Store a tool that has passed.
    SaveFunction {
        /// Its name.
        name: String,
    },
    /// Create another agent.
    CreateAssistant(Spec),
    /// Hand a task over to another agent.
    HandOff {
        /// The agent's name.
        agent: String,
        /// The task.
        task: String,
    },
    /// Ask the person.
    AskPerson {
        /// The question.
        question: String,
    },
    /// End a step of the plan.
    UpdatePlan {
        /// The step's number, counted from 1.
        step: usize,
        /// The step's new status.
        status: StepStatus,
        /// The result.
        note: String,
    },
}

impl Action {
    /// Returns a description for the person.
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
            Action::HandOff { agent, task } => format!("hand over to {agent}: {task}"),
            Action::AskPerson { question } => format!("ask: {question}"),
            Action::UpdatePlan { step, .. } => format!("note step {step}"),
        }
    }
}
