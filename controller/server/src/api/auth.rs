//! The middleware in front of every route: authentication, rate limits, body limits and the journal.
//!
//! It checks the Host header, the origin, the rate and the role of a request. Then it reads the whole body, with limits on
//! size and time. Handlers therefore only see authenticated requests with complete bodies.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{MatchedPath, Request, State};
use axum::http::header::{
    AUTHORIZATION, HOST, ORIGIN, RETRY_AFTER, SEC_WEBSOCKET_PROTOCOL, WWW_AUTHENTICATE,
};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use firmware_bridge::clock::{Clock, MonotonicClock};
use tokio::time::timeout;
use tower_http::cors::{AllowHeaders, AllowMethods, AllowOrigin, CorsLayer};
use tracing::Instrument;
use tracing::field::Empty;
use uuid::Uuid;

use super::refuse;
use crate::auth::{AccessControl, AccessRequest, Caller, Denied, RequestInfo, routes};
use minismith_runtime::config::Server;
use minismith_runtime::journal::{Entry, Journal};
use minismith_runtime::net::server::Peer;
use minismith_runtime::rate_limiter::RateLimiter;
use minismith_runtime::report::round_for_display;
use minismith_runtime::role::Role;

/// Maximum size of a body, bytes, except for requests with files.
const MAX_BODY_BYTES: usize = 2 << 20;

/// Maximum size of a body with files, bytes: one file of the maximum size in base64, and a margin.
pub(super) const MAX_UPLOAD_BYTES: usize = 72 << 20;

/// Timeout for reading a body.
const BODY_TIMEOUT: Duration = Duration::from_secs(20);

/// Unknown tokens that one peer may try: at once, and then per minute.
const MAX_FAILED_LOGINS: f64 = 10.0;

/// The header by which a program of ours on this computer names the peer that it sends a request for. Its value is checked in
/// [`AccessRequest::acting_peer`].
const RELAYED_FOR: &str = "x-minismith-peer";

/// Size of a burst of requests, as a multiple of the rate limit.
const RATE_BURST_FACTOR: f64 = 4.0;

/// A path of the official API, which operators may use.
const OFFICIAL: &str = "/ws/sdk";

/// The state of the middleware.
pub(super) struct AuthMiddleware {
    gate: AccessControl,
    requests: RateLimiter,
    failed_logins: RateLimiter,
    clock: MonotonicClock,
    journal: Journal,
}

/// The subprotocol of our WebSockets, for browsers that name one ...
const PROTOCOL: &str = "minismith";
/// ... and the prefix of a subprotocol that carries a token.
const BY_PROTOCOL: &str = "minismith.bearer.";

impl AuthMiddleware {
    pub(super) fn new(server: &Server, journal: Journal) -> Self {
        let own = rustix::system::uname();
        let per_second = f64::from(server.rate_limit_per_s);
        AuthMiddleware {
            gate: AccessControl::new(server, own.nodename().to_str().unwrap_or_default()),
            requests: RateLimiter::new(per_second, per_second * RATE_BURST_FACTOR),
            failed_logins: RateLimiter::new(MAX_FAILED_LOGINS / 60.0, MAX_FAILED_LOGINS),
            clock: MonotonicClock::start(),
            journal,
        }
    }

    /// Rejects pages that this computer serves at a port: they are those of an app.
    pub(super) fn distrust_pages_at(&self, port: u16) {
        self.gate.distrust_pages_at(port);
    }

    /// Returns the caller, or the caller if known and the error response.
    fn check_request(
        &self,
        knock: &AccessRequest<'_>,
        is_read: bool,
    ) -> Result<Caller, Box<(Option<Caller>, Response)>> {
        let caller = self.authorize(knock).map_err(|refusal| Box::new((None, *refusal)))?;
        let least = routes::least(is_read, knock.path);
        match caller.require_role(least) {
            Ok(()) => Ok(caller),
            Err(refused) => Err(Box::new((Some(caller), refused.into_response()))),
        }
    }

    fn authorize(&self, knock: &AccessRequest<'_>) -> Result<Caller, Box<Response>> {
        let now = self.clock.now();
        let peer = knock.acting_peer();
        if !(peer.is_loopback() || self.requests.take(peer, now)) {
            return Err(Box::new(later("too many requests: the rate limit is exceeded", "1")));
        }
        if !self.failed_logins.has(peer, now) {
            return Err(Box::new(later("too many unknown tokens from this address", "60")));
        }
        self.gate.accept(knock).map_err(|denied| {
            if denied == Denied::BadToken {
                self.failed_logins.take(peer, now);
            }
            Box::new(refused(denied))
        })
    }
}

/// Returns what identifies a request, from this connection.
fn access_request(peer: IpAddr, request: &Request) -> AccessRequest<'_> {
    let headers = request.headers();
    AccessRequest {
        peer,
        host: text(headers, HOST.as_str()).unwrap_or_default(),
        origin: headers.get(ORIGIN).map(|origin| origin.to_str().unwrap_or_default()),
        token: shown(headers),
        forwarded: headers.contains_key("forwarded") || headers.contains_key("x-forwarded-for"),
        relayed_for: text(headers, RELAYED_FOR).and_then(|peer| peer.parse().ok()),
        path: request.uri().path(),
    }
}

/// A connection from the network of an app, in which there is no one else.
#[derive(Clone, Debug)]
pub(super) struct AppConnection {
    /// The app's name.
    pub(super) name: Arc<str>,
    /// Whether it may use camera and sound.
    pub(super) has_media: bool,
}

/// Returns the caller for a request of an app: an operator who may use the official API, apart from the apps themselves.
fn app_caller(
    AppConnection { name, .. }: &AppConnection,
    is_read: bool,
    path: &str,
) -> Result<Caller, Box<(Option<Caller>, Response)>> {
    let caller = Caller {
        name: format!("app {name}").into(),
        role: Role::Operator,
        by_address: true,
        request: RequestInfo::default(),
    };
    let manages = path.split('/').filter(|step| !step.is_empty()).nth(1).is_some_and(|step| step == "apps");
    if !routes::is_official(path) || (manages && !is_read) {
        let why = format!("the app {name} may not use {path}: apps may use the official API only");
        return Err(Box::new((Some(caller), refuse(StatusCode::FORBIDDEN, &why))));
    }
    match caller.require_role(routes::least(is_read, path)) {
        Ok(()) => Ok(caller),
        Err(refused) => Err(Box::new((Some(caller), refused.into_response()))),
    }
}

/// Puts the middleware in front of routes, with CORS headers for the permitted origins.
pub(super) fn with_auth(routes: Router, keeper: Arc<AuthMiddleware>) -> Router {
    let asked = keeper.clone();
    let is_welcome = move |origin: &HeaderValue, request: &Parts| {
        let host = text(&request.headers, HOST.as_str()).unwrap_or_default();
        origin.to_str().is_ok_and(|origin| asked.gate.is_welcome(origin, host))
    };
    let pages = CorsLayer::new()
        .allow_origin(AllowOrigin::predicate(is_welcome))
        .allow_methods(AllowMethods::mirror_request())
        .allow_headers(AllowHeaders::mirror_request())
        .expose_headers([RETRY_AFTER, HeaderName::from_static("mcp-session-id")]);
    routes.layer(middleware::from_fn_with_state(keeper, guard)).layer(pages)
}

/// Puts in front of the page of an app a check that accepts clients that may use the official API without a token.
pub(super) fn with_page_auth(page: Router, keeper: Arc<AuthMiddleware>) -> Router {
    page.layer(middleware::from_fn_with_state(keeper, guard_page))
}

async fn guard_page(State(keeper): State<Arc<AuthMiddleware>>, mut request: Request, next: Next) -> Response {
    let Some(Peer(peer)) = request.extensions().get::<Peer>().copied() else {
        return unknown_origin();
    };
    let as_official = AccessRequest { path: OFFICIAL, token: None, ..access_request(peer.ip(), &request) };
    if let Err(turned_away) = keeper.check_request(&as_official, false) {
        return turned_away.1;
    }
    // A token is for this server alone.
    request.headers_mut().remove(AUTHORIZATION);
    next.run(request).await
}

fn unknown_origin() -> Response {
    refuse(StatusCode::INTERNAL_SERVER_ERROR, "unknown origin: the connection has no peer address")
}

async fn guard(State(keeper): State<Arc<AuthMiddleware>>, request: Request, next: Next) -> Response {
    let id = Uuid::new_v4();
    let route = request.extensions().get::<MatchedPath>().map_or("none", MatchedPath::as_str);
    let span = tracing::info_span!(
        "request",
        id = %id,
        otel.kind = "server",
        method = %request.method(),
        route,
        role = Empty,
        status = Empty
    );
    let asked = RequestInfo { id: Some(id), span: span.clone() };
    let is_offered = offered(request.headers()).any(|protocol| protocol == PROTOCOL);
    let mut response = answer(keeper, asked, request, next).instrument(span.clone()).await;
    // Browsers require a subprotocol that they offered.
    if is_offered && response.status() == StatusCode::SWITCHING_PROTOCOLS {
        let chosen = response.headers_mut().entry(SEC_WEBSOCKET_PROTOCOL);
        chosen.or_insert(HeaderValue::from_static(PROTOCOL));
    }
    // OpenTelemetry has no unsigned integers.
    span.record("status", i64::from(response.status().as_u16()));
    response
}

async fn answer(
    keeper: Arc<AuthMiddleware>,
    asked: RequestInfo,
    mut request: Request,
    next: Next,
) -> Response {
    let Some(Peer(peer)) = request.extensions().get::<Peer>().copied() else {
        return unknown_origin();
    };
    let path = request.uri().path().to_owned();
    let method = request.method().clone();
    // The journal has only requests that change something.
    let changes = !method.is_safe();
    let id = asked.id;
    // From here on, the request is that of the peer that it was sent for. An app sends none for others.
    let (peer, checked) = if let Some(app) = request.extensions().get::<AppConnection>() {
        (peer, app_caller(app, !changes, &path))
    } else {
        let knock = access_request(peer.ip(), &request);
        (SocketAddr::new(knock.acting_peer(), peer.port()), keeper.check_request(&knock, !changes))
    };
    let caller = match checked {
        Ok(caller) => Caller { request: asked, ..caller },
        Err(turned_away) => {
            let (caller, refusal) = *turned_away;
            if changes {
                keeper.note(id, caller.as_ref(), peer, &method, &path, refusal.status(), None);
            }
            return refusal;
        }
    };
    caller.request.span.record("role", caller.role.name());
    let began = keeper.clock.now();
    request.extensions_mut().insert(caller.clone());
    request.extensions_mut().insert(keeper.journal.clone());
    request.extensions_mut().insert(Peer(peer));
    let response = match whole(request, &path).await {
        Ok(request) => next.run(request).await,
        Err(refusal) => refusal,
    };
    if changes {
        let took = keeper.clock.now().since(began);
        keeper.note(id, Some(&caller), peer, &method, &path, response.status(), Some(took));
    }
    response
}

impl AuthMiddleware {
    #[allow(clippy::too_many_arguments, reason = "each is a part of one journal entry")]
    fn note(
        &self,
        id: Option<Uuid>,
        caller: Option<&Caller>,
        peer: SocketAddr,
        method: &Method,
        path: &str,
        status: StatusCode,
        took: Option<Duration>,
    ) {
        let (who, role) = caller.map_or(("nobody", "none"), |caller| (&*caller.name, caller.role.name()));
        let what: String = format!("{method} {path}").chars().take(200).collect();
        let mut entry =
            Entry::now("http_request", who, &what, status.as_str()).by(role, &peer.ip().to_string());
        entry.duration_ms = took.map(|took| round_for_display(took.as_secs_f64() * 1e3));
        entry.id = id.map(|id| id.to_string());
        self.journal.note(entry);
    }
}

/// Reads the whole body of a request.
async fn whole(request: Request, path: &str) -> Result<Request, Response> {
    if request.method().is_safe() {
        return Ok(request);
    }
    let most = if matches!(path, "/api/v1/code" | "/v1/chat/completions" | "/api/media/sounds/upload") {
        MAX_UPLOAD_BYTES
    } else {
        MAX_BODY_BYTES
    };
    let announced = text(request.headers(), "content-length").and_then(|length| length.parse::<u64>().ok());
    let too_long =
        || refuse(StatusCode::PAYLOAD_TOO_LARGE, &format!("the body is too large: {most} bytes allowed"));
    if announced.is_some_and(|length| length > most as u64) {
        return Err(too_long());
    }
    let (parts, body) = request.into_parts();
    match timeout(BODY_TIMEOUT, to_bytes(body, most)).await {
        Ok(Ok(bytes)) => Ok(Request::from_parts(parts, Body::from(bytes))),
        Ok(Err(_)) => Err(too_long()),
        Err(_) => Err(refuse(
            StatusCode::REQUEST_TIMEOUT,
            "the request timed out: the body was incomplete; send it again",
        )),
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Returns the token of a request. Browsers can't set headers on a WebSocket, so it may be one of the offered subprotocols.
fn shown(headers: &HeaderMap) -> Option<&str> {
    let by_header = headers.get(AUTHORIZATION).map(|shown| bearer(shown).unwrap_or_default());
    by_header.or_else(|| offered(headers).find_map(|protocol| protocol.strip_prefix(BY_PROTOCOL)))
}

/// Returns the subprotocols that a WebSocket request offers.
fn offered(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let given = headers.get_all(SEC_WEBSOCKET_PROTOCOL).into_iter().filter_map(|value| value.to_str().ok());
    given.flat_map(|names| names.split(',').map(str::trim))
}

fn bearer(shown: &HeaderValue) -> Option<&str> {
    let (scheme, token) = shown.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

fn refused(denied: Denied) -> Response {
    let status = match denied {
        Denied::Host => StatusCode::BAD_REQUEST,
        Denied::Origin => StatusCode::FORBIDDEN,
        Denied::NoToken | Denied::BadToken => StatusCode::UNAUTHORIZED,
    };
    let mut response = refuse(status, &denied.to_string());
    if status == StatusCode::UNAUTHORIZED {
        response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    response
}

fn later(why: &str, seconds: &'static str) -> Response {
    let mut response = refuse(StatusCode::TOO_MANY_REQUESTS, &format!("{why}; try again in {seconds} s"));
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static(seconds));
    response
}
