//! Moves and targets.

use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;

use axum::extract::ws::{Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{any, get, post};
use axum::{Json, Router};
use firmware_bridge::motion::{Interpolation, Motion, Refusal, duration_from_seconds};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::broadcast::error::RecvError;
use uuid::Uuid;

use super::Robot;
use super::pose::{AnyPose, target};
use crate::api::caller::{Caller, Speaker};
use crate::api::given::{Given, Refused, object, unprocessable};
use minismith_control::mover::{Event, Stadium, Work};
use minismith_control::recording;

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
    interpolation: Manner,
}

/// The official names of interpolations.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Manner {
    Linear,
    #[default]
    Minjerk,
    EaseInOut,
    Cartoon,
}

impl From<Manner> for Interpolation {
    fn from(manner: Manner) -> Self {
        match manner {
            Manner::Linear => Interpolation::Linear,
            Manner::Minjerk => Interpolation::Minjerk,
            Manner::EaseInOut => Interpolation::EaseInOut,
            Manner::Cartoon => Interpolation::Cartoon,
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

type Answer = Result<Json<Value>, Refused>;

/// Starts a move and responds with its id.
fn begin(robot: &Robot, work: Work) -> Answer {
    let id = Uuid::new_v4();
    let begun = robot.mover.begin(id, work, |_| {});
    begun.map_err(|busy| Refused::because(StatusCode::CONFLICT, &busy.to_string()))?;
    Ok(Json(json!({ "uuid": id })))
}

async fn running(State(robot): State<Arc<Robot>>) -> Json<Value> {
    Json(robot.mover.moving().map_or_else(|| json!([]), |id| json!([{ "uuid": id }])))
}

async fn goto(State(robot): State<Arc<Robot>>, Given(goto): Given<Goto>) -> Answer {
    robot.running()?;
    let motion = goto.motion(&robot).map_err(|refusal| told(&refusal))?;
    begin(&robot, Work::Motions(vec![motion]))
}

impl Goto {
    /// Plans the motion from the current posture.
    fn motion(&self, robot: &Robot) -> Result<Motion, Refusal> {
        let head = self.head_pose.map(|pose| pose.pose()).transpose()?;
        let target = target(head, self.antennas, self.body_yaw)?;
        robot.mover.check(&target)?;
        Ok(Motion::Goto {
            target,
            duration: duration_from_seconds(self.duration)?,
            interpolation: self.interpolation.into(),
        })
    }
}

/// Converts an error: 422 if the request caused it, 409 if the state of the robot did.
fn told(refusal: &Refusal) -> Refused {
    match refusal {
        Refusal::Limp
        | Refusal::Led
        | Refusal::Taken { .. }
        | Refusal::Stopped
        | Refusal::Fault { .. }
        | Refusal::Lost(_) => Refused::because(StatusCode::CONFLICT, &refusal.to_string()),
        Refusal::Unreachable(_)
        | Refusal::BeyondServo { .. }
        | Refusal::NotFinite { .. }
        | Refusal::NotAPose(_)
        | Refusal::BadDuration { .. }
        | Refusal::OutOfOrder { .. } => unprocessable("body", &refusal.to_string()),
    }
}

async fn wake_up(State(robot): State<Arc<Robot>>) -> Answer {
    robot.running()?;
    begin(&robot, Work::WakeUp)
}

async fn goto_sleep(State(robot): State<Arc<Robot>>, caller: Caller) -> Answer {
    robot.running()?;
    begin(&robot, Work::GoToSleep { release: !caller.by_address })
}

async fn stop(State(robot): State<Arc<Robot>>, Given(MoveId { uuid: id }): Given<MoveId>) -> Answer {
    if robot.mover.stop(id) {
        Ok(Json(json!({ "message": format!("Stopped move with UUID: {id}") })))
    } else {
        let why = format!("Running move with UUID {id} not found");
        Err(Refused::because(StatusCode::NOT_FOUND, &why))
    }
}

async fn set_target(State(robot): State<Arc<Robot>>, Given(wanted): Given<FullBodyTarget>) -> Answer {
    robot.running()?;
    follow(&robot, &wanted).map(Json).map_err(|refusal| told(&refusal))
}

/// Follows a target; the response is `ignored` with the reason if that is not possible.
fn follow(robot: &Robot, wanted: &FullBodyTarget) -> Result<Value, Refusal> {
    let head = wanted.target_head_pose.map(|pose| pose.pose()).transpose()?;
    let target = target(head, wanted.target_antennas, wanted.target_body_yaw)?;
    if let Err(refusal) = robot.mover.check(&target) {
        return Ok(json!({ "status": "ignored", "reason": refusal.to_string() }));
    }
    Ok(match robot.mover.follow(&target) {
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

fn no_dataset(name: &str) -> Refused {
    let why = format!(
        "unknown set of moves {name:?}: this machine has no copy; download it with `hf download --repo-type dataset OWNER/NAME`"
    );
    Refused::because(StatusCode::NOT_FOUND, &why)
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
    reading: impl FnOnce() -> Result<T, Refused> + Send + 'static,
) -> Result<T, Refused> {
    let lost = |_| Refused::because(StatusCode::CONFLICT, "the response was lost; send the request again");
    tokio::task::spawn_blocking(reading).await.map_err(lost)?
}

async fn list(Path(name): Path<String>) -> Result<Json<Vec<String>>, Refused> {
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
            Refused::because(StatusCode::NOT_FOUND, &why)
        })?;
        recording::read(&file).map_err(|why| unprocessable("path", &format!("{name}: {why}")))
    })
    .await?;
    begin(&robot, Work::Motions(vec![recording.motion(1.0)]))
}

async fn updates(State(robot): State<Arc<Robot>>, upgrade: WebSocketUpgrade) -> Response {
    upgrade.max_message_size(super::LONGEST_MESSAGE).on_upgrade(|socket| send_updates(socket, robot))
}

async fn send_updates(mut socket: WebSocket, robot: Arc<Robot>) {
    let mut events = robot.mover.events();
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
    let kind = match event.stadium {
        Stadium::Started => "move_started",
        Stadium::Completed => "move_completed",
        Stadium::Failed => "move_failed",
        Stadium::Cancelled => "move_cancelled",
    };
    json!({ "type": kind, "uuid": event.id, "details": event.details }).to_string().into()
}

async fn targets(State(robot): State<Arc<Robot>>, speaker: Speaker, upgrade: WebSocketUpgrade) -> Response {
    upgrade.max_message_size(super::LONGEST_MESSAGE).on_upgrade(async move |socket| {
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
        let followed = object(text.as_bytes()).map_err(|(place, why)| format!("{place}: {why}")).and_then(
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

async fn raw() -> Refused {
    Refused::because(
        StatusCode::FORBIDDEN,
        "not permitted: raw packets can't be sent over the network; use `minismith raw PORT` on the robot's machine",
    )
}
