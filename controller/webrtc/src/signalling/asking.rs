//! The peer that sends a request ([`Asking`]), and the responses that say why it gets nothing.

use std::net::SocketAddr;

use axum::Json;
use axum::extract::FromRequestParts;
use axum::http::header::{AUTHORIZATION, HOST, ORIGIN, USER_AGENT};
use axum::http::request::Parts;
use axum::http::{HeaderName, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use super::hub::{HubError, canonical};
use crate::controller::Credentials;

/// The longest token, bytes.
const MAX_TOKEN_BYTES: usize = 512;

/// The address of the peer of a connection, stored among the extensions of its requests.
#[derive(Clone, Copy, Debug)]
pub struct PeerAddress(pub SocketAddr);

/// The credentials of a request, and its browser.
pub struct Asking {
    /// What the controller is shown.
    pub who: Credentials,
    /// The `User-Agent` header.
    pub agent: String,
}

impl<S: Sync> FromRequestParts<S> for Asking {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Response> {
        let headers = &parts.headers;
        let text =
            |name: &HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or_default().to_owned());
        let Some(PeerAddress(peer)) = parts.extensions.get::<PeerAddress>().copied() else {
            return Err(refuse(StatusCode::BAD_REQUEST, "the connection has no address"));
        };
        let token = text(&AUTHORIZATION)
            .map(|value| value.strip_prefix("Bearer ").unwrap_or_default().trim().to_owned());
        if token.as_ref().is_some_and(|token| token.is_empty() || token.len() > MAX_TOKEN_BYTES) {
            return Err(refuse(StatusCode::UNAUTHORIZED, "no token: send `Authorization: Bearer TOKEN`"));
        }
        let who = Credentials {
            peer: canonical(peer.ip()),
            host: text(&HOST).unwrap_or_default(),
            origin: text(&ORIGIN),
            token,
            forwarded: headers.contains_key("forwarded") || headers.contains_key("x-forwarded-for"),
        };
        Ok(Asking { who, agent: text(&USER_AGENT).unwrap_or_default() })
    }
}

/// Returns a response with a reason.
pub fn refuse(status: StatusCode, reason: &str) -> Response {
    (status, Json(json!({ "type": "error", "detail": reason, "details": reason }))).into_response()
}

impl IntoResponse for HubError {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status()).unwrap_or(StatusCode::BAD_GATEWAY);
        refuse(status, &self.to_string())
    }
}
