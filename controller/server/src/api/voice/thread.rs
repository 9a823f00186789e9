//! The thread of a conversation by voice: sends each utterance to the queue, one after the other, and the answers back to the
//! speech synthesizer. When the client disconnects, the thread ends and stops what it started.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use minismith_protocol::old_names::http::{EventNames, name_event};
use serde::Serialize;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use uuid::Uuid;

use crate::api::caller::MessageAuthor;
use crate::api::request_queue::{PendingReply, ReplyEvent, RequestQueue};
use crate::auth::{Caller, RequestInfo};
use minismith_control::robot::RobotRuntime;
use minismith_dialogue::{Brake, Parts, SpokenRequest, VoiceConversation, VoiceEvent};
use minismith_nlu::is_stop;
use minismith_runtime::config::Voice;
use minismith_runtime::role::Role;

/// Interval at which the thread polls for utterances and for the client to disconnect.
const POLL_INTERVAL: Duration = Duration::from_millis(40);

/// Receives each event as a JSON document. Must not block.
pub(super) type Report = Arc<dyn Fn(String) + Send + Sync>;

/// The participants of a conversation, and where its events go.
pub(super) struct VoiceWorker {
    pub(super) queue: RequestQueue,
    pub(super) speaker: Arc<MessageAuthor>,
    pub(super) session: Option<String>,
    /// Which names the events have.
    pub(super) names: EventNames,
    pub(super) report: Report,
    /// The client's end is dropped when it disconnects.
    pub(super) leaving: watch::Receiver<()>,
}

/// Announces the request that is executed now.
#[derive(Serialize)]
#[serde(tag = "event", content = "data", rename_all = "snake_case")]
enum Next<'a> {
    Said { text: &'a str },
}

/// What happens next while a request is executed.
enum Came {
    Reported(Option<ReplyEvent>),
    /// Nothing within the polling interval.
    Nothing,
    Left,
}

/// Starts listening and answering; returns a handle that stops the robot, and the thread.
pub(super) fn begin(
    body: &RobotRuntime,
    voice: &Voice,
    parts: Parts,
    talking: VoiceWorker,
) -> std::io::Result<(Brake, JoinHandle<()>)> {
    let stops = Arc::<AtomicU64>::default();
    let (reported, speaker, counted) = (talking.report.clone(), talking.speaker.clone(), stops.clone());
    let names = talking.names;
    let report = move |news: VoiceEvent| {
        if matches!(news, VoiceEvent::Stop { .. }) {
            counted.fetch_add(1, Ordering::Relaxed);
            speaker.note("stop by voice", "braking");
        }
        if let VoiceEvent::Error { text } = &news {
            tracing::warn!("by voice: {text}");
        }
        reported(json(&news, names));
    };
    let talk = VoiceConversation::begin(body, voice, parts, report)?;
    let brake = talk.brake();
    let runtime = Handle::current();
    let thread = tokio::task::spawn_blocking(move || {
        let mut answering = Answering { talk: &talk, talking, runtime, stops, handled: 0, later: None };
        while let Some(said) = answering.next() {
            answering.answer(&said);
        }
        talk.leave();
    });
    Ok((brake, thread))
}

/// Serialises an event, with the names that the client asks for.
pub(super) fn json(event: &impl Serialize, names: EventNames) -> String {
    let mut event = serde_json::to_value(event).unwrap_or_default();
    name_event(&mut event, names);
    event.to_string()
}

struct Answering<'a> {
    talk: &'a VoiceConversation,
    talking: VoiceWorker,
    runtime: Handle,
    /// How many stop words the recognizer has detected, and how many of them arrived here.
    stops: Arc<AtomicU64>,
    handled: u64,
    /// An utterance that came too late to answer a question.
    later: Option<SpokenRequest>,
}

impl Answering<'_> {
    fn has_left(&self) -> bool {
        self.talking.leaving.has_changed().is_err()
    }

    /// Waits for the next utterance; `None` when the client has disconnected.
    fn next(&mut self) -> Option<SpokenRequest> {
        while !self.has_left() {
            if let Some(said) = self.later.take() {
                return Some(said);
            }
            match self.talk.hear_within(POLL_INTERVAL) {
                Ok(said) => return Some(said),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
        None
    }

    /// Returns the caller without its request id, so that each utterance has its own id, by which its question is answered.
    fn caller(&self) -> Caller {
        let Caller { request, .. } = &self.talking.speaker.caller;
        Caller { request: RequestInfo { id: None, ..request.clone() }, ..self.talking.speaker.caller.clone() }
    }

    fn answer(&mut self, said: &SpokenRequest) {
        let VoiceWorker { queue, speaker, session, names, report, .. } = &self.talking;
        report(json(&Next::Said { text: &said.text }, *names));
        let mut stop_epoch = said.stop_epoch;
        if is_stop(&said.text) {
            if self.stops.load(Ordering::Relaxed) > self.handled {
                // The recognizer has stopped the robot for it; another stop would also cancel later requests.
                self.handled += 1;
                stop_epoch = stop_epoch.saturating_sub(1);
            }
        } else if let Err(why) = speaker.caller.may("this", Role::Operator) {
            speaker.note("a sentence by voice", "refused");
            return self.end(ReplyEvent::Error { detail: why });
        }
        match queue.submit_spoken(self.caller(), &said.text, session.as_deref(), stop_epoch) {
            Ok(pending) => self.follow(pending),
            Err(full) => self.end(ReplyEvent::Error { detail: full.to_string() }),
        }
    }

    /// Sends the last event of a request and speaks its answer.
    fn end(&self, reported: ReplyEvent) {
        (self.talking.report)(json(&reported, self.talking.names));
        match reported {
            ReplyEvent::Reply(reply) => self.talk.answer(&reply.text),
            ReplyEvent::Error { detail } => self.talk.answer(&detail),
            ReplyEvent::Question { .. } | ReplyEvent::Event(_) => {}
        }
    }

    /// Sends the events of a request until it ends. Returning early drops the hearing, which stops what was started.
    fn follow(&mut self, mut pending: PendingReply) {
        let mut asked: Option<Uuid> = None;
        loop {
            match self.await_next(&mut pending) {
                Came::Reported(Some(reported @ (ReplyEvent::Reply(_) | ReplyEvent::Error { .. }))) => {
                    return self.end(reported);
                }
                Came::Reported(Some(reported)) => {
                    if let ReplyEvent::Question { id, text } = &reported {
                        asked = Some(*id);
                        self.talk.ask(text);
                    }
                    (self.talking.report)(json(&reported, self.talking.names));
                }
                Came::Reported(None) => {
                    return self
                        .end(ReplyEvent::Error { detail: "the response was lost; say it again".into() });
                }
                Came::Nothing => {
                    if let Some(id) = asked
                        && let Ok(said) = self.talk.hear_within(Duration::ZERO)
                    {
                        asked = None;
                        self.reply(id, said);
                    }
                }
                Came::Left => return,
            }
        }
    }

    /// Handles an utterance while a question is open.
    fn reply(&mut self, id: Uuid, said: SpokenRequest) {
        let VoiceWorker { queue, speaker, .. } = &self.talking;
        if is_stop(&said.text) {
            // The recognizer may have stopped the robot for it already; either way the question is closed.
            let stops = self.stops.load(Ordering::Relaxed);
            if std::mem::replace(&mut self.handled, stops) == stops {
                self.talk.brake().stop();
            }
            self.talk.taken();
        } else if queue.answer(id, &speaker.caller, &said.text) {
            self.talk.taken();
        } else {
            self.later = Some(said);
        }
    }

    fn await_next(&self, pending: &mut PendingReply) -> Came {
        let mut leaving = self.talking.leaving.clone();
        self.runtime.block_on(async {
            tokio::select! {
                reported = pending.events.recv() => Came::Reported(reported),
                _ = leaving.changed() => Came::Left,
                () = tokio::time::sleep(POLL_INTERVAL) => Came::Nothing,
            }
        })
    }
}
