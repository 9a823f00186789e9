//! [`Sessions`]: the sessions of MCP clients. Their number is bounded, and one that is idle ends.
//!
//! A client that has lost its session gets status 404 and begins a new one, as the protocol demands. When all places are
//! taken, a new session takes that of the one that was not used for the longest time: clients come and go without a word,
//! and one that opens many sessions must not lock out the others for minutes.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures_util::Stream;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::session::{ServerSseMessage, SessionId, SessionManager};

/// Maximum number of open sessions.
pub(super) const MAX_SESSIONS: usize = 64;

/// The open sessions.
pub(super) struct Sessions {
    open: LocalSessionManager,
    used: Mutex<Usage>,
}

/// The order in which the sessions were used last.
#[derive(Default)]
struct Usage {
    now: u64,
    last: HashMap<SessionId, u64>,
}

impl Usage {
    fn note(&mut self, id: &SessionId) {
        self.now += 1;
        self.last.insert(id.clone(), self.now);
    }

    /// Returns the session that was not used for the longest time, if there is no place for another one.
    fn crowded_out(&self) -> Option<SessionId> {
        let oldest = self.last.iter().min_by_key(|(_, at)| **at).map(|(id, _)| id.clone());
        oldest.filter(|_| self.last.len() >= MAX_SESSIONS)
    }
}

impl Sessions {
    /// Sessions that end when they are idle for this long.
    pub(super) fn ending_after(idle: Duration) -> Self {
        let mut open = LocalSessionManager::default();
        open.session_config.keep_alive = Some(idle);
        Sessions { open, used: Mutex::default() }
    }

    fn usage(&self) -> std::sync::MutexGuard<'_, Usage> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that a session is used. One that has ended is not noted again.
    fn touch(&self, id: &SessionId) {
        let mut usage = self.usage();
        if usage.last.contains_key(id) {
            usage.note(id);
        }
    }
}

type Inner = LocalSessionManager;

impl SessionManager for Sessions {
    type Error = <Inner as SessionManager>::Error;
    type Transport = <Inner as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Self::Error> {
        let (id, transport) = self.open.create_session().await?;
        let oldest = {
            let mut usage = self.usage();
            let oldest = usage.crowded_out();
            if let Some(oldest) = &oldest {
                usage.last.remove(oldest);
            }
            usage.note(&id);
            oldest
        };
        if let Some(oldest) = oldest {
            tracing::info!(
                "an MCP session ends: {MAX_SESSIONS} are open, and it was idle for the longest time"
            );
            self.open.close_session(&oldest).await?;
        }
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        self.open.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        self.touch(id);
        self.open.has_session(id).await
    }

    /// Also called for a session that has ended on its own.
    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        self.usage().last.remove(id);
        self.open.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.open.create_stream(id, message).await
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<(), Self::Error> {
        self.open.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.open.create_standalone_stream(id).await
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.open.resume(id, last_event_id).await
    }
}
