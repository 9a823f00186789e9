//! The microphones and the speaker of the robot, for tools.

use std::sync::Arc;
use std::time::Duration;

use firmware_bridge::clock::Timestamp;
use minismith_control::sound::{MAX_HEARD_SECONDS, NoSound, SAMPLE_RATE, Sound, SoundSource, VoiceDirection};
use minismith_voice::HEARD_RATE;
use minismith_voice::audio::Clip;
use minismith_voice::devices::mic_array::SharedMicArray;
use minismith_voice::devices::{Microphone, Pace, Speaker};

use super::sounds::Sounds;

const _: () = assert!(HEARD_RATE == SAMPLE_RATE, "tools hear what the microphone delivers");

/// How much a tool may play ahead. The official SDK takes any amount; here a tool that plays faster than time is told.
const AHEAD: Duration = Duration::from_secs(10);

/// The devices of a server, which opens them for each tool that uses them.
pub struct ToolSounds {
    sounds: Arc<Sounds>,
    microphones: Arc<SharedMicArray>,
}

impl ToolSounds {
    /// Returns the devices of these sounds.
    #[must_use]
    pub const fn new(sounds: Arc<Sounds>, microphones: Arc<SharedMicArray>) -> Self {
        ToolSounds { sounds, microphones }
    }
}

impl SoundSource for ToolSounds {
    fn open(&self) -> Box<dyn Sound> {
        Box::new(ToolSound {
            sounds: self.sounds.clone(),
            microphones: self.microphones.clone(),
            microphone: None,
            speaker: None,
        })
    }
}

struct ToolSound {
    sounds: Arc<Sounds>,
    microphones: Arc<SharedMicArray>,
    microphone: Option<Microphone>,
    speaker: Option<Speaker>,
}

fn no(error: impl std::fmt::Display) -> NoSound {
    NoSound(error.to_string())
}

impl Sound for ToolSound {
    fn record(&mut self, on: bool, _now: Timestamp) -> Result<(), NoSound> {
        if !on {
            self.microphone = None;
        } else if self.microphone.is_none() {
            let room = Duration::from_secs(MAX_HEARD_SECONDS.into());
            let name = self.sounds.microphone().map_err(no)?;
            self.microphone = Some(Microphone::open(name, Pace::Device, room).map_err(no)?);
        }
        Ok(())
    }

    fn heard(&mut self, _now: Timestamp) -> Vec<f32> {
        self.microphone.as_ref().map(|microphone| microphone.take(Duration::ZERO)).unwrap_or_default()
    }

    fn direction(&mut self, _now: Timestamp) -> Option<VoiceDirection> {
        let found = self.microphones.direction()?;
        Some(VoiceDirection { angle: found.angle(), is_speech: found.is_speech })
    }

    fn play_file(&mut self, name: &str) -> Result<(), NoSound> {
        self.sounds.play(name).map_err(no)
    }

    fn play(&mut self, samples: &[f32]) -> Result<(), NoSound> {
        let speaker = match &mut self.speaker {
            Some(speaker) => speaker,
            empty => {
                let name = self.sounds.speaker().map_err(no)?;
                empty.insert(Speaker::open(name, Pace::Device, AHEAD).map_err(no)?)
            }
        };
        let clip = Clip::new(SAMPLE_RATE, samples.to_vec()).resampled(speaker.rate()).map_err(no)?;
        if speaker.play(&clip.samples) < clip.samples.len() {
            return Err(NoSound(format!("it played more than {} s ahead", AHEAD.as_secs())));
        }
        Ok(())
    }

    fn end(&mut self, is_stopped: bool) {
        self.microphone = None;
        let speaker = self.speaker.take();
        if is_stopped {
            self.sounds.stop();
            return;
        }
        if let Some(speaker) = speaker {
            // The device is free again when it has played what it was given.
            let played = std::thread::Builder::new().name("sound".into()).spawn(move || speaker.wait(AHEAD));
            drop(played);
        }
    }
}
