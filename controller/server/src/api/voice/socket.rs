//! The WebSocket of a conversation by voice: reads audio and control messages, writes events and speech. Reading and writing
//! are independent, so that a client that does not read can still stop the robot.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use minismith_protocol::old_names::http::EventNames;
use minismith_voice::audio::StreamResampler;
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::{Notify, OwnedSemaphorePermit, watch};
use tokio::time::{interval, timeout};

use super::BUFFER_CAPACITY;
use super::thread::{Report, VoiceWorker, begin, json};
use crate::api::caller::MessageAuthor;
use crate::api::request_queue::RequestQueue;
use crate::api::robot::stop_now;
use crate::api::telemetry::{Answer, Stopping, stopped, text};
use firmware_bridge::control_loop::ControlLoopHandle;
use minismith_control::robot::RobotRuntime;
use minismith_dialogue::audio_buffer::{AudioWriter, feed};
use minismith_dialogue::engine::Engines;
use minismith_dialogue::sink::{RealTimeSink, Sound};
use minismith_dialogue::{Brake, Parts, VoiceEvent};
use minismith_runtime::config::Voice;

/// Maximum size of a message, bytes.
const MAX_MESSAGE_BYTES: usize = 64 << 10;

/// Capacity of the queue to the client, messages; audio has fifty a second.
const QUEUE_CAPACITY: usize = 600;

/// Timeout for sending one message.
const SEND_TIMEOUT: Duration = Duration::from_secs(10);

/// Interval of pings, and how many of them may be unanswered.
const PING_INTERVAL: Duration = Duration::from_secs(10);
const MAX_UNANSWERED_PINGS: u32 = 3;

/// Minutes without audio or messages after which the connection ends.
const IDLE_TIMEOUT_MIN: u32 = 10;

/// Timeout for the closing handshake.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// The parts of one conversation.
pub(super) struct VoiceSession {
    pub(super) engines: Engines,
    pub(super) voice: Voice,
    pub(super) flow: StreamResampler,
    pub(super) rate: u32,
    pub(super) session: Option<String>,
    pub(super) names: EventNames,
    pub(super) seat: OwnedSemaphorePermit,
}

/// The queue of messages to the client. Sending never blocks.
#[derive(Clone)]
pub(super) struct OutgoingQueue {
    queue: Sender<Message>,
    full: Arc<Notify>,
}

impl OutgoingQueue {
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
enum ClientMessage {
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
    body: Arc<RobotRuntime>,
    queue: RequestQueue,
    speaker: MessageAuthor,
    parts: VoiceSession,
) {
    let VoiceSession { engines, voice, flow, rate, session, names, seat } = parts;
    let (feeder, fed) = feed(BUFFER_CAPACITY);
    let (outgoing, waiting) = channel(QUEUE_CAPACITY);
    let outbox = OutgoingQueue { queue: outgoing, full: Arc::default() };
    let (here, leaving) = watch::channel(());
    let (speaker, control_loop) = (Arc::new(speaker), body.handle());
    let (spoken, reported) = (outbox.clone(), outbox.clone());
    let sink = RealTimeSink::to(move |sound| match sound {
        Sound::Samples(samples) => spoken.put(Message::Binary(packed(samples).into())),
        // In its place among the samples.
        Sound::Cut => spoken.put(Message::Text(json(&VoiceEvent::Interrupted, names).into())),
    });
    let report: Report = Arc::new(move |document| reported.put(Message::Text(document.into())));
    let talking = VoiceWorker { queue, speaker: speaker.clone(), session, names, report, leaving };
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
    let mut ears = SocketReader {
        feeder,
        flow,
        rate,
        outbox: outbox.clone(),
        brake,
        control_loop,
        speaker,
        stopping: None,
    };
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
    let _heard = timeout(CLOSE_TIMEOUT, farewell).await;
}

/// Writes queued messages until sending fails or pings stay unanswered.
async fn write(sink: &mut SplitSink<WebSocket, Message>, mut waiting: Receiver<Message>, owed: &AtomicU32) {
    let mut pings = interval(PING_INTERVAL);
    loop {
        let message = tokio::select! {
            message = waiting.recv() => match message {
                Some(message) => message,
                None => return,
            },
            _ = pings.tick() => {
                if owed.fetch_add(1, Ordering::Relaxed) >= MAX_UNANSWERED_PINGS {
                    return;
                }
                Message::Ping(Vec::new().into())
            }
        };
        if !matches!(timeout(SEND_TIMEOUT, sink.send(message)).await, Ok(Ok(()))) {
            return;
        }
    }
}

/// The reading side of the connection.
struct SocketReader {
    feeder: AudioWriter,
    flow: StreamResampler,
    rate: u32,
    outbox: OutgoingQueue,
    brake: Brake,
    control_loop: ControlLoopHandle,
    speaker: Arc<MessageAuthor>,
    stopping: Stopping,
}

impl SocketReader {
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
                        if said.len() > MAX_MESSAGE_BYTES {
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
                answer = stopped(&mut self.stopping) => self.outbox.put(text(&answer)),
                _ = minutes.tick() => {
                    quiet += 1;
                    if quiet > IDLE_TIMEOUT_MIN {
                        return Some(close(close_code::AGAIN, "no audio or message for ten minutes"));
                    }
                }
            }
        }
    }

    fn hear(&mut self, bytes: &[u8]) -> Result<(), CloseFrame> {
        if bytes.len() > MAX_MESSAGE_BYTES {
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
            Ok(ClientMessage::End) => self.feeder.push(&self.flow.push(&vec![0.0; self.rate as usize])),
            Ok(ClientMessage::Stop) => {
                self.speaker.note("stop over the voice", "braking");
                self.brake.stop();
                // A stop in progress serves this request, too.
                self.stopping.get_or_insert_with(|| Box::pin(stop_now(self.control_loop.clone())));
            }
            Ok(ClientMessage::Ping { sent }) => self.outbox.put(text(&Answer::Pong { sent })),
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
