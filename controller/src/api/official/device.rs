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
        .route("/api/camera/specs", get(camera))
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

/// What the official daemon says where it has no camera: the numbers of the Lite's, from the official package's
/// `media/camera_constants.py`. Its SDK reckons with them.
async fn camera() -> Json<Value> {
    let resolution = |width: u32, height: u32, fps: u32, crop: f64| {
        let name = format!("R{width}x{height}at{fps}fps");
        json!({ "name": name, "width": width, "height": height, "fps": fps, "crop_factor": crop })
    };
    Json(json!({
        "name": "lite",
        "available_resolutions": [
            resolution(1920, 1080, 60, 1.115),
            resolution(3840, 2592, 30, 1.0),
            resolution(3840, 2160, 30, 1.109),
            resolution(3264, 2448, 30, 1.115),
        ],
        "default_resolution": resolution(1920, 1080, 60, 1.115),
        "K": [
            [2_001.807_642_648_670_7, 0.0, 1_905.876_059_826_701],
            [0.0, 2_003.077_888_594_410_5, 1_328.323_971_793_559_4],
            [0.0, 0.0, 1.0],
        ],
        "D": [
            -1.465_232_030_129_861_8,
            0.654_271_413_166_741_4,
            0.012_147_809_271_745_049,
            -0.002_677_286_460_143_648,
            0.303_593_994_182_534_9,
            -1.430_080_908_046_187_6,
            0.570_024_082_887_235,
            0.356_729_924_335_295_1,
            0.003_057_363_348_400_015,
            0.000_335_761_400_868_246_4,
            -0.009_897_126_394_310_923,
            -0.002_050_919_484_589_521,
        ],
    }))
}

/// No face is looked for yet, which the official answer has a word for.
async fn no_tracking(State(robot): State<Arc<Robot>>) -> Result<Json<Value>, Refused> {
    robot.running().map(|()| Json(json!({ "status": "unavailable", "enabled": false })))
}

async fn no_face(State(robot): State<Arc<Robot>>) -> Result<Json<Value>, Refused> {
    robot.running().map(|()| Json(json!({ "status": "ok", "face_target": FaceTarget::default() })))
}
