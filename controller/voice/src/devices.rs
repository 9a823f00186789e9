//! Microphones and speakers, through ALSA. A device is known by ALSA's name for it (`default`, `plughw:1`, or one of a
//! configuration file), and what passes between it and the program waits in a queue of bounded length.
//!
//! [`mod@array`] tells where a voice comes from.
//!
//! A device with a clock of its own is never waited for: where the program is too slow, the oldest samples are dropped and
//! counted ([`Pace::Device`]). One without a clock, such as a `file` PCM, would run as fast as it is read: it waits for the
//! program ([`Pace::Program`]).

pub mod array;
mod queue;

use std::sync::Arc;
use std::time::Duration;

use cpal::traits::{DeviceTrait, HostTrait, StreamTrait};
use cpal::{BufferSize, Device, ErrorKind, SampleFormat, StreamConfig, SupportedStreamConfigRange};

use crate::HEARD_RATE;
use crate::audio::sane;

use queue::Queue;

/// The name of the device that the system uses where none is named.
pub const DEFAULT: &str = "default";

/// Rates at which speech is played, the best first.
const SPOKEN_RATES: [u32; 4] = [24_000, 48_000, 44_100, 16_000];

/// How long to wait for a device that does not answer.
const PATIENCE: Duration = Duration::from_millis(500);

/// Why there is no sound. The texts are for a person.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoDevice {
    /// There is none of that name.
    #[error("there is no {kind} `{name}` ({reason}); `arecord -L` and `aplay -L` list those that ALSA knows")]
    Missing {
        /// Microphone or speaker.
        kind: &'static str,
        /// Its name.
        name: String,
        /// What ALSA said.
        reason: String,
    },
    /// It can't work at the rate that is needed.
    #[error(
        "the {kind} `{name}` does not work at {needed} Hz ({offered}); a `plug` device, such as `plughw:0`, changes rates"
    )]
    Rate {
        /// Microphone or speaker.
        kind: &'static str,
        /// Its name.
        name: String,
        /// The rate or rates that are needed.
        needed: String,
        /// What it offers.
        offered: String,
    },
    /// It is there, but can't be used now.
    #[error("the {kind} `{name}` can't be used ({reason})")]
    Unusable {
        /// Microphone or speaker.
        kind: &'static str,
        /// Its name.
        name: String,
        /// What ALSA said.
        reason: String,
    },
}

/// Who waits for whom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pace {
    /// The device has a clock: what finds no room is dropped, the oldest first.
    #[default]
    Device,
    /// The device has none, and waits for the program.
    Program,
}

/// How a device is doing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Health {
    /// How many samples found no room.
    pub dropped: u64,
    /// How often the device reported an error.
    pub faults: u64,
    /// The latest of these.
    pub latest: Option<String>,
    /// Whether the device is gone for good and has to be opened anew.
    pub is_lost: bool,
}

/// A microphone that is open: one channel of [`HEARD_RATE`], the mean of those that it has.
pub struct Microphone {
    queue: Arc<Queue>,
    _stream: cpal::Stream,
}

impl Microphone {
    /// Opens one; at most `room` of what it hears waits.
    ///
    /// # Errors
    /// When there is none, or it can't be used at [`HEARD_RATE`].
    pub fn open(name: &str, pace: Pace, room: Duration) -> Result<Self, NoDevice> {
        let kind = "microphone";
        let device = find(kind, name, Device::supports_input)?;
        let offers: Vec<SupportedStreamConfigRange> =
            device.supported_input_configs().map_err(|error| refused(kind, name, &error))?.collect();
        let (config, format) = choose(kind, name, &offers, &[HEARD_RATE])?;
        let queue = Arc::new(Queue::new(crate::audio::samples_in(room, HEARD_RATE), pace));
        let (filled, troubled) = (Arc::clone(&queue), Arc::clone(&queue));
        let channels = usize::from(config.channels);
        let on_error = move |error: cpal::Error| troubled.note(&error);
        let stream = match format {
            SampleFormat::F32 => device.build_input_stream(
                config,
                move |samples: &[f32], _: &_| {
                    filled.put(samples.chunks_exact(channels).map(|one| mean(one.iter().copied())));
                },
                on_error,
                Some(PATIENCE),
            ),
            SampleFormat::I32 => device.build_input_stream(
                config,
                move |samples: &[i32], _: &_| {
                    let full = -(i32::MIN as f32);
                    filled.put(
                        samples.chunks_exact(channels).map(|one| mean(one.iter().map(|s| *s as f32 / full))),
                    );
                },
                on_error,
                Some(PATIENCE),
            ),
            _ => device.build_input_stream(
                config,
                move |samples: &[i16], _: &_| {
                    filled.put(
                        samples
                            .chunks_exact(channels)
                            .map(|one| mean(one.iter().map(|s| f32::from(*s) / 32_768.0))),
                    );
                },
                on_error,
                Some(PATIENCE),
            ),
        }
        .map_err(|error| refused(kind, name, &error))?;
        stream.play().map_err(|error| refused(kind, name, &error))?;
        Ok(Microphone { queue, _stream: stream })
    }

    /// What was heard since the last time; waits until there is something, no longer than this.
    #[must_use]
    pub fn take(&self, patience: Duration) -> Vec<f32> {
        self.queue.take(patience)
    }

    /// How it is doing.
    #[must_use]
    pub fn health(&self) -> Health {
        self.queue.health()
    }
}

impl Drop for Microphone {
    fn drop(&mut self) {
        self.queue.close();
    }
}

/// A speaker that is open.
pub struct Speaker {
    queue: Arc<Queue>,
    rate: u32,
    _stream: cpal::Stream,
}

impl Speaker {
    /// Opens one; at most `room` of what is to be played waits.
    ///
    /// # Errors
    /// When there is none, or it can't be used at any rate of speech.
    pub fn open(name: &str, pace: Pace, room: Duration) -> Result<Self, NoDevice> {
        let kind = "speaker";
        let device = find(kind, name, Device::supports_output)?;
        let offers: Vec<SupportedStreamConfigRange> =
            device.supported_output_configs().map_err(|error| refused(kind, name, &error))?.collect();
        let (config, format) = choose(kind, name, &offers, &SPOKEN_RATES)?;
        let rate = config.sample_rate;
        let queue = Arc::new(Queue::new(crate::audio::samples_in(room, rate), pace));
        let (emptied, troubled) = (Arc::clone(&queue), Arc::clone(&queue));
        let channels = usize::from(config.channels);
        let on_error = move |error: cpal::Error| troubled.note(&error);
        let stream = match format {
            SampleFormat::F32 => device.build_output_stream(
                config,
                move |samples: &mut [f32], _: &_| {
                    let mut played = emptied.play(samples.len() / channels).into_iter();
                    for one in samples.chunks_exact_mut(channels) {
                        one.fill(played.next().unwrap_or(0.0));
                    }
                },
                on_error,
                Some(PATIENCE),
            ),
            SampleFormat::I32 => device.build_output_stream(
                config,
                move |samples: &mut [i32], _: &_| {
                    let mut played = emptied.play(samples.len() / channels).into_iter();
                    for one in samples.chunks_exact_mut(channels) {
                        one.fill((f64::from(played.next().unwrap_or(0.0)) * f64::from(i32::MAX)) as i32);
                    }
                },
                on_error,
                Some(PATIENCE),
            ),
            _ => device.build_output_stream(
                config,
                move |samples: &mut [i16], _: &_| {
                    let mut played = emptied.play(samples.len() / channels).into_iter();
                    for one in samples.chunks_exact_mut(channels) {
                        one.fill((played.next().unwrap_or(0.0) * f32::from(i16::MAX)).round() as i16);
                    }
                },
                on_error,
                Some(PATIENCE),
            ),
        }
        .map_err(|error| refused(kind, name, &error))?;
        stream.play().map_err(|error| refused(kind, name, &error))?;
        Ok(Speaker { queue, rate, _stream: stream })
    }

    /// The rate at which it plays.
    #[must_use]
    pub fn rate(&self) -> u32 {
        self.rate
    }

    /// Takes samples of [`Speaker::rate`] to be played after those that wait, and tells how many found room.
    pub fn play(&self, samples: &[f32]) -> usize {
        self.queue.offer(samples)
    }

    /// How many samples wait to be played; those that the device has taken are not among them.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.queue.len()
    }

    /// Waits until the device has taken all that waits, no longer than this, and tells whether it has.
    #[must_use]
    pub fn wait(&self, patience: Duration) -> bool {
        self.queue.wait_until_empty(patience)
    }

    /// Forgets all that waits, and tells how many samples that were.
    pub fn cut(&self) -> usize {
        self.queue.clear()
    }

    /// How it is doing.
    #[must_use]
    pub fn health(&self) -> Health {
        self.queue.health()
    }
}

impl Drop for Speaker {
    fn drop(&mut self) {
        self.queue.close();
    }
}

/// The names of the devices that ALSA lists: microphones and speakers.
#[must_use]
pub fn list() -> (Vec<String>, Vec<String>) {
    let Ok(devices) = cpal::default_host().devices() else { return (Vec::new(), Vec::new()) };
    let (mut microphones, mut speakers) = (Vec::new(), Vec::new());
    for device in devices {
        let Ok(id) = device.id() else { continue };
        if device.supports_input() {
            microphones.push(id.id().to_owned());
        }
        if device.supports_output() {
            speakers.push(id.id().to_owned());
        }
    }
    (microphones, speakers)
}

fn mean(samples: impl ExactSizeIterator<Item = f32>) -> f32 {
    let count = samples.len().max(1) as f32;
    sane(samples.sum::<f32>() / count)
}

fn find(kind: &'static str, name: &str, fits: impl Fn(&Device) -> bool) -> Result<Device, NoDevice> {
    let missing = |reason: String| NoDevice::Missing { kind, name: name.to_owned(), reason };
    let host = cpal::default_host();
    if name == DEFAULT {
        // ALSA's own, for both directions; the host's default for input is looked for among the sound cards alone.
        return host.default_output_device().ok_or_else(|| missing("ALSA knows no default".to_owned()));
    }
    let mut devices = host.devices().map_err(|error| missing(error.to_string()))?;
    devices
        .find(|device| fits(device) && device.id().is_ok_and(|id| id.id() == name))
        .ok_or_else(|| missing("ALSA does not list it".to_owned()))
}

/// The way in which a device is used: the first of the rates that it has, as few channels as it can, and samples that need the
/// least care.
fn choose(
    kind: &'static str,
    name: &str,
    offers: &[SupportedStreamConfigRange],
    rates: &[u32],
) -> Result<(StreamConfig, SampleFormat), NoDevice> {
    let known = |format: SampleFormat| {
        [SampleFormat::I16, SampleFormat::F32, SampleFormat::I32].iter().position(|known| *known == format)
    };
    for &rate in rates {
        let fitting = offers.iter().filter(|offer| offer.contains_rate(rate));
        let best = fitting
            .filter_map(|offer| Some((offer.channels(), known(offer.sample_format())?, offer)))
            .filter(|(channels, ..)| (1..=8).contains(channels))
            .min_by_key(|(channels, known, _)| (*channels, *known));
        if let Some((channels, _, offer)) = best {
            let config = StreamConfig { channels, sample_rate: rate, buffer_size: BufferSize::Default };
            return Ok((config, offer.sample_format()));
        }
    }
    let offered: Vec<String> = offers
        .iter()
        .take(4)
        .map(|offer| format!("{} to {} Hz", offer.min_sample_rate(), offer.max_sample_rate()))
        .collect();
    Err(NoDevice::Rate {
        kind,
        name: name.to_owned(),
        needed: rates.iter().map(u32::to_string).collect::<Vec<_>>().join(", "),
        offered: if offered.is_empty() { "it offers nothing".to_owned() } else { offered.join("; ") },
    })
}

fn refused(kind: &'static str, name: &str, error: &cpal::Error) -> NoDevice {
    let (name, reason) = (name.to_owned(), error.to_string());
    match error.kind() {
        ErrorKind::DeviceNotAvailable | ErrorKind::HostUnavailable => {
            NoDevice::Missing { kind, name, reason }
        }
        ErrorKind::UnsupportedConfig => {
            NoDevice::Rate { kind, name, needed: HEARD_RATE.to_string(), offered: reason }
        }
        _ => NoDevice::Unusable { kind, name, reason },
    }
}

#[cfg(test)]
mod tests {
    use cpal::SupportedBufferSize;

    use super::*;

    fn offer(channels: u16, rates: (u32, u32), format: SampleFormat) -> SupportedStreamConfigRange {
        SupportedStreamConfigRange::new(channels, rates.0, rates.1, SupportedBufferSize::Unknown, format)
    }

    #[test]
    fn the_rate_that_is_needed_is_taken_with_few_channels() {
        let offers = [
            offer(2, (8000, 48_000), SampleFormat::F32),
            offer(1, (16_000, 16_000), SampleFormat::F32),
            offer(1, (16_000, 16_000), SampleFormat::I16),
            offer(1, (16_000, 16_000), SampleFormat::U8),
        ];
        let (config, format) = choose("microphone", "one", &offers, &[HEARD_RATE]).unwrap();
        assert_eq!((config.channels, config.sample_rate, format), (1, 16_000, SampleFormat::I16));
        let (config, _) = choose("speaker", "one", &offers, &SPOKEN_RATES).unwrap();
        assert_eq!((config.channels, config.sample_rate), (2, 24_000));
    }

    #[test]
    fn a_wrong_rate_is_told_with_what_there_is() {
        let offers = [offer(2, (44_100, 48_000), SampleFormat::I16)];
        let told = choose("microphone", "hw:1", &offers, &[HEARD_RATE]).unwrap_err().to_string();
        assert_eq!(
            told,
            "the microphone `hw:1` does not work at 16000 Hz (44100 to 48000 Hz); a `plug` device, such as `plughw:0`, \
             changes rates"
        );
        assert!(choose("speaker", "none", &[], &SPOKEN_RATES).is_err());
    }
}
