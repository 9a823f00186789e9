//! The messages of SDK clients over the WebSocket, and their effects.

use std::sync::Arc;

use firmware_bridge::control_loop::ControlMode;
use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::kinematics::posture_from_joints;
use firmware_bridge::motion::{Interpolation, Motion, MotionError, Target, duration_from_seconds};
use firmware_bridge::posture::{HeadPose, RollPitchYaw};
use firmware_bridge::units::Radians;
use serde::Deserialize;
use serde_json::Value;
use uuid::Uuid;

use super::moves::InterpolationName;
use super::pose::target;
use super::{Mode, Robot, motors};
use crate::api::caller::Caller;
use minismith_control::motion_executor::{MotorChange, MoveRequest};
use minismith_runtime::role::Role;

/// A message. The other messages of the official daemon concern its cloud, updates and sound.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Command {
    SetTarget {
        head: [f64; 16],
    },
    SetAntennas {
        antennas: [f64; 2],
    },
    SetBodyYaw {
        body_yaw: f64,
    },
    SetHeadJoints {
        joints: [f64; 7],
    },
    SetFullTarget(FullTarget),
    GotoTarget(GotoTarget),
    WakeUp,
    GotoSleep,
    StopMove,
    SetMotorMode {
        mode: Mode,
    },
    SetTorque {
        on: bool,
        ids: Option<Vec<String>>,
    },
    SetGravityCompensation {
        enabled: bool,
    },
    SetAutomaticBodyYaw {
        enabled: bool,
    },
    SetHeadTracking {
        enabled: bool,
        #[serde(default = "whole")]
        weight: f64,
    },
    SetSpeechOffsets {
        /// x, y and z in metres, roll, pitch and yaw in radians.
        offsets: [f64; 6],
    },
    StartRecording,
    AppendRecord {
        record: Value,
    },
    StopRecording,
    Task {
        uuid: Uuid,
        req: GotoTarget,
    },
    #[serde(other)]
    Unknown,
}

#[derive(Debug, Deserialize)]
pub(super) struct FullTarget {
    #[serde(default)]
    head: Option<[f64; 16]>,
    #[serde(default)]
    antennas: Option<[f64; 2]>,
    #[serde(default)]
    body_yaw: Option<f64>,
}

#[derive(Debug, Deserialize)]
pub(super) struct GotoTarget {
    #[serde(flatten)]
    target: FullTarget,
    #[serde(default)]
    duration: Option<f64>,
    #[serde(default)]
    method: InterpolationName,
}

/// Default weight for following a face.
const fn whole() -> f64 {
    1.0
}

impl Command {
    /// Returns the minimum role.
    pub(super) const fn least(&self) -> Role {
        match self {
            Command::SetMotorMode { mode: Mode::Disabled } | Command::SetTorque { on: false, .. } => {
                Role::Engineer
            }
            Command::StopMove
            | Command::StartRecording
            | Command::AppendRecord { .. }
            | Command::StopRecording
            | Command::Unknown => Role::Viewer,
            _ => Role::Operator,
        }
    }

    /// Returns its name in the journal; `None` for streamed targets and messages without effect.
    pub(super) const fn noted(&self) -> Option<&'static str> {
        match self {
            Command::GotoTarget(_) | Command::Task { .. } => Some("goto_target"),
            Command::WakeUp => Some("wake_up"),
            Command::GotoSleep => Some("goto_sleep"),
            Command::StopMove => Some("stop_move"),
            Command::SetMotorMode { mode: Mode::Enabled } => Some("set_motor_mode enabled"),
            Command::SetMotorMode { mode: Mode::Disabled } => Some("set_motor_mode disabled"),
            Command::SetMotorMode { mode: Mode::GravityCompensation } => {
                Some("set_motor_mode gravity_compensation")
            }
            Command::SetTorque { on: true, .. } => Some("set_torque on"),
            Command::SetTorque { on: false, .. } => Some("set_torque off"),
            Command::SetGravityCompensation { enabled: true } => Some("set_gravity_compensation on"),
            Command::SetGravityCompensation { enabled: false } => Some("set_gravity_compensation off"),
            Command::SetAutomaticBodyYaw { .. } => Some("set_automatic_body_yaw"),
            Command::SetHeadTracking { enabled: true, .. } => Some("set_head_tracking on"),
            Command::SetHeadTracking { enabled: false, .. } => Some("set_head_tracking off"),
            _ => None,
        }
    }
}

/// Default duration of a move, seconds, as in the official daemon.
const DEFAULT_DURATION_S: f64 = 0.5;

impl FullTarget {
    fn target(&self) -> Result<Target, MotionError> {
        let head = self.head.map(|rows| HeadPose::from_row_major(&rows)).transpose()?;
        target(head, self.antennas, self.body_yaw)
    }
}

impl GotoTarget {
    /// Plans the motion from the current posture.
    pub(super) fn motion(&self, robot: &Robot) -> Result<Motion, MotionError> {
        let target = self.target.target()?;
        robot.executor.check(&target)?;
        Ok(Motion::Goto {
            target,
            duration: duration_from_seconds(self.duration.unwrap_or(DEFAULT_DURATION_S))?,
            interpolation: Interpolation::from(self.method),
        })
    }

    /// Returns the duration, seconds. A task without one is of an unknown kind.
    pub(super) const fn seconds(&self) -> Option<f64> {
        self.duration
    }
}

/// Returns the target of a message that streams one.
fn streamed(command: &Command) -> Option<Result<Target, MotionError>> {
    let only = |head, antennas, body_yaw| FullTarget { head, antennas, body_yaw }.target();
    match command {
        Command::SetTarget { head } => Some(only(Some(*head), None, None)),
        Command::SetAntennas { antennas } => Some(only(None, Some(*antennas), None)),
        Command::SetBodyYaw { body_yaw } => Some(only(None, None, Some(*body_yaw))),
        Command::SetFullTarget(target) => Some(target.target()),
        Command::SetHeadJoints { joints } => Some(posed(joints)),
        _ => None,
    }
}

/// Returns the target for these joint positions.
fn posed(joints: &[f64; 7]) -> Result<Target, MotionError> {
    if !joints.iter().all(|angle| angle.is_finite()) {
        return Err(MotionError::NotFinite { what: "a head joint's target" });
    }
    let [body, s1, s2, s3, s4, s5, s6] = joints.map(Radians);
    let [right, left] = [Radians::ZERO; 2];
    let joints = Joints::new([body, s1, s2, s3, s4, s5, s6, right, left]);
    let posture = posture_from_joints(&joints, &HeadPose::neutral())?;
    Ok(Target { head: Some(posture.head), body_yaw: Some(posture.body_yaw), antennas: None })
}

/// Executes a message that has no response. Errors go to the log.
pub(super) async fn obey(robot: &Arc<Robot>, caller: &Caller, command: Command) {
    if let Some(wanted) = streamed(&command) {
        let followed = wanted.map(|target| robot.follow(&target));
        if let Err(refusal) = followed {
            tracing::warn!("cannot follow a client's target: {refusal}");
        }
        return;
    }
    let done = match command {
        Command::GotoTarget(goto) => {
            goto.motion(robot).map(|motion| begin(robot, MoveRequest::Motions(vec![motion])))
        }
        Command::SetSpeechOffsets { offsets } => {
            sway(robot, &offsets);
            Ok(())
        }
        Command::WakeUp => {
            begin(robot, MoveRequest::WakeUp);
            Ok(())
        }
        Command::GotoSleep => {
            begin(robot, MoveRequest::GoToSleep { release: !caller.by_address });
            Ok(())
        }
        Command::StopMove => {
            if let Some(id) = robot.executor.moving() {
                robot.executor.stop(id);
            }
            Ok(())
        }
        Command::SetMotorMode { mode } => motors::switch(robot, mode).await,
        Command::SetTorque { on, ids } => torque(robot, on, ids).await,
        Command::SetGravityCompensation { enabled } => {
            let control = if enabled { ControlMode::GravityCompensation } else { ControlMode::Position };
            motors::changed(robot, MotorChange::Control(control)).await
        }
        Command::SetAutomaticBodyYaw { enabled } => {
            motors::changed(robot, MotorChange::AutomaticBodyYaw(enabled)).await
        }
        Command::SetHeadTracking { enabled, weight } => {
            if enabled {
                robot.attention.follow(weight);
            } else {
                robot.attention.end();
            }
            Ok(())
        }
        _ => Ok(()),
    };
    if let Err(refusal) = done {
        tracing::warn!("cannot execute a client's message: {refusal}");
    }
}

/// Sets the offset of the head while a client's sound plays. What is no small offset is ignored.
fn sway(robot: &Robot, offsets: &[f64; 6]) {
    const MAX_METRES: f64 = 0.05;
    const MAX_RADIANS: f64 = 0.5;
    let [x, y, z, roll, pitch, yaw] = *offsets;
    let is_small = [x, y, z].iter().all(|part| part.abs() <= MAX_METRES)
        && [roll, pitch, yaw].iter().all(|part| part.abs() <= MAX_RADIANS);
    if !is_small {
        tracing::warn!("cannot follow a client's speech offsets: they are no small offsets of the head");
        return;
    }
    let [roll, pitch, yaw] = [roll, pitch, yaw].map(Radians);
    robot.set_sway(HeadPose::new(x, y, z, RollPitchYaw { roll, pitch, yaw }));
}

fn begin(robot: &Robot, work: MoveRequest) {
    if let Err(busy) = robot.executor.begin(Uuid::new_v4(), work, |_| {}) {
        tracing::warn!("cannot start a client's move: {busy}");
    }
}

async fn torque(robot: &Robot, on: bool, ids: Option<Vec<String>>) -> Result<(), MotionError> {
    let wanted = match ids {
        None => Joints::all(Some(on)),
        Some(ids) => {
            let mut wanted = Joints::all(None);
            for id in ids {
                match Joint::from_name(&id) {
                    Some(joint) => wanted[joint] = Some(on),
                    None => tracing::warn!("ignoring an unknown motor in a client's message: {id:?}"),
                }
            }
            wanted
        }
    };
    motors::changed(robot, MotorChange::Torque(wanted)).await
}
