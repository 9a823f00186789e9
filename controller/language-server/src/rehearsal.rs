//! Rehearsal of a document: `minismith tool check` in a process of its own, on a copy in a temporary folder.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
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

/// Maximum number of files that are visible next to the copy.
const MAX_NEIGHBOURS: usize = 1000;

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
    pub admitted: bool,
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

    /// Writes the tool, and links to the files next to it, and returns its path.
    fn write(&self, copy: &TempDir) -> io::Result<PathBuf> {
        let Submission { name, main, others, .. } = &self.submission;
        let (folder, path) = match others {
            None => (copy.path().to_owned(), copy.path().join(name).with_extension("py")),
            Some(_) => (copy.path().join(name), copy.path().join(name)),
        };
        std::fs::create_dir_all(&folder)?;
        let others = others.iter().flatten().map(|(name, source)| (name, source));
        for (name, source) in std::iter::once((name, main)).chain(others) {
            std::fs::write(folder.join(name).with_extension("py"), source)?;
        }
        if let Some(original) = &self.folder {
            link_neighbours(original, &folder)?;
        }
        Ok(path)
    }
}

/// Makes the declarations and the files that they name available to the copy.
fn link_neighbours(original: &Path, copy: &Path) -> io::Result<()> {
    for entry in std::fs::read_dir(original)?.take(MAX_NEIGHBOURS) {
        let path = entry?.path();
        let (Some(name), false) = (path.file_name(), path.extension().is_some_and(|end| end == "py")) else {
            continue;
        };
        let target = std::path::absolute(&path)?;
        if path.extension().is_some_and(|end| end == "yaml") {
            // The declarations lead to the other files by their own folder.
            std::fs::copy(target, copy.join(name))?;
        } else {
            std::os::unix::fs::symlink(target, copy.join(name))?;
        }
    }
    Ok(())
}
