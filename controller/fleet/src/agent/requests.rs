//! What arrives from peers ([`declare`]): commands, and questions for status, tools and withdrawals.
//!
//! The callbacks run on Zenoh's threads. They check and hand over, and never wait.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::runtime::Handle;
use uuid::Uuid;
use zenoh::Wait;
use zenoh::bytes::Encoding;
use zenoh::query::{Query, Queryable};

use super::execute;
use super::options::JoinError;
use super::shared::{Agent, Request, json, lock};
use super::tools;
use crate::keys::{Name, last_of};
use crate::messages::{Command, Operation, Refusal};
use crate::net;

/// The largest message that is read although its caller has no budget left, bytes: it may be a stop.
const MAX_STOP_BYTES: usize = 1024;

/// The declarations of an agent. Dropping them ends them.
pub type Declared = Vec<Queryable<()>>;

/// Declares what the robot answers to.
///
/// # Errors
/// If Zenoh refuses a declaration.
pub async fn declare(agent: &Arc<Agent>) -> Result<Declared, JoinError> {
    let runtime = Handle::current();
    let mut declared = Vec::new();
    let flood = Flood::default();
    let (asked, on) = (agent.clone(), runtime.clone());
    declared.push(
        agent
            .session
            .declare_queryable(agent.keys.ask("*"))
            .callback(move |query| command(&asked, &on, &flood, query))
            .await?,
    );
    let asked = agent.clone();
    declared.push(
        agent
            .session
            .declare_queryable(agent.keys.of_kind("status"))
            .callback(move |query| {
                if lock(&asked.guard).may_read(net::now_ms()) {
                    let key = asked.keys.of_kind("status");
                    // The time in it measures the clocks, so it is sent here.
                    let status = json(&asked.status());
                    let _sent = query.reply(key, status).encoding(Encoding::APPLICATION_JSON).wait();
                }
            })
            .await?,
    );
    let (asked, on) = (agent.clone(), runtime.clone());
    declared.push(
        agent
            .session
            .declare_queryable(agent.keys.of_kind("withdrawn"))
            .callback(move |query| {
                if lock(&asked.guard).may_read(net::now_ms()) {
                    let withdrawn = lock(&asked.store).memory.withdrawn.clone();
                    let key = asked.keys.of_kind("withdrawn");
                    let encoded = json(&withdrawn);
                    on.spawn(async move {
                        let _sent = query.reply(key, encoded).encoding(Encoding::APPLICATION_JSON).await;
                    });
                }
            })
            .await?,
    );
    let (asked, on) = (agent.clone(), runtime);
    declared.push(
        agent
            .session
            .declare_queryable(agent.keys.tool("*"))
            .callback(move |query| {
                if lock(&asked.guard).may_read(net::now_ms()) {
                    on.spawn(tools::send(asked.clone(), query));
                }
            })
            .await?,
    );
    Ok(declared)
}

/// Counts the messages beyond the budgets, so that a flood fills no log.
#[derive(Default)]
struct Flood {
    dropped: AtomicU64,
    /// When it was last logged, milliseconds.
    logged_ms: AtomicU64,
}

impl Flood {
    /// Counts a message; returns whether to answer and log it: once a second.
    fn count(&self, now_ms: f64) -> Option<u64> {
        let dropped = self.dropped.fetch_add(1, Ordering::Relaxed) + 1;
        let (now, last) = (now_ms as u64, self.logged_ms.load(Ordering::Relaxed));
        let is_due = now.saturating_sub(last) >= 1000
            && self.logged_ms.compare_exchange(last, now, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        is_due.then_some(dropped)
    }
}

/// Checks a command and hands it over.
fn command(agent: &Arc<Agent>, runtime: &Handle, flood: &Flood, query: Query) {
    let received_ms = net::now_ms();
    let caller = last_of(query.key_expr().as_str()).to_owned();
    if caller.parse::<Name>().is_err() {
        // Not even the key can name a member; nobody is answered.
        if flood.count(received_ms).is_some() {
            tracing::warn!("a command was refused: {caller:?} is no name of a member");
        }
        return;
    }
    let refuse = |id: Option<Uuid>, refusal: Refusal, reason: String| {
        tracing::warn!(caller, ?refusal, "a command was refused: {reason}");
        let reply = agent.refuse(id, received_ms, refusal, reason);
        let key = agent.keys.ask(&caller);
        let Ok(permit) = agent.replies.clone().try_acquire_owned() else { return };
        let query = query.clone();
        runtime.spawn(async move {
            let _sent = query.reply(key, json(&reply)).encoding(Encoding::APPLICATION_JSON).await;
            drop(permit);
        });
    };
    let refuse_flood = || {
        if let Some(dropped) = flood.count(received_ms) {
            let reason = format!("too many commands ({dropped} so far); send at most 10 per second");
            refuse(None, Refusal::Busy, reason);
        }
    };
    let length = query.payload().map_or(0, zenoh::bytes::ZBytes::len);
    let has_budget = lock(&agent.guard).has_budget(&caller, received_ms);
    if !has_budget && length > MAX_STOP_BYTES {
        return refuse_flood();
    }
    // Its length is bounded by the session; what is too long is not copied.
    let read = if length > crate::messages::MAX_COMMAND_BYTES {
        Err(format!("too long: {length} bytes"))
    } else {
        let bytes = query.payload().map(|payload| payload.to_bytes().into_owned()).unwrap_or_default();
        Command::read(&bytes)
    };
    let is_stop = matches!(&read, Ok(command) if command.operation == Operation::Stop {});
    let may_act = has_budget || is_stop && lock(&agent.guard).may_stop(received_ms);
    if !may_act {
        return refuse_flood();
    }
    let command = match read {
        Ok(command) => command,
        Err(reason) => return refuse(None, Refusal::Invalid, reason),
    };
    let checked = lock(&agent.guard).check(&caller, &command, received_ms);
    if let Err((refusal, reason)) = checked {
        return refuse(Some(command.id), refusal, reason);
    }
    let request = Request { query: query.clone(), caller: caller.clone(), command, received_ms };
    if is_stop {
        super::hold::latch(agent, &request);
    }
    runtime.spawn(execute::run(agent.clone(), request));
}
