//! The packages of the official SDK, which all apps share.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use crate::AppError;
use crate::sandbox::minor_version;
use crate::step::{PIP_INSTALL, run};

/// The packages with their versions.
const REQUIREMENTS: &str = include_str!("../../../requirements/app-sdk.txt");

/// Written last into our own folder: what it holds is what is installed.
const INSTALLED: &str = "installed.txt";

/// Where Debian has PyGObject, which there are no built packages of. Apps with camera or sound need it.
const SYSTEM_GI: &str = "/usr/lib/python3/dist-packages/gi";

/// Installs the SDK, if it is to lie in the folder of the apps and is not there yet.
///
/// # Errors
/// When a configured folder has no SDK in it; the step that failed.
pub fn ensure(
    folder: &Path,
    python: &Path,
    apps: &Path,
    progress: &mut dyn FnMut(&str),
) -> Result<(), AppError> {
    if !folder.starts_with(apps) {
        if folder.join("reachy_mini").is_dir() {
            return Ok(());
        }
        let why = "the official SDK is not in it: `compat.app_sdk` names the folder that has `reachy_mini`, such as site-packages";
        return Err(AppError::Source { path: folder.into(), why: why.into() });
    }
    if fs::read_to_string(folder.join(INSTALLED)).is_ok_and(|installed| installed == REQUIREMENTS) {
        return Ok(());
    }
    progress("installing the official SDK for all apps (180 MB from PyPI)");
    let _outdated = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).map_err(AppError::file(folder))?;
    let list = folder.join("requirements.txt");
    fs::write(&list, REQUIREMENTS).map_err(AppError::file(&list))?;
    let mut arguments: Vec<OsString> = vec!["-m".into(), "pip".into()];
    arguments.extend(PIP_INSTALL.iter().map(OsString::from));
    arguments.push("--no-deps".into());
    arguments.extend(["--target".into(), folder.into(), "--requirement".into(), list.into()]);
    run(python, &arguments, "installing the official SDK")?;
    let gi = Path::new(SYSTEM_GI);
    let fits = minor_version(python).is_some_and(|minor| {
        let name = format!("_gi.cpython-3{minor}-");
        fs::read_dir(gi).is_ok_and(|mut files| {
            files.any(|file| file.is_ok_and(|file| file.file_name().to_string_lossy().starts_with(&name)))
        })
    });
    if fits {
        // Without it, apps run without camera and sound.
        let _linked = std::os::unix::fs::symlink(gi, folder.join("gi"));
    }
    let installed = folder.join(INSTALLED);
    fs::write(&installed, REQUIREMENTS).map_err(AppError::file(&installed))
}
