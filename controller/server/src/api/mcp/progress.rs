//! Progress notifications: each step of a call, in order and before the result, for clients that request them.

use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext, RoleServer};

/// Sends progress notifications.
pub(super) struct Progress {
    peer: Peer<RoleServer>,
    token: Option<ProgressToken>,
    steps: u32,
}

impl Progress {
    pub(super) fn of(context: &RequestContext<RoleServer>) -> Self {
        Progress { peer: context.peer.clone(), token: context.meta.get_progress_token(), steps: 0 }
    }

    /// Reports one more step.
    pub(super) async fn report(&mut self, words: &str) {
        self.steps += 1;
        let Some(token) = self.token.clone() else { return };
        let note = ProgressNotificationParam::new(token, f64::from(self.steps)).with_message(words);
        // The client may have disconnected.
        let _heard = self.peer.notify_progress(note).await;
    }
}
