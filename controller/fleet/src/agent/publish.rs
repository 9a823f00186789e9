//! What a robot publishes without being asked: its state at a chosen rate, its status once a second, and camera images while
//! somebody watches.
//!
//! State and images are best effort: where the network is slow, an old one is dropped and never delays a new one.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::time::{MissedTickBehavior, interval, sleep};
use tokio_tungstenite::tungstenite::Message;
use zenoh::bytes::Encoding;
use zenoh::pubsub::Publisher;
use zenoh::qos::{CongestionControl, Priority};

use super::shared::{Agent, Seen, json, lock};
use crate::net;

/// The interval of the status.
const STATUS_INTERVAL: Duration = Duration::from_secs(1);

/// The usage of tools is read once in this many intervals.
const USAGE_INTERVALS: u32 = 10;

/// The time between two attempts to reach the controller.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// How long the controller's telemetry may be silent.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(3);

/// The state of a robot, as published. Angles are in degrees; motors are in the order of their ids.
#[derive(Debug, Serialize)]
struct State<'a> {
    number: u64,
    time_ms: f64,
    #[serde(flatten)]
    frame: &'a Frame,
}

/// The part of the controller's telemetry that is published.
#[derive(Debug, Serialize, Deserialize)]
struct Frame {
    cycles: u64,
    motion_state: String,
    fault: Option<String>,
    present_deg: Value,
    goal_deg: Value,
    torque: Value,
    posture: Value,
}

/// The publishers of one robot.
pub struct Publishers {
    /// Of its state.
    pub state: Publisher<'static>,
    /// Of its status.
    pub status: Publisher<'static>,
    /// Of its camera images, if it is to publish them.
    pub camera: Option<Publisher<'static>>,
}

/// Declares the publishers, one after another: where threads of one session declare side by side, Zenoh 1.10 was seen to send a
/// key before its declaration, and what is published under it is lost.
///
/// # Errors
/// If the session is closed.
pub async fn declare(agent: &Agent) -> zenoh::Result<Publishers> {
    let of_kind = |kind: &str| {
        let publisher = agent.session.declare_publisher(agent.keys.of_kind(kind));
        publisher.congestion_control(CongestionControl::Drop)
    };
    let state = of_kind("state")
        .priority(Priority::InteractiveLow)
        .express(true)
        .encoding(Encoding::APPLICATION_JSON)
        .await?;
    let status = of_kind("status").encoding(Encoding::APPLICATION_JSON).await?;
    let camera = if agent.options.camera_hz > 0.0 {
        Some(of_kind("camera").priority(Priority::DataLow).encoding(Encoding::IMAGE_JPEG).await?)
    } else {
        None
    };
    Ok(Publishers { state, status, camera })
}

/// Publishes the state, and finds the controller again after it was lost.
pub async fn state(agent: Arc<Agent>, publisher: Publisher<'static>) {
    let mut number = 0;
    let mut is_reported = false;
    loop {
        match agent.controller.telemetry(agent.options.state_hz).await {
            Ok(mut telemetry) => {
                agent.has_controller.store(true, Ordering::Relaxed);
                if is_reported {
                    agent.report("controller_found", None, "the controller responds again".into()).await;
                }
                // A stop that holds also holds for a controller that was started again.
                agent.latched.notify_one();
                while let Ok(Some(Ok(message))) =
                    tokio::time::timeout(SILENCE_TIMEOUT, telemetry.next()).await
                {
                    let Message::Text(text) = message else {
                        // An answer to a ping waits in the socket until the next write.
                        let _flushed = telemetry.flush().await;
                        continue;
                    };
                    let Ok(frame) = serde_json::from_str::<Frame>(&text) else { continue };
                    let state = State { number, time_ms: net::now_ms(), frame: &frame };
                    let _sent = publisher.put(json(&state)).await;
                    number += 1;
                }
                agent.has_controller.store(false, Ordering::Relaxed);
                agent.report("controller_lost", None, "the controller does not respond".into()).await;
                is_reported = true;
            }
            Err(error) => {
                agent.has_controller.store(false, Ordering::Relaxed);
                if !is_reported {
                    agent.report("controller_lost", None, error.to_string()).await;
                    is_reported = true;
                }
            }
        }
        sleep(RETRY_INTERVAL).await;
    }
}

/// Publishes the status, and reads what it contains from the controller.
pub async fn status(agent: Arc<Agent>, publisher: Publisher<'static>) {
    let mut ticks = interval(STATUS_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    for round in 0_u32.. {
        ticks.tick().await;
        if let Ok(state) = agent.controller.get("/api/v1/state").await {
            lock(&agent.seen).state = Some(state);
        }
        let has_tools = !lock(&agent.store).memory.tools.is_empty();
        if has_tools && round.is_multiple_of(USAGE_INTERVALS) {
            usage(&agent).await;
        }
        let _sent = publisher.put(json(&agent.status())).await;
    }
}

/// Reads how often each tool ran.
async fn usage(agent: &Agent) {
    let Ok(list) = agent.controller.get("/api/v1/tools").await else { return };
    let tools = list.get("tools").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let usage = tools.iter().filter_map(|tool| {
        let count = |key: &str| tool.get("usage")?.get(key)?.as_u64();
        Some((tool.get("name")?.as_str()?.to_owned(), count("runs"), count("failures")))
    });
    let usage = usage.collect();
    let Seen { usage: known, .. } = &mut *lock(&agent.seen);
    *known = usage;
}

/// Publishes camera images as JPEG while somebody subscribes to them.
pub async fn camera(agent: Arc<Agent>, publisher: Publisher<'static>) {
    let mut ticks = interval(Duration::from_secs_f64(agent.options.camera_hz.recip()));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let is_watched = publisher.matching_status().await.is_ok_and(|status| status.matching());
        if is_watched && let Ok(image) = agent.controller.bytes("/api/v1/camera/snapshot").await {
            let _sent = publisher.put(image.to_vec()).await;
        }
    }
}
