//! The execution context of motions: a control loop and a camera.
//!
//! The simulated robot in virtual time and the motors on the wall clock both have one. Code above this layer cannot
//! distinguish them.
//!
//! Safety: a stop cancels everything that was requested before it, including a motion in planning. The control loop
//! counts stops. The context obeys every stop since its last `begin`, and no stop is ever undone.

use std::sync::Arc;
use std::time::Duration;

use firmware_bridge::clock::Tick;
use firmware_bridge::joint::Joints;
use firmware_bridge::limits::Limits;
use firmware_bridge::motion::{Interpolation, Motion, PlanRules, Refusal, Target, Trajectory};
use firmware_bridge::posture::{HeadPose, Posture, RollPitchYaw};
use firmware_bridge::pulse::{Conductor, Control, Doing, Ended, Order, Snapshot, TrimLog};
use firmware_bridge::units::Radians;
use minismith_senses::camera::NoFrame;
use minismith_senses::frame::{Frame, Viewpoint};
use minismith_wire::Method;
use tracing::Span;
use tracing::field::Empty;

use crate::arbiter::{Arbiter, Rank, Took, Voice};
use crate::eyes::{Eyes, NoSight, Sighting};
use crate::snapshot::{posture_of, view_of};
use firmware_bridge::kinematics::posture_from_joints;
use minismith_runtime::logs::known;
use minismith_runtime::outcome::{self, PostureView, Step};

/// Maximum time over which a streamed target is reached. The minimum is a cycle.
const MAX_RAMP: Duration = Duration::from_millis(50);

/// Time to settle before the achieved pose is measured.
const SETTLE_TIME: Duration = Duration::from_millis(150);

/// A control loop and a camera.
pub struct Stage {
    /// The client of the control loop.
    pub conductor: Box<dyn Conductor>,
    /// Whether the body follows the head's yaw.
    pub automatic_body_yaw: bool,
    /// The stop epoch that this context has seen.
    halts: u64,
    voice: Voice,
    eyes: Eyes,
    /// Whether motions create spans. They do on a running robot, and not in a rehearsal.
    is_told: bool,
    /// The span of the followed stream of targets.
    stream: Option<Span>,
}

impl Stage {
    /// Creates a context for a control loop without other clients.
    #[must_use]
    pub fn new(conductor: Box<dyn Conductor>, eyes: impl Into<Eyes>) -> Self {
        let voice = Arc::new(Arbiter::default()).voice(Rank::Agent, "the only one");
        Stage { is_told: false, ..Stage::shared(conductor, eyes.into(), voice) }
    }

    /// Creates a context for a control loop with other clients.
    #[must_use]
    pub fn shared(conductor: Box<dyn Conductor>, eyes: Eyes, voice: Voice) -> Self {
        let halts = conductor.halts();
        Stage { halts, conductor, automatic_body_yaw: true, voice, eyes, is_told: true, stream: None }
    }

    /// Acquires control, and brakes the motion of a claim with lower priority.
    ///
    /// # Errors
    /// Returns [`Refusal::Taken`] while a claim of at least this priority is in control.
    pub fn take_floor(&mut self) -> Result<(), Refusal> {
        match self.voice.take() {
            Ok(Took::Free) => Ok(()),
            Ok(Took::FromAnother) => {
                // This stop ends the other client's motion, not this context's. Any further stop counts for this one.
                self.conductor.order(Order::Halt);
                self.halts += 1;
                self.rest();
                Ok(())
            }
            Err(busy) => Err(Refusal::Taken { by: busy.by.to_string() }),
        }
    }

    /// Brakes the motion of this context. Motions of others continue.
    pub fn brake(&mut self) {
        if self.voice.holds() {
            self.conductor.order(Order::Halt);
        }
    }

    /// Releases control, so that other clients may move the robot.
    pub fn leave_floor(&mut self) {
        self.stream = None;
        self.voice.release();
    }

    /// Changes the priority and returns the previous one.
    pub fn raise(&mut self, rank: Rank) -> Rank {
        self.voice.raise(rank)
    }

    /// Starts a new request with the stop epoch of its arrival. A later stop cancels it.
    pub const fn begin(&mut self, halts: u64) {
        self.halts = halts;
    }

    /// Returns the stop epoch of the present request.
    #[must_use]
    pub const fn halts(&self) -> u64 {
        self.halts
    }

    /// Returns whether a stop arrived since the last `begin`.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.conductor.halts() != self.halts
    }

    /// Starts a planned trajectory without waiting for it.
    pub fn follow(&mut self, trajectory: Trajectory, fresh: bool) {
        if fresh {
            self.stream = Some(self.motion("stream"));
        }
        self.conductor.order(Order::Play { trajectory, fresh, halts: self.halts });
    }

    /// Acquires control and plans a motion from the present goal position.
    ///
    /// # Errors
    /// Returns a [`Refusal`]. Nothing has moved then.
    pub fn plan(&mut self, motion: &Motion) -> Result<Trajectory, Refusal> {
        self.may_move(&self.conductor.snapshot())?;
        self.take_floor()?;
        let snapshot = self.conductor.snapshot();
        planned(motion, &snapshot, self.conductor.period(), self.automatic_body_yaw)
    }

    fn may_move(&self, snapshot: &Snapshot) -> Result<(), Refusal> {
        if self.is_stopped() {
            return Err(Refusal::Stopped);
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
        if !self.is_told {
            return Span::none();
        }
        known(tracing::info_span!("motion", id = Empty, kind, outcome = Empty))
    }

    /// Plays a planned trajectory to its end. Also returns the raw clamps.
    pub fn play(&mut self, kind: &str, trajectory: Trajectory) -> (TrimLog, Step) {
        let requested = PostureView::from(&trajectory.target);
        let mut trims = outcome::adjustments(&trajectory.adjustments);
        self.stream = None;
        let span = self.motion(kind).entered();
        let snapshot = self.conductor.play(trajectory, self.halts);
        span.record("outcome", snapshot.ended.as_ref().map(ended));
        drop(span);
        trims.extend(outcome::trims(&snapshot.trims, self.conductor.period()));
        let refusal = match snapshot.ended {
            Some(Ended::Halted) => Some("motion was stopped before its end".into()),
            Some(Ended::Faulted) => Some(
                snapshot
                    .fault
                    .as_ref()
                    .map_or_else(|| "the robot failed".into(), |fault| format!("the robot failed: {fault}")),
            ),
            Some(Ended::Arrived) | None => None,
        };
        let achieved = view_of(&snapshot);
        (
            snapshot.trims,
            Step { kind: kind.into(), requested: Some(requested), achieved, trims, refusal, began_s: None },
        )
    }

    /// Waits until the robot is at rest after a stop.
    pub fn rest(&mut self) {
        self.conductor.wait(&|snapshot| snapshot.doing != Doing::Braking);
        self.stream = None;
    }

    /// Waits for the end of the present motion, or for a stop.
    pub fn play_out(&mut self) -> Snapshot {
        let halts = self.halts;
        let snapshot = self.conductor.wait(&|snapshot| snapshot.ended.is_some() || snapshot.halts != halts);
        self.stream = None;
        snapshot
    }

    /// Waits for the robot to settle and measures its pose.
    pub fn settle(&mut self) -> Option<PostureView> {
        let until = self.conductor.stage_now() + SETTLE_TIME;
        view_of(&self.pass_until(until))
    }

    /// Advances robot time to `until`, or to a stop.
    pub fn pass_until(&mut self, until: Tick) -> Snapshot {
        let period = u64::try_from(self.conductor.period().as_nanos()).unwrap_or(u64::MAX).max(1);
        let beats = until.0 / period;
        let halts = self.halts;
        self.conductor.watch(&|snapshot| snapshot.beats >= beats || snapshot.halts != halts)
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
            let step = self.carry_out(kind, motion);
            whole.requested = step.requested.or(whole.requested);
            whole.achieved = step.achieved.or(whole.achieved);
            whole.trims.extend(step.trims);
            whole.refusal = step.refusal;
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
    /// Returns [`Refusal::Taken`] while another client is in control.
    pub fn torque(&mut self, on: Joints<bool>) -> Result<Snapshot, Refusal> {
        self.take_floor()?;
        self.conductor.wait(&is_quiet);
        self.conductor.order(Order::Torque(on));
        Ok(self.conductor.wait(&|_| true))
    }

    /// Sets the control mode after the running motion.
    ///
    /// # Errors
    /// Returns a [`Refusal`] if the motors do not accept it.
    pub fn control(&mut self, control: Control) -> Result<(), Refusal> {
        self.take_floor()?;
        let quiet = self.conductor.wait(&is_quiet);
        self.may_move(&quiet)?;
        self.conductor.order(Order::Control(control));
        let halts = self.halts;
        let snapshot = self.conductor.wait(&|snapshot| {
            snapshot.control == control || snapshot.fault.is_some() || snapshot.halts != halts
        });
        let fault = snapshot.refused.as_ref().or(snapshot.fault.as_ref());
        match fault {
            Some(fault) => Err(Refusal::Fault { reason: fault.to_string() }),
            None if snapshot.control == control => Ok(()),
            None => Err(Refusal::Stopped),
        }
    }

    /// Sets other limits after the running motion.
    ///
    /// With less deceleration than at its start, a motion could not brake within the limits.
    pub fn limit(&mut self, limits: Limits) {
        self.conductor.wait(&is_quiet);
        self.conductor.order(Order::Limits(limits));
        self.conductor.wait(&|_| true);
    }

    /// Returns the pose from the present positions of the motors.
    #[must_use]
    pub fn posture(&self) -> Option<Posture> {
        posture_of(&self.conductor.snapshot())
    }

    /// Returns the pose of the goal positions.
    #[must_use]
    pub fn commanded_posture(&self) -> Option<Posture> {
        posture_from_joints(&self.conductor.snapshot().commanded, &HeadPose::neutral()).ok()
    }

    /// Returns the present camera pose, or an error if the head pose is unknown.
    fn viewpoint(&self) -> Result<Viewpoint, NoFrame> {
        let head = self.posture().ok_or(NoFrame::NoPose)?.head;
        Ok(Viewpoint { at: self.conductor.stage_now(), head })
    }

    /// Returns the latest frame of the head's camera.
    ///
    /// # Errors
    /// Returns the reason why there is none.
    pub fn frame(&self) -> Result<Arc<Frame>, NoFrame> {
        self.eyes.newest(&self.viewpoint()?)
    }

    /// Returns the faces in the latest frame.
    ///
    /// # Errors
    /// Returns the reason why detection is impossible.
    pub fn faces(&mut self) -> Result<Sighting, NoSight> {
        let from = self.viewpoint()?;
        self.eyes.faces(&from)
    }

    /// Returns the objects in the latest frame, which takes a tenth of a second.
    ///
    /// # Errors
    /// Returns the reason why detection is impossible.
    pub fn things(&mut self) -> Result<Sighting, NoSight> {
        let from = self.viewpoint()?;
        self.eyes.things(&from)
    }

    /// Returns the perception and the camera pose.
    ///
    /// # Errors
    /// Returns an error if the head pose is unknown.
    pub fn sees(&mut self) -> Result<(&mut Eyes, Viewpoint), NoFrame> {
        let from = self.viewpoint()?;
        Ok((&mut self.eyes, from))
    }

    /// Returns the camera's name for people.
    #[must_use]
    pub fn camera_name(&self) -> String {
        self.eyes.camera_name()
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
/// Returns [`Refusal::NotFinite`] if the point gives no direction.
pub fn look_at(point: [f64; 3], duration: Duration) -> Result<Motion, Refusal> {
    let head = HeadPose::looking_at(point).ok_or(Refusal::NotFinite { what: "the direction to look in" })?;
    let target = Target { head: Some(head), body_yaw: Some(Radians::ZERO), antennas: None };
    Ok(Motion::Goto { target, duration, interpolation: Interpolation::Minjerk })
}

/// Plans a motion from the present goal position, without any command to the robot.
///
/// # Errors
/// Returns a [`Refusal`] if the motion is impossible.
pub fn planned(
    motion: &Motion,
    snapshot: &Snapshot,
    period: Duration,
    automatic_body_yaw: bool,
) -> Result<Trajectory, Refusal> {
    if snapshot.doing == Doing::Led {
        return Err(Refusal::Led);
    }
    let rules = PlanRules { limits: &snapshot.limits, period, automatic_body_yaw };
    motion.plan(&snapshot.commanded, &rules)
}

/// Returns the time over which a streamed target is reached, given the gap to the previous one.
///
/// It is the stream's own interval, so that a 50 Hz stream is smooth at 100 Hz. It is at least
/// a cycle and at most 50 ms.
/// `None` starts the stream.
#[must_use]
pub fn ramp(gap: Option<Duration>, period: Duration) -> Duration {
    gap.unwrap_or(MAX_RAMP).min(MAX_RAMP).max(period)
}

/// Checks whether the robot can move at all.
///
/// # Errors
/// Returns a [`Refusal`] with the reason.
pub fn is_able(snapshot: &Snapshot) -> Result<(), Refusal> {
    match &snapshot.fault {
        Some(fault) => Err(Refusal::Fault { reason: fault.to_string() }),
        None if snapshot.doing == Doing::Limp => Err(Refusal::Limp),
        None => Ok(()),
    }
}

/// Returns the name of a motion's result.
const fn ended(how: &Ended) -> &'static str {
    match how {
        Ended::Arrived => "arrived",
        Ended::Halted => "halted",
        Ended::Faulted => "faulted",
    }
}

fn is_quiet(snapshot: &Snapshot) -> bool {
    !matches!(snapshot.doing, Doing::Playing | Doing::Braking)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ramp_is_the_stream_interval_between_a_cycle_and_50_ms() {
        let [ms, seconds] = [Duration::from_millis, Duration::from_secs];
        for (gap, period, expected) in [
            (None, ms(10), ms(50)),
            (Some(ms(20)), ms(10), ms(20)),
            (Some(ms(1)), ms(10), ms(10)),
            (Some(seconds(3)), ms(10), ms(50)),
            // The slowest control loop runs ten cycles per second.
            (Some(ms(1)), ms(100), ms(100)),
            (None, ms(100), ms(100)),
        ] {
            assert_eq!(ramp(gap, period), expected, "{gap:?}");
        }
    }
}
