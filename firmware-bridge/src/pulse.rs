//! The control loop: in each cycle, one setpoint passes the envelope and reaches the robot.
//!
//! Responsibilities: plays one trajectory at a time, brakes on a stop, records clamped setpoints and reports the state
//! of the robot.
//!
//! Threads: the owner of a [`Pulse`] steps it. In a rehearsal that is the caller, on a virtual clock; on a robot it is
//! the single thread of [`PulseThread`]. Clients that request motion use both as a [`Conductor`].
//!
//! Units and frames: radians. Robot time is cycles times period, so a late cycle stretches time but never changes which
//! commands are sent.
//!
//! Safety: only the envelope creates commands, never the control loop. `guard` decides how to handle a fault, and only
//! decides. `stow` computes the path on which the head is lowered before torque is released.
//!
//! ```text
//!            Play                    last goal reached
//!  Holding ---------> Playing ---------------------------> Holding
//!     ^                  | Halt                               |
//!     |  at rest         v                                    | Torque(off)
//!     +------------- Braking                                  v
//!     +------------------------------ Torque(on) ----------- Limp <--head lowered--- Stowing
//!     +--Control(GravityCompensation)--> Led --Control(Position), Halt--> Holding
//! ```
//!
//! Reading order:
//!
//! * this file: commands and reports.
//! * `beat`: one cycle.
//! * `guard` and `stow`: faults.
//! * `thread`, `privilege` and `rhythm`: the thread, its scheduling and its timing statistics.
//! * `tap`: a record of each cycle.

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

/// Maximum time for the robot to come to rest after the last setpoint of a trajectory.
const LONGEST_LAG: Duration = Duration::from_secs(5);

/// A command to the control loop.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "a box would be freed on the beat")]
pub enum Order {
    /// Play this trajectory from the next cycle on, replacing the current one.
    Play {
        /// The trajectory, with one setpoint per cycle.
        trajectory: Trajectory,
        /// Whether to restart the count of clamped cycles.
        fresh: bool,
        /// The value of [`Conductor::halts`] when the motion was requested. A motion that was planned before a stop
        /// does not start after it.
        halts: u64,
    },
    /// Brake to rest. The current motion ends, and no motion that was requested before the stop starts after it.
    Halt,
    /// Switch torque. A motor whose torque is enabled holds its present position.
    Torque(Joints<bool>),
    /// Set new limits.
    Limits(Limits),
    /// Set how the motors hold the robot.
    Control(Control),
    /// Set the gains of one motor's position loop.
    Gains(Joint, Gains),
    /// Lower the head if possible, then release all torque.
    StowAndRelease,
}

/// How the motors hold the robot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Control {
    /// At their positions, with full torque.
    #[default]
    Position,
    /// At their positions with at most this current, so that a hand can push them away.
    Compliant(Milliamps),
    /// The legs only compensate the head's weight, so that a hand can guide it. Body and antennas are released.
    GravityCompensation,
}

/// The state of the control loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Doing {
    /// The last setpoint remains.
    Holding,
    /// A trajectory is playing.
    Playing,
    /// The robot comes to rest after a stop.
    Braking,
    /// The torque of at least one motor is off, so nothing moves.
    Limp,
    /// The legs compensate the head's weight, and a hand guides it.
    Led,
    /// The head is being lowered, before all torque is released.
    Stowing,
}

/// How the last trajectory ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// The last setpoint was commanded, as far as the envelope permits.
    Arrived,
    /// It was stopped.
    Halted,
    /// The robot had a fault.
    Faulted,
}

/// The clamped setpoints of one joint over a period of time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TrimCount {
    /// The cause of the largest difference.
    pub cause: TrimCause,
    /// The largest difference between setpoint and command.
    pub worst: Radians,
    /// The number of clamped cycles.
    pub beats: u32,
    /// The cycles from the start of the motion, or of the stream of targets, to the first clamped cycle.
    pub first_beat: u64,
    /// The cycles from the start of the motion with the largest difference to the cycle in which it occurred.
    pub worst_beat: u64,
}

/// The clamped setpoints of each joint.
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

/// The state that the control loop publishes after each cycle.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The number of cycles so far; robot time is this times the period.
    pub beats: u64,
    /// The number of commands applied so far.
    pub orders: u64,
    /// The number of cycles before the last trajectory was applied.
    pub taken: u64,
    /// The number of stops applied so far.
    pub halts: u64,
    /// The state of the control loop.
    pub doing: Doing,
    /// How the last trajectory ended; `None` while one is playing.
    pub ended: Option<Ended>,
    /// The state of the robot.
    pub state: JointState,
    /// The last goal positions.
    pub commanded: Joints,
    /// The current limits.
    pub limits: Limits,
    /// The clamped setpoints since the count was last restarted.
    pub trims: TrimLog,
    /// The current fault of the robot.
    pub fault: Option<RobotFault>,
    /// The part of the last command that the motors rejected.
    pub refused: Option<RobotFault>,
    /// The number of cycles that began more than a period late.
    pub late: u64,
    /// How the motors hold the robot.
    pub control: Control,
    /// The last detected fault, and its recovery.
    pub status: Option<Status>,
}

/// The interface of the control loop for clients that request motion.
pub trait Conductor: Send {
    /// Returns the duration of one cycle.
    fn period(&self) -> Duration;

    /// Returns the state after the last cycle.
    fn snapshot(&self) -> Snapshot;

    /// Returns the number of stops so far, applied or not. A client compares it with the value at the time of its
    /// request.
    fn halts(&self) -> u64;

    /// Sends a command, which takes effect in the next cycle.
    fn order(&mut self, order: Order);

    /// Waits until `done`, and at least until a cycle has applied all earlier commands. Returns immediately if no
    /// further cycle can run.
    fn wait(&mut self, done: &dyn Fn(&Snapshot) -> bool) -> Snapshot;

    /// Waits until `done`; returns immediately if it is already true. An earlier command may not have been applied
    /// then.
    fn watch(&mut self, done: &dyn Fn(&Snapshot) -> bool) -> Snapshot;

    /// Returns the robot time: cycles times period.
    fn stage_now(&self) -> Tick {
        let period = u64::try_from(self.period().as_nanos()).unwrap_or(u64::MAX);
        Tick(self.snapshot().beats.saturating_mul(period))
    }

    /// Plays a trajectory to its end. It does not start if it was requested before the last stop.
    fn play(&mut self, trajectory: Trajectory, halts: u64) -> Snapshot {
        self.order(Order::Play { trajectory, fresh: true, halts });
        self.wait(&|snapshot| snapshot.ended.is_some())
    }
}

#[cfg(test)]
mod tests;
