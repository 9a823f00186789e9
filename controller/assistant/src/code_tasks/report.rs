//! Defines [`Report`], the result of a code task for the command line and the API.

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use minismith_analysis::files::Output;

/// The result of a code task.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
#[schema(as = CodeReport)]
pub struct Report {
    /// The question, unchanged.
    pub question: String,
    /// Whether it was answered.
    pub success: bool,
    /// The answer: plain data.
    pub answer: Value,
    /// The code that answered, or the last code tried.
    pub code: String,
    /// The author of the code: a model's name, or `offline`; empty without code.
    pub author: String,
    /// Whether the code was written for a similar question before.
    pub reused: bool,
    /// What the code printed.
    pub output: String,
    /// Why there is no answer, and what to do.
    pub error: Option<String>,
    /// Seconds that the last run took.
    pub execution_time_s: f64,
    /// How often code was run or rejected.
    pub iterations: u32,
    /// The reason for each change of the code.
    pub modifications: Vec<String>,
    /// Each check of the code and its result.
    pub verification_history: Vec<Verification>,
    /// The files that it wrote.
    pub outputs: Vec<Output>,
    /// Assumptions where the question was vague, and other notes.
    pub assumptions: Vec<String>,
    /// The inputs and their descriptions.
    pub inputs: Vec<Given>,
}

/// An input file.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = CodeInput)]
pub struct Given {
    /// Its name.
    pub name: String,
    /// Its length.
    pub bytes: u64,
    /// Its description.
    #[schema(value_type = Object)]
    pub about: serde_json::Map<String, Value>,
}

/// One check.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Verification {
    /// The number of the checked code, from 1.
    pub iteration: u32,
    /// The checker.
    pub by: Verifier,
    /// Whether it passed.
    pub passed: bool,
    /// What is wrong with it; empty when it passed.
    pub problem: String,
}

/// Who checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verifier {
    /// The rules for scripts, before it runs.
    Policy,
    /// The sandbox: whether the script raised, or exceeded a limit.
    Run,
    /// A rule: whether there is an answer.
    Rules,
    /// A language model: whether it answers the question.
    Model,
}
