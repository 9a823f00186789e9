//! A pseudo-terminal in the role of a serial port, and a symbolic link to it.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, open};
use rustix::io::Errno;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, ioctl_tiocnxcl, tcgetattr, tcsetattr};

/// After this long without a byte, a program with exclusive access to the port counts as gone.
const EXCLUSIVE_TIMEOUT: Duration = Duration::from_millis(500);

/// Both ends of a pseudo-terminal in raw mode.
///
/// This module keeps the far end open too. A terminal that no program has open reports an error instead of waiting. A
/// killed program leaves its exclusive access on the terminal, and only a holder of that end can clear it.
#[derive(Debug)]
pub(super) struct Line {
    near: OwnedFd,
    far: OwnedFd,
    path: PathBuf,
}

/// The result of waiting on the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineEvent {
    /// Bytes can be read.
    Bytes,
    /// No bytes, but a fault may have started or ended.
    Nothing,
    /// The emulator stops.
    Stop,
}

impl Line {
    /// Opens a new pseudo-terminal.
    pub(super) fn open() -> io::Result<Line> {
        let near = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        grantpt(&near)?;
        unlockpt(&near)?;
        let name = ptsname(&near, Vec::new())?;
        let far = open(name.as_c_str(), OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC, Mode::empty())?;
        let mut settings = tcgetattr(&far)?;
        settings.make_raw();
        tcsetattr(&far, OptionalActions::Now, &settings)?;
        rustix::fs::fcntl_setfl(&near, OFlags::NONBLOCK)?;
        let path = PathBuf::from(std::ffi::OsString::from_vec(name.into_bytes()));
        Ok(Line { near, far, path })
    }

    /// Returns the path that a program opens as its serial port.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Waits for bytes, for a byte or the end of `woken`, or for this long.
    pub(super) fn wait(&self, woken: &OwnedFd, max_wait: Option<Duration>) -> io::Result<LineEvent> {
        let time = max_wait.map_or(EXCLUSIVE_TIMEOUT, |max_wait| max_wait.min(EXCLUSIVE_TIMEOUT));
        let mut polled = [PollFd::new(woken, PollFlags::IN), PollFd::new(&self.near, PollFlags::IN)];
        match poll(&mut polled, Some(&timespec(time))) {
            Ok(0) => {
                ioctl_tiocnxcl(&self.far)?;
                Ok(LineEvent::Nothing)
            }
            Err(Errno::INTR) => Ok(LineEvent::Nothing),
            Err(error) => Err(error.into()),
            Ok(_) => {
                let [wakeup, _] = polled;
                if wakeup.revents().is_empty() { Ok(LineEvent::Bytes) } else { read_wakeup(woken) }
            }
        }
    }

    /// Reads the available bytes into `buffer`.
    pub(super) fn read<'a>(&self, buffer: &'a mut [u8]) -> io::Result<&'a [u8]> {
        match rustix::io::read(&self.near, &mut *buffer) {
            Ok(length) => Ok(buffer.get(..length).unwrap_or_default()),
            Err(Errno::INTR | Errno::AGAIN) => Ok(&[]),
            Err(error) => Err(error.into()),
        }
    }

    /// Sends bytes. Bytes that do not fit because no program reads are lost, as on a real line.
    pub(super) fn write(&self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            match rustix::io::write(&self.near, bytes) {
                Ok(length) => bytes = bytes.get(length..).unwrap_or_default(),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => break,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}

/// Waits without a line: for a byte or the end of `woken`, or for this long.
pub(super) fn pause(woken: &OwnedFd, max_wait: Option<Duration>) -> io::Result<LineEvent> {
    let mut polled = [PollFd::new(woken, PollFlags::IN)];
    let time = max_wait.map(timespec);
    match poll(&mut polled, time.as_ref()) {
        Ok(0) | Err(Errno::INTR) => Ok(LineEvent::Nothing),
        Err(error) => Err(error.into()),
        Ok(_) => read_wakeup(woken),
    }
}

/// The bytes have no content; the end of the pipe means stop.
fn read_wakeup(woken: &OwnedFd) -> io::Result<LineEvent> {
    match rustix::io::read(woken, &mut [0; 64]) {
        Ok(0) => Ok(LineEvent::Stop),
        Ok(_) | Err(Errno::INTR) => Ok(LineEvent::Nothing),
        Err(error) => Err(error.into()),
    }
}

/// Returns the time rounded up, so that a wait never ends early.
fn timespec(time: Duration) -> Timespec {
    let time = time + Duration::from_nanos(1);
    Timespec {
        tv_sec: i64::try_from(time.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: time.subsec_nanos().into(),
    }
}

/// A symbolic link to a line, removed when dropped.
#[derive(Debug)]
pub(super) struct Link {
    path: PathBuf,
    target: PathBuf,
}

impl Link {
    /// Creates the link. It replaces a link from an earlier run, but nothing else.
    pub(super) fn make(path: PathBuf, target: PathBuf) -> io::Result<Link> {
        if fs::read_link(&path).is_ok_and(|old| old.starts_with("/dev/pts")) {
            fs::remove_file(&path)?;
        }
        symlink(&target, &path)?;
        Ok(Link { path, target })
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        if fs::read_link(&self.path).is_ok_and(|target| target == self.target) {
            // A link that cannot be removed stays.
            let _ = fs::remove_file(&self.path);
        }
    }
}
