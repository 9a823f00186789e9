//! The servos' settings: the official values, backups, and the changes that make the present pose read correctly.
//!
//! All decisions here depend only on the settings that were read. [`Servos`] is the interface to the servos, and only
//! `carry_out` writes. Positions and offsets are raw steps, 4096 per turn, with 2048 straight ahead.
//!
//! Safety: nothing is written while torque is on or before a backup exists. Each written value is read back.

use std::collections::BTreeMap;
use std::f64::consts::TAU;
use std::fmt;

use firmware_bridge::bus::eeprom::{EepromLine, EepromSettings, MAX_HOMING_OFFSET, ServoSnapshot, Setting};
use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::robot::RobotError;
use firmware_bridge::servo::Gains;
use firmware_bridge::units::Radians;
use serde::{Deserialize, Serialize};

/// Returns this joint's settings with the official values. Other settings stay unchanged.
///
/// Source: reachy-mini 1.13.0, `hardware_config.yaml`. The official software writes the gains at each start.
#[must_use]
pub const fn official(joint: Joint, settings: EepromSettings) -> EepromSettings {
    let (homing_offset_steps, min_position_steps, max_position_steps) = match joint {
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
    EepromSettings {
        homing_offset_steps,
        min_position_steps,
        max_position_steps,
        operating_mode: 3,
        drive_mode: 0,
        gains: Gains { p, i: 0, d: 0 },
        // Overheating, electrical shock, overload.
        shutdown_mask: 52,
        return_delay_us: 0,
        ..settings
    }
}

/// A setting with a wrong value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Joint.
    pub joint: Joint,
    /// Present value.
    pub is: Setting,
    /// Correct value.
    pub should: Setting,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { joint, is, should } = self;
        write!(f, "{joint}: {is}, should be {should}")
    }
}

/// Returns the settings with wrong values, servo by servo.
#[must_use]
pub fn differences(
    servos: &Joints<ServoSnapshot>,
    should: impl Fn(Joint, EepromSettings) -> EepromSettings,
) -> Vec<Difference> {
    let of_one = |(joint, servo): (Joint, &ServoSnapshot)| {
        let pairs = servo.settings.all().into_iter().zip(should(joint, servo.settings).all());
        pairs.filter(|(is, should)| is != should).map(move |(is, should)| Difference { joint, is, should })
    };
    servos.iter().flat_map(of_one).collect()
}

/// Nine servos whose settings can be read and written.
pub trait Servos {
    /// Reads all nine servos.
    ///
    /// # Errors
    /// Returns a [`RobotError`] if the line fails or a servo does not answer.
    fn read(&mut self) -> Result<Joints<ServoSnapshot>, RobotError>;

    /// Writes one setting of one servo.
    ///
    /// # Errors
    /// As for [`Servos::read`], and if the servo rejects the value.
    fn write(&mut self, joint: Joint, setting: Setting) -> Result<(), RobotError>;
}

impl Servos for EepromLine {
    fn read(&mut self) -> Result<Joints<ServoSnapshot>, RobotError> {
        EepromLine::read(self)
    }

    fn write(&mut self, joint: Joint, setting: Setting) -> Result<(), RobotError> {
        EepromLine::write(self, joint, setting)
    }
}

/// The reason why nothing was written, or not everything.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// Torque is on. The settings are then locked, and the motor would jump.
    #[error(
        "{joint} is driven; let the motors go with `minismith say \"go to sleep\" --robot PORT`, then try again"
    )]
    Driven {
        /// The first such joint.
        joint: Joint,
    },
    /// The robot has another pose, or the motor is mounted differently.
    #[error(
        "{joint} reads {off} from where it should be, too far for a homing offset; check that the robot stands in the \
         pose that was asked for, and that the motor's horn is mounted as in the assembly guide"
    )]
    TooFar {
        /// Joint.
        joint: Joint,
        /// Deviation.
        off: Radians,
    },
    /// The servo does not accept this offset.
    #[error(
        "{joint} would need a homing offset of {offset}, and accepts {} to {} in position mode; seat its horn \
         one tooth further",
        -MAX_HOMING_OFFSET, MAX_HOMING_OFFSET
    )]
    BeyondOffset {
        /// Joint.
        joint: Joint,
        /// Required offset.
        offset: i32,
    },
    /// The backup is from another robot, or from before a repair.
    #[error(
        "the backup is of another motor: {joint} is model {is}, in the backup it is model {was}; restore a backup of this robot"
    )]
    OtherModel {
        /// Joint.
        joint: Joint,
        /// Model of the present motor.
        is: u16,
        /// Model in the backup.
        was: u16,
    },
    /// The backup has a value that no servo accepts.
    #[error("the backup is damaged: {joint} has {setting}, which no servo accepts")]
    BadValue {
        /// Joint.
        joint: Joint,
        /// The value in the backup.
        setting: Setting,
    },
    /// The value read back is not the written one.
    #[error("{joint} did not keep {setting}; read it again with `minismith calibrate PORT`")]
    NotStored {
        /// Joint.
        joint: Joint,
        /// The written value.
        setting: Setting,
    },
    /// The line or a servo failed.
    #[error(transparent)]
    Fault(#[from] RobotError),
}

/// Maximum distance from the official offset: 30 degrees. A greater one is a mistake and not a calibration.
pub const MAX_OFFSET_DEVIATION: i32 = 341;
/// Tolerance of a manual pose and an encoder: about a fifth of a degree.
const TOLERANCE: i32 = 2;
/// Maximum remaining error if the required offset is beyond the servo's range: 2 degrees.
const MAX_REMAINING: i32 = 23;

/// Converts steps to an angle.
#[must_use]
pub fn angle_of(steps: i32) -> Radians {
    Radians(f64::from(steps) * TAU / 4096.0)
}

/// Returns the raw position of an angle.
fn position_at(angle: Radians) -> i32 {
    (angle.value() * 4096.0 / TAU).round() as i32 + 2048
}

/// Returns a servo's deviation from the expected angle, modulo a turn. Without torque a servo counts whole turns too.
#[must_use]
pub fn off_by(servo: &ServoSnapshot, expected: Radians) -> i32 {
    (position_at(expected) - servo.position_steps + 2048).rem_euclid(4096) - 2048
}

/// Returns the homing offsets with which these joints read the expected angles.
///
/// # Errors
/// Returns a [`Refusal`] if any offset is impossible. Then none must be written.
pub fn homing(
    servos: &Joints<ServoSnapshot>,
    expected: &Joints,
    joints: &[Joint],
) -> Result<Vec<Difference>, Refusal> {
    nobody_driven(servos)?;
    let mut changes = Vec::new();
    for &joint in joints {
        let servo = &servos[joint];
        let off = off_by(servo, expected[joint]);
        if off.abs() <= TOLERANCE {
            continue;
        }
        let offset = servo.settings.homing_offset_steps.saturating_add(off);
        let usual = official(joint, servo.settings).homing_offset_steps;
        if offset.abs_diff(usual) > MAX_OFFSET_DEVIATION.unsigned_abs() {
            return Err(Refusal::TooFar { joint, off: angle_of(off) });
        }
        let taken = offset.clamp(-MAX_HOMING_OFFSET, MAX_HOMING_OFFSET);
        if offset.abs_diff(taken) > MAX_REMAINING.unsigned_abs() {
            return Err(Refusal::BeyondOffset { joint, offset });
        }
        let is = Setting::HomingOffsetSteps(servo.settings.homing_offset_steps);
        let should = Setting::HomingOffsetSteps(taken);
        if is != should {
            changes.push(Difference { joint, is, should });
        }
    }
    Ok(changes)
}

/// Returns the changes that restore the settings of a backup.
///
/// # Errors
/// Returns a [`Refusal`] if the backup is from another robot or damaged, or if torque is on.
pub fn restoring(servos: &Joints<ServoSnapshot>, backup: &Backup) -> Result<Vec<Difference>, Refusal> {
    nobody_driven(servos)?;
    for (joint, servo) in servos.iter() {
        let (is, was) = (servo.settings.model, backup.settings(joint, servo.settings).model);
        if is != was {
            return Err(Refusal::OtherModel { joint, is, was });
        }
    }
    let changes = differences(servos, |joint, settings| backup.settings(joint, settings));
    match changes.iter().find(|change| !change.should.is_possible()) {
        Some(&Difference { joint, should: setting, .. }) => Err(Refusal::BadValue { joint, setting }),
        None => Ok(changes),
    }
}

fn nobody_driven(servos: &Joints<ServoSnapshot>) -> Result<(), Refusal> {
    match servos.iter().find(|(_, servo)| servo.torque) {
        Some((joint, _)) => Err(Refusal::Driven { joint }),
        None => Ok(()),
    }
}

/// Writes each change and reads all settings back.
///
/// # Errors
/// Returns a [`Refusal`] at the first change that fails. The changes before it are written.
pub fn carry_out(line: &mut dyn Servos, changes: &[Difference]) -> Result<Joints<ServoSnapshot>, Refusal> {
    for Difference { joint, should, .. } in changes {
        line.write(*joint, *should)?;
    }
    let servos = line.read()?;
    for Difference { joint, should, .. } in changes {
        if !servos[*joint].settings.all().contains(should) {
            return Err(Refusal::NotStored { joint: *joint, setting: *should });
        }
    }
    Ok(servos)
}

/// The settings of all nine servos as a YAML file, each servo under its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Backup {
    /// Time of the backup, seconds since 1970.
    made_at: u64,
    servos: BTreeMap<Joint, EepromSettings>,
}

/// The reason why a file is not a backup.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// It is not the YAML of a backup.
    #[error("it is not a backup of `minismith calibrate`: {0}")]
    Damaged(#[from] serde_yaml::Error),
    /// A servo is missing.
    #[error("it has no settings of {joint}; a backup names all nine servos")]
    Incomplete {
        /// Joint.
        joint: Joint,
    },
}

impl Backup {
    /// Creates a backup of these settings.
    #[must_use]
    pub fn of(servos: &Joints<ServoSnapshot>, made_at: u64) -> Self {
        Backup { made_at, servos: servos.iter().map(|(joint, servo)| (joint, servo.settings)).collect() }
    }

    /// Parses the text of a backup file.
    ///
    /// # Errors
    /// Returns [`BackupError`], which names the missing or wrong entry.
    pub fn from_yaml(text: &str) -> Result<Self, BackupError> {
        let backup: Backup = serde_yaml::from_str(text)?;
        match Joint::ALL.into_iter().find(|joint| !backup.servos.contains_key(joint)) {
            Some(joint) => Err(BackupError::Incomplete { joint }),
            None => Ok(backup),
        }
    }

    /// Returns the text of a backup file.
    ///
    /// # Errors
    /// Returns an error if it cannot be written as YAML.
    pub fn to_yaml(&self) -> Result<String, serde_yaml::Error> {
        let head = "# The servos' settings, as `minismith calibrate PORT` read them.\n\
                    # Positions and offsets: 4096 steps a turn. Bring them back with --restore.\n";
        Ok(format!("{head}{}", serde_yaml::to_string(self)?))
    }

    fn settings(&self, joint: Joint, otherwise: EepromSettings) -> EepromSettings {
        self.servos.get(&joint).copied().unwrap_or(otherwise)
    }
}

#[cfg(test)]
mod tests;
