//! Camera and kinematics. Missing features respond with the reason.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use super::Robot;
use super::daemon::FaceTarget;
use crate::api::caller::LocalMedia;
use crate::api::extract::{ApiError, unprocessable};
use crate::media::camera_model;

pub(super) fn routes() -> Router<Arc<Robot>> {
    Router::new()
        .route("/api/kinematics/info", get(kinematics))
        .route("/api/kinematics/urdf", get(no_meshes))
        .route("/api/kinematics/stl/{file}", get(no_meshes))
        .route("/api/media/release", post(release))
        .route("/api/media/acquire", post(acquire))
        .route("/api/media/status", get(media))
        .route("/api/media/tracking/enable", post(track))
        .route("/api/media/tracking/disable", post(ignore))
        .route("/api/media/tracking/face", get(face))
        .route("/api/camera/specs", get(camera))
}

async fn kinematics() -> Json<Value> {
    Json(json!({ "info": { "engine": "AnalyticalKinematics", "collision check": false } }))
}

async fn no_meshes() -> ApiError {
    ApiError::new(
        StatusCode::NOT_IMPLEMENTED,
        "not available: this program does not contain the robot's meshes; the official package has them in `descriptions/`",
    )
}

/// Leaves the camera to a client that opens it itself. The sound devices are shared.
async fn release(State(robot): State<Arc<Robot>>) -> Json<Value> {
    robot.media_released.store(true, Ordering::Relaxed);
    robot.observer.release(true);
    Json(json!({ "status": "ok" }))
}

async fn acquire(State(robot): State<Arc<Robot>>) -> Json<Value> {
    robot.media_released.store(false, Ordering::Relaxed);
    robot.observer.release(false);
    Json(json!({ "status": "ok" }))
}

async fn media(State(robot): State<Arc<Robot>>, LocalMedia(local): LocalMedia) -> Json<Value> {
    let (has, released) = (robot.has_media(local), robot.media_released.load(Ordering::Relaxed));
    Json(json!({ "available": has && !released, "released": released, "no_media": !has }))
}

/// Returns the camera that clients of the SDK see.
async fn camera() -> Json<Value> {
    Json(camera_model::specs())
}

#[derive(Deserialize)]
struct Weight {
    weight: f64,
}

/// Tracks a face, if there is a camera and a face detector.
async fn track(State(robot): State<Arc<Robot>>, body: Bytes) -> Result<Json<Value>, ApiError> {
    robot.running()?;
    // The body is optional, as in the official daemon.
    let weight =
        if body.is_empty() { Ok(Weight { weight: 1.0 }) } else { serde_json::from_slice::<Weight>(&body) };
    let Some(Weight { weight }) = weight.ok().filter(|given| (0.0..=1.0).contains(&given.weight)) else {
        return Err(unprocessable("body.weight", "`weight` is out of range: use 0 to 1"));
    };
    let enabled = robot.observer.frame().is_ok();
    if enabled {
        robot.attention.follow(weight);
    }
    Ok(Json(json!({ "status": if enabled { "ok" } else { "unavailable" }, "enabled": enabled })))
}

async fn ignore(State(robot): State<Arc<Robot>>) -> Result<Json<Value>, ApiError> {
    robot.running()?;
    robot.attention.end();
    Ok(Json(json!({ "status": "ok", "enabled": false })))
}

async fn face(State(robot): State<Arc<Robot>>) -> Result<Json<Value>, ApiError> {
    robot.running()?;
    let face = FaceTarget::from(robot.attention.status().face);
    Ok(Json(json!({ "status": "ok", "face_target": face })))
}
