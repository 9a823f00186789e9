//! The library that computes: a virtual environment of Python with `xllamacpp`, inside the folder of the models.

use std::fs;
use std::path::{Path, PathBuf};

use minismith_runtime::config::LocalModel;

use crate::store::{InstalledModel, ModelStore, StoreError};

/// The virtual environment inside the folder of the configuration.
const ENVIRONMENT: &str = "venv";

/// The package.
const PACKAGE: &str = "xllamacpp";

/// What installs it, and a model.
pub const REMEDY: &str = "make model";

/// The installed runtime.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Runtime {
    /// The interpreter.
    pub python: PathBuf,
    /// The folders that the interpreter and the package are in.
    pub folders: Vec<PathBuf>,
    /// The version of the package.
    pub version: String,
}

/// The reason why no local model can answer.
#[derive(Debug, thiserror::Error)]
pub enum NotInstalled {
    /// There is no runtime.
    #[error("the runtime of local models is not installed in {}; run `make model`", .directory.display())]
    Runtime {
        /// The folder of the configuration.
        directory: PathBuf,
    },
    /// There is no model.
    #[error(
        "no local model is chosen; run `make model`, or `minismith model add FILE` and `minismith model use NAME`"
    )]
    Model,
    /// The chosen model cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Finds the runtime in the folder of the configuration, without running it.
#[must_use]
pub fn find(directory: &Path) -> Option<Runtime> {
    let environment = directory.join(ENVIRONMENT);
    let python = environment.join("bin").join("python");
    // The interpreter behind the links; its folder holds the standard library.
    let real = fs::canonicalize(&python).ok()?;
    let base = real.parent()?.parent()?.to_owned();
    let libraries = fs::read_dir(environment.join("lib")).ok()?.flatten();
    let version = libraries.flat_map(|entry| fs::read_dir(entry.path().join("site-packages"))).find_map(
        |packages| {
            packages.flatten().find_map(|entry| {
                let name = entry.file_name().into_string().ok()?;
                let version = name.strip_prefix(PACKAGE)?.strip_prefix('-')?.strip_suffix(".dist-info")?;
                Some(version.to_owned())
            })
        },
    )?;
    Some(Runtime { python, folders: vec![environment, base], version })
}

/// Returns the runtime and the model that is used.
///
/// # Errors
/// [`NotInstalled`], which says what to do.
pub fn installed(config: &LocalModel) -> Result<(Runtime, InstalledModel), NotInstalled> {
    let runtime = find(&config.directory)
        .ok_or_else(|| NotInstalled::Runtime { directory: config.directory.clone() })?;
    let model = ModelStore::new(&config.directory).used()?.ok_or(NotInstalled::Model)?;
    Ok((runtime, model))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_environment_counts_only_with_the_package() {
        let folder = tempfile::tempdir().unwrap();
        let bin = folder.path().join("venv/bin");
        let packages = folder.path().join("venv/lib/python3.11/site-packages");
        fs::create_dir_all(&bin).unwrap();
        fs::create_dir_all(&packages).unwrap();
        fs::write(bin.join("python"), "").unwrap();
        assert_eq!(find(folder.path()), None);
        fs::create_dir(packages.join("xllamacpp-2026.1.2.dist-info")).unwrap();
        assert_eq!(find(folder.path()).unwrap().version, "2026.1.2");
    }
}
