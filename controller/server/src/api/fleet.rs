//! A fleet of robots of which this server is an operator (`fleet.operator`): who is there, their images, and commands.
//!
//! Commands are those of `minismith fleet`, and have its answers. This server's roles apply first (`auth::routes`): its operators
//! command the fleet's robots, its owner passes tools on. What its certificate may do in the fleet applies as well.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::extract::{ApiError, ErrorBody, JsonBody};
use crate::fleet::operator::{FleetError, FleetOperator};

pub(super) fn routes(operator: FleetOperator) -> OpenApiRouter {
    OpenApiRouter::new()
        .routes(routes!(view))
        .routes(routes!(picture))
        .routes(routes!(say))
        .routes(routes!(stop))
        .routes(routes!(release))
        .routes(routes!(share))
        .routes(routes!(get))
        .routes(routes!(withdraw))
        .with_state(operator)
}

/// A fleet, as an operator sees it.
#[derive(Serialize, ToSchema)]
struct FleetView {
    /// The fleet's name; null if this server is an operator of none.
    #[schema(example = "lab", required)]
    fleet: Option<String>,
    /// The name that commands of this server have in the fleet.
    #[schema(example = "desk", required)]
    operator: Option<String>,
    /// Why the fleet cannot be reached. The robots are then those of before.
    #[schema(required)]
    error: Option<String>,
    /// The robots, as `minismith fleet list --json` has them, with the number of their latest image.
    robots: Vec<Value>,
    /// The latest events, the newest last, as `minismith fleet watch --json` has them.
    events: Vec<Value>,
}

/// Robots that are to do something.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct FleetTargets {
    /// Names of robots and groups, or `all`.
    #[schema(example = json!(["all"]))]
    to: Vec<String>,
}

/// A sentence for robots.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct FleetSentence {
    /// Names of robots and groups, or `all`.
    #[schema(example = json!(["kitchen", "dancers"]))]
    to: Vec<String>,
    /// The request in plain English.
    #[schema(example = "wave")]
    text: String,
    /// Whether all robots begin at the same moment.
    #[serde(default)]
    together: bool,
}

/// A tool to share.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct FleetShare {
    /// The tool's name.
    #[schema(example = "happy_hello")]
    tool: String,
    /// The robot that has it.
    #[schema(example = "kitchen")]
    from: String,
}

/// A tool to import.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct FleetGet {
    /// The tool's name.
    #[schema(example = "happy_hello")]
    tool: String,
    /// Names of robots and groups, or `all`.
    #[schema(example = json!(["hall"]))]
    to: Vec<String>,
    /// The robot that shares it; may be left out if only one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    from: Option<String>,
}

/// A tool to withdraw.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct FleetWithdraw {
    /// The tool's name.
    #[schema(example = "happy_hello")]
    tool: String,
}

/// What the robots answered.
#[derive(Serialize, ToSchema)]
struct FleetAnswer {
    /// The command.
    #[schema(example = "say")]
    command: String,
    /// Why no robot was asked, if so.
    #[schema(required)]
    refusal: Option<String>,
    /// For each robot: `outcome` (done, refused, failed, absent), `refusal`, `reason`, and the `result` of its controller.
    replies: Vec<Value>,
    /// The measured clock of each robot.
    clocks: Value,
    /// For robots that begin together: the time between the first and the last beginning, milliseconds.
    #[schema(required)]
    skew_ms: Option<f64>,
}

type Answered = Result<Json<Value>, ApiError>;

/// Passes a command on. An error of the fleet is one of this server's surroundings, not of the request.
async fn ask(operator: &FleetOperator, command: &str, request: &impl Serialize) -> Answered {
    let mut request = json!(request);
    if let Some(request) = request.as_object_mut() {
        let _none = request.insert("command".into(), command.into());
    }
    operator.ask(request).await.map(Json).map_err(|error| {
        let status = match error {
            FleetError::Unconfigured => StatusCode::CONFLICT,
            FleetError::Unreachable(_) => StatusCode::SERVICE_UNAVAILABLE,
            FleetError::Invalid(_) => StatusCode::UNPROCESSABLE_ENTITY,
        };
        ApiError::new(status, &error.to_string())
    })
}

/// Get the robots of the fleet
///
/// The program that is connected to the fleet runs while this is asked for, and half a minute longer.
#[utoipa::path(get, path = "/api/v1/fleet", tag = "fleet", operation_id = "fleet", responses(
    (status = 200, description = "The fleet, its robots and the latest events.", body = FleetView),
))]
async fn view(State(operator): State<FleetOperator>) -> Json<Value> {
    Json(operator.view().await)
}

/// Get the latest camera image of a robot of the fleet
///
/// Robots send images while the fleet is asked for, if their agent was told to (`fleet.camera_fps`).
#[utoipa::path(get, path = "/api/v1/fleet/pictures/{robot}", tag = "fleet", operation_id = "fleet_picture",
    params(("robot" = String, Path, description = "The robot's name.", example = "kitchen")), responses(
    (status = 200, description = "A JPEG image.", content_type = "image/jpeg", body = Vec<u8>),
    (status = 404, description = "The robot sends no images.", body = ErrorBody),
))]
async fn picture(
    State(operator): State<FleetOperator>,
    Path(robot): Path<String>,
) -> Result<([(HeaderName, &'static str); 2], Bytes), ApiError> {
    let jpeg = operator
        .picture(&robot)
        .ok_or_else(|| ApiError::new(StatusCode::NOT_FOUND, "no robot of this name sends images"))?;
    Ok(([(CONTENT_TYPE, "image/jpeg"), (CACHE_CONTROL, "no-store")], jpeg))
}

/// Let robots of the fleet carry out a sentence
#[utoipa::path(post, path = "/api/v1/fleet/say", tag = "fleet", operation_id = "fleet_say",
    request_body = FleetSentence, responses(
    (status = 200, description = "The robots' answers.", body = FleetAnswer),
    (status = 409, description = "This server is not an operator of a fleet.", body = ErrorBody),
    (status = 422, description = "Invalid names or text.", body = ErrorBody),
    (status = 503, description = "The fleet cannot be reached.", body = ErrorBody),
))]
async fn say(State(operator): State<FleetOperator>, JsonBody(request): JsonBody<FleetSentence>) -> Answered {
    ask(&operator, "say", &request).await
}

/// Stop robots of the fleet at once; they hold until a release
#[utoipa::path(post, path = "/api/v1/fleet/stop", tag = "fleet", operation_id = "fleet_stop",
    request_body = FleetTargets, responses(
    (status = 200, description = "The robots' answers.", body = FleetAnswer),
    (status = 409, description = "This server is not an operator of a fleet.", body = ErrorBody),
    (status = 422, description = "Invalid names.", body = ErrorBody),
    (status = 503, description = "The fleet cannot be reached.", body = ErrorBody),
))]
async fn stop(State(operator): State<FleetOperator>, JsonBody(request): JsonBody<FleetTargets>) -> Answered {
    ask(&operator, "stop", &request).await
}

/// Let stopped robots of the fleet move again
#[utoipa::path(post, path = "/api/v1/fleet/release", tag = "fleet", operation_id = "fleet_release",
    request_body = FleetTargets, responses(
    (status = 200, description = "The robots' answers.", body = FleetAnswer),
    (status = 409, description = "This server is not an operator of a fleet.", body = ErrorBody),
    (status = 422, description = "Invalid names.", body = ErrorBody),
    (status = 503, description = "The fleet cannot be reached.", body = ErrorBody),
))]
async fn release(
    State(operator): State<FleetOperator>,
    JsonBody(request): JsonBody<FleetTargets>,
) -> Answered {
    ask(&operator, "release", &request).await
}

/// Offer a tool of one robot to the others
#[utoipa::path(post, path = "/api/v1/fleet/share", tag = "fleet", operation_id = "fleet_share",
    request_body = FleetShare, responses(
    (status = 200, description = "The robot's answer.", body = FleetAnswer),
    (status = 409, description = "This server is not an operator of a fleet.", body = ErrorBody),
    (status = 422, description = "Invalid names.", body = ErrorBody),
    (status = 503, description = "The fleet cannot be reached.", body = ErrorBody),
))]
async fn share(State(operator): State<FleetOperator>, JsonBody(request): JsonBody<FleetShare>) -> Answered {
    ask(&operator, "share", &request).await
}

/// Let robots of the fleet import a shared tool
///
/// Each checks and rehearses it first; a person approves it there unless its signer is trusted.
#[utoipa::path(post, path = "/api/v1/fleet/get", tag = "fleet", operation_id = "fleet_get",
    request_body = FleetGet, responses(
    (status = 200, description = "The robots' answers.", body = FleetAnswer),
    (status = 409, description = "This server is not an operator of a fleet.", body = ErrorBody),
    (status = 422, description = "Invalid names.", body = ErrorBody),
    (status = 503, description = "The fleet cannot be reached.", body = ErrorBody),
))]
async fn get(State(operator): State<FleetOperator>, JsonBody(request): JsonBody<FleetGet>) -> Answered {
    ask(&operator, "get", &request).await
}

/// Disable a shared tool on all robots of the fleet
#[utoipa::path(post, path = "/api/v1/fleet/withdraw", tag = "fleet", operation_id = "fleet_withdraw",
    request_body = FleetWithdraw, responses(
    (status = 200, description = "The robots' answers.", body = FleetAnswer),
    (status = 409, description = "This server is not an operator of a fleet.", body = ErrorBody),
    (status = 422, description = "An invalid name.", body = ErrorBody),
    (status = 503, description = "The fleet cannot be reached.", body = ErrorBody),
))]
async fn withdraw(
    State(operator): State<FleetOperator>,
    JsonBody(request): JsonBody<FleetWithdraw>,
) -> Answered {
    ask(&operator, "withdraw", &request).await
}
