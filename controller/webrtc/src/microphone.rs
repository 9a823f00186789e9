//! The robot's microphone for one peer ([`MicrophoneLink`]): read from the controller with the peer's rights, and encoded.
//!
//! Thread: one task per session. Frames that the session does not take in time are dropped.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_tungstenite::tungstenite::Message;

use crate::controller::{Controller, ControllerError, Credentials, MICROPHONE_PATH};
use crate::net;
use crate::opus::{MICROPHONE_HZ, SoundEncoder};

/// Frames that wait for the session: 320 ms.
const QUEUE_CAPACITY: usize = 16;

/// The time between two attempts to open the microphone: it grows while they fail.
const MIN_RETRY_INTERVAL: Duration = Duration::from_secs(1);
const MAX_RETRY_INTERVAL: Duration = Duration::from_secs(30);

/// The time without sound after which the microphone is opened again.
const STALL_TIMEOUT: Duration = Duration::from_secs(10);

/// A frame of the microphone.
#[derive(Debug)]
pub struct SoundFrame {
    /// The Opus packet.
    pub bytes: Vec<u8>,
    /// When its sound was received.
    pub at: Instant,
}

/// The microphone of one peer. It is no longer read when this is dropped.
pub struct MicrophoneLink {
    frames: mpsc::Receiver<SoundFrame>,
    _task: JoinSet<()>,
}

impl MicrophoneLink {
    /// Begins to read the microphone.
    #[must_use]
    pub fn open(controller: Controller, who: Arc<Credentials>) -> Self {
        let (outbox, frames) = mpsc::channel(QUEUE_CAPACITY);
        let mut task = JoinSet::new();
        task.spawn(run(controller, who, outbox));
        MicrophoneLink { frames, _task: task }
    }

    /// Waits for the next frame. Nothing is lost if the future is dropped.
    pub async fn next(&mut self) -> SoundFrame {
        match self.frames.recv().await {
            Some(frame) => frame,
            // The peer may not hear the microphone.
            None => std::future::pending().await,
        }
    }
}

async fn run(controller: Controller, who: Arc<Credentials>, frames: mpsc::Sender<SoundFrame>) {
    let mut interval = MIN_RETRY_INTERVAL;
    let mut reported = String::new();
    loop {
        let mut has_sound = false;
        let failure = match read(&controller, &who, &frames, &mut has_sound).await {
            Ok(()) => return,
            Err(failure) => failure,
        };
        let is_final = matches!(&failure, SoundFailure::Controller(error) if error.is_final());
        // Said once, not at each attempt.
        let failure = failure.to_string();
        if failure != reported {
            tracing::warn!("a peer does not hear the microphone: {failure}");
            reported = failure;
        }
        if is_final {
            return;
        }
        interval = if has_sound { MIN_RETRY_INTERVAL } else { (interval * 2).min(MAX_RETRY_INTERVAL) };
        sleep(interval).await;
    }
}

/// Reports why the sound of the microphone has ended.
#[derive(Debug, thiserror::Error)]
enum SoundFailure {
    /// The controller does not give it.
    #[error(transparent)]
    Controller(#[from] ControllerError),
    /// The controller has ended it, or what it sends is no sound.
    #[error("{0}")]
    Ended(String),
}

/// Reads the microphone until the session has ended.
async fn read(
    controller: &Controller,
    who: &Credentials,
    frames: &mpsc::Sender<SoundFrame>,
    has_sound: &mut bool,
) -> Result<(), SoundFailure> {
    let ended = |why: &dyn std::fmt::Display| SoundFailure::Ended(why.to_string());
    let mut encoder = SoundEncoder::new().map_err(|error| ended(&error))?;
    let mut socket = controller.socket(&format!("{MICROPHONE_PATH}?rate={MICROPHONE_HZ}"), who).await?;
    loop {
        let message = timeout(STALL_TIMEOUT, socket.next()).await;
        let message = message.map_err(|_| ended(&"no sound arrives"))?;
        match message.ok_or_else(|| ended(&"the controller has ended it"))? {
            Ok(Message::Binary(bytes)) => {
                *has_sound = true;
                let at = net::now();
                for bytes in encoder.encode(&bytes).map_err(|error| ended(&error))? {
                    if let Err(mpsc::error::TrySendError::Closed(_)) =
                        frames.try_send(SoundFrame { bytes, at })
                    {
                        return Ok(());
                    }
                }
            }
            Ok(Message::Close(reason)) => {
                return Err(ended(&reason.map_or_else(String::new, |frame| frame.reason.to_string())));
            }
            Ok(_) => {}
            Err(error) => return Err(ended(&error)),
        }
    }
}
