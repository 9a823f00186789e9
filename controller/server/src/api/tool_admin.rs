//! Management of registered tools over HTTP: approval, rollback, disabling and the policy's rules; and the error responses
//! for the workshop's errors.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::caller::Caller;
use super::extract::{ApiError, ErrorBody, JsonBody};
use super::job::run_rehearsal;
use super::tools_state::{Answer, Shop};
use minismith_assistant::conversation::ToolRunError;
use minismith_runtime::role::Role;
use minismith_toolchain::workshop::ApprovalError;
use minismith_toolchain::workshop::registry::{Registry, RegistryError};
use minismith_toolchain::workshop::rehearsal::RehearsalError;
use minismith_toolchain::workshop::responses::{self, ActivationResult, ApproveResult, RolledBack, Rules};

pub(super) fn routes() -> OpenApiRouter<Arc<Shop>> {
    OpenApiRouter::new()
        .routes(routes!(approve))
        .routes(routes!(roll_back))
        .routes(routes!(deactivate))
        .routes(routes!(activate))
        .routes(routes!(rules))
}

impl From<RegistryError> for ApiError {
    fn from(error: RegistryError) -> Self {
        let status = match &error {
            RegistryError::Unknown { .. } | RegistryError::NoVersion { .. } => StatusCode::NOT_FOUND,
            RegistryError::Io { .. } => StatusCode::SERVICE_UNAVAILABLE,
            _ => StatusCode::CONFLICT,
        };
        ApiError::new(status, &error.to_string())
    }
}

impl From<RehearsalError> for ApiError {
    fn from(error: RehearsalError) -> Self {
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, &error.to_string())
    }
}

impl From<ApprovalError> for ApiError {
    fn from(error: ApprovalError) -> Self {
        match error {
            ApprovalError::Registry(error) => error.into(),
            ApprovalError::Rehearsal(error) => error.into(),
            ApprovalError::Refused { .. } => ApiError::new(StatusCode::CONFLICT, &error.to_string()),
        }
    }
}

impl From<ToolRunError> for ApiError {
    fn from(error: ToolRunError) -> Self {
        let status = match error {
            ToolRunError::Registry(error) => return error.into(),
            ToolRunError::Rehearsal(error) => return error.into(),
            ToolRunError::Arguments(_) | ToolRunError::File(_) => StatusCode::UNPROCESSABLE_ENTITY,
            ToolRunError::Approval { .. } | ToolRunError::Stale { .. } => StatusCode::CONFLICT,
            ToolRunError::Guest(_) => StatusCode::SERVICE_UNAVAILABLE,
        };
        ApiError::new(status, &error.to_string())
    }
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({}))]
struct Approving {
    /// The version. Default: the current one.
    #[serde(default)]
    #[schema(minimum = 1)]
    version: Option<u32>,
}

/// Approve a tool
///
/// Rehearses a version at full speed and records the caller as its approver. The version leaves quarantine, runs at full speed
/// and may move real motors.
#[utoipa::path(post, path = "/api/v1/tools/{name}/approve", tag = "tools", operation_id = "approve_tool",
    request_body = Approving, params(("name" = String, Path, description = "The tool's name.", example = "greet")),
    responses(
        (status = 200, description = "The tool is approved.", body = ApproveResult),
        (status = 404, description = "The tool or its version is unknown.", body = ErrorBody),
        (status = 409, description = "The tool fails its rehearsal at full speed, or its files were modified.", body = ErrorBody),
        (status = 422, description = "The request body is invalid.", body = ErrorBody),
        (status = 503, description = "This machine can't run rehearsals, or the tool registry can't be written.", body = ErrorBody),
))]
async fn approve(
    State(shop): State<Arc<Shop>>,
    Path(name): Path<String>,
    caller: Caller,
    JsonBody(Approving { version }): JsonBody<Approving>,
) -> Answer<ApproveResult> {
    caller.require_role(Role::Owner)?;
    let approved = run_rehearsal(&shop.queue, move |workshop, _| {
        let approved = workshop.approve(&name, version, &caller.name)?;
        Ok::<_, ApprovalError>(ApproveResult { name, approved })
    });
    Ok(Json(approved.await??))
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({}))]
struct Back {
    /// The version to restore. Default: the one before the current one.
    #[serde(default)]
    #[schema(minimum = 1)]
    to: Option<u32>,
}

/// Roll back to an earlier version
#[utoipa::path(post, path = "/api/v1/tools/{name}/rollback", tag = "tools", operation_id = "roll_back_tool",
    request_body = Back, params(("name" = String, Path, description = "The tool's name.", example = "greet")),
    responses(
        (status = 200, description = "The earlier version is the current one.", body = RolledBack),
        (status = 404, description = "The tool or its version is unknown.", body = ErrorBody),
        (status = 409, description = "There is no earlier version.", body = ErrorBody),
        (status = 422, description = "The request body is invalid.", body = ErrorBody),
        (status = 503, description = "The tool registry can't be written.", body = ErrorBody),
))]
async fn roll_back(
    State(shop): State<Arc<Shop>>,
    Path(name): Path<String>,
    caller: Caller,
    JsonBody(Back { to }): JsonBody<Back>,
) -> Answer<RolledBack> {
    caller.require_role(Role::Owner)?;
    let back = move |registry: &Registry| {
        registry.roll_back(&name, to).map(|(from, to)| RolledBack { name, from, to })
    };
    shop.ask(back).await
}

async fn set_active(shop: &Shop, name: String, active: bool, by: Arc<str>) -> Answer<ActivationResult> {
    let set = move |registry: &Registry| {
        registry.set_active(&name, active, &by).map(|changed| ActivationResult { name, active, changed })
    };
    shop.ask(set).await
}

/// Disable a tool
///
/// The tool stays registered with all its versions.
#[utoipa::path(post, path = "/api/v1/tools/{name}/deactivate", tag = "tools", operation_id = "deactivate_tool",
    params(("name" = String, Path, description = "The tool's name.", example = "greet")),
    responses(
        (status = 200, description = "The tool is disabled.", body = ActivationResult),
        (status = 404, description = "The tool is unknown.", body = ErrorBody),
        (status = 409, description = "The tool's state file is invalid.", body = ErrorBody),
        (status = 503, description = "The tool registry can't be written.", body = ErrorBody),
))]
async fn deactivate(
    State(shop): State<Arc<Shop>>,
    Path(name): Path<String>,
    caller: Caller,
) -> Answer<ActivationResult> {
    caller.require_role(Role::Owner)?;
    set_active(&shop, name, false, caller.name).await
}

/// Enable a tool
#[utoipa::path(post, path = "/api/v1/tools/{name}/activate", tag = "tools", operation_id = "activate_tool",
    params(("name" = String, Path, description = "The tool's name.", example = "greet")),
    responses(
        (status = 200, description = "The tool is enabled.", body = ActivationResult),
        (status = 404, description = "The tool is unknown.", body = ErrorBody),
        (status = 409, description = "The tool's state file is invalid.", body = ErrorBody),
        (status = 503, description = "The tool registry can't be written.", body = ErrorBody),
))]
async fn activate(
    State(shop): State<Arc<Shop>>,
    Path(name): Path<String>,
    caller: Caller,
) -> Answer<ActivationResult> {
    caller.require_role(Role::Owner)?;
    set_active(&shop, name, true, caller.name).await
}

/// List the policy's rules
#[utoipa::path(get, path = "/api/v1/rules", tag = "tools", operation_id = "list_rules", responses(
    (status = 200, description = "The rules, each with its reason, advice and examples.", body = Rules),
))]
async fn rules(caller: Caller) -> Answer<Rules> {
    caller.require_role(Role::Viewer)?;
    Ok(Json(responses::rules()))
}
