//! The HTTP server: our own API below `/api/v1`, its OpenAPI document, MCP, OpenAI chat and the official daemon's API.
//!
//! Reading order: here (serving), `auth` (authentication), `caller`, `extract` (request bodies), `names` (renamed fields),
//! `dashboard` (the dashboard), `about`, `robot` (health, state, stop), `telemetry`, `camera`, `metrics`, `queue` (the queue of
//! requests) and `job`, `chat`, `choreography`, `voice`, `plans`, `tools`, `tool_admin`, `tool_preview`, `code`, `document` (OpenAPI), `official`.
//!
//! Threads: handlers copy the last snapshot of the control loop and never wait for a cycle. Slow work runs on other threads.

mod about;
mod auth;
mod bundles;
mod caller;
mod camera;
mod chat;
mod choreography;
mod code;
mod dashboard;
mod extract;
mod fleet;
mod job;
mod journal;
mod language_server;
mod lease;
mod mcp;
mod metrics;
mod names;
mod official;
mod openai;
mod openapi;
mod plans;
mod recordings;
mod rehearsals;
mod request_queue;
mod robot;
mod speaker;
mod telemetry;
mod tool_admin;
mod tool_preview;
mod tools;
mod tools_state;
mod voice;

use std::future::Future;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::Router;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::middleware;
use axum::response::{IntoResponse, Response};
use tokio::net::TcpListener;
use utoipa_axum::router::OpenApiRouter;

use self::auth::AuthMiddleware;
use self::extract::ApiError;
pub use self::mcp::{McpError, bridge_client, serve_client};
use self::request_queue::{RequestQueue, WorkerThread};
use self::voice::LocalAudio;
use crate::fleet::operator::FleetOperator;
use crate::webrtc;
use minismith_apps::manager::AppManager;
use minismith_apps::sandbox::Host;
use minismith_apps::store::Store;
use minismith_control::arbiter::Priority;
use minismith_control::head_tracking::HeadTrackingThread;
use minismith_control::motion_executor::MotionExecutorThread;
use minismith_control::robot::RobotRuntime;
use minismith_dialogue::Parts;
use minismith_media::camera_socket::CameraSocket;
use minismith_media::sounds::Sounds;
use minismith_media::tool_sound::ToolSounds;
use minismith_runtime::config::{Config, RobotChoice};
use minismith_runtime::journal::{Journal, JournalThread};
use minismith_runtime::net::server::{self, TlsAcceptor};
use minismith_runtime::paths::Environment;
use minismith_toolchain::guest::locate;
use minismith_voice::devices::mic_array::SharedMicArray;

/// Serves until `until` completes; also by voice if `spoken` has the parts for it.
///
/// # Errors
/// When the listener fails.
pub async fn serve(
    listener: TcpListener,
    body: &Arc<RobotRuntime>,
    config: &Config,
    tls: Option<TlsAcceptor>,
    spoken: Option<Parts>,
    until: impl Future<Output = ()>,
) -> std::io::Result<()> {
    let address = listener.local_addr()?;
    let server = Server::start(address, body, config, spoken)?;
    let connections = usize::try_from(config.server.max_connections).unwrap_or(usize::MAX);
    let programs = (webrtc::start(&config.server, address), crate::fleet::start(config, address));
    let (robot, operator) = (server.robot.clone(), server.operator.clone());
    let ending = async {
        until.await;
        // They and their peers would hold the server's connections. One that does not end is ended with this process.
        let end = move || {
            drop(programs);
            operator.close();
        };
        let _ended = tokio::task::spawn_blocking(end).await;
        // The app would go on until the server has ended.
        robot.close_apps().await;
    };
    server::serve(listener, server.router.clone(), tls, connections, ending).await;
    server.end().await;
    Ok(())
}

/// Passes the routes to a client in this process, without a port, and ends with the client. Tests and the fuzzer use it.
///
/// # Errors
/// When the server cannot start.
pub async fn serve_in_process<T>(
    body: &Arc<RobotRuntime>,
    config: &Config,
    client: impl AsyncFnOnce(Router) -> T,
) -> std::io::Result<T> {
    let server = Server::start(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), body, config, None)?;
    let result = client(server.router.clone()).await;
    server.operator.close();
    server.robot.close_apps().await;
    server.end().await;
    Ok(result)
}

/// The routes, and the threads that act for them.
struct Server {
    router: Router,
    robot: Arc<official::Robot>,
    operator: FleetOperator,
    uploads: Arc<Sounds>,
    microphone: Option<LocalAudio>,
    // They end in this order.
    _threads:
        (Option<JournalThread>, WorkerThread, MotionExecutorThread, HeadTrackingThread, MotionExecutorThread),
}

impl Server {
    fn start(
        address: SocketAddr,
        body: &Arc<RobotRuntime>,
        config: &Config,
        spoken: Option<Parts>,
    ) -> std::io::Result<Self> {
        let service = Environment::of_this_process().service_folder("RUNTIME_DIRECTORY");
        let camera_socket = config.server.camera_socket.path(address.port(), service.as_deref());
        let frames = camera_socket.as_ref().and_then(|path| {
            CameraSocket::open(path, body.observer())
                .inspect_err(|error| {
                    let path = path.display();
                    tracing::warn!(
                        "programs that use the official SDK get no camera frames at {path}: {error}"
                    );
                })
                .ok()
        });
        let apps = apps_of(config, camera_socket.filter(|_| frames.is_some()));
        let sdk = apps.as_ref().map_or(Path::new(""), |apps| &apps.host().sdk);
        let sounds =
            Arc::new(Sounds::new(config.voice.speaker.clone(), config.voice.microphone.clone(), sdk));
        let microphones = Arc::<SharedMicArray>::default();
        body.set_sound(Arc::new(ToolSounds::new(sounds.clone(), microphones.clone())));
        let moving = MotionExecutorThread::start(body, Priority::Client, "a client of the API")?;
        let attending = HeadTrackingThread::start(body)?;
        let steering =
            MotionExecutorThread::start(body, Priority::Lease, "the client that has leased the robot")?;
        let answering = WorkerThread::start(body.clone(), config.clone())?;
        let recorder = body.recorder();
        // The server keeps a journal even if the robot has none.
        let own_journal = match recorder.journal() {
            Some(_) => None,
            None => Some(JournalThread::start(&config.recording.journal)?),
        };
        let noting = own_journal.as_ref().map(JournalThread::journal).or_else(|| recorder.journal().cloned());
        let Some(journal) = noting else {
            return Err(std::io::Error::other("cannot serve: no journal is open"));
        };
        let keeper = Arc::new(AuthMiddleware::new(&config.server, journal.clone()));
        let heard = spoken.map(|parts| voice::here(body, config, parts, answering.queue(), journal.clone()));
        let heard = heard.transpose()?;
        let announced =
            (config.server.mdns && !address.ip().is_loopback()).then_some((address, model(&config.robot)));
        let uploads = sounds.clone();
        let robot = official::Robot::new(
            moving.executor(),
            attending.head_tracking(),
            body.observer(),
            announced,
            (frames, webrtc::sdk_address(&config.server, address)),
            apps,
            (sounds, microphones),
        );
        let operator = FleetOperator::new(config);
        let offers = about::Offers {
            fleet: operator.fleet().map(str::to_owned),
            webrtc_port: webrtc::port(&config.server, address),
        };
        let (own, document) = own_routes(body, &answering.queue(), config, journal, offers)
            .merge(choreography::routes(body.handle(), uploads.clone()))
            .merge(fleet::routes(operator.clone()))
            .merge(lease::routes(steering.executor()))
            .merge(journal::routes(&config.recording.journal))
            .merge(recordings::routes(config.recording.traces.clone()))
            .split_for_parts();
        let router = own
            .merge(telemetry::routes(body.handle()))
            .merge(voice::routes(answering.queue(), body, config))
            .merge(speaker::routes(uploads.clone()))
            .merge(language_server::routes(config))
            .merge(openapi::routes(document))
            .fallback(dashboard::file)
            .merge(mcp::routes(answering.queue(), body, config))
            .merge(openai::routes(answering.queue()))
            .merge(official::routes(robot.clone()))
            .layer(middleware::map_response(detailed));
        for peers in &config.server.trusted_peers {
            let peers = peers.0;
            tracing::warn!(
                "{peers} may move the robot over the official API without a token (`compat.trusted_peers`)"
            );
        }
        let router = auth::with_auth(router, keeper.clone());
        robot.serve_apps(router.clone(), config.tool_host.python.clone(), keeper, address.ip());
        let threads = (own_journal, answering, steering, attending, moving);
        Ok(Server { router, robot, operator, uploads, microphone: heard, _threads: threads })
    }

    async fn end(self) {
        if let Some(microphone) = self.microphone {
            microphone.end().await;
        }
        self.uploads.clear();
    }
}

/// Returns the apps of the configuration; none where the program is missing that makes their sandbox.
fn apps_of(config: &Config, camera_socket: Option<PathBuf>) -> Option<AppManager> {
    let (tool_host, _) = locate(&config.tool_host.python)
        .inspect_err(|error| tracing::info!("apps cannot run here: {error}"))
        .ok()?;
    let host = Host::new(tool_host, &config.tool_host.python, &config.apps, camera_socket);
    Some(AppManager::new(Store::at(config.apps.directory.clone()), host))
}

/// Returns the model that the official daemon would announce: the computer of a Reachy Mini Wireless reaches the motors
/// at a port of its own.
fn model(robot: &RobotChoice) -> &'static str {
    match robot {
        RobotChoice::Serial(port) if port == Path::new("/dev/ttyAMA3") => "Reachy Mini Wireless",
        _ => "Reachy Mini Lite",
    }
}

/// Returns the routes that the OpenAPI document describes.
fn own_routes(
    body: &RobotRuntime,
    queue: &RequestQueue,
    config: &Config,
    journal: Journal,
    offers: about::Offers,
) -> OpenApiRouter {
    let stored = (body.recorder(), journal);
    OpenApiRouter::with_openapi(openapi::bare())
        .merge(about::routes(config, body, offers))
        .merge(robot::routes(body.handle(), config))
        .merge(camera::routes(body))
        .merge(metrics::routes(body.handle(), queue.clone(), config, stored))
        .merge(chat::routes(queue.clone(), config))
        .merge(plans::routes(config))
        .merge(tools::routes(queue.clone(), body.handle(), config))
        .merge(code::routes(config))
}

/// Maximum size of an error message, bytes.
const MAX_ERROR_BODY_BYTES: usize = 64 << 10;

/// Converts errors of the web framework to JSON.
async fn detailed(response: Response) -> Response {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let status = response.status();
    if !(status.is_client_error() || status.is_server_error()) || kind.starts_with("application/json") {
        return response;
    }
    let body = axum::body::to_bytes(response.into_body(), MAX_ERROR_BODY_BYTES).await.unwrap_or_default();
    let why = String::from_utf8_lossy(&body);
    refuse(status, if why.is_empty() { status.canonical_reason().unwrap_or_default() } else { &why })
}

fn refuse(status: StatusCode, why: &str) -> Response {
    ApiError::new(status, why).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_port_tells_the_model() {
        let announced = |robot: &str| model(&robot.parse().unwrap());
        assert_eq!(announced("/dev/ttyAMA3"), "Reachy Mini Wireless");
        assert_eq!([announced("/dev/ttyACM0"), announced("mock")], ["Reachy Mini Lite"; 2]);
    }
}
