//! Turns the results of a rehearsal's cases into findings, for each case and for all together.

use std::collections::BTreeMap;

use firmware_bridge::joint::Joint;
use serde_json::{Map, Value};

use super::Act;
use super::run::Ran;
use crate::tool_run::{MAX_RECORDED_DATA, Outcome};
use crate::workshop::cases::Case;
use minismith_analysis::finding::{Finding, Verdict, most_severe};
use minismith_analysis::manifest::{Capability, Expectation, Verified};
use minismith_analysis::policy::PolicyChecked;
use minismith_analysis::report::PhysicalReport;
use minismith_analysis::samples;

/// Threshold for a finding about clamping, degrees.
pub(super) const MUCH_CLAMPED: f64 = 5.0;

/// Adds the findings of one case.
pub(super) fn judge(act: &Act<'_>, case: &Case, ran: &Ran, findings: &mut Vec<Finding>) {
    let function = case.function.as_ref().unwrap_or(&act.vetted.entry().name);
    let call = format!("{function}({})", describe(&samples::shown(&case.arguments)));
    let weight = if case.is_required { Verdict::Reject } else { Verdict::Pass };
    match (&ran.tool_run.outcome, &case.expect) {
        (Outcome::Stopped { limit, reason }, _) => {
            // A file of the maximum accepted size may exceed the tool's time or memory. This only produces a finding.
            let hostile =
                !matches!(limit.as_str(), "stage_seconds") && !samples::has_largest(&case.arguments);
            let verdict = if hostile { Verdict::Reject } else { weight };
            findings.push(finding(
                &format!("rehearsal-{}", limit.replace('_', "-")),
                verdict,
                format!("{call} was stopped: {reason}"),
                "stay within the budget in every call",
            ));
        }
        (Outcome::Raised { kind, .. }, Expectation::Raises { exception }) if kind == exception => {}
        (Outcome::Raised { kind, message, line }, Expectation::Anything) if !case.is_required => {
            if kind != "ValueError" {
                let mut found = finding(
                    "rehearsal-raises",
                    Verdict::Pass,
                    format!("{call} raises {kind}: {message}"),
                    "check arguments first and raise ValueError with what is allowed",
                );
                found.line = line.unwrap_or(1);
                findings.push(found);
            }
        }
        (Outcome::Raised { kind, message, line }, _) => {
            let mut found = finding(
                "rehearsal-raises",
                weight,
                format!("{call} raises {kind}: {message}"),
                "make this call work, or declare the exception as what the case expects",
            );
            found.line = line.unwrap_or(1);
            findings.push(found);
        }
        (Outcome::Returned { value }, expect) => {
            if let Some(complaint) = expect.complaint(value) {
                findings.push(finding(
                    "test-case-fails",
                    Verdict::Reject,
                    format!("{}: {call} {complaint}", case.name),
                    "mend the tool, or the test case if it is wrong",
                ));
            }
        }
    }
    if let (Some(motion), Outcome::Returned { .. }) = (&case.motion, &ran.tool_run.outcome) {
        for complaint in motion.complaints(&ran.cycles, ran.tool_run.duration.as_secs_f64()) {
            findings.push(finding(
                "test-case-fails",
                Verdict::Reject,
                format!("{}: in {call} {complaint}", case.name),
                motion_hint(&complaint),
            ));
        }
    }
}

/// Returns a hint for a motion that lacks something.
fn motion_hint(complaint: &str) -> &'static str {
    let stands = |joint: Joint| complaint == format!("{} does not move", joint.name());
    if stands(Joint::BodyYaw) {
        "turn the body with `body_yaw=math.radians(...)` in `goto_target`, or mend the test case if it is wrong"
    } else if stands(Joint::RightAntenna) || stands(Joint::LeftAntenna) {
        "move both with `antennas=[right, left]`, in radians, in `goto_target`, or mend the test case if it is wrong"
    } else {
        "mend the tool, or the test case if it is wrong"
    }
}

/// Adds the findings that need all cases.
pub(super) fn judge_whole(
    vetted: &PolicyChecked,
    report: &PhysicalReport,
    (worst_clamp, clamped_case): &(f64, String),
    recorded_data: usize,
    verified: &BTreeMap<String, Verified>,
    findings: &mut Vec<Finding>,
) {
    if most_severe(findings) == Verdict::Reject {
        return;
    }
    let moves = vetted.capabilities().contains(&Capability::Motion);
    if moves && report.max_displacement_deg < 0.5 {
        findings.push(finding(
            "moves-nothing",
            Verdict::NeedsApproval,
            "the tool asks for motion, but no joint moved by half a degree in any case".into(),
            "check its units: angles of create_head_pose are degrees, distances metres unless mm=True",
        ));
    }
    if recorded_data > MAX_RECORDED_DATA {
        findings.push(finding(
            "image-data",
            Verdict::NeedsApproval,
            format!(
                "it reads the camera or the microphones and then hands out {recorded_data} bytes, which could be an image or speech; \
                 a person must approve that"
            ),
            &format!("return, print and write at most {MAX_RECORDED_DATA} bytes: what was seen or heard instead of the recording"),
        ));
    }
    if *worst_clamp > MUCH_CLAMPED {
        findings.push(finding(
            "trimmed",
            Verdict::Pass,
            format!("the envelope clamped the motion by up to {worst_clamp} degrees (case {clamped_case:?})"),
            "move more slowly, or in smaller steps",
        ));
    }
    for (parameter, range) in verified {
        findings.push(finding(
            "range-narrowed",
            Verdict::Pass,
            format!("it is verified for {parameter} {range} only; beyond that a person must approve it"),
            "make calls at the ends of the range pass, or give the parameter a narrower range",
        ));
    }
    if !report.rests_at_end {
        findings.push(finding(
            "moving-at-end",
            Verdict::Pass,
            "the tool ends while the robot still moves".into(),
            "end with a goto_target",
        ));
    }
}

pub(super) fn finding(rule: &str, verdict: Verdict, reason: String, hint: &str) -> Finding {
    Finding { rule: rule.into(), module: None, line: 1, verdict, reason, hint: hint.into() }
}

fn describe(arguments: &Map<String, Value>) -> String {
    let words: Vec<_> = arguments.iter().map(|(name, value)| format!("{name}={value}")).collect();
    words.join(", ")
}
