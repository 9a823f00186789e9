//! `GET /api/v1/journal?limit=100`: what was asked, done and refused, the latest first; and all of it as a file.

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
use super::given::{Refusal, Refused, Wanted, unprocessable};
use minismith_runtime::journal::{Cursor, Entry, Journal, Place, Wanted as Filter, latest_before, read};
use minismith_runtime::role::Role;

/// Entries that are told where nothing else is asked for.
const USUAL: usize = 100;

/// The most that are told.
const MOST: usize = 1000;

/// What a download hands on at once, bytes.
const PIECE: usize = 64 << 10;

pub(super) fn routes(place: &Place) -> OpenApiRouter {
    OpenApiRouter::new().routes(routes!(tell)).routes(routes!(download)).with_state(Arc::new(place.clone()))
}

/// Which entries; what is left out holds for all.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Which {
    /// Of this kind, such as `said`, `tool` or `call`.
    kind: Option<String>,
    /// From whom.
    who: Option<String>,
    /// With these words in what was asked for or came of it, whatever their case.
    text: Option<String>,
    /// Of what has this id, or one that begins so.
    id: Option<String>,
}

impl Which {
    /// A field of a form that was left empty holds for all.
    fn filter(self) -> Filter {
        let given = |text: Option<String>| text.filter(|text| !text.is_empty());
        let Which { kind, who, text, id } = self;
        Filter { kind: given(kind), who: given(who), text: given(text), id: given(id), ..Filter::default() }
    }
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Part {
    /// How many entries at most; 100 where it is left out.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<usize>,
    /// Only what was noted before this: `next` of an earlier answer.
    #[param(example = "0f3a2b1c4d5e.17")]
    before: Option<String>,
}

/// What was noted.
#[derive(Serialize, ToSchema)]
struct Told {
    entries: Vec<Entry>,
    /// What to ask for with `before` to be told of earlier ones; null where there are none.
    next: Option<String>,
}

/// What was asked, done and refused
///
/// The latest first. All of it stands in the file that `journal.file` names.
#[utoipa::path(get, path = "/api/v1/journal", tag = "robot", operation_id = "journal", params(Part, Which),
    responses(
        (status = 200, description = "The entries.", body = Told),
        (status = 422, description = "Something behind the `?` can't be used.", body = Refusal),
        (status = 503, description = "The journal can't be read.", body = Refusal),
))]
async fn tell(
    State(place): State<Arc<Place>>,
    Extension(journal): Extension<Journal>,
    caller: Caller,
    Wanted(Part { limit, before: cursor }): Wanted<Part>,
    Wanted(which): Wanted<Which>,
) -> Result<Json<Told>, Refused> {
    caller.must_be(Role::Engineer)?;
    let limit = limit.unwrap_or(USUAL);
    if !(1..=MOST).contains(&limit) {
        return Err(unprocessable("query.limit", &format!("limit is from 1 to {MOST}")));
    }
    let malformed = || unprocessable("query.before", "before is `next` of an earlier answer");
    let cursor = cursor.map(|cursor| cursor.parse::<Cursor>().map_err(|_| malformed())).transpose()?;
    let filter = which.filter();
    let unreadable = |error: &dyn Display| {
        Refused::because(StatusCode::SERVICE_UNAVAILABLE, &format!("the journal can't be read: {error}"))
    };
    // What was noted last may not be in the file yet, and what other programs noted is only there.
    let newest = if cursor.is_none() { journal.tell(MOST) } else { Vec::new() };
    let newest: Vec<Entry> = newest.into_iter().filter(|entry| filter.takes(entry)).collect();
    let older =
        tokio::task::spawn_blocking(move || latest_before(&place, &filter, limit + 1, cursor.as_ref())).await;
    let (older, _) = older.map_err(|error| unreadable(&error))?.map_err(|error| unreadable(&error))?;
    let mut entries = merged(newest, older);
    let goes_on = entries.len() > limit;
    entries.truncate(limit);
    let next = entries.last().filter(|_| goes_on).map(|last| Cursor::of(last).to_string());
    Ok(Json(Told { entries, next }))
}

/// All of both once, the latest first.
fn merged(newest: Vec<Entry>, older: Vec<Entry>) -> Vec<Entry> {
    let mut known = HashSet::new();
    let both = newest.into_iter().chain(older);
    let mut entries: Vec<Entry> = both.filter(|entry| known.insert((entry.run.clone(), entry.seq))).collect();
    entries.sort_by(|one, other| (&other.at, &other.run, other.seq).cmp(&(&one.at, &one.run, one.seq)));
    entries
}

/// The journal as a file
///
/// All entries, the oldest first, one JSON document a line, each as it was written, with its checksum.
#[utoipa::path(get, path = "/api/v1/journal/download", tag = "robot", operation_id = "download_journal", params(Which),
    responses(
        (status = 200, description = "The lines.", body = String, content_type = "application/x-ndjson"),
        (status = 422, description = "Something behind the `?` can't be used.", body = Refusal),
))]
async fn download(
    State(place): State<Arc<Place>>,
    caller: Caller,
    Wanted(which): Wanted<Which>,
) -> Result<Response, Refused> {
    caller.must_be(Role::Engineer)?;
    let filter = which.filter();
    let (out, pieces) = channel(4);
    tokio::task::spawn_blocking(move || {
        let mut out = Pieces { out, waiting: Vec::new() };
        let read = read(&place, |entry| {
            if filter.takes(&entry)
                && let Ok(line) = entry.line()
            {
                // Whoever asked may have gone; the rest is read in vain, and sent nowhere.
                let _sent = out.write_all(&line);
            }
        });
        match read.and_then(|_| out.flush()) {
            Ok(()) => {}
            // A file that is cut short must not look whole.
            Err(error) => {
                let _sent = out.out.blocking_send(Err(error));
            }
        }
    });
    let stream = unfold(pieces, |mut pieces| async { pieces.recv().await.map(|piece| (piece, pieces)) });
    let headers = [
        (CONTENT_TYPE, "application/x-ndjson"),
        (CONTENT_DISPOSITION, "attachment; filename=\"journal.jsonl\""),
    ];
    Ok((headers, Body::from_stream(stream)).into_response())
}

/// Hands on what is written in pieces of some size.
struct Pieces {
    out: Sender<Result<Bytes, io::Error>>,
    waiting: Vec<u8>,
}

impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.waiting.extend_from_slice(bytes);
        if self.waiting.len() >= PIECE {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let piece = std::mem::take(&mut self.waiting);
        self.out.blocking_send(Ok(piece.into())).map_err(io::Error::other)
    }
}
