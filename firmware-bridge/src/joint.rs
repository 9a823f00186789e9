//! The nine motors, in the order that text, config and API use everywhere.

use std::fmt;
use std::ops::{Index, IndexMut};

use serde::{Deserialize, Serialize};

use crate::units::Radians;

/// One of the nine motors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Joint {
    /// The base that turns the whole robot; its angle is `body_yaw`.
    #[serde(rename = "body_rotation")]
    BodyYaw,
    /// Leg 1 of the Stewart platform that carries the head.
    #[serde(rename = "stewart_1")]
    Stewart1,
    /// Leg 2.
    #[serde(rename = "stewart_2")]
    Stewart2,
    /// Leg 3.
    #[serde(rename = "stewart_3")]
    Stewart3,
    /// Leg 4.
    #[serde(rename = "stewart_4")]
    Stewart4,
    /// Leg 5.
    #[serde(rename = "stewart_5")]
    Stewart5,
    /// Leg 6.
    #[serde(rename = "stewart_6")]
    Stewart6,
    /// The robot's right antenna.
    #[serde(rename = "right_antenna")]
    RightAntenna,
    /// The robot's left antenna.
    #[serde(rename = "left_antenna")]
    LeftAntenna,
}

impl Joint {
    /// All nine motors, in bus and API order.
    pub const ALL: [Joint; 9] = [
        Joint::BodyYaw,
        Joint::Stewart1,
        Joint::Stewart2,
        Joint::Stewart3,
        Joint::Stewart4,
        Joint::Stewart5,
        Joint::Stewart6,
        Joint::RightAntenna,
        Joint::LeftAntenna,
    ];

    /// The six legs of the Stewart platform.
    pub const STEWART: [Joint; 6] = [
        Joint::Stewart1,
        Joint::Stewart2,
        Joint::Stewart3,
        Joint::Stewart4,
        Joint::Stewart5,
        Joint::Stewart6,
    ];

    /// Returns the motor's name in text, config and API.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Joint::BodyYaw => "body_rotation",
            Joint::Stewart1 => "stewart_1",
            Joint::Stewart2 => "stewart_2",
            Joint::Stewart3 => "stewart_3",
            Joint::Stewart4 => "stewart_4",
            Joint::Stewart5 => "stewart_5",
            Joint::Stewart6 => "stewart_6",
            Joint::RightAntenna => "right_antenna",
            Joint::LeftAntenna => "left_antenna",
        }
    }

    /// Returns the motor with this name, if any.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Joint> {
        Joint::ALL.into_iter().find(|joint| joint.name() == name)
    }

    /// Returns whether this motor is one of the six legs.
    #[must_use]
    pub const fn is_leg(self) -> bool {
        !matches!(self, Joint::BodyYaw | Joint::RightAntenna | Joint::LeftAntenna)
    }

    /// Returns the servo's id on the bus: 10 to 18.
    #[must_use]
    pub const fn motor_id(self) -> u8 {
        10 + self as u8
    }

    /// Returns the motor with this bus id, if any.
    #[must_use]
    pub fn from_motor_id(id: u8) -> Option<Joint> {
        Joint::ALL.into_iter().find(|joint| joint.motor_id() == id)
    }

    /// Returns the position in [`Joint::ALL`].
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for Joint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One value for each of the nine motors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Joints<T = Radians>([T; 9]);

impl<T> Joints<T> {
    /// Creates the set from an array in the order of [`Joint::ALL`].
    pub const fn new(values: [T; 9]) -> Self {
        Joints(values)
    }

    /// Computes each motor's value.
    pub fn from_fn(mut value: impl FnMut(Joint) -> T) -> Self {
        Joints(Joint::ALL.map(&mut value))
    }

    /// Returns the values in the order of [`Joint::ALL`].
    pub const fn as_array(&self) -> &[T; 9] {
        &self.0
    }

    /// Iterates over the motors and their values.
    pub fn iter(&self) -> impl Iterator<Item = (Joint, &T)> {
        Joint::ALL.into_iter().zip(self.0.iter())
    }
}

impl<T: Copy> Joints<T> {
    /// Returns a set with the same value for all nine motors.
    pub const fn all(value: T) -> Self {
        Joints([value; 9])
    }

    /// Applies `f` to each value.
    pub fn map<U>(&self, f: impl FnMut(T) -> U) -> Joints<U> {
        Joints(self.0.map(f))
    }

    /// Combines two sets motor by motor.
    pub fn zip_with<U: Copy, V>(&self, other: &Joints<U>, mut f: impl FnMut(T, U) -> V) -> Joints<V> {
        Joints::from_fn(|joint| f(self[joint], other[joint]))
    }

    /// Returns the values of the six legs, in order.
    pub fn stewart(&self) -> [T; 6] {
        Joint::STEWART.map(|joint| self[joint])
    }
}

// The only place that uses a joint as an index; `Joint` has nine values, so it is always in bounds.
#[allow(clippy::indexing_slicing)]
impl<T> Index<Joint> for Joints<T> {
    type Output = T;
    fn index(&self, joint: Joint) -> &T {
        &self.0[joint.index()]
    }
}

#[allow(clippy::indexing_slicing)]
impl<T> IndexMut<Joint> for Joints<T> {
    fn index_mut(&mut self, joint: Joint) -> &mut T {
        &mut self.0[joint.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_ids_and_order_agree() {
        let names: Vec<_> = Joint::ALL.iter().map(|joint| joint.name()).collect();
        assert_eq!(names.first(), Some(&"body_rotation"));
        assert_eq!(names.last(), Some(&"left_antenna"));
        for (index, joint) in Joint::ALL.into_iter().enumerate() {
            assert_eq!(joint.index(), index);
            assert_eq!(Joint::from_name(joint.name()), Some(joint));
            assert_eq!(Joint::from_motor_id(joint.motor_id()), Some(joint));
        }
        assert_eq!(Joint::Stewart1.motor_id(), 11);
        assert_eq!(Joint::LeftAntenna.motor_id(), 18);
        assert_eq!(Joint::from_name("yaw_body"), None);
    }
}
