//! The only file that starts a program: `minismith` beside this one, which exports and imports tools by the controller's own
//! path: signature, policy, rehearsal on the simulated robot, review, registry.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

/// How long a rehearsal of a bundle may take.
const TIMEOUT: Duration = Duration::from_mins(10);

/// The most of a program's output that is read, bytes.
const MAX_OUTPUT_BYTES: usize = 8 << 20;

/// Reports that `minismith` did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    /// There is none.
    #[error("there is no `minismith` beside {}; install it there", .0.display())]
    NotInstalled(PathBuf),
    /// It does not start, or its output cannot be read.
    #[error("cannot run {}: {source}", .path.display())]
    Start {
        /// The program.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// It takes too long.
    #[error("`minismith tool` took longer than ten minutes; nothing was imported")]
    Timeout,
    /// It rejected the request.
    #[error("{0}")]
    Refused(String),
}

/// The program `minismith`, with the configuration of this robot's controller.
#[derive(Clone, Debug)]
pub struct Minismith {
    path: PathBuf,
    config: Option<PathBuf>,
}

impl Minismith {
    /// Returns the program beside this one, or in the folder above, for tests.
    ///
    /// # Errors
    /// [`ProgramError::NotInstalled`].
    pub fn beside(config: Option<&Path>) -> Result<Self, ProgramError> {
        let executable = std::env::current_exe().unwrap_or_default();
        let beside = executable.ancestors().skip(1).take(2).map(|folder| folder.join("minismith"));
        let path = beside.into_iter().find(|path| path.is_file());
        let path = path.ok_or_else(|| ProgramError::NotInstalled(executable.clone()))?;
        Ok(Minismith { path, config: config.map(Path::to_path_buf) })
    }

    /// Writes a signed bundle of a tool and those that it calls.
    ///
    /// # Errors
    /// [`ProgramError`] says why not.
    pub async fn export(&self, tool: &str, out: &Path) -> Result<Value, ProgramError> {
        self.run(&["tool".into(), "export".into(), tool.into(), "--out".into(), out.into(), "--json".into()])
            .await
    }

    /// Imports a bundle: checks and rehearses its tools here, and registers them if all pass.
    ///
    /// # Errors
    /// [`ProgramError`] says why not.
    pub async fn import(&self, bundle: &Path) -> Result<Value, ProgramError> {
        self.run(&["tool".into(), "import".into(), bundle.into(), "--json".into()]).await
    }

    /// Disables a tool. It stays registered.
    ///
    /// # Errors
    /// [`ProgramError`] says why not.
    pub async fn deactivate(&self, tool: &str, by: &str) -> Result<Value, ProgramError> {
        self.run(&[
            "tool".into(),
            "deactivate".into(),
            tool.into(),
            "--by".into(),
            by.into(),
            "--json".into(),
        ])
        .await
    }

    async fn run(&self, arguments: &[OsString]) -> Result<Value, ProgramError> {
        let start = |source| ProgramError::Start { path: self.path.clone(), source };
        let mut command = tokio::process::Command::new(&self.path);
        if let Some(config) = &self.config {
            command.arg("--config").arg(config);
        }
        let running = command
            .args(arguments)
            .stdin(std::process::Stdio::null())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(start)?
            .wait_with_output();
        let output = tokio::time::timeout(TIMEOUT, running)
            .await
            .map_err(|_| ProgramError::Timeout)?
            .map_err(start)?;
        let text = output.stdout.get(..output.stdout.len().min(MAX_OUTPUT_BYTES)).unwrap_or_default();
        let document: Value = serde_json::from_slice(text).unwrap_or_default();
        if output.status.success() {
            return Ok(document);
        }
        let reason = document.get("refusal").and_then(Value::as_str).map(str::to_owned);
        let last = || {
            let errors = String::from_utf8_lossy(&output.stderr).into_owned();
            errors.lines().last().unwrap_or("`minismith tool` failed without a reason").to_owned()
        };
        Err(ProgramError::Refused(reason.unwrap_or_else(last)))
    }
}
