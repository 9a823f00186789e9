//! Routes for a feature that this robot lacks and for which the official API has a response: usage reports.

use std::sync::Arc;

use axum::routing::get;
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use super::Robot;
use crate::api::extract::JsonBody;

pub(super) fn routes() -> Router<Arc<Robot>> {
    Router::new().route("/api/telemetry", get(no_reports).put(keep_no_reports))
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
