//! What the program says about a tool that was composed: as the assistant does it, on simulated instead of rehearsed
//! motions.

use minismith_composer::{Composed, is_correction};
use minismith_contract::{Contract, Verdict};
use minismith_score::Score;
use minismith_score::expects::{Expects, Measured};

/// What the program says about a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Claim {
    Right,
    /// Kept, and what is not shown is named.
    Partly,
    /// Not kept.
    Declined,
}

/// Measures expectations on the calls that they need.
pub fn measure(expects: &Expects, score: &Score) -> std::result::Result<Vec<Measured>, String> {
    score.measure_simulated(expects).map_err(|error| error.to_string())
}

/// Returns what does not hold.
pub fn deviations(measured: &[Measured]) -> Vec<String> {
    let failed = measured.iter().filter(|one| !one.held);
    failed.map(ToString::to_string).collect()
}

/// Returns what the program says about a composed tool, and why.
pub fn claim(request: &str, is_change: bool, composed: &Composed, score: &Score) -> (Claim, String) {
    // A correction says only what is different, so the assistant expects nothing of it; one that is not understood is
    // left to other ways.
    if is_change {
        if !is_correction(request) {
            return (Claim::Declined, "not taken for a correction".to_owned());
        }
        let claim = if composed.not_understood.is_empty() { Claim::Partly } else { Claim::Declined };
        return (claim, String::new());
    }
    let contract = Contract::from_request(request);
    if let [conflict, ..] = contract.conflicts() {
        return (Claim::Declined, conflict.clone());
    }
    let verdict = match measure(&contract.expectations(), score) {
        Ok(measured) => contract.verdict(&measured),
        Err(error) => return (Claim::Declined, error),
    };
    let left_out = composed.not_understood.iter().map(|(text, _)| text.clone()).collect();
    match verdict.without(left_out) {
        Verdict::Right => (Claim::Right, String::new()),
        Verdict::Partly { not_shown } => (Claim::Partly, format!("{not_shown:?}")),
        Verdict::Wrong { deviations } => (Claim::Declined, format!("{deviations:?}")),
    }
}
