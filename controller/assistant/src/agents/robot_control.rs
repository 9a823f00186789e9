//! Moves the robot: converts a primitive to motions and runs them as one step.

use firmware_bridge::joint::Joints;
use firmware_bridge::motion::{Motion, MotionError, Target};
use firmware_bridge::posture::Posture;

use minismith_control::execution::{ExecutionContext, interpolation, look_at};
use minismith_nlu::{Aim, MotionSegment, Primitive, lower};
use minismith_runtime::report::{Step, round_for_display};

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
