//! Where what clients say is answered: one conversation after another, since there is one body.
//!
//! Threads: one thread has the conversations and the workshop; whoever asks waits for what it tells. A stop goes past it,
//! to the pulse, and is answered from there. A panic costs the sentence or the work in which it happened, and no more.
//! Safety: what was said before a stop and is not done yet is not begun. Whoever goes away while being answered stops
//! what was begun for him. What may be done for somebody is a matter of the role with which it was said.

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

/// The longest sentence, bytes, as in `minismith chat`.
pub(super) const LONGEST_SENTENCE: usize = 64 << 10;

/// Sentences that may wait for their turn.
const WAITING: usize = 32;

/// Conversations that are gone on with where they were; others begin with what their session remembers.
const OPEN: usize = 16;

/// How long a person may take to answer a question.
const PATIENCE: Duration = Duration::from_mins(2);

/// How long what is still being done may take when the server ends.
const LAST_CALL: Duration = Duration::from_secs(2);

/// How often somebody who waits for an answer looks whether there still is a person.
const LOOK: Duration = Duration::from_millis(100);

/// What is told of a sentence.
#[derive(Debug, Serialize)]
#[serde(tag = "event", content = "data", rename_all = "snake_case")]
pub(super) enum Told {
    /// The person is asked; the answer goes to `/api/v1/chat/{id}/answer`.
    Question { id: Uuid, text: String },
    /// All is done.
    Reply(Box<Reply>),
    /// It could not be answered.
    Error { detail: String },
    /// How far it is.
    #[serde(untagged)]
    News(News),
}

/// A sentence on its way.
struct Said {
    id: Uuid,
    caller: Caller,
    session: Option<String>,
    text: String,
    /// In which way it is worked on; none leaves it to the sentence.
    style: Option<Style>,
    /// How often the body had been halted when it was said.
    halts: u64,
    /// Whether there is somebody who can be asked.
    is_asked: bool,
    tell: UnboundedSender<Told>,
}

/// Something else that is done here, where the workshop is.
type Work = Box<dyn for<'a> FnOnce(&Clerk<'a>) + Send>;

enum Mail {
    Said(Said),
    Work(Work),
    /// A session of this name is no more.
    Forget(String),
    Close,
}

/// The one who is answered now.
struct Current {
    id: Uuid,
    /// With which role it was said: no lesser one answers what is asked about it.
    role: Role,
    /// Where an answer to a question goes, while one is asked.
    answer: Option<SyncSender<String>>,
}

/// The desk; any number may be cloned.
#[derive(Clone)]
pub(super) struct Desk {
    inbox: SyncSender<Mail>,
    current: Arc<Mutex<Option<Current>>>,
    pulse: PulseHandle,
    /// One share for every [`Hearing`].
    hearings: Arc<Shares>,
}

/// Counts those who hold a share.
#[derive(Default)]
struct Shares(Arc<()>);

/// Nothing is taken.
#[derive(Debug, thiserror::Error)]
#[error("{WAITING} others are waiting already; try again in a while")]
pub(super) struct Full;

/// Work that did not come to its end.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoWork {
    /// It was not taken.
    #[error(transparent)]
    Full(#[from] Full),
    /// It broke down, or there is no workshop.
    #[error("it could not be done, which is an error of this program; its log says more")]
    Lost,
}

/// What is told of one sentence. Dropping it before the end stops what was begun for it.
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

/// The thread. Dropping it brakes what was begun here, and ends it.
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
            // The workshop may not open, and people are still answered then: with the reason.
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
        // Where the thread has gone already, or where all seats are taken, there is nobody to tell; it ends with the
        // program then.
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
            // A rehearsal moves nothing, and can't be asked to end.
            tracing::info!("what is still being rehearsed is given up");
        }
    }
}

fn refuse_all(mail: &Receiver<Mail>, why: &str) {
    tracing::warn!("there is no workshop: {why}");
    while let Ok(mail) = mail.recv() {
        match mail {
            // Whoever asked may have gone.
            Mail::Said(Said { tell, .. }) => drop(tell.send(Told::Error { detail: why.into() })),
            // Who waits for work is told that it is lost.
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

    /// Hears a sentence. A stop halts the body at once, waits for nobody's turn, and is answered when the body rests.
    pub(super) fn hear(
        &self,
        caller: Caller,
        text: &str,
        session: Option<&str>,
        is_asked: bool,
    ) -> Result<Hearing, Full> {
        self.hear_in(None, caller, text, session, is_asked)
    }

    /// The same, worked on in a certain way.
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

    /// The same, said when the body had been halted so often: what was halted since is not begun, and not halted again.
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
        // What the request is known as, the sentence is, too.
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

    /// How many sentences wait or are being answered.
    pub(super) fn hearings(&self) -> usize {
        Arc::strong_count(&self.hearings.0) - 1
    }

    /// Has something done where the workshop is, when it is its turn.
    pub(super) async fn work<T: Send + 'static>(
        &self,
        work: impl for<'a> FnOnce(&Clerk<'a>) -> T + Send + 'static,
    ) -> Result<T, NoWork> {
        let (tell, told) = oneshot::channel();
        let span = Span::current();
        let work = move |clerk: &Clerk<'_>| span.in_scope(|| work(clerk));
        // Whoever asked may have gone.
        self.post(Mail::Work(Box::new(move |clerk| drop(tell.send(work(clerk))))))?;
        told.await.map_err(|_| NoWork::Lost)
    }

    /// Goes on with this session no more; a new one of its name begins with nothing. Waits for a seat.
    pub(super) fn forget(&self, session: &str) {
        // Without a thread there is nothing to forget.
        let _heard = self.inbox.send(Mail::Forget(session.into()));
    }

    fn post(&self, mail: Mail) -> Result<(), Full> {
        match self.inbox.try_send(mail) {
            Ok(()) => Ok(()),
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => Err(Full),
        }
    }

    /// Answers a question that was asked of the one who said that; whether it was asked of somebody who may answer.
    pub(super) fn answer(&self, id: Uuid, caller: &Caller, text: &str) -> bool {
        let mut current = self.lock();
        let asked = current.as_mut().filter(|current| current.id == id && current.role <= caller.role);
        asked
            .and_then(|current| current.answer.take())
            .is_some_and(|answer| answer.try_send(text.into()).is_ok())
    }
}

/// Who works at the desk.
pub(super) struct Clerk<'a> {
    /// The body.
    pub(super) body: &'a Body,
    /// The workshop.
    pub(super) workshop: &'a Workshop,
    /// The configuration.
    pub(super) config: &'a Config,
    /// Questions about files.
    pub(super) tasks: CodeTasks,
    current: Arc<Mutex<Option<Current>>>,
    /// Whoever is told now.
    listener: Rc<RefCell<Option<Listener>>>,
}

/// Who is told of a sentence.
#[derive(Clone)]
struct Listener {
    id: Uuid,
    is_asked: bool,
    halts: u64,
    tell: UnboundedSender<Told>,
}

/// Conversations that are gone on with, by the names of their sessions.
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
        let memory =
            Memory::of(self.config).inspect_err(|error| tracing::warn!(%error, "sessions are not kept")).ok();
        let mut open = Open::new();
        while let Ok(mail) = mail.recv() {
            match mail {
                Mail::Said(said) => self.hear(said, memory.as_ref(), &mut open),
                Mail::Work(work) => {
                    // Nobody is asked about it; but where the server ends, it is stopped like a sentence.
                    *self.lock() = Some(Current { id: Uuid::new_v4(), role: Role::Owner, answer: None });
                    self.safely(|| work(self));
                    *self.lock() = None;
                }
                Mail::Forget(session) => open.retain(|(name, _)| *name != session),
                Mail::Close => return,
            }
        }
    }

    /// What came of it; none when it panicked: then the body is halted, and others are served.
    fn safely<T>(&self, act: impl FnOnce() -> T) -> Option<T> {
        // What it was about to change goes with it: a conversation that panics is dropped.
        let done = catch_unwind(AssertUnwindSafe(act));
        if done.is_err() {
            tracing::error!("a conversation ended in a panic; the robot is halted");
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
        let broken = || Err("that ended in an error of this program; its log says more".into());
        let told = told.unwrap_or_else(broken).unwrap_or_else(|detail: String| Told::Error { detail });
        // Whoever asked may have gone.
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
            let memory = memory.ok_or("sessions can't be kept; leave `session` out")?;
            let session = memory.session(Some(session)).map_err(|error| error.to_string())?;
            conversation = conversation.remembering(memory, session.id());
        }
        Ok(conversation)
    }

    fn watching(&self) -> Watching {
        let listener = self.listener.clone();
        Box::new(move |news| {
            if let Some(listener) = &*listener.borrow() {
                // Whoever asked may have gone.
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
