//! Dimensions of the Stewart platform: position of each motor, rotation of its arm, and the joint of its rod on the
//! head.
//!
//! Source: the kinematics data of reachy-mini 1.13.0 (derived there from the robot's URDF), with each motor's transform
//! converted to an origin and axes. Units: metres. Frames: the body frame (the world frame rotated by the body yaw) and
//! the head frame.

use nalgebra::Vector3;

use crate::joint::Joint;

/// Height of the neutral head above the body's origin, metres.
pub const HEAD_Z_OFFSET: f64 = 0.177;

/// Distance from a motor's axis to the near end of its rod, metres.
pub const CRANK_LENGTH: f64 = 0.04;

/// Length of a rod from the end of its arm to the head, metres.
pub(super) const ROD_LENGTH: f64 = 0.085;

/// The side of the line from motor to head on which an arm stands. Right legs mirror left ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Side {
    /// The arm uses the larger of the two possible angles.
    Greater,
    /// The arm uses the smaller of the two possible angles.
    Lesser,
}

/// One motor, its arm, and the ball joint at the far end of its rod.
#[derive(Debug)]
pub struct Leg {
    /// The motor.
    pub joint: Joint,
    /// The solution of the arm angle that the mechanism uses.
    pub side: Side,
    /// The point on the motor's axis about which the arm turns, in the body frame.
    pub origin: Vector3<f64>,
    /// The direction of the arm at angle zero, in the body frame.
    pub zero_direction: Vector3<f64>,
    /// The direction of the arm at a quarter turn, in the body frame.
    pub quarter_direction: Vector3<f64>,
    /// The far end of the rod, in the head frame.
    pub ball_joint: Vector3<f64>,
}

/// Returns the six legs in the order of [`Joint::STEWART`], for drawing them.
#[must_use]
pub fn legs() -> &'static [Leg; 6] {
    &LEGS
}

/// The six legs in the order of [`Joint::STEWART`].
pub(super) static LEGS: [Leg; 6] = [
    Leg {
        joint: Joint::Stewart1,
        side: Side::Lesser,
        origin: Vector3::new(0.02699057811093811, 0.026748914460103163, 0.07663325409026873),
        zero_direction: Vector3::new(0.8660247915798898, -0.5000010603626028, -2.298079077119539e-06),
        quarter_direction: Vector3::new(4.490195936008854e-06, 3.1810770986818273e-06, 0.999999999984859),
        ball_joint: Vector3::new(0.020648178337122566, 0.021763723638894568, 1.0345743467476964e-07),
    },
    Leg {
        joint: Joint::Stewart2,
        side: Side::Greater,
        origin: Vector3::new(0.009669970308047848, 0.03674900379480585, 0.0766333000521544),
        zero_direction: Vector3::new(-0.8660211183436269, 0.5000074225224785, 2.298069723064582e-06),
        quarter_direction: Vector3::new(-4.490219645842903e-06, -3.181063409649239e-06, -0.999999999984859),
        ball_joint: Vector3::new(0.00852381571767217, 0.028763668526131346, 1.183437210727778e-07),
    },
    Leg {
        joint: Joint::Stewart3,
        side: Side::Lesser,
        origin: Vector3::new(-0.03666069825622655, 0.01000011608629868, 0.07663342299448257),
        zero_direction: Vector3::new(6.326794896519466e-06, 0.9999999999799852, -7.0550646912150425e-12),
        quarter_direction: Vector3::new(-1.0196153102346142e-06, 1.3505961633338446e-11, 0.9999999999994795),
        ball_joint: Vector3::new(-0.029172011376922807, 0.0069999429399361995, 4.0290270064691214e-08),
    },
    Leg {
        joint: Joint::Stewart4,
        side: Side::Greater,
        origin: Vector3::new(-0.03666077172023576, -0.009999865338437615, 0.07663342299448232),
        zero_direction: Vector3::new(-3.673205069955933e-06, -0.9999999999932537, -6.767968877969483e-14),
        quarter_direction: Vector3::new(1.0196153102837198e-06, -3.6775764393585005e-12, -0.9999999999994795),
        ball_joint: Vector3::new(-0.029172040355214434, -0.0069999960097160766, -3.1608172912367394e-08),
    },
    Leg {
        joint: Joint::Stewart5,
        side: Side::Lesser,
        origin: Vector3::new(0.009669744869838334, -0.03674904912286439, 0.07663330005203527),
        zero_direction: Vector3::new(-0.8660284647694133, -0.4999946981757419, 2.298079429767357e-06),
        quarter_direction: Vector3::new(4.490172883391843e-06, -3.1811099293773187e-06, 0.9999999999848591),
        ball_joint: Vector3::new(0.008523809101930114, -0.028763713010385224, -1.4344916837716326e-07),
    },
    Leg {
        joint: Joint::Stewart6,
        side: Side::Greater,
        origin: Vector3::new(0.026990337066403518, -0.02674913845737482, 0.0766332540903862),
        zero_direction: Vector3::new(0.8660247915798897, 0.5000010603626025, -2.298069644866714e-06),
        quarter_direction: Vector3::new(-4.490196220318687e-06, 3.1810964558725514e-06, -0.9999999999848591),
        ball_joint: Vector3::new(0.020648186722822436, -0.02176369606185343, -8.957920105689965e-08),
    },
];
