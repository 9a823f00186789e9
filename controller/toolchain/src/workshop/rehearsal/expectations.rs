//! Measures what a tool's motion must do, on the calls that were made for it.

use std::time::Duration;

use firmware_bridge::motion_log::LoggedCycle;
use minismith_analysis::finding::{Finding, Verdict, most_severe};
use minismith_analysis::motion_trace::motion_trace;
use minismith_analysis::policy::PolicyChecked;
use minismith_perception::models::Models;
use minismith_score::expects::{Expects, Measured, Runs};
use minismith_score::{Event, MotionTrace};

use super::judge::finding;
use super::run::Ran;
use crate::tool_run::Outcome;
use crate::workshop::cases::{Case, EARLIEST_EVENT_S, MeasuredCall};
use crate::workshop::stimuli::{Stimulus, not_simulated};

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
                motion.events.extend(case.on.stimuli.iter().map(Stimulus::span));
                self.with_event.push((event.clone(), motion));
            }
        }
    }

    /// Measures the expectations, and adds a finding for each that does not hold. A tool that was refused for something
    /// else is not measured.
    pub fn measure(
        &self,
        expects: &Expects,
        vetted: &PolicyChecked,
        models: &Models,
        findings: &mut Vec<Finding>,
    ) -> Vec<Measured> {
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
            let (rule, verdict, hint) = if one.is_measured() {
                (
                    RULE,
                    Verdict::Reject,
                    "make the motion do what is expected, or correct the expectation if it is wrong"
                        .to_owned(),
                )
            } else {
                ("motion-not-measured", Verdict::Pass, unmeasured_hint(expects, models))
            };
            let reason = format!("expected {}; measured: {}", one.expected, one.measured);
            let line = definition_line(vetted);
            findings.push(Finding { line, ..finding(rule, verdict, reason, &hint) });
        }
        measured
    }
}

/// Returns the line that defines the tool, from 1: that is what the expectations are about.
fn definition_line(vetted: &PolicyChecked) -> u32 {
    let head = format!("def {}(", vetted.entry().name);
    let is_head = |line: &str| line.strip_prefix("async ").unwrap_or(line).starts_with(&head);
    let position = vetted.draft().source().lines().position(is_head);
    position.and_then(|position| u32::try_from(position + 1).ok()).unwrap_or(1)
}

/// Returns why calls for the expectations could not be made.
fn unmeasured_hint(expects: &Expects, models: &Models) -> String {
    let reasons: Vec<String> = expects
        .events()
        .iter()
        .filter_map(|event| Some(format!("{}: {}", event.describe(), not_simulated(event, models)?)))
        .collect();
    if reasons.is_empty() {
        "the call in which it would show did not return".to_owned()
    } else {
        format!("the rehearsal can't simulate this; {}", reasons.join("; "))
    }
}

/// Time for which the robot must be at rest before an event, seconds: a servo lags, and a touch is only noticed at rest.
const REST_BEFORE_EVENT_S: f64 = 1.0;

/// Returns a time in the longest interval in which a call commands no motion, seconds from its start.
pub(super) fn quiet_time(cycles: &[LoggedCycle], period: Duration) -> f64 {
    let (mut longest, mut current) = ((0, 0), (0, 0));
    for (index, (one, next)) in cycles.iter().zip(cycles.iter().skip(1)).enumerate() {
        if one.goal == next.goal {
            current.1 += 1;
        } else {
            current = (index + 1, 0);
        }
        if current.1 > longest.1 {
            longest = current;
        }
    }
    let (start, length) = longest;
    let [start_s, length_s] = [start, length].map(|cycles| cycles as f64 * period.as_secs_f64());
    if length_s > REST_BEFORE_EVENT_S { start_s + REST_BEFORE_EVENT_S } else { EARLIEST_EVENT_S }
}

#[cfg(test)]
mod tests {
    use super::*;
    use firmware_bridge::joint::Joints;
    use firmware_bridge::units::Radians;

    #[test]
    fn event_happens_in_the_longest_rest() {
        let cycle =
            |angle: f64| LoggedCycle { goal: Joints::all(Radians(angle)), present: Joints::default() };
        let period = Duration::from_millis(10);
        let moving = |cycles: u32| (0..cycles).map(|number| cycle(f64::from(number)));
        let resting = |cycles: usize| std::iter::repeat_n(cycle(-1.0), cycles);
        let quiet = |cycles: Vec<LoggedCycle>| quiet_time(&cycles, period);
        // Half a second of rest, half a second of motion, then five seconds of rest and motion again.
        let call = resting(50).chain(moving(50)).chain(resting(500)).chain(moving(50));
        assert!((quiet(call.collect()) - 2.0).abs() < 0.02);
        assert!((quiet(resting(2_000).collect()) - 1.0).abs() < 1e-9);
        // A call that never rests, and one that ends at once.
        assert!((quiet(moving(900).collect()) - EARLIEST_EVENT_S).abs() < 1e-9);
        assert!((quiet(Vec::new()) - EARLIEST_EVENT_S).abs() < 1e-9);
    }
}
