//! The WebRTC connection to one peer: its sockets, its video, its sound in both directions, and its data channels.
//!
//! The library does no input and output. [`Transport::drain`] sends what it has to send and collects what has happened, and must
//! follow each change. All bytes of a peer are checked by the library; what it does not accept ends the session.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use str0m::change::{SdpAnswer, SdpPendingOffer};
use str0m::channel::{ChannelConfig, ChannelId, Reliability};
use str0m::format::{Codec, FormatParams};
use str0m::media::{Direction, Frequency, MediaKind, MediaTime, Mid};
use str0m::net::{DatagramRecv, Protocol, Receive};
use str0m::{Candidate, Event, IceConnectionState, Input, Output, RtcConfig, RtcError};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::crypto;
use crate::microphone::SoundFrame;
use crate::net::{self, MediaSocket, SocketError};
use crate::opus::{FRAME_TICKS, OPUS_HZ, SoundPacket};
use crate::video::VideoFrame;

/// The longest description that a peer may send, bytes.
pub const MAX_SDP_BYTES: usize = 64 << 10;

/// The longest candidate, bytes.
const MAX_CANDIDATE_BYTES: usize = 1024;

/// Packets that wait for the session.
const QUEUE_CAPACITY: usize = 256;

/// How often a peer is asked whether it is there when it does not respond, and the longest time between two attempts.
const MAX_STUN_REPEATS: usize = 5;
const MAX_STUN_INTERVAL: Duration = Duration::from_secs(1);

/// The largest packet, bytes.
const MAX_PACKET_BYTES: usize = 2048;

/// The time between two attempts to read a socket that reports errors.
const READ_RETRY_INTERVAL: Duration = Duration::from_millis(20);

/// The labels of the data channels, as in the official daemon: commands, and the stream of poses.
const COMMANDS: &str = "data";
const POSES: &str = "pose";

/// Poses that may be on their way, bytes: about half a second.
const MAX_POSES_BYTES: usize = 16 << 10;

/// Packets of sound that wait for one that is missing, and for how long. More would delay the speaker at each loss.
const MAX_REORDERED_SOUNDS: usize = 3;
const MAX_REORDERED_TIME: Duration = Duration::from_millis(100);

/// How far the clock of the sound may be from that of the packets, before a pause of the microphone counts as one.
const MAX_SOUND_DRIFT_TICKS: u64 = 10 * FRAME_TICKS;

/// The clock of video in RTP.
const VIDEO_HZ: u128 = 90_000;

/// Reports why there is no connection to a peer.
#[derive(Debug, thiserror::Error)]
pub enum TransportError {
    /// No socket can be opened.
    #[error(transparent)]
    Socket(#[from] SocketError),
    /// The peer's description is too long.
    #[error("the session description is too long: at most {MAX_SDP_BYTES} bytes")]
    LongSdp,
    /// The peer's description cannot be read.
    #[error("invalid session description: {0}")]
    Sdp(String),
    /// The peer answers twice, or without an offer.
    #[error("unexpected answer: the session has one already")]
    Unexpected,
    /// The protocol failed.
    #[error("the connection failed: {0}")]
    Rtc(#[from] RtcError),
    /// The connection has ended.
    #[error("the connection has ended")]
    Ended,
}

/// What has happened on the connection.
#[derive(Debug, PartialEq, Eq)]
pub enum TransportEvent {
    /// It is there, and encrypted.
    Connected,
    /// The peer does not respond any more.
    Lost,
    /// The peer responds again.
    Recovered,
    /// The channel for commands is open.
    CommandsOpen,
    /// A message on the channel for commands.
    Message(String),
    /// The peer's decoder needs a keyframe.
    KeyframeWanted,
    /// A part of the peer's sound.
    Sound(SoundPacket),
}

/// A received packet.
type Packet = (Vec<u8>, SocketAddr, SocketAddr);

/// The connection.
pub struct Transport {
    rtc: str0m::Rtc,
    sockets: Vec<MediaSocket>,
    packets: mpsc::Receiver<Packet>,
    /// Read the sockets until the connection is dropped.
    _readers: JoinSet<()>,
    pending: Option<SdpPendingOffer>,
    video: Mid,
    sound: Mid,
    /// When the next frame of the microphone begins, in units of its RTP clock.
    next_sound: u64,
    /// The sources of sound so far of a peer whose answer names none.
    unnamed_sounds: Option<Vec<u32>>,
    commands: ChannelId,
    poses: Option<ChannelId>,
    events: VecDeque<TransportEvent>,
    begun: Instant,
}

/// What kind of peer a connection is offered to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PeerKind {
    /// A browser.
    Browser,
    /// GStreamer's `webrtcsrc`, as in the official SDK. It answers before it knows what its sound will be, and then sends
    /// only what fits the offer to the letter: no header extension, and no parameter of the codec.
    GStreamer,
}

/// The payload type of sound, which browsers use, too.
const OPUS_TYPE: u8 = 111;

/// The most sources of sound that are taken from one peer without being named in its answer.
const MAX_SOUND_SOURCES: usize = 4;

/// Returns the source of a packet of sound (RFC 3550, section 5.1). What is encrypted begins behind it.
fn sound_source(bytes: &[u8]) -> Option<u32> {
    let [first, second, _, _, _, _, _, _, a, b, c, d, ..] = *bytes else { return None };
    (first >> 6 == 2 && second & 0x7f == OPUS_TYPE).then_some(u32::from_be_bytes([a, b, c, d]))
}

impl Transport {
    /// Opens sockets, and returns the connection with the offer for the peer.
    ///
    /// # Errors
    /// [`TransportError::Socket`] if this computer has no address.
    pub async fn open(kind: PeerKind) -> Result<(Self, String), TransportError> {
        let sockets = net::media_sockets().await?;
        let begun = net::now();
        let crypto = Arc::new(crypto::provider());
        let mut config = RtcConfig::new().set_crypto_provider(crypto).clear_codecs().enable_h264(true);
        if kind == PeerKind::GStreamer {
            config = config.clear_extension_map();
            let (hz, plain) = (Frequency::FORTY_EIGHT_KHZ, FormatParams::default());
            config.codec_config().add_config(OPUS_TYPE.into(), None, Codec::Opus, hz, Some(2), plain);
        } else {
            config = config.enable_opus(true, false);
        }
        config = config
            .set_reordering_size_audio(MAX_REORDERED_SOUNDS)
            .set_reordering_timeout_audio(Some(MAX_REORDERED_TIME));
        // A peer that is silent is noticed in some seconds: a move of it may be running.
        config.set_max_stun_rto(MAX_STUN_INTERVAL);
        config.set_max_stun_retransmits(MAX_STUN_REPEATS);
        let mut rtc = config.build(begun);
        for MediaSocket { address, .. } in &sockets {
            if let Ok(candidate) = Candidate::host(*address, "udp") {
                rtc.add_local_candidate(candidate);
            }
        }
        let mut changes = rtc.sdp_api();
        let stream = Some("reachymini".to_owned());
        let video = changes.add_media(
            MediaKind::Video,
            Direction::SendOnly,
            stream.clone(),
            Some("camera".into()),
            None,
        );
        // The official browser class sends sound only to an offer that says `sendrecv`.
        let sound =
            changes.add_media(MediaKind::Audio, Direction::SendRecv, stream, Some("microphone".into()), None);
        let commands = changes.add_channel(COMMANDS.into());
        let (offer, pending) = changes.apply().ok_or(TransportError::Unexpected)?;
        let (inbox, packets) = mpsc::channel(QUEUE_CAPACITY);
        let mut readers = JoinSet::new();
        for socket in &sockets {
            readers.spawn(read(socket.clone(), inbox.clone()));
        }
        let transport = Transport {
            rtc,
            sockets,
            packets,
            _readers: readers,
            pending: Some(pending),
            video,
            sound,
            next_sound: 0,
            unnamed_sounds: (kind == PeerKind::GStreamer).then(Vec::new),
            commands,
            poses: None,
            events: VecDeque::new(),
            begun,
        };
        Ok((transport, offer.to_sdp_string()))
    }

    /// Takes the peer's answer.
    ///
    /// # Errors
    /// [`TransportError`] if it is none; the session is then of no use.
    pub fn answer(&mut self, sdp: &str) -> Result<(), TransportError> {
        if sdp.len() > MAX_SDP_BYTES {
            return Err(TransportError::LongSdp);
        }
        let pending = self.pending.take().ok_or(TransportError::Unexpected)?;
        let answer =
            SdpAnswer::from_sdp_string(sdp).map_err(|error| TransportError::Sdp(error.to_string()))?;
        Ok(self.rtc.sdp_api().accept_answer(pending, answer)?)
    }

    /// Takes an address of the peer. Names of other computers are ignored: the peer is found when it sends its first packet.
    pub fn candidate(&mut self, text: &str) {
        if text.len() > MAX_CANDIDATE_BYTES {
            return;
        }
        if let Ok(candidate) = Candidate::from_sdp_string(text.strip_prefix("a=").unwrap_or(text)) {
            self.rtc.add_remote_candidate(candidate);
        }
    }

    /// Waits for a packet. It is lost if the future is dropped after it was ready only.
    pub async fn packet(&mut self) -> Option<Packet> {
        self.packets.recv().await
    }

    /// Takes a packet. One that is none of this connection is ignored.
    ///
    /// # Errors
    /// When the protocol fails.
    pub fn receive(&mut self, (bytes, source, destination): &Packet) -> Result<(), TransportError> {
        let Ok(contents) = DatagramRecv::try_from(bytes.as_slice()) else { return Ok(()) };
        let packet = Receive { proto: Protocol::Udp, source: *source, destination: *destination, contents };
        let input = Input::Receive(net::now(), packet);
        if self.rtc.accepts(&input) {
            self.expect_sound(bytes);
            self.rtc.handle_input(input)?;
        }
        Ok(())
    }

    /// Expects the sound of a packet. Without a header extension, nothing else tells which media it belongs to.
    fn expect_sound(&mut self, bytes: &[u8]) {
        let Some(known) = self.unnamed_sounds.as_mut() else { return };
        let Some(source) = sound_source(bytes) else { return };
        // The media exists once the peer has answered.
        if !known.contains(&source) && known.len() < MAX_SOUND_SOURCES && self.rtc.media(self.sound).is_some()
        {
            known.push(source);
            self.rtc.direct_api().expect_stream_rx(source.into(), None, self.sound, None);
        }
    }

    /// Tells the library the time.
    ///
    /// # Errors
    /// When the protocol fails.
    pub fn tick(&mut self) -> Result<(), TransportError> {
        Ok(self.rtc.handle_input(Input::Timeout(net::now()))?)
    }

    /// Sends what is to be sent, and returns when [`Transport::tick`] is due. Must follow each change.
    ///
    /// # Errors
    /// When the protocol fails or the connection has ended.
    pub fn drain(&mut self) -> Result<Instant, TransportError> {
        loop {
            match self.rtc.poll_output()? {
                Output::Timeout(due) => {
                    return if self.rtc.is_alive() { Ok(due) } else { Err(TransportError::Ended) };
                }
                Output::Transmit(packet) => {
                    let from = self.sockets.iter().find(|socket| socket.address == packet.source);
                    // A packet that cannot be sent is one that is lost on the way.
                    let _sent =
                        from.map(|from| from.socket.try_send_to(&packet.contents, packet.destination));
                }
                Output::Event(event) => self.note(event)?,
            }
        }
    }

    /// Returns what has happened next.
    pub fn next_event(&mut self) -> Option<TransportEvent> {
        self.events.pop_front()
    }

    fn note(&mut self, event: Event) -> Result<(), TransportError> {
        let happened = match event {
            Event::Connected => TransportEvent::Connected,
            Event::IceConnectionStateChange(IceConnectionState::Disconnected) => TransportEvent::Lost,
            Event::IceConnectionStateChange(
                IceConnectionState::Connected | IceConnectionState::Completed,
            ) => TransportEvent::Recovered,
            Event::ChannelOpen(id, _) if id == self.commands => TransportEvent::CommandsOpen,
            Event::ChannelData(data) if data.id == self.commands => {
                TransportEvent::Message(String::from_utf8_lossy(&data.data).into_owned())
            }
            Event::ChannelClose(id) if id == self.commands => return Err(TransportError::Ended),
            Event::ChannelClose(id) if Some(id) == self.poses => {
                self.poses = None;
                return Ok(());
            }
            Event::MediaData(data) if data.mid == self.sound && data.params.spec().codec == Codec::Opus => {
                let at = data.time.rebase(Frequency::FORTY_EIGHT_KHZ).numer();
                TransportEvent::Sound(SoundPacket { bytes: data.data, at, is_contiguous: data.contiguous })
            }
            Event::KeyframeRequest(_) => TransportEvent::KeyframeWanted,
            Event::Closed => return Err(TransportError::Ended),
            _ => return Ok(()),
        };
        self.events.push_back(happened);
        Ok(())
    }

    /// Sends a frame. A peer without H.264 gets no video.
    ///
    /// # Errors
    /// When the protocol fails.
    pub fn send_frame(&mut self, frame: &VideoFrame) -> Result<(), TransportError> {
        let Some(writer) = self.rtc.writer(self.video) else { return Ok(()) };
        let is_usable = |params: &&str0m::format::PayloadParams| {
            let spec = params.spec();
            spec.codec == Codec::H264 && spec.format.packetization_mode != Some(0)
        };
        let Some(pt) = writer.payload_params().find(is_usable).map(|params| params.pt()) else {
            return Ok(());
        };
        let ticks = ticks(self.begun, frame.at, VIDEO_HZ);
        Ok(writer.write(pt, frame.at, MediaTime::from_90khz(ticks), frame.bytes.clone())?)
    }

    /// Whether the peer wants the microphone's sound.
    #[must_use]
    pub fn wants_sound(&self) -> bool {
        self.rtc.media(self.sound).is_some_and(|media| media.direction().is_sending() && !media.disabled())
    }

    /// Sends a frame of the microphone, if the peer wants it.
    ///
    /// # Errors
    /// When the protocol fails.
    pub fn send_sound(&mut self, frame: SoundFrame) -> Result<(), TransportError> {
        if !self.wants_sound() {
            return Ok(());
        }
        let Some(writer) = self.rtc.writer(self.sound) else { return Ok(()) };
        let Some(pt) = writer.payload_params().find(|params| params.spec().codec == Codec::Opus) else {
            return Ok(());
        };
        let pt = pt.pt();
        // Frames follow each other without a gap, however unevenly they come, until the microphone has paused.
        let due = ticks(self.begun, frame.at, OPUS_HZ.into());
        let at = if due > self.next_sound + MAX_SOUND_DRIFT_TICKS { due } else { self.next_sound };
        self.next_sound = at + FRAME_TICKS;
        Ok(writer.write(pt, frame.at, MediaTime::new(at, Frequency::FORTY_EIGHT_KHZ), frame.bytes)?)
    }

    /// Sends a message on the channel for commands. Returns false if the peer reads too slowly.
    ///
    /// # Errors
    /// When the protocol fails.
    pub fn send_message(&mut self, text: &str) -> Result<bool, TransportError> {
        match self.rtc.channel(self.commands) {
            Some(mut channel) => Ok(channel.write(false, text.as_bytes())?),
            None => Ok(false),
        }
    }

    /// Opens the channel for poses, unless it is open: unordered and without repetition, since only the newest pose counts.
    pub fn open_poses(&mut self) {
        if self.poses.is_none() {
            let mut changes = self.rtc.sdp_api();
            let id = changes.add_channel_with_config(ChannelConfig {
                label: POSES.into(),
                ordered: false,
                reliability: Reliability::MaxRetransmits { retransmits: 0 },
                ..Default::default()
            });
            // The second channel needs no negotiation.
            let _none = changes.apply();
            self.poses = Some(id);
        }
    }

    /// Sends a pose, if the channel is open and has room.
    ///
    /// # Errors
    /// When the protocol fails.
    pub fn send_pose(&mut self, text: &str) -> Result<(), TransportError> {
        let Some(mut channel) = self.poses.and_then(|id| self.rtc.channel(id)) else { return Ok(()) };
        // Rather none than an old one. What the peer has not acknowledged yet counts too, which it does five times a second.
        if channel.buffered_amount() < MAX_POSES_BYTES {
            let _taken = channel.write(false, text.as_bytes())?;
        }
        Ok(())
    }

    /// Tells the peer that the connection ends.
    pub fn close(&mut self) {
        // The peer may have gone.
        let _closed = self.rtc.close();
        let _drained = self.drain();
    }
}

/// Returns the time since the beginning in units of a clock.
fn ticks(begun: Instant, at: Instant, hz: u128) -> u64 {
    let age = at.saturating_duration_since(begun);
    u64::try_from(age.as_nanos() * hz / Duration::from_secs(1).as_nanos()).unwrap_or(0)
}

/// Reads a socket until the session drops it.
async fn read(socket: MediaSocket, packets: mpsc::Sender<Packet>) {
    let mut buffer = vec![0; MAX_PACKET_BYTES];
    loop {
        // An error is one of an earlier packet, which did not arrive.
        let Ok((length, source)) = socket.socket.recv_from(&mut buffer).await else {
            tokio::time::sleep(READ_RETRY_INTERVAL).await;
            continue;
        };
        let bytes = buffer.get(..length).unwrap_or_default().to_vec();
        if packets.send((bytes, source, socket.address)).await.is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_offer_has_video_sound_a_data_channel_and_addresses() {
        let (_transport, offer) = Transport::open(PeerKind::Browser).await.unwrap();
        for line in [
            "m=video ",
            "m=application ",
            "H264/90000",
            "a=sendonly",
            "m=audio ",
            "opus/48000/2",
            "a=sendrecv",
            "a=candidate:",
            "a=fingerprint:sha-256",
        ] {
            assert!(offer.contains(line), "{line}: {offer}");
        }
    }

    #[tokio::test]
    async fn gstreamer_is_offered_only_what_its_sound_fits_to_the_letter() {
        let offer = |kind| async move { Transport::open(kind).await.unwrap().1 };
        let plain = offer(PeerKind::GStreamer).await;
        assert!(plain.contains("a=rtpmap:111 opus/48000/2"), "{plain}");
        for left_out in ["a=extmap:", "a=fmtp:111"] {
            assert!(
                !plain.contains(left_out) && offer(PeerKind::Browser).await.contains(left_out),
                "{plain}"
            );
        }
    }

    #[tokio::test]
    async fn sources_of_sound_are_bounded_and_wait_for_an_answer() {
        let packet = |kind: u8, source: u32| {
            [&[0x80, kind, 0, 1, 0, 0, 0, 2][..], &source.to_be_bytes(), &[7; 20]].concat()
        };
        assert_eq!(sound_source(&packet(111, 9)), Some(9));
        // The marker bit is not part of the type.
        assert_eq!(sound_source(&packet(0x80 | 111, 9)), Some(9));
        assert_eq!(sound_source(&packet(96, 9)), None);
        assert_eq!(sound_source(&[0x80, 111, 0]), None);
        let (mut transport, _) = Transport::open(PeerKind::GStreamer).await.unwrap();
        for source in 0..20 {
            transport.expect_sound(&packet(111, source));
        }
        assert_eq!(transport.unnamed_sounds, Some(Vec::new()), "there is no answer yet");
    }

    #[tokio::test]
    async fn wrong_answers_are_errors() {
        for sdp in ["", "garbage", "v=0\r\n", "m=video\r\nm=audio", "\0\0\0"] {
            let (mut transport, _) = Transport::open(PeerKind::Browser).await.unwrap();
            assert!(transport.answer(sdp).is_err(), "{sdp:?}");
            assert!(matches!(transport.answer(sdp), Err(TransportError::Unexpected)));
        }
        let (mut transport, offer) = Transport::open(PeerKind::Browser).await.unwrap();
        assert!(matches!(transport.answer(&"v".repeat(MAX_SDP_BYTES + 1)), Err(TransportError::LongSdp)));
        // Its own offer is no answer that fits.
        let _any = transport.answer(&offer);
        transport.candidate("candidate:garbage");
        transport.candidate(&"x".repeat(5000));
        assert!(transport.drain().is_ok());
    }
}
