//! Who may move the body: one voice at a time, the more urgent before the less.
//!
//! A stop and what is done about faults stand above all of this and ask nobody. Below them, in falling order: a
//! teleoperation lease, clients of the API, tools, agents, and what the robot does by itself. A voice takes the floor
//! with its first motion and gives it back when it is done, or when it goes away; one of the same rank waits its turn,
//! one of a higher rank takes the floor from it, after its motion has been braked.
//!
//! Threads: any; nothing here waits. Safety: the floor only decides whose wish is heard. What may be commanded is
//! decided by the envelope, for everybody.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;

/// How urgent a voice is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rank {
    /// What the robot does by itself.
    Idle,
    /// An agent, or a person by way of one.
    Agent,
    /// A tool.
    Tool,
    /// A client of the API.
    Client,
    /// A person who steers the robot from afar and has leased it.
    Lease,
}

/// The floor of one body.
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

/// What was found when the floor was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Took {
    /// Nobody held it, or this voice already did.
    Free,
    /// A less urgent voice held it; its motion has to be braked.
    FromAnother,
}

/// Somebody else holds the floor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Busy {
    /// Who.
    pub by: Arc<str>,
}

impl Arbiter {
    /// A voice that asks for the floor under this name.
    #[must_use]
    pub fn voice(self: &Arc<Self>, rank: Rank, name: &str) -> Voice {
        let id = self.voices.fetch_add(1, Ordering::Relaxed);
        Voice { arbiter: self.clone(), id, rank, name: name.into() }
    }

    /// Who holds the floor.
    #[must_use]
    pub fn holder(&self) -> Option<(Rank, Arc<str>)> {
        self.lock().as_ref().map(|holder| (holder.rank, holder.name.clone()))
    }

    fn lock(&self) -> MutexGuard<'_, Option<Holder>> {
        self.floor.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Somebody who may want to move the body. Dropping it gives the floor back.
#[derive(Debug)]
pub struct Voice {
    arbiter: Arc<Arbiter>,
    id: u64,
    rank: Rank,
    name: Arc<str>,
}

impl Voice {
    /// How urgent it is.
    #[must_use]
    pub const fn rank(&self) -> Rank {
        self.rank
    }

    /// Speaks with another urgency from now on; returns the one before.
    pub fn raise(&mut self, rank: Rank) -> Rank {
        let before = std::mem::replace(&mut self.rank, rank);
        let mut floor = self.arbiter.lock();
        if let Some(holder) = floor.as_mut().filter(|holder| holder.voice == self.id) {
            holder.rank = rank;
        }
        before
    }

    /// Takes the floor.
    ///
    /// # Errors
    /// [`Busy`] when another voice holds it that is at least as urgent.
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

    /// Whether it has the floor.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.arbiter.lock().as_ref().is_some_and(|holder| holder.voice == self.id)
    }

    /// Gives the floor back, if this voice holds it.
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
    fn the_more_urgent_takes_the_floor_and_equals_wait() {
        let arbiter = Arc::new(Arbiter::default());
        let agent = arbiter.voice(Rank::Agent, "the agent");
        let client = arbiter.voice(Rank::Client, "a client");
        let other = arbiter.voice(Rank::Client, "another client");
        assert_eq!(agent.take(), Ok(Took::Free));
        assert_eq!(agent.take(), Ok(Took::Free));
        assert_eq!(client.take(), Ok(Took::FromAnother));
        assert_eq!(agent.take(), Err(Busy { by: "a client".into() }));
        assert_eq!(other.take(), Err(Busy { by: "a client".into() }));
        // Who lost the floor can't give it away.
        assert!(client.holds() && !agent.holds());
        agent.release();
        assert_eq!(arbiter.holder(), Some((Rank::Client, "a client".into())));
        client.release();
        assert_eq!(other.take(), Ok(Took::Free));
        drop(other);
        assert_eq!(arbiter.holder(), None);
    }

    #[test]
    fn a_tool_speaks_louder_while_it_performs() {
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
