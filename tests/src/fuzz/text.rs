//! Text: what people say, and steps that a language model writes.

use minismith_nlu::interpret;
use minismith_nlu::{Known, Understanding};
use minismith_score::{Score, read, read_steps, validate, write};

/// Reads a sentence.
///
/// # Panics
/// When a plan is empty.
pub fn sentence(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    if let Understanding::Plan(intents) = interpret(&text, &Known::default()) {
        assert!(!intents.is_empty());
    }
}

/// Reads steps, and a whole tool, in the language of motion.
///
/// # Panics
/// When a score that was read and is valid is another one after it was written and read again.
pub fn steps(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    if let Ok(score) = read(&text) {
        round_trip(&score);
    }
    if let Ok(steps) = read_steps(&text) {
        let (name, summary) = ("tool".to_owned(), "Moves.".to_owned());
        round_trip(&Score { name, summary, parameters: Vec::new(), steps });
    }
}

fn round_trip(score: &Score) {
    if validate(score).is_ok() {
        assert_eq!(read(&write(score)).unwrap(), *score);
    }
}
