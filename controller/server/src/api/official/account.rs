//! The Hugging Face account of the official daemon. Minismith has none and asks for none: these routes say so, in the shapes that
//! clients expect.

use std::sync::Arc;

use axum::http::StatusCode;
use axum::routing::{delete, get, post};
use axum::{Json, Router};
use serde_json::{Value, json};

use super::Robot;
use crate::api::extract::ApiError;

/// Why there is nothing to sign in to.
const NO_ACCOUNT: &str = "there is no account here: Minismith stores no Hugging Face token; apps are installed from files with `minismith app install`";

pub(super) fn routes() -> Router<Arc<Robot>> {
    Router::new()
        .route("/api/hf-auth/status", get(status))
        .route("/api/hf-auth/relay-status", get(relay))
        .route("/api/hf-auth/refresh-relay", post(no_relay))
        .route("/api/hf-auth/central-robot-status", get(central))
        .route("/api/hf-auth/oauth/configured", get(not_configured))
        .route("/api/hf-auth/save-token", post(refused))
        .route("/api/hf-auth/token", delete(nothing_stored))
        .route("/api/hf-auth/oauth/start", get(refused))
        .route("/api/hf-auth/oauth/begin", get(refused))
        .route("/api/hf-auth/oauth/status/{session}", get(no_session))
        .route("/api/hf-auth/oauth/session/{session}", delete(no_session))
        .route("/api/hf-auth/oauth/device/start", post(refused))
        .route("/api/hf-auth/oauth/device/status/{session}", get(no_session))
        .route("/api/hf-auth/oauth/device/session/{session}", delete(no_session))
}

async fn status() -> Json<Value> {
    Json(json!({ "is_logged_in": false, "username": null }))
}

async fn relay() -> Json<Value> {
    Json(json!({ "state": "unavailable", "message": NO_ACCOUNT, "is_connected": false }))
}

async fn no_relay() -> Json<Value> {
    Json(json!({ "status": "skipped", "token_available": false, "reason": "relay_not_running" }))
}

async fn central() -> Json<Value> {
    Json(json!({ "available": false, "reason": "not_authenticated" }))
}

async fn not_configured() -> Json<Value> {
    Json(json!({ "configured": false }))
}

async fn nothing_stored() -> Json<Value> {
    Json(json!({ "status": "success" }))
}

async fn refused() -> ApiError {
    ApiError::new(StatusCode::NOT_IMPLEMENTED, NO_ACCOUNT)
}

async fn no_session() -> ApiError {
    ApiError::new(StatusCode::NOT_FOUND, NO_ACCOUNT)
}
