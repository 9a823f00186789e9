//! Moves and targets.

use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;

use axum::extract::ws::{Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{any, get, post};
use axum::{Json, Router};
use firmware_bridge::motion::{Interpolation, Motion, MotionError, duration_from_seconds};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::broadcast::error::RecvError;
use uuid::Uuid;

use super::Robot;
use super::pose::{AnyPose, target};
use crate::api::caller::{Caller, MessageAuthor};
use crate::api::extract::{ApiError, JsonBody, object, unprocessable};
use minismith_control::motion_executor::{Event, MoveRequest, MoveStatus};
use minismith_control::recorded_move;

pub(super) fn routes() -> Router<Arc<Robot>> {
    Router::new()
        .route("/api/move/running", get(running))
        .route("/api/move/goto", post(goto))
        .route("/api/move/play/wake_up", post(wake_up))
        .route("/api/move/play/goto_sleep", post(goto_sleep))
        .route("/api/move/stop", post(stop))
        .route("/api/move/set_target", post(set_target))
        .route("/api/move/recorded-move-datasets/list/{*dataset}", get(list))
        .route("/api/move/play/recorded-move-dataset/{*path}", post(play))
        .route("/api/move/ws/updates", any(updates))
        .route("/api/move/ws/set_target", any(targets))
        .route("/api/move/ws/raw/write", any(raw))
}

#[derive(Deserialize)]
struct Goto {
    #[serde(default)]
    head_pose: Option<AnyPose>,
    #[serde(default)]
    antennas: Option<[f64; 2]>,
    #[serde(default)]
    body_yaw: Option<f64>,
    duration: f64,
    #[serde(default)]
    interpolation: InterpolationName,
}

/// The official names of interpolations.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum InterpolationName {
    Linear,
    #[default]
    Minjerk,
    EaseInOut,
    Cartoon,
}

impl From<InterpolationName> for Interpolation {
    fn from(manner: InterpolationName) -> Self {
        match manner {
            InterpolationName::Linear => Interpolation::Linear,
            InterpolationName::Minjerk => Interpolation::Minjerk,
            InterpolationName::EaseInOut => Interpolation::EaseInOut,
            InterpolationName::Cartoon => Interpolation::Cartoon,
        }
    }
}

#[derive(Deserialize)]
struct FullBodyTarget {
    #[serde(default)]
    target_head_pose: Option<AnyPose>,
    #[serde(default)]
    target_antennas: Option<[f64; 2]>,
    #[serde(default)]
    target_body_yaw: Option<f64>,
}

#[derive(Deserialize)]
struct MoveId {
    uuid: Uuid,
}

type Answer = Result<Json<Value>, ApiError>;

/// Starts a move and responds with its id.
fn begin(robot: &Robot, work: MoveRequest) -> Answer {
    let id = Uuid::new_v4();
    let begun = robot.executor.begin(id, work, |_| {});
    begun.map_err(|busy| ApiError::new(StatusCode::CONFLICT, &busy.to_string()))?;
    Ok(Json(json!({ "uuid": id })))
}

async fn running(State(robot): State<Arc<Robot>>) -> Json<Value> {
    Json(robot.executor.moving().map_or_else(|| json!([]), |id| json!([{ "uuid": id }])))
}

async fn goto(State(robot): State<Arc<Robot>>, JsonBody(goto): JsonBody<Goto>) -> Answer {
    robot.running()?;
    let motion = goto.motion(&robot).map_err(|refusal| reported(&refusal))?;
    begin(&robot, MoveRequest::Motions(vec![motion]))
}

impl Goto {
    /// Plans the motion from the current posture.
    fn motion(&self, robot: &Robot) -> Result<Motion, MotionError> {
        let head = self.head_pose.map(|pose| pose.pose()).transpose()?;
        let target = target(head, self.antennas, self.body_yaw)?;
        robot.executor.check(&target)?;
        Ok(Motion::Goto {
            target,
            duration: duration_from_seconds(self.duration)?,
            interpolation: self.interpolation.into(),
        })
    }
}

/// Converts an error: 422 if the request caused it, 409 if the state of the robot did.
fn reported(refusal: &MotionError) -> ApiError {
    match refusal {
        MotionError::TorqueOff
        | MotionError::HandGuidingActive
        | MotionError::ControlledBy { .. }
        | MotionError::Stopped
        | MotionError::Fault { .. }
        | MotionError::HeadPoseUnknown(_) => ApiError::new(StatusCode::CONFLICT, &refusal.to_string()),
        MotionError::Unreachable(_)
        | MotionError::JointLimit { .. }
        | MotionError::NotFinite { .. }
        | MotionError::InvalidPose(_)
        | MotionError::InvalidDuration { .. }
        | MotionError::OutOfOrder { .. } => unprocessable("body", &refusal.to_string()),
    }
}

async fn wake_up(State(robot): State<Arc<Robot>>) -> Answer {
    robot.running()?;
    begin(&robot, MoveRequest::WakeUp)
}

async fn goto_sleep(State(robot): State<Arc<Robot>>, caller: Caller) -> Answer {
    robot.running()?;
    begin(&robot, MoveRequest::GoToSleep { release: !caller.by_address })
}

async fn stop(State(robot): State<Arc<Robot>>, JsonBody(MoveId { uuid: id }): JsonBody<MoveId>) -> Answer {
    if robot.executor.stop(id) {
        Ok(Json(json!({ "message": format!("Stopped move with UUID: {id}") })))
    } else {
        let why = format!("Running move with UUID {id} not found");
        Err(ApiError::new(StatusCode::NOT_FOUND, &why))
    }
}

async fn set_target(State(robot): State<Arc<Robot>>, JsonBody(wanted): JsonBody<FullBodyTarget>) -> Answer {
    robot.running()?;
    follow(&robot, &wanted).map(Json).map_err(|refusal| reported(&refusal))
}

/// Follows a target; the response is `ignored` with the reason if that is not possible.
fn follow(robot: &Robot, wanted: &FullBodyTarget) -> Result<Value, MotionError> {
    let head = wanted.target_head_pose.map(|pose| pose.pose()).transpose()?;
    let target = target(head, wanted.target_antennas, wanted.target_body_yaw)?;
    if let Err(refusal) = robot.executor.check(&target) {
        return Ok(json!({ "status": "ignored", "reason": refusal.to_string() }));
    }
    Ok(match robot.follow(&target) {
        Ok(()) => json!({ "status": "ok" }),
        Err(_) => json!({ "status": "ignored", "reason": "move_running" }),
    })
}

/// Returns the cache of the official library for sets of moves.
fn hub() -> Option<PathBuf> {
    let var = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    var("HF_HUB_CACHE")
        .or_else(|| var("HF_HOME").map(|home| home.join("hub")))
        .or_else(|| var("HOME").map(|home| home.join(".cache/huggingface/hub")))
}

/// Returns the newest cached copy of a set of moves; its name is `owner/name`.
fn dataset(name: &str) -> Option<PathBuf> {
    let is_plain = |part: &str| {
        !part.is_empty()
            && !part.starts_with('.')
            && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
    };
    let (owner, set) = name.split_once('/')?;
    if !is_plain(owner) || !is_plain(set) {
        return None;
    }
    let folder = hub()?.join(format!("datasets--{owner}--{set}"));
    let revision = std::fs::read_to_string(folder.join("refs/main")).ok()?;
    let revision = revision.trim();
    let copy = folder.join("snapshots").join(revision);
    (is_plain(revision) && copy.is_dir()).then_some(copy)
}

fn no_dataset(name: &str) -> ApiError {
    let why = format!(
        "unknown set of moves {name:?}: this machine has no copy; download it with `hf download --repo-type dataset OWNER/NAME`"
    );
    ApiError::new(StatusCode::NOT_FOUND, &why)
}

/// Returns the files of moves in a copy: at the top or one folder below, as in the official library.
fn files(copy: &FilePath) -> Vec<PathBuf> {
    let entries = |folder: &FilePath| {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect::<Vec<_>>()
    };
    let is_move = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "json");
    let (folders, mut files): (Vec<_>, Vec<_>) = entries(copy).into_iter().partition(|path| path.is_dir());
    files.extend(folders.iter().flat_map(|folder| entries(folder)));
    files.retain(is_move);
    files.sort();
    files
}

fn stem(path: &FilePath) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Reads files on a blocking thread.
async fn read<T: Send + 'static>(
    reading: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    let lost = |_| ApiError::new(StatusCode::CONFLICT, "the response was lost; send the request again");
    tokio::task::spawn_blocking(reading).await.map_err(lost)?
}

async fn list(Path(name): Path<String>) -> Result<Json<Vec<String>>, ApiError> {
    read(move || {
        let copy = dataset(&name).ok_or_else(|| no_dataset(&name))?;
        Ok(Json(files(&copy).iter().map(|path| stem(path)).collect()))
    })
    .await
}

async fn play(State(robot): State<Arc<Robot>>, Path(path): Path<String>) -> Answer {
    robot.running()?;
    let recording = read(move || {
        let (set, name) = path.rsplit_once('/').ok_or_else(|| no_dataset(&path))?;
        let copy = dataset(set).ok_or_else(|| no_dataset(set))?;
        let file = files(&copy).into_iter().find(|path| stem(path) == name).ok_or_else(|| {
            let why = format!("Move {name} not found in recorded moves library {set}");
            ApiError::new(StatusCode::NOT_FOUND, &why)
        })?;
        recorded_move::read(&file).map_err(|why| unprocessable("path", &format!("{name}: {why}")))
    })
    .await?;
    begin(&robot, MoveRequest::Motions(vec![recording.motion(1.0)]))
}

async fn updates(State(robot): State<Arc<Robot>>, upgrade: WebSocketUpgrade) -> Response {
    upgrade.max_message_size(super::MAX_MESSAGE_BYTES).on_upgrade(|socket| send_updates(socket, robot))
}

async fn send_updates(mut socket: WebSocket, robot: Arc<Robot>) {
    let mut events = robot.executor.events();
    loop {
        tokio::select! {
            event = events.recv() => match event {
                Ok(event) => if socket.send(Message::Text(worded(&event))).await.is_err() { return },
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return,
            },
            heard = socket.recv() => if !matches!(heard, Some(Ok(_))) { return },
        }
    }
}

fn worded(event: &Event) -> Utf8Bytes {
    let kind = match event.status {
        MoveStatus::Started => "move_started",
        MoveStatus::Completed => "move_completed",
        MoveStatus::Failed => "move_failed",
        MoveStatus::Cancelled => "move_cancelled",
    };
    json!({ "type": kind, "uuid": event.id, "details": event.details }).to_string().into()
}

async fn targets(
    State(robot): State<Arc<Robot>>,
    speaker: MessageAuthor,
    upgrade: WebSocketUpgrade,
) -> Response {
    upgrade.max_message_size(super::MAX_MESSAGE_BYTES).on_upgrade(async move |socket| {
        let heard = hear_targets(socket, robot).await;
        speaker.note("/api/move/ws/set_target: targets", &format!("{heard} in all"));
    })
}

/// Follows streamed targets and responds only to errors; returns the number of targets.
async fn hear_targets(mut socket: WebSocket, robot: Arc<Robot>) -> u64 {
    let mut heard = 0;
    while let Some(Ok(message)) = socket.recv().await {
        let Message::Text(text) = message else { continue };
        heard += 1;
        let followed =
            object(text.as_bytes()).map_err(|(position, why)| format!("{position}: {why}")).and_then(
                |wanted: FullBodyTarget| follow(&robot, &wanted).map_err(|refusal| refusal.to_string()),
            );
        let answer = match followed {
            Ok(answer) if answer.get("reason").is_none_or(|reason| reason == "move_running") => continue,
            Ok(answer) => json!({ "status": "error", "detail": answer.get("reason") }),
            Err(why) => json!({ "status": "error", "detail": why }),
        };
        if socket.send(Message::Text(answer.to_string().into())).await.is_err() {
            break;
        }
    }
    heard
}

async fn raw() -> ApiError {
    ApiError::new(
        StatusCode::FORBIDDEN,
        "not permitted: raw packets can't be sent over the network; use `minismith raw PORT` on the robot's machine",
    )
}
