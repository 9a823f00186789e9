//! Errors, in the format of the OpenAI API.

use axum::Json;
use axum::http::header::RETRY_AFTER;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::super::rehearsals::QueueFull;

/// An error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OpenAiError {
    pub(super) status: StatusCode,
    message: String,
    param: Option<&'static str>,
    code: Option<&'static str>,
}

impl OpenAiError {
    /// Returns the error of an invalid field.
    pub(super) fn asked(param: &'static str, message: impl Into<String>) -> Self {
        OpenAiError {
            status: StatusCode::BAD_REQUEST,
            message: message.into(),
            param: Some(param),
            code: None,
        }
    }

    /// Returns the error of a failed request.
    pub(super) fn with(status: StatusCode, message: impl Into<String>) -> Self {
        OpenAiError { status, message: message.into(), param: None, code: None }
    }

    /// Replaces the status.
    pub(super) fn of_status(self, status: StatusCode) -> Self {
        OpenAiError { status, ..self }
    }

    /// Adds an error code.
    pub(super) fn coded(self, code: &'static str) -> Self {
        OpenAiError { code: Some(code), ..self }
    }

    /// Returns the error document, also for a response that is already being streamed.
    pub(super) fn document(&self) -> Value {
        let kind = match self.status {
            StatusCode::UNAUTHORIZED => "authentication_error",
            StatusCode::FORBIDDEN => "permission_error",
            StatusCode::TOO_MANY_REQUESTS => "rate_limit_error",
            status if status.is_client_error() && status != StatusCode::CONFLICT => "invalid_request_error",
            _ => "server_error",
        };
        json!({"error": {"message": self.message, "type": kind, "param": self.param, "code": self.code}})
    }
}

impl From<QueueFull> for OpenAiError {
    fn from(full: QueueFull) -> Self {
        OpenAiError::with(StatusCode::TOO_MANY_REQUESTS, full.to_string()).coded("rate_limit_exceeded")
    }
}

impl IntoResponse for OpenAiError {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(self.document())).into_response();
        if self.status == StatusCode::TOO_MANY_REQUESTS {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("5"));
        }
        response
    }
}
