//! Files of a tool and rehearsals of single calls, for people who decide whether to trust the tool.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::http::header::{
    CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS,
};
use axum::response::{IntoResponse, Response};
use firmware_bridge::control_loop::LoopClient;
use minismith_protocol::old_names::http;
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::caller::Caller;
use super::extract::{ApiError, ErrorBody, JsonBody, QueryParams};
use super::job::run_rehearsal;
use super::names::both;
use super::tools_state::{Answer, Shop, Which};
use minismith_runtime::bounded::read_at_most;
use minismith_runtime::role::Role;
use minismith_toolchain::workshop::attachments::{IMAGE_SUFFIX, PAGE_SUFFIX, RECORDING_SUFFIX};
use minismith_toolchain::workshop::preview::{Preview, PreviewError, preview};
use minismith_toolchain::workshop::responses;

/// Maximum size of a file, bytes.
const MAX_FILE_BYTES: u64 = 64 << 20;

pub(super) fn routes() -> OpenApiRouter<Arc<Shop>> {
    OpenApiRouter::new().routes(routes!(file)).routes(routes!(rehearse))
}

/// Download a file of a tool
///
/// `picture` is a plot of the default call in the rehearsal (SVG), `page` the tool's documentation (Markdown), `recording` the
/// rehearsal for the Rerun viewer (.rrd). A tool has a recording if `minismith-recorder` was installed when it was accepted.
#[utoipa::path(get, path = "/api/v1/tools/{name}/files/{file}", tag = "tools", operation_id = "tool_file",
    params(
        ("name" = String, Path, description = "The tool's name.", example = "greet"),
        ("file" = String, Path, description = "`picture`, `page` or `recording`.", example = "picture"),
        Which,
    ),
    responses(
        (status = 200, description = "The file.", content(
            (String = "image/svg+xml"), (String = "text/markdown"), (Vec<u8> = "application/octet-stream"))),
        (status = 404, description = "The tool, its version or the file is unknown.", body = ErrorBody),
        (status = 409, description = "The tool's files were modified, or it no longer passes the policy.", body = ErrorBody),
        (status = 422, description = "The query is invalid.", body = ErrorBody),
        (status = 503, description = "The tool registry can't be read.", body = ErrorBody),
))]
async fn file(
    State(shop): State<Arc<Shop>>,
    Path((name, file)): Path<(String, String)>,
    caller: Caller,
    QueryParams(Which { version }): QueryParams<Which>,
) -> Result<Response, ApiError> {
    caller.require_role(Role::Viewer)?;
    let missing = |why: &str| ApiError::new(StatusCode::NOT_FOUND, why);
    let (suffix, kind) = match file.as_str() {
        "picture" => (IMAGE_SUFFIX, "image/svg+xml"),
        "page" => (PAGE_SUFFIX, "text/markdown; charset=utf-8"),
        "recording" => (RECORDING_SUFFIX, "application/octet-stream"),
        _ => return Err(missing("unknown file: use `picture`, `page` or `recording`")),
    };
    let Json(shown) = shop.ask(move |registry| responses::show(registry, &name, version)).await?;
    let Some(path) = shown.files.get(suffix).cloned() else {
        return Err(missing(&format!("{} has no {file}", shown.manifest.name)));
    };
    let read = tokio::task::spawn_blocking(move || read_at_most(&path, MAX_FILE_BYTES)).await;
    let bytes = read
        .map_err(|error| ApiError::new(StatusCode::CONFLICT, &error.to_string()))?
        .map_err(|error| ApiError::new(StatusCode::SERVICE_UNAVAILABLE, &error.to_string()))?;
    let name = format!("inline; filename=\"{}.v{}.{suffix}\"", shown.manifest.name, shown.manifest.version);
    let headers = [
        (CONTENT_TYPE, kind.to_owned()),
        (CONTENT_DISPOSITION, name),
        // Opened in a browser, the file is an image or text and runs no scripts.
        (CONTENT_SECURITY_POLICY, "sandbox; default-src 'none'; style-src 'unsafe-inline'".to_owned()),
        (X_CONTENT_TYPE_OPTIONS, "nosniff".to_owned()),
    ];
    Ok((headers, bytes).into_response())
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "args": {} }))]
struct Rehearsing {
    /// The arguments by name; omitted ones have their defaults.
    #[serde(default)]
    #[schema(value_type = Object)]
    args: Map<String, Value>,
    /// The version. Default: the current one.
    #[serde(default)]
    #[schema(minimum = 1)]
    version: Option<u32>,
}

impl From<PreviewError> for ApiError {
    fn from(error: PreviewError) -> Self {
        match error {
            PreviewError::Registry(error) => error.into(),
            PreviewError::Rehearsal(error) => error.into(),
            PreviewError::Arguments(_) => ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, &error.to_string()),
        }
    }
}

/// Rehearse a call
///
/// Runs a call on the simulated robot in virtual time, starting at the robot's current goal positions. The real robot does not
/// move. The samples in `beats` are `period_s` apart, in degrees and in the order of the motors' ids.
#[utoipa::path(post, path = "/api/v1/tools/{name}/rehearse", tag = "tools", operation_id = "rehearse_tool",
    request_body = Rehearsing,
    params(("name" = String, Path, description = "The tool's name, or `toolkit.function`.", example = "greet")),
    responses(
        (status = 200, description = "The result; `status` is `returned`, `raised` or `stopped`.", body = Preview),
        (status = 404, description = "The tool or its version is unknown.", body = ErrorBody),
        (status = 409, description = "The tool's files were modified, or it no longer passes the policy.", body = ErrorBody),
        (status = 422, description = "The arguments or the request body are invalid.", body = ErrorBody),
        (status = 503, description = "This machine can't run rehearsals; `minismith doctor` says why.", body = ErrorBody),
))]
async fn rehearse(
    State(shop): State<Arc<Shop>>,
    Path(name): Path<String>,
    caller: Caller,
    JsonBody(Rehearsing { args, version }): JsonBody<Rehearsing>,
) -> Answer<Value> {
    caller.require_role(Role::Operator)?;
    let start = shop.control_loop.snapshot().goal;
    let rehearsed =
        run_rehearsal(&shop.queue, move |workshop, _| preview(workshop, &name, version, args, start));
    Ok(both(&http::REHEARSE, &rehearsed.await??))
}
