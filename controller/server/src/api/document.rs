//! The document of our own API, in OpenAPI 3.1, and the page that shows it.
//!
//! Each route is described where it is handled; what holds for all of them is added here.

use std::sync::Arc;

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::response::IntoResponse;
use axum::routing::get;
use serde_json::json;
use utoipa::OpenApi as _;
use utoipa::openapi::path::Operation;
use utoipa::openapi::security::SecurityRequirement;
use utoipa::openapi::{OpenApi, PathItem, Ref, RefOr, Response};
use utoipa_swagger_ui::{Config, SwaggerUi};

/// Where the document is.
const PLACE: &str = "/api/v1/openapi.json";

/// What the document says besides its routes.
const ABOUT: &str = "\
Watch, move and stop the robot, talk to it, and make, prove and run tools.

**Units.** Degrees, millimetres and seconds, as the names of fields say: `yaw_deg`, `x_mm`, `took_s`. Motors are called \
`body_rotation`, `stewart_1` to `stewart_6`, `right_antenna` and `left_antenna`, and stand in this order.

**Who asks.** On this machine itself nobody has to say who he is. From elsewhere a request carries \
`Authorization: Bearer <token>`. A token has one of four roles, each of which may do all that the one before it may: a \
viewer sees and says stop, an operator moves the robot, talks to it and runs tools, an engineer makes and adds tools, an \
owner approves them and takes them out of use.

**What is refused** is answered with `{\"detail\": ...}`: why, and what to do.

**Teleoperation.** Whoever has leased the robot steers it over `/api/v1/lease/{id}/ws` with JSON messages \
`{\"type\": \"heartbeat\", \"sent\": any}`, `{\"type\": \"target\", ...}`, `{\"type\": \"goto\", \"duration_s\": 1, ...}`, \
`{\"type\": \"stop\"}` and `{\"type\": \"release\"}`, the parts of a target as over REST; answers are `{\"type\": \"heartbeat\", \
\"sent\", \"doing\", \"beats\"}` and `{\"type\": \"refused\", \"why\"}`.

**WebSockets.** `GET /api/v1/telemetry?rate=50&format=json` tells how the body is, `rate` times a second (1 Hz up to the \
pulse's rate; more is told at the pulse's rate), in phase with the first frame; a frame that would be late is left out. \
Text messages are `{\"beats\", \"at_s\", \"doing\", \"fault\", \"present_deg\": [9], \"goal_deg\": [9], \"torque\": [9], \
\"posture\"}`, as in the state. With `format=binary` each message has 136 bytes, little-endian, in metres and radians, \
not-a-number where something is not known:

| at | type | what |
| --- | --- | --- |
| 0 | u8 | version of this layout: 1 |
| 1 | u8 | doing: 0 holding, 1 playing, 2 braking, 3 limp, 4 led, 5 stowing |
| 2 | u16 | bit 0: something is wrong with the body; bit 1: the envelope takes something off the motion that goes on |
| 4 | u32 | number of this frame; those that were left out are counted |
| 8 | u64 | beats since the start |
| 16 | u64 | when the state was read, nanoseconds of the pulse's clock |
| 24 | 9 f32 | present positions of the motors |
| 60 | 9 f32 | their goals |
| 96 | 6 f32 | head: x, y, z, roll, pitch, yaw |
| 120 | f32 | body yaw |
| 124 | 2 f32 | antennas: right, left |
| 132 | u16 | bit n: motor n is driven |
| 134 | u16 | bit n: the position of motor n is not of this beat |

Whoever listens may say `{\"type\": \"stop\"}`, and is told `{\"type\": \"stopped\", \"doing\", \"beats\"}` when the body rests, and \
`{\"type\": \"ping\", \"sent\": any}`, which is answered by `{\"type\": \"pong\", \"sent\"}`.

`GET /api/v1/voice?rate=16000&session=evening&speak=true&wake=false` is a conversation by voice, for operators, with microphone \
and speaker at your end; two at a time, and 409 says why there is none. Binary messages are sound, one channel of 16 bit \
samples, little-endian: what you send at `rate` (8000 to 96000 Hz, at most 64 kB at once), what comes at 24000 Hz. Say \
`{\"type\": \"end\"}` when what was said is over, `{\"type\": \"stop\"}` as above, which also cuts what is being said, and \
`{\"type\": \"ping\", \"sent\": any}`. You are told `{\"event\": \"state\", \"state\"}` (`listening`, `thinking`, `speaking`, `holding`), \
`partial` (`text`, `confidence`, `at_s`), `heard` (`text`, `means`, `confidence`, `began_s`, `ended_s`), `ignored` (`text`, `why`), \
`stop` (`word`, `ended_s`, `known_s`), `answer` (`text`), `speaking` (`sentence`, `lasts_s`), `cut` (drop what you have not played \
yet) and `trouble` (`text`), each with `event`; and as `{\"event\", \"data\"}` first `said` (`text`) and then all that is told of a \
sentence in a streamed chat, up to `reply` or `error`. A question is answered by what is said next. Whoever leaves stops what \
was begun.

Answer pings, as every WebSocket library does by itself: whoever does not is sent half a second of frames and no more, \
until he does; after half a minute the connection ends. `/ws/sdk` and the routes below `/api` that are not below `/api/v1` are the official daemon's (version \
1.13.0), and documented there.";

#[derive(utoipa::OpenApi)]
#[openapi(
    info(title = "Minismith", license(name = "Apache-2.0", identifier = "Apache-2.0")),
    tags(
        (name = "robot", description = "Health, state and the stop."),
        (name = "teleoperation", description = "Steering the robot from afar, one person at a time."),
        (name = "camera", description = "What the camera in the head sees."),
        (name = "conversation", description = "Sentences, and what is remembered of them."),
        (name = "tools", description = "Tools: find, check, add, run and approve them."),
        (name = "code", description = "Questions about files."),
    ),
)]
struct Bare;

/// A document without routes.
pub(super) fn bare() -> OpenApi {
    let mut document = Bare::openapi();
    document.info.description = Some(ABOUT.into());
    document
}

/// What may be answered by every route, before its handler is reached.
fn common() -> [(&'static str, &'static str, &'static str); 7] {
    [
        ("400", "Malformed", "The request can't be understood, or its Host header names another machine."),
        ("401", "Unknown", "Nobody knows who asks: there is no token, or not one of this robot."),
        (
            "403",
            "Forbidden",
            "The token's role is too small for this, or the request comes from another site.",
        ),
        (
            "405",
            "NoSuchMethod",
            "There is no such method at this address; `Allow` lists those that there are.",
        ),
        ("408", "TooSlow", "The request took too long to arrive."),
        ("413", "TooLong", "The request is too long."),
        (
            "429",
            "TooMany",
            "Too many requests, or too many others wait; `Retry-After` says for how many seconds.",
        ),
    ]
}

/// Adds what holds for all routes, and gives the routes that show it.
pub(super) fn routes(mut document: OpenApi) -> Router {
    complete(&mut document);
    let document: Arc<str> = serde_json::to_string(&document).unwrap_or_default().into();
    let page = SwaggerUi::new("/docs").config(Config::new([PLACE]).validator_url("none"));
    Router::new()
        .route(
            PLACE,
            get(move || async move {
                ([(CONTENT_TYPE, "application/json")], document.to_string()).into_response()
            }),
        )
        .merge(page)
}

fn complete(document: &mut OpenApi) {
    let components = document.components.get_or_insert_default();
    let refusal = json!({ "application/json": { "schema": { "$ref": "#/components/schemas/Refusal" } } });
    for (_, name, description) in common() {
        let response = json!({ "description": description, "content": refusal });
        if let Ok(response) = serde_json::from_value::<Response>(response) {
            components.responses.insert(name.into(), RefOr::T(response));
        }
    }
    let bearer =
        json!({ "type": "http", "scheme": "bearer", "description": "Needed from other machines only." });
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
