//! What is written in a tool's `state.json`: which version is called, who approved which, and what is out of use.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::RegistryError;
use super::shelf::{read_json, versions_in, write_json};
use minismith_analysis::manifest::Evidence;

/// Faults in a row after which a version is put in quarantine.
pub(super) const MOST_FAULTS: u32 = 3;

/// That a person stands for a version: it moves at full speed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Approval {
    /// What the rehearsal at full speed rested on.
    #[serde(flatten)]
    pub evidence: Evidence,
    /// When, seconds since 1970.
    #[serde(default)]
    pub at: u64,
    /// Who.
    #[serde(default)]
    pub by: String,
}

/// Why a version does not run any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Quarantine {
    /// What it did.
    pub reason: String,
    /// When, seconds since 1970.
    pub at: u64,
}

/// That a person has taken a tool out of use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Deactivation {
    /// When, seconds since 1970.
    pub at: u64,
    /// Who.
    pub by: String,
}

/// The state of one tool. Everything in it that concerns a version is kept by its number, which is never given twice.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct State {
    /// The version that is called.
    pub(super) current: u32,
    /// Each approved version.
    #[serde(default)]
    pub(super) approved: BTreeMap<u32, Approval>,
    /// Whether the tool is out of use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) deactivated: Option<Deactivation>,
    /// Each version that misbehaved.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) quarantine: BTreeMap<u32, Quarantine>,
    /// Faults in a row, by version.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) faults: BTreeMap<u32, u32>,
}

impl State {
    /// The number for a new version: a number that was used once says nothing of other code.
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
        // The files of version 6 were removed; its approval is of that code, not of the next one.
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
