//! Reads WAV files, which are untrusted, and writes 16-bit WAV files.

use std::fs::File;
use std::io::{BufReader, BufWriter, Cursor, Read, Seek, Write};
use std::path::Path;

use hound::{SampleFormat, WavReader, WavSpec, WavWriter};

use super::{AudioFault, Clip, MAX_DURATION, MAX_RATE_HZ, MIN_RATE_HZ, sane};

impl Clip {
    /// Reads a WAV file. Stereo is mixed down to mono.
    ///
    /// # Errors
    /// Returns an error when the file cannot be opened, is not a WAV file, has more than two channels, an unsupported rate, no
    /// samples, or too many.
    pub fn open(path: &Path) -> Result<Clip, AudioFault> {
        Clip::read(BufReader::new(File::open(path)?))
    }

    /// Reads a WAV file from memory.
    ///
    /// # Errors
    /// Returns the same errors as [`Clip::open`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Clip, AudioFault> {
        Clip::read(Cursor::new(bytes))
    }

    fn read(source: impl Read) -> Result<Clip, AudioFault> {
        let reader = WavReader::new(source).map_err(unreadable)?;
        let spec = reader.spec();
        if !(MIN_RATE_HZ..=MAX_RATE_HZ).contains(&spec.sample_rate) {
            return Err(AudioFault::Rate(spec.sample_rate));
        }
        if !(1..=2).contains(&spec.channels) {
            return Err(AudioFault::Channels(spec.channels));
        }
        let samples = match (spec.sample_format, spec.bits_per_sample) {
            (SampleFormat::Float, 32) => read_mono(reader.into_samples::<f32>(), &spec)?,
            (SampleFormat::Int, bits @ 8..=32) => {
                let full = (1_u64 << (bits - 1)) as f32;
                read_mono(
                    reader.into_samples::<i32>().map(|read| read.map(|sample| sample as f32 / full)),
                    &spec,
                )?
            }
            (_, bits) => return Err(AudioFault::NotWav(format!("unsupported sample size of {bits} bits"))),
        };
        if samples.is_empty() {
            return Err(AudioFault::Empty);
        }
        Ok(Clip::new(spec.sample_rate, samples))
    }

    /// Writes a 16-bit WAV file.
    ///
    /// # Errors
    /// Returns an error when the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), AudioFault> {
        self.write(BufWriter::new(File::create(path)?))
    }

    /// Returns the bytes of a 16-bit WAV file.
    ///
    /// # Errors
    /// Returns an error when the clip is too long for a WAV file.
    pub fn to_bytes(&self) -> Result<Vec<u8>, AudioFault> {
        let mut bytes = Cursor::new(Vec::new());
        self.write(&mut bytes)?;
        Ok(bytes.into_inner())
    }

    fn write(&self, sink: impl Write + Seek) -> Result<(), AudioFault> {
        let spec = WavSpec {
            channels: 1,
            sample_rate: self.rate,
            bits_per_sample: 16,
            sample_format: SampleFormat::Int,
        };
        let mut writer = WavWriter::new(sink, spec).map_err(unwritable)?;
        for &sample in &self.samples {
            writer.write_sample((sane(sample) * f32::from(i16::MAX)).round() as i16).map_err(unwritable)?;
        }
        writer.finalize().map_err(unwritable)
    }
}

/// Reads mono samples up to the maximum duration.
fn read_mono(
    samples: impl Iterator<Item = Result<f32, hound::Error>>,
    spec: &WavSpec,
) -> Result<Vec<f32>, AudioFault> {
    let channels = usize::from(spec.channels);
    let longest = MAX_DURATION.as_secs() as usize * spec.sample_rate as usize;
    let (mut gathered, mut sum, mut read) = (Vec::new(), 0.0, 0);
    for sample in samples {
        sum += sane(sample.map_err(unreadable)?);
        read += 1;
        if read == channels {
            if gathered.len() == longest {
                return Err(AudioFault::TooLong);
            }
            gathered.push(sum / channels as f32);
            (sum, read) = (0.0, 0);
        }
    }
    Ok(gathered)
}

/// Maps all read errors to a damaged file, including an unexpected end.
fn unreadable(error: hound::Error) -> AudioFault {
    AudioFault::NotWav(error.to_string())
}

fn unwritable(error: hound::Error) -> AudioFault {
    match error {
        hound::Error::IoError(error) => AudioFault::File(error),
        error => AudioFault::File(std::io::Error::other(error.to_string())),
    }
}
