//! What was meant by what was heard: words that the robot can act on as they are, the command that the sound is most like, words
//! that are mended, or words for whoever thinks.

use minismith_voice::commands::Vocabulary;
use minismith_voice::transcriber::{Choice, Transcript};

use super::phrases::is_read;

/// What was meant.
#[derive(Clone, Debug, PartialEq)]
pub struct Meaning {
    /// In words.
    pub text: String,
    /// How sure that is, from 0 to 1.
    pub confidence: f32,
}

/// Words that can be acted on as they were heard count most; then the command that the sound is most like, where the model
/// finds it likely beside what it heard freely; then words in which slips of the model are mended.
#[must_use]
pub fn meant(heard: &Transcript, command: Option<&Choice>, vocabulary: &Vocabulary) -> Meaning {
    let of = |text: &str, confidence: f32| Meaning { text: text.to_owned(), confidence };
    if is_read(&heard.text) {
        return of(&heard.text, heard.confidence);
    }
    if let Some(command) = command.filter(|command| command.is_meant(heard)) {
        return of(&command.sentence, heard.confidence.max(command.confidence));
    }
    let mended = vocabulary.repair(&heard.text);
    if !mended.taken.is_empty() && is_read(&mended.text) {
        return of(&mended.text, heard.confidence);
    }
    of(&heard.text, heard.confidence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::voice::phrases::commands;

    fn of(text: &str, confidence: f32, command: Option<(&str, f32)>) -> String {
        let heard = Transcript { text: text.into(), confidence, least: confidence };
        let command = command.map(|(sentence, confidence)| Choice {
            sentence: sentence.into(),
            confidence,
            alike: 0.5,
        });
        meant(&heard, command.as_ref(), &Vocabulary::new(commands([]))).text
    }

    #[test]
    fn words_count_before_commands_and_commands_before_mending() {
        assert_eq!(
            of("Look left 23 degrees.", 0.8, Some(("look left twenty degrees", 0.7))),
            "Look left 23 degrees."
        );
        assert_eq!(of("Gnawed twice.", 0.5, Some(("nod twice", 0.3))), "nod twice");
        assert_eq!(of("Gnaw twice.", 0.9, Some(("nod once", 0.01))), "nod twice");
        assert_eq!(of("My keys are at home.", 0.9, Some(("look at me", 0.05))), "My keys are at home.");
    }
}
