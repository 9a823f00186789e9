//! [`Places`]: files and folders of the configuration. A key that is missing, or has its default value, is looked for.

use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use super::ConfigError;
use super::choice::{InvalidValue, nearest};
use crate::paths::{Candidate, Layout, Location, NoHome};

/// Where the predefined tools are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Predefined {
    /// In the folder `predefined` of the tools folder, which may be written.
    InTools,
    /// In a folder that is only read.
    Folder(PathBuf),
    /// In the program.
    BuiltIn,
}

/// The value of `tools.predefined`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PredefinedTools {
    Auto,
    Directory,
    BuiltIn,
    Folder(PathBuf),
}

impl FromStr for PredefinedTools {
    type Err = InvalidValue;

    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        match text {
            "auto" => Ok(PredefinedTools::Auto),
            "directory" => Ok(PredefinedTools::Directory),
            "built-in" => Ok(PredefinedTools::BuiltIn),
            path if path.contains('/') && !path.contains('\0') => {
                Ok(PredefinedTools::Folder(PathBuf::from(path)))
            }
            other => {
                let allowed = "auto, directory, built-in, or the path of a folder with a slash in it";
                Err(InvalidValue::new(other, allowed)
                    .meaning(nearest(other, ["auto", "directory", "built-in"])))
            }
        }
    }
}

/// Finds the files and folders of a configuration, and remembers why each was taken.
pub(super) struct Places<'a> {
    layout: &'a Layout,
    folder: &'a Path,
    name: &'a str,
    pub(super) found: Vec<Location>,
}

impl<'a> Places<'a> {
    /// Starts with the configuration file itself. `folder` is where relative paths start, `name` the file in messages.
    pub(super) fn new(layout: &'a Layout, folder: &'a Path, name: &'a str) -> Self {
        let mut configuration = layout.configuration().clone();
        configuration.path = configuration.path.map(|path| absolute(Path::new(""), &path));
        Places { layout, folder, name, found: vec![configuration] }
    }

    /// Returns the absolute path of one that was written.
    pub(super) fn absolute(&self, path: &Path) -> PathBuf {
        absolute(self.folder, &self.layout.expand(path))
    }

    /// Returns the folder of tools.
    pub(super) fn tools(&mut self, value: &Path, default: Option<&Path>) -> Result<PathBuf, ConfigError> {
        let searched = self.layout.tools();
        if Some(value) == default {
            let location = searched.map_err(|no| self.no_home(&no))?;
            return Ok(self.take(location));
        }
        Ok(self.set("tools", "tools.directory", value))
    }

    /// Returns the folder of models.
    pub(super) fn models(&mut self, value: &Path, default: Option<&Path>) -> PathBuf {
        self.searched("models", "models.directory", value, default, Layout::models)
    }

    /// Returns the folder of the language model on this computer.
    pub(super) fn local_model(&mut self, value: &Path, default: Option<&Path>) -> PathBuf {
        self.searched("local model", "local_model.directory", value, default, Layout::local_model)
    }

    /// Returns the interpreter for tools. The environment overrides the configuration.
    pub(super) fn python(&mut self, value: &Path, default: Option<&Path>) -> PathBuf {
        const NAME: &str = "Python for tools";
        const KEY: &str = "tool_host.python";
        match self.layout.named_python() {
            Some(named) => {
                let named = std::path::absolute(&named).unwrap_or(named);
                self.take(Location::given(NAME, Some(KEY), &named, crate::paths::PYTHON_VARIABLE))
            }
            None => self.searched(NAME, KEY, value, default, Layout::python),
        }
    }

    /// Returns a file or folder that the program writes for its user.
    pub(super) fn of_the_user(
        &mut self,
        name: &'static str,
        key: &'static str,
        value: &Path,
        default: Option<&Path>,
    ) -> Result<PathBuf, ConfigError> {
        if Some(value) != default {
            return Ok(self.set(name, key, value));
        }
        let (path, origin) = self.layout.of_the_user(value).map_err(|no| self.no_home(&no))?;
        Ok(self.take(Location::given(name, Some(key), &absolute(self.folder, &path), origin)))
    }

    /// Decides where the predefined tools are.
    pub(super) fn predefined(&mut self, value: PredefinedTools, tools: &Path) -> Predefined {
        const NAME: &str = "predefined tools";
        const KEY: Option<&str> = Some("tools.predefined");
        let own = tools.join("predefined");
        let set = format!("set in {}", self.name);
        match value {
            PredefinedTools::Auto => {}
            PredefinedTools::Directory => {
                self.take(Location::given(NAME, KEY, &own, set));
                return Predefined::InTools;
            }
            PredefinedTools::BuiltIn => {
                self.found.push(built_in(Vec::new(), &set));
                return Predefined::BuiltIn;
            }
            PredefinedTools::Folder(folder) => {
                let folder = self.absolute(&folder);
                return Predefined::Folder(self.take(Location::given(NAME, KEY, &folder, set)));
            }
        }
        let mut places = vec![(own.clone(), "in the tools folder".to_owned())];
        let shared = self.layout.shared_predefined().into_iter();
        places.extend(shared.map(|(path, origin)| (path, origin.to_owned())));
        // The sources are there to make the registered tools of, even before there is the first one.
        let is_made_here = tools.join("sources").is_dir();
        let exists = |path: &Path| (is_made_here && path == own) || holds_a_tool(path);
        let location = Location::first(NAME, "tools.predefined", places, 0, exists);
        if !location.exists {
            self.found.push(built_in(location.searched, "built into the program"));
            return Predefined::BuiltIn;
        }
        let is_own = location.path.as_deref() == Some(own.as_path());
        let path = self.take(location);
        if is_own { Predefined::InTools } else { Predefined::Folder(path) }
    }

    fn searched(
        &mut self,
        name: &'static str,
        key: &'static str,
        value: &Path,
        default: Option<&Path>,
        search: impl Fn(&Layout) -> Location,
    ) -> PathBuf {
        if Some(value) == default {
            let location = search(self.layout);
            self.take(location)
        } else {
            self.set(name, key, value)
        }
    }

    /// Takes a path that was written in the file.
    fn set(&mut self, name: &'static str, key: &'static str, value: &Path) -> PathBuf {
        let path = self.absolute(value);
        self.take(Location::given(name, Some(key), &path, format!("set in {}", self.name)))
    }

    /// Remembers a location with absolute paths, and returns its path.
    fn take(&mut self, mut location: Location) -> PathBuf {
        let here = Path::new("");
        for candidate in &mut location.searched {
            candidate.path = absolute(here, &candidate.path);
        }
        let path = absolute(here, &location.path.unwrap_or_default());
        location.path = Some(path.clone());
        self.found.push(location);
        path
    }

    fn no_home(&self, no: &NoHome) -> ConfigError {
        ConfigError::Whole { file: self.name.to_owned(), problem: no.to_string() }
    }
}

fn built_in(searched: Vec<Candidate>, reason: &str) -> Location {
    Location {
        name: "predefined tools",
        key: Some("tools.predefined"),
        path: None,
        exists: true,
        reason: reason.to_owned(),
        searched,
    }
}

/// Returns whether a folder holds the folder of a tool with a version, `NAME/vN.json`.
fn holds_a_tool(folder: &Path) -> bool {
    let entries = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten();
    entries(folder).any(|tool| {
        entries(&tool.path()).any(|file| {
            let name = file.file_name();
            name.to_str().is_some_and(|name| name.starts_with('v') && name.ends_with(".json"))
        })
    })
}

/// Returns the absolute path, so that a later change of the current folder has no effect.
fn absolute(folder: &Path, path: &Path) -> PathBuf {
    let joined = folder.join(path);
    std::path::absolute(&joined).unwrap_or(joined)
}
