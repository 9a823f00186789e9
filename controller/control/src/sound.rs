//! What a tool hears and plays ([`Sound`]): the robot's microphones and speaker, or simulated ones in a rehearsal.
//!
//! Samples are mono, from -1 to 1, at [`SAMPLE_RATE`], as in the official SDK's `media` (which gives each sample twice, as
//! stereo). Nothing here runs in the control loop. What is heard is data and never an instruction.

use firmware_bridge::clock::Timestamp;

/// Samples per second, in both directions (official `media/audio_base.py`).
pub const SAMPLE_RATE: u32 = 16_000;

/// The most that is heard at once, seconds. What was not fetched by then is dropped, the oldest first.
pub const MAX_HEARD_SECONDS: u32 = 1;

/// Why there is no sound. The text is for people.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoSound(pub String);

impl NoSound {
    fn of(device: &str) -> Self {
        NoSound(format!(
            "there is no {device} for tools; `minismith serve` gives them that of the configuration (`voice`)"
        ))
    }
}

/// Returns half a second of a tone that begins and ends without a click.
#[must_use]
pub fn tone() -> Vec<f32> {
    let sample = |at: u32| {
        let time = f64::from(at) / f64::from(SAMPLE_RATE);
        let fade = (time.min(0.5 - time) / 0.05).min(1.0);
        (0.3 * fade * (std::f64::consts::TAU * 660.0 * time).sin()) as f32
    };
    (0..SAMPLE_RATE / 2).map(sample).collect()
}

/// Where a voice comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VoiceDirection {
    /// Radians: 0 is left, pi/2 ahead, pi right.
    pub angle: f64,
    /// Whether somebody speaks now.
    pub is_speech: bool,
}

/// The sound of a robot for one tool. `now` is robot time; only simulated sound depends on it.
pub trait Sound: Send {
    /// Starts or ends recording.
    ///
    /// # Errors
    /// Returns [`NoSound`] if there is no microphone, or it cannot be opened.
    fn record(&mut self, _on: bool, _now: Timestamp) -> Result<(), NoSound> {
        Err(NoSound::of("microphone"))
    }

    /// Returns the samples that were recorded since the last call; none if there are none yet, or nothing is recorded.
    fn heard(&mut self, _now: Timestamp) -> Vec<f32> {
        Vec::new()
    }

    /// Returns where the last voice came from; none without an array of microphones.
    fn direction(&mut self, _now: Timestamp) -> Option<VoiceDirection> {
        None
    }

    /// Starts a sound file of the robot, by its name.
    ///
    /// # Errors
    /// Returns [`NoSound`] if there is no such file or no speaker.
    fn play_file(&mut self, _name: &str) -> Result<(), NoSound> {
        Err(NoSound::of("speaker"))
    }

    /// Plays samples after those that were played before.
    ///
    /// # Errors
    /// Returns [`NoSound`] if there is no speaker, or it still has too much to play.
    fn play(&mut self, _samples: &[f32]) -> Result<(), NoSound> {
        Err(NoSound::of("speaker"))
    }

    /// Ends recording at the end of a run. After a stop, what is being played falls silent.
    fn end(&mut self, _is_stopped: bool) {}
}

/// Neither a microphone nor a speaker.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silence;

impl Sound for Silence {}

/// Opens the sound of a robot for each tool.
pub trait SoundSource: Send + Sync {
    /// Returns the sound for one execution context. Devices open when they are used for the first time.
    fn open(&self) -> Box<dyn Sound>;
}
