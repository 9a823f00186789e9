//! The OpenAPI 3.1 document of our own API, and the page that displays it.
//!
//! Each route is described at its handler. This module adds the parts that all routes share, and the old name of each
//! renamed field.

use std::sync::Arc;

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::routing::get;
use serde_json::{Value, json};
use utoipa::OpenApi as _;
use utoipa::openapi::path::Operation;
use utoipa::openapi::security::SecurityRequirement;
use utoipa::openapi::{OpenApi, PathItem, Ref, RefOr, Response};
use utoipa_swagger_ui::{Config, SwaggerUi};

use super::names;

/// Path of the document.
const OPENAPI_PATH: &str = "/api/v1/openapi.json";

/// The description of the document.
const ABOUT: &str = "\
Monitor, move and stop the robot, talk to it, and create, verify and run tools.

**Units.** Degrees, millimetres and seconds, according to the suffix of each field: `yaw_deg`, `x_mm`, `duration_s`. The \
motors are `body_rotation`, `stewart_1` to `stewart_6`, `right_antenna` and `left_antenna`, in this order.

**Authentication.** Requests from this computer need no token. Other requests carry `Authorization: Bearer <token>`. Each \
token has one of four roles, and each role may do everything that the one before it may. A viewer monitors and stops the \
robot. An operator moves it, talks to it and runs tools. An engineer creates and adds tools. An owner approves and disables \
tools.

**Errors.** An error response is `{\"detail\": ...}`: the cause, and what to do.

**Old names.** Some fields, values, events and one path were renamed. This version serves both: responses have a renamed \
field by both names, with the values of each, and requests may use either. A request with both names and different values \
is rejected with status 400. The schemas mark old names as deprecated; the next version drops them. Events of chats and \
voice conversations have one name only. It is the old one (`begun`, `step`, `checking`, `checked`, `heard`, `partial`, \
`cut`, `trouble`) unless the client sends the query parameter `events=2`.

**Teleoperation.** The holder of the lease controls the robot over `/api/v1/lease/{id}/ws` with the JSON messages \
`{\"type\": \"heartbeat\", \"sent\": any}`, `{\"type\": \"target\", ...}`, `{\"type\": \"goto\", \"duration_s\": 1, ...}`, \
`{\"type\": \"stop\"}` and `{\"type\": \"release\"}`. Targets have the same fields as over REST. The server responds \
`{\"type\": \"heartbeat\", \"sent\", \"motion_state\", \"cycles\"}` or `{\"type\": \"refused\", \"reason\"}`.

**WebSockets.** `GET /api/v1/telemetry?rate=50&format=json` streams the robot's state `rate` times a second, from 1 Hz to the \
rate of the control loop; higher values are reduced to that rate. Frames keep the phase of the first one, and late frames \
are skipped. Text messages are `{\"cycles\", \"at_s\", \"motion_state\", \"fault\", \"present_deg\": [9], \"goal_deg\": [9], \
\"torque\": [9], \"posture\"}`, as in the state. With `format=binary` each message has 136 bytes, little-endian, in metres \
and radians; unknown values are NaN:

| offset | type | content |
| --- | --- | --- |
| 0 | u8 | version of this layout: 1 |
| 1 | u8 | motion state: 0 holding, 1 moving, 2 stopping, 3 torque off, 4 hand guiding, 5 stowing |
| 2 | u16 | bit 0: the robot has a fault; bit 1: the envelope clamps the current motion |
| 4 | u32 | number of this frame, including skipped frames |
| 8 | u64 | control cycles since the start |
| 16 | u64 | timestamp of the state, nanoseconds of the control loop's clock |
| 24 | 9 f32 | present positions of the motors |
| 60 | 9 f32 | goal positions of the motors |
| 96 | 6 f32 | head: x, y, z, roll, pitch, yaw |
| 120 | f32 | body yaw |
| 124 | 2 f32 | antennas: right, left |
| 132 | u16 | bit n: torque of motor n is enabled |
| 134 | u16 | bit n: the position of motor n is not from this cycle |

The client may send `{\"type\": \"stop\"}`, to which the server responds `{\"type\": \"stopped\", \"motion_state\", \"cycles\"}` \
once the robot is at rest, and `{\"type\": \"ping\", \"sent\": any}`, to which it responds `{\"type\": \"pong\", \"sent\"}`.

`GET /api/v1/voice?rate=16000&session=evening&speak=true&wake=false&events=2` is a conversation by voice, for operators, with \
microphone and speaker at the client. Two conversations may be open at a time; status 409 says why none is available. Binary \
messages are audio, one channel of 16 bit samples, little-endian: the client sends at `rate` (8000 to 96000 Hz, at most 64 kB \
a message), the server at 24000 Hz. Send `{\"type\": \"end\"}` to end an utterance, `{\"type\": \"stop\"}` as above, which also \
stops speech, and `{\"type\": \"ping\", \"sent\": any}`. The events are `state` (`state`: `listening`, `thinking`, `speaking` or \
`holding`), `partial_transcript` (`text`, `confidence`, `at_s`), `transcript` (`text`, `interpretation`, `confidence`, \
`began_s`, `ended_s`, `doa_deg`), `ignored` (`text`, `reason`), `stop` (`word`, `ended_s`, `detected_s`), `answer` (`text`), \
`speaking` (`sentence`, `duration_s`), `interrupted` (discard audio that is not played yet) and `error` (`text`), each with \
`event`. For each request the server sends `said` (`text`) and then the events of a streamed chat up to `reply` or `error`, \
as `{\"event\", \"data\"}`. The next utterance answers a question. A client that disconnects stops what it started.

`GET /api/v1/language-server` is the language server of `minismith lsp` for the editor of a page, for engineers: each text \
message is one message of the Language Server Protocol, without frames. Documents have addresses such as `minismith:tool.py`; \
files of the server are not read, and nothing is rehearsed.

Respond to pings, as every WebSocket library does by itself. While a ping is unanswered, the server sends at most half a \
second of frames; after half a minute it closes the connection. `/ws/sdk` and the routes below `/api` but not below \
`/api/v1` are those of the official daemon (version 1.13.0), which documents them.";

#[derive(utoipa::OpenApi)]
#[openapi(
    info(title = "Minismith", license(name = "Apache-2.0", identifier = "Apache-2.0")),
    tags(
        (name = "robot", description = "Health, state and stop."),
        (name = "teleoperation", description = "Remote control by one client at a time."),
        (name = "camera", description = "Images and detections of the head camera."),
        (name = "conversation", description = "Requests in plain English, and stored sessions."),
        (name = "tools", description = "Search, check, add, run and approve tools."),
        (name = "fleet", description = "Several robots, if this server is an operator of a fleet."),
        (name = "code", description = "Questions about files."),
    ),
)]
struct Bare;

/// Returns the document without routes.
pub(super) fn bare() -> OpenApi {
    let mut document = Bare::openapi();
    document.info.description = Some(ABOUT.into());
    document
}

/// Error responses that any route may give before its handler runs: status, name and description.
fn common() -> [(&'static str, &'static str, &'static str); 7] {
    [
        (
            "400",
            "Malformed",
            "The request is malformed or contradicts itself, or its Host header names another machine.",
        ),
        ("401", "Unknown", "The request has no token, or an unknown one."),
        ("403", "Forbidden", "The role does not permit this, or the request comes from another site."),
        ("405", "NoSuchMethod", "The path does not support this method; `Allow` lists the supported ones."),
        ("408", "TooSlow", "The request timed out before it was complete."),
        ("413", "TooLong", "The request body is too large."),
        ("429", "TooMany", "Too many requests, or the queue is full; `Retry-After` is in seconds."),
    ]
}

/// Adds the shared parts to the document and returns the routes that serve it.
pub(super) fn routes(mut document: OpenApi) -> Router {
    complete(&mut document);
    let mut document = serde_json::to_value(&document).unwrap_or_default();
    names::describe(&mut document);
    open_parts(&mut document);
    let document: Arc<str> = document.to_string().into();
    let page = SwaggerUi::new("/docs").config(Config::new([OPENAPI_PATH]).validator_url("none"));
    Router::new()
        .route(
            OPENAPI_PATH,
            get(move || async move {
                ([(CONTENT_TYPE, "application/json")], document.to_string()).into_response()
            }),
        )
        .merge(page)
}

/// Lets each part of a composed schema have the fields of the other parts, which a part that is closed by itself excludes.
fn open_parts(document: &mut Value) {
    let schemas = document.pointer("/components/schemas").and_then(Value::as_object);
    let mut parts = Vec::new();
    for (name, schema) in schemas.into_iter().flatten() {
        let all = schema.get("allOf").and_then(Value::as_array);
        for (position, part) in all.into_iter().flatten().enumerate() {
            let inline = format!("#/components/schemas/{name}/allOf/{position}");
            parts.push(part.get("$ref").and_then(Value::as_str).map_or(inline, str::to_owned));
        }
    }
    for part in parts {
        if let Some(part) = document.pointer_mut(part.trim_start_matches('#')).and_then(Value::as_object_mut)
        {
            let _closed = part.shift_remove("additionalProperties");
        }
    }
}

fn complete(document: &mut OpenApi) {
    let components = document.components.get_or_insert_default();
    let refusal = json!({ "application/json": { "schema": { "$ref": "#/components/schemas/ErrorBody" } } });
    for (_, name, description) in common() {
        let response = json!({ "description": description, "content": refusal });
        if let Ok(response) = serde_json::from_value::<Response>(response) {
            components.responses.insert(name.into(), RefOr::T(response));
        }
    }
    let bearer =
        json!({ "type": "http", "scheme": "bearer", "description": "Required from other computers only." });
    if let Ok(bearer) = serde_json::from_value(bearer) {
        components.security_schemes.insert("token".into(), bearer);
    }
    document.security =
        Some(vec![SecurityRequirement::new("token", Vec::<String>::new()), SecurityRequirement::default()]);
    for path in document.paths.paths.values_mut() {
        operations(path).for_each(answer_as_all);
    }
}

fn operations(path: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    let PathItem { get, put, post, delete, patch, .. } = path;
    [get, put, post, delete, patch].into_iter().flatten()
}

fn answer_as_all(operation: &mut Operation) {
    let takes_body = operation.request_body.is_some();
    for (status, name, _) in common() {
        if status == "413" && !takes_body {
            continue;
        }
        let answers = &mut operation.responses.responses;
        answers.entry(status.into()).or_insert_with(|| Ref::from_response_name(name).into());
    }
}
