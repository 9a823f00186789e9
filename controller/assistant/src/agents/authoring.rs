//! Defines [`ToolAuthoring`], the state machine in which a language model makes one tool. It does no I/O.
//!
//! ```text
//!            unclear, once
//! specify -----------------> ask the person
//!    |  clear, or assumed <--------'
//!    v
//!  write --> test cases (from the specification alone) --> check --acceptable--> review --> register --> over
//!    ^                                                       |                     |
//!    '------------ findings, line by line -------------------+---------------------'
//!                  up to the limit of tries
//! ```
//!
//! The toolchain decides what is accepted; the machine only returns its findings to the author.

mod prompts;
mod read;

use serde_json::Value;

use minismith_analysis::finding::Finding;
use minismith_analysis::manifest::TestCase;
use minismith_language_model::{Completion, ModelAnswer, ModelCallError, Prompt};
use minismith_toolchain::workshop::check::Checked;
use minismith_toolchain::workshop::lessons::{Lesson, learned};

pub use read::Verdict;

/// The order for a tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolSpec {
    /// The tool's name, an identifier. With `None` the model chooses one.
    pub name: Option<String>,
    /// What the tool should do, in the person's words.
    pub request: String,
    /// Pages of the reference, of tools and of past failures that match the request.
    pub pages: Vec<Page>,
    /// The tool whose next version is ordered; `None` for a new tool.
    pub base: Option<Base>,
}

/// A tool to change.
#[derive(Clone, Debug, PartialEq)]
pub struct Base {
    /// What it does.
    pub purpose: String,
    /// Its code.
    pub source: String,
}

/// A page that helps an author.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    /// The source of the page.
    pub title: String,
    /// The page's text.
    pub text: String,
}

/// An event for the machine.
#[derive(Clone, Debug)]
pub enum Event {
    /// The model has answered.
    Answered(ModelAnswer),
    /// The model has not answered.
    NoAnswer(ModelCallError),
    /// The person's answer to the question; `None` when no person is available.
    Replied(Option<String>),
    /// The toolchain's findings on the draft.
    Checked(Box<Checked>),
    /// The draft was stored as this version.
    Accepted(u32),
    /// The draft could not be stored.
    Rejected(String),
    /// The person said stop.
    Stopped,
}

/// What the machine asks its driver to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Ask the model.
    Ask(Prompt),
    /// Ask the person.
    AskPerson(String),
    /// Take this draft through policy and rehearsal.
    Check(Draft),
    /// Store what was checked last, with the reviewer's warnings.
    Accept {
        /// The reviewer's name.
        reviewer: String,
        /// The risks that the reviewer warned of.
        risks: Vec<String>,
        /// Whether a person should confirm before real motors move.
        ask: bool,
    },
    /// The commission has ended.
    Over(AuthoringResult),
}

/// A tool as its author has written it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Draft {
    /// Its name.
    pub name: String,
    /// What it should do.
    pub specification: String,
    /// The steps of its plan.
    pub plan: Vec<String>,
    /// Its code.
    pub source: String,
    /// Required behaviour, written by a tester who has not seen the code.
    pub test_cases: Vec<TestCase>,
    /// The model that wrote it.
    pub model: String,
}

/// The result of a commission.
#[derive(Clone, Debug, PartialEq)]
pub struct AuthoringResult {
    /// The last draft.
    pub draft: Draft,
    /// The version that was stored, or the reason why none was.
    pub accepted: Result<u32, String>,
    /// The assumption where the request was vague; empty without one.
    pub assumption: String,
    /// The findings that rejected each try.
    pub refusals: Vec<Vec<Finding>>,
    /// Lessons from the rejected tries.
    pub lessons: Vec<Lesson>,
    /// How often the code was written.
    pub iterations: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Specifying,
    Asking,
    Writing,
    Testing,
    Checking,
    Reviewing,
    Accepting,
}

/// One commission.
#[derive(Clone, Debug)]
pub struct ToolAuthoring {
    spec: ToolSpec,
    max_iterations: u32,
    max_tokens: u32,
    phase: Phase,
    draft: Draft,
    assumption: String,
    reply: Option<String>,
    has_asked: bool,
    refusals: Vec<Vec<Finding>>,
    /// The code of each rejected try.
    refused: Vec<String>,
    iterations: u32,
    checked: Option<Box<Checked>>,
}

impl ToolAuthoring {
    /// Begins a commission: the first step clarifies the request.
    #[must_use]
    pub fn begin(order: ToolSpec, max_iterations: u32, max_tokens: u32) -> (ToolAuthoring, Effect) {
        let draft = Draft { name: order.name.clone().unwrap_or_default(), ..Draft::default() };
        let commission = ToolAuthoring {
            spec: order,
            max_iterations,
            max_tokens,
            phase: Phase::Specifying,
            draft,
            assumption: String::new(),
            reply: None,
            has_asked: false,
            refusals: Vec::new(),
            refused: Vec::new(),
            iterations: 0,
            checked: None,
        };
        let first = Effect::Ask(prompts::specify(&commission.spec, None, max_tokens));
        (commission, first)
    }

    /// Returns what is written so far.
    #[must_use]
    pub const fn draft(&self) -> &Draft {
        &self.draft
    }

    /// Takes one event and returns the next effect.
    pub fn step(&mut self, event: Event) -> Effect {
        match event {
            Event::Stopped => self.over(Err("I was stopped".into())),
            Event::NoAnswer(no @ ModelCallError::Unusable { .. }) => self.unusable(&no),
            Event::NoAnswer(no) => self.over(Err(no.to_string())),
            Event::Rejected(why) => self.over(Err(why)),
            Event::Accepted(version) => self.over(Ok(version)),
            Event::Replied(reply) => self.replied(reply),
            Event::Checked(checked) => self.checked(checked),
            Event::Answered(answer) => self.answered(answer),
        }
    }

    fn answered(&mut self, answer: ModelAnswer) -> Effect {
        let text = match answer.completion {
            Completion::Text(text) | Completion::Calls { text, .. } => text,
            Completion::Json(value) => return self.read(&value),
        };
        match self.phase {
            Phase::Writing => {
                self.draft.source = read::code(&text, &self.draft.name);
                self.draft.model = answer.from;
                self.iterations += 1;
                if self.draft.test_cases.is_empty() && self.iterations == 1 {
                    self.phase = Phase::Testing;
                    let parameters = read::signature(&self.draft.source, &self.draft.name);
                    return Effect::Ask(prompts::test_cases(&self.draft, &parameters, self.max_tokens));
                }
                self.check()
            }
            _ => match serde_json::from_str(&text) {
                Ok(value) => self.read(&value),
                Err(_) => {
                    self.over(Err("the language model did not answer in the form that was asked for".into()))
                }
            },
        }
    }

    fn read(&mut self, value: &Value) -> Effect {
        match self.phase {
            Phase::Specifying => {
                let specified = read::specification(value, &self.spec);
                if !specified.question.is_empty() && !self.has_asked {
                    self.has_asked = true;
                    self.phase = Phase::Asking;
                    return Effect::AskPerson(specified.question);
                }
                self.draft.name = specified.name;
                self.draft.specification = specified.specification;
                self.draft.plan = specified.plan;
                self.assumption = specified.assumption;
                self.write()
            }
            Phase::Testing => {
                self.draft.test_cases = read::test_cases(value, &self.draft, &self.spec.request);
                self.check()
            }
            Phase::Reviewing => {
                let verdict = read::verdict(value);
                if verdict.refuses {
                    let finding = Finding {
                        rule: "review".into(),
                        module: None,
                        line: 1,
                        verdict: minismith_analysis::finding::Verdict::Reject,
                        reason: verdict.reason,
                        hint: "do what the request asks for, and tell in the result what was done".into(),
                    };
                    return self.refused(vec![finding]);
                }
                self.phase = Phase::Accepting;
                Effect::Accept { reviewer: self.draft.model.clone(), risks: verdict.risks, ask: verdict.asks }
            }
            _ => self.over(Err("the language model answered without a question".into())),
        }
    }

    /// Handles an answer that can't be used, since a small model goes wrong at times.
    ///
    /// The commission goes on without the answer where that weakens no verification. Without a specification,
    /// the request serves as one. Without test cases, the rehearsal goes on. A tool without a review is left
    /// to a person before real motors move.
    fn unusable(&mut self, no: &ModelCallError) -> Effect {
        match (self.phase, &self.spec.name) {
            (Phase::Specifying, Some(name)) => {
                self.draft.name.clone_from(name);
                self.draft.specification.clone_from(&self.spec.request);
                self.write()
            }
            (Phase::Testing, _) => self.check(),
            (Phase::Reviewing, _) => {
                self.phase = Phase::Accepting;
                let risks = vec!["its reviewer gave no usable answer".into()];
                Effect::Accept { reviewer: self.draft.model.clone(), risks, ask: true }
            }
            _ => self.over(Err(no.to_string())),
        }
    }

    fn replied(&mut self, reply: Option<String>) -> Effect {
        self.phase = Phase::Specifying;
        self.reply =
            Some(reply.unwrap_or_else(|| "(nobody is here to answer; assume what is likeliest)".into()));
        Effect::Ask(prompts::specify(&self.spec, self.reply.as_deref(), self.max_tokens))
    }

    fn write(&mut self) -> Effect {
        self.phase = Phase::Writing;
        Effect::Ask(prompts::write(&self.spec, &self.draft, self.max_tokens))
    }

    fn check(&mut self) -> Effect {
        self.phase = Phase::Checking;
        Effect::Check(self.draft.clone())
    }

    fn checked(&mut self, checked: Box<Checked>) -> Effect {
        if !checked.accepted {
            let findings = checked.findings.clone();
            self.checked = Some(checked);
            return self.refused(findings);
        }
        self.phase = Phase::Reviewing;
        let prompt = prompts::review(&self.spec, &self.draft, &checked, self.max_tokens);
        self.checked = Some(checked);
        Effect::Ask(prompt)
    }

    /// Returns the findings to the author while tries are left.
    fn refused(&mut self, findings: Vec<Finding>) -> Effect {
        let refusing: Vec<Finding> = findings
            .into_iter()
            .filter(|finding| finding.verdict == minismith_analysis::finding::Verdict::Reject)
            .collect();
        let prompt = prompts::repair(&self.spec, &self.draft, &refusing, self.max_tokens);
        let first = refusing.first().map(ToString::to_string).unwrap_or_default();
        self.refusals.push(refusing);
        self.refused.push(self.draft.source.clone());
        if self.iterations >= self.max_iterations {
            return self.over(Err(format!(
                "it was refused {} times, the last time for this: {first}",
                self.iterations
            )));
        }
        self.phase = Phase::Writing;
        Effect::Ask(prompt)
    }

    /// Derives what each rejected try teaches from the code that came after it. The last code counts only if
    /// it was stored.
    fn lessons(&self, is_stored: bool) -> Vec<Lesson> {
        let last = is_stored.then_some((self.draft.source.as_str(), [].as_slice()));
        let tries = || self.refused.iter().map(String::as_str).zip(self.refusals.iter().map(Vec::as_slice));
        let next = tries().skip(1).map(Some).chain([last]);
        let learned = |((source, findings), next)| learned(&self.spec.request, source, findings, next);
        tries().zip(next).flat_map(learned).collect()
    }

    fn over(&mut self, stored: Result<u32, String>) -> Effect {
        let lessons = self.lessons(stored.is_ok());
        Effect::Over(AuthoringResult {
            draft: std::mem::take(&mut self.draft),
            accepted: stored,
            assumption: std::mem::take(&mut self.assumption),
            refusals: std::mem::take(&mut self.refusals),
            lessons,
            iterations: self.iterations,
        })
    }
}

#[cfg(test)]
mod tests;
