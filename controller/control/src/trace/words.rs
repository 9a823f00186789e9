//! Converts cycles for display, to degrees and metres.

use std::time::Duration;

use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::kinematics::{self, ARM_LENGTH, HEAD_Z_OFFSET};
use firmware_bridge::limits::Limits;
use firmware_bridge::pulse::BeatRecord;
use firmware_bridge::units::Radians;
use minismith_wire::recording::{self, Beat, Begin, FORMAT, Leg, Margins, Motor, Part, Trim};

use super::head::{Finder, Head};

/// Returns the first message of a recording.
#[must_use]
pub fn begin(name: String, about: String, period: Duration, limits: &Limits) -> Begin {
    let motor = |joint: Joint| Motor {
        name: joint.name().into(),
        part: match joint {
            Joint::BodyYaw => Part::Body,
            Joint::RightAntenna => Part::RightAntenna,
            Joint::LeftAntenna => Part::LeftAntenna,
            _ => Part::Leg,
        },
        low_deg: limits.joints[joint].low.degrees(),
        high_deg: limits.joints[joint].high.degrees(),
    };
    Begin {
        format: FORMAT,
        name,
        about,
        at: None,
        live: false,
        period_s: period.as_secs_f64(),
        motors: Joint::ALL.map(motor).to_vec(),
        legs: kinematics::legs().iter().map(leg).collect(),
    }
}

/// Converts the geometry of a leg.
fn leg(leg: &kinematics::Leg) -> Leg {
    Leg {
        motor: leg.joint.index(),
        pivot_m: leg.origin.into(),
        ahead: leg.ahead.into(),
        aside: leg.aside.into(),
        arm_m: ARM_LENGTH,
        ball_m: leg.ball.into(),
    }
}

/// Converts a head pose.
#[must_use]
pub fn head(head: &Head) -> recording::Head {
    let at = head.pose.0.translation;
    let turned = head.pose.0.rotation.coords;
    recording::Head {
        at_m: [at.x, at.y, at.z + HEAD_Z_OFFSET],
        turned: [turned.x, turned.y, turned.z, turned.w],
        angles_deg: head.angles_deg,
    }
}

/// Returns the margins of a head with this roll, pitch and yaw relative to the body (degrees) to its limits.
#[must_use]
pub fn margins(limits: &Limits, [roll, pitch, yaw]: [f64; 3]) -> Margins {
    let Limits { head_pitch, head_roll, relative_yaw, .. } = limits;
    Margins {
        tilt_deg: (head_pitch.degrees() - pitch.abs()).min(head_roll.degrees() - roll.abs()),
        relative_yaw_deg: relative_yaw.degrees() - yaw.abs(),
    }
}

/// Returns the angles of all joints, degrees.
#[must_use]
pub fn degrees(joints: &Joints) -> Vec<f64> {
    joints.as_array().map(Radians::degrees).to_vec()
}

/// Converts a cycle record. A motor that was never read shows its goal. Heads are computed if finders are given.
#[must_use]
pub fn beat(record: &BeatRecord, number: u64, heads: Option<(&mut Heads, &Limits)>) -> Beat {
    let present = Joints::from_fn(|joint| record.present[joint].unwrap_or(record.goal[joint]));
    let trims = record.trims.iter().filter_map(|(joint, trim)| {
        Some(Trim { motor: joint.index(), by_deg: trim.as_ref()?.amount.abs().degrees() })
    });
    let mut beat = Beat {
        beat: number,
        wish_deg: degrees(&record.wish),
        goal_deg: degrees(&record.goal),
        present_deg: degrees(&present),
        trims: trims.collect(),
        ..Beat::default()
    };
    if let Some((heads, limits)) = heads {
        let goal = heads.goal.find(&record.goal);
        beat.margins = goal.as_ref().map(|head| margins(limits, head.angles_deg));
        beat.goal_head = goal.as_ref().map(head);
        beat.present_head = heads.present.find(&present).as_ref().map(head);
    }
    beat
}

/// Computes the heads of goals and present positions, each starting from the previous one.
#[derive(Default)]
pub struct Heads {
    goal: Finder,
    present: Finder,
}
