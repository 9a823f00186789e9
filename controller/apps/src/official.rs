//! What the official daemon has installed: its apps, as packages that can be installed here, and the one that starts with it.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::AppError;
use crate::step::run;

/// Where the Wireless has the apps of the official daemon.
pub const ENVIRONMENT: &str = "/venvs/apps_venv";

/// Makes wheels of the installed apps.
const PACK: &str = include_str!("pack_apps.py");

/// An app of the official daemon.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct OfficialApp {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// What can be installed: a wheel, or the folder of its author.
    pub source: PathBuf,
}

/// Finds the apps of a Python environment, and makes a wheel of each in a folder. Nothing of them runs.
///
/// # Errors
/// When the environment is missing or its packages cannot be read.
pub fn find(python: &Path, environment: &Path, into: &Path) -> Result<Vec<OfficialApp>, AppError> {
    if !environment.join("lib").is_dir() {
        let why = "it is no Python environment; name that of the official apps with --environment".into();
        return Err(AppError::Source { path: environment.into(), why });
    }
    fs::create_dir_all(into).map_err(AppError::file(into))?;
    let arguments = ["-I".into(), "-c".into(), PACK.into(), environment.into(), into.into()];
    let lines = run(python, &arguments, "reading the official apps")?;
    serde_json::from_str(&lines.concat())
        .map_err(|error| AppError::Step { step: "reading the official apps", why: error.to_string() })
}

/// Returns the app that starts with the official daemon, by its configuration; none if there is none.
#[must_use]
pub fn startup_app(configuration: &Path) -> Option<String> {
    #[derive(Deserialize)]
    struct Daemon {
        startup_app: Option<String>,
    }
    let text = fs::read(configuration).ok()?;
    serde_json::from_slice::<Daemon>(&text).ok()?.startup_app
}
