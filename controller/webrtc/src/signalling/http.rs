//! Signalling over HTTP, as the official browser class does it: `GET /events` (server-sent events), `POST /send`, and
//! `GET /api/robot-status`.
//!
//! Every page may ask, and the controller decides by its `Origin` and its token. So the headers for browsers (CORS) allow
//! every origin, and no cookies are read.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::to_bytes;
use axum::extract::{Request, State};
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_MAX_AGE, CACHE_CONTROL,
};
use axum::http::{HeaderValue, Method, StatusCode};
use axum::middleware::{Next, from_fn};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use axum::{Json, Router};
use futures_util::stream::unfold;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::asking::{Asking, refuse};
use super::hub::{Hub, HubError};
use super::{message, socket};
use crate::transport::PeerKind;

/// The interval of comments in a stream of events, which tell whether the peer is still there.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(15);

/// The time for the body of a request.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);

/// Returns the routes.
pub fn routes(hub: Hub) -> Router {
    Router::new()
        .route("/", any(socket::open))
        .route("/events", get(events))
        .route("/send", post(send))
        .route("/api/robot-status", get(robot_status))
        .route("/health", get(health))
        .fallback(unknown)
        .layer(from_fn(allow_pages))
        .with_state(hub)
}

/// Lets pages of every origin read the responses; see the top of the file.
async fn allow_pages(request: Request, next: Next) -> Response {
    let is_preflight = request.method() == Method::OPTIONS;
    let mut response =
        if is_preflight { StatusCode::NO_CONTENT.into_response() } else { next.run(request).await };
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    if is_preflight {
        headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("GET, POST"));
        headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static("authorization, content-type"));
        headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("600"));
        // Browsers ask before a page reaches into a local network.
        headers.insert("access-control-allow-private-network", HeaderValue::from_static("true"));
    }
    response
}

async fn health() -> &'static str {
    "ok"
}

async fn unknown() -> Response {
    refuse(StatusCode::NOT_FOUND, "unknown path: use /events, /send, /api/robot-status, or a WebSocket at /")
}

/// Sends the robot's messages until the peer disconnects.
async fn events(State(hub): State<Hub>, asking: Asking) -> Result<Response, HubError> {
    let name = hub.robot_name(&asking.who).await;
    // A session outlives the stream: the browser class opens another one after a disturbance.
    let listening = hub.listen(asking.who, &asking.agent, PeerKind::Browser).await?;
    let robots = message::list(hub.robot(), &name);
    let stream = unfold((listening, Some(robots)), |(mut listening, mut robots)| async move {
        let message = match listening.inbox.recv().await? {
            // The list follows the greeting.
            greeting if greeting.get("type") == Some(&Value::from("welcome")) => greeting,
            other => return Some((event(&[other]), (listening, robots))),
        };
        let both: Vec<Value> = [Some(message), robots.take()].into_iter().flatten().collect();
        Some((event(&both), (listening, robots)))
    });
    let stream = futures_util::StreamExt::flat_map(stream, futures_util::stream::iter);
    let response = Sse::new(stream).keep_alive(KeepAlive::new().interval(KEEP_ALIVE_INTERVAL));
    Ok(([(CACHE_CONTROL, "no-store")], response).into_response())
}

fn event(messages: &[Value]) -> Vec<Result<Event, Infallible>> {
    messages.iter().map(|message| Ok(Event::default().data(message.to_string()))).collect()
}

/// Takes a message of a peer that listens.
async fn send(State(hub): State<Hub>, asking: Asking, request: Request) -> Result<Response, HubError> {
    // Before the message is read: only those whom the controller accepts get further.
    hub.caller(&asking.who).await?;
    let body = to_bytes(request.into_body(), message::MAX_MESSAGE_BYTES);
    let body = match timeout(BODY_TIMEOUT, body).await {
        Ok(Ok(body)) => body,
        Ok(Err(_)) => {
            let most = format!(
                "the message is too long or incomplete: at most {} bytes",
                message::MAX_MESSAGE_BYTES
            );
            return Ok(refuse(StatusCode::PAYLOAD_TOO_LARGE, &most));
        }
        Err(_) => return Ok(refuse(StatusCode::REQUEST_TIMEOUT, "the message does not arrive")),
    };
    let message = message::read(&String::from_utf8_lossy(&body)).map_err(HubError::Invalid)?;
    let listener = hub.listener_of(&asking.who, &asking.agent);
    match hub.take(&asking.who, listener.as_deref(), message).await {
        Ok(response) => Ok(Json(response).into_response()),
        // The browser class knows this one.
        Err(error @ HubError::Busy) => {
            Ok(Json(message::session_rejected("robot_busy", &error.to_string())).into_response())
        }
        Err(error) => Err(error),
    }
}

/// Lists the robots of the caller: this one.
async fn robot_status(State(hub): State<Hub>, asking: Asking) -> Result<Json<Value>, HubError> {
    hub.caller(&asking.who).await?;
    let name = hub.robot_name(&asking.who).await;
    Ok(Json(json!({ "robots": [{
        "peerId": hub.robot(),
        "robotName": name,
        "meta": { "name": name },
        "busy": hub.is_busy(),
        "activeApp": null,
        "last_seen_age_seconds": 0,
    }] })))
}
