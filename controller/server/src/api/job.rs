//! Runs a job that is cancelled when its client disconnects. A queued job is dropped; a running motion is stopped.
//!
//! ```text
//! waiting --its turn--> running --> over
//!    |                     |
//!    '---- disconnect -----'--> gone   (a running motion is stopped)
//! ```

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use firmware_bridge::control_loop::{ControlLoopHandle, LoopClient, LoopCommand};

use super::rehearsals::JobError;
use super::request_queue::{RequestQueue, Worker};
use minismith_toolchain::workshop::Workshop;

#[derive(Clone, Copy, PartialEq, Eq)]
enum JobState {
    Waiting,
    Running,
    Finished,
    Cancelled,
}

/// Dropped with the request: at its end, or when the client disconnects.
struct CancelOnDrop {
    state: Arc<Mutex<JobState>>,
    /// The control loop to stop then; `None` for jobs without motion.
    control_loop: Option<ControlLoopHandle>,
}

fn lock(status: &Mutex<JobState>) -> MutexGuard<'_, JobState> {
    status.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        let mut status = lock(&self.state);
        // Under the lock, so that the next job is not stopped for this one.
        if *status == JobState::Running
            && let Some(control_loop) = &mut self.control_loop
        {
            control_loop.send_command(LoopCommand::Stop);
        }
        *status = JobState::Cancelled;
    }
}

/// Tells a job whether its client is still connected.
pub(super) struct CancelFlag<'a>(&'a Mutex<JobState>);

impl CancelFlag<'_> {
    /// Returns whether the client is still connected.
    pub(super) fn is_active(&self) -> bool {
        *lock(self.0) != JobState::Cancelled
    }
}

/// Runs a job at the queue when its turn comes. Its motion is stopped when the client disconnects.
///
/// # Errors
/// When the queue is full or the job failed.
pub(super) async fn run_cancellable<T: Send + 'static>(
    queue: &RequestQueue,
    control_loop: ControlLoopHandle,
    work: impl for<'a> FnOnce(&Worker<'a>) -> T + Send + 'static,
) -> Result<T, JobError> {
    let status = Arc::new(Mutex::new(JobState::Waiting));
    let _asker = CancelOnDrop { state: status.clone(), control_loop: Some(control_loop) };
    let done = queue.run_job(move |worker| unless_cancelled(&status, |_| work(worker)));
    done.await?.ok_or(JobError::Lost)
}

/// Runs a job that needs the workshop and no robot, beside the motions of others.
///
/// # Errors
/// When the queue of rehearsals is full or the job failed.
pub(super) async fn run_rehearsal<T: Send + 'static>(
    queue: &RequestQueue,
    work: impl FnOnce(&Workshop, &CancelFlag<'_>) -> T + Send + 'static,
) -> Result<T, JobError> {
    let status = Arc::new(Mutex::new(JobState::Waiting));
    let _asker = CancelOnDrop { state: status.clone(), control_loop: None };
    let done =
        queue.rehearsals().run(move |workshop| unless_cancelled(&status, |wanted| work(workshop, wanted)));
    done.await?.ok_or(JobError::Lost)
}

/// Runs a job whose turn has come; returns nothing if its client has disconnected.
fn unless_cancelled<T>(status: &Mutex<JobState>, work: impl FnOnce(&CancelFlag<'_>) -> T) -> Option<T> {
    {
        let mut status = lock(status);
        if *status == JobState::Cancelled {
            return None;
        }
        *status = JobState::Running;
    }
    let done = work(&CancelFlag(status));
    let mut status = lock(status);
    if *status == JobState::Running {
        *status = JobState::Finished;
    }
    Some(done)
}
