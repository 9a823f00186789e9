//! Keeps what a robot was told and what it did, beat by beat: the evidence behind a physical report.

use std::sync::{Arc, Mutex, PoisonError};

use crate::clock::Tick;
use crate::envelope::{Action, SafeCommand};
use crate::joint::Joints;
use crate::robot::{JointState, Robot, RobotFault};

/// One beat of a trace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Beat {
    /// The goal positions that were sent.
    pub goal: Joints,
    /// The present positions that were read; a motor that did not answer shows its goal.
    pub present: Joints,
}

/// The first beats of a robot since its trace was last taken; all clones see the same beats. It never grows beyond
/// the room it was made with, so a robot may beat for days.
#[derive(Clone, Debug)]
pub struct Trace(Arc<Mutex<Vec<Beat>>>);

impl Trace {
    /// A trace with room for `beats`.
    #[must_use]
    pub fn with_room_for(beats: usize) -> Self {
        Trace(Arc::new(Mutex::new(Vec::with_capacity(beats))))
    }

    /// Takes the beats out, and begins anew.
    #[must_use]
    pub fn take(&self) -> Vec<Beat> {
        // The next beat must not wait while room is made, so it is made before.
        let room = self.0.lock().unwrap_or_else(PoisonError::into_inner).capacity();
        let mut taken = Vec::with_capacity(room);
        std::mem::swap(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner), &mut taken);
        taken
    }
}

/// A robot that keeps a trace of its goal positions.
pub struct Traced<R> {
    robot: R,
    trace: Trace,
}

impl<R: Robot> Traced<R> {
    /// Wraps a robot.
    pub const fn new(robot: R, trace: Trace) -> Self {
        Traced { robot, trace }
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
            let mut beats = self.trace.0.lock().unwrap_or_else(PoisonError::into_inner);
            if beats.len() < beats.capacity() {
                beats.push(Beat { goal: *goal, present });
            }
        }
        Ok(state)
    }
}
