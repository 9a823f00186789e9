//! A conversation by voice over the microphone and speaker of the server itself.
//!
//! Safety: the speaker is not authenticated, so requests have the configured role (`voice.role`).

use std::sync::Arc;

use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::thread::{Talking, begin};
use crate::api::caller::Speaker;
use crate::api::desk::Desk;
use crate::voice::Parts;
use minismith_control::body::Body;
use minismith_runtime::config::Config;
use minismith_runtime::journal::Journal;
use minismith_wire::old_names::http::EventNames;

/// The session that stores the conversation.
const SESSION: &str = "voice";

/// The running conversation, until [`Here::end`].
pub(in crate::api) struct Here {
    here: watch::Sender<()>,
    thread: JoinHandle<()>,
}

/// Starts listening.
pub(in crate::api) fn here(
    body: &Body,
    config: &Config,
    parts: Parts,
    desk: Desk,
    journal: Journal,
) -> std::io::Result<Here> {
    let (here, leaving) = watch::channel(());
    let speaker = Arc::new(Speaker::aloud(config.voice.role, journal));
    let tell = Arc::new(|told: String| tracing::debug!(%told, "by voice"));
    let session = Some(SESSION.into());
    let talking = Talking { desk, speaker, session, names: EventNames::default(), tell, leaving };
    let (_brake, thread) = begin(body, &config.voice, parts, talking)?;
    Ok(Here { here, thread })
}

impl Here {
    /// Ends speech and motion of the conversation and waits until it has ended.
    pub(in crate::api) async fn end(self) {
        drop(self.here);
        // A thread that panicked has ended, too.
        let _panicked = self.thread.await;
    }
}
