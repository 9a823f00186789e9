//! Carries out a command that has passed the guard ([`run`]).

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::hold;
use super::shared::{Agent, Request, lock};
use super::tools;
use crate::messages::{Operation, Outcome, Refusal, Reply};
use crate::net;

/// How long a sentence may take to end by itself after a stop.
const STOPPED_TIMEOUT: Duration = Duration::from_millis(500);

/// Carries out a command and answers it.
pub async fn run(agent: Arc<Agent>, request: Request) {
    let id = request.command.id;
    lock(&agent.commands).push((id, request.command.operation.name()));
    let reply = carry_out(&agent, &request).await;
    lock(&agent.commands).retain(|(one, _)| *one != id);
    request.answer(&agent, reply).await;
}

async fn carry_out(agent: &Arc<Agent>, request: &Request) -> Reply {
    match &request.command.operation {
        Operation::Say { text } => say(agent, request, text).await,
        Operation::Stop {} => hold::stop(agent, request).await,
        Operation::Release {} => hold::release(agent, request).await,
        Operation::Share { tool } => tools::share(agent, request, tool).await,
        Operation::Get { tool, from } => tools::get(agent, request, tool, from).await,
        Operation::Withdraw { tool, code_sha256, certificate, signatures } => {
            let withdrawals = tools::withdrawals(tool, code_sha256, certificate.as_deref(), signatures);
            tools::withdraw(agent, request, tool, withdrawals).await
        }
        Operation::Revoke { member } => {
            lock(&agent.store).change(|memory| {
                memory.revoked.insert(member.clone());
            });
            agent.reply(Some(request.command.id), request.received_ms, Outcome::Done)
        }
    }
}

async fn say(agent: &Arc<Agent>, request: &Request, text: &str) -> Reply {
    let (id, received_ms) = (Some(request.command.id), request.received_ms);
    let refuse = |refusal, reason: String| agent.refuse(id, received_ms, refusal, reason);
    let Ok(_place) = agent.sentences.try_acquire() else {
        return refuse(
            Refusal::Busy,
            "too many commands are running; wait for an answer before the next".into(),
        );
    };
    if let Some(start_ms) = request.command.start_ms {
        net::sleep_until_ms(start_ms).await;
    }
    // From here on a stop is noticed, also one that comes while the sentence is on its way.
    let mut stops = agent.stops.subscribe();
    if let Some(reason) = held(agent) {
        return refuse(Refusal::Stopped, reason);
    }
    let started_ms = net::now_ms();
    if !lock(&agent.guard).may_begin(&request.command, started_ms) {
        return refuse(Refusal::Stale, "it expired, or the robot was stopped, before it could begin".into());
    }
    let stopped = async {
        let _changed = stops.changed().await;
        tokio::time::sleep(STOPPED_TIMEOUT).await;
    };
    let said = tokio::select! {
        said = agent.controller.say(text) => said,
        // The controller stops what a client that is gone has started.
        () = stopped => {
            let reason = held(agent).or(Some("the robot was stopped".into()));
            let reply = agent.reply(id, received_ms, Outcome::Failed);
            return Reply { reason, started_ms: Some(started_ms), ..reply };
        }
    };
    let reply = match said {
        Ok(result) => {
            let is_done = result.get("outcome").and_then(Value::as_str) == Some("done");
            let reason = result.get("text").and_then(Value::as_str).map(str::to_owned).filter(|_| !is_done);
            let outcome = if is_done { Outcome::Done } else { Outcome::Failed };
            Reply { reason, result: Some(result), ..agent.reply(id, received_ms, outcome) }
        }
        Err(error) => agent.refused_by_controller(request, &error),
    };
    Reply { started_ms: Some(started_ms), ..reply }
}

/// Returns why the robot is held.
pub fn held(agent: &Agent) -> Option<String> {
    let latch = lock(&agent.latch);
    let stopped = latch.as_ref()?;
    Some(format!("{} stopped the robot; `minismith fleet release` ends that", stopped.caller))
}
