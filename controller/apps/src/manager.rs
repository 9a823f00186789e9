//! All apps of a server: one runs at a time.

use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::AppError;
use crate::running::{AppState, AppStatus, RunningApp};
use crate::sandbox::Host;
use crate::store::Store;

/// The apps of a server. Dropping it ends the app that runs.
#[derive(Debug)]
pub struct AppManager {
    store: Store,
    host: Host,
    current: Mutex<Option<RunningApp>>,
}

impl AppManager {
    /// Creates it for the apps of a folder.
    #[must_use]
    pub const fn new(store: Store, host: Host) -> Self {
        AppManager { store, host, current: Mutex::new(None) }
    }

    /// Returns what is installed.
    #[must_use]
    pub const fn store(&self) -> &Store {
        &self.store
    }

    /// Returns where apps run.
    #[must_use]
    pub const fn host(&self) -> &Host {
        &self.host
    }

    fn lock(&self) -> MutexGuard<'_, Option<RunningApp>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts an app. Returns it, and the socket at which it expects the robot.
    ///
    /// # Errors
    /// [`AppError::Running`] while another one runs; [`AppError::Unknown`]; why it cannot be confined or started.
    pub fn start(&self, name: &str) -> Result<(RunningApp, Option<OwnedFd>), AppError> {
        let mut current = self.lock();
        if let Some(running) = current.as_ref().filter(|running| running.is_alive()) {
            return Err(AppError::Running(running.status().app.name));
        }
        let app = self.store.find(name)?;
        let folder = self.store.folder_of(name)?;
        let sandbox = self.host.sandbox(&app, &folder)?;
        let started = self.host.start(&sandbox)?;
        let (running, listener) = RunningApp::watch(app, started, &folder.join("log"))?;
        *current = Some(running.clone());
        Ok((running, listener))
    }

    /// Returns the app that runs, or that ran last and failed.
    #[must_use]
    pub fn current(&self) -> Option<RunningApp> {
        self.lock().clone()
    }

    /// Returns the status of that app.
    #[must_use]
    pub fn status(&self) -> Option<AppStatus> {
        self.current().map(|running| running.status())
    }

    /// Ends the app that runs. It takes some seconds if the app does not end by itself.
    ///
    /// # Errors
    /// [`AppError::NoneRunning`].
    pub fn stop(&self) -> Result<AppStatus, AppError> {
        let running = self.current().ok_or(AppError::NoneRunning)?;
        if matches!(running.status().state, AppState::Done) {
            return Err(AppError::NoneRunning);
        }
        running.stop();
        let status = running.status();
        let mut current = self.lock();
        if current.as_ref().is_some_and(|now| !now.is_alive()) {
            *current = None;
        }
        Ok(status)
    }

    /// Returns the log file of an app.
    ///
    /// # Errors
    /// [`AppError::Unknown`].
    pub fn log(&self, name: &str) -> Result<PathBuf, AppError> {
        self.store.find(name)?;
        Ok(self.store.folder_of(name)?.join("log"))
    }
}

impl Drop for AppManager {
    fn drop(&mut self) {
        if let Some(running) = self.lock().take() {
            running.stop();
        }
    }
}
