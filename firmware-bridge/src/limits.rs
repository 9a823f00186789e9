//! The limits of motion: position, velocity, acceleration and jerk of each joint, and of the head in the body's frame.

use crate::joint::{Joint, Joints};
use crate::units::Radians;

/// The limits of one joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointLimits {
    /// Minimum angle.
    pub min_position: Radians,
    /// Maximum angle.
    pub max_position: Radians,
    /// Maximum velocity, radians per second.
    pub max_velocity: Radians,
    /// Maximum acceleration, radians per second squared.
    pub max_acceleration: Radians,
    /// Maximum jerk, radians per second cubed.
    pub max_jerk: Radians,
}

/// The limits of the whole robot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// The limits of each joint.
    pub joints: Joints<JointLimits>,
    /// Maximum pitch of the head, either way.
    pub head_pitch: Radians,
    /// Maximum roll of the head, either way.
    pub head_roll: Radians,
    /// Maximum yaw of the head relative to the body, either way.
    pub relative_yaw: Radians,
    /// Minimum singularity margin of the legs: 1 at the neutral pose, 0 at a singularity.
    pub min_singularity_margin: f64,
}

/// Position limits in the servos' own memory, degrees from the centre (official hardware configuration 1.13.0).
const SERVO_DEGREES: [(Joint, f64, f64); 6] = [
    (Joint::Stewart1, -47.99, 79.98),
    (Joint::Stewart2, -79.98, 69.96),
    (Joint::Stewart3, -47.99, 79.98),
    (Joint::Stewart4, -79.98, 47.99),
    (Joint::Stewart5, -69.96, 79.98),
    (Joint::Stewart6, -79.98, 47.99),
];

impl Limits {
    /// Returns the servo's own position limits of a leg. Other joints have a full turn minus the last of its 4096
    /// steps.
    #[must_use]
    pub fn servo_range(joint: Joint) -> (Radians, Radians) {
        SERVO_DEGREES.iter().find(|(leg, ..)| *leg == joint).map_or(
            (Radians::from_degrees(-180.0), Radians::from_degrees(180.0 - 360.0 / 4096.0)),
            |(_, low, high)| (Radians::from_degrees(*low), Radians::from_degrees(*high)),
        )
    }

    /// Returns the same position limits with scaled velocity and acceleration. Unapproved tools move at half speed.
    #[must_use]
    pub fn scaled(mut self, factor: f64) -> Self {
        for joint in Joint::ALL {
            let limit = &mut self.joints[joint];
            limit.max_velocity = limit.max_velocity * factor;
            limit.max_acceleration = limit.max_acceleration * factor;
        }
        self
    }
}

/// The initial values of the design; `config.yaml` contains the same numbers for users to change.
impl Default for Limits {
    fn default() -> Self {
        let degrees = Radians::from_degrees;
        let joints = Joints::from_fn(|joint| match joint {
            Joint::BodyYaw => JointLimits {
                min_position: degrees(-160.0),
                max_position: degrees(160.0),
                max_velocity: Radians(6.0),
                max_acceleration: Radians(40.0),
                max_jerk: Radians(1_500.0),
            },
            Joint::RightAntenna | Joint::LeftAntenna => JointLimits {
                min_position: degrees(-180.0),
                max_position: Limits::servo_range(joint).1,
                max_velocity: Radians(15.0),
                max_acceleration: Radians(250.0),
                max_jerk: Radians(12_000.0),
            },
            leg => {
                let (low, high) = Limits::servo_range(leg);
                JointLimits {
                    min_position: low + degrees(1.0),
                    max_position: high - degrees(1.0),
                    max_velocity: Radians(8.0),
                    max_acceleration: Radians(120.0),
                    max_jerk: Radians(6_000.0),
                }
            }
        });
        Limits {
            joints,
            head_pitch: degrees(40.0),
            head_roll: degrees(40.0),
            relative_yaw: degrees(65.0),
            min_singularity_margin: 0.1,
        }
    }
}
