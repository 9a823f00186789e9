//! Numbers with units on the command line.

use std::str::FromStr;
use std::time::Duration;

use firmware_bridge::units::Radians;

/// An argument that is no such quantity.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ParseQuantityError {
    /// Not an angle.
    #[error("an angle is a number with `deg` or `rad`, such as -10deg or 0.2rad")]
    Angle,
    /// Not a time.
    #[error("a time is a number with `s` or `ms`, such as 1.5s or 500ms")]
    Time,
}

/// Parses an angle: `10deg` or `0.2rad`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Angle(pub Radians);

impl FromStr for Angle {
    type Err = ParseQuantityError;

    fn from_str(text: &str) -> Result<Self, ParseQuantityError> {
        let radians = match split(text) {
            Some((number, "deg" | "°")) => Radians::from_degrees(number),
            Some((number, "rad")) => Radians(number),
            _ => return Err(ParseQuantityError::Angle),
        };
        Ok(Angle(radians))
    }
}

/// Parses a time: `1.5s` or `500ms`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Time(pub Duration);

impl FromStr for Time {
    type Err = ParseQuantityError;

    fn from_str(text: &str) -> Result<Self, ParseQuantityError> {
        let seconds = match split(text) {
            Some((number, "s")) => number,
            Some((number, "ms")) => number / 1_000.0,
            _ => return Err(ParseQuantityError::Time),
        };
        Duration::try_from_secs_f64(seconds).map(Time).map_err(|_| ParseQuantityError::Time)
    }
}

/// Returns a finite number and the unit after it.
fn split(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let end = text.find(|c: char| c.is_alphabetic() || c == '°').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let number = number.trim().parse().ok().filter(|number: &f64| number.is_finite())?;
    Some((number, unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantity_has_a_number_and_a_unit() {
        let angle = |text: &str| text.parse::<Angle>().map(|angle| (angle.0.degrees() * 1e6).round() / 1e6);
        assert_eq!((angle("10deg"), angle("-2.5 deg"), angle("0rad")), (Ok(10.0), Ok(-2.5), Ok(0.0)));
        assert_eq!("1rad".parse(), Ok(Angle(Radians(1.0))));
        for text in ["", "10", "deg", "ten deg", "1e999deg", "NaNdeg", "infrad", "10grad", "10 deg 5"] {
            assert_eq!(angle(text), Err(ParseQuantityError::Angle), "{text}");
        }
        let time = |text: &str| text.parse::<Time>().map(|time| time.0.as_millis());
        assert_eq!((time("1.5s"), time("500ms"), time("0s")), (Ok(1_500), Ok(500), Ok(0)));
        for text in ["1", "-1s", "1e30s", "1m", "s", "NaNs"] {
            assert_eq!(time(text), Err(ParseQuantityError::Time), "{text}");
        }
    }
}
