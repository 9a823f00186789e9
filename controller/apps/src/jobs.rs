//! Jobs, such as an installation, which take longer than a client waits for an answer.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use uuid::Uuid;

use crate::AppError;

/// Jobs that are remembered.
const MAX_JOBS: usize = 32;

/// A running or finished job, in the official format.
#[derive(Clone, Debug, Serialize)]
pub struct Job {
    /// What is done: `install` or `remove`.
    pub command: &'static str,
    /// Its status.
    pub status: JobStatus,
    /// What was done, and in the end the result or the error.
    pub logs: Vec<String>,
}

/// The status of a job, by its official name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum JobStatus {
    /// It runs.
    InProgress,
    /// It has ended.
    Done,
    /// It has failed.
    Failed,
}

/// The jobs of a server: one runs at a time.
#[derive(Debug, Default)]
pub struct Jobs(Mutex<HashMap<Uuid, Job>>);

impl Jobs {
    fn lock(&self) -> MutexGuard<'_, HashMap<Uuid, Job>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Enters a job and returns its id; none while another one runs.
    pub fn enter(&self, command: &'static str) -> Option<Uuid> {
        let mut jobs = self.lock();
        if jobs.values().any(|job| job.status == JobStatus::InProgress) {
            return None;
        }
        if jobs.len() >= MAX_JOBS {
            jobs.clear();
        }
        let id = Uuid::new_v4();
        jobs.insert(id, Job { command, status: JobStatus::InProgress, logs: Vec::new() });
        Some(id)
    }

    /// Does the work of a job to its end. The work reports its progress.
    pub fn run(&self, id: Uuid, work: impl FnOnce(&mut dyn FnMut(&str)) -> Result<String, AppError>) {
        let ended = work(&mut |line| self.change(id, |job| job.logs.push(line.to_owned())));
        let (last, status) = match ended {
            Ok(said) => (said, JobStatus::Done),
            Err(error) => (error.to_string(), JobStatus::Failed),
        };
        self.change(id, |job| {
            job.logs.push(last);
            job.status = status;
        });
    }

    fn change(&self, id: Uuid, change: impl FnOnce(&mut Job)) {
        if let Some(job) = self.lock().get_mut(&id) {
            change(job);
        }
    }

    /// Returns a job.
    #[must_use]
    pub fn get(&self, id: Uuid) -> Option<Job> {
        self.lock().get(&id).cloned()
    }
}
