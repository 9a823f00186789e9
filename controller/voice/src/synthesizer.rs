//! Speech output sentence by sentence ([`SpeechSynthesizer`]): splits incoming text, synthesises each sentence on demand, and can discard
//! everything at once.

mod chimes;
mod sentences;

use std::collections::VecDeque;
use std::time::Duration;

use crate::VoiceError;
use crate::audio::{Clip, decibels, power, samples_in};

pub use chimes::{Chime, chime};
pub use sentences::{SentenceSplitter, sentences};

/// Rate of the speech envelope: one value every 20 ms.
pub const ENVELOPE_HZ: u32 = 50;
/// Maximum number of queued sentences. More would take too long to listen to.
pub const QUEUE_CAPACITY: usize = 64;
/// Levels in dBFS at which head motion begins and reaches its maximum.
const MOTION_MIN_DB: f32 = -45.0;
const MOTION_MAX_DB: f32 = -15.0;

/// Converts a sentence to sound.
pub trait TextToSpeech {
    /// Returns its sample rate in Hz.
    fn rate(&self) -> u32;

    /// Synthesises one sentence.
    ///
    /// # Errors
    /// Returns an error when the voice fails or is not installed.
    fn synthesize(&mut self, sentence: &str) -> Result<Clip, VoiceError>;
}

impl<S: TextToSpeech + ?Sized> TextToSpeech for Box<S> {
    fn rate(&self) -> u32 {
        (**self).rate()
    }

    fn synthesize(&mut self, sentence: &str) -> Result<Clip, VoiceError> {
        (**self).synthesize(sentence)
    }
}

/// A sentence that is ready for playback.
#[derive(Clone, Debug, PartialEq)]
pub struct SpokenSentence {
    /// Its text, empty for a chime.
    pub sentence: String,
    /// Its sound.
    pub clip: Clip,
    /// Strength of the head motion for each 20 ms, 0 to 1.
    pub envelope: Vec<f32>,
}

/// An entry of the queue.
#[derive(Clone, Debug, PartialEq)]
enum Queued {
    Sentence(String),
    Chime(Chime),
}

/// Speech output. It belongs to one thread.
pub struct SpeechSynthesizer<S> {
    speech: S,
    volume: f32,
    splitter: SentenceSplitter,
    queue: VecDeque<Queued>,
    dropped: u64,
}

impl<S: TextToSpeech> SpeechSynthesizer<S> {
    /// Creates an output with this voice at full volume.
    pub fn new(speech: S) -> Self {
        SpeechSynthesizer {
            speech,
            volume: 1.0,
            splitter: SentenceSplitter::default(),
            queue: VecDeque::new(),
            dropped: 0,
        }
    }

    /// Sets the volume from 0 to 1 for the following sentences.
    pub fn set_volume(&mut self, volume: f32) {
        self.volume = if volume.is_finite() { volume.clamp(0.0, 1.0) } else { self.volume };
    }

    /// Queues a whole text.
    pub fn speak(&mut self, text: &str) {
        self.push(text);
        self.finish();
    }

    /// Appends a chunk of a text. A sentence is complete when the next one begins.
    pub fn push(&mut self, piece: &str) {
        for sentence in self.splitter.push(piece) {
            self.enqueue(Queued::Sentence(sentence));
        }
    }

    /// Ends the text. The remainder becomes a sentence.
    pub fn finish(&mut self) {
        for sentence in self.splitter.finish() {
            self.enqueue(Queued::Sentence(sentence));
        }
    }

    /// Queues a chime.
    pub fn chime(&mut self, chime: Chime) {
        self.enqueue(Queued::Chime(chime));
    }

    /// Discards the queue and the unfinished text. The caller silences sentences that it has already taken.
    pub fn cut(&mut self) {
        self.queue.clear();
        self.splitter = SentenceSplitter::default();
    }

    /// Returns whether the queue is empty.
    #[must_use]
    pub fn is_silent(&self) -> bool {
        self.queue.is_empty()
    }

    /// Returns how many sentences were dropped because the queue was full.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Synthesises the next sentence, or returns `None` when the queue is empty.
    ///
    /// # Errors
    /// Returns an error when the voice fails. The next call continues with the next sentence.
    pub fn synthesize_next(&mut self) -> Result<Option<SpokenSentence>, VoiceError> {
        let Some(next) = self.queue.pop_front() else { return Ok(None) };
        let (sentence, mut clip) = match next {
            Queued::Sentence(sentence) => {
                let clip = self.speech.synthesize(&sentence)?;
                (sentence, clip)
            }
            Queued::Chime(kind) => (String::new(), chime(kind, self.speech.rate())),
        };
        let envelope = envelope(&clip);
        clip.scale(self.volume);
        Ok(Some(SpokenSentence { sentence, clip, envelope }))
    }

    fn enqueue(&mut self, next: Queued) {
        if self.queue.len() == QUEUE_CAPACITY {
            self.dropped += 1;
        } else {
            self.queue.push_back(next);
        }
    }
}

/// Returns the envelope of a sound at [`ENVELOPE_HZ`], from 0 to 1, with a fast attack and a slower decay.
#[must_use]
pub fn envelope(clip: &Clip) -> Vec<f32> {
    let step = samples_in(Duration::from_secs(1) / ENVELOPE_HZ, clip.rate).max(1);
    let mut held = 0.0_f32;
    let loudness = |samples: &[f32]| {
        ((decibels(power(samples)) - MOTION_MIN_DB) / (MOTION_MAX_DB - MOTION_MIN_DB)).clamp(0.0, 1.0)
    };
    clip.samples
        .chunks(step)
        .map(|samples| {
            let now = loudness(samples);
            held += (now - held) * if now > held { 0.7 } else { 0.3 };
            held
        })
        .collect()
}
