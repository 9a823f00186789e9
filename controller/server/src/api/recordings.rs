//! `GET /api/v1/recordings`: the traces of past motions, as a list and one by one.
//!
//! A trace holds what people said and what the camera saw, so these routes need the role of the journal.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use axum::response::{IntoResponse, Response};
use minismith_protocol::trace_format::{Clamp, Cycle, Footer, Header, MAX_LINE_BYTES, Message, Reader};
use serde::{Deserialize, Serialize};
use tokio::task::spawn_blocking;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::caller::Caller;
use super::extract::{ApiError, ErrorBody, QueryParams, unprocessable};
use super::journal::Pieces;
use minismith_control::run_recorder::SUFFIX;
use minismith_runtime::role::Role;

/// Default and maximum number of listed recordings.
const MAX_LISTED: usize = 200;

/// Length of the end of a file in which its footer is searched, bytes.
const TAIL_BYTES: u64 = 512;

/// The folder of the recordings; none if nothing is recorded.
type Folder = Arc<Option<PathBuf>>;

pub(super) fn routes(folder: Option<PathBuf>) -> OpenApiRouter {
    OpenApiRouter::new().routes(routes!(list)).routes(routes!(show)).with_state(Arc::new(folder))
}

/// The recordings on this computer.
#[derive(Serialize, ToSchema)]
struct RecordingList {
    /// Whether motions are recorded: false if `traces.directory` is `none`.
    enabled: bool,
    /// The latest recordings, latest first; at most 200.
    recordings: Vec<RecordingSummary>,
}

/// A recording.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
struct RecordingSummary {
    /// The name of its file, by which it is requested.
    #[schema(example = "20261123T101500.250-3fa9c1.trace.jsonl")]
    file: String,
    /// What was recorded: a sentence, or a tool and its version.
    name: String,
    /// The time of cycle 0 in UTC (RFC 3339).
    #[schema(required)]
    start_time: Option<String>,
    /// Its duration, seconds; null while it is being written, and if its writer died.
    #[schema(required)]
    duration_s: Option<f64>,
    /// The length of its file, bytes.
    bytes: u64,
}

/// List recordings
///
/// Every motion of the robot is recorded in a file of `traces.directory`, unless that is `none`.
#[utoipa::path(get, path = "/api/v1/recordings", tag = "robot", operation_id = "list_recordings", responses(
    (status = 200, description = "The recordings.", body = RecordingList),
    (status = 503, description = "The folder can't be read.", body = ErrorBody),
))]
async fn list(State(folder): State<Folder>, caller: Caller) -> Result<Json<RecordingList>, ApiError> {
    caller.require_role(Role::Engineer)?;
    let Some(folder) = folder.as_ref().clone() else {
        return Ok(Json(RecordingList { enabled: false, recordings: Vec::new() }));
    };
    let listed = spawn_blocking(move || listed(&folder)).await;
    let recordings = listed.map_err(|error| unreadable(&error))?.map_err(|error| unreadable(&error))?;
    Ok(Json(RecordingList { enabled: true, recordings }))
}

fn unreadable(error: &dyn std::fmt::Display) -> ApiError {
    ApiError::new(StatusCode::SERVICE_UNAVAILABLE, &format!("the recordings can't be read: {error}"))
}

/// Returns the latest recordings of a folder. Files that are no recordings are left out.
fn listed(folder: &FilePath) -> io::Result<Vec<RecordingSummary>> {
    let entries = match folder.read_dir() {
        // The folder is created with the first recording.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| is_recording(name)).collect();
    // A name begins with the time.
    names.sort_unstable_by(|one, other| other.cmp(one));
    let summaries = names.into_iter().filter_map(|name| summary(folder, name).ok().flatten());
    Ok(summaries.take(MAX_LISTED).collect())
}

/// Returns whether a name may be that of a recording in the folder itself.
fn is_recording(name: &str) -> bool {
    name.ends_with(SUFFIX) && !name.contains(['/', '\\', '\0']) && !name.starts_with('.')
}

/// Opens a recording. A link, or a pipe that would never end, is none.
fn open(folder: &FilePath, name: &str) -> io::Result<(File, u64)> {
    let path = folder.join(name);
    let about = path.symlink_metadata()?;
    if !about.is_file() {
        return Err(io::Error::new(io::ErrorKind::NotFound, "it is no file"));
    }
    Ok((File::open(path)?, about.len()))
}

/// Summarises a file; none if it is no recording.
fn summary(folder: &FilePath, name: String) -> io::Result<Option<RecordingSummary>> {
    let (file, bytes) = open(folder, &name)?;
    let mut lines = Lines::of(file);
    let Some(Message::Header(header)) = lines.next_message()? else { return Ok(None) };
    let mut file = lines.input.into_inner();
    let _position = file.seek(SeekFrom::Start(bytes.saturating_sub(TAIL_BYTES)))?;
    let mut tail = Vec::new();
    let _length = file.take(TAIL_BYTES).read_to_end(&mut tail)?;
    let duration_s = footer(&tail, lines.reader).map(|footer| footer.cycles as f64 * header.period_s);
    let Header { name: title, start_time, .. } = header;
    Ok(Some(RecordingSummary { file: name, name: title, start_time, duration_s, bytes }))
}

/// Returns the footer from the last line of a recording, if that is complete.
fn footer(tail: &[u8], mut reader: Reader) -> Option<Footer> {
    let last = tail.strip_suffix(b"\n")?.rsplit(|byte| *byte == b'\n').next()?;
    match reader.read(last).ok()? {
        Message::Footer(footer) => Some(footer),
        _ => None,
    }
}

/// Reads the messages of a recording.
struct Lines<R> {
    input: BufReader<R>,
    reader: Reader,
}

impl<R: Read> Lines<R> {
    fn of(input: R) -> Self {
        Lines { input: BufReader::new(input), reader: Reader::default() }
    }

    /// Returns the next message; none at the end. The last line may be incomplete while it is being written.
    fn next_message(&mut self) -> io::Result<Option<Message>> {
        let mut line = Vec::new();
        let most = MAX_LINE_BYTES as u64 + 1;
        let _length = (&mut self.input).take(most).read_until(b'\n', &mut line)?;
        if line.len() > MAX_LINE_BYTES {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a line is too long"));
        }
        if line.last() != Some(&b'\n') {
            return Ok(None);
        }
        Ok(Some(self.reader.read(&line)?))
    }
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct Sampling {
    /// Maximum number of cycles per second. Default: all.
    #[param(minimum = 0.1, maximum = 1000.0, example = 50.0)]
    rate: Option<f64>,
}

/// Download a recording
///
/// The messages of the recording, one JSON document per line: `header`, then `cycle`, `motors`, `control_loop`, `image`, `text`
/// and `span` in their order, and `footer` if the recording is complete. Angles are degrees, in the order of the motors in the
/// header; the time of a message is its cycle times `period_s`. With `rate` only some cycles are returned, and a clamp in an
/// omitted cycle is reported in the next one. Messages in the previous format are converted.
#[utoipa::path(get, path = "/api/v1/recordings/{file}", tag = "robot", operation_id = "download_recording",
    params(
        ("file" = String, Path, description = "The name of the file.", example = "20261123T101500.250-3fa9c1.trace.jsonl"),
        Sampling,
    ),
    responses(
        (status = 200, description = "The messages, one per line.", body = String, content_type = "application/x-ndjson"),
        (status = 404, description = "There is no such recording.", body = ErrorBody),
        (status = 409, description = "The file is no recording.", body = ErrorBody),
        (status = 422, description = "The query is invalid.", body = ErrorBody),
))]
async fn show(
    State(folder): State<Folder>,
    Path(name): Path<String>,
    caller: Caller,
    QueryParams(Sampling { rate }): QueryParams<Sampling>,
) -> Result<Response, ApiError> {
    caller.require_role(Role::Engineer)?;
    if rate.is_some_and(|rate| !(0.1..=1000.0).contains(&rate)) {
        return Err(unprocessable("query.rate", "`rate` is out of range: use 0.1 to 1000 Hz"));
    }
    let missing =
        || ApiError::new(StatusCode::NOT_FOUND, "unknown recording: GET /api/v1/recordings lists them");
    let Some(folder) = folder.as_ref().clone().filter(|_| is_recording(&name)) else { return Err(missing()) };
    let opened = spawn_blocking(move || {
        let mut lines = Lines::of(open(&folder, &name)?.0);
        Ok(match lines.next_message() {
            Ok(Some(Message::Header(header))) => Some((header, lines)),
            _ => None,
        })
    });
    let opened: io::Result<_> = opened.await.map_err(|error| unreadable(&error))?;
    let Some((header, lines)) = opened.map_err(|_| missing())? else {
        return Err(ApiError::new(StatusCode::CONFLICT, "the file is no recording: it has no header"));
    };
    let body = Pieces::stream(move |out| {
        let mut thinning = Thinning::new(header.period_s, rate);
        write(out, &Message::Header(header))?;
        copied(lines, &mut thinning, out)
    });
    let headers = [(CONTENT_TYPE, "application/x-ndjson"), (X_CONTENT_TYPE_OPTIONS, "nosniff")];
    Ok((headers, body).into_response())
}

fn write(out: &mut impl io::Write, message: &Message) -> io::Result<()> {
    serde_json::to_writer(&mut *out, message)?;
    out.write_all(b"\n")
}

/// Copies the messages that remain.
fn copied(mut lines: Lines<impl Read>, thinning: &mut Thinning, out: &mut impl io::Write) -> io::Result<()> {
    while let Some(message) = lines.next_message()? {
        match message {
            Message::Cycle(cycle) => {
                if let Some(cycle) = thinning.take(*cycle) {
                    write(out, &Message::Cycle(Box::new(cycle)))?;
                }
            }
            Message::Footer(footer) => {
                return write(out, &Message::Footer(Footer { cycles: thinning.kept, ..footer }));
            }
            other => write(out, &other)?,
        }
    }
    Ok(())
}

/// Drops cycles, but none of their clamps.
struct Thinning {
    /// Cycles from one that remains to the next.
    stride: u64,
    /// The first cycle that may remain.
    next: u64,
    /// The largest clamp of each motor in dropped cycles.
    clamps: Vec<Clamp>,
    /// Number of cycles that remain.
    kept: u64,
}

impl Thinning {
    fn new(period_s: f64, rate: Option<f64>) -> Self {
        let stride = rate.map_or(1, |rate| (1.0 / (rate * period_s) - 1e-6).ceil().max(1.0) as u64);
        Thinning { stride, next: 0, clamps: Vec::new(), kept: 0 }
    }

    /// Returns the cycle if it remains.
    fn take(&mut self, mut cycle: Cycle) -> Option<Cycle> {
        for clamp in cycle.clamps.drain(..) {
            match self.clamps.iter_mut().find(|known| known.motor == clamp.motor) {
                Some(known) => known.amount_deg = known.amount_deg.max(clamp.amount_deg),
                None => self.clamps.push(clamp),
            }
        }
        if cycle.cycle < self.next {
            return None;
        }
        self.next = cycle.cycle.saturating_add(self.stride);
        self.kept += 1;
        cycle.clamps = std::mem::take(&mut self.clamps);
        Some(cycle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rate_drops_cycles_and_no_clamps() {
        let clamp = |amount_deg| Clamp { motor: 7, amount_deg };
        let cycle = |cycle, clamps| Cycle { cycle, clamps, ..Cycle::default() };
        let mut thinning = Thinning::new(0.01, Some(25.0));
        let kept: Vec<Cycle> = (100..112)
            .filter_map(|number| {
                let clamps = match number {
                    101 => vec![clamp(2.0)],
                    103 => vec![clamp(1.0)],
                    _ => Vec::new(),
                };
                thinning.take(cycle(number, clamps))
            })
            .collect();
        assert_eq!(kept, [cycle(100, vec![]), cycle(104, vec![clamp(2.0)]), cycle(108, vec![])]);
        assert_eq!(thinning.kept, 3);
        let strides = [None, Some(1000.0), Some(100.0), Some(99.0), Some(50.0), Some(0.1)]
            .map(|rate| Thinning::new(0.01, rate).stride);
        assert_eq!(strides, [1, 1, 1, 2, 2, 1000]);
    }

    #[test]
    fn list_has_recordings_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        let header = r#"{"type":"header","format":3,"name":"<b>nod</b>","period_s":0.01,"motors":[]}"#
            .to_owned()
            + "\n";
        write("1.trace.jsonl", &(header.clone() + "{\"type\":\"footer\",\"cycles\":250}\n"));
        write("2.trace.jsonl", &(header.clone() + "{\"type\":\"cyc"));
        write("3.trace.jsonl", "no recording\n");
        write("4.trace.jsonl", "");
        write("notes.txt", &header);
        std::os::unix::fs::symlink("/etc/passwd", folder.path().join("5.trace.jsonl")).unwrap();
        let found = listed(folder.path()).unwrap();
        let names: Vec<_> = found.iter().map(|one| (one.file.as_str(), one.duration_s)).collect();
        assert_eq!(names, [("2.trace.jsonl", None), ("1.trace.jsonl", Some(2.5))]);
        assert_eq!(found[0].name, "<b>nod</b>");
        assert_eq!(listed(&folder.path().join("none")).unwrap(), []);
        for name in ["../1.trace.jsonl", "a/1.trace.jsonl", ".1.trace.jsonl", "journal.jsonl", ""] {
            assert!(!is_recording(name), "{name}");
        }
    }
}
