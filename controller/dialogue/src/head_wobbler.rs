//! Moves the head a little while the robot speaks, with the loudness of its speech.
//!
//! Safety: the motion has the lowest priority, so any other motion goes on undisturbed. Its setpoints pass
//! the envelope like all others. A stop ends it until the next sentence.

use firmware_bridge::control_loop::{LoopClient, MotionState};
use firmware_bridge::kinematics::posture_from_joints;
use firmware_bridge::motion::Target;
use firmware_bridge::posture::{HeadPose, RollPitchYaw};
use firmware_bridge::units::Radians;

use minismith_control::motion_executor::MotionExecutor;

/// The largest angles of nodding and leaning, in degrees.
const NOD: f64 = 4.0;
const LEAN: f64 = 1.5;
/// The highest frequencies of nodding and leaning, in hertz.
const NODS_HZ: f64 = 1.7;
const LEANS_HZ: f64 = 0.6;

/// The head during speech.
pub(super) struct HeadWobbler {
    executor: MotionExecutor,
    much: f64,
    /// The head's pose at the beginning of the sentence, and the stop epoch at that time.
    from: Option<(HeadPose, u64)>,
    seconds: f64,
}

impl HeadWobbler {
    /// Returns a sway of this strength, from 0 for none to 1.
    pub(super) const fn of(executor: MotionExecutor, much: f64) -> Self {
        HeadWobbler { executor, much, from: None, seconds: 0.0 }
    }

    /// Begins a sentence. Where another motion has control, the head stays as it is.
    pub(super) fn begin(&mut self) {
        let control_loop = self.executor.control_loop();
        let snapshot = control_loop.snapshot();
        let is_free = snapshot.motion_state == MotionState::Holding && self.much > 0.0;
        let posture = posture_from_joints(&snapshot.goal, &HeadPose::neutral()).ok().filter(|_| is_free);
        self.from = posture.map(|posture| (posture.head, control_loop.stop_epoch()));
        self.seconds = 0.0;
    }

    /// Moves the head for the present loudness, from 0 to 1, and this many seconds.
    pub(super) fn follow(&mut self, loud: f32, seconds: f64) {
        let Some((from, stop_epoch)) = self.from else { return };
        if self.executor.control_loop().stop_epoch() != stop_epoch {
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
        // Another move has precedence, so this target may be ignored.
        let _followed = self.executor.follow(&Target { head: Some(swayed), ..Target::default() });
    }

    /// Ends the sentence and returns the head to where it began.
    pub(super) fn end(&mut self) {
        if let Some((from, stop_epoch)) = self.from.take()
            && self.executor.control_loop().stop_epoch() == stop_epoch
        {
            let _followed = self.executor.follow(&Target { head: Some(from), ..Target::default() });
        }
    }
}
