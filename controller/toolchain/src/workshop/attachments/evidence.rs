//! The evidence section of a tool's page: what was rehearsed, measured and found.

use std::collections::BTreeMap;

use firmware_bridge::joint::Joint;

use super::markdown::{Page, Subject, called, ended};
use super::markdown_escape::prose;
use super::xml::short;
use crate::tool_run::Outcome;
use crate::workshop::rehearsal::CaseResult;
use minismith_analysis::finding::Verdict;
use minismith_analysis::report::PhysicalReport;

/// Maximum number of calls that did not return and are listed one by one.
const MAX_LISTED_CALLS: usize = 8;
/// Maximum number of clamps that are listed one by one.
const MAX_LISTED_CLAMPS: usize = 12;

/// Writes the section.
pub fn write(page: &mut Page, subject: &Subject<'_>) {
    let manifest = subject.manifest;
    let evidence = &manifest.evidence;
    page.line(format_args!(
        "* Rules of version {}; limits, cycle time and budget with the hash {}; {}.",
        evidence.rules,
        prose(evidence.limits_sha256.get(..12).unwrap_or(&evidence.limits_sha256)),
        prose(&evidence.mock)
    ));
    match &manifest.report {
        None => page.line("* It was not rehearsed."),
        Some(report) => measured(page, subject, report),
    }
    page.blank();
    if let Some(report) = &manifest.report {
        joints(page, subject, report);
        clamps(page, report);
    }
    calls(page, &manifest.name, subject.cases);
    page.line("### What was found");
    page.blank();
    if manifest.findings.is_empty() {
        page.paragraph("Nothing.");
    }
    for finding in &manifest.findings {
        let weight = match finding.verdict {
            Verdict::Pass => "advice",
            Verdict::NeedsApproval => "a person must look",
            Verdict::Reject => "refuses",
        };
        let words = prose(&format!("{}; {}", finding.reason, finding.hint));
        page.line(format_args!("* line {}, {} ({weight}): {words}", finding.line, prose(&finding.rule)));
    }
    page.blank();
}

fn measured(page: &mut Page, subject: &Subject<'_>, report: &PhysicalReport) {
    page.line(format_args!(
        "* {} calls rehearsed; {} % of the executable lines ran; {} s of wall time.",
        report.cases,
        short(report.line_coverage * 100.0),
        short(report.wall_s)
    ));
    page.line(format_args!(
        "* The default call takes {} s in {} cycles of {} ms{}.",
        short(report.duration_s),
        report.cycles,
        short(subject.conditions.period.as_secs_f64() * 1e3),
        if report.rests_at_end { "; all calls end at rest" } else { "; some call ends in motion" }
    ));
    page.line(format_args!(
        "* At most in one call: {} images read, {} words printed, {} MB of memory, {} s of processor.",
        report.frames,
        report.spoken_words,
        report.peak_memory_bytes.div_ceil(1 << 20),
        short(report.cpu_s)
    ));
    if let Some(head) = &report.head_margins {
        page.line(format_args!(
            "* The head came up to {}° of tilt and {}° of yaw to the body. Left of its limits: pitch {}°, roll {}°, \
             yaw to the body {}°, steadiness {}.",
            short(report.peak_head_tilt_deg),
            short(report.peak_relative_yaw_deg),
            short(head.pitch_deg),
            short(head.roll_deg),
            short(head.relative_yaw_deg),
            short(head.singularity_margin)
        ));
    }
    for narrowed in &report.unverified_ranges {
        page.line(format_args!("* Not vouched for: {} ({}).", prose(&narrowed.call), prose(&narrowed.why)));
    }
}

fn joints(page: &mut Page, subject: &Subject<'_>, report: &PhysicalReport) {
    page.paragraph("Greatest values in all calls, and what was left of the limits:");
    page.table(&[
        "motor",
        "speed °/s",
        "left",
        "acceleration °/s²",
        "left",
        "jerk °/s³",
        "left",
        "range left °",
        "lag °",
    ]);
    for joint in Joint::ALL {
        let Some(measured) = report.joints.get(joint.name()) else { continue };
        let margin = |of: fn(&minismith_analysis::margins::JointMargins) -> f64| {
            measured.margins.as_ref().map_or_else(String::new, |margins| format!("{:.0}", of(margins)))
        };
        page.row(&[
            joint.name().into(),
            format!("{:.0}", measured.peak_speed_dps),
            margin(|margins| margins.speed_dps),
            format!("{:.0}", measured.peak_acceleration_dps2),
            margin(|margins| margins.acceleration_dps2),
            margin(|margins| margins.peak_jerk_dps3),
            margin(|margins| margins.jerk_dps3),
            short(measured.min_limit_margin_deg),
            short(measured.max_tracking_error_deg),
        ]);
    }
    page.blank();
    let speeds = subject.conditions.limits.joints.map(|limit| limit.max_velocity.degrees());
    page.paragraph(format_args!(
        "Rehearsed with at most {:.0}°/s for the body, {:.0}°/s for the legs and {:.0}°/s for the antennas.",
        speeds[Joint::BodyYaw],
        speeds[Joint::Stewart1],
        speeds[Joint::RightAntenna]
    ));
}

fn clamps(page: &mut Page, report: &PhysicalReport) {
    if report.clamps.is_empty() {
        return page.paragraph("The default call was not clamped.");
    }
    page.table(&["clamped motor", "limit", "from s", "to s", "at most °", "cycles"]);
    for clamp in report.clamps.iter().take(MAX_LISTED_CLAMPS) {
        page.row(&[
            prose(&clamp.joint),
            prose(&clamp.cause),
            short(clamp.from_s),
            short(clamp.to_s),
            short(clamp.worst_deg),
            clamp.cycles.to_string(),
        ]);
    }
    page.blank();
    more(page, report.clamps.len(), MAX_LISTED_CLAMPS);
}

/// The calls by their kind, and those that did not return.
fn calls(page: &mut Page, name: &str, cases: &[CaseResult]) {
    let mut kinds: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    for case in cases {
        let kind = case.name.split(':').next().unwrap_or_default();
        let [returned, raised, stopped] = kinds.entry(kind).or_default();
        *match case.outcome {
            Outcome::Returned { .. } => returned,
            Outcome::Raised { .. } => raised,
            Outcome::Stopped { .. } => stopped,
        } += 1;
    }
    if kinds.is_empty() {
        return;
    }
    page.table(&["kind of call", "returned", "raised", "stopped"]);
    for (kind, [returned, raised, stopped]) in kinds {
        page.row(&[prose(kind), returned.to_string(), raised.to_string(), stopped.to_string()]);
    }
    page.blank();
    let others: Vec<&CaseResult> =
        cases.iter().filter(|case| !matches!(case.outcome, Outcome::Returned { .. })).collect();
    for case in others.iter().take(MAX_LISTED_CALLS) {
        let call = called(name, None, &case.arguments);
        page.line(format_args!("* {}: {call} {}", prose(&case.name), ended(&case.outcome)));
    }
    if !others.is_empty() {
        page.blank();
    }
    more(page, others.len(), MAX_LISTED_CALLS);
}

fn more(page: &mut Page, all: usize, reported: usize) {
    if all > reported {
        page.paragraph(format_args!("And {} more.", all - reported));
    }
}
