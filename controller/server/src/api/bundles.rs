//! Signed bundles over HTTP: the files that `minismith tool export` writes and `minismith tool import` reads.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use minismith_protocol::old_names::http;
use minismith_runtime::config::SigningSecret;
use minismith_runtime::role::Role;
use minismith_toolchain::workshop::bundle;
use minismith_toolchain::workshop::import::{ImportError, ImportResult, Imported, NotImported};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::caller::Caller;
use super::extract::{ApiError, ErrorBody};
use super::job::run_rehearsal;
use super::names::both;
use super::tools_state::Shop;

/// Maximum size of a request with a bundle, bytes.
const MAX_BYTES: usize = 16 << 20;
const _: () = assert!(MAX_BYTES as u64 == bundle::MAX_BUNDLE_BYTES);

pub(super) fn routes() -> OpenApiRouter<Arc<Shop>> {
    let importing = OpenApiRouter::new().routes(routes!(import)).layer(DefaultBodyLimit::max(MAX_BYTES));
    OpenApiRouter::new().routes(routes!(export)).merge(importing)
}

/// Export a tool
///
/// Returns the current version of the tool, and the tools that it calls, as a bundle signed with the key of this controller.
/// The first export creates the key. Another controller imports the file unchanged.
#[utoipa::path(post, path = "/api/v1/tools/{name}/export", tag = "tools", operation_id = "export_tool",
    params(("name" = String, Path, description = "The tool's name.", example = "greet")),
    responses(
        (status = 200, description = "The bundle, a file to store as it is.", body = bundle::Envelope,
            headers(("content-disposition" = String, description = "The name for the file."))),
        (status = 404, description = "The tool is unknown.", body = ErrorBody),
        (status = 409, description = "The tool's files were modified, or it no longer passes the policy.", body = ErrorBody),
        (status = 503, description = "The tool registry or the signing key can't be read.", body = ErrorBody),
))]
async fn export(
    State(shop): State<Arc<Shop>>,
    Path(name): Path<String>,
    caller: Caller,
) -> Result<Response, ApiError> {
    caller.require_role(Role::Owner)?;
    let key = shop.config.workshop.signing_key.clone();
    // The name is a module's name once the registry has found it, so it needs no quoting in the header.
    let attachment = format!("attachment; filename=\"{name}.bundle\"");
    let packed = shop.ask(move |registry| {
        registry.load(&name, None)?;
        Ok(SigningSecret::read_or_make(&key).map(|secret| bundle::pack(registry, &[name], &secret)))
    });
    let packed = packed.await?.0;
    let (bytes, ..) =
        packed.map_err(|error| ApiError::new(StatusCode::SERVICE_UNAVAILABLE, &error.to_string()))??;
    let headers = [(CONTENT_TYPE, "application/json".to_owned()), (CONTENT_DISPOSITION, attachment)];
    Ok((headers, bytes).into_response())
}

impl From<ImportError> for ApiError {
    fn from(error: ImportError) -> Self {
        match error {
            ImportError::Registry(error) => error.into(),
            ImportError::Rehearsal(error) => error.into(),
            ImportError::Staging(_) => ApiError::new(StatusCode::SERVICE_UNAVAILABLE, &error.to_string()),
        }
    }
}

/// Import tools
///
/// Checks the signature of a bundle, and every tool in it with policy, rehearsal and review, and registers all of them, or none.
/// The signature shows the origin, not the quality. The body is the file as it was exported, byte for byte.
#[utoipa::path(post, path = "/api/v1/bundles", tag = "tools", operation_id = "import_tools",
    request_body = bundle::Envelope, responses(
        (status = 201, description = "All tools were registered.", body = ImportResult),
        (status = 413, description = "The bundle is larger than 16 MiB.", body = ErrorBody),
        (status = 422, description = "The file is not a valid bundle, or a tool was rejected, with the findings in `checked`.", body = NotImported),
        (status = 503, description = "This machine can't run rehearsals, or the tool registry can't be written.", body = ErrorBody),
))]
async fn import(
    State(shop): State<Arc<Shop>>,
    caller: Caller,
    body: Result<Bytes, BytesRejection>,
) -> Result<Response, ApiError> {
    caller.require_role(Role::Engineer)?;
    let body = body.map_err(|rejection| ApiError::new(rejection.status(), &rejection.body_text()))?;
    let refused = |result: &NotImported| {
        (StatusCode::UNPROCESSABLE_ENTITY, both(&http::IMPORT, result)).into_response()
    };
    let trusted = &shop.config.workshop.trusted_signers;
    let bundle = match bundle::open(&body, trusted) {
        Ok(bundle) => bundle,
        Err(error) => {
            let detail = error.to_string();
            return Ok(refused(&NotImported { detail, signer: None, trusted: false, checked: Vec::new() }));
        }
    };
    let trusted = trusted.contains(&bundle.signer);
    let signer = bundle.signer.to_string();
    let importing = run_rehearsal(&shop.queue, move |workshop, _| workshop.import(&bundle));
    let Imported { result, checked } = importing.await??;
    Ok(match result {
        Ok(imported) => {
            let result = ImportResult { imported, signer, trusted, checked };
            (StatusCode::CREATED, both(&http::IMPORT, &result)).into_response()
        }
        Err(refusal) => {
            let detail = format!("{refusal}; nothing was imported");
            refused(&NotImported { detail, signer: Some(signer), trusted, checked })
        }
    })
}
