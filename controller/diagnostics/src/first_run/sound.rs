//! The microphone and the speaker.

use std::collections::BTreeSet;
use std::time::Duration;

use firmware_bridge::clock::{Clock, MonotonicClock};
use minismith_runtime::config::Config;
use minismith_voice::HEARD_RATE;
use minismith_voice::audio::{level, samples_in, time_of};
use minismith_voice::devices::{DeviceError, Microphone, Pace, Speaker};
use minismith_voice::synthesizer::{Chime, chime};

use super::{Part, Progress, Step, StepState};

/// The duration of the recording.
const RECORDING: Duration = Duration::from_secs(2);
/// The first samples may take a moment.
const PATIENCE: Duration = Duration::from_secs(4);
/// A room is never quieter than this for a working microphone, dBFS; a cut cable gives zeros or almost zeros.
const MIN_LEVEL_DB: f32 = -90.0;
/// The share of samples at full scale above which the signal counts as distorted.
const MAX_CLIPPED: f64 = 0.01;

const MICROPHONE: &str = "sound, neither silence nor distortion";
const SPEAKER: &str = "two rising notes";

/// Adds the steps `microphone` and `speaker`.
pub(super) fn examine(progress: &mut Progress<'_>, config: &Config, skip: &BTreeSet<Part>) {
    let why = |part, configured: bool| {
        if skip.contains(&part) {
            Some("left out by --skip")
        } else {
            (!configured).then_some("none is configured")
        }
    };
    match (&config.voice.microphone, why(Part::Microphone, config.voice.microphone.is_some())) {
        (Some(name), None) => {
            progress.begin("microphone");
            progress.add(microphone(name));
        }
        (_, why) => progress.add(Step::skipped("microphone", MICROPHONE, why.unwrap_or_default())),
    }
    match (&config.voice.speaker, why(Part::Speaker, config.voice.speaker.is_some())) {
        (Some(name), None) => {
            progress.begin("speaker");
            let step = speaker(name, &mut || progress.person.asks("Did the speaker play two rising notes?"));
            progress.add(step);
        }
        (_, why) => progress.add(Step::skipped("speaker", SPEAKER, why.unwrap_or_default())),
    }
}

fn unusable(name: &'static str, expected: &str, error: &DeviceError) -> Step {
    let text = error.to_string();
    let (found, advice) = text
        .split_once("; ")
        .unwrap_or((&text, "close other programs that use it, and see `minismith doctor`"));
    Step::failed(name, expected, found.to_owned(), advice)
}

fn microphone(device: &str) -> Step {
    match record(device) {
        Ok(samples) => judge(device, &samples),
        Err(error) => unusable("microphone", MICROPHONE, &error),
    }
}

fn record(device: &str) -> Result<Vec<f32>, DeviceError> {
    let microphone = Microphone::open(device, Pace::Device, PATIENCE)?;
    let (clock, wanted) = (MonotonicClock::start(), samples_in(RECORDING, HEARD_RATE));
    let until = clock.now() + PATIENCE;
    let mut samples = Vec::new();
    while samples.len() < wanted && clock.now() < until && !microphone.health().is_lost {
        samples.extend(microphone.take(Duration::from_millis(100)));
    }
    Ok(samples)
}

fn judge(device: &str, samples: &[f32]) -> Step {
    const NAME: &str = "microphone";
    let loudness = level(samples);
    let clipped = samples.iter().filter(|sample| sample.abs() >= 0.999).count();
    let seconds = time_of(u64::try_from(samples.len()).unwrap_or(u64::MAX), HEARD_RATE).as_secs_f64();
    let measured = format!("{device}: {loudness:.0} dBFS over {seconds:.1} s");
    if samples.is_empty() {
        return Step::failed(
            NAME,
            MICROPHONE,
            format!("{device} delivers nothing"),
            "unplug the USB cable of the sound card and plug it in again",
        );
    }
    if loudness <= MIN_LEVEL_DB {
        return Step::failed(
            NAME,
            MICROPHONE,
            format!("{measured}, which is silence"),
            "see whether it is muted (`alsamixer`, F4), and whether another microphone is the right one (`arecord -L`)",
        );
    }
    if clipped as f64 > samples.len() as f64 * MAX_CLIPPED {
        return Step::failed(
            NAME,
            MICROPHONE,
            format!("{measured}, and {clipped} samples are at full scale"),
            "lower its level (`alsamixer`, F4)",
        );
    }
    Step::good(NAME, MICROPHONE, measured)
}

fn speaker(device: &str, heard: &mut dyn FnMut() -> Option<bool>) -> Step {
    const NAME: &str = "speaker";
    let speaker = match Speaker::open(device, Pace::Device, PATIENCE) {
        Ok(speaker) => speaker,
        Err(error) => return unusable(NAME, SPEAKER, &error),
    };
    let notes = chime(Chime::Wake, speaker.rate());
    speaker.play(&notes.samples);
    let played = speaker.wait(notes.duration() + PATIENCE);
    let health = speaker.health();
    if !played || health.is_lost {
        let why = health.latest.unwrap_or_else(|| "it takes no samples".to_owned());
        return Step::failed(
            NAME,
            SPEAKER,
            format!("{device} played nothing: {why}"),
            "unplug the USB cable of the sound card and plug it in again",
        );
    }
    match heard() {
        Some(true) => Step::good(NAME, SPEAKER, format!("{device}: a person has heard them")),
        Some(false) => Step::failed(
            NAME,
            SPEAKER,
            format!("{device} took the samples, and a person has heard nothing"),
            "raise the volume (`alsamixer`), and see whether another device is the right one (`aplay -L`)",
        ),
        None => Step::new(
            NAME,
            StepState::NotJudged,
            SPEAKER,
            format!("{device} took the samples; whether they can be heard, only a person knows"),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_and_distortion_are_no_sound() {
        let tone = |gain: f32| -> Vec<f32> {
            (0..8_000).map(|n| (gain * (n as f32 * 0.3).sin()).clamp(-1.0, 1.0)).collect()
        };
        assert_eq!(judge("plug", &tone(0.01)).state, StepState::Good);
        for (samples, word) in [
            (Vec::new(), "nothing"),
            (vec![0.0; 8_000], "silence"),
            (tone(1e-6), "silence"),
            (tone(5.0), "full scale"),
        ] {
            let step = judge("plug", &samples);
            assert_eq!(step.state, StepState::Failed);
            assert!(step.measured.contains(word), "{step}");
        }
    }
}
