//! A tool host that is started by the first tool that needs it.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use minismith_wire::Limits;
use minismith_wire::zygote::Level;

use super::{Guest, GuestFault, ToolHost, locate};
use crate::workshop::rehearsal::Cage;

/// A tool host that is started by the first tool that needs it, and kept warm from then on.
pub struct LazyHost {
    python: PathBuf,
    least: Level,
    host: Mutex<Option<std::sync::Arc<ToolHost>>>,
}

impl LazyHost {
    /// A host for this interpreter; guests must be caged at least at `least`.
    #[must_use]
    pub fn new(python: &Path, least: Level) -> Self {
        LazyHost { python: python.to_owned(), least, host: Mutex::new(None) }
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
        let (program, python) = locate(&self.python)?;
        let host = std::sync::Arc::new(ToolHost::start(&program, &python)?);
        if host.level() > self.least {
            return Err(GuestFault::Uncaged {
                reason: format!(
                    "this machine offers the cage `{}`, config.yaml asks for at least `{}` (tool_host.least_cage); \
                     see `minismith doctor`",
                    crate::outcome::word(&host.level()),
                    crate::outcome::word(&self.least),
                ),
                mechanisms: host.mechanisms().to_vec(),
            });
        }
        Ok(slot.insert(host).clone())
    }
}

impl Cage for LazyHost {
    fn guest(&self, limits: Limits) -> Result<Box<dyn Guest>, GuestFault> {
        Ok(Box::new(self.host()?.fork(limits)?))
    }
}
