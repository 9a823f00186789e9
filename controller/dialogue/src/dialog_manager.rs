//! Decides what a conversation by voice answers, says and cuts, by the state machine of
//! [`minismith_voice::dialog`].

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use firmware_bridge::clock::{Clock, MonotonicClock, Timestamp};
use firmware_bridge::control_loop::{ControlLoopHandle, LoopClient, LoopCommand, MotionState};
use minismith_voice::commands::{Vocabulary, Wake};
use minismith_voice::dialog::{DialogAction, DialogEvent, DialogState};
use minismith_voice::recognizer::RecognizerEvent;
use minismith_voice::synthesizer::Chime;

use super::antenna_cues::AntennaCues;
use super::interpretation::interpret;
use super::playback::{Playback, PlaybackCommand};
use super::{Event, SpokenRequest, Utterance, VoiceEvent};
use minismith_nlu::{Intent, Known, Primitive, Understanding, interpret as understood};
use minismith_runtime::config::{Voice, WakeWordMode};

/// How often it checks whether the robot rests after a stop.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The answer to a request that was not understood well enough to act.
const UNSURE: &str = "I am not sure that I heard you well. Please say that again.";

/// The answer when the answering thread failed.
const SORRY: &str = "That did not work.";

/// The state of a conversation by voice. Its thread owns it.
pub(super) struct DialogManager<F> {
    pub(super) voice: Voice,
    pub(super) wake: Wake,
    pub(super) vocabulary: Vocabulary,
    pub(super) control_loop: ControlLoopHandle,
    pub(super) playback: Option<Playback>,
    pub(super) antenna_cues: Option<AntennaCues>,
    /// The queue to the answering thread, while something may need an answer.
    pub(super) out: Option<Sender<SpokenRequest>>,
    pub(super) report: F,
    pub(super) state: DialogState,
    pub(super) clock: MonotonicClock,
    /// Until this time the robot answers without its name.
    pub(super) attentive: Option<Timestamp>,
    /// What is answered or said next.
    pub(super) pending: Pending,
    /// Whether no more events come from the recognizer.
    pub(super) is_over: bool,
    /// The number of expected answers.
    pub(super) asked: u32,
    /// How many of them, the first ones, are cancelled.
    pub(super) given_up: u32,
    /// Whether a question is open.
    pub(super) is_asking: bool,
    /// The number of the last order to speak.
    pub(super) ordered: u64,
}

/// The values that an act needs.
#[derive(Default)]
pub(super) struct Pending {
    said: Option<SpokenRequest>,
    text: String,
}

impl<F: FnMut(VoiceEvent)> DialogManager<F> {
    /// Runs until nothing more is heard, answered and said.
    pub(super) fn run(mut self, inbox: &Receiver<Event>) {
        self.show();
        loop {
            match inbox.recv_timeout(POLL_INTERVAL) {
                Ok(Event::Left { at_once: true }) => return,
                Ok(event) => self.take(event),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            if self.state == DialogState::Holding
                && self.control_loop.snapshot().motion_state != MotionState::Stopping
            {
                self.happened(DialogEvent::AtRest);
            }
            if let Some(signs) = &mut self.antenna_cues {
                signs.go_on();
            }
            if self.is_over && self.is_asking {
                // No thread will answer it.
                self.out = None;
            }
            if self.is_over && self.asked == 0 && self.state == DialogState::Listening {
                return;
            }
        }
    }

    fn take(&mut self, event: Event) {
        match event {
            Event::Heard(heard) => self.heard(heard),
            Event::Uttered(utterance) => self.uttered(utterance),
            Event::Answer(text) => {
                self.asked = self.asked.saturating_sub(1);
                if self.given_up > 0 {
                    self.given_up -= 1;
                } else {
                    self.answer(text);
                }
            }
            Event::Question(text) => {
                self.is_asking = true;
                self.answer(text);
            }
            Event::Taken => {
                self.asked = self.asked.saturating_sub(1);
                // It was the last of the cancelled answers.
                self.given_up = self.given_up.min(self.asked);
            }
            Event::Stopped => {
                self.happened(DialogEvent::StopWord);
                self.given_up = self.asked;
            }
            Event::Speaking { sentence, lasts } => {
                (self.report)(VoiceEvent::Speaking { sentence, duration_s: lasts.as_secs_f64() });
            }
            Event::AllSaid(number) => {
                self.stay_attentive();
                // An order that was cut before is over, too.
                if number == self.ordered {
                    self.happened(DialogEvent::AllSaid);
                }
            }
            Event::Error(text) => (self.report)(VoiceEvent::Error { text }),
            Event::Over => self.is_over = true,
            Event::Left { .. } => {
                self.is_over = true;
                (self.asked, self.given_up) = (0, 0);
                if self.state == DialogState::Thinking {
                    self.happened(DialogEvent::NothingToSay);
                }
            }
        }
    }

    fn answer(&mut self, text: String) {
        (self.report)(VoiceEvent::Answer { text: text.clone() });
        if text.trim().is_empty() || self.playback.is_none() {
            self.stay_attentive();
            self.happened(DialogEvent::NothingToSay);
        } else {
            self.pending.text = text;
            self.happened(DialogEvent::Answer);
        }
    }

    fn heard(&mut self, heard: RecognizerEvent) {
        match heard {
            RecognizerEvent::Began { .. } => {
                self.show_hearing(true);
                self.happened(DialogEvent::Began);
            }
            RecognizerEvent::Partial { text, confidence, at } => {
                (self.report)(VoiceEvent::PartialTranscript { text, confidence, at_s: at.as_secs_f64() });
            }
            RecognizerEvent::StopWord { word, ended, at } => {
                (self.report)(VoiceEvent::Stop {
                    word: word.clone(),
                    ended_s: ended.as_secs_f64(),
                    detected_s: at.as_secs_f64(),
                });
                self.happened(DialogEvent::StopWord);
                self.hand_on(SpokenRequest {
                    text: "stop".into(),
                    heard: word,
                    stop_epoch: self.control_loop.stop_epoch(),
                });
                // A report about the standstill is not needed.
                self.given_up = self.asked;
            }
            RecognizerEvent::Failed(text) => (self.report)(VoiceEvent::Error { text }),
            // The first one arrives as an utterance.
            RecognizerEvent::Utterance { .. }
            | RecognizerEvent::Nothing { .. }
            | RecognizerEvent::Gap { .. } => self.show_hearing(false),
        }
    }

    /// Handles an utterance: is it for the robot, and was it understood?
    fn uttered(&mut self, utterance: Utterance) {
        self.show_hearing(false);
        let Utterance { transcript, command, began, ended, stop_epoch, is_stopped, doa_deg: bearing_deg } =
            utterance;
        let meaning = interpret(&transcript, command.as_ref(), &self.vocabulary);
        let heard = transcript.text;
        (self.report)(VoiceEvent::Transcript {
            text: heard.clone(),
            interpretation: meaning.text.clone(),
            confidence: meaning.confidence,
            began_s: began.as_secs_f64(),
            ended_s: ended.as_secs_f64(),
            doa_deg: bearing_deg,
        });
        // The recognizer has stopped the robot already, and the rest of it does not count.
        if is_stopped {
            return;
        }
        let is_attentive = match self.voice.wake_word_mode {
            WakeWordMode::Never => true,
            WakeWordMode::Once => self.attentive.is_some_and(|until| self.clock.now() < until),
            WakeWordMode::Always => false,
        };
        let called =
            self.wake.spot(&meaning.text).or_else(|| self.wake.spot(&heard).map(|_| meaning.text.clone()));
        let text = match called {
            Some(rest) => rest,
            None if is_attentive => meaning.text.clone(),
            None => {
                return (self.report)(VoiceEvent::Ignored {
                    text: heard,
                    reason: "the robot was not called",
                });
            }
        };
        self.stay_attentive();
        if text.is_empty() {
            return self.chime(Chime::Listening);
        }
        if f64::from(meaning.confidence) < self.voice.min_confidence {
            (self.report)(VoiceEvent::Ignored { text: heard, reason: "it was not heard well enough" });
            self.pending.text = UNSURE.into();
            return self.happened(DialogEvent::Unsure);
        }
        if let Some(chime) = chime_for(&text) {
            self.chime(chime);
        }
        self.pending.said = Some(SpokenRequest { text, heard, stop_epoch });
        self.happened(DialogEvent::Utterance);
    }

    /// Passes a request to the answering thread.
    fn hand_on(&mut self, said: SpokenRequest) {
        self.is_asking = false;
        if self.out.as_ref().is_some_and(|out| out.send(said).is_ok()) {
            self.asked += 1;
        } else {
            self.is_over = true;
        }
    }

    fn stay_attentive(&mut self) {
        self.attentive = Some(self.clock.now() + self.voice.attention_timeout);
    }

    fn chime(&self, chime: Chime) {
        if let Some(playback) = &self.playback {
            playback.report(PlaybackCommand::Chime(chime));
        }
    }

    fn happened(&mut self, happened: DialogEvent) {
        let (next, acts) = self.state.transition(happened, self.voice.barge_in_stops_motion);
        let changed = next != self.state;
        self.state = next;
        acts.into_iter().for_each(|act| self.act(act));
        if changed {
            self.show();
        }
    }

    fn show_hearing(&mut self, is_so: bool) {
        if let Some(signs) = self.antenna_cues.as_mut().filter(|_| self.state == DialogState::Listening) {
            signs.hears(is_so);
        }
    }

    fn show(&mut self) {
        if let Some(signs) = &mut self.antenna_cues {
            signs.thinks(self.state == DialogState::Thinking);
        }
        let state = match self.state {
            DialogState::Listening => "listening",
            DialogState::Thinking => "thinking",
            DialogState::Speaking => "speaking",
            DialogState::Holding => "holding",
        };
        (self.report)(VoiceEvent::State { state });
    }

    fn act(&mut self, act: DialogAction) {
        match act {
            // The recognizer reported it before this event.
            DialogAction::Hold => {}
            DialogAction::CutSpeech => {
                if let Some(playback) = &self.playback {
                    playback.report(PlaybackCommand::Cut);
                }
                (self.report)(VoiceEvent::Interrupted);
            }
            DialogAction::CutMotion => self.control_loop.send_command(LoopCommand::Stop),
            // A stop ends the run for the earlier sentence. What was said after the stop counts as a later
            // request.
            DialogAction::GiveUp => {
                if self.asked > 0 && self.state != DialogState::Holding {
                    self.control_loop.send_command(LoopCommand::Stop);
                    if let Some(said) = &mut self.pending.said {
                        said.stop_epoch = self.control_loop.stop_epoch();
                    }
                }
                self.given_up = self.asked;
            }
            DialogAction::Think => {
                if let Some(said) = self.pending.said.take() {
                    self.hand_on(said);
                }
            }
            DialogAction::Speak | DialogAction::AskBack => self.say(),
            DialogAction::Sorry => {
                self.pending.text = SORRY.into();
                self.say();
            }
        }
    }

    fn say(&mut self) {
        let text = std::mem::take(&mut self.pending.text);
        self.ordered += 1;
        match &self.playback {
            Some(playback) => playback.report(PlaybackCommand::Say(text, self.ordered)),
            None => {
                (self.report)(VoiceEvent::Answer { text });
                // Speech is off, so it is over.
                self.happened(DialogEvent::AllSaid);
            }
        }
    }
}

/// Returns the sound for waking up and for going to sleep.
fn chime_for(text: &str) -> Option<Chime> {
    let Understanding::Plan(plan) = understood(text, &Known::default()) else { return None };
    plan.iter().find_map(|intent| match intent {
        Intent::Motion(Primitive::Wake) => Some(Chime::Wake),
        Intent::Motion(Primitive::Sleep) => Some(Chime::Sleep),
        _ => None,
    })
}
