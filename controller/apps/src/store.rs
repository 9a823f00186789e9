//! What is installed: one folder for each app, with `app.json`, its Python environment `venv`, and its own folder `home`.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::AppError;
use crate::page::AppPage;

/// Something that only a person can give an app.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Grant {
    /// Camera frames.
    Camera,
    /// The microphone and the speaker.
    Sound,
    /// The network of this computer, and with it everything that this computer can reach.
    Network,
}

impl Grant {
    /// All of them.
    pub const ALL: [Grant; 3] = [Grant::Camera, Grant::Sound, Grant::Network];

    /// Returns the name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Grant::Camera => "camera",
            Grant::Sound => "sound",
            Grant::Network => "network",
        }
    }
}

/// An installed app.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct App {
    /// Its name, by which it is started.
    pub name: String,
    /// The module that is run.
    pub module: String,
    /// What it says of itself.
    pub description: String,
    /// Its version.
    pub version: String,
    /// What it was installed from.
    pub source: PathBuf,
    /// What a person has granted.
    #[serde(default)]
    pub grants: Vec<Grant>,
}

/// The installed apps of a folder.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
}

const RECORD: &str = "app.json";

/// Where the app's own package is, in its folder.
pub(crate) const OWN_PACKAGE: &str = "venv/own";

/// The file with the name of the app that starts with the server.
const STARTUP: &str = "startup";

/// Returns the name, unless it cannot be the name of an app.
///
/// # Errors
/// [`AppError::Name`].
pub fn valid(name: &str) -> Result<&str, AppError> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if (1..=64).contains(&name.len()) && name.chars().all(fits) {
        Ok(name)
    } else {
        Err(AppError::Name(name.into()))
    }
}

impl Store {
    /// Returns the apps of a folder, which need not exist yet.
    #[must_use]
    pub const fn at(folder: PathBuf) -> Self {
        Store { folder }
    }

    /// Returns the folder of all apps.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the folder of an app.
    ///
    /// # Errors
    /// [`AppError::Name`].
    pub fn folder_of(&self, name: &str) -> Result<PathBuf, AppError> {
        Ok(self.folder.join(valid(name)?))
    }

    /// Returns all installed apps, by name. What is not an app is left out.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn list(&self) -> Result<Vec<App>, AppError> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(AppError::file(&self.folder)(error)),
        };
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        let mut apps: Vec<App> = names.filter_map(|name| self.find(&name).ok()).collect();
        apps.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(apps)
    }

    /// Returns an app.
    ///
    /// # Errors
    /// [`AppError::Unknown`], or why its record cannot be read.
    pub fn find(&self, name: &str) -> Result<App, AppError> {
        let path = self.folder_of(name)?.join(RECORD);
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(AppError::Unknown(name.into()));
            }
            Err(error) => return Err(AppError::file(&path)(error)),
        };
        let app: App = serde_json::from_slice(&text).map_err(|error| AppError::file(&path)(error.into()))?;
        if app.name == name { Ok(app) } else { Err(AppError::Unknown(name.into())) }
    }

    /// Stores the record of an app, which thereby is installed.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn save(&self, app: &App) -> Result<(), AppError> {
        let path = self.folder_of(&app.name)?.join(RECORD);
        let text = serde_json::to_vec_pretty(app).map_err(|error| AppError::file(&path)(error.into()))?;
        replace(&path, &text)
    }

    /// Grants something to an app, or takes it back.
    ///
    /// # Errors
    /// [`AppError::Unknown`], or when the record cannot be written.
    pub fn grant(&self, name: &str, what: Grant, given: bool) -> Result<App, AppError> {
        let mut app = self.find(name)?;
        app.grants.retain(|held| *held != what);
        if given {
            app.grants.push(what);
            app.grants.sort();
        }
        self.save(&app)?;
        Ok(app)
    }

    /// Returns the page that an app says it serves.
    #[must_use]
    pub fn page(&self, app: &App) -> Option<AppPage> {
        AppPage::of_module(&self.folder_of(&app.name).ok()?.join(OWN_PACKAGE), &app.module)
    }

    /// Removes an app with all its files.
    ///
    /// # Errors
    /// [`AppError::Unknown`], or when a file cannot be removed.
    pub fn remove(&self, name: &str) -> Result<(), AppError> {
        self.find(name)?;
        let folder = self.folder_of(name)?;
        // Without its record it is no longer installed, even if the rest cannot be removed.
        fs::remove_file(folder.join(RECORD)).map_err(AppError::file(&folder))?;
        fs::remove_dir_all(&folder).map_err(AppError::file(&folder))?;
        if self.startup()?.as_deref() == Some(name) {
            self.set_startup(None)?;
        }
        Ok(())
    }

    /// Returns the app that starts with the server.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn startup(&self) -> Result<Option<String>, AppError> {
        let path = self.folder.join(STARTUP);
        match fs::read_to_string(&path) {
            Ok(name) => Ok(Some(name.trim().to_owned()).filter(|name| !name.is_empty())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(AppError::file(&path)(error)),
        }
    }

    /// Sets the app that starts with the server, or none.
    ///
    /// # Errors
    /// [`AppError::Unknown`], or when the file cannot be written.
    pub fn set_startup(&self, name: Option<&str>) -> Result<(), AppError> {
        if let Some(name) = name {
            self.find(name)?;
        }
        fs::create_dir_all(&self.folder).map_err(AppError::file(&self.folder))?;
        replace(&self.folder.join(STARTUP), name.unwrap_or_default().as_bytes())
    }
}

/// Replaces a file as a whole.
fn replace(path: &Path, text: &[u8]) -> Result<(), AppError> {
    let new = path.with_extension("new");
    fs::write(&new, text).map_err(AppError::file(&new))?;
    fs::rename(&new, path).map_err(AppError::file(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn app(name: &str) -> App {
        App {
            name: name.into(),
            module: format!("{name}.main"),
            description: String::new(),
            version: "1".into(),
            source: "/somewhere".into(),
            grants: Vec::new(),
        }
    }

    #[test]
    fn apps_are_kept_granted_and_removed() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::at(folder.path().join("apps"));
        assert_eq!(store.list().unwrap(), []);
        for name in ["b", "a"] {
            fs::create_dir_all(store.folder_of(name).unwrap()).unwrap();
            store.save(&app(name)).unwrap();
        }
        fs::create_dir_all(store.folder().join("nothing")).unwrap();
        assert_eq!(store.list().unwrap(), [app("a"), app("b")]);
        store.grant("a", Grant::Network, true).unwrap();
        let granted = store.grant("a", Grant::Camera, true).unwrap();
        assert_eq!(granted.grants, [Grant::Camera, Grant::Network]);
        assert_eq!(store.grant("a", Grant::Network, false).unwrap().grants, [Grant::Camera]);
        store.set_startup(Some("a")).unwrap();
        assert_eq!(store.startup().unwrap().as_deref(), Some("a"));
        assert!(matches!(store.set_startup(Some("c")), Err(AppError::Unknown(_))));
        store.remove("a").unwrap();
        assert_eq!((store.startup().unwrap(), store.list().unwrap()), (None, vec![app("b")]));
    }

    #[test]
    fn names_lead_to_no_other_folder() {
        let store = Store::at("/apps".into());
        for name in ["", ".", "..", "a/b", "../x", "a b", "é", &"a".repeat(65)] {
            assert!(matches!(store.find(name), Err(AppError::Name(_))), "{name}");
        }
    }
}
