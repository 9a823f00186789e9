//! Who is there: the peers that listen, and their sessions.
//!
//! A peer is known by its credentials, and each of its requests shows them again. A session belongs to the credentials that
//! began it; nobody else can answer or end it. The controller has accepted the credentials; here they are only compared.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::sync::mpsc;
use uuid::Uuid;

use super::message;
use crate::controller::{Caller, Controller, ControllerError, Credentials};
use crate::session::{Session, SessionError, Signal, end_message};
use crate::transport::PeerKind;
use crate::video::Video;

/// The most peers that listen, in all and per address.
const MAX_LISTENERS: usize = 32;
const MAX_LISTENERS_PER_ADDRESS: usize = 16;

/// The most sessions. Each costs a connection to the controller and the bandwidth of the video.
const MAX_SESSIONS: usize = 8;

/// Messages that wait for a peer.
const QUEUE_CAPACITY: usize = 64;

/// The robot's name where clients of GStreamer's signalling look for it by name, as in the official daemon.
pub const PRODUCER_NAME: &str = "reachymini";

/// Reports why a peer gets nothing.
#[derive(Debug, thiserror::Error)]
pub enum HubError {
    /// The controller refuses it, or cannot be reached.
    #[error(transparent)]
    Controller(#[from] ControllerError),
    /// All places are taken.
    #[error("too many peers listen: close another page")]
    Full,
    /// The peer does not listen for the robot's messages.
    #[error("open /events first, with the same token")]
    NotListening,
    /// The robot is not this one.
    #[error("no such robot: ask for the list")]
    UnknownRobot,
    /// The robot offers, not the peer.
    #[error("not available: the robot makes the offer; start the session without one")]
    PeerOffer,
    /// The session does not exist, or is somebody else's.
    #[error("no such session")]
    UnknownSession,
    /// All sessions are taken.
    #[error("the robot is busy: {MAX_SESSIONS} sessions are open")]
    Busy,
    /// The message is none that fits.
    #[error("{0}")]
    Invalid(String),
    /// The session cannot begin.
    #[error("cannot begin a session: {0}")]
    Session(String),
}

impl HubError {
    /// Returns the HTTP status that says it.
    #[must_use]
    pub const fn status(&self) -> u16 {
        match self {
            HubError::Controller(ControllerError::Refused { status, .. }) => *status,
            HubError::Controller(_) | HubError::Session(_) => 502,
            HubError::Full | HubError::Busy => 503,
            HubError::NotListening => 409,
            HubError::UnknownRobot | HubError::UnknownSession => 404,
            HubError::PeerOffer | HubError::Invalid(_) => 422,
        }
    }
}

/// A peer that listens.
struct Listener {
    who: Arc<Credentials>,
    /// Which of several pages it is, if they differ in their browser.
    agent: String,
    outbox: mpsc::Sender<Value>,
    kind: PeerKind,
    /// Counts up: the newest listener has the highest number.
    number: u64,
}

/// A session that runs.
struct OpenSession {
    who: Arc<Credentials>,
    listener: String,
    signals: mpsc::Sender<Signal>,
}

#[derive(Default)]
struct Known {
    listeners: HashMap<String, Listener>,
    sessions: HashMap<String, OpenSession>,
    /// Sessions that are about to open.
    opening: usize,
    counted: u64,
}

/// The peers and the sessions; clones are of the same.
#[derive(Clone)]
pub struct Hub {
    controller: Controller,
    video: Video,
    robot: Arc<str>,
    known: Arc<Mutex<Known>>,
}

/// A listening peer; dropping it forgets the peer.
pub struct Listening {
    hub: Hub,
    /// The peer's id.
    pub id: String,
    /// Messages for the peer.
    pub inbox: mpsc::Receiver<Value>,
    /// Whether the peer's sessions end with it.
    ends_sessions: bool,
}

impl Drop for Listening {
    fn drop(&mut self) {
        let mut known = self.hub.known();
        known.listeners.remove(&self.id);
        if self.ends_sessions {
            for session in known.sessions.values().filter(|session| session.listener == self.id) {
                // A session that does not read its signals has ended.
                let _heard = session.signals.try_send(Signal::End);
            }
        }
    }
}

impl Hub {
    /// Returns a hub without peers.
    #[must_use]
    pub fn new(controller: Controller) -> Self {
        let video = Video::new(controller.clone());
        Hub { controller, video, robot: Uuid::new_v4().to_string().into(), known: Arc::default() }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets a peer listen, if the controller accepts it.
    ///
    /// # Errors
    /// [`HubError`] with the controller's words.
    pub async fn listen(&self, who: Credentials, agent: &str, kind: PeerKind) -> Result<Listening, HubError> {
        let caller = self.controller.caller(&who).await?;
        let id = Uuid::new_v4().to_string();
        let (outbox, inbox) = mpsc::channel(QUEUE_CAPACITY);
        // The queue is empty, so it takes the greeting.
        let _taken = outbox.try_send(message::welcome(&id));
        let mut known = self.known();
        let is_near = |listener: &&Listener| listener.who.peer == who.peer;
        if known.listeners.len() >= MAX_LISTENERS
            || known.listeners.values().filter(is_near).count() >= MAX_LISTENERS_PER_ADDRESS
        {
            return Err(HubError::Full);
        }
        known.counted += 1;
        let number = known.counted;
        tracing::info!("{:?} listens, from {}", caller.name, who.peer);
        let listener = Listener { who: Arc::new(who), agent: agent.to_owned(), outbox, kind, number };
        known.listeners.insert(id.clone(), listener);
        drop(known);
        // GStreamer hangs up when it ends; a browser's events may break off and come back.
        let ends_sessions = kind == PeerKind::GStreamer;
        Ok(Listening { hub: self.clone(), id, inbox, ends_sessions })
    }

    /// Returns who a peer is to the controller.
    ///
    /// # Errors
    /// [`HubError::Controller`] with the controller's words.
    pub async fn caller(&self, who: &Credentials) -> Result<Caller, HubError> {
        Ok(self.controller.caller(who).await?)
    }

    /// Returns the robot's name; that of the official daemon if it cannot be asked.
    pub async fn robot_name(&self, who: &Credentials) -> String {
        let status =
            self.controller.request("GET", "/api/daemon/status", who, None).await.unwrap_or_default();
        let name = status.get("robot_name").and_then(Value::as_str);
        name.unwrap_or(PRODUCER_NAME).to_owned()
    }

    /// Returns the robot's id.
    #[must_use]
    pub fn robot(&self) -> &str {
        &self.robot
    }

    /// Whether there is no place for another session.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        let known = self.known();
        known.sessions.len() + known.opening >= MAX_SESSIONS
    }

    /// Returns the listener that a request without a name of it comes from: the newest one with these credentials that has no
    /// session, or else the newest one.
    #[must_use]
    pub fn listener_of(&self, who: &Credentials, agent: &str) -> Option<String> {
        let known = self.known();
        let own = known.listeners.iter().filter(|(_, one)| *one.who == *who && one.agent == agent);
        let has_session = |id: &str| known.sessions.values().any(|session| session.listener == id);
        own.max_by_key(|(id, one)| (!has_session(id), one.number)).map(|(id, _)| id.clone())
    }

    /// Takes a message of a listener, and returns the response.
    ///
    /// # Errors
    /// [`HubError`] says what is wrong with it.
    pub async fn take(
        &self,
        who: &Credentials,
        listener: Option<&str>,
        message: message::PeerMessage,
    ) -> Result<Value, HubError> {
        use message::PeerMessage;
        match message {
            PeerMessage::SetPeerStatus {} => Ok(serde_json::json!({ "type": "ok" })),
            PeerMessage::List {} => Ok(message::list(&self.robot, &self.robot_name(who).await)),
            PeerMessage::StartSession { offer: Some(_), .. } => Err(HubError::PeerOffer),
            PeerMessage::StartSession { peer_id, .. } => {
                if *peer_id != *self.robot {
                    return Err(HubError::UnknownRobot);
                }
                self.start(who, listener.ok_or(HubError::NotListening)?).await
            }
            PeerMessage::Peer { session_id, sdp, ice } => {
                let session = self.session_of(who, session_id, listener)?;
                if let Some(sdp) = sdp {
                    if sdp.kind != "answer" {
                        return Err(HubError::Invalid("the robot makes the offer; send an answer".into()));
                    }
                    if sdp.sdp.len() > crate::transport::MAX_SDP_BYTES {
                        return Err(HubError::Invalid("the session description is too long".into()));
                    }
                    signal(&session, Signal::Answer(sdp.sdp))?;
                }
                // An empty one says that there are no more.
                if let Some(ice) = ice.filter(|ice| !ice.candidate.is_empty()) {
                    signal(&session, Signal::Candidate(ice.candidate))?;
                }
                Ok(serde_json::json!({ "type": "ok" }))
            }
            PeerMessage::EndSession { session_id } => {
                // A peer that closes its connection first has ended it already.
                if self.known().sessions.contains_key(&session_id) {
                    let session = self.session_of(who, Some(session_id), listener)?;
                    signal(&session, Signal::End)?;
                }
                Ok(serde_json::json!({ "type": "ok" }))
            }
        }
    }

    /// Returns the signals of a peer's own session.
    fn session_of(
        &self,
        who: &Credentials,
        id: Option<String>,
        listener: Option<&str>,
    ) -> Result<mpsc::Sender<Signal>, HubError> {
        let known = self.known();
        let session = match &id {
            Some(id) => known.sessions.get(id),
            None => known.sessions.values().find(|session| Some(session.listener.as_str()) == listener),
        };
        let own = session.filter(|session| *session.who == *who);
        own.map(|session| session.signals.clone()).ok_or(HubError::UnknownSession)
    }

    async fn start(&self, who: &Credentials, listener: &str) -> Result<Value, HubError> {
        let (outbox, who, kind) = {
            let mut known = self.known();
            if known.sessions.len() + known.opening >= MAX_SESSIONS {
                return Err(HubError::Busy);
            }
            let found =
                known.listeners.get(listener).filter(|one| *one.who == *who).ok_or(HubError::NotListening)?;
            let found = (found.outbox.clone(), found.who.clone(), found.kind);
            known.opening += 1;
            found
        };
        let place = Opening(self.clone());
        let caller = self.controller.caller(&who).await?;
        let name = caller.name.clone();
        let opened =
            Session::open(self.controller.clone(), who.clone(), caller, self.video.clone(), kind).await;
        let (session, offer) = opened.map_err(|error| match error {
            SessionError::Controller(error) => HubError::Controller(error),
            SessionError::Transport(error) => HubError::Session(error.to_string()),
        })?;
        let id = Uuid::new_v4().to_string();
        let (signals, mut inbox) = mpsc::channel(QUEUE_CAPACITY);
        {
            let mut known = self.known();
            let open = OpenSession { who, listener: listener.to_owned(), signals };
            known.sessions.insert(id.clone(), open);
        }
        drop(place);
        let started = message::session_started(&self.robot, &id);
        // The id comes before the offer, so that the answer can name it.
        for message in [started.clone(), message::offer(&id, &offer)] {
            if outbox.try_send(message).is_err() {
                self.known().sessions.remove(&id);
                return Err(HubError::NotListening);
            }
        }
        tracing::info!(session = id, "a session of {name:?} begins");
        let ended = Ended { hub: self.clone(), id: id.clone(), outbox };
        tokio::spawn(async move {
            let reason = session.run(&mut inbox).await;
            ended.tell(reason);
        });
        Ok(started)
    }
}

/// A place that is kept for a session while it opens.
struct Opening(Hub);

impl Drop for Opening {
    fn drop(&mut self) {
        self.0.known().opening -= 1;
    }
}

/// Frees the place of a session, also if its task panics.
struct Ended {
    hub: Hub,
    id: String,
    outbox: mpsc::Sender<Value>,
}

impl Ended {
    fn tell(&self, reason: &str) {
        tracing::info!(session = self.id, "a session has ended: {reason}");
        // The peer may have gone.
        let _heard = self.outbox.try_send(end_message(&self.id, reason));
    }
}

impl Drop for Ended {
    fn drop(&mut self) {
        self.hub.known().sessions.remove(&self.id);
    }
}

fn signal(session: &mpsc::Sender<Signal>, signal: Signal) -> Result<(), HubError> {
    use mpsc::error::TrySendError;
    session.try_send(signal).map_err(|error| match error {
        TrySendError::Full(_) => HubError::Invalid("too many messages for this session".into()),
        TrySendError::Closed(_) => HubError::UnknownSession,
    })
}

/// Returns the address of a request's peer as one address, whichever family it came by.
#[must_use]
pub fn canonical(peer: IpAddr) -> IpAddr {
    peer.to_canonical()
}
