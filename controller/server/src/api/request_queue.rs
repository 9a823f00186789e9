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

use firmware_bridge::clock::{Clock, MonotonicClock};
use firmware_bridge::control_loop::{ControlLoopHandle, LoopClient, LoopCommand};
use serde::Serialize;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tracing::Span;
use uuid::Uuid;

use super::caller::Caller;
use super::rehearsals::{JobError, QUEUE_CAPACITY, QueueFull, Rehearsals};
use minismith_assistant::agents::route::Style;
use minismith_assistant::code_tasks::CodeTasks;
use minismith_assistant::conversation::{
    Asking, Conversation, ConversationEvent, Mind, Reply, VisionModel, Watching, stopped,
};
use minismith_assistant::memory::Memory;
use minismith_control::robot::RobotRuntime;
use minismith_language_model::Client;
use minismith_nlu::is_stop;
use minismith_runtime::config::Config;
use minismith_runtime::role::Role;
use minismith_toolchain::workshop::Workshop;

/// Maximum size of a sentence, bytes, as in `minismith chat`.
pub(super) const MAX_SENTENCE_BYTES: usize = 64 << 10;

/// Maximum number of open conversations; others resume from their stored session.
const MAX_OPEN_CONVERSATIONS: usize = 16;

/// Timeout for answers to questions.
const QUESTION_TIMEOUT: Duration = Duration::from_mins(2);

/// Time that a running request gets when the server shuts down.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// Interval at which a pending question checks whether its client is still connected.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// An event of a request.
#[derive(Debug, Serialize)]
#[serde(tag = "event", content = "data", rename_all = "snake_case")]
pub(super) enum ReplyEvent {
    /// A question to the user; the answer goes to `/api/v1/chat/{id}/answer`.
    Question { id: Uuid, text: String },
    /// The request is done.
    Reply(Box<Reply>),
    /// The request failed.
    Error { detail: String },
    /// Progress.
    #[serde(rename = "news")]
    #[serde(untagged)]
    Event(ConversationEvent),
}

/// A sentence that is to be queued; the fields are those of [`QueuedSentence`].
struct Sentence<'a> {
    text: &'a str,
    session: Option<&'a str>,
    style: Option<Style>,
    is_spoken: bool,
    is_asked: bool,
    stop_epoch: u64,
}

/// A queued sentence.
struct QueuedSentence {
    id: Uuid,
    caller: Caller,
    session: Option<String>,
    text: String,
    /// The agents' working style; `None` lets the sentence decide.
    style: Option<Style>,
    is_spoken: bool,
    /// The stop count when it was sent.
    stop_epoch: u64,
    /// Whether the client can answer questions.
    is_asked: bool,
    report: UnboundedSender<ReplyEvent>,
}

/// A job that needs the workshop.
type Job = Box<dyn for<'a> FnOnce(&Worker<'a>) + Send>;

enum Mail {
    Sentence(QueuedSentence),
    Job(Job),
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
pub(super) struct RequestQueue {
    inbox: SyncSender<Mail>,
    current: Arc<Mutex<Option<Current>>>,
    control_loop: ControlLoopHandle,
    /// Counts the [`PendingReply`]s.
    pending_replies: Arc<Shares>,
    rehearsals: Rehearsals,
}

/// A reference count.
#[derive(Default)]
struct Shares(Arc<()>);

/// The events of one request. Dropping it early stops what the request started.
pub(super) struct PendingReply {
    pub(super) events: UnboundedReceiver<ReplyEvent>,
    id: Uuid,
    queue: RequestQueue,
    _share: Arc<()>,
}

impl Drop for PendingReply {
    fn drop(&mut self) {
        if self.queue.is_answering(self.id) {
            self.queue.control_loop.clone().send_command(LoopCommand::Stop);
        }
    }
}

/// The thread of the queue. Dropping it stops the running request and ends the thread.
pub(super) struct WorkerThread {
    /// The thread of the queue, and that of the rehearsals.
    threads: Vec<JoinHandle<()>>,
    queue: RequestQueue,
}

impl WorkerThread {
    pub(super) fn start(body: Arc<RobotRuntime>, config: Config) -> std::io::Result<Self> {
        let (inbox, said) = sync_channel(QUEUE_CAPACITY);
        let current = Arc::new(Mutex::new(None));
        let (rehearsals, rehearsing) = Rehearsals::start(config.clone())?;
        let queue = RequestQueue {
            inbox,
            current: current.clone(),
            control_loop: body.handle(),
            pending_replies: Arc::default(),
            rehearsals,
        };
        let thread = std::thread::Builder::new().name("requests".into()).spawn(move || {
            // If the workshop does not open, every request gets the reason.
            match Workshop::open(&config) {
                Ok(workshop) => Worker::new(&body, &workshop, &config, current).run(&said),
                Err(error) => refuse_all(&said, &error.to_string()),
            }
        })?;
        Ok(WorkerThread { threads: vec![thread, rehearsing], queue })
    }

    pub(super) fn queue(&self) -> RequestQueue {
        self.queue.clone()
    }
}

impl Drop for WorkerThread {
    fn drop(&mut self) {
        if self.queue.lock().is_some() {
            self.queue.control_loop.clone().send_command(LoopCommand::Stop);
        }
        // This fails if the thread has ended or the queue is full; the thread then ends with the program.
        let _heard = self.queue.inbox.try_send(Mail::Close);
        self.queue.rehearsals.close();
        let clock = MonotonicClock::start();
        let until = clock.now() + SHUTDOWN_TIMEOUT;
        for thread in self.threads.drain(..) {
            while !thread.is_finished() && clock.now() < until {
                clock.wait_until(clock.now() + POLL_INTERVAL);
            }
            if thread.is_finished() {
                let _panicked = thread.join();
            } else {
                // A rehearsal moves nothing and can't be cancelled.
                tracing::info!("abandoning a rehearsal that is still running");
            }
        }
    }
}

fn refuse_all(mail: &Receiver<Mail>, why: &str) {
    tracing::warn!("the workshop is not available: {why}");
    while let Ok(mail) = mail.recv() {
        match mail {
            // The client may have disconnected.
            Mail::Sentence(QueuedSentence { report, .. }) => {
                drop(report.send(ReplyEvent::Error { detail: why.into() }))
            }
            // Dropping the job tells its client that it is lost.
            Mail::Job(_) | Mail::Forget(_) => {}
            Mail::Close => return,
        }
    }
}

impl RequestQueue {
    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Current>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_answering(&self, id: Uuid) -> bool {
        self.lock().as_ref().is_some_and(|current| current.id == id)
    }

    /// Queues a sentence. A stop bypasses the queue, stops the robot at once and is answered once the robot is at rest.
    pub(super) fn submit_sentence(
        &self,
        caller: Caller,
        text: &str,
        session: Option<&str>,
        is_asked: bool,
    ) -> Result<PendingReply, QueueFull> {
        self.submit_in_session(None, caller, text, session, is_asked)
    }

    /// Queues a sentence with a working style for the agents.
    pub(super) fn submit_in_session(
        &self,
        style: Option<Style>,
        caller: Caller,
        text: &str,
        session: Option<&str>,
        is_asked: bool,
    ) -> Result<PendingReply, QueueFull> {
        let stop_epoch = self.control_loop.stop_epoch();
        self.submit(caller, Sentence { text, session, style, is_spoken: false, is_asked, stop_epoch })
    }

    /// Queues a spoken sentence that was sent at an earlier stop count: a later stop cancels it, and does not stop the robot
    /// again.
    pub(super) fn submit_spoken(
        &self,
        caller: Caller,
        text: &str,
        session: Option<&str>,
        stop_epoch: u64,
    ) -> Result<PendingReply, QueueFull> {
        let sentence = Sentence { text, session, style: None, is_spoken: true, is_asked: true, stop_epoch };
        self.submit(caller, sentence)
    }

    fn submit(&self, caller: Caller, sentence: Sentence<'_>) -> Result<PendingReply, QueueFull> {
        let Sentence { text, stop_epoch, .. } = sentence;
        let (report, reported) = unbounded_channel();
        // The sentence has the id of its request.
        let id = caller.request.id.unwrap_or_else(Uuid::new_v4);
        let pending = PendingReply {
            events: reported,
            id,
            queue: self.clone(),
            _share: self.pending_replies.0.clone(),
        };
        if is_stop(text) {
            let mut control_loop = self.control_loop.clone();
            if control_loop.stop_epoch() <= stop_epoch {
                control_loop.send_command(LoopCommand::Stop);
            }
            let span = Span::current();
            tokio::task::spawn_blocking(move || {
                let _stopping = tracing::info_span!(parent: &span, "stop").entered();
                report.send(ReplyEvent::Reply(Box::new(stopped(&mut control_loop))))
            });
            return Ok(pending);
        }
        let Sentence { session, style, is_spoken, is_asked, .. } = sentence;
        let (session, text) = (session.map(Into::into), text.into());
        let said =
            QueuedSentence { id, caller, session, text, style, is_spoken, stop_epoch, is_asked, report };
        self.post(Mail::Sentence(said))?;
        Ok(pending)
    }

    /// Returns how many sentences are queued or running.
    pub(super) fn pending_replies(&self) -> usize {
        Arc::strong_count(&self.pending_replies.0) - 1
    }

    /// Runs a job with the workshop when its turn comes.
    ///
    /// # Errors
    /// [`JobError`].
    pub(super) async fn run_job<T: Send + 'static>(
        &self,
        work: impl for<'a> FnOnce(&Worker<'a>) -> T + Send + 'static,
    ) -> Result<T, JobError> {
        let (report, reported) = oneshot::channel();
        let span = Span::current();
        let work = move |worker: &Worker<'_>| span.in_scope(|| work(worker));
        // The client may have disconnected.
        self.post(Mail::Job(Box::new(move |worker| drop(report.send(work(worker))))))?;
        reported.await.map_err(|_| JobError::Lost)
    }

    /// Returns the queue of rehearsals.
    pub(super) const fn rehearsals(&self) -> &Rehearsals {
        &self.rehearsals
    }

    /// Closes the conversation of a deleted session. Blocks while the queue is full.
    pub(super) fn forget(&self, session: &str) {
        // Without a thread there is nothing to close.
        let _heard = self.inbox.send(Mail::Forget(session.into()));
    }

    fn post(&self, mail: Mail) -> Result<(), QueueFull> {
        match self.inbox.try_send(mail) {
            Ok(()) => Ok(()),
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => Err(QueueFull),
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
pub(super) struct Worker<'a> {
    /// The robot.
    pub(super) body: &'a RobotRuntime,
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
    stop_epoch: u64,
    report: UnboundedSender<ReplyEvent>,
}

/// Open conversations, by the names of their sessions.
type Open<'a> = VecDeque<(String, Conversation<'a>)>;

impl<'a> Worker<'a> {
    fn new(
        body: &'a RobotRuntime,
        workshop: &'a Workshop,
        config: &'a Config,
        current: Arc<Mutex<Option<Current>>>,
    ) -> Self {
        Worker { body, workshop, config, tasks: CodeTasks::new(config), current, listener: Rc::default() }
    }

    fn run(&self, mail: &Receiver<Mail>) {
        let memory = Memory::of(self.config)
            .inspect_err(|error| tracing::warn!(%error, "sessions are not stored"))
            .ok();
        let mut open = Open::new();
        while let Ok(mail) = mail.recv() {
            match mail {
                Mail::Sentence(said) => self.handle_sentence(said, memory.as_ref(), &mut open),
                Mail::Job(work) => {
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
            self.body.handle().send_command(LoopCommand::Stop);
        }
        done.ok()
    }

    fn handle_sentence<'b>(&'b self, said: QueuedSentence, memory: Option<&'b Memory>, open: &mut Open<'b>) {
        let QueuedSentence { id, caller, session, text, style, is_spoken, stop_epoch, is_asked, report } =
            said;
        if report.is_closed() {
            return;
        }
        *self.listener.borrow_mut() = Some(Listener { id, is_asked, stop_epoch, report: report.clone() });
        *self.lock() = Some(Current { id, role: caller.role, answer: None });
        let known = session.as_ref().and_then(|session| open.iter().position(|(name, _)| name == session));
        let known = known.and_then(|position| open.remove(position)).map(|(_, conversation)| conversation);
        let _asked = caller.request.span.enter();
        let reported = self.safely(|| {
            let mut conversation = match known {
                Some(conversation) => conversation,
                None => self.begin(memory, session.as_deref())?,
            };
            conversation.heard_from(&caller.name, caller.role);
            conversation.worked_on(style);
            conversation.spoken(is_spoken);
            conversation.known_as(&id);
            let reply = conversation.queue_sentence(&text, stop_epoch);
            if let Some(session) = session {
                open.push_back((session, conversation));
                if open.len() > MAX_OPEN_CONVERSATIONS {
                    open.pop_front();
                }
            }
            Ok(ReplyEvent::Reply(Box::new(reply)))
        });
        *self.lock() = None;
        *self.listener.borrow_mut() = None;
        let broken = || Err("the request failed: internal error; see the log".into());
        let reported =
            reported.unwrap_or_else(broken).unwrap_or_else(|detail: String| ReplyEvent::Error { detail });
        // The client may have disconnected.
        let _heard = report.send(reported);
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
        let vision_model = VisionModel::configured(self.config).map_err(|error| error.to_string())?;
        conversation = conversation.shown_to(vision_model);
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
                let _heard = listener.report.send(ReplyEvent::Event(news));
            }
        })
    }

    fn asking(&self) -> Asking {
        let listener = self.listener.clone();
        let current = self.current.clone();
        let control_loop = self.body.handle();
        Box::new(move |question| {
            let listening = listener.borrow().clone().filter(|listener| listener.is_asked);
            let Listener { id, stop_epoch, report, .. } = listening?;
            let (answer, answers) = sync_channel(1);
            if let Some(current) = current.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
                current.answer = Some(answer);
            }
            report.send(ReplyEvent::Question { id, text: question.into() }).ok()?;
            let mut waited = Duration::ZERO;
            while waited < QUESTION_TIMEOUT && !report.is_closed() && control_loop.stop_epoch() == stop_epoch
            {
                match answers.recv_timeout(POLL_INTERVAL) {
                    Ok(text) => return Some(text).filter(|text| !is_stop(text)),
                    Err(RecvTimeoutError::Timeout) => waited += POLL_INTERVAL,
                    Err(RecvTimeoutError::Disconnected) => return None,
                }
            }
            None
        })
    }
}
