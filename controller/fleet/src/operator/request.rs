//! What an operator asks robots for ([`Request`]), and their answers ([`Answer`]).

use std::time::Duration;

use serde::Deserialize;

use super::Operator;
use super::roster::{Clock, Roster, resolve};
use super::send::absent;
use crate::args::Target;
use crate::error::FleetError;
use crate::identity::{Identity, proof};
use crate::keys::{Name, is_tool_name};
use crate::messages::{Operation, Outcome, Reply};

/// How long most commands may take.
const TIMEOUT: Duration = Duration::from_secs(20);

/// How long a sentence may take, if the caller does not say.
const SAY_TIMEOUT_S: f64 = 120.0;

/// How long the import of a tool may take, with its rehearsal.
const IMPORT_TIMEOUT: Duration = Duration::from_mins(10);

/// What an operator asks one, some or all robots for.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case", deny_unknown_fields)]
pub enum Request {
    /// Carry out a sentence.
    Say {
        /// Robots and groups.
        to: Vec<Target>,
        /// In plain English.
        text: String,
        /// Whether to begin at the same moment.
        #[serde(default)]
        together: bool,
        /// How long to wait for the answers, seconds.
        #[serde(default = "say_timeout_s")]
        timeout_s: f64,
    },
    /// Stop at once.
    Stop {
        /// Robots and groups.
        to: Vec<Target>,
    },
    /// Move again.
    Release {
        /// Robots and groups.
        to: Vec<Target>,
    },
    /// Offer a tool.
    Share {
        /// Its name.
        tool: String,
        /// The robot that has it; without one, the only robot that is present.
        #[serde(default)]
        from: Option<Name>,
    },
    /// Import a shared tool.
    Get {
        /// Its name.
        tool: String,
        /// Robots and groups.
        to: Vec<Target>,
        /// The robot that shares it; without one, the only one that does.
        #[serde(default)]
        from: Option<Name>,
    },
    /// Disable a tool everywhere.
    Withdraw {
        /// Its name.
        tool: String,
    },
    /// Refuse a member's commands.
    #[serde(skip_deserializing)]
    Revoke {
        /// The member.
        member: Name,
    },
}

const fn say_timeout_s() -> f64 {
    SAY_TIMEOUT_S
}

/// The robots' answers to a request.
#[derive(Debug)]
pub struct Answer {
    /// The name of the command.
    pub command: &'static str,
    /// Whether the robots were asked to begin together.
    pub together: bool,
    /// Why no robot was asked.
    pub refusal: Option<String>,
    /// An answer for each robot that was asked.
    pub replies: Vec<Reply>,
    /// The clocks of the robots that were asked.
    pub clocks: Vec<(Name, Clock)>,
}

impl Answer {
    /// Returns whether all robots have done it.
    #[must_use]
    pub fn is_done(&self) -> bool {
        !self.replies.is_empty() && self.replies.iter().all(|reply| reply.outcome == Outcome::Done)
    }
}

impl Request {
    /// Checks what the robots would otherwise have to.
    ///
    /// # Errors
    /// [`FleetError::Usage`].
    pub fn check(&self) -> Result<(), FleetError> {
        match self {
            Request::Say { timeout_s, .. } => time_of(*timeout_s).map(drop),
            Request::Share { tool, .. } | Request::Get { tool, .. } | Request::Withdraw { tool }
                if !is_tool_name(tool) =>
            {
                Err(FleetError::Usage(format!("{tool:?} is not the name of a tool")))
            }
            _ => Ok(()),
        }
    }

    const fn name(&self) -> &'static str {
        match self {
            Request::Say { .. } => "say",
            Request::Stop { .. } => "stop",
            Request::Release { .. } => "release",
            Request::Share { .. } => "share",
            Request::Get { .. } => "get",
            Request::Withdraw { .. } => "withdraw",
            Request::Revoke { .. } => "revoke",
        }
    }

    fn timeout(&self) -> Duration {
        match self {
            Request::Say { timeout_s, .. } => time_of(*timeout_s).unwrap_or(TIMEOUT),
            Request::Get { .. } => IMPORT_TIMEOUT,
            _ => TIMEOUT,
        }
    }
}

/// Returns a time that was given in seconds.
///
/// # Errors
/// [`FleetError::Usage`].
pub fn time_of(seconds: f64) -> Result<Duration, FleetError> {
    Duration::try_from_secs_f64(seconds)
        .map_err(|_| FleetError::Usage(format!("{seconds} is not a time in seconds")))
}

impl Operator {
    /// Asks robots for something and returns their answers. `known` are the robots that are present, if the caller has just
    /// asked for them.
    ///
    /// # Errors
    /// [`FleetError::Usage`] if the request names no robot where it must; [`FleetError::Zenoh`] if the session is closed.
    pub async fn perform(&self, request: &Request, known: Option<Roster>) -> Result<Answer, FleetError> {
        request.check()?;
        let mut stopped = Vec::new();
        if let Request::Stop { to } = request
            && to.contains(&Target::All)
        {
            // All at once with one message, before anything is asked.
            stopped = self.stop_all().await?;
            stopped.retain(|reply| reply.outcome == Outcome::Done);
        }
        let roster = match known {
            Some(known) => known,
            None => self.roster().await?,
        };
        let command = request.name();
        let (mut robots, unknown, mut operation) = match plan(request, &roster)? {
            Ok(plan) => plan,
            Err(refusal) => {
                let (replies, clocks) = (Vec::new(), Vec::new());
                return Ok(Answer { command, together: false, refusal: Some(refusal), replies, clocks });
            }
        };
        if let Some(identity) = &self.identity {
            sign_withdrawal(identity, &mut operation)?;
        }
        // Robots that did not accept the first stop, such as one whose clock is wrong, get one of their own.
        robots.retain(|robot| !stopped.iter().any(|reply| reply.robot == *robot));
        let together = matches!(request, Request::Say { together: true, .. });
        let (mut replies, clocks) =
            self.send(&roster, &robots, &operation, together, request.timeout()).await;
        if matches!(request, Request::Stop { .. }) {
            replies.append(&mut stopped);
            replies.sort_by(|one, other| one.robot.cmp(&other.robot));
        }
        replies.extend(unknown.iter().map(|name| absent(name, "no robot or group of this name is present")));
        Ok(Answer { command, together, refusal: None, replies, clocks })
    }
}

/// The robots to ask, the names that none has, and what to ask for.
type Plan = (Vec<Name>, Vec<Name>, Operation);

/// Returns what to send, or why nothing.
fn plan(request: &Request, roster: &Roster) -> Result<Result<Plan, String>, FleetError> {
    let to = |targets: &[Target], operation: Operation| {
        let (robots, unknown) = resolve(roster, targets);
        Ok(Ok((robots, unknown, operation)))
    };
    match request.clone() {
        Request::Say { to: targets, text, .. } => to(&targets, Operation::Say { text }),
        Request::Stop { to: targets } => to(&targets, Operation::Stop {}),
        Request::Release { to: targets } => to(&targets, Operation::Release {}),
        Request::Share { tool, from } => {
            let from = from.map_or_else(|| only(roster), Ok)?;
            to(&[Target::Named(from)], Operation::Share { tool })
        }
        Request::Get { tool, to: targets, from } => {
            let from = match sharer(roster, &tool, from.as_ref()) {
                Ok(from) => from,
                Err(refusal) => return Ok(Err(refusal)),
            };
            let (mut robots, unknown) = resolve(roster, &targets);
            // The robot that shares a tool has it.
            if targets == [Target::All] {
                robots.retain(|robot| *robot != from);
            }
            Ok(Ok((robots, unknown, Operation::Get { tool, from })))
        }
        Request::Withdraw { tool } => {
            let code_sha256 = hashes(roster, &tool);
            if code_sha256.is_empty() {
                let refusal = format!("no robot that is present shares {tool} or has it from the fleet");
                return Ok(Err(refusal));
            }
            let unsigned =
                Operation::Withdraw { tool, code_sha256, certificate: None, signatures: Vec::new() };
            to(&[Target::All], unsigned)
        }
        Request::Revoke { member } => {
            let (mut robots, _) = resolve(roster, &[Target::All]);
            robots.retain(|robot| *robot != member);
            Ok(Ok((robots, Vec::new(), Operation::Revoke { member })))
        }
    }
}

/// Signs a withdrawal, so that robots can pass it on to those that are away.
fn sign_withdrawal(identity: &Identity, operation: &mut Operation) -> Result<(), FleetError> {
    let Operation::Withdraw { tool, code_sha256, certificate, signatures } = operation else { return Ok(()) };
    for hash in code_sha256 {
        let proof = proof::sign(identity, tool, hash)?;
        *certificate = Some(proof.certificate);
        signatures.push(proof.signature);
    }
    Ok(())
}

/// Returns the only robot that is present.
fn only(roster: &Roster) -> Result<Name, FleetError> {
    let mut robots = roster.keys();
    match (robots.next(), robots.next()) {
        (Some(only), None) => Ok(only.clone()),
        (None, _) => Err(FleetError::Usage("no robot is present".into())),
        _ => Err(FleetError::Usage("several robots are present; name one with --from".into())),
    }
}

/// Returns the robot that shares a tool.
fn sharer(roster: &Roster, tool: &str, from: Option<&Name>) -> Result<Name, String> {
    if let Some(from) = from {
        return Ok(from.clone());
    }
    let shared = |name: &Name| {
        let status = roster.get(name).and_then(|robot| robot.status.as_ref());
        status.is_some_and(|status| status.tools.iter().any(|one| one.name == tool && one.is_shared))
    };
    let mut sharers = roster.keys().filter(|name| shared(name));
    match (sharers.next(), sharers.next()) {
        (Some(only), None) => Ok(only.clone()),
        (None, _) => Err(format!(
            "no robot that is present shares {tool}; `minismith fleet share {tool} --from ROBOT`"
        )),
        (Some(one), Some(other)) => {
            Err(format!("{one} and {other} share a tool called {tool}; name one with --from"))
        }
    }
}

/// Returns the hashes of the code of a tool on all robots that have it from the fleet, or share it.
fn hashes(roster: &Roster, tool: &str) -> Vec<String> {
    let statuses = roster.values().filter_map(|robot| robot.status.as_ref());
    let tools = statuses.flat_map(|status| &status.tools).filter(|one| one.name == tool);
    let hashes: std::collections::BTreeSet<String> = tools.map(|tool| tool.code_sha256.clone()).collect();
    hashes.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read_strictly() {
        let read = |text: &str| serde_json::from_str::<Request>(text);
        let all = || vec![Target::All];
        assert_eq!(read(r#"{"command": "stop", "to": ["all"]}"#).unwrap(), Request::Stop { to: all() });
        let said =
            read(r#"{"command": "say", "to": ["hall", "g"], "text": "wave", "together": true}"#).unwrap();
        let Request::Say { to, together: true, timeout_s: SAY_TIMEOUT_S, .. } = said else {
            panic!("{said:?}")
        };
        assert_eq!(to.len(), 2);
        for bad in [
            r#"{"command": "stop"}"#,
            r#"{"command": "stop", "to": ["a/b"]}"#,
            r#"{"command": "stop", "to": ["all"], "text": "x"}"#,
            r#"{"command": "revoke", "member": "hall"}"#,
            r#"{"command": "format"}"#,
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
        let bad = read(r#"{"command": "share", "tool": "../x"}"#).unwrap();
        assert!(matches!(bad.check(), Err(FleetError::Usage(_))));
        let bad = read(r#"{"command": "say", "to": ["all"], "text": "x", "timeout_s": -1.0}"#).unwrap();
        assert!(matches!(bad.check(), Err(FleetError::Usage(_))));
    }
}
