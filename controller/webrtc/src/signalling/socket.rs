//! Signalling over a WebSocket at `/`, as GStreamer's signalling server does it: for `webrtcsrc` and the official Python SDK.

use std::time::Duration;

use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade, rejection::WebSocketUpgradeRejection};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::Value;
use tokio::time::{MissedTickBehavior, interval};

use super::asking::Asking;
use super::hub::{Hub, Listening, PRODUCER_NAME};
use super::message::{self, PeerMessage};
use crate::controller::Credentials;
use crate::transport::PeerKind;

/// The interval at which the peer is asked whether it is there. A peer that is silent for two of them has gone.
const PING_INTERVAL: Duration = Duration::from_secs(30);

/// Opens a WebSocket, if the controller accepts the peer.
pub async fn open(
    State(hub): State<Hub>,
    asking: Asking,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Response {
    let Ok(upgrade) = upgrade else {
        let about = "WebRTC signalling of Minismith: /events and /send for browsers, or a WebSocket here\n";
        return (StatusCode::OK, about).into_response();
    };
    match hub.listen(asking.who.clone(), &asking.agent, PeerKind::GStreamer).await {
        Ok(listening) => upgrade
            .max_message_size(message::MAX_MESSAGE_BYTES)
            .max_frame_size(message::MAX_MESSAGE_BYTES)
            .on_upgrade(|socket| converse(socket, hub, asking.who, listening)),
        Err(error) => error.into_response(),
    }
}

async fn converse(mut socket: WebSocket, hub: Hub, who: Credentials, mut listening: Listening) {
    let mut pings = interval(PING_INTERVAL);
    pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut silent = 0;
    loop {
        let sent = tokio::select! {
            message = listening.inbox.recv() => match message {
                Some(message) => say(&mut socket, &message).await,
                None => return,
            },
            received = socket.recv() => match received {
                Some(Ok(Message::Text(text))) => {
                    silent = 0;
                    match answer(&hub, &who, &listening.id, &text).await {
                        Some(answer) => say(&mut socket, &answer).await,
                        None => true,
                    }
                }
                Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                Some(Ok(_)) => {
                    silent = 0;
                    true
                }
            },
            _ = pings.tick() => {
                silent += 1;
                silent <= 2 && socket.send(Message::Ping(Default::default())).await.is_ok()
            }
        };
        if !sent {
            return;
        }
    }
}

async fn say(socket: &mut WebSocket, message: &Value) -> bool {
    socket.send(Message::Text(message.to_string().into())).await.is_ok()
}

/// Returns the response to a message, if it has one here.
async fn answer(hub: &Hub, who: &Credentials, listener: &str, text: &str) -> Option<Value> {
    let message = match message::read(text) {
        Ok(message) => message,
        Err(details) => return Some(message::error(&details)),
    };
    // Clients look for the name that the official daemon has here.
    if message == (PeerMessage::List {}) {
        return Some(message::list(hub.robot(), PRODUCER_NAME));
    }
    // What a session has begun with is in the queue, and the rest needs no response.
    hub.take(who, Some(listener), message).await.err().map(|error| message::error(&error.to_string()))
}
