//! Conversations by voice: recognises speech, has the requests carried out, and speaks the answers.
//!
//! Reading order:
//!
//! * [`source`], [`audio_buffer`] and [`sink`] (input and output of sound)
//! * [`engine`] (recognition and synthesis), with `espeak`, `service`, `transcription_stream` and `remote_transcriber`
//! * this module (the threads)
//! * `dialog_manager` (decisions), with [`phrases`] and [`interpretation`]
//! * `playback`, `head_wobbler` (head motion during speech) and `antenna_cues`
//!
//! ```text
//! source --samples--> recognizer --events--> dialog --requests--> caller --answers--> dialog --text--> playback --> sink
//!                      |  ^                                                            |
//!                      |  '----------------------- what is played ---------------------'
//!                      '-- a stop word stops the robot at once
//! ```
//!
//! Recognition, decisions and playback have a thread each; the caller answers on its own thread. No thread waits for
//! a later one, so a stop takes effect whatever the others do. A request carries the stop epoch of the moment when the person
//! began to speak.
//!
//! Safety: the recognizer stops the robot itself, before any language model. A request from before a stop is not
//! carried out after it.

mod antenna_cues;
pub mod audio_buffer;
mod dialog_manager;
pub mod engine;
mod espeak;
mod head_wobbler;
pub mod interpretation;
pub mod phrases;
mod playback;
mod remote_transcriber;
mod service;
pub mod sink;
pub mod source;
mod transcription_stream;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use firmware_bridge::clock::{Clock, MonotonicClock};
use firmware_bridge::control_loop::{ControlLoopHandle, LoopClient, LoopCommand};
use minismith_voice::commands::{Vocabulary, Wake};
use minismith_voice::dialog::DialogState;
use minismith_voice::recognizer::{RecognizerEvent, RecognizerOptions, SpeechRecognizer};
use minismith_voice::transcriber::{Choice, Transcriber, Transcript};
use serde::Serialize;

use antenna_cues::AntennaCues;
use dialog_manager::{DialogManager, Pending};
use engine::Engines;
use head_wobbler::HeadWobbler;
use minismith_control::arbiter::Priority;
use minismith_control::motion_executor::MotionExecutorThread;
use minismith_control::robot::RobotRuntime;
use minismith_runtime::config::Voice;
use playback::{Playback, Sounding};
use remote_transcriber::{RemoteTranscriber, Sentence};
use sink::Sink;
use source::{ClockOffset, Source};

/// A request to the robot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpokenRequest {
    /// Its text, with errors of the model corrected as far as possible.
    pub text: String,
    /// The model's transcript.
    pub heard: String,
    /// The stop epoch when the person began to speak.
    pub stop_epoch: u64,
}

/// An event of a conversation by voice. Times are those of the sound, in seconds from its beginning.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum VoiceEvent {
    /// The state changed: it listens, thinks, speaks or holds.
    State {
        /// `listening`, `thinking`, `speaking` or `holding`.
        state: &'static str,
    },
    /// The partial transcript changed.
    #[serde(rename = "partial")]
    PartialTranscript {
        /// The words; they may still change.
        text: String,
        /// The confidence, from 0 to 1.
        #[serde(serialize_with = "minismith_runtime::report::shortest")]
        confidence: f32,
        /// The end of the transcribed sound, in seconds.
        at_s: f64,
    },
    /// A stop word was said, and the robot stopped.
    Stop {
        /// The word.
        word: String,
        /// When the word ended, in seconds.
        ended_s: f64,
        /// When it was recognised, in seconds.
        #[serde(rename = "known_s")]
        detected_s: f64,
    },
    /// An utterance is complete.
    #[serde(rename = "heard")]
    Transcript {
        /// The transcript.
        text: String,
        /// Its interpretation.
        #[serde(rename = "means")]
        interpretation: String,
        /// The confidence, from 0 to 1.
        #[serde(serialize_with = "minismith_runtime::report::shortest")]
        confidence: f32,
        /// When it began, in seconds.
        began_s: f64,
        /// When it ended, in seconds.
        ended_s: f64,
        /// Its direction, in degrees from the head's centre, left positive, where the microphones report it.
        #[serde(rename = "bearing_deg")]
        #[serde(skip_serializing_if = "Option::is_none")]
        doa_deg: Option<f64>,
    },
    /// The utterance is not answered.
    Ignored {
        /// The transcript.
        text: String,
        /// The reason.
        #[serde(rename = "why")]
        reason: &'static str,
    },
    /// The answer.
    Answer {
        /// Its text.
        text: String,
    },
    /// A sentence is spoken.
    Speaking {
        /// The sentence; empty for a sound without words.
        sentence: String,
        /// Its duration, in seconds.
        #[serde(rename = "lasts_s")]
        duration_s: f64,
    },
    /// The present sentence was cut.
    #[serde(rename = "cut")]
    Interrupted,
    /// An error occurred.
    #[serde(rename = "trouble")]
    Error {
        /// The error as text.
        text: String,
    },
}

/// An event for the thread that decides.
enum Event {
    /// All but whole utterances.
    Heard(RecognizerEvent),
    Uttered(Utterance),
    Answer(String),
    Question(String),
    /// The last utterance is the answer to a question, so it gets no answer of its own.
    Taken,
    Speaking {
        sentence: String,
        lasts: Duration,
    },
    /// All was said up to the command of this number.
    AllSaid(u64),
    Error(String),
    /// The robot stopped for another reason, and speech ends with it.
    Stopped,
    /// No more sound comes in.
    Over,
    /// The answering thread has left; `at_once` also cuts the present speech.
    Left {
        at_once: bool,
    },
}

/// One complete utterance.
struct Utterance {
    transcript: Transcript,
    /// The most similar command.
    command: Option<Choice>,
    began: Duration,
    ended: Duration,
    /// The stop epoch when it began.
    stop_epoch: u64,
    /// Whether it contained a stop, on which the recognizer has acted.
    is_stopped: bool,
    doa_deg: Option<f64>,
}

/// A running conversation by voice. Dropping it ends it.
pub struct VoiceConversation {
    said: Receiver<SpokenRequest>,
    dialog: Sender<Event>,
    control_loop: ControlLoopHandle,
    is_ending: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
    _swaying: Option<MotionExecutorThread>,
}

/// The parts of a conversation by voice.
pub struct Parts {
    /// Recognition and synthesis.
    pub engines: Engines,
    /// The input of sound.
    pub source: Box<dyn Source>,
    /// The output of sound.
    pub sink: Box<dyn Sink>,
}

impl VoiceConversation {
    /// Begins to listen. `report` receives the events.
    ///
    /// # Errors
    /// Fails when the system gives no thread.
    pub fn begin(
        body: &RobotRuntime,
        voice: &Voice,
        parts: Parts,
        report: impl FnMut(VoiceEvent) + Send + 'static,
    ) -> std::io::Result<VoiceConversation> {
        let Parts { engines, source, sink } = parts;
        let Engines { detector, transcriber, second, speech, commands } = engines;
        let (events, inbox) = channel();
        let (sounding, sounds) = channel();
        let (out, said) = channel();
        let moves = (speech.is_some() && voice.head_wobble > 0.0) || voice.antenna_cues;
        let swaying = moves
            .then(|| MotionExecutorThread::start(body, Priority::Idle, "the robot's own voice"))
            .transpose()?;
        let sway = swaying.as_ref().map(|thread| HeadWobbler::of(thread.executor(), voice.head_wobble));
        let signs =
            swaying.as_ref().filter(|_| voice.antenna_cues).map(|thread| AntennaCues::of(thread.executor()));
        let clock = MonotonicClock::start();
        let playback = speech
            .map(|speech| Playback::start(speech, voice.volume, sink, sway, clock, sounding, events.clone()))
            .transpose()?;
        let dialog = DialogManager {
            wake: Wake::new(&voice.wake_words),
            vocabulary: Vocabulary::new(commands),
            control_loop: body.handle(),
            playback,
            antenna_cues: signs,
            out: Some(out),
            report,
            state: DialogState::default(),
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
        let listening = RecognizerOptions {
            barge_in: voice.barge_in,
            stop_words: voice.stop_words.clone(),
            ..RecognizerOptions::default()
        };
        let ear = SpeechRecognizer::new(detector, transcriber, listening);
        let is_ending = Arc::<AtomicBool>::default();
        let transcriber = second
            .map(|service| {
                RemoteTranscriber::start(service, voice.stop_words.clone(), body.handle(), events.clone())
            })
            .transpose()?;
        let hearing = Hearing {
            ear,
            source,
            transcriber,
            sounds,
            clock,
            behind: ClockOffset::default(),
            stop_epoch: body.handle().stop_epoch(),
            is_stopped: false,
            bearing: None,
            control_loop: body.handle(),
            dialog: events.clone(),
            is_ending: is_ending.clone(),
        };
        let spawn = |name: &str, run: Box<dyn FnOnce() + Send>| {
            std::thread::Builder::new().name(name.into()).spawn(run)
        };
        let threads = vec![
            spawn("ear", Box::new(move || hearing.run()))?,
            spawn("voice", Box::new(move || dialog.run(&inbox)))?,
        ];
        Ok(VoiceConversation {
            said,
            dialog: events,
            control_loop: body.handle(),
            is_ending,
            threads,
            _swaying: swaying,
        })
    }

    /// Waits for the next request to the robot. Returns `None` when no more sound comes in.
    #[must_use]
    pub fn hear(&self) -> Option<SpokenRequest> {
        self.said.recv().ok()
    }

    /// Answers the last request; an empty text says nothing.
    pub fn answer(&self, text: &str) {
        self.report(Event::Answer(text.to_owned()));
    }

    /// Asks a question. The next request may be its answer. When no more sound comes in, there is none.
    pub fn ask(&self, question: &str) {
        self.report(Event::Question(question.to_owned()));
    }

    /// Marks the last request as the answer to a question, so it gets no answer of its own.
    pub fn taken(&self) {
        self.report(Event::Taken);
    }

    /// Waits for the next request, as [`VoiceConversation::hear`] does, with a timeout.
    ///
    /// # Errors
    /// Fails when nothing was said in this time, or when no more sound comes in.
    pub fn hear_within(&self, patience: Duration) -> Result<SpokenRequest, RecvTimeoutError> {
        self.said.recv_timeout(patience)
    }

    /// Returns a handle that stops the robot from another thread.
    #[must_use]
    pub fn brake(&self) -> Brake {
        Brake { control_loop: self.control_loop.clone(), dialog: self.dialog.clone() }
    }

    /// Ends the conversation at once: present speech is cut, and open requests get no answer.
    pub fn leave(self) {
        self.report(Event::Left { at_once: true });
    }

    fn report(&self, event: Event) {
        // The receiving thread may have ended.
        let _heard = self.dialog.send(event);
    }
}

/// Stops the robot as a spoken stop does, from any thread.
#[derive(Clone)]
pub struct Brake {
    control_loop: ControlLoopHandle,
    dialog: Sender<Event>,
}

impl Brake {
    /// Stops the robot, cuts the present speech, and cancels the open requests.
    pub fn stop(&self) {
        self.control_loop.clone().send_command(LoopCommand::Stop);
        // The receiving thread may have ended.
        let _heard = self.dialog.send(Event::Stopped);
    }
}

impl Drop for VoiceConversation {
    fn drop(&mut self) {
        self.is_ending.store(true, Ordering::Relaxed);
        self.report(Event::Left { at_once: false });
        for thread in self.threads.drain(..) {
            let _panicked = thread.join();
        }
    }
}

/// The recognizer's thread.
struct Hearing {
    ear: SpeechRecognizer<minismith_voice::vad::Vad, Box<dyn Transcriber + Send>>,
    source: Box<dyn Source>,
    transcriber: Option<RemoteTranscriber>,
    sounds: Receiver<Sounding>,
    clock: MonotonicClock,
    behind: ClockOffset,
    /// The stop epoch of the present utterance; see [`Utterance`].
    stop_epoch: u64,
    is_stopped: bool,
    bearing: Option<f64>,
    control_loop: ControlLoopHandle,
    dialog: Sender<Event>,
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
                        self.ear.playback(at, &samples, &sentence);
                    }
                    Sounding::Silenced(at) => self.ear.silenced(self.behind.heard_at(at)),
                }
            }
            if !piece.samples.is_empty() {
                let heard = self.ear.push(piece.at, &piece.samples);
                self.heard(heard);
            }
            if let Some(error) = self.source.error() {
                self.report(Event::Error(error));
            }
        }
        if let Some(error) = self.source.error() {
            self.report(Event::Error(error));
        }
        let heard = self.ear.finish();
        self.heard(heard);
        // Utterances in transcription were heard before the end.
        self.transcriber = None;
        self.report(Event::Over);
    }

    fn heard(&mut self, heard: Vec<RecognizerEvent>) {
        for one in heard {
            match one {
                RecognizerEvent::Utterance { text, confidence, began, ended, .. } => {
                    let transcript = Transcript { text, confidence, min_confidence: confidence };
                    let command =
                        self.ear.again(|transcriber, samples| transcriber.command(samples, &transcript));
                    let command = command.unwrap_or_else(|fault| {
                        self.report(Event::Error(fault.to_string()));
                        None
                    });
                    let (stop_epoch, is_stopped) = (self.stop_epoch, self.is_stopped);
                    let bearing_deg = self.bearing;
                    self.uttered(Utterance {
                        transcript,
                        command,
                        began,
                        ended,
                        stop_epoch,
                        is_stopped,
                        doa_deg: bearing_deg,
                    });
                    continue;
                }
                RecognizerEvent::Began { .. } => {
                    self.stop_epoch = self.control_loop.stop_epoch();
                    self.is_stopped = false;
                    self.bearing = None;
                }
                RecognizerEvent::Partial { .. } => self.bearing = self.source.bearing().or(self.bearing),
                // A stop takes effect before any other thread gets the event.
                RecognizerEvent::StopWord { .. } => {
                    self.control_loop.send_command(LoopCommand::Stop);
                    self.is_stopped = true;
                }
                _ => {}
            }
            self.report(Event::Heard(one));
        }
    }

    /// Sends an utterance to the deciding thread, or first to the transcription service.
    fn uttered(&mut self, heard: Utterance) {
        let heard = match &self.transcriber {
            Some(transcriber) if !heard.is_stopped => {
                let samples = self.ear.again(|_, samples| samples.to_vec());
                match transcriber.take(Box::new(Sentence { samples, heard })) {
                    Ok(()) => return,
                    Err(sentence) => sentence.heard,
                }
            }
            _ => heard,
        };
        self.report(Event::Uttered(heard));
    }

    fn report(&self, event: Event) {
        // The receiving thread may have ended.
        let _heard = self.dialog.send(event);
    }
}
