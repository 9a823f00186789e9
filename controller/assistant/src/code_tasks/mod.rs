//! Code tasks: a script answers a question about files, in the sandbox's code profile and without a robot.
//!
//! Reading order:
//!
//! * [`inputs`] (from files to inputs)
//! * [`task`] (the state machine) and `prompts` (for the model)
//! * [`offline`] (questions that need no model)
//! * [`sandbox`] (how a script runs)
//! * [`script_cache`] (code for similar questions)
//! * [`report`] (the result)
//!
//! The command line, the conversation and the API call [`CodeTasks::answer`].
//!
//! The policy reads every script before it runs, and the sandbox contains nothing to open. Files enter and
//! leave as bytes, checked on both sides.

pub mod inputs;
pub mod offline;
mod prompts;
pub mod report;
pub mod sandbox;
pub mod script_cache;
pub mod task;

use std::path::Path;

use minismith_protocol::zygote::Profile;
use minismith_protocol::{InputFile, Limits};
use tracing::field::Empty;

use self::inputs::{BadInput, prepare};
use self::report::{Given, Report};
use self::script_cache::ScriptCache;
use self::task::{Effect, Event, Task, Written};
use minismith_analysis::policy::vet_script;
use minismith_language_model::{Model, Watch};
use minismith_runtime::config::Config;
use minismith_runtime::logs::known;
use minismith_toolchain::guest::{GuestError, LazyHost};
use minismith_toolchain::workshop::rehearsal::GuestStarter;

/// The folder of cached code, in the tools directory.
const FOLDER: &str = ".answers";

/// The maximum length of a question, in characters.
const MAX_QUESTION_CHARS: usize = 4_000;

/// The maximum length of a model's answer, in tokens.
const MAX_TOKENS: u32 = 1_500;

/// A request for a code task.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The question, in a person's words.
    pub question: String,
    /// Files by name, without any folder.
    pub files: Vec<(String, Vec<u8>)>,
}

/// The reason why nothing was tried.
#[derive(Debug, thiserror::Error)]
pub enum CodeTaskError {
    /// No sandbox is available: what to install, or what is missing.
    #[error(transparent)]
    NoSandbox(#[from] GuestError),
    /// A file can't be passed.
    #[error("{0}")]
    BadInput(BadInput),
    /// The question is empty or too long.
    #[error("a question has between 1 and {MAX_QUESTION_CHARS} characters; ask one")]
    NoQuestion,
}

impl From<BadInput> for CodeTaskError {
    fn from(bad: BadInput) -> Self {
        match bad {
            BadInput::NoSandbox(fault) => CodeTaskError::NoSandbox(fault),
            bad => CodeTaskError::BadInput(bad),
        }
    }
}

/// Answers code tasks. Its tool host starts with the first one, and stays warm.
pub struct CodeTasks {
    host: LazyHost,
    scripts: ScriptCache,
    limits: Limits,
}

impl CodeTasks {
    /// Returns code tasks with the configuration's interpreter, sandbox and folders.
    #[must_use]
    pub fn new(config: &Config) -> Self {
        let host = LazyHost::new(&config.tool_host.python, config.tool_host.sandbox_requirements.clone());
        CodeTasks { host, scripts: ScriptCache::at(config.tools.join(FOLDER)), limits: sandbox::LIMITS }
    }

    /// Sets other limits for scripts.
    #[must_use]
    pub fn within(self, limits: Limits) -> Self {
        CodeTasks { limits, ..self }
    }

    /// Returns the sandbox in which scripts run.
    #[must_use]
    pub fn sandbox(&self) -> &dyn GuestStarter {
        &self.host
    }

    /// Answers a question about files; without a model, only the simple ones. `watch` is asked between any
    /// two steps whether to go on.
    ///
    /// # Errors
    /// [`CodeTaskError`], when nothing was tried. A question without an answer gives a report without success.
    pub fn answer(
        &self,
        request: Request,
        mut model: Option<&mut dyn Model>,
        watch: &mut dyn FnMut() -> Watch,
    ) -> Result<Report, CodeTaskError> {
        let _asked = known(tracing::info_span!("task", id = Empty)).entered();
        let Request { question, files } = request;
        if question.trim().is_empty() || question.chars().count() > MAX_QUESTION_CHARS {
            return Err(CodeTaskError::NoQuestion);
        }
        // A missing tool host is the first error to report.
        self.host.host_of(Profile::Code)?;
        let files = prepare(&self.host, files)?;
        let stored = self.scripts.find(&question, &files);
        let (written, declined) = match stored {
            Some(written) => (Some(written), None),
            None => match offline::read(&question, &files) {
                Ok(written) => (Some(written), None),
                Err(declined) => (None, Some(declined)),
            },
        };
        let mut report = match (written, declined, &mut model) {
            (None, Some(declined), None) => {
                Report { question, error: Some(declined.to_string()), ..Report::default() }
            }
            (written, ..) => self.work(&question, &files, written, &mut model, watch)?,
        };
        if report.success && !report.reused {
            self.scripts.store(&files, &report);
        } else if !report.success {
            self.scripts.forget(&report.question, &files);
        }
        let given = |file: &InputFile| Given {
            name: file.name.clone(),
            bytes: file.bytes,
            about: file.about.clone(),
        };
        report.inputs = files.iter().map(given).collect();
        Ok(report)
    }

    /// Drives the machine to its end.
    fn work(
        &self,
        question: &str,
        files: &[InputFile],
        written: Option<Written>,
        model: &mut Option<&mut dyn Model>,
        watch: &mut dyn FnMut() -> Watch,
    ) -> Result<Report, CodeTaskError> {
        let (mut task, mut effect) =
            Task::begin(question, prompts::files(files), written, model.is_some(), MAX_TOKENS);
        loop {
            let event = match effect {
                Effect::Over(report) => return Ok(*report),
                _ if matches!(watch(), Watch::Off) => {
                    Event::NoAnswer(minismith_language_model::ModelCallError::GivenUp)
                }
                Effect::Run(code) => match vet_script(&code) {
                    Ok(vetted) => Event::Ran(Box::new(sandbox::run(
                        &self.host,
                        vetted.source(),
                        Some(vetted.facts()),
                        files,
                        self.limits,
                    )?)),
                    Err(findings) => Event::Refused(findings),
                },
                Effect::Ask(prompt) => match model {
                    Some(model) => match model.answer(&prompt, &mut |_| watch()) {
                        Ok(answer) => Event::Answered(answer),
                        Err(no) => Event::NoAnswer(no),
                    },
                    None => Event::NoAnswer(minismith_language_model::ModelCallError::GivenUp),
                },
            };
            effect = task.step(event);
        }
    }
}

/// Reads the files of a request.
///
/// # Errors
/// Fails when one can't be read, or is not a regular file.
pub fn read_files(
    paths: &[impl AsRef<Path>],
) -> Result<Vec<(String, Vec<u8>)>, minismith_analysis::files::BadFile> {
    paths
        .iter()
        .map(|path| {
            minismith_analysis::files::input::read(path.as_ref(), minismith_protocol::MAX_FILE_BYTES as u64)
        })
        .collect()
}
