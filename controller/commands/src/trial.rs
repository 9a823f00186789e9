//! A conversation with a simulated robot, without anything but this grammar: it shows what a sentence would move.

use minismith_score::simulate::simulate;
use minismith_score::{AxisValues, MotionTrace, Stimuli};

use crate::build::timeline;
use crate::clause::Phrase;
use crate::meaning::Meaning;
use crate::past::Past;
use crate::reader::{Reading, is_stop, read};

/// How long a trace is at least, seconds.
const MIN_SECONDS: f64 = 1.0;

/// What became of one sentence.
#[derive(Clone, Debug)]
pub struct Heard {
    /// What was understood.
    pub reading: Reading,
    /// The language.
    pub language: &'static str,
    /// Whether it is a stop.
    pub is_stop: bool,
    /// Why it can't be done, if so.
    pub refusal: Option<String>,
    /// What moved.
    pub trace: MotionTrace,
}

/// A simulated robot that listens.
#[derive(Clone, Debug)]
pub struct Listener {
    posture: AxisValues,
    past: Option<Past>,
    language: &'static str,
}

impl Default for Listener {
    fn default() -> Self {
        Listener { posture: AxisValues::neutral(), past: None, language: "en" }
    }
}

impl Listener {
    /// Takes one sentence. Nobody and nothing is in view.
    pub fn hear(&mut self, text: &str) -> Heard {
        if is_stop(text) {
            let trace = self.rest();
            return Heard {
                reading: Reading::Nothing,
                language: self.language,
                is_stop: true,
                refusal: None,
                trace,
            };
        }
        let (reading, language) = read(text, self.past.as_ref(), self.language);
        self.language = language;
        let (meaning, act, parts, phrase) = match &reading {
            Reading::Motion { meaning, act, parts, phrase, .. } => {
                (Some(meaning.clone()), *act, parts.clone(), phrase.clone())
            }
            Reading::Conditional { event: minismith_score::Event::Face, otherwise, .. } => {
                (otherwise.clone(), None, Vec::new(), Phrase::default())
            }
            _ => (None, None, Vec::new(), Phrase::default()),
        };
        let mut refusal = match &reading {
            Reading::Impossible(why) => Some(why.clone()),
            _ => None,
        };
        let mut trace = self.rest();
        if let Some(meaning) = meaning {
            match self.run(&meaning) {
                Ok(moved) => {
                    let end = moved.samples.last().copied();
                    let before = self.posture;
                    self.posture = end.unwrap_or(before);
                    trace = moved;
                    self.past = Some(Past { meaning, act, parts, phrase, before });
                }
                Err(why) => refusal = Some(why),
            }
        }
        Heard { reading, language, is_stop: false, refusal, trace }
    }

    fn run(&self, meaning: &Meaning) -> Result<MotionTrace, String> {
        let timeline = timeline(meaning, &self.posture).map_err(|why| why.0)?;
        Ok(simulate(&timeline, &Stimuli::default()))
    }

    fn rest(&self) -> MotionTrace {
        let period = 0.02;
        let count = (MIN_SECONDS / period) as usize;
        MotionTrace { period, samples: vec![self.posture; count], ..MotionTrace::default() }
    }
}
