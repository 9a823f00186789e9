//! Converts cycles for display, to degrees and metres.

use std::time::Duration;

use firmware_bridge::control_loop::CycleRecord;
use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::kinematics::{self, CRANK_LENGTH, HEAD_Z_OFFSET};
use firmware_bridge::limits::Limits;
use firmware_bridge::units::Radians;
use minismith_protocol::trace_format::{self, Clamp, Cycle, FORMAT, Header, Leg, Margins, Motor, Part};

use super::head::{Finder, Head};

/// Returns the first message of a recording.
#[must_use]
pub fn begin(name: String, about: String, period: Duration, limits: &Limits) -> Header {
    let motor = |joint: Joint| Motor {
        name: joint.name().into(),
        part: match joint {
            Joint::BodyYaw => Part::Body,
            Joint::RightAntenna => Part::RightAntenna,
            Joint::LeftAntenna => Part::LeftAntenna,
            _ => Part::Leg,
        },
        min_deg: limits.joints[joint].min_position.degrees(),
        max_deg: limits.joints[joint].max_position.degrees(),
    };
    Header {
        format: FORMAT,
        name,
        description: about,
        start_time: None,
        is_live: false,
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
        zero_direction: leg.zero_direction.into(),
        quarter_direction: leg.quarter_direction.into(),
        crank_m: CRANK_LENGTH,
        ball_joint_m: leg.ball_joint.into(),
    }
}

/// Converts a head pose.
#[must_use]
pub fn head(head: &Head) -> trace_format::Head {
    let at = head.pose.0.translation;
    let turned = head.pose.0.rotation.coords;
    trace_format::Head {
        position_m: [at.x, at.y, at.z + HEAD_Z_OFFSET],
        orientation_xyzw: [turned.x, turned.y, turned.z, turned.w],
        rpy_deg: head.angles_deg,
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
pub fn cycle(record: &CycleRecord, number: u64, heads: Option<(&mut Heads, &Limits)>) -> Cycle {
    let present = Joints::from_fn(|joint| record.present[joint].unwrap_or(record.goal[joint]));
    let clamps = record.clamps.iter().filter_map(|(joint, clamp)| {
        Some(Clamp { motor: joint.index(), amount_deg: clamp.as_ref()?.amount.abs().degrees() })
    });
    let mut cycle = Cycle {
        cycle: number,
        setpoint_deg: degrees(&record.setpoint),
        goal_deg: degrees(&record.goal),
        present_deg: degrees(&present),
        clamps: clamps.collect(),
        ..Cycle::default()
    };
    if let Some((heads, limits)) = heads {
        let goal = heads.goal.find(&record.goal);
        cycle.margins = goal.as_ref().map(|head| margins(limits, head.angles_deg));
        cycle.goal_head = goal.as_ref().map(head);
        cycle.present_head = heads.present.find(&present).as_ref().map(head);
    }
    cycle
}

/// Computes the heads of goals and present positions, each starting from the previous one.
#[derive(Default)]
pub struct Heads {
    goal: Finder,
    present: Finder,
}
