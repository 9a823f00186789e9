//! The control mode of the motors.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::{Json, Router};
use firmware_bridge::control_loop::ControlMode;
use firmware_bridge::joint::Joints;
use firmware_bridge::motion::MotionError;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::{Mode, Robot, mode};
use crate::api::extract::{ApiError, unprocessable};
use minismith_control::motion_executor::MotorChange;
use minismith_runtime::report::serde_name;

pub(super) fn routes() -> Router<Arc<Robot>> {
    Router::new()
        .route("/api/motors/status", get(status))
        .route("/api/motors/set_mode/{mode}", post(set_mode))
}

async fn status(State(robot): State<Arc<Robot>>) -> Result<Json<Value>, ApiError> {
    robot.running()?;
    Ok(Json(json!({ "mode": mode(&robot.snapshot()) })))
}

async fn set_mode(
    State(robot): State<Arc<Robot>>,
    Path(wanted): Path<String>,
) -> Result<Json<Value>, ApiError> {
    let wanted: Mode = serde_json::from_value(wanted.into())
        .map_err(|_| unprocessable("path", "unknown mode: use enabled, disabled or gravity_compensation"))?;
    robot.running()?;
    switch(&robot, wanted)
        .await
        .map_err(|refusal| ApiError::new(StatusCode::CONFLICT, &refusal.to_string()))?;
    Ok(Json(json!({ "status": format!("motors changed to {} mode", serde_name(&wanted)) })))
}

/// Changes the mode of all motors once the current motion has ended.
pub(super) async fn switch(robot: &Robot, wanted: Mode) -> Result<(), MotionError> {
    let led = robot.snapshot().control_mode == ControlMode::GravityCompensation;
    match wanted {
        Mode::Enabled if led => changed(robot, MotorChange::Control(ControlMode::Position)).await,
        Mode::Enabled => changed(robot, MotorChange::Torque(Joints::all(Some(true)))).await,
        Mode::Disabled => changed(robot, MotorChange::Torque(Joints::all(Some(false)))).await,
        Mode::GravityCompensation => {
            changed(robot, MotorChange::Control(ControlMode::GravityCompensation)).await
        }
    }
}

/// Applies a change and waits until it is applied.
pub(super) async fn changed(robot: &Robot, change: MotorChange) -> Result<(), MotionError> {
    let (report, reported) = oneshot::channel();
    robot.executor.change(change, move |done| {
        // The client may have disconnected.
        let _heard = report.send(done);
    });
    reported.await.unwrap_or(Err(MotionError::Stopped))
}
