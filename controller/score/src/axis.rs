//! The nine axes in which a motion is described and measured, their directions, and their values.

use std::ops::{Index, IndexMut};

use firmware_bridge::posture::{Antennas, HeadPose, Posture, RollPitchYaw};
use firmware_bridge::units::Radians;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// One axis of the robot in user terms. Angles are degrees, shifts are millimetres.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Axis {
    /// The yaw of the head relative to the body; positive turns left.
    HeadTurn,
    /// The pitch of the head; positive looks down.
    HeadPitch,
    /// The roll of the head; positive tilts to the robot's right.
    HeadTilt,
    /// The shift of the head ahead, in the body's frame; positive is forward.
    HeadForward,
    /// The shift of the head to a side, in the body's frame; positive is left.
    HeadSide,
    /// The height of the head; positive is up.
    HeadRise,
    /// The yaw of the body; positive turns left.
    BodyTurn,
    /// The left antenna; 0 is upright, positive leans away from the head.
    AntennaLeft,
    /// The right antenna; 0 is upright, positive leans away from the head.
    AntennaRight,
}

/// A direction along an axis, in a person's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// To the robot's left.
    Left,
    /// To the robot's right.
    Right,
    /// Up.
    Up,
    /// Down.
    Down,
    /// Forward.
    Forward,
    /// Back.
    Back,
    /// Away from the head.
    Outward,
    /// Towards the head and beyond.
    Inward,
}

impl Direction {
    /// Returns the word for this direction.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Direction::Left => "left",
            Direction::Right => "right",
            Direction::Up => "up",
            Direction::Down => "down",
            Direction::Forward => "forward",
            Direction::Back => "back",
            Direction::Outward => "outward",
            Direction::Inward => "inward",
        }
    }
}

impl Axis {
    /// All axes, in the order of [`AxisValues`].
    pub const ALL: [Axis; 9] = [
        Axis::HeadTurn,
        Axis::HeadPitch,
        Axis::HeadTilt,
        Axis::HeadForward,
        Axis::HeadSide,
        Axis::HeadRise,
        Axis::BodyTurn,
        Axis::AntennaLeft,
        Axis::AntennaRight,
    ];

    /// The axes of the head.
    pub const HEAD: [Axis; 6] =
        [Axis::HeadTurn, Axis::HeadPitch, Axis::HeadTilt, Axis::HeadForward, Axis::HeadSide, Axis::HeadRise];

    /// The axes of the antennas.
    pub const ANTENNAS: [Axis; 2] = [Axis::AntennaLeft, Axis::AntennaRight];

    /// Returns the name as it is in files: `head_turn`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Axis::HeadTurn => "head_turn",
            Axis::HeadPitch => "head_pitch",
            Axis::HeadTilt => "head_tilt",
            Axis::HeadForward => "head_forward",
            Axis::HeadSide => "head_side",
            Axis::HeadRise => "head_rise",
            Axis::BodyTurn => "body_turn",
            Axis::AntennaLeft => "antenna_left",
            Axis::AntennaRight => "antenna_right",
        }
    }

    /// Returns the name for people: `left antenna`.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Axis::HeadTurn => "head turn",
            Axis::HeadPitch => "head pitch",
            Axis::HeadTilt => "head tilt",
            Axis::HeadForward => "head shift ahead",
            Axis::HeadSide => "head shift to the side",
            Axis::HeadRise => "head height",
            Axis::BodyTurn => "body",
            Axis::AntennaLeft => "left antenna",
            Axis::AntennaRight => "right antenna",
        }
    }

    /// Returns the directions of positive and of negative values.
    #[must_use]
    pub const fn directions(self) -> [Direction; 2] {
        match self {
            Axis::HeadTurn | Axis::HeadSide | Axis::BodyTurn => [Direction::Left, Direction::Right],
            Axis::HeadPitch => [Direction::Down, Direction::Up],
            Axis::HeadTilt => [Direction::Right, Direction::Left],
            Axis::HeadForward => [Direction::Forward, Direction::Back],
            Axis::HeadRise => [Direction::Up, Direction::Down],
            Axis::AntennaLeft | Axis::AntennaRight => [Direction::Outward, Direction::Inward],
        }
    }

    /// Returns 1 or -1, the sign of this axis' values in a direction; none if it has no such direction.
    #[must_use]
    pub fn sign(self, direction: Direction) -> Option<f64> {
        let [positive, negative] = self.directions();
        if direction == positive {
            Some(1.0)
        } else if direction == negative {
            Some(-1.0)
        } else {
            None
        }
    }

    /// Returns the direction of a change.
    #[must_use]
    pub fn direction_of(self, change: f64) -> Direction {
        let [positive, negative] = self.directions();
        if change < 0.0 { negative } else { positive }
    }

    /// Returns whether the values are millimetres; otherwise they are degrees.
    #[must_use]
    pub const fn is_shift(self) -> bool {
        matches!(self, Axis::HeadForward | Axis::HeadSide | Axis::HeadRise)
    }

    /// Returns the unit for people.
    #[must_use]
    pub const fn unit(self) -> &'static str {
        if self.is_shift() { "mm" } else { "degrees" }
    }

    /// Returns the value at rest: 0, and 10 degrees inward for the antennas, as in the official INIT pose.
    #[must_use]
    pub const fn neutral(self) -> f64 {
        match self {
            Axis::AntennaLeft | Axis::AntennaRight => -10.0,
            _ => 0.0,
        }
    }

    /// Returns the deviation within which a measured value counts as neutral.
    #[must_use]
    pub const fn neutral_tolerance(self) -> f64 {
        if self.is_shift() { 4.0 } else { 3.0 }
    }

    const fn index(self) -> usize {
        self as usize
    }
}

/// One value per axis: degrees, or millimetres for shifts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AxisValues([f64; 9]);

impl AxisValues {
    /// Returns the neutral posture.
    #[must_use]
    pub fn neutral() -> Self {
        AxisValues(Axis::ALL.map(Axis::neutral))
    }

    /// Creates values from a function of the axis.
    #[must_use]
    pub fn from_fn(value: impl FnMut(Axis) -> f64) -> Self {
        AxisValues(Axis::ALL.map(value))
    }

    /// Returns the values of a posture: a head in the world frame, the body's yaw, and antennas with the signs of the
    /// motors. The yaw relative to the body is within (-180, 180].
    #[must_use]
    pub fn from_posture(posture: &Posture) -> Self {
        let head = posture.head.angles();
        let shift = posture.head.0.translation.vector * 1000.0;
        let (sin, cos) = posture.body_yaw.value().sin_cos();
        AxisValues::from_fn(|axis| match axis {
            Axis::HeadTurn => (head.yaw - posture.body_yaw).wrapped().degrees(),
            Axis::HeadPitch => head.pitch.degrees(),
            Axis::HeadTilt => head.roll.degrees(),
            Axis::HeadForward => cos * shift.x + sin * shift.y,
            Axis::HeadSide => cos * shift.y - sin * shift.x,
            Axis::HeadRise => shift.z,
            Axis::BodyTurn => posture.body_yaw.degrees(),
            Axis::AntennaLeft => -posture.antennas.left.degrees(),
            Axis::AntennaRight => posture.antennas.right.degrees(),
        })
    }

    /// Returns the posture with these values: the head turns and shifts with the body.
    #[must_use]
    pub fn to_posture(&self) -> Posture {
        let radians = |axis: Axis| Radians::from_degrees(self[axis]);
        let body_yaw = radians(Axis::BodyTurn);
        let (sin, cos) = body_yaw.value().sin_cos();
        let (forward, side) = (self[Axis::HeadForward] * 1e-3, self[Axis::HeadSide] * 1e-3);
        let angles = RollPitchYaw {
            roll: radians(Axis::HeadTilt),
            pitch: radians(Axis::HeadPitch),
            yaw: body_yaw + radians(Axis::HeadTurn),
        };
        let height = self[Axis::HeadRise] * 1e-3;
        Posture {
            head: HeadPose::new(cos * forward - sin * side, sin * forward + cos * side, height, angles),
            body_yaw,
            antennas: Antennas { right: radians(Axis::AntennaRight), left: -radians(Axis::AntennaLeft) },
        }
    }

    /// Returns the values with each that is nearly neutral replaced by neutral, as a motion begins from a measured
    /// posture.
    #[must_use]
    pub fn snapped_to_neutral(&self) -> Self {
        AxisValues::from_fn(|axis| {
            let is_near = (self[axis] - axis.neutral()).abs() <= axis.neutral_tolerance();
            if is_near { axis.neutral() } else { self[axis] }
        })
    }

    /// Returns the values with the angles moved by full turns to the ones nearest to `previous`.
    #[must_use]
    pub fn unwrapped_after(&self, previous: &AxisValues) -> Self {
        AxisValues::from_fn(|axis| {
            let turns = ((self[axis] - previous[axis]) / 360.0).round();
            if axis.is_shift() || !turns.is_finite() { self[axis] } else { self[axis] - 360.0 * turns }
        })
    }
}

impl Index<Axis> for AxisValues {
    type Output = f64;

    #[expect(clippy::indexing_slicing, reason = "an axis' index is below the number of axes")]
    fn index(&self, axis: Axis) -> &f64 {
        &self.0[axis.index()]
    }
}

impl IndexMut<Axis> for AxisValues {
    #[expect(clippy::indexing_slicing, reason = "an axis' index is below the number of axes")]
    fn index_mut(&mut self, axis: Axis) -> &mut f64 {
        &mut self.0[axis.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn postures_round_trip_with_the_body_turned() {
        let values = AxisValues([20.0, 10.0, -5.0, 12.0, -3.0, 8.0, 150.0, 40.0, -15.0]);
        let back = AxisValues::from_posture(&values.to_posture());
        for axis in Axis::ALL {
            assert!((back[axis] - values[axis]).abs() < 1e-9, "{axis:?}: {} {}", back[axis], values[axis]);
        }
    }

    #[test]
    fn signs_are_those_of_the_robot() {
        let mut values = AxisValues::neutral();
        values[Axis::HeadTurn] = 20.0;
        values[Axis::AntennaLeft] = 30.0;
        values[Axis::AntennaRight] = 30.0;
        let posture = values.to_posture();
        assert!((posture.head.angles().yaw.degrees() - 20.0).abs() < 1e-9);
        // By the official URDF, outward is right positive and left negative: the INIT pose leans inward.
        let init = Posture::init().antennas;
        assert!((posture.antennas.left.degrees() + 30.0).abs() < 1e-9 && init.left.value() > 0.0);
        assert!((posture.antennas.right.degrees() - 30.0).abs() < 1e-9 && init.right.value() < 0.0);
        let neutral = AxisValues::neutral().to_posture();
        assert!((neutral.antennas.left - init.left).abs().degrees() < 0.01);
        assert_eq!(neutral.head, HeadPose::neutral());
        for axis in Axis::ALL {
            let [positive, negative] = axis.directions();
            assert_eq!((axis.sign(positive), axis.sign(negative)), (Some(1.0), Some(-1.0)));
            assert_eq!(axis.direction_of(-2.0), negative);
        }
    }

    #[test]
    fn shift_ahead_points_where_the_body_points() {
        let mut values = AxisValues::neutral();
        values[Axis::BodyTurn] = 90.0;
        values[Axis::HeadForward] = 10.0;
        let at = values.to_posture().head.0.translation;
        assert!(at.x.abs() < 1e-9 && (at.y - 0.01).abs() < 1e-9);
    }

    #[test]
    fn names_are_those_of_serde() {
        for axis in Axis::ALL {
            assert_eq!(serde_json::to_value(axis).unwrap(), axis.name());
            for direction in axis.directions() {
                assert_eq!(serde_json::to_value(direction).unwrap(), direction.word());
            }
        }
    }
}
