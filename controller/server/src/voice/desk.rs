//! Decides what a conversation by voice answers, says and cuts, by the state machine of
//! [`minismith_voice::states`].

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use firmware_bridge::clock::{Clock, Tick, WallClock};
use firmware_bridge::pulse::{Conductor, Doing, Order as PulseOrder, PulseHandle};
use minismith_voice::commands::{Vocabulary, Wake};
use minismith_voice::ear::Heard;
use minismith_voice::mouth::Chime;
use minismith_voice::states::{Act, Happened, State};

use super::meaning::meant;
use super::signs::Signs;
use super::tongue::{Order, Tongue};
use super::{Event, News, Said, Utterance};
use minismith_nlu::{Intent, Known, Primitive, Understanding, understand};
use minismith_runtime::config::{Voice, WakeWordMode};

/// How often it checks whether the robot rests after a stop.
const LOOK: Duration = Duration::from_millis(20);

/// The answer to a request that was not understood well enough to act.
const UNSURE: &str = "I am not sure that I heard you well. Please say that again.";

/// The answer when the answering thread failed.
const SORRY: &str = "That did not work.";

/// The state of a conversation by voice. Its thread owns it.
pub(super) struct Desk<F> {
    pub(super) voice: Voice,
    pub(super) wake: Wake,
    pub(super) vocabulary: Vocabulary,
    pub(super) pulse: PulseHandle,
    pub(super) tongue: Option<Tongue>,
    pub(super) signs: Option<Signs>,
    /// The queue to the answering thread, while something may need an answer.
    pub(super) out: Option<Sender<Said>>,
    pub(super) tell: F,
    pub(super) state: State,
    pub(super) clock: WallClock,
    /// Until this time the robot answers without its name.
    pub(super) attentive: Option<Tick>,
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
    said: Option<Said>,
    text: String,
}

impl<F: FnMut(News)> Desk<F> {
    /// Runs until nothing more is heard, answered and said.
    pub(super) fn run(mut self, inbox: &Receiver<Event>) {
        self.show();
        loop {
            match inbox.recv_timeout(LOOK) {
                Ok(Event::Left { at_once: true }) => return,
                Ok(event) => self.take(event),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            if self.state == State::Holding && self.pulse.snapshot().doing != Doing::Braking {
                self.happened(Happened::AtRest);
            }
            if let Some(signs) = &mut self.signs {
                signs.go_on();
            }
            if self.is_over && self.is_asking {
                // No thread will answer it.
                self.out = None;
            }
            if self.is_over && self.asked == 0 && self.state == State::Listening {
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
            Event::Halted => {
                self.happened(Happened::StopWord);
                self.given_up = self.asked;
            }
            Event::Speaking { sentence, lasts } => {
                (self.tell)(News::Speaking { sentence, lasts_s: lasts.as_secs_f64() });
            }
            Event::AllSaid(number) => {
                self.stay_attentive();
                // An order that was cut before is over, too.
                if number == self.ordered {
                    self.happened(Happened::AllSaid);
                }
            }
            Event::Trouble(text) => (self.tell)(News::Trouble { text }),
            Event::Over => self.is_over = true,
            Event::Left { .. } => {
                self.is_over = true;
                (self.asked, self.given_up) = (0, 0);
                if self.state == State::Thinking {
                    self.happened(Happened::NothingToSay);
                }
            }
        }
    }

    fn answer(&mut self, text: String) {
        (self.tell)(News::Answer { text: text.clone() });
        if text.trim().is_empty() || self.tongue.is_none() {
            self.stay_attentive();
            self.happened(Happened::NothingToSay);
        } else {
            self.pending.text = text;
            self.happened(Happened::Answer);
        }
    }

    fn heard(&mut self, heard: Heard) {
        match heard {
            Heard::Began { .. } => {
                self.show_hearing(true);
                self.happened(Happened::Began);
            }
            Heard::Partial { text, confidence, at } => {
                (self.tell)(News::Partial { text, confidence, at_s: at.as_secs_f64() });
            }
            Heard::StopWord { word, ended, at } => {
                (self.tell)(News::Stop {
                    word: word.clone(),
                    ended_s: ended.as_secs_f64(),
                    known_s: at.as_secs_f64(),
                });
                self.happened(Happened::StopWord);
                self.hand_on(Said { text: "stop".into(), heard: word, halts: self.pulse.halts() });
                // A report about the standstill is not needed.
                self.given_up = self.asked;
            }
            Heard::Failed(text) => (self.tell)(News::Trouble { text }),
            // The first one arrives as an utterance.
            Heard::Utterance { .. } | Heard::Nothing { .. } | Heard::Gap { .. } => self.show_hearing(false),
        }
    }

    /// Handles an utterance: is it for the robot, and was it understood?
    fn uttered(&mut self, utterance: Utterance) {
        self.show_hearing(false);
        let Utterance { transcript, command, began, ended, halts, is_stopped, bearing_deg } = utterance;
        let meaning = meant(&transcript, command.as_ref(), &self.vocabulary);
        let heard = transcript.text;
        (self.tell)(News::Heard {
            text: heard.clone(),
            means: meaning.text.clone(),
            confidence: meaning.confidence,
            began_s: began.as_secs_f64(),
            ended_s: ended.as_secs_f64(),
            bearing_deg,
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
                return (self.tell)(News::Ignored { text: heard, why: "the robot was not called" });
            }
        };
        self.stay_attentive();
        if text.is_empty() {
            return self.chime(Chime::Listening);
        }
        if f64::from(meaning.confidence) < self.voice.min_confidence {
            (self.tell)(News::Ignored { text: heard, why: "it was not heard well enough" });
            self.pending.text = UNSURE.into();
            return self.happened(Happened::Unsure);
        }
        if let Some(chime) = chime_for(&text) {
            self.chime(chime);
        }
        self.pending.said = Some(Said { text, heard, halts });
        self.happened(Happened::Utterance);
    }

    /// Passes a request to the answering thread.
    fn hand_on(&mut self, said: Said) {
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
        if let Some(tongue) = &self.tongue {
            tongue.tell(Order::Chime(chime));
        }
    }

    fn happened(&mut self, happened: Happened) {
        let (next, acts) = self.state.after(happened, self.voice.barge_in_stops_motion);
        let changed = next != self.state;
        self.state = next;
        acts.into_iter().for_each(|act| self.act(act));
        if changed {
            self.show();
        }
    }

    fn show_hearing(&mut self, is_so: bool) {
        if let Some(signs) = self.signs.as_mut().filter(|_| self.state == State::Listening) {
            signs.hears(is_so);
        }
    }

    fn show(&mut self) {
        if let Some(signs) = &mut self.signs {
            signs.thinks(self.state == State::Thinking);
        }
        let state = match self.state {
            State::Listening => "listening",
            State::Thinking => "thinking",
            State::Speaking => "speaking",
            State::Holding => "holding",
        };
        (self.tell)(News::State { state });
    }

    fn act(&mut self, act: Act) {
        match act {
            // The recognizer reported it before this event.
            Act::Hold => {}
            Act::CutSpeech => {
                if let Some(tongue) = &self.tongue {
                    tongue.tell(Order::Cut);
                }
                (self.tell)(News::Cut);
            }
            Act::CutMotion => self.pulse.order(PulseOrder::Halt),
            // A stop ends the run for the earlier sentence. What was said after the stop counts as a later
            // request.
            Act::GiveUp => {
                if self.asked > 0 && self.state != State::Holding {
                    self.pulse.order(PulseOrder::Halt);
                    if let Some(said) = &mut self.pending.said {
                        said.halts = self.pulse.halts();
                    }
                }
                self.given_up = self.asked;
            }
            Act::Think => {
                if let Some(said) = self.pending.said.take() {
                    self.hand_on(said);
                }
            }
            Act::Speak | Act::AskBack => self.say(),
            Act::Sorry => {
                self.pending.text = SORRY.into();
                self.say();
            }
        }
    }

    fn say(&mut self) {
        let text = std::mem::take(&mut self.pending.text);
        self.ordered += 1;
        match &self.tongue {
            Some(tongue) => tongue.tell(Order::Say(text, self.ordered)),
            None => {
                (self.tell)(News::Answer { text });
                // Speech is off, so it is over.
                self.happened(Happened::AllSaid);
            }
        }
    }
}

/// Returns the sound for waking up and for going to sleep.
fn chime_for(text: &str) -> Option<Chime> {
    let Understanding::Plan(plan) = understand(text, &Known::default()) else { return None };
    plan.iter().find_map(|intent| match intent {
        Intent::Motion(Primitive::Wake) => Some(Chime::Wake),
        Intent::Motion(Primitive::Sleep) => Some(Chime::Sleep),
        _ => None,
    })
}
