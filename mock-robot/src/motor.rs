//! What each of the nine motors is: its model, its limits, and the counts in which it measures angles.
//!
//! Models, limits and homing offsets are those of the official `hardware_config.yaml` (reachy-mini 1.13.0). Torques,
//! speeds, currents and gears are the ROBOTIS e-manual's at 5.0 V, from the tables "Specifications" of its pages
//! <https://emanual.robotis.com/docs/en/dxl/x/xl330-m288/>, `xl330-m077/` and `xc330-m288/`. The body's motor is a
//! plastic-geared variant of the XC330-M288 that has no page of its own; the metal-geared one stands for it.

use std::f64::consts::{PI, TAU};

use firmware_bridge::joint::Joint;
use firmware_bridge::servo::{Gains, Milliamps, Mode};
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

/// The voltage at which the specifications hold.
pub(crate) const RATED_VOLTS: f64 = 5.0;
/// Above this a servo is too hot, in degrees Celsius: register 31 of all three.
pub(crate) const TEMPERATURE_LIMIT: f64 = 70.0;
/// What a servo draws for its electronics alone, in amperes: "standby current" on all three pages.
pub(crate) const STANDBY: f64 = 0.017;

/// One motor's table in the e-manual, at [`RATED_VOLTS`]; torque and speed are those of the output.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Specification {
    /// In Nm.
    pub(crate) stall_torque: f64,
    /// In amperes.
    pub(crate) stall_current: f64,
    /// Speed without load, in turns a minute.
    pub(crate) no_load_rpm: f64,
    /// Turns of the motor for one of the output.
    pub(crate) gear_ratio: f64,
}

impl Specification {
    /// Torque at the output for each ampere, in Nm.
    pub(crate) const fn torque_per_ampere(self) -> f64 {
        self.stall_torque / self.stall_current
    }

    /// Of the winding, in ohms: at stall nothing else limits the current.
    pub(crate) const fn resistance(self) -> f64 {
        RATED_VOLTS / self.stall_current
    }
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

    /// What the e-manual's table says of it.
    pub(crate) const fn specification(self) -> Specification {
        match self {
            Model::Xc330M288 => Specification {
                stall_torque: 0.93,
                stall_current: 1.80,
                no_load_rpm: 81.0,
                gear_ratio: 288.35,
            },
            Model::Xl330M288 => Specification {
                stall_torque: 0.52,
                stall_current: 1.47,
                no_load_rpm: 103.0,
                gear_ratio: 288.4,
            },
            Model::Xl330M077 => Specification {
                stall_torque: 0.215,
                stall_current: 1.47,
                no_load_rpm: 383.0,
                gear_ratio: 77.5,
            },
        }
    }

    /// Speed without load at 5.0 V, in rad/s.
    pub(crate) const fn top_speed(self) -> f64 {
        self.specification().no_load_rpm * TAU / 60.0
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
    pub(crate) position_gain: u16,
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

    /// The torque that a current gives at the output, in Nm.
    pub(crate) const fn torque(self, current: Milliamps) -> f64 {
        current.0 / 1000.0 * self.model.specification().torque_per_ampere()
    }

    /// Whether the servo takes this goal current.
    pub(crate) fn takes_current(self, current: Milliamps) -> bool {
        current.0.abs().round() <= f64::from(self.model.current_limit())
    }

    /// The goal current of a servo that has just changed to this mode: where it bounds the torque, all that there is.
    pub(crate) fn first_current(self, mode: Mode) -> Milliamps {
        match mode {
            Mode::CurrentBasedPosition => Milliamps(self.model.current_limit().into()),
            Mode::Current | Mode::Position => Milliamps(0.0),
        }
    }

    /// The gains that a controller writes at start: proportional only.
    pub(crate) const fn gains(self) -> Gains {
        Gains { p: self.position_gain, i: 0, d: 0 }
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
    fn the_torque_of_an_ampere_follows_from_the_gears() {
        // One motor drives both XL330: for each of its turns an ampere does the same, less what the gears eat.
        let motor = |model: Model| {
            let it = model.specification();
            it.torque_per_ampere() / it.gear_ratio
        };
        let (long, short) = (motor(Model::Xl330M288), motor(Model::Xl330M077));
        assert!(long < short && long > 0.6 * short, "{long} and {short} Nm/A");
        // The page of the XC330-M288 prints this number itself: 0.517 Nm/A.
        assert!((Model::Xc330M288.specification().torque_per_ampere() - 0.517).abs() < 0.001);
    }

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
