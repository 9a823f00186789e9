//! One servo: a control table, and the rules that connect it to a moving joint.
//!
//! ```text
//! watchdog:  Off <--write 0-- Tripped <--silence-- Armed <--write 1..127-- Off     (Tripped: goals are rejected)
//! torque:    off <--write 0, reboot, hardware error in the shutdown mask-- on
//! ```

use std::time::Duration;

use firmware_bridge::clock::Timestamp;
use firmware_bridge::joint::Joint;
use firmware_bridge::servo::{Gains, HardwareError, Milliamps, OperatingMode};
use firmware_bridge::units::Radians;

use super::packet::{ALERT, PacketError};
use super::table::{self, Access, Register, Table};
use crate::dynamics::Drive;
use crate::faults::{Faults, WatchdogFirmware};
use crate::motor::{Motor, angle_from_counts, counts_from_angle};

/// The unit of register 98.
const WATCHDOG_UNIT: Duration = Duration::from_millis(20);
/// The value of register 98 after the watchdog has tripped.
const TRIPPED: i64 = -1;
/// The time for which a servo is silent after a reboot; assumed.
pub(super) const REBOOT_TIME: Duration = Duration::from_millis(100);
/// Register unit of velocity, in rad/s: 0.229 rpm.
const VELOCITY_UNIT: f64 = 0.229 * std::f64::consts::TAU / 60.0;
/// The unit of register 9.
const RETURN_DELAY_UNIT: Duration = Duration::from_micros(2);
/// The maximum PWM output.
const FULL_PWM: i64 = 885;

/// The true state of a servo, for tests that bypass the line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ServoView {
    /// The position of the joint, without rounding to counts.
    pub position: Radians,
    /// The velocity, rad/s.
    pub velocity: Radians,
    /// The goal position register as an angle.
    pub goal: Radians,
    /// Whether torque is on.
    pub torque: bool,
    /// The operating mode, register 11.
    pub mode: u8,
    /// The gains of the position loop, registers 84, 82 and 80.
    pub gains: Gains,
    /// The goal current, register 102.
    pub goal_current: Milliamps,
    /// The bus watchdog.
    pub watchdog: Watchdog,
    /// Register 70.
    pub hardware_error: u8,
    /// The current through the motor.
    pub current: Milliamps,
    /// The temperature inside the servo, degrees Celsius.
    pub celsius: f64,
    /// The supply voltage at the servo, volts.
    pub volts: f64,
}

/// The state of a servo's bus watchdog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watchdog {
    /// Disabled.
    Off,
    /// Enabled; waits for silence on the line.
    Armed,
    /// The line was silent for too long. Goals are rejected until register 98 is cleared.
    Tripped,
}

/// The true values at the servo's sensors.
#[derive(Clone, Copy, Debug)]
pub(super) struct Senses {
    /// The position of the output.
    pub(super) position: Radians,
    /// The velocity of the output, rad/s.
    pub(super) velocity: Radians,
    /// The current through the motor.
    pub(super) current: Milliamps,
    /// The temperature inside the servo, degrees Celsius.
    pub(super) celsius: f64,
    /// The supply voltage, volts.
    pub(super) volts: f64,
}

/// One servo.
#[derive(Debug)]
pub(super) struct Servo {
    table: Table,
    motor: Motor,
    senses: Senses,
    watchdog_firmware: WatchdogFirmware,
    silent: bool,
    /// The position in which something holds its joint.
    jammed: Option<Radians>,
    /// The position that it reports while its encoder is frozen, counts.
    frozen: Option<i64>,
    /// The voltage that it measures while its own supply contact is bad, volts.
    override_volts: Option<f64>,
    /// The write that waits for the action instruction.
    registered: Option<(u16, Vec<u8>)>,
    /// Whether the gains may differ from those of the joint.
    gains_changed: bool,
    updated_at: Timestamp,
    last_instruction: Timestamp,
    silent_until: Timestamp,
}

impl Servo {
    /// Returns the servo of this joint, just powered on.
    pub(super) fn new(joint: Joint, senses: Senses, faults: &Faults) -> Servo {
        let mut servo = Servo {
            table: Table::of(joint),
            motor: Motor::of(joint),
            senses,
            watchdog_firmware: faults.watchdog,
            silent: faults.silent.contains(&joint),
            jammed: faults.jammed.contains(&joint).then_some(senses.position),
            frozen: None,
            override_volts: None,
            registered: None,
            gains_changed: true,
            updated_at: Timestamp::ZERO,
            last_instruction: Timestamp::ZERO,
            silent_until: Timestamp::ZERO,
        };
        servo.power_on();
        if let Some(error) = faults.hardware_error.get(&joint) {
            servo.fail(*error);
        }
        servo
    }

    /// Returns the id on the bus.
    pub(super) fn id(&self) -> u8 {
        u8::try_from(self.table.get(table::ID)).unwrap_or_default()
    }

    /// Returns whether it receives and answers.
    pub(super) fn is_listening(&self, now: Timestamp) -> bool {
        !self.silent && now >= self.silent_until
    }

    /// Returns the drive of its joint, in current, position, extended position and current-based position mode.
    pub(super) fn drive(&self) -> Drive {
        if let Some(goal) = self.jammed {
            return Drive::Position { goal, max_torque: f64::INFINITY };
        }
        if !self.torque() {
            return Drive::TorqueOff;
        }
        let current = self.motor.torque(self.goal_current());
        let pwm = self.table.get(table::GOAL_PWM).abs();
        let bound = if pwm >= FULL_PWM {
            f64::INFINITY
        } else {
            pwm as f64 / FULL_PWM as f64 * self.motor.model.specification().stall_torque
        };
        match self.mode() {
            Some(OperatingMode::Current) => Drive::Torque(current.clamp(-bound, bound)),
            Some(OperatingMode::CurrentBasedPosition) => {
                Drive::Position { goal: self.goal(), max_torque: current.abs().min(bound) }
            }
            Some(OperatingMode::Position) | None => Drive::Position { goal: self.goal(), max_torque: bound },
        }
    }

    /// Returns the gains of its position loop if they may have changed.
    pub(super) fn take_changed_gains(&mut self) -> Option<Gains> {
        std::mem::take(&mut self.gains_changed).then(|| self.gains())
    }

    /// Returns when its watchdog trips without further instructions. The watchdog is active only while torque is on.
    pub(super) fn deadline(&self) -> Option<Timestamp> {
        let armed = self.watchdog() == Watchdog::Armed && self.torque();
        let units = u32::try_from(self.table.get(table::BUS_WATCHDOG)).unwrap_or(0);
        armed.then(|| self.last_instruction + WATCHDOG_UNIT * units)
    }

    /// Trips the watchdog: the line was silent for too long.
    pub(super) fn trip(&mut self) {
        self.table.set(table::BUS_WATCHDOG, TRIPPED);
        if self.watchdog_firmware != WatchdogFirmware::TripsWithoutStopping {
            self.table.set(table::GOAL_POSITION, self.present_counts());
            self.table.set(table::GOAL_CURRENT, self.initial_goal_current());
        }
    }

    /// Updates the true values at its sensors. The servo releases if they exceed its limits.
    pub(super) fn update_senses(&mut self, senses: Senses, now: Timestamp) {
        self.senses = senses;
        self.updated_at = now;
        self.check_hardware();
    }

    /// Notes an instruction on the line, for this servo or another.
    pub(super) fn note_instruction(&mut self, now: Timestamp) {
        self.last_instruction = now;
    }

    /// Returns the error byte of its answers.
    pub(super) fn error_byte(&self, refusal: Option<PacketError>) -> u8 {
        let alert = if self.table.get(table::HARDWARE_ERROR) == 0 { 0 } else { ALERT };
        alert | refusal.map_or(0, |refusal| refusal as u8)
    }

    /// Returns its status return level: 0 answers only ping, 1 answers ping and reads, 2 answers everything.
    pub(super) fn status_return_level(&self) -> i64 {
        self.table.get(table::STATUS_RETURN_LEVEL)
    }

    /// Returns the delay before its answers.
    pub(super) fn return_delay(&self) -> Duration {
        RETURN_DELAY_UNIT * u32::try_from(self.table.get(table::RETURN_DELAY)).unwrap_or(0)
    }

    /// Returns model number and firmware version: the answer to a ping.
    pub(super) fn ping(&self) -> [u8; 3] {
        let [low, high, ..] = self.table.get(table::MODEL_NUMBER).to_le_bytes();
        let [version, ..] = self.table.get(table::FIRMWARE_VERSION).to_le_bytes();
        [low, high, version]
    }

    /// Returns the present bytes at an address.
    pub(super) fn read(&mut self, address: u16, length: u16) -> Result<&[u8], PacketError> {
        self.measure();
        self.table.read(address, length)
    }

    /// Writes registers: all of them, or none.
    pub(super) fn write(&mut self, address: u16, data: &[u8]) -> Result<(), PacketError> {
        self.check_writes(address, data)?;
        for write in table::split(address, data) {
            let (register, value) = write?;
            self.table.set(register, value);
            self.gains_changed |= table::is_position_gain(register);
            if register == table::OPERATING_MODE {
                self.table.set(table::GOAL_CURRENT, self.initial_goal_current());
                self.table.set(table::GOAL_POSITION, self.present_counts());
            }
        }
        self.check_hardware();
        Ok(())
    }

    /// Stores a write until [`Servo::action`].
    pub(super) fn register_write(&mut self, address: u16, data: &[u8]) -> Result<(), PacketError> {
        self.check_writes(address, data)?;
        self.registered = Some((address, data.to_vec()));
        self.table.set(table::REGISTERED_INSTRUCTION, 1);
        Ok(())
    }

    /// Executes the stored write.
    pub(super) fn action(&mut self) -> Result<(), PacketError> {
        let (address, data) = self.registered.take().ok_or(PacketError::ResultFail)?;
        self.table.set(table::REGISTERED_INSTRUCTION, 0);
        self.write(address, &data)
    }

    /// Reboots: torque is off, the hardware errors are cleared, and the servo is silent until `silent_until`.
    pub(super) fn reboot(&mut self, silent_until: Timestamp) {
        self.registered = None;
        self.silent_until = silent_until;
        self.power_on();
    }

    /// Starts a hardware error. It is stored in register 70, and the servo releases if the shutdown mask contains it.
    pub(super) fn fail(&mut self, error: HardwareError) {
        let errors = self.table.get(table::HARDWARE_ERROR) | i64::from(error.bit());
        self.table.set(table::HARDWARE_ERROR, errors);
        self.check_hardware();
    }

    /// Freezes the encoder's position, or releases it.
    pub(super) fn freeze(&mut self, frozen: bool) {
        self.frozen = None;
        self.frozen = frozen.then(|| self.present_counts());
    }

    /// Sets a supply voltage of its own, or restores the common one.
    pub(super) fn starve(&mut self, volts: Option<f64>) {
        self.override_volts = volts;
        self.check_hardware();
    }

    /// Sets whether it neither receives nor answers.
    pub(super) fn mute(&mut self, silent: bool) {
        self.silent = silent;
    }

    /// Returns the true state.
    pub(super) fn view(&self) -> ServoView {
        ServoView {
            position: self.senses.position,
            velocity: self.senses.velocity,
            goal: self.goal(),
            torque: self.torque(),
            mode: u8::try_from(self.table.get(table::OPERATING_MODE)).unwrap_or_default(),
            gains: self.gains(),
            goal_current: self.goal_current(),
            watchdog: self.watchdog(),
            hardware_error: u8::try_from(self.table.get(table::HARDWARE_ERROR) & 0xFF).unwrap_or_default(),
            current: self.senses.current,
            celsius: self.senses.celsius,
            volts: self.volts(),
        }
    }

    fn power_on(&mut self) {
        self.table.power_on();
        self.gains_changed = true;
        self.table.set(table::GOAL_POSITION, self.present_counts());
        self.table.set(table::GOAL_CURRENT, self.initial_goal_current());
        self.check_hardware();
    }

    fn torque(&self) -> bool {
        self.table.get(table::TORQUE_ENABLE) != 0
    }

    /// Returns the operating mode; `None` for extended position mode, which no controller of this robot uses.
    fn mode(&self) -> Option<OperatingMode> {
        u8::try_from(self.table.get(table::OPERATING_MODE)).ok().and_then(OperatingMode::from_number)
    }

    fn initial_goal_current(&self) -> i64 {
        match self.mode() {
            Some(OperatingMode::CurrentBasedPosition) => self.table.get(table::CURRENT_LIMIT),
            Some(OperatingMode::Current | OperatingMode::Position) | None => 0,
        }
    }

    fn goal_current(&self) -> Milliamps {
        Milliamps(self.table.get(table::GOAL_CURRENT) as f64)
    }

    fn gains(&self) -> Gains {
        let gain = |register| u16::try_from(self.table.get(register)).unwrap_or_default();
        Gains {
            p: gain(table::POSITION_P_GAIN),
            i: gain(table::POSITION_I_GAIN),
            d: gain(table::POSITION_D_GAIN),
        }
    }

    fn goal(&self) -> Radians {
        angle_from_counts(i32::try_from(self.table.get(table::GOAL_POSITION)).unwrap_or_default())
    }

    fn present_counts(&self) -> i64 {
        self.frozen.unwrap_or_else(|| counts_from_angle(self.senses.position).into())
    }

    fn volts(&self) -> f64 {
        self.override_volts.unwrap_or(self.senses.volts)
    }

    fn decivolts(&self) -> i64 {
        (self.volts() * 10.0).round() as i64
    }

    fn watchdog(&self) -> Watchdog {
        match self.table.get(table::BUS_WATCHDOG) {
            0 => Watchdog::Off,
            1..=127 => Watchdog::Armed,
            _ => Watchdog::Tripped,
        }
    }

    /// Updates the measurement registers.
    fn measure(&mut self) {
        let velocity = (self.senses.velocity.value() / VELOCITY_UNIT).round() as i64;
        let moving = velocity.abs() > self.table.get(table::MOVING_THRESHOLD);
        let millis = i64::try_from(self.updated_at.0 / 1_000_000 % 32_768).unwrap_or_default();
        let current = self.senses.current.0.round();
        // At rest the PWM output corresponds to the current; in motion the motor's own voltage adds to it.
        let specification = self.motor.model.specification();
        let current_part = current / 1000.0 / specification.stall_current;
        let speed_part = self.senses.velocity.value() / self.motor.model.top_speed();
        let pwm = ((current_part + speed_part).clamp(-1.0, 1.0) * FULL_PWM as f64).round() as i64;
        for (register, value) in [
            (table::REALTIME_TICK, millis),
            (table::MOVING, moving.into()),
            (table::PRESENT_PWM, pwm),
            (table::PRESENT_CURRENT, current as i64),
            (table::PRESENT_VELOCITY, velocity),
            (table::PRESENT_POSITION, self.present_counts()),
            (table::POSITION_TRAJECTORY, self.table.get(table::GOAL_POSITION)),
            (table::PRESENT_VOLTAGE, self.decivolts()),
            (table::PRESENT_TEMPERATURE, self.senses.celsius.round() as i64),
        ] {
            self.table.set(register, value);
        }
    }

    /// Stores errors in register 70, and releases if the shutdown mask contains one.
    fn check_hardware(&mut self) {
        let allowed = self.table.get(table::MIN_VOLTAGE)..=self.table.get(table::MAX_VOLTAGE);
        let mut error = self.table.get(table::HARDWARE_ERROR);
        if !allowed.contains(&self.decivolts()) {
            error |= i64::from(HardwareError::InputVoltage.bit());
        }
        if self.senses.celsius > self.table.get(table::TEMPERATURE_LIMIT) as f64 {
            error |= i64::from(HardwareError::Overheating.bit());
        }
        if error != 0 {
            self.table.set(table::HARDWARE_ERROR, error);
            if error & self.table.get(table::SHUTDOWN) != 0 {
                self.table.set(table::TORQUE_ENABLE, 0);
            }
        }
    }

    fn check_writes(&self, address: u16, data: &[u8]) -> Result<(), PacketError> {
        if data.is_empty() {
            return Err(PacketError::DataLength);
        }
        for write in table::split(address, data) {
            let (register, value) = write?;
            self.check_register(register, value)?;
        }
        Ok(())
    }

    fn check_register(&self, register: Register, value: i64) -> Result<(), PacketError> {
        if register.access == Access::Read || (register.is_eeprom() && self.torque()) {
            return Err(PacketError::Access);
        }
        if !(register.min..=register.max).contains(&value) {
            return Err(PacketError::DataRange);
        }
        let within = |limit: i64| if value.abs() <= limit { Ok(()) } else { Err(PacketError::DataLimit) };
        let tripped = self.watchdog() == Watchdog::Tripped;
        match register {
            table::BUS_WATCHDOG if self.watchdog_firmware == WatchdogFirmware::Absent => {
                Err(PacketError::Access)
            }
            table::BUS_WATCHDOG if tripped && value != 0 => Err(PacketError::DataRange),
            table::GOAL_PWM | table::GOAL_CURRENT | table::GOAL_VELOCITY | table::GOAL_POSITION
                if tripped =>
            {
                Err(PacketError::DataRange)
            }
            table::GOAL_PWM => within(self.table.get(table::PWM_LIMIT)),
            table::GOAL_CURRENT => within(self.table.get(table::CURRENT_LIMIT)),
            table::GOAL_VELOCITY => within(self.table.get(table::VELOCITY_LIMIT)),
            table::GOAL_POSITION => self.check_goal_limit(value),
            // Velocity and PWM mode would need a robot that turns without end.
            table::OPERATING_MODE if ![0, 3, 4, 5].contains(&value) => Err(PacketError::DataRange),
            table::TORQUE_ENABLE if value == 1 => {
                let shut_down = self.table.get(table::HARDWARE_ERROR) & self.table.get(table::SHUTDOWN) != 0;
                if shut_down { Err(PacketError::ResultFail) } else { Ok(()) }
            }
            _ => Ok(()),
        }
    }

    fn check_goal_limit(&self, value: i64) -> Result<(), PacketError> {
        let allowed = self.table.get(table::MIN_POSITION)..=self.table.get(table::MAX_POSITION);
        let limited = self.table.get(table::OPERATING_MODE) == 3;
        if limited && !allowed.contains(&value) { Err(PacketError::DataLimit) } else { Ok(()) }
    }
}
