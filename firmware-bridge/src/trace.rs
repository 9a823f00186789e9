//! Logs the goals and positions of a robot in each cycle: the evidence behind a physical report.

use std::sync::{Arc, Mutex, PoisonError, TryLockError};

use crate::clock::Tick;
use crate::envelope::{Action, SafeCommand};
use crate::joint::Joints;
use crate::robot::{JointState, Robot, RobotFault};

/// One cycle of the log.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Beat {
    /// The goal positions that were sent.
    pub goal: Joints,
    /// The present positions that were read, or the goal of a motor that did not answer.
    pub present: Joints,
}

/// The first cycles of a robot since the log was last taken; all clones share the same cycles. It never grows beyond
/// its initial capacity, so a robot may run for days.
#[derive(Clone, Debug)]
pub struct Trace(Arc<Mutex<Vec<Beat>>>);

impl Trace {
    /// Creates a log with a capacity of `beats` cycles.
    #[must_use]
    pub fn with_room_for(beats: usize) -> Self {
        Trace(Arc::new(Mutex::new(Vec::with_capacity(beats))))
    }

    /// Takes the cycles out and leaves the log empty.
    #[must_use]
    pub fn take(&self) -> Vec<Beat> {
        // The next cycle must not wait for an allocation, so it happens before the lock.
        let room = self.0.lock().unwrap_or_else(PoisonError::into_inner).capacity();
        let mut taken = Vec::with_capacity(room);
        std::mem::swap(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner), &mut taken);
        taken
    }
}

/// A robot that logs its goal positions.
pub struct Traced<R> {
    robot: R,
    trace: Trace,
    /// Cycles that arrived while the log was locked; they are added before the next one.
    pending: Vec<Beat>,
}

/// Capacity of that buffer; taking the log out takes less than one cycle.
const ASIDE: usize = 16;

impl<R: Robot> Traced<R> {
    /// Wraps a robot.
    pub fn new(robot: R, trace: Trace) -> Self {
        Traced { robot, trace, pending: Vec::with_capacity(ASIDE) }
    }

    /// Logs a cycle without waiting for the lock.
    fn log(&mut self, beat: Beat) {
        push_within_capacity(&mut self.pending, beat);
        let mut beats = match self.trace.0.try_lock() {
            Ok(beats) => beats,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return,
        };
        self.pending.drain(..).for_each(|beat| push_within_capacity(&mut beats, beat));
    }
}

impl<R: Robot> Robot for Traced<R> {
    fn sense(&mut self, at: Tick) -> Result<JointState, RobotFault> {
        self.robot.sense(at)
    }

    fn beat(&mut self, at: Tick, command: &SafeCommand) -> Result<JointState, RobotFault> {
        let state = self.robot.beat(at, command)?;
        if let Action::Targets(goal) = command.action() {
            let present = Joints::from_fn(|joint| state.readings[joint].known().unwrap_or(goal[joint]));
            self.log(Beat { goal: *goal, present });
        }
        Ok(state)
    }
}

/// Adds a cycle if there is capacity left.
fn push_within_capacity(beats: &mut Vec<Beat>, beat: Beat) {
    if beats.len() < beats.capacity() {
        beats.push(beat);
    }
}
