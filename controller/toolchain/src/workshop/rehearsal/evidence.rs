//! The text whose hash stands for limits, cycle time and budget in the evidence of a tool.
//!
//! Manifests hold the hash. So the text keeps the names that it was first written with, whatever the code calls its
//! types and fields: with another text each tool would have to be rehearsed again.

use std::time::Duration;

use firmware_bridge::limits::{JointLimits, Limits};
use firmware_bridge::units::Radians;

/// The text of these limits, the time of one control cycle and the budget in seconds.
pub fn text(limits: &Limits, period: Duration, budget_s: f64) -> String {
    let joints: Vec<String> = limits.joints.as_array().iter().map(joint).collect();
    format!(
        "Limits {{ joints: Joints([{}]), head_pitch: {}, head_roll: {}, relative_yaw: {}, steadiness: {:?} }} \
         {period:?} {budget_s}",
        joints.join(", "),
        radians(limits.head_pitch),
        radians(limits.head_roll),
        radians(limits.relative_yaw),
        limits.min_singularity_margin,
    )
}

fn joint(limit: &JointLimits) -> String {
    let JointLimits {
        min_position: low,
        max_position: high,
        max_velocity: speed,
        max_acceleration: acceleration,
        max_jerk: jerk,
    } = *limit;
    let [low, high, speed, acceleration, jerk] = [low, high, speed, acceleration, jerk].map(radians);
    format!(
        "JointLimit {{ low: {low}, high: {high}, speed: {speed}, acceleration: {acceleration}, jerk: {jerk} }}"
    )
}

fn radians(angle: Radians) -> String {
    format!("Radians({:?})", angle.value())
}

#[cfg(test)]
mod tests {
    use super::*;
    use minismith_analysis::digest::hex_sha256;

    #[test]
    fn tools_that_were_rehearsed_under_the_usual_limits_stay_so() {
        let hash = |limits: Limits| hex_sha256(text(&limits, Duration::from_millis(10), 120.0).as_bytes());
        let full = "90448f68a8c64e051ec7fe056ae9e6301e8411424f53a8ad8ccd9884f9fb57fc";
        let half = "da9dbbef3ca49e82ef9260d0e72c50ba40aedcb7c7004805721b33c4fb76e27e";
        assert_eq!(hash(Limits::default()), full);
        assert_eq!(hash(Limits::default().scaled(0.5)), half);
    }
}
