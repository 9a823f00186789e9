//! A session: one peer that watches the camera, hears the microphone, talks through the speaker and commands the robot.
//!
//! Thread: one task per session, which owns everything of it. When it ends, for whatever reason, its sockets close, the
//! controller stops its moves, and its place is free.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::{broadcast, mpsc};
use tokio::time::{Instant, Interval, MissedTickBehavior, interval, sleep_until};

use crate::controller::{Caller, Controller, ControllerError, Credentials};
use crate::microphone::{MicrophoneLink, SoundFrame};
use crate::opus::SoundDecoder;
use crate::robot_link::{PoseStream, RobotLink};
use crate::speaker::SpeakerLink;
use crate::transport::{PeerKind, Transport, TransportError, TransportEvent};
use crate::video::{Video, VideoFrame};

/// The time that a peer has to answer and connect.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);

/// The time that a peer may be unreachable.
const LOST_TIMEOUT: Duration = Duration::from_secs(10);

/// The interval of the stream of poses, as in the official daemon.
const POSE_INTERVAL: Duration = Duration::from_millis(33);

/// Poses per look at whether a move runs and the motors are on.
const POSES_PER_REFRESH: u64 = 8;

/// The most messages of a peer that are taken per second. Uploads of moves are the fastest: 12 KiB each.
const MAX_MESSAGES_PER_S: u32 = 1000;

/// The most packets of sound of a peer that are taken per second. Browsers send 50, or 100 with short frames.
const MAX_SOUNDS_PER_S: u32 = 200;

/// What signalling passes on to a session.
#[derive(Debug)]
pub enum Signal {
    /// The peer's description.
    Answer(String),
    /// An address of the peer.
    Candidate(String),
    /// The peer ends the session.
    End,
}

/// Reports why a session does not begin.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The controller refuses the peer.
    #[error(transparent)]
    Controller(#[from] ControllerError),
    /// There is no connection.
    #[error(transparent)]
    Transport(#[from] TransportError),
}

/// The end of a session, in the words of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// The peer has ended it.
    Peer,
    /// The peer did not answer and connect in time.
    NotConnected,
    /// The peer is unreachable.
    Lost,
    /// The controller has ended.
    Controller,
    /// The peer sent what is no WebRTC.
    Failed,
}

impl End {
    const fn reason(self) -> &'static str {
        match self {
            End::Peer => "ended",
            End::NotConnected => "connect_timeout",
            End::Lost => "peer_lost",
            End::Controller => "controller_ended",
            End::Failed => "connection_failed",
        }
    }
}

/// A session that has begun.
pub struct Session {
    transport: Transport,
    link: RobotLink,
    who: Arc<Credentials>,
    video: Video,
    frames: Option<broadcast::Receiver<Arc<VideoFrame>>>,
    has_keyframe: bool,
    deadline: Option<Instant>,
    poses: Option<Interval>,
    poses_sent: u64,
    budget: MessageBudget,
    /// The microphone; none until the peer is connected, and if it does not want it.
    microphone: Option<MicrophoneLink>,
    /// The peer's sound and the speaker; none until the peer sends some, and if the codec does not start.
    speaker: Option<(SoundDecoder, SpeakerLink)>,
    sound_budget: MessageBudget,
    controller: Controller,
}

impl Session {
    /// Opens a session and returns it with the offer for the peer.
    ///
    /// # Errors
    /// [`SessionError`] says why not.
    pub async fn open(
        controller: Controller,
        who: Arc<Credentials>,
        caller: Caller,
        video: Video,
        kind: PeerKind,
    ) -> Result<(Self, String), SessionError> {
        let link = RobotLink::open(controller.clone(), who.clone(), caller).await?;
        let (transport, offer) = Transport::open(kind).await?;
        let session = Session {
            transport,
            link,
            who,
            video,
            frames: None,
            has_keyframe: false,
            deadline: Some(Instant::from_std(crate::net::now()) + CONNECT_TIMEOUT),
            poses: None,
            poses_sent: 0,
            budget: MessageBudget::new(MAX_MESSAGES_PER_S),
            microphone: None,
            speaker: None,
            sound_budget: MessageBudget::new(MAX_SOUNDS_PER_S),
            controller,
        };
        Ok((session, offer))
    }

    /// Runs the session to its end, and returns the reason.
    pub async fn run(mut self, signals: &mut mpsc::Receiver<Signal>) -> &'static str {
        let end = match self.converse(signals).await {
            Ok(end) => end,
            Err(TransportError::Ended) => End::Peer,
            Err(error) => {
                tracing::warn!("a session has failed: {error}");
                End::Failed
            }
        };
        self.transport.close();
        self.link.close().await;
        end.reason()
    }

    async fn converse(&mut self, signals: &mut mpsc::Receiver<Signal>) -> Result<End, TransportError> {
        loop {
            // Each change of the connection is followed by a drain.
            let due = Instant::from_std(self.transport.drain()?);
            if let Some(event) = self.transport.next_event() {
                self.react(event)?;
                continue;
            }
            tokio::select! {
                packet = self.transport.packet() => match packet {
                    Some(packet) => self.transport.receive(&packet)?,
                    None => return Ok(End::Failed),
                },
                () = sleep_until(due) => self.transport.tick()?,
                signal = signals.recv() => match signal {
                    Some(Signal::Answer(sdp)) => self.transport.answer(&sdp)?,
                    Some(Signal::Candidate(text)) => self.transport.candidate(&text),
                    Some(Signal::End) | None => return Ok(End::Peer),
                },
                frame = next_frame(&mut self.frames) => self.show(frame)?,
                sound = next_sound(&mut self.microphone) => self.transport.send_sound(sound)?,
                reply = self.link.next_reply() => match reply {
                    Some(reply) => self.reply(&reply)?,
                    None => return Ok(End::Controller),
                },
                () = next_tick(&mut self.poses) => self.send_pose()?,
                () = passed(self.deadline) => {
                    return Ok(if self.frames.is_some() { End::Lost } else { End::NotConnected });
                }
            }
        }
    }

    fn react(&mut self, event: TransportEvent) -> Result<(), TransportError> {
        match event {
            TransportEvent::Connected => {
                self.deadline = None;
                self.frames = Some(self.video.watch(self.who.clone()));
                if self.transport.wants_sound() {
                    self.microphone = Some(MicrophoneLink::open(self.controller.clone(), self.who.clone()));
                }
            }
            TransportEvent::Lost if self.frames.is_some() => {
                self.deadline = Some(Instant::from_std(crate::net::now()) + LOST_TIMEOUT);
            }
            TransportEvent::Recovered if self.frames.is_some() => self.deadline = None,
            TransportEvent::Lost | TransportEvent::Recovered | TransportEvent::CommandsOpen => {}
            TransportEvent::KeyframeWanted => self.video.want_keyframe(),
            TransportEvent::Sound(packet) => {
                if self.sound_budget.take()
                    && let Some((decoder, speaker)) = self.speaker()
                {
                    speaker.play(decoder.decode(&packet));
                }
            }
            TransportEvent::Message(text) => {
                if !self.budget.take() {
                    // A response to each would be a flood too.
                    return Ok(());
                }
                if let Some(reply) = self.link.take(&text) {
                    self.reply(&reply)?;
                }
                if self.link.was_silenced()
                    && let Some((_, speaker)) = &self.speaker
                {
                    speaker.silence();
                }
                match self.link.pose_stream() {
                    Some(PoseStream::Begin) => self.begin_poses()?,
                    Some(PoseStream::End) => self.poses = None,
                    None => {}
                }
            }
        }
        Ok(())
    }

    /// Returns what plays the peer's sound, which begins with the first of it.
    fn speaker(&mut self) -> Option<&mut (SoundDecoder, SpeakerLink)> {
        if self.speaker.is_none() {
            match SoundDecoder::new() {
                Ok(decoder) => {
                    let link = SpeakerLink::open(self.controller.clone(), self.who.clone());
                    self.speaker = Some((decoder, link));
                }
                Err(error) => tracing::error!("no sound of a peer: {error}"),
            }
        }
        self.speaker.as_mut()
    }

    fn begin_poses(&mut self) -> Result<(), TransportError> {
        // The response is sent first, since each change is followed by a drain.
        self.transport.drain()?;
        self.transport.open_poses();
        let mut ticks = interval(POSE_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        self.poses = Some(ticks);
        Ok(())
    }

    fn send_pose(&mut self) -> Result<(), TransportError> {
        if self.poses_sent.is_multiple_of(POSES_PER_REFRESH) {
            self.link.refresh_pose();
        }
        self.poses_sent += 1;
        match self.link.pose() {
            Some(pose) => self.transport.send_pose(&pose.to_string()),
            None => Ok(()),
        }
    }

    fn reply(&mut self, reply: &Value) -> Result<(), TransportError> {
        if !self.transport.send_message(&reply.to_string())? {
            tracing::debug!("a peer reads too slowly: a response is dropped");
        }
        Ok(())
    }

    fn show(&mut self, frame: Shown) -> Result<(), TransportError> {
        match frame {
            Shown::Frame(frame) if self.has_keyframe || frame.is_keyframe => {
                self.has_keyframe = true;
                self.transport.send_frame(&frame)
            }
            Shown::Frame(_) => Ok(()),
            Shown::Missed => {
                self.has_keyframe = false;
                self.video.want_keyframe();
                Ok(())
            }
        }
    }
}

/// What the video has for a session.
enum Shown {
    /// A frame.
    Frame(Arc<VideoFrame>),
    /// The session was slow, and frames are missing.
    Missed,
}

async fn next_frame(frames: &mut Option<broadcast::Receiver<Arc<VideoFrame>>>) -> Shown {
    let Some(frames) = frames else { return std::future::pending().await };
    match frames.recv().await {
        Ok(frame) => Shown::Frame(frame),
        Err(broadcast::error::RecvError::Lagged(_)) => Shown::Missed,
        // The video lasts as long as the program.
        Err(broadcast::error::RecvError::Closed) => std::future::pending().await,
    }
}

async fn next_sound(microphone: &mut Option<MicrophoneLink>) -> SoundFrame {
    match microphone {
        Some(microphone) => microphone.next().await,
        None => std::future::pending().await,
    }
}

async fn next_tick(ticks: &mut Option<Interval>) {
    match ticks {
        Some(ticks) => drop(ticks.tick().await),
        None => std::future::pending().await,
    }
}

async fn passed(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

/// Limits the messages of a peer.
struct MessageBudget {
    most_per_s: u32,
    second: Instant,
    taken: u32,
}

impl MessageBudget {
    fn new(most_per_s: u32) -> Self {
        MessageBudget { most_per_s, second: Instant::from_std(crate::net::now()), taken: 0 }
    }

    fn take(&mut self) -> bool {
        let now = Instant::from_std(crate::net::now());
        if now.saturating_duration_since(self.second) >= Duration::from_secs(1) {
            (self.second, self.taken) = (now, 0);
        }
        self.taken = self.taken.saturating_add(1);
        if self.taken == self.most_per_s {
            let most = self.most_per_s;
            tracing::warn!("a peer sends more than {most} messages in a second: the rest is dropped");
        }
        self.taken < self.most_per_s
    }
}

/// Returns the message that ends a session, with its reason.
#[must_use]
pub fn end_message(session: &str, reason: &str) -> Value {
    json!({ "type": "endSession", "sessionId": session, "reason": reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_of_messages_is_cut() {
        let mut budget = MessageBudget::new(MAX_MESSAGES_PER_S);
        let taken = (0..10 * MAX_MESSAGES_PER_S).filter(|_| budget.take()).count();
        assert!(taken < 2 * MAX_MESSAGES_PER_S as usize, "{taken}");
    }

    #[test]
    fn ends_have_reasons() {
        let ends = [End::Peer, End::NotConnected, End::Lost, End::Controller, End::Failed];
        let reasons: std::collections::HashSet<_> = ends.into_iter().map(End::reason).collect();
        assert_eq!(reasons.len(), ends.len());
        assert_eq!(end_message("s", "peer_lost")["sessionId"], "s");
    }
}
