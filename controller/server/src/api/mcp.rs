//! The Model Context Protocol: the robot as a server of tools for clients that have a model of their own.
//!
//! At `/mcp` over HTTP (the streamable transport), and over standard input and output (`minismith mcp`). Both protocols
//! are spoken, that of sessions and, from 2026-07-28, that without. What is not done is an error in the result, with the
//! reason; what does not exist is an error of the protocol.
//!
//! Safety: what moves passes the same door as any sentence. Whoever goes away or takes a call back stops what was begun
//! for it. No approval is ever given here, since a client may be a model and there is no person to ask.

mod bridge;
mod call;
mod offer;
mod presence;
mod progress;
mod shelf;
#[cfg(test)]
mod tests;

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::request::Parts;
use axum::middleware;
use firmware_bridge::pulse::{Conductor, Order};
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, Implementation,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, SubscriptionFilter,
};
use rmcp::service::{
    NotificationContext, RequestContext, RoleServer, ServerInitializeError, SubscriptionContext,
};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService, stdio_pipes};
use tokio::sync::mpsc::unbounded_channel;
use tracing::Instrument;

use self::bridge::Bridge;
use self::call::Office;
use self::presence::{Attended, Here, Presence, attended, presence};
use self::progress::Progress;
use self::shelf::Shelf;
use super::caller::{Asked, Caller, Speaker};
use super::desk::{Desk, DeskThread};
use minismith_assistant::conversation::halted;
use minismith_control::body::Body;
use minismith_runtime::config::Config;
use minismith_runtime::net::Address;
use minismith_runtime::role::Role;

/// How often a session of which nothing is heard is looked after.
const LOOK: Duration = Duration::from_secs(10);

/// What a client tells its model of this server.
const INSTRUCTIONS: &str = "\
A Reachy Mini robot: a head that moves in all directions, a body that turns, two antennas and a camera. Angles are \
degrees; left and up are as the robot sees them. Every motion stays inside the robot's own limits, and results say what \
was requested, achieved, held back and refused: tell the person that, not what was wished. `stop` acts at once. When no \
tool does what is needed, `create_tool` makes one.";

/// The route. The layers around it say who asks and from where; nothing is checked twice here.
pub(super) fn routes(desk: Desk, body: &Arc<Body>, config: &Config) -> Router {
    let server = Server {
        office: Office { desk, body: body.clone(), config: Arc::new(config.clone()) },
        shelf: Shelf::watched(&config.tools),
        guest: None,
    };
    let settings = StreamableHttpServerConfig::default().disable_allowed_hosts().disable_allowed_origins();
    let service = StreamableHttpService::new(
        move || Ok(server.clone()),
        Arc::new(LocalSessionManager::default()),
        settings,
    );
    Router::new().route_service("/mcp", service).layer(middleware::from_fn(attended))
}

/// A client that could not be served.
#[derive(Debug, thiserror::Error)]
pub enum NoClient {
    /// There is no desk.
    #[error("the desk can't be set up: {0}")]
    Desk(#[from] std::io::Error),
    /// It does not speak the protocol.
    #[error("the client does not speak the Model Context Protocol: {0}")]
    Protocol(String),
}

/// Serves the client at standard input and output, who started this program and owns it, until it goes away or `until`
/// completes.
///
/// # Errors
/// When the client can't be served.
pub async fn serve_client(
    body: &Arc<Body>,
    config: &Config,
    until: impl Future<Output = ()>,
) -> Result<(), NoClient> {
    let answering = DeskThread::start(body.clone(), config.clone())?;
    let (here, presence) = presence();
    let request = Asked::default();
    let caller = Caller { name: "the MCP client".into(), role: Role::Owner, by_address: false, request };
    let server = Server {
        office: Office { desk: answering.desk(), body: body.clone(), config: Arc::new(config.clone()) },
        shelf: Shelf::watched(&config.tools),
        guest: Some((caller, presence)),
    };
    let served = serve_standard(server, here, until).await;
    // Nobody else asks this robot for anything.
    let mut pulse = body.handle();
    pulse.order(Order::Halt);
    // Where that can't be waited for, the body brakes as it is closed.
    let _rests = tokio::task::spawn_blocking(move || halted(&mut pulse)).await;
    served
}

/// The same for a robot that another controller at `address` has, whoever asks being whom that one takes this machine for.
///
/// # Errors
/// When the client can't be served.
pub async fn bridge_client(address: Address, until: impl Future<Output = ()>) -> Result<(), NoClient> {
    let (here, presence) = presence();
    serve_standard(Bridge::new(address, presence), here, until).await
}

async fn serve_standard(
    server: impl ServerHandler,
    here: Here,
    until: impl Future<Output = ()>,
) -> Result<(), NoClient> {
    let (input, output) = stdio_pipes();
    let served = async {
        match rmcp::serve_server(server, (Attended::new(input, here), output)).await {
            // How it ended is the client's affair.
            Ok(service) => drop(service.waiting().await),
            Err(ServerInitializeError::ConnectionClosed(_)) => {}
            Err(error) => return Err(NoClient::Protocol(error.to_string())),
        }
        Ok(())
    };
    tokio::select! {
        served = served => served,
        () = until => Ok(()),
    }
}

/// What a client is told of this server.
fn about() -> ServerConfig {
    let capabilities = ServerCapabilities::builder().enable_tools().enable_tool_list_changed().build();
    ServerConfig::new(capabilities)
        .with_server_info(Implementation::new("minismith", env!("CARGO_PKG_VERSION")))
        .with_instructions(INSTRUCTIONS)
}

/// One server for each session.
#[derive(Clone)]
struct Server {
    office: Office,
    shelf: Arc<Shelf>,
    /// The one client, where there is no HTTP that says who asks.
    guest: Option<(Caller, Presence)>,
}

impl Server {
    /// Who asks, and whether he is still there.
    fn guest(&self, context: &RequestContext<RoleServer>) -> Result<(Caller, Presence), ErrorData> {
        if let Some(guest) = &self.guest {
            return Ok(guest.clone());
        }
        let beside = context.extensions.get::<Parts>().map(|parts| &parts.extensions);
        let caller = beside.and_then(|beside| beside.get::<Caller>()).cloned();
        let presence = beside.and_then(|beside| beside.get::<Presence>()).cloned();
        caller.zip(presence).ok_or_else(|| ErrorData::invalid_request("nobody knows who asks", None))
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
        Ok(ListToolsResult::with_all_items(self.office.tools().await))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let (caller, presence) = self.guest(&context)?;
        let parts = context.extensions.get::<Parts>();
        let speaker = parts.and_then(|parts| Speaker::beside(&parts.extensions));
        let (tell, mut told) = unbounded_channel::<String>();
        // Whoever asked may have gone.
        let note = |words: &str| drop(tell.send(words.into()));
        let arguments = request.arguments.unwrap_or_default();
        let mut progress = Progress::of(&context);
        let done = async {
            // The protocol's own threads know nothing of the request.
            let span = caller.request.span.clone();
            let mut doing = pin!(self.office.call(caller, &request.name, arguments, &note).instrument(span));
            let done = loop {
                tokio::select! {
                    biased;
                    Some(words) = told.recv() => progress.tell(&words).await,
                    done = &mut doing => break done,
                }
            };
            while let Ok(words) = told.try_recv() {
                progress.tell(&words).await;
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
            () = presence.left() => Ok(nobody_hears().into()),
        }
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.supported_by(&self.get_info().capabilities))
    }

    /// Tells a client without a session of changes, for as long as it listens.
    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.shelf.changes().await;
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

    /// Tells a client with a session of changes, for as long as that lasts.
    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let mut changes = self.shelf.changes().await;
        let peer = context.peer;
        tokio::spawn(async move {
            while !peer.is_transport_closed() {
                let told = tokio::select! {
                    changed = changes.changed() => changed.is_ok() && peer.notify_tool_list_changed().await.is_ok(),
                    () = tokio::time::sleep(LOOK) => true,
                };
                if !told {
                    return;
                }
            }
        });
    }
}

/// What nobody reads: the call was taken back, or its client has gone.
fn nobody_hears() -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text("The call was taken back; what it began is stopped.")])
}
