//! Installs an app from a folder, a wheel or an archive.
//!
//! Only the step that builds a package runs code of the app, and that happens in the app's sandbox, without network. Everything
//! else is done with packages that are already built, whose installation runs nothing of theirs.

use std::ffi::OsString;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::AppError;
use crate::sandbox::Host;
use crate::sdk;
use crate::step::{PIP_INSTALL, last, run};
use crate::store::{App, OWN_PACKAGE, Store, valid};

/// Reads what a project needs to be built.
const READ_PROJECT: &str = "
import json, sys, tomllib
with open(sys.argv[1], 'rb') as file:
    project = tomllib.load(file)
print(json.dumps(project.get('build-system', {}).get('requires', ['setuptools'])))
";

/// Reads the entry point and the requirements of the one package that was installed.
const READ_PACKAGE: &str = "
import importlib.metadata as metadata, json, sys
found = []
for package in metadata.distributions(path=[sys.argv[1]]):
    for point in package.entry_points:
        if point.group == 'reachy_mini_apps':
            about = package.metadata
            found.append({'name': point.name, 'module': point.value.split(':')[0], 'version': package.version,
                          'description': about.get('Summary') or '', 'requires': package.requires or []})
print(json.dumps(found))
";

/// What stands in a package.
#[derive(Debug, Deserialize)]
struct Package {
    name: String,
    module: String,
    version: String,
    description: String,
    requires: Vec<String>,
}

/// A running installation.
pub struct Installer<'a> {
    /// The installed apps.
    pub store: &'a Store,
    /// Where apps run.
    pub host: &'a Host,
    /// The interpreter of which an app's own is made.
    pub python: &'a Path,
    /// Hears what is being done.
    pub progress: &'a mut dyn FnMut(&str),
}

impl Installer<'_> {
    /// Installs an app, and the SDK before the first one, and returns it. What is incomplete is removed.
    ///
    /// # Errors
    /// What is wrong with the source, or the step that failed and what it said.
    pub fn install(&mut self, source: &Path) -> Result<App, AppError> {
        let source = source
            .canonicalize()
            .map_err(|error| AppError::Source { path: source.into(), why: error.to_string() })?;
        fs::create_dir_all(self.store.folder()).map_err(AppError::file(self.store.folder()))?;
        sdk::ensure(&self.host.sdk, self.python, self.store.folder(), self.progress)?;
        // The name is known only when the package is there.
        let folder = self.store.folder().join(format!(".installing-{}", std::process::id()));
        let _leftover = fs::remove_dir_all(&folder);
        let installed = self.install_in(&source, &folder);
        if installed.is_err() {
            let _removed = fs::remove_dir_all(&folder);
        }
        installed
    }

    fn install_in(&mut self, source: &Path, folder: &Path) -> Result<App, AppError> {
        let venv = folder.join("venv");
        (self.progress)("making a Python environment");
        // Its own copy of pip would take longer than all the rest; usually there is one already.
        let has_pip =
            run(self.python, &["-m".into(), "pip".into(), "--version".into()], "looking for pip").is_ok();
        let mut words: Vec<OsString> = vec!["-m".into(), "venv".into()];
        words.extend(has_pip.then(|| "--without-pip".into()));
        words.push(venv.clone().into());
        run(self.python, &words, "making a Python environment")?;
        let python = venv.join("bin/python");
        let wheel = if source.extension().is_some_and(|extension| extension == "whl") {
            source.to_owned()
        } else {
            self.build(source, folder, &python)?
        };
        (self.progress)("installing the app's package");
        let pip = |arguments: &[&str], step| {
            let mut words: Vec<OsString> =
                vec!["-m".into(), "pip".into(), "--python".into(), python.clone().into()];
            words.extend(PIP_INSTALL.iter().chain(arguments).map(OsString::from));
            run(if has_pip { self.python } else { &python }, &words, step)
        };
        let text = |path: &Path| path.display().to_string();
        let own = folder.join(OWN_PACKAGE);
        pip(&["--no-deps", "--target", &text(&own), &text(&wheel)], "installing the app's package")?;
        let packages: Vec<Package> = read(&python, READ_PACKAGE, &own)?;
        let [package] = <[Package; 1]>::try_from(packages).map_err(|found| AppError::Source {
            path: source.into(),
            why: format!(
                "it has {} apps instead of one: an app declares itself by the entry point `reachy_mini_apps` in its pyproject.toml",
                found.len()
            ),
        })?;
        let name = valid(&package.name)?.to_owned();
        let place = self.store.folder_of(&name)?;
        if place.exists() {
            return Err(AppError::Installed(name));
        }
        // The SDK is shared by all apps. An app's extras are not installed. Whether a requirement with another marker applies
        // here, pip decides.
        let is_sdk = |requirement: &str| {
            let name =
                requirement.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))).next();
            name.is_some_and(|name| name.replace('_', "-").eq_ignore_ascii_case("reachy-mini"))
        };
        let others: Vec<&str> = package
            .requires
            .iter()
            .map(String::as_str)
            .filter(|one| !is_sdk(one) && !is_of_extra(one))
            .collect();
        if !others.is_empty() {
            (self.progress)(&format!("installing what it needs: {}", others.join(", ")));
            pip(&others, "installing what the app needs")?;
        }
        let site = site_packages(&venv)?;
        remove_own_sdk(&site)?;
        // The app's own package comes first, then what it needs, then the SDK.
        let paths = format!("{}\n{}\n", place.join("venv/own").display(), self.host.sdk.display());
        let pth = site.join("minismith.pth");
        fs::write(&pth, paths).map_err(AppError::file(&pth))?;
        let _built = fs::remove_dir_all(folder.join("home"));
        fs::rename(folder, &place).map_err(AppError::file(&place))?;
        let app = App {
            name,
            module: package.module,
            description: package.description,
            version: package.version,
            source: source.into(),
            grants: Vec::new(),
        };
        self.store.save(&app)?;
        Ok(app)
    }

    /// Builds the package of a folder or an archive, in a sandbox without network, and returns its file.
    fn build(&mut self, source: &Path, folder: &Path, python: &Path) -> Result<PathBuf, AppError> {
        let needs = source.join("pyproject.toml");
        let requires: Vec<String> = if source.is_dir() {
            if !needs.is_file() {
                return Err(AppError::Source {
                    path: source.into(),
                    why: "there is no pyproject.toml in it; name the folder of an app, a wheel or a source archive".into(),
                });
            }
            read(python, READ_PROJECT, &needs)?
        } else {
            vec!["setuptools".into()]
        };
        (self.progress)("fetching what builds the app");
        // What builds it runs in the sandbox and needs a pip that is in it.
        run(python, &["-m".into(), "ensurepip".into()], "fetching what builds the app")?;
        let mut words: Vec<OsString> = vec!["-m".into(), "pip".into()];
        words.extend(PIP_INSTALL.iter().map(OsString::from));
        words.push("--upgrade".into());
        words.extend(requires.iter().map(OsString::from));
        run(python, &words, "fetching what builds the app")?;
        (self.progress)("building the app in its sandbox");
        let home = folder.join("home");
        let words = [
            "-m",
            "pip",
            "wheel",
            "--quiet",
            "--no-deps",
            "--no-index",
            "--no-build-isolation",
            "--no-cache-dir",
            "--wheel-dir",
        ];
        let mut arguments: Vec<String> = words.map(String::from).to_vec();
        arguments.push(home.join("wheels").display().to_string());
        // Some build systems write into the folder that they build.
        let copy = home.join("source");
        fs::create_dir_all(&home).map_err(AppError::file(&home))?;
        if source.is_dir() {
            copy_folder(source, &copy)?;
            arguments.push(copy.display().to_string());
        } else {
            let name = source.file_name().unwrap_or_default();
            fs::copy(source, home.join(name)).map_err(AppError::file(source))?;
            arguments.push(home.join(name).display().to_string());
        }
        let sandbox = self.host.confined(folder, python, arguments)?;
        let mut started = self.host.start(&sandbox)?;
        let mut lines: Vec<String> = Vec::new();
        for line in BufReader::new(started.printed).lines().map_while(Result::ok) {
            lines.push(line);
        }
        if !started.child.wait()?.success() {
            return Err(AppError::Step { step: "building it in its sandbox", why: last(&lines) });
        }
        let wheels = fs::read_dir(home.join("wheels")).map_err(AppError::file(&home))?;
        let wheel = wheels
            .flatten()
            .map(|entry| entry.path())
            .find(|path| path.extension().is_some_and(|it| it == "whl"));
        wheel.ok_or_else(|| AppError::Step {
            step: "building it in its sandbox",
            why: "it made no package".into(),
        })
    }
}

/// Copies a folder without links, which could lead out of it, and without what other programs have built there.
fn copy_folder(from: &Path, to: &Path) -> Result<(), AppError> {
    fs::create_dir_all(to).map_err(AppError::file(to))?;
    for entry in fs::read_dir(from).map_err(AppError::file(from))? {
        let entry = entry.map_err(AppError::file(from))?;
        let (path, name) = (entry.path(), entry.file_name());
        let kind = entry.file_type().map_err(AppError::file(&path))?;
        let is_built = [".git", ".venv", "venv", "build", "__pycache__"].iter().any(|built| name == *built);
        if kind.is_dir() && !is_built {
            copy_folder(&path, &to.join(&name))?;
        } else if kind.is_file() {
            fs::copy(&path, to.join(&name)).map_err(AppError::file(&path))?;
        }
    }
    Ok(())
}

/// Returns the folder of the packages of an environment.
/// Returns whether a requirement is one of an extra only: `torch; extra == "vision"`.
fn is_of_extra(requirement: &str) -> bool {
    requirement.split_once(';').is_some_and(|(_, marker)| marker.contains("extra =="))
}

/// Removes an SDK that came with what an app needs. It may be an old one, which speaks another protocol.
fn remove_own_sdk(site: &Path) -> Result<(), AppError> {
    for entry in fs::read_dir(site).map_err(AppError::file(site))?.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name == "reachy_mini" || (name.starts_with("reachy_mini-") && name.ends_with(".dist-info")) {
            fs::remove_dir_all(entry.path()).map_err(AppError::file(&entry.path()))?;
        }
    }
    Ok(())
}

fn site_packages(venv: &Path) -> Result<PathBuf, AppError> {
    let lib = venv.join("lib");
    let found = fs::read_dir(&lib)
        .map_err(AppError::file(&lib))?
        .flatten()
        .map(|entry| entry.path().join("site-packages"));
    let mut found = found.filter(|path| path.is_dir());
    found.next().ok_or_else(|| AppError::file(&lib)(std::io::ErrorKind::NotFound.into()))
}

/// Has an interpreter read something with the standard library, and returns what it found.
fn read<T: for<'de> Deserialize<'de>>(python: &Path, script: &str, path: &Path) -> Result<T, AppError> {
    let arguments = ["-I".into(), "-c".into(), script.into(), path.into()];
    let lines = run(python, &arguments, "reading the package")?;
    serde_json::from_str(&lines.concat())
        .map_err(|error| AppError::Step { step: "reading the package", why: error.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_shared_sdk_stays_and_extras_are_left_out() {
        let site = tempfile::tempdir().unwrap();
        let packages = [
            "reachy_mini",
            "reachy_mini-1.3.1.dist-info",
            "reachy_mini_toolbox",
            "reachy_mini_toolbox-1.1.2.dist-info",
        ];
        for package in packages {
            fs::create_dir_all(site.path().join(package).join("inside")).unwrap();
        }
        remove_own_sdk(site.path()).unwrap();
        assert_eq!(packages.map(|package| site.path().join(package).exists()), [false, false, true, true]);

        assert!(is_of_extra("torch>=2.1; extra == \"local_vision\""));
        assert!(is_of_extra("av; python_version > '3.8' and extra == 'video'"));
        assert!(!is_of_extra("six; python_version >= '3.8'") && !is_of_extra("extra"));
    }
}
