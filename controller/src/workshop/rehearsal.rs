//! Runs a vetted tool on the mock in virtual time, in many cases at once, and measures what it does.
//!
//! Each case gets a fresh caged guest, a fresh mock and a fresh clock; [`crate::performance::perform`] is the same
//! function that later moves the motors, with the same pulse, envelope and limits. A tool that fails in its default
//! call, its own test cases or its examples is refused; what fails only in generated corners is told.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use firmware_bridge::clock::{Clock, VirtualClock, WallClock};
use firmware_bridge::joint::Joints;
use firmware_bridge::kinematics::joints_from_posture;
use firmware_bridge::limits::Limits;
use firmware_bridge::posture::{HeadPose, Posture, RollPitchYaw};
use firmware_bridge::pulse::Pulse;
use firmware_bridge::robot::RobotFault;
use firmware_bridge::trace::{Beat, Trace, Traced};
use firmware_bridge::units::Radians;
use minismith_wire::Job;
use mock_robot::robot::MockRobot;
use mock_robot::scene::Scene;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::cases::{Case, Start, cases_for};
use super::draft::hex_sha256;
use super::finding::{Finding, Verdict, heaviest};
use super::manifest::{Capability, Evidence, Expectation, TestCase};
use super::policy::{RULES_VERSION, Vetted};
use super::report::{PhysicalReport, measure};
use crate::guest::{Guest, GuestFault};
use crate::performance::{Outcome, Performance, Permit, perform};
use crate::stage::Stage;

/// Where guests come from.
pub trait Cage: Sync {
    /// A fresh guest that may use this much of the machine.
    ///
    /// # Errors
    /// When none can be had, or none that is caged well enough.
    fn guest(&self, limits: minismith_wire::Limits) -> Result<Box<dyn Guest>, GuestFault>;
}

/// What every case of a rehearsal shares with the performance.
#[derive(Clone, Copy, Debug)]
pub struct Conditions {
    /// The body's limits, as the performance will have them.
    pub limits: Limits,
    /// The time of one beat.
    pub period: Duration,
    /// Stage seconds that a call may take.
    pub stage_seconds: f64,
    /// What a guest may use of the machine.
    pub guest: minismith_wire::Limits,
}

impl Conditions {
    /// The beats that the longest call takes, and some to come to rest.
    fn beats(&self) -> usize {
        (self.stage_seconds / self.period.as_secs_f64().max(1e-3)) as usize + 1_000
    }

    /// What a rehearsal's result rests on; when any of it changes, the tool is rehearsed again.
    #[must_use]
    pub fn evidence(&self) -> Evidence {
        let body = format!("{:?} {:?} {}", self.limits, self.period, self.stage_seconds);
        Evidence {
            rules: RULES_VERSION,
            limits_sha256: hex_sha256(body.as_bytes()),
            mock: mock_robot::MODEL.into(),
        }
    }
}

/// How one case went.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaseResult {
    /// `default`, `own: NAME`, `corner: times=10`, `sweep: gain 0.7`, ...
    pub name: String,
    /// What the tool was called with.
    pub arguments: Map<String, Value>,
    /// How it ended.
    pub outcome: Outcome,
    /// Stage seconds it took.
    pub stage_s: f64,
}

/// A tool that has been rehearsed, with the evidence. Only [`rehearse`] makes one.
#[derive(Debug)]
pub struct Rehearsed {
    vetted: Vetted,
    findings: Vec<Finding>,
    report: PhysicalReport,
    cases: Vec<CaseResult>,
    beats: Vec<Beat>,
}

impl Rehearsed {
    /// The tool.
    #[must_use]
    pub const fn vetted(&self) -> &Vetted {
        &self.vetted
    }

    /// What policy and rehearsal found.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// What was measured.
    #[must_use]
    pub const fn report(&self) -> &PhysicalReport {
        &self.report
    }

    /// How the cases went.
    #[must_use]
    pub fn cases(&self) -> &[CaseResult] {
        &self.cases
    }

    /// Every beat of the first case: what was commanded, and where the body was.
    #[must_use]
    pub fn beats(&self) -> &[Beat] {
        &self.beats
    }
}

/// A tool that did not pass its rehearsal.
#[derive(Debug)]
pub struct NotRehearsed {
    /// What was found, the reasons for the refusal among it.
    pub findings: Vec<Finding>,
    /// What was measured so far.
    pub report: Option<PhysicalReport>,
    /// How the cases went so far.
    pub cases: Vec<CaseResult>,
}

/// A rehearsal that could not be held at all.
#[derive(Debug, thiserror::Error)]
pub enum NoRehearsal {
    /// No guest.
    #[error(transparent)]
    Guest(#[from] GuestFault),
    /// No mock.
    #[error("the mock robot failed: {0}")]
    Mock(#[from] RobotFault),
    /// A bug.
    #[error("the rehearsal of case {case:?} broke by a bug of this program; please report it with the tool")]
    Bug {
        /// The case.
        case: String,
    },
}

/// What running one case gave.
struct Ran {
    performance: Performance,
    report: PhysicalReport,
    beats: Vec<Beat>,
}

/// Rehearses a tool: its default call first, then everything else at once.
///
/// # Errors
/// The outer error when there is no cage or no mock here; the inner one when the tool does not pass.
pub fn rehearse(
    vetted: Vetted,
    own: &[TestCase],
    cage: &dyn Cage,
    conditions: &Conditions,
) -> Result<Result<Rehearsed, NotRehearsed>, NoRehearsal> {
    let clock = WallClock::start();
    let mut findings = vetted.findings().to_vec();
    let mut results = Vec::new();
    let mut cases = cases_for(&vetted, own);
    let first = cases.remove(0);
    let ran = run(&vetted, &first, cage, conditions)?;
    judge(&vetted, &first, &ran, &mut findings);
    let mut report = ran.report.clone();
    let mut most_trimmed = (report.worst_trim_deg, first.name.clone());
    let mut lines = ran.performance.lines.clone();
    results.push(result(&first, &ran));
    if heaviest(&findings) < Verdict::Refuse {
        for (case, ran) in run_all(&vetted, &cases, cage, conditions)? {
            judge(&vetted, &case, &ran, &mut findings);
            if case.again && ran.report.command_digest != report.command_digest {
                findings.push(finding(
                    "not-deterministic",
                    Verdict::Refuse,
                    "the same call with the same seed moved the robot differently".into(),
                    "do not depend on anything but the arguments, the clock and the seeded random numbers",
                ));
            }
            if ran.report.worst_trim_deg > most_trimmed.0 {
                most_trimmed = (ran.report.worst_trim_deg, case.name.clone());
            }
            report.worst_of(&ran.report);
            for (module, more) in &ran.performance.lines {
                lines.entry(module.clone()).or_default().extend(more);
            }
            results.push(result(&case, &ran));
        }
    }
    judge_whole(&vetted, &report, &most_trimmed, &mut findings);
    report.line_coverage = coverage(&vetted, &lines);
    report.wall_s = crate::outcome::tidy(clock.now().seconds());
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.verdict));
    if heaviest(&findings) == Verdict::Refuse {
        return Ok(Err(NotRehearsed { findings, report: Some(report), cases: results }));
    }
    Ok(Ok(Rehearsed { vetted, findings, report, cases: results, beats: ran.beats }))
}

/// Runs cases side by side, one worker for each processor; results keep the cases' order.
fn run_all(
    vetted: &Vetted,
    cases: &[Case],
    cage: &dyn Cage,
    conditions: &Conditions,
) -> Result<Vec<(Case, Ran)>, NoRehearsal> {
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(cases.len().max(1));
    let queue = Mutex::new(cases.iter().enumerate());
    let done = Mutex::new(Vec::with_capacity(cases.len()));
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let next = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
                    let Some((place, case)) = next else { break };
                    // A bug ends its case, not the controller.
                    let ran = catch_unwind(AssertUnwindSafe(|| run(vetted, case, cage, conditions)))
                        .unwrap_or_else(|_| Err(NoRehearsal::Bug { case: case.name.clone() }));
                    done.lock().unwrap_or_else(PoisonError::into_inner).push((place, case.clone(), ran));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(place, ..)| *place);
    done.into_iter().map(|(_, case, ran)| Ok((case, ran?))).collect()
}

fn run(vetted: &Vetted, case: &Case, cage: &dyn Cage, conditions: &Conditions) -> Result<Ran, NoRehearsal> {
    let trace = Trace::with_room_for(conditions.beats());
    let robot = Traced::new(MockRobot::new(start_joints(case.start), case.variation), trace.clone());
    let pulse = Pulse::new(robot, VirtualClock::new(), conditions.limits, conditions.period)?;
    let mut stage = Stage::new(Box::new(pulse), Arc::new(Scene::default()));
    stage.torque(Joints::all(true));
    let _still = trace.take();
    let mut guest = cage.guest(conditions.guest)?;
    let performance = perform(
        &mut *guest,
        job(vetted, &case.arguments, true, conditions.guest),
        &mut stage,
        &permit(vetted, conditions.stage_seconds),
    );
    drop(guest);
    if let Outcome::Stopped { limit, reason } = &performance.outcome
        && matches!(limit.as_str(), "no_host" | "uncaged")
    {
        // The tool has no part in that.
        return Err(GuestFault::NoHost { reason: reason.clone() }.into());
    }
    let beats = trace.take();
    let mut report = measure(&beats, &conditions.limits, conditions.period);
    report.duration_s = performance.took.as_secs_f64();
    report.frames = performance.frames;
    report.printed = performance.printed.len() as u64;
    for (_, count) in performance.trims.0.iter() {
        if let Some(count) = count {
            report.trimmed_beats = report.trimmed_beats.max(u64::from(count.beats));
            report.worst_trim_deg = report.worst_trim_deg.max(crate::outcome::tidy(count.worst.degrees()));
        }
    }
    Ok(Ran { performance, report, beats })
}

/// What a vetted tool is run with: in rehearsal as it is, in performance with the day's own date.
#[must_use]
pub fn job(
    vetted: &Vetted,
    arguments: &Map<String, Value>,
    coverage: bool,
    limits: minismith_wire::Limits,
) -> Job {
    Job {
        source: vetted.draft().source().to_owned(),
        module: vetted.draft().name().to_owned(),
        entry: vetted.entry().name.clone(),
        takes_robot: vetted.entry().takes_robot,
        arguments: arguments.clone(),
        seed: SEED,
        coverage,
        now: 0,
        epoch: EPOCH,
        limits,
        modules: vetted.draft().others().cloned().unwrap_or_default(),
        files: Vec::new(),
    }
}

/// What a vetted tool may do, in rehearsal and in performance.
#[must_use]
pub fn permit(vetted: &Vetted, stage_seconds: f64) -> Permit {
    Permit { capabilities: vetted.capabilities().clone(), facts: Some(vetted.facts().clone()), stage_seconds }
}

/// Seeds every source of chance in a tool: the same in rehearsal and performance, so that both move alike.
const SEED: u64 = 0x6d69_6e69;

/// What a tool's calendar shows at its first word in a rehearsal: 1 January 2026, 12:00 UTC.
const EPOCH: f64 = 1_767_268_800.0;

fn start_joints(start: Start) -> Joints {
    let mut posture = Posture::init();
    match start {
        Start::Neutral => {}
        Start::Turned => {
            posture.body_yaw = Radians::from_degrees(40.0);
            posture.head = HeadPose::new(
                0.0,
                0.0,
                0.0,
                RollPitchYaw { yaw: Radians::from_degrees(55.0), ..RollPitchYaw::default() },
            );
        }
        Start::Low => {
            posture.head = HeadPose::new(
                0.005,
                0.0,
                -0.02,
                RollPitchYaw {
                    pitch: Radians::from_degrees(15.0),
                    roll: Radians::from_degrees(-8.0),
                    ..RollPitchYaw::default()
                },
            );
        }
    }
    joints_from_posture(&posture).unwrap_or_default()
}

fn result(case: &Case, ran: &Ran) -> CaseResult {
    CaseResult {
        name: case.name.clone(),
        arguments: case.arguments.clone(),
        outcome: ran.performance.outcome.clone(),
        stage_s: crate::outcome::tidy(ran.performance.took.as_secs_f64()),
    }
}

/// What one case's outcome means for the tool.
fn judge(vetted: &Vetted, case: &Case, ran: &Ran, findings: &mut Vec<Finding>) {
    let call = format!("{}({})", vetted.entry().name, describe(&case.arguments));
    let weight = if case.must_pass { Verdict::Refuse } else { Verdict::Admit };
    match (&ran.performance.outcome, &case.expect) {
        (Outcome::Stopped { limit, reason }, _) => {
            let hostile = !matches!(limit.as_str(), "stage_seconds");
            let verdict = if hostile { Verdict::Refuse } else { weight };
            findings.push(finding(
                &format!("rehearsal-{}", limit.replace('_', "-")),
                verdict,
                format!("{call} was stopped: {reason}"),
                "stay within the budget in every call",
            ));
        }
        (Outcome::Raised { kind, .. }, Expectation::Raises { exception }) if kind == exception => {}
        (Outcome::Raised { kind, message, line }, Expectation::Anything) if !case.must_pass => {
            if kind != "ValueError" {
                let mut found = finding(
                    "rehearsal-raises",
                    Verdict::Admit,
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
                    Verdict::Refuse,
                    format!("{}: {call} {complaint}", case.name),
                    "mend the tool, or the test case if it is wrong",
                ));
            }
        }
    }
}

/// What only all cases together can tell.
fn judge_whole(
    vetted: &Vetted,
    report: &PhysicalReport,
    (worst_trim, trimmed_case): &(f64, String),
    findings: &mut Vec<Finding>,
) {
    if heaviest(findings) == Verdict::Refuse {
        return;
    }
    let moves = vetted.capabilities().contains(&Capability::Motion);
    if moves && report.greatest_move_deg < 0.5 {
        findings.push(finding(
            "moves-nothing",
            Verdict::Ask,
            "the tool asks for motion, but no joint moved by half a degree in any case".into(),
            "check its units: angles of create_head_pose are degrees, distances metres unless mm=True",
        ));
    }
    if *worst_trim > 5.0 {
        findings.push(finding(
            "trimmed",
            Verdict::Admit,
            format!("the envelope held the robot back by up to {worst_trim} degrees (case {trimmed_case:?})"),
            "move more slowly, or in smaller steps",
        ));
    }
    if !report.rests_at_end {
        findings.push(finding(
            "moving-at-end",
            Verdict::Admit,
            "the tool ends while the robot still moves".into(),
            "end with a goto_target",
        ));
    }
}

fn finding(rule: &str, verdict: Verdict, reason: String, hint: &str) -> Finding {
    Finding { rule: rule.into(), module: None, line: 1, verdict, reason, hint: hint.into() }
}

fn describe(arguments: &Map<String, Value>) -> String {
    let words: Vec<_> = arguments.iter().map(|(name, value)| format!("{name}={value}")).collect();
    words.join(", ")
}

/// The share of the entry's lines with statements that ran.
fn coverage(vetted: &Vetted, lines: &BTreeMap<String, BTreeSet<u32>>) -> f64 {
    let (mut executable, mut ran) = (0, 0);
    for (module, statements) in vetted.statement_lines() {
        executable += statements.len();
        ran += lines.get(module).map_or(0, |lines| statements.intersection(lines).count());
    }
    if executable == 0 { 1.0 } else { crate::outcome::tidy(ran as f64 / executable as f64) }
}
