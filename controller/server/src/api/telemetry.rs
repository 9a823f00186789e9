//! `GET /api/v1/telemetry?rate=50&format=json`: streams the robot's state over a WebSocket at a chosen rate. The client can
//! stop the robot over the same connection.
//!
//! `rate` is in Hz, from 1 to the rate of the control loop; higher values are reduced to that rate. Frames are sent at
//! multiples of the period after the first frame, so the rate does not drift. A late frame is skipped, and every frame
//! holds the state at the time of sending. The server sends pings along with the frames. While a ping is unanswered it
//! sends at most half a second of frames, so a slow client has no backlog and soon reads current frames again.
//!
//! `format=json` sends text messages, in degrees and millimetres as in `/api/v1/state`:
//!
//! ```text
//! {"cycles": 1234, "at_s": 12.34, "motion_state": "moving", "fault": null, "present_deg": [nine], "goal_deg": [nine],
//!  "torque": [nine], "posture": {"x_mm": ..., "yaw_deg": ..., "body_yaw_deg": ..., "antennas_deg": [right, left], ...}}
//! ```
//!
//! The client may send `{"type": "stop"}`, to which the server responds `{"type": "stopped", "motion_state", "cycles"}` once
//! the robot is at rest, and `{"type": "ping", "sent": any}`, to which it responds `{"type": "pong", "sent": any}`. These
//! messages are text in both formats. Fields also have their old names.
//!
//! `format=binary` sends binary messages of 136 bytes, little-endian, in metres and radians; unknown values are NaN. Motors
//! are in the order of their ids: body_rotation, stewart_1 to stewart_6, right_antenna, left_antenna.
//!
//! ```text
//!   0  u8       version of this layout, 1
//!   1  u8       motion state: 0 holding, 1 moving, 2 stopping, 3 torque off, 4 hand guiding, 5 stowing
//!   2  u16      bit 0: the robot has a fault; bit 1: the envelope clamps the current motion
//!   4  u32      number of this frame, from 0, including skipped frames
//!   8  u64      control cycles since the start
//!  16  u64      timestamp of the state, nanoseconds of the control loop's clock
//!  24  9 f32    present positions
//!  60  9 f32    goal positions
//!  96  6 f32    head: x, y, z, roll, pitch, yaw
//! 120  f32      body yaw
//! 124  2 f32    antennas: right, left
//! 132  u16      bit n: torque of motor n is enabled
//! 134  u16      bit n: the position of motor n is not from this cycle
//! ```

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use axum::routing::any;
use firmware_bridge::control_loop::{ControlLoopHandle, LoopClient, LoopSnapshot, MotionState};
use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::robot::PositionReading;
use minismith_protocol::old_names::http;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::time::{MissedTickBehavior, interval};

use super::caller::MessageAuthor;
use super::extract::{ApiError, QueryParams, unprocessable};
use super::names::both;
use super::robot::{AtRest, NOT_CONFIRMED, motion_state, stop_now};
use minismith_control::snapshot::posture_of;
use minismith_runtime::report::{PostureReport, round_for_display};
use minismith_runtime::role::Role;

/// Maximum size of a client's message, bytes.
const MAX_MESSAGE_BYTES: usize = 4 << 10;

/// Version of the binary layout.
const LAYOUT: u8 = 1;

/// Length of a binary frame, bytes.
const LENGTH: usize = 136;

pub(super) fn routes(control_loop: ControlLoopHandle) -> Router {
    Router::new().route("/api/v1/telemetry", any(open)).with_state(control_loop)
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Format {
    #[default]
    Json,
    Binary,
}

#[derive(Deserialize)]
struct StreamQuery {
    #[serde(default = "fifty")]
    rate: f64,
    #[serde(default)]
    format: Format,
}

const fn fifty() -> f64 {
    50.0
}

async fn open(
    State(control_loop): State<ControlLoopHandle>,
    speaker: MessageAuthor,
    QueryParams(StreamQuery { rate, format }): QueryParams<StreamQuery>,
    upgrade: WebSocketUpgrade,
) -> Result<Response, ApiError> {
    speaker.caller.require_role(Role::Viewer)?;
    if !(1.0..=1e6).contains(&rate) {
        return Err(unprocessable("query.rate", "`rate` is out of range: use 1 Hz or more"));
    }
    let period = Duration::from_secs_f64(rate.recip()).max(control_loop.period());
    Ok(upgrade
        .max_message_size(MAX_MESSAGE_BYTES)
        .on_upgrade(move |socket| report(socket, control_loop, period, format, speaker)))
}

/// How long a ping may stay unanswered before the connection ends, seconds.
const PONG_TIMEOUT_S: f64 = 30.0;

/// Limits how many frames a client may fall behind.
struct Pace {
    /// Frames since the unanswered ping, including skipped ones; `None` when no ping is pending.
    owed: Option<u32>,
    /// Maximum number of frames that are sent while a ping is pending.
    most: u32,
    /// Number of frames after which the connection ends.
    last: u32,
}

impl Pace {
    fn new(period: Duration) -> Self {
        let frames = |seconds: f64| (seconds / period.as_secs_f64()) as u32;
        Pace { owed: None, most: frames(0.5).max(1), last: frames(PONG_TIMEOUT_S) }
    }

    /// Counts a skipped frame; returns whether the connection goes on.
    fn skipped(&mut self) -> bool {
        let owed = self.owed.get_or_insert_default();
        *owed += 1;
        *owed < self.last
    }

    /// Returns whether a frame may be sent.
    fn is_free(&self) -> bool {
        self.owed.is_none_or(|owed| owed < self.most)
    }

    /// Counts a sent frame; returns whether to send a ping after it.
    fn sent(&mut self) -> bool {
        match &mut self.owed {
            Some(owed) => {
                *owed += 1;
                false
            }
            owed @ None => {
                *owed = Some(0);
                true
            }
        }
    }
}

/// A message from the client.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ClientMessage {
    Stop,
    Ping {
        #[serde(default)]
        sent: Value,
    },
}

/// The response to a message from the client.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Answer {
    Stopped(AtRest),
    Pong { sent: Value },
    Refused { reason: &'static str },
}

/// A stop that is in progress while frames go on.
pub(super) type Stopping = Option<Pin<Box<dyn Future<Output = Option<AtRest>> + Send>>>;

/// Returns the immediate response. A stop has none: its response comes once the robot is at rest.
fn heard(
    text: &str,
    control_loop: &ControlLoopHandle,
    speaker: &MessageAuthor,
    stopping: &mut Stopping,
) -> Option<Answer> {
    match serde_json::from_str(text) {
        Ok(ClientMessage::Stop) => {
            speaker.note("stop over the telemetry", "braking");
            // A stop in progress serves this request, too.
            stopping.get_or_insert_with(|| Box::pin(stop_now(control_loop.clone())));
            None
        }
        Ok(ClientMessage::Ping { sent }) => Some(Answer::Pong { sent }),
        Err(_) => Some(Answer::Refused {
            reason: "unknown message; send {\"type\": \"stop\"} or {\"type\": \"ping\", \"sent\": any}",
        }),
    }
}

/// Waits for the stop in progress and returns its response.
pub(super) async fn stopped(stopping: &mut Stopping) -> Answer {
    let Some(under_way) = stopping else { return std::future::pending().await };
    let rest = under_way.await;
    *stopping = None;
    rest.map_or(Answer::Refused { reason: NOT_CONFIRMED }, Answer::Stopped)
}

pub(super) fn text(answer: &Answer) -> Message {
    json(answer)
}

fn json(document: &impl Serialize) -> Message {
    Message::Text(both(&http::TELEMETRY, document).0.to_string().into())
}

async fn report(
    mut socket: WebSocket,
    control_loop: ControlLoopHandle,
    period: Duration,
    format: Format,
    speaker: MessageAuthor,
) {
    let mut stopping: Stopping = None;
    let mut ticks = interval(period);
    let mut began = None;
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let mut pace = Pace::new(period);
    loop {
        tokio::select! {
            due = ticks.tick() => {
                let began = *began.get_or_insert(due);
                if !pace.is_free() {
                    if pace.skipped() {
                        continue;
                    }
                    return;
                }
                let number = (due.duration_since(began).as_secs_f64() / period.as_secs_f64()).round() as u32;
                let message = worded(&control_loop.snapshot(), number, format);
                if socket.send(message).await.is_err() {
                    return;
                }
                if pace.sent() && socket.send(Message::Ping(Vec::new().into())).await.is_err() {
                    return;
                }
            }
            message = socket.recv() => match message {
                Some(Ok(Message::Pong(_))) => pace.owed = None,
                Some(Ok(Message::Text(said))) => {
                    if let Some(answer) = heard(&said, &control_loop, &speaker, &mut stopping)
                        && socket.send(text(&answer)).await.is_err()
                    {
                        return;
                    }
                }
                Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                Some(Ok(_)) => {}
            },
            answer = stopped(&mut stopping) => {
                if socket.send(text(&answer)).await.is_err() {
                    return;
                }
            }
        }
    }
}

#[derive(Serialize)]
struct Frame {
    cycles: u64,
    at_s: f64,
    motion_state: &'static str,
    fault: Option<String>,
    present_deg: [Option<f64>; 9],
    goal_deg: [f64; 9],
    torque: [bool; 9],
    posture: Option<PostureReport>,
}

fn worded(snapshot: &LoopSnapshot, number: u32, format: Format) -> Message {
    match format {
        Format::Binary => Message::Binary(packed(snapshot, number).into()),
        Format::Json => {
            let frame = Frame {
                cycles: snapshot.cycles,
                at_s: snapshot.state.time.seconds(),
                motion_state: motion_state(snapshot.motion_state),
                fault: snapshot.fault.as_ref().map(ToString::to_string),
                present_deg: *snapshot
                    .state
                    .readings
                    .map(|reading| reading.known().map(|angle| round_for_display(angle.degrees())))
                    .as_array(),
                goal_deg: *snapshot.goal.map(|angle| round_for_display(angle.degrees())).as_array(),
                torque: *snapshot.state.torque.as_array(),
                posture: posture_of(snapshot).as_ref().map(PostureReport::from),
            };
            json(&frame)
        }
    }
}

/// Encodes a frame in the binary layout above.
fn packed(snapshot: &LoopSnapshot, number: u32) -> Vec<u8> {
    let doing: u8 = match snapshot.motion_state {
        MotionState::Holding => 0,
        MotionState::Moving => 1,
        MotionState::Stopping => 2,
        MotionState::TorqueOff => 3,
        MotionState::HandGuiding => 4,
        MotionState::Stowing => 5,
    };
    let bits = |is: &dyn Fn(Joint) -> bool| {
        Joints::from_fn(is).iter().fold(0_u16, |bits, (joint, is)| bits | u16::from(*is) << joint.index())
    };
    let mut bytes = Vec::with_capacity(LENGTH);
    bytes.extend([LAYOUT, doing]);
    let moves = matches!(snapshot.motion_state, MotionState::Moving | MotionState::Stopping);
    let is_clamped = moves && snapshot.clamps.0.iter().any(|(_, count)| count.is_some());
    bytes.extend((u16::from(snapshot.fault.is_some()) | u16::from(is_clamped) << 1).to_le_bytes());
    bytes.extend(number.to_le_bytes());
    bytes.extend(snapshot.cycles.to_le_bytes());
    bytes.extend(snapshot.state.time.0.to_le_bytes());
    let mut numbers = |values: &[f64]| {
        values.iter().for_each(|value| bytes.extend((*value as f32).to_le_bytes()));
    };
    let present = |reading: PositionReading| reading.known().map_or(f64::NAN, |angle| angle.value());
    numbers(snapshot.state.readings.map(present).as_array());
    numbers(snapshot.goal.map(|angle| angle.value()).as_array());
    match posture_of(snapshot) {
        Some(posture) => {
            let (at, angles) = (posture.head.0.translation, posture.head.angles());
            let [roll, pitch, yaw] = [angles.roll, angles.pitch, angles.yaw].map(|angle| angle.value());
            numbers(&[at.x, at.y, at.z, roll, pitch, yaw, posture.body_yaw.value()]);
            numbers(&[posture.antennas.right.value(), posture.antennas.left.value()]);
        }
        None => numbers(&[f64::NAN; 9]),
    }
    bytes.extend(bits(&|joint| snapshot.state.torque[joint]).to_le_bytes());
    bytes.extend(
        bits(&|joint| !matches!(snapshot.state.readings[joint], PositionReading::Fresh(_))).to_le_bytes(),
    );
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_a_silent_client_to_half_a_second_of_frames() {
        let mut pace = Pace::new(Duration::from_millis(20));
        let (mut frames, mut pings) = (0, 0);
        while pace.is_free() {
            frames += 1;
            pings += u32::from(pace.sent());
            assert!(frames < 100);
        }
        assert_eq!((frames, pings), (26, 1));
        let skipped = (0..).take_while(|_| pace.skipped()).count();
        assert!((1470..1500).contains(&skipped), "the connection ends after {skipped} frames");
        pace.owed = None;
        assert!(pace.is_free());
        // At 1 Hz, one frame may follow the one with the ping.
        let mut slow = Pace::new(Duration::from_secs(1));
        assert!(slow.sent() && slow.is_free() && !slow.sent() && !slow.is_free());
    }
}
