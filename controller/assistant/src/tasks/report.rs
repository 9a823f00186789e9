//! What came of a code task: the document that the command line and the API give.

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use minismith_analysis::files::Output;

/// What came of a code task.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
#[schema(as = CodeReport)]
pub struct Report {
    /// The question, as it was asked.
    pub question: String,
    /// Whether it was answered.
    pub success: bool,
    /// The answer: plain data.
    pub answer: Value,
    /// The code that gave it, or that was tried last.
    pub code: String,
    /// Who wrote the code: a model's name, or `offline`; empty when nobody did.
    pub author: String,
    /// Whether the code was written for a similar question before.
    pub reused: bool,
    /// What the code printed.
    pub output: String,
    /// Why there is no answer, and what to do.
    pub error: Option<String>,
    /// Seconds that the last run took.
    pub execution_time_s: f64,
    /// How often code was run or refused.
    pub iterations: u32,
    /// Why the code was changed, once for each change.
    pub modifications: Vec<String>,
    /// Each look at the code and at what came of it.
    pub verification_history: Vec<Verification>,
    /// The files that it wrote.
    pub outputs: Vec<Output>,
    /// What was assumed where the question was vague, and what else should be known.
    pub assumptions: Vec<String>,
    /// What the files were found to be.
    pub inputs: Vec<Given>,
}

/// A file that was given.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = CodeInput)]
pub struct Given {
    /// Its name.
    pub name: String,
    /// How long it is.
    pub bytes: u64,
    /// What is known of it.
    #[schema(value_type = Object)]
    pub about: serde_json::Map<String, Value>,
}

/// One look.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Verification {
    /// At which code, from 1.
    pub iteration: u32,
    /// By whom.
    pub by: Verifier,
    /// Whether it passed.
    pub passed: bool,
    /// What is wrong with it; empty when it passed.
    pub problem: String,
}

/// Who looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verifier {
    /// The rules for scripts, before it runs.
    Policy,
    /// The cage: did it raise, or break a limit?
    Run,
    /// A rule: is there an answer?
    Rules,
    /// A language model: does it answer the question?
    Model,
}
