//! Health and state over HTTP, the stop, and questions about files (module `code`).
//!
//! Threads: handlers copy the pulse's last snapshot and never wait for a beat. Safety: `stop` is the only word that
//! reaches the body.

mod caller;
mod chat;
mod code;
mod desk;
mod given;
mod official;

use std::future::Future;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use firmware_bridge::joint::Joint;
use firmware_bridge::kinematics::posture_from_joints;
use firmware_bridge::posture::HeadPose;
use firmware_bridge::pulse::{Conductor, Doing, Order, PulseHandle};
use firmware_bridge::robot::Reading;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use self::caller::Caller;
use self::desk::DeskThread;
use self::given::Refused;
use crate::body::Body;
use crate::config::Config;
use crate::mover::MoverThread;
use crate::outcome::{PostureView, tidy};
use crate::role::Role;

/// Serves until `until` completes.
///
/// # Errors
/// When the listener fails.
pub async fn serve(
    listener: TcpListener,
    body: &Arc<Body>,
    config: &Config,
    until: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<()> {
    let moving = MoverThread::start(body)?;
    let answering = DeskThread::start(body.clone(), config.clone())?;
    let router = Router::new()
        .route("/health", get(health))
        .route("/api/v1/state", get(state))
        .route("/api/v1/stop", post(stop))
        .route("/api/v1/pulse/measure", post(measure))
        .fallback(unknown)
        .with_state(body.handle())
        .merge(code::routes(config))
        .merge(chat::routes(answering.desk(), config))
        .merge(official::routes(official::Robot::new(moving.mover(), body.is_real())))
        .layer(middleware::map_response(detailed))
        .layer(middleware::from_fn(only_this_machine));
    let (ending, ends) = oneshot::channel::<()>();
    let asked = async move {
        until.await;
        drop(ending);
    };
    let last_call = async {
        // The other half is only ever dropped; that is the word.
        let _dropped = ends.await;
        tokio::time::sleep(LAST_CALL).await;
    };
    tokio::select! {
        served = axum::serve(listener, router).with_graceful_shutdown(asked) => served,
        () = last_call => Ok(()),
    }
}

/// How long requests may take that have begun when the end is asked for. One that never goes on would hold it up.
const LAST_CALL: Duration = Duration::from_secs(1);

/// The longest words of a refusal, bytes.
const LONGEST_REFUSAL: usize = 64 << 10;

/// A page in a browser must not reach the robot by a name that it points at this machine, nor from another site.
async fn only_this_machine(mut request: Request, next: Next) -> Response {
    if let Some(refusal) = foreign(request.headers()) {
        return refusal;
    }
    request.extensions_mut().insert(Caller { name: "this machine".into(), role: Role::Owner });
    next.run(request).await
}

fn foreign(headers: &HeaderMap) -> Option<Response> {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let host = header("host").unwrap_or_default();
    if !is_local(host) {
        return Some(refuse(
            StatusCode::BAD_REQUEST,
            "the Host header must be localhost or a loopback address",
        ));
    }
    let origin = header("origin").and_then(|origin| origin.split_once("://"));
    let elsewhere = headers.contains_key("origin") && !origin.is_some_and(|(_, host)| is_local(host));
    elsewhere.then(|| refuse(StatusCode::FORBIDDEN, "requests from other sites are refused"))
}

fn is_local(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Refusals of the server's own kind come as JSON too.
async fn detailed(response: Response) -> Response {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let status = response.status();
    if !(status.is_client_error() || status.is_server_error()) || kind.starts_with("application/json") {
        return response;
    }
    let body = axum::body::to_bytes(response.into_body(), LONGEST_REFUSAL).await.unwrap_or_default();
    let why = String::from_utf8_lossy(&body);
    refuse(status, if why.is_empty() { status.canonical_reason().unwrap_or_default() } else { &why })
}

fn refuse(status: StatusCode, why: &str) -> Response {
    Refused::because(status, why).into_response()
}

async fn unknown() -> Response {
    refuse(
        StatusCode::NOT_FOUND,
        "there is: GET /health, GET /api/v1/state, POST /api/v1/stop, POST /api/v1/chat, GET /api/v1/sessions, POST /api/v1/code, POST /api/v1/pulse/measure, and the official daemon's /api and /ws/sdk",
    )
}

async fn health(State(pulse): State<PulseHandle>) -> Response {
    let snapshot = pulse.snapshot();
    let well = snapshot.fault.is_none();
    let status = if well { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let body = json!({
        "status": if well { "ok" } else { "fault" },
        "fault": snapshot.fault.map(|fault| fault.to_string()),
        "beats": snapshot.beats,
        "late_beats": snapshot.late,
        "last_fault": snapshot.status.map(|status| json!({
            "kind": status.kind,
            "motor": status.joint.map(Joint::name),
            "policy": status.policy,
            "stage": status.stage,
            "times": status.times,
            "says": status.to_string(),
        })),
        "pulse": pulse.regularity(),
        "version": env!("CARGO_PKG_VERSION"),
    });
    (status, Json(body)).into_response()
}

async fn state(State(pulse): State<PulseHandle>) -> Json<Value> {
    let snapshot = pulse.snapshot();
    let present = snapshot.state.present().ok();
    let posture = present.and_then(|joints| posture_from_joints(&joints, &HeadPose::neutral()).ok());
    let joint = |joint: Joint| {
        let reading = snapshot.state.readings[joint];
        let freshness = match reading {
            Reading::Fresh(_) => "fresh",
            Reading::Stale { .. } => "stale",
            Reading::Never => "never",
        };
        json!({
            "name": joint.name(),
            "present_deg": reading.known().map(|angle| tidy(angle.degrees())),
            "goal_deg": tidy(snapshot.commanded[joint].degrees()),
            "torque": snapshot.state.torque[joint],
            "reading": freshness,
            "temperature_c": snapshot.state.health[joint].map(|health| health.celsius),
            "voltage_v": snapshot.state.health[joint].map(|health| health.volts),
            "current_ma": snapshot.state.health[joint].map(|health| health.current),
            "mode": snapshot.state.modes[joint],
            "errors": snapshot.state.errors[joint].iter().collect::<Vec<_>>(),
        })
    };
    Json(json!({
        "doing": snapshot.doing,
        "control": snapshot.control,
        "posture": posture.as_ref().map(PostureView::from),
        "joints": Joint::ALL.map(joint),
        "fault": snapshot.fault.as_ref().map(ToString::to_string),
        "beats": snapshot.beats,
    }))
}

/// Measures the regularity of the beat, as `/health` tells it, from here on.
async fn measure(State(pulse): State<PulseHandle>) -> Json<Value> {
    pulse.measure_anew();
    Json(json!({ "measured": "from now on" }))
}

/// Brakes, and answers when the body has come to rest.
async fn stop(State(mut pulse): State<PulseHandle>) -> Response {
    let halted = tokio::task::spawn_blocking(move || {
        pulse.order(Order::Halt);
        pulse.wait(&|snapshot| snapshot.doing != Doing::Braking)
    })
    .await;
    match halted {
        Ok(snapshot) => Json(json!({ "doing": snapshot.doing, "beats": snapshot.beats })).into_response(),
        Err(_) => {
            refuse(StatusCode::INTERNAL_SERVER_ERROR, "the stop could not be confirmed; switch the robot off")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::is_local;

    #[test]
    fn only_loopback_names_are_local() {
        for host in ["localhost", "localhost:8000", "127.0.0.1:8000", "127.3.2.1", "[::1]:8000", "[::1]"] {
            assert!(is_local(host), "{host}");
        }
        for host in
            ["", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "192.168.1.5", "[::2]"]
        {
            assert!(!is_local(host), "{host}");
        }
    }
}
