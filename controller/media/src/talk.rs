//! A client that talks through the robot's speaker over a WebSocket ([`Talk`]).

use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use minismith_voice::audio::StreamResampler;
use minismith_voice::devices::{Pace, Speaker};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::sounds::{SoundError, Sounds};

/// Maximum size of a message, bytes.
pub const MAX_TALK_BYTES: usize = 64 << 10;

/// How much sound is queued: enough for the unsteadiness of a wireless network.
const QUEUE_CAPACITY: Duration = Duration::from_millis(400);

/// The longest time without sound.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(10);

/// The longest connection.
const TALK_TIMEOUT: Duration = Duration::from_secs(120);

/// A client that talks.
pub struct Talk {
    speaker: Speaker,
    flow: StreamResampler,
    rate: u32,
    silenced: watch::Receiver<u64>,
}

impl Talk {
    /// Opens the speaker, which may take a moment, for sound at a rate in Hz. It interrupts a sound that plays.
    ///
    /// # Errors
    /// When there is no speaker, or it cannot be used.
    pub fn open(sounds: &Arc<Sounds>, rate: u32) -> Result<Self, SoundError> {
        sounds.stop();
        let speaker = Speaker::open(sounds.speaker()?, Pace::Device, QUEUE_CAPACITY)?;
        let flow = StreamResampler::new(rate, speaker.rate())?;
        Ok(Talk { speaker, flow, rate, silenced: sounds.silenced() })
    }

    /// Plays what arrives until either side ends it and all is played. Returns how many seconds of sound have arrived.
    pub async fn run(mut self, mut socket: WebSocket) -> f64 {
        let mut samples = 0;
        let limit = Some((close_code::POLICY, "a talk may last two minutes; begin another one"));
        let why = timeout(TALK_TIMEOUT, self.read(&mut socket, &mut samples)).await.unwrap_or(limit);
        if let Some((code, reason)) = why {
            let _closed = socket.send(Message::Close(Some(CloseFrame { code, reason: reason.into() }))).await;
        }
        drop(socket);
        let seconds = f64::from(samples) / f64::from(self.rate);
        let _played = tokio::task::spawn_blocking(move || self.speaker.wait(2 * QUEUE_CAPACITY)).await;
        seconds
    }

    /// Plays what arrives, and counts its samples. Returns why the server closes the connection; none if the client does.
    async fn read(&mut self, socket: &mut WebSocket, samples: &mut u32) -> Option<(u16, &'static str)> {
        loop {
            let message = tokio::select! {
                message = timeout(SILENCE_TIMEOUT, socket.recv()) => message,
                // The sounds last as long as the server.
                _ = self.silenced.changed() => {
                    self.speaker.stop();
                    continue;
                }
            };
            match message {
                Err(_) => return Some((close_code::POLICY, "no sound arrived for ten seconds; begin again")),
                Ok(Some(Ok(Message::Binary(bytes)))) => match self.play(&bytes) {
                    Some(played) => *samples = samples.saturating_add(played),
                    None => return Some((close_code::UNSUPPORTED, "invalid audio: send pairs of bytes")),
                },
                Ok(Some(Ok(Message::Close(_)) | Err(_)) | None) => return None,
                Ok(Some(Ok(_))) => {}
            }
            if self.speaker.health().is_lost {
                return Some((close_code::ERROR, "the speaker failed; see the log of the server"));
            }
        }
    }

    /// Queues sound and returns its number of samples; none if the bytes are no sound.
    fn play(&mut self, bytes: &[u8]) -> Option<u32> {
        let (pairs, rest) = bytes.as_chunks::<2>();
        if !rest.is_empty() {
            return None;
        }
        let samples: Vec<f32> =
            pairs.iter().map(|pair| f32::from(i16::from_le_bytes(*pair)) / 32768.0).collect();
        let _queued = self.speaker.play(&self.flow.push(&samples));
        u32::try_from(samples.len()).ok()
    }
}
