//! The queue of rehearsals: checks, approvals and previews of tools, one after the other.
//!
//! Threads: one thread with a workshop of its own. A rehearsal needs no robot, so it does not wait for those who move it, and
//! they do not wait for it. Several workshops may write one registry, as several programs may.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::JoinHandle;

use axum::http::StatusCode;
use tokio::sync::oneshot;
use tracing::Span;

use super::extract::ApiError;
use minismith_runtime::config::Config;
use minismith_toolchain::workshop::Workshop;

/// Capacity of each queue: of this one, and of the requests.
pub(super) const QUEUE_CAPACITY: usize = 32;

/// The queue is full.
#[derive(Debug, thiserror::Error)]
#[error(
    "too many requests: {QUEUE_CAPACITY} are queued, {QUEUE_CAPACITY} allowed; try again in a few seconds"
)]
pub(super) struct QueueFull;

/// A job that did not finish.
#[derive(Debug, thiserror::Error)]
pub(super) enum JobError {
    /// It was not queued.
    #[error(transparent)]
    QueueFull(#[from] QueueFull),
    /// It panicked, or the workshop is not open.
    #[error("the job failed: internal error; see the log")]
    Lost,
}

type Job = Box<dyn FnOnce(&Workshop) + Send>;

enum Mail {
    Job(Job),
    Close,
}

/// A handle to the queue, which may be cloned.
#[derive(Clone)]
pub(super) struct Rehearsals {
    inbox: SyncSender<Mail>,
}

impl Rehearsals {
    /// Starts the thread of the queue.
    pub(super) fn start(config: Config) -> std::io::Result<(Self, JoinHandle<()>)> {
        let (inbox, mail) = sync_channel(QUEUE_CAPACITY);
        let thread = std::thread::Builder::new().name("rehearsals".into()).spawn(move || {
            // It is opened with the first job: a server that only moves the robot has one workshop.
            let mut workshop = None;
            while let Ok(Mail::Job(job)) = mail.recv() {
                if workshop.is_none() {
                    workshop = Workshop::open(&config)
                        .inspect_err(|error| tracing::warn!("the workshop is not available: {error}"))
                        .ok();
                }
                // Dropping the job tells its client that it is lost.
                let Some(open) = &workshop else { continue };
                if catch_unwind(AssertUnwindSafe(|| job(open))).is_err() {
                    tracing::error!("a rehearsal panicked");
                    workshop = None;
                }
            }
        })?;
        Ok((Rehearsals { inbox }, thread))
    }

    /// Runs a job with the workshop when its turn comes.
    ///
    /// # Errors
    /// [`JobError`].
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Workshop) -> T + Send + 'static,
    ) -> Result<T, JobError> {
        let (report, reported) = oneshot::channel();
        let span = Span::current();
        // The client may have disconnected.
        let job: Job = Box::new(move |workshop| drop(report.send(span.in_scope(|| work(workshop)))));
        self.inbox.try_send(Mail::Job(job)).map_err(|_| QueueFull)?;
        reported.await.map_err(|_| JobError::Lost)
    }

    /// Ends the thread after the jobs that are queued. If the queue is full, it ends with the program.
    pub(super) fn close(&self) {
        let _heard = self.inbox.try_send(Mail::Close);
    }
}

impl From<JobError> for ApiError {
    fn from(no: JobError) -> Self {
        let status = match no {
            JobError::QueueFull(_) => StatusCode::TOO_MANY_REQUESTS,
            JobError::Lost => StatusCode::CONFLICT,
        };
        ApiError::new(status, &no.to_string())
    }
}
