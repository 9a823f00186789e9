//! Which commands may act ([`Guard`]): fresh ones, once, from callers that are not revoked, and not too many.
//!
//! It decides purely: the time is an argument. All times are those of the robot's own clock, so the clocks of callers do not
//! matter. A command of an earlier session never acts, because each session of the agent has a random epoch that commands
//! name; a delayed one expires; a repeated one is known by its id; one that was issued before the latest stop is too old.

use std::collections::{HashMap, HashSet};

use uuid::Uuid;

use crate::keys::Name;
use crate::messages::{Command, Operation, Refusal};

/// The longest time that a command may be valid, milliseconds.
pub const MAX_LIFETIME_MS: f64 = 60_000.0;

/// How far the time of issue may lie ahead, milliseconds: the error of a measured clock offset.
const MAX_AHEAD_MS: f64 = 1000.0;

/// How old a stop without an epoch may be, milliseconds.
const MAX_STOP_AGE_MS: f64 = 5000.0;

/// The most ids that are remembered. Each is forgotten when its command has expired.
const MAX_IDS: usize = 8192;

/// The most callers that have a budget of their own.
const MAX_CALLERS: usize = 256;

/// The commands per second of one caller, and how many may come at once.
const CALLER_RATE: (f64, f64) = (10.0, 20.0);

/// The commands per second of all callers, and how many may come at once.
const TOTAL_RATE: (f64, f64) = (40.0, 60.0);

/// Stops have a budget of their own, so that a flood of other commands never delays one.
const STOP_RATE: (f64, f64) = (20.0, 20.0);

/// Questions for status and tools per second, and how many may come at once.
const READ_RATE: (f64, f64) = (100.0, 200.0);

/// A refusal and its reason.
pub type Refused = (Refusal, String);

/// Decides which commands may act.
#[derive(Debug)]
pub struct Guard {
    epoch: Uuid,
    owner: Option<Name>,
    revoked: HashSet<Name>,
    /// The ids that were used, and when their commands expire.
    ids: HashMap<Uuid, f64>,
    /// The time of issue of the newest command of each caller.
    newest: HashMap<String, f64>,
    stopped_ms: f64,
    total: Bucket,
    stops: Bucket,
    reads: Bucket,
    callers: HashMap<String, Bucket>,
}

impl Guard {
    /// Returns a guard for a session of an agent.
    #[must_use]
    pub fn new(epoch: Uuid, owner: Option<Name>, revoked: HashSet<Name>) -> Self {
        Guard {
            epoch,
            owner,
            revoked,
            ids: HashMap::new(),
            newest: HashMap::new(),
            stopped_ms: f64::NEG_INFINITY,
            total: Bucket::new(TOTAL_RATE),
            stops: Bucket::new(STOP_RATE),
            reads: Bucket::new(READ_RATE),
            callers: HashMap::new(),
        }
    }

    /// Takes a message from the budget of its caller, before it is read. Returns false if there are too many.
    #[must_use]
    pub fn has_budget(&mut self, caller: &str, now_ms: f64) -> bool {
        if !self.callers.contains_key(caller) && self.callers.len() >= MAX_CALLERS {
            self.callers.retain(|_, bucket| !bucket.is_full(now_ms));
            if self.callers.len() >= MAX_CALLERS {
                return false;
            }
        }
        let own = self.callers.entry(caller.to_owned()).or_insert_with(|| Bucket::new(CALLER_RATE));
        // One caller alone must not use up what all have.
        own.take(now_ms) && self.total.take(now_ms)
    }

    /// Decides about a command, and remembers it.
    ///
    /// # Errors
    /// The refusal, for the caller and the log.
    pub fn check(&mut self, caller: &str, command: &Command, now_ms: f64) -> Result<(), Refused> {
        let is_stop = matches!(command.operation, Operation::Stop {});
        let stale = |reason: String| Err((Refusal::Stale, reason));
        let caller_name = caller.parse::<Name>();
        if caller_name.as_ref().is_ok_and(|name| self.revoked.contains(name)) {
            return Err((Refusal::Forbidden, format!("{caller} is revoked in this fleet")));
        }
        if let Operation::Revoke { member } = &command.operation
            && (self.owner.is_none()
                || caller_name.as_ref().ok() != self.owner.as_ref()
                || Some(member) == self.owner.as_ref())
        {
            return Err((
                Refusal::Forbidden,
                "only the owner of the fleet revokes members, and not itself".into(),
            ));
        }
        match command.epoch {
            Some(epoch) if epoch != self.epoch => {
                return stale(
                    "it is for an earlier session of this robot; read the robot's status and send it again"
                        .into(),
                );
            }
            None if !is_stop => {
                return stale(
                    "it names no session of this robot; send the `epoch` of the robot's status".into(),
                );
            }
            None if (now_ms - command.issued_ms).abs() > MAX_STOP_AGE_MS => {
                return stale("a stop without an epoch must be at most 5 s old by the robot's clock".into());
            }
            _ => {}
        }
        if command.expires_ms <= now_ms {
            return stale(format!("it expired {:.0} ms ago", now_ms - command.expires_ms));
        }
        if command.expires_ms - now_ms > MAX_LIFETIME_MS {
            return stale("it is valid for too long; at most 60 s".into());
        }
        // A stop without an epoch has the time of its caller's clock.
        if command.epoch.is_some() && command.issued_ms > now_ms + MAX_AHEAD_MS {
            return stale(format!(
                "it was issued in {:.0} ms by the robot's clock",
                command.issued_ms - now_ms
            ));
        }
        if command.start_ms.is_some_and(|start| start > command.expires_ms) {
            return stale("it would begin after it expires".into());
        }
        if self.ids.contains_key(&command.id) {
            return Err((Refusal::Replayed, format!("the id {} was used before", command.id)));
        }
        if !is_stop {
            if command.issued_ms < self.stopped_ms {
                return stale("it was issued before the latest stop".into());
            }
            if self.newest.get(caller).is_some_and(|newest| command.issued_ms < *newest) {
                return stale(format!("a newer command of {caller} has arrived before it"));
            }
        }
        if self.ids.len() >= MAX_IDS {
            self.ids.retain(|_, expires| *expires > now_ms);
        }
        if self.ids.len() >= MAX_IDS {
            return Err((Refusal::Busy, "too many commands are valid at the same time".into()));
        }
        self.ids.insert(command.id, command.expires_ms);
        if is_stop {
            self.stopped_ms = self.stopped_ms.max(now_ms);
        } else {
            if self.newest.len() >= MAX_CALLERS {
                self.newest.retain(|_, newest| *newest > now_ms - MAX_LIFETIME_MS);
            }
            self.newest.insert(caller.to_owned(), command.issued_ms);
        }
        if let Operation::Revoke { member } = &command.operation {
            self.revoked.insert(member.clone());
        }
        Ok(())
    }

    /// Takes a stop from the budget of stops. Where it is used up, the robot is already stopping.
    #[must_use]
    pub fn may_stop(&mut self, now_ms: f64) -> bool {
        self.stops.take(now_ms)
    }

    /// Takes a question for status or tools from their budget.
    #[must_use]
    pub fn may_read(&mut self, now_ms: f64) -> bool {
        self.reads.take(now_ms)
    }

    /// Returns whether a command that waited may still begin.
    #[must_use]
    pub fn may_begin(&self, command: &Command, now_ms: f64) -> bool {
        command.expires_ms > now_ms && command.issued_ms >= self.stopped_ms
    }
}

/// A token bucket.
#[derive(Debug)]
struct Bucket {
    per_s: f64,
    most: f64,
    level: f64,
    at_ms: f64,
}

impl Bucket {
    fn new((per_s, most): (f64, f64)) -> Self {
        Bucket { per_s, most, level: most, at_ms: f64::NEG_INFINITY }
    }

    fn refill(&mut self, now_ms: f64) {
        if self.at_ms.is_finite() {
            self.level = (self.level + (now_ms - self.at_ms).max(0.0) / 1e3 * self.per_s).min(self.most);
        }
        self.at_ms = now_ms;
    }

    fn take(&mut self, now_ms: f64) -> bool {
        self.refill(now_ms);
        let is_there = self.level >= 1.0;
        if is_there {
            self.level -= 1.0;
        }
        is_there
    }

    fn is_full(&mut self, now_ms: f64) -> bool {
        self.refill(now_ms);
        self.level >= self.most
    }
}

#[cfg(test)]
mod tests;
