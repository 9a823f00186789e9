//! Direction of arrival of a voice, from the robot's own microphone array ([`MicArray`]).
//!
//! Its chip (XMOS XVF3800) computes the direction and reports it over USB, next to the sound. The constants are from
//! `audio_control_utils.py` of the official package 1.13.
//!
//! This code has not been tried with a device. Tests compare the request and the parser with the official package.

use std::f32::consts::FRAC_PI_2;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use nusb::transfer::{Control, ControlType, Recipient};

/// USB vendor and product: the robot's own board, and the same board with earlier firmware.
pub const DEVICES: [(u16, u16); 2] = [(0x38fb, 0x1001), (0x2886, 0x001a)];

/// Resource id of the request for direction and speech.
pub const PART: u16 = 20;
/// Command id of the same request, with the read flag.
pub const COMMAND: u16 = 0x80 | 19;
/// Length of the response in bytes: a status and two numbers.
pub const LENGTH: usize = 9;

/// Status bytes of a response.
const STATUS_OK: u8 = 0;
const STATUS_BUSY: u8 = 64;

/// Number of attempts, and timeout of each. The caller processes no sound in this time.
const ATTEMPTS: usize = 4;
const USB_TIMEOUT: Duration = Duration::from_millis(20);

/// Direction of a sound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DirectionOfArrival {
    /// Direction relative to the head in radians, positive to the left. 0 is ahead or behind, which the microphones cannot
    /// distinguish.
    pub yaw: f32,
    /// Whether the chip classifies the sound as speech.
    pub is_speech: bool,
}

impl DirectionOfArrival {
    /// Returns the angle as the official daemon gives it, radians: 0 is left, pi/2 ahead, pi right.
    #[must_use]
    pub fn angle(&self) -> f64 {
        f64::from(FRAC_PI_2 - self.yaw)
    }
}

/// A response of the chip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Answer {
    /// The direction.
    Direction(DirectionOfArrival),
    /// The chip is busy. Repeat the request.
    Retry,
    /// The response is invalid.
    Wrong,
}

/// Parses a response: a status, the angle, and whether there is speech, the latter two as little-endian 32-bit floats.
///
/// The angle is in radians: 0 is left, pi/2 ahead, pi right.
#[must_use]
pub fn read(answer: &[u8]) -> Answer {
    match answer {
        [STATUS_BUSY, ..] => Answer::Retry,
        [STATUS_OK, a, b, c, d, e, f, g, h] => {
            let (angle, speech) =
                (f32::from_le_bytes([*a, *b, *c, *d]), f32::from_le_bytes([*e, *f, *g, *h]));
            let is_angle = (-0.1..=std::f32::consts::PI + 0.1).contains(&angle);
            if !is_angle || !speech.is_finite() {
                return Answer::Wrong;
            }
            Answer::Direction(DirectionOfArrival { yaw: FRAC_PI_2 - angle, is_speech: speech != 0.0 })
        }
        _ => Answer::Wrong,
    }
}

/// The robot's microphone array.
pub struct MicArray(nusb::Device);

/// The microphone array of several users, which is looked for when someone asks for the first time.
#[derive(Default)]
pub struct SharedMicArray(Mutex<Option<Option<MicArray>>>);

impl SharedMicArray {
    /// Returns the direction of the last sound; none without an array. It takes some milliseconds.
    #[must_use]
    pub fn direction(&self) -> Option<DirectionOfArrival> {
        let mut array = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let array = array.get_or_insert_with(|| {
            MicArray::find().inspect_err(|error| tracing::warn!("{error}")).ok().flatten()
        });
        array.as_ref()?.direction()
    }
}

/// Reports an array that is connected but cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot read directions from the robot's microphones: {0}")]
pub struct MicArrayError(pub String);

impl MicArray {
    /// Finds the array, or returns `None` if it is not connected.
    ///
    /// # Errors
    /// Returns an error when it is connected but this user has no access.
    pub fn find() -> Result<Option<MicArray>, MicArrayError> {
        let Ok(mut devices) = nusb::list_devices() else { return Ok(None) };
        let is_one = |device: &nusb::DeviceInfo| DEVICES.contains(&(device.vendor_id(), device.product_id()));
        let Some(device) = devices.find(is_one) else { return Ok(None) };
        device.open().map(|device| Some(MicArray(device))).map_err(|error| MicArrayError(error.to_string()))
    }

    /// Returns the direction of the last sound, or `None` if the chip does not respond.
    #[must_use]
    pub fn direction(&self) -> Option<DirectionOfArrival> {
        let question = || Control {
            control_type: ControlType::Vendor,
            recipient: Recipient::Device,
            request: 0,
            value: COMMAND,
            index: PART,
        };
        for _ in 0..ATTEMPTS {
            let mut answer = [0; LENGTH];
            let length = self.0.control_in_blocking(question(), &mut answer, USB_TIMEOUT).ok()?;
            match read(answer.get(..length)?) {
                Answer::Direction(arrival) => return Some(arrival),
                Answer::Retry => {}
                Answer::Wrong => return None,
            }
        }
        None
    }
}
