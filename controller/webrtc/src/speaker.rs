//! A peer's sound for the robot's speaker ([`SpeakerLink`]): sent to the controller with the peer's rights, while the peer is
//! not silent.
//!
//! One client talks through the speaker at a time. A browser sends silence too, so the speaker is the peer's only while it has
//! something to say, and for [`QUIET_TIMEOUT`] after that.
//!
//! Thread: one task per session. Sound that the controller does not take in time is dropped, so the delay does not grow.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};
use tokio_tungstenite::tungstenite::Message;

use crate::controller::{Controller, ControllerSocket, Credentials, SPEAKER_PATH};
use crate::net;
use crate::opus::{SPEAKER_FRAME, SPEAKER_HZ};

/// Parts of sound that wait for the controller: about 320 ms.
const QUEUE_CAPACITY: usize = 16;

/// The loudest sample of silence: 60 dB below full scale. What a browser sends for a muted microphone is far below.
const MAX_QUIET_SAMPLE: u16 = 33;

/// The silence after which the speaker is left to others.
const QUIET_TIMEOUT: Duration = Duration::from_secs(2);

/// How much of what came before goes along when the peer begins to talk: it keeps the beginning of a word, and it is what the
/// speaker plays while a packet is late.
const LEAD_SAMPLES: usize = 3 * SPEAKER_FRAME;

/// The longest time that the controller may take for a message.
const SEND_TIMEOUT: Duration = Duration::from_secs(2);

/// The time between two attempts to get the speaker: it grows while they fail.
const MIN_RETRY_INTERVAL: Duration = Duration::from_millis(250);
const MAX_RETRY_INTERVAL: Duration = Duration::from_secs(8);

/// The speaker for one peer. It is left to others when this is dropped.
pub struct SpeakerLink {
    /// Sound, and the number of silencings before it.
    sounds: mpsc::Sender<(u64, Vec<i16>)>,
    silenced: watch::Sender<u64>,
    _task: JoinSet<()>,
}

impl SpeakerLink {
    /// Returns the speaker, which is asked for when the peer says something.
    #[must_use]
    pub fn open(controller: Controller, who: Arc<Credentials>) -> Self {
        let (sounds, inbox) = mpsc::channel(QUEUE_CAPACITY);
        let silenced = watch::Sender::new(0);
        let talk = Talk::new(controller, who, silenced.subscribe());
        let mut task = JoinSet::new();
        task.spawn(talk.run(inbox));
        SpeakerLink { sounds, silenced, _task: task }
    }

    /// Plays sound, unless too much waits already.
    pub fn play(&self, samples: Vec<i16>) {
        if !samples.is_empty() {
            // A task that has ended has no right to the speaker.
            let _queued = self.sounds.try_send((*self.silenced.borrow(), samples));
        }
    }

    /// Drops what waits here. What the controller has already is dropped there on request.
    pub fn silence(&self) {
        self.silenced.send_modify(|count| *count += 1);
    }
}

/// What the peer says, and the connection that it goes to.
struct Talk {
    controller: Controller,
    who: Arc<Credentials>,
    silenced: watch::Receiver<u64>,
    socket: Option<ControllerSocket>,
    /// The newest silence, which goes before the next word.
    lead: VecDeque<i16>,
    /// The length of the silence at the end of what was sent, samples.
    quiet: u64,
    retry_at: Option<Instant>,
    retry_interval: Duration,
    reported: String,
}

impl Talk {
    fn new(controller: Controller, who: Arc<Credentials>, silenced: watch::Receiver<u64>) -> Self {
        Talk {
            controller,
            who,
            silenced,
            socket: None,
            lead: VecDeque::with_capacity(LEAD_SAMPLES),
            quiet: 0,
            retry_at: None,
            retry_interval: MIN_RETRY_INTERVAL,
            reported: String::new(),
        }
    }

    /// Sends sound until the session ends or the controller refuses the peer.
    async fn run(mut self, mut sounds: mpsc::Receiver<(u64, Vec<i16>)>) {
        loop {
            tokio::select! {
                sound = timeout(QUIET_TIMEOUT, sounds.recv()) => match sound {
                    Ok(Some((number, samples))) => {
                        let is_current = number == *self.silenced.borrow();
                        if is_current && !self.take(&samples).await {
                            return;
                        }
                    }
                    Ok(None) => return self.end().await,
                    // The peer sends nothing, not even silence.
                    Err(_) => self.end().await,
                },
                is_open = hears(&mut self.socket) => if !is_open {
                    self.socket = None;
                },
            }
        }
    }

    /// Takes sound. Returns false if the controller will never play it.
    async fn take(&mut self, samples: &[i16]) -> bool {
        let is_quiet = samples.iter().all(|sample| sample.unsigned_abs() <= MAX_QUIET_SAMPLE);
        if self.socket.is_none() {
            if is_quiet {
                self.lead.extend(samples);
                let surplus = self.lead.len().saturating_sub(LEAD_SAMPLES);
                self.lead.drain(..surplus);
                return true;
            }
            match self.begin().await {
                Some(true) => {}
                Some(false) => return true,
                None => return false,
            }
        }
        self.quiet = if is_quiet { self.quiet + samples.len() as u64 } else { 0 };
        self.send(samples).await;
        if self.quiet >= QUIET_TIMEOUT.as_secs() * u64::from(SPEAKER_HZ) {
            self.end().await;
        }
        true
    }

    /// Asks for the speaker. Returns whether the peer has it; none if it never will.
    async fn begin(&mut self) -> Option<bool> {
        let now = Instant::from_std(net::now());
        if self.retry_at.is_some_and(|at| now < at) {
            return Some(false);
        }
        let path = format!("{SPEAKER_PATH}?rate={SPEAKER_HZ}");
        match self.controller.socket(&path, &self.who).await {
            Ok(socket) => {
                self.socket = Some(socket);
                (self.retry_at, self.retry_interval) = (None, MIN_RETRY_INTERVAL);
                self.reported.clear();
                let lead: Vec<i16> = std::iter::repeat_n(0, LEAD_SAMPLES - self.lead.len())
                    .chain(self.lead.drain(..))
                    .collect();
                self.send(&lead).await;
                Some(true)
            }
            Err(error) => {
                let (is_final, failure) = (error.is_final(), error.to_string());
                // Said once, not at each attempt.
                if failure != self.reported {
                    tracing::warn!("a peer does not talk through the speaker: {failure}");
                    self.reported = failure;
                }
                self.retry_at = Some(now + self.retry_interval);
                self.retry_interval = (self.retry_interval * 2).min(MAX_RETRY_INTERVAL);
                if is_final { None } else { Some(false) }
            }
        }
    }

    async fn send(&mut self, samples: &[i16]) {
        let Some(socket) = &mut self.socket else { return };
        let bytes: Vec<u8> = samples.iter().flat_map(|sample| sample.to_le_bytes()).collect();
        if !matches!(timeout(SEND_TIMEOUT, socket.send(Message::binary(bytes))).await, Ok(Ok(()))) {
            self.socket = None;
        }
    }

    /// Leaves the speaker to others.
    async fn end(&mut self) {
        self.quiet = 0;
        if let Some(mut socket) = self.socket.take() {
            // The controller ends it too when the connection ends.
            let _closed = timeout(SEND_TIMEOUT, socket.close(None)).await;
        }
    }
}

/// Waits for a message of the controller, and returns whether the connection goes on.
async fn hears(socket: &mut Option<ControllerSocket>) -> bool {
    match socket {
        Some(socket) => !matches!(socket.next().await, None | Some(Ok(Message::Close(_)) | Err(_))),
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio_tungstenite::accept_async;

    use super::*;

    fn link(listener: &net::Listener) -> SpeakerLink {
        let address = listener.local_addr().unwrap();
        let who = Credentials {
            peer: address.ip(),
            host: address.to_string(),
            origin: None,
            token: None,
            forwarded: false,
        };
        SpeakerLink::open(Controller::new(&address.to_string(), None), Arc::new(who))
    }

    async fn listener() -> net::Listener {
        net::listen(([127, 0, 0, 1], 0).into()).await.unwrap()
    }

    /// Returns the samples of the next message; none if the connection is closed.
    async fn next(socket: &mut ControllerSocket) -> Option<Vec<i16>> {
        match socket.next().await {
            Some(Ok(Message::Binary(bytes))) => {
                Some(bytes.as_chunks::<2>().0.iter().map(|pair| i16::from_le_bytes(*pair)).collect())
            }
            _ => None,
        }
    }

    #[tokio::test]
    async fn the_speaker_is_asked_for_by_words_and_left_in_silence() {
        let [silence, word, other] = [0, 5000, 7000].map(|value| vec![value; SPEAKER_FRAME]);
        let listener = listener().await;
        let link = link(&listener);
        link.play(silence.clone());
        link.play(word.clone());
        let (stream, _) = listener.accept().await.unwrap();
        // What waits is dropped when the peer asks for it, and what comes later is not.
        (0..5).for_each(|_| link.play(word.clone()));
        link.silence();
        link.play(other.clone());
        let mut socket = accept_async(stream).await.unwrap();
        assert_eq!(next(&mut socket).await.unwrap(), vec![0; LEAD_SAMPLES]);
        assert_eq!(next(&mut socket).await.unwrap(), word);
        assert_eq!(next(&mut socket).await.unwrap(), other);
        // A flood does not wait.
        (0..100 * QUEUE_CAPACITY).for_each(|_| link.play(word.clone()));
        let mut count = 0;
        while let Ok(Some(_)) = timeout(Duration::from_millis(300), next(&mut socket)).await {
            count += 1;
        }
        assert!(count <= QUEUE_CAPACITY + 1, "{count}");
        // Silence is sent for a while, and then ends it.
        let frames = QUIET_TIMEOUT.as_secs() as usize * SPEAKER_HZ as usize / SPEAKER_FRAME;
        for _ in 0..frames {
            link.play(silence.clone());
            assert_eq!(next(&mut socket).await.unwrap(), silence);
        }
        assert_eq!(next(&mut socket).await, None);
    }

    #[tokio::test]
    async fn a_peer_that_is_refused_does_not_ask_again() {
        let listener = listener().await;
        let link = link(&listener);
        link.play(vec![5000; SPEAKER_FRAME]);
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut head = [0; 1024];
        assert!(stream.read(&mut head).await.unwrap() > 0);
        stream.write_all(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n").await.unwrap();
        timeout(Duration::from_secs(10), link.sounds.closed()).await.unwrap();
        link.play(vec![5000; SPEAKER_FRAME]);
    }
}
