//! The sentences of `tests/cases/sentences/`: whether what would move is what was meant.
//!
//! Each sentence takes the way of a conversation: the stop words, the grammar with its dialog context, the model on this
//! computer as second reader if it is configured, and the planner of motions. The planned setpoints, by forward kinematics,
//! are judged by the checks of the case. Nobody and nothing is in view, and questions get no answer.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use anyhow::Context as _;
use firmware_bridge::clock::{Clock, MonotonicClock};
use firmware_bridge::joint::Joints;
use firmware_bridge::kinematics::{joints_from_posture, posture_from_joints};
use firmware_bridge::limits::Limits;
use firmware_bridge::motion::{Motion, PlanRules};
use firmware_bridge::posture::{HeadPose, Posture};
use minismith_assistant::agents::robot_control::motions_of;
use minismith_assistant::agents::spoken::{SpokenPart, spoken_parts};
use minismith_assistant::conversation::dry_run::{may_be_commands, understood};
use minismith_assistant::second_reader::{SecondReading, second_reading};
use minismith_language_model::client::Client;
use minismith_language_model::{Model as _, Watch};
use minismith_motion_checks::sentences::{Judgement, Sentence, Wanted, parse};
use minismith_motion_checks::trace::{EventKind, Trace, TraceEvent};
use minismith_nlu::{Aim, DialogContext, Intent, Known, PastTurn, Sight, Understanding, is_stop};
use minismith_runtime::config::{Config, Nlu};
use minismith_runtime::report::TurnOutcome;
use serde::Serialize;

use super::authoring::harness::sample_of;
use super::rounds::quantile;

/// The time between two setpoints, as in the default configuration.
const PERIOD: Duration = Duration::from_millis(10);
/// How long everything rests after a motion, seconds.
const SETTLING_SECONDS: f64 = 0.6;

/// What became of the sentences of one file in one group.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Sum {
    /// Sentences.
    pub cases: u32,
    /// What was meant was done.
    pub right: u32,
    /// Nothing was done.
    pub declined: u32,
    /// Something else was done.
    pub wrong: u32,
    /// Of the declined ones, those with a question about what the model on this computer read.
    pub asked: u32,
    /// Of these, those where a yes does what was meant.
    pub asked_right: u32,
}

/// The result of a file.
#[derive(Clone, Debug, Serialize)]
pub struct FileResult {
    /// The name of the file without its ending: `de_unseen`.
    pub name: String,
    /// By group.
    pub groups: BTreeMap<String, Sum>,
    /// All groups together.
    pub all: Sum,
    /// What went wrong with each sentence that is not right; none for a file of unseen sentences.
    pub failures: Vec<String>,
}

/// All results.
#[derive(Clone, Debug, Serialize)]
pub struct Results {
    /// By file.
    pub files: Vec<FileResult>,
    /// The time to understand a sentence that 99 of 100 keep, milliseconds.
    pub p99_ms: f64,
    /// The median time of the model on this computer for a sentence, seconds; none without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_s: Option<f64>,
    /// Likewise, what 9 of 10 sentences keep.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_p90_s: Option<f64>,
}

/// Says all sentences of the files in a folder.
///
/// # Errors
/// Fails when a file cannot be read.
pub fn run(config: &Config, folder: &Path) -> anyhow::Result<Results> {
    let model = (config.nlu == Nlu::Local).then(|| Client::local(config));
    let mut measured = Measured { model, times: Vec::new(), model_times: Vec::new() };
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .with_context(|| format!("cannot read {}", folder.display()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "yaml"))
        .collect();
    paths.sort();
    let mut files = Vec::new();
    for path in paths {
        let text =
            std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let cases = parse(&text).with_context(|| path.display().to_string())?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        files.push(judged(&name, &cases, &mut measured)?);
    }
    let Measured { mut times, mut model_times, .. } = measured;
    let p99_ms = quantile(&mut times, 0.99).unwrap_or_default();
    let (model_s, model_p90_s) = (quantile(&mut model_times, 0.5), quantile(&mut model_times, 0.9));
    Ok(Results { files, p99_ms, model_s, model_p90_s })
}

/// The model, if one reads, and the times so far.
struct Measured {
    model: Option<Client>,
    /// Of the grammar, milliseconds.
    times: Vec<f64>,
    /// Of the model, seconds.
    model_times: Vec<f64>,
}

impl Measured {
    /// Has the model read what the grammar does not.
    fn read_again(
        &mut self,
        text: &str,
        understood: &Understanding,
        done: Option<&str>,
    ) -> anyhow::Result<Option<SecondReading>> {
        let Some(model) = &mut self.model else { return Ok(None) };
        if is_stop(text) || !may_be_commands(understood, text) {
            return Ok(None);
        }
        let clock = MonotonicClock::start();
        let read = second_reading(text, done, &mut |prompt| model.answer(prompt, &mut |_| Watch::On))?;
        self.model_times.push(clock.now().seconds());
        Ok(read)
    }
}

fn judged(name: &str, cases: &[Sentence], measured: &mut Measured) -> anyhow::Result<FileResult> {
    let is_unseen = name.ends_with("unseen");
    let mut result = FileResult {
        name: name.to_owned(),
        groups: BTreeMap::new(),
        all: Sum::default(),
        failures: Vec::new(),
    };
    for case in cases {
        let mut listener = Listener::default();
        let mut heard = Heard::default();
        for turn in &case.turns {
            heard = listener.hear(turn, measured)?;
        }
        let judgement = case.judge(&heard.trace, heard.is_stop);
        for sum in [result.groups.entry(case.group.clone()).or_default(), &mut result.all] {
            sum.cases += 1;
            match judgement {
                Judgement::Right => sum.right += 1,
                Judgement::Declined => sum.declined += 1,
                Judgement::Wrong => sum.wrong += 1,
            }
            if let (Judgement::Declined, Some(question)) = (judgement, &heard.question) {
                sum.asked += 1;
                sum.asked_right += u32::from(case.judge(question, false) == Judgement::Right);
            }
        }
        if judgement != Judgement::Right && !is_unseen {
            let failed = if case.wanted == Wanted::Moves { case.failed(&heard.trace) } else { Vec::new() };
            let said = case.turns.join(" / ");
            result.failures.push(format!(
                "{} {judgement:?}: {said}: {}; {}",
                case.id,
                heard.plan,
                failed.join("; ")
            ));
        }
    }
    Ok(result)
}

/// What became of one sentence.
#[derive(Debug, Default)]
struct Heard {
    trace: Trace,
    is_stop: bool,
    plan: String,
    /// What a yes to a question would do.
    question: Option<Trace>,
}

/// Returns something that happens after these setpoints.
fn event_after(setpoints: &[Joints], kind: EventKind) -> TraceEvent {
    TraceEvent { at_s: setpoints.len() as f64 * PERIOD.as_secs_f64(), kind }
}

/// A robot that does at once what it understands.
struct Listener {
    context: DialogContext,
    joints: Joints,
    limits: Limits,
}

impl Default for Listener {
    fn default() -> Self {
        Listener {
            context: DialogContext::default(),
            joints: joints_from_posture(&Posture::init()).unwrap_or_default(),
            limits: Limits::default(),
        }
    }
}

impl Listener {
    fn hear(&mut self, text: &str, measured: &mut Measured) -> anyhow::Result<Heard> {
        let clock = MonotonicClock::start();
        let is_stop = is_stop(text);
        let understood = understood(text, &Known { tools: &[], before: Some(&self.context) });
        measured.times.push(clock.now().seconds() * 1e3);
        let from = self.posture(&self.joints);
        let mut plan = match &understood {
            Understanding::Plan(plan) if !is_stop => plan.clone(),
            _ => Vec::new(),
        };
        let mut said = format!("{understood:?}");
        let mut question = None;
        if let Some(reading) = measured.read_again(text, &understood, self.context.last_done().as_deref())? {
            if reading.is_certain {
                plan = reading.plan;
            } else {
                said = format!("{}? {said}", reading.description);
                let joints = self.joints;
                question = Some(self.act(&reading.plan).0);
                self.joints = joints;
            }
        }
        let (trace, is_done) = self.act(&plan);
        let words: Vec<String> = plan.iter().map(ToString::to_string).collect();
        if !words.is_empty() {
            said = words.join("; ");
        }
        self.context.remember(PastTurn {
            said: text.to_owned(),
            answer: String::new(),
            plan,
            steps: Vec::new(),
            ending: if is_done { TurnOutcome::Done } else { TurnOutcome::NotUnderstood },
            from: Some(Aim::of(&from)),
        });
        Ok(Heard { trace, is_stop, plan: said, question })
    }

    /// Does a plan. Returns what moves, and whether all of it was done.
    fn act(&mut self, plan: &[Intent]) -> (Trace, bool) {
        let mut setpoints = Vec::new();
        let mut is_done = !plan.is_empty();
        let mut events = Vec::new();
        for intent in plan {
            let event = match intent {
                Intent::Say(words) => Some(EventKind::Speech { text: words.clone() }),
                Intent::See(Sight::Photo) => Some(EventKind::Photo),
                _ => None,
            };
            events.extend(event.map(|kind| event_after(&setpoints, kind)));
            let at = self.posture(&self.joints);
            let motion = |motions: Vec<Motion>| motions.into_iter().map(SpokenPart::Motion).collect();
            let parts = match intent {
                Intent::Motion(primitive) => motions_of(primitive, &at).ok().map(motion),
                Intent::Spoken(spoken) => spoken
                    .chosen(false)
                    .map_or_else(|| Some(Vec::new()), |meaning| spoken_parts(meaning, &at).ok()),
                _ => Some(Vec::new()),
            };
            let done = parts.and_then(|parts| {
                parts.iter().try_for_each(|part| match part {
                    SpokenPart::Motion(motion) => self.plan(motion, &mut setpoints),
                    SpokenPart::Sound(_) => {
                        events.push(event_after(&setpoints, EventKind::Sound));
                        Some(())
                    }
                })
            });
            if done.is_none() {
                is_done = false;
                break;
            }
        }
        let rest = (SETTLING_SECONDS / PERIOD.as_secs_f64()).ceil() as usize;
        setpoints.extend(std::iter::repeat_n(self.joints, rest));
        let samples = setpoints.iter().map(|joints| sample_of(&self.posture(joints))).collect();
        (Trace { period_s: PERIOD.as_secs_f64(), samples, events }, is_done)
    }

    /// Does a motion; none if it can't be done.
    fn plan(&mut self, motion: &Motion, setpoints: &mut Vec<Joints>) -> Option<()> {
        let rules = PlanRules { limits: &self.limits, period: PERIOD, automatic_body_yaw: true };
        let trajectory = motion.plan(&self.joints, &rules).ok()?;
        self.joints = trajectory.setpoints.last().copied().unwrap_or(self.joints);
        setpoints.extend(trajectory.setpoints);
        Some(())
    }

    fn posture(&self, joints: &Joints) -> Posture {
        posture_from_joints(joints, &HeadPose::neutral()).unwrap_or_else(|_| Posture::init())
    }
}

/// Returns a table of the results.
#[must_use]
pub fn table(results: &Results) -> String {
    let mut lines = vec![format!(
        "{:<24} {:>6} {:>6} {:>9} {:>6} {:>8}",
        "file", "cases", "right", "declined", "wrong", "right %"
    )];
    for file in &results.files {
        let row = |name: &str, sum: &Sum| {
            let share = 100.0 * f64::from(sum.right) / f64::from(sum.cases.max(1));
            format!(
                "{name:<24} {:>6} {:>6} {:>9} {:>6} {share:>8.1}",
                sum.cases, sum.right, sum.declined, sum.wrong
            )
        };
        lines.push(row(&file.name, &file.all));
        lines.extend(file.groups.iter().map(|(group, sum)| row(&format!("  {group}"), sum)));
    }
    lines.push(format!("99 of 100 sentences are understood within {:.2} ms", results.p99_ms));
    if let (Some(median), Some(most)) = (results.model_s, results.model_p90_s) {
        let sum = |of: fn(&Sum) -> u32| results.files.iter().map(|file| of(&file.all)).sum::<u32>();
        lines.push(format!(
            "The model on this computer read a sentence in {median:.1} s (median), 9 of 10 within {most:.1} s"
        ));
        lines.push(format!(
            "{} of the declined sentences got a question; a yes does what was meant in {}",
            sum(|sum| sum.asked),
            sum(|sum| sum.asked_right)
        ));
    }
    lines.join("\n")
}
