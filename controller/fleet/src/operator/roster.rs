//! Who is in the fleet ([`Operator::roster`]), and how far each robot's clock is from this one.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;
use zenoh::query::{ConsolidationMode, QueryTarget};

use super::{Operator, asks_again};
use crate::args::Target;
use crate::keys::{Keys, Name, robot_of};
use crate::messages::Status;
use crate::net;

/// How long robots may take to respond.
const TIMEOUT: Duration = Duration::from_millis(1500);

/// The largest status that is read, bytes.
const MAX_STATUS_BYTES: usize = 256 << 10;

/// How often a clock is measured. The measurement with the shortest round trip counts.
const CLOCK_ROUNDS: u32 = 8;

/// A robot's clock, as measured from here.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Clock {
    /// What has to be added to this computer's time, milliseconds.
    pub offset_ms: f64,
    /// The round trip of the measurement, milliseconds. The offset is wrong by half of it at most.
    pub round_trip_ms: f64,
}

impl Clock {
    /// Returns the measurement of a question that was sent and answered at these times of this computer.
    #[must_use]
    pub fn measured(sent_ms: f64, robot_ms: f64, received_ms: f64) -> Self {
        Clock {
            offset_ms: robot_ms - f64::midpoint(sent_ms, received_ms),
            round_trip_ms: received_ms - sent_ms,
        }
    }

    /// Returns the better measurement.
    #[must_use]
    pub fn better(self, other: Clock) -> Clock {
        if other.round_trip_ms < self.round_trip_ms { other } else { self }
    }
}

/// One robot.
#[derive(Clone, Debug, Serialize)]
pub struct Robot {
    /// Whether its agent is connected.
    pub present: bool,
    /// Its clock; null if it does not respond.
    pub clock: Option<Clock>,
    /// Its status; null if it does not respond.
    pub status: Option<Status>,
}

/// The robots, by name.
pub type Roster = BTreeMap<Name, Robot>;

impl Operator {
    /// Returns all robots that are present.
    ///
    /// # Errors
    /// If the session is closed.
    pub async fn roster(&self) -> zenoh::Result<Roster> {
        let tokens = self.session.liveliness().get(self.all.of_kind("alive")).timeout(TIMEOUT).await?;
        let statuses = self.statuses(&self.all.of_kind("status")).await?;
        let mut roster = Roster::new();
        while let Ok(reply) = tokens.recv_async().await {
            if let Some(robot) = reply.result().ok().and_then(|sample| robot_of(sample.key_expr().as_str())) {
                roster.insert(robot, Robot { present: true, clock: None, status: None });
            }
        }
        // The first question also finds its way; the second one measures better.
        let sent_ms = net::now_ms();
        let mut again = self.statuses(&self.all.of_kind("status")).await?;
        if again.len() < roster.len() && asks_again(sent_ms).await {
            again.extend(self.statuses(&self.all.of_kind("status")).await?);
        }
        for (status, clock) in statuses.into_iter().chain(again) {
            let known = roster.get(&status.robot).and_then(|robot| robot.clock);
            let clock = known.map_or(clock, |known| known.better(clock));
            roster.insert(
                status.robot.clone(),
                Robot { present: true, clock: Some(clock), status: Some(status) },
            );
        }
        Ok(roster)
    }

    /// Asks for statuses. A robot that names itself otherwise than its key is ignored.
    async fn statuses(&self, key: &str) -> zenoh::Result<Vec<(Status, Clock)>> {
        let sent_ms = net::now_ms();
        let replies = self
            .session
            .get(key)
            .target(QueryTarget::All)
            .consolidation(ConsolidationMode::None)
            .timeout(TIMEOUT)
            .await?;
        let mut statuses = Vec::new();
        while let Ok(reply) = replies.recv_async().await {
            let received_ms = net::now_ms();
            let Ok(sample) = reply.result() else { continue };
            if sample.payload().len() > MAX_STATUS_BYTES {
                continue;
            }
            let Ok(status) = serde_json::from_slice::<Status>(&sample.payload().to_bytes()) else { continue };
            if robot_of(sample.key_expr().as_str()).as_ref() == Some(&status.robot) {
                let clock = Clock::measured(sent_ms, status.time_ms, received_ms);
                statuses.push((status, clock));
            }
        }
        Ok(statuses)
    }

    /// Measures the clock of a robot.
    pub async fn measure_clock(&self, robot: &Name) -> Option<Clock> {
        let key = Keys::of(&self.fleet, robot).of_kind("status");
        let mut best: Option<Clock> = None;
        for _ in 0..CLOCK_ROUNDS {
            for (_, clock) in self.statuses(&key).await.unwrap_or_default() {
                best = Some(best.map_or(clock, |best| best.better(clock)));
            }
        }
        best
    }
}

/// Returns the robots that the targets name, and the names that no robot has.
#[must_use]
pub fn resolve(roster: &Roster, targets: &[Target]) -> (Vec<Name>, Vec<Name>) {
    let mut chosen = std::collections::BTreeSet::new();
    let mut unknown = Vec::new();
    for target in targets {
        match target {
            Target::All => chosen.extend(roster.keys().cloned()),
            Target::Named(name) if roster.contains_key(name) => {
                chosen.insert(name.clone());
            }
            Target::Named(name) => {
                let is_member = |robot: &&Name| {
                    let status = roster.get(*robot).and_then(|robot| robot.status.as_ref());
                    status.is_some_and(|status| status.groups.contains(name))
                };
                let members: Vec<Name> = roster.keys().filter(is_member).cloned().collect();
                if members.is_empty() {
                    unknown.push(name.clone());
                }
                chosen.extend(members);
            }
        }
    }
    (chosen.into_iter().collect(), unknown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_measured_half_way() {
        let clock = Clock::measured(1000.0, 6002.0, 1004.0);
        assert_eq!(clock, Clock { offset_ms: 5000.0, round_trip_ms: 4.0 });
        assert_eq!(clock.better(Clock { offset_ms: 1.0, round_trip_ms: 9.0 }), clock);
    }

    #[test]
    fn targets_are_robots_groups_or_all() {
        let status = |robot: &str, groups: &[&str]| Status {
            robot: robot.parse().unwrap(),
            epoch: uuid::Uuid::nil(),
            time_ms: 0.0,
            groups: groups.iter().map(|group| group.parse().unwrap()).collect(),
            controller: true,
            motion_state: None,
            fault: None,
            temperature_c: None,
            voltage_v: None,
            stopped: None,
            commands: Vec::new(),
            state_hz: 10.0,
            tools: Vec::new(),
            version: String::new(),
        };
        let roster: Roster = [("a", &["g"][..]), ("b", &["g", "h"]), ("c", &[])]
            .map(|(robot, groups)| {
                let robot_status = Some(status(robot, groups));
                (robot.parse().unwrap(), Robot { present: true, clock: None, status: robot_status })
            })
            .into();
        let names = |text: &str| {
            let targets: Vec<Target> = text.split(',').map(|one| one.parse().unwrap()).collect();
            let (chosen, unknown) = resolve(&roster, &targets);
            let text = |names: Vec<Name>| names.iter().map(Name::as_str).collect::<Vec<_>>().join(",");
            (text(chosen), text(unknown))
        };
        assert_eq!(names("all"), ("a,b,c".into(), String::new()));
        assert_eq!(names("g"), ("a,b".into(), String::new()));
        assert_eq!(names("h,c,x"), ("b,c".into(), "x".into()));
    }
}
