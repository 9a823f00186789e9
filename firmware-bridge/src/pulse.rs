//! The beat: once per period, one wish passes the envelope and reaches the robot.
//!
//! Responsibilities: plays one trajectory at a time, brakes on halt, keeps what was trimmed, tells what the body did.
//! Threads: a [`Pulse`] is stepped by whoever owns it. In a rehearsal that is the caller, on a virtual clock; on a
//! robot it is the one thread of [`PulseThread`]. Both are a [`Conductor`] to those who ask for motion.
//! Units and frames: radians; stage time is beats times period, so that a late beat on the wall clock stretches
//! time but never changes which commands are sent.
//! Safety: the pulse never makes a command of its own; the envelope does. What is done about a fault is decided in
//! `guard`, which only looks; `stow` is the way by which the head is laid down before torque is released.
//!
//! ```text
//!            Play                    last wish reached
//!  Holding ---------> Playing ---------------------------> Holding
//!     ^                  | Halt                               |
//!     |  at rest         v                                    | Torque(off)
//!     +------------- Braking                                  v
//!     +------------------------------ Torque(on) ----------- Limp <--head laid down-- Stowing
//!     +--Control(GravityCompensation)--> Led --Control(Position), Halt--> Holding
//! ```
//!
//! Reading order: here (what can be ordered and is told), `beat` (one beat), `guard` and `stow` (faults), `thread`,
//! `privilege` and `rhythm` (beats on time, and how regular they are), `tap` (what each beat did, for those who keep it).

mod beat;
mod guard;
mod lead;
mod privilege;
mod rhythm;
mod stow;
mod tap;
mod thread;

use std::time::Duration;

use serde::Serialize;

pub use self::beat::Pulse;
pub use self::privilege::{ALLOW_MEMORY, ALLOW_PRIORITY, Privilege};
pub use self::rhythm::{Regularity, Spread};
pub use self::tap::{BeatRecord, Tap};
pub use self::thread::{PulseHandle, PulseThread};
use crate::clock::Tick;
use crate::envelope::{Trim, TrimCause, Trims};
use crate::fault::Status;
use crate::joint::{Joint, Joints};
use crate::limits::Limits;
use crate::motion::Trajectory;
use crate::robot::{JointState, RobotFault};
use crate::servo::{Gains, Milliamps};
use crate::units::Radians;

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
    /// The legs carry the head's weight, and a hand leads it.
    Led,
    /// The head is laid down, to release all torque then.
    Stowing,
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
    /// Beats from the start of the motion, or stream of targets, to the first of them.
    pub first_beat: u64,
    /// Beats from the start of the motion in which it was worst to the worst of them.
    pub worst_beat: u64,
}

/// What was trimmed, joint by joint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TrimLog(pub Joints<Option<TrimCount>>);

impl TrimLog {
    fn note(&mut self, trims: &Trims, beat: u64) {
        for (joint, trim) in trims.iter() {
            if let Some(Trim { cause, amount }) = *trim {
                let worst = amount.abs();
                self.add(joint, TrimCount { cause, worst, beats: 1, first_beat: beat, worst_beat: beat });
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
        let first_beat = slot.map_or(more.first_beat, |count| count.first_beat);
        let worst = slot.filter(|count| count.worst >= more.worst).unwrap_or(more);
        *slot = Some(TrimCount { beats, first_beat, ..worst });
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
    /// What the motors did not take of the last order.
    pub refused: Option<RobotFault>,
    /// Beats that began more than a period late.
    pub late: u64,
    /// How the motors hold.
    pub control: Control,
    /// The last fault that was noticed, and what came of it.
    pub status: Option<Status>,
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

#[cfg(test)]
mod tests;
