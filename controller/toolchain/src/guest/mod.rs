//! Guests: caged processes in which tools run. This is the supervisor's side; the cage itself is in
//! `minismith-tool-host`.
//!
//! Reading order: [`Guest`] (what a stage talks to), [`fault`] (how it fails), [`host`] (the warm host that forks
//! guests), [`caged`] (one guest), `channel` (reading with a deadline), `decode` (from bytes
//! to a turn), `window` (where a guest sees pictures), `bar` (which mechanisms a machine may lack), `zygote` (the control socket),
//! [`mod@locate`] (where the host and its Python are).
//!
//! Nothing here trusts a guest: every turn has a deadline, every frame a length, every text a budget, and a guest that
//! breaks the protocol is killed. All of it blocks; run it on a thread of its own.

pub mod bar;
pub mod caged;
mod channel;
mod decode;
pub mod fault;
pub mod host;
mod lazy;
pub mod locate;
mod window;
mod zygote;

pub use caged::{CagedGuest, Killer, Usage};
pub use fault::GuestFault;
pub use host::ToolHost;
pub use lazy::LazyHost;
pub use locate::locate;

use minismith_wire::{Answer, Turn};

/// Somebody who asks cues in strict alternation: one answer in, one turn out.
pub trait Guest {
    /// Gives an answer and waits for the next turn. `raw` is the picture of an [`Answer::Frame`] that has one: it is laid
    /// into the slot that the answer names, or follows it.
    ///
    /// # Errors
    /// A [`GuestFault`]; the guest is dead then.
    fn turn(&mut self, answer: &Answer, raw: Option<&[u8]>) -> Result<Turn, GuestFault>;

    /// Ends it, by force if it does not leave, and says what it used in its whole life; none where nobody counts.
    fn usage(&mut self) -> Option<Usage> {
        None
    }
}
