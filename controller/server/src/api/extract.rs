//! Reads requests: JSON bodies, queries and handshakes of WebSockets, with errors in the format of the official daemon.

use std::fmt;

use axum::Json;
use axum::body::Bytes;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{WebSocket, WebSocketUpgrade};
use axum::extract::{FromRequest, FromRequestParts, Query, Request};
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use utoipa::ToSchema;

/// A request body that is a JSON object.
pub(super) struct JsonBody<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for JsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let kind =
            request.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if !kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json")) {
            return Err(unprocessable("body", "the body is not JSON; send `Content-Type: application/json`"));
        }
        let body = Bytes::from_request(request, state)
            .await
            .map_err(|rejection| ApiError::new(rejection.status(), &rejection.body_text()))?;
        object(&body).map(JsonBody).map_err(|(position, why)| {
            unprocessable(&format!("body{}{position}", if position.is_empty() { "" } else { "." }), &why)
        })
    }
}

/// The query of a request.
pub(super) struct QueryParams<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for QueryParams<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let Query(wanted) = Query::from_request_parts(parts, state)
            .await
            .map_err(|rejection| unprocessable("query", &rejection.body_text()))?;
        Ok(QueryParams(wanted))
    }
}

/// Reads a JSON object.
///
/// # Errors
/// The path of the invalid part, and the reason.
pub(super) fn object<T: DeserializeOwned>(text: &[u8]) -> Result<T, (String, String)> {
    // serde reads an array as a struct whose fields are all optional.
    if text.trim_ascii_start().first() != Some(&b'{') {
        return Err((String::new(), "expected a JSON object".into()));
    }
    let mut reader = serde_json::Deserializer::from_slice(text);
    let given = serde_path_to_error::deserialize(&mut reader)
        .map_err(|error| (error.path().to_string(), error.inner().to_string()))?;
    reader.end().map_err(|error| (String::new(), error.to_string()))?;
    Ok(given)
}

/// Reads a part of a request that has objects inside.
///
/// # Errors
/// The error response for an invalid part at `position`.
pub(super) fn nested<T: DeserializeOwned + Serialize>(position: &str, given: &Value) -> Result<T, ApiError> {
    let read: T = serde_path_to_error::deserialize(given).map_err(|error| {
        unprocessable(&format!("{position}.{}", error.path()), &error.inner().to_string())
    })?;
    let same = serde_json::to_value(&read).map_err(|error| unprocessable(position, &error.to_string()))?;
    if has_array_for_object(given, &same) {
        return Err(unprocessable(position, "expected a JSON object where there is an array"));
    }
    Ok(read)
}

/// Returns whether an array was read as a struct, as serde permits.
fn has_array_for_object(given: &Value, read: &Value) -> bool {
    match (given, read) {
        (Value::Array(_), Value::Object(_)) => true,
        (Value::Array(given), Value::Array(read)) => {
            given.iter().zip(read).any(|(given, read)| has_array_for_object(given, read))
        }
        (Value::Object(given), Value::Object(read)) => read
            .iter()
            .any(|(name, read)| given.get(name).is_some_and(|given| has_array_for_object(given, read))),
        _ => false,
    }
}

/// An error response: `{"detail": ...}`.
#[derive(Debug)]
pub(super) struct ApiError {
    status: StatusCode,
    detail: Value,
}

impl ApiError {
    /// Returns an error with a message.
    pub(super) fn new(status: StatusCode, why: &str) -> Self {
        ApiError { status, detail: why.into() }
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.detail {
            Value::String(why) => f.write_str(why),
            detail => detail.fmt(f),
        }
    }
}

/// An error.
#[derive(Serialize, ToSchema)]
pub(super) struct ErrorBody {
    /// The cause and what to do; for invalid input a list of `{type, loc, msg}`, as in the official API.
    detail: Value,
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(ErrorBody { detail: self.detail })).into_response();
        if self.status == StatusCode::TOO_MANY_REQUESTS {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("5"));
        }
        response
    }
}

/// Returns the official error for an invalid value.
pub(super) fn unprocessable(position: &str, why: &str) -> ApiError {
    let position: Vec<&str> = position.split('.').filter(|step| *step != "?").collect();
    let detail = json!([{ "type": "value_error", "loc": position, "msg": why }]);
    ApiError { status: StatusCode::UNPROCESSABLE_ENTITY, detail }
}

/// Accepts a WebSocket whose messages have at most `max_bytes`, and runs it.
///
/// Browsers hide why a handshake failed. So a request is checked before this, and a page may send a plain one to get the reason.
pub(super) fn upgraded<Run: Future<Output = ()> + Send + 'static>(
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
    max_bytes: usize,
    run: impl FnOnce(WebSocket) -> Run + Send + 'static,
) -> Response {
    match upgrade {
        Ok(upgrade) => upgrade.max_message_size(max_bytes).max_frame_size(max_bytes).on_upgrade(run),
        Err(none) => none.into_response(),
    }
}

#[cfg(test)]
mod tests {
    use minismith_score::Score;

    use super::*;

    #[test]
    fn array_in_place_of_an_object_is_rejected() {
        let score = |step: Value| json!({ "name": "t", "summary": "Waits.", "steps": [step] });
        let read = |step: Value| nested::<Score>("body.score", &score(step));
        assert!(read(json!({ "neutral": { "seconds": { "value": 1 } } })).is_ok());
        assert!(
            read(json!({ "move": { "part": "head", "targets": [["head_left", { "value": 1 }]] } })).is_ok()
        );
        assert!(read(json!({ "neutral": [null, null] })).is_err());
        let refused = read(json!({ "jump": 1 })).unwrap_err();
        assert!(refused.to_string().contains("body"), "{refused}");
    }
}
