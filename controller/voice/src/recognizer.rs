//! Speech recognition as a state machine over the time of the sound ([`SpeechRecognizer`]).
//!
//! Samples go in with the time of the first one, and events come out. It has no thread and no clock, and its memory is bounded.
//!
//! While the robot speaks, the caller reports what is played ([`SpeechRecognizer::playback`]), and the echo is removed from each frame
//! ([`crate::echo_cancellation`]). A person counts as speaking over the robot only when the residue is speech and stays loud compared with
//! the echo. A transcript that matches the robot's own words is dropped. Until the echo path is known, or without barge-in, the
//! recognizer ignores everything while the robot speaks.

mod reference_signal;

use std::collections::VecDeque;
use std::time::Duration;

use crate::HEARD_RATE;
use crate::audio::{level, samples_in, sane, time_of};
use crate::commands::stop_word;
use crate::echo_cancellation::Canceller;
use crate::echo_cancellation::delay::{DelayEstimator, Estimate};
use crate::endpoint::{Edge, Endpointer, Endpoints};
use crate::transcriber::{Transcriber, Transcript};
use crate::vad::{FRAME, SpeechDetector};

use reference_signal::ReferenceSignal;

/// Options of speech recognition.
#[derive(Clone, Debug, PartialEq)]
pub struct RecognizerOptions {
    /// Thresholds for the beginning and end of speech.
    pub endpoints: Endpoints,
    /// Whether people are recognised while the robot speaks.
    pub barge_in: bool,
    /// How often an utterance is transcribed while it lasts.
    pub partial_every: Duration,
    /// How much of its end is transcribed each time.
    pub partial_window: Duration,
    /// Further stop words, in lower case, which count anywhere.
    pub stop_words: Vec<String>,
}

impl Default for RecognizerOptions {
    fn default() -> Self {
        RecognizerOptions {
            endpoints: Endpoints::default(),
            barge_in: true,
            partial_every: Duration::from_millis(480),
            partial_window: Duration::from_secs(6),
            stop_words: Vec::new(),
        }
    }
}

/// An event of speech recognition.
#[derive(Clone, Debug, PartialEq)]
pub enum RecognizerEvent {
    /// Speech begins.
    Began {
        /// Time of the beginning.
        at: Duration,
        /// Whether the robot speaks at the same time.
        over_playback: bool,
    },
    /// Transcript so far, or the end of a long one. It may still change.
    Partial {
        /// The words.
        text: String,
        /// Confidence, 0 to 1.
        confidence: f32,
        /// Time of the last sample in it.
        at: Duration,
    },
    /// A stop word. It is reported at once, and once per utterance.
    StopWord {
        /// The word.
        word: String,
        /// Estimated end of the word, never later than `at`.
        ended: Duration,
        /// Time of the sound at which it was detected.
        at: Duration,
    },
    /// A complete utterance, after its end.
    Utterance {
        /// The words.
        text: String,
        /// Confidence, 0 to 1.
        confidence: f32,
        /// Time of its beginning.
        began: Duration,
        /// Time of its end.
        ended: Duration,
        /// Whether it began while the robot spoke.
        over_playback: bool,
    },
    /// Apparent speech without words, or with the robot's own.
    Nothing {
        /// Time of its beginning.
        began: Duration,
        /// Time of its end.
        ended: Duration,
    },
    /// The samples paused and continue at another time. An unfinished utterance is lost.
    Gap {
        /// Time at which they continue.
        at: Duration,
    },
    /// A model failed. The text is for the user. Recognition continues.
    Failed(String),
}

/// Number of samples before the detected beginning that belong to an utterance.
const PRE_ROLL: usize = HEARD_RATE as usize * 4 / 10;
/// Maximum deviation from the expected time that is not a gap.
const MAX_TIME_DEVIATION: Duration = Duration::from_millis(250);
/// Numbers of pause frames after which a word may have ended: once early, and once when it surely has.
const WORD_PAUSES: [u32; 2] = [2, 5];
/// Number of frames that a person must speak over the robot before they count.
const MIN_BARGE_IN_FRAMES: u32 = 2;
/// Minimum level of a person over the usual residue of the echo, in dB.
const MIN_LEVEL_OVER_RESIDUE_DB: f32 = 8.0;
/// Lower bound for the level of the residue relative to the echo, in dB.
const MIN_RESIDUE_DB: f32 = -20.0;
/// How much of the pause after an utterance is transcribed with it.
const POST_ROLL: Duration = Duration::from_millis(200);

/// Speech recognizer. It belongs to one thread.
pub struct SpeechRecognizer<D, T> {
    detector: D,
    transcriber: T,
    listening: RecognizerOptions,
    endpointer: Endpointer,
    canceller: Canceller,
    reference: ReferenceSignal,
    /// Samples of an incomplete frame, and the time of the first one.
    waiting: Vec<f32>,
    at: Option<Duration>,
    /// Recent samples while no one speaks.
    before: VecDeque<f32>,
    speech: Option<ActiveSpeech>,
    /// Samples of the last utterance.
    last: Vec<f32>,
    over_playback: u32,
    /// Usual level of the residue relative to the echo in dB, at most 0.
    rest: f32,
    /// Set while the exact time of a playback that restarted is being estimated.
    unknown_delay: Option<UnknownDelay>,
    shift: DelayEstimator,
}

/// State while the playback time is not known to the sample.
struct UnknownDelay {
    since: Duration,
    /// Earlier level of the residue.
    rest: f32,
}

/// An utterance in progress.
#[derive(Debug)]
struct ActiveSpeech {
    samples: Vec<f32>,
    /// Time after the last sample.
    end: Duration,
    looked_at: Duration,
    pause: u32,
    over_playback: bool,
    stopped: bool,
}

impl<D: SpeechDetector, T: Transcriber> SpeechRecognizer<D, T> {
    /// Creates a recognizer with these models.
    pub fn new(detector: D, transcriber: T, listening: RecognizerOptions) -> Self {
        SpeechRecognizer {
            detector,
            transcriber,
            endpointer: Endpointer::new(listening.endpoints),
            listening,
            canceller: Canceller::new(),
            reference: ReferenceSignal::default(),
            waiting: Vec::with_capacity(FRAME),
            at: None,
            before: VecDeque::with_capacity(PRE_ROLL + FRAME),
            speech: None,
            last: Vec::new(),
            over_playback: 0,
            rest: 0.0,
            unknown_delay: None,
            shift: DelayEstimator::default(),
        }
    }

    /// Reports that the robot plays these samples of [`HEARD_RATE`] from a time on, and the sentence in them, empty if there is
    /// none.
    ///
    /// Without a time they directly follow the previous samples. A given time is not exact to the sample, so the exact one is
    /// estimated from the microphone. Until then, the whole echo may remain in the signal.
    pub fn playback(&mut self, at: Option<Duration>, samples: &[f32], sentence: &str) {
        if let Some(at) = at {
            let rest = self.unknown_delay.as_ref().map_or(self.rest, |unknown_delay| unknown_delay.rest);
            self.unknown_delay = Some(UnknownDelay { since: at, rest });
            self.shift.reset();
            self.rest = 0.0;
            self.reference.add(at, samples, sentence);
        } else {
            self.reference.add(self.reference.end(), samples, sentence);
        }
    }

    /// Reports that playback ends at this time.
    pub fn silenced(&mut self, at: Duration) {
        self.reference.cut(at);
    }

    /// Returns the number of samples in memory, for tests of its bound.
    #[must_use]
    pub fn remembered(&self) -> usize {
        let speech = self.speech.as_ref().map_or(0, |speech| speech.samples.capacity());
        self.reference.remembered()
            + self.waiting.capacity()
            + self.before.capacity()
            + self.last.capacity()
            + speech
    }

    /// Returns whether someone is speaking.
    #[must_use]
    pub fn is_spoken_to(&self) -> bool {
        self.speech.is_some()
    }

    /// Gives the transcriber access to the samples of the last utterance, for example to choose among commands.
    pub fn again<R>(&mut self, look: impl FnOnce(&mut T, &[f32]) -> R) -> R {
        look(&mut self.transcriber, &self.last)
    }

    /// Processes samples of [`HEARD_RATE`]. `at` is the time of the first one.
    pub fn push(&mut self, at: Duration, samples: &[f32]) -> Vec<RecognizerEvent> {
        let mut heard = Vec::new();
        if let Some(known) = self.at {
            let expected = known + time_of(self.waiting.len() as u64, HEARD_RATE);
            if expected.abs_diff(at) > MAX_TIME_DEVIATION {
                self.clear();
                heard.push(RecognizerEvent::Gap { at });
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

    /// Ends the input and the utterance in progress.
    pub fn finish(&mut self) -> Vec<RecognizerEvent> {
        let mut heard = Vec::new();
        if let (Some(began), Some(ended)) = (self.endpointer.began(), self.endpointer.last()) {
            self.finish_utterance(began, ended, &mut heard);
        }
        self.clear();
        heard
    }

    fn clear(&mut self) {
        self.waiting.clear();
        self.at = None;
        self.before.clear();
        self.speech = None;
        self.over_playback = 0;
        self.endpointer.reset();
        self.detector.reset();
    }

    fn frame(&mut self, at: Duration, frame: &[f32], heard: &mut Vec<RecognizerEvent>) {
        let played = self.reference.take(at, FRAME);
        let is_unsure = self.canceller.is_learned()
            && self.unknown_delay.as_ref().is_some_and(|unknown_delay| at >= unknown_delay.since);
        let cleaned = self.canceller.clean(frame, &played, !is_unsure);
        let end = at + time_of(FRAME as u64, HEARD_RATE);
        if is_unsure {
            self.find_shift(end, frame, &cleaned.predicted);
        }
        let loud = level(&cleaned.samples);
        let probability = match self.detector.probability(&cleaned.samples) {
            Ok(probability) => probability,
            Err(fault) => {
                heard.push(RecognizerEvent::Failed(fault.to_string()));
                0.0
            }
        };
        // Between two sentences playback may continue at any moment.
        let is_deaf = !self.listening.barge_in && self.reference.end() > at;
        let probability =
            self.speech_probability(probability, loud, cleaned.echo, cleaned.is_played || is_deaf);
        let edge = self.endpointer.push(at, probability, loud);
        match &mut self.speech {
            Some(speech) => {
                speech.samples.extend_from_slice(&cleaned.samples);
                speech.end = end;
                speech.pause =
                    if probability < self.listening.endpoints.release { speech.pause + 1 } else { 0 };
            }
            None => {
                self.before.extend(&cleaned.samples);
                let too_many = self.before.len().saturating_sub(PRE_ROLL);
                self.before.drain(..too_many);
            }
        }
        match edge {
            Some(Edge::Began { at }) => {
                self.speech = Some(ActiveSpeech {
                    samples: self.before.drain(..).collect(),
                    end,
                    looked_at: end,
                    pause: 0,
                    over_playback: cleaned.is_played,
                    stopped: false,
                });
                heard.push(RecognizerEvent::Began { at, over_playback: cleaned.is_played });
            }
            Some(Edge::Ended { began, ended }) => self.finish_utterance(began, ended, heard),
            None => self.transcribe_partial(heard),
        }
    }

    /// Estimates the exact time of the playback.
    fn find_shift(&mut self, end: Duration, frame: &[f32], foreseen: &[f32]) {
        let Some(unknown_delay) = &self.unknown_delay else { return };
        match self.shift.compare(frame, foreseen) {
            Estimate::NotYet => return,
            Estimate::Later(by) => {
                self.rest = self.rest.min(unknown_delay.rest);
                self.reference.shift(by);
                self.canceller.recall(&self.reference.before(end, Canceller::recalls()));
            }
            Estimate::Never => {}
        }
        self.unknown_delay = None;
    }

    /// Returns the probability that a frame is another person's speech while the robot speaks.
    fn speech_probability(&mut self, probability: f32, loud: f32, echo: f32, is_played: bool) -> f32 {
        if !is_played || self.speech.is_some() {
            self.over_playback = 0;
            // Speech over the robot's voice ends like any other. The residue of the echo does not prolong it.
            let is_drowned = is_played && loud < echo + self.rest + MIN_LEVEL_OVER_RESIDUE_DB;
            return if is_drowned { 0.0 } else { probability };
        }
        let may = self.listening.barge_in && self.canceller.is_learned();
        let above_echo = loud - echo;
        let is_loud = above_echo > self.rest + MIN_LEVEL_OVER_RESIDUE_DB;
        // The residue can only be measured where there is an echo.
        if self.canceller.is_learned() && echo > self.endpointer.noise() + MIN_LEVEL_OVER_RESIDUE_DB {
            let pace = if is_loud { 0.01 } else { 0.05 };
            self.rest = (self.rest + pace * (above_echo - self.rest)).clamp(MIN_RESIDUE_DB, 0.0);
        }
        let is_somebody = may && is_loud && probability >= self.listening.endpoints.onset;
        self.over_playback = if is_somebody { self.over_playback + 1 } else { 0 };
        if self.over_playback > MIN_BARGE_IN_FRAMES { probability } else { 0.0 }
    }

    /// Transcribes the utterance so far, when a word has just ended or the interval has passed.
    fn transcribe_partial(&mut self, heard: &mut Vec<RecognizerEvent>) {
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
                heard.push(RecognizerEvent::Partial { text, confidence, at: end });
            }
            Err(fault) => heard.push(RecognizerEvent::Failed(fault.to_string())),
        }
    }

    /// Searches for a stop word. The last word counts only when it has ended, because "stop" may become "stopwatch".
    fn look_for_stop(
        &mut self,
        said: &Transcript,
        at: Duration,
        is_whole: bool,
        heard: &mut Vec<RecognizerEvent>,
    ) {
        let Some(spotted) = stop_word(&said.text, &self.listening.stop_words) else { return };
        let Some(speech) = &mut self.speech else { return };
        if (spotted.after == 0 && !is_whole) || (speech.over_playback && self.reference.is_said(&said.text)) {
            return;
        }
        speech.stopped = true;
        let ended = self.endpointer.last().unwrap_or(at).min(at);
        heard.push(RecognizerEvent::StopWord { word: spotted.word, ended, at });
    }

    fn finish_utterance(&mut self, began: Duration, ended: Duration, heard: &mut Vec<RecognizerEvent>) {
        let Some(mut speech) = self.speech.take() else { return };
        // Only a little of the final pause belongs to the utterance.
        let behind = speech.end.saturating_sub(ended + POST_ROLL);
        speech.samples.truncate(speech.samples.len().saturating_sub(samples_in(behind, HEARD_RATE)));
        let transcript = match self.transcriber.transcribe(&speech.samples) {
            Ok(transcript) => transcript,
            Err(fault) => {
                heard.push(RecognizerEvent::Failed(fault.to_string()));
                Transcript::default()
            }
        };
        self.last.clone_from(&speech.samples);
        let (over_mouth, at) = (speech.over_playback, speech.end);
        let is_own = over_mouth && self.reference.is_said(&transcript.text);
        if transcript.text.is_empty() || is_own {
            heard.push(RecognizerEvent::Nothing { began, ended });
            return;
        }
        if !speech.stopped {
            self.speech = Some(speech);
            self.look_for_stop(&transcript, at, true, heard);
            self.speech = None;
        }
        let Transcript { text, confidence, .. } = transcript;
        heard.push(RecognizerEvent::Utterance { text, confidence, began, ended, over_playback: over_mouth });
    }
}
