//! Apps that were made for the official daemon: installed, started in their sandbox, and stopped.
//!
//! An app's requests come over a socket in the app's own network, so the server knows whose they are: the app is an operator who
//! may use the official API. A stop of the robot also ends the app. Apps come from files; there is no hub here. The page that an app
//! serves is passed on from the same port of this computer.

use std::future::Future;
use std::net::IpAddr;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{any, get, post};
use axum::{Extension, Json, Router};
use firmware_bridge::motion::{Interpolation, Motion, Target};
use firmware_bridge::posture::Posture;
use minismith_apps::AppError;
use minismith_apps::install::Installer;
use minismith_apps::jobs::{JobStatus, Jobs};
use minismith_apps::manager::AppManager;
use minismith_apps::page::AppPage;
use minismith_apps::running::{AppStatus, RunningApp};
use minismith_apps::store::{App, Grant};
use minismith_control::motion_executor::MoveRequest;
use minismith_runtime::net::{self, forward, server};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::time::interval;
use uuid::Uuid;

use super::pose::present;
use super::{Mode, Robot, mode};
use crate::api::auth::{AppConnection, AuthMiddleware, with_page_auth};
use crate::api::extract::{ApiError, JsonBody};
use crate::api::refuse;

/// How often it looks whether the app has ended, or the robot was stopped.
const WATCH_PERIOD: Duration = Duration::from_millis(50);

/// Connections that an app may have.
const MAX_CONNECTIONS: usize = 32;

/// How close to its sleep pose the head counts as asleep: millimetres and degrees together, as in the official daemon
/// (official `apps/manager.py`, `SLEEP_POSE_MAGIC_DISTANCE`).
const ASLEEP_DISTANCE: f64 = 10.0;

const NO_HUB: &str = "there is no app store here; install an app from a folder, a wheel or an archive: `minismith app install PATH`";

/// The apps of a server.
pub(super) struct Apps {
    /// None where the tool host is missing, which makes their sandbox.
    manager: Option<Arc<AppManager>>,
    /// The interpreter of which those of apps are made.
    python: OnceLock<PathBuf>,
    /// What is served to apps: the same as to others. It holds the robot, so it is taken away at the end.
    router: Mutex<Option<Router>>,
    jobs: Jobs,
    pages: OnceLock<Pages>,
}

/// Where the pages of apps are served, and who guards them.
struct Pages {
    keeper: Arc<AuthMiddleware>,
    host: IpAddr,
}

impl Apps {
    pub(super) fn new(manager: Option<AppManager>) -> Self {
        Apps {
            manager: manager.map(Arc::new),
            python: OnceLock::new(),
            router: Mutex::default(),
            jobs: Jobs::default(),
            pages: OnceLock::new(),
        }
    }

    pub(super) fn manager(&self) -> Result<&Arc<AppManager>, ApiError> {
        let why =
            "apps cannot run here: the program minismith-tool-host is missing, which makes their sandbox";
        self.manager.as_ref().ok_or_else(|| ApiError::new(StatusCode::SERVICE_UNAVAILABLE, why))
    }

    fn set_router(&self, router: Option<Router>) {
        *self.router.lock().unwrap_or_else(PoisonError::into_inner) = router;
    }
}

impl Robot {
    /// Says what is served to apps, and starts the app that starts with the server. The pages of apps are served at `host`.
    pub(in crate::api) fn serve_apps(
        self: &Arc<Self>,
        router: Router,
        python: PathBuf,
        keeper: Arc<AuthMiddleware>,
        host: IpAddr,
    ) {
        // This is called once.
        self.apps.set_router(Some(router));
        let _first = self.apps.python.set(python);
        let Some(manager) = &self.apps.manager else { return };
        // A browser may still show the page of an app that ran under an earlier server.
        for app in manager.store().list().unwrap_or_default() {
            if let Some(page) = own_page(manager, &app) {
                keeper.distrust_pages_at(page.port);
            }
        }
        let _first = self.apps.pages.set(Pages { keeper, host });
        match manager.store().startup() {
            Ok(Some(name)) => {
                let robot = self.clone();
                tokio::spawn(async move {
                    if let Err(error) = begin(&robot, name.clone()).await {
                        tracing::warn!("the app {name} did not start with the server: {error}");
                    }
                });
            }
            Ok(None) => {}
            Err(error) => tracing::warn!("{error}"),
        }
    }

    /// Ends the app that runs, and starts no other one.
    pub(in crate::api) async fn close_apps(&self) {
        self.apps.set_router(None);
        self.end_apps().await;
    }

    /// Ends the app that runs.
    async fn end_apps(&self) {
        if let Some(manager) = self.apps.manager.clone() {
            // Without a running app there is nothing to do.
            let _ended = tokio::task::spawn_blocking(move || manager.stop()).await;
        }
    }
}

pub(super) fn routes() -> Router<Arc<Robot>> {
    Router::new()
        .route("/api/apps/list-available", get(installed))
        .route("/api/apps/list-available/{kind}", get(available))
        .route("/api/apps/install", post(install))
        .route("/api/apps/install-private-space", post(no_account))
        .route("/api/apps/remove/{name}", post(remove))
        .route("/api/apps/update/{name}", post(no_hub))
        .route("/api/apps/check-updates", get(updates))
        .route("/api/apps/job-status/{id}", get(job_status))
        .route("/api/apps/ws/apps-manager/{id}", any(job_stream))
        .route("/api/apps/start-app/{name}", post(start))
        .route("/api/apps/start-app/{name}/no-evict", post(start))
        .route("/api/apps/restart-current-app", post(restart))
        .route("/api/apps/stop-current-app", post(stop))
        .route("/api/apps/current-app-status", get(status))
        .route("/api/apps/startup-app", get(startup).put(set_startup))
        .route("/api/apps/log/{name}", get(log))
}

/// Returns an app in the official format.
fn described(manager: &AppManager, app: &App) -> Value {
    json!({
        "name": app.name,
        "source_kind": "installed",
        "description": app.description,
        "url": null,
        "extra": {
            "custom_app_url": manager.store().page(app).map(|page| page.url),
            "version": app.version,
            "path": app.source,
            "grants": app.grants.iter().map(|grant| grant.name()).collect::<Vec<_>>(),
        },
    })
}

fn reported(manager: &AppManager, status: &AppStatus) -> Value {
    json!({ "info": described(manager, &status.app), "state": status.state, "error": status.error })
}

fn refused(error: AppError) -> ApiError {
    let status = match &error {
        AppError::Unknown(_) => StatusCode::NOT_FOUND,
        AppError::Sandbox(_) | AppError::File { .. } | AppError::Process(_) => {
            StatusCode::INTERNAL_SERVER_ERROR
        }
        // As in the official daemon.
        _ => StatusCode::BAD_REQUEST,
    };
    ApiError::new(status, &error.to_string())
}

type Answer = Result<Json<Value>, ApiError>;

async fn installed(State(robot): State<Arc<Robot>>) -> Answer {
    let manager = robot.apps.manager()?;
    let apps = manager.store().list().map_err(refused)?;
    Ok(Json(apps.iter().map(|app| described(manager, app)).collect()))
}

async fn available(State(robot): State<Arc<Robot>>, Path(kind): Path<String>) -> Answer {
    match kind.as_str() {
        "installed" => installed(State(robot)).await,
        "local" => Ok(Json(json!([]))),
        "hf_space" | "dashboard_selection" => Err(ApiError::new(StatusCode::NOT_IMPLEMENTED, NO_HUB)),
        _ => Err(ApiError::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "unknown kind of source: use installed, local, hf_space or dashboard_selection",
        )),
    }
}

/// What shall be installed, in the official format.
#[derive(Deserialize)]
struct Wanted {
    source_kind: String,
    #[serde(default)]
    extra: WantedExtra,
}

#[derive(Default, Deserialize)]
struct WantedExtra {
    path: Option<PathBuf>,
}

async fn install(State(robot): State<Arc<Robot>>, JsonBody(wanted): JsonBody<Wanted>) -> Answer {
    if wanted.source_kind != "local" {
        return Err(ApiError::new(StatusCode::NOT_IMPLEMENTED, NO_HUB));
    }
    let Some(path) = wanted.extra.path else {
        return Err(ApiError::new(
            StatusCode::BAD_REQUEST,
            "`extra.path` is missing: name a folder, a wheel or an archive",
        ));
    };
    let manager = robot.apps.manager()?.clone();
    let python = robot.apps.python.get().cloned().unwrap_or_default();
    begin_job(&robot, "install", move |progress| {
        let mut installer =
            Installer { store: manager.store(), host: manager.host(), python: &python, progress };
        installer.install(&path).map(|app| format!("installed {} {}", app.name, app.version))
    })
}

/// Starts a job, and returns its id.
fn begin_job(
    robot: &Arc<Robot>,
    command: &'static str,
    work: impl FnOnce(&mut dyn FnMut(&str)) -> Result<String, AppError> + Send + 'static,
) -> Answer {
    let Some(id) = robot.apps.jobs.enter(command) else {
        return Err(ApiError::new(
            StatusCode::CONFLICT,
            "an app is being installed or removed; try again when it is done",
        ));
    };
    let robot = robot.clone();
    tokio::task::spawn_blocking(move || robot.apps.jobs.run(id, work));
    Ok(Json(json!({ "job_id": id })))
}

async fn remove(State(robot): State<Arc<Robot>>, Path(name): Path<String>) -> Answer {
    let manager = robot.apps.manager()?.clone();
    manager.store().find(&name).map_err(refused)?;
    let runs = |running: RunningApp| running.is_alive() && running.status().app.name == name;
    if manager.current().is_some_and(runs) {
        return Err(refused(AppError::Running(name)));
    }
    begin_job(&robot, "remove", move |_| manager.store().remove(&name).map(|()| format!("removed {name}")))
}

async fn no_hub() -> ApiError {
    ApiError::new(StatusCode::NOT_IMPLEMENTED, NO_HUB)
}

async fn no_account() -> ApiError {
    ApiError::new(
        StatusCode::UNAUTHORIZED,
        "there is no Hugging Face account here; install the app from files",
    )
}

async fn updates(State(robot): State<Arc<Robot>>) -> Answer {
    let skipped = robot.apps.manager()?.store().list().map_err(refused)?.len();
    Ok(Json(json!({ "apps_with_updates": [], "apps_checked": 0, "apps_skipped": skipped })))
}

async fn job_status(State(robot): State<Arc<Robot>>, Path(id): Path<Uuid>) -> Answer {
    let job = robot
        .apps
        .jobs
        .get(id)
        .ok_or_else(|| ApiError::new(StatusCode::NOT_FOUND, "there is no such job"))?;
    Ok(Json(json!(job)))
}

async fn job_stream(
    State(robot): State<Arc<Robot>>,
    Path(id): Path<Uuid>,
    upgrade: WebSocketUpgrade,
) -> Result<Response, ApiError> {
    if robot.apps.jobs.get(id).is_none() {
        return Err(ApiError::new(StatusCode::NOT_FOUND, "there is no such job"));
    }
    Ok(upgrade
        .max_message_size(super::MAX_MESSAGE_BYTES)
        .on_upgrade(move |socket| follow_job(socket, robot, id)))
}

/// Sends a job whenever it has changed, until it is done.
async fn follow_job(mut socket: WebSocket, robot: Arc<Robot>, id: Uuid) {
    let mut ticks = interval(WATCH_PERIOD);
    let mut sent = None;
    loop {
        ticks.tick().await;
        let Some(job) = robot.apps.jobs.get(id) else { return };
        let state = (job.logs.len(), job.status);
        if sent != Some(state) {
            sent = Some(state);
            let text = serde_json::to_string(&job).unwrap_or_default();
            if socket.send(Message::Text(text.into())).await.is_err() {
                return;
            }
        }
        if job.status != JobStatus::InProgress {
            // The client may have gone.
            let _closed = socket.send(Message::Close(None)).await;
            return;
        }
    }
}

async fn start(State(robot): State<Arc<Robot>>, Path(name): Path<String>) -> Answer {
    robot.running()?;
    let status = begin(&robot, name).await?;
    Ok(Json(reported(robot.apps.manager()?, &status)))
}

/// Starts an app, serves it, and watches it.
async fn begin(robot: &Arc<Robot>, name: String) -> Result<AppStatus, ApiError> {
    let manager = robot.apps.manager()?.clone();
    let router = robot.apps.router.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let starting = manager.clone();
    let started = tokio::task::spawn_blocking(move || starting.start(&name)).await;
    let (running, listener) = started
        .map_err(|error| ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()))?
        .map_err(refused)?;
    let status = running.status();
    if let Some(listener) = listener {
        let closing = || ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "the server is shutting down");
        let router = router.ok_or_else(closing)?;
        serve(&running, listener, router)
            .map_err(|error| ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()))?;
    }
    if let (Some(page), Some(pages)) = (own_page(&manager, &status.app), robot.apps.pages.get())
        && let Err(error) = serve_page(pages, &running, page.port).await
    {
        tracing::warn!(app = status.app.name, "its page is not served: {error}");
    }
    let (robot, seen) = (robot.clone(), robot.executor.stops_by_others());
    tokio::spawn(async move {
        let mut ticks = interval(WATCH_PERIOD);
        while running.is_alive() {
            ticks.tick().await;
            if robot.executor.stops_by_others() > seen {
                tracing::warn!(app = running.status().app.name, "a stop of the robot ends the app");
                robot.end_apps().await;
                return;
            }
        }
    });
    Ok(status)
}

/// Serves the robot in the network of an app until the app ends.
fn serve(running: &RunningApp, listener: OwnedFd, router: Router) -> std::io::Result<()> {
    let listener = net::adopt(listener)?;
    let app = running.status().app;
    let connection = AppConnection { name: app.name.into(), has_media: app.grants.contains(&Grant::Camera) };
    let router = router.layer(Extension(connection));
    tokio::spawn(server::serve(listener, router, None, MAX_CONNECTIONS, end_of(running)));
    Ok(())
}

/// Returns what completes when the app has ended.
fn end_of(running: &RunningApp) -> impl Future<Output = ()> + Send + 'static {
    let running = running.clone();
    async move {
        let mut ticks = interval(WATCH_PERIOD);
        while running.is_alive() {
            ticks.tick().await;
        }
    }
}

/// Returns the page that an app serves in a network of its own.
fn own_page(manager: &AppManager, app: &App) -> Option<AppPage> {
    manager.store().page(app).filter(|_| !app.grants.contains(&Grant::Network))
}

/// Serves the page of an app at the same port of this computer until the app ends. It has the rights of the app at most: a client
/// that may not move the robot may not use it, and it may not talk with this server at all.
async fn serve_page(pages: &Pages, running: &RunningApp, port: u16) -> Result<(), net::BindError> {
    pages.keeper.distrust_pages_at(port);
    // Who connects from elsewhere is checked with each request.
    let listener = net::listen(pages.host, port, true).await?;
    let page = Router::new().fallback(page).with_state((running.clone(), port));
    let page = with_page_auth(page, pages.keeper.clone());
    tokio::spawn(server::serve(listener, page, None, MAX_CONNECTIONS, end_of(running)));
    Ok(())
}

async fn page(State((running, port)): State<(RunningApp, u16)>, request: Request) -> Response {
    let name = running.status().app.name;
    let failed = |why: &dyn std::fmt::Display| {
        refuse(StatusCode::BAD_GATEWAY, &format!("the page of the app {name} did not answer: {why}"))
    };
    match tokio::task::spawn_blocking(move || running.connect(port)).await {
        Ok(Ok(stream)) => forward::forward(request, stream).await.unwrap_or_else(|error| failed(&error)),
        Ok(Err(error)) => failed(&error),
        Err(error) => failed(&error),
    }
}

async fn stop(State(robot): State<Arc<Robot>>) -> Result<Json<()>, ApiError> {
    end(&robot).await?;
    Ok(Json(()))
}

/// Ends the app that runs; then the robot returns to its initial posture, as with the official daemon, unless it sleeps.
async fn end(robot: &Arc<Robot>) -> Result<AppStatus, ApiError> {
    let manager = robot.apps.manager()?.clone();
    let ended = tokio::task::spawn_blocking(move || manager.stop()).await;
    let status = ended
        .map_err(|error| ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()))?
        .map_err(refused)?;
    let snapshot = robot.snapshot();
    let is_awake = present(&snapshot).is_ok_and(|fitted| !is_asleep(&fitted.posture));
    if is_awake && mode(&snapshot) == Mode::Enabled {
        let goto = Motion::Goto {
            target: Target::of(&Posture::init()),
            duration: Duration::from_secs(1),
            interpolation: Interpolation::Minjerk,
        };
        if let Err(busy) = robot.executor.begin(Uuid::new_v4(), MoveRequest::Motions(vec![goto]), |_| {}) {
            tracing::info!("the robot stays as it is after the app: {busy}");
        }
    }
    Ok(status)
}

fn is_asleep(posture: &Posture) -> bool {
    let sleep = Posture::sleep().head.0;
    let away = sleep.inv_mul(&posture.head.0);
    away.translation.vector.norm() * 1e3 + away.rotation.angle().to_degrees() <= ASLEEP_DISTANCE
}

async fn restart(State(robot): State<Arc<Robot>>) -> Answer {
    let manager = robot.apps.manager()?;
    let name = manager.status().ok_or_else(|| refused(AppError::NoneRunning))?.app.name;
    end(&robot).await?;
    Ok(Json(reported(manager, &begin(&robot, name).await?)))
}

async fn status(State(robot): State<Arc<Robot>>) -> Json<Value> {
    let reported = |manager: &Arc<AppManager>| Some(reported(manager, &manager.status()?));
    Json(robot.apps.manager.as_ref().and_then(reported).unwrap_or_default())
}

#[derive(Serialize, Deserialize)]
struct Startup {
    startup_app: Option<String>,
}

async fn startup(State(robot): State<Arc<Robot>>) -> Result<Json<Startup>, ApiError> {
    let startup_app = match &robot.apps.manager {
        Some(manager) => manager.store().startup().map_err(refused)?,
        None => None,
    };
    Ok(Json(Startup { startup_app }))
}

async fn set_startup(
    State(robot): State<Arc<Robot>>,
    JsonBody(wanted): JsonBody<Startup>,
) -> Result<Json<Startup>, ApiError> {
    let name = wanted.startup_app.as_deref().filter(|name| !name.is_empty());
    let set = robot.apps.manager()?.store().set_startup(name);
    set.map_err(|error| ApiError::new(StatusCode::BAD_REQUEST, &error.to_string()))?;
    Ok(Json(Startup { startup_app: name.map(ToOwned::to_owned) }))
}

/// Returns the last lines that the app printed.
async fn log(State(robot): State<Arc<Robot>>, Path(name): Path<String>) -> Answer {
    let manager = robot.apps.manager()?;
    let path = manager.log(&name).map_err(refused)?;
    let of_running = manager.current().filter(|running| running.status().app.name == name);
    let lines = match of_running {
        Some(running) => running.lines(),
        None => {
            let text = std::fs::read(&path).unwrap_or_default();
            String::from_utf8_lossy(&text).lines().map(ToOwned::to_owned).collect()
        }
    };
    Ok(Json(json!({ "name": name, "lines": lines })))
}
