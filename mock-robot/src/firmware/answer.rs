//! What comes back over the line, and when.

use std::time::Duration;

use firmware_bridge::clock::Tick;

/// What one byte takes at 1,000,000 baud: a start bit, eight bits and a stop bit.
const BYTE: Duration = Duration::from_micros(10);
/// What a servo takes between the last byte of an instruction and the first of its answer; assumed.
pub(super) const PROCESSING: Duration = Duration::from_micros(20);

/// What one byte takes on the line, or no time at all.
pub(super) const fn byte_time(paced: bool) -> Duration {
    if paced { BYTE } else { Duration::ZERO }
}

/// The time of so many bytes.
pub(super) fn time_of(byte_time: Duration, bytes: usize) -> Duration {
    byte_time * u32::try_from(bytes).unwrap_or(u32::MAX)
}

/// Bytes on their way back, in pieces.
#[derive(Debug, Default)]
pub(super) struct Answer {
    /// All bytes, one piece after the other.
    pub(super) bytes: Vec<u8>,
    /// The pieces.
    pub(super) pieces: Vec<Piece>,
}

/// Bytes that follow one another without a pause.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Piece {
    /// How far in the answer's bytes it reaches.
    pub(super) end: usize,
    /// How long the line is silent before it.
    pub(super) pause: Duration,
    /// Whether it is what was said, which came back while it was being said.
    pub(super) echo: bool,
}

impl Answer {
    /// Nothing, with its memory kept.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.pieces.clear();
    }

    /// Everything since the last piece is one that comes after a pause. Nothing is no piece.
    pub(super) fn cut(&mut self, pause: Duration) {
        self.piece(pause, false);
    }

    /// What was said comes back.
    pub(super) fn echo(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.piece(Duration::ZERO, true);
    }

    fn piece(&mut self, pause: Duration, echo: bool) {
        let end = self.bytes.len();
        if end > self.pieces.last().map_or(0, |last| last.end) {
            self.pieces.push(Piece { end, pause, echo });
        }
    }

    /// Each piece's bytes, with the moment at which its last byte is there; the answer begins after `heard`.
    pub(super) fn arrivals(&self, heard: Tick, byte_time: Duration) -> impl Iterator<Item = (&[u8], Tick)> {
        let (mut start, mut at) = (0, heard);
        self.pieces.iter().map(move |piece| {
            let bytes = self.bytes.get(start..piece.end).unwrap_or_default();
            start = piece.end;
            if !piece.echo && !byte_time.is_zero() {
                at = at + piece.pause + time_of(byte_time, bytes.len());
            }
            (bytes, at)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_piece_arrives_after_its_pause_and_its_bytes_and_an_echo_at_once() {
        let mut answer = Answer::default();
        answer.echo(&[1; 10]);
        answer.bytes.extend([2; 3]);
        answer.cut(Duration::from_micros(20));
        answer.cut(Duration::from_micros(500));
        answer.bytes.extend([3; 2]);
        answer.cut(Duration::from_micros(500));
        let arrivals: Vec<_> =
            answer.arrivals(Tick(1_000), BYTE).map(|(bytes, at)| (bytes.len(), at.0 - 1_000)).collect();
        assert_eq!(arrivals, [(10, 0), (3, 50_000), (2, 570_000)]);
        assert!(answer.arrivals(Tick(7), Duration::ZERO).all(|(_, at)| at == Tick(7)));
    }
}
