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
    /// Nothing; something beside the line may have changed.
    Nothing,
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

    /// Waits for bytes, for a word or the end of `woken`, or for so long.
    pub(super) fn wait(&self, woken: &OwnedFd, longest: Option<Duration>) -> io::Result<Heard> {
        let time = longest.map_or(GONE_AFTER, |longest| longest.min(GONE_AFTER));
        let mut watched = [PollFd::new(woken, PollFlags::IN), PollFd::new(&self.near, PollFlags::IN)];
        match poll(&mut watched, Some(&timespec(time))) {
            Ok(0) => {
                ioctl_tiocnxcl(&self.far)?;
                Ok(Heard::Nothing)
            }
            Err(Errno::INTR) => Ok(Heard::Nothing),
            Err(error) => Err(error.into()),
            Ok(_) => {
                let [beside, _] = watched;
                if beside.revents().is_empty() { Ok(Heard::Bytes) } else { word_of(woken) }
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

/// Waits without a line: for a word or the end of `woken`, or for so long.
pub(super) fn pause(woken: &OwnedFd, longest: Option<Duration>) -> io::Result<Heard> {
    let mut watched = [PollFd::new(woken, PollFlags::IN)];
    let time = longest.map(timespec);
    match poll(&mut watched, time.as_ref()) {
        Ok(0) | Err(Errno::INTR) => Ok(Heard::Nothing),
        Err(error) => Err(error.into()),
        Ok(_) => word_of(woken),
    }
}

/// Words are only there to be heard; the end of them is the end.
fn word_of(woken: &OwnedFd) -> io::Result<Heard> {
    match rustix::io::read(woken, &mut [0; 64]) {
        Ok(0) => Ok(Heard::Stop),
        Ok(_) | Err(Errno::INTR) => Ok(Heard::Nothing),
        Err(error) => Err(error.into()),
    }
}

/// Rounded up, so that a wait does not end a little before its time.
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
