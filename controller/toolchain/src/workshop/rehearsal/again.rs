//! One call of a tool, rehearsed once more from where a performance began: the same code, arguments and chance, on a fresh
//! mock in virtual time.

use firmware_bridge::joint::Joints;
use firmware_bridge::trace::Beat;
use serde_json::{Map, Value};

use super::run::run;
use super::{Act, Cage, Conditions, NoRehearsal, callees_of};
use crate::performance::Outcome;
use crate::workshop::cases::{Case, Circumstances, SEED, Start};
use minismith_analysis::manifest::Expectation;
use minismith_analysis::policy::Vetted;
use minismith_runtime::outcome::{TrimView, trims};

/// The call.
#[derive(Clone, Debug)]
pub struct Call {
    /// Which function of a toolkit; none means the tool itself.
    pub function: Option<String>,
    /// What it was called with.
    pub arguments: Map<String, Value>,
    /// Where the body stood.
    pub start: Joints,
}

/// What came of it this time.
#[derive(Clone, Debug)]
pub struct Again {
    /// How it ended.
    pub outcome: Outcome,
    /// SHA-256 of the stream of goal positions.
    pub command_digest: String,
    /// Stage seconds.
    pub took_s: f64,
    /// What was commanded and measured.
    pub beats: Vec<Beat>,
    /// What it printed.
    pub printed: String,
    /// What the envelope took off.
    pub trims: Vec<TrimView>,
}

/// Rehearses a call once more.
///
/// # Errors
/// [`NoRehearsal`], when there is no cage or no body.
pub fn again(
    vetted: &Vetted,
    call: &Call,
    cage: &dyn Cage,
    conditions: &Conditions,
) -> Result<Again, NoRehearsal> {
    let mut findings = Vec::new();
    let callees = callees_of(vetted, cage, &mut findings);
    let case = Case {
        name: "again".into(),
        function: call.function.clone(),
        must_pass: true,
        again: false,
        corner: None,
        arguments: call.arguments.clone(),
        expect: Expectation::default(),
        motion: None,
        on: Circumstances { start: Start::At(call.start), ..Circumstances::default() },
        seed: SEED,
    };
    let act = Act { vetted, callees: &callees, cage, conditions, compared: false };
    let ran = run(&act, &case)?;
    Ok(Again {
        command_digest: ran.report.command_digest.clone(),
        took_s: minismith_runtime::outcome::tidy(ran.performance.took.as_secs_f64()),
        trims: trims(&ran.performance.trims, conditions.period),
        outcome: ran.performance.outcome,
        printed: ran.performance.printed,
        beats: ran.beats,
    })
}
