//! The one place that opens a serial port, and what is said and heard on it during a beat.
//!
//! Each question has one deadline for the whole answer, however slowly its bytes drip in. A servo that does not
//! answer is no error here; a line that cannot be read or written is.

use std::io::{ErrorKind, Read, Write};
use std::path::Path;
use std::time::Duration;

use serialport::{ClearBuffer, SerialPort};

use super::BusOptions;
use super::packet::{Asking, sync_read, sync_write};
use super::registers::Register;
use super::status::{Found, Status, first_status, together, together_length, together_start};
use crate::clock::{Clock, Tick, WallClock};
use crate::joint::{Joint, Joints};
use crate::robot::RobotFault;

/// Nine answers are 135 bytes; a line that delivers this many is babbling, and is not listened to any longer.
const MOST_HEARD: usize = 2048;

/// What each motor answered, if it did.
pub(super) type Answers = Joints<Option<Status>>;

/// An open serial port with servos on it. Bytes per second: a tenth of the baud rate.
pub(super) struct Port {
    line: Box<dyn SerialPort>,
    clock: WallClock,
    reply_timeout: Duration,
    said: Vec<u8>,
    heard: Vec<u8>,
}

impl Port {
    /// Opens a port for this program alone.
    pub fn open(path: &Path, options: &BusOptions) -> Result<Port, RobotFault> {
        let port = path.display().to_string();
        let line =
            serialport::new(&port, options.baud).timeout(options.reply_timeout).open().map_err(|error| {
                match error.kind {
                    serialport::ErrorKind::Io(ErrorKind::NotFound) => RobotFault::NoPort { port },
                    serialport::ErrorKind::Io(ErrorKind::PermissionDenied) => {
                        RobotFault::NoPermission { port }
                    }
                    serialport::ErrorKind::NoDevice => RobotFault::PortBusy { port },
                    _ => RobotFault::PortGone { reason: format!("{port}: {}", error.description) },
                }
            })?;
        Ok(Port::over(line, options.reply_timeout))
    }

    fn over(line: Box<dyn SerialPort>, reply_timeout: Duration) -> Port {
        Port { line, clock: WallClock::start(), reply_timeout, said: Vec::new(), heard: Vec::new() }
    }

    /// The present moment on the port's own clock, which follows real time as the line does.
    pub fn now(&self) -> Tick {
        self.clock.now()
    }

    /// Lets real time pass.
    pub fn pause(&self, duration: Duration) {
        self.clock.wait_until(self.clock.now() + duration);
    }

    /// The line itself, for one slow question; what was left unread is thrown away first.
    pub fn line(&mut self) -> Result<&mut dyn SerialPort, RobotFault> {
        self.line.clear(ClearBuffer::Input).map_err(gone)?;
        self.line.set_timeout(self.reply_timeout).map_err(gone)?;
        Ok(self.line.as_mut())
    }

    /// Writes a register of several motors at once. Nobody answers, so only a later reading tells whether they took it.
    pub fn tell(
        &mut self,
        register: Register,
        values: impl Iterator<Item = (Joint, u32)>,
    ) -> Result<(), RobotFault> {
        sync_write(&mut self.said, register, values.map(|(joint, value)| (joint.motor_id(), value)));
        self.line.set_timeout(self.reply_timeout).map_err(gone)?;
        self.line.write_all(&self.said).map_err(gone)
    }

    /// Reads a register of several motors at once.
    pub fn ask(
        &mut self,
        asking: Asking,
        register: Register,
        joints: &[Joint],
    ) -> Result<Answers, RobotFault> {
        let mut answers = Joints::all(None);
        if joints.is_empty() {
            return Ok(answers);
        }
        let ids = || joints.iter().map(|joint| joint.motor_id());
        sync_read(&mut self.said, asking, register, ids());
        // What still comes from an earlier question must not pass for an answer to this one.
        self.line.clear(ClearBuffer::Input).map_err(gone)?;
        self.line.set_timeout(self.reply_timeout).map_err(gone)?;
        self.line.write_all(&self.said).map_err(gone)?;
        self.heard.clear();
        let deadline = self.clock.now() + self.reply_timeout;
        match asking {
            Asking::Each => {
                let mut read = 0;
                while joints.iter().any(|joint| answers[*joint].is_none()) && self.hear(deadline)? {
                    loop {
                        match first_status(self.heard.get(read..).unwrap_or_default(), register.width) {
                            Found::Status { status, used } => {
                                read += used;
                                keep(&mut answers, joints, status);
                            }
                            Found::Nothing { skip } => {
                                read += skip;
                                break;
                            }
                        }
                    }
                }
            }
            Asking::Together => {
                let whole = together_length(register.width, joints.len());
                loop {
                    let packet = together_start(&self.heard, register.width, joints.len());
                    if packet.is_some_and(|packet| packet.len() >= whole) || !self.hear(deadline)? {
                        break;
                    }
                }
                if let Some(packet) = together_start(&self.heard, register.width, joints.len()) {
                    together(packet, register.width, ids())
                        .for_each(|status| keep(&mut answers, joints, status));
                }
            }
        }
        Ok(answers)
    }

    /// Adds what arrives next; false when the deadline passes before anything does.
    fn hear(&mut self, deadline: Tick) -> Result<bool, RobotFault> {
        let mut bytes = [0; 256];
        loop {
            let left = deadline.since(self.clock.now());
            if left.is_zero() || self.heard.len() > MOST_HEARD {
                return Ok(false);
            }
            self.line.set_timeout(left).map_err(gone)?;
            match self.line.read(&mut bytes) {
                Ok(0) => return Err(gone("the line was closed")),
                Ok(length) => {
                    self.heard.extend(bytes.iter().take(length));
                    return Ok(true);
                }
                Err(error) if error.kind() == ErrorKind::TimedOut => return Ok(false),
                Err(error) if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock) => {}
                Err(error) => return Err(gone(error)),
            }
        }
    }
}

/// Notes an answer of a motor that was asked.
fn keep(answers: &mut Answers, asked: &[Joint], status: Status) {
    if let Some(joint) = Joint::from_motor_id(status.id).filter(|joint| asked.contains(joint)) {
        answers[joint] = Some(status);
    }
}

/// The fault of a line that cannot be read or written.
pub(super) fn gone(reason: impl std::fmt::Display) -> RobotFault {
    RobotFault::PortGone { reason: reason.to_string() }
}

#[cfg(test)]
mod tests {
    use std::thread::JoinHandle;

    use serialport::TTYPort;

    use super::*;
    use crate::bus::packet::crc;
    use crate::bus::registers::PRESENT_POSITION;

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
        (Port::over(Box::new(near), Duration::from_millis(200)), thread)
    }

    fn answer(id: u8, position: u32) -> Vec<u8> {
        let mut packet = vec![255, 255, 253, 0, id, 8, 0, 0x55, 0];
        packet.extend(position.to_le_bytes());
        packet.extend(crc(0, &packet).to_le_bytes());
        packet
    }

    fn heard(asking: Asking, pieces: Vec<Vec<u8>>) -> Vec<Option<u32>> {
        let joints = [Joint::Stewart1, Joint::Stewart2, Joint::Stewart3];
        let (mut port, far) = far_end(pieces);
        let answers = port.ask(asking, PRESENT_POSITION, &joints).unwrap();
        drop(far.join().unwrap());
        joints.map(|joint| answers[joint].map(|status| status.value)).to_vec()
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
        let mut packet = vec![255, 255, 253, 0, 254, 25, 0, 0x55];
        for (id, position) in [(11_u8, 5_u32), (12, 6)] {
            packet.extend([0, id]);
            packet.extend(position.to_le_bytes());
            packet.extend(crc(0, &packet).to_le_bytes());
        }
        let (first, second) = packet.split_at(11);
        let pieces = vec![vec![9, 9], first.to_vec(), second.to_vec(), vec![0, 13, 1]];
        assert_eq!(heard(Asking::Together, pieces), [Some(5), Some(6), None]);
        assert_eq!(heard(Asking::Together, vec![]), [None; 3]);
    }

    #[test]
    fn a_babbling_line_ends() {
        assert_eq!(heard(Asking::Each, vec![vec![0xff; 1000]; 4]), [None; 3]);
    }

    #[test]
    fn an_answer_to_an_earlier_question_is_not_taken() {
        let (mut far, near) = TTYPort::pair().unwrap();
        far.write_all(&answer(11, 5)).unwrap();
        let mut port = Port::over(Box::new(near), Duration::from_millis(20));
        let answers = port.ask(Asking::Each, PRESENT_POSITION, &[Joint::Stewart1]).unwrap();
        assert_eq!(answers[Joint::Stewart1], None);
    }

    #[test]
    fn a_line_that_goes_away_is_a_fault() {
        let (far, near) = TTYPort::pair().unwrap();
        let mut port = Port::over(Box::new(near), Duration::from_millis(200));
        drop(far);
        let fault = port.ask(Asking::Each, PRESENT_POSITION, &Joint::ALL).unwrap_err();
        assert!(matches!(fault, RobotFault::PortGone { .. }), "{fault}");
    }

    #[test]
    fn a_port_that_cannot_be_opened_says_why() {
        let options = BusOptions::default();
        let open = |path: &str| Port::open(Path::new(path), &options).err();
        let missing = "/dev/there-is-no-such-port";
        assert_eq!(open(missing), Some(RobotFault::NoPort { port: missing.to_owned() }));
        assert!(matches!(open("/dev/null"), Some(RobotFault::PortGone { .. })));

        let (_far, near) = TTYPort::pair().unwrap();
        let port = near.name().unwrap();
        let first = Port::open(Path::new(&port), &options).unwrap();
        assert_eq!(open(&port), Some(RobotFault::PortBusy { port: port.clone() }));
        drop(first);
        assert_eq!(open(&port), None);
    }
}
