//! How near a tool's motion came to each limit of the body, and where the envelope held it back.
//!
//! Degrees, seconds. A margin is what was left: zero at the limit, below it beyond. It is measured of the commanded
//! goals, so a tool that was clamped shows no margin, and the clamps say what it requested.

use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::limits::{JointLimits, Limits};
use firmware_bridge::motion_log::LoggedCycle;
use firmware_bridge::units::Radians;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use minismith_runtime::report::{Step, round_for_display};

/// What one motor's motion left of its limits. (What it left of its range is `least_margin_deg` of its report.)
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct JointMargins {
    /// Greatest jerk of the goal, degrees per second cubed.
    pub peak_jerk_dps3: f64,
    /// What was left of the speed, degrees per second.
    pub speed_dps: f64,
    /// What was left of the acceleration, degrees per second squared.
    pub acceleration_dps2: f64,
    /// What was left of the jerk, degrees per second cubed.
    pub jerk_dps3: f64,
}

impl JointMargins {
    /// Takes the worse of both.
    pub const fn worst_of(&mut self, other: &JointMargins) {
        self.peak_jerk_dps3 = self.peak_jerk_dps3.max(other.peak_jerk_dps3);
        self.speed_dps = self.speed_dps.min(other.speed_dps);
        self.acceleration_dps2 = self.acceleration_dps2.min(other.acceleration_dps2);
        self.jerk_dps3 = self.jerk_dps3.min(other.jerk_dps3);
    }
}

/// What the head's motion left of its limits, which no motor has alone.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct HeadMargins {
    /// Of the pitch, degrees.
    pub pitch_deg: f64,
    /// Of the roll, degrees.
    pub roll_deg: f64,
    /// Of the yaw relative to the body, degrees.
    pub relative_yaw_deg: f64,
    /// Margin of the legs' singularity measure, which is 1 at the neutral pose.
    #[serde(rename = "singularity_margin")]
    pub singularity_margin: f64,
}

impl HeadMargins {
    /// Takes the worse of both.
    pub const fn worst_of(&mut self, other: &HeadMargins) {
        self.pitch_deg = self.pitch_deg.min(other.pitch_deg);
        self.roll_deg = self.roll_deg.min(other.roll_deg);
        self.relative_yaw_deg = self.relative_yaw_deg.min(other.relative_yaw_deg);
        self.singularity_margin = self.singularity_margin.min(other.singularity_margin);
    }
}

/// The greatest that the head did over a time: each angle's amount, and the minimum singularity margin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeadExtremes {
    /// Pitch.
    pub pitch: Radians,
    /// Roll.
    pub roll: Radians,
    /// Yaw relative to the body.
    pub yaw: Radians,
    /// The minimum singularity margin.
    pub singularity_margin: f64,
}

impl HeadExtremes {
    /// Of a head that was never looked at.
    pub const NONE: HeadExtremes = HeadExtremes {
        pitch: Radians::ZERO,
        roll: Radians::ZERO,
        yaw: Radians::ZERO,
        singularity_margin: 1.0,
    };

    /// What is left of the limits.
    #[must_use]
    pub fn margins(&self, limits: &Limits) -> HeadMargins {
        let left = |limit: Radians, most: Radians| round_for_display((limit - most).degrees());
        HeadMargins {
            pitch_deg: left(limits.head_pitch, self.pitch),
            roll_deg: left(limits.head_roll, self.roll),
            relative_yaw_deg: left(limits.relative_yaw, self.yaw),
            singularity_margin: round_for_display(self.singularity_margin - limits.min_singularity_margin),
        }
    }
}

/// Greatest speed, acceleration and jerk of one motor's goals, as the envelope reckons them: backward differences.
#[must_use]
pub fn joint_margins(cycles: &[LoggedCycle], joint: Joint, limit: &JointLimits, dt: f64) -> JointMargins {
    let (mut speed, mut acceleration) = (None::<f64>, None::<f64>);
    let mut peaks = [0.0_f64; 3];
    for pair in cycles.windows(2) {
        let [before, now] = pair else { continue };
        let faster = (now.goal[joint] - before.goal[joint]).value() / dt;
        let harder = speed.map(|speed| (faster - speed) / dt);
        let sharper = harder.zip(acceleration).map(|(now, before)| (now - before) / dt);
        for (peak, value) in peaks.iter_mut().zip([Some(faster), harder, sharper]) {
            *peak = peak.max(value.unwrap_or(0.0).abs());
        }
        (speed, acceleration) = (Some(faster), harder.or(acceleration));
    }
    let [speed, acceleration, jerk] = peaks.map(Radians);
    let left = |limit: Radians, peak: Radians| round_for_display((limit - peak).degrees());
    JointMargins {
        peak_jerk_dps3: round_for_display(jerk.degrees()),
        speed_dps: left(limit.max_velocity, speed),
        acceleration_dps2: left(limit.max_acceleration, acceleration),
        jerk_dps3: left(limit.max_jerk, jerk),
    }
}

/// A time during which the envelope held a motor back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ClampSpan {
    /// The motor.
    pub joint: String,
    /// Which limit it was, when it was worst.
    pub cause: String,
    /// Stage seconds when it began.
    pub from_s: f64,
    /// Stage seconds when it ended at the earliest: if it was not held back all the time, it lasted longer.
    pub to_s: f64,
    /// When it was worst.
    #[serde(rename = "max_at_s")]
    pub worst_at_s: f64,
    /// By how much then, degrees.
    #[serde(rename = "max_deg")]
    pub worst_deg: f64,
    /// Number of cycles.
    #[serde(rename = "cycles")]
    pub cycles: u32,
}

/// The times at which the envelope held a tool back, from its steps.
#[must_use]
pub fn clamp_spans(steps: &[Step], period_s: f64) -> Vec<ClampSpan> {
    let mut spans = Vec::new();
    for step in steps {
        let Some(began) = step.began_s else { continue };
        for clamp in step.clamps.iter().filter(|clamp| clamp.cycles > 0) {
            let worst_at_s = round_for_display(began + clamp.at_s.max(clamp.first_s));
            let from_s = round_for_display(began + clamp.first_s);
            spans.push(ClampSpan {
                joint: clamp.what.clone(),
                cause: clamp.cause.clone(),
                from_s,
                to_s: round_for_display(from_s + f64::from(clamp.cycles) * period_s).max(worst_at_s),
                worst_at_s,
                worst_deg: clamp.worst_deg,
                cycles: clamp.cycles,
            });
        }
    }
    spans
}

/// A call at a corner of the parameters that the rehearsal does not vouch for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Narrowed {
    /// The corner, such as `times=10`.
    pub call: String,
    /// What came of it.
    #[serde(rename = "reason")]
    pub why: String,
}

/// The distance of a goal to the nearer end of a motor's range.
#[must_use]
pub fn range_margin(goal: &Joints, joint: Joint, limits: &Limits) -> Radians {
    let limit = limits.joints[joint];
    let (below, above) = (goal[joint] - limit.min_position, limit.max_position - goal[joint]);
    if below.value() < above.value() { below } else { above }
}

#[cfg(test)]
mod tests {
    use super::*;
    use minismith_runtime::report::ClampReport;

    fn cycles(angles: &[f64]) -> Vec<LoggedCycle> {
        let goal = |angle: &f64| {
            let mut goal = Joints::all(Radians::ZERO);
            goal[Joint::BodyYaw] = Radians(*angle);
            goal
        };
        angles.iter().map(|angle| LoggedCycle { goal: goal(angle), present: goal(angle) }).collect()
    }

    #[test]
    fn margins_are_what_the_differences_leave() {
        // Speeds 1, 3, 2 rad/s; accelerations 200, -100; jerk -30,000.
        let limit = Limits::default().joints[Joint::BodyYaw];
        let margins = joint_margins(&cycles(&[0.0, 0.01, 0.04, 0.06]), Joint::BodyYaw, &limit, 0.01);
        let near = |value: f64, radians: f64| (value - radians.to_degrees()).abs() < 0.01;
        assert!(near(margins.speed_dps, 6.0 - 3.0), "{margins:?}");
        assert!(near(margins.acceleration_dps2, 40.0 - 200.0), "{margins:?}");
        assert!(near(margins.peak_jerk_dps3, 30_000.0), "{margins:?}");
        assert!(near(margins.jerk_dps3, 1_500.0 - 30_000.0), "{margins:?}");
        let still = joint_margins(&cycles(&[0.5]), Joint::BodyYaw, &limit, 0.01);
        assert!(near(still.speed_dps, 6.0) && still.peak_jerk_dps3 == 0.0);
    }

    #[test]
    fn spans_stand_on_the_context_s_clock() {
        let clamp = ClampReport {
            what: "stewart_1".into(),
            cause: "speed".into(),
            worst_deg: 2.0,
            cycles: 10,
            first_s: 0.1,
            at_s: 0.15,
        };
        let before = ClampReport { cycles: 0, ..clamp.clone() };
        let step = Step { began_s: Some(2.0), clamps: vec![clamp, before], ..Step::default() };
        let spans = clamp_spans(&[step], 0.01);
        let span = spans.first().unwrap();
        assert_eq!((spans.len(), span.from_s, span.worst_at_s, span.to_s), (1, 2.1, 2.15, 2.2));
    }
}
