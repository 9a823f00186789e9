//! Dialogue state machine for conversations by voice ([`DialogState`]). It has no input or output: events go in, and the next state
//! and the actions come out.
//!
//! ```text
//!                 utterance                    answer
//!  ┌───────────┐ ───────────────► ┌──────────┐ ─────────────► ┌──────────┐
//!  │ Listening │                  │ Thinking │                │ Speaking │
//!  └───────────┘ ◄─────────────── └──────────┘ ◄───────────── └──────────┘
//!    ▲   ▲  │      nothing to say               utterance         ▲   │
//!    │   │  └───── unsure: asks back ────────────────────────────►┘   │
//!    │   └──────── all spoken; barge-in: speech is cut ───────────────┘
//!    │ at rest
//!  ┌───────────┐
//!  │  Holding  │ ◄── a stop word, in every state
//!  └───────────┘
//! ```

/// State of a conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DialogState {
    /// Waits for speech, or listens to it.
    #[default]
    Listening,
    /// Interprets or executes an utterance.
    Thinking,
    /// Speaks.
    Speaking,
    /// Has received a stop and is not at rest yet.
    Holding,
}

/// An event in a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DialogEvent {
    /// Speech began.
    Began,
    /// An utterance is complete and needs an answer.
    Utterance,
    /// An utterance was not understood well enough to act on it.
    Unsure,
    /// A stop word was detected.
    StopWord,
    /// An answer is available, or its first sentence.
    Answer,
    /// Interpretation ended without an answer.
    NothingToSay,
    /// All sentences were spoken.
    AllSaid,
    /// The robot has come to rest after a stop.
    AtRest,
    /// An error occurred.
    Failed,
}

/// An action to carry out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DialogAction {
    /// Stop all motion, before anything else.
    Hold,
    /// Cut off speech, and discard the rest of it.
    CutSpeech,
    /// Cancel the motion that belongs to the current answer, if configured.
    CutMotion,
    /// Cancel the current interpretation.
    GiveUp,
    /// Interpret and execute the utterance.
    Think,
    /// Speak the answer.
    Speak,
    /// Ask what was meant instead of acting.
    AskBack,
    /// Say that it did not work.
    Sorry,
}

/// How antennas and light indicate a state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Indicator {
    /// Antenna position relative to rest, from -1 (down) to 1 (up).
    pub antennas: f64,
    /// Frequency of the antenna sway in Hz. It is 0 while the robot holds.
    pub sway_hz: f64,
    /// Light colour: red, green and blue from 0 to 1.
    pub light: [f64; 3],
}

impl DialogState {
    /// All states.
    pub const ALL: [DialogState; 4] =
        [DialogState::Listening, DialogState::Thinking, DialogState::Speaking, DialogState::Holding];

    /// Returns how the state is indicated.
    #[must_use]
    pub fn indicator(self) -> Indicator {
        match self {
            DialogState::Listening => Indicator { antennas: 0.5, sway_hz: 0.0, light: [0.0, 0.6, 1.0] },
            DialogState::Thinking => Indicator { antennas: 0.2, sway_hz: 0.5, light: [1.0, 0.7, 0.0] },
            DialogState::Speaking => Indicator { antennas: 0.3, sway_hz: 1.0, light: [0.1, 0.9, 0.3] },
            DialogState::Holding => Indicator { antennas: 0.0, sway_hz: 0.0, light: [1.0, 0.0, 0.0] },
        }
    }

    /// Returns the next state and the actions after an event, in this order. `cuts_motion` selects whether barge-in also
    /// cancels motion.
    #[must_use]
    pub fn transition(self, happened: DialogEvent, cuts_motion: bool) -> (DialogState, Vec<DialogAction>) {
        use DialogState::{Holding, Listening, Speaking, Thinking};
        match (self, happened) {
            (_, DialogEvent::StopWord) => {
                (Holding, vec![DialogAction::Hold, DialogAction::CutSpeech, DialogAction::GiveUp])
            }
            (Holding, DialogEvent::AtRest) => (Listening, vec![]),
            // Utterances that came with the stop, or before the robot was at rest, are not executed.
            (Holding, _) => (Holding, vec![]),
            (Speaking, DialogEvent::Began) => {
                let mut acts = vec![DialogAction::CutSpeech];
                if cuts_motion {
                    acts.push(DialogAction::CutMotion);
                }
                (Listening, acts)
            }
            (Speaking, DialogEvent::Utterance) => {
                (Thinking, vec![DialogAction::CutSpeech, DialogAction::Think])
            }
            (Listening, DialogEvent::Utterance) => (Thinking, vec![DialogAction::Think]),
            // The person corrects the previous utterance.
            (Thinking, DialogEvent::Utterance) => (Thinking, vec![DialogAction::GiveUp, DialogAction::Think]),
            (Listening | Speaking, DialogEvent::Unsure) => (Speaking, vec![DialogAction::AskBack]),
            (Thinking, DialogEvent::Answer) => (Speaking, vec![DialogAction::Speak]),
            (Speaking, DialogEvent::Answer) => (Speaking, vec![DialogAction::Speak]),
            (Thinking, DialogEvent::NothingToSay) | (Speaking, DialogEvent::AllSaid) => (Listening, vec![]),
            (Thinking, DialogEvent::Failed) => (Speaking, vec![DialogAction::Sorry]),
            (Speaking, DialogEvent::Failed) => (Listening, vec![DialogAction::CutSpeech]),
            // An answer that arrives after barge-in is discarded.
            (state, _) => (state, vec![]),
        }
    }
}
