//! Tests speech recognition: twenty commands in two voices with noise, and recordings of people.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod support;

use std::path::Path;

use minismith_voice::audio::Clip;
use minismith_voice::moonshine::{Choices, Moonshine};
use minismith_voice::transcriber::Transcriber;
use support::{COMMANDS, compared, errors, models, noisy, padded, spoken};

/// Builds the choices: the twenty commands in any sequence, with or without a wake phrase.
fn commands(moonshine: &Moonshine) -> Choices {
    moonshine.choices(&["hey reachy"], &COMMANDS, &[])
}

/// Sentences that are similar to commands but are none.
const OTHERS: [&str; 8] = [
    "the weather is nice today",
    "what time is it",
    "I left my keys at home",
    "my head hurts",
    "can you play some music",
    "he turned around and left",
    "look who is here",
    "good morning everybody",
];

#[test]
fn confidence_separates_commands_from_other_sentences() {
    let mut moonshine = Moonshine::open(&models()).unwrap();
    let choices = commands(&moonshine);
    let mut judged = |said: &str, voice: &str, ratio: f32| {
        let clip = noisy(&padded(&spoken(said, voice, 160), 0.3, 0.4), ratio, 5);
        let heard = moonshine.transcribe(&clip.samples).unwrap();
        let choice = moonshine.choose(&clip.samples, &heard, &choices).unwrap().unwrap();
        (
            choice.is_meant(&heard),
            compared(&choice.sentence) == compared(said),
            choice.confidence,
            heard.confidence,
        )
    };
    for (voice, ratio) in [("en-us", 40.0), ("en-gb+f3", 20.0)] {
        let (mut meant, mut wrong, mut others) = (0, 0, 0);
        for command in COMMANDS {
            let (is_meant, is_right, sure, freely) = judged(command, voice, ratio);
            println!("    {command}: {is_meant} {is_right} {sure:.3} of {freely:.2}");
            meant += i32::from(is_meant && is_right);
            wrong += i32::from(is_meant && !is_right);
        }
        for other in OTHERS {
            let (is_meant, _, sure, freely) = judged(other, voice, ratio);
            println!("    {other}: {is_meant} {sure:.3} of {freely:.2}");
            others += i32::from(is_meant);
        }
        println!(
            "{voice} {ratio} dB: {meant} of 20 are acted on, {wrong} are acted on wrongly, and {others} of 8 others"
        );
        assert!(meant >= 14 && wrong <= 1 && others <= 2, "{voice} {ratio}: {meant} {wrong} {others}");
    }
}

#[test]
fn recordings_of_people_are_recognised() {
    let folder = Path::new("/usr/share/pocketsphinx/test/data");
    let cards = std::fs::read_to_string(folder.join("cards/cards.transcription"))
        .expect("recordings of people are not installed; run scripts/sound --tests");
    let read = std::fs::read_to_string(folder.join("librivox/transcription")).unwrap();
    let mut moonshine = Moonshine::open(&models()).unwrap();
    let choices = commands(&moonshine);
    let (mut wrong, mut said) = (0, 0);
    for (part, line) in
        cards.lines().map(|line| ("cards", line)).chain(read.lines().map(|line| ("librivox", line)))
    {
        let (text, name) = line.rsplit_once('(').unwrap();
        let text = text.replace("<s>", "").replace("</s>", "");
        let clip =
            Clip::open(&folder.join(part).join(format!("{}.wav", name.trim_end_matches(')')))).unwrap();
        let clip = clip.at_rate(16_000).unwrap();
        let heard = moonshine.transcribe(&clip.samples).unwrap();
        let (errors, words) = errors(&text, &heard.text);
        let choice = moonshine.choose(&clip.samples, &heard, &choices).unwrap().unwrap();
        println!(
            "{errors:2} of {words:2}, sure {:.2}/{:.2}: {} (as a command {:.2}: {})",
            heard.confidence, heard.min_confidence, heard.text, choice.confidence, choice.sentence
        );
        wrong += errors;
        said += words;
    }
    println!("people: {:.1} % of {said} words", wrong as f64 / said as f64 * 100.0);
    assert!(said > 80 && (wrong as f64) < 0.15 * said as f64);
}
