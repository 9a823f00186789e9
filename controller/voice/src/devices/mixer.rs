//! The volume of a microphone or a speaker, through ALSA's mixer.

use alsa::mixer::{Mixer, Selem, SelemChannelId};

use super::DeviceError;

/// What the volume is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Sound output.
    Speaker,
    /// Sound input.
    Microphone,
}

impl Side {
    const fn name(self) -> &'static str {
        match self {
            Side::Speaker => "speaker",
            Side::Microphone => "microphone",
        }
    }

    /// Controls by falling preference; the robot's sound card has `PCM` and `Headset`.
    const fn controls(self) -> [&'static str; 5] {
        match self {
            Side::Speaker => ["Master", "PCM", "Speaker", "Headphone", "Headset"],
            Side::Microphone => ["Capture", "Mic", "Headset", "Digital", "Master"],
        }
    }

    fn fits(self, control: &Selem<'_>) -> bool {
        match self {
            Side::Speaker => control.has_playback_volume(),
            Side::Microphone => control.has_capture_volume(),
        }
    }
}

/// Returns the card of a device: `hw:1` for `plughw:1,0`, and the name itself for one from a configuration file.
fn card(device: &str) -> String {
    let Some((kind, place)) = device.split_once(':') else { return device.into() };
    match kind {
        "hw" | "plughw" => format!("hw:{}", place.split(',').next().unwrap_or(place)),
        _ => place
            .split(',')
            .find_map(|part| part.strip_prefix("CARD="))
            .map_or_else(|| device.to_owned(), |card| format!("hw:{card}")),
    }
}

fn with_control<T>(
    device: &str,
    side: Side,
    act: impl FnOnce(&Selem<'_>) -> alsa::Result<T>,
) -> Result<T, DeviceError> {
    let failed = |reason: String| DeviceError::Unusable { kind: side.name(), name: device.into(), reason };
    let card = card(device);
    if card.contains('\0') {
        return Err(failed("this is no name".into()));
    }
    let mixer = Mixer::new(&card, false).map_err(|error| failed(format!("it has no mixer ({error})")))?;
    let controls: Vec<Selem<'_>> =
        mixer.iter().filter_map(Selem::new).filter(|control| side.fits(control)).collect();
    let preferred = side.controls().iter().find_map(|name| {
        controls.iter().find(|control| control.get_id().get_name().is_ok_and(|found| found == *name))
    });
    let control = preferred.or_else(|| controls.first());
    let control = control.ok_or_else(|| failed("its mixer has no volume".into()))?;
    act(control).map_err(|error| failed(error.to_string()))
}

/// Returns the volume of a device, 0 to 100.
///
/// # Errors
/// When it has no mixer, or no volume.
pub fn volume(device: &str, side: Side) -> Result<u8, DeviceError> {
    with_control(device, side, |control| {
        let (range, value) = match side {
            Side::Speaker => {
                (control.get_playback_volume_range(), control.get_playback_volume(SelemChannelId::mono())?)
            }
            Side::Microphone => {
                (control.get_capture_volume_range(), control.get_capture_volume(SelemChannelId::mono())?)
            }
        };
        Ok(to_percent(value, range))
    })
}

/// Sets the volume of a device, 0 to 100, and returns the one that it has now: a device may have few steps.
///
/// # Errors
/// When it has no mixer, or no volume.
pub fn set_volume(device: &str, side: Side, percent: u8) -> Result<u8, DeviceError> {
    with_control(device, side, |control| match side {
        Side::Speaker => {
            control.set_playback_volume_all(from_percent(percent, control.get_playback_volume_range()))
        }
        Side::Microphone => {
            control.set_capture_volume_all(from_percent(percent, control.get_capture_volume_range()))
        }
    })?;
    volume(device, side)
}

fn to_percent(value: i64, (low, high): (i64, i64)) -> u8 {
    let span = (high - low).max(1) as f64;
    ((value - low) as f64 / span * 100.0).round().clamp(0.0, 100.0) as u8
}

fn from_percent(percent: u8, (low, high): (i64, i64)) -> i64 {
    low + ((high - low) as f64 * f64::from(percent.min(100)) / 100.0).round() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards_are_found_and_percents_fit_their_range() {
        for (device, expected) in [
            ("default", "default"),
            ("plughw:1,0", "hw:1"),
            ("hw:CARD=Audio", "hw:CARD=Audio"),
            ("sysdefault:CARD=Audio", "hw:Audio"),
            ("front:CARD=Audio,DEV=0", "hw:Audio"),
        ] {
            assert_eq!(card(device), expected);
        }
        for percent in [0, 1, 40, 99, 100] {
            assert_eq!(to_percent(from_percent(percent, (-10, 65_526)), (-10, 65_526)), percent);
        }
        assert_eq!((from_percent(50, (0, 3)), to_percent(2, (0, 3))), (2, 67));
        assert!(volume("no such card", Side::Speaker).is_err());
    }
}
