//! Forwards a client at standard input and output to a server elsewhere, over HTTP.
//!
//! Threads: one for each request. It ends with the response or when the client cancels; then the connection ends, too, and
//! the server stops what the request started.

use std::sync::Arc;
use std::time::Duration;

use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, ListToolsResult,
    PaginatedRequestParams, ServerConfig, SubscriptionFilter,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer, SubscriptionContext};
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::disconnect::Disconnected;
use super::progress::Progress;
use super::{about, nobody_hears};
use minismith_runtime::net::Address;
use minismith_runtime::net::http::{Chunk, Http, KeepListening, Timeouts};
use minismith_runtime::net::sse::Events;

/// The version of the protocol towards the server: the one without sessions, which needs no state here.
const PROTOCOL: &str = "2026-07-28";

/// Timeouts of a call: it may create a tool, and there is no output before the first step.
const TIMEOUTS: Timeouts =
    Timeouts { whole: Duration::from_hours(2), silence: Duration::from_hours(2), bytes: 256 << 20 };

/// Interval for resubscribing to a server that is not reachable.
const RETRY_INTERVAL: Duration = Duration::from_secs(5);

/// A connection to a server elsewhere.
#[derive(Clone)]
pub(super) struct Bridge {
    server: Arc<Address>,
    presence: Disconnected,
}

impl Bridge {
    pub(super) fn new(server: Address, presence: Disconnected) -> Self {
        Bridge { server: Arc::new(server), presence }
    }

    /// Sends a request and returns its messages. Dropping the receiver cancels the request.
    fn ask(&self, method: &'static str, name: &str, mut params: Value) -> UnboundedReceiver<Value> {
        let (report, reported) = unbounded_channel();
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": PROTOCOL,
            "io.modelcontextprotocol/clientInfo": {"name": "minismith mcp", "version": env!("CARGO_PKG_VERSION")},
            "io.modelcontextprotocol/clientCapabilities": {},
            "progressToken": "steps",
        });
        if let Some(params) = params.as_object_mut() {
            params.insert("_meta".into(), meta);
        }
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let (server, name) = ((*self.server).clone(), name.to_owned());
        let broken = report.clone();
        let asking = move || exchange(server, method, &name, &message, &report);
        if let Err(error) = std::thread::Builder::new().name("bridge".into()).spawn(asking) {
            // The client may have disconnected.
            let _heard = broken.send(failure(&error.to_string()));
        }
        reported
    }

    /// Waits for the response.
    async fn answer(
        mut reported: UnboundedReceiver<Value>,
        mut progress: Progress,
    ) -> Result<Value, ErrorData> {
        while let Some(mut message) = reported.recv().await {
            if let Some(result) = message.get_mut("result") {
                return Ok(result.take());
            }
            if let Some(error) = message.get_mut("error") {
                let error = serde_json::from_value(error.take());
                return Err(error.unwrap_or_else(|_| {
                    ErrorData::internal_error("the server sent an error without a message", None)
                }));
            }
            let words = message.get("params").and_then(|params| params.get("message"));
            if let Some(words) = words.and_then(Value::as_str) {
                progress.report(words).await;
            }
        }
        Err(ErrorData::internal_error("the connection was lost; try again", None))
    }

    /// Subscribes to changes and calls `report` for each, until it returns false.
    async fn hear_changes<F: Future<Output = bool>>(&self, mut report: impl FnMut() -> F) {
        loop {
            let wanted = json!({"notifications": {"toolsListChanged": true}});
            let mut reported = self.ask("subscriptions/listen", "", wanted);
            while let Some(message) = reported.recv().await {
                let method = message.get("method").and_then(Value::as_str);
                if method == Some("notifications/tools/list_changed") && !report().await {
                    return;
                }
            }
            tokio::time::sleep(RETRY_INTERVAL).await;
        }
    }
}

/// Sends one request, on a thread that may block.
fn exchange(server: Address, method: &str, name: &str, message: &Value, report: &UnboundedSender<Value>) {
    let shown = server.to_string();
    let http = match Http::to_our_server(server) {
        Ok(http) => http.sending("mcp-protocol-version", PROTOCOL).sending("mcp-method", method),
        Err(no) => return drop(report.send(failure(&no.to_string()))),
    };
    let http = if name.is_empty() { http } else { http.sending("mcp-name", name) };
    let (mut events, mut whole, mut streams, mut status) = (Events::default(), Vec::new(), false, 0);
    let ended = http.post("mcp", message.to_string(), TIMEOUTS, &mut |piece| {
        match piece {
            Chunk::Silence => {}
            Chunk::Began(opening) => {
                status = opening.status;
                streams = opening.content == "text/event-stream";
            }
            Chunk::Bytes(bytes) if streams => {
                let mut heard = Vec::new();
                if events.take(bytes, &mut heard).is_err() {
                    return KeepListening::Off;
                }
                let messages = heard.iter().filter_map(|event| serde_json::from_str(event).ok());
                messages.for_each(|message: Value| drop(report.send(message)));
            }
            Chunk::Bytes(bytes) => whole.extend_from_slice(bytes),
        }
        if report.is_closed() { KeepListening::Off } else { KeepListening::On }
    });
    let last = match (ended, serde_json::from_slice::<Value>(&whole)) {
        (Err(broken), _) => {
            failure(&format!("no response from {shown}: {broken}; is `minismith serve` running there?"))
        }
        (Ok(()), _) if streams => return,
        (Ok(()), Ok(message)) if message.get("jsonrpc").is_some() => message,
        (Ok(()), Ok(refusal)) => {
            let why = refusal.get("detail").map(ToString::to_string).unwrap_or_default();
            failure(&format!("{shown} rejected the request with status {status}: {why}"))
        }
        (Ok(()), Err(_)) => failure(&format!("{shown} responded with status {status} and no JSON")),
    };
    // The client may have disconnected.
    let _heard = report.send(last);
}

fn failure(why: &str) -> Value {
    json!({"error": {"code": -32603, "message": why}})
}

impl ServerHandler for Bridge {
    fn get_info(&self) -> ServerConfig {
        about()
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let asked = self.ask("tools/list", "", json!({}));
        let listed = Bridge::answer(asked, Progress::of(&context)).await?;
        serde_json::from_value(listed).map_err(|error| {
            ErrorData::internal_error(format!("the server's list of tools is invalid: {error}"), None)
        })
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let params = json!({"name": request.name, "arguments": request.arguments.unwrap_or_default()});
        let answer = Bridge::answer(self.ask("tools/call", &request.name, params), Progress::of(&context));
        tokio::select! {
            answer = answer => match answer.map(serde_json::from_value::<CallToolResult>) {
                Ok(Ok(result)) => Ok(result.into()),
                Ok(Err(error)) => Err(ErrorData::internal_error(format!("the server's result is invalid: {error}"), None)),
                // Connection errors are a result, because clients do not display protocol errors.
                Err(error) if error.code.0 == -32603 => {
                    Ok(CallToolResult::error(vec![ContentBlock::text(error.message)]).into())
                }
                Err(error) => Err(error),
            },
            () = context.ct.cancelled() => Ok(nobody_hears().into()),
            () = self.presence.clone().wait() => Ok(nobody_hears().into()),
        }
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.supported_by(&self.get_info().capabilities))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        tokio::select! {
            () = context.cancelled() => {}
            () = self.hear_changes(|| async { context.sink().notify_tool_list_changed().await.is_ok() }) => {}
        }
        Ok(())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let bridge = self.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = bridge.presence.clone().wait() => {}
                () = bridge.hear_changes(|| async { context.peer.notify_tool_list_changed().await.is_ok() }) => {}
            }
        });
    }
}
