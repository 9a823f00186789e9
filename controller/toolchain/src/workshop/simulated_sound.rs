//! What the simulated robot hears: faint noise, and the claps and voices of the stimuli.
//!
//! The sound depends on robot time alone, so a call hears the same each time.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_6, TAU};

use firmware_bridge::clock::Timestamp;
use minismith_control::sound::{MAX_HEARD_SECONDS, NoSound, SAMPLE_RATE, Sound, VoiceDirection};

use super::stimuli::{Event, Side, Stimulus};

/// Samples come in blocks of 20 ms, as from a device.
const BLOCK: u64 = SAMPLE_RATE as u64 / 50;

/// The largest value of the noise of a quiet room.
const NOISE: f64 = 0.002;
/// The first peak of a clap, and the time in which it falls to a third, seconds.
const CLAP_PEAK: f64 = 0.8;
const CLAP_DECAY_S: f64 = 0.02;
/// The loudness of a voice, its pitch in hertz, and its syllables per second.
const VOICE_PEAK: f64 = 0.15;
const VOICE_HZ: f64 = 140.0;
const SYLLABLES_HZ: f64 = 4.0;

/// The microphones and the speaker of the simulated robot.
pub(crate) struct SimulatedSound {
    stimuli: Vec<Stimulus>,
    /// The next sample, if sound is recorded.
    next: Option<u64>,
    last_angle: f64,
}

impl SimulatedSound {
    pub(crate) fn new(stimuli: &[Stimulus]) -> Self {
        let audible = |one: &&Stimulus| matches!(one.event, Event::Clap | Event::Voice);
        let stimuli = stimuli.iter().filter(audible).cloned().collect();
        SimulatedSound { stimuli, next: None, last_angle: FRAC_PI_2 }
    }

    fn sample(&self, at: u64) -> f32 {
        let time = at as f64 / f64::from(SAMPLE_RATE);
        let noise = noise(at);
        let sounds = self.stimuli.iter().filter(|one| time >= one.from_s && time < one.to_s).map(|one| {
            let since = time - one.from_s;
            match one.event {
                Event::Clap => CLAP_PEAK * (-since / CLAP_DECAY_S).exp() * noise,
                _ => {
                    let syllable = 0.5 - 0.5 * (TAU * SYLLABLES_HZ * since).cos();
                    let tone: f64 =
                        (1..=6).map(f64::from).map(|h| (TAU * VOICE_HZ * h * since).sin() / h).sum();
                    VOICE_PEAK * syllable * tone / 2.0
                }
            }
        });
        (NOISE * noise + sounds.sum::<f64>()).clamp(-1.0, 1.0) as f32
    }
}

impl Sound for SimulatedSound {
    fn record(&mut self, on: bool, now: Timestamp) -> Result<(), NoSound> {
        self.next = match self.next {
            Some(next) if on => Some(next),
            _ => on.then(|| recorded_by(now)),
        };
        Ok(())
    }

    fn heard(&mut self, now: Timestamp) -> Vec<f32> {
        let Some(next) = self.next else { return Vec::new() };
        let end = recorded_by(now);
        let from = next.max(end.saturating_sub(u64::from(MAX_HEARD_SECONDS * SAMPLE_RATE)));
        self.next = Some(end.max(next));
        (from..end).map(|at| self.sample(at)).collect()
    }

    fn direction(&mut self, now: Timestamp) -> Option<VoiceDirection> {
        let time = now.seconds();
        let speaks = |one: &&Stimulus| one.event == Event::Voice && time >= one.from_s && time < one.to_s;
        let voice = self.stimuli.iter().rfind(speaks).map(|one| match one.side {
            Side::Left => FRAC_PI_6,
            Side::Ahead => FRAC_PI_2,
            Side::Right => 5.0 * FRAC_PI_6,
        });
        self.last_angle = voice.unwrap_or(self.last_angle);
        Some(VoiceDirection { angle: self.last_angle, is_speech: voice.is_some() })
    }

    fn play_file(&mut self, _name: &str) -> Result<(), NoSound> {
        Ok(())
    }

    fn play(&mut self, _samples: &[f32]) -> Result<(), NoSound> {
        Ok(())
    }

    fn end(&mut self, _is_stopped: bool) {
        self.next = None;
    }
}

/// Returns the number of samples that were recorded by a time, in whole blocks.
fn recorded_by(now: Timestamp) -> u64 {
    now.0 / (1_000_000_000 / u64::from(SAMPLE_RATE)) / BLOCK * BLOCK
}

/// Returns white noise from -1 to 1: the hash of the sample's number (splitmix64).
fn noise(at: u64) -> f64 {
    let mut hash = at.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^= hash >> 31;
    (hash >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn at(seconds: f64) -> Timestamp {
        Timestamp::ZERO + Duration::from_secs_f64(seconds)
    }

    fn peak(samples: &[f32]) -> f32 {
        samples.iter().fold(0.0, |peak, sample| sample.abs().max(peak))
    }

    #[test]
    fn room_is_quiet_but_for_the_stimuli() {
        let stimuli = [
            Stimulus::beginning_at(Event::Clap, 1.0),
            Stimulus { side: Side::Left, ..Stimulus::beginning_at(Event::Voice, 2.0) },
        ];
        let mut sound = SimulatedSound::new(&stimuli);
        assert!(sound.heard(at(0.5)).is_empty(), "nothing is recorded");
        sound.record(true, at(0.1)).unwrap();
        let quiet = sound.heard(at(0.9));
        assert!(quiet.len() == 12_800 && peak(&quiet) <= 0.0021, "{} {}", quiet.len(), peak(&quiet));
        assert_eq!(sound.direction(at(0.9)), Some(VoiceDirection { angle: FRAC_PI_2, is_speech: false }));
        let clap = sound.heard(at(1.1));
        assert!(peak(&clap) > 0.6, "{}", peak(&clap));
        assert!(sound.heard(at(1.11)).is_empty(), "no whole block");
        assert!(peak(&sound.heard(at(1.99))) < 0.01);
        assert!((0.1..0.3).contains(&peak(&sound.heard(at(2.9)))));
        assert_eq!(sound.direction(at(2.9)), Some(VoiceDirection { angle: FRAC_PI_6, is_speech: true }));
        assert_eq!(sound.direction(at(60.0)), Some(VoiceDirection { angle: FRAC_PI_6, is_speech: false }));
        assert_eq!(sound.heard(at(60.0)).len(), 16_000, "the last second");
        sound.record(false, at(60.0)).unwrap();
        assert!(sound.heard(at(61.0)).is_empty());
    }

    #[test]
    fn call_hears_the_same_each_time() {
        let hear = || {
            let mut sound = SimulatedSound::new(&[Stimulus::beginning_at(Event::Clap, 0.2)]);
            sound.record(true, at(0.0)).unwrap();
            [sound.heard(at(0.3)), sound.heard(at(0.7))]
        };
        assert_eq!(hear(), hear());
    }
}
