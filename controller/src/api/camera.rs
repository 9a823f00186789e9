//! What the camera in the head sees: one picture, or a stream of them.
//!
//! Threads: pictures are drawn and encoded on threads for slow work, one at a time. Whoever asks within the time of a picture
//! gets the same one. A stream keeps nothing: each of its parts is the newest picture at the moment when there is room for it.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body as Content, Bytes};
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use firmware_bridge::pulse::{Conductor, PulseHandle};
use futures_util::stream::unfold;
use serde::Deserialize;
use tokio::sync::Mutex;
use tokio::time::{MissedTickBehavior, interval};
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::caller::Caller;
use super::given::{Refusal, Refused, Wanted, unprocessable};
use crate::body::Body;
use crate::camera::{Camera, jpeg};
use crate::role::Role;

/// The most pictures in a second, which is how often the camera takes one.
const FASTEST: u32 = 30;

/// A picture that was taken.
#[derive(Clone)]
struct Frame {
    /// Until which beat it is the newest.
    until: u64,
    jpeg: Bytes,
}

/// Whoever looks through the camera.
struct Lens {
    camera: Option<Camera>,
    pulse: PulseHandle,
    /// The last picture; whoever takes the next one holds it.
    last: Mutex<Option<Frame>>,
}

pub(super) fn routes(body: &Body) -> OpenApiRouter {
    let lens = Lens { camera: body.camera(), pulse: body.handle(), last: Mutex::default() };
    OpenApiRouter::new().routes(routes!(snapshot)).routes(routes!(stream)).with_state(Arc::new(lens))
}

impl Lens {
    /// The newest picture.
    async fn look(&self) -> Result<Bytes, Refused> {
        let no = |why: &str| Refused::because(StatusCode::SERVICE_UNAVAILABLE, why);
        let Some(camera) = self.camera.clone() else {
            return Err(no("the camera of a real robot can't be read by this program yet"));
        };
        let mut last = self.last.lock().await;
        let beats = self.pulse.snapshot().beats;
        if let Some(frame) = last.as_ref().filter(|frame| beats < frame.until) {
            return Ok(frame.jpeg.clone());
        }
        let taken = tokio::task::spawn_blocking(move || camera.picture().as_ref().and_then(jpeg)).await;
        let taken = taken.ok().flatten();
        let jpeg: Bytes = taken.ok_or_else(|| no("it can't be told where the head is; see /health"))?.into();
        let lasts = Duration::from_secs(1).as_nanos() / u128::from(FASTEST);
        let lasts = lasts / self.pulse.period().as_nanos().max(1);
        *last = Some(Frame { until: beats + u64::try_from(lasts).unwrap_or(1).max(1), jpeg: jpeg.clone() });
        Ok(jpeg)
    }
}

/// One picture
///
/// What the camera in the head sees now; of the simulated robot 320 by 240 pixels of a room with coloured blocks.
#[utoipa::path(get, path = "/api/v1/camera/snapshot", tag = "camera", responses(
    (status = 200, description = "A JPEG.", body = Vec<u8>, content_type = "image/jpeg"),
    (status = 503, description = "There is no picture: the camera of a real robot can't be read yet, or it can't be told where the head is.", body = Refusal),
))]
async fn snapshot(State(lens): State<Arc<Lens>>, caller: Caller) -> Result<Response, Refused> {
    caller.must_be(Role::Viewer)?;
    let jpeg = lens.look().await?;
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
    State(lens): State<Arc<Lens>>,
    caller: Caller,
    Wanted(Pace { fps }): Wanted<Pace>,
) -> Result<Response, Refused> {
    caller.must_be(Role::Viewer)?;
    if !(1..=FASTEST).contains(&fps) {
        return Err(unprocessable("query.fps", "fps is from 1 to 30"));
    }
    // What can't be had is told before the stream begins.
    lens.look().await?;
    let mut ticks = interval(Duration::from_secs(1) / fps);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let parts = unfold((lens, ticks), |(lens, mut ticks)| async {
        loop {
            ticks.tick().await;
            // A picture that can't be had is left out, and the stream goes on.
            if let Ok(jpeg) = lens.look().await {
                return Some((Ok::<_, Infallible>(part(&jpeg)), (lens, ticks)));
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
