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
        f.write_str(&self.describe("en"))
    }
}

impl Spoken {
    /// Describes the motion in a language.
    #[must_use]
    pub fn describe(&self, language: &str) -> String {
        let of = |meaning: &Option<Meaning>| meaning.as_ref().map(|meaning| describe(meaning, language));
        match &self.if_event {
            None => of(&self.meaning).unwrap_or_default(),
            Some((event, then)) => {
                let nothing = || "nothing".to_owned();
                let (then, otherwise) = (of(then), of(&self.meaning));
                format!(
                    "{} if there is {}, otherwise {}",
                    then.unwrap_or_else(nothing),
                    event.describe(),
                    otherwise.unwrap_or_else(nothing)
                )
            }
        }
    }

    /// Returns it as what a later text may refer to, from the neutral posture.
    pub(super) fn past(&self) -> Option<Past> {
        Some(Past {
            meaning: self.meaning.clone()?,
            act: self.act,
            parts: self.parts.clone(),
            phrase: self.phrase.clone(),
            before: AxisValues::neutral(),
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
