//! The installed models: a folder with a GGUF file for each, notes about it, and which one is used.
//!
//! `NAME.gguf` is the model, `NAME.json` what is known of it beside its own header, and `used` holds the name of the one
//! that is used. Files appear and change in one step, so a reader finds all of one or nothing.

use std::fs::{self, File};
use std::io::{Error, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::gguf;

/// The folder of the models inside that of the configuration.
const MODELS: &str = "models";

/// The file with the name of the used model.
const USED: &str = "used";

const EXTENSION: &str = "gguf";

/// The longest name of a model.
const MAX_NAME_LEN: usize = 64;

/// The permitted form of a name, for messages.
const ALLOWED_NAMES: &str =
    "small letters, digits, `.`, `-` and `_`, of which the first is a letter or a digit, 64 at most";

/// An installed model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InstalledModel {
    /// Its name here.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    /// The size of the file, bytes.
    pub bytes: u64,
    /// Its licence, where its header or its note names one.
    pub licence: Option<String>,
    /// Its architecture, such as `qwen2`.
    pub architecture: Option<String>,
    /// The SHA-256 of the file when it was added, hexadecimal.
    pub sha256: Option<String>,
    /// Whether it is the one that is used.
    pub used: bool,
    /// Why it cannot be used, if so.
    pub damage: Option<String>,
}

/// What is stored beside a model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Note {
    sha256: Option<String>,
    licence: Option<String>,
    /// The size of the file to which the hash belongs, bytes.
    bytes: Option<u64>,
}

/// The reason why models cannot be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The name has another form.
    #[error("`{given}` can't be a model's name; allowed: {ALLOWED_NAMES}{hint}")]
    BadName {
        /// The name, shortened.
        given: String,
        /// What to do.
        hint: &'static str,
    },
    /// No model has this name.
    #[error("there is no model `{name}`; {known}")]
    Unknown {
        /// The name.
        name: String,
        /// The names there are, and what to do.
        known: String,
    },
    /// The file is no model.
    #[error("{} is no model that can be added: {reason}; models are files in the GGUF format", .path.display())]
    NotAModel {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// Another model has the name.
    #[error(
        "there is another model `{name}` already; choose a name with `--name NAME`, or `minismith model remove {name}` first"
    )]
    Taken {
        /// The name.
        name: String,
    },
    /// A model that is damaged cannot be used.
    #[error(
        "the model `{name}` can't be used: {reason}; remove it with `minismith model remove {name}` and add it again"
    )]
    Damaged {
        /// The name.
        name: String,
        /// The reason.
        reason: String,
    },
    /// The system fails.
    #[error("{doing}: {source}")]
    Io {
        /// What was tried.
        doing: String,
        /// The system's error.
        source: Error,
    },
}

impl StoreError {
    /// Whether it is about what was asked for, in contrast to an error of the computer.
    #[must_use]
    pub const fn is_refusal(&self) -> bool {
        !matches!(self, StoreError::Io { .. })
    }
}

fn io(doing: impl Into<String>) -> impl FnOnce(Error) -> StoreError {
    let doing = doing.into();
    |source| StoreError::Io { doing, source }
}

/// How a model was added.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Added {
    /// The model.
    pub model: InstalledModel,
    /// Whether the same file was there already under this name.
    pub was_there: bool,
}

/// The models of one folder.
#[derive(Clone, Debug)]
pub struct ModelStore {
    folder: PathBuf,
}

impl ModelStore {
    /// Returns the models inside the folder of the configuration. It need not exist.
    #[must_use]
    pub fn new(directory: &Path) -> Self {
        ModelStore { folder: directory.join(MODELS) }
    }

    /// Returns the models by name.
    ///
    /// # Errors
    /// [`StoreError::Io`], when the folder cannot be read.
    pub fn list(&self) -> Result<Vec<InstalledModel>, StoreError> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(io(format!("cannot read {}", self.folder.display()))(error)),
        };
        let used = self.used_name();
        let mut models: Vec<InstalledModel> = entries
            .flatten()
            .filter_map(|entry| {
                let path = entry.path();
                let name = path.file_stem()?.to_str()?.to_owned();
                let is_model = path.extension().is_some_and(|it| it == EXTENSION) && name_of(&name).is_ok();
                is_model.then(|| self.described(name, path, used.as_deref()))
            })
            .collect();
        models.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(models)
    }

    /// Returns the model that is used: the chosen one, or the only one. None if there is none to use.
    ///
    /// # Errors
    /// [`StoreError`], when the chosen one is missing or damaged.
    pub fn used(&self) -> Result<Option<InstalledModel>, StoreError> {
        let models = self.list()?;
        let used = match (self.used_name(), models.as_slice()) {
            (Some(name), models) => match models.iter().find(|model| model.name == name) {
                Some(model) => model.clone(),
                None => return Err(unknown(&name, models)),
            },
            (None, [only]) => only.clone(),
            (None, _) => return Ok(None),
        };
        match used.damage {
            Some(reason) => Err(StoreError::Damaged { name: used.name, reason }),
            None => Ok(Some(used)),
        }
    }

    /// Adds a model file under a name, by default that of the file. It is linked where it can be, otherwise copied. The
    /// first model is used at once.
    ///
    /// # Errors
    /// [`StoreError`]; then nothing has changed.
    pub fn add(&self, path: &Path, name: Option<&str>) -> Result<Added, StoreError> {
        let header = gguf::read(path).map_err(|error| match error.kind() {
            ErrorKind::InvalidData => {
                StoreError::NotAModel { path: path.to_owned(), reason: error.to_string() }
            }
            ErrorKind::NotFound | ErrorKind::IsADirectory | ErrorKind::PermissionDenied => {
                StoreError::NotAModel { path: path.to_owned(), reason: error.to_string() }
            }
            _ => io(format!("cannot read {}", path.display()))(error),
        })?;
        let name = match name {
            Some(name) => name_of(name)?,
            None => {
                let stem = path.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
                name_of(&stem.replace(' ', "-")).map_err(|error| match error {
                    StoreError::BadName { given, .. } => {
                        StoreError::BadName { given, hint: "; choose one with `--name NAME`" }
                    }
                    other => other,
                })?
            }
        };
        fs::create_dir_all(&self.folder).map_err(io(format!("cannot create {}", self.folder.display())))?;
        let sha256 = hash_of(path).map_err(io(format!("cannot read {}", path.display())))?;
        let place = self.file(&name);
        let was_there = place.exists();
        if was_there {
            let present = hash_of(&place).map_err(io(format!("cannot read {}", place.display())))?;
            if present != sha256 {
                return Err(StoreError::Taken { name });
            }
        } else {
            let doing = || format!("cannot store the model in {}", self.folder.display());
            // Only while it is copied; a copy that was interrupted goes with it.
            let fresh =
                tempfile::Builder::new().prefix(".new-").tempdir_in(&self.folder).map_err(io(doing()))?;
            let whole = fresh.path().join("model");
            let original = fs::canonicalize(path).map_err(io(doing()))?;
            if fs::hard_link(&original, &whole).is_err() {
                fs::copy(&original, &whole).map_err(io(doing()))?;
                File::open(&whole).and_then(|file| file.sync_all()).map_err(io(doing()))?;
                if hash_of(&whole).map_err(io(doing()))? != sha256 {
                    return Err(io(doing())(Error::other("the file changed while it was copied")));
                }
            }
            fs::rename(&whole, &place).map_err(io(doing()))?;
        }
        let bytes = fs::metadata(&place).map(|it| it.len()).ok();
        let note = Note { sha256: Some(sha256), licence: header.licence, bytes };
        if !was_there || self.note(&name).sha256.is_none() {
            let json = serde_json::to_string_pretty(&note).unwrap_or_default();
            self.write(&format!("{name}.json"), &format!("{json}\n"))?;
        }
        let used = self.used_name();
        if used.is_none() {
            self.write(USED, &format!("{name}\n"))?;
        }
        let used = used.unwrap_or_else(|| name.clone());
        Ok(Added { model: self.described(name.clone(), place, Some(&used)), was_there })
    }

    /// Chooses the model that is used.
    ///
    /// # Errors
    /// [`StoreError`]; then the choice has not changed.
    pub fn choose(&self, name: &str) -> Result<InstalledModel, StoreError> {
        let model = self.find(name)?;
        if let Some(reason) = model.damage {
            return Err(StoreError::Damaged { name: model.name, reason });
        }
        self.write(USED, &format!("{}\n", model.name))?;
        Ok(InstalledModel { used: true, ..model })
    }

    /// Removes a model. If it was the one that is used, none is until another is chosen, or only one is left.
    ///
    /// # Errors
    /// [`StoreError`].
    pub fn remove(&self, name: &str) -> Result<InstalledModel, StoreError> {
        let model = self.find(name)?;
        fs::remove_file(&model.path).map_err(io(format!("cannot remove {}", model.path.display())))?;
        // The notes and the choice mean nothing without it.
        let _ = fs::remove_file(self.folder.join(format!("{}.json", model.name)));
        if self.used_name().as_deref() == Some(model.name.as_str()) {
            let _ = fs::remove_file(self.folder.join(USED));
        }
        Ok(model)
    }

    fn find(&self, name: &str) -> Result<InstalledModel, StoreError> {
        let name = name_of(name)?;
        let models = self.list()?;
        models.iter().find(|model| model.name == name).cloned().ok_or_else(|| unknown(&name, &models))
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.{EXTENSION}"))
    }

    fn used_name(&self) -> Option<String> {
        let text = read_small(&self.folder.join(USED))?;
        name_of(text.trim()).ok()
    }

    fn note(&self, name: &str) -> Note {
        let text = read_small(&self.folder.join(format!("{name}.json")));
        text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
    }

    fn described(&self, name: String, path: PathBuf, used: Option<&str>) -> InstalledModel {
        let bytes = fs::metadata(&path).map(|it| it.len()).unwrap_or_default();
        let note = self.note(&name);
        let (header, mut damage) = match gguf::read(&path) {
            Ok(header) => (header, None),
            Err(error) => (gguf::Header::default(), Some(error.to_string())),
        };
        if note.bytes.is_some_and(|noted| noted != bytes) {
            damage.get_or_insert("its size is no longer that of the file that was added".into());
        }
        InstalledModel {
            used: used == Some(name.as_str()),
            licence: note.licence.or(header.licence),
            architecture: header.architecture,
            sha256: note.sha256,
            name,
            path,
            bytes,
            damage,
        }
    }

    /// Writes a small file in one step.
    fn write(&self, name: &str, text: &str) -> Result<(), StoreError> {
        let place = self.folder.join(name);
        let doing = || format!("cannot write {}", place.display());
        let mut fresh = tempfile::NamedTempFile::new_in(&self.folder).map_err(io(doing()))?;
        fresh.write_all(text.as_bytes()).map_err(io(doing()))?;
        fresh.persist(&place).map_err(|error| io(doing())(error.error))?;
        Ok(())
    }
}

/// Returns a small text file, or none where there is none that can be read.
fn read_small(path: &Path) -> Option<String> {
    let mut text = String::new();
    File::open(path).ok()?.take(4096).read_to_string(&mut text).ok()?;
    Some(text)
}

fn unknown(name: &str, models: &[InstalledModel]) -> StoreError {
    let names: Vec<&str> = models.iter().map(|model| model.name.as_str()).collect();
    let known = match names.as_slice() {
        [] => "none is installed; run `make model`, or `minismith model add FILE`".to_owned(),
        names => format!("there is {}", names.join(", ")),
    };
    StoreError::Unknown { name: name.to_owned(), known }
}

fn name_of(text: &str) -> Result<String, StoreError> {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let is_name = (1..=MAX_NAME_LEN).contains(&text.len())
        && text.starts_with(is_plain)
        && text.chars().all(|c| is_plain(c) || matches!(c, '.' | '-' | '_'));
    is_name.then(|| text.to_owned()).ok_or_else(|| StoreError::BadName {
        given: text.chars().filter(|c| !c.is_control()).take(MAX_NAME_LEN).collect(),
        hint: "",
    })
}

/// Returns the SHA-256 of a file, hexadecimal.
fn hash_of(path: &Path) -> Result<String, Error> {
    let mut hash = Sha256::new();
    let mut file = File::open(path)?;
    let mut bytes = vec![0; 1 << 20];
    loop {
        match file.read(&mut bytes)? {
            0 => break,
            length => hash.update(bytes.get(..length).unwrap_or_default()),
        }
    }
    Ok(hex(&hash.finalize()))
}

/// Returns bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests;
