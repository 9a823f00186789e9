//! The servos' settings: what they should be, how a backup keeps them, and what must be written so that the robot's
//! present pose reads as it should.
//!
//! Everything here is decided from what was read; [`Servos`] is the far side, and `carry_out` the few lines that write.
//! Positions and offsets are raw steps, 4096 a turn, 2048 straight ahead.
//!
//! Safety: nothing is written while any torque is on, nothing before a backup is kept, and each value is read back.

use std::collections::BTreeMap;
use std::f64::consts::TAU;
use std::fmt;

use firmware_bridge::bus::settings::{FARTHEST_HOMING_OFFSET, Servo, Setting, Settings, SettingsLine};
use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::robot::RobotFault;
use firmware_bridge::servo::Gains;
use firmware_bridge::units::Radians;
use serde::{Deserialize, Serialize};

/// What the official configuration gives this joint; everything else stays what it is. (reachy-mini 1.13.0,
/// `hardware_config.yaml`; it writes the gains at each start.)
#[must_use]
pub const fn official(joint: Joint, settings: Settings) -> Settings {
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
    Settings {
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
pub fn differences(servos: &Joints<Servo>, should: impl Fn(Joint, Settings) -> Settings) -> Vec<Difference> {
    let of_one = |(joint, servo): (Joint, &Servo)| {
        let pairs = servo.settings.all().into_iter().zip(should(joint, servo.settings).all());
        pairs.filter(|(is, should)| is != should).map(move |(is, should)| Difference { joint, is, should })
    };
    servos.iter().flat_map(of_one).collect()
}

/// The far side: nine servos whose settings can be read and written.
pub trait Servos {
    /// Reads all nine.
    ///
    /// # Errors
    /// [`RobotFault`] when the line fails or a servo does not answer.
    fn read(&mut self) -> Result<Joints<Servo>, RobotFault>;

    /// Writes one setting of one servo.
    ///
    /// # Errors
    /// As [`Servos::read`], or when the servo refuses.
    fn write(&mut self, joint: Joint, setting: Setting) -> Result<(), RobotFault>;
}

impl Servos for SettingsLine {
    fn read(&mut self) -> Result<Joints<Servo>, RobotFault> {
        SettingsLine::read(self)
    }

    fn write(&mut self, joint: Joint, setting: Setting) -> Result<(), RobotFault> {
        SettingsLine::write(self, joint, setting)
    }
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
        -FARTHEST_HOMING_OFFSET, FARTHEST_HOMING_OFFSET
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
    (position_at(expected) - servo.position_steps + 2048).rem_euclid(4096) - 2048
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
        let offset = servo.settings.homing_offset_steps.saturating_add(off);
        let usual = official(joint, servo.settings).homing_offset_steps;
        if offset.abs_diff(usual) > FARTHEST.unsigned_abs() {
            return Err(Refusal::TooFar { joint, off: angle_of(off) });
        }
        let taken = offset.clamp(-FARTHEST_HOMING_OFFSET, FARTHEST_HOMING_OFFSET);
        if offset.abs_diff(taken) > MOST_REMAINING.unsigned_abs() {
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

/// What must be written so that the settings are those of a backup.
///
/// # Errors
/// [`Refusal`] when the backup is of another robot or damaged, or torque is on.
pub fn restoring(servos: &Joints<Servo>, backup: &Backup) -> Result<Vec<Difference>, Refusal> {
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
pub fn carry_out(line: &mut dyn Servos, changes: &[Difference]) -> Result<Joints<Servo>, Refusal> {
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
    servos: BTreeMap<Joint, Settings>,
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

    fn settings(&self, joint: Joint, otherwise: Settings) -> Settings {
        self.servos.get(&joint).copied().unwrap_or(otherwise)
    }
}

#[cfg(test)]
mod tests;
