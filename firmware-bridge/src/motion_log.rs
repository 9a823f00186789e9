//! Logs the goals and positions of a robot in each cycle: the evidence behind a physical report.

use std::sync::{Arc, Mutex, PoisonError, TryLockError};

use crate::clock::Timestamp;
use crate::envelope::{Action, SafeCommand};
use crate::joint::Joints;
use crate::robot::{JointState, Robot, RobotError};

/// One cycle of the log.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoggedCycle {
    /// The goal positions that were sent.
    pub goal: Joints,
    /// The present positions that were read, or the goal of a motor that did not answer.
    pub present: Joints,
}

/// The first cycles of a robot since the log was last taken; all clones share the same cycles. It never grows beyond
/// its initial capacity, so a robot may run for days.
#[derive(Clone, Debug)]
pub struct MotionLog(Arc<Mutex<Vec<LoggedCycle>>>);

impl MotionLog {
    /// Creates a log with a capacity of `cycles` cycles.
    #[must_use]
    pub fn with_room_for(cycles: usize) -> Self {
        MotionLog(Arc::new(Mutex::new(Vec::with_capacity(cycles))))
    }

    /// Takes the cycles out and leaves the log empty.
    #[must_use]
    pub fn take(&self) -> Vec<LoggedCycle> {
        // The next cycle must not wait for an allocation, so it happens before the lock.
        let room = self.0.lock().unwrap_or_else(PoisonError::into_inner).capacity();
        let mut taken = Vec::with_capacity(room);
        std::mem::swap(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner), &mut taken);
        taken
    }
}

/// A robot that logs its goal positions.
pub struct LoggingRobot<R> {
    robot: R,
    log: MotionLog,
    /// Cycles that arrived while the log was locked; they are added before the next one.
    pending: Vec<LoggedCycle>,
}

/// Capacity of that buffer; taking the log out takes less than one cycle.
const PENDING_CAPACITY: usize = 16;

impl<R: Robot> LoggingRobot<R> {
    /// Wraps a robot.
    pub fn new(robot: R, trace: MotionLog) -> Self {
        LoggingRobot { robot, log: trace, pending: Vec::with_capacity(PENDING_CAPACITY) }
    }

    /// Logs a cycle without waiting for the lock.
    fn motion_log(&mut self, cycle: LoggedCycle) {
        push_within_capacity(&mut self.pending, cycle);
        let mut cycles = match self.log.0.try_lock() {
            Ok(cycles) => cycles,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return,
        };
        self.pending.drain(..).for_each(|cycle| push_within_capacity(&mut cycles, cycle));
    }
}

impl<R: Robot> Robot for LoggingRobot<R> {
    fn read_state(&mut self, at: Timestamp) -> Result<JointState, RobotError> {
        self.robot.read_state(at)
    }

    fn write_command(&mut self, at: Timestamp, command: &SafeCommand) -> Result<JointState, RobotError> {
        let state = self.robot.write_command(at, command)?;
        if let Action::Targets(goal) = command.action() {
            let present = Joints::from_fn(|joint| state.readings[joint].known().unwrap_or(goal[joint]));
            self.motion_log(LoggedCycle { goal: *goal, present });
        }
        Ok(state)
    }
}

/// Adds a cycle if there is capacity left.
fn push_within_capacity(cycles: &mut Vec<LoggedCycle>, cycle: LoggedCycle) {
    if cycles.len() < cycles.capacity() {
        cycles.push(cycle);
    }
}
