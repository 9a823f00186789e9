//! Starts the process of the local model with the first request, supervises it and ends it ([`ModelServer`]).
//!
//! One process serves all conversations of this program, one request after another. It starts when it is needed, and ends
//! after some idle time, with this program, and when another model is chosen. A process that crashes is replaced with the
//! next request, and one that sends nothing for too long is ended; after too many of either, requests fail at once for a
//! while. Every failure comes back within the time limit of the request, as a text for a person, so that the caller can do
//! without the model.

mod launch;

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError, Weak};
use std::time::Duration;

use firmware_bridge::clock::{Clock, MonotonicClock, Timestamp};
use minismith_runtime::config::LocalModel;
use minismith_runtime::net::http::{Chunk, KeepListening, Timeouts, TransferError};
use serde_json::{Value, json};

use crate::process::{ModelProcess, Progress};
use crate::prompt_cache::{PromptCache, evaluation};
use crate::runtime::NotInstalled;
use launch::{Choice, Installed, Launch};

/// How many times a process is replaced within [`CRASH_WINDOW`].
const MAX_RESTARTS: usize = 3;
const CRASH_WINDOW: Duration = Duration::from_secs(600);

/// How often a waiting request asks whether it was cancelled.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// How long a process whose connection was lost may take to die.
const DEATH_TIMEOUT: Duration = Duration::from_secs(2);

/// How long an evaluated prompt may take to be read or written.
const DISK_TIMEOUT: Duration = Duration::from_secs(30);

/// The longest reply to a task other than a completion, bytes.
const MAX_TASK_BYTES: usize = 4 << 20;

/// The reason why a request brought no answer.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The runtime or a model is missing.
    #[error(transparent)]
    NotInstalled(#[from] NotInstalled),
    /// The process did not start.
    #[error("its process did not start: {0}")]
    NotStarted(String),
    /// The process died.
    #[error("its process died: {0}")]
    Died(String),
    /// The process sent nothing for so long, and was ended.
    #[error("its process sent nothing for {} s and was ended", .0.as_secs_f64())]
    Hung(Duration),
    /// The process died too often.
    #[error("its process ended {crashes} times within {} minutes, the last time because {reason}; it starts again in {minutes} min", CRASH_WINDOW.as_secs() / 60)]
    GaveUp {
        /// How often it ended.
        crashes: usize,
        /// Why it ended the last time.
        reason: String,
        /// After how many minutes it may start again.
        minutes: u64,
    },
    /// The request took too long, or its reply did not arrive whole.
    #[error(transparent)]
    Transfer(#[from] TransferError),
}

impl ServerError {
    /// Whether the same request may succeed at once: with a new process.
    #[must_use]
    pub const fn may_pass(&self) -> bool {
        matches!(self, ServerError::Died(_))
    }
}

/// What a listener and a clock made of a step.
enum Step<T> {
    Done(T),
    /// The listener cancelled.
    Cancelled,
}

/// Continues with the result of a step, or returns from the function because the listener cancelled.
macro_rules! done {
    ($step:expr) => {
        match $step? {
            Step::Done(value) => value,
            Step::Cancelled => return Ok(Step::Cancelled),
        }
    };
}

/// A listener, which may cancel at each event.
type Listener<'a> = &'a mut dyn FnMut(Chunk<'_>) -> KeepListening;

/// The local model, whether its process runs or not.
pub struct ModelServer {
    config: LocalModel,
    launch: Box<dyn Launch>,
    clock: MonotonicClock,
    state: Mutex<State>,
    own: Weak<ModelServer>,
}

#[derive(Default)]
struct State {
    running: Option<Running>,
    /// When processes ended that should not have.
    crashes: VecDeque<Timestamp>,
    /// Why the last one did.
    reason: String,
    /// Whether a thread watches for idle time.
    is_watched: bool,
}

struct Running {
    process: ModelProcess,
    choice: Choice,
    prompts: PromptCache,
    /// The constant part that the process has at hand.
    slot: Option<String>,
    last_used: Timestamp,
}

type Shared = Mutex<Vec<(LocalModel, Result<PathBuf, String>, Arc<ModelServer>)>>;

static SHARED: Shared = Mutex::new(Vec::new());

/// Returns the local model of this configuration; the same one for all of this program. `tool_host` is the program that
/// confines the process, or why there is none.
#[must_use]
pub fn shared(config: &LocalModel, tool_host: Result<PathBuf, String>) -> Arc<ModelServer> {
    let mut servers = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((.., server)) = servers.iter().find(|(known, host, _)| known == config && *host == tool_host)
    {
        return Arc::clone(server);
    }
    let launch = Installed::new(config.clone(), tool_host.clone());
    let server = ModelServer::launching(config.clone(), Box::new(launch));
    servers.push((config.clone(), tool_host, Arc::clone(&server)));
    server
}

/// Ends all processes, before this program ends.
pub fn stop_all() {
    let servers = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    servers.iter().for_each(|(.., server)| server.stop());
}

impl ModelServer {
    fn launching(config: LocalModel, launch: Box<dyn Launch>) -> Arc<Self> {
        Arc::new_cyclic(|own| ModelServer {
            config,
            launch,
            clock: MonotonicClock::start(),
            state: Mutex::default(),
            own: own.clone(),
        })
    }

    /// Returns the name of the model that would answer now; none where none is installed.
    #[must_use]
    pub fn model_name(&self) -> Option<String> {
        self.launch.choice().ok().map(|choice| choice.name)
    }

    /// Checks that a runtime and a model are installed.
    ///
    /// # Errors
    /// [`ServerError::NotInstalled`].
    pub fn check(&self) -> Result<(), ServerError> {
        self.launch.choice().map(|_| ())
    }

    /// Returns the process id, if the process runs.
    #[must_use]
    pub fn process_id(&self) -> Option<u32> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).running.as_ref().map(|it| it.process.id())
    }

    /// Ends the process, unless a request is in progress. The next request starts another one.
    pub fn stop(&self) {
        if let Ok(mut state) = self.state.try_lock() {
            state.running = None;
        }
    }

    /// Starts the process and waits until it is ready, as the first request would.
    ///
    /// # Errors
    /// [`ServerError`].
    pub fn warm(&self, time: Duration) -> Result<(), ServerError> {
        let until = self.clock.now() + time;
        let hear: Listener<'_> = &mut |_| KeepListening::On;
        if let Step::Done(mut state) = self.acquire(until, time, hear)? {
            self.ready(&mut state, until, hear)?;
        }
        Ok(())
    }

    /// Asks for a completion: `request` is the body for OpenAI's chat completions, also with `grammar` (GBNF). The
    /// listener receives the response, and may cancel at any time, which ends the generation. Returns when the response
    /// ends or the listener cancels.
    ///
    /// # Errors
    /// [`ServerError`], within `timeouts.whole`.
    pub fn complete(
        &self,
        request: &Value,
        timeouts: Timeouts,
        hear: Listener<'_>,
    ) -> Result<(), ServerError> {
        let until = self.clock.now() + timeouts.whole;
        self.completed(request, until, timeouts, hear).map(|_| ())
    }

    fn completed(
        &self,
        request: &Value,
        until: Timestamp,
        timeouts: Timeouts,
        hear: Listener<'_>,
    ) -> Result<Step<()>, ServerError> {
        let mut state = done!(self.acquire(until, timeouts.whole, hear));
        done!(self.ready(&mut state, until, hear));
        done!(self.restore(&mut state, request, until, timeouts.silence, hear));
        let left = self.left(until, timeouts.whole)?;
        let mut request = request.clone();
        if let Some(request) = request.as_object_mut() {
            // With its progress, the evaluation of a long prompt is no silence.
            request.insert("return_progress".into(), true.into());
            request.insert("cache_prompt".into(), true.into());
            request.insert("id_slot".into(), 0.into());
        }
        let limits = Timeouts { whole: left, ..timeouts };
        self.post(&mut state, "v1/chat/completions", &request, limits, timeouts.whole, hear)?;
        Ok(Step::Done(()))
    }

    fn left(&self, until: Timestamp, whole: Duration) -> Result<Duration, ServerError> {
        let left = until.since(self.clock.now());
        if left.is_zero() { Err(TransferError::Slow(whole).into()) } else { Ok(left) }
    }

    /// Waits for the requests before this one.
    fn acquire(
        &self,
        until: Timestamp,
        whole: Duration,
        hear: Listener<'_>,
    ) -> Result<Step<MutexGuard<'_, State>>, ServerError> {
        loop {
            match self.state.try_lock() {
                Ok(state) => return Ok(Step::Done(state)),
                Err(TryLockError::Poisoned(poisoned)) => return Ok(Step::Done(poisoned.into_inner())),
                Err(TryLockError::WouldBlock) => {}
            }
            self.left(until, whole)?;
            if hear(Chunk::Silence) == KeepListening::Off {
                return Ok(Step::Cancelled);
            }
            self.clock.wait_until(self.clock.now() + POLL_INTERVAL);
        }
    }

    /// Starts a process unless a healthy one runs, and waits until it is ready.
    fn ready(
        &self,
        state: &mut State,
        until: Timestamp,
        hear: Listener<'_>,
    ) -> Result<Step<()>, ServerError> {
        let choice = self.launch.choice()?;
        if let Some(running) = &mut state.running {
            match running.process.death() {
                Some(how) => {
                    state.running = None;
                    self.crashed(state, &how);
                }
                None if running.choice == choice => return Ok(Step::Done(())),
                // Another model was chosen, or the runtime replaced.
                None => state.running = None,
            }
        }
        self.may_start(state)?;
        let asked = self.clock.now();
        let (mut process, prompts) = self.launch.start(&choice).map_err(|error| {
            self.crashed(state, &error.to_string());
            ServerError::NotStarted(error.to_string())
        })?;
        loop {
            match process.progress() {
                Ok(Progress::Ready) => break,
                Ok(Progress::Starting) => {}
                Err(why) => {
                    drop(process);
                    self.crashed(state, &why);
                    return Err(ServerError::NotStarted(why));
                }
            }
            if self.clock.now() >= until {
                drop(process);
                let why =
                    format!("it was not ready within {:.1} s", self.clock.now().since(asked).as_secs_f64());
                self.crashed(state, &why);
                return Err(ServerError::NotStarted(why));
            }
            if hear(Chunk::Silence) == KeepListening::Off {
                return Ok(Step::Cancelled);
            }
            self.clock.wait_until(self.clock.now() + Duration::from_millis(10));
        }
        let last_used = self.clock.now();
        tracing::info!(
            model = choice.name,
            seconds = last_used.since(asked).as_secs_f64(),
            "the local model started"
        );
        state.running = Some(Running { process, choice, prompts, slot: None, last_used });
        self.watch(state);
        Ok(Step::Done(()))
    }

    /// Makes sure that the process has the constant part of the request at hand: from before, from disk, or by evaluating
    /// it and saving that.
    fn restore(
        &self,
        state: &mut State,
        request: &Value,
        until: Timestamp,
        silence: Duration,
        hear: Listener<'_>,
    ) -> Result<Step<()>, ServerError> {
        let Some(running) = &mut state.running else { return Ok(Step::Done(())) };
        let Some(name) = running.prompts.name(request) else {
            running.slot = None;
            return Ok(Step::Done(()));
        };
        if running.slot.as_ref() == Some(&name) {
            return Ok(Step::Done(()));
        }
        running.slot = None;
        let prompts = running.prompts.clone();
        let file = json!({ "filename": name });
        if prompts.has(&name) {
            let restored = self.task(state, "slots/0?action=restore", &file, until, DISK_TIMEOUT, hear);
            match restored {
                Ok(Step::Done(true)) => {
                    self.holds(state, name);
                    return Ok(Step::Done(()));
                }
                Ok(Step::Cancelled) => return Ok(Step::Cancelled),
                // It is evaluated again, now or with the next request.
                Ok(Step::Done(false)) => prompts.forget(&name),
                Err(error) => {
                    prompts.forget(&name);
                    return Err(error);
                }
            }
        }
        let Some(evaluation) = evaluation(request) else { return Ok(Step::Done(())) };
        if !done!(self.task(state, "v1/chat/completions", &evaluation, until, silence, hear)) {
            return Ok(Step::Done(()));
        }
        if done!(self.task(state, "slots/0?action=save", &file, until, DISK_TIMEOUT, hear)) {
            prompts.tidy();
        }
        self.holds(state, name);
        Ok(Step::Done(()))
    }

    fn holds(&self, state: &mut State, name: String) {
        if let Some(running) = &mut state.running {
            running.slot = Some(name);
        }
    }

    /// Has the process do something whose response nobody reads. Returns whether it did it.
    fn task(
        &self,
        state: &mut State,
        path: &str,
        body: &Value,
        until: Timestamp,
        silence: Duration,
        hear: Listener<'_>,
    ) -> Result<Step<bool>, ServerError> {
        let left = self.left(until, silence)?;
        let limits = Timeouts { whole: left, silence, bytes: MAX_TASK_BYTES };
        let (mut is_done, mut is_cancelled) = (false, false);
        self.post(state, path, body, limits, left, &mut |chunk| {
            if let Chunk::Began(opening) = chunk {
                is_done = opening.status == 200;
            }
            let heard = hear(Chunk::Silence);
            is_cancelled |= heard == KeepListening::Off;
            heard
        })?;
        Ok(if is_cancelled { Step::Cancelled } else { Step::Done(is_done) })
    }

    /// Sends a request, and finds out what happened to the process if the response does not arrive. `whole` is the limit
    /// that is named where the time is up.
    fn post(
        &self,
        state: &mut State,
        path: &str,
        body: &Value,
        limits: Timeouts,
        whole: Duration,
        hear: Listener<'_>,
    ) -> Result<(), ServerError> {
        let Some(running) = &mut state.running else {
            return Err(ServerError::NotStarted("it does not run".into()));
        };
        let sent = running.process.http.post(path, body.to_string(), limits, hear);
        running.last_used = self.clock.now();
        match sent {
            Ok(()) => Ok(()),
            Err(TransferError::Slow(limit)) if limit == limits.silence && limit < limits.whole => {
                state.running = None;
                self.crashed(state, &format!("it sent nothing for {} s", limit.as_secs_f64()));
                Err(ServerError::Hung(limit))
            }
            Err(TransferError::Slow(_)) => Err(TransferError::Slow(whole).into()),
            Err(error @ TransferError::TooLong(_)) => Err(error.into()),
            Err(error @ (TransferError::Cut(_) | TransferError::Unreachable(_))) => {
                match running.process.death_within(DEATH_TIMEOUT, &self.clock) {
                    Some(how) => {
                        state.running = None;
                        self.crashed(state, &how);
                        Err(ServerError::Died(how))
                    }
                    None => Err(error.into()),
                }
            }
        }
    }

    fn crashed(&self, state: &mut State, reason: &str) {
        // The caller tells the person.
        tracing::info!(reason, "the process of the local model ended");
        state.crashes.push_back(self.clock.now());
        reason.clone_into(&mut state.reason);
    }

    /// Whether another process may be started now.
    fn may_start(&self, state: &mut State) -> Result<(), ServerError> {
        let now = self.clock.now();
        state.crashes.retain(|crash| now.since(*crash) < CRASH_WINDOW);
        if state.crashes.len() <= MAX_RESTARTS {
            return Ok(());
        }
        let oldest = state.crashes.front().map_or(Duration::ZERO, |crash| now.since(*crash));
        let minutes = CRASH_WINDOW.saturating_sub(oldest).as_secs().div_ceil(60);
        Err(ServerError::GaveUp { crashes: state.crashes.len(), reason: state.reason.clone(), minutes })
    }

    /// Starts a thread that ends the process when it is idle, unless there is one.
    fn watch(&self, state: &mut State) {
        if state.is_watched {
            return;
        }
        let own = self.own.clone();
        let interval = (self.config.idle_timeout / 4).clamp(POLL_INTERVAL, Duration::from_secs(1));
        let thread = std::thread::Builder::new().name("model-watch".into()).spawn(move || {
            let clock = MonotonicClock::start();
            loop {
                clock.wait_until(clock.now() + interval);
                match own.upgrade() {
                    Some(server) if server.look() => {}
                    _ => return,
                }
            }
        });
        // Without the thread, the process runs as long as this program.
        state.is_watched = thread.is_ok();
    }

    /// Ends the process if it is idle, and notices its death. Returns whether to look again.
    fn look(&self) -> bool {
        let mut state = match self.state.try_lock() {
            Ok(state) => state,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            // A request is in progress.
            Err(TryLockError::WouldBlock) => return true,
        };
        if let Some(running) = &mut state.running {
            if let Some(how) = running.process.death() {
                state.running = None;
                self.crashed(&mut state, &how);
            } else if self.clock.now().since(running.last_used) >= self.config.idle_timeout {
                tracing::info!("the local model is idle and ends");
                state.running = None;
            }
        }
        state.is_watched = state.running.is_some();
        state.is_watched
    }
}

#[cfg(test)]
mod tests;
