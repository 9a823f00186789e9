//! Sends utterances to a transcription service on its own thread.
//!
//! The recognizer goes on meanwhile, so that a stop takes effect while a slow service is busy. When the
//! service fails, this computer's transcript counts.

use std::sync::mpsc::{Receiver, Sender, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;

use firmware_bridge::control_loop::{ControlLoopHandle, LoopClient, LoopCommand};
use minismith_voice::commands::stop_word;
use minismith_voice::recognizer::RecognizerEvent;
use minismith_voice::transcriber::{Transcriber, Transcript};

use super::{Event, Utterance};

/// The maximum number of waiting utterances. For any more, this computer's transcript counts.
const QUEUE_CAPACITY: usize = 4;

/// An utterance to transcribe again.
pub(super) struct Sentence {
    /// Its samples, of [`minismith_voice::HEARD_RATE`].
    pub(super) samples: Vec<f32>,
    /// This computer's transcript.
    pub(super) heard: Utterance,
}

/// The input of the service's thread. Dropping it waits for the utterances in progress.
pub(super) struct RemoteTranscriber {
    inbox: Option<SyncSender<Box<Sentence>>>,
    thread: Option<JoinHandle<()>>,
}

impl RemoteTranscriber {
    pub(super) fn start(
        service: Box<dyn Transcriber + Send>,
        stop_words: Vec<String>,
        control_loop: ControlLoopHandle,
        dialog: Sender<Event>,
    ) -> std::io::Result<Self> {
        let (inbox, sentences) = sync_channel(QUEUE_CAPACITY);
        let stopping = StopListener { stop_words, control_loop, dialog };
        let mut writing = Writing { service, stop_listener: stopping, is_reported: false };
        let thread =
            std::thread::Builder::new().name("scribe".into()).spawn(move || writing.run(&sentences))?;
        Ok(RemoteTranscriber { inbox: Some(inbox), thread: Some(thread) })
    }

    /// Adds an utterance to the queue. Returns it when the queue is full.
    pub(super) fn take(&self, sentence: Box<Sentence>) -> Result<(), Box<Sentence>> {
        match &self.inbox {
            Some(inbox) => inbox.try_send(sentence).map_err(|full| match full {
                TrySendError::Full(sentence) | TrySendError::Disconnected(sentence) => sentence,
            }),
            None => Err(sentence),
        }
    }
}

impl Drop for RemoteTranscriber {
    fn drop(&mut self) {
        self.inbox = None;
        if let Some(thread) = self.thread.take() {
            let _panicked = thread.join();
        }
    }
}

struct Writing {
    service: Box<dyn Transcriber + Send>,
    stop_listener: StopListener,
    /// Whether the failure was reported. It is not reported again for each utterance.
    is_reported: bool,
}

impl Writing {
    fn run(&mut self, sentences: &Receiver<Box<Sentence>>) {
        while let Ok(sentence) = sentences.recv() {
            let Sentence { samples, mut heard } = *sentence;
            let Writing { service, stop_listener: stopping, .. } = self;
            let written = service.transcribe_with_partials(&samples, &mut |so_far| {
                let Transcript { text, confidence, .. } = so_far.clone();
                stopping.report(Event::Heard(RecognizerEvent::Partial { text, confidence, at: heard.ended }));
                stopping.look_for_stop(so_far, false, &mut heard);
            });
            match written {
                Ok(transcript) => {
                    self.is_reported = false;
                    // An empty transcript means that the service recognised no words.
                    if !transcript.text.is_empty() {
                        stopping.look_for_stop(&transcript, true, &mut heard);
                        heard.transcript = transcript;
                        heard.command = None;
                    }
                }
                Err(fault) if !self.is_reported => {
                    self.is_reported = true;
                    let text = format!("{fault}; until it answers again, this computer transcribes");
                    stopping.report(Event::Error(text));
                }
                Err(_) => {}
            }
            stopping.report(Event::Uttered(heard));
        }
    }
}

/// Receives partial transcripts, and stops the robot.
struct StopListener {
    stop_words: Vec<String>,
    control_loop: ControlLoopHandle,
    dialog: Sender<Event>,
}

impl StopListener {
    /// Stops the robot for a stop word that only the service recognised, as soon as it arrives. The last word
    /// counts only in a complete transcript, since it may be the beginning of another one.
    fn look_for_stop(&mut self, said: &Transcript, is_whole: bool, heard: &mut Utterance) {
        let (but_the_last, _) = said.text.rsplit_once(' ').unwrap_or_default();
        let spotted = if is_whole {
            stop_word(&said.text, &self.stop_words)
        } else {
            stop_word(but_the_last, &self.stop_words).filter(|spotted| spotted.after > 0)
        };
        if let Some(spotted) = spotted.filter(|_| !heard.is_stopped) {
            self.control_loop.send_command(LoopCommand::Stop);
            heard.is_stopped = true;
            let (word, ended) = (spotted.word, heard.ended);
            self.report(Event::Heard(RecognizerEvent::StopWord { word, ended, at: ended }));
        }
    }

    fn report(&self, event: Event) {
        // The receiving thread may have ended.
        let _heard = self.dialog.send(event);
    }
}
