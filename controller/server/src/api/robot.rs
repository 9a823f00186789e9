//! The robot itself: its health, its state, and the stop.
//!
//! Threads: handlers copy the pulse's last snapshot and never wait for a beat. Safety: `stop` is the only word that
//! reaches the body from here.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use firmware_bridge::fault::Status;
use firmware_bridge::joint::Joint;
use firmware_bridge::limits::JointLimit;
use firmware_bridge::pulse::{Conductor, Control, Doing, Order, PulseHandle, Regularity, Snapshot};
use firmware_bridge::robot::Reading;
use firmware_bridge::servo::{HardwareError, Milliamps, Mode};
use firmware_bridge::units::Radians;
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::caller::Caller;
use super::given::{Refusal, Refused};
use super::refuse;
use minismith_control::snapshot::view_of;
use minismith_runtime::outcome::{PostureView, TrimView, tidy, trims};
use minismith_runtime::role::Role;

pub(super) fn routes(pulse: PulseHandle) -> OpenApiRouter {
    OpenApiRouter::new()
        .routes(routes!(health))
        .routes(routes!(state))
        .routes(routes!(limits))
        .routes(routes!(stop))
        .routes(routes!(measure))
        .with_state(pulse)
}

/// How the controller is.
#[derive(Serialize, ToSchema)]
struct Health {
    /// `ok`, or `fault`.
    status: &'static str,
    /// What is wrong with the body now, in words.
    fault: Option<String>,
    /// Beats since the start.
    beats: u64,
    /// Beats that began more than a period late.
    late_beats: u64,
    /// The last fault that was noticed: its `kind`, the `motor` where it is one, the `policy` that answers it, the
    /// `stage` of that, how many `times` it came, and what it `says`.
    #[schema(value_type = Option<Object>)]
    last_fault: Option<Value>,
    /// How regularly the pulse beats (`jitter`, `lateness` and `work`, in microseconds) and by what right.
    #[schema(value_type = Object)]
    pulse: Regularity,
    /// The program's version.
    version: &'static str,
}

fn last_fault(status: Status) -> Value {
    json!({
        "kind": status.kind,
        "motor": status.joint.map(Joint::name),
        "policy": status.policy,
        "stage": status.stage,
        "times": status.times,
        "says": status.to_string(),
    })
}

/// Whether the robot is well
///
/// For watchdogs: the status is 503 while something is wrong with the body.
#[utoipa::path(get, path = "/health", tag = "robot", responses(
    (status = 200, description = "It is well.", body = Health),
    (status = 503, description = "Something is wrong with the body; `fault` says what.", body = Health),
))]
async fn health(State(pulse): State<PulseHandle>) -> Response {
    let snapshot = pulse.snapshot();
    let well = snapshot.fault.is_none();
    let status = if well { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let health = Health {
        status: if well { "ok" } else { "fault" },
        fault: snapshot.fault.map(|fault| fault.to_string()),
        beats: snapshot.beats,
        late_beats: snapshot.late,
        last_fault: snapshot.status.map(last_fault),
        pulse: pulse.regularity(),
        version: env!("CARGO_PKG_VERSION"),
    };
    (status, Json(health)).into_response()
}

/// Where the body is, and what it does.
#[derive(Serialize, ToSchema)]
pub(super) struct BodyState {
    /// `holding`, `playing`, `braking`, `limp`, `led` or `stowing`.
    #[schema(value_type = String, example = "holding")]
    doing: Doing,
    /// How the motors hold: `position`, `gravity_compensation` or `{"compliant": milliamperes}`.
    #[schema(value_type = Value, example = "position")]
    control: Control,
    /// Where the body is, from the motors' own positions; null when they are not known.
    posture: Option<PostureView>,
    /// The nine motors, in the order of their ids.
    joints: Vec<JointState>,
    /// What the envelope takes off the motion that goes on, or took off the last one.
    trims: Vec<TrimView>,
    /// What is wrong with the body now, in words.
    fault: Option<String>,
    /// Beats since the start.
    beats: u64,
}

/// One motor.
#[derive(Serialize, ToSchema)]
struct JointState {
    /// `body_rotation`, `stewart_1` to `stewart_6`, `right_antenna` or `left_antenna`.
    #[schema(example = "body_rotation")]
    name: &'static str,
    /// Where it is, degrees; null when it never answered.
    present_deg: Option<f64>,
    /// Where it is told to be, degrees.
    goal_deg: f64,
    /// Whether it is driven.
    torque: bool,
    /// Whether its position is of the last beat (`fresh`), older (`stale`), or not known (`never`).
    reading: &'static str,
    /// Inside the servo, degrees Celsius.
    temperature_c: Option<f64>,
    /// The supply at the servo, volts.
    voltage_v: Option<f64>,
    /// Through the motor, milliamperes.
    #[schema(value_type = Option<f64>)]
    current_ma: Option<Milliamps>,
    /// What the servo controls: `current`, `position` or `current_based_position`.
    #[schema(value_type = String, example = "position")]
    mode: Mode,
    /// What the servo signals as wrong.
    #[schema(value_type = Vec<String>)]
    errors: Vec<HardwareError>,
}

fn joint_state(snapshot: &Snapshot, joint: Joint) -> JointState {
    let reading = snapshot.state.readings[joint];
    let health = snapshot.state.health[joint];
    JointState {
        name: joint.name(),
        present_deg: reading.known().map(|angle| tidy(angle.degrees())),
        goal_deg: tidy(snapshot.commanded[joint].degrees()),
        torque: snapshot.state.torque[joint],
        reading: match reading {
            Reading::Fresh(_) => "fresh",
            Reading::Stale { .. } => "stale",
            Reading::Never => "never",
        },
        temperature_c: health.map(|health| health.celsius),
        voltage_v: health.map(|health| health.volts),
        current_ma: health.map(|health| health.current),
        mode: snapshot.state.modes[joint],
        errors: snapshot.state.errors[joint].iter().collect(),
    }
}

/// Where the body is, and what it does
#[utoipa::path(get, path = "/api/v1/state", tag = "robot", responses(
    (status = 200, description = "As the last beat found it.", body = BodyState),
))]
async fn state(State(pulse): State<PulseHandle>, caller: Caller) -> Result<Json<BodyState>, Refused> {
    caller.must_be(Role::Viewer)?;
    Ok(Json(body_state(&pulse.snapshot(), pulse.period())))
}

/// How the body is.
pub(super) fn body_state(snapshot: &Snapshot, period: Duration) -> BodyState {
    BodyState {
        doing: snapshot.doing,
        control: snapshot.control,
        posture: view_of(snapshot),
        joints: Joint::ALL.iter().map(|joint| joint_state(snapshot, *joint)).collect(),
        trims: trims(&snapshot.trims, period),
        fault: snapshot.fault.as_ref().map(ToString::to_string),
        beats: snapshot.beats,
    }
}

/// What the body may do now: where motions are scaled down, that shows here.
#[derive(Serialize, ToSchema)]
struct LimitsNow {
    /// The nine motors, in the order of their ids.
    joints: Vec<JointLimits>,
    /// The greatest pitch of the head, either way, degrees.
    head_pitch_deg: f64,
    /// The greatest roll of the head, either way, degrees.
    head_roll_deg: f64,
    /// The greatest yaw of the head relative to the body, either way, degrees.
    relative_yaw_deg: f64,
}

/// What one motor may do.
#[derive(Serialize, ToSchema)]
struct JointLimits {
    /// `body_rotation`, `stewart_1` to `stewart_6`, `right_antenna` or `left_antenna`.
    #[schema(example = "body_rotation")]
    name: &'static str,
    /// The least angle, degrees.
    low_deg: f64,
    /// The greatest angle, degrees.
    high_deg: f64,
    /// The greatest speed, degrees per second.
    speed_dps: f64,
    /// The greatest acceleration, degrees per second squared.
    acceleration_dps2: f64,
}

/// What the body may do
///
/// The envelope's limits, as they are in force now.
#[utoipa::path(get, path = "/api/v1/limits", tag = "robot", responses(
    (status = 200, description = "The limits.", body = LimitsNow),
))]
async fn limits(State(pulse): State<PulseHandle>, caller: Caller) -> Result<Json<LimitsNow>, Refused> {
    caller.must_be(Role::Viewer)?;
    let limits = pulse.snapshot().limits;
    let degrees = |angle: Radians| tidy(angle.degrees());
    let joint = |joint: &Joint| {
        let JointLimit { low, high, speed, acceleration, .. } = limits.joints[*joint];
        JointLimits {
            name: joint.name(),
            low_deg: degrees(low),
            high_deg: degrees(high),
            speed_dps: degrees(speed),
            acceleration_dps2: degrees(acceleration),
        }
    };
    Ok(Json(LimitsNow {
        joints: Joint::ALL.iter().map(joint).collect(),
        head_pitch_deg: degrees(limits.head_pitch),
        head_roll_deg: degrees(limits.head_roll),
        relative_yaw_deg: degrees(limits.relative_yaw),
    }))
}

/// That the histograms begin anew.
#[derive(Serialize, ToSchema)]
struct Measuring {
    /// Since when is measured.
    measured: &'static str,
}

/// Measure the regularity of the beat anew
///
/// What `/health` tells of the pulse counts from here on.
#[utoipa::path(post, path = "/api/v1/pulse/measure", tag = "robot", responses(
    (status = 200, description = "It is measured from now on.", body = Measuring),
))]
async fn measure(State(pulse): State<PulseHandle>, caller: Caller) -> Result<Json<Measuring>, Refused> {
    caller.must_be(Role::Engineer)?;
    pulse.measure_anew();
    Ok(Json(Measuring { measured: "from now on" }))
}

/// That the body rests.
#[derive(Serialize, ToSchema)]
pub(super) struct AtRest {
    /// What the body does now, as in the state.
    #[schema(value_type = String, example = "holding")]
    doing: Doing,
    /// Beats since the start.
    beats: u64,
}

/// Brakes whatever moves the body, and says when it has come to rest; none when nobody could say it.
pub(super) async fn halt(mut pulse: PulseHandle) -> Option<AtRest> {
    let halted = tokio::task::spawn_blocking(move || {
        pulse.order(Order::Halt);
        pulse.wait(&|snapshot| snapshot.doing != Doing::Braking)
    });
    let snapshot = halted.await.ok()?;
    Some(AtRest { doing: snapshot.doing, beats: snapshot.beats })
}

/// Stop
///
/// Brakes whatever moves the body, for everybody, from the next beat on, and answers when it has come to rest. What was
/// asked for before and has not begun is not begun any more. Anybody may say it.
#[utoipa::path(post, path = "/api/v1/stop", tag = "robot", responses(
    (status = 200, description = "The body rests.", body = AtRest),
    (status = 500, description = "The stop could not be confirmed.", body = Refusal),
))]
async fn stop(State(pulse): State<PulseHandle>, caller: Caller) -> Response {
    if let Err(refused) = caller.must_be(Role::Viewer) {
        return refused.into_response();
    }
    match halt(pulse).await {
        Some(rest) => Json(rest).into_response(),
        None => {
            refuse(StatusCode::INTERNAL_SERVER_ERROR, "the stop could not be confirmed; switch the robot off")
        }
    }
}
