//! What a servo can be told besides a goal, and what it tells besides its position: mode, gains, current, errors,
//! temperature and supply. Units are in the names; register numbers are those of the XL330 and XC330.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::clock::Tick;

/// A motor current in milliamperes; its sign is that of the torque.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Milliamps(pub f64);

impl fmt::Display for Milliamps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.0} mA", self.0)
    }
}

/// What a servo controls (register 11).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// The current, and so the torque; it goes nowhere by itself.
    Current,
    /// The position, with all the torque it takes.
    #[default]
    Position,
    /// The position, with no more than its goal current.
    CurrentBasedPosition,
}

impl Mode {
    /// Its number in register 11.
    #[must_use]
    pub const fn number(self) -> u8 {
        match self {
            Mode::Current => 0,
            Mode::Position => 3,
            Mode::CurrentBasedPosition => 5,
        }
    }

    /// The mode with this number.
    #[must_use]
    pub const fn from_number(number: u8) -> Option<Mode> {
        match number {
            0 => Some(Mode::Current),
            3 => Some(Mode::Position),
            5 => Some(Mode::CurrentBasedPosition),
            _ => None,
        }
    }
}

/// The gains of a servo's position loop (registers 84, 82, 80): 0 to 16,383 each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gains {
    /// Proportional.
    pub p: u16,
    /// Integral.
    pub i: u16,
    /// Derivative.
    pub d: u16,
}

impl Gains {
    /// The greatest value of each gain.
    pub const MOST: u16 = 16_383;
}

/// One condition that a servo reports in register 70.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HardwareError {
    /// The supply is outside the servo's voltage limits.
    InputVoltage,
    /// The servo is too hot.
    Overheating,
    /// Its encoder does not work.
    Encoder,
    /// Its electronics saw a shock, or the supply cannot give enough.
    ElectricalShock,
    /// The load is more than the motor can hold.
    Overload,
}

impl HardwareError {
    /// All of them.
    pub const ALL: [HardwareError; 5] = [
        HardwareError::InputVoltage,
        HardwareError::Overheating,
        HardwareError::Encoder,
        HardwareError::ElectricalShock,
        HardwareError::Overload,
    ];

    /// In words, as part of a sentence.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            HardwareError::InputVoltage => "a wrong input voltage",
            HardwareError::Overheating => "overheating",
            HardwareError::Encoder => "a fault of its encoder",
            HardwareError::ElectricalShock => "an electrical shock",
            HardwareError::Overload => "an overload",
        }
    }

    /// Its bit in register 70.
    #[must_use]
    pub const fn bit(self) -> u8 {
        match self {
            HardwareError::InputVoltage => 1 << 0,
            HardwareError::Overheating => 1 << 2,
            HardwareError::Encoder => 1 << 3,
            HardwareError::ElectricalShock => 1 << 4,
            HardwareError::Overload => 1 << 5,
        }
    }
}

/// The conditions in a servo's register 70. The servo keeps them until it is rebooted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HardwareErrors(pub u8);

impl HardwareErrors {
    /// Nothing is wrong.
    pub const NONE: HardwareErrors = HardwareErrors(0);

    /// Whether nothing is wrong.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether this one is among them.
    #[must_use]
    pub const fn contains(self, error: HardwareError) -> bool {
        self.0 & error.bit() != 0
    }

    /// Those that have a name.
    pub fn iter(self) -> impl Iterator<Item = HardwareError> {
        HardwareError::ALL.into_iter().filter(move |error| self.contains(*error))
    }
}

/// What a servo measures beside its position. Read in turns, one servo at a time, so each has its own moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Health {
    /// When it was read.
    pub at: Tick,
    /// Inside the servo, degrees Celsius.
    pub celsius: f64,
    /// The supply at the servo, volts.
    pub volts: f64,
    /// Through the motor.
    pub current: Milliamps,
}

/// Why a motor's position is missing from one beat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Loss {
    /// It sent nothing.
    Silent,
    /// It sent bytes whose checksum is wrong.
    Corrupt,
    /// Its packet broke off.
    Partial,
}
