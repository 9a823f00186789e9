//! Tests sound as samples: file formats, resampling, sentence splitting, and bounds of memory.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod support;

use std::time::Duration;

use minismith_voice::VoiceError;
use minismith_voice::audio::{AudioFault, Clip, StreamResampler, decibels, level, time_of};
use minismith_voice::dialog::{DialogAction, DialogEvent, DialogState};
use minismith_voice::moonshine::Tokens;
use minismith_voice::recognizer::{RecognizerEvent, RecognizerOptions, SpeechRecognizer};
use minismith_voice::synthesizer::{envelope, sentences};
use minismith_voice::transcriber::{Transcriber, Transcript};
use minismith_voice::vad::SpeechDetector;
use proptest::prelude::*;
use support::{Dice, noise};

fn tone(rate: u32, pitch: f32, count: usize) -> Clip {
    let samples =
        (0..count).map(|n| 0.5 * (std::f32::consts::TAU * pitch * n as f32 / rate as f32).sin()).collect();
    Clip::new(rate, samples)
}

fn tone_at(rate: u32, pitch: f32, turn: f32, count: usize) -> Vec<f32> {
    (0..count).map(|n| (std::f32::consts::TAU * (pitch * n as f32 / rate as f32 + turn)).sin()).collect()
}

#[test]
fn wav_files_round_trip() {
    let clip = tone(16_000, 440.0, 4000);
    let again = Clip::from_bytes(&clip.to_bytes().unwrap()).unwrap();
    assert_eq!((again.rate, again.samples.len()), (16_000, 4000));
    assert!(clip.samples.iter().zip(&again.samples).all(|(one, other)| (one - other).abs() < 1e-4));
    let folder = tempfile::tempdir().unwrap();
    let position = folder.path().join("tone.wav");
    clip.save(&position).unwrap();
    assert_eq!(Clip::open(&position).unwrap(), again);
    assert!(matches!(Clip::open(&folder.path().join("none.wav")), Err(AudioFault::File(_))));
}

fn wav(channels: u16, rate: u32, bits: u16, data: &[u8]) -> Vec<u8> {
    let block = channels * bits / 8;
    let mut bytes = b"RIFF".to_vec();
    bytes.extend((36 + data.len() as u32).to_le_bytes());
    bytes.extend(b"WAVEfmt \x10\0\0\0\x01\0");
    bytes.extend(channels.to_le_bytes());
    bytes.extend(rate.to_le_bytes());
    bytes.extend((rate * u32::from(block)).to_le_bytes());
    bytes.extend(block.to_le_bytes());
    bytes.extend(bits.to_le_bytes());
    bytes.extend(b"data");
    bytes.extend((data.len() as u32).to_le_bytes());
    bytes.extend(data);
    bytes
}

#[test]
fn unusable_files_are_rejected_with_a_reason() {
    let data = [0_u8; 4800];
    let reported = |bytes: &[u8]| Clip::from_bytes(bytes).unwrap_err().to_string();
    println!("{}\n{}", reported(b"no wav at all"), reported(&wav(1, 16_000, 16, &data)[..60]));
    assert!(reported(b"").contains("cannot read the WAV file"));
    assert!(reported(b"RIFF\x10\0\0\0WAVEjunk").contains("cannot read the WAV file"));
    assert_eq!(reported(&wav(6, 16_000, 16, &data)), "unsupported number of channels: 6; use mono or stereo");
    assert!(reported(&wav(1, 4000, 16, &data)).starts_with("unsupported sample rate: 4000 Hz"));
    assert_eq!(reported(&wav(1, 16_000, 16, &[])), "the file contains no sound");
    let stereo = Clip::from_bytes(&wav(2, 48_000, 16, &data)).unwrap();
    assert_eq!((stereo.samples.len(), stereo.rate), (1200, 48_000));
    assert_eq!(
        stereo.at_rate(16_000).unwrap_err().to_string(),
        "wrong sample rate: 48000 Hz, required 16000 Hz"
    );
}

#[test]
fn level_matches_tones_and_noise() {
    assert!((level(&tone(16_000, 1000.0, 16_000).samples) + 9.03).abs() < 0.05);
    assert!((level(&noise(16_000, -30.0, 1)) + 30.0).abs() < 0.3);
    assert_eq!((level(&[]), level(&[0.0; 8]), decibels(f32::NAN)), (-120.0, -120.0, -120.0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn parsers_never_panic_on_corrupt_files(mut bytes in prop::collection::vec(any::<u8>(), 0..400), position in 0_usize..44, value: u8) {
        let _ = Clip::from_bytes(&bytes);
        let whole = tone(16_000, 300.0, 100).to_bytes().unwrap();
        let mut broken = whole.clone();
        broken[position] = value;
        let _ = Clip::from_bytes(&broken);
        bytes.truncate(40);
        let _ = Clip::from_bytes(&[&whole[..44 - bytes.len() % 40], &bytes].concat());
        let _ = Tokens::read(&bytes);
    }

    #[test]
    fn resampling_keeps_length_pitch_and_level(
        from in prop::sample::select(vec![8000_u32, 16_000, 22_050, 24_000, 44_100, 48_000]),
        to in prop::sample::select(vec![8000_u32, 16_000, 22_050, 24_000, 44_100, 48_000]),
        pitch in 200.0_f32..3000.0,
        tenths in 4_usize..9,
    ) {
        let clip = tone(from, pitch, from as usize * tenths / 10);
        let other = clip.resampled(to).unwrap();
        prop_assert_eq!(other.rate, to);
        let expected = clip.samples.len() as f64 * f64::from(to) / f64::from(from);
        prop_assert!((other.samples.len() as f64 - expected).abs() <= 1.0);
        let middle = |clip: &Clip| clip.samples[clip.samples.len() / 4..clip.samples.len() * 3 / 4].to_vec();
        prop_assert!((level(&middle(&clip)) - level(&middle(&other))).abs() < 0.3);
        // The result contains this tone and nothing else.
        let other = middle(&other);
        let wave = |turn: f32| tone_at(to, pitch, turn, other.len());
        let (sine, cosine) = (wave(0.0), wave(0.25));
        let share = |wave: &[f32]| 2.0 * wave.iter().zip(&other).map(|(one, other)| one * other).sum::<f32>() / other.len() as f32;
        let (of_sine, of_cosine) = (share(&sine), share(&cosine));
        let rest: Vec<f32> = other
            .iter()
            .zip(sine.iter().zip(&cosine))
            .map(|(sample, (sine, cosine))| sample - of_sine * sine - of_cosine * cosine)
            .collect();
        prop_assert!(level(&rest) < -35.0, "{}", level(&rest));
        // Chunked resampling gives the same length, except for samples still in the resampler.
        let mut flow = StreamResampler::new(from, to).unwrap();
        let pieces: usize = clip.samples.chunks(333).map(|piece| flow.push(piece).len()).sum();
        prop_assert!((pieces as f64 - expected).abs() * 1000.0 <= 60.0 * f64::from(to), "{} {}", pieces, expected);
    }

    #[test]
    fn envelope_stays_between_0_and_1(samples in prop::collection::vec(-2.0_f32..2.0, 0..5000)) {
        let clip = Clip::new(24_000, samples);
        let envelope = envelope(&clip);
        prop_assert_eq!(envelope.len(), clip.samples.len().div_ceil(480));
        prop_assert!(envelope.iter().all(|one| (0.0..=1.0).contains(one)));
    }

    #[test]
    fn sentence_splitting_loses_no_words(text in "[a-zA-Z0-9 .!?,\n]{0,400}") {
        let words = |text: &str| text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).map(str::to_owned).collect::<Vec<_>>();
        prop_assert_eq!(words(&sentences(&text).join(" ")), words(&text));
    }

    #[test]
    fn stop_always_holds_until_rest(steps in prop::collection::vec(0_usize..9, 0..60)) {
        const ALL: [DialogEvent; 9] = [
            DialogEvent::Began, DialogEvent::Utterance, DialogEvent::Unsure, DialogEvent::StopWord, DialogEvent::Answer,
            DialogEvent::NothingToSay, DialogEvent::AllSaid, DialogEvent::AtRest, DialogEvent::Failed,
        ];
        let mut state = DialogState::default();
        for step in steps {
            let (next, acts) = state.transition(ALL[step], step % 2 == 0);
            if ALL[step] == DialogEvent::StopWord {
                prop_assert_eq!((next, acts.first()), (DialogState::Holding, Some(&DialogAction::Hold)));
            }
            if state == DialogState::Holding && ALL[step] != DialogEvent::StopWord {
                prop_assert!(acts.is_empty());
            }
            prop_assert_eq!(next == DialogState::Holding && acts.contains(&DialogAction::Think), false);
            state = next;
        }
        prop_assert_eq!(state.transition(DialogEvent::StopWord, false).0.transition(DialogEvent::AtRest, false).0, DialogState::Listening);
    }

    #[test]
    fn recognizer_events_are_consistent_for_any_input(
        pieces in prop::collection::vec((0_usize..3000, -1.0_f32..1.0, 0_u64..800), 1..60),
        plays in prop::collection::vec((0_u64..20_000, 0_usize..40_000), 0..6),
    ) {
        let mut ear = SpeechRecognizer::new(Loud, Counting(0), RecognizerOptions::default());
        for (at, count) in plays {
            ear.playback(Some(Duration::from_millis(at)), &vec![0.3; count], "one two three");
        }
        let (mut at, mut open, mut last) = (Duration::ZERO, false, Duration::ZERO);
        for (count, value, pause) in pieces {
            at += Duration::from_millis(pause);
            let samples: Vec<f32> = (0..count).map(|n| if n % 2 == 0 { value } else { -value }).collect();
            for heard in ear.push(at, &samples) {
                match heard {
                    RecognizerEvent::Began { .. } => {
                        prop_assert!(!open);
                        open = true;
                    }
                    RecognizerEvent::Utterance { began, ended, .. } | RecognizerEvent::Nothing { began, ended } => {
                        prop_assert!(open && began < ended && ended >= last);
                        (open, last) = (false, ended);
                    }
                    RecognizerEvent::Partial { .. } => prop_assert!(open),
                    RecognizerEvent::Gap { .. } => open = false,
                    RecognizerEvent::StopWord { ended, at, .. } => prop_assert!(open && ended <= at),
                    RecognizerEvent::Failed(_) => {}
                }
            }
            prop_assert_eq!(ear.is_spoken_to(), open);
            at += time_of(count as u64, 16_000);
        }
    }
}

/// Classifies loud frames as speech.
struct Loud;

impl SpeechDetector for Loud {
    fn probability(&mut self, frame: &[f32]) -> Result<f32, VoiceError> {
        Ok(if level(frame) > -30.0 { 0.9 } else { 0.1 })
    }
    fn reset(&mut self) {}
}

/// Returns one word per second, and counts its input samples.
struct Counting(u64);

impl Transcriber for Counting {
    fn transcribe(&mut self, samples: &[f32]) -> Result<Transcript, VoiceError> {
        self.0 += samples.len() as u64;
        assert!(samples.len() < 16_000 * 30);
        Ok(Transcript { text: "word ".repeat(samples.len() / 16_000), confidence: 0.9, min_confidence: 0.9 })
    }
}

#[test]
fn memory_stays_bounded_over_hours_of_silence_and_noise() {
    let mut ear = SpeechRecognizer::new(Loud, Counting(0), RecognizerOptions::default());
    let mut at = Duration::ZERO;
    let still = vec![0.0; 16_000];
    for _ in 0..3600 {
        assert_eq!(ear.push(at, &still), []);
        at += Duration::from_secs(1);
    }
    let at_first = ear.remembered();
    println!("after an hour of silence {at_first} samples are remembered");
    // One gigabyte of four-byte samples, all loud enough to be speech.
    let mut dice = Dice(99);
    let loud: Vec<f32> = (0..160_000).map(|_| dice.roll()).collect();
    let (mut heard, mut given, mut most) = (0, 0_u64, 0);
    while given < 1 << 28 {
        heard += ear.push(at, &loud).len();
        given += loud.len() as u64;
        at += time_of(loud.len() as u64, 16_000);
        most = most.max(ear.remembered());
    }
    println!("{given} samples of noise: {heard} events, {most} samples remembered at most");
    assert!(at_first < 20_000 && most < 16_000 * 70, "{at_first} {most}");
    assert!(heard > 100);
}
