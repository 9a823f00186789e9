//! Repeats one call of a tool from the start pose of an earlier run.
//!
//! It uses the same code, arguments and random seed, on a new simulated robot in virtual time.

use std::sync::Arc;

use firmware_bridge::joint::Joints;
use firmware_bridge::motion_log::LoggedCycle;
use serde_json::{Map, Value};

use super::run::run;
use super::{Act, GuestStarter, RehearsalError, RehearsalOptions, callees_of};
use crate::tool_run::Outcome;
use crate::workshop::cases::{Case, CaseSetup, MeasuredCall, SEED, Start};
use crate::workshop::stimuli::Stimulus;
use minismith_analysis::manifest::Expectation;
use minismith_analysis::policy::PolicyChecked;
use minismith_control::perception::ImageSearch;
use minismith_runtime::report::{ClampReport, clamp_reports};

/// The call to repeat.
#[derive(Clone, Debug)]
pub struct CallRequest {
    /// Function of a toolkit. `None` means the tool itself.
    pub function: Option<String>,
    /// Arguments of the call.
    pub arguments: Map<String, Value>,
    /// Start position of the motors.
    pub start: Joints,
    /// What happens around the robot. What can't be simulated does not happen; see
    /// [`not_simulated`](crate::workshop::stimuli::not_simulated).
    pub stimuli: Vec<Stimulus>,
}

/// The result of the repeated call.
#[derive(Clone, Debug)]
pub struct RepeatedCall {
    /// How the call ended.
    pub outcome: Outcome,
    /// SHA-256 of the stream of goal positions.
    pub command_digest: String,
    /// Duration in robot time, seconds.
    pub duration_s: f64,
    /// Goal and present positions of each cycle.
    pub cycles: Vec<LoggedCycle>,
    /// The same after the tool's end, until the robot has come to rest.
    pub settling: Vec<LoggedCycle>,
    /// When sounds were asked for, seconds of robot time.
    pub sounds: Vec<f64>,
    /// When camera frames were read, seconds of robot time.
    pub photos: Vec<f64>,
    /// Printed output.
    pub printed: String,
    /// Clamps by the envelope.
    pub clamps: Vec<ClampReport>,
}

/// Repeats a call in a rehearsal.
///
/// # Errors
/// Returns [`RehearsalError`] if no sandbox or simulated robot is available.
pub fn repeat_call(
    vetted: &PolicyChecked,
    call: &CallRequest,
    sandbox: &dyn GuestStarter,
    conditions: &RehearsalOptions,
) -> Result<RepeatedCall, RehearsalError> {
    let mut findings = Vec::new();
    let callees = callees_of(vetted, sandbox, &mut findings);
    let case = Case {
        name: "again".into(),
        function: call.function.clone(),
        is_required: true,
        is_repeat: false,
        corner: None,
        arguments: call.arguments.clone(),
        expect: Expectation::default(),
        motion: None,
        measured_for: Some(MeasuredCall::Default),
        on: CaseSetup { start: Start::At(call.start), stimuli: call.stimuli.clone(), ..CaseSetup::default() },
        seed: SEED,
    };
    let search = Arc::new(ImageSearch::new(conditions.models.clone()));
    let act = Act { vetted, callees: &callees, sandbox, conditions, search: &search, compared: false };
    let ran = run(&act, &case)?;
    Ok(RepeatedCall {
        command_digest: ran.report.command_digest.clone(),
        duration_s: minismith_runtime::report::round_for_display(ran.tool_run.duration.as_secs_f64()),
        clamps: clamp_reports(&ran.tool_run.clamps, conditions.period),
        outcome: ran.tool_run.outcome,
        printed: ran.tool_run.printed,
        cycles: ran.cycles,
        settling: ran.settling,
        sounds: ran.tool_run.sounds,
        photos: ran.tool_run.photos,
    })
}
