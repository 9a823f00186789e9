//! The workshop: where a tool is drafted, read, rehearsed, reviewed and admitted.
//!
//! Reading order: [`finding`] (what a reader of a tool may say), [`draft`] (the exact bytes of one tool), [`policy`]
//! (reads a draft and never runs it), [`cases`] and [`rehearsal`] (runs it on the mock), [`report`] (what was
//! measured), [`review`], [`check`] (the whole way), [`manifest`] (what is written beside an admitted tool),
//! [`registry`] (the shelf). The proofs pass by value: `Draft`, `Vetted`, `Rehearsed`, `Admissible`, `Admitted`.

pub mod arguments;
pub mod cases;
pub mod check;
pub mod draft;
pub mod finding;
pub mod manifest;
pub mod policy;
pub mod registry;
pub mod rehearsal;
pub mod report;
pub mod review;

use check::{Checked, check};
use manifest::{Provenance, TestCase};
use registry::Registry;
use rehearsal::{Cage, Conditions, NoRehearsal};
use review::Admissible;

/// A registry, a cage and the conditions of a rehearsal.
pub struct Workshop {
    registry: Registry,
    cage: Box<dyn Cage + Send>,
    conditions: Conditions,
}

impl Workshop {
    /// A workshop. `conditions` hold the limits for tools that no person has approved yet.
    #[must_use]
    pub fn new(registry: Registry, cage: Box<dyn Cage + Send>, conditions: Conditions) -> Self {
        Workshop { registry, cage, conditions }
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

    /// What a rehearsal shares with the performance.
    #[must_use]
    pub const fn conditions(&self) -> &Conditions {
        &self.conditions
    }

    /// Takes a tool's bytes through policy, rehearsal and review; registers nothing.
    ///
    /// # Errors
    /// Only when no rehearsal can be held here.
    pub fn check(
        &self,
        stem: &str,
        bytes: &[u8],
        tests: &[TestCase],
        origin: Provenance,
    ) -> Result<(Checked, Option<Admissible>), NoRehearsal> {
        check(stem, bytes, tests, origin, self.cage(), &self.conditions)
    }
}
