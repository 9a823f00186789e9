//! Model files and the runtime that they run on: ONNX Runtime, a library that is loaded when it is there; nothing is linked.
//!
//! `make models` installs both. A model is read once, known by its hash, and what was read is what runs. There is one runtime
//! in the process, that of the first model that is opened, and a session belongs to one thread.

mod provider;

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use ort::environment::Environment;
use ort::session::Session;
use sha2::{Digest, Sha256};

pub use provider::{Provider, UnknownProvider};

/// The runtime's library, in the folder of models.
pub const RUNTIME: &str = "libonnxruntime.so";

/// The largest model that is read.
const LARGEST: u64 = 256 << 20;

/// A model that is not to be had. The texts are for a person.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoModel {
    /// It, or the runtime, is not installed.
    #[error("{what} needs what is not installed ({file} is missing in {}); `make models` installs it", .folder.display())]
    Missing {
        /// What does not work without it.
        what: &'static str,
        /// The first file that is missing.
        file: String,
        /// Where it was looked for.
        folder: PathBuf,
    },
    /// It is there, but can't be used.
    #[error("{what} can't use {file} in {} ({reason}); `make models` installs it anew", .folder.display())]
    Broken {
        /// What does not work without it.
        what: &'static str,
        /// The file.
        file: String,
        /// Where it is.
        folder: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

/// A model, as it is known to this program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelFile {
    /// What it is for, as the beginning of a sentence: `finding faces`.
    pub what: &'static str,
    /// Where it lies in the folder of models.
    pub file: &'static str,
    /// The SHA-256 of its bytes.
    pub sha256: &'static str,
}

/// The folder of installed models, and what they run on.
#[derive(Clone, Debug)]
pub struct Models {
    folder: PathBuf,
    runtime: PathBuf,
    providers: Vec<Provider>,
}

impl Models {
    /// Those in this folder, on its own runtime and the processor.
    #[must_use]
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        Models { runtime: folder.join(RUNTIME), folder, providers: Vec::new() }
    }

    /// The same on another library of ONNX Runtime, such as one that was built for a certain computer.
    #[must_use]
    pub fn with_runtime(self, library: impl Into<PathBuf>) -> Self {
        Models { runtime: library.into(), ..self }
    }

    /// The same on these, in this order: what one can't do, the next does, and in the end the processor.
    #[must_use]
    pub fn preferring(self, providers: impl Into<Vec<Provider>>) -> Self {
        Models { providers: providers.into(), ..self }
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Opens a model, on one thread.
    ///
    /// A provider that the runtime lacks, or that does not come up, is told in the log and left out: a robot that sees slowly
    /// is better than one that does not see.
    ///
    /// # Errors
    /// When the model or the runtime is not installed or can't be used.
    pub fn session(&self, model: &ModelFile) -> Result<Session, NoModel> {
        let bytes = self.read(model)?;
        let environment = self.environment(model.what)?;
        let broken = |error: ort::Error| self.broken(model, error.to_string());
        let mut builder = Session::builder(&environment)
            .map_err(broken)?
            .with_intra_threads(1)
            .map_err(|error| self.broken(model, error.to_string()))?;
        for provider in &self.providers {
            builder = provider.register(builder);
        }
        builder.commit_from_memory(&bytes).map_err(broken)
    }

    /// Whether a model is there and whole, and the runtime is there; nothing is loaded.
    ///
    /// # Errors
    /// What is missing or broken.
    pub fn examine(&self, model: &ModelFile) -> Result<(), NoModel> {
        if !self.runtime.is_file() {
            let file = self.runtime.file_name().unwrap_or_default().to_string_lossy().into_owned();
            return Err(NoModel::Missing { what: model.what, file, folder: self.folder.clone() });
        }
        self.read(model).map(drop)
    }

    /// Those that are preferred and that the installed runtime was built without.
    ///
    /// # Errors
    /// When there is no runtime.
    pub fn lacking(&self) -> Result<Vec<Provider>, NoModel> {
        let _loaded = self.environment("seeing")?;
        Ok(self.providers.iter().copied().filter(|provider| !provider.is_built_in()).collect())
    }

    /// The one runtime of this process.
    fn environment(&self, what: &'static str) -> Result<Environment, NoModel> {
        static LOADED: Mutex<Option<Environment>> = Mutex::new(None);
        let file = || self.runtime.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let folder = || self.runtime.parent().unwrap_or(&self.folder).to_owned();
        if !self.runtime.is_file() {
            return Err(NoModel::Missing { what, file: file(), folder: folder() });
        }
        let broken = |reason: String| NoModel::Broken { what, file: file(), folder: folder(), reason };
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(environment) = &*loaded {
            return Ok(environment.clone());
        }
        let runtime = ort::init_from(&self.runtime).map_err(|error| broken(error.to_string()))?;
        let environment =
            runtime.with_name("minismith").build().map_err(|error| broken(error.to_string()))?;
        Ok(loaded.insert(environment).clone())
    }

    /// The bytes of a model's file, if they are those that are known.
    ///
    /// # Errors
    /// When it is not installed or is another.
    pub fn read(&self, model: &ModelFile) -> Result<Vec<u8>, NoModel> {
        let missing = || NoModel::Missing {
            what: model.what,
            file: model.file.to_owned(),
            folder: self.folder.clone(),
        };
        let path = self.folder.join(model.file);
        if !path.is_file() {
            return Err(missing());
        }
        let mut bytes = Vec::new();
        File::open(path)
            .and_then(|file| file.take(LARGEST).read_to_end(&mut bytes))
            .map_err(|error| self.broken(model, error.to_string()))?;
        let hash: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        if hash != model.sha256 {
            return Err(self.broken(model, "it is another than was pinned".to_owned()));
        }
        Ok(bytes)
    }

    fn broken(&self, model: &ModelFile, reason: String) -> NoModel {
        NoModel::Broken { what: model.what, file: model.file.to_owned(), folder: self.folder.clone(), reason }
    }
}
