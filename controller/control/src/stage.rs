//! The place where motions happen: a pulse and a camera. The mock in virtual time and the motors on the wall clock are
//! both a stage; nothing above this line can tell which.
//!
//! Safety: a halt ends all that was asked for before it, also what is only being planned. The pulse counts halts, and
//! the stage heeds every one since it was last told to begin anew; none is ever taken back.

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

/// The greatest time over which a streamed target is reached; the least is a beat.
const LONGEST_RAMP: Duration = Duration::from_millis(50);

/// How long the body is left to settle before what was achieved is measured.
const SETTLE: Duration = Duration::from_millis(150);

/// A pulse and a camera.
pub struct Stage {
    /// Whoever beats the body.
    pub conductor: Box<dyn Conductor>,
    /// Whether the body follows the head's yaw.
    pub automatic_body_yaw: bool,
    /// Halts that are over and done with.
    halts: u64,
    voice: Voice,
    eyes: Eyes,
    /// Whether its motions are told as spans: those of a real body are, and not those of a rehearsal.
    is_told: bool,
    /// The stream of targets that is followed.
    stream: Option<Span>,
}

impl Stage {
    /// A stage around a conductor that nobody else asks for motion.
    #[must_use]
    pub fn new(conductor: Box<dyn Conductor>, eyes: impl Into<Eyes>) -> Self {
        let voice = Arc::new(Arbiter::default()).voice(Rank::Agent, "the only one");
        Stage { is_told: false, ..Stage::shared(conductor, eyes.into(), voice) }
    }

    /// A stage around a conductor that others ask for motion too.
    #[must_use]
    pub fn shared(conductor: Box<dyn Conductor>, eyes: Eyes, voice: Voice) -> Self {
        let halts = conductor.halts();
        Stage { halts, conductor, automatic_body_yaw: true, voice, eyes, is_told: true, stream: None }
    }

    /// Takes the floor, and brakes what a less urgent voice has begun.
    ///
    /// # Errors
    /// [`Refusal::Taken`] while a voice holds it that is as urgent or more.
    pub fn take_floor(&mut self) -> Result<(), Refusal> {
        match self.voice.take() {
            Ok(Took::Free) => Ok(()),
            Ok(Took::FromAnother) => {
                // This halt is the other's end and not this one's; any further one is.
                self.conductor.order(Order::Halt);
                self.halts += 1;
                self.rest();
                Ok(())
            }
            Err(busy) => Err(Refusal::Taken { by: busy.by.to_string() }),
        }
    }

    /// Brakes what was begun here; what others have begun goes on.
    pub fn brake(&mut self) {
        if self.voice.holds() {
            self.conductor.order(Order::Halt);
        }
    }

    /// Gives the floor back: others may move the body again.
    pub fn leave_floor(&mut self) {
        self.stream = None;
        self.voice.release();
    }

    /// Speaks with another urgency from now on; returns the one before.
    pub fn raise(&mut self, rank: Rank) -> Rank {
        self.voice.raise(rank)
    }

    /// Begins anew with a wish that was heard when there had been so many halts; a later one ends it.
    pub const fn begin(&mut self, halts: u64) {
        self.halts = halts;
    }

    /// The halts that it heeds.
    #[must_use]
    pub const fn halts(&self) -> u64 {
        self.halts
    }

    /// Whether stop was said since the stage began anew.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.conductor.halts() != self.halts
    }

    /// Begins to play a planned trajectory, and does not wait for it.
    pub fn follow(&mut self, trajectory: Trajectory, fresh: bool) {
        if fresh {
            self.stream = Some(self.motion("stream"));
        }
        self.conductor.order(Order::Play { trajectory, fresh, halts: self.halts });
    }

    /// Takes the floor and plans a motion from where the body is commanded to be.
    ///
    /// # Errors
    /// A [`Refusal`]; nothing has moved then.
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

    /// Carries out one motion to its end, and says what came of it.
    pub fn carry_out(&mut self, kind: &str, motion: &Motion) -> Step {
        match self.plan(motion) {
            Ok(trajectory) => self.play(kind, trajectory).1,
            Err(refusal) => Step::refused(kind, refusal),
        }
    }

    /// The span of a motion, from when it is handed to the body to its end. One that belongs to nothing else has an id.
    fn motion(&self, kind: &str) -> Span {
        if !self.is_told {
            return Span::none();
        }
        known(tracing::info_span!("motion", id = Empty, kind, outcome = Empty))
    }

    /// Plays a planned trajectory to its end. Also returns the raw trims.
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

    /// Waits until the body is at rest after a halt.
    pub fn rest(&mut self) {
        self.conductor.wait(&|snapshot| snapshot.doing != Doing::Braking);
        self.stream = None;
    }

    /// Lets the motion in progress come to its end, less if stop is said.
    pub fn play_out(&mut self) -> Snapshot {
        let halts = self.halts;
        let snapshot = self.conductor.wait(&|snapshot| snapshot.ended.is_some() || snapshot.halts != halts);
        self.stream = None;
        snapshot
    }

    /// Waits a moment and measures.
    pub fn settle(&mut self) -> Option<PostureView> {
        let until = self.conductor.stage_now() + SETTLE;
        view_of(&self.pass_until(until))
    }

    /// Lets stage time pass, less if stop is said.
    pub fn pass_until(&mut self, until: Tick) -> Snapshot {
        let period = u64::try_from(self.conductor.period().as_nanos()).unwrap_or(u64::MAX).max(1);
        let beats = until.0 / period;
        let halts = self.halts;
        self.conductor.watch(&|snapshot| snapshot.beats >= beats || snapshot.halts != halts)
    }

    /// The motions of waking up: up to the initial posture, a small tilt and back (the official durations).
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

    /// The motions of going to sleep: by the initial posture down to the sleep posture.
    #[must_use]
    pub fn resting() -> Vec<Motion> {
        let goto = |posture: &Posture, seconds| Motion::Goto {
            target: Target::of(posture),
            duration: Duration::from_secs_f64(seconds),
            interpolation: Interpolation::Minjerk,
        };
        vec![goto(&Posture::init(), 1.0), goto(&Posture::sleep(), 2.0)]
    }

    /// Carries out several motions as one step; the first refusal ends it.
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

    /// Switches the torque of all motors, or of some, once what plays has ended.
    ///
    /// # Errors
    /// [`Refusal::Taken`] while somebody else moves the body.
    pub fn torque(&mut self, on: Joints<bool>) -> Result<Snapshot, Refusal> {
        self.take_floor()?;
        self.conductor.wait(&is_quiet);
        self.conductor.order(Order::Torque(on));
        Ok(self.conductor.wait(&|_| true))
    }

    /// How the motors hold from now on, once what plays has ended.
    ///
    /// # Errors
    /// A [`Refusal`] when they do not take it.
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

    /// Other limits, once what plays has ended: with less deceleration than a motion began with, it could not be braked
    /// inside the limits.
    pub fn limit(&mut self, limits: Limits) {
        self.conductor.wait(&is_quiet);
        self.conductor.order(Order::Limits(limits));
        self.conductor.wait(&|_| true);
    }

    /// Where the body is, from the motors' own positions.
    #[must_use]
    pub fn posture(&self) -> Option<Posture> {
        posture_of(&self.conductor.snapshot())
    }

    /// Where the body is told to be.
    #[must_use]
    pub fn commanded_posture(&self) -> Option<Posture> {
        posture_from_joints(&self.conductor.snapshot().commanded, &HeadPose::neutral()).ok()
    }

    /// From where the camera sees now; none when it can't be told where the head is.
    fn viewpoint(&self) -> Result<Viewpoint, NoFrame> {
        let head = self.posture().ok_or(NoFrame::NoPose)?.head;
        Ok(Viewpoint { at: self.conductor.stage_now(), head })
    }

    /// The newest frame of the head's camera.
    ///
    /// # Errors
    /// Why there is none.
    pub fn frame(&self) -> Result<Arc<Frame>, NoFrame> {
        self.eyes.newest(&self.viewpoint()?)
    }

    /// The faces in the newest frame.
    ///
    /// # Errors
    /// Why nothing can be said.
    pub fn faces(&mut self) -> Result<Sighting, NoSight> {
        let from = self.viewpoint()?;
        self.eyes.faces(&from)
    }

    /// The things in the newest frame; takes a tenth of a second.
    ///
    /// # Errors
    /// Why nothing can be said.
    pub fn things(&mut self) -> Result<Sighting, NoSight> {
        let from = self.viewpoint()?;
        self.eyes.things(&from)
    }

    /// What it sees with, and from where.
    ///
    /// # Errors
    /// When it can't be told where the head is.
    pub fn sees(&mut self) -> Result<(&mut Eyes, Viewpoint), NoFrame> {
        let from = self.viewpoint()?;
        Ok((&mut self.eyes, from))
    }

    /// The camera's name, for people.
    #[must_use]
    pub fn camera_name(&self) -> String {
        self.eyes.camera_name()
    }
}

/// The interpolation of the body for the one of the wire.
#[must_use]
pub const fn interpolation(method: Method) -> Interpolation {
    match method {
        Method::Linear => Interpolation::Linear,
        Method::Minjerk => Interpolation::Minjerk,
        Method::EaseInOut => Interpolation::EaseInOut,
        Method::Cartoon => Interpolation::Cartoon,
    }
}

/// The head's x axis towards a point in the world frame, metres, its translation zero, the body ahead: what the
/// official `look_at_world` does.
///
/// # Errors
/// [`Refusal::NotFinite`] when the point gives no direction.
pub fn look_at(point: [f64; 3], duration: Duration) -> Result<Motion, Refusal> {
    let head = HeadPose::looking_at(point).ok_or(Refusal::NotFinite { what: "the direction to look in" })?;
    let target = Target { head: Some(head), body_yaw: Some(Radians::ZERO), antennas: None };
    Ok(Motion::Goto { target, duration, interpolation: Interpolation::Minjerk })
}

/// Plans a motion from where a body is commanded to be. Nothing is asked of it.
///
/// # Errors
/// A [`Refusal`] says why the motion can't be made.
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

/// Over which time a streamed target is reached that comes so long after the one before it; none begins the stream. It is
/// the stream's own interval, so that a 50 Hz stream is smooth at 100 Hz, within a beat and 50 ms.
#[must_use]
pub fn ramp(gap: Option<Duration>, period: Duration) -> Duration {
    gap.unwrap_or(LONGEST_RAMP).min(LONGEST_RAMP).max(period)
}

/// Whether the body can move at all.
///
/// # Errors
/// A [`Refusal`] says why it can't.
pub fn is_able(snapshot: &Snapshot) -> Result<(), Refusal> {
    match &snapshot.fault {
        Some(fault) => Err(Refusal::Fault { reason: fault.to_string() }),
        None if snapshot.doing == Doing::Limp => Err(Refusal::Limp),
        None => Ok(()),
    }
}

/// How a motion ended, in a word.
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
    fn a_ramp_is_the_streams_interval_within_a_beat_and_fifty_milliseconds() {
        let [ms, seconds] = [Duration::from_millis, Duration::from_secs];
        for (gap, period, expected) in [
            (None, ms(10), ms(50)),
            (Some(ms(20)), ms(10), ms(20)),
            (Some(ms(1)), ms(10), ms(10)),
            (Some(seconds(3)), ms(10), ms(50)),
            // The slowest pulse beats ten times a second.
            (Some(ms(1)), ms(100), ms(100)),
            (None, ms(100), ms(100)),
        ] {
            assert_eq!(ramp(gap, period), expected, "{gap:?}");
        }
    }
}
