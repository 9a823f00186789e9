//! Performs what a text orders in several parts: motions, and sounds among them.

use std::time::Duration;

use firmware_bridge::joint::Joints;
use firmware_bridge::motion::{Keyframe, Motion, Target};
use firmware_bridge::posture::Posture;
use minismith_commands::describe::{Answer, answer, describe};
use minismith_commands::{Meaning, Refusal, timeline};
use minismith_control::execution::ExecutionContext;
use minismith_control::sound::tone;
use minismith_nlu::Spoken;
use minismith_runtime::report::Step;
use minismith_score::{AxisValues, Timeline};

use super::robot_control::describe_step;

/// The time between two postures of a motion in several parts.
const KEYFRAME_PERIOD: Duration = Duration::from_millis(20);

/// A part of what is performed.
#[derive(Clone, Debug, PartialEq)]
pub enum SpokenPart {
    /// A motion.
    Motion(Motion),
    /// A sound file of the robot starts.
    Sound(String),
}

/// Performs what a text orders from the commanded posture. Returns what was requested and achieved, and the answer in the
/// person's language.
pub fn perform(context: &mut ExecutionContext, spoken: &Spoken) -> (Step, String) {
    let holds = match &spoken.if_event {
        None => false,
        Some(_) => match context.faces() {
            Ok(faces) => !faces.found.is_empty(),
            Err(error) => {
                let step = Step::refused(spoken.to_string(), error);
                let text = describe_step(&step);
                return (step, text);
            }
        },
    };
    let language = spoken.language;
    let Some(meaning) = spoken.chosen(holds) else {
        let step = Step { kind: spoken.to_string(), ..Step::default() };
        return (step, answer(Answer::Nothing, language));
    };
    let kind = describe(meaning, "en");
    let from = context.commanded_posture().unwrap_or_else(Posture::init);
    let ready =
        if *meaning == Meaning::Wake { context.torque(Joints::all(true)).map(|_| ()) } else { Ok(()) };
    let (mut step, is_silent, why) = match (ready, spoken_parts(meaning, &from)) {
        (Ok(()), Ok(parts)) => {
            let (step, is_silent) = perform_parts(context, &kind, &parts);
            let why = step.refusal.clone();
            (step, is_silent, why)
        }
        (Err(refusal), _) => {
            let why = refusal.to_string();
            (Step::refused(kind, &why), false, Some(why))
        }
        (_, Err(refusal)) => (Step::refused(kind, refusal.told("en")), false, Some(refusal.told(language))),
    };
    let what = |meaning: &Meaning| describe(meaning, language);
    let mut text = match why {
        None if is_silent => {
            step.refusal = Some(Refusal::NoSound.told("en"));
            let why = Refusal::NoSound.told(language);
            let missing = answer(Answer::Refused(&what(&Meaning::Sound), &why), language);
            match meaning.without_sounds() {
                Some(rest) => format!("{} {missing}", answer(Answer::Done(&what(&rest)), language)),
                None => missing,
            }
        }
        _ if language == "en" => describe_step(&step),
        None => answer(Answer::Done(&what(meaning)), language),
        Some(why) => answer(Answer::Refused(&what(meaning), &why), language),
    };
    if !spoken.heard.is_empty() {
        let taken: Vec<&str> = spoken.heard.iter().map(|(_, word)| word.as_str()).collect();
        text = format!("{} {text}", answer(Answer::Heard(&taken.join(", ")), language));
    }
    (step, text)
}

/// Performs parts as one step. Returns whether a sound is missing, too; the motions are performed without it.
fn perform_parts(context: &mut ExecutionContext, kind: &str, parts: &[SpokenPart]) -> (Step, bool) {
    let mut whole = Step { kind: kind.to_owned(), ..Step::default() };
    let mut is_silent = false;
    for group in
        parts.chunk_by(|one, next| matches!((one, next), (SpokenPart::Motion(_), SpokenPart::Motion(_))))
    {
        if let [SpokenPart::Sound(name)] = group {
            // The robot's sound files come with the official package; without them, a tone is a sound as well.
            let played = context.sound.play_file(name).or_else(|_| context.sound.play(&tone()));
            is_silent |= played.is_err();
            context.sound.end(false);
            continue;
        }
        let motion = |part: &SpokenPart| match part {
            SpokenPart::Motion(motion) => Some(motion.clone()),
            SpokenPart::Sound(_) => None,
        };
        let motions: Vec<Motion> = group.iter().filter_map(motion).collect();
        whole.continue_with(context.sequence(kind, &motions));
        if whole.refusal.is_some() {
            break;
        }
    }
    (whole, is_silent)
}

/// Returns what a meaning performs from a posture, one part after another.
///
/// # Errors
/// The reason why the robot can't do it.
pub fn spoken_parts(meaning: &Meaning, from: &Posture) -> Result<Vec<SpokenPart>, Refusal> {
    let all = |motions: Vec<Motion>| Ok(motions.into_iter().map(SpokenPart::Motion).collect());
    match meaning {
        Meaning::Wake => return all(ExecutionContext::waking()),
        Meaning::Sleep => return all(ExecutionContext::resting()),
        _ => {}
    }
    let timeline = timeline(meaning, &AxisValues::from_posture(from))?;
    let frame_of = |seconds: f64| (seconds / KEYFRAME_PERIOD.as_secs_f64()).ceil() as u32;
    let mut parts = Vec::new();
    let mut reached = 0;
    for (at, name) in timeline.sounds() {
        let frame = frame_of(*at);
        parts.extend(motion_between(&timeline, reached, frame));
        parts.push(SpokenPart::Sound(name.clone()));
        reached = reached.max(frame);
    }
    let last = frame_of(timeline.seconds()).max(u32::from(parts.is_empty()));
    parts.extend(motion_between(&timeline, reached, last));
    Ok(parts)
}

/// Returns the motion of a timeline after one frame and up to another one; none if there is nothing between.
fn motion_between(timeline: &Timeline, after: u32, last: u32) -> Option<SpokenPart> {
    let keyframe = |frame: u32| {
        let posture = timeline.at((KEYFRAME_PERIOD * frame).as_secs_f64());
        let target = Target {
            head: Some(posture.head),
            body_yaw: Some(posture.body_yaw),
            antennas: Some(posture.antennas),
        };
        Keyframe { time: KEYFRAME_PERIOD * (frame - after), target }
    };
    (after < last).then(|| SpokenPart::Motion(Motion::Play((after + 1..=last).map(keyframe).collect())))
}
