//! The registers of the XL330 and XC330 servos that this controller uses. One control table serves all nine.

/// One register: where it is, how wide, and what people call it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Register {
    /// First address.
    pub address: u8,
    /// Bytes, least significant first: 1, 2 or 4.
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
/// What the servo controls; kept when the power is off, and locked while torque is on.
pub(super) const MODE: Register = register(11, 1, "the operating mode");
/// The highest goal that the servo takes, raw steps.
pub(super) const HIGHEST_GOAL: Register = register(48, 4, "the highest position");
/// The lowest goal that the servo takes, raw steps.
pub(super) const LOWEST_GOAL: Register = register(52, 4, "the lowest position");
/// 1 when the motor is driven.
pub(super) const TORQUE: Register = register(64, 1, "its torque");
/// One bit for each error that the servo has seen since its last start.
pub(super) const HARDWARE_ERROR: Register = register(70, 1, "the hardware error");
/// Units of 20 ms without a word after which the servo stops; 0 is off, 255 (-1) has fired.
pub(super) const BUS_WATCHDOG: Register = register(98, 1, "the bus watchdog");
/// Where to go, raw steps.
pub(super) const GOAL_POSITION: Register = register(116, 4, "the goal position");
/// Where it is, raw steps.
pub(super) const PRESENT_POSITION: Register = register(132, 4, "the present position");
/// The supply, tenths of a volt.
pub(super) const VOLTAGE: Register = register(144, 2, "the input voltage");
/// Inside, degrees Celsius.
pub(super) const TEMPERATURE: Register = register(146, 1, "the temperature");

/// [`MODE`]: follow a goal position within one turn.
pub(super) const POSITION_MODE: u32 = 3;

/// The errors in a [`HARDWARE_ERROR`] byte.
pub(super) fn hardware_errors(bits: u8) -> impl Iterator<Item = &'static str> {
    const NAMED: [(u8, &str); 5] = [
        (0x01, "a wrong input voltage"),
        (0x04, "overheating"),
        (0x08, "a fault of its encoder"),
        (0x10, "an electrical shock"),
        (0x20, "an overload"),
    ];
    let unnamed = bits & !0x3d != 0;
    let named = NAMED.into_iter().filter(move |(bit, _)| bits & bit != 0).map(|(_, name)| name);
    named.chain(unnamed.then_some("an error without a name"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_bit_has_words() {
        assert_eq!(hardware_errors(0).count(), 0);
        assert_eq!(hardware_errors(0x24).collect::<Vec<_>>(), ["overheating", "an overload"]);
        for bit in 0..8 {
            assert_eq!(hardware_errors(1 << bit).count(), 1, "bit {bit}");
        }
    }
}
