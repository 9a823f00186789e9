//! Runs a policy-checked tool on the simulated robot in virtual time, in many cases at once, and measures it.
//!
//! Each case gets a new sandboxed guest, a new simulated robot and a new clock. [`crate::tool_run::execute`] is the
//! same function that later moves the motors, with the same control loop, envelope and limits. A tool that fails in its
//! default call, its own test cases or its examples is refused. A failure in a generated call is only reported, and
//! narrows the range for which the tool counts as verified.
//!
//! Reading order: [`rehearse`], `run` (one case), `judge` (findings), `expectations` (the motion), `noise`, `touch`.

mod evidence;
mod expectations;
mod judge;
mod narrow;
mod noise;
mod repeated_call;
mod run;
mod touch;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use firmware_bridge::clock::{Clock, MonotonicClock};
use firmware_bridge::limits::Limits;
use firmware_bridge::motion_log::LoggedCycle;
use firmware_bridge::robot::RobotError;
use minismith_perception::models::Models;
use minismith_protocol::Job;
use minismith_protocol::zygote::Profile;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tracing::field::Empty;
use utoipa::ToSchema;

use self::narrow::narrowed;
use super::cases::{Case, MeasuredCall, cases_for};
use crate::guest::{Guest, GuestError, LazyHost};
use crate::tool_run::{CalleeInfo, Callees, Outcome, Permissions};
use minismith_analysis::digest::hex_sha256;
use minismith_analysis::files::{BadFile, Output};
use minismith_analysis::finding::{Finding, Verdict, most_severe};
use minismith_analysis::manifest::{Capability, Evidence, Verified};
use minismith_analysis::policy::signature::Entry;
use minismith_analysis::policy::{PolicyChecked, RULES_VERSION};
use minismith_analysis::report::PhysicalReport;
use minismith_analysis::samples;
use minismith_analysis::submission::Declared;
use minismith_control::perception::ImageSearch;
use minismith_runtime::logs::known;
use minismith_score::expects::Measured;

use self::expectations::{Motions, quiet_time};
use self::judge::{finding, judge, judge_whole};
use self::run::{Ran, run, run_all};

pub use super::cases::SEED;
pub use repeated_call::{CallRequest, RepeatedCall, repeat_call};

/// A source of guests.
pub trait GuestStarter: Sync {
    /// Returns a new guest with these libraries and resource limits.
    ///
    /// # Errors
    /// Returns an error if no guest can start, the libraries are not installed, or the sandbox is too weak.
    fn guest(
        &self,
        profile: Profile,
        limits: minismith_protocol::Limits,
    ) -> Result<Box<dyn Guest>, GuestError>;

    /// Returns the finder of the tools that a guest calls, or `None` if no other tool can be called.
    fn callees(&self) -> Option<&dyn Callees> {
        None
    }
}

impl GuestStarter for LazyHost {
    fn guest(
        &self,
        profile: Profile,
        limits: minismith_protocol::Limits,
    ) -> Result<Box<dyn Guest>, GuestError> {
        Ok(Box::new(self.host_of(profile)?.fork(limits)?))
    }
}

/// The conditions that all cases of a rehearsal share with the later run.
#[derive(Clone, Debug)]
pub struct RehearsalOptions {
    /// Limits of the robot, as in the later run.
    pub limits: Limits,
    /// Duration of one cycle.
    pub period: Duration,
    /// Robot time that a call may take, seconds.
    pub robot_time_s: f64,
    /// Resource limits of a guest.
    pub guest: minismith_protocol::Limits,
    /// Installed models, for the detection of faces in images.
    pub models: Models,
}

impl RehearsalOptions {
    /// Returns the number of cycles of the longest call, with a margin to come to rest.
    fn cycles(&self) -> usize {
        (self.robot_time_s / self.period.as_secs_f64().max(1e-3)) as usize + 1_000
    }

    /// What a rehearsal's result rests on; when any of it changes, the tool is rehearsed again.
    #[must_use]
    pub fn evidence(&self) -> Evidence {
        let body = evidence::text(&self.limits, self.period, self.robot_time_s);
        Evidence {
            rules: RULES_VERSION,
            limits_sha256: hex_sha256(body.as_bytes()),
            mock: mock_robot::MODEL.into(),
            tools: BTreeMap::new(),
        }
    }
}

/// The result of one case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct CaseResult {
    /// `default`, `own: NAME`, `corner: times=10`, `sweep: gain 0.7`, ...
    pub name: String,
    /// Arguments of the call.
    #[schema(value_type = Object)]
    pub arguments: Map<String, Value>,
    /// How the call ended.
    pub outcome: Outcome,
    /// Duration in robot time, seconds.
    #[serde(rename = "stage_s")]
    pub robot_time_s: f64,
    /// Files that the tool wrote. A rehearsal does not store them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<Output>,
}

/// A rehearsed tool, with the evidence. Only [`rehearse`] creates one.
#[derive(Debug)]
pub struct Rehearsed {
    vetted: PolicyChecked,
    findings: Vec<Finding>,
    report: PhysicalReport,
    cases: Vec<CaseResult>,
    cycles: Vec<LoggedCycle>,
    expectations: Vec<Measured>,
    callees: BTreeMap<String, CalleeInfo>,
    verified_ranges: BTreeMap<String, Verified>,
}

impl Rehearsed {
    /// Returns the tool.
    #[must_use]
    pub const fn vetted(&self) -> &PolicyChecked {
        &self.vetted
    }

    /// Returns the findings of policy and rehearsal.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Returns the measurements.
    #[must_use]
    pub const fn report(&self) -> &PhysicalReport {
        &self.report
    }

    /// Returns the results of the cases.
    #[must_use]
    pub fn cases(&self) -> &[CaseResult] {
        &self.cases
    }

    /// Returns the tool's capabilities, including those of the tools that it calls.
    #[must_use]
    pub fn capabilities(&self) -> BTreeSet<Capability> {
        let lent = self.callees.values().flat_map(|about| &about.capabilities);
        self.vetted.capabilities().iter().chain(lent).copied().collect()
    }

    /// Returns the tools that it calls, with the hashes of their code.
    #[must_use]
    pub fn tools(&self) -> BTreeMap<String, String> {
        self.callees.iter().map(|(name, about)| (name.clone(), about.sha256.clone())).collect()
    }

    /// Returns the parameter values for which the tool is verified, if that is not their whole range.
    #[must_use]
    pub const fn verified_ranges(&self) -> &BTreeMap<String, Verified> {
        &self.verified_ranges
    }

    /// Returns what was measured of the expectations about the motion.
    #[must_use]
    pub fn expectations(&self) -> &[Measured] {
        &self.expectations
    }

    /// Returns every cycle of the first case: the goals and the present positions.
    #[must_use]
    pub fn cycles(&self) -> &[LoggedCycle] {
        &self.cycles
    }
}

/// A tool that did not pass its rehearsal.
#[derive(Debug)]
pub struct RehearsalFailed {
    /// Findings, including the reasons for the refusal.
    pub findings: Vec<Finding>,
    /// Measurements so far.
    pub report: Option<PhysicalReport>,
    /// Results of the cases so far.
    pub cases: Vec<CaseResult>,
    /// What was measured of the expectations about the motion.
    pub expectations: Vec<Measured>,
    /// Motion of the default call.
    pub cycles: Vec<LoggedCycle>,
}

impl RehearsalFailed {
    fn before_any_case(findings: Vec<Finding>) -> Self {
        RehearsalFailed {
            findings,
            report: None,
            cases: Vec::new(),
            expectations: Vec::new(),
            cycles: Vec::new(),
        }
    }
}

/// The finding about a tool whose libraries are not installed.
pub(super) const NO_LIBRARIES: &str = "missing-library";

/// The reason why a rehearsal could not run.
#[derive(Debug, thiserror::Error)]
pub enum RehearsalError {
    /// No guest could start.
    #[error(transparent)]
    Guest(#[from] GuestError),
    /// The simulated robot failed.
    #[error("the mock robot failed: {0}")]
    Mock(#[from] RobotError),
    /// A sample file is missing.
    #[error("a file for the rehearsal is missing: {0}")]
    Sample(#[from] BadFile),
    /// A case panicked, which is a bug.
    #[error("the rehearsal of case {case:?} broke by a bug of this program; please report it with the tool")]
    Bug {
        /// Name of the case.
        case: String,
    },
}

/// Rehearses a tool: its default call first, then all other cases in parallel.
///
/// `watch` receives the number of finished calls and the total.
///
/// # Errors
/// The outer error means that no sandbox or simulated robot is available. The inner error means that the tool does not
/// pass.
pub fn rehearse(
    vetted: PolicyChecked,
    declared: &Declared,
    sandbox: &dyn GuestStarter,
    conditions: &RehearsalOptions,
    watch: &mut dyn FnMut(usize, usize),
) -> Result<Result<Rehearsed, RehearsalFailed>, RehearsalError> {
    let span =
        known(tracing::info_span!("rehearsal", id = Empty, tool = vetted.name(), cases = Empty)).entered();
    let clock = MonotonicClock::start();
    let mut findings = vetted.findings().to_vec();
    let callees = callees_of(&vetted, sandbox, &mut findings);
    findings.extend(strangers(&vetted, declared));
    if most_severe(&findings) == Verdict::Reject {
        return Ok(Err(RehearsalFailed::before_any_case(findings)));
    }
    let search = Arc::new(ImageSearch::new(conditions.models.clone()));
    let mut act =
        Act { vetted: &vetted, callees: &callees, sandbox, conditions, search: &search, compared: false };
    let (mut results, mut verified) = (Vec::new(), BTreeMap::new());
    let mut cases = cases_for(&vetted, declared, &conditions.models);
    let of = cases.len();
    let first = cases.remove(0);
    watch(0, of);
    let ran = match run(&act, &first) {
        Err(RehearsalError::Guest(GuestError::NoLibraries { reason })) => {
            let hint = "do without scipy and cv2 (numpy is always there), or install them with `make code`";
            findings.push(finding(NO_LIBRARIES, Verdict::Reject, reason, hint));
            return Ok(Err(RehearsalFailed::before_any_case(findings)));
        }
        ran => ran?,
    };
    watch(1, of);
    // A call ends by itself only if its source was read as the policy read it.
    act.compared = !matches!(ran.tool_run.outcome, Outcome::Stopped { .. });
    judge(&act, &first, &ran, &mut findings);
    let mut report = ran.report.clone();
    let default_clamp = report.max_clamp_deg;
    let mut max_clamped = (default_clamp, first.name.clone());
    let mut recorded_data = ran.tool_run.recorded_data();
    let mut lines = ran.tool_run.lines.clone();
    let mut motions = Motions::default();
    motions.take(&first, &ran, conditions.period);
    results.push(result(&first, &ran));
    // A reaction can be told from what the tool does anyway if the event happens while it does nothing else.
    let quiet_s = quiet_time(&ran.cycles, conditions.period);
    for case in cases.iter_mut().filter(|case| matches!(case.measured_for, Some(MeasuredCall::Event(_)))) {
        let stimuli = std::mem::take(&mut case.on.stimuli);
        case.on.stimuli = stimuli.into_iter().map(|one| one.moved_to(quiet_s)).collect();
    }
    if most_severe(&findings) < Verdict::Reject {
        for (case, ran) in run_all(&act, &cases, &mut |done| watch(1 + done, of))? {
            judge(&act, &case, &ran, &mut findings);
            motions.take(&case, &ran, conditions.period);
            narrow(&act, &case, &ran, default_clamp, &mut verified);
            if case.is_repeat && ran.report.command_digest != report.command_digest {
                findings.push(finding(
                    "not-deterministic",
                    Verdict::Reject,
                    "the same call with the same seed moved the robot differently".into(),
                    "do not depend on anything but the arguments, the clock and the seeded random numbers",
                ));
            }
            if ran.report.max_clamp_deg > max_clamped.0 {
                max_clamped = (ran.report.max_clamp_deg, case.name.clone());
            }
            recorded_data = recorded_data.max(ran.tool_run.recorded_data());
            report.worst_of(&ran.report);
            report.unverified_ranges.extend(narrowed(
                &case.name,
                &ran.tool_run.outcome,
                ran.report.max_clamp_deg,
            ));
            for (module, more) in &ran.tool_run.lines {
                lines.entry(module.clone()).or_default().extend(more);
            }
            results.push(result(&case, &ran));
        }
    }
    let expectations = motions.measure(&declared.expects, &vetted, &conditions.models, &mut findings);
    judge_whole(&vetted, &report, &max_clamped, recorded_data, &verified, &mut findings);
    report.line_coverage = coverage(&vetted, &lines);
    span.record("cases", i64::try_from(results.len()).unwrap_or(i64::MAX));
    report.wall_s = minismith_runtime::report::round_for_display(clock.now().seconds());
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.verdict));
    if most_severe(&findings) == Verdict::Reject {
        let (report, cycles) = (Some(report), ran.cycles);
        return Ok(Err(RehearsalFailed { findings, report, cases: results, expectations, cycles }));
    }
    Ok(Ok(Rehearsed {
        vetted,
        findings,
        report,
        cases: results,
        cycles: ran.cycles,
        expectations,
        callees,
        verified_ranges: verified,
    }))
}

/// The state that all cases of one rehearsal share.
struct Act<'a> {
    vetted: &'a PolicyChecked,
    callees: &'a BTreeMap<String, CalleeInfo>,
    sandbox: &'a dyn GuestStarter,
    conditions: &'a RehearsalOptions,
    /// The images of all calls are searched together.
    search: &'a Arc<ImageSearch>,
    /// Whether a guest's parse of these sources was compared with the policy's in this rehearsal.
    ///
    /// Once is enough. A guest reports its parse before the tool's code runs. The same interpreter parses the same
    /// bytes, which the draft holds unchanged until the last case. Another guest could only report the same again. The
    /// flag does not outlive this rehearsal, and the guest that moves the motors is always compared again.
    compared: bool,
}

/// Returns the tools that this one calls. A missing tool, or a call of itself, refuses it.
fn callees_of(
    vetted: &PolicyChecked,
    sandbox: &dyn GuestStarter,
    findings: &mut Vec<Finding>,
) -> BTreeMap<String, CalleeInfo> {
    let mut known = BTreeMap::new();
    for name in vetted.tools() {
        let about = match sandbox.callees() {
            _ if name.split('.').next() == Some(vetted.name()) => Err("a tool can't call itself".to_owned()),
            Some(callees) => callees.callee_info(name),
            None => Err("no other tool can be called here".to_owned()),
        };
        match about {
            Ok(about) => drop(known.insert(name.clone(), about)),
            Err(complaint) => findings.push(finding(
                "unknown-tool",
                Verdict::Reject,
                format!("it calls {name:?}: {complaint}"),
                "call a tool that `minismith tool list` shows, or add that one first",
            )),
        }
    }
    known
}

/// Returns findings for declarations whose function is missing or whose arguments do not fit. They are mistakes of the
/// author.
fn strangers(vetted: &PolicyChecked, declared: &Declared) -> Vec<Finding> {
    let examples = declared.examples.iter().map(|it| ("an example", &it.function));
    let tests = declared.test_cases.iter().map(|it| (it.name.as_str(), &it.function));
    let unknown = tests.chain(examples).filter_map(|(what, function)| {
        let name = function.as_deref().filter(|name| vetted.entry_of(Some(name)).is_none())?;
        let known: Vec<&str> = vetted.entries().map(|entry| entry.name.as_str()).collect();
        Some(finding(
            "unknown-function",
            Verdict::Reject,
            format!("{what} is for the function {name:?}, which is not there"),
            &format!("there are: {}", known.join(", ")),
        ))
    });
    unknown.collect()
}

/// Narrows the verified range of a parameter to its usual value if a call at the end of the range fails.
///
/// A call fails if it is stopped, raises an exception, or is clamped more than the usual one.
fn narrow(
    act: &Act<'_>,
    case: &Case,
    ran: &Ran,
    default_clamp: f64,
    verified: &mut BTreeMap<String, Verified>,
) {
    let sound = match &ran.tool_run.outcome {
        Outcome::Returned { .. } => ran.report.max_clamp_deg <= default_clamp.max(judge::MUCH_CLAMPED),
        // A tool that rejects a value with `ValueError` is as good as one that accepts it.
        Outcome::Raised { kind, .. } => kind == "ValueError",
        Outcome::Stopped { .. } => false,
    };
    let Some((parameter, entry)) = case.corner.as_ref().zip(act.vetted.entry_of(case.function.as_deref()))
    else {
        return;
    };
    let tried = case.arguments.get(parameter).and_then(Value::as_f64);
    let schema = entry.parameters_schema();
    let usual = schema
        .pointer(&format!("/properties/{parameter}"))
        .map(|schema| schema.get("default").cloned().unwrap_or_else(|| super::cases::plain_value(schema)));
    let (false, Some(tried), Some(usual)) = (sound, tried, usual.as_ref().and_then(Value::as_f64)) else {
        return;
    };
    let name = match &case.function {
        Some(function) => format!("{function}.{parameter}"),
        None => parameter.clone(),
    };
    let range = verified.entry(name).or_default();
    if tried > usual {
        range.max = Some(range.max.map_or(usual, |most| most.min(usual)));
    } else {
        range.min = Some(range.min.map_or(usual, |least| least.max(usual)));
    }
}

/// Returns the job of a policy-checked tool. Its date is fixed in a rehearsal and current in a real run.
#[must_use]
pub fn job(
    vetted: &PolicyChecked,
    entry: &Entry,
    arguments: &Map<String, Value>,
    coverage: bool,
    limits: minismith_protocol::Limits,
) -> Job {
    Job {
        source: vetted.draft().source().to_owned(),
        modules: vetted.draft().others().cloned().unwrap_or_default(),
        module: vetted.draft().name().to_owned(),
        entry: entry.name.clone(),
        takes_robot: entry.takes_robot,
        arguments: arguments.clone(),
        seed: SEED,
        coverage,
        now: 0,
        epoch: EPOCH,
        limits,
        files: Vec::new(),
        output_parameter: entry.outputs.as_ref().map(|(parameter, _)| parameter.clone()),
        interactive: false,
        skip_comparison: false,
    }
}

/// Returns the permissions of a policy-checked tool, for rehearsals and real runs. `lends` bounds the tools that it
/// calls.
#[must_use]
pub fn permit<'a>(
    vetted: &PolicyChecked,
    entry: &Entry,
    lends: BTreeSet<Capability>,
    callees: Option<&'a dyn Callees>,
    robot_time_s: f64,
) -> Permissions<'a> {
    Permissions {
        capabilities: vetted.capabilities().clone(),
        facts: Some(vetted.facts().clone()),
        robot_time_s,
        outputs: entry.outputs.as_ref().map(|(_, declared)| declared.clone()),
        tools: vetted.tools().clone(),
        delegable: lends,
        callees,
        depth: 0,
        max_recorded_data: None,
    }
}

/// System time at a tool's first message in a rehearsal: 1 January 2026, 12:00 UTC.
const EPOCH: f64 = 1_767_268_800.0;

fn result(case: &Case, ran: &Ran) -> CaseResult {
    CaseResult {
        name: case.name.clone(),
        arguments: samples::shown(&case.arguments),
        outcome: ran.tool_run.outcome.clone(),
        robot_time_s: minismith_runtime::report::round_for_display(ran.tool_run.duration.as_secs_f64()),
        outputs: ran.tool_run.outputs.iter().map(Output::listed).collect(),
    }
}

/// Returns the share of executed lines among all lines with statements, over all modules.
fn coverage(vetted: &PolicyChecked, lines: &BTreeMap<String, BTreeSet<u32>>) -> f64 {
    let (mut executable, mut ran) = (0, 0);
    for (module, statements) in vetted.statement_lines() {
        executable += statements.len();
        ran += lines.get(module).map_or(0, |lines| statements.intersection(lines).count());
    }
    if executable == 0 {
        1.0
    } else {
        minismith_runtime::report::round_for_display(ran as f64 / executable as f64)
    }
}
