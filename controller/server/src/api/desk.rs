//! The queue of requests: executes the clients' sentences and jobs one after the other, because there is one robot.
//!
//! Threads: one thread owns the conversations and the workshop; clients wait for its events. A stop bypasses the queue and
//! goes straight to the control loop. A panic ends only the request or job in which it happens.
//!
//! Safety: a stop cancels all earlier requests that have not started. A client that disconnects stops what its request
//! started. The role of a request decides what it may do.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use axum::http::StatusCode;
use firmware_bridge::clock::{Clock, WallClock};
use firmware_bridge::pulse::{Conductor, Order, PulseHandle};
use serde::Serialize;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tracing::Span;
use uuid::Uuid;

use super::caller::Caller;
use super::given::Refused;
use minismith_assistant::agents::route::Style;
use minismith_assistant::conversation::{
    Asking, Conversation, Mind, News, Onlooker, Reply, Watching, halted,
};
use minismith_assistant::memory::Memory;
use minismith_assistant::model::Client;
use minismith_assistant::tasks::CodeTasks;
use minismith_control::body::Body;
use minismith_nlu::is_stop;
use minismith_runtime::config::Config;
use minismith_runtime::role::Role;
use minismith_toolchain::workshop::Workshop;

/// Maximum size of a sentence, bytes, as in `minismith chat`.
pub(super) const LONGEST_SENTENCE: usize = 64 << 10;

/// Capacity of the queue.
const WAITING: usize = 32;

/// Maximum number of open conversations; others resume from their stored session.
const OPEN: usize = 16;

/// Timeout for answers to questions.
const PATIENCE: Duration = Duration::from_mins(2);

/// Time that a running request gets when the server shuts down.
const LAST_CALL: Duration = Duration::from_secs(2);

/// Interval at which a pending question checks whether its client is still connected.
const LOOK: Duration = Duration::from_millis(100);

/// An event of a request.
#[derive(Debug, Serialize)]
#[serde(tag = "event", content = "data", rename_all = "snake_case")]
pub(super) enum Told {
    /// A question to the user; the answer goes to `/api/v1/chat/{id}/answer`.
    Question { id: Uuid, text: String },
    /// The request is done.
    Reply(Box<Reply>),
    /// The request failed.
    Error { detail: String },
    /// Progress.
    #[serde(untagged)]
    News(News),
}

/// A queued sentence.
struct Said {
    id: Uuid,
    caller: Caller,
    session: Option<String>,
    text: String,
    /// The agents' working style; `None` lets the sentence decide.
    style: Option<Style>,
    /// The stop count when it was sent.
    halts: u64,
    /// Whether the client can answer questions.
    is_asked: bool,
    tell: UnboundedSender<Told>,
}

/// A job that needs the workshop.
type Work = Box<dyn for<'a> FnOnce(&Clerk<'a>) + Send>;

enum Mail {
    Said(Said),
    Work(Work),
    /// The session of this name was deleted.
    Forget(String),
    Close,
}

/// The request that is executed now.
struct Current {
    id: Uuid,
    /// The role of the request; its questions need at least this role.
    role: Role,
    /// Receives the answer while a question is open.
    answer: Option<SyncSender<String>>,
}

/// A handle to the queue, which may be cloned.
#[derive(Clone)]
pub(super) struct Desk {
    inbox: SyncSender<Mail>,
    current: Arc<Mutex<Option<Current>>>,
    pulse: PulseHandle,
    /// Counts the [`Hearing`]s.
    hearings: Arc<Shares>,
}

/// A reference count.
#[derive(Default)]
struct Shares(Arc<()>);

/// The queue is full.
#[derive(Debug, thiserror::Error)]
#[error("too many requests: {WAITING} are queued, {WAITING} allowed; try again in a few seconds")]
pub(super) struct Full;

/// A job that did not finish.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoWork {
    /// It was not queued.
    #[error(transparent)]
    Full(#[from] Full),
    /// It panicked, or the workshop is not open.
    #[error("the job failed: internal error; see the log")]
    Lost,
}

/// The events of one request. Dropping it early stops what the request started.
pub(super) struct Hearing {
    pub(super) told: UnboundedReceiver<Told>,
    id: Uuid,
    desk: Desk,
    _share: Arc<()>,
}

impl Drop for Hearing {
    fn drop(&mut self) {
        if self.desk.is_answering(self.id) {
            self.desk.pulse.clone().order(Order::Halt);
        }
    }
}

/// The thread of the queue. Dropping it stops the running request and ends the thread.
pub(super) struct DeskThread {
    thread: Option<JoinHandle<()>>,
    desk: Desk,
}

impl DeskThread {
    pub(super) fn start(body: Arc<Body>, config: Config) -> std::io::Result<Self> {
        let (inbox, said) = sync_channel(WAITING);
        let current = Arc::new(Mutex::new(None));
        let desk = Desk { inbox, current: current.clone(), pulse: body.handle(), hearings: Arc::default() };
        let thread = std::thread::Builder::new().name("desk".into()).spawn(move || {
            // If the workshop does not open, every request gets the reason.
            match Workshop::open(&config) {
                Ok(workshop) => Clerk::new(&body, &workshop, &config, current).serve(&said),
                Err(error) => refuse_all(&said, &error.to_string()),
            }
        })?;
        Ok(DeskThread { thread: Some(thread), desk })
    }

    pub(super) fn desk(&self) -> Desk {
        self.desk.clone()
    }
}

impl Drop for DeskThread {
    fn drop(&mut self) {
        if self.desk.lock().is_some() {
            self.desk.pulse.clone().order(Order::Halt);
        }
        // This fails if the thread has ended or the queue is full; the thread then ends with the program.
        let _heard = self.desk.inbox.try_send(Mail::Close);
        let Some(thread) = self.thread.take() else { return };
        let clock = WallClock::start();
        let until = clock.now() + LAST_CALL;
        while !thread.is_finished() && clock.now() < until {
            clock.wait_until(clock.now() + LOOK);
        }
        if thread.is_finished() {
            let _panicked = thread.join();
        } else {
            // A rehearsal moves nothing and can't be cancelled.
            tracing::info!("abandoning a rehearsal that is still running");
        }
    }
}

fn refuse_all(mail: &Receiver<Mail>, why: &str) {
    tracing::warn!("the workshop is not available: {why}");
    while let Ok(mail) = mail.recv() {
        match mail {
            // The client may have disconnected.
            Mail::Said(Said { tell, .. }) => drop(tell.send(Told::Error { detail: why.into() })),
            // Dropping the job tells its client that it is lost.
            Mail::Work(_) | Mail::Forget(_) => {}
            Mail::Close => return,
        }
    }
}

impl Desk {
    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Current>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_answering(&self, id: Uuid) -> bool {
        self.lock().as_ref().is_some_and(|current| current.id == id)
    }

    /// Queues a sentence. A stop bypasses the queue, stops the robot at once and is answered once the robot is at rest.
    pub(super) fn hear(
        &self,
        caller: Caller,
        text: &str,
        session: Option<&str>,
        is_asked: bool,
    ) -> Result<Hearing, Full> {
        self.hear_in(None, caller, text, session, is_asked)
    }

    /// Queues a sentence with a working style for the agents.
    pub(super) fn hear_in(
        &self,
        style: Option<Style>,
        caller: Caller,
        text: &str,
        session: Option<&str>,
        is_asked: bool,
    ) -> Result<Hearing, Full> {
        let halts = self.pulse.halts();
        self.hear_later(style, caller, text, session, is_asked, halts)
    }

    /// Queues a sentence that was sent at an earlier stop count: a later stop cancels it, and does not stop the robot again.
    pub(super) fn hear_later(
        &self,
        style: Option<Style>,
        caller: Caller,
        text: &str,
        session: Option<&str>,
        is_asked: bool,
        halts: u64,
    ) -> Result<Hearing, Full> {
        let (tell, told) = unbounded_channel();
        // The sentence has the id of its request.
        let id = caller.request.id.unwrap_or_else(Uuid::new_v4);
        let hearing = Hearing { told, id, desk: self.clone(), _share: self.hearings.0.clone() };
        if is_stop(text) {
            let mut pulse = self.pulse.clone();
            if pulse.halts() <= halts {
                pulse.order(Order::Halt);
            }
            let span = Span::current();
            tokio::task::spawn_blocking(move || {
                let _stopping = tracing::info_span!(parent: &span, "stop").entered();
                tell.send(Told::Reply(Box::new(halted(&mut pulse))))
            });
            return Ok(hearing);
        }
        let session = session.map(Into::into);
        let said = Said { id, caller, session, text: text.into(), style, halts, is_asked, tell };
        self.post(Mail::Said(said))?;
        Ok(hearing)
    }

    /// Returns how many sentences are queued or running.
    pub(super) fn hearings(&self) -> usize {
        Arc::strong_count(&self.hearings.0) - 1
    }

    /// Runs a job with the workshop when its turn comes.
    ///
    /// # Errors
    /// [`NoWork`].
    pub(super) async fn work<T: Send + 'static>(
        &self,
        work: impl for<'a> FnOnce(&Clerk<'a>) -> T + Send + 'static,
    ) -> Result<T, NoWork> {
        let (tell, told) = oneshot::channel();
        let span = Span::current();
        let work = move |clerk: &Clerk<'_>| span.in_scope(|| work(clerk));
        // The client may have disconnected.
        self.post(Mail::Work(Box::new(move |clerk| drop(tell.send(work(clerk))))))?;
        told.await.map_err(|_| NoWork::Lost)
    }

    /// Closes the conversation of a deleted session. Blocks while the queue is full.
    pub(super) fn forget(&self, session: &str) {
        // Without a thread there is nothing to close.
        let _heard = self.inbox.send(Mail::Forget(session.into()));
    }

    fn post(&self, mail: Mail) -> Result<(), Full> {
        match self.inbox.try_send(mail) {
            Ok(()) => Ok(()),
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => Err(Full),
        }
    }

    /// Answers the open question of a request; returns whether there was one that the caller may answer.
    pub(super) fn answer(&self, id: Uuid, caller: &Caller, text: &str) -> bool {
        let mut current = self.lock();
        let asked = current.as_mut().filter(|current| current.id == id && current.role <= caller.role);
        asked
            .and_then(|current| current.answer.take())
            .is_some_and(|answer| answer.try_send(text.into()).is_ok())
    }
}

/// The worker of the queue.
pub(super) struct Clerk<'a> {
    /// The robot.
    pub(super) body: &'a Body,
    /// The workshop.
    pub(super) workshop: &'a Workshop,
    /// The configuration.
    pub(super) config: &'a Config,
    /// Questions about files.
    pub(super) tasks: CodeTasks,
    current: Arc<Mutex<Option<Current>>>,
    /// The client of the running request.
    listener: Rc<RefCell<Option<Listener>>>,
}

/// The client of a request.
#[derive(Clone)]
struct Listener {
    id: Uuid,
    is_asked: bool,
    halts: u64,
    tell: UnboundedSender<Told>,
}

/// Open conversations, by the names of their sessions.
type Open<'a> = VecDeque<(String, Conversation<'a>)>;

impl<'a> Clerk<'a> {
    fn new(
        body: &'a Body,
        workshop: &'a Workshop,
        config: &'a Config,
        current: Arc<Mutex<Option<Current>>>,
    ) -> Self {
        Clerk { body, workshop, config, tasks: CodeTasks::new(config), current, listener: Rc::default() }
    }

    fn serve(&self, mail: &Receiver<Mail>) {
        let memory = Memory::of(self.config)
            .inspect_err(|error| tracing::warn!(%error, "sessions are not stored"))
            .ok();
        let mut open = Open::new();
        while let Ok(mail) = mail.recv() {
            match mail {
                Mail::Said(said) => self.hear(said, memory.as_ref(), &mut open),
                Mail::Work(work) => {
                    // Jobs ask no questions, but a shutdown stops them like sentences.
                    *self.lock() = Some(Current { id: Uuid::new_v4(), role: Role::Owner, answer: None });
                    self.safely(|| work(self));
                    *self.lock() = None;
                }
                Mail::Forget(session) => open.retain(|(name, _)| *name != session),
                Mail::Close => return,
            }
        }
    }

    /// Returns the result; `None` after a panic, which stops the robot but not the queue.
    fn safely<T>(&self, act: impl FnOnce() -> T) -> Option<T> {
        // A conversation that panics is dropped, so that no broken state remains.
        let done = catch_unwind(AssertUnwindSafe(act));
        if done.is_err() {
            tracing::error!("a request panicked; stopping the robot");
            self.body.handle().order(Order::Halt);
        }
        done.ok()
    }

    fn hear<'b>(&'b self, said: Said, memory: Option<&'b Memory>, open: &mut Open<'b>) {
        let Said { id, caller, session, text, style, halts, is_asked, tell } = said;
        if tell.is_closed() {
            return;
        }
        *self.listener.borrow_mut() = Some(Listener { id, is_asked, halts, tell: tell.clone() });
        *self.lock() = Some(Current { id, role: caller.role, answer: None });
        let known = session.as_ref().and_then(|session| open.iter().position(|(name, _)| name == session));
        let known = known.and_then(|place| open.remove(place)).map(|(_, conversation)| conversation);
        let _asked = caller.request.span.enter();
        let told = self.safely(|| {
            let mut conversation = match known {
                Some(conversation) => conversation,
                None => self.begin(memory, session.as_deref())?,
            };
            conversation.heard_from(&caller.name, caller.role);
            conversation.worked_on(style);
            conversation.known_as(&id);
            let reply = conversation.hear_later(&text, halts);
            if let Some(session) = session {
                open.push_back((session, conversation));
                if open.len() > OPEN {
                    open.pop_front();
                }
            }
            Ok(Told::Reply(Box::new(reply)))
        });
        *self.lock() = None;
        *self.listener.borrow_mut() = None;
        let broken = || Err("the request failed: internal error; see the log".into());
        let told = told.unwrap_or_else(broken).unwrap_or_else(|detail: String| Told::Error { detail });
        // The client may have disconnected.
        let _heard = tell.send(told);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Current>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begin<'b>(
        &'b self,
        memory: Option<&'b Memory>,
        session: Option<&str>,
    ) -> Result<Conversation<'b>, String> {
        let mut conversation = Conversation::new(self.body, self.workshop)
            .searching_with(&self.config.models)
            .answering_with(&self.tasks)
            .watched_by(self.watching())
            .asking("the person at the other end", self.asking());
        if let Some(client) = Client::configured(self.config).map_err(|error| error.to_string())? {
            conversation = conversation.thinking_with(Mind::new(self.config, Box::new(client)));
        }
        let onlooker = Onlooker::configured(self.config).map_err(|error| error.to_string())?;
        conversation = conversation.shown_to(onlooker);
        if let Some(session) = session {
            let memory =
                memory.ok_or("sessions are not available: the session file can't be used; omit `session`")?;
            let session = memory.session(Some(session)).map_err(|error| error.to_string())?;
            conversation = conversation.remembering(memory, session.id());
        }
        Ok(conversation)
    }

    fn watching(&self) -> Watching {
        let listener = self.listener.clone();
        Box::new(move |news| {
            if let Some(listener) = &*listener.borrow() {
                // The client may have disconnected.
                let _heard = listener.tell.send(Told::News(news));
            }
        })
    }

    fn asking(&self) -> Asking {
        let listener = self.listener.clone();
        let current = self.current.clone();
        let pulse = self.body.handle();
        Box::new(move |question| {
            let listening = listener.borrow().clone().filter(|listener| listener.is_asked);
            let Listener { id, halts, tell, .. } = listening?;
            let (answer, answers) = sync_channel(1);
            if let Some(current) = current.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
                current.answer = Some(answer);
            }
            tell.send(Told::Question { id, text: question.into() }).ok()?;
            let mut waited = Duration::ZERO;
            while waited < PATIENCE && !tell.is_closed() && pulse.halts() == halts {
                match answers.recv_timeout(LOOK) {
                    Ok(text) => return Some(text).filter(|text| !is_stop(text)),
                    Err(RecvTimeoutError::Timeout) => waited += LOOK,
                    Err(RecvTimeoutError::Disconnected) => return None,
                }
            }
            None
        })
    }
}

impl From<NoWork> for Refused {
    fn from(no: NoWork) -> Self {
        let status = match no {
            NoWork::Full(_) => StatusCode::TOO_MANY_REQUESTS,
            NoWork::Lost => StatusCode::CONFLICT,
        };
        Refused::because(status, &no.to_string())
    }
}
