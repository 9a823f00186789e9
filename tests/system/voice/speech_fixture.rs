//! Synthetic speakers: espeak-ng, with noise if requested.

#![allow(clippy::disallowed_methods, reason = "the person who speaks is a program")]

use std::process::Command;
use std::time::Duration;

use minismith_voice::HEARD_RATE;
use minismith_voice::audio::{Clip, power};

/// The two voices.
pub const VOICES: [&str; 2] = ["en-us", "en-gb+f3"];

/// Words per minute.
pub const SPEEDS: [u32; 3] = [130, 160, 190];

/// Returns a spoken sentence at [`HEARD_RATE`].
pub fn spoken(text: &str, voice: &str, speed: u32) -> Clip {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("said.wav");
    let made = Command::new("espeak-ng")
        .args(["-v", voice, "-s", &speed.to_string(), "-w"])
        .arg(&file)
        .arg(text)
        .status()
        .unwrap_or_else(|error| panic!("espeak-ng: {error}; scripts/sound --speak installs it"));
    assert!(made.success());
    Clip::open(&file).unwrap().resampled(HEARD_RATE).unwrap()
}

/// Adds silence before and after.
pub fn padded(clip: &Clip, before: f32, behind: f32) -> Clip {
    let still = |seconds: f32| Clip::silence(clip.rate, Duration::from_secs_f32(seconds)).samples;
    Clip::new(clip.rate, [still(before), clip.samples.clone(), still(behind)].concat())
}

/// Numbers from -1 to 1 that are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 40) as f32 / (1_u64 << 23) as f32 - 1.0
    }
}

/// Adds noise this many decibels below the speech: half white, half low-frequency like a fan's.
pub fn noisy(clip: &Clip, ratio: f32, seed: u64) -> Clip {
    let mut dice = Dice(seed | 1);
    let mut low = 0.0;
    let mut roll = || {
        low += (dice.roll() - low) * 0.05;
        0.3 * dice.roll() + 2.0 * low
    };
    let raw: Vec<f32> = (0..clip.samples.len()).map(|_| roll()).collect();
    let loud: Vec<f32> = clip.samples.iter().copied().filter(|sample| sample.abs() > 1e-3).collect();
    let gain = (power(&loud) / power(&raw)).sqrt() * 10_f32.powf(-ratio / 20.0);
    let samples = clip.samples.iter().zip(&raw).map(|(sample, noise)| sample + gain * noise).collect();
    Clip::new(clip.rate, samples)
}

/// Returns when the last sound of a clip ends.
pub fn end_of(clip: &Clip) -> Duration {
    let last = clip.samples.iter().rposition(|sample| sample.abs() > 0.02).unwrap_or_default();
    minismith_voice::audio::time_of(last as u64, clip.rate)
}
