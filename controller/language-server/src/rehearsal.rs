//! Rehearsal of a document: `minismith tool check` in a process of its own, on a copy in a temporary folder.

use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use minismith_analysis::finding::Finding;
use minismith_analysis::submission::Submission;
use minismith_runtime::subprocess::{self, Ending};
use serde::Deserialize;
use tempfile::TempDir;

/// How to start the program for a check.
#[derive(Clone, Debug)]
pub struct Checker {
    /// The program.
    pub program: PathBuf,
    /// Its arguments before the file.
    pub arguments: Vec<OsString>,
}

/// Maximum size of the result, in bytes.
const MAX_RESULT_BYTES: u64 = 16 << 20;

/// Maximum size of a file that the declarations name, in bytes. The check accepts far smaller ones.
const MAX_FILE_BYTES: u64 = 8 << 20;

/// The result of a rehearsal.
#[derive(Debug)]
pub(crate) enum Rehearsed {
    Checked(Checked),
    Cancelled,
    /// No check could run.
    Failed(String),
}

/// What the editor needs of the check's result.
#[derive(Debug, Deserialize)]
pub(crate) struct Checked {
    pub name: String,
    #[serde(rename = "admitted")]
    pub accepted: bool,
    pub needs_approval: bool,
    pub stage: String,
    pub findings: Vec<Finding>,
    pub cases: Vec<serde_json::Value>,
}

#[derive(Deserialize)]
struct Results {
    results: Vec<Checked>,
}

/// A tool that is rehearsed, and how to stop that.
#[derive(Debug)]
pub(crate) struct Rehearsal {
    pub submission: Submission,
    /// The folder of the file, whose other files the tool's declarations may name.
    pub folder: Option<PathBuf>,
    pub checker: Checker,
    pub cancelled: Arc<AtomicBool>,
}

impl Rehearsal {
    /// Rehearses the tool. `tick` is called while it runs.
    pub(crate) fn run(self, tick: &mut dyn FnMut()) -> Rehearsed {
        match self.check(tick) {
            Ok(rehearsed) => rehearsed,
            Err(error) => Rehearsed::Failed(format!("cannot rehearse: {error}")),
        }
    }

    fn check(self, tick: &mut dyn FnMut()) -> io::Result<Rehearsed> {
        let copy = tempfile::tempdir()?;
        let file = self.write(&copy)?;
        let mut arguments = self.checker.arguments;
        arguments.push(file.into());
        let mut goes_on = || {
            tick();
            !self.cancelled.load(Ordering::Relaxed)
        };
        let done = subprocess::collect(&self.checker.program, &arguments, MAX_RESULT_BYTES, &mut goes_on)?;
        if done.ending == Ending::Stopped {
            return Ok(Rehearsed::Cancelled);
        }
        match serde_json::from_slice::<Results>(&done.output)
            .ok()
            .and_then(|all| all.results.into_iter().next())
        {
            Some(checked) => Ok(Rehearsed::Checked(checked)),
            None => {
                let complaints = String::from_utf8_lossy(&done.complaints);
                let last = complaints.trim().lines().last().unwrap_or("the check printed no result");
                Ok(Rehearsed::Failed(last.to_owned()))
            }
        }
    }

    /// Writes the tool with its declarations and the files that these name, and returns its path.
    fn write(&self, copy: &TempDir) -> io::Result<PathBuf> {
        let Submission { name, main, others, .. } = &self.submission;
        let (folder, declarations) = match others {
            None => (copy.path().to_owned(), format!("{name}.yaml")),
            Some(_) => (copy.path().join(name), "tool.yaml".to_owned()),
        };
        std::fs::create_dir_all(&folder)?;
        for (name, source) in std::iter::once((name, main)).chain(others.iter().flatten()) {
            std::fs::write(folder.join(format!("{name}.py")), source)?;
        }
        let path = if others.is_some() { folder.clone() } else { folder.join(format!("{name}.py")) };
        if let Some(original) = &self.folder {
            copy_file(original, &folder, &declarations)?;
            // Declarations that are invalid are the check's to report.
            let declared = Submission::read(&path).map(|tool| tool.declared).unwrap_or_default();
            let arguments = declared.test_cases.iter().flat_map(|test| test.arguments.values());
            for named in arguments.filter_map(serde_json::Value::as_str) {
                copy_file(original, &folder, named)?;
            }
        }
        Ok(path)
    }
}

/// Copies a file below a folder, if there is a small one of this name.
fn copy_file(original: &Path, copy: &Path, named: &str) -> io::Result<()> {
    let is_plain = Path::new(named).components().all(|part| matches!(part, Component::Normal(_)));
    let path = original.join(named);
    let is_small =
        std::fs::metadata(&path).is_ok_and(|found| found.is_file() && found.len() <= MAX_FILE_BYTES);
    if named.is_empty() || !is_plain || !is_small {
        return Ok(());
    }
    // A link may lead out of the folder.
    if !path.canonicalize()?.starts_with(original.canonicalize()?) {
        return Ok(());
    }
    let target = copy.join(named);
    if let Some(folder) = target.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::copy(path, target).map(drop)
}
