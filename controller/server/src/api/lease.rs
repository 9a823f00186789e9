//! Teleoperation: one client at a time leases the robot and controls it while its heartbeats arrive.
//!
//! `POST /api/v1/lease {"purpose": "gamepad", "heartbeat_ms": 500}` returns the lease's secret id, or 409 with the current
//! holder. From then on only the holder moves the robot; every client may still stop it. Every request of the holder is a
//! heartbeat, over REST (`/api/v1/lease/{id}/heartbeat`, `/target`, `/goto`) or, faster, over the WebSocket
//! `/api/v1/lease/{id}/ws`. The robot stops and holds its position when no heartbeat arrives for the agreed time, when the
//! WebSocket closes, or when the holder releases the lease. A lease that has ended is not resumed: its id becomes invalid.
//!
//! Messages over the WebSocket are JSON: `{"type": "heartbeat", "sent": any}`, `{"type": "target", ...}`, `{"type": "goto",
//! "duration_s": 1, ...}`, `{"type": "stop"}` and `{"type": "release"}`, with the fields of a target as in [`Aim`]. The
//! server responds `{"type": "heartbeat", "sent", "motion_state", "cycles"}` or `{"type": "refused", "reason"}`. Fields also
//! have their old names.
//!
//! Another client may ask the holder for the lease; see [`handover`].

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Json;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use firmware_bridge::control_loop::LoopClient;
use firmware_bridge::motion::{self, Interpolation, Motion, Target, duration_from_seconds};
use firmware_bridge::posture::{Antennas, HeadPose, RollPitchYaw};
use firmware_bridge::units::Radians;
use minismith_protocol::old_names::http::{self, Document};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::{oneshot, watch};
use tokio::time::timeout;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use super::caller::{Caller, MessageAuthor};
use super::extract::{ApiError, ErrorBody, JsonBody, object};
use super::names::{GivenEither, Renamed, both};
use super::robot::motion_state;
use minismith_control::motion_executor::{MotionExecutor, MoveRequest};
use minismith_runtime::role::Role;

mod handover;

/// Default heartbeat timeout, milliseconds.
const DEFAULT_HEARTBEAT_MS: u64 = 500;

/// Permitted heartbeat timeouts, milliseconds.
const HEARTBEAT_RANGE_MS: std::ops::RangeInclusive<u64> = 100..=5000;

/// Maximum size of a message, bytes.
const MAX_MESSAGE_BYTES: usize = 64 << 10;

/// The current lease.
struct Lease {
    id: Uuid,
    /// The name of its holder.
    owner: String,
    purpose: String,
    heartbeat_interval: Duration,
    /// Changes with every heartbeat; dropping it ends the timeout task.
    heartbeat: watch::Sender<()>,
    /// The clients that ask for the lease.
    requests: handover::Requests,
}

/// The lease of one robot, if any.
#[derive(Clone)]
pub(super) struct LeaseManager {
    executor: MotionExecutor,
    held: Arc<Mutex<Option<Lease>>>,
}

/// A target pose. Omitted parts keep their last target. If one coordinate of the head is given, the omitted ones are
/// neutral.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, ToSchema)]
#[serde(default)]
struct TargetRequest {
    /// Head, forward, millimetres from neutral.
    x_mm: Option<f64>,
    /// Head, left.
    y_mm: Option<f64>,
    /// Head, up.
    z_mm: Option<f64>,
    /// Head roll to its right, degrees.
    roll_deg: Option<f64>,
    /// Head pitch downwards.
    pitch_deg: Option<f64>,
    /// Head yaw to the left.
    yaw_deg: Option<f64>,
    /// Body yaw to the left.
    body_yaw_deg: Option<f64>,
    /// Right, left.
    antennas_deg: Option<[f64; 2]>,
}

impl TargetRequest {
    fn target(&self) -> Result<Target, motion::MotionError> {
        let head = [self.x_mm, self.y_mm, self.z_mm, self.roll_deg, self.pitch_deg, self.yaw_deg];
        let [right, left] = self.antennas_deg.unwrap_or_default();
        let numbers = head.iter().flatten().chain(&self.body_yaw_deg).chain([&right, &left]);
        if !numbers.copied().all(f64::is_finite) {
            return Err(motion::MotionError::NotFinite { what: "a part of the target" });
        }
        let [x, y, z, roll, pitch, yaw] = head.map(Option::unwrap_or_default);
        let [roll, pitch, yaw, right, left] = [roll, pitch, yaw, right, left].map(Radians::from_degrees);
        let pose = HeadPose::new(x / 1000.0, y / 1000.0, z / 1000.0, RollPitchYaw { roll, pitch, yaw });
        Ok(Target {
            head: head.iter().any(Option::is_some).then_some(pose),
            body_yaw: self.body_yaw_deg.map(Radians::from_degrees),
            antennas: self.antennas_deg.map(|_| Antennas { right, left }),
        })
    }
}

/// A target pose and a duration.
#[derive(Debug, Deserialize, ToSchema)]
struct Goto {
    #[serde(flatten)]
    aim: TargetRequest,
    /// Duration of the motion, seconds; longer if the envelope requires it.
    duration_s: f64,
}

/// A message from the holder.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum LeaseMessage {
    Heartbeat {
        #[serde(default)]
        sent: Value,
    },
    Target(TargetRequest),
    Goto(Goto),
    Stop,
    Release,
    HandOver {
        request: Uuid,
    },
    Decline {
        request: Uuid,
    },
}

/// A request for the lease.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
struct LeaseRequest {
    /// What the lease is for, in a few words that other clients see.
    purpose: String,
    /// Heartbeat timeout, milliseconds, after which the robot holds its position. Default: 500.
    #[schema(minimum = 100, maximum = 5000)]
    heartbeat_ms: Option<u64>,
    /// Takes the lease over from its holder. The holder itself and owners may do so.
    take: bool,
}

impl Renamed for LeaseRequest {
    const DOCUMENT: &'static Document = &http::LEASE_REQUEST;
}

pub(super) fn routes(executor: MotionExecutor) -> OpenApiRouter {
    OpenApiRouter::new()
        .routes(routes!(report, begin))
        .routes(routes!(end))
        .routes(routes!(heartbeat))
        .routes(routes!(target))
        .routes(routes!(goto))
        .merge(handover::routes())
        .route("/api/v1/lease/{id}/ws", any(open))
        .with_state(LeaseManager { executor, held: Arc::default() })
}

/// The current holder of the lease, if any.
#[derive(Serialize, ToSchema)]
struct Held {
    /// The holder; null while no one is in control.
    #[schema(required)]
    holder: Option<Holder>,
    /// The clients that ask the holder for the lease.
    requests: Vec<handover::Waiting>,
}

/// The holder of the lease.
#[derive(Serialize, ToSchema)]
struct Holder {
    /// The holder's name: that of its token or address.
    owner: String,
    /// What the lease is for.
    purpose: String,
    /// Heartbeat timeout, milliseconds.
    heartbeat_ms: u64,
}

/// A granted lease.
#[derive(Debug, Serialize, ToSchema)]
struct Granted {
    /// The secret id of the lease.
    lease_id: Uuid,
    /// The holder's name.
    owner: String,
    /// What the lease is for.
    purpose: String,
    /// Heartbeat timeout, milliseconds.
    heartbeat_ms: u64,
}

/// Confirms a request.
#[derive(Serialize, ToSchema)]
struct Acknowledgement {
    /// `ok`.
    status: &'static str,
}

type Answer = Result<Json<Acknowledgement>, ApiError>;

const ACKNOWLEDGED: Json<Acknowledgement> = Json(Acknowledgement { status: "ok" });

fn gone() -> ApiError {
    ApiError::new(StatusCode::GONE, "unknown lease: it has ended or never existed; request a new one")
}

fn conflict(refusal: &motion::MotionError) -> ApiError {
    ApiError::new(StatusCode::CONFLICT, &refusal.to_string())
}

/// Returns a purpose at the length that other clients see.
fn shortened(purpose: &str) -> String {
    purpose.chars().take(100).collect()
}

/// Returns the wanted heartbeat timeout, or the default one.
fn heartbeat_timeout(wanted_ms: Option<u64>) -> Result<Duration, ApiError> {
    let timeout_ms = wanted_ms.unwrap_or(DEFAULT_HEARTBEAT_MS);
    if HEARTBEAT_RANGE_MS.contains(&timeout_ms) {
        return Ok(Duration::from_millis(timeout_ms));
    }
    let (least, most) = HEARTBEAT_RANGE_MS.into_inner();
    let why = format!("`heartbeat_ms` is out of range: use {least} to {most}");
    Err(super::extract::unprocessable("body.heartbeat_ms", &why))
}

/// Returns a duration in whole milliseconds.
fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

impl LeaseManager {
    fn lock(&self) -> MutexGuard<'_, Option<Lease>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a heartbeat of the holder. While the returned guard lives, the lease remains with the holder.
    fn refresh(&self, id: Uuid, caller: &Caller) -> Result<MutexGuard<'_, Option<Lease>>, ApiError> {
        let held = self.lock();
        let lease = held.as_ref().filter(|lease| lease.id == id).ok_or_else(gone)?;
        if lease.owner != *caller.name {
            return Err(ApiError::new(StatusCode::FORBIDDEN, "this lease belongs to another client"));
        }
        lease.heartbeat.send_replace(());
        Ok(held)
    }

    /// Ends a lease if it is still held: the robot stops and holds its position, and other clients may move it again.
    fn end(&self, id: Uuid) -> bool {
        let mut held = self.lock();
        let is_held = held.as_ref().is_some_and(|lease| lease.id == id);
        if is_held {
            *held = None;
            self.executor.release_control();
        }
        is_held
    }

    async fn begin(&self, caller: &Caller, wanted: &LeaseRequest, cycle: Duration) -> Result<Uuid, ApiError> {
        let id = Uuid::new_v4();
        let (heart, heard) = watch::channel(());
        {
            let mut held = self.lock();
            if let Some(lease) = held.as_ref() {
                let may_take = caller.role >= Role::Owner || lease.owner == *caller.name;
                if !(wanted.take && may_take) {
                    let why = format!("the robot is controlled by {} ({})", lease.owner, lease.purpose);
                    return Err(ApiError::new(StatusCode::CONFLICT, &why));
                }
                self.executor.release_control();
            }
            let (owner, purpose) = (caller.name.to_string(), shortened(&wanted.purpose));
            let requests = handover::Requests::default();
            *held = Some(Lease { id, owner, purpose, heartbeat_interval: cycle, heartbeat: heart, requests });
        }
        // From here on the lease also ends when the client disconnects.
        tokio::spawn(self.clone().listen(id, heard, cycle));
        let (report, reported) = oneshot::channel();
        // The client may have disconnected.
        self.executor.keep_control(move |taken| drop(report.send(taken)));
        match reported.await.unwrap_or(Err(motion::MotionError::Stopped)) {
            Ok(()) => Ok(id),
            Err(refusal) => {
                self.end(id);
                Err(conflict(&refusal))
            }
        }
    }

    /// Waits for heartbeats until the lease ends, and ends it when one is overdue.
    async fn listen(self, id: Uuid, mut heart: watch::Receiver<()>, cycle: Duration) {
        while let Ok(Ok(())) = timeout(cycle, heart.changed()).await {}
        if self.end(id) {
            tracing::warn!("the lease ended without a heartbeat; the robot holds its position");
        }
    }

    fn follow(&self, aim: &TargetRequest) -> Result<(), String> {
        let target = aim.target().map_err(|refusal| refusal.to_string())?;
        self.executor.check(&target).map_err(|refusal| refusal.to_string())?;
        self.executor.follow(&target).map_err(|busy| busy.to_string())
    }

    fn go(&self, goto: &Goto) -> Result<(), String> {
        let motion = || {
            let target = goto.aim.target()?;
            self.executor.check(&target)?;
            let duration = duration_from_seconds(goto.duration_s)?;
            Ok(Motion::Goto { target, duration, interpolation: Interpolation::Minjerk })
        };
        let motion = motion().map_err(|refusal: motion::MotionError| refusal.to_string())?;
        let begun = self.executor.begin(Uuid::new_v4(), MoveRequest::Motions(vec![motion]), |_| {});
        begun.map_err(|busy| busy.to_string())
    }
}

/// Get the holder of the lease
///
/// Only the holder of the lease moves the robot. Every client may stop it.
#[utoipa::path(get, path = "/api/v1/lease", tag = "teleoperation", operation_id = "who_steers",
    responses((status = 200, description = "The holder of the lease, if any.", body = Held)))]
async fn report(State(leases): State<LeaseManager>) -> Json<Value> {
    let held = leases.lock();
    let holder = held.as_ref().map(|lease| Holder {
        owner: lease.owner.clone(),
        purpose: lease.purpose.clone(),
        heartbeat_ms: milliseconds(lease.heartbeat_interval),
    });
    let requests = held.as_ref().map(|lease| lease.requests.waiting()).unwrap_or_default();
    both(&http::LEASE_HOLDER, &Held { holder, requests })
}

/// Lease the robot
///
/// Every request of the holder is a heartbeat. If none arrives for `heartbeat_ms`, the lease ends and the robot stops and
/// holds its position. The WebSocket `/api/v1/lease/{id}/ws` is faster than these routes.
#[utoipa::path(post, path = "/api/v1/lease", tag = "teleoperation", operation_id = "lease", request_body = LeaseRequest,
    responses(
        (status = 201, description = "The lease was granted.", body = Granted),
        (status = 409, description = "Another client has the lease, or the robot can't be controlled now.", body = ErrorBody),
        (status = 422, description = "The request body is invalid.", body = ErrorBody),
))]
async fn begin(
    State(leases): State<LeaseManager>,
    caller: Caller,
    GivenEither(wanted): GivenEither<LeaseRequest>,
) -> Result<Response, ApiError> {
    let cycle = heartbeat_timeout(wanted.heartbeat_ms)?;
    let id = leases.begin(&caller, &wanted, cycle).await?;
    let owner = caller.name.to_string();
    let lease = Granted { lease_id: id, owner, purpose: wanted.purpose, heartbeat_ms: milliseconds(cycle) };
    Ok((StatusCode::CREATED, both(&http::LEASE, &lease)).into_response())
}

/// Release the lease
///
/// The robot stops and holds its position.
#[utoipa::path(delete, path = "/api/v1/lease/{id}", tag = "teleoperation", operation_id = "give_back",
    params(("id" = Uuid, Path, description = "The id of the lease.")),
    responses(
        (status = 200, description = "The lease has ended.", body = Acknowledgement),
        (status = 410, description = "The lease has ended or never existed.", body = ErrorBody),
))]
async fn end(State(leases): State<LeaseManager>, Path(id): Path<Uuid>, caller: Caller) -> Answer {
    drop(leases.refresh(id, &caller)?);
    leases.end(id);
    Ok(ACKNOWLEDGED)
}

/// Send a heartbeat
#[utoipa::path(post, path = "/api/v1/lease/{id}/heartbeat", tag = "teleoperation", operation_id = "heartbeat",
    params(("id" = Uuid, Path, description = "The id of the lease.")),
    responses(
        (status = 200, description = "The heartbeat was recorded.", body = Acknowledgement),
        (status = 410, description = "The lease has ended or never existed.", body = ErrorBody),
))]
async fn heartbeat(State(leases): State<LeaseManager>, Path(id): Path<Uuid>, caller: Caller) -> Answer {
    drop(leases.refresh(id, &caller)?);
    Ok(ACKNOWLEDGED)
}

/// Stream a target
///
/// For streams of targets: the robot moves to each within 50 ms if the envelope permits it.
#[utoipa::path(post, path = "/api/v1/lease/{id}/target", tag = "teleoperation", operation_id = "steer",
    params(("id" = Uuid, Path, description = "The id of the lease.")), request_body = TargetRequest,
    responses(
        (status = 200, description = "The robot moves to the target.", body = Acknowledgement),
        (status = 409, description = "The robot can't move to the target now.", body = ErrorBody),
        (status = 410, description = "The lease has ended or never existed.", body = ErrorBody),
        (status = 422, description = "The request body is invalid.", body = ErrorBody),
))]
async fn target(
    State(leases): State<LeaseManager>,
    Path(id): Path<Uuid>,
    caller: Caller,
    JsonBody(aim): JsonBody<TargetRequest>,
) -> Answer {
    let _held = leases.refresh(id, &caller)?;
    leases.follow(&aim).map_err(|why| ApiError::new(StatusCode::CONFLICT, &why))?;
    Ok(ACKNOWLEDGED)
}

/// Move to a target in a given duration
#[utoipa::path(post, path = "/api/v1/lease/{id}/goto", tag = "teleoperation", operation_id = "steer_to",
    params(("id" = Uuid, Path, description = "The id of the lease.")), request_body = Goto,
    responses(
        (status = 200, description = "The motion has started.", body = Acknowledgement),
        (status = 409, description = "The motion can't start now.", body = ErrorBody),
        (status = 410, description = "The lease has ended or never existed.", body = ErrorBody),
        (status = 422, description = "The request body is invalid.", body = ErrorBody),
))]
async fn goto(
    State(leases): State<LeaseManager>,
    Path(id): Path<Uuid>,
    caller: Caller,
    JsonBody(goto): JsonBody<Goto>,
) -> Answer {
    let _held = leases.refresh(id, &caller)?;
    leases.go(&goto).map_err(|why| ApiError::new(StatusCode::CONFLICT, &why))?;
    Ok(ACKNOWLEDGED)
}

async fn open(
    State(leases): State<LeaseManager>,
    Path(id): Path<Uuid>,
    speaker: MessageAuthor,
    upgrade: WebSocketUpgrade,
) -> Result<Response, ApiError> {
    drop(leases.refresh(id, &speaker.caller)?);
    Ok(upgrade
        .max_message_size(MAX_MESSAGE_BYTES)
        .on_upgrade(move |socket| steer(socket, leases, id, speaker)))
}

/// What follows from a message of the holder.
enum Outcome {
    /// The connection remains open.
    Open(Option<Value>),
    /// The lease ends with this response.
    Ended(Option<Value>),
}

/// Serves the holder's WebSocket until either side closes it.
async fn steer(mut socket: WebSocket, leases: LeaseManager, id: Uuid, speaker: MessageAuthor) {
    let mut targets = 0_u64;
    let mut asked = leases.watch_requests(id);
    loop {
        let outcome = tokio::select! {
            message = socket.recv() => match message {
                Some(Ok(Message::Text(text))) => {
                    leases.handle_text(text.as_bytes(), id, &speaker, &mut targets)
                }
                Some(Ok(Message::Close(_)) | Err(_)) | None => break,
                Some(Ok(_)) => continue,
            },
            requests = handover::changed(&mut asked) => Outcome::Open(Some(requests)),
        };
        let (Outcome::Open(answer) | Outcome::Ended(answer)) = &outcome;
        if let Some(answer) = answer
            && socket.send(response(answer)).await.is_err()
        {
            break;
        }
        if matches!(outcome, Outcome::Ended(_)) {
            break;
        }
    }
    leases.end(id);
    speaker.note("/api/v1/lease: steered", &format!("{targets} targets"));
}

fn response(answer: &Value) -> Message {
    Message::Text(both(&http::LEASE_SOCKET, answer).0.to_string().into())
}

fn refused(reason: &str) -> Value {
    json!({ "type": "refused", "reason": reason })
}

impl LeaseManager {
    /// Carries out a text of the holder.
    fn handle_text(&self, text: &[u8], id: Uuid, speaker: &MessageAuthor, targets: &mut u64) -> Outcome {
        let word = match object::<LeaseMessage>(text) {
            Ok(word) => word,
            Err((position, why)) => return Outcome::Open(Some(refused(&format!("{position}: {why}")))),
        };
        // Until the message is carried out, the lease does not pass to another client.
        let Ok(held) = self.refresh(id, &speaker.caller) else {
            return Outcome::Open(Some(refused("the lease has ended; request a new one")));
        };
        let answered = match word {
            LeaseMessage::Release => return Outcome::Ended(None),
            LeaseMessage::HandOver { request } => match self.hand_over(held, request) {
                Ok(owner) => {
                    speaker.note("/api/v1/lease: handed over", &owner);
                    return Outcome::Ended(Some(json!({ "type": "handed_over", "owner": owner })));
                }
                Err(why) => Some(refused(&why.to_string())),
            },
            LeaseMessage::Decline { request } => {
                handover::decline(held, request).err().map(|why| refused(&why.to_string()))
            }
            word => {
                *targets += u64::from(matches!(word, LeaseMessage::Target(_)));
                self.handle_message(&word)
            }
        };
        Outcome::Open(answered)
    }

    /// Carries out a message about the motion and returns the response, if it has one.
    fn handle_message(&self, word: &LeaseMessage) -> Option<Value> {
        let done = match word {
            LeaseMessage::Heartbeat { sent } => {
                let snapshot = self.executor.control_loop().snapshot();
                return Some(json!({
                    "type": "heartbeat",
                    "sent": sent,
                    "motion_state": motion_state(snapshot.motion_state),
                    "cycles": snapshot.cycles,
                }));
            }
            LeaseMessage::Target(aim) => self.follow(aim),
            LeaseMessage::Goto(goto) => self.go(goto),
            LeaseMessage::Stop => {
                self.executor.stop_motion();
                Ok(())
            }
            LeaseMessage::Release | LeaseMessage::HandOver { .. } | LeaseMessage::Decline { .. } => Ok(()),
        };
        done.err().map(|why| refused(&why))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn target_has_only_the_given_parts() {
        let aim = |text: &str| serde_json::from_str::<TargetRequest>(text).unwrap().target();
        assert_eq!(aim("{}").unwrap(), Target::default());
        let target = aim(r#"{"yaw_deg": 20, "antennas_deg": [10, -10]}"#).unwrap();
        let head = target.head.unwrap();
        assert!((head.angles().yaw.degrees() - 20.0).abs() < 1e-9);
        assert_eq!((target.body_yaw, target.antennas.unwrap().left), (None, Radians::from_degrees(-10.0)));
    }
}
