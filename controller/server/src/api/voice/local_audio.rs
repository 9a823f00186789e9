//! A conversation by voice over the microphone and speaker of the server itself.
//!
//! Safety: the speaker is not authenticated, so requests have the configured role (`voice.role`).

use std::sync::Arc;

use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::thread::{VoiceWorker, begin};
use crate::api::caller::MessageAuthor;
use crate::api::request_queue::RequestQueue;
use minismith_assistant::second_reader;
use minismith_control::robot::RobotRuntime;
use minismith_dialogue::Parts;
use minismith_protocol::old_names::http::EventNames;
use minismith_runtime::config::Config;
use minismith_runtime::journal::Journal;

/// The session that stores the conversation.
const SESSION: &str = "voice";

/// The running conversation, until [`LocalAudio::end`].
pub(in crate::api) struct LocalAudio {
    here: watch::Sender<()>,
    thread: JoinHandle<()>,
}

/// Starts listening.
pub(in crate::api) fn here(
    body: &RobotRuntime,
    config: &Config,
    parts: Parts,
    queue: RequestQueue,
    journal: Journal,
) -> std::io::Result<LocalAudio> {
    second_reader::prepare(config);
    let (here, leaving) = watch::channel(());
    let speaker = Arc::new(MessageAuthor::from_microphone(config.voice.role, journal));
    let report = Arc::new(|reported: String| tracing::debug!(told = %reported, "by voice"));
    let session = Some(SESSION.into());
    let talking = VoiceWorker { queue, speaker, session, names: EventNames::default(), report, leaving };
    let (_brake, thread) = begin(body, &config.voice, parts, talking)?;
    Ok(LocalAudio { here, thread })
}

impl LocalAudio {
    /// Ends speech and motion of the conversation and waits until it has ended.
    pub(in crate::api) async fn end(self) {
        drop(self.here);
        // A thread that panicked has ended, too.
        let _panicked = self.thread.await;
    }
}
