//! The beats of a rehearsal as people see them: degrees, and the head as it follows from the legs.

use firmware_bridge::joint::{Joint, Joints};
use firmware_bridge::kinematics::posture_from_joints;
use firmware_bridge::posture::HeadPose;
use firmware_bridge::trace::Beat;

/// One beat.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    /// Where the motors were told to be, degrees.
    pub goal: Joints<f64>,
    /// Where they were.
    pub present: Joints<f64>,
    /// The head that follows from the goals; none where the legs do not fit together.
    pub goal_head: Option<Head>,
    /// The head that follows from where the motors were.
    pub present_head: Option<Head>,
}

/// The head on one beat.
#[derive(Clone, Copy, Debug)]
pub struct Head {
    /// `world_from_head`, relative to the neutral head.
    pub pose: HeadPose,
    /// Roll and pitch, and the yaw relative to the body, degrees.
    pub angles_deg: [f64; 3],
}

/// Computes the head of each beat, from that of the beat before.
#[must_use]
pub fn moments(beats: &[Beat]) -> Vec<Moment> {
    let (mut goal, mut present) = (Finder::default(), Finder::default());
    let degrees = |joints: &Joints| joints.map(|angle| angle.degrees());
    let moment = |beat: &Beat| Moment {
        goal: degrees(&beat.goal),
        present: degrees(&beat.present),
        goal_head: goal.find(&beat.goal),
        present_head: present.find(&beat.present),
    };
    beats.iter().map(moment).collect()
}

/// Finds the head again and again; where the joints have not moved it is where it was.
#[derive(Default)]
struct Finder {
    last: Option<(Joints, Option<Head>)>,
}

impl Finder {
    fn find(&mut self, joints: &Joints) -> Option<Head> {
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

#[cfg(test)]
mod tests {
    use firmware_bridge::kinematics::joints_from_posture;
    use firmware_bridge::posture::{Posture, RollPitchYaw};
    use firmware_bridge::units::Radians;

    use super::*;

    #[test]
    fn the_head_s_yaw_is_that_to_the_body() {
        let angles = RollPitchYaw {
            roll: Radians::from_degrees(5.0),
            pitch: Radians::from_degrees(-10.0),
            yaw: Radians::from_degrees(50.0),
        };
        let posture = Posture {
            head: HeadPose::new(0.0, 0.0, 0.0, angles),
            body_yaw: Radians::from_degrees(30.0),
            ..Posture::init()
        };
        let joints = joints_from_posture(&posture).unwrap();
        let [moment] = moments(&[Beat { goal: joints, present: joints }]).try_into().unwrap();
        let found = moment.present_head.unwrap().angles_deg;
        for (found, expected) in found.into_iter().zip([5.0, -10.0, 20.0]) {
            assert!((found - expected).abs() < 1e-6, "{found} for {expected}");
        }
        assert!((moment.goal[Joint::BodyYaw] - 30.0).abs() < 1e-9);
    }
}
