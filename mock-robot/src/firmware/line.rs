//! A pseudo-terminal that stands for a serial port, and a link to it under a name of choice.

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

/// After so long without a byte, whoever had the port to himself is taken to be gone.
const GONE_AFTER: Duration = Duration::from_millis(500);

/// Both ends of a pseudo-terminal in raw mode.
///
/// The far end is kept open here too. A terminal that nobody has open reports an error instead of waiting; and a
/// program that was killed leaves its exclusive hold on the terminal behind, which only a holder of that end can undo.
#[derive(Debug)]
pub(super) struct Line {
    near: OwnedFd,
    far: OwnedFd,
    path: PathBuf,
}

/// What happened on the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Heard {
    /// Bytes can be read.
    Bytes,
    /// It is time to stop.
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

    /// The path that a program opens as its serial port.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Waits for bytes, or for the other end of `stop` to close.
    pub(super) fn wait(&self, stop: &OwnedFd) -> io::Result<Heard> {
        let gone_after = Timespec { tv_sec: 0, tv_nsec: GONE_AFTER.subsec_nanos().into() };
        loop {
            let mut watched = [PollFd::new(stop, PollFlags::IN), PollFd::new(&self.near, PollFlags::IN)];
            match poll(&mut watched, Some(&gone_after)) {
                Ok(0) => ioctl_tiocnxcl(&self.far)?,
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
                Ok(_) => {
                    let [stop, _] = watched;
                    return Ok(if stop.revents().is_empty() { Heard::Bytes } else { Heard::Stop });
                }
            }
        }
    }

    /// Takes what has come, into `buffer`.
    pub(super) fn read<'a>(&self, buffer: &'a mut [u8]) -> io::Result<&'a [u8]> {
        match rustix::io::read(&self.near, &mut *buffer) {
            Ok(length) => Ok(buffer.get(..length).unwrap_or_default()),
            Err(Errno::INTR | Errno::AGAIN) => Ok(&[]),
            Err(error) => Err(error.into()),
        }
    }

    /// Sends bytes. What does not fit because nobody reads is lost, as on a wire.
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

/// A symbolic link to a line, removed when dropped.
#[derive(Debug)]
pub(super) struct Link {
    path: PathBuf,
    target: PathBuf,
}

impl Link {
    /// Makes the link; one that an earlier run left behind is replaced, anything else is not touched.
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
            // Nothing can be done about a link that will not go.
            let _ = fs::remove_file(&self.path);
        }
    }
}
