//! What an agent remembers between its sessions ([`Store`]): a stop, the tools of the fleet, and revoked members.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::identity::error::IdentityError;
use crate::identity::files;
use crate::keys::Name;
use crate::messages::{StoppedBy, Withdrawal};

/// A tool that this robot shares, or has from another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FleetTool {
    /// Its name.
    pub name: String,
    /// The hash of its code.
    pub code_sha256: String,
    /// Where it came from; null if it is this robot's own.
    pub from: Option<Name>,
    /// Whether this robot offers it.
    pub is_shared: bool,
}

/// What is remembered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Memory {
    /// The stop that was not released.
    pub stopped: Option<StoppedBy>,
    /// The tools of the fleet here.
    pub tools: Vec<FleetTool>,
    /// All withdrawals that this robot knows.
    pub withdrawn: Vec<Withdrawal>,
    /// The members whose commands are refused.
    pub revoked: BTreeSet<Name>,
}

/// The file of the memory.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    /// What is remembered.
    pub memory: Memory,
}

impl Store {
    /// Reads the memory of a robot in a folder that is made if necessary.
    ///
    /// # Errors
    /// [`IdentityError`] if the file is damaged: a robot that forgets a stop would move.
    pub fn open(folder: &Path) -> Result<Self, IdentityError> {
        files::make_private_folder(folder)?;
        let path = folder.join("memory.json");
        if !path.exists() {
            return Ok(Store { path, memory: Memory::default() });
        }
        let text = files::read(&path)?;
        let memory = serde_json::from_str(&text)
            .map_err(|error| IdentityError::Damaged { path: path.clone(), cause: error.to_string() })?;
        Ok(Store { path, memory })
    }

    /// Changes the memory and writes it. A change that cannot be written still holds for this session.
    pub fn change(&mut self, change: impl FnOnce(&mut Memory)) {
        change(&mut self.memory);
        let text = serde_json::to_string_pretty(&self.memory).unwrap_or_default();
        if let Err(error) = files::write_private(&self.path, &text) {
            tracing::error!("the fleet's memory of this robot is not stored: {error}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_is_remembered() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open(folder.path()).unwrap();
        assert_eq!(store.memory, Memory::default());
        let stopped = StoppedBy { caller: "anna".into(), time_ms: 1.5, holds_lease: true };
        store.change(|memory| memory.stopped = Some(stopped.clone()));
        assert_eq!(Store::open(folder.path()).unwrap().memory.stopped, Some(stopped));
        std::fs::write(folder.path().join("memory.json"), "{").unwrap();
        assert!(Store::open(folder.path()).is_err());
    }
}
