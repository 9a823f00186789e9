//! Kinematics compared with the official package, for consistency, and over a million jumps.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use firmware_bridge::joint::Joint;
use firmware_bridge::kinematics::{
    ForwardKinematicsError, InverseKinematicsError, head_in_body, joints_from_posture, posture_from_joints,
};
use firmware_bridge::posture::{Antennas, HeadPose, Posture, RollPitchYaw};
use firmware_bridge::units::Radians;
use nalgebra::Matrix3;

/// Poses with their official joint angles; record.py in the same folder describes versions and layout.
static OFFICIAL: &[u8] = include_bytes!("../../tests/fixtures/kinematics/official.bin");
const RECORD: usize = 7 * 2 + 6 * 8;

fn official() -> impl Iterator<Item = (Posture, [f64; 6])> {
    assert_eq!(OFFICIAL.len(), 10_000 * RECORD);
    OFFICIAL.chunks_exact(RECORD).map(|record| {
        let (pose, legs) = record.split_at(14);
        let mut numbers = pose.chunks_exact(2).map(|b| f64::from(i16::from_le_bytes(b.try_into().unwrap())));
        let mut next = |unit: f64| numbers.next().unwrap() * unit;
        let [x, y, z] = [next(1e-5), next(1e-5), next(1e-5)];
        let [roll, pitch, yaw] = [next(1e-4), next(1e-4), next(1e-4)].map(Radians);
        let posture = Posture {
            head: HeadPose::new(x, y, z, RollPitchYaw { roll, pitch, yaw }),
            body_yaw: Radians(next(1e-4)),
            antennas: Antennas::default(),
        };
        let mut legs = legs.chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap()));
        (posture, std::array::from_fn(|_| legs.next().unwrap()))
    })
}

/// Splitmix64: sufficient randomness for poses, identical on every run.
struct Random(u64);

impl Random {
    /// Returns a uniform value in `-reach..reach`.
    fn within(&mut self, reach: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        ((bits >> 11) as f64 / (1_u64 << 52) as f64 - 1.0) * reach
    }

    /// Returns a head within `shift` metres along, and `tilt` degrees about, each axis.
    fn head(&mut self, shift: f64, tilt: f64) -> HeadPose {
        let [x, y, z] = [(); 3].map(|()| self.within(shift));
        let [roll, pitch, yaw] = [(); 3].map(|()| Radians::from_degrees(self.within(tilt)));
        HeadPose::new(x, y, z, RollPitchYaw { roll, pitch, yaw })
    }
}

/// Returns the distance between two heads, metres plus radians.
fn distance(a: &HeadPose, b: &HeadPose) -> f64 {
    let between = a.0.inv_mul(&b.0);
    between.translation.vector.norm() + between.rotation.vector().norm() * 2.0
}

#[test]
fn inverse_kinematics_matches_the_official_package() {
    for (posture, legs) in official() {
        let joints = joints_from_posture(&posture).unwrap();
        assert_eq!(joints[Joint::BodyYaw], posture.body_yaw);
        for (ours, theirs) in joints.stewart().iter().zip(legs) {
            assert!((ours.value() - theirs).abs() < 1e-9, "{posture:?}: {ours:?}, official {theirs}");
        }
    }
}

#[test]
fn forward_kinematics_inverts_inverse_kinematics() {
    let mut last = HeadPose::neutral();
    for (posture, _) in official() {
        let joints = joints_from_posture(&posture).unwrap();
        for seed in [HeadPose::neutral(), last] {
            let back = posture_from_joints(&joints, &seed).unwrap();
            assert!(distance(&back.head, &posture.head) < 1e-9, "{posture:?} came back as {back:?}");
            assert_eq!((back.body_yaw, back.antennas), (posture.body_yaw, posture.antennas));
            let rotation = back.head.0.rotation.to_rotation_matrix();
            let off = rotation.matrix() * rotation.matrix().transpose() - Matrix3::identity();
            assert!(off.amax() < 1e-12);
        }
        last = posture.head;
    }
}

#[test]
fn million_jumps_never_end_in_the_mirrored_assembly() {
    for (jumps, shift, tilt) in [(700_000, 0.02, 30.0), (300_000, 0.03, 40.0)] {
        let mut random = Random(7);
        let mut last = HeadPose::neutral();
        let (mut done, mut refused) = (0, 0);
        while done < jumps {
            let posture = Posture { head: random.head(shift, tilt), ..Posture::init() };
            let joints = match joints_from_posture(&posture) {
                Ok(joints) => joints,
                Err(InverseKinematicsError::Singular) => {
                    refused += 1;
                    continue;
                }
                Err(_) => continue,
            };
            let found = head_in_body(&joints.stewart(), &last).unwrap();
            assert!(distance(&found, &posture.head) < 1e-9, "{posture:?} from {last:?} ended in {found:?}");
            last = found;
            done += 1;
        }
        // Poses beyond a singularity are rejected; they must stay rare, or the rejection hides failures.
        assert!(refused * 100 < jumps, "{refused} poses rejected");
    }
}

#[test]
fn inconsistent_joints_are_rejected() {
    let rest = joints_from_posture(&Posture::init()).unwrap();
    let mut inconsistent = rest;
    inconsistent[Joint::Stewart1] = Radians(-2.5);
    inconsistent[Joint::Stewart4] = Radians(2.5);
    assert!(matches!(
        posture_from_joints(&inconsistent, &HeadPose::neutral()),
        Err(ForwardKinematicsError::DidNotConverge { .. } | ForwardKinematicsError::Singular)
    ));
    for joint in Joint::ALL {
        let mut bad = rest;
        bad[joint] = Radians(f64::NAN);
        assert_eq!(posture_from_joints(&bad, &HeadPose::neutral()), Err(ForwardKinematicsError::NotFinite));
    }
}

#[test]
fn meaningless_seed_does_not_change_the_solution() {
    let joints = joints_from_posture(&Posture::init()).unwrap();
    let upside_down =
        RollPitchYaw { roll: Radians(std::f64::consts::PI), pitch: Radians::ZERO, yaw: Radians::ZERO };
    for seed in [
        HeadPose::new(f64::NAN, 0.0, 0.0, RollPitchYaw::default()),
        HeadPose::new(1e9, 0.0, -1e9, RollPitchYaw::default()),
        HeadPose::new(0.0, 0.0, -0.3, upside_down),
    ] {
        let found = posture_from_joints(&joints, &seed).unwrap();
        assert!(distance(&found.head, &HeadPose::neutral()) < 1e-9);
    }
}
