//! A service that writes down what was said, on a thread of its own: the ear goes on meanwhile, so that a stop is heard while a
//! slow service is waited for. Where the service fails, what this machine understood counts.

use std::sync::mpsc::{Receiver, Sender, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;

use minismith_voice::transcriber::Transcriber;

use super::Event;

/// How many sentences may wait for it; what comes then is taken as this machine understood it.
const WAITING: usize = 4;

/// What is written down once more.
pub(super) struct Sentence {
    /// Its samples, of [`minismith_voice::HEARD_RATE`].
    pub(super) samples: Vec<f32>,
    /// What this machine understood.
    pub(super) heard: super::Utterance,
}

/// Where sentences are handed in; dropping it waits for those under way.
pub(super) struct Scribe {
    inbox: Option<SyncSender<Box<Sentence>>>,
    thread: Option<JoinHandle<()>>,
}

impl Scribe {
    pub(super) fn start(service: Box<dyn Transcriber + Send>, desk: Sender<Event>) -> std::io::Result<Self> {
        let (inbox, sentences) = sync_channel(WAITING);
        let thread = std::thread::Builder::new()
            .name("scribe".into())
            .spawn(move || write(service, &sentences, &desk))?;
        Ok(Scribe { inbox: Some(inbox), thread: Some(thread) })
    }

    /// Hands in a sentence; it is given back where too many wait.
    pub(super) fn take(&self, sentence: Box<Sentence>) -> Result<(), Box<Sentence>> {
        match &self.inbox {
            Some(inbox) => inbox.try_send(sentence).map_err(|full| match full {
                TrySendError::Full(sentence) | TrySendError::Disconnected(sentence) => sentence,
            }),
            None => Err(sentence),
        }
    }
}

impl Drop for Scribe {
    fn drop(&mut self) {
        self.inbox = None;
        if let Some(thread) = self.thread.take() {
            let _panicked = thread.join();
        }
    }
}

fn write(
    mut service: Box<dyn Transcriber + Send>,
    sentences: &Receiver<Box<Sentence>>,
    desk: &Sender<Event>,
) {
    // Who is told once that it fails is not told again for each sentence.
    let mut is_told = false;
    while let Ok(sentence) = sentences.recv() {
        let Sentence { samples, mut heard } = *sentence;
        match service.transcribe(&samples) {
            Ok(transcript) => {
                is_told = false;
                // What it finds no words in was none to it.
                if !transcript.text.is_empty() {
                    heard.transcript = transcript;
                    heard.command = None;
                }
            }
            Err(fault) if !is_told => {
                is_told = true;
                let text = format!("{fault}; until it answers again, this machine understands by itself");
                let _heard = desk.send(Event::Trouble(text));
            }
            Err(_) => {}
        }
        // Whoever decides may have gone.
        let _heard = desk.send(Event::Uttered(heard));
    }
}
