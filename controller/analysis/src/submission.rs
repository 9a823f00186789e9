//! A tool as its author submits it: its bytes, and the declarations next to them.
//!
//! ```text
//! nod_yes.py                     one file; optionally with nod_yes.yaml next to it
//! greetings/                     a toolkit: one folder, one version, one verification
//!     greetings.py               its public functions are callable
//!     poses.py                   further modules, imported by `from .poses import BOW`
//!     tool.yaml                  declarations, as in nod_yes.yaml
//! ```

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub use minismith_score::expects::Expects;
use serde::{Deserialize, Serialize};

use minismith_runtime::bounded::read_at_most;

use super::manifest::{Example, Provenance, TestCase, ToolManifest, is_empty};

/// Maximum number of bytes that are read from one file; the policy rejects far shorter ones.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Maximum number of modules of a toolkit.
const MAX_MODULES: usize = 32;

/// A submitted tool, not parsed yet.
#[derive(Clone, Debug, Default)]
pub struct Submission {
    /// The stem of its file, or the name of its folder.
    pub name: String,
    /// The bytes of its main module.
    pub main: Vec<u8>,
    /// The other modules of a toolkit, by stem; none for a tool of one file.
    pub others: Option<BTreeMap<String, Vec<u8>>>,
    /// The declarations of its author.
    pub declared: Declared,
    /// The origin of the tool.
    pub origin: Provenance,
}

/// The declarations of an author next to the code; every part is optional.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Declared {
    /// Example calls; each must pass its rehearsal.
    pub examples: Vec<Example>,
    /// Calls with their expected results.
    pub test_cases: Vec<TestCase>,
    /// What the motion of the default call must do, measured on the present positions.
    #[serde(skip_serializing_if = "is_empty")]
    pub expects: Expects,
    /// The folder that contains the files of test cases, if there is one.
    #[serde(skip)]
    pub folder: Option<PathBuf>,
}

/// A tool cannot be submitted.
#[derive(Debug, thiserror::Error)]
pub enum NoSubmission {
    /// A file cannot be read.
    #[error("can't read {}: {source}; name a Python file of at most 64 KiB, or a folder with a module of the same name", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The declarations are invalid.
    #[error("{}: {reason}; it holds `examples`, `test_cases` and `expects`, see `minismith tool check --help`", .path.display())]
    Declarations {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        reason: String,
    },
    /// A folder that is not a toolkit.
    #[error("{}: {reason}", .path.display())]
    NoToolkit {
        /// The folder.
        path: PathBuf,
        /// The reason, and what to do.
        reason: String,
    },
}

impl Submission {
    /// Creates a tool of one file, without declarations.
    #[must_use]
    pub fn of(name: &str, main: &[u8]) -> Self {
        Submission { name: name.into(), main: main.into(), ..Submission::default() }
    }

    /// Reads a Python file or a toolkit's folder, and the declarations next to it.
    ///
    /// # Errors
    /// [`NoSubmission`] if something cannot be read, or the declarations are invalid.
    pub fn read(path: &Path) -> Result<Self, NoSubmission> {
        if path.is_dir() { Self::read_toolkit(path) } else { Self::read_file(path) }
    }

    fn read_file(path: &Path) -> Result<Self, NoSubmission> {
        let main = bytes(path)?;
        let declared = declarations(&path.with_extension("yaml"))?;
        Ok(Submission { name: stem(path), main, declared, ..Submission::default() })
    }

    fn read_toolkit(folder: &Path) -> Result<Self, NoSubmission> {
        let no = |reason: String| NoSubmission::NoToolkit { path: folder.to_owned(), reason };
        let io = |source| NoSubmission::Io { path: folder.to_owned(), source };
        let name = folder.canonicalize().map_err(io)?;
        let name = name.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut modules = BTreeMap::new();
        for entry in std::fs::read_dir(folder).map_err(io)? {
            let path = entry.map_err(io)?.path();
            if path.extension().is_some_and(|extension| extension == "py") {
                modules.insert(stem(&path), bytes(&path)?);
            }
            if modules.len() > MAX_MODULES {
                return Err(no(format!("more than {MAX_MODULES} modules; split it into several tools")));
            }
        }
        let Some(main) = modules.remove(&name) else {
            return Err(no(format!("there is no {name}.py in it; a toolkit's main module has its name")));
        };
        let declared = declarations(&folder.join("tool.yaml"))?;
        Ok(Submission { name, main, others: Some(modules), declared, ..Submission::default() })
    }

    /// Returns the submission with this origin.
    #[must_use]
    pub fn from(self, origin: Provenance) -> Self {
        Submission { origin, ..self }
    }

    /// Returns the submission with these declarations.
    #[must_use]
    pub fn declaring(self, declared: Declared) -> Self {
        Submission { declared, ..self }
    }
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn bytes(path: &Path) -> Result<Vec<u8>, NoSubmission> {
    read_at_most(path, MAX_FILE_BYTES).map_err(|source| NoSubmission::Io { path: path.to_owned(), source })
}

/// Returns none if there is no such file.
fn declarations(path: &Path) -> Result<Declared, NoSubmission> {
    let folder = path.parent().map(Path::to_owned);
    if !path.exists() {
        return Ok(Declared { folder, ..Declared::default() });
    }
    let no = |reason: String| NoSubmission::Declarations { path: path.to_owned(), reason };
    // Goes through JSON, so that expected values have the same form as in a manifest.
    let value: serde_json::Value =
        serde_yaml::from_slice(&bytes(path)?).map_err(|error| no(error.to_string()))?;
    let declared: Declared = match value {
        serde_json::Value::Null => Declared::default(),
        value => serde_json::from_value(value).map_err(|error| no(error.to_string()))?,
    };
    declared.expects.check().map_err(|why| no(format!("expects: {why}")))?;
    Ok(Declared { folder, ..declared })
}

impl ToolManifest {
    /// Returns the author's declarations, for rehearsing the tool again.
    #[must_use]
    pub fn declared(&self) -> Declared {
        let (examples, test_cases) = (self.examples.clone(), self.test_cases.clone());
        Declared { examples, test_cases, expects: self.expects.clone(), ..Declared::default() }
    }
}
