//! Camera, sound and kinematics, as far as this robot has them. What it lacks answers with the reason.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::{delete, get, post};
use axum::{Json, Router};
use serde_json::{Value, json};

use super::Robot;
use super::daemon::FaceTarget;
use crate::api::given::Refused;

pub(super) fn routes() -> Router<Arc<Robot>> {
    Router::new()
        .route("/api/kinematics/info", get(kinematics))
        .route("/api/kinematics/urdf", get(no_meshes))
        .route("/api/kinematics/stl/{file}", get(no_meshes))
        .route("/api/media/release", post(well))
        .route("/api/media/acquire", post(well))
        .route("/api/media/status", get(media))
        .route("/api/media/play_sound", post(silent))
        .route("/api/media/stop_sound", post(silent))
        .route("/api/media/clear_incoming_audio", post(silent))
        .route("/api/media/wobbling/enable", post(silent))
        .route("/api/media/wobbling/disable", post(silent))
        .route("/api/media/sounds", get(silent))
        .route("/api/media/sounds/upload", post(silent))
        .route("/api/media/sounds/{file}", delete(silent))
        .route("/api/media/tracking/enable", post(no_tracking))
        .route("/api/media/tracking/disable", post(no_tracking))
        .route("/api/media/tracking/face", get(no_face))
        .route("/api/camera/specs", get(no_camera))
        .route("/api/volume/current", get(silent))
        .route("/api/volume/set", post(silent))
        .route("/api/volume/test-sound", post(silent))
        .route("/api/volume/microphone/current", get(silent))
        .route("/api/volume/microphone/set", post(silent))
}

async fn kinematics() -> Json<Value> {
    Json(json!({ "info": { "engine": "AnalyticalKinematics", "collision check": false } }))
}

async fn no_meshes() -> Refused {
    Refused::because(
        StatusCode::NOT_IMPLEMENTED,
        "the robot's drawings are not part of this program; the official package has them in `descriptions/`",
    )
}

/// Clients of the SDK ask for the camera and the sound devices to be let go: nothing here holds them.
async fn well() -> Json<Value> {
    Json(json!({ "status": "ok" }))
}

async fn media() -> Json<Value> {
    Json(json!({ "available": false, "released": false, "no_media": true }))
}

async fn silent() -> Refused {
    Refused::because(StatusCode::NOT_IMPLEMENTED, "there is no sound device")
}

async fn no_camera() -> Refused {
    Refused::because(StatusCode::NOT_IMPLEMENTED, "the official camera's streams are not served here")
}

/// No face is looked for yet, which the official answer has a word for.
async fn no_tracking(State(robot): State<Arc<Robot>>) -> Result<Json<Value>, Refused> {
    robot.running().map(|()| Json(json!({ "status": "unavailable", "enabled": false })))
}

async fn no_face(State(robot): State<Arc<Robot>>) -> Result<Json<Value>, Refused> {
    robot.running().map(|()| Json(json!({ "status": "ok", "face_target": FaceTarget::default() })))
}
