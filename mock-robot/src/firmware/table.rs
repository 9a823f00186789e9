//! The control table of an XL330 or XC330: its registers and their bytes.
//!
//! Addresses, sizes, ranges and initial values are those of the ROBOTIS e-Manual. Numbers are little-endian; a register
//! with a negative minimum is signed.

use firmware_bridge::joint::Joint;

use super::packet::PacketError;
use crate::motor::Motor;

/// One register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Register {
    /// The first address.
    pub(super) address: u16,
    /// The size in bytes.
    pub(super) size: u16,
    /// Whether it can be written.
    pub(super) access: Access,
    /// The minimum value.
    pub(super) min: i64,
    /// The maximum value.
    pub(super) max: i64,
    /// The value at power-on (below address 64: from the factory).
    initial: i64,
}

/// Whether a register can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// Read only.
    Read,
    /// Read and write.
    ReadWrite,
}

const fn rw(address: u16, size: u16, least: i64, most: i64, initial: i64) -> Register {
    Register { address, size, access: Access::ReadWrite, min: least, max: most, initial }
}

const fn ro(address: u16, size: u16) -> Register {
    // Present values may be negative; ids and versions are too small to look negative.
    Register { address, size, access: Access::Read, min: i64::MIN, max: i64::MAX, initial: 0 }
}

/// Registers from here on lose their values without power. Those below keep them and are locked while torque is on.
const RAM: u16 = 64;
/// The first address after the table.
const END: usize = 148;

pub(super) const MODEL_NUMBER: Register = ro(0, 2);
pub(super) const FIRMWARE_VERSION: Register = ro(6, 1);
pub(super) const ID: Register = rw(7, 1, 0, 252, 1);
const BAUD_RATE: Register = rw(8, 1, 0, 6, 3);
pub(super) const RETURN_DELAY: Register = rw(9, 1, 0, 254, 0);
pub(super) const OPERATING_MODE: Register = rw(11, 1, 0, 16, 3);
const HOMING_OFFSET: Register = rw(20, 4, -1_044_479, 1_044_479, 0);
pub(super) const MOVING_THRESHOLD: Register = rw(24, 4, 0, 1_023, 10);
pub(super) const TEMPERATURE_LIMIT: Register = rw(31, 1, 0, 100, 70);
pub(super) const MAX_VOLTAGE: Register = rw(32, 2, 31, 70, 70);
pub(super) const MIN_VOLTAGE: Register = rw(34, 2, 31, 70, 35);
pub(super) const PWM_LIMIT: Register = rw(36, 2, 0, 885, 885);
pub(super) const CURRENT_LIMIT: Register = rw(38, 2, 0, 2_352, 1_750);
pub(super) const VELOCITY_LIMIT: Register = rw(44, 4, 0, 2_047, 445);
pub(super) const MAX_POSITION: Register = rw(48, 4, 0, 4_095, 4_095);
pub(super) const MIN_POSITION: Register = rw(52, 4, 0, 4_095, 0);
/// Overheating, electrical shock and overload switch the torque off: the setting of this robot.
pub(super) const SHUTDOWN: Register = rw(63, 1, 0, 255, 52);
pub(super) const TORQUE_ENABLE: Register = rw(64, 1, 0, 1, 0);
pub(super) const STATUS_RETURN_LEVEL: Register = rw(68, 1, 0, 2, 2);
pub(super) const REGISTERED_INSTRUCTION: Register = ro(69, 1);
pub(super) const HARDWARE_ERROR: Register = ro(70, 1);
pub(super) const POSITION_D_GAIN: Register = rw(80, 2, 0, 16_383, 0);
pub(super) const POSITION_I_GAIN: Register = rw(82, 2, 0, 16_383, 0);
pub(super) const POSITION_P_GAIN: Register = rw(84, 2, 0, 16_383, 400);
pub(super) const BUS_WATCHDOG: Register = rw(98, 1, 0, 127, 0);
pub(super) const GOAL_PWM: Register = rw(100, 2, -885, 885, 885);
pub(super) const GOAL_CURRENT: Register = rw(102, 2, -2_352, 2_352, 0);
pub(super) const GOAL_VELOCITY: Register = rw(104, 4, -2_047, 2_047, 0);
pub(super) const GOAL_POSITION: Register = rw(116, 4, -1_048_575, 1_048_575, 0);
pub(super) const REALTIME_TICK: Register = ro(120, 2);
pub(super) const MOVING: Register = ro(122, 1);
pub(super) const PRESENT_PWM: Register = ro(124, 2);
pub(super) const PRESENT_CURRENT: Register = ro(126, 2);
pub(super) const PRESENT_VELOCITY: Register = ro(128, 4);
pub(super) const PRESENT_POSITION: Register = ro(132, 4);
pub(super) const POSITION_TRAJECTORY: Register = ro(140, 4);
pub(super) const PRESENT_VOLTAGE: Register = ro(144, 2);
pub(super) const PRESENT_TEMPERATURE: Register = ro(146, 1);

/// All registers, by address. Those without a name are only stored.
static REGISTERS: [Register; 54] = [
    MODEL_NUMBER,
    ro(2, 4),
    FIRMWARE_VERSION,
    ID,
    BAUD_RATE,
    RETURN_DELAY,
    rw(10, 1, 0, 13, 0), // drive mode
    OPERATING_MODE,
    rw(12, 1, 0, 255, 255), // secondary id
    rw(13, 1, 2, 22, 2),    // protocol type
    HOMING_OFFSET,
    MOVING_THRESHOLD,
    TEMPERATURE_LIMIT,
    MAX_VOLTAGE,
    MIN_VOLTAGE,
    PWM_LIMIT,
    CURRENT_LIMIT,
    VELOCITY_LIMIT,
    MAX_POSITION,
    MIN_POSITION,
    rw(60, 1, 0, 3, 0),     // startup configuration
    rw(62, 1, 1, 255, 140), // PWM slope
    SHUTDOWN,
    TORQUE_ENABLE,
    rw(65, 1, 0, 1, 0), // LED
    STATUS_RETURN_LEVEL,
    REGISTERED_INSTRUCTION,
    HARDWARE_ERROR,
    rw(76, 2, 0, 16_383, 1_600), // velocity I gain
    rw(78, 2, 0, 16_383, 180),   // velocity P gain
    POSITION_D_GAIN,
    POSITION_I_GAIN,
    POSITION_P_GAIN,
    rw(88, 2, 0, 16_383, 0), // feed-forward 2nd gain
    rw(90, 2, 0, 16_383, 0), // feed-forward 1st gain
    BUS_WATCHDOG,
    GOAL_PWM,
    GOAL_CURRENT,
    GOAL_VELOCITY,
    rw(108, 4, 0, 32_767, 0), // profile acceleration
    rw(112, 4, 0, 32_767, 0), // profile velocity
    GOAL_POSITION,
    REALTIME_TICK,
    MOVING,
    ro(123, 1), // moving status
    PRESENT_PWM,
    PRESENT_CURRENT,
    PRESENT_VELOCITY,
    PRESENT_POSITION,
    ro(136, 4), // velocity trajectory
    POSITION_TRAJECTORY,
    PRESENT_VOLTAGE,
    PRESENT_TEMPERATURE,
    ro(147, 1), // backup ready
];

impl Register {
    /// Returns whether it keeps its value without power and is locked while torque is on.
    pub(super) const fn is_eeprom(self) -> bool {
        self.address < RAM
    }

    fn decode(self, bytes: &[u8]) -> i64 {
        let negative = self.min < 0 && bytes.last().is_some_and(|byte| byte & 0x80 != 0);
        let mut extended = if negative { [0xFF; 8] } else { [0; 8] };
        for (to, from) in extended.iter_mut().zip(bytes) {
            *to = *from;
        }
        i64::from_le_bytes(extended)
    }
}

/// The bytes of one servo's table.
#[derive(Clone, Debug)]
pub(super) struct Table {
    bytes: [u8; END],
}

impl Table {
    /// Returns the table of a servo in the robot that is powered on for the first time.
    pub(super) fn of(joint: Joint) -> Table {
        let mut table = Table { bytes: [0; END] };
        let motor = Motor::of(joint);
        for register in REGISTERS {
            table.set(register, register.initial);
        }
        table.set(MODEL_NUMBER, motor.model.number().into());
        // The firmware in the watchdog report; it supports fast sync read (from 46 on).
        table.set(FIRMWARE_VERSION, 51);
        table.set(ID, joint.motor_id().into());
        table.set(HOMING_OFFSET, motor.homing_offset.into());
        table.set(CURRENT_LIMIT, motor.model.current_limit().into());
        table.set(VELOCITY_LIMIT, motor.model.velocity_limit().into());
        table.set(MIN_POSITION, motor.lowest.into());
        table.set(MAX_POSITION, motor.highest.into());
        table
    }

    /// Resets the registers that lose their values without power.
    pub(super) fn power_on(&mut self) {
        for register in REGISTERS.into_iter().filter(|register| !register.is_eeprom()) {
            self.set(register, register.initial);
        }
    }

    /// Returns the number in a register.
    pub(super) fn get(&self, register: Register) -> i64 {
        register.decode(self.slice(register.address.into(), register.size.into()).unwrap_or_default())
    }

    /// Writes a number into a register.
    pub(super) fn set(&mut self, register: Register, value: i64) {
        let start = usize::from(register.address);
        if let Some(bytes) = self.bytes.get_mut(start..start + usize::from(register.size)) {
            for (to, from) in bytes.iter_mut().zip(value.to_le_bytes()) {
                *to = from;
            }
        }
    }

    /// Returns the bytes at an address, including gaps between registers.
    pub(super) fn read(&self, address: u16, length: u16) -> Result<&[u8], PacketError> {
        if length == 0 {
            return Err(PacketError::DataLength);
        }
        self.slice(address.into(), length.into()).ok_or(PacketError::Access)
    }

    fn slice(&self, start: usize, length: usize) -> Option<&[u8]> {
        self.bytes.get(start..start + length)
    }
}

/// Returns whether it is one of the three gains of the position loop.
pub(super) fn is_position_gain(register: Register) -> bool {
    [POSITION_D_GAIN, POSITION_I_GAIN, POSITION_P_GAIN].contains(&register)
}

/// Splits the data of a write into whole registers with their numbers. The iterator ends after an error.
pub(super) fn split(address: u16, data: &[u8]) -> impl Iterator<Item = Result<(Register, i64), PacketError>> {
    let (mut address, mut rest) = (address, data);
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let position = REGISTERS.binary_search_by_key(&address, |register| register.address).ok();
        let part = position.and_then(|position| REGISTERS.get(position)).ok_or(PacketError::Access).and_then(
            |register| {
                let (bytes, others) =
                    rest.split_at_checked(register.size.into()).ok_or(PacketError::DataLength)?;
                (address, rest) = (address + register.size, others);
                Ok((*register, register.decode(bytes)))
            },
        );
        if part.is_err() {
            rest = &[];
        }
        Some(part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns all registers, or the error.
    fn split(address: u16, data: &[u8]) -> Result<Vec<(Register, i64)>, PacketError> {
        super::split(address, data).collect()
    }

    #[test]
    fn registers_are_sorted_disjoint_and_inside_the_table() {
        assert!(REGISTERS.is_sorted_by_key(|register| register.address));
        let mut taken = [false; END];
        for register in REGISTERS {
            for address in register.address..register.address + register.size {
                assert!(
                    !std::mem::replace(&mut taken[usize::from(address)], true),
                    "{address} belongs to two registers"
                );
            }
        }
    }

    #[test]
    fn numbers_round_trip_with_their_sign() {
        let mut table = Table::of(Joint::Stewart2);
        assert_eq!(table.get(HOMING_OFFSET), -1024);
        assert_eq!(table.read(20, 4).unwrap(), (-1024_i32).to_le_bytes());
        assert_eq!(table.get(MODEL_NUMBER), 1200);
        assert_eq!((table.get(MIN_POSITION), table.get(MAX_POSITION)), (1138, 2844));
        table.set(PRESENT_VELOCITY, -7);
        assert_eq!(table.get(PRESENT_VELOCITY), -7);
        assert_eq!(table.get(SHUTDOWN), 52);
    }

    #[test]
    fn write_is_split_into_registers_or_rejected() {
        assert_eq!(split(116, &[0, 8, 0, 0]), Ok(vec![(GOAL_POSITION, 2048)]));
        assert_eq!(split(102, &[0xFF, 0xFF]), Ok(vec![(GOAL_CURRENT, -1)]));
        let gains = split(80, &[0, 0, 0, 0, 0x2C, 0x01]).unwrap();
        assert_eq!(gains.last(), Some(&(POSITION_P_GAIN, 300)));
        assert_eq!(split(116, &[0, 8]), Err(PacketError::DataLength));
        assert_eq!(split(117, &[0]), Err(PacketError::Access));
        assert_eq!(split(60_000, &[0]), Err(PacketError::Access));
    }

    #[test]
    fn reads_cross_gaps_but_not_the_end() {
        let table = Table::of(Joint::BodyYaw);
        assert_eq!(table.read(0, 148).map(<[u8]>::len), Ok(148));
        assert_eq!(table.read(147, 2), Err(PacketError::Access));
        assert_eq!(table.read(u16::MAX, u16::MAX), Err(PacketError::Access));
        assert_eq!(table.read(7, 0), Err(PacketError::DataLength));
    }

    #[test]
    fn power_on_keeps_the_eeprom() {
        let mut table = Table::of(Joint::Stewart1);
        table.set(HOMING_OFFSET, 5);
        table.set(TORQUE_ENABLE, 1);
        table.set(POSITION_P_GAIN, 300);
        table.power_on();
        assert_eq!(table.get(HOMING_OFFSET), 5);
        assert_eq!((table.get(TORQUE_ENABLE), table.get(POSITION_P_GAIN)), (0, 400));
    }
}
