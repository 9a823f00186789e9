//! Requests and answers on a line: one packet to all servos, or one request with one deadline for the whole answer.
//!
//! The deadline applies however slowly the bytes arrive. A servo that does not answer is no error here; a line that
//! cannot be read or written is one.

use std::time::Duration;

use super::BusOptions;
use super::packet::{LENGTH_FIELD_END, SyncRead, sync_read, sync_write};
use super::registers::Register;
use super::status::{
    Answer, Find, Found, Status, answer_length, fast_status, fast_status_length, fast_status_start,
    first_answer,
};
use super::transport::Transport;
use crate::clock::Timestamp;
use crate::joint::{Joint, Joints};
use crate::robot::RobotError;
use crate::servo::ReadError;

/// Reading ends after this many bytes, since the line is sending noise: nine answers are 135 bytes.
const MAX_RECEIVED_BYTES: usize = 2048;
/// More than the longest packet that a cycle sends.
const MAX_REQUEST_BYTES: usize = 256;
/// Extra time for servos and adapters, in addition to the transfer time. Some USB adapters have a timer of 1 ms.
const TURNAROUND_MARGIN: Duration = Duration::from_millis(2);
/// A byte with its start and stop bit.
const BITS_PER_BYTE: u64 = 10;

/// The timeout of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReplyTimeout {
    /// Within a cycle, where one silent motor must not delay the others.
    Cycle,
    /// Outside the control loop.
    Reply,
}

/// The result of a request to several motors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Reply {
    /// The answer of each motor, if any.
    pub answers: Joints<Option<Status>>,
    /// Why an answer is missing. `None` for motors after the one at which a shared packet broke off: they could not
    /// answer.
    pub errors: Joints<Option<ReadError>>,
    /// Whether the line echoed the request.
    pub echo: bool,
}

impl Reply {
    const NOTHING: Reply = Reply { answers: Joints::all(None), errors: Joints::all(None), echo: false };
}

/// A line with servos.
pub(super) struct Port {
    transport: Box<dyn Transport>,
    baud: u32,
    reply_timeout: Duration,
    cycle_timeout: Duration,
    /// The last request.
    pub(super) request_packet: Vec<u8>,
    /// The last packet without an answer.
    last_write: Vec<u8>,
    received: Vec<u8>,
}

impl Port {
    /// Creates a port on this line.
    pub fn new(wire: Box<dyn Transport>, options: &BusOptions) -> Port {
        let BusOptions { baud, reply_timeout, cycle_timeout, .. } = *options;
        // Allocated here, so that no cycle allocates.
        Port {
            transport: wire,
            baud: baud.max(1),
            reply_timeout,
            cycle_timeout,
            request_packet: Vec::with_capacity(MAX_REQUEST_BYTES),
            last_write: Vec::with_capacity(MAX_REQUEST_BYTES),
            received: Vec::with_capacity(2 * MAX_RECEIVED_BYTES),
        }
    }

    /// Sets the timeout of an answer outside the control loop, and returns the previous one.
    pub fn allow_replies(&mut self, timeout: Duration) -> Duration {
        std::mem::replace(&mut self.reply_timeout, timeout)
    }

    /// Returns the present time on the line's own clock.
    pub fn now(&self) -> Timestamp {
        self.transport.now()
    }

    /// Advances the line's time.
    pub fn pause(&self, duration: Duration) {
        self.transport.wait_until(self.transport.now() + duration);
    }

    /// Returns the capacities of the buffers.
    #[cfg(test)]
    pub fn reserved(&self) -> [usize; 3] {
        [self.request_packet.capacity(), self.last_write.capacity(), self.received.capacity()]
    }

    /// Returns the bytes received since the last request.
    pub fn received_packet(&self) -> &[u8] {
        &self.received
    }

    /// Returns the transfer time of a number of bytes.
    pub fn transfer(&self, bytes: usize) -> Duration {
        let bits = u64::try_from(bytes).unwrap_or(u64::MAX).saturating_mul(BITS_PER_BYTE);
        Duration::from_nanos(bits.saturating_mul(1_000_000_000) / u64::from(self.baud))
    }

    /// Writes a register of several motors with one packet. It has no answer; only a later read shows whether they
    /// accepted it.
    pub fn write_packet(
        &mut self,
        register: Register,
        values: impl Iterator<Item = (Joint, u32)>,
    ) -> Result<(), RobotError> {
        sync_write(&mut self.last_write, register, values.map(|(joint, value)| (joint.motor_id(), value)));
        self.transport.send(&self.last_write).map_err(gone)
    }

    /// Reads a register of several motors with one request.
    pub fn request(
        &mut self,
        asking: SyncRead,
        register: Register,
        joints: &[Joint],
        patience: ReplyTimeout,
    ) -> Result<Reply, RobotError> {
        if joints.is_empty() {
            return Ok(Reply::NOTHING);
        }
        let ids = joints.iter().map(|joint| joint.motor_id());
        sync_read(&mut self.request_packet, asking, register, ids);
        let expected = match asking {
            SyncRead::Plain => joints.len() * answer_length(usize::from(register.width)),
            SyncRead::Fast => fast_status_length(register.width, joints.len()),
        };
        let deadline = self.send_request(expected, patience)?;
        match asking {
            SyncRead::Plain => self.receive_plain(register, joints, deadline),
            SyncRead::Fast => self.receive_fast(register, joints, deadline),
        }
    }

    /// Sends the request, and returns the deadline for an answer of this many bytes.
    fn send_request(&mut self, expected: usize, patience: ReplyTimeout) -> Result<Timestamp, RobotError> {
        // Late bytes of an earlier answer must not count as an answer to this request.
        self.transport.discard().map_err(gone)?;
        self.received.clear();
        let patience = match patience {
            ReplyTimeout::Cycle => self.cycle_timeout,
            ReplyTimeout::Reply => self.reply_timeout,
        };
        let least = self.transfer(self.request_packet.len() + expected) + TURNAROUND_MARGIN;
        let deadline = self.transport.now() + patience.max(least);
        self.transport.send(&self.request_packet).map_err(gone)?;
        Ok(deadline)
    }

    fn receive_plain(
        &mut self,
        register: Register,
        joints: &[Joint],
        deadline: Timestamp,
    ) -> Result<Reply, RobotError> {
        let mut collector =
            AnswerCollector { reply: Reply::NOTHING, asked: joints, next: 0, pending_loss: None };
        let mut read = 0;
        while collector.next < joints.len() && self.receive_more(deadline)? {
            loop {
                let rest = self.received.get(read..).unwrap_or_default();
                let Find { found, junk, used } = first_answer(
                    rest,
                    usize::from(register.width),
                    &[&self.request_packet, &self.last_write],
                );
                read += used;
                if junk > 0 {
                    collector.record_loss(None, ReadError::Corrupt);
                }
                match found {
                    Found::Answer(answer) => collector.record_answer(&answer),
                    Found::Broken { id, loss } => collector.record_loss(Some(id), loss),
                    Found::Echo => collector.reply.echo = true,
                    Found::Nothing => break,
                }
            }
        }
        let rest = self.received.get(read..).unwrap_or_default();
        if !rest.is_empty() {
            collector.record_loss(rest.get(LENGTH_FIELD_END - 3).copied(), ReadError::Partial);
        }
        Ok(collector.finish())
    }

    fn receive_fast(
        &mut self,
        register: Register,
        joints: &[Joint],
        deadline: Timestamp,
    ) -> Result<Reply, RobotError> {
        let whole = fast_status_length(register.width, joints.len());
        loop {
            let packet = fast_status_start(&self.received, register.width, joints.len());
            if packet.is_some_and(|packet| packet.len() >= whole) || !self.receive_more(deadline)? {
                break;
            }
        }
        let mut reply = Reply::NOTHING;
        // The bytes before an answer are always fewer than those of an echo.
        let packet = fast_status_start(&self.received, register.width, joints.len());
        let before = self.received.len() - packet.map_or(0, <[u8]>::len);
        reply.echo = before >= self.request_packet.len()
            && self.received.windows(self.request_packet.len()).any(|window| window == self.request_packet);
        match packet {
            Some(packet) => {
                let ids = joints.iter().map(|joint| joint.motor_id());
                for (joint, part) in joints.iter().zip(fast_status(packet, register.width, ids)) {
                    reply.answers[*joint] = part.ok();
                    reply.errors[*joint] = part.err();
                }
            }
            None => {
                let echoed = if reply.echo { self.request_packet.len() } else { 0 };
                if before <= echoed {
                    joints.iter().for_each(|joint| reply.errors[*joint] = Some(ReadError::Silent));
                } else if let Some(first) = joints.first() {
                    let begun = before - echoed <= LENGTH_FIELD_END;
                    reply.errors[*first] = Some(if begun { ReadError::Partial } else { ReadError::Corrupt });
                }
            }
        }
        Ok(reply)
    }

    /// Sends the request in `request_packet` to one servo and passes its answer with `width` bytes of data to `take`.
    /// Returns `None` if the servo does not answer.
    pub fn transact<T>(
        &mut self,
        id: u8,
        width: usize,
        patience: ReplyTimeout,
        take: impl FnOnce(&Answer<'_>) -> T,
    ) -> Result<Option<T>, RobotError> {
        let deadline = self.send_request(answer_length(width), patience)?;
        let mut read = 0;
        while self.receive_more(deadline)? {
            loop {
                let rest = self.received.get(read..).unwrap_or_default();
                let Find { found, used, .. } =
                    first_answer(rest, width, &[&self.request_packet, &self.last_write]);
                read += used;
                match found {
                    Found::Answer(answer) if answer.id == id => return Ok(Some(take(&answer))),
                    Found::Nothing => break,
                    Found::Answer(_) | Found::Broken { .. } | Found::Echo => {}
                }
            }
        }
        Ok(None)
    }

    /// Sends the request in `request_packet` to all servos, and receives for this long.
    pub fn read_packet(&mut self, time: Duration) -> Result<(), RobotError> {
        self.send_request(0, ReplyTimeout::Reply)?;
        let deadline = self.transport.now() + time;
        while self.receive_more(deadline)? {}
        Ok(())
    }

    /// Appends the next bytes. Returns false if the deadline passes before any arrive.
    fn receive_more(&mut self, deadline: Timestamp) -> Result<bool, RobotError> {
        if self.received.len() > MAX_RECEIVED_BYTES {
            return Ok(false);
        }
        let mut bytes = [0; 256];
        let length = self.transport.receive(&mut bytes, deadline).map_err(gone)?;
        self.received.extend(bytes.iter().take(length));
        Ok(length > 0)
    }
}

/// Collects the answers of several servos. They answer in the order of the request.
struct AnswerCollector<'a> {
    reply: Reply,
    asked: &'a [Joint],
    /// The position of the next servo to answer.
    next: usize,
    /// The loss since the last answer, and the servo's id if it is known.
    pending_loss: Option<(Option<u8>, ReadError)>,
}

impl AnswerCollector<'_> {
    fn record_answer(&mut self, answer: &Answer<'_>) {
        let index = self.asked.iter().position(|joint| joint.motor_id() == answer.id);
        let (Some(index), Some(status)) = (index, answer.status()) else {
            return self.record_loss(Some(answer.id), ReadError::Corrupt);
        };
        if index < self.next {
            return;
        }
        self.mark_silent_before(index);
        self.next = index + 1;
        if let Some(joint) = self.asked.get(index) {
            self.reply.answers[*joint] = Some(status);
        }
    }

    fn record_loss(&mut self, id: Option<u8>, loss: ReadError) {
        match self.pending_loss {
            // A loss with an id contains more information than one without.
            None | Some((None, _)) if id.is_some() || self.pending_loss.is_none() => {
                self.pending_loss = Some((id, loss))
            }
            _ => {}
        }
    }

    /// Marks the servos before this position as silent.
    fn mark_silent_before(&mut self, index: usize) {
        let missed = self.asked.get(self.next..index).unwrap_or_default();
        missed.iter().for_each(|joint| self.reply.errors[*joint] = Some(ReadError::Silent));
        if let Some((id, loss)) = self.pending_loss.take() {
            let named = missed.iter().find(|joint| Some(joint.motor_id()) == id);
            if let Some(joint) = named.or(missed.first()) {
                self.reply.errors[*joint] = Some(loss);
            }
        }
    }

    fn finish(mut self) -> Reply {
        self.mark_silent_before(self.asked.len());
        self.reply
    }
}

/// Returns the fault for a line that cannot be read or written.
pub(super) fn gone(reason: impl std::fmt::Display) -> RobotError {
    RobotError::PortGone { reason: reason.to_string() }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::thread::JoinHandle;

    use serialport::{SerialPort, TTYPort};

    use super::*;
    use crate::bus::packet::crc;
    use crate::bus::registers::PRESENT_POSITION;
    use crate::bus::serial::SerialTransport;

    const JOINTS: [Joint; 3] = [Joint::Stewart1, Joint::Stewart2, Joint::Stewart3];

    fn over(near: TTYPort, patience: Duration) -> Port {
        let options = BusOptions { cycle_timeout: patience, ..BusOptions::default() };
        Port::new(Box::new(SerialTransport::with_transport(near)), &options)
    }

    /// A far end that waits for one request and answers with these chunks, each after the previous one was received.
    fn answering_port(chunks: Vec<Vec<u8>>) -> (Port, JoinHandle<TTYPort>) {
        let (mut far, near) = TTYPort::pair().unwrap();
        far.set_timeout(Duration::from_secs(5)).unwrap();
        let thread = std::thread::spawn(move || {
            let mut request = [0; 17];
            far.read_exact(&mut request).unwrap();
            for chunk in chunks {
                far.write_all(&chunk).unwrap();
            }
            far
        });
        (over(near, Duration::from_millis(200)), thread)
    }

    fn answer(id: u8, position: u32) -> Vec<u8> {
        let mut packet = vec![255, 255, 253, 0, id, 8, 0, 0x55, 0];
        packet.extend(position.to_le_bytes());
        packet.extend(crc(0, &packet).to_le_bytes());
        packet
    }

    fn reply(asking: SyncRead, chunks: Vec<Vec<u8>>) -> Reply {
        let (mut port, far) = answering_port(chunks);
        let reply = port.request(asking, PRESENT_POSITION, &JOINTS, ReplyTimeout::Cycle).unwrap();
        drop(far.join().unwrap());
        reply
    }

    fn values_of(asking: SyncRead, chunks: Vec<Vec<u8>>) -> Vec<Option<u32>> {
        JOINTS.map(|joint| reply_values(&reply(asking, chunks.clone()), joint)).to_vec()
    }

    fn reply_values(reply: &Reply, joint: Joint) -> Option<u32> {
        reply.answers[joint].map(|status| status.value)
    }

    /// Returns the request for the positions of the three motors.
    fn request(asking: SyncRead) -> Vec<u8> {
        let mut packet = Vec::new();
        sync_read(&mut packet, asking, PRESENT_POSITION, JOINTS.iter().map(|joint| joint.motor_id()));
        packet
    }

    fn fast(values: &[(u8, u32)]) -> Vec<u8> {
        let mut packet = vec![255, 255, 253, 0, 254, 25, 0, 0x55];
        for (id, position) in values {
            packet.extend([0, *id]);
            packet.extend(position.to_le_bytes());
            packet.extend(crc(0, &packet).to_le_bytes());
        }
        packet
    }

    #[test]
    fn answers_in_chunks_between_noise_are_assembled() {
        let bytes =
            [&[0, 255, 255, 253][..], &answer(11, 5), &[7; 40], &answer(12, 6), &answer(13, 7)].concat();
        let chunks = bytes.iter().map(|byte| vec![*byte]).collect();
        assert_eq!(values_of(SyncRead::Plain, chunks), [Some(5), Some(6), Some(7)]);
    }

    #[test]
    fn silent_and_garbled_motors_do_not_affect_others() {
        let mut garbled = answer(11, 5);
        garbled[10] ^= 0x10;
        assert_eq!(values_of(SyncRead::Plain, vec![garbled, answer(13, 7)]), [None, None, Some(7)]);
        // An answer of a motor that was not asked is ignored.
        assert_eq!(values_of(SyncRead::Plain, vec![answer(18, 9), answer(12, 6)]), [None, Some(6), None]);
        assert_eq!(values_of(SyncRead::Plain, vec![]), [None; 3]);
    }

    #[test]
    fn truncated_fast_answer_keeps_its_complete_blocks() {
        let packet = fast(&[(11, 5), (12, 6)]);
        let (first, second) = packet.split_at(11);
        let chunks = vec![vec![9, 9], first.to_vec(), second.to_vec(), vec![0, 13, 1]];
        assert_eq!(values_of(SyncRead::Fast, chunks), [Some(5), Some(6), None]);
        assert_eq!(values_of(SyncRead::Fast, vec![]), [None; 3]);
    }

    #[test]
    fn loss_names_its_motor_and_cause() {
        let [one, two, three] = [answer(11, 5), answer(12, 6), answer(13, 7)];
        let corrupt = |packet: &[u8]| {
            let mut packet = packet.to_vec();
            packet[10] ^= 0x10;
            packet
        };
        let check = |asking, chunks: &[&[u8]], expected: [Option<ReadError>; 3]| {
            let reply = reply(asking, chunks.iter().map(|chunk| chunk.to_vec()).collect());
            assert_eq!(JOINTS.map(|joint| reply.errors[joint]), expected, "{asking:?} {chunks:?}");
            for joint in JOINTS {
                assert!(reply.answers[joint].is_none() || reply.errors[joint].is_none());
            }
            assert!(!reply.echo);
        };
        let (silent, record_loss, cut) =
            (Some(ReadError::Silent), Some(ReadError::Corrupt), Some(ReadError::Partial));
        let each = SyncRead::Plain;
        check(each, &[&one, &two, &three], [None; 3]);
        check(each, &[], [silent; 3]);
        check(each, &[&one, &three], [None, silent, None]);
        check(each, &[&one, &corrupt(&two), &three], [None, record_loss, None]);
        check(each, &[&corrupt(&one), &three], [record_loss, silent, None]);
        // Without its header the sender is unknown: the first missing motor gets the loss.
        check(each, &[&one, &two[4..], &three], [None, record_loss, None]);
        check(each, &[&one, &two[..9], &three], [None, cut, None]);
        check(each, &[&one, &two, &three[..9]], [None, None, cut]);
        check(each, &[&one, &three[..6]], [None, silent, cut]);
        check(each, &[&one, &[0xff]], [None, cut, silent]);
        // Noise between valid answers causes no loss.
        check(each, &[&one, &[1, 2, 3], &two, &[0xff; 9], &three], [None; 3]);

        let together = SyncRead::Fast;
        let whole = fast(&[(11, 5), (12, 6), (13, 7)]);
        check(together, &[&whole], [None; 3]);
        check(together, &[], [silent; 3]);
        // Motors after the break could not answer, and have no loss.
        check(together, &[&whole[..8 + 8]], [None, silent, None]);
        check(together, &[&whole[..8 + 12]], [None, cut, None]);
        check(together, &[&whole[..8 + 23]], [None, None, cut]);
        let mut flipped = whole.clone();
        flipped[8 + 3] ^= 1;
        check(together, &[&flipped], [record_loss, None, None]);
        check(together, &[&whole[..5]], [cut, None, None]);
        check(together, &[&whole[3..]], [record_loss, None, None]);
    }

    #[test]
    fn echo_is_reported_and_causes_no_loss() {
        let three = [answer(11, 5), answer(12, 6), answer(13, 7)].concat();
        for (asking, packet) in
            [(SyncRead::Plain, three), (SyncRead::Fast, fast(&[(11, 5), (12, 6), (13, 7)]))]
        {
            // The tail of an echo of the previous packet may come first.
            let reply = reply(asking, vec![vec![9, 8, 7], request(asking), packet]);
            assert!(reply.echo);
            assert_eq!(JOINTS.map(|joint| reply_values(&reply, joint)), [Some(5), Some(6), Some(7)]);
            assert_eq!(reply.errors, Joints::all(None));
        }
        for asking in [SyncRead::Plain, SyncRead::Fast] {
            let reply = reply(asking, vec![request(asking)]);
            assert_eq!(JOINTS.map(|joint| reply.errors[joint]), [Some(ReadError::Silent); 3]);
            assert!(reply.echo);
        }
    }

    #[test]
    fn reading_ends_on_a_noisy_line() {
        assert_eq!(values_of(SyncRead::Plain, vec![vec![0xff; 1000]; 4]), [None; 3]);
    }

    #[test]
    fn answer_to_an_earlier_request_is_ignored() {
        let (mut far, near) = TTYPort::pair().unwrap();
        far.write_all(&answer(11, 5)).unwrap();
        let mut port = over(near, Duration::from_millis(20));
        let reply =
            port.request(SyncRead::Plain, PRESENT_POSITION, &[Joint::Stewart1], ReplyTimeout::Cycle).unwrap();
        assert_eq!(reply.answers[Joint::Stewart1], None);
    }

    #[test]
    fn lost_line_is_a_fault() {
        let (far, near) = TTYPort::pair().unwrap();
        let mut port = over(near, Duration::from_millis(200));
        drop(far);
        let fault =
            port.request(SyncRead::Plain, PRESENT_POSITION, &Joint::ALL, ReplyTimeout::Reply).unwrap_err();
        assert!(matches!(fault, RobotError::PortGone { .. }), "{fault}");
    }
}
