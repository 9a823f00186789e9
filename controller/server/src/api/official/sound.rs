//! Sounds and volume.

use std::sync::Arc;

use axum::extract::multipart::Multipart;
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::StatusCode;
use axum::routing::{delete, get, post};
use axum::{Json, Router};
use minismith_voice::devices::mixer::Side;
use serde::Deserialize;
use serde_json::{Value, json};

use super::Robot;
use crate::api::extract::{ApiError, JsonBody, unprocessable};
use minismith_media::sounds::{MAX_SOUND_BYTES, SoundError};

pub(super) fn routes() -> Router<Arc<Robot>> {
    Router::new()
        .route("/api/media/play_sound", post(play))
        .route("/api/media/stop_sound", post(stop))
        .route("/api/media/clear_incoming_audio", post(clear))
        .route("/api/media/wobbling/enable", post(no_wobbling))
        .route("/api/media/wobbling/disable", post(still))
        .route("/api/media/sounds", get(list))
        .route("/api/media/sounds/upload", post(upload).layer(DefaultBodyLimit::max(MAX_SOUND_BYTES)))
        .route("/api/media/sounds/{file}", delete(remove))
        .route("/api/volume/current", get(speaker))
        .route("/api/volume/set", post(set_speaker))
        .route("/api/volume/test-sound", post(test))
        .route("/api/volume/microphone/current", get(microphone))
        .route("/api/volume/microphone/set", post(set_microphone))
}

fn refused(error: SoundError) -> ApiError {
    let status = match &error {
        SoundError::Name | SoundError::Invalid(_) => StatusCode::BAD_REQUEST,
        SoundError::Missing(_) => StatusCode::NOT_FOUND,
        SoundError::Full => StatusCode::INSUFFICIENT_STORAGE,
        SoundError::Device(_) | SoundError::NoDevice(_) | SoundError::Crowd(_) => {
            StatusCode::SERVICE_UNAVAILABLE
        }
        SoundError::File(_) => StatusCode::INTERNAL_SERVER_ERROR,
    };
    ApiError::new(status, &error.to_string())
}

type Answer = Result<Json<Value>, ApiError>;

/// Does something with the sound devices, which may take a moment to open.
async fn with_sounds<T: Send + 'static>(
    robot: &Arc<Robot>,
    act: impl FnOnce(&Robot) -> Result<T, SoundError> + Send + 'static,
) -> Result<T, ApiError> {
    let robot = robot.clone();
    let done = tokio::task::spawn_blocking(move || act(&robot)).await;
    done.map_err(|error| ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()))?
        .map_err(refused)
}

#[derive(Deserialize)]
struct Sound {
    file: String,
}

async fn play(State(robot): State<Arc<Robot>>, JsonBody(Sound { file }): JsonBody<Sound>) -> Answer {
    robot.running()?;
    with_sounds(&robot, move |robot| robot.sounds.play(&file)).await?;
    Ok(Json(json!({ "status": "ok" })))
}

async fn stop(State(robot): State<Arc<Robot>>) -> Answer {
    robot.running()?;
    robot.sounds.stop();
    Ok(Json(json!({ "status": "ok" })))
}

/// Drops the sound of clients that talk, as far as it is not played yet.
async fn clear(State(robot): State<Arc<Robot>>) -> Answer {
    robot.running()?;
    robot.sounds.silence();
    still(State(robot)).await
}

/// The head does not sway by itself here.
async fn still(State(robot): State<Arc<Robot>>) -> Answer {
    robot.running()?;
    Ok(Json(json!({ "status": "ok" })))
}

async fn no_wobbling() -> ApiError {
    ApiError::new(
        StatusCode::NOT_IMPLEMENTED,
        "not available: the SDK itself makes the head sway with its sounds (`enable_wobbling`); the server does so with its own speech",
    )
}

async fn list(State(robot): State<Arc<Robot>>) -> Answer {
    let files = with_sounds(&robot, |robot| robot.sounds.list()).await?;
    Ok(Json(json!({ "files": files })))
}

async fn upload(State(robot): State<Arc<Robot>>, mut form: Multipart) -> Answer {
    let unreadable =
        |error: axum::extract::multipart::MultipartError| ApiError::new(error.status(), &error.body_text());
    while let Some(field) = form.next_field().await.map_err(unreadable)? {
        if field.name() != Some("file") {
            continue;
        }
        let name = field.file_name().unwrap_or_default().to_owned();
        let bytes = field.bytes().await.map_err(unreadable)?;
        let path = with_sounds(&robot, move |robot| robot.sounds.store(&name, &bytes)).await?;
        return Ok(Json(json!({ "status": "ok", "path": path })));
    }
    Err(unprocessable("body.file", "the form has no field `file`"))
}

async fn remove(State(robot): State<Arc<Robot>>, Path(file): Path<String>) -> Answer {
    with_sounds(&robot, move |robot| robot.sounds.delete(&file)).await?;
    Ok(Json(json!({ "status": "ok" })))
}

async fn test(State(robot): State<Arc<Robot>>) -> Answer {
    with_sounds(&robot, |robot| robot.sounds.test()).await?;
    Ok(Json(json!({ "status": "ok", "message": "Test sound played" })))
}

async fn current(robot: Arc<Robot>, side: Side) -> Answer {
    let (volume, device) = with_sounds(&robot, move |robot| {
        robot.sounds.volume(side).map(|(volume, device)| (volume, device.to_owned()))
    })
    .await?;
    Ok(Json(json!({ "volume": volume, "platform": "Linux", "device": device })))
}

async fn speaker(State(robot): State<Arc<Robot>>) -> Answer {
    current(robot, Side::Speaker).await
}

async fn microphone(State(robot): State<Arc<Robot>>) -> Answer {
    current(robot, Side::Microphone).await
}

#[derive(Deserialize)]
struct Volume {
    volume: u8,
}

async fn set(robot: Arc<Robot>, side: Side, Volume { volume }: Volume) -> Answer {
    if volume > 100 {
        return Err(unprocessable("body.volume", "`volume` is out of range: use 0 to 100"));
    }
    let (volume, device) = with_sounds(&robot, move |robot| {
        robot.sounds.set_volume(side, volume).map(|(volume, device)| (volume, device.to_owned()))
    })
    .await?;
    Ok(Json(json!({ "volume": volume, "platform": "Linux", "device": device })))
}

async fn set_speaker(State(robot): State<Arc<Robot>>, JsonBody(volume): JsonBody<Volume>) -> Answer {
    set(robot, Side::Speaker, volume).await
}

async fn set_microphone(State(robot): State<Arc<Robot>>, JsonBody(volume): JsonBody<Volume>) -> Answer {
    set(robot, Side::Microphone, volume).await
}
