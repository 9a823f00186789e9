//! Tests microphone and speaker with ALSA's `file` PCM, which records from and plays to files. Each case runs in its own
//! process, because ALSA reads its configuration once.

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
use minismith_voice::devices::{DeviceError, Microphone, Pace, Speaker};
use support::{errors, models, padded, spoken};

const PATIENCE: Duration = Duration::from_secs(20);

fn raw(samples: &[f32]) -> Vec<u8> {
    samples.iter().flat_map(|sample| ((sample * 32767.0) as i16).to_le_bytes()).collect()
}

/// Writes an ALSA configuration for a folder with a sound to record.
fn configure(folder: &Path, heard: &[f32]) -> String {
    std::fs::write(folder.join("heard.raw"), raw(heard)).unwrap();
    let position = |name: &str| folder.join(name).to_str().unwrap().to_owned();
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
        played = position("played.raw"),
        heard = position("heard.raw"),
    );
    let file = position("asound.conf");
    std::fs::write(&file, text).unwrap();
    file
}

/// Runs one of the cases below in its own process with its own configuration.
#[allow(clippy::disallowed_methods)] // ALSA reads its configuration once per process.
fn run_in_own_process(name: &str, folder: &Path, heard: &[f32]) {
    let configuration = configure(folder, heard);
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--ignored", "--nocapture", "--test-threads", "1"])
        .env("ALSA_CONFIG_PATH", configuration)
        .env("VOICE_TRIAL", folder)
        .output()
        .unwrap();
    let reported = String::from_utf8_lossy(&output.stdout);
    println!("{reported}{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && reported.contains("1 passed"), "{name} failed");
}

fn folder() -> std::path::PathBuf {
    std::env::var_os("VOICE_TRIAL").expect("run this case through its parent test").into()
}

#[test]
fn microphone_records_a_file_without_losses() {
    let folder = tempfile::tempdir().unwrap();
    let clip = padded(&spoken("turn your head to the left", "en-us", 150), 0.5, 0.5);
    run_in_own_process("records_from_a_file", folder.path(), &clip.samples);
}

#[test]
#[ignore = "a case of another test, in its own process"]
fn records_from_a_file() {
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
    assert!(level(&difference) < -80.0, "the recorded sound differs: {} dB", level(&difference));
    let text = Moonshine::open(&models()).unwrap().transcribe(&heard[..expected]).unwrap().text;
    println!("heard through ALSA: {text}");
    assert!(errors("turn your head to the left", &text).0 <= 2, "{text}");
}

#[test]
fn speaker_plays_into_a_file_and_drops_discarded_samples() {
    let folder = tempfile::tempdir().unwrap();
    run_in_own_process("plays_to_a_file", folder.path(), &[0.0; 16]);
}

#[test]
#[ignore = "a case of another test, in its own process"]
fn plays_to_a_file() {
    let speaker = Speaker::open("default", Pace::Program, Duration::from_secs(5)).unwrap();
    assert_eq!(speaker.rate(), 24_000);
    let tone: Vec<f32> = (0..24_000).map(|n| 0.5 * (n as f32 * 0.1).sin()).collect();
    assert_eq!(speaker.play(&tone), tone.len());
    assert!(speaker.wait(PATIENCE));
    // Samples beyond the capacity are dropped and counted.
    let much = vec![0.1; 24_000 * 6];
    assert!(speaker.play(&much) <= 24_000 * 5);
    assert!(speaker.health().dropped >= 24_000);
    speaker.stop();
    assert_eq!(speaker.queued(), 0);
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
fn overflow_is_counted_and_missing_devices_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    run_in_own_process("reports_errors", folder.path(), &vec![0.1; 400_000]);
}

#[test]
#[ignore = "a case of another test, in its own process"]
fn reports_errors() {
    let microphone = Microphone::open("files", Pace::Device, Duration::from_millis(100)).unwrap();
    while microphone.health().dropped == 0 {
        std::thread::yield_now();
    }
    assert!(microphone.take(PATIENCE).len() <= 1600);
    drop(microphone);
    for name in ["nothing-of-that-name", "narrow"] {
        let error = Microphone::open(name, Pace::Device, PATIENCE).err().unwrap();
        println!("{error}");
        assert!(matches!(&error, DeviceError::Missing { .. }), "{error:?}");
        assert!(Speaker::open(name, Pace::Device, PATIENCE).is_err());
    }
    let _ = Clip::default();
}
