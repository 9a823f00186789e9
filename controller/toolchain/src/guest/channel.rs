//! Reads and writes a guest's channel with one deadline for a whole turn.

use std::io::{Error, ErrorKind, Read, Result, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use firmware_bridge::clock::{Clock, MonotonicClock, Timestamp};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::AsFd;

/// A stream that fails with [`ErrorKind::TimedOut`] at its deadline, however slowly bytes arrive.
pub struct Timed<'a> {
    stream: &'a UnixStream,
    clock: MonotonicClock,
    until: Timestamp,
}

impl<'a> Timed<'a> {
    /// Creates a stream with a deadline this many seconds from now. The stream must be non-blocking.
    pub fn new(stream: &'a UnixStream, seconds: f64) -> Self {
        let allowed = Duration::try_from_secs_f64(seconds).unwrap_or_default();
        let clock = MonotonicClock::start();
        Timed { stream, clock, until: clock.now() + allowed }
    }

    fn ready(&self, to: PollFlags) -> Result<()> {
        if wait(self.stream, to, self.until - self.clock.now())? {
            Ok(())
        } else {
            Err(ErrorKind::TimedOut.into())
        }
    }
}

/// Waits until a descriptor is ready. Returns false on timeout.
pub fn wait(descriptor: &impl AsFd, to: PollFlags, at_most: Duration) -> Result<bool> {
    let clock = MonotonicClock::start();
    let until = clock.now() + at_most;
    loop {
        let left = Timespec::try_from(until - clock.now()).map_err(Error::other)?;
        match poll(&mut [PollFd::new(descriptor, to)], Some(&left)) {
            Ok(0) => return Ok(false),
            Ok(_) => return Ok(true),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

impl Read for Timed<'_> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        loop {
            match self.stream.read(into) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => self.ready(PollFlags::IN)?,
                other => return other,
            }
        }
    }
}

impl Write for Timed<'_> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        loop {
            match self.stream.write(bytes) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => self.ready(PollFlags::OUT)?,
                other => return other,
            }
        }
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_bytes_do_not_extend_the_deadline() {
        let (near, mut far) = UnixStream::pair().unwrap();
        near.set_nonblocking(true).unwrap();
        far.write_all(b"ab").unwrap();
        let mut timed = Timed::new(&near, 0.02);
        let mut bytes = [0; 2];
        timed.read_exact(&mut bytes).unwrap();
        assert_eq!(timed.read_exact(&mut bytes).unwrap_err().kind(), ErrorKind::TimedOut);
        far.write_all(b"a").unwrap();
        assert_eq!(timed.read_exact(&mut bytes).unwrap_err().kind(), ErrorKind::TimedOut);
        drop(far);
        assert_eq!(Timed::new(&near, 1.0).read(&mut bytes).unwrap(), 0);
    }

    #[test]
    fn write_times_out_if_the_reader_does_not_read() {
        let (near, _far) = UnixStream::pair().unwrap();
        near.set_nonblocking(true).unwrap();
        let written = Timed::new(&near, 0.02).write_all(&vec![0; 32 << 20]);
        assert_eq!(written.unwrap_err().kind(), ErrorKind::TimedOut);
    }
}
