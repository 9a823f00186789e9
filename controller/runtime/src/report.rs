//! Reports of motion for users, models and scripts: requested, achieved, clamped, rejected.
//!
//! Degrees and millimetres: reports are output.

use std::fmt;
use std::time::Duration;

use firmware_bridge::control_loop::ClampLog;
use firmware_bridge::joint::Joint;
use firmware_bridge::motion::Adjustment;
use firmware_bridge::posture::{Antennas, HeadPose, Posture, RollPitchYaw};
use firmware_bridge::units::Radians;
use serde::{Deserialize, Serialize, Serializer};
use utoipa::ToSchema;

/// A posture in display units.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PostureReport {
    /// Head, forward, millimetres from neutral.
    pub x_mm: f64,
    /// Head, left.
    pub y_mm: f64,
    /// Head, up.
    pub z_mm: f64,
    /// Head roll, to its right.
    pub roll_deg: f64,
    /// Head pitch, down.
    pub pitch_deg: f64,
    /// Head yaw, left.
    pub yaw_deg: f64,
    /// Base yaw, left.
    pub body_yaw_deg: f64,
    /// Right and left antenna.
    pub antennas_deg: [f64; 2],
}

impl From<&Posture> for PostureReport {
    fn from(posture: &Posture) -> Self {
        let angles = posture.head.angles();
        let at = posture.head.0.translation;
        let [x_mm, y_mm, z_mm] = [at.x, at.y, at.z].map(|metres| round_for_display(metres * 1000.0));
        PostureReport {
            x_mm,
            y_mm,
            z_mm,
            roll_deg: round_for_display(angles.roll.degrees()),
            pitch_deg: round_for_display(angles.pitch.degrees()),
            yaw_deg: round_for_display(angles.yaw.degrees()),
            body_yaw_deg: round_for_display(posture.body_yaw.degrees()),
            antennas_deg: [posture.antennas.right, posture.antennas.left]
                .map(|angle| round_for_display(angle.degrees())),
        }
    }
}

impl From<&PostureReport> for Posture {
    fn from(report: &PostureReport) -> Self {
        let degrees = Radians::from_degrees;
        let angles = RollPitchYaw {
            roll: degrees(report.roll_deg),
            pitch: degrees(report.pitch_deg),
            yaw: degrees(report.yaw_deg),
        };
        let [x, y, z] = [report.x_mm, report.y_mm, report.z_mm].map(|millimetres| millimetres / 1000.0);
        let [right, left] = report.antennas_deg.map(degrees);
        Posture {
            head: HeadPose::new(x, y, z, angles),
            body_yaw: degrees(report.body_yaw_deg),
            antennas: Antennas { right, left },
        }
    }
}

/// Rounds to two decimals, without negative zero.
#[must_use]
pub fn round_for_display(value: f64) -> f64 {
    (value * 100.0).round() / 100.0 + 0.0
}

/// Serialises a number as its shortest decimal: 0.7 stays 0.7 even in a document that is built before it is written.
///
/// # Errors
/// Those of the serializer.
pub fn shortest<S: Serializer>(
    value: &(impl Copy + Into<Option<f32>>),
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match (*value).into() {
        Some(value) => serializer.serialize_f64(value.to_string().parse().unwrap_or(f64::from(value))),
        None => serializer.serialize_none(),
    }
}

/// One value that was clamped between setpoint and motor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ClampReport {
    /// The joint, or `pitch`, `roll`, `body_yaw` of a target.
    pub what: String,
    /// `range`, `speed`, `acceleration`, `jerk`, `head_tilt`, `relative_yaw`, `singularity`, `not_finite`.
    pub cause: String,
    /// The greatest difference, degrees.
    pub worst_deg: f64,
    /// The number of cycles; zero when the target itself was changed before the motion began.
    #[serde(rename = "beats")]
    pub cycles: u32,
    /// The start, seconds from the start of the motion or of the stream of targets.
    #[serde(default)]
    pub first_s: f64,
    /// The time of the greatest difference, likewise.
    #[serde(default)]
    pub at_s: f64,
}

impl fmt::Display for ClampReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ClampReport { what, cause, worst_deg, cycles, at_s, .. } = self;
        match cycles {
            0 => write!(f, "{what} by {worst_deg} deg before it began ({cause})"),
            _ => write!(f, "{what} by up to {worst_deg} deg at {at_s} s ({cause}; {cycles} cycles)"),
        }
    }
}

/// Returns the clamps of a log in display units.
#[must_use]
pub fn clamp_reports(log: &ClampLog, period: Duration) -> Vec<ClampReport> {
    let seconds = |cycle: u64| round_for_display(period.as_secs_f64() * cycle as f64);
    let counts = log.0.iter().filter_map(|(joint, count): (Joint, _)| Some((joint, (*count)?)));
    counts
        .map(|(joint, count)| ClampReport {
            what: joint.name().into(),
            cause: serde_name(&count.cause),
            worst_deg: round_for_display(count.worst.degrees()),
            cycles: count.cycles,
            first_s: seconds(count.first_cycle),
            at_s: seconds(count.worst_cycle),
        })
        .collect()
}

/// Returns what was brought inside the limits before a motion began.
#[must_use]
pub fn adjustments(adjustments: &[Adjustment]) -> Vec<ClampReport> {
    adjustments
        .iter()
        .map(|adjustment| ClampReport {
            what: adjustment.what.into(),
            cause: "range".into(),
            worst_deg: round_for_display((adjustment.requested - adjustment.applied).abs().degrees()),
            cycles: 0,
            first_s: 0.0,
            at_s: 0.0,
        })
        .collect()
}

/// Adds a clamp to those of the same joint and cause.
pub fn merge(clamps: &mut Vec<ClampReport>, more: ClampReport) {
    match clamps.iter_mut().find(|clamp| clamp.what == more.what && clamp.cause == more.cause) {
        Some(clamp) => {
            if more.worst_deg > clamp.worst_deg {
                (clamp.worst_deg, clamp.at_s) = (more.worst_deg, more.at_s);
            }
            clamp.cycles = clamp.cycles.saturating_add(more.cycles);
        }
        None => clamps.push(more),
    }
}

/// Returns the serialised name of a closed enum's value.
pub fn serde_name<T: Serialize>(value: &T) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        _ => String::new(),
    }
}

/// The result of a conversation's turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TurnOutcome {
    /// Everything was executed.
    Done,
    /// The sentence was not understood; nothing moved.
    NotUnderstood,
    /// A part was rejected, by the robot's limits or by the workshop.
    Refused,
    /// Motion was stopped.
    Stopped,
    /// A part failed.
    Failed,
}

/// One step of a run: the request and its result.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Step {
    /// `look left 20 deg`, `goto`, `set_target`, `wake`, `motors`, ...
    pub kind: String,
    /// The requested final posture.
    #[schema(required)]
    pub requested: Option<PostureReport>,
    /// The final posture, from the motors' own positions.
    #[schema(required)]
    pub achieved: Option<PostureReport>,
    /// The values that were clamped.
    #[serde(rename = "trims")]
    pub clamps: Vec<ClampReport>,
    /// Why it was not executed, or not completed.
    #[serde(rename = "refusal")]
    #[schema(required)]
    pub refusal: Option<String>,
    /// The start in seconds of the run's clock; none outside of a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub began_s: Option<f64>,
}

impl Step {
    /// Returns a step that was not executed.
    #[must_use]
    pub fn refused(kind: impl Into<String>, why: impl ToString) -> Self {
        Step { kind: kind.into(), refusal: Some(why.to_string()), ..Step::default() }
    }

    /// Adds a step that was executed after this one, as a part of it.
    pub fn continue_with(&mut self, next: Step) {
        self.requested = next.requested.or(self.requested.take());
        self.achieved = next.achieved.or(self.achieved.take());
        self.clamps.extend(next.clamps);
        self.refusal = next.refusal;
    }

    /// Returns the greatest clamp, degrees; zero without any.
    #[must_use]
    pub fn worst_clamp_deg(&self) -> f64 {
        self.clamps.iter().map(|clamp| clamp.worst_deg).fold(0.0, f64::max)
    }
}
