//! Computes the head pose from the legs.

use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::kinematics::posture_from_joints;
use firmware_bridge::posture::HeadPose;

/// The head in one cycle.
#[derive(Clone, Copy, Debug)]
pub struct Head {
    /// Pose `world_from_head`, relative to the neutral head.
    pub pose: HeadPose,
    /// Roll, pitch, and yaw relative to the body, degrees.
    pub angles_deg: [f64; 3],
}

/// Computes head poses one after another. For unchanged joints it returns the previous result.
#[derive(Default)]
pub struct Finder {
    last: Option<(Joints, Option<Head>)>,
}

impl Finder {
    /// Returns the head pose for these joints, or `None` if forward kinematics fails.
    pub fn find(&mut self, joints: &Joints) -> Option<Head> {
        if let Some((known, head)) = &self.last
            && known == joints
        {
            return *head;
        }
        let seed = self.last.and_then(|(_, head)| head).map_or_else(HeadPose::neutral, |head| head.pose);
        let head = posture_from_joints(joints, &seed).ok().map(|posture| {
            let angles = posture.head.angles();
            let relative_yaw = (angles.yaw - joints[Joint::BodyYaw]).wrapped();
            let angles_deg = [angles.roll, angles.pitch, relative_yaw].map(|angle| angle.degrees());
            Head { pose: posture.head, angles_deg }
        });
        self.last = Some((*joints, head));
        head
    }
}
