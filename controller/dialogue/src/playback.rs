//! Plays speech: synthesizes sentences and plays them a little ahead of time, so that a cut takes effect at
//! once.
//!
//! It also reports what is played to the recognizer, and sways the head with it.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use firmware_bridge::clock::{Clock, MonotonicClock, Timestamp};
use minismith_voice::HEARD_RATE;
use minismith_voice::audio::Clip;
use minismith_voice::synthesizer::{Chime, ENVELOPE_HZ, SpeechSynthesizer, SpokenSentence, TextToSpeech};

use super::Event;
use super::head_wobbler::HeadWobbler;
use super::sink::Sink;

/// The length of a chunk for the sink: one value of the envelope.
const CHUNK_TIME: Duration = Duration::from_millis(1000 / ENVELOPE_HZ as u64);

/// The maximum length of sound that waits at the sink. It covers the synthesis of the next sentence, so that
/// no gap occurs.
const BUFFERED_TIME: Duration = Duration::from_millis(300);

/// The remaining playing time below which playback may end before more samples arrive.
const LOW_WATER_TIME: Duration = Duration::from_millis(30);

/// The pause before the next check.
const IDLE_INTERVAL: Duration = Duration::from_millis(5);

/// A command for the playback thread.
pub(super) enum PlaybackCommand {
    /// A text, and the number of this command.
    Say(String, u64),
    Chime(Chime),
    Cut,
}

/// What is played, for the recognizer's echo cancellation.
pub(super) enum Sounding {
    /// Samples of [`HEARD_RATE`] and their sentence. They play from this time on, or directly after the
    /// earlier ones.
    Playing { at: Timestamp, follows: bool, samples: Vec<f32>, sentence: String },
    /// Silence from this time on.
    Silenced(Timestamp),
}

/// The command queue of the playback thread; dropping it ends the thread.
pub(super) struct Playback {
    commands: Option<Sender<PlaybackCommand>>,
    thread: Option<JoinHandle<()>>,
}

impl Playback {
    pub(super) fn start(
        speech: Box<dyn TextToSpeech + Send>,
        volume: f64,
        sink: Box<dyn Sink>,
        sway: Option<HeadWobbler>,
        clock: MonotonicClock,
        ear: Sender<Sounding>,
        dialog: Sender<Event>,
    ) -> std::io::Result<Self> {
        let (orders, inbox) = channel();
        let mut mouth = SpeechSynthesizer::new(speech);
        mouth.set_volume(volume as f32);
        let mut speaking = Speaking { mouth, sink, sway, ear, dialog, clock, said: 0 };
        let thread =
            std::thread::Builder::new().name("playback".into()).spawn(move || speaking.run(&inbox))?;
        Ok(Playback { commands: Some(orders), thread: Some(thread) })
    }

    pub(super) fn report(&self, order: PlaybackCommand) {
        if let Some(orders) = &self.commands {
            // The thread ends only when this value is dropped.
            let _heard = orders.send(order);
        }
    }
}

impl Drop for Playback {
    fn drop(&mut self) {
        self.commands = None;
        if let Some(thread) = self.thread.take() {
            let _panicked = thread.join();
        }
    }
}

struct Speaking {
    mouth: SpeechSynthesizer<Box<dyn TextToSpeech + Send>>,
    sink: Box<dyn Sink>,
    sway: Option<HeadWobbler>,
    ear: Sender<Sounding>,
    dialog: Sender<Event>,
    clock: MonotonicClock,
    /// The number of the last command to speak.
    said: u64,
}

impl Speaking {
    fn run(&mut self, inbox: &Receiver<PlaybackCommand>) {
        while let Ok(order) = inbox.recv() {
            self.take(order);
            while !self.mouth.is_silent() {
                let made = self.mouth.synthesize_next();
                // The synthesis may have taken long, and its result may be cancelled by now.
                let mut is_cut = false;
                while let Ok(order) = inbox.try_recv() {
                    is_cut |= self.take(order);
                }
                match made {
                    Ok(_) if is_cut => {}
                    Ok(Some(said)) => {
                        if !self.play(&said, inbox) {
                            break;
                        }
                    }
                    Ok(None) => break,
                    Err(fault) => self.report(Event::Error(fault.to_string())),
                }
            }
            self.report(Event::AllSaid(self.said));
        }
    }

    fn report(&self, event: Event) {
        // The receiver may have ended.
        let _heard = self.dialog.send(event);
    }

    /// Handles a command, and returns whether it was a cut.
    fn take(&mut self, order: PlaybackCommand) -> bool {
        match order {
            PlaybackCommand::Say(text, number) => {
                self.mouth.speak(&text);
                self.said = number;
            }
            PlaybackCommand::Chime(chime) => self.mouth.chime(chime),
            PlaybackCommand::Cut => {
                self.mouth.cut();
                return true;
            }
        }
        false
    }

    /// Plays a sentence to its end. Returns `false` after a cut.
    fn play(&mut self, said: &SpokenSentence, inbox: &Receiver<PlaybackCommand>) -> bool {
        let Some((clip, heard)) = self.prepared(said) else { return true };
        let after = self.sink.waiting();
        let at = self.clock.now() + after;
        let (follows, sentence) = (after > LOW_WATER_TIME, said.sentence.clone());
        // The recognizer may have ended and then needs no report.
        let _heard = self.ear.send(Sounding::Playing { at, follows, samples: heard, sentence });
        self.report(Event::Speaking { sentence: said.sentence.clone(), lasts: clip.duration() });
        if let Some(sway) = &mut self.sway {
            sway.begin();
        }
        let step = minismith_voice::audio::samples_in(CHUNK_TIME, clip.rate).max(1);
        let mut swayed = 0;
        let pieces = clip.samples.chunks(step);
        let count = pieces.len();
        for (queued, piece) in pieces.enumerate() {
            while self.sink.waiting() > BUFFERED_TIME {
                if self.is_cut(inbox) {
                    return false;
                }
                self.follow(&said.envelope, queued, &mut swayed);
            }
            self.sink.play(piece);
        }
        while self.mouth.is_silent() && !self.sink.waiting().is_zero() {
            if self.is_cut(inbox) {
                return false;
            }
            self.follow(&said.envelope, count, &mut swayed);
        }
        if let Some(sway) = &mut self.sway {
            sway.end();
        }
        true
    }

    /// Moves the head with the part of the queued samples that has sounded by now.
    fn follow(&mut self, envelope: &[f32], queued: usize, swayed: &mut usize) {
        let Some(sway) = &mut self.sway else { return };
        let waiting = self.sink.waiting().as_nanos() / CHUNK_TIME.as_nanos();
        let sounding = queued.saturating_sub(usize::try_from(waiting).unwrap_or(usize::MAX));
        while *swayed < sounding {
            sway.follow(envelope.get(*swayed).copied().unwrap_or_default(), CHUNK_TIME.as_secs_f64());
            *swayed += 1;
        }
    }

    /// Waits a moment, and returns whether a cut came.
    fn is_cut(&mut self, inbox: &Receiver<PlaybackCommand>) -> bool {
        match inbox.recv_timeout(IDLE_INTERVAL) {
            Ok(order) => {
                if !self.take(order) {
                    return false;
                }
                self.sink.cut();
                let _heard = self.ear.send(Sounding::Silenced(self.clock.now()));
                if let Some(sway) = &mut self.sway {
                    sway.end();
                }
                true
            }
            Err(RecvTimeoutError::Timeout) => false,
            // The end of the conversation cuts the present sentence.
            Err(RecvTimeoutError::Disconnected) => {
                self.mouth.cut();
                self.sink.cut();
                true
            }
        }
    }

    /// Returns the sentence at the sink's rate and at the recognizer's.
    fn prepared(&self, said: &SpokenSentence) -> Option<(Clip, Vec<f32>)> {
        let at = |rate| said.clip.resampled(rate);
        match (at(self.sink.rate()), at(HEARD_RATE)) {
            (Ok(clip), Ok(heard)) => Some((clip, heard.samples)),
            (Err(fault), _) | (_, Err(fault)) => {
                self.report(Event::Error(fault.to_string()));
                None
            }
        }
    }
}
