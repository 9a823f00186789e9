//! The recorded motion that the checks judge.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::axis::Axis;

/// Where the right antenna stands upright at rest, degrees.
pub const NEUTRAL_RIGHT_ANTENNA_DEG: f64 = -10.0;
/// Where the left antenna stands upright at rest, degrees.
pub const NEUTRAL_LEFT_ANTENNA_DEG: f64 = 10.0;
/// The largest number of samples that is judged: an hour at 100 Hz.
pub const MAX_SAMPLES: usize = 360_000;

/// A posture of the robot that was measured, in the official signs: x forward, y left, z up; positive roll leans to the
/// right, positive pitch looks down, positive yaw turns left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    /// Position of the head relative to the neutral head in the world frame, x forward, millimetres.
    pub head_x_mm: f64,
    /// Position of the head, y left, millimetres.
    pub head_y_mm: f64,
    /// Position of the head, z up, millimetres.
    pub head_z_mm: f64,
    /// Roll of the head in the world frame, degrees.
    pub head_roll_deg: f64,
    /// Pitch of the head in the world frame, degrees.
    pub head_pitch_deg: f64,
    /// Yaw of the head in the world frame, degrees.
    pub head_yaw_deg: f64,
    /// Yaw of the body, degrees.
    pub body_yaw_deg: f64,
    /// Angle of the right antenna's motor, degrees; larger is outward.
    pub right_antenna_deg: f64,
    /// Angle of the left antenna's motor, degrees; smaller is outward.
    pub left_antenna_deg: f64,
}

impl Sample {
    /// Returns the neutral posture.
    #[must_use]
    pub fn neutral() -> Sample {
        Sample {
            right_antenna_deg: NEUTRAL_RIGHT_ANTENNA_DEG,
            left_antenna_deg: NEUTRAL_LEFT_ANTENNA_DEG,
            ..Sample::default()
        }
    }

    /// Returns the deviation of an axis from neutral, positive in the first of [`Axis::directions`].
    #[must_use]
    pub fn deviation(&self, axis: Axis) -> f64 {
        match axis {
            Axis::HeadTurn => wrapped(self.head_yaw_deg - self.body_yaw_deg),
            Axis::HeadFacing => self.head_yaw_deg,
            Axis::HeadPitch => -self.head_pitch_deg,
            Axis::HeadTilt => -self.head_roll_deg,
            Axis::HeadForward => self.head_x_mm,
            Axis::HeadSide => self.head_y_mm,
            Axis::HeadRise => self.head_z_mm,
            Axis::BodyTurn => self.body_yaw_deg,
            Axis::AntennaLeft => NEUTRAL_LEFT_ANTENNA_DEG - self.left_antenna_deg,
            Axis::AntennaRight => self.right_antenna_deg - NEUTRAL_RIGHT_ANTENNA_DEG,
        }
    }
}

/// Returns the angle in -180..=180 degrees.
fn wrapped(angle_deg: f64) -> f64 {
    (angle_deg + 180.0).rem_euclid(360.0) - 180.0
}

/// What a rehearsal can show to the robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StimulusKind {
    /// A face in the camera's image.
    Face,
    /// Somebody speaks.
    Voice,
    /// Somebody claps.
    Clap,
    /// Somebody touches the head, which displaces it.
    Touch,
}

impl fmt::Display for StimulusKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StimulusKind::Face => "face",
            StimulusKind::Voice => "voice",
            StimulusKind::Clap => "clap",
            StimulusKind::Touch => "touch",
        })
    }
}

/// What happened at a moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum EventKind {
    /// The tool played a sound.
    Sound,
    /// The tool took a photo.
    Photo,
    /// The tool spoke.
    Speech {
        /// What it said.
        text: String,
    },
    /// A stimulus began.
    StimulusStart {
        /// Which one.
        stimulus: StimulusKind,
    },
    /// A stimulus ended.
    StimulusEnd {
        /// Which one.
        stimulus: StimulusKind,
    },
}

/// An event with its time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceEvent {
    /// Since the first sample, seconds.
    pub at_s: f64,
    /// What happened.
    pub kind: EventKind,
}

/// The measured motion of one run of a tool, from the call to at least 0.4 s after its return, so that the last motion
/// has come to rest.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trace {
    /// The time from one sample to the next, seconds; 0.002 to 0.05.
    pub period_s: f64,
    /// The postures, measured (not commanded).
    pub samples: Vec<Sample>,
    /// The events, in the order of time.
    pub events: Vec<TraceEvent>,
}

/// A trace cannot be judged.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TraceError {
    /// The sample period is out of range.
    #[error("the sample period of {0} s is not between 0.002 and 0.05 s")]
    Period(f64),
    /// Too few or too many samples.
    #[error("{0} samples are too few or too many")]
    Samples(usize),
    /// A number is infinite or not a number.
    #[error("the trace contains a number that is not finite")]
    NotFinite,
}

impl Trace {
    /// Checks that the trace can be judged.
    ///
    /// # Errors
    ///
    /// A period outside of 0.002 to 0.05 s, fewer than 10 or more than [`MAX_SAMPLES`] samples, or a number that is not
    /// finite.
    pub fn validate(&self) -> Result<(), TraceError> {
        if !(0.002..=0.05).contains(&self.period_s) {
            return Err(TraceError::Period(self.period_s));
        }
        if !(10..=MAX_SAMPLES).contains(&self.samples.len()) {
            return Err(TraceError::Samples(self.samples.len()));
        }
        let finite_samples = self
            .samples
            .iter()
            .all(|sample| Axis::ALL.iter().all(|&axis| sample.deviation(axis).is_finite()));
        if !finite_samples || self.events.iter().any(|event| !event.at_s.is_finite()) {
            return Err(TraceError::NotFinite);
        }
        Ok(())
    }

    /// Returns the length of the run, seconds.
    #[must_use]
    pub fn length_s(&self) -> f64 {
        self.samples.len() as f64 * self.period_s
    }

    /// Returns the times at which a stimulus began, seconds.
    #[must_use]
    pub fn starts_of(&self, wanted: StimulusKind) -> Vec<f64> {
        self.times_of(|kind| matches!(kind, EventKind::StimulusStart { stimulus } if *stimulus == wanted))
    }

    /// Returns the times at which a stimulus was over, seconds.
    #[must_use]
    pub fn ends_of(&self, wanted: StimulusKind) -> Vec<f64> {
        self.times_of(|kind| matches!(kind, EventKind::StimulusEnd { stimulus } if *stimulus == wanted))
    }

    /// Returns the times of the events that fulfil a condition, seconds.
    pub fn times_of(&self, wanted: impl Fn(&EventKind) -> bool) -> Vec<f64> {
        self.events.iter().filter(|event| wanted(&event.kind)).map(|event| event.at_s).collect()
    }
}
