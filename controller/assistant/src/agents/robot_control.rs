//! Moves the robot: converts a primitive to motions and runs them as one step.

use std::time::Duration;

use firmware_bridge::joint::Joints;
use firmware_bridge::motion::{Keyframe, Motion, MotionError, Target};
use firmware_bridge::posture::Posture;

use minismith_commands::describe::{Answer, answer, describe};
use minismith_commands::{Meaning, timeline};
use minismith_control::execution::{ExecutionContext, interpolation, look_at};
use minismith_nlu::{Aim, MotionSegment, Primitive, Spoken, lower};
use minismith_runtime::report::{Step, round_for_display};
use minismith_score::AxisValues;

/// Runs one primitive from the commanded posture and returns what was requested and achieved.
pub fn act(context: &mut ExecutionContext, primitive: &Primitive) -> Step {
    let from = context.commanded_posture().unwrap_or_else(Posture::init);
    if *primitive == Primitive::Wake
        && let Err(refusal) = context.torque(Joints::all(true))
    {
        return Step::refused(primitive.describe(), refusal);
    }
    match motions_of(primitive, &from) {
        Ok(motions) => context.sequence(&primitive.describe(), &motions),
        Err(refusal) => Step::refused(primitive.describe(), refusal),
    }
}

/// Returns a primitive as motions from a posture.
///
/// # Errors
/// The reason why the robot can't do it.
pub fn motions_of(primitive: &Primitive, from: &Posture) -> Result<Vec<Motion>, MotionError> {
    let mut motions = Vec::new();
    for stroke in lower(std::slice::from_ref(primitive), Aim::of(from)) {
        match stroke {
            MotionSegment::Goto { head, body_yaw, antennas, duration, method } => {
                motions.push(Motion::Goto {
                    target: Target { head, body_yaw, antennas },
                    duration,
                    interpolation: interpolation(method),
                })
            }
            MotionSegment::LookAt { point, duration } => motions.push(look_at(point, duration)?),
            MotionSegment::Pause(duration) if duration.is_zero() => {}
            MotionSegment::Pause(duration) => motions.push(Motion::Hold { duration }),
            MotionSegment::Wake => motions.extend(ExecutionContext::waking()),
            MotionSegment::Rest => motions.extend(ExecutionContext::resting()),
        }
    }
    Ok(motions)
}

/// The time between two postures of a motion in several parts.
const KEYFRAME_PERIOD: Duration = Duration::from_millis(20);

/// Runs a motion in several parts from the commanded posture and returns what was requested and achieved, and the
/// answer in the person's language.
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
    let Some(meaning) = spoken.chosen(holds) else {
        let step = Step { kind: spoken.to_string(), ..Step::default() };
        return (step, answer(Answer::Nothing, spoken.language));
    };
    let kind = describe(meaning, "en");
    let what = describe(meaning, spoken.language);
    let from = context.commanded_posture().unwrap_or_else(Posture::init);
    let ready =
        if *meaning == Meaning::Wake { context.torque(Joints::all(true)).map(|_| ()) } else { Ok(()) };
    let motions = ready.map_err(|refusal| refusal.to_string()).and_then(|()| spoken_motions(meaning, &from));
    let step = match motions {
        Ok(motions) => context.sequence(&kind, &motions),
        Err(refusal) => Step::refused(kind, refusal),
    };
    let mut text = match &step.refusal {
        _ if spoken.language == "en" => describe_step(&step),
        None => answer(Answer::Done(&what), spoken.language),
        Some(why) => answer(Answer::Refused(&what, why), spoken.language),
    };
    if !spoken.heard.is_empty() {
        let taken: Vec<&str> = spoken.heard.iter().map(|(_, word)| word.as_str()).collect();
        text = format!("{} {text}", answer(Answer::Heard(&taken.join(", ")), spoken.language));
    }
    (step, text)
}

/// Returns a meaning as motions from a posture.
///
/// # Errors
/// The reason why the robot can't do it, in English.
pub fn spoken_motions(meaning: &Meaning, from: &Posture) -> Result<Vec<Motion>, String> {
    match meaning {
        Meaning::Wake => return Ok(ExecutionContext::waking()),
        Meaning::Sleep => return Ok(ExecutionContext::resting()),
        _ => {}
    }
    let timeline = timeline(meaning, &AxisValues::from_posture(from)).map_err(|why| why.0)?;
    let frames = (timeline.seconds() / KEYFRAME_PERIOD.as_secs_f64()).ceil().max(1.0) as u32;
    let keyframe = |frame: u32| {
        let time = KEYFRAME_PERIOD * frame;
        let posture = timeline.at(time.as_secs_f64());
        let target = Target {
            head: Some(posture.head),
            body_yaw: Some(posture.body_yaw),
            antennas: Some(posture.antennas),
        };
        Keyframe { time, target }
    };
    Ok(vec![Motion::Play((1..=frames).map(keyframe).collect())])
}

/// Describes where the robot is.
#[must_use]
pub fn report_state(context: &ExecutionContext) -> String {
    let snapshot = context.control.snapshot();
    if let Some(fault) = &snapshot.fault {
        return format!("Something is wrong: {fault}.");
    }
    let Some(posture) = context.posture() else {
        return "I can't tell where my head is from my joints; please move it near its neutral pose.".into();
    };
    let angles = posture.head.angles();
    let motors = if snapshot.state.is_driven() { "on" } else { "not all on" };
    format!(
        "My head is turned {} deg (left is positive), pitched {} deg (down is positive) and rolled {} deg; \
         my body is turned {} deg. My motors are {motors}.",
        round_for_display(angles.yaw.degrees()),
        round_for_display(angles.pitch.degrees()),
        round_for_display(angles.roll.degrees()),
        round_for_display(posture.body_yaw.degrees()),
    )
}

/// Describes what happened, from measurements.
#[must_use]
pub fn describe_step(step: &Step) -> String {
    if let Some(why) = &step.refusal {
        return format!("I did not {}: {why}.", step.kind);
    }
    let mut text = format!("Done: {}", step.kind);
    let worst = step.worst_clamp_deg();
    if worst > REPORTED_CLAMP_DEG {
        text.push_str(&format!(" (held back by up to {worst} deg by my limits)"));
    }
    text.push('.');
    text
}

/// Smaller clamps are in the report, but not in the answer.
const REPORTED_CLAMP_DEG: f64 = 3.0;
