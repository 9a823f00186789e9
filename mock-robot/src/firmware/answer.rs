//! Status packets on the line, and their timing.

use std::time::Duration;

use firmware_bridge::clock::Timestamp;

/// Transfer time of one byte at 1,000,000 baud: a start bit, eight bits and a stop bit.
const BYTE: Duration = Duration::from_micros(10);
/// Time between the last byte of an instruction and the first of its answer; assumed.
pub(super) const PROCESSING: Duration = Duration::from_micros(20);

/// Returns the transfer time of one byte, or zero if the line is not paced.
pub(super) const fn byte_time(paced: bool) -> Duration {
    if paced { BYTE } else { Duration::ZERO }
}

/// Returns the transfer time of this many bytes.
pub(super) fn time_of(byte_time: Duration, bytes: usize) -> Duration {
    byte_time * u32::try_from(bytes).unwrap_or(u32::MAX)
}

/// The bytes of an answer, in chunks.
#[derive(Debug, Default)]
pub(super) struct StatusPacket {
    /// The bytes of all chunks.
    pub(super) bytes: Vec<u8>,
    /// The chunks.
    pub(super) chunks: Vec<Chunk>,
}

/// Bytes without a pause between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Chunk {
    /// The end of the chunk in the answer's bytes.
    pub(super) end: usize,
    /// The silence before the chunk.
    pub(super) pause: Duration,
    /// Whether the chunk is an echo, which arrives while the instruction is being sent.
    pub(super) echo: bool,
}

impl StatusPacket {
    /// Clears the answer and keeps its memory.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.chunks.clear();
    }

    /// Ends a chunk that contains everything since the previous one and follows a pause. An empty chunk is omitted.
    pub(super) fn cut(&mut self, pause: Duration) {
        self.add_chunk(pause, false);
    }

    /// Adds an echo of the received bytes.
    pub(super) fn echo(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.add_chunk(Duration::ZERO, true);
    }

    fn add_chunk(&mut self, pause: Duration, echo: bool) {
        let end = self.bytes.len();
        if end > self.chunks.last().map_or(0, |last| last.end) {
            self.chunks.push(Chunk { end, pause, echo });
        }
    }

    /// Returns each chunk's bytes with the arrival time of its last byte; the answer begins after `heard`.
    pub(super) fn arrivals(
        &self,
        heard: Timestamp,
        byte_time: Duration,
    ) -> impl Iterator<Item = (&[u8], Timestamp)> {
        let (mut start, mut at) = (0, heard);
        self.chunks.iter().map(move |add_chunk| {
            let bytes = self.bytes.get(start..add_chunk.end).unwrap_or_default();
            start = add_chunk.end;
            if !add_chunk.echo && !byte_time.is_zero() {
                at = at + add_chunk.pause + time_of(byte_time, bytes.len());
            }
            (bytes, at)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunk_arrives_after_its_pause_and_transfer_and_echo_immediately() {
        let mut answer = StatusPacket::default();
        answer.echo(&[1; 10]);
        answer.bytes.extend([2; 3]);
        answer.cut(Duration::from_micros(20));
        answer.cut(Duration::from_micros(500));
        answer.bytes.extend([3; 2]);
        answer.cut(Duration::from_micros(500));
        let arrivals: Vec<_> =
            answer.arrivals(Timestamp(1_000), BYTE).map(|(bytes, at)| (bytes.len(), at.0 - 1_000)).collect();
        assert_eq!(arrivals, [(10, 0), (3, 50_000), (2, 570_000)]);
        assert!(answer.arrivals(Timestamp(7), Duration::ZERO).all(|(_, at)| at == Timestamp(7)));
    }
}
