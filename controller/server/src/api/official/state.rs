//! The robot's state: single values, all values, and a stream.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{any, get};
use axum::{Json, Router};
use firmware_bridge::control_loop::LoopSnapshot;
use firmware_bridge::kinematics::FittedPosture;
use firmware_bridge::posture::Posture;
use serde::{Deserialize, Serialize};
use tokio::time::{MissedTickBehavior, interval};

use super::pose::{AnyPose, antennas, commanded, head_joints};
use super::sensors::{ImuReading, SoundDirection};
use super::{Mode, Robot, mode, now};
use crate::api::extract::ApiError;

/// Maximum rate of a stream, Hz: tokio's timer has a resolution of one millisecond.
const MAX_RATE_HZ: f64 = 1_000.0;
/// Minimum rate of a stream, Hz.
const MIN_RATE_HZ: f64 = 0.01;

pub(super) fn routes() -> Router<Arc<Robot>> {
    Router::new()
        .route("/api/state/present_head_pose", get(head_pose))
        .route("/api/state/present_body_yaw", get(body_yaw))
        .route("/api/state/present_antenna_joint_positions", get(antenna_positions))
        .route("/api/state/doa", get(doa))
        .route("/api/state/imu", get(imu))
        .route("/api/state/full", get(full))
        .route("/api/state/ws/full", any(stream))
}

#[derive(Deserialize)]
#[serde(default)]
struct Fields {
    with_control_mode: bool,
    with_head_pose: bool,
    with_target_head_pose: bool,
    with_head_joints: bool,
    with_target_head_joints: bool,
    with_body_yaw: bool,
    with_target_body_yaw: bool,
    with_antenna_positions: bool,
    with_target_antenna_positions: bool,
    with_doa: bool,
    with_imu: bool,
    use_pose_matrix: bool,
    /// Rate of a stream, Hz.
    frequency: f64,
}

impl Default for Fields {
    fn default() -> Self {
        Fields {
            with_control_mode: true,
            with_head_pose: true,
            with_target_head_pose: false,
            with_head_joints: false,
            with_target_head_joints: false,
            with_body_yaw: true,
            with_target_body_yaw: false,
            with_antenna_positions: true,
            with_target_antenna_positions: false,
            with_doa: false,
            with_imu: false,
            use_pose_matrix: false,
            frequency: 10.0,
        }
    }
}

/// All official fields, null if they were not requested or this robot lacks them. Fields of targets are present only on
/// request; the official daemon accepts the request and never sends them.
#[derive(Serialize)]
struct FullState {
    control_mode: Option<Mode>,
    head_pose: Option<AnyPose>,
    head_joints: Option<[f64; 7]>,
    body_yaw: Option<f64>,
    antennas_position: Option<[f64; 2]>,
    timestamp: String,
    passive_joints: Option<[f64; 21]>,
    doa: Option<SoundDirection>,
    imu: Option<ImuReading>,
    /// Only if no head fits the present positions, so `head_pose` is the nearest one: the largest error of a rod's length,
    /// metres. The official daemon has no such field.
    #[serde(skip_serializing_if = "Option::is_none")]
    head_pose_error: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target_head_pose: Option<AnyPose>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target_head_joints: Option<[f64; 7]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target_body_yaw: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target_antennas_position: Option<[f64; 2]>,
}

impl FullState {
    async fn of(
        robot: &Arc<Robot>,
        snapshot: &LoopSnapshot,
        fitted: &FittedPosture,
        fields: &Fields,
    ) -> Self {
        let posture = &fitted.posture;
        let doa = if fields.with_doa { direction(robot.clone()).await } else { None };
        let wants_target = fields.with_target_head_pose
            || fields.with_target_head_joints
            || fields.with_target_body_yaw
            || fields.with_target_antenna_positions;
        let aim = if wants_target { commanded(snapshot) } else { None };
        let pose = |posture: &Posture| AnyPose::of(&posture.head, fields.use_pose_matrix);
        FullState {
            control_mode: fields.with_control_mode.then(|| mode(snapshot)),
            head_pose: fields.with_head_pose.then(|| pose(posture)),
            head_joints: snapshot
                .state
                .present()
                .ok()
                .filter(|_| fields.with_head_joints)
                .map(|joints| head_joints(&joints)),
            body_yaw: fields.with_body_yaw.then_some(posture.body_yaw.value()),
            antennas_position: fields.with_antenna_positions.then_some(antennas(&posture.antennas)),
            timestamp: now(),
            passive_joints: None,
            doa,
            imu: if fields.with_imu { robot.imu(posture) } else { None },
            head_pose_error: (fields.with_head_pose && fitted.residual > 0.0).then_some(fitted.residual),
            target_head_pose: aim.as_ref().filter(|_| fields.with_target_head_pose).map(pose),
            target_head_joints: fields.with_target_head_joints.then(|| head_joints(&snapshot.goal)),
            target_body_yaw: aim
                .as_ref()
                .filter(|_| fields.with_target_body_yaw)
                .map(|aim| aim.body_yaw.value()),
            target_antennas_position: aim
                .as_ref()
                .filter(|_| fields.with_target_antenna_positions)
                .map(|aim| antennas(&aim.antennas)),
        }
    }
}

async fn head_pose(
    State(robot): State<Arc<Robot>>,
    Query(fields): Query<Fields>,
) -> Result<Json<AnyPose>, ApiError> {
    let (_, fitted) = robot.present()?;
    Ok(Json(AnyPose::of(&fitted.posture.head, fields.use_pose_matrix)))
}

async fn body_yaw(State(robot): State<Arc<Robot>>) -> Result<Json<f64>, ApiError> {
    Ok(Json(robot.present()?.1.posture.body_yaw.value()))
}

async fn antenna_positions(State(robot): State<Arc<Robot>>) -> Result<Json<[f64; 2]>, ApiError> {
    Ok(Json(antennas(&robot.present()?.1.posture.antennas)))
}

/// Returns the direction of the last sound; null without the robot's microphones.
async fn doa(State(robot): State<Arc<Robot>>) -> Result<Json<Option<SoundDirection>>, ApiError> {
    robot.running()?;
    Ok(Json(direction(robot).await))
}

/// Reads the microphones on another thread: it takes some milliseconds.
async fn direction(robot: Arc<Robot>) -> Option<SoundDirection> {
    tokio::task::spawn_blocking(move || robot.directions.direction())
        .await
        .ok()
        .flatten()
        .map(SoundDirection::from)
}

/// Returns the inertial sensor's reading; null on a robot that is not simulated.
async fn imu(State(robot): State<Arc<Robot>>) -> Result<Json<Option<ImuReading>>, ApiError> {
    let (_, fitted) = robot.present()?;
    Ok(Json(robot.imu(&fitted.posture)))
}

async fn full(
    State(robot): State<Arc<Robot>>,
    Query(fields): Query<Fields>,
) -> Result<Json<FullState>, ApiError> {
    let (snapshot, fitted) = robot.present()?;
    Ok(Json(FullState::of(&robot, &snapshot, &fitted, &fields).await))
}

async fn stream(
    State(robot): State<Arc<Robot>>,
    Query(fields): Query<Fields>,
    upgrade: WebSocketUpgrade,
) -> Result<Response, ApiError> {
    if fields.frequency.is_nan() || fields.frequency <= 0.0 {
        return Err(ApiError::new(
            StatusCode::BAD_REQUEST,
            "`frequency` is out of range: use more than 0 Hz",
        ));
    }
    robot.running()?;
    let hertz = fields.frequency.clamp(MIN_RATE_HZ, MAX_RATE_HZ);
    let period = Duration::from_secs_f64(hertz.recip());
    Ok(upgrade
        .max_message_size(super::MAX_MESSAGE_BYTES)
        .on_upgrade(move |socket| send(socket, robot, fields, period)))
}

async fn send(mut socket: WebSocket, robot: Arc<Robot>, fields: Fields, period: Duration) {
    let mut ticks = interval(period);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    loop {
        tokio::select! {
            _ = ticks.tick() => {
                // Skip a frame without known positions and go on.
                let Ok((snapshot, fitted)) = robot.present() else { continue };
                let Ok(text) = serde_json::to_string(&FullState::of(&robot, &snapshot, &fitted, &fields).await) else { continue };
                if socket.send(Message::Text(text.into())).await.is_err() {
                    return;
                }
            }
            heard = socket.recv() => if !matches!(heard, Some(Ok(_))) { return },
        }
    }
}
