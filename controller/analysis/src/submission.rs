//! What is handed in at the workshop: a tool's bytes, and what its author declares beside them.
//!
//! ```text
//! nod_yes.py                     one file; beside it, if its author likes, nod_yes.yaml
//! greetings/                     a toolkit: one folder, one version, one proof
//!     greetings.py               its public functions are what can be called
//!     poses.py                   further modules, imported by `from .poses import BOW`
//!     tool.yaml                  declarations, as in nod_yes.yaml
//! ```

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use minismith_runtime::bounded::read_at_most;

use super::manifest::{Example, Provenance, TestCase, ToolManifest};

/// The most bytes that are read of one file; the policy refuses far earlier.
const LONGEST_FILE: u64 = 1 << 20;

/// The most modules that a toolkit may have.
const MOST_MODULES: usize = 32;

/// A tool as it is handed in. Nothing has been read in it yet.
#[derive(Clone, Debug, Default)]
pub struct Submission {
    /// The stem of its file, or its folder's name.
    pub name: String,
    /// The bytes of its main module.
    pub main: Vec<u8>,
    /// The other modules of a toolkit, by stem; none for a tool of one file.
    pub others: Option<BTreeMap<String, Vec<u8>>>,
    /// What its author declares.
    pub declared: Declared,
    /// Where it comes from.
    pub origin: Provenance,
}

/// What an author declares beside the code; every part may be left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Declared {
    /// Calls that show its use; each must pass its rehearsal.
    pub examples: Vec<Example>,
    /// Calls with what they must do.
    pub test_cases: Vec<TestCase>,
    /// The folder that the files of test cases lie in; none without one.
    #[serde(skip)]
    pub folder: Option<PathBuf>,
}

/// A tool that can't be handed in.
#[derive(Debug, thiserror::Error)]
pub enum NoSubmission {
    /// A file can't be read.
    #[error("can't read {}: {source}; name a Python file of at most 64 KiB, or a folder with a module of the same name", .path.display())]
    Io {
        /// Which one.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The declarations can't be understood.
    #[error("{}: {reason}; it holds `examples` and `test_cases`, see `minismith tool check --help`", .path.display())]
    Declarations {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        reason: String,
    },
    /// A folder that is no toolkit.
    #[error("{}: {reason}", .path.display())]
    NoToolkit {
        /// The folder.
        path: PathBuf,
        /// Why not, and what to do.
        reason: String,
    },
}

impl Submission {
    /// A tool of one file, without declarations.
    #[must_use]
    pub fn of(name: &str, main: &[u8]) -> Self {
        Submission { name: name.into(), main: main.into(), ..Submission::default() }
    }

    /// Reads a Python file or a toolkit's folder, and the declarations beside it.
    ///
    /// # Errors
    /// When something can't be read, or the declarations can't be understood.
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
            if modules.len() > MOST_MODULES {
                return Err(no(format!("more than {MOST_MODULES} modules; split it into several tools")));
            }
        }
        let Some(main) = modules.remove(&name) else {
            return Err(no(format!("there is no {name}.py in it; a toolkit's main module has its name")));
        };
        let declared = declarations(&folder.join("tool.yaml"))?;
        Ok(Submission { name, main, others: Some(modules), declared, ..Submission::default() })
    }

    /// The same, from somewhere.
    #[must_use]
    pub fn from(self, origin: Provenance) -> Self {
        Submission { origin, ..self }
    }

    /// The same, with these declarations.
    #[must_use]
    pub fn declaring(self, declared: Declared) -> Self {
        Submission { declared, ..self }
    }
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn bytes(path: &Path) -> Result<Vec<u8>, NoSubmission> {
    read_at_most(path, LONGEST_FILE).map_err(|source| NoSubmission::Io { path: path.to_owned(), source })
}

/// None where there is no such file.
fn declarations(path: &Path) -> Result<Declared, NoSubmission> {
    let folder = path.parent().map(Path::to_owned);
    if !path.exists() {
        return Ok(Declared { folder, ..Declared::default() });
    }
    let no = |reason: String| NoSubmission::Declarations { path: path.to_owned(), reason };
    // By way of JSON, so that what is expected is written as it stands in a manifest.
    let value: serde_json::Value =
        serde_yaml::from_slice(&bytes(path)?).map_err(|error| no(error.to_string()))?;
    let declared = match value {
        serde_json::Value::Null => Declared::default(),
        value => serde_json::from_value(value).map_err(|error| no(error.to_string()))?,
    };
    Ok(Declared { folder, ..declared })
}

impl ToolManifest {
    /// What its author declared, to rehearse it again.
    #[must_use]
    pub fn declared(&self) -> Declared {
        let (examples, test_cases) = (self.examples.clone(), self.test_cases.clone());
        Declared { examples, test_cases, ..Declared::default() }
    }
}
