//! The Model Context Protocol: a server of tools for clients that have their own language model.
//!
//! At `/mcp` over HTTP (the streamable transport), and over standard input and output (`minismith mcp`). It supports both
//! versions of the protocol, with sessions and, since 2026-07-28, without. A failed call is an error in the result, with the
//! reason; an unknown tool is a protocol error.
//!
//! Safety: motions take the same path as those of any request. Cancelling a call or disconnecting stops what the call
//! started. Approvals are not possible here, because the client may be a model.

mod bridge;
mod call;
mod disconnect;
mod progress;
mod registry_watch;
mod sessions;
#[cfg(test)]
mod tests;
mod tool_list;

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::request::Parts;
use axum::middleware;
use firmware_bridge::control_loop::{LoopClient, LoopCommand};
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, Implementation,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, SubscriptionFilter,
};
use rmcp::service::{
    NotificationContext, RequestContext, RoleServer, ServerInitializeError, SubscriptionContext,
};
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService, stdio_pipes};
use tokio::sync::mpsc::unbounded_channel;
use tracing::Instrument;

use self::bridge::Bridge;
use self::call::ToolCalls;
use self::disconnect::{AttendedInput, ConnectionGuard, Disconnected, connection, watched_input};
use self::progress::Progress;
use self::registry_watch::RegistryWatcher;
use self::sessions::Sessions;
use super::caller::{Caller, MessageAuthor, RequestInfo};
use super::request_queue::{RequestQueue, WorkerThread};
use minismith_assistant::conversation::stopped;
use minismith_control::robot::RobotRuntime;
use minismith_runtime::config::Config;
use minismith_runtime::net::Address;
use minismith_runtime::role::Role;

/// Interval at which idle sessions are checked.
const CLEANUP_INTERVAL: Duration = Duration::from_secs(10);

/// The instructions for the client's model.
const INSTRUCTIONS: &str = "\
A Reachy Mini robot: a head that moves in all directions, a body that turns, two antennas and a camera. Angles are \
degrees; left and up are as the robot sees them. Every motion stays inside the robot's own limits, and results say what \
was requested, achieved, held back and refused: tell the person that, not what was wished. `stop` acts at once. When no \
tool does what is needed, `create_tool` makes one.";

/// Returns the route. The gate has authenticated its requests.
pub(super) fn routes(queue: RequestQueue, body: &Arc<RobotRuntime>, config: &Config) -> Router {
    let server = Server {
        calls: ToolCalls { queue, body: body.clone(), config: Arc::new(config.clone()) },
        registry: RegistryWatcher::watched(&config.tools),
        guest: None,
    };
    let settings = StreamableHttpServerConfig::default().disable_allowed_hosts().disable_allowed_origins();
    let service = StreamableHttpService::new(
        move || Ok(server.clone()),
        Arc::new(Sessions::ending_after(config.server.mcp_idle_timeout)),
        settings,
    );
    Router::new().route_service("/mcp", service).layer(middleware::from_fn(watched_input))
}

/// A client that could not be served.
#[derive(Debug, thiserror::Error)]
pub enum McpError {
    /// The queue of requests can't start.
    #[error("cannot start the queue of requests: {0}")]
    Worker(#[from] std::io::Error),
    /// The client does not implement the protocol.
    #[error("the client does not implement the Model Context Protocol: {0}")]
    Protocol(String),
}

/// Serves the client at standard input and output, as an owner, until it disconnects or `until` completes.
///
/// # Errors
/// When the client can't be served.
pub async fn serve_client(
    body: &Arc<RobotRuntime>,
    config: &Config,
    until: impl Future<Output = ()>,
) -> Result<(), McpError> {
    let answering = WorkerThread::start(body.clone(), config.clone())?;
    let (here, presence) = connection();
    let request = RequestInfo::default();
    let caller = Caller { name: "the MCP client".into(), role: Role::Owner, by_address: false, request };
    let server = Server {
        calls: ToolCalls { queue: answering.queue(), body: body.clone(), config: Arc::new(config.clone()) },
        registry: RegistryWatcher::watched(&config.tools),
        guest: Some((caller, presence)),
    };
    let served = serve_standard(server, here, until).await;
    // There are no other clients.
    let mut control_loop = body.handle();
    control_loop.send_command(LoopCommand::Stop);
    // If that can't be awaited, closing the robot stops it.
    let _rests = tokio::task::spawn_blocking(move || stopped(&mut control_loop)).await;
    served
}

/// Forwards the client to the controller at `address`, which determines the role of this machine.
///
/// # Errors
/// When the client can't be served.
pub async fn bridge_client(address: Address, until: impl Future<Output = ()>) -> Result<(), McpError> {
    let (here, presence) = connection();
    serve_standard(Bridge::new(address, presence), here, until).await
}

async fn serve_standard(
    server: impl ServerHandler,
    here: ConnectionGuard,
    until: impl Future<Output = ()>,
) -> Result<(), McpError> {
    let (input, output) = stdio_pipes();
    let served = async {
        match rmcp::serve_server(server, (AttendedInput::new(input, here), output)).await {
            // The client decides how the session ends.
            Ok(service) => drop(service.waiting().await),
            Err(ServerInitializeError::ConnectionClosed(_)) => {}
            Err(error) => return Err(McpError::Protocol(error.to_string())),
        }
        Ok(())
    };
    tokio::select! {
        served = served => served,
        () = until => Ok(()),
    }
}

/// Returns the description of this server.
fn about() -> ServerConfig {
    let capabilities = ServerCapabilities::builder().enable_tools().enable_tool_list_changed().build();
    ServerConfig::new(capabilities)
        .with_server_info(Implementation::new("minismith", env!("CARGO_PKG_VERSION")))
        .with_instructions(INSTRUCTIONS)
}

/// The server of one session.
#[derive(Clone)]
struct Server {
    calls: ToolCalls,
    registry: Arc<RegistryWatcher>,
    /// The only client, for standard input and output.
    guest: Option<(Caller, Disconnected)>,
}

impl Server {
    /// Returns the caller, and its presence.
    fn guest(&self, context: &RequestContext<RoleServer>) -> Result<(Caller, Disconnected), ErrorData> {
        if let Some(guest) = &self.guest {
            return Ok(guest.clone());
        }
        let beside = context.extensions.get::<Parts>().map(|parts| &parts.extensions);
        let caller = beside.and_then(|beside| beside.get::<Caller>()).cloned();
        let presence = beside.and_then(|beside| beside.get::<Disconnected>()).cloned();
        caller.zip(presence).ok_or_else(|| {
            ErrorData::invalid_request("unknown caller: the request did not pass the gate", None)
        })
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        about()
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.guest(&context)?;
        Ok(ListToolsResult::with_all_items(self.calls.tools().await))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let (caller, presence) = self.guest(&context)?;
        let parts = context.extensions.get::<Parts>();
        let speaker = parts.and_then(|parts| MessageAuthor::beside(&parts.extensions));
        let (report, mut reported) = unbounded_channel::<String>();
        // The client may have disconnected.
        let note = |words: &str| drop(report.send(words.into()));
        let arguments = request.arguments.unwrap_or_default();
        let mut progress = Progress::of(&context);
        let done = async {
            // The tasks of the protocol library have no span of the request.
            let span = caller.request.span.clone();
            let mut doing = pin!(self.calls.call(caller, &request.name, arguments, &note).instrument(span));
            let done = loop {
                tokio::select! {
                    biased;
                    Some(words) = reported.recv() => progress.report(&words).await,
                    done = &mut doing => break done,
                }
            };
            while let Ok(words) = reported.try_recv() {
                progress.report(&words).await;
            }
            if let Some(speaker) = speaker {
                let outcome = match &done {
                    Ok(result) if result.is_error != Some(true) => "done",
                    Ok(_) | Err(_) => "refused",
                };
                speaker
                    .note(&format!("/mcp: {}", request.name.chars().take(100).collect::<String>()), outcome);
            }
            done
        };
        tokio::select! {
            done = done => done.map(Into::into),
            () = context.ct.cancelled() => Ok(nobody_hears().into()),
            () = presence.wait() => Ok(nobody_hears().into()),
        }
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.supported_by(&self.get_info().capabilities))
    }

    /// Notifies a client without a session of changes while it is subscribed.
    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.registry.changes().await;
        loop {
            let changed = tokio::select! {
                () = context.cancelled() => return Ok(()),
                changed = changes.changed() => changed,
            };
            if changed.is_err() || context.sink().notify_tool_list_changed().await.is_err() {
                return Ok(());
            }
        }
    }

    /// Notifies a client with a session of changes while the session lasts.
    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let mut changes = self.registry.changes().await;
        let peer = context.peer;
        tokio::spawn(async move {
            while !peer.is_transport_closed() {
                let reported = tokio::select! {
                    changed = changes.changed() => changed.is_ok() && peer.notify_tool_list_changed().await.is_ok(),
                    () = tokio::time::sleep(CLEANUP_INTERVAL) => true,
                };
                if !reported {
                    return;
                }
            }
        });
    }
}

/// Returns the result of a cancelled call, which no client reads.
fn nobody_hears() -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text("The call was taken back; what it began is stopped.")])
}
