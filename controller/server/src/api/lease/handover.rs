//! Hand-over of the lease: a client asks the holder, who passes the lease on or declines.
//!
//! `POST /api/v1/lease/requests {"purpose": "gamepad", "heartbeat_ms": 500}` responds when the holder has decided, at the
//! latest after [`REQUEST_TIMEOUT`]. A client that disconnects withdraws its request. The holder learns of requests from
//! `GET /api/v1/lease`, and from the message `{"type": "requests", "requests": [{"id", "owner", "purpose"}], "timeout_ms"}`
//! over its WebSocket. It answers with `POST /api/v1/lease/{id}/handover` or `/decline` and `{"request": id}`, or with the
//! messages `{"type": "hand_over", "request": id}`, which is answered with `{"type": "handed_over", "owner"}`, and `{"type":
//! "decline", "request": id}`.
//!
//! The lease passes under the lock that every use of it takes, and the control of the robot is kept: no other client gets
//! either of them in between, and nothing of the previous holder moves the robot afterwards. The robot brakes and holds.

use std::sync::MutexGuard;
use std::time::Duration;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::{oneshot, watch};
use tokio::time::timeout;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;
use uuid::Uuid;

use super::{
    ACKNOWLEDGED, Acknowledgement, Answer, Granted, Lease, LeaseManager, gone, heartbeat_timeout,
    milliseconds, shortened,
};
use crate::api::caller::Caller;
use crate::api::extract::{ApiError, ErrorBody, JsonBody};

/// How long a request waits for the holder.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(20);

/// The most requests that wait at a time.
const MAX_REQUESTS: usize = 4;

/// A client that asks for the lease.
#[derive(Clone, Serialize, ToSchema)]
pub(super) struct Waiting {
    /// The id of the request, for the holder's answer.
    id: Uuid,
    /// The client's name: that of its token or address.
    owner: String,
    /// What it wants the lease for.
    purpose: String,
}

/// A request that is not decided yet.
struct Pending {
    waiting: Waiting,
    heartbeat: Duration,
    decision: oneshot::Sender<Decision>,
}

/// The requests for one lease, the oldest first. They end with it.
pub(super) struct Requests {
    pending: Vec<Pending>,
    changed: watch::Sender<Vec<Waiting>>,
}

impl Default for Requests {
    fn default() -> Self {
        Requests::new(Vec::new())
    }
}

impl Requests {
    fn new(pending: Vec<Pending>) -> Self {
        let requests = Requests { pending, changed: watch::Sender::new(Vec::new()) };
        requests.publish();
        requests
    }

    /// Returns the clients that wait.
    pub(super) fn waiting(&self) -> Vec<Waiting> {
        self.pending.iter().map(|one| one.waiting.clone()).collect()
    }

    /// Informs the holder.
    fn publish(&self) {
        self.changed.send_replace(self.waiting());
    }

    /// Adds a request. It replaces an earlier one of the same client, so that no client fills the list.
    fn add(&mut self, request: Pending) -> Result<(), ApiError> {
        if let Some(at) = self.pending.iter().position(|one| one.waiting.owner == request.waiting.owner) {
            let earlier = self.pending.remove(at);
            // Its client may have disconnected.
            let _sent = earlier.decision.send(Decision::Replaced);
        }
        if self.pending.len() >= MAX_REQUESTS {
            let why = format!("{MAX_REQUESTS} clients already wait for the lease; try again later");
            return Err(ApiError::new(StatusCode::CONFLICT, &why));
        }
        self.pending.push(request);
        self.publish();
        Ok(())
    }

    fn take(&mut self, id: Uuid) -> Option<Pending> {
        let at = self.pending.iter().position(|one| one.waiting.id == id)?;
        let request = self.pending.remove(at);
        self.publish();
        Some(request)
    }
}

/// The decision about a request.
#[derive(Debug)]
enum Decision {
    Granted(Granted),
    Declined,
    Replaced,
}

/// A request to the holder of the lease.
#[derive(Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
struct HandoverRequest {
    /// What the lease is for, in a few words that the holder sees.
    purpose: String,
    /// Heartbeat timeout of the lease, milliseconds. Default: 500.
    #[schema(minimum = 100, maximum = 5000)]
    heartbeat_ms: Option<u64>,
}

/// How a request ended.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum RequestStatus {
    /// The lease is the client's. Its heartbeats are due from now on.
    Granted,
    /// The holder declined.
    Declined,
    /// The holder did not answer in time.
    Expired,
    /// A later request of the same client replaced this one.
    Replaced,
    /// There is no holder (any more): request the lease itself.
    Free,
}

/// The end of a request.
#[derive(Serialize, ToSchema)]
struct HandoverResponse {
    status: RequestStatus,
    /// The lease, if it was granted.
    lease: Option<Granted>,
}

/// The holder's answer to a request.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct HolderAnswer {
    /// The id of the request.
    request: Uuid,
}

pub(super) fn routes() -> OpenApiRouter<LeaseManager> {
    OpenApiRouter::new().routes(routes!(ask)).routes(routes!(accept)).routes(routes!(reject))
}

fn unknown_request() -> ApiError {
    ApiError::new(
        StatusCode::NOT_FOUND,
        "unknown request: it was answered, withdrawn or has expired; no action needed",
    )
}

/// Declines a request.
pub(super) fn decline(mut held: MutexGuard<'_, Option<Lease>>, request: Uuid) -> Result<(), ApiError> {
    let request = held.as_mut().and_then(|lease| lease.requests.take(request)).ok_or_else(unknown_request)?;
    request.decision.send(Decision::Declined).map_err(|_| unknown_request())
}

/// Returns the message for the holder as soon as the requests change.
pub(super) async fn changed(asked: &mut Option<watch::Receiver<Vec<Waiting>>>) -> Value {
    let Some(requests) = asked else { return std::future::pending().await };
    if requests.changed().await.is_err() {
        // The lease has ended: there are no more requests for it.
        return std::future::pending().await;
    }
    let requests = requests.borrow_and_update().clone();
    json!({ "type": "requests", "requests": requests, "timeout_ms": milliseconds(REQUEST_TIMEOUT) })
}

/// A request that is withdrawn when it is dropped, also when its client disconnects.
struct Asking {
    leases: LeaseManager,
    id: Uuid,
    decided: oneshot::Receiver<Decision>,
}

impl Drop for Asking {
    fn drop(&mut self) {
        if let Some(lease) = self.leases.lock().as_mut() {
            let _withdrawn = lease.requests.take(self.id);
        }
    }
}

impl Asking {
    /// Waits for the holder's decision.
    async fn decision(&mut self) -> HandoverResponse {
        let decided = match timeout(REQUEST_TIMEOUT, &mut self.decided).await {
            Ok(decided) => decided.map_err(|_| RequestStatus::Free),
            Err(_) => {
                // The holder may have decided just now.
                self.decided.close();
                self.decided.try_recv().map_err(|_| RequestStatus::Expired)
            }
        };
        let (status, lease) = match decided {
            Ok(Decision::Granted(lease)) => (RequestStatus::Granted, Some(lease)),
            Ok(Decision::Declined) => (RequestStatus::Declined, None),
            Ok(Decision::Replaced) => (RequestStatus::Replaced, None),
            Err(status) => (status, None),
        };
        HandoverResponse { status, lease }
    }
}

impl LeaseManager {
    /// Returns the requests for a lease. The first change is the present list, unless it is empty.
    pub(super) fn watch_requests(&self, id: Uuid) -> Option<watch::Receiver<Vec<Waiting>>> {
        let held = self.lock();
        let lease = held.as_ref().filter(|lease| lease.id == id)?;
        let mut requests = lease.requests.changed.subscribe();
        if !lease.requests.pending.is_empty() {
            requests.mark_changed();
        }
        Some(requests)
    }

    /// Adds a request; none if no client holds the lease.
    fn ask(&self, caller: &Caller, wanted: &HandoverRequest) -> Result<Option<Asking>, ApiError> {
        let heartbeat = heartbeat_timeout(wanted.heartbeat_ms)?;
        let mut held = self.lock();
        let Some(lease) = held.as_mut() else { return Ok(None) };
        let id = Uuid::new_v4();
        let waiting = Waiting { id, owner: caller.name.to_string(), purpose: shortened(&wanted.purpose) };
        let (decision, decided) = oneshot::channel();
        lease.requests.add(Pending { waiting, heartbeat, decision })?;
        Ok(Some(Asking { leases: self.clone(), id, decided }))
    }

    /// Passes the lease to the client of a request, and returns its name. The other requests wait for the new holder.
    pub(super) fn hand_over(
        &self,
        mut held: MutexGuard<'_, Option<Lease>>,
        request: Uuid,
    ) -> Result<String, ApiError> {
        let lease = held.as_mut().ok_or_else(gone)?;
        let Pending { waiting, heartbeat, decision } =
            lease.requests.take(request).ok_or_else(unknown_request)?;
        let Waiting { owner, purpose, .. } = waiting;
        let id = Uuid::new_v4();
        let granted = Granted {
            lease_id: id,
            owner: owner.clone(),
            purpose: purpose.clone(),
            heartbeat_ms: milliseconds(heartbeat),
        };
        decision.send(Decision::Granted(granted)).map_err(|_| unknown_request())?;
        let requests = Requests::new(std::mem::take(&mut lease.requests.pending));
        let (heart, heard) = watch::channel(());
        *held = Some(Lease {
            id,
            owner: owner.clone(),
            purpose,
            heartbeat_interval: heartbeat,
            heartbeat: heart,
            requests,
        });
        self.executor.pass_control();
        drop(held);
        tokio::spawn(self.clone().listen(id, heard, heartbeat));
        Ok(owner)
    }
}

/// Ask the holder for the lease
///
/// Responds when the holder has decided, at the latest after 20 s. Disconnect to withdraw the request. At most four clients
/// wait at a time.
#[utoipa::path(post, path = "/api/v1/lease/requests", tag = "teleoperation", operation_id = "ask_for_lease",
    request_body = HandoverRequest,
    responses(
        (status = 200, description = "How the request ended.", body = HandoverResponse),
        (status = 409, description = "Too many clients wait already.", body = ErrorBody),
        (status = 422, description = "The request body is invalid.", body = ErrorBody),
))]
async fn ask(
    State(leases): State<LeaseManager>,
    caller: Caller,
    JsonBody(wanted): JsonBody<HandoverRequest>,
) -> Result<Json<HandoverResponse>, ApiError> {
    match leases.ask(&caller, &wanted)? {
        Some(mut asking) => Ok(Json(asking.decision().await)),
        None => Ok(Json(HandoverResponse { status: RequestStatus::Free, lease: None })),
    }
}

/// Hand the lease over
///
/// The client of the request becomes the holder at once; the robot brakes and holds its position.
#[utoipa::path(post, path = "/api/v1/lease/{id}/handover", tag = "teleoperation", operation_id = "hand_over_lease",
    params(("id" = Uuid, Path, description = "The id of the lease.")), request_body = HolderAnswer,
    responses(
        (status = 200, description = "The lease has passed to the client.", body = Acknowledgement),
        (status = 404, description = "The request has ended or never existed.", body = ErrorBody),
        (status = 410, description = "The lease has ended or never existed.", body = ErrorBody),
        (status = 422, description = "The request body is invalid.", body = ErrorBody),
))]
async fn accept(
    State(leases): State<LeaseManager>,
    Path(id): Path<Uuid>,
    caller: Caller,
    JsonBody(answer): JsonBody<HolderAnswer>,
) -> Answer {
    let held = leases.refresh(id, &caller)?;
    leases.hand_over(held, answer.request)?;
    Ok(ACKNOWLEDGED)
}

/// Decline a request for the lease
#[utoipa::path(post, path = "/api/v1/lease/{id}/decline", tag = "teleoperation", operation_id = "decline_lease_request",
    params(("id" = Uuid, Path, description = "The id of the lease.")), request_body = HolderAnswer,
    responses(
        (status = 200, description = "The request was declined.", body = Acknowledgement),
        (status = 404, description = "The request has ended or never existed.", body = ErrorBody),
        (status = 410, description = "The lease has ended or never existed.", body = ErrorBody),
        (status = 422, description = "The request body is invalid.", body = ErrorBody),
))]
async fn reject(
    State(leases): State<LeaseManager>,
    Path(id): Path<Uuid>,
    caller: Caller,
    JsonBody(answer): JsonBody<HolderAnswer>,
) -> Answer {
    decline(leases.refresh(id, &caller)?, answer.request)?;
    Ok(ACKNOWLEDGED)
}
