//! Nine emulated servos on one line, each of which moves a joint of one robot: takes bytes with their time, returns
//! bytes.

use std::sync::mpsc::Sender;
use std::time::Duration;

use firmware_bridge::clock::Timestamp;
use firmware_bridge::fault::FaultKind;
use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::servo::HardwareError;

use super::answer::{PROCESSING, StatusPacket};
use super::arrival::ReceivedInstruction;
use super::fault_state::{Event, FaultState, PacketOutcome};
use super::packet::{self, BROADCAST, Body as PacketBody, Decoder, FastStatus, Packet, PacketError};
use super::servo::{REBOOT_TIME, Senses, Servo, ServoView};
use crate::body::RobotRuntime;
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

/// The measured voltage of a failing supply, volts.
const LOW_SUPPLY_VOLTS: f64 = 3.2;
/// The initial distance of an overheating servo above its limit, and of a cooled one below it, kelvin.
const OVERHEAT_MARGIN_K: f64 = 5.0;

/// The line and its servos.
#[derive(Debug)]
pub(super) struct Bus {
    body: RobotRuntime,
    servos: Joints<Servo>,
    decoder: Decoder,
    faults: Faults,
    fault_state: FaultState,
    /// The number of status packets so far, for faults that count them.
    sent: u32,
    advanced_to: Timestamp,
    /// The receiver of the instruction records.
    tap: Option<Sender<ReceivedInstruction>>,
}

impl Bus {
    /// Returns nine servos that have just been powered on.
    pub(super) fn new(start: Joints, faults: Faults) -> Bus {
        let body = RobotRuntime::new(start, &Joints::all(Variation::default()), faults.voltage);
        let mut bus = Bus {
            servos: Joints::from_fn(|joint| Servo::new(joint, senses(&body, joint), &faults)),
            body,
            decoder: Decoder::default(),
            fault_state: FaultState::new(&faults.schedule, faults.seed),
            faults,
            sent: 0,
            advanced_to: Timestamp::ZERO,
            tap: None,
        };
        bus.advance(Timestamp::ZERO);
        bus
    }

    /// Records the received instructions from now on.
    pub(super) fn push_bytes(&mut self, tap: Sender<ReceivedInstruction>) {
        self.tap = Some(tap);
    }

    /// Receives bytes, the last of which arrives at `now`, and answers.
    pub(super) fn receive(&mut self, bytes: &[u8], now: Timestamp, answer: &mut StatusPacket) {
        self.advance(now);
        if self.fault_state.has(FaultKind::Echo, None) {
            answer.echo(bytes);
        }
        self.decoder.push(bytes);
        while let Some(mut packet) = self.decoder.next() {
            if self.fault_state.corrupts(None) {
                packet.body = PacketBody::Corrupt;
            }
            if let PacketBody::Instruction(instruction, parameters) = &packet.body {
                if let Some(tap) = &self.tap {
                    let (id, instruction, parameters) = (packet.id, *instruction, parameters.clone());
                    // The receiver may have been dropped.
                    let _ = tap.send(ReceivedInstruction { time: now, id, instruction, parameters });
                }
                for joint in Joint::ALL {
                    self.servos[joint].note_instruction(now);
                }
            }
            self.execute(&packet, now, answer);
        }
    }

    /// Advances the time. Events in between happen at their own time, however rarely this function is called.
    pub(super) fn advance(&mut self, now: Timestamp) {
        while let Some(at) = self.next_event().filter(|at| *at <= now) {
            self.move_to(at);
            for joint in Joint::ALL {
                if self.servos[joint].deadline().is_some_and(|deadline| deadline <= at) {
                    self.servos[joint].trip();
                }
            }
            while let Some(event) = self.fault_state.pop_event(at) {
                match event {
                    Event::Begins(fault) => self.begin(fault, at),
                    Event::Ends(fault) => self.end(fault),
                }
            }
        }
        self.move_to(now);
    }

    /// Starts a fault now.
    pub(super) fn inject(&mut self, fault: Fault, now: Timestamp) {
        self.advance(now);
        self.fault_state.inject(fault, now);
        self.begin(fault, now);
    }

    /// Returns the current faults, for the line.
    pub(super) const fn fault_state(&self) -> &FaultState {
        &self.fault_state
    }

    /// Returns the true state of the servos.
    pub(super) fn view(&self) -> Joints<ServoView> {
        Joints::from_fn(|joint| self.servos[joint].view())
    }

    fn next_event(&self) -> Option<Timestamp> {
        let deadlines = Joint::ALL.into_iter().filter_map(|joint| self.servos[joint].deadline());
        deadlines.chain(self.fault_state.next()).min()
    }

    fn move_to(&mut self, now: Timestamp) {
        if now <= self.advanced_to {
            return;
        }
        for joint in Joint::ALL {
            if let Some(gains) = self.servos[joint].take_changed_gains() {
                self.body.set_gains(joint, gains);
            }
        }
        let drives = Joints::from_fn(|joint| self.servos[joint].drive());
        self.body.advance(&drives, self.advanced_to, now);
        self.advanced_to = now;
        self.update_senses();
    }

    fn update_senses(&mut self) {
        for joint in Joint::ALL {
            self.servos[joint].update_senses(senses(&self.body, joint), self.advanced_to);
        }
    }

    fn affected_joints(fault: Fault) -> impl Iterator<Item = Joint> {
        Joint::ALL.into_iter().filter(move |joint| fault.concerns(*joint))
    }

    fn begin(&mut self, fault: Fault, now: Timestamp) {
        match fault.kind {
            FaultKind::Brownout => {
                let silent_until = now + fault.duration.unwrap_or(REBOOT_TIME);
                Joint::ALL.into_iter().for_each(|joint| self.reboot(joint, silent_until));
            }
            FaultKind::InputVoltage if fault.motor.is_none() => {
                self.body.supply(LOW_SUPPLY_VOLTS);
                self.update_senses();
            }
            _ => Self::affected_joints(fault).for_each(|joint| self.apply_fault(fault, joint)),
        }
    }

    /// Applies a fault to one of its motors.
    fn apply_fault(&mut self, fault: Fault, joint: Joint) {
        let servo = &mut self.servos[joint];
        match fault.kind {
            FaultKind::Overload => servo.fail(HardwareError::Overload),
            FaultKind::ElectricalShock => servo.fail(HardwareError::ElectricalShock),
            FaultKind::Encoder => {
                servo.freeze(true);
                servo.fail(HardwareError::Encoder);
            }
            FaultKind::Overheating => {
                self.body.heat(joint, TEMPERATURE_LIMIT + OVERHEAT_MARGIN_K);
                self.update_senses();
            }
            FaultKind::InputVoltage => servo.starve(Some(LOW_SUPPLY_VOLTS)),
            FaultKind::Silent => servo.mute(fault.rate >= 1.0),
            FaultKind::Corrupt
            | FaultKind::Echo
            | FaultKind::Partial
            | FaultKind::PortGone
            | FaultKind::Brownout => {}
        }
    }

    fn end(&mut self, fault: Fault) {
        let still = |joint| self.fault_state.has(fault.kind, Some(joint));
        let recovered: Vec<Joint> = Self::affected_joints(fault).filter(|joint| !still(*joint)).collect();
        if fault.kind == FaultKind::InputVoltage && fault.motor.is_none() {
            self.body.supply(self.faults.voltage);
            self.update_senses();
        }
        for joint in recovered {
            let servo = &mut self.servos[joint];
            match fault.kind {
                FaultKind::Encoder => servo.freeze(false),
                FaultKind::Overheating => self.body.heat(joint, TEMPERATURE_LIMIT - OVERHEAT_MARGIN_K),
                FaultKind::InputVoltage => servo.starve(None),
                FaultKind::Silent => servo.mute(self.faults.silent.contains(&joint)),
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

    /// Reboots a motor. Persistent faults apply again immediately. Faults that a reboot clears are over, except
    /// overheating.
    fn reboot(&mut self, joint: Joint, silent_until: Timestamp) {
        let (ended, persistent) = self.fault_state.reboot(joint);
        for fault in ended.into_iter().filter(|fault| fault.kind != FaultKind::Overheating) {
            self.end(fault);
        }
        self.servos[joint].reboot(silent_until);
        for fault in persistent {
            self.apply_fault(fault, joint);
        }
    }

    /// Returns the servo with this id, if it is listening.
    fn listening_servo(&mut self, id: u8, now: Timestamp) -> Option<Joint> {
        let joint = Joint::ALL.into_iter().find(|joint| self.servos[*joint].id() == id)?;
        self.is_listening(joint, now).then_some(joint)
    }

    fn is_listening(&mut self, joint: Joint, now: Timestamp) -> bool {
        self.servos[joint].is_listening(now) && !self.fault_state.corrupts(Some(joint))
    }

    fn execute(&mut self, packet: &Packet, now: Timestamp, answer: &mut StatusPacket) {
        match (&packet.body, packet.id) {
            (PacketBody::Corrupt, BROADCAST) => {}
            (PacketBody::Corrupt, id) => {
                if let Some(joint) = self.listening_servo(id, now) {
                    self.answer(joint, 2, Err(PacketError::Crc), answer);
                }
            }
            (PacketBody::Instruction(SYNC_READ, parameters), BROADCAST) => {
                self.sync_read(parameters, now, answer)
            }
            (PacketBody::Instruction(FAST_SYNC_READ, parameters), BROADCAST) => {
                self.fast_sync_read(parameters, now, answer);
            }
            (PacketBody::Instruction(SYNC_WRITE, parameters), BROADCAST) => self.sync_write(parameters, now),
            (PacketBody::Instruction(instruction, parameters), BROADCAST) => {
                for joint in Joint::ALL {
                    if self.is_listening(joint, now) {
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
            (PacketBody::Instruction(instruction, parameters), id) => {
                if let Some(joint) = self.listening_servo(id, now) {
                    self.carry_out(joint, *instruction, parameters, now, Some(answer));
                }
            }
        }
    }

    /// Each servo answers separately; a missing one leaves a gap. (Assumed: the servos after it still answer.)
    fn sync_read(&mut self, parameters: &[u8], now: Timestamp, answer: &mut StatusPacket) {
        let Some((address, length, ids)) = span(parameters) else { return };
        for id in ids {
            if let Some(joint) = self.listening_servo(*id, now) {
                self.answer_read(joint, address, length, answer);
            }
        }
    }

    /// The servos fill one shared packet, which ends before the first missing one.
    fn fast_sync_read(&mut self, parameters: &[u8], now: Timestamp, answer: &mut StatusPacket) {
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
            let Some(joint) = self.listening_servo(*id, now) else { break };
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
            if self.fault_state.corrupt(joint, answer, block) == PacketOutcome::Lost {
                break;
            }
        }
        match first {
            Some(delay) => self.finish(answer, start, delay),
            None => answer.bytes.truncate(start),
        }
    }

    /// No servo answers; a servo that rejects the value keeps the old one.
    fn sync_write(&mut self, parameters: &[u8], now: Timestamp) {
        let Some((address, length, blocks)) = span(parameters) else { return };
        for block in blocks.chunks_exact(usize::from(length) + 1) {
            if let Some((id, data)) = block.split_first()
                && let Some(joint) = self.listening_servo(*id, now)
            {
                let _ = self.servos[joint].write(address, data);
            }
        }
    }

    /// Executes an instruction on one servo, and answers if requested.
    fn carry_out(
        &mut self,
        joint: Joint,
        instruction: u8,
        parameters: &[u8],
        now: Timestamp,
        answer: Option<&mut StatusPacket>,
    ) {
        let servo = &mut self.servos[joint];
        let (min_level, done) = match instruction {
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
                    self.answer(joint, 1, Err(PacketError::DataLength), answer);
                    return;
                }
            },
            WRITE | REG_WRITE => {
                let done = match parameters.split_first_chunk() {
                    Some((address, data)) if instruction == WRITE => {
                        servo.write(u16::from_le_bytes(*address), data)
                    }
                    Some((address, data)) => servo.register_write(u16::from_le_bytes(*address), data),
                    None => Err(PacketError::DataLength),
                };
                (2, done)
            }
            ACTION => (2, servo.action()),
            REBOOT => (2, Ok(())),
            _ => (2, Err(PacketError::Instruction)),
        };
        if let Some(answer) = answer {
            self.answer(joint, min_level, done.map(|()| &[][..]), answer);
        }
        if instruction == REBOOT {
            self.reboot(joint, now + REBOOT_TIME);
        }
    }

    fn answer_read(&mut self, joint: Joint, address: u16, length: u16, answer: &mut StatusPacket) {
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
        self.fault_state.corrupt(joint, answer, start);
        self.finish(answer, start, delay);
    }

    /// Adds a servo's status packet, if its status return level permits an answer of this kind.
    fn answer(
        &mut self,
        joint: Joint,
        min_level: i64,
        data: Result<&[u8], PacketError>,
        answer: &mut StatusPacket,
    ) {
        let servo = &self.servos[joint];
        if servo.status_return_level() < min_level {
            return;
        }
        let (start, delay) = (answer.bytes.len(), servo.return_delay());
        let error = servo.error_byte(data.err());
        packet::status(&mut answer.bytes, servo.id(), error, data.unwrap_or_default());
        self.fault_state.corrupt(joint, answer, start);
        self.finish(answer, start, delay);
    }

    /// Sends the packet that began at `start`, unless a counting fault drops or corrupts it.
    fn finish(&mut self, answer: &mut StatusPacket, start: usize, delay: Duration) {
        self.sent = self.sent.wrapping_add(1);
        let is_due = |every: Option<std::num::NonZeroU32>| every.is_some_and(|every| self.sent % every == 0);
        if is_due(self.faults.drop_every) {
            answer.bytes.truncate(start);
        } else if is_due(self.faults.corrupt_every)
            && let Some(byte) = answer.bytes.last_mut()
        {
            *byte ^= 0x01;
        }
        answer.cut(delay + PROCESSING);
    }
}

fn senses(body: &RobotRuntime, joint: Joint) -> Senses {
    Senses {
        position: body.position(joint),
        velocity: body.velocity(joint),
        current: body.current(joint),
        celsius: body.celsius(joint),
        volts: body.volts(),
    }
}

/// Splits parameters into address, length and the rest.
fn span(parameters: &[u8]) -> Option<(u16, u16, &[u8])> {
    let (address, rest) = parameters.split_first_chunk()?;
    let (length, rest) = rest.split_first_chunk()?;
    Some((u16::from_le_bytes(*address), u16::from_le_bytes(*length), rest))
}

#[cfg(test)]
mod tests;
