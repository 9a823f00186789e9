//! What a client hears of a call while it goes on, where it wants to hear of it: each step, in order and before the result.

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext, RoleServer};

/// Tells the client of steps.
pub(super) struct Progress {
    peer: Peer<RoleServer>,
    token: Option<ProgressToken>,
    steps: u32,
}

impl Progress {
    pub(super) fn of(context: &RequestContext<RoleServer>) -> Self {
        Progress { peer: context.peer.clone(), token: context.meta.get_progress_token(), steps: 0 }
    }

    /// One more step is done.
    pub(super) async fn tell(&mut self, words: &str) {
        self.steps += 1;
        let Some(token) = self.token.clone() else { return };
        let note = ProgressNotificationParam::new(token, f64::from(self.steps)).with_message(words);
        // Whoever asked may have gone.
        let _heard = self.peer.notify_progress(note).await;
    }
}
