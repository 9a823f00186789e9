//! A conversation by voice with whoever is near: the microphone and the speaker are those of the machine itself.
//!
//! Safety: nobody knows who speaks, so things are done for the role that the configuration gives (`voice.role`).

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

/// The session in which what is said here is remembered.
const SESSION: &str = "voice";

/// It goes on until this is ended.
pub(in crate::api) struct Here {
    here: watch::Sender<()>,
    thread: JoinHandle<()>,
}

/// Begins to listen.
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
    let talking = Talking { desk, speaker, session: Some(SESSION.into()), tell, leaving };
    let (_brake, thread) = begin(body, &config.voice, parts, talking)?;
    Ok(Here { here, thread })
}

impl Here {
    /// Ends what is being said, halts what was begun, and waits until that is so.
    pub(in crate::api) async fn end(self) {
        drop(self.here);
        // One that panicked has ended, too.
        let _panicked = self.thread.await;
    }
}
