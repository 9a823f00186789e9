//! The beat: once per period, one wish passes the envelope and reaches the robot.
//!
//! Responsibilities: plays one trajectory at a time, brakes on halt, keeps what was trimmed, tells what the body did.
//! Threads: a [`Pulse`] is stepped by whoever owns it. In a rehearsal that is the caller, on a virtual clock; on a
//! robot it is the one thread of [`PulseThread`]. Both are a [`Conductor`] to those who ask for motion.
//! Units and frames: radians; stage time is beats times period, so that a late beat on the wall clock stretches
//! time but never changes which commands are sent.
//! Safety: the pulse never makes a command of its own; [`Envelope`] does.
//!
//! ```text
//!            Play                    last wish reached
//!  Holding ---------> Playing ---------------------------> Holding
//!     ^                  | Halt                               |
//!     |  at rest         v                                    | Torque(off)
//!     +------------- Braking                                  v
//!     +------------------------------ Torque(on) ----------- Limp
//! ```

mod thread;

use std::time::Duration;

use serde::Serialize;

pub use self::thread::{PulseHandle, PulseThread};
use crate::clock::{Clock, Tick};
use crate::envelope::{Envelope, TrimCause, Trims};
use crate::fault::Status;
use crate::joint::{Joint, Joints};
use crate::limits::Limits;
use crate::motion::Trajectory;
use crate::robot::{JointState, Reading, Robot, RobotFault};
use crate::servo::{Gains, Milliamps};
use crate::units::Radians;

/// How often a motor may miss its reading in a row before it counts as silent.
const MISSES_ALLOWED: u32 = 10;

/// How long a body may take to come to rest behind the last wish of a trajectory.
const LONGEST_LAG: Duration = Duration::from_secs(5);

/// What a pulse can be told.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "a box would be freed on the beat")]
pub enum Order {
    /// Play this from the next beat on, in place of what is playing.
    Play {
        /// One wish per beat.
        trajectory: Trajectory,
        /// Whether trims are counted from here on.
        fresh: bool,
        /// [`Conductor::halts`] when the motion was asked for: one that was planned before a halt is not begun after.
        halts: u64,
    },
    /// Brake to rest; nothing of the present motion is read after this, and nothing that was asked for before.
    Halt,
    /// Switch torque; a motor that is switched on holds where it is.
    Torque(Joints<bool>),
    /// Other limits from here on.
    Limits(Limits),
    /// How the motors hold from here on.
    Control(Control),
    /// Other gains for one motor's position loop.
    Gains(Joint, Gains),
    /// Lay the head down if that can be done, then release all torque.
    StowAndRelease,
}

/// How the motors hold the body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Control {
    /// At their positions, with all the torque it takes.
    #[default]
    Position,
    /// At their positions, with no more than this current: a hand can push them away.
    Compliant(Milliamps),
    /// The legs carry the head's weight and nothing else, so a hand can lead it; body and antennas are released.
    GravityCompensation,
}

/// What the pulse does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Doing {
    /// The last wish stands.
    Holding,
    /// A trajectory is read.
    Playing,
    /// Coming to rest after a halt.
    Braking,
    /// Some motor is off, so nothing moves.
    Limp,
}

/// How the last trajectory ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// Its last wish was commanded, as far as the envelope lets it.
    Arrived,
    /// It was stopped.
    Halted,
    /// The robot failed.
    Faulted,
}

/// What was trimmed of one joint, over a time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TrimCount {
    /// Why, when it was worst.
    pub cause: TrimCause,
    /// The greatest difference between wish and command.
    pub worst: Radians,
    /// On how many beats.
    pub beats: u32,
}

/// What was trimmed, joint by joint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TrimLog(pub Joints<Option<TrimCount>>);

impl TrimLog {
    fn note(&mut self, trims: &Trims) {
        for (joint, trim) in trims.iter() {
            if let Some(trim) = trim {
                self.add(joint, TrimCount { cause: trim.cause, worst: trim.amount.abs(), beats: 1 });
            }
        }
    }

    /// Adds another log to this one.
    pub fn merge(&mut self, other: &TrimLog) {
        for (joint, count) in other.0.iter() {
            if let Some(count) = count {
                self.add(joint, *count);
            }
        }
    }

    fn add(&mut self, joint: Joint, more: TrimCount) {
        let slot = &mut self.0[joint];
        let beats = slot.map_or(0, |count| count.beats).saturating_add(more.beats);
        let worst = slot.filter(|count| count.worst >= more.worst).unwrap_or(more);
        *slot = Some(TrimCount { beats, ..worst });
    }
}

/// What a pulse tells after each beat.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// Beats so far; stage time is this times the period.
    pub beats: u64,
    /// Orders taken so far.
    pub orders: u64,
    /// Beats that had passed when the last trajectory was taken.
    pub taken: u64,
    /// Halts taken so far.
    pub halts: u64,
    /// What it does.
    pub doing: Doing,
    /// How the last trajectory ended; none while one plays.
    pub ended: Option<Ended>,
    /// What the body does.
    pub state: JointState,
    /// The last goal positions.
    pub commanded: Joints,
    /// The limits in force.
    pub limits: Limits,
    /// What was trimmed since the last fresh trajectory began.
    pub trims: TrimLog,
    /// What is wrong with the body now.
    pub fault: Option<RobotFault>,
    /// Beats that began more than a period late.
    pub late: u64,
    /// How the motors hold.
    pub control: Control,
    /// The last fault that was noticed, and what came of it.
    pub status: Option<Status>,
}

/// One body under one envelope, beat by beat.
pub struct Pulse<R: Robot, C: Clock> {
    robot: R,
    clock: C,
    envelope: Envelope,
    period: Duration,
    next: Tick,
    playing: Option<Playing>,
    wish: Joints,
    misses: Joints<u32>,
    /// Whether an order has come since the last beat.
    ordered: bool,
    snapshot: Snapshot,
}

struct Playing {
    trajectory: Trajectory,
    place: usize,
    lag: Duration,
}

impl<R: Robot, C: Clock> Pulse<R, C> {
    /// A pulse that holds the robot where it is found.
    ///
    /// # Errors
    /// A [`RobotFault`] when the robot can't be sensed.
    pub fn new(mut robot: R, clock: C, limits: Limits, period: Duration) -> Result<Self, RobotFault> {
        let state = robot.sense(clock.now())?;
        let present = state.present()?;
        let all_on = state.is_driven();
        let snapshot = Snapshot {
            beats: 0,
            orders: 0,
            taken: 0,
            halts: 0,
            doing: if all_on { Doing::Holding } else { Doing::Limp },
            ended: None,
            state,
            commanded: present,
            limits,
            trims: TrimLog::default(),
            fault: None,
            late: 0,
            control: Control::Position,
            status: None,
        };
        Ok(Pulse {
            envelope: Envelope::at_rest(limits, present),
            next: clock.now() + period,
            robot,
            clock,
            period,
            playing: None,
            wish: present,
            misses: Joints::all(0),
            ordered: false,
            snapshot,
        })
    }

    /// What the last beat left.
    #[must_use]
    pub const fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// Takes an order; it acts from the next beat on.
    pub fn take(&mut self, order: Order) {
        self.snapshot.orders += 1;
        self.ordered = true;
        match order {
            Order::Play { trajectory, fresh, halts } => {
                self.snapshot.taken = self.snapshot.beats;
                if fresh {
                    self.snapshot.trims = TrimLog::default();
                }
                self.snapshot.ended = match self.snapshot.doing {
                    _ if halts != self.snapshot.halts => Some(Ended::Halted),
                    Doing::Limp => Some(Ended::Halted),
                    Doing::Holding | Doing::Playing | Doing::Braking => {
                        self.playing = Some(Playing { trajectory, place: 0, lag: Duration::ZERO });
                        self.snapshot.doing = Doing::Playing;
                        None
                    }
                };
            }
            Order::Halt => {
                self.snapshot.halts += 1;
                if self.playing.take().is_some() {
                    self.snapshot.ended = Some(Ended::Halted);
                }
                if self.snapshot.doing != Doing::Limp {
                    self.snapshot.doing = Doing::Braking;
                }
            }
            Order::Torque(on) => self.switch(on),
            Order::Limits(limits) => {
                self.envelope.set_limits(limits);
                self.snapshot.limits = limits;
            }
            Order::Control(_) | Order::Gains(..) | Order::StowAndRelease => {}
        }
    }

    /// One beat: waits for its moment, then commands and senses the robot once.
    pub fn step(&mut self) -> &Snapshot {
        self.await_moment();
        self.beat()
    }

    /// Waits for the moment of the next beat. Orders that are taken after this still act on it.
    fn await_moment(&self) {
        self.clock.wait_until(self.next);
    }

    fn beat(&mut self) -> &Snapshot {
        let at = self.next;
        self.next = at + self.period;
        let now = self.clock.now();
        if now > self.next {
            // Late by more than a beat: go on from here. Time is stretched; no beat is skipped, and none follows at
            // once, since two goals at the same moment would be twice the speed.
            self.snapshot.late += 1;
            self.next = now + self.period;
        }
        let command = match self.snapshot.doing {
            Doing::Limp => {
                let sensed = self.robot.sense(at);
                self.sensed(sensed);
                None
            }
            Doing::Braking => {
                let command = self.envelope.brake(self.period);
                self.wish = *self.envelope.position();
                if self.envelope.is_at_rest() {
                    self.snapshot.doing = Doing::Holding;
                }
                Some(command)
            }
            Doing::Holding | Doing::Playing => {
                if let Some(playing) = &mut self.playing
                    && let Some(wish) = playing.trajectory.wishes.get(playing.place)
                {
                    self.wish = *wish;
                    playing.place += 1;
                }
                let passage = self.envelope.pass(&self.wish, self.period);
                self.snapshot.trims.note(&passage.trims);
                Some(passage.command)
            }
        };
        if let Some(command) = command {
            let sensed = self.robot.beat(at, &command);
            if sensed.is_err() {
                // What did not arrive was not commanded: the next goal goes out from the last one that did.
                self.envelope.rejoin(self.snapshot.commanded);
                self.wish = self.snapshot.commanded;
            }
            self.sensed(sensed);
            self.snapshot.commanded = *self.envelope.position();
        }
        self.finish_trajectory();
        self.snapshot.beats += 1;
        self.ordered = false;
        &self.snapshot
    }

    fn finish_trajectory(&mut self) {
        let Some(playing) = &mut self.playing else { return };
        if self.snapshot.fault.is_some() {
            self.playing = None;
            self.snapshot.ended = Some(Ended::Faulted);
            self.snapshot.doing = Doing::Braking;
        } else if playing.place >= playing.trajectory.wishes.len() {
            playing.lag += self.period;
            if self.envelope.is_at_rest() || playing.lag > LONGEST_LAG {
                self.playing = None;
                self.snapshot.ended = Some(Ended::Arrived);
                self.snapshot.doing = Doing::Holding;
            }
        }
    }

    fn switch(&mut self, on: Joints<bool>) {
        if self.snapshot.doing != Doing::Limp && self.snapshot.state.torque == on {
            return;
        }
        let at = self.clock.now();
        if self.playing.take().is_some() {
            self.snapshot.ended = Some(Ended::Halted);
        }
        let sensed = self.robot.sense(at);
        self.sensed(sensed);
        let driven = self.snapshot.state.torque;
        let switched = self.robot.beat(at, &Envelope::torque(on));
        self.sensed(switched);
        if let Ok(present) = self.snapshot.state.present() {
            // A motor that was off holds where it is now. One that was on and stays on keeps its goal: the present
            // position lags behind it, and to aim there would be a jump back.
            let state = &self.snapshot.state;
            let held = Joints::from_fn(|joint| {
                let stays = driven[joint] && state.torque[joint];
                if stays { self.snapshot.commanded[joint] } else { present[joint] }
            });
            self.envelope.rejoin(held);
            self.wish = held;
            self.snapshot.commanded = held;
        }
        let all_on = self.snapshot.state.is_driven();
        self.snapshot.doing = if all_on { Doing::Holding } else { Doing::Limp };
    }

    fn sensed(&mut self, sensed: Result<JointState, RobotFault>) {
        match sensed {
            Ok(state) => {
                let misses = &mut self.misses;
                for (joint, reading) in state.readings.iter() {
                    let missed = !matches!(reading, Reading::Fresh(_));
                    misses[joint] = if missed { misses[joint].saturating_add(1) } else { 0 };
                }
                self.snapshot.fault = Joint::ALL
                    .into_iter()
                    .find(|joint| misses[*joint] > MISSES_ALLOWED)
                    .map(|joint| RobotFault::Silent { joint });
                self.snapshot.state = state;
            }
            Err(fault) => {
                let JointState { at: since, readings, .. } = &mut self.snapshot.state;
                *readings = readings.map(|reading| match reading {
                    Reading::Fresh(last) => Reading::Stale { since: *since, last },
                    old => old,
                });
                self.snapshot.fault = Some(fault);
            }
        }
    }
}

/// The side of a pulse that those hold who ask for motion.
pub trait Conductor: Send {
    /// The time of one beat.
    fn period(&self) -> Duration;

    /// What the last beat left.
    fn snapshot(&self) -> Snapshot;

    /// How many halts were ordered so far, taken or not: whoever acts on a wish compares it with what it was when the
    /// wish was heard.
    fn halts(&self) -> u64;

    /// Hands over an order; it acts from the next beat on.
    fn order(&mut self, order: Order);

    /// Lets beats pass until `done`; at least until all orders so far have had their beat. Returns at once when no beat
    /// can come any more.
    fn wait(&mut self, done: &dyn Fn(&Snapshot) -> bool) -> Snapshot;

    /// Lets beats pass until `done`, none if that is so already: an order may still be on its way then.
    fn watch(&mut self, done: &dyn Fn(&Snapshot) -> bool) -> Snapshot;

    /// Stage time: beats times period.
    fn stage_now(&self) -> Tick {
        let period = u64::try_from(self.period().as_nanos()).unwrap_or(u64::MAX);
        Tick(self.snapshot().beats.saturating_mul(period))
    }

    /// Plays a trajectory to its end; one that was asked for before the last halt is not begun.
    fn play(&mut self, trajectory: Trajectory, halts: u64) -> Snapshot {
        self.order(Order::Play { trajectory, fresh: true, halts });
        self.wait(&|snapshot| snapshot.ended.is_some())
    }
}

/// A pulse on a clock that its caller drives: each wait steps it.
impl<R: Robot, C: Clock> Conductor for Pulse<R, C> {
    fn period(&self) -> Duration {
        self.period
    }

    fn snapshot(&self) -> Snapshot {
        self.snapshot.clone()
    }

    fn halts(&self) -> u64 {
        self.snapshot.halts
    }

    fn order(&mut self, order: Order) {
        self.take(order);
    }

    fn wait(&mut self, done: &dyn Fn(&Snapshot) -> bool) -> Snapshot {
        if self.ordered {
            self.step();
        }
        self.watch(done)
    }

    fn watch(&mut self, done: &dyn Fn(&Snapshot) -> bool) -> Snapshot {
        while !done(&self.snapshot) {
            self.step();
        }
        self.snapshot.clone()
    }
}

#[cfg(test)]
mod tests;
