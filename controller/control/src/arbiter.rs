//! Decides which client is in control of the robot: one at a time, by priority.
//!
//! A stop and the reactions to faults are above all clients and need no control. Below them, in falling order: a
//! teleoperation lease, API clients, tools, agents, and the robot's own idle behaviour. A claim acquires control with
//! its first motion. It releases control when it is done or dropped. A claim of the same priority waits. A claim of a
//! higher priority takes control, after the other one's motion has been braked.
//!
//! Threads: any; nothing here waits. Safety: control only decides which client's commands are used. The envelope
//! decides what may be commanded, for every client alike.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;

/// The priority of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rank {
    /// The robot's own idle behaviour.
    Idle,
    /// An agent, or a person who acts through one.
    Agent,
    /// A tool.
    Tool,
    /// An API client.
    Client,
    /// A person who teleoperates the robot and holds a lease.
    Lease,
}

/// The control of one robot.
#[derive(Debug, Default)]
pub struct Arbiter {
    floor: Mutex<Option<Holder>>,
    voices: AtomicU64,
}

#[derive(Clone, Debug)]
struct Holder {
    voice: u64,
    rank: Rank,
    name: Arc<str>,
}

/// The state when control was acquired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Took {
    /// Control was free, or this claim already had it.
    Free,
    /// A claim of lower priority had control. Its motion must be braked.
    FromAnother,
}

/// Another client is in control.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Busy {
    /// Name of that client.
    pub by: Arc<str>,
}

impl Arbiter {
    /// Creates a claim with this priority and name.
    #[must_use]
    pub fn voice(self: &Arc<Self>, rank: Rank, name: &str) -> Voice {
        let id = self.voices.fetch_add(1, Ordering::Relaxed);
        Voice { arbiter: self.clone(), id, rank, name: name.into() }
    }

    /// Returns the client that is in control.
    #[must_use]
    pub fn holder(&self) -> Option<(Rank, Arc<str>)> {
        self.lock().as_ref().map(|holder| (holder.rank, holder.name.clone()))
    }

    fn lock(&self) -> MutexGuard<'_, Option<Holder>> {
        self.floor.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A client's claim to control the robot. Dropping it releases control.
#[derive(Debug)]
pub struct Voice {
    arbiter: Arc<Arbiter>,
    id: u64,
    rank: Rank,
    name: Arc<str>,
}

impl Voice {
    /// Returns the priority.
    #[must_use]
    pub const fn rank(&self) -> Rank {
        self.rank
    }

    /// Changes the priority and returns the previous one.
    pub fn raise(&mut self, rank: Rank) -> Rank {
        let before = std::mem::replace(&mut self.rank, rank);
        let mut floor = self.arbiter.lock();
        if let Some(holder) = floor.as_mut().filter(|holder| holder.voice == self.id) {
            holder.rank = rank;
        }
        before
    }

    /// Acquires control.
    ///
    /// # Errors
    /// Returns [`Busy`] if a claim of at least this priority is in control.
    pub fn take(&self) -> Result<Took, Busy> {
        let mut floor = self.arbiter.lock();
        let took = match floor.as_ref() {
            Some(holder) if holder.voice == self.id => return Ok(Took::Free),
            Some(holder) if holder.rank >= self.rank => return Err(Busy { by: holder.name.clone() }),
            Some(_) => Took::FromAnother,
            None => Took::Free,
        };
        *floor = Some(Holder { voice: self.id, rank: self.rank, name: self.name.clone() });
        Ok(took)
    }

    /// Returns whether this claim is in control.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.arbiter.lock().as_ref().is_some_and(|holder| holder.voice == self.id)
    }

    /// Releases control, if this claim has it.
    pub fn release(&self) {
        let mut floor = self.arbiter.lock();
        if floor.as_ref().is_some_and(|holder| holder.voice == self.id) {
            *floor = None;
        }
    }
}

impl Drop for Voice {
    fn drop(&mut self) {
        self.release();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn higher_priority_takes_control_and_equal_priority_waits() {
        let arbiter = Arc::new(Arbiter::default());
        let agent = arbiter.voice(Rank::Agent, "the agent");
        let client = arbiter.voice(Rank::Client, "a client");
        let other = arbiter.voice(Rank::Client, "another client");
        assert_eq!(agent.take(), Ok(Took::Free));
        assert_eq!(agent.take(), Ok(Took::Free));
        assert_eq!(client.take(), Ok(Took::FromAnother));
        assert_eq!(agent.take(), Err(Busy { by: "a client".into() }));
        assert_eq!(other.take(), Err(Busy { by: "a client".into() }));
        // A claim that lost control cannot release it.
        assert!(client.holds() && !agent.holds());
        agent.release();
        assert_eq!(arbiter.holder(), Some((Rank::Client, "a client".into())));
        client.release();
        assert_eq!(other.take(), Ok(Took::Free));
        drop(other);
        assert_eq!(arbiter.holder(), None);
    }

    #[test]
    fn raised_priority_keeps_control_during_a_tool_run() {
        let arbiter = Arc::new(Arbiter::default());
        let mut tool = arbiter.voice(Rank::Agent, "a tool");
        let agent = arbiter.voice(Rank::Agent, "an agent");
        assert_eq!(agent.take(), Ok(Took::Free));
        let before = tool.raise(Rank::Tool);
        assert_eq!(tool.take(), Ok(Took::FromAnother));
        tool.raise(before);
        assert_eq!(arbiter.holder(), Some((Rank::Agent, "a tool".into())));
    }
}
