//! A tool host that starts when the first tool needs it.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use minismith_protocol::zygote::{Level, Profile};
use minismith_runtime::config::Bar;

use super::locate::locate_code;
use super::requirements::check;
use super::{GuestError, ToolHost, locate};

/// A tool host that starts when the first tool needs it and stays running.
pub struct LazyHost {
    python: PathBuf,
    requirements: Bar,
    profile: Profile,
    host: Mutex<Option<std::sync::Arc<ToolHost>>>,
}

impl LazyHost {
    /// Creates a host for this interpreter. Its sandbox must meet the requirements in `bar`.
    #[must_use]
    pub fn new(python: &Path, bar: Bar) -> Self {
        LazyHost {
            python: python.to_owned(),
            requirements: bar,
            profile: Profile::Motion,
            host: Mutex::new(None),
        }
    }

    /// Creates a host of the code profile. Its interpreter is next to the one for tools.
    #[must_use]
    pub fn for_code(python: &Path, bar: Bar) -> Self {
        LazyHost { profile: Profile::Code, ..LazyHost::new(python, bar) }
    }

    /// Returns the host and starts it first if necessary.
    ///
    /// # Errors
    /// Returns an error if the host does not start or its sandbox does not meet the requirements.
    pub fn host(&self) -> Result<std::sync::Arc<ToolHost>, GuestError> {
        let mut slot = self.host.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(host) = &*slot {
            return Ok(host.clone());
        }
        let (program, python) = match self.profile {
            Profile::Motion => locate(&self.python)?,
            Profile::Code => locate_code(&self.python)?,
        };
        let host = ToolHost::start_for(self.profile, &program, &python, Level::Namespaces)?;
        let host = std::sync::Arc::new(host);
        check(&self.requirements, host.mechanisms())?;
        Ok(slot.insert(host).clone())
    }
}
