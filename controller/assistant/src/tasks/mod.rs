//! Code tasks: questions about files that a script answers, once, in the cage's code profile. No robot is in it.
//!
//! Reading order: [`mod@prepare`] (from files to inputs), [`task`] (the machine), `prompts` (what a model is told),
//! [`offline`] (questions that need no model), [`cage`] (how a script runs), [`kept`] (code for similar questions),
//! [`report`] (what comes of it). [`CodeTasks::answer`] is what the command line, the conversation and the API call.
//!
//! The policy reads every script before it runs, and the cage has nothing that could be opened: files come in as bytes and
//! go out as bytes, looked at on both sides.

pub mod cage;
pub mod kept;
pub mod offline;
pub mod prepare;
mod prompts;
pub mod report;
pub mod task;

use std::path::Path;

use minismith_wire::{FileGiven, Limits};
use tracing::field::Empty;

use self::kept::Kept;
use self::prepare::{BadInput, prepare};
use self::report::{Given, Report};
use self::task::{Effect, Event, Task, Written};
use crate::model::{Model, Watch};
use minismith_analysis::policy::vet_script;
use minismith_runtime::config::Config;
use minismith_runtime::logs::known;
use minismith_toolchain::guest::{GuestFault, LazyHost};
use minismith_toolchain::workshop::rehearsal::Cage;

/// The folder of kept code, in the tools directory.
const FOLDER: &str = ".answers";

/// The longest question that is read, characters.
const LONGEST_QUESTION: usize = 4_000;

/// Tokens that a model may answer with.
const MOST_TOKENS: u32 = 1_500;

/// What is asked.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The question, in a person's words.
    pub question: String,
    /// Files by name, without any folder.
    pub files: Vec<(String, Vec<u8>)>,
}

/// Why nothing was even tried.
#[derive(Debug, thiserror::Error)]
pub enum NoTask {
    /// There is no cage for it: what to install, or what is lacking.
    #[error(transparent)]
    NoCage(#[from] GuestFault),
    /// A file can't be given.
    #[error("{0}")]
    BadInput(BadInput),
    /// There is no question, or too long a one.
    #[error("a question has between 1 and {LONGEST_QUESTION} characters; ask one")]
    NoQuestion,
}

impl From<BadInput> for NoTask {
    fn from(bad: BadInput) -> Self {
        match bad {
            BadInput::NoCage(fault) => NoTask::NoCage(fault),
            bad => NoTask::BadInput(bad),
        }
    }
}

/// Answers code tasks. Its tool host starts with the first one, and stays warm.
pub struct CodeTasks {
    host: LazyHost,
    kept: Kept,
    limits: Limits,
}

impl CodeTasks {
    /// With what the configuration says of interpreter, cage and folders.
    #[must_use]
    pub fn new(config: &Config) -> Self {
        let host = LazyHost::for_code(&config.tool_host.python, config.tool_host.bar.clone());
        CodeTasks { host, kept: Kept::at(config.tools.join(FOLDER)), limits: cage::LIMITS }
    }

    /// The same, with other limits for scripts.
    #[must_use]
    pub fn within(self, limits: Limits) -> Self {
        CodeTasks { limits, ..self }
    }

    /// The cage in which scripts run.
    #[must_use]
    pub fn cage(&self) -> &dyn Cage {
        &self.host
    }

    /// Answers a question about files; without a model only the simple ones. `watch` is asked between any two steps
    /// whether to go on.
    ///
    /// # Errors
    /// [`NoTask`], when nothing was tried. A question that was not answered is a report without success.
    pub fn answer(
        &self,
        request: Request,
        mut model: Option<&mut dyn Model>,
        watch: &mut dyn FnMut() -> Watch,
    ) -> Result<Report, NoTask> {
        let _asked = known(tracing::info_span!("task", id = Empty)).entered();
        let Request { question, files } = request;
        if question.trim().is_empty() || question.chars().count() > LONGEST_QUESTION {
            return Err(NoTask::NoQuestion);
        }
        // Where it is not installed, that comes first.
        self.host.host()?;
        let files = prepare(&self.host, files)?;
        let kept = self.kept.find(&question, &files);
        let (written, declined) = match kept {
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
            self.kept.keep(&files, &report);
        } else if !report.success {
            self.kept.forget(&report.question, &files);
        }
        let given = |file: &FileGiven| Given {
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
        files: &[FileGiven],
        written: Option<Written>,
        model: &mut Option<&mut dyn Model>,
        watch: &mut dyn FnMut() -> Watch,
    ) -> Result<Report, NoTask> {
        let (mut task, mut effect) =
            Task::begin(question, prompts::files(files), written, model.is_some(), MOST_TOKENS);
        loop {
            let event = match effect {
                Effect::Over(report) => return Ok(*report),
                _ if matches!(watch(), Watch::Off) => Event::NoAnswer(crate::model::NoAnswer::GivenUp),
                Effect::Run(code) => match vet_script(&code) {
                    Ok(vetted) => Event::Ran(Box::new(cage::run(
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
                    None => Event::NoAnswer(crate::model::NoAnswer::GivenUp),
                },
            };
            effect = task.step(event);
        }
    }
}

/// Reads the files of a request.
///
/// # Errors
/// When one can't be read, or is no regular file.
pub fn read_files(
    paths: &[impl AsRef<Path>],
) -> Result<Vec<(String, Vec<u8>)>, minismith_analysis::files::BadFile> {
    paths
        .iter()
        .map(|path| minismith_analysis::files::input::read(path.as_ref(), minismith_wire::MAX_FILE as u64))
        .collect()
}
