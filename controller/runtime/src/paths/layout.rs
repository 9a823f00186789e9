//! [`Layout`]: the configuration file that is read, and the default place of everything that it may name.

use std::fs;
use std::path::{Path, PathBuf};

use super::environment::{Environment, NAME};
use super::location::{Candidate, CandidateState, Location};

/// Name of the configuration file.
const FILE: &str = "config.yaml";

/// The folder beside a configuration file for the files of a user without a home.
const WITHOUT_HOME: &str = ".minismith";

/// No folder can be found for the files of this user.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "cannot tell where to keep tools and recordings: HOME is not set; set HOME or XDG_DATA_HOME, use StateDirectory= in a \
     systemd unit, or name a configuration with --config"
)]
pub struct NoHome;

/// Where the defaults of a configuration are.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Base {
    /// The folder of a configuration file that was named, or was found in the current folder.
    Project(PathBuf),
    /// The folders that the system has for it.
    System,
}

/// The configuration file, and the default place of everything that it may name.
#[derive(Clone, Debug)]
pub struct Layout {
    environment: Environment,
    base: Base,
    configuration: Location,
}

/// A kind of thing with several possible places.
struct Kind {
    name: &'static str,
    key: &'static str,
    /// Its place below the folder of a project.
    in_project: &'static str,
    /// Its place below a folder of the program's own.
    in_state: &'static str,
    exists: fn(&Path) -> bool,
}

const MODELS: Kind = Kind {
    name: "models",
    key: "models.directory",
    in_project: ".cache/models",
    in_state: "models",
    exists: is_filled,
};

const LOCAL_MODEL: Kind = Kind {
    name: "local model",
    key: "local_model.directory",
    in_project: ".cache/model",
    in_state: "local-model",
    exists: is_filled,
};

const PYTHON: Kind = Kind {
    name: "Python for tools",
    key: "tool_host.python",
    in_project: ".venv/bin/python",
    in_state: "python/bin/python",
    exists: Path::is_file,
};

impl Layout {
    /// Finds the configuration file. `named` is the one of the command line.
    #[must_use]
    pub fn find(environment: Environment, named: Option<&Path>) -> Self {
        let (configuration, base) = find_configuration(&environment, named);
        Layout { environment, base, configuration }
    }

    /// Returns the layout of a configuration that lies in `folder` and was not searched for.
    #[must_use]
    pub fn of_project(environment: Environment, folder: &Path) -> Self {
        let configuration = no_file("built-in values", Vec::new());
        Layout { environment, base: Base::Project(folder.to_owned()), configuration }
    }

    /// Returns the configuration file, and where it was looked for.
    #[must_use]
    pub const fn configuration(&self) -> &Location {
        &self.configuration
    }

    /// Returns the configuration files that exist, but are not trusted.
    pub fn untrusted(&self) -> impl Iterator<Item = &Path> {
        let places = self.configuration.searched.iter();
        places.filter(|place| place.state == CandidateState::Untrusted).map(|place| place.path.as_path())
    }

    /// Returns the folder of tools.
    ///
    /// # Errors
    /// [`NoHome`], if the user has no folder.
    pub fn tools(&self) -> Result<Location, NoHome> {
        const KEY: Option<&str> = Some("tools.directory");
        match &self.base {
            Base::Project(folder) => {
                Ok(Location::given("tools", KEY, &folder.join("tools"), BESIDE_CONFIGURATION))
            }
            Base::System => {
                let (state, origin) = self.state().ok_or(NoHome)?;
                Ok(Location::given("tools", KEY, &state.join("tools"), origin))
            }
        }
    }

    /// Returns the folder of models.
    #[must_use]
    pub fn models(&self) -> Location {
        self.search(&MODELS)
    }

    /// Returns the folder of the language model on this computer.
    #[must_use]
    pub fn local_model(&self) -> Location {
        self.search(&LOCAL_MODEL)
    }

    /// Returns the Python interpreter for tools.
    #[must_use]
    pub fn python(&self) -> Location {
        self.search(&PYTHON)
    }

    /// Returns the interpreter that the environment names, which overrides the configuration.
    #[must_use]
    pub fn named_python(&self) -> Option<PathBuf> {
        self.environment.path(super::PYTHON_VARIABLE)
    }

    /// Returns the folders of predefined tools that packages may install.
    #[must_use]
    pub fn shared_predefined(&self) -> Vec<(PathBuf, &'static str)> {
        let shared = self.environment.shared().into_iter();
        shared.map(|(folder, origin)| (folder.join("tools/predefined"), origin)).collect()
    }

    /// Returns the default place of a file of this user, such as `~/.local/share/minismith/journal.jsonl`.
    ///
    /// # Errors
    /// [`NoHome`], if the user has no folder. With a configuration file beside the data, the path stays as it is.
    pub fn of_the_user(&self, path: &Path) -> Result<(PathBuf, &'static str), NoHome> {
        let config = Path::new("~/.config").join(NAME);
        let data = Path::new("~/.local/share").join(NAME);
        let is_service =
            self.base == Base::System && self.environment.service_folder("STATE_DIRECTORY").is_some();
        if !is_service && path.starts_with(&config) {
            let (folder, origin) = self.personal(".config", "XDG_CONFIG_HOME");
            if let (Some(folder), Ok(rest)) = (folder, path.strip_prefix("~/.config")) {
                return Ok((folder.join(rest), origin));
            }
        }
        let rest = path.strip_prefix(&data).or_else(|_| path.strip_prefix(&config));
        match (rest, self.state(), &self.base) {
            (Ok(rest), Some((state, origin)), _) => Ok((state.join(rest), origin)),
            (Ok(_), None, Base::System) => Err(NoHome),
            // A folder named `~` would surprise, and a private key in it would be found by nobody.
            (Ok(rest), None, Base::Project(folder)) => {
                Ok((folder.join(WITHOUT_HOME).join(rest), "no HOME is set"))
            }
            _ => Ok((expand(&self.environment, path), "the default")),
        }
    }

    /// Returns a path of the configuration with `~` replaced.
    #[must_use]
    pub fn expand(&self, path: &Path) -> PathBuf {
        expand(&self.environment, path)
    }

    /// Returns the folder for the files that the program writes.
    fn state(&self) -> Option<(PathBuf, &'static str)> {
        let service = self.environment.service_folder("STATE_DIRECTORY");
        let personal = self.personal(".local/share", "XDG_DATA_HOME");
        let personal = personal.0.map(|folder| (folder.join(NAME), personal.1));
        match (&self.base, service) {
            (Base::System, Some(service)) => Some((service, "STATE_DIRECTORY")),
            (Base::Project(_), Some(service)) => personal.or(Some((service, "STATE_DIRECTORY"))),
            (_, None) => {
                let var = self.environment.var.clone();
                personal.or_else(|| var.is_dir().then_some((var, "no HOME is set")))
            }
        }
    }

    /// Returns a folder of the user, and the variable that it comes from.
    fn personal(&self, usual: &str, variable: &'static str) -> (Option<PathBuf>, &'static str) {
        match self.environment.folder(variable) {
            Some(folder) => (Some(folder), variable),
            None => (self.environment.folder("HOME").map(|home| home.join(usual)), "HOME"),
        }
    }

    /// Looks for something in the project, then in the user's folder, then where packages install it.
    fn search(&self, kind: &Kind) -> Location {
        let mut places = Vec::new();
        let mut fallback = 0;
        let mut is_whole = false;
        if let Base::Project(folder) = &self.base {
            places.push((folder.join(kind.in_project), BESIDE_CONFIGURATION.to_owned()));
            is_whole = self.environment.is_source_tree(folder);
        }
        if !is_whole {
            if let Some((state, origin)) = self.state() {
                fallback = places.len();
                places.push((state.join(kind.in_state), origin.to_owned()));
            }
            if self.base == Base::System
                && let Some(tree) = self.environment.source_tree()
            {
                places.push((tree.join(kind.in_project), "the source tree of this program".to_owned()));
            }
            let shared = self.environment.shared().into_iter();
            places.extend(shared.map(|(folder, origin)| (folder.join(kind.in_state), origin.to_owned())));
            places.push((self.environment.var.join(kind.in_state), "of the service".to_owned()));
        }
        let mut seen = Vec::new();
        places.retain(|(path, _)| {
            let is_new = !seen.contains(path);
            seen.push(path.clone());
            is_new
        });
        Location::first(kind.name, kind.key, places, fallback, kind.exists)
    }
}

const BESIDE_CONFIGURATION: &str = "beside the configuration file";

/// Replaces `~` by the user's folder, and `~/.config` and `~/.local/share` by where the user keeps those. If none is
/// known, the path stays as it is.
fn expand(environment: &Environment, path: &Path) -> PathBuf {
    let home = environment.folder("HOME");
    for (usual, variable) in [(".config", "XDG_CONFIG_HOME"), (".local/share", "XDG_DATA_HOME")] {
        if let Ok(rest) = path.strip_prefix(Path::new("~").join(usual)) {
            let folder = environment.folder(variable).or_else(|| home.map(|home| home.join(usual)));
            return folder.map_or_else(|| path.to_owned(), |folder| folder.join(rest));
        }
    }
    let moved = path.strip_prefix("~").ok().zip(home).map(|(rest, home)| home.join(rest));
    moved.unwrap_or_else(|| path.to_owned())
}

fn is_filled(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some())
}

fn no_file(reason: &str, searched: Vec<Candidate>) -> Location {
    Location {
        name: "configuration",
        key: None,
        path: None,
        exists: false,
        reason: reason.to_owned(),
        searched,
    }
}

/// Finds the configuration file, and where its defaults are.
fn find_configuration(environment: &Environment, named: Option<&Path>) -> (Location, Base) {
    let personal = environment
        .folder("XDG_CONFIG_HOME")
        .map(|folder| (folder, "XDG_CONFIG_HOME"))
        .or_else(|| environment.folder("HOME").map(|home| (home.join(".config"), "HOME")))
        .map(|(folder, origin)| (folder.join(NAME), origin));
    let service = environment.service_folder("CONFIGURATION_DIRECTORY");
    let system: Vec<(PathBuf, &str)> = service
        .map(|folder| (folder, "CONFIGURATION_DIRECTORY"))
        .into_iter()
        .chain(personal)
        .chain([(environment.etc.clone(), "of the system")])
        .collect();
    let base_of = |file: &Path| {
        let folder = file.parent().unwrap_or(Path::new(""));
        let real = |path: &Path| fs::canonicalize(environment.current.join(path)).ok();
        let is_system = system.iter().any(|(of, _)| real(of).is_some_and(|of| Some(of) == real(folder)));
        if is_system { Base::System } else { Base::Project(environment.current.join(folder)) }
    };
    if let Some(named) = named {
        return (Location::given("configuration", None, named, "--config"), base_of(named));
    }
    // In this order: what a service names, the current folder, the user, the system.
    let here = (PathBuf::new(), "the current folder");
    let first_is_service = system.first().is_some_and(|(_, origin)| *origin == "CONFIGURATION_DIRECTORY");
    let mut order = system.clone();
    order.insert(usize::from(first_is_service), here);
    let mut searched: Vec<Candidate> = Vec::new();
    let mut taken: Option<(PathBuf, &str)> = None;
    for (folder, origin) in order {
        let is_here = folder.as_os_str().is_empty();
        let shown = if is_here { environment.current.join(FILE) } else { folder.join(FILE) };
        // Whatever exists and cannot be read is an error of the reader, not a reason to take another file.
        let state = if fs::symlink_metadata(&shown).is_err() {
            CandidateState::Missing
        } else if is_here && !environment.trusts_project(&environment.current, &shown) {
            CandidateState::Untrusted
        } else if taken.is_some() {
            CandidateState::LessPreferred
        } else {
            // A file in the current folder keeps its short name in messages.
            taken = Some((folder.join(FILE), origin));
            CandidateState::Taken
        };
        searched.push(Candidate { path: shown, origin: origin.to_owned(), state });
    }
    match taken {
        Some((path, origin)) => {
            let base = base_of(&path);
            let location = Location {
                name: "configuration",
                key: None,
                path: Some(path),
                exists: true,
                reason: origin.to_owned(),
                searched,
            };
            (location, base)
        }
        None => (no_file("built-in values; there is no configuration file", searched), Base::System),
    }
}
