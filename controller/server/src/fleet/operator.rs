//! The server as an operator of a fleet ([`FleetOperator`]), by `minismith-fleet operate`.
//!
//! The program is started when somebody asks for the fleet, and ended when nobody has for a while, so that a fleet that nobody
//! looks at costs nothing, and robots send no images. Everything that it says is untrusted as the robots are: lines, robots,
//! events and images are bounded, and only what is expected is kept.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::Bytes;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use firmware_bridge::clock::{Clock, MonotonicClock, Timestamp};
use minismith_runtime::child_program::ChildProgram;
use minismith_runtime::config::{Config, Fleet};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::{oneshot, watch};

use super::{PROGRAM, common, environment, program};

/// The program ends when nobody has asked for the fleet for this long.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);

/// The time between two attempts to start the program.
const RETRY_INTERVAL: Duration = Duration::from_secs(2);

/// How long to wait for the robots after the program was started: its session has to open.
const FIRST_TIMEOUT: Duration = Duration::from_secs(4);

/// What was said longer ago is old. The program says it once a second, and later where a robot does not respond.
const STALE_AFTER: Duration = Duration::from_secs(8);

/// How long an answer may take: longer than the program waits itself.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(11 * 60);

/// How long the program may take to read a request.
const WRITE_TIMEOUT: Duration = Duration::from_secs(2);

/// The longest line of the program, bytes.
const MAX_LINE_BYTES: u64 = 8 << 20;

/// How many events are kept.
const MAX_EVENTS: usize = 50;

/// How many robots have an image that is kept.
const MAX_PICTURES: usize = 64;

/// Reports why the fleet cannot be asked.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum FleetError {
    /// The configuration makes the server no operator.
    #[error(
        "this server is not an operator of a fleet; set `fleet.operator` in config.yaml to the name that its commands have"
    )]
    Unconfigured,
    /// The program or the fleet cannot be reached.
    #[error("{0}")]
    Unreachable(String),
    /// The request was wrong.
    #[error("{0}")]
    Invalid(String),
}

/// An operator of a fleet. Clones act as the same one.
#[derive(Clone)]
pub struct FleetOperator {
    fleet: Option<Arc<Fleet>>,
    shared: Arc<Shared>,
}

struct Shared {
    clock: MonotonicClock,
    state: Mutex<State>,
    /// Counts what the program has said, for those that wait for the first of it.
    changes: watch::Sender<u64>,
}

#[derive(Default)]
struct State {
    running: Option<Running>,
    /// When the program was last started, and when somebody last asked.
    started: Option<Timestamp>,
    asked: Timestamp,
    /// What the program last said of the robots, and when.
    robots: Vec<Value>,
    updated: Option<Timestamp>,
    /// Why the fleet cannot be reached.
    error: Option<String>,
    events: VecDeque<Value>,
    pictures: BTreeMap<String, Picture>,
    last_id: u64,
    pending: HashMap<u64, oneshot::Sender<Result<Value, FleetError>>>,
}

struct Running {
    /// Dropping it ends the program.
    program: ChildProgram,
    writer: UnixStream,
}

struct Picture {
    number: u64,
    jpeg: Bytes,
}

/// What the program says.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Said {
    Robots {
        robots: Vec<Value>,
    },
    Event {
        robot: String,
        data: Value,
    },
    Picture {
        robot: String,
        jpeg: String,
    },
    Answer {
        id: Option<u64>,
        #[serde(default)]
        answer: Option<Value>,
        #[serde(default)]
        error: Option<String>,
    },
    Error {
        error: String,
    },
}

impl FleetOperator {
    /// Returns the operator of the configuration.
    #[must_use]
    pub fn new(config: &Config) -> Self {
        let fleet = config.fleet.operator.is_some().then(|| Arc::new(config.fleet.clone()));
        let shared = Shared {
            clock: MonotonicClock::start(),
            state: Mutex::default(),
            changes: watch::Sender::new(0),
        };
        FleetOperator { fleet, shared: Arc::new(shared) }
    }

    /// Returns the fleet's name, if the server is an operator of one.
    #[must_use]
    pub fn fleet(&self) -> Option<&str> {
        self.fleet.as_ref().map(|fleet| fleet.name.0.as_str())
    }

    /// Returns the fleet, its robots and the latest events.
    pub async fn view(&self) -> Value {
        let Some(fleet) = &self.fleet else {
            return json!({ "fleet": null, "operator": null, "error": null, "robots": [], "events": [] });
        };
        let mut changes = self.shared.changes.subscribe();
        self.start().await;
        let is_known = |shared: &Shared| {
            let state = shared.lock();
            state.updated.is_some() || state.error.is_some()
        };
        let first = async { while !is_known(&self.shared) && changes.changed().await.is_ok() {} };
        // Without an answer in time, the view says that there is none.
        let _late = tokio::time::timeout(FIRST_TIMEOUT, first).await;
        let operator = fleet.operator.as_ref().map(|operator| operator.name.0.as_str());
        self.shared.view(&fleet.name.0, operator)
    }

    /// Returns the latest image of a robot.
    #[must_use]
    pub fn picture(&self, robot: &str) -> Option<Bytes> {
        self.shared.lock().pictures.get(robot).map(|picture| picture.jpeg.clone())
    }

    /// Sends a request to robots and returns their answers, as `minismith fleet` prints them with `--json`.
    ///
    /// # Errors
    /// [`FleetError`].
    pub async fn ask(&self, request: Value) -> Result<Value, FleetError> {
        if self.fleet.is_none() {
            return Err(FleetError::Unconfigured);
        }
        self.start().await;
        let shared = self.shared.clone();
        let sending = tokio::task::spawn_blocking(move || shared.send(&request)).await;
        let lost = || FleetError::Unreachable(format!("{PROGRAM} does not answer"));
        let answer = sending.map_err(|_| lost())??;
        tokio::time::timeout(ANSWER_TIMEOUT, answer).await.map_err(|_| lost())?.map_err(|_| lost())?
    }

    /// Ends the program.
    pub fn close(&self) {
        let running = self.shared.lock().running.take();
        drop(running);
    }

    /// Starts the program if it does not run, and was not started just now.
    async fn start(&self) {
        let Some(fleet) = self.fleet.clone() else { return };
        let shared = self.shared.clone();
        let started = tokio::task::spawn_blocking(move || shared.start(&fleet));
        // A panic of it has been logged.
        let _started = started.await;
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn start(self: &Arc<Self>, fleet: &Fleet) {
        let now = self.clock.now();
        let mut state = self.lock();
        state.asked = now;
        let is_early = state.started.is_some_and(|started| now.since(started) < RETRY_INTERVAL);
        if state.running.is_some() || is_early {
            return;
        }
        state.started = Some(now);
        state.error = None;
        if let Err(error) = self.run(&mut state, fleet) {
            tracing::warn!("the fleet {} cannot be shown: {error}", fleet.name.0);
            state.error = Some(error);
        }
    }

    fn run(self: &Arc<Self>, state: &mut State, fleet: &Fleet) -> Result<(), String> {
        let failed = |error: std::io::Error| format!("cannot start {PROGRAM}: {error}");
        let (program, writer) =
            ChildProgram::start_connected(&program()?, arguments(fleet), environment()).map_err(failed)?;
        writer.set_write_timeout(Some(WRITE_TIMEOUT)).map_err(failed)?;
        let reader = writer.try_clone().map_err(failed)?;
        let shared = self.clone();
        std::thread::Builder::new()
            .name("fleet".into())
            .spawn(move || shared.read(reader))
            .map_err(failed)?;
        state.running = Some(Running { program, writer });
        Ok(())
    }

    /// Reads what the program says until it ends, or nobody asks for the fleet.
    fn read(&self, reader: UnixStream) {
        let mut reader = BufReader::new(reader);
        let mut line = Vec::new();
        while matches!((&mut reader).take(MAX_LINE_BYTES).read_until(b'\n', &mut line), Ok(1..)) {
            if let Ok(said) = serde_json::from_slice(&line) {
                self.take(said);
            }
            line.clear();
            let state = self.lock();
            if state.pending.is_empty() && self.clock.now().since(state.asked) > IDLE_TIMEOUT {
                break;
            }
        }
        let ended = {
            let mut state = self.lock();
            let is_idle = self.clock.now().since(state.asked) > IDLE_TIMEOUT;
            if !is_idle {
                let ended = || format!("{PROGRAM} has ended; the server's log says why");
                let _reason = state.error.get_or_insert_with(ended);
            }
            state.updated = None;
            state.pictures.clear();
            // Those who wait learn that nobody will answer.
            state.pending.clear();
            state.running.take()
        };
        // The program may take a moment to end, in which others may ask.
        if let Some(Running { program, .. }) = ended {
            drop(program);
        }
        self.changes.send_modify(|changes| *changes += 1);
    }

    fn take(&self, said: Said) {
        let mut state = self.lock();
        match said {
            Said::Robots { robots } => {
                state.robots = robots;
                state.updated = Some(self.clock.now());
                state.error = None;
            }
            Said::Event { robot, mut data } => {
                let Some(event) = data.as_object_mut() else { return };
                // A robot speaks for itself alone.
                let _claimed = event.insert("robot".into(), robot.into());
                state.events.push_back(data);
                while state.events.len() > MAX_EVENTS {
                    let _oldest = state.events.pop_front();
                }
            }
            Said::Picture { robot, jpeg } => {
                let Ok(jpeg) = STANDARD.decode(jpeg) else { return };
                let number = state.pictures.get(&robot).map_or(1, |picture| picture.number + 1);
                if state.pictures.len() < MAX_PICTURES || state.pictures.contains_key(&robot) {
                    let _before = state.pictures.insert(robot, Picture { number, jpeg: jpeg.into() });
                }
            }
            Said::Answer { id, answer, error } => {
                let Some(asked) = id.and_then(|id| state.pending.remove(&id)) else { return };
                let answer = answer.ok_or_else(|| FleetError::Invalid(error.unwrap_or_default()));
                // Who asked may have gone.
                let _gone = asked.send(answer);
            }
            Said::Error { error } => state.error = Some(error),
        }
        drop(state);
        self.changes.send_modify(|changes| *changes += 1);
    }

    /// Sends a request; the receiver gets its answer.
    fn send(&self, request: &Value) -> Result<oneshot::Receiver<Result<Value, FleetError>>, FleetError> {
        let (sender, receiver) = oneshot::channel();
        let (mut writer, id) = {
            let mut state = self.lock();
            let Some(running) = &state.running else {
                let starting = || format!("{PROGRAM} is starting; try again");
                return Err(FleetError::Unreachable(state.error.clone().unwrap_or_else(starting)));
            };
            let writer = running.writer.try_clone();
            let writer = writer.map_err(|error| FleetError::Unreachable(error.to_string()))?;
            state.last_id += 1;
            let id = state.last_id;
            let _none = state.pending.insert(id, sender);
            (writer, id)
        };
        let line = format!("{}\n", json!({ "id": id, "request": request }));
        writer.write_all(line.as_bytes()).map_err(|error| {
            let _waiting = self.lock().pending.remove(&id);
            FleetError::Unreachable(format!("{PROGRAM} does not read: {error}"))
        })?;
        Ok(receiver)
    }

    fn view(&self, fleet: &str, operator: Option<&str>) -> Value {
        let state = self.lock();
        let is_current = state.updated.is_some_and(|updated| self.clock.now().since(updated) <= STALE_AFTER);
        let error = match &state.error {
            Some(error) => Some(error.clone()),
            None if !is_current => Some(format!("{PROGRAM} does not respond")),
            None => None,
        };
        let robots: Vec<Value> =
            state.robots.iter().map(|robot| state.shown(robot, error.is_some())).collect();
        json!({ "fleet": fleet, "operator": operator, "error": error, "robots": robots, "events": state.events })
    }
}

impl State {
    /// Returns a robot as the view has it. Where the fleet cannot be reached, no robot is known to be present.
    fn shown(&self, robot: &Value, is_unreachable: bool) -> Value {
        let mut robot = robot.clone();
        let picture = robot.get("name").and_then(Value::as_str).and_then(|name| self.pictures.get(name));
        let number = picture.map(|picture| picture.number);
        if let Some(robot) = robot.as_object_mut() {
            let _absent = robot.insert("picture".into(), json!(number));
            if is_unreachable {
                let _before = robot.insert("present".into(), false.into());
            }
        }
        robot
    }
}

/// Returns the arguments of an operator.
fn arguments(fleet: &Fleet) -> Vec<String> {
    let mut arguments = common(fleet);
    if let Some(operator) = &fleet.operator {
        arguments.push(format!("--as={}", operator.name.0));
        arguments.extend(operator.identity.iter().map(|folder| format!("--identity={}", folder.display())));
    }
    arguments.push("operate".into());
    arguments
}
