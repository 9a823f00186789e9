//! Tool hosts, one of each profile, that start when the first tool needs them.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use minismith_protocol::zygote::{Level, Profile};
use minismith_runtime::config::Bar;

use super::locate::locate_code;
use super::requirements::check;
use super::{GuestError, ToolHost, locate};

/// A place for a tool host that runs.
type Slot = Mutex<Option<Arc<ToolHost>>>;

/// Tool hosts, each of which starts when the first tool needs it and stays running.
pub struct LazyHost {
    python: PathBuf,
    requirements: Bar,
    motion: Slot,
    science: Slot,
    code: Slot,
}

impl LazyHost {
    /// Creates hosts for this interpreter; that of scipy, OpenCV and code tasks is next to it. Their sandboxes must meet the
    /// requirements in `bar`.
    #[must_use]
    pub fn new(python: &Path, bar: Bar) -> Self {
        LazyHost {
            python: python.to_owned(),
            requirements: bar,
            motion: Slot::default(),
            science: Slot::default(),
            code: Slot::default(),
        }
    }

    /// Returns the host of tools that need numpy at most, and starts it first if necessary.
    ///
    /// # Errors
    /// As for [`LazyHost::host_of`].
    pub fn host(&self) -> Result<Arc<ToolHost>, GuestError> {
        self.host_of(Profile::Motion)
    }

    /// Returns the host of a profile, and starts it first if necessary.
    ///
    /// # Errors
    /// Returns an error if the host does not start or its sandbox does not meet the requirements.
    pub fn host_of(&self, profile: Profile) -> Result<Arc<ToolHost>, GuestError> {
        let slot = match profile {
            Profile::Motion => &self.motion,
            Profile::Science => &self.science,
            Profile::Code => &self.code,
        };
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(host) = &*slot {
            return Ok(host.clone());
        }
        let host = match (self.start(profile), profile) {
            // Tools without these libraries can run.
            (Err(GuestError::NoHost { reason }), Profile::Science) => {
                return Err(GuestError::NoLibraries { reason });
            }
            (host, _) => Arc::new(host?),
        };
        check(&self.requirements, host.mechanisms())?;
        Ok(slot.insert(host).clone())
    }

    fn start(&self, profile: Profile) -> Result<ToolHost, GuestError> {
        let (program, python) = match profile {
            Profile::Motion => locate(&self.python)?,
            Profile::Science | Profile::Code => locate_code(&self.python)?,
        };
        ToolHost::start_for(profile, &program, &python, Level::Namespaces)
    }
}
