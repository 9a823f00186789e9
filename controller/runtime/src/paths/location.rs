//! [`Location`]: where something is, what was looked at for it, and why that was taken.

use std::path::{Path, PathBuf};

use serde::Serialize;

/// What became of a place that was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CandidateState {
    /// It is used.
    Taken,
    /// It exists, but an earlier one was taken.
    LessPreferred,
    /// It does not exist, or it is empty.
    Missing,
    /// It belongs to another user, or everybody may write it.
    Untrusted,
}

/// A place that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Candidate {
    /// The file or folder.
    pub path: PathBuf,
    /// Why it was looked at.
    pub origin: String,
    /// What became of it.
    pub state: CandidateState,
}

/// Where something is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Location {
    /// What it is, in a few words.
    pub name: &'static str,
    /// The configuration key that sets it.
    pub key: Option<&'static str>,
    /// The file or folder; none where the answer is no file, such as the built-in values.
    pub path: Option<PathBuf>,
    /// Whether it exists.
    pub exists: bool,
    /// Why it was taken.
    pub reason: String,
    /// The places, in the order in which they were looked at.
    pub searched: Vec<Candidate>,
}

impl Location {
    /// Returns a location that needed no search.
    #[must_use]
    pub fn given(
        name: &'static str,
        key: Option<&'static str>,
        path: &Path,
        reason: impl Into<String>,
    ) -> Self {
        let reason = reason.into();
        let state = CandidateState::Taken;
        let candidate = Candidate { path: path.to_owned(), origin: reason.clone(), state };
        Location {
            name,
            key,
            path: Some(path.to_owned()),
            exists: path.exists(),
            reason,
            searched: vec![candidate],
        }
    }

    /// Takes the first place that exists, otherwise the one at `fallback`, where it will be created.
    #[must_use]
    pub fn first(
        name: &'static str,
        key: &'static str,
        places: Vec<(PathBuf, String)>,
        fallback: usize,
        exists: impl Fn(&Path) -> bool,
    ) -> Self {
        let found = places.iter().position(|(path, _)| exists(path));
        let chosen = found.unwrap_or(fallback);
        let state = |index: usize, path: &Path| match (index == chosen, found) {
            (true, Some(_)) => CandidateState::Taken,
            (false, Some(_)) if index > chosen && exists(path) => CandidateState::LessPreferred,
            _ => CandidateState::Missing,
        };
        let searched: Vec<Candidate> = places
            .into_iter()
            .enumerate()
            .map(|(index, (path, origin))| Candidate { state: state(index, &path), path, origin })
            .collect();
        let taken = searched.get(chosen);
        let origin = taken.map_or("", |candidate| candidate.origin.as_str());
        let reason = match found {
            Some(_) => origin.to_owned(),
            None => format!("not installed; it belongs here: {origin}"),
        };
        Location {
            name,
            key: Some(key),
            path: taken.map(|candidate| candidate.path.clone()),
            exists: found.is_some(),
            reason,
            searched,
        }
    }
}
