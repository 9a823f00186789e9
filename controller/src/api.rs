//! Health and state over HTTP, the stop, and questions about files (module `code`).
//!
//! Threads: handlers copy the pulse's last snapshot and never wait for a beat. Safety: `stop` is the only word that
//! reaches the body.

mod caller;
mod chat;
mod code;
mod desk;
mod gate;
mod given;
mod journal;
mod lease;
mod official;

use std::future::Future;
use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::middleware;
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
use tokio_rustls::TlsAcceptor;

use self::desk::DeskThread;
use self::gate::Doorkeeper;
use self::given::Refused;
use crate::arbiter::Rank;
use crate::body::Body;
use crate::config::Config;
use crate::journal::JournalThread;
use crate::mover::MoverThread;
use crate::net::server;
use crate::outcome::{PostureView, tidy};

/// Serves until `until` completes.
///
/// # Errors
/// When the listener fails.
pub async fn serve(
    listener: TcpListener,
    body: &Arc<Body>,
    config: &Config,
    tls: Option<TlsAcceptor>,
    until: impl Future<Output = ()>,
) -> std::io::Result<()> {
    let moving = MoverThread::start(body, Rank::Client, "a client of the API")?;
    let steering = MoverThread::start(body, Rank::Lease, "whoever has leased the robot")?;
    let answering = DeskThread::start(body.clone(), config.clone())?;
    let address = listener.local_addr()?;
    let announced = (config.serve.announce && !address.ip().is_loopback()).then_some(address);
    let writing = JournalThread::start(&config.serve.journal)?;
    let keeper = Arc::new(Doorkeeper::new(&config.serve, writing.journal()));
    let connections = usize::try_from(config.serve.connections).unwrap_or(usize::MAX);
    let router = Router::new()
        .route("/health", get(health))
        .route("/api/v1/state", get(state))
        .route("/api/v1/stop", post(stop))
        .route("/api/v1/pulse/measure", post(measure))
        .fallback(unknown)
        .with_state(body.handle())
        .merge(code::routes(config))
        .merge(chat::routes(answering.desk(), config))
        .merge(lease::routes(steering.mover()))
        .merge(journal::routes())
        .merge(official::routes(official::Robot::new(moving.mover(), body.is_real(), announced)))
        .layer(middleware::map_response(detailed));
    let router = gate::guarded(router, keeper);
    for peers in &config.serve.trusted_peers {
        tracing::warn!(
            "{} may move the robot over the official wire without a token (compat.trusted_peers)",
            peers.0
        );
    }
    server::serve(listener, router, tls, connections, until).await;
    Ok(())
}

/// The longest words of a refusal, bytes.
const LONGEST_REFUSAL: usize = 64 << 10;

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
