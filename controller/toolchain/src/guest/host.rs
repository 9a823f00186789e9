//! The warm tool host, which forks guests and is restarted once if it dies.

use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use minismith_protocol::Limits;
use minismith_protocol::zygote::{Hello, Level, Mechanism, Profile, Reply, Request};

use super::shared_frames::SharedFrames;
use super::zygote::Zygote;
use super::{GuestError, SandboxedGuest};

/// A running tool host. Share it: it forks one guest at a time, and guests run in parallel.
#[derive(Debug)]
pub struct ToolHost {
    program: PathBuf,
    python: PathBuf,
    profile: Profile,
    ready: Ready,
    zygote: Mutex<Arc<Zygote>>,
}

/// The host's description of itself.
#[derive(Clone, Debug)]
struct Ready {
    python: String,
    numpy: String,
    level: Level,
    mechanisms: Vec<Mechanism>,
}

impl ToolHost {
    /// Starts the host with the strongest sandbox that this machine supports.
    ///
    /// # Errors
    /// Returns [`GuestError::NoHost`] or [`GuestError::SandboxUnavailable`].
    pub fn start(program: &Path, python: &Path) -> Result<ToolHost, GuestError> {
        ToolHost::start_at_most(program, python, Level::Namespaces)
    }

    /// Starts the host with a sandbox no stronger than `level`, to test what a less capable machine would get.
    ///
    /// # Errors
    /// As for [`ToolHost::start`].
    pub fn start_at_most(program: &Path, python: &Path, level: Level) -> Result<ToolHost, GuestError> {
        ToolHost::start_for(Profile::Motion, program, python, level)
    }

    /// Starts a host whose guests have a profile other than motion.
    ///
    /// # Errors
    /// As for [`ToolHost::start`].
    pub fn start_for(
        profile: Profile,
        program: &Path,
        python: &Path,
        level: Level,
    ) -> Result<ToolHost, GuestError> {
        let (zygote, ready) = warm(profile, program, python, level)?;
        let (program, python) = (program.to_owned(), python.to_owned());
        Ok(ToolHost { program, python, profile, ready, zygote: Mutex::new(Arc::new(zygote)) })
    }

    /// Returns the strength of the sandbox.
    #[must_use]
    pub fn level(&self) -> Level {
        self.ready.level
    }

    /// Returns the probed mechanisms and the result of each probe.
    #[must_use]
    pub fn mechanisms(&self) -> &[Mechanism] {
        &self.ready.mechanisms
    }

    /// Returns `sys.version` of the interpreter in the host.
    #[must_use]
    pub fn python(&self) -> &str {
        &self.ready.python
    }

    /// Returns numpy's version.
    #[must_use]
    pub fn numpy(&self) -> &str {
        &self.ready.numpy
    }

    /// Forks a guest, which is sandboxed when this returns.
    ///
    /// A host that has died is restarted once. Its sandbox must then be as strong as before.
    ///
    /// # Errors
    /// Returns [`GuestError::NoHost`] or [`GuestError::SandboxUnavailable`].
    pub fn fork(&self, limits: Limits) -> Result<SandboxedGuest, GuestError> {
        let mut zygote = self.zygote.lock().unwrap_or_else(PoisonError::into_inner);
        match fork_from(&zygote, limits) {
            Ok(forked) => return forked,
            Err(lost) => tracing::warn!(%lost, "the tool host is lost and restarts"),
        }
        let (fresh, ready) = warm(self.profile, &self.program, &self.python, self.ready.level)?;
        if ready.level != self.ready.level {
            let reason =
                format!("the sandbox level was {:?} and is now {:?}; restart", self.ready.level, ready.level);
            return Err(GuestError::SandboxUnavailable { reason, mechanisms: ready.mechanisms });
        }
        *zygote = Arc::new(fresh);
        fork_from(&zygote, limits)
            .unwrap_or_else(|lost| Err(GuestError::no_host("cannot fork a guest", lost)))
    }
}

fn warm(
    profile: Profile,
    program: &Path,
    python: &Path,
    at_most: Level,
) -> Result<(Zygote, Ready), GuestError> {
    let started = Zygote::start(profile, program, python, at_most);
    match started
        .map_err(|error| GuestError::no_host(&format!("cannot start {}", program.display()), error))?
    {
        (zygote, Hello::Ready { python, numpy, level, mechanisms }) => {
            Ok((zygote, Ready { python, numpy, level, mechanisms }))
        }
        // Before any mechanism was probed, the reason is Python itself.
        (_, Hello::Unfit { reason, mechanisms }) if mechanisms.is_empty() => {
            Err(GuestError::NoHost { reason })
        }
        (_, Hello::Unfit { reason, mechanisms }) => {
            Err(GuestError::SandboxUnavailable { reason, mechanisms })
        }
    }
}

/// Forks a guest. The outer error means that the host is lost. The inner error means that the host could not fork.
fn fork_from(zygote: &Arc<Zygote>, limits: Limits) -> std::io::Result<Result<SandboxedGuest, GuestError>> {
    let (reply, attached) = zygote.ask(&Request::Fork { limits })?;
    let mut attached = attached.into_iter();
    Ok(match (reply, attached.next().zip(attached.next())) {
        (Reply::Forked { pid }, Some((pidfd, channel))) => {
            let channel = UnixStream::from(channel);
            channel.set_nonblocking(true)?;
            let window = attached.next().map(SharedFrames::from);
            Ok(SandboxedGuest::new(Arc::clone(zygote), (pid, pidfd), channel, window, limits))
        }
        (Reply::Failed { reason }, _) => Err(GuestError::no_host("cannot fork a guest", reason)),
        (reply, _) => {
            return Err(std::io::Error::other(format!("unexpected reply from the tool host: {reply:?}")));
        }
    })
}
