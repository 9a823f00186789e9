//! Cases: tools and attacks as files, with expectations in their first lines.
//!
//! ```text
//! # rule: dunder-attribute       the policy refuses it by this rule
//! # asks: endless-loop           the policy asks a person
//! # layer: rehearsal             what it does on the mock is refused
//! `# layer: cage`, `# layer: envelope`    it may run: what it tries comes to nothing there
//! # class: numpy_io              the kind of attack
//! # success: file NAME | returns /etc/hostname | runs for ever | out of range | none
//! ```
//!
//! The corpus next to the workspace has headers of its own: `# trigger: ...; entry: NAME; check: WORD`.

use std::fs;
use std::path::Path;

use crate::python_files;

/// One file.
#[derive(Clone, Debug)]
pub struct Case {
    /// The file's stem.
    pub name: String,
    /// Its unchanged bytes.
    pub bytes: Vec<u8>,
    /// The name of the entry function.
    pub entry: String,
    /// The required outcome.
    pub must: ExpectedOutcome,
    /// The goal of an attack.
    pub success: Success,
    /// The kind of attack.
    pub class: Option<String>,
}

/// The required outcome of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExpectedOutcome {
    /// Accepted without a question.
    Pass,
    /// Rejected by this rule of the policy.
    Rule(String),
    /// This rule asks the user.
    Ask(String),
    /// Rejected by any rule of the policy.
    Policy,
    /// Rejected for its behaviour on the mock.
    Rehearsal,
    /// It may run.
    Run,
}

/// When an attack has succeeded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Success {
    /// A file of this name exists anywhere that it could write to.
    File(String),
    /// It returned the contents of this file.
    Returns(String),
    /// It returned, although it is made to run for ever or to exhaust a resource.
    Forever,
    /// The robot was sent a goal beyond its limits.
    OutOfRange,
    /// An invalid memory access ended its process.
    Crash,
    /// Nothing shows from outside.
    None,
}

/// Returns the cases of a folder, by name. Prints a note and returns none where there is no such folder.
///
/// # Panics
/// When a header is invalid.
#[must_use]
pub fn cases(folder: &Path) -> Option<Vec<Case>> {
    let read = |file: &std::path::PathBuf| {
        let name = file.file_stem().unwrap().to_str().unwrap();
        Case::of(name, fs::read(file).unwrap())
    };
    Some(python_files(folder)?.iter().map(read).collect())
}

impl Case {
    /// Reads the first lines of a file. A file without a header is a good tool.
    ///
    /// # Panics
    /// When a header is invalid.
    #[must_use]
    pub fn of(name: &str, bytes: Vec<u8>) -> Case {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let header = |key: &str| {
            let start = format!("# {key}: ");
            let line = text.split(['\n', '\r']).find_map(|line| line.strip_prefix(&start))?;
            Some(line.trim_end().to_owned())
        };
        let word = |line: String| line.split(' ').next().unwrap_or_default().to_owned();
        let case = Case {
            name: name.to_owned(),
            entry: name.to_owned(),
            must: ExpectedOutcome::Pass,
            success: Success::None,
            class: header("class"),
            bytes: bytes.clone(),
        };
        if let Some(trigger) = header("trigger") {
            return case.headed_by(&trigger);
        }
        let must = match (header("rule"), header("asks"), header("layer").as_deref()) {
            (Some(rule), None, None) => ExpectedOutcome::Rule(word(rule)),
            (None, Some(rule), None) => ExpectedOutcome::Ask(word(rule)),
            (None, None, Some("rehearsal")) => ExpectedOutcome::Rehearsal,
            (None, None, Some("cage" | "envelope")) => ExpectedOutcome::Run,
            (None, None, None) if header("success").is_none() => ExpectedOutcome::Pass,
            other => panic!("{name}: {other:?} is not understood"),
        };
        let success = header("success").map_or(Success::None, |said| match said.split_once(' ') {
            Some(("file", file)) => Success::File(file.to_owned()),
            Some(("returns", file)) => Success::Returns(file.to_owned()),
            _ if said == "runs for ever" => Success::Forever,
            _ if said == "out of range" => Success::OutOfRange,
            _ if said == "none" => Success::None,
            _ => panic!("{name}: the success {said:?} is not understood"),
        });
        Case { must, success, ..case }
    }

    fn headed_by(self, trigger: &str) -> Case {
        let part = |key: &str| trigger.split("; ").find_map(|part| part.trim().strip_prefix(key));
        let entry = part("entry: ").unwrap().to_owned();
        let success = match part("check: ").unwrap() {
            "file" => Success::File("PWNED".into()),
            "fileglob" => Success::File("PWNED.png".into()),
            "return" => Success::Returns("/etc/hostname".into()),
            "dos" => Success::Forever,
            "crash" => Success::Crash,
            "static" => Success::None,
            other => panic!("{}: no check {other}", self.name),
        };
        // A tool that only exhausts time or memory may look harmless: rehearsal measures it.
        let must = if success == Success::Forever { ExpectedOutcome::Run } else { ExpectedOutcome::Policy };
        Case { entry, success, must, ..self }
    }

    /// Returns the source as text, with invalid bytes replaced.
    #[must_use]
    pub fn source(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}
