//! A conversation by voice: sound comes in, what is said is understood and done, and the answer is spoken.
//!
//! Reading order: [`source`], [`feed`] and [`sink`] (where sound comes from and goes to), [`engine`] (who understands and who
//! speaks), `espeak`, `service`, `written` and `scribe` (some of those), here (the threads), `desk` (the one that decides) with
//! [`phrases`] and [`meaning`] (what was meant), `tongue` (the one that speaks), `sway` (the head moves with speech), `signs`
//! (the antennas show what goes on).
//!
//! ```text
//! source --samples--> ear --heard--> desk --said--> whoever answers --answer--> desk --text--> tongue --samples--> sink
//!                      |                                                                        |
//!                      '-- a stop word: halt, at once          what is played, for the ear <-----'
//! ```
//!
//! Threads: the ear, the desk and the tongue have one each; whoever answers does so on the thread of the caller. Nobody waits
//! for whoever comes after, so a stop is heard whatever the others do. Safety: the ear halts the body itself, before any model
//! of language; what was said before a stop is not done after it.

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

/// What was said to the robot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// What it means, as far as slips of the model could be mended.
    pub text: String,
    /// What the model wrote.
    pub heard: String,
    /// How often the body had been halted when somebody began to say it.
    pub halts: u64,
}

/// What is told of a conversation by voice, as it happens. Times are those of the sound, seconds from its beginning.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum News {
    /// It listens, thinks, speaks or holds.
    State {
        /// `listening`, `thinking`, `speaking` or `holding`.
        state: &'static str,
    },
    /// What was said so far.
    Partial {
        /// The words; they may still change.
        text: String,
        /// How sure they are, from 0 to 1.
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
        confidence: f32,
        /// When it began.
        began_s: f64,
        /// When it ended.
        ended_s: f64,
        /// Where it came from, degrees from the head's middle, left positive, where the microphones tell it.
        #[serde(skip_serializing_if = "Option::is_none")]
        bearing_deg: Option<f64>,
    },
    /// It is not answered.
    Ignored {
        /// The words.
        text: String,
        /// Why.
        why: &'static str,
    },
    /// What is answered.
    Answer {
        /// In words.
        text: String,
    },
    /// A sentence is being said.
    Speaking {
        /// The sentence; none of a sound without words.
        sentence: String,
        /// How long it takes.
        lasts_s: f64,
    },
    /// What was being said is not said to its end.
    Cut,
    /// Something went wrong.
    Trouble {
        /// In words.
        text: String,
    },
}

/// What comes to the desk.
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
    /// The body was halted from elsewhere, and speech ends with it.
    Halted,
    /// Nothing more will be heard.
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
    /// How often the body had been halted when it began.
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

/// What a conversation by voice is made of.
pub struct Parts {
    /// Who understands and speaks.
    pub engines: Engines,
    /// Where sound comes from.
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
        let moves = (speech.is_some() && voice.sway > 0.0) || voice.antennas;
        let swaying =
            moves.then(|| MoverThread::start(body, Rank::Idle, "the robot's own voice")).transpose()?;
        let sway = swaying.as_ref().map(|thread| Sway::of(thread.mover(), voice.sway));
        let signs = swaying.as_ref().filter(|_| voice.antennas).map(|thread| Signs::of(thread.mover()));
        let clock = WallClock::start();
        let tongue = speech
            .map(|speech| Tongue::start(speech, voice.volume, sink, sway, clock, sounding, events.clone()))
            .transpose()?;
        let desk = Desk {
            wake: Wake::new(&voice.names),
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
