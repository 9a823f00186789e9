//! The measured tools and their submissions.

use minismith_analysis::draft::Draft;
use minismith_analysis::policy::{self, PolicyChecked};

use super::Failed;

/// A tool of the benchmark.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tool {
    /// Its module and entry function.
    pub(super) name: &'static str,
    /// Its source.
    pub(super) source: &'static str,
}

/// Gotos in sequence: looks down and up.
pub(super) const NOD: Tool =
    Tool { name: "nod_politely", source: include_str!("../../../tests/support/bench/nod_politely.py") };

/// A stream of 50 targets per second: swings the antennas.
pub(super) const WAVE: Tool =
    Tool { name: "wave", source: include_str!("../../../tests/support/bench/wave.py") };

/// Sixty lines: ten seconds of gotos, sensing and a stream of targets.
pub(super) const LOOK_ABOUT: Tool =
    Tool { name: "look_about", source: include_str!("../../../tests/support/bench/look_about.py") };

/// Returns a value and does nothing else.
pub(super) const TRIVIAL: Tool = Tool {
    name: "answer",
    source: "def answer() -> int:\n    \"\"\"Tell a number.\n\n    Returns:\n        The number.\n    \"\"\"\n    return 42\n",
};

impl Tool {
    /// Checks it against the policy.
    pub(super) fn vet(self) -> Result<PolicyChecked, Failed> {
        let refused = |findings: &dyn std::fmt::Debug| Failed(format!("{}: {findings:?}", self.name));
        let draft = Draft::read(self.name, self.source.as_bytes()).map_err(|findings| refused(&findings))?;
        policy::vet(draft).map_err(|no| refused(&no.findings()))
    }
}
