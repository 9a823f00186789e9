//! Model files and ONNX Runtime, which is loaded as a shared library at run time and is never linked ([`Models`]).
//!
//! `minismith setup` installs both. A model is read once and checked against its hash, and exactly those bytes run. The process has
//! one runtime, loaded with the first model. A session belongs to one thread.

mod pool;
mod provider;

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use ort::environment::Environment;
use ort::session::Session;
use sha2::{Digest, Sha256};

pub use pool::ModelPool;
pub use provider::{Provider, UnknownProvider};

/// File name of the runtime library in the model folder.
pub const RUNTIME: &str = "libonnxruntime.so";

/// The time without a use after which a loaded model is dropped, unless the configuration says otherwise.
const IDLE_TIMEOUT: Duration = Duration::from_mins(5);

/// Maximum size of a model in bytes.
const MAX_FILE_BYTES: u64 = 256 << 20;

/// Reports why a model is not available. The messages are for the user.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// The model or the runtime is not installed.
    #[error("{what} is not available: {file} is missing in {}; run `minismith setup` (in the source tree also `make models`)", .folder.display())]
    NotInstalled {
        /// Task that needs it.
        what: &'static str,
        /// First missing file.
        file: String,
        /// Folder that was searched.
        folder: PathBuf,
    },
    /// The model or the runtime is installed but unusable.
    #[error("{what} is not available: cannot use {file} in {} ({reason}); run `minismith setup` (in the source tree also `make models`) to reinstall it", .folder.display())]
    Broken {
        /// Task that needs it.
        what: &'static str,
        /// File name.
        file: String,
        /// Folder.
        folder: PathBuf,
        /// Cause.
        reason: String,
    },
}

/// A model that this program uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelFile {
    /// Task, as the subject of a message: `face detection`.
    pub what: &'static str,
    /// Path in the model folder.
    pub file: &'static str,
    /// SHA-256 of its bytes.
    pub sha256: &'static str,
}

/// Folder of installed models, with the runtime and its execution providers.
#[derive(Clone, Debug)]
pub struct Models {
    folder: PathBuf,
    runtime: PathBuf,
    providers: Vec<Provider>,
    idle_timeout: Duration,
}

impl Models {
    /// Uses the models in a folder, with the runtime in it, on the CPU.
    #[must_use]
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        Models { runtime: folder.join(RUNTIME), folder, providers: Vec::new(), idle_timeout: IDLE_TIMEOUT }
    }

    /// Uses another ONNX Runtime library, such as one built for a certain computer.
    #[must_use]
    pub fn with_runtime(self, library: impl Into<PathBuf>) -> Self {
        Models { runtime: library.into(), ..self }
    }

    /// Sets the preferred execution providers, in this order. Each falls back to the next, and the last to the CPU.
    #[must_use]
    pub fn with_providers(self, providers: impl Into<Vec<Provider>>) -> Self {
        Models { providers: providers.into(), ..self }
    }

    /// Sets the time without a use after which a loaded model is dropped.
    #[must_use]
    pub fn with_idle_timeout(self, idle_timeout: Duration) -> Self {
        Models { idle_timeout, ..self }
    }

    /// Returns an empty pool for models of one kind.
    #[must_use]
    pub fn pool<M: Send + 'static>(&self) -> ModelPool<M> {
        ModelPool::new(self.idle_timeout)
    }

    /// Returns the folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Opens a model on one thread.
    ///
    /// A provider that is missing in the runtime or fails to start is logged and skipped, because slow perception is better
    /// than none.
    ///
    /// # Errors
    /// Returns an error when the model or the runtime is not installed or unusable.
    pub fn session(&self, model: &ModelFile) -> Result<Session, ModelError> {
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

    /// Checks that a model and the runtime are installed and intact, without loading them.
    ///
    /// # Errors
    /// Returns what is missing or unusable.
    pub fn examine(&self, model: &ModelFile) -> Result<(), ModelError> {
        if !self.runtime.is_file() {
            let file = self.runtime.file_name().unwrap_or_default().to_string_lossy().into_owned();
            return Err(ModelError::NotInstalled { what: model.what, file, folder: self.folder.clone() });
        }
        self.read(model).map(drop)
    }

    /// Lists the preferred providers that the installed runtime lacks.
    ///
    /// # Errors
    /// Returns an error when there is no runtime.
    pub fn lacking(&self) -> Result<Vec<Provider>, ModelError> {
        let _loaded = self.environment("perception")?;
        Ok(self.providers.iter().copied().filter(|provider| !provider.is_built_in()).collect())
    }

    /// Loads the only runtime of this process.
    fn environment(&self, what: &'static str) -> Result<Environment, ModelError> {
        static LOADED: Mutex<Option<Environment>> = Mutex::new(None);
        let file = || self.runtime.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let folder = || self.runtime.parent().unwrap_or(&self.folder).to_owned();
        if !self.runtime.is_file() {
            return Err(ModelError::NotInstalled { what, file: file(), folder: folder() });
        }
        let broken = |reason: String| ModelError::Broken { what, file: file(), folder: folder(), reason };
        let mut loaded = LOADED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(environment) = &*loaded {
            return Ok(environment.clone());
        }
        let runtime = ort::init_from(&self.runtime).map_err(|error| broken(error.to_string()))?;
        let environment =
            runtime.with_name("minismith").build().map_err(|error| broken(error.to_string()))?;
        Ok(loaded.insert(environment).clone())
    }

    /// Reads a model file and checks its hash.
    ///
    /// # Errors
    /// Returns an error when it is not installed or its hash differs.
    pub fn read(&self, model: &ModelFile) -> Result<Vec<u8>, ModelError> {
        let missing = || ModelError::NotInstalled {
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
            .and_then(|file| file.take(MAX_FILE_BYTES).read_to_end(&mut bytes))
            .map_err(|error| self.broken(model, error.to_string()))?;
        let hash: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        if hash != model.sha256 {
            return Err(self.broken(model, "its hash differs from the pinned one".to_owned()));
        }
        Ok(bytes)
    }

    fn broken(&self, model: &ModelFile, reason: String) -> ModelError {
        ModelError::Broken {
            what: model.what,
            file: model.file.to_owned(),
            folder: self.folder.clone(),
            reason,
        }
    }
}
