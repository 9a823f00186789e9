//! Sound as Opus packets: the robot's microphone for peers ([`SoundEncoder`]), and a peer's sound for the robot's speaker
//! ([`SoundDecoder`]).
//!
//! Safety: packets of a peer are untrusted. One that is malformed is dropped, and what is missing is concealed, up to a limit.

use std::sync::Arc;

use opus_pure::{Application, OpusDecoder, OpusEncoder};

/// The clock of Opus in RTP, whatever the rate of the sound (RFC 7587).
pub const OPUS_HZ: u32 = 48_000;

/// The rate of the microphone's sound: that of the robot's microphone in the controller. A higher one would carry nothing more.
pub const MICROPHONE_HZ: u32 = 16_000;

/// The rate of the sound for the speaker: the one that the controller prefers for its speaker.
pub const SPEAKER_HZ: u32 = 24_000;

/// Frames per second: each has 20 ms.
pub const FRAMES_PER_SECOND: u32 = 50;

/// Samples of a frame of the microphone and of one for the speaker.
const MICROPHONE_FRAME: usize = (MICROPHONE_HZ / FRAMES_PER_SECOND) as usize;
pub const SPEAKER_FRAME: usize = (SPEAKER_HZ / FRAMES_PER_SECOND) as usize;

/// Units of the RTP clock in a frame.
pub const FRAME_TICKS: u64 = (OPUS_HZ / FRAMES_PER_SECOND) as u64;

/// The bit rate of the microphone, in bits per second: good speech.
const BIT_RATE: i32 = 32_000;

/// How much the encoder searches, 0 to 10. At 5, a second of sound takes a few milliseconds.
const COMPLEXITY: i32 = 5;

/// The share of packets that the microphone's stream survives without a gap, percent, as in the official daemon.
const REDUNDANCY_PERCENT: i32 = 20;

/// The longest packet that is encoded, bytes.
const MAX_PACKET_BYTES: usize = 1000;

/// The most samples that a packet holds: 120 ms.
const MAX_PACKET_SAMPLES: usize = 6 * SPEAKER_FRAME;

/// The most frames that are concealed in a row. After that, silence is better than an invented sound.
const MAX_CONCEALED_FRAMES: u64 = 5;

/// Reports that the codec does not start or does not take a sound.
#[derive(Debug, thiserror::Error)]
#[error("the Opus codec failed: {0}")]
pub struct OpusError(opus_pure::Error);

/// Encodes the microphone's sound.
pub struct SoundEncoder {
    encoder: OpusEncoder,
    pending: Vec<i16>,
}

impl SoundEncoder {
    /// Returns an encoder for one stream.
    ///
    /// # Errors
    /// [`OpusError`] if the codec does not start.
    pub fn new() -> Result<Self, OpusError> {
        let mut encoder =
            OpusEncoder::new(MICROPHONE_HZ.cast_signed(), 1, Application::Voip).map_err(OpusError)?;
        encoder.bitrate_bps = BIT_RATE;
        encoder.complexity = COMPLEXITY;
        encoder.use_inband_fec = true;
        encoder.packet_loss_perc = REDUNDANCY_PERCENT;
        Ok(SoundEncoder { encoder, pending: Vec::new() })
    }

    /// Takes samples of 16 bits, little-endian, and returns the packets that are complete.
    ///
    /// # Errors
    /// [`OpusError`]; what was pending is dropped.
    pub fn encode(&mut self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, OpusError> {
        self.pending.extend(bytes.as_chunks::<2>().0.iter().map(|pair| i16::from_le_bytes(*pair)));
        let pending = std::mem::take(&mut self.pending);
        let (frames, rest) = pending.as_chunks::<MICROPHONE_FRAME>();
        self.pending.extend_from_slice(rest);
        let mut packets = Vec::with_capacity(frames.len());
        for frame in frames {
            let mut packet = vec![0; MAX_PACKET_BYTES];
            let length = self.encoder.encode_s16(frame, MICROPHONE_FRAME, &mut packet).map_err(OpusError)?;
            packet.truncate(length);
            packets.push(packet);
        }
        Ok(packets)
    }
}

/// A packet of a peer's sound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SoundPacket {
    /// The Opus packet.
    pub bytes: Arc<[u8]>,
    /// When it begins, in units of the RTP clock.
    pub at: u64,
    /// Whether the packet before it has arrived.
    pub is_contiguous: bool,
}

/// Decodes a peer's sound.
pub struct SoundDecoder {
    decoder: OpusDecoder,
    /// When the next packet begins, if none is missing.
    next: Option<u64>,
    /// Whether the last packet was malformed, so that its sound is missing.
    has_failed: bool,
}

impl SoundDecoder {
    /// Returns a decoder for one stream.
    ///
    /// # Errors
    /// [`OpusError`] if the codec does not start.
    pub fn new() -> Result<Self, OpusError> {
        let decoder = OpusDecoder::new(SPEAKER_HZ.cast_signed(), 1).map_err(OpusError)?;
        Ok(SoundDecoder { decoder, next: None, has_failed: false })
    }

    /// Decodes a packet and conceals what is missing before it. Returns nothing for a packet that is malformed or too late.
    pub fn decode(&mut self, packet: &SoundPacket) -> Vec<i16> {
        let gap = self.next.map_or(0, |next| packet.at.saturating_sub(next));
        if self.next.is_some_and(|next| packet.at < next && next - packet.at < u64::from(OPUS_HZ)) {
            // What it would say has been concealed.
            return Vec::new();
        }
        let mut samples = Vec::new();
        // A gap without a loss is a pause: the peer sends nothing while it is silent.
        if !packet.is_contiguous || self.has_failed {
            self.conceal(packet, (gap / FRAME_TICKS).min(MAX_CONCEALED_FRAMES), &mut samples);
        }
        let mut decoded = [0; MAX_PACKET_SAMPLES];
        let count = match self.decoder.decode_s16(&packet.bytes, MAX_PACKET_SAMPLES, &mut decoded) {
            // An empty packet would be concealed for as long as a packet may last.
            Ok(count) if !packet.bytes.is_empty() => count,
            _ => {
                self.has_failed = true;
                // What is concealed already is not concealed a second time.
                self.next = self.next.map(|next| next.max(packet.at));
                return samples;
            }
        };
        self.has_failed = false;
        samples.extend_from_slice(decoded.get(..count).unwrap_or_default());
        self.next = Some(packet.at + count as u64 * u64::from(OPUS_HZ / SPEAKER_HZ));
        samples
    }

    /// Continues the sound for some frames. The packet may have a coarse copy of the last of them.
    fn conceal(&mut self, packet: &SoundPacket, frames: u64, samples: &mut Vec<i16>) {
        for index in 0..frames {
            let mut frame = [0; SPEAKER_FRAME];
            let concealed = if index + 1 == frames && !packet.bytes.is_empty() {
                self.decoder.decode_fec_s16(&packet.bytes, SPEAKER_FRAME, &mut frame)
            } else {
                self.decoder.decode_s16(&[], SPEAKER_FRAME, &mut frame)
            };
            if let Ok(count) = concealed {
                samples.extend_from_slice(frame.get(..count).unwrap_or_default());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TONE_HZ: f64 = 440.0;
    const AMPLITUDE: f64 = 8000.0;

    /// Returns a tone at the rate of the microphone.
    fn tone(frames: usize) -> Vec<u8> {
        (0..frames * MICROPHONE_FRAME)
            .flat_map(|at| {
                let phase = std::f64::consts::TAU * TONE_HZ * at as f64 / f64::from(MICROPHONE_HZ);
                ((AMPLITUDE * phase.sin()) as i16).to_le_bytes()
            })
            .collect()
    }

    fn packets(frames: usize) -> Vec<SoundPacket> {
        let encoded = SoundEncoder::new().unwrap().encode(&tone(frames)).unwrap();
        let packet = |(index, bytes): (usize, Vec<u8>)| SoundPacket {
            bytes: bytes.into(),
            at: index as u64 * FRAME_TICKS,
            is_contiguous: true,
        };
        encoded.into_iter().enumerate().map(packet).collect()
    }

    /// Returns the power of the tone and the whole power, relative to the tone that was encoded.
    fn powers(samples: &[i16]) -> (f64, f64) {
        let step = std::f64::consts::TAU * TONE_HZ / f64::from(SPEAKER_HZ);
        let (mut sine, mut cosine, mut all) = (0.0, 0.0, 0.0);
        for (at, sample) in samples.iter().enumerate() {
            let value = f64::from(*sample) / AMPLITUDE;
            sine += value * (step * at as f64).sin();
            cosine += value * (step * at as f64).cos();
            all += value * value;
        }
        let count = samples.len() as f64;
        (4.0 * (sine * sine + cosine * cosine) / (count * count), 2.0 * all / count)
    }

    #[test]
    fn a_tone_survives_the_round_trip() {
        let mut decoder = SoundDecoder::new().unwrap();
        let samples: Vec<i16> = packets(150).iter().flat_map(|packet| decoder.decode(packet)).collect();
        assert_eq!(samples.len(), 150 * SPEAKER_FRAME);
        let (tone, all) = powers(&samples[50 * SPEAKER_FRAME..]);
        assert!((0.9..1.1).contains(&tone) && tone / all > 0.99, "tone {tone}, all {all}");
    }

    #[test]
    fn sound_may_come_in_any_pieces() {
        let whole: Vec<_> = packets(10).into_iter().map(|packet| packet.bytes.to_vec()).collect();
        let mut encoder = SoundEncoder::new().unwrap();
        let pieces: Vec<_> = tone(10).chunks(346).flat_map(|piece| encoder.encode(piece).unwrap()).collect();
        assert_eq!(pieces, whole);
    }

    #[test]
    fn losses_are_concealed_and_pauses_are_not() {
        let mut decoder = SoundDecoder::new().unwrap();
        let all = packets(60);
        for packet in &all[..40] {
            decoder.decode(packet);
        }
        let lost = SoundPacket { is_contiguous: false, ..all[42].clone() };
        let concealed = decoder.decode(&lost);
        assert_eq!(concealed.len(), 3 * SPEAKER_FRAME, "two frames are concealed");
        // It goes on, and fades, since it may have ended meanwhile.
        let loudness = |frame: usize| powers(&concealed[frame * SPEAKER_FRAME..][..SPEAKER_FRAME]).1;
        let measured = [0, 1].map(loudness);
        assert!(measured[0] > 0.05 && measured[1] < measured[0], "{measured:?}");
        assert_eq!(decoder.decode(&all[41]).len(), 0, "it is too late");
        assert_eq!(decoder.decode(&all[50]).len(), SPEAKER_FRAME, "a pause stays one");
        let far = SoundPacket { at: u64::from(u32::MAX), is_contiguous: false, ..all[51].clone() };
        let longest = (MAX_CONCEALED_FRAMES as usize + 1) * SPEAKER_FRAME;
        assert_eq!(decoder.decode(&far).len(), longest, "a long loss is not filled");
        let back = SoundPacket { at: 0, is_contiguous: false, ..all[52].clone() };
        assert_eq!(decoder.decode(&back).len(), SPEAKER_FRAME, "a peer may begin its clock again");
    }

    #[test]
    fn malformed_packets_are_dropped_and_the_next_one_is_decoded() {
        let mut decoder = SoundDecoder::new().unwrap();
        let good = packets(3);
        decoder.decode(&good[0]);
        for bytes in [&[][..], &[0xff], &[0xff; 3], &[0x03, 0x3f, 0xff, 0xff]] {
            let bad = SoundPacket { bytes: bytes.into(), ..good[1].clone() };
            assert_eq!(decoder.decode(&bad).len(), 0, "{bytes:?}");
        }
        assert_eq!(decoder.decode(&good[2]).len(), 2 * SPEAKER_FRAME, "with what the bad one lacked");
        // A stream of nonsense: whatever it decodes to is bounded, and nothing panics.
        let mut seed = 1_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize
        };
        for _ in 0..5000 {
            let bytes: Vec<u8> = (0..random() % 300).map(|_| random() as u8).collect();
            let packet =
                SoundPacket { bytes: bytes.into(), at: random() as u64, is_contiguous: random() % 2 == 0 };
            let most = MAX_PACKET_SAMPLES + MAX_CONCEALED_FRAMES as usize * SPEAKER_FRAME;
            assert!(decoder.decode(&packet).len() <= most);
        }
    }
}
