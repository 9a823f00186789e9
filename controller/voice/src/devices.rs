//! Microphones and speakers, through ALSA ([`Microphone`], [`Speaker`]).
//!
//! A device is identified by its ALSA name (`default`, `plughw:1`, or one from a configuration file). A bounded queue lies
//! between the device and the program.
//!
//! The program never blocks a device with its own clock: if it is too slow, the oldest samples are dropped and counted
//! ([`Pace::Device`]). A device without a clock, such as a `file` PCM, would run as fast as it is read, so it waits for the
//! program ([`Pace::Program`]).
//!
//! [`mod@mic_array`] reports the direction of a voice; [`mixer`] sets the volume.

pub mod mic_array;
pub mod mixer;
mod queue;

use std::sync::Arc;
use std::time::Duration;

use cpal::traits::{DeviceTrait, HostTrait, StreamTrait};
use cpal::{BufferSize, Device, ErrorKind, SampleFormat, StreamConfig, SupportedStreamConfigRange};

use crate::HEARD_RATE;
use crate::audio::sane;

use queue::Queue;

/// Name of the system's default device.
pub const DEFAULT: &str = "default";

/// Playback rates in Hz, the best first.
const SUPPORTED_RATES: [u32; 4] = [24_000, 48_000, 44_100, 16_000];

/// Timeout for a device that does not respond.
const OPEN_TIMEOUT: Duration = Duration::from_millis(500);

/// Reports why a device is not available. The messages are for the user.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// No device has this name.
    #[error("cannot open the {kind} `{name}`: {reason}; list the devices with `arecord -L` and `aplay -L`")]
    Missing {
        /// Microphone or speaker.
        kind: &'static str,
        /// Device name.
        name: String,
        /// Error from ALSA.
        reason: String,
    },
    /// The device does not support the required rate.
    #[error(
        "the {kind} `{name}` does not support {needed} Hz ({offered}); use a `plug` device, such as `plughw:0`, to resample"
    )]
    Rate {
        /// Microphone or speaker.
        kind: &'static str,
        /// Device name.
        name: String,
        /// Required rate or rates.
        needed: String,
        /// Supported rates.
        offered: String,
    },
    /// The device exists but cannot be used now.
    #[error("cannot use the {kind} `{name}`: {reason}")]
    Unusable {
        /// Microphone or speaker.
        kind: &'static str,
        /// Device name.
        name: String,
        /// Error from ALSA.
        reason: String,
    },
}

/// Selects whether the device or the program sets the pace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pace {
    /// The device has a clock. A full queue drops its oldest samples.
    #[default]
    Device,
    /// The device has no clock and waits for the program.
    Program,
}

/// Error counters of a device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Health {
    /// Number of dropped samples.
    pub dropped: u64,
    /// Number of errors that the device reported.
    pub faults: u64,
    /// Latest error.
    pub latest: Option<String>,
    /// Whether the device is gone and must be opened again.
    pub is_lost: bool,
}

/// An open microphone. It delivers mono at [`HEARD_RATE`], mixed down from its channels.
pub struct Microphone {
    queue: Arc<Queue>,
    _stream: cpal::Stream,
}

impl Microphone {
    /// Opens a microphone. `room` is the capacity of the queue.
    ///
    /// # Errors
    /// Returns an error when it does not exist or does not support [`HEARD_RATE`].
    pub fn open(name: &str, pace: Pace, room: Duration) -> Result<Self, DeviceError> {
        let kind = "microphone";
        let device = find(kind, name, Device::supports_input)?;
        let offers: Vec<SupportedStreamConfigRange> =
            device.supported_input_configs().map_err(|error| device_error(kind, name, &error))?.collect();
        let (config, format) = choose(kind, name, &offers, &[HEARD_RATE])?;
        let queue = Arc::new(Queue::new(crate::audio::samples_in(room, HEARD_RATE), pace));
        let (filled, troubled) = (Arc::clone(&queue), Arc::clone(&queue));
        let channels = usize::from(config.channels);
        let on_error = move |error: cpal::Error| troubled.record_error(&error);
        let stream = match format {
            SampleFormat::F32 => device.build_input_stream(
                config,
                move |samples: &[f32], _: &_| {
                    filled.put(samples.chunks_exact(channels).map(|one| mean(one.iter().copied())));
                },
                on_error,
                Some(OPEN_TIMEOUT),
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
                Some(OPEN_TIMEOUT),
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
                Some(OPEN_TIMEOUT),
            ),
        }
        .map_err(|error| device_error(kind, name, &error))?;
        stream.play().map_err(|error| device_error(kind, name, &error))?;
        Ok(Microphone { queue, _stream: stream })
    }

    /// Returns the samples since the last call. It waits for at most `patience` until there are some.
    #[must_use]
    pub fn take(&self, patience: Duration) -> Vec<f32> {
        self.queue.take(patience)
    }

    /// Returns its error counters.
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

/// An open speaker.
pub struct Speaker {
    queue: Arc<Queue>,
    rate: u32,
    _stream: cpal::Stream,
}

impl Speaker {
    /// Opens a speaker. `room` is the capacity of the queue.
    ///
    /// # Errors
    /// Returns an error when it does not exist or supports no rate for speech.
    pub fn open(name: &str, pace: Pace, room: Duration) -> Result<Self, DeviceError> {
        let kind = "speaker";
        let device = find(kind, name, Device::supports_output)?;
        let offers: Vec<SupportedStreamConfigRange> =
            device.supported_output_configs().map_err(|error| device_error(kind, name, &error))?.collect();
        let (config, format) = choose(kind, name, &offers, &SUPPORTED_RATES)?;
        let rate = config.sample_rate;
        let queue = Arc::new(Queue::new(crate::audio::samples_in(room, rate), pace));
        let (emptied, troubled) = (Arc::clone(&queue), Arc::clone(&queue));
        let channels = usize::from(config.channels);
        let on_error = move |error: cpal::Error| troubled.record_error(&error);
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
                Some(OPEN_TIMEOUT),
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
                Some(OPEN_TIMEOUT),
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
                Some(OPEN_TIMEOUT),
            ),
        }
        .map_err(|error| device_error(kind, name, &error))?;
        stream.play().map_err(|error| device_error(kind, name, &error))?;
        Ok(Speaker { queue, rate, _stream: stream })
    }

    /// Returns its playback rate in Hz.
    #[must_use]
    pub fn rate(&self) -> u32 {
        self.rate
    }

    /// Queues samples at [`Speaker::rate`] for playback, and returns how many fit into the queue.
    pub fn play(&self, samples: &[f32]) -> usize {
        self.queue.offer(samples)
    }

    /// Returns the number of queued samples, without those already in the device.
    #[must_use]
    pub fn queued(&self) -> usize {
        self.queue.len()
    }

    /// Waits for at most `patience` until the device has taken all queued samples, and returns whether it has.
    #[must_use]
    pub fn wait(&self, patience: Duration) -> bool {
        self.queue.wait_until_empty(patience)
    }

    /// Discards the queued samples and returns their number.
    pub fn stop(&self) -> usize {
        self.queue.clear()
    }

    /// Returns its error counters.
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

/// Lists the names of ALSA's microphones and speakers.
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

fn find(kind: &'static str, name: &str, fits: impl Fn(&Device) -> bool) -> Result<Device, DeviceError> {
    let missing = |reason: String| DeviceError::Missing { kind, name: name.to_owned(), reason };
    let host = cpal::default_host();
    if name == DEFAULT {
        // ALSA's default works in both directions. The host's default input is searched only among sound cards.
        return host.default_output_device().ok_or_else(|| missing("ALSA has no default device".to_owned()));
    }
    let mut devices = host.devices().map_err(|error| missing(error.to_string()))?;
    devices
        .find(|device| fits(device) && device.id().is_ok_and(|id| id.id() == name))
        .ok_or_else(|| missing("ALSA does not list it".to_owned()))
}

/// Chooses the configuration: the first supported rate, as few channels as possible, and the sample format that is easiest to
/// convert.
fn choose(
    kind: &'static str,
    name: &str,
    offers: &[SupportedStreamConfigRange],
    rates: &[u32],
) -> Result<(StreamConfig, SampleFormat), DeviceError> {
    let format_rank = |format: SampleFormat| {
        [SampleFormat::I16, SampleFormat::F32, SampleFormat::I32]
            .iter()
            .position(|format_rank| *format_rank == format)
    };
    for &rate in rates {
        let fitting = offers.iter().filter(|offer| offer.contains_rate(rate));
        let best = fitting
            .filter_map(|offer| Some((offer.channels(), format_rank(offer.sample_format())?, offer)))
            .filter(|(channels, ..)| (1..=8).contains(channels))
            .min_by_key(|(channels, format_rank, _)| (*channels, *format_rank));
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
    Err(DeviceError::Rate {
        kind,
        name: name.to_owned(),
        needed: rates.iter().map(u32::to_string).collect::<Vec<_>>().join(", "),
        offered: if offered.is_empty() { "it supports no rate".to_owned() } else { offered.join("; ") },
    })
}

fn device_error(kind: &'static str, name: &str, error: &cpal::Error) -> DeviceError {
    let (name, reason) = (name.to_owned(), error.to_string());
    match error.kind() {
        ErrorKind::DeviceNotAvailable | ErrorKind::HostUnavailable => {
            DeviceError::Missing { kind, name, reason }
        }
        ErrorKind::UnsupportedConfig => {
            DeviceError::Rate { kind, name, needed: HEARD_RATE.to_string(), offered: reason }
        }
        _ => DeviceError::Unusable { kind, name, reason },
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
    fn choose_prefers_the_required_rate_and_few_channels() {
        let offers = [
            offer(2, (8000, 48_000), SampleFormat::F32),
            offer(1, (16_000, 16_000), SampleFormat::F32),
            offer(1, (16_000, 16_000), SampleFormat::I16),
            offer(1, (16_000, 16_000), SampleFormat::U8),
        ];
        let (config, format) = choose("microphone", "one", &offers, &[HEARD_RATE]).unwrap();
        assert_eq!((config.channels, config.sample_rate, format), (1, 16_000, SampleFormat::I16));
        let (config, _) = choose("speaker", "one", &offers, &SUPPORTED_RATES).unwrap();
        assert_eq!((config.channels, config.sample_rate), (2, 24_000));
    }

    #[test]
    fn choose_reports_the_supported_rates() {
        let offers = [offer(2, (44_100, 48_000), SampleFormat::I16)];
        let reported = choose("microphone", "hw:1", &offers, &[HEARD_RATE]).unwrap_err().to_string();
        assert_eq!(
            reported,
            "the microphone `hw:1` does not support 16000 Hz (44100 to 48000 Hz); use a `plug` device, such as `plughw:0`, \
             to resample"
        );
        assert!(choose("speaker", "none", &[], &SUPPORTED_RATES).is_err());
    }
}
