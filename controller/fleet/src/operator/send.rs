//! Commands to robots ([`Operator::send`], [`Operator::stop_all`]).

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::Value;
use uuid::Uuid;
use zenoh::query::{ConsolidationMode, QueryTarget, Reply as ZenohReply};

use super::roster::{Clock, Roster};
use super::{Operator, asks_again};
use crate::keys::{Keys, Name, robot_of};
use crate::messages::{Command, Operation, Outcome, Reply};
use crate::net;
use crate::session::in_words;

/// How long a command is valid, milliseconds.
const LIFETIME_MS: f64 = 5000.0;

/// The time until robots begin together, milliseconds: enough for the slowest message.
const LEAD_MS: f64 = 250.0;

/// The largest answer that is read, bytes.
const MAX_REPLY_BYTES: usize = 4 << 20;

/// How often a command is sent to which no answer comes: for a second, in which the router learns the way to a robot that has
/// just joined.
const ATTEMPTS: usize = 10;

/// How long a robot may take to confirm a stop.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);

/// Returns an answer in place of one that did not come.
#[must_use]
pub fn absent(robot: &Name, reason: &str) -> Reply {
    Reply {
        id: None,
        robot: robot.clone(),
        outcome: Outcome::Absent,
        refusal: None,
        reason: Some(reason.to_owned()),
        epoch: Uuid::nil(),
        received_ms: f64::NAN,
        started_ms: None,
        time_ms: f64::NAN,
        result: None,
    }
}

impl Operator {
    /// Sends a command to robots and returns their answers in this order.
    pub async fn send(
        &self,
        roster: &Roster,
        robots: &[Name],
        operation: &Operation,
        together: bool,
        timeout: Duration,
    ) -> (Vec<Reply>, Vec<(Name, Clock)>) {
        let mut clocks: Vec<(Name, Clock)> = Vec::new();
        for robot in robots {
            let known = roster.get(robot).and_then(|robot| robot.clock);
            let clock = if together { self.measure_clock(robot).await.or(known) } else { known };
            clocks.extend(clock.map(|clock| (robot.clone(), clock)));
        }
        let now_ms = net::now_ms();
        let start_ms = together.then_some(now_ms + LEAD_MS);
        let sending = robots.iter().map(|robot| {
            let clock = clocks.iter().find(|(name, _)| name == robot).map(|(_, clock)| *clock);
            let epoch = roster.get(robot).and_then(|robot| robot.status.as_ref()).map(|status| status.epoch);
            async move {
                let (Some(clock), Some(epoch)) = (clock, epoch) else {
                    return absent(robot, "it is connected and does not respond");
                };
                let at = |time_ms: f64| time_ms + clock.offset_ms;
                let command = Command {
                    id: Uuid::new_v4(),
                    epoch: Some(epoch),
                    issued_ms: at(now_ms),
                    expires_ms: at(now_ms) + LIFETIME_MS,
                    start_ms: start_ms.map(at),
                    operation: operation.clone(),
                };
                self.ask(robot, &command, timeout).await
            }
        });
        let replies = join_all(sending).await;
        (replies, clocks)
    }

    /// Sends one command to one robot.
    pub async fn ask(&self, robot: &Name, command: &Command, timeout: Duration) -> Reply {
        let key = Keys::of(&self.fleet, robot).ask(self.caller.as_str());
        let payload = serde_json::to_vec(command).unwrap_or_default();
        for attempt in 1..=ATTEMPTS {
            let sent_ms = net::now_ms();
            let replies = match self.session.get(&key).payload(payload.clone()).timeout(timeout).await {
                Ok(replies) => replies,
                Err(error) => return absent(robot, &in_words(&error)),
            };
            while let Ok(reply) = replies.recv_async().await {
                if let Some(reply) = read(&reply).filter(|reply| reply.robot == *robot) {
                    return reply;
                }
            }
            // The robot acts on a command once, however often it comes.
            if attempt == ATTEMPTS || !asks_again(sent_ms).await {
                break;
            }
        }
        absent(robot, "no answer came: it is not present, or the fleet permits this caller no commands")
    }

    /// Stops all robots with one message, before it is known who is there.
    ///
    /// # Errors
    /// If the session is closed.
    pub async fn stop_all(&self) -> zenoh::Result<Vec<Reply>> {
        let now_ms = net::now_ms();
        let stop = Command {
            id: Uuid::new_v4(),
            epoch: None,
            issued_ms: now_ms,
            expires_ms: now_ms + LIFETIME_MS,
            start_ms: None,
            operation: Operation::Stop {},
        };
        let replies = self
            .session
            .get(self.all.ask(self.caller.as_str()))
            .payload(serde_json::to_vec(&stop).unwrap_or_default())
            .target(QueryTarget::All)
            .consolidation(ConsolidationMode::None)
            .timeout(STOP_TIMEOUT)
            .await?;
        let mut answers: Vec<Reply> = Vec::new();
        while let Ok(reply) = replies.recv_async().await {
            answers.extend(read(&reply));
        }
        Ok(answers)
    }
}

/// Reads an answer. A robot that names itself otherwise than its key is ignored.
fn read(reply: &ZenohReply) -> Option<Reply> {
    let sample = reply.result().ok()?;
    if sample.payload().len() > MAX_REPLY_BYTES {
        return None;
    }
    let read: Reply = serde_json::from_slice(&sample.payload().to_bytes()).ok()?;
    (robot_of(sample.key_expr().as_str())? == read.robot).then_some(read)
}

/// Returns how far apart the robots began, milliseconds, by this computer's clock.
#[must_use]
pub fn skew_ms(replies: &[Reply], clocks: &[(Name, Clock)]) -> Option<f64> {
    let begun: Option<Vec<f64>> = replies
        .iter()
        .map(|reply| {
            let (_, clock) = clocks.iter().find(|(name, _)| *name == reply.robot)?;
            Some(reply.started_ms? - clock.offset_ms)
        })
        .collect();
    let begun = begun.filter(|begun| begun.len() > 1)?;
    let (first, last) = (begun.iter().copied().reduce(f64::min)?, begun.iter().copied().reduce(f64::max)?);
    Some(last - first)
}

/// Returns the sentence in an answer.
#[must_use]
pub fn text_of(reply: &Reply) -> String {
    let text = reply.result.as_ref().and_then(|result| result.get("text")).and_then(Value::as_str);
    let text = reply.reason.as_deref().or(text).unwrap_or_default();
    text.chars().filter(|one| !one.is_control() || *one == '\n').collect()
}
