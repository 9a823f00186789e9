//! Guests: sandboxed processes that run tools. This is the supervisor's side. The sandbox itself is in
//! `minismith-tool-host`.
//!
//! Reading order:
//!
//! - [`Guest`]: the interface that a run talks to
//! - [`fault`]: how a guest fails
//! - [`host`]: the warm host that forks guests
//! - [`sandboxed`]: one guest
//! - `channel`: reads and writes with a deadline
//! - `decode`: turns bytes into a turn
//! - `shared_frames`: the shared memory for images
//! - `requirements`: the sandbox mechanisms that a machine may lack
//! - `zygote`: the control socket
//! - [`mod@locate`]: the paths of the host and its Python
//!
//! Nothing here trusts a guest. Every turn has a deadline, every frame a maximum length, and all output a budget. A
//! guest that breaks the protocol is killed. All of it blocks, so run it on a thread of its own.

mod channel;
mod decode;
pub mod fault;
pub mod host;
mod lazy;
pub mod locate;
pub mod requirements;
pub mod sandboxed;
mod shared_frames;
mod zygote;

pub use fault::GuestError;
pub use host::ToolHost;
pub use lazy::LazyHost;
pub use locate::{locate, locate_code, locate_program};
pub use sandboxed::{KillHandle, SandboxedGuest, Usage};

use minismith_protocol::{GuestMessage, HostReply};

/// A peer that sends host calls in strict alternation: one answer in, one turn out.
pub trait Guest {
    /// Sends an answer and waits for the next turn. `raw` is the image of an [`HostReply::Frame`], if it has one. It is
    /// written into the slot that the answer names, or sent after the answer.
    ///
    /// # Errors
    /// Returns a [`GuestError`]. The guest is then dead.
    fn turn(&mut self, answer: &HostReply, raw: Option<&[u8]>) -> Result<GuestMessage, GuestError>;

    /// Ends the guest, by force if it does not exit, and returns its total resource usage. `None` if usage is not measured.
    fn usage(&mut self) -> Option<Usage> {
        None
    }
}
