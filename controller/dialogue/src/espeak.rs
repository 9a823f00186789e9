//! Runs the program espeak-ng, which converts text to phonemes and speaks where no better voice is available.
//!
//! Texts come from models and tools, so they are passed in a file, never on the command line, and with a
//! short timeout.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use firmware_bridge::clock::{Clock, MonotonicClock};
use minismith_voice::VoiceError;
use minismith_voice::audio::Clip;
use minismith_voice::hibari::Phonemizer;
use minismith_voice::synthesizer::TextToSpeech;

use minismith_runtime::subprocess::{self, Program};

/// The timeout of a sentence.
const TIMEOUT: Duration = Duration::from_secs(10);

/// How often it checks whether the program has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// The sample rate of its speech, in hertz.
const RATE_HZ: u32 = 22_050;

/// The program espeak-ng with one voice.
#[derive(Clone, Debug)]
pub(super) struct Espeak {
    program: PathBuf,
    voice: String,
}

impl Espeak {
    /// Finds the program on the path, with a voice such as `en-us`. Returns `None` where it is not installed.
    pub(super) fn find(voice: &str) -> Option<Espeak> {
        let program = subprocess::find("espeak-ng")?;
        Some(Espeak { program, voice: voice.to_owned() })
    }

    /// Returns what the program writes into a file for a text, with these arguments.
    fn written(&self, text: &str, words: impl FnOnce(&Path) -> Vec<OsString>) -> Result<Vec<u8>, VoiceError> {
        let failed = |error: std::io::Error| VoiceError::failed("espeak-ng", error);
        let folder = tempfile::tempdir().map_err(failed)?;
        let (said, out) = (folder.path().join("text"), folder.path().join("out"));
        fs::write(&said, text).map_err(failed)?;
        let mut arguments: Vec<OsString> = ["-v", &self.voice, "-b", "1"].map(Into::into).into();
        arguments.extend(words(&out));
        let program = Program {
            path: self.program.clone(),
            arguments,
            environment: vec![("LANG", "C.UTF-8".into()), ("HOME", folder.path().display().to_string())],
            input: fs::File::open(&said).map_err(failed)?.into(),
        };
        let mut child = subprocess::start(program).map_err(failed)?;
        let clock = MonotonicClock::start();
        loop {
            match child.try_wait().map_err(failed)? {
                Some(status) if status.success() => return fs::read(&out).map_err(failed),
                Some(status) => {
                    return Err(VoiceError::failed("espeak-ng", format!("it ended with {status}")));
                }
                None if clock.now().seconds() > TIMEOUT.as_secs_f64() => {
                    // It may have ended just now.
                    let _ = child.kill();
                    let _ = child.wait();
                    return Err(VoiceError::failed("espeak-ng", "it did not end in time"));
                }
                None => clock.wait_until(clock.now() + POLL_INTERVAL),
            }
        }
    }
}

impl Phonemizer for Espeak {
    fn ipa(&mut self, text: &str) -> Result<String, VoiceError> {
        let bytes = self.written(text, |out| {
            let mut phonout = OsString::from("--phonout=");
            phonout.push(out);
            vec!["-q".into(), "--ipa".into(), "--tie=^".into(), phonout]
        })?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

impl TextToSpeech for Espeak {
    fn rate(&self) -> u32 {
        RATE_HZ
    }

    fn synthesize(&mut self, sentence: &str) -> Result<Clip, VoiceError> {
        let bytes = self.written(sentence, |out| vec!["-w".into(), out.into()])?;
        let failed = |error: &dyn std::fmt::Display| VoiceError::failed("espeak-ng", error.to_string());
        let clip = Clip::from_bytes(&bytes).map_err(|error| failed(&error))?;
        clip.resampled(RATE_HZ).map_err(|error| failed(&error))
    }
}
