//! [`ToolFolder`]: the files of a tool, and its state. Those of a predefined tool may be only read; its state is then
//! written elsewhere, over the one that comes with it.

use std::path::{Path, PathBuf};

use super::RegistryError;
use super::state::State;
use super::storage::{make_folder, versions_in};

/// Where a tool's files are, and where its state is written.
#[derive(Clone, Debug)]
pub(super) struct ToolFolder {
    files: PathBuf,
    /// The folder of the state, if the files are only read.
    over: Option<PathBuf>,
}

impl ToolFolder {
    /// A folder with all files of a tool.
    pub(super) const fn at(files: PathBuf) -> Self {
        ToolFolder { files, over: None }
    }

    /// A folder that is only read, and the folder for the state.
    pub(super) const fn layered(files: PathBuf, over: PathBuf) -> Self {
        ToolFolder { files, over: Some(over) }
    }

    /// Returns the folder of the tool's files.
    pub(super) fn files(&self) -> &Path {
        &self.files
    }

    /// Returns the folder of the state, if the files are only read.
    pub(super) fn over(&self) -> Option<&Path> {
        self.over.as_deref()
    }

    /// Reads the state.
    pub(super) fn state(&self) -> Result<State, RegistryError> {
        let shipped = State::read(&self.files)?;
        match self.over.as_deref().filter(|over| over.join("state.json").is_file()) {
            Some(over) => Ok(merged(shipped, State::read(over)?, &versions_in(&self.files)?)),
            None => Ok(shipped),
        }
    }

    /// Writes the state.
    pub(super) fn write_state(&self, state: &State) -> Result<(), RegistryError> {
        match &self.over {
            None => state.write(&self.files),
            Some(over) => {
                make_folder(over)?;
                state.write(over)
            }
        }
    }
}

/// Returns the state of a person over the one that came with the tool, of which a newer program may bring other versions
/// and newer approvals.
fn merged(shipped: State, own: State, versions: &[u32]) -> State {
    let exists = |version: &u32| versions.contains(version);
    let mut approved = shipped.approved;
    for (version, approval) in own.approved.into_iter().filter(|(version, _)| exists(version)) {
        match approved.get(&version) {
            Some(known) if known.at >= approval.at => {}
            _ => _ = approved.insert(version, approval),
        }
    }
    State {
        current: if exists(&own.current) { own.current } else { shipped.current },
        approved,
        deactivated: own.deactivated,
        quarantine: own.quarantine.into_iter().filter(|(version, _)| exists(version)).collect(),
        faults: own.faults.into_iter().filter(|(version, _)| exists(version)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::state::{Approval, Deactivation, Quarantine};
    use super::*;
    use minismith_analysis::manifest::Evidence;

    fn approved(version: u32, at: u64) -> State {
        let approval = Approval { evidence: Evidence::default(), at, by: at.to_string() };
        State { current: version, approved: [(version, approval)].into(), ..State::default() }
    }

    fn deactivated(state: State) -> State {
        State { deactivated: Some(Deactivation { at: 1, by: "ada".into() }), ..state }
    }

    #[test]
    fn a_person_changes_the_state_and_not_the_files() {
        let folder = tempfile::tempdir().unwrap();
        let (files, over) = (folder.path().join("shared/nod"), folder.path().join("own/nod"));
        std::fs::create_dir_all(&files).unwrap();
        std::fs::write(files.join("v1.json"), "{}").unwrap();
        approved(1, 5).write(&files).unwrap();
        let tool = ToolFolder::layered(files.clone(), over);
        assert_eq!(tool.state().unwrap(), approved(1, 5));
        tool.write_state(&deactivated(approved(1, 5))).unwrap();
        assert_eq!(tool.state().unwrap(), deactivated(approved(1, 5)));
        assert_eq!(State::read(&files).unwrap(), approved(1, 5));
    }

    #[test]
    fn a_newer_program_brings_its_version_and_its_approvals() {
        let own = deactivated(approved(1, 5));
        let own = State { quarantine: [(1, Quarantine { reason: "x".into(), at: 1 })].into(), ..own };
        assert_eq!(merged(approved(2, 9), own.clone(), &[2]), deactivated(approved(2, 9)));
        // The same code with newer evidence.
        let renewed = merged(approved(1, 9), own, &[1]);
        assert_eq!((renewed.approved[&1].at, renewed.quarantine.len()), (9, 1));
        assert_eq!(merged(approved(1, 5), approved(1, 7), &[1]).approved[&1].at, 7);
    }
}
