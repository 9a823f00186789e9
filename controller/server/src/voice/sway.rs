//! The head moves a little while the robot speaks, with the loudness of what it says.
//!
//! Safety: it speaks to the arbiter with the least urgent voice, so that whatever else moves the body goes on undisturbed, and
//! its wishes pass the envelope like everybody's. A stop ends it until the next sentence.

use firmware_bridge::kinematics::posture_from_joints;
use firmware_bridge::motion::Target;
use firmware_bridge::posture::{HeadPose, RollPitchYaw};
use firmware_bridge::pulse::{Conductor, Doing};
use firmware_bridge::units::Radians;

use minismith_control::mover::Mover;

/// The most that it nods and leans, degrees.
const NOD: f64 = 4.0;
const LEAN: f64 = 1.5;
/// How often it nods and leans in a second, at most.
const NODS_HZ: f64 = 1.7;
const LEANS_HZ: f64 = 0.6;

/// The head while something is said.
pub(super) struct Sway {
    mover: Mover,
    much: f64,
    /// Where the head was when the sentence began, and how often the body had been halted.
    from: Option<(HeadPose, u64)>,
    seconds: f64,
}

impl Sway {
    /// From 0, not at all, to 1.
    pub(super) const fn of(mover: Mover, much: f64) -> Self {
        Sway { mover, much, from: None, seconds: 0.0 }
    }

    /// A sentence begins. Where something else moves the body, the head stays as it is.
    pub(super) fn begin(&mut self) {
        let pulse = self.mover.pulse();
        let snapshot = pulse.snapshot();
        let is_free = snapshot.doing == Doing::Holding && self.much > 0.0;
        let posture = posture_from_joints(&snapshot.commanded, &HeadPose::neutral()).ok().filter(|_| is_free);
        self.from = posture.map(|posture| (posture.head, pulse.halts()));
        self.seconds = 0.0;
    }

    /// So loud it is now, from 0 to 1, for so many seconds.
    pub(super) fn follow(&mut self, loud: f32, seconds: f64) {
        let Some((from, halts)) = self.from else { return };
        if self.mover.pulse().halts() != halts {
            self.from = None;
            return;
        }
        self.seconds += seconds;
        let turn = |hertz: f64| (std::f64::consts::TAU * hertz * self.seconds).sin();
        let much = self.much * f64::from(loud);
        let degrees = |angle: f64| Radians::from_degrees(angle * much);
        let angles = RollPitchYaw {
            pitch: degrees(-NOD * turn(NODS_HZ)),
            roll: degrees(LEAN * turn(LEANS_HZ)),
            yaw: Radians::ZERO,
        };
        let swayed = HeadPose(from.0 * HeadPose::new(0.0, 0.0, 0.0, angles).0);
        // While a move plays it is not followed, and that is right.
        let _followed = self.mover.follow(&Target { head: Some(swayed), ..Target::default() });
    }

    /// The sentence is over: back to where it began.
    pub(super) fn end(&mut self) {
        if let Some((from, halts)) = self.from.take()
            && self.mover.pulse().halts() == halts
        {
            let _followed = self.mover.follow(&Target { head: Some(from), ..Target::default() });
        }
    }
}
