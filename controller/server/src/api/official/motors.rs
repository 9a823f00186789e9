//! The control mode of the motors.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::{Json, Router};
use firmware_bridge::joint::Joints;
use firmware_bridge::motion::Refusal;
use firmware_bridge::pulse::Control;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::{Mode, Robot, mode};
use crate::api::given::{Refused, unprocessable};
use minismith_control::mover::Change;
use minismith_runtime::outcome::word;

pub(super) fn routes() -> Router<Arc<Robot>> {
    Router::new()
        .route("/api/motors/status", get(status))
        .route("/api/motors/set_mode/{mode}", post(set_mode))
}

async fn status(State(robot): State<Arc<Robot>>) -> Result<Json<Value>, Refused> {
    robot.running()?;
    Ok(Json(json!({ "mode": mode(&robot.snapshot()) })))
}

async fn set_mode(
    State(robot): State<Arc<Robot>>,
    Path(wanted): Path<String>,
) -> Result<Json<Value>, Refused> {
    let wanted: Mode = serde_json::from_value(wanted.into())
        .map_err(|_| unprocessable("path", "unknown mode: use enabled, disabled or gravity_compensation"))?;
    robot.running()?;
    switch(&robot, wanted)
        .await
        .map_err(|refusal| Refused::because(StatusCode::CONFLICT, &refusal.to_string()))?;
    Ok(Json(json!({ "status": format!("motors changed to {} mode", word(&wanted)) })))
}

/// Changes the mode of all motors once the current motion has ended.
pub(super) async fn switch(robot: &Robot, wanted: Mode) -> Result<(), Refusal> {
    let led = robot.snapshot().control == Control::GravityCompensation;
    match wanted {
        Mode::Enabled if led => changed(robot, Change::Control(Control::Position)).await,
        Mode::Enabled => changed(robot, Change::Torque(Joints::all(Some(true)))).await,
        Mode::Disabled => changed(robot, Change::Torque(Joints::all(Some(false)))).await,
        Mode::GravityCompensation => changed(robot, Change::Control(Control::GravityCompensation)).await,
    }
}

/// Applies a change and waits until it is applied.
pub(super) async fn changed(robot: &Robot, change: Change) -> Result<(), Refusal> {
    let (tell, told) = oneshot::channel();
    robot.mover.change(change, move |done| {
        // The client may have disconnected.
        let _heard = tell.send(done);
    });
    told.await.unwrap_or(Err(Refusal::Stopped))
}
