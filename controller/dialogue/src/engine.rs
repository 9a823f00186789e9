//! Opens the speech engines: models on this computer, and services where the configuration names them.
//!
//! When a service fails, this computer does the work and logs a warning. Partial transcripts always come from
//! this computer, so that a stop needs no service.

use minismith_perception::models::Models;
use minismith_voice::VoiceError;
use minismith_voice::audio::Clip;
use minismith_voice::hibari::Hibari;
use minismith_voice::moonshine::Moonshine;
use minismith_voice::synthesizer::TextToSpeech;
use minismith_voice::transcriber::Transcriber;
use minismith_voice::vad::Vad;

use super::espeak::Espeak;
use super::phrases::{ALONE, CALL, commands};
use super::service::{Remote, Writer};

pub use super::service::NoVoice;
use minismith_assistant::conversation::reported;
use minismith_runtime::config::{TtsEngine, Voice};
use minismith_toolchain::workshop::registry::Registry;

/// Speech recognition and synthesis.
pub struct Engines {
    /// Detects speech.
    pub detector: Vad,
    /// Transcribes speech on this computer.
    pub transcriber: Box<dyn Transcriber + Send>,
    /// A service that transcribes each complete utterance again.
    pub second: Option<Box<dyn Transcriber + Send>>,
    /// Synthesizes speech; `None` where answers are not spoken.
    pub speech: Option<Box<dyn TextToSpeech + Send>>,
    /// The expected commands.
    pub commands: Vec<String>,
}

impl Engines {
    /// Opens the engines of the configuration, with models from this folder, and without speech where nothing
    /// is spoken. The names of the registered tools are among the expected commands.
    ///
    /// # Errors
    /// Fails when a required part is not installed.
    pub fn open(voice: &Voice, models: &Models, is_spoken: bool, tools: &Registry) -> Result<Self, NoVoice> {
        let no = |error: &dyn std::fmt::Display| NoVoice(error.to_string());
        let tools = reported(tools).map_err(|error| no(&error))?;
        let commands = commands(tools.iter().map(|tool| tool.name.as_str()));
        let calls: Vec<String> =
            voice.wake_words.iter().map(|name| format!("hey {name}")).chain([CALL.to_owned()]).collect();
        let moonshine = Moonshine::open(models).map_err(|error| no(&error))?;
        let known = moonshine.choices(&calls, &commands, &ALONE.map(str::to_owned));
        let transcriber = Box::new(moonshine.knowing(known));
        let second = match &voice.transcription {
            Some(service) => {
                Some(Box::new(Writer::open(service, &voice.language)?) as Box<dyn Transcriber + Send>)
            }
            None => None,
        };
        let speech = is_spoken.then(|| speech(voice, models)).transpose()?;
        let detector = Vad::open(models).map_err(|error| no(&error))?;
        Ok(Engines { detector, transcriber, second, speech, commands })
    }
}

fn speech(voice: &Voice, models: &Models) -> Result<Box<dyn TextToSpeech + Send>, NoVoice> {
    let here = here(voice, models);
    match &voice.speech {
        Some(service) => {
            Ok(Box::new(Either { service: Remote::open(service)?, here: here.ok(), is_reported: false }))
        }
        None => here,
    }
}

/// Opens the speech of this computer: hibari, or espeak-ng alone where that is configured or the model is
/// missing.
fn here(voice: &Voice, models: &Models) -> Result<Box<dyn TextToSpeech + Send>, NoVoice> {
    let espeak = Espeak::find(&voice.language).ok_or_else(|| {
        NoVoice("espeak-ng is not installed (Debian: apt install espeak-ng); speech needs it".into())
    })?;
    if voice.tts_engine == TtsEngine::Espeak || !voice.language.starts_with("en") {
        return Ok(Box::new(espeak));
    }
    match Hibari::open(models, espeak.clone()) {
        Ok(hibari) => Ok(Box::new(hibari)),
        Err(missing) => {
            tracing::warn!("{missing}; espeak-ng speaks instead");
            Ok(Box::new(espeak))
        }
    }
}

/// A speech service, and the local speech for when it fails.
struct Either {
    service: Remote,
    here: Option<Box<dyn TextToSpeech + Send>>,
    is_reported: bool,
}

impl TextToSpeech for Either {
    fn rate(&self) -> u32 {
        TextToSpeech::rate(&self.service)
    }

    fn synthesize(&mut self, sentence: &str) -> Result<Clip, VoiceError> {
        let fault = match self.service.synthesize(sentence) {
            Ok(clip) => {
                self.is_reported = false;
                return Ok(clip);
            }
            Err(fault) => fault,
        };
        let rate = self.rate();
        let Some(here) = &mut self.here else { return Err(fault) };
        if !std::mem::replace(&mut self.is_reported, true) {
            tracing::warn!("{fault}; this computer speaks until it answers again");
        }
        let clip = here.synthesize(sentence)?;
        clip.resampled(rate).map_err(|error| VoiceError::failed("resampling", error))
    }
}
