//! Tests the recognizer with its models: speech, silence, noise, stop words, and the robot's own voice.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod support;

use std::time::Duration;

use minismith_voice::audio::{Clip, level, time_of};
use minismith_voice::endpoint::{Edge, Endpointer, Endpoints};
use minismith_voice::hibari::Hibari;
use minismith_voice::moonshine::Moonshine;
use minismith_voice::recognizer::{RecognizerEvent, RecognizerOptions, SpeechRecognizer};
use minismith_voice::synthesizer::TextToSpeech;
use minismith_voice::vad::{FRAME, SpeechDetector, Vad};
use support::{Espeak, models, noise, noisy, padded, spoken, timed};

fn ear() -> SpeechRecognizer<Vad, Moonshine> {
    let models = models();
    SpeechRecognizer::new(
        Vad::open(&models).unwrap(),
        Moonshine::open(&models).unwrap(),
        RecognizerOptions::default(),
    )
}

/// Feeds samples to a recognizer in chunks, as a device delivers them.
fn hear(ear: &mut SpeechRecognizer<Vad, Moonshine>, samples: &[f32]) -> Vec<RecognizerEvent> {
    let mut heard = Vec::new();
    for (number, piece) in samples.chunks(320).enumerate() {
        heard.extend(ear.push(time_of(number as u64 * 320, 16_000), piece));
    }
    heard.extend(ear.finish());
    heard
}

fn max_probability(vad: &mut Vad, samples: &[f32]) -> f32 {
    vad.reset();
    samples.chunks_exact(FRAME).map(|frame| vad.probability(frame).unwrap()).fold(0.0, f32::max)
}

fn texts(heard: &[RecognizerEvent]) -> Vec<String> {
    heard
        .iter()
        .filter_map(|one| match one {
            RecognizerEvent::Utterance { text, .. } => Some(text.clone()),
            _ => None,
        })
        .collect()
}

/// Returns the end of a sound: the time of its last loud sample.
fn end_of(clip: &Clip) -> Duration {
    let last = clip.samples.iter().rposition(|sample| sample.abs() > 0.02).unwrap();
    time_of(last as u64, clip.rate)
}

#[test]
fn vad_separates_speech_from_silence_and_noise() {
    let mut vad = Vad::open(&models()).unwrap();
    let still = max_probability(&mut vad, &vec![0.0; 64_000]);
    let loud = max_probability(&mut vad, &noise(64_000, -20.0, 5));
    println!("silence {still:.3}, noise {loud:.3}");
    assert!(still < 0.2 && loud < 0.3);
    for voice in ["en-us", "en-gb+f3"] {
        let clip = spoken("turn your head to the left", voice, 160);
        for (name, clip) in
            [("clean", clip.clone()), ("20 dB", noisy(&clip, 20.0, 1)), ("10 dB", noisy(&clip, 10.0, 2))]
        {
            let speech = max_probability(&mut vad, &clip.samples);
            println!("{voice} {name}: {speech:.3}");
            assert!(speech > 0.8, "{voice} {name}: {speech}");
        }
    }
}

#[test]
fn utterances_have_accurate_boundaries() {
    for (voice, ratio) in
        [("en-us", None), ("en-gb+f3", None), ("en-us", Some(20.0)), ("en-gb+f3", Some(10.0))]
    {
        let clip = padded(&spoken("look to the left and nod twice", voice, 160), 1.0, 1.5);
        let end = end_of(&clip);
        let clip = ratio.map_or(clip.clone(), |ratio| noisy(&clip, ratio, 9));
        let heard = hear(&mut ear(), &clip.samples);
        let utterances: Vec<(Duration, Duration)> = heard
            .iter()
            .filter_map(|one| match one {
                RecognizerEvent::Utterance { began, ended, .. } => Some((*began, *ended)),
                _ => None,
            })
            .collect();
        println!("{voice} {ratio:?}: {utterances:?}, end {end:?}, {:?}", texts(&heard));
        assert_eq!(utterances.len(), 1, "{heard:?}");
        let (began, ended) = utterances[0];
        assert!(began > Duration::from_millis(850) && began < Duration::from_millis(1350), "{began:?}");
        assert!(ended.abs_diff(end) < Duration::from_millis(250), "{ended:?} instead of {end:?}");
    }
}

#[test]
fn endpointer_ignores_clicks_and_noise() {
    let mut endpointer = Endpointer::new(Endpoints::default());
    let frame = time_of(FRAME as u64, 16_000);
    let mut edges = Vec::new();
    for number in 0..200_u32 {
        let (probability, level) = match number {
            20..60 | 70..75 => (0.9, -20.0),
            // Neither a click nor sound at the noise level is speech.
            5 => (0.9, -10.0),
            100..120 => (0.9, -60.0),
            _ => (0.05, -60.0),
        };
        edges.extend(endpointer.push(frame * number, probability, level));
    }
    assert_eq!(edges, [Edge::Began { at: frame * 20 }, Edge::Ended { began: frame * 20, ended: frame * 75 }]);
}

fn stop(heard: &[RecognizerEvent]) -> Option<(String, Duration, Duration)> {
    heard.iter().find_map(|one| match one {
        RecognizerEvent::StopWord { word, ended, at } => Some((word.clone(), *ended, *at)),
        _ => None,
    })
}

#[test]
fn stop_word_is_detected_soon_after_it_ends() {
    let mut voice = Hibari::open(&models(), Espeak).unwrap();
    let (mut spotted, mut tried) = (0, 0);
    for sentence in ["Stop!", "Halt!", "Freeze!", "Stop now, please.", "Please stop."] {
        let mut ways = vec![("hibari", voice.synthesize(sentence).unwrap().resampled(16_000).unwrap())];
        ways.extend(["en-us", "en-gb+f3"].map(|name| (name, spoken(sentence, name, 150))));
        for (name, clip) in ways {
            let clip = padded(&clip, 0.8, 1.2);
            let end = end_of(&clip);
            let heard = hear(&mut ear(), &noisy(&clip, 30.0, 3).samples);
            tried += 1;
            let Some((word, ended, at)) = stop(&heard) else {
                println!("{name} {sentence}: not spotted in {:?}", texts(&heard));
                continue;
            };
            println!(
                "{name} {sentence}: {word}, ended {ended:?} (end of sound {end:?}), known {:?} after it",
                at.saturating_sub(end)
            );
            assert!(ended <= at);
            assert!(at < end + Duration::from_millis(300), "{name} {sentence}: {at:?} is late after {end:?}");
            spotted += 1;
        }
    }
    println!("{spotted} of {tried} stops");
    assert!(spotted * 10 >= tried * 7, "{spotted} of {tried}");
}

#[test]
fn similar_sentences_do_not_stop() {
    let mut voice = Hibari::open(&models(), Espeak).unwrap();
    for sentence in [
        "Don't stop.",
        "Do not stop dancing.",
        "Where is my stopwatch?",
        "The bus stop is over there.",
        "Look at the stopwatch and nod.",
        "Never stop dreaming.",
    ] {
        let clip = padded(&voice.synthesize(sentence).unwrap().resampled(16_000).unwrap(), 0.5, 1.0);
        let heard = hear(&mut ear(), &clip.samples);
        println!("{sentence}: {:?}", texts(&heard));
        assert_eq!(stop(&heard), None, "{sentence}: {heard:?}");
    }
}

/// Simulates a room: the robot's voice arrives later, softer and with a few echoes.
fn room(played: &[f32], gain: f32) -> Vec<f32> {
    let mut heard = vec![0.0; played.len()];
    for (delay, part) in [(1250, 1.0), (1610, 0.45), (2300, -0.3), (3100, 0.2)] {
        for (sample, played) in heard.iter_mut().skip(delay).zip(played) {
            *sample += gain * part * played;
        }
    }
    heard
}

fn sum(one: &[f32], other: &[f32]) -> Vec<f32> {
    one.iter().zip(other).map(|(one, other)| one + other).collect()
}

const STORY: &str = "I can see two people and a cup of coffee on the table. I looked to the left and then to the right, \
    and I will stop when you tell me to. Shall I go on and tell you what else there is in this room?";

fn story() -> Vec<(Duration, Clip, String)> {
    let mut voice = Hibari::open(&models(), Espeak).unwrap();
    let mut at = Duration::from_millis(500);
    minismith_voice::synthesizer::sentences(STORY)
        .into_iter()
        .map(|sentence| {
            let clip = voice.synthesize(&sentence).unwrap().resampled(16_000).unwrap();
            let begun = at;
            at += clip.duration();
            (begun, clip, sentence)
        })
        .collect()
}

fn all_of(story: &[(Duration, Clip, String)]) -> Vec<f32> {
    let mut played = vec![0.0; 8000];
    story.iter().for_each(|(_, clip, _)| played.extend(&clip.samples));
    played.extend([0.0; 24_000]);
    played
}

#[test]
fn own_voice_is_ignored() {
    let story = story();
    let played = all_of(&story);
    for gain in [0.1, 0.4, 1.0] {
        for (floor, seed) in [(-70.0, 4), (-65.0, 5), (-60.0, 6), (-50.0, 7)] {
            let mut ear = ear();
            for (at, clip, sentence) in &story {
                ear.playback(Some(*at), &clip.samples, sentence);
            }
            let microphone = sum(&room(&played, gain), &noise(played.len(), floor, seed));
            let (heard, time) = timed(|| hear(&mut ear, &microphone));
            let share = time / (microphone.len() as f64 / 16_000.0);
            println!("gain {gain}, noise {floor} dB, time {share:.3} of the sound's: {heard:?}");
            assert_eq!(texts(&heard), Vec::<String>::new());
            assert_eq!(stop(&heard), None);
            assert!(!heard.iter().any(|one| matches!(one, RecognizerEvent::Began { .. })), "{heard:?}");
        }
    }
    // Without the reference signal it mistakes its own voice for a person. This shows that the recognizer is not simply deaf.
    let heard = hear(&mut ear(), &room(&played, 0.4));
    assert!(!texts(&heard).is_empty());
}

#[test]
fn person_is_heard_over_own_voice() {
    let story = story();
    let played = all_of(&story);
    let mut stops = 0;
    for (gain, loud) in [(0.1, 1.0), (0.4, 1.0), (0.4, 0.5)] {
        for (name, said) in [("en-us", "turn your head to the left"), ("en-gb+f3", "stop")] {
            let mut person = spoken(said, name, 150);
            person.scale(loud);
            // In the middle of the second sentence.
            let from = 108_800;
            let mut microphone = sum(&room(&played, gain), &noise(played.len(), -65.0, 4));
            for (sample, person) in microphone.iter_mut().skip(from).zip(&person.samples) {
                *sample += person;
            }
            let mut ear = ear();
            for (at, clip, sentence) in &story {
                ear.playback(Some(*at), &clip.samples, sentence);
            }
            let mut heard = Vec::new();
            let mut silenced = false;
            let mut samples = microphone.clone();
            for number in 0..samples.len() / 320 {
                let at = time_of(number as u64 * 320, 16_000);
                let piece: Vec<f32> = samples[number * 320..][..320].to_vec();
                let more = ear.push(at, &piece);
                if !silenced && more.iter().any(|one| matches!(one, RecognizerEvent::Began { .. })) {
                    // The robot falls silent 0.1 s later.
                    silenced = true;
                    let cut = at + Duration::from_millis(100);
                    ear.silenced(cut);
                    let still = (number * 320 + 1600).min(played.len());
                    let mut rest = played.clone();
                    rest[still..].fill(0.0);
                    samples = sum(&room(&rest, gain), &noise(played.len(), -65.0, 4));
                    for (sample, person) in samples.iter_mut().skip(from).zip(&person.samples) {
                        *sample += person;
                    }
                }
                heard.extend(more);
            }
            heard.extend(ear.finish());
            let person_at =
                level(&person.samples) - level(&room(&played, gain)[from..from + person.samples.len()]);
            println!("echo {gain}, {name} {said:?} {person_at:.0} dB above it: {heard:?}");
            let began = heard.iter().find_map(|one| match one {
                RecognizerEvent::Began { at, over_playback: over_mouth } => Some((*at, *over_mouth)),
                _ => None,
            });
            let (at, over_mouth) = began.expect("a person was heard");
            let person_from = time_of(from as u64, 16_000);
            assert!(over_mouth && at + Duration::from_millis(50) > person_from, "{at:?}");
            assert!(at < person_from + Duration::from_millis(700), "{at:?} after {person_from:?}");
            let words = texts(&heard).join(" ").to_lowercase();
            if said == "stop" {
                // Such a short word may be lost in the echo. The robot's speech is cut in any case.
                stops += u32::from(stop(&heard).is_some());
            } else {
                assert!(words.contains("head") || words.contains("left"), "{words}");
            }
        }
    }
    println!("{stops} of 3 stops over the robot's own voice");
    assert!(stops > 0);
}

/// Each sentence begins as soon as it is synthesised, and its reported time has an error.
#[test]
fn stop_word_is_detected_over_sentences_with_inexact_times() {
    let story = story();
    let (mut heard_of, mut tried, mut alarms) = (0, 0, 0);
    for (gain, off, seed) in
        [(0.1, 0.0, 4), (0.25, 0.013, 5), (0.25, -0.035, 6), (0.4, 0.060, 7), (0.4, -0.002, 8)]
    {
        let mut played = vec![0.0; 8000];
        let mut reported = Vec::new();
        for (number, (_, clip, sentence)) in story.iter().enumerate() {
            played.extend(vec![0.0; 3000 + 531 * number]);
            reported.push((time_of(played.len() as u64, 16_000), clip, sentence));
            played.extend(&clip.samples);
        }
        played.extend([0.0; 24_000]);
        for (from, who) in [(0.3, "en-us"), (0.6, "en-us"), (1.2, "en-gb+f3"), (1.6, "en-us"), (-1.0, "")] {
            let is_spoken = from > 0.0;
            let mut microphone = sum(&room(&played, gain), &noise(played.len(), -65.0, seed));
            if is_spoken {
                let at = reported[1].0 + Duration::from_secs_f64(from);
                let person = spoken("stop", who, 150);
                let at = (at.as_secs_f64() * 16_000.0) as usize;
                for (sample, person) in microphone.iter_mut().skip(at).zip(&person.samples) {
                    *sample += person;
                }
            }
            let mut ear = ear();
            let mut unreported: std::collections::VecDeque<_> = reported.iter().collect();
            let mut heard = Vec::new();
            for (number, piece) in microphone.chunks(320).enumerate() {
                let at = time_of(number as u64 * 320, 16_000);
                if let Some((begins, clip, sentence)) = unreported.front().copied()
                    && *begins <= at
                {
                    // The first sentence identifies the room. The others have different errors.
                    let off = off * [0.0, 1.0, -0.6][story.len() - unreported.len()];
                    let wrong = Duration::from_secs_f64(begins.as_secs_f64() + off);
                    ear.playback(Some(wrong), &clip.samples, sentence);
                    unreported.pop_front();
                }
                heard.extend(ear.push(at, piece));
            }
            heard.extend(ear.finish());
            let is_stopped = stop(&heard).is_some();
            println!("echo {gain}, told {off} s late, {who} at {from} s: {is_stopped} {heard:?}");
            if is_spoken {
                tried += 1;
                heard_of += u32::from(is_stopped);
            } else {
                alarms += heard.iter().filter(|one| matches!(one, RecognizerEvent::Began { .. })).count();
            }
        }
    }
    println!("{heard_of} of {tried} stops were heard, {alarms} false alarms");
    // Without delay estimation it is 13.
    assert!(heard_of >= 16, "{heard_of}");
    assert_eq!(alarms, 0);
}

#[test]
fn last_utterance_is_matched_against_commands() {
    use minismith_voice::transcriber::Transcriber;
    let mut ear = ear();
    let clip = noisy(&padded(&spoken("look left", "en-gb+f3", 160), 0.6, 1.0), 20.0, 3);
    let heard = hear(&mut ear, &clip.samples);
    let choice = ear.again(|moonshine, samples| {
        let choices = moonshine.choices(&[], &support::COMMANDS, &[]);
        let freely = moonshine.transcribe(samples).unwrap();
        moonshine.choose(samples, &freely, &choices).unwrap().filter(|choice| choice.is_meant(&freely))
    });
    println!("{:?}: {choice:?}", texts(&heard));
    assert_eq!(choice.unwrap().sentence, "look left");
}

#[test]
fn recognizer_ignores_speech_during_playback_without_barge_in() {
    let models = models();
    let listening = RecognizerOptions { barge_in: false, ..RecognizerOptions::default() };
    let mut ear =
        SpeechRecognizer::new(Vad::open(&models).unwrap(), Moonshine::open(&models).unwrap(), listening);
    let story = story();
    for (at, clip, sentence) in &story {
        ear.playback(Some(*at), &clip.samples, sentence);
    }
    let mut samples = all_of(&story);
    let person = spoken("turn your head to the left", "en-us", 150);
    for (sample, person) in samples.iter_mut().skip(108_800).zip(&person.samples) {
        *sample += person;
    }
    assert_eq!(hear(&mut ear, &samples), []);
}
