//! Data of a servo besides goal and position: mode, gains, current, errors, temperature and supply. Units are in the
//! names; register numbers are those of the XL330 and XC330.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::clock::Timestamp;

/// A motor current in milliamperes; its sign is that of the torque.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Milliamps(pub f64);

impl fmt::Display for Milliamps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.0} mA", self.0)
    }
}

/// The operating mode of a servo (register 11).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OperatingMode {
    /// Controls the current, and so the torque; the servo does not move by itself.
    Current,
    /// Controls the position, with full torque.
    #[default]
    Position,
    /// Controls the position, with at most the goal current.
    CurrentBasedPosition,
}

impl OperatingMode {
    /// Returns the number in register 11.
    #[must_use]
    pub const fn number(self) -> u8 {
        match self {
            OperatingMode::Current => 0,
            OperatingMode::Position => 3,
            OperatingMode::CurrentBasedPosition => 5,
        }
    }

    /// Returns the mode with this number.
    #[must_use]
    pub const fn from_number(number: u8) -> Option<OperatingMode> {
        match number {
            0 => Some(OperatingMode::Current),
            3 => Some(OperatingMode::Position),
            5 => Some(OperatingMode::CurrentBasedPosition),
            _ => None,
        }
    }
}

/// The gains of a servo's position loop (registers 84, 82, 80), from 0 to 16,383 each.
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
    /// The maximum of each gain.
    pub const MAX: u16 = 16_383;
}

/// A hardware error that a servo reports in register 70.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HardwareError {
    /// The supply voltage is outside the servo's limits.
    InputVoltage,
    /// The servo is too hot.
    Overheating,
    /// The encoder does not work.
    Encoder,
    /// The electronics detected a shock, or the supply is too weak.
    ElectricalShock,
    /// The load exceeds the motor's torque.
    Overload,
}

impl HardwareError {
    /// Every hardware error.
    pub const ALL: [HardwareError; 5] = [
        HardwareError::InputVoltage,
        HardwareError::Overheating,
        HardwareError::Encoder,
        HardwareError::ElectricalShock,
        HardwareError::Overload,
    ];

    /// Returns the error as part of a sentence.
    #[must_use]
    pub const fn description(self) -> &'static str {
        match self {
            HardwareError::InputVoltage => "an input voltage error",
            HardwareError::Overheating => "overheating",
            HardwareError::Encoder => "an encoder error",
            HardwareError::ElectricalShock => "an electrical shock",
            HardwareError::Overload => "an overload",
        }
    }

    /// Returns the bit in register 70.
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

/// The hardware errors in a servo's register 70. The servo keeps them until it reboots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HardwareErrorStatus(pub u8);

impl HardwareErrorStatus {
    /// No error.
    pub const NONE: HardwareErrorStatus = HardwareErrorStatus(0);

    /// Returns whether there is no error.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns whether this error is set.
    #[must_use]
    pub const fn contains(self, error: HardwareError) -> bool {
        self.0 & error.bit() != 0
    }

    /// Returns the errors that have a name.
    pub fn iter(self) -> impl Iterator<Item = HardwareError> {
        HardwareError::ALL.into_iter().filter(move |error| self.contains(*error))
    }
}

/// The measurements of a servo besides its position. The bus polls one servo at a time, so each has its own time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MotorHealth {
    /// The time of the reading.
    pub time: Timestamp,
    /// Temperature inside the servo, degrees Celsius.
    pub temperature_c: f64,
    /// Supply voltage at the servo, volts.
    pub voltage_v: f64,
    /// Current through the motor.
    pub current: Milliamps,
}

/// Why a motor's position is missing from one cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadError {
    /// The motor sent nothing.
    Silent,
    /// The motor sent bytes with a wrong checksum, or a position that it cannot have reached.
    Corrupt,
    /// The motor's packet is incomplete.
    Partial,
}
