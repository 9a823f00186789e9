//! The workshop drafts, checks, rehearses, reviews and registers tools.
//!
//! Reading order:
//!
//! - [`finding`]: a finding about a tool
//! - [`submission`], [`draft`]: a submitted tool, and its exact bytes
//! - [`policy`]: checks a draft without running it
//! - [`cases`], [`rehearsal`]: run it on the simulated robot
//! - [`report`], [`margins`]: the measurements, and the margins to the limits
//! - [`mod@review`], [`mod@check`]: the last step, and all steps together
//! - [`manifest`]: the description of an accepted tool
//! - [`attachments`]: image, page and recording for people
//! - [`registry`], [`usage`]: the tool registry, and usage statistics
//! - [`search`], [`semantics`], [`alike`]: search, meaning, and similar tools
//! - [`bundle`]: signed export and import
//! - [`kept`], [`lessons`]: cached check results, and reasons of refusals
//! - [`preview`]: a dry run of a call for people
//! - [`troupe`]: starts guests and the tools that they call
//!
//! Each step consumes the result type of the previous one: `Draft`, `Vetted`, `Rehearsed`, `Admissible`, `Admitted`.

pub mod alike;
mod allowance;
pub mod attachments;
pub mod bundle;
pub mod cases;
pub mod check;
pub mod kept;
pub mod lessons;
pub mod preview;
pub mod recorded;
pub mod redo;
pub mod registry;
pub mod rehearsal;
pub mod review;
pub mod search;
pub mod semantics;
pub mod told;
pub mod troupe;
pub mod usage;

use tracing::field::Empty;

use crate::guest::LazyHost;
use minismith_control::body::{limits_of, models_of};
use minismith_runtime::config::Config;
use minismith_runtime::logs::known;

use attachments::Prepared;
use check::{Checked, Checking, check};
use minismith_analysis::finding::Finding;
use minismith_analysis::manifest::{Evidence, ToolManifest};
use minismith_analysis::submission::Submission;
use registry::{Registry, RegistryError};
use rehearsal::{Cage, Conditions, NoRehearsal, rehearse};
use review::Admissible;
use troupe::Troupe;

/// A registry, a source of guests, and the conditions of rehearsals.
pub struct Workshop {
    registry: Registry,
    cage: Box<dyn Cage + Send>,
    full: Conditions,
    unapproved_tool_scale: f64,
}

/// The reason why a tool could not be approved.
#[derive(Debug, thiserror::Error)]
pub enum NotApproved {
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
    Rehearsal(#[from] NoRehearsal),
}

impl Workshop {
    /// Creates a workshop.
    ///
    /// `full` are the conditions for approved tools. Other tools get its speeds and accelerations times
    /// `unapproved_tool_scale`.
    #[must_use]
    pub fn new(
        registry: Registry,
        cage: Box<dyn Cage + Send>,
        full: Conditions,
        unapproved_tool_scale: f64,
    ) -> Self {
        Workshop { registry, cage, full, unapproved_tool_scale }
    }

    /// Opens the workshop that a configuration describes. The tool host starts with the first tool that needs it.
    ///
    /// # Errors
    /// Returns an error if the registry cannot be opened.
    pub fn open(config: &Config) -> Result<Self, RegistryError> {
        let registry = Registry::open(&config.tools)?;
        let full = Conditions {
            limits: limits_of(config),
            period: config.rate.period(),
            stage_seconds: config.workshop.budget.robot_time.as_secs_f64(),
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
    pub fn cage(&self) -> &dyn Cage {
        &*self.cage
    }

    /// Returns the conditions of rehearsals and runs: the full limits for approved tools, less for others.
    #[must_use]
    pub fn conditions(&self, approved: bool) -> Conditions {
        if approved {
            self.full.clone()
        } else {
            Conditions { limits: self.full.limits.scaled(self.unapproved_tool_scale), ..self.full.clone() }
        }
    }

    /// Checks a tool with policy, rehearsal and review. It registers nothing.
    ///
    /// # Errors
    /// Returns an error only if no rehearsal can run here.
    pub fn check(&self, submission: &Submission) -> Result<(Checked, Option<Admissible>), NoRehearsal> {
        self.check_watched(submission, &mut |_| {})
    }

    /// Checks a tool and reports the progress.
    ///
    /// # Errors
    /// As for [`Workshop::check`].
    pub fn check_watched(
        &self,
        submission: &Submission,
        watch: &mut dyn FnMut(Checking),
    ) -> Result<(Checked, Option<Admissible>), NoRehearsal> {
        let span =
            known(tracing::info_span!("check", id = Empty, tool = submission.name.as_str(), stage = Empty))
                .entered();
        let checked = check(submission, &Troupe::new(self, false), &self.conditions(false), watch);
        if let Ok((checked, _)) = &checked {
            span.record("stage", minismith_runtime::outcome::word(&checked.stage));
        }
        checked
    }

    /// Registers a tool as a new version, with an image, a page and a recording for people.
    ///
    /// # Errors
    /// Returns an error if a predefined tool has this name, or if the registry cannot be written.
    pub fn admit(&self, admissible: &Admissible) -> Result<ToolManifest, RegistryError> {
        let _admitting = known(tracing::info_span!(
            "register_tool",
            id = Empty,
            tool = admissible.manifest().name.as_str()
        ))
        .entered();
        let prepared = Prepared::of(admissible);
        self.registry.admit(admissible, &|version| prepared.files(version, &format!("v{version}")))
    }

    /// Approves a version of a tool, or the current one, and returns its number.
    ///
    /// The tool is first rehearsed at full speed, since it moves at full speed from then on. `by` names the person who
    /// approves.
    ///
    /// # Errors
    /// Returns an error if the tool does not exist or does not pass at full speed.
    pub fn approve(&self, name: &str, version: Option<u32>, by: &str) -> Result<u32, NotApproved> {
        let admitted = self.registry.load(name, version)?;
        let version = admitted.manifest().version;
        let declared = admitted.manifest().declared();
        let full = self.conditions(true).for_tool(&admitted.manifest().budget);
        match rehearse(admitted.into_vetted(), &declared, &Troupe::new(self, false), &full, &mut |_, _| {})? {
            Ok(rehearsed) => {
                let evidence = Evidence { tools: rehearsed.tools(), ..full.evidence() };
                self.registry.approve(name, version, evidence, by)?;
                Ok(version)
            }
            Err(no) => Err(NotApproved::Refused { name: name.into(), findings: no.findings }),
        }
    }
}
