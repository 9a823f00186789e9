//! Angles with their unit in the type: radians inside, degrees only at the user interface.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

use serde::{Deserialize, Serialize};

/// An angle in radians or, where the name says so, a rate such as radians per second.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Radians(pub f64);

impl Radians {
    /// No rotation.
    pub const ZERO: Radians = Radians(0.0);

    /// Converts from degrees.
    #[must_use]
    pub const fn from_degrees(degrees: f64) -> Self {
        Radians(degrees * (std::f64::consts::PI / 180.0))
    }

    /// Returns the angle in degrees, for users.
    #[must_use]
    pub const fn degrees(self) -> f64 {
        self.0 * (180.0 / std::f64::consts::PI)
    }

    /// Returns the number of radians.
    #[must_use]
    pub const fn value(self) -> f64 {
        self.0
    }

    /// Returns the absolute value.
    #[must_use]
    pub const fn abs(self) -> Self {
        Radians(self.0.abs())
    }

    /// Returns whether the value is neither infinite nor not-a-number.
    #[must_use]
    pub const fn is_finite(self) -> bool {
        self.0.is_finite()
    }

    /// Returns the nearest value in `low..=high`. Unlike `f64::clamp` it never panics: with `low > high`, `low` wins.
    #[must_use]
    pub const fn clamp(self, low: Radians, high: Radians) -> Self {
        Radians(self.0.min(high.0).max(low.0))
    }

    /// Returns the same direction within (-pi, pi].
    #[must_use]
    pub fn wrapped(self) -> Self {
        let turn = std::f64::consts::TAU;
        let wrapped = self.0.rem_euclid(turn);
        Radians(if wrapped > std::f64::consts::PI { wrapped - turn } else { wrapped })
    }
}

/// `12.5 deg`: users read degrees.
impl fmt::Display for Radians {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.1} deg", self.degrees())
    }
}

impl Add for Radians {
    type Output = Radians;
    fn add(self, other: Radians) -> Radians {
        Radians(self.0 + other.0)
    }
}

impl Sub for Radians {
    type Output = Radians;
    fn sub(self, other: Radians) -> Radians {
        Radians(self.0 - other.0)
    }
}

impl AddAssign for Radians {
    fn add_assign(&mut self, other: Radians) {
        self.0 += other.0;
    }
}

impl SubAssign for Radians {
    fn sub_assign(&mut self, other: Radians) {
        self.0 -= other.0;
    }
}

impl Neg for Radians {
    type Output = Radians;
    fn neg(self) -> Radians {
        Radians(-self.0)
    }
}

impl Mul<f64> for Radians {
    type Output = Radians;
    fn mul(self, factor: f64) -> Radians {
        Radians(self.0 * factor)
    }
}

impl Div<f64> for Radians {
    type Output = Radians;
    fn div(self, divisor: f64) -> Radians {
        Radians(self.0 / divisor)
    }
}

impl Sum for Radians {
    fn sum<I: Iterator<Item = Radians>>(iter: I) -> Radians {
        Radians(iter.map(|angle| angle.0).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrapped_keeps_the_direction_within_the_interval() {
        for degrees in [-720.0, -181.0, -180.0, -0.5, 0.0, 179.0, 180.0, 181.0, 540.0] {
            let wrapped = Radians::from_degrees(degrees).wrapped();
            assert!(wrapped.0 > -std::f64::consts::PI - 1e-12 && wrapped.0 <= std::f64::consts::PI);
            assert!((wrapped.0.sin() - Radians::from_degrees(degrees).0.sin()).abs() < 1e-9);
        }
    }

    #[test]
    fn clamp_never_panics() {
        assert_eq!(Radians(5.0).clamp(Radians(1.0), Radians(-1.0)), Radians(1.0));
        assert_eq!(Radians(f64::NAN).clamp(Radians(-1.0), Radians(1.0)), Radians(1.0));
    }
}
