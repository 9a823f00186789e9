//! What a person looks at before a tool is trusted: the files beside it, and a rehearsal of the very call.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::http::header::{
    CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS,
};
use axum::response::{IntoResponse, Response};
use firmware_bridge::pulse::Conductor;
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::caller::Caller;
use super::errand::errand;
use super::given::{Given, Refusal, Refused, Wanted};
use super::tools_state::{Answer, Shop, Which};
use minismith_runtime::bounded::read_at_most;
use minismith_runtime::role::Role;
use minismith_toolchain::workshop::attachments::{PAGE, PICTURE, RECORDING};
use minismith_toolchain::workshop::preview::{NoPreview, Preview, preview};
use minismith_toolchain::workshop::told;

/// The longest file that is handed on, bytes.
const LONGEST: u64 = 64 << 20;

pub(super) fn routes() -> OpenApiRouter<Arc<Shop>> {
    OpenApiRouter::new().routes(routes!(file)).routes(routes!(rehearse))
}

/// Fetch a file beside a tool
///
/// `picture`: what its default call did in the rehearsal, as curves (SVG). `page`: all that is known of it (Markdown).
/// `recording`: the rehearsal for the Rerun viewer (.rrd), where `minismith-recorder` was there when it was admitted.
#[utoipa::path(get, path = "/api/v1/tools/{name}/files/{file}", tag = "tools", operation_id = "tool_file",
    params(
        ("name" = String, Path, description = "Its name.", example = "greet"),
        ("file" = String, Path, description = "`picture`, `page` or `recording`.", example = "picture"),
        Which,
    ),
    responses(
        (status = 200, description = "The file.", content(
            (String = "image/svg+xml"), (String = "text/markdown"), (Vec<u8> = "application/octet-stream"))),
        (status = 404, description = "There is no such tool, no such version, or no such file beside it.", body = Refusal),
        (status = 409, description = "Its files were changed, or it no longer passes the policy.", body = Refusal),
        (status = 422, description = "Something behind the `?` can't be used.", body = Refusal),
        (status = 503, description = "The shelf can't be read.", body = Refusal),
))]
async fn file(
    State(shop): State<Arc<Shop>>,
    Path((name, file)): Path<(String, String)>,
    caller: Caller,
    Wanted(Which { version }): Wanted<Which>,
) -> Result<Response, Refused> {
    caller.must_be(Role::Viewer)?;
    let missing = |why: &str| Refused::because(StatusCode::NOT_FOUND, why);
    let (suffix, kind) = match file.as_str() {
        "picture" => (PICTURE, "image/svg+xml"),
        "page" => (PAGE, "text/markdown; charset=utf-8"),
        "recording" => (RECORDING, "application/octet-stream"),
        _ => return Err(missing("beside a tool there are `picture`, `page` and `recording`")),
    };
    let Json(shown) = shop.ask(move |registry| told::show(registry, &name, version)).await?;
    let Some(path) = shown.files.get(suffix).cloned() else {
        return Err(missing(&format!("there is no {file} beside {}", shown.manifest.name)));
    };
    let read = tokio::task::spawn_blocking(move || read_at_most(&path, LONGEST)).await;
    let bytes = read
        .map_err(|error| Refused::because(StatusCode::CONFLICT, &error.to_string()))?
        .map_err(|error| Refused::because(StatusCode::SERVICE_UNAVAILABLE, &error.to_string()))?;
    let name = format!("inline; filename=\"{}.v{}.{suffix}\"", shown.manifest.name, shown.manifest.version);
    let headers = [
        (CONTENT_TYPE, kind.to_owned()),
        (CONTENT_DISPOSITION, name),
        // Opened by itself in a browser it is a picture or a text, and nothing that acts.
        (CONTENT_SECURITY_POLICY, "sandbox; default-src 'none'; style-src 'unsafe-inline'".to_owned()),
        (X_CONTENT_TYPE_OPTIONS, "nosniff".to_owned()),
    ];
    Ok((headers, bytes).into_response())
}

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({ "args": {} }))]
struct Rehearsing {
    /// Its arguments, by name; those that are left out have their defaults.
    #[serde(default)]
    #[schema(value_type = Object)]
    args: Map<String, Value>,
    /// Which version; without it the one that is called.
    #[serde(default)]
    #[schema(minimum = 1)]
    version: Option<u32>,
}

impl From<NoPreview> for Refused {
    fn from(error: NoPreview) -> Self {
        match error {
            NoPreview::Registry(error) => error.into(),
            NoPreview::Rehearsal(error) => error.into(),
            NoPreview::Arguments(_) => Refused::because(StatusCode::UNPROCESSABLE_ENTITY, &error.to_string()),
        }
    }
}

/// Rehearse a call
///
/// What a tool would do with these arguments from where the body is now: on the mock, in virtual time. Nothing real moves. The
/// moments of `beats` are `period_s` apart, in the order of the motors' ids, degrees.
#[utoipa::path(post, path = "/api/v1/tools/{name}/rehearse", tag = "tools", operation_id = "rehearse_tool",
    request_body = Rehearsing,
    params(("name" = String, Path, description = "Its name, or `toolkit.function`.", example = "greet")),
    responses(
        (status = 200, description = "What it would do; `ended` is `returned`, `raised` or `stopped`.", body = Preview),
        (status = 404, description = "There is no such tool, or no such version.", body = Refusal),
        (status = 409, description = "Its files were changed, or it no longer passes the policy.", body = Refusal),
        (status = 422, description = "Its arguments do not fit, or the body can't be used.", body = Refusal),
        (status = 503, description = "No rehearsal can be held on this machine; `minismith doctor` says why.", body = Refusal),
))]
async fn rehearse(
    State(shop): State<Arc<Shop>>,
    Path(name): Path<String>,
    caller: Caller,
    Given(Rehearsing { args, version }): Given<Rehearsing>,
) -> Answer<Preview> {
    caller.must_be(Role::Operator)?;
    let start = shop.pulse.snapshot().commanded;
    let rehearsed =
        errand(&shop.desk, None, move |clerk, _| preview(clerk.workshop, &name, version, args, start));
    Ok(Json(rehearsed.await??))
}
