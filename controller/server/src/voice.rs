//! Runs a conversation by voice: it recognises speech, has the requests carried out, and speaks the answers.
//!
//! Reading order:
//!
//! * [`source`], [`feed`] and [`sink`] (input and output of sound)
//! * [`engine`] (recognition and synthesis), with `espeak`, `service`, `written` and `scribe`
//! * this module (the threads)
//! * `desk` (decisions), with [`phrases`] and [`meaning`] (interpretation)
//! * `tongue` (playback)
//! * `sway` (head motion during speech)
//! * `signs` (antenna cues)
//!
//! ```text
//! source --samples--> recognizer --events--> decisions --requests--> caller --answers--> decisions --text--> playback --> sink
//!                      |                                                                                   |
//!                      '-- a stop word: stops the robot at once          played samples, for the recognizer'
//! ```
//!
//! Recognition, decisions and playback have a thread each; the caller answers on its own thread. No thread waits for
//! a later one, so a stop takes effect whatever the others do.
//!
//! Safety: the recognizer stops the robot itself, before any language model. A request from before a stop is not
//! carried out after it.

mod desk;
pub mod engine;
mod espeak;
pub mod feed;
pub mod meaning;
pub mod phrases;
mod scribe;
mod service;
mod signs;
pub mod sink;
pub mod source;
mod sway;
mod tongue;
mod written;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use firmware_bridge::clock::{Clock, WallClock};
use firmware_bridge::pulse::{Conductor, Order, PulseHandle};
use minismith_voice::commands::{Vocabulary, Wake};
use minismith_voice::ear::{Ear, Heard, Listening};
use minismith_voice::states::State;
use minismith_voice::transcriber::{Choice, Transcriber, Transcript};
use serde::Serialize;

use desk::{Desk, Pending};
use engine::Engines;
use minismith_control::arbiter::Rank;
use minismith_control::body::Body;
use minismith_control::mover::MoverThread;
use minismith_runtime::config::Voice;
use scribe::{Scribe, Sentence};
use signs::Signs;
use sink::Sink;
use source::{Behind, Source};
use sway::Sway;
use tongue::{Sounding, Tongue};

/// A request to the robot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// Its text, with errors of the model corrected as far as possible.
    pub text: String,
    /// The model's transcript.
    pub heard: String,
    /// The stop epoch when the person began to speak.
    pub halts: u64,
}

/// An event of a conversation by voice. Times are those of the sound, in seconds from its beginning.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum News {
    /// The state changed: it listens, thinks, speaks or holds.
    State {
        /// `listening`, `thinking`, `speaking` or `holding`.
        state: &'static str,
    },
    /// The partial transcript changed.
    Partial {
        /// The words; they may still change.
        text: String,
        /// Their confidence, from 0 to 1.
        #[serde(serialize_with = "minismith_runtime::outcome::shortest")]
        confidence: f32,
        /// Up to when.
        at_s: f64,
    },
    /// Somebody said stop, and the body was halted.
    Stop {
        /// The word.
        word: String,
        /// When it ended.
        ended_s: f64,
        /// When it was known.
        known_s: f64,
    },
    /// Somebody has said something.
    Heard {
        /// The words.
        text: String,
        /// What is taken to be meant.
        means: String,
        /// How sure they are, from 0 to 1.
        #[serde(serialize_with = "minismith_runtime::outcome::shortest")]
        confidence: f32,
        /// When it ended, in seconds.
        began_s: f64,
        /// Its direction, in degrees from the head's centre, left positive, where the microphones report it.
        ended_s: f64,
        /// Where it came from, degrees from the head's middle, left positive, where the microphones tell it.
        #[serde(skip_serializing_if = "Option::is_none")]
        bearing_deg: Option<f64>,
    },
    /// The transcript.
    Ignored {
        /// The reason.
        text: String,
        /// Why.
        why: &'static str,
    },
    /// Its text.
    Answer {
        /// In words.
        text: String,
    },
    /// The sentence; empty for a sound without words.
    Speaking {
        /// Its duration, in seconds.
        sentence: String,
        /// How long it takes.
        lasts_s: f64,
    },
    /// An error occurred.
    Cut,
    /// The error as text.
    Trouble {
        /// In words.
        text: String,
    },
}

/// All but whole utterances.
enum Event {
    /// All but whole utterances.
    Heard(Heard),
    Uttered(Utterance),
    Answer(String),
    Question(String),
    /// What was said last is the answer to a question: nobody answers it.
    Taken,
    Speaking {
        sentence: String,
        lasts: Duration,
    },
    /// All was said up to the order of this number.
    AllSaid(u64),
    Trouble(String),
    /// No more sound comes in.
    Halted,
    /// The answering thread has left; `at_once` also cuts the present speech.
    Over,
    /// Nobody answers any more; `at_once` ends also what is being said.
    Left {
        at_once: bool,
    },
}

/// What somebody said, from beginning to end.
struct Utterance {
    transcript: Transcript,
    /// The command that it is most like.
    command: Option<Choice>,
    began: Duration,
    ended: Duration,
    /// Whether it contained a stop, on which the recognizer has acted.
    halts: u64,
    /// Whether it held a stop, on which the ear has acted.
    is_stopped: bool,
    bearing_deg: Option<f64>,
}

/// A conversation by voice that goes on. Dropping it ends it.
pub struct Talk {
    said: Receiver<Said>,
    desk: Sender<Event>,
    pulse: PulseHandle,
    is_ending: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
    _swaying: Option<MoverThread>,
}

/// Recognition and synthesis.
pub struct Parts {
    /// The input of sound.
    pub engines: Engines,
    /// The output of sound.
    pub source: Box<dyn Source>,
    /// Where it goes to.
    pub sink: Box<dyn Sink>,
}

impl Talk {
    /// Begins to listen. `tell` hears what happens.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn begin(
        body: &Body,
        voice: &Voice,
        parts: Parts,
        tell: impl FnMut(News) + Send + 'static,
    ) -> std::io::Result<Talk> {
        let Parts { engines, source, sink } = parts;
        let Engines { detector, transcriber, second, speech, commands } = engines;
        let (events, inbox) = channel();
        let (sounding, sounds) = channel();
        let (out, said) = channel();
        let moves = (speech.is_some() && voice.head_wobble > 0.0) || voice.antenna_cues;
        let swaying =
            moves.then(|| MoverThread::start(body, Rank::Idle, "the robot's own voice")).transpose()?;
        let sway = swaying.as_ref().map(|thread| Sway::of(thread.mover(), voice.head_wobble));
        let signs = swaying.as_ref().filter(|_| voice.antenna_cues).map(|thread| Signs::of(thread.mover()));
        let clock = WallClock::start();
        let tongue = speech
            .map(|speech| Tongue::start(speech, voice.volume, sink, sway, clock, sounding, events.clone()))
            .transpose()?;
        let desk = Desk {
            wake: Wake::new(&voice.wake_words),
            vocabulary: Vocabulary::new(commands),
            pulse: body.handle(),
            tongue,
            signs,
            out: Some(out),
            tell,
            state: State::default(),
            clock,
            attentive: None,
            pending: Pending::default(),
            is_over: false,
            asked: 0,
            given_up: 0,
            ordered: 0,
            is_asking: false,
            voice: voice.clone(),
        };
        let listening = Listening {
            barge_in: voice.barge_in,
            stop_words: voice.stop_words.clone(),
            ..Listening::default()
        };
        let ear = Ear::new(detector, transcriber, listening);
        let is_ending = Arc::<AtomicBool>::default();
        let scribe = second
            .map(|service| Scribe::start(service, voice.stop_words.clone(), body.handle(), events.clone()))
            .transpose()?;
        let hearing = Hearing {
            ear,
            source,
            scribe,
            sounds,
            clock,
            behind: Behind::default(),
            halts: body.handle().halts(),
            is_stopped: false,
            bearing: None,
            pulse: body.handle(),
            desk: events.clone(),
            is_ending: is_ending.clone(),
        };
        let spawn = |name: &str, run: Box<dyn FnOnce() + Send>| {
            std::thread::Builder::new().name(name.into()).spawn(run)
        };
        let threads = vec![
            spawn("ear", Box::new(move || hearing.run()))?,
            spawn("voice", Box::new(move || desk.run(&inbox)))?,
        ];
        Ok(Talk { said, desk: events, pulse: body.handle(), is_ending, threads, _swaying: swaying })
    }

    /// What is said next to the robot; none when nothing more will be.
    #[must_use]
    pub fn hear(&self) -> Option<Said> {
        self.said.recv().ok()
    }

    /// Answers what was heard last; an empty text says nothing.
    pub fn answer(&self, text: &str) {
        self.tell(Event::Answer(text.to_owned()));
    }

    /// Asks something; what is heard next may be the answer, or come when nothing more will be heard: then there is none.
    pub fn ask(&self, question: &str) {
        self.tell(Event::Question(question.to_owned()));
    }

    /// What was heard last was the answer to a question, and nobody answers it.
    pub fn taken(&self) {
        self.tell(Event::Taken);
    }

    /// The same as [`Talk::hear`], for a while.
    ///
    /// # Errors
    /// When nothing was said in this time, or when nothing more will be.
    pub fn hear_within(&self, patience: Duration) -> Result<Said, RecvTimeoutError> {
        self.said.recv_timeout(patience)
    }

    /// A way to stop the robot from another thread.
    #[must_use]
    pub fn brake(&self) -> Brake {
        Brake { pulse: self.pulse.clone(), desk: self.desk.clone() }
    }

    /// Ends it at once: what is being said is cut, and what was not answered yet stays so.
    pub fn leave(self) {
        self.tell(Event::Left { at_once: true });
    }

    fn tell(&self, event: Event) {
        // The desk may have ended.
        let _heard = self.desk.send(event);
    }
}

/// Stops the robot as a spoken stop does, from any thread.
#[derive(Clone)]
pub struct Brake {
    pulse: PulseHandle,
    desk: Sender<Event>,
}

impl Brake {
    /// Halts the body, cuts what is being said, and gives up what is still to be answered.
    pub fn stop(&self) {
        self.pulse.clone().order(Order::Halt);
        // The desk may have ended.
        let _heard = self.desk.send(Event::Halted);
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        self.is_ending.store(true, Ordering::Relaxed);
        self.tell(Event::Left { at_once: false });
        for thread in self.threads.drain(..) {
            let _panicked = thread.join();
        }
    }
}

/// The thread of the ear.
struct Hearing {
    ear: Ear<minismith_voice::vad::Vad, Box<dyn Transcriber + Send>>,
    source: Box<dyn Source>,
    scribe: Option<Scribe>,
    sounds: Receiver<Sounding>,
    clock: WallClock,
    behind: Behind,
    /// Of what is being said: see [`Utterance`].
    halts: u64,
    is_stopped: bool,
    bearing: Option<f64>,
    pulse: PulseHandle,
    desk: Sender<Event>,
    is_ending: Arc<AtomicBool>,
}

impl Hearing {
    fn run(mut self) {
        while !self.is_ending.load(Ordering::Relaxed) {
            let Some(piece) = self.source.take() else { break };
            self.behind.came(self.clock.now(), &piece);
            let hears_mouth = self.source.hears_mouth();
            for sounding in self.sounds.try_iter().filter(|_| hears_mouth) {
                match sounding {
                    Sounding::Playing { at, follows, samples, sentence } => {
                        let at = if follows { None } else { Some(self.behind.heard_at(at)) };
                        self.ear.playing(at, &samples, &sentence);
                    }
                    Sounding::Silenced(at) => self.ear.silenced(self.behind.heard_at(at)),
                }
            }
            if !piece.samples.is_empty() {
                let heard = self.ear.hear(piece.at, &piece.samples);
                self.heard(heard);
            }
            if let Some(trouble) = self.source.trouble() {
                self.tell(Event::Trouble(trouble));
            }
        }
        if let Some(trouble) = self.source.trouble() {
            self.tell(Event::Trouble(trouble));
        }
        let heard = self.ear.finish();
        self.heard(heard);
        // What is still being written down was heard before the end.
        self.scribe = None;
        self.tell(Event::Over);
    }

    fn heard(&mut self, heard: Vec<Heard>) {
        for one in heard {
            match one {
                Heard::Utterance { text, confidence, began, ended, .. } => {
                    let transcript = Transcript { text, confidence, least: confidence };
                    let command =
                        self.ear.again(|transcriber, samples| transcriber.command(samples, &transcript));
                    let command = command.unwrap_or_else(|fault| {
                        self.tell(Event::Trouble(fault.to_string()));
                        None
                    });
                    let (halts, is_stopped) = (self.halts, self.is_stopped);
                    let bearing_deg = self.bearing;
                    self.uttered(Utterance {
                        transcript,
                        command,
                        began,
                        ended,
                        halts,
                        is_stopped,
                        bearing_deg,
                    });
                    continue;
                }
                Heard::Began { .. } => {
                    self.halts = self.pulse.halts();
                    self.is_stopped = false;
                    self.bearing = None;
                }
                Heard::Partial { .. } => self.bearing = self.source.bearing().or(self.bearing),
                // Before anything else, and before anybody else hears of it.
                Heard::StopWord { .. } => {
                    self.pulse.order(Order::Halt);
                    self.is_stopped = true;
                }
                _ => {}
            }
            self.tell(Event::Heard(one));
        }
    }

    /// All that somebody said: to the desk, or first to whoever writes it down better.
    fn uttered(&mut self, heard: Utterance) {
        let heard = match &self.scribe {
            Some(scribe) if !heard.is_stopped => {
                let samples = self.ear.again(|_, samples| samples.to_vec());
                match scribe.take(Box::new(Sentence { samples, heard })) {
                    Ok(()) => return,
                    Err(sentence) => sentence.heard,
                }
            }
            _ => heard,
        };
        self.tell(Event::Uttered(heard));
    }

    fn tell(&self, event: Event) {
        // The desk may have ended.
        let _heard = self.desk.send(event);
    }
}
