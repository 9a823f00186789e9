//! Has a conversation make the tool of each case, runs it in a rehearsal, and judges what was measured.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use firmware_bridge::clock::{Clock, MonotonicClock};
use firmware_bridge::motion_log::LoggedCycle;
use firmware_bridge::posture::Posture;
use minismith_analysis::motion_trace::measured_postures;
use minismith_analysis::policy::PolicyChecked;
use minismith_assistant::conversation::{Conversation, Mind, Reply};
use minismith_contract::Verdict as Claim;
use minismith_control::robot::{RobotRuntime, initial_joints, models_of};
use minismith_language_model::Client;
use minismith_motion_checks::axis::Direction;
use minismith_motion_checks::cases::{Arguments, Case, Level, Outcome, Stimulus as Shown};
use minismith_motion_checks::judge::{RunKey, judge, runs, stimulus_events};
use minismith_motion_checks::trace::{EventKind, Sample, StimulusKind, Trace, TraceEvent};
use minismith_perception::models::Models;
use minismith_runtime::config::{Config, Predefined, RobotChoice};
use minismith_toolchain::tool_run::Outcome as Ended;
use minismith_toolchain::workshop::Workshop;
use minismith_toolchain::workshop::rehearsal::{CallRequest, GuestStarter, RehearsalOptions, repeat_call};
use minismith_toolchain::workshop::stimuli::{Event, Side, Stimulus, not_simulated};
use minismith_toolchain::workshop::tool_runtime::ToolRuntime;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// What became of a request, by the case's own checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Judged {
    /// The tool does what was asked for; or nothing was made of a request that has to be declined.
    Right,
    /// The tool does something else, and was stored as right.
    WrongAsRight,
    /// The tool was stored with a note of what is not shown, and does not do everything.
    Partly,
    /// Nothing was stored.
    Declined,
    /// A tool was stored, but the simulation can't show what the case is about: no photographs or models are installed.
    NotJudged,
}

/// The result of one case.
#[derive(Clone, Debug, Serialize)]
pub struct CaseResult {
    /// The case.
    pub id: String,
    /// Its group.
    pub group: String,
    /// Whether the case was kept aside while tuning.
    pub unseen: bool,
    /// What became of the request.
    pub judged: Judged,
    /// What the program claims: `right`, `partly`, `declined`.
    pub claim: &'static str,
    /// Duration from the request to the answer, seconds.
    pub seconds: f64,
    /// Tokens that a language model wrote; 0 without one.
    pub tokens: u64,
    /// What was said; none for an unseen case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// The checks that failed; none for an unseen case.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<String>,
}

/// Runs each case in a registry of its own, on the simulated robot.
///
/// # Errors
/// Fails when no robot, no registry or no sandbox can be set up here.
pub fn run(
    config: &Config,
    cases: &[Case],
    progress: &dyn Fn(&CaseResult),
) -> anyhow::Result<Vec<CaseResult>> {
    let mut results = Vec::new();
    for case in cases {
        let folder = tempfile::tempdir().context("cannot make a folder for the tools")?;
        let result = run_case(config, case, folder.path())?;
        progress(&result);
        results.push(result);
    }
    Ok(results)
}

fn run_case(config: &Config, case: &Case, folder: &Path) -> anyhow::Result<CaseResult> {
    let predefined = Predefined::InTools;
    let config = Config { robot: RobotChoice::Mock, tools: folder.to_owned(), predefined, ..config.clone() };
    let workshop = Workshop::open(&config)?;
    let robot = RobotRuntime::open(&config.robot, &config)?;
    let mut conversation = Conversation::new(&robot, &workshop).searching_with(&config.models);
    if let Some(client) = Client::configured(&config)? {
        conversation = conversation.thinking_with(Mind::new(&config, Box::new(client)));
    }
    let mut measured = BTreeMap::new();
    if let Some(before) = &case.before {
        let reply = conversation.hear(before);
        measure(case, &reply, &workshop, &mut measured, &|key| *key == RunKey::Before)?;
    }
    let clock = MonotonicClock::start();
    let reply = conversation.hear(&case.request);
    let seconds = clock.now().seconds();
    measure(case, &reply, &workshop, &mut measured, &|key| *key != RunKey::Before)?;
    let made = reply.tool.as_ref().filter(|tool| tool.version.is_some() && tool.code.is_some());
    let claim = match made.map(|tool| tool.verdict.as_ref()) {
        None => "declined",
        Some(Some(Claim::Right)) => "right",
        Some(_) => "partly",
    };
    let verdict = judge(case, &measured);
    let models = models_of(&config);
    let judged = match (case.outcome, claim) {
        (Outcome::Declined, "declined") => Judged::Right,
        (Outcome::Declined, "right") => Judged::WrongAsRight,
        (Outcome::Declined, _) => Judged::Partly,
        (_, "declined") => Judged::Declined,
        _ if verdict.is_right() => Judged::Right,
        _ if runs(case).iter().any(|run| !can_show(run.shown, &models)) => Judged::NotJudged,
        (_, "right") => Judged::WrongAsRight,
        _ => Judged::Partly,
    };
    let failed = verdict.failed().map(|(run, finding)| format!("{run}: {finding}"));
    Ok(CaseResult {
        id: case.id.clone(),
        group: format!("{:?}", case.group).to_lowercase(),
        unseen: case.unseen,
        judged,
        claim,
        seconds: minismith_runtime::report::round_for_display(seconds),
        tokens: reply.spent.as_ref().map_or(0, |spent| spent.answer_tokens),
        answer: (!case.unseen).then(|| reply.text.clone()),
        failed: if case.unseen { Vec::new() } else { failed.collect() },
    })
}

/// Measures the runs of a case that a tool that was just made can serve.
fn measure(
    case: &Case,
    reply: &Reply,
    workshop: &Workshop,
    measured: &mut BTreeMap<RunKey, Trace>,
    wanted: &dyn Fn(&RunKey) -> bool,
) -> anyhow::Result<()> {
    let made = reply.tool.as_ref().filter(|tool| tool.version.is_some() && tool.code.is_some());
    let Some(tool) = made else { return Ok(()) };
    let accepted = workshop.registry().load(&tool.name, tool.version)?;
    for run in runs(case).into_iter().filter(|run| wanted(&run.key)) {
        let arguments = match run.arguments {
            None => Some(Map::new()),
            Some(roles) => arguments_for(roles, &accepted.manifest().parameters),
        };
        let Some(arguments) = arguments else { continue };
        let conditions = workshop.conditions(true).for_tool(&accepted.manifest().budget);
        let runtime = ToolRuntime::new(workshop, false);
        if let Some(trace) = measured_run(accepted.checked(), arguments, run.shown, &runtime, &conditions)? {
            measured.insert(run.key, trace);
        }
    }
    Ok(())
}

/// Calls a tool while stimuli are shown, and returns what was measured. `None` if the call did not return, or if the
/// stimuli can't be simulated: then the run fails its checks.
pub(super) fn measured_run(
    tool: &PolicyChecked,
    arguments: Map<String, Value>,
    shown: &[Shown],
    runtime: &dyn GuestStarter,
    conditions: &RehearsalOptions,
) -> anyhow::Result<Option<Trace>> {
    if !can_show(shown, &conditions.models) {
        return Ok(None);
    }
    let stimuli = shown.iter().map(simulated).collect();
    let call = CallRequest { function: None, arguments, start: initial_joints(), stimuli };
    let ran = repeat_call(tool, &call, runtime, conditions)?;
    if !matches!(ran.outcome, Ended::Returned { .. }) {
        return Ok(None);
    }
    let mut trace = trace(&[&ran.cycles[..], &ran.settling[..]].concat(), conditions.period);
    let event = |kind: EventKind| move |at_s: &f64| TraceEvent { at_s: *at_s, kind: kind.clone() };
    trace.events.extend(ran.sounds.iter().map(event(EventKind::Sound)));
    trace.events.extend(ran.photos.iter().map(event(EventKind::Photo)));
    trace.events.extend(stimulus_events(shown));
    trace.events.sort_by(|one, other| one.at_s.total_cmp(&other.at_s));
    Ok(Some(trace))
}

/// Returns a stimulus as the rehearsal simulates it.
fn simulated(shown: &Shown) -> Stimulus {
    let event = match shown.kind {
        StimulusKind::Face => Event::Face,
        StimulusKind::Voice => Event::Voice,
        StimulusKind::Clap => Event::Clap,
        StimulusKind::Touch => Event::Touch,
    };
    let side = match shown.side {
        Some(Direction::Left) => Side::Left,
        Some(Direction::Right) => Side::Right,
        _ => Side::Ahead,
    };
    Stimulus { event, from_s: shown.from, to_s: shown.to, side }
}

/// Returns whether the simulation can show these stimuli.
fn can_show(shown: &[Shown], models: &Models) -> bool {
    shown.iter().map(|one| simulated(one).event).all(|event| not_simulated(&event, models).is_none())
}

/// Finds the parameter of each role by its name; none if one has none.
fn arguments_for(roles: &Arguments, schema: &Value) -> Option<Map<String, Value>> {
    let properties = schema.get("properties")?.as_object()?;
    let named = |names: &[&str]| -> Option<(String, Value)> {
        let is_exact = |name: &&String| names.contains(&name.as_str());
        let is_close = |name: &&String| names.iter().any(|known| name.contains(known));
        let name = properties.keys().find(is_exact).or_else(|| properties.keys().find(is_close))?;
        Some((name.clone(), properties.get(name)?.clone()))
    };
    let mut arguments = Map::new();
    let mut give = |names: &[&str], value: &dyn Fn(&str, &Value) -> Value| -> Option<()> {
        let (name, schema) = named(names)?;
        let value = value(&name, &schema);
        arguments.insert(name, value);
        Some(())
    };
    // A parameter that the request names itself: `bow_to(depth)`.
    let others: Vec<&String> =
        properties.keys().filter(|name| !matches!(name.as_str(), "times" | "speed" | "seconds")).collect();
    let only_other = if let [only] = others.as_slice() { Some(only.as_str()) } else { None };
    let number = |number: f64| {
        move |_: &str, schema: &Value| {
            if schema.get("type") == Some(&json!("integer")) {
                json!(number.round() as i64)
            } else {
                json!(number)
            }
        }
    };
    if let Some(times) = roles.times {
        give(&["times", "count", "repetitions", "repeats", "rounds", "number"], &number(f64::from(times)))?;
    }
    if let Some(degrees) = roles.degrees {
        give(&["degrees", "angle", "deg"], &number(degrees))
            .or_else(|| only_other.and_then(|name| give(&[name], &number(degrees))))?;
    }
    if let Some(millimetres) = roles.millimetres {
        give(&["millimetres", "millimeters", "mm", "distance", "height"], &number(millimetres))?;
    }
    if let Some(seconds) = roles.seconds {
        give(&["seconds", "duration", "pause", "hold", "wait", "time_s"], &number(seconds))?;
    }
    if let Some(side) = roles.side {
        let side = format!("{side:?}").to_lowercase();
        give(&["side", "direction"], &move |_, _| json!(side))?;
    }
    let level = |level: Level, inverted: bool| {
        move |_: &str, schema: &Value| {
            let bound = |key: &str| schema.get(key).and_then(Value::as_f64);
            let (low, high) = (bound("minimum").unwrap_or(0.5), bound("maximum").unwrap_or(2.0));
            let share = if (level == Level::High) == inverted { 0.1 } else { 0.9 };
            number(low + (high - low) * share)("", schema)
        }
    };
    if let Some(size) = roles.size {
        give(&["size", "amplitude", "how_far", "degrees", "angle"], &level(size, false))?;
    }
    if let Some(speed) = roles.speed {
        give(&["speed", "tempo", "beats"], &level(speed, false))
            .or_else(|| give(&["seconds", "duration"], &level(speed, true)))?;
    }
    Some(arguments)
}

/// Returns the trace of these cycles, by forward kinematics of the measured positions.
fn trace(cycles: &[LoggedCycle], period: Duration) -> Trace {
    let (period_s, postures) = measured_postures(cycles, period);
    let samples = postures.map(|posture| sample_of(&posture));
    Trace { period_s, samples: samples.collect(), events: Vec::new() }
}

/// Returns a posture as the checks read it.
pub(in crate::bench) fn sample_of(posture: &Posture) -> Sample {
    let at = posture.head.0.translation.vector * 1000.0;
    let angles = posture.head.angles();
    Sample {
        head_x_mm: at.x,
        head_y_mm: at.y,
        head_z_mm: at.z,
        head_roll_deg: angles.roll.degrees(),
        head_pitch_deg: angles.pitch.degrees(),
        head_yaw_deg: angles.yaw.degrees(),
        body_yaw_deg: posture.body_yaw.degrees(),
        right_antenna_deg: posture.antennas.right.degrees(),
        left_antenna_deg: posture.antennas.left.degrees(),
    }
}

/// Returns a table: what became of the requests, by group, apart for the unseen half.
#[must_use]
pub fn table(brain: &str, results: &[CaseResult]) -> String {
    let mut lines = vec![format!(
        "{:<16} {:>6} {:>6} {:>15} {:>7} {:>9} {:>11} {:>9} {:>9}",
        brain, "cases", "right", "wrong as right", "partly", "declined", "not judged", "median s", "tokens"
    )];
    let mut line = |name: &str, of: Vec<&CaseResult>| {
        let count = |judged| of.iter().filter(|one| one.judged == judged).count();
        let mut seconds: Vec<f64> = of.iter().map(|one| one.seconds).collect();
        seconds.sort_by(f64::total_cmp);
        let median = seconds.get(seconds.len() / 2).copied().unwrap_or_default();
        let tokens: u64 = of.iter().map(|one| one.tokens).sum();
        lines.push(format!(
            "{name:<16} {:>6} {:>6} {:>15} {:>7} {:>9} {:>11} {median:>9.2} {tokens:>9}",
            of.len(),
            count(Judged::Right),
            count(Judged::WrongAsRight),
            count(Judged::Partly),
            count(Judged::Declined),
            count(Judged::NotJudged),
        ));
    };
    let mut groups: Vec<&str> = results.iter().map(|one| one.group.as_str()).collect();
    groups.dedup();
    for group in groups {
        line(group, results.iter().filter(|one| one.group == group).collect());
    }
    line("seen", results.iter().filter(|one| !one.unseen).collect());
    line("unseen", results.iter().filter(|one| one.unseen).collect());
    line("all", results.iter().collect());
    let right = |one: &&CaseResult| one.judged == Judged::Right;
    let agree = results.iter().filter(|one| (one.claim == "right") == right(one)).count();
    lines.push(format!("the derived contract agrees with the checks in {agree} of {} cases", results.len()));
    lines.join("\n")
}
