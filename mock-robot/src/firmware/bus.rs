//! Nine servos on one wire, each moving its joint of one body: bytes and a moment in, bytes out.

use std::sync::mpsc::Sender;
use std::time::Duration;

use firmware_bridge::clock::Tick;
use firmware_bridge::fault::FaultKind;
use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::servo::HardwareError;

use super::answer::{Answer, PROCESSING};
use super::arrival::Arrival;
use super::packet::{self, BROADCAST, Body as Words, Decoder, FastStatus, Packet, Refusal};
use super::servo::{REBOOT_TIME, Senses, Servo, ServoView};
use super::trouble::{Event, Fate, Trouble};
use crate::body::Body;
use crate::dynamics::Variation;
use crate::faults::Faults;
use crate::motor::TEMPERATURE_LIMIT;
use crate::schedule::Fault;

const PING: u8 = 0x01;
const READ: u8 = 0x02;
const WRITE: u8 = 0x03;
const REG_WRITE: u8 = 0x04;
const ACTION: u8 = 0x05;
const REBOOT: u8 = 0x08;
const SYNC_READ: u8 = 0x82;
const SYNC_WRITE: u8 = 0x83;
const FAST_SYNC_READ: u8 = 0x8A;

/// What is measured of a supply that fails, in volts.
const DIPPED: f64 = 3.2;
/// How far a servo that overheats is beyond its limit at first, and one that has cooled below it, in kelvin.
const BEYOND: f64 = 5.0;

/// The wire and what hangs on it.
#[derive(Debug)]
pub(super) struct Bus {
    body: Body,
    servos: Joints<Servo>,
    decoder: Decoder,
    faults: Faults,
    trouble: Trouble,
    /// How many status packets were sent, for the faults that count them.
    sent: u32,
    moved_to: Tick,
    /// Who wants to know what is heard.
    tap: Option<Sender<Arrival>>,
}

impl Bus {
    /// Nine servos that have just got power.
    pub(super) fn new(start: Joints, faults: Faults) -> Bus {
        let body = Body::new(start, &Joints::all(Variation::default()), faults.voltage);
        let mut bus = Bus {
            servos: Joints::from_fn(|joint| Servo::new(joint, senses(&body, joint), &faults)),
            body,
            decoder: Decoder::default(),
            trouble: Trouble::new(&faults.schedule, faults.seed),
            faults,
            sent: 0,
            moved_to: Tick::ZERO,
            tap: None,
        };
        bus.advance(Tick::ZERO);
        bus
    }

    /// Tells from here on what is heard.
    pub(super) fn tell(&mut self, tap: Sender<Arrival>) {
        self.tap = Some(tap);
    }

    /// Hears bytes whose last one is there at `now`, and answers.
    pub(super) fn receive(&mut self, bytes: &[u8], now: Tick, answer: &mut Answer) {
        self.advance(now);
        if self.trouble.has(FaultKind::Echo, None) {
            answer.echo(bytes);
        }
        self.decoder.hear(bytes);
        while let Some(mut packet) = self.decoder.next() {
            if self.trouble.garbles(None) {
                packet.body = Words::Garbled;
            }
            if let Words::Instruction(instruction, parameters) = &packet.body {
                if let Some(tap) = &self.tap {
                    let (id, instruction, parameters) = (packet.id, *instruction, parameters.clone());
                    // One who has gone does not listen.
                    let _ = tap.send(Arrival { at: now, id, instruction, parameters });
                }
                for joint in Joint::ALL {
                    self.servos[joint].hear(now);
                }
            }
            self.obey(&packet, now, answer);
        }
    }

    /// Lets time pass: what happens on the way happens at its own moment, however seldom this is called.
    pub(super) fn advance(&mut self, now: Tick) {
        while let Some(at) = self.next_event().filter(|at| *at <= now) {
            self.move_to(at);
            for joint in Joint::ALL {
                if self.servos[joint].deadline().is_some_and(|deadline| deadline <= at) {
                    self.servos[joint].trip();
                }
            }
            while let Some(event) = self.trouble.happen(at) {
                match event {
                    Event::Begins(fault) => self.begin(fault, at),
                    Event::Ends(fault) => self.end(fault),
                }
            }
        }
        self.move_to(now);
    }

    /// A fault begins now.
    pub(super) fn strike(&mut self, fault: Fault, now: Tick) {
        self.advance(now);
        self.trouble.strike(fault, now);
        self.begin(fault, now);
    }

    /// The faults of this moment, for the line.
    pub(super) const fn trouble(&self) -> &Trouble {
        &self.trouble
    }

    /// What the servos are really doing.
    pub(super) fn view(&self) -> Joints<ServoView> {
        Joints::from_fn(|joint| self.servos[joint].view())
    }

    fn next_event(&self) -> Option<Tick> {
        let deadlines = Joint::ALL.into_iter().filter_map(|joint| self.servos[joint].deadline());
        deadlines.chain(self.trouble.next()).min()
    }

    fn move_to(&mut self, now: Tick) {
        if now <= self.moved_to {
            return;
        }
        for joint in Joint::ALL {
            if let Some(gains) = self.servos[joint].new_gains() {
                self.body.set_gains(joint, gains);
            }
        }
        let drives = Joints::from_fn(|joint| self.servos[joint].drive());
        self.body.advance(&drives, self.moved_to, now);
        self.moved_to = now;
        self.feel();
    }

    fn feel(&mut self) {
        for joint in Joint::ALL {
            self.servos[joint].feel(senses(&self.body, joint), self.moved_to);
        }
    }

    fn concerned(fault: Fault) -> impl Iterator<Item = Joint> {
        Joint::ALL.into_iter().filter(move |joint| fault.concerns(*joint))
    }

    fn begin(&mut self, fault: Fault, now: Tick) {
        match fault.kind {
            FaultKind::Brownout => {
                let deaf_until = now + fault.lasts.unwrap_or(REBOOT_TIME);
                Joint::ALL.into_iter().for_each(|joint| self.reboot(joint, deaf_until));
            }
            FaultKind::InputVoltage if fault.motor.is_none() => {
                self.body.supply(DIPPED);
                self.feel();
            }
            _ => Self::concerned(fault).for_each(|joint| self.inflict(fault, joint)),
        }
    }

    /// What a fault does to one of the motors that it concerns.
    fn inflict(&mut self, fault: Fault, joint: Joint) {
        let servo = &mut self.servos[joint];
        match fault.kind {
            FaultKind::Overload => servo.fail(HardwareError::Overload),
            FaultKind::ElectricalShock => servo.fail(HardwareError::ElectricalShock),
            FaultKind::Encoder => {
                servo.freeze(true);
                servo.fail(HardwareError::Encoder);
            }
            FaultKind::Overheating => {
                self.body.heat(joint, TEMPERATURE_LIMIT + BEYOND);
                self.feel();
            }
            FaultKind::InputVoltage => servo.starve(Some(DIPPED)),
            FaultKind::Silent => servo.silence(fault.rate >= 1.0),
            FaultKind::Corrupt
            | FaultKind::Echo
            | FaultKind::Partial
            | FaultKind::PortGone
            | FaultKind::Brownout => {}
        }
    }

    fn end(&mut self, fault: Fault) {
        let still = |joint| self.trouble.has(fault.kind, Some(joint));
        let free: Vec<Joint> = Self::concerned(fault).filter(|joint| !still(*joint)).collect();
        if fault.kind == FaultKind::InputVoltage && fault.motor.is_none() {
            self.body.supply(self.faults.voltage);
            self.feel();
        }
        for joint in free {
            let servo = &mut self.servos[joint];
            match fault.kind {
                FaultKind::Encoder => servo.freeze(false),
                FaultKind::Overheating => self.body.heat(joint, TEMPERATURE_LIMIT - BEYOND),
                FaultKind::InputVoltage => servo.starve(None),
                FaultKind::Silent => servo.silence(self.faults.silent.contains(&joint)),
                FaultKind::Overload
                | FaultKind::ElectricalShock
                | FaultKind::Corrupt
                | FaultKind::Echo
                | FaultKind::Partial
                | FaultKind::PortGone
                | FaultKind::Brownout => {}
            }
        }
    }

    /// A motor starts anew. What is still wrong is felt at once; what a reboot clears is over, but for heat.
    fn reboot(&mut self, joint: Joint, deaf_until: Tick) {
        let (ended, stay) = self.trouble.reboot(joint);
        for fault in ended.into_iter().filter(|fault| fault.kind != FaultKind::Overheating) {
            self.end(fault);
        }
        self.servos[joint].reboot(deaf_until);
        for fault in stay {
            self.inflict(fault, joint);
        }
    }

    /// The servo with this id, if it hears.
    fn listener(&mut self, id: u8, now: Tick) -> Option<Joint> {
        let joint = Joint::ALL.into_iter().find(|joint| self.servos[*joint].id() == id)?;
        self.hears(joint, now).then_some(joint)
    }

    fn hears(&mut self, joint: Joint, now: Tick) -> bool {
        self.servos[joint].listens(now) && !self.trouble.garbles(Some(joint))
    }

    fn obey(&mut self, packet: &Packet, now: Tick, answer: &mut Answer) {
        match (&packet.body, packet.id) {
            (Words::Garbled, BROADCAST) => {}
            (Words::Garbled, id) => {
                if let Some(joint) = self.listener(id, now) {
                    self.answer(joint, 2, Err(Refusal::Crc), answer);
                }
            }
            (Words::Instruction(SYNC_READ, parameters), BROADCAST) => self.sync_read(parameters, now, answer),
            (Words::Instruction(FAST_SYNC_READ, parameters), BROADCAST) => {
                self.fast_sync_read(parameters, now, answer);
            }
            (Words::Instruction(SYNC_WRITE, parameters), BROADCAST) => self.sync_write(parameters, now),
            (Words::Instruction(instruction, parameters), BROADCAST) => {
                for joint in Joint::ALL {
                    if self.hears(joint, now) {
                        let silent = *instruction != PING;
                        self.carry_out(
                            joint,
                            *instruction,
                            parameters,
                            now,
                            (!silent).then_some(&mut *answer),
                        );
                    }
                }
            }
            (Words::Instruction(instruction, parameters), id) => {
                if let Some(joint) = self.listener(id, now) {
                    self.carry_out(joint, *instruction, parameters, now, Some(answer));
                }
            }
        }
    }

    /// Each servo answers for itself; one that is missing leaves a gap. (Assumed: that the ones after it answer.)
    fn sync_read(&mut self, parameters: &[u8], now: Tick, answer: &mut Answer) {
        let Some((address, length, ids)) = span(parameters) else { return };
        for id in ids {
            if let Some(joint) = self.listener(*id, now) {
                self.answer_read(joint, address, length, answer);
            }
        }
    }

    /// The servos fill one common packet; it ends before the first one that is missing.
    fn fast_sync_read(&mut self, parameters: &[u8], now: Tick, answer: &mut Answer) {
        let Some((address, length, ids)) = span(parameters) else { return };
        let size = usize::from(length);
        if self.faults.no_fast_sync_read || u16::try_from(1 + ids.len() * (size + 4)).is_err() {
            return;
        }
        let start = answer.bytes.len();
        let mut first = None;
        let mut fast = FastStatus::begin(&mut answer.bytes, ids.len(), size);
        let zeros = [0; 256];
        for id in ids {
            let Some(joint) = self.listener(*id, now) else { break };
            let servo = &mut self.servos[joint];
            if servo.status_return_level() < 1 {
                break;
            }
            first = first.or_else(|| Some(servo.return_delay()));
            let alert = servo.error_byte(None);
            let block = answer.bytes.len();
            match servo.read(address, length) {
                Ok(data) => fast.block(&mut answer.bytes, alert, *id, data),
                Err(refusal) => {
                    let zeros = zeros.get(..size).unwrap_or(&zeros);
                    fast.block(&mut answer.bytes, alert | refusal as u8, *id, zeros);
                }
            }
            if self.trouble.spoil(joint, answer, block) == Fate::Breaks {
                break;
            }
        }
        match first {
            Some(delay) => self.finish(answer, start, delay),
            None => answer.bytes.truncate(start),
        }
    }

    /// Nobody answers; a servo that refuses keeps what it had.
    fn sync_write(&mut self, parameters: &[u8], now: Tick) {
        let Some((address, length, blocks)) = span(parameters) else { return };
        for block in blocks.chunks_exact(usize::from(length) + 1) {
            if let Some((id, data)) = block.split_first()
                && let Some(joint) = self.listener(*id, now)
            {
                let _ = self.servos[joint].write(address, data);
            }
        }
    }

    /// What one servo does with an instruction, and its answer if one is wanted.
    fn carry_out(
        &mut self,
        joint: Joint,
        instruction: u8,
        parameters: &[u8],
        now: Tick,
        answer: Option<&mut Answer>,
    ) {
        let servo = &mut self.servos[joint];
        let (least_level, done) = match instruction {
            PING => {
                let data = servo.ping();
                if let Some(answer) = answer {
                    self.answer(joint, 0, Ok(&data), answer);
                }
                return;
            }
            READ => match (span(parameters), answer) {
                (Some((address, length, [])), Some(answer)) => {
                    self.answer_read(joint, address, length, answer);
                    return;
                }
                (_, None) => return,
                (_, Some(answer)) => {
                    self.answer(joint, 1, Err(Refusal::DataLength), answer);
                    return;
                }
            },
            WRITE | REG_WRITE => {
                let done = match parameters.split_first_chunk() {
                    Some((address, data)) if instruction == WRITE => {
                        servo.write(u16::from_le_bytes(*address), data)
                    }
                    Some((address, data)) => servo.register_write(u16::from_le_bytes(*address), data),
                    None => Err(Refusal::DataLength),
                };
                (2, done)
            }
            ACTION => (2, servo.action()),
            REBOOT => (2, Ok(())),
            _ => (2, Err(Refusal::Instruction)),
        };
        if let Some(answer) = answer {
            self.answer(joint, least_level, done.map(|()| &[][..]), answer);
        }
        if instruction == REBOOT {
            self.reboot(joint, now + REBOOT_TIME);
        }
    }

    fn answer_read(&mut self, joint: Joint, address: u16, length: u16, answer: &mut Answer) {
        let servo = &mut self.servos[joint];
        if servo.status_return_level() < 1 {
            return;
        }
        let (id, alert, delay) = (servo.id(), servo.error_byte(None), servo.return_delay());
        let start = answer.bytes.len();
        match servo.read(address, length) {
            Ok(data) => packet::status(&mut answer.bytes, id, alert, data),
            Err(refusal) => packet::status(&mut answer.bytes, id, alert | refusal as u8, &[]),
        }
        self.trouble.spoil(joint, answer, start);
        self.finish(answer, start, delay);
    }

    /// A servo's status packet, if its status return level lets it answer this kind.
    fn answer(&mut self, joint: Joint, least_level: i64, data: Result<&[u8], Refusal>, answer: &mut Answer) {
        let servo = &self.servos[joint];
        if servo.status_return_level() < least_level {
            return;
        }
        let (start, delay) = (answer.bytes.len(), servo.return_delay());
        let error = servo.error_byte(data.err());
        packet::status(&mut answer.bytes, servo.id(), error, data.unwrap_or_default());
        self.trouble.spoil(joint, answer, start);
        self.finish(answer, start, delay);
    }

    /// A packet that began at `start` goes out, as far as the faults that count packets let it.
    fn finish(&mut self, answer: &mut Answer, start: usize, delay: Duration) {
        self.sent = self.sent.wrapping_add(1);
        let strikes = |every: Option<std::num::NonZeroU32>| every.is_some_and(|every| self.sent % every == 0);
        if strikes(self.faults.drop_every) {
            answer.bytes.truncate(start);
        } else if strikes(self.faults.corrupt_every)
            && let Some(byte) = answer.bytes.last_mut()
        {
            *byte ^= 0x01;
        }
        answer.cut(delay + PROCESSING);
    }
}

fn senses(body: &Body, joint: Joint) -> Senses {
    Senses {
        position: body.position(joint),
        velocity: body.velocity(joint),
        current: body.current(joint),
        celsius: body.celsius(joint),
        volts: body.volts(),
    }
}

/// Address, length and what follows them.
fn span(parameters: &[u8]) -> Option<(u16, u16, &[u8])> {
    let (address, rest) = parameters.split_first_chunk()?;
    let (length, rest) = rest.split_first_chunk()?;
    Some((u16::from_le_bytes(*address), u16::from_le_bytes(*length), rest))
}

#[cfg(test)]
mod tests;
