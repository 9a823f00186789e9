//! Caches code that answered a question, for similar questions about files of the same shape.
//!
//! The key is the plain words of the question and the types and columns of the files, not their names. A
//! match is only a proposal: its hash is checked, and it passes policy and sandbox like any other script.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use minismith_protocol::InputFile;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::inputs::columns;
use super::report::Report;
use super::task::Written;
use minismith_analysis::digest::hex_sha256;

/// The maximum length of a record that is read, in bytes.
const MAX_RECORD_BYTES: u64 = 256 << 10;

/// The maximum number of records; the oldest are deleted first.
const MAX_RECORDS: usize = 256;

/// Words that do not change a question.
const FILLERS: [&str; 18] = [
    "please",
    "the",
    "a",
    "an",
    "of",
    "is",
    "are",
    "what",
    "what's",
    "me",
    "tell",
    "show",
    "give",
    "compute",
    "calculate",
    "find",
    "column",
    "file",
];

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    key: String,
    names: Vec<String>,
    code: String,
    code_sha256: String,
    author: String,
    assumptions: Vec<String>,
}

/// A folder of cached code.
#[derive(Clone, Debug)]
pub struct ScriptCache(PathBuf);

impl ScriptCache {
    /// Returns the cache in this folder, which need not exist yet.
    #[must_use]
    pub fn at(folder: PathBuf) -> Self {
        ScriptCache(folder)
    }

    /// Returns code for a similar question, adapted to these files.
    #[must_use]
    pub fn find(&self, question: &str, files: &[InputFile]) -> Option<Written> {
        let key = key(question, files);
        let mut bytes = Vec::new();
        fs::File::open(self.path(&key)).ok()?.take(MAX_RECORD_BYTES + 1).read_to_end(&mut bytes).ok()?;
        if bytes.len() as u64 > MAX_RECORD_BYTES {
            return None;
        }
        let record: Record = serde_json::from_slice(&bytes).ok()?;
        let sound = record.key == key
            && record.code_sha256 == hex_sha256(record.code.as_bytes())
            && record.names.len() == files.len();
        let renamed = || {
            let names =
                record.names.iter().zip(files).map(|(name, file)| (name.as_str(), file.name.as_str()));
            rename(&record.code, &names.collect::<Vec<_>>())
        };
        sound.then(|| Written {
            code: renamed(),
            author: record.author.clone(),
            assumptions: record.assumptions.clone(),
            reused: true,
        })
    }

    /// Stores code that has answered. What can't be stored is written again the next time.
    pub fn store(&self, files: &[InputFile], report: &Report) {
        let key = key(&report.question, files);
        let record = Record {
            names: files.iter().map(|file| file.name.clone()).collect(),
            code: report.code.clone(),
            code_sha256: hex_sha256(report.code.as_bytes()),
            author: report.author.clone(),
            assumptions: report.assumptions.clone(),
            key: key.clone(),
        };
        if let Err(error) = self.write(&key, &json!(record)) {
            tracing::warn!(%error, folder = %self.0.display(), "the code of an answer could not be kept");
        }
    }

    /// Deletes code that has failed.
    pub fn forget(&self, question: &str, files: &[InputFile]) {
        // The file may be missing.
        let _ = fs::remove_file(self.path(&key(question, files)));
    }

    fn path(&self, key: &str) -> PathBuf {
        self.0.join(format!("{key}.json"))
    }

    /// Writes a temporary file and renames it, so that a reader never finds a part of it.
    fn write(&self, key: &str, record: &Value) -> std::io::Result<()> {
        fs::create_dir_all(&self.0)?;
        let beside = self.0.join(format!("{key}.{}.new", std::process::id()));
        fs::write(&beside, record.to_string())?;
        fs::rename(&beside, self.path(key))?;
        forget_oldest(&self.0)
    }
}

fn forget_oldest(folder: &Path) -> std::io::Result<()> {
    let mut stored = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        stored.push((entry.metadata()?.modified()?, entry.path()));
    }
    stored.sort();
    for (_, path) in stored.iter().take(stored.len().saturating_sub(MAX_RECORDS)) {
        fs::remove_file(path)?;
    }
    Ok(())
}

/// Returns the hash of the question and the shape of the files.
fn key(question: &str, files: &[InputFile]) -> String {
    let shapes: Vec<Value> =
        files.iter().map(|file| json!([file.about.get("type"), columns(&file.about)])).collect();
    hex_sha256(json!({"question": plain(question, files), "files": shapes}).to_string().as_bytes())
}

/// Returns a question without details that do not matter: upper case (except in names of columns), fillers,
/// and the files' own names.
fn plain(question: &str, files: &[InputFile]) -> String {
    let mut question = question.to_owned();
    for (position, file) in files.iter().enumerate() {
        question = question.replace(&file.name, &format!(" \u{1}{position} "));
    }
    let known: Vec<String> = files.iter().flat_map(|file| columns(&file.about)).collect();
    let words = question
        .split_whitespace()
        .map(|word| word.trim_matches(['?', '!', '.', ',', ';', ':', '"', '\'', '`']));
    let words = words.filter(|word| !word.is_empty()).filter_map(|word| {
        if known.iter().any(|name| name.split_whitespace().any(|part| part == word)) {
            return Some(word.to_owned());
        }
        let word = word.to_lowercase();
        (!FILLERS.contains(&word.as_str())).then_some(word)
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Renames files in code: all texts that are exactly a name, in one pass.
fn rename(code: &str, names: &[(&str, &str)]) -> String {
    let mut renamed = code.to_owned();
    for (position, (old, _)) in names.iter().enumerate() {
        for quoted in [json!(old).to_string(), format!("'{old}'")] {
            renamed = renamed.replace(&quoted, &format!("\u{1}{position}\u{1}"));
        }
    }
    for (position, (_, new)) in names.iter().enumerate() {
        renamed = renamed.replace(&format!("\u{1}{position}\u{1}"), &json!(new).to_string());
    }
    renamed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, columns: &[&str]) -> InputFile {
        let about = json!({"type": "csv", "columns": columns}).as_object().unwrap().clone();
        InputFile {
            parameter: "inputs".into(),
            name: name.into(),
            bytes: 0,
            about,
            content: Vec::new().into(),
        }
    }

    fn report(question: &str, code: &str) -> Report {
        Report { question: question.into(), code: code.into(), success: true, ..Report::default() }
    }

    #[test]
    fn only_a_similar_question_finds_cached_code() {
        let folder = tempfile::tempdir().unwrap();
        let stored = ScriptCache::at(folder.path().join("answers"));
        let first = [file("one.csv", &["a", "A"])];
        let code = "def answer(inputs, outputs):\n    return inputs[\"one.csv\"].name\n";
        stored.store(&first, &report("What is the spread of column a in one.csv?", code));
        let second = [file("it's two.csv", &["a", "A"])];
        let found = stored.find("please show me the spread of a in it's two.csv", &second).unwrap();
        assert!(found.reused && found.code.contains("inputs[\"it's two.csv\"]"), "{}", found.code);
        assert_eq!(stored.find("spread of A in one.csv", &first), None, "columns keep their letters");
        assert_eq!(stored.find("spread of a in one.csv", &[file("one.csv", &["a"])]), None, "another shape");
        stored.forget("spread of a in one.csv", &first);
        assert_eq!(stored.find("spread of a in one.csv", &first), None);
    }

    #[test]
    fn cached_code_with_a_wrong_hash_is_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let stored = ScriptCache::at(folder.path().to_owned());
        let files = [file("one.csv", &["a"])];
        stored.store(&files, &report("spread", "code"));
        let path = stored.path(&key("spread", &files));
        let text = fs::read_to_string(&path).unwrap();
        assert!(stored.find("spread", &files).is_some());
        fs::write(&path, text.replace("\"code\":\"code\"", "\"code\":\"other\"")).unwrap();
        assert_eq!(stored.find("spread", &files), None);
        fs::write(&path, "x".repeat(300_000)).unwrap();
        assert_eq!(stored.find("spread", &files), None);
    }
}
