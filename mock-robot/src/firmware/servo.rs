//! One servo: a control table, a joint that moves, and the rules between the two.
//!
//! ```text
//! watchdog:  Off <--write 0-- Tripped <--silence-- Armed <--write 1..127-- Off     (Tripped: goals are refused)
//! torque:    off <--write 0, reboot, hardware error in the shutdown mask-- on
//! ```

use std::time::Duration;

use firmware_bridge::clock::Tick;
use firmware_bridge::joint::Joint;
use firmware_bridge::units::Radians;

use super::packet::{ALERT, Refusal};
use super::table::{self, Access, Register, Table};
use crate::dynamics::{JointDynamics, Variation};
use crate::faults::{Faults, HardwareError, WatchdogFirmware};
use crate::motor::{angle_from_counts, counts_from_angle};

/// The unit of register 98.
const WATCHDOG_UNIT: Duration = Duration::from_millis(20);
/// What register 98 reads after the watchdog has tripped.
const TRIPPED: i64 = -1;
/// How long a servo is deaf after a reboot; assumed.
const REBOOT_TIME: Duration = Duration::from_millis(100);
/// Register units of velocity, in rad/s: 0.229 rpm.
const VELOCITY_UNIT: f64 = 0.229 * std::f64::consts::TAU / 60.0;
/// What every servo measures, in degrees Celsius.
const TEMPERATURE: i64 = 31;

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
    /// The bus watchdog.
    pub watchdog: Watchdog,
    /// Register 70.
    pub hardware_error: u8,
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

/// One servo.
#[derive(Debug)]
pub(super) struct Servo {
    table: Table,
    body: JointDynamics,
    /// Bits of register 70 that have nothing to do with the voltage.
    standing_error: u8,
    /// What it measures, in 0.1 V.
    voltage: i64,
    watchdog_firmware: WatchdogFirmware,
    silent: bool,
    /// The write that waits for the action instruction.
    registered: Option<(u16, Vec<u8>)>,
    moved_to: Tick,
    heard: Tick,
    deaf_until: Tick,
}

impl Servo {
    /// The servo of this joint, which has just got power.
    pub(super) fn new(joint: Joint, start: Radians, faults: &Faults) -> Servo {
        let mut servo = Servo {
            table: Table::of(joint),
            body: JointDynamics::new(joint, start, Variation::default()),
            standing_error: faults.hardware_error.get(&joint).map_or(0, |error| error.bit()),
            voltage: (faults.voltage * 10.0).round() as i64,
            watchdog_firmware: faults.watchdog,
            silent: faults.silent.contains(&joint),
            registered: None,
            moved_to: Tick::ZERO,
            heard: Tick::ZERO,
            deaf_until: Tick::ZERO,
        };
        servo.power_on();
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

    /// Lets time pass. The watchdog, which watches only under torque, trips at its own moment, whenever this is called.
    pub(super) fn advance(&mut self, now: Tick) {
        if self.watchdog() == Watchdog::Armed && self.torque() {
            let units = u32::try_from(self.table.get(table::BUS_WATCHDOG)).unwrap_or(0);
            let deadline = self.heard + WATCHDOG_UNIT * units;
            if deadline <= now {
                self.move_to(deadline);
                self.table.set(table::BUS_WATCHDOG, TRIPPED);
                if self.watchdog_firmware != WatchdogFirmware::TripsWithoutStopping {
                    self.table.set(table::GOAL_POSITION, self.present_counts());
                }
            }
        }
        self.move_to(now);
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

    /// Model number and firmware version: the answer to a ping.
    pub(super) fn ping(&self) -> Vec<u8> {
        let [low, high, ..] = self.table.get(table::MODEL_NUMBER).to_le_bytes();
        let [version, ..] = self.table.get(table::FIRMWARE_VERSION).to_le_bytes();
        vec![low, high, version]
    }

    /// The bytes at an address, as they are now.
    pub(super) fn read(&mut self, address: u16, length: u16) -> Result<Vec<u8>, Refusal> {
        self.measure();
        self.table.read(address, length).map(<[u8]>::to_vec)
    }

    /// Writes registers: all of them, or none.
    pub(super) fn write(&mut self, address: u16, data: &[u8]) -> Result<(), Refusal> {
        let writes = self.admitted(address, data)?;
        for (register, value) in writes {
            self.table.set(register, value);
        }
        self.check_hardware();
        Ok(())
    }

    /// Keeps a write until [`Servo::action`].
    pub(super) fn register_write(&mut self, address: u16, data: &[u8]) -> Result<(), Refusal> {
        self.admitted(address, data)?;
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

    /// Starts again, limp and without its hardware error, deaf for a while.
    pub(super) fn reboot(&mut self, now: Tick) {
        self.standing_error = 0;
        self.registered = None;
        self.deaf_until = now + REBOOT_TIME;
        self.power_on();
    }

    /// What it is really doing.
    pub(super) fn view(&self) -> ServoView {
        ServoView {
            position: self.body.position(),
            velocity: self.body.velocity(),
            goal: self.goal(),
            torque: self.torque(),
            watchdog: self.watchdog(),
            hardware_error: u8::try_from(self.table.get(table::HARDWARE_ERROR) & 0xFF).unwrap_or_default(),
        }
    }

    fn power_on(&mut self) {
        self.table.power_on();
        self.table.set(table::GOAL_POSITION, self.present_counts());
        self.check_hardware();
    }

    fn move_to(&mut self, now: Tick) {
        // Position, extended position and current-based position; a current moves nothing where there is no gravity.
        let follows = self.torque() && self.table.get(table::OPERATING_MODE) != 0;
        let goal = follows.then(|| self.goal());
        self.body.advance(goal, now.since(self.moved_to));
        self.moved_to = self.moved_to.max(now);
    }

    fn torque(&self) -> bool {
        self.table.get(table::TORQUE_ENABLE) != 0
    }

    fn goal(&self) -> Radians {
        angle_from_counts(i32::try_from(self.table.get(table::GOAL_POSITION)).unwrap_or_default())
    }

    fn present_counts(&self) -> i64 {
        counts_from_angle(self.body.position()).into()
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
        let velocity = (self.body.velocity().value() / VELOCITY_UNIT).round() as i64;
        let moving = velocity.abs() > self.table.get(table::MOVING_THRESHOLD);
        let millis = i64::try_from(self.moved_to.0 / 1_000_000 % 32_768).unwrap_or_default();
        for (register, value) in [
            (table::REALTIME_TICK, millis),
            (table::MOVING, moving.into()),
            (table::PRESENT_VELOCITY, velocity),
            (table::PRESENT_POSITION, self.present_counts()),
            (table::POSITION_TRAJECTORY, self.table.get(table::GOAL_POSITION)),
            (table::PRESENT_VOLTAGE, self.voltage),
            (table::PRESENT_TEMPERATURE, TEMPERATURE),
        ] {
            self.table.set(register, value);
        }
    }

    /// Reports errors in register 70, and lets go if the shutdown mask says so.
    fn check_hardware(&mut self) {
        let allowed = self.table.get(table::MIN_VOLTAGE)..=self.table.get(table::MAX_VOLTAGE);
        let voltage_error =
            if allowed.contains(&self.voltage) { 0 } else { HardwareError::InputVoltage.bit() };
        let error = i64::from(self.standing_error | voltage_error);
        self.table.set(table::HARDWARE_ERROR, error);
        if error & self.table.get(table::SHUTDOWN) != 0 {
            self.table.set(table::TORQUE_ENABLE, 0);
        }
    }

    fn admitted(&self, address: u16, data: &[u8]) -> Result<Vec<(Register, i64)>, Refusal> {
        let writes = table::split(address, data)?;
        for (register, value) in &writes {
            self.admit(*register, *value)?;
        }
        Ok(writes)
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
