//! The WebSocket of a conversation by voice: reads audio and control messages, writes events and speech. Reading and writing
//! are independent, so that a client that does not read can still stop the robot.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use minismith_voice::audio::Flow;
use minismith_wire::old_names::http::EventNames;
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

/// Maximum size of a message, bytes.
const LONGEST_MESSAGE: usize = 64 << 10;

/// Capacity of the queue to the client, messages; audio has fifty a second.
const BACKLOG: usize = 600;

/// Timeout for sending one message.
const SLOWEST: Duration = Duration::from_secs(10);

/// Interval of pings, and how many of them may be unanswered.
const PING_EVERY: Duration = Duration::from_secs(10);
const UNANSWERED: u32 = 3;

/// Minutes without audio or messages after which the connection ends.
const IDLE: u32 = 10;

/// Timeout for the closing handshake.
const FAREWELL: Duration = Duration::from_secs(2);

/// The parts of one conversation.
pub(super) struct Conversing {
    pub(super) engines: Engines,
    pub(super) voice: Voice,
    pub(super) flow: Flow,
    pub(super) rate: u32,
    pub(super) session: Option<String>,
    pub(super) names: EventNames,
    pub(super) seat: OwnedSemaphorePermit,
}

/// The queue of messages to the client. Sending never blocks.
#[derive(Clone)]
pub(super) struct Outbox {
    queue: Sender<Message>,
    full: Arc<Notify>,
}

impl Outbox {
    pub(super) fn put(&self, message: Message) {
        // The client may have disconnected.
        if let Err(TrySendError::Full(_)) = self.queue.try_send(message) {
            self.full.notify_one();
        }
    }
}

/// A control message from the client.
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

/// Runs the conversation until either side ends it.
pub(super) async fn converse(
    socket: WebSocket,
    body: Arc<Body>,
    desk: Desk,
    speaker: Speaker,
    parts: Conversing,
) {
    let Conversing { engines, voice, flow, rate, session, names, seat } = parts;
    let (feeder, fed) = feed(ROOM);
    let (queue, waiting) = channel(BACKLOG);
    let outbox = Outbox { queue, full: Arc::default() };
    let (here, leaving) = watch::channel(());
    let (speaker, pulse) = (Arc::new(speaker), body.handle());
    let (spoken, told) = (outbox.clone(), outbox.clone());
    let sink = Paced::to(move |sound| match sound {
        Sound::Samples(samples) => spoken.put(Message::Binary(packed(samples).into())),
        // In its place among the samples.
        Sound::Cut => spoken.put(Message::Text(json(&News::Cut, names).into())),
    });
    let tell: Tell = Arc::new(move |document| told.put(Message::Text(document.into())));
    let talking = Talking { desk, speaker: speaker.clone(), session, names, tell, leaving };
    let parts = Parts { engines, source: Box::new(fed), sink: Box::new(sink) };
    let begun = begin(&body, &voice, parts, talking);
    // The handles hold all that is still needed of the robot.
    drop(body);
    let (mut sink, mut stream) = socket.split();
    let (brake, mut thread) = match begun {
        Ok(begun) => begun,
        Err(error) => {
            tracing::warn!(%error, "a voice conversation could not start");
            return part(sink, stream, close(close_code::ERROR, "the conversation could not start")).await;
        }
    };
    let owed = AtomicU32::new(0);
    let mut ears = Ears { feeder, flow, rate, outbox: outbox.clone(), brake, pulse, speaker, halting: None };
    let why = tokio::select! {
        why = ears.read(&mut stream, &owed) => why,
        () = write(&mut sink, waiting, &owed) => None,
        () = outbox.full.notified() => close(close_code::POLICY, "the client does not read its messages").into(),
        _ = &mut thread => close(close_code::ERROR, "the conversation has ended").into(),
    };
    // Dropping these ends the thread and stops what it started.
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

/// Sends the reason for closing and reads until the client has closed, so that the reason is not lost.
async fn part(mut sink: SplitSink<WebSocket, Message>, mut stream: SplitStream<WebSocket>, why: CloseFrame) {
    let farewell = async {
        if sink.send(Message::Close(Some(why))).await.is_ok() {
            while let Some(Ok(_)) = stream.next().await {}
        }
    };
    // A client that does not respond is dropped.
    let _heard = timeout(FAREWELL, farewell).await;
}

/// Writes queued messages until sending fails or pings stay unanswered.
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

/// The reading side of the connection.
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
    /// Reads until the connection ends; returns the reason for closing, if the client should get one.
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
                    // If the connection still works, the client gets the reason.
                    Some(Err(_)) => {
                        return Some(close(close_code::SIZE, "unreadable message; send at most 64 kB"));
                    }
                },
                answer = halted(&mut self.halting) => self.outbox.put(text(&answer)),
                _ = minutes.tick() => {
                    quiet += 1;
                    if quiet > IDLE {
                        return Some(close(close_code::AGAIN, "no audio or message for ten minutes"));
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
            let why = "samples have 16 bits; send an even number of bytes";
            return Err(close(close_code::INVALID, why));
        }
        let samples: Vec<f32> =
            pairs.iter().map(|pair| f32::from(i16::from_le_bytes(*pair)) / 32768.0).collect();
        self.feeder.push(&self.flow.push(&samples));
        Ok(())
    }

    fn word(&mut self, said: &str) {
        match serde_json::from_str(said) {
            // The recognizer's clock counts samples: this second of silence ends the utterance at once.
            Ok(Word::End) => self.feeder.push(&self.flow.push(&vec![0.0; self.rate as usize])),
            Ok(Word::Stop) => {
                self.speaker.note("stop over the voice", "braking");
                self.brake.stop();
                // A stop in progress serves this request, too.
                self.halting.get_or_insert_with(|| Box::pin(halt(self.pulse.clone())));
            }
            Ok(Word::Ping { sent }) => self.outbox.put(text(&Answer::Pong { sent })),
            Err(_) => self.outbox.put(text(&Answer::Refused {
                reason: "unknown message; send samples, {\"type\": \"end\"}, {\"type\": \"stop\"} or {\"type\": \"ping\", \"sent\": any}",
            })),
        }
    }
}

fn too_long() -> CloseFrame {
    close(close_code::SIZE, "message too long; send at most 64 kB")
}

/// Encodes samples with 16 bits, little-endian.
fn packed(samples: &[f32]) -> Vec<u8> {
    samples.iter().flat_map(|sample| ((sample * 32767.0) as i16).to_le_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::packed;

    #[test]
    fn packing_saturates_samples_out_of_range() {
        let bytes = packed(&[0.0, 1.0, -1.0, 7.0, -7.0, f32::NAN]);
        let words: Vec<i16> = bytes.chunks(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]])).collect();
        assert_eq!(words, [0, 32767, -32767, 32767, -32768, 0]);
    }
}
