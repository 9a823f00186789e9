//! Which model is served, and how its process is started ([`Launch`]).

use std::fs;
use std::io::{Error, Result};
use std::path::PathBuf;

use minismith_runtime::config::LocalModel;

use super::ServerError;
use crate::confinement::{confinement, program, threads};
use crate::process::{ModelProcess, Settings, private_folder};
use crate::prompt_cache::PromptCache;
use crate::runtime::{self, Runtime};

/// The program that Python runs.
const SERVER: &str = include_str!("../server.py");

/// The folder of evaluated prompts inside that of the configuration.
const PROMPTS: &str = "prompts";

/// A model and the runtime for it. A process serves one choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) name: String,
    pub(super) path: PathBuf,
    pub(super) bytes: u64,
    pub(super) sha256: Option<String>,
    pub(super) runtime: Runtime,
}

/// Chooses and starts. Tests start other programs.
pub(super) trait Launch: Send + Sync {
    /// Returns what would be started now.
    fn choice(&self) -> std::result::Result<Choice, ServerError>;

    /// Starts a process, which is not ready yet.
    fn start(&self, choice: &Choice) -> Result<(ModelProcess, PromptCache)>;
}

/// The model and the runtime in the folder of the configuration, confined by the tool host.
pub(super) struct Installed {
    config: LocalModel,
    tool_host: std::result::Result<PathBuf, String>,
}

impl Installed {
    pub(super) const fn new(config: LocalModel, tool_host: std::result::Result<PathBuf, String>) -> Self {
        Installed { config, tool_host }
    }
}

impl Launch for Installed {
    fn choice(&self) -> std::result::Result<Choice, ServerError> {
        let (runtime, model) = runtime::installed(&self.config)?;
        let (name, path, bytes, sha256) = (model.name, model.path, model.bytes, model.sha256);
        Ok(Choice { name, path, bytes, sha256, runtime })
    }

    fn start(&self, choice: &Choice) -> Result<(ModelProcess, PromptCache)> {
        let tool_host = self.tool_host.as_ref().map_err(|why| Error::other(why.clone()))?;
        let LocalModel { directory, context_tokens, memory_headroom_bytes, .. } = &self.config;
        let folder = private_folder()?;
        let prompts = directory.join(PROMPTS);
        fs::create_dir_all(&prompts)?;
        let threads = threads(self.config.threads);
        let settings = Settings {
            model: choice.path.clone(),
            name: choice.name.clone(),
            context: *context_tokens,
            threads,
            prompts: prompts.clone(),
            // Only such a name is a Unix socket for the server.
            socket: folder.path().join("s.sock"),
            log: folder.path().join("log"),
            key: String::new(),
        };
        let mut readable = choice.runtime.folders.clone();
        readable.push(choice.path.clone());
        let writable = vec![prompts.clone(), folder.path().to_owned()];
        let memory = choice.bytes.saturating_add(*memory_headroom_bytes);
        let python = choice.runtime.python.display().to_string();
        // Isolated: neither the environment nor the current folder decides what is imported.
        let words = vec![python, "-I".into(), "-B".into(), "-c".into(), SERVER.into()];
        let confined = confinement(readable, writable, memory, threads, words);
        let process = ModelProcess::start(folder, settings, |far| program(tool_host, &confined, far))?;
        let identity = choice.sha256.clone().unwrap_or_else(|| format!("{} {}", choice.name, choice.bytes));
        let cache = format!("{identity} {} {context_tokens}", choice.runtime.version);
        Ok((process, PromptCache::new(prompts, cache)))
    }
}
