//! A simulated robot that does what it understands. Nobody and nothing is in view.

use minismith_score::{Axis, AxisValues, Event};

use crate::clause::Phrase;
use crate::{Past, Reading, is_stop, read, timeline};

/// What became of one sentence.
pub(super) struct Heard {
    /// What was understood.
    pub reading: Reading,
    /// Whether it is a stop.
    pub is_stop: bool,
    /// Why it can't be done, if so.
    pub refusal: Option<String>,
}

/// A robot that listens.
pub(super) struct Listener {
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
    /// Returns how far the head is turned, degrees.
    pub fn turned(&self) -> f64 {
        self.posture[Axis::HeadTurn]
    }

    /// Takes one sentence.
    pub fn hear(&mut self, text: &str) -> Heard {
        if is_stop(text) {
            return Heard { reading: Reading::Nothing, is_stop: true, refusal: None };
        }
        let (reading, language) = read(text, self.past.as_ref(), self.language);
        self.language = language;
        let before = self.posture;
        let past = match reading.clone() {
            Reading::Motion { meaning, act, parts, phrase, .. } => {
                Some(Past { meaning, act, parts, phrase, before, after: None, earlier: None })
            }
            Reading::Conditional { event: Event::Face, otherwise: Some(meaning), .. } => Some(Past {
                meaning,
                act: None,
                parts: Vec::new(),
                phrase: Phrase::default(),
                before,
                after: None,
                earlier: None,
            }),
            _ => None,
        };
        let refusal = match (&reading, past) {
            (Reading::Impossible(why), _) => Some(why.told("en")),
            (_, None) => None,
            (_, Some(past)) => match timeline(&past.meaning, &before) {
                Ok(timeline) => {
                    self.posture = timeline.axes_at(timeline.seconds());
                    let earlier = self.past.take().map(Into::into);
                    self.past = Some(Past { earlier, after: Some(self.posture), ..past });
                    None
                }
                Err(why) => Some(why.told("en")),
            },
        };
        Heard { reading, is_stop: false, refusal }
    }
}
