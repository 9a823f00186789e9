//! `GET /api/v1/journal?limit=100`: who had what changed, the latest first.

use axum::{Extension, Json};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::given::{Refusal, Refused, Wanted, unprocessable};
use crate::journal::{Entry, Journal};

/// Entries that are told where nothing else is asked for.
const USUAL: usize = 100;

/// The most that are told.
const MOST: usize = 1000;

pub(super) fn routes() -> OpenApiRouter {
    OpenApiRouter::new().routes(routes!(tell))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Many {
    /// How many entries at most; 100 where it is left out.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<usize>,
}

/// What was noted.
#[derive(Serialize, ToSchema)]
struct Told {
    entries: Vec<Entry>,
}

/// Who had what changed
///
/// The latest first. All of it stands in the file that `journal.file` names.
#[utoipa::path(get, path = "/api/v1/journal", tag = "robot", operation_id = "journal", params(Many),
    responses(
        (status = 200, description = "The latest entries.", body = Told),
        (status = 422, description = "The limit is none.", body = Refusal),
))]
async fn tell(
    Extension(journal): Extension<Journal>,
    Wanted(Many { limit }): Wanted<Many>,
) -> Result<Json<Told>, Refused> {
    let limit = limit.unwrap_or(USUAL);
    if !(1..=MOST).contains(&limit) {
        return Err(unprocessable("query.limit", &format!("limit is from 1 to {MOST}")));
    }
    Ok(Json(Told { entries: journal.tell(limit) }))
}
