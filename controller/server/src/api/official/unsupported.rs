//! Routes for features that this robot lacks and for which the official API has a response: apps and usage reports.

use std::sync::Arc;

use axum::routing::get;
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use super::Robot;
use crate::api::extract::JsonBody;

pub(super) fn routes() -> Router<Arc<Robot>> {
    Router::new()
        .route("/api/apps/current-app-status", get(no_app))
        .route("/api/apps/startup-app", get(no_startup_app))
        .route("/api/apps/list-available/installed", get(no_apps))
        .route("/api/telemetry", get(no_reports).put(keep_no_reports))
}

async fn no_app() -> Json<()> {
    Json(())
}

async fn no_startup_app() -> Json<Value> {
    Json(json!({ "startup_app": null }))
}

async fn no_apps() -> Json<Value> {
    Json(json!([]))
}

/// Usage reports are never sent.
async fn no_reports() -> Json<Value> {
    Json(json!({ "enabled": false, "disabled_by_env": true }))
}

#[derive(Deserialize)]
struct Choice {
    #[serde(rename = "enabled")]
    _enabled: bool,
}

/// Accepts the setting and ignores it.
async fn keep_no_reports(JsonBody(Choice { .. }): JsonBody<Choice>) -> Json<Value> {
    no_reports().await
}
