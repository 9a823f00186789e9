//! Keeps what a robot was told and what it did, beat by beat: the evidence behind a physical report.

use std::sync::{Arc, Mutex, PoisonError, TryLockError};

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
    /// Beats that came while somebody was taking the trace out; they go in before the next.
    aside: Vec<Beat>,
}

/// Taking a trace out lasts less than one beat.
const ASIDE: usize = 16;

impl<R: Robot> Traced<R> {
    /// Wraps a robot.
    pub fn new(robot: R, trace: Trace) -> Self {
        Traced { robot, trace, aside: Vec::with_capacity(ASIDE) }
    }

    /// Keeps a beat, without waiting for whoever holds the trace.
    fn keep(&mut self, beat: Beat) {
        push(&mut self.aside, beat);
        let mut beats = match self.trace.0.try_lock() {
            Ok(beats) => beats,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return,
        };
        self.aside.drain(..).for_each(|beat| push(&mut beats, beat));
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
            self.keep(Beat { goal: *goal, present });
        }
        Ok(state)
    }
}

/// Adds a beat if there is room for it.
fn push(beats: &mut Vec<Beat>, beat: Beat) {
    if beats.len() < beats.capacity() {
        beats.push(beat);
    }
}
