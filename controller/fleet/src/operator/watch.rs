//! Shows what happens in a fleet ([`Operator::watch`]).

use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use zenoh::handlers::RingChannel;
use zenoh::sample::{Sample, SampleKind};

use super::Operator;
use super::print;
use super::roster::Roster;
use crate::keys::{Name, last_of, robot_of};
use crate::messages::Event;
use crate::net;

/// How many messages may wait to be printed.
const CAPACITY: usize = 256;

/// How many states may wait before that.
const STATE_CAPACITY: usize = 64;

/// The largest message that is read, bytes.
const MAX_MESSAGE_BYTES: usize = 256 << 10;

/// Something to show.
struct Shown {
    robot: Name,
    kind: &'static str,
    data: Value,
    received_ms: f64,
}

impl Operator {
    /// Prints what happens, until the time is over or the task is dropped.
    ///
    /// # Errors
    /// If the session is closed.
    pub async fn watch(&self, with_state: bool, time: Option<Duration>, as_json: bool) -> zenoh::Result<()> {
        // The clocks of those that are here say how long their messages take.
        let roster = self.roster().await?;
        let (sender, receiver) = channel(CAPACITY);
        let presence = sender.clone();
        let _presence = self
            .session
            .liveliness()
            .declare_subscriber(self.all.of_kind("alive"))
            .history(true)
            .callback(move |sample| {
                let kind = if sample.kind() == SampleKind::Put { "present" } else { "gone" };
                pass(&presence, &sample, kind, Value::Null);
            })
            .await?;
        let mut subscribers = Vec::new();
        for kind in ["events", "status"] {
            let sender = sender.clone();
            let subscribed = self
                .session
                .declare_subscriber(self.all.of_kind(kind))
                .callback(move |sample| {
                    if let Some(data) = read(&sample) {
                        let kind =
                            if last_of(sample.key_expr().as_str()) == "events" { "event" } else { "status" };
                        pass(&sender, &sample, kind, data);
                    }
                })
                .await?;
            subscribers.push(subscribed);
        }
        let states = match with_state {
            true => {
                let ring = RingChannel::new(STATE_CAPACITY);
                Some(self.session.declare_subscriber(self.all.of_kind("state")).with(ring).await?)
            }
            false => None,
        };
        // Where the output is slow, the oldest states make room for new ones.
        let passing = async {
            let Some(states) = states else { return std::future::pending().await };
            while let Ok(sample) = states.recv_async().await {
                let (robot, data) = (robot_of(sample.key_expr().as_str()), read(&sample));
                if let Some((robot, data)) = robot.zip(data) {
                    let shown = Shown { robot, kind: "state", data, received_ms: net::now_ms() };
                    let _ended = sender.send(shown).await;
                }
            }
        };
        let showing = show(receiver, &roster, as_json);
        let over = async {
            match time {
                Some(time) => tokio::time::sleep(time).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = showing => {}
            () = passing => {}
            () = over => {}
        }
        Ok(())
    }
}

/// Reads a message of bounded length.
pub(super) fn read(sample: &Sample) -> Option<Value> {
    let payload = sample.payload();
    (payload.len() <= MAX_MESSAGE_BYTES).then(|| serde_json::from_slice(&payload.to_bytes()).ok()).flatten()
}

/// Passes a message on, without waiting.
fn pass(sender: &Sender<Shown>, sample: &Sample, kind: &'static str, data: Value) {
    if let Some(robot) = robot_of(sample.key_expr().as_str()) {
        let _full = sender.try_send(Shown { robot, kind, data, received_ms: net::now_ms() });
    }
}

async fn show(mut receiver: Receiver<Shown>, roster: &Roster, as_json: bool) {
    while let Some(Shown { robot, kind, data, received_ms }) = receiver.recv().await {
        if as_json {
            let clock = roster.get(&robot).and_then(|robot| robot.clock);
            let sent_ms = data
                .get("time_ms")
                .and_then(Value::as_f64)
                .zip(clock)
                .map(|(at, clock)| at - clock.offset_ms);
            let delay_ms = sent_ms.map(|sent_ms| received_ms - sent_ms);
            print::document(&json!({ "robot": robot, "kind": kind, "delay_ms": delay_ms, "data": data }));
            continue;
        }
        match kind {
            "present" | "gone" => print::line(&format!("{robot} is {kind}")),
            "event" => {
                let Ok(event) = serde_json::from_value::<Event>(data) else { continue };
                let caller = event.caller.map(|caller| format!(" ({caller})")).unwrap_or_default();
                let message: String = event.message.chars().filter(|one| !one.is_control()).collect();
                print::line(&format!("{robot}: {}{caller}: {message}", event.event.replace('_', " ")));
            }
            "state" => {
                let motion = data.get("motion_state").and_then(Value::as_str).unwrap_or("unknown").to_owned();
                let yaw = data.pointer("/posture/yaw_deg").and_then(Value::as_f64).unwrap_or(f64::NAN);
                print::line(&format!("{robot}: {motion}, head yaw {yaw:.1}°"));
            }
            _ => {}
        }
    }
}
