//! Camera, kinematics, and the robot's description.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::body::Bytes;
use axum::extract::{Path as Name, State};
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use super::Robot;
use super::daemon::FaceTarget;
use crate::api::caller::MediaAccess;
use crate::api::extract::{ApiError, unprocessable};
use minismith_media::camera_model;

pub(super) fn routes() -> Router<Arc<Robot>> {
    Router::new()
        .route("/api/kinematics/info", get(kinematics))
        .route("/api/kinematics/urdf", get(urdf))
        .route("/api/kinematics/stl/{file}", get(mesh))
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

/// The folder with the description of the robot, in the folder of the official package.
const DESCRIPTION: &str = "reachy_mini/descriptions/reachy_mini/urdf";

/// Reads a file of the robot's description, which is part of the official package.
async fn description(robot: &Robot, file: &Path) -> Result<Vec<u8>, ApiError> {
    let folder = robot.apps.manager()?.host().sdk.join(DESCRIPTION);
    if !folder.is_dir() {
        return Err(ApiError::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "the robot's description is part of the official SDK, which is not installed: `minismith app install` installs it \
             with the first app; or name its folder in `compat.app_sdk`",
        ));
    }
    let unknown = |_| ApiError::new(StatusCode::NOT_FOUND, "the robot's description has no such file");
    let path = folder.join(file);
    let read = tokio::task::spawn_blocking(move || std::fs::read(path)).await.map_err(std::io::Error::from);
    read.flatten().map_err(unknown)
}

/// Returns the description of the robot, whose meshes `/api/kinematics/stl` has by their names.
async fn urdf(State(robot): State<Arc<Robot>>) -> Result<Json<Value>, ApiError> {
    let text = description(&robot, Path::new("robot.urdf")).await?;
    Ok(Json(json!({ "urdf": String::from_utf8_lossy(&text) })))
}

async fn mesh(
    State(robot): State<Arc<Robot>>,
    Name(file): Name<String>,
) -> Result<impl IntoResponse, ApiError> {
    // The name comes from outside: one file of one folder.
    let name = Path::new(&file);
    if name.file_name() != Some(name.as_os_str())
        || name.extension().is_none_or(|extension| extension != "stl")
    {
        return Err(unprocessable("path.file", "name one mesh, such as `head.stl`"));
    }
    let content = description(&robot, &Path::new("assets").join(name)).await?;
    Ok(([(header::CONTENT_TYPE, "model/stl")], content))
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

async fn media(State(robot): State<Arc<Robot>>, media: MediaAccess) -> Json<Value> {
    let (has, released) = (robot.has_media(media), robot.media_released.load(Ordering::Relaxed));
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
