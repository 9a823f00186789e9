//! The control loop: in each cycle, one setpoint passes the envelope and reaches the robot.
//!
//! Responsibilities: plays one trajectory at a time, brakes on a stop, records clamped setpoints and reports the state
//! of the robot.
//!
//! Threads: the owner of a [`ControlLoop`] steps it. In a rehearsal that is the caller, on a virtual clock; on a robot it is
//! the single thread of [`ControlLoopThread`]. Clients that request motion use both as a [`LoopClient`].
//!
//! Units and frames: radians. Robot time is cycles times period, so a late cycle stretches time but never changes which
//! commands are sent.
//!
//! Safety: only the envelope creates commands, never the control loop. `fault_monitor` decides how to handle a fault, and only
//! decides. `stow` computes the path on which the head is lowered before torque is released.
//!
//! ```text
//!            Play                    last goal reached
//!  Holding ---------> Moving ---------------------------> Holding
//!     ^                  | Stop                               |
//!     |  at rest         v                                    | Torque(off)
//!     +------------- Stopping                                  v
//!     +------------------------------ Torque(on) ----------- TorqueOff <--head lowered--- Stowing
//!     +--ControlMode(GravityCompensation)--> HandGuiding --ControlMode(Position), Stop--> Holding
//! ```
//!
//! Reading order:
//!
//! * this file: commands and reports.
//! * `cycle`: one cycle.
//! * `fault_monitor` and `stow`: faults.
//! * `thread`, `realtime` and `timing`: the thread, its scheduling and its timing statistics.
//! * `cycle_log`: a record of each cycle.

mod cycle;
mod cycle_log;
mod fault_monitor;
mod hand_guiding;
mod realtime;
mod stow;
mod thread;
mod timing;

use std::time::Duration;

use serde::Serialize;

pub use self::cycle::ControlLoop;
pub use self::cycle_log::{CycleReceiver, CycleRecord};
pub use self::realtime::{MEMORY_LOCK_HINT, PRIORITY_HINT, RealtimeScheduling};
pub use self::thread::{ControlLoopHandle, ControlLoopThread};
pub use self::timing::{Percentiles, TimingStats};
use crate::clock::Timestamp;
use crate::envelope::{Clamp, ClampCause, Clamps};
use crate::fault::FaultReport;
use crate::joint::{Joint, Joints};
use crate::limits::Limits;
use crate::motion::Trajectory;
use crate::robot::{JointState, RobotError};
use crate::servo::{Gains, Milliamps};
use crate::units::Radians;

/// Maximum time for the robot to come to rest after the last setpoint of a trajectory.
const MAX_SETTLING_TIME: Duration = Duration::from_secs(5);

/// A command to the control loop.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "a box would be freed on the beat")]
pub enum LoopCommand {
    /// Play this trajectory from the next cycle on, replacing the current one.
    Play {
        /// The trajectory, with one setpoint per cycle.
        trajectory: Trajectory,
        /// Whether to restart the count of clamped cycles.
        reset_clamps: bool,
        /// The value of [`LoopClient::stop_epoch`] when the motion was requested. A motion that was planned before a stop
        /// does not start after it.
        stop_epoch: u64,
    },
    /// Brake to rest. The current motion ends, and no motion that was requested before the stop starts after it.
    Stop,
    /// Switch torque. A motor whose torque is enabled holds its present position.
    Torque(Joints<bool>),
    /// Set new limits.
    Limits(Limits),
    /// Set how the motors hold the robot.
    ControlMode(ControlMode),
    /// Set the gains of one motor's position loop.
    Gains(Joint, Gains),
    /// Lower the head if possible, then release all torque. While a motor restarts after a fault, this does nothing.
    StowAndRelease,
}

/// How the motors hold the robot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ControlMode {
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
pub enum MotionState {
    /// The last setpoint remains.
    Holding,
    /// A trajectory is playing.
    #[serde(rename = "playing")]
    Moving,
    /// The robot comes to rest after a stop.
    #[serde(rename = "braking")]
    Stopping,
    /// The torque of at least one motor is off, so nothing moves.
    #[serde(rename = "limp")]
    TorqueOff,
    /// The legs compensate the head's weight, and a hand guides it.
    #[serde(rename = "led")]
    HandGuiding,
    /// The head is being lowered, before all torque is released.
    Stowing,
}

/// How the last trajectory ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MoveResult {
    /// The last setpoint was commanded, as far as the envelope permits.
    #[serde(rename = "arrived")]
    Succeeded,
    /// It was stopped.
    #[serde(rename = "halted")]
    Canceled,
    /// The robot had a fault.
    #[serde(rename = "faulted")]
    Aborted,
}

/// The clamped setpoints of one joint over a period of time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ClampCount {
    /// The cause of the largest difference.
    pub cause: ClampCause,
    /// The largest difference between setpoint and command.
    pub worst: Radians,
    /// The number of clamped cycles.
    #[serde(rename = "beats")]
    pub cycles: u32,
    /// The cycles from the start of the motion, or of the stream of targets, to the first clamped cycle.
    #[serde(rename = "first_beat")]
    pub first_cycle: u64,
    /// The cycles from the start of the motion with the largest difference to the cycle in which it occurred.
    #[serde(rename = "worst_beat")]
    pub worst_cycle: u64,
}

/// The clamped setpoints of each joint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClampLog(pub Joints<Option<ClampCount>>);

impl ClampLog {
    fn record(&mut self, clamps: &Clamps, cycle: u64) {
        for (joint, clamp) in clamps.iter() {
            if let Some(Clamp { cause, amount }) = *clamp {
                let worst = amount.abs();
                self.add(
                    joint,
                    ClampCount { cause, worst, cycles: 1, first_cycle: cycle, worst_cycle: cycle },
                );
            }
        }
    }

    /// Adds another log to this one.
    pub fn merge(&mut self, other: &ClampLog) {
        for (joint, count) in other.0.iter() {
            if let Some(count) = count {
                self.add(joint, *count);
            }
        }
    }

    fn add(&mut self, joint: Joint, more: ClampCount) {
        let slot = &mut self.0[joint];
        let cycles = slot.map_or(0, |count| count.cycles).saturating_add(more.cycles);
        let first_cycle = slot.map_or(more.first_cycle, |count| count.first_cycle);
        let worst = slot.filter(|count| count.worst >= more.worst).unwrap_or(more);
        *slot = Some(ClampCount { cycles, first_cycle, ..worst });
    }
}

/// The state that the control loop publishes after each cycle.
#[derive(Clone, Debug)]
pub struct LoopSnapshot {
    /// The number of cycles so far; robot time is this times the period.
    pub cycles: u64,
    /// The number of commands applied so far.
    pub commands_taken: u64,
    /// The number of cycles before the last trajectory was applied.
    pub move_start_cycle: u64,
    /// The number of stops applied so far.
    pub stop_epoch: u64,
    /// The state of the control loop.
    pub motion_state: MotionState,
    /// How the last trajectory ended; `None` while one is playing.
    pub move_result: Option<MoveResult>,
    /// The state of the robot.
    pub state: JointState,
    /// The last goal positions.
    pub goal: Joints,
    /// The current limits.
    pub limits: Limits,
    /// The clamped setpoints since the count was last restarted.
    pub clamps: ClampLog,
    /// The current fault of the robot.
    pub fault: Option<RobotError>,
    /// The part of the last command that the motors rejected.
    pub refused: Option<RobotError>,
    /// The number of cycles that began more than a period late.
    pub overruns: u64,
    /// How the motors hold the robot.
    pub control_mode: ControlMode,
    /// The last detected fault, and its recovery.
    pub last_fault: Option<FaultReport>,
}

/// The interface of the control loop for clients that request motion.
pub trait LoopClient: Send {
    /// Returns the duration of one cycle.
    fn period(&self) -> Duration;

    /// Returns the state after the last cycle.
    fn snapshot(&self) -> LoopSnapshot;

    /// Returns the number of stops so far, applied or not. A client compares it with the value at the time of its
    /// request.
    fn stop_epoch(&self) -> u64;

    /// Sends a command, which takes effect in the next cycle.
    fn send_command(&mut self, order: LoopCommand);

    /// Waits until `done`, and at least until a cycle has applied all earlier commands. Returns immediately if no
    /// further cycle can run.
    fn wait(&mut self, done: &dyn Fn(&LoopSnapshot) -> bool) -> LoopSnapshot;

    /// Waits until `done`; returns immediately if it is already true. An earlier command may not have been applied
    /// then.
    fn watch(&mut self, done: &dyn Fn(&LoopSnapshot) -> bool) -> LoopSnapshot;

    /// Returns the robot time: cycles times period.
    fn robot_time(&self) -> Timestamp {
        let period = u64::try_from(self.period().as_nanos()).unwrap_or(u64::MAX);
        Timestamp(self.snapshot().cycles.saturating_mul(period))
    }

    /// Plays a trajectory to its end. It does not start if it was requested before the last stop.
    fn play(&mut self, trajectory: Trajectory, stop_epoch: u64) -> LoopSnapshot {
        self.send_command(LoopCommand::Play { trajectory, reset_clamps: true, stop_epoch });
        self.wait(&|snapshot| snapshot.move_result.is_some())
    }
}

#[cfg(test)]
mod tests;
