//! A motion as the reader of commands understands it.

use std::fmt;

use minismith_commands::concept::{Act, Part};
use minismith_commands::describe::describe;
use minismith_commands::meaning::Meaning;
use minismith_commands::{Past, Phrase};
use minismith_score::{AxisValues, Event};

/// A motion as it was said.
#[derive(Clone, Debug, PartialEq)]
pub struct Spoken {
    /// What is done; none if nothing is, unless the event holds.
    pub meaning: Option<Meaning>,
    /// What is done instead if an event holds.
    pub if_event: Option<(Event, Option<Meaning>)>,
    /// The language's code: `en`.
    pub language: &'static str,
    /// Words that were not known, and the ones that sound like them and were taken instead.
    pub heard: Vec<(String, String)>,
    pub(super) act: Option<Act>,
    pub(super) parts: Vec<Part>,
    pub(super) phrase: Phrase,
}

/// Formats the motion in English, as a plan's step.
impl fmt::Display for Spoken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let of = |meaning: &Option<Meaning>| meaning.as_ref().map(|meaning| describe(meaning, "en"));
        let otherwise = of(&self.meaning);
        match &self.if_event {
            None => f.write_str(&otherwise.unwrap_or_default()),
            Some((event, then)) => {
                let nothing = || "nothing".to_owned();
                let (then, otherwise) = (of(then).unwrap_or_else(nothing), otherwise.unwrap_or_else(nothing));
                write!(f, "{then} if there is {}, otherwise {otherwise}", event.describe())
            }
        }
    }
}

impl Spoken {
    /// Returns a part of it.
    pub(super) fn with(&self, meaning: Meaning) -> Self {
        Spoken { meaning: Some(meaning), phrase: Phrase::default(), ..self.clone() }
    }

    /// Returns it as what a later text may refer to. `before`: the posture from which it began. `after`: where it left the robot.
    pub(super) fn past(&self, before: AxisValues, after: Option<AxisValues>) -> Option<Past> {
        Some(Past {
            meaning: self.meaning.clone()?,
            act: self.act,
            parts: self.parts.clone(),
            phrase: self.phrase.clone(),
            before,
            after,
            earlier: None,
        })
    }

    /// Returns what is done when the event holds or not.
    #[must_use]
    pub fn chosen(&self, holds: bool) -> Option<&Meaning> {
        match &self.if_event {
            Some((_, then)) if holds => then.as_ref(),
            _ => self.meaning.as_ref(),
        }
    }
}
