//! The caller's identity, and the checks of `minismith doctor`.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use firmware_bridge::control_loop::{ControlLoopHandle, LoopClient};
use firmware_bridge::joint::Joint;
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::caller::Caller;
use super::extract::{ApiError, ErrorBody};
use minismith_control::robot::RobotRuntime;
use minismith_diagnostics::{Check, Supply, examine_while_running};
use minismith_runtime::config::Config;
use minismith_runtime::role::Role;

/// What the server offers besides its own routes.
pub(super) struct Offers {
    /// The fleet that the server is an operator of.
    pub(super) fleet: Option<String>,
    /// The port of the camera's video by WebRTC.
    pub(super) webrtc_port: Option<u16>,
}

pub(super) fn routes(config: &Config, body: &RobotRuntime, offers: Offers) -> OpenApiRouter {
    let examined = Arc::new(Examination { config: config.clone(), control_loop: body.handle(), offers });
    OpenApiRouter::new().routes(routes!(me)).routes(routes!(doctor)).with_state(examined)
}

/// What the checks examine.
struct Examination {
    config: Config,
    control_loop: ControlLoopHandle,
    offers: Offers,
}

impl Examination {
    /// Returns the supply of each servo that the control loop has measured: it holds the port, and nobody else can ask.
    fn supply(&self) -> Vec<Supply> {
        let health = self.control_loop.snapshot().state.health;
        let measured = |joint: Joint| {
            let volts = health[joint]?.voltage_v;
            Some(Supply { id: joint.motor_id(), volts })
        };
        Joint::ALL.into_iter().filter_map(measured).collect()
    }
}

/// The caller.
#[derive(Serialize, ToSchema)]
struct Me {
    /// The name in the journal: that of the token or of the origin of the request.
    #[schema(value_type = String, example = "this machine")]
    name: Arc<str>,
    /// `viewer`, `operator`, `engineer` or `owner`.
    #[schema(example = "owner")]
    role: &'static str,
    /// The name of the fleet that this server is an operator of, if any.
    #[schema(example = "lab", required)]
    fleet: Option<String>,
    /// The port of this computer at which browsers get the camera's video by WebRTC, if they do.
    #[schema(example = 8443)]
    webrtc_port: Option<u16>,
}

/// Get the caller's name and role
#[utoipa::path(get, path = "/api/v1/me", tag = "robot", operation_id = "me", responses(
    (status = 200, description = "The caller's name and role.", body = Me),
))]
async fn me(State(examined): State<Arc<Examination>>, caller: Caller) -> Json<Me> {
    let Offers { fleet, webrtc_port } = &examined.offers;
    Json(Me { name: caller.name, role: caller.role.name(), fleet: fleet.clone(), webrtc_port: *webrtc_port })
}

/// The results of the checks.
#[derive(Serialize, ToSchema)]
struct Examined {
    /// The checks.
    checks: Vec<Check>,
}

/// Check the machine
///
/// Runs the checks of `minismith doctor` on the server and returns the results with remedies. Changes and moves nothing.
#[utoipa::path(get, path = "/api/v1/doctor", tag = "robot", operation_id = "doctor", responses(
    (status = 200, description = "The results of the checks.", body = Examined),
    (status = 409, description = "The checks failed because of an internal error; see the log.", body = ErrorBody),
))]
async fn doctor(
    State(examined): State<Arc<Examination>>,
    caller: Caller,
) -> Result<Json<Examined>, ApiError> {
    caller.require_role(Role::Engineer)?;
    let checks = move || examine_while_running(&examined.config, examined.supply());
    let examined = tokio::task::spawn_blocking(checks).await;
    let lost = |_| ApiError::new(StatusCode::CONFLICT, "the response was lost; send the request again");
    Ok(Json(Examined { checks: examined.map_err(lost)? }))
}
