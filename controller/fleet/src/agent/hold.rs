//! A stop, and what keeps the robot still until its release ([`latch`], [`stop`], [`release`], [`run`]).
//!
//! The latch refuses commands of the fleet from the moment at which the stop arrives. The controller's lease keeps all other
//! clients from moving the robot; a person beside it can still stop it.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::shared::{Agent, Request, lock};
use crate::controller::ControllerError;
use crate::messages::{Outcome, Refusal, Reply, StoppedBy};

/// How long the lease lasts without a heartbeat, milliseconds, and how often one is sent.
const LEASE_MS: u64 = 3000;
const HEARTBEAT_INTERVAL: Duration = Duration::from_millis(700);

/// How long after a stop the controller gets a second one, if a sentence was on its way to it meanwhile.
const SECOND_STOP_DELAY: Duration = Duration::from_millis(50);

/// Closes the latch. From here on the fleet moves this robot no more.
pub fn latch(agent: &Agent, request: &Request) {
    let mut latch = lock(&agent.latch);
    let holds_lease = latch.as_ref().is_some_and(|stopped| stopped.holds_lease);
    *latch = Some(StoppedBy { caller: request.caller.clone(), time_ms: request.received_ms, holds_lease });
    agent.stops.send_modify(|stops| *stops += 1);
}

/// Stores whether the robot is held. The latch is read while the store is locked, so the last writer stores the newest one.
fn remember(agent: &Agent) {
    let mut store = lock(&agent.store);
    let stopped = lock(&agent.latch).clone();
    store.change(|memory| memory.stopped = stopped);
}

/// Brakes the robot, and stores the stop.
pub async fn stop(agent: &Arc<Agent>, request: &Request) -> Reply {
    let started_ms = crate::net::now_ms();
    let is_moving = agent.has_sentences();
    let pending = agent.pending_stop();
    let stopped = agent.controller.post("/api/v1/stop", &json!({})).await;
    agent.latched.notify_one();
    if is_moving {
        let again = agent.clone();
        // A sentence that had passed the latch may have reached the controller after the stop.
        tokio::spawn(async move {
            tokio::time::sleep(SECOND_STOP_DELAY).await;
            let _stopped = again.controller.post("/api/v1/stop", &json!({})).await;
            drop(pending);
        });
    }
    remember(agent);
    let reply = match stopped {
        Ok(result) => Reply {
            result: Some(result),
            ..agent.reply(Some(request.command.id), request.received_ms, Outcome::Done)
        },
        // The latch holds all the same.
        Err(error) => agent.refused_by_controller(request, &error),
    };
    agent.report("stopped", Some(&request.caller), format!("stopped by {}", request.caller)).await;
    Reply { started_ms: Some(started_ms), ..reply }
}

/// Opens the latch, unless a stop has come after the release.
pub async fn release(agent: &Arc<Agent>, request: &Request) -> Reply {
    let id = Some(request.command.id);
    let was = {
        let mut latch = lock(&agent.latch);
        if latch.as_ref().is_some_and(|stopped| stopped.time_ms > request.received_ms) {
            let reason = "the robot was stopped after this release".into();
            return agent.refuse(id, request.received_ms, Refusal::Stale, reason);
        }
        latch.take()
    };
    remember(agent);
    agent.latched.notify_one();
    if was.is_some() {
        // The lease and every stop end before the answer, so that the next command finds the robot free.
        for _ in 0..100 {
            if agent.is_free() || lock(&agent.latch).is_some() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        agent.report("released", Some(&request.caller), format!("released by {}", request.caller)).await;
    }
    agent.reply(id, request.received_ms, Outcome::Done)
}

/// Holds the lease of the robot while the latch is closed.
pub async fn run(agent: Arc<Agent>) {
    let mut lease: Option<String> = None;
    loop {
        let wait = if lock(&agent.latch).is_some() || lease.is_some() {
            HEARTBEAT_INTERVAL
        } else {
            Duration::from_mins(1)
        };
        let _woken = tokio::time::timeout(wait, agent.latched.notified()).await;
        let stopped = lock(&agent.latch).clone();
        match (stopped, &lease) {
            (Some(stopped), None) => match take(&agent, &stopped.caller).await {
                Ok(id) => lease = Some(id),
                // Another client holds the robot and may not be displaced: it is stopped again and again.
                Err(error) if error.is_refusal() => {
                    tracing::warn!("the lease is not available, so the robot is stopped repeatedly: {error}");
                    let _pending = agent.pending_stop();
                    if lock(&agent.latch).is_some() {
                        let _stopped = agent.controller.post("/api/v1/stop", &json!({})).await;
                    }
                }
                Err(_) => {}
            },
            (Some(_), Some(id)) => {
                let kept = agent.controller.post(&format!("/api/v1/lease/{id}/heartbeat"), &json!({})).await;
                if matches!(kept, Err(ControllerError::Refused { .. })) {
                    lease = None;
                    agent.latched.notify_one();
                }
            }
            (None, Some(id)) => {
                // If it fails, the lease ends without heartbeats.
                let _ended = agent.controller.delete(&format!("/api/v1/lease/{id}")).await;
                lease = None;
            }
            (None, None) => {}
        }
        agent.set_lease(lease.is_some());
    }
}

/// Takes the lease, also from another client where the token permits it.
async fn take(agent: &Agent, caller: &str) -> Result<String, ControllerError> {
    let purpose = format!("stopped by {caller} for the fleet");
    let wanted = json!({ "purpose": purpose, "heartbeat_ms": LEASE_MS, "take": true });
    let granted = agent.controller.post("/api/v1/lease", &wanted).await?;
    Ok(granted.get("lease_id").and_then(Value::as_str).unwrap_or_default().to_owned())
}
