//! The registers of the XL330 and XC330 servos that the controller uses. One control table applies to all nine.

use crate::servo::{HardwareError, HardwareErrorStatus};

/// One register: its address, its width and its name in the control table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Register {
    /// The first address.
    pub address: u8,
    /// The width in bytes, least significant first: 1, 2 or 4, or several adjacent registers.
    pub width: u8,
    /// The name for messages.
    pub name: &'static str,
}

const fn register(address: u8, width: u8, name: &'static str) -> Register {
    Register { address, width, name }
}

/// The model of the servo.
pub(super) const MODEL_NUMBER: Register = register(0, 2, "Model Number");
/// The version of the servo's firmware.
pub(super) const FIRMWARE_VERSION: Register = register(6, 1, "Firmware Version");
/// The servo's delay before it answers, units of 2 microseconds.
pub(super) const RETURN_DELAY_TIME: Register = register(9, 1, "Return Delay Time");
/// The direction of rotation and the profile configuration.
pub(super) const DRIVE_MODE: Register = register(10, 1, "Drive Mode");
/// The operating mode; stored without power, and locked while torque is on.
pub(super) const OPERATING_MODE: Register = register(11, 1, "Operating Mode");
/// The offset that is added to the encoder's position, raw steps.
pub(super) const HOMING_OFFSET: Register = register(20, 4, "Homing Offset");
/// The velocity below which the servo reports that it does not move, units of 0.229 turns per minute.
pub(super) const MOVING_THRESHOLD: Register = register(24, 4, "Moving Threshold");
/// The temperature above which the servo reports overheating, degrees Celsius.
pub(super) const TEMPERATURE_LIMIT: Register = register(31, 1, "Temperature Limit");
/// The maximum supply voltage, tenths of a volt.
pub(super) const MAX_VOLTAGE_LIMIT: Register = register(32, 2, "Max Voltage Limit");
/// The minimum supply voltage, tenths of a volt.
pub(super) const MIN_VOLTAGE_LIMIT: Register = register(34, 2, "Min Voltage Limit");
/// The maximum PWM output; 885 is 100 %.
pub(super) const PWM_LIMIT: Register = register(36, 2, "PWM Limit");
/// The maximum goal current, milliamperes.
pub(super) const CURRENT_LIMIT: Register = register(38, 2, "Current Limit");
/// The maximum goal velocity, units of 0.229 turns per minute.
pub(super) const VELOCITY_LIMIT: Register = register(44, 4, "Velocity Limit");
/// The maximum goal position, raw steps.
pub(super) const MAX_POSITION_LIMIT: Register = register(48, 4, "Max Position Limit");
/// The minimum goal position, raw steps.
pub(super) const MIN_POSITION_LIMIT: Register = register(52, 4, "Min Position Limit");
/// The behaviour of the servo when it gets power.
pub(super) const STARTUP_CONFIGURATION: Register = register(60, 1, "Startup Configuration");
/// The maximum rate of change of the PWM output.
pub(super) const PWM_SLOPE: Register = register(62, 1, "PWM Slope");
/// The hardware errors at which the servo releases, bits as in [`HARDWARE_ERROR_STATUS`].
pub(super) const SHUTDOWN: Register = register(63, 1, "Shutdown");
/// 1 while torque is on.
pub(super) const TORQUE_ENABLE: Register = register(64, 1, "Torque Enable");
/// One bit for each error since the servo's last start.
pub(super) const HARDWARE_ERROR_STATUS: Register = register(70, 1, "Hardware Error Status");
/// The gains of the position loop: derivative, integral and proportional, two bytes each.
pub(super) const POSITION_GAINS: Register = register(80, 6, "Position Gains");
/// The time without a packet after which the servo stops, units of 20 ms; 0 is off, 255 (-1) has tripped.
pub(super) const BUS_WATCHDOG: Register = register(98, 1, "Bus Watchdog");
/// The goal in current mode, or the maximum in current-based position mode, milliamperes, signed.
pub(super) const GOAL_CURRENT: Register = register(102, 2, "Goal Current");
/// The goal position, raw steps.
pub(super) const GOAL_POSITION: Register = register(116, 4, "Goal Position");
/// The current through the motor, milliamperes, signed.
pub(super) const PRESENT_CURRENT: Register = register(126, 2, "Present Current");
/// The present position, raw steps.
pub(super) const PRESENT_POSITION: Register = register(132, 4, "Present Position");
/// The supply voltage, tenths of a volt.
pub(super) const PRESENT_INPUT_VOLTAGE: Register = register(144, 2, "Present Input Voltage");
/// The temperature inside the servo, degrees Celsius.
pub(super) const PRESENT_TEMPERATURE: Register = register(146, 1, "Present Temperature");

/// [`OPERATING_MODE`]: position control within one turn.
pub(super) const POSITION_CONTROL_MODE: u32 = 3;

/// Returns the name of a model by its [`MODEL_NUMBER`] number: this robot's servos and related ones. From the ROBOTIS
/// e-Manual.
pub(super) const fn model_name(number: u16) -> &'static str {
    match number {
        1190 => "XL330-M077",
        1200 => "XL330-M288",
        1220 => "XC330-M181",
        1230 => "XC330-T181",
        1240 => "XC330-M288",
        1250 => "XC330-T288",
        _ => "unknown model",
    }
}

/// Returns the name of an operating mode by its [`OPERATING_MODE`] number.
pub(super) const fn mode_name(number: u8) -> &'static str {
    match number {
        0 => "current",
        1 => "velocity",
        3 => "position",
        4 => "extended position",
        5 => "current-based position",
        16 => "PWM",
        _ => "unknown",
    }
}

/// Returns the errors in a [`HARDWARE_ERROR_STATUS`] byte.
pub(super) fn hardware_errors(bits: u8) -> impl Iterator<Item = &'static str> {
    let known = HardwareError::ALL.into_iter().fold(0, |bits, error| bits | error.bit());
    let unnamed = bits & !known != 0;
    let named = HardwareErrorStatus(bits).iter().map(HardwareError::description);
    named.chain(unnamed.then_some("an unknown error"))
}

#[cfg(test)]
mod tests {
    use serialport::{SerialPort, TTYPort};

    use super::*;

    #[test]
    fn addresses_and_widths_match_rustypot() {
        // Rustypot's table is private, but its requests are visible.
        use rustypot::servo::dynamixel::xl330;
        type Ask = fn(&rustypot::DynamixelProtocolHandler, &mut TTYPort);
        let cases: &[(Register, Ask)] = &[
            (HOMING_OFFSET, |bus, line| drop(xl330::read_homing_offset(bus, line, 11))),
            (TEMPERATURE_LIMIT, |bus, line| drop(xl330::read_temperature_limit(bus, line, 11))),
            (MAX_VOLTAGE_LIMIT, |bus, line| drop(xl330::read_max_voltage_limit(bus, line, 11))),
            (MIN_VOLTAGE_LIMIT, |bus, line| drop(xl330::read_min_voltage_limit(bus, line, 11))),
            (PWM_LIMIT, |bus, line| drop(xl330::read_pwm_limit(bus, line, 11))),
            (CURRENT_LIMIT, |bus, line| drop(xl330::read_current_limit(bus, line, 11))),
            (MOVING_THRESHOLD, |bus, line| drop(xl330::read_moving_threshold(bus, line, 11))),
            (VELOCITY_LIMIT, |bus, line| drop(xl330::read_velocity_limit(bus, line, 11))),
            (STARTUP_CONFIGURATION, |bus, line| drop(xl330::read_startup_configuration(bus, line, 11))),
            (PWM_SLOPE, |bus, line| drop(xl330::read_pwm_slope(bus, line, 11))),
            (SHUTDOWN, |bus, line| drop(xl330::read_shutdown(bus, line, 11))),
            (RETURN_DELAY_TIME, |bus, line| drop(xl330::read_return_delay_time(bus, line, 11))),
            (DRIVE_MODE, |bus, line| drop(xl330::read_drive_mode(bus, line, 11))),
            (GOAL_CURRENT, |bus, line| drop(xl330::read_goal_current(bus, line, 11))),
            (PRESENT_CURRENT, |bus, line| drop(xl330::read_present_current(bus, line, 11))),
            (BUS_WATCHDOG, |bus, line| drop(xl330::read_bus_watchdog(bus, line, 11))),
            (PRESENT_INPUT_VOLTAGE, |bus, line| drop(xl330::read_present_input_voltage(bus, line, 11))),
            (PRESENT_TEMPERATURE, |bus, line| drop(xl330::read_present_temperature(bus, line, 11))),
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
    fn every_error_bit_has_a_description() {
        assert_eq!(hardware_errors(0).count(), 0);
        assert_eq!(hardware_errors(0x24).collect::<Vec<_>>(), ["overheating", "an overload"]);
        for bit in 0..8 {
            assert_eq!(hardware_errors(1 << bit).count(), 1, "bit {bit}");
        }
    }
}
