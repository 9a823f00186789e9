//! The execution context of motions: a control loop and a camera.
//!
//! The simulated robot in virtual time and the motors on the wall clock both have one. Code above this layer cannot
//! distinguish them.
//!
//! Safety: a stop cancels everything that was requested before it, including a motion in planning. The control loop
//! counts stops. The context obeys every stop since its last `begin`, and no stop is ever undone.

use std::sync::Arc;
use std::time::Duration;

use firmware_bridge::clock::Timestamp;
use firmware_bridge::control_loop::{
    ClampLog, ControlMode, LoopClient, LoopCommand, LoopSnapshot, MotionState, MoveResult,
};
use firmware_bridge::joint::Joints;
use firmware_bridge::limits::Limits;
use firmware_bridge::motion::{
    Adjustment, Interpolation, Motion, MotionError, PlanRules, Target, Trajectory,
};
use firmware_bridge::posture::{HeadPose, Posture, RollPitchYaw};
use firmware_bridge::units::Radians;
use minismith_perception::camera::CameraError;
use minismith_perception::frame::{CameraPose, Frame};
use minismith_protocol::Method;
use tracing::Span;
use tracing::field::Empty;

use crate::arbiter::{Acquired, Arbiter, Claim, Priority};
use crate::perception::{Detections, Perception, PerceptionError};
use crate::snapshot::{posture_of, view_of};
use crate::sound::{Silence, Sound};
use crate::target_stream::TargetStream;
use firmware_bridge::kinematics::posture_from_joints;
use minismith_runtime::logs::known;
use minismith_runtime::report::{self, PostureReport, Step};

/// Time to settle before the achieved pose is measured.
const SETTLE_TIME: Duration = Duration::from_millis(150);

/// A control loop and a camera.
pub struct ExecutionContext {
    /// The client of the control loop.
    pub control: Box<dyn LoopClient>,
    /// Whether the body follows the head's yaw.
    pub automatic_body_yaw: bool,
    /// The stop epoch that this context has seen.
    stop_epoch: u64,
    claim: Claim,
    perception: Perception,
    /// The microphones and the speaker, for tools.
    pub sound: Box<dyn Sound>,
    /// Whether motions create spans. They do on a running robot, and not in a rehearsal.
    is_traced: bool,
    /// The followed stream of targets.
    targets: TargetStream,
    /// Its span.
    stream: Option<Span>,
}

/// A streamed target that is followed now.
#[derive(Clone, Debug, PartialEq)]
pub struct Followed {
    /// The posture at its end, after adjustments.
    pub target: Posture,
    /// The parts that the planner moved inside the limits.
    pub adjustments: Vec<Adjustment>,
}

impl ExecutionContext {
    /// Creates a context for a control loop without other clients.
    #[must_use]
    pub fn new(control: Box<dyn LoopClient>, perception: impl Into<Perception>) -> Self {
        let voice = Arc::new(Arbiter::default()).claim(Priority::Agent, "the only one");
        ExecutionContext { is_traced: false, ..ExecutionContext::shared(control, perception.into(), voice) }
    }

    /// Creates a context for a control loop with other clients.
    #[must_use]
    pub fn shared(control: Box<dyn LoopClient>, perception: Perception, voice: Claim) -> Self {
        let stop_epoch = control.stop_epoch();
        ExecutionContext {
            stop_epoch,
            control,
            automatic_body_yaw: true,
            claim: voice,
            perception,
            sound: Box::new(Silence),
            is_traced: true,
            targets: TargetStream::default(),
            stream: None,
        }
    }

    /// Acquires control, and brakes the motion of a claim with lower priority.
    ///
    /// # Errors
    /// Returns [`MotionError::ControlledBy`] while a claim of at least this priority is in control.
    pub fn acquire_control(&mut self) -> Result<(), MotionError> {
        match self.claim.acquire() {
            Ok(Acquired::Free) => Ok(()),
            Ok(Acquired::FromAnother) => {
                // This stop ends the other client's motion, not this context's. Any further stop counts for this one.
                self.control.send_command(LoopCommand::Stop);
                self.stop_epoch += 1;
                self.rest();
                Ok(())
            }
            Err(busy) => Err(MotionError::ControlledBy { by: busy.by.to_string() }),
        }
    }

    /// Brakes the motion of this context. Motions of others continue.
    pub fn brake(&mut self) {
        if self.claim.has_control() {
            self.control.send_command(LoopCommand::Stop);
        }
    }

    /// Releases control, so that other clients may move the robot.
    pub fn release_control(&mut self) {
        self.end_stream();
        self.claim.release();
    }

    /// Changes the priority and returns the previous one.
    pub fn raise_priority(&mut self, priority: Priority) -> Priority {
        self.claim.raise(priority)
    }

    /// Starts a new request with the stop epoch of its arrival. A later stop cancels it.
    pub const fn begin(&mut self, stop_epoch: u64) {
        self.stop_epoch = stop_epoch;
    }

    /// Returns the stop epoch of the present request.
    #[must_use]
    pub const fn stop_epoch(&self) -> u64 {
        self.stop_epoch
    }

    /// Returns whether a stop arrived since the last `begin`.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.control.stop_epoch() != self.stop_epoch
    }

    /// Follows a streamed target from now on, without waiting for it. The other parts continue on their way.
    ///
    /// Its parts are reached after `over`, or after the interval in which they are streamed. `fresh` starts to count the clamps
    /// from here.
    ///
    /// # Errors
    /// Returns a [`MotionError`]. The targets before this one are still followed then.
    pub fn set_target(
        &mut self,
        target: &Target,
        now: Timestamp,
        over: Option<Duration>,
        fresh: bool,
    ) -> Result<Followed, MotionError> {
        let period = self.control.period();
        let targets = self.targets.with(target, now, over, period);
        let trajectory = self.plan(&targets.motion(now, period))?;
        let followed = Followed { target: trajectory.target, adjustments: trajectory.adjustments.clone() };
        self.targets = targets;
        if fresh {
            self.stream = Some(self.motion("stream"));
        }
        self.control.send_command(LoopCommand::Play {
            trajectory,
            reset_clamps: fresh,
            stop_epoch: self.stop_epoch,
        });
        Ok(followed)
    }

    /// Ends the stream of targets: the next one starts from where the robot is then.
    pub fn end_stream(&mut self) {
        self.targets = TargetStream::default();
        self.stream = None;
    }

    /// Acquires control and plans a motion from the present goal position.
    ///
    /// # Errors
    /// Returns a [`MotionError`]. Nothing has moved then.
    pub fn plan(&mut self, motion: &Motion) -> Result<Trajectory, MotionError> {
        self.may_move(&self.control.snapshot())?;
        self.acquire_control()?;
        let snapshot = self.control.snapshot();
        planned(motion, &snapshot, self.control.period(), self.automatic_body_yaw)
    }

    /// Returns whether a motion from the present goal position stays within what the robot can reach. Nothing moves.
    #[must_use]
    pub fn is_possible(&self, motion: &Motion) -> bool {
        let snapshot = self.control.snapshot();
        planned(motion, &snapshot, self.control.period(), self.automatic_body_yaw).is_ok()
    }

    fn may_move(&self, snapshot: &LoopSnapshot) -> Result<(), MotionError> {
        if self.is_stopped() {
            return Err(MotionError::Stopped);
        }
        is_able(snapshot)
    }

    /// Executes one motion to its end and returns its record.
    pub fn carry_out(&mut self, kind: &str, motion: &Motion) -> Step {
        match self.plan(motion) {
            Ok(trajectory) => self.play(kind, trajectory).1,
            Err(refusal) => Step::refused(kind, refusal),
        }
    }

    /// Returns the span of a motion, from its command to its end. A span without a parent has an id.
    fn motion(&self, kind: &str) -> Span {
        if !self.is_traced {
            return Span::none();
        }
        known(tracing::info_span!("motion", id = Empty, kind, outcome = Empty))
    }

    /// Plays a planned trajectory to its end. Also returns the raw clamps.
    pub fn play(&mut self, kind: &str, trajectory: Trajectory) -> (ClampLog, Step) {
        let requested = PostureReport::from(&trajectory.target);
        let mut clamps = report::adjustments(&trajectory.adjustments);
        self.end_stream();
        let span = self.motion(kind).entered();
        let snapshot = self.control.play(trajectory, self.stop_epoch);
        span.record("outcome", snapshot.move_result.as_ref().map(ended));
        drop(span);
        clamps.extend(report::clamp_reports(&snapshot.clamps, self.control.period()));
        let refusal = match snapshot.move_result {
            Some(MoveResult::Canceled) => Some("motion was stopped before its end".into()),
            Some(MoveResult::Aborted) => Some(
                snapshot
                    .fault
                    .as_ref()
                    .map_or_else(|| "the robot failed".into(), |fault| format!("the robot failed: {fault}")),
            ),
            Some(MoveResult::Succeeded) | None => None,
        };
        let achieved = view_of(&snapshot);
        (
            snapshot.clamps,
            Step { kind: kind.into(), requested: Some(requested), achieved, clamps, refusal, began_s: None },
        )
    }

    /// Waits until the robot is at rest after a stop.
    pub fn rest(&mut self) {
        self.control.wait(&|snapshot| snapshot.motion_state != MotionState::Stopping);
        self.end_stream();
    }

    /// Waits for the end of the present motion, or for a stop.
    pub fn play_to_end(&mut self) -> LoopSnapshot {
        let stop_epoch = self.stop_epoch;
        let snapshot = self
            .control
            .wait(&|snapshot| snapshot.move_result.is_some() || snapshot.stop_epoch != stop_epoch);
        self.end_stream();
        snapshot
    }

    /// Waits for the robot to settle and measures its pose.
    pub fn settle(&mut self) -> Option<PostureReport> {
        let until = self.control.robot_time() + SETTLE_TIME;
        view_of(&self.advance_to(until))
    }

    /// Advances robot time to `until`, or to a stop.
    pub fn advance_to(&mut self, until: Timestamp) -> LoopSnapshot {
        let period = u64::try_from(self.control.period().as_nanos()).unwrap_or(u64::MAX).max(1);
        let cycles = until.0 / period;
        let stop_epoch = self.stop_epoch;
        self.control.watch(&|snapshot| snapshot.cycles >= cycles || snapshot.stop_epoch != stop_epoch)
    }

    /// Returns the wake-up motions: to the initial posture, then a small tilt and back, with the official durations.
    #[must_use]
    pub fn waking() -> Vec<Motion> {
        let tilt = HeadPose::new(
            0.0,
            0.0,
            0.0,
            RollPitchYaw { roll: Radians::from_degrees(20.0), ..RollPitchYaw::default() },
        );
        let goto = |target, seconds| Motion::Goto {
            target,
            duration: Duration::from_secs_f64(seconds),
            interpolation: Interpolation::Minjerk,
        };
        let init = Posture::init();
        vec![
            goto(Target::of(&init), 2.0),
            goto(Target { head: Some(tilt), ..Target::default() }, 0.2),
            goto(Target { head: Some(init.head), ..Target::default() }, 0.2),
        ]
    }

    /// Returns the sleep motions: through the initial posture to the sleep posture.
    #[must_use]
    pub fn resting() -> Vec<Motion> {
        let goto = |posture: &Posture, seconds| Motion::Goto {
            target: Target::of(posture),
            duration: Duration::from_secs_f64(seconds),
            interpolation: Interpolation::Minjerk,
        };
        vec![goto(&Posture::init(), 1.0), goto(&Posture::sleep(), 2.0)]
    }

    /// Executes several motions as one step. The first refusal ends it.
    pub fn sequence(&mut self, kind: &str, motions: &[Motion]) -> Step {
        let mut whole = Step { kind: kind.into(), ..Step::default() };
        for motion in motions {
            whole.continue_with(self.carry_out(kind, motion));
            if whole.refusal.is_some() {
                return whole;
            }
        }
        whole.achieved = self.settle().or(whole.achieved);
        whole
    }

    /// Switches the torque of all or some motors after the running motion.
    ///
    /// # Errors
    /// Returns [`MotionError::ControlledBy`] while another client is in control.
    pub fn torque(&mut self, on: Joints<bool>) -> Result<LoopSnapshot, MotionError> {
        self.acquire_control()?;
        self.control.wait(&is_quiet);
        self.end_stream();
        self.control.send_command(LoopCommand::Torque(on));
        Ok(self.control.wait(&|_| true))
    }

    /// Sets the control mode after the running motion.
    ///
    /// # Errors
    /// Returns a [`MotionError`] if the motors do not accept it.
    pub fn set_control_mode(&mut self, control: ControlMode) -> Result<(), MotionError> {
        self.acquire_control()?;
        let quiet = self.control.wait(&is_quiet);
        self.may_move(&quiet)?;
        self.end_stream();
        self.control.send_command(LoopCommand::ControlMode(control));
        let stop_epoch = self.stop_epoch;
        let snapshot = self.control.wait(&|snapshot| {
            snapshot.control_mode == control || snapshot.fault.is_some() || snapshot.stop_epoch != stop_epoch
        });
        let fault = snapshot.refused.as_ref().or(snapshot.fault.as_ref());
        match fault {
            Some(fault) => Err(MotionError::Fault { reason: fault.to_string() }),
            None if snapshot.control_mode == control => Ok(()),
            None => Err(MotionError::Stopped),
        }
    }

    /// Sets other limits after the running motion.
    ///
    /// With less deceleration than at its start, a motion could not brake within the limits.
    pub fn limit(&mut self, limits: Limits) {
        self.control.wait(&is_quiet);
        self.control.send_command(LoopCommand::Limits(limits));
        self.control.wait(&|_| true);
    }

    /// Returns the pose from the present positions of the motors.
    #[must_use]
    pub fn posture(&self) -> Option<Posture> {
        posture_of(&self.control.snapshot())
    }

    /// Returns the pose of the goal positions.
    #[must_use]
    pub fn commanded_posture(&self) -> Option<Posture> {
        posture_from_joints(&self.control.snapshot().goal, &HeadPose::neutral()).ok()
    }

    /// Returns the present camera pose, or an error if the head pose is unknown.
    fn camera_pose(&self) -> Result<CameraPose, CameraError> {
        let head = self.posture().ok_or(CameraError::PoseUnknown)?.head;
        Ok(CameraPose { time: self.control.robot_time(), head })
    }

    /// Returns the latest frame of the head's camera.
    ///
    /// # Errors
    /// Returns the reason why there is none.
    pub fn frame(&self) -> Result<Arc<Frame>, CameraError> {
        self.perception.latest_frame(&self.camera_pose()?)
    }

    /// Returns the faces in the latest frame.
    ///
    /// # Errors
    /// Returns the reason why detection is impossible.
    pub fn faces(&mut self) -> Result<Detections, PerceptionError> {
        let from = self.camera_pose()?;
        self.perception.faces(&from)
    }

    /// Returns the objects in the latest frame, which takes a tenth of a second.
    ///
    /// # Errors
    /// Returns the reason why detection is impossible.
    pub fn objects(&mut self) -> Result<Detections, PerceptionError> {
        let from = self.camera_pose()?;
        self.perception.objects(&from)
    }

    /// Returns the perception and the camera pose.
    ///
    /// # Errors
    /// Returns an error if the head pose is unknown.
    pub fn can_see(&mut self) -> Result<(&mut Perception, CameraPose), CameraError> {
        let from = self.camera_pose()?;
        Ok((&mut self.perception, from))
    }

    /// Returns the camera's name for people.
    #[must_use]
    pub fn camera_name(&self) -> String {
        self.perception.camera_name()
    }
}

/// Converts the interpolation of the protocol to that of the robot.
#[must_use]
pub const fn interpolation(method: Method) -> Interpolation {
    match method {
        Method::Linear => Interpolation::Linear,
        Method::Minjerk => Interpolation::Minjerk,
        Method::EaseInOut => Interpolation::EaseInOut,
        Method::Cartoon => Interpolation::Cartoon,
    }
}

/// Returns a motion that points the head's x axis at a point in the world frame, metres.
///
/// The head's translation is zero and the body looks ahead, as in the official `look_at_world`.
///
/// # Errors
/// Returns [`MotionError::NotFinite`] if the point gives no direction.
pub fn look_at(point: [f64; 3], duration: Duration) -> Result<Motion, MotionError> {
    let head =
        HeadPose::looking_at(point).ok_or(MotionError::NotFinite { what: "the direction to look in" })?;
    let target = Target { head: Some(head), body_yaw: Some(Radians::ZERO), antennas: None };
    Ok(Motion::Goto { target, duration, interpolation: Interpolation::Minjerk })
}

/// Plans a motion from the present goal position, without any command to the robot.
///
/// # Errors
/// Returns a [`MotionError`] if the motion is impossible.
pub fn planned(
    motion: &Motion,
    snapshot: &LoopSnapshot,
    period: Duration,
    automatic_body_yaw: bool,
) -> Result<Trajectory, MotionError> {
    if snapshot.motion_state == MotionState::HandGuiding {
        return Err(MotionError::HandGuidingActive);
    }
    let rules = PlanRules { limits: &snapshot.limits, period, automatic_body_yaw };
    motion.plan(&snapshot.goal, &rules)
}

/// Checks whether the robot can move at all.
///
/// # Errors
/// Returns a [`MotionError`] with the reason.
pub fn is_able(snapshot: &LoopSnapshot) -> Result<(), MotionError> {
    match &snapshot.fault {
        Some(fault) => Err(MotionError::Fault { reason: fault.to_string() }),
        None if snapshot.motion_state == MotionState::TorqueOff => Err(MotionError::TorqueOff),
        None => Ok(()),
    }
}

/// Returns the name of a motion's result.
const fn ended(how: &MoveResult) -> &'static str {
    match how {
        MoveResult::Succeeded => "arrived",
        MoveResult::Canceled => "halted",
        MoveResult::Aborted => "faulted",
    }
}

fn is_quiet(snapshot: &LoopSnapshot) -> bool {
    !matches!(snapshot.motion_state, MotionState::Moving | MotionState::Stopping)
}
