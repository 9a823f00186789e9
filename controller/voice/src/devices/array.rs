//! Where a voice comes from, as the robot's own microphones tell it: their chip (XMOS XVF3800) computes the direction of arrival
//! and answers for it over USB, beside the sound. Numbers are those of `audio_control_utils.py` of the official package 1.13.
//!
//! Not tried with a device, for want of one; what is asked and how it is read is held to the official package in the tests.

use std::f32::consts::FRAC_PI_2;
use std::time::Duration;

use nusb::transfer::{Control, ControlType, Recipient};

/// Vendor and product: of the robot's own, and of the same board with earlier firmware.
pub const DEVICES: [(u16, u16); 2] = [(0x38fb, 0x1001), (0x2886, 0x001a)];

/// The question for direction and speech: part and command of the chip, with the mark of a question.
pub const PART: u16 = 20;
/// See [`PART`].
pub const COMMAND: u16 = 0x80 | 19;
/// How long the answer is: a status and two numbers.
pub const LENGTH: usize = 9;

/// The first byte of an answer.
const GOOD: u8 = 0;
const AGAIN: u8 = 64;

/// How often it is asked again, and how long each answer may take: whoever asks hears nothing meanwhile.
const ATTEMPTS: usize = 4;
const PATIENCE: Duration = Duration::from_millis(20);

/// Where a sound comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrival {
    /// The direction from the head, radians: 0 is ahead or behind, which the microphones can't tell apart, and left is
    /// positive.
    pub yaw: f32,
    /// Whether the chip takes it for speech.
    pub is_speech: bool,
}

/// An answer of the chip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Answer {
    /// The direction.
    Arrival(Arrival),
    /// It is busy, and wants to be asked again.
    Again,
    /// It is none that can be read.
    Wrong,
}

/// Reads an answer: a status, then angle (radians: 0 is left, a quarter turn ahead, half a turn right) and whether there is
/// speech, both as 32 bit floats, little-endian.
#[must_use]
pub fn read(answer: &[u8]) -> Answer {
    match answer {
        [AGAIN, ..] => Answer::Again,
        [GOOD, a, b, c, d, e, f, g, h] => {
            let (angle, speech) =
                (f32::from_le_bytes([*a, *b, *c, *d]), f32::from_le_bytes([*e, *f, *g, *h]));
            let is_angle = (-0.1..=std::f32::consts::PI + 0.1).contains(&angle);
            if !is_angle || !speech.is_finite() {
                return Answer::Wrong;
            }
            Answer::Arrival(Arrival { yaw: FRAC_PI_2 - angle, is_speech: speech != 0.0 })
        }
        _ => Answer::Wrong,
    }
}

/// The robot's microphones, where they tell directions.
pub struct Array(nusb::Device);

/// They are there, and can't be asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the robot's microphones tell no directions: {0}")]
pub struct NoArray(pub String);

impl Array {
    /// Finds them; none where they are not plugged in.
    ///
    /// # Errors
    /// When they are there, and this user may not ask them.
    pub fn find() -> Result<Option<Array>, NoArray> {
        let Ok(mut devices) = nusb::list_devices() else { return Ok(None) };
        let is_one = |device: &nusb::DeviceInfo| DEVICES.contains(&(device.vendor_id(), device.product_id()));
        let Some(device) = devices.find(is_one) else { return Ok(None) };
        device.open().map(|device| Some(Array(device))).map_err(|error| NoArray(error.to_string()))
    }

    /// Where the last sound came from; none where it does not answer.
    #[must_use]
    pub fn arrival(&self) -> Option<Arrival> {
        let question = || Control {
            control_type: ControlType::Vendor,
            recipient: Recipient::Device,
            request: 0,
            value: COMMAND,
            index: PART,
        };
        for _ in 0..ATTEMPTS {
            let mut answer = [0; LENGTH];
            let length = self.0.control_in_blocking(question(), &mut answer, PATIENCE).ok()?;
            match read(answer.get(..length)?) {
                Answer::Arrival(arrival) => return Some(arrival),
                Answer::Again => {}
                Answer::Wrong => return None,
            }
        }
        None
    }
}
