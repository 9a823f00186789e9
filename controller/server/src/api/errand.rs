//! Work at the desk for somebody who may go away meanwhile: what has not begun then is not begun any more.
//!
//! ```text
//! waiting --its turn--> running --> over
//!    |                     |
//!    '------ he goes ------'--> gone   (what moves is halted, if it runs)
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

/// Dropped with the request: at its end, or when whoever asked goes away.
struct Asker {
    stadium: Arc<Mutex<Stadium>>,
    /// What is halted then; none where nothing moves.
    pulse: Option<PulseHandle>,
}

fn lock(stadium: &Mutex<Stadium>) -> MutexGuard<'_, Stadium> {
    stadium.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for Asker {
    fn drop(&mut self) {
        let mut stadium = lock(&self.stadium);
        // Under the lock: what comes after the work is not halted for it.
        if *stadium == Stadium::Running
            && let Some(pulse) = &mut self.pulse
        {
            pulse.order(Order::Halt);
        }
        *stadium = Stadium::Gone;
    }
}

/// Whether somebody still wants it.
pub(super) struct Wanted<'a>(&'a Mutex<Stadium>);

impl Wanted<'_> {
    /// Whether whoever asked is still there.
    pub(super) fn is_wanted(&self) -> bool {
        *lock(self.0) != Stadium::Gone
    }
}

/// Has something done at the desk when it is its turn; what moves by it is halted when whoever asked goes away.
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
