//! The wire of the official daemon (version 1.13.0): its REST routes that concern the robot, and its WebSockets, so that
//! its SDK, dashboards and scripts work unchanged.
//!
//! Shapes are the official ones: metres and radians, poses as `{x, y, z, roll, pitch, yaw}` or `{m: [16 numbers, row by
//! row]}` of `world_from_head` relative to the neutral head, antennas `[right, left]`. Errors are `{"detail": ...}`.
//! Where the official daemon accepts what no robot can do (a number that is not finite, a time that is not above zero, a
//! matrix that is no pose), this one refuses; where it does nothing and says `ok`, this one says why.
//!
//! Threads: handlers post to the [`Mover`] and copy the pulse's last snapshot; none waits for a beat. What goes to all
//! clients of the SDK is worded once, by one task.
//!
//! Reading order: here (what handlers share), `pose` (shapes), `state`, `moves`, `motors`, `daemon`, `device` (camera,
//! sound and kinematics), `absent` (apps and reports), `command` (what the SDK may say), `sdk` (its WebSocket), `recorder` (its recordings).

mod absent;
mod command;
mod daemon;
mod device;
mod motors;
mod moves;
mod pose;
mod recorder;
mod sdk;
mod state;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::extract::ws::Utf8Bytes;
use axum::http::StatusCode;
use firmware_bridge::clock::calendar;
use firmware_bridge::posture::Posture;
use firmware_bridge::pulse::{Conductor, Control, Snapshot};
use serde::Serialize;
use tokio::sync::broadcast;

use self::daemon::Lifecycle;
use super::given::Refused;
use minismith_control::attention::Attention;
use minismith_control::eyes::Lookout;
use minismith_control::mover::Mover;
use minismith_runtime::net::announce::Announcement;

/// The longest message that is taken, bytes.
const LONGEST_MESSAGE: usize = 1 << 20;

/// The version of the official package whose wire this is.
pub const VERSION: &str = "1.13.0";

/// How the robot is called until it is called otherwise, as officially.
const NAME: &str = "reachy_mini";

/// Messages to all clients of the SDK that one of them may be behind; it misses the oldest then, as officially.
const WAITING: usize = 100;

/// What the handlers share.
pub(super) struct Robot {
    mover: Mover,
    attention: Attention,
    lookout: Lookout,
    lifecycle: Mutex<Lifecycle>,
    name: Mutex<String>,
    is_real: bool,
    announcement: Option<Announcement>,
    /// What all clients of the SDK are told.
    told: broadcast::Sender<Utf8Bytes>,
}

/// How the motors hold, in the official words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Mode {
    Enabled,
    Disabled,
    GravityCompensation,
}

impl Robot {
    /// For the clients of one body.
    pub(super) fn new(
        mover: Mover,
        attention: Attention,
        lookout: Lookout,
        announced: Option<SocketAddr>,
    ) -> Arc<Self> {
        let announce = |address| {
            Announcement::begin(NAME, address, VERSION).inspect_err(|error| tracing::warn!("{error}")).ok()
        };
        Arc::new(Robot {
            mover,
            attention,
            is_real: !lookout.is_simulated(),
            lookout,
            lifecycle: Mutex::default(),
            name: Mutex::new(NAME.into()),
            announcement: announced.and_then(announce),
            told: broadcast::Sender::new(WAITING),
        })
    }

    fn snapshot(&self) -> Snapshot {
        self.mover.pulse().snapshot()
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

    /// Refuses while the daemon is stopped, as officially.
    fn running(&self) -> Result<(), Refused> {
        if self.lifecycle().is_running() {
            Ok(())
        } else {
            Err(Refused::because(StatusCode::SERVICE_UNAVAILABLE, "Backend not running"))
        }
    }

    /// Where the body is, by its motors.
    fn present(&self) -> Result<(Snapshot, Posture), Refused> {
        self.running()?;
        let snapshot = self.snapshot();
        match pose::present(&snapshot) {
            Ok(posture) => Ok((snapshot, posture)),
            Err(why) => Err(Refused::because(StatusCode::SERVICE_UNAVAILABLE, &why)),
        }
    }
}

/// How the motors hold.
fn mode(snapshot: &Snapshot) -> Mode {
    match snapshot.control {
        Control::GravityCompensation => Mode::GravityCompensation,
        Control::Position | Control::Compliant(_) if snapshot.state.is_driven() => Mode::Enabled,
        Control::Position | Control::Compliant(_) => Mode::Disabled,
    }
}

/// The time of day as the official models write it.
fn now() -> String {
    humantime::format_rfc3339_micros(calendar()).to_string()
}

/// The routes; `robot` also tells all clients of the SDK how the body is, for as long as the server runs.
pub(super) fn routes(robot: Arc<Robot>) -> Router {
    tokio::spawn(sdk::tell(robot.clone()));
    Router::new()
        .merge(state::routes())
        .merge(moves::routes())
        .merge(motors::routes())
        .merge(daemon::routes())
        .merge(device::routes())
        .merge(absent::routes())
        .merge(sdk::routes())
        .with_state(robot)
}
