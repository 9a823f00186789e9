//! The workshop: where a tool is drafted, read, rehearsed, reviewed and admitted.
//!
//! Reading order: [`finding`] (what a reader of a tool may say), [`submission`] (what is handed in), [`draft`] (the exact bytes of one tool), [`policy`]
//! (reads a draft and never runs it), [`cases`] and [`rehearsal`] (runs it on the mock), [`report`] (what was
//! measured), [`margins`] (what that left of the limits), [`mod@review`], [`mod@check`] (the whole way), [`manifest`]
//! (what is written beside an admitted tool), [`attachments`] (and for people: picture, page, recording), [`registry`]
//! (the shelf), [`usage`], [`search`] and [`semantics`], [`alike`], [`bundle`] (tools on their way to another shelf), [`kept`]
//! (what checks have found), [`lessons`] (what commissions were refused for), [`preview`] (what a call
//! would do, for people to look at), [`troupe`] (who acts on a stage). The proofs pass by value: `Draft`, `Vetted`,
//! `Rehearsed`, `Admissible`, `Admitted`.

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

/// A registry, a cage and the conditions of rehearsals.
pub struct Workshop {
    registry: Registry,
    cage: Box<dyn Cage + Send>,
    full: Conditions,
    unapproved_tool_scale: f64,
}

/// A tool that could not be approved.
#[derive(Debug, thiserror::Error)]
pub enum NotApproved {
    /// It is not on the shelf, or not as it was.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// It does not pass at full speed.
    #[error("{name} does not pass its rehearsal at full speed: {}", .findings.first().map(ToString::to_string).unwrap_or_default())]
    Refused {
        /// The tool.
        name: String,
        /// Why.
        findings: Vec<Finding>,
    },
    /// There is no rehearsal here.
    #[error(transparent)]
    Rehearsal(#[from] NoRehearsal),
}

impl Workshop {
    /// A workshop. `full` are the conditions for approved tools; others get its speeds and accelerations times
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

    /// The workshop that a configuration describes. The tool host is started by the first tool that needs it.
    ///
    /// # Errors
    /// When the shelf can't be opened.
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

    /// The shelf.
    #[must_use]
    pub const fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Where guests come from.
    #[must_use]
    pub fn cage(&self) -> &dyn Cage {
        &*self.cage
    }

    /// What a rehearsal shares with the performance: the full limits for approved tools, less for others.
    #[must_use]
    pub fn conditions(&self, approved: bool) -> Conditions {
        if approved {
            self.full.clone()
        } else {
            Conditions { limits: self.full.limits.scaled(self.unapproved_tool_scale), ..self.full.clone() }
        }
    }

    /// Takes a tool through policy, rehearsal and review; registers nothing.
    ///
    /// # Errors
    /// Only when no rehearsal can be held here.
    pub fn check(&self, submission: &Submission) -> Result<(Checked, Option<Admissible>), NoRehearsal> {
        self.check_watched(submission, &mut |_| {})
    }

    /// The same for somebody who hears how far it is.
    ///
    /// # Errors
    /// As [`Workshop::check`].
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

    /// Keeps a tool as a new version, with a picture, a page and a recording of it for people.
    ///
    /// # Errors
    /// When the name is taken by a predefined tool, or the shelf can't be written.
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

    /// Approves a version of a tool, or the one that is called: it is rehearsed at full speed first, since that is how
    /// it will move from then on. Says which one; `by` is who stands for it.
    ///
    /// # Errors
    /// When there is no such tool, or it does not pass at full speed.
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
