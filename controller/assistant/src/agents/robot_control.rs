//! Moves the robot: converts a primitive to motions and runs them as one step.

use firmware_bridge::joint::Joints;
use firmware_bridge::motion::{Motion, Target};
use firmware_bridge::posture::Posture;

use minismith_control::stage::{Stage, interpolation, look_at};
use minismith_nlu::{Aim, Primitive, Stroke, lower};
use minismith_runtime::outcome::{Step, tidy};

/// Runs one primitive from the commanded posture and returns what was requested and achieved.
pub fn act(stage: &mut Stage, primitive: &Primitive) -> Step {
    let from = stage.commanded_posture().unwrap_or_else(Posture::init);
    let mut motions = Vec::new();
    for stroke in lower(std::slice::from_ref(primitive), Aim::of(&from)) {
        match stroke {
            Stroke::Goto { head, body_yaw, antennas, duration, method } => motions.push(Motion::Goto {
                target: Target { head, body_yaw, antennas },
                duration,
                interpolation: interpolation(method),
            }),
            Stroke::LookAt { point, duration } => match look_at(point, duration) {
                Ok(motion) => motions.push(motion),
                Err(refusal) => return Step::refused(primitive.describe(), refusal),
            },
            Stroke::Pause(duration) if duration.is_zero() => {}
            Stroke::Pause(duration) => motions.push(Motion::Hold { duration }),
            Stroke::Wake => match stage.torque(Joints::all(true)) {
                Ok(_) => motions.extend(Stage::waking()),
                Err(refusal) => return Step::refused(primitive.describe(), refusal),
            },
            Stroke::Rest => motions.extend(Stage::resting()),
        }
    }
    stage.sequence(&primitive.describe(), &motions)
}

/// Describes where the robot is.
#[must_use]
pub fn report_state(stage: &Stage) -> String {
    let snapshot = stage.conductor.snapshot();
    if let Some(fault) = &snapshot.fault {
        return format!("Something is wrong: {fault}.");
    }
    let Some(posture) = stage.posture() else {
        return "I can't tell where my head is from my joints; please move it near its neutral pose.".into();
    };
    let angles = posture.head.angles();
    let motors = if snapshot.state.is_driven() { "on" } else { "not all on" };
    format!(
        "My head is turned {} deg (left is positive), pitched {} deg (down is positive) and rolled {} deg; \
         my body is turned {} deg. My motors are {motors}.",
        tidy(angles.yaw.degrees()),
        tidy(angles.pitch.degrees()),
        tidy(angles.roll.degrees()),
        tidy(posture.body_yaw.degrees()),
    )
}

/// Describes what happened, from measurements.
#[must_use]
pub fn tell(step: &Step) -> String {
    if let Some(why) = &step.refusal {
        return format!("I did not {}: {why}.", step.kind);
    }
    let mut text = format!("Done: {}", step.kind);
    let worst = step.worst_trim_deg();
    if worst > TOLD_TRIM_DEG {
        text.push_str(&format!(" (held back by up to {worst} deg by my limits)"));
    }
    text.push('.');
    text
}

/// Smaller clamps are in the report, but not in the answer.
const TOLD_TRIM_DEG: f64 = 3.0;
