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
pub enum Priority {
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
    control: Mutex<Option<Holder>>,
    claims: AtomicU64,
}

#[derive(Clone, Debug)]
struct Holder {
    claim: u64,
    priority: Priority,
    name: Arc<str>,
}

/// The state when control was acquired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acquired {
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
    pub fn claim(self: &Arc<Self>, priority: Priority, name: &str) -> Claim {
        let id = self.claims.fetch_add(1, Ordering::Relaxed);
        Claim { arbiter: self.clone(), id, priority, name: name.into() }
    }

    /// Returns the client that is in control.
    #[must_use]
    pub fn holder(&self) -> Option<(Priority, Arc<str>)> {
        self.lock().as_ref().map(|holder| (holder.priority, holder.name.clone()))
    }

    fn lock(&self) -> MutexGuard<'_, Option<Holder>> {
        self.control.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A client's claim to control the robot. Dropping it releases control.
#[derive(Debug)]
pub struct Claim {
    arbiter: Arc<Arbiter>,
    id: u64,
    priority: Priority,
    name: Arc<str>,
}

impl Claim {
    /// Returns the priority.
    #[must_use]
    pub const fn priority(&self) -> Priority {
        self.priority
    }

    /// Changes the priority and returns the previous one.
    pub fn raise(&mut self, priority: Priority) -> Priority {
        let before = std::mem::replace(&mut self.priority, priority);
        let mut floor = self.arbiter.lock();
        if let Some(holder) = floor.as_mut().filter(|holder| holder.claim == self.id) {
            holder.priority = priority;
        }
        before
    }

    /// Acquires control.
    ///
    /// # Errors
    /// Returns [`Busy`] if a claim of at least this priority is in control.
    pub fn acquire(&self) -> Result<Acquired, Busy> {
        let mut floor = self.arbiter.lock();
        let took = match floor.as_ref() {
            Some(holder) if holder.claim == self.id => return Ok(Acquired::Free),
            Some(holder) if holder.priority >= self.priority => return Err(Busy { by: holder.name.clone() }),
            Some(_) => Acquired::FromAnother,
            None => Acquired::Free,
        };
        *floor = Some(Holder { claim: self.id, priority: self.priority, name: self.name.clone() });
        Ok(took)
    }

    /// Returns whether this claim is in control.
    #[must_use]
    pub fn has_control(&self) -> bool {
        self.arbiter.lock().as_ref().is_some_and(|holder| holder.claim == self.id)
    }

    /// Releases control, if this claim has it.
    pub fn release(&self) {
        let mut floor = self.arbiter.lock();
        if floor.as_ref().is_some_and(|holder| holder.claim == self.id) {
            *floor = None;
        }
    }
}

impl Drop for Claim {
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
        let agent = arbiter.claim(Priority::Agent, "the agent");
        let client = arbiter.claim(Priority::Client, "a client");
        let other = arbiter.claim(Priority::Client, "another client");
        assert_eq!(agent.acquire(), Ok(Acquired::Free));
        assert_eq!(agent.acquire(), Ok(Acquired::Free));
        assert_eq!(client.acquire(), Ok(Acquired::FromAnother));
        assert_eq!(agent.acquire(), Err(Busy { by: "a client".into() }));
        assert_eq!(other.acquire(), Err(Busy { by: "a client".into() }));
        // A claim that lost control cannot release it.
        assert!(client.has_control() && !agent.has_control());
        agent.release();
        assert_eq!(arbiter.holder(), Some((Priority::Client, "a client".into())));
        client.release();
        assert_eq!(other.acquire(), Ok(Acquired::Free));
        drop(other);
        assert_eq!(arbiter.holder(), None);
    }

    #[test]
    fn raised_priority_keeps_control_during_a_tool_run() {
        let arbiter = Arc::new(Arbiter::default());
        let mut tool = arbiter.claim(Priority::Agent, "a tool");
        let agent = arbiter.claim(Priority::Agent, "an agent");
        assert_eq!(agent.acquire(), Ok(Acquired::Free));
        let before = tool.raise(Priority::Tool);
        assert_eq!(tool.acquire(), Ok(Acquired::FromAnother));
        tool.raise(before);
        assert_eq!(arbiter.holder(), Some((Priority::Agent, "a tool".into())));
    }
}
