//! `move`: moves single joints to angles. The resulting head pose is not planned, only limited by the envelope.

use std::fmt;
use std::time::Duration;

use anyhow::bail;
use clap::Args;
use firmware_bridge::control_loop::{LoopSnapshot, MotionState};
use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::limits::Limits;
use firmware_bridge::units::Radians;
use minismith_control::execution::ExecutionContext;
use minismith_control::joint_motion::{JointMotionError, trajectory};
use minismith_runtime::config::Config;
use minismith_runtime::report::{ClampReport, round_for_display};
use serde::Serialize;

use super::quantity::{Angle, Time};
use super::{CommandStatus, OnRobot, interrupt, print, setup};

/// Joints and their goal positions.
#[derive(Debug, Args)]
pub struct MoveArgs {
    /// Joint: body_rotation, stewart_1 to stewart_6, right_antenna or left_antenna. May be repeated.
    #[arg(long = "joint", value_name = "JOINT", required = true, value_parser = joint)]
    joints: Vec<Joint>,
    /// Goal position, such as 10deg or 0.2rad. Give one for each --joint, in the same order.
    #[arg(long, value_name = "ANGLE", allow_hyphen_values = true, conflicts_with = "by")]
    to: Vec<Angle>,
    /// Angle relative to the current goal position, instead of --to.
    #[arg(long, value_name = "ANGLE", allow_hyphen_values = true)]
    by: Vec<Angle>,
    /// Duration of the move, such as 1s or 500ms.
    #[arg(long, value_name = "TIME", default_value = "1s")]
    duration: Time,
    #[command(flatten)]
    on: OnRobot,
}

/// Returns a joint by its name.
pub fn joint(name: &str) -> Result<Joint, String> {
    Joint::from_name(name).ok_or_else(|| {
        let names: Vec<&str> = Joint::ALL.iter().map(|joint| joint.name()).collect();
        format!("the joints are {}", names.join(", "))
    })
}

/// Why nothing moved.
#[derive(Debug, PartialEq, thiserror::Error)]
enum Refusal {
    #[error("{joint} is out of range: {target} requested, {low} to {high} allowed")]
    OutOfRange { joint: Joint, target: Radians, low: Radians, high: Radians },
    #[error(transparent)]
    NoMotion(#[from] JointMotionError),
    #[error("cannot move: {0}")]
    NotReady(String),
}

/// Returns the goal positions of the joints.
fn goal(from: &Joints, limits: &Limits, requests: &[(Joint, JointTarget)]) -> Result<Joints, Refusal> {
    let mut goal = *from;
    for (joint, request) in requests {
        let request = match request {
            JointTarget::To(angle) => *angle,
            JointTarget::By(angle) => from[*joint] + *angle,
        };
        let limit = limits.joints[*joint];
        if !(request >= limit.min_position && request <= limit.max_position) {
            return Err(Refusal::OutOfRange {
                joint: *joint,
                target: request,
                low: limit.min_position,
                high: limit.max_position,
            });
        }
        goal[*joint] = request;
    }
    Ok(goal)
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum JointTarget {
    To(Radians),
    By(Radians),
}

/// The result of one joint, degrees.
#[derive(Debug, PartialEq, Serialize)]
struct Moved {
    joint: Joint,
    from_deg: f64,
    requested_deg: f64,
    achieved_deg: Option<f64>,
}

/// The result of the command.
#[derive(Debug, Default, PartialEq, Serialize)]
struct Report {
    joints: Vec<Moved>,
    #[serde(rename = "trims")]
    clamps: Vec<ClampReport>,
    refusal: Option<String>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines: Vec<String> = self
            .joints
            .iter()
            .map(|Moved { joint, from_deg, requested_deg, achieved_deg }| {
                let achieved = achieved_deg.map_or("unknown".into(), |degrees| format!("{degrees} deg"));
                format!("{joint}: {achieved} (asked {requested_deg} deg, was {from_deg} deg)")
            })
            .collect();
        lines.extend(self.clamps.iter().map(|clamp| format!("  trimmed: {clamp}")));
        lines.extend(self.refusal.iter().map(|refusal| format!("not done: {refusal}")));
        f.write_str(&lines.join("\n"))
    }
}

/// Moves the joints.
pub fn run(config: &Config, arguments: &MoveArgs) -> anyhow::Result<CommandStatus> {
    let MoveArgs { joints, to, by, duration: Time(duration), on } = arguments;
    let requests: Vec<JointTarget> = to
        .iter()
        .map(|angle| JointTarget::To(angle.0))
        .chain(by.iter().map(|angle| JointTarget::By(angle.0)))
        .collect();
    if requests.len() != joints.len() {
        bail!("give one --to (or --by) for each --joint: there are {} for {}", requests.len(), joints.len());
    }
    let twice = |joint: &&Joint| joints.iter().filter(|other| other == joint).count() > 1;
    if let Some(twice) = joints.iter().find(twice) {
        bail!("--joint {twice} is given twice; one goal each");
    }
    let requests: Vec<(Joint, JointTarget)> = joints.iter().copied().zip(requests).collect();
    let body = setup::body(config, on)?;
    interrupt::stop_epoch(body.handle())?;
    let report = match carry_out(&mut body.execution_context(), &requests, *duration) {
        Ok(report) => report,
        Err(refusal) => Report { refusal: Some(refusal.to_string()), ..Report::default() },
    };
    if on.json {
        print::json(&report)?;
    } else {
        print::line(&report.to_string());
    }
    Ok(CommandStatus::when(report.refusal.is_none()))
}

fn carry_out(
    context: &mut ExecutionContext,
    requests: &[(Joint, JointTarget)],
    over: Duration,
) -> Result<Report, Refusal> {
    // The commands that opened the robot have been applied.
    let snapshot = context.control.wait(&|_| true);
    ready(&snapshot)?;
    let goal = goal(&snapshot.goal, &snapshot.limits, requests)?;
    let plan = trajectory(&snapshot.goal, &goal, over, context.control.period())?;
    let (_, step) = context.play("move", plan);
    // The achieved position is measured when the robot has settled.
    let _settled = context.settle();
    let present = context.control.snapshot().state.readings;
    let joints = requests.iter().map(|(joint, _)| Moved {
        joint: *joint,
        from_deg: round_for_display(snapshot.goal[*joint].degrees()),
        requested_deg: round_for_display(goal[*joint].degrees()),
        achieved_deg: present[*joint].known().map(|angle| round_for_display(angle.degrees())),
    });
    Ok(Report { joints: joints.collect(), clamps: step.clamps, refusal: step.refusal })
}

fn ready(snapshot: &LoopSnapshot) -> Result<(), Refusal> {
    match (&snapshot.fault, snapshot.motion_state) {
        (Some(fault), _) => Err(Refusal::NotReady(fault.to_string())),
        (None, MotionState::TorqueOff) => {
            Err(Refusal::NotReady("a motor has no torque; `minismith scan PORT` shows which and why".into()))
        }
        (None, MotionState::HandGuiding) => {
            Err(Refusal::NotReady("hand guiding is on; enable position control first".into()))
        }
        (None, MotionState::Stowing) => {
            Err(Refusal::NotReady("the robot is stowing its head; wake it up first".into()))
        }
        (None, MotionState::Holding | MotionState::Moving | MotionState::Stopping) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use minismith_control::robot::initial_joints;

    #[test]
    fn a_goal_is_given_or_relative_and_inside_the_range() {
        let (from, limits) = (initial_joints(), Limits::default());
        let degrees = Radians::from_degrees;
        let requests = [
            (Joint::Stewart1, JointTarget::To(degrees(10.0))),
            (Joint::BodyYaw, JointTarget::By(degrees(-5.0))),
        ];
        let goal = super::goal(&from, &limits, &requests).unwrap();
        assert_eq!(goal[Joint::Stewart1], degrees(10.0));
        assert!((goal[Joint::BodyYaw] - from[Joint::BodyYaw] - degrees(-5.0)).abs() < Radians(1e-12));
        assert_eq!(goal[Joint::Stewart2], from[Joint::Stewart2]);

        let refusal =
            super::goal(&from, &limits, &[(Joint::Stewart1, JointTarget::To(degrees(85.0)))]).unwrap_err();
        assert!(refusal.to_string().contains("-47.0 deg to 79.0 deg"), "{refusal}");
        let nan = [(Joint::BodyYaw, JointTarget::To(Radians(f64::NAN)))];
        assert!(matches!(super::goal(&from, &limits, &nan), Err(Refusal::OutOfRange { .. })));
    }
}
