//! Defines [`Task`], the state machine of one code task. It does no I/O.
//!
//! ```text
//!           cached or simple code
//! begin --------------------------------.
//!   |  a model                          v
//!   '----> write --------------------> run --ran--> rules --> verify (model) --answers--> over
//!            ^                          |             |          |
//!            '--- rejected, raised, empty, or it does not answer the question
//!                 at most three times
//! ```
//!
//! A model's verdict only decides whether another try is made. The policy judges the code, and the sandbox's
//! output shows what it did.

use serde_json::Value;

use super::prompts;
use super::report::{Report, Verification, Verifier};
use super::sandbox::RunResult;
use minismith_analysis::finding::Finding;
use minismith_language_model::{Completion, ModelAnswer, ModelCallError, Prompt};

/// How often code may be changed after it was written.
pub const MAX_MODIFICATIONS: usize = 3;

/// The maximum number of assumptions in an answer of a model.
const MAX_ASSUMPTIONS: usize = 5;

/// The maximum length of an assumption or a problem, in characters.
const MAX_LINE_CHARS: usize = 400;

/// An event for the machine.
#[derive(Clone, Debug)]
pub enum Event {
    /// The model has answered.
    Answered(ModelAnswer),
    /// The model has not answered.
    NoAnswer(ModelCallError),
    /// The policy rejected the code.
    Refused(Vec<Finding>),
    /// The code was run.
    Ran(Box<RunResult>),
}

/// What the machine asks its driver to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Ask the model.
    Ask(Prompt),
    /// Take this code through the policy, and run it.
    Run(String),
    /// The task has ended.
    Over(Box<Report>),
}

/// The author of code that was written without a model.
pub const OFFLINE: &str = "offline";

/// Code that exists already.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Written {
    /// The code.
    pub code: String,
    /// Its author.
    pub author: String,
    /// Its assumptions.
    pub assumptions: Vec<String>,
    /// Whether it was written for a similar question before.
    pub reused: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Writing,
    Running,
    Verifying,
}

/// One task.
#[derive(Clone, Debug)]
pub struct Task {
    files: String,
    /// Whether a model is available to write, fix and verify.
    thinks: bool,
    max_tokens: u32,
    phase: Phase,
    report: Report,
}

impl Task {
    /// Begins with existing code, or has a model write it. `files` describes the inputs.
    #[must_use]
    pub fn begin(
        question: &str,
        files: String,
        written: Option<Written>,
        thinks: bool,
        max_tokens: u32,
    ) -> (Task, Effect) {
        let report = Report { question: question.to_owned(), ..Report::default() };
        let mut task = Task { files, thinks, max_tokens, phase: Phase::Writing, report };
        let effect = match written {
            Some(Written { code, author, assumptions, reused }) => {
                task.report.author = author;
                task.report.assumptions = assumptions;
                task.report.reused = reused;
                task.run(code)
            }
            None => Effect::Ask(prompts::write(question, &task.files, max_tokens)),
        };
        (task, effect)
    }

    /// Takes one event and returns the next effect.
    pub fn step(&mut self, event: Event) -> Effect {
        match event {
            Event::Answered(answer) => self.answered(answer),
            // The result exists, whether or not the model has checked it.
            Event::NoAnswer(no) if self.phase == Phase::Verifying => {
                self.report
                    .assumptions
                    .push(format!("the answer was not checked against the question: {no}"));
                self.over(None)
            }
            Event::NoAnswer(no) => self.over(Some(no.to_string())),
            Event::Refused(findings) => {
                let found: Vec<String> = findings.iter().take(5).map(ToString::to_string).collect();
                self.failed(Verifier::Policy, format!("the code is refused: {}", found.join("; ")))
            }
            Event::Ran(ran) => self.ran(*ran),
        }
    }

    fn run(&mut self, code: String) -> Effect {
        self.phase = Phase::Running;
        self.report.iterations += 1;
        self.report.code.clone_from(&code);
        self.report.answer = Value::Null;
        self.report.outputs.clear();
        self.report.output.clear();
        Effect::Run(code)
    }

    fn ran(&mut self, ran: RunResult) -> Effect {
        self.report.execution_time_s = (ran.seconds * 1000.0).round() / 1000.0;
        self.report.output = ran.printed;
        self.report.outputs = ran.outputs;
        self.passed(Verifier::Policy);
        let value = match ran.value {
            Ok(value) => value,
            Err(failure) => return self.failed(Verifier::Run, failure.to_string()),
        };
        self.passed(Verifier::Run);
        self.report.assumptions.extend(ran.notes);
        if value.is_null() && self.report.outputs.is_empty() {
            return self.failed(Verifier::Rules, "answer() returned None; return the answer from it".into());
        }
        self.report.answer = value;
        self.passed(Verifier::Rules);
        // Code from a word-by-word match of the question needs no second opinion.
        if !self.thinks || self.report.author == OFFLINE {
            return self.over(None);
        }
        self.phase = Phase::Verifying;
        Effect::Ask(prompts::verify(&self.report, &self.files, self.max_tokens))
    }

    fn answered(&mut self, answer: ModelAnswer) -> Effect {
        let from = answer.from;
        let (text, value) = match answer.completion {
            Completion::Text(text) | Completion::Calls { text, .. } => (text, None),
            Completion::Json(value) => (String::new(), Some(value)),
        };
        match self.phase {
            Phase::Writing => {
                self.report.author = from;
                self.report.reused = false;
                self.run(code(&text))
            }
            Phase::Verifying => match value.or_else(|| serde_json::from_str(&text).ok()) {
                Some(verdict) => self.judged(&verdict),
                None => self.over(Some("the language model did not answer in the requested form".into())),
            },
            Phase::Running => self.over(Some("the language model answered without a question".into())),
        }
    }

    fn judged(&mut self, verdict: &Value) -> Effect {
        let text = |value: &Value| {
            value.as_str().unwrap_or_default().chars().take(MAX_LINE_CHARS).collect::<String>()
        };
        let assumptions = verdict.get("assumptions").and_then(Value::as_array);
        let assumptions: Vec<String> = assumptions
            .into_iter()
            .flatten()
            .take(MAX_ASSUMPTIONS)
            .map(text)
            .filter(|it| !it.is_empty())
            .collect();
        if verdict.get("answers").and_then(Value::as_bool) == Some(true) {
            self.passed(Verifier::Model);
            self.report.assumptions.extend(assumptions);
            return self.over(None);
        }
        let problem = verdict.get("problem").map(text).unwrap_or_default();
        self.failed(
            Verifier::Model,
            if problem.is_empty() { "it does not answer the question".into() } else { problem },
        )
    }

    fn passed(&mut self, by: Verifier) {
        let iteration = self.report.iterations;
        self.report.verification_history.push(Verification {
            iteration,
            by,
            passed: true,
            problem: String::new(),
        });
    }

    /// Makes another try, while one is left.
    fn failed(&mut self, by: Verifier, problem: String) -> Effect {
        let iteration = self.report.iterations;
        let looked = Verification { iteration, by, passed: false, problem: problem.clone() };
        self.report.verification_history.push(looked);
        if !self.thinks {
            return self.over(Some(problem));
        }
        if self.report.modifications.len() >= MAX_MODIFICATIONS {
            let times = self.report.iterations;
            return self.over(Some(format!("no answer after {times} tries; the last problem: {problem}")));
        }
        self.phase = Phase::Writing;
        let prompt = prompts::repair(&self.report, &self.files, &problem, self.max_tokens);
        self.report.modifications.push(problem);
        Effect::Ask(prompt)
    }

    fn over(&mut self, error: Option<String>) -> Effect {
        let mut report = std::mem::take(&mut self.report);
        report.success = error.is_none();
        report.error = error;
        if !report.success {
            // A partial or wrong result is not an answer.
            report.answer = Value::Null;
            report.outputs.clear();
        }
        Effect::Over(Box::new(report))
    }
}

/// Returns the code in a model's answer: its first fenced block, or the whole answer without a fence.
fn code(text: &str) -> String {
    let fenced = text.split_once("```").map(|(_, rest)| {
        let body = rest.split_once('\n').map_or(rest, |(_, body)| body);
        body.split_once("```").map_or(body, |(code, _)| code)
    });
    format!("{}\n", fenced.unwrap_or(text).trim().replace("\r\n", "\n"))
}

#[cfg(test)]
mod tests;
