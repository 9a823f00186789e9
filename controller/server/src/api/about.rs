//! What a page asks first: whom the server takes it for; and what the doctor says of the machine.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::caller::Caller;
use super::given::{Refusal, Refused};
use minismith_diagnostics::{Check, examine};
use minismith_runtime::config::Config;
use minismith_runtime::role::Role;

pub(super) fn routes(config: &Config) -> OpenApiRouter {
    OpenApiRouter::new().routes(routes!(me)).routes(routes!(doctor)).with_state(Arc::new(config.clone()))
}

/// Whoever asks.
#[derive(Serialize, ToSchema)]
struct Me {
    /// Under which name it is written down: that of the token, or where the request came from.
    #[schema(value_type = String, example = "this machine")]
    name: Arc<str>,
    /// `viewer`, `operator`, `engineer` or `owner`.
    #[schema(example = "owner")]
    role: &'static str,
}

/// Who I am here
#[utoipa::path(get, path = "/api/v1/me", tag = "robot", operation_id = "me", responses(
    (status = 200, description = "The name and the role of whoever asks.", body = Me),
))]
async fn me(caller: Caller) -> Json<Me> {
    Json(Me { name: caller.name, role: caller.role.name() })
}

/// What was examined.
#[derive(Serialize, ToSchema)]
struct Examined {
    checks: Vec<Check>,
}

/// Examine the machine
///
/// As `minismith doctor`: what was seen of the machine that the server runs on, and what to do about what is missing. Nothing is
/// changed, and nothing moves.
#[utoipa::path(get, path = "/api/v1/doctor", tag = "robot", operation_id = "doctor", responses(
    (status = 200, description = "What was examined.", body = Examined),
    (status = 409, description = "It broke down; the log says more.", body = Refusal),
))]
async fn doctor(State(config): State<Arc<Config>>, caller: Caller) -> Result<Json<Examined>, Refused> {
    caller.must_be(Role::Engineer)?;
    let examined = tokio::task::spawn_blocking(move || examine(&config)).await;
    let lost = |_| Refused::because(StatusCode::CONFLICT, "the answer was lost; ask again");
    Ok(Json(Examined { checks: examined.map_err(lost)? }))
}
