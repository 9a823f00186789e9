//! [`Systemctl`]: what the running service manager is asked to do.

use std::path::PathBuf;

use minismith_runtime::subprocess;

/// The running service manager. Without one, only files are changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Systemctl(pub Option<PathBuf>);

/// The service manager refused.
#[derive(Debug, thiserror::Error)]
pub enum SystemctlError {
    /// The program could not be run.
    #[error("cannot run {}: {source}", .program.display())]
    NotRun {
        /// The program.
        program: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// It ended with an error.
    #[error("`systemctl {command}` failed; `journalctl -u {unit}` tells why, then repeat the command")]
    Failed {
        /// The command that was given.
        command: String,
        /// The unit that it was about.
        unit: String,
    },
}

impl Systemctl {
    /// Runs a command. Without a service manager, nothing happens.
    ///
    /// # Errors
    /// When it fails.
    pub fn run(&self, command: &str, unit: &str) -> Result<(), SystemctlError> {
        match self.ends_well(command, unit)? {
            Some(false) => Err(SystemctlError::Failed {
                command: format!("{command} {unit}").trim_end().to_owned(),
                unit: unit.to_owned(),
            }),
            _ => Ok(()),
        }
    }

    /// Returns whether a unit runs; none without a service manager.
    ///
    /// # Errors
    /// When it cannot be asked.
    pub fn is_active(&self, unit: &str) -> Result<Option<bool>, SystemctlError> {
        self.ends_well("is-active", unit)
    }

    fn ends_well(&self, command: &str, unit: &str) -> Result<Option<bool>, SystemctlError> {
        let Some(program) = &self.0 else { return Ok(None) };
        let mut arguments = vec![command.into()];
        if !unit.is_empty() {
            arguments.push(unit.into());
        }
        let quiet = command == "is-active";
        let ended = subprocess::run(program, &arguments, quiet, &mut |_| {})
            .map_err(|source| SystemctlError::NotRun { program: program.clone(), source })?;
        Ok(Some(ended.success()))
    }
}
