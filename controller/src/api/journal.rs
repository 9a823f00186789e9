//! `GET /api/v1/journal?limit=100`: who had what changed, the latest first.

use axum::extract::Query;
use axum::extract::rejection::QueryRejection;
use axum::routing::get;
use axum::{Extension, Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use super::given::{Refused, unprocessable};
use crate::journal::Journal;

/// Entries that are told where nothing else is asked for.
const USUAL: usize = 100;

pub(super) fn routes() -> Router {
    Router::new().route("/api/v1/journal", get(tell))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    limit: Option<usize>,
}

async fn tell(
    Extension(journal): Extension<Journal>,
    wanted: Result<Query<Wanted>, QueryRejection>,
) -> Result<Json<Value>, Refused> {
    let Query(Wanted { limit }) = wanted.map_err(|why| unprocessable("query", &why.body_text()))?;
    Ok(Json(json!({ "entries": journal.tell(limit.unwrap_or(USUAL)) })))
}
