//! Clients that hear the robot's microphone over WebSockets ([`SharedMicrophone`]).
//!
//! Thread: one reads the microphone while a client listens, and ends with the last one. All of them hear the same sound. A client
//! that is slow misses some.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use minismith_voice::HEARD_RATE;
use minismith_voice::audio::StreamResampler;
use minismith_voice::devices::{Microphone, Pace};
use tokio::sync::broadcast;
use tokio::time::timeout;

use crate::sounds::{SoundError, Sounds};

/// Clients that may listen at the same time: as many as there may be sessions of WebRTC.
const MAX_LISTENERS: usize = 8;

/// The time between two looks at the microphone: the length of a message.
const READ_INTERVAL: Duration = Duration::from_millis(20);

/// What the microphone holds while the thread is delayed. A device without a clock would deliver as fast as it is read, so no more
/// than this is read at a time.
const MICROPHONE_CAPACITY: Duration = Duration::from_millis(200);

/// Messages that wait for a slow client: a second.
const QUEUE_CAPACITY: usize = 50;

/// The longest time that a client may take for a message.
const SEND_TIMEOUT: Duration = Duration::from_secs(5);

/// A part of the microphone's sound, at [`HEARD_RATE`].
type Part = Arc<[f32]>;

/// The microphone of a server, which is open while a client listens.
pub struct SharedMicrophone {
    sounds: Arc<Sounds>,
    /// Where the thread sends what it hears; none while there is no thread.
    heard: Mutex<Option<broadcast::Sender<Part>>>,
}

impl SharedMicrophone {
    /// Returns the microphone of these sounds.
    #[must_use]
    pub fn new(sounds: Arc<Sounds>) -> Arc<Self> {
        Arc::new(SharedMicrophone { sounds, heard: Mutex::default() })
    }

    fn heard(&self) -> MutexGuard<'_, Option<broadcast::Sender<Part>>> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins to listen, with a rate in Hz. It may take a moment to open the device.
    ///
    /// # Errors
    /// When there is no microphone, it cannot be used, or too many clients listen.
    pub fn listen(self: &Arc<Self>, rate: u32) -> Result<Listener, SoundError> {
        let flow = StreamResampler::new(HEARD_RATE, rate)?;
        let mut heard = self.heard();
        if let Some(out) = heard.as_ref() {
            if out.receiver_count() >= MAX_LISTENERS {
                return Err(SoundError::Crowd(MAX_LISTENERS));
            }
            return Ok(Listener { parts: out.subscribe(), flow, rate });
        }
        let microphone = Microphone::open(self.sounds.microphone()?, Pace::Device, MICROPHONE_CAPACITY)?;
        let (out, parts) = broadcast::channel(QUEUE_CAPACITY);
        let (own, sender) = (self.clone(), out.clone());
        std::thread::Builder::new()
            .name("microphone".into())
            .spawn(move || own.read(&microphone, &sender))?;
        *heard = Some(out);
        Ok(Listener { parts, flow, rate })
    }

    /// Reads the microphone until it fails or the last client has gone.
    fn read(&self, microphone: &Microphone, out: &broadcast::Sender<Part>) {
        loop {
            std::thread::park_timeout(READ_INTERVAL);
            let samples = microphone.take(READ_INTERVAL);
            {
                let mut heard = self.heard();
                if out.receiver_count() == 0 || microphone.health().is_lost {
                    // The next client opens it again.
                    *heard = None;
                    return;
                }
            }
            if !samples.is_empty() {
                // The last client may have gone.
                let _heard = out.send(samples.into());
            }
        }
    }
}

/// A client that listens.
pub struct Listener {
    parts: broadcast::Receiver<Part>,
    flow: StreamResampler,
    rate: u32,
}

impl Listener {
    /// Sends what the microphone hears until either side ends it. Returns how many seconds of sound were sent.
    pub async fn run(mut self, mut socket: WebSocket) -> f64 {
        let mut samples: u64 = 0;
        loop {
            tokio::select! {
                part = self.parts.recv() => match part {
                    Ok(part) => {
                        let heard = self.flow.push(&part);
                        if heard.is_empty() {
                            continue;
                        }
                        samples += heard.len() as u64;
                        let sent = timeout(SEND_TIMEOUT, socket.send(Message::binary(to_bytes(&heard)))).await;
                        if !matches!(sent, Ok(Ok(()))) {
                            break;
                        }
                    }
                    Err(broadcast::error::RecvError::Lagged(_)) => {}
                    Err(broadcast::error::RecvError::Closed) => {
                        let reason = "the microphone failed; see the log of the server".into();
                        let close = Message::Close(Some(CloseFrame { code: close_code::ERROR, reason }));
                        let _closed = timeout(SEND_TIMEOUT, socket.send(close)).await;
                        break;
                    }
                },
                message = socket.recv() => if matches!(message, None | Some(Ok(Message::Close(_)) | Err(_))) {
                    break;
                },
            }
        }
        samples as f64 / f64::from(self.rate)
    }
}

/// Returns samples of 16 bits, little-endian.
fn to_bytes(samples: &[f32]) -> Vec<u8> {
    let scaled = |sample: &f32| (sample.clamp(-1.0, 1.0) * f32::from(i16::MAX)).round() as i16;
    samples.iter().flat_map(|sample| scaled(sample).to_le_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn without_a_microphone_nobody_listens() {
        let sounds = Arc::new(Sounds::new(None, None, Path::new("/nowhere")));
        let microphone = SharedMicrophone::new(sounds);
        assert!(matches!(microphone.listen(16_000), Err(SoundError::NoDevice(_))));
        assert!(matches!(microphone.listen(1), Err(SoundError::Invalid(_))));
    }

    #[test]
    fn samples_are_rounded_and_limited() {
        let bytes = to_bytes(&[0.0, 1.0, -1.0, 7.0, 0.5]);
        let samples: Vec<i16> =
            bytes.as_chunks::<2>().0.iter().map(|pair| i16::from_le_bytes(*pair)).collect();
        assert_eq!(samples, [0, 32_767, -32_767, 32_767, 16_384]);
    }
}
