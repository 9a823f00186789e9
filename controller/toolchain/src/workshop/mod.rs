//! The workshop drafts, checks, rehearses, reviews and registers tools.
//!
//! Reading order:
//!
//! - [`finding`](minismith_analysis::finding): a finding about a tool
//! - [`submission`](minismith_analysis::submission), [`draft`](minismith_analysis::draft): a submitted tool, and its exact bytes
//! - [`policy`](minismith_analysis::policy): checks a draft without running it
//! - [`cases`], [`stimuli`], [`rehearsal`]: run it on the simulated robot, where something happens around it
//! - [`report`](minismith_analysis::report), [`margins`](minismith_analysis::margins): the measurements, and the margins to the limits
//! - [`mod@review`], [`mod@check`]: the last step, and all steps together
//! - [`manifest`](minismith_analysis::manifest): the description of an accepted tool
//! - [`attachments`]: image, page and recording for people
//! - [`registry`], [`usage`]: the tool registry, and usage statistics
//! - [`search`], [`semantics`], [`similar_tools`]: search, meaning, and similar tools
//! - [`bundle`], [`import`]: signed bundles, and their import
//! - [`check_cache`], [`lessons`]: cached check results, and reasons of refusals
//! - [`preview`]: a dry run of a call for people
//! - [`predefined`]: makes the tools that come with the program
//! - [`tool_runtime`]: starts guests and the tools that they call
//!
//! Each step consumes the result type of the previous one: `Draft`, `PolicyChecked`, `Rehearsed`, `Reviewed`, `Admitted`.

pub mod attachments;
pub mod bundle;
mod call_budget;
pub mod cases;
pub mod check;
pub mod check_cache;
pub mod from_recording;
pub mod import;
pub mod lessons;
pub mod predefined;
pub mod preview;
pub mod registry;
pub mod rehearsal;
pub mod reproduce;
pub mod responses;
pub mod review;
pub mod search;
pub mod semantics;
pub mod similar_tools;
mod simulated_sound;
pub mod stimuli;
pub mod tool_runtime;
pub mod usage;

use tracing::field::Empty;

use crate::guest::LazyHost;
use minismith_control::robot::{limits_of, models_of};
use minismith_runtime::config::Config;
use minismith_runtime::logs::known;

use attachments::Prepared;
use check::{CheckProgress, Checked, check};
use minismith_analysis::finding::Finding;
use minismith_analysis::manifest::{Evidence, ToolManifest};
use minismith_analysis::submission::Submission;
use registry::{Registry, RegistryError};
use rehearsal::{GuestStarter, RehearsalError, RehearsalOptions, rehearse};
use review::Reviewed;
use tool_runtime::ToolRuntime;

/// A registry, a source of guests, and the conditions of rehearsals.
pub struct Workshop {
    registry: Registry,
    sandbox: Box<dyn GuestStarter + Send>,
    full: RehearsalOptions,
    unapproved_tool_scale: f64,
}

/// The reason why a tool could not be approved.
#[derive(Debug, thiserror::Error)]
pub enum ApprovalError {
    /// The registry cannot load it.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// It does not pass at full speed.
    #[error("{name} does not pass its rehearsal at full speed: {}", .findings.first().map(ToString::to_string).unwrap_or_default())]
    Refused {
        /// Name of the tool.
        name: String,
        /// The findings.
        findings: Vec<Finding>,
    },
    /// No rehearsal can run here.
    #[error(transparent)]
    Rehearsal(#[from] RehearsalError),
}

impl Workshop {
    /// Creates a workshop.
    ///
    /// `full` are the conditions for approved tools. Other tools get its speeds and accelerations times
    /// `unapproved_tool_scale`.
    #[must_use]
    pub fn new(
        registry: Registry,
        sandbox: Box<dyn GuestStarter + Send>,
        full: RehearsalOptions,
        unapproved_tool_scale: f64,
    ) -> Self {
        Workshop { registry, sandbox, full, unapproved_tool_scale }
    }

    /// Opens the workshop that a configuration describes. The tool host starts with the first tool that needs it.
    ///
    /// # Errors
    /// Returns an error if the registry cannot be opened.
    pub fn open(config: &Config) -> Result<Self, RegistryError> {
        let registry = Registry::of(config)?;
        let full = RehearsalOptions {
            limits: limits_of(config),
            period: config.rate.period(),
            robot_time_s: config.workshop.budget.robot_time.as_secs_f64(),
            guest: config.workshop.budget.guest,
            models: models_of(config),
        };
        let host = LazyHost::new(&config.tool_host.python, config.tool_host.sandbox_requirements.clone());
        Ok(Workshop::new(registry, Box::new(host), full, config.limits.unapproved_tool_scale.value()))
    }

    /// Returns the registry.
    #[must_use]
    pub const fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Returns the source of guests.
    #[must_use]
    pub fn sandbox(&self) -> &dyn GuestStarter {
        &*self.sandbox
    }

    /// Returns the conditions of rehearsals and runs: the full limits for approved tools, less for others.
    #[must_use]
    pub fn conditions(&self, approved: bool) -> RehearsalOptions {
        if approved {
            self.full.clone()
        } else {
            RehearsalOptions {
                limits: self.full.limits.scaled(self.unapproved_tool_scale),
                ..self.full.clone()
            }
        }
    }

    /// Checks a tool with policy, rehearsal and review. It registers nothing.
    ///
    /// # Errors
    /// Returns an error only if no rehearsal can run here.
    pub fn check(&self, submission: &Submission) -> Result<(Checked, Option<Reviewed>), RehearsalError> {
        self.check_watched(submission, &mut |_| {})
    }

    /// Checks a tool and reports the progress.
    ///
    /// # Errors
    /// As for [`Workshop::check`].
    pub fn check_watched(
        &self,
        submission: &Submission,
        watch: &mut dyn FnMut(CheckProgress),
    ) -> Result<(Checked, Option<Reviewed>), RehearsalError> {
        let span =
            known(tracing::info_span!("check", id = Empty, tool = submission.name.as_str(), stage = Empty))
                .entered();
        let checked = check(submission, &ToolRuntime::new(self, false), &self.conditions(false), watch);
        if let Ok((checked, _)) = &checked {
            span.record("stage", minismith_runtime::report::serde_name(&checked.phase));
        }
        checked
    }

    /// Registers a tool as a new version, with an image, a page and a recording for people.
    ///
    /// # Errors
    /// Returns an error if a predefined tool has this name, or if the registry cannot be written.
    pub fn accept(&self, reviewed: &Reviewed) -> Result<ToolManifest, RegistryError> {
        let _registering =
            known(tracing::info_span!("register_tool", id = Empty, tool = reviewed.manifest().name.as_str()))
                .entered();
        let prepared = Prepared::of(reviewed);
        self.registry.accept(reviewed, &|version| prepared.files(version, &format!("v{version}")))
    }

    /// Approves a version of a tool, or the current one, and returns its number.
    ///
    /// The tool is first rehearsed at full speed, since it moves at full speed from then on. `by` names the person who
    /// approves.
    ///
    /// # Errors
    /// Returns an error if the tool does not exist or does not pass at full speed.
    pub fn approve(&self, name: &str, version: Option<u32>, by: &str) -> Result<u32, ApprovalError> {
        let accepted = self.registry.load(name, version)?;
        let version = accepted.manifest().version;
        let declared = accepted.manifest().declared();
        let full = self.conditions(true).for_tool(&accepted.manifest().budget);
        match rehearse(
            accepted.into_checked(),
            &declared,
            &ToolRuntime::new(self, false),
            &full,
            &mut |_, _| {},
        )? {
            Ok(rehearsed) => {
                let evidence = Evidence { tools: rehearsed.tools(), ..full.evidence() };
                self.registry.approve(name, version, evidence, by)?;
                Ok(version)
            }
            Err(no) => Err(ApprovalError::Refused { name: name.into(), findings: no.findings }),
        }
    }
}
