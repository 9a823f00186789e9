//! From samples to what was said, as a machine over the time of the sound: frames go in with the time of their first sample,
//! and out comes what they changed. It has no thread and no clock, and what it remembers is bounded.
//!
//! While the robot speaks, the ear is told what is played ([`Ear::playing`]). The echo is taken out of each frame
//! ([`crate::echo`]), and somebody is taken to speak over the robot only when what is left is speech, is loud beside the echo,
//! and stays so; what is then understood and is what the robot says is dropped. Until the echo is known, and where barging in
//! is switched off, the ear is deaf while the robot speaks.

mod played;

use std::collections::VecDeque;
use std::time::Duration;

use crate::HEARD_RATE;
use crate::audio::{level, samples_in, sane, time_of};
use crate::commands::stop_word;
use crate::echo::Canceller;
use crate::echo::shift::{Found, Shift};
use crate::endpoint::{Edge, Endpointer, Endpoints};
use crate::transcriber::{Transcriber, Transcript};
use crate::vad::{FRAME, SpeechDetector};

use played::Played;

/// How the ear listens.
#[derive(Clone, Debug, PartialEq)]
pub struct Listening {
    /// When speech begins and ends.
    pub endpoints: Endpoints,
    /// Whether people are heard while the robot speaks.
    pub barge_in: bool,
    /// How often what was said so far is looked at while somebody speaks.
    pub partial_every: Duration,
    /// How much of what was said last is looked at then.
    pub partial_window: Duration,
    /// Words in small letters that stop the robot besides those that always do, wherever they stand.
    pub stop_words: Vec<String>,
}

impl Default for Listening {
    fn default() -> Self {
        Listening {
            endpoints: Endpoints::default(),
            barge_in: true,
            partial_every: Duration::from_millis(480),
            partial_window: Duration::from_secs(6),
            stop_words: Vec::new(),
        }
    }
}

/// What was heard.
#[derive(Clone, Debug, PartialEq)]
pub enum Heard {
    /// Somebody begins to speak.
    Began {
        /// When.
        at: Duration,
        /// Whether the robot speaks meanwhile.
        over_mouth: bool,
    },
    /// What was said so far, or the end of it when that is long; it may still change.
    Partial {
        /// The words.
        text: String,
        /// How sure they are, from 0 to 1.
        confidence: f32,
        /// Up to when.
        at: Duration,
    },
    /// A word that stops the robot, at once and once for each time that somebody speaks.
    StopWord {
        /// The word.
        word: String,
        /// When the word ended, as near as that is known: never later than `at`.
        ended: Duration,
        /// The time of the sound at which it was known.
        at: Duration,
    },
    /// All that somebody said, after they had ended.
    Utterance {
        /// The words.
        text: String,
        /// How sure they are, from 0 to 1.
        confidence: f32,
        /// When it began.
        began: Duration,
        /// When it ended.
        ended: Duration,
        /// Whether it began while the robot spoke.
        over_mouth: bool,
    },
    /// Somebody seemed to speak, but there were no words, or they were the robot's own.
    Nothing {
        /// When it began.
        began: Duration,
        /// When it ended.
        ended: Duration,
    },
    /// The samples stopped for a while and go on at another time; what was not over is lost.
    Gap {
        /// When they go on.
        at: Duration,
    },
    /// A model failed; the text is for a person. The ear goes on.
    Failed(String),
}

/// How much of what came before is taken along when somebody begins to speak.
const BEFORE: usize = HEARD_RATE as usize * 4 / 10;
/// How much later or earlier than expected samples may come without being a gap.
const SLACK: Duration = Duration::from_millis(250);
/// After how many frames of a pause a word may have ended, so that it is worth a look: at once, and again when it surely has.
const WORD_PAUSES: [u32; 2] = [2, 5];
/// How many frames somebody has to speak over the robot before those that count.
const OVER_MOUTH: u32 = 2;
/// How much louder than what is usually left of the echo somebody has to speak over it, decibels.
const ABOVE_REST: f32 = 8.0;
/// What is left of an echo is not taken to be softer than it by more than this, decibels.
const BEST_REST: f32 = -20.0;
/// How much of the pause behind what was said is looked at with it.
const AFTER_WORDS: Duration = Duration::from_millis(200);

/// The ear; for one thread.
pub struct Ear<D, T> {
    detector: D,
    transcriber: T,
    listening: Listening,
    endpointer: Endpointer,
    canceller: Canceller,
    played: Played,
    /// Samples that are no whole frame yet, and the time of the first of them.
    waiting: Vec<f32>,
    at: Option<Duration>,
    /// What was heard of late, while nobody speaks.
    before: VecDeque<f32>,
    speech: Option<Speech>,
    /// The samples of the last utterance.
    last: Vec<f32>,
    over_mouth: u32,
    /// How much louder what is left of the echo usually is than the echo, decibels: less than nothing.
    rest: f32,
    /// Playing began anew, and it is being found out when to the sample.
    unsure: Option<Unsure>,
    shift: Shift,
}

/// The time of what is played is not known to the sample.
struct Unsure {
    since: Duration,
    /// What was usually left of the echo before.
    rest: f32,
}

/// What somebody is saying.
#[derive(Debug)]
struct Speech {
    samples: Vec<f32>,
    /// The time behind the last sample.
    end: Duration,
    looked_at: Duration,
    pause: u32,
    over_mouth: bool,
    stopped: bool,
}

impl<D: SpeechDetector, T: Transcriber> Ear<D, T> {
    /// An ear with these models.
    pub fn new(detector: D, transcriber: T, listening: Listening) -> Self {
        Ear {
            detector,
            transcriber,
            endpointer: Endpointer::new(listening.endpoints),
            listening,
            canceller: Canceller::new(),
            played: Played::default(),
            waiting: Vec::with_capacity(FRAME),
            at: None,
            before: VecDeque::with_capacity(BEFORE + FRAME),
            speech: None,
            last: Vec::new(),
            over_mouth: 0,
            rest: 0.0,
            unsure: None,
            shift: Shift::default(),
        }
    }

    /// From then on the robot plays these samples of [`HEARD_RATE`], in which it says this; a sound without words has none.
    /// Without a time they follow what was played before to the sample. Otherwise nobody knows the time as exactly, so it is
    /// found out from what is heard; until then as much of the echo may be left as there is.
    pub fn playing(&mut self, at: Option<Duration>, samples: &[f32], sentence: &str) {
        if let Some(at) = at {
            let rest = self.unsure.as_ref().map_or(self.rest, |unsure| unsure.rest);
            self.unsure = Some(Unsure { since: at, rest });
            self.shift.begin_anew();
            self.rest = 0.0;
            self.played.add(at, samples, sentence);
        } else {
            self.played.add(self.played.end(), samples, sentence);
        }
    }

    /// From then on the robot plays nothing more.
    pub fn silenced(&mut self, at: Duration) {
        self.played.cut(at);
    }

    /// How many samples are remembered, for trials of what is bounded.
    #[must_use]
    pub fn remembered(&self) -> usize {
        let speech = self.speech.as_ref().map_or(0, |speech| speech.samples.capacity());
        self.played.remembered()
            + self.waiting.capacity()
            + self.before.capacity()
            + self.last.capacity()
            + speech
    }

    /// Whether somebody is speaking.
    #[must_use]
    pub fn is_spoken_to(&self) -> bool {
        self.speech.is_some()
    }

    /// Lets whoever understands speech look at the samples of the last utterance again, such as to choose among commands.
    pub fn again<R>(&mut self, look: impl FnOnce(&mut T, &[f32]) -> R) -> R {
        look(&mut self.transcriber, &self.last)
    }

    /// Takes samples of [`HEARD_RATE`]; the first of them was heard at `at`.
    pub fn hear(&mut self, at: Duration, samples: &[f32]) -> Vec<Heard> {
        let mut heard = Vec::new();
        if let Some(known) = self.at {
            let expected = known + time_of(self.waiting.len() as u64, HEARD_RATE);
            if expected.abs_diff(at) > SLACK {
                self.forget();
                heard.push(Heard::Gap { at });
            }
        }
        for &sample in samples {
            if self.waiting.is_empty() && self.at.is_none() {
                self.at = Some(at);
            }
            self.waiting.push(sane(sample));
            if self.waiting.len() == FRAME {
                let began = self.at.unwrap_or(at);
                let frame = std::mem::replace(&mut self.waiting, Vec::with_capacity(FRAME));
                self.frame(began, &frame, &mut heard);
                self.at = Some(began + time_of(FRAME as u64, HEARD_RATE));
            }
        }
        heard
    }

    /// Nothing more comes: what somebody was saying is over.
    pub fn finish(&mut self) -> Vec<Heard> {
        let mut heard = Vec::new();
        if let (Some(began), Some(ended)) = (self.endpointer.began(), self.endpointer.last()) {
            self.ended(began, ended, &mut heard);
        }
        self.forget();
        heard
    }

    fn forget(&mut self) {
        self.waiting.clear();
        self.at = None;
        self.before.clear();
        self.speech = None;
        self.over_mouth = 0;
        self.endpointer.reset();
        self.detector.reset();
    }

    fn frame(&mut self, at: Duration, frame: &[f32], heard: &mut Vec<Heard>) {
        let played = self.played.take(at, FRAME);
        let is_unsure =
            self.canceller.is_learned() && self.unsure.as_ref().is_some_and(|unsure| at >= unsure.since);
        let cleaned = self.canceller.clean(frame, &played, !is_unsure);
        let end = at + time_of(FRAME as u64, HEARD_RATE);
        if is_unsure {
            self.find_shift(end, frame, &cleaned.foreseen);
        }
        let loud = level(&cleaned.samples);
        let probability = match self.detector.probability(&cleaned.samples) {
            Ok(probability) => probability,
            Err(fault) => {
                heard.push(Heard::Failed(fault.to_string()));
                0.0
            }
        };
        // Between two sentences it may go on at any moment.
        let is_deaf = !self.listening.barge_in && self.played.end() > at;
        let probability = self.credible(probability, loud, cleaned.echo, cleaned.is_played || is_deaf);
        let edge = self.endpointer.hear(at, probability, loud);
        match &mut self.speech {
            Some(speech) => {
                speech.samples.extend_from_slice(&cleaned.samples);
                speech.end = end;
                speech.pause =
                    if probability < self.listening.endpoints.release { speech.pause + 1 } else { 0 };
            }
            None => {
                self.before.extend(&cleaned.samples);
                let too_many = self.before.len().saturating_sub(BEFORE);
                self.before.drain(..too_many);
            }
        }
        match edge {
            Some(Edge::Began { at }) => {
                self.speech = Some(Speech {
                    samples: self.before.drain(..).collect(),
                    end,
                    looked_at: end,
                    pause: 0,
                    over_mouth: cleaned.is_played,
                    stopped: false,
                });
                heard.push(Heard::Began { at, over_mouth: cleaned.is_played });
            }
            Some(Edge::Ended { began, ended }) => self.ended(began, ended, heard),
            None => self.look(heard),
        }
    }

    /// Finds out when what is played is played to the sample.
    fn find_shift(&mut self, end: Duration, frame: &[f32], foreseen: &[f32]) {
        let Some(unsure) = &self.unsure else { return };
        match self.shift.compare(frame, foreseen) {
            Found::NotYet => return,
            Found::Later(by) => {
                self.rest = self.rest.min(unsure.rest);
                self.played.shift(by);
                self.canceller.recall(&self.played.before(end, Canceller::recalls()));
            }
            Found::Never => {}
        }
        self.unsure = None;
    }

    /// How surely a frame is somebody else's speech while the robot speaks.
    fn credible(&mut self, probability: f32, loud: f32, echo: f32, is_played: bool) -> f32 {
        if !is_played || self.speech.is_some() {
            self.over_mouth = 0;
            // What goes on over the robot's voice ends like any other; what is left of the echo does not keep it alive.
            let is_drowned = is_played && loud < echo + self.rest + ABOVE_REST;
            return if is_drowned { 0.0 } else { probability };
        }
        let may = self.listening.barge_in && self.canceller.is_learned();
        let above_echo = loud - echo;
        let is_loud = above_echo > self.rest + ABOVE_REST;
        // Only where there is an echo can be known what is left of it.
        if self.canceller.is_learned() && echo > self.endpointer.noise() + ABOVE_REST {
            let pace = if is_loud { 0.01 } else { 0.05 };
            self.rest = (self.rest + pace * (above_echo - self.rest)).clamp(BEST_REST, 0.0);
        }
        let is_somebody = may && is_loud && probability >= self.listening.endpoints.onset;
        self.over_mouth = if is_somebody { self.over_mouth + 1 } else { 0 };
        if self.over_mouth > OVER_MOUTH { probability } else { 0.0 }
    }

    /// Looks at what was said so far, when a word has just ended or enough has come since the last look.
    fn look(&mut self, heard: &mut Vec<Heard>) {
        let Some(speech) = &self.speech else { return };
        let window = samples_in(self.listening.partial_window, HEARD_RATE);
        let from = speech.samples.len().saturating_sub(window);
        let length = time_of((speech.samples.len() - from) as u64, HEARD_RATE);
        let since = speech.end.saturating_sub(speech.looked_at);
        let after_word = WORD_PAUSES.contains(&speech.pause);
        if !after_word && (speech.pause > 0 || since < self.listening.partial_every.max(length / 4)) {
            return;
        }
        let said = speech.samples.get(from..).unwrap_or_default();
        let transcript = self.transcriber.transcribe(said);
        let Some(speech) = &mut self.speech else { return };
        speech.looked_at = speech.end;
        match transcript {
            Ok(transcript) if transcript.text.is_empty() => {}
            Ok(transcript) => {
                let (end, stopped) = (speech.end, speech.stopped);
                if !stopped {
                    self.look_for_stop(&transcript, end, after_word, heard);
                }
                let Transcript { text, confidence, .. } = transcript;
                heard.push(Heard::Partial { text, confidence, at: end });
            }
            Err(fault) => heard.push(Heard::Failed(fault.to_string())),
        }
    }

    /// The last word counts only when it has ended: "stop" may become "stopwatch".
    fn look_for_stop(&mut self, said: &Transcript, at: Duration, is_whole: bool, heard: &mut Vec<Heard>) {
        let Some(spotted) = stop_word(&said.text, &self.listening.stop_words) else { return };
        let Some(speech) = &mut self.speech else { return };
        if (spotted.after == 0 && !is_whole) || (speech.over_mouth && self.played.is_said(&said.text)) {
            return;
        }
        speech.stopped = true;
        let ended = self.endpointer.last().unwrap_or(at).min(at);
        heard.push(Heard::StopWord { word: spotted.word, ended, at });
    }

    fn ended(&mut self, began: Duration, ended: Duration, heard: &mut Vec<Heard>) {
        let Some(mut speech) = self.speech.take() else { return };
        // The pause that ended it is no part of it, but for a little.
        let behind = speech.end.saturating_sub(ended + AFTER_WORDS);
        speech.samples.truncate(speech.samples.len().saturating_sub(samples_in(behind, HEARD_RATE)));
        let transcript = match self.transcriber.transcribe(&speech.samples) {
            Ok(transcript) => transcript,
            Err(fault) => {
                heard.push(Heard::Failed(fault.to_string()));
                Transcript::default()
            }
        };
        self.last.clone_from(&speech.samples);
        let (over_mouth, at) = (speech.over_mouth, speech.end);
        let is_own = over_mouth && self.played.is_said(&transcript.text);
        if transcript.text.is_empty() || is_own {
            heard.push(Heard::Nothing { began, ended });
            return;
        }
        if !speech.stopped {
            self.speech = Some(speech);
            self.look_for_stop(&transcript, at, true, heard);
            self.speech = None;
        }
        let Transcript { text, confidence, .. } = transcript;
        heard.push(Heard::Utterance { text, confidence, began, ended, over_mouth });
    }
}
