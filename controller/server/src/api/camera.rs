//! Images of the head camera: snapshots, an MJPEG stream and detections.
//!
//! Threads: images are rendered and encoded on blocking threads. Requests within one frame period share the same image;
//! images of a real camera are sent as they arrive. A stream has no buffer: each part is the newest image when there is
//! room to send it.

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
use minismith_protocol::old_names::http;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::time::{MissedTickBehavior, interval};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::caller::Caller;
use super::extract::{ApiError, ErrorBody, QueryParams, unprocessable};
use super::names::both;
use minismith_assistant::agents::vision::{Object as DetectedObject, seen_by};
use minismith_control::perception::{CameraObserver, Perception, PerceptionError};
use minismith_control::robot::RobotRuntime;
use minismith_runtime::report::round_for_display;
use minismith_runtime::role::Role;

/// Maximum frame rate, which is that of the simulated camera.
const MAX_RATE_HZ: u32 = 30;

pub(super) fn routes(body: &RobotRuntime) -> OpenApiRouter {
    let searcher =
        Arc::new(Searcher { observer: body.observer(), perception: Mutex::new(body.perception()) });
    OpenApiRouter::new()
        .routes(routes!(snapshot))
        .routes(routes!(stream))
        .routes(routes!(intrinsics))
        .with_state(body.observer())
        .merge(OpenApiRouter::new().routes(routes!(detections)).with_state(searcher))
}

/// Runs the detectors, one request at a time.
struct Searcher {
    observer: CameraObserver,
    perception: Mutex<Perception>,
}

impl Searcher {
    fn search(&self) -> Result<Detections, PerceptionError> {
        let mut perception = self.perception.lock().unwrap_or_else(PoisonError::into_inner);
        let from = self.observer.camera_pose()?;
        let seen = seen_by(&mut perception, &from)?;
        let image = perception.latest_frame(&from)?.image()?;
        Ok(Detections {
            camera: self.observer.name(),
            simulated: self.observer.is_simulated(),
            at_s: round_for_display(from.time.seconds()),
            width: image.width,
            height: image.height,
            objects: seen.objects,
            objects_unavailable_reason: seen.blind_to,
        })
    }
}

/// The detections in an image.
#[derive(Serialize, ToSchema)]
struct Detections {
    /// The camera's name.
    camera: String,
    /// Whether the images are simulated.
    simulated: bool,
    /// Timestamp of the image, seconds of the robot's clock.
    at_s: f64,
    /// Image width, pixels.
    width: usize,
    /// Image height, pixels.
    height: usize,
    /// The detected people, then other objects.
    objects: Vec<DetectedObject>,
    /// Why only faces were detected; null if objects were, too.
    #[schema(required)]
    objects_unavailable_reason: Option<String>,
}

/// Detect people and objects
///
/// Returns the detections in the newest image, each with class, score, bounding box in pixels and estimated position in the
/// world frame. Takes about 0.1 s.
#[utoipa::path(get, path = "/api/v1/camera/detections", tag = "camera", responses(
    (status = 200, description = "The detections.", body = Detections),
    (status = 503, description = "No image or no detection model is available.", body = ErrorBody),
))]
async fn detections(State(searcher): State<Arc<Searcher>>, caller: Caller) -> Result<Json<Value>, ApiError> {
    caller.require_role(Role::Viewer)?;
    let no = |why: &str| ApiError::new(StatusCode::SERVICE_UNAVAILABLE, why);
    match tokio::task::spawn_blocking(move || searcher.search()).await {
        Ok(Ok(found)) => Ok(both(&http::DETECTIONS, &found)),
        Ok(Err(why)) => Err(no(&why.to_string())),
        Err(_) => Err(no("no image: decoding it failed; see the log")),
    }
}

/// Returns the newest image as a JPEG, which is encoded at most once.
async fn look(observer: &CameraObserver) -> Result<Bytes, ApiError> {
    let observer = observer.clone();
    let taken = tokio::task::spawn_blocking(move || -> Result<Arc<[u8]>, PerceptionError> {
        Ok(observer.frame()?.jpeg()?)
    });
    let no = |why: &str| ApiError::new(StatusCode::SERVICE_UNAVAILABLE, why);
    match taken.await {
        Ok(Ok(jpeg)) => Ok(Bytes::from_owner(jpeg)),
        Ok(Err(why)) => Err(no(&why.to_string())),
        Err(_) => Err(no("no image: decoding it failed; see the log")),
    }
}

/// Get the newest image
///
/// An image of the head camera: unchanged from a real camera, or a rendered scene of 320 x 240 pixels from the simulated one.
#[utoipa::path(get, path = "/api/v1/camera/snapshot", tag = "camera", responses(
    (status = 200, description = "The image, a JPEG.", body = Vec<u8>, content_type = "image/jpeg"),
    (status = 503, description = "No image is available: there is no camera, it is disconnected, or the head pose is unknown.", body = ErrorBody),
))]
async fn snapshot(State(observer): State<CameraObserver>, caller: Caller) -> Result<Response, ApiError> {
    caller.require_role(Role::Viewer)?;
    let jpeg = look(&observer).await?;
    Ok(([(CONTENT_TYPE, "image/jpeg"), (CACHE_CONTROL, "no-store")], jpeg).into_response())
}

/// The camera's projection model, for the size of its images: that of OpenCV, with the centre of the first pixel at (0, 0).
#[derive(Serialize, ToSchema)]
struct Intrinsics {
    /// The camera's name.
    camera: String,
    /// Width of the images, pixels.
    width: u32,
    /// Height of the images, pixels.
    height: u32,
    /// Focal lengths, horizontal and vertical, pixels.
    focal_length_px: [f64; 2],
    /// The principal point, pixels.
    principal_point_px: [f64; 2],
    /// Lens distortion: k1, k2, p1, p2, k3, k4, k5, k6, s1, s2, s3, s4.
    distortion: [f64; 12],
}

/// Get the intrinsics
///
/// The projection model of the images of this API. Clients of the official SDK see another one (`/api/camera/specs`).
#[utoipa::path(get, path = "/api/v1/camera/intrinsics", tag = "camera", responses(
    (status = 200, description = "The intrinsics.", body = Intrinsics),
))]
async fn intrinsics(
    State(observer): State<CameraObserver>,
    caller: Caller,
) -> Result<Json<Intrinsics>, ApiError> {
    caller.require_role(Role::Viewer)?;
    let intrinsics = observer.intrinsics();
    Ok(Json(Intrinsics {
        camera: observer.name(),
        width: intrinsics.width as u32,
        height: intrinsics.height as u32,
        focal_length_px: intrinsics.focal_length,
        principal_point_px: intrinsics.principal_point,
        distortion: intrinsics.distortion.0,
    }))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Pace {
    /// Frames per second.
    #[serde(default = "fifteen")]
    #[param(minimum = 1, maximum = 30, default = 15)]
    fps: u32,
}

const fn fifteen() -> u32 {
    15
}

/// Stream images
///
/// An MJPEG stream, which browsers display in an `<img>`. A slow client skips frames and receives the newest image.
#[utoipa::path(get, path = "/api/v1/camera/stream", tag = "camera", params(Pace), responses(
    (status = 200, description = "Parts of type `image/jpeg`, each with its `Content-Length`, until the client disconnects.",
        body = Vec<u8>, content_type = "multipart/x-mixed-replace"),
    (status = 422, description = "`fps` is out of range.", body = ErrorBody),
    (status = 503, description = "No image is available, as for the snapshot.", body = ErrorBody),
))]
async fn stream(
    State(observer): State<CameraObserver>,
    caller: Caller,
    QueryParams(Pace { fps }): QueryParams<Pace>,
) -> Result<Response, ApiError> {
    caller.require_role(Role::Viewer)?;
    if !(1..=MAX_RATE_HZ).contains(&fps) {
        return Err(unprocessable("query.fps", "`fps` is out of range: use 1 to 30"));
    }
    // Report a missing image before the stream starts.
    look(&observer).await?;
    let mut ticks = interval(Duration::from_secs(1) / fps);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let parts = unfold((observer, ticks), |(observer, mut ticks)| async {
        loop {
            ticks.tick().await;
            // Skip an image that is not available and go on.
            if let Ok(jpeg) = look(&observer).await {
                return Some((Ok::<_, Infallible>(part(&jpeg)), (observer, ticks)));
            }
        }
    });
    let kind = "multipart/x-mixed-replace; boundary=picture";
    Ok(([(CONTENT_TYPE, kind), (CACHE_CONTROL, "no-store")], Content::from_stream(parts)).into_response())
}

/// Formats one part of the stream.
fn part(jpeg: &Bytes) -> Bytes {
    let head = format!("--picture\r\nContent-Type: image/jpeg\r\nContent-Length: {}\r\n\r\n", jpeg.len());
    [head.as_bytes(), jpeg, b"\r\n"].concat().into()
}
