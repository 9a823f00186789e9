//! The registers of the XL330 and XC330 servos that this controller uses. One control table serves all nine.

use crate::servo::{HardwareError, HardwareErrors};

/// One register: where it is, how wide, and what people call it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Register {
    /// First address.
    pub address: u8,
    /// Bytes, least significant first: 1, 2 or 4, or several registers in a row.
    pub width: u8,
    /// For messages.
    pub name: &'static str,
}

const fn register(address: u8, width: u8, name: &'static str) -> Register {
    Register { address, width, name }
}

/// Which servo this is.
pub(super) const MODEL: Register = register(0, 2, "the model number");
/// The version of the servo's own program.
pub(super) const FIRMWARE: Register = register(6, 1, "the firmware version");
/// Units of 2 microseconds that the servo waits before it answers.
pub(super) const RETURN_DELAY: Register = register(9, 1, "the return delay");
/// Which way the servo counts, and how it follows profiles.
pub(super) const DRIVE_MODE: Register = register(10, 1, "the drive mode");
/// What the servo controls; kept when the power is off, and locked while torque is on.
pub(super) const MODE: Register = register(11, 1, "the operating mode");
/// Raw steps that are added to what the encoder tells.
pub(super) const HOMING_OFFSET: Register = register(20, 4, "the homing offset");
/// Slower than this the servo says that it stands, units of 0.229 turns a minute.
pub(super) const MOVING_THRESHOLD: Register = register(24, 4, "the moving threshold");
/// Degrees Celsius above which the servo is overheating.
pub(super) const TEMPERATURE_LIMIT: Register = register(31, 1, "the temperature limit");
/// The highest supply that is right, tenths of a volt.
pub(super) const HIGHEST_VOLTAGE: Register = register(32, 2, "the highest voltage");
/// The lowest supply that is right, tenths of a volt.
pub(super) const LOWEST_VOLTAGE: Register = register(34, 2, "the lowest voltage");
/// The most that the motor is driven with; 885 is all.
pub(super) const PWM_LIMIT: Register = register(36, 2, "the PWM limit");
/// The greatest goal current, milliamperes.
pub(super) const CURRENT_LIMIT: Register = register(38, 2, "the current limit");
/// The greatest goal velocity, units of 0.229 turns a minute.
pub(super) const VELOCITY_LIMIT: Register = register(44, 4, "the velocity limit");
/// The highest goal that the servo takes, raw steps.
pub(super) const HIGHEST_GOAL: Register = register(48, 4, "the highest position");
/// The lowest goal that the servo takes, raw steps.
pub(super) const LOWEST_GOAL: Register = register(52, 4, "the lowest position");
/// What the servo does by itself when it gets power.
pub(super) const STARTUP: Register = register(60, 1, "the startup configuration");
/// How quickly the drive may change.
pub(super) const PWM_SLOPE: Register = register(62, 1, "the PWM slope");
/// The hardware errors at which the servo lets go, bits as in [`HARDWARE_ERROR`].
pub(super) const SHUTDOWN: Register = register(63, 1, "the shutdown mask");
/// 1 when the motor is driven.
pub(super) const TORQUE: Register = register(64, 1, "its torque");
/// One bit for each error that the servo has seen since its last start.
pub(super) const HARDWARE_ERROR: Register = register(70, 1, "the hardware error");
/// The gains of the position loop: derivative, integral and proportional, two bytes each.
pub(super) const GAINS: Register = register(80, 6, "its gains");
/// Units of 20 ms without a word after which the servo stops; 0 is off, 255 (-1) has fired.
pub(super) const BUS_WATCHDOG: Register = register(98, 1, "the bus watchdog");
/// Milliamperes, signed: the goal in current mode, the most in current-based position mode.
pub(super) const GOAL_CURRENT: Register = register(102, 2, "the goal current");
/// Where to go, raw steps.
pub(super) const GOAL_POSITION: Register = register(116, 4, "the goal position");
/// Through the motor, milliamperes, signed.
pub(super) const PRESENT_CURRENT: Register = register(126, 2, "the present current");
/// Where it is, raw steps.
pub(super) const PRESENT_POSITION: Register = register(132, 4, "the present position");
/// The supply, tenths of a volt.
pub(super) const VOLTAGE: Register = register(144, 2, "the input voltage");
/// Inside, degrees Celsius.
pub(super) const TEMPERATURE: Register = register(146, 1, "the temperature");

/// [`MODE`]: follow a goal position within one turn.
pub(super) const POSITION_MODE: u32 = 3;

/// The servos of this robot and their relatives, by the number in [`MODEL`]. From the ROBOTIS e-manual.
pub(super) const fn model_name(number: u16) -> &'static str {
    match number {
        1190 => "XL330-M077",
        1200 => "XL330-M288",
        1220 => "XC330-M181",
        1230 => "XC330-T181",
        1240 => "XC330-M288",
        1250 => "XC330-T288",
        _ => "a servo of another model",
    }
}

/// What the servo controls, by the number in [`MODE`].
pub(super) const fn mode_name(number: u8) -> &'static str {
    match number {
        0 => "current",
        1 => "velocity",
        3 => "position",
        4 => "extended position",
        5 => "current-based position",
        16 => "PWM",
        _ => "an unknown mode",
    }
}

/// The errors in a [`HARDWARE_ERROR`] byte.
pub(super) fn hardware_errors(bits: u8) -> impl Iterator<Item = &'static str> {
    let known = HardwareError::ALL.into_iter().fold(0, |bits, error| bits | error.bit());
    let unnamed = bits & !known != 0;
    let named = HardwareErrors(bits).iter().map(HardwareError::words);
    named.chain(unnamed.then_some("an error without a name"))
}

#[cfg(test)]
mod tests {
    use serialport::{SerialPort, TTYPort};

    use super::*;

    #[test]
    fn addresses_and_widths_are_those_that_rustypot_has() {
        // Rustypot's table is not open to look at, but what it asks is.
        use rustypot::servo::dynamixel::xl330;
        type Ask = fn(&rustypot::DynamixelProtocolHandler, &mut TTYPort);
        let cases: &[(Register, Ask)] = &[
            (HOMING_OFFSET, |bus, line| drop(xl330::read_homing_offset(bus, line, 11))),
            (TEMPERATURE_LIMIT, |bus, line| drop(xl330::read_temperature_limit(bus, line, 11))),
            (HIGHEST_VOLTAGE, |bus, line| drop(xl330::read_max_voltage_limit(bus, line, 11))),
            (LOWEST_VOLTAGE, |bus, line| drop(xl330::read_min_voltage_limit(bus, line, 11))),
            (PWM_LIMIT, |bus, line| drop(xl330::read_pwm_limit(bus, line, 11))),
            (CURRENT_LIMIT, |bus, line| drop(xl330::read_current_limit(bus, line, 11))),
            (MOVING_THRESHOLD, |bus, line| drop(xl330::read_moving_threshold(bus, line, 11))),
            (VELOCITY_LIMIT, |bus, line| drop(xl330::read_velocity_limit(bus, line, 11))),
            (STARTUP, |bus, line| drop(xl330::read_startup_configuration(bus, line, 11))),
            (PWM_SLOPE, |bus, line| drop(xl330::read_pwm_slope(bus, line, 11))),
            (SHUTDOWN, |bus, line| drop(xl330::read_shutdown(bus, line, 11))),
            (RETURN_DELAY, |bus, line| drop(xl330::read_return_delay_time(bus, line, 11))),
            (DRIVE_MODE, |bus, line| drop(xl330::read_drive_mode(bus, line, 11))),
            (GOAL_CURRENT, |bus, line| drop(xl330::read_goal_current(bus, line, 11))),
            (PRESENT_CURRENT, |bus, line| drop(xl330::read_present_current(bus, line, 11))),
            (BUS_WATCHDOG, |bus, line| drop(xl330::read_bus_watchdog(bus, line, 11))),
            (VOLTAGE, |bus, line| drop(xl330::read_present_input_voltage(bus, line, 11))),
            (TEMPERATURE, |bus, line| drop(xl330::read_present_temperature(bus, line, 11))),
        ];
        for (register, ask) in cases {
            let (mut far, mut near) = TTYPort::pair().unwrap();
            near.set_timeout(std::time::Duration::from_millis(1)).unwrap();
            ask(&rustypot::DynamixelProtocolHandler::v2(), &mut near);
            let mut asked = [0; 14];
            std::io::Read::read_exact(&mut far, &mut asked).unwrap();
            assert_eq!(asked[8..12], [register.address, 0, register.width, 0], "{}", register.name);
        }
    }

    #[test]
    fn every_error_bit_has_words() {
        assert_eq!(hardware_errors(0).count(), 0);
        assert_eq!(hardware_errors(0x24).collect::<Vec<_>>(), ["overheating", "an overload"]);
        for bit in 0..8 {
            assert_eq!(hardware_errors(1 << bit).count(), 1, "bit {bit}");
        }
    }
}
