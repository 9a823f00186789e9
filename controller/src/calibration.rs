//! The servos' settings: what they should be, how a backup keeps them, and what must be written so that the robot's
//! present pose reads as it should.
//!
//! Everything here is decided from what was read; [`SettingsLine`] is the far side, and `carry_out` the few lines that
//! write. Positions and offsets are raw steps, 4096 a turn, 2048 straight ahead.
//!
//! Safety: nothing is written while any torque is on, nothing before a backup is kept, and each value is read back.

use std::collections::BTreeMap;
use std::f64::consts::TAU;
use std::fmt;

use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::robot::RobotFault;
use firmware_bridge::servo::Gains;
use firmware_bridge::units::Radians;
use serde::{Deserialize, Serialize};

/// What one servo is set to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServoSettings {
    /// The manufacturer's model number.
    pub model: u16,
    /// The version of its program.
    pub firmware: u8,
    /// Added to what its encoder measures.
    pub homing_offset: i32,
    /// The lowest goal that it takes.
    pub lowest_position: i32,
    /// The highest goal that it takes.
    pub highest_position: i32,
    /// The operating mode; 3 follows positions.
    pub mode: u8,
    /// The drive mode; 0 is the usual one.
    pub drive_mode: u8,
    /// Its position loop; forgotten when the power goes.
    pub gains: Gains,
    /// Which hardware errors switch its torque off.
    pub shutdown: u8,
    /// Before it answers, in units of 2 microseconds.
    pub return_delay: u8,
}

/// One servo as it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Servo {
    /// What it is set to.
    #[serde(flatten)]
    pub settings: ServoSettings,
    /// Where it is.
    pub position: i32,
    /// Whether it is driven.
    pub torque: bool,
}

/// One setting and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "what", content = "value", rename_all = "snake_case")]
pub enum Setting {
    /// Added to what the encoder measures.
    HomingOffset(i32),
    /// The lowest goal that is taken.
    LowestPosition(i32),
    /// The highest goal that is taken.
    HighestPosition(i32),
    /// The operating mode.
    Mode(u8),
    /// The drive mode.
    DriveMode(u8),
    /// The position loop.
    Gains(Gains),
    /// Which hardware errors switch torque off.
    Shutdown(u8),
    /// Before it answers.
    ReturnDelay(u8),
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Setting::HomingOffset(steps) => write!(f, "homing offset {steps}"),
            Setting::LowestPosition(steps) => write!(f, "lowest position {steps}"),
            Setting::HighestPosition(steps) => write!(f, "highest position {steps}"),
            Setting::Mode(mode) => write!(f, "operating mode {mode}"),
            Setting::DriveMode(mode) => write!(f, "drive mode {mode}"),
            Setting::Gains(Gains { p, i, d }) => write!(f, "gains P {p} I {i} D {d}"),
            Setting::Shutdown(mask) => write!(f, "shutdown mask {mask}"),
            Setting::ReturnDelay(units) => write!(f, "return delay {units}"),
        }
    }
}

impl ServoSettings {
    /// Everything that can be set, in the order in which it is written.
    #[must_use]
    pub const fn all(&self) -> [Setting; 8] {
        [
            Setting::ReturnDelay(self.return_delay),
            Setting::Mode(self.mode),
            Setting::DriveMode(self.drive_mode),
            Setting::HomingOffset(self.homing_offset),
            Setting::LowestPosition(self.lowest_position),
            Setting::HighestPosition(self.highest_position),
            Setting::Shutdown(self.shutdown),
            Setting::Gains(self.gains),
        ]
    }

    /// What the official configuration gives this joint; model and firmware stay what they are. (reachy-mini 1.13.0,
    /// `hardware_config.yaml`; it writes the gains at each start.)
    #[must_use]
    pub const fn official(self, joint: Joint) -> Self {
        let (homing_offset, lowest_position, highest_position) = match joint {
            Joint::BodyYaw | Joint::RightAntenna | Joint::LeftAntenna => (0, 0, 4095),
            Joint::Stewart1 | Joint::Stewart3 => (1024, 1502, 2958),
            Joint::Stewart2 => (-1024, 1138, 2844),
            Joint::Stewart5 => (1024, 1252, 2958),
            Joint::Stewart4 | Joint::Stewart6 => (-1024, 1138, 2594),
        };
        let p = match joint {
            Joint::BodyYaw | Joint::RightAntenna | Joint::LeftAntenna => 200,
            _ => 300,
        };
        ServoSettings {
            homing_offset,
            lowest_position,
            highest_position,
            mode: 3,
            drive_mode: 0,
            gains: Gains { p, i: 0, d: 0 },
            // Overheating, electrical shock, overload.
            shutdown: 52,
            return_delay: 0,
            ..self
        }
    }
}

/// A setting that is not what it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Whose.
    pub joint: Joint,
    /// What it is.
    pub is: Setting,
    /// What it should be.
    pub should: Setting,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { joint, is, should } = self;
        write!(f, "{joint}: {is}, should be {should}")
    }
}

/// What differs, servo by servo.
#[must_use]
pub fn differences(
    servos: &Joints<Servo>,
    should: impl Fn(Joint, ServoSettings) -> ServoSettings,
) -> Vec<Difference> {
    let of_one = |(joint, servo): (Joint, &Servo)| {
        let pairs = servo.settings.all().into_iter().zip(should(joint, servo.settings).all());
        pairs.filter(|(is, should)| is != should).map(move |(is, should)| Difference { joint, is, should })
    };
    servos.iter().flat_map(of_one).collect()
}

/// The far side: nine servos whose settings can be read and written.
pub trait SettingsLine {
    /// Reads all nine.
    ///
    /// # Errors
    /// [`RobotFault`] when the line fails or a servo does not answer.
    fn read(&mut self) -> Result<Joints<Servo>, RobotFault>;

    /// Writes one setting of one servo.
    ///
    /// # Errors
    /// As [`SettingsLine::read`], or when the servo refuses.
    fn write(&mut self, joint: Joint, setting: Setting) -> Result<(), RobotFault>;
}

/// Why nothing was written, or not all.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// Settings are locked then, and a motor that is driven would jump.
    #[error(
        "{joint} is driven; let the motors go with `minismith say \"go to sleep\" --robot PORT`, then try again"
    )]
    Driven {
        /// The first that is.
        joint: Joint,
    },
    /// The pose is another one, or the motor is built in another way.
    #[error(
        "{joint} reads {off} from where it should be, too far for a homing offset; check that the robot stands in the \
         pose that was asked for, and that the motor's horn is mounted as in the assembly guide"
    )]
    TooFar {
        /// Which one.
        joint: Joint,
        /// How far.
        off: Radians,
    },
    /// A servo takes no such offset.
    #[error(
        "{joint} would need a homing offset of {offset}, and takes {} to {} while it follows positions; seat its horn \
         one tooth further",
        -MOST_OFFSET, MOST_OFFSET
    )]
    BeyondOffset {
        /// Which one.
        joint: Joint,
        /// What it would need.
        offset: i32,
    },
    /// A backup of another robot, or of one before a repair.
    #[error(
        "the backup is of another motor: {joint} is model {is}, in the backup it is model {was}; restore a backup of this robot"
    )]
    OtherModel {
        /// Which one.
        joint: Joint,
        /// What it is.
        is: u16,
        /// What it was.
        was: u16,
    },
    /// A value that no servo takes.
    #[error("the backup is damaged: {joint} has {setting}, which no servo takes")]
    BadValue {
        /// Which one.
        joint: Joint,
        /// What stands there.
        setting: Setting,
    },
    /// What was read back is not what was written.
    #[error("{joint} did not keep {setting}; read it again with `minismith calibrate PORT`")]
    NotKept {
        /// Which one.
        joint: Joint,
        /// What was written.
        setting: Setting,
    },
    /// The line or a servo failed.
    #[error(transparent)]
    Fault(#[from] RobotFault),
}

/// A servo that follows positions ignores a homing offset beyond this (ROBOTIS e-manual, register 20).
const MOST_OFFSET: i32 = 1024;
/// An offset this far from the official one stands for a mistake, not for a calibration: 30 degrees.
const FARTHEST: i32 = 341;
/// So near is as near as a hand and an encoder get: about a fifth of a degree.
const NEAR_ENOUGH: i32 = 2;
/// What may remain where the offset that is needed lies beyond what the servo takes: 2 degrees.
const MOST_REMAINING: i32 = 23;

/// Steps as an angle.
#[must_use]
pub fn angle_of(steps: i32) -> Radians {
    Radians(f64::from(steps) * TAU / 4096.0)
}

/// The raw position that stands for an angle.
fn position_at(angle: Radians) -> i32 {
    (angle.value() * 4096.0 / TAU).round() as i32 + 2048
}

/// How far a servo reads from where it should be, the shorter way round: without torque it counts whole turns too.
#[must_use]
pub fn off_by(servo: &Servo, expected: Radians) -> i32 {
    (position_at(expected) - servo.position + 2048).rem_euclid(4096) - 2048
}

/// The homing offsets with which these joints read as expected.
///
/// # Errors
/// [`Refusal`] when any of them can't be had; then none is to be written.
pub fn homing(
    servos: &Joints<Servo>,
    expected: &Joints,
    joints: &[Joint],
) -> Result<Vec<Difference>, Refusal> {
    nobody_driven(servos)?;
    let mut changes = Vec::new();
    for &joint in joints {
        let servo = &servos[joint];
        let off = off_by(servo, expected[joint]);
        if off.abs() <= NEAR_ENOUGH {
            continue;
        }
        let offset = servo.settings.homing_offset.saturating_add(off);
        let official = servo.settings.official(joint).homing_offset;
        if offset.abs_diff(official) > FARTHEST.unsigned_abs() {
            return Err(Refusal::TooFar { joint, off: angle_of(off) });
        }
        let taken = offset.clamp(-MOST_OFFSET, MOST_OFFSET);
        if offset.abs_diff(taken) > MOST_REMAINING.unsigned_abs() {
            return Err(Refusal::BeyondOffset { joint, offset });
        }
        let is = Setting::HomingOffset(servo.settings.homing_offset);
        let should = Setting::HomingOffset(taken);
        if is != should {
            changes.push(Difference { joint, is, should });
        }
    }
    Ok(changes)
}

/// What must be written so that the settings are those of a backup.
///
/// # Errors
/// [`Refusal`] when the backup is of another robot or damaged, or torque is on.
pub fn restoring(servos: &Joints<Servo>, backup: &Backup) -> Result<Vec<Difference>, Refusal> {
    nobody_driven(servos)?;
    for (joint, servo) in servos.iter() {
        let kept = backup.settings(joint, servo.settings);
        let (is, was) = (servo.settings.model, kept.model);
        if is != was {
            return Err(Refusal::OtherModel { joint, is, was });
        }
        if let Some(setting) = kept.all().into_iter().find(|setting| !taken(*setting)) {
            return Err(Refusal::BadValue { joint, setting });
        }
    }
    Ok(differences(servos, |joint, settings| backup.settings(joint, settings)))
}

/// Whether a servo takes this value (ROBOTIS e-manual, XL330).
const fn taken(setting: Setting) -> bool {
    match setting {
        Setting::HomingOffset(steps) => steps >= -1_044_479 && steps <= 1_044_479,
        Setting::LowestPosition(steps) | Setting::HighestPosition(steps) => steps >= 0 && steps <= 4095,
        Setting::Mode(mode) => matches!(mode, 0 | 1 | 3 | 4 | 5 | 16),
        Setting::DriveMode(mode) => mode <= 13,
        Setting::Gains(Gains { p, i, d }) => p <= Gains::MOST && i <= Gains::MOST && d <= Gains::MOST,
        Setting::Shutdown(_) => true,
        Setting::ReturnDelay(units) => units <= 254,
    }
}

fn nobody_driven(servos: &Joints<Servo>) -> Result<(), Refusal> {
    match servos.iter().find(|(_, servo)| servo.torque) {
        Some((joint, _)) => Err(Refusal::Driven { joint }),
        None => Ok(()),
    }
}

/// Writes each change and reads all back.
///
/// # Errors
/// [`Refusal`] at the first that fails; those before it are written.
pub fn carry_out(line: &mut dyn SettingsLine, changes: &[Difference]) -> Result<Joints<Servo>, Refusal> {
    for Difference { joint, should, .. } in changes {
        line.write(*joint, *should)?;
    }
    let servos = line.read()?;
    for Difference { joint, should, .. } in changes {
        if !servos[*joint].settings.all().contains(should) {
            return Err(Refusal::NotKept { joint: *joint, setting: *should });
        }
    }
    Ok(servos)
}

/// The settings of all nine as a file keeps them: YAML, each servo under its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Backup {
    /// When it was made, seconds since 1970.
    made_at: u64,
    servos: BTreeMap<Joint, ServoSettings>,
}

/// A file that is no backup.
#[derive(Debug, thiserror::Error)]
pub enum NotABackup {
    /// Not the YAML of one.
    #[error("it is no backup of `minismith calibrate`: {0}")]
    Damaged(#[from] serde_yaml::Error),
    /// A servo is missing.
    #[error("it has no settings of {joint}; a backup names all nine servos")]
    Incomplete {
        /// Which one.
        joint: Joint,
    },
}

impl Backup {
    /// A backup of what was read.
    #[must_use]
    pub fn of(servos: &Joints<Servo>, made_at: u64) -> Self {
        Backup { made_at, servos: servos.iter().map(|(joint, servo)| (joint, servo.settings)).collect() }
    }

    /// From the text of its file.
    ///
    /// # Errors
    /// [`NotABackup`] says what is missing or wrong.
    pub fn from_yaml(text: &str) -> Result<Self, NotABackup> {
        let backup: Backup = serde_yaml::from_str(text)?;
        match Joint::ALL.into_iter().find(|joint| !backup.servos.contains_key(joint)) {
            Some(joint) => Err(NotABackup::Incomplete { joint }),
            None => Ok(backup),
        }
    }

    /// The text of its file.
    ///
    /// # Errors
    /// When it can't be written as YAML.
    pub fn to_yaml(&self) -> Result<String, serde_yaml::Error> {
        let head = "# The servos' settings, as `minismith calibrate PORT` read them.\n\
                    # Positions and offsets: 4096 steps a turn. Bring them back with --restore.\n";
        Ok(format!("{head}{}", serde_yaml::to_string(self)?))
    }

    fn settings(&self, joint: Joint, otherwise: ServoSettings) -> ServoSettings {
        self.servos.get(&joint).copied().unwrap_or(otherwise)
    }
}

#[cfg(test)]
mod tests;
