//! The program espeak-ng: it knows the sounds of words, and speaks by itself where there is no better voice.
//!
//! Texts come from models and tools: they go to it in a file, never on its command line, and it gets a moment and no more.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use firmware_bridge::clock::{Clock, WallClock};
use minismith_voice::VoiceFault;
use minismith_voice::audio::Clip;
use minismith_voice::hibari::Phonemizer;
use minismith_voice::mouth::Speech;

use minismith_runtime::processes::{self, Program};

/// How long it may take for a sentence.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often it is looked whether it is done.
const LOOK: Duration = Duration::from_millis(2);

/// The rate at which it speaks.
const RATE: u32 = 22_050;

/// espeak-ng with one voice.
#[derive(Clone, Debug)]
pub(super) struct Espeak {
    program: PathBuf,
    voice: String,
}

impl Espeak {
    /// The program on the path, with a voice such as `en-us`; none where it is not installed.
    pub(super) fn find(voice: &str) -> Option<Espeak> {
        let program = processes::find("espeak-ng")?;
        Some(Espeak { program, voice: voice.to_owned() })
    }

    /// What it writes of a text into a file, with these words on its command line.
    fn written(&self, text: &str, words: impl FnOnce(&Path) -> Vec<OsString>) -> Result<Vec<u8>, VoiceFault> {
        let failed = |error: std::io::Error| VoiceFault::failed("espeak-ng", error);
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
        let mut child = processes::start(program).map_err(failed)?;
        let clock = WallClock::start();
        loop {
            match child.try_wait().map_err(failed)? {
                Some(status) if status.success() => return fs::read(&out).map_err(failed),
                Some(status) => {
                    return Err(VoiceFault::failed("espeak-ng", format!("it ended with {status}")));
                }
                None if clock.now().seconds() > PATIENCE.as_secs_f64() => {
                    // It may have ended just now.
                    let _ = child.kill();
                    let _ = child.wait();
                    return Err(VoiceFault::failed("espeak-ng", "it did not come to an end"));
                }
                None => clock.wait_until(clock.now() + LOOK),
            }
        }
    }
}

impl Phonemizer for Espeak {
    fn ipa(&mut self, text: &str) -> Result<String, VoiceFault> {
        let bytes = self.written(text, |out| {
            let mut phonout = OsString::from("--phonout=");
            phonout.push(out);
            vec!["-q".into(), "--ipa".into(), "--tie=^".into(), phonout]
        })?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

impl Speech for Espeak {
    fn rate(&self) -> u32 {
        RATE
    }

    fn say(&mut self, sentence: &str) -> Result<Clip, VoiceFault> {
        let bytes = self.written(sentence, |out| vec!["-w".into(), out.into()])?;
        let failed = |error: &dyn std::fmt::Display| VoiceFault::failed("espeak-ng", error.to_string());
        let clip = Clip::from_bytes(&bytes).map_err(|error| failed(&error))?;
        clip.resampled(RATE).map_err(|error| failed(&error))
    }
}
