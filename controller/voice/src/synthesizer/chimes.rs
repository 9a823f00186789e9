//! Chimes made of sine waves ([`Chime`]): the robot wakes, falls asleep, listens or did not understand.

use std::f32::consts::TAU;

use crate::audio::Clip;

/// Meaning of a chime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chime {
    /// The robot wakes: two rising notes.
    Wake,
    /// The robot goes to sleep: three falling notes.
    Sleep,
    /// The robot listens: one short high note.
    Listening,
    /// The robot did not understand, or something failed: two low notes.
    Sorry,
}

impl Chime {
    /// Returns its notes: start and duration in seconds, and pitch in Hz.
    fn notes(self) -> &'static [(f32, f32, f32)] {
        match self {
            Chime::Wake => &[(0.0, 0.22, 523.25), (0.14, 0.36, 783.99)],
            Chime::Sleep => &[(0.0, 0.24, 659.26), (0.18, 0.26, 523.25), (0.38, 0.5, 392.0)],
            Chime::Listening => &[(0.0, 0.12, 880.0)],
            Chime::Sorry => &[(0.0, 0.16, 293.66), (0.18, 0.24, 246.94)],
        }
    }
}

/// Generates a chime at a sample rate. It begins and ends in silence.
#[must_use]
pub fn chime(kind: Chime, rate: u32) -> Clip {
    let rate_f = rate as f32;
    let notes = kind.notes();
    let length = notes.iter().fold(0.0_f32, |length, (begin, duration, _)| length.max(begin + duration));
    let mut samples = vec![0.0_f32; (length * rate_f) as usize];
    for &(begin, duration, pitch) in notes {
        let count = (duration * rate_f) as usize;
        for (number, sample) in samples.iter_mut().skip((begin * rate_f) as usize).take(count).enumerate() {
            let (time, share) = (number as f32 / rate_f, number as f32 / count.max(1) as f32);
            // Ten milliseconds of attack, then decay for the rest of the note.
            let loud = (time / 0.01).min(1.0) * (1.0 - share).powi(2);
            let tone = (TAU * pitch * time).sin() + 0.25 * (TAU * 2.0 * pitch * time).sin();
            *sample += 0.25 * loud * tone;
        }
    }
    Clip::new(rate, samples)
}
