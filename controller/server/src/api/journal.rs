//! `GET /api/v1/journal?limit=100`: the journal, latest entries first, and as a download.

use std::collections::HashSet;
use std::fmt::Display;
use std::io::{self, Write};
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use futures_util::stream::unfold;
use serde::{Deserialize, Serialize};
use tokio::sync::mpsc::{Sender, channel};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::caller::Caller;
use super::extract::{ApiError, ErrorBody, QueryParams, unprocessable};
use minismith_runtime::journal::{
    Cursor, Entry, EntryFilter as Filter, Journal, RotatingFile, latest_before, read,
};
use minismith_runtime::role::Role;

/// Default number of entries.
const DEFAULT_LIMIT: usize = 100;

/// Maximum number of entries.
const MAX_LIMIT: usize = 1000;

/// Chunk size of a download, bytes.
const CHUNK_SIZE: usize = 64 << 10;

pub(super) fn routes(position: &RotatingFile) -> OpenApiRouter {
    OpenApiRouter::new()
        .routes(routes!(report))
        .routes(routes!(download))
        .with_state(Arc::new(position.clone()))
}

/// A filter; omitted fields match every entry.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Which {
    /// Of this kind, such as `said`, `tool` or `call`.
    kind: Option<String>,
    /// The name of the caller.
    who: Option<String>,
    /// Text in the request or its outcome, ignoring case.
    text: Option<String>,
    /// The id of the request, or a prefix of it.
    id: Option<String>,
}

impl Which {
    /// Returns the filter, in which empty fields match every entry.
    fn filter(self) -> Filter {
        let given = |text: Option<String>| text.filter(|text| !text.is_empty());
        let Which { kind, who, text, id } = self;
        Filter { kind: given(kind), who: given(who), text: given(text), id: given(id), ..Filter::default() }
    }
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Part {
    /// Maximum number of entries. Default: 100.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<usize>,
    /// Returns only entries before this cursor: `next` of an earlier response.
    #[param(example = "0f3a2b1c4d5e.17")]
    before: Option<String>,
}

/// Entries of the journal.
#[derive(Serialize, ToSchema)]
struct EntryPage {
    /// The entries, latest first.
    entries: Vec<Entry>,
    /// The cursor for earlier entries, for `before`; null if there are none.
    #[schema(required)]
    next: Option<String>,
}

/// List journal entries
///
/// Returns requests, actions and rejections, latest first. The file `journal.file` has all of them.
#[utoipa::path(get, path = "/api/v1/journal", tag = "robot", operation_id = "journal", params(Part, Which),
    responses(
        (status = 200, description = "The entries.", body = EntryPage),
        (status = 422, description = "The query is invalid.", body = ErrorBody),
        (status = 503, description = "The journal can't be read.", body = ErrorBody),
))]
async fn report(
    State(position): State<Arc<RotatingFile>>,
    Extension(journal): Extension<Journal>,
    caller: Caller,
    QueryParams(Part { limit, before: cursor }): QueryParams<Part>,
    QueryParams(which): QueryParams<Which>,
) -> Result<Json<EntryPage>, ApiError> {
    caller.require_role(Role::Engineer)?;
    let limit = limit.unwrap_or(DEFAULT_LIMIT);
    if !(1..=MAX_LIMIT).contains(&limit) {
        return Err(unprocessable("query.limit", &format!("`limit` is out of range: use 1 to {MAX_LIMIT}")));
    }
    let malformed =
        || unprocessable("query.before", "`before` is not a cursor: use `next` of an earlier response");
    let cursor = cursor.map(|cursor| cursor.parse::<Cursor>().map_err(|_| malformed())).transpose()?;
    let filter = which.filter();
    let unreadable = |error: &dyn Display| {
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, &format!("the journal can't be read: {error}"))
    };
    // The latest entries may not be in the file yet; entries of other programs are only there.
    let newest = if cursor.is_none() { journal.report(MAX_LIMIT) } else { Vec::new() };
    let newest: Vec<Entry> = newest.into_iter().filter(|entry| filter.takes(entry)).collect();
    let older =
        tokio::task::spawn_blocking(move || latest_before(&position, &filter, limit + 1, cursor.as_ref()))
            .await;
    let older = older.map_err(|error| unreadable(&error))?.map_err(|error| unreadable(&error))?;
    let mut entries = merged(newest, older);
    let goes_on = entries.len() > limit;
    entries.truncate(limit);
    let next = entries.last().filter(|_| goes_on).map(|last| Cursor::of(last).to_string());
    Ok(Json(EntryPage { entries, next }))
}

/// Merges both without duplicates, latest first.
fn merged(newest: Vec<Entry>, older: Vec<Entry>) -> Vec<Entry> {
    let mut known = HashSet::new();
    let both = newest.into_iter().chain(older);
    let mut entries: Vec<Entry> =
        both.filter(|entry| known.insert((entry.process_id.clone(), entry.seq))).collect();
    entries.sort_by(|one, other| {
        (&other.at, &other.process_id, other.seq).cmp(&(&one.at, &one.process_id, one.seq))
    });
    entries
}

/// Download the journal
///
/// All entries, oldest first, one JSON document per line, unchanged and with their checksums.
#[utoipa::path(get, path = "/api/v1/journal/download", tag = "robot", operation_id = "download_journal", params(Which),
    responses(
        (status = 200, description = "The entries, one per line.", body = String, content_type = "application/x-ndjson"),
        (status = 422, description = "The query is invalid.", body = ErrorBody),
))]
async fn download(
    State(position): State<Arc<RotatingFile>>,
    caller: Caller,
    QueryParams(which): QueryParams<Which>,
) -> Result<Response, ApiError> {
    caller.require_role(Role::Engineer)?;
    let filter = which.filter();
    let body = Pieces::stream(move |out| {
        let read = read(&position, |entry| {
            if filter.takes(&entry)
                && let Ok(line) = entry.line()
            {
                // The client may have disconnected; the rest is dropped.
                let _sent = out.write_all(&line);
            }
        });
        read.map(drop)
    });
    let headers = [
        (CONTENT_TYPE, "application/x-ndjson"),
        (CONTENT_DISPOSITION, "attachment; filename=\"journal.jsonl\""),
    ];
    Ok((headers, body).into_response())
}

/// A writer that sends its output in chunks.
pub(super) struct Pieces {
    out: Sender<Result<Bytes, io::Error>>,
    waiting: Vec<u8>,
}

impl Pieces {
    /// Returns a body that a thread writes. It ends early if the client disconnects.
    pub(super) fn stream(write: impl FnOnce(&mut Self) -> io::Result<()> + Send + 'static) -> Body {
        let (out, pieces) = channel(4);
        tokio::task::spawn_blocking(move || {
            let mut out = Pieces { out, waiting: Vec::new() };
            match write(&mut out).and_then(|()| out.flush()) {
                Ok(()) => {}
                // A truncated download must not look complete.
                Err(error) => {
                    let _sent = out.out.blocking_send(Err(error));
                }
            }
        });
        Body::from_stream(unfold(pieces, |mut pieces| async {
            pieces.recv().await.map(|piece| (piece, pieces))
        }))
    }
}

impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.waiting.extend_from_slice(bytes);
        if self.waiting.len() >= CHUNK_SIZE {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let piece = std::mem::take(&mut self.waiting);
        self.out.blocking_send(Ok(piece.into())).map_err(io::Error::other)
    }
}
