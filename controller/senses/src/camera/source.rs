//! A device, a file or a connection that gives one picture after another, and what can be wrong with it.

use std::time::Duration;

use firmware_bridge::camera::Lens;

use crate::frame::Image;

/// The largest picture that a source takes, bytes.
pub const LARGEST: usize = 16 << 20;

/// Why a source gives no pictures, and what to do about it. Both texts are for a person.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}; {remedy}")]
pub struct Trouble {
    /// What is wrong.
    pub reason: String,
    /// What to do.
    pub remedy: String,
}

impl Trouble {
    /// What is wrong, and what to do.
    #[must_use]
    pub fn new(reason: impl Into<String>, remedy: impl Into<String>) -> Self {
        Trouble { reason: reason.into(), remedy: remedy.into() }
    }
}

/// Gives one picture after another. It is used by one thread, which waits for it.
pub trait Source: Send {
    /// Its name, for people.
    fn name(&self) -> String;

    /// What was chosen of what it can do, for people; none while it is closed.
    fn format(&self) -> Option<String> {
        None
    }

    /// Its lens, for the size that was chosen; none where it does not know.
    fn lens(&self) -> Option<Lens> {
        None
    }

    /// How many pictures came that were none and were passed over.
    fn skipped(&self) -> u64 {
        0
    }

    /// Gets it ready. What was open before is closed.
    ///
    /// # Errors
    /// When it can't be used now; it may be tried again.
    fn open(&mut self) -> Result<(), Trouble>;

    /// Its newest picture; none when `wait` has passed without one. It does not wait much longer than that.
    ///
    /// # Errors
    /// When it has to be closed and opened again.
    fn next(&mut self, wait: Duration) -> Result<Option<Image>, Trouble>;

    /// Lets go of what it holds. Closing what is closed does nothing.
    fn close(&mut self);
}
