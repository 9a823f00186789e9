//! What a rehearsal measured of a tool's motion. The host measures; the guest has no part in it.
//!
//! Degrees, seconds: this is written into the manifest, for people and models.

use std::collections::BTreeMap;
use std::time::Duration;

use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::kinematics::head_and_singularity_margin;
use firmware_bridge::limits::Limits;
use firmware_bridge::motion_log::LoggedCycle;
use firmware_bridge::posture::HeadPose;
use firmware_bridge::units::Radians;
use minismith_protocol::old_names::files;
use serde::{Deserialize, Serialize, Serializer};
use sha2::{Digest, Sha256};
use utoipa::ToSchema;

use super::margins::{ClampSpan, HeadExtremes, HeadMargins, JointMargins, Narrowed, joint_margins};
use minismith_runtime::report::round_for_display;

/// What one motor was asked to do at most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct JointReport {
    /// Greatest speed of the goal, degrees per second.
    pub peak_speed_dps: f64,
    /// Greatest acceleration of the goal, degrees per second squared.
    pub peak_acceleration_dps2: f64,
    /// Least distance of the goal to either end of the range, degrees.
    #[serde(rename = "min_limit_margin_deg")]
    pub min_limit_margin_deg: f64,
    /// Greatest distance between goal and present position, degrees.
    #[serde(rename = "max_tracking_error_deg")]
    pub max_tracking_error_deg: f64,
    /// What was left of its other limits; reports of old have none.
    #[serde(default)]
    #[schema(required)]
    pub margins: Option<JointMargins>,
}

/// What a rehearsal measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PhysicalReport {
    /// Stage seconds from the first word to the last.
    pub duration_s: f64,
    /// The number of cycles in which the robot was commanded.
    #[serde(rename = "cycles")]
    pub cycles: u64,
    /// Motor by motor.
    pub joints: BTreeMap<String, JointReport>,
    /// Greatest pitch or roll of the head, degrees.
    pub peak_head_tilt_deg: f64,
    /// Greatest yaw of the head relative to the body, degrees.
    pub peak_relative_yaw_deg: f64,
    /// What was left of the head's limits; reports of old have none.
    #[serde(default)]
    #[schema(required)]
    pub head_margins: Option<HeadMargins>,
    /// Greatest way of any joint from where it began, degrees.
    #[serde(rename = "max_displacement_deg")]
    pub max_displacement_deg: f64,
    /// Cycles in which a joint was clamped.
    #[serde(rename = "clamped_cycles")]
    pub clamped_cycles: u64,
    /// Greatest trim, degrees.
    #[serde(rename = "max_clamp_deg")]
    pub max_clamp_deg: f64,
    /// When the envelope held the robot back in the first case.
    #[serde(rename = "clamps", default)]
    pub clamps: Vec<ClampSpan>,
    /// Whether the goals had come to rest at the end.
    pub rests_at_end: bool,
    /// Pictures read.
    pub frames: u64,
    /// Characters printed.
    pub printed: u64,
    /// Words printed.
    #[serde(rename = "spoken_words", default)]
    pub spoken_words: u64,
    /// The most memory that a guest held, bytes; what it shares with other guests counts too. Zero: it was not counted.
    #[serde(default)]
    pub peak_memory_bytes: u64,
    /// The most processor seconds that a guest used.
    #[serde(default)]
    pub cpu_s: f64,
    /// Corners of the parameters that the rehearsal does not vouch for.
    #[serde(rename = "unverified_ranges", default)]
    pub unverified_ranges: Vec<Narrowed>,
    /// Share of the tool's executable lines that ran in some case.
    pub line_coverage: f64,
    /// Cases that were rehearsed.
    pub cases: u64,
    /// Wall seconds that the whole rehearsal took.
    pub wall_s: f64,
    /// SHA-256 of the stream of goal positions of the first case: a performance that sends the same stream is the same.
    pub command_digest: String,
}

/// Writes a report into a document, with its old names beside the new ones: clients of documents know those.
///
/// # Errors
/// When it can't be written.
pub fn with_old_names<T: Serialize, S: Serializer>(report: &T, to: S) -> Result<S::Ok, S::Error> {
    let mut report = serde_json::to_value(report).map_err(serde::ser::Error::custom)?;
    files::add_to_report(&mut report);
    report.serialize(to)
}

/// Measures the cycles of one case.
#[must_use]
pub fn measure(cycles: &[LoggedCycle], limits: &Limits, period: Duration) -> PhysicalReport {
    let dt = period.as_secs_f64().max(1e-6);
    let mut joints = BTreeMap::new();
    let mut greatest_move: f64 = 0.0;
    for joint in Joint::ALL {
        let limit = limits.joints[joint];
        let goals: Vec<f64> = cycles.iter().map(|cycle| cycle.goal[joint].value()).collect();
        let speeds: Vec<f64> =
            goals.windows(2).filter_map(|pair| Some((pair.last()? - pair.first()?) / dt)).collect();
        let changes = speeds.windows(2).filter_map(|pair| Some((pair.last()? - pair.first()?).abs() / dt));
        let margin = |goal: &f64| (goal - limit.min_position.value()).min(limit.max_position.value() - goal);
        let first = goals.first().copied().unwrap_or(0.0);
        let moved = goals.iter().map(|goal| (goal - first).abs()).fold(0.0, f64::max);
        greatest_move = greatest_move.max(moved);
        let lag = cycles
            .iter()
            .map(|cycle| (cycle.goal[joint] - cycle.present[joint]).abs().value())
            .fold(0.0, f64::max);
        joints.insert(
            joint.name().to_owned(),
            JointReport {
                peak_speed_dps: degrees(speeds.iter().map(|speed| speed.abs()).fold(0.0, f64::max)),
                peak_acceleration_dps2: degrees(changes.fold(0.0, f64::max)),
                min_limit_margin_deg: degrees(
                    goals.iter().map(margin).fold(f64::INFINITY, f64::min).min(1e3),
                ),
                max_tracking_error_deg: degrees(lag),
                margins: Some(joint_margins(cycles, joint, &limit, dt)),
            },
        );
    }
    let head = head_extremes(cycles);
    PhysicalReport {
        cycles: cycles.len() as u64,
        joints,
        peak_head_tilt_deg: degrees(head.pitch.value().max(head.roll.value())),
        peak_relative_yaw_deg: degrees(head.yaw.value()),
        head_margins: Some(head.margins(limits)),
        max_displacement_deg: degrees(greatest_move),
        rests_at_end: rests(cycles),
        command_digest: digest(cycles),
        cases: 1,
        ..PhysicalReport::default()
    }
}

/// SHA-256 over the goal positions, bit for bit.
#[must_use]
pub fn digest(cycles: &[LoggedCycle]) -> String {
    let mut hash = Sha256::new();
    for cycle in moving(cycles) {
        for goal in cycle.goal.as_array() {
            hash.update(goal.value().to_le_bytes());
        }
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the cycles from the first to the last change of a goal. The robot waits before and after.
fn moving(cycles: &[LoggedCycle]) -> &[LoggedCycle] {
    let changes =
        |pair: &[LoggedCycle]| pair.first().map(|cycle| cycle.goal) != pair.last().map(|cycle| cycle.goal);
    let first = cycles.windows(2).position(changes);
    let last = cycles.windows(2).rposition(changes);
    match (first, last) {
        (Some(first), Some(last)) => cycles.get(first..=last + 1).unwrap_or(cycles),
        _ => &[],
    }
}

fn head_extremes(cycles: &[LoggedCycle]) -> HeadExtremes {
    let mut seed = HeadPose::neutral();
    let mut most = HeadExtremes::NONE;
    let mut last: Option<[Radians; 6]> = None;
    for cycle in cycles {
        let legs = cycle.goal.stewart();
        if last == Some(legs) {
            continue;
        }
        last = Some(legs);
        if let Ok((head, singularity_margin)) = head_and_singularity_margin(&legs, &seed) {
            seed = head;
            let angles = head.angles();
            let greater = |most: Radians, angle: Radians| Radians(most.value().max(angle.abs().value()));
            most = HeadExtremes {
                pitch: greater(most.pitch, angles.pitch),
                roll: greater(most.roll, angles.roll),
                yaw: greater(most.yaw, angles.yaw),
                singularity_margin: most.singularity_margin.min(singularity_margin),
            };
        }
    }
    most
}

fn rests(cycles: &[LoggedCycle]) -> bool {
    let mut last_two = cycles.iter().rev().take(2).map(|cycle: &LoggedCycle| -> Joints { cycle.goal });
    match (last_two.next(), last_two.next()) {
        (Some(last), Some(before)) => last == before,
        _ => true,
    }
}

fn degrees(radians: f64) -> f64 {
    round_for_display(Radians(radians).degrees())
}

impl PhysicalReport {
    /// Takes the worst of both; the digest, the duration and the clamps are those of the first.
    pub fn worst_of(&mut self, other: &PhysicalReport) {
        for (name, more) in &other.joints {
            let joint = self.joints.entry(name.clone()).or_insert(*more);
            joint.peak_speed_dps = joint.peak_speed_dps.max(more.peak_speed_dps);
            joint.peak_acceleration_dps2 = joint.peak_acceleration_dps2.max(more.peak_acceleration_dps2);
            joint.min_limit_margin_deg = joint.min_limit_margin_deg.min(more.min_limit_margin_deg);
            joint.max_tracking_error_deg = joint.max_tracking_error_deg.max(more.max_tracking_error_deg);
            if let (Some(margins), Some(more)) = (&mut joint.margins, &more.margins) {
                margins.worst_of(more);
            }
        }
        if let (Some(margins), Some(more)) = (&mut self.head_margins, &other.head_margins) {
            margins.worst_of(more);
        }
        self.peak_head_tilt_deg = self.peak_head_tilt_deg.max(other.peak_head_tilt_deg);
        self.peak_relative_yaw_deg = self.peak_relative_yaw_deg.max(other.peak_relative_yaw_deg);
        self.max_displacement_deg = self.max_displacement_deg.max(other.max_displacement_deg);
        self.max_clamp_deg = self.max_clamp_deg.max(other.max_clamp_deg);
        self.clamped_cycles = self.clamped_cycles.max(other.clamped_cycles);
        self.rests_at_end &= other.rests_at_end;
        self.frames = self.frames.max(other.frames);
        self.printed = self.printed.max(other.printed);
        self.spoken_words = self.spoken_words.max(other.spoken_words);
        self.peak_memory_bytes = self.peak_memory_bytes.max(other.peak_memory_bytes);
        self.cpu_s = self.cpu_s.max(other.cpu_s);
        self.cases += other.cases;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cycle(body: f64) -> LoggedCycle {
        let mut goal = Joints::all(Radians::ZERO);
        goal[Joint::BodyYaw] = Radians(body);
        LoggedCycle { goal, present: goal }
    }

    #[test]
    fn speeds_margins_and_rest_are_measured_from_the_goals() {
        let cycles: Vec<_> = [0.0, 0.0, 0.01, 0.03, 0.04, 0.04].map(cycle).to_vec();
        let report = measure(&cycles, &Limits::default(), Duration::from_millis(10));
        let body = report.joints["body_rotation"];
        assert!((body.peak_speed_dps - round_for_display(2.0_f64.to_degrees())).abs() < 1e-9);
        assert!((body.min_limit_margin_deg - round_for_display(160.0 - 0.04_f64.to_degrees())).abs() < 1e-9);
        assert!(report.rests_at_end);
        assert!(!measure(&cycles[..4], &Limits::default(), Duration::from_millis(10)).rests_at_end);
    }

    #[test]
    fn the_digest_ignores_waiting_but_no_motion() {
        let short = [0.0, 0.1, 0.2].map(cycle);
        let waited = [0.0, 0.0, 0.0, 0.1, 0.2, 0.2, 0.2].map(cycle);
        let other = [0.0, 0.1, 0.1, 0.2].map(cycle);
        assert_eq!(digest(&short), digest(&waited));
        assert_ne!(digest(&short), digest(&other));
    }
}
