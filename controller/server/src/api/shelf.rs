//! The care of the shelf over HTTP: who stands for a tool, which version is called, what is in use, and the rules; and what
//! is said when something on it can't be had.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::caller::Caller;
use super::errand::errand;
use super::given::{Given, Refusal, Refused};
use super::tools_state::{Answer, Shop};
use minismith_assistant::conversation::NoRun;
use minismith_runtime::role::Role;
use minismith_toolchain::workshop::NotApproved;
use minismith_toolchain::workshop::registry::{Registry, RegistryError};
use minismith_toolchain::workshop::rehearsal::NoRehearsal;
use minismith_toolchain::workshop::told::{self, Approved, InUse, RolledBack, Rules};

pub(super) fn routes() -> OpenApiRouter<Arc<Shop>> {
    OpenApiRouter::new()
        .routes(routes!(approve))
        .routes(routes!(roll_back))
        .routes(routes!(deactivate))
        .routes(routes!(activate))
        .routes(routes!(rules))
}

impl From<RegistryError> for Refused {
    fn from(error: RegistryError) -> Self {
        let status = match &error {
            RegistryError::Unknown { .. } | RegistryError::NoVersion { .. } => StatusCode::NOT_FOUND,
            RegistryError::Io { .. } => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::CONFLICT,
        };
        Refused::because(status, &error.to_string())
    }
}

impl From<NoRehearsal> for Refused {
    fn from(error: NoRehearsal) -> Self {
        Refused::because(StatusCode::SERVICE_UNAVAILABLE, &error.to_string())
    }
}

impl From<NotApproved> for Refused {
    fn from(error: NotApproved) -> Self {
        match error {
            NotApproved::Registry(error) => error.into(),
            NotApproved::Rehearsal(error) => error.into(),
            NotApproved::Refused { .. } => Refused::because(StatusCode::CONFLICT, &error.to_string()),
        }
    }
}

impl From<NoRun> for Refused {
    fn from(error: NoRun) -> Self {
        let status = match error {
            NoRun::Registry(error) => return error.into(),
            NoRun::Rehearsal(error) => return error.into(),
            NoRun::Arguments(_) | NoRun::File(_) => StatusCode::UNPROCESSABLE_ENTITY,
            NoRun::Approval { .. } | NoRun::Stale { .. } => StatusCode::CONFLICT,
            NoRun::Guest(_) => StatusCode::SERVICE_UNAVAILABLE,
        };
        Refused::because(status, &error.to_string())
    }
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({}))]
struct Approving {
    /// Which version; without it the one that is called.
    #[serde(default)]
    #[schema(minimum = 1)]
    version: Option<u32>,
}

/// Approve a tool
///
/// Rehearses a version at full speed, and records under the caller's name that a person stands for it: it leaves
/// quarantine, moves at full speed, and may move real motors.
#[utoipa::path(post, path = "/api/v1/tools/{name}/approve", tag = "tools", operation_id = "approve_tool",
    request_body = Approving, params(("name" = String, Path, description = "Its name.", example = "greet")),
    responses(
        (status = 200, description = "It is approved.", body = Approved),
        (status = 404, description = "There is no such tool, or no such version.", body = Refusal),
        (status = 409, description = "It does not pass its rehearsal at full speed, or its files were changed.", body = Refusal),
        (status = 422, description = "The body can't be used.", body = Refusal),
        (status = 503, description = "No rehearsal can be held on this machine, or the shelf can't be written.", body = Refusal),
))]
async fn approve(
    State(shop): State<Arc<Shop>>,
    Path(name): Path<String>,
    caller: Caller,
    Given(Approving { version }): Given<Approving>,
) -> Answer<Approved> {
    caller.must_be(Role::Owner)?;
    let approved = errand(&shop.desk, None, move |clerk, _| {
        let approved = clerk.workshop.approve(&name, version, &caller.name)?;
        Ok::<_, NotApproved>(Approved { name, approved })
    });
    Ok(Json(approved.await??))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({}))]
struct Back {
    /// To which version; without it the one before the one that is called.
    #[serde(default)]
    #[schema(minimum = 1)]
    to: Option<u32>,
}

/// Go back to an earlier version
#[utoipa::path(post, path = "/api/v1/tools/{name}/rollback", tag = "tools", operation_id = "roll_back_tool",
    request_body = Back, params(("name" = String, Path, description = "Its name.", example = "greet")),
    responses(
        (status = 200, description = "The earlier one is called now.", body = RolledBack),
        (status = 404, description = "There is no such tool, or no such version.", body = Refusal),
        (status = 409, description = "There is no version before it.", body = Refusal),
        (status = 422, description = "The body can't be used.", body = Refusal),
        (status = 503, description = "The shelf can't be written.", body = Refusal),
))]
async fn roll_back(
    State(shop): State<Arc<Shop>>,
    Path(name): Path<String>,
    caller: Caller,
    Given(Back { to }): Given<Back>,
) -> Answer<RolledBack> {
    caller.must_be(Role::Owner)?;
    let back = move |registry: &Registry| {
        registry.roll_back(&name, to).map(|(from, to)| RolledBack { name, from, to })
    };
    shop.ask(back).await
}

async fn set_active(shop: &Shop, name: String, active: bool, by: Arc<str>) -> Answer<InUse> {
    let set = move |registry: &Registry| {
        registry.set_active(&name, active, &by).map(|changed| InUse { name, active, changed })
    };
    shop.ask(set).await
}

/// Take a tool out of use
///
/// It stays on the shelf with all its versions.
#[utoipa::path(post, path = "/api/v1/tools/{name}/deactivate", tag = "tools", operation_id = "deactivate_tool",
    params(("name" = String, Path, description = "Its name.", example = "greet")),
    responses(
        (status = 200, description = "It is out of use.", body = InUse),
        (status = 404, description = "There is no such tool.", body = Refusal),
        (status = 409, description = "Its state can't be understood.", body = Refusal),
        (status = 503, description = "The shelf can't be written.", body = Refusal),
))]
async fn deactivate(
    State(shop): State<Arc<Shop>>,
    Path(name): Path<String>,
    caller: Caller,
) -> Answer<InUse> {
    caller.must_be(Role::Owner)?;
    set_active(&shop, name, false, caller.name).await
}

/// Take a tool into use again
#[utoipa::path(post, path = "/api/v1/tools/{name}/activate", tag = "tools", operation_id = "activate_tool",
    params(("name" = String, Path, description = "Its name.", example = "greet")),
    responses(
        (status = 200, description = "It is in use.", body = InUse),
        (status = 404, description = "There is no such tool.", body = Refusal),
        (status = 409, description = "Its state can't be understood.", body = Refusal),
        (status = 503, description = "The shelf can't be written.", body = Refusal),
))]
async fn activate(State(shop): State<Arc<Shop>>, Path(name): Path<String>, caller: Caller) -> Answer<InUse> {
    caller.must_be(Role::Owner)?;
    set_active(&shop, name, true, caller.name).await
}

/// The rules that new tools are read by
#[utoipa::path(get, path = "/api/v1/rules", tag = "tools", operation_id = "list_rules", responses(
    (status = 200, description = "Each with its reason, its advice and its examples.", body = Rules),
))]
async fn rules(caller: Caller) -> Answer<Rules> {
    caller.must_be(Role::Viewer)?;
    Ok(Json(told::rules()))
}
