//! Repeats one call of a tool from the start pose of an earlier run.
//!
//! It uses the same code, arguments and random seed, on a new simulated robot in virtual time.

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

/// The call to repeat.
#[derive(Clone, Debug)]
pub struct Call {
    /// Function of a toolkit. `None` means the tool itself.
    pub function: Option<String>,
    /// Arguments of the call.
    pub arguments: Map<String, Value>,
    /// Start position of the motors.
    pub start: Joints,
}

/// The result of the repeated call.
#[derive(Clone, Debug)]
pub struct Again {
    /// How the call ended.
    pub outcome: Outcome,
    /// SHA-256 of the stream of goal positions.
    pub command_digest: String,
    /// Duration in robot time, seconds.
    pub took_s: f64,
    /// Goal and present positions of each cycle.
    pub beats: Vec<Beat>,
    /// Printed output.
    pub printed: String,
    /// Clamps by the envelope.
    pub trims: Vec<TrimView>,
}

/// Repeats a call in a rehearsal.
///
/// # Errors
/// Returns [`NoRehearsal`] if no sandbox or simulated robot is available.
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
