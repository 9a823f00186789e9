//! The API of the official daemon (version 1.13.0): its REST routes for the robot, and its WebSockets, so that its SDK,
//! dashboards and scripts work unchanged.
//!
//! Formats are the official ones: metres and radians, poses as `{x, y, z, roll, pitch, yaw}` or `{m: [16 numbers, row by
//! row]}` of `world_from_head` relative to the neutral head, antennas `[right, left]`. Errors are `{"detail": ...}`.
//! The official daemon accepts some impossible requests, such as infinite numbers, durations of zero and matrices that are
//! not poses; this server rejects them. Where the official daemon does nothing and responds `ok`, this server gives a reason.
//!
//! Threads: handlers post to the [`MotionExecutor`] and copy the last snapshot of the control loop; none waits for a cycle. One task
//! serialises the messages to all clients of the SDK.
//!
//! Reading order: here (shared state), `pose` (formats), `state`, `moves`, `motors`, `daemon`, `device` (camera and
//! kinematics), `sound` (sounds and volume), `sensors`, `apps` (apps), `account` (Hugging Face), `unsupported` (reports), `command` (messages of the SDK), `sdk` (its WebSocket), `recorder` (its
//! recordings).

mod account;
mod apps;
mod command;
mod daemon;
mod device;
mod motors;
mod moves;
mod pose;
mod recorder;
mod sdk;
mod sensors;
mod sound;
mod state;
mod unsupported;

use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::extract::ws::Utf8Bytes;
use axum::http::StatusCode;
use firmware_bridge::clock::system_time;
use firmware_bridge::control_loop::{ControlMode, LoopClient, LoopSnapshot};
use firmware_bridge::kinematics::FittedPosture;
use firmware_bridge::motion::Target;
use firmware_bridge::posture::{HeadPose, Posture};
use serde::Serialize;
use tokio::sync::{Notify, broadcast};

use self::daemon::Lifecycle;
use self::sensors::{ImuReading, SimulatedImu};
use super::caller::MediaAccess;
use super::extract::ApiError;
use minismith_apps::manager::AppManager;
use minismith_control::head_tracking::HeadTracking;
use minismith_control::motion_executor::{MotionExecutor, MoveRunning};
use minismith_control::perception::CameraObserver;
use minismith_media::camera_socket::CameraSocket;
use minismith_media::sounds::Sounds;
use minismith_runtime::net::mdns::Announcement;
use minismith_voice::devices::mic_array::SharedMicArray;

/// The longest message that is taken, bytes.
const MAX_MESSAGE_BYTES: usize = 1 << 20;

/// The version of the official package that has this API.
pub const VERSION: &str = "1.13.0";

/// The robot's default name, as in the official daemon.
const NAME: &str = "reachy_mini";

/// Capacity of the broadcast to clients of the SDK; a slow client misses the oldest messages, as in the official daemon.
const BROADCAST_CAPACITY: usize = 100;

/// The state that the handlers share.
pub(super) struct Robot {
    executor: MotionExecutor,
    attention: HeadTracking,
    observer: CameraObserver,
    lifecycle: Mutex<Lifecycle>,
    name: Mutex<String>,
    is_real: bool,
    announcement: Option<Announcement>,
    /// Serves camera frames to programs on this computer, if the configuration says so.
    camera_socket: Option<CameraSocket>,
    /// Where other computers find WebRTC, at the port that the SDK expects.
    webrtc_address: Option<IpAddr>,
    /// Whether a client has taken the camera for itself.
    media_released: AtomicBool,
    apps: apps::Apps,
    sounds: Arc<Sounds>,
    imu: SimulatedImu,
    directions: Arc<SharedMicArray>,
    /// What the head does beside its targets while a client's sound plays.
    sway: Mutex<Sway>,
    /// The broadcast to all clients of the SDK.
    broadcast: broadcast::Sender<Broadcast>,
    /// Wakes the broadcast when a client of the SDK connects.
    connected: Notify,
}

/// A message to the clients of the SDK.
#[derive(Clone)]
struct Broadcast {
    text: Utf8Bytes,
    /// The clients that it is for; all if it is not given.
    for_media: Option<MediaAccess>,
}

impl From<Utf8Bytes> for Broadcast {
    fn from(text: Utf8Bytes) -> Self {
        Broadcast { text, for_media: None }
    }
}

/// A small offset of the head that a client adds to its targets.
#[derive(Clone, Copy, Debug, Default)]
struct Sway {
    /// The target without it: the last one, or where the head was when it began.
    base: Option<HeadPose>,
    /// The offset, if it is not zero.
    offset: Option<HeadPose>,
}

impl Sway {
    /// Adds the offset as the official daemon does: the position is moved and the orientation turned in the world's frame.
    fn added(&self, head: HeadPose) -> HeadPose {
        let Some(HeadPose(offset)) = self.offset else { return head };
        let mut pose = head.0;
        pose.translation.vector += offset.translation.vector;
        pose.rotation = offset.rotation * pose.rotation;
        HeadPose(pose)
    }
}

/// The control mode of the motors, by its official name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Mode {
    Enabled,
    Disabled,
    GravityCompensation,
}

impl Robot {
    /// Returns the state for the clients of one robot.
    pub(super) fn new(
        executor: MotionExecutor,
        attention: HeadTracking,
        observer: CameraObserver,
        announced: Option<(SocketAddr, &'static str)>,
        (camera_socket, webrtc_address): (Option<CameraSocket>, Option<IpAddr>),
        apps: Option<AppManager>,
        (sounds, directions): (Arc<Sounds>, Arc<SharedMicArray>),
    ) -> Arc<Self> {
        let announce = |(address, model)| {
            Announcement::begin(NAME, model, address, VERSION)
                .inspect_err(|error| tracing::warn!("{error}"))
                .ok()
        };
        Arc::new(Robot {
            executor,
            attention,
            is_real: !observer.is_simulated(),
            observer,
            lifecycle: Mutex::default(),
            name: Mutex::new(NAME.into()),
            announcement: announced.and_then(announce),
            camera_socket,
            webrtc_address,
            apps: apps::Apps::new(apps),
            sounds,
            imu: SimulatedImu::default(),
            directions,
            sway: Mutex::default(),
            media_released: AtomicBool::new(false),
            broadcast: broadcast::Sender::new(BROADCAST_CAPACITY),
            connected: Notify::new(),
        })
    }

    /// Follows a target of a client, with the offset of its sound.
    fn follow(&self, target: &Target) -> Result<(), MoveRunning> {
        let mut sway = self.sway.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(head) = target.head else { return self.executor.follow(target) };
        sway.base = Some(head);
        self.executor.follow(&Target { head: Some(sway.added(head)), ..*target })
    }

    /// Sets the offset, from now on until the next one; the head follows unless a move runs.
    fn set_sway(&self, offset: HeadPose) {
        let mut sway = self.sway.lock().unwrap_or_else(PoisonError::into_inner);
        sway.offset = (offset != HeadPose::neutral()).then_some(offset);
        let here = || pose::commanded(&self.snapshot()).map(|posture| posture.head);
        let Some(base) = sway.base.or_else(here) else { return };
        // After a move the head is elsewhere.
        sway.base = sway.offset.map(|_| base);
        let target = Target { head: Some(sway.added(base)), ..Target::default() };
        if self.executor.follow(&target).is_err() {
            sway.base = None;
        }
    }

    /// Returns the reading of the inertial sensor, which only a simulated robot has.
    fn imu(&self, posture: &Posture) -> Option<ImuReading> {
        (!self.is_real).then(|| self.imu.read(self.executor.control_loop().robot_time(), &posture.head))
    }

    fn snapshot(&self) -> LoopSnapshot {
        self.executor.control_loop().snapshot()
    }

    /// Returns whether a client gets camera frames and sound: here through a socket, elsewhere by WebRTC.
    fn has_media(&self, access: MediaAccess) -> bool {
        match access {
            MediaAccess::Local => self.camera_socket.is_some(),
            MediaAccess::Remote => self.webrtc_address.is_some(),
            MediaAccess::None => false,
        }
    }

    fn lifecycle(&self) -> Lifecycle {
        *self.lifecycle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_lifecycle(&self, lifecycle: Lifecycle) {
        *self.lifecycle.lock().unwrap_or_else(PoisonError::into_inner) = lifecycle;
    }

    fn name(&self) -> String {
        self.name.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns an error while the daemon is stopped, as the official daemon does.
    fn running(&self) -> Result<(), ApiError> {
        if self.lifecycle().is_running() {
            Ok(())
        } else {
            Err(ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "Backend not running"))
        }
    }

    /// Returns the posture from the motors' present positions, or the nearest one if no head fits them.
    fn present(&self) -> Result<(LoopSnapshot, FittedPosture), ApiError> {
        self.running()?;
        let snapshot = self.snapshot();
        match pose::present(&snapshot) {
            Ok(posture) => Ok((snapshot, posture)),
            Err(why) => Err(ApiError::new(StatusCode::SERVICE_UNAVAILABLE, &why)),
        }
    }
}

/// Returns the control mode of the motors.
fn mode(snapshot: &LoopSnapshot) -> Mode {
    match snapshot.control_mode {
        ControlMode::GravityCompensation => Mode::GravityCompensation,
        ControlMode::Position | ControlMode::Compliant(_) if snapshot.state.is_driven() => Mode::Enabled,
        ControlMode::Position | ControlMode::Compliant(_) => Mode::Disabled,
    }
}

/// Returns the system time in the official format.
fn now() -> String {
    humantime::format_rfc3339_micros(system_time()).to_string()
}

/// Returns the routes, and starts the broadcast of the robot's state to clients of the SDK.
pub(super) fn routes(robot: Arc<Robot>) -> Router {
    tokio::spawn(sdk::report(robot.clone()));
    Router::new()
        .merge(state::routes())
        .merge(moves::routes())
        .merge(motors::routes())
        .merge(daemon::routes())
        .merge(device::routes())
        .merge(sound::routes())
        .merge(apps::routes())
        .merge(account::routes())
        .merge(unsupported::routes())
        .merge(sdk::routes())
        .with_state(robot)
}
