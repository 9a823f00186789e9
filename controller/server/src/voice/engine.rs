//! Who understands speech and who speaks: models on this machine, and services where the configuration names them. What a service
//! can't do at the moment, this machine does, and says so. What is said so far is always looked at here, so that a stop needs no
//! service.

use minismith_senses::models::Models;
use minismith_voice::VoiceFault;
use minismith_voice::audio::Clip;
use minismith_voice::hibari::Hibari;
use minismith_voice::moonshine::Moonshine;
use minismith_voice::mouth::Speech;
use minismith_voice::transcriber::Transcriber;
use minismith_voice::vad::Vad;

use super::espeak::Espeak;
use super::phrases::{ALONE, CALL, commands};
use super::service::{Remote, Writer};

pub use super::service::NoVoice;
use minismith_assistant::conversation::told;
use minismith_runtime::config::{Engine, Voice};
use minismith_toolchain::workshop::registry::Registry;

/// Ears and a mouth.
pub struct Engines {
    /// Tells speech from other sounds.
    pub detector: Vad,
    /// Writes down what was said, on this machine.
    pub transcriber: Box<dyn Transcriber + Send>,
    /// A service that writes it down once more, when all was said.
    pub second: Option<Box<dyn Transcriber + Send>>,
    /// Speaks; none where answers are not spoken.
    pub speech: Option<Box<dyn Speech + Send>>,
    /// The commands that are expected.
    pub commands: Vec<String>,
}

impl Engines {
    /// Those that the configuration names, with models from this folder; without a mouth where nobody is to speak. The tools
    /// of the registry are expected among the commands.
    ///
    /// # Errors
    /// When something that is needed is not installed.
    pub fn open(voice: &Voice, models: &Models, is_spoken: bool, tools: &Registry) -> Result<Self, NoVoice> {
        let no = |error: &dyn std::fmt::Display| NoVoice(error.to_string());
        let tools = told(tools).map_err(|error| no(&error))?;
        let commands = commands(tools.iter().map(|tool| tool.name.as_str()));
        let calls: Vec<String> =
            voice.names.iter().map(|name| format!("hey {name}")).chain([CALL.to_owned()]).collect();
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

fn speech(voice: &Voice, models: &Models) -> Result<Box<dyn Speech + Send>, NoVoice> {
    let here = here(voice, models);
    match &voice.speech {
        Some(service) => {
            Ok(Box::new(Either { service: Remote::open(service)?, here: here.ok(), is_told: false }))
        }
        None => here,
    }
}

/// The voice of this machine: hibari, or espeak-ng by itself where that is asked for or the model is not there.
fn here(voice: &Voice, models: &Models) -> Result<Box<dyn Speech + Send>, NoVoice> {
    let espeak = Espeak::find(&voice.language).ok_or_else(|| {
        NoVoice(
            "espeak-ng is not installed (Debian: apt install espeak-ng); without it nothing can be said"
                .into(),
        )
    })?;
    if voice.engine == Engine::Espeak || !voice.language.starts_with("en") {
        return Ok(Box::new(espeak));
    }
    match Hibari::open(models, espeak.clone()) {
        Ok(hibari) => Ok(Box::new(hibari)),
        Err(missing) => {
            tracing::warn!("{missing}; espeak-ng speaks by itself");
            Ok(Box::new(espeak))
        }
    }
}

/// A service that speaks, and who speaks where it fails.
struct Either {
    service: Remote,
    here: Option<Box<dyn Speech + Send>>,
    is_told: bool,
}

impl Speech for Either {
    fn rate(&self) -> u32 {
        Speech::rate(&self.service)
    }

    fn say(&mut self, sentence: &str) -> Result<Clip, VoiceFault> {
        let fault = match self.service.say(sentence) {
            Ok(clip) => {
                self.is_told = false;
                return Ok(clip);
            }
            Err(fault) => fault,
        };
        let rate = self.rate();
        let Some(here) = &mut self.here else { return Err(fault) };
        if !std::mem::replace(&mut self.is_told, true) {
            tracing::warn!("{fault}; this machine speaks meanwhile");
        }
        let clip = here.say(sentence)?;
        clip.resampled(rate).map_err(|error| VoiceFault::failed("resampling", error))
    }
}
