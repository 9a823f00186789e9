//! Who understands speech and who speaks: models on this machine, or services where the configuration names them. What a service
//! can't do at the moment, this machine does, and says so.

use minismith_senses::models::Models;
use minismith_voice::VoiceFault;
use minismith_voice::audio::Clip;
use minismith_voice::hibari::Hibari;
use minismith_voice::moonshine::Moonshine;
use minismith_voice::mouth::Speech;
use minismith_voice::transcriber::{Transcriber, Transcript};
use minismith_voice::vad::Vad;

use super::espeak::Espeak;
use super::service::Remote;
use crate::config::{Engine, Voice};

/// There is nobody to hear or to speak; the text is for a person.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoVoice(pub String);

/// Ears and a mouth.
pub struct Engines {
    /// Tells speech from other sounds.
    pub detector: Vad,
    /// Writes down what was said.
    pub transcriber: Box<dyn Transcriber + Send>,
    /// Speaks; none where answers are not spoken.
    pub speech: Option<Box<dyn Speech + Send>>,
}

impl Engines {
    /// Those that the configuration names, with models from this folder; without a mouth where nobody is to speak.
    ///
    /// # Errors
    /// When something that is needed is not installed.
    pub fn open(voice: &Voice, models: &Models, is_spoken: bool) -> Result<Self, NoVoice> {
        let no = |error: &dyn std::fmt::Display| NoVoice(error.to_string());
        let local = || Moonshine::open(models).map_err(|error| no(&error));
        let transcriber: Box<dyn Transcriber + Send> = match &voice.transcription {
            Some(service) => Box::new(Either { service: Remote::open(service)?, here: local().ok(), is_told: false }),
            None => Box::new(local()?),
        };
        let speech = is_spoken.then(|| speech(voice, models)).transpose()?;
        let detector = Vad::open(models).map_err(|error| no(&error))?;
        Ok(Engines { detector, transcriber, speech })
    }
}

fn speech(voice: &Voice, models: &Models) -> Result<Box<dyn Speech + Send>, NoVoice> {
    let here = here(voice, models);
    match &voice.speech {
        Some(service) => Ok(Box::new(Either { service: Remote::open(service)?, here: here.ok(), is_told: false })),
        None => here,
    }
}

/// The voice of this machine: hibari, or espeak-ng by itself where that is asked for or the model is not there.
fn here(voice: &Voice, models: &Models) -> Result<Box<dyn Speech + Send>, NoVoice> {
    let espeak = Espeak::find(&voice.language).ok_or_else(|| {
        NoVoice("espeak-ng is not installed (Debian: apt install espeak-ng); without it nothing can be said".into())
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

/// A service, and who is asked where it fails.
struct Either<T> {
    service: Remote,
    here: Option<T>,
    is_told: bool,
}

impl<T> Either<T> {
    /// What the service says, else what is said here.
    fn tried<A>(
        &mut self,
        there: impl FnOnce(&mut Remote) -> Result<A, VoiceFault>,
        here: impl FnOnce(&mut T) -> Result<A, VoiceFault>,
    ) -> Result<A, VoiceFault> {
        let fault = match there(&mut self.service) {
            Ok(answer) => {
                self.is_told = false;
                return Ok(answer);
            }
            Err(fault) => fault,
        };
        let Some(own) = &mut self.here else { return Err(fault) };
        if !std::mem::replace(&mut self.is_told, true) {
            tracing::warn!("{fault}; this machine does it meanwhile");
        }
        here(own)
    }
}

impl<T: Transcriber> Transcriber for Either<T> {
    fn transcribe(&mut self, samples: &[f32]) -> Result<Transcript, VoiceFault> {
        self.tried(|there| there.transcribe(samples), |here| here.transcribe(samples))
    }
}

impl<T: Speech> Speech for Either<T> {
    fn rate(&self) -> u32 {
        Speech::rate(&self.service)
    }

    fn say(&mut self, sentence: &str) -> Result<Clip, VoiceFault> {
        let rate = self.rate();
        self.tried(
            |there| there.say(sentence),
            |here| {
                let clip = here.say(sentence)?;
                clip.resampled(rate).map_err(|error| VoiceFault::failed("resampling", error))
            },
        )
    }
}
