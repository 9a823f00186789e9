//! The lifecycle of the daemon as clients see it: it runs from the start; while it is stopped, the robot does not move.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{Robot, VERSION, mode};
use crate::api::caller::{Caller, MediaAccess};
use crate::api::extract::{ApiError, JsonBody, unprocessable};
use minismith_control::gaze::SeenFace;
use minismith_control::motion_executor::MoveRequest;
use minismith_media::camera_model;

/// Maximum length of a robot's name, characters, as in the official daemon.
const MAX_NAME_CHARS: usize = 64;

/// The state of the daemon.
///
/// ```text
/// Running --stop--> Stopping --at rest--> Stopped --start--> Starting --awake--> Running
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Lifecycle {
    #[default]
    Running,
    Stopping,
    Stopped,
    Starting,
}

impl Lifecycle {
    pub(super) const fn is_running(self) -> bool {
        matches!(self, Lifecycle::Running)
    }
}

/// The face that the head tracks.
#[derive(Default, Serialize)]
pub(super) struct FaceTarget {
    detected: bool,
    x: Option<f64>,
    y: Option<f64>,
    roll: Option<f64>,
    /// Timestamp, seconds of the robot's clock.
    ts: Option<f64>,
}

impl From<Option<SeenFace>> for FaceTarget {
    fn from(seen: Option<SeenFace>) -> Self {
        seen.map_or_else(FaceTarget::default, |seen| FaceTarget {
            detected: true,
            x: Some(seen.x),
            y: Some(seen.y),
            roll: Some(seen.roll),
            ts: Some(seen.at.seconds()),
        })
    }
}

pub(super) fn routes() -> Router<Arc<Robot>> {
    Router::new()
        .route("/api/daemon/status", get(status))
        .route("/api/daemon/start", post(start))
        .route("/api/daemon/stop", post(stop))
        .route("/api/daemon/restart", post(restart))
        .route("/api/daemon/robot-name", get(name).post(rename))
        .route("/api/daemon/hardware-id", get(hardware_id))
        .route("/api/daemon/robot-app-lock-status", get(lock_status))
        .route("/health-check", post(health_check))
}

/// Returns the official status, for responses and for messages to clients of the SDK, which are on this computer or not.
pub(super) fn reported(robot: &Robot, media: MediaAccess) -> Value {
    let snapshot = robot.snapshot();
    let fault = snapshot.fault.as_ref().map(ToString::to_string);
    let lifecycle = robot.lifecycle();
    let state = match &fault {
        Some(_) if lifecycle.is_running() => json!("error"),
        _ => json!(lifecycle),
    };
    let backend = lifecycle.is_running().then(|| {
        let motors = json!(mode(&snapshot));
        if robot.is_real {
            json!({ "ready": fault.is_none(), "motor_control_mode": motors, "last_alive": null,
                "control_loop_stats": {}, "error": fault })
        } else {
            json!({ "motor_control_mode": motors, "error": fault })
        }
    });
    json!({
        "type": "daemon_status",
        "robot_name": robot.name(),
        "state": state,
        "wireless_version": false,
        "desktop_app_daemon": false,
        "simulation_enabled": false,
        "mockup_sim_enabled": !robot.is_real,
        "no_media": !robot.has_media(media),
        "media_released": robot.media_released.load(Ordering::Relaxed),
        "camera_specs_name": if robot.has_media(media) { camera_model::NAME } else { "" },
        "backend_status": backend,
        "error": fault,
        "wlan_ip": robot.webrtc_address.filter(|_| media == MediaAccess::Remote),
        "version": VERSION,
        "hardware_id": null,
        "face_target": FaceTarget::from(robot.attention.status().face),
    })
}

async fn status(State(robot): State<Arc<Robot>>, media: MediaAccess) -> Json<Value> {
    Json(reported(&robot, media))
}

#[derive(Deserialize)]
struct Start {
    wake_up: bool,
}

#[derive(Deserialize)]
struct Stop {
    goto_sleep: bool,
}

type Answer = Result<Json<Value>, ApiError>;

/// Starts a transition; returns an error during another one.
fn job(robot: &Arc<Robot>, by: Lifecycle, to: Lifecycle, work: Option<MoveRequest>) -> Answer {
    let mut lifecycle = robot.lifecycle.lock().unwrap_or_else(PoisonError::into_inner);
    if matches!(*lifecycle, Lifecycle::Starting | Lifecycle::Stopping) {
        return Err(ApiError::new(StatusCode::CONFLICT, "Daemon is busy."));
    }
    let id = Uuid::new_v4();
    let Some(work) = work else {
        *lifecycle = to;
        return Ok(Json(json!({ "job_id": id })));
    };
    let ended = robot.clone();
    let begun = robot.executor.begin(id, work, move |done| {
        if let Err(why) = done {
            tracing::warn!("the daemon's transition to {to:?} failed: {why}");
        }
        ended.set_lifecycle(to);
    });
    begun.map_err(|busy| ApiError::new(StatusCode::CONFLICT, &busy.to_string()))?;
    *lifecycle = by;
    Ok(Json(json!({ "job_id": id })))
}

async fn start(State(robot): State<Arc<Robot>>, wanted: Result<Query<Start>, QueryRejection>) -> Answer {
    let Query(Start { wake_up }) = wanted.map_err(|why| unprocessable("query", &why.body_text()))?;
    job(&robot, Lifecycle::Starting, Lifecycle::Running, wake_up.then_some(MoveRequest::WakeUp))
}

async fn stop(
    State(robot): State<Arc<Robot>>,
    caller: Caller,
    wanted: Result<Query<Stop>, QueryRejection>,
) -> Answer {
    let Query(Stop { goto_sleep }) = wanted.map_err(|why| unprocessable("query", &why.body_text()))?;
    let sleep = MoveRequest::GoToSleep { release: !caller.by_address };
    job(&robot, Lifecycle::Stopping, Lifecycle::Stopped, goto_sleep.then_some(sleep))
}

/// Starts the daemon; nothing else needs a restart.
async fn restart(State(robot): State<Arc<Robot>>) -> Answer {
    job(&robot, Lifecycle::Starting, Lifecycle::Running, None)
}

async fn name(State(robot): State<Arc<Robot>>) -> Json<Value> {
    Json(json!({ "name": robot.name() }))
}

#[derive(Deserialize)]
struct Name {
    name: String,
}

/// Renames the robot until the server ends; the official daemon stores the name.
async fn rename(State(robot): State<Arc<Robot>>, JsonBody(Name { name }): JsonBody<Name>) -> Answer {
    let name = name.trim();
    if name.is_empty() || name.chars().count() > MAX_NAME_CHARS || name.chars().any(char::is_control) {
        let why = "invalid name: use 1 to 64 characters without control characters";
        return Err(unprocessable("body.name", why));
    }
    *robot.name.lock().unwrap_or_else(PoisonError::into_inner) = name.to_owned();
    if let Some(Err(error)) = robot.announcement.as_ref().map(|announcement| announcement.rename(name)) {
        tracing::warn!("{error}");
    }
    Ok(Json(json!({ "name": name })))
}

async fn hardware_id() -> Json<Value> {
    Json(json!({ "hardware_id": null }))
}

async fn lock_status() -> Json<Value> {
    Json(json!({ "state": "free", "holder_name": null }))
}

async fn health_check() -> Json<Value> {
    Json(json!({ "status": "ok" }))
}
