//! Runs a job that is cancelled when its client disconnects. A queued job is dropped; a running motion is stopped.
//!
//! ```text
//! waiting --its turn--> running --> over
//!    |                     |
//!    '---- disconnect -----'--> gone   (a running motion is stopped)
//! ```

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use firmware_bridge::pulse::{Conductor, Order, PulseHandle};

use super::desk::{Clerk, Desk, NoWork};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stadium {
    Waiting,
    Running,
    Over,
    Gone,
}

/// Dropped with the request: at its end, or when the client disconnects.
struct Asker {
    stadium: Arc<Mutex<Stadium>>,
    /// The control loop to stop then; `None` for jobs without motion.
    pulse: Option<PulseHandle>,
}

fn lock(stadium: &Mutex<Stadium>) -> MutexGuard<'_, Stadium> {
    stadium.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for Asker {
    fn drop(&mut self) {
        let mut stadium = lock(&self.stadium);
        // Under the lock, so that the next job is not stopped for this one.
        if *stadium == Stadium::Running
            && let Some(pulse) = &mut self.pulse
        {
            pulse.order(Order::Halt);
        }
        *stadium = Stadium::Gone;
    }
}

/// Tells a job whether its client is still connected.
pub(super) struct Wanted<'a>(&'a Mutex<Stadium>);

impl Wanted<'_> {
    /// Returns whether the client is still connected.
    pub(super) fn is_wanted(&self) -> bool {
        *lock(self.0) != Stadium::Gone
    }
}

/// Runs a job at the desk when its turn comes. A motion of the job is stopped when the client disconnects.
///
/// # Errors
/// When the queue is full or the job failed.
pub(super) async fn errand<T: Send + 'static>(
    desk: &Desk,
    pulse: Option<PulseHandle>,
    work: impl for<'a> FnOnce(&Clerk<'a>, &Wanted<'_>) -> T + Send + 'static,
) -> Result<T, NoWork> {
    let stadium = Arc::new(Mutex::new(Stadium::Waiting));
    let _asker = Asker { stadium: stadium.clone(), pulse };
    let done = desk.work(move |clerk| {
        {
            let mut stadium = lock(&stadium);
            if *stadium == Stadium::Gone {
                return None;
            }
            *stadium = Stadium::Running;
        }
        let done = work(clerk, &Wanted(&stadium));
        let mut stadium = lock(&stadium);
        if *stadium == Stadium::Running {
            *stadium = Stadium::Over;
        }
        Some(done)
    });
    done.await?.ok_or(NoWork::Lost)
}
