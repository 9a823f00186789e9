//! The thread of a conversation by voice: what is said goes to the desk, one sentence after the other, and what is answered
//! back to the voice. It ends when whoever speaks has left, and with it what it began.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use serde::Serialize;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use uuid::Uuid;

use crate::api::caller::Speaker;
use crate::api::desk::{Desk, Hearing, Told};
use crate::gate::{Asked, Caller};
use crate::voice::{Brake, News, Parts, Said, Talk};
use minismith_control::body::Body;
use minismith_nlu::is_stop;
use minismith_runtime::config::Voice;
use minismith_runtime::role::Role;

/// How often it looks whether somebody has said something, or left.
const LOOK: Duration = Duration::from_millis(40);

/// Where it is told what happens, each time a JSON document. It waits for nobody.
pub(super) type Tell = Arc<dyn Fn(String) + Send + Sync>;

/// Who talks, with whom, and where it is told.
pub(super) struct Talking {
    pub(super) desk: Desk,
    pub(super) speaker: Arc<Speaker>,
    pub(super) session: Option<String>,
    pub(super) tell: Tell,
    /// Its other end is dropped by whoever leaves.
    pub(super) leaving: watch::Receiver<()>,
}

/// That a sentence is worked on now.
#[derive(Serialize)]
#[serde(tag = "event", content = "data", rename_all = "snake_case")]
enum Next<'a> {
    Said { text: &'a str },
}

/// What comes next of a sentence.
enum Came {
    Told(Option<Told>),
    /// Nothing in a while.
    Nothing,
    Left,
}

/// Begins to listen and to answer; gives what stops the robot, and the thread.
pub(super) fn begin(
    body: &Body,
    voice: &Voice,
    parts: Parts,
    talking: Talking,
) -> std::io::Result<(Brake, JoinHandle<()>)> {
    let stops = Arc::<AtomicU64>::default();
    let (told, speaker, counted) = (talking.tell.clone(), talking.speaker.clone(), stops.clone());
    let tell = move |news: News| {
        if matches!(news, News::Stop { .. }) {
            counted.fetch_add(1, Ordering::Relaxed);
            speaker.note("stop by voice", "braking");
        }
        if let News::Trouble { text } = &news {
            tracing::warn!("by voice: {text}");
        }
        told(json(&news));
    };
    let talk = Talk::begin(body, voice, parts, tell)?;
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

/// What is told, as a document.
pub(super) fn json(told: &impl Serialize) -> String {
    serde_json::to_string(told).unwrap_or_default()
}

struct Answering<'a> {
    talk: &'a Talk,
    talking: Talking,
    runtime: Handle,
    /// How many stops the ear has heard, and how many of them came here.
    stops: Arc<AtomicU64>,
    handled: u64,
    /// What was said while a question was open that nobody waited for any more.
    later: Option<Said>,
}

impl Answering<'_> {
    fn has_left(&self) -> bool {
        self.talking.leaving.has_changed().is_err()
    }

    /// What is said next; none when whoever speaks has left.
    fn next(&mut self) -> Option<Said> {
        while !self.has_left() {
            if let Some(said) = self.later.take() {
                return Some(said);
            }
            match self.talk.hear_within(LOOK) {
                Ok(said) => return Some(said),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
        None
    }

    /// Each sentence has an id of its own, by which its question is answered.
    fn caller(&self) -> Caller {
        let Caller { request, .. } = &self.talking.speaker.caller;
        Caller { request: Asked { id: None, ..request.clone() }, ..self.talking.speaker.caller.clone() }
    }

    fn answer(&mut self, said: &Said) {
        let Talking { desk, speaker, session, tell, .. } = &self.talking;
        tell(json(&Next::Said { text: &said.text }));
        let mut halts = said.halts;
        if is_stop(&said.text) {
            if self.stops.load(Ordering::Relaxed) > self.handled {
                // The ear has halted the body for it; once more would also end what was said since.
                self.handled += 1;
                halts = halts.saturating_sub(1);
            }
        } else if let Err(why) = speaker.caller.may("this", Role::Operator) {
            speaker.note("a sentence by voice", "refused");
            return self.end(Told::Error { detail: why });
        }
        match desk.hear_later(None, self.caller(), &said.text, session.as_deref(), true, halts) {
            Ok(hearing) => self.follow(hearing),
            Err(full) => self.end(Told::Error { detail: full.to_string() }),
        }
    }

    /// Tells the last word of a sentence.
    fn end(&self, told: Told) {
        (self.talking.tell)(json(&told));
        match told {
            Told::Reply(reply) => self.talk.answer(&reply.text),
            Told::Error { detail } => self.talk.answer(&detail),
            Told::Question { .. } | Told::News(_) => {}
        }
    }

    /// Tells what comes of a sentence, to its end. Leaving before drops the hearing, which halts what was begun.
    fn follow(&mut self, mut hearing: Hearing) {
        let mut asked: Option<Uuid> = None;
        loop {
            match self.await_next(&mut hearing) {
                Came::Told(Some(told @ (Told::Reply(_) | Told::Error { .. }))) => return self.end(told),
                Came::Told(Some(told)) => {
                    if let Told::Question { id, text } = &told {
                        asked = Some(*id);
                        self.talk.ask(text);
                    }
                    (self.talking.tell)(json(&told));
                }
                Came::Told(None) => {
                    return self.end(Told::Error { detail: "the answer was lost; say it again".into() });
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

    /// What was said while a question was open.
    fn reply(&mut self, id: Uuid, said: Said) {
        let Talking { desk, speaker, .. } = &self.talking;
        if is_stop(&said.text) {
            // Where the ear has not halted the body for it already; with that the question is over.
            let stops = self.stops.load(Ordering::Relaxed);
            if std::mem::replace(&mut self.handled, stops) == stops {
                self.talk.brake().stop();
            }
            self.talk.taken();
        } else if desk.answer(id, &speaker.caller, &said.text) {
            self.talk.taken();
        } else {
            self.later = Some(said);
        }
    }

    fn await_next(&self, hearing: &mut Hearing) -> Came {
        let mut leaving = self.talking.leaving.clone();
        self.runtime.block_on(async {
            tokio::select! {
                told = hearing.told.recv() => Came::Told(told),
                _ = leaving.changed() => Came::Left,
                () = tokio::time::sleep(LOOK) => Came::Nothing,
            }
        })
    }
}
