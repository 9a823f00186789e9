//! What is said and heard on a wire: one packet to all, or one question with one deadline for the whole answer.
//!
//! However slowly bytes drip in, the deadline stands. A servo that does not answer is no error here; a line that cannot
//! be read or written is.

use std::time::Duration;

use super::BusOptions;
use super::packet::{Asking, LENGTH_ENDS, sync_read, sync_write};
use super::registers::Register;
use super::status::{
    Answer, Find, Found, Status, answer_length, first_answer, together, together_length, together_start,
};
use super::wire::Wire;
use crate::clock::Tick;
use crate::joint::{Joint, Joints};
use crate::robot::RobotFault;
use crate::servo::Loss;

/// Nine answers are 135 bytes; a line that delivers this many is babbling, and is not listened to any longer.
const MOST_HEARD: usize = 2048;
/// The longest packet that is said on a beat, and more.
const MOST_SAID: usize = 256;
/// Beyond the time that the bytes take: servos and adapters need a moment. The timer of some USB adapters is 1 ms.
const SLACK: Duration = Duration::from_millis(2);
/// A byte with its start and stop bit.
const BITS_PER_BYTE: u64 = 10;

/// How long a question may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Patience {
    /// On the beat, where one silent motor must not cost the others theirs.
    Beat,
    /// Everywhere else.
    Reply,
}

/// What became of a question to several motors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Reply {
    /// What each motor answered, if it did.
    pub answers: Joints<Option<Status>>,
    /// Why it did not. Nothing for those behind the motor at which a common packet broke: they could not.
    pub losses: Joints<Option<Loss>>,
    /// Our own bytes came back.
    pub echo: bool,
}

impl Reply {
    const NOTHING: Reply = Reply { answers: Joints::all(None), losses: Joints::all(None), echo: false };
}

/// A line with servos on it.
pub(super) struct Port {
    wire: Box<dyn Wire>,
    baud: u32,
    reply_timeout: Duration,
    beat_timeout: Duration,
    /// The last question.
    pub(super) said: Vec<u8>,
    /// The last packet that nobody answers.
    told: Vec<u8>,
    heard: Vec<u8>,
}

impl Port {
    /// Takes a line for its own.
    pub fn over(wire: Box<dyn Wire>, options: &BusOptions) -> Port {
        let BusOptions { baud, reply_timeout, beat_timeout, .. } = *options;
        // Reserved now, so that nothing is reserved on a beat.
        Port {
            wire,
            baud: baud.max(1),
            reply_timeout,
            beat_timeout,
            said: Vec::with_capacity(MOST_SAID),
            told: Vec::with_capacity(MOST_SAID),
            heard: Vec::with_capacity(2 * MOST_HEARD),
        }
    }

    /// How long an answer may take, where no beat waits for it; what it was before.
    pub fn allow_replies(&mut self, timeout: Duration) -> Duration {
        std::mem::replace(&mut self.reply_timeout, timeout)
    }

    /// The present moment on the line's own clock.
    pub fn now(&self) -> Tick {
        self.wire.now()
    }

    /// Lets the line's time pass.
    pub fn pause(&self, duration: Duration) {
        self.wire.wait_until(self.wire.now() + duration);
    }

    /// The room of the buffers.
    #[cfg(test)]
    pub fn reserved(&self) -> [usize; 3] {
        [self.said.capacity(), self.told.capacity(), self.heard.capacity()]
    }

    /// What was heard since the last question.
    pub fn heard(&self) -> &[u8] {
        &self.heard
    }

    /// The time that so many bytes take.
    pub fn transfer(&self, bytes: usize) -> Duration {
        let bits = u64::try_from(bytes).unwrap_or(u64::MAX).saturating_mul(BITS_PER_BYTE);
        Duration::from_nanos(bits.saturating_mul(1_000_000_000) / u64::from(self.baud))
    }

    /// Writes a register of several motors at once. Nobody answers, so only a later reading tells whether they took it.
    pub fn tell(
        &mut self,
        register: Register,
        values: impl Iterator<Item = (Joint, u32)>,
    ) -> Result<(), RobotFault> {
        sync_write(&mut self.told, register, values.map(|(joint, value)| (joint.motor_id(), value)));
        self.wire.send(&self.told).map_err(gone)
    }

    /// Reads a register of several motors at once.
    pub fn ask(
        &mut self,
        asking: Asking,
        register: Register,
        joints: &[Joint],
        patience: Patience,
    ) -> Result<Reply, RobotFault> {
        if joints.is_empty() {
            return Ok(Reply::NOTHING);
        }
        let ids = joints.iter().map(|joint| joint.motor_id());
        sync_read(&mut self.said, asking, register, ids);
        let expected = match asking {
            Asking::Each => joints.len() * answer_length(usize::from(register.width)),
            Asking::Together => together_length(register.width, joints.len()),
        };
        let deadline = self.say(expected, patience)?;
        match asking {
            Asking::Each => self.hear_each(register, joints, deadline),
            Asking::Together => self.hear_together(register, joints, deadline),
        }
    }

    /// Sends the question; until when its answer of so many bytes is awaited.
    fn say(&mut self, expected: usize, patience: Patience) -> Result<Tick, RobotFault> {
        // What still comes from an earlier question must not pass for an answer to this one.
        self.wire.discard().map_err(gone)?;
        self.heard.clear();
        let patience = match patience {
            Patience::Beat => self.beat_timeout,
            Patience::Reply => self.reply_timeout,
        };
        let least = self.transfer(self.said.len() + expected) + SLACK;
        let deadline = self.wire.now() + patience.max(least);
        self.wire.send(&self.said).map_err(gone)?;
        Ok(deadline)
    }

    fn hear_each(
        &mut self,
        register: Register,
        joints: &[Joint],
        deadline: Tick,
    ) -> Result<Reply, RobotFault> {
        let mut roll = Roll { reply: Reply::NOTHING, asked: joints, next: 0, bad: None };
        let mut read = 0;
        while roll.next < joints.len() && self.hear(deadline)? {
            loop {
                let rest = self.heard.get(read..).unwrap_or_default();
                let Find { found, junk, used } =
                    first_answer(rest, usize::from(register.width), &[&self.said, &self.told]);
                read += used;
                if junk > 0 {
                    roll.spoilt(None, Loss::Corrupt);
                }
                match found {
                    Found::Answer(answer) => roll.answered(&answer),
                    Found::Broken { id, loss } => roll.spoilt(Some(id), loss),
                    Found::Echo => roll.reply.echo = true,
                    Found::Nothing => break,
                }
            }
        }
        let rest = self.heard.get(read..).unwrap_or_default();
        if !rest.is_empty() {
            roll.spoilt(rest.get(LENGTH_ENDS - 3).copied(), Loss::Partial);
        }
        Ok(roll.finished())
    }

    fn hear_together(
        &mut self,
        register: Register,
        joints: &[Joint],
        deadline: Tick,
    ) -> Result<Reply, RobotFault> {
        let whole = together_length(register.width, joints.len());
        loop {
            let packet = together_start(&self.heard, register.width, joints.len());
            if packet.is_some_and(|packet| packet.len() >= whole) || !self.hear(deadline)? {
                break;
            }
        }
        let mut reply = Reply::NOTHING;
        // An answer has less before it than any echo.
        let packet = together_start(&self.heard, register.width, joints.len());
        let before = self.heard.len() - packet.map_or(0, <[u8]>::len);
        reply.echo = before >= self.said.len()
            && self.heard.windows(self.said.len()).any(|window| window == self.said);
        match packet {
            Some(packet) => {
                let ids = joints.iter().map(|joint| joint.motor_id());
                for (joint, part) in joints.iter().zip(together(packet, register.width, ids)) {
                    reply.answers[*joint] = part.ok();
                    reply.losses[*joint] = part.err();
                }
            }
            None => {
                let echoed = if reply.echo { self.said.len() } else { 0 };
                if before <= echoed {
                    joints.iter().for_each(|joint| reply.losses[*joint] = Some(Loss::Silent));
                } else if let Some(first) = joints.first() {
                    let begun = before - echoed <= LENGTH_ENDS;
                    reply.losses[*first] = Some(if begun { Loss::Partial } else { Loss::Corrupt });
                }
            }
        }
        Ok(reply)
    }

    /// Puts the question in `said` to one servo and hands its answer with `width` bytes of data to `take`; nothing when
    /// it does not answer.
    pub fn converse<T>(
        &mut self,
        id: u8,
        width: usize,
        patience: Patience,
        take: impl FnOnce(&Answer<'_>) -> T,
    ) -> Result<Option<T>, RobotFault> {
        let deadline = self.say(answer_length(width), patience)?;
        let mut read = 0;
        while self.hear(deadline)? {
            loop {
                let rest = self.heard.get(read..).unwrap_or_default();
                let Find { found, used, .. } = first_answer(rest, width, &[&self.said, &self.told]);
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

    /// Puts the question in `said` to whoever hears it, and listens for as long as this.
    pub fn listen(&mut self, time: Duration) -> Result<(), RobotFault> {
        self.say(0, Patience::Reply)?;
        let deadline = self.wire.now() + time;
        while self.hear(deadline)? {}
        Ok(())
    }

    /// Adds what arrives next; false when the deadline passes before anything does.
    fn hear(&mut self, deadline: Tick) -> Result<bool, RobotFault> {
        if self.heard.len() > MOST_HEARD {
            return Ok(false);
        }
        let mut bytes = [0; 256];
        let length = self.wire.receive(&mut bytes, deadline).map_err(gone)?;
        self.heard.extend(bytes.iter().take(length));
        Ok(length > 0)
    }
}

/// Who of those that were asked has answered. They answer in the order in which they were asked.
struct Roll<'a> {
    reply: Reply,
    asked: &'a [Joint],
    /// The place of the first whose turn is still to come.
    next: usize,
    /// What went wrong since the last answer, and whose that was if it is known.
    bad: Option<(Option<u8>, Loss)>,
}

impl Roll<'_> {
    fn answered(&mut self, answer: &Answer<'_>) {
        let place = self.asked.iter().position(|joint| joint.motor_id() == answer.id);
        let (Some(place), Some(status)) = (place, answer.status()) else {
            return self.spoilt(Some(answer.id), Loss::Corrupt);
        };
        if place < self.next {
            return;
        }
        self.miss(place);
        self.next = place + 1;
        if let Some(joint) = self.asked.get(place) {
            self.reply.answers[*joint] = Some(status);
        }
    }

    fn spoilt(&mut self, id: Option<u8>, loss: Loss) {
        match self.bad {
            // What has a name says more than what has none.
            None | Some((None, _)) if id.is_some() || self.bad.is_none() => self.bad = Some((id, loss)),
            _ => {}
        }
    }

    /// Those before this place have missed their turn.
    fn miss(&mut self, place: usize) {
        let missed = self.asked.get(self.next..place).unwrap_or_default();
        missed.iter().for_each(|joint| self.reply.losses[*joint] = Some(Loss::Silent));
        if let Some((id, loss)) = self.bad.take() {
            let named = missed.iter().find(|joint| Some(joint.motor_id()) == id);
            if let Some(joint) = named.or(missed.first()) {
                self.reply.losses[*joint] = Some(loss);
            }
        }
    }

    fn finished(mut self) -> Reply {
        self.miss(self.asked.len());
        self.reply
    }
}

/// The fault of a line that cannot be read or written.
pub(super) fn gone(reason: impl std::fmt::Display) -> RobotFault {
    RobotFault::PortGone { reason: reason.to_string() }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::thread::JoinHandle;

    use serialport::{SerialPort, TTYPort};

    use super::*;
    use crate::bus::packet::crc;
    use crate::bus::registers::PRESENT_POSITION;
    use crate::bus::serial::SerialWire;

    const JOINTS: [Joint; 3] = [Joint::Stewart1, Joint::Stewart2, Joint::Stewart3];

    fn over(near: TTYPort, patience: Duration) -> Port {
        let options = BusOptions { beat_timeout: patience, ..BusOptions::default() };
        Port::over(Box::new(SerialWire::over(near)), &options)
    }

    /// A far end that waits for one request and answers with these pieces, each after the one before was taken.
    fn far_end(pieces: Vec<Vec<u8>>) -> (Port, JoinHandle<TTYPort>) {
        let (mut far, near) = TTYPort::pair().unwrap();
        far.set_timeout(Duration::from_secs(5)).unwrap();
        let thread = std::thread::spawn(move || {
            let mut request = [0; 17];
            far.read_exact(&mut request).unwrap();
            for piece in pieces {
                far.write_all(&piece).unwrap();
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

    fn reply(asking: Asking, pieces: Vec<Vec<u8>>) -> Reply {
        let (mut port, far) = far_end(pieces);
        let reply = port.ask(asking, PRESENT_POSITION, &JOINTS, Patience::Beat).unwrap();
        drop(far.join().unwrap());
        reply
    }

    fn heard(asking: Asking, pieces: Vec<Vec<u8>>) -> Vec<Option<u32>> {
        JOINTS.map(|joint| reply_values(&reply(asking, pieces.clone()), joint)).to_vec()
    }

    fn reply_values(reply: &Reply, joint: Joint) -> Option<u32> {
        reply.answers[joint].map(|status| status.value)
    }

    /// The request that is sent for the positions of the three.
    fn request(asking: Asking) -> Vec<u8> {
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
    fn answers_in_pieces_between_garbage_are_put_together() {
        let bytes =
            [&[0, 255, 255, 253][..], &answer(11, 5), &[7; 40], &answer(12, 6), &answer(13, 7)].concat();
        let pieces = bytes.iter().map(|byte| vec![*byte]).collect();
        assert_eq!(heard(Asking::Each, pieces), [Some(5), Some(6), Some(7)]);
    }

    #[test]
    fn a_silent_and_a_garbled_motor_cost_only_themselves() {
        let mut garbled = answer(11, 5);
        garbled[10] ^= 0x10;
        assert_eq!(heard(Asking::Each, vec![garbled, answer(13, 7)]), [None, None, Some(7)]);
        // A motor that was not asked is not heard.
        assert_eq!(heard(Asking::Each, vec![answer(18, 9), answer(12, 6)]), [None, Some(6), None]);
        assert_eq!(heard(Asking::Each, vec![]), [None; 3]);
    }

    #[test]
    fn a_fast_answer_that_stops_keeps_what_came() {
        let packet = fast(&[(11, 5), (12, 6)]);
        let (first, second) = packet.split_at(11);
        let pieces = vec![vec![9, 9], first.to_vec(), second.to_vec(), vec![0, 13, 1]];
        assert_eq!(heard(Asking::Together, pieces), [Some(5), Some(6), None]);
        assert_eq!(heard(Asking::Together, vec![]), [None; 3]);
    }

    #[test]
    fn each_loss_has_its_motor_and_its_reason() {
        let [one, two, three] = [answer(11, 5), answer(12, 6), answer(13, 7)];
        let corrupt = |packet: &[u8]| {
            let mut packet = packet.to_vec();
            packet[10] ^= 0x10;
            packet
        };
        let check = |asking, pieces: &[&[u8]], expected: [Option<Loss>; 3]| {
            let reply = reply(asking, pieces.iter().map(|piece| piece.to_vec()).collect());
            assert_eq!(JOINTS.map(|joint| reply.losses[joint]), expected, "{asking:?} {pieces:?}");
            for joint in JOINTS {
                assert!(reply.answers[joint].is_none() || reply.losses[joint].is_none());
            }
            assert!(!reply.echo);
        };
        let (silent, spoilt, cut) = (Some(Loss::Silent), Some(Loss::Corrupt), Some(Loss::Partial));
        let each = Asking::Each;
        check(each, &[&one, &two, &three], [None; 3]);
        check(each, &[], [silent; 3]);
        check(each, &[&one, &three], [None, silent, None]);
        check(each, &[&one, &corrupt(&two), &three], [None, spoilt, None]);
        check(each, &[&corrupt(&one), &three], [spoilt, silent, None]);
        // Without its header nobody knows whose it was: the first that is missing.
        check(each, &[&one, &two[4..], &three], [None, spoilt, None]);
        check(each, &[&one, &two[..9], &three], [None, cut, None]);
        check(each, &[&one, &two, &three[..9]], [None, None, cut]);
        check(each, &[&one, &three[..6]], [None, silent, cut]);
        check(each, &[&one, &[0xff]], [None, cut, silent]);
        // Noise between good answers has cost nothing.
        check(each, &[&one, &[1, 2, 3], &two, &[0xff; 9], &three], [None; 3]);

        let together = Asking::Together;
        let whole = fast(&[(11, 5), (12, 6), (13, 7)]);
        check(together, &[&whole], [None; 3]);
        check(together, &[], [silent; 3]);
        // Who comes after the break could not be heard, and is not blamed.
        check(together, &[&whole[..8 + 8]], [None, silent, None]);
        check(together, &[&whole[..8 + 12]], [None, cut, None]);
        check(together, &[&whole[..8 + 23]], [None, None, cut]);
        let mut flipped = whole.clone();
        flipped[8 + 3] ^= 1;
        check(together, &[&flipped], [spoilt, None, None]);
        check(together, &[&whole[..5]], [cut, None, None]);
        check(together, &[&whole[3..]], [spoilt, None, None]);
    }

    #[test]
    fn an_echo_is_told_and_costs_nothing() {
        let three = [answer(11, 5), answer(12, 6), answer(13, 7)].concat();
        for (asking, packet) in
            [(Asking::Each, three), (Asking::Together, fast(&[(11, 5), (12, 6), (13, 7)]))]
        {
            // The tail of an echo of what was said before the question may come first.
            let reply = reply(asking, vec![vec![9, 8, 7], request(asking), packet]);
            assert!(reply.echo);
            assert_eq!(JOINTS.map(|joint| reply_values(&reply, joint)), [Some(5), Some(6), Some(7)]);
            assert_eq!(reply.losses, Joints::all(None));
        }
        for asking in [Asking::Each, Asking::Together] {
            let reply = reply(asking, vec![request(asking)]);
            assert_eq!(JOINTS.map(|joint| reply.losses[joint]), [Some(Loss::Silent); 3]);
            assert!(reply.echo);
        }
    }

    #[test]
    fn a_babbling_line_ends() {
        assert_eq!(heard(Asking::Each, vec![vec![0xff; 1000]; 4]), [None; 3]);
    }

    #[test]
    fn an_answer_to_an_earlier_question_is_not_taken() {
        let (mut far, near) = TTYPort::pair().unwrap();
        far.write_all(&answer(11, 5)).unwrap();
        let mut port = over(near, Duration::from_millis(20));
        let reply = port.ask(Asking::Each, PRESENT_POSITION, &[Joint::Stewart1], Patience::Beat).unwrap();
        assert_eq!(reply.answers[Joint::Stewart1], None);
    }

    #[test]
    fn a_line_that_goes_away_is_a_fault() {
        let (far, near) = TTYPort::pair().unwrap();
        let mut port = over(near, Duration::from_millis(200));
        drop(far);
        let fault = port.ask(Asking::Each, PRESENT_POSITION, &Joint::ALL, Patience::Reply).unwrap_err();
        assert!(matches!(fault, RobotFault::PortGone { .. }), "{fault}");
    }
}
