//! Evaluated prompts on disk: which file belongs to which prompt, and how many are kept.
//!
//! The instructions of a prompt are its constant part. Their evaluation takes most of the time of a short answer on a slow
//! computer, so the process saves what comes of it, and restores it later, also after a restart.

use std::fs::{self, File};
use std::path::PathBuf;
use std::time::SystemTime;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::store::hex;

/// Instructions shorter than this are evaluated each time, bytes.
const MIN_TEXT_BYTES: usize = 800;

/// The largest number of files.
const MAX_FILES: usize = 24;

/// The largest size of all files together, bytes.
const MAX_TOTAL_BYTES: u64 = 512 << 20;

const EXTENSION: &str = "kv";

/// The folder of evaluated prompts of one model and its settings.
#[derive(Clone, Debug)]
pub(crate) struct PromptCache {
    folder: PathBuf,
    /// What an evaluation depends on beside the text.
    settings: String,
}

impl PromptCache {
    pub(crate) fn new(folder: PathBuf, settings: String) -> Self {
        PromptCache { folder, settings }
    }

    /// Returns the file name for the constant part of a request; none if it is too short.
    pub(crate) fn name(&self, request: &Value) -> Option<String> {
        let text = instructions(request)?;
        if text.len() < MIN_TEXT_BYTES {
            return None;
        }
        let mut hash = Sha256::new();
        for part in [self.settings.as_str(), "\0", text] {
            hash.update(part.as_bytes());
        }
        let digits: String = hex(&hash.finalize()).chars().take(32).collect();
        Some(format!("{digits}.{EXTENSION}"))
    }

    /// Whether the evaluated prompt is there. It then counts as used now.
    pub(crate) fn has(&self, name: &str) -> bool {
        let file = File::options().append(true).open(self.folder.join(name));
        file.is_ok_and(|file| {
            // Only the order of removal depends on it.
            let _ = file.set_modified(firmware_bridge::clock::system_time());
            true
        })
    }

    /// Removes one that could not be restored.
    pub(crate) fn forget(&self, name: &str) {
        let _ = fs::remove_file(self.folder.join(name));
    }

    /// Removes the least recently used ones beyond the bounds.
    pub(crate) fn tidy(&self) {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut files: Vec<(SystemTime, u64, PathBuf)> = entries
            .filter(|entry| entry.path().extension().is_some_and(|it| it == EXTENSION))
            .filter_map(|entry| {
                let facts = entry.metadata().ok()?;
                Some((facts.modified().ok()?, facts.len(), entry.path()))
            })
            .collect();
        files.sort_by(|one, other| other.cmp(one));
        let mut total = 0_u64;
        for (position, (_, bytes, path)) in files.into_iter().enumerate() {
            total = total.saturating_add(bytes);
            if position >= MAX_FILES || total > MAX_TOTAL_BYTES {
                let _ = fs::remove_file(path);
            }
        }
    }
}

/// Returns the text of the first message, if it holds the instructions.
fn instructions(request: &Value) -> Option<&str> {
    let first = request.get("messages")?.get(0)?;
    (first.get("role")? == "system").then(|| first.get("content")?.as_str())?
}

/// Returns a request that evaluates the constant part of another one.
pub(crate) fn evaluation(request: &Value) -> Option<Value> {
    let first = request.get("messages")?.get(0)?;
    Some(json!({
        "messages": [first, {"role": "user", "content": "."}],
        "max_tokens": 1,
        "temperature": 0,
        "stream": true,
        "return_progress": true,
        "cache_prompt": true,
        "id_slot": 0,
    }))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn request(instructions: &str, question: &str) -> Value {
        json!({"messages": [{"role": "system", "content": instructions}, {"role": "user", "content": question}]})
    }

    #[test]
    fn the_file_depends_on_the_constant_part_alone() {
        let cache = |settings: &str| PromptCache::new("/nowhere".into(), settings.into());
        let long = "Write tools. ".repeat(100);
        let name = cache("a").name(&request(&long, "one")).unwrap();
        assert_eq!(cache("a").name(&request(&long, "two")).unwrap(), name);
        assert_ne!(cache("b").name(&request(&long, "one")).unwrap(), name);
        assert_ne!(cache("a").name(&request(&format!("{long}!"), "one")).unwrap(), name);
        assert_eq!(cache("a").name(&request("Be brief.", "one")), None);
        assert_eq!(cache("a").name(&json!({"messages": []})), None);
        let evaluated = evaluation(&request(&long, "a secret")).unwrap();
        assert!(!evaluated.to_string().contains("secret") && evaluated["messages"][0]["content"] == *long);
    }

    #[test]
    fn the_least_recently_used_files_go() {
        let folder = tempfile::tempdir().unwrap();
        let cache = PromptCache::new(folder.path().to_owned(), String::new());
        for number in 0..MAX_FILES + 3 {
            let file = File::create(folder.path().join(format!("{number:02}.kv"))).unwrap();
            let past = firmware_bridge::clock::system_time() - Duration::from_secs(1000 - number as u64);
            file.set_modified(past).unwrap();
        }
        assert!(cache.has("00.kv") && !cache.has("missing.kv"));
        cache.tidy();
        let there = |name: &str| folder.path().join(name).exists();
        assert!(there("00.kv") && !there("01.kv") && !there("03.kv") && there("04.kv"));
        cache.forget("00.kv");
        assert!(!there("00.kv"));
    }
}
