//! What clients send: JSON objects, read once; what is none is refused with where and why, in the official daemon's shape.

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

/// A request's body: a JSON object, or the official error of what is none.
pub(super) struct Given<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Given<T> {
    type Rejection = Refused;

    async fn from_request(request: Request, state: &S) -> Result<Self, Refused> {
        let kind =
            request.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if !kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json")) {
            return Err(unprocessable(
                "body",
                "the body must be JSON: send `Content-Type: application/json`",
            ));
        }
        let body = Bytes::from_request(request, state)
            .await
            .map_err(|rejection| Refused::because(rejection.status(), &rejection.body_text()))?;
        object(&body).map(Given).map_err(|(place, why)| {
            unprocessable(&format!("body{}{place}", if place.is_empty() { "" } else { "." }), &why)
        })
    }
}

/// What stands behind the `?` of a request, or the official error of what can't be used.
pub(super) struct Wanted<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Wanted<T> {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Refused> {
        let Query(wanted) = Query::from_request_parts(parts, state)
            .await
            .map_err(|rejection| unprocessable("query", &rejection.body_text()))?;
        Ok(Wanted(wanted))
    }
}

/// What a JSON object holds; else where it does not, and why.
pub(super) fn object<T: DeserializeOwned>(text: &[u8]) -> Result<T, (String, String)> {
    // The reader would take a list for an object whose keys may all be left out.
    if text.trim_ascii_start().first() != Some(&b'{') {
        return Err((String::new(), "it must be a JSON object".into()));
    }
    let mut reader = serde_json::Deserializer::from_slice(text);
    let given = serde_path_to_error::deserialize(&mut reader)
        .map_err(|error| (error.path().to_string(), error.inner().to_string()))?;
    reader.end().map_err(|error| (String::new(), error.to_string()))?;
    Ok(given)
}

/// A request that is not done: `{"detail": ...}`.
#[derive(Debug)]
pub(super) struct Refused {
    status: StatusCode,
    detail: Value,
}

impl Refused {
    /// With the reason in words.
    pub(super) fn because(status: StatusCode, why: &str) -> Self {
        Refused { status, detail: why.into() }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.detail {
            Value::String(why) => f.write_str(why),
            detail => detail.fmt(f),
        }
    }
}

/// Why something is not done.
#[derive(Serialize, ToSchema)]
pub(super) struct Refusal {
    /// In words, with what to do; of input that can't be used also a list of `{type, loc, msg}`, as officially.
    detail: Value,
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(Refusal { detail: self.detail })).into_response();
        if self.status == StatusCode::TOO_MANY_REQUESTS {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("5"));
        }
        response
    }
}

/// The official error for a value that can't be used.
pub(super) fn unprocessable(place: &str, why: &str) -> Refused {
    let place: Vec<&str> = place.split('.').filter(|step| *step != "?").collect();
    let detail = json!([{ "type": "value_error", "loc": place, "msg": why }]);
    Refused { status: StatusCode::UNPROCESSABLE_ENTITY, detail }
}
