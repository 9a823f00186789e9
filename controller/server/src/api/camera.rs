//! What the camera in the head sees: one picture, or a stream of them.
//!
//! Threads: pictures are drawn and encoded on threads for slow work. Whoever asks within the time of a picture gets the same
//! one; those of a real camera go out as they came. A stream keeps nothing: each of its parts is the newest picture at the moment when there is room for it.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Json;
use axum::body::{Body as Content, Bytes};
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use futures_util::stream::unfold;
use serde::{Deserialize, Serialize};
use tokio::time::{MissedTickBehavior, interval};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::caller::Caller;
use super::given::{Refusal, Refused, Wanted, unprocessable};
use minismith_assistant::agents::vision::{Thing, seen_by};
use minismith_control::body::Body;
use minismith_control::eyes::{Eyes, Lookout, NoSight};
use minismith_runtime::outcome::tidy;
use minismith_runtime::role::Role;

/// The most pictures in a second, which is how often the camera takes one.
const FASTEST: u32 = 30;

pub(super) fn routes(body: &Body) -> OpenApiRouter {
    let searcher = Arc::new(Searcher { lookout: body.lookout(), eyes: Mutex::new(body.eyes()) });
    OpenApiRouter::new()
        .routes(routes!(snapshot))
        .routes(routes!(stream))
        .with_state(body.lookout())
        .merge(OpenApiRouter::new().routes(routes!(detections)).with_state(searcher))
}

/// Whoever looks for something in pictures; one at a time.
struct Searcher {
    lookout: Lookout,
    eyes: Mutex<Eyes>,
}

impl Searcher {
    fn search(&self) -> Result<Detections, NoSight> {
        let mut eyes = self.eyes.lock().unwrap_or_else(PoisonError::into_inner);
        let from = self.lookout.viewpoint()?;
        let seen = seen_by(&mut eyes, &from)?;
        let picture = eyes.newest(&from)?.picture()?;
        Ok(Detections {
            camera: self.lookout.name(),
            simulated: self.lookout.is_simulated(),
            at_s: tidy(from.at.seconds()),
            width: picture.width,
            height: picture.height,
            things: seen.things,
            without: seen.blind_to,
        })
    }
}

/// What was found in a picture.
#[derive(Serialize, ToSchema)]
struct Detections {
    /// The camera's name.
    camera: String,
    /// Whether its pictures are drawn.
    simulated: bool,
    /// When, seconds of the robot's clock.
    at_s: f64,
    /// Pixels in a row.
    width: usize,
    /// Rows.
    height: usize,
    /// People first, then other things.
    things: Vec<Thing>,
    /// Why only faces were looked for, if so.
    without: Option<String>,
}

/// What is in the newest picture
///
/// People and things, with class, score, box in pixels and about where they are in the world. It takes a tenth of a second.
#[utoipa::path(get, path = "/api/v1/camera/detections", tag = "camera", responses(
    (status = 200, description = "What was found.", body = Detections),
    (status = 503, description = "There is no picture, or no model to find anything with.", body = Refusal),
))]
async fn detections(
    State(searcher): State<Arc<Searcher>>,
    caller: Caller,
) -> Result<Json<Detections>, Refused> {
    caller.must_be(Role::Viewer)?;
    let no = |why: &str| Refused::because(StatusCode::SERVICE_UNAVAILABLE, why);
    match tokio::task::spawn_blocking(move || searcher.search()).await {
        Ok(Ok(found)) => Ok(Json(found)),
        Ok(Err(why)) => Err(no(&why.to_string())),
        Err(_) => Err(no("what came of the camera broke this program's reader")),
    }
}

/// The newest picture, as it came from the camera or encoded once for all who look.
async fn look(lookout: &Lookout) -> Result<Bytes, Refused> {
    let lookout = lookout.clone();
    let taken =
        tokio::task::spawn_blocking(move || -> Result<Arc<[u8]>, NoSight> { Ok(lookout.frame()?.jpeg()?) });
    let no = |why: &str| Refused::because(StatusCode::SERVICE_UNAVAILABLE, why);
    match taken.await {
        Ok(Ok(jpeg)) => Ok(Bytes::from_owner(jpeg)),
        Ok(Err(why)) => Err(no(&why.to_string())),
        Err(_) => Err(no("what came of the camera broke this program's reader")),
    }
}

/// One picture
///
/// What the camera in the head sees now: of a real camera as it came, of the simulated robot a drawing of its room, 320 by 240
/// pixels.
#[utoipa::path(get, path = "/api/v1/camera/snapshot", tag = "camera", responses(
    (status = 200, description = "A JPEG.", body = Vec<u8>, content_type = "image/jpeg"),
    (status = 503, description = "There is no picture: the camera is away or there is none, or it can't be told where the head is.", body = Refusal),
))]
async fn snapshot(State(lookout): State<Lookout>, caller: Caller) -> Result<Response, Refused> {
    caller.must_be(Role::Viewer)?;
    let jpeg = look(&lookout).await?;
    Ok(([(CONTENT_TYPE, "image/jpeg"), (CACHE_CONTROL, "no-store")], jpeg).into_response())
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Pace {
    /// Pictures in a second.
    #[serde(default = "fifteen")]
    #[param(minimum = 1, maximum = 30, default = 15)]
    fps: u32,
}

const fn fifteen() -> u32 {
    15
}

/// Pictures without end
///
/// MJPEG: a JPEG after the other, which browsers show in an `<img>`. Whoever is slow misses pictures and gets the newest.
#[utoipa::path(get, path = "/api/v1/camera/stream", tag = "camera", params(Pace), responses(
    (status = 200, description = "Parts of type `image/jpeg`, each with its `Content-Length`, until the client goes away.",
        body = Vec<u8>, content_type = "multipart/x-mixed-replace"),
    (status = 422, description = "`fps` is none from 1 to 30.", body = Refusal),
    (status = 503, description = "There is no picture, as for the snapshot.", body = Refusal),
))]
async fn stream(
    State(lookout): State<Lookout>,
    caller: Caller,
    Wanted(Pace { fps }): Wanted<Pace>,
) -> Result<Response, Refused> {
    caller.must_be(Role::Viewer)?;
    if !(1..=FASTEST).contains(&fps) {
        return Err(unprocessable("query.fps", "fps is from 1 to 30"));
    }
    // What can't be had is told before the stream begins.
    look(&lookout).await?;
    let mut ticks = interval(Duration::from_secs(1) / fps);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let parts = unfold((lookout, ticks), |(lookout, mut ticks)| async {
        loop {
            ticks.tick().await;
            // A picture that can't be had is left out, and the stream goes on.
            if let Ok(jpeg) = look(&lookout).await {
                return Some((Ok::<_, Infallible>(part(&jpeg)), (lookout, ticks)));
            }
        }
    });
    let kind = "multipart/x-mixed-replace; boundary=picture";
    Ok(([(CONTENT_TYPE, kind), (CACHE_CONTROL, "no-store")], Content::from_stream(parts)).into_response())
}

/// One part of the stream.
fn part(jpeg: &Bytes) -> Bytes {
    let head = format!("--picture\r\nContent-Type: image/jpeg\r\nContent-Length: {}\r\n\r\n", jpeg.len());
    [head.as_bytes(), jpeg, b"\r\n"].concat().into()
}
