//! A tool's `state.json`: the current version, the approvals, and any deactivation or quarantine.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::RegistryError;
use super::storage::{read_json, versions_in, write_json};
use minismith_analysis::manifest::Evidence;

/// Faults in a row after which a version is put in quarantine.
pub(super) const MAX_FAULTS: u32 = 3;

/// A person's approval of a version, which then moves at full speed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Approval {
    /// Evidence of the rehearsal at full speed.
    #[serde(flatten)]
    pub evidence: Evidence,
    /// Time of the approval, seconds since 1970.
    #[serde(default)]
    #[schema(required)]
    pub at: u64,
    /// Name of the person.
    #[serde(default)]
    #[schema(required)]
    pub by: String,
}

/// A quarantine: the version no longer runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Quarantine {
    /// The reason.
    pub reason: String,
    /// Time, seconds since 1970.
    pub at: u64,
}

/// A deactivation of a tool by a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Deactivation {
    /// Time, seconds since 1970.
    pub at: u64,
    /// Name of the person.
    pub by: String,
}

/// The state of one tool. Data about a version is stored under its number, which is never used again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct State {
    /// Current version.
    pub(super) current: u32,
    /// Approved versions.
    #[serde(default)]
    pub(super) approved: BTreeMap<u32, Approval>,
    /// The deactivation, if the tool is deactivated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) deactivated: Option<Deactivation>,
    /// Versions in quarantine.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) quarantine: BTreeMap<u32, Quarantine>,
    /// Faults in a row, by version.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) faults: BTreeMap<u32, u32>,
}

impl State {
    /// Returns the number for a new version. A used number must not describe other code.
    pub(super) fn next(&self, versions: &[u32]) -> u32 {
        let last = [
            versions.last(),
            Some(&self.current),
            self.approved.keys().next_back(),
            self.quarantine.keys().next_back(),
            self.faults.keys().next_back(),
        ];
        last.into_iter().flatten().max().map_or(1, |last| last.saturating_add(1))
    }

    /// Without a state (a crash before its first write) the newest version is called.
    pub(super) fn read(folder: &Path) -> Result<Self, RegistryError> {
        match read_json(&folder.join("state.json"), |_| {}) {
            Err(RegistryError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
                Ok(State { current: versions_in(folder)?.last().copied().unwrap_or(0), ..State::default() })
            }
            state => state,
        }
    }

    pub(super) fn write(&self, folder: &Path) -> Result<(), RegistryError> {
        write_json(&folder.join("state.json"), self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_never_given_twice() {
        let mut state = State { current: 2, ..State::default() };
        assert_eq!(State::default().next(&[]), 1);
        assert_eq!((state.next(&[1, 2]), state.next(&[1, 4])), (3, 5));
        // The files of version 6 were removed. Its approval is for that code, not for the next one.
        let approval = Approval { evidence: Evidence::default(), at: 0, by: "ada".into() };
        state.approved.insert(6, approval);
        assert_eq!(state.next(&[1, 2]), 7);
    }

    #[test]
    fn an_approval_may_lack_who_and_when_but_not_be_misspelt() {
        let read = |text: &str| serde_json::from_str::<State>(text);
        let evidence = r#""rules": 1, "limits_sha256": "00", "mock": "mock""#;
        let bare = read(&format!("{{\"current\": 1, \"approved\": {{\"1\": {{{evidence}}}}}}}")).unwrap();
        assert_eq!((bare.approved[&1].at, &*bare.approved[&1].by), (0, ""));
        let odd = format!("{{\"current\": 1, \"approved\": {{\"1\": {{{evidence}, \"bye\": 1}}}}}}");
        assert!(read(&odd).unwrap_err().to_string().contains("bye"));
        let state = State { approved: bare.approved, current: 1, ..State::default() };
        assert_eq!(read(&serde_json::to_string(&state).unwrap()).unwrap(), state);
    }
}
