//! Interprets a transcript: as it is, as the most similar command, with corrections, or as a request for the
//! agents.

use minismith_voice::commands::Vocabulary;
use minismith_voice::transcriber::{Choice, Transcript};

use super::phrases::is_read;

/// The interpretation of an utterance.
#[derive(Clone, Debug, PartialEq)]
pub struct Interpretation {
    /// The text.
    pub text: String,
    /// Its confidence, from 0 to 1.
    pub confidence: f32,
}

/// Returns the interpretation of a transcript.
///
/// Words that the robot can act on as heard come first. Next is the most similar command, where the model
/// finds it likely compared with the free transcript. Last are words with corrections of the model's errors.
#[must_use]
pub fn interpret(heard: &Transcript, command: Option<&Choice>, vocabulary: &Vocabulary) -> Interpretation {
    let of = |text: &str, confidence: f32| Interpretation { text: text.to_owned(), confidence };
    if is_read(&heard.text) {
        return of(&heard.text, heard.confidence);
    }
    if let Some(command) = command.filter(|command| command.is_meant(heard)) {
        return of(&command.sentence, heard.confidence.max(command.confidence));
    }
    let repaired = vocabulary.repair(&heard.text);
    if !repaired.taken.is_empty() && is_read(&repaired.text) {
        return of(&repaired.text, heard.confidence);
    }
    of(&heard.text, heard.confidence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phrases::commands;

    fn of(text: &str, confidence: f32, command: Option<(&str, f32)>) -> String {
        let heard = Transcript { text: text.into(), confidence, min_confidence: confidence };
        let command = command.map(|(sentence, confidence)| Choice {
            sentence: sentence.into(),
            confidence,
            alike: 0.5,
        });
        interpret(&heard, command.as_ref(), &Vocabulary::new(commands([]))).text
    }

    #[test]
    fn words_precede_commands_and_commands_precede_corrections() {
        assert_eq!(
            of("Look left 23 degrees.", 0.8, Some(("look left twenty degrees", 0.7))),
            "Look left 23 degrees."
        );
        assert_eq!(of("Gnawed twice.", 0.5, Some(("nod twice", 0.3))), "nod twice");
        assert_eq!(of("Gnaw twice.", 0.9, Some(("nod once", 0.01))), "nod twice");
        // The grammar takes "dilt" for "tilt", which is a guess; the command that was heard in the samples is not.
        assert_eq!(
            of("Dilt your head to the right.", 0.8, Some(("tilt your head to the right", 0.7))),
            "tilt your head to the right"
        );
        assert_eq!(of("My keys are at home.", 0.9, Some(("look at me", 0.05))), "My keys are at home.");
    }
}
