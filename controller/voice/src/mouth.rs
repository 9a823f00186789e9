//! What the robot says, sentence by sentence: a text that comes in pieces is cut into sentences, each becomes sound as soon as
//! somebody asks for it, and all of it can be cut off at once.

mod chimes;
mod sentences;

use std::collections::VecDeque;
use std::time::Duration;

use crate::VoiceFault;
use crate::audio::{Clip, decibels, power, samples_in};

pub use chimes::{Chime, chime};
pub use sentences::{Cutter, sentences};

/// How often the envelope of speech is told: every 20 ms.
pub const ENVELOPE_HZ: u32 = 50;
/// How many sentences wait at most; more than that nobody wants to hear.
pub const MOST_WAITING: usize = 64;
/// Below this speech is no movement, and above the other all of it, decibels.
const MOVES_FROM: f32 = -45.0;
const MOVES_TO: f32 = -15.0;

/// What makes speech of a sentence.
pub trait Speech {
    /// The rate of its speech, samples a second.
    fn rate(&self) -> u32;

    /// The sound of one sentence.
    ///
    /// # Errors
    /// When the voice fails, or what it needs is not installed.
    fn say(&mut self, sentence: &str) -> Result<Clip, VoiceFault>;
}

impl<S: Speech + ?Sized> Speech for Box<S> {
    fn rate(&self) -> u32 {
        (**self).rate()
    }

    fn say(&mut self, sentence: &str) -> Result<Clip, VoiceFault> {
        (**self).say(sentence)
    }
}

/// One sentence, ready to be played.
#[derive(Clone, Debug, PartialEq)]
pub struct Said {
    /// Its words; none of a chime.
    pub sentence: String,
    /// Its sound.
    pub clip: Clip,
    /// How much of the head's sway each 20 ms of it is worth, from 0 to 1.
    pub envelope: Vec<f32>,
}

/// What waits to be said.
#[derive(Clone, Debug, PartialEq)]
enum Waiting {
    Sentence(String),
    Chime(Chime),
}

/// The mouth; for one thread.
pub struct Mouth<S> {
    speech: S,
    volume: f32,
    cutter: Cutter,
    waiting: VecDeque<Waiting>,
    dropped: u64,
}

impl<S: Speech> Mouth<S> {
    /// A mouth with this voice, at full volume.
    pub fn new(speech: S) -> Self {
        Mouth { speech, volume: 1.0, cutter: Cutter::default(), waiting: VecDeque::new(), dropped: 0 }
    }

    /// Sets the volume, from 0 to 1, for what is said from now on.
    pub fn set_volume(&mut self, volume: f32) {
        self.volume = if volume.is_finite() { volume.clamp(0.0, 1.0) } else { self.volume };
    }

    /// Takes a whole text.
    pub fn say(&mut self, text: &str) {
        self.push(text);
        self.finish();
    }

    /// Takes a piece of a text that goes on; a sentence is ready when the next one begins.
    pub fn push(&mut self, piece: &str) {
        for sentence in self.cutter.push(piece) {
            self.enqueue(Waiting::Sentence(sentence));
        }
    }

    /// The text is over: what is left of it is a sentence.
    pub fn finish(&mut self) {
        for sentence in self.cutter.finish() {
            self.enqueue(Waiting::Sentence(sentence));
        }
    }

    /// A sound that says something without words.
    pub fn chime(&mut self, chime: Chime) {
        self.enqueue(Waiting::Chime(chime));
    }

    /// Forgets all that is still to be said, also the text that goes on. What was handed out already is silenced by whoever
    /// plays it.
    pub fn cut(&mut self) {
        self.waiting.clear();
        self.cutter = Cutter::default();
    }

    /// Whether there is anything left to say.
    #[must_use]
    pub fn is_silent(&self) -> bool {
        self.waiting.is_empty()
    }

    /// How many sentences found no room.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Makes the next sentence sound; nothing when there is none.
    ///
    /// # Errors
    /// When the voice fails on it; the next one can be asked for all the same.
    pub fn speak(&mut self) -> Result<Option<Said>, VoiceFault> {
        let Some(next) = self.waiting.pop_front() else { return Ok(None) };
        let (sentence, mut clip) = match next {
            Waiting::Sentence(sentence) => {
                let clip = self.speech.say(&sentence)?;
                (sentence, clip)
            }
            Waiting::Chime(kind) => (String::new(), chime(kind, self.speech.rate())),
        };
        let envelope = envelope(&clip);
        clip.scale(self.volume);
        Ok(Some(Said { sentence, clip, envelope }))
    }

    fn enqueue(&mut self, next: Waiting) {
        if self.waiting.len() == MOST_WAITING {
            self.dropped += 1;
        } else {
            self.waiting.push_back(next);
        }
    }
}

/// The envelope of a sound at [`ENVELOPE_HZ`], from 0 to 1: quick to rise, slower to fall.
#[must_use]
pub fn envelope(clip: &Clip) -> Vec<f32> {
    let step = samples_in(Duration::from_secs(1) / ENVELOPE_HZ, clip.rate).max(1);
    let mut held = 0.0_f32;
    let loudness =
        |samples: &[f32]| ((decibels(power(samples)) - MOVES_FROM) / (MOVES_TO - MOVES_FROM)).clamp(0.0, 1.0);
    clip.samples
        .chunks(step)
        .map(|samples| {
            let now = loudness(samples);
            held += (now - held) * if now > held { 0.7 } else { 0.3 };
            held
        })
        .collect()
}
