//! `GET /api/v1/journal?limit=100`: who had what changed, the latest first.

use axum::extract::Query;
use axum::extract::rejection::QueryRejection;
use axum::{Extension, Json};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::given::{Refusal, Refused, unprocessable};
use crate::journal::{Entry, Journal};

/// Entries that are told where nothing else is asked for.
const USUAL: usize = 100;

pub(super) fn routes() -> OpenApiRouter {
    OpenApiRouter::new().routes(routes!(tell))
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct Wanted {
    /// How many entries at most; 100 where it is left out.
    limit: Option<usize>,
}

/// What was noted.
#[derive(Serialize, ToSchema)]
struct Told {
    entries: Vec<Entry>,
}

/// Who had what changed
///
/// The latest first. All of it stands in the file that `serve.journal` names.
#[utoipa::path(get, path = "/api/v1/journal", tag = "robot", operation_id = "journal", params(Wanted),
    responses(
        (status = 200, description = "The latest entries.", body = Told),
        (status = 422, description = "The limit is none.", body = Refusal),
))]
async fn tell(
    Extension(journal): Extension<Journal>,
    wanted: Result<Query<Wanted>, QueryRejection>,
) -> Result<Json<Told>, Refused> {
    let Query(Wanted { limit }) = wanted.map_err(|why| unprocessable("query", &why.body_text()))?;
    Ok(Json(Told { entries: journal.tell(limit.unwrap_or(USUAL)) }))
}
