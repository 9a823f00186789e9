//! Reads requests: JSON bodies and queries, with errors in the format of the official daemon.

use std::fmt;

use axum::Json;
use axum::body::Bytes;
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
