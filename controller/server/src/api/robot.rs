//! The robot itself: health, state, limits and the stop.
//!
//! Threads: handlers copy the last snapshot of the control loop and never wait for a cycle. Safety: `stop` is the only
//! handler here that commands the robot.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use firmware_bridge::control_loop::{
    ControlLoopHandle, ControlMode, LoopClient, LoopCommand, LoopSnapshot, MotionState, Percentiles,
    RealtimeScheduling, TimingStats,
};
use firmware_bridge::fault::{FaultKind, FaultPolicy, FaultReport, RecoveryState};
use firmware_bridge::joint::Joint;
use firmware_bridge::limits::JointLimits;
use firmware_bridge::robot::PositionReading;
use firmware_bridge::servo::{HardwareError, Milliamps, OperatingMode};
use firmware_bridge::units::Radians;
use minismith_protocol::old_names::http;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::caller::Caller;
use super::extract::{ApiError, ErrorBody};
use super::names::both;
use super::refuse;
use minismith_control::snapshot::view_of;
use minismith_runtime::config::Config;
use minismith_runtime::report::{ClampReport, PostureReport, clamp_reports, round_for_display};
use minismith_runtime::role::Role;

pub(super) fn routes(control_loop: ControlLoopHandle, config: &Config) -> OpenApiRouter {
    let scale = config.limits.unapproved_tool_scale.value();
    let limits = OpenApiRouter::new().routes(routes!(limits)).with_state((control_loop.clone(), scale));
    OpenApiRouter::new()
        .routes(routes!(health))
        .routes(routes!(state))
        .routes(routes!(stop))
        .routes(routes!(reset_statistics))
        .routes(routes!(measure))
        .with_state(control_loop)
        .merge(limits)
}

/// The health of the controller and the robot.
#[derive(Serialize, ToSchema)]
struct Health {
    /// `ok` or `fault`.
    status: HealthStatus,
    /// The robot's current fault, as a sentence.
    #[schema(required)]
    fault: Option<String>,
    /// Control cycles since the start.
    cycles: u64,
    /// Cycles that started more than one period late.
    overruns: u64,
    /// The most recent fault.
    #[schema(required)]
    last_fault: Option<LastFault>,
    /// The timing of the control loop, and its scheduling.
    control_loop: Timing,
    /// The program's version.
    version: &'static str,
}

/// Whether the robot has a fault.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum HealthStatus {
    /// It has none.
    Ok,
    /// It has one.
    Fault,
}

/// A fault, and the recovery from it.
#[derive(Serialize, ToSchema)]
struct LastFault {
    /// The kind of the fault.
    #[schema(value_type = String, example = "overload")]
    kind: FaultKind,
    /// The motor, if the fault concerns one.
    #[schema(required)]
    motor: Option<&'static str>,
    /// How the robot recovers.
    #[schema(value_type = String, example = "hold")]
    policy: FaultPolicy,
    /// The state of the recovery: `acting`, `over`, `given_up` or `stopped`.
    #[schema(value_type = String, example = "over")]
    stage: RecoveryState,
    /// How often it occurred.
    count: u32,
    /// The fault as a sentence.
    message: String,
}

impl From<FaultReport> for LastFault {
    fn from(report: FaultReport) -> Self {
        LastFault {
            kind: report.kind,
            motor: report.joint.map(Joint::name),
            policy: report.policy,
            stage: report.state,
            count: report.count,
            message: report.to_string(),
        }
    }
}

/// The timing of the control loop since its start or the last reset.
#[derive(Serialize, ToSchema)]
struct Timing {
    /// The number of measured cycles.
    cycles: u64,
    /// The nominal time between cycles, microseconds.
    period_us: f64,
    /// Absolute difference between interval and period.
    jitter: TimeDistribution,
    /// Time from the deadline to the start of a cycle.
    wakeup_latency: TimeDistribution,
    /// Time for the work of a cycle, including the robot's answer.
    cycle_time: TimeDistribution,
    /// The scheduling of the control loop's thread.
    scheduling: Scheduling,
}

/// A distribution of times, microseconds.
#[derive(Serialize, ToSchema)]
struct TimeDistribution {
    /// 50 % of the cycles are below this.
    p50_us: f64,
    /// 99 % of the cycles are below this.
    p99_us: f64,
    /// 99.9 % of the cycles are below this.
    p999_us: f64,
    /// The maximum.
    max_us: f64,
}

/// The scheduling of a thread as granted by the system.
#[derive(Serialize, ToSchema)]
struct Scheduling {
    /// Its real-time priority; null under the default policy.
    #[schema(required)]
    realtime_priority: Option<u8>,
    /// Whether the program's memory is locked.
    memory_locked: bool,
    /// What the system denied, each with its remedy.
    notes: Vec<String>,
}

impl From<Percentiles> for TimeDistribution {
    fn from(Percentiles { p50_us, p99_us, p999_us, max_us }: Percentiles) -> Self {
        TimeDistribution { p50_us, p99_us, p999_us, max_us }
    }
}

impl From<TimingStats> for Timing {
    fn from(stats: TimingStats) -> Self {
        let TimingStats { cycles, period_us, jitter, wakeup_latency, cycle_time, scheduling } = stats;
        let RealtimeScheduling { realtime_priority, memory_locked, notes } = scheduling;
        Timing {
            cycles,
            period_us,
            jitter: jitter.into(),
            wakeup_latency: wakeup_latency.into(),
            cycle_time: cycle_time.into(),
            scheduling: Scheduling { realtime_priority, memory_locked, notes },
        }
    }
}

/// Check the robot's health
///
/// For watchdogs: the status is 503 while the robot has a fault.
#[utoipa::path(get, path = "/health", tag = "robot", responses(
    (status = 200, description = "The robot has no fault.", body = Health),
    (status = 503, description = "The robot has a fault; `fault` describes it.", body = Health),
))]
async fn health(State(control_loop): State<ControlLoopHandle>) -> Response {
    let snapshot = control_loop.snapshot();
    let well = snapshot.fault.is_none();
    let status = if well { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let health = Health {
        status: if well { HealthStatus::Ok } else { HealthStatus::Fault },
        fault: snapshot.fault.map(|fault| fault.to_string()),
        cycles: snapshot.cycles,
        overruns: snapshot.overruns,
        last_fault: snapshot.last_fault.map(LastFault::from),
        control_loop: control_loop.timing_stats().into(),
        version: env!("CARGO_PKG_VERSION"),
    };
    (status, both(&http::HEALTH, &health)).into_response()
}

/// The names of the API for what the robot does.
pub(super) const fn motion_state(doing: MotionState) -> &'static str {
    match doing {
        MotionState::Holding => "holding",
        MotionState::Moving => "moving",
        MotionState::Stopping => "stopping",
        MotionState::TorqueOff => "torque_off",
        MotionState::HandGuiding => "hand_guiding",
        MotionState::Stowing => "stowing",
    }
}

/// The state of the robot.
#[derive(Serialize, ToSchema)]
pub(super) struct RobotState {
    /// `holding`, `moving`, `stopping`, `torque_off`, `hand_guiding` or `stowing`.
    #[schema(example = "holding")]
    motion_state: &'static str,
    /// How the motors are controlled: `position`, `gravity_compensation` or `{"compliant": milliamperes}`.
    #[schema(value_type = Value, example = "position")]
    control_mode: ControlMode,
    /// The posture, computed from the motors' present positions; null while they are unknown.
    #[schema(required)]
    posture: Option<PostureReport>,
    /// The nine motors, in the order of their ids.
    joints: Vec<JointState>,
    /// What the envelope clamps in the current motion, or clamped in the last one.
    clamps: Vec<ClampReport>,
    /// The current fault, as a sentence.
    #[schema(required)]
    fault: Option<String>,
    /// Control cycles since the start.
    cycles: u64,
}

/// The age of a motor's present position.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum Freshness {
    /// It is from the last cycle.
    Fresh,
    /// It is older.
    Stale,
    /// It is unknown.
    Never,
}

/// One motor.
#[derive(Serialize, ToSchema)]
struct JointState {
    /// `body_rotation`, `stewart_1` to `stewart_6`, `right_antenna` or `left_antenna`.
    #[schema(example = "body_rotation")]
    name: &'static str,
    /// Present position, degrees; null if the motor never responded.
    #[schema(required)]
    present_deg: Option<f64>,
    /// Goal position, degrees.
    goal_deg: f64,
    /// Whether torque is enabled.
    torque: bool,
    /// The age of the present position: from the last cycle (`fresh`), older (`stale`), or unknown (`never`).
    freshness: Freshness,
    /// Temperature inside the servo, degrees Celsius.
    #[schema(required)]
    temperature_c: Option<f64>,
    /// Input voltage of the servo, volts.
    #[schema(required)]
    voltage_v: Option<f64>,
    /// Motor current, milliamperes.
    #[schema(value_type = Option<f64>, required)]
    current_ma: Option<Milliamps>,
    /// The servo's operating mode: `current`, `position` or `current_based_position`.
    #[schema(value_type = String, example = "position")]
    mode: OperatingMode,
    /// The errors in the servo's hardware error status.
    #[schema(value_type = Vec<String>)]
    errors: Vec<HardwareError>,
}

fn joint_state(snapshot: &LoopSnapshot, joint: Joint) -> JointState {
    let reading = snapshot.state.readings[joint];
    let health = snapshot.state.health[joint];
    JointState {
        name: joint.name(),
        present_deg: reading.known().map(|angle| round_for_display(angle.degrees())),
        goal_deg: round_for_display(snapshot.goal[joint].degrees()),
        torque: snapshot.state.torque[joint],
        freshness: match reading {
            PositionReading::Fresh(_) => Freshness::Fresh,
            PositionReading::Stale { .. } => Freshness::Stale,
            PositionReading::Never => Freshness::Never,
        },
        temperature_c: health.map(|health| health.temperature_c),
        voltage_v: health.map(|health| health.voltage_v),
        current_ma: health.map(|health| health.current),
        mode: snapshot.state.modes[joint],
        errors: snapshot.state.errors[joint].iter().collect(),
    }
}

/// Get the robot's state
#[utoipa::path(get, path = "/api/v1/state", tag = "robot", responses(
    (status = 200, description = "The state in the last control cycle.", body = RobotState),
))]
async fn state(
    State(control_loop): State<ControlLoopHandle>,
    caller: Caller,
) -> Result<Json<Value>, ApiError> {
    caller.require_role(Role::Viewer)?;
    Ok(both(&http::STATE, &robot_state(&control_loop.snapshot(), control_loop.period())))
}

/// Returns the robot's state in a snapshot.
pub(super) fn robot_state(snapshot: &LoopSnapshot, period: Duration) -> RobotState {
    RobotState {
        motion_state: motion_state(snapshot.motion_state),
        control_mode: snapshot.control_mode,
        posture: view_of(snapshot),
        joints: Joint::ALL.iter().map(|joint| joint_state(snapshot, *joint)).collect(),
        clamps: clamp_reports(&snapshot.clamps, period),
        fault: snapshot.fault.as_ref().map(ToString::to_string),
        cycles: snapshot.cycles,
    }
}

/// The motion limits that are in force, including any reduction.
#[derive(Serialize, ToSchema)]
struct LimitsNow {
    /// The nine motors, in the order of their ids.
    joints: Vec<JointLimitReport>,
    /// Maximum head pitch in either direction, degrees.
    head_pitch_deg: f64,
    /// Maximum head roll in either direction, degrees.
    head_roll_deg: f64,
    /// Maximum yaw between head and body in either direction, degrees.
    relative_yaw_deg: f64,
    /// The part of the maximum velocities and accelerations that a tool has until a person approves it.
    unapproved_tool_scale: f64,
}

/// The limits of one motor.
#[derive(Serialize, ToSchema)]
struct JointLimitReport {
    /// `body_rotation`, `stewart_1` to `stewart_6`, `right_antenna` or `left_antenna`.
    #[schema(example = "body_rotation")]
    name: &'static str,
    /// Minimum position, degrees.
    min_deg: f64,
    /// Maximum position, degrees.
    max_deg: f64,
    /// Maximum velocity, degrees per second.
    max_velocity_dps: f64,
    /// Maximum acceleration, degrees per second squared.
    max_acceleration_dps2: f64,
}

/// Get the motion limits
///
/// The limits of the safety envelope that are in force now.
#[utoipa::path(get, path = "/api/v1/limits", tag = "robot", responses(
    (status = 200, description = "The limits.", body = LimitsNow),
))]
async fn limits(
    State((control_loop, unapproved_tool_scale)): State<(ControlLoopHandle, f64)>,
    caller: Caller,
) -> Result<Json<Value>, ApiError> {
    caller.require_role(Role::Viewer)?;
    let limits = control_loop.snapshot().limits;
    let degrees = |angle: Radians| round_for_display(angle.degrees());
    let joint = |joint: &Joint| {
        let JointLimits {
            min_position: low,
            max_position: high,
            max_velocity: speed,
            max_acceleration: acceleration,
            ..
        } = limits.joints[*joint];
        JointLimitReport {
            name: joint.name(),
            min_deg: degrees(low),
            max_deg: degrees(high),
            max_velocity_dps: degrees(speed),
            max_acceleration_dps2: degrees(acceleration),
        }
    };
    let limits = LimitsNow {
        joints: Joint::ALL.iter().map(joint).collect(),
        head_pitch_deg: degrees(limits.head_pitch),
        head_roll_deg: degrees(limits.head_roll),
        relative_yaw_deg: degrees(limits.relative_yaw),
        unapproved_tool_scale,
    };
    Ok(both(&http::LIMITS, &limits))
}

/// Confirms that the statistics were reset.
#[derive(Serialize, ToSchema)]
struct Measuring {
    /// `from now on`.
    measured: &'static str,
}

/// Reset the statistics of the control loop
///
/// The timing of the control loop in `/health` covers the time since the last reset.
#[utoipa::path(post, path = "/api/v1/control_loop/reset_statistics", tag = "robot", responses(
    (status = 200, description = "The statistics were reset.", body = Measuring),
))]
async fn reset_statistics(
    state: State<ControlLoopHandle>,
    caller: Caller,
) -> Result<Json<Measuring>, ApiError> {
    reset(&state, &caller)
}

/// Reset the statistics of the control loop, by the old path
///
/// Use `/api/v1/control_loop/reset_statistics`.
#[utoipa::path(post, path = "/api/v1/pulse/measure", tag = "robot", responses(
    (status = 200, description = "The statistics were reset.", body = Measuring),
))]
async fn measure(state: State<ControlLoopHandle>, caller: Caller) -> Result<Json<Measuring>, ApiError> {
    reset(&state, &caller)
}

fn reset(control_loop: &ControlLoopHandle, caller: &Caller) -> Result<Json<Measuring>, ApiError> {
    caller.require_role(Role::Engineer)?;
    control_loop.reset_timing();
    Ok(Json(Measuring { measured: "from now on" }))
}

/// Confirms that the robot has stopped.
#[derive(Serialize, ToSchema)]
pub(super) struct AtRest {
    /// What the robot does now, as in the state.
    #[schema(example = "holding")]
    motion_state: &'static str,
    /// Control cycles since the start.
    cycles: u64,
}

/// Stops all motion and returns once the robot is at rest; `None` if the control loop did not confirm it.
pub(super) async fn stop_now(mut control_loop: ControlLoopHandle) -> Option<AtRest> {
    let stopped = tokio::task::spawn_blocking(move || {
        control_loop.send_command(LoopCommand::Stop);
        control_loop.wait(&|snapshot| snapshot.motion_state != MotionState::Stopping)
    });
    let snapshot = stopped.await.ok()?;
    Some(AtRest { motion_state: motion_state(snapshot.motion_state), cycles: snapshot.cycles })
}

/// The error when a stop is not confirmed.
pub(super) const NOT_CONFIRMED: &str =
    "stop not confirmed: the control loop did not respond; switch the robot off";

/// Stop
///
/// Stops all motion, of every client, from the next control cycle on, and responds when the robot is at rest. Earlier
/// requests that have not started yet are cancelled. Every role may stop the robot.
#[utoipa::path(post, path = "/api/v1/stop", tag = "robot", responses(
    (status = 200, description = "The robot is at rest.", body = AtRest),
    (status = 500, description = "The stop was not confirmed.", body = ErrorBody),
))]
async fn stop(State(control_loop): State<ControlLoopHandle>, caller: Caller) -> Response {
    if let Err(refused) = caller.require_role(Role::Viewer) {
        return refused.into_response();
    }
    match stop_now(control_loop).await {
        Some(rest) => both(&http::STOP, &rest).into_response(),
        None => refuse(StatusCode::INTERNAL_SERVER_ERROR, NOT_CONFIRMED),
    }
}
