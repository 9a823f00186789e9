//! `GET /api/v1/language-server`: the language server for tools over a WebSocket, for the editor of the page.
//!
//! Each text message is one message of the Language Server Protocol (JSON-RPC), without the frames of standard input and output.
//! It is the server of `minismith lsp` with what a client on another computer may have: diagnostics, completion, hover and quick
//! fixes. Documents have addresses such as `minismith:tool.py`. Files of this computer are not read; a page rehearses over
//! `/api/v1/tools/check`.
//!
//! The number of editors, their documents and the size of a message are bounded. The server closes the connection of an editor
//! that sends nothing for ten minutes; an editor that is used again opens another one.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade, close_code};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::any;
use minismith_language_server::{Client, Settings, serve_messages};
use minismith_runtime::config::{Config, Limits};
use minismith_runtime::role::Role;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{interval, timeout};

use super::caller::MessageAuthor;
use super::extract::{ApiError, upgraded};

/// Maximum number of open editors. Each has two threads.
const MAX_EDITORS: usize = 4;

/// Maximum size of a client's message, bytes: more than a tool of the maximum size needs.
const MAX_MESSAGE_BYTES: usize = 512 << 10;

/// Maximum number of messages that wait, in each direction. A client that sends more has to wait.
const QUEUE: usize = 64;

/// Minutes without a message after which the connection ends.
const IDLE_TIMEOUT_MIN: u32 = 10;

const MINUTE: Duration = Duration::from_secs(60);

/// Timeout for sending one message.
const SEND_TIMEOUT: Duration = Duration::from_secs(10);

/// The state that the handlers share.
#[derive(Clone)]
struct Editors {
    limits: Limits,
    free: Arc<Semaphore>,
}

pub(super) fn routes(config: &Config) -> Router {
    let editors = Editors { limits: config.limits, free: Arc::new(Semaphore::new(MAX_EDITORS)) };
    Router::new().route("/api/v1/language-server", any(open)).with_state(editors)
}

async fn open(
    State(Editors { limits, free }): State<Editors>,
    author: MessageAuthor,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, ApiError> {
    author.caller.require_role(Role::Engineer)?;
    let permit = free.try_acquire_owned().map_err(|_| {
        let why = format!(
            "too many editors: {MAX_EDITORS} others are open, {MAX_EDITORS} allowed; close one of them"
        );
        ApiError::new(StatusCode::CONFLICT, &why)
    })?;
    Ok(upgraded(upgrade, MAX_MESSAGE_BYTES, move |socket| converse(socket, limits, permit)))
}

/// Passes messages between the WebSocket and the threads of the language server until either ends.
async fn converse(mut socket: WebSocket, limits: Limits, permit: OwnedSemaphorePermit) {
    let (messages, received) = channel(QUEUE);
    let (outgoing, mut answers) = channel(QUEUE);
    let serving = tokio::task::spawn_blocking(move || serve(limits, received, outgoing, permit));
    let mut minutes = interval(MINUTE);
    let mut idle_min = 0;
    loop {
        tokio::select! {
            message = socket.recv() => match message {
                Some(Ok(Message::Text(text))) => {
                    idle_min = 0;
                    if !pass(&messages, text.to_string(), &mut socket, &mut answers).await {
                        break;
                    }
                }
                // The library answers pings.
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                _ => break,
            },
            answer = answers.recv() => {
                let Some(answer) = answer else { break };
                if !send(&mut socket, answer).await {
                    break;
                }
            }
            _ = minutes.tick() => {
                idle_min += 1;
                // The first tick comes at once.
                if idle_min <= IDLE_TIMEOUT_MIN {
                    continue;
                }
                let reason = CloseFrame { code: close_code::AWAY, reason: "idle for ten minutes".into() };
                let _ = timeout(SEND_TIMEOUT, socket.send(Message::Close(Some(reason)))).await;
                break;
            }
        }
    }
    // The threads end when they find their queues closed.
    drop((messages, answers));
    let _ = serving.await;
}

/// Queues a message, and goes on sending answers until there is room for it. Returns whether both sides go on.
async fn pass(
    messages: &Sender<String>,
    text: String,
    socket: &mut WebSocket,
    answers: &mut Receiver<String>,
) -> bool {
    loop {
        tokio::select! {
            room = messages.reserve() => {
                let Ok(room) = room else { return false };
                room.send(text);
                return true;
            }
            answer = answers.recv() => {
                let Some(answer) = answer else { return false };
                if !send(socket, answer).await {
                    return false;
                }
            }
        }
    }
}

async fn send(socket: &mut WebSocket, answer: String) -> bool {
    matches!(timeout(SEND_TIMEOUT, socket.send(Message::Text(answer.into()))).await, Ok(Ok(())))
}

/// Answers the messages of one editor. The permit goes along, so that it is held as long as the threads exist.
fn serve(
    limits: Limits,
    mut received: Receiver<String>,
    outgoing: Sender<String>,
    permit: OwnedSemaphorePermit,
) {
    let messages = std::iter::from_fn(move || received.blocking_recv());
    let output = move |text| outgoing.blocking_send(text).map_err(std::io::Error::other);
    if let Err(error) = serve_messages(Settings { limits, client: Client::Page }, messages, output) {
        tracing::debug!("the connection of an editor ended: {error}");
    }
    drop(permit);
}
