//! What the parts of an agent share ([`Agent`]): its names, the session, the controller, and what it knows of itself.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use serde_json::Value;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, watch};
use uuid::Uuid;
use zenoh::Session;
use zenoh::bytes::Encoding;
use zenoh::pubsub::Publisher;
use zenoh::qos::{CongestionControl, Priority};
use zenoh::query::Query;

use super::guard::Guard;
use super::options::{JoinError, Options};
use super::store::Store;
use crate::controller::{Controller, ControllerError};
use crate::identity::Identity;
use crate::keys::Keys;
use crate::messages::{Command, Event, Outcome, Refusal, Reply, Status, StoppedBy, ToolStatus};
use crate::net;
use crate::programs::Minismith;

/// The most sentences that are at the controller at once. It carries them out one after the other.
const MAX_SENTENCES: usize = 8;
/// How many stops on their way to the controller a release waits for.
const MAX_PENDING_STOPS: usize = 1000;

/// The most tools that wait for their import.
const MAX_IMPORTS: usize = 4;

/// The most answers that are on their way at once.
const MAX_REPLIES: usize = 64;

/// The agent of one robot.
pub struct Agent {
    pub options: Options,
    /// Who this computer is, in a fleet with certificates.
    pub identity: Option<Identity>,
    pub keys: Keys,
    pub epoch: Uuid,
    pub session: Session,
    pub controller: Controller,
    pub minismith: Option<Minismith>,
    pub guard: Mutex<Guard>,
    pub store: Mutex<Store>,
    /// The stop that holds, if any; it is in force before it is stored.
    pub latch: Mutex<Option<StoppedBy>>,
    /// Counts the stops, for what is on its way to the controller.
    pub stops: watch::Sender<u64>,
    /// One permit is out for each stop that the controller may not have had yet. A release waits for them: after it, no stop of
    /// before it may end a motion.
    pending_stops: Arc<Semaphore>,
    /// Wakes the task that holds the robot.
    pub latched: Notify,
    /// What the controller last reported of itself, and its tools.
    pub seen: Mutex<Seen>,
    /// The commands that are queued or running.
    pub commands: Mutex<Vec<(Uuid, &'static str)>>,
    pub sentences: Semaphore,
    pub imports: Semaphore,
    /// One import at a time.
    pub importing: tokio::sync::Mutex<()>,
    pub replies: Arc<Semaphore>,
    pub has_controller: AtomicBool,
    /// Whether the robot's lease is held.
    has_lease: AtomicBool,
    events: Publisher<'static>,
    event_number: AtomicU64,
}

/// What the controller last reported.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    pub state: Option<Value>,
    /// The list of tools, by name.
    pub usage: Vec<(String, Option<u64>, Option<u64>)>,
}

/// Locks; a panic elsewhere has left nothing half done that matters more than a stop.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Agent {
    pub async fn new(
        options: Options,
        keys: Keys,
        session: Session,
        controller: Controller,
        minismith: Option<Minismith>,
        store: Store,
        identity: Option<Identity>,
    ) -> Result<Self, JoinError> {
        let owner = identity.as_ref().map(|identity| identity.owner.clone());
        let epoch = Uuid::new_v4();
        let events = session
            .declare_publisher(keys.of_kind("events"))
            .congestion_control(CongestionControl::Block)
            .priority(Priority::DataHigh)
            .encoding(Encoding::APPLICATION_JSON)
            .await?;
        let guard = Guard::new(epoch, owner, store.memory.revoked.iter().cloned().collect());
        let latch = store.memory.stopped.clone().map(|stopped| StoppedBy { holds_lease: false, ..stopped });
        Ok(Agent {
            options,
            identity,
            keys,
            epoch,
            session,
            controller,
            minismith,
            guard: Mutex::new(guard),
            store: Mutex::new(store),
            latch: Mutex::new(latch),
            stops: watch::Sender::new(0),
            pending_stops: Arc::new(Semaphore::new(MAX_PENDING_STOPS)),
            latched: Notify::new(),
            seen: Mutex::default(),
            commands: Mutex::default(),
            sentences: Semaphore::new(MAX_SENTENCES),
            imports: Semaphore::new(MAX_IMPORTS),
            importing: tokio::sync::Mutex::default(),
            replies: Arc::new(Semaphore::new(MAX_REPLIES)),
            has_controller: AtomicBool::new(false),
            has_lease: AtomicBool::new(false),
            events,
            event_number: AtomicU64::new(0),
        })
    }

    /// Returns the status now.
    pub fn status(&self) -> Status {
        let seen = lock(&self.seen).clone();
        let memory = lock(&self.store).memory.clone();
        let has_controller = self.has_controller.load(Ordering::Relaxed);
        let state = seen.state.filter(|_| has_controller).unwrap_or_default();
        let text = |key: &str| state.get(key).and_then(Value::as_str).map(str::to_owned);
        let joints = state.get("joints").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let measured = |key: &'static str| joints.iter().filter_map(move |joint| joint.get(key)?.as_f64());
        let usage = |name: &str| seen.usage.iter().find(|(tool, ..)| tool == name);
        let tool = |tool: &super::store::FleetTool| ToolStatus {
            is_withdrawn: memory
                .withdrawn
                .iter()
                .any(|one| one.tool == tool.name && one.code_sha256 == tool.code_sha256),
            runs: usage(&tool.name).and_then(|(_, runs, _)| *runs),
            failures: usage(&tool.name).and_then(|(.., failures)| *failures),
            name: tool.name.clone(),
            code_sha256: tool.code_sha256.clone(),
            from: tool.from.clone(),
            is_shared: tool.is_shared,
        };
        Status {
            robot: self.options.robot.clone(),
            epoch: self.epoch,
            groups: self.options.groups.clone(),
            controller: has_controller,
            motion_state: text("motion_state"),
            fault: text("fault"),
            temperature_c: measured("temperature_c").reduce(f64::max),
            voltage_v: measured("voltage_v").reduce(f64::min),
            stopped: lock(&self.latch).clone(),
            commands: lock(&self.commands).iter().map(|(_, name)| (*name).to_owned()).collect(),
            state_hz: self.options.state_hz,
            tools: memory.tools.iter().map(tool).collect(),
            version: env!("CARGO_PKG_VERSION").into(),
            time_ms: net::now_ms(),
        }
    }

    /// Publishes an event, reliably, and logs it.
    pub async fn report(&self, event: &str, caller: Option<&str>, message: String) {
        tracing::info!(event, caller = caller.unwrap_or("-"), "{message}");
        let event = Event {
            robot: self.options.robot.clone(),
            number: self.event_number.fetch_add(1, Ordering::Relaxed),
            time_ms: net::now_ms(),
            event: event.to_owned(),
            caller: caller.map(str::to_owned),
            message,
        };
        if let Err(error) = self.events.put(json(&event)).await {
            tracing::warn!("an event was not published: {error}");
        }
    }

    /// Notes whether the robot's lease is held.
    pub fn set_lease(&self, is_held: bool) {
        self.has_lease.store(is_held, Ordering::Relaxed);
        if let Some(stopped) = lock(&self.latch).as_mut() {
            stopped.holds_lease = is_held;
        }
    }

    /// Returns whether a sentence is at the controller, or on its way.
    pub fn has_sentences(&self) -> bool {
        self.sentences.available_permits() < MAX_SENTENCES
    }

    /// Notes a stop that is on its way to the controller, until the permit is dropped. It never waits: one stop too many is only
    /// not noted.
    pub fn pending_stop(&self) -> Option<OwnedSemaphorePermit> {
        self.pending_stops.clone().try_acquire_owned().ok()
    }

    /// Returns whether the robot's lease is not held, and the controller has had every stop.
    pub fn is_free(&self) -> bool {
        !self.has_lease.load(Ordering::Relaxed) && self.pending_stops.available_permits() == MAX_PENDING_STOPS
    }

    /// Returns an answer to a command, to be completed.
    pub fn reply(&self, id: Option<Uuid>, received_ms: f64, outcome: Outcome) -> Reply {
        Reply {
            id,
            robot: self.options.robot.clone(),
            outcome,
            refusal: None,
            reason: None,
            epoch: self.epoch,
            received_ms,
            started_ms: None,
            time_ms: net::now_ms(),
            result: None,
        }
    }

    /// Returns a refusal.
    pub fn refuse(&self, id: Option<Uuid>, received_ms: f64, refusal: Refusal, reason: String) -> Reply {
        Reply {
            refusal: Some(refusal),
            reason: Some(reason),
            ..self.reply(id, received_ms, Outcome::Refused)
        }
    }

    /// Returns the answer for an error of the controller.
    pub fn refused_by_controller(&self, request: &Request, error: &ControllerError) -> Reply {
        let (id, received_ms) = (Some(request.command.id), request.received_ms);
        if error.is_refusal() {
            self.refuse(id, received_ms, Refusal::Controller, error.to_string())
        } else {
            Reply { reason: Some(error.to_string()), ..self.reply(id, received_ms, Outcome::Failed) }
        }
    }
}

/// A command that has passed the guard.
pub struct Request {
    pub query: Query,
    pub caller: String,
    pub command: Command,
    pub received_ms: f64,
}

impl Request {
    /// Sends the answer, and reports it.
    pub async fn answer(self, agent: &Agent, mut reply: Reply) {
        reply.time_ms = net::now_ms();
        let event = match reply.outcome {
            Outcome::Done => "command_done",
            Outcome::Refused => "command_refused",
            Outcome::Failed | Outcome::Absent => "command_failed",
        };
        let key = agent.keys.ask(&self.caller);
        if let Err(error) = self.query.reply(key, json(&reply)).encoding(Encoding::APPLICATION_JSON).await {
            tracing::warn!("the answer to {} was not sent: {error}", self.caller);
        }
        // The query ends with its last answer.
        drop(self.query);
        let name = self.command.operation.name();
        let reason = reply.reason.map(|reason| format!(": {reason}")).unwrap_or_default();
        agent.report(event, Some(&self.caller), format!("{name}{reason}")).await;
    }
}

/// Returns a message as JSON.
pub fn json(message: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(message).unwrap_or_default()
}
