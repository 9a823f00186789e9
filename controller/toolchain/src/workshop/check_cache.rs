//! A cache of check results by their inputs, so that the same bytes are not rehearsed twice.
//!
//! A cached result is only displayed. It verifies nothing: a tool is always rehearsed again before it is registered.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest, Sha256};

use super::Workshop;
use super::check::Checked;
use minismith_runtime::bounded::read_at_most;

use super::registry::write_atomic;
use super::rehearsal::{NO_LIBRARIES, RehearsalError, RehearsalOptions};
use minismith_analysis::digest::hex_sha256;
use minismith_analysis::submission::{Declared, Submission};

/// Name of the folder in the tools directory.
const FOLDER: &str = ".checked";

/// Maximum number of cached results. The oldest are removed first.
const MAX_RESULTS: usize = 256;

/// Maximum size of a file that a test case names, bytes. Test cases take far shorter ones.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Maximum size of a cached result, bytes.
const MAX_RESULT_BYTES: u64 = 256 << 10;

impl Workshop {
    /// Runs [`Workshop::check`], or returns its cached result for the same submission and conditions.
    ///
    /// Also returns whether the result was cached.
    ///
    /// # Errors
    /// Returns an error only if no rehearsal can run here.
    pub fn check_cached(&self, submission: &Submission) -> Result<(Checked, bool), RehearsalError> {
        let folder = self.registry().root().join(FOLDER);
        let key = key(submission, &self.conditions(false));
        if let Some(checked) = recall(&folder, &key) {
            return Ok((checked, true));
        }
        let (checked, _) = self.check(submission)?;
        if is_repeatable(&checked) {
            keep(&folder, &key, &checked);
        }
        Ok((checked, false))
    }
}

/// Returns one hash over all inputs of a result.
fn key(submission: &Submission, conditions: &RehearsalOptions) -> String {
    let Submission { name, main, others, declared, origin } = submission;
    let rests_on = json!({
        "name": name,
        "others": others,
        "declared": declared,
        "files": named_files(declared),
        "foreign": origin.is_foreign(),
        "evidence": conditions.evidence(),
        "guest": conditions.guest,
        "program": program_identity(),
    });
    let rests_on = rests_on.to_string();
    let mut hash = Sha256::new();
    // The length goes first, so that other data cannot pass for code.
    hash.update((rests_on.len() as u64).to_le_bytes());
    hash.update(rests_on);
    hash.update(main);
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the hashes of the files that the test cases name. The declarations contain only their names.
fn named_files(declared: &Declared) -> Vec<(&str, String)> {
    let folder = declared.folder.as_deref().unwrap_or(Path::new(""));
    let arguments = declared.test_cases.iter().flat_map(|test| test.arguments.values());
    let named = arguments.filter_map(serde_json::Value::as_str);
    let plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    // Most texts name no file. A file elsewhere, or one that is too long, is refused in any case.
    let hashed = named.filter(|named| Path::new(named).components().all(plain)).filter_map(|named| {
        let path = Some(folder.join(named)).filter(|path| path.is_file())?;
        Some((named, hex_sha256(&read_at_most(&path, MAX_FILE_BYTES).ok()?)))
    });
    hashed.collect()
}

/// Identifies the program_identity, since another build may judge differently. The tool host is next to it and built with it.
fn program_identity() -> Vec<(u64, i64, i64)> {
    let Ok(own) = std::env::current_exe() else { return Vec::new() };
    let stamp = |path: PathBuf| {
        let file = fs::metadata(path).ok()?;
        Some((file.size(), file.mtime(), file.mtime_nsec()))
    };
    [own.clone(), own.with_file_name("minismith-tool-host")].into_iter().filter_map(stamp).collect()
}

/// Returns whether a less busy machine, or one with more libraries, would produce the same result.
fn is_repeatable(checked: &Checked) -> bool {
    const MACHINE_DEPENDENT: [&str; 5] =
        ["cpu-seconds", "turn-seconds", "wall-seconds", "died", NO_LIBRARIES];
    let by_the_machine = |rule: &str| MACHINE_DEPENDENT.iter().any(|limit| rule.ends_with(limit));
    !checked.findings.iter().any(|finding| by_the_machine(&finding.rule))
}

/// A cached result. It contains its key, so that a file cannot answer another question.
#[derive(Serialize, Deserialize)]
struct CachedCheck<T> {
    key: String,
    checked: T,
}

fn file(folder: &Path, key: &str) -> PathBuf {
    folder.join(format!("{key}.json"))
}

fn recall(folder: &Path, key: &str) -> Option<Checked> {
    let stored: CachedCheck<Checked> =
        serde_json::from_slice(&read_at_most(&file(folder, key), MAX_RESULT_BYTES).ok()?).ok()?;
    (stored.key == key).then_some(stored.checked)
}

/// Stores a result and removes the oldest ones. If that fails, the next check rehearses again.
fn keep(folder: &Path, key: &str, checked: &Checked) {
    let stored = (|| {
        fs::create_dir_all(folder)?;
        let mut entries: Vec<_> = fs::read_dir(folder)?
            .flatten()
            .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
            .collect();
        entries.sort();
        for (_, oldest) in entries.iter().take((entries.len() + 1).saturating_sub(MAX_RESULTS)) {
            fs::remove_file(oldest)?;
        }
        let bytes = serde_json::to_vec(&CachedCheck { key: key.to_owned(), checked })?;
        if bytes.len() as u64 <= MAX_RESULT_BYTES {
            write_atomic(&file(folder, key), &bytes).map_err(std::io::Error::other)?;
        }
        Ok::<(), std::io::Error>(())
    })();
    if let Err(error) = stored {
        tracing::debug!(%error, "the result of this check is not cached");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workshop::check::CheckPhase;

    fn checked(rule: Option<&str>) -> Checked {
        let finding = |rule: &str| minismith_analysis::finding::Finding {
            module: None,
            rule: rule.into(),
            line: 1,
            verdict: minismith_analysis::finding::Verdict::Reject,
            reason: String::new(),
            hint: String::new(),
        };
        Checked {
            name: "tool".into(),
            accepted: rule.is_none(),
            needs_approval: false,
            phase: CheckPhase::Rehearsal,
            findings: rule.map(finding).into_iter().collect(),
            report: None,
            cases: Vec::new(),
            expectations: Vec::new(),
            rejected_motion: Vec::new(),
        }
    }

    #[test]
    fn results_of_a_busy_machine_are_not_cached() {
        assert!(is_repeatable(&checked(None)) && is_repeatable(&checked(Some("rehearsal-raises"))));
        assert!(!is_repeatable(&checked(Some("rehearsal-cpu-seconds"))));
        assert!(!is_repeatable(&checked(Some("rehearsal-turn-seconds"))));
    }

    #[test]
    fn cache_is_bounded() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..MAX_RESULTS + 10 {
            keep(folder.path(), &number.to_string(), &checked(None));
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), MAX_RESULTS);
        let last = (MAX_RESULTS + 9).to_string();
        assert_eq!(recall(folder.path(), &last).map(|stored| stored.name), Some("tool".to_owned()));
        fs::copy(file(folder.path(), &last), file(folder.path(), "other")).unwrap();
        assert!(recall(folder.path(), "other").is_none());
        fs::write(file(folder.path(), &last), "{\"key\":").unwrap();
        assert!(recall(folder.path(), &last).is_none());
    }
}
