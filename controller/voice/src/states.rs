//! A conversation by voice as one machine without input or output: what happened goes in, where it stands and what is to be
//! done come out.
//!
//! ```text
//!                 utterance                    answer
//!  ┌───────────┐ ───────────────► ┌──────────┐ ─────────────► ┌──────────┐
//!  │ Listening │                  │ Thinking │                │ Speaking │
//!  └───────────┘ ◄─────────────── └──────────┘ ◄───────────── └──────────┘
//!    ▲   ▲  │      nothing to say               utterance         ▲   │
//!    │   │  └───── unsure: asks back ────────────────────────────►┘   │
//!    │   └──────── all said; somebody speaks over it: speech is cut ──┘
//!    │ at rest
//!  ┌───────────┐
//!  │  Holding  │ ◄── a stop word, in every state
//!  └───────────┘
//! ```

/// Where a conversation stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum State {
    /// Waiting for somebody to speak, or listening to them.
    #[default]
    Listening,
    /// What was said is being understood or done.
    Thinking,
    /// The robot speaks.
    Speaking,
    /// The robot was told to stop and has not come to rest yet.
    Holding,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Happened {
    /// Somebody began to speak.
    Began,
    /// Somebody said something that is to be answered.
    Utterance,
    /// What was said was not understood well enough to be acted on.
    Unsure,
    /// A stop word was heard.
    StopWord,
    /// There is an answer, or the first sentence of one.
    Answer,
    /// Whoever thinks has ended and has nothing to say.
    NothingToSay,
    /// All was said.
    AllSaid,
    /// The body has come to rest after a stop.
    AtRest,
    /// Something failed on the way.
    Failed,
}

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Act {
    /// Stop all motion, before anything else.
    Hold,
    /// Cut off what is being said, and forget what is still to be said.
    CutSpeech,
    /// End the motion that belongs to what is being said or done, where that is asked for.
    CutMotion,
    /// Give up what is being thought about.
    GiveUp,
    /// Understand and do what was said.
    Think,
    /// Say the answer.
    Speak,
    /// Ask what was meant, instead of acting.
    AskBack,
    /// Say that it did not work.
    Sorry,
}

/// How a state is shown by antennas and light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shown {
    /// How far the antennas are raised from rest, from -1 (down) to 1 (up).
    pub antennas: f64,
    /// How often they sway in a second; never while the robot holds.
    pub sway_hz: f64,
    /// The light: red, green and blue from 0 to 1.
    pub light: [f64; 3],
}

impl State {
    /// All of them.
    pub const ALL: [State; 4] = [State::Listening, State::Thinking, State::Speaking, State::Holding];

    /// How it is shown.
    #[must_use]
    pub fn shown(self) -> Shown {
        match self {
            State::Listening => Shown { antennas: 0.5, sway_hz: 0.0, light: [0.0, 0.6, 1.0] },
            State::Thinking => Shown { antennas: 0.2, sway_hz: 0.5, light: [1.0, 0.7, 0.0] },
            State::Speaking => Shown { antennas: 0.3, sway_hz: 1.0, light: [0.1, 0.9, 0.3] },
            State::Holding => Shown { antennas: 0.0, sway_hz: 0.0, light: [1.0, 0.0, 0.0] },
        }
    }

    /// Where it stands after something happened, and what is to be done, in this order. `cuts_motion` says whether somebody
    /// who speaks over the robot also ends its motion.
    #[must_use]
    pub fn after(self, happened: Happened, cuts_motion: bool) -> (State, Vec<Act>) {
        use State::{Holding, Listening, Speaking, Thinking};
        match (self, happened) {
            (_, Happened::StopWord) => (Holding, vec![Act::Hold, Act::CutSpeech, Act::GiveUp]),
            (Holding, Happened::AtRest) => (Listening, vec![]),
            // What was said together with the stop, or before it came to rest, is not done.
            (Holding, _) => (Holding, vec![]),
            (Speaking, Happened::Began) => {
                let mut acts = vec![Act::CutSpeech];
                if cuts_motion {
                    acts.push(Act::CutMotion);
                }
                (Listening, acts)
            }
            (Speaking, Happened::Utterance) => (Thinking, vec![Act::CutSpeech, Act::Think]),
            (Listening, Happened::Utterance) => (Thinking, vec![Act::Think]),
            // Somebody corrects what is being thought about.
            (Thinking, Happened::Utterance) => (Thinking, vec![Act::GiveUp, Act::Think]),
            (Listening | Speaking, Happened::Unsure) => (Speaking, vec![Act::AskBack]),
            (Thinking, Happened::Answer) => (Speaking, vec![Act::Speak]),
            (Speaking, Happened::Answer) => (Speaking, vec![Act::Speak]),
            (Thinking, Happened::NothingToSay) | (Speaking, Happened::AllSaid) => (Listening, vec![]),
            (Thinking, Happened::Failed) => (Speaking, vec![Act::Sorry]),
            (Speaking, Happened::Failed) => (Listening, vec![Act::CutSpeech]),
            // An answer that comes after somebody has cut it off is not wanted any more.
            (state, _) => (state, vec![]),
        }
    }
}
