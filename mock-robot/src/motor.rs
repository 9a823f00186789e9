//! What each of the nine motors is: its model, its limits, and the counts in which it measures angles.
//!
//! Models, limits and homing offsets are those of the official `hardware_config.yaml` (reachy-mini 1.13.0); speeds
//! and currents are the ROBOTIS e-manual's at 5.0 V. The body's motor is a plastic-geared variant of the XC330-M288
//! that has no page of its own; the metal-geared one stands for it.

use std::f64::consts::{PI, TAU};

use firmware_bridge::joint::Joint;
use firmware_bridge::units::Radians;

/// Encoder counts in one turn.
const COUNTS: f64 = 4096.0;

/// The position register's value for an angle; 2048 is zero.
pub(crate) fn counts_from_angle(angle: Radians) -> i32 {
    // A float-to-integer cast saturates, and takes not-a-number to zero.
    (COUNTS * (PI + angle.value()) / TAU).round() as i32
}

/// The angle for a position register's value.
pub(crate) fn angle_from_counts(counts: i32) -> Radians {
    Radians(TAU * f64::from(counts) / COUNTS - PI)
}

/// A servo model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Model {
    /// XC330-M288: turns the body.
    Xc330M288,
    /// XL330-M288: the legs of the Stewart platform.
    Xl330M288,
    /// XL330-M077: the antennas.
    Xl330M077,
}

impl Model {
    /// The number in register 0.
    pub(crate) const fn number(self) -> i32 {
        match self {
            Model::Xc330M288 => 1240,
            Model::Xl330M288 => 1200,
            Model::Xl330M077 => 1190,
        }
    }

    /// Speed without load at 5.0 V, in rad/s.
    pub(crate) fn top_speed(self) -> f64 {
        let rpm = match self {
            Model::Xc330M288 => 81.0,
            Model::Xl330M288 => 103.0,
            Model::Xl330M077 => 383.0,
        };
        rpm * TAU / 60.0
    }

    /// The current limit in register 38, in mA.
    pub(crate) const fn current_limit(self) -> i32 {
        match self {
            Model::Xc330M288 => 2352,
            Model::Xl330M288 | Model::Xl330M077 => 1750,
        }
    }

    /// The velocity limit in register 44, in 0.229 rpm.
    pub(crate) const fn velocity_limit(self) -> i32 {
        match self {
            Model::Xc330M288 => 350,
            Model::Xl330M288 => 445,
            Model::Xl330M077 => 1620,
        }
    }
}

/// One motor as it is built into the robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Motor {
    /// Its model.
    pub(crate) model: Model,
    /// The lowest goal position that it takes, in counts.
    pub(crate) lowest: i32,
    /// The highest goal position that it takes, in counts.
    pub(crate) highest: i32,
    /// Its homing offset, in counts.
    pub(crate) homing_offset: i32,
    /// The position gain that a controller writes at start (register 84).
    pub(crate) position_gain: i32,
}

impl Motor {
    /// The motor that moves this joint.
    pub(crate) const fn of(joint: Joint) -> Motor {
        let (model, lowest, highest, homing_offset, position_gain) = match joint {
            Joint::BodyYaw => (Model::Xc330M288, 0, 4095, 0, 200),
            Joint::Stewart1 | Joint::Stewart3 => (Model::Xl330M288, 1502, 2958, 1024, 300),
            Joint::Stewart2 => (Model::Xl330M288, 1138, 2844, -1024, 300),
            Joint::Stewart5 => (Model::Xl330M288, 1252, 2958, 1024, 300),
            Joint::Stewart4 | Joint::Stewart6 => (Model::Xl330M288, 1138, 2594, -1024, 300),
            Joint::RightAntenna | Joint::LeftAntenna => (Model::Xl330M077, 0, 4095, 0, 200),
        };
        Motor { model, lowest, highest, homing_offset, position_gain }
    }

    /// Whether the servo takes this goal position in position mode.
    pub(crate) const fn takes(self, counts: i32) -> bool {
        self.lowest <= counts && counts <= self.highest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_angles_agree_and_the_limits_are_those_in_degrees() {
        assert_eq!(counts_from_angle(Radians::ZERO), 2048);
        for counts in 0..4096 {
            assert_eq!(counts_from_angle(angle_from_counts(counts)), counts);
        }
        let stewart_1 = Motor::of(Joint::Stewart1);
        assert!((angle_from_counts(stewart_1.lowest).degrees() + 48.0).abs() < 0.1);
        assert!((angle_from_counts(stewart_1.highest).degrees() - 80.0).abs() < 0.1);
        assert!(!Motor::of(Joint::LeftAntenna).takes(counts_from_angle(Radians(PI))));
    }
}
