//! The WebSocket of a conversation by voice: reads sound and words, writes what is told and spoken. Neither waits for the
//! other, so a stop is heard also from somebody who does not read.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use minismith_voice::audio::Flow;
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::{Notify, OwnedSemaphorePermit, watch};
use tokio::time::{interval, timeout};

use super::ROOM;
use super::thread::{Talking, Tell, begin, json};
use crate::api::caller::Speaker;
use crate::api::desk::Desk;
use crate::api::robot::halt;
use crate::api::telemetry::{Answer, Halting, halted, text};
use crate::voice::engine::Engines;
use crate::voice::feed::{Feeder, feed};
use crate::voice::sink::{Paced, Sound};
use crate::voice::{Brake, News, Parts};
use firmware_bridge::pulse::PulseHandle;
use minismith_control::body::Body;
use minismith_runtime::config::Voice;

/// The longest message that is taken, bytes.
const LONGEST_MESSAGE: usize = 64 << 10;

/// How much may wait for somebody who does not read: messages, of which sound has fifty a second.
const BACKLOG: usize = 600;

/// How long one message may take to be sent.
const SLOWEST: Duration = Duration::from_secs(10);

/// How often it is looked whether there still is somebody, and how many looks may be left unanswered.
const PING_EVERY: Duration = Duration::from_secs(10);
const UNANSWERED: u32 = 3;

/// After how many minutes without a word the seat is for others.
const IDLE: u32 = 10;

/// How long whoever is told why it ends may take to hear it.
const FAREWELL: Duration = Duration::from_secs(2);

/// What a conversation has of its own.
pub(super) struct Conversing {
    pub(super) engines: Engines,
    pub(super) voice: Voice,
    pub(super) flow: Flow,
    pub(super) rate: u32,
    pub(super) session: Option<String>,
    pub(super) seat: OwnedSemaphorePermit,
}

/// Where threads leave what is to be told. Nobody waits at it.
#[derive(Clone)]
pub(super) struct Outbox {
    queue: Sender<Message>,
    full: Arc<Notify>,
}

impl Outbox {
    pub(super) fn put(&self, message: Message) {
        // Whoever was told may have gone.
        if let Err(TrySendError::Full(_)) = self.queue.try_send(message) {
            self.full.notify_one();
        }
    }
}

/// What somebody says beside sound.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Word {
    End,
    Stop,
    Ping {
        #[serde(default)]
        sent: Value,
    },
}

/// Has the conversation until one of both ends it.
pub(super) async fn converse(
    socket: WebSocket,
    body: Arc<Body>,
    desk: Desk,
    speaker: Speaker,
    parts: Conversing,
) {
    let Conversing { engines, voice, flow, rate, session, seat } = parts;
    let (feeder, fed) = feed(ROOM);
    let (queue, waiting) = channel(BACKLOG);
    let outbox = Outbox { queue, full: Arc::default() };
    let (here, leaving) = watch::channel(());
    let (speaker, pulse) = (Arc::new(speaker), body.handle());
    let (spoken, told) = (outbox.clone(), outbox.clone());
    let sink = Paced::to(move |sound| match sound {
        Sound::Samples(samples) => spoken.put(Message::Binary(packed(samples).into())),
        // In its place among the samples.
        Sound::Cut => spoken.put(Message::Text(json(&News::Cut).into())),
    });
    let tell: Tell = Arc::new(move |document| told.put(Message::Text(document.into())));
    let talking = Talking { desk, speaker: speaker.clone(), session, tell, leaving };
    let parts = Parts { engines, source: Box::new(fed), sink: Box::new(sink) };
    let begun = begin(&body, &voice, parts, talking);
    // It is a way to the pulse, and no more of the body is needed.
    drop(body);
    let (mut sink, mut stream) = socket.split();
    let (brake, mut thread) = match begun {
        Ok(begun) => begun,
        Err(error) => {
            tracing::warn!(%error, "a conversation by voice could not begin");
            return part(sink, stream, close(close_code::ERROR, "the conversation could not begin")).await;
        }
    };
    let owed = AtomicU32::new(0);
    let mut ears = Ears { feeder, flow, rate, outbox: outbox.clone(), brake, pulse, speaker, halting: None };
    let why = tokio::select! {
        why = ears.read(&mut stream, &owed) => why,
        () = write(&mut sink, waiting, &owed) => None,
        () = outbox.full.notified() => close(close_code::POLICY, "what you are told is not read").into(),
        _ = &mut thread => close(close_code::ERROR, "the conversation came to its end").into(),
    };
    // The thread ends with these; whatever it began is halted.
    drop((ears, here));
    if let Some(why) = why {
        part(sink, stream, why).await;
    }
    if !thread.is_finished() {
        let _panicked = thread.await;
    }
    drop(seat);
}

fn close(code: u16, why: &'static str) -> CloseFrame {
    CloseFrame { code, reason: why.into() }
}

/// Says why it ends, and hears what is still on the way, so that it is not lost with the connection.
async fn part(mut sink: SplitSink<WebSocket, Message>, mut stream: SplitStream<WebSocket>, why: CloseFrame) {
    let farewell = async {
        if sink.send(Message::Close(Some(why))).await.is_ok() {
            while let Some(Ok(_)) = stream.next().await {}
        }
    };
    // Whoever does not listen is left.
    let _heard = timeout(FAREWELL, farewell).await;
}

/// Writes what waits, until it can't be written any more or nobody answers.
async fn write(sink: &mut SplitSink<WebSocket, Message>, mut waiting: Receiver<Message>, owed: &AtomicU32) {
    let mut pings = interval(PING_EVERY);
    loop {
        let message = tokio::select! {
            message = waiting.recv() => match message {
                Some(message) => message,
                None => return,
            },
            _ = pings.tick() => {
                if owed.fetch_add(1, Ordering::Relaxed) >= UNANSWERED {
                    return;
                }
                Message::Ping(Vec::new().into())
            }
        };
        if !matches!(timeout(SLOWEST, sink.send(message)).await, Ok(Ok(()))) {
            return;
        }
    }
}

/// What reads.
struct Ears {
    feeder: Feeder,
    flow: Flow,
    rate: u32,
    outbox: Outbox,
    brake: Brake,
    pulse: PulseHandle,
    speaker: Arc<Speaker>,
    halting: Halting,
}

impl Ears {
    /// Until nobody speaks any more; with why it ends, where that is to be said.
    async fn read(&mut self, stream: &mut SplitStream<WebSocket>, owed: &AtomicU32) -> Option<CloseFrame> {
        let (mut minutes, mut quiet) = (interval(Duration::from_mins(1)), 0);
        loop {
            tokio::select! {
                message = stream.next() => match message {
                    Some(Ok(Message::Binary(bytes))) => {
                        if let Err(why) = self.hear(&bytes) {
                            return Some(why);
                        }
                        quiet = 0;
                    }
                    Some(Ok(Message::Text(said))) => {
                        if said.len() > LONGEST_MESSAGE {
                            return Some(too_long());
                        }
                        self.word(&said);
                        quiet = 0;
                    }
                    Some(Ok(Message::Pong(_))) => owed.store(0, Ordering::Relaxed),
                    Some(Ok(Message::Ping(_))) => {}
                    Some(Ok(Message::Close(_))) | None => return None,
                    // Where the line is not broken, it hears why.
                    Some(Err(_)) => {
                        return Some(close(close_code::SIZE, "that can't be read; a message has 64 kB at most"));
                    }
                },
                answer = halted(&mut self.halting) => self.outbox.put(text(&answer)),
                _ = minutes.tick() => {
                    quiet += 1;
                    if quiet > IDLE {
                        return Some(close(close_code::AGAIN, "nothing was said for ten minutes"));
                    }
                }
            }
        }
    }

    fn hear(&mut self, bytes: &[u8]) -> Result<(), CloseFrame> {
        if bytes.len() > LONGEST_MESSAGE {
            return Err(too_long());
        }
        let (pairs, rest) = bytes.as_chunks::<2>();
        if !rest.is_empty() {
            let why = "samples have 16 bits: a binary message has an even number of bytes";
            return Err(close(close_code::INVALID, why));
        }
        let samples: Vec<f32> =
            pairs.iter().map(|pair| f32::from(i16::from_le_bytes(*pair)) / 32768.0).collect();
        self.feeder.push(&self.flow.push(&samples));
        Ok(())
    }

    fn word(&mut self, said: &str) {
        match serde_json::from_str(said) {
            // The ear's clock counts samples: with this second, what was said is over at once.
            Ok(Word::End) => self.feeder.push(&self.flow.push(&vec![0.0; self.rate as usize])),
            Ok(Word::Stop) => {
                self.speaker.note("stop over the voice", "braking");
                self.brake.stop();
                // One that brakes already is as good.
                self.halting.get_or_insert_with(|| Box::pin(halt(self.pulse.clone())));
            }
            Ok(Word::Ping { sent }) => self.outbox.put(text(&Answer::Pong { sent })),
            Err(_) => self.outbox.put(text(&Answer::Refused {
                why: "send samples, or say {\"type\": \"end\"}, {\"type\": \"stop\"} or {\"type\": \"ping\", \"sent\": any}",
            })),
        }
    }
}

fn too_long() -> CloseFrame {
    close(close_code::SIZE, "a message has 64 kB at most")
}

/// Samples of 16 bits, little-endian.
fn packed(samples: &[f32]) -> Vec<u8> {
    samples.iter().flat_map(|sample| ((sample * 32767.0) as i16).to_le_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::packed;

    #[test]
    fn samples_are_packed_and_never_turn_over() {
        let bytes = packed(&[0.0, 1.0, -1.0, 7.0, -7.0, f32::NAN]);
        let words: Vec<i16> = bytes.chunks(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]])).collect();
        assert_eq!(words, [0, 32767, -32767, 32767, -32768, 0]);
    }
}
