//! A tool host that is started by the first tool that needs it.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use minismith_runtime::config::Bar;
use minismith_wire::zygote::{Level, Profile};

use super::bar::check;
use super::locate::locate_code;
use super::{GuestFault, ToolHost, locate};

/// A tool host that is started by the first tool that needs it, and kept warm from then on.
pub struct LazyHost {
    python: PathBuf,
    bar: Bar,
    profile: Profile,
    host: Mutex<Option<std::sync::Arc<ToolHost>>>,
}

impl LazyHost {
    /// A host for this interpreter; its cage must reach the bar.
    #[must_use]
    pub fn new(python: &Path, bar: Bar) -> Self {
        LazyHost { python: python.to_owned(), bar, profile: Profile::Motion, host: Mutex::new(None) }
    }

    /// A host of the code profile, whose interpreter lies beside that of the tools.
    #[must_use]
    pub fn for_code(python: &Path, bar: Bar) -> Self {
        LazyHost { profile: Profile::Code, ..LazyHost::new(python, bar) }
    }

    /// The host, started if it is not yet.
    ///
    /// # Errors
    /// When it can't be started, or does not cage guests well enough.
    pub fn host(&self) -> Result<std::sync::Arc<ToolHost>, GuestFault> {
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
        check(&self.bar, host.mechanisms())?;
        Ok(slot.insert(host).clone())
    }
}
