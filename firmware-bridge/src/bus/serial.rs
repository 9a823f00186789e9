//! The only module that opens a serial port: exclusively, and as a [`Transport`].

use std::io::{self, ErrorKind};
use std::path::Path;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::OwnedFd;
use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::io::Errno;
use serialport::{ClearBuffer, FlowControl, SerialPort};

use super::transport::Transport;
use crate::clock::{Clock, MonotonicClock, Timestamp};
use crate::robot::RobotError;

/// The timeout for the system to accept a packet; its buffer holds many.
const SEND_TIMEOUT: Duration = Duration::from_millis(100);

/// An open serial port, in the machine's own time.
///
/// The `serialport` library opens, configures and holds the port. Bytes go through a separate descriptor. The library's
/// read function allocates an error whenever no bytes arrive, and its timeouts are whole milliseconds.
pub(super) struct SerialTransport {
    line: Box<dyn SerialPort>,
    device: OwnedFd,
    clock: MonotonicClock,
}

impl SerialTransport {
    /// Opens a port. A symbolic link is resolved each time.
    pub fn open(path: &Path, baud: u32) -> Result<SerialTransport, RobotError> {
        let port = path.display().to_string();
        let device = open_unlocked(path, &port)?;
        let line = serialport::new(&port, baud)
            .flow_control(FlowControl::None)
            .timeout(SEND_TIMEOUT)
            .open()
            .map_err(|error| match error.kind {
                serialport::ErrorKind::Io(kind) => open_error(kind, &port, &error.description),
                serialport::ErrorKind::NoDevice => RobotError::PortBusy { port },
                _ => RobotError::PortGone { reason: format!("{port}: {}", error.description) },
            })?;
        Ok(SerialTransport { line, device, clock: MonotonicClock::start() })
    }

    /// Does the same for an open line.
    #[cfg(test)]
    pub fn with_transport(line: impl SerialPort + 'static) -> SerialTransport {
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::NONBLOCK;
        let line: Box<dyn SerialPort> = Box::new(line);
        let path = line.name().unwrap_or_default();
        let device = rustix::fs::open(path, flags, Mode::empty()).unwrap();
        SerialTransport { line, device, clock: MonotonicClock::start() }
    }

    /// Waits until the line can be read or written. Returns false if the deadline passes first. A line that hung up
    /// counts as ready: the next read or write reports the error.
    fn is_ready(&self, what: PollFlags, deadline: Timestamp) -> io::Result<bool> {
        loop {
            let left = deadline.since(self.clock.now());
            let Ok(timeout) = Timespec::try_from(left) else { return Ok(false) };
            match poll(&mut [PollFd::new(&self.device, what)], Some(&timeout)) {
                Ok(0) if left.is_zero() => return Ok(false),
                Ok(0) | Err(Errno::INTR) => {}
                Ok(_) => return Ok(true),
                Err(error) => return Err(error.into()),
            }
        }
    }
}

fn open_error(kind: ErrorKind, port: &str, why: &str) -> RobotError {
    let port = port.to_owned();
    match kind {
        ErrorKind::NotFound => RobotError::NoPort { port },
        ErrorKind::PermissionDenied => RobotError::NoPermission { port },
        ErrorKind::ResourceBusy => RobotError::PortBusy { port },
        _ => RobotError::PortGone { reason: format!("{port}: {why}") },
    }
}

/// Checks whether another program holds the port, without changing it.
///
/// Two mechanisms exclude others. The terminal's exclusive mode does not apply to root. An advisory lock on the device
/// file does, but only among programs that check it. An attempt to open a held port would clear its exclusive mode, so
/// this check comes first. The returned descriptor preserves the port's control lines while it is opened.
fn open_unlocked(path: &Path, port: &str) -> Result<OwnedFd, RobotError> {
    let failed = |error: Errno| open_error(io::Error::from(error).kind(), port, &error.to_string());
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let device = rustix::fs::open(path, flags, Mode::empty()).map_err(failed)?;
    match rustix::fs::flock(&device, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => {}
        Err(Errno::WOULDBLOCK) => return Err(RobotError::PortBusy { port: port.to_owned() }),
        Err(error) => return Err(failed(error)),
    }
    rustix::fs::flock(&device, FlockOperation::NonBlockingUnlock).map_err(failed)?;
    Ok(device)
}

impl Transport for SerialTransport {
    fn now(&self) -> Timestamp {
        self.clock.now()
    }

    fn wait_until(&self, until: Timestamp) {
        self.clock.wait_until(until);
    }

    fn discard(&mut self) -> io::Result<()> {
        self.line.clear(ClearBuffer::Input).map_err(io::Error::from)
    }

    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        let deadline = self.clock.now() + SEND_TIMEOUT;
        let mut left = bytes;
        while !left.is_empty() {
            match rustix::io::write(&self.device, left) {
                Ok(sent) => left = left.get(sent..).unwrap_or_default(),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => {
                    if !self.is_ready(PollFlags::OUT, deadline)? {
                        return Err(ErrorKind::TimedOut.into());
                    }
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    fn receive(&mut self, into: &mut [u8], deadline: Timestamp) -> io::Result<usize> {
        // After the deadline, bytes that have arrived still count: this program was late, not the servo.
        while self.is_ready(PollFlags::IN, deadline)? {
            match rustix::io::read(&self.device, &mut *into) {
                Ok(0) => return Err(ErrorKind::BrokenPipe.into()),
                Ok(length) => return Ok(length),
                Err(Errno::INTR | Errno::AGAIN) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(0)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use serialport::TTYPort;

    use super::*;

    const BAUD: u32 = 1_000_000;

    #[test]
    fn open_error_states_the_cause() {
        let open = |path: &str| SerialTransport::open(Path::new(path), BAUD).err();
        let missing = "/dev/there-is-no-such-port";
        assert_eq!(open(missing), Some(RobotError::NoPort { port: missing.to_owned() }));
        assert!(matches!(open("/dev/null"), Some(RobotError::PortGone { .. })));
    }

    #[test]
    fn held_port_stays_locked_after_open_attempts() {
        let (_far, near) = TTYPort::pair().unwrap();
        let port = near.name().unwrap();
        let open = || SerialTransport::open(Path::new(&port), BAUD);
        let first = open().unwrap();
        let busy = Some(RobotError::PortBusy { port: port.clone() });
        assert_eq!((open().err(), open().err()), (busy.clone(), busy));
        // Programs that use the common serial library are excluded as well, root or not.
        assert!(serialport::new(&port, BAUD).open().is_err());
        drop(first);
        assert!(open().is_ok());

        // The same applies in the other direction.
        let theirs = serialport::new(&port, BAUD).open().unwrap();
        assert_eq!(open().err(), Some(RobotError::PortBusy { port: port.clone() }));
        drop(theirs);
        assert!(open().is_ok());
    }

    #[test]
    fn symbolic_link_is_resolved_on_each_open() {
        let link = std::env::temp_dir().join(format!("minismith-link-{}", std::process::id()));
        let lines = [TTYPort::pair().unwrap(), TTYPort::pair().unwrap()];
        for (mut far, near) in lines {
            let _ = std::fs::remove_file(&link);
            std::os::unix::fs::symlink(near.name().unwrap(), &link).unwrap();
            let mut wire = SerialTransport::open(&link, BAUD).unwrap();
            far.write_all(b"here").unwrap();
            let mut bytes = [0; 16];
            let soon = wire.now() + Duration::from_secs(5);
            assert_eq!((wire.receive(&mut bytes[..1], soon).unwrap(), bytes[0]), (1, b'h'));
            // Bytes that have arrived are returned after the deadline, too.
            let length = wire.receive(&mut bytes, Timestamp::ZERO).unwrap();
            assert_eq!(&bytes[..length], b"ere");
            assert_eq!(wire.receive(&mut bytes, Timestamp::ZERO).unwrap(), 0);
        }
        std::fs::remove_file(&link).unwrap();
    }
}
