//! The nine motors: model, limits and encoder counts.
//!
//! Models, limits and homing offsets are those of the official `hardware_config.yaml` (reachy-mini 1.13.0). Torques,
//! speeds, currents and gears are those of the ROBOTIS e-Manual at 5.0 V, from the tables "Specifications" of its pages
//! <https://emanual.robotis.com/docs/en/dxl/x/xl330-m288/>, `xl330-m077/` and `xc330-m288/`. The body's motor is a
//! plastic-geared variant of the XC330-M288 without a page of its own; the metal-geared one is used instead.

use std::f64::consts::{PI, TAU};

use firmware_bridge::joint::Joint;
use firmware_bridge::servo::{Gains, Milliamps, OperatingMode};
use firmware_bridge::units::Radians;

/// Encoder counts per turn.
const COUNTS_PER_TURN: f64 = 4096.0;

/// Returns the position register's value for an angle; 2048 is zero.
pub(crate) fn counts_from_angle(angle: Radians) -> i32 {
    // A float-to-integer cast saturates, and converts not-a-number to zero.
    (COUNTS_PER_TURN * (PI + angle.value()) / TAU).round() as i32
}

/// Returns the angle of a position register's value.
pub(crate) fn angle_from_counts(counts: i32) -> Radians {
    Radians(TAU * f64::from(counts) / COUNTS_PER_TURN - PI)
}

/// The supply voltage of the specifications, volts.
pub(crate) const RATED_VOLTS: f64 = 5.0;
/// The temperature limit of a servo, degrees Celsius: register 31 of all three models.
pub(crate) const TEMPERATURE_LIMIT: f64 = 70.0;
/// The current of a servo's electronics, amperes: "standby current" on all three pages.
pub(crate) const STANDBY: f64 = 0.017;

/// One motor's table in the e-Manual, at [`RATED_VOLTS`]; torque and speed are those of the output.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Specification {
    /// Stall torque, Nm.
    pub(crate) stall_torque: f64,
    /// Stall current, amperes.
    pub(crate) stall_current: f64,
    /// Speed without load, turns per minute.
    pub(crate) no_load_rpm: f64,
    /// Turns of the motor per turn of the output.
    pub(crate) gear_ratio: f64,
}

impl Specification {
    /// Returns the torque at the output, Nm per ampere.
    pub(crate) const fn torque_per_ampere(self) -> f64 {
        self.stall_torque / self.stall_current
    }

    /// Returns the resistance of the winding, ohms: at stall, it alone limits the current.
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
    /// Returns the number in register 0.
    pub(crate) const fn number(self) -> i32 {
        match self {
            Model::Xc330M288 => 1240,
            Model::Xl330M288 => 1200,
            Model::Xl330M077 => 1190,
        }
    }

    /// Returns its specification from the e-Manual.
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

    /// Returns the speed without load at 5.0 V, rad/s.
    pub(crate) const fn top_speed(self) -> f64 {
        self.specification().no_load_rpm * TAU / 60.0
    }

    /// Returns the current limit in register 38, mA.
    pub(crate) const fn current_limit(self) -> i32 {
        match self {
            Model::Xc330M288 => 2352,
            Model::Xl330M288 | Model::Xl330M077 => 1750,
        }
    }

    /// Returns the velocity limit in register 44, units of 0.229 rpm.
    pub(crate) const fn velocity_limit(self) -> i32 {
        match self {
            Model::Xc330M288 => 350,
            Model::Xl330M288 => 445,
            Model::Xl330M077 => 1620,
        }
    }
}

/// One motor of the robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Motor {
    /// The model.
    pub(crate) model: Model,
    /// The minimum goal position, counts.
    pub(crate) lowest: i32,
    /// The maximum goal position, counts.
    pub(crate) highest: i32,
    /// The homing offset, counts.
    pub(crate) homing_offset: i32,
    /// The position gain that a controller writes at start (register 84).
    pub(crate) position_gain: u16,
}

impl Motor {
    /// Returns the motor of this joint.
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

    /// Returns the torque of a current at the output, Nm.
    pub(crate) const fn torque(self, current: Milliamps) -> f64 {
        current.0 / 1000.0 * self.model.specification().torque_per_ampere()
    }

    /// Returns whether the servo accepts this goal current.
    pub(crate) fn accepts_current(self, current: Milliamps) -> bool {
        current.0.abs().round() <= f64::from(self.model.current_limit())
    }

    /// Returns the goal current of a servo right after a change to this mode: the current limit where it limits the
    /// torque.
    pub(crate) fn first_current(self, mode: OperatingMode) -> Milliamps {
        match mode {
            OperatingMode::CurrentBasedPosition => Milliamps(self.model.current_limit().into()),
            OperatingMode::Current | OperatingMode::Position => Milliamps(0.0),
        }
    }

    /// Returns the gains that a controller writes at start: proportional only.
    pub(crate) const fn gains(self) -> Gains {
        Gains { p: self.position_gain, i: 0, d: 0 }
    }

    /// Returns whether the servo accepts this goal position in position mode.
    pub(crate) const fn accepts(self, counts: i32) -> bool {
        self.lowest <= counts && counts <= self.highest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn torque_per_ampere_follows_from_the_gears() {
        // Both XL330 use the same motor: per turn of the motor, an ampere gives the same torque, less the losses of the
        // gears.
        let motor = |model: Model| {
            let it = model.specification();
            it.torque_per_ampere() / it.gear_ratio
        };
        let (long, short) = (motor(Model::Xl330M288), motor(Model::Xl330M077));
        assert!(long < short && long > 0.6 * short, "{long} and {short} Nm/A");
        // The page of the XC330-M288 states this number: 0.517 Nm/A.
        assert!((Model::Xc330M288.specification().torque_per_ampere() - 0.517).abs() < 0.001);
    }

    #[test]
    fn counts_and_angles_round_trip_and_match_the_limits() {
        assert_eq!(counts_from_angle(Radians::ZERO), 2048);
        for counts in 0..4096 {
            assert_eq!(counts_from_angle(angle_from_counts(counts)), counts);
        }
        let stewart_1 = Motor::of(Joint::Stewart1);
        assert!((angle_from_counts(stewart_1.lowest).degrees() + 48.0).abs() < 0.1);
        assert!((angle_from_counts(stewart_1.highest).degrees() - 80.0).abs() < 0.1);
        assert!(!Motor::of(Joint::LeftAntenna).accepts(counts_from_angle(Radians(PI))));
    }
}
