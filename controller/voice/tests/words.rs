//! Words out of speech: twenty commands in two voices at three speeds, clean and with noise, and people.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod support;

use std::path::Path;

use minismith_voice::audio::Clip;
use minismith_voice::commands::Vocabulary;
use minismith_voice::moonshine::{Choices, Moonshine};
use minismith_voice::transcriber::Transcriber;
use support::{COMMANDS, compared, errors, models, noisy, padded, spoken, timed};

/// The twenty commands, one after the other in any order, called or not.
fn commands(moonshine: &Moonshine) -> Choices {
    moonshine.choices(&["hey reachy"], &COMMANDS, &[])
}

/// Says all commands in one way and counts what is wrong in what is heard, as it is and mended.
fn trial(moonshine: &mut Moonshine, voice: &str, speed: u32, ratio: Option<f32>) -> (f64, f64, usize) {
    let vocabulary = Vocabulary::new(COMMANDS);
    let choices = commands(&moonshine);
    let mut chosen = 0;
    let (mut wrong, mut still, mut said, mut whole) = (0, 0, 0, 0);
    let (mut took, mut slow, mut lasted, mut sure) = (0.0, 0.0, 0.0, 0.0);
    for (number, command) in COMMANDS.iter().enumerate() {
        let clean = padded(&spoken(command, voice, speed), 0.3, 0.4);
        let clip = ratio.map_or(clean.clone(), |ratio| noisy(&clean, ratio, number as u64 + 77));
        let (heard, time) = timed(|| moonshine.transcribe(&clip.samples).unwrap());
        let mended = vocabulary.repair(&heard.text);
        let (as_heard, words) = errors(command, &heard.text);
        let as_mended = errors(command, &mended.text).0;
        wrong += as_heard;
        still += as_mended;
        said += words;
        whole += usize::from(as_mended == 0);
        let (choice, longer) = timed(|| moonshine.choose(&clip.samples, &heard, &choices).unwrap().unwrap());
        chosen += usize::from(compared(&choice.sentence) == compared(command));
        slow += longer;
        if compared(&choice.sentence) != compared(command) {
            println!(
                "    {command:?} ({:?}) taken for {:?} ({:.2})",
                heard.text, choice.sentence, choice.confidence
            );
        }
        took += time;
        lasted += clip.duration().as_secs_f64();
        sure += f64::from(heard.confidence) / 20.0;
        if as_heard > 0 {
            println!(
                "    {command:?} heard as {:?}, mended to {:?} ({:.2})",
                heard.text, mended.text, heard.confidence
            );
        }
    }
    let (rate, mended) = (wrong as f64 / said as f64, still as f64 / said as f64);
    println!(
        "{voice:10} {speed:3}/min noise {:>8}: word errors {:4.1} %, mended {:4.1} %, whole {whole}/20, chosen {chosen}/20, sure {sure:.2}, time {:.3} of the sound's, to choose {:.3}",
        ratio.map_or("none".to_owned(), |ratio| format!("{ratio} dB")),
        rate * 100.0,
        mended * 100.0,
        took / lasted,
        slow / lasted
    );
    (chosen as f64, mended, whole)
}

/// All commands in two voices at three speeds: how many words are wrong when mended, and how many commands are chosen rightly.
fn condition(ratio: Option<f32>) -> (f64, f64) {
    let mut moonshine = Moonshine::open(&models()).unwrap();
    let (mut rates, mut wholes, mut rights) = (0.0, 0, 0.0);
    for voice in ["en-us", "en-gb+f3"] {
        for speed in [130, 160, 190] {
            let (right, mended, whole) = trial(&mut moonshine, voice, speed, ratio);
            rates += mended / 6.0;
            wholes += whole;
            rights += right / 120.0;
        }
    }
    println!(
        "== noise {ratio:?}: mended word errors {:.1} %, whole {wholes}/120, chosen {:.1} %",
        rates * 100.0,
        rights * 100.0
    );
    (rates, rights)
}

#[test]
fn commands_are_understood() {
    let (rate, right) = condition(None);
    assert!(rate < 0.4 && right >= 0.9, "{rate} {right}");
}

#[test]
fn commands_are_understood_in_noise() {
    let (rate, right) = condition(Some(20.0));
    assert!(rate < 0.5 && right > 0.85, "{rate} {right}");
}

#[test]
fn commands_are_understood_in_much_noise() {
    let (rate, right) = condition(Some(10.0));
    assert!(rate < 0.6 && right > 0.75, "{rate} {right}");
}

/// What is no command, but might be taken for one.
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
fn what_is_no_command_is_known_by_its_confidence() {
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
    for (voice, ratio) in
        [("en-us", 40.0), ("en-gb+f3", 40.0), ("en-us", 20.0), ("en-gb+f3", 20.0), ("en-us", 10.0)]
    {
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
fn people_are_understood() {
    let folder = Path::new("/usr/share/pocketsphinx/test/data");
    let cards = std::fs::read_to_string(folder.join("cards/cards.transcription"))
        .expect("recordings of people are installed: scripts/sound --speak does it");
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
            heard.confidence, heard.least, heard.text, choice.confidence, choice.sentence
        );
        wrong += errors;
        said += words;
    }
    println!("people: {:.1} % of {said} words", wrong as f64 / said as f64 * 100.0);
    assert!(said > 80 && (wrong as f64) < 0.15 * said as f64);
}
