//! Microphone and speaker on ALSA's `file` PCM: a file is heard, and what is played is in a file. Each trial runs in a process
//! of its own, since ALSA reads its configuration once.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod support;

use std::path::Path;
use std::time::Duration;

use minismith_voice::audio::{Clip, level};
use minismith_voice::devices::{Microphone, NoDevice, Pace, Speaker};
use support::{errors, models, padded, spoken};

const PATIENCE: Duration = Duration::from_secs(20);

fn raw(samples: &[f32]) -> Vec<u8> {
    samples.iter().flat_map(|sample| ((sample * 32767.0) as i16).to_le_bytes()).collect()
}

/// Writes an asoundrc for a folder with a sound to hear.
fn configure(folder: &Path, heard: &[f32]) -> String {
    std::fs::write(folder.join("heard.raw"), raw(heard)).unwrap();
    let place = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let text = format!(
        r#"
pcm.files {{
    type file
    slave.pcm {{ type null }}
    file "{played}"
    infile "{heard}"
    format "raw"
    hint {{ show on description "Files" }}
}}
pcm.narrow {{
    type hw
    card 31
    hint {{ show on description "A card that is not there" }}
}}
pcm.!default "files"
"#,
        played = place("played.raw"),
        heard = place("heard.raw"),
    );
    let file = place("asound.conf");
    std::fs::write(&file, text).unwrap();
    file
}

/// Runs one of the trials below in a process of its own, with a configuration of its own.
#[allow(clippy::disallowed_methods)] // ALSA reads its configuration once in a process.
fn alone(name: &str, folder: &Path, heard: &[f32]) {
    let configuration = configure(folder, heard);
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--ignored", "--nocapture", "--test-threads", "1"])
        .env("ALSA_CONFIG_PATH", configuration)
        .env("VOICE_TRIAL", folder)
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    println!("{told}{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && told.contains("1 passed"), "{name} failed");
}

fn folder() -> std::path::PathBuf {
    std::env::var_os("VOICE_TRIAL").expect("it is run by its namesake").into()
}

#[test]
fn a_file_is_heard_and_understood_and_none_of_it_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let clip = padded(&spoken("turn your head to the left", "en-us", 150), 0.5, 0.5);
    alone("heard_from_a_file", folder.path(), &clip.samples);
}

#[test]
#[ignore = "a part of another, in a process of its own"]
fn heard_from_a_file() {
    use minismith_voice::moonshine::Moonshine;
    use minismith_voice::transcriber::Transcriber;
    let expected = std::fs::metadata(folder().join("heard.raw")).unwrap().len() as usize / 2;
    let microphone = Microphone::open("default", Pace::Program, Duration::from_secs(2)).unwrap();
    let mut heard = Vec::new();
    while heard.len() < expected {
        let more = microphone.take(PATIENCE);
        assert!(!more.is_empty(), "nothing more after {} samples: {:?}", heard.len(), microphone.health());
        heard.extend(more);
    }
    assert_eq!(microphone.health().dropped, 0);
    let original = std::fs::read(folder().join("heard.raw")).unwrap();
    assert_eq!(raw(&heard[..1000]).len(), 2000);
    let difference: Vec<f32> = original
        .chunks_exact(2)
        .map(|b| f32::from(i16::from_le_bytes([b[0], b[1]])) / 32768.0)
        .zip(&heard)
        .map(|(one, other)| one - other)
        .collect();
    assert!(level(&difference) < -80.0, "what was heard is something else: {} dB", level(&difference));
    let text = Moonshine::open(&models()).unwrap().transcribe(&heard[..expected]).unwrap().text;
    println!("heard through ALSA: {text}");
    assert!(errors("turn your head to the left", &text).0 <= 2, "{text}");
}

#[test]
fn what_is_played_is_in_the_file_and_what_is_cut_is_not() {
    let folder = tempfile::tempdir().unwrap();
    alone("played_to_a_file", folder.path(), &[0.0; 16]);
}

#[test]
#[ignore = "a part of another, in a process of its own"]
fn played_to_a_file() {
    let speaker = Speaker::open("default", Pace::Program, Duration::from_secs(5)).unwrap();
    assert_eq!(speaker.rate(), 24_000);
    let tone: Vec<f32> = (0..24_000).map(|n| 0.5 * (n as f32 * 0.1).sin()).collect();
    assert_eq!(speaker.play(&tone), tone.len());
    assert!(speaker.wait(PATIENCE));
    // More than there is room for is told, not kept.
    let much = vec![0.1; 24_000 * 6];
    assert!(speaker.play(&much) <= 24_000 * 5);
    assert!(speaker.health().dropped >= 24_000);
    speaker.cut();
    assert_eq!(speaker.waiting(), 0);
    drop(speaker);
    let played = std::fs::read(folder().join("played.raw")).unwrap();
    let played: Vec<f32> =
        played.chunks_exact(2).map(|b| f32::from(i16::from_le_bytes([b[0], b[1]])) / 32768.0).collect();
    println!("{} samples are in the file", played.len());
    assert!(played.len() >= tone.len());
    let difference: Vec<f32> = tone.iter().zip(&played).map(|(one, other)| one - other).collect();
    assert!(level(&difference) < -80.0);
}

#[test]
fn what_is_not_taken_is_dropped_and_counted_and_what_is_not_there_is_said() {
    let folder = tempfile::tempdir().unwrap();
    alone("troubles", folder.path(), &vec![0.1; 400_000]);
}

#[test]
#[ignore = "a part of another, in a process of its own"]
fn troubles() {
    let microphone = Microphone::open("files", Pace::Device, Duration::from_millis(100)).unwrap();
    while microphone.health().dropped == 0 {
        std::thread::yield_now();
    }
    assert!(microphone.take(PATIENCE).len() <= 1600);
    drop(microphone);
    for name in ["nothing-of-that-name", "narrow"] {
        let error = Microphone::open(name, Pace::Device, PATIENCE).err().unwrap();
        println!("{error}");
        assert!(matches!(&error, NoDevice::Missing { .. }), "{error:?}");
        assert!(Speaker::open(name, Pace::Device, PATIENCE).is_err());
    }
    let _ = Clip::default();
}
