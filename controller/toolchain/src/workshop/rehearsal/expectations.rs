//! Measures what a tool's motion must do, on the calls that were made for it.

use std::time::Duration;

use minismith_analysis::finding::{Finding, Verdict, most_severe};
use minismith_analysis::motion_trace::motion_trace;
use minismith_score::expects::{Expects, Measured, Runs};
use minismith_score::{Event, EventSpan, MotionTrace};

use super::judge::finding;
use super::run::Ran;
use crate::tool_run::Outcome;
use crate::workshop::cases::{Case, MeasuredCall};

/// Name of the rule by which a tool is refused whose motion is not what was asked for.
pub const RULE: &str = "motion-differs";

/// The measured motions of one rehearsal.
#[derive(Default)]
pub(super) struct Motions {
    default: Option<MotionTrace>,
    with_parameter: Vec<(String, f64, MotionTrace)>,
    with_event: Vec<(Event, MotionTrace)>,
}

impl Motions {
    /// Takes the motion of a case that is measured and has returned; `period` is that of the cycles.
    pub fn take(&mut self, case: &Case, ran: &Ran, period: Duration) {
        let Some(call) = &case.measured_for else { return };
        if !matches!(ran.tool_run.outcome, Outcome::Returned { .. }) {
            return;
        }
        let mut motion = motion_trace(&[&ran.cycles[..], &ran.settling[..]].concat(), period);
        motion.sounds.clone_from(&ran.tool_run.sounds);
        motion.photos.clone_from(&ran.tool_run.photos);
        match call {
            MeasuredCall::Default => self.default = Some(motion),
            MeasuredCall::Parameter(name, value) => self.with_parameter.push((name.clone(), *value, motion)),
            MeasuredCall::Event(event) => {
                let to = motion.seconds();
                motion.events.push(EventSpan { event: event.clone(), from: 0.0, to });
                self.with_event.push((event.clone(), motion));
            }
        }
    }

    /// Measures the expectations, and adds a finding for each that does not hold. A tool that was refused for something
    /// else is not measured.
    pub fn measure(&self, expects: &Expects, findings: &mut Vec<Finding>) -> Vec<Measured> {
        let Some(default) = &self.default else { return Vec::new() };
        if most_severe(findings) == Verdict::Reject {
            return Vec::new();
        }
        let runs = Runs {
            default,
            with_parameter: self
                .with_parameter
                .iter()
                .map(|(name, value, motion)| (name.clone(), *value, motion))
                .collect(),
            with_event: self.with_event.iter().map(|(event, motion)| (event.clone(), motion)).collect(),
        };
        let measured = expects.measure_runs(&runs);
        for one in measured.iter().filter(|one| !one.held) {
            let (rule, verdict) = if one.is_measured() {
                (RULE, Verdict::Reject)
            } else {
                ("motion-not-measured", Verdict::Pass)
            };
            findings.push(finding(
                rule,
                verdict,
                format!("expected {}; measured: {}", one.expected, one.measured),
                "make the motion do what is expected, or correct the expectation if it is wrong",
            ));
        }
        measured
    }
}
