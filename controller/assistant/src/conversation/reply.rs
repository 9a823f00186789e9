//! The answer to one sentence, with what was made and run.

use minismith_contract::Verdict;
use minismith_score::expects::Measured;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::understood::UnderstoodPart;
use crate::agents::coordinator::Assignment;
use crate::agents::turn::Usage;
use crate::code_tasks::report::Report;
use crate::memory::Handle;
use minismith_analysis::files::Output;
use minismith_analysis::finding::Finding;
use minismith_analysis::report::{PhysicalReport, with_old_names};
use minismith_runtime::report::{Step, TurnOutcome};
use minismith_toolchain::tool_run::Outcome;

/// The answer to one sentence.
#[derive(Debug, Serialize, ToSchema)]
pub struct Reply {
    /// The answer as text.
    pub text: String,
    /// The assignments to the agents.
    pub plan: Vec<Assignment>,
    /// The parts of the sentence, with the steps that each stands for. Omitted where the grammar did not read it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub understood: Vec<UnderstoodPart>,
    /// The requested and achieved values of each motion.
    pub steps: Vec<Step>,
    /// The tool that was made or run last.
    #[schema(required)]
    pub tool: Option<ToolReply>,
    /// How it ended.
    pub outcome: TurnOutcome,
    /// The usage of the language model, if one was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub spent: Option<Usage>,
    /// The result of code that answered about files or stored data, if that was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Report>,
    /// The sources of text in the answer that this program did not write: a tool, an image, a server.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<String>,
}

impl Reply {
    /// Returns a reply without any action.
    pub fn nothing(text: String, outcome: TurnOutcome) -> Self {
        Reply {
            text,
            plan: Vec::new(),
            understood: Vec::new(),
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
    #[schema(required)]
    pub version: Option<u32>,
    /// Its author's plan, when it was made in this turn.
    pub plan: Vec<String>,
    /// Its code, when it was made in this turn.
    #[schema(required)]
    pub code: Option<String>,
    /// The assumption where the request left something open.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub assumed: Vec<String>,
    /// The findings of policy and rehearsal.
    pub findings: Vec<Finding>,
    /// The measurements of the rehearsal.
    #[serde(serialize_with = "with_old_names")]
    #[schema(required)]
    pub report: Option<PhysicalReport>,
    /// What was measured of the request, when it was made in this turn.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub expectations: Vec<Measured>,
    /// Whether its motion does what was asked for, when it was made in this turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub verdict: Option<Verdict>,
    /// The result of its run.
    #[serde(rename = "performance")]
    #[schema(required)]
    pub run: Option<ToolRunReply>,
}

impl ToolRunReply {
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
pub struct ToolRunReply {
    /// The outcome, with the tool's value.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// What it printed.
    pub printed: String,
    /// Its duration in robot time, in seconds.
    #[serde(rename = "took_s")]
    pub duration_s: f64,
    /// The images that it read.
    pub frames: u64,
    /// How often the tool computed for longer than a cycle.
    #[serde(rename = "slips")]
    pub stalls: u64,
    /// SHA-256 of the stream of goal positions.
    pub command_digest: String,
    /// The short name under which the session stores the motion of the motors.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub trajectory: Option<Handle>,
    /// Its motions.
    pub steps: Vec<Step>,
    /// The clamps of the whole run.
    #[serde(rename = "trims")]
    pub clamps: Vec<minismith_runtime::report::ClampReport>,
    /// The requests that this robot can't fulfil.
    pub notes: Vec<String>,
    /// The files that it wrote.
    pub outputs: Vec<Output>,
}
