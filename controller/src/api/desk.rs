//! Where what clients say is answered: one conversation after another, since there is one body.
//!
//! Threads: one thread has the conversations; whoever asks waits for what it tells. A stop goes past it, to the pulse.
//! Safety: what was said before a stop and is not done yet is not begun. Whoever goes away while being answered stops
//! what was begun for him.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use firmware_bridge::pulse::{Conductor, Order, PulseHandle};
use serde::Serialize;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use uuid::Uuid;

use crate::body::Body;
use crate::brain::is_stop;
use crate::config::Config;
use crate::conversation::{Asking, Conversation, Mind, Progress, Reply, Watching};
use crate::memory::Memory;
use crate::model::Client;
use crate::tasks::CodeTasks;
use crate::workshop::Workshop;

/// Sentences that may wait for their turn.
const WAITING: usize = 32;

/// Conversations that are gone on with where they were; others begin with what their session remembers.
const OPEN: usize = 16;

/// How long a person may take to answer a question.
const PATIENCE: Duration = Duration::from_mins(2);

/// How often somebody who waits for an answer looks whether there still is a person.
const LOOK: Duration = Duration::from_millis(100);

/// What is told of a sentence.
#[derive(Debug, Serialize)]
#[serde(tag = "event", content = "data", rename_all = "snake_case")]
pub(super) enum Told {
    /// A step is done.
    Step(Box<Progress>),
    /// The person is asked; the answer goes to `/api/v1/chat/{id}/answer`.
    Question { id: Uuid, text: String },
    /// All is done.
    Reply(Box<Reply>),
    /// It could not be answered.
    Error { detail: String },
}

/// A sentence on its way.
struct Said {
    id: Uuid,
    session: Option<String>,
    text: String,
    /// How often the body had been halted when it was said.
    halts: u64,
    /// Whether there is somebody who can be asked.
    is_asked: bool,
    tell: UnboundedSender<Told>,
}

enum Mail {
    Said(Said),
    Close,
}

/// The one who is answered now.
struct Current {
    id: Uuid,
    /// Where an answer to a question goes, while one is asked.
    answer: Option<SyncSender<String>>,
}

/// The desk; any number may be cloned.
#[derive(Clone)]
pub(super) struct Desk {
    inbox: SyncSender<Mail>,
    current: Arc<Mutex<Option<Current>>>,
    pulse: PulseHandle,
}

/// No sentence is taken.
#[derive(Debug, thiserror::Error)]
#[error("{WAITING} sentences are waiting already; say it again in a while")]
pub(super) struct Full;

/// What is told of one sentence. Dropping it before the end stops what was begun for it.
pub(super) struct Hearing {
    pub(super) told: UnboundedReceiver<Told>,
    id: Uuid,
    desk: Desk,
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
        let desk = Desk { inbox, current: current.clone(), pulse: body.handle() };
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
        // Where the thread has gone already, there is nobody to tell.
        let _heard = self.desk.inbox.send(Mail::Close);
        if let Some(thread) = self.thread.take() {
            let _panicked = thread.join();
        }
    }
}

fn refuse_all(said: &Receiver<Mail>, why: &str) {
    while let Ok(Mail::Said(Said { tell, .. })) = said.recv() {
        // Whoever asked may have gone.
        let _heard = tell.send(Told::Error { detail: why.into() });
    }
}

impl Desk {
    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Current>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_answering(&self, id: Uuid) -> bool {
        self.lock().as_ref().is_some_and(|current| current.id == id)
    }

    /// Hears a sentence; a stop halts the body before anything else is done with it.
    pub(super) fn hear(&self, text: &str, session: Option<&str>, is_asked: bool) -> Result<Hearing, Full> {
        let halts = self.pulse.halts();
        if is_stop(text) {
            self.pulse.clone().order(Order::Halt);
        }
        let (tell, told) = unbounded_channel();
        let id = Uuid::new_v4();
        let said = Said { id, session: session.map(Into::into), text: text.into(), halts, is_asked, tell };
        match self.inbox.try_send(Mail::Said(said)) {
            Ok(()) => Ok(Hearing { told, id, desk: self.clone() }),
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => Err(Full),
        }
    }

    /// Answers a question that was asked of the one who said that; whether it was asked.
    pub(super) fn answer(&self, id: Uuid, text: &str) -> bool {
        let mut current = self.lock();
        let asked = current.as_mut().filter(|current| current.id == id);
        asked
            .and_then(|current| current.answer.take())
            .is_some_and(|answer| answer.try_send(text.into()).is_ok())
    }
}

/// Who works at the desk.
struct Clerk<'a> {
    body: &'a Body,
    workshop: &'a Workshop,
    config: &'a Config,
    tasks: CodeTasks,
    current: Arc<Mutex<Option<Current>>>,
    /// Whoever is told now.
    listener: Rc<RefCell<Option<Listener>>>,
}

/// Who is told of a sentence.
#[derive(Clone)]
struct Listener {
    id: Uuid,
    is_asked: bool,
    tell: UnboundedSender<Told>,
}

impl<'a> Clerk<'a> {
    fn new(
        body: &'a Body,
        workshop: &'a Workshop,
        config: &'a Config,
        current: Arc<Mutex<Option<Current>>>,
    ) -> Self {
        Clerk { body, workshop, config, tasks: CodeTasks::new(config), current, listener: Rc::default() }
    }

    fn serve(&self, said: &Receiver<Mail>) {
        let memory =
            Memory::of(self.config).inspect_err(|error| tracing::warn!(%error, "sessions are not kept")).ok();
        let mut open: VecDeque<(String, Conversation<'_>)> = VecDeque::new();
        while let Ok(Mail::Said(Said { id, session, text, halts, is_asked, tell })) = said.recv() {
            if tell.is_closed() {
                continue;
            }
            *self.listener.borrow_mut() = Some(Listener { id, is_asked, tell: tell.clone() });
            *self.lock() = Some(Current { id, answer: None });
            let known =
                session.as_ref().and_then(|session| open.iter().position(|(name, _)| name == session));
            let conversation = match known.and_then(|place| open.remove(place)) {
                Some((_, conversation)) => Ok(conversation),
                None => self.begin(memory.as_ref(), session.as_deref()),
            };
            let told = match conversation {
                Ok(mut conversation) => {
                    let reply = conversation.hear_later(&text, halts);
                    if let Some(session) = session {
                        open.push_back((session, conversation));
                        if open.len() > OPEN {
                            open.pop_front();
                        }
                    }
                    Told::Reply(Box::new(reply))
                }
                Err(detail) => Told::Error { detail },
            };
            *self.lock() = None;
            *self.listener.borrow_mut() = None;
            // Whoever asked may have gone.
            let _heard = tell.send(told);
        }
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
        if let Some(session) = session {
            let memory = memory.ok_or("sessions can't be kept; leave `session` out")?;
            let session = memory.session(Some(session)).map_err(|error| error.to_string())?;
            conversation = conversation.remembering(memory, session.id());
        }
        Ok(conversation)
    }

    fn watching(&self) -> Watching {
        let listener = self.listener.clone();
        Box::new(move |progress| {
            if let Some(listener) = &*listener.borrow() {
                // Whoever asked may have gone.
                let _heard = listener.tell.send(Told::Step(Box::new(progress)));
            }
        })
    }

    fn asking(&self) -> Asking {
        let listener = self.listener.clone();
        let current = self.current.clone();
        Box::new(move |question| {
            let Listener { id, tell, .. } = listener.borrow().clone().filter(|listener| listener.is_asked)?;
            let (answer, answers) = sync_channel(1);
            if let Some(current) = current.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
                current.answer = Some(answer);
            }
            tell.send(Told::Question { id, text: question.into() }).ok()?;
            let mut waited = Duration::ZERO;
            while waited < PATIENCE && !tell.is_closed() {
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
