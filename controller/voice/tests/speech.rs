//! Tests text to speech by recognising its output.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod support;

use minismith_voice::audio::{Clip, level};
use minismith_voice::hibari::{Hibari, dsp, phonemes};
use minismith_voice::moonshine::Moonshine;
use minismith_voice::synthesizer::{Chime, SpeechSynthesizer, TextToSpeech, chime, sentences};
use minismith_voice::transcriber::Transcriber;
use support::{COMMANDS, Espeak, errors, models, timed};

#[test]
fn synthesised_speech_is_recognised() {
    let mut voice = Hibari::open(&models(), Espeak).unwrap();
    let mut moonshine = Moonshine::open(&models()).unwrap();
    let (mut wrong, mut said, mut took, mut lasted) = (0, 0, 0.0, 0.0);
    let longer = [
        "Hello! I am Reachy, and I can see three faces.",
        "I turned my head thirty degrees to the left, but something was in the way.",
        "The battery is at 87 percent.",
    ];
    for sentence in COMMANDS.iter().chain(&longer) {
        let (clip, time) = timed(|| voice.synthesize(sentence).unwrap());
        let level = level(&clip.samples);
        assert!(
            (-40.0..-8.0).contains(&level) && clip.peak() <= 1.0,
            "{sentence}: {level} dB, {}",
            clip.peak()
        );
        let heard = moonshine.transcribe(&clip.resampled(16_000).unwrap().samples).unwrap();
        let (errors, words) = errors(sentence, &heard.text);
        if errors > 0 {
            println!(
                "{sentence:?} heard as {:?} ({:.2}): {:?}",
                heard.text,
                heard.confidence,
                voice.sounds(sentence)
            );
        }
        wrong += errors;
        said += words;
        took += time;
        lasted += clip.duration().as_secs_f64();
    }
    let rate = wrong as f64 / said as f64;
    println!(
        "hibari: word errors {:.1} %, time {:.3} of the sound's, with espeak-ng",
        rate * 100.0,
        took / lasted
    );
    assert!(rate < 0.12, "{rate}");
}

#[test]
fn synthesis_is_reproducible() {
    let say = || Hibari::open(&models(), Espeak).unwrap().synthesize("Look up.").unwrap();
    assert_eq!(say(), say());
    let slow = Hibari::open(&models(), Espeak).unwrap().with_pace(0.7).synthesize("Look up.").unwrap();
    assert!(slow.duration() > say().duration());
}

#[test]
fn sound_rejects_mismatched_spectra_and_keeps_silence() {
    let mut synthesis = dsp::Synthesis::new();
    let (still, none) = (vec![-30.0; 601 * 4], vec![0.0; 601 * 4]);
    let spectra = |pitch: &'static [f32]| dsp::Spectra {
        harmonics: &still,
        turn: &none,
        noise: &still,
        rest: &still,
        phase: &none,
        pitch,
    };
    assert!(synthesis.sound(&spectra(&[100.0; 3])).is_err());
    let sound = synthesis.sound(&spectra(&[100.0; 4])).unwrap();
    assert_eq!(sound.len(), 1200);
    assert!(level(&sound) < -100.0);
    // Amplitude of a harmonic of magnitude one after the transform, as a fraction of full scale.
    let voiced = vec![0.0; 601 * 80];
    let quiet = vec![-30.0; 601 * 80];
    let zero = vec![0.0; 601 * 80];
    let pitch = vec![8000.0; 80];
    let tone = synthesis
        .sound(&dsp::Spectra {
            harmonics: &voiced,
            turn: &zero,
            noise: &quiet,
            rest: &quiet,
            phase: &zero,
            pitch: &pitch,
        })
        .unwrap();
    let middle = &tone[6000..18_000];
    let peak = middle.iter().fold(0.0_f32, |peak, sample| peak.max(sample.abs()));
    assert!((0.9..=1.01).contains(&(peak * 300.0)), "{peak}");
    assert!((level(middle) + 3.0 + 20.0 * 300_f32.log10()).abs() < 0.5, "{}", level(middle));
}

#[test]
fn phonemes_are_converted_to_ids() {
    assert_eq!(phonemes::of_ipa("həlˈo^ʊ ðˈɛ^ɹ"), "həlˈO ðˈɛɹ");
    assert_eq!(phonemes::of_ipa("bˈʌʔn\u{329}\n tʃ lˈɪɾə^l d^ʒ"), "bˈʌtᵊn tʃ lˈɪTᵊl ʤ");
    assert_eq!(phonemes::ids("həlˈO"), [0, 50, 83, 54, 156, 31, 0]);
    let clauses = phonemes::clauses("At 12:30, it is 3.5 degrees! Yes");
    let clauses: Vec<(&str, char)> = clauses.iter().map(|(text, mark)| (text.as_str(), *mark)).collect();
    assert_eq!(clauses, [("At 12:30", ','), ("it is 3.5 degrees", '!'), ("Yes", '.')]);
    assert_eq!(phonemes::pieces("aa bb cc", 6), ["aa bb", "cc"]);
    assert!(phonemes::pieces(&"a".repeat(1000), 400).iter().all(|piece| piece.len() <= 400));
}

#[test]
fn sentences_end_at_real_sentence_boundaries() {
    assert_eq!(
        sentences("Hello. Dr. Smith is here, i.e. there! Is 3.5 enough?\n- yes"),
        ["Hello.", "Dr. Smith is here, i.e. there!", "Is 3.5 enough?", "- yes"]
    );
    assert!(sentences(" \n ... ").is_empty());
    let long = "word ".repeat(500);
    assert!(sentences(&long).iter().all(|sentence| sentence.chars().count() <= 300));
    assert_eq!(sentences(&long).join(" ").split(' ').count(), 500);
}

struct Beeps(u32);

impl TextToSpeech for Beeps {
    fn rate(&self) -> u32 {
        24_000
    }
    fn synthesize(&mut self, sentence: &str) -> Result<Clip, minismith_voice::VoiceError> {
        self.0 += 1;
        Ok(Clip::new(24_000, vec![0.5; sentence.len() * 480]))
    }
}

#[test]
fn synthesizer_starts_with_the_first_sentence_and_can_be_cut() {
    let mut mouth = SpeechSynthesizer::new(Beeps(0));
    mouth.push("I look le");
    assert_eq!(mouth.synthesize_next().unwrap(), None);
    mouth.push("ft. Then I n");
    mouth.set_volume(0.5);
    let said = mouth.synthesize_next().unwrap().unwrap();
    assert_eq!((said.sentence.as_str(), said.clip.peak(), said.envelope.len()), ("I look left.", 0.25, 12));
    assert!(said.envelope.windows(2).all(|pair| pair[0] <= pair[1] && (0.0..=1.0).contains(&pair[1])));
    mouth.push("od. And so on. ");
    mouth.cut();
    assert!(mouth.is_silent());
    mouth.finish();
    assert_eq!(mouth.synthesize_next().unwrap(), None);
    for _ in 0..1000 {
        mouth.speak("More. And more.");
    }
    assert_eq!(mouth.dropped(), 2000 - 64);
    mouth.cut();
    mouth.chime(Chime::Wake);
    assert!(mouth.synthesize_next().unwrap().unwrap().sentence.is_empty());
}

#[test]
fn chimes_are_short_and_begin_and_end_silently() {
    for kind in [Chime::Wake, Chime::Sleep, Chime::Listening, Chime::Sorry] {
        for rate in [16_000, 24_000, 48_000] {
            let clip = chime(kind, rate);
            assert!(clip.duration().as_secs_f32() < 1.0 && clip.peak() < 0.7 && clip.peak() > 0.1);
            assert!(clip.samples[0].abs() < 1e-3 && clip.samples[clip.samples.len() - 1].abs() < 1e-3);
        }
    }
}
