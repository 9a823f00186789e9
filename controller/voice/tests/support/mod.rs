//! Shared fixtures of the voice tests: espeak-ng as a speaker and as phonemizer, noise, and word error counts.

#![allow(dead_code)] // Each test uses a part of it.

use std::path::PathBuf;
use std::time::Duration;

use firmware_bridge::clock::{Clock, MonotonicClock};
use minismith_perception::models::Models;
use minismith_voice::VoiceError;
use minismith_voice::audio::{Clip, power};
use minismith_voice::commands::words;
use minismith_voice::hibari::Phonemizer;

/// Returns the installed models.
pub fn models() -> Models {
    Models::at(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../.cache/models"))
}

/// Runs espeak-ng and returns its standard output.
#[allow(clippy::disallowed_methods)] // The speaker in these tests is a program.
fn espeak(arguments: &[&str]) -> Vec<u8> {
    let output = std::process::Command::new("espeak-ng")
        .args(arguments)
        .output()
        .expect("espeak-ng is not installed; run scripts/sound --speak");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// Speaks a sentence with espeak-ng, at 16 kHz.
pub fn spoken(text: &str, voice: &str, words_a_minute: u32) -> Clip {
    let bytes = espeak(&["-v", voice, "-s", &words_a_minute.to_string(), "--stdout", text]);
    // Skip the header, whose length is wrong for a stream.
    let data = bytes.get(44..).unwrap();
    let samples: Vec<f32> =
        data.chunks_exact(2).map(|b| f32::from(i16::from_le_bytes([b[0], b[1]])) / 32768.0).collect();
    Clip::new(22_050, samples).resampled(16_000).unwrap()
}

/// espeak-ng as phonemizer.
pub struct Espeak;

impl Phonemizer for Espeak {
    fn ipa(&mut self, text: &str) -> Result<String, VoiceError> {
        let reported = espeak(&["-v", "en-us", "-q", "--ipa", "--tie=^", text]);
        Ok(String::from_utf8_lossy(&reported).into_owned())
    }
}

/// Reproducible pseudorandom numbers.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 40) as f32 / (1_u64 << 23) as f32 - 1.0
    }
}

/// Generates white noise of a level in dBFS.
pub fn noise(samples: usize, level: f32, seed: u64) -> Vec<f32> {
    let mut dice = Dice(seed | 1);
    // Uniform numbers between -1 and 1 have a mean square of a third.
    let gain = 10_f32.powf(level / 20.0) * 3_f32.sqrt();
    (0..samples).map(|_| dice.roll() * gain).collect()
}

/// Adds noise `ratio` decibels below the sound, half white and half low-frequency, like a fan's.
pub fn noisy(clip: &Clip, ratio: f32, seed: u64) -> Clip {
    let mut dice = Dice(seed | 1);
    let mut low = 0.0;
    let raw: Vec<f32> = (0..clip.samples.len())
        .map(|_| {
            low += (dice.roll() - low) * 0.05;
            0.3 * dice.roll() + 2.0 * low
        })
        .collect();
    let loud: Vec<f32> = clip.samples.iter().copied().filter(|sample| sample.abs() > 1e-3).collect();
    let gain = (power(&loud) / power(&raw)).sqrt() * 10_f32.powf(-ratio / 20.0);
    let samples = clip.samples.iter().zip(&raw).map(|(sample, noise)| sample + gain * noise).collect();
    Clip::new(clip.rate, samples)
}

/// Pads a sound with silence at both ends.
pub fn padded(clip: &Clip, before: f32, behind: f32) -> Clip {
    let still = |seconds: f32| Clip::silence(clip.rate, Duration::from_secs_f32(seconds)).samples;
    Clip::new(clip.rate, [still(before), clip.samples.clone(), still(behind)].concat())
}

const NUMBERS: [(&str, &str); 14] = [
    ("1", "one"),
    ("2", "two"),
    ("3", "three"),
    ("4", "four"),
    ("5", "five"),
    ("6", "six"),
    ("7", "seven"),
    ("8", "eight"),
    ("9", "nine"),
    ("10", "ten"),
    ("20", "twenty"),
    ("30", "thirty"),
    ("mr", "mister"),
    ("okay", "ok"),
];

/// Normalises the words of a text for comparison.
pub fn compared(text: &str) -> Vec<String> {
    words(text)
        .into_iter()
        .map(|word| {
            NUMBERS.iter().find(|(digits, _)| *digits == word).map_or(word, |(_, name)| (*name).to_owned())
        })
        .collect()
}

/// Returns the number of word errors and the number of words spoken.
pub fn errors(said: &str, heard: &str) -> (usize, usize) {
    let (said, heard) = (compared(said), compared(heard));
    let mut row: Vec<usize> = (0..=heard.len()).collect();
    for (number, word) in said.iter().enumerate() {
        let mut next = vec![number + 1];
        for (position, other) in heard.iter().enumerate() {
            let changed = row[position] + usize::from(word != other);
            next.push(changed.min(row[position + 1] + 1).min(next[position] + 1));
        }
        row = next;
    }
    (row[heard.len()], said.len())
}

/// Measures how long work takes, for information only.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let clock = MonotonicClock::start();
    let begun = clock.now();
    let done = work();
    (done, (clock.now() - begun).as_secs_f64())
}

/// Twenty commands that people say to the robot.
pub const COMMANDS: [&str; 20] = [
    "look left",
    "look right",
    "look up",
    "look down",
    "turn your head to the left",
    "tilt your head to the right",
    "nod twice",
    "shake your head",
    "wiggle your antennas",
    "wake up",
    "go to sleep",
    "stop",
    "dance",
    "look left and then nod three times",
    "turn right thirty degrees",
    "look at me",
    "what do you see",
    "follow my face",
    "go back to the center",
    "hey reachy, look up and wiggle your antennas",
];
