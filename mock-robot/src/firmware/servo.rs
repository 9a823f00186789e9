//! One servo: a control table, and the rules between it and a joint that moves.
//!
//! ```text
//! watchdog:  Off <--write 0-- Tripped <--silence-- Armed <--write 1..127-- Off     (Tripped: goals are refused)
//! torque:    off <--write 0, reboot, hardware error in the shutdown mask-- on
//! ```

use std::time::Duration;

use firmware_bridge::clock::Tick;
use firmware_bridge::joint::Joint;
use firmware_bridge::servo::{Gains, HardwareError, Milliamps, Mode};
use firmware_bridge::units::Radians;

use super::packet::{ALERT, Refusal};
use super::table::{self, Access, Register, Table};
use crate::dynamics::Drive;
use crate::faults::{Faults, WatchdogFirmware};
use crate::motor::{Motor, angle_from_counts, counts_from_angle};

/// The unit of register 98.
const WATCHDOG_UNIT: Duration = Duration::from_millis(20);
/// What register 98 reads after the watchdog has tripped.
const TRIPPED: i64 = -1;
/// How long a servo is deaf after a reboot; assumed.
pub(super) const REBOOT_TIME: Duration = Duration::from_millis(100);
/// Register units of velocity, in rad/s: 0.229 rpm.
const VELOCITY_UNIT: f64 = 0.229 * std::f64::consts::TAU / 60.0;
/// The unit of register 9.
const RETURN_DELAY_UNIT: Duration = Duration::from_micros(2);
/// All of PWM.
const FULL_PWM: i64 = 885;

/// What a servo is really doing, for tests beside the line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ServoView {
    /// Where the joint is, without rounding to counts.
    pub position: Radians,
    /// How fast it turns, in rad/s.
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
    /// Through the motor.
    pub current: Milliamps,
    /// Inside the servo, in degrees Celsius.
    pub celsius: f64,
    /// The supply at the servo.
    pub volts: f64,
}

/// The state of a servo's bus watchdog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watchdog {
    /// Not set.
    Off,
    /// Waiting for the line to fall silent.
    Armed,
    /// The line was silent for too long; goals are refused until register 98 is cleared.
    Tripped,
}

/// What the servo's sensors have before them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Senses {
    /// Of the output.
    pub(super) position: Radians,
    /// Of the output, in rad/s.
    pub(super) velocity: Radians,
    /// Through the motor.
    pub(super) current: Milliamps,
    /// Inside.
    pub(super) celsius: f64,
    /// Of the supply.
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
    /// What it measures of the position while its encoder is frozen.
    frozen: Option<i64>,
    /// What it measures of the supply while its own contact is bad.
    own_volts: Option<f64>,
    /// The write that waits for the action instruction.
    registered: Option<(u16, Vec<u8>)>,
    /// Whether the gains may be others than the joint knows.
    new_gains: bool,
    moved_to: Tick,
    heard: Tick,
    deaf_until: Tick,
}

impl Servo {
    /// The servo of this joint, which has just got power.
    pub(super) fn new(joint: Joint, senses: Senses, faults: &Faults) -> Servo {
        let mut servo = Servo {
            table: Table::of(joint),
            motor: Motor::of(joint),
            senses,
            watchdog_firmware: faults.watchdog,
            silent: faults.silent.contains(&joint),
            frozen: None,
            own_volts: None,
            registered: None,
            new_gains: true,
            moved_to: Tick::ZERO,
            heard: Tick::ZERO,
            deaf_until: Tick::ZERO,
        };
        servo.power_on();
        if let Some(error) = faults.hardware_error.get(&joint) {
            servo.fail(*error);
        }
        servo
    }

    /// Its id on the bus.
    pub(super) fn id(&self) -> u8 {
        u8::try_from(self.table.get(table::ID)).unwrap_or_default()
    }

    /// Whether it hears and answers.
    pub(super) fn listens(&self, now: Tick) -> bool {
        !self.silent && now >= self.deaf_until
    }

    /// What drives its joint: the modes of current, position, extended position and current-based position.
    pub(super) fn drive(&self) -> Drive {
        if !self.torque() {
            return Drive::Limp;
        }
        let current = self.motor.torque(self.goal_current());
        let pwm = self.table.get(table::GOAL_PWM).abs();
        let bound = if pwm >= FULL_PWM {
            f64::INFINITY
        } else {
            pwm as f64 / FULL_PWM as f64 * self.motor.model.specification().stall_torque
        };
        match self.mode() {
            Some(Mode::Current) => Drive::Torque(current.clamp(-bound, bound)),
            Some(Mode::CurrentBasedPosition) => {
                Drive::Position { goal: self.goal(), most: current.abs().min(bound) }
            }
            Some(Mode::Position) | None => Drive::Position { goal: self.goal(), most: bound },
        }
    }

    /// The gains of its position loop, if they may be others than before.
    pub(super) fn new_gains(&mut self) -> Option<Gains> {
        std::mem::take(&mut self.new_gains).then(|| self.gains())
    }

    /// When its watchdog trips if nothing more is heard. It watches only under torque.
    pub(super) fn deadline(&self) -> Option<Tick> {
        let armed = self.watchdog() == Watchdog::Armed && self.torque();
        let units = u32::try_from(self.table.get(table::BUS_WATCHDOG)).unwrap_or(0);
        armed.then(|| self.heard + WATCHDOG_UNIT * units)
    }

    /// The line was silent for too long.
    pub(super) fn trip(&mut self) {
        self.table.set(table::BUS_WATCHDOG, TRIPPED);
        if self.watchdog_firmware != WatchdogFirmware::TripsWithoutStopping {
            self.table.set(table::GOAL_POSITION, self.present_counts());
            self.table.set(table::GOAL_CURRENT, self.first_goal_current());
        }
    }

    /// What it has before it at this moment. It lets go if that is too much.
    pub(super) fn feel(&mut self, senses: Senses, now: Tick) {
        self.senses = senses;
        self.moved_to = now;
        self.check_hardware();
    }

    /// An instruction passed on the line, for this servo or another.
    pub(super) fn hear(&mut self, now: Tick) {
        self.heard = now;
    }

    /// The error byte with which it answers.
    pub(super) fn error_byte(&self, refusal: Option<Refusal>) -> u8 {
        let alert = if self.table.get(table::HARDWARE_ERROR) == 0 { 0 } else { ALERT };
        alert | refusal.map_or(0, |refusal| refusal as u8)
    }

    /// What it does not answer: 0 all but ping, 1 all but ping and reads, 2 nothing.
    pub(super) fn status_return_level(&self) -> i64 {
        self.table.get(table::STATUS_RETURN_LEVEL)
    }

    /// How long it waits before it answers.
    pub(super) fn return_delay(&self) -> Duration {
        RETURN_DELAY_UNIT * u32::try_from(self.table.get(table::RETURN_DELAY)).unwrap_or(0)
    }

    /// Model number and firmware version: the answer to a ping.
    pub(super) fn ping(&self) -> [u8; 3] {
        let [low, high, ..] = self.table.get(table::MODEL_NUMBER).to_le_bytes();
        let [version, ..] = self.table.get(table::FIRMWARE_VERSION).to_le_bytes();
        [low, high, version]
    }

    /// The bytes at an address, as they are now.
    pub(super) fn read(&mut self, address: u16, length: u16) -> Result<&[u8], Refusal> {
        self.measure();
        self.table.read(address, length)
    }

    /// Writes registers: all of them, or none.
    pub(super) fn write(&mut self, address: u16, data: &[u8]) -> Result<(), Refusal> {
        self.check_writes(address, data)?;
        for write in table::split(address, data) {
            let (register, value) = write?;
            self.table.set(register, value);
            self.new_gains |= table::is_position_gain(register);
            if register == table::OPERATING_MODE {
                self.table.set(table::GOAL_CURRENT, self.first_goal_current());
                self.table.set(table::GOAL_POSITION, self.present_counts());
            }
        }
        self.check_hardware();
        Ok(())
    }

    /// Keeps a write until [`Servo::action`].
    pub(super) fn register_write(&mut self, address: u16, data: &[u8]) -> Result<(), Refusal> {
        self.check_writes(address, data)?;
        self.registered = Some((address, data.to_vec()));
        self.table.set(table::REGISTERED_INSTRUCTION, 1);
        Ok(())
    }

    /// Carries out the write that was kept.
    pub(super) fn action(&mut self) -> Result<(), Refusal> {
        let (address, data) = self.registered.take().ok_or(Refusal::ResultFail)?;
        self.table.set(table::REGISTERED_INSTRUCTION, 0);
        self.write(address, &data)
    }

    /// Starts again, limp and without its hardware errors, deaf for a while.
    pub(super) fn reboot(&mut self, deaf_until: Tick) {
        self.registered = None;
        self.deaf_until = deaf_until;
        self.power_on();
    }

    /// Something in it fails. It keeps that in register 70, and lets go if the shutdown mask says so.
    pub(super) fn fail(&mut self, error: HardwareError) {
        let errors = self.table.get(table::HARDWARE_ERROR) | i64::from(error.bit());
        self.table.set(table::HARDWARE_ERROR, errors);
        self.check_hardware();
    }

    /// Its encoder says the same from now on, or the truth again.
    pub(super) fn freeze(&mut self, frozen: bool) {
        self.frozen = None;
        self.frozen = frozen.then(|| self.present_counts());
    }

    /// It has so little supply from now on, or what the others have.
    pub(super) fn starve(&mut self, volts: Option<f64>) {
        self.own_volts = volts;
        self.check_hardware();
    }

    /// It neither hears nor answers, or does again.
    pub(super) fn silence(&mut self, silent: bool) {
        self.silent = silent;
    }

    /// What it is really doing.
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
        self.new_gains = true;
        self.table.set(table::GOAL_POSITION, self.present_counts());
        self.table.set(table::GOAL_CURRENT, self.first_goal_current());
        self.check_hardware();
    }

    fn torque(&self) -> bool {
        self.table.get(table::TORQUE_ENABLE) != 0
    }

    /// Its mode; none for extended position, which no controller of this robot uses.
    fn mode(&self) -> Option<Mode> {
        u8::try_from(self.table.get(table::OPERATING_MODE)).ok().and_then(Mode::from_number)
    }

    fn first_goal_current(&self) -> i64 {
        match self.mode() {
            Some(Mode::CurrentBasedPosition) => self.table.get(table::CURRENT_LIMIT),
            Some(Mode::Current | Mode::Position) | None => 0,
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
        self.own_volts.unwrap_or(self.senses.volts)
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

    /// Fills in the registers that measure.
    fn measure(&mut self) {
        let velocity = (self.senses.velocity.value() / VELOCITY_UNIT).round() as i64;
        let moving = velocity.abs() > self.table.get(table::MOVING_THRESHOLD);
        let millis = i64::try_from(self.moved_to.0 / 1_000_000 % 32_768).unwrap_or_default();
        let current = self.senses.current.0.round();
        // At rest the drive is what the current needs; in motion the motor's own voltage adds to it.
        let specification = self.motor.model.specification();
        let of_current = current / 1000.0 / specification.stall_current;
        let of_speed = self.senses.velocity.value() / self.motor.model.top_speed();
        let pwm = ((of_current + of_speed).clamp(-1.0, 1.0) * FULL_PWM as f64).round() as i64;
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

    /// Keeps what is wrong in register 70, and lets go if the shutdown mask says so.
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

    fn check_writes(&self, address: u16, data: &[u8]) -> Result<(), Refusal> {
        if data.is_empty() {
            return Err(Refusal::DataLength);
        }
        for write in table::split(address, data) {
            let (register, value) = write?;
            self.admit(register, value)?;
        }
        Ok(())
    }

    fn admit(&self, register: Register, value: i64) -> Result<(), Refusal> {
        if register.access == Access::Read || (register.is_eeprom() && self.torque()) {
            return Err(Refusal::Access);
        }
        if !(register.least..=register.most).contains(&value) {
            return Err(Refusal::DataRange);
        }
        let within = |limit: i64| if value.abs() <= limit { Ok(()) } else { Err(Refusal::DataLimit) };
        let tripped = self.watchdog() == Watchdog::Tripped;
        match register {
            table::BUS_WATCHDOG if self.watchdog_firmware == WatchdogFirmware::Absent => Err(Refusal::Access),
            table::BUS_WATCHDOG if tripped && value != 0 => Err(Refusal::DataRange),
            table::GOAL_PWM | table::GOAL_CURRENT | table::GOAL_VELOCITY | table::GOAL_POSITION
                if tripped =>
            {
                Err(Refusal::DataRange)
            }
            table::GOAL_PWM => within(self.table.get(table::PWM_LIMIT)),
            table::GOAL_CURRENT => within(self.table.get(table::CURRENT_LIMIT)),
            table::GOAL_VELOCITY => within(self.table.get(table::VELOCITY_LIMIT)),
            table::GOAL_POSITION => self.admit_goal(value),
            // Velocity and PWM mode would need a body that turns without end.
            table::OPERATING_MODE if ![0, 3, 4, 5].contains(&value) => Err(Refusal::DataRange),
            table::TORQUE_ENABLE if value == 1 => {
                let shut_down = self.table.get(table::HARDWARE_ERROR) & self.table.get(table::SHUTDOWN) != 0;
                if shut_down { Err(Refusal::ResultFail) } else { Ok(()) }
            }
            _ => Ok(()),
        }
    }

    fn admit_goal(&self, value: i64) -> Result<(), Refusal> {
        let allowed = self.table.get(table::MIN_POSITION)..=self.table.get(table::MAX_POSITION);
        let limited = self.table.get(table::OPERATING_MODE) == 3;
        if limited && !allowed.contains(&value) { Err(Refusal::DataLimit) } else { Ok(()) }
    }
}
